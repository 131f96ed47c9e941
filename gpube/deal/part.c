/* part.c - see part.h. */
#include "gpube/deal/part.h"
#include "gpube/options/options.h"

#include <math.h>
#include <string.h>

#include "gpube/ir/dense.h"
#include "gpube/order/split_var.h"
#include "gpube/order/elimination.h"
#include "gpube/order/order.h"
#include "gpube/simplify/simplify.h"

/* ---- a part as a model --------------------------------------------------------------------- */

static int restrict_to(struct gpube_model *part, int32_t var, const int32_t *values, int32_t n)
{
	const int32_t domain = part->vars[var].domain;
	int64_t *costs = gpube__alloc(part->ctx, (uint64_t)domain, sizeof(*costs));
	int status = costs ? GPUBE_OK : GPUBE_ENOMEM;

	for (int32_t a = 0; costs && a < domain; a++)
		costs[a] = GPUBE_INF;
	for (int32_t k = 0; k < n && !status; k++) {
		if (values[k] < 0 || values[k] >= domain)
			status = GPUBE_EINVAL;
		else
			costs[values[k]] = 0;
	}
	if (!status)
		status = gpube_model_add_costs(part, 1, &var, costs);
	gpube__free(part->ctx, costs);
	return status;
}

int gpube__part_open(struct gpube_model *part, struct gpube_ctx *ctx, const struct gpube_model *m,
	const int32_t *row, int32_t n)
{
	int status = gpube__model_borrow(part, ctx, m);

	for (int32_t at = 0; at < n && !status;) {
		const int32_t values = at + 2 <= n ? row[at + 1] : -1;

		if (values < 1 || values > n - at - 2 || row[at] < 0 || row[at] >= m->n_vars)
			status = GPUBE_EINVAL;
		else
			status = restrict_to(part, row[at], row + at + 2, values);
		at += 2 + values;
	}
	if (status == GPUBE_EINVAL)
		status = gpube__fail(ctx, GPUBE_EINVAL, "a subproblem is not of this model");
	if (status)
		gpube__model_return(part, m);
	return status;
}

/* ---- splitting ----------------------------------------------------------------------- */

/* Variables that one split takes. */
enum { MOST_SPLIT = 12 };

struct splitting {
	struct gpube_ctx *ctx;
	struct gpube_simplified s;
	struct gpube_graph graph;
	struct gpube_elimination e;
	int32_t *order, *given; /* of each simplified variable: a given one that it stands for */
	double *weight;         /* by position */
	int n_vars;
	/* given variables, and into how many groups of values each */
	int32_t var[MOST_SPLIT], groups[MOST_SPLIT];
};

static int prepare(struct splitting *sp, const struct gpube_model *part)
{
	struct gpube_order_cost cost;
	int status = gpube__simplify_below(&sp->s, part, GPUBE__REDUCE, GPUBE__BELOW);
	const struct gpube_model *m = sp->s.model;

	if (status || sp->s.infeasible)
		return status;
	sp->order = gpube__alloc(sp->ctx, (uint64_t)m->n_vars, sizeof(*sp->order));
	sp->given = gpube__alloc(sp->ctx, (uint64_t)m->n_vars, sizeof(*sp->given));
	sp->weight = gpube__alloc(sp->ctx, (uint64_t)m->n_vars, sizeof(*sp->weight));
	if (!sp->order || !sp->given || !sp->weight)
		return GPUBE_ENOMEM;
	for (int32_t i = sp->s.n_vars - 1; i >= 0; i--)
		if (sp->s.var[i] >= 0)
			sp->given[sp->s.var[i]] = i;
	status = gpube__graph_of_model(&sp->graph, m);
	if (!status)
		status = gpube__order_find(
			sp->ctx, sp->order, &cost, &sp->graph, GPUBE_ORDER_MIN_FILL, 0, 1e9, 0);
	return status ? status : gpube__eliminate_graph(&sp->e, sp->ctx, &sp->graph, sp->order);
}

static double log_joined(const struct splitting *sp, int32_t k)
{
	double sum = log2(sp->graph.domain[sp->order[k]]);

	for (int64_t at = sp->e.at[k]; at < sp->e.at[k + 1]; at++)
		sum += log2(sp->graph.domain[sp->order[sp->e.scope[at]]]);
	return sum;
}

/* The cells of the joined tables that each is in, as parts of the largest one. */
static void weigh(struct splitting *sp)
{
	double largest = 0;

	memset(sp->weight, 0, (size_t)sp->e.n * sizeof(*sp->weight));
	for (int32_t k = 0; k < sp->e.n; k++)
		largest = fmax(largest, log_joined(sp, k));
	for (int32_t k = 0; k < sp->e.n; k++) {
		const double cells = exp2(log_joined(sp, k) - largest);

		sp->weight[k] += cells;
		for (int64_t at = sp->e.at[k]; at < sp->e.at[k + 1]; at++)
			sp->weight[sp->e.scope[at]] += cells;
	}
	for (int32_t k = 0; k < sp->e.n; k++)
		if (sp->graph.domain[sp->order[k]] < 2)
			sp->weight[k] = 0;
}

static int64_t choose(struct splitting *sp, int32_t wanted)
{
	int64_t parts = 1;

	while (parts < wanted && sp->n_vars < MOST_SPLIT) {
		int32_t at[GPUBE__SPLIT_VAR_CANDIDATES], v, domain;

		weigh(sp);
		if (!gpube__split_var_candidates(at, sp->weight, sp->e.n))
			break;
		v = sp->order[at[0]];
		domain = sp->graph.domain[v];
		sp->var[sp->n_vars] = sp->given[v];
		sp->groups[sp->n_vars] = (int32_t)((wanted + parts - 1) / parts);
		if (sp->groups[sp->n_vars] > domain)
			sp->groups[sp->n_vars] = domain;
		parts *= sp->groups[sp->n_vars++];
		sp->graph.domain[v] = 1;
	}
	return parts;
}

static int append(struct splitting *sp, struct gpube_rows *rows, const int32_t *words, int32_t n)
{
	if (gpube__grow(
		    sp->ctx, &rows->words, &rows->capacity, (int64_t)rows->n + n, sizeof(*words)))
		return GPUBE_ENOMEM;
	if (n)
		memcpy(rows->words + rows->n, words, (size_t)n * sizeof(*words));
	rows->n += n;
	return GPUBE_OK;
}

/* Group g of the values of variable k that was chosen. */
static int append_group(struct splitting *sp, struct gpube_rows *rows, int k, int64_t g)
{
	const int32_t i = sp->var[k], *values = sp->s.values[i];
	const int64_t domain = sp->s.model->vars[sp->s.var[i]].domain, n = sp->groups[k];
	const int32_t first = (int32_t)(g * domain / n), end = (int32_t)((g + 1) * domain / n);
	const int32_t head[] = {i, end - first};
	int status = append(sp, rows, head, 2);

	for (int32_t a = first; a < end && !status; a++)
		status = append(sp, rows, values ? &values[a] : &a, 1);
	return status;
}

static int append_row(
	struct splitting *sp, struct gpube_rows *rows, const int32_t *row, int32_t n, int64_t which)
{
	const int32_t length_at = rows->n;
	int status = append(sp, rows, &n, 1);

	if (!status)
		status = append(sp, rows, row, n);
	for (int k = 0; k < sp->n_vars && !status; k++) {
		status = append_group(sp, rows, k, which % sp->groups[k]);
		which /= sp->groups[k];
	}
	if (!status)
		rows->words[length_at] = rows->n - length_at - 1;
	rows->n_rows++;
	return status;
}

int gpube__part_split(struct gpube_rows *out, const struct gpube_model *part, const int32_t *row,
	int32_t n, int32_t wanted)
{
	struct splitting sp = {.ctx = part->ctx};
	int64_t parts = 0;
	int status = prepare(&sp, part);

	*out = (struct gpube_rows){.bound = INT64_MIN};
	if (!status && !sp.s.infeasible) {
		out->bound = gpube__constant_of(sp.s.model);
		parts = choose(&sp, wanted);
	}
	for (int64_t k = 0; k < parts && !status; k++)
		status = append_row(&sp, out, row, n, k);
	gpube__elimination_clear(&sp.e, sp.ctx);
	gpube__graph_clear(sp.ctx, &sp.graph);
	gpube__free(sp.ctx, sp.order);
	gpube__free(sp.ctx, sp.given);
	gpube__free(sp.ctx, sp.weight);
	gpube__simplified_clear(sp.ctx, &sp.s);
	if (status)
		gpube__rows_clear(part->ctx, out);
	return status;
}

void gpube__rows_clear(struct gpube_ctx *ctx, struct gpube_rows *rows)
{
	gpube__free(ctx, rows->words);
	*rows = (struct gpube_rows){0};
}
