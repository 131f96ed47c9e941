/* ops_cuda.cu - the CUDA backend: opening the device, table memory, copies, dispatch. */
#include "gpube/ops/device/device.cuh"

#include <stdio.h>

extern "C" {
#include "gpube/ops/device/opening.h"
}

#define OVERHEAD_BYTES (64ull << 20) /* of descriptors and partial results, besides tables */
#define SMALL_BYTES    (1u << 18)    /* of an upload that nobody waits for */

/* So many more bytes of tables; the rest of the arena is for what comes besides. */
static bool has_room(const struct gpube__device *d, uint64_t bytes)
{
	const uint64_t left = gpube__arena_left(d->arena);

	return left > OVERHEAD_BYTES && bytes <= left - OVERHEAD_BYTES;
}

static void *cuda_alloc(struct gpube_ctx *ctx, uint64_t bytes)
{
	struct gpube__device *d = gpube__device_of(ctx);
	const uint64_t left = gpube__arena_left(d->arena);
	char need[GPUBE_BYTES_TEXT], room_text[GPUBE_BYTES_TEXT];

	if (has_room(d, bytes))
		return gpube__arena_take(d->arena, ctx, bytes);
	gpube__fail(ctx, GPUBE_ENOMEM, "no room for a table of %s on the device, %s are left",
		gpube__bytes_text(need, (double)bytes),
		gpube__bytes_text(
			room_text, left > OVERHEAD_BYTES ? (double)(left - OVERHEAD_BYTES) : 0));
	return NULL;
}

static void *cuda_alloc_block(struct gpube_ctx *ctx, uint64_t bytes)
{
	struct gpube__device *d = gpube__device_of(ctx);

	return has_room(d, bytes) ? gpube__arena_take(d->arena, ctx, bytes) : NULL;
}

static void cuda_free(struct gpube_ctx *ctx, void *p)
{
	if (ctx->device) /* the arena goes before tables whose owner lives longer */
		gpube__arena_give(gpube__device_of(ctx)->arena, ctx, p);
}

static int copy_waiting(struct gpube_ctx *ctx, void *to, const void *from, uint64_t bytes)
{
	const double begin = gpube__copy_begin(ctx);

	GPUBE_ECUDA(ctx,
		cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, gpube__device_of(ctx)->stream));
	/* the caller may change 'from' at once */
	return gpube__copy_end(ctx, begin);
}

/* What is small goes by way of the pinned memory of descriptors, and is waited for by nobody. */
static int cuda_upload(struct gpube_ctx *ctx, void *to, const void *from, uint64_t bytes)
{
	struct gpube__device *d = gpube__device_of(ctx);
	const double begin = gpube__now();
	unsigned char *staged;

	if (bytes > SMALL_BYTES)
		return copy_waiting(ctx, to, from, bytes);
	staged = gpube__staging(ctx, bytes, true);
	if (!staged)
		return GPUBE_ENOMEM;
	memcpy(staged, from, bytes);
	GPUBE_ECUDA(ctx, cudaMemcpyAsync(to, staged, bytes, cudaMemcpyDefault, d->stream));
	GPUBE_ECUDA(ctx, cudaEventRecord(d->sent, d->stream));
	gpube__copied(ctx, begin);
	return GPUBE_OK;
}

static int cuda_contract(struct gpube_ctx *ctx, const struct gpube_contraction *c)
{
	gpube__clock_to(ctx, c->seconds);
	return gpube__contract_cuda(ctx, c);
}

static int cuda_contract_batch(struct gpube_ctx *ctx, int64_t n, const struct gpube_contraction *c)
{
	gpube__clock_to(ctx, n > 0 ? c->seconds : NULL);
	return gpube__contract_batch_cuda(ctx, n, c);
}

static int cuda_gather(struct gpube_ctx *ctx, void *to, int64_t n, const struct gpube_cells *pieces,
	size_t cell_bytes)
{
	const double begin = gpube__copy_begin(ctx);
	const int status = gpube__gather_cuda(ctx, to, n, pieces, cell_bytes);

	gpube__copied(ctx, begin); /* it has waited */
	return status;
}

/*
 * What room for descriptors is rounded up to: pinned memory costs as much as a hundred launches,
 * and contractions of slowly growing descriptors would pay that again and again.
 */
static uint64_t rounded(uint64_t bytes)
{
	uint64_t to = 1u << 18;

	while (to < bytes && to <= UINT64_MAX / 4)
		to *= 2;
	return to < bytes ? bytes : to;
}

/* Makes *p, which holds *have bytes, hold 'bytes'; what it held is lost. */
static void *room(struct gpube_ctx *ctx, void **p, uint64_t *have, uint64_t bytes)
{
	struct gpube__arena *arena = gpube__device_of(ctx)->arena;
	void *more;

	if (bytes <= *have && *p)
		return *p;
	more = gpube__arena_take(arena, ctx, bytes);
	if (!more)
		return NULL;
	gpube__arena_give(arena, ctx, *p);
	*p = more;
	*have = bytes;
	return more;
}

void *gpube__lists(struct gpube_ctx *ctx, uint64_t bytes)
{
	struct gpube__device *d = gpube__device_of(ctx);

	return room(ctx, &d->lists, &d->lists_bytes, bytes);
}

unsigned char *gpube__staging(struct gpube_ctx *ctx, uint64_t bytes, bool to_send)
{
	struct gpube__device *d = gpube__device_of(ctx);

	/* what was sent last may still be on its way */
	if (d->staging && (to_send || bytes > d->staging_bytes) &&
		cudaEventSynchronize(d->sent) != cudaSuccess)
		goto fail;
	if (bytes > d->staging_bytes) {
		bytes = rounded(bytes);
		cudaFreeHost(d->staging);
		d->staging = NULL;
		d->staging_bytes = 0;
		if (cudaMallocHost((void **)&d->staging, bytes) != cudaSuccess)
			goto fail;
		d->staging_bytes = bytes;
	}
	return d->staging;
fail:
	gpube__fail(ctx, GPUBE_ECUDA, "CUDA: no pinned memory for descriptors: %s",
		cudaGetErrorString(cudaGetLastError()));
	return NULL;
}

unsigned char *gpube__words(struct gpube_ctx *ctx, void **out, uint64_t bytes)
{
	struct gpube__device *d = gpube__device_of(ctx);

	bytes = rounded(bytes);
	if (!room(ctx, &d->words, &d->words_bytes, bytes))
		return NULL;
	*out = d->words;
	return gpube__staging(ctx, bytes, true);
}

/*
 * A kernel that reads pinned memory starts sooner than a copy, and what follows it does, too: on an
 * H100 40 kB take 9 us with a kernel that reads them, not 12, 400 kB 15, not 20, but 1 kB 8, not 7.
 */
#define SEND_LEAST (16u << 10)
#define SEND_MOST  (4u << 20)

__global__ static void send(const int4 *from, int4 *to, unsigned n)
{
	const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

	if (i < n)
		to[i] = from[i];
}

int gpube__words_send(struct gpube_ctx *ctx, uint64_t bytes)
{
	struct gpube__device *d = gpube__device_of(ctx);

	if (bytes >= SEND_LEAST && bytes <= SEND_MOST) {
		const unsigned n = (unsigned)((bytes + 15) / 16); /* rooms are rounded up */

		send<<<(n + 255) / 256, 256, 0, d->stream>>>(
			(const int4 *)d->staging, (int4 *)d->words, n);
		GPUBE_ECUDA(ctx, cudaGetLastError());
	} else {
		GPUBE_ECUDA(ctx, cudaMemcpyAsync(d->words, d->staging, bytes,
					 cudaMemcpyHostToDevice, d->stream));
	}
	GPUBE_ECUDA(ctx, cudaEventRecord(d->sent, d->stream));
	return GPUBE_OK;
}

static int cuda_describe(struct gpube_ctx *ctx, char *text, size_t size)
{
	struct cudaDeviceProp p;

	GPUBE_ECUDA(ctx, cudaGetDeviceProperties(&p, gpube__device_of(ctx)->id));
	snprintf(text, size, "%s, %d multiprocessor%s, compute capability %d.%d", p.name,
		p.multiProcessorCount, gpube__plural(p.multiProcessorCount), p.major, p.minor);
	return GPUBE_OK;
}

static void add_uses(struct gpube_ctx *ctx, struct gpube_use *use)
{
	const struct gpube__planning *g = &gpube__device_of(ctx)->planning;

	gpube__clock_settle(ctx, NULL); /* what failed is told by who asked for it */
	for (int k = 0; k < GPUBE_N_FAMILIES; k++) {
		use[k].launches += g->use[k].launches;
		use[k].kernel += g->use[k].kernel;
		use[k].planning += g->use[k].planning;
	}
}

static_assert(GPUBE_N_FAMILIES <= GPUBE_MAX_USES, "callers have room for so many");

static int cuda_uses(struct gpube_ctx *ctx, struct gpube_use *use)
{
	const struct gpube__device *d = gpube__device_of(ctx);

	memset(use, 0, GPUBE_N_FAMILIES * sizeof(*use));
	for (int k = 0; k < GPUBE_N_FAMILIES; k++)
		use[k].family = d->planning.families[k].name;
	for (int k = 0; k < d->n_peers; k++) {
		cudaSetDevice(gpube__device_of(d->peers[k])->id);
		add_uses(d->peers[k], use);
	}
	cudaSetDevice(d->id);
	add_uses(ctx, use);
	return GPUBE_N_FAMILIES;
}

static uint64_t cuda_memory(struct gpube_ctx *ctx)
{
	return gpube__device_of(ctx)->memory_bytes;
}

/* What the device has, less a share for the context, its descriptors and the arena's rounding. */
static uint64_t memory_of_device(const struct gpube_ctx *ctx)
{
	size_t unused = 0, total = 0;
	uint64_t bytes, shares = 0;

	if (cudaMemGetInfo(&unused, &total) != cudaSuccess)
		return 0;
	/* a device that is listed twice has two contexts, which share it */
	for (int k = 0; k < ctx->n_devices; k++)
		shares += ctx->devices[k] == ctx->devices[0];
	bytes = (uint64_t)unused / 16 * 15 / (shares ? shares : 1);
	return ctx->device_memory_bytes && ctx->device_memory_bytes < bytes
		       ? ctx->device_memory_bytes
		       : bytes;
}

static const struct gpube_ops cuda_ops = {
	"cuda",
	gpube__contract_problem,
	cuda_contract,
	cuda_contract_batch,
	cuda_alloc,
	cuda_free,
	cuda_upload,
	copy_waiting,
	gpube__match_cuda,
	gpube__clock_settle,
	cuda_gather,
	cuda_describe,
	cuda_uses,
	cuda_memory,
	cuda_alloc_block,
	3e12, /* a fifth of the add-min rate of an H200: what most shapes reach */
	3e12,
};

static void device_close(struct gpube_ctx *ctx)
{
	struct gpube__device *d = gpube__device_of(ctx);

	ctx->device = NULL;
	ctx->device_free = NULL;
	if (!d)
		return;
	for (int k = 0; k < d->n_peers; k++) {
		device_close(d->peers[k]);
		gpube__free(ctx, d->peers[k]);
	}
	cudaSetDevice(d->id);
	if (d->stream) {
		cudaStreamSynchronize(d->stream);
		cudaStreamDestroy(d->stream);
	}
	gpube__arena_free(d->arena, ctx);
	gpube__free(ctx, d->memory);
	gpube__clock_free(ctx, d->clock);
	gpube__kept_clear(&d->planning.plans, ctx);
	if (d->sent)
		cudaEventDestroy(d->sent);
	cudaFreeHost(d->staging);
	cudaFreeHost(d->watch);
	gpube__free(ctx, d);
}

/* ENODEV, with the reason that CUDA gives. */
static int no_device(struct gpube_ctx *ctx, cudaError_t error)
{
	(void)cudaGetLastError();
	return gpube__fail(
		ctx, GPUBE_ENODEV, "no usable CUDA device: %s", cudaGetErrorString(error));
}

static int device_open(struct gpube_ctx *ctx, int id)
{
	struct gpube__device *d;
	cudaError_t error;
	int n = 0, shared = 0, sm_shared = 0;
	uint64_t limit;

	gpube__opening_wait();
	error = cudaGetDeviceCount(&n);
	if (error != cudaSuccess || n == 0)
		return no_device(ctx, error != cudaSuccess ? error : cudaErrorNoDevice);
	d = (struct gpube__device *)gpube__alloc_zero(ctx, 1, sizeof(*d));
	if (!d)
		return GPUBE_ENOMEM;
	d->id = id;
	ctx->device = d;
	ctx->device_free = device_close;
	error = cudaSetDevice(d->id);
	if (error == cudaSuccess)
		error = cudaDeviceGetAttribute(&d->n_sms, cudaDevAttrMultiProcessorCount, d->id);
	if (error == cudaSuccess)
		error = cudaDeviceGetAttribute(
			&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, d->id);
	if (error == cudaSuccess)
		error = cudaDeviceGetAttribute(
			&sm_shared, cudaDevAttrMaxSharedMemoryPerMultiprocessor, d->id);
	if (error == cudaSuccess)
		error = gpube__contract_general_probe();
	if (error == cudaSuccess)
		error = cudaStreamCreateWithFlags(&d->stream, cudaStreamNonBlocking);
	if (error == cudaSuccess)
		error = cudaEventCreateWithFlags(&d->sent, cudaEventDisableTiming);
	if (error != cudaSuccess) {
		device_close(ctx);
		return no_device(ctx, error);
	}
	if (gpube__clock_open(ctx) != GPUBE_OK)
		goto fail;
	d->shared_bytes = (size_t)shared;
	d->sm_shared_bytes = (size_t)sm_shared;
	gpube__planning_init(d);
	d->memory_bytes = memory_of_device(ctx);
	/* descriptors and partial results come besides */
	limit = d->memory_bytes + OVERHEAD_BYTES;
	if (gpube__memory_new(&d->memory, ctx, id, limit) != GPUBE_OK ||
		gpube__arena_new(&d->arena, ctx, (struct gpube__source *)d->memory, limit) !=
			GPUBE_OK)
		goto fail;
	d->partials = (struct gpube__partial *)gpube__arena_take(
		d->arena, ctx, GPUBE_MAX_PARTIALS * sizeof(*d->partials));
	if (!d->partials)
		goto fail;
	return GPUBE_OK;
fail:
	device_close(ctx);
	return GPUBE_ENOMEM;
}

static struct gpube_ctx *open_peer(struct gpube_ctx *ctx, int id)
{
	struct gpube_ctx *peer = (struct gpube_ctx *)gpube__alloc(ctx, 1, sizeof(*peer));

	if (!peer)
		return NULL;
	*peer = *ctx;
	peer->device = NULL;
	peer->device_free = NULL;
	peer->host = NULL;
	peer->host_free = NULL;
	if (device_open(peer, id) == GPUBE_OK)
		return peer;
	gpube__free(ctx, peer);
	return NULL;
}

int gpube__open_peers(struct gpube_ctx *ctx)
{
	struct gpube__device *d = gpube__device_of(ctx);
	int n = 0;

	if (d->peers_known)
		return d->n_peers;
	d->peers_known = true;
	if (cudaGetDeviceCount(&n) != cudaSuccess)
		n = 0;
	for (int id = 0; id < n && d->n_peers < GPUBE_MAX_PEERS; id++) {
		struct gpube_ctx *peer = id == d->id ? NULL : open_peer(ctx, id);

		if (!peer)
			continue;
		/* where it is refused, copies go through the host */
		cudaDeviceEnablePeerAccess(d->id, 0);
		cudaSetDevice(d->id);
		cudaDeviceEnablePeerAccess(id, 0);
		gpube__memory_share(d->memory, id);
		gpube__memory_share(gpube__device_of(peer)->memory, d->id);
		d->peers[d->n_peers++] = peer;
	}
	(void)cudaGetLastError();
	cudaSetDevice(d->id);
	return d->n_peers;
}

extern "C" bool gpube__cuda_force(struct gpube_ctx *ctx, const char *name)
{
	struct gpube__planning *g = ctx->device ? &gpube__device_of(ctx)->planning : NULL;
	const int by = g ? gpube__family_of(g, name) : -1;

	if (by < 0 || by > GPUBE_BY_ANY)
		return false;
	g->only = (enum gpube__by)by;
	return true;
}

extern "C" const struct gpube_ops *gpube__ops_cuda(struct gpube_ctx *ctx, int *status)
{
	*status = ctx->device ? GPUBE_OK : device_open(ctx, ctx->n_devices ? ctx->devices[0] : 0);
	return *status == GPUBE_OK ? &cuda_ops : NULL;
}
