/*
 * rates.h - what the backends do in a second on this machine: ceilings against which times are
 * judged (solve -v) and from which pick.h predicts. Measured by 'gpube devices --measure',
 * kept as text in the user's cache; before that, careful guesses.
 */
#ifndef GPUBE_OPS_RATES_H
#define GPUBE_OPS_RATES_H

#include "gpube/ops/ops.h"

/*
 * Of one processor or card. X(field, estimate for a core, estimate for a card)
 * copy        bytes a second, read and written ones counted
 * add_min_…   additions with a minimum a second
 * launch      seconds of a contraction with hardly any cells, one of many
 * round_trip  seconds to fetch a few cells of a table
 * upload      bytes a second from ordinary memory of the host; download: to it
 * open        seconds to begin with it
 */
#define GPUBE_RATES(X)                                                                             \
	X(copy, 1e10, 2e12)                                                                        \
	X(add_min_int32, 8e9, 1e13)                                                                \
	X(add_min_int64, 3e9, 2e12)                                                                \
	X(launch, 1e-6, 2e-5)                                                                      \
	X(round_trip, 1e-7, 2e-5)                                                                  \
	X(upload, 1e10, 6e9)                                                                       \
	X(download, 1e10, 6e9)                                                                     \
	X(open, 0, 0.3)

struct gpube_rate {
	char name[80]; /* of the processor or card; "": nothing was measured */
#define GPUBE_RATE_FIELD(field, core, card) double field;
	GPUBE_RATES(GPUBE_RATE_FIELD)
#undef GPUBE_RATE_FIELD
	double cores; /* the add_min_… of several are so many times one's; 0: not told, one */
};

struct gpube_rates {
	int n_threads; /* of 'all' */
	struct gpube_rate core, all, devices[GPUBE_MAX_DEVICES];
};

/* gpube__rates_estimate() - rates assumed of n_threads cores and of cards until measured. */
void gpube__rates_estimate(struct gpube_rates *r, int n_threads);

/*
 * gpube__rates_write() - as text, a line a number; gpube__rates_read() is its inverse.
 * Returns what snprintf() would.
 * Errors of reading: EPARSE, with the line; *r is then undefined. Unknown names are passed over.
 */
int gpube__rates_write(char *text, size_t size, const struct gpube_rates *r);
int gpube__rates_read(struct gpube_ctx *ctx, struct gpube_rates *r, const char *text);

/* gpube__rates_set() - the context's from here on; a copy is made. Errors: ENOMEM */
int gpube__rates_set(struct gpube_ctx *ctx, const struct gpube_rates *r);

/* What a backend does with this context's threads, or on its first device (NULL: once open). */
struct gpube_rate gpube__rate_of(const struct gpube_ctx *ctx, const struct gpube_ops *ops);
double gpube__rate_add_min(const struct gpube_rate *r, enum gpube_type type);

/*
 * gpube__measure() - all of r but its name and 'open', on the context's threads or first device;
 * about a second. The CPU's add-mins are those of contract itself on a matrix product in
 * cache; a card's are of registers alone.
 * Errors: those of the backend
 */
int gpube__measure(struct gpube_ctx *ctx, const struct gpube_ops *ops, struct gpube_rate *r);

/* A card's name, copy and add_min_… by kernels that do nothing else. */
int gpube__ceilings_cuda(struct gpube_ctx *ctx, struct gpube_rate *r);

#endif
