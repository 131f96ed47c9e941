/*
 * nested_run.c - dual ascent on nested regions as a method. Passes run while they pay, dead values
 * leave the tables, and the method branches on what stays open: it halves the values of a variable
 * until every subproblem is closed or eliminated.
 *
 * A device does a pass over all quads of a network in milliseconds, so the whole ascends until the
 * gap is small; then few values are left, and subproblems are small.
 */
#include "gpube/bound/bound.h"
#include "gpube/options/options.h"
#include "gpube/relax/nested.h"
#include "gpube/search/frontier.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	BATCH = 4,            /* passes of the whole between checks of the constant */
	WINDOW = 16,          /* passes by which progress is judged */
	PATIENCE = 2000,      /* the whole is split if so many passes would not close it */
	MOST_BATCHES = 20,    /* batches of a subproblem's turn, of two passes each */
	HORIZON = 6,          /* a subproblem is split if so many passes would not close it */
	WORTH_DEVICE = 50000, /* cells of all pairs for which a device is opened */
};

/* The state between turns. */
struct gpube_nest {
	struct gpube_bounder *b;
	struct gpube_pairs c; /* the pairs of n */
	struct gpube_nested n;
	struct gpube_graph graph; /* with the domains of the last subproblem read */
	int32_t *order;
	struct gpube_rng rng;
	struct gpube_frontier open;
	double searching, promising, eliminating, started;
	int64_t n_problems, n_closed, n_eliminated;
	struct gpube_nested_problem *whole; /* the root, until it is split */
	bool climbed, lost;                 /* lost: a subproblem was dropped for want of memory */
	double spent;                       /* seconds of work of earlier turns */
};

/* Joined cells that elimination does in a second. */
static double rate_of(const struct gpube_nest *r)
{
	return r->n.ops->cells_per_second;
}

/* Decodes an assignment, and searches from there for a part of the time. */
static int read_off(struct gpube_nest *r, double share, int64_t steps)
{
	struct gpube_bounder *b = r->b;
	const double start = gpube__worked(b->ctx);
	int status;

	if (gpube__pairs_states(r->n.c) > 0 && r->searching > share * (start - r->started))
		return GPUBE_OK;
	gpube__pairs_decode(r->n.c, b->tried, &r->rng);
	status = gpube__bounder_report_incumbent(b, b->tried, "decoded");
	if (!status)
		status = gpube__bounder_search(b, b->tried, steps);
	r->searching += gpube__worked(b->ctx) - start;
	return status;
}

/*
 * Eliminates the live values that were read; of them, if 'sum' has what each is above the least of
 * its variable, those of at most 'most'.
 */
static int eliminate_values(
	struct gpube_nest *r, const int64_t *sum, int64_t most, double seconds, bool *done)
{
	struct gpube_bounder *b = r->b;
	const struct gpube_pairs *c = r->n.c;
	int64_t *at = gpube__alloc(b->ctx, (uint64_t)c->n, sizeof(*at)), total = 0;
	uint8_t *dead;
	int status = GPUBE_ENOMEM;

	for (int32_t i = 0; at && i < c->n; i++) {
		at[i] = total;
		total += b->m->vars[i].domain;
	}
	dead = at ? gpube__alloc(b->ctx, (uint64_t)total, 1) : NULL;
	if (dead) {
		memset(dead, 1, (size_t)total);
		for (int32_t i = 0; i < c->n; i++)
			for (int32_t x = 0; x < c->domain[i]; x++)
				dead[at[i] + c->value[i][x]] = sum && *sum++ > most;
		status = gpube__bounder_eliminate(b, dead, at, seconds, done);
	}
	gpube__free(b->ctx, at);
	gpube__free(b->ctx, dead);
	return status;
}

/*
 * Joined cells of an elimination of the values whose min-marginal is at most 'most' above the least
 * of their variable.
 */
static int promising_cost(struct gpube_nest *r, const int64_t *sum, int64_t most, double *cells)
{
	const struct gpube_pairs *c = r->n.c;
	struct gpube_order_cost cost;
	int status;

	for (int32_t i = 0; i < c->n; i++) {
		r->graph.domain[i] = 0;
		for (int32_t x = 0; x < c->domain[i]; x++)
			r->graph.domain[i] += sum[x] <= most;
		sum += c->domain[i];
	}
	status = gpube__order_find(r->b->ctx, r->order, &cost, &r->graph, GPUBE_ORDER_MIN_FILL, 0,
		gpube__ops_cpu()->cells_per_second, r->b->opts->seed);
	*cells = cost.joined_cells;
	return status;
}

/*
 * Finds the best assignment of promising values, those of small min-marginal, as many as 'cells'
 * joined cells allow. Greedy decoding does so for one variable at a time.
 */
static int eliminate_promising(struct gpube_nest *r, double cells)
{
	struct gpube_bounder *b = r->b;
	struct gpube_pairs *c = r->n.c;
	int64_t values = 0, low = 0, high, *sum, *sorted;
	double cost;
	bool done;
	int status = GPUBE_OK;

	for (int32_t i = 0; i < c->n; i++)
		values += c->domain[i];
	if (!values)
		return GPUBE_OK;
	sum = gpube__alloc(b->ctx, 2 * (uint64_t)values, sizeof(*sum));
	if (!sum)
		return GPUBE_ENOMEM;
	for (int64_t i = 0, k = 0; i < c->n; k += c->domain[i++]) {
		int64_t least = INT64_MAX;

		gpube__pairs_marginals(c, (int32_t)i, sum + k);
		for (int32_t x = 0; x < c->domain[i]; x++)
			least = sum[k + x] < least ? sum[k + x] : least;
		for (int32_t x = 0; x < c->domain[i]; x++)
			sum[k + x] -= least;
	}
	sorted = sum + values;
	memcpy(sorted, sum, (size_t)values * sizeof(*sum));
	qsort(sorted, (size_t)values, sizeof(*sum), gpube__compare_int64);
	high = values;
	while (low + 1 < high && !status) {
		const int64_t mid = low + (high - low) / 2;

		status = promising_cost(r, sum, sorted[mid], &cost);
		if (cost <= cells)
			low = mid;
		else
			high = mid;
	}
	if (!status)
		status = eliminate_values(r, sum, sorted[low], 1, &done);
	gpube__free(b->ctx, sum);
	return status;
}

/* Takes the bounder's cutoff, if it is lower, as the target. */
static int lower_target(struct gpube_nest *r, struct gpube_nested_problem *p)
{
	gpube__bounder_lower_target(r->b, r->n.c->shift, &r->n.c->target);
	return gpube__nested_target(&r->n, p, r->n.c->target);
}

/* Eliminates the values read, if that is quick enough. */
static int eliminate(
	struct gpube_nest *r, struct gpube_nested_problem *p, double seconds, bool *done)
{
	struct gpube_bounder *b = r->b;
	const double states = gpube__pairs_states(r->n.c), start = gpube__worked(r->b->ctx);
	struct gpube_order_cost cost;
	int status = GPUBE_OK;

	*done = false;
	if (b->opts->no_eliminate || states > p->states - 0.3)
		return GPUBE_OK;
	p->states = states;
	for (int32_t i = 0; i < r->n.c->n; i++)
		r->graph.domain[i] = r->n.c->domain[i];
	status = gpube__order_find(b->ctx, r->order, &cost, &r->graph, GPUBE_ORDER_MIN_FILL, 0,
		gpube__ops_cpu()->cells_per_second, b->opts->seed);
	if (!status && cost.joined_cells < 8 * seconds * rate_of(r))
		status = eliminate_values(r, NULL, 0, seconds, done);
	r->n_eliminated += *done;
	r->eliminating += gpube__worked(r->b->ctx) - start;
	return status;
}

/* Replaces *p, which was read, by its remaining values; NULL: none remain. */
static int shrink(struct gpube_nest *r, struct gpube_nested_problem **p)
{
	struct gpube_nested_problem *q;
	int status;

	if (!gpube__nested_n_dead(&r->n))
		return GPUBE_OK;
	status = gpube__nested_shrink(&q, &r->n, *p, -1, NULL);
	if (status)
		return status;
	gpube__nested_free(&r->n, *p);
	*p = q;
	return GPUBE_OK;
}

/* ---- the whole ------------------------------------------------------------------------- */

static void update_lower(struct gpube_nest *r, int64_t constant, const char *by)
{
	gpube__bounder_update_scaled(r->b, r->n.c->shift, constant, r->n.c->target, by);
}

/* Decodes, eliminates and removes dead values of the whole. *closed: nothing is left. */
static int settle_whole(struct gpube_nest *r, struct gpube_nested_problem **p, bool *closed)
{
	const double spent = gpube__worked(r->b->ctx) - r->started;
	int status = gpube__nested_read(&r->n, *p);

	if (!status)
		status = read_off(r, 0.15, 1000);
	if (!status && r->promising < 0.3 * (gpube__worked(r->b->ctx) - r->started)) {
		const double start = gpube__worked(r->b->ctx);

		status = eliminate_promising(r, 0.003 * rate_of(r));
		r->promising += gpube__worked(r->b->ctx) - start;
	}
	if (!status)
		status = lower_target(r, *p);
	if (!status && !gpube__bounder_done(r->b) && (*p)->constant < (*p)->target)
		status = eliminate(r, *p, 0.1 + 0.5 * spent, closed);
	if (!status && !*closed)
		status = shrink(r, p);
	*closed |= !status && (!*p || (*p)->constant >= (*p)->target);
	return status;
}

/*
 * Whether passes no longer pay, which gained so much in the last WINDOW. Without a good incumbent
 * the gap says little, so the bound itself must have stopped rising, too.
 */
static bool slow(const struct gpube_nested_problem *p, int64_t gained)
{
	return (double)gained * PATIENCE / WINDOW < (double)(p->target - p->constant) &&
	       (double)gained <= 5e-4 * (double)p->constant;
}

/* Passes until it is closed, which makes *p NULL, or progress is slow. */
static int climb(struct gpube_nest *r, struct gpube_nested_problem **p)
{
	struct gpube_bounder *b = r->b;
	double checked = gpube__worked(r->b->ctx);
	int64_t before = (*p)->constant;
	bool quads = false, closed = false, ended = false;
	int status = GPUBE_OK;

	/* triples first, which are cheap, until quads pay */
	for (int pass = BATCH; !status && !closed && !ended; pass += BATCH) {
		const int64_t last = (*p)->constant;

		if (gpube__stopped(b->ctx))
			return gpube__fail_stopped(b->ctx);
		status = gpube__nested_passes(&r->n, *p, BATCH, quads ? GPUBE_REGIONS_QUADS : 0);
		if (status)
			return status;
		update_lower(
			r, (*p)->constant, quads ? "quads of variables" : "triples of variables");
		closed = (*p)->constant >= (*p)->target;
		if (!quads && r->n.plan.n_quads > 0 &&
			((*p)->constant - last) * WINDOW < (*p)->constant) {
			quads = true;
			pass = 0;
			before = (*p)->constant;
		}
		if (pass > 0 && pass % WINDOW == 0) {
			ended = slow(*p, (*p)->constant - before) ||
				b->opts->split == GPUBE_SPLIT_FIRST;
			before = (*p)->constant;
		}
		if (!closed &&
			(ended || pass == BATCH || gpube__worked(r->b->ctx) - checked > 0.2)) {
			status = settle_whole(r, p, &closed);
			checked = gpube__worked(r->b->ctx);
		}
	}
	if (closed) {
		gpube__nested_free(&r->n, *p);
		*p = NULL;
	}
	return status;
}

/* ---- parts ------------------------------------------------------------------------------- */

static int put(struct gpube_nest *r, struct gpube_nested_problem *p)
{
	const int status = gpube__frontier_push(&r->open, r->b->ctx,
		&(struct gpube_frontier_node){.bound = p->constant,
			.depth = p->depth,
			.payload = p,
			.bytes = (int64_t)p->r.bytes});

	if (status) {
		gpube__nested_free(&r->n, p);
		r->lost = true;
	}
	return status;
}

/* Passes until the subproblem is closed, eliminated, or would take too many more. */
static int work(struct gpube_nest *r, struct gpube_nested_problem **p)
{
	const double start = gpube__worked(r->b->ctx);
	bool closed = false;
	int status = lower_target(r, *p);

	for (int k = 0; k < MOST_BATCHES && !status && !closed; k++) {
		const int64_t last = (*p)->constant;

		if (gpube__stopped(r->b->ctx))
			break;
		status = gpube__nested_passes(&r->n, *p, 2, GPUBE_REGIONS_QUADS);
		closed = (*p)->constant >= (*p)->target;
		if (status || closed)
			break;
		status = gpube__nested_read(&r->n, *p);
		if (!status)
			status = shrink(r, p);
		closed = !*p;
		if (!closed && (double)((*p)->constant - last) * HORIZON <
				       2 * (double)((*p)->target - (*p)->constant))
			break;
	}
	if (!status && !closed)
		status = gpube__nested_read(&r->n, *p);
	if (!status && !closed) {
		(*p)->seconds = gpube__worked(r->b->ctx) - start;
		status = read_off(r, 0.1, 300);
	}
	if (!status && !closed)
		status = lower_target(r, *p);
	if (!status && !closed)
		closed = (*p)->constant >= (*p)->target || gpube__pairs_states(r->n.c) <= 0;
	if (!status && !closed)
		status = eliminate(r, *p, fmax(0.05, 4 * (*p)->seconds), &closed);
	if (closed) {
		r->n_closed++;
		gpube__nested_free(&r->n, *p);
		*p = NULL;
	}
	return status;
}

/* Both halves of a subproblem, which is freed; NULL: that half is empty. */
static int split(
	struct gpube_nest *r, struct gpube_nested_problem *p, struct gpube_nested_problem *half[2])
{
	struct gpube_pairs *c = r->n.c;
	uint8_t *keep = NULL;
	int32_t var;
	int status = gpube__nested_read(&r->n, p);

	var = status ? -1 : gpube__pairs_choose(c);
	if (var >= 0) {
		const int32_t d = c->domain[var];

		keep = gpube__alloc(r->b->ctx, (uint64_t)d, 1);
		status = keep ? gpube__pairs_halve(c, var, keep) : GPUBE_ENOMEM;
		for (int k = 0; k < 2 && !status; k++) {
			status = gpube__nested_shrink(&half[k], &r->n, p, var, keep);
			for (int32_t x = 0; x < d; x++)
				keep[x] = !keep[x];
			if (!status && half[k])
				half[k]->depth++;
		}
	}
	gpube__free(r->b->ctx, keep);
	gpube__nested_free(&r->n, p);
	r->lost |= status != GPUBE_OK;
	return status;
}

static int branch(struct gpube_nest *r)
{
	struct gpube_bounder *b = r->b;
	int status = GPUBE_OK;
	int64_t turns = 0;

	while (!status && r->open.n && !gpube__bounder_done(b)) {
		struct gpube_nested_problem *half[2] = {NULL, NULL};
		int64_t least;

		if (gpube__stopped(b->ctx))
			return gpube__fail_stopped(b->ctx);
		status = split(r, gpube__frontier_pop(&r->open).payload, half);
		for (int k = 1; k >= 0; k--) {
			r->n_problems += !status && half[k];
			if (!status && half[k])
				status = work(r, &half[k]);
			if (half[k] && put(r, half[k]))
				status = GPUBE_ENOMEM;
		}
		if (status)
			break;
		least = gpube__frontier_least(&r->open);
		update_lower(
			r, least < r->n.c->target ? least : r->n.c->target, "branching on regions");
		if (++turns % 16 == 0)
			gpube__log(b->ctx, GPUBE_LOG_DETAIL,
				"regions: %lld subproblem%s, %lld closed, %lld of them eliminated, "
				"%lld open",
				(long long)r->n_problems, gpube__plural(r->n_problems),
				(long long)r->n_closed, (long long)r->n_eliminated,
				(long long)r->open.n);
	}
	return status;
}

/* ---- the method ---------------------------------------------------------------------------- */

/* Cells of all pairs; 0: some function is not of a pair. */
static double pair_cells(const struct gpube_model *m)
{
	double cells = 0;

	for (int32_t f = 0; f < m->n_functions; f++) {
		const int32_t *scope = gpube__scope(m, f);

		if (m->functions[f].arity > 2)
			return 0;
		if (m->functions[f].arity == 2)
			cells += (double)m->vars[scope[0]].domain * m->vars[scope[1]].domain;
	}
	return cells;
}

bool gpube__nested_likely(const struct gpube_model *m)
{
	return pair_cells(m) >= WORTH_DEVICE;
}

bool gpube__bound_on_card(const struct gpube_bounder *b)
{
	switch (b->opts->backend) {
	case GPUBE_BACKEND_CPU:
		return false;
	case GPUBE_BACKEND_CUDA:
		return !b->state.no_regions && pair_cells(b->m) > 0;
	default:
		return !b->state.no_regions && gpube__nested_likely(b->m);
	}
}

/* Picks the backend that the caller asks for, or that pays; *regions NULL: none. */
static int pick(struct gpube_bounder *b, const struct gpube_ops **ops,
	const struct gpube_regions_ops **regions)
{
	const enum gpube_backend want = b->opts->backend;
	int status = GPUBE_OK;

	*ops = gpube__ops_cpu();
	*regions = gpube__asks_for_nested(b->opts) ? gpube__regions_cpu() : NULL;
	if (!gpube__bound_on_card(b))
		return GPUBE_OK;
	if (gpube__regions_cuda(b->ctx, &status)) {
		*regions = gpube__regions_cuda(b->ctx, &status);
		*ops = gpube__ops_cuda(b->ctx, &status);
		return status;
	}
	return want == GPUBE_BACKEND_AUTO && status == GPUBE_ENODEV ? GPUBE_OK : status;
}

/* Values that the search tree has proved impossible are not in the whole. */
static int begin(struct gpube_nest *r)
{
	struct gpube_bounder *b = r->b;
	struct gpube_pairs *c = &r->c;
	int status = gpube__nested_first(&r->whole, &r->n);

	for (int32_t i = 0; b->state.tree && i < c->n; i++)
		for (int32_t x = 0; x < c->domain[i]; x++)
			if (gpube__bounder_is_dead(b, i, x))
				c->unary[i][x] = GPUBE__DEAD;
	if (!status)
		status = shrink(r, &r->whole);
	gpube__log(b->ctx, GPUBE_LOG_DETAIL,
		"regions: %d pair%s, %d triple%s, %d quad%s, in %d, %d and %d group%s, on the %s",
		r->n.plan.n_pairs, gpube__plural(r->n.plan.n_pairs), r->n.plan.n_triples,
		gpube__plural(r->n.plan.n_triples), r->n.plan.n_quads,
		gpube__plural(r->n.plan.n_quads), r->n.plan.n_variable_groups,
		r->n.plan.n_triple_groups, r->n.plan.n_quad_groups,
		gpube__plural(r->n.plan.n_quad_groups), r->n.ops->name);
	return status;
}

/* Continues where the last turn ended: the whole, then its subproblems. */
static int go_on(struct gpube_nest *r)
{
	struct gpube_bounder *b = r->b;
	struct gpube_nested_problem *whole;
	int status = GPUBE_OK;

	r->started = gpube__worked(b->ctx) - r->spent; /* as if the turns were one */
	if (!r->climbed) {
		status = r->whole ? climb(r, &r->whole) : GPUBE_OK;
		r->climbed = !status;
		if (!status && !r->whole) {
			gpube__bounder_update_lower(b, b->cutoff, "quads of variables");
			return GPUBE_OK;
		}
	}
	if (!status && !gpube__bounder_done(b) && b->opts->split != GPUBE_SPLIT_NEVER) {
		whole = r->whole;
		r->whole = NULL;
		status = whole ? put(r, whole) : GPUBE_OK;
		if (!status)
			status = branch(r);
	}
	r->spent = gpube__worked(b->ctx) - r->started;
	gpube__log(b->ctx, GPUBE_LOG_DETAIL,
		"regions: %lld subproblem%s, %lld closed, %lld of them eliminated in %.2f s; %.2f "
		"s of search, %.2f s of elimination of promising values",
		(long long)r->n_problems, gpube__plural(r->n_problems), (long long)r->n_closed,
		(long long)r->n_eliminated, r->eliminating, r->searching, r->promising);
	return status;
}

void gpube__nest_free(struct gpube_nest *r)
{
	struct gpube_ctx *ctx;

	if (!r)
		return;
	ctx = r->b->ctx;
	gpube__nested_free(&r->n, r->whole);
	for (int64_t k = 0; k < r->open.n; k++)
		gpube__nested_free(&r->n, r->open.nodes[k].payload);
	gpube__frontier_clear(&r->open, ctx);
	gpube__nested_clear(&r->n);
	gpube__free(ctx, r->order);
	gpube__graph_clear(ctx, &r->graph);
	gpube__pairs_clear(&r->c);
	gpube__free(ctx, r);
}

/* Makes b->state.nest. */
static int make(struct gpube_bounder *b, const struct gpube_ops *ops,
	const struct gpube_regions_ops *regions)
{
	struct gpube_nest *r = b->state.nest = gpube__alloc_zero(b->ctx, 1, sizeof(*r));
	int status;

	if (!r)
		return GPUBE_ENOMEM;
	r->b = b;
	r->open.most_bytes = (int64_t)(ops->memory(b->ctx) / 2);
	gpube__rng_init(&r->rng, b->opts->seed);
	status = gpube__pairs_init(&r->c, b->tables, gpube__tables_cutoff(b), GPUBE__MOST_SHIFT);
	if (!status)
		status = gpube__graph_of_model(&r->graph, b->m);
	r->order = status ? NULL : gpube__alloc(b->ctx, (uint64_t)r->c.n, sizeof(*r->order));
	if (!status && !r->order)
		status = GPUBE_ENOMEM;
	if (!status)
		status = gpube__nested_init(
			&r->n, &r->c, ops, regions, (double)ops->memory(b->ctx) / 4, NULL);
	return status ? status : begin(r);
}

/* For a turn; after one that was stopped another continues. */
static int one_turn(struct gpube_bounder *b)
{
	const struct gpube_regions_ops *regions;
	const struct gpube_ops *ops;
	int status;

	if (b->state.nest)
		return go_on(b->state.nest);
	status = pick(b, &ops, &regions);
	if (status)
		return status;
	b->state.no_regions = !regions || !gpube__nested_suits(b->tables, regions);
	if (b->state.no_regions)
		return GPUBE_OK;
	b->told.backend = ops->name;
	status = make(b, ops, regions);
	if (status && b->state.nest)
		b->state.nest->lost = true;
	return status ? status : go_on(b->state.nest);
}

int gpube__bound_regions(struct gpube_bounder *b)
{
	const int status = one_turn(b);

	if (status == GPUBE_ESTOP && b->state.nest && !b->state.nest->lost)
		return status;
	gpube__nest_free(b->state.nest);
	b->state.nest = NULL;
	return status;
}
