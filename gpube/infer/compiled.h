/*
 * compiled.h - inside a compiled model: sums for evidence that changes.
 *
 *   compiled.c        gpube_infer_compile(), observing, asking
 *   compiled_values.c variables that what is observed leaves one value
 *   compiled_tables.c the tables of each bucket
 *   compiled_up.c     messages up the bucket tree, those that what is new changes
 *   compiled_down.c   messages down, and marginals, in the same way
 *   compiled_joint.c  the joint distribution of the query variables
 *   compiled_draw.c   assignments drawn at random
 *
 * The order and the buckets are those of the model without evidence. A variable that is fixed, for
 * it is observed or zeros leave it one value, is no axis of what is summed: a table that has it is
 * read at its value, along the other axes. So a query costs no more than the model that evidence
 * leaves, along that order, and no table is copied for that.
 *
 * What a message was summed with stays written beside it: a value for each axis that was fixed
 * then. It is right as long as these are fixed at the same values and nothing below is observed
 * otherwise. That an axis is fixed since does no harm: the cells of the other values are not read,
 * and what they added to sums has weight 0. A message that is summed again to the same bits changes
 * nothing above it, nor one that goes down anything below.
 *
 * Messages have their largest cell in [0.5, 1); what that takes off is beside them, and comes into
 * the sum of all alone. So bits are the same where proportions are. A message of one cell, where
 * evidence parts the model, is one half.
 *
 * Query variables are eliminated last, so that what is left for them are tables of them alone.
 */
#ifndef GPUBE_COMPILED_H
#define GPUBE_COMPILED_H

#include "gpube/infer/infer.h"
#include "gpube/options/options.h"

/* A table and which axes of its bucket's scope it has, in the order of its own. */
struct gpube_compiled_input {
	const struct gpube_sum_table *table;
	int n_axes;
	const int32_t *axis;
	const int64_t *stride;
};

/*
 * at, stride  of the message up: for each axis of the scope the index of the value that it was
 *             fixed at, or -1; and the strides of all but the first. axis: their places in the
 *             parent's scope
 * power       message * 2^power is the sum; factor: times this, where it has one cell. down_power:
 *             the same of the message down
 * soft        weights of the own values, by gpube_infer_weigh(), times 2^soft_power; no cells: 1
 * total       the sum of the weights, in the units of messages
 * is_dirty    the message up is to be summed; is_stale: the weights are
 * n_observed  variables at and below the bucket; cells: of all joined tables there, where nothing
 *             is fixed; own_cells: of its own
 * plain       of each input and each joined cell where that is, for a bucket whose message is
 *             always for all values; or NULL
 * roundings   on the way to the message up from its inputs, most that there have been; to that down
 *             from the parent's weights, and to what is read off
 */
struct gpube_compiled_bucket {
	int n_functions;
	struct gpube_compiled_input *functions;
	struct gpube_sum_table up, down, soft;
	int32_t *at, *axis;
	int64_t *stride;
	int64_t power, down_power, soft_power;
	double factor;
	struct gpube_wide total;
	bool is_dirty, is_stale;
	int32_t n_observed;
	double cells, own_cells;
	uint16_t *plain;
	double function_roundings, roundings, down_roundings, read_roundings;
	double all_up, all_down; /* from the leaves, and from the root */
};

/* What is left of a variable's values is a bit each, of those that can occur without evidence. */
struct gpube_forcing_function;

struct gpube_forcing {
	int32_t n_functions, n_waiting;
	struct gpube_forcing_function *functions;
	int64_t *first; /* of each position: its functions */
	int32_t *of, *waiting;
	bool *waits;
	/* of each position; 0: it has more than 64 values, and is fixed only when it is observed */
	uint64_t *all, *left;
	int32_t *observed; /* of each position: the index of the value, or -1 */
	int32_t *now;      /* the same of the value that it is fixed at */
};

/*
 * Some are not looked at, where they or their number are large. Errors: ENOMEM, ERANGE, after which
 * there is something to clear, too
 */
int gpube__forcing_begin(struct gpube_forcing *x, struct gpube__inferring *j);
void gpube__forcing_clear(struct gpube_forcing *x, struct gpube_ctx *ctx);
/* Sets 'now' to what is observed alone. */
void gpube__forcing_leave(struct gpube_forcing *x, const struct gpube__inferring *j);
/* Sets 'now'; false: what is observed contradicts itself. */
bool gpube__forcing_find(struct gpube_forcing *x, const struct gpube__inferring *j);

struct gpube_compiled {
	struct gpube_model view; /* without evidence; once compiled its domains alone */
	struct gpube_variable *vars;
	struct gpube_opts opts;
	struct gpube_inference plan;
	struct gpube__inferring j;
	struct gpube_forcing forcing;
	int32_t *observed;    /* of each variable, -1: it is not */
	int32_t n_impossible; /* of these, as a value that cannot occur */
	double *soft; /* of each variable without a bucket: the weight of its value; NULL: all 1 */
	int32_t *query; /* of the options */
	bool *last;     /* of each variable, whether it is one of these; or NULL */
	int32_t *fixed; /* of each position, as messages have it: the index of a value, or -1 */
	/* of each position: the buckets in whose scope it is, and its place there */
	int64_t *first;
	int32_t *bucket, *place;
	struct gpube_compiled_bucket *buckets;
	/* of functions: products of some, the first ones of a bucket */
	struct gpube_sum_table *tables;
	/* what buckets point to, and how much of that is theirs */
	struct gpube_compiled_input *inputs;
	int32_t *axes;
	int64_t *strides, n_axes, n_strides;
	struct gpube_wide constant;
	double constant_roundings;
	/* a small bucket's joined table, sums of it, and where the cells of an input are */
	double *products, *sums;
	int32_t *cells;
	double *marginals;              /* of the last query that had them */
	bool wants_marginals, is_plain; /* all buckets are */
};

/* Joined tables of more cells are summed by the operator of large ones. */
enum { GPUBE_COMPILED_SMALL = 2048 };

/* After the plan. Errors: ENOMEM, ERANGE, ESTOP */
int gpube__compiled_tables(struct gpube_compiled *c);

/*
 * A bucket as it is to be summed: of its scope's axes those that are not fixed, the own one first.
 */
struct gpube_compiled_box {
	int n_axes;
	int64_t dim[GPUBE_SUM_AXES];
	int place[GPUBE_SUM_AXES];     /* of each axis of the scope: which that is, or -1 */
	int32_t value[GPUBE_SUM_AXES]; /* where it is fixed: at which index */
	double cells;
	int64_t n_own; /* cells of the own axis */
};

/* An input in a box: from which cell on, and the strides of the box's axes. */
struct gpube_compiled_view {
	const struct gpube_sum_table *table;
	int64_t offset;
	int64_t stride[GPUBE_SUM_AXES];
	bool is_one; /* all strides are 0 */
};

static inline struct gpube_compiled_input gpube__compiled_message(
	const struct gpube_compiled *c, int32_t child)
{
	const struct gpube_compiled_bucket *x = &c->buckets[child];

	return (struct gpube_compiled_input){
		&x->up, c->j.buckets[child].arity - 1, x->axis, x->stride};
}

/*
 * gpube__compiled_next() - a bucket's inputs in turn: functions, soft evidence, messages, of which
 * 'from' is the child. False after the last one. Begin with GPUBE_COMPILED_FIRST.
 */
struct gpube_compiled_turn {
	int k;
	int32_t from, child;
};
#define GPUBE_COMPILED_FIRST                                                                       \
	{                                                                                          \
		-1, -1, -1                                                                         \
	}
bool gpube__compiled_next(struct gpube_compiled_input *in, struct gpube_compiled_turn *turn,
	const struct gpube_compiled *c, int32_t b);

/* With what is fixed now. */
void gpube__compiled_box(struct gpube_compiled_box *box, const struct gpube_compiled *c, int32_t b);
/* Sets the rest from value. */
void gpube__compiled_box_measure(
	struct gpube_compiled_box *box, const struct gpube_compiled *c, int32_t b);
void gpube__compiled_view(struct gpube_compiled_view *v, const struct gpube_compiled_box *box,
	const struct gpube_compiled_input *in);
/*
 * gpube__compiled_multiply() - the products of a bucket's inputs, and with 'down' of what came
 * down, to c->products. The box is small. False: they might leave the range of doubles, and there
 * is nothing.
 */
bool gpube__compiled_multiply(
	struct gpube_compiled *c, int32_t b, const struct gpube_compiled_box *box, bool down);
/* The same of a plain bucket, with what is observed of it; its children have been summed. */
bool gpube__compiled_multiply_plain(struct gpube_compiled *c, int32_t b, int32_t n_out);
/* Where the cells of a view are, those of the box in turn, from its offset. */
void gpube__compiled_lay(int32_t *at, const struct gpube_compiled_box *box, const int64_t *stride);
/*
 * A job of all inputs, as gpube__compiled_multiply() has them. To be cleared in any case. Errors:
 * ENOMEM
 */
struct gpube_compiled_job {
	struct gpube_sum_job job;
	struct gpube_sum_table *tables;
};
int gpube__compiled_job(struct gpube_compiled_job *x, struct gpube_compiled *c, int32_t b,
	const struct gpube_compiled_box *box, bool down);
void gpube__compiled_job_clear(struct gpube_compiled_job *x, struct gpube_ctx *ctx);
/*
 * gpube__compiled_take() - n cells as a message, brought to scale. *same: it has the bits that it
 * had.
 * *power  what they lack then; *same stays false
 * Errors: ENOMEM, ERANGE
 */
int gpube__compiled_take(struct gpube_compiled *c, struct gpube_sum_table *message, int64_t *power,
	bool *same, const double *cells, int64_t n);
/* The same of a table, which is the message's then. */
int gpube__compiled_take_table(struct gpube_compiled *c, struct gpube_sum_table *message,
	int64_t *power, struct gpube_sum_table *t);

/* All messages up that what is fixed now changes, and z. Errors: those of gpube__sum_product() */
int gpube__compiled_up(struct gpube_compiled *c);
/* The sum of all from what the messages of the first n buckets were parted from. */
struct gpube_wide gpube__compiled_parted(const struct gpube_compiled *c, int32_t n);
/* All marginals, to c->marginals. Errors: those, and EBUG */
int gpube__compiled_down(struct gpube_compiled *c);
/*
 * gpube__compiled_joint_cells() - of the table of the query variables. After messages up:
 * gpube__compiled_joint(), gpube__compiled_draw() - their distribution, and assignments, to 'out'.
 * Errors: ENOMEM, ESTOP, EBUG
 */
double gpube__compiled_joint_cells(const struct gpube_compiled *c);
int gpube__compiled_joint(struct gpube_inference *out, struct gpube_compiled *c);
int gpube__compiled_draw(struct gpube_inference *out, struct gpube_compiled *c);

#endif
