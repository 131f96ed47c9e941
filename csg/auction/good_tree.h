/*
 * good_tree.h - branch and bound over who gets the next good, with cheap nodes: no bid left pays
 * more for each of its goods than the best of them, so that the sum of those over the goods left is
 * a bound. Where bids have many goods, so that few of them win (L7 of CATS: a fifth of all goods
 * each), it proves in a tenth of the seconds that the linear program's tree takes; elsewhere it
 * soon shows that it will not (benchmarks/runs/auctions-2c).
 */
#ifndef CSG_GOOD_TREE_H
#define CSG_GOOD_TREE_H

#include "gpube/base/arrays.h"

/* Bids as sets of goods, 'words' long; prices > 0, which together are at most 'total'. */
struct csg__good_tree_bids {
	int n, n_real, n_goods, words; /* goods from n_real on are dummies */
	const uint64_t *set;
	const int64_t *price;
	int64_t total;
};

/*
 * share    of a bid: its price for each counted good, rounded up
 * looked   bids looked at so far
 * done     of the whole tree, if children of a node were alike
 */
struct csg__good_tree {
	struct gpube_ctx *ctx;
	struct gpube__arrays arrays;
	struct csg__good_tree_bids bids;
	int n_counted; /* goods that bounds add up: real ones where every bid has one */
	int fraction_bits, n_levels;
	int64_t *share;
	int32_t *lists, *count;
	struct csg__good_level *level;
	int64_t n_nodes, looked, counted;
	double done;
};

/*
 * A tree that has not begun; NULL where it would take too much memory, or sums more than 64 bits.
 * The bids are the caller's and stay there.
 */
int csg__good_tree_new(
	struct csg__good_tree **out, struct gpube_ctx *ctx, const struct csg__good_tree_bids *bids);
void csg__good_tree_free(struct csg__good_tree *t);

/*
 * Goes on until 'work' bids have been looked at, or the context is stopped. Selections better than
 * *best replace it and 'chosen'; *best may have risen since the last call. Returns whether the tree
 * is done: then nothing is better than *best.
 */
bool csg__good_tree_run(struct csg__good_tree *t, int64_t work, int64_t *best, uint8_t *chosen);

#endif
