/*
 * model.h - the model's layout: what readers fill and front ends consume.
 *
 * Numbers. A GPUBE_COSTS model stores integers; a cost is integer * 10^-scale.
 * In an integer table the type's largest value (gpube__forbidden(type)) marks a
 * forbidden tuple, whatever the direction; every other value is a plain cost,
 * even one past top: only a total that reaches top is forbidden. A
 * GPUBE_POTENTIALS model stores doubles (or floats) that are multiplied; 0 is
 * forbidden, and nothing is rounded: a table with a number that is too small for
 * all 53 bits of a double has all its numbers times 2^-power.
 *
 * Values of GPUBE_COALITIONS are read by ir/coalition_table.h: what is forbidden is the least
 * number of a type there, or -INFINITY.
 *
 * Tables. Row-major, the last variable of the scope fastest. Dense: one value a
 * cell. Sparse: a default for all cells, and n tuples (arity value indices
 * each, in increasing row-major order, no tuple twice) with a value each; the
 * number of cells of a sparse table may pass 2^63. Several functions may share
 * a table (equal domains in scope order).
 */
#ifndef GPUBE_MODEL_H
#define GPUBE_MODEL_H

#include "gpube/base/names.h"

union gpube_number {
	int64_t i; /* GPUBE_INF: forbidden */
	double f;
};

struct gpube_table;

/*
 * Who keeps the arrays of a table that are not memory of the model's context: a mapped file, a
 * backend, a source that makes cells when they are asked for. It is the head of a struct of theirs.
 * release  frees the table's arrays and what this is the head of
 * fetch    copies cells [from, from + n) of a dense table, in its type, for there are no values in
 *          this program's memory; NULL: there are
 */
struct gpube_table_owner {
	void (*release)(struct gpube_table *t, struct gpube_ctx *ctx);
	int (*fetch)(const struct gpube_table *t, struct gpube_ctx *ctx, void *to, uint64_t from,
		uint64_t n);
	bool is_file; /* the values are no memory of the context: pages of a file, a caller's */
};

struct gpube_table {
	enum gpube_type type;
	bool sparse;
	int arity;
	int64_t n;    /* values held: cells if dense, tuples if sparse */
	void *values; /* n values of 'type' */
	union {
		int32_t *tuples; /* sparse: n * arity value indices */
		uint64_t *masks; /* of coalitions: bit i is variable i, 64 to a word */
	};
	union gpube_number dflt; /* sparse: the value of every other cell */
	int power;               /* of dense doubles: they are times 2^power, 0 or GPUBE_SMALL */
	/* of RATIONAL: values are int64 numerators over it; 0: struct gpube_rational each */
	int64_t den;
	int n_users;                           /* functions that hold it */
	const struct gpube_table_owner *owner; /* NULL: the model, whose context has the arrays */
};

struct gpube_function {
	int arity;
	int64_t scope_at; /* into model.scopes */
	int32_t table;    /* into model.tables */
	char *name;       /* may be NULL */
	bool soft;        /* what gpube_model_weigh() has made */
};

struct gpube_variable {
	int32_t domain;
	bool hidden;        /* see struct gpube_model_info */
	char *name;         /* may be NULL */
	char **value_names; /* NULL, or 'domain' strings */
};

struct gpube_model {
	struct gpube_ctx *ctx;
	union {
		struct gpube_model_info info;
		struct { /* the same */
			enum gpube_kind kind;
			enum gpube_direction direction;
			int scale;
			int32_t n_vars, n_hidden, n_functions;
			int64_t constant, top;
		};
	};
	bool bayes;       /* .uai: read from a BAYES file, so written as one */
	bool keeps;       /* a solver's, which goes by the numbers of its functions */
	bool auction;     /* GPUBE_COALITIONS: the tuples are bids, which may repeat; see bids.h */
	int64_t *numbers; /* of bids, as many as tuples; NULL: it is no auction */
	struct gpube_game_tree *tree;     /* GPUBE_GAME: of one in extensive form, or NULL */
	struct gpube_action_graph *graph; /* of one by its action graph, or NULL */
	char *name;                       /* may be NULL */

	struct gpube_variable *vars;
	struct gpube_names names; /* once a call gave one: of the first n_named */
	int32_t n_named;
	struct gpube_function *functions;
	int32_t n_tables;
	struct gpube_table *tables;
	int64_t n_scopes; /* used length of scopes */
	int32_t *scopes;

	/* Observed values (.evid): n_vars entries, -1 = not observed; NULL: none at all. */
	int32_t *evidence;

	/*
	 * Agents of a distributed problem, by name, and the one that each variable
	 * belongs to: n_vars entries, -1 = not said; NULL: the file names none.
	 */
	int32_t n_agents;
	char **agents;
	int32_t *agent_of;

	int64_t agents_capacity;
	int64_t vars_capacity, functions_capacity, tables_capacity, scopes_capacity;
};

#if !defined(__cplusplus)
#define GPUBE__SAME(field)                                                                         \
	(offsetof(struct gpube_model, field) == offsetof(struct gpube_model, info.field))
_Static_assert(GPUBE__SAME(kind) && GPUBE__SAME(direction) && GPUBE__SAME(scale) &&
		       GPUBE__SAME(n_vars) && GPUBE__SAME(n_hidden) && GPUBE__SAME(n_functions) &&
		       GPUBE__SAME(constant) && GPUBE__SAME(top),
	"the fields of struct gpube_model are those of its info");
#undef GPUBE__SAME
#endif

/* Whether the model's top forbids a total. */
static inline bool gpube__reaches_top(const struct gpube_model *m, __int128 total)
{
	return m->direction == GPUBE_MINIMISE ? m->top != GPUBE_INF && total >= m->top
					      : m->top != -GPUBE_INF && total <= m->top;
}

/* The top as the minimisation sees it; GPUBE_INF: there is none. */
static inline int64_t gpube__minimised_top(const struct gpube_model *m)
{
	if (m->direction == GPUBE_MINIMISE)
		return m->top;
	return m->top <= -GPUBE_INF ? GPUBE_INF : -m->top;
}

static inline const int32_t *gpube__scope(const struct gpube_model *m, int32_t function)
{
	return m->scopes ? m->scopes + m->functions[function].scope_at : NULL;
}

static inline const struct gpube_table *gpube__table(const struct gpube_model *m, int32_t function)
{
	return &m->tables[m->functions[function].table];
}

static inline bool gpube__type_is_int(enum gpube_type type)
{
	return type <= GPUBE_INT64 || type == GPUBE_INT128;
}

static inline size_t gpube__type_size(enum gpube_type type)
{
	static const unsigned char size[] = {1, 2, 4, 8, 4, 8, 16, 8};

	return size[type];
}

/* "int8", "int16", "int32", "int64", "float32", "float64", "int128"; NULL of others */
const char *gpube__type_name(enum gpube_type type);

/* The value that marks a forbidden tuple in a table of an integer type: its largest. */
static inline int64_t gpube__forbidden(enum gpube_type type)
{
	return INT64_MAX >> (64 - 8 * gpube__type_size(type));
}

/* Value k of an integer table; GPUBE_INF if forbidden. */
int64_t gpube__table_int(const struct gpube_table *t, int64_t k);
/* The power of a table with a number below the least double of 53 bits. */
enum { GPUBE_SMALL = -64 };
/* Value k of a float table, rounded where a double has less than its bits; */
double gpube__table_real(const struct gpube_table *t, int64_t k);
/* as it is stored, to be times 2^power; */
double gpube__table_stored(const struct gpube_table *t, int64_t k);
/* its logarithm, -1: of the default. */
long double gpube__table_ln(const struct gpube_table *t, int64_t k);
/*
 * Index of a tuple's value in t->values, or -1 for the default of a sparse table: O(arity log n).
 */
int64_t gpube__table_find(
	const struct gpube_table *t, const int32_t *domains, const int32_t *tuple);

/*
 * gpube__position()      - the same for an assignment of all variables.
 * gpube__function_cost() - what a function costs at it.
 */
int64_t gpube__position(const struct gpube_model *m, int32_t function, const int32_t *values);
int64_t gpube__function_cost(const struct gpube_model *m, int32_t function, const int32_t *values);

/* The cell of a function's table, row-major over its scope, that tuple k of its sparse table is. */
int64_t gpube__tuple_cell(const struct gpube_model *m, int32_t function, int64_t k);

/* -1, 0 or 1: the row-major order of two tuples. */
int gpube__compare_tuples(const int32_t *a, const int32_t *b, int arity);

/* Weights of a variable's values, or NULL. EINVAL: no such variable, or a weight that is none. */
int gpube__check_weights(const struct gpube_model *m, int32_t var, const double *weights);
/*
 * gpube__on_own() - the model of a call whose options are of another context than the model: what
 * the call needs is that one's, so that several threads may share a model. view: room for it
 */
struct gpube_opts;
const struct gpube_model *gpube__on_own(
	struct gpube_model *view, const struct gpube_model *m, const struct gpube_opts *opts);

/* EINVAL if a value is outside its variable's domain. */
int gpube__check_values(const struct gpube_model *m, const int32_t *values);

/*
 * gpube__check_kind() - that the model is of one of these kinds, of which a call has a meaning:
 * sums of GPUBE__OF(). Errors: EINVAL; the text names the command that takes it
 */
#define GPUBE__OF(kind) (1u << (kind))
#define GPUBE__NETWORKS (GPUBE__OF(GPUBE_COSTS) | GPUBE__OF(GPUBE_POTENTIALS))
int gpube__check_kind(const struct gpube_model *m, unsigned kinds);

/* Frees the arrays of a table, by its owner. */
void gpube__table_release(struct gpube_table *t, struct gpube_ctx *ctx);

/* Errors: EINVAL (a variable that is not there or twice; more variables than there are) */
int gpube__check_scope(const struct gpube_model *m, int arity, const int32_t *scope);

/* Cells of a table over 'scope': the product of its domains; -1 past INT64_MAX. */
int64_t gpube__cells(const struct gpube_model *m, int arity, const int32_t *scope);

/*
 * gpube__too_many() - more cells or tuples (as 'what' says; -1: more than 2^63) than are given one
 * by one? Then the text has the size and the limit. gpube__check_given() - fails with that: ERANGE
 */
enum { GPUBE_TOO_MANY_TEXT = 128 };
bool gpube__too_many(char text[GPUBE_TOO_MANY_TEXT], int64_t n, const char *what);
int gpube__check_given(struct gpube_ctx *ctx, int64_t n, const char *what);

/* The variable is hidden from then on: hidden.c. */
void gpube__hide(struct gpube_model *m, int32_t var);
/* The values of the variables that are not hidden, in their order. */
void gpube__visible_values(int32_t *out, const struct gpube_model *m, const int32_t *values);

/*
 * gpube__add_agent() - an agent that owns no variable yet; gpube__own() gives it
 * one. Both once all variables are there.
 * agent   out, may be NULL: its index
 * Errors: ENOMEM
 */
int gpube__add_agent(struct gpube_model *m, int32_t *agent, const char *name);
int gpube__own(struct gpube_model *m, int32_t agent, int32_t var);

/*
 * gpube__add_table() - gives a table to the model, which owns its arrays from
 * then on, also on failure. The caller has filled type, sparse, arity, n,
 * values, tuples, dflt and, where the arrays do not come from gpube__alloc(m->ctx, …), owner.
 * table   out: its index
 * Errors: ENOMEM
 */
int gpube__add_table(struct gpube_model *m, int32_t *table, const struct gpube_table *t);

/*
 * gpube_model_add_var() and gpube_model_name_values() without a look for names that are there
 * already: those of a file may be.
 * gpube__copy_var() - v once more; 'name': what it is called if it has no name.
 */
int gpube__put_var(struct gpube_model *m, int32_t *var, int32_t domain, const char *name);
int gpube__put_value_names(struct gpube_model *m, int32_t var, const char *const *names);
int gpube__copy_var(struct gpube_model *to, const struct gpube_variable *v, const char *name);
/* Names one of a variable's values, all of which get one. Errors: ENOMEM */
int gpube__put_value_name(
	struct gpube_variable *v, struct gpube_ctx *ctx, int32_t value, const char *name);
/* The last variables, of which no function is. */
void gpube__remove_vars(struct gpube_model *m, int32_t left);

/*
 * gpube__add_function() - a function over 'scope' that holds table 'table'.
 * gpube__add_table_over() - gpube__add_table(), and the function over 'scope' that holds it; after
 *                           a failure the table is gone.
 * name    may be NULL; copied
 * Errors: EINVAL (a variable out of range or twice, table of another size);
 *         ENOMEM
 */
int gpube__add_function(
	struct gpube_model *m, int arity, const int32_t *scope, int32_t table, const char *name);
int gpube__add_table_over(
	struct gpube_model *m, const int32_t *scope, const struct gpube_table *t, const char *name);

/* The status; after a failure the model is freed, and NULL. */
int gpube__model_made(struct gpube_model **out, int status);

/*
 * gpube__model_mark() - how much a model has: variables, functions, tables, the constant.
 * gpube__model_truncate() - removes what has been added since.
 */
struct gpube__model_mark {
	int32_t n_vars, n_functions, n_tables;
	int64_t n_scopes, constant;
};

struct gpube__model_mark gpube__model_mark(const struct gpube_model *m);
void gpube__model_truncate(struct gpube_model *m, struct gpube__model_mark mark);

/*
 * gpube__model_borrow() - m again, on a context of its own and with room for more functions: tables
 * and names are m's, which must outlive it.
 * gpube__model_return() - frees what it has of its own, also after an error.
 * Errors: ENOMEM
 */
int gpube__model_borrow(
	struct gpube_model *out, struct gpube_ctx *ctx, const struct gpube_model *m);
void gpube__model_return(struct gpube_model *borrowed, const struct gpube_model *m);

/*
 * gpube__model_copy() - m once more, on a context of its own.
 * gpube__copy_variables() - its variables, with names, its own name and what is observed, to a
 * model without any.
 * Errors: ENOMEM
 */
int gpube__model_copy(struct gpube_model **out, struct gpube_ctx *ctx, const struct gpube_model *m);
int gpube__copy_variables(struct gpube_model *to, const struct gpube_model *m);

/*
 * A growing array of integer costs that always has the narrowest type that
 * holds what was pushed: readers push as they parse, then move values, n and
 * type into a table. GPUBE_INF is forbidden. Zero-initialise; clear on error.
 */
struct gpube_values {
	enum gpube_type type;
	int64_t n, capacity;
	void *values;
};

/* Reserves room for n values in all, so that a count known in advance allocates once. */
int gpube__values_reserve(struct gpube_ctx *ctx, struct gpube_values *v, int64_t n);
int gpube__values_push(struct gpube_ctx *ctx, struct gpube_values *v, int64_t value);
/* Pushes n values. */
int gpube__values_append(
	struct gpube_ctx *ctx, struct gpube_values *v, const int64_t *values, int64_t n);
void gpube__values_clear(struct gpube_ctx *ctx, struct gpube_values *v);

/*
 * gpube__add_dense() - gives them to the model as a dense table, of all cells; 'v' is empty then,
 * also on failure. Errors: ENOMEM
 */
int gpube__add_dense(struct gpube_model *m, int32_t *table, int arity, struct gpube_values *v);

/*
 * gpube__sort_tuples() - puts a sparse table's tuples into row-major order.
 * twice   out: -1, or the position, as they were before sorting, of the later
 *         of two equal tuples (the table is then left as it was)
 * Cost:   O(n) when they are in order already
 * Errors: ENOMEM
 */
int gpube__sort_tuples(struct gpube_ctx *ctx, struct gpube_table *t, int64_t *twice);

/* That a precision may ask for. */
enum { GPUBE__MOST_DECIMALS = 12 };

/*
 * gpube__quantise() - the GPUBE_COSTS model that a GPUBE_POTENTIALS model is
 * solved as: cost = round(-ln(potential) * 10^scale), 0 becomes forbidden.
 * From here on all arithmetic is exact; a total is off by at most
 * gpube__rounding_error() units.
 * scale   decimals, at most GPUBE__MOST_DECIMALS; 0: as many as keep every total below 2^62
 * Errors: ERANGE (scale too large), ENOMEM, ESTOP
 */
int gpube__quantise(struct gpube_model **out, const struct gpube_model *m, int scale);
/*
 * gpube__costs_of() - the model of costs that bounds are about: m, or what it is quantised to.
 * made  out: NULL, or what is to be freed. Errors: those of gpube__quantise()
 */
int gpube__costs_of(struct gpube_model **made, const struct gpube_model **costs,
	const struct gpube_model *m, int precision);
/* Units that a total of such costs is off by at most, rounded up: of a model of potentials. */
int64_t gpube__rounding_error(const struct gpube_model *m);
/*
 * gpube__check_cost() - the last word on an assignment: that by the given model's own numbers it is
 * worth what was found, of potentials within that rounding. Errors: EBUG; ERANGE, ENOMEM
 */
int gpube__check_cost(const struct gpube_model *m, const int32_t *values, int64_t cost, int scale);

/*
 * gpube__divide() - a GPUBE_COSTS model whose costs are m's over 10^digits, each
 * rounded to the nearest integer. Its scale is m's less 'digits', at least 0.
 * Errors: EINVAL (kind, digits outside 0 to 18), ENOMEM
 */
int gpube__divide(struct gpube_model **out, const struct gpube_model *m, int digits);

/*
 * gpube__hard() - a GPUBE_COSTS model whose assignments cost 0, and are forbidden where m's are.
 * Errors: EINVAL (a total of costs that are each allowed can reach top), ENOMEM, ESTOP
 */
int gpube__hard(struct gpube_model **out, const struct gpube_model *m);

#endif
