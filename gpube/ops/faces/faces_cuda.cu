/* faces_cuda.cu - the walk over faces on a device: a warp a node. See faces.h. */
#include "gpube/ops/device/device.cuh"

extern "C" {
#include "gpube/ops/faces/faces.h"
#include "gpube/ops/ops.h"
}
#include "gpube/ops/faces/faces_node.h"

#define WARPS  2           /* of a block */
#define LEAVES (1 << 19)   /* that a round may give */
#define POOL   (1ll << 30) /* bytes of a pool of nodes */
#define SHARE  256         /* nodes of a warp in a round, once there are enough */
#define FEW    8           /* before */

/* What a round reads and writes; pointers are the device's. */
struct round {
	struct faces_side s[2];
	int bytes[2], share;
	const char *in;
	char *out, *stacks;
	unsigned long long n_in, most_out;
	unsigned long long *taken, *n_out, *n_nodes, *n_pivots;
	struct faces_output leaves;
};

/*
 * Nodes of the pool, each walked depth first until the warp has visited its share; what is left
 * on the warps' stacks makes the next pool.
 * Shape: pool nodes of some 17 KiB for 32 x 32 actions, about 10 pivots of 2 k l operations each
 * Map:   warp per node, lane per column for pivots and multipliers, per row for ratios
 * Moves: a node in and one out of device memory each visit with two children; pivots in shared
 *        memory; payoffs, which only proofs read, through the first-level cache
 * Ops:   a pivot 2 k l flops, and three reductions over the warp
 * Bound: latency: one node for each warp fits into shared memory, so three warps a scheduler
 */
__global__ void __launch_bounds__(32 * WARPS) round_kernel(const struct round a)
{
	extern __shared__ __align__(16) char memory[];
	const int warp = threadIdx.x / 32;
	const int node_bytes = a.bytes[0] + a.bytes[1];
	char *mine = memory + warp * (node_bytes + sizeof(struct faces_scratch));
	const int labels = a.s[0].k + a.s[0].l;
	struct faces_walk w;
	int left = a.share;

	w.s = a.s;
	w.f[0] = (struct faces_face *)mine;
	w.f[1] = (struct faces_face *)(mine + a.bytes[0]);
	w.scratch = (struct faces_scratch *)(mine + node_bytes);
	w.bytes = node_bytes;
	w.stack = a.stacks + (size_t)(blockIdx.x * WARPS + warp) * labels * node_bytes;
	w.depth = 0;
	w.pivots = 0;
	w.out = a.leaves;
	w.current = false;
	for (;;) {
		if (!w.current && w.depth == 0) {
			unsigned long long at = 0;

			if (left <= 0)
				break;
			if (FACES_LANE == 0)
				at = atomicAdd(a.taken, 1ull);
			at = __shfl_sync(0xffffffffu, at, 0);
			if (at >= a.n_in)
				break;
			faces_copy(mine, a.in + at * node_bytes, node_bytes);
			faces_resume(&w);
		}
		left -= faces_run(&w, left > 0 ? left : a.share);
		if (left <= 0 && (w.current || w.depth)) {
			const unsigned long long need = (unsigned long long)(w.depth + w.current);
			unsigned long long at = 0;

			if (FACES_LANE == 0) {
				at = atomicAdd(a.n_out, need);
				if (at + need > a.most_out)
					atomicAdd(a.n_out, -need);
			}
			at = __shfl_sync(0xffffffffu, at, 0);
			/* no room: this warp goes on by itself */
			if (at + need > a.most_out)
				continue;
			faces_copy(a.out + at * node_bytes, w.stack, w.depth * node_bytes);
			if (w.current)
				faces_copy(a.out + (at + w.depth) * node_bytes, mine, node_bytes);
			w.depth = 0;
			w.current = false;
		}
	}
	if (FACES_LANE == 0) {
		atomicAdd(a.n_nodes, (unsigned long long)(a.share - left));
		atomicAdd(a.n_pivots, (unsigned long long)w.pivots);
	}
}

/* ---- the operator ----------------------------------------------------------------------- */

/* Counters of a round, one block on the device. */
struct counts {
	unsigned long long taken, n_out, n_nodes, n_pivots, n_leaves;
};

struct job {
	struct gpube_ctx *ctx;
	const struct gpube_ops *ops;
	struct gpube_faces_search *s;
	struct round a;
	struct counts *counts; /* on the device */
	struct gpube_faces_leaf *list;
	void *tables[8];
	int n_tables, blocks;
	size_t shared;
};

static void *take(struct job *job, uint64_t bytes)
{
	void *p = job->ops->alloc(job->ctx, bytes);

	if (p)
		job->tables[job->n_tables++] = p;
	return p;
}

/* The nodes to begin at, made here. n: out */
static int send_start(struct job *job, char *to, unsigned long long *n)
{
	const struct gpube_faces_search *s = job->s;
	const uint64_t bytes = (uint64_t)(job->a.bytes[0] + job->a.bytes[1]);
	const uint64_t all = s->start ? (uint64_t)s->n_start : 1;
	char *nodes;
	int status;

	*n = all;
	if (all > POOL / bytes)
		return gpube__fail(job->ctx, GPUBE_ERANGE, "faces: too many nodes to begin at");
	nodes = (char *)gpube__alloc(job->ctx, all, bytes);
	if (!nodes)
		return GPUBE_ENOMEM;
	for (uint64_t k = 0; k < 2 * all; k++) {
		const int p = k % 2;
		const struct faces_side side = {s->k[p], s->l[p], p, s->c[p]};
		struct faces_face *f =
			(struct faces_face *)(nodes + k / 2 * bytes + p * job->a.bytes[0]);

		if (s->start)
			faces_begin(f, &side, &s->start[k]);
		else
			faces_init(f, &side);
	}
	status = job->ops->upload(job->ctx, to, nodes, all * bytes);
	gpube__free(job->ctx, nodes);
	return status;
}

static int prepare(struct job *job, unsigned long long *n)
{
	struct gpube_ctx *ctx = job->ctx;
	const struct gpube_faces_search *s = job->s;
	struct round *a = &job->a;
	int per_sm = 0, status = GPUBE_OK, node, warps;

	for (int p = 0; p < 2; p++) {
		const uint64_t bytes = sizeof(double) * (uint64_t)(s->k[p] * s->l[p]);
		void *c = take(job, bytes);

		if (!c)
			return GPUBE_ENOMEM;
		status = job->ops->upload(ctx, c, s->c[p], bytes);
		if (status)
			return status;
		a->s[p] = {s->k[p], s->l[p], p, (const double *)c};
		a->bytes[p] = faces_bytes(&a->s[p]);
	}
	node = a->bytes[0] + a->bytes[1];
	job->shared = WARPS * ((size_t)node + sizeof(struct faces_scratch));
	GPUBE_ECUDA(ctx, cudaFuncSetAttribute(round_kernel,
				 cudaFuncAttributeMaxDynamicSharedMemorySize, (int)job->shared));
	GPUBE_ECUDA(ctx, cudaOccupancyMaxActiveBlocksPerMultiprocessor(
				 &per_sm, round_kernel, 32 * WARPS, job->shared));
	job->blocks = gpube__device_of(ctx)->n_sms * (per_sm > 0 ? per_sm : 1);
	warps = job->blocks * WARPS;
	a->most_out = (unsigned long long)(POOL / node);
	a->in = (const char *)take(job, POOL);
	a->out = (char *)take(job, POOL);
	a->stacks =
		(char *)take(job, (uint64_t)warps * (uint64_t)(s->k[0] + s->l[0]) * (uint64_t)node);
	a->leaves.leaves = (struct gpube_faces_leaf *)take(job, LEAVES * sizeof(*job->list));
	a->leaves.capacity = LEAVES;
	job->counts = (struct counts *)take(job, sizeof(*job->counts));
	job->list = (struct gpube_faces_leaf *)gpube__alloc(ctx, LEAVES, sizeof(*job->list));
	if (job->n_tables < 7 || !job->list)
		return GPUBE_ENOMEM;
	a->taken = &job->counts->taken;
	a->n_out = &job->counts->n_out;
	a->n_nodes = &job->counts->n_nodes;
	a->n_pivots = &job->counts->n_pivots;
	a->leaves.n = &job->counts->n_leaves;
	return send_start(job, (char *)a->in, n);
}

static int collect(struct job *job, const struct counts *got)
{
	struct gpube_faces_search *s = job->s;
	int status;

	if (got->n_leaves > LEAVES)
		return gpube__fail(job->ctx, GPUBE_ERANGE, "faces: too many leaves in a round");
	status = job->ops->download(
		job->ctx, job->list, job->a.leaves.leaves, got->n_leaves * sizeof(*job->list));
	if (!status && gpube__grow(job->ctx, &s->leaves, &s->capacity,
			       s->n_leaves + (int64_t)got->n_leaves, sizeof(*s->leaves)))
		status = GPUBE_ENOMEM;
	if (status)
		return status;
	memcpy(s->leaves + s->n_leaves, job->list, got->n_leaves * sizeof(*job->list));
	s->n_leaves += (int64_t)got->n_leaves;
	s->nodes += (int64_t)got->n_nodes;
	s->pivots += (int64_t)got->n_pivots;
	return GPUBE_OK;
}

/* One launch; *n is the size of the pool before and after. */
static int round_trip(struct job *job, unsigned long long *n)
{
	struct gpube_ctx *ctx = job->ctx;
	const uint64_t node = (uint64_t)(job->a.bytes[0] + job->a.bytes[1]);
	struct counts got = {0, 0, 0, 0, 0};
	struct round *a = &job->a;
	unsigned long long rest;
	char *in;
	int status = job->ops->upload(ctx, job->counts, &got, sizeof(got));

	if (status)
		return status;
	a->n_in = *n;
	a->share = *n < (unsigned long long)(job->blocks * WARPS) ? FEW : SHARE;
	/* what is not taken has to fit behind what comes out */
	a->most_out = POOL / node > *n ? POOL / node - *n : 0;
	round_kernel<<<job->blocks, 32 * WARPS, job->shared, gpube__device_of(ctx)->stream>>>(*a);
	GPUBE_ECUDA(ctx, cudaGetLastError());
	status = job->ops->download(ctx, &got, job->counts, sizeof(got));
	if (!status)
		status = collect(job, &got);
	if (status)
		return status;
	rest = got.taken < *n ? *n - got.taken : 0;
	if (rest)
		GPUBE_ECUDA(ctx, cudaMemcpyAsync(a->out + got.n_out * node,
					 a->in + got.taken * node, rest * node,
					 cudaMemcpyDeviceToDevice, gpube__device_of(ctx)->stream));
	*n = got.n_out + rest;
	in = (char *)a->in;
	a->in = a->out;
	a->out = in;
	return GPUBE_OK;
}

static int run(struct job *job)
{
	unsigned long long n = 0;
	int status = prepare(job, &n);

	while (!status && n > 0) {
		gpube__progress(job->ctx, -1, "%lld node%s, %llu open", (long long)job->s->nodes,
			gpube__plural(job->s->nodes), n);
		status = round_trip(job, &n);
		if (!status && n > 0 && gpube__stopped(job->ctx))
			status = gpube__fail_stopped(job->ctx);
		if (!status && n > 0 && job->s->budget >= 0 && job->s->nodes > job->s->budget)
			status = GPUBE_ELIMIT;
	}
	return status;
}

static int search(struct gpube_ctx *ctx, struct gpube_faces_search *s)
{
	struct job job = {};
	int status;

	if (gpube__faces_unsupported(s))
		return gpube__fail(ctx, GPUBE_EINVAL, "%s", gpube__faces_unsupported(s));
	job.ctx = ctx;
	job.s = s;
	job.ops = gpube__ops_cuda(ctx, &status);
	if (!job.ops)
		return status;
	status = run(&job);
	for (int k = 0; k < job.n_tables; k++)
		job.ops->free(ctx, job.tables[k]);
	gpube__free(ctx, job.list);
	return status;
}

static const struct gpube_faces_ops cuda_faces = {
	"cuda",
	gpube__faces_unsupported,
	search,
};

extern "C" const struct gpube_faces_ops *gpube__faces_cuda(struct gpube_ctx *ctx, int *status)
{
	return gpube__ops_cuda(ctx, status) ? &cuda_faces : NULL;
}
