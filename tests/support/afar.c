/* afar.c - see afar.h. */
#include "tests/support/afar.h"

#include <math.h>

#include "tests/support/test.h"

void afar_init(struct afar *a, const char *text, enum gpube_type type, int64_t size)
{
	assert_null(shape_parse(&a->shape, text, GPUBE_MIN_PLUS, type));
	for (int d = 0; d < a->shape.c.n_dims; d++)
		if (a->shape.sizes[d] == 2)
			a->shape.sizes[d] = size;
	a->shape.c.cut = a->shape.c.threshold = 1 << 28;
	gpube__shape_init(&a->s, &a->shape.c, a->stride, 0);
	a->shape.out_cells = a->s.n_out_cells;
}

void afar_free(struct afar *a)
{
	shape_free(&a->shape);
}

double afar_cell(int k, int64_t at)
{
	const uint64_t hash = ((uint64_t)at + 1) * 0x9e3779b97f4a7c15u + (uint64_t)k * 1000003;

	return (double)((hash ^ hash >> 29) % 1009);
}

double afar_expected(const struct afar *a, int64_t at)
{
	const struct gpube__shape *s = &a->s;
	const int n_reduced = s->n_dims - s->n_out;
	double best = INFINITY;

	for (int64_t x = 0; x < s->n_reduced; x++) {
		double sum = 0;

		for (int k = 0; k < s->n_in; k++) {
			const int64_t *stride = s->stride + k * s->ld;

			sum += afar_cell(k,
				gpube__offset(at, s->n_out, s->size, stride) +
					gpube__offset(x, n_reduced, s->size + s->n_out,
						stride + s->n_out));
		}
		best = fmin(best, sum);
	}
	return best;
}
