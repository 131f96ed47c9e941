/*
 * infer_intervals.c - marginals as intervals, where exact ones do not fit: see infer_bounds.h.
 *
 * A region around a variable is left by an edge of other variables. Whatever is beyond weighs the
 * values of the edge by numbers that are not negative, so a marginal is an average, with unknown
 * weights, of the distributions that the region alone gives for each of the edge's values: it is
 * between the least and the greatest of them. The region grows from the variable as long as the
 * edge has few values; in that order it is summed, too, so that no table is larger than the last
 * one by more than a variable. An interval is the cut of those of all regions, which grow with
 * time.
 *
 * Other ways were weighed. A quotient of bounds of the whole sum, with and without the value, is in
 * [0, 1] for certain as soon as these bounds are a factor of ten apart, which they are by dozens of
 * powers of ten where exact sums do not fit. Intervals for the messages at the edge (Mooij and
 * Kappen) would narrow it more; they can be put on top.
 *
 * Source: Mooij and Kappen, NIPS 2008; Ihler, UAI 2007.
 */
#include "gpube/infer/infer_bounds.h"
#include "gpube/options/options.h"
#include "gpube/ir/graph.h"

#include <math.h>
#include <string.h>

#define FIRST_EDGE 0x1p4
#define LAST_EDGE  0x1p20
#define GROWTH     8

enum { OUTSIDE = -1 };

struct regions {
	struct gpube__inferring *j;
	struct gpube_incidence functions;
	struct gpube_graph graph;
	double *lower, *upper; /* of all values of all variables */
	int64_t *at;
	/*
	 * a region: its variables, the first of which it is around, in the order in which they
	 * came; then the edge
	 */
	int32_t *inside, n_inside, *edge, n_edge;
	int32_t *local; /* of each variable: its number in the region's model */
	bool *is_done;  /* of each function: it is in the model */
	double edge_cells;
};

static int32_t domain_of(const struct regions *r, int32_t var)
{
	return gpube__n_possible(&r->j->possible, var);
}

/* ---- the region ---------------------------------------------------------------------- */

/* The edge's values once this variable is inside. */
static double edge_with(const struct regions *r, int32_t var)
{
	double cells = r->edge_cells / domain_of(r, var);

	for (int64_t k = r->graph.start[var]; k < r->graph.start[var + 1]; k++) {
		const int32_t v = r->graph.adjacent[k];

		if (r->local[v] == OUTSIDE)
			cells *= domain_of(r, v);
	}
	return cells;
}

static void put_inside(struct regions *r, int32_t var)
{
	r->edge_cells = edge_with(r, var);
	for (int32_t k = 0; k < r->n_edge; k++)
		if (r->edge[k] == var)
			r->edge[k] = r->edge[--r->n_edge];
	r->inside[r->n_inside++] = var;
	r->local[var] = 0;
	for (int64_t k = r->graph.start[var]; k < r->graph.start[var + 1]; k++) {
		const int32_t v = r->graph.adjacent[k];

		if (r->local[v] != OUTSIDE || domain_of(r, v) == 1)
			continue;
		r->local[v] = 0;
		r->edge[r->n_edge++] = v;
	}
}

/* Takes in what leaves the smallest edge; the first ones of the edge first. */
static void grow(struct regions *r, int32_t var, double most)
{
	r->n_inside = r->n_edge = 0;
	r->edge_cells = domain_of(r, var);
	put_inside(r, var);
	while (r->n_edge > 0 && r->edge_cells <= most) {
		double least = INFINITY;
		int32_t best = -1;

		for (int32_t k = 0; k < r->n_edge; k++) {
			const double cells = edge_with(r, r->edge[k]);

			if (cells < least) {
				least = cells;
				best = r->edge[k];
			}
		}
		if (least > most)
			return;
		put_inside(r, best);
	}
}

static void forget_region(struct regions *r)
{
	for (int32_t k = 0; k < r->n_inside; k++)
		r->local[r->inside[k]] = OUTSIDE;
	for (int32_t k = 0; k < r->n_edge; k++)
		r->local[r->edge[k]] = OUTSIDE;
}

/* ---- its model ----------------------------------------------------------------------- */

/* What can occur of a function, over the region's numbers. */
static int add_function(struct gpube_model *to, const struct regions *r, int32_t function)
{
	struct gpube_visit w;
	double *values = NULL;
	int32_t *scope = NULL;
	int64_t n = 1;
	int status = gpube__visit_begin(&w, r->j->m, function, &r->j->possible);

	for (int k = w.n - 1; k >= 0 && !status; k--) {
		w.axis[k].to = n;
		n *= w.axis[k].n;
	}
	if (!status) {
		values = gpube__alloc(r->j->ctx, (uint64_t)n, sizeof(*values));
		scope = gpube__alloc(r->j->ctx, (uint64_t)w.n, sizeof(*scope));
		status = values && scope ? GPUBE_OK : GPUBE_ENOMEM;
	}
	if (!status) {
		for (int k = 0; k < w.n; k++)
			scope[k] = r->local[w.axis[k].var];
		do
			values[w.to] = gpube__visit_value(&w);
		while (gpube__visit_step(&w));
		status = gpube_model_add_potentials(to, w.n, scope, values);
		if (!status)
			to->tables[to->n_tables - 1].power = w.power;
	}
	gpube__free(r->j->ctx, w.axis);
	gpube__free(r->j->ctx, values);
	gpube__free(r->j->ctx, scope);
	return status;
}

/* Its variables are the inside, then the edge; its functions those of the inside. */
static int make_model(struct gpube_model **out, struct regions *r)
{
	int status = gpube_model_new(out, r->j->ctx, GPUBE_POTENTIALS);

	for (int32_t k = 0; k < r->n_inside + r->n_edge && !status; k++) {
		const int32_t v = k < r->n_inside ? r->inside[k] : r->edge[k - r->n_inside];

		r->local[v] = k;
		status = gpube_model_add_var(*out, NULL, domain_of(r, v), NULL);
	}
	for (int32_t k = 0; k < r->n_inside && !status; k++) {
		const int32_t v = r->inside[k];

		for (int64_t i = r->functions.start[v]; i < r->functions.start[v + 1] && !status;
			i++) {
			const int32_t f = r->functions.of[i];

			if (r->is_done[f])
				continue;
			r->is_done[f] = true;
			status = add_function(*out, r, f);
		}
	}
	for (int32_t k = 0; k < r->n_inside; k++)
		for (int64_t i = r->functions.start[r->inside[k]];
			i < r->functions.start[r->inside[k] + 1]; i++)
			r->is_done[r->functions.of[i]] = false;
	return status;
}

/* ---- what it says -------------------------------------------------------------------- */

/*
 * Of a table over the variable and the edge, as a product of several: each of the edge's values
 * gives a distribution.
 */
struct extremes {
	const struct gpube_model *m;
	int32_t var; /* in m */
	int32_t *values;
	struct gpube_wide *weight;
	double *least, *most; /* of each value of the variable */
};

static struct gpube_wide weight_of(const struct gpube_model *m, const int32_t *values)
{
	struct gpube_wide all = {0.5, 1};

	for (int32_t f = 0; f < m->n_functions && all.m != 0; f++) {
		int64_t cell = 0;

		for (int k = 0; k < m->functions[f].arity; k++)
			cell = cell * m->vars[gpube__scope(m, f)[k]].domain +
			       values[gpube__scope(m, f)[k]];
		all = gpube__wide_mul(
			all, gpube__wide(gpube__table_stored(gpube__table(m, f), cell),
				     gpube__table(m, f)->power));
	}
	return all;
}

/* The edge's next values; false after the last. */
static bool next_edge(const struct extremes *e)
{
	for (int32_t v = e->m->n_vars - 1; v >= 0; v--) {
		if (v == e->var)
			continue;
		if (++e->values[v] < e->m->vars[v].domain)
			return true;
		e->values[v] = 0;
	}
	return false;
}

static int look(const struct extremes *e, struct gpube_ctx *ctx)
{
	const int32_t n = e->m->vars[e->var].domain;
	int64_t looks = 0;

	do {
		struct gpube_wide all = {0, 0};

		if (looks++ % 4096 == 0 && gpube__stopped(ctx))
			return gpube__fail_stopped(ctx);
		for (int32_t a = 0; a < n; a++) {
			e->values[e->var] = a;
			e->weight[a] = weight_of(e->m, e->values);
			all = gpube__wide_add(all, e->weight[a]);
		}
		for (int32_t a = 0; a < n && all.m != 0; a++) {
			const int64_t up = e->weight[a].e - all.e;
			const double p = up < -1000 ? 0 : ldexp(e->weight[a].m / all.m, (int)up);

			e->least[a] = fmin(e->least[a], p);
			/* what is too small for a double is above 0 */
			e->most[a] = fmax(e->most[a], p > 0 || e->weight[a].m == 0 ? p : 0x1p-1000);
		}
	} while (next_edge(e));
	return GPUBE_OK;
}

/* Cuts the variable's intervals with these of some of its values; others have none. */
static void cut(struct regions *r, const struct gpube__inferring *sums, const struct extremes *e,
	double error)
{
	const int32_t var = r->inside[0];
	const struct gpube_possible *p = &r->j->possible, *q = &sums->possible;
	double *lower = r->lower + r->at[var], *upper = r->upper + r->at[var];
	int32_t k = 0;

	for (int32_t i = 0; i < p->n[var]; i++) {
		const int32_t a = p->values[p->first[var] + i];
		const bool occurs = k < q->n[0] && q->values[q->first[0] + k] == i;

		if (!occurs) {
			upper[a] = 0;
			continue;
		}
		lower[a] = fmax(lower[a], e->least[k] * (1 - error));
		upper[a] = fmin(upper[a], e->most[k] * (1 + error));
		k++;
	}
}

/* After the sums over the inside but for its first variable. */
static int read_off(struct regions *r, struct gpube__inferring *sums)
{
	const int32_t n = sums->possible.n[0];
	struct gpube_ctx *ctx = r->j->ctx;
	struct extremes e = {.var = -1};
	struct gpube_model *residual;
	double error;
	int status = gpube__infer_residual(&residual, sums);

	if (status)
		return status;
	e.m = residual;
	for (int32_t k = 0; k < residual->n_vars; k++)
		if (sums->var[sums->n_up + k] == 0)
			e.var = k;
	e.values = gpube__alloc_zero(ctx, (uint64_t)residual->n_vars + 1, sizeof(*e.values));
	e.weight = gpube__alloc(ctx, (uint64_t)n, sizeof(*e.weight));
	e.least = gpube__alloc(ctx, 2 * (uint64_t)n, sizeof(*e.least));
	e.most = e.least + n;
	if (!e.values || !e.weight || !e.least)
		status = GPUBE_ENOMEM;
	for (int32_t a = 0; a < n && !status; a++) {
		e.least[a] = e.var < 0 ? 1 : INFINITY;
		e.most[a] = e.var < 0 ? 1 : 0;
	}
	if (!status && e.var >= 0)
		status = look(&e, ctx);
	/* of the weight, and of the sum of all */
	error = gpube__infer_error(2 * (sums->roundings + residual->n_functions + n + 4));
	if (!status && !isinf(e.least[0]))
		cut(r, sums, &e, error);
	gpube__free(ctx, e.values);
	gpube__free(ctx, e.weight);
	gpube__free(ctx, e.least);
	gpube_model_free(residual);
	return status;
}

/* Sums over the inside in the order in which it came, the first variable and the edge stay. */
static int sum_region(struct regions *r, const struct gpube_model *m)
{
	const int32_t n = m->n_vars;
	struct gpube_ctx *ctx = r->j->ctx;
	int32_t *order = gpube__alloc(ctx, (uint64_t)n, sizeof(*order));
	bool *last = gpube__alloc(ctx, (uint64_t)n, sizeof(*last));
	const struct gpube_opts opts = {
		.order_method = GPUBE_ORDER_GIVEN, .order = order, .backend = GPUBE_BACKEND_CPU};
	struct gpube_inference out = {0};
	struct gpube__inferring sums = {
		.m = m, .ctx = ctx, .opts = &opts, .out = &out, .last = last, .n_slices = 1};
	int status = order && last ? GPUBE_OK : GPUBE_ENOMEM;

	for (int32_t k = 0; k < n && !status; k++) {
		order[k] = (k + 1) % n;
		last[k] = k == 0 || k >= r->n_inside;
	}
	if (!status)
		status = gpube__infer_begin(&sums);
	if (!status && !sums.possible.none) {
		status = gpube__infer_plan(&sums);
		if (!status)
			status = gpube__infer_up(&sums);
		if (!status)
			status = read_off(r, &sums);
	}
	gpube__infer_clear(&sums);
	gpube__free(ctx, order);
	gpube__free(ctx, last);
	return status == GPUBE_ELIMIT ? GPUBE_OK : status;
}

static int bound_around(struct regions *r, int32_t var, double most)
{
	struct gpube_model *m = NULL;
	int status = GPUBE_OK;

	grow(r, var, most);
	if (r->edge_cells <= most) {
		status = make_model(&m, r);
		if (!status)
			status = sum_region(r, m);
	}
	gpube_model_free(m);
	forget_region(r);
	return status;
}

/* ---- all ----------------------------------------------------------------------------- */

static void begin_intervals(struct regions *r)
{
	const struct gpube_possible *p = &r->j->possible;
	int64_t at = 0;

	for (int32_t i = 0; i < r->j->m->n_vars; i++) {
		r->at[i] = at;
		for (int32_t k = 0; k < p->n[i]; k++) {
			r->upper[at + p->values[p->first[i] + k]] = 1;
			r->lower[at + p->values[p->first[i] + k]] = p->n[i] == 1;
		}
		r->local[i] = OUTSIDE;
		at += r->j->m->vars[i].domain;
	}
}

/* What the others leave, for the values of a variable add up to 1. */
static void take_rest(struct regions *r, int32_t var)
{
	const int32_t n = r->j->m->vars[var].domain;
	double *lower = r->lower + r->at[var], *upper = r->upper + r->at[var], least = 0, most = 0;
	const double slack = 4 * 0x1p-53 * n;

	for (int32_t a = 0; a < n; a++) {
		least += lower[a];
		most += upper[a];
	}
	for (int32_t a = 0; a < n; a++) {
		const double to = 1 - (least - lower[a]) + slack,
			     from = 1 - (most - upper[a]) - slack;

		if (domain_of(r, var) > 1 && upper[a] > 0) {
			upper[a] = fmin(upper[a], to);
			lower[a] = fmax(lower[a], from);
		}
	}
}

static int regions_begin(struct regions *r)
{
	struct gpube_ctx *ctx = r->j->ctx;
	const struct gpube_model *m = r->j->m;
	const uint64_t n = (uint64_t)m->n_vars;
	int status;

	r->at = gpube__alloc(ctx, n, sizeof(*r->at));
	r->inside = gpube__alloc(ctx, 3 * n, sizeof(*r->inside));
	r->is_done = gpube__alloc_zero(ctx, (uint64_t)m->n_functions, sizeof(*r->is_done));
	if (!r->at || !r->inside || !r->is_done)
		return GPUBE_ENOMEM;
	r->edge = r->inside + n;
	r->local = r->edge + n;
	begin_intervals(r);
	status = gpube__incidence_of_model(&r->functions, m);
	return status ? status : gpube__graph_of_model(&r->graph, m);
}

int gpube__infer_intervals(struct gpube__inferring *j, double most_cells, double until)
{
	struct regions r = {.j = j};
	const uint64_t n = (uint64_t)gpube__infer_n_values(j->m);
	gpube_log_fn *told = j->ctx->log;
	int status = GPUBE_OK;

	if (!j->out->marginals_lower) {
		j->out->marginals_lower = gpube__alloc_zero(j->ctx, n, sizeof(double));
		j->out->marginals_upper = gpube__alloc_zero(j->ctx, n, sizeof(double));
	}
	r.lower = j->out->marginals_lower;
	r.upper = j->out->marginals_upper;
	if (!r.lower || !r.upper)
		return GPUBE_ENOMEM;
	status = regions_begin(&r);
	j->ctx->log = NULL; /* of thousands of small sums */
	most_cells = fmin(most_cells, (double)j->ctx->memory_bytes / 64);
	for (double cells = FIRST_EDGE; cells <= fmin(LAST_EDGE, most_cells) && !status;
		cells *= GROWTH)
		for (int32_t i = 0; i < j->m->n_vars && !status; i++) {
			if (domain_of(&r, i) < 2)
				continue;
			if (gpube__stopped(j->ctx) || (until > 0 && gpube__now() >= until))
				status = GPUBE_ESTOP;
			else
				status = bound_around(&r, i, cells);
			if (!status)
				take_rest(&r, i);
		}
	j->ctx->log = told;
	gpube__incidence_clear(j->ctx, &r.functions);
	gpube__graph_clear(j->ctx, &r.graph);
	gpube__free(j->ctx, r.at);
	gpube__free(j->ctx, r.inside);
	gpube__free(j->ctx, r.is_done);
	return status == GPUBE_ESTOP || status == GPUBE_ELIMIT ? GPUBE_OK : status;
}
