/*
 * bound_first.c - the bounds of the first milliseconds: see bound.h.
 *
 * The minima of the file's tables give the first bound. Then soft arc consistency moves costs
 * between functions, forward and backward along the variables, as 64-bit integers. (32
 * bits would lose the last digits of costs with many decimals, which prove an optimum, and a 64-bit
 * sweep moves sums of costs and leaves the tables as they are.)
 *
 * The reparametrised model is kept. Mini-buckets, join graphs and regions begin from its tables, so
 * that no bound of theirs is below this one.
 */
#include <math.h>

#include "gpube/bound/bound.h"
#include "gpube/bound/reparam.h"
#include "gpube/ir/dense.h"
#include "gpube/relax/dfs.h"
#include "gpube/relax/moved.h"
#include "gpube/relax/scaling.h"

enum { MOST_SWEEPS = 1000 };
#define LINE_SECONDS 0.005 /* between two lines of the log */
/* Costs are multiplied by up to 2^MOST_FINER, as long as the gap to the cutoff stays below. */
#define MOST_FINER 10
#define MOST_LEFT  ((int64_t)1 << 28)
/* Sweeps end when as much time again would close less than this part of the gap. */
#define SLOW 0.02
/* The work of keeping a cell. */
enum { KEPT_TICKS = 10 };

struct first {
	struct gpube_bounder *b;
	struct gpube_dfs *t;
	double start;
	struct gpube_budget turn;
};

static int64_t bound_of(const struct first *f)
{
	return f->t->conflict
		       ? f->b->cutoff
		       : gpube__constant_of(f->b->m) + gpube__unscale(f->t->shift, f->t->constant);
}

/* ---- assignments ----------------------------------------------------------------------------- */

/* The cost of function g with value a of its last variable and the decided values of the others. */
static int64_t cost_in(const struct gpube_dfs *t, const struct gpube_dfs_function *g,
	const int32_t *values, int32_t a)
{
	const int last = g->arity - 1;
	int64_t cell = a, moved = g->moved[last][a];

	for (int k = 0; k < last; k++) {
		int32_t value = values[t->order[g->scope[k]]];

		cell += g->stride[k] * value;
		moved += g->moved[k][value];
	}
	return g->t[cell] == GPUBE__DFS_DEAD ? GPUBE__DFS_MOST : g->t[cell] - moved;
}

/* Decides the variables in order, each by the functions of which it is the last variable. */
static void decode(const struct gpube_dfs *t, int32_t *values)
{
	for (int32_t p = 0; p < t->n; p++) {
		double least = INFINITY;

		for (int32_t r = 0; r < t->n_live[p]; r++) {
			const int32_t a = t->live[p][r];
			double sum = (double)t->cost[p][a];

			for (int32_t i = t->of_at[p]; i < t->of_at[p + 1]; i++) {
				const struct gpube_dfs_function *g =
					&t->functions[t->of[i] / GPUBE__DFS_ARITY];

				if (t->of[i] % GPUBE__DFS_ARITY == g->arity - 1)
					sum += (double)cost_in(t, g, values, a);
			}
			if (sum < least) {
				least = sum;
				values[t->order[p]] = a;
			}
		}
	}
}

static int read_off(struct first *f)
{
	struct gpube_bounder *b = f->b;
	int status;

	decode(f->t, b->tried);
	status = gpube__bounder_report_incumbent(b, b->tried, "decoded");
	gpube__dfs_cutoff(f->t, b->cutoff);
	return status;
}

/* ---- sweeps ---------------------------------------------------------------------------------- */

/* One sweep, which logs the bound now and then. */
static int sweep(struct first *f, bool backward)
{
	int status = GPUBE_OK;

	for (int32_t done = 0; done < f->t->n && !status && !f->t->conflict;) {
		status = gpube__dfs_sweep_on(
			f->t, backward, &done, gpube__worked(f->b->ctx) + LINE_SECONDS);
		gpube__bounder_update_lower(f->b, bound_of(f), "soft arc consistency");
		if (gpube__stopped(f->b->ctx))
			break;
	}
	return status;
}

/* Whether as much time again would close little of the gap. */
static bool is_slow(const struct first *f, int64_t gained, double seconds)
{
	const struct gpube_bounder *b = f->b;
	const int64_t end = b->upper < b->cutoff ? b->upper : b->cutoff;
	const double spent = gpube__worked(b->ctx) - f->start,
		     missing =
			     ((double)end - (double)gpube__constant_of(b->m)) * (1 << f->t->shift) -
			     (double)f->t->constant;

	return (double)gained * spent < SLOW * missing * seconds;
}

static int sweeps(struct first *f)
{
	struct gpube_bounder *b = f->b;
	int64_t before = 0;
	double window = f->start;
	int status = GPUBE_OK;

	for (int k = 1, next = 2; k <= MOST_SWEEPS && !status && !gpube__bounder_done(b); k++) {
		status = sweep(f, k % 2 == 0);
		if (!status && k == 1) {
			status = gpube__dfs_propagate_all(f->t);
			gpube__bounder_update_lower(b, bound_of(f), "soft arc consistency");
		}
		if (status || gpube__bounder_done(b) || gpube__budget_is_over(&f->turn))
			break;
		if (k == next) { /* ever more seldom */
			status = read_off(f);
			next += k / 2 + 2;
		}
		if (k % 4 == 0) {
			if (is_slow(f, f->t->constant - before, gpube__worked(b->ctx) - window))
				break;
			before = f->t->constant;
			window = gpube__worked(b->ctx);
		}
	}
	return status;
}

/* ---- the reparametrised tables --------------------------------------------------------------- */

/* Adds function g less the costs that were moved; tuples of removed values are forbidden. */
static int add_function(struct first *f, struct gpube_model *to, const struct gpube_dfs_function *g)
{
	const struct gpube_dfs *t = f->t;
	int32_t scope[GPUBE__DFS_ARITY], index[GPUBE__DFS_ARITY] = {0};
	int32_t domain[GPUBE__DFS_ARITY] = {0};
	struct gpube_table made = {.type = GPUBE_INT64, .arity = g->arity};
	int64_t taken[GPUBE__DFS_ARITY + 1] = {0}, *cells;
	bool gone[GPUBE__DFS_ARITY + 1] = {false};
	int d = 0;

	for (int k = 0; k < g->arity; k++) {
		scope[k] = t->order[g->scope[k]];
		domain[k] = to->vars[scope[k]].domain;
	}
	made.n = g->stride[0] * domain[0];
	made.values = cells = gpube__alloc(to->ctx, (uint64_t)made.n, sizeof(*cells));
	if (!cells)
		return GPUBE_ENOMEM;
	for (int64_t c = 0; c < made.n; c++) {
		for (; d < g->arity; d++) {
			const int32_t p = g->scope[d], a = index[d];

			taken[d + 1] = taken[d] + g->moved[d][a];
			gone[d + 1] = gone[d] || t->at[p][a] >= t->n_live[p];
		}
		cells[c] = gone[d] || g->t[c] == GPUBE__DFS_DEAD ? GPUBE_INF : g->t[c] - taken[d];
		for (d = g->arity - 1; d > 0 && ++index[d] == domain[d]; d--)
			index[d] = 0;
		index[0] += d == 0;
	}
	return gpube__add_table_over(to, scope, &made, NULL);
}

static int add_values(struct first *f, struct gpube_model *to, int32_t p)
{
	const struct gpube_dfs *t = f->t;
	const int32_t var = t->order[p], domain = to->vars[var].domain;
	int64_t *costs = t->scratch;
	bool any = t->n_live[p] < domain;

	for (int32_t a = 0; a < domain; a++) {
		costs[a] = t->at[p][a] < t->n_live[p] ? t->cost[p][a] : GPUBE_INF;
		any |= costs[a] != 0;
	}
	return any ? gpube_model_add_costs(to, 1, &var, costs) : GPUBE_OK;
}

static int keep_tables(struct first *f)
{
	struct gpube_bounder *b = f->b;
	const struct gpube_dfs *t = f->t;
	struct gpube_moved w;
	struct gpube_model *to;
	int status = gpube__moved_begin(&w, b->m, t->shift, 0);

	for (int32_t k = 0; k < t->n_functions && !status; k++)
		status = add_function(f, w.to, &t->functions[k]);
	for (int32_t p = 0; p < t->n && !status; p++)
		status = add_values(f, w.to, p);
	status = gpube__moved_end(&to, &w, t->constant, status);
	if (status)
		return status;
	gpube__work(b->ctx, KEPT_TICKS * gpube__model_cells(to));
	gpube__bounder_keep_tables(b, to, t->shift);
	return GPUBE_OK;
}

/* ---- the call -------------------------------------------------------------------------------- */

int gpube__bound_first(struct gpube_bounder *b, double seconds)
{
	struct first f = {.b = b, .turn = gpube__budget(b->ctx, seconds)};
	const struct gpube_reparam_run *reparam = b->state.reparam;
	int32_t *order;
	int status, shift, finer = MOST_FINER;

	if (reparam && reparam->most_shift < finer)
		finer = reparam->most_shift;
	order = gpube__alloc(b->ctx, (uint64_t)b->m->n_vars, sizeof(*order));
	if (!order)
		return GPUBE_ENOMEM;
	for (int32_t i = 0; i < b->m->n_vars; i++)
		order[i] = i;
	/* parts of costs are rounded: small integers are made larger, as far as 32 bits go */
	shift = gpube__scale_shift(b->m, gpube__costs_left(b->m, b->cutoff), MOST_LEFT, finer);
	status = gpube__dfs_new_to(&f.t, b->m, order, b->cutoff, shift > 0 ? shift : 0);
	gpube__free(b->ctx, order);
	if (!status && !f.t && b->opts->method == GPUBE_BOUND_ARC)
		gpube__log(b->ctx, GPUBE_LOG_NOTE,
			"no soft arc consistency: functions or costs are too large for it");
	if (status || !f.t)
		return status;
	f.start = gpube__worked(b->ctx);
	status = sweeps(&f);
	if (!status && !gpube__bounder_done(b) && !gpube__stopped(b->ctx))
		status = read_off(&f);
	if (!status && f.t->constant > 0 && !f.t->conflict &&
		(!gpube__bounder_done(b) || (reparam && !b->opts->prune)))
		status = keep_tables(&f);
	gpube__log(b->ctx, GPUBE_LOG_DETAIL, "soft arc consistency: %.4f s of work",
		gpube__worked(b->ctx) - f.start);
	gpube__dfs_free(f.t);
	return status;
}
