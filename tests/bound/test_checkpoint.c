/*
 * Runs that are kept and go on: trees that are written and made again after every turn, against
 * enumeration; whole runs that are stopped at any tick and resumed, on other numbers of threads;
 * files that are damaged, another model's, or left by a run that was killed while it wrote one.
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/support/test.h"

#include "gpube/bound/bound.h"
#include "gpube/bound/checkpoint/checkpoint.h"
#include "gpube/bound/dfs_tree.h"
#include "gpube/ir/model_bytes.h"
#include "tests/support/bounded.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/files.h"
#include "tests/support/memory.h"
#include "tests/support/random_model.h"

enum { N_SEEDS = 300, N_MODELS = 6, N_STOPS = 4, N_KILLS = 5, N_HOSTILE = 400, MOST_TURNS = 20000 };

/* ---- trees, after every turn ----------------------------------------------------------------- */

/* Everything happens early, and often. */
static void hasten(struct gpube_dfs_tree *s, uint64_t seed)
{
	s->alone = 0;
	s->n_restarts = seed % 8 < 5 ? 0 : 2;
	s->first_nodes = 1 + (int32_t)(seed % 9);
	s->patience = seed % 3 ? 1 : 16;
	s->shortest = seed % 4 ? 1 : 8;
	s->few_values = seed % 2 ? 1 : 10;
}

/* With the open nodes, which a reader adds up, it is the whole tree. */
static uint64_t closed_part(const struct gpube_dfs_tree *s)
{
	const struct gpube_dfs_block *k = s->t ? s->blocks : NULL;

	return k && k->opened && !k->closed ? k->part : 0;
}

/* Another bounder goes on from what the first one has written. */
static void revive(struct gpube_bounder *b, const struct bounded *r)
{
	struct gpube__bytes bytes = {.ctx = ctx};
	struct gpube_bounder next;
	const uint64_t part = closed_part(b->state.tree);
	const int64_t lower = b->lower, upper = b->upper;

	b->state.tree->seconds = 0; /* as if it was in its first turn */
	gpube__put_run(&bytes, b, GPUBE__RUN_WITH_NODES);
	assert_int_equal(bytes.status, 0);
	gpube__dfs_tree_free(b->state.tree);
	end_bounder(b);
	begin_bounder(&next, &r->s, r->given, 0);
	assert_int_equal(gpube__get_run(&next, &bytes), 0);
	assert_int_equal(gpube__get_state(&next, &bytes), 0);
	assert_true(next.lower == lower && next.upper == upper);
	assert_true(bytes.next == bytes.n || gpube__bounder_done(&next));
	if (next.state.tree && !gpube__bounder_done(&next)) {
		assert_true(closed_part(next.state.tree) == part);
		assert_true(gpube__dfs_tree_seconds_left(next.state.tree) > 0); /* it has turns */
	}
	gpube__bytes_clear(&bytes);
	*b = next;
	if (b->state.tree)
		b->state.tree->b = b;
}

/* One that get_run() has made: what it owns beside a bounder of tests. */
static void end_revived(struct gpube_bounder *b, bool revived)
{
	gpube__dfs_tree_free(b->state.tree);
	if (revived)
		gpube__simplified_clear(ctx, &b->s);
	end_bounder(b);
}

static void trees(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	static const double turns_of[] = {0, 1e-5, 1e-4};
	struct random_spec spec = random_spec_varied(seed, GPUBE_COSTS);
	struct gpube_bounder b;
	struct bounded r;
	bool revived = false;
	int turns = 0;

	spec.n_parts = 1 + (int)(seed / 3 % 3);
	if (bounded_init(&r, spec, seed)) {
		ctx->n_threads = 1 + (int)(seed % 3);
		begin_bounder(&b, &r.s, r.given, seed);
		if (r.optimum != GPUBE_INF && seed % 4 == 0)
			gpube__bounder_set_cutoff(&b, r.optimum + (int64_t)(seed / 4 % 2));
		if (seed % 3 == 0)
			assert_int_equal(gpube__bound_first(&b, 1e-4), 0);
		do {
			assert_true(++turns < MOST_TURNS);
			if (!b.state.tree)
				assert_int_equal(gpube__dfs_tree_new(&b), 0);
			if (!b.state.tree->t)
				break;
			hasten(b.state.tree, seed);
			assert_int_equal(gpube__bound_dfs(&b, turns_of[turns % 3]), 0);
			if (r.optimum < b.given_cutoff)
				assert_true(b.lower <= r.optimum);
			if (turns % 8 == 1 && !gpube__bounder_done(&b)) {
				struct gpube_simplified s = b.s;

				revive(&b, &r);
				if (revived)
					gpube__simplified_clear(ctx, &s);
				revived = true;
			}
		} while (!gpube__bounder_done(&b));
		if (gpube__bounder_done(&b) && r.optimum < b.given_cutoff)
			assert_true(b.lower == r.optimum &&
				    (b.upper == r.optimum || r.optimum == GPUBE_INF));
		end_revived(&b, revived);
		ctx->n_threads = 1;
	}
	bounded_clear(&r);
}

/* ---- whole runs ------------------------------------------------------------------------------ */

/* Of a few dozen variables, each with functions of many; totals of some are at 64 bits' ends. */
static struct gpube_model *make(uint64_t seed)
{
	const int64_t constants[] = {0, -INT64_MAX + 1000, INT64_MAX - 1000000};
	struct gpube_model *m;
	struct gpube_rng rng;
	int32_t n, d;

	gpube__rng_init(&rng, seed);
	n = 10 + (int32_t)gpube__rng_below(&rng, 5);
	d = 3 + (int32_t)gpube__rng_below(&rng, 3);
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	if (seed % 3 == 0)
		gpube_model_set_direction(m, GPUBE_MAXIMISE);
	for (int32_t i = 0; i < n; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, d, NULL), 0);
	assert_int_equal(gpube_model_add_costs(m, 0, NULL, &constants[seed % 3]), 0);
	for (int32_t a = 0; a < n; a++)
		for (int32_t b = 0; b < a; b++) {
			int64_t cost[25];

			if (gpube__rng_below(&rng, 3) == 0)
				continue;
			for (int32_t c = 0; c < d * d; c++)
				cost[c] = (int64_t)gpube__rng_below(&rng, 100);
			assert_int_equal(gpube_model_add_costs(m, 2, (int32_t[]){a, b}, cost), 0);
		}
	return m;
}

/* What ends a run: ticks, or a file that is copied after so many improvements. */
struct copying {
	int left;
	bool copied;
};

static int copy(void *arg, const struct gpube_progress *now)
{
	struct copying *c = arg;
	size_t n;
	char *bytes;

	(void)now;
	if (c->left-- != 0)
		return 0;
	bytes = test_get(in_dir("run"), &n);
	if (bytes) {
		test_put(in_dir("copy"), bytes, n);
		c->copied = true;
	}
	free(bytes);
	return 0;
}

/* One run, for so many seconds of work, from 'resume', or NULL. Returns whether it has ended. */
static bool part(const struct gpube_model *m, enum gpube_bound_method method, const char *resume,
	double until, int64_t optimum, struct copying *copying)
{
	const struct gpube_opts opts = {.method = method,
		.checkpoint = in_dir("run"),
		.checkpoint_every = copying ? 1e-9 : 0,
		.progress = copying ? copy : NULL,
		.progress_arg = copying,
		.resume = resume};
	const bool maximise = m->direction == GPUBE_MAXIMISE;
	struct gpube_solution *found;
	const int64_t before = gpube__work_until(ctx, gpube__worked(ctx) + until);
	const int status = gpube_solve(&found, m, &opts);
	int64_t cost;
	bool ended;

	gpube__work_again(ctx, before);
	if (status && status != GPUBE_ESTOP)
		fail_msg("%s", gpube_error(ctx));
	assert_non_null(found);
	assert_true(maximise ? found->bound >= optimum : found->bound <= optimum);
	if (found->values) {
		assert_int_equal(gpube_model_cost(&cost, m, found->values), 0);
		assert_true(cost == found->cost && (maximise ? cost <= optimum : cost >= optimum));
	}
	ended = found->answer == GPUBE_ANSWER_OPTIMAL;
	assert_true(ended || status == GPUBE_ESTOP);
	if (ended)
		assert_true(found->cost == optimum && found->bound == optimum);
	gpube_result_free(found);
	return ended;
}

struct way {
	const char *name;
	enum gpube_bound_method method;
	int n_threads;
};

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

/* Each part has twice the work of the last one, so that a method that begins anew ends, too. */
static void stops(void **state)
{
	const struct way *way = *state;
	struct gpube_rng rng;
	int n_resumed = 0;

	gpube__rng_init(&rng, 11);
	for (uint64_t seed = 1; seed <= N_MODELS; seed++) {
		struct gpube_model *m;
		int64_t optimum;

		assert_int_equal(ctx_open(way->n_threads, (uint64_t)1 << 28), 0);
		m = make(seed);
		optimum = optimum_of(m);
		for (int k = 0; k < N_STOPS; k++) {
			double until = 1e-4 * pow(300, gpube__rng_unit(&rng));
			struct copying copying = {.left = (int)gpube__rng_below(&rng, 12)};
			const char *from = NULL;

			unlink(in_dir("run"));
			while (!part(m, way->method, from, until, optimum, NULL)) {
				until *= 2;
				n_resumed++;
				from = access(in_dir("run"), R_OK) ? NULL : in_dir("run");
				ctx->n_threads = 1 + (int)gpube__rng_below(&rng, 3);
			}
			ctx->n_threads = way->n_threads;
			/* as it was at some moment of a run that was not stopped */
			(void)part(m, way->method, NULL, INFINITY, optimum, &copying);
			if (copying.copied)
				assert_true(part(
					m, way->method, in_dir("copy"), INFINITY, optimum, NULL));
		}
		gpube_model_free(m);
		gpube_ctx_free(ctx);
	}
	assert_true(n_resumed > N_MODELS * N_STOPS / 4); /* or nothing was stopped */
}

/* ---- files that are not what they should be -------------------------------------------------- */

/* A checkpoint of make(seed), stopped in its tree. */
static void write_one(uint64_t seed)
{
	struct gpube_model *m = make(seed);

	unlink(in_dir("run"));
	for (double until = 1e-4; access(in_dir("run"), R_OK); until *= 1.3)
		if (part(m, GPUBE_BOUND_TREE, NULL, until, optimum_of(m), NULL))
			fail_msg("it has ended");
	gpube_model_free(m);
}

static int resume(const struct gpube_model *m, const char *path)
{
	const struct gpube_opts opts = {.method = GPUBE_BOUND_TREE, .resume = path};
	struct gpube_solution *found;
	const int status = gpube_solve(&found, m, &opts);

	gpube_result_free(found);
	return status;
}

static void refused(
	const struct gpube_model *m, const char *bytes, size_t n, int status, const char *text)
{
	test_put(in_dir("bad"), bytes, n);
	assert_int_equal(resume(m, in_dir("bad")), status);
	if (!strstr(gpube_error(ctx), text))
		fail_msg("%s", gpube_error(ctx));
}

static void damaged(void **state)
{
	struct gpube_model *m, *other;
	size_t n;
	char *bytes;

	(void)state;
	assert_int_equal(ctx_open(1, (uint64_t)1 << 28), 0);
	m = make(2);
	write_one(2);
	bytes = test_get(in_dir("run"), &n);
	assert_non_null(bytes);
	assert_int_equal(resume(m, in_dir("run")), 0);
	for (size_t k = 0; k < n; k += 1 + n / 400) {
		bytes[k] ^= 4;
		refused(m, bytes, n, GPUBE_EPARSE, "cannot resume from");
		bytes[k] ^= 4;
		refused(m, bytes, k, GPUBE_EPARSE, "cannot resume from");
	}
	refused(m, bytes, 0, GPUBE_EPARSE, "it is no checkpoint");
	refused(m, "p edge 3 1\n", 11, GPUBE_EPARSE, "it is no checkpoint");
	refused(m, "gpube-checkpoint 99\nxyz", 23, GPUBE_EPARSE, "another version of gpube");
	bytes[n - 1] ^= 1;
	refused(m, bytes, n, GPUBE_EPARSE, "its checksum is wrong");
	assert_int_equal(resume(m, in_dir("none")), GPUBE_EIO);
	other = make(3);
	assert_int_equal(resume(other, in_dir("run")), GPUBE_EINVAL);
	assert_non_null(strstr(gpube_error(ctx), "it is of another model"));
	free(bytes);
	gpube_model_free(other);
	gpube_model_free(m);
	gpube_ctx_free(ctx);
}

/* The numbers in a file, with a checksum that is right. */
static void put_file(const struct gpube__bytes *run)
{
	static const char line[] = "gpube-checkpoint 4\n";
	struct gpube__bytes file = {.ctx = ctx};
	const size_t n = strlen(line);
	char *whole;

	assert_int_equal(gpube__pack(&file, run), 0);
	whole = malloc(n + (size_t)file.n);
	assert_non_null(whole);
	memcpy(whole, line, n);
	memcpy(whole + n, file.at, (size_t)file.n);
	test_put(in_dir("bad"), whole, n + (size_t)file.n);
	free(whole);
	gpube__bytes_clear(&file);
}

static int resume_soon(const struct gpube_model *m)
{
	const int64_t before = gpube__work_until(ctx, gpube__worked(ctx) + 0.05);
	const int status = resume(m, in_dir("bad"));

	gpube__work_again(ctx, before);
	return status;
}

/* Bytes that somebody has altered: anything but a crash. */
static void hostile(void **state)
{
	struct gpube__bytes run;
	struct gpube_model *m;
	struct gpube_rng rng;
	int n_refused = 0;

	(void)state;
	assert_int_equal(ctx_open(1, (uint64_t)1 << 28), 0);
	m = make(4);
	write_one(4);
	run = (struct gpube__bytes){.ctx = ctx};
	assert_int_equal(gpube__checkpoint_read(&run, in_dir("run")), 0);
	gpube__rng_init(&rng, 17);
	for (int k = 0; k < N_HOSTILE; k++) {
		const int64_t at = (int64_t)gpube__rng_below(&rng, (uint64_t)run.n), n = run.n;
		const unsigned char was = run.at[at];

		run.at[at] = (unsigned char)gpube__rng_next(&rng);
		run.n = k % 5 ? n : at;
		put_file(&run);
		run.at[at] = was;
		run.n = n;
		n_refused += resume_soon(m) == GPUBE_EPARSE;
	}
	assert_true(n_refused > N_HOSTILE / 10);
	gpube__bytes_clear(&run);
	gpube_model_free(m);
	gpube_ctx_free(ctx);
}

/* One number of the file becomes another one, such as the largest there is. */
static void other_numbers(void **state)
{
	static const int64_t odd[] = {0, 1, -1, 62, INT32_MAX, (int64_t)1 << 61, (int64_t)1 << 62,
		-((int64_t)1 << 62), GPUBE_INF - 1, 1 - GPUBE_INF, GPUBE_INF, -GPUBE_INF};
	const char *times = getenv("GPUBE_SEEDS");
	struct gpube__bytes run, other;
	struct gpube_model *m;
	struct gpube_rng rng;
	int64_t n = 0;

	(void)state;
	assert_int_equal(ctx_open(1, (uint64_t)1 << 28), 0);
	m = make(4);
	write_one(4);
	run = (struct gpube__bytes){.ctx = ctx};
	assert_int_equal(gpube__checkpoint_read(&run, in_dir("run")), 0);
	while (run.next < run.n && !run.status) {
		(void)gpube__get(&run, INT64_MIN, INT64_MAX);
		n++;
	}
	gpube__rng_init(&rng, 23);
	for (int k = 0; k < N_HOSTILE * (times ? atoi(times) : 1); k++) {
		const int64_t at = (int64_t)gpube__rng_below(&rng, (uint64_t)n);

		other = (struct gpube__bytes){.ctx = ctx};
		run.next = 0;
		for (int64_t i = 0; i < n; i++) {
			const int64_t v = gpube__get(&run, INT64_MIN, INT64_MAX);
			const size_t j =
				(size_t)gpube__rng_below(&rng, sizeof(odd) / sizeof(*odd) + 2);

			gpube__put(&other, i != at                           ? v
					   : j < sizeof(odd) / sizeof(*odd)  ? odd[j]
					   : j == sizeof(odd) / sizeof(*odd) ? v / 2
									     : v ^ 1);
		}
		assert_int_equal(other.status, 0);
		put_file(&other);
		(void)resume_soon(m);
		gpube__bytes_clear(&other);
	}
	gpube__bytes_clear(&run);
	gpube_model_free(m);
	gpube_ctx_free(ctx);
}

/* ---- what no run leaves ---------------------------------------------------------------------- */

/* Four variables of four values, of which the first has lost its second one. */
static struct gpube_model *make_narrow(void)
{
	struct gpube_model *m;
	struct gpube_rng rng;

	gpube__rng_init(&rng, 5);
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int32_t i = 0; i < 4; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, 4, NULL), 0);
	for (int32_t i = 0; i < 4; i++)
		for (int32_t j = 0; j < i; j++) {
			int64_t costs[16];

			for (int k = 0; k < 16; k++)
				costs[k] = (int64_t)gpube__rng_below(&rng, 100);
			assert_int_equal(gpube_model_add_costs(m, 2, (int32_t[]){i, j}, costs), 0);
		}
	assert_int_equal(
		gpube_model_add_costs(m, 1, (int32_t[]){0}, (int64_t[]){0, GPUBE_INF, 0, 0}), 0);
	assert_int_equal(gpube_model_add_costs(m, 0, NULL, (int64_t[]){1000}), 0);
	return m;
}

/* What is altered, and what the reader says of it; NULL: it is resumed. */
static const char *const forgeries[][2] = {
	{"nothing", NULL},
	{"two variables are one, and one is none", "stands for none"},
	{"a value twice", "stands for none, or a value"},
	{"values out of order", "stands for none, or a value"},
	{"a cost below 0", "it has no simplified model"},
	{"totals past 64 bits", "it has no simplified model"},
	{"a top above all totals", "it has no simplified model"},
	{"a moved cost below 0", "costs that no ascent leaves"},
	{"moved totals past 64 bits", "costs that no ascent leaves"},
	{"a second model that is maximised", "costs that no ascent leaves"},
	{"a unit that no cost fits", "multiplied by more than they can be"},
};

static void alter(struct gpube_bounder *b, int which)
{
	struct gpube_model *second = b->made.kept, *below_0 = which == 4 ? b->s.model : second;
	int32_t *values = b->s.values[0];

	switch (which) {
	case 1:
		b->s.var[1] = b->s.var[2];
		break;
	case 2:
		values[1] = values[0];
		break;
	case 3:
		values[0] = 2;
		values[1] = 0;
		break;
	case 4:
	case 7:
		assert_int_equal(below_0->tables[0].type, GPUBE_INT8);
		((int8_t *)below_0->tables[0].values)[0] = -1;
		break;
	case 5:
		b->s.model->constant = GPUBE_INF - 2;
		break;
	case 6:
		b->s.model->top = GPUBE_INF / 2;
		break;
	case 8:
		second->constant = GPUBE_INF - 2;
		break;
	case 9:
		second->direction = GPUBE_MAXIMISE;
		break;
	case 10:
		b->made.finer = 55;
		break;
	}
}

/* As gpube__put_run(), of any tables, without an incumbent, an order and states of methods. */
static void put_any_run(struct gpube__bytes *to, const struct gpube_bounder *b)
{
	gpube__put(to, b->costs->scale);
	gpube__put(to, (int64_t)gpube__model_hash(b->costs));
	gpube__put_simplified(to, &b->s);
	gpube__put(to, 1);
	gpube__put(to, b->made.finer);
	gpube__put_model(to, b->tables);
	gpube__put(to, b->given_cutoff);
	gpube__put(to, GPUBE_INF);
	gpube__put(to, b->lower);
	for (int k = 0; k < 6; k++)
		gpube__put(to, 0);
}

/* A run of tables that are a copy of the simplified model's, altered, with a right checksum. */
static void forged(void **state)
{
	const int which = (int)(uintptr_t)*state;
	const char *text = forgeries[which][1];
	struct gpube__bytes copy = {0}, run = {0};
	struct gpube_simplified s;
	struct gpube_bounder b;
	struct gpube_model *m;

	assert_int_equal(ctx_open(1, (uint64_t)1 << 28), 0);
	copy.ctx = run.ctx = ctx;
	m = make_narrow();
	assert_int_equal(gpube__simplify(&s, m, true), 0);
	assert_true(s.model->n_vars == 4 && s.values[0] && !s.values[1]);
	begin_bounder(&b, &s, m, 1);
	gpube__put_model(&copy, s.model);
	assert_int_equal(gpube__get_model(&b.made.kept, &copy), 0);
	b.tables = b.made.kept;
	b.cutoff = b.given_cutoff = 1300;
	alter(&b, which);
	put_any_run(&run, &b);
	assert_int_equal(run.status, 0);
	put_file(&run);
	if (text) {
		assert_int_equal(resume(m, in_dir("bad")), GPUBE_EPARSE);
		if (!strstr(gpube_error(ctx), text))
			fail_msg("%s", gpube_error(ctx));
	} else if (resume(m, in_dir("bad"))) {
		fail_msg("%s", gpube_error(ctx));
	}
	gpube__bytes_clear(&copy);
	gpube__bytes_clear(&run);
	end_bounder(&b);
	gpube__simplified_clear(ctx, &s);
	gpube_model_free(m);
	gpube_ctx_free(ctx);
}

/* A run that writes all the time is killed: there is the last file or the one before. */
static void killed(void **state)
{
	struct gpube_model *m;
	int64_t optimum;

	(void)state;
	assert_int_equal(ctx_open(1, (uint64_t)1 << 28), 0);
	m = make(5);
	optimum = optimum_of(m);
	for (int k = 0; k < N_KILLS; k++) {
		struct copying never = {.left = -1};
		pid_t child;
		int status;

		unlink(in_dir("run"));
		child = fork();
		assert_true(child >= 0);
		while (child == 0)
			(void)part(m, GPUBE_BOUND_TREE, NULL, INFINITY, optimum, &never);
		while (access(in_dir("run"), R_OK))
			nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
		nanosleep(&(struct timespec){.tv_nsec = 1000000L * k}, NULL);
		kill(child, SIGKILL);
		assert_true(waitpid(child, &status, 0) == child && WIFSIGNALED(status));
		assert_true(part(m, GPUBE_BOUND_TREE, in_dir("run"), INFINITY, optimum, NULL));
	}
	gpube_model_free(m);
	gpube_ctx_free(ctx);
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* One of the allocations of a run that is resumed fails: it goes on, or ends for that reason. */
static long resume_without(long fail_at, const char *path)
{
	const struct gpube_opts opts = {.method = GPUBE_BOUND_TREE, .resume = path};
	struct test_memory memory = {.fail_at = -1};
	struct gpube_solution *found;
	struct gpube_model *m;
	int status;
	long before;

	ctx = test_memory_ctx(&memory);
	ctx->n_threads = 1;
	ctx->memory_bytes = (uint64_t)1 << 26;
	m = make(2);
	before = memory.n;
	memory.fail_at = fail_at < 0 ? -1 : before + fail_at;
	status = gpube_solve(&found, m, &opts);
	assert_true(status == GPUBE_OK || status == GPUBE_ELIMIT ||
		    (status == GPUBE_ENOMEM && fail_at >= 0));
	gpube_result_free(found);
	gpube_model_free(m);
	before = memory.n - before;
	test_memory_end(ctx, &memory);
	return before;
}

static void allocations(void **state)
{
	char path[512];
	long n;

	(void)state;
	assert_int_equal(ctx_open(1, (uint64_t)1 << 28), 0);
	write_one(2);
	snprintf(path, sizeof(path), "%s", in_dir("run"));
	gpube_ctx_free(ctx);
	n = resume_without(-1, path);
	assert_true(n > 100);
	for (long k = 0; k < n; k += 1 + k / 40)
		(void)resume_without(k, path);
}

static int no_context(void **state)
{
	(void)state;
	return 0;
}

int main(void)
{
	static const struct way ways[] = {
		{"auto", GPUBE_BOUND_AUTO, 1},
		{"auto", GPUBE_BOUND_AUTO, 3},
		{"tree", GPUBE_BOUND_TREE, 1},
		{"tree", GPUBE_BOUND_TREE, 3},
		{"andor", GPUBE_BOUND_ANDOR, 1},
		{"pairwise", GPUBE_BOUND_PAIRWISE, 1},
	};
	struct cases c = {.setup = ctx_setup_1_thread, .teardown = ctx_teardown};
	int failed;

	test_make_dir(dir);
	add_seeds(&c, trees, N_SEEDS, "tree");
	c.setup = c.teardown = no_context;
	for (size_t k = 0; k < sizeof(ways) / sizeof(*ways); k++)
		add_case(&c, stops, &ways[k], "%s, %d threads", ways[k].name, ways[k].n_threads);
	ADD_CASE(&c, damaged);
	ADD_CASE(&c, hostile);
	ADD_CASE(&c, other_numbers);
	for (size_t k = 0; k < sizeof(forgeries) / sizeof(*forgeries); k++)
		add_case(&c, forged, (void *)k, "forged: %s", forgeries[k][0]);
	ADD_CASE(&c, killed);
	ADD_CASE(&c, allocations);
	failed = run_cases(&c, "checkpoint", NULL, NULL);
	test_clear_dir(dir);
	return failed;
}
