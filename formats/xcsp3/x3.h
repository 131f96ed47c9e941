/*
 * x3.h - the parts of the reader of XCSP3-core and XCSP 2.1. Internal to formats/.
 *
 * expat's events become a small tree of one constraint at a time (xcsp3.c), which is added to the
 * model and forgotten. A file calls those above it: tree, words, symbols, domains, names, vars,
 * run, sum, parsed, expr, list. x2.c makes the same of the elements of XCSP 2.1. What a constraint
 * becomes:
 *
 *   x3_expr.c    expressions: a table; a sum (linear.h); or tables over hidden variables that are
 *                the values of parts of the expression; x3_parsed.c: what such parts are
 *   x3_table.c   extension: a table, or an automaton that reads the tuples; a hybrid one is an
 *                expression
 *   x3_constraint.c  constraints of constraints: expressions over what holds, which is a hidden
 *                variable that is 1 where all tables of a constraint allow the tuple
 *   x3_run.c     machines (chain.h): a table where that is small, or else a chain
 *   x3_auto.c    automata: regular, mdd, lex; x3_states.c: other machines: nValues, maximum …
 *   x3_count.c   constraints that are sums (x3_sum.c): sum, count, cardinality, binPacking …
 *   x3_equal.c   allDifferent and allEqual: pairs; of lists, machines and expressions
 *   x3_pairs.c   other constraints on few variables at a time: element, channel …
 *
 * A list may hold variables, numbers and expressions: a number becomes a hidden variable of one
 * value where a machine has to read it, an expression a hidden variable of its values. Each hidden
 * variable has one value for each assignment of the others, so that optima are counted right.
 *
 * What is not read is refused by its name: elements and attributes that nothing has asked for, too.
 * Elements are read to a depth of GPUBE_X3_DEPTH, expressions to that of expr.h.
 */
#ifndef GPUBE_X3_H
#define GPUBE_X3_H

#include <stdarg.h>

#include "gpube/base/names.h"
#include "formats/common/reals.h"
#include "gpube/ir/tuples.h"
#include "formats/expr/expr.h"
#include "gpube/globals/chain.h"
#include "gpube/globals/linear.h"

#define BLANKS " \t\n\v\f\r"
#define DIGITS "0123456789"

enum { GPUBE_X3_DEPTH = 64, GPUBE_X3_DIMENSIONS = 8 };

/* Integers, rising: n from 'first' on if 'values' is NULL. */
struct gpube_x3_domain {
	int64_t n, first, *values;
};

/* Elements without a variable are -1. */
struct gpube_x3_array {
	char *name;
	int n_dims;
	int64_t size[GPUBE_X3_DIMENSIONS], start, n;
	int32_t *vars;
};

struct gpube_x3_attribute {
	const char *name, *value;
	bool used;
	struct gpube_x3_attribute *next;
};

/* An element; its text ends where its first child begins. */
struct gpube_x3_node {
	char *name, *text;
	int64_t n_text, capacity, line;
	bool used;
	struct gpube_x3_attribute *attributes;
	struct gpube_x3_node *parent, *child, *last, *next;
};

/*
 * A variable, or with var = -1 a number; in sums a number for each of the variable's values, too.
 */
struct gpube_x3_term {
	int32_t var;
	int64_t value;
	const int64_t *map; /* NULL: the values themselves */
};

static inline struct gpube_x3_term gpube__x3_var(int32_t var)
{
	return (struct gpube_x3_term){.var = var};
}

struct gpube_x3_list {
	struct gpube_x3_term *terms;
	int64_t n, capacity;
};

/* A text that is made. */
struct gpube_x3_text {
	char *bytes;
	int64_t n, capacity;
};

/* Integers, the ends of intervals. */
struct gpube_x3_interval {
	int64_t low, high;
};

enum gpube_x3_operator {
	GPUBE_X3_LT,
	GPUBE_X3_LE,
	GPUBE_X3_EQ,
	GPUBE_X3_NE,
	GPUBE_X3_GE,
	GPUBE_X3_GT,
	GPUBE_X3_IN,
	GPUBE_X3_NOTIN,
};

/* right: of all but IN and NOTIN, which have intervals that rise */
struct gpube_x3_condition {
	enum gpube_x3_operator op;
	struct gpube_x3_term right;
	struct gpube_x3_interval *set;
	int64_t n;
};

/* Memory of the constraint that is read. */
union gpube_x3_temp {
	union gpube_x3_temp *next;
	max_align_t aligned;
};

/* What defines hidden variables that are such a part of an expression. */
struct gpube_x3_part {
	int32_t table, domain;
};

/* What gpube__x3_known() is asked for. */
enum gpube_x3_space {
	GPUBE_X3_NAMED,
	GPUBE_X3_ARRAYS,
	GPUBE_X3_NUMBERS, /* hidden variables of one value */
	/* hidden variables, by the parts of expressions that they are the values of */
	GPUBE_X3_VALUES,
	GPUBE_X3_PARTS,   /* parts, by their form and the domains of their variables */
	GPUBE_X3_TABLES,  /* tables of constraints, likewise */
	GPUBE_X3_SYMBOLS, /* from 0 */
	GPUBE_X3_DOMAINS, /* of XCSP 2.1, as are these: */
	GPUBE_X3_AGENTS,
	GPUBE_X3_REFERENCES,
};

/*
 * Symbols are integers from here on, in the order in which they come: no integer of a file is as
 * large.
 */
#define GPUBE_X3_SYMBOL ((int64_t)1 << 60)
/* Costs of weighted problems are below: doubles hold them. */
#define GPUBE_X3_EXACT ((int64_t)1 << 53)

/* What a file of XCSP 2.1 has besides (x2.c). */
struct gpube_x2 {
	bool on;
	double maximal_cost, initial_cost;
	int32_t *owner_of, n_owners; /* by variable, -1: none */
	int64_t owners_capacity, n_references, references_capacity;
	struct gpube_x2_reference *references;
	const char *predicate; /* whose expression is read */
};

struct gpube_x3 {
	struct gpube_in *in; /* first: gpube__in_xml() */
	struct gpube_model *m;
	int depth;
	enum { GPUBE_X3_TOP, GPUBE_X3_VARIABLES, GPUBE_X3_CONSTRAINTS, GPUBE_X3_OBJECTIVES } part;
	int skip; /* elements that are open below one that is passed over */
	int blocks;
	bool cop;
	bool weighted;               /* of type WCSP or MAXCSP: constraints may be soft */
	int64_t violation_cost;      /* of those that do not say it, 0: they are hard */
	struct gpube_x3_text *truth; /* where a constraint that others depend on may say itself */
	/* functions of such a constraint that say what hidden variables are, and always hold */
	struct gpube_x3_interval *defined;
	int64_t n_defined, defined_capacity;
	int n_objectives;
	struct gpube_x3_node *node; /* the element that is open */
	union gpube_x3_temp *temps;

	struct gpube_names names; /* of variables and arrays, by x3_vars.c; and of constants */
	struct gpube_x3_domain *domains;
	int64_t n_domains, domains_capacity;
	int32_t *domain_of; /* by variable */
	int64_t domain_of_capacity;
	struct gpube_x3_array *arrays;
	int64_t n_arrays, arrays_capacity;
	char **strings; /* that names borrow */
	int64_t n_strings, strings_capacity;

	/* the arguments of a group or a slide, for %0, %1 … and %... */
	const char **args;
	int64_t n_args, first_rest;
	bool in_group;

	struct gpube_linear linear;
	int64_t stamp, seen_capacity, n_seen;
	int64_t *seen;   /* by variable: a stamp and a place */
	bool keeps_maps; /* expressions of one variable in a list need not become variables */
	bool symbolic;   /* the domain that is read is one of symbols */
	int32_t n_symbols;
	int64_t symbols_capacity;
	const char **symbols;
	bool met_symbol; /* a variable of them was asked for */
	struct gpube_x3_part *parts;
	int64_t n_parts, parts_capacity;
	__int128 total; /* of all that totals may reach */
	int n_hidden;

	/* the tuples that were read last, and the table they became */
	const struct gpube_x3_node *relation_of;
	struct gpube_x3_relation *relation;
	int64_t n_relations; /* relations and their tables that were made */
	struct gpube_x2 second;
};

/* ---- x3_tree.c ------------------------------------------------------------------------------- */

/* Zeroed, and freed when the constraint has been added; NULL after a failure. */
void *gpube__x3_temp(struct gpube_x3 *r, int64_t n, size_t size);
/*
 * At least 'need' places for a list of such memory, 'p' is the address of a pointer to it: as
 * gpube__grow(), but what it had is freed with the constraint.
 */
int gpube__x3_grow(struct gpube_x3 *r, void *p, int64_t *capacity, int64_t need, size_t size);
/* n bytes as a text; NULL after a failure. */
char *gpube__x3_copy(struct gpube_x3 *r, const char *text, size_t n);
/* Frees what was taken since r->temps was 'mark'. */
void gpube__x3_free_since(struct gpube_x3 *r, union gpube_x3_temp *mark);
/* An element of that name below, NULL if there is none; it counts as read. */
struct gpube_x3_node *gpube__x3_child(struct gpube_x3_node *node, const char *name);
/* The next one of the same name. */
struct gpube_x3_node *gpube__x3_next(struct gpube_x3_node *node);
/* The same, which must be there; NULL after a failure. */
struct gpube_x3_node *gpube__x3_need(
	struct gpube_x3 *r, struct gpube_x3_node *node, const char *name);
/* Its value or NULL; it counts as read. */
const char *gpube__x3_attribute(struct gpube_x3_node *node, const char *name);
bool gpube__x3_is(const struct gpube_x3_node *node, const char *name);
int gpube__x3_no_memory(struct gpube_x3 *r);
/* Everything in the tree was asked for, or is refused. */
int gpube__x3_check_used(struct gpube_x3 *r, struct gpube_x3_node *node);

/* The number of a name or of another text, -1: it has none. */
int32_t gpube__x3_known(const struct gpube_x3 *r, enum gpube_x3_space space, const char *text);
/* From now on; the text is copied. */
int gpube__x3_know(struct gpube_x3 *r, enum gpube_x3_space space, const char *text, int32_t value);

/* ---- x3_domains.c ---------------------------------------------------------------------------- */

bool gpube__x3_same_domain(const struct gpube_x3_domain *a, const struct gpube_x3_domain *b);
/* One that is there, or a new one. */
int gpube__x3_add_domain(struct gpube_x3 *r, const struct gpube_x3_domain *d, int32_t *index);
/* "0 1 4..9", or "red green" */
int gpube__x3_read_domain(struct gpube_x3 *r, const char *text, int32_t *index);
int64_t gpube__x3_value(const struct gpube_x3 *r, int32_t var, int32_t index);
/* The index of the first value that is not below, maybe the number of all. */
int32_t gpube__x3_first(const struct gpube_x3 *r, int32_t var, int64_t value);
/* The value's index, -1: it has no such value. */
int32_t gpube__x3_index(const struct gpube_x3 *r, int32_t var, int64_t value);
/* The least and the greatest value. */
struct gpube_x3_interval gpube__x3_range(const struct gpube_x3 *r, int32_t var);
/* Are the variable's values symbols? */
bool gpube__x3_symbolic(const struct gpube_x3 *r, int32_t var);
/* Drops equal ones of sorted integers; returns how many are left. */
int64_t gpube__x3_unique(int64_t *values, int64_t n);
/* Is the value among those, which rise? */
bool gpube__x3_has(const int64_t *values, int64_t n, int64_t value);

/* ---- x3_names.c ------------------------------------------------------------------------------ */

/* The number of a name that ends at n bytes; -1: it has none. */
int32_t gpube__x3_named(
	const struct gpube_x3 *r, enum gpube_x3_space space, const char *name, size_t n);
/*
 * Variables that a name stands for, "x", "x[3][1]", "x[][2..3]", in order: calls take() with each.
 * n: bytes of the name. size: NULL, or out: how many each of the two last open dimensions has.
 */
int gpube__x3_refer(struct gpube_x3 *r, const char *name, size_t n,
	int (*take)(struct gpube_x3 *r, void *arg, int32_t var), void *arg, int64_t size[2]);
/* One variable by its name: -1 if that is no such name. */
int32_t gpube__x3_find(struct gpube_x3 *r, const char *name, size_t n);

/* What stands in brackets: low > high, all. */
struct gpube_x3_slice {
	struct gpube_x3_interval in[GPUBE_X3_DIMENSIONS];
	bool open[GPUBE_X3_DIMENSIONS]; /* is a range, or all */
	int n;
};

/* "[3][][1..2]" */
int gpube__x3_slice_read(
	struct gpube_x3 *r, const char *p, const char *end, struct gpube_x3_slice *s);
/* Calls take() with the place of each element of the slice. */
int gpube__x3_slice_walk(struct gpube_x3 *r, const struct gpube_x3_array *a,
	struct gpube_x3_slice *s, int (*take)(struct gpube_x3 *r, void *arg, int64_t place),
	void *arg, int64_t size[2]);

/* ---- x3_vars.c ------------------------------------------------------------------------------- */

int gpube__x3_variables(struct gpube_x3 *r, struct gpube_x3_node *node);
/* Room in r->seen for every variable. */
int gpube__x3_see(struct gpube_x3 *r);
int gpube__x3_add_var(struct gpube_x3 *r, int32_t *var, const char *name, int32_t domain);
/* A hidden variable of n values, rising, whose memory is copied. */
int gpube__x3_hidden(
	struct gpube_x3 *r, const char *what, int64_t n, const int64_t *values, int32_t *var);
/* The same of a domain that is there. */
int gpube__x3_hidden_as(struct gpube_x3 *r, const char *what, int32_t domain, int32_t *var);

/* ---- x3_symbols.c -------------------------------------------------------------------- */

/* A domain of symbols, which are new or not, in the order of the text. */
int gpube__x3_symbols(struct gpube_x3 *r, const char *text, struct gpube_x3_domain *d);
/* The symbol of n bytes as an integer; -1: there is none. */
int64_t gpube__x3_symbol(const struct gpube_x3 *r, const char *name, size_t n);
/* A number in an expression that may be taken for a symbol is refused. */
int gpube__x3_check_numbers(struct gpube_x3 *r, const char *text);
/* In an expression symbols are equal to others or not; symbolic() says whether a slot has them. */
int gpube__x3_check_symbols(struct gpube_x3 *r, const struct gpube_expr *e,
	bool (*symbolic)(const void *arg, int32_t slot), const void *arg);

/* ---- x3_words.c and x3_list.c --------------------------------------------------------------- */

/* EPARSE "expected WHAT, found 'TEXT'", of n bytes without the blanks around them. */
int gpube__x3_expected(struct gpube_x3 *r, const char *what, const char *text, size_t n);
/* The text of an element, with the arguments put in; NULL after a failure. */
const char *gpube__x3_text(struct gpube_x3 *r, const struct gpube_x3_node *node);
int gpube__x3_append(struct gpube_x3 *r, struct gpube_x3_text *t, const char *bytes, size_t n);
int gpube__x3_vput(struct gpube_x3 *r, struct gpube_x3_text *t, const char *fmt, va_list ap);
int gpube__x3_put(struct gpube_x3 *r, struct gpube_x3_text *t, const char *fmt, ...)
	GPUBE_PRINTF(3, 4);
/* The number of a variable, which need have no name, or a number, and what is behind it. */
int gpube__x3_put_term(
	struct gpube_x3 *r, struct gpube_x3_text *t, struct gpube_x3_term term, const char *behind);
void gpube__x3_term_text(char text[32], struct gpube_x3_term t);
/* Cuts a text at blanks outside brackets; *n = 0 at the end. Counts lines. */
const char *gpube__x3_word(struct gpube_x3 *r, const char **p, size_t *n);
int gpube__x3_push(struct gpube_x3 *r, struct gpube_x3_list *list, struct gpube_x3_term t);
int gpube__x3_list(
	struct gpube_x3 *r, const struct gpube_x3_node *node, struct gpube_x3_list *list);
/* Appends what a text lists; size: as gpube__x3_refer() says, of the last word. */
int gpube__x3_words(
	struct gpube_x3 *r, const char *text, struct gpube_x3_list *list, int64_t size[2]);
/* The same as variables: numbers become hidden ones. */
int gpube__x3_vars(
	struct gpube_x3 *r, const struct gpube_x3_node *node, int64_t *n, int32_t **vars);
/* The element 'name' of the constraint, or what it holds itself, as variables. */
int gpube__x3_main_vars(struct gpube_x3 *r, struct gpube_x3_node *node, int64_t *n, int32_t **vars);
int gpube__x3_main_list(struct gpube_x3 *r, struct gpube_x3_node *node, struct gpube_x3_list *list);
/* "x y" or "(x,y)(z,w)": tuples of equal length. */
int gpube__x3_tuples(struct gpube_x3 *r, const struct gpube_x3_node *node,
	struct gpube_x3_list *list, int64_t *length);
/* Integers and intervals. */
int gpube__x3_intervals(
	struct gpube_x3 *r, const char *text, struct gpube_x3_interval **set, int64_t *n);
/* A list without variables. */
bool gpube__x3_only_numbers(const struct gpube_x3_list *list);
/* What such a list holds; NULL after a failure. */
int64_t *gpube__x3_numbers(struct gpube_x3 *r, const struct gpube_x3_list *list);
/* The same of an element. */
int gpube__x3_integers(
	struct gpube_x3 *r, const struct gpube_x3_node *node, int64_t *n, int64_t **v);
/* An integer at *p, which moves behind it. */
int gpube__x3_integer(struct gpube_x3 *r, const char **p, int64_t *v, const char *what);
/* "3" or "3..5", which may not be empty. */
int gpube__x3_range_at(
	struct gpube_x3 *r, const char **p, struct gpube_x3_interval *in, const char *what);
/* Passes blanks, whose lines are counted. */
void gpube__x3_skip(struct gpube_x3 *r, const char **p);
/* Passes blanks and the character that is expected. */
int gpube__x3_expect(struct gpube_x3 *r, const char **p, char c);
/* The text ends here. */
int gpube__x3_expect_end(struct gpube_x3 *r, const char *p, const char *end, const char *what);
/* Those of <except>, rising; none where that is not there. */
int gpube__x3_except(struct gpube_x3 *r, struct gpube_x3_node *node, int64_t *n, int64_t **values);
/* One variable, number or expression. */
int gpube__x3_term(struct gpube_x3 *r, const struct gpube_x3_node *node, struct gpube_x3_term *t);
int gpube__x3_condition(
	struct gpube_x3 *r, struct gpube_x3_node *node, struct gpube_x3_condition *c);
/* The same from a text that ends there. */
int gpube__x3_condition_text(
	struct gpube_x3 *r, const char *text, const char *end, struct gpube_x3_condition *c);
bool gpube__x3_holds(const struct gpube_x3_condition *c, __int128 left, __int128 right);
int gpube__x3_as_var(struct gpube_x3 *r, struct gpube_x3_term t, int32_t *var);
int gpube__x3_start(struct gpube_x3 *r, struct gpube_x3_node *node, int64_t *start);
/* An attribute that is true or false. */
int gpube__x3_flag(
	struct gpube_x3 *r, struct gpube_x3_node *node, const char *name, bool dflt, bool *yes);

/* ---- x3_expr.c ------------------------------------------------------------------------------- */

int gpube__x3_post(struct gpube_x3 *r, const char *text, size_t n);
int gpube__x3_post_printf(struct gpube_x3 *r, const char *fmt, ...) GPUBE_PRINTF(2, 3);
/* As a term: a number, a variable that is there, or a hidden one. */
int gpube__x3_expression(struct gpube_x3 *r, const char *text, size_t n, struct gpube_x3_term *t);
/*
 * A function that allows tuple k of the first n variables with value values[k] of the last alone.
 */
int gpube__x3_define(
	struct gpube_x3 *r, int n, const int32_t *vars, int64_t cells, const int64_t *values);
/* The functions from 'first' on say what hidden variables are. */
int gpube__x3_defined(struct gpube_x3 *r, int32_t first);
/* 'times' its value is added to the costs. */
int gpube__x3_cost(struct gpube_x3 *r, const char *text, size_t n, int64_t times);

/* ---- x3_run.c -------------------------------------------------------------------------------- */

/*
 * A machine over variables, which may be there several times; values are the variables' integers.
 * state, step and end as in chain.h; step may take 'data'. A table or a chain is added to the
 * model.
 */
struct gpube_x3_machine {
	struct gpube_machine machine; /* the first: it is cast */
	struct gpube_x3 *r;
	const char *name;
	int64_t n;
	const int32_t *vars;
	int64_t width;
	const int64_t *start;
	bool (*step)(struct gpube_x3_machine *m, int64_t *state, int64_t k, int64_t value);
	bool (*end)(struct gpube_x3_machine *m, const int64_t *state);
	const void *data;
	bool conditioned; /* the last variable is a condition's right side */
};

int gpube__x3_run(struct gpube_x3_machine *m);
/* All values of the variables, rising; NULL after a failure. */
int64_t *gpube__x3_all_values(
	struct gpube_x3 *r, int64_t n, const int32_t *vars, int64_t *n_values);
/*
 * The same where the result of reading the variables, result(), meets the condition. If that
 * compares with a variable, it is read last.
 */
int gpube__x3_run_condition(struct gpube_x3_machine *m, const struct gpube_x3_condition *c,
	__int128 (*result)(struct gpube_x3_machine *m, const int64_t *state));
/* A table of a few different variables: holds() gets their values. */
int gpube__x3_table(struct gpube_x3 *r, int n, const int32_t *vars,
	bool (*holds)(const void *data, const int64_t *values), const void *data);
/*
 * Tuples of different variables, until they are a table of the model: begin, gpube__tuples_push()
 * for each, and end with the status of these.
 */
int gpube__x3_tuples_begin(
	struct gpube_x3 *r, struct gpube_tuples *t, int n, const int32_t *vars, int64_t dflt);
int gpube__x3_tuples_end(struct gpube_x3 *r, struct gpube_tuples *t, int status, int32_t *table);
/* A function by a table that is there. */
int gpube__x3_add_again(struct gpube_x3 *r, int n, const int32_t *vars, int32_t table);
/*
 * Tuples with costs that may be decimals, INFINITY: forbidden; until they are a function by a table
 * of doubles. All others cost 'dflt'. The second ends in every case.
 */
int gpube__x3_weigh(struct gpube_x3 *r, struct gpube_weights *w, const int32_t *tuple, double cost);
int gpube__x3_add_weights(struct gpube_x3 *r, struct gpube_weights *w, double dflt);
/* An integer cost for each tuple; 'costs' is borrowed. */
int gpube__x3_costs(struct gpube_x3 *r, int n, const int32_t *vars, const int64_t *costs);
/* Only values for which holds() is true are left. */
int gpube__x3_restrict(struct gpube_x3 *r, struct gpube_x3_term t,
	bool (*holds)(const void *data, const int64_t *values), const void *data);
/* Nothing is allowed. */
int gpube__x3_never(struct gpube_x3 *r);

/* ---- x3_sum.c -------------------------------------------------------------------------------- */

/* "in(t,set(…))" of all of the list; NULL after a failure. */
char *gpube__x3_in_text(
	struct gpube_x3 *r, struct gpube_x3_term t, const struct gpube_x3_list *list);
/* NULL after a failure. */
int64_t *gpube__x3_ones(struct gpube_x3 *r, int64_t n);

/* A sum that is made: r->linear's gains, and numbers. */
struct gpube_x3_sum {
	struct gpube_x3 *r;
	__int128 offset;
};

void gpube__x3_sum_begin(struct gpube_x3_sum *s, struct gpube_x3 *r);
/* The variable's place in r->linear. */
int gpube__x3_sum_place(struct gpube_x3_sum *s, int32_t var, int32_t *place);
int gpube__x3_sum_term(struct gpube_x3_sum *s, struct gpube_x3_term t, int64_t factor);
/* 'factor' where the variable has a value of the list. */
int gpube__x3_sum_counted(struct gpube_x3_sum *s, struct gpube_x3_term t, int64_t n,
	const int64_t *values, int64_t factor);
/* Adds it to the model, with its condition. */
int gpube__x3_sum_finish(struct gpube_x3_sum *s, const struct gpube_x3_condition *c);
/* What terms times factors add up to meets a condition. */
int gpube__x3_add_sum(struct gpube_x3 *r, const struct gpube_x3_list *list, const int64_t *factors,
	const struct gpube_x3_condition *c);

/* ---- constraints ----------------------------------------------------------------------------- */

typedef int gpube_x3_reader(struct gpube_x3 *r, struct gpube_x3_node *node);

int gpube__x3_constraint(struct gpube_x3 *r, struct gpube_x3_node *node);
int gpube__x3_objective(struct gpube_x3 *r, struct gpube_x3_node *node);
gpube_x3_reader gpube__x3_extension, gpube__x3_soft_extension, gpube__x3_regular, gpube__x3_lex,
	gpube__x3_n_values, gpube__x3_maximum, gpube__x3_precedence, gpube__x3_all_equal,
	gpube__x3_stretch, gpube__x3_arg, gpube__x3_sum, gpube__x3_count, gpube__x3_cardinality,
	gpube__x3_bins, gpube__x3_knapsack, gpube__x3_cumulative, gpube__x3_clause,
	gpube__x3_all_different, gpube__x3_ordered, gpube__x3_element, gpube__x3_channel,
	gpube__x3_instantiation, gpube__x3_no_overlap, gpube__x3_circuit, gpube__x3_flow;
/* The list of a <sum>, and its factors. */
int gpube__x3_weighted(struct gpube_x3 *r, struct gpube_x3_node *node, struct gpube_x3_list *list,
	int64_t **factors);
/* Two variables, which may be the same one. */
int gpube__x3_add_pair(struct gpube_x3 *r, int32_t a, int32_t b,
	bool (*holds)(const void *data, const int64_t *values), const void *data);
/* Any two of the variables. */
int gpube__x3_differ(struct gpube_x3 *r, int64_t n, const int32_t *vars);
/* By gpube_x3_operator, as XCSP3 and texts of expressions have them. */
extern const char *const gpube__x3_operators[];
/* lt, le, ge or gt as a text, and in the element <operator>. */
int gpube__x3_order(struct gpube_x3 *r, const char *text, enum gpube_x3_operator *op);
int gpube__x3_operator(struct gpube_x3 *r, struct gpube_x3_node *node, enum gpube_x3_operator *op);
/* "x[][]" or "(x,y)(z,w)", by rows. */
int gpube__x3_matrix(
	struct gpube_x3 *r, const struct gpube_x3_node *node, int64_t size[2], int32_t **vars);
/* XCSP 2.1: an element right below <instance>, one of those below it, the end, and memory. */
gpube_x3_reader gpube__x2_part, gpube__x2_element;
int gpube__x2_finish(struct gpube_x3 *r);
void gpube__x2_clear(struct gpube_x3 *r);
/* A hidden variable that is the least or the greatest of several. */
int gpube__x3_extreme_var(
	struct gpube_x3 *r, int64_t n, const int32_t *vars, bool most, int32_t *var);
/* A hidden truth value for each value that may come, but for those excepted, which rise. */
int gpube__x3_come(struct gpube_x3 *r, int64_t n, const int32_t *vars, int64_t n_except,
	const int64_t *except, struct gpube_x3_list *list);

#endif
