/*
 * Games that list some coalitions: method lp without a table against all partitions
 * (n <= 9) for defaults that add up, that should be used once and often, that
 * are forbidden; 40 agents against the auction solver; files, limits, failures.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include <math.h>

#include "csg/auction.h"
#include "csg/sparse.h"
#include "formats/formats.h"
#include "tests/support/structures.h"
#include "tests/support/files.h"
#include "tests/support/memory.h"

struct row {
	char name[112];
	int n;
	enum gpube_type type;
	double other;
	int percent;  /* of all coalitions that are listed */
	bool singles; /* all of them are listed */
	bool disposal;
};

/* A list, also of few agents, of which none is kept otherwise. */
static struct gpube_model *take(struct gpube__listing *l)
{
	struct gpube_model *g;
	struct gpube_table t;

	gpube__listing_take(&t, l);
	assert_int_equal(gpube__coalitions_model(&g, l->ctx, &t), GPUBE_OK);
	gpube__listing_clear(l);
	return g;
}

static struct gpube_model *make(struct gpube_ctx *ctx, const struct row *row)
{
	struct gpube__listing l;
	struct gpube_rng rng;

	gpube__rng_init(&rng, (uint64_t)row->n * 100 + (uint64_t)row->percent);
	gpube__listing_init(&l, ctx, row->n, row->type);
	l.other = gpube__coalition_from(row->type, row->other);
	for (uint64_t c = 1; c < (uint64_t)1 << row->n; c++) {
		const bool one = !(c & (c - 1));
		const int k = __builtin_popcountll(c);
		double v = (double)gpube__rng_below(&rng, 60) * k - 20;

		if (gpube__rng_below(&rng, 20) == 0)
			v = -INFINITY;
		if (!gpube__type_is_int(row->type))
			v *= 0.37;
		if (one ? row->singles : (int)gpube__rng_below(&rng, 100) < row->percent)
			assert_int_equal(
				gpube__listing_add(&l, c, gpube__coalition_from(row->type, v)), 0);
	}
	return take(&l);
}

static void all_partitions(void **state)
{
	const struct row *row = *state;
	struct gpube_opts opts = {.free_disposal = row->disposal};
	struct gpube_ctx *ctx;
	struct gpube_model *g;
	double best;

	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	g = make(ctx, row);
	best = best_partition(g, ((uint64_t)1 << gpube_model_n_vars(g)) - 1, row->disposal);
	for (int m = GPUBE_CSG_AUTO; m <= GPUBE_CSG_CONV; m++) {
		struct gpube_csg_result *r;

		opts.csg_method = (enum gpube_csg_method)m;
		assert_int_equal(gpube_csg(&r, g, &opts), GPUBE_OK);
		if (best == -INFINITY) {
			assert_int_equal(r->answer, GPUBE_CSG_INFEASIBLE);
			assert_int_equal(r->n_parts, 0);
		} else {
			assert_int_equal(r->answer, GPUBE_CSG_OPTIMAL);
			assert_true(m == GPUBE_CSG_CONV || r->method == GPUBE_CSG_LP);
			check_structure(g, r, row->disposal);
			assert_true(fabs(best - r->value) <= r->error + 1e-12 * fabs(best));
		}
		gpube_result_free(r);
	}
	gpube_model_free(g);
	gpube_ctx_free(ctx);
}

/* int64 values up to the greatest: as with a table, or bounds that are right. */
static void huge_values(void **state)
{
	struct gpube_ctx *ctx;
	int n_proved = 0;

	(void)state;
	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	for (uint64_t seed = 0; seed < 400; seed++) {
		const struct gpube_opts dp = {
			.csg_method = GPUBE_CSG_DP, .free_disposal = seed % 3 == 0};
		const struct gpube_opts lp = {
			.csg_method = GPUBE_CSG_LP, .free_disposal = seed % 3 == 0};
		const int n = 1 + (int)(seed % 7), bits = 50 + (int)(seed / 7 % 13);
		struct gpube_csg_result *table, *list;
		struct gpube__listing l;
		struct gpube_rng rng;
		struct gpube_model *g;
		int status;

		gpube__rng_init(&rng, seed);
		gpube__listing_init(&l, ctx, n, GPUBE_INT64);
		if (seed % 4)
			l.other = (int64_t)(gpube__rng_next(&rng) >> (70 - bits)) *
				  (seed % 4 == 1 ? -1 : seed % 4 == 2);
		for (uint64_t c = 1; c < (uint64_t)1 << n; c++) {
			const int64_t v = (int64_t)(gpube__rng_next(&rng) >> (64 - bits));

			if (gpube__rng_below(&rng, 3) == 0)
				assert_int_equal(gpube__listing_add(
							 &l, c, gpube__rng_below(&rng, 5) ? v : -v),
					0);
		}
		g = take(&l);
		status = gpube_csg(&table, g, &dp);
		if (!status) {
			assert_int_equal(gpube_csg(&list, g, &lp), GPUBE_OK);
			if (table->answer == GPUBE_CSG_OPTIMAL) {
				assert_true(list->upper_int >= table->value_int);
				assert_true(list->upper_bound >= (double)table->value_int);
			}
			if (list->answer == GPUBE_CSG_OPTIMAL) {
				assert_int_equal(table->answer, GPUBE_CSG_OPTIMAL);
				assert_true(list->value_int == table->value_int);
				n_proved++;
			} else if (list->answer == GPUBE_CSG_INFEASIBLE) {
				assert_int_equal(table->answer, GPUBE_CSG_INFEASIBLE);
			} else if (list->answer == GPUBE_CSG_BOUNDS) {
				assert_true(list->value_int <= table->value_int);
			}
			gpube_result_free(list);
		}
		gpube_result_free(table);
		gpube_model_free(g);
	}
	assert_true(n_proved > 150);
	gpube_ctx_free(ctx);
}

/* ---- splits of what is left over ---------------------------------------------------------------
 */

static int splits(uint64_t listed_pairs, bool singles, bool most)
{
	struct gpube_ctx *ctx;
	struct gpube__listing l;
	struct csg__rest z;
	struct csg__view v;
	struct gpube_model *g;
	uint64_t parts[GPUBE_MAX_AGENTS], seen = 0;
	int n, k = 0;

	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	gpube__listing_init(&l, ctx, 6, GPUBE_INT32);
	for (int i = 0; i < 6; i++) {
		if (singles)
			assert_int_equal(gpube__listing_add(&l, (uint64_t)1 << i, 1), 0);
		for (int j = 0; j < i; j++, k++)
			if (listed_pairs >> k & 1)
				assert_int_equal(gpube__listing_add(&l,
							 (uint64_t)1 << i | (uint64_t)1 << j, 1),
					0);
	}
	g = take(&l);
	assert_int_equal(csg__view_init(&v, g, false, false), GPUBE_OK);
	csg__rest_init(&z, &v, false);
	n = csg__rest_split(&z, 63, most, parts);
	for (k = 0; k < n; k++) {
		assert_true(parts[k] && !(parts[k] & seen) && !csg__rest_listed(&z, parts[k]));
		seen |= parts[k];
	}
	assert_true(n < 0 || seen == 63);
	csg__view_clear(&v);
	gpube_model_free(g);
	gpube_ctx_free(ctx);
	return n;
}

static void rests(void **state)
{
	(void)state;
	assert_int_equal(splits(0, false, true), 6);
	assert_int_equal(splits(0, true, true), 3);
	assert_int_equal(splits(0, false, false), 1);
	assert_int_equal(splits(0x7fff, true, true), 2); /* no pairs: two of three */
	/* pairs of agent 6, and of agent 5, are listed: they are in threes */
	assert_int_equal(splits(0x7fc0, true, true), 2);
	assert_int_equal(splits(0x7fff, false, true), 6);
}

/* ---- many agents -------------------------------------------------------------------------------
 */

/* Sums of single agents worth nothing: the same as an auction. */
static void auction(void **state)
{
	char dir[256], path[300], *text = malloc(1 << 20), *p = text;
	struct gpube_auction_result *sold;
	struct gpube_model *a;
	struct gpube_csg_result *r;
	struct gpube_ctx *ctx;
	struct gpube__listing l;
	struct gpube_rng rng;
	struct gpube_model *g;
	int n = 0;

	(void)state;
	assert_non_null(text);
	test_make_dir(dir);
	snprintf(path, sizeof(path), "%s/a", dir);
	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	gpube__listing_init(&l, ctx, 40, GPUBE_INT32);
	l.other = 0;
	gpube__rng_init(&rng, 5);
	p += sprintf(p, "goods 40\nbids 300\n");
	while (n < 300) {
		uint64_t c = 0;
		int64_t v;

		for (uint64_t k = 2 + gpube__rng_below(&rng, 5); k > 0; k--)
			c |= (uint64_t)1 << gpube__rng_below(&rng, 40);
		if (!(c & (c - 1)) || gpube__mask_find(&l.index, l.mask, c) >= 0)
			continue;
		v = (int64_t)gpube__rng_below(&rng, 100) + 100 * __builtin_popcountll(c);
		assert_int_equal(gpube__listing_add(&l, c, v), 0);
		p += sprintf(p, "%d %lld", n++, (long long)v);
		for (; c; c &= c - 1)
			p += sprintf(p, " %d", __builtin_ctzll(c));
		p += sprintf(p, " #\n");
	}
	test_put(path, text, strlen(text));
	assert_int_equal(gpube_read(&a, ctx, path, &(struct gpube_opts){.from = GPUBE_FORMAT_CATS}),
		GPUBE_OK);
	assert_int_equal(gpube_auction(&sold, a, NULL), GPUBE_OK);
	g = take(&l);
	assert_int_equal(gpube_csg(&r, g, NULL), GPUBE_OK);
	assert_int_equal(r->answer, GPUBE_CSG_OPTIMAL);
	check_structure(g, r, false);
	assert_true(r->value_int == sold->revenue);
	gpube_result_free(r);
	gpube_result_free(sold);
	gpube_model_free(a);
	gpube_model_free(g);
	gpube_ctx_free(ctx);
	test_clear_dir(dir);
	free(text);
}

/* Read without a table, where one of 2^40 values would be needed; written and read again. */
static void file(void **state)
{
	static const char text[] = "csg 40 float64\ndefault -0.5\n{1,2} 4.25\n{2,3} 5\n"
				   "{40} forbidden\n1099511627775 1\n";
	struct gpube_opts opts = {.csg_method = GPUBE_CSG_CONV};
	char dir[256], path[300], binary[300];
	struct gpube_ctx *ctx;

	(void)state;
	test_make_dir(dir);
	snprintf(path, sizeof(path), "%s/g.txt", dir);
	snprintf(binary, sizeof(binary), "%s/g.csg", dir);
	test_put(path, text, sizeof(text) - 1);
	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	for (int k = 0; k < 2; k++) {
		struct gpube_csg_result *r;
		struct gpube_model *g;

		assert_int_equal(
			gpube_read(&g, ctx, path, &(struct gpube_opts){.from = GPUBE_FORMAT_CSG}),
			GPUBE_OK);
		assert_null(gpube_coalitions_values(g));
		assert_true(gpube_coalitions_value(g, 3) == 4.25 &&
			    gpube_coalitions_value(g, 4) == -0.5);
		assert_true(gpube_coalitions_value(g, (uint64_t)1 << 39) == -INFINITY);
		assert_int_equal(gpube_csg(&r, g, NULL), GPUBE_OK);
		assert_int_equal(r->answer, GPUBE_CSG_OPTIMAL);
		assert_int_equal(r->n_parts, 2); /* {2,3} and all the others together */
		assert_true(r->value == 4.5);
		gpube_result_free(r);
		assert_int_equal(gpube_csg(&r, g, &opts), GPUBE_ELIMIT);
		assert_int_equal(
			gpube_write(g, binary, &(struct gpube_opts){.to = GPUBE_FORMAT_CSG}, NULL),
			GPUBE_EINVAL);
		assert_int_equal(
			gpube_write(g, path, &(struct gpube_opts){.to = GPUBE_FORMAT_CSG}, NULL),
			GPUBE_OK);
		gpube_model_free(g);
	}
	gpube_ctx_free(ctx);
	test_clear_dir(dir);
}

/* Each type, as a list and as a table; and what the values' own forbidden is. */
static void listed(void **state)
{
	static const uint64_t coalitions[] = {1, 6, 7};
	static const int16_t i16[] = {-5, INT16_MIN, 9};
	static const int32_t i32[] = {-5, INT32_MIN, 9};
	static const int64_t i64[] = {-5, INT64_MIN, 9};
	static const float f32[] = {-5, -INFINITY, 9};
	static const double f64[] = {-5, -INFINITY, 9};
	static const void *const values[] = {i16, i32, i64, f32, f64};
	struct gpube_ctx *ctx;
	struct gpube_model *g;

	(void)state;
	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	for (int type = GPUBE_INT16; type <= GPUBE_FLOAT64; type++)
		for (int n = 3; n <= GPUBE_MAX_AGENTS; n += 17) {
			assert_int_equal(
				gpube_coalitions_new_listed(&g, ctx, n, (enum gpube_type)type, 3,
					coalitions, values[type - GPUBE_INT16]),
				GPUBE_OK);
			assert_int_equal(!gpube_coalitions_values(g), n > 20);
			assert_true(gpube_coalitions_value(g, 1) == -5 &&
				    gpube_coalitions_value(g, 7) == 9);
			assert_true(gpube_coalitions_value(g, 6) == -INFINITY);
			assert_true(gpube_coalitions_value(g, 2) == -INFINITY);
			assert_true(gpube_coalitions_value(g, 0) == 0);
			gpube_model_free(g);
		}
	assert_int_equal(
		gpube_coalitions_new_listed(&g, ctx, 24, GPUBE_INT16, 0, NULL, NULL), GPUBE_OK);
	assert_true(gpube_coalitions_value(g, 1) == -INFINITY);
	gpube_model_free(g);
	gpube_ctx_free(ctx);
}

/*
 * A list on which lp mostly gives up, as coalitions are worth nearly the same an agent: what is
 * found of the table then is as good, whichever method that was.
 */
static void then_by_table(void **state)
{
	enum { N = 22, LISTED = 60000 };
	const struct gpube_opts conv = {.csg_method = GPUBE_CSG_CONV};
	struct gpube_csg_result *by_auto, *by_conv;
	struct gpube__listing l;
	struct gpube_rng rng;
	struct gpube_model *g;
	struct gpube_ctx *ctx;
	int status = GPUBE_OK;

	(void)state;
	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	for (uint64_t seed = 1; seed <= 3; seed++) {
		gpube__rng_init(&rng, seed);
		gpube__listing_init(&l, ctx, N, GPUBE_INT32);
		for (int i = 0; i < N; i++)
			assert_int_equal(gpube__listing_add(&l, (uint64_t)1 << i, 900), 0);
		while (l.n < LISTED) {
			const int k = 3 + (int)gpube__rng_below(&rng, 5);
			uint64_t c = 0;

			while (__builtin_popcountll(c) < k)
				c |= (uint64_t)1 << gpube__rng_below(&rng, N);
			if (gpube__mask_find(&l.index, l.mask, c) >= 0)
				continue;
			status = gpube__listing_add(
				&l, c, 1000 * k + (int64_t)gpube__rng_below(&rng, 300));
			assert_int_equal(status, GPUBE_OK);
		}
		assert_int_equal(gpube_model_new(&g, ctx, GPUBE_COALITIONS), GPUBE_OK);
		assert_int_equal(gpube__coalitions_settle(g, &l), GPUBE_OK);
		gpube__listing_clear(&l);
		assert_null(gpube_coalitions_values(g));
		assert_int_equal(gpube_csg(&by_auto, g, NULL), GPUBE_OK);
		assert_int_equal(gpube_csg(&by_conv, g, &conv), GPUBE_OK);
		assert_true(by_auto->answer == GPUBE_CSG_OPTIMAL &&
			    by_auto->value_int == by_conv->value_int &&
			    by_auto->upper_int == by_conv->value_int);
		gpube_result_free(by_auto);
		gpube_result_free(by_conv);
		gpube_model_free(g);
	}
	gpube_ctx_free(ctx);
}

/* ---- limits -------------------------------------------------------------------------------------
 */

static void stops(void **state)
{
	struct row row = {.n = 22, .other = 7, .percent = 0, .singles = true};
	struct gpube_csg_result *r;
	struct gpube_ctx *ctx;
	struct gpube_model *g;

	(void)state;
	row.type = GPUBE_INT32;
	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	g = make(ctx, &row);
	gpube_ctx_stop(ctx);
	assert_int_equal(gpube_csg(&r, g, NULL), GPUBE_OK);
	assert_true(r->answer == GPUBE_CSG_BOUNDS || r->answer == GPUBE_CSG_OPTIMAL);
	check_structure(g, r, false);
	gpube_result_free(r);
	gpube_model_free(g);
	gpube_ctx_free(ctx);
}

/* Each allocation fails once, of the reading and of the method. */
static void failures(void **state)
{
	static const char text[] = "csg 24 int16\ndefault -3\n3 10\n5 9\n{7,9,11} 20\n{24} 4\n";
	char dir[256], path[300];

	(void)state;
	test_make_dir(dir);
	snprintf(path, sizeof(path), "%s/g", dir);
	test_put(path, text, sizeof(text) - 1);
	solve_scarcely(path, GPUBE_CSG_AUTO);
	test_clear_dir(dir);
}

/* ---- rows ---------------------------------------------------------------------------------------
 */

static struct row rows[1000];
static struct CMUnitTest tests[1000];

static struct CMUnitTest row_test(struct row *to, struct row row)
{
	*to = row;
	snprintf(to->name, sizeof(to->name), "%d agents, %s, default %g, %d %% listed%s%s", row.n,
		gpube__type_name(row.type), row.other, row.percent,
		row.singles ? ", all single" : "", row.disposal ? ", disposal" : "");
	return (struct CMUnitTest){to->name, all_partitions, NULL, NULL, to};
}

int main(void)
{
	static const double others[] = {-INFINITY, -50, -1, 0, 3, 400};
	static const int percents[] = {2, 20, 50, 95, 100};
	static const struct CMUnitTest single[] = {
		cmocka_unit_test(huge_values),
		cmocka_unit_test(rests),
		cmocka_unit_test(auction),
		cmocka_unit_test(file),
		cmocka_unit_test(listed),
		cmocka_unit_test(then_by_table),
		cmocka_unit_test(stops),
		cmocka_unit_test(failures),
	};
	size_t n = 0;

	for (size_t k = 0; k < sizeof(single) / sizeof(*single); k++)
		tests[n++] = single[k];
	for (size_t k = 0; k < sizeof(others) / sizeof(*others); k++)
		for (size_t l = 0; l < sizeof(percents) / sizeof(*percents); l++)
			for (int how = 0; how < 4; how++)
				for (int agents = 1; agents <= 9; agents += agents < 3 ? 1 : 3) {
					const struct row row = {.n = agents,
						.type = agents == 6 ? GPUBE_FLOAT64 : GPUBE_INT16,
						.other = others[k],
						.percent = percents[l],
						.singles = how & 1,
						.disposal = how & 2};

					tests[n] = row_test(&rows[n], row);
					n++;
				}
	return _cmocka_run_group_tests("csg_sparse", tests, n, NULL, NULL);
}
