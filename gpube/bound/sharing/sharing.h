/*
 * sharing.h - a search tree whose open nodes travel between ranks: a method that lends (shared.h).
 *
 * The owner, on rank 0, lends nodes: a loan is a held node of its frontier, so that its bound
 * counts and its block stays open until the borrower says that all it had of it is closed.
 * Borrowers are guests: they have a bounder of their own, made from the owner's run (checkpoint.h)
 * without its open nodes, and search what they are given. An empty frontier proves nothing there. A
 * guest may give nodes back, which are the owner's then, beside the loan that they were part of; so
 * a guest that is lost loses nothing.
 *
 * The tree's lock guards all that both threads of a rank touch: the one that searches and the one
 * that speaks to other ranks, which calls the functions below with a context of its own.
 */
#ifndef GPUBE_SHARING_H
#define GPUBE_SHARING_H

#include "gpube/bound/dfs_tree.h"
#include "gpube/bound/sharing/shared.h"

/* 'of' is the struct gpube_dfs_tree, of a guest that of its bounder. */
extern const struct gpube__shared gpube__shared_tree;

/* ---- of every guest's, by guest_bounder.c ---------------------------------------------------- */

/*
 * A bounder of the same model, of a run without nodes, of which it reads as much as
 * gpube__put_run() wrote. Errors: EPARSE, EINVAL (it is another model's), ENOMEM
 */
int gpube__guest_bounder_new(struct gpube_bounder **out, const struct gpube_model *given,
	const struct gpube_opts *opts, struct gpube__bytes *run);
void gpube__guest_bounder_free(struct gpube_bounder *b);

#endif
