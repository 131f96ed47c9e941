/*
 * eee.h - the tree of branch and bound on complementarity, for whoever decides at
 * its leaves. Internal to nash/; needs no FLINT.
 */
#ifndef NASH_EEE_H
#define NASH_EEE_H

#include "nash/eee/face_lp.h"

/*
 * What all nodes share. The functions are called from several threads, each with a
 * worker of its own.
 * leaf    all equilibria on a pair of faces without an open label
 * refine  decides whether a face is empty where doubles cannot, and otherwise fills
 *         its lp anew
 * open    a worker; close() takes what it has found
 * at_once 0, or how many threads may work beside each other, at most
 * pause   NULL, or says, from any thread, that the search is to end as if the budget were spent
 * root    NULL: the whole sides; otherwise flags of the variables of each side that are zero
 */
struct nash_tree {
	struct gpube_ctx *ctx;
	void *arg;
	struct nash_matrix m[2];
	int64_t budget; /* nodes; < 0: any number */
	int64_t nodes;  /* visited, by all threads */
	int (*leaf)(void *worker, const struct nash_lp lp[2]);
	int (*refine)(void *worker, struct nash_lp *lp, int side, bool *empty);
	int (*open)(struct nash_tree *t, void **worker);
	int (*close)(struct nash_tree *t, void *worker);
	int32_t at_once;
	bool (*pause)(void *pause_arg);
	void *pause_arg;
	const unsigned char *root[2];
};

/* Errors: those of the functions; ENOMEM; ESTOP and ELIMIT (the budget is spent), no text */
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

#endif
