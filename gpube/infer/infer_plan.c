/* infer_plan.c - an elimination order, the buckets along it, and what they take: see infer.h. */
#include "gpube/infer/infer.h"
#include "gpube/options/options.h"
#include "gpube/ops/pick.h"
#include "gpube/order/elimination.h"
#include "gpube/order/order.h"

#include <math.h>
#include <string.h>

/*
 * What a core of ordinary machines does of joined cells, up, and up and down; orders are searched
 * as long as pays.
 */
#define CELLS_UP      1.2e9
#define CELLS_UP_DOWN 4e8

/* A quick order whose largest table passes the memory so many times is not searched on. */
#define HOPELESS 0x1p30

/* ---- the order ----------------------------------------------------------------------- */

/* The structure of what is left: functions without tables over the variables that are not fixed. */
static int skeleton(struct gpube_model **out, struct gpube__inferring *j)
{
	const struct gpube_model *m = j->m;
	int32_t *scope = NULL;
	int status = gpube_model_new(out, j->ctx, GPUBE_POTENTIALS), most = 0;

	for (int32_t f = 0; f < m->n_functions; f++)
		most = m->functions[f].arity > most ? m->functions[f].arity : most;
	if (!status) {
		scope = gpube__alloc(j->ctx, (uint64_t)most, sizeof(*scope));
		status = scope ? GPUBE_OK : GPUBE_ENOMEM;
	}
	for (int32_t k = 0; k < j->n && !status; k++)
		status = gpube_model_add_var(*out, NULL, gpube__infer_domain(j, k), NULL);
	for (int32_t f = 0; f < m->n_functions && !status; f++) {
		struct gpube_table t = {.type = GPUBE_FLOAT64, .sparse = true};

		for (int k = 0; k < m->functions[f].arity; k++)
			if (j->position[gpube__scope(m, f)[k]] >= 0)
				scope[t.arity++] = j->position[gpube__scope(m, f)[k]];
		if (t.arity > 0)
			status = gpube__add_table_over(*out, scope, &t, NULL);
	}
	gpube__free(j->ctx, scope);
	return status;
}

static bool is_last(const struct gpube__inferring *j, int32_t var)
{
	return j->last && j->last[var];
}

/* The given order without the variables that are fixed; those that are last follow the others. */
static void take_order(struct gpube__inferring *j, int32_t *order)
{
	int32_t n = 0;

	for (int last = 0; last < 2; last++)
		for (int32_t k = 0; k < j->m->n_vars; k++) {
			const int32_t var = j->opts->order[k];

			if (j->position[var] >= 0 && is_last(j, var) == last)
				order[n++] = j->position[var];
		}
}

/* Some variables stay. */
static int search_last(struct gpube__inferring *j, int32_t *order, struct gpube_order_cost *cost,
	const struct gpube_graph *graph, double rate)
{
	bool *last = gpube__alloc(j->ctx, (uint64_t)j->n, sizeof(*last));
	int status;

	if (!last)
		return GPUBE_ENOMEM;
	for (int32_t k = 0; k < j->n; k++)
		last[k] = j->last[j->var[k]];
	status = gpube__order_find_last(j->ctx, order, cost, graph, last, rate, j->opts->seed);
	gpube__free(j->ctx, last);
	return status;
}

/* A card that would be used makes long searches pointless. */
static int expect_card(
	struct gpube__inferring *j, const struct gpube_order_cost *cost, double *rate)
{
	const struct gpube_ops *ops;
	int status = gpube__pick_early(
		&ops, j->ctx, j->opts->backend, cost->joined_cells, cost->largest_message, false);

	if (!status && ops != gpube__ops_cpu())
		*rate = fmax(*rate, GPUBE_CARD_CELLS_PER_SECOND);
	return status;
}

/* Of the time that is left, for an order; the rest is for sums along it, or for bounds. */
#define ORDER_SHARE 0.25
/*
 * For one of a sum that does not end in time. A search that gains nothing for half a second may
 * gain after: c1908's got 15 times as good.
 */
#define ORDER_SECONDS 10

/* As long as it pays; of what does not end in time, whose bounds are sums along it, longer. */
static int search_as_it_pays(struct gpube__inferring *j, struct gpube_order_search *search,
	int32_t *order, struct gpube_order_cost *cost, double rate)
{
	const double left = gpube__seconds_left(j->ctx), deadline = j->ctx->deadline;
	const bool ends = j->opts->bounds && deadline > 0;
	int status;

	struct gpube_order_time time = gpube__order_as_it_pays(j->opts->order_seconds);

	/* what is drawn goes by the order, which must not depend on the clock */
	if (j->opts->draw && time.pays)
		time = (struct gpube_order_time){.most = INFINITY, .pays = true};
	if (ends)
		gpube__end_by(j->ctx, gpube__now() + ORDER_SHARE * left);
	status = gpube__order_search_go(search, time, rate);
	if (!status)
		gpube__order_search_best(search, order, cost);
	if (!status && ends && !(j->opts->order_seconds > 0) && cost->joined_cells > left * rate) {
		status = gpube__order_search_go(
			search, (struct gpube_order_time){.most = ORDER_SECONDS}, rate);
		if (!status)
			gpube__order_search_best(search, order, cost);
	}
	j->ctx->deadline = deadline;
	return status;
}

/* Searches as the options say, unless it is clear at once that no order will fit. */
static int search(struct gpube__inferring *j, int32_t *order, struct gpube_order_cost *cost,
	const struct gpube_graph *graph, double rate)
{
	const struct gpube_opts *o = j->opts;
	struct gpube_order_search *search;
	int status;

	if (o->order_method != GPUBE_ORDER_AUTO)
		return gpube__order_find(
			j->ctx, order, cost, graph, o->order_method, 0, rate, o->seed);
	status = gpube__order_search_new(&search, j->ctx, graph, o->seed);
	if (status)
		return status;
	gpube__order_search_best(search, order, cost);
	if (!(o->order_seconds > 0) && cost->largest_message > 0)
		status = expect_card(j, cost, &rate);
	if (!status && (o->order_seconds > 0 || cost->largest_message / HOPELESS * sizeof(double) <=
							(double)j->ctx->memory_bytes))
		status = search_as_it_pays(j, search, order, cost, rate);
	gpube__order_search_free(search);
	return status;
}

/* Variables get the places of the order: order[k] is the one that had place order[k] before. */
static int find_order(
	struct gpube__inferring *j, struct gpube_graph *graph, int32_t *order, int32_t *var)
{
	struct gpube_plan *plan = &j->out->plan;
	struct gpube_model *shape = NULL;
	struct gpube_order_cost cost = {0};
	const double rate =
		(j->opts->task == GPUBE_INFER_MAR ? CELLS_UP_DOWN : CELLS_UP) * j->ctx->n_threads;
	int status = skeleton(&shape, j);

	if (!status)
		status = gpube__graph_of_model(graph, shape);
	if (!status && j->opts->order_method == GPUBE_ORDER_GIVEN) {
		take_order(j, order);
		status = gpube__order_cost_before(j->ctx, &cost, graph, order, j->n_up);
	} else if (!status && j->n_up < j->n) {
		status = search_last(j, order, &cost, graph, rate);
	} else if (!status) {
		status = search(j, order, &cost, graph, rate);
	}
	if (!status) {
		plan->n_functions = shape->n_functions;
		plan->n_components = gpube__graph_components(j->ctx, graph, var);
		plan->width = cost.width;
		plan->joined_cells = cost.joined_cells;
		plan->largest_joined = cost.largest_joined;
		plan->largest_message = cost.largest_message;
		plan->predicted_seconds = cost.joined_cells / rate;
		for (int32_t k = 0; k < j->n; k++)
			var[k] = j->var[order[k]];
		memcpy(j->var, var, (size_t)j->n * sizeof(*var));
		for (int32_t k = 0; k < j->n; k++)
			j->position[var[k]] = k;
	}
	gpube_model_free(shape);
	return status;
}

/* ---- buckets ------------------------------------------------------------------------- */

/* The bucket of a function: that of its variable which is eliminated first; -1: all are fixed. */
static int32_t bucket_of(const struct gpube__inferring *j, int32_t function)
{
	int32_t first = -1;

	for (int k = 0; k < j->m->functions[function].arity; k++) {
		const int32_t p = j->position[gpube__scope(j->m, function)[k]];

		if (p >= 0 && (first < 0 || p < first))
			first = p;
	}
	return first;
}

static void hand_out(struct gpube__inferring *j)
{
	int64_t at = 0;

	for (int32_t f = 0; f < j->m->n_functions; f++)
		if (bucket_of(j, f) >= 0)
			j->buckets[bucket_of(j, f)].n_functions++;
	for (int32_t b = 0; b < j->n; b++) {
		j->buckets[b].functions_at = at;
		at += j->buckets[b].n_functions;
		j->buckets[b].n_functions = 0;
		j->buckets[b].parent = j->buckets[b].child = j->buckets[b].sibling = -1;
	}
	for (int32_t f = 0; f < j->m->n_functions; f++) {
		struct gpube_sum_bucket *bucket;

		if (bucket_of(j, f) < 0)
			continue;
		bucket = &j->buckets[bucket_of(j, f)];
		j->functions[bucket->functions_at + bucket->n_functions++] = f;
	}
}

/* The scope of each bucket's joined table, and whose child it is. */
static int join(struct gpube__inferring *j, const struct gpube_graph *graph, const int32_t *order)
{
	struct gpube_elimination e;
	int status = gpube__eliminate_graph(&e, j->ctx, graph, order);

	if (!status) {
		j->scopes = gpube__alloc(j->ctx, (uint64_t)(e.at[e.n] + e.n), sizeof(*j->scopes));
		status = j->scopes ? GPUBE_OK : GPUBE_ENOMEM;
	}
	for (int32_t b = 0; b < e.n && !status; b++) {
		struct gpube_sum_bucket *bucket = &j->buckets[b];

		bucket->scope_at = e.at[b] + b;
		bucket->arity = (int)gpube__n_scope(&e, b) + 1;
		j->scopes[bucket->scope_at] = b;
		for (int k = 1; k < bucket->arity; k++)
			j->scopes[bucket->scope_at + k] = e.scope[e.at[b] + k - 1];
		bucket->parent = gpube__message_to(&e, b);
		if (bucket->parent >= 0) {
			bucket->sibling = j->buckets[bucket->parent].child;
			j->buckets[bucket->parent].child = b;
			j->buckets[bucket->parent].n_children++;
		}
	}
	gpube__elimination_clear(&e, j->ctx);
	return status;
}

/* ---- memory -------------------------------------------------------------------------- */

static double message_cells(const struct gpube__inferring *j, int32_t b)
{
	double cells = 1;

	for (int k = 1; k < j->buckets[b].arity; k++)
		cells *= gpube__infer_domain(j, gpube__infer_scope(j, b)[k]);
	return cells;
}

static double function_cells(const struct gpube__inferring *j, int32_t b)
{
	double all = 0;

	for (int k = 0; k < j->buckets[b].n_functions; k++) {
		const int32_t f = j->functions[j->buckets[b].functions_at + k];
		double cells = 1;

		for (int i = 0; i < j->m->functions[f].arity; i++)
			cells *= gpube__n_possible(&j->possible, gpube__scope(j->m, f)[i]);
		all += cells;
	}
	return all;
}

bool gpube__infer_is_spare(const struct gpube__inferring *j, int32_t b)
{
	return j->buckets[b].is_spare && !j->side;
}

/*
 * Where what came from above has numbers so many powers of two apart, weights have fewer: the least
 * of them become 0.
 */
#define WIDE 400

bool gpube__infer_is_apart(const struct gpube__inferring *j, int32_t b, int32_t c)
{
	const struct gpube_sum_bucket *bucket = &j->buckets[b];
	const bool is_wide =
		bucket->message.powers || bucket->message.top - bucket->message.least > WIDE;

	return j->buckets[c].is_apart && !j->side && (bucket->is_chain || !is_wide);
}

/*
 * What the tables of children take that go down beside those that came up: of those with all
 * variables that are not summed apart there is one.
 */
static double going_down(const struct gpube__inferring *j, int32_t b)
{
	double cells = 0;
	bool whole = false;

	for (int32_t c = j->buckets[b].child; c >= 0; c = j->buckets[c].sibling) {
		const bool all = j->buckets[c].arity - 1 == j->buckets[b].arity &&
				 !gpube__infer_is_apart(j, b, c);

		cells += !all || !whole ? message_cells(j, c) : 0;
		whole = whole || all;
	}
	return cells;
}

/*
 * Bytes at the worst moment: of the upward pass, and of the downward one, which has most messages
 * kept.
 */
double gpube__infer_peak(const struct gpube__inferring *j)
{
	const bool down = j->opts->task == GPUBE_INFER_MAR;
	double alive = 0, most = 0;

	for (int32_t b = 0; b < j->n_up; b++) {
		alive += message_cells(j, b);
		most = fmax(most, alive + function_cells(j, b));
		for (int32_t c = j->buckets[b].child; c >= 0; c = j->buckets[c].sibling)
			alive -= !down || gpube__infer_is_spare(j, c) ? message_cells(j, c) : 0;
	}
	for (int32_t b = j->n - 1; b >= 0 && down; b--) {
		most = fmax(most, alive + function_cells(j, b) + going_down(j, b));
		for (int32_t c = j->buckets[b].child; c >= 0; c = j->buckets[c].sibling)
			alive += gpube__infer_is_spare(j, c) ? message_cells(j, c) : 0;
		alive -= message_cells(j, b);
	}
	return most * sizeof(double);
}

static int check_memory(struct gpube__inferring *j)
{
	char need[GPUBE_BYTES_TEXT], have[GPUBE_BYTES_TEXT];
	struct gpube_plan *plan = &j->out->plan;

	int status;

	plan->peak_bytes = gpube__infer_peak(j);
	status = gpube__infer_place(j, plan->peak_bytes);
	if (j->side)
		plan->peak_bytes = gpube__infer_peak(j);
	if (status || plan->peak_bytes <= gpube__infer_room(j))
		return status;
	return gpube__fail(j->ctx, GPUBE_ELIMIT,
		"sums along this order need %s of tables (width %d, largest table %.3g cells), %s "
		"are allowed; give more memory, a better order or more time to find one",
		gpube__bytes_text(need, plan->peak_bytes), plan->width, plan->largest_message,
		gpube__bytes_text(have, gpube__infer_room(j)));
}

int gpube__infer_plan(struct gpube__inferring *j)
{
	const struct gpube_model *m = j->m;
	struct gpube_graph graph = {0};
	int32_t *order = NULL;
	int status = GPUBE_ENOMEM;

	j->var = gpube__alloc(j->ctx, (uint64_t)m->n_vars, sizeof(*j->var));
	j->position = gpube__alloc(j->ctx, (uint64_t)m->n_vars, sizeof(*j->position));
	if (!j->var || !j->position)
		return GPUBE_ENOMEM;
	for (int32_t i = 0; i < m->n_vars; i++) {
		j->position[i] = gpube__n_possible(&j->possible, i) > 1 ? j->n : -1;
		if (j->position[i] >= 0)
			j->var[j->n++] = i;
		j->n_up += j->position[i] >= 0 && !is_last(j, i);
	}
	j->out->plan.n_vars = j->n;
	j->out->plan.n_slices = 1;
	j->buckets = gpube__alloc_zero(j->ctx, (uint64_t)j->n, sizeof(*j->buckets));
	j->roots = gpube__alloc_zero(j->ctx, (uint64_t)j->n, sizeof(*j->roots));
	j->functions = gpube__alloc(j->ctx, (uint64_t)m->n_functions, sizeof(*j->functions));
	order = gpube__alloc(j->ctx, 2 * (uint64_t)j->n, sizeof(*order));
	if (j->buckets && j->roots && j->functions && order)
		status = find_order(j, &graph, order, order + j->n);
	if (!status) {
		hand_out(j);
		status = join(j, &graph, order);
	}
	if (!status && j->opts->task == GPUBE_INFER_MAR)
		status = gpube__infer_find_homes(j);
	if (!status)
		status = check_memory(j);
	gpube__graph_clear(j->ctx, &graph);
	gpube__free(j->ctx, order);
	return status;
}

/* ---- begin and end ------------------------------------------------------------------- */

void gpube__infer_clear(struct gpube__inferring *j)
{
	for (int32_t b = 0; j->buckets && b < j->n; b++)
		gpube__sum_table_clear(j->ctx, &j->buckets[b].message);
	gpube__possible_clear(j->ctx, &j->possible);
	gpube__barren_clear(&j->barren, j->ctx);
	GPUBE_FREE_ALL(j->ctx, j->var, j->position, j->buckets, j->functions, j->scopes, j->roots,
		j->marginals_at, j->slices, j->side, j->home);
}

int gpube__infer_begin(struct gpube__inferring *j)
{
	const struct gpube_model *m = j->m;
	int status = gpube__possible_find(&j->possible, m);

	j->told_from = gpube__now();
	j->log_lower = j->told_lower = -INFINITY;
	j->log_upper = j->told_upper = INFINITY;
	if (status)
		return status;
	for (int32_t i = 0; i < m->n_vars; i++) {
		j->out->n_values += gpube__n_possible(&j->possible, i);
		j->out->n_removed += m->vars[i].domain - gpube__n_possible(&j->possible, i);
	}
	if (!j->n_slices)
		gpube__log(j->ctx, GPUBE_LOG_DETAIL, "%lld of %lld value%s can occur",
			(long long)j->out->n_values,
			(long long)(j->out->n_values + j->out->n_removed),
			gpube__plural((long long)(j->out->n_values + j->out->n_removed)));
	return GPUBE_OK;
}
