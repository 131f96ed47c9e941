/*
 * min_tree.h - the messages of a bucket elimination, kept: the least total of a model, again and
 * again as costs change.
 *
 * Every bucket keeps its message up, the least that its subtree adds for each value of the
 * separator. After a change only the buckets on the way from it to the root are done again. A
 * message down is what all other buckets add; it is found when it is needed first. With both, a
 * variable's bucket has its min-marginals without the unary costs of its own, from which one
 * variable that is observed, or whose unary costs have changed, is answered at once, whatever it
 * is: nothing that is kept depends on them. Two such variables and more are first taken into the
 * messages.
 *
 * Numbers. Tables hold what a cell costs above the least one of its function, 'top' where it is
 * forbidden, in the narrower type that no sum of a bucket's inputs can leave (ops.h). Totals of
 * the minimisation are 'low', the sum of all that was taken off, and what the tables add.
 *
 * The order and the scopes are those of the model without evidence: what is observed is a unary
 * cost. A function that is added stays within them, or a new tree is planned.
 */
#ifndef GPUBE_MIN_TREE_H
#define GPUBE_MIN_TREE_H

#include "gpube/ops/ops.h"

enum { GPUBE__MIN_UNARY = 1, GPUBE__MIN_TABLE };

/* A function of two or more variables; of fewer: bucket -1. axis: places in its bucket's scope. */
struct gpube_min_function {
	int32_t bucket, next;
	int32_t *axis;
	void *cells;
	int64_t least, span; /* of the minimisation; the largest is least + span */
};

/*
 * scope      n_scope positions, ascending: the bucket's own, then the separator
 * axis       of the separator's variables: their places in the parent's scope
 * root       of its component
 * sum        of its variable's unary functions, GPUBE_INF: forbidden; 'observed': -1, or the one
 *            value that is left. unary: both, as messages have them; base: what was observed then
 * least, span  of the unary costs as they are now
 * own        min-marginals without the unary costs, above low; GPUBE_INF
 */
struct gpube_min_bucket {
	int32_t var, root, parent, child, sibling, function;
	int n_scope, n_inputs;
	int32_t *scope, *axis;
	int64_t message;
	int64_t *sum, *own;
	int32_t observed, base;
	bool sum_changed;
	uint8_t touched; /* since messages were found: its unary costs, or tables, too */
	int32_t n_new;   /* buckets at and below it that were touched */
	int64_t least, span;
	void *unary, *up, *down;
	bool up_known, down_known, own_known;
};

struct gpube_min_tree {
	struct gpube_ctx *ctx;
	const struct gpube_model *m; /* of costs; the owner sets it where the model has moved */
	const struct gpube_ops *ops;
	int32_t n;
	int32_t *position;
	struct gpube_min_bucket *buckets;
	int32_t *scopes, *axes;
	int64_t *sums, *owns;
	int32_t n_functions;
	struct gpube_min_function *functions;
	int64_t functions_capacity;
	double ticks, bytes; /* of all messages, both ways; of all tables */
	int most_inputs;
	bool is_filled;
	enum gpube_type type;
	int64_t top;
	/* room for one operation: inputs, their dimensions, a row of cells, places of offsets */
	struct gpube_operand *operands;
	struct gpube_min_input *inputs;
	int32_t *dims, *assigned;
	int64_t *at, *stride, *row;
	void *cells;
};

/* A table in a bucket. */
struct gpube_min_input {
	const void *cells;
	int n_axes;
	const int32_t *axis;
};

/*
 * gpube__min_tree_plan() - the buckets along an order; no table is touched.
 * order   n_vars variables, or NULL: one is searched for, for so many seconds of work at most
 * Errors: ELIMIT (scopes or tables are too large for any use), ENOMEM, ESTOP
 */
int gpube__min_tree_plan(struct gpube_min_tree **out, const struct gpube_model *m,
	const int32_t *order, uint64_t seed, double seconds);
void gpube__min_tree_free(struct gpube_min_tree *t);

/* Tables of all functions. Errors: ERANGE (totals are too far apart), ENOMEM, ESTOP */
int gpube__min_tree_fill(struct gpube_min_tree *t);

/*
 * gpube__min_tree_add() - function 'f', the next one of the model. *fits false: its scope is in no
 * bucket, and the tree is of no more use.
 * gpube__min_tree_change() - function 'f' has another table now.
 * Both of a tree that is filled. Errors: ERANGE, ENOMEM: the tree is of no more use
 */
int gpube__min_tree_add(struct gpube_min_tree *t, int32_t f, bool *fits);
int gpube__min_tree_change(struct gpube_min_tree *t, int32_t f);

/* What is left of a variable: one value, or -1: all. */
void gpube__min_tree_observe(struct gpube_min_tree *t, int32_t var, int32_t value);

/*
 * gpube__min_tree_ask() - the least total of the minimisation, whatever the model's top is, and an
 * assignment that has it; GPUBE_INF: all are forbidden.
 * Errors: ERANGE (totals have moved too far apart: of no more use), ENOMEM; ESTOP, after which it
 *         can be asked again
 */
int gpube__min_tree_ask(struct gpube_min_tree *t, int64_t *total, int32_t *values);

/* ---- inside min_tree*.c ---- */

static inline int64_t gpube__min_cell(const struct gpube_min_tree *t, const void *cells, int64_t k)
{
	return t->type == GPUBE_INT32 ? ((const int32_t *)cells)[k] : ((const int64_t *)cells)[k];
}

static inline void gpube__min_put(const struct gpube_min_tree *t, void *cells, int64_t k, int64_t v)
{
	v = v < t->top ? v : t->top;
	if (t->type == GPUBE_INT32)
		((int32_t *)cells)[k] = (int32_t)v;
	else
		((int64_t *)cells)[k] = v;
}

static inline int32_t gpube__min_domain(const struct gpube_min_tree *t, int32_t position)
{
	return t->m->vars[t->buckets[position].var].domain;
}

/*
 * gpube__min_place() - the bucket of a function, the next one, and its axes there; *fits false: no
 * bucket has all of its scope. Errors: ENOMEM
 * gpube__min_take_unary() - a bucket's unary costs as they are now are those of the messages.
 * gpube__min_span() - what tables can add above 'low'; past 64 bits: GPUBE_INF.
 */
int gpube__min_place(struct gpube_min_tree *t, int32_t f, bool *fits);
void gpube__min_take_unary(struct gpube_min_tree *t, int32_t b);
int64_t gpube__min_span(const struct gpube_min_tree *t);

/* The unary costs of a bucket's variable as they are now, above 'least'; GPUBE_INF. */
static inline int64_t gpube__min_unary(const struct gpube_min_bucket *x, int32_t value)
{
	if (x->sum[value] == GPUBE_INF || (x->observed >= 0 && x->observed != value))
		return GPUBE_INF;
	return x->sum[value] - x->least;
}

/* Which inputs of a bucket: of one child none, -1: of all; of above and of its own variable. */
struct gpube_min_choice {
	int32_t but;
	bool down, unary;
};

/* To t->inputs; how many. */
int gpube__min_inputs(struct gpube_min_tree *t, int32_t b, struct gpube_min_choice which);

/*
 * gpube__min_up()   - all messages up that are not known.
 * gpube__min_own()  - the min-marginals of a bucket, and the messages down that they need.
 * gpube__min_best() - of a bucket with inputs and a separator of less than 2^32 cells: the first
 * cell of least sum, where its own variable has this value.
 * Errors: ENOMEM, ESTOP
 */
int gpube__min_up(struct gpube_min_tree *t);
int gpube__min_own(struct gpube_min_tree *t, int32_t b);
int gpube__min_best(struct gpube_min_tree *t, int32_t b, int32_t value,
	struct gpube_min_choice which, uint32_t *best);

/*
 * An assignment of least total, once all messages up are known; from: the bucket whose unary costs
 * are not those of the messages, and the value to take there; -1: there is none. Errors: ENOMEM,
 * ESTOP
 */
int gpube__min_assign(struct gpube_min_tree *t, int32_t from, int32_t value, int32_t *values);

#endif
