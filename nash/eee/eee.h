/* eee.h - the tree of branch and bound on complementarity. Internal to nash/. */
#ifndef NASH_EEE_H
#define NASH_EEE_H

#include "nash/eee/face_lp.h"

/*
 * What all nodes share.
 * f       where all that is found goes, in the end
 * at_once 0, or how many threads may work beside each other, at most
 * pause   NULL, or says, from any thread, that the search is to end as if the budget were spent
 * root    NULL: the whole sides; otherwise flags of the variables of each side that are zero
 */
struct nash_tree {
	struct gpube_ctx *ctx;
	struct nash_found *f;
	int64_t budget; /* nodes; < 0: any number */
	int64_t nodes;  /* visited, by all threads */
	int32_t at_once;
	bool (*pause)(void *pause_arg);
	void *pause_arg;
	const unsigned char *root[2];
};

/* Errors: those of leaves; ENOMEM; ESTOP and ELIMIT (the budget is spent), no text */
int nash__tree_search(struct nash_tree *t);

/*
 * The same in parts: after ELIMIT it can go on, with a larger t->budget; what was found until then
 * has been handed over. The tree stays the caller's until the search is freed.
 */
struct nash_search;
int nash__search_new(struct nash_search **out, struct nash_tree *t);
int nash__search_run(struct nash_search *s);
void nash__search_free(struct nash_search *s);
/*
 * The two faces of the k-th node that is left then; NULL behind the last. They stay the search's.
 */
const struct nash_lp *nash__search_node(const struct nash_search *s, int32_t k);

/*
 * Who decides leaves, one for each thread: all equilibria on a pair of faces without an open label.
 * nash__decider_close() merges what it has found into f, and frees it. Errors: ENOMEM; those of
 * nash__found_add() and of f->give
 */
struct nash_decider;
int nash__decider_open(struct nash_decider **out, const struct nash_found *f);
int nash__decide(struct nash_decider *d, const struct nash_lp lp[2]);
int nash__decider_close(struct nash_decider *d, struct nash_found *f);

#endif
