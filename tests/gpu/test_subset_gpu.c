/*
 * subset_convolve, the search for a split, and random values on a device: bit for
 * bit what the CPU gives, for every type and size; and whole solves.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include <stdlib.h>

#include "csg/conv/conv.h"
#include "gpube/ops/device/backend.h"
#include "tests/support/cases.h"
#include "tests/support/structures.h"

static struct gpube_ctx *ctx;
static const struct gpube_subset_ops *gpu;

struct row {
	enum gpube_type type;
	int n_bits;
};

static void opens(void **state)
{
	(void)state;
	if (gpu)
		return;
	if (getenv("GPUBE_REQUIRE_GPU"))
		fail_msg("no device: %s", gpube_error(ctx));
	print_message("SKIP: %s\n", gpube_error(ctx));
	skip();
}

static void draw(void *values, enum gpube_type type, int n_bits, uint64_t seed)
{
	struct gpube_fill f = {.type = type,
		.draw = GPUBE_DRAW_MODIFIED_UNIFORM,
		.n_bits = n_bits,
		.seed = seed,
		.values = values};

	assert_int_equal(gpube__subset_cpu()->fill(ctx, &f), GPUBE_OK);
	/* some of them forbidden */
	for (uint64_t i = seed; i < (uint64_t)1 << n_bits; i += 7)
		if (type == GPUBE_INT16)
			((int16_t *)values)[i] = -9000;
		else if (type == GPUBE_FLOAT32)
			((float *)values)[i] = -INFINITY;
		else if (type == GPUBE_FLOAT64)
			((double *)values)[i] = -INFINITY;
}

static void *sent(const void *values, uint64_t bytes)
{
	void *p = gpu->alloc(ctx, bytes);

	assert_non_null(p);
	assert_int_equal(gpu->upload(ctx, p, values, bytes), GPUBE_OK);
	return p;
}

static void convolves(void **state)
{
	const struct row *row = *state;
	const uint64_t bytes = (uint64_t)gpube__type_size(row->type) << row->n_bits;
	char *memory = malloc(4 * bytes);
	struct gpube_subset s = {
		row->type, row->n_bits, memory, memory + bytes, memory + 2 * bytes, 0, 0, 0, 0};
	struct gpube_subset_split cpu = {.type = row->type, .a = s.a, .b = s.b}, there = cpu;

	assert_non_null(memory);
	draw(memory, row->type, row->n_bits, 1);
	draw(memory + bytes, row->type, row->n_bits, 2);
	assert_int_equal(gpube__subset_cpu()->convolve(ctx, &s), GPUBE_OK);
	there.a = s.a = sent(memory, bytes);
	there.b = s.b = sent(memory + bytes, bytes);
	memset(memory + 3 * bytes, 0x55, bytes);
	s.out = sent(memory + 3 * bytes, bytes);
	assert_int_equal(gpu->convolve(ctx, &s), GPUBE_OK);
	assert_int_equal(gpu->download(ctx, memory + 3 * bytes, s.out, bytes), GPUBE_OK);
	assert_memory_equal(memory + 3 * bytes, memory + 2 * bytes, bytes);
	for (int k = 0; k < 4; k++) {
		const uint64_t all = ((uint64_t)1 << row->n_bits) - 1;
		const uint64_t x[] = {all, all & 0x5555555, 0, all & 0xffffff13};

		cpu.x = there.x = x[k];
		assert_int_equal(gpube__subset_cpu()->best(ctx, &cpu), GPUBE_OK);
		assert_int_equal(gpu->best(ctx, &there), GPUBE_OK);
		assert_int_equal(there.y, cpu.y);
		assert_true(there.sum.i == cpu.sum.i);
	}
	gpu->free(ctx, (void *)s.a);
	gpu->free(ctx, (void *)s.b);
	gpu->free(ctx, s.out);
	free(memory);
}

/* Shared by all devices there are, whatever it costs. */
static void convolves_shared(void **state)
{
	/* work in splits that is shared with the machine's other devices */
	double *shared = gpube__cuda_backend(ctx)->shared_splits;
	const double splits = *shared;

	*shared = 0;
	convolves(state);
	*shared = splits;
}

static void fills(void **state)
{
	const int n_bits = 15;

	(void)state;
	for (int draw = GPUBE_DRAW_UNIFORM; draw <= GPUBE_DRAW_NEAR_TIES; draw++)
		for (int type = GPUBE_INT16; type <= GPUBE_FLOAT64; type++) {
			const uint64_t bytes = (uint64_t)gpube__type_size((enum gpube_type)type)
					       << n_bits;
			char *here = malloc(2 * bytes);
			void *there = gpu->alloc(ctx, bytes);
			struct gpube_fill f = {.type = (enum gpube_type)type,
				.draw = (enum gpube_draw)draw,
				.n_bits = n_bits,
				.seed = 9,
				.quota = 30,
				.values = here};

			assert_true(here && there);
			for (int i = 0; i < n_bits; i++)
				f.agent[i] = 0.37 * i;
			assert_int_equal(gpube__subset_cpu()->fill(ctx, &f), GPUBE_OK);
			f.values = there;
			assert_int_equal(gpu->fill(ctx, &f), GPUBE_OK);
			assert_int_equal(gpu->download(ctx, here + bytes, there, bytes), GPUBE_OK);
			assert_memory_equal(here, here + bytes, bytes);
			gpu->free(ctx, there);
			free(here);
		}
}

static void stops(void **state)
{
	const int n_bits = 26;
	const uint64_t bytes = (uint64_t)8 << n_bits;
	void *p = gpu->alloc(ctx, 3 * bytes);
	struct gpube_subset s = {
		GPUBE_INT64, n_bits, p, (char *)p + bytes, (char *)p + 2 * bytes, 0, 0, 0, 0};
	int status;

	(void)state;
	assert_non_null(p);
	ctx->deadline = gpube__now() + 0.001;
	status = gpu->convolve(ctx, &s);
	ctx->deadline = 0;
	assert_int_equal(status, GPUBE_ESTOP);
	s.n_bits = 12;
	assert_int_equal(gpu->convolve(ctx, &s), GPUBE_OK);
	gpu->free(ctx, p);
}

/* The same optimum from a file's values, from values made there, and on the CPU. */
static void solves(void **state)
{
	const struct row *row = *state;
	const enum gpube_type type = row->type;
	static const enum gpube_csg_method methods[] = {
		GPUBE_CSG_CONV, GPUBE_CSG_DP, GPUBE_CSG_IDP};
	struct gpube_opts opts = {.backend = GPUBE_BACKEND_CPU};
	struct gpube_csg_result *here, *r;
	struct gpube_model *g, *there;

	assert_int_equal(draw_game(&g, ctx, "uniform", row->n_bits, type, 3, "memory"), GPUBE_OK);
	assert_int_equal(
		draw_game(&there, ctx, "uniform", row->n_bits, type, 3, "device"), GPUBE_OK);
	opts.csg_method = GPUBE_CSG_CONV;
	assert_int_equal(gpube_csg(&here, g, &opts), GPUBE_OK);
	opts.backend = GPUBE_BACKEND_CUDA;
	for (int k = 0; k < 6; k++) {
		opts.csg_method = methods[k / 2];
		assert_int_equal(gpube_csg(&r, k % 2 ? there : g, &opts), GPUBE_OK);
		assert_int_equal(r->answer, GPUBE_CSG_OPTIMAL);
		assert_string_equal(r->backend, "cuda");
		assert_true(r->value <= here->value + here->error &&
			    here->value <= r->value + r->error);
		gpube_result_free(r);
	}
	gpube_result_free(here);
	gpube_model_free(g);
	gpube_model_free(there);
}

/* Auctions with a bid on every bundle: goods may stay unsold, or not. */
static void auctions(void **state)
{
	const struct row *row = *state;
	struct gpube_opts opts = {0};
	struct gpube_csg_result *here, *there;
	struct gpube_model *g;

	assert_int_equal(
		draw_game(&g, ctx, "normal", row->n_bits, row->type, 3, "memory"), GPUBE_OK);
	for (opts.free_disposal = 0; opts.free_disposal < 2; opts.free_disposal++) {
		opts.backend = GPUBE_BACKEND_CPU;
		assert_int_equal(gpube_csg(&here, g, &opts), GPUBE_OK);
		opts.backend = GPUBE_BACKEND_CUDA;
		assert_int_equal(gpube_csg(&there, g, &opts), GPUBE_OK);
		assert_string_equal(there->backend, "cuda");
		assert_int_equal(there->answer, GPUBE_CSG_OPTIMAL);
		assert_true(there->value <= here->value + here->error &&
			    here->value <= there->value + there->error);
		gpube_result_free(here);
		gpube_result_free(there);
	}
	gpube_model_free(g);
}

/* Any part of the values, whatever its place in their blocks. */
static void fills_part(void **state)
{
	static const uint64_t parts[][2] = {{0, 1}, {1, 1}, {5, 4096}, {4095, 2}, {8192, 8192}};
	static double here[1 << 14], part[1 << 13];
	struct gpube_fill f = {.type = GPUBE_FLOAT64,
		.draw = GPUBE_DRAW_MODIFIED_UNIFORM,
		.n_bits = 14,
		.seed = 3,
		.values = here};

	(void)state;
	assert_int_equal(gpube__subset_cpu()->fill(ctx, &f), GPUBE_OK);
	f.values = gpu->alloc(ctx, sizeof(part));
	assert_non_null(f.values);
	for (size_t k = 0; k < sizeof(parts) / sizeof(*parts); k++) {
		f.from = parts[k][0];
		f.n = parts[k][1];
		assert_int_equal(gpu->fill(ctx, &f), GPUBE_OK);
		assert_int_equal(gpu->download(ctx, part, f.values, f.n * sizeof(*part)), GPUBE_OK);
		assert_memory_equal(part, here + f.from, f.n * sizeof(*part));
	}
	gpu->free(ctx, f.values);
}

static void merges(void **state)
{
	const struct row *row = *state;
	const uint64_t n = (uint64_t)1 << row->n_bits;
	const uint64_t bytes = n * gpube__type_size(row->type);
	char *memory = malloc(3 * bytes);
	void *a, *b;

	assert_non_null(memory);
	draw(memory, row->type, row->n_bits, 1);
	draw(memory + bytes, row->type, row->n_bits, 2);
	a = sent(memory, bytes);
	b = sent(memory + bytes, bytes);
	assert_int_equal(gpu->merge(ctx, row->type, a, b, n), GPUBE_OK);
	assert_int_equal(gpu->download(ctx, memory + 2 * bytes, a, bytes), GPUBE_OK);
	assert_int_equal(
		gpube__subset_cpu()->merge(ctx, row->type, memory, memory + bytes, n), GPUBE_OK);
	assert_memory_equal(memory, memory + 2 * bytes, bytes);
	gpu->free(ctx, a);
	gpu->free(ctx, b);
	free(memory);
}

/* A device that holds everything, sums but not a layer, or pieces alone: the same structure. */
static void streams(void **state)
{
	const struct row *row = *state;
	const enum gpube_type type = row->type;
	const uint64_t sums = (uint64_t)gpube__type_size(row->type) << (row->n_bits - 1);
	const uint64_t caps[] = {0, 8 * sums, sums + sums / 4, sums / 2};
	struct gpube_opts opts = {.csg_method = GPUBE_CSG_CONV, .backend = GPUBE_BACKEND_CPU};
	struct gpube_csg_result *here;
	struct gpube_model *g;

	assert_int_equal(draw_game(&g, ctx, "uniform", row->n_bits, type, 3, "memory"), GPUBE_OK);
	assert_int_equal(gpube_csg(&here, g, &opts), GPUBE_OK);
	gpube_model_free(g);
	opts.backend = GPUBE_BACKEND_CUDA;
	for (int k = 0; k < 8; k++) {
		struct gpube_opts limits = {.device_memory_bytes = caps[k / 2]};
		struct gpube_ctx *own;
		struct gpube_csg_result *r;

		assert_int_equal(gpube_ctx_new(&own, &limits), GPUBE_OK);
		assert_int_equal(draw_game(&g, own, "uniform", row->n_bits, type, 3,
					 k % 2 ? "none" : "memory"),
			GPUBE_OK);
		assert_int_equal(gpube_csg(&r, g, &opts), GPUBE_OK);
		assert_int_equal(r->answer, GPUBE_CSG_OPTIMAL);
		assert_string_equal(r->backend, "cuda");
		assert_true(r->value == here->value && r->n_parts == here->n_parts);
		for (int p = 0; p < r->n_parts; p++)
			assert_true(r->parts[p] == here->parts[p]);
		gpube_result_free(r);
		gpube_model_free(g);
		gpube_ctx_free(own);
	}
	gpube_result_free(here);
}

static const char *const type_names[] = {"int8", "int16", "int32", "int64", "float32", "float64"};
static struct row rows[120];

static void add(
	struct cases *c, const char *what, enum gpube_type type, int n_bits, CMUnitTestFunction f)
{
	struct row *row = &rows[c->n];

	row->type = type;
	row->n_bits = n_bits;
	add_case(c, f, row, "%s: %s, %d bits", what, type_names[type], n_bits);
}

int main(void)
{
	static const int sizes[] = {0, 1, 5, 9, 10, 11, 12, 13, 14, 15, 17, 18};
	struct cases c = {0};
	int status;

	if (gpube_ctx_new(&ctx, NULL) != 0)
		return 1;
	gpu = gpube__subset_cuda(ctx, &status);
	ADD_CASE(&c, opens);
	if (gpu) {
		ADD_CASE(&c, fills);
		ADD_CASE(&c, fills_part);
		ADD_CASE(&c, stops);
		add(&c, "auctions", GPUBE_INT32, 16, auctions);
		add(&c, "auctions", GPUBE_INT32, 18, auctions);
		for (int type = GPUBE_INT16; type <= GPUBE_FLOAT64; type++) {
			for (size_t k = 0; k < sizeof(sizes) / sizeof(*sizes); k++)
				add(&c, "convolves", (enum gpube_type)type, sizes[k], convolves);
			for (int bits = 16; bits <= 18; bits++)
				add(&c, "shared", (enum gpube_type)type, bits, convolves_shared);
			add(&c, "solves", (enum gpube_type)type, 3, solves);
			add(&c, "solves", (enum gpube_type)type, 17, solves);
			add(&c, "merges", (enum gpube_type)type, 17, merges);
			add(&c, "streams", (enum gpube_type)type, 18, streams);
		}
	}
	status = run_cases(&c, "subset_convolve on the GPU", NULL, NULL);
	gpube_ctx_free(ctx);
	return status;
}
