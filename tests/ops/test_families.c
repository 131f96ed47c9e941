/*
 * The families of the CUDA backend, without a device: plans of seeded random shapes and of chosen
 * ones are executed as the kernels would (tests/support/emulate/emulation.h) and compared with the
 * reference; of tables of 2^32 cells and more, for which there is no memory, some blocks. And
 * faults that are planted into plans are found, so that all of this means something.
 */
#include "tests/support/context.h"
#include "tests/support/emulate/emulation.h"
#include "tests/support/large.h"
#include "tests/support/reference/reference.h"

#include <stdlib.h>
#include <string.h>

enum { N_RANDOM = 1200, LARGE_BLOCKS = 3, LARGE_SUMS = 100000 };

#define NO_LAUNCH(family) NULL
static const struct gpube__family families[] = GPUBE_FAMILIES(NO_LAUNCH);
static const struct gpube__box_device device = {132, 227u << 10, 228u << 10};

static const struct emulated *const all[] = {&emulated_boxes, &emulated_direct, &emulated_strips};
#define N_ALL (sizeof(all) / sizeof(*all))

/* Of each family, whatever the cases before had. */
static int seen[N_ALL][16];
static unsigned seen_features[N_ALL];

/* A family's plan for a shape; false: it has none. */
static bool begin(
	struct emulation *e, const struct emulated *f, const struct shape *s, bool in_batch)
{
	const struct gpube__family *family = &families[f->by];
	struct gpube__request r = {&device, &s->c, &e->shape, in_batch, true};
	double cycles = -1;

	memset(e, 0, sizeof(*e));
	e->s = s;
	e->every = 1;
	e->last_cell = -1;
	gpube__shape_init(&e->shape, &s->c, e->stride, s->c.out_arg != NULL);
	if (!family->applies(&r))
		return false;
	e->p = calloc(1, sizeof(*e->p));
	assert_non_null(e->p);
	if (!family->plan(e->p, &cycles, &r)) {
		free(e->p);
		return false;
	}
	assert_true(cycles > 0);
	return true;
}

static void take_memory(struct emulation *e, const struct emulated *f)
{
	e->n_words = f->words_of ? f->words_of(e->p) : 0;
	assert_true(e->n_words <= device.shared_bytes / 4);
	e->word = calloc(e->n_words + 1, sizeof(*e->word));
	e->written = calloc(e->n_words + 1, sizeof(*e->written));
	e->list = calloc((f->list_of ? f->list_of(e->p) : 0) + 1, sizeof(*e->list));
	assert_true(e->word && e->written && e->list);
	if (f->begin)
		f->begin(e);
}

static void end(struct emulation *e)
{
	free(e->p);
	free(e->word);
	free(e->written);
	free(e->list);
}

/* All blocks; NULL, or what is wrong with the plan or with the outputs that it left. */
static const char *run_all(struct emulation *e, const struct emulated *f, struct shape *s)
{
	const char *problem;
	struct shape want;

	take_memory(e, f);
	shape_poison(s);
	for (uint32_t block = 0; block < f->blocks_of(e->p) && !e->problem; block++)
		f->block(e, block);
	if (e->problem)
		return e->problem;
	shape_twin(&want, s);
	shape_poison(&want);
	assert_int_equal(gpube__contract_reference(ctx, &want.c), 0);
	problem = shape_compare(s, &want);
	shape_twin_free(&want);
	return problem;
}

/* Whether the family has a plan for the shape. */
static bool check(const struct emulated *f, size_t which, struct shape *s, bool in_batch)
{
	struct emulation e;
	const char *problem;
	int kernel;

	if (!begin(&e, f, s, in_batch))
		return false;
	kernel = f->kernel_of(e.p);
	assert_in_range(kernel, 0, f->n_kernels - 1);
	seen[which][kernel]++;
	seen_features[which] |= f->features_of(e.p);
	problem = run_all(&e, f, s);
	if (problem)
		fail_msg("%s, kernel %d: %s", s->text, kernel, problem);
	end(&e);
	return true;
}

static void random_shape(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct shape s;

	shape_random(&s, seed, seed % 8 ? 5000 : 20000);
	for (size_t k = 0; k < N_ALL; k++)
		check(all[k], k, &s, seed / 3 % 2);
	shape_free(&s);
}

/* Where a case's number says which family and which of its shapes or faults. */
static const struct emulated *family_of(void **state, size_t *row)
{
	const size_t number = (size_t)(uintptr_t)*state;

	*row = number / N_ALL;
	return all[number % N_ALL];
}

static void chosen_shape(void **state)
{
	size_t row;
	const struct emulated *f = family_of(state, &row);

	for (size_t i = 0; i < (f->all_types ? 8 : 2); i++) {
		struct shape s;

		assert_null(shape_parse(&s, f->chosen[row], GPUBE_MIN_PLUS,
			f->all_types && i % 2 ? GPUBE_INT64 : GPUBE_INT32));
		if (i / 4)
			shape_want_arg(&s);
		shape_fill(&s, i, i % 2 ? SHAPE_TIES : SHAPE_SIGNED, false);
		assert_true(check(f, (uintptr_t)*state % N_ALL, &s, i / 2 % 2));
		shape_free(&s);
	}
}

static void planted(void **state)
{
	size_t row;
	const struct emulated *f = family_of(state, &row);
	int found = 0, n = 0;

	/* alone, and in a batch, where threads have more cells */
	for (size_t k = 0; k < 2 * f->n_chosen; k++) {
		struct emulation e;
		struct shape s;

		assert_null(shape_parse(&s, f->chosen[k / 2], GPUBE_MIN_PLUS, GPUBE_INT32));
		shape_fill(&s, k, SHAPE_SIGNED, false);
		if (begin(&e, f, &s, k % 2)) {
			f->faults[row].plant(e.p);
			found += run_all(&e, f, &s) != NULL;
			n++;
			end(&e);
		}
		shape_free(&s);
	}
	/* many plans do not use what is wrong */
	if (found < 2)
		fail_msg("%s: found in %d of %d plans", f->faults[row].what, found, n);
}

/* Blocks here and there, and the last one, which has to reach the output's end. */
static void large_tables(void **state)
{
	size_t row;
	const struct emulated *f = family_of(state, &row);
	struct emulation e;
	struct gpube_rng rng;
	struct shape s;
	uint32_t n;

	shape_large(&s, (int)row, f->all_types && row % 2 ? GPUBE_INT64 : GPUBE_INT32);
	if (begin(&e, f, &s, row % 3 == 0)) {
		e.large = true;
		gpube__rng_init(&rng, row);
		take_memory(&e, f);
		n = f->blocks_of(e.p);
		e.every = 1 + (uint32_t)(e.shape.n_reduced * e.shape.n_out_cells / n / LARGE_SUMS);
		for (int i = 0; i < LARGE_BLOCKS && !e.problem; i++)
			f->block(&e, i == 0   ? 0
				     : i == 1 ? n - 1
					      : (uint32_t)gpube__rng_below(&rng, n));
		if (e.problem)
			fail_msg("%s, kernel %d: %s", s.text, f->kernel_of(e.p), e.problem);
		assert_int_equal(e.last_cell, e.shape.n_out_cells - 1);
		end(&e);
	}
	shape_large_free(&s);
}

/* The shapes above are chosen such that each kernel, and whatever else is told apart, has some. */
static void everything(void **state)
{
	(void)state;
	for (size_t k = 0; k < N_ALL; k++) {
		for (int kernel = 0; kernel < all[k]->n_kernels; kernel++)
			if (!seen[k][kernel])
				fail_msg("%s: no shape had a plan for kernel %d",
					families[all[k]->by].name, kernel);
		assert_int_equal(seen_features[k], (1u << all[k]->n_features) - 1);
	}
}

int main(int argc, char **argv)
{
	struct cases c = {0};

	for (size_t k = 0; k < N_ALL; k++) {
		const char *name = families[all[k]->by].name;

		for (size_t i = 0; i < all[k]->n_chosen; i++)
			add_case(&c, chosen_shape, (void *)(uintptr_t)(i * N_ALL + k),
				"%s, chosen %zu", name, i);
		for (size_t i = 0; i < all[k]->n_faults; i++)
			add_case(&c, planted, (void *)(uintptr_t)(i * N_ALL + k), "%s, planted: %s",
				name, all[k]->faults[i].what);
		for (size_t i = 0; i < N_LARGE; i++)
			add_case(&c, large_tables, (void *)(uintptr_t)(i * N_ALL + k),
				"%s, large %zu", name, i);
	}
	add_numbers(&c, random_shape, N_RANDOM, "seed");
	ADD_CASE(&c, everything);
	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return run_cases(&c, "families", ctx_setup, ctx_teardown);
}
