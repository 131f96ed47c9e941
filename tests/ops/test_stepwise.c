/*
 * A contraction dim by dim writes what the reference writes at once, in every bit: one case a seed,
 * of random operands over up to seven dims, some dims in none of them.
 */
#include "tests/support/test.h"

#include "gpube/relax/stepwise.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/reference/reference.h"

enum { N_SEEDS = 200, MOST_DIMS = 7, MOST_IN = 6, MOST_CELLS = 1 << 14 };

struct subject {
	struct gpube_contraction c;
	int64_t sizes[MOST_DIMS], n_out_cells;
	struct gpube_operand in[MOST_IN];
	int32_t dims[MOST_IN][MOST_DIMS];
	void *tables[MOST_IN];
};

static void put(enum gpube_type type, void *table, int64_t cell, int64_t v)
{
	if (type == GPUBE_INT32)
		((int32_t *)table)[cell] = (int32_t)v;
	else
		((int64_t *)table)[cell] = v;
}

/* Dims in random order, each with a chance of one half. */
static void draw_operand(struct subject *t, int k, struct gpube_rng *rng)
{
	int64_t cells = 1;
	int n = 0;

	for (int32_t d = 0; d < t->c.n_dims; d++) {
		int at;

		if (gpube__rng_below(rng, 2))
			continue;
		at = (int)gpube__rng_below(rng, (uint64_t)n + 1);
		memmove(&t->dims[k][at + 1], &t->dims[k][at],
			(size_t)(n - at) * sizeof(t->dims[k][0]));
		t->dims[k][at] = d;
		n++;
		cells *= t->sizes[d];
	}
	t->tables[k] = malloc((size_t)cells * sizeof(int64_t));
	assert_non_null(t->tables[k]);
	for (int64_t i = 0; i < cells; i++)
		put(t->c.type, t->tables[k], i,
			gpube__rng_below(rng, 6) ? (int64_t)gpube__rng_below(rng, 40) : t->c.top);
	t->in[k] = (struct gpube_operand){.values = t->tables[k], .n_dims = n, .dims = t->dims[k]};
}

static void draw(struct subject *t, uint64_t seed)
{
	struct gpube_rng rng;

	gpube__rng_init(&rng, seed);
	memset(t, 0, sizeof(*t));
	t->c = (struct gpube_contraction){.semiring = GPUBE_MIN_PLUS,
		.type = seed % 2 ? GPUBE_INT32 : GPUBE_INT64,
		.n_dims = (int)gpube__rng_below(&rng, MOST_DIMS + 1),
		.n_in = (int)gpube__rng_below(&rng, MOST_IN + 1),
		.sizes = t->sizes,
		.in = t->in,
		.threshold = 100,
		.top = seed % 3 ? 200 : 100};
	t->c.n_out = (int)gpube__rng_below(&rng, (uint64_t)t->c.n_dims + 1);
	t->n_out_cells = 1;
	for (int32_t d = 0; d < t->c.n_dims; d++) {
		t->sizes[d] = 1 + (int64_t)gpube__rng_below(&rng, 4);
		t->n_out_cells *= d < t->c.n_out ? t->sizes[d] : 1;
	}
	for (int k = 0; k < t->c.n_in; k++)
		draw_operand(t, k, &rng);
}

static void random_shape(void **state)
{
	static int64_t want[MOST_CELLS], got[MOST_CELLS];
	struct subject t;

	draw(&t, (uint64_t)(uintptr_t)*state);
	assert_true(t.n_out_cells <= MOST_CELLS);
	memset(want, -1, sizeof(want));
	memset(got, -1, sizeof(got));
	t.c.out = want;
	assert_int_equal(gpube__contract_reference(ctx, &t.c), 0);
	t.c.out = got;
	assert_int_equal(gpube__contract_stepwise(ctx, gpube__ops_cpu(), &t.c), 0);
	assert_memory_equal(got, want, sizeof(want));
	for (int k = 0; k < t.c.n_in; k++)
		free(t.tables[k]);
}

int main(void)
{
	struct cases c = {0};

	add_numbers(&c, random_shape, N_SEEDS, "seed");
	return run_cases(&c, "stepwise", ctx_setup, ctx_teardown);
}
