/*
 * Models cut into boxes and eliminated in slices: every assignment is in one box and costs there
 * what it costs; bounds are bounds; for any memory the optimum, its assignment and the number of
 * optima are those of the whole or of enumeration; several workers find what one does; a stop
 * leaves the best so far and a bound.
 */
#include "tests/support/cases.h"
#include "gpube/options/options.h"
#include "tests/support/context.h"
#include "tests/support/memory.h"
#include "tests/support/random_model.h"
#include "tests/support/test.h"

#include "gpube/eliminate/be.h"
#include "gpube/eliminate/be_reduce.h"
#include "gpube/eliminate/be_split.h"
#include "gpube/eliminate/count.h"
#include "gpube/ir/dense.h"
#include "gpube/ir/generate.h"

#include <math.h>
#include <string.h>

enum {
	N_BOXES = 60,
	N_SUMS = 200,
	N_RANDOM = 80,
	N_NETWORKS = 8,
	N_WORKERS = 12,
	N_STOPS = 12,
	N_MEMORY = 4
};

static int n_wider[2]; /* models whose boxes' sums leave int64, int32, though the whole's do not */
static int n_left[2];  /* boxes of which nothing is left under their top, or fewer joined cells */
static int n_by_size[4]; /* runs of 2 to 9 slices, 10 to 99, 100 and more; and left-out slices */

static const struct gpube_ops *open_cpu(struct gpube_ctx *c, int *status)
{
	(void)c;
	*status = GPUBE_OK;
	return gpube__ops_cpu();
}

static struct gpube_model *network(struct gpube_ctx *c, uint64_t seed, int32_t n, int32_t domain)
{
	struct gpube_network net = {
		.topology = seed % 3 ? GPUBE_NETWORK_RANDOM : GPUBE_NETWORK_SCALE_FREE,
		.n_vars = n,
		.domain = domain,
		.density = 0.6,
		.links = 5,
		.tightness = seed % 2 ? 0.2 : 0,
		.max_cost = seed % 4 ? 100 : 2,
		.seed = seed};
	struct gpube_model *m;

	assert_int_equal(gpube__generate(&m, c, &net), 0);
	return m;
}

/* A simplified model's kind of numbers. */
static struct random_spec simple(uint64_t seed)
{
	struct random_spec spec = random_spec_varied(seed, GPUBE_COSTS);

	spec.min_cost = 0;
	spec.direction = GPUBE_MINIMISE;
	spec.observed = 0;
	return spec;
}

/* ---- boxes ---------------------------------------------------------------------------------- */

static void every_assignment_is_in_one_box(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	const struct random_spec spec = simple(seed);
	struct gpube_model *m = random_model(ctx, &spec, seed);
	struct gpube_boxes b;
	struct gpube_box box;
	struct gpube_be be;
	struct gpube_rng rng;
	int32_t order[64], values[64], here[64];
	int64_t *bounds, n_here = 0, n_all = 1;

	assert_non_null(m);
	gpube__rng_init(&rng, seed);
	for (int32_t i = 0; i < m->n_vars; i++) {
		order[i] = m->n_vars - 1 - i;
		n_all *= m->vars[i].domain;
	}
	b = (struct gpube_boxes){.ctx = ctx, .m = m, .order = order, .n = 1};
	assert_int_equal(gpube__be_init(&be, m, order), 0);
	for (int32_t i = 0; i < m->n_vars; i++) {
		const int32_t n = 1 + (int32_t)gpube__rng_below(&rng, (uint64_t)m->vars[i].domain);

		if (n > 1 && gpube__rng_below(&rng, 2))
			gpube__boxes_split(&b, &be, i, n);
	}
	bounds = gpube__alloc(ctx, (uint64_t)b.n, sizeof(*bounds));
	assert_non_null(bounds);
	assert_int_equal(gpube__boxes_bound(bounds, &b, GPUBE_INF, 1e4, 10), 0);
	assert_int_equal(gpube__box_init(&box, &b, ctx), 0);
	for (int64_t k = b.n - 1; k >= 0; k--) {
		assert_int_equal(gpube__box_set(&box, k), 0);
		memset(here, 0, sizeof(here));
		do {
			int64_t cost[2];

			for (int32_t i = 0; i < m->n_vars; i++)
				values[i] = box.first[i] + here[i];
			assert_int_equal(gpube_model_cost(&cost[0], m, values), 0);
			assert_int_equal(gpube_model_cost(&cost[1], &box.m, here), 0);
			assert_true(cost[0] == cost[1]);
			assert_true(cost[0] >= bounds[k]);
			n_here++;
		} while (next_assignment(here, &box.m));
	}
	assert_true(n_here == n_all);
	gpube__box_clear(&box);
	gpube__free(ctx, bounds);
	gpube__be_clear(&be);
	gpube_model_free(m);
}

/* A box's optimum, its first assignment and how many there are, below its model's top. */
static int64_t solve_box(int32_t *values, char **count, const struct gpube_be *be)
{
	const struct gpube_be_sides alone = {{gpube__ops_cpu(), NULL}, NULL, NULL};
	struct gpube__natural number;
	struct gpube_working w;
	int64_t optimum;

	assert_int_equal(gpube__be_working(&w, be), 0);
	assert_int_equal(gpube__be_run(&optimum, values, NULL, be, &alone, &w, 0, false, NULL), 0);
	assert_int_equal(gpube__be_count(&number, be, &alone, &w), 0);
	*count = gpube__natural_text(&number);
	assert_non_null(*count);
	gpube__natural_clear(&number);
	return optimum;
}

/* What is left of a box under some top has the same optimum, assignment and number of optima. */
static void what_is_left_of_a_box(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	const struct random_spec spec = simple(seed);
	struct gpube_model *m = random_model(ctx, &spec, seed);
	struct gpube__reduced r;
	struct gpube_boxes b;
	struct gpube_box box;
	struct gpube_be be;
	struct gpube_rng rng;
	int32_t order[64], values[64], left[64], extended[64];

	assert_non_null(m);
	gpube__rng_init(&rng, seed);
	for (int32_t i = 0; i < m->n_vars; i++)
		order[i] = m->n_vars - 1 - i;
	b = (struct gpube_boxes){.ctx = ctx, .m = m, .order = order, .n = 1};
	assert_int_equal(gpube__be_init(&be, m, order), 0);
	for (int32_t i = 0; i < m->n_vars && b.n < 64; i++)
		if (m->vars[i].domain > 1 && gpube__rng_below(&rng, 2))
			gpube__boxes_split(&b, &be, i, m->vars[i].domain);
	assert_int_equal(gpube__box_init(&box, &b, ctx), 0);
	for (int64_t k = 0; k < b.n; k++) {
		char *count, *count_left;
		int64_t optimum;

		assert_int_equal(gpube__box_set(&box, k), 0);
		optimum = solve_box(values, &count, &box.be);
		gpube__free(ctx, count);
		if (optimum != GPUBE_INF)
			box.m.top = optimum + (int64_t)gpube__rng_below(&rng, 3);
		if (gpube__constant_of(&box.m) >= box.m.top)
			continue; /* nobody asks for it */
		optimum = solve_box(values, &count, &box.be);
		assert_int_equal(gpube__box_reduce(&r, &box), 0);
		if (r.s.infeasible) {
			assert_true(optimum == GPUBE_INF);
			n_left[0]++;
		} else {
			assert_true(solve_box(left, &count_left, &r.be) == optimum);
			assert_string_equal(count, count_left);
			gpube__free(ctx, count_left);
			gpube__simplified_extend(&r.s, extended, left);
			for (int32_t i = 0; i < m->n_vars && optimum != GPUBE_INF; i++)
				assert_int_equal(extended[i], values[i]);
			n_left[1] += gpube__be_joined(&r.be) < gpube__be_joined(&box.be);
		}
		gpube__reduced_clear(&r, ctx);
		gpube__free(ctx, count);
	}
	gpube__box_clear(&box);
	gpube__be_clear(&be);
	gpube_model_free(m);
}

static void less_is_left(void **state)
{
	(void)state;
	assert_true(n_left[0] > 10);
	assert_true(n_left[1] > 10);
}

/*
 * No box's sums leave the type that was chosen for all, whatever the whole's is; some need a wider
 * one.
 */
static void sums(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct random_spec spec = simple(seed);
	struct gpube_boxes b;
	struct gpube_box box;
	struct gpube_be be;
	struct gpube_rng rng;
	struct gpube_working whole = {0}, all = {0}, one;
	struct gpube_model *m;
	int32_t order[64];
	int64_t *bounds;
	int status;

	spec.forbidden = 0.3;
	spec.n_vars = 6;
	spec.min_domain = 2;
	spec.max_domain = 3;
	spec.n_functions = 30;
	spec.min_arity = spec.max_arity = 2;
	spec.n_parts = 1;
	spec.top = TOP_NONE;
	spec.max_cost = (seed % 2 ? INT32_MAX : INT64_MAX) / (150 + (int64_t)seed);
	m = random_model(ctx, &spec, seed);
	assert_non_null(m);
	gpube__rng_init(&rng, seed);
	for (int32_t i = 0; i < m->n_vars; i++)
		order[i] = i;
	b = (struct gpube_boxes){.ctx = ctx, .m = m, .order = order, .n = 1};
	assert_int_equal(gpube__be_init(&be, m, order), 0);
	for (int32_t i = 0; i < m->n_vars; i++)
		if (m->vars[i].domain > 1 && gpube__rng_below(&rng, 2))
			gpube__boxes_split(&b, &be, i, m->vars[i].domain);
	status = gpube__be_working(&whole, &be);
	if (status) /* nobody asks for its boxes */
		assert_int_equal(status, GPUBE_ERANGE);
	if (!status)
		status = gpube__boxes_working(&all, &b);
	n_wider[0] += status == GPUBE_ERANGE && whole.type == GPUBE_INT64;
	n_wider[1] += !status && whole.type == GPUBE_INT32 && all.type == GPUBE_INT64;
	if (!status) {
		/* mini-buckets want more yet: without them there is the constant */
		bounds = gpube__alloc(ctx, (uint64_t)b.n, sizeof(*bounds));
		assert_non_null(bounds);
		assert_int_equal(gpube__boxes_bound(bounds, &b, GPUBE_INF, 1e4, 10), 0);
		gpube__free(ctx, bounds);
		assert_int_equal(gpube__box_init(&box, &b, ctx), 0);
		for (int64_t k = 0; k < b.n; k++) {
			assert_int_equal(gpube__box_set(&box, k), 0);
			assert_int_equal(gpube__be_working(&one, &box.be), 0);
			assert_true(one.type <= all.type && one.top <= all.top);
		}
		gpube__box_clear(&box);
	}
	gpube__be_clear(&be);
	gpube_model_free(m);
}

static void wider_sums_were_met(void **state)
{
	(void)state;
	assert_true(n_wider[0] > 1);
	assert_true(n_wider[1] > 1);
}

/* ---- any memory ------------------------------------------------------------------------------ */

static void count_slices(double n)
{
	if (n > 1)
		n_by_size[n < 10 ? 0 : n < 100 ? 1 : 2]++;
}

static void count_left_out(void *arg, const struct gpube_log *said)
{
	(void)arg;
	n_by_size[3] +=
		said->level == GPUBE_LOG_DETAIL && strstr(said->text, "slices pruned") != NULL;
}

static struct gpube_ctx *little(double bytes)
{
	struct gpube_opts opts = {
		.n_threads = 1, .memory_bytes = (uint64_t)bytes, .log = count_left_out};
	struct gpube_ctx *c;

	assert_int_equal(gpube_ctx_new(&c, &opts), 0);
	return c;
}

static double peak_of(const struct gpube_model *m, const struct gpube_opts *opts)
{
	struct gpube_solution *s;
	double peak;

	assert_int_equal(gpube_plan(&s, m, opts), 0);
	peak = s->plan.peak_bytes;
	gpube_result_free(s);
	return peak;
}

/* Tables that are larger than the functions. */
static struct random_spec dense(uint64_t seed, enum gpube_kind kind)
{
	struct random_spec spec = random_spec_default();

	spec.kind = kind;
	spec.n_vars = 9;
	spec.min_domain = 2;
	spec.max_domain = 3;
	spec.n_functions = 26;
	spec.min_arity = 2;
	spec.max_arity = 2 + seed % 2;
	spec.max_cost = seed % 3 ? 20 : 1;
	spec.forbidden = seed % 5 ? 0.05 : 0.4;
	spec.sparse = 0.3;
	spec.shared = 0.2;
	spec.observed = seed % 7 ? 0 : 0.2;
	if (kind == GPUBE_COSTS) {
		spec.top = seed % 3 ? TOP_NONE : TOP_TIGHT;
		spec.direction = seed % 4 ? GPUBE_MINIMISE : GPUBE_MAXIMISE;
	}
	return spec;
}

/* Against enumeration. */
static void random_models(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	const enum gpube_kind kind = seed % 4 == 3 ? GPUBE_POTENTIALS : GPUBE_COSTS;
	struct gpube_opts opts = {.method = GPUBE_BOUND_ELIMINATE,
		.no_simplify = 1,
		.order_method = GPUBE_ORDER_MIN_FILL,
		.count = seed % 2,
		.backend = GPUBE_BACKEND_CPU};
	const struct random_spec spec = dense(seed, kind);
	struct gpube_model *m;
	struct brute expected;
	double peak;

	m = random_model(ctx, &spec, seed);
	assert_non_null(m);
	assert_int_equal(brute_force(&expected, NULL, m), 0);
	peak = peak_of(m, &opts);
	gpube_model_free(m);
	for (int k = 1; k <= 4; k++) {
		struct gpube_ctx *c = little(fmax(1, peak * (5 - k) / 5));
		struct gpube_solution *s;
		char text[24];
		int status;

		m = random_model(c, &spec, seed);
		assert_non_null(m);
		status = gpube_solve(&s, m, &opts);
		if (status == GPUBE_ELIMIT) { /* the functions alone take more */
			gpube_result_free(s);
			gpube_model_free(m);
			gpube_ctx_free(c);
			continue;
		}
		assert_int_equal(status, 0);
		assert_int_equal(s->answer == GPUBE_ANSWER_OPTIMAL, expected.feasible);
		if (s->answer == GPUBE_ANSWER_OPTIMAL && kind == GPUBE_COSTS) {
			assert_true(s->cost == expected.cost);
			assert_true(s->bound == s->cost);
			snprintf(text, sizeof(text), "%llu", (unsigned long long)expected.n_optima);
			if (opts.count)
				assert_string_equal(s->count, text);
		} else if (s->answer == GPUBE_ANSWER_OPTIMAL) {
			assert_true(fabs(s->log_value - expected.log_value) < 1e-4);
		}
		count_slices(s->plan.n_slices);
		gpube_result_free(s);
		gpube_model_free(m);
		gpube_ctx_free(c);
	}
}

/* Against the whole. */
static void networks(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	static const double parts[] = {1, 2, 10, 100, 400};
	struct gpube_opts opts = {.method = GPUBE_BOUND_ELIMINATE,
		.no_simplify = 1,
		.order_method = GPUBE_ORDER_MIN_FILL,
		.count = seed % 4 == 1,
		.backend = GPUBE_BACKEND_CPU};
	struct gpube_model *m = network(ctx, seed, 12, 6);
	struct gpube_solution *whole;

	assert_int_equal(gpube_solve(&whole, m, &opts), 0);
	for (size_t k = 0; k < sizeof(parts) / sizeof(*parts); k++) {
		struct gpube_ctx *c = little(ceil(whole->plan.peak_bytes / parts[k]));
		struct gpube_model *same = network(c, seed, 12, 6);
		struct gpube_solution *s;
		int status = gpube_solve(&s, same, &opts);

		if (status == GPUBE_ELIMIT && parts[k] > 50) {
			gpube_result_free(s);
			gpube_model_free(same);
			gpube_ctx_free(c);
			continue;
		}
		assert_int_equal(status, 0);
		assert_int_equal(s->answer, whole->answer);
		assert_true(s->plan.n_slices == 1 || k > 0);
		assert_true(s->plan.n_slices > 1 || k == 0);
		assert_true(s->plan.peak_bytes <= (double)c->memory_bytes);
		if (whole->answer == GPUBE_ANSWER_OPTIMAL) {
			assert_true(s->cost == whole->cost);
			if (opts.count)
				assert_string_equal(s->count, whole->count);
		}
		count_slices(s->plan.n_slices);
		gpube_result_free(s);
		gpube_model_free(same);
		gpube_ctx_free(c);
	}
	gpube_result_free(whole);
	gpube_model_free(m);
}

static void slices_were_made(void **state)
{
	(void)state;
	for (int k = 0; k < 4; k++)
		assert_true(n_by_size[k] > 30);
}

/* ---- several workers ------------------------------------------------------------------------- */

/* What 1, 2, 3 of them find is the same, the assignment, too: not who was first counts. */
static void workers(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct gpube_model *m = network(ctx, seed, 11, 5);
	const struct gpube_be_sides alone = {{gpube__ops_cpu(), NULL}, NULL, NULL};
	struct gpube_slicing how = {.rate = 1e9, .bucket = 1e-6, .seed = seed};
	struct gpube_be_memory memory;
	struct gpube_working w;
	struct gpube_be be;
	int32_t order[64], values[3][64];
	int64_t optimum, same;

	for (int32_t i = 0; i < m->n_vars; i++)
		order[i] = i;
	assert_int_equal(gpube__be_init(&be, m, order), 0);
	assert_int_equal(gpube__be_working(&w, &be), 0);
	gpube__be_memory(&memory, &be, w.type);
	assert_int_equal(gpube__be_run(&optimum, NULL, NULL, &be, &alone, &w, 0, false, NULL), 0);
	ctx->n_devices = 3;
	for (int k = 0; k < 3; k++)
		ctx->devices[k] = k;
	how.type = w.type;
	how.limit = fmin(memory.args, memory.keep) / (seed % 2 ? 3 : 20);
	for (int k = 0; k < 3; k++) {
		struct gpube_split_times times;
		struct gpube_be_split *s;

		how.n_workers = k + 1;
		assert_int_equal(gpube__split_slices(&s, &be, order, &how), 0);
		assert_true(gpube__split_n(s) > 3);
		assert_int_equal(gpube__split_run(&same, values[k], s, open_cpu, &times), 0);
		assert_true(same == optimum);
		assert_true(gpube__split_bound(s) == optimum);
		if (optimum != GPUBE_INF)
			assert_memory_equal(
				values[k], values[0], (size_t)m->n_vars * sizeof(**values));
		gpube__split_free(s);
	}
	ctx->n_devices = 0;
	gpube__be_clear(&be);
	gpube_model_free(m);
}

/* ---- stops and failures ---------------------------------------------------------------------- */

static int n_steps, stop_at, n_scarce, n_stopped; /* with an assignment and a bound */
static struct gpube_ctx *stoppable;

static void stop_later(void *arg, const struct gpube_log *said)
{
	(void)arg;
	if (said->level == GPUBE_LOG_PROGRESS && ++n_steps == stop_at)
		gpube_ctx_stop(stoppable);
}

static void a_stop_leaves_what_is_known(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct gpube_opts ctx_opts = {.n_threads = 1};
	struct gpube_opts opts = {.method = GPUBE_BOUND_ELIMINATE,
		.no_simplify = 1,
		.order_method = GPUBE_ORDER_MIN_FILL,
		.backend = GPUBE_BACKEND_CPU};
	struct gpube_model *m = network(ctx, 2 * seed + 1, 12, 5);
	struct gpube_solution *whole, *s;
	int64_t cost;

	assert_int_equal(gpube_solve(&whole, m, &opts), 0);
	gpube_model_free(m);
	ctx_opts.memory_bytes = (uint64_t)(whole->plan.peak_bytes / 8);
	ctx_opts.log = stop_later;
	assert_int_equal(gpube_ctx_new(&stoppable, &ctx_opts), 0);
	m = network(stoppable, 2 * seed + 1, 12, 5);
	n_steps = 0;
	stop_at = 5 + 12 * (int)seed;
	if (gpube_solve(&s, m, &opts) == GPUBE_ESTOP) {
		assert_int_equal(s->answer, GPUBE_ANSWER_INCOMPLETE);
		assert_true(s->plan.n_slices > 1);
		n_stopped += s->values != NULL;
		if (s->values) {
			assert_int_equal(gpube_model_cost(&cost, m, s->values), 0);
			assert_true(cost == s->cost && cost >= whole->cost);
			assert_true(s->bound <= whole->cost);
		}
	} else {
		assert_int_equal(s->answer, whole->answer);
		assert_true(s->answer == GPUBE_ANSWER_INFEASIBLE || s->cost == whole->cost);
	}
	gpube_result_free(s);
	gpube_model_free(m);
	gpube_ctx_free(stoppable);
	gpube_result_free(whole);
}

static void stops_were_met(void **state)
{
	(void)state;
	assert_true(n_stopped > N_STOPS / 3);
}

/* Three variables of so many values that all ranges of one leave no boxes for the others. */
static void large_domains(void **state)
{
	const struct gpube_network net = {.topology = GPUBE_NETWORK_RANDOM,
		.n_vars = 3,
		.domain = 200,
		.density = 1,
		.max_cost = 1000,
		.seed = 1};
	struct gpube_opts opts = {.method = GPUBE_BOUND_ELIMINATE,
		.no_simplify = 1,
		.order_method = GPUBE_ORDER_MIN_FILL,
		.backend = GPUBE_BACKEND_CPU};
	struct gpube_ctx *c = little(16000);
	struct gpube_solution *s, *whole;
	struct gpube_model *m, *same;

	(void)state;
	assert_int_equal(gpube__generate(&m, ctx, &net), 0);
	assert_int_equal(gpube__generate(&same, c, &net), 0);
	assert_int_equal(gpube_solve(&whole, m, &opts), 0);
	assert_int_equal(gpube_solve(&s, same, &opts), 0);
	assert_true(s->plan.n_slices > 200 && s->plan.peak_bytes <= 16000);
	assert_true(s->answer == GPUBE_ANSWER_OPTIMAL && s->cost == whole->cost);
	gpube_result_free(s);
	gpube_result_free(whole);
	gpube_model_free(m);
	gpube_model_free(same);
	gpube_ctx_free(c);
}

/* Also while the variables to cut are chosen. */
static void a_stop_while_fitting(void **state)
{
	struct gpube_model *m = network(ctx, 3, 12, 5);
	struct gpube_slicing how = {
		.type = GPUBE_INT32, .limit = 1 << 16, .rate = 1e9, .bucket = 1e-6};
	struct gpube_be_split *s;
	struct gpube_be be;
	int32_t order[64];

	(void)state;
	for (int32_t i = 0; i < m->n_vars; i++)
		order[i] = i;
	assert_int_equal(gpube__be_init(&be, m, order), 0);
	assert_int_equal(gpube__split_slices(&s, &be, order, &how), 0);
	gpube__split_free(s);
	gpube_ctx_stop(ctx);
	assert_int_equal(gpube__split_slices(&s, &be, order, &how), GPUBE_ESTOP);
	assert_null(s);
	gpube_ctx_resume(ctx);
	gpube__be_clear(&be);
	gpube_model_free(m);
}

/* A search and bounds make do without what they do not get; nothing is left behind. */
static int scarce_solve(struct gpube_ctx *c, struct gpube_model *m, const void *arg)
{
	struct gpube_opts opts = {.method = GPUBE_BOUND_ELIMINATE,
		.no_simplify = 1,
		.order_method = GPUBE_ORDER_MIN_FILL,
		.backend = GPUBE_BACKEND_CPU,
		.count = 1};
	const struct gpube_network net = {.topology = GPUBE_NETWORK_RANDOM,
		.n_vars = 8,
		.domain = 5,
		.density = 0.8,
		.max_cost = 100,
		.seed = *(const uint64_t *)arg};
	struct gpube_model *own;
	struct gpube_solution *s;
	int status = gpube__generate(&own, c, &net);

	(void)m;
	if (status)
		return status;
	c->memory_bytes = 24 << 10;
	status = gpube_solve(&s, own, &opts);
	assert_true(!s == (status != 0));
	if (s)
		n_scarce += s->plan.n_slices > 1;
	gpube_result_free(s);
	gpube_model_free(own);
	return status;
}

static void memory(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;

	n_scarce = 0;
	fail_on_random_model(scarce_solve, &seed, seed, 8);
	assert_true(n_scarce > 0);
}

int main(void)
{
	struct cases c = {0};

	add_numbers(&c, every_assignment_is_in_one_box, N_BOXES, "boxes, seed");
	add_numbers(&c, what_is_left_of_a_box, N_BOXES, "what is left of boxes, seed");
	ADD_CASE(&c, less_is_left);
	add_numbers(&c, sums, N_SUMS, "sums of boxes, seed");
	ADD_CASE(&c, wider_sums_were_met);
	add_numbers(&c, random_models, N_RANDOM, "slices against enumeration, seed");
	add_numbers(&c, networks, N_NETWORKS, "slices against the whole, seed");
	ADD_CASE(&c, slices_were_made);
	add_numbers(&c, workers, N_WORKERS, "workers, seed");
	add_numbers(&c, a_stop_leaves_what_is_known, N_STOPS, "stop, seed");
	ADD_CASE(&c, stops_were_met);
	ADD_CASE(&c, a_stop_while_fitting);
	ADD_CASE(&c, large_domains);
	add_numbers(&c, memory, N_MEMORY, "memory, seed");
	return run_cases(&c, "boxes", ctx_setup, ctx_teardown);
}
