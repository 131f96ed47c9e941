/*
 * expr.h - constraints in intension: expressions over a few variables, from the
 * Python that pyDCOP's files hold or the functional notation of XCSP 2.1 and 3, and
 * their values. Internal to formats/.
 *
 * Numbers are as in Python: integers (of 64 bits here; what passes them is an
 * error) and doubles, also the comparisons of sums of doubles, so that a file
 * means what it means to pyDCOP. Of Python there are: numbers, strings, True,
 * False, names, calls of abs, min, max, round, int, float, pow; + - * / // % **,
 * comparisons (chained, and 'in' a list), and, or, not, A if C else B; lists, tuples
 * and dicts, by [] or get(); bodies of several lines with if, elif, else, return and
 * assignments; and functions and names that another file gives (source.f(x)).
 */
#ifndef GPUBE_EXPR_H
#define GPUBE_EXPR_H

#include "formats/io/io.h"

/* NONE: of a name that was not assigned to yet; LIST (or a tuple), DICT: i is the first item */
enum gpube_value_kind {
	GPUBE_VALUE_INT,
	GPUBE_VALUE_REAL,
	GPUBE_VALUE_TEXT,
	GPUBE_VALUE_NONE,
	GPUBE_VALUE_LIST,
	GPUBE_VALUE_DICT,
};

struct gpube_value {
	enum gpube_value_kind kind;
	int64_t i;
	double r;
	const char *text; /* borrowed */
};

/* As a double; a text has none: NaN. */
double gpube__value_real(const struct gpube_value *v);

struct gpube_expr_node;

struct gpube_expr {
	struct gpube_ctx *ctx;
	struct gpube_expr_node *nodes;
	int64_t n_nodes, capacity;
	int32_t root;
	/* names that were assigned to; their slots come after those that find() gave */
	int first_local;
	char **locals;
	int64_t n_locals, locals_capacity;
	char **texts; /* string literals */
	int64_t n_texts, texts_capacity;
	char error[160]; /* why it was not parsed or has no value */
	bool by_zero;    /* it has none because it divides by 0 */
};

/*
 * Tells what a name stands for. Returns its slot, which evaluation reads, from 0;
 * -1: a constant, put into *constant; -2: no such name; a status below that:
 * -2 + status.
 */
struct gpube_expr_names {
	int (*find)(void *arg, const char *name, struct gpube_value *constant);
	void *arg;
	int max_slots; /* find() gives no larger one than this - 1 */
	const char
		*source; /* Python of another file, whose functions are source.NAME; may be NULL */
};

enum { GPUBE_EXPR_CONSTANT = -1, GPUBE_EXPR_UNKNOWN = -2 };

/*
 * Both parse all of 'text'. Clear 'e' in every case.
 * Errors: EPARSE (e->error is set, not the context's), ENOMEM, those of find()
 */
int gpube__expr_python(struct gpube_expr *e, struct gpube_ctx *ctx, const char *text,
	const struct gpube_expr_names *names);
int gpube__expr_functional(struct gpube_expr *e, struct gpube_ctx *ctx, const char *text,
	const struct gpube_expr_names *names);
void gpube__expr_clear(struct gpube_expr *e);

/* Slots that evaluation needs: find()'s and the expression's own. */
int64_t gpube__expr_slots(const struct gpube_expr *e);

/* False: no value, e->error says why. Slots of the expression's own are changed. */
bool gpube__expr_eval(struct gpube_expr *e, struct gpube_value *slots, struct gpube_value *result);

/*
 * gpube__expr_expand() - adds the function over 'scope' to a model of doubles
 * (reals.h): slot k is variable scope[k].
 * values     by slot: those of the variable's domain
 * name       of the function, may be NULL
 * Errors: EPARSE (a result that is no number, no result), ERANGE (more cells than
 *         are expanded), ENOMEM; sets in->status
 */
int gpube__expr_expand(struct gpube_expr *e, struct gpube_model *m, struct gpube_in *in, int arity,
	const int32_t *scope, const struct gpube_value *const *values, const char *name);

/* ---- for the two parsers -------------------------------------------------------------- */

enum gpube_expr_op {
	GPUBE_OP_CONST,
	GPUBE_OP_SLOT,
	GPUBE_OP_NEG,
	GPUBE_OP_NOT,
	GPUBE_OP_ABS,
	GPUBE_OP_ROUND, /* a, to b digits if b >= 0 */
	GPUBE_OP_INT,
	GPUBE_OP_FLOAT,
	GPUBE_OP_ADD,
	GPUBE_OP_SUB,
	GPUBE_OP_MUL,
	GPUBE_OP_DIV,       /* to a double */
	GPUBE_OP_FLOOR_DIV, /* towards minus infinity */
	GPUBE_OP_FLOOR_MOD,
	GPUBE_OP_TRUNC_DIV, /* towards 0, of integers */
	GPUBE_OP_TRUNC_MOD,
	GPUBE_OP_POW,
	GPUBE_OP_MIN,
	GPUBE_OP_MAX,
	GPUBE_OP_EQ,
	GPUBE_OP_NE,
	GPUBE_OP_LT,
	GPUBE_OP_LE,
	GPUBE_OP_GT,
	GPUBE_OP_GE,
	GPUBE_OP_AND, /* truth values of truths, as XCSP has them: 0 or 1 */
	GPUBE_OP_OR,
	GPUBE_OP_XOR,
	GPUBE_OP_IFF,
	GPUBE_OP_AND_THEN, /* Python's 'and' and 'or': the operand that decides */
	GPUBE_OP_OR_ELSE,
	GPUBE_OP_COND,   /* a ? b : c */
	GPUBE_OP_IN,     /* a is equal to one of the items from b on */
	GPUBE_OP_SAME,   /* a is equal to all of them */
	GPUBE_OP_ITEM,   /* of such a list: a, and the next one is c, which may be -1 */
	GPUBE_OP_LIST,   /* of items from a on, which may be -1 */
	GPUBE_OP_DICT,   /* the same: items are keys a with values b */
	GPUBE_OP_AT,     /* a[b], and c >= 0 where a dict has no such key */
	GPUBE_OP_MEMBER, /* a is in b, a list, a dict or a text */
	GPUBE_OP_CALL,   /* what statements a return; items from b on have arguments a, slots b */
	GPUBE_OP_SEQ,    /* statements: a, then b unless a has returned */
	GPUBE_OP_IF,     /* a: b, else c, which may be -1 */
	GPUBE_OP_RETURN, /* a */
	GPUBE_OP_ASSIGN, /* slot b = a */
	GPUBE_OP_PASS,
};

struct gpube_expr_node {
	enum gpube_expr_op op;
	int32_t a, b, c;
	struct gpube_value value;
};

/* Deeper nesting is refused: it would be the program's stack. */
enum { GPUBE_EXPR_DEPTH = 200 };

struct gpube_expr_parser {
	struct gpube_expr *e;
	const struct gpube_expr_names *names;
	const char *p;
	int depth;
	int status;
	/* inside a function of another file only its own locals are known, from 'visible' on */
	bool inside;
	int64_t visible;
};

/* Sets all up, for gpube__expr_finish() to end. */
void gpube__expr_start(struct gpube_expr_parser *p, struct gpube_expr *e, struct gpube_ctx *ctx,
	const char *text, const struct gpube_expr_names *names);
/* Takes the root; returns the status. */
int gpube__expr_finish(struct gpube_expr_parser *p, int32_t root);
/* A node's index; -1 after a failure, which p->status tells. */
int32_t gpube__expr_node(
	struct gpube_expr_parser *p, enum gpube_expr_op op, int32_t a, int32_t b, int32_t c);
/* Appends to a list of items, of which the first and the last are given; -1: there is none. */
void gpube__expr_item(struct gpube_expr_parser *p, int32_t item[2], int32_t a, int32_t b);
int32_t gpube__expr_constant(struct gpube_expr_parser *p, struct gpube_value v);
/* A name that find() or an assignment knows. */
int32_t gpube__expr_name(struct gpube_expr_parser *p, const char *name);
/* The slot of a name that is assigned to; negative after a failure. */
int32_t gpube__expr_local(struct gpube_expr_parser *p, const char *name);
/* A string literal that lives as long as the expression; NULL after a failure. */
const char *gpube__expr_text(struct gpube_expr_parser *p, const char *text, size_t n);
/* Reads a number at p->p. */
int32_t gpube__expr_number(struct gpube_expr_parser *p);
/* Sets EPARSE and e->error, if nothing has failed yet; returns -1. */
int32_t gpube__expr_fail(struct gpube_expr_parser *p, const char *fmt, ...) GPUBE_PRINTF(2, 3);

#endif
