/* support_cuda.cu - the support scan on a device: a block a support of player 1. See support.h. */
#include "gpube/ops/device.cuh"

#include <stdlib.h>

extern "C" {
#include "gpube/ops/ops.h"
#include "gpube/ops/support.h"
}
#include "gpube/ops/support_sides.h"

#define THREADS      128
#define MOST_ACTIONS 32
#define LIST         (1 << 18)  /* proposals that a launch may make */
#define PAIRS        (1ll << 32) /* of a launch: about a second */

/* What a launch reads and writes; all pointers are the device's. */
struct launch {
	int k, l, q;
	int64_t first, last, n_y; /* supports of player 1 from first on; all of player 2 */
	int64_t share, shares;
	int dominance;
	const uint64_t *x, *good_x, *y, *good_y;
	const double *c[2];
	struct gpube_support_pair *list;
	unsigned long long *counts; /* proposals in the list, and unsure pairs so far */
	unsigned long long most_unsure;
};

template <int Q>
__device__ static int check(const double *c0, const double *c1, const struct launch &a, uint64_t x,
	uint64_t y);

/* The size is known to the compiler, so that the matrix stays in registers. */
#define CHECK(Q)                                                                                   \
	template <>                                                                                \
	__device__ int check<Q>(const double *c0, const double *c1, const struct launch &a,        \
		uint64_t x, uint64_t y)                                                            \
	{                                                                                          \
		const int first = gpube__support_side_##Q(c0, a.k | 1, a.l, x, y);                 \
                                                                                                   \
		if (first == GPUBE_SUPPORT_NO)                                                     \
			return first;                                                              \
		const int second = gpube__support_side_##Q(c1, a.l | 1, a.k, y, x);                \
                                                                                                   \
		return second == GPUBE_SUPPORT_NO ? second : first > second ? first : second;      \
	}

CHECK(2)
CHECK(3)
CHECK(4)
CHECK(5)
CHECK(6)
CHECK(7)
CHECK(8)
CHECK(9)
CHECK(10)
CHECK(11)

template <>
__device__ int check<0>(
	const double *c0, const double *c1, const struct launch &a, uint64_t x, uint64_t y)
{
	return gpube__support_check(c0, a.k | 1, c1, a.l | 1, a.k, a.l, x, y, a.q);
}

template <int Q>
__device__ static void try_pair(
	const double *c0, const double *c1, const struct launch &a, uint64_t x, uint64_t y)
{
	const int answer = check<Q>(c0, c1, a, x, y);

	if (answer == GPUBE_SUPPORT_NO)
		return;
	if (answer == GPUBE_SUPPORT_UNSURE && atomicAdd(&a.counts[1], 1ull) >= a.most_unsure)
		return;
	const unsigned long long at = atomicAdd(&a.counts[0], 1ull);

	if (at < LIST) {
		a.list[at].x = x;
		a.list[at].y = y;
		a.list[at].answer = (enum gpube_support_answer)answer;
	}
}

/*
 * Pairs of supports x (first to last) and all y; those that may be equilibria go to the list.
 * Shape: (last - first) * n_y pairs, an elimination of q - 1 unknowns each, few of them two
 * Map:   block per x, grid-stride; a thread per y. With dominance the y that survive are
 *        collected until there is one for each thread
 * Moves: 16 bytes a pair out of L2; payoffs in shared memory, rows of odd length against conflicts
 * Ops:   q^3 / 3 fused multiply-adds and q^3 / 3 exchanges of doubles by comparison
 * Bound: issue, by the exchanges
 */
template <int Q> __global__ void __launch_bounds__(THREADS) scan_kernel(const struct launch a)
{
	extern __shared__ double payoffs[];
	__shared__ uint64_t queue[2 * THREADS];
	__shared__ int queued;
	double *c0 = payoffs, *c1 = payoffs + a.l * (a.k | 1);

	for (int n = threadIdx.x; n < a.k * a.l; n += THREADS) {
		c0[n / a.k * (a.k | 1) + n % a.k] = a.c[0][n];
		c1[n / a.l * (a.l | 1) + n % a.l] = a.c[1][n];
	}
	if (threadIdx.x == 0)
		queued = 0;
	__syncthreads();
	for (int64_t row = a.first + blockIdx.x; row < a.last; row += gridDim.x) {
		const uint64_t x = a.x[row], good = a.good_x[row];
		const int64_t from = (a.share - row * a.n_y % a.shares + a.shares) % a.shares;

		if (!a.dominance) {
			for (int64_t t = from + threadIdx.x * a.shares; t < a.n_y;
				t += THREADS * a.shares)
				try_pair<Q>(c0, c1, a, x, a.y[t]);
			continue;
		}
		for (int64_t base = from; base < a.n_y; base += THREADS * a.shares) {
			const int64_t t = base + threadIdx.x * a.shares;
			const bool last = base + THREADS * a.shares >= a.n_y;

			if (t < a.n_y) {
				const uint64_t y = a.y[t];

				if (!(y & ~good) && !(x & ~a.good_y[t]))
					queue[atomicAdd(&queued, 1)] = y;
			}
			__syncthreads();
			const int n = queued;

			__syncthreads();
			if (n < THREADS && !last)
				continue;
			/* from the end, so that what is left over stays in its place */
			const int rest = last ? 0 : n - THREADS;

			for (int e = rest + threadIdx.x; e < n; e += THREADS)
				try_pair<Q>(c0, c1, a, x, queue[e]);
			__syncthreads();
			if (threadIdx.x == 0)
				queued = rest;
			__syncthreads();
		}
	}
}

typedef void (*kernel_fn)(const struct launch);

static kernel_fn kernel_of(int q)
{
	static const kernel_fn kernels[GPUBE_SUPPORT_FIXED + 1] = {NULL, NULL, scan_kernel<2>,
		scan_kernel<3>, scan_kernel<4>, scan_kernel<5>, scan_kernel<6>, scan_kernel<7>,
		scan_kernel<8>, scan_kernel<9>, scan_kernel<10>, scan_kernel<11>};

	return q >= 2 && q <= GPUBE_SUPPORT_FIXED ? kernels[q] : scan_kernel<0>;
}

/* ---- the operator ----------------------------------------------------------------------- */

static const char *unsupported(const struct gpube_support_scan *s)
{
	const char *why = gpube__support_cpu()->unsupported(s);

	if (!why && (s->k > MOST_ACTIONS || s->l > MOST_ACTIONS))
		return "support scan: more than 32 actions on a device";
	return why;
}

/* Host copies of what a scan sends and receives, and its memory on the device. */
struct job {
	struct gpube_ctx *ctx;
	struct gpube_support_sets x, y;
	struct launch a;
	void *tables[8];
	int n_tables;
	struct gpube_support_pair *list;
};

/* The device is open: gpube__support_cuda() has seen to it. */
static const struct gpube_ops *ops_of(struct gpube_ctx *ctx)
{
	int status;

	return gpube__ops_cuda(ctx, &status);
}

static int send(struct job *job, const void **out, const void *from, uint64_t bytes)
{
	const struct gpube_ops *ops = ops_of(job->ctx);
	void *p = ops->alloc(job->ctx, bytes);

	if (!p)
		return GPUBE_ENOMEM;
	job->tables[job->n_tables++] = p;
	*out = p;
	return from ? ops->upload(job->ctx, p, from, bytes) : GPUBE_OK;
}

static int prepare(struct job *job, const struct gpube_support_scan *s)
{
	const uint64_t cells = (uint64_t)s->k * (uint64_t)s->l * sizeof(double);
	const uint64_t nx = (uint64_t)job->x.n * 8, ny = (uint64_t)job->y.n * 8;
	struct launch *a = &job->a;
	int status = send(job, (const void **)&a->x, job->x.mask, nx);

	if (!status)
		status = send(job, (const void **)&a->good_x, job->x.good, nx);
	if (!status)
		status = send(job, (const void **)&a->y, job->y.mask, ny);
	if (!status)
		status = send(job, (const void **)&a->good_y, job->y.good, ny);
	for (int p = 0; p < 2 && !status; p++)
		status = send(job, (const void **)&a->c[p], s->c[p], cells);
	if (!status)
		status = send(job, (const void **)&a->list, NULL, LIST * sizeof(*a->list));
	if (!status)
		status = send(job, (const void **)&a->counts, NULL, 2 * sizeof(*a->counts));
	if (!status) {
		job->list = (struct gpube_support_pair *)gpube__alloc(
			job->ctx, LIST, sizeof(*job->list));
		status = job->list ? GPUBE_OK : GPUBE_ENOMEM;
	}
	a->k = s->k;
	a->l = s->l;
	a->q = s->q;
	a->n_y = job->y.n;
	a->share = s->share;
	a->shares = s->shares;
	a->dominance = s->dominance;
	return status;
}

static int by_masks(const void *p, const void *q)
{
	const struct gpube_support_pair *a = (const struct gpube_support_pair *)p;
	const struct gpube_support_pair *b = (const struct gpube_support_pair *)q;

	if (a->x != b->x)
		return a->x < b->x ? -1 : 1;
	return a->y < b->y ? -1 : a->y > b->y;
}

/* Supports first to last of player 1; *fits is false if there were more proposals than room. */
static int launch(struct job *job, struct gpube_support_scan *s, bool *fits)
{
	const struct gpube_ops *ops = ops_of(job->ctx);
	const struct gpube__device *d = gpube__device_of(job->ctx);
	const kernel_fn kernel = kernel_of(s->q);
	const size_t shared = (size_t)(s->l * (s->k | 1) + s->k * (s->l | 1)) * sizeof(double);
	unsigned long long counts[2] = {0, 0};
	const int64_t room = s->most_unsure - s->n_unsure;
	int per_sm = 1, status;

	job->a.most_unsure = room > 0 ? (unsigned long long)room : 0;
	GPUBE_ECUDA(job->ctx, cudaOccupancyMaxActiveBlocksPerMultiprocessor(
				      &per_sm, kernel, THREADS, shared));
	status = ops->upload(job->ctx, job->a.counts, counts, sizeof(counts));
	if (status)
		return status;
	kernel<<<(unsigned)(d->n_sms * (per_sm > 0 ? per_sm : 1)), THREADS, shared, d->stream>>>(
		job->a);
	GPUBE_ECUDA(job->ctx, cudaGetLastError());
	status = ops->download(job->ctx, counts, job->a.counts, sizeof(counts));
	if (status)
		return status;
	*fits = counts[0] <= LIST;
	if (!*fits)
		return GPUBE_OK;
	status = ops->download(job->ctx, job->list, job->a.list, counts[0] * sizeof(*job->list));
	if (status)
		return status;
	/* threads finish in any order; the result is not to show it */
	qsort(job->list, (size_t)counts[0], sizeof(*job->list), by_masks);
	for (unsigned long long k = 0; k < counts[0] && !status; k++)
		status = gpube__support_add(job->ctx, s, &job->list[k]);
	/* those counted and not listed */
	if (counts[1] > job->a.most_unsure)
		s->n_unsure += (int64_t)(counts[1] - job->a.most_unsure);
	return status;
}

/* The pairs of the share among the first n. */
static int64_t share_of(const struct gpube_support_scan *s, int64_t n)
{
	return (n - s->share + s->shares - 1) / s->shares;
}

static int run(struct job *job, struct gpube_support_scan *s)
{
	int64_t rows = PAIRS / job->y.n * s->shares;
	int status = GPUBE_OK;

	rows = rows < 1 ? 1 : rows;
	for (int64_t at = 0; at < job->x.n && !status;) {
		bool fits = true;

		if (gpube__stopped(job->ctx))
			return gpube__fail_stopped(job->ctx);
		if (s->all > 0)
			gpube__progress(job->ctx, (s->before + (double)s->n_pairs) / s->all, "pairs");
		job->a.first = at;
		job->a.last = rows < job->x.n - at ? at + rows : job->x.n;
		status = launch(job, s, &fits);
		if (!status && !fits) {
			/* fewer supports make fewer proposals */
			if (job->a.last - at == 1)
				return gpube__fail(job->ctx, GPUBE_ERANGE,
					"support scan: too many equilibria with one support");
			rows = (job->a.last - at) / 2;
			continue;
		}
		s->n_pairs += share_of(s, job->a.last * job->y.n) - share_of(s, at * job->y.n);
		at = job->a.last;
	}
	return status;
}

static int scan(struct gpube_ctx *ctx, struct gpube_support_scan *s)
{
	struct job job = {};
	int status;

	job.ctx = ctx;
	if (unsupported(s))
		return gpube__fail(ctx, GPUBE_EINVAL, "%s", unsupported(s));
	status = gpube__support_sets(&job.x, ctx, s, 0);
	if (!status)
		status = gpube__support_sets(&job.y, ctx, s, 1);
	if (!status)
		status = prepare(&job, s);
	if (!status)
		status = run(&job, s);
	for (int k = 0; k < job.n_tables; k++)
		ops_of(ctx)->free(ctx, job.tables[k]);
	gpube__free(ctx, job.list);
	gpube__support_sets_clear(&job.x, ctx);
	gpube__support_sets_clear(&job.y, ctx);
	return status;
}

static const struct gpube_support_ops cuda_support = {
	"cuda",
	unsupported,
	scan,
	4e9,
};

extern "C" const struct gpube_support_ops *gpube__support_cuda(struct gpube_ctx *ctx, int *status)
{
	return gpube__ops_cuda(ctx, status) ? &cuda_support : NULL;
}
