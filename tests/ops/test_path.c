/*
 * Which kernels of the CUDA backend do a contraction, without a device: that a search is made when
 * it is worth its time and not before, and that plans are kept by all they depend on.
 */
#include "tests/support/test.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/shapes.h"

#include <math.h>
#include <stdio.h>

#include "gpube/ops/contract/contract_path.h"

#define NO_LAUNCH(family) NULL
static const struct gpube__family families[] = GPUBE_FAMILIES(NO_LAUNCH);

/* A clock that each look at it moves on, so that no outcome depends on the machine. */
static double time_now, time_step;

static double tick(void)
{
	return time_now += time_step;
}

static struct gpube__planning planning;

/* step: seconds of a search */
static void new_planning(double step)
{
	gpube__kept_clear(&planning.plans, ctx);
	planning = (struct gpube__planning){.families = families,
		.device = {132, 227u << 10, 228u << 10},
		.only = GPUBE_BY_ANY,
		.now = tick};
	time_step = step;
}

struct contraction {
	struct shape shape;
	struct gpube__shape s;
	int64_t stride[GPUBE_BOX_IN * GPUBE_MAX_DIMS];
};

static void begin(struct contraction *c, const char *text, enum gpube_type type)
{
	assert_null(shape_parse(&c->shape, text, GPUBE_MIN_PLUS, type));
	gpube__shape_init(&c->s, &c->shape.c, c->stride, 0);
}

static const struct gpube__cuda_plan *get(struct contraction *c)
{
	const struct gpube__cuda_plan *p;

	assert_int_equal(gpube__cuda_plans_get(&p, &planning, ctx, &c->shape.c, &c->s), GPUBE_OK);
	return p;
}

static const struct gpube__cuda_plan *get_by(struct contraction *c, enum gpube__by only)
{
	const struct gpube__cuda_plan *p;

	planning.only = only;
	p = get(c);
	planning.only = GPUBE_BY_ANY;
	return p;
}

static int end(void **state)
{
	(void)state;
	gpube__kept_clear(&planning.plans, ctx);
	return 0;
}

#define BIT(by) (1u << (by))
/* The searches that take so little time that they are always made. */
#define ALWAYS    (BIT(GPUBE_BY_GENERAL) | BIT(GPUBE_BY_DIRECT))
#define NOT_PLAIN (BIT(GPUBE_BY_GENERAL) | BIT(GPUBE_BY_BOXES)) /* what the others cannot do */
#define ALL_TRIED (ALWAYS | BIT(GPUBE_BY_STRIPS) | BIT(GPUBE_BY_BOXES))

/* A contraction, what is searched for when it comes once, or more often, and what then
 * does it. */
static const struct once {
	const char *what, *shape;
	enum gpube_type type;
	unsigned tried;
	enum gpube__by by;
	int more; /* times that it comes before */
} once[] = {
	{"short", "a=10 b=10 c=10 x=10 : a b c : x a , x b , x c , a b", GPUBE_INT32, ALWAYS,
		GPUBE_BY_DIRECT, 0},
	{"short in 64 bits", "a=10 b=10 x=10 : a b : x a , x b", GPUBE_INT64, BIT(GPUBE_BY_GENERAL),
		GPUBE_BY_GENERAL, 0},
	{"a product", "a=2048 b=2048 x=2048 : a b : a x , x b", GPUBE_INT32,
		ALWAYS | BIT(GPUBE_BY_BOXES), GPUBE_BY_BOXES, 0},
	{"much written",
		"x=10 a=10 b=10 c=10 d=10 e=10 f=10 g=10 h=10 : a b c d e f g h : "
		"a b c d e x , c d e f g h x , a f x , b h x , g x",
		GPUBE_INT32, ALWAYS | BIT(GPUBE_BY_STRIPS), GPUBE_BY_STRIPS, 0},
	{"small tables beside two large ones",
		"x=25 a=25 b=25 c=25 d=25 e=25 f=25 : a b c d e f : x b c d f , x a , x e , x d , "
		"x f , x c",
		GPUBE_INT32, ALL_TRIED, GPUBE_BY_BOXES, 0},
	{"a long one in 64 bits", "a=200 b=200 c=200 x=50 : a b c : x a , x b c", GPUBE_INT64,
		NOT_PLAIN, GPUBE_BY_BOXES, 0},
	{"a cycle",
		"a=28 b=28 c=28 d=28 e=28 x=28 : a b c d e : x a b , x b c , x c d , x d e , x a e",
		GPUBE_INT32, ALL_TRIED, GPUBE_BY_BOXES, 0},
	{"a triangle", "a=44 b=44 c=44 d=44 x=44 : a b c d : a b x c , b c x d , a x d , b x",
		GPUBE_INT32, ALL_TRIED, GPUBE_BY_DIRECT, 20},
	{"many reduced", "x=100 y=100 z=100 : : x y , y z , x", GPUBE_INT64, NOT_PLAIN,
		GPUBE_BY_GENERAL, 0},
};

static void is_searched(void **state)
{
	const struct once *o = *state;
	struct contraction c;
	const struct gpube__cuda_plan *p;

	new_planning(0);
	begin(&c, o->shape, o->type);
	for (int i = 0; i < o->more; i++)
		get(&c);
	p = get(&c);
	assert_int_equal(p->tried, o->tried);
	assert_int_equal(p->by, o->by);
	shape_free(&c.shape);
}

/* What comes often is worth a search at last, and nothing is lost by what it finds. */
static void a_search_when_it_pays(void **state)
{
	const unsigned all = ALL_TRIED;
	struct contraction c;
	const struct gpube__cuda_plan *p;
	double first, spent = 0;
	int n = 0;

	(void)state;
	new_planning(0);
	begin(&c, "a=25 b=25 c=25 x=25 : a b c : x a b , x c , a", GPUBE_INT32);
	p = get(&c);
	first = p->cycles;
	assert_int_equal(p->tried, ALWAYS);
	for (; p->tried != all && n < 1000; n++) {
		spent += p->cycles;
		assert_true(fabs(p->spent - spent) <= 1e-6 * spent);
		p = get(&c);
	}
	assert_in_range(n, 2, 100);
	assert_true(p->cycles < first);
	assert_int_not_equal(p->by, GPUBE_BY_GENERAL);
	shape_free(&c.shape);
}

/* Contractions that differ in one thing have plans of their own. */
static void kept_apart(void **state)
{
	struct contraction a, b, c;
	const struct gpube__cuda_plan *p;

	(void)state;
	new_planning(0);
	begin(&a, "a=10 b=10 x=10 : a b : x a , x b", GPUBE_INT32);
	begin(&b, "a=10 b=10 x=10 : a b : x a , b x", GPUBE_INT32);
	begin(&c, "a=10 b=10 x=10 : a b : x a , x b", GPUBE_INT32);
	c.shape.c.top = a.shape.c.top + 1;
	p = get(&a);
	assert_true(p->spent == p->cycles);
	assert_int_equal(p->direct.top, a.shape.c.top);
	p = get(&a);
	assert_true(p->spent == 2 * p->cycles);
	p = get(&b);
	assert_true(p->spent == p->cycles);
	p = get(&c);
	assert_true(p->spent == p->cycles);
	assert_int_equal(p->direct.top, c.shape.c.top);
	p = get_by(&a, GPUBE_BY_GENERAL);
	assert_int_equal(p->by, GPUBE_BY_GENERAL);
	p = get_by(&a, GPUBE_BY_BOXES);
	assert_int_equal(p->by, GPUBE_BY_BOXES);
	shape_free(&a.shape);
	shape_free(&b.shape);
	shape_free(&c.shape);
}

/* More shapes than plans are kept: each gets its own, whatever was there. */
static void more_than_are_kept(void **state)
{
	(void)state;
	new_planning(0);
	for (int round = 0; round < 2; round++)
		for (int n = 2; n < 4 * GPUBE_KEPT_SLOTS; n++) {
			struct contraction c;
			const struct gpube__cuda_plan *p;
			char text[80];

			snprintf(text, sizeof(text), "a=%d x=3 : a : x a , x", n);
			begin(&c, text, GPUBE_INT32);
			p = get(&c);
			assert_int_equal(p->by, GPUBE_BY_DIRECT);
			assert_int_equal(p->direct.n_steps, 3);
			assert_in_range(
				p->direct.blocks * p->direct.lanes * p->direct.np, n, 2 * n + 512);
			shape_free(&c.shape);
		}
}

/* Of mini-buckets: few contractions of many forms go alone while they are small. */
static void batches_of_many_forms(void **state)
{
	static const struct {
		const char *shape;
		int n, n_forms;
		enum gpube__by by;
	} rows[] = {
		{"a=2 b=2 c=2 d=2 e=2 x=2 : a b c d e : a b x , b c x , c d x , d e x , a e", 1, 40,
			GPUBE_BY_GENERAL},
		{"a=2 b=2 c=2 d=2 e=2 x=2 : a b c d e : a b x , b c x , c d x , d e x , a e", 1, 8,
			GPUBE_BY_DIRECT},
		{"a=40 b=40 c=40 d=40 x=40 : a b c d : a b x , b c x , c d x , a d x", 1, 40,
			GPUBE_BY_BOXES},
		{"a=2 b=2 c=2 d=2 e=2 x=2 : a b c d e : a b x , b c x , c d x , d e x , a e", 10000,
			40, GPUBE_BY_DIRECT},
	};
	static struct gpube__cuda_plan p;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct contraction c;

		begin(&c, rows[i].shape, GPUBE_INT32);
		new_planning(0);
		gpube__cuda_plan_batch(&p, &planning, &c.shape.c, &c.s, rows[i].n, rows[i].n_forms);
		if (p.by != rows[i].by)
			fail_msg("row %zu: by %d, not %d", i, p.by, rows[i].by);
		shape_free(&c.shape);
	}
}

/*
 * Many shapes, each worth a search by itself: those that take long take no longer together than
 * what is contracted, but for the last; where searches take no time, each shape has one.
 */
static void planning_is_bounded(void **state)
{
	const double step = *(const double *)*state;
	double longest = 0;
	int searched = 0;

	new_planning(step);
	for (int n = 20; n < 60; n++) {
		struct contraction c;
		char text[120];
		double before, dear;

		snprintf(text, sizeof(text),
			"a=%d b=100 c=100 d=100 x=100 : a b c d : x a b , x b c , x c d , a d", n);
		begin(&c, text, GPUBE_INT32);
		before = planning.planned;
		searched += (get(&c)->tried & BIT(GPUBE_BY_BOXES)) != 0;
		if (planning.planned - before > longest)
			longest = planning.planned - before;
		dear = planning.use[GPUBE_BY_STRIPS].planning +
		       planning.use[GPUBE_BY_BOXES].planning;
		assert_true(dear <= planning.predicted + longest);
		shape_free(&c.shape);
	}
	assert_int_equal(searched == 40, step == 0);
	assert_int_equal(searched == 0, step >= 10);
}

/* Each family by its name, as tests and benchmarks force it. */
static void names(void **state)
{
	(void)state;
	new_planning(0);
	assert_int_equal(gpube__family_of(&planning, NULL), GPUBE_BY_ANY);
	assert_int_equal(gpube__family_of(&planning, "general"), GPUBE_BY_GENERAL);
	assert_int_equal(gpube__family_of(&planning, "direct"), GPUBE_BY_DIRECT);
	assert_int_equal(gpube__family_of(&planning, "strips"), GPUBE_BY_STRIPS);
	assert_int_equal(gpube__family_of(&planning, "boxes"), GPUBE_BY_BOXES);
	assert_true(gpube__family_of(&planning, "panels") > GPUBE_BY_ANY);
}

int main(int argc, char **argv)
{
	static const double steps[] = {0, 4e-4, 10};
	struct cases c = {.teardown = end};

	for (size_t i = 0; i < sizeof(once) / sizeof(*once); i++)
		add_case(&c, is_searched, (void *)&once[i], "%s", once[i].what);
	ADD_CASE(&c, a_search_when_it_pays);
	ADD_CASE(&c, kept_apart);
	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++)
		add_case(&c, planning_is_bounded, (void *)&steps[i], "searches of %g s", steps[i]);
	ADD_CASE(&c, names);
	ADD_CASE(&c, batches_of_many_forms);
	ADD_CASE(&c, more_than_are_kept);
	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return run_cases(&c, "paths", ctx_setup, ctx_teardown);
}
