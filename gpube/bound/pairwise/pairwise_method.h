/*
 * pairwise_method.h - what an ascent on regions (relax/pairwise/pairwise.h) has open, kept from one
 * part of the time to the next.
 *
 * The ascent at the root goes there and back until that is slow; then regions may grow, as
 * relations (gpube__pairwise_run_grow()), and it goes on from there, until one of them is the
 * whole. What small ones leave open is split: one value of a variable against the others, and the
 * costs that are moved then wander from there as far as they are more than a little. The state of
 * the least bound comes next, so its bound is the whole's; where memory is short, the deepest.
 */
#ifndef GPUBE_PAIRWISE_METHOD_H
#define GPUBE_PAIRWISE_METHOD_H

#include "gpube/bound/bound.h"
#include "gpube/relax/pairwise/sweeper.h"
#include "gpube/search/frontier.h"
#include "gpube/simplify/lean.h"

/* Two children of a state that is split, and what a thread needs. */
struct gpube_pairwise_worker {
	struct gpube_pairwise_run *s;
	struct gpube_pairwise_child {
		struct gpube_pairwise_state *state; /* NULL: there is none */
		bool is;                            /* it has the value; or all others */
		bool decided;                       /* nothing is left to split */
		bool decodes;                       /* an assignment is wanted */
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
struct gpube_pairwise_notes {
	int32_t *of, *of_at, *simple;
	int32_t n_simple, words;
	uint64_t *set; /* of the relation that is noted */
	int32_t *order, n_order;
};

struct gpube_pairwise_run {
	struct gpube_bounder *b;
	struct gpube_lean *lean;            /* of b->tables, or NULL */
	const struct gpube_model *m;        /* its, or b->tables */
	struct gpube_pairwise *p;           /* NULL: the model is not for it */
	struct gpube_pairwise_state *root;  /* until it is open */
	struct gpube_relations *relations;  /* what the root's regions have grown to, or NULL */
	struct gpube_sweeper sweeper;       /* of these */
	const struct gpube_sweep_ops *card; /* NULL: the host sweeps */
	bool asked;                         /* for a card */
	struct gpube_relation_cases *cases; /* what the relations have been split into, or NULL */
	int64_t made_below;                 /* the cutoff when it was made */
	int32_t n_sweeps;
	double sweep;               /* seconds of the last one, by the clock */
	bool all_grown;             /* no larger regions can be made */
	struct gpube_frontier open; /* of states */
	int64_t n_states, n_dives;
	struct gpube_pairwise_worker *workers; /* one a thread, two children each */
	int32_t *whole;                        /* an assignment of b->m */
	struct gpube_budget turn;              /* this one */
	double worked;                         /* seconds of those before it */
	bool paused;                           /* the last one ended with its time */
	double waits;     /* seconds of a turn in which regions can grow, or 0 */
	double searching; /* seconds of local search, by the clock */
	struct gpube_pairwise_notes notes;
};

/*
 * gpube__pairwise_run_new() - b's, with nothing seen; its p is NULL where the model is not for it.
 * Errors: ENOMEM, with b->state.pairwise to be freed all the same
 */
int gpube__pairwise_run_new(struct gpube_bounder *b);

/*
 * An assignment of m, in regions' words; a bound of all, told. Errors: those of
 * gpube__bounder_report_incumbent()
 */
int gpube__pairwise_run_report_incumbent(struct gpube_pairwise_run *s, const int32_t *values);
void gpube__pairwise_run_update_lower(
	struct gpube_pairwise_run *s, int64_t constant, const char *by);
bool gpube__pairwise_run_is_over(const struct gpube_pairwise_run *s);

/*
 * Relations of twice as many entries, with what the root's regions or the relations before have;
 * *any: whether they are.
 * Errors: ENOMEM, ESTOP
 */
int gpube__pairwise_run_grow(struct gpube_pairwise_run *s, bool *any);

/* A card for sweeps of these relations, where one is allowed, there, and likely to pay. */
void gpube__pairwise_run_ask_card(struct gpube_pairwise_run *s, const struct gpube_relations *l);
/* Of its memory, for one who sweeps. */
void gpube__pairwise_run_open_card(
	struct gpube_pairwise_run *s, struct gpube_sweeper *w, struct gpube_ctx *ctx, int n);

/* Whether splitting is likely to close what is left. */
bool gpube__pairwise_run_little_is_open(const struct gpube_pairwise_run *s);

/* Seconds of work so far, of all turns. */
double gpube__pairwise_run_worked(const struct gpube_pairwise_run *s);

/* The target of the cutoff that there is now, where it is lower than the state's. */
void gpube__pairwise_run_know(
	const struct gpube_pairwise_run *s, struct gpube_pairwise_state *state);

/*
 * Splits what is left open until nothing is, the time is over, or it seems not to end.
 * Errors: ENOMEM, those of gpube__pairwise_run_report_incumbent()
 */
int gpube__pairwise_run_search(struct gpube_pairwise_run *s);

/* ---- notes for a certificate, where they are wanted ------------------------------------------ */

/*
 * gpube__notes_begin() - the simplified model, and the regions; once.
 * gpube__notes_relations() - the next relations of a case of the run's notes, or regions (NULL);
 * sweeps over them; a split: *child: 0 where nothing is noted. One at a time. Errors: ENOMEM
 */
int gpube__notes_begin(struct gpube_pairwise_run *s);
int gpube__notes_relations(
	struct gpube_pairwise_run *s, int32_t of, const struct gpube_relations *l);
int gpube__notes_sweeps(struct gpube_pairwise_run *s, int32_t of, int32_t n);
int gpube__notes_split(
	struct gpube_pairwise_run *s, int32_t of, int32_t var, int32_t value, int32_t child[2]);
/* What relations and cases leave open is noted. s: or NULL */
void gpube__notes_end(struct gpube_pairwise_run *s);
void gpube__notes_clear(struct gpube_pairwise_run *s);

#endif
