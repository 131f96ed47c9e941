/* Marginals of what nothing observed follows, in networks that are too wide to be summed. */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include <math.h>

#include "gpube/base/base.h"
#include "gpube/sums.h"
#include "tests/support/context.h"

enum { N_ROOTS = 48, N_LEAVES = 300 };

/*
 * Independent roots, and leaves of three of them each: together of any width, each leaf alone of
 * none.
 */
struct two_layers {
	double root[N_ROOTS], leaf[N_LEAVES][8]; /* of value 1; a leaf's by its parents' values */
	int32_t parent[N_LEAVES][3];
	int32_t seen, value; /* an observed leaf, or -1 */
};

static struct gpube_model *two_layers(struct two_layers *t, struct gpube_rng *rng)
{
	struct gpube_model *m;

	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_POTENTIALS), GPUBE_OK);
	for (int i = 0; i < N_ROOTS + N_LEAVES; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), GPUBE_OK);
	for (int32_t i = 0; i < N_ROOTS; i++) {
		t->root[i] = gpube__rng_unit(rng);
		assert_int_equal(gpube_model_add_potentials(
					 m, 1, &i, (const double[]){1 - t->root[i], t->root[i]}),
			GPUBE_OK);
	}
	for (int32_t i = 0; i < N_LEAVES; i++) {
		int32_t scope[4] = {0, 0, 0, N_ROOTS + i};
		double cells[16];

		for (int32_t k = 0, first = 0; k < 3; first = scope[k++] + 1)
			t->parent[i][k] = scope[k] =
				first +
				(int32_t)gpube__rng_below(rng, (uint64_t)(N_ROOTS - first - 2 + k));
		for (int k = 0; k < 8; k++) {
			t->leaf[i][k] = gpube__rng_below(rng, 5) ? gpube__rng_unit(rng) : 0;
			cells[2 * k] = 1 - t->leaf[i][k];
			cells[2 * k + 1] = t->leaf[i][k];
		}
		assert_int_equal(gpube_model_add_potentials(m, 4, scope, cells), GPUBE_OK);
	}
	if (t->seen >= 0)
		assert_int_equal(gpube_model_observe(m, N_ROOTS + t->seen, t->value), GPUBE_OK);
	return m;
}

/*
 * The weights of a leaf's values beside what is observed, over its parents and those of the
 * observed one; and of its first parent's.
 */
static void weigh_leaf(double *leaf, double *root, const struct two_layers *t, int32_t i)
{
	leaf[0] = leaf[1] = root[0] = root[1] = 0;
	for (int at = 0; at < 64; at++) {
		const int32_t seen = t->seen;
		double p = 1;
		int other = 0;
		bool same = true;

		for (int k = 0; k < 3; k++)
			p *= at >> (2 - k) & 1 ? t->root[t->parent[i][k]]
					       : 1 - t->root[t->parent[i][k]];
		for (int k = 0; k < 3 && seen >= 0; k++) {
			const int32_t r = t->parent[seen][k];
			int value = at >> (5 - k) & 1, mine = -1;

			for (int l = 0; l < 3; l++)
				mine = t->parent[i][l] == r ? at >> (2 - l) & 1 : mine;
			same = same && (mine < 0 || mine == value);
			p *= mine >= 0 ? 1 : value ? t->root[r] : 1 - t->root[r];
			other = 2 * other + value;
		}
		if (!same || (seen < 0 && at >= 8))
			continue;
		if (seen >= 0)
			p *= t->value ? t->leaf[seen][other] : 1 - t->leaf[seen][other];
		root[at >> 2 & 1] += p;
		if (i == seen)
			leaf[t->value] += p;
		else
			leaf[1] += p * t->leaf[i][at & 7], leaf[0] += p * (1 - t->leaf[i][at & 7]);
	}
}

/* Marginals of what nothing observed follows come from what they need, whatever else there is. */
static void test_ancestral(void **state)
{
	struct two_layers *t = gpube__alloc_zero(ctx, 1, sizeof(*t));
	const struct gpube_opts opts = {.task = GPUBE_INFER_MAR};
	struct gpube_rng rng;

	(void)state;
	assert_non_null(t);
	gpube__rng_init(&rng, 4);
	for (int k = 0; k < 6; k++) {
		struct gpube_inference *out;
		struct gpube_model *m;

		t->seen = k % 2 ? k * 40 : -1;
		t->value = k > 3;
		m = two_layers(t, &rng);
		assert_int_equal(gpube_infer(&out, m, &opts), GPUBE_OK);
		assert_true(out->known);
		assert_true(out->plan.joined_cells < 1e5);
		assert_true(out->relative_error < 1e-11);
		for (int32_t i = 0; i < N_LEAVES; i++) {
			const double *p = out->marginals + 2 * (ptrdiff_t)(N_ROOTS + i),
				     *q = out->marginals + 2 * (ptrdiff_t)t->parent[i][0];
			double leaf[2], root[2], z;

			weigh_leaf(leaf, root, t, i);
			z = root[0] + root[1];
			assert_true(fabs(p[1] - leaf[1] / z) < 1e-12);
			assert_true(fabs(p[0] + p[1] - 1) < 1e-12);
			assert_true(fabs(q[1] - root[1] / z) < 1e-12);
			assert_true(fabs(out->log10_z - log10(z)) < 1e-12);
		}
		gpube_result_free(out);
		gpube_model_free(m);
	}
	gpube__free(ctx, t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ancestral),
	};

	return cmocka_run_group_tests(tests, ctx_setup_2_threads, ctx_teardown);
}
