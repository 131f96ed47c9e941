/*
 * Operands that are merged before a contraction, without a device: any groups of them give the same
 * results, by the reference; and which groups are chosen.
 */
#include "tests/support/test.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/shapes.h"

#include "gpube/ops/contract/contract_path.h"

enum { N_RANDOM = 600 };

#define NO_LAUNCH(family) NULL
static const struct gpube__family families[] = GPUBE_FAMILIES(NO_LAUNCH);

/* Merges by the reference, then the rest by it, into the outputs of s. */
static void run_merged(struct shape *s, const struct gpube__merges *m)
{
	struct gpube__merging *w = calloc(1, sizeof(*w));
	void *tables[GPUBE_BOX_IN] = {NULL};

	assert_non_null(w);
	for (int g = 0; g < m->n; g++) {
		if (gpube__merge_members(&s->c, m, g) < 2)
			continue;
		tables[g] = calloc((size_t)gpube__merge_cells(&s->c, m, g), sizeof(int64_t));
		assert_non_null(tables[g]);
		gpube__merge_group(w, &s->c, m, g, tables[g]);
		assert_int_equal(gpube__contract_reference(ctx, &w->c), 0);
	}
	gpube__merge_rest(w, &s->c, m, tables);
	assert_int_equal(gpube__contract_reference(ctx, &w->c), 0);
	for (int g = 0; g < m->n; g++)
		free(tables[g]);
	free(w);
}

/* Groups of every number up to that of the operands, each with one at least. */
static void random_merges(struct gpube__merges *m, int n_in, struct gpube_rng *rng)
{
	m->n = 1 + (int)gpube__rng_below(rng, (uint64_t)n_in);
	for (int k = 0; k < n_in; k++)
		m->of[k] = (uint8_t)(k < m->n ? k : (int)gpube__rng_below(rng, (uint64_t)m->n));
}

static void same_results(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	static const enum shape_fill fills[] = {
		SHAPE_ABSORB, SHAPE_SATURATE, SHAPE_LIMIT, SHAPE_FORBIDDEN};
	struct gpube__merges m;
	struct gpube_rng rng;
	struct shape s, want;
	const char *problem;

	shape_random(&s, seed, 5000);
	if (s.c.semiring != GPUBE_MIN_PLUS || s.c.out_arg || s.c.n_in < 1 ||
		s.c.n_in > GPUBE_BOX_IN || s.c.n_dims > GPUBE_MAX_DIMS) {
		shape_free(&s);
		return;
	}
	shape_fill(&s, seed, fills[seed % 4], false);
	if (s.c.threshold != s.c.cut) {
		shape_free(&s);
		return;
	}
	gpube__rng_init(&rng, seed);
	random_merges(&m, s.c.n_in, &rng);
	shape_twin(&want, &s);
	shape_poison(&want);
	shape_poison(&s);
	assert_int_equal(gpube__contract_reference(ctx, &want.c), 0);
	run_merged(&s, &m);
	problem = shape_compare(&s, &want);
	if (problem)
		fail_msg("%s, %d groups: %s", s.text, m.n, problem);
	shape_twin_free(&want);
	shape_free(&s);
}

static const struct choice {
	const char *what, *shape;
	int n; /* groups; 0: nothing is merged */
} choices[] = {
	{"six tables of two dims",
		"x=30 a=30 b=30 c=30 d=30 e=30 f=30 : a b c d e f : x a , x b , x c , x d , x e , x f",
		2},
	{"those that a larger one has the dims of",
		"x=30 a=30 b=30 c=30 d=30 e=30 f=30 : a b c d e f : x a b c , x a , x b , x c , x d , x e , x f",
		2},
	{"none where the tables are as large as the output",
		"x=2 a=400 b=400 c=40 : a b c : x a b c , x b c a , x c a b", 0},
	{"none where two are left", "x=1000 a=1000 b=1000 : a b : x a , x b", 0},
};

static void is_chosen(void **state)
{
	const struct choice *choice = *state;
	struct gpube__planning planning = {.families = families,
		.device = {132, 227u << 10, 228u << 10},
		.only = GPUBE_BY_ANY};
	const struct gpube__cuda_plan *p;
	int64_t stride[GPUBE_BOX_IN * GPUBE_MAX_DIMS];
	struct gpube__merges m;
	struct gpube__shape shape;
	struct shape s;

	assert_null(shape_parse(&s, choice->shape, GPUBE_MIN_PLUS, GPUBE_INT32));
	gpube__shape_init(&shape, &s.c, stride, 0);
	planning.predicted = 1e9; /* time for all searches */
	for (int i = 0; i < 2; i++)
		assert_int_equal(
			gpube__cuda_plans_get(&p, &planning, ctx, &s.c, &shape, false), GPUBE_OK);
	assert_int_equal(gpube__cuda_merges(&m, &planning, ctx, &s.c, p->cycles), GPUBE_OK);
	assert_int_equal(m.n, choice->n);
	for (int k = 0; m.n && k < s.c.n_in; k++)
		assert_in_range(m.of[k], 0, m.n - 1);
	for (int g = 0; g < m.n; g++)
		assert_in_range(gpube__merge_members(&s.c, &m, g), 1, s.c.n_in);
	shape_free(&s);
	gpube__kept_clear(&planning.plans, ctx);
}

int main(int argc, char **argv)
{
	struct cases c = {0};

	add_numbers(&c, same_results, N_RANDOM, "shape");
	for (size_t i = 0; i < sizeof(choices) / sizeof(*choices); i++)
		add_case(&c, is_chosen, &choices[i], "%s", choices[i].what);
	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return run_cases(&c, "merges", ctx_setup, ctx_teardown);
}
