/* support_cuda.cu - the support scan on a device. See support.h.
 *
 * One kernel makes the dictionaries of some supports of player 1 (support_dict.h), one queues
 * the pairs of these that dominance leaves, and one solves them. In one kernel, the registers of
 * the elimination would leave few warps to test pairs, which takes a few instructions each.
 */
#include "gpube/ops/device/device.cuh"

extern "C" {
#include "gpube/ops/ops.h"
#include "gpube/ops/support/support_sets.h"
}
#include "gpube/ops/support/support_dict.h"

#define MOST_ACTIONS 32
#define LIST         (1 << 18)      /* proposals that a launch may make */
#define PAIRS        (1ll << 32)    /* of a launch: about a second */
#define QUEUE        (1 << 24)      /* pairs that are queued at a time */
#define CHUNKS       1024           /* queues of a launch, at most */
#define DICT_BYTES   (1ll << 28)    /* dictionaries of a queue, at most */
#define TESTERS      256            /* threads of a block that tests pairs */
#define TILE         (32 * TESTERS) /* supports of player 2 that it tests with one of player 1 */
#define SOLVERS      256            /* threads of a block that solves them */
#define BATCH        3072           /* pairs that it sorts at a time */
#define MAKERS       64             /* threads of a block that makes dictionaries */
#define LISTERS      64             /* and of one that lists sets */

/* A number of proposals, of unsure pairs that asked for a place in the list, of all unsure ones. */
enum { LISTED, ASKED, UNSURE, QUEUED };

/* What there is to know of a dictionary, its cells apart; see struct gpube_support_dict. */
struct about {
	double least;
	uint32_t rows, columns;
};

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
	struct about *about; /* of side 0 and of side 1 of each support of the queue */
	double *cells;       /* most_cells for each */
	int most_cells;
	struct gpube_support_pair *list;
	unsigned long long *counts; /* LISTED, …; QUEUED and on: of each queue */
	unsigned long long most_unsure;
	uint2 *queue; /* number of the support of player 1, mask of player 2's */
	int chunk;
};

/*
 * All sets of q actions of a player, and what a dominance test needs of each.
 * Shape: n sets, one a thread
 * Ops:   q + l divisions to find it, l^2 tests of a mask
 * Bound: latency; tens of microseconds
 */
__global__ void __launch_bounds__(LISTERS) list_kernel(const struct launch a, int side)
{
	__shared__ uint64_t better[MOST_ACTIONS * MOST_ACTIONS];
	const int64_t n = side ? a.n_y : a.n_x;
	const int k = side ? a.l : a.k, l = side ? a.k : a.l;
	uint32_t *masks = side ? a.y : a.x, *good = side ? a.good_y : a.good_x;
	const int64_t i = (int64_t)blockIdx.x * LISTERS + threadIdx.x;

	for (int e = threadIdx.x; e < l * l; e += LISTERS)
		better[e] = a.better[side][e];
	__syncthreads();
	if (i < n) {
		const uint64_t set = gpube__set_number(i, k, a.q);

		masks[i] = (uint32_t)set;
		good[i] = a.dominance ? (uint32_t)gpube__undominated(better, l, set)
				      : ~(uint32_t)0 >> (32 - l);
	}
}

/*
 * The dictionaries of the queue's supports of player 1.
 * Shape: two a support, of at most most_cells
 * Map:   warp a dictionary, lane a column
 * Moves: its cells once; it is made in shared memory
 * Ops:   q exchanges of as many multiply-adds as it has cells
 * Bound: latency, of q searches for a pivot
 */
__global__ void __launch_bounds__(MAKERS) dict_kernel(const struct launch a, int64_t n)
{
	extern __shared__ double room[];
	__shared__ unsigned char labels[MAKERS / 32][2][MOST_ACTIONS + 2];
	const int warp = threadIdx.x / 32, room_cells = gpube__support_dict_room(a.k, a.l, a.q);
	const int64_t at = (int64_t)blockIdx.x * (MAKERS / 32) + warp;
	const int side = (int)(at & 1);
	const int64_t x = a.first / a.n_tiles + at / 2;
	struct gpube_support_making making;
	struct gpube_support_dict d;

	if (at >= n)
		return;
	making.d = room + warp * room_cells;
	making.row = labels[warp][0];
	making.column = labels[warp][1];
	gpube__support_dict(&d, a.cells + at * a.most_cells, &making, a.c[side], side ? a.l : a.k,
		a.k, a.q, side, a.x[x], a.good_x[x]);
	if (threadIdx.x % 32 == 0)
		a.about[at] = {d.least, d.rows, d.columns};
}

/*
 * Queues the pairs of the share that dominance leaves, of items first to last.
 * Shape: (last - first) * TILE pairs
 * Map:   block an item, grid-stride; a warp tests 1024 neighbouring y against the item's x, 32 at a
 *        time. They stay neighbours in the queue: what reads it finds the same payoffs in most
 *        threads of a warp, not in as many banks (measured without: solve_kernel takes 1.4 times as
 *        long)
 * Moves: 8 bytes a pair, mostly out of L1; 8 bytes into the queue for each that is left
 * Ops:   a few logical instructions a pair
 * Bound: issue
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
					make_uint2((uint32_t)row, a.y[base + 32 * b]);
		}
	}
}

/* Pairs of a queue that a block has taken, and what it knows of them. */
struct batch {
	uint2 pair[BATCH];
	unsigned short order[BATCH]; /* those that are left, by their number of exchanges */
	unsigned char answer[BATCH], n_swaps[BATCH];
	int next[GPUBE_SUPPORT_SWAPS +
		 1]; /* of each number: how many, then where the next one goes */
	int n_left;
};

__device__ static struct gpube_support_dict dictionary(const struct launch &a, uint32_t x, int side)
{
	const int64_t at = 2 * (x - a.first / a.n_tiles) + side;
	const struct about about = a.about[at];
	struct gpube_support_dict d;

	d.d = a.cells + at * a.most_cells;
	d.least = about.least;
	d.rows = about.rows;
	d.columns = about.columns;
	d.n_rows = side ? a.k : __popc(about.rows) + a.q;
	d.stride = 1 + __popc(about.columns);
	return d;
}

/*
 * Sorts the pairs of the batch that are left by their number of exchanges: the lanes of a warp are
 * to have the same. Neighbours stay neighbours, who read the same cells.
 */
__device__ static void sort_batch(struct batch *b, const struct launch &a, int n, int side)
{
	const int lane = threadIdx.x % 32;

	if (threadIdx.x <= GPUBE_SUPPORT_SWAPS)
		b->next[threadIdx.x] = 0;
	__syncthreads();
	for (int i = threadIdx.x; i < n; i += SOLVERS)
		if (b->answer[i] != GPUBE_SUPPORT_NO) {
			const struct gpube_support_dict d = dictionary(a, b->pair[i].x, side);

			b->n_swaps[i] =
				(unsigned char)__popc(gpube__support_zero(&d, side, b->pair[i].y));
			atomicAdd(&b->next[b->n_swaps[i]], 1);
		}
	__syncthreads();
	if (threadIdx.x == 0) {
		int sum = 0;

		for (int k = 0; k <= GPUBE_SUPPORT_SWAPS; k++) {
			const int of_k = b->next[k];

			b->next[k] = sum;
			sum += of_k;
		}
		b->n_left = sum;
	}
	__syncthreads();
	for (int i = threadIdx.x; i < BATCH; i += SOLVERS) {
		const bool left = i < n && b->answer[i] != GPUBE_SUPPORT_NO;
		const int k = left ? b->n_swaps[i] : -1;
		const unsigned same = __match_any_sync(~0u, k);
		const int leader = __ffs((int)same) - 1;
		int to = 0;

		if (left && lane == leader)
			to = atomicAdd(&b->next[k], __popc(same));
		to = __shfl_sync(~0u, to, leader) + __popc(same & ((1u << lane) - 1));
		if (left)
			b->order[to] = (unsigned short)i;
	}
	__syncthreads();
}

/* One side of all pairs that are left; the answer of side 1 joins that of side 0. */
__device__ static void solve_side(struct batch *b, const struct launch &a, int n, int side)
{
	sort_batch(b, a, n, side);
	for (int at = (int)threadIdx.x / 32 * 32; at < b->n_left; at += SOLVERS) {
		const int end = at + 32 < b->n_left ? at + 32 : b->n_left;
		const int most = b->n_swaps[b->order[end - 1]], mine = at + (int)threadIdx.x % 32;

		if (mine < end) {
			const int i = b->order[mine];
			const struct gpube_support_dict d = dictionary(a, b->pair[i].x, side);
			const int answer = gpube__support_swap(&d, side, b->pair[i].y, most);

			if (side == 0 || answer == GPUBE_SUPPORT_NO || answer > b->answer[i])
				b->answer[i] = (unsigned char)answer;
		}
	}
	__syncthreads();
}

/* A pair that is not rejected goes to the list, an unsure one if there is room; 1 if it is unsure.
 */
__device__ static int propose(const struct launch &a, uint2 pair, int answer)
{
	unsigned long long at;

	/* when there are as many as are wanted, nobody waits to be counted */
	if (answer == GPUBE_SUPPORT_UNSURE &&
		(__ldcg(&a.counts[ASKED]) >= a.most_unsure ||
			atomicAdd(&a.counts[ASKED], 1ull) >= a.most_unsure))
		return 1;
	at = atomicAdd(&a.counts[LISTED], 1ull);
	if (at < LIST) {
		a.list[at].x = a.x[pair.x];
		a.list[at].y = pair.y;
		a.list[at].answer = (enum gpube_support_answer)answer;
	}
	return answer == GPUBE_SUPPORT_UNSURE;
}

/*
 * Solves the queued pairs; those that may be equilibria go to the list.
 * Shape: counts[QUEUED + chunk] pairs, of k exchanges, 0 to the smaller of q and l - q, on each
 *        side; those that side 0 leaves go on to side 1
 * Map:   block a batch, grid-stride; there thread a pair, those with the same k in a warp
 * Moves: 8 bytes a pair; (k + 1)^2 cells of dictionaries, which stay in L1
 * Ops:   k^3 / 3 fused multiply-adds and k^3 / 3 exchanges of doubles by comparison, and up to k
 *        a row for those that get that far
 * Bound: latency, of few warps for their registers, and lanes that have their answer already: on
 *        an H100 a third of the issue slots, 20 lanes of 32 (benchmarks/runs/nash-h200). Weighed:
 *        80 registers for three blocks took 0.93 to 1.2 times as long, 255 for one 1.2 to 1.35,
 *        batches of 1024 pairs 1.02 to 1.2
 */
__global__ void __launch_bounds__(SOLVERS, 2) solve_kernel(const struct launch a)
{
	__shared__ struct batch b;
	const int64_t n = (int64_t)a.counts[QUEUED + a.chunk];
	unsigned long long unsure = 0;

	for (int64_t from = (int64_t)blockIdx.x * BATCH; from < n;
		from += (int64_t)gridDim.x * BATCH) {
		const int m = n - from < BATCH ? (int)(n - from) : BATCH;

		for (int i = threadIdx.x; i < m; i += SOLVERS) {
			b.pair[i] = a.queue[from + i];
			b.answer[i] = GPUBE_SUPPORT_YES;
		}
		for (int side = 0; side < 2; side++)
			solve_side(&b, a, m, side);
		for (int i = threadIdx.x; i < m; i += SOLVERS)
			if (b.answer[i] != GPUBE_SUPPORT_NO)
				unsure += (unsigned long long)propose(a, b.pair[i], b.answer[i]);
	}
	for (int d = 16; d > 0; d /= 2)
		unsure += __shfl_down_sync(~0u, unsure, d);
	if (threadIdx.x % 32 == 0 && unsure)
		atomicAdd(&a.counts[UNSURE], unsure);
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
	void *tables[14];
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
	list_kernel<<<(unsigned)((n + LISTERS - 1) / LISTERS), LISTERS, 0,
		gpube__device_of(job->ctx)->stream>>>(*a, side);
	GPUBE_ECUDA(job->ctx, cudaGetLastError());
	return GPUBE_OK;
}

/* Supports of player 1 whose dictionaries there is room for. */
static int64_t rows_of_queue(const struct launch *a)
{
	return DICT_BYTES / (2 * (int64_t)sizeof(double) * a->most_cells);
}

/* Items of which a queue takes all pairs of the share, and all supports of player 1. */
static int64_t items_of_queue(const struct launch *a)
{
	const int64_t by_pairs = QUEUE / ((a->n_y < TILE ? a->n_y : TILE) / a->shares + 1);
	const int64_t by_rows = (rows_of_queue(a) - 1) * a->n_tiles;

	return by_pairs < by_rows ? by_pairs : by_rows;
}

/* Room for the queue and for the dictionaries of its supports. */
static int make_room(struct job *job)
{
	struct launch *a = &job->a;
	const int64_t of_queue = items_of_queue(a) / a->n_tiles + 2;
	const int64_t rows = of_queue < a->n_x ? of_queue : a->n_x;
	int status = send(job, (void **)&a->queue, NULL,
		(uint64_t)(QUEUE < a->n_x * a->n_y ? QUEUE : a->n_x * a->n_y) * sizeof(*a->queue));

	if (!status)
		status =
			send(job, (void **)&a->about, NULL, 2 * (uint64_t)rows * sizeof(*a->about));
	if (!status)
		status = send(job, (void **)&a->cells, NULL,
			2 * (uint64_t)rows * (uint64_t)a->most_cells * sizeof(*a->cells));
	return status;
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
	a->most_cells = gpube__support_dict_cells(s->k, s->l, s->q, 0);
	if (a->most_cells < gpube__support_dict_cells(s->k, s->l, s->q, 1))
		a->most_cells = gpube__support_dict_cells(s->k, s->l, s->q, 1);
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
		status = make_room(job);
	if (!status) {
		job->list = (struct gpube_support_pair *)gpube__alloc(
			job->ctx, 2 * LIST, sizeof(*job->list));
		job->sorted = job->list + LIST;
		status = job->list ? GPUBE_OK : GPUBE_ENOMEM;
	}
	return status;
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
	const size_t room = (size_t)gpube__support_dict_room(a->k, a->l, a->q) * sizeof(double);
	const int64_t step = items_of_queue(a), end = last * a->n_tiles;
	const int64_t testers = (int64_t)d->n_sms * 8;

	a->chunk = 0;
	for (int64_t at = first * a->n_tiles; at < end; at += step, a->chunk++) {
		a->first = at;
		a->last = step < end - at ? at + step : end;
		const int64_t dicts = 2 * ((a->last - 1) / a->n_tiles - at / a->n_tiles + 1);

		dict_kernel<<<(unsigned)((dicts + MAKERS / 32 - 1) / (MAKERS / 32)), MAKERS,
			MAKERS / 32 * room, d->stream>>>(*a, dicts);
		test_kernel<<<(unsigned)(testers < a->last - at ? testers : a->last - at), TESTERS,
			0, d->stream>>>(*a);
		solve_kernel<<<(unsigned)(2 * d->n_sms), SOLVERS, 0, d->stream>>>(*a);
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
	6e9,
};

extern "C" const struct gpube_support_ops *gpube__support_cuda(struct gpube_ctx *ctx, int *status)
{
	return gpube__ops_cuda(ctx, status) ? &cuda_support : NULL;
}
