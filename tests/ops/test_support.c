/*
 * The support scan: each size's function against elimination with full pivoting, whole scans
 * against the specification, shares of it, dominance, and what it refuses.
 */
#include "tests/support/test.h"
#include "tests/support/reference/reference.h"
#include "gpube/options/options.h"

#include <stdlib.h>

#include "gpube/ops/support/support_dict.h"

#define SAMPLES 3000

static struct gpube_ctx *ctx;

static uint64_t random_set(struct gpube_rng *rng, int n, int q)
{
	uint64_t set = 0;

	while (__builtin_popcountll(set) < q)
		set |= (uint64_t)1 << gpube__rng_below(rng, (uint64_t)n);
	return set;
}

static void fill(struct gpube_rng *rng, double *c, int n)
{
	for (int i = 0; i < n; i++)
		c[i] = gpube__rng_unit(rng);
}

/* Makes payoffs for which the strategy 'x' on the support is indifferent, so that many answers
 * are yes: other actions are worth less by 'margin'. */
static void plant(struct gpube_rng *rng, double *c, int k, int l, uint64_t own, uint64_t other)
{
	double x[GPUBE_SUPPORT_ACTIONS], sum = 0;

	for (int i = 0; i < k; i++) {
		x[i] = own >> i & 1 ? 0.1 + gpube__rng_unit(rng) : 0;
		sum += x[i];
	}
	for (int j = 0; j < l; j++) {
		const double aim = other >> j & 1 ? 0.5 : 0.5 * gpube__rng_unit(rng);
		double v = 0;

		for (int i = 0; i < k; i++)
			v += c[j * k + i] * x[i] / sum;
		for (int i = 0; i < k; i++)
			c[j * k + i] += aim - v;
	}
}

/*
 * The strategy on 'own' that makes the other player indifferent on 'other', from a dictionary: of
 * side 0 that of own, of side 1 that of other.
 */
static int by_dictionary(const double *c, int k, int l, uint64_t own, uint64_t other, int side)
{
	const int q = __builtin_popcountll(own), k1 = side ? l : k, l2 = side ? k : l;
	const uint64_t s = side ? other : own, t = side ? own : other;
	unsigned char labels[2][GPUBE_SUPPORT_ACTIONS + 1];
	double cells[32 * 33], room[32 * 33];
	struct gpube_support_making making = {.d = room, .row = labels[0], .column = labels[1]};
	struct gpube_support_dict d;
	int n;

	assert_true(gpube__support_dict_cells(k1, l2, q, side) <= 32 * 33);
	assert_true(gpube__support_dict_room(k1, l2, q) <= 32 * 33);
	gpube__support_dict(&d, cells, &making, c, k, k1, q, side, s, ((uint64_t)1 << l2) - 1);
	n = __builtin_popcountll(gpube__support_zero(&d, side, t));
	assert_int_equal(n, __builtin_popcountll(gpube__support_freed(&d, side, t)));
	/* a lane whose neighbours have more exchanges fills its system up */
	if (n < GPUBE_SUPPORT_FIXED)
		assert_int_equal(gpube__support_swap(&d, side, t, n),
			gpube__support_swap(&d, side, t, n + 1));
	return gpube__support_swap(&d, side, t, n);
}

static void side_of_size(void **state)
{
	const int q = (int)(intptr_t)*state;
	double c[29 * 29];
	struct gpube_rng rng;
	int yes = 0, unsure = 0;

	gpube__rng_init(&rng, (uint64_t)q);
	for (int t = 0; t < SAMPLES; t++) {
		const int k = q + (int)gpube__rng_below(&rng, 13);
		const int l = q + (int)gpube__rng_below(&rng, 13);
		const uint64_t own = random_set(&rng, k, q), other = random_set(&rng, l, q);
		int want;

		fill(&rng, c, k * l);
		if (t % 2)
			plant(&rng, c, k, l, own, other);
		want = (int)gpube__support_side_reference(c, k, l, own, other);
		for (int side = 0; side < 2; side++) {
			const int got = by_dictionary(c, k, l, own, other, side);

			/* what one calls unsure the other may call anything */
			if (want != GPUBE_SUPPORT_UNSURE && got != GPUBE_SUPPORT_UNSURE)
				assert_int_equal(got, want);
			yes += got == GPUBE_SUPPORT_YES;
			unsure += got == GPUBE_SUPPORT_UNSURE;
		}
	}
	assert_true(yes > 2 * SAMPLES / 3);
	assert_true(unsure < SAMPLES / 100);
}

/* Integer payoffs in a small range: ties and singular systems. */
static void small_payoffs(struct gpube_rng *rng, double *c, int n)
{
	for (int i = 0; i < n; i++)
		c[i] = (double)gpube__rng_below(rng, 4) / 3;
}

static bool proposed(const struct gpube_support_scan *s, const struct gpube_support_pair *pair)
{
	for (int64_t k = 0; k < s->n_found; k++)
		if (s->found[k].x == pair->x && s->found[k].y == pair->y)
			return true;
	return false;
}

/* Every pair that the specification is sure of must be proposed, and no pair that it rejects. */
static void scans(void **state)
{
	const int small = (int)(intptr_t)*state;
	struct gpube_rng rng;

	gpube__rng_init(&rng, 7);
	for (int t = 0; t < 60; t++) {
		double c[2][64];
		const int k = 1 + (int)gpube__rng_below(&rng, 6);
		const int l = 1 + (int)gpube__rng_below(&rng, 6);

		for (int p = 0; p < 2; p++)
			(small ? small_payoffs : fill)(&rng, c[p], k * l);
		for (int q = 1; q <= k && q <= l; q++) {
			struct gpube_support_scan want = {.k = k,
				.l = l,
				.c = {c[0], c[1]},
				.q = q,
				.shares = 1,
				.most_unsure = INT64_MAX};
			struct gpube_support_scan got = want, sum = want;

			got.dominance = true;
			assert_int_equal(gpube__support_reference(ctx, &want), 0);
			assert_int_equal(gpube__support_cpu()->scan(ctx, &got), 0);
			assert_int_equal(got.n_pairs, want.n_pairs);
			for (int64_t i = 0; i < want.n_found; i++)
				if (want.found[i].answer == GPUBE_SUPPORT_YES)
					assert_true(proposed(&got, &want.found[i]));
			for (int64_t i = 0; i < got.n_found; i++)
				assert_true(proposed(&want, &got.found[i]) ||
					    got.found[i].answer == GPUBE_SUPPORT_UNSURE);
			/* three shares are the whole */
			sum.shares = 3;
			for (; sum.share < 3; sum.share++)
				assert_int_equal(gpube__support_cpu()->scan(ctx, &sum), 0);
			assert_int_equal(sum.n_pairs, want.n_pairs);
			for (int64_t i = 0; i < got.n_found; i++)
				assert_true(proposed(&sum, &got.found[i]));
			gpube__free(ctx, want.found);
			gpube__free(ctx, got.found);
			gpube__free(ctx, sum.found);
		}
	}
}

/* All payoffs alike: every pair is unsure from size 2 on, and no more are kept than asked for. */
static void all_alike(void **state)
{
	double c[36] = {0};
	struct gpube_support_scan s = {
		.k = 6, .l = 6, .c = {c, c}, .q = 3, .shares = 1, .most_unsure = 10};

	(void)state;
	assert_int_equal(gpube__support_cpu()->scan(ctx, &s), 0);
	assert_int_equal(s.n_pairs, 400);
	assert_int_equal(s.n_unsure, 400);
	assert_int_equal(s.n_found, 10);
	gpube__free(ctx, s.found);
}

static void refused(void **state)
{
	double c[4] = {0};
	const struct gpube_support_scan bad[] = {
		{.k = 2, .l = 2, .q = 0, .shares = 1},
		{.k = 2, .l = 2, .q = 3, .shares = 1},
		{.k = 2, .l = 2, .q = 1, .shares = 0},
		{.k = 2, .l = 2, .q = 1, .shares = 2, .share = 2},
		{.k = 65, .l = 65, .q = 1, .shares = 1},
	};

	(void)state;
	for (size_t k = 0; k < sizeof(bad) / sizeof(*bad); k++) {
		struct gpube_support_scan s = bad[k];

		s.c[0] = s.c[1] = c;
		assert_int_equal(gpube__support_cpu()->scan(ctx, &s), GPUBE_EINVAL);
	}
	/* 64 choose 32 sets cannot be listed */
	assert_int_equal(gpube__support_cpu()->scan(ctx,
				 &(struct gpube_support_scan){
					 .k = 64, .l = 64, .c = {c, c}, .q = 32, .shares = 1}),
		GPUBE_ERANGE);
}

/*
 * Sets listed by several threads: every one once, in increasing order, with the actions that no
 * other one dominates.
 */
static void sets(void **state)
{
	static const int sizes[][3] = {
		{1, 1, 1}, {5, 3, 5}, {15, 6, 7}, {15, 6, 8}, {17, 17, 8}, {64, 2, 3}, {64, 1, 1}};
	double c[64 * 64];
	struct gpube_rng rng;

	(void)state;
	gpube__rng_init(&rng, 5);
	for (size_t t = 0; t < sizeof(sizes) / sizeof(*sizes); t++) {
		const int k = sizes[t][0], l = sizes[t][1], q = sizes[t][2];
		struct gpube_support_scan s = {
			.k = k, .l = l, .c = {c, c}, .q = q, .shares = 1, .dominance = true};
		struct gpube_support_sets out;
		double n = 1;

		fill(&rng, c, k * l);
		for (int i = 0; i < q; i++)
			n = n * (k - i) / (i + 1);
		assert_int_equal(gpube__support_sets(&out, ctx, &s, 0), GPUBE_OK);
		assert_true(fabs((double)out.n - n) < 0.5);
		for (int64_t i = 0; i < out.n; i++) {
			assert_int_equal(__builtin_popcountll(out.mask[i]), q);
			assert_true(k == 64 || out.mask[i] >> k == 0);
			assert_true(i == 0 || out.mask[i] > out.mask[i - 1]);
			for (int b = 0; b < l && i % 7 == 0; b++) {
				bool stays = true;

				for (int a = 0; a < l; a++) {
					bool beats = true;

					for (int j = 0; j < k; j++)
						beats = beats &&
							(!(out.mask[i] >> j & 1) ||
								c[a * k + j] > c[b * k + j]);
					stays = stays && !beats;
				}
				assert_int_equal(out.good[i] >> b & 1, stays);
			}
		}
		gpube__support_sets_clear(&out, ctx);
	}
}

int main(void)
{
	static const int sizes[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 17};
	enum { N = sizeof(sizes) / sizeof(*sizes) };
	struct CMUnitTest tests[N + 5] = {{0}};
	static char names[N][32];
	int n = 0, failed;

	if (gpube_ctx_new(&ctx, &(struct gpube_opts){.n_threads = 3}))
		return 1;
	for (; n < N; n++) {
		snprintf(names[n], sizeof(names[n]), "supports of %d", sizes[n]);
		tests[n] = (struct CMUnitTest){.name = names[n],
			.test_func = side_of_size,
			.initial_state = (void *)(intptr_t)sizes[n]};
	}
	tests[n++] = (struct CMUnitTest){.name = "scans, payoffs of any size", .test_func = scans};
	tests[n++] = (struct CMUnitTest){
		.name = "scans, ties", .test_func = scans, .initial_state = (void *)(intptr_t)1};
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(all_alike);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(refused);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(sets);
	failed = _cmocka_run_group_tests("support", tests, (size_t)n, NULL, NULL);
	gpube_ctx_free(ctx);
	return failed;
}
