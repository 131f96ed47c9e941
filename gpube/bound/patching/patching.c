/* patching.c - an ascent on patches: what is kept, made, told and freed. See patching.h. */
#include "gpube/bound/patching/patching.h"

#include <string.h>

#include "gpube/bound/patching/list_cases.h"
#include "gpube/relax/scaling.h"

/* Cells of a table that an eliminated variable leaves, and of a patch of several functions. */
enum { SMALL_TABLE = 256 };
/* Times as many entries when lists grow. */
enum { GROWTH = 2 };

void gpube__patching_raise(struct gpube_patching *s, int64_t constant, const char *by)
{
	struct gpube_bounder *b = s->b;
	const int64_t target = gpube__patches_target(s->p, s->m, gpube__tables_limit(b));

	gpube__bounder_raise(b,
		constant >= target
			? b->limit
			: gpube__tables_bound(b,
				  gpube__constant_of(s->m) + gpube__unscale(s->p->shift, constant)),
		by);
}

bool gpube__patching_is_over(const struct gpube_patching *s)
{
	return gpube__budget_left(&s->turn) <= 0 || gpube__stopped(s->b->ctx);
}

double gpube__patching_worked(const struct gpube_patching *s)
{
	return s->worked + gpube__budget_spent(&s->turn);
}

int gpube__patching_offer(struct gpube_patching *s, const int32_t *values)
{
	if (s->lean)
		gpube__lean_extend(s->lean, s->whole, values);
	else
		memcpy(s->whole, values, (size_t)s->m->n_vars * sizeof(*values));
	return gpube__bounder_offer(s->b, s->whole, "patches");
}

void gpube__patching_know(const struct gpube_patching *s, struct gpube_patches_state *state)
{
	const int64_t target = gpube__patches_target(s->p, s->m, gpube__tables_limit(s->b));

	state->target = target < state->target ? target : state->target;
	if (s->lists)
		s->lists->target = target < s->lists->target ? target : s->lists->target;
}

/* ---- making and freeing -------------------------------------------------------------------- */

static void free_workers(struct gpube_patching *s)
{
	struct gpube_ctx *ctx = s->b->ctx;

	for (int k = 0; s->workers && k < ctx->n_threads; k++) {
		struct gpube_patching_worker *w = &s->workers[k];

		for (int j = 0; j < 2; j++) {
			gpube__free(ctx, w->child[j].state);
			gpube__free(ctx, w->child[j].values);
		}
		gpube__free(ctx, w->room);
		gpube__free(ctx, w->forced);
		gpube__free(ctx, w->keep);
		gpube__free(ctx, w->regret);
		gpube__free(ctx, w->sorted);
		gpube__free(ctx, w->best);
	}
	gpube__free(ctx, s->workers);
	s->workers = NULL;
}

static int make_workers(struct gpube_patching *s)
{
	struct gpube_ctx *ctx = s->b->ctx;
	uint64_t widest = 0;

	for (int32_t i = 0; i < s->m->n_vars; i++)
		widest = (uint64_t)s->m->vars[i].domain > widest ? (uint64_t)s->m->vars[i].domain
								 : widest;
	s->workers = gpube__alloc_zero(ctx, (uint64_t)ctx->n_threads, sizeof(*s->workers));
	for (int k = 0; s->workers && k < ctx->n_threads; k++) {
		struct gpube_patching_worker *w = &s->workers[k];

		w->s = s;
		w->room = gpube__alloc(ctx, (uint64_t)s->p->room, sizeof(*w->room));
		w->forced = gpube__alloc(ctx, widest + 1, sizeof(*w->forced));
		w->keep = gpube__alloc(ctx, widest + 1, sizeof(*w->keep));
		for (int j = 0; j < 2; j++)
			w->child[j].values =
				gpube__alloc_zero(ctx, (uint64_t)s->m->n_vars + 1, sizeof(int32_t));
		w->regret = gpube__alloc(ctx, (uint64_t)s->m->n_vars + 1, sizeof(*w->regret));
		w->sorted = gpube__alloc(ctx, (uint64_t)s->m->n_vars + 1, sizeof(*w->sorted));
		w->best = gpube__alloc_zero(ctx, (uint64_t)s->m->n_vars + 1, sizeof(*w->best));
		if (!w->regret || !w->sorted || !w->best || !w->room || !w->forced || !w->keep ||
			!w->child[0].values || !w->child[1].values)
			return GPUBE_ENOMEM;
	}
	return s->workers ? GPUBE_OK : GPUBE_ENOMEM;
}

void gpube__patching_free(struct gpube_patching *s)
{
	struct gpube_ctx *ctx;

	if (!s)
		return;
	ctx = s->b->ctx;
	for (int64_t k = 0; k < s->open.n; k++)
		gpube__free(ctx, s->open.nodes[k].payload);
	gpube__frontier_clear(&s->open, ctx);
	free_workers(s);
	gpube__notes_clear(s);
	gpube__free(ctx, s->root);
	gpube__free(ctx, s->whole);
	gpube__cases_free(s->cases);
	gpube__lists_free(s->lists);
	gpube__patches_free(s->p);
	gpube__lean_free(ctx, s->lean);
	gpube__free(ctx, s);
}

int gpube__patching_grow(struct gpube_patching *s, bool *any)
{
	const double start = gpube__now();
	struct gpube_patch_lists *l = NULL;
	int status = s->lists ? GPUBE_OK : gpube__lists_new(&s->lists, s->p, s->root);

	if (!status && s->lists)
		status = gpube__lists_grow(&l, s->lists, s->m, GROWTH * s->lists->most);
	*any = !status && l;
	s->all_grown |= !status && !l;
	/* none of the first ones: the root's patches go on */
	if (!l && s->lists && !s->lists->n_separators) {
		gpube__lists_free(s->lists);
		s->lists = NULL;
	}
	if (!l)
		return status;
	gpube__lists_free(s->lists);
	s->lists = l;
	gpube__log(s->b->ctx, GPUBE_LOG_DETAIL,
		"patches of up to %lld entries: %d, %d separators in %d waves, %lld entries, %lld "
		"touched; after %d sweeps, made in %.3f s",
		(long long)l->most, l->n_lists, l->n_separators, l->waves[0].n,
		(long long)l->n_entries, (long long)l->n_touched, s->n_sweeps,
		gpube__now() - start);
	return gpube__notes_lists(s, 0, l);
}

int gpube__patching_new(struct gpube_bounder *b)
{
	struct gpube_patching *s = b->state.patching = gpube__alloc_zero(b->ctx, 1, sizeof(*s));
	int status;

	if (!s)
		return GPUBE_ENOMEM;
	s->b = b;
	s->open.most_bytes = (int64_t)(b->ctx->memory_bytes / 8);
	status = gpube__lean_new(&s->lean, b->tables, SMALL_TABLE);
	if (status)
		return status;
	s->m = s->lean ? s->lean->model : b->tables;
	s->whole = gpube__alloc(b->ctx, (uint64_t)b->m->n_vars + 1, sizeof(*s->whole));
	status = s->whole ? gpube__patches_new(
				    &s->p, &s->root, s->m, SMALL_TABLE, gpube__tables_limit(b))
			  : GPUBE_ENOMEM;
	return status || !s->p ? status : make_workers(s);
}
