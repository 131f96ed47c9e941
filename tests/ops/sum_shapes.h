/* sum_shapes.h - random jobs of sums of products: shapes, zeros, magnitudes. */
#ifndef GPUBE_TESTS_SUM_SHAPES_H
#define GPUBE_TESTS_SUM_SHAPES_H

#include <math.h>

#include "gpube/ops/sum/sum.h"
#include "tests/support/context.h"
#include "tests/support/test.h"

enum { SUM_MOST_TABLES = 6 };

struct sum_shape {
	struct gpube_sum_job job;
	struct gpube_sum_operand in[SUM_MOST_TABLES], out[SUM_MOST_TABLES];
	struct gpube_sum_table tables[2 * SUM_MOST_TABLES];
};

/* What cells are like. */
enum sum_cells { SUM_ORDINARY, SUM_ZEROS, SUM_FAR_APART, SUM_N_CELLS };

static inline double sum_draw(struct gpube_rng *rng, enum sum_cells cells)
{
	const double v = gpube__rng_unit(rng) + 0x1p-60;

	if (cells == SUM_ZEROS && gpube__rng_below(rng, 2))
		return 0;
	return cells == SUM_FAR_APART ? ldexp(v, (int)gpube__rng_below(rng, 1800) - 900) : v;
}

/* A table over the axes of 'mask', row-major. */
static inline void sum_lay(
	struct sum_shape *s, struct gpube_sum_operand *o, struct gpube_sum_table *t, uint64_t mask)
{
	int64_t n = 1;

	memset(o, 0, sizeof(*o));
	o->table = t;
	for (int a = s->job.n_axes - 1; a >= 0; a--) {
		if (!(mask >> a & 1))
			continue;
		o->stride[a] = n;
		n *= s->job.dim[a];
	}
	assert_int_equal(gpube__sum_table_new(ctx, t, n), GPUBE_OK);
}

/*
 * A job of about 'most' cells (0: a small one), its inputs settled; 'seed' says what they are like,
 * too. With 'most' a fifth of the jobs has axes of thousands of values.
 */
static inline void sum_shape_draw(struct sum_shape *s, uint64_t seed, int64_t most)
{
	const enum sum_cells cells = (enum sum_cells)(seed % SUM_N_CELLS);
	struct gpube_rng rng;
	int64_t room = most ? most : 1 << (4 + seed % 12);
	const uint64_t dims = most && seed % 5 == 0 ? 3000 : seed % 7 ? 4 : 40;

	gpube__rng_init(&rng, seed);
	memset(s, 0, sizeof(*s));
	while (s->job.n_axes < (most ? 24 : 14) && room > 1) {
		int64_t dim = 2 + (int64_t)gpube__rng_below(&rng,
					  most && (uint64_t)room < dims ? (uint64_t)room : dims);

		s->job.dim[s->job.n_axes++] = dim;
		room /= dim;
	}
	s->job.in = s->in;
	s->job.out = s->out;
	s->job.n_in = (int)gpube__rng_below(&rng, SUM_MOST_TABLES);
	s->job.n_out = 1 + (int)gpube__rng_below(&rng, 3);
	for (int k = 0; k < s->job.n_in; k++) {
		struct gpube_sum_table *t = &s->tables[k];

		sum_lay(s, &s->in[k], t, gpube__rng_next(&rng) | gpube__rng_next(&rng));
		for (int64_t i = 0; i < t->n; i++)
			t->cells[i] = sum_draw(&rng, cells);
		t->power = (int64_t)gpube__rng_below(&rng, 40000) - 20000;
		assert_int_equal(gpube__sum_settle(ctx, t), GPUBE_OK);
	}
	for (int j = 0; j < s->job.n_out; j++)
		sum_lay(s, &s->out[j], &s->tables[SUM_MOST_TABLES + j],
			gpube__rng_next(&rng) | (j ? 0 : gpube__rng_next(&rng)));
}

static inline void sum_shape_clear(struct sum_shape *s)
{
	for (int k = 0; k < 2 * SUM_MOST_TABLES; k++)
		gpube__sum_table_clear(ctx, &s->tables[k]);
}

/* The relative difference of two numbers of any magnitude; 0 is equal to nothing else. */
static inline double sum_difference(struct gpube_wide a, struct gpube_wide b)
{
	if (a.m == 0 || b.m == 0)
		return a.m == b.m ? 0 : INFINITY;
	if (a.e - b.e > 2 || b.e - a.e > 2)
		return INFINITY;
	return fabs(ldexp(a.m, (int)(a.e - b.e)) - b.m) / b.m;
}

#endif
