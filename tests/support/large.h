/*
 * large.h - contractions whose tables have 2^32 cells and more, without memory for them: to test
 * where plans would read and write.
 */
#ifndef GPUBE_TESTS_LARGE_H
#define GPUBE_TESTS_LARGE_H

#include "gpube/ops/index.h"
#include "tests/support/shapes.h"

/* Where the reduced dim stands in the operands that have it. */
enum large_x { LARGE_X_FIRST, LARGE_X_LAST, LARGE_X_BETWEEN };

/* Output dims 0 .. n_out-1 of 'domain' values each and one reduced dim, n_out, of 'x' values. */
struct large {
	int64_t domain, x;
	int n_out;
	enum large_x where;
	int n_in;
	uint64_t scopes[6]; /* bits of dims, the reduced one among them; the output's ascend */
};

#define N_LARGE 160

/* Row i < N_LARGE: chosen ones first, then random ones. */
void large_row(struct large *row, int i);

/* shape_large() - row i as a shape whose c has no tables; shape_large_free() it. */
void shape_large(struct shape *s, int i, enum gpube_type type);
void shape_large_free(struct shape *s);

/* Cell 'at' of operand k, which follows from its place; output cell 'out', by (min,+). */
int64_t large_value(int k, int64_t at);
int64_t large_best(const struct gpube__shape *s, int64_t out);

#endif
