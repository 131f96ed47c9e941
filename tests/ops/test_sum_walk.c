/* The card's walk over panels, executed on the CPU: every output cell is written once, with its sum. */
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>

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
		if (seed % 3 == SUM_FAR_APART) { /* their sums want powers, which a card has none for */
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

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_walks)};

	return cmocka_run_group_tests(tests, ctx_setup_2_threads, ctx_teardown);
}
