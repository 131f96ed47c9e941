/* support_cuda.cu - the support scan on a device. See support.h.
 *
 * The pairs that dominance leaves are queued by one kernel and solved by another. In one
 * kernel, where every block collected its pairs itself, the many registers of the elimination
 * left two blocks a multiprocessor to test pairs, which takes a few instructions each; and pairs
 * that are unsure, nearly all of some degenerate games, waited for each other to be counted.
 */
#include "gpube/ops/device.cuh"

extern "C" {
#include "gpube/ops/ops.h"
#include "gpube/ops/support_sets.h"
}
#include "gpube/ops/support_sides.h"

#define THREADS      128
#define MOST_ACTIONS 32
#define LIST         (1 << 18)      /* proposals that a launch may make */
#define PAIRS        (1ll << 32)    /* of a launch: about a second */
#define QUEUE        (1 << 24)      /* pairs that are queued at a time */
#define CHUNKS       1024           /* queues of a launch, at most */
#define TESTERS      256            /* threads of a block that tests pairs */
#define TILE         (32 * TESTERS) /* supports of player 2 that it tests with one of player 1 */

/* A number of proposals, of unsure pairs that asked for a place in the list, of all unsure ones. */
enum { LISTED, ASKED, UNSURE, QUEUED };

/* What a launch reads and writes; all pointers are the device's. */
struct launch {
	int k, l, q;
	int64_t n_x, n_y, n_tiles;
	int64_t first,
		last; /* items of this queue: a support of player 1 and a tile of player 2's */
	int64_t share, shares;
	int dominance;
	const uint64_t *better[2];
	uint32_t *x, *good_x, *y, *good_y;
	const double *c[2];
	struct gpube_support_pair *list;
	unsigned long long *counts; /* LISTED, …; QUEUED and on: of each queue */
	unsigned long long most_unsure;
	uint2 *queue;
	int chunk;
};

/*
 * All sets of q actions of a player, and what a dominance test needs of each.
 * Shape: n sets; 16 a thread, for the first is found by its number
 * Ops:   up to l^2 tests of a mask a set
 * Bound: latency; microseconds
 */
__global__ void list_kernel(const struct launch a, int side)
{
	const int64_t n = side ? a.n_y : a.n_x;
	const int l = side ? a.k : a.l;
	uint32_t *masks = side ? a.y : a.x, *good = side ? a.good_y : a.good_x;
	const int64_t from = 16 * ((int64_t)blockIdx.x * blockDim.x + threadIdx.x);
	uint64_t set;

	if (from >= n)
		return;
	set = gpube__set_number(from, a.q);
	for (int64_t i = from; i < from + 16 && i < n; i++) {
		masks[i] = (uint32_t)set;
		good[i] = a.dominance ? (uint32_t)gpube__undominated(a.better[side], l, set)
				      : ~(uint32_t)0;
		set = gpube__set_after(set);
	}
}

/*
 * Queues the pairs of the share that dominance leaves, of items first to last.
 * Shape: (last - first) * TILE pairs
 * Map:   block an item, grid-stride; a warp tests 1024 neighbouring y against the item's x, 32 at a
 * time. They stay neighbours in the queue: what reads it finds the same payoffs in most threads of
 * a warp, not in as many banks (measured without: solve_kernel takes 1.4 times as long) Moves: 8
 * bytes a pair, mostly out of L1; 8 bytes into the queue for each that is left Ops:   a few logical
 * instructions a pair Bound: issue
 */
__global__ void __launch_bounds__(TESTERS) test_kernel(const struct launch a)
{
	const int lane = threadIdx.x % 32;

	for (int64_t item = a.first + blockIdx.x; item < a.last; item += gridDim.x) {
		const int64_t row = item / a.n_tiles;
		const int64_t base = item % a.n_tiles * TILE + threadIdx.x / 32 * 1024 + lane;
		const uint32_t x = a.x[row], good = a.good_x[row];
		uint32_t left = 0, sum; /* of lane b: those that are left of the 32 number b */
		unsigned long long at = 0;

		for (int b = 0; b < 32; b++) {
			const int64_t t = base + 32 * b;
			const bool stays =
				t < a.n_y && !(a.y[t] & ~good) && !(x & ~a.good_y[t]) &&
				(a.shares == 1 || (row * a.n_y + t) % a.shares == a.share);
			const uint32_t word = __ballot_sync(~0u, stays);

			left = lane == b ? word : left;
		}
		sum = __popc(left);
		for (int d = 1; d < 32; d *= 2) {
			const uint32_t v = __shfl_up_sync(~0u, sum, d);

			sum += lane >= d ? v : 0;
		}
		if (lane == 31 && sum)
			at = atomicAdd(&a.counts[QUEUED + a.chunk], (unsigned long long)sum);
		at = __shfl_sync(~0u, at, 31) + sum - __popc(left);
		for (int b = 0; b < 32; b++) {
			const uint32_t word = __shfl_sync(~0u, left, b);
			const unsigned long long to = __shfl_sync(~0u, at, b);

			if (word >> lane & 1)
				a.queue[to + __popc(word & ((1u << lane) - 1))] =
					make_uint2(x, a.y[base + 32 * b]);
		}
	}
}

template <int Q>
__device__ static int check(
	const double *c0, const double *c1, const struct launch &a, uint64_t x, uint64_t y);

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

/*
 * Solves the queued pairs; those that may be equilibria go to the list.
 * Shape: counts[QUEUED + chunk] pairs, an elimination of q - 1 unknowns each, few of them two
 * Map:   thread a pair, grid-stride
 * Moves: 8 bytes a pair; payoffs in shared memory, rows of odd length against conflicts
 * Ops:   q^3 / 3 fused multiply-adds and q^3 / 3 exchanges of doubles by comparison
 * Bound: issue, by the exchanges
 */
template <int Q> __global__ void __launch_bounds__(THREADS) solve_kernel(const struct launch a)
{
	extern __shared__ double payoffs[];
	double *c0 = payoffs, *c1 = payoffs + a.l * (a.k | 1);
	const int64_t n = (int64_t)a.counts[QUEUED + a.chunk];
	unsigned long long unsure = 0;

	for (int i = threadIdx.x; i < a.k * a.l; i += THREADS) {
		c0[i / a.k * (a.k | 1) + i % a.k] = a.c[0][i];
		c1[i / a.l * (a.l | 1) + i % a.l] = a.c[1][i];
	}
	__syncthreads();
	for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < n;
		i += (int64_t)gridDim.x * THREADS) {
		const uint2 pair = a.queue[i];
		const int answer = check<Q>(c0, c1, a, pair.x, pair.y);
		unsigned long long at;

		if (answer == GPUBE_SUPPORT_NO)
			continue;
		/* when there are as many as are wanted, nobody waits to be counted */
		if (answer == GPUBE_SUPPORT_UNSURE) {
			unsure++;
			if (__ldcg(&a.counts[ASKED]) >= a.most_unsure ||
				atomicAdd(&a.counts[ASKED], 1ull) >= a.most_unsure)
				continue;
		}
		at = atomicAdd(&a.counts[LISTED], 1ull);
		if (at < LIST) {
			a.list[at].x = pair.x;
			a.list[at].y = pair.y;
			a.list[at].answer = (enum gpube_support_answer)answer;
		}
	}
	for (int d = 16; d > 0; d /= 2)
		unsure += __shfl_down_sync(~0u, unsure, d);
	if (threadIdx.x % 32 == 0 && unsure)
		atomicAdd(&a.counts[UNSURE], unsure);
}

typedef void (*kernel_fn)(const struct launch);

static kernel_fn kernel_of(int q)
{
	static const kernel_fn kernels[GPUBE_SUPPORT_FIXED + 1] = {NULL, NULL, solve_kernel<2>,
		solve_kernel<3>, solve_kernel<4>, solve_kernel<5>, solve_kernel<6>, solve_kernel<7>,
		solve_kernel<8>, solve_kernel<9>, solve_kernel<10>, solve_kernel<11>};

	return q >= 2 && q <= GPUBE_SUPPORT_FIXED ? kernels[q] : solve_kernel<0>;
}

/* ---- the operator ----------------------------------------------------------------------- */

static const char *unsupported(const struct gpube_support_scan *s)
{
	const char *why = gpube__support_cpu()->unsupported(s);

	if (!why && (s->k > MOST_ACTIONS || s->l > MOST_ACTIONS))
		return "support scan: more than 32 actions on a device";
	return why;
}

/* A scan's memory on the device, and the host's copy of its proposals. */
struct job {
	struct gpube_ctx *ctx;
	struct launch a;
	void *tables[12];
	int n_tables;
	struct gpube_support_pair *list, *sorted;
};

/* The device is open: gpube__support_cuda() has seen to it. */
static const struct gpube_ops *ops_of(struct gpube_ctx *ctx)
{
	int status;

	return gpube__ops_cuda(ctx, &status);
}

/* Memory on the device, sent 'from' if that is not NULL. */
static int send(struct job *job, void **out, const void *from, uint64_t bytes)
{
	const struct gpube_ops *ops = ops_of(job->ctx);

	*out = ops->alloc(job->ctx, bytes);
	if (!*out)
		return GPUBE_ENOMEM;
	job->tables[job->n_tables++] = *out;
	return from ? ops->upload(job->ctx, *out, from, bytes) : GPUBE_OK;
}

static int list_sets(struct job *job, int side)
{
	struct launch *a = &job->a;
	const int64_t n = side ? a->n_y : a->n_x;
	int status = send(job, (void **)(side ? &a->y : &a->x), NULL, (uint64_t)n * 4);

	if (!status)
		status =
			send(job, (void **)(side ? &a->good_y : &a->good_x), NULL, (uint64_t)n * 4);
	if (status)
		return status;
	list_kernel<<<(unsigned)(n / (16 * 64) + 1), 64, 0, gpube__device_of(job->ctx)->stream>>>(
		*a, side);
	GPUBE_ECUDA(job->ctx, cudaGetLastError());
	return GPUBE_OK;
}

static int prepare(struct job *job, const struct gpube_support_scan *s)
{
	const uint64_t cells = (uint64_t)s->k * (uint64_t)s->l * sizeof(double);
	uint64_t better[MOST_ACTIONS * MOST_ACTIONS];
	struct launch *a = &job->a;
	int status = GPUBE_OK;

	*a = (struct launch){};
	a->k = s->k;
	a->l = s->l;
	a->q = s->q;
	a->n_x = gpube__choose(s->k, s->q);
	a->n_y = gpube__choose(s->l, s->q);
	a->n_tiles = (a->n_y + TILE - 1) / TILE;
	a->share = s->share;
	a->shares = s->shares;
	a->dominance = s->dominance;
	for (int side = 0; side < 2 && !status; side++) {
		const int l = side ? s->k : s->l;

		gpube__support_better(better, s->c[side], side ? s->l : s->k, l);
		status = send(job, (void **)&a->better[side], better,
			(uint64_t)l * (uint64_t)l * sizeof(*better));
		if (!status)
			status = send(job, (void **)&a->c[side], s->c[side], cells);
	}
	if (!status)
		status = list_sets(job, 0);
	if (!status)
		status = list_sets(job, 1);
	if (!status)
		status = send(job, (void **)&a->list, NULL, LIST * sizeof(*a->list));
	if (!status)
		status = send(
			job, (void **)&a->counts, NULL, (QUEUED + CHUNKS) * sizeof(*a->counts));
	if (!status)
		status = send(job, (void **)&a->queue, NULL,
			(uint64_t)(QUEUE < a->n_x * a->n_y ? QUEUE : a->n_x * a->n_y) *
				sizeof(*a->queue));
	if (!status) {
		job->list = (struct gpube_support_pair *)gpube__alloc(
			job->ctx, 2 * LIST, sizeof(*job->list));
		job->sorted = job->list + LIST;
		status = job->list ? GPUBE_OK : GPUBE_ENOMEM;
	}
	return status;
}

/* Items of which a queue takes all pairs of the share. */
static int64_t items_of_queue(const struct launch *a)
{
	return QUEUE / ((a->n_y < TILE ? a->n_y : TILE) / a->shares + 1);
}

/* By x, then y, a byte of the two at a time: where there are many, qsort() takes as long as a scan.
 */
static void sort(struct job *job, int64_t n)
{
	for (int byte = 0; byte < 8; byte++) {
		struct gpube_support_pair *const from = job->list;
		int64_t at[257] = {0};

#define DIGIT(p) (((byte < 4 ? (p).y : (p).x) >> byte % 4 * 8) & 255)
		for (int64_t k = 0; k < n; k++)
			at[DIGIT(from[k]) + 1]++;
		if (n == 0 || at[DIGIT(from[0]) + 1] == n)
			continue;
		for (int d = 0; d < 256; d++)
			at[d + 1] += at[d];
		for (int64_t k = 0; k < n; k++)
			job->sorted[at[DIGIT(from[k])]++] = from[k];
#undef DIGIT
		job->list = job->sorted;
		job->sorted = from;
	}
}

/* Begins the kernels of all items of the supports first to last of player 1. */
static int begin(struct job *job, int64_t first, int64_t last)
{
	const struct gpube__device *d = gpube__device_of(job->ctx);
	struct launch *a = &job->a;
	const kernel_fn kernel = kernel_of(a->q);
	const size_t shared = (size_t)(a->l * (a->k | 1) + a->k * (a->l | 1)) * sizeof(double);
	const int64_t step = items_of_queue(a);
	int per_sm = 1;

	GPUBE_ECUDA(job->ctx,
		cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, kernel, THREADS, shared));
	a->chunk = 0;
	for (int64_t at = first * a->n_tiles; at < last * a->n_tiles; at += step, a->chunk++) {
		const int64_t end = last * a->n_tiles, testers = (int64_t)d->n_sms * 8;

		a->first = at;
		a->last = step < end - at ? at + step : end;
		test_kernel<<<(unsigned)(testers < a->last - at ? testers : a->last - at), TESTERS,
			0, d->stream>>>(*a);
		kernel<<<(unsigned)(d->n_sms * (per_sm > 0 ? per_sm : 1)), THREADS, shared,
			d->stream>>>(*a);
		GPUBE_ECUDA(job->ctx, cudaGetLastError());
	}
	return GPUBE_OK;
}

/* Supports first to last of player 1; *fits is false if there were more proposals than room. */
static int launch(
	struct job *job, struct gpube_support_scan *s, int64_t first, int64_t last, bool *fits)
{
	const struct gpube_ops *ops = ops_of(job->ctx);
	unsigned long long counts[QUEUED + CHUNKS] = {0}, listed;
	const int64_t room = s->most_unsure - s->n_unsure;
	int status;

	job->a.most_unsure = room > 0 ? (unsigned long long)room : 0;
	status = ops->upload(job->ctx, job->a.counts, counts, sizeof(counts));
	if (!status)
		status = begin(job, first, last);
	if (!status)
		status = ops->download(job->ctx, counts, job->a.counts, QUEUED * sizeof(*counts));
	if (status)
		return status;
	listed = counts[LISTED];
	*fits = listed <= LIST;
	if (!*fits)
		return GPUBE_OK;
	if (listed)
		status = ops->download(
			job->ctx, job->list, job->a.list, listed * sizeof(*job->list));
	if (status)
		return status;
	/* threads finish in any order; the result is not to show it */
	sort(job, (int64_t)listed);
	for (unsigned long long k = 0; k < listed && !status; k++)
		status = gpube__support_add(job->ctx, s, &job->list[k]);
	/* those that found no room are counted alone */
	if (counts[UNSURE] > job->a.most_unsure)
		s->n_unsure += (int64_t)(counts[UNSURE] - job->a.most_unsure);
	return status;
}

/* The pairs of the share among the first n. */
static int64_t share_of(const struct gpube_support_scan *s, int64_t n)
{
	return (n - s->share + s->shares - 1) / s->shares;
}

static int run(struct job *job, struct gpube_support_scan *s)
{
	const int64_t n_x = job->a.n_x, n_y = job->a.n_y;
	const int64_t most = CHUNKS * items_of_queue(&job->a) / job->a.n_tiles;
	int64_t rows = PAIRS / n_y * s->shares, last;

	rows = rows < most ? rows : most;
	rows = rows < 1 ? 1 : rows;
	for (int64_t at = 0; at < n_x; at = last) {
		bool fits = true;

		if (gpube__stopped(job->ctx))
			return gpube__fail_stopped(job->ctx);
		if (s->poll) {
			const int polled = s->poll(s->poll_arg);

			if (polled)
				return polled;
		}
		if (s->all > 0)
			gpube__progress(
				job->ctx, (s->before + (double)s->n_pairs) / s->all, "pairs");
		last = rows < n_x - at ? at + rows : n_x;
		const int status = launch(job, s, at, last, &fits);

		if (status)
			return status;
		if (!fits) {
			/* fewer supports make fewer proposals */
			if (last - at == 1)
				return gpube__fail(job->ctx, GPUBE_ERANGE,
					"support scan: too many equilibria with one support");
			rows = (last - at) / 2;
			last = at;
			continue;
		}
		s->n_pairs += share_of(s, last * n_y) - share_of(s, at * n_y);
	}
	return GPUBE_OK;
}

static int scan(struct gpube_ctx *ctx, struct gpube_support_scan *s)
{
	struct job job = {};
	int status;

	job.ctx = ctx;
	if (unsupported(s))
		return gpube__fail(ctx, GPUBE_EINVAL, "%s", unsupported(s));
	status = prepare(&job, s);
	if (!status)
		status = run(&job, s);
	for (int k = 0; k < job.n_tables; k++)
		ops_of(ctx)->free(ctx, job.tables[k]);
	gpube__free(ctx, job.list < job.sorted ? job.list : job.sorted);
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
