/*
 * be_split.h - one elimination as several slices, of boxes of values (be_boxes.h), along the same
 * order: as many as make their tables fit a memory, and several for each device. One worker does
 * them one after the other, or each device takes the next as soon as it is open and free.
 *
 * Designs weighed, for devices. (1) Each large contraction is divided along an output dimension,
 * and its pieces are copied to where they are needed: between two buckets whole messages cross from
 * card to card, more bytes than a bucket of few values has work for. (2) The same split dimension
 * in all buckets, so it must be in all of them: that is this one, with a variable as the dimension.
 * Nothing crosses until the end, when the least of the optima is taken. Every table with the
 * variable is smaller on each card, so that several cards hold what one cannot. The price: buckets
 * without a split variable are done for every box; the split variables are chosen so that this is
 * least. Until November 2026 there was one box a device, and all waited until all were open: values
 * that cannot be halved left one card to wait for the other (benchmarks/runs/devices-h200).
 *
 * A second card is opened where it is predicted to save more than opening and closing it takes,
 * which is 0.3 s (ops/pick.h). One that fails leaves its slices to the others. Until November
 * 2026 tables could also stream through a card: they lay in the host's memory, and each contraction
 * was divided into chunks with copies that ran ahead. One card did 134 GB so in 10.7 s, and 3 GiB
 * through 1 GiB in 1.8 s, in one piece 0.016: the bus and pinning the memory take the time, and
 * slices need neither.
 *
 * Designs weighed, for slices. (1) Single values of a few variables, and a model for each
 * combination, solved as any other: each is simplified under the best total known, but all are
 * done, in the order of their values. (2) Boxes of one structure, bounded before: many are pruned,
 * but the others are done whole. They joined twice as many cells as (1). (3)
 * Boxes, bounded, and then simplified: this one, fewer than (1). gpube_solve() had (2) and
 * gpube_bound() (1); both have this.
 *
 * Mini-buckets bound the slices before, and the least bound comes first. The incumbent is the next
 * slice's top: a slice whose bound reaches it is pruned, the others are simplified under it
 * (be_reduce.h). The result does not depend on which worker is faster: of equal slices the first
 * one counts.
 */
#ifndef GPUBE_BE_SPLIT_H
#define GPUBE_BE_SPLIT_H

#include "gpube/base/natural.h"
#include "gpube/eliminate/be_boxes.h"
#include "gpube/eliminate/solve.h"

struct gpube_be_split;

/* Opens a backend on a context: gpube__ops_cuda(), or in tests the CPU. */
typedef const struct gpube_ops *gpube_open_fn(struct gpube_ctx *ctx, int *status);

/*
 * type       that costs of the whole have; slices' may be wider
 * limit      bytes of tables of one slice
 * block      messages want to be in one block, as on a device
 * count      gpube__split_count() will be called
 * rate       joined cells a second of a worker; bucket: seconds of each bucket beside
 * n_workers  2 or more: the first so many of the context's devices, each with a context of its own
 *            and a few slices; otherwise slices are done in the context and thread of the caller
 * seed       of the search for a first assignment
 */
struct gpube_slicing {
	enum gpube_type type;
	double limit;
	bool block, count;
	double rate, bucket;
	int n_workers;
	uint64_t seed;
};

/*
 * Errors: ENOMEM; ERANGE; ESTOP; ELIMIT, perhaps without a text: too many slices would be needed,
 * or no variable has values to divide
 */
int gpube__split_slices(struct gpube_be_split **out, const struct gpube_be *be,
	const int32_t *order, const struct gpube_slicing *how);
/* When slices end early; without a call they never do. */
void gpube__split_patience(struct gpube_be_split *s, const struct gpube__solve_patience *patience);
void gpube__split_free(struct gpube_be_split *s);

/* The number of boxes and of split variables; cells and bytes of the largest box. */
int64_t gpube__split_n(const struct gpube_be_split *s);
int gpube__split_n_vars(const struct gpube_be_split *s);
const struct gpube_box_cost *gpube__split_cost(const struct gpube_be_split *s);
/* Predicted seconds of all slices, if none is pruned. */
double gpube__split_seconds(const struct gpube_be_split *s);

/* Seconds of the busiest worker: in contractions, in copies, and reading assignments off. */
struct gpube_split_times {
	double contracting, copying, assigning;
};

/*
 * gpube__split_run() - all boxes; workers with contexts of their own work at the same time, each on
 * a thread of its own. Who fails leaves its boxes to the others, which the log says.
 * optimum, values  out, as of gpube__be_run(); after ESTOP the best that was known
 * seconds   out
 * Errors: those of gpube__be_run() and of opening; ELIMIT (a part does not fit its device)
 */
int gpube__split_run(int64_t *optimum, int32_t *values, struct gpube_be_split *s,
	gpube_open_fn *open, struct gpube_split_times *seconds);

/* A lower bound of all totals, also after ESTOP: the least bound of an open box. */
int64_t gpube__split_bound(const struct gpube_be_split *s);

/*
 * gpube__split_count() - the number of optima, as gpube__be_count(), after a run of
 * slices by the caller which found some.
 */
int gpube__split_count(struct gpube__natural *count, struct gpube_be_split *s);

#endif
