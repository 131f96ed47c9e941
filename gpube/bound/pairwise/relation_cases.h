/*
 * relation_cases.h - what relations (relax/pairwise/relations.h) leave open, split into cases: a
 * variable has a value or any other, each case has relations of its own, and a thread works on one
 * case at a time.
 *
 * A case begins with the relations of the one before, without the entries that are not in it, and
 * without variables that have one value left. What they cost there is what they cost here, so all
 * that was proved goes on; relations of as many entries are joined again, of more variables now,
 * and sweeps go on until they bring little, the sooner the more threads are idle. Then it is split.
 * (Relations of twice as many entries, where they promised more than a split, made no difference to
 * 159 files and were worse on two large ones: runs/solve-h200.) Where the number of splits has
 * doubled and the bound of the whole has hardly risen, relations of all cases grow from then on.
 * (To begin again at the root with longer relations takes twice as long, and certificates, other
 * ranks and checkpoints would have to know of it: runs/sweeps-h200.)
 *
 * The case of the least bound is next, so that the least of all that are open is the bound of the
 * whole and rises; where memory is short, the deepest. A case leaves only when its bound reaches
 * the cutoff, or with one assignment that was priced.
 *
 * Why cases. Waves of sweeps are mostly too short for threads, and relations of cases close most of
 * what relations of the whole leave open. Designs weighed. (1) Deepest first:
 * less memory, but the whole's bound stays the root's until the end. (2) Each case from the model
 * again: relations of 4096 entries are 20 s away from it, and 1 s from its parent's. (3) A fixed
 * order of the variables: in the deep cases most of its decisions were implied, or moved nothing.
 * (4) States of dynamic programming along a path, pruned by the relations' bound: nothing is known
 * before the last layer. (5) This one.
 *
 * Other ranks, and checkpoints, have cases as the numbers of their relations. Weighed: the
 * decisions alone, from which relations would be made again: 20 s away from the model's (2), where
 * a hundred thousand entries are a megabyte.
 */
#ifndef GPUBE_RELATION_CASES_H
#define GPUBE_RELATION_CASES_H

#include <pthread.h>

#include "gpube/bound/pairwise/pairwise_method.h"
#include "gpube/search/frontier.h"

/* When a case ends with a split; tests split early. */
struct gpube_case_rules {
	/* sweeps go on while a window of them brings that part of what is missing; a card's */
	double slow, card_slow;
	int most_windows;
	/* variables that a look ahead compares; the first cases have some times as many */
	int probes;
	int steps; /* of local search at a time */
	/*
	 * After so many splits, and again whenever their number has doubled, relations of all cases
	 * grow, unless the bound has risen by at least that part of what was missing to the cutoff.
	 * judged 0: never
	 */
	int judged;
	double progress;
	/* workers for each thread beside its own, where the host sweeps; where a card does */
	int more_workers, more_card_workers;
};

extern const struct gpube_case_rules gpube__case_rules;

struct gpube_relation_cases;

struct gpube_case_worker {
	struct gpube_relation_cases *all;
	struct gpube_ctx ctx;
	struct gpube_search *search;
	struct gpube_sweeper sweeper;
	int32_t *values, *whole;
	int64_t *forced;
	struct gpube_case_choice *choices;
	pthread_t thread;                /* of one for whom the context has none */
	struct gpube_frontier_hand hand; /* what it works on */
	struct gpube_relations *at;      /* its payload; NULL: it is closed, or split */
	double searching, working;       /* seconds of local search, and of cases */
	double began;                    /* this case, in its work */
	int n_probed;                    /* the first choices, of which some have been looked at */
};

/* A split that is weighed. */
struct gpube_case_choice {
	int32_t var, value;
	double rank;
	bool probed; /* at both parts */
	double open; /* 1: nothing is known of its values; 0: one alone is nearly sure */
	/* of the part with the value, of the other; all that is missing: it is closed */
	int64_t gain[2];
};

struct gpube_relation_cases {
	struct gpube_pairwise_run *s;
	const struct gpube_case_rules *rules;
	pthread_mutex_t lock; /* of all that follows */
	pthread_cond_t changed;
	pthread_t caller;
	struct gpube_frontier open; /* of relations */
	int n_waiting;
	bool over;
	int status;
	int64_t target;                     /* of the cutoff that there is now */
	int64_t n_split, n_closed, n_saved; /* n_saved: of both, at the last save on the way */
	double told;                        /* when counts were */
	int64_t most;                       /* tuples to which relations grow, or 0 */
	int64_t judged_at, missing; /* the next judgement, in splits; missing at the last one */
	/*
	 * What is closed, and what a guest gave away, less what others gave: with the open and the
	 * held cases the whole, 1, or a guest's, 0 (frontier.h).
	 */
	uint64_t part;
	bool shared, guest, wanted;   /* see sharing/shared.h; wanted counts in n_waiting */
	double since;                 /* seconds of the method's work when they were made */
	struct gpube_relations *like; /* without any: the variables and the unit of all */
	int32_t *best;                /* of the bounder's model, or of best_cost GPUBE_INF */
	int64_t best_cost, best_number;
	bool found; /* the best one is to be offered to the bounder */
	int64_t *value_at;
	struct gpube_case_rank {
		double weight; /* what the model's costs say */
		double sum;    /* what looks have said */
		int32_t n;
	} * ranks;                        /* by value: value a of variable i is value_at[i] + a */
	struct gpube_case_probes *probes; /* that others may help with, or NULL */
	int n_workers;                    /* by the threads that there were at first */
	bool alone;                       /* the first one works, until others come */
	struct gpube_case_worker *workers;
};

/*
 * gpube__pairwise_run_cases() - the relations of s become the first case; cases are worked off
 * until none is open or the turn is over. Those that are open then stay, and a later call goes on.
 * Errors: ENOMEM; EBUG of what is offered
 */
int gpube__pairwise_run_cases(struct gpube_pairwise_run *s, const struct gpube_case_rules *rules);
void gpube__cases_free(struct gpube_relation_cases *c);
/* The relations of s are the first case, and the cases' then. Errors: ENOMEM */
int gpube__cases_make(struct gpube_pairwise_run *s, const struct gpube_case_rules *rules);

/* ---- as numbers (relation_cases_bytes.c) ----------------------------------------------------- */

/*
 * gpube__put_no_cases()   - what cases are of; failures of all these are in to->status.
 * gpube__cases_get_none() - the bounder's cases, of which none is open. Errors: ENOMEM, EPARSE;
 *                           EINVAL (they are of other variables)
 * gpube__put_case()       - a case that nobody works on, and with the lock; it loses its separators
 * gpube__get_case()       - it is nobody's yet. Errors: EPARSE, ENOMEM
 * gpube__put_cases()      - all, while nobody works on any, and back; where this version would make
 *                           others, there are none. Errors: EPARSE, ENOMEM
 */
struct gpube__bytes;
void gpube__put_no_cases(struct gpube__bytes *to, const struct gpube_relation_cases *c);
int gpube__cases_get_none(struct gpube_bounder *b, struct gpube__bytes *from);
void gpube__put_case(struct gpube__bytes *to, const struct gpube_relation_cases *c,
	struct gpube_frontier_node *node);
int gpube__get_case(struct gpube__bytes *from, const struct gpube_relation_cases *c,
	struct gpube_frontier_node *node);
void gpube__put_cases(struct gpube__bytes *to, struct gpube_relation_cases *c);
int gpube__get_cases(struct gpube_bounder *b, struct gpube__bytes *from);

/* ---- other ranks (relation_cases_guest.c, _tell.c) ------------------------------------------- */

/* As a method that ranks share; 'of' is the struct gpube_relation_cases. */
struct gpube__shared;
extern const struct gpube__shared gpube__shared_cases;
/*
 * gpube__cases_settle()   - at the end of a run: what other ranks have found and proved is told.
 * gpube__cases_are_lent() - whether they may have some.
 * Errors: EBUG (a case was lost), those of gpube__cases_tell()
 */
int gpube__cases_settle(struct gpube_bounder *b);
bool gpube__cases_are_lent(struct gpube_bounder *b);

/* ---- of relation_cases_*.c ------------------------------------------------------------------- */

/*
 * What w has in hand is worked on until it is closed, is split into the two parts, or the time is
 * over and it stays.
 * Errors: ENOMEM, and it stays
 */
int gpube__case_work(struct gpube_case_worker *w, struct gpube_relations *part[2]);

/* With the lock held: an open case. Errors: ENOMEM */
int gpube__cases_push(
	struct gpube_relation_cases *c, struct gpube_relations *l, int64_t bound, int32_t depth);

/* With the lock held, after a split: relations of all cases grow if the bound has hardly risen. */
void gpube__cases_judge(struct gpube_relation_cases *c);

/* Local search from an assignment of the simplified model, or on from where it was. */
void gpube__case_search(struct gpube_case_worker *w, const int32_t *from);

/* Each value's weight. Errors: ENOMEM */
int gpube__cases_weigh(struct gpube_relation_cases *c);

/*
 * Choices of the case that w has, by what relations force; none: its variables' 'values' are all
 * that is possible. Their number.
 */
int gpube__case_choices(struct gpube_case_worker *w);
/*
 * The first of n choices are looked at; *best: of those that leave two parts, or -1. Values of
 * parts that are closed are forced no more. *closed: the case is. Errors: ENOMEM
 */
int gpube__case_probe(struct gpube_case_worker *w, int n, int *best, bool *closed);
/* Whether any of the choices has been looked at. */
bool gpube__case_is_probed(const struct gpube_case_worker *w);
/* With the lock held, by a worker that has no case: looks of another's. Whether there were any. */
bool gpube__case_help(struct gpube_case_worker *w);
/* What the looks have closed is noted as splits. Errors: ENOMEM */
int gpube__case_note_probes(struct gpube_case_worker *w);

/*
 * By the thread of the caller: an assignment that was found is offered, then the bound of all is
 * raised, because cases were closed by that assignment's cost. Errors: EBUG of what is offered
 */
int gpube__cases_tell(struct gpube_relation_cases *c);
void gpube__cases_tell_counts(struct gpube_relation_cases *c);
/* All workers end soon, with that status. */
void gpube__cases_end(struct gpube_relation_cases *c, int status);

/* Whether work is to end; told by the thread of the caller on the way. */
bool gpube__cases_over(struct gpube_case_worker *w);

/* By the thread of the caller: other ranks share them, once it pays. */
void gpube__cases_share(struct gpube_relation_cases *c);
/* Whether no case was lost, or is there twice. EBUG: one was */
int gpube__cases_check(struct gpube_relation_cases *c);
/* Takes the bounder's incumbent where it is better than all that workers have found. */
void gpube__cases_take_incumbent(struct gpube_relation_cases *c);

/* Keeps an assignment of the simplified model if it is better than all before. */
void gpube__cases_found(struct gpube_relation_cases *c, const int32_t *values, int64_t cost);

#endif
