/*
 * What other ranks have found, as a run takes it and as a rank keeps it: runs that are told an
 * assignment or a bound at some moment end with the optimum that enumeration finds; what has other
 * decimals is not taken; what is known decides when nothing is left to prove.
 */
#include "tests/support/test.h"

#include <limits.h>
#include <stdlib.h>

#include "gpube/base/bytes.h"
#include "gpube/bound/bound.h"
#include "gpube/deal/findings.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/random_model.h"

enum { N_SEEDS = 200 };

/* At call number 'at' the run is told an assignment, or that the optimum is a bound, or both. */
struct others {
	const int32_t *values;
	int64_t bound;
	int at, n_calls;
	bool proves;
	int decimals; /* more than the run has */
	int n_waits;
};

static bool learn(void *arg, bool all, struct gpube__learned *to)
{
	struct others *o = arg;

	if (o->n_calls++ < o->at || (o->n_calls > o->at + 1 && !all))
		return false;
	to->values = o->values;
	to->proved = o->proves && !o->decimals;
	to->bound = o->bound;
	return true;
}

static const enum gpube_bound_method methods[] = {GPUBE_BOUND_AUTO, GPUBE_BOUND_TREE,
	GPUBE_BOUND_ANDOR, GPUBE_BOUND_PAIRWISE, GPUBE_BOUND_ELIMINATE};

/* Runs that were told all before their first turn, and that had nothing more to do before. */
static int64_t n_told, n_waited;

static void run(
	const struct gpube_model *m, const struct brute *best, struct others o, uint64_t seed)
{
	const struct gpube_watch watch = {.arg = &o, .learn = learn};
	const struct gpube_opts opts = {
		.method = (int)methods[seed % (sizeof(methods) / sizeof(*methods))],
		.no_simplify = seed % 3 == 0};
	struct gpube_solution *s;
	const int status = gpube__solve_noted(&s, NULL, m, &opts, &watch);

	/* some methods do not take very large costs, and say so when they are asked for alone */
	if (status == GPUBE_ELIMIT && opts.method != GPUBE_BOUND_AUTO) {
		assert_true(!best->feasible || llabs(best->cost) > (int64_t)1 << 50);
		return;
	}
	assert_int_equal(status, 0);
	assert_int_equal(
		s->answer, best->feasible ? GPUBE_ANSWER_OPTIMAL : GPUBE_ANSWER_INFEASIBLE);
	if (best->feasible)
		assert_true(s->cost == best->cost && s->bound == best->cost);
	if (o.proves && o.values && o.at == 0 && s->n_stages == 1)
		n_told++;
	gpube_result_free(s);
}

static void runs_learn(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct random_spec spec = random_spec_varied(seed, GPUBE_COSTS);
	struct gpube_model *m = random_model(ctx, &spec, seed);
	int32_t *values = gpube__alloc_zero(ctx, (uint64_t)m->n_vars + 1, sizeof(*values));
	struct brute best;

	assert_int_equal(brute_force(&best, values, m), 0);
	for (int at = 0; at < 3; at++)
		for (int what = 0; what < 4; what++)
			run(m, &best,
				(struct others){.values = what % 2 && best.feasible ? values : NULL,
					.bound = best.feasible ? best.cost : m->top,
					.at = at,
					.proves = what / 2},
				seed);
	gpube__free(ctx, values);
	gpube_model_free(m);
}

/* A method that proves little waits: others find an assignment, then a bound, then nothing. */
static bool wait(void *arg)
{
	struct others *o = arg;

	o->at = o->n_calls;
	o->proves = ++o->n_waits > 1 || !o->values;
	return o->n_waits < 3;
}

static void runs_wait(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct random_spec spec = random_spec_varied(seed, GPUBE_COSTS);
	struct gpube_model *m = random_model(ctx, &spec, seed);
	int32_t *values = gpube__alloc_zero(ctx, (uint64_t)m->n_vars + 1, sizeof(*values));
	const struct gpube_opts opts = {.method = GPUBE_BOUND_ARC, .no_simplify = 1};
	struct others o = {.values = values, .at = INT_MAX};
	const struct gpube_watch watch = {.arg = &o, .learn = learn, .wait = wait};
	struct gpube_solution *s;
	struct brute best;

	assert_int_equal(brute_force(&best, values, m), 0);
	o.values = best.feasible ? values : NULL;
	o.bound = best.feasible ? best.cost : m->top;
	assert_int_equal(gpube__solve_noted(&s, NULL, m, &opts, &watch), 0);
	assert_int_equal(s->answer, best.feasible ? GPUBE_ANSWER_OPTIMAL : GPUBE_ANSWER_INFEASIBLE);
	n_waited += o.at < INT_MAX;
	gpube_result_free(s);
	gpube__free(ctx, values);
	gpube_model_free(m);
}

static void some_ended_by_it(void **state)
{
	(void)state;
	assert_true(n_told > 20 && n_waited > 5);
}

/* ---- what a rank keeps ----------------------------------------------------------------------- */

static struct gpube_model *two(enum gpube_direction direction)
{
	const int64_t costs[4] = {5, 3, 9, 7};
	struct gpube_model *m;

	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	assert_int_equal(gpube_model_set_direction(m, direction), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), 0);
	assert_int_equal(gpube_model_add_costs(m, 2, (int32_t[]){0, 1}, costs), 0);
	return m;
}

static int letter(struct gpube__findings *f, int scale, int64_t bound, int64_t cost, int32_t value)
{
	const struct gpube_letter l = {.task = scale, .a = bound, .b = cost};
	struct gpube__bytes bytes = {.ctx = ctx};
	int status;

	if (cost < GPUBE_INF)
		gpube__put_all(&bytes, (int32_t[]){value, 1}, 2);
	status = gpube__findings_read(f, &l, &bytes);
	gpube__bytes_clear(&bytes);
	return status;
}

/* What a run of so many decimals is told; the bound INT64_MIN: nothing is proved. */
static void tells(struct gpube__findings *f, int scale, bool any, int64_t bound, int32_t value)
{
	struct gpube__learned now = {.scale = scale};

	assert_true(gpube__findings_learn(f, false, &now) == any);
	if (!any)
		return;
	assert_true(now.proved == (bound > INT64_MIN) && (!now.proved || now.bound == bound));
	assert_true((value >= 0) == (now.values != NULL) && (value < 0 || now.values[0] == value));
}

static void kept(void **state)
{
	struct gpube_model *m = two(GPUBE_MINIMISE);
	const struct gpube_opts opts = {0};
	struct gpube__findings f;

	(void)state;
	assert_int_equal(gpube__findings_open(&f, m, &opts), 0);
	tells(&f, 0, false, 0, 0);
	assert_int_equal(letter(&f, 0, 1, 7, 1), 0);
	tells(&f, 0, true, 1, 1);
	tells(&f, 0, false, 0, 0); /* nothing is new */
	assert_int_equal(letter(&f, 0, 0, 9, 1), 0);
	tells(&f, 0, false, 0, 0);                       /* nor better */
	assert_int_equal(letter(&f, 2, 300, 300, 0), 0); /* of other decimals */
	tells(&f, 0, false, 0, 0);
	assert_false(gpube__findings_prove(&f));
	gpube__findings_improved(&f, 2, 3, (int32_t[]){0, 1});
	tells(&f, 0, true, 2, 0);
	assert_false(gpube__findings_prove(&f));
	assert_int_equal(letter(&f, 0, 3, GPUBE_INF, 0), 0);
	assert_true(gpube__findings_prove(&f));
	tells(&f, 0, true, 3, 0);
	assert_int_equal(letter(&f, 0, 3, 2, 2), GPUBE_EPARSE); /* no such value */
	gpube__findings_close(&f);
	gpube_model_free(m);
}

/* A run that begins anew with fewer decimals knows nothing of totals that had more. */
static void begun_anew(void **state)
{
	struct gpube_model *m = two(GPUBE_MINIMISE);
	const struct gpube_opts opts = {.has_cutoff = 1, .cutoff = 6};
	struct gpube__findings f;

	(void)state;
	assert_int_equal(gpube__findings_open(&f, m, &opts), 0);
	assert_int_equal(letter(&f, 4, 6, GPUBE_INF, 0), 0); /* nobody has asked yet */
	assert_false(gpube__findings_prove(&f));             /* nobody would hear of it */
	tells(&f, 4, true, 6, -1);
	assert_true(gpube__findings_prove(&f)); /* it is the caller's cutoff */
	tells(&f, 3, false, 0, 0);
	assert_false(gpube__findings_prove(&f));
	gpube__findings_close(&f);
	gpube_model_free(m);
}

static void of_a_maximum(void **state)
{
	struct gpube_model *m = two(GPUBE_MAXIMISE);
	const struct gpube_opts opts = {0};
	struct gpube__findings f;

	(void)state;
	assert_int_equal(gpube__findings_open(&f, m, &opts), 0);
	tells(&f, 0, false, 0, 0);
	gpube__findings_improved(&f, 12, 7, (int32_t[]){1, 1});
	tells(&f, 0, true, 12, 1);
	/* 9 is the better bound, 5 no gain */
	gpube__findings_improved(&f, 9, 5, (int32_t[]){0, 0});
	tells(&f, 0, true, 9, 1);
	assert_false(gpube__findings_prove(&f));
	gpube__findings_improved(&f, 9, 9, (int32_t[]){1, 0});
	assert_true(gpube__findings_prove(&f));
	gpube__findings_close(&f);
	gpube_model_free(m);
}

/* Totals of potentials are -ln, of which the least is best. */
static void of_potentials(void **state)
{
	struct gpube_opts opts = {0};
	struct gpube__findings f;
	struct gpube_model *m;

	(void)state;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_POTENTIALS), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), 0);
	assert_int_equal(gpube__findings_open(&f, m, &opts), 0);
	tells(&f, 12, false, 0, 0);
	gpube__findings_improved(&f, 17, 24, (int32_t[]){1, 1});
	tells(&f, 12, true, 17, 1);
	assert_false(gpube__findings_prove(&f));
	gpube__findings_improved(&f, 18, 18, (int32_t[]){0, 1});
	tells(&f, 12, true, 18, 0);
	assert_true(gpube__findings_prove(&f));
	gpube__findings_close(&f);
	gpube_model_free(m);
}

int main(void)
{
	struct cases c = {.setup = ctx_setup_1_thread, .teardown = ctx_teardown};

	add_seeds(&c, runs_learn, N_SEEDS, "model");
	add_seeds(&c, runs_wait, N_SEEDS, "waits");
	ADD_CASE(&c, some_ended_by_it);
	ADD_CASE(&c, kept);
	ADD_CASE(&c, begun_anew);
	ADD_CASE(&c, of_a_maximum);
	ADD_CASE(&c, of_potentials);
	return run_cases(&c, "findings", NULL, NULL);
}
