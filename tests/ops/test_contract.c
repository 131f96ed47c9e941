/*
 * contract on the CPU: seeded random shapes and chosen ones, each instruction
 * set against the reference; batches; refusals; stopping.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"
#include "tests/support/context.h"
#include "tests/support/memory.h"
#include "tests/support/shapes.h"
#include "tests/support/reference/reference.h"

#include "gpube/ops/contract/cpu/contract_tile.h"
#include "gpube/ops/kept.h"

#include <stdio.h>

#define N_RANDOM 1200

static const char *const levels[] = {"portable", "avx2", "avx512"};

static int teardown(void **state)
{
	gpube__cpu_force(NULL);
	return ctx_teardown(state);
}

/* Runs the shape on every instruction set there is and compares it with the reference. */
static void check(struct shape *s)
{
	struct shape want;

	shape_twin(&want, s);
	shape_poison(&want);
	assert_int_equal(gpube__contract_reference(ctx, &want.c), 0);
	for (int i = 0; i < 3; i++) {
		const char *problem;

		if (!gpube__cpu_force(levels[i]))
			continue;
		shape_poison(s);
		assert_int_equal(gpube__ops_cpu()->contract(ctx, &s->c), 0);
		problem = shape_compare(s, &want);
		if (problem)
			fail_msg("%s, %s: %s", s->text, levels[i], problem);
	}
	shape_twin_free(&want);
}

static void random_shape(void **state)
{
	struct shape s;

	shape_random(&s, (uint64_t)(uintptr_t)*state, 20000);
	check(&s);
	shape_free(&s);
}

/* Chosen shapes, run in every type and semiring, with and without arguments. */
static const char *const chosen[] = {
	": :",
	": : ,",
	"x=1 : :",
	"x=7 : : ",
	"a=5 : a : ",
	"a=1 b=1 x=1 : a b : a b x",
	"a=40 x=3 : a : x",
	"a=40 b=3 x=3 : a b : b x",
	"a=3 b=40 x=3 : a b : a x",
	"x=100003 : : x",
	"x=100003 : : x , x",
	"x=31 y=37 z=41 : : x y , y z , z",
	"x=31 y=37 z=41 : : z y x , x z",
	"a=2 x=30011 : a : x a , a",
	"a=2 x=30011 : a : a x , x",
	"a=3 x=17 y=1009 : a : y x a , x",
	"a=17 b=19 c=23 x=29 : a b c : x a b , x b c , x c",
	"a=17 b=19 c=23 x=29 : a b c : a x b , b x c , c x",
	"a=17 b=19 c=23 x=29 : a b c : a b x , b c x , c x",
	"a=17 b=19 c=23 x=29 : a b c : x c b a",
	"a=17 b=19 c=23 x=29 : c b a : a x c , b",
	"a=101 b=103 x=107 : a b : x a , x b",
	"a=101 b=103 x=107 : a b : a x , b x",
	"a=11 b=13 c=7 d=9 x=21 : a b c d : x a c , x b d",
	"a=11 b=13 c=7 d=9 x=21 : a b c d : a x c , d b x , a",
	"a=1000 b=3 x=50 : a b : x a , x b",
	"a=65 b=1031 x=2 : a b : x a b , x",
	"a=2 b=2 c=2 d=2 e=2 f=2 g=2 h=2 i=2 j=2 k=2 x=2 : a b c d e f g h i j k : x a b c d e f "
	"g , x e f g h i j k , x b d f h , x c k , x",
	"a=2 b=2 c=2 d=2 e=2 f=2 g=2 h=2 i=2 j=2 k=2 x=2 : a b c d e f g h i j k : "
	"a b c d e f g x , e f g h i j k x , b d f x h , k x c , x",
	"a=2 b=2 c=2 d=2 e=2 f=2 g=2 h=2 x=2 y=2 z=2 : a b c d e f g h : z y x h g f e , a b c d "
	"x z",
	"a=4 b=4 c=4 d=4 e=4 x=4 : a b c d e : a b c d e , x a , x b , x c , x d , x e , x a b , "
	"x d e",
	"a=6 b=5 x=9 y=8 z=7 : a b : x a , y b , z a b , x y z",
	"a=6 b=5 x=9 y=8 z=7 : a b : a , b",
	"a=3 b=3 c=3 d=3 e=3 x=3 : a b c d e : x a , x b a , x c b a , x d c b a , x e d c b a",
	"a=28 b=5 c=20 d=18 x=19 : a b c d : x a b , x b c , x c d , x a d",
	/* the eliminated variable last, with many outputs */
	"a=301 x=14 : a : a x , x",
	"a=300 x=16 : a : a x",
	"a=37 b=21 x=14 : a b : a b x , a x , b x , x",
	"a=9 b=33 x=40 : a b : a b x , a",
	"a=61 b=3 x=6 : a b : a b x , b x",
	"a=5 b=50 y=3 x=17 : a b : a b y x , y x , a",
	"a=700 b=2 x=5 : a b : a b x , b a",
	/* few lanes, rows of which many share a row of an operand */
	"a=8 b=8 c=8 x=8 : a b c : x a b , x b c , x a",
	"a=8 b=8 c=8 x=8 : a b c : a b x , b c x , a x",
	"a=8 b=8 c=4 x=8 : a b c : a x b , b x c , a x",
	"a=8 b=6 c=7 x=9 : a b c : x a b , x b c",
	"a=12 b=2 c=5 x=1100 : a b c : x a b , x b c",
};

static struct {
	enum gpube_semiring semiring;
	enum gpube_type type;
	bool arg;
} const kinds[] = {
	{GPUBE_MIN_PLUS, GPUBE_INT32, false},
	{GPUBE_MIN_PLUS, GPUBE_INT64, false},
	{GPUBE_MIN_PLUS, GPUBE_INT32, true},
	{GPUBE_MIN_PLUS, GPUBE_INT64, true},
	{GPUBE_MIN_COUNT, GPUBE_INT32, false},
	{GPUBE_MIN_COUNT, GPUBE_INT64, false},
};
#define N_CHOSEN (sizeof(chosen) / sizeof(*chosen))
#define N_KINDS  (sizeof(kinds) / sizeof(*kinds))

static void chosen_shape(void **state)
{
	for (size_t i = 0; i < 3 * N_KINDS; i++) {
		const size_t kind = i % N_KINDS;
		struct shape s;

		assert_null(shape_parse(&s, *state, kinds[kind].semiring, kinds[kind].type));
		if (kinds[kind].arg)
			shape_want_arg(&s);
		shape_fill(&s, i, (enum shape_fill)((i + i / N_KINDS) % SHAPE_N_FILLS),
			kinds[kind].semiring == GPUBE_MIN_COUNT);
		check(&s);
		shape_free(&s);
	}
}

/* Each operand in turn is so large that only some cells can be compared. */
static void large_shape(void **state)
{
	static const enum gpube_type types[] = {GPUBE_INT32, GPUBE_INT64};

	for (int i = 0; i < 2; i++) {
		const char *problem;
		struct shape s;

		assert_null(shape_parse(&s, *state, GPUBE_MIN_PLUS, types[i]));
		shape_fill(&s, 1, SHAPE_SIGNED, false);
		shape_poison(&s);
		assert_int_equal(gpube__ops_cpu()->contract(ctx, &s.c), 0);
		problem = shape_check_sample(&s, 20000, 2);
		if (problem)
			fail_msg("%s: %s", s.text, problem);
		shape_free(&s);
	}
}

/* A batch of many shapes, neighbours often equal, one large: the same bits as one by one. */
static void batch(void **state)
{
	enum { N = 600 };
	struct gpube_contraction *all = calloc(N, sizeof(*all));
	struct shape *got = calloc(N, sizeof(*got)), *want = calloc(N, sizeof(*want));

	(void)state;
	gpube__cpu_force(NULL);
	for (int i = 0; i < N; i++) {
		if (i == N / 2) {
			assert_null(shape_parse(&got[i], "a=300 b=300 x=50 : a b : x a , x b",
				GPUBE_MIN_PLUS, GPUBE_INT32));
			shape_fill(&got[i], 1, SHAPE_SIGNED, false);
		} else {
			shape_random(&got[i], (uint64_t)i / 3, 3000);
		}
		shape_twin(&want[i], &got[i]);
		shape_poison(&got[i]);
		shape_poison(&want[i]);
		all[i] = got[i].c;
		assert_int_equal(gpube__ops_cpu()->contract(ctx, &want[i].c), 0);
	}
	assert_int_equal(gpube__ops_cpu()->contract_batch(ctx, N, all), 0);
	for (int i = 0; i < N; i++) {
		const char *problem = shape_compare(&got[i], &want[i]);

		if (problem)
			fail_msg("%d, %s: %s", i, got[i].text, problem);
		shape_twin_free(&want[i]);
		shape_free(&got[i]);
	}
	assert_int_equal(gpube__ops_cpu()->contract_batch(ctx, 0, NULL), 0);
	free(all);
	free(got);
	free(want);
}

/* A batch takes no more threads than its work is worth: none is called for a few small ones. */
static void small_batch(void **state)
{
	static const struct {
		int n;
		bool helped;
	} rows[] = {{3, false}, {10, false}, {3000, true}};
	const struct gpube_opts opts = {.n_threads = 4};

	(void)state;
	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
		struct gpube_contraction *all = calloc((size_t)rows[k].n, sizeof(*all));
		struct gpube_ctx *own;
		struct shape s;

		assert_int_equal(gpube_ctx_new(&own, &opts), 0);
		assert_null(shape_parse(
			&s, "a=2 b=3 x=4 : a b : x a , x b", GPUBE_MIN_PLUS, GPUBE_INT32));
		shape_fill(&s, 1, SHAPE_SIGNED, false);
		for (int i = 0; i < rows[k].n; i++)
			all[i] = s.c;
		assert_int_equal(gpube__ops_cpu()->contract_batch(own, rows[k].n, all), 0);
		assert_int_equal(own->pool != NULL, rows[k].helped);
		gpube_ctx_free(own);
		shape_free(&s);
		free(all);
	}
}

/* Bits, arguments included, do not depend on the number of threads. */
static void threads(void **state)
{
	const int n_threads = ctx->n_threads;

	(void)state;
	gpube__cpu_force(NULL);
	for (size_t i = 0; i < N_CHOSEN * 2; i++) {
		struct shape s, one;

		assert_null(shape_parse(
			&s, chosen[i / 2], GPUBE_MIN_PLUS, i % 2 ? GPUBE_INT64 : GPUBE_INT32));
		shape_fill(&s, i, SHAPE_TIES, false);
		shape_want_arg(&s);
		shape_twin(&one, &s);
		ctx->n_threads = 1;
		assert_int_equal(gpube__ops_cpu()->contract(ctx, &one.c), 0);
		ctx->n_threads = 7;
		assert_int_equal(gpube__ops_cpu()->contract(ctx, &s.c), 0);
		ctx->n_threads = n_threads;
		assert_null(shape_compare(&s, &one));
		shape_twin_free(&one);
		shape_free(&s);
	}
}

/* Other tables and arguments of a shape that was done before, among more shapes than are kept. */
static void again(void **state)
{
	(void)state;
	for (uint64_t round = 0; round < 3; round++)
		for (int n = 2; n < GPUBE_KEPT_SLOTS + 40; n++) {
			struct shape s;
			char text[120];

			snprintf(text, sizeof(text),
				n % 7 ? "a=%d b=5 x=9 : a b : x a , b x"
				      : "a=%d b=40 c=8 x=40 : a b c : x b a , c b x , b a",
				n);
			assert_null(shape_parse(&s, text, GPUBE_MIN_PLUS, GPUBE_INT32));
			shape_fill(&s, round, SHAPE_SIGNED, false);
			if (round == 1)
				shape_want_arg(&s);
			check(&s);
			shape_free(&s);
		}
}

enum { BESIDE = 24 };

static void contract_beside(void *arg, int64_t item, int thread)
{
	struct shape *s = arg;

	(void)thread; /* if it fails, what is in the output is wrong */
	(void)gpube__ops_cpu()->contract(ctx, &s[item].c);
}

/* Threads that contract the same shape at once with one context, each with its own tables. */
static void beside_each_other(void **state)
{
	struct shape s[BESIDE], want;

	(void)state;
	for (int i = 0; i < BESIDE; i++) {
		assert_null(shape_parse(&s[i], "a=40 b=40 c=40 x=8 : a b c : x b a , c b x , b a",
			GPUBE_MIN_PLUS, GPUBE_INT32));
		shape_fill(&s[i], (uint64_t)i, SHAPE_SIGNED, false);
		shape_poison(&s[i]);
	}
	gpube__parallel(ctx, BESIDE, contract_beside, s);
	for (int i = 0; i < BESIDE; i++) {
		const char *problem;

		shape_twin(&want, &s[i]);
		assert_int_equal(gpube__contract_reference(ctx, &want.c), 0);
		problem = shape_compare(&s[i], &want);
		if (problem)
			fail_msg("%d: %s", i, problem);
		shape_twin_free(&want);
		shape_free(&s[i]);
	}
}

static void refusals(void **state)
{
	static const int64_t huge[] = {INT64_MAX / 2, 3}, empty[] = {0};
	const int32_t twice[] = {0, 0}, far[] = {7};
	struct gpube_operand o;
	struct gpube_contraction c;
	struct shape s;

	(void)state;
	assert_null(shape_parse(&s, "a=300 x=300 : a : a x", GPUBE_MIN_PLUS, GPUBE_INT32));
	shape_fill(&s, 1, SHAPE_SIGNED, false);
	shape_want_arg(&s);
#define REFUSED(text)                                                                              \
	do {                                                                                       \
		assert_int_equal(gpube__ops_cpu()->contract(ctx, &c), GPUBE_EINVAL);               \
		assert_int_equal(gpube__ops_cpu()->contract_batch(ctx, 1, &c), GPUBE_EINVAL);      \
		assert_int_equal(gpube__contract_reference(ctx, &c), GPUBE_EINVAL);                \
		assert_string_equal(gpube_error(ctx), "contract: " text);                          \
		assert_non_null(gpube__ops_cpu()->unsupported(&c));                                \
	} while (0)
	c = s.c;
	c.arg_bytes = 1;
	REFUSED("an argument needs more bytes");
	c.arg_bytes = 3;
	REFUSED("arguments have 1, 2 or 4 bytes");
	c = s.c;
	c.type = GPUBE_FLOAT32;
	REFUSED("the type is not int32 or int64");
	c = s.c;
	c.semiring = (enum gpube_semiring)(GPUBE_MIN_COUNT + 1);
	REFUSED("no such semiring");
	c = s.c;
	c.semiring = GPUBE_MIN_COUNT;
	REFUSED("counts need room for them and a modulus that is 0 or a prime below 2^32");
	c = s.c;
	c.sizes = huge;
	REFUSED("the joined table has 2^63 cells or more");
	c.sizes = empty;
	c.n_dims = c.n_out = 1;
	REFUSED("a dim is empty");
	c = s.c;
	o = *c.in;
	c.in = &o;
	o.dims = twice;
	REFUSED("an operand has a dim twice");
	o.dims = far;
	REFUSED("an operand's dim is out of range");
#undef REFUSED
	assert_null(gpube__ops_cpu()->unsupported(&s.c));
	shape_free(&s);
}

static void stops(void **state)
{
	struct gpube_ctx *other;
	struct shape s;

	(void)state;
	assert_int_equal(gpube_ctx_new(&other, NULL), 0);
	for (int i = 0; i < 2; i++) {
		assert_null(shape_parse(&s, "a=99 b=99 x=99 : a b : x a , x b",
			i ? GPUBE_MIN_COUNT : GPUBE_MIN_PLUS, GPUBE_INT32));
		shape_fill(&s, 1, SHAPE_SIGNED, i);
		other->deadline = 1e-9;
		assert_int_equal(gpube__ops_cpu()->contract(other, &s.c), GPUBE_ESTOP);
		assert_string_equal(gpube_error(other), "out of time");
		assert_int_equal(gpube__ops_cpu()->contract_batch(other, 1, &s.c), GPUBE_ESTOP);
		other->deadline = 0;
		assert_int_equal(gpube__ops_cpu()->contract(other, &s.c), 0);
		gpube_ctx_stop(other);
		assert_int_equal(gpube__ops_cpu()->contract(other, &s.c), GPUBE_ESTOP);
		assert_string_equal(gpube_error(other), "stopped");
		other->stop = 0;
		shape_free(&s);
	}
	gpube_ctx_free(other);
}

/*
 * A contraction that does not end before work has to stop is not begun, and what was left until
 * then counts as worked; one that does counts what it should take. Neither depends on how many
 * tiles a machine cuts it into.
 */
static void ends_or_is_not_begun(void **state)
{
	struct gpube_ctx *other;
	struct shape s;

	(void)state;
	assert_int_equal(gpube_ctx_new(&other, NULL), 0);
	other->n_threads = 1;
	assert_null(
		shape_parse(&s, "a=99 b=99 x=99 : a b : x a , x b", GPUBE_MIN_PLUS, GPUBE_INT32));
	shape_fill(&s, 1, SHAPE_SIGNED, false);
	for (int less = 0; less < 2; less++) {
		const int64_t all = (int64_t)gpube__contraction_ticks(&s.c),
			      left = all + 1 - less * 2;

		other->ticks = 1000;
		other->tick_at = 1000 + left;
		memset(s.c.out, 0x55, 99 * 99 * sizeof(int32_t));
		assert_int_equal(gpube__ops_cpu()->contract(other, &s.c), less ? GPUBE_ESTOP : 0);
		assert_int_equal(other->ticks, 1000 + (less ? left : all));
		assert_int_equal(((int32_t *)s.c.out)[0] == 0x55555555, less);
	}
	shape_free(&s);
	gpube_ctx_free(other);
}

/* Every allocation in turn fails: ENOMEM, and nothing leaks. */
static void no_memory(void **state)
{
	static const char *const texts[] = {
		"a=9 b=9 x=9 : a b : x a , x b", "x=50021 : : x , x", "a=9 x=9 : a : a x"};

	(void)state;
	for (size_t i = 0; i < 6; i++) {
		struct test_memory scarce = {.fail_at = -1};
		struct gpube_ctx *other = test_memory_ctx(&scarce);
		struct shape s;
		int status = GPUBE_ENOMEM, n = 0;

		assert_null(shape_parse(&s, texts[i / 2],
			i / 2 == 2 ? GPUBE_MIN_COUNT : GPUBE_MIN_PLUS, GPUBE_INT32));
		shape_fill(&s, 1, SHAPE_SIGNED, false);
		if (i / 2 != 2)
			shape_want_arg(&s);
		for (; status == GPUBE_ENOMEM && n < 50; n++) {
			scarce.fail_at = scarce.n + n;
			status = i % 2 ? gpube__ops_cpu()->contract_batch(other, 1, &s.c)
				       : gpube__ops_cpu()->contract(other, &s.c);
		}
		assert_int_equal(status, 0);
		assert_in_range(n, 2, 49);
		test_memory_end(other, &scarce);
		shape_free(&s);
	}
}

static void memory(void **state)
{
	const struct gpube_ops *ops = gpube__ops_cpu();
	char out[5] = "";
	void *p;

	(void)state;
	for (uint64_t bytes = 0; bytes < 300; bytes += 13) {
		p = ops->alloc(ctx, bytes);
		assert_non_null(p);
		assert_int_equal((uintptr_t)p % 64, 0);
		memset(p, 1, bytes);
		ops->free(ctx, p);
	}
	ops->free(ctx, NULL);
	assert_null(ops->alloc(ctx, UINT64_MAX - 10));
	p = ops->alloc(ctx, 5);
	assert_int_equal(ops->upload(ctx, p, "gpub", 5), 0);
	assert_int_equal(ops->download(ctx, out, p, 5), 0);
	assert_string_equal(out, "gpub");
	ops->free(ctx, p);
}

static struct CMUnitTest *add(
	struct CMUnitTest *t, const char *name, CMUnitTestFunction f, const void *state)
{
	*t = (struct CMUnitTest){name, f, NULL, NULL, (void *)state};
	return t + 1;
}

int main(void)
{
	static const char *const large[] = {
		"a=500 b=501 c=3 x=61 : a b c : x a b c , x c",
		"a=64 b=64 c=32 d=24 x=3 : a b c d : x a b c d , x d",
		"a=313 b=317 x=331 : a b : a x , b x",
		"a=2 b=3 x=1000003 : a b : x a , x b",
	};
	static struct CMUnitTest tests[N_RANDOM + N_CHOSEN + 32], *t = tests;
	static char names[N_RANDOM][24];

	t = add(t, "memory", memory, NULL);
	t = add(t, "refusals", refusals, NULL);
	for (int i = 0; i < N_RANDOM; i++) {
		snprintf(names[i], sizeof(names[i]), "seed %d", i);
		t = add(t, names[i], random_shape, (void *)(uintptr_t)i);
	}
	for (size_t i = 0; i < N_CHOSEN; i++)
		t = add(t, chosen[i], chosen_shape, chosen[i]);
	for (size_t i = 0; i < sizeof(large) / sizeof(*large); i++)
		t = add(t, large[i], large_shape, large[i]);
	t = add(t, "batch", batch, NULL);
	t = add(t, "small batch", small_batch, NULL);
	t = add(t, "again", again, NULL);
	t = add(t, "beside each other", beside_each_other, NULL);
	t = add(t, "threads", threads, NULL);
	t = add(t, "stops", stops, NULL);
	t = add(t, "ends or is not begun", ends_or_is_not_begun, NULL);
	t = add(t, "no memory", no_memory, NULL);
	return _cmocka_run_group_tests("contract", tests, (size_t)(t - tests), ctx_setup, teardown);
}
