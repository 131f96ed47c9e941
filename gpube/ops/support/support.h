/*
 * support.h - the operator of support enumeration: solve and check pairs of supports of one
 * size of a bimatrix game, in doubles.
 *
 * For supports S of player 1 and T of player 2, both of q actions: the strategy on S that makes
 * player 2 indifferent on T, the one on T that makes player 1 indifferent on S, and whether
 * both are probabilities and best responses. What is certainly not is rejected; all else, and
 * what rounding leaves open, is proposed to the caller, who decides exactly.
 */
#ifndef GPUBE_SUPPORT_H
#define GPUBE_SUPPORT_H

#include "gpube/base/base.h"

#define GPUBE_SUPPORT_ACTIONS 64 /* most of a player: supports are masks of 64 bits */

/*
 * An answer about one side. UNSURE: the system is nearly singular, or a probability is so near to
 * 0 that doubles cannot tell.
 */
enum gpube_support_answer { GPUBE_SUPPORT_NO, GPUBE_SUPPORT_YES, GPUBE_SUPPORT_UNSURE };

/*
 * The system's smallest pivot below which nothing is decided, payoffs being in [0, 1], and the
 * error that a strategy may have, as a multiple of 1 / smallest pivot: some thousand roundings.
 */
#define GPUBE_SUPPORT_SINGULAR 1e-9
#define GPUBE_SUPPORT_ERROR    1e-12

struct gpube_support_pair {
	uint64_t x, y; /* masks of the actions of player 1 and of player 2 */
	enum gpube_support_answer answer;
};

/*
 * k, l        actions of player 1 and of player 2, at most GPUBE_SUPPORT_ACTIONS
 * c[0]        player 2's payoffs, c[0][j * k + i], in [0, 1]; c[1] player 1's, c[1][i * l + j]
 * q           size of the supports, 1 to the smaller of k and l
 * share, shares  only the pairs whose number, in the order of the scan, leaves this rest when
 *             divided by 'shares': the round-robin of message-passing systems; 0 of 1: all
 * dominance   pairs are rejected without a system where another action is better for the owner
 *             of an action of the pair against all of the other support (Porter, Nudelman,
 *             Shoham 2008)
 * most_unsure of these the pairs are kept, more are counted alone
 * found       out, appended; the caller frees it with gpube__free()
 * n_unsure    out, added to; also those not kept
 * n_pairs     out, added to: rejected, proposed and unsure
 * poll        called by the caller's thread now and then, with its argument; NULL: never. What it
 *             returns other than OK ends the scan
 * before, all  pairs before this scan and of the caller's whole work, for progress; all 0: none
 */
struct gpube_support_scan {
	int k, l;
	const double *c[2];
	int q;
	int64_t share, shares;
	bool dominance;
	int64_t most_unsure;
	struct gpube_support_pair *found;
	int64_t n_found, capacity;
	int64_t n_unsure, n_pairs;
	double before, all;
	int (*poll)(void *arg);
	void *poll_arg;
};

struct gpube_support_ops {
	const char *name;
	/* 0, or why the scan cannot run here (a static text) */
	const char *(*unsupported)(const struct gpube_support_scan *s);
	/* Errors: EINVAL, ERANGE, ENOMEM, ESTOP (what was found stays), ECUDA */
	int (*scan)(struct gpube_ctx *ctx, struct gpube_support_scan *s);
	double pairs_per_second; /* of all threads of a core, or of a device; for predictions */
};

const struct gpube_support_ops *gpube__support_cpu(void);
/* NULL and *status ENODEV without CUDA or a device; ENOMEM */
const struct gpube_support_ops *gpube__support_cuda(struct gpube_ctx *ctx, int *status);

/* ---- shared by the backends ------------------------------------------------------------ */

/* All sets of q out of n as masks in increasing order, and what a dominance test needs of each. */
struct gpube_support_sets {
	int64_t n;
	uint64_t *mask;
	uint64_t *good; /* the other player's actions that no other one dominates against the set */
};

/* Errors: ENOMEM, ERANGE (more sets than can be listed); nothing to clear then */
int gpube__support_sets(struct gpube_support_sets *out, struct gpube_ctx *ctx,
	const struct gpube_support_scan *s, int side);
void gpube__support_sets_clear(struct gpube_support_sets *sets, struct gpube_ctx *ctx);

/* Adds a proposal; an unsure one only while there is room. */
int gpube__support_add(
	struct gpube_ctx *ctx, struct gpube_support_scan *s, const struct gpube_support_pair *pair);

/* The first number at or after 'from' in the scan that belongs to the share, minus 'from'. */
static inline int64_t gpube__support_skip(const struct gpube_support_scan *s, int64_t from)
{
	const int64_t rest = (s->share - from % s->shares) % s->shares;

	return rest < 0 ? rest + s->shares : rest;
}

#endif
