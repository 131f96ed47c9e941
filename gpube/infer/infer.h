/*
 * infer.h - inside gpube_infer(): sums over all assignments by bucket elimination.
 *
 *   possible.c     evidence and zeros: the values that can occur
 *   barren.c       variables of one function that sum to a constant
 *   ancestral.c    marginals of such variables, from parts of the model
 *   infer_plan.c   an order, the buckets along it, and what they take
 *   homes.c        where marginals are read off
 *   infer_job.c    a bucket as a job of sums
 *   infer_card.c   buckets that a card sums
 *   infer_slices.c what does not fit the memory, slice by slice
 *   infer_pass.c   messages up the bucket tree
 *   infer_down.c   and down again, for marginals
 *   infer_cases.h  sums by cases, where zeros leave few
 *   infer_bounds.h what is done where that does not fit
 *   compiled.h     the same model with other evidence; joint distributions, and what is drawn
 *   residual.c     what sums over some variables leave of the others: a model
 *   infer.c        gpube_infer()
 */
#ifndef GPUBE_INFER_H
#define GPUBE_INFER_H

#include "gpube/ir/model.h"
#include "gpube/options/options.h"
#include "gpube/sums.h"
#include "gpube/ops/sum/sum_card.h"

/* ---- values that can occur ----------------------------------------------------------- */

/* Those of a variable ascend from values[first[var]] on, and are n[var]. */
struct gpube_possible {
	int64_t *first;
	int32_t *n, *values;
	bool none; /* some variable has none: everything has probability 0 */
};

static inline int32_t gpube__n_possible(const struct gpube_possible *p, int32_t var)
{
	return p->n[var];
}

/*
 * gpube__possible_find() - removes values that the evidence excludes, and those with which some
 * function is 0 whatever else holds, until there are none.
 * Errors: ENOMEM, ERANGE (a function of 2^63 cells), ESTOP
 */
int gpube__possible_find(struct gpube_possible *p, const struct gpube_model *m);
/* All values, or the observed one. Errors: ENOMEM, after which there is something to clear, too */
int gpube__possible_given(struct gpube_possible *p, const struct gpube_model *m);
void gpube__possible_clear(struct gpube_ctx *ctx, struct gpube_possible *p);

/* A visit to the cells of a function that can occur, in the order of its scope. */
struct gpube_visit_axis {
	const int32_t *values;
	int32_t n, at, var;
	int64_t stride, to; /* in the function's table, and in another */
};

struct gpube_visit {
	const struct gpube_model *m;
	int32_t function;
	int n; /* axes of more than one value */
	struct gpube_visit_axis *axis;
	int64_t cell, to;
	int power; /* values are times 2^power */
};

/* Errors: ENOMEM, ERANGE. axis[k].to is 0 and may be set; gpube__free() the axes. */
int gpube__visit_begin(struct gpube_visit *w, const struct gpube_model *m, int32_t function,
	const struct gpube_possible *p);
double gpube__visit_value(const struct gpube_visit *w);
/* False after the last cell. */
bool gpube__visit_step(struct gpube_visit *w);

/* ---- buckets ------------------------------------------------------------------------- */

/*
 * The bucket of a position in the order. Scopes are positions, ascending: the first of the joined
 * table is the bucket's own, the others are the message's.
 * message    from the upward pass that to the parent; in the downward pass that from it
 * roundings  most on the way to a cell of it
 * is_chain   what goes down to its only child needs nothing from there; is_spare: nor is it needed
 *            for a marginal; see homes.c
 * is_leaf    it has no child, and its parent sums its marginal
 * is_apart   what goes down to it is summed of all tables of its parent but its message, unless
 *            numbers are far apart, instead of divided by that
 */
struct gpube_sum_bucket {
	int n_functions, n_children, arity;
	int32_t parent, child, sibling; /* -1: none */
	int64_t functions_at, scope_at;
	struct gpube_sum_table message;
	double roundings;
	bool is_chain, is_spare, is_leaf, is_apart;
};

struct gpube_infer_splits;

/* Joined cells that a card sums in a second. */
#define GPUBE_CARD_CELLS_PER_SECOND 1e11

/*
 * Cuts of a sum at most; and of the memory allowed, the part for pages that are kept for the next
 * tables.
 */
enum { GPUBE_MOST_SPLITS = 24, GPUBE_INFER_KEPT = 8 };

/*
 * A sum in n slices, for whoever does one of them: the model with the values of some variables in
 * turn. The order is of all variables.
 */
struct gpube_slice_job {
	const int32_t *order;
	int n_splits;
	int32_t var[GPUBE_MOST_SPLITS], n_values[GPUBE_MOST_SPLITS];
	const int32_t *values[GPUBE_MOST_SPLITS];
	int64_t n;
};

/* What a slice is summed to; marginals are the receiver's, or NULL. */
struct gpube_slice_sum {
	struct gpube_wide z;
	double roundings, most_roundings;
	double *marginals;
};

/*
 * gpube__infer_slice() - a slice, in a context of the caller's thread.
 * Errors: ENOMEM, ESTOP, EBUG, ELIMIT (cells have powers, which do not fit), EINVAL (it is none of
 *         this model)
 */
int gpube__infer_slice(struct gpube_slice_sum *sum, struct gpube_ctx *ctx,
	const struct gpube_model *m, const struct gpube_opts *o, const struct gpube_slice_job *job,
	int64_t slice);

/*
 * Who sums slices instead: all of a job, asked for in the order in which they are added up.
 * wanted  slices, unless they would make the whole too much more; of a sum of at least so many
 *         joined cells
 * begin   a job, of a model that stays until the sum has ended
 * sum     a slice of the job that has begun last; ESTOP: it was not done before a stop
 * any_model  the job's model may be another than the given one, of the same variables: one from
 *         which something has been left out
 */
struct gpube_slicer {
	void *arg;
	bool any_model;
	int64_t wanted;
	double least_cells;
	int n_workers;
	int (*begin)(void *arg, const struct gpube_model *m, const struct gpube_slice_job *job);
	int (*sum)(void *arg, struct gpube_slice_sum *sum, int64_t slice);
};

/*
 * A model that sums to the same: without variables that only one function has, which sums to the
 * same number over them whatever the others are, and without these functions. Such are what a
 * Bayesian network says of nothing observed.
 * m          as the given one, but for those; the variables are observed
 * roundings  by which the sum may be off
 */
struct gpube_barren {
	struct gpube_model m;
	double *constant;  /* of each function that is left out; m's tables of its own are there */
	int32_t *variable; /* of each function: the one with which it is left out, or -1 */
	int32_t *function; /* of each variable, likewise */
	int32_t n;         /* variables; 0: m is nothing */
	double roundings;
};

/* Errors: ENOMEM, ERANGE, ESTOP, after which there is something to clear, too */
int gpube__barren_find(struct gpube_barren *b, const struct gpube_model *m);
/*
 * Of a model with such variables: those that stay, and their functions, are in b's model again.
 * NULL: none
 */
void gpube__barren_leave(struct gpube_barren *b, const struct gpube_model *m, const bool *stays);
/* Adds to 'stays' such a variable and all that it needs. waiting: room for n_vars */
void gpube__barren_keep(const struct gpube_barren *b, const struct gpube_model *m, bool *stays,
	int32_t *waiting, int32_t var);
void gpube__barren_clear(struct gpube_barren *b, struct gpube_ctx *ctx);

struct gpube__inferring {
	const struct gpube_model *m;
	struct gpube_ctx *ctx;
	const struct gpube_opts *opts;
	struct gpube_inference *out;
	const bool *last; /* of each variable, whether it is not summed over; NULL: all are */
	struct gpube_possible possible;
	int32_t n_up; /* buckets that are summed, the first ones */
	int32_t n;    /* variables of more than one possible value, of which the buckets are */
	int32_t *var, *position; /* of each position; of each variable, -1: it has one value */
	struct gpube_sum_bucket *buckets;
	int32_t *functions; /* by bucket */
	int32_t *scopes;
	struct gpube_wide *roots; /* of each bucket: the sum over its component */
	int64_t *marginals_at;    /* of each variable */
	struct gpube_barren barren;
	struct gpube_wide z;
	double roundings;      /* of z, but for barren's */
	double most_roundings; /* of a marginal */
	/* ln of z is between them, -INFINITY and INFINITY at first; see infer_bounds.h */
	double log_lower, log_upper;
	double told_lower, told_upper; /* in a line of the log */
	double told_from;              /* when the call began */
	double wmb_bytes;              /* of the last mini-buckets at the worst moment */
	bool zeros;                    /* some potential that can occur is 0; set by gpube__wmb() */
	double apart_bytes;            /* of powers of cells of messages that are alive */
	uint8_t *side;                 /* of each bucket: 1 on the card; NULL: all on the host */
	int32_t *home;                 /* for marginals: the bucket that sums each position's */
	struct gpube_sum_card card;
	struct gpube_infer_splits *slices; /* NULL: it is done in one piece */
	const struct gpube_slicer *slicer; /* or NULL */
	int64_t slice, n_slices;           /* of a job that is one of several; 0 of 0: it is none */
	int32_t at, n_on_card;             /* the bucket at work on the card */
};

static inline int32_t gpube__infer_domain(const struct gpube__inferring *j, int32_t position)
{
	return gpube__n_possible(&j->possible, j->var[position]);
}

static inline int64_t gpube__infer_n_values(const struct gpube_model *m)
{
	int64_t n = 0;

	for (int32_t i = 0; i < m->n_vars; i++)
		n += m->vars[i].domain;
	return n;
}

static inline const int32_t *gpube__infer_scope(const struct gpube__inferring *j, int32_t bucket)
{
	return j->scopes + j->buckets[bucket].scope_at;
}

/* Cells of a bucket's joined table. */
static inline double gpube__infer_joined(const struct gpube__inferring *j, int32_t bucket)
{
	double cells = 1;

	for (int k = 0; k < j->buckets[bucket].arity; k++)
		cells *= gpube__infer_domain(j, gpube__infer_scope(j, bucket)[k]);
	return cells;
}

/*
 * gpube__infer_begin() - what can occur; possible.none: nothing. m, ctx, opts and out are set.
 * gpube__infer_clear() also after a failure.
 */
int gpube__infer_begin(struct gpube__inferring *j);
void gpube__infer_clear(struct gpube__inferring *j);
/* Errors: ENOMEM, ELIMIT (the tables pass the memory allowed), ESTOP, EINVAL */
int gpube__infer_plan(struct gpube__inferring *j);
/*
 * Bytes of tables at the worst moment of the passes that the task takes; and what there is room
 * for.
 */
double gpube__infer_peak(const struct gpube__inferring *j);
double gpube__infer_room(const struct gpube__inferring *j);
/*
 * gpube__infer_split() - after a plan, decides on slices whose tables take so many bytes, 'needed'
 * of them at least, and as many as the slicer wants; the plan's figures are then theirs. Errors:
 * ENOMEM; ELIMIT: there would be too many, nothing has changed, no text
 */
int gpube__infer_split(struct gpube__inferring *j, double bytes, int64_t needed);
/*
 * The same for such a part of what there is room for; where a card sums, of its own memory if that
 * does not join too many more cells.
 */
int gpube__infer_split_to_fit(struct gpube__inferring *j, double part, int64_t needed);
/*
 * gpube__infer_slices() - all that the task asks for, slice by slice. When it is stopped, log_lower
 * is what they so far add up to. Errors: ENOMEM, ESTOP, EBUG; ELIMIT (cells of a slice have powers,
 * which do not fit)
 */
int gpube__infer_slices(struct gpube__inferring *j);
/* NULL: ENOMEM; gpube_result_free() frees it. */
struct gpube_inference *gpube__inference_new(struct gpube_ctx *ctx);
/* gpube_infer(), with the slices summed by another; slicer: or NULL. */
int gpube__infer_sliced(struct gpube_inference **out, const struct gpube_model *m,
	const struct gpube_opts *opts, const struct gpube_slicer *slicer);
/* gpube_infer() of a joint distribution, or of what is drawn. */
int gpube__infer_once(
	struct gpube_inference **out, const struct gpube_model *m, const struct gpube_opts *opts);
/*
 * gpube__infer_on_devices() - gpube_infer() with slices shared out over all devices of the context,
 * of a sum of at least so many joined cells; gpube__infer_devices_cells(): for which they pay.
 */
int gpube__infer_on_devices(struct gpube_inference **out, const struct gpube_model *m,
	const struct gpube_opts *opts, double least_cells);
double gpube__infer_devices_cells(const struct gpube_ctx *ctx);
/*
 * out's bounds: what log10_z is, rounded outwards, of a sum that is known within its error; or j's.
 */
void gpube__infer_take_bounds(struct gpube__inferring *j, bool exact);
/* A note of j's bounds, where they are better than those that were told. */
void gpube__infer_tell_bounds(struct gpube__inferring *j, const char *by);
/*
 * gpube__infer_ancestral() - all marginals from parts of the model, where that is much less work
 * than from all of it; *done false: it is not, or they do not fit, and nothing has changed. Errors:
 * ENOMEM, ERANGE, EBUG
 */
int gpube__infer_ancestral(struct gpube__inferring *j, bool *done);
/* Sets what homes.c says, after a plan for marginals. Errors: ENOMEM */
int gpube__infer_find_homes(struct gpube__inferring *j);
/* Whether the downward pass has no use for a message of the upward one. */
bool gpube__infer_is_spare(const struct gpube__inferring *j, int32_t b);
/* Whether it is so in the downward pass, when what came to bucket b from its parent is there. */
bool gpube__infer_is_apart(const struct gpube__inferring *j, int32_t b, int32_t c);
/* The passes that the task takes, after the plan: all results in out. */
int gpube__infer_sum(struct gpube__inferring *j);
/*
 * Sets them to those of the functions all of whose variables have one value. Errors: ENOMEM, ERANGE
 */
int gpube__infer_constants(struct gpube__inferring *j);
/* Sets z and roundings; keeps the messages for the downward pass where that is asked for. */
int gpube__infer_up(struct gpube__inferring *j);
/*
 * gpube__infer_residual() - after gpube__infer_up(): a model of potentials over the variables that
 * are last and have several possible values, which are its values; variable k of it has position
 * n_up + k. Its products times z are the sums over all others; z and roundings are changed for
 * that.
 * Errors: ENOMEM, ELIMIT (numbers too far apart)
 */
int gpube__infer_residual(struct gpube_model **out, struct gpube__inferring *j);
/* This part of the sums is done, or of the slice at work. */
void gpube__infer_progress(const struct gpube__inferring *j, double part);
/* Relative error of a number after so many roundings. */
double gpube__infer_error(double roundings);
/* Makes room for them, with those of variables of one possible value. Errors: ENOMEM */
int gpube__infer_begin_marginals(struct gpube__inferring *j);
/* The same, and all others, by the downward pass. */
int gpube__infer_marginals(struct gpube__inferring *j);
/* log10_z, its error and bounds, after the passes. */
void gpube__infer_take(struct gpube__inferring *j);

/* ---- a bucket's job ------------------------------------------------------------------ */

/*
 * The tables of a bucket: functions, then children, then, in the downward pass, what came from the
 * parent.
 */
struct gpube_infer_inputs {
	struct gpube_sum_table *functions;
	struct gpube_sum_operand *in;
	int n;
	double roundings; /* of all together */
};

/* Sets the axes and the inputs of a job; to be cleared in any case. */
int gpube__infer_gather(struct gpube_infer_inputs *in, struct gpube__inferring *j, int32_t b,
	struct gpube_sum_job *job, bool down);
void gpube__infer_inputs_clear(
	struct gpube_infer_inputs *in, struct gpube__inferring *j, int32_t b);
void gpube__infer_axes(struct gpube_sum_job *job, const struct gpube__inferring *j, int arity,
	const int32_t *scope);
/* A table over a part of a job's axes, which both ascend. */
void gpube__infer_lay(struct gpube_sum_operand *o, struct gpube_sum_table *t,
	const struct gpube_sum_job *job, const int32_t *axes, int arity, const int32_t *scope);
/* What of a function can occur, over ascending positions, settled. */
int gpube__infer_load(struct gpube_sum_table *t, struct gpube__inferring *j, int32_t function,
	struct gpube_sum_operand *o, const struct gpube_sum_job *job, const int32_t *axes);
/* Cells of a scope, which fit: the plan has added up their bytes. */
int64_t gpube__infer_cells(const struct gpube__inferring *j, int arity, const int32_t *scope);
/* What powers of the cells' own take is not in the plan. Errors: ELIMIT */
int gpube__infer_apart(struct gpube__inferring *j, const struct gpube_sum_table *t);
void gpube__infer_drop(struct gpube__inferring *j, struct gpube_sum_table *t);
/*
 * The marginal of a position from its values' weights in bucket b, which add up to the component's
 * sum.
 */
int gpube__infer_marginal(struct gpube__inferring *j, int32_t position, int32_t b,
	const struct gpube_sum_table *weights, double roundings);

/* gpube__opts_for() for a call that sums a model of potentials. Errors: EINVAL */
int gpube__infer_check(
	struct gpube_opts *o, const struct gpube_model *m, const struct gpube_opts *opts, int call);
/* Of each variable whether it is in the query, for the caller to free. Errors: EINVAL, ENOMEM */
int gpube__infer_mark_query(bool **last, const struct gpube_model *m, const struct gpube_opts *o);

/* ---- buckets on a card --------------------------------------------------------------- */

/*
 * gpube__infer_place() - opens a card and gives it buckets, where that is asked for or predicted to
 * be faster, or where the host alone does not hold the tables.
 * bytes   of all tables at the worst moment
 * Errors: ENOMEM; ENODEV if a card was asked for
 */
int gpube__infer_place(struct gpube__inferring *j, double bytes);
/* From here on buckets of side 1 are summed on this card. Errors: ENOMEM */
int gpube__infer_take_card(struct gpube__inferring *j, const struct gpube_sum_card *card);
/* The messages that a bucket reads, on the host. */
int gpube__infer_here(struct gpube__inferring *j, int32_t b);
/* A bucket's part of either pass; *done false: the host has to do it, and nothing has changed. */
int gpube__infer_up_card(struct gpube__inferring *j, int32_t b, bool *done);
int gpube__infer_down_card(struct gpube__inferring *j, int32_t b, bool *done);

#endif
