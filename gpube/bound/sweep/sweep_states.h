/*
 * sweep_states.h - the states of a layer, and the step from one layer to the next on all threads.
 *
 * States are kept in shards by the hash of their keys, as many as make a shard with its hash table
 * fit a core's cache. A step goes through the states before in rounds. In a round each part of
 * some thousand states is followed by one thread, which sorts what it meets by shard; then each
 * shard takes in, by one thread, what all parts have for it, in the order of the parts. So nothing
 * is locked, and states, their order and what is dropped are the same with any number of threads.
 *
 * Designs weighed. (1) One hash table for all, as it was: a miss of the cache for each state met,
 * and locks. (2) Sorting all that is met and merging equal keys: four passes over memory
 * instead of one. (3) This one.
 */
#ifndef GPUBE_SWEEP_STATES_H
#define GPUBE_SWEEP_STATES_H

#include "gpube/bound/sweep/sweep.h"

enum {
	GPUBE__SWEEP_SHARD_BITS = 8, /* of the most shards */
	GPUBE__SWEEP_SHARDS = 1 << GPUBE__SWEEP_SHARD_BITS
};

/* Costs are int32 where all sums fit (narrow), or int64: what is in a state is the kernels'. */
struct gpube_sweep_shard {
	int64_t n, capacity;
	int64_t first; /* number of its first state in the layer */
	void *states;
	uint32_t *slot; /* a hash table of 2^slot_bits: index + 1, or 0 */
	int slot_bits;
	int64_t slots_capacity;
	bool stale; /* the hash table is to be made anew */
};

struct gpube_sweep_states {
	int64_t n;
	int shard_bits;
	struct gpube_sweep_shard shard[GPUBE__SWEEP_SHARDS];
};

/* States [first, end) of a shard, and what they lead to, by shard: out[at[s]] … out[at[s + 1] - 1]
 */
struct gpube_sweep_part {
	const struct gpube_sweep_shard *from;
	int64_t first, end;
	int64_t room_at; /* of 'out', in states */
	void *out;
	uint32_t at[GPUBE__SWEEP_SHARDS + 1];
	int64_t dropped; /* in and out: the least sum that was not kept */
};

/* A thread's own room. */
struct gpube_sweep_scratch {
	void *met;
	uint8_t *shard; /* of each of them */
	uint32_t *index;
};

/* What one layer's step looks like to the kernels. */
struct gpube_sweep_step {
	const struct gpube_sweep_layer *l;
	int64_t limit, most; /* costs from 'limit' on, and bounds from 'most' on, are not kept */
	int shard_bits;
	int n_parts;
	struct gpube_sweep_part *parts;
};

struct gpube_sweep_kernels {
	size_t state_bytes, cell_bytes;
	/* a state without a parent */
	void (*begin)(void *state, int64_t bound);
	void (*expand)(const struct gpube_sweep_step *t, struct gpube_sweep_part *p,
		struct gpube_sweep_scratch *s);
	/* takes in what all parts have for shard number s; there is room */
	void (*take_in)(const struct gpube_sweep_step *t, struct gpube_sweep_shard *to, int s);
	/* the bounds of all its states; how they were reached; each may be NULL. Returns the least
	 * bound. */
	int64_t (*read)(const struct gpube_sweep_shard *s, int64_t *bound, uint32_t *parent,
		uint8_t *value);
	/* keeps those of bounds below 'from', and the first 'equal' of those at it */
	void (*keep)(struct gpube_sweep_shard *s, int64_t from, int64_t equal);
	/* n cells, each at most 'most', as the kernels read them */
	void (*store)(void *cells, const int64_t *from, int64_t n, int64_t most);
};

/* [words of a key - 1][costs are int32] */
typedef const struct gpube_sweep_kernels *const gpube__sweep_versions[GPUBE__SWEEP_WORDS][2];

extern gpube__sweep_versions gpube__sweep_portable;
#if defined(__x86_64__)
extern gpube__sweep_versions gpube__sweep_avx2;
#endif

/* The fastest that this machine runs. */
const struct gpube_sweep_kernels *gpube__sweep_kernels(int words, bool narrow);

static inline uint64_t gpube__sweep_hash(const uint64_t *key, int words)
{
	uint64_t h = 0;

	for (int w = 0; w < words; w++) {
		h = (h ^ key[w]) * 0x9e3779b97f4a7c15u;
		h = (h ^ h >> 32) * 0x9e3779b97f4a7c15u;
	}
	return h;
}

static inline int gpube__sweep_shard_of(const uint64_t *key, int words, int shard_bits)
{
	return shard_bits ? (int)(gpube__sweep_hash(key, words) >> (64 - shard_bits)) : 0;
}

/* ---- a step on all threads ------------------------------------------------------------------ */

/* Room that steps use again and again. */
struct gpube_sweep_work {
	struct gpube_ctx *ctx;
	const struct gpube_sweep_kernels *kernels;
	struct gpube_sweep_part *parts;
	struct gpube_sweep_scratch *scratch; /* of each thread */
	void *out;
	int64_t *bounds, bounds_capacity;
	int64_t n_indices; /* room for in each scratch */
	int n_threads;
};

/* Errors: ENOMEM */
int gpube__sweep_work_init(struct gpube_sweep_work *w, struct gpube_ctx *ctx,
	const struct gpube_sweep_kernels *kernels);
void gpube__sweep_work_clear(struct gpube_sweep_work *w);

/* The only state of the layer before the first. Errors: ENOMEM */
int gpube__sweep_begin(struct gpube_sweep_work *w, struct gpube_sweep_states *s, int64_t bound);
void gpube__sweep_states_clear(struct gpube_ctx *ctx, struct gpube_sweep_states *s);

/*
 * gpube__sweep_step() - the states of layer l from those of the layer before.
 * room     the most states to keep; during the step there may be twice as many
 * limit    sums from here on are of no interest
 * turn     it stops where this is over
 * dropped  in and out: the least bound that was dropped
 * Errors: ENOMEM, ESTOP
 */
int gpube__sweep_step(struct gpube_sweep_work *w, struct gpube_sweep_states *to,
	const struct gpube_sweep_states *from, const struct gpube_sweep_layer *l, int64_t room,
	int64_t limit, const struct gpube_turn *turn, int64_t *dropped);

/*
 * How the states were reached, in the order of their numbers: s->n of each; and the least bound,
 * GPUBE_INF of none.
 */
int64_t gpube__sweep_read(struct gpube_sweep_work *w, const struct gpube_sweep_states *s,
	uint32_t *parent, uint8_t *value);

#endif
