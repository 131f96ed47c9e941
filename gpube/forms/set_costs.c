/* set_costs.c - see set_costs.h. */
#include "gpube/forms/set_costs.h"
#include "gpube/options/options.h"

#include <stdio.h>

#include "gpube/order/order.h"

#define MOST_CELLS ((int64_t)1 << 26)

static int64_t n_of(const struct gpube__bidders *o, int good)
{
	return o->start[good + 1] - o->start[good];
}

static int new_model(struct gpube_model **m, const struct gpube__sets *s)
{
	int status = gpube_model_new(m, s->b.ctx, GPUBE_COSTS);

	if (!status)
		status = gpube_model_set_direction(*m, GPUBE_MAXIMISE);
	return status ? status : gpube_model_set_scale(*m, s->b.scale);
}

/* ---- a variable a set ------------------------------------------------------------------- */

static int add_set(struct gpube_model *m, const struct gpube__sets *s, int b)
{
	const int64_t prices[] = {0, s->b.price[b]};
	char name[GPUBE__NAME];
	int32_t var;
	int status;

	s->set_name(name, s->arg, b);
	status = gpube__put_var(m, &var, 2, name);
	return status ? status : gpube_model_add_costs(m, 1, &var, prices);
}

/* Sets before b that share a good with it exclude it, each once, by one table. */
static int exclude(struct gpube_model *m, const struct gpube__sets *s,
	const struct gpube__bidders *o, int b, int32_t *mark, int32_t *table)
{
	static const int64_t costs[] = {0, 0, 0, GPUBE_INF};
	int status = GPUBE_OK;

	for (int64_t k = s->b.at[b]; k < s->b.at[b + 1]; k++)
		for (int64_t j = o->start[s->b.good[k]]; o->bid[j] < b && !status; j++) {
			const int32_t scope[] = {o->bid[j], b};

			if (mark[o->bid[j]] == b)
				continue;
			mark[o->bid[j]] = b;
			if (*table >= 0) {
				status = gpube__add_function(m, 2, scope, *table, NULL);
				continue;
			}
			status = gpube_model_add_costs(m, 2, scope, costs);
			*table = m->n_functions ? m->functions[m->n_functions - 1].table : -1;
		}
	return status;
}

static int model_of_sets(
	struct gpube_model **out, const struct gpube__sets *s, const struct gpube__bidders *o)
{
	int32_t *mark = gpube__alloc(s->b.ctx, (uint64_t)s->b.n_bids + 1, sizeof(*mark)),
		table = -1;
	int status = mark ? new_model(out, s) : GPUBE_ENOMEM;

	for (int b = 0; b < s->b.n_bids && !status; b++) {
		mark[b] = -1;
		status = add_set(*out, s, b);
	}
	for (int b = 0; b < s->b.n_bids && !status; b++)
		status = gpube__stopped(s->b.ctx) ? gpube__fail_stopped(s->b.ctx)
						  : exclude(*out, s, o, b, mark, &table);
	gpube__free(s->b.ctx, mark);
	return status;
}

/* ---- a variable a good ------------------------------------------------------------------- */

/* The value of a good's variable that is this set; the sets of a good are rising. */
static int32_t value_of(
	const struct gpube__sets *s, const struct gpube__bidders *o, int good, int32_t set)
{
	const int32_t *sets = o->bid + o->start[good];

	return gpube__first_from32(sets, (int32_t)n_of(o, good), set) + !s->all;
}

static int name_values(struct gpube_variable *v, const struct gpube__sets *s,
	const struct gpube__bidders *o, int good)
{
	char name[GPUBE__NAME];

	for (int32_t a = 0; a < v->domain; a++) {
		if (a == 0 && !s->all)
			snprintf(name, sizeof(name), "none");
		else
			s->set_name(name, s->arg, o->bid[o->start[good] + a - !s->all]);
		if (gpube__put_value_name(v, s->b.ctx, a, name))
			return GPUBE_ENOMEM;
	}
	return GPUBE_OK;
}

/* A good that nothing may take where each has to be taken: then no choice is allowed. */
static int add_nothing(struct gpube_model *m, int32_t var)
{
	static const int64_t forbidden = GPUBE_INF;

	return gpube_model_add_costs(m, 1, &var, &forbidden);
}

static int add_good(struct gpube_model *m, const struct gpube__sets *s,
	const struct gpube__bidders *o, int good)
{
	const int64_t n = n_of(o, good), domain = n + !s->all;
	char name[GPUBE__NAME];
	int64_t *prices;
	int32_t var;
	int status;

	s->good_name(name, s->arg, good);
	status = gpube__put_var(m, &var, domain ? (int32_t)domain : 1, name);
	if (status || domain == 0)
		return status ? status : add_nothing(m, var);
	status = name_values(&m->vars[var], s, o, good);
	if (status)
		return status;
	prices = gpube__alloc_zero(s->b.ctx, (uint64_t)domain, sizeof(*prices));
	if (!prices)
		return GPUBE_ENOMEM;
	for (int64_t k = 0; k < n; k++) {
		const int32_t b = o->bid[o->start[good] + k];

		/* the first of its goods pays */
		prices[k + !s->all] = s->b.good[s->b.at[b]] == good ? s->b.price[b] : 0;
	}
	status = gpube_model_add_costs(m, 1, &var, prices);
	gpube__free(s->b.ctx, prices);
	return status;
}

/*
 * Goods g and h: of the sets that begin with g and have h, both have the same, or neither has one.
 */
static int add_pair(struct gpube_model *m, const struct gpube__sets *s,
	const struct gpube__bidders *o, const int32_t scope[2], const int32_t *sets, int32_t n)
{
	const int64_t rows = m->vars[scope[0]].domain, columns = m->vars[scope[1]].domain;
	int64_t *cell = gpube__alloc_zero(s->b.ctx, (uint64_t)(rows * columns), sizeof(*cell));
	int status;

	if (!cell)
		return GPUBE_ENOMEM;
	for (int32_t k = 0; k < n; k++) {
		const int32_t a = value_of(s, o, scope[0], sets[k]),
			      b = value_of(s, o, scope[1], sets[k]);

		for (int64_t c = 0; c < columns; c++)
			cell[a * columns + c] = GPUBE_INF;
		for (int64_t r = 0; r < rows; r++)
			cell[r * columns + b] = GPUBE_INF;
	}
	for (int32_t k = 0; k < n; k++)
		cell[value_of(s, o, scope[0], sets[k]) * columns +
			value_of(s, o, scope[1], sets[k])] = 0;
	status = gpube_model_add_costs(m, 2, scope, cell);
	gpube__free(s->b.ctx, cell);
	return status;
}

/* The pairs of good g and the others of sets that begin with it. 'sets': room for all */
static int add_pairs(struct gpube_model *m, const struct gpube__sets *s,
	const struct gpube__bidders *o, int good, int32_t *sets)
{
	int status = GPUBE_OK;

	for (int32_t h = 0; h < s->b.n_goods && !status; h++) {
		const int32_t scope[] = {good, h};
		int64_t i = o->start[good], j = o->start[h];
		int32_t n = 0;

		if (h == good)
			continue;
		while (i < o->start[good + 1] && j < o->start[h + 1]) {
			if (o->bid[i] == o->bid[j] && s->b.good[s->b.at[o->bid[i]]] == good)
				sets[n++] = o->bid[i];
			if (o->bid[i] < o->bid[j])
				i++;
			else
				j++;
		}
		if (n)
			status = add_pair(m, s, o, scope, sets, n);
	}
	return status;
}

static int model_of_goods(
	struct gpube_model **out, const struct gpube__sets *s, const struct gpube__bidders *o)
{
	int32_t *sets = gpube__alloc(s->b.ctx, (uint64_t)s->b.n_bids + 1, sizeof(*sets));
	int status = sets ? new_model(out, s) : GPUBE_ENOMEM;

	for (int g = 0; g < s->b.n_goods && !status; g++)
		status = add_good(*out, s, o, g);
	for (int g = 0; g < s->b.n_goods && !status; g++)
		status = gpube__stopped(s->b.ctx) ? gpube__fail_stopped(s->b.ctx)
						  : add_pairs(*out, s, o, g, sets);
	/* a set without goods is chosen by itself */
	for (int b = 0; b < s->b.n_bids && !status; b++)
		if (s->b.at[b] == s->b.at[b + 1])
			status = add_set(*out, s, b);
	gpube__free(s->b.ctx, sets);
	return status;
}

/* ---- which ------------------------------------------------------------------------------- */

/* Cells of the tables, at most: of pairs of sets, of pairs of goods. */
static void count_cells(
	double cells[2], const struct gpube__sets *s, const struct gpube__bidders *o)
{
	cells[0] = 2.0 * s->b.n_bids;
	cells[1] = 0;
	for (int g = 0; g < s->b.n_goods; g++) {
		cells[0] += 2.0 * (double)n_of(o, g) * (double)n_of(o, g);
		for (int h = g + 1; h < s->b.n_goods; h++)
			if (n_of(o, g) && n_of(o, h))
				cells[1] += (double)(n_of(o, g) + 1) * (double)(n_of(o, h) + 1);
	}
}

static int joined_cells(double *cells, const struct gpube_model *m)
{
	struct gpube_order_cost cost;
	struct gpube_graph graph;
	int32_t *order = gpube__alloc(m->ctx, (uint64_t)m->n_vars + 1, sizeof(*order));
	int status = order ? gpube__graph_of_model(&graph, m) : GPUBE_ENOMEM;

	if (!status) {
		status = gpube__order_find(
			m->ctx, order, &cost, &graph, GPUBE_ORDER_MIN_FILL, 0, 1e9, 0);
		gpube__graph_clear(m->ctx, &graph);
		*cells = cost.joined_cells;
	}
	gpube__free(m->ctx, order);
	return status;
}

/* Both, and the better one stays. */
static int choose(
	struct gpube_model **out, const struct gpube__sets *s, const struct gpube__bidders *o)
{
	struct gpube_model *other = NULL;
	double cells[2];
	int status = model_of_goods(&other, s, o);

	if (!status)
		status = joined_cells(&cells[1], other);
	if (!status)
		status = model_of_sets(out, s, o);
	if (!status)
		status = joined_cells(&cells[0], *out);
	if (!status && cells[1] < cells[0]) {
		gpube_model_free(*out);
		*out = other;
		return GPUBE_OK;
	}
	gpube_model_free(other);
	return status;
}

int gpube__sets_costs(struct gpube_model **out, const struct gpube__sets *s)
{
	struct gpube__bidders o = {0};
	double cells[2];
	int status = gpube__bidders_init(&o, &s->b);

	*out = NULL;
	if (!status) {
		count_cells(cells, s, &o);
		if (!s->all && cells[0] <= (double)MOST_CELLS && cells[1] <= (double)MOST_CELLS)
			status = choose(out, s, &o);
		else if (!s->all && cells[0] <= (double)MOST_CELLS)
			status = model_of_sets(out, s, &o);
		else if (cells[1] <= (double)MOST_CELLS)
			status = model_of_goods(out, s, &o);
		else
			status = gpube__fail(s->b.ctx, GPUBE_ELIMIT,
				"%d sets of %d goods: as a model they have more than %lld cells "
				"of tables",
				s->b.n_bids, s->b.n_goods, (long long)MOST_CELLS);
	}
	gpube__bidders_clear(&o, s->b.ctx);
	return gpube__model_made(out, status);
}
