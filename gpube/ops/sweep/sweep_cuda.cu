/* sweep_cuda.cu - sweep.h on a device: what the kernels are given, and what comes back. */
#include "gpube/ops/sweep/sweep_kernel.cuh"

#include <time.h>

/* A launch takes milliseconds. */
enum { NAP_NS = 20000 };

struct gpube_sweep_card {
	struct gpube_ctx *of, *ctx; /* whose device it is; who works with it */
	const struct gpube_ops *ops;
	int device;
	cudaStream_t stream;
	char *memory;
	uint64_t bytes, taken;  /* taken: by the plan */
	struct sweep_view view; /* of the plan that is loaded, and of its state: the first */
	size_t shared;          /* bytes of a block's rooms; 0: it has one in the card's memory */
	bool small;             /* a block has several groups, with a room each */
	int most_blocks;        /* of a state, that have something to do in a wave */
	int n_beside;           /* threads that work with the device */
	bool clusters;          /* blocks of a state can meet */
	int64_t *after;         /* pinned: constants, which kernels write there */
};

static bool has_clusters(struct gpube_ctx *ctx)
{
	int major = 0;

	(void)cudaDeviceGetAttribute(
		&major, cudaDevAttrComputeCapabilityMajor, gpube__device_of(ctx)->id);
	return major >= 9;
}

/* Of the thread that calls. */
static int set_device(struct gpube_sweep_card *c)
{
	GPUBE_ECUDA(c->ctx, cudaSetDevice(c->device));
	return GPUBE_OK;
}

/* The next so many bytes of the card's; NULL: there is no room. */
static void *cut(struct gpube_sweep_card *c, uint64_t bytes)
{
	void *at = c->memory + c->taken;

	bytes = (bytes + 255) / 256 * 256;
	if (bytes > c->bytes - c->taken)
		return NULL;
	c->taken += bytes;
	return at;
}

static int send(struct gpube_sweep_card *c, void *to, const void *from, uint64_t bytes)
{
	GPUBE_ECUDA(c->ctx, cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, c->stream));
	return GPUBE_OK;
}

static void close_card(struct gpube_sweep_card *c)
{
	if (!c)
		return;
	if (c->stream) {
		(void)cudaSetDevice(c->device);
		(void)cudaStreamSynchronize(c->stream);
		(void)cudaStreamDestroy(c->stream);
	}
	if (c->after)
		(void)cudaFreeHost(c->after);
	if (c->memory)
		c->ops->free(c->of, c->memory);
	gpube__free(c->of, c);
}

static int open_card(struct gpube_sweep_card **out, struct gpube_ctx *device, struct gpube_ctx *ctx,
	uint64_t bytes, int n_beside)
{
	struct gpube_sweep_card *c =
		(struct gpube_sweep_card *)gpube__alloc_zero(device, 1, sizeof(*c));
	int status = GPUBE_OK;

	*out = NULL;
	if (!c)
		return GPUBE_ENOMEM;
	c->of = device;
	c->ctx = ctx;
	c->ops = gpube__ops_cuda(device, &status);
	c->device = gpube__device_of(device)->id;
	c->clusters = has_clusters(device);
	c->n_beside = n_beside;
	c->bytes = bytes / 256 * 256;
	c->memory = (char *)c->ops->alloc(device, bytes);
	if (!c->memory)
		status = GPUBE_ENOMEM;
	if (!status && (cudaStreamCreateWithFlags(&c->stream, cudaStreamNonBlocking) ||
			       cudaMallocHost((void **)&c->after,
				       MOST_STATES * MOST_SWEEPS * sizeof(*c->after))))
		status = gpube__fail(
			device, GPUBE_ECUDA, "CUDA: %s", cudaGetErrorString(cudaGetLastError()));
	if (status) {
		close_card(c);
		return status;
	}
	*out = c;
	return GPUBE_OK;
}

/* Shared memory has a block's room, or the end of the card's memory those of all blocks. */
static uint64_t rooms_bytes(const struct gpube_sweep_card *c, int64_t n_blocks)
{
	return c->shared ? 0 : ((uint64_t)n_blocks * (uint64_t)c->view.room * 4 + 255) / 256 * 256;
}

/* Those of a launch, where they are not in shared memory. */
static int32_t *rooms_of(const struct gpube_sweep_card *c, int64_t n_blocks)
{
	return c->shared ? NULL : (int32_t *)(c->memory + c->bytes - rooms_bytes(c, n_blocks));
}

/* Where the plan's parts and its state come to lie. */
static bool lay_out(struct gpube_sweep_card *c, const struct gpube_sweep_plan *p)
{
	const size_t most = gpube__device_of(c->of)->shared_bytes - OTHER_SHARED;
	struct sweep_view *v = &c->view;

	c->taken = 0;
	v->separators = (struct gpube_sweep_separator *)cut(
		c, (uint64_t)p->n_separators * sizeof(*p->separators));
	v->members =
		(struct gpube_sweep_member *)cut(c, (uint64_t)p->n_members * sizeof(*p->members));
	v->cells = (uint32_t *)cut(c, (uint64_t)p->n_cells * sizeof(*p->cells));
	v->wave = (int32_t *)cut(c, ((uint64_t)p->n_waves + 1) * sizeof(*p->wave));
	v->heads = (struct sweep_head *)cut(c, (MOST_STATES + 1) * sizeof(*v->heads));
	if (!v->separators || !v->members || !v->cells || !v->wave || !v->heads)
		return false;
	v->costs = (int32_t *)(c->memory + c->taken);
	v->after = c->after;
	v->n_waves = p->n_waves;
	v->n_costs = p->n_costs;
	v->room = p->room;
	c->small = (uint64_t)p->room * 4 * GROUPS <= most / 2;
	c->shared = c->small                        ? (size_t)p->room * 4 * GROUPS
		    : (uint64_t)p->room * 4 <= most ? (size_t)p->room * 4
						    : 0;
	c->most_blocks = 1;
	while (c->most_blocks < MOST_CLUSTER &&
		(int64_t)c->most_blocks * (c->small ? GROUPS : 1) * p->n_waves < p->n_separators)
		c->most_blocks *= 2;
	return p->n_costs <= INT32_MAX && p->room <= INT32_MAX &&
	       (uint64_t)p->n_costs * 4 + rooms_bytes(c, c->most_blocks) <= c->bytes - c->taken;
}

static int load(struct gpube_sweep_card *c, const struct gpube_sweep_plan *p,
	const struct gpube_sweep_state *s)
{
	const struct sweep_view *v = &c->view;
	struct sweep_head head = {};
	int status = set_device(c);

	if (status || !lay_out(c, p))
		return status ? status : GPUBE_ELIMIT;
	head.constant = s->constant;
	status = send(c, (void *)v->separators, p->separators,
		(uint64_t)p->n_separators * sizeof(*p->separators));
	if (!status)
		status = send(c, (void *)v->members, p->members,
			(uint64_t)p->n_members * sizeof(*p->members));
	if (!status)
		status = send(
			c, (void *)v->cells, p->cells, (uint64_t)p->n_cells * sizeof(*p->cells));
	if (!status)
		status = send(
			c, (void *)v->wave, p->wave, ((uint64_t)p->n_waves + 1) * sizeof(*p->wave));
	if (!status)
		status = send(c, v->heads, &head, sizeof(head));
	if (!status)
		status = send(c, v->costs, s->costs, (uint64_t)p->n_costs * sizeof(*s->costs));
	if (!status)
		GPUBE_ECUDA(c->ctx, cudaStreamSynchronize(c->stream));
	return status;
}

/*
 * Blocks a state: as many as do something, while all of the launch may be there at once, and so
 * may one state of each thread.
 */
static int cluster_of(const struct gpube_sweep_card *c, int n_states)
{
	const struct gpube__device *d = gpube__device_of(c->of);
	int blocks = c->most_blocks;

	if (!c->clusters)
		return 1;
	while (blocks > 1 && ((int64_t)blocks * n_states > BLOCKS_AN_SM * d->n_sms ||
				     (int64_t)blocks * c->n_beside > BLOCKS_AN_SM * d->n_sms))
		blocks /= 2;
	return blocks;
}

static int launch(struct gpube_sweep_card *c, const struct sweep_view *v, int n_states, int blocks)
{
	cudaLaunchConfig_t config = {};
	cudaLaunchAttribute attribute = {};

	config.gridDim = dim3((unsigned)(n_states * blocks));
	config.blockDim = dim3(THREADS);
	config.dynamicSmemBytes = c->shared;
	config.stream = c->stream;
	attribute.id = cudaLaunchAttributeClusterDimension;
	attribute.val.clusterDim.x = (unsigned)blocks;
	attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
	config.attrs = &attribute;
	config.numAttrs = c->clusters ? 1 : 0;
	GPUBE_ECUDA(
		c->ctx, cudaLaunchKernelEx(&config,
				c->small ? sweep_kernel<SMALL_GROUP> : sweep_kernel<THREADS>, *v));
	return GPUBE_OK;
}

/*
 * What the kernel has written into the host's memory is there when it has ended. Where threads
 * share the card there are more of them than processors, so they sleep between their looks.
 */
static int wait_for(struct gpube_sweep_card *c)
{
	const struct timespec nap = {0, NAP_NS};

	while (c->n_beside > 1 && cudaStreamQuery(c->stream) == cudaErrorNotReady)
		(void)nanosleep(&nap, NULL);
	GPUBE_ECUDA(c->ctx, cudaStreamSynchronize(c->stream));
	return GPUBE_OK;
}

static int sweep(struct gpube_sweep_card *c, int64_t target, int n, bool back, int64_t *constant)
{
	int status = set_device(c);

	for (int done = 0; done < n && !status; done += MOST_SWEEPS) {
		struct sweep_view v = c->view;
		const int blocks = cluster_of(c, 1);

		v.n_sweeps = n - done < MOST_SWEEPS ? n - done : MOST_SWEEPS;
		v.back = back;
		v.target = target;
		v.rooms = rooms_of(c, blocks);
		status = launch(c, &v, 1, blocks);
		if (!status)
			status = wait_for(c);
		if (!status)
			memcpy(constant + done, c->after, (size_t)v.n_sweeps * sizeof(*constant));
		back = back != (v.n_sweeps % 2 != 0);
	}
	return status;
}

static int store(struct gpube_sweep_card *c, int32_t *costs)
{
	int status = set_device(c);

	if (!status)
		GPUBE_ECUDA(c->ctx, cudaMemcpyAsync(costs, c->view.costs,
					    (size_t)c->view.n_costs * sizeof(*costs),
					    cudaMemcpyDeviceToHost, c->stream));
	if (!status)
		GPUBE_ECUDA(c->ctx, cudaStreamSynchronize(c->stream));
	return status;
}

/* So many copies, with what is forbidden in them; their lists are sent to 'at'. */
static int make_states(
	struct gpube_sweep_card *c, int n, const int64_t *dead_at, const int32_t *dead, char *at)
{
	const struct sweep_view *v = &c->view;
	const uint64_t starts = ((uint64_t)n + 1) * sizeof(*dead_at);
	int32_t *list = (int32_t *)(at + (starts + 255) / 256 * 256);
	int status = send(c, at, dead_at, starts);

	if (!status)
		status = send(c, list, dead + dead_at[0],
			(uint64_t)(dead_at[n] - dead_at[0]) * sizeof(*dead));
	if (status)
		return status;
	copy_kernel<<<dim3(COPY_BLOCKS, (unsigned)n), COPY_THREADS, 0, c->stream>>>(
		v->heads, v->costs, v->n_costs);
	forbid_kernel<<<dim3(FORBID_BLOCKS, (unsigned)n), COPY_THREADS, 0, c->stream>>>(
		v->costs, v->n_costs, (const int64_t *)at, list - dead_at[0]);
	GPUBE_ECUDA(c->ctx, cudaGetLastError());
	return GPUBE_OK;
}

static uint64_t lists_bytes(int n, const int64_t *dead_at)
{
	return ((uint64_t)n + 1) * 8 + (uint64_t)(dead_at[n] - dead_at[0]) * 4 + 1024;
}

/* As many of the n states as there is room for at once. */
static int fit(const struct gpube_sweep_card *c, int n, const int64_t *dead_at)
{
	const uint64_t there = c->bytes - c->taken;

	n = n < MOST_STATES ? n : MOST_STATES;
	while (n && (uint64_t)(1 + n) * (uint64_t)c->view.n_costs * 4 + 1024 +
				    rooms_bytes(c, (int64_t)n * c->most_blocks) +
				    lists_bytes(n, dead_at) >
			    there)
		n /= 2;
	return n;
}

static int probe(struct gpube_sweep_card *c, int64_t target, int n, const int64_t *dead_at,
	const int32_t *dead, int n_sweeps, int64_t *constant)
{
	int status = set_device(c);

	for (int done = 0, now; done < n && !status; done += now) {
		struct sweep_view v = c->view;
		int blocks;

		now = fit(c, n - done, dead_at + done);
		if (!now || n_sweeps > MOST_SWEEPS)
			return GPUBE_ELIMIT;
		blocks = cluster_of(c, now);
		v.rooms = rooms_of(c, (int64_t)now * blocks);
		status = make_states(c, now, dead_at + done, dead,
			(char *)(v.costs + (1 + now) * v.n_costs) + 256 -
				(uintptr_t)(v.costs + (1 + now) * v.n_costs) % 256);
		v.heads++;
		v.costs += v.n_costs;
		v.n_sweeps = n_sweeps;
		v.back = false;
		v.target = target;
		if (!status)
			status = launch(c, &v, now, blocks);
		if (!status)
			status = wait_for(c);
		for (int k = 0; k < now && !status; k++)
			constant[done + k] = c->after[k * n_sweeps + n_sweeps - 1];
	}
	return status;
}

static const struct gpube_sweep_ops cuda_sweep = {open_card, close_card, load, sweep, store, probe};

/* What a block may ask for, and how many may meet. */
static int allow(struct gpube_ctx *ctx, const void *kernel)
{
	GPUBE_ECUDA(ctx, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
				 (int)gpube__device_of(ctx)->shared_bytes - OTHER_SHARED));
	if (has_clusters(ctx))
		GPUBE_ECUDA(ctx, cudaFuncSetAttribute(kernel,
					 cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
	return GPUBE_OK;
}

extern "C" const struct gpube_sweep_ops *gpube__sweep_cuda(struct gpube_ctx *ctx, int *status)
{
	if (!gpube__ops_cuda(ctx, status))
		return NULL;
	*status = allow(ctx, (const void *)sweep_kernel<SMALL_GROUP>);
	if (!*status)
		*status = allow(ctx, (const void *)sweep_kernel<THREADS>);
	return *status == GPUBE_OK ? &cuda_sweep : NULL;
}
