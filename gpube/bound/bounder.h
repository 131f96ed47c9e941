/*
 * bounder.h - what the bound methods share: the simplified model, the best bounds so far, who is
 * told when one improves, and what becomes of a method that fails.
 */
#ifndef GPUBE_BOUNDER_H
#define GPUBE_BOUNDER_H

#include "gpube/order/order.h"
#include "gpube/ops/ops.h"
#include "gpube/relax/scaling.h"
#include "gpube/relax/search.h"
#include "gpube/simplify/simplify.h"

struct gpube_shifted_opts;
struct gpube_dfs_tree;
struct gpube_climb;
struct gpube_nest;
struct gpube_patching;
struct gpube_certificate;
struct gpube_sat;

/*
 * Who watches a run from outside, in terms of the given model; called from the thread of the run.
 * improved  a bound or an assignment has; without an assignment values is NULL
 * cutoff    totals from it on are of no interest by now; false: there is none
 */
struct gpube_watch {
	void *arg;
	void (*improved)(void *arg, int64_t bound, int64_t cost, const int32_t *values);
	bool (*cutoff)(void *arg, int64_t *cutoff);
};

/* How bounds went, for a picture. */
struct gpube_steps {
	struct gpube_step *step;
	int64_t n, capacity;
};

/*
 * A step more; of thousands every other one goes. Where there is no memory, the picture has less to
 * show.
 */
void gpube__step_add(
	struct gpube_ctx *ctx, struct gpube_steps *s, double seconds, int64_t bound, int64_t cost);

/* How the simplified model and the tables were made, and what of that is the bounder's. */
struct gpube_made {
	struct gpube_model *quantised; /* of potentials */
	struct gpube_model *kept;      /* tables, where they are not the simplified model */
	int finer;                     /* costs of the tables are times 2^finer */
	bool limited;                  /* it was simplified with the cutoff as its top */
	int64_t span;                  /* gpube__cost_span() of it: 1: every cost forbids */
	int precision;       /* of costs of potentials; 0: as many decimals as their total allows */
	int32_t most_inputs; /* of a bucket, where sums in it passed 64 bits; 0: none did */
};

/* What methods keep from one of their turns to the next; pointers are NULL where there is none. */
struct gpube_states {
	struct gpube_search *search;
	bool ordered;                      /* the order is made */
	struct gpube_order_search *orders; /* for a better one, for as long as it pays */
	struct gpube_graph graph;          /* of m, as long as they are searched for */
	bool order_sought;                 /* nobody is to search again */
	bool reparametrised;               /* the tables are, or cannot be */
	struct gpube_sat *sat;             /* the hard part as clauses, as long as they are open */
	struct gpube_dfs_tree *tree;
	double tree_joined;             /* joined cells of the order that it was made along */
	struct gpube_dfs_tree *guessed; /* of what costs less than 'guess' (bound_guess.c) */
	int64_t guess;
	struct gpube_climb *climb;                 /* the ascent on the join graph */
	struct gpube_patching *patching;           /* pairwise-consistent subproblems */
	struct gpube_nest *nest;                   /* the ascent on nested regions */
	bool no_regions;                           /* there is no card for them */
	struct gpube_shifted *shifted;             /* wanted from the last ascent */
	const struct gpube_shifted_opts *shifting; /* how, with 'shifted' */
	int most_shift;                            /* of an ascent */
	bool lifted;                               /* shifted is made */
};

/* Who is told of a run, and what its report will say. Bounds: totals of the simplified model. */
struct gpube_report {
	const struct gpube_watch *watch; /* or NULL */
	struct gpube_solution *out;      /* what an elimination proves or plans goes there */
	struct gpube_certificate *notes; /* of what methods do, or NULL */
	bool planning;                   /* nothing is done but the plan of an elimination */
	bool *ended;                     /* options' progress has ended the run */
	int32_t *extended;               /* the best assignment, of the given model */
	double start, start_cpu;         /* by the clock, and of the process */
	double start_work;               /* gpube__worked() */
	double seconds_lower, seconds_upper, seconds_simplify, seconds_order;
	const char *backend;      /* of the ascent */
	int z;                    /* of the last mini-buckets */
	struct gpube_stage *runs; /* turns of methods */
	int64_t n_runs, runs_capacity;
	struct gpube_steps steps;
	int64_t n_improved;      /* times that a bound or an assignment has */
	double noted, noted_cpu; /* when a turn was noted last, and what was known then */
	int64_t noted_lower, noted_upper;
};

/* What methods know and tell each other. */
struct gpube_bounder {
	struct gpube_ctx *ctx;
	const struct gpube_bound_opts *opts;
	const struct gpube_model *given, *costs; /* costs: of potentials, quantised */
	struct gpube_simplified s;
	const struct gpube_model *m; /* simplified; totals below are its */
	/*
	 * What ascents and mini-buckets begin from: m, or the same functions, and unary ones, with
	 * costs shifted between them; totals below the limit are the same, times 2^finer, forbidden
	 * values perhaps more.
	 */
	const struct gpube_model *tables;

	int64_t lower;  /* no total is below; GPUBE_INF: none is allowed */
	int64_t upper;  /* of 'best'; GPUBE_INF: none known */
	int64_t limit;  /* totals from here on are of no interest: min(top, cutoff, upper) */
	int64_t cutoff; /* GPUBE_INF: none given */
	int32_t *best, *tried;
	int32_t *order; /* of the simplified model; order_cost is what it costs */
	struct gpube_order_cost order_cost;

	struct gpube_made made;
	struct gpube_states state;
	struct gpube_report told;
};

/* Whether an ascent on nested regions is asked for, as the only method. */
static inline bool gpube__asks_for_nested(const struct gpube_bound_opts *opts)
{
	return opts->method == GPUBE_BOUND_ASCENT && opts->regions == GPUBE_REGIONS_NESTED;
}

/* True when nothing is left to find out. */
static inline bool gpube__bounder_done(const struct gpube_bounder *b)
{
	return b->lower >= b->limit || b->lower >= b->upper; /* (limit is below upper, as a rule) */
}

/* Times what a second joins: beyond, no order helps, nor do slices. */
#define GPUBE__HOPELESS 1e9

/* From so many values on, geometric mean, domains are large. */
enum { GPUBE__WIDE_DOMAIN = 8 };
double gpube__bounder_mean_domain(const struct gpube_bounder *b);

/* Few variables for the width of the order: nearly everything depends on everything. */
bool gpube__bounder_dense(const struct gpube_bounder *b);

/* Small domains, and not dense: the join graph is the better ascent. */
bool gpube__bounder_prefers_joins(const struct gpube_bounder *b);

/*
 * What is proved of the best assignment's cost, or of the cutoff, above what all cost; 0: neither
 * is known.
 */
double gpube__bounder_share_proved(const struct gpube_bounder *b);

/*
 * What is open: the cost of the best assignment, or the cutoff, less the bound; INFINITY: neither
 * is known.
 */
double gpube__bounder_open(const struct gpube_bounder *b);

/* Seconds of work of this run so far. */
static inline double gpube__bounder_worked(const struct gpube_bounder *b)
{
	return gpube__worked(b->ctx) - b->told.start_work;
}

/* Seconds of work in which the answer may come, so that nothing but it is told. */
#define GPUBE__MOMENT 0.02

/* The bounds as they are, in a line of the log; with -v another has the work so far. */
void gpube__bounder_tell(const struct gpube_bounder *b, const char *by);

/*
 * Both bounds, as they were when a turn was noted last and as they are: "lower 3 to 5, upper - to
 * 9". Returns the text.
 */
enum { GPUBE__BOUNDS_TEXT = 4 * GPUBE_DECIMAL_TEXT + 32 };
const char *gpube__bounder_changed(char text[GPUBE__BOUNDS_TEXT], const struct gpube_bounder *b);

/* What a simplification did, for the log. */
void gpube__bounder_tell_simplified(struct gpube_ctx *ctx, const struct gpube_simplified *s);

/* What is known, to the options' progress, which may end the run. */
void gpube__bounder_progress(struct gpube_bounder *b, const char *by);

/* A cutoff: a total of the simplified model. */
void gpube__bounder_cut(struct gpube_bounder *b, int64_t cutoff);
/* The one that a watch has by now. */
void gpube__bounder_hear(struct gpube_bounder *b);

/* A proved bound: kept, and told, if it is better. 'by' names the method. */
void gpube__bounder_raise(struct gpube_bounder *b, int64_t lower, const char *by);

/*
 * A total of m as one of b->tables, the limit as one, and a bound of the tables' totals as one of
 * m's.
 */
static inline int64_t gpube__tables_total(const struct gpube_bounder *b, int64_t total)
{
	return total == GPUBE_INF ? total : total * ((int64_t)1 << b->made.finer);
}
static inline int64_t gpube__tables_limit(const struct gpube_bounder *b)
{
	return gpube__tables_total(b, b->limit);
}
static inline int64_t gpube__tables_bound(const struct gpube_bounder *b, int64_t bound)
{
	return bound == GPUBE_INF ? bound
				  : (bound + ((int64_t)1 << b->made.finer) - 1) >> b->made.finer;
}

/*
 * An assignment of the simplified model: priced from the tables as they were
 * read, kept, and told, if it is allowed and better.
 * Errors: EBUG (the simplified model prices it differently)
 */
int gpube__bounder_offer(struct gpube_bounder *b, const int32_t *values, const char *by);

/* Local search for 'steps' steps; from an assignment, if not NULL. */
int gpube__bounder_search(struct gpube_bounder *b, const int32_t *from, int64_t steps);

/*
 * True if a status is one that a method of several may end with and the others can do without: no
 * room, sums past 64 bits, a device that failed. It is told then, with the method's name: what is
 * known stays, and is the result. A stop, wrong arguments and our own errors are not.
 */
bool gpube__bounder_gives_way(const struct gpube_bounder *b, int status, const char *method);

/*
 * To be reported: a turn of a method that began when the last one was noted; seconds and bounds are
 * set here. Errors: ENOMEM
 */
int gpube__bounder_note(struct gpube_bounder *b, struct gpube_stage turn);

/* Frees what it owns. */
void gpube__bounder_clear(struct gpube_bounder *b);

#endif
