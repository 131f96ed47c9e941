/*
 * Coalition structures: every method on every type against all partitions
 * (n <= 8), with negative values, ties, forbidden coalitions; all methods against
 * each other on every distribution; limits, disposal, failures. Files: test_csg_files.c.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include <math.h>

#include "csg/csg.h"
#include "csg/view.h"
#include "tests/support/structures.h"
#include "csg/distributions.h"

enum kind { PLAIN, NEGATIVE, TIES, FORBIDDEN, EQUAL, SUB, SUPER, N_KINDS };
static const char *const kind_names[] = {
	"plain", "negative", "ties", "forbidden", "equal", "subadditive", "superadditive"};

struct row {
	char name[96];
	int n;
	enum gpube_type type;
	enum kind kind;
	const char *distribution; /* instead of kind */
	bool disposal;
};

static double draw(struct gpube_rng *rng, enum kind kind, uint64_t c)
{
	const int k = __builtin_popcountll(c);
	const double r = (double)gpube__rng_below(rng, 1000);

	switch (kind) {
	case NEGATIVE:
		return r - 700;
	case TIES:
		return (double)gpube__rng_below(rng, 3);
	case FORBIDDEN:
		return gpube__rng_below(rng, 3) ? -INFINITY : r - 300;
	case EQUAL:
		return 7;
	case SUB:
		return 100 * sqrt(k);
	case SUPER:
		return k * k;
	default:
		return r;
	}
}

static struct gpube_model *make(struct gpube_ctx *ctx, const struct row *row)
{
	struct gpube_model *g;
	struct gpube_rng rng;

	if (row->distribution) {
		assert_int_equal(
			draw_game(&g, ctx, row->distribution, row->n, row->type, 7, "memory"), 0);
		return g;
	}
	assert_int_equal(gpube_coalitions_new(&g, ctx, row->n, row->type), 0);
	gpube__rng_init(&rng, (uint64_t)row->n * 100 + (uint64_t)row->kind);
	for (uint64_t c = 1; c < ((uint64_t)1 << gpube_model_n_vars(g)); c++)
		put_scaled(g, c, draw(&rng, row->kind, c));
	return g;
}

static struct gpube_csg_result *solve(
	struct gpube_model *g, enum gpube_csg_method method, bool disposal)
{
	struct gpube_opts opts = {.csg_method = method, .free_disposal = disposal};
	struct gpube_csg_result *r;

	assert_int_equal(gpube_csg(&r, g, &opts), GPUBE_OK);
	return r;
}

static void all_partitions(void **state)
{
	const struct row *row = *state;
	struct gpube_ctx *ctx;
	struct gpube_model *g;
	double best;

	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	g = make(ctx, row);
	best = best_partition(g, ((uint64_t)1 << gpube_model_n_vars(g)) - 1, row->disposal);
	for (int m = GPUBE_CSG_AUTO; m <= GPUBE_CSG_IDP; m++) {
		struct gpube_csg_result *r = solve(g, (enum gpube_csg_method)m, row->disposal);

		if (best == -INFINITY) {
			/* lp proves nothing where there is no structure */
			assert_true(r->answer == GPUBE_CSG_INFEASIBLE ||
				    (m == GPUBE_CSG_LP && r->answer == GPUBE_CSG_INCOMPLETE));
			assert_int_equal(r->n_parts, 0);
		} else {
			assert_int_equal(r->answer, GPUBE_CSG_OPTIMAL);
			check_structure(g, r, row->disposal);
			assert_true(r->is_int == gpube__type_is_int(row->type));
			assert_true(fabs(best - r->value) <= r->error + 1e-12 * fabs(best));
		}
		gpube_result_free(r);
	}
	gpube_model_free(g);
	gpube_ctx_free(ctx);
}

static void methods_agree(void **state)
{
	const struct row *row = *state;
	const bool small = row->n <= 11;
	struct gpube_ctx *ctx;
	struct gpube_model *g;
	struct gpube_csg_result *conv;

	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	g = make(ctx, row);
	conv = solve(g, GPUBE_CSG_CONV, false);
	assert_int_equal(conv->answer, GPUBE_CSG_OPTIMAL);
	check_structure(g, conv, false);
	for (int m = GPUBE_CSG_AUTO; m <= GPUBE_CSG_IDP; m++) {
		struct gpube_csg_result *r;

		if (m == GPUBE_CSG_LP && !small && row->kind == FORBIDDEN)
			continue; /* hard for lp alone */
		r = solve(g, (enum gpube_csg_method)m, false);
		assert_int_equal(r->answer, GPUBE_CSG_OPTIMAL);
		check_structure(g, r, false);
		assert_true(fabs(r->value - conv->value) <= r->error + conv->error);
		gpube_result_free(r);
	}
	gpube_result_free(conv);
	gpube_model_free(g);
	gpube_ctx_free(ctx);
}

/* ---- limits ------------------------------------------------------------------------------- */

static void splits_counted(void **state)
{
	(void)state;
	/* the table of the literature: n = 24 */
	assert_true(fabs(csg__splits(GPUBE_CSG_DP, 24) / 1.412e11 - 1) < 1e-3);
	assert_true(fabs(csg__splits(GPUBE_CSG_IDP, 24) / 5.458e10 - 1) < 1e-3);
	assert_true(fabs(csg__splits(GPUBE_CSG_CONV, 24) / 4.707e10 - 1) < 1e-3);
}

static void refused_values(void **state)
{
	struct gpube_ctx *ctx;
	struct gpube_model *g;
	struct gpube_csg_result *r;

	(void)state;
	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	assert_int_equal(gpube_coalitions_new(&g, ctx, 0, GPUBE_INT16), GPUBE_EINVAL);
	assert_int_equal(gpube_coalitions_new(&g, ctx, 41, GPUBE_INT16), GPUBE_EINVAL);
	assert_null(g);
	assert_int_equal(gpube_coalitions_new(&g, ctx, 3, GPUBE_FLOAT64), GPUBE_OK);
	((double *)gpube_coalitions_values(g))[5] = NAN;
	assert_int_equal(gpube_csg(&r, g, NULL), GPUBE_EINVAL);
	((double *)gpube_coalitions_values(g))[5] = INFINITY;
	assert_int_equal(gpube_csg(&r, g, NULL), GPUBE_EINVAL);
	((double *)gpube_coalitions_values(g))[5] = 0;
	((double *)gpube_coalitions_values(g))[0] = 1;
	assert_int_equal(gpube_csg(&r, g, NULL), GPUBE_EINVAL);
	assert_null(r);
	gpube_model_free(g);
	assert_int_equal(gpube_coalitions_new(&g, ctx, 2, GPUBE_INT64), GPUBE_OK);
	((int64_t *)gpube_coalitions_values(g))[1] = INT64_MAX;
	((int64_t *)gpube_coalitions_values(g))[2] = INT64_MAX;
	assert_int_equal(gpube_csg(&r, g, NULL), GPUBE_ERANGE);
	gpube_model_free(g);
	gpube_ctx_free(ctx);
}

/* Values near the ends of their type: a wider one is worked in. */
static void wide_sums(void **state)
{
	struct gpube_ctx *ctx;
	struct gpube_model *g;

	(void)state;
	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	assert_int_equal(gpube_coalitions_new(&g, ctx, 10, GPUBE_INT16), GPUBE_OK);
	for (uint64_t c = 1; c < 1024; c++)
		((int16_t *)gpube_coalitions_values(g))[c] = c & (c - 1) ? -32767 : 32767;
	for (int m = GPUBE_CSG_AUTO; m <= GPUBE_CSG_IDP; m++) {
		struct gpube_csg_result *r = solve(g, (enum gpube_csg_method)m, false);

		assert_true(r->value_int == 327670);
		assert_int_equal(r->n_parts, 10);
		assert_true(m == GPUBE_CSG_LP || r->work == GPUBE_INT32);
		gpube_result_free(r);
	}
	gpube_model_free(g);
	gpube_ctx_free(ctx);
}

/* The same over all partitions, in 128 bits; forbidden ones are far below any sum. */
static __int128 best_wide(const struct gpube_model *g, uint64_t left)
{
	const uint64_t first = left & -left, rest = left ^ first;
	__int128 best = -((__int128)1 << 100);

	if (!left)
		return 0;
	for (uint64_t y = rest;; y = (y - 1) & rest) {
		const int64_t v = gpube__coalition_value(g, first | y);
		__int128 sum = best_wide(g, rest ^ y);

		sum += v == INT64_MIN ? -((__int128)1 << 80) : v;
		best = sum > best ? sum : best;
		if (!y)
			break;
	}
	return best;
}

/*
 * int64 values of every size up to the greatest: every method is exact, says ERANGE where the
 * structure's value has no room, and no bound is below it.
 */
static void huge_values(void **state)
{
	struct gpube_ctx *ctx;
	int n_solved = 0, n_refused = 0;

	(void)state;
	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	for (uint64_t seed = 0; seed < 300; seed++) {
		const int n = 1 + (int)(seed % 6), bits = 52 + (int)(seed / 6 % 12);
		struct gpube_rng rng;
		struct gpube_model *g;
		__int128 best;

		assert_int_equal(gpube_coalitions_new(&g, ctx, n, GPUBE_INT64), GPUBE_OK);
		gpube__rng_init(&rng, seed);
		for (uint64_t c = 1; c < ((uint64_t)1 << gpube_model_n_vars(g)); c++) {
			int64_t v = (int64_t)(gpube__rng_next(&rng) >> (64 - bits));

			v = gpube__rng_below(&rng, 4) ? v : -v;
			if (seed % 5 == 4 && c & (c - 1) && gpube__rng_below(&rng, 4) == 0)
				v = INT64_MIN;
			((int64_t *)gpube_coalitions_values(g))[c] = v;
		}
		best = best_wide(g, ((uint64_t)1 << gpube_model_n_vars(g)) - 1);
		for (int m = GPUBE_CSG_AUTO; m <= GPUBE_CSG_IDP; m++) {
			struct gpube_opts o = {.csg_method = (enum gpube_csg_method)m};
			struct gpube_csg_result *r;
			int status = gpube_csg(&r, g, &o);

			if (best > INT64_MAX || best < -INT64_MAX) {
				assert_true(status == GPUBE_ERANGE ||
					    (m == GPUBE_CSG_LP && r->answer == GPUBE_CSG_BOUNDS));
				n_refused += m == GPUBE_CSG_AUTO;
			} else {
				assert_int_equal(status, GPUBE_OK);
				assert_true(r->answer == GPUBE_CSG_OPTIMAL ||
					    (m == GPUBE_CSG_LP && r->answer == GPUBE_CSG_BOUNDS));
				assert_true(r->answer == GPUBE_CSG_OPTIMAL ? r->value_int == best
									   : r->value_int <= best);
				n_solved += m == GPUBE_CSG_AUTO;
			}
			if (!status) {
				assert_true(r->upper_int >= best || r->upper_int == INT64_MAX);
				assert_true(r->upper_bound >= (double)best);
				check_structure(g, r, false);
			}
			gpube_result_free(r);
		}
		gpube_model_free(g);
	}
	assert_true(n_solved > 200 && n_refused > 10);
	gpube_ctx_free(ctx);
}

/* Floats whose sums leave the range of float32 but not that of float64. */
static void huge_floats(void **state)
{
	struct gpube_ctx *ctx;

	(void)state;
	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	for (int type = GPUBE_FLOAT32; type <= GPUBE_FLOAT64; type++) {
		const double v = type == GPUBE_FLOAT32 ? (double)3e38f : 8e307;
		struct gpube_model *g;

		assert_int_equal(gpube_coalitions_new(&g, ctx, 3, (enum gpube_type)type), GPUBE_OK);
		for (uint64_t c = 1; c < 8; c++) {
			const double w = c == 1 || c == 6 ? v : -v / 8;

			if (type == GPUBE_FLOAT32)
				((float *)gpube_coalitions_values(g))[c] = (float)w;
			else
				((double *)gpube_coalitions_values(g))[c] = c == 6 ? v : w / 8;
		}
		for (int m = GPUBE_CSG_AUTO; m <= GPUBE_CSG_IDP; m++) {
			struct gpube_csg_result *r = solve(g, (enum gpube_csg_method)m, false);

			assert_true(r->answer == GPUBE_CSG_OPTIMAL || m == GPUBE_CSG_LP);
			assert_true(r->value == (type == GPUBE_FLOAT32 ? 2 * v : v + v / 8));
			assert_true(r->upper_bound >= r->value);
			gpube_result_free(r);
		}
		gpube_model_free(g);
	}
	gpube_ctx_free(ctx);
}

/* A large table of zeros is not made to its end after a stop. */
static void new_is_stopped(void **state)
{
	struct gpube_ctx *ctx;
	struct gpube_model *g;

	(void)state;
	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	gpube_ctx_stop(ctx);
	assert_int_equal(gpube_coalitions_new(&g, ctx, 23, GPUBE_INT64), GPUBE_ESTOP);
	assert_null(g);
	gpube_ctx_resume(ctx);
	assert_int_equal(gpube_coalitions_new(&g, ctx, 23, GPUBE_INT64), GPUBE_OK);
	for (int64_t k = 0; k < 1 << 23; k += 4097)
		assert_true(((int64_t *)gpube_coalitions_values(g))[k] == 0);
	gpube_model_free(g);
	gpube_ctx_free(ctx);
}

static void stops(void **state)
{
	struct gpube_ctx *ctx;
	struct gpube_model *g;

	(void)state;
	for (int m = GPUBE_CSG_AUTO; m <= GPUBE_CSG_IDP; m++) {
		struct gpube_csg_result *r;

		assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
		assert_int_equal(
			draw_game(&g, ctx, "uniform", 14, GPUBE_INT32, 1, "memory"), GPUBE_OK);
		gpube_ctx_stop(ctx);
		r = solve(g, (enum gpube_csg_method)m, false);
		assert_int_equal(r->answer, GPUBE_CSG_BOUNDS);
		check_structure(g, r, false);
		gpube_result_free(r);
		gpube_model_free(g);
		gpube_ctx_free(ctx);
	}
}

/* In the midst of its splits, of which there are 10^11: their seconds are not known. */
static void dp_stops(void **state)
{
	struct gpube_opts o = {
		.csg_method = GPUBE_CSG_DP, .timeout_seconds = 0.05, .backend = GPUBE_BACKEND_CPU};
	const struct gpube_opts one = {.n_threads = 1};
	struct gpube_csg_result *r;
	struct gpube_ctx *ctx;
	struct gpube_model *g;

	(void)state;
	assert_int_equal(gpube_ctx_new(&ctx, &one), GPUBE_OK);
	assert_int_equal(draw_game(&g, ctx, "uniform", 23, GPUBE_INT32, 1, "memory"), GPUBE_OK);
	assert_int_equal(gpube_csg(&r, g, &o), GPUBE_OK);
	assert_int_equal(r->answer, GPUBE_CSG_BOUNDS);
	assert_true(r->seconds_splits <= r->seconds_total);
	check_structure(g, r, false);
	gpube_result_free(r);
	gpube_model_free(g);
	gpube_ctx_free(ctx);
}

/* Layers of converted values in pieces: the same answer; and a refusal that says what it takes. */
static void little_memory(void **state)
{
	static const enum kind kinds[] = {PLAIN, NEGATIVE, FORBIDDEN};

	(void)state;
	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++)
		for (int type = GPUBE_INT16; type <= GPUBE_INT64; type++) {
			const struct row row = {
				.n = 14, .type = (enum gpube_type)type, .kind = kinds[k]};
			struct gpube_opts opts = {.csg_method = GPUBE_CSG_CONV};
			struct gpube_csg_result *r, *whole;
			struct csg__range range;
			struct csg__view v;
			struct gpube_ctx *ctx;
			struct gpube_model *g;

			assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
			g = make(ctx, &row);
			whole = solve(g, GPUBE_CSG_CONV, false);
			assert_int_equal(csg__view_init(&v, g, false, false), GPUBE_OK);
			assert_int_equal(csg__range(&range, &v), GPUBE_OK);
			ctx->memory_bytes = (gpube__type_size(row.type) << 14) +
					    (gpube__type_size(range.work) << 13);
			if (!csg__as_is(&range, &v)) {
				assert_int_equal(gpube_csg(&r, g, &opts), GPUBE_ELIMIT);
				assert_non_null(strstr(gpube_error(ctx), "for layers of them"));
				ctx->memory_bytes += 2 * gpube__type_size(range.work) << 10;
			}
			r = solve(g, GPUBE_CSG_CONV, false);
			assert_int_equal(r->answer, whole->answer);
			assert_true(r->value == whole->value && r->n_parts == whole->n_parts);
			for (int p = 0; p < r->n_parts; p++)
				assert_true(r->parts[p] == whole->parts[p]);
			gpube_result_free(r);
			gpube_result_free(whole);
			ctx->memory_bytes = 1000;
			assert_int_equal(gpube_csg(&r, g, &opts), GPUBE_ELIMIT);
			gpube_model_free(g);
			gpube_ctx_free(ctx);
		}
}

/* What a stopped search returns: no move of an agent betters it, and the bound is by sizes. */
static void stopped_structure(void **state)
{
	struct gpube_csg_result r = {0};
	uint64_t parts[GPUBE_MAX_AGENTS];
	struct gpube_ctx *ctx;
	struct csg__range range;
	struct csg__view v;
	struct gpube_model *g;

	(void)state;
	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	assert_int_equal(gpube_coalitions_new(&g, ctx, 9, GPUBE_INT32), GPUBE_OK);
	for (uint64_t c = 1; c < 512; c++) /* best in threes: 10 + 10 + 10 */
		((int32_t *)gpube_coalitions_values(g))[c] = __builtin_popcountll(c) == 3   ? 10
							     : __builtin_popcountll(c) == 2 ? 4
											    : 1;
	r.parts = parts;
	assert_int_equal(csg__view_init(&v, g, false, false), GPUBE_OK);
	csg__improve(&r, &v);
	assert_int_equal(r.n_parts, 3);
	assert_int_equal(csg__range(&range, &v), GPUBE_OK);
	assert_true(range.bound == 30);
	/* from a given one; 9 = 3 + 3 + 3 only */
	for (uint64_t c = 1; c < 512; c++)
		if (__builtin_popcountll(c) != 3)
			((int32_t *)gpube_coalitions_values(g))[c] = INT32_MIN;
	r.n_parts = 0;
	csg__improve(&r, &v);
	assert_int_equal(r.n_parts, 0);
	gpube_model_free(g);
	gpube_ctx_free(ctx);
}

/* Each allocation fails once, in every method. */
static void failures(void **state)
{
	(void)state;
	for (int m = GPUBE_CSG_AUTO; m <= GPUBE_CSG_IDP; m++)
		solve_scarcely(NULL, (enum gpube_csg_method)m);
}

/* ---- rows ---------------------------------------------------------------------------------------
 */

static struct row rows[1200];
static struct CMUnitTest tests[1300];
static size_t n_tests;

static void add(void (*fn)(void **), struct row row, const char *what)
{
	struct row *r = &rows[n_tests];

	*r = row;
	snprintf(r->name, sizeof(r->name), "%d agents, %s, %s%s", row.n, gpube__type_name(row.type),
		what, row.disposal ? ", disposal" : "");
	tests[n_tests++] = (struct CMUnitTest){r->name, fn, NULL, NULL, r};
}

int main(void)
{
	static char names[16][32];
	static const struct CMUnitTest others[] = {
		cmocka_unit_test(splits_counted),
		cmocka_unit_test(refused_values),
		cmocka_unit_test(wide_sums),
		cmocka_unit_test(huge_values),
		cmocka_unit_test(huge_floats),
		cmocka_unit_test(new_is_stopped),
		cmocka_unit_test(stops),
		cmocka_unit_test(dp_stops),
		cmocka_unit_test(stopped_structure),
		cmocka_unit_test(little_memory),
		cmocka_unit_test(failures),
	};

	for (size_t k = 0; k < sizeof(others) / sizeof(*others); k++)
		tests[n_tests++] = others[k];
	for (int type = GPUBE_INT16; type <= GPUBE_FLOAT64; type++)
		for (int kind = PLAIN; kind < N_KINDS; kind++) {
			struct row row = {.type = (enum gpube_type)type, .kind = (enum kind)kind};

			for (row.n = 1; row.n <= 8; row.n++) {
				add(all_partitions, row, kind_names[kind]);
				row.disposal = true;
				if (row.n % 3 == 0)
					add(all_partitions, row, kind_names[kind]);
				row.disposal = false;
			}
		}
	for (int k = 0; word_of(names[k], GPUBE__WORDS_COALITIONS, k); k++)
		for (int type = GPUBE_INT16; type <= GPUBE_FLOAT64; type++) {
			struct row row = {
				.type = (enum gpube_type)type, .kind = k < 10 ? PLAIN : FORBIDDEN};

			row.distribution = names[k];
			for (row.n = 10; row.n <= 13 + (type == GPUBE_FLOAT32); row.n++)
				add(methods_agree, row, row.distribution);
		}
	return _cmocka_run_group_tests("csg", tests, n_tests, NULL, NULL);
}
