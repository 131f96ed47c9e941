/*
 * AND/OR searches that are stopped and go on with what they had proved: from a random moment to the
 * optimum that enumeration finds, with about the nodes that were left; and results that are of
 * other tables, or of no subproblem, are refused.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/test.h"

#include "gpube/bound/andor/andor_parts.h"
#include "gpube/bound/andor/andor_run.h"
#include "gpube/bound/bound.h"
#include "gpube/bound/checkpoint/checkpoint.h"
#include "tests/support/bounded.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/files.h"
#include "tests/support/random_model.h"

enum { N_MODELS = 10, N_MOMENTS = 10, N_HALVES = 4, MOST_THREADS = 3 };

/* Variables in a row, each with a function with each of the next few. */
static struct gpube_model *a_row(uint64_t seed, int32_t n, int32_t near, int32_t domain)
{
	struct gpube_rng rng;
	struct gpube_model *m;

	gpube__rng_init(&rng, seed);
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int32_t i = 0; i < n; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, domain, NULL), 0);
	for (int32_t i = 0; i < n; i++)
		for (int32_t k = i + 1; k < n && k <= i + near; k++) {
			int64_t cost[16];

			for (int c = 0; c < domain * domain; c++)
				cost[c] = ((int64_t)gpube__rng_below(&rng, 100)
						  << (seed % 4 ? 0 : 30)) +
					  (int64_t)gpube__rng_below(&rng, 3);
			assert_int_equal(gpube_model_add_costs(m, 2, (int32_t[]){i, k}, cost), 0);
		}
	return m;
}

/* ---- whole runs ------------------------------------------------------------------------------ */

/* Results that runs have taken from a checkpoint; improvements by AND/OR searches until the end. */
struct watching {
	int64_t n_results;
	int left;
};

static void listen(void *arg, const struct gpube_log *said)
{
	struct watching *w = arg;
	long long n;

	if (said->text && sscanf(said->text, "AND/OR search goes on with %lld results", &n) == 1)
		w->n_results += n;
}

static int end_run(void *arg, const struct gpube_progress *now)
{
	struct watching *w = arg;

	return !strcmp(now->by, "AND/OR search") && w->left-- == 0;
}

/* A run for so many seconds of work. Returns whether it has ended. */
static bool run(const struct gpube_model *m, const char *resume, double until, int64_t optimum,
	struct watching *w)
{
	const struct gpube_opts opts = {.method = GPUBE_BOUND_ANDOR,
		.z = 2,
		.checkpoint = in_dir("run"),
		.progress = end_run,
		.progress_arg = w,
		.resume = resume};
	const int64_t before = gpube__work_until(ctx, gpube__worked(ctx) + until);
	struct gpube_solution *found;
	bool ended;
	int status;

	ctx->log = listen;
	ctx->log_arg = w;
	status = gpube_solve(&found, m, &opts);
	ctx->log = NULL;
	ctx->log_arg = NULL;
	gpube__work_again(ctx, before);
	if (status && status != GPUBE_ESTOP)
		fail_msg("%s", gpube_error(ctx));
	ended = found->answer == GPUBE_ANSWER_OPTIMAL;
	assert_true(ended || status == GPUBE_ESTOP);
	assert_true(found->bound <= optimum && (!found->values || found->cost >= optimum));
	if (ended)
		assert_true(found->bound == optimum && found->cost == optimum);
	gpube_result_free(found);
	return ended;
}

static int64_t optimum_of(const struct gpube_model *m)
{
	const struct gpube_opts eliminate = {.method = GPUBE_BOUND_ELIMINATE};
	struct gpube_solution *s;
	int64_t optimum;

	assert_int_equal(gpube_solve(&s, m, &eliminate), 0);
	optimum = s->cost;
	gpube_result_free(s);
	return optimum;
}

static int64_t n_gone_on; /* runs that had results, of all models */

/*
 * It ends when some bound improves, and is resumed by other numbers of threads, which are stopped
 * again.
 */
static void moments(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct gpube_rng rng;
	struct gpube_model *m;
	struct brute brute;

	assert_int_equal(ctx_open(1, (uint64_t)1 << 26), 0);
	gpube__rng_init(&rng, seed);
	m = seed % 2 ? a_row(seed, 40, 7, 3) : a_row(seed, 12, 5, 3);
	if (seed % 2)
		brute.cost = optimum_of(m);
	else
		assert_int_equal(brute_force(&brute, NULL, m), 0);
	for (int k = 0; k < N_MOMENTS; k++) {
		struct watching w = {.left = (int)gpube__rng_below(&rng, 7)};
		double until = 1e-3 * gpube__rng_unit(&rng);
		bool ended;

		ctx->n_threads = 1;
		ended = run(m, NULL, INFINITY, brute.cost, &w);
		for (w.left = -1; !ended; until *= 2) {
			ctx->n_threads = 1 + (int)gpube__rng_below(&rng, MOST_THREADS);
			ended = run(m, in_dir("run"), until, brute.cost, &w);
		}
		n_gone_on += w.n_results > 0;
	}
	gpube_model_free(m);
	gpube_ctx_free(ctx);
}

/* They have seen what they are to test. */
static void all_moments(void **state)
{
	(void)state;
	print_message("%lld runs went on with results\n", (long long)n_gone_on);
	assert_true(n_gone_on > N_MODELS * N_MOMENTS / 5);
}

/* ---- a search -------------------------------------------------------------------------------- */

static int64_t nodes_of(const struct gpube_andor *a)
{
	int64_t n = 0;

	for (int k = 0; k < a->n_walkers; k++)
		n += a->walkers[k].n_nodes;
	return n;
}

/* Of a simplified model, below its optimum and some. */
struct searching {
	struct gpube_bounder b;
	struct gpube_joingraph g;
	struct gpube_andor_run run;
};

static void open_search(struct searching *s, const struct gpube_simplified *simplified,
	const struct gpube_model *m, int64_t cutoff)
{
	bool fits;

	begin_bounder(&s->b, simplified, m, 1);
	gpube__bounder_set_cutoff(&s->b, cutoff);
	assert_int_equal(gpube__joingraph_init(&s->g, s->b.tables, s->b.order, 4, 1e8,
				 GPUBE_PARTITION_SCOPE, cutoff, GPUBE__MOST_SHIFT, &fits),
		0);
	assert_true(fits);
	assert_int_equal(gpube__joingraph_pass(&s->g, false), 0);
	s->run = (struct gpube_andor_run){0};
}

static void close_search(struct searching *s)
{
	gpube__andor_run_clear(&s->run);
	gpube__joingraph_clear(&s->g);
	end_bounder(&s->b);
}

/*
 * Stopped after a part of the work, and gone on with what has been written: the nodes of both are
 * about those of the whole.
 */
static void halves(void **state)
{
	struct gpube_simplified simplified;
	struct gpube_model *m;
	struct searching s;
	int64_t optimum;
	double whole, before;

	(void)state;
	assert_int_equal(ctx_open(1, (uint64_t)1 << 28), 0);
	m = a_row(3, 50, 7, 4);
	optimum = optimum_of(m);
	assert_int_equal(gpube__simplify(&simplified, m, true), 0);
	open_search(&s, &simplified, m, optimum + 100);
	before = gpube__worked(ctx);
	assert_int_equal(gpube__andor_run(&s.b, &s.g, INFINITY, &s.run), 0);
	whole = gpube__worked(ctx) - before;
	assert_true(gpube__bounder_done(&s.b));
	close_search(&s);
	for (int k = 1; k < N_HALVES; k++) {
		struct gpube__bytes bytes = {.ctx = ctx};
		double parts[2];

		open_search(&s, &simplified, m, optimum + 100);
		before = gpube__worked(ctx);
		assert_int_equal(gpube__andor_run(&s.b, &s.g, whole * k / N_HALVES, &s.run), 0);
		parts[0] = gpube__worked(ctx) - before;
		assert_non_null(s.run.a);
		gpube__put_andor_run(&bytes, &s.run);
		close_search(&s);
		open_search(&s, &simplified, m, optimum + 100);
		assert_int_equal(gpube__get_andor_run(&s.run, &s.b, &s.g, &bytes), 0);
		assert_non_null(s.run.a);
		before = gpube__worked(ctx);
		assert_int_equal(gpube__andor_run(&s.b, &s.g, INFINITY, &s.run), 0);
		parts[1] = gpube__worked(ctx) - before;
		assert_true(gpube__bounder_done(&s.b) && s.b.upper == optimum);
		print_message("%g of %g seconds of work, then %g, by %lld bytes\n", parts[0], whole,
			parts[1], (long long)bytes.n);
		assert_true(parts[0] + parts[1] < 1.05 * whole);
		gpube__bytes_clear(&bytes);
		close_search(&s);
	}
	gpube__simplified_clear(ctx, &simplified);
	gpube_model_free(m);
	gpube_ctx_free(ctx);
}

/* ---- results --------------------------------------------------------------------------------- */

struct search {
	struct gpube_model *m;
	struct gpube_joingraph g;
	struct gpube_andor *a;
};

/* Of a model of that seed, along its order, or the other way round. */
static void begin(struct search *s, uint64_t seed, bool turned)
{
	enum { N = 20 };
	int32_t order[N];
	bool fits;

	s->m = a_row(seed, N, 5, 3);
	for (int32_t i = 0; i < N; i++)
		order[i] = turned ? N - 1 - i : i;
	assert_int_equal(gpube__joingraph_init(&s->g, s->m, order, 2, 1e8, GPUBE_PARTITION_SCOPE,
				 GPUBE_INF, GPUBE__MOST_SHIFT, &fits),
		0);
	assert_true(fits);
	assert_int_equal(gpube__joingraph_pass(&s->g, false), 0);
	assert_int_equal(gpube__andor_new(&s->a, &s->g, s->m, 1e6), 0);
	assert_non_null(s->a);
}

static void end(struct search *s)
{
	gpube__andor_free(s->a);
	gpube__joingraph_clear(&s->g);
	gpube_model_free(s->m);
}

/* The optimum; returns the nodes that it took. */
static int64_t search(struct search *s, int64_t *value)
{
	const struct gpube_budget turn = gpube__budget(ctx, INFINITY);
	bool ended;

	gpube__andor_search(s->a, GPUBE__ANDOR_NEVER, &turn, value, NULL, &ended);
	assert_true(ended);
	return nodes_of(s->a);
}

/* Results help the same search, and no other: of another order, model, or with another cell. */
static void other_tables(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct gpube__bytes known = {0};
	struct search one, other;
	int64_t value, again, n, took;

	assert_int_equal(ctx_open(1 + (int)(seed % 2), (uint64_t)1 << 26), 0);
	known.ctx = ctx;
	begin(&one, seed, false);
	took = search(&one, &value);
	gpube__put_andor_known(&known, one.a, INT64_MAX);
	assert_int_equal(known.status, 0);
	for (int way = 0; way < 4; way++) {
		begin(&other, seed + (way == 1), way == 2);
		if (way == 3)
			other.g.joins[3].t[1]++;
		known.next = 0;
		assert_int_equal(gpube__get_andor_known(other.a, &known, &n), 0);
		assert_true(way == 0 ? n > 0 && known.next == known.n : n == -1);
		if (way == 0) {
			assert_true(search(&other, &again) < took / 2);
			assert_true(again == value);
		}
		end(&other);
	}
	end(&one);
	gpube__bytes_clear(&known);
	gpube_ctx_free(ctx);
}

/* One result of a key that differs from a real one by these bits of its first word. */
static int take_altered(struct search *s, const struct gpube__bytes *known, uint64_t bits)
{
	struct gpube__bytes from = *known, to = {.ctx = ctx};
	int64_t n;
	int status;

	/* hash and words of a key; nodes, cost, whether it is exact, and the first word */
	for (int k = 0; k < 5 + s->a->n_words; k++) {
		const int64_t v = gpube__get(&from, INT64_MIN, INT64_MAX);

		gpube__put(&to, k == 5 ? (int64_t)((uint64_t)v ^ bits) : v);
	}
	gpube__put(&to, 0);
	status = gpube__get_andor_known(s->a, &to, &n);
	gpube__bytes_clear(&to);
	return status;
}

/* A key has a variable that there is, and values of its context alone. */
static void no_subproblems(void **state)
{
	struct gpube__bytes known = {0};
	struct search s;
	int64_t value;
	int n_refused = 0;

	(void)state;
	assert_int_equal(ctx_open(1, (uint64_t)1 << 26), 0);
	known.ctx = ctx;
	begin(&s, 1, false);
	(void)search(&s, &value);
	gpube__put_andor_known(&known, s.a, INT64_MAX);
	assert_int_equal(known.status, 0);
	assert_int_equal(take_altered(&s, &known, 0), 0);
	for (int k = 0; k < 64; k++)
		n_refused += take_altered(&s, &known, (uint64_t)1 << k) == GPUBE_EPARSE;
	/* one of two values of three, or another variable's, is another subproblem's */
	assert_true(n_refused > 40);
	assert_int_equal(take_altered(&s, &known, (uint64_t)1 << 63), GPUBE_EPARSE);
	end(&s);
	gpube__bytes_clear(&known);
	gpube_ctx_free(ctx);
}

int main(void)
{
	struct cases c = {0};
	int failed;

	test_make_dir(dir);
	add_seeds(&c, moments, N_MODELS, "moments, seed");
	ADD_CASE(&c, all_moments);
	ADD_CASE(&c, halves);
	add_seeds(&c, other_tables, 8, "results of other tables, seed");
	ADD_CASE(&c, no_subproblems);
	failed = run_cases(&c, "AND/OR search that goes on", NULL, NULL);
	test_clear_dir(dir);
	return failed;
}
