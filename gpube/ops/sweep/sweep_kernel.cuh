/*
 * sweep_kernel.cuh - the kernels of sweep_cuda.cu: a state is worked on by a cluster of blocks,
 * which meet after each wave; a group of a block's threads takes one separator after the other,
 * with what lists force on it in shared memory.
 *
 * Moves: of each entry its cost twice, its cell twice, and its cost back: from L2, where plans and
 *        states of ordinary size stay.
 * Bound: the latency of a separator's three passes, times the separators of a group in each wave;
 *        so a state alone is given as many blocks as a cluster may have.
 */
#ifndef GPUBE_OPS_SWEEP_KERNEL_CUH
#define GPUBE_OPS_SWEEP_KERNEL_CUH

#include "gpube/ops/device/device.cuh"

#include <cooperative_groups.h>

extern "C" {
#include "gpube/ops/sweep/sweep.h"
}

namespace cg = cooperative_groups;

#define THREADS       512
#define WARPS         (THREADS / 32)
#define SMALL_GROUP   128 /* threads that have a separator in hand, of a block of several groups */
#define GROUPS        (THREADS / SMALL_GROUP)
#define MOST_CACHED   32   /* members of a separator that are kept in shared memory */
#define OTHER_SHARED  8192 /* bytes of shared memory at most, beside the rooms */
#define MOST_CLUSTER  16
#define BLOCKS_AN_SM  2
#define MOST_STATES   255 /* beside the first */
#define COPY_THREADS  256
#define COPY_BLOCKS   32 /* of a state */
#define FORBID_BLOCKS 4
/* Constants that a launch hands back for each state: of so many sweeps. */
#define MOST_SWEEPS 64

/* The beginning of a state on the card. */
struct sweep_head {
	int64_t constant;
	unsigned long long rise[3]; /* of this wave, of the next, of the one before */
};

struct sweep_view {
	const struct gpube_sweep_separator *separators;
	const struct gpube_sweep_member *members;
	const uint32_t *cells;
	const int32_t *wave;
	int32_t n_waves, n_sweeps;
	bool back;
	int64_t target, n_costs;
	struct sweep_head *heads;
	int64_t *after; /* the host's memory: constants after each sweep, state by state */
	int32_t *costs; /* of all states, one behind the other */
	int32_t *rooms; /* of all blocks, 'room' cells each; NULL: shared memory is enough */
	int64_t room;
};

/* ---- a group --------------------------------------------------------------------------------- */

/*
 * The threads that have one separator in hand: 'SIZE' of them, a whole block, or a part of it that
 * meets at a barrier of its own.
 */
struct sweep_group {
	const struct sweep_view *v;
	struct gpube_sweep_separator s;
	const struct gpube_sweep_member *members; /* in shared memory, or the plan's */
	struct gpube_sweep_member *cache;         /* room for MOST_CACHED of them */
	int32_t *costs;
	int32_t *room;  /* the sum, then what each member forces */
	int32_t *least; /* of each warp, in shared memory */
};

template <int SIZE> __device__ static inline void meet(void)
{
	if (SIZE == THREADS)
		__syncthreads();
	else
		asm volatile("bar.sync %0, %1;" ::"r"(1 + (int)threadIdx.x / SIZE), "r"(SIZE)
			     : "memory");
}

/* What the plan says of separator k, which nothing changes: it may be asked for ahead. */
template <int SIZE> __device__ static inline void take(struct sweep_group *g, int32_t k)
{
	const int32_t words = (int32_t)(sizeof(*g->members) / sizeof(int32_t));

	g->s = g->v->separators[k];
	g->members = g->v->members + g->s.member;
	if (g->s.n_members > MOST_CACHED)
		return;
	for (int32_t i = threadIdx.x % SIZE; i < g->s.n_members * words; i += SIZE)
		((int32_t *)g->cache)[i] = __ldg((const int32_t *)g->members + i);
	g->members = g->cache;
}

/* The entries of all members, 32 at a time by a warp: entry i of member j is its next first. */
struct sweep_walk {
	int32_t j, i;
};

__device__ static inline bool settle(const struct sweep_group *g, struct sweep_walk *w)
{
	while (w->j < g->s.n_members) {
		const int32_t rounded = ((int32_t)g->members[w->j].n + 31) / 32 * 32;

		if (w->i < rounded)
			return true;
		w->i -= rounded;
		w->j++;
	}
	return false;
}

/* Entries that a thread has under way at once: it waits for their costs and cells together. */
#define AT_ONCE 4

struct sweep_entries {
	int32_t cost[AT_ONCE]; /* of the state's; -1: none */
	int32_t value[AT_ONCE];
	uint32_t at[AT_ONCE]; /* in the room */
};

/* The thread's next ones. False: there are no more behind them. */
template <int SIZE>
__device__ static inline bool next_entries(
	const struct sweep_group *g, struct sweep_walk *w, struct sweep_entries *e)
{
	const int32_t lane = threadIdx.x % 32;
	bool more = true;

#pragma unroll
	for (int u = 0; u < AT_ONCE; u++) {
		e->cost[u] = -1;
		more = more && settle(g, w);
		if (more && w->i + lane < (int32_t)g->members[w->j].n) {
			const struct gpube_sweep_member *a = &g->members[w->j];

			e->cost[u] = (int32_t)(a->at + w->i + lane);
			e->value[u] = __ldcg(g->costs + e->cost[u]);
			e->at[u] = __ldg(g->v->cells + a->cell + w->i + lane);
			e->at[u] += (uint32_t)((w->j + 1) * g->s.n);
		}
		w->i += SIZE;
	}
	return more;
}

/* The first of what it has read stays in *e. */
template <int SIZE>
__device__ static void force_all(const struct sweep_group *g, struct sweep_entries *e)
{
	struct sweep_walk w = {0, (int32_t)threadIdx.x % SIZE / 32 * 32};
	bool more = next_entries<SIZE>(g, &w, e);

#pragma unroll
	for (int u = 0; u < AT_ONCE; u++)
		if (e->cost[u] >= 0 && e->value[u] < *(volatile int32_t *)(g->room + e->at[u]))
			atomicMin(g->room + e->at[u], e->value[u]);
	while (more) {
		struct sweep_entries next;

		more = next_entries<SIZE>(g, &w, &next);
#pragma unroll
		for (int u = 0; u < AT_ONCE; u++)
			if (next.cost[u] >= 0 &&
				next.value[u] < *(volatile int32_t *)(g->room + next.at[u]))
				atomicMin(g->room + next.at[u], next.value[u]);
	}
}

__device__ static inline void spread(
	const struct sweep_group *g, const struct sweep_entries *e, int32_t slack)
{
#pragma unroll
	for (int u = 0; u < AT_ONCE; u++)
		if (e->cost[u] >= 0)
			__stcg(g->costs + e->cost[u],
				gpube__region_plus(e->value[u], g->room[e->at[u]], slack));
}

template <int SIZE>
__device__ static void spread_all(
	const struct sweep_group *g, struct sweep_entries *e, int32_t slack)
{
	struct sweep_walk w = {0, (int32_t)threadIdx.x % SIZE / 32 * 32};
	bool more;

	spread(g, e, slack);
	w.i += AT_ONCE * SIZE;
	for (more = settle(g, &w); more;) {
		more = next_entries<SIZE>(g, &w, e);
		spread(g, e, slack);
	}
}

/* The least of all the group's threads. */
template <int SIZE> __device__ static int32_t group_least(const struct sweep_group *g, int32_t x)
{
	for (int step = 16; step; step /= 2)
		x = min(x, __shfl_xor_sync(0xffffffffu, x, step));
	if (threadIdx.x % 32 == 0)
		g->least[threadIdx.x % SIZE / 32] = x;
	meet<SIZE>();
	x = g->least[threadIdx.x % (SIZE / 32)];
	for (int step = SIZE / 64; step; step /= 2)
		x = min(x, __shfl_xor_sync(0xffffffffu, x, step));
	return x;
}

/* The separator that was taken; what the constant is to rise by, the same for all threads. */
template <int SIZE>
__device__ static int32_t ask(const struct sweep_group *g, bool back, int32_t slack)
{
	const int32_t n = g->s.n, n_members = g->s.n_members, thread = threadIdx.x % SIZE;
	const int32_t first = thread < n ? __ldcg(g->costs + g->s.at + thread) : 0;
	int32_t *own = g->costs + g->s.at, *sum = g->room;
	int32_t lowest = GPUBE__REGION_FORBIDDEN, rise;
	struct sweep_entries e;

	for (int32_t i = thread; i < n_members * n; i += SIZE)
		g->room[n + i] = GPUBE__REGION_FORBIDDEN;
	meet<SIZE>();
	force_all<SIZE>(g, &e);
	meet<SIZE>();
	for (int32_t i = thread; i < n; i += SIZE) {
		int32_t x = i == thread ? first : __ldcg(own + i);

		for (int32_t j = 1; j <= n_members; j++)
			x = gpube__region_plus(x, g->room[j * n + i], slack);
		sum[i] = x;
		lowest = min(lowest, x);
	}
	rise = group_least<SIZE>(g, lowest);
	if (rise >= slack)
		return slack;
	slack -= rise;
	for (int32_t i = thread; i < n; i += SIZE) {
		int32_t rest;
		const int32_t share = gpube__region_share(sum[i] - rise, slack,
			back ? g->s.parts[1] : g->s.parts[0],
			back ? g->s.takers[1] : g->s.takers[0], &rest);

		__stcg(own + i, rest);
		for (int32_t j = 0; j < n_members; j++) {
			int32_t *m = g->room + (j + 1) * n + i;

			*m = gpube__region_more(share,
				(back ? g->members[j].takes[1] : g->members[j].takes[0]), *m);
		}
	}
	meet<SIZE>();
	spread_all<SIZE>(g, &e, slack);
	return rise;
}

/* ---- a state --------------------------------------------------------------------------------- */

#if __CUDA_ARCH__ >= 900
#define CLUSTER_RANK  ((int32_t)cg::this_cluster().block_rank())
#define CLUSTER_SIZE  ((int32_t)cg::this_cluster().num_blocks())
#define CLUSTER_MEETS cg::this_cluster().sync()
#else
#define CLUSTER_RANK  0
#define CLUSTER_SIZE  1
#define CLUSTER_MEETS (__threadfence_block(), __syncthreads())
#endif

/* The first separator of a wave that is the group's. */
template <int SIZE>
__device__ static inline int32_t first_of(const struct sweep_view *v, int32_t wave)
{
	return __ldg(v->wave + wave) + CLUSTER_RANK * (THREADS / SIZE) +
	       (int32_t)threadIdx.x / SIZE;
}

/* The separators of a wave, each by the next group of the cluster; the first one has been taken. */
template <int SIZE>
__device__ static void ask_wave(
	struct sweep_group *g, int32_t wave, bool back, int32_t slack, unsigned long long *rise)
{
	const int32_t end = __ldg(g->v->wave + wave + 1);
	int64_t sum = 0;

	for (int32_t k = first_of<SIZE>(g->v, wave); k < end;) {
		sum += ask<SIZE>(g, back, slack);
		meet<SIZE>(); /* before the room is another's */
		k += CLUSTER_SIZE * (THREADS / SIZE);
		if (k < end)
			take<SIZE>(g, k);
	}
	if (threadIdx.x % SIZE == 0 && sum)
		atomicAdd(rise, (unsigned long long)sum);
}

/* The group's first separator of the wave that comes next, while others are waited for. */
template <int SIZE> __device__ static void look_ahead(struct sweep_group *g, int32_t wave)
{
	const int32_t k = first_of<SIZE>(g->v, wave);

	if (k < __ldg(g->v->wave + wave + 1))
		take<SIZE>(g, k);
}

template <int SIZE>
__global__ void __launch_bounds__(THREADS, BLOCKS_AN_SM) sweep_kernel(const struct sweep_view v)
{
	extern __shared__ int32_t shared[];
	__shared__ int32_t least[WARPS];
	__shared__ struct gpube_sweep_member cache[THREADS / SIZE][MOST_CACHED];
	const int32_t state = blockIdx.x / CLUSTER_SIZE, group = (int32_t)threadIdx.x / SIZE;
	struct sweep_head *head = v.heads + state;
	struct sweep_group g = {&v, {}, NULL, cache[group], v.costs + state * v.n_costs,
		v.rooms ? v.rooms + blockIdx.x * v.room : shared + group * v.room,
		least + group * (SIZE / 32)};
	int64_t constant = head->constant;
	int slot = 0;

	look_ahead<SIZE>(&g, v.back ? v.n_waves - 1 : 0);
	for (int sweep = 0; sweep < v.n_sweeps; sweep++) {
		const bool back = v.back != (sweep % 2 != 0);

		for (int32_t i = 0; i < v.n_waves && constant < v.target; i++) {
			const int32_t wave = back ? v.n_waves - 1 - i : i;

			ask_wave<SIZE>(&g, wave, back, gpube__region_slack(constant, v.target),
				&head->rise[slot]);
			/* the other way the last wave is the first */
			look_ahead<SIZE>(&g, i + 1 == v.n_waves ? wave
					     : back             ? wave - 1
								: wave + 1);
			CLUSTER_MEETS;
			constant = gpube__region_risen(
				constant, v.target, (int64_t)__ldcg(&head->rise[slot]));
			/* the slot of the wave before: all have read it, and none adds to it yet */
			if (CLUSTER_RANK == 0 && threadIdx.x == 0)
				head->rise[(slot + 2) % 3] = 0;
			slot = (slot + 1) % 3;
		}
		if (CLUSTER_RANK == 0 && threadIdx.x == 0)
			v.after[state * v.n_sweeps + sweep] = constant;
	}
	CLUSTER_MEETS;
	if (CLUSTER_RANK == 0 && threadIdx.x == 0) {
		head->constant = constant;
		for (int k = 0; k < 3; k++)
			head->rise[k] = 0;
	}
}

/* Copies of the first state behind it. */
__global__ void __launch_bounds__(COPY_THREADS)
	copy_kernel(struct sweep_head *heads, int32_t *costs, int64_t n_costs)
{
	const int64_t to = 1 + blockIdx.y;

	for (int64_t i = (int64_t)blockIdx.x * COPY_THREADS + threadIdx.x; i < n_costs;
		i += (int64_t)gridDim.x * COPY_THREADS)
		costs[to * n_costs + i] = costs[i];
	if (blockIdx.x == 0 && threadIdx.x == 0) {
		heads[to].constant = heads[0].constant;
		for (int k = 0; k < 3; k++)
			heads[to].rise[k] = 0;
	}
}

__global__ void __launch_bounds__(COPY_THREADS)
	forbid_kernel(int32_t *costs, int64_t n_costs, const int64_t *dead_at, const int32_t *dead)
{
	const int64_t k = blockIdx.y;

	for (int64_t i = dead_at[k] + (int64_t)blockIdx.x * COPY_THREADS + threadIdx.x;
		i < dead_at[k + 1]; i += (int64_t)gridDim.x * COPY_THREADS)
		costs[(1 + k) * n_costs + dead[i]] = GPUBE__REGION_FORBIDDEN;
}

#endif
