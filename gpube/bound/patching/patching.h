/*
 * patching.h - what an ascent on patches (relax/patches/patches.h) has open, kept from one part of
 * the time to the next.
 *
 * The ascent at the root goes there and back until that is slow; then patches may grow, as lists
 * (gpube__patching_grow()), and it goes on from there, until one of them is the whole. What small
 * ones leave open is split: one value of a variable against the others, and the costs that are
 * moved then wander from there as far as they are more than a little. The state of the least bound
 * comes next, so its bound is the whole's; where memory is short, the deepest.
 */
#ifndef GPUBE_PATCHING_H
#define GPUBE_PATCHING_H

#include "gpube/bound/bound.h"
#include "gpube/relax/patches/lists.h"
#include "gpube/search/frontier.h"
#include "gpube/simplify/lean.h"

/* Two children of a state that is split, and what a thread needs. */
struct gpube_patching_worker {
	struct gpube_patching *s;
	struct gpube_patching_child {
		struct gpube_patches_state *state; /* NULL: there is none */
		bool is;                           /* it has the value; or all others */
		bool decided;                      /* nothing is left to split */
		bool decodes;                      /* an assignment is wanted */
		int32_t *values;
	} child[2];
	int32_t *room;
	int64_t *forced;
	uint8_t *keep;
	int64_t *regret, *sorted; /* by variable; of the open ones */
	int32_t *best;
};

/* Of notes for a certificate: the given variables of each simplified one, of[of_at[i]] ..., and
 * that of each of m's. */
struct gpube_patching_notes {
	int32_t *of, *of_at, *simple;
	int32_t n_simple, words;
	uint64_t *set; /* of the list that is noted */
	int32_t *order, n_order;
};

struct gpube_patching {
	struct gpube_bounder *b;
	struct gpube_lean *lean;          /* of b->tables, or NULL */
	const struct gpube_model *m;      /* its, or b->tables */
	struct gpube_patches *p;          /* NULL: the model is not for it */
	struct gpube_patches_state *root; /* until it is open */
	struct gpube_patch_lists *lists;  /* what the root's patches have grown to, or NULL */
	struct gpube_list_cases *cases;   /* what the lists have been split into, or NULL */
	int32_t n_sweeps;
	double sweep;               /* seconds of the last one, by the clock */
	bool all_grown;             /* no larger patches can be made */
	struct gpube_frontier open; /* of states */
	int64_t n_states, n_dives;
	struct gpube_patching_worker *workers; /* one a thread, two children each */
	int32_t *whole;                        /* an assignment of b->m */
	struct gpube_budget turn;              /* this one */
	double worked;                         /* seconds of those before it */
	bool paused;                           /* the last one ended with its time */
	double searching;                      /* seconds of local search, by the clock */
	struct gpube_patching_notes notes;
};

/*
 * gpube__patching_new() - b's, with nothing seen; its p is NULL where the model is not for it.
 * Errors: ENOMEM, with b->state.patching to be freed all the same
 */
int gpube__patching_new(struct gpube_bounder *b);

/*
 * An assignment of m, in patches' words; a bound of all, told. Errors: those of
 * gpube__bounder_offer()
 */
int gpube__patching_offer(struct gpube_patching *s, const int32_t *values);
void gpube__patching_raise(struct gpube_patching *s, int64_t constant, const char *by);
bool gpube__patching_is_over(const struct gpube_patching *s);

/*
 * Lists of twice as many entries, with what the root's patches or the lists before have; *any:
 * whether they are.
 * Errors: ENOMEM, ESTOP
 */
int gpube__patching_grow(struct gpube_patching *s, bool *any);

/* Whether splitting is likely to close what is left. */
bool gpube__patching_little_is_open(const struct gpube_patching *s);

/* Seconds of work so far, of all turns. */
double gpube__patching_worked(const struct gpube_patching *s);

/* The target of the limit that there is now, where it is lower than the state's. */
void gpube__patching_know(const struct gpube_patching *s, struct gpube_patches_state *state);

/*
 * Splits what is left open until nothing is, the time is over, or it seems not to end.
 * Errors: ENOMEM, those of gpube__patching_offer()
 */
int gpube__patching_search(struct gpube_patching *s);

/* ---- notes for a certificate, where they are wanted ------------------------------------------ */

/*
 * gpube__notes_begin() - the simplified model, and the patches; once.
 * gpube__notes_lists() - the next lists of a case of the run's notes, or patches (NULL); sweeps
 * over them; a split: *child: 0 where nothing is noted. One at a time. Errors: ENOMEM
 */
int gpube__notes_begin(struct gpube_patching *s);
int gpube__notes_lists(struct gpube_patching *s, int32_t of, const struct gpube_patch_lists *l);
int gpube__notes_sweeps(struct gpube_patching *s, int32_t of, int32_t n);
int gpube__notes_split(
	struct gpube_patching *s, int32_t of, int32_t var, int32_t value, int32_t child[2]);
/* What lists and cases leave open is noted. s: or NULL */
void gpube__notes_end(struct gpube_patching *s);
void gpube__notes_clear(struct gpube_patching *s);

#endif
