/* ops_cpu.c - the CPU backend: one contraction, and batches. */
#include <math.h>
#include <string.h>

#include "gpube/ops/contract/cpu/contract_tile.h"
#include "gpube/ops/device/match.h"
#include "gpube/ops/scratch.h"

/* ---- tables --------------------------------------------------------------------------------- */

static int cpu_copy(struct gpube_ctx *ctx, void *to, const void *from, uint64_t bytes)
{
	(void)ctx;
	if (bytes)
		memcpy(to, from, (size_t)bytes);
	return GPUBE_OK;
}

/* ---- contract ---------------------------------------------------------------------------- */

static int contract(struct gpube_ctx *ctx, const struct gpube_contraction *c)
{
	const char *problem = gpube__contract_problem(c);
	double start = c->seconds ? gpube__now() : 0;
	int status;

	if (problem)
		return gpube__fail(ctx, GPUBE_EINVAL, "contract: %s", problem);
	status = gpube__scratch_open(ctx) ? GPUBE_ENOMEM : gpube__cpu_contract(ctx, c);
	if (c->seconds)
		*c->seconds += gpube__now() - start;
	return status;
}

/*
 * A batch is spread over the threads in runs of neighbours; contractions that
 * are large beside the rest are spread over the threads themselves. Neighbours
 * of one shape share a plan.
 */
struct batch {
	struct gpube_ctx *ctx;
	const struct gpube_contraction *c;
	int64_t n, per_item, large; /* joined cells of a large one */
	double joined;              /* of all that are not large */
	int64_t n_shapes;
	struct run_of *items;
	char *memory;
	uint64_t memory_bytes; /* of one thread, for a struct planned and what it points into */
	uint64_t room_bytes;   /* of which for the plan */
	int most_in;           /* operands */
	bool stream;
	int stopped;
};

/* What was found out about the contractions of an item. */
struct run_of {
	const char *problem;
	double joined, out_bytes;
	int64_t n_shapes;
	uint64_t room, scratch;
	int most_in;
};

/* The plan that a thread has at hand. */
struct planned {
	const struct gpube_contraction *like; /* NULL: none yet */
	bool by_rows;
	struct gpube__plan plan;
	struct gpube__run run; /* but for the tables */
};

static bool same_dims(const int32_t *a, const int32_t *b, int n)
{
	return n == 0 || a == b || memcmp(a, b, (size_t)n * sizeof(*a)) == 0;
}

static bool same_shape(const struct gpube_contraction *a, const struct gpube_contraction *b)
{
	if (a->semiring != b->semiring || a->type != b->type || a->n_out != b->n_out ||
		a->n_dims != b->n_dims || a->n_in != b->n_in || !a->out_arg != !b->out_arg ||
		a->arg_bytes != b->arg_bytes)
		return false;
	if (a->n_dims && a->sizes != b->sizes &&
		memcmp(a->sizes, b->sizes, (size_t)a->n_dims * sizeof(*a->sizes)) != 0)
		return false;
	for (int k = 0; a->in != b->in && k < a->n_in; k++)
		if (a->in[k].n_dims != b->in[k].n_dims ||
			!same_dims(a->in[k].dims, b->in[k].dims, a->in[k].n_dims))
			return false;
	return true;
}

/* Of a contraction that was checked: cannot overflow. */
static int64_t joined_cells(const struct gpube_contraction *c)
{
	int64_t cells = 1;

	for (int d = 0; d < c->n_dims; d++)
		cells *= c->sizes[d];
	return cells;
}

static uint64_t round_up(uint64_t n)
{
	return (n + 63) / 64 * 64;
}

static void examine_item(void *arg, int64_t item, int thread)
{
	struct batch *b = arg;
	struct run_of *run = &b->items[item];
	int64_t from = item * b->per_item, to = from + b->per_item, cells = 0;
	double joined = 0;

	(void)thread;
	to = to < b->n ? to : b->n;
	for (int64_t i = from; i < to; i++) {
		const struct gpube_contraction *c = &b->c[i];
		uint64_t scratch, rows;

		if (i == from || !same_shape(c, c - 1)) {
			run->problem = gpube__contract_problem(c);
			if (run->problem)
				return;
			joined = (double)joined_cells(c);
			run->n_shapes++;
			cells = 1;
			for (int d = 0; d < c->n_out; d++)
				cells *= c->sizes[d];
			scratch = gpube__plan_most_scratch(c);
			rows = gpube__rows_scratch(b->ctx, c);
			scratch = scratch > rows ? scratch : rows;
			rows = gpube__plan_room(c);
			run->room = rows > run->room ? rows : run->room;
			run->scratch = scratch > run->scratch ? scratch : run->scratch;
			run->most_in = c->n_in > run->most_in ? c->n_in : run->most_in;
		}
		run->joined += joined;
		run->out_bytes += (double)cells * (double)gpube__type_size(c->type);
	}
}

/* Memory of a thread: struct planned, strides, values, the plan's room, scratch. */
static uint64_t stride_at(void)
{
	return round_up(sizeof(struct planned));
}

static uint64_t values_at(const struct batch *b)
{
	return stride_at() + round_up((uint64_t)b->most_in * GPUBE_MAX_DIMS * 8);
}

static uint64_t room_at(const struct batch *b)
{
	return values_at(b) + round_up((uint64_t)b->most_in * sizeof(char *));
}

static uint64_t scratch_at(const struct batch *b)
{
	return room_at(b) + b->room_bytes;
}

static void make_plan(const struct batch *b, char *memory, const struct gpube_contraction *c)
{
	struct planned *planned = (struct planned *)memory;
	struct gpube__shape shape;

	planned->like = c;
	planned->by_rows = c->semiring == GPUBE_MIN_COUNT;
	if (!planned->by_rows) {
		gpube__shape_init(&shape, c, (int64_t *)(memory + stride_at()), c->out_arg != NULL);
		planned->by_rows =
			!gpube__plan_choose(
				&planned->plan, c, gpube__kernels(), &shape, memory + room_at(b)) ||
			!gpube__plan_set(&planned->plan, &shape, memory + room_at(b)) ||
			(uint64_t)planned->plan.scratch_bytes > b->memory_bytes - scratch_at(b);
	}
	planned->run = (struct gpube__run){
		.ctx = b->ctx,
		.plan = &planned->plan,
		.values = (const char **)(memory + values_at(b)),
		.arg_bytes = c->arg_bytes,
		.stream = b->stream,
		.one_of_many = true,
		.scratch = memory + scratch_at(b),
	};
}

static int run_small(const struct batch *b, char *memory, const struct gpube_contraction *c)
{
	struct planned *planned = (struct planned *)memory;
	const char **values = (const char **)(memory + values_at(b));
	struct gpube__run *run = &planned->run;

	if (!planned->like || !same_shape(planned->like, c))
		make_plan(b, memory, c);
	if (planned->by_rows)
		return gpube__rows_contract(b->ctx, c, memory + scratch_at(b));
	for (int k = 0; k < c->n_in; k++)
		values[k] = c->in[k].values;
	run->c = c;
	run->out = c->out;
	run->arg = c->out_arg;
	return gpube__run_plan(run);
}

static void run_batch_item(void *arg, int64_t item, int thread)
{
	struct batch *b = arg;
	char *memory = b->memory + (uint64_t)thread * b->memory_bytes;
	int64_t from = item * b->per_item, to = from + b->per_item;

	to = to < b->n ? to : b->n;
	for (int64_t i = from; i < to; i++) {
		if (joined_cells(&b->c[i]) >= b->large)
			continue;
		if (run_small(b, memory, &b->c[i])) {
			__atomic_store_n(&b->stopped, 1, __ATOMIC_RELAXED);
			break;
		}
	}
	if (b->stream)
		gpube__stream_fence();
}

/*
 * What a piece of a batch for a thread must have at least: examining one contraction takes a
 * tenth of a microsecond, planning one some, and a thread that sleeps comes some ten after it was
 * called. (With a piece for each contraction a mini-bucket's batch of ten took a millisecond on 16
 * threads.)
 */
#define LEAST_EXAMINED 128
#define LEAST_SECONDS  2e-5
#define SHAPE_SECONDS  4e-6
#define EACH_SECONDS   3e-7
#define CELLS_A_SECOND 1e9

/* So many for each piece, that every thread gets up to 16 and none has less than 'least'. */
static int64_t per_item(const struct batch *b, double least)
{
	const int64_t n = 1 + b->n / (b->ctx->n_threads * (int64_t)16);

	return (double)n > least ? n : (int64_t)ceil(least);
}

static int64_t n_items(const struct batch *b)
{
	return (b->n + b->per_item - 1) / b->per_item;
}

static int examine(struct batch *b)
{
	const int64_t n = n_items(b);
	uint64_t scratch = 0;
	double out_bytes = 0, large;

	gpube__parallel(b->ctx, n, examine_item, b);
	for (int64_t i = 0; i < n; i++) {
		const struct run_of *run = &b->items[i];

		if (run->problem)
			return gpube__fail(b->ctx, GPUBE_EINVAL, "contract: %s", run->problem);
		b->joined += run->joined;
		b->n_shapes += run->n_shapes;
		out_bytes += run->out_bytes;
		b->room_bytes = run->room > b->room_bytes ? run->room : b->room_bytes;
		scratch = run->scratch > scratch ? run->scratch : scratch;
		b->most_in = run->most_in > b->most_in ? run->most_in : b->most_in;
	}
	large = b->joined / (4.0 * b->ctx->n_threads);
	b->large = large < 65536 ? 65536 : large > 1e18 ? INT64_MAX : (int64_t)large;
	b->stream = out_bytes >= GPUBE__STREAM_BYTES;
	b->room_bytes = round_up(b->room_bytes);
	b->memory_bytes = scratch_at(b) + round_up(scratch);
	return GPUBE_OK;
}

/* One after the other, each on all threads. */
static int run_large(struct batch *b)
{
	int status = GPUBE_OK;

	for (int64_t i = 0; i < b->n && !status; i++) {
		const int64_t cells = joined_cells(&b->c[i]);

		if (cells < b->large)
			continue;
		b->joined -= (double)cells;
		status = gpube__cpu_contract(b->ctx, &b->c[i]);
	}
	return status;
}

static int run_others(struct batch *b)
{
	struct gpube_ctx *ctx = b->ctx;
	const double seconds = (double)b->n_shapes * SHAPE_SECONDS + (double)b->n * EACH_SECONDS +
			       b->joined / CELLS_A_SECOND;
	int64_t n_threads;

	b->per_item = per_item(b, (double)b->n / fmax(1, seconds / LEAST_SECONDS));
	n_threads = n_items(b) < ctx->n_threads ? n_items(b) : ctx->n_threads;
	b->memory = gpube__aligned_alloc(ctx, b->memory_bytes * (uint64_t)n_threads);
	if (!b->memory)
		return GPUBE_ENOMEM;
	for (int64_t t = 0; t < n_threads; t++)
		((struct planned *)(b->memory + (uint64_t)t * b->memory_bytes))->like = NULL;
	gpube__parallel(ctx, n_items(b), run_batch_item, b);
	gpube__aligned_free(ctx, b->memory);
	return b->stopped ? gpube__fail_stopped(ctx) : GPUBE_OK;
}

static int contract_batch(struct gpube_ctx *ctx, int64_t n, const struct gpube_contraction *c)
{
	struct batch b = {.ctx = ctx, .c = c, .n = n};
	int status;

	b.per_item = per_item(&b, LEAST_EXAMINED);
	b.items = gpube__alloc_zero(ctx, (uint64_t)n_items(&b), sizeof(*b.items));
	if (!b.items)
		return GPUBE_ENOMEM;
	status = examine(&b);
	gpube__free(ctx, b.items);
	if (!status)
		status = run_large(&b);
	return status ? status : run_others(&b);
}

static int cpu_gather(struct gpube_ctx *ctx, void *to, int64_t n, const struct gpube_cells *pieces,
	size_t cell_bytes)
{
	char *at = to;

	(void)ctx;
	for (int64_t k = 0; k < n; k++)
		for (int64_t i = 0; i < pieces[k].n; i++, at += cell_bytes)
			memcpy(at,
				(const char *)pieces[k].values +
					(size_t)(pieces[k].first + i * pieces[k].stride) *
						cell_bytes,
				cell_bytes);
	return GPUBE_OK;
}

static uint64_t memory(struct gpube_ctx *ctx)
{
	return ctx->memory_bytes;
}

const struct gpube_ops *gpube__ops_cpu(void)
{
	static const struct gpube_ops ops = {
		.name = "cpu",
		.unsupported = gpube__contract_problem,
		.contract = contract,
		.contract_batch = contract_batch,
		.alloc = gpube__aligned_alloc,
		.free = gpube__aligned_free,
		.upload = cpu_copy,
		.download = cpu_copy,
		.match = gpube__match_cpu,
		.gather = cpu_gather,
		.memory = memory,
		/* of one core; conservative */
		.cells_per_second = 2e9,
		.bytes_per_second = 4e9,
	};

	return &ops;
}
