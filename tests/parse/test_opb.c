/*
 * Random pseudo-Boolean problems as .opb and .wbo: the cost of every assignment is what the text
 * says, computed from the terms that were drawn. And constraints that are too wide for that.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include "formats/formats.h"
#include "gpube/base/base.h"
#include "gpube/ir/model.h"
#include "tests/support/context.h"
#include "tests/support/files.h"
#include "tests/support/random_model.h"

enum { N_PROBLEMS = 300, MOST_VARS = 9, MOST_SUMS = 8, MOST_TERMS = 14, TEXT_BYTES = 1 << 15 };

struct term {
	int64_t coefficient;
	int n, vars[3];
	bool negated[3];
};

struct sum {
	int n, relation;
	int64_t right, weight; /* 0: hard */
	struct term terms[MOST_TERMS];
};

struct problem {
	struct gpube_rng rng;
	int n_vars, n_sums;
	bool soft, maximise;
	int64_t top; /* 0: none */
	struct sum objective, sums[MOST_SUMS];
	char text[TEXT_BYTES];
	size_t n;
};

static int draw(struct problem *w, int n)
{
	return (int)gpube__rng_below(&w->rng, (uint64_t)n);
}

static void put(struct problem *w, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	w->n += (size_t)vsnprintf(w->text + w->n, TEXT_BYTES - w->n, fmt, args);
	va_end(args);
	assert_true(w->n < TEXT_BYTES);
}

static void draw_sum(struct problem *w, struct sum *s)
{
	const int64_t unit = draw(w, 8) ? 1 : (int64_t)1 << 55;
	const int most = draw(w, 2) ? 2 : 9;

	*s = (struct sum){.n = 1 + draw(w, MOST_TERMS), .relation = draw(w, 3)};
	for (int k = 0; k < s->n; k++) {
		struct term *t = &s->terms[k];

		t->coefficient = unit * (draw(w, 2 * most) - most + 1);
		t->n = draw(w, 4) ? 1 : 1 + draw(w, 3);
		for (int i = 0; i < t->n; i++) {
			t->vars[i] = draw(w, w->n_vars);
			t->negated[i] = draw(w, 2);
		}
	}
	s->right = unit * (draw(w, 3 * most) - most) + (draw(w, 8) == 0);
}

static void put_terms(struct problem *w, const struct sum *s)
{
	for (int k = 0; k < s->n; k++) {
		put(w, draw(w, 2) ? " %+lld" : "\n%lld", (long long)s->terms[k].coefficient);
		for (int i = 0; i < s->terms[k].n; i++)
			put(w, " %sx%d", s->terms[k].negated[i] ? "~" : "",
				s->terms[k].vars[i] + 1);
	}
}

static void put_problem(struct problem *w)
{
	static const char *const relations[] = {">=", "<=", "="};

	put(w, "* #variable= %d #constraint= %d\n", w->n_vars, w->n_sums);
	if (w->soft && w->top)
		put(w, "soft: %lld ;\n", (long long)w->top);
	else if (w->soft)
		put(w, "soft: ;\n");
	else if (w->objective.n) {
		put(w, w->maximise ? "max:" : "min:");
		put_terms(w, &w->objective);
		put(w, ";\n* a comment ;\n");
	}
	for (int k = 0; k < w->n_sums; k++) {
		if (w->sums[k].weight)
			put(w, "[%lld]", (long long)w->sums[k].weight);
		put_terms(w, &w->sums[k]);
		put(w, "%s%s %lld%s;\n", draw(w, 2) ? " " : "", relations[w->sums[k].relation],
			(long long)w->sums[k].right, draw(w, 2) ? " " : "");
	}
}

static __int128 value_of(const struct sum *s, const int32_t *x)
{
	__int128 sum = 0;

	for (int k = 0; k < s->n; k++) {
		bool all = true;

		for (int i = 0; i < s->terms[k].n; i++)
			all = all && x[s->terms[k].vars[i]] != s->terms[k].negated[i];
		sum += all ? s->terms[k].coefficient : 0;
	}
	return sum;
}

static bool holds(const struct sum *s, const int32_t *x)
{
	__int128 v = value_of(s, x);

	return s->relation == 0 ? v >= s->right : s->relation == 1 ? v <= s->right : v == s->right;
}

static int64_t cost_of(const struct problem *w, const int32_t *x)
{
	__int128 cost = value_of(&w->objective, x);

	for (int k = 0; k < w->n_sums; k++)
		if (!holds(&w->sums[k], x)) {
			if (!w->sums[k].weight)
				return GPUBE_INF;
			cost += w->sums[k].weight;
		}
	return w->top && cost >= w->top ? GPUBE_INF : (int64_t)cost;
}

static void draw_problem(struct problem *w, uint64_t seed)
{
	memset(w, 0, sizeof(*w));
	gpube__rng_init(&w->rng, seed);
	w->n_vars = 1 + draw(w, MOST_VARS);
	w->n_sums = draw(w, MOST_SUMS + 1);
	w->soft = draw(w, 3) == 0;
	w->maximise = draw(w, 3) == 0;
	w->top = w->soft && draw(w, 2) ? 1 + draw(w, 20) : 0;
	if (!w->soft && draw(w, 4)) {
		draw_sum(w, &w->objective);
		for (int k = 0; k < w->objective.n; k++)
			w->objective.terms[k].coefficient %= 1000;
	}
	for (int k = 0; k < w->n_sums; k++) {
		draw_sum(w, &w->sums[k]);
		w->sums[k].weight = w->soft && draw(w, 4) ? 1 + draw(w, 9) : 0;
	}
	put_problem(w);
}

static void random_problems(void **state)
{
	static struct problem w;

	(void)state;
	for (uint64_t seed = 0; seed < N_PROBLEMS; seed++) {
		int32_t x[MOST_VARS] = {0};
		struct gpube_model *m;
		int64_t cost;

		draw_problem(&w, seed);
		test_put(in_dir("x"), w.text, w.n);
		if (gpube_read(&m, ctx, in_dir("x"), &(struct gpube_opts){.evidence = ""}))
			fail_msg("%s\n%s", gpube_error(ctx), w.text);
		assert_int_equal(m->n_vars, w.n_vars);
		do {
			assert_int_equal(gpube_model_cost(&cost, m, x), GPUBE_OK);
			if (cost != cost_of(&w, x))
				fail_msg("expected %lld, found %lld\n%s", (long long)cost_of(&w, x),
					(long long)cost, w.text);
		} while (next_assignment(x, m));
		gpube_model_free(m);
	}
}

/* ---- wide ones ----------------------------------------------------------------------- */

/* The sum of n variables with these coefficients, by turns, and what follows it. */
static int read_wide(struct gpube_model **m, int n, const int *by_turns, const char *rest)
{
	static char text[TEXT_BYTES];
	size_t size = 0;

	for (int i = 0; i < n; i++)
		size += (size_t)snprintf(
			text + size, sizeof(text) - size, "%+d x%d ", by_turns[i % 3], i + 1);
	size += (size_t)snprintf(text + size, sizeof(text) - size, "%s ;\n", rest);
	assert_true(size < sizeof(text));
	test_put(in_dir("x.opb"), text, size);
	return gpube_read(m, ctx, in_dir("x.opb"), &(struct gpube_opts){.evidence = ""});
}

/* One table, of so many tuples. */
static void wide_constraints(void **state)
{
	static const int one[] = {1, 1, 1}, both[] = {1, -1, 2};
	static const struct {
		int n;
		const int *by_turns;
		const char *rest;
		int64_t tuples;
	} rows[] = {
		{500, one, ">= 1", 1},
		{500, one, ">= 499", 501},
		{500, one, "= 1", 500},
		{500, one, "<= 1", 501},
		{500, one, "<= 499", 1},
		{300, both, ">= -99", 1},
		{40, one, ">= 39", 41},
	};
	struct gpube_model *m;

	(void)state;
	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
		if (read_wide(&m, rows[k].n, rows[k].by_turns, rows[k].rest))
			fail_msg("%s", gpube_error(ctx));
		assert_int_equal(m->n_functions, 1);
		assert_true(m->tables[0].sparse);
		assert_int_equal(m->tables[0].n, rows[k].tuples);
		gpube_model_free(m);
	}
}

/* Too many tuples: a chain, whose hidden variables the others give values. */
static void chains(void **state)
{
	enum { N = 60, TRIALS = 200 };
	static const int one[] = {1, 1, 1}, both[] = {3, -1, 2};
	static const struct {
		const int *by_turns;
		const char *rest;
		int relation;
		int64_t right;
	} rows[] = {{one, ">= 30", 0, 30}, {both, "= 40", 2, 40}, {both, "<= 40", 1, 40}};
	struct gpube_rng rng;

	(void)state;
	gpube__rng_init(&rng, 3);
	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
		struct gpube_model *m;
		int n_allowed = 0;

		if (read_wide(&m, N, rows[k].by_turns, rows[k].rest))
			fail_msg("%s", gpube_error(ctx));
		assert_int_equal(m->n_vars - m->n_hidden, N);
		assert_true(m->n_hidden > 0);
		for (int t = 0; t < TRIALS; t++) {
			const uint64_t share = 20 + gpube__rng_below(&rng, 60);
			int32_t *x = calloc((size_t)m->n_vars, sizeof(*x));
			int64_t sum = 0, cost;
			bool allowed;

			for (int i = 0; i < N; i++) {
				x[i] = gpube__rng_below(&rng, 100) < share;
				sum += x[i] * rows[k].by_turns[i % 3];
			}
			allowed = rows[k].relation == 0   ? sum >= rows[k].right
				  : rows[k].relation == 1 ? sum <= rows[k].right
							  : sum == rows[k].right;
			n_allowed += allowed;
			assert_int_equal(gpube_model_complete(x, m), GPUBE_OK);
			assert_int_equal(gpube_model_cost(&cost, m, x), GPUBE_OK);
			assert_int_equal(cost, allowed ? 0 : GPUBE_INF);
			free(x);
		}
		assert_true(n_allowed > 0 && n_allowed < TRIALS);
		gpube_model_free(m);
	}
}

static void names(void **state)
{
	struct gpube_model *m;

	(void)state;
	assert_int_equal(gpube_read(&m, ctx, "tests/instances/max.opb", NULL), GPUBE_OK);
	assert_int_equal(m->direction, GPUBE_MAXIMISE);
	assert_string_equal(m->vars[1].name, "pear");
	gpube_model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(random_problems),
		cmocka_unit_test(wide_constraints), cmocka_unit_test(chains),
		cmocka_unit_test(names)};

	return cmocka_run_group_tests(tests, ctx_dir_setup, ctx_dir_teardown);
}
