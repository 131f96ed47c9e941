/*
 * The card's panels and tiles, executed on the CPU: every output cell is written once, with its
 * sum.
 */
#include "tests/support/test.h"
#include "tests/support/reference/reference.h"

#include <math.h>
#include <stdlib.h>

#include "gpube/ops/sum/sum_tile.h"
#include "tests/ops/emulate_walk.h"
#include "tests/ops/sum_shapes.h"

static void test_walks(void **state)
{
	int n_parts = 0, n_cut = 0, n_sums = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 400; seed++) {
		const int64_t most = seed % 4 == 0 ? 1 << 18 : 0;
		struct gpube__walk_plan p;
		struct sum_shape s;

		sum_shape_draw(&s, seed, most);
		s.job.n_out = 1;
		/* their sums want powers, which a card has none for */
		if (seed % 3 == SUM_FAR_APART) {
			for (int k = 0; k < s.job.n_in; k++)
				gpube__free(ctx, s.tables[k].powers);
			for (int k = 0; k < s.job.n_in; k++) {
				s.tables[k].powers = NULL;
				for (int64_t i = 0; i < s.tables[k].n; i++)
					s.tables[k].cells[i] = (double)(1 + i % 7) / 8;
			}
		}
		for (int blocks = 1; blocks < 2000; blocks *= 37) {
			const double *in[SUM_MOST_TABLES];
			double roundings, *out = poisoned(s.out[0].table->n);

			for (int k = 0; k < s.job.n_in; k++)
				in[k] = s.in[k].table->cells;
			gpube__walk_plan(&p, &s.job, blocks);
			n_parts += p.parts > 1;
			n_cut += p.walk.cut >= 0;
			n_sums += p.walk.sums > 1;
			emulate_walk(&s.job, in, out, 1, blocks, &roundings);
			if (blocks == 1)
				assert_int_equal(gpube__sum_product_ref(ctx, &s.job), GPUBE_OK);
			for (int64_t i = 0; i < s.out[0].table->n; i++) {
				const struct gpube_wide v = gpube__sum_cell_here(s.out[0].table, i);

				/* emulated sums are added one after the other */
				assert_true(sum_difference(gpube__wide(out[i], 0), v) <= 1e-9);
			}
			assert_true(roundings >= s.job.n_in);
			free(out);
		}
		sum_shape_clear(&s);
	}
	/* the cases are there */
	assert_true(n_parts > 20);
	assert_true(n_cut > 20);
	assert_true(n_sums > 100);
}

/* ---- tiles --------------------------------------------------------------------------- */

/* A job whose axes are rows, columns, terms and pairs, in any order. */
static void tile_shape(struct sum_shape *s, struct gpube_rng *rng)
{
	int kinds[] = {5, 5, 5, 6, 6, 6, 3, 3, 7}; /* as bits: first operand, second, output */
	uint64_t masks[3] = {0};

	memset(s, 0, sizeof(*s));
	s->job.in = s->in;
	s->job.out = s->out;
	s->job.n_in = 2;
	s->job.n_out = 1;
	s->job.n_axes = 9;
	for (int a = 8; a > 0; a--) {
		const int other = (int)gpube__rng_below(rng, (uint64_t)a + 1), k = kinds[a];

		kinds[a] = kinds[other];
		kinds[other] = k;
	}
	for (int a = 0; a < 9; a++) {
		const int kind = kinds[a];

		s->job.dim[a] = kind == 7 ? 2 : 4 + (int64_t)gpube__rng_below(rng, 3);
		for (int o = 0; o < 3; o++)
			masks[o] |= (uint64_t)(kind >> o & 1) << a;
	}
	for (int o = 0; o < 3; o++) {
		struct gpube_sum_table *t = &s->tables[o];

		sum_lay(s, o < 2 ? &s->in[o] : &s->out[0], t, masks[o]);
		for (int64_t i = 0; i < t->n && o < 2; i++)
			t->cells[i] = gpube__rng_unit(rng);
		if (o < 2)
			assert_int_equal(gpube__sum_settle(ctx, t), GPUBE_OK);
	}
}

/* All blocks' sums, term by term; each cell is written once. */
static void emulate_tiles(const struct gpube__product *t)
{
	const struct gpube__tile_group *rows = &t->group[GPUBE_TILE_ROW],
				       *columns = &t->group[GPUBE_TILE_COLUMN];
	const struct gpube__tile_group *terms = &t->group[GPUBE_TILE_TERM],
				       *pairs = &t->group[GPUBE_TILE_PAIR];

	for (int64_t b = 0; b < gpube__tile_blocks(t); b++) {
		const struct gpube__tile_place p = gpube__tile_place(t, b);

		for (int64_t r = p.row; r < p.row + GPUBE_TILE_SIDE && r < rows->size; r++)
			for (int64_t c = p.column;
				c < p.column + GPUBE_TILE_SIDE && c < columns->size; c++) {
				double *out = t->out + gpube__tile_at(pairs, p.pair, 2) +
					      gpube__tile_at(rows, r, 2) +
					      gpube__tile_at(columns, c, 2);
				double sum = 0;

				assert_true(isnan(*out));
				for (int64_t k = 0; k < terms->size; k++)
					sum += t->in[0][gpube__tile_at(pairs, p.pair, 0) +
							gpube__tile_at(rows, r, 0) +
							gpube__tile_at(terms, k, 0)] *
					       t->in[1][gpube__tile_at(pairs, p.pair, 1) +
							gpube__tile_at(columns, c, 1) +
							gpube__tile_at(terms, k, 1)];
				*out = sum;
			}
	}
}

static void test_tiles(void **state)
{
	struct gpube_rng rng;
	int n_tiled = 0;

	(void)state;
	gpube__rng_init(&rng, 9);
	for (int i = 0; i < 60; i++) {
		struct gpube__product t;
		struct sum_shape s;
		int first;

		tile_shape(&s, &rng);
		if (gpube__tile_plan(&t, &first, &s.job, 1)) {
			double *out = poisoned(s.out[0].table->n);

			n_tiled++;
			t.in[0] = s.in[first].table->cells;
			t.in[1] = s.in[!first].table->cells;
			t.out = out;
			emulate_tiles(&t);
			assert_int_equal(gpube__sum_product_ref(ctx, &s.job), GPUBE_OK);
			for (int64_t k = 0; k < s.out[0].table->n; k++)
				assert_true(
					sum_difference(gpube__wide(out[k], 0),
						gpube__sum_cell_here(s.out[0].table, k)) < 1e-13);
			free(out);
		}
		sum_shape_clear(&s);
	}
	assert_true(n_tiled > 10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_walks), cmocka_unit_test(test_tiles)};

	return cmocka_run_group_tests(tests, ctx_setup_2_threads, ctx_teardown);
}
