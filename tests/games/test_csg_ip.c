/*
 * Methods ip and idp-ip: integer partitions and what covers what; 300 games against all partitions;
 * what they say when they are stopped anywhere; and never more work than idp's, twice.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include <math.h>

#include "csg/ip/ip.h"
#include "tests/support/structures.h"
#include "csg/distributions.h"

static const enum gpube_csg_method both[] = {GPUBE_CSG_IP, GPUBE_CSG_IDP_IP};

/* ---- partitions ------------------------------------------------------------------------------ */

static void partitions(void **state)
{
	static const int64_t numbers[] = {1, 2, 3, 5, 7, 11, 15, 22, 30, 42, 56, 77, 101, 135, 176};
	struct gpube_ctx *ctx;
	struct csg__partitions p;

	(void)state;
	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	for (int n = 1; n <= 40; n++) {
		assert_int_equal(csg__partitions_new(&p, ctx, n), GPUBE_OK);
		assert_true(n > 15 || p.n == numbers[n - 1]);
		assert_true(n < 40 || p.n == 37338);
		for (int64_t i = 0; i < p.n; i++) {
			int sum = 0;

			for (int k = 0; k < p.item[i].n_parts; k++) {
				assert_true(k == 0 || p.item[i].part[k] >= p.item[i].part[k - 1]);
				sum += p.item[i].part[k];
			}
			assert_int_equal(sum, n);
			assert_true(i == 0 || memcmp(p.item[i - 1].part, p.item[i].part,
						      sizeof(p.item[i].part)) < 0);
		}
		csg__partitions_clear(&p, ctx);
	}
	gpube_ctx_free(ctx);
}

/* What a partition is merged to is no finer than it, and reaches it again. */
static void merged_reaches(void **state)
{
	struct gpube_ctx *ctx;
	int n_shorter = 0;

	(void)state;
	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	for (int n = 2; n <= 18; n++) {
		const struct csg__dp d = {.ctx = ctx, .n = n, .idp = true};
		struct csg__partitions p;

		assert_int_equal(csg__partitions_new(&p, ctx, n), GPUBE_OK);
		for (int filled = 2; filled < n && csg__dp_most(&d, filled); filled++)
			for (int64_t i = 0; i < p.n; i++) {
				const int64_t k = csg__partitions_merge(&p, i, &d, filled);

				for (int64_t j = 0; j < p.n; j++)
					p.item[j].done = false;
				csg__partitions_reach(&p, k, &d, filled);
				assert_true(p.item[i].done && p.item[k].done);
				assert_true(p.item[k].n_parts <= p.item[i].n_parts);
				n_shorter += p.item[k].n_parts < p.item[i].n_parts;
				/* no split makes parts fewer */
				assert_true(
					csg__dp_most(&d, filled + 1) > 0 || p.item[k].n_parts <= 2);
				for (int64_t j = 0; j < p.n; j++)
					assert_true(!p.item[j].done || j == k ||
						    p.item[j].n_parts > p.item[k].n_parts);
			}
		csg__partitions_clear(&p, ctx);
	}
	assert_true(n_shorter > 1000);
	gpube_ctx_free(ctx);
}

/* ---- games --------------------------------------------------------------------------------------
 */

/* Of all kinds: even, by size, forbidden ones, losses, many ties. */
static struct gpube_model *draw(struct gpube_ctx *ctx, uint64_t seed, int n)
{
	const enum gpube_type type = (enum gpube_type)(GPUBE_INT16 + seed % 5);
	const int kind = (int)(seed / 5 % 5);
	struct gpube_rng rng;
	struct gpube_model *g;

	gpube__rng_init(&rng, seed);
	assert_int_equal(gpube_coalitions_new(&g, ctx, n, type), GPUBE_OK);
	for (uint64_t c = 1; c >> n == 0; c++) {
		const int k = __builtin_popcountll(c);
		double v = (double)gpube__rng_below(&rng, 1000);

		if (kind == 1)
			v = k * 100.0 + (double)gpube__rng_below(&rng, 40);
		else if (kind == 2 && gpube__rng_below(&rng, 2))
			v = -INFINITY;
		else if (kind == 3)
			v -= 990 - 10 * k * k;
		else if (kind == 4)
			v = (double)gpube__rng_below(&rng, 1 + (uint64_t)k / 3);
		put_scaled(g, c, v);
	}
	return g;
}

static void against_brute_force(void **state)
{
	struct gpube_ctx *ctx;
	int n_infeasible = 0;

	(void)state;
	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	for (uint64_t seed = 0; seed < 300; seed++) {
		struct gpube_model *g = draw(ctx, seed, 1 + (int)(seed % 9));
		const bool disposal = seed % 7 == 0;
		const double best =
			best_partition(g, ((uint64_t)1 << gpube_model_n_vars(g)) - 1, disposal);

		for (int m = 0; m < 2; m++) {
			struct gpube_opts o = {.csg_method = both[m], .free_disposal = disposal};
			struct gpube_csg_result *r;

			assert_int_equal(gpube_csg(&r, g, &o), GPUBE_OK);
			assert_int_equal(r->method, both[m]);
			if (best == -INFINITY) {
				assert_int_equal(r->answer, GPUBE_CSG_INFEASIBLE);
				n_infeasible++;
			} else {
				assert_int_equal(r->answer, GPUBE_CSG_OPTIMAL);
				check_structure(g, r, disposal);
				assert_true(fabs(best - r->value) <= r->error + 1e-12 * fabs(best));
			}
			gpube_result_free(r);
		}
		gpube_model_free(g);
	}
	assert_true(n_infeasible > 0);
	gpube_ctx_free(ctx);
}

/* ---- stops ------------------------------------------------------------------------------------
 */

struct stopper {
	struct gpube_ctx *ctx;
	int left; /* calls until it stops */
};

static void stop_there(void *arg, enum gpube_log_level level, double progress, const char *text)
{
	struct stopper *s = arg;

	(void)level;
	(void)progress;
	(void)text;
	if (s->left-- == 0)
		gpube_ctx_stop(s->ctx);
}

/* Wherever it is stopped: a structure, and bounds around the optimum, which come closer. */
static void anytime(void **state)
{
	int n_open = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 25; seed++)
		for (int m = 0; m < 2; m++) {
			double gap = INFINITY, best = -INFINITY;

			for (int at = 0;; at++) {
				struct stopper s = {.left = at};
				const struct gpube_opts c = {
					.n_threads = 1, .log = stop_there, .log_arg = &s};
				struct gpube_opts o = {.csg_method = both[m]};
				struct gpube_csg_result *r;
				struct gpube_model *g;
				bool ended;

				assert_int_equal(gpube_ctx_new(&s.ctx, &c), GPUBE_OK);
				g = draw(s.ctx, seed, 9);
				if (at == 0)
					best = best_partition(g,
						((uint64_t)1 << gpube_model_n_vars(g)) - 1, false);
				assert_int_equal(gpube_csg(&r, g, &o), GPUBE_OK);
				ended = r->answer != GPUBE_CSG_BOUNDS &&
					r->answer != GPUBE_CSG_INCOMPLETE;
				assert_true(r->upper_bound >= best - 1e-9 * fabs(best));
				assert_true(r->value <= best + 1e-9 * fabs(best));
				if (r->n_parts)
					check_structure(g, r, false);
				assert_true(r->upper_bound <= gap + 1e-9 * fabs(gap) + r->error);
				gap = r->upper_bound;
				n_open += !ended;
				gpube_result_free(r);
				gpube_model_free(g);
				gpube_ctx_free(s.ctx);
				if (ended)
					break;
			}
		}
	assert_true(n_open > 100);
}

/* ---- work --------------------------------------------------------------------------------------
 */

/* Bounds by size say nothing where one agent makes a coalition of any size worth the most. */
static struct gpube_model *one_agent(struct gpube_ctx *ctx, int n)
{
	struct gpube_model *g;

	assert_int_equal(gpube_coalitions_new(&g, ctx, n, GPUBE_INT32), GPUBE_OK);
	for (uint64_t c = 1; c >> n == 0; c++)
		((int32_t *)gpube_coalitions_values(g))[c] =
			c & 1 ? 1000 : __builtin_popcountll(c) % 3;
	return g;
}

/* In the worst of games idp-ip looks at as many coalitions as idp adds splits, and some. */
static void twice_idp(void **state)
{
	const int n = 12;
	struct gpube_ctx *ctx;
	int k = 0;

	(void)state;
	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	do {
		struct gpube_opts o = {.csg_method = GPUBE_CSG_IDP_IP};
		struct gpube_csg_result *r, *other;
		struct gpube_model *g;

		if (csg__distribution(k))
			assert_int_equal(
				csg__generate(&g, ctx, csg__distribution(k), n, GPUBE_INT32, 3),
				GPUBE_OK);
		else
			g = one_agent(ctx, n);
		assert_int_equal(gpube_csg(&r, g, &o), GPUBE_OK);
		assert_true(r->splits <= csg__splits(GPUBE_CSG_IDP, n));
		assert_true(csg__distribution(k) || r->splits > csg__splits(GPUBE_CSG_IDP, n) / 2);
		/* besides: structures of two coalitions at first and at last, one round of the loop
		 */
		assert_true((double)r->n_nodes <= r->splits + 2 * ldexp(1, n - 1) + n);
		o.method = csg__distribution(k) ? GPUBE_CSG_LP : GPUBE_CSG_CONV;
		assert_int_equal(gpube_csg(&other, g, &o), GPUBE_OK);
		assert_int_equal(other->answer, GPUBE_CSG_OPTIMAL);
		assert_true(other->value_int == r->value_int);
		gpube_result_free(other);
		gpube_result_free(r);
		gpube_model_free(g);
	} while (csg__distribution(k++));
	gpube_ctx_free(ctx);
}

/* Each allocation fails once. */
static void failures(void **state)
{
	(void)state;
	for (int m = 0; m < 2; m++)
		solve_scarcely(NULL, both[m]);
}

/* Tables that are not allowed are refused before they are taken. */
static void little_memory(void **state)
{
	struct gpube_ctx *ctx;
	struct gpube_model *g;

	(void)state;
	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	g = draw(ctx, 6, 14);              /* int32, worked on in int16 */
	ctx->memory_bytes = (4 + 2) << 14; /* idp-ip has two tables */
	for (int m = 0; m < 2; m++) {
		struct gpube_opts o = {.csg_method = both[m]};
		struct gpube_csg_result *r;
		int status = gpube_csg(&r, g, &o);

		assert_int_equal(status, m ? GPUBE_ELIMIT : GPUBE_OK);
		gpube_result_free(r);
	}
	gpube_model_free(g);
	gpube_ctx_free(ctx);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(partitions),
		cmocka_unit_test(merged_reaches),
		cmocka_unit_test(against_brute_force),
		cmocka_unit_test(anytime),
		cmocka_unit_test(twice_idp),
		cmocka_unit_test(failures),
		cmocka_unit_test(little_memory),
	};

	return cmocka_run_group_tests_name("csg_ip", tests, NULL, NULL);
}
