/*
 * mbe.h - mini-bucket elimination: a lower bound from buckets that are
 * processed in parts, and an assignment from their messages.
 *
 * A bucket's functions and messages are split into mini-buckets whose joined
 * table has at most z variables (i-bound z - 1 variables of a message); each is
 * eliminated by itself. A minimum of a sum is at least the sum of the minima,
 * so the result is never above the optimum; with one mini-bucket a bucket it is
 * the optimum.
 *
 * Matching. Before the mini-buckets of a bucket are eliminated, what each
 * forces on the variables that all of them share (its min-marginal) is replaced
 * by the average of these: a cost shift that leaves their sum as it was.
 * Averages are rounded to integers, and the rests go to the first mini-bucket,
 * so that it holds exactly; costs are multiplied by a power of two before, so
 * that little is lost.
 *
 * Source: Dechter and Rish, JACM 50(2), 2003; Fioretto et al., Algorithm 2
 * (z); Ihler et al., UAI 2012 (matching).
 */
#ifndef GPUBE_MBE_H
#define GPUBE_MBE_H

#include "gpube/gpube.h"
#include "gpube/options/options.h"
#include "gpube/ops/ops.h"

/* A part of the bucket at a position; it sends one message. */
struct gpube_mini {
	int32_t position;
	int32_t n_in;    /* mbe.inputs[in_at …]; f >= 0: a function, ~k: the message of mini k */
	int32_t n_scope; /* message: mbe.scopes[scope_at …], positions, ascending */
	int64_t in_at, scope_at;
	int32_t consumer; /* position whose bucket takes the message; -1: a scalar */
	int64_t cells;    /* of the message */
};

struct gpube_mbe {
	struct gpube_ctx *ctx;
	const struct gpube_model *m;
	int32_t n, n_minis;
	int32_t *order, *position;
	int32_t *first; /* n + 1: minis [first[p], first[p+1]) are of position p */
	struct gpube_mini *minis;
	int64_t minis_capacity, n_inputs, inputs_capacity, n_scopes, scopes_capacity;
	int32_t *inputs, *scopes;
	int32_t most_inputs;    /* of a mini */
	int32_t n_split;        /* buckets of two minis or more: 0 means exact elimination */
	int32_t largest_joined; /* variables of it */
	double joined_cells, message_cells, largest_message;
};

/*
 * gpube__mbe_init() - partitions every bucket; no table is touched.
 * m          a simplified model, which must outlive 'mbe'
 * order      a permutation of its variables, order[0] is eliminated first
 * z          most variables of a joined mini-bucket of two inputs or more, >= 1
 * max_cells  most cells of such a mini-bucket's message
 * Errors: ENOMEM; ELIMIT (a message of more than 2^62 cells)
 */
int gpube__mbe_init(struct gpube_mbe *mbe, const struct gpube_model *m, const int32_t *order,
	int32_t z, double max_cells, enum gpube_partition partition);
void gpube__mbe_clear(struct gpube_mbe *mbe);

/* Most bytes of tables alive at once, if messages are kept, and if they are freed when used. */
void gpube__mbe_memory(double *keep_bytes, double *free_bytes, const struct gpube_mbe *mbe);

/* Cells of what the minis of a position are matched over; 0 where there is one mini. */
double gpube__mbe_shared_cells(const struct gpube_mbe *mbe, int32_t position);

/*
 * gpube__mbe_run() - the bound.
 * bound   out: no assignment costs less; constant included. 'cutoff' if none
 *         costs less than that; GPUBE_INF: none is allowed at all
 * values  out, may be NULL: n values chosen backwards through the buckets, a
 *         forbidden assignment perhaps. Messages are then kept.
 * cutoff   totals from here on are of no interest: top, or the cost of a known
 *         assignment; GPUBE_INF: none such
 * match   match moments
 * how     AUTO: bucket by bucket, where it is predicted to take less (mbe_place.c)
 * name    out, may be NULL: what worked, "cpu", "cuda" or "cpu+cuda"
 * Errors: ERANGE (costs too large), ENOMEM, ESTOP, ENODEV, those of the backend
 */
int gpube__mbe_run(int64_t *bound, int32_t *values, const struct gpube_mbe *mbe,
	enum gpube_backend how, int64_t cutoff, bool match, const char **name);

/* ---- bucket by bucket --------------------------------------------------------------- */

/*
 * A run whose buckets somebody else puts in order: agents that own them, for
 * example. Tables hold costs times 2^shift, at most 'top'; from 'cutoff' on they
 * are forbidden.
 * messages  per mini, NULL or memory of 'ops' over the mini's scope; gpube__mbe_eliminate()
 *           wants those that the bucket's minis take in, and makes those they send
 */
struct gpube_mbe_run {
	const struct gpube_mbe *mbe;
	const struct gpube_ops *ops, *device; /* device: of buckets with a side of 1 */
	uint8_t *side;                        /* per position, or NULL: all on 'ops' */
	uint8_t *lies;                        /* per mini: its message is on 'device' */
	enum gpube_type type;                 /* INT32 or INT64 */
	int shift;
	int64_t cutoff, top, constant, given_cutoff;
	bool keep; /* false: messages are freed when they were taken in */
	bool match;
	void **messages;
	/* scratch of the bucket at work */
	int32_t *dim_of; /* per position */
	int32_t n_jobs, n_shared;
	struct gpube_mbe_job *jobs;
	struct gpube_contraction *contractions;
	void *functions; /* working copies of the bucket's functions, in one piece */
	int32_t *shared; /* positions in every mini of the bucket, its own one last */
	void **marginals;
};

/*
 * gpube__mbe_run_init() - chooses how costs are held; arguments as gpube__mbe_run()'s.
 * settled  out: nothing is left to do, *bound is the result and 'r' needs no clearing
 * Errors: ERANGE, ENOMEM
 */
int gpube__mbe_run_init(struct gpube_mbe_run *r, const struct gpube_mbe *mbe,
	const struct gpube_ops *ops, int64_t cutoff, bool match, bool keep, bool *settled,
	int64_t *bound);
/*
 * gpube__mbe_place() - chooses the backends of a run that has not begun, in place of the one that
 * it was given. Errors: ENODEV (CUDA was asked for), ENOMEM, those of the backend
 */
int gpube__mbe_place(struct gpube_mbe_run *r, enum gpube_backend how);
/* Frees the messages that are left, too. */
void gpube__mbe_run_clear(struct gpube_mbe_run *r);

/* Errors: ENOMEM, ESTOP, those of the backend */
int gpube__mbe_eliminate(struct gpube_mbe_run *r, int32_t position);
/* Adds the messages of no variables that the bucket sent to a total of at most 'cutoff'. */
int gpube__mbe_add_scalars(struct gpube_mbe_run *r, int32_t position, int64_t *total);
/* The bound that the total of all such messages proves. */
int64_t gpube__mbe_bound(const struct gpube_mbe_run *r, int64_t total);
/* The value whose bucket costs least, given those of the buckets after it. */
int gpube__mbe_choose(struct gpube_mbe_run *r, int32_t position, int32_t *values);

#endif
