/*
 * shared.h - a method whose work other ranks share, as the layer of ranks (deal/deal.h) sees it.
 *
 * A method that works on rank 0, the owner, writes its root: its tables, without what is open. Each
 * other rank makes a guest of it, which searches with threads and caches of its own. What travels
 * between them are bytes that only the method understands:
 *
 *   open nodes  of a method that lends. A loan counts for the bound until it is repaid, and is open
 *               again when its rank is lost: see sharing.h
 *   results     of a method that tells: subproblems that are solved. Every rank searches all, and
 *               skips what it has been told; so nothing is lost with a rank: see andor.h
 *
 * Designs weighed. (1) A protocol of its own for each method: letters, idle ranks, lost ranks and
 * stops would be written once a method. (2) Open nodes for every method: an AND/OR search is depth
 * first and has none; a subproblem handed to another rank would need the budget that its parents
 * have left, which changes while it is solved. (3) One table of functions, of which methods that
 * tell leave some out: this one.
 */
#ifndef GPUBE_SHARED_H
#define GPUBE_SHARED_H

#include "gpube/base/bytes.h"
#include "gpube/bound/bounder.h"

/*
 * Open nodes; those that its threads hold, and that are lent; nodes visited; threads that wait for
 * one. A guest that tells has one open node while there is something to search.
 */
struct gpube__shared_state {
	int64_t n_open, n_held, n_loans, n_nodes;
	int n_waiting;
	bool done; /* nothing is left below the cutoff */
};

/* 'of': the owner's or the guest's state. Two threads may call, but for root and guest_…(). */
struct gpube__shared {
	enum gpube__shared_kind kind;
	const char *name; /* of what is shared: "tree" */
	bool lends;       /* false: it tells */

	/* Failures are in to->status. */
	void (*root)(struct gpube__bytes *to, void *of);
	/*
	 * guest_new - of a root, and the same model, for a rank. Errors: EPARSE, EINVAL (it is
	 *             another model's), ELIMIT, ENOMEM
	 * search    - until nothing is open, or it is stopped. Errors: ENOMEM, ESTOP and others
	 */
	int (*guest_new)(void **out, const struct gpube_model *given, const struct gpube_opts *opts,
		struct gpube__bytes *root, int rank);
	void (*guest_free)(void *of);
	int (*search)(void *of);

	struct gpube__shared_state (*state)(void *of);
	/*
	 * give - writes nodes, at most 'most', which would be popped next; to_rank: they are lent
	 *        to this rank, 'number'ed; -1: given back. Of a method that tells: what it has
	 *        learned since the last call. Returns how many; failures are in to->status, and
	 *        then all nodes are still there.
	 * take - what was written so. Errors: EPARSE, ENOMEM
	 */
	int64_t (*give)(
		void *of, struct gpube__bytes *to, int64_t most, int to_rank, int64_t number);
	int (*take)(void *of, struct gpube__bytes *from);

	/* ---- of methods that lend ---- */

	/* Whether runs are to end early, so that there are nodes to give. */
	void (*want)(void *of, bool wanted);
	/*
	 * least  - a guest's least bounds by block, INT64_MAX: it has nothing of it.
	 * repaid - what the owner makes of them: loans up to 'number' are closed, or at least as
	 *          high. The guest's best assignment comes before: nodes are closed by it.
	 * recall - a rank is lost, or all (-1): what it was lent is open again. Errors: ENOMEM
	 * check  - of a guest, whether no node was lost. EBUG: one was
	 */
	void (*least)(struct gpube__bytes *to, void *of);
	int (*repaid)(void *of, struct gpube__bytes *from, int rank, int64_t number);
	int (*recall)(void *of, struct gpube_ctx *ctx, int rank);
	int (*check)(void *of);
	/*
	 * Best assignments. *seen: the number of the one that was asked for last.
	 * incumbent - the owner takes its bounder's.
	 * best      - writes the assignment, if it has become better since.
	 * learn     - takes, of one, the parts that are better than its own. Errors: EPARSE
	 */
	void (*incumbent)(void *of);
	bool (*best)(struct gpube__bytes *to, void *of, int64_t *seen);
	int (*learn)(void *of, struct gpube__bytes *from, int64_t *seen);
};

#endif
