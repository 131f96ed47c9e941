/* contract on the CPU: seeded random shapes and chosen ones against the reference. */
#include "tests/support/test.h"
#include "tests/support/shapes.h"

#define N_RANDOM 1000

static struct gpube_ctx *ctx;

static int setup(void **state)
{
	(void)state;
	return gpube_ctx_new(&ctx, NULL);
}

static int teardown(void **state)
{
	(void)state;
	gpube_ctx_free(ctx);
	return 0;
}

/* Runs the shape and compares it with the reference. */
static void check(struct shape *s)
{
	struct shape want;
	const char *problem;

	shape_twin(&want, s);
	shape_poison(s);
	shape_poison(&want);
	assert_int_equal(gpube__contract_reference(ctx, &want.c), 0);
	assert_int_equal(gpube__ops_cpu()->contract(ctx, &s->c), 0);
	problem = shape_compare(s, &want);
	if (problem)
		fail_msg("%s: %s", s->text, problem);
	shape_twin_free(&want);
}

static void random_shape(void **state)
{
	struct shape s;

	shape_random(&s, (uint64_t)(uintptr_t)*state, 20000);
	check(&s);
	shape_free(&s);
}

int main(void)
{
	static struct CMUnitTest tests[N_RANDOM];
	static char names[N_RANDOM][24];

	for (int i = 0; i < N_RANDOM; i++) {
		snprintf(names[i], sizeof(names[i]), "seed %d", i);
		tests[i] = (struct CMUnitTest){names[i], random_shape, NULL, NULL,
			(void *)(uintptr_t)i};
	}
	return cmocka_run_group_tests(tests, setup, teardown);
}
