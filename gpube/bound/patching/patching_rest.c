/*
 * patching_rest.c - what patches that have grown leave open, as a model of its own: their tables, whose least total is what
 * the optimum is above the constant. An AND/OR search (../andor/andor.h) goes through it: a node takes it a moment, where
 * another sweep of such tables takes a second, and little is left of what its search is exponential in. (SPOT5's 507, whose
 * optimum is 27390: 27364 to 27374 in a minute of two cores, where splitting such tables brought nothing in 150 s.)
 */
#include "gpube/bound/patching/patching.h"

#include <math.h>

struct rest {
	struct gpube_patching *s;
	int status; /* of an assignment that was offered */
	void (*log)(void *, enum gpube_log_level, double, const char *); /* the search's notes would be in other units */
};

static void say(struct rest *r, bool aloud)
{
	r->s->b->ctx->log = aloud ? r->log : NULL;
}

static void on_improved(void *arg, int64_t bound, int64_t cost, const int32_t *values)
{
	struct rest *r = arg;

	(void)cost;
	say(r, true);
	if (values && !r->status)
		r->status = gpube__patching_offer(r->s, values);
	if (bound > 0)
		gpube__patching_raise(r->s, gpube__patches_above(r->s->root, bound), "AND/OR search on patches");
	say(r, false);
}

static bool on_cutoff(void *arg, int64_t *cutoff)
{
	struct rest *r = arg;

	gpube__patching_know(r->s, r->s->root);
	*cutoff = r->s->root->target - r->s->root->constant;
	return true;
}

/* A table, where there is anything in it: costs to be met no more are forbidden. */
static int add_table(const struct gpube_patching *s, struct gpube_model *m, int64_t *costs, int arity, const int32_t *scope, int64_t at,
	int32_t n_cells)
{
	const int32_t *t = s->root->cells + at, slack = gpube__patches_slack(s->root);
	bool any = false;

	for (int32_t c = 0; c < n_cells; c++) {
		costs[c] = t[c] >= slack ? GPUBE_INF : t[c];
		any |= t[c] != 0;
	}
	return any ? gpube_model_add_costs(m, arity, scope, costs) : GPUBE_OK;
}

static int make_model(const struct gpube_patching *s, struct gpube_model **out)
{
	const struct gpube_patches *p = s->p;
	int64_t *costs = gpube__alloc(s->b->ctx, GPUBE__PATCH_CELLS, sizeof(*costs));
	int status = costs ? gpube_model_new(out, s->b->ctx, GPUBE_COSTS) : GPUBE_ENOMEM;

	for (int32_t i = 0; i < p->n && !status; i++)
		status = gpube_model_add_var(*out, NULL, p->domain[i], NULL);
	for (int32_t k = 0; k < p->n_patches && !status; k++)
		status = add_table(s, *out, costs, p->patches[k].arity, p->patches[k].scope, p->patches[k].at, p->patches[k].n_cells);
	for (int32_t k = 0; k < p->n_separators && !status; k++)
		status = add_table(s, *out, costs, p->separators[k].arity, p->separators[k].scope, p->separators[k].at,
			p->separators[k].n_cells);
	gpube__free(s->b->ctx, costs);
	return status;
}

int gpube__patching_rest(struct gpube_patching *s, double seconds)
{
	struct rest r = {.s = s, .log = s->b->ctx->log};
	const struct gpube_watch watch = {&r, on_improved, on_cutoff};
	const struct gpube_bound_opts opts = {.sizeof_options = sizeof(opts),
		.method = GPUBE_BOUND_ANDOR,
		.has_cutoff = 1,
		.cutoff = s->root->target - s->root->constant,
		.timeout_seconds = isinf(seconds) ? 0 : seconds,
		.seed = s->b->opts->seed,
		.backend = GPUBE_BACKEND_CPU};
	struct gpube_solution *found = NULL;
	struct gpube_model *m = NULL;
	int status = seconds > 0 ? make_model(s, &m) : GPUBE_OK;

	if (!status && m) {
		say(&r, false);
		status = s->b->engine(&found, m, &opts, &watch);
		say(&r, true);
	}
	/* its time may be over before there is a bound: that is no stop of the whole */
	if (status == GPUBE_ESTOP && !gpube__stopped(s->b->ctx))
		status = GPUBE_OK;
	status = status ? status : r.status;
	if (!status && found && (found->answer == GPUBE_ANSWER_INFEASIBLE || found->closed))
		gpube__patching_raise(s, s->root->target, "AND/OR search on patches");
	else if (!status && found && found->answer == GPUBE_ANSWER_OPTIMAL)
		gpube__patching_raise(s, gpube__patches_above(s->root, found->cost), "AND/OR search on patches");
	gpube_solution_free(found, s->b->ctx);
	gpube_model_free(m);
	return status;
}
