/* A contraction in chunks gives what it gives whole, whatever may be on the device. */
#include "tests/support/shapes.h"
#include "tests/support/test.h"

#include "gpube/ops/index.h"
#include "gpube/ops/device/stream_plan.h"

#include <stdlib.h>
#include <string.h>

#define N_RANDOM 500

static struct gpube_ctx *ctx;

static void copy_rows(char *to, const char *from, const struct gpube__slice *s, size_t size)
{
	for (int64_t r = 0; r < s->rows; r++)
		memcpy(to + (size_t)(r * s->row) * size,
			from + (size_t)(s->first + r * s->pitch) * size, (size_t)s->row * size);
}

/* What a device does, with memcpy: returns the bytes of the largest chunk's copies. */
static uint64_t run_in_chunks(const struct shape *s, const struct gpube__stream_plan *plan, bool out)
{
	const struct gpube_contraction *c = &s->c;
	const size_t size = gpube__type_size(c->type);
	int64_t sizes[GPUBE_MAX_DIMS], covered = 0;
	int32_t dims[1024];
	struct gpube_operand in[64];
	uint64_t most = 0;

	for (int64_t chunk = 0; chunk < plan->n_chunks; chunk++) {
		struct gpube_contraction part;
		void *copies[128];
		int n = 0;
		int64_t first, cells = gpube__stream_out(&first, c, plan, chunk);
		uint64_t bytes = 0;

		assert_int_equal(first, covered); /* contiguous, in order, nothing twice */
		covered += cells;
		gpube__stream_chunk(&part, sizes, in, dims, c, plan, chunk);
		for (int k = 0; k < c->n_in; k++) {
			struct gpube__slice slice;
			size_t part_cells;

			assert_true(gpube__stream_slice(&slice, c, k, plan, chunk));
			part_cells = (size_t)(slice.rows * slice.row);
			assert_int_equal(gpube__operand_cells(&part, k), part_cells);
			if (slice.whole)
				continue;
			in[k].values = copies[n++] = malloc(part_cells * size);
			copy_rows((char *)in[k].values, c->in[k].values, &slice, size);
			bytes += gpube__stream_bytes((int64_t)part_cells, size);
			if (!c->in[k].counts)
				continue;
			in[k].counts = copies[n++] = malloc(part_cells * sizeof(uint64_t));
			copy_rows((char *)in[k].counts, (const char *)c->in[k].counts, &slice,
				sizeof(uint64_t));
			bytes += gpube__stream_bytes((int64_t)part_cells, sizeof(uint64_t));
		}
		part.out = (char *)c->out + (size_t)first * size;
		if (c->out_counts)
			part.out_counts = c->out_counts + first;
		if (c->out_arg)
			part.out_arg = (char *)c->out_arg + (size_t)first * (size_t)c->arg_bytes;
		assert_int_equal(gpube__contract_reference(ctx, &part), 0);
		for (int k = 0; k < n; k++)
			free(copies[k]);
		if (out)
			bytes += gpube__stream_bytes(cells, size);
		if (out && c->out_counts)
			bytes += gpube__stream_bytes(cells, sizeof(uint64_t));
		if (out && c->out_arg)
			bytes += gpube__stream_bytes(cells, (size_t)c->arg_bytes);
		most = bytes > most ? bytes : most;
	}
	assert_int_equal(covered, s->out_cells);
	return most;
}

static void check(struct shape *s, const bool *spilled, bool out, uint64_t bytes)
{
	struct gpube__stream_plan plan;
	struct shape want;

	if (!gpube__stream_plan(&plan, &s->c, spilled, out, bytes))
		return;
	shape_twin(&want, s);
	shape_poison(s);
	assert_int_equal(gpube__contract_reference(ctx, &want.c), 0);
	assert_true(run_in_chunks(s, &plan, out) <= plan.slot_bytes);
	assert_true(plan.fixed_bytes + 2 * plan.slot_bytes <= bytes);
	assert_null(shape_compare(s, &want));
	shape_twin_free(&want);
}

static void random_shapes(void **state)
{
	int planned = 0;

	(void)state;
	for (uint64_t seed = 0; seed < N_RANDOM; seed++) {
		struct gpube_rng rng;
		struct gpube__stream_plan plan;
		struct shape s;
		bool spilled[64], out;
		uint64_t bytes;

		gpube__rng_init(&rng, seed);
		shape_random(&s, seed, 3000);
		out = gpube__rng_below(&rng, 2) != 0;
		for (int k = 0; k < s.c.n_in; k++)
			spilled[k] = gpube__rng_below(&rng, 2) != 0;
		bytes = 1024u << gpube__rng_below(&rng, 7);
		planned += gpube__stream_plan(&plan, &s.c, spilled, out, bytes);
		check(&s, spilled, out, bytes);
		shape_free(&s);
	}
	assert_true(planned > N_RANDOM / 4);
}

/* Tables as bucket elimination lays them out can always be cut, down to rows of one cell. */
static void buckets(void **state)
{
	static const char *const texts[] = {
		"a=7 b=5 c=9 x=4 : a b c : x a b , x b c , x a c , x",
		"a=6 b=1 c=9 d=11 x=4 : a b c d : x a b c d , x d , x b",
		"a=40 b=30 x=5 : a b : x a , x b",
	};

	(void)state;
	for (int t = 0; t < 3; t++)
		for (uint64_t bytes = 1 << 20; bytes >= 8192; bytes /= 2) {
			struct gpube__stream_plan plan;
			struct shape s;
			const bool spilled[8] = {true, true, true, true};

			assert_null(shape_parse(&s, texts[t], GPUBE_MIN_PLUS, GPUBE_INT32));
			shape_fill(&s, bytes, SHAPE_SIGNED, false);
			shape_want_arg(&s);
			assert_true(gpube__stream_plan(&plan, &s.c, spilled, true, bytes));
			check(&s, spilled, true, bytes);
			shape_free(&s);
		}
}

static void what_cannot_be_cut(void **state)
{
	struct gpube__stream_plan plan;
	const bool spilled[2] = {true, false};
	struct shape s;

	(void)state;
	/* b stands between two cut dims of the operand, and its rows are too large */
	assert_null(shape_parse(&s, "a=40 c=3 b=4000 x=2 : a c b : a b c x , x", GPUBE_MIN_PLUS,
		GPUBE_INT32));
	assert_false(gpube__stream_plan(&plan, &s.c, spilled, false, 4096));
	shape_free(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(random_shapes),
		cmocka_unit_test(buckets),
		cmocka_unit_test(what_cannot_be_cut),
	};
	int failed;

	if (gpube_ctx_new(&ctx, NULL))
		return 1;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	gpube_ctx_free(ctx);
	return failed;
}
