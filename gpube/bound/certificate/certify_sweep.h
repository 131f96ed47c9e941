/*
 * certify_sweep.h - the sweeps over patches (relax/patches/patches.h) once more, in 64 bits and
 * nothing cut off, and what moved.
 *
 * A cell that is in no total below the limit is dead there, and what is dead has no number that a
 * proof could name. Here only values die, those that a split took away, and a checker knows these.
 * There is no constant either: what patches have in common stays with their separator, and the
 * bound is the sum of all tables' least cells.
 */
#ifndef GPUBE_CERTIFY_SWEEP_H
#define GPUBE_CERTIFY_SWEEP_H

#include "gpube/relax/patches/patches.h"

/* A cell of a value that is gone; every other one is below half of it. */
#define GPUBE__PROOF_DEAD ((int64_t)1 << 62)

/*
 * A state of the tree: its cells are followed by when each patch changed and each separator was
 * asked, and by its values.
 */
struct gpube__proof_state {
	int64_t bound;
	int32_t node; /* of the tree, whose leaf it is */
	int32_t depth;
	int32_t time;
	int32_t var, value; /* the next split: the value against the others; -1: there is none */
	int64_t cells[];
};

struct gpube__proof_plan {
	const struct gpube_patches *p;
	/*
	 * of each member: where its separator's cells begin among what was moved; then their number
	 */
	int64_t *moved_at;
	int64_t *value_at; /* of each variable: where its values begin; then their number */
};

static inline int64_t gpube__proof_bytes(const struct gpube__proof_plan *w)
{
	const struct gpube_patches *p = w->p;

	return (int64_t)sizeof(struct gpube__proof_state) + (int64_t)sizeof(int64_t) * p->n_cells +
	       (int64_t)sizeof(int32_t) * (p->n_patches + p->n_separators) + w->value_at[p->n];
}

static inline int32_t *gpube__proof_changed(
	const struct gpube__proof_plan *w, struct gpube__proof_state *s)
{
	return (int32_t *)(s->cells + w->p->n_cells);
}

static inline int32_t *gpube__proof_asked(
	const struct gpube__proof_plan *w, struct gpube__proof_state *s)
{
	return gpube__proof_changed(w, s) + w->p->n_patches;
}

/* Of each value: whether it is left. */
static inline uint8_t *gpube__proof_live(
	const struct gpube__proof_plan *w, struct gpube__proof_state *s)
{
	return (uint8_t *)(gpube__proof_asked(w, s) + w->p->n_separators);
}

/*
 * As gpube__patches_sweep(). moved: what each member gave to its separator is added to it; NULL:
 * not wanted
 */
void gpube__proof_sweep(const struct gpube__proof_plan *w, struct gpube__proof_state *s,
	enum gpube_patches_way way, int64_t least, int64_t *room, int64_t *moved);

/* What a member moves, as it is noted: from the patch's cells to the separator's. */
void gpube__proof_move(const struct gpube__proof_plan *w, struct gpube__proof_state *s,
	const struct gpube_patch_member *of, const int64_t *moved);

/* Values that are not kept are gone. */
void gpube__proof_keep(const struct gpube__proof_plan *w, struct gpube__proof_state *s, int32_t var,
	const uint8_t *keep);

/* The sum of all least cells; least[k]: that of patch k. */
int64_t gpube__proof_bound(
	const struct gpube__proof_plan *w, const struct gpube__proof_state *s, int64_t *least);

/*
 * forced[a]: what the patches of var force on value a beyond their least cells, which are in
 * least[].
 */
void gpube__proof_forced(const struct gpube__proof_plan *w, const struct gpube__proof_state *s,
	const int64_t *least, int32_t var, int64_t *forced);

#endif
