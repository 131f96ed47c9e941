/*
 * contract on the GPU: the random shapes of the CPU's test, chosen ones and batches, against the
 * reference; large ones against sampled cells. Without a device all is one case
 * that is skipped, unless GPUBE_REQUIRE_GPU is set.
 */
#include "tests/support/test.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/on_device.h"
#include "tests/support/reference/reference.h"

#include "gpube/ops/contract/contract.h"

#define N_RANDOM  1000
#define N_BY      400 /* by each kind of kernels */
#define N_BATCHES 40
#define BATCH     60

static const struct gpube_ops *ops;

/* Runs it on the device; the results are in s->c.out... afterwards. */
static void run(struct shape *s)
{
	struct on_device d;

	shape_poison(s);
	assert_int_equal(on_device_new(&d, ctx, ops, s), 0);
	if (ops->contract(ctx, &d.c) != 0 || on_device_fetch(&d, s) != 0)
		fail_msg("%s: %s", s->text, gpube_error(ctx));
	on_device_free(&d);
}

static void compare(struct shape *s)
{
	struct shape want;
	const char *problem;

	shape_twin(&want, s);
	shape_poison(&want);
	assert_int_equal(gpube__contract_reference(ctx, &want.c), 0);
	problem = shape_compare(s, &want);
	if (problem)
		fail_msg("%s: %s", s->text, problem);
	shape_twin_free(&want);
}

static void random_shape(void **state)
{
	struct shape s;

	shape_random(&s, (uint64_t)(uintptr_t)*state, 20000);
	run(&s);
	compare(&s);
	shape_free(&s);
}

/* The same by one kind of kernels wherever it can. */
static void random_by(void **state, const char *kernels)
{
	assert_true(gpube__cuda_force(ctx, kernels));
	random_shape(state);
	assert_true(gpube__cuda_force(ctx, NULL));
}

static void random_boxes(void **state)
{
	random_by(state, "boxes");
}

static void random_direct(void **state)
{
	random_by(state, "direct");
}

static void random_strips(void **state)
{
	random_by(state, "strips");
}

static void random_batch(void **state)
{
	const uint64_t seed = 1000000 + (uint64_t)(uintptr_t)*state * BATCH;
	struct shape s[BATCH];
	struct on_device d[BATCH];
	struct gpube_contraction c[BATCH];

	for (int i = 0; i < BATCH; i++) {
		/* several of one form, as a batch mostly has */
		shape_random(&s[i], seed + (uint64_t)(i < BATCH / 2 ? i / 8 : i), 5000);
		shape_poison(&s[i]);
		assert_int_equal(on_device_new(&d[i], ctx, ops, &s[i]), 0);
		c[i] = d[i].c;
	}
	if (ops->contract_batch(ctx, BATCH, c) != 0)
		fail_msg("%s", gpube_error(ctx));
	for (int i = 0; i < BATCH; i++) {
		assert_int_equal(on_device_fetch(&d[i], &s[i]), 0);
		compare(&s[i]);
		on_device_free(&d[i]);
		shape_free(&s[i]);
	}
}

/* Chosen shapes: the text of shape_parse(); small enough for the reference. */
static const char *const chosen[] = {
	"x=5 : : x",
	"x=7 y=9 a=1 : a : x y , y",
	"x=70000 : : x",
	"x=3 a=100000 : a : x a , x",
	"x=100000 a=3 : a : a x , x",
	"a=50 b=60 : a b : a b",
	"a=50 b=60 : a b : b a , a",
	"x=130 a=150 b=140 : a b : x a , x b",
	"x=37 a=33 b=129 : a b : a x , b x",
	"x=37 a=33 b=129 : a b : a x , x b , x , a , b",
	"x=64 a=64 b=64 : a b : a x , x b , a b",
	"x=10 a=10 b=10 c=10 d=10 : a b c d : x a b c d , x a , x b , x c , x d , x",
	"x=10 a=10 b=10 c=10 d=10 : a b c d : a b c d x , a x , b x , c x , d x , x",
	"x=10 a=10 b=10 c=10 d=10 : a b c d : a b x c d , a x , x b , c x , d x",
	"x=9 a=11 b=7 c=13 d=5 : a b c d : d c b a x , x c a , b d",
	"x=9 a=11 b=7 c=13 d=5 : d c b a : x a b , x b c , x c d , x d a",
	"x=40 a=20 b=20 c=20 : a b c : x a b c , x a b , x b c , x a c",
	"x=40 a=20 b=20 c=20 : a b c : x a c , x b c",
	"x=40 a=20 b=20 c=20 : c b a : x a c , x b c",
	"x=44 a=20 b=20 c=20 : a b c : x a b , x b c , x a , x c , x",
	"x=12 y=11 a=40 b=41 : a b : x a y , y x b",
	"x=12 y=11 a=40 b=41 : a b : a x y b , y",
	"x=12 z=2 y=3 a=40 b=41 : a b : a x b , y b , z a",
	"x=2 a=2 b=2 c=2 d=2 e=2 f=2 g=2 h=2 i=2 j=2 k=2 : a b c d e f g h i j k : "
	"x a b c d e f g h , x d e f g h i j k , x b f j , x c d , a k",
	"x=2 a=2 b=2 c=2 d=2 e=2 f=2 g=2 h=2 i=2 j=2 k=2 : a b c d e f g h i j k : "
	"a b c d e f g h x , d e f g h i j x k , x b f j , x c d , a k",
	"x=4 a=4 b=4 c=4 d=4 e=4 f=4 : a b c d e f : x a c e , x b d f , x a f , x b e , x c d ,"
	" a b , b c , c d , d e , e f , x a , x b , x c , x d , x e , x f",
	"a=1 : a : ",
	"x=6 a=5 : a : ",
};

static const enum gpube_type types[] = {GPUBE_INT32, GPUBE_INT64};

/* Large batches of one form. */
static const char *const forms[] = {
	"x=10 a=10 b=10 c=10 : a b c : x a b , x b c , x a",
	"x=10 a=10 b=10 c=10 : a b c : a x b , b x c , a x",
	"x=10 a=10 b=10 c=10 : a b c : a b x , b c x , a x",
	"x=8 a=8 b=8 c=8 d=8 : a b c d : x a b c , x c d , x b",
	"x=8 a=8 b=8 c=8 d=8 : a b c d : a b c x , c d x , b x",
	"x=8 a=9 b=8 c=7 d=6 : a b c d : a b c x , c d x",
	"x=20 a=20 b=20 : a b : x a b , x b , x a",
	"x=9 a=21 b=19 : a b : a x b , b x , a x",
	"x=5 a=5 b=5 c=5 d=5 : a b c d : x a b c , x b c d , x a",
	"x=12 a=12 b=10 c=10 : a b c : a b x , b c x , a x",
	"x=7 a=9 b=11 c=5 : a b c : a b x , b c x , a x , c x",
	"x=6 a=9 b=11 c=5 : a b c : a b x , b c x , x a",
	"x=6 a=9 b=11 c=5 : a b c : a b x , b c x , a",
	"x=4 a=3 b=2 c=5 : a b c : x c , x b , x a",
	"x=4 a=3 b=5 : b a : a x , b x , x",
	"x=6 a=33 b=17 : a b : a b x , a x",
	"x=12 a=13 b=14 c=15 : c a b : a x , b c x",
	"x=3 a=2 b=2 c=2 d=2 e=2 f=2 g=2 : a b c d e f g : x a b e , x g f , d c",
};

#define N_FORMS    (sizeof(forms) / sizeof(*forms))
#define N_SETS     61 /* of inputs, each those of every so-manieth contraction */
#define FORMS_MOST 12001

/* Outputs that differ from their set's. */
static int n_wrong(const struct shape *s, const unsigned char *got, uint64_t step, int n)
{
	int wrong = 0;

	for (int i = 0; i < N_SETS; i++) {
		struct shape want, is;

		shape_twin(&want, &s[i]);
		assert_int_equal(gpube__contract_reference(ctx, &want.c), 0);
		is = want;
		for (int k = i; k < n; k += N_SETS) {
			is.c.out = (void *)(got + (uint64_t)k * step);
			wrong += shape_compare(&is, &want) != NULL;
		}
		shape_twin_free(&want);
	}
	return wrong;
}

static void one_form(void **state)
{
	const size_t row = (size_t)(uintptr_t)*state;
	const int n = row % 4 < 2 ? FORMS_MOST : FORMS_MOST / 40;
	struct shape *s = calloc(N_SETS, sizeof(*s));
	struct on_device *d = calloc(N_SETS, sizeof(*d));
	struct gpube_contraction *c = calloc((size_t)n, sizeof(*c));
	unsigned char *on_host, *on_card;
	uint64_t step;

	assert_true(s && d && c);
	for (int i = 0; i < N_SETS; i++) {
		assert_null(shape_parse(&s[i], forms[row / 4], GPUBE_MIN_PLUS, types[row % 2]));
		shape_fill(&s[i], (uint64_t)i, row % 3 ? SHAPE_SIGNED : SHAPE_TIES, false);
		assert_int_equal(on_device_new(&d[i], ctx, ops, &s[i]), 0);
	}
	step = (shape_out_bytes(&s[0]) + 63) / 64 * 64;
	on_host = malloc(step * (uint64_t)n);
	on_card = ops->alloc(ctx, step * (uint64_t)n);
	assert_true(on_host && on_card);
	memset(on_host, 0x5a, step * (uint64_t)n);
	assert_int_equal(ops->upload(ctx, on_card, on_host, step * (uint64_t)n), 0);
	for (int i = 0; i < n; i++) {
		c[i] = d[i % N_SETS].c;
		c[i].out = on_card + (uint64_t)i * step;
	}
	assert_true(gpube__cuda_force(ctx, row % 4 == 3 ? "boxes" : NULL));
	if (ops->contract_batch(ctx, n, c) != 0)
		fail_msg("%s", gpube_error(ctx));
	assert_true(gpube__cuda_force(ctx, NULL));
	assert_int_equal(ops->download(ctx, on_host, on_card, step * (uint64_t)n), 0);
	assert_int_equal(n_wrong(s, on_host, step, n), 0);
	for (int i = 0; i < N_SETS; i++) {
		on_device_free(&d[i]);
		shape_free(&s[i]);
	}
	ops->free(ctx, on_card);
	free(on_host);
	free(s);
	free(d);
	free(c);
}

#define N_CHOSEN   (sizeof(chosen) / sizeof(*chosen))
#define N_VARIANTS 6 /* 2 types; min-plus, with arguments, min-count */

static void chosen_shape(void **state)
{
	const size_t row = (size_t)(uintptr_t)*state, variant = row % N_VARIANTS;
	const enum gpube_semiring semiring = variant / 2 == 2 ? GPUBE_MIN_COUNT : GPUBE_MIN_PLUS;
	const char *problem;
	struct shape s;

	problem = shape_parse(&s, chosen[row / N_VARIANTS], semiring, types[variant % 2]);
	if (problem)
		fail_msg("%s", problem);
	if (variant / 2 == 1)
		shape_want_arg(&s);
	shape_fill(
		&s, 7 + row, (enum shape_fill)(row % SHAPE_N_FILLS), semiring == GPUBE_MIN_COUNT);
	run(&s);
	compare(&s);
	shape_free(&s);
}

/* Too large for the reference: sampled cells. */
static const char *const large[] = {
	"x=1000 a=1024 b=1000 : a b : x a , x b",
	"x=1000 a=1024 b=1000 : a b : a x , b x",
	"x=1001 a=100 b=300 : a b : x a , x b",
	"x=16 a=16 b=16 c=16 d=16 e=16 : a b c d e : x a b c d e , x a , x b , x c , x d e",
	"x=16 a=16 b=16 c=16 d=16 e=16 : a b c d e : a b c d e x , a x , b x , c x , d e x",
	"x=16 a=16 b=16 c=16 d=16 e=16 : a b c d e : a b x c d e , x a , b x , c x , d x e",
	"x=15 a=15 b=15 c=15 d=15 e=15 : a b c d e : x a b c d e , x a b c , x c d e , x b d",
	"x=2 a=4096 b=4096 c=3 : a b c : x a b c , x a , c",
	"x=100 a=100 b=100 c=100 : a b c : x a b , x b c , x a c",
	"x=4000000 a=4 : a : x a , x",
	"x=3 y=1000000 : x : y x",
	"x=44 a=44 b=17 c=20 d=44 : a b c d : x a b c , x b c d , x a d , x b",
	"x=44 a=44 b=17 c=20 d=44 : a b c d : a b c x , b c d x , a d x , b x",
	"x=28 a=28 b=14 c=28 d=15 e=28 : a b c d e : x a b , x b c , x c d , x d e , x a e",
	"x=10 a=10 b=10 c=10 d=10 e=10 f=10 : a b c d e f : x a b c , c d e f x , a x d , b x f , "
	"x e",
	"x=100 a=30 b=30 c=100 d=32 : a b c d : x a b d , x b c d",
	"x=100 a=33 b=14 c=57 d=36 : a b c d : a b d x , b c d x",
	"x=37 a=61 b=9 c=29 d=28 : c b a d : a b x d , b x c d",
	"x=39 a=61 b=7 c=45 d=19 : c b a d : a b d x , b d c x",
	"x=50 a=40 b=17 c=57 d=20 : a b c d : a b d x , b c d x",
	"x=10 a=10 b=10 c=30 f=10 g=10 h=10 : a b c f g h : x a b c , x c f g h , x a f , x b h , "
	"x g",
	"x=10 a=10 b=10 c=30 f=10 g=10 h=10 : a b c f g h : a b x c , c x f g h , a x f , b x h , "
	"g x",
	"x=7 a=17 b=25 c=30 f=6 g=11 h=10 : a b c f g h : a b c x , c f g h x , a f x , b h x , g "
	"x",
	"x=2 a=4 b=2 c=8 d=4 e=64 f=2 g=8 h=2 i=4 j=2 : a b c d e f g h i j : "
	"x a b c d e f , x d e f g h i j , x a c g , x b i , x c j",
	"x=2 a=4 b=2 c=8 d=4 e=64 f=2 g=8 h=2 i=4 j=2 : a b c d e f g h i j : "
	"a b c d e f x , d e f g h i j x , a c g x , b i x , c j x",
	"x=3 a=8 b=16 c=2 d=16384 : a b c d : x a b , x c d , x c",
	"x=27 a=28 b=13 c=30 d=12 e=20 : a b c d e : x a b , b x c , x c d , x d e , a x e , e",
	"x=28 a=13 b=30 c=14 d=15 e=28 : a b c d e : a b x , b c x , c d x , d e x , a e x , c",
	"x=13 a=37 b=5 c=44 d=52 : a b c d : x a b c , x b c d , x a d , x b",
	"x=9 a=41 b=3 c=28 e=5 d=32 : a b c e d : a b x c , b c e x d , a e x d , c x , e c , b",
	"x=44 a=30 b=6 c=23 d=41 : a b c d : a b c x , b c d x , a d x , b x",
	"x=20 a=50 b=5 c=33 d=35 : a b c d : b a c x , b c d x , a d x , c x , c b",
	"x=28 a=40 b=100 c=60 : a b c : x a b , x b c , x a c",
	"x=12 a=101 b=75 c=66 : a b c : a b x , b c x , a c x",
	"x=10 a=10 c=100000 j=10 : a c j : x c , x a , x j",
	"x=10 a=10 c=100000 j=10 : a c j : c x , a x , j x",
	"x=10 a=8 c=100000 j=10 : a c j : x c , x a , x j",
	"x=7 a=8 b=3 c=600 d=5 j=6 : a b c d j : x b c j , x a , x d , x j",
	"x=4 a=4 b=9 c=200 j=14 : a b c j : x b c , x a b , x j",
};

#define N_LARGE (sizeof(large) / sizeof(*large))
#define N_KINDS 4

static const char *const kinds[N_KINDS] = {NULL, "boxes", "direct", "strips"};

static void large_shape(void **state)
{
	const size_t all = (size_t)(uintptr_t)*state, row = all / N_KINDS;
	const char *problem;
	struct shape s;

	problem = shape_parse(&s, large[row / 4], GPUBE_MIN_PLUS, types[row % 2]);
	if (problem)
		fail_msg("%s", problem);
	if (row % 4 >= 2)
		shape_want_arg(&s);
	shape_fill(&s, row, row % 4 == 1 ? SHAPE_ABSORB : SHAPE_SIGNED, false);
	assert_true(gpube__cuda_force(ctx, kinds[all % N_KINDS]));
	run(&s);
	assert_true(gpube__cuda_force(ctx, NULL));
	problem = shape_check_sample(&s,
		20000000 / (s.joined_cells / s.out_cells) < 20000
			? 20000000 / (s.joined_cells / s.out_cells)
			: 20000,
		row);
	if (problem)
		fail_msg("%s: %s", s.text, problem);
	shape_free(&s);
}

/* Table memory: what is freed is given out again, and blocks never overlap. */
static void arena(void **state)
{
	void *p[300], *again;
	uint64_t bytes[300];
	struct gpube_rng r;

	(void)state;
	gpube__rng_init(&r, 5);
	memset(p, 0, sizeof(p));
	for (int i = 0; i < 20000; i++) {
		const size_t k = (size_t)gpube__rng_below(&r, 300);

		if (p[k]) {
			ops->free(ctx, p[k]);
			p[k] = NULL;
			continue;
		}
		bytes[k] = gpube__rng_below(&r, 1 << gpube__rng_below(&r, 22));
		p[k] = ops->alloc(ctx, bytes[k]);
		assert_non_null(p[k]);
		assert_int_equal((uintptr_t)p[k] % 64, 0);
		for (size_t j = 0; j < 300; j++)
			assert_true(j == k || !p[j] || (char *)p[j] + bytes[j] <= (char *)p[k] ||
				    (char *)p[k] + bytes[k] <= (char *)p[j]);
	}
	for (int k = 0; k < 300; k++)
		ops->free(ctx, p[k]);
	p[0] = ops->alloc(ctx, 3u << 24);
	assert_non_null(p[0]);
	ops->free(ctx, p[0]);
	again = ops->alloc(ctx, 3u << 24);
	assert_ptr_equal(again, p[0]);
	ops->free(ctx, again);
	assert_null(ops->alloc(ctx, 1ull << 60));
	assert_non_null(strstr(gpube_error(ctx), "no room for a table"));
}

enum { N_MARKS = 64 };

/* Memory that grew by and by is one table's: what is written here and there is read again. */
static void grown(void **state)
{
	const uint64_t bytes = 900ull << 20, apart = bytes / N_MARKS;
	uint64_t mark[8], back[8];
	char *table;

	(void)state;
	for (uint64_t part = bytes / 8; part < bytes; part *= 2) {
		void *p = ops->alloc(ctx, part);

		assert_non_null(p);
		ops->free(ctx, p);
	}
	table = ops->alloc(ctx, bytes);
	assert_non_null(table);
	for (int turn = 0; turn < 2; turn++)
		for (uint64_t i = 0; i < N_MARKS; i++) {
			for (uint64_t k = 0; k < 8; k++)
				mark[k] = i * 1000003 + k;
			if (turn == 0) {
				assert_int_equal(ops->upload(ctx, table + i * apart, mark, 64), 0);
				continue;
			}
			assert_int_equal(ops->download(ctx, back, table + i * apart, 64), 0);
			assert_memory_equal(back, mark, 64);
		}
	ops->free(ctx, table);
}

/* Each family's launches, and seconds of its own, are counted for it and for no other. */
static void counted(void **state)
{
	struct gpube_use before[GPUBE_MAX_USES], after[GPUBE_MAX_USES];
	const int n = gpube__uses(ctx, before);
	struct shape s;

	(void)state;
	assert_true(n > 1);
	assert_null(shape_parse(&s,
		"x=10 a=10 b=10 c=10 d=10 : a b c d : x a b c d , x a , x b , x c d , x",
		GPUBE_MIN_PLUS, GPUBE_INT32));
	shape_fill(&s, 1, SHAPE_SIGNED, false);
	for (int by = 0; by < n; by++) {
		assert_true(gpube__cuda_force(ctx, before[by].family));
		assert_int_equal(gpube__uses(ctx, before), n);
		run(&s);
		run(&s);
		assert_true(gpube__cuda_force(ctx, NULL));
		assert_int_equal(gpube__uses(ctx, after), n);
		compare(&s);
		for (int k = 0; k < n; k++) {
			assert_int_equal(after[k].launches - before[k].launches, k == by ? 2 : 0);
			assert_int_equal(after[k].kernel > before[k].kernel, k == by);
		}
		assert_true(after[by].planning >= before[by].planning);
	}
	shape_free(&s);
}

static void refuses(void **state)
{
	const int64_t size = 0;
	struct gpube_contraction c;

	(void)state;
	memset(&c, 0, sizeof(c));
	c.type = GPUBE_INT32;
	c.n_dims = c.n_out = 1;
	c.sizes = &size;
	c.out = &c;
	assert_int_equal(ops->contract(ctx, &c), GPUBE_EINVAL);
	c.n_dims = c.n_out = 0;
	gpube_ctx_stop(ctx);
	assert_int_equal(ops->contract(ctx, &c), GPUBE_ESTOP);
	ctx->stop = 0;
}

int main(void)
{
	struct cases c = {0};
	int status;

	if (ctx_setup(NULL))
		return 1;
	ops = gpube__ops_cuda(ctx, &status);
	add_case(&c, device_opens, NULL, "device");
	if (ops) {
		ADD_CASE(&c, arena);
		ADD_CASE(&c, grown);
		ADD_CASE(&c, refuses);
		ADD_CASE(&c, counted);
		add_numbers(&c, random_shape, N_RANDOM, "seed");
		add_numbers(&c, chosen_shape, N_CHOSEN * N_VARIANTS, "chosen");
		add_numbers(&c, random_batch, N_BATCHES, "batch");
		add_numbers(&c, one_form, 4 * N_FORMS, "one form");
		add_numbers(&c, random_boxes, N_BY, "boxes");
		add_numbers(&c, random_direct, N_BY, "direct");
		add_numbers(&c, random_strips, N_BY, "strips");
		add_numbers(&c, large_shape, N_LARGE * 4 * N_KINDS, "large");
	}
	return run_cases(&c, "contract on the GPU", NULL, ctx_teardown);
}
