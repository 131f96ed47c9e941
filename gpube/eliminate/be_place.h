/*
 * be_place.h - bucket by bucket, on the host or on a device (ops/place.h), and what was reached
 * there.
 */
#ifndef GPUBE_BE_PLACE_H
#define GPUBE_BE_PLACE_H

#include "gpube/eliminate/be.h"
#include "gpube/ops/rates.h"

/*
 * gpube__be_place() - the sides of least predicted time, messages kept.
 * side     out: n entries, 1 on the device
 * seconds  out: predicted, of [0] all on the host and [1] these sides
 * host, device  rates (rates.h)
 * Errors:  ENOMEM
 */
int gpube__be_place(uint8_t *side, double seconds[2], const struct gpube_be *be,
	enum gpube_type type, const struct gpube_rate *host, const struct gpube_rate *device);

/*
 * gpube__be_log() - what ran where, at what share of its bound: a line for each side in the log,
 * and one for each bucket that took a tenth of the time or more.
 * seconds  per bucket
 */
void gpube__be_log(const struct gpube_be *be, const struct gpube_be_sides *sides,
	enum gpube_type type, const struct gpube_be_times *times);

#endif
