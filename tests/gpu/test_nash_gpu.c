/*
 * Games on the GPU: the support scan against the CPU's, in whole and in shares, with and without
 * dominance; equilibria of method eee whose tree a device walks against the CPU's. Without a
 * device all is one case that is skipped, unless GPUBE_REQUIRE_GPU is set.
 */
#include "tests/support/test.h"

#include "gpube/ops/faces/faces.h"
#include "gpube/ops/support/support.h"
#include "gpube/options/options.h"
#include "nash/nash.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"

static const struct gpube_support_ops *ops;

static void opens(void **state)
{
	int status = 0;
	const void *there = gpube__support_cuda(ctx, &status);

	(void)state;
	needs_device(there, status);
}

static bool proposed(const struct gpube_support_scan *s, const struct gpube_support_pair *pair)
{
	for (int64_t k = 0; k < s->n_found; k++)
		if (s->found[k].x == pair->x && s->found[k].y == pair->y)
			return true;
	return false;
}

/* What one backend is sure of, the other has to propose: they round differently. */
static void same_proposals(const struct gpube_support_scan *a, const struct gpube_support_scan *b)
{
	for (int64_t k = 0; k < a->n_found; k++)
		if (a->found[k].answer == GPUBE_SUPPORT_YES)
			assert_true(proposed(b, &a->found[k]));
}

/* Scan number t of k x l payoffs: in shares or not, with dominance or without, with ties. */
static void same_scan(struct gpube_rng *rng, int k, int l, int q, int t)
{
	double c[2][20 * 20];
	struct gpube_support_scan want = {.k = k,
		.l = l,
		.c = {c[0], c[1]},
		.q = q,
		.shares = 1 + t % 3,
		.share = t % 2 ? 0 : t % 3,
		.dominance = t % 2,
		.most_unsure = INT64_MAX};
	struct gpube_support_scan got = want;

	assert_true(k * l <= 20 * 20);
	for (int p = 0; p < 2; p++)
		for (int i = 0; i < k * l; i++)
			c[p][i] = t % 4 == 3 ? (double)gpube__rng_below(rng, 4) / 3
					     : gpube__rng_unit(rng);
	assert_int_equal(gpube__support_cpu()->scan(ctx, &want), 0);
	if (ops->scan(ctx, &got))
		fail_msg("%s", gpube_error(ctx));
	assert_int_equal(got.n_pairs, want.n_pairs);
	same_proposals(&want, &got);
	same_proposals(&got, &want);
	gpube__free(ctx, want.found);
	gpube__free(ctx, got.found);
}

static void scan_of_size(void **state)
{
	const int q = (int)(intptr_t)*state;
	struct gpube_rng rng;

	gpube__rng_init(&rng, (uint64_t)q);
	for (int t = 0; t < 40; t++) {
		const int k = q + (int)gpube__rng_below(&rng, 4);

		same_scan(&rng, k, q + (int)gpube__rng_below(&rng, 4), q, t);
	}
}

/* Supports that differ in up to 10 actions from those of their dictionary. */
static void scan_of_shape(void **state)
{
	static const int shapes[][3] = {{12, 12, 6}, {5, 20, 4}, {20, 5, 4}, {9, 14, 7}, {2, 32, 2},
		{32, 2, 2}, {9, 18, 9}, {10, 20, 10}};
	struct gpube_rng rng;

	(void)state;
	gpube__rng_init(&rng, 3);
	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++)
		for (int t = 0; t < 4; t++)
			same_scan(&rng, shapes[i][0], shapes[i][1], shapes[i][2], t);
}

static struct gpube_nash_result *solve(
	const struct gpube_model *g, enum gpube_nash_method method, enum gpube_backend backend)
{
	const struct gpube_opts o = {.nash_method = method, .backend = backend};
	struct gpube_nash_result *r;

	if (gpube_nash(&r, g, &o))
		fail_msg("%s", gpube_error(ctx));
	return r;
}

static void same_equilibria(void **state)
{
	const enum gpube_nash_method method = (enum gpube_nash_method)(intptr_t)*state;
	static const char *const classes[] = {"random", "random", "covariant", "zero-sum",
		"win-lose", "duplicated", "coordination", "minimum-effort"};

	for (int t = 0; gpube_nash_exact() && t < 80; t++) {
		struct gpube_opts o = {.game = classes[t % 8],
			.rows = 1 + t % 7,
			.columns = 1 + t / 2 % 7,
			.range = 30,
			.seed = t};
		struct gpube_nash_result *want, *got;
		struct gpube_model *g;

		assert_int_equal(gpube_nash_generate(&g, ctx, &o), GPUBE_OK);
		want = solve(g, method, GPUBE_BACKEND_CPU);
		got = solve(g, method, GPUBE_BACKEND_CUDA);
		assert_string_equal(got->backend, "cuda");
		assert_int_equal(got->answer, want->answer);
		if (want->answer == GPUBE_NASH_ANSWER_ALL) {
			assert_int_equal(got->n_pairs, want->n_pairs);
			for (int64_t k = 0; k < got->n_pairs; k++)
				for (int32_t i = 0; i < o.rows; i++)
					assert_string_equal(got->xs[got->pairs[k].x].p[i],
						want->xs[want->pairs[k].x].p[i]);
		}
		gpube_result_free(want);
		gpube_result_free(got);
		gpube_model_free(g);
	}
}

int main(void)
{
	struct cases c = {0};
	int status;

	if (ctx_setup(NULL))
		return 1;
	ops = gpube__support_cuda(ctx, &status);
	ADD_CASE(&c, opens);
	if (ops) {
		for (intptr_t k = 1; k <= 12; k++)
			add_case(&c, scan_of_size, (void *)k, "supports of %d", (int)k);
		ADD_CASE(&c, scan_of_shape);
		add_case(&c, same_equilibria, (void *)(intptr_t)GPUBE_NASH_METHOD_SE,
			"equilibria by se");
		add_case(&c, same_equilibria, (void *)(intptr_t)GPUBE_NASH_METHOD_EEE,
			"equilibria by eee");
	}
	return run_cases(&c, "nash_gpu", NULL, ctx_teardown);
}
