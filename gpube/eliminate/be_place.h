/*
 * be_place.h - places buckets on the host or on a device (ops/place.h), and logs the rates they
 * reached.
 */
#ifndef GPUBE_BE_PLACE_H
#define GPUBE_BE_PLACE_H

#include "gpube/eliminate/be.h"
#include "gpube/ops/rates.h"

/*
 * gpube__be_place() - the sides of least predicted time, if messages are kept.
 * side     out: n entries, 1 on the device
 * seconds  out: predicted, of [0] all on the host and [1] these sides
 * host, device  rates (rates.h)
 * Errors:  ENOMEM
 */
int gpube__be_place(uint8_t *side, double seconds[2], const struct gpube_be *be,
	enum gpube_type type, const struct gpube_rate *host, const struct gpube_rate *device);

/* Seconds that a backend of these rates is predicted to take alone; ops NULL: a device. */
double gpube__be_seconds(const struct gpube_be *be, enum gpube_type type,
	const struct gpube_rate *rate, const struct gpube_ops *ops);

/*
 * gpube__be_log() - logs a line for each side, and for each bucket that took a tenth of the time or
 * more: how near it came to its rate.
 * seconds  per bucket
 */
void gpube__be_log(const struct gpube_be *be, const struct gpube_be_sides *sides,
	enum gpube_type type, const struct gpube_be_times *times);

#endif
