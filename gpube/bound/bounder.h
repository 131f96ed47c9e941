/*
 * bounder.h - the state that all bound methods share: the simplified model, the best bounds, who is
 * told when a bound improves, and how a run goes on when a method fails.
 */
#ifndef GPUBE_BOUNDER_H
#define GPUBE_BOUNDER_H

#include "gpube/base/arrays.h"
#include "gpube/order/order.h"
#include "gpube/options/options.h"
#include "gpube/ops/ops.h"
#include "gpube/relax/scaling.h"
#include "gpube/relax/search.h"
#include "gpube/simplify/simplify.h"

struct gpube_orders;
struct gpube_reparam_run;
struct gpube_dfs_tree;
struct gpube_climb;
struct gpube_nest;
struct gpube_pairwise_run;
struct gpube_certificate;
struct gpube_sat;

/* Methods whose work other ranks share: see sharing/shared.h. */
enum gpube__shared_kind {
	GPUBE__SHARED_TREE,
	GPUBE__SHARED_ANDOR,
	GPUBE__SHARED_CASES,
	GPUBE__N_SHARED
};

/*
 * What others have proved and found of the given model.
 * scale   decimals of the bound; in: those of the run's totals
 * values  an assignment, until the next call; NULL: none
 */
struct gpube__learned {
	int scale;
	bool proved;
	int64_t bound; /* if it is proved */
	const int32_t *values;
};

/*
 * Callbacks of whoever watches a run, from the run's thread, in totals of the given model; any of
 * them may be NULL.
 * improved  is called with each better bound (values is NULL) and each better assignment
 * learn     what others have found since the last call, or all of it; false: nothing
 * share     other ranks may share the work of this method's state, NULL: no more
 * turn      which of these works now; GPUBE__N_SHARED: another method
 * gather    brings back what they have of all, as far as they answer soon
 * wait      no method has more to say: returns once others have found something, or the run is
 *           stopped; false, at once: none of them is at work
 * share_after  seconds of a method's work before it is shared; 0: at once, for tests
 */
struct gpube_watch {
	void *arg;
	void (*improved)(void *arg, int64_t bound, int64_t cost, const int32_t *values);
	bool (*learn)(void *arg, bool all, struct gpube__learned *to);
	void (*share)(void *arg, enum gpube__shared_kind kind, void *of);
	void (*turn)(void *arg, enum gpube__shared_kind kind);
	void (*gather)(void *arg);
	bool (*wait)(void *arg);
	double share_after;
};

struct gpube_bounder;

/*
 * Who keeps the run, to go on later (checkpoint/checkpoint.h).
 * save   writes what is known; it tells failures itself
 * every  seconds by the clock between two times; 0: not before the end
 * saved  when it was done last
 * held   methods at work that alone know when they can be kept
 */
struct gpube__saver {
	void (*save)(struct gpube_bounder *b);
	const char *path;
	double every, saved;
	int held;
};

/* The history of the bounds, for a plot. */
struct gpube_steps {
	struct gpube_step *step;
	int64_t n, capacity;
};

/* How the simplified model and the tables were made, and the models that the bounder owns. */
struct gpube_made {
	struct gpube_model *quantised; /* integer costs of a model of potentials */
	struct gpube_model *kept;      /* the tables, unless they are the simplified model */
	int finer;                     /* the tables' costs are multiplied by 2^finer */
	bool limited;                  /* the cutoff was the top when the model was simplified */
	int64_t span;                  /* gpube__cost_span() of it; 1: every cost forbids */
	double cells, values;          /* of its tables, of its variables */
	double mean_domain;            /* geometric: one large domain does not decide */
	int64_t unit, rest;  /* allowed totals are rest modulo unit; 0: nothing is known */
	bool of_pairs;       /* no function has more than two variables */
	bool ternary;        /* functions of several have three of them, or more, rather than two */
	int precision;       /* decimals of quantised costs; 0: as many as fit */
	int32_t most_inputs; /* functions of a bucket whose sum passed 64 bits; 0: none did */
};

/*
 * The states that methods keep between their turns, each known to its engine alone (NULL: it has
 * none), and what all are to know of some.
 */
struct gpube_states {
	struct gpube_search *search;
	struct gpube_orders *orders; /* searches for a better order, while that pays */
	struct gpube_sat *sat;       /* the forbidden cells as clauses, until they are decided */
	struct gpube_dfs_tree *tree,
		*trial_tree;                 /* trial: below a trial cutoff (bound_deepening.c) */
	struct gpube_climb *climb;           /* dual ascent on the join graph */
	struct gpube_pairwise_run *pairwise; /* pairwise-consistent subproblems */
	struct gpube_relaxed_run *semidefinite, *linear; /* branching on that relaxation */
	struct gpube_nest *nest;                         /* dual ascent on nested regions */
	struct gpube_reparam_run *reparam; /* the reparametrised model that is wanted, or NULL */
	struct gpube__schedule *schedule;  /* of rounds, once they have begun */
	bool ordered;                      /* an elimination order is known */
	bool reparametrised;               /* soft arc consistency has had its turn */
	bool no_regions;                   /* no device has room for nested regions */
};

/*
 * Who is told of a run, and the figures of its report. Bounds are totals of the simplified model.
 */
struct gpube_report {
	const struct gpube_watch *watch; /* or NULL */
	struct gpube__saver *saver;      /* or NULL */
	struct gpube_solution *out;      /* receives the figures of an elimination */
	struct gpube_certificate *notes; /* receives the steps of methods, for a proof; or NULL */
	bool planning;                   /* the run only plans an elimination */
	bool *ended;                     /* set once the progress function has ended the run */
	int32_t *extended;               /* the incumbent as an assignment of the given model */
	double start;                    /* by the clock */
	double start_work;               /* gpube__worked() */
	double seconds_lower, seconds_upper, seconds_simplify, seconds_order;
	const char *backend;      /* where the ascent worked */
	int z;                    /* most variables of the last mini-buckets */
	struct gpube_stage *runs; /* the turns of methods */
	int64_t n_runs, runs_capacity;
	struct gpube_steps steps;
	int64_t n_improved;      /* improvements of bounds and assignments */
	int learned;             /* the status of what was learned from others within this turn */
	double noted, noted_cpu; /* when the last turn was noted, and the bounds then */
	int64_t noted_lower, noted_upper;
};

/* All that methods know of each other. */
struct gpube_bounder {
	struct gpube_ctx *ctx;
	const struct gpube_opts *opts;
	const struct gpube_model *given, *costs; /* costs: given, or quantised potentials */
	struct gpube_simplified s;
	const struct gpube_model *m; /* the simplified model, whose totals the bounds are */
	/*
	 * The model from which ascents and mini-buckets begin: m, or m reparametrised. Totals below
	 * the cutoff are multiplied by 2^finer; more values may be forbidden.
	 */
	const struct gpube_model *tables;

	int64_t lower; /* no total is below; GPUBE_INF: every assignment is forbidden */
	int64_t upper; /* the total of 'best'; GPUBE_INF: none is known */
	/* methods prune from here on: min(top, given_cutoff, upper - (unit - 1)) */
	int64_t cutoff;
	int64_t given_cutoff;        /* of the caller; GPUBE_INF: none */
	struct gpube__arrays memory; /* of assignments and the order */
	int32_t *best, *tried;
	int32_t *order; /* of the simplified model; order_cost has its width and cells */
	struct gpube_order_cost order_cost;

	struct gpube_made made;
	struct gpube_states state;
	struct gpube_report told;
};

/* Whether the caller asks for an ascent on nested regions alone. */
static inline bool gpube__asks_for_nested(const struct gpube_opts *opts)
{
	return opts->method == GPUBE_BOUND_ASCENT && opts->regions == GPUBE_REGIONS_NESTED;
}

/* Counts, once, what the schedule asks of the simplified model (schedule/features.c). */
void gpube__bounder_measure(struct gpube_bounder *b);

/*
 * gpube__bounder_find_unit() - by what totals of the simplified model differ (bound_unit.c).
 * gpube__bounder_whole() - the least total that there can be from 'lower' on.
 */
void gpube__bounder_find_unit(struct gpube_bounder *b);
int64_t gpube__bounder_whole(const struct gpube_bounder *b, int64_t lower);

/* True when the bounds have met. */
static inline bool gpube__bounder_done(const struct gpube_bounder *b)
{
	return b->lower >= b->cutoff || b->lower >= b->upper; /* (cutoff <= upper, as a rule) */
}

/* Domains of so many values (geometric mean) are large. */
enum { GPUBE__WIDE_DOMAIN = 8 };

/* The width is large for so few variables: nearly each depends on every other one. */
bool gpube__bounder_dense(const struct gpube_bounder *b);

/* Domains are small and the model is not dense: the join graph gives the better ascent. */
bool gpube__bounder_prefers_joins(const struct gpube_bounder *b);

/*
 * The proved fraction of the way from the constant to the incumbent or the given cutoff; 0: there
 * is neither.
 */
double gpube__bounder_part_proved(const struct gpube_bounder *b);

/* The gap from the lower bound to the incumbent or the given cutoff; INFINITY: there is neither. */
double gpube__bounder_open(const struct gpube_bounder *b);

/* Seconds of work of this run so far. */
static inline double gpube__bounder_worked(const struct gpube_bounder *b)
{
	return gpube__worked(b->ctx) - b->told.start_work;
}

/* Logs the bounds in one line; with -v another line has the work so far. */
void gpube__bounder_tell(const struct gpube_bounder *b, const char *by);

/* Returns the change of both bounds since the last turn was noted: "lower 3 to 5, upper - to 9". */
enum { GPUBE__BOUNDS_TEXT = 4 * GPUBE_DECIMAL_TEXT + 32 };
const char *gpube__bounder_changed(char text[GPUBE__BOUNDS_TEXT], const struct gpube_bounder *b);

/* Logs what a simplification did. */
void gpube__bounder_tell_simplified(struct gpube_ctx *ctx, const struct gpube_simplified *s);

/* Tells the options' progress function what is known; it may end the run. */
void gpube__bounder_progress(struct gpube_bounder *b, const char *by);

/*
 * gpube__bounder_share() - other ranks, if there are any, may share the work of a method's state.
 * gpube__bounder_turn()  - it works now; GPUBE__N_SHARED: another method does.
 */
void gpube__bounder_share(struct gpube_bounder *b, enum gpube__shared_kind kind, void *of);
void gpube__bounder_turn(struct gpube_bounder *b, enum gpube__shared_kind kind);

/* Sets the given cutoff, a total of the simplified model. */
void gpube__bounder_set_cutoff(struct gpube_bounder *b, int64_t cutoff);
/* Takes what others have found since the last call; gpube__bounder_learn() tells of failures. */
void gpube__bounder_poll(struct gpube_bounder *b);
/* No method has more to say: waits for what others find, and takes it; false: none is at work. */
bool gpube__bounder_wait(struct gpube_bounder *b);
/* Takes all that others have found. Errors: EBUG; those of what was taken since the last call */
int gpube__bounder_learn(struct gpube_bounder *b, bool all);
/*
 * An assignment of the given model in the simplified one, into 'to'. A variable may stand for
 * several: it gets its first value that agrees with all of them. False if there is none.
 */
bool gpube__bounder_reduce(const struct gpube_bounder *b, int32_t *to, const int32_t *values);

/* Whether it is time to save the run, by who is the held-th method at work that knows when. */
bool gpube__bounder_save_is_due(const struct gpube_bounder *b, int held);
/* Saves it, if it is. */
void gpube__bounder_save_if_due(struct gpube_bounder *b, int held);
/* From now on a method at work that keeps its state in pieces, or no longer. */
void gpube__bounder_hold_saves(struct gpube_bounder *b, int more);

/* A total of the simplified model as one of the given model, or the other way round. */
static inline int64_t gpube__given_total(const struct gpube_bounder *b, int64_t total)
{
	return b->s.negated ? -total : total;
}

/* Takes a proved lower bound and reports it if it is better. 'by' names the method. */
void gpube__bounder_update_lower(struct gpube_bounder *b, int64_t lower, const char *by);

/* Conversions: a total of m to one of b->tables, so the cutoff, and a bound of the tables to m. */
static inline int64_t gpube__tables_total(const struct gpube_bounder *b, int64_t total)
{
	return total == GPUBE_INF ? total : total * ((int64_t)1 << b->made.finer);
}
static inline int64_t gpube__tables_cutoff(const struct gpube_bounder *b)
{
	return gpube__tables_total(b, b->cutoff);
}
static inline int64_t gpube__tables_bound(const struct gpube_bounder *b, int64_t bound)
{
	return bound == GPUBE_INF ? bound
				  : (bound + ((int64_t)1 << b->made.finer) - 1) >> b->made.finer;
}

/*
 * For an ascent on b->tables, whose costs are multiplied by 2^shift there, and whose target stands
 * for the cutoff.
 * gpube__bounder_update_scaled() - its constant is a bound.
 * gpube__bounder_lower_target()  - the target of the present cutoff.
 * gpube__bounder_missing()       - from the constant to the target, or to the incumbent where that
 *                                  is no limit.
 */
void gpube__bounder_update_scaled(
	struct gpube_bounder *b, int shift, int64_t constant, int64_t target, const char *by);
void gpube__bounder_lower_target(const struct gpube_bounder *b, int shift, int64_t *target);
int64_t gpube__bounder_missing(
	const struct gpube_bounder *b, int shift, int64_t constant, int64_t target);

/*
 * Prices an assignment of the simplified model from the tables of the file; if it is allowed and
 * better it becomes the incumbent and is reported.
 * Errors: EBUG (the simplified model prices it differently)
 */
int gpube__bounder_report_incumbent(struct gpube_bounder *b, const int32_t *values, const char *by);

/* Local search of so many steps; from: where it starts, or NULL. */
int gpube__bounder_search(struct gpube_bounder *b, const int32_t *from, int64_t steps);
/* The same for so many seconds of work. GPUBE__DONE: no variable has a second value. */
int gpube__bounder_search_for(struct gpube_bounder *b, double seconds);

/*
 * Whether the run falls back on other methods after such a status: no memory, sums past 64 bits, or
 * a device that failed, which is logged with the method's name. The bounds stay as they are. A
 * stop, wrong arguments and internal errors end the run.
 */
bool gpube__bounder_falls_back(const struct gpube_bounder *b, int status, const char *method);

/*
 * Notes a turn, which began when the last one was noted, for the report; sets its seconds and
 * bounds. Errors: ENOMEM
 */
int gpube__bounder_note(struct gpube_bounder *b, struct gpube_stage turn);

void gpube__orders_free(struct gpube_ctx *ctx, struct gpube_orders *o); /* bound_orders.c */

/* Room for assignments and orders of n simplified variables. Errors: ENOMEM */
int gpube__bounder_room(struct gpube_bounder *b, uint64_t n);
/* Frees what it owns. */
void gpube__bounder_clear(struct gpube_bounder *b);

#endif
