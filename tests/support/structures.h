/* structures.h - coalition structures against all partitions. */
#ifndef GPUBE_TEST_STRUCTURES_H
#define GPUBE_TEST_STRUCTURES_H

#include <stdbool.h>

#include "csg/csg.h"

/* The best value of all partitions of 'left'; agents may stay out with disposal. */
double best_partition(const struct gpube_model *g, uint64_t left, bool disposal);

/* Fails unless the parts are disjoint, in order, hold all, and are worth what is said. */
void check_structure(const struct gpube_model *g, const struct gpube_csg_result *r, bool disposal);

/*
 * A whole v in the game's type: int64 1000000007 times as large, floats 0.37 times; -INFINITY
 * forbids.
 */
void put_scaled(struct gpube_model *g, uint64_t coalition, double v);

/*
 * Random games and auctions, by options' words. *out is NULL after a failure.
 * store   "memory", "device" or "none"
 */
int draw_game(struct gpube_model **out, struct gpube_ctx *ctx, const char *distribution,
	int n_agents, enum gpube_type type, uint64_t seed, const char *store);
int draw_auction(struct gpube_model **out, struct gpube_ctx *ctx, const char *distribution,
	int n_goods, int n_bids, uint64_t seed);
/* Word k of "a|b|c" in 'text', or NULL. */
const char *word_of(char text[32], const char *words, int k);

/* A random auction as a CATS file; draw_auction()'s status, or gpube_write()'s. */
int put_auction(struct gpube_ctx *ctx, const char *path, const char *distribution, int n_goods,
	int n_bids, uint64_t seed);

/*
 * Reads a game from 'path', or draws 12 agents with ndcs if that is NULL, and solves it, while
 * every allocation of both fails once.
 */
void solve_scarcely(const char *path, enum gpube_csg_method method);

#endif
