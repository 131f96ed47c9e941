/*
 * Method conv in pieces: a stand-in for a device, of which every table, and what it may
 * hold, is checked; values that are not stored; how ranks share a layer.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include <math.h>

#include "csg/conv/conv.h"
#include "tests/support/structures.h"
#include "tests/support/memory.h"
#include "csg/distributions.h"

/* ---- a stand-in for a device: the CPU's operators, on memory that is counted ----------------- */

#define MOST_TABLES 16

/* Four pieces of 10 bits, an operator's scratch, and what is set aside for rounding. */
#define LEAST_CAP(size) (((uint64_t)(5 * (size)) << 10) + 4096)

static struct {
	uint64_t cap, used, peak, sent;
	struct {
		const char *at;
		uint64_t bytes;
	} tables[MOST_TABLES];
	int bits; /* of the largest convolution */
} there;

static bool is_there(const void *p, uint64_t bytes)
{
	for (int k = 0; k < MOST_TABLES; k++)
		if (there.tables[k].at && (const char *)p >= there.tables[k].at &&
			(const char *)p + bytes <= there.tables[k].at + there.tables[k].bytes)
			return true;
	return false;
}

static void *fake_alloc(struct gpube_ctx *ctx, uint64_t bytes)
{
	void *p = gpube__subset_cpu()->alloc(ctx, bytes);
	int k = 0;

	while (there.tables[k].at)
		assert_true(++k < MOST_TABLES);
	if (!p)
		return NULL;
	there.tables[k].at = p;
	there.tables[k].bytes = bytes;
	there.used += bytes;
	there.peak = there.used > there.peak ? there.used : there.peak;
	return p;
}

static void fake_free(struct gpube_ctx *ctx, void *p)
{
	for (int k = 0; p && k < MOST_TABLES; k++)
		if (there.tables[k].at == p) {
			there.used -= there.tables[k].bytes;
			there.tables[k].at = NULL;
		}
	gpube__subset_cpu()->free(ctx, p);
}

static uint64_t fake_memory(struct gpube_ctx *ctx)
{
	(void)ctx;
	return there.cap;
}

static int fake_upload(struct gpube_ctx *ctx, void *to, const void *from, uint64_t bytes)
{
	assert_true(is_there(to, bytes) && !is_there(from, 1));
	there.sent += bytes;
	return gpube__subset_cpu()->upload(ctx, to, from, bytes);
}

static int fake_download(struct gpube_ctx *ctx, void *to, const void *from, uint64_t bytes)
{
	assert_true(is_there(from, bytes) && !is_there(to, 1));
	return gpube__subset_cpu()->download(ctx, to, from, bytes);
}

static int fake_convolve(struct gpube_ctx *ctx, const struct gpube_subset *s)
{
	const uint64_t bytes = (uint64_t)gpube__type_size(s->type) << s->n_bits;

	assert_true(is_there(s->a, bytes) && is_there(s->b, bytes) && is_there(s->out, bytes));
	there.bits = s->n_bits > there.bits ? s->n_bits : there.bits;
	return gpube__subset_cpu()->convolve(ctx, s);
}

static int fake_merge(
	struct gpube_ctx *ctx, enum gpube_type type, void *to, const void *from, uint64_t n)
{
	assert_true(is_there(to, n * gpube__type_size(type)));
	assert_true(is_there(from, n * gpube__type_size(type)));
	return gpube__subset_cpu()->merge(ctx, type, to, from, n);
}

static int fake_best(struct gpube_ctx *ctx, struct gpube_subset_split *s)
{
	assert_true(is_there(s->a, (s->x + 1) * gpube__type_size(s->type)));
	assert_true(is_there(s->b, (s->x + 1) * gpube__type_size(s->type)));
	return gpube__subset_cpu()->best(ctx, s);
}

static int fake_fill(struct gpube_ctx *ctx, const struct gpube_fill *f)
{
	assert_true(is_there(f->values, f->n * gpube__type_size(f->type)));
	return gpube__subset_cpu()->fill(ctx, f);
}

/* What an operator takes for itself is part of the cap. */
static uint64_t fake_scratch(struct gpube_ctx *ctx, enum gpube_type type, int n_bits)
{
	(void)ctx;
	return (uint64_t)gpube__type_size(type) << n_bits;
}

static struct gpube_subset_ops fake(uint64_t cap)
{
	struct gpube_subset_ops ops = *gpube__subset_cpu();

	ops.name = "stand-in";
	ops.convolve = fake_convolve;
	ops.best = fake_best;
	ops.fill = fake_fill;
	ops.merge = fake_merge;
	ops.alloc = fake_alloc;
	ops.free = fake_free;
	ops.upload = fake_upload;
	ops.download = fake_download;
	ops.memory = fake_memory;
	ops.scratch = fake_scratch;
	memset(&there, 0, sizeof(there));
	there.cap = cap;
	return ops;
}

/* ---- games ------------------------------------------------------------------------------- */

struct row {
	char name[96];
	enum gpube_type type;
	int n;
	const char *distribution; /* NULL: forbidden coalitions and negative values */
};

static struct gpube_model *make(struct gpube_ctx *ctx, const struct row *row)
{
	struct gpube_model *g;
	struct gpube_rng rng;

	if (row->distribution) {
		assert_int_equal(
			draw_game(&g, ctx, row->distribution, row->n, row->type, 5, "memory"), 0);
		return g;
	}
	assert_int_equal(gpube_coalitions_new(&g, ctx, row->n, row->type), 0);
	gpube__rng_init(&rng, (uint64_t)row->n);
	for (uint64_t c = 1; c < ((uint64_t)1 << gpube_model_n_vars(g)); c++) {
		const double v = (double)gpube__rng_below(&rng, 1000) - 300;

		put_scaled(g, c, gpube__rng_below(&rng, 5) == 0 ? -INFINITY : v);
	}
	return g;
}

static struct gpube_csg_result *solve(struct gpube_model *g)
{
	struct gpube_opts opts = {.csg_method = GPUBE_CSG_CONV, .backend = GPUBE_BACKEND_CPU};
	struct gpube_csg_result *r;

	assert_int_equal(gpube_csg(&r, g, &opts), GPUBE_OK);
	assert_int_equal(r->answer, GPUBE_CSG_OPTIMAL);
	return r;
}

/* conv on the stand-in: its structure, by lowest agents as gpube_csg() orders them. */
static int solve_there(
	uint64_t parts[GPUBE_MAX_AGENTS], int *n_parts, struct gpube_model *g, uint64_t cap)
{
	const struct gpube_opts opts = {.csg_method = GPUBE_CSG_CONV};
	const struct gpube_subset_ops ops = fake(cap);
	struct gpube_csg_result r = {.parts = parts};
	struct csg__range range;
	struct csg__view v;
	struct csg__search s = {.g = &v, .range = &range, .opts = &opts, .r = &r, .ops = &ops};
	int status;

	assert_int_equal(csg__view_init(&v, g, false, false), GPUBE_OK);
	assert_int_equal(csg__range(&range, &v), GPUBE_OK);
	status = csg__conv(&s);
	csg__view_clear(&v);
	assert_int_equal(there.used, 0);
	assert_true(there.peak <= cap);
	*n_parts = r.n_parts;
	assert_true(status || r.answer == GPUBE_CSG_OPTIMAL);
	return status;
}

static void same_structure(const struct gpube_csg_result *r, uint64_t *parts, int n_parts)
{
	assert_int_equal(n_parts, r->n_parts);
	for (int k = 0; k < n_parts; k++) {
		int i = 0;

		while (i < n_parts && parts[i] != r->parts[k])
			i++;
		assert_true(i < n_parts);
	}
}

/* From all on the device down to four of its smallest pieces. */
static void little_device(void **state)
{
	const struct row *row = *state;
	const bool stored = row->distribution == NULL;
	int largest[4], n_largest = 0;
	struct gpube_ctx *ctx;
	struct gpube_model *g, *whole;
	struct gpube_csg_result *r;
	size_t size;

	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	whole = g = make(ctx, row);
	r = solve(g);
	size = gpube__type_size(r->work);
	if (!stored)
		assert_int_equal(
			draw_game(&g, ctx, row->distribution, row->n, row->type, 5, "none"),
			GPUBE_OK);
	/* 5 and its scratch: pieces of 10 bits; 4 of 11: sums on the host; 2^n: all there */
	for (uint64_t cap = LEAST_CAP(size); n_largest < 4; cap *= 4) {
		uint64_t parts[GPUBE_MAX_AGENTS];
		int n_parts;

		assert_int_equal(solve_there(parts, &n_parts, g, cap), GPUBE_OK);
		same_structure(r, parts, n_parts);
		largest[n_largest++] = there.bits;
	}
	assert_int_equal(largest[0], 10);
	assert_int_equal(largest[3], row->n - 2);
	assert_true(largest[0] < largest[1] && largest[1] <= largest[2]);
	{
		uint64_t parts[GPUBE_MAX_AGENTS];
		int n_parts;

		assert_int_equal(
			solve_there(parts, &n_parts, g, LEAST_CAP(size) - 1), GPUBE_ELIMIT);
		assert_non_null(strstr(gpube_error(ctx), "beside the device"));
		/* nor are there sums without room on the host */
		ctx->memory_bytes = (uint64_t)size << (row->n - 2);
		assert_int_equal(solve_there(parts, &n_parts, g, LEAST_CAP(size)), GPUBE_ELIMIT);
	}
	gpube_result_free(r);
	if (g != whole)
		gpube_model_free(g);
	gpube_model_free(whole);
	gpube_ctx_free(ctx);
}

/* Each allocation of the streamed solve fails once. */
static void failures(void **state)
{
	const struct row row = {.n = 13, .type = GPUBE_INT32};
	struct test_memory memory = {.fail_at = 0};
	int status;

	(void)state;
	do {
		struct gpube_ctx *ctx;
		struct gpube_model *g;
		uint64_t parts[GPUBE_MAX_AGENTS];
		int n_parts, at = memory.fail_at;

		memory.fail_at = -1;
		ctx = test_memory_ctx(&memory);
		g = make(ctx, &row);
		memory.n = 0;
		memory.fail_at = at;
		status = solve_there(parts, &n_parts, g, LEAST_CAP(sizeof(int32_t)));
		assert_true(status == GPUBE_OK || status == GPUBE_ENOMEM);
		memory.fail_at = -1;
		gpube_model_free(g);
		assert_int_equal(memory.live, 0);
		gpube_ctx_free(ctx);
		memory.fail_at = at;
		memory.n = 0;
	} while (status && ++memory.fail_at < 200);
	assert_true(memory.fail_at > 5 && memory.fail_at < 200);
}

/* ---- values that are not stored ----------------------------------------------------------- */

static void unstored(void **state)
{
	const struct row *row = *state;
	const size_t size = gpube__type_size(row->type);
	struct gpube_ctx *ctx;
	struct gpube_model *g, *made;
	struct gpube_csg_result *r, *again;
	struct csg__view v;
	char *piece;

	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	g = make(ctx, row);
	assert_int_equal(
		draw_game(&made, ctx, row->distribution, row->n, row->type, 5, "none"), GPUBE_OK);
	assert_null(gpube_coalitions_values(made));
	assert_int_equal(csg__view_init(&v, made, false, false), GPUBE_OK);
	piece = malloc(size << row->n);
	assert_non_null(piece);
	for (int bits = 0; bits < row->n; bits++) {
		const uint64_t n = (uint64_t)1 << bits;

		for (uint64_t from = 0; from < ((uint64_t)1 << gpube_model_n_vars(g));
			from += 37 * n) {
			assert_int_equal(csg__source_fill(&v, gpube__subset_cpu(), row->type, piece,
						 from, n),
				GPUBE_OK);
			assert_memory_equal(
				piece, (char *)gpube_coalitions_values(g) + from * size, n * size);
		}
	}
	for (uint64_t c = 0; c < ((uint64_t)1 << gpube_model_n_vars(g)); c += 101)
		assert_true(gpube_coalitions_value(made, c) == gpube_coalitions_value(g, c));
	r = solve(g);
	/* for sums, and for a layer in the smallest pieces; not for the values */
	ctx->memory_bytes = gpube__type_size(r->work) * (((uint64_t)1 << (row->n - 1)) + 2048);
	again = solve(made);
	assert_true(r->value == again->value);
	same_structure(r, again->parts, again->n_parts);
	gpube_result_free(r);
	gpube_result_free(again);
	gpube_model_free(g);
	gpube_model_free(made);
	free(piece);
	gpube_ctx_free(ctx);
}

/* Methods that look at values more than once are refused, not run on nothing. */
static void unstored_refused(void **state)
{
	static const enum gpube_csg_method methods[] = {GPUBE_CSG_LP, GPUBE_CSG_DP, GPUBE_CSG_IDP};
	struct gpube_ctx *ctx;
	struct gpube_model *g;
	struct gpube_csg_result *r;

	(void)state;
	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	assert_int_equal(draw_game(&g, ctx, "ndcs", 41, GPUBE_INT32, 0, "none"), GPUBE_EINVAL);
	assert_null(g);
	assert_int_equal(draw_game(&g, ctx, "ndcs", 9, GPUBE_INT32, 0, "none"), GPUBE_OK);
	for (size_t k = 0; k < sizeof(methods) / sizeof(*methods); k++) {
		struct gpube_opts opts = {.csg_method = methods[k]};

		assert_int_equal(gpube_csg(&r, g, &opts), GPUBE_EINVAL);
		assert_non_null(strstr(gpube_error(ctx), "only conv can use them"));
	}
	gpube_model_free(g);
	gpube_ctx_free(ctx);
}

/* ---- ranks ------------------------------------------------------------------------------- */

/* Pieces of every layer: whole ones for one rank; shared so that none has much more. */
static void shares(void **state)
{
	static uint8_t owner[1 << 20];

	(void)state;
	for (int n_ranks = 1; n_ranks <= 16; n_ranks++)
		for (int h = 0; h <= 28; h++) {
			const struct csg__conv_plan plan = {.piece_bits = 23};
			const int low = csg__layer_bits(&plan, h, n_ranks), bits = h - low;
			double load[16] = {0}, most = 0;

			assert_true(low <= 23 && low <= h && bits <= 18);
			if (n_ranks == 1 || h <= 10) {
				assert_int_equal(low, h < 23 ? h : 23);
				continue;
			}
			assert_true(low >= 10);
			gpube__share_segments(owner, bits, n_ranks);
			for (uint64_t x = 0; x >> bits == 0; x++) {
				assert_true(owner[x] < n_ranks);
				load[owner[x]] += exp2(__builtin_popcountll(x));
			}
			for (int k = 0; k < n_ranks; k++)
				most = fmax(most, load[k]);
			if (bits >= csg__rank_bits(n_ranks))
				assert_true(most * n_ranks <= 1.1 * pow(3, bits));
		}
}

/* ---- the greater of two tables ------------------------------------------------------------ */

static void merges(void **state)
{
	static int16_t a[70000], b[70000];
	static float x[3] = {1, -INFINITY, -2}, y[3] = {0, -INFINITY, 5};
	struct gpube_ctx *ctx;
	struct gpube_rng rng;

	(void)state;
	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	gpube__rng_init(&rng, 1);
	for (int i = 0; i < 70000; i++) {
		a[i] = (int16_t)gpube__rng_next(&rng);
		b[i] = (int16_t)(i % 3 ? gpube__rng_next(&rng) : (uint64_t)(int64_t)a[i]);
	}
	assert_int_equal(gpube__subset_cpu()->merge(ctx, GPUBE_INT16, a, b, 69999), GPUBE_OK);
	for (int i = 0; i < 69999; i++)
		assert_true(a[i] >= b[i]);
	assert_int_equal(gpube__subset_cpu()->merge(ctx, GPUBE_FLOAT32, x, y, 3), GPUBE_OK);
	assert_true(x[0] == 1 && x[1] == -INFINITY && x[2] == 5);
	assert_int_equal(gpube__subset_cpu()->merge(ctx, GPUBE_INT8, x, y, 3), GPUBE_EINVAL);
	gpube_ctx_free(ctx);
}

/* ---- rows ------------------------------------------------------------------------------- */

static struct row rows[60];
static struct CMUnitTest tests[70];

int main(void)
{
	static char names[16][32];
	size_t n = 0;

	tests[n++] = (struct CMUnitTest)cmocka_unit_test(failures);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(unstored_refused);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(shares);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(merges);
	for (int type = GPUBE_INT16; type <= GPUBE_FLOAT64; type++)
		for (int k = 0; k < 3; k++) {
			static const char *const of[] = {NULL, "uniform", "ndcs"};
			struct row *row = &rows[n];

			*row = (struct row){
				.type = (enum gpube_type)type, .n = 14, .distribution = of[k]};
			snprintf(row->name, sizeof(row->name), "little device: %s, %s",
				gpube__type_name(row->type), of[k] ? of[k] : "forbidden ones");
			tests[n++] = (struct CMUnitTest){row->name, little_device, NULL, NULL, row};
		}
	for (int k = 0; word_of(names[k], GPUBE__WORDS_COALITIONS, k); k++) {
		struct row *row = &rows[n];

		*row = (struct row){.type = (enum gpube_type)(GPUBE_INT16 + k % 5),
			.n = 14,
			.distribution = names[k]};
		snprintf(row->name, sizeof(row->name), "unstored: %s, %.31s",
			gpube__type_name(row->type), row->distribution);
		tests[n++] = (struct CMUnitTest){row->name, unstored, NULL, NULL, row};
	}
	return _cmocka_run_group_tests("csg conv", tests, n, NULL, NULL);
}
