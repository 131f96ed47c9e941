/*
 * Joint distributions, soft evidence, rows of evidence and what is drawn, against enumeration and
 * against sums from scratch.
 */
#include "tests/support/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/sums/infer_truth.h"

enum { MOST_JOINT = 8192 };

/* A few variables in any order. Returns the cells of their table. */
static int64_t draw_query(
	int32_t *query, int32_t *n, const struct gpube_model *m, struct gpube_rng *rng)
{
	int64_t cells = 1;

	*n = 0;
	for (int32_t i = 0; i < m->n_vars; i++) {
		const int32_t at = (int32_t)gpube__rng_below(rng, (uint64_t)*n + 1);

		if (gpube__rng_below(rng, 2) || cells * m->vars[i].domain > MOST_JOINT)
			continue;
		memmove(query + at + 1, query + at, (size_t)(*n - at) * sizeof(*query));
		query[at] = i;
		++*n;
		cells *= m->vars[i].domain;
	}
	return cells;
}

static int64_t cell_of(
	const struct gpube_model *m, const int32_t *query, int32_t n, const int32_t *values)
{
	int64_t at = 0;

	for (int32_t k = 0; k < n; k++)
		at = at * m->vars[query[k]].domain + values[query[k]];
	return at;
}

/* By enumeration. */
static struct twofold *joint_of(struct twofold *z, const struct gpube_model *m,
	const int32_t *query, int32_t n, int64_t cells)
{
	struct twofold *joint = calloc((size_t)cells, sizeof(*joint));
	int32_t values[64] = {0};

	assert_non_null(joint);
	*z = twofold_of(0);
	do {
		const struct twofold p = agrees(m, values) ? product(m, values) : twofold_of(0);
		struct twofold *to = &joint[cell_of(m, query, n, values)];

		*z = twofold_add(*z, p);
		*to = twofold_add(*to, p);
	} while (next_assignment(values, m));
	return joint;
}

static void check_joint(const struct gpube_inference *s, const struct gpube_model *m,
	const int32_t *query, int32_t n, int64_t cells)
{
	struct twofold z, *joint = joint_of(&z, m, query, n, cells);

	assert_true(s->known);
	if (z.hi == 0) {
		assert_true(s->log10_z == -INFINITY);
		assert_null(s->joint);
	} else {
		assert_true(
			fabs(s->log10_z - twofold_log10(z)) <= 1e-12 + 4e-16 * fabs(s->log10_z));
		assert_true(s->relative_error < 1e-11);
		assert_int_equal(s->n_joint, cells);
		for (int64_t i = 0; i < cells; i++) {
			const double p = twofold_ratio(joint[i], z);

			assert_true(fabs(s->joint[i] - p) <=
				    (s->relative_error + 0x1p-52) * p + 1e-100);
			assert_true((s->joint[i] > 0) == (joint[i].hi > 0) || p < 1e-100);
		}
	}
	free(joint);
}

/* Weights of some variables, some of them 0. */
static void weigh(struct gpube_model *m, struct gpube_compiled *c, struct gpube_rng *rng)
{
	double weights[64];
	const int32_t var = (int32_t)gpube__rng_below(rng, (uint64_t)m->n_vars);
	const bool back = gpube__rng_below(rng, 4) == 0;

	assert_true(m->vars[var].domain <= 64);
	for (int32_t a = 0; a < m->vars[var].domain; a++)
		weights[a] = gpube__rng_below(rng, 5)
				     ? ldexp(gpube__rng_unit(rng),
					       (int)gpube__rng_below(rng, 1200) - 600)
				     : 0;
	assert_int_equal(gpube_model_weigh(m, var, back ? NULL : weights), GPUBE_OK);
	if (c)
		assert_int_equal(gpube_infer_weigh(c, var, back ? NULL : weights), GPUBE_OK);
}

static void test_joint(void **state)
{
	int n_zero = 0, n_far = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 600; seed++) {
		struct random_spec spec = random_spec_varied(seed, GPUBE_POTENTIALS);
		struct gpube_model *m = random_model(ctx, &spec, seed);
		struct gpube_rng rng;
		int32_t query[64], n;
		int64_t cells;
		struct gpube_inference *s;

		assert_non_null(m);
		gpube__rng_init(&rng, seed);
		if (seed % 3 == 0 && m->n_vars > 0)
			weigh(m, NULL, &rng);
		cells = draw_query(query, &n, m, &rng);
		if (n > 0) {
			s = infer(m, (struct gpube_opts){.query = query, .n_query = n});
			check_joint(s, m, query, n, cells);
			n_zero += s->log10_z == -INFINITY;
			n_far += n > 3;
			gpube_result_free(s);
		}
		gpube_model_free(m);
	}
	assert_true(n_zero > 20 && n_zero < 400);
	assert_true(n_far > 100);
}

/* One compiled model: evidence, hard and soft, comes and goes; with marginals, too. */
static void test_compiled(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 200; seed++) {
		struct random_spec spec = random_spec_varied(seed, GPUBE_POTENTIALS);
		struct gpube_model *m = random_model(ctx, &spec, seed);
		struct gpube_opts opts = {.task = seed % 2 ? GPUBE_INFER_MAR : GPUBE_INFER_PR};
		int32_t query[64], n_functions = m->n_functions;
		struct gpube_compiled *c;
		struct gpube_rng rng;
		int64_t cells;

		gpube__rng_init(&rng, seed);
		cells = draw_query(query, &opts.n_query, m, &rng);
		opts.query = query;
		assert_int_equal(gpube_infer_compile(&c, m, &opts), GPUBE_OK);
		for (int k = 0; k < 8 && opts.n_query > 0; k++) {
			const int32_t var = (int32_t)gpube__rng_below(&rng, (uint64_t)m->n_vars);
			const int32_t value =
				(int32_t)gpube__rng_below(&rng, (uint64_t)m->vars[var].domain + 1) -
				1;
			struct gpube_inference *s, *mar;
			int64_t n = 0;

			if (gpube_infer_query(&s, c))
				fail_msg("%s", gpube_error(ctx));
			check_joint(s, m, query, opts.n_query, cells);
			mar = infer(m, (struct gpube_opts){.task = GPUBE_INFER_MAR});
			for (int32_t i = 0; i < m->n_vars; i++)
				n += m->vars[i].domain;
			for (int64_t i = 0; i < n && s->marginals; i++)
				assert_true(fabs(s->marginals[i] - mar->marginals[i]) <= 1e-12);
			gpube_result_free(mar);
			gpube_result_free(s);
			if (k % 2) {
				assert_int_equal(gpube_model_observe(m, var, value), GPUBE_OK);
				assert_int_equal(gpube_infer_observe(c, var, value), GPUBE_OK);
			} else {
				weigh(m, c, &rng);
			}
		}
		for (int32_t i = 0; i < m->n_vars; i++)
			assert_int_equal(gpube_model_weigh(m, i, NULL), GPUBE_OK);
		assert_int_equal(m->n_functions, n_functions);
		gpube_compiled_free(c);
		gpube_model_free(m);
	}
}

/* Weights are a function of the variable: the model is as before when they are taken back. */
static void test_weights(void **state)
{
	static const double a[] = {1, 3}, b[] = {0.25, 0.75}, w[] = {0, 2}, v[] = {1, 5};
	static const int32_t x = 0, y = 1;
	struct gpube_model *m;
	struct gpube_inference *s;

	(void)state;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_POTENTIALS), GPUBE_OK);
	assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), GPUBE_OK);
	assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), GPUBE_OK);
	assert_int_equal(gpube_model_add_potentials(m, 1, &x, a), GPUBE_OK);
	assert_int_equal(gpube_model_weigh(m, y, w), GPUBE_OK);
	assert_int_equal(gpube_model_weigh(m, x, v), GPUBE_OK);
	assert_int_equal(gpube_model_add_potentials(m, 1, &y, b), GPUBE_OK);
	s = infer(m, (struct gpube_opts){0});
	assert_true(fabs(s->log10_z - log10(16 * 1.5)) < 1e-14);
	gpube_result_free(s);
	assert_int_equal(gpube_model_weigh(m, y, NULL), GPUBE_OK);
	assert_int_equal(m->n_functions, 3);
	assert_int_equal(m->n_tables, 3);
	assert_int_equal(gpube_model_weigh(m, x, w), GPUBE_OK);
	s = infer(m, (struct gpube_opts){0});
	assert_true(fabs(s->log10_z - log10(6)) < 1e-14);
	gpube_result_free(s);
	assert_int_equal(gpube_model_weigh(m, x, NULL), GPUBE_OK);
	assert_int_equal(gpube_model_weigh(m, x, NULL), GPUBE_OK);
	assert_int_equal(m->n_functions, 2);
	assert_true(gpube__scope(m, 1)[0] == y && gpube__table_real(gpube__table(m, 1), 1) == 0.75);
	gpube_model_free(m);
}

/* ---- rows -------------------------------------------------------------------------------- */

static void test_rows(void **state)
{
	enum { ROWS = 12 };
	int n_zero = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 100; seed++) {
		struct random_spec spec = random_spec_varied(seed, GPUBE_POTENTIALS);
		struct gpube_model *m = random_model(ctx, &spec, seed);
		int32_t rows[ROWS * 64], before[64];
		double log10_z[ROWS];
		struct gpube_compiled *c;
		struct gpube_inference *s;
		struct gpube_rng rng;

		gpube__rng_init(&rng, seed);
		assert_int_equal(gpube_infer_compile(&c, m, NULL), GPUBE_OK);
		if (m->n_vars > 0)
			weigh(m, c, &rng);
		for (int32_t i = 0; i < m->n_vars; i++) {
			before[i] = gpube_model_observed(m, i);
			for (int r = 0; r < ROWS; r++)
				rows[r * m->n_vars + i] =
					(int32_t)gpube__rng_below(
						&rng, (uint64_t)m->vars[i].domain + 2 + r) -
					2 - r;
		}
		for (int32_t k = 0; k < ROWS * m->n_vars; k++)
			rows[k] = rows[k] < -1 ? -1 : rows[k];
		assert_int_equal(gpube_infer_rows(log10_z, c, ROWS, rows), GPUBE_OK);
		for (int r = 0; r < ROWS; r++) {
			for (int32_t i = 0; i < m->n_vars; i++) {
				const int32_t v = rows[r * m->n_vars + i];

				gpube_model_observe(m, i, v < 0 ? before[i] : v);
			}
			s = infer(m, (struct gpube_opts){0});
			assert_true(
				s->log10_z == log10_z[r] ||
				fabs(s->log10_z - log10_z[r]) <= 1e-12 + 1e-15 * fabs(s->log10_z));
			n_zero += s->log10_z == -INFINITY;
			gpube_result_free(s);
		}
		/* what was observed before still is, also after a row that is none */
		for (int32_t i = 0; i < m->n_vars; i++)
			gpube_model_observe(m, i, before[i]);
		if (m->n_vars > 0) {
			rows[m->n_vars] = 1000000;
			assert_int_equal(gpube_infer_rows(log10_z, c, 2, rows), GPUBE_EINVAL);
		}
		s = infer(m, (struct gpube_opts){0});
		assert_int_equal(gpube_infer_rows(log10_z, c, 0, NULL), GPUBE_OK);
		{
			struct gpube_inference *t;

			assert_int_equal(gpube_infer_query(&t, c), GPUBE_OK);
			assert_true(
				s->log10_z == t->log10_z ||
				fabs(s->log10_z - t->log10_z) <= 1e-12 + 1e-15 * fabs(s->log10_z));
			gpube_result_free(t);
		}
		gpube_result_free(s);
		gpube_compiled_free(c);
		gpube_model_free(m);
	}
	assert_true(n_zero > 100 && n_zero < 1100);
}

/* What is compiled outlives its model. */
static void test_outlives(void **state)
{
	static const int32_t query[] = {0, 59}, more = 60;
	static const double weights[] = {1, 2};
	struct gpube_model *m = grid(6, 10);
	struct gpube_opts opts = {.query = query, .n_query = 2, .task = GPUBE_INFER_MAR};
	struct gpube_inference *s = infer(m, opts), *t;
	struct gpube_compiled *c;

	(void)state;
	assert_int_equal(gpube_infer_compile(&c, m, &opts), GPUBE_OK);
	for (int k = 0; k < 200; k++)
		assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), GPUBE_OK);
	assert_int_equal(gpube_model_weigh(m, more, weights), GPUBE_OK);
	gpube_model_free(m);
	assert_int_equal(gpube_infer_observe(c, 30, 1), GPUBE_OK);
	assert_int_equal(gpube_infer_weigh(c, 31, weights), GPUBE_OK);
	assert_int_equal(gpube_infer_query(&t, c), GPUBE_OK);
	assert_true(t->log10_z != s->log10_z);
	gpube_result_free(t);
	assert_int_equal(gpube_infer_observe(c, 30, -1), GPUBE_OK);
	assert_int_equal(gpube_infer_weigh(c, 31, NULL), GPUBE_OK);
	assert_int_equal(gpube_infer_query(&t, c), GPUBE_OK);
	assert_true(fabs(t->log10_z - s->log10_z) < 1e-12);
	for (int64_t i = 0; i < 4; i++)
		assert_true(fabs(t->joint[i] - s->joint[i]) < 1e-12);
	for (int64_t i = 0; i < 120; i++)
		assert_true(fabs(t->marginals[i] - s->marginals[i]) < 1e-12);
	gpube_result_free(s);
	gpube_result_free(t);
	gpube_compiled_free(c);
}

/* ---- networks that are not enumerated ----------------------------------------------------- */

/* A Bayesian network, of which much follows from nothing observed. */
static struct gpube_model *network(struct gpube_ctx *of, struct gpube_rng *rng, int32_t n_vars)
{
	struct gpube_model *m;
	double cells[27];

	assert_int_equal(gpube_model_new(&m, of, GPUBE_POTENTIALS), GPUBE_OK);
	for (int32_t i = 0; i < n_vars; i++) {
		int32_t scope[3], n = 0, domain = 2 + (int32_t)gpube__rng_below(rng, 2);
		int64_t rows = 1;

		assert_int_equal(gpube_model_add_var(m, NULL, domain, NULL), GPUBE_OK);
		for (int32_t k = i > 9 ? i - 9 : 0; k < i && n < 2; k++)
			if (gpube__rng_below(rng, 4) == 0) {
				scope[n++] = k;
				rows *= m->vars[k].domain;
			}
		scope[n++] = i;
		for (int64_t r = 0; r < rows; r++) {
			double rest = 1;

			for (int32_t a = domain - 1; a >= 0; a--) {
				const double part = a ? rest * gpube__rng_unit(rng) : rest;

				cells[r * domain + a] = part;
				rest -= part;
			}
		}
		assert_int_equal(gpube_model_add_potentials(m, n, scope, cells), GPUBE_OK);
	}
	return m;
}

/* Each cell of the joint is the probability of its values as evidence. */
static void test_networks(void **state)
{
	enum { N = 3 };

	(void)state;
	for (uint64_t seed = 0; seed < 40; seed++) {
		struct gpube_rng rng;
		struct gpube_model *m;
		struct gpube_inference *s;
		int32_t query[N];
		int64_t at = 0;
		double all = 0;

		gpube__rng_init(&rng, seed);
		m = network(ctx, &rng, 30 + (int32_t)seed);
		for (int k = 0; k < N; k++)
			query[k] = (int32_t)gpube__rng_below(&rng, 10) + 10 * k;
		for (uint64_t k = 0; k < seed % 4; k++)
			gpube_model_observe(m, 29 - (int32_t)gpube__rng_below(&rng, 30), 1);
		s = infer(m, (struct gpube_opts){.query = query, .n_query = N});
		for (int32_t a = 0; a < m->vars[query[0]].domain; a++)
			for (int32_t b = 0; b < m->vars[query[1]].domain; b++)
				for (int32_t c = 0; c < m->vars[query[2]].domain; c++, at++) {
					const int32_t values[N] = {a, b, c};
					int32_t before[N];
					struct gpube_inference *t;
					bool never = false;

					for (int k = 0; k < N; k++) {
						before[k] = gpube_model_observed(m, query[k]);
						never = never ||
							(before[k] >= 0 && before[k] != values[k]);
						gpube_model_observe(m, query[k], values[k]);
					}
					t = infer(m, (struct gpube_opts){0});
					for (int k = 0; k < N; k++)
						gpube_model_observe(m, query[k], before[k]);
					all += s->joint[at];
					if (never)
						assert_true(s->joint[at] == 0);
					else
						assert_true(
							fabs(s->joint[at] -
								pow(10, t->log10_z - s->log10_z)) <
							1e-12);
					gpube_result_free(t);
				}
		assert_int_equal(at, s->n_joint);
		assert_true(fabs(all - 1) < 1e-12);
		gpube_result_free(s);
		gpube_model_free(m);
	}
}

/* Sixty variables have a joint table of no size; the plan is told, and the next call works. */
static void test_too_large(void **state)
{
	struct gpube_model *m = grid(2, 30);
	int32_t query[60];
	struct gpube_inference *s;
	struct gpube_opts opts = {.query = query, .n_query = 60};
	char text[256];

	(void)state;
	for (int32_t i = 0; i < 60; i++)
		query[i] = i;
	assert_int_equal(gpube_infer(&s, m, &opts), GPUBE_ELIMIT);
	assert_non_null(strstr(gpube_error(ctx),
		"the joint table of 60 variables has 1.15292e+18 cells, which take"));
	assert_non_null(s);
	assert_false(s->known);
	gpube_result_free(s);
	opts.n_query = 0;
	opts.draw = INT64_C(1) << 56;
	assert_int_equal(gpube_infer(&s, m, &opts), GPUBE_ELIMIT);
	snprintf(text, sizeof(text), "%s", gpube_error(ctx));
	assert_non_null(strstr(text, "72057594037927936 assignments of 60 variables take"));
	gpube_result_free(s);
	opts = (struct gpube_opts){.query = query, .n_query = 2, .draw = 5};
	assert_int_equal(gpube_infer(&s, m, &opts), GPUBE_EINVAL);
	assert_null(s);
	opts = (struct gpube_opts){.query = query, .n_query = 12};
	s = infer(m, opts);
	assert_int_equal(s->n_joint, 4096);
	gpube_result_free(s);
	gpube_model_free(m);
}

/* ---- what is drawn ------------------------------------------------------------------------ */

/* Chi-square of whole assignments, those expected less than five times together as one. */
static void check_drawn(const struct gpube_model *m, const int32_t *drawn, int64_t n)
{
	int32_t all[64], n_cells = 0;
	int64_t cells = 1, *count;
	double chi = 0, rest = 0, rest_count = 0, freedom = -1;
	struct twofold z, *joint;

	for (int32_t i = 0; i < m->n_vars; i++) {
		all[i] = i;
		cells *= m->vars[i].domain;
	}
	joint = joint_of(&z, m, all, m->n_vars, cells);
	count = calloc((size_t)cells, sizeof(*count));
	assert_non_null(count);
	for (int64_t k = 0; k < n; k++)
		count[cell_of(m, all, m->n_vars, drawn + k * m->n_vars)]++;
	for (int64_t i = 0; i < cells; i++) {
		const double expected = twofold_ratio(joint[i], z) * (double)n;

		assert_true(joint[i].hi > 0 || count[i] == 0);
		if (expected < 5) {
			rest += expected;
			rest_count += (double)count[i];
			continue;
		}
		chi += pow((double)count[i] - expected, 2) / expected;
		freedom++;
		n_cells++;
	}
	if (rest >= 5) {
		chi += pow(rest_count - rest, 2) / rest;
		freedom++;
	} else {
		assert_true(rest_count < 40);
	}
	/* six standard deviations, and as much again for few degrees */
	assert_true(chi <= freedom + 6 * sqrt(2 * fmax(freedom, 0)) + 15);
	free(count);
	free(joint);
}

static void test_draw(void **state)
{
	enum { N = 20000 };
	int n_zero = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 150; seed++) {
		struct random_spec spec = random_spec_varied(seed, GPUBE_POTENTIALS);
		struct gpube_model *m = random_model(ctx, &spec, seed);
		struct gpube_inference *s;
		struct gpube_rng rng;

		gpube__rng_init(&rng, seed);
		if (seed % 3 == 0 && m->n_vars > 0)
			weigh(m, NULL, &rng);
		s = infer(m, (struct gpube_opts){.draw = N, .seed = (int64_t)seed});
		if (s->log10_z == -INFINITY) {
			assert_null(s->drawn);
			n_zero++;
		} else {
			assert_int_equal(s->n_drawn, N);
			check_drawn(m, s->drawn, N);
		}
		gpube_result_free(s);
		gpube_model_free(m);
	}
	assert_true(n_zero > 5 && n_zero < 100);
}

/* Seed 7's first samples are these, of any number and on any number of threads. */
static void test_draw_again(void **state)
{
	struct gpube_inference *s[4];
	struct gpube_ctx *one;
	struct gpube_model *m[2];
	struct gpube_rng rng;
	int32_t n_vars;

	(void)state;
	assert_int_equal(gpube__ctx_make(&one, NULL, NULL), GPUBE_OK);
	one->n_threads = 1;
	for (int k = 0; k < 2; k++) {
		gpube__rng_init(&rng, 4);
		m[k] = network(k ? one : ctx, &rng, 80);
		gpube_model_observe(m[k], 70, 1);
	}
	n_vars = m[0]->n_vars;
	s[0] = infer(m[0], (struct gpube_opts){.draw = 1000, .seed = 7});
	s[1] = infer(m[0], (struct gpube_opts){.draw = 130, .seed = 7});
	s[2] = infer(m[1], (struct gpube_opts){.draw = 1000, .seed = 7});
	s[3] = infer(m[0], (struct gpube_opts){.draw = 1000, .seed = 8});
	assert_memory_equal(s[0]->drawn, s[2]->drawn, 1000 * (size_t)n_vars * sizeof(int32_t));
	assert_memory_equal(s[0]->drawn, s[1]->drawn, 130 * (size_t)n_vars * sizeof(int32_t));
	assert_memory_not_equal(s[0]->drawn, s[3]->drawn, (size_t)n_vars * sizeof(int32_t));
	/* nor are those of the next seed the same, one further */
	assert_memory_not_equal(
		s[0]->drawn + n_vars, s[3]->drawn, (size_t)n_vars * sizeof(int32_t));
	for (int64_t k = 0; k < 1000; k++)
		assert_int_equal(s[0]->drawn[k * n_vars + 70], 1);
	for (int k = 0; k < 4; k++)
		gpube_result_free(s[k]);
	gpube_model_free(m[0]);
	gpube_model_free(m[1]);
	gpube_ctx_free(one);
}

/* Each variable as often as its marginal says, where products are far below any double. */
static void test_draw_deep(void **state)
{
	enum { VARS = 40, N = 20000 };
	int n_tested = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 12; seed++) {
		struct gpube_model *m;
		struct gpube_inference *s, *mar;
		struct gpube_rng rng;
		double cells[9];

		gpube__rng_init(&rng, seed);
		assert_int_equal(gpube_model_new(&m, ctx, GPUBE_POTENTIALS), GPUBE_OK);
		for (int32_t i = 0; i < VARS; i++)
			assert_int_equal(gpube_model_add_var(m, NULL, 3, NULL), GPUBE_OK);
		/* a cycle of factors up and down, which cancel on the way round */
		for (int32_t i = 0; i < 2 * VARS; i++) {
			const int32_t scope[] = {i % VARS, (i % VARS + 1 + i / VARS * 2) % VARS};
			const int deep = seed % 2 ? 1000 : 300;

			for (int k = 0; k < 9; k++)
				cells[k] = gpube__rng_below(&rng, 6)
						   ? ldexp(gpube__rng_unit(&rng) + 0.1,
							     -deep * (i % 3 == k % 3))
						   : 0;
			cells[gpube__rng_below(&rng, 9)] = 0.5;
			assert_int_equal(gpube_model_add_potentials(m, 2, scope, cells), GPUBE_OK);
		}
		s = infer(m, (struct gpube_opts){.draw = N, .seed = 1});
		mar = infer(m, (struct gpube_opts){.task = GPUBE_INFER_MAR});
		for (int32_t i = 0; i < VARS && s->drawn; i++) {
			int count[3] = {0};

			for (int64_t k = 0; k < N; k++)
				count[s->drawn[k * VARS + i]]++;
			for (int a = 0; a < 3; a++) {
				const double p = mar->marginals[3 * i + a];

				assert_true(p > 0 || count[a] == 0);
				assert_true(fabs(count[a] - p * N) <=
					    5.5 * sqrt(N * p * (1 - p)) + 1e-3);
			}
		}
		n_tested += s->drawn != NULL;
		assert_true(s->log10_z == mar->log10_z || fabs(s->log10_z - mar->log10_z) < 1e-9);
		gpube_result_free(s);
		gpube_result_free(mar);
		gpube_model_free(m);
	}
	assert_true(n_tested >= 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_joint),
		cmocka_unit_test(test_compiled),
		cmocka_unit_test(test_weights),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_outlives),
		cmocka_unit_test(test_networks),
		cmocka_unit_test(test_too_large),
		cmocka_unit_test(test_draw),
		cmocka_unit_test(test_draw_again),
		cmocka_unit_test(test_draw_deep),
	};

	return cmocka_run_group_tests(tests, ctx_setup_2_threads, ctx_teardown);
}
