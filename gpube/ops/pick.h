/*
 * pick.h - the one place that decides which backend works, by predicted time from measured or
 * guessed rates (rates.h).
 *
 * gpube__pick() decides once for a whole run; place.h bucket by bucket, from
 * gpube__contract_seconds() here.
 */
#ifndef GPUBE_PICK_H
#define GPUBE_PICK_H

#include "gpube/ops/rates.h"

/*
 * gpube__pick() - the backend for tables of 'bytes' in all and 'joined_cells' of work.
 * want    GPUBE_BACKEND_CUDA: that or an error; AUTO: CUDA where a device is
 *         there and the CPU would take longer than opening it, or where only
 *         the device holds the tables; a device that the context names and that
 *         cannot be opened is then an error, too
 * bytes   what the elimination needs at its peak
 * Errors: ENODEV (CUDA was asked for and cannot be had; the text says why)
 */
int gpube__pick(const struct gpube_ops **ops, struct gpube_ctx *ctx, enum gpube_backend want,
	double joined_cells, double bytes);

/*
 * gpube__pick_early() - before an order is searched for: a device that would be used
 * makes long searches pointless. From the first order's sizes, of which a longer
 * search would change little.
 * joined_cells, largest  joined cells along it, and cells of its largest message
 * slices  it may be done in slices
 * Returns the backend to expect; gpube__pick() has the last word.
 * Errors: ENODEV as above
 */
int gpube__pick_early(const struct gpube_ops **ops, struct gpube_ctx *ctx, enum gpube_backend want,
	double joined_cells, double largest, bool slices);

/* Ending a process that has opened a device takes that much longer: seen as a process' time. */
#define GPUBE__CLOSE_SECONDS 0.1
/*
 * A further device, which is opened beside the first one's work, takes 0.3 s (seen likewise), and
 * what is predicted to be saved may be two and a half times what is (benchmarks/runs/devices-h200).
 */
#define GPUBE__FURTHER_SECONDS 1.0

/* Seconds that a backend is predicted to take for so many joined cells on this context. */
double gpube__predicted_seconds(
	const struct gpube_ctx *ctx, const struct gpube_ops *ops, double joined_cells);

/* What a contraction takes at least at these rates: its bytes once, an add-min a joined cell. */
double gpube__contract_bound(
	const struct gpube_rate *r, enum gpube_type type, double joined, double bytes);

/*
 * What a contraction of n_in operands is predicted to take; 'ops', NULL for a device, says how near
 * it comes to the bound.
 */
double gpube__contract_seconds(const struct gpube_rate *r, const struct gpube_ops *ops,
	enum gpube_type type, int n_in, double joined, double bytes);

/* Whether all devices of the context are worth opening for what takes the first so many seconds. */
bool gpube__further_devices_pay(const struct gpube_ctx *ctx, double seconds);

/* Seconds that opening the device would take now. */
double gpube__open_seconds(const struct gpube_ctx *ctx);

#endif
