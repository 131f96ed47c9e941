/* plans.c - see plans.h. */
#include "tests/support/plans.h"

#include <math.h>

#include "tests/support/context.h"

#include "gpube/ops/index.h"

void shape_of_text(struct shape *s, const char *text, enum gpube_type type, uint64_t seed,
	enum shape_fill fill)
{
	assert_null(shape_parse(s, text, GPUBE_MIN_PLUS, type));
	shape_fill(s, seed, fill, false);
}

double shape_value(const struct shape *s, int k, int64_t at)
{
	const void *v = s->c.in[k].values;

	if (at < 0 || at >= gpube__operand_cells(&s->c, k))
		return NAN;
	return s->c.type == GPUBE_INT32 ? ((const int32_t *)v)[at]
					: (double)((const int64_t *)v)[at];
}

const char *shape_store(const struct shape *s, int64_t at, double best)
{
	const struct gpube_contraction *c = &s->c;

	if (at < 0 || at >= s->out_cells)
		return "a cell outside of the output";
	if (best >= (double)c->threshold)
		best = (double)c->cut;
	if (c->type == GPUBE_INT32)
		((int32_t *)c->out)[at] = (int32_t)best;
	else
		((int64_t *)c->out)[at] = (int64_t)best;
	return NULL;
}

/* ---- the cases ------------------------------------------------------------------------------ */

void expect_no_plans(const char *const *texts, size_t n, bool (*has_plan)(const struct shape *s))
{
	struct shape s;

	for (size_t i = 0; i < n; i++) {
		assert_null(shape_parse(&s, texts[i], GPUBE_MIN_PLUS, GPUBE_INT32));
		if (has_plan(&s))
			fail_msg("%s: a plan", texts[i]);
		shape_free(&s);
	}
}

void add_texts(struct cases *c, CMUnitTestFunction run, const char *const *texts, size_t n,
	const char *name)
{
	for (size_t i = 0; i < n; i++)
		add_case(c, run, texts[i], "%s %zu", name, i);
}

int run_plans(struct cases *c, const char *group, int argc, char **argv)
{
	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return run_cases(c, group, ctx_setup, ctx_teardown);
}
