/* scratch.c - see scratch.h. */
#include <string.h>

#include "gpube/ops/kept.h"
#include "gpube/ops/scratch.h"

/* ---- what is kept between calls: large blocks of scratch, plans ------------------------------ */

#define KEPT_BLOCKS 24
#define KEPT_FROM   65536 /* bytes; malloc is as good at what is smaller */
#define KEPT_BYTES  (64 << 20)

struct host {
	char lock; /* another thread may contract with this context, in a parallel loop */
	int n;
	uint64_t bytes, most;     /* that are kept, and may be */
	char *block[KEPT_BLOCKS]; /* from its header on, which holds its size */
	struct gpube__kept plans;
};

static void lock(struct host *host)
{
	while (__atomic_test_and_set(&host->lock, __ATOMIC_ACQUIRE))
		;
}

static void unlock(struct host *host)
{
	__atomic_clear(&host->lock, __ATOMIC_RELEASE);
}

static void free_host(struct gpube_ctx *ctx)
{
	struct host *host = ctx->host;

	for (int i = 0; i < host->n; i++)
		gpube__aligned_free(ctx, host->block[i]);
	gpube__kept_clear(&host->plans, ctx);
	gpube__free(ctx, host);
	ctx->host = NULL;
}

static struct host *host_of(const struct gpube_ctx *ctx)
{
	return __atomic_load_n(&ctx->host, __ATOMIC_ACQUIRE);
}

int gpube__scratch_open(struct gpube_ctx *ctx)
{
	struct host *host;
	void *none = NULL;

	if (host_of(ctx))
		return GPUBE_OK;
	host = gpube__alloc_zero(ctx, 1, sizeof(*host));
	if (!host)
		return GPUBE_ENOMEM;
	host->plans.drop = gpube__free;
	host->most = KEPT_BYTES;
	ctx->host_free = free_host;
	if (!__atomic_compare_exchange_n(
		    &ctx->host, &none, (void *)host, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		gpube__free(ctx, host);
	return GPUBE_OK;
}

static uint64_t block_bytes(const char *block)
{
	uint64_t bytes;

	memcpy(&bytes, block, sizeof(bytes));
	return bytes;
}

/* The smallest block that holds 'bytes', and 'most' at most; NULL if there is none. */
static char *take_block(struct host *host, uint64_t bytes, uint64_t most)
{
	char *block = NULL;
	int best = -1;

	lock(host);
	for (int i = 0; i < host->n; i++) {
		const uint64_t has = block_bytes(host->block[i]);

		if (has >= bytes && has <= most &&
			(best < 0 || has < block_bytes(host->block[best])))
			best = i;
	}
	if (best >= 0) {
		block = host->block[best];
		host->block[best] = host->block[--host->n];
		host->bytes -= block_bytes(block);
	}
	unlock(host);
	return block;
}

static void *take(struct gpube_ctx *ctx, uint64_t n, uint64_t size, bool close)
{
	struct host *host = host_of(ctx);
	uint64_t bytes;
	char *block;

	if (__builtin_mul_overflow(n, size, &bytes) || bytes > PTRDIFF_MAX / 16)
		bytes = PTRDIFF_MAX / 16;
	block = host && bytes >= KEPT_FROM
			? take_block(host, bytes, close ? bytes + bytes / 4 : 8 * bytes + 65536)
			: NULL;
	if (!block) {
		block = gpube__aligned_alloc(ctx, bytes + 64);
		if (!block)
			return NULL;
		memcpy(block, &bytes, sizeof(bytes));
	}
	return block + 64;
}

void *gpube__scratch_take(struct gpube_ctx *ctx, uint64_t n, uint64_t size)
{
	return take(ctx, n, size, false);
}

void *gpube__scratch_take_close(struct gpube_ctx *ctx, uint64_t n, uint64_t size)
{
	return take(ctx, n, size, true);
}

/* True if the block was kept. */
static bool keep_block(struct gpube_ctx *ctx, char *block)
{
	struct host *host = host_of(ctx);
	const uint64_t bytes = block_bytes(block);
	bool kept = false;

	if (bytes < KEPT_FROM || !host || bytes > host->most)
		return false;
	lock(host);
	if (host->n < KEPT_BLOCKS && host->bytes + bytes <= host->most) {
		host->bytes += bytes;
		host->block[host->n++] = block;
		kept = true;
	}
	unlock(host);
	return kept;
}

void gpube__scratch_give(struct gpube_ctx *ctx, void *p)
{
	if (p && !keep_block(ctx, (char *)p - 64))
		gpube__aligned_free(ctx, (char *)p - 64);
}

void gpube__scratch_keep(struct gpube_ctx *ctx, uint64_t bytes)
{
	struct host *host = host_of(ctx);

	if (!host)
		return;
	lock(host);
	host->most = bytes > KEPT_BYTES ? bytes : KEPT_BYTES;
	while (host->bytes > host->most) {
		char *block = host->block[--host->n];

		host->bytes -= block_bytes(block);
		gpube__aligned_free(ctx, block);
	}
	unlock(host);
}

/* What is kept by a key becomes 'plan'; returns what was. */
static int swap_plan(
	void **was, struct gpube_ctx *ctx, const int64_t *key, uint64_t key_bytes, void *plan)
{
	struct host *host = host_of(ctx);
	void **place;

	*was = NULL;
	lock(host);
	place = gpube__kept_place(&host->plans, ctx, key, key_bytes);
	if (place) {
		*was = *place;
		*place = plan;
	}
	unlock(host);
	return place ? GPUBE_OK : GPUBE_ENOMEM;
}

int gpube__plan_take(void **plan, struct gpube_ctx *ctx, const int64_t *key, uint64_t key_bytes)
{
	*plan = NULL;
	return host_of(ctx) ? swap_plan(plan, ctx, key, key_bytes, NULL) : GPUBE_OK;
}

void gpube__plan_give(struct gpube_ctx *ctx, const int64_t *key, uint64_t key_bytes, void *plan)
{
	void *was = plan;

	if (host_of(ctx) && swap_plan(&was, ctx, key, key_bytes, plan))
		was = plan; /* no room to keep it in */
	gpube__free(ctx, was);
}
