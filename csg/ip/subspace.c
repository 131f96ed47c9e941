/* subspace.c - branch and bound among the structures of one subspace; see ip.h. */
#include <math.h>
#include <string.h>

#include "csg/ip/ip.h"

#define STOP_STEPS 65536 /* between two looks at the clock */

/* Called with each handful of steps. */
static bool must_end(struct csg__subspace_search *q)
{
	if (q->steps >= q->next_look) {
		q->next_look = fmin(q->steps + STOP_STEPS, q->most_steps);
		q->stopped = gpube__stopped(q->ctx);
		q->out_of_steps = q->steps > q->most_steps;
	}
	return q->stopped || q->out_of_steps;
}

#define T       int16_t
#define S       int64_t
#define FIELD   whole
#define X(name) name##_int16
#include "csg/ip/subspace_impl.h"

#define T       int32_t
#define S       int64_t
#define FIELD   whole
#define X(name) name##_int32
#include "csg/ip/subspace_impl.h"

#define T       int64_t
#define S       int64_t
#define FIELD   whole
#define X(name) name##_int64
#include "csg/ip/subspace_impl.h"

#define T       __int128
#define S       __int128
#define FIELD   whole
#define X(name) name##_int128
#include "csg/ip/subspace_impl.h"

#define T       float
#define S       double
#define FIELD   real
#define X(name) name##_float32
#include "csg/ip/subspace_impl.h"

#define T       double
#define S       double
#define FIELD   real
#define X(name) name##_float64
#include "csg/ip/subspace_impl.h"

void csg__subspace_search(struct csg__subspace_search *q, enum gpube_type type)
{
	static void (*const search[])(struct csg__subspace_search *) = {NULL, search_int16,
		search_int32, search_int64, search_float32, search_float64, search_int128};

	search[type](q);
}

int csg__most_of_sizes(union csg__sum *most, bool *some, const struct csg__subspace_search *q,
	enum gpube_type type, int least_size, int most_size)
{
	static int (*const of_sizes[])(
		union csg__sum *, bool *, const struct csg__subspace_search *, int, int) = {NULL,
		most_of_sizes_int16, most_of_sizes_int32, most_of_sizes_int64,
		most_of_sizes_float32, most_of_sizes_float64, most_of_sizes_int128};

	for (int size = least_size; size <= most_size; size++)
		some[size] = false;
	return of_sizes[type](most, some, q, least_size, most_size);
}
