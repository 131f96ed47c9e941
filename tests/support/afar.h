/*
 * afar.h - contractions whose tables are too large to be stored: every cell's value follows from
 * its place, so that a plan's arithmetic is tested past 2^32 cells, a block here and there.
 */
#ifndef GPUBE_TESTS_AFAR_H
#define GPUBE_TESTS_AFAR_H

#include "gpube/ops/index.h"
#include "tests/support/shapes.h"

struct afar {
	struct shape shape;
	struct gpube__shape s;
	int64_t stride[16 * GPUBE_MAX_DIMS];
};

/* From a text for shape_parse() with small sizes, of which each 2 then is 'size'. */
void afar_init(struct afar *a, const char *text, enum gpube_type type, int64_t size);
void afar_free(struct afar *a);

/* Cell 'at' of operand k. */
double afar_cell(int k, int64_t at);

/* Output cell 'at', by (min,+). */
double afar_expected(const struct afar *a, int64_t at);

#endif
