/* count.h - exact numbers of optima, of any size. */
#ifndef GPUBE_COUNT_H
#define GPUBE_COUNT_H

#include "gpube/base/natural.h"
#include "gpube/eliminate/be_plan.h"

/*
 * gpube__be_count() - the number of optima, exact whatever its size:
 * 64 bits first; if they saturate, residues modulo enough primes for the
 * product of all domains, put together by the Chinese remainder theorem.
 * count   out; clear it
 * Cost:   one elimination; past 2^64 one more per 31.9 bits of the state space
 */
int gpube__be_count(struct gpube__natural *count, const struct gpube_be *be,
	const struct gpube_be_sides *sides, const struct gpube_working *w);

#endif
