/* ops_cpu.c - the CPU backend: memory, batches, and the choice of a version of contract. */
#include <string.h>

#include "gpube/ops/contract.h"
#include "gpube/ops/index.h"

/* ---- memory: 64-byte aligned; what realloc_fn gave is kept in the word before -------------- */

static void *cpu_alloc(struct gpube_ctx *ctx, uint64_t bytes)
{
	const uint64_t extra = 64 + sizeof(void *);
	char *p, *aligned;

	p = gpube__alloc(ctx, 1, bytes > UINT64_MAX - extra ? UINT64_MAX : bytes + extra);
	if (!p)
		return NULL;
	aligned = p + sizeof(void *);
	aligned += -(uintptr_t)aligned & 63;
	memcpy(aligned - sizeof(void *), &p, sizeof(void *));
	return aligned;
}

static void cpu_free(struct gpube_ctx *ctx, void *aligned)
{
	void *p;

	if (!aligned)
		return;
	memcpy(&p, (char *)aligned - sizeof(void *), sizeof(void *));
	gpube__free(ctx, p);
}

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
	void *scratch;
	int status;

	if (problem)
		return gpube__fail(ctx, GPUBE_EINVAL, "contract: %s", problem);
	scratch = cpu_alloc(ctx, gpube__rows_scratch(ctx, c));
	if (!scratch)
		return GPUBE_ENOMEM;
	status = gpube__rows_contract(ctx, c, scratch);
	cpu_free(ctx, scratch);
	return status ? gpube__fail_stopped(ctx) : GPUBE_OK;
}

/*
 * A batch is spread over the threads in runs of consecutive contractions; those
 * that are large beside the rest are spread over the threads themselves.
 */
struct batch {
	struct gpube_ctx *ctx;
	const struct gpube_contraction *c;
	int64_t n, per_item, large; /* joined cells of a large one */
	char *scratch;
	uint64_t scratch_bytes; /* of one thread */
	int stopped;
};

static void run_batch_item(void *arg, int64_t item, int thread)
{
	struct batch *b = arg;
	void *scratch = b->scratch + (uint64_t)thread * b->scratch_bytes;
	int64_t to = (item + 1) * b->per_item;

	to = to < b->n ? to : b->n;
	for (int64_t i = item * b->per_item; i < to; i++)
		if (gpube__joined_cells(&b->c[i]) < b->large &&
			gpube__rows_contract(b->ctx, &b->c[i], scratch))
			__atomic_store_n(&b->stopped, 1, __ATOMIC_RELAXED);
}

static int check_batch(struct batch *b, struct gpube_ctx *ctx)
{
	double joined = 0;

	for (int64_t i = 0; i < b->n; i++) {
		const char *problem = gpube__contract_problem(&b->c[i]);
		uint64_t bytes;

		if (problem)
			return gpube__fail(ctx, GPUBE_EINVAL, "contract: %s", problem);
		joined += (double)gpube__joined_cells(&b->c[i]);
		bytes = (gpube__rows_scratch(ctx, &b->c[i]) + 63) / 64 * 64;
		b->scratch_bytes = bytes > b->scratch_bytes ? bytes : b->scratch_bytes;
	}
	joined /= 4.0 * ctx->n_threads;
	b->large = joined < 65536 ? 65536 : joined > 1e18 ? INT64_MAX : (int64_t)joined;
	b->per_item = 1 + b->n / (ctx->n_threads * (int64_t)16);
	return GPUBE_OK;
}

static int contract_batch(struct gpube_ctx *ctx, int64_t n, const struct gpube_contraction *c)
{
	struct batch b = {.ctx = ctx, .c = c, .n = n};
	int status = check_batch(&b, ctx);

	if (status)
		return status;
	b.scratch = cpu_alloc(ctx, b.scratch_bytes * (uint64_t)ctx->n_threads);
	if (!b.scratch)
		return GPUBE_ENOMEM;
	for (int64_t i = 0; i < n && !b.stopped; i++)
		if (gpube__joined_cells(&c[i]) >= b.large)
			b.stopped = gpube__rows_contract(ctx, &c[i], b.scratch) != 0;
	if (!b.stopped)
		gpube__parallel(ctx, (n + b.per_item - 1) / b.per_item, run_batch_item, &b);
	cpu_free(ctx, b.scratch);
	return b.stopped ? gpube__fail_stopped(ctx) : GPUBE_OK;
}

const struct gpube_ops *gpube__ops_cpu(void)
{
	static const struct gpube_ops ops = {
		.name = "cpu",
		.unsupported = gpube__contract_problem,
		.contract = contract,
		.contract_batch = contract_batch,
		.alloc = cpu_alloc,
		.free = cpu_free,
		.upload = cpu_copy,
		.download = cpu_copy,
		/* of one core; conservative */
		.cells_per_second = 2e9,
		.bytes_per_second = 4e9,
	};

	return &ops;
}
