/*
 * pairwise_method.h - what an ascent on relations (relax/pairwise/relations.h) has open, kept from
 * one part of the time to the next.
 *
 * The ascent at the root goes there and back until that is slow; then relations may grow
 * (gpube__pairwise_run_grow()), and it goes on from there, until one of them is the whole. What
 * small ones leave open is split: one value of a variable against the others, in states that have
 * the relations in common; the costs that are moved then wander from there as far as they are more
 * than a little. The state of the least bound comes next, so its bound is the whole's; where memory
 * is short, the deepest. What larger ones leave open becomes cases (relation_cases.h).
 *
 * Relations are made of the simplified model and not of the tables that soft arc consistency
 * leaves: its bound comes sooner from there, but where costs have been gathered in few cells the
 * ascent stops lower (runs/schedule-h200).
 */
#ifndef GPUBE_PAIRWISE_METHOD_H
#define GPUBE_PAIRWISE_METHOD_H

#include "gpube/base/arrays.h"
#include "gpube/bound/bound.h"
#include "gpube/relax/pairwise/sweeper.h"
#include "gpube/search/frontier.h"
#include "gpube/simplify/lean.h"

/* Two children of a state that is split, and what a thread needs. */
struct gpube_pairwise_worker {
	struct gpube_pairwise_run *s;
	struct gpube__arrays memory; /* but for states and the view */
	struct gpube_pairwise_child {
		struct gpube_relations_state *state; /* NULL: there is none */
		int status;                          /* of what was done to it */
		bool is;                             /* it has the value; or all others */
		bool decided;                        /* nothing is left to split */
		bool decodes;                        /* an assignment is wanted */
		int32_t *values;
	} child[2];
	struct gpube_relations *view; /* the run's relations, with a state's costs */
	int32_t *room;
	int64_t *forced;
	uint8_t *keep;
	int64_t *regret, *sorted; /* by variable; of the open ones */
	int32_t *best;
};

/* Of notes for a certificate: the given variables of each simplified one, of[of_at[i]] ..., and
 * that of each of m's. */
struct gpube_pairwise_notes {
	struct gpube__arrays memory;
	int32_t *of, *of_at, *simple;
	int32_t n_simple, words;
	uint64_t *set; /* of the relation that is noted */
	int32_t *order, n_order;
};

struct gpube_pairwise_run {
	struct gpube_bounder *b;
	struct gpube_lean *lean;     /* of b->m, or NULL */
	const struct gpube_model *m; /* its, or b->m */
	/* NULL: the model is not for it, or the cases have them */
	struct gpube_relations *relations;
	int shift;                          /* theirs: scaling.h */
	bool grown;                         /* they are larger than the first ones */
	bool branches;                      /* the first ones are split; they stay as they are */
	struct gpube_sweeper sweeper;       /* of these */
	const struct gpube_sweep_ops *card; /* NULL: the host sweeps */
	bool asked;                         /* for a card */
	struct gpube_relation_cases *cases; /* what the relations have been split into, or NULL */
	int64_t made_below;                 /* the cutoff when it was made */
	int32_t n_sweeps;
	double sweep;               /* work of the last one, in seconds */
	bool all_grown;             /* no larger relations can be made */
	struct gpube_frontier open; /* of states */
	int64_t n_states, n_dives;
	/*
	 * Of splitting the first relations: the work before it; when its progress is asked for
	 * next, and what that was last; it brought too little, so that relations are to grow.
	 */
	double before, milestone, reached;
	bool must_grow;
	struct gpube_pairwise_worker *workers; /* one a thread, two children each */
	int32_t *whole;                        /* an assignment of b->m */
	struct gpube_budget turn;              /* this one */
	double worked;                         /* seconds of those before it */
	bool paused;                           /* the last one ended with its time */
	double waits;                          /* seconds of a turn in which they can grow, or 0 */
	double searching;                      /* work of local search, in seconds */
	struct gpube_pairwise_notes notes;
};

/*
 * gpube__pairwise_run_new() - b's, with nothing seen; without relations where the model is not for
 * it.
 * Errors: ENOMEM, with b->state.pairwise to be freed all the same
 */
int gpube__pairwise_run_new(struct gpube_bounder *b);

/*
 * An assignment of m; a bound of all, told. Errors: those of
 * gpube__bounder_report_incumbent()
 */
int gpube__pairwise_run_report_incumbent(struct gpube_pairwise_run *s, const int32_t *values);
void gpube__pairwise_run_update_lower(
	struct gpube_pairwise_run *s, int64_t constant, const char *by);

/*
 * Relations of twice as many entries, with what those before have; *any: whether they are.
 * Errors: ENOMEM, ESTOP
 */
int gpube__pairwise_run_grow(struct gpube_pairwise_run *s, bool *any);

/* A card for sweeps of these relations, where one is allowed, there, and likely to pay. */
void gpube__pairwise_run_ask_card(struct gpube_pairwise_run *s);
/* Of its memory, for one who sweeps. */
void gpube__pairwise_run_open_card(
	struct gpube_pairwise_run *s, struct gpube_sweeper *w, struct gpube_ctx *ctx, int n);

/* Seconds of work so far, of all turns. */
double gpube__pairwise_run_worked(const struct gpube_pairwise_run *s);

/* Whether the model is for it. */
bool gpube__pairwise_run_fits(const struct gpube_pairwise_run *s);

/* The target of the cutoff that there is now; in the place of one that is higher. */
int64_t gpube__pairwise_run_target(const struct gpube_pairwise_run *s);
void gpube__pairwise_run_know(const struct gpube_pairwise_run *s, int64_t *target);

/*
 * Splits what is left open until nothing is, the time is over, or it seems not to end.
 * Errors: ENOMEM, those of gpube__pairwise_run_report_incumbent()
 */
int gpube__pairwise_run_search(struct gpube_pairwise_run *s);

/* One a thread, for states of the relations. Errors: ENOMEM, to be freed all the same */
int gpube__pairwise_workers_new(struct gpube_pairwise_run *s);
void gpube__pairwise_workers_free(struct gpube_pairwise_run *s);

/* ---- notes for a certificate, where they are wanted ------------------------------------------ */

/*
 * gpube__notes_begin() - the simplified model, and the first relations; once.
 * gpube__notes_relations() - the next relations of a case of the run's notes
 * gpube__notes_sweeps() - over them
 * gpube__notes_split() - *child: 0 where nothing is noted
 * One at a time. Errors: ENOMEM
 */
int gpube__notes_begin(struct gpube_pairwise_run *s);
int gpube__notes_relations(
	struct gpube_pairwise_run *s, int32_t of, const struct gpube_relations *l);
int gpube__notes_sweeps(struct gpube_pairwise_run *s, int32_t of, int32_t n);
int gpube__notes_split(
	struct gpube_pairwise_run *s, int32_t of, int32_t var, int32_t value, int32_t child[2]);
/* What relations and cases leave open is noted, but for states, which are not. s: or NULL */
void gpube__notes_end(struct gpube_pairwise_run *s);

#endif
