/*
 * wide.h - contractions of tables of 2^32 cells and more on a backend, whose every cell is known
 * without being stored: a table is a sum of vectors, made where it lies by contract itself.
 */
#ifndef GPUBE_TESTS_WIDE_H
#define GPUBE_TESTS_WIDE_H

#include "gpube/ops/ops.h"

#define WIDE_DIMS 40

/*
 * out(S) = min over x of table(S, x) + small(x, last of S) + a small table of x and d for each d of
 * 'more'; x is dim n_out. The table lacks the dims of 'without', and those of 'more' have them.
 */
struct wide {
	struct gpube_ctx *ctx;
	const struct gpube_ops *ops;
	enum gpube_type type;
	int n_out, x_at;        /* x_at: place of x among the table's axes */
	uint64_t more, without; /* bits of output dims, but not of the last one */
	int64_t sizes[WIDE_DIMS];
	int n_axes;
	int32_t axes[WIDE_DIMS], vector_axes[WIDE_DIMS], small_axes[WIDE_DIMS][2];
	int64_t cells, out_cells;
	void *table, *out, *small[WIDE_DIMS]; /* small: by output dim, or NULL */
};

/* What wide_new() takes of the backend's memory. */
double wide_bytes(const struct wide *w);

/* w: type, n_out, x_at, sizes are set. Makes the tables. Errors: those of the backend */
int wide_new(struct wide *w, struct gpube_ctx *ctx, const struct gpube_ops *ops);
int wide_contract(struct wide *w, double *seconds);
/* NULL, or which of n random cells of the table and of the output are wrong, the last ones too. */
const char *wide_check(struct wide *w, int n, uint64_t seed);
void wide_free(struct wide *w);

#endif
