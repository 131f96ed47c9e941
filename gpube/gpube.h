/*
 * gpube.h - the public interface of the engine: context, status, model, solve, bounds.
 *
 * Files are read and written by formats.h; functions by what they say are in globals.h, models
 * that are solved again as they change in solver.h, sums in sums.h, bounds for a search of one's
 * own and lists of assignments in partial.h, certificates in certify.h, agents in dpop.h, and
 * games in csg.h, auction.h and nash.h. A function that can fail returns an enum gpube_status (0
 * or negative), and gpube_error(ctx) is the text of the last failure. Out-parameters come first.
 * What a T ** receives belongs to the caller: gpube_x_free() frees a struct gpube_x without fields,
 * gpube_result_free() one with fields, a result. It is NULL after a failure unless the comment says
 * otherwise. A returned const pointer is borrowed. A model keeps a pointer to its context, which is
 * freed after models and results. Each thread has a context of its own: several may use one model
 * that is const, each with options that were made in its context, which is then the call's.
 *
 * Here and in the other headers arguments are checked. A null pointer where one is needed, or a
 * number outside its documented range, is EINVAL, and nothing has changed. A function without a
 * status returns 0, -1 or NULL for what is not there.
 *
 * While the number behind libgpube.so is the same, functions, values of enums, names of options and
 * the places of fields do not change in any header. Results may get new fields at their end.
 */
#ifndef GPUBE_H
#define GPUBE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define GPUBE_API __attribute__((visibility("default")))
#else
#define GPUBE_API
#endif

#define GPUBE_VERSION "0.2.0"
/* 10000 * major + 100 * minor + the third */
#define GPUBE_VERSION_NUMBER 200

/* The version of the library that is running, which may be newer than this header. */
GPUBE_API const char *gpube_version(void);
GPUBE_API int gpube_version_number(void);

/* These values never change: programs switch on them. */
enum gpube_status {
	GPUBE_OK = 0,
	GPUBE_EINVAL = -1, /* an argument is out of its documented range */
	GPUBE_ENOMEM = -2, /* the system refused memory */
	GPUBE_EPARSE = -3, /* a file is malformed: text gives file, line, expected */
	GPUBE_ERANGE = -4, /* a number or a table size does not fit its type */
	GPUBE_ELIMIT = -5, /* it fits the types, but not the memory or time allowed */
	GPUBE_ENODEV = -6, /* no usable device */
	GPUBE_ECUDA = -7,  /* a CUDA call failed */
	GPUBE_EIO = -8,    /* a file cannot be opened, read or written */
	GPUBE_ESTOP = -9,  /* stopped by gpube_ctx_stop() or by a time limit */
	GPUBE_EBUG = -10,  /* a result failed its own check: our bug, never a wrong answer */
};

/* Of top: no limit; of a cost: forbidden. */
#define GPUBE_INF INT64_MAX

/* ---- context ---------------------------------------------------------- */

struct gpube_ctx;

/*
 * NOTE      a line that a user should read: a warning, or what was done otherwise than asked
 * DETAIL    a line for those who ask how a call works
 * PROGRESS  what runs now, in a few words
 * BOUNDS    a line that says which bounds are known, whenever one of them has improved:
 *           "1.52 s: lower bound 41, upper bound 43, gap 4.65 % (tree)"
 */
enum gpube_log_level { GPUBE_LOG_NOTE, GPUBE_LOG_DETAIL, GPUBE_LOG_PROGRESS, GPUBE_LOG_BOUNDS };

/*
 * What a call reports while it runs.
 * text             without an end of line
 * progress         PROGRESS: the part that is done, from 0 to 1; negative: its end is not predicted
 * seconds, worked  BOUNDS, as all that follows: since the call began; of counted work, which are
 *                  the same whenever the run is repeated
 * proved, found    the proved bound, and the value of the incumbent, as text; NULL: not known
 * maximise         the proved bound is the upper one
 * gap              between both, as a part of the incumbent's value; negative: not known
 * by               the method that improved one of them
 */
struct gpube_log {
	enum gpube_log_level level;
	const char *text;
	double progress;
	double seconds, worked;
	const char *proved, *found;
	int maximise;
	double gap;
	const char *by;
};

/* Called for each of them, never from two threads at once; 'said' is valid until it returns. */
typedef void gpube_log_fn(void *arg, const struct gpube_log *said);
/* Replaces malloc, realloc and free (size 0 frees). */
typedef void *gpube_realloc_fn(void *arg, void *p, size_t size);

struct gpube_opts;

/*
 * gpube_ctx_new() - a context.
 * opts  NULL: all cores, the memory that is free, the first GPU. Others: threads, memory,
 *       device_memory, devices, log, realloc
 * Errors: ENOMEM, EINVAL
 */
GPUBE_API int gpube_ctx_new(struct gpube_ctx **out, const struct gpube_opts *opts);
GPUBE_API void gpube_ctx_free(struct gpube_ctx *ctx);

/* Text of the last failure on this context; never NULL, valid until the next call. */
GPUBE_API const char *gpube_error(const struct gpube_ctx *ctx);

/* Asks the running call, and all later ones, to end soon with what they know; async-signal-safe. */
GPUBE_API void gpube_ctx_stop(struct gpube_ctx *ctx);
/* Takes a stop back, so that the context can work again. */
GPUBE_API void gpube_ctx_resume(struct gpube_ctx *ctx);

/* Frees a result: a struct gpube_solution, gpube_list, gpube_nash_result and so on, or NULL. */
GPUBE_API void gpube_result_free(void *result);

/* ---- options ------------------------------------------------------------ */

/*
 * Options of calls. Every option has a name, a type and a default value; a call that is given NULL
 * takes the defaults of all its options. gpube_option() lists them. A call refuses an option that
 * it does not have with EINVAL, and gpube_error() names the calls that have it. One object may
 * serve any number of calls; free it before its context.
 *
 * gpube_opts_new() - ctx: takes errors and memory. NULL, for options of gpube_ctx_new(): errors are
 * in gpube_opts_error().
 */
GPUBE_API int gpube_opts_new(struct gpube_opts **out, struct gpube_ctx *ctx);
GPUBE_API void gpube_opts_free(struct gpube_opts *o);
GPUBE_API const char *gpube_opts_error(const struct gpube_opts *o);

/*
 * gpube_opts_set() - an option by its name and a text, as the command line has it: ("timeout",
 * "5m"), ("memory", "8G"), ("method", "ascent"), ("order_time", "2s"), ("count", "yes"). In names
 * '-' and '_' are the same.
 * text   of a flag NULL is yes
 * Errors: EINVAL (no such name: the text has the nearest; no such value: what is expected), ENOMEM:
 *         the option is as before
 */
GPUBE_API int gpube_opts_set(struct gpube_opts *o, const char *name, const char *text);
/*
 * The same with an integer: for flags (0 or 1), numbers, seconds, bytes, and costs ("cutoff",
 * "limit") in units of 10^-scale of the model; with a real number, for reals and seconds; and with
 * an array ("order", "values", "query", "devices"), which is copied; n >= 1.
 */
GPUBE_API int gpube_opts_set_int(struct gpube_opts *o, const char *name, int64_t value);
GPUBE_API int gpube_opts_set_real(struct gpube_opts *o, const char *name, double value);
GPUBE_API int gpube_opts_set_numbers(
	struct gpube_opts *o, const char *name, int32_t n, const int32_t *numbers);
/* Functions, which get 'arg'; NULL: none. */
GPUBE_API int gpube_opts_set_logger(struct gpube_opts *o, gpube_log_fn *fn, void *arg);
/* The same with a function of level, progress and text; of BOUNDS, 'worked' is its progress. */
typedef void gpube_log_text_fn(
	void *arg, enum gpube_log_level level, double progress, const char *text);
GPUBE_API int gpube_opts_set_log(struct gpube_opts *o, gpube_log_text_fn *fn, void *arg);
GPUBE_API int gpube_opts_set_realloc(struct gpube_opts *o, gpube_realloc_fn *fn, void *arg);

/* The text of an option's value, its length, as snprintf() does; -1: there is no such option. */
GPUBE_API int gpube_opts_get(char *text, size_t size, const struct gpube_opts *o, const char *name);

/*
 * An option: two of one name are of different calls. Later versions have more fields.
 * type      "flag", "int", "real", "time", "size", "text", "choice", "total", "numbers", "call"
 * dflt      as a text, NULL: 0 or none
 * argument  what its value is called; of a choice its words, "auto|cpu|cuda"; NULL: of a flag
 * least, most  of a number; most INT64_MAX: there is no limit
 */
struct gpube_option {
	const char *name, *type, *dflt, *argument, *help;
	int64_t least, most;
};

/* Number k, from 0, of the options that a call takes ("gpube_solve"), NULL: of all; or NULL. */
GPUBE_API const struct gpube_option *gpube_option(int k, const char *call);

/* ---- model ------------------------------------------------------------ */

/*
 * A model is a set of variables with finite domains and a set of functions, each a table over its
 * scope. GPUBE_COSTS: integers in units of 10^-scale, which are added; GPUBE_POTENTIALS: doubles
 * >= 0, which are multiplied (.uai) and kept as they were read. GPUBE_GAME: each variable is a
 * player, whose actions are its values, and has a function of payoffs. GPUBE_COALITIONS: each
 * variable is an agent or a good with two values, and one function holds the value of every
 * coalition or bundle. A call refuses models of other kinds with EINVAL and names one for them.
 */
enum gpube_kind { GPUBE_COSTS, GPUBE_POTENTIALS, GPUBE_GAME, GPUBE_COALITIONS };
/* How the numbers of a table are stored. INT128: only for sums; RATIONAL: fractions of games. */
enum gpube_type {
	GPUBE_INT8,
	GPUBE_INT16,
	GPUBE_INT32,
	GPUBE_INT64,
	GPUBE_FLOAT32,
	GPUBE_FLOAT64,
	GPUBE_INT128,
	GPUBE_RATIONAL,
};
enum gpube_direction { GPUBE_MINIMISE, GPUBE_MAXIMISE };

struct gpube_model;

/* An empty model: no variables, constant 0, no top. EINVAL kind, ENOMEM. */
GPUBE_API int gpube_model_new(
	struct gpube_model **out, struct gpube_ctx *ctx, enum gpube_kind kind);
GPUBE_API void gpube_model_free(struct gpube_model *m);

/*
 * gpube_model_add_var() - a variable with values 0 .. domain-1.
 * var   out, may be NULL: its index
 * name  may be NULL; copied. No other variable may have it, which a hash table tells
 * Errors: EINVAL domain < 1, of an agent not 2, name (the text has it); ENOMEM
 */
GPUBE_API int gpube_model_add_var(
	struct gpube_model *m, int32_t *var, int32_t domain, const char *name);

/*
 * gpube_model_name_values() - names, copied, for all values of a variable's domain; NULL: none.
 * Errors: EINVAL var, a name that is NULL or there twice; ENOMEM: the names are as before
 */
GPUBE_API int gpube_model_name_values(struct gpube_model *m, int32_t var, const char *const *names);

/* Most cells, or tuples, of a function that is given one by one: by a call or in a file. */
#define GPUBE_MOST_CELLS ((int64_t)1 << 31)

/*
 * gpube_model_add_costs() - a dense function of a GPUBE_COSTS model.
 * scope   arity distinct variable indices; arity 0 adds to the constant
 * costs   product of the domains in row-major order, the last variable of the scope fastest;
 *         GPUBE_INF is forbidden in either direction; units of 10^-scale, above -GPUBE_INF
 * Cost:   one pass; the table is stored in the narrowest type that holds it
 * Errors: EINVAL scope; ERANGE size (GPUBE_MOST_CELLS), a cost, the constant; ENOMEM
 */
GPUBE_API int gpube_model_add_costs(
	struct gpube_model *m, int arity, const int32_t *scope, const int64_t *costs);

/* The same for a GPUBE_POTENTIALS model; values >= 0, finite. */
GPUBE_API int gpube_model_add_potentials(
	struct gpube_model *m, int arity, const int32_t *scope, const double *values);

/*
 * gpube_model_lend() - a dense function whose cells stay the caller's: they must outlive the model,
 * and not change.
 * type    of the cells: an integer of up to 64 bits, whose largest number is forbidden; of
 *         potentials FLOAT32 or FLOAT64. Of a GPUBE_COALITIONS model of agents alone as
 *         gpube_coalitions_values() has them; the scope is n - 1, ..., 0
 * Cost:   one look at the cells
 * Errors: EINVAL scope, type, kind, a value; ERANGE size, a cost; ENOMEM
 */
GPUBE_API int gpube_model_lend(struct gpube_model *m, int arity, const int32_t *scope,
	enum gpube_type type, const void *cells);

/*
 * gpube_model_set_top() - assignments whose total cost reaches top are forbidden: cost >= top when
 * minimising (none: GPUBE_INF, the default), cost <= top when maximising (none: -GPUBE_INF). Set
 * the direction first: it resets top to none.
 */
GPUBE_API int gpube_model_set_top(struct gpube_model *m, int64_t top);
GPUBE_API int gpube_model_set_direction(struct gpube_model *m, enum gpube_direction direction);

/* Costs are in units of 10^-decimals: only their text changes. EINVAL outside 0 to 18. */
GPUBE_API int gpube_model_set_scale(struct gpube_model *m, int decimals);

/* Fixes a variable to an observed value (evidence); value -1 takes it back. */
GPUBE_API int gpube_model_observe(struct gpube_model *m, int32_t var, int32_t value);
/*
 * gpube_model_weigh() - soft evidence in a GPUBE_POTENTIALS model: a likelihood >= 0 for each value
 * of a variable. It is added as the last function, over that variable alone, which files contain as
 * any other; new weights replace the earlier ones, NULL removes the function, and the functions
 * behind it move up.
 * Errors: EINVAL (also of a solver's model), ENOMEM: nothing has changed
 */
GPUBE_API int gpube_model_weigh(struct gpube_model *m, int32_t var, const double *weights);

/* Of costs: scale, their decimals; constant, in units of 10^-scale. top: as it was set. */
struct gpube_model_info {
	enum gpube_kind kind;
	enum gpube_direction direction;
	int scale;
	int32_t n_vars, n_hidden, n_functions;
	int64_t constant, top;
};
/* Valid as long as the model, whose changes it follows. */
GPUBE_API const struct gpube_model_info *gpube_model_info(const struct gpube_model *m);

GPUBE_API int32_t gpube_model_n_vars(const struct gpube_model *m);
GPUBE_API int32_t gpube_model_domain(const struct gpube_model *m, int32_t var);

/*
 * Hidden variables: a function of many variables in a file is read as a chain of small ones, whose
 * hidden variables are counters, sums or states of an automaton. Orders and assignments have them,
 * too. Given the other variables at most one of their values is allowed, so that optima and their
 * number are those of the file. Files of orders and solutions leave them out.
 *
 * gpube_model_complete() - sets the hidden variables' values, from those of the others: to 0 where
 * nothing is allowed. EINVAL (a value outside its domain): nothing is set.
 */
GPUBE_API int gpube_model_is_hidden(const struct gpube_model *m, int32_t var);
GPUBE_API int gpube_model_complete(int32_t *values, const struct gpube_model *m);

/* Numbers are from 0. Names are NULL where the file has none. observed: the value, -1: none */
GPUBE_API int32_t gpube_model_observed(const struct gpube_model *m, int32_t var);
GPUBE_API const char *gpube_model_var_name(const struct gpube_model *m, int32_t var);
GPUBE_API const char *gpube_model_value_name(
	const struct gpube_model *m, int32_t var, int32_t value);

/* Its arity, -1: there is none; *scope: its variables, borrowed, NULL in a model without any. */
GPUBE_API int gpube_model_scope(
	const int32_t **scope, const struct gpube_model *m, int32_t function);
/* Cells of the table over that scope; -1 past 2^63, or no such function. */
GPUBE_API int64_t gpube_model_cells(const struct gpube_model *m, int32_t function);
/*
 * gpube_model_costs() - the dense table of a function, as gpube_model_add_costs() takes it, also
 * where it is stored sparse.
 * out     gpube_model_cells() numbers
 * Errors: EINVAL kind; ERANGE size
 */
GPUBE_API int gpube_model_costs(int64_t *out, const struct gpube_model *m, int32_t function);
/* The same for a GPUBE_POTENTIALS model. */
GPUBE_API int gpube_model_potentials(double *out, const struct gpube_model *m, int32_t function);

/*
 * gpube_model_cost() - the cost of an assignment, from the tables as they were read; every reported
 * solution is checked with it.
 * cost    in units of 10^-scale; GPUBE_INF if it breaks a constraint or reaches top
 * Errors: EINVAL kind, values; ERANGE sum
 */
GPUBE_API int gpube_model_cost(int64_t *cost, const struct gpube_model *m, const int32_t *values);

/* The same for potentials: the sum of ln(potential); -INFINITY if one is 0. */
GPUBE_API int gpube_model_log_value(
	double *log_value, const struct gpube_model *m, const int32_t *values);

/* ---- solve ------------------------------------------------------------ */

/* Where tables are eliminated; AUTO decides by predicted time and memory. */
enum gpube_backend { GPUBE_BACKEND_AUTO, GPUBE_BACKEND_CPU, GPUBE_BACKEND_CUDA };

/*
 * What a call knows so far, for a progress line, a plot, or another search that runs beside it.
 * seconds      since the call
 * bound, cost  as in gpube_solution, and in its unit; without an assignment cost is GPUBE_INF, of a
 *              maximum -GPUBE_INF, and without a bound that is the other one
 * scale        decimals of both
 * values       n_vars value indices of the best assignment; NULL: there is none
 * by           the method that found what is new, or whose turn has ended
 */
struct gpube_progress {
	double seconds;
	int64_t bound, cost;
	int scale;
	const int32_t *values;
	const char *by;
};

/*
 * Called by one thread at a time, whenever the bound or the assignment improves and after each turn
 * of a method; 'now' is valid until it returns. If that value is not 0, the call ends as at its
 * timeout, and it is not called again. It must not use the context of the call.
 */
typedef int gpube_progress_fn(void *arg, const struct gpube_progress *now);
GPUBE_API int gpube_opts_set_progress(struct gpube_opts *o, gpube_progress_fn *fn, void *arg);

enum gpube_answer {
	GPUBE_ANSWER_OPTIMAL,    /* values and cost are a proved optimum */
	GPUBE_ANSWER_INFEASIBLE, /* every assignment is forbidden */
	GPUBE_ANSWER_INCOMPLETE, /* refused or stopped before the end */
};

/*
 * Sizes of an elimination along an order; doubles where they can pass 2^63. Where tables do not fit
 * the memory, it is done in n_slices > 1 slices, which restrict a few variables to ranges of their
 * values; joined_cells counts all slices, while largest_… and peak_bytes are those of one.
 */
struct gpube_plan {
	int32_t n_vars, n_functions, n_components; /* after simplification */
	int32_t width;                             /* induced width: most variables of a message */
	double joined_cells;    /* sum over buckets of the joined table's cells */
	double largest_joined;  /* cells of the largest joined table, never stored */
	double largest_message; /* cells of the largest stored table */
	double peak_bytes;      /* tables alive at once at the worst moment */
	double n_slices;
	double predicted_seconds;
};

/*
 * A turn of a method: its round; why the method had it ("predicted": it should end in this round;
 * "share": its part of the round; "halved": it halved the gap in the last turn; "alone", "first":
 * outside of rounds); its ticks of work, about a nanosecond of a core each, and how many it was
 * given; elapsed and processor seconds; and the bounds before and after it, as in gpube_progress.
 */
struct gpube_stage {
	const char *name, *why;
	int round;
	double ticks, budget;
	double seconds, seconds_cpu;
	int64_t bound_before, cost_before, bound, cost;
	int fell_back; /* it had no room, or its sums were too large */
};

/* What was known when a bound or an assignment had improved; fields as in gpube_progress. */
struct gpube_step {
	double seconds;
	int64_t bound, cost;
};

/*
 * What gpube_solve(), gpube_bound() and gpube_plan() know at their end.
 * answer      OPTIMAL: 'values' attain the optimum, 'cost'; INFEASIBLE; INCOMPLETE: the optimum
 *             is between bound and cost
 * bound       no assignment is better: a lower bound when minimising, an upper one when
 *             maximising; units of 10^-scale; potentials: of -ln. -GPUBE_INF, of a maximum
 *             GPUBE_INF: none is known
 * cost        of 'values'; without values undefined; for potentials -ln
 * scale       decimals of 'cost' and 'bound'
 * closed      the bound reached the cutoff: nothing better than it exists
 * log_value   potentials: ln of the product at 'values', from the file's numbers; otherwise 0
 * values      the best assignment met, n_vars value indices of the model as it was read, or NULL
 * count       number of optima in decimal (of potentials as rounded); NULL unless asked for and
 *             known
 * order       n_vars variables of the given model as they were eliminated, those that
 *             simplification has removed first; NULL if it was not elimination that proved
 * plan        of the elimination, if there was one; otherwise the sizes of the simplified model
 *             alone
 * z           of the last mini-bucket run; 0: none
 * backend     of the work that led to the result
 * seconds_…   bound, cost: when they were found, since the call; eliminate: for loading tables and
 *             contracting them; contracting is the part of it inside contractions (on a device, its
 *             kernels alone), copying the part between host and device; assign: for reading the
 *             values off and pricing the assignment again
 * stages      what was done; steps: how bound and cost improved, of thousands of steps not all
 */
struct gpube_solution {
	enum gpube_answer answer;
	int64_t cost, bound;
	int scale, closed;
	double log_value;
	int32_t *values;
	char *count;
	int32_t *order;
	struct gpube_plan plan;
	int z;
	const char *backend;
	double seconds_bound, seconds_cost;
	double seconds_simplify, seconds_order, seconds_eliminate, seconds_assign, seconds_count;
	double seconds_contracting, seconds_copying;
	int n_stages;
	struct gpube_stage *stages;
	int n_steps;
	struct gpube_step *steps;
};

/*
 * gpube_solve() - the proved optimum and an assignment, by the method that proves it first; the log
 * has a line (GPUBE_LOG_BOUNDS) whenever a bound or an assignment improves. All arithmetic is on
 * integers, so that the bound of a model of costs is proved.
 * Errors: EINVAL, ERANGE, ENOMEM, EBUG: *out is NULL. ESTOP (a stop or a time limit) and ELIMIT
 *         (nothing that fits can say more) before the proof: *out is what is known, and the caller
 *         frees it; after ESTOP it may be OPTIMAL without its count
 * Source: Dechter, Artificial Intelligence 113, 1999.
 */
GPUBE_API int gpube_solve(
	struct gpube_solution **out, const struct gpube_model *m, const struct gpube_opts *opts);

/* What elimination would do: simplifies and orders. After ELIMIT (no room) *out has it, too. */
GPUBE_API int gpube_plan(
	struct gpube_solution **out, const struct gpube_model *m, const struct gpube_opts *opts);

/*
 * gpube_count() - the number of solutions: of the assignments that are allowed, whatever they cost
 * (potentials: whose product is above 0). The result is that of gpube_solve() with option count as
 * if every allowed cost were 0: 'values' is one of them, and count is "0" if there is none.
 * Errors: as gpube_solve(); EINVAL (totals of costs each of which is allowed can reach top)
 */
GPUBE_API int gpube_count(
	struct gpube_solution **out, const struct gpube_model *m, const struct gpube_opts *opts);

/* ---- bound ------------------------------------------------------------ */

/*
 * gpube_bound() - gpube_solve() with the options of its methods. A stop, a time limit or a method
 * without enough memory is no failure: *out is what is known.
 * Errors: EINVAL, ERANGE, ENOMEM (before the first bound), EBUG
 */
GPUBE_API int gpube_bound(
	struct gpube_solution **out, const struct gpube_model *m, const struct gpube_opts *opts);

#ifdef __cplusplus
}
#endif
#endif
