/* solve.c - from a simplified model to a plan of its elimination: see solve_parts.h. */
#include "gpube/eliminate/solve.h"
#include "gpube/options/options.h"
#include "gpube/eliminate/solve_parts.h"
#include "gpube/ops/device/backend.h"
#include "gpube/ops/device/opening.h"
#include "gpube/ops/pick.h"
#include "gpube/order/order.h"

#include <math.h>
#include <string.h>

/* What a device is expected to do, before one is opened. */
#define DEVICE_CELLS_PER_SECOND 1e12
/*
 * Slices that be_split.h makes at most, and what a search may gain on a greedy order: two decades
 * are common.
 */
#define MOST_SLICES 4096.0
#define MOST_GAIN   1e4
/* What a card may hold, before one is opened. */
#define DEVICE_BYTES 512e9

/*
 * Whether no search will find an order that fits, which a greedy one tells in milliseconds.
 * Lower bounds of the width are too far off to tell it.
 */
static bool is_hopeless(const struct gpube__solve_job *e, const struct gpube_order_cost *greedy)
{
	const struct gpube_opts *o = e->opts;
	const bool card = o->backend != GPUBE_BACKEND_CPU && gpube__cuda_there();
	const double allowed = fmax((double)e->ctx->memory_bytes, card ? DEVICE_BYTES : 0);

	return 4 * greedy->largest_message / (o->no_slices ? 1 : MOST_SLICES) > MOST_GAIN * allowed;
}

/* Seconds of work of each thread until it is told whether one device is enough. */
#define FIRST_SECONDS 0.02

/*
 * Before the driver is started: whether more than the first of several devices will be wanted, by
 * an order that is soon found and costs perhaps twice as much as the last one.
 */
static int decide_devices(struct gpube__solve_job *e, struct gpube_order_search *search,
	struct gpube_order_cost *cost)
{
	const struct gpube_rate rate = gpube__rate_of(e->ctx, NULL);
	const struct gpube_order_time time = {
		.most = 1, .pays = true, .work = FIRST_SECONDS * e->ctx->n_threads};
	bool pays;
	int status;

	if (e->ctx->n_devices < 2 || e->opts->backend == GPUBE_BACKEND_CPU)
		return GPUBE_OK;
	status = gpube__order_search_go(search, time, DEVICE_CELLS_PER_SECOND);
	gpube__order_search_best(search, e->order, cost);
	pays = gpube__further_devices_pay(
		e->ctx, gpube__contract_seconds(&rate, NULL, GPUBE_INT32,
				1 + e->m->n_functions / (e->m->n_vars ? e->m->n_vars : 1),
				cost->joined_cells, 0));
	if (pays || e->opts->backend == GPUBE_BACKEND_CUDA)
		gpube__opening_decide(pays);
	return status;
}

static int go_on(struct gpube__solve_job *e, struct gpube_order_search *search,
	struct gpube_order_cost *cost, double rate)
{
	const int status = gpube__order_search_go(search, gpube__order_as_it_pays(0), rate);

	if (!status)
		gpube__order_search_best(search, e->order, cost);
	return status;
}

/*
 * A search pays while it saves more elimination than it costs. A first one is as
 * short as for a device; where none will be used, the long one follows.
 */
static int search_order(
	struct gpube__solve_job *e, struct gpube_order_cost *cost, const struct gpube_graph *g)
{
	const struct gpube_opts *o = e->opts;
	/* all threads eliminate, as all search */
	const double cpu_rate = gpube__ops_cpu()->cells_per_second * e->ctx->n_threads;
	const bool twice = o->backend != GPUBE_BACKEND_CPU;
	struct gpube_order_search *search;
	int status;

	if (o->order_seconds > 0 || o->order_method != GPUBE_ORDER_AUTO)
		return gpube__order_find(e->ctx, e->order, cost, g, o->order_method,
			o->order_seconds, cpu_rate, o->seed);
	status = gpube__order_search_new(&search, e->ctx, g, o->seed);
	if (status)
		return status;
	gpube__order_search_best(search, e->order, cost);
	if (!is_hopeless(e, cost)) {
		status = decide_devices(e, search, cost);
		if (!status)
			status = go_on(e, search, cost, twice ? DEVICE_CELLS_PER_SECOND : cpu_rate);
		if (!status && twice)
			status = gpube__pick_early(&e->ops, e->ctx, o->backend, cost->joined_cells,
				cost->largest_message, !o->no_slices);
		if (!status && twice && e->ops == gpube__ops_cpu())
			status = go_on(e, search, cost, cpu_rate);
	}
	gpube__order_search_free(search);
	return status;
}

static int find_order(struct gpube__solve_job *e, struct gpube_order_cost *cost)
{
	const double start = gpube__now();
	struct gpube_graph g = {0};
	int status = gpube__graph_of_model(&g, e->m);

	if (!status && e->opts->order_method == GPUBE_ORDER_GIVEN) {
		memcpy(e->order, e->opts->order, (size_t)e->m->n_vars * sizeof(*e->order));
		status = gpube__order_cost(e->ctx, cost, &g, e->order);
	} else if (!status) {
		status = search_order(e, cost, &g);
	}
	gpube__graph_clear(e->ctx, &g);
	e->seconds_order = gpube__now() - start;
	if (!status)
		gpube__log(e->ctx, GPUBE_LOG_DETAIL,
			"order: width %d, %.3g joined cell%s, largest table %.3g cell%s (%.2f s)",
			cost->width, cost->joined_cells, gpube__plural(cost->joined_cells),
			cost->largest_message, gpube__plural(cost->largest_message),
			e->seconds_order);
	return status;
}

int gpube__solve_prepare(
	struct gpube__solve_job *e, const struct gpube_model *m, const struct gpube_opts *opts)
{
	struct gpube__solve_task task = {.m = m, .opts = opts};
	struct gpube_order_cost cost;
	int status;

	*e = (struct gpube__solve_job){
		.ctx = m->ctx, .m = m, .opts = opts, .ops = gpube__ops_cpu()};
	e->order = gpube__alloc(m->ctx, (uint64_t)m->n_vars, sizeof(*e->order));
	status = e->order ? find_order(e, &cost) : GPUBE_ENOMEM;
	if (status) {
		gpube__solve_clear(e);
		return status;
	}
	task.order = e->order;
	task.ops = e->ops;
	task.figures = (struct gpube_plan){.n_vars = m->n_vars,
		.n_functions = m->n_functions,
		.width = cost.width,
		.joined_cells = cost.joined_cells,
		.largest_joined = cost.largest_joined,
		.largest_message = cost.largest_message};
	return gpube__solve_plan(&e->plan, &task);
}

void gpube__solve_clear(struct gpube__solve_job *e)
{
	if (!e->ctx)
		return;
	gpube__solve_plan_clear(&e->plan);
	gpube__free(e->ctx, e->order);
	*e = (struct gpube__solve_job){0};
}
