/*
 * Operands that are added up before a contraction: whatever is merged, the tables that are made and
 * what is left of it give the reference's result; and what is merged in chosen cases.
 */
#include "tests/support/test.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/reference.h"
#include "tests/support/shapes.h"

#include "gpube/ops/contract/contract_merge.h"
#include "gpube/ops/index.h"

#define N_RANDOM 400

static int seen[3];

/* The contraction by way of what is merged; its result is left in 's'. */
static void run(struct shape *s, const struct gpube__merge *m)
{
	struct gpube__merged rest, part;
	void *made[GPUBE_MERGE_IN] = {NULL};

	gpube__merge_rest(&rest, &s->c, m);
	for (int which = 0; which < m->n; which++) {
		const int n = gpube__merge_part(&part, &rest, &s->c, m, which);

		if (n == 1) {
			assert_non_null(rest.in[which].values);
			continue;
		}
		assert_null(rest.in[which].values);
		made[which] = malloc((size_t)gpube__operand_cells(&rest.c, which) *
				     gpube__type_size(s->c.type));
		assert_non_null(made[which]);
		part.c.out = made[which];
		assert_int_equal(gpube__contract_reference(ctx, &part.c), GPUBE_OK);
		rest.in[which].values = made[which];
	}
	assert_int_equal(gpube__contract_reference(ctx, &rest.c), GPUBE_OK);
	for (int which = 0; which < m->n; which++)
		free(made[which]);
}

static void random_shape(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct gpube__merge found[2];
	struct shape s;
	int n;

	shape_random(&s, seed, 5000);
	n = gpube__merge_find(found, &s.c,
		&(struct gpube__merge_limits){seed % 3 ? 1e9 : 30, seed % 2 ? 1e9 : 200});
	seen[n]++;
	for (int i = 0; i < n; i++) {
		assert_in_range(found[i].n, 1, s.c.n_in - 1);
		shape_poison(&s);
		run(&s, &found[i]);
		shape_expect(&s, NULL, (uint32_t)i);
	}
	shape_free(&s);
}

/* Tables of at most 1000 cells are made, and such of 1e4 that hold an operand. */
static const struct row {
	const char *text;
	int n;
	int8_t first[8], second[8];
} rows[] = {
	{"x=10 a=10 b=10 c=10 d=10 e=10 : a b c d e : x a b c , x d , x c , x a", 1, {0, 1, 0, 0}, {0}},
	{"x=10 a=10 b=10 c=10 d=10 e=10 : a b c d e : x a b c , x d , x c , x e", 2, {0, 1, 0, 2},
		{0, 1, 0, 1}},
	{"x=10 a=10 b=10 c=10 d=10 e=10 : a b c d e : x a b c d , x d , x c , x e", 1, {0, 1, 1, 2},
		{0}},
	{"x=10 a=10 b=10 c=10 : a b c : x a b , x b c , x a c", 0, {0}, {0}},
	{"x=10 a=10 b=10 c=10 : a b c : x a , x a b , x a b c", 1, {0, 0, 0}, {0}},
	{"x=10 a=10 b=10 c=10 : a b c : x a , c b , a x", 1, {0, 1, 0}, {0}},
	{"x=10 a=10 : a : x a , x", 0, {0}, {0}},
};

static void chosen(void **state)
{
	const struct row *row = *state;
	struct gpube__merge found[2];
	struct shape s;

	assert_null(shape_parse(&s, row->text, GPUBE_MIN_PLUS, GPUBE_INT32));
	assert_int_equal(
		gpube__merge_find(found, &s.c, &(struct gpube__merge_limits){1e4, 1e3}), row->n);
	for (int k = 0; k < s.c.n_in && row->n > 0; k++)
		assert_int_equal(found[0].of[k], row->first[k]);
	for (int k = 0; k < s.c.n_in && row->n > 1; k++)
		assert_int_equal(found[1].of[k], row->second[k]);
	shape_free(&s);
}

static void not_with_arguments(void **state)
{
	struct gpube__merge found[2];
	struct shape s;

	(void)state;
	assert_null(shape_parse(&s, rows[0].text, GPUBE_MIN_PLUS, GPUBE_INT32));
	shape_want_arg(&s);
	assert_int_equal(
		gpube__merge_find(found, &s.c, &(struct gpube__merge_limits){1e4, 1e3}), 0);
	shape_free(&s);
}

static void every_number(void **state)
{
	(void)state;
	for (int n = 0; n < 3; n++)
		assert_true(seen[n] > 0);
}

int main(int argc, char **argv)
{
	struct cases c = {0};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		add_case(&c, chosen, &rows[i], "chosen %zu", i);
	ADD_CASE(&c, not_with_arguments);
	add_numbers(&c, random_shape, N_RANDOM, "seed");
	ADD_CASE(&c, every_number);
	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return run_cases(&c, "merging", ctx_setup, ctx_teardown);
}
