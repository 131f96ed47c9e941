/*
 * Costs, sums and tops at the limits of every type (tests/support/limit_model.h). What each command
 * concludes is compared with an enumeration; a refusal is right only where a total leaves 64 bits,
 * and where more than the optimum is asked for, also where totals are too far apart for it. One
 * case a seed; GPUBE_LIMIT_MODELS=20000 for more of them, and how many were refused although they
 * fit.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dcop/dcop.h"
#include "formats/formats.h"
#include "gpube/bound/certificate/certificate.h"
#include "gpube/bound/reparam.h"
#include "gpube/partial.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/files.h"
#include "tests/support/limit_model.h"
#include "tests/support/memory.h"

enum { N_MODELS = 300 };

/* ---- what is checked ------------------------------------------------------------------------- */

#define CHECK(s, condition)                                                                        \
	do {                                                                                       \
		if (!(condition))                                                                  \
			fail_msg("%s:%d: %s, of\n%s", __FILE__, __LINE__, #condition, (s)->text);  \
	} while (0)

/* For what all costs are kept, and models all of whose totals fit 64 bits that were refused it. */
enum refuser { TO_PRUNE, TO_SHIFT, TO_CERTIFY, TO_GUIDE, N_REFUSERS };

static unsigned long n_refused[N_REFUSERS];

/*
 * A refusal is for the reason of range, and right: a total leaves 64 bits, or, where all costs are
 * kept as tables that are nowhere negative, the dearest total less the least, which such tables
 * have to hold.
 */
static void refused(const struct limit_model *s, int status, enum refuser who)
{
	const bool apart = s->feasible && !fits(s->dearest - s->best);

	if (status != GPUBE_ERANGE || (s->totals_fit && (who == TO_PRUNE || !apart)))
		fail_msg("%d: %s, of\n%s", who, gpube_error(ctx), s->text);
	n_refused[who] += s->totals_fit;
}

/* True if it was done. */
static bool done(const struct limit_model *s, int status)
{
	if (status)
		refused(s, status, TO_PRUNE);
	return status == 0;
}

static wide minimised(const struct limit_model *s, int64_t cost)
{
	return s->maximise ? -(wide)cost : cost;
}

static void check_assignment(const struct limit_model *s, const int32_t *values, int64_t cost)
{
	wide real;

	CHECK(s, price(&real, s, values));
	CHECK(s, real == minimised(s, cost));
}

static void check_solve(const struct limit_model *s, const struct gpube_model *m, int k)
{
	struct gpube_opts opts = {.no_simplify = k % 2,
		.count = k / 2 % 2,
		.method = k / 4 ? GPUBE_BOUND_ELIMINATE : GPUBE_BOUND_AUTO};
	struct gpube_solution *found;
	char count[24];

	if (!done(s, gpube_solve(&found, m, &opts)))
		return;
	CHECK(s, found->answer == (s->feasible ? GPUBE_ANSWER_OPTIMAL : GPUBE_ANSWER_INFEASIBLE));
	if (s->feasible) {
		check_assignment(s, found->values, found->cost);
		CHECK(s, minimised(s, found->cost) == s->best);
		snprintf(count, sizeof(count), "%" PRIu64, s->n_optima);
		CHECK(s, !opts.count || !strcmp(found->count, count));
	}
	gpube_result_free(found);
}

static void check_bounds(
	const struct limit_model *s, const struct gpube_solution *b, const struct gpube_opts *opts)
{
	const wide cutoff = opts->has_cutoff ? minimised(s, opts->cutoff) : 0;
	const bool better = s->feasible && (!opts->has_cutoff || s->best < cutoff);

	if (b->answer == GPUBE_ANSWER_INFEASIBLE) {
		CHECK(s, !s->feasible);
		return;
	}
	if (b->values)
		check_assignment(s, b->values, b->cost);
	if (s->feasible)
		CHECK(s, minimised(s, b->bound) <= s->best);
	if (b->answer == GPUBE_ANSWER_OPTIMAL) {
		CHECK(s, s->feasible && b->values);
		CHECK(s, minimised(s, b->cost) == s->best);
	}
	CHECK(s, !b->closed || !better);
}

static struct gpube_opts bound_opts(const struct limit_model *s, int k)
{
	struct gpube_opts opts = {
		.method = k % 8 == 7 ? GPUBE_BOUND_ASCENT : (enum gpube_bound_method)(k % 8),
		.regions = k % 8 == 7 ? GPUBE_REGIONS_NESTED : GPUBE_REGIONS_AUTO,
		.seed = s->seed,
		.no_simplify = k / 8 % 2,
		.no_eliminate = k / 16 % 2,
		.split = (enum gpube_split)(s->seed / 2 % 3)};
	wide cutoff = s->best + (wide)(s->seed / 7 % 5) - 2;
	struct gpube_rng rng;

	gpube__rng_init(&rng, s->seed + (uint64_t)k);
	if (s->seed % 7 == 0 || !s->feasible)
		cutoff = near_limit(&rng);
	if ((s->seed % 5 == 0 || s->seed % 7 == 0) && fits(cutoff)) {
		opts.has_cutoff = 1;
		opts.cutoff = (int64_t)(s->maximise ? -cutoff : cutoff);
	}
	return opts;
}

static void check_bound(const struct limit_model *s, const struct gpube_model *m, int k)
{
	struct gpube_opts opts = bound_opts(s, k);
	struct gpube_solution *b;

	if (!done(s, gpube_bound(&b, m, &opts)))
		return;
	check_bounds(s, b, &opts);
	gpube_result_free(b);
}

/* Every assignment costs the same, or is not below the limit and forbidden. */
static void compare(
	const struct limit_model *s, const struct gpube_model *to, bool strict, wide limit)
{
	int32_t values[MOST_VARS] = {0};
	wide cost, unit = 1;
	int64_t got;

	for (int k = s->decimals; k < to->scale; k++)
		unit *= 10;
	CHECK(s, to->n_vars == s->n_vars);
	do {
		bool allowed = price(&cost, s, values);

		if (!done(s, gpube_model_cost(&got, to, values)))
			continue;
		if (got == GPUBE_INF)
			CHECK(s, !allowed || (strict && cost >= limit));
		else
			CHECK(s, allowed && (to->direction == GPUBE_MAXIMISE ? -(wide)got : got) ==
						    cost * unit);
	} while (next_values(values, s));
}

static void check_shifted(const struct limit_model *s, const struct gpube_model *m, int k)
{
	struct gpube_opts opts = bound_opts(s, k);
	wide limit = opts.has_cutoff ? minimised(s, opts.cutoff) : (wide)1 << 100;
	struct gpube_solution *b;
	struct gpube_reparametrised shifted;
	int status;

	if (opts.method == GPUBE_BOUND_MBE)
		return;
	opts.prune = k % 2 == 0;
	opts.decimals = (int)(s->seed % 3);
	opts.max_arity = 2 + (int)(s->seed % 4);
	opts.max_cells = 1e6;
	status = gpube__bound_reparam(&b, &shifted, m, &opts, NULL);
	if (status) {
		refused(s, status, opts.prune ? TO_PRUNE : TO_SHIFT);
		return;
	}
	check_bounds(s, b, &opts);
	if (opts.prune && b->values && minimised(s, b->cost) < limit)
		limit = minimised(s, b->cost);
	status = gpube__reparam_restore(&shifted, opts.prune);
	if (status)
		refused(s, status, TO_SHIFT);
	else
		compare(s, shifted.model, opts.prune || opts.has_cutoff, limit);
	gpube__reparam_clear(&shifted);
	gpube_result_free(b);
}

/* What any certificate proves at least: each function counts for its least cost. */
static wide least_certified(const struct limit_model *s, const struct gpube_model *m)
{
	static int64_t cells[MOST_CELLS];
	const wide sign = s->maximise ? -1 : 1;
	wide sum = sign * m->constant;

	for (int32_t f = 0; f < m->n_functions; f++) {
		wide least = 0;
		bool any = false;

		assert_int_equal(gpube_model_costs(cells, m, f), 0);
		for (int64_t c = 0; c < gpube_model_cells(m, f); c++)
			if (cells[c] != GPUBE_INF) {
				least = !any || sign * cells[c] < least ? sign * cells[c] : least;
				any = true;
			}
		sum += least;
	}
	return sum;
}

static void check_certified(const struct limit_model *s, const struct gpube_model *m, int k)
{
	struct gpube_opts opts = bound_opts(s, k);
	struct gpube_solution *known = NULL;
	struct gpube_certificate c = {.ctx = ctx};
	int status;

	opts.has_cutoff = 0;
	if (opts.method == GPUBE_BOUND_MBE || gpube_bound(&known, m, &opts))
		return;
	status = gpube__bound_certified(&c, m, known, NULL, &opts);
	if (status) {
		CHECK(s, status == GPUBE_ERANGE && !fits(least_certified(s, m)));
		n_refused[TO_CERTIFY] += s->totals_fit;
	} else {
		CHECK(s, gpube__certificate_check(&c, m) == 0);
		CHECK(s, !s->feasible || c.bound <= s->best);
	}
	gpube__certificate_clear(&c);
	gpube_result_free(known);
}

static void check_agents(const struct limit_model *s, const struct gpube_model *m, int k)
{
	struct dcop_opts opts = {
		.z = k % 3, .no_match = k / 3 % 2, .tree = {.root = -1, .seed = s->seed}};
	struct gpube_dpop_result *r;

	if (!done(s, dcop_solve(&r, m, &opts, NULL)))
		return;
	if (r->answer == GPUBE_ANSWER_OPTIMAL)
		CHECK(s, s->feasible && minimised(s, r->cost) == s->best);
	if (r->answer == GPUBE_ANSWER_INFEASIBLE)
		CHECK(s, !s->feasible);
	else if (s->feasible)
		CHECK(s, minimised(s, r->bound) <= s->best);
	if (r->answer == GPUBE_ANSWER_OPTIMAL)
		check_assignment(s, r->values, r->cost);
	gpube_result_free(r);
}

/* What bounds the best completion from below, at every node of each assignment's path. */
static void check_heuristic(const struct limit_model *s, const struct gpube_model *m, int k)
{
	struct gpube_opts opts = {.method = (enum gpube_heuristic_method)(k % 3),
		.ibound = k / 3 % 3,
		.no_simplify = k / 9 % 2};
	int32_t values[MOST_VARS] = {0}, order[MOST_VARS];
	struct gpube_heuristic *h;
	struct gpube_path *path;
	wide cost;
	int status;

	for (int32_t i = 0; i < s->n_vars; i++)
		order[i] = (int32_t)((s->seed + (uint64_t)i) % (uint64_t)s->n_vars);
	if (s->seed % 2) {
		opts.order_method = GPUBE_ORDER_GIVEN;
		opts.order = order;
	}
	status = gpube_heuristic_new(&h, m, &opts);
	if (status) {
		refused(s, status, TO_GUIDE);
		return;
	}
	CHECK(s, !s->feasible || minimised(s, gpube_heuristic_info(h)->bound) <= s->best);
	assert_int_equal(gpube_path_new(&path, h), 0);
	do {
		bool allowed = price(&cost, s, values);

		CHECK(s, gpube_path_bound(path) == gpube_heuristic_bound(h, values, 0));

		for (int32_t depth = 0; depth <= s->n_vars; depth++) {
			int64_t bound = gpube_heuristic_bound(h, values, depth);

			if (bound == GPUBE_INF)
				CHECK(s, !allowed);
			else if (allowed)
				CHECK(s, minimised(s, bound) <= cost);
			if (depth == s->n_vars && allowed)
				CHECK(s, minimised(s, bound) == cost);
			if (depth < s->n_vars) /* the next, as a search goes there */
				CHECK(s, gpube_path_push(path, values[gpube_path_next(path)]) ==
						 gpube_heuristic_bound(h, values, depth + 1));
		}
		for (int32_t depth = 0; depth < s->n_vars; depth++)
			gpube_path_pop(path);
	} while (next_values(values, s));
	gpube_path_free(path);
	gpube_heuristic_free(h);
}

/*
 * What writers without negative costs add up: tables' least and largest costs, and all costs above
 * the least.
 */
static void add_up(wide *low, wide *high, wide *weights, const struct gpube_model *m)
{
	const wide sign = m->direction == GPUBE_MAXIMISE ? -1 : 1;

	*low = *high = sign * m->constant;
	*weights = 0;
	for (int32_t f = 0; f < m->n_functions; f++) {
		int64_t cells[MOST_CELLS], n = gpube_model_cells(m, f);
		wide least = 0, most = 0;
		bool any = false;

		assert_int_equal(gpube_model_costs(cells, m, f), 0);
		for (int64_t c = 0; c < n; c++)
			if (cells[c] != GPUBE_INF) {
				least = any && least < sign * cells[c] ? least : sign * cells[c];
				most = any && most > sign * cells[c] ? most : sign * cells[c];
				any = true;
			}
		for (int64_t c = 0; c < n; c++)
			*weights += cells[c] == GPUBE_INF ? 0 : sign * cells[c] - least;
		*low += least;
		*high += most;
	}
	*weights += 2 * *low; /* two clauses, one of which holds */
}

/*
 * Whether a number that the format needs leaves 64 bits, or has a sign or a limit that it has no
 * place for.
 */
static bool is_out(const struct gpube_model *m, int format)
{
	const bool bounded =
		m->direction == GPUBE_MAXIMISE ? m->top > -GPUBE_INF : m->top < GPUBE_INF;
	wide low, high, weights;

	add_up(&low, &high, &weights, m);
	if (format == 0)
		return false;
	if (low < 0)
		return true;
	if (format == 1)
		return !bounded && !fits(high);
	return (bounded && high >= (m->direction == GPUBE_MAXIMISE ? -(wide)m->top : m->top)) ||
	       !fits(weights);
}

/* Written and read again, where the format holds it. */
static void check_written(const struct limit_model *s, const struct gpube_model *m, int k)
{
	static const char *const names[] = {"to.cfn", "to.wcsp", "to.wcnf"};
	struct gpube_opts opts = {.check = k / 3 % 2, .wide = 1};
	const char *path = in_dir(names[k % 3]);
	struct gpube_model *again = NULL;
	int status = gpube_write(m, path, &opts, NULL);

	if (status) {
		CHECK(s, status == GPUBE_ERANGE && is_out(m, k % 3));
		return;
	}
	CHECK(s, gpube_read(&again, ctx, path, &(struct gpube_opts){.evidence = ""}) == 0);
	if (k % 3 == 0)
		compare(s, again, false, 0);
	else if (k % 3 == 1) { /* integers: the unit is the model's */
		again->scale = m->scale;
		compare(s, again, false, 0);
	}
	gpube_model_free(again);
}

static void at_the_limits(void **state)
{
	static struct limit_model s;
	uint64_t seed = (uint64_t)(uintptr_t)*state;
	const char *path;
	struct gpube_model *m = NULL;
	int status, k = (int)(seed % 64);

	draw_limits(&s, seed);
	path = in_dir(s.plain ? "from.wcsp" : "from.cfn");
	test_put(path, s.text, s.n);
	status = gpube_read(&m, ctx, path,
		&(struct gpube_opts){
			.from = s.plain ? GPUBE_FORMAT_WCSP : GPUBE_FORMAT_CFN, .evidence = ""});
	if (status) {
		if (s.in_range)
			fail_msg("read: %s, of\n%s", gpube_error(ctx), s.text);
		return;
	}
	for (int32_t i = 0; i < s.n_vars; i++)
		if (s.observed[i] >= 0)
			assert_int_equal(gpube_model_observe(m, i, s.observed[i]), 0);
	for (int d = m->scale; d < s.decimals; d++) { /* zeros that were not written */
		s.best /= 10;
		s.dearest /= 10;
		s.top /= 10;
		for (int j = 0; j < s.n_functions; j++)
			for (int c = 0; c < s.f[j].cells; c++)
				s.f[j].cost[c] /= 10;
	}
	s.decimals = m->scale;
	check_solve(&s, m, k % 8);
	for (int method = 0; method < 8; method++)
		check_bound(&s, m, 8 * k + method);
	check_shifted(&s, m, k);
	check_shifted(&s, m, k + 3);
	check_certified(&s, m, k);
	check_agents(&s, m, k);
	check_heuristic(&s, m, k);
	check_written(&s, m, k);
	check_written(&s, m, k + 1);
	gpube_model_free(m);
}

/*
 * Models whose cells were cut off at 2^62 before it was known that this is harmless; NULL: no
 * solution.
 */
static const struct given {
	const char *name, *optimum, *text;
} given[] = {
	{"cut from above, minimised", "-4611686018427383704",
		"{problem:{name:p,mustbe:\"<-4611686018427382904\"},variables:{a:2},functions:{"
		"f:{scope:[a],costs:[-4611686018427388904,-4611686018427383404]},"
		"g:{scope:[a],costs:[5200,0]}}}"},
	{"cut from below, maximised", "4611686018427383704",
		"{problem:{name:p,mustbe:\">4611686018427382904\"},variables:{a:2},functions:{"
		"f:{scope:[a],costs:[4611686018427388904,4611686018427383404]},"
		"g:{scope:[a],costs:[-5200,0]}}}"},
	{"a solution past the limit", "4611686018427387906",
		"{problem:{name:p,mustbe:\">4611686018427387905\"},variables:{a:2},functions:{"
		"f:{scope:[a],costs:[-7,4611686018427387906]}}}"},
	{"none past the limit", NULL,
		"{problem:{name:p,mustbe:\">4611686018427387906\"},variables:{a:2},functions:{"
		"f:{scope:[a],costs:[-7,4611686018427387906]}}}"},
	{"costs 2^63 apart", "-5",
		"{problem:{name:p,mustbe:\"<9223372036854775000\"},variables:{a:2,b:2},functions:{"
		"f:{scope:[a],costs:[-5,9223372036854774000]}}}"},
	{"tables whose least costs pass 2^63 together", "-7",
		"{problem:{name:p,mustbe:\"<100\"},variables:{a:2,b:2},functions:{f:{scope:[a,b],"
		"costs:["
		"-6000000000000000000,-5999999999999999999,6000000000000000000,5999999999999999993]"
		"},"
		"g:{scope:[a],costs:[6000000000000000000,-6000000000000000000]}}}"},
	{"decimals, minimised", "-4700000000000000000",
		"{problem:{name:p,mustbe:\"<-4.610000000000000000\"},variables:{a:2},functions:{"
		"f:{scope:[a],costs:[-5.000000000000000000,-4.620000000000000000]},"
		"g:{scope:[a],costs:[0.300000000000000000,0.000000000000000000]}}}"},
	{"decimals, maximised", "4700000000000000000",
		"{problem:{name:p,mustbe:\">4.500000000000000000\"},variables:{a:2},functions:{"
		"f:{scope:[a],costs:[5.000000000000000000,4.600000000000000000]},"
		"g:{scope:[a],costs:[-0.300000000000000000,0.000000000000000000]}}}"},
};

static void known_model(void **state)
{
	const struct given *g = *state;
	const char *path = in_dir("given.cfn");
	struct gpube_solution *found;
	struct gpube_model *m;
	char optimum[32];

	test_put(path, g->text, strlen(g->text));
	assert_int_equal(gpube_read(&m, ctx, path,
				 &(struct gpube_opts){.from = GPUBE_FORMAT_CFN, .evidence = ""}),
		0);
	assert_int_equal(gpube_solve(&found, m, NULL), 0);
	assert_int_equal(
		found->answer, g->optimum ? GPUBE_ANSWER_OPTIMAL : GPUBE_ANSWER_INFEASIBLE);
	snprintf(optimum, sizeof(optimum), "%" PRId64, found->cost);
	if (g->optimum)
		assert_string_equal(optimum, g->optimum);
	gpube_result_free(found);
	gpube_model_free(m);
}

/* ---- memory runs out where elimination in 128 bits shifts costs ------------------------------ */

static struct gpube_model *far_apart(struct gpube_ctx *own, const void *arg)
{
	const int64_t big = (int64_t)3 << 60, costs[] = {-big, big, 5, GPUBE_INF, 7, big - 2};
	struct gpube_model *m;

	(void)arg;
	assert_int_equal(gpube_model_new(&m, own, GPUBE_COSTS), 0);
	for (int32_t d = 1; d <= 3; d++)
		assert_int_equal(gpube_model_add_var(m, NULL, d, NULL), 0);
	assert_int_equal(gpube_model_add_costs(m, 2, (int32_t[]){1, 2}, costs), 0);
	assert_int_equal(gpube_model_add_costs(m, 1, (int32_t[]){2}, costs + 3), 0);
	return m;
}

static int make_heuristic(struct gpube_ctx *own, struct gpube_model *m, const void *arg)
{
	struct gpube_heuristic *h;
	int status = gpube_heuristic_new(&h, m, NULL);

	(void)own;
	(void)arg;
	gpube_heuristic_free(h);
	return status;
}

static int make_shifted(struct gpube_ctx *own, struct gpube_model *m, const void *arg)
{
	struct gpube_reparametrised shifted;
	int status = gpube__reparam_far(&shifted, m, GPUBE_INF);

	(void)own;
	(void)arg;
	gpube__reparam_clear(&shifted);
	return status;
}

static void out_of_memory(void **state)
{
	(void)state;
	assert_in_range(fail_each_allocation(make_heuristic, far_apart, NULL, 0), 60, 600);
	assert_in_range(fail_each_allocation(make_shifted, far_apart, NULL, 0), 30, 600);
}

static int setup(void **state)
{
	(void)state;
	test_make_dir(dir);
	return ctx_open(1, 0);
}

int main(void)
{
	const char *more = getenv("GPUBE_LIMIT_MODELS");
	struct cases c = {0};
	int status;

	for (size_t k = 0; k < sizeof(given) / sizeof(*given); k++)
		add_case(&c, known_model, &given[k], "limits: %s", given[k].name);
	ADD_CASE(&c, out_of_memory);
	add_numbers(&c, at_the_limits, more ? strtoul(more, NULL, 10) : N_MODELS, "limits, seed");
	status = run_cases(&c, "limits", setup, ctx_dir_teardown);
	if (more)
		printf("# of models whose totals fit refused: %lu to be solved, bounded, pruned; "
		       "%lu to be shifted whole, "
		       "%lu to be certified, %lu for heuristics\n",
			n_refused[TO_PRUNE], n_refused[TO_SHIFT], n_refused[TO_CERTIFY],
			n_refused[TO_GUIDE]);
	return status;
}
