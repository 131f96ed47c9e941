/* subset_blocks.c - the plan of a subset_convolve on a device; see subset_blocks.h. */
#include "gpube/ops/subset/subset_blocks.h"

#include <string.h>

#define LANES_OF_A_PASS 8

static bool rows_meet(const struct gpube__lane *l, const struct gpube__lane *m)
{
	return (l->a_row != m->a_row && (l->a_row - m->a_row) % 8 == 0) ||
	       (l->b_row != m->b_row && (l->b_row - m->b_row) % 8 == 0);
}

/* Whether lane l can join those of the pass at hand, order[from] to order[to - 1]. */
static bool fits(const struct gpube__lane *lanes, const uint8_t *order, int from, int to, int lane)
{
	for (int i = from; i < to; i++)
		if (rows_meet(&lanes[lane], &lanes[order[i]]))
			return false;
	return true;
}

/* Greedily, which happens to leave no pass with a conflict: a test checks it. */
void gpube__lane_order(uint8_t *order, bool paired)
{
	const int n = paired ? GPUBE_LANES_PAIRED : GPUBE_LANES_SINGLE;
	struct gpube__lane lanes[GPUBE_LANES_SINGLE];
	bool taken[GPUBE_LANES_SINGLE] = {false};

	memset(order, 0, 256);
	for (int i = 0; i < n; i++)
		lanes[i] = gpube__lane(i, paired);
	for (int done = 0; done < n; done++) {
		const int from = done / LANES_OF_A_PASS * LANES_OF_A_PASS;
		int lane = 0;

		while (lane < n && (taken[lane] || !fits(lanes, order, from, done, lane)))
			lane++;
		if (lane == n) /* none fits: any that is left */
			for (lane = 0; taken[lane];)
				lane++;
		taken[lane] = true;
		order[done] = (uint8_t)lane;
	}
}

/* Into how many items a block of k bits is cut, as a power of two. */
static int cuts(int k, int most_free)
{
	return k > most_free ? k - most_free : 0;
}

struct gpube__block_plan gpube__plan_blocks(int bits, int most_free)
{
	struct gpube__block_plan p = {0, 0, 0};
	uint64_t choose = 1;

	for (int k = 0; k <= bits; k++) {
		const int cut = cuts(k, most_free);

		p.n_items += choose << cut;
		if (cut) {
			p.n_merges += choose;
			p.n_slots += choose << cut;
		}
		choose = choose * (uint64_t)(bits - k) / (uint64_t)(k + 1);
	}
	return p;
}

void gpube__fill_blocks(
	struct gpube__block_item *items, struct gpube__block_merge *merges, int bits, int most_free)
{
	uint64_t n_items = 0, n_merges = 0, n_slots = 0;

	for (int k = bits; k >= 0; k--) {
		const int cut = cuts(k, most_free);
		const uint64_t last = (((uint64_t)1 << k) - 1) << (bits - k);

		for (uint64_t x = ((uint64_t)1 << k) - 1;; x = gpube__next_of_size(x)) {
			const uint64_t free = gpube__lowest_bits(x, k - cut);

			if (cut)
				merges[n_merges++] = (struct gpube__block_merge){
					(uint32_t)x, (uint32_t)n_slots, (uint32_t)1 << cut};
			for (uint64_t part = x ^ free;;
				part = gpube__submask_before(x ^ free, part)) {
				items[n_items++] =
					(struct gpube__block_item){(uint32_t)x, (uint32_t)part,
						(uint32_t)free, cut ? (int32_t)n_slots++ : -1};
				if (part == 0)
					break;
			}
			if (x == last)
				break;
		}
	}
}

/* Segments with most pairs first, each to the part that has least. */
void gpube__share_segments(uint8_t *owner, int bits, int n_parts)
{
	uint64_t load[GPUBE_MOST_PARTS] = {0};

	for (int k = bits; k >= 0; k--)
		for (uint64_t s = 0; s >> bits == 0; s++) {
			int least = 0;

			if (__builtin_popcountll(s) != k)
				continue;
			for (int p = 1; p < n_parts; p++)
				if (load[p] < load[least])
					least = p;
			owner[s] = (uint8_t)least;
			load[least] += (uint64_t)1 << k;
		}
}

void gpube__keep_segments(struct gpube__block_item *items, struct gpube__block_merge *merges,
	struct gpube__block_plan *plan, int bits, const uint8_t owner[GPUBE_SEGMENTS], int part)
{
	const int shift = bits - GPUBE_SEGMENT_BITS;
	uint64_t n = 0;

	for (uint64_t i = 0; i < plan->n_items; i++)
		if (owner[items[i].x >> shift] == part)
			items[n++] = items[i];
	plan->n_items = n;
	n = 0;
	for (uint64_t i = 0; i < plan->n_merges; i++)
		if (owner[merges[i].x >> shift] == part)
			merges[n++] = merges[i];
	plan->n_merges = n;
}

int gpube__most_free(int bits, int n_groups)
{
	const uint64_t share = gpube__pow3(bits) / ((uint64_t)n_groups * 4);
	int most = 0;

	while (most < bits && (uint64_t)2 << most <= share)
		most++;
	return most;
}
