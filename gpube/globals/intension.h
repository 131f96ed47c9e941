/*
 * intension.h - functions that .wcsp, .cfn and callers give by a keyword and parameters, expanded
 * into tables. Internal.
 *
 * All list a keyword's parameters in the same order; they differ in how a list is told from the
 * next parameter (.cfn: brackets, elsewhere: a count) and in tags. So one template per keyword
 * describes all, and who has the parameters, a file's text or a call's arrays, only lends a
 * gpube_source.
 *
 * The semantics are those of toulbar2's format page and, where that leaves a
 * choice, of the program: each keyword's table has been compared with it.
 */
#ifndef GPUBE_INTENSION_H
#define GPUBE_INTENSION_H

#include "gpube/globals/sink.h"

/* Of all tables of one on pairs of variables, and most such functions. */
#define GPUBE_PAIRS_CELLS ((int64_t)1 << 26)
#define GPUBE_PAIRS       ((int64_t)1 << 22)

enum gpube_metric {
	GPUBE_METRIC_VAR,
	GPUBE_METRIC_DEC,
	GPUBE_METRIC_DECBI,
	GPUBE_METRIC_WDEC,
	GPUBE_METRIC_HARD,
	GPUBE_METRIC_LIN,
	GPUBE_METRIC_QUAD,
	GPUBE_METRIC_WEIGHT,
	GPUBE_METRIC_EDIT,
	GPUBE_METRIC_HARDEQ, /* salldiffkp: what else the program derives from it */
	GPUBE_METRIC_HARDGE,
	GPUBE_N_METRICS,
};

enum gpube_comparator {
	GPUBE_EQUAL,
	GPUBE_DIFFERENT,
	GPUBE_LESS,
	GPUBE_LESS_EQUAL,
	GPUBE_GREATER,
	GPUBE_GREATER_EQUAL,
};

struct gpube_arg {
	int64_t v; /* GPUBE_INF for a cost that forbids */
	bool cost;
};

struct gpube_arg_list {
	int64_t at, n_items, n_args; /* args[at] on */
};

struct gpube_call;
struct gpube_eval;

/*
 * One keyword.
 * params    fields "tag:letters" separated by blanks. Letters: m metric,
 *           o comparator, c cost >= 0, C cost, n integer of 32 bits, l of 64,
 *           v value index, V variable, r rule of a grammar (intension_grammar.c). "*tag:xyz" is a
 *           list of such tuples, "=tag:xyz" one tuple for each variable of the scope, a final '+'
 *           makes each of its entries a list, and what follows '?' is there if the metric is wdec.
 * metrics   the metrics it takes, NULL if it has none
 */
struct gpube_keyword {
	const char *name, *params, *metrics;
	unsigned flags;
	bool (*check)(struct gpube_call *call);
	__int128 (*cost)(const struct gpube_eval *e, const int32_t *tuple);
};

enum {
	GPUBE_KEYWORD_BINARY = 1,    /* arithmetic: two variables; .cfn gives no tags */
	GPUBE_KEYWORD_WCSP = 2,      /* not in .cfn */
	GPUBE_KEYWORD_PAIRS = 4,     /* a sum over pairs of variables if 'pairwise' says so */
	GPUBE_KEYWORD_COUNTS = 8,    /* .wcsp: the lists' counts come before the lists */
	GPUBE_KEYWORD_UNIT = 16,     /* its costs are whole numbers, whatever the scale */
	GPUBE_KEYWORD_WEIGHTS = 32,  /* needs weights by variable and value */
	GPUBE_KEYWORD_STATES = 64,   /* needs states; their number is its last scalar */
	GPUBE_KEYWORD_GRAMMAR = 128, /* needs a state for each symbol and part of the tuple */
};

enum { GPUBE_MAX_SCALARS = 8, GPUBE_MAX_LISTS = 3 };

struct gpube_call {
	struct gpube_sink sink;
	const struct gpube_keyword *keyword;
	const char *name; /* in messages; NULL: the keyword's */
	struct gpube_model *m;
	int arity;
	const int32_t *scope;
	const char *function_name; /* may be NULL */
	int64_t hard_from;         /* costs from here on forbid; GPUBE_INF: none do */
	int64_t unit;              /* 10^scale */
	bool no_hidden;            /* the model has no place for hidden variables */
	enum gpube_metric metric;
	enum gpube_comparator comparator;
	int n_scalars, n_lists;
	struct gpube_arg scalars[GPUBE_MAX_SCALARS]; /* neither metric nor comparator */
	struct gpube_arg_list lists[GPUBE_MAX_LISTS];
	struct gpube_arg *args;
	int64_t n_args, args_capacity;
	int64_t n_hidden, n_cells; /* what its chains have at least, where they are too large */
};

/*
 * Where parameters come from. Each function returns a status.
 * integer   from 'min' to 'max'; 'what' names it, with its article
 * cost      GPUBE_INF: forbidden; signs: it may be negative
 * any_sign  all of them may, and of a model that is maximised they may be there
 * word      a metric or comparator
 * variable  NULL: its index in the model
 * In .cfn, elsewhere NULL, for a list's length comes before it:
 * tag       passes the parameter's tag
 * open      passes a bracket that opens
 * close     passes one that closes
 * more      whether one more item of a list comes
 */
struct gpube_source {
	void *reader;
	int (*integer)(void *reader, int64_t *v, int64_t min, int64_t max, const char *what);
	int (*cost)(void *reader, int64_t *v, bool signs);
	bool any_sign;
	int (*word)(void *reader, const char **word, const char *what);
	int (*variable)(void *reader, int64_t *v);
	int (*tag)(void *reader, const char *tag, size_t n);
	int (*open)(void *reader, const char *what);
	int (*close)(void *reader, const char *what);
	int (*more)(void *reader, bool *more);
};

static inline const char *gpube__call_name(const struct gpube_call *c)
{
	return c->name ? c->name : c->keyword->name;
}

/* NULL: not known, or known but not supported (then *known, if not NULL, is true). */
const struct gpube_keyword *gpube__keyword(const char *name, bool *known);

/*
 * Reads the parameters of call->keyword; all other fields of 'call' before
 * 'metric' are the caller's, the rest is 0. Clear it in every case.
 */
int gpube__call_read(struct gpube_call *call, const struct gpube_source *source);
void gpube__call_clear(struct gpube_call *call);

/*
 * gpube__call_expand() - adds the function to the model: one table; for constraints
 * on pairs, one for each pair of variables; where it is too wide, chains of small
 * ones over hidden variables (chain.h).
 * Errors: EPARSE, ERANGE (more than GPUBE_EXPAND_CELLS cells), ENOMEM
 */
int gpube__call_expand(struct gpube_call *call);
/* The same as gpube__call_expand() with another limit of tables' cells: for tests. */
int gpube__call_expand_within(struct gpube_call *call, int64_t table_cells);
/*
 * gpube__add_bounded() - adds the function 'name' (maybe NULL) that forbids what costs less than
 * 'low', or 'high' or more, in the problem 'inner', whose variables are those of the scope.
 * Errors: EPARSE (other variables), ERANGE (more than GPUBE_EXPAND_CELLS cells), ENOMEM, ESTOP
 */
int gpube__add_bounded(struct gpube_model *m, const struct gpube_sink *sink, int arity,
	const int32_t *scope, const struct gpube_model *inner, int64_t low, int64_t high,
	const char *name);
/* A cost in the model's units; false if it does not fit, and the text for that. */
bool gpube__call_units(const struct gpube_call *call, __int128 cost, int64_t *value);
int gpube__call_refuse_cost(const struct gpube_call *call);

/* ---- evaluation, in intension_cost.c and intension_eval.c ---------------------------- */

/* A cost that forbids; sums saturate there. Every finite total is far below. */
#define GPUBE_FORBID ((__int128)1 << 120)

struct gpube_eval {
	const struct gpube_call *call;
	int arity;
	const int32_t *domains;
	int64_t *weights;    /* by variable and value, for knapsacks and max */
	int64_t *weights_of; /* where a variable's weights begin */
	__int128 *states; /* two rows of states, for automata; parts of the tuple, for grammars */
};

static inline const struct gpube_arg *gpube__call_list(const struct gpube_call *c, int k)
{
	return c->args ? c->args + c->lists[k].at : NULL; /* all lists may be empty */
}

/* Sums and multiples that are not forbidden saturate one below. */
static inline __int128 gpube__cost_add(__int128 a, __int128 b)
{
	if (a == GPUBE_FORBID || b == GPUBE_FORBID)
		return GPUBE_FORBID;
	return a + b >= GPUBE_FORBID ? GPUBE_FORBID - 1 : a + b;
}

static inline __int128 gpube__cost_times(int64_t cost, __int128 k)
{
	__int128 r;

	if (k == 0)
		return 0;
	if (cost == GPUBE_INF)
		return GPUBE_FORBID;
	return __builtin_mul_overflow((__int128)cost, k, &r) || r >= GPUBE_FORBID ? GPUBE_FORBID - 1
										  : r;
}

/* A check's "no": sets the error's text, returns false. */
bool gpube__call_refuse(struct gpube_call *c, const char *why);

extern const struct gpube_keyword gpube__keywords[];
int gpube__eval_init(struct gpube_eval *e, const struct gpube_call *call, const int32_t *domains);
void gpube__eval_clear(struct gpube_eval *e);
/* May the call be split, exactly, into functions of two variables each? */
bool gpube__pairwise(const struct gpube_call *call);
/* What variables i = a and j = b of the scope cost together. */
__int128 gpube__pair_cost(const struct gpube_call *call, int i, int32_t a, int j, int32_t b);

/* ---- what several keywords are made of ------------------------------------------------ */

static inline int64_t gpube__gap(int64_t a, int64_t b)
{
	return a < b ? b - a : a - b;
}

/* How far a number is from an interval. */
static inline int64_t gpube__outside(int64_t x, int64_t low, int64_t high)
{
	return x < low ? low - x : x > high ? x - high : 0;
}

/* A gap by the call's metric. */
static inline __int128 gpube__priced(const struct gpube_call *c, int64_t cost, int64_t gap)
{
	switch (c->metric) {
	case GPUBE_METRIC_HARD:
		return gpube__cost_times(cost, gap != 0);
	case GPUBE_METRIC_QUAD:
		return gpube__cost_times(cost, (__int128)gap * gap);
	default:
		return gpube__cost_times(cost, gap);
	}
}

/* How far a sum is from what the comparison with k asks for. */
static inline int64_t gpube__compared(enum gpube_comparator comparator, int64_t sum, int64_t k)
{
	switch (comparator) {
	case GPUBE_EQUAL:
		return gpube__gap(sum, k);
	case GPUBE_DIFFERENT:
		return sum == k;
	case GPUBE_LESS:
		return sum < k ? 0 : sum - k + 1;
	case GPUBE_LESS_EQUAL:
		return sum <= k ? 0 : sum - k;
	case GPUBE_GREATER:
		return sum > k ? 0 : k - sum + 1;
	default:
		return sum >= k ? 0 : k - sum;
	}
}

/* Is the value in that list of the call? */
static inline bool gpube__listed(const struct gpube_call *c, int list, int64_t value)
{
	for (int64_t j = 0; j < c->lists[list].n_items; j++)
		if (gpube__call_list(c, list)[j].v == value)
			return true;
	return false;
}

/*
 * In intension_eval.c: an automaton's states after the values so far, each with what it costs at
 * least; of a maximised model the negated most. 'edit': the distance may put values in and leave
 * some out.
 */
int64_t gpube__automaton_states(const struct gpube_call *c);
void gpube__automaton_start(const struct gpube_call *c, __int128 *now);
/* 'then': behind one more value. */
void gpube__automaton_step(
	const struct gpube_call *c, const __int128 *now, __int128 *then, int32_t value);
__int128 gpube__automaton_end(const struct gpube_call *c, const __int128 *now);

__int128 gpube__cost_greater_equal(const struct gpube_eval *e, const int32_t *t);
__int128 gpube__cost_greater(const struct gpube_eval *e, const int32_t *t);
__int128 gpube__cost_less_equal(const struct gpube_eval *e, const int32_t *t);
__int128 gpube__cost_less(const struct gpube_eval *e, const int32_t *t);
__int128 gpube__cost_equal(const struct gpube_eval *e, const int32_t *t);
__int128 gpube__cost_disj(const struct gpube_eval *e, const int32_t *t);
__int128 gpube__cost_sdisj(const struct gpube_eval *e, const int32_t *t);
__int128 gpube__cost_sregular(const struct gpube_eval *e, const int32_t *t);
__int128 gpube__cost_wregular(const struct gpube_eval *e, const int32_t *t);
__int128 gpube__cost_tree(const struct gpube_eval *e, const int32_t *t);
bool gpube__check_regular(struct gpube_call *c);
bool gpube__check_tree(struct gpube_call *c);
__int128 gpube__cost_grammar(const struct gpube_eval *e, const int32_t *t);
bool gpube__check_grammar(struct gpube_call *c);

#endif
