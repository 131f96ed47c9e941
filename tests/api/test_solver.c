/*
 * A solver beside a model that is built anew for every run and tried assignment by assignment:
 * random sequences of all that can change, of runs by every method, of runs that are stopped or run
 * out of memory. See tests/api/random_calls.h.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include <math.h>
#include <string.h>

#include "gpube/globals.h"
#include "gpube/solver.h"
#include "tests/api/random_calls.h"
#include "tests/support/random_model.h"

enum { MOST_VARS = 24, MOST_FUNCTIONS = 64, MOST_CELLS = 4096, STEPS = 40, RUNS = 600 };

struct function {
	int arity;
	int32_t scope[MOST_VARS];
	int64_t n;
	int64_t *costs;
	double *potentials;
};

/* What the solver's model ought to be, and what the next run is asked. */
static struct {
	enum gpube_kind kind;
	enum gpube_direction direction;
	int32_t n_vars, domain[MOST_VARS], observed[MOST_VARS], assumed[MOST_VARS];
	bool contradiction;
	int n_functions;
	struct function functions[MOST_FUNCTIONS];
	int64_t constant, top, cutoff;
	bool has_cutoff;
} w;

static struct gpube_solver *s;
static struct gpube_opts opts;
static long n_known, n_messages, n_engine, n_stopped;

static bool maximises(void)
{
	return w.kind == GPUBE_COSTS && w.direction == GPUBE_MAXIMISE;
}

/* ---- the model beside ------------------------------------------------------------------ */

/* Functions and variables that the solver's model has more. False: it is too large now. */
static bool take_added(void)
{
	const struct gpube_model *m = gpube_solver_model(s);

	if (gpube_model_n_vars(m) > MOST_VARS || gpube_model_info(m)->n_functions > MOST_FUNCTIONS)
		return false;
	for (; w.n_vars < gpube_model_n_vars(m); w.n_vars++) {
		w.domain[w.n_vars] = gpube_model_domain(m, w.n_vars);
		w.observed[w.n_vars] = w.assumed[w.n_vars] = -1;
	}
	for (; w.n_functions < gpube_model_info(m)->n_functions; w.n_functions++) {
		struct function *f = &w.functions[w.n_functions];
		const int32_t *scope;

		f->arity = gpube_model_scope(&scope, m, w.n_functions);
		for (int k = 0; k < f->arity; k++)
			f->scope[k] = scope[k];
		f->n = gpube_model_cells(m, w.n_functions);
		f->costs = calloc((size_t)f->n, sizeof(*f->costs));
		f->potentials = calloc((size_t)f->n, sizeof(*f->potentials));
		assert_int_equal(w.kind == GPUBE_COSTS
					 ? gpube_model_costs(f->costs, m, w.n_functions)
					 : gpube_model_potentials(f->potentials, m, w.n_functions),
			0);
	}
	w.constant = gpube_model_info(m)->constant;
	return true;
}

static void forget(void)
{
	for (int f = 0; f < w.n_functions; f++) {
		free(w.functions[f].costs);
		free(w.functions[f].potentials);
	}
	memset(&w, 0, sizeof(w));
}

/* The solver's model is that. */
static void same_functions(void)
{
	static int64_t costs[MOST_CELLS];
	static double potentials[MOST_CELLS];

	for (int f = 0; f < w.n_functions; f++) {
		const struct function *g = &w.functions[f];

		if (g->n > MOST_CELLS)
			continue;
		if (w.kind == GPUBE_COSTS) {
			assert_int_equal(gpube_model_costs(costs, gpube_solver_model(s), f), 0);
			assert_memory_equal(costs, g->costs, (size_t)g->n * sizeof(*costs));
		} else {
			assert_int_equal(
				gpube_model_potentials(potentials, gpube_solver_model(s), f), 0);
			assert_memory_equal(
				potentials, g->potentials, (size_t)g->n * sizeof(*potentials));
		}
	}
}

/* As a model of its own; NULL: so many assignments are not tried. */
static struct gpube_model *build(void)
{
	struct gpube_model *m;
	double n = 1;

	for (int i = 0; i < w.n_vars; i++)
		n *= w.domain[i];
	if (n > 20000)
		return NULL;
	assert_int_equal(gpube_model_new(&m, ctx, w.kind), 0);
	for (int i = 0; i < w.n_vars; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, w.domain[i], NULL), 0);
	if (w.kind == GPUBE_COSTS) {
		assert_int_equal(gpube_model_set_direction(m, w.direction), 0);
		assert_int_equal(gpube_model_set_top(m, w.top), 0);
		assert_int_equal(gpube_model_add_costs(m, 0, NULL, &w.constant), 0);
	}
	for (int k = 0; k < w.n_functions; k++) {
		const struct function *f = &w.functions[k];

		assert_int_equal(
			w.kind == GPUBE_COSTS
				? gpube_model_add_costs(m, f->arity, f->scope, f->costs)
				: gpube_model_add_potentials(m, f->arity, f->scope, f->potentials),
			0);
	}
	for (int i = 0; i < w.n_vars; i++)
		assert_int_equal(
			gpube_model_observe(m, i, w.assumed[i] >= 0 ? w.assumed[i] : w.observed[i]),
			0);
	return m;
}

/* ---- what changes ---------------------------------------------------------------------- */

static int64_t draw_cost(void)
{
	return one_in(10) ? GPUBE_INF : one_in(12) ? below(100000) - 40000 : below(20) - 5;
}

static double draw_potential(void)
{
	return one_in(10) ? 0 : one_in(12) ? ldexp(1, below(40) - 20) : (1 + below(50)) / 16.0;
}

static void observe(void)
{
	observe_any(gpube_solver_model(s), w.observed, w.domain, w.n_vars, w.n_vars, 4);
}

static void observe_by_solver(void)
{
	const int32_t var = below(w.n_vars + 1), value = below(6) - 1;
	const int status = gpube_model_observe(gpube_solver_model(s), var, value);

	if (var < w.n_vars && value < w.domain[var]) {
		assert_int_equal(status, 0);
		w.observed[var] = value;
	} else {
		assert_int_equal(status, GPUBE_EINVAL);
	}
}

static void draw_cells(int64_t *costs, double *potentials, int64_t n)
{
	const bool alike = one_in(4); /* all gain or lose the same */

	for (int64_t k = 0; k < n; k++) {
		costs[k] = alike && k ? costs[0] : draw_cost();
		potentials[k] = draw_potential();
	}
}

static int64_t drawn[MOST_CELLS];
static double drawn_potentials[MOST_CELLS];

static void add(void)
{
	int32_t scope[3];
	const int arity = below(4);
	int64_t n = 1;
	int status;

	for (int k = 0; k < arity; k++) {
		scope[k] = below(w.n_vars);
		n *= w.domain[scope[k]];
		for (int j = 0; j < k; j++)
			if (scope[j] == scope[k])
				return;
	}
	draw_cells(drawn, drawn_potentials, n);
	maybe_scarce();
	status = w.kind == GPUBE_COSTS
			 ? gpube_model_add_costs(gpube_solver_model(s), arity, scope, drawn)
			 : gpube_model_add_potentials(
				   gpube_solver_model(s), arity, scope, drawn_potentials);
	if (!was_scarce(status))
		assert_int_equal(status, 0);
}

static void add_global(void)
{
	struct gpube_model *m = gpube_solver_model(s);
	int32_t scope[3] = {below(w.n_vars), below(w.n_vars), below(w.n_vars)}, tuple[3];
	struct gpube_term terms[3];
	int64_t cost = draw_cost();

	if (w.kind != GPUBE_COSTS || w.n_vars < 3 || w.n_vars > 9 || scope[0] == scope[1] ||
		scope[1] == scope[2] || scope[0] == scope[2])
		return;
	for (int k = 0; k < 3; k++) {
		terms[k] = (struct gpube_term){scope[k], -1, 1 + below(3)};
		tuple[k] = below(w.domain[scope[k]]);
	}
	switch (below(3)) {
	case 0:
		assert_int_equal(gpube_model_add_all_different(m, 3, scope, 0, NULL, cost), 0);
		break;
	case 1:
		assert_int_equal(
			gpube_model_add_linear(m, 3, terms, GPUBE_AT_MOST, below(9), GPUBE_INF, 0),
			0);
		break;
	default:
		assert_int_equal(
			gpube_model_add_tuples(m, 3, scope, draw_cost(), 1, tuple, &cost), 0);
	}
}

static void add_var(void)
{
	if (w.n_vars < 7)
		assert_int_equal(
			gpube_model_add_var(gpube_solver_model(s), NULL, 1 + below(3), NULL), 0);
}

static void change(void)
{
	const int32_t f = below(w.n_functions + 2) - 1;
	struct function *to = &w.functions[f < 0 ? 0 : f];
	int status;

	if (f < 0 || f >= w.n_functions || to->arity == 0) {
		assert_int_equal(w.kind == GPUBE_COSTS
					 ? gpube_solver_change_costs(s, f, drawn)
					 : gpube_solver_change_potentials(s, f, drawn_potentials),
			GPUBE_EINVAL);
		return;
	}
	if (to->n > MOST_CELLS)
		return;
	draw_cells(drawn, drawn_potentials, to->n);
	if (one_in(3)) /* all gain */
		for (int64_t k = 0; k < to->n; k++)
			drawn[k] = to->costs[k] == GPUBE_INF ? GPUBE_INF : to->costs[k] + below(4);
	maybe_scarce();
	status = w.kind == GPUBE_COSTS ? gpube_solver_change_costs(s, f, drawn)
				       : gpube_solver_change_potentials(s, f, drawn_potentials);
	if (was_scarce(status))
		return;
	assert_int_equal(status, 0);
	memcpy(to->costs, drawn, (size_t)to->n * sizeof(*drawn));
	memcpy(to->potentials, drawn_potentials, (size_t)to->n * sizeof(*drawn_potentials));
}

static void change_cell(void)
{
	const int32_t f = below(w.n_functions + 1);
	struct function *to = &w.functions[f];
	int32_t values[MOST_VARS] = {0};
	const int64_t cost = one_in(4) ? (int64_t)below(1 << 30) << below(12) : draw_cost();
	int64_t cell = 0;
	int status;

	if (f >= w.n_functions || to->arity == 0 || w.kind != GPUBE_COSTS) {
		assert_int_equal(gpube_solver_change_cost(s, f, values, cost), GPUBE_EINVAL);
		return;
	}
	for (int k = 0; k < to->arity; k++) {
		values[k] = below(w.domain[to->scope[k]]);
		cell = cell * w.domain[to->scope[k]] + values[k];
	}
	maybe_scarce();
	status = gpube_solver_change_cost(s, f, values, cost);
	if (was_scarce(status))
		return;
	assert_int_equal(status, 0);
	to->costs[cell] = cost;
	values[0] = -1;
	assert_int_equal(gpube_solver_change_cost(s, f, values, cost), GPUBE_EINVAL);
}

static void set(void)
{
	struct gpube_model *m = gpube_solver_model(s);
	const int64_t none = maximises() ? -GPUBE_INF : GPUBE_INF;

	switch (below(w.kind == GPUBE_COSTS ? 5 : 1)) {
	case 0:
		w.has_cutoff = one_in(2);
		w.cutoff = w.has_cutoff ? below(80) - 20 : none;
		break;
	case 1:
	case 2:
		w.top = one_in(2) ? none : below(100) - 10;
		assert_int_equal(gpube_model_set_top(m, w.top), 0);
		break;
	case 3:
		if (one_in(4)) {
			w.direction = (enum gpube_direction)below(2);
			w.top = maximises() ? -GPUBE_INF : GPUBE_INF;
			assert_int_equal(gpube_model_set_direction(m, w.direction), 0);
			w.has_cutoff = false;
		}
		break;
	default:
		assert_int_equal(gpube_model_add_costs(
					 gpube_solver_model(s), 0, NULL, (int64_t[]){below(9) - 4}),
			0);
	}
}

static void assume(void)
{
	int32_t vars[2] = {below(w.n_vars + 1), below(w.n_vars)}, values[2];
	const int n = 1 + below(2);
	bool good = true;
	int status;

	for (int k = 0; k < n; k++) {
		values[k] = below(4);
		good = good && vars[k] < w.n_vars && values[k] < w.domain[vars[k]];
	}
	maybe_scarce();
	status = gpube_solver_assume(s, n, vars, values);
	if (was_scarce(status))
		return;
	assert_int_equal(status, good ? GPUBE_OK : GPUBE_EINVAL);
	for (int k = 0; k < n && good; k++) {
		const int32_t known = w.assumed[vars[k]];

		w.contradiction = w.contradiction || (known >= 0 && known != values[k]);
		w.assumed[vars[k]] = values[k];
	}
}

/* ---- runs ------------------------------------------------------------------------------ */

/* Among what is assumed, or with what is observed. */
static bool contradicts(void)
{
	for (int i = 0; i < w.n_vars; i++)
		if (w.assumed[i] >= 0 && w.observed[i] >= 0 && w.assumed[i] != w.observed[i])
			return true;
	return w.contradiction;
}

static void check_potentials(const struct gpube_solution *said, const struct brute *b)
{
	/* off by half a unit a function, both ways, and what doubles round */
	const double off = (w.n_functions + 2) * pow(10, -said->scale) + 1e-9;

	if (said->answer == GPUBE_ANSWER_INFEASIBLE)
		assert_false(b->feasible);
	if (said->values) {
		assert_true(b->feasible);
		assert_true(said->log_value <= b->log_value + off);
	}
	if (said->answer == GPUBE_ANSWER_OPTIMAL)
		assert_true(said->log_value >= b->log_value - off);
	if (said->closed)
		assert_true(!b->feasible ||
			    -b->log_value >= (double)w.cutoff * pow(10, -said->scale) - off);
}

static void check_costs(
	const struct gpube_solution *said, const struct brute *b, const struct gpube_model *m)
{
	int64_t cost;

	if (said->answer == GPUBE_ANSWER_INFEASIBLE)
		assert_false(b->feasible);
	else if (b->feasible && !said->closed)
		assert_true(maximises() ? said->bound >= b->cost : said->bound <= b->cost);
	if (said->closed)
		assert_true(w.has_cutoff && (!b->feasible || (maximises() ? b->cost <= w.cutoff
									  : b->cost >= w.cutoff)));
	if (said->answer == GPUBE_ANSWER_OPTIMAL)
		assert_true(b->feasible && said->values && said->cost == b->cost &&
			    said->bound == b->cost);
	if (said->values) {
		assert_int_equal(gpube_model_cost(&cost, m, said->values), 0);
		assert_true(cost == said->cost && cost != GPUBE_INF);
	}
}

static void check(const struct gpube_solution *said, int status, bool complete)
{
	struct gpube_model *m = build();
	const bool none = contradicts();
	struct brute b;

	if (m) {
		assert_int_equal(brute_force(&b, NULL, m), 0);
		b.feasible = b.feasible && !none;
		if (w.kind == GPUBE_COSTS)
			check_costs(said, &b, m);
		else
			check_potentials(said, &b);
		gpube_model_free(m);
	}
	if (complete && (!opts.method || opts.method == GPUBE_BOUND_ELIMINATE))
		assert_int_equal(status, 0);
	if (!status)
		assert_true(said->answer != GPUBE_ANSWER_INCOMPLETE || said->closed);
	if (said->n_stages == 1 && !strcmp(said->stages[0].name, "known"))
		n_known++;
	else if (said->n_stages == 1 && !strcmp(said->stages[0].name, "messages"))
		n_messages++;
	else
		n_engine++;
}

/* The options' function ends a run now and then. */
static bool ended;

static int watch(void *arg, const struct gpube_progress *now)
{
	assert_ptr_equal(arg, &ended);
	assert_false(ended);
	assert_true(!now->values || (now->cost < GPUBE_INF && now->cost > -GPUBE_INF));
	ended = one_in(6);
	return ended;
}

static void solve(void)
{
	struct gpube_solution *said;
	const bool stops = one_in(10), late = one_in(10);
	const struct gpube_opts own = {.has_cutoff = w.has_cutoff,
		.cutoff = w.cutoff,
		.timeout_seconds = late ? 1e-7 : 0,
		.progress = one_in(2) ? opts.progress : NULL,
		.progress_arg = opts.progress_arg};
	const bool as_new = !late && w.has_cutoff == (opts.has_cutoff != 0) &&
			    (!w.has_cutoff || w.cutoff == opts.cutoff) && one_in(2);
	bool refused, complete;
	int status;

	if (stops)
		gpube_ctx_stop(ctx);
	ended = false;
	maybe_scarce();
	status = gpube_solver_run(&said, s, as_new ? NULL : &own);
	complete = !stops && !late && !ended && granted != 0;
	refused = was_scarce(status);
	gpube_ctx_resume(ctx);
	n_stopped += status == GPUBE_ESTOP;
	if (status && status != GPUBE_ESTOP && status != GPUBE_ELIMIT) {
		if (!refused)
			fail_msg("status %d: %s", status, gpube_error(ctx));
		assert_null(said);
	}
	if (said)
		check(said, status, complete);
	gpube_result_free(said);
	for (int i = 0; i < w.n_vars; i++)
		w.assumed[i] = -1;
	w.contradiction = false;
}

/* ---- a sequence ------------------------------------------------------------------------ */

/* A known assignment, an order, a cutoff. */
static void draw_options(const struct gpube_model *m)
{
	static int32_t values[MOST_VARS], order[MOST_VARS];
	const int32_t n = gpube_model_n_vars(m);

	if (n > MOST_VARS)
		return;
	for (int32_t i = 0; i < n; i++) {
		values[i] = below(gpube_model_domain(m, i));
		order[i] = n - 1 - i;
	}
	if (one_in(3))
		opts.values = values;
	if (one_in(3)) {
		opts.order = order;
		opts.order_method = GPUBE_ORDER_GIVEN;
	}
	if (one_in(4)) {
		opts.progress = watch;
		opts.progress_arg = &ended;
	}
	opts.has_cutoff = one_in(6);
	opts.cutoff = below(60);
	w.has_cutoff = opts.has_cutoff;
	w.cutoff = opts.cutoff;
}

static struct gpube_model *begin(void)
{
	static const enum gpube_bound_method methods[] = {GPUBE_BOUND_AUTO, GPUBE_BOUND_AUTO,
		GPUBE_BOUND_AUTO, GPUBE_BOUND_TREE, GPUBE_BOUND_ELIMINATE, GPUBE_BOUND_ARC};
	const enum gpube_kind kind = one_in(3) ? GPUBE_POTENTIALS : GPUBE_COSTS;
	struct random_spec spec = random_spec_varied(gpube__rng_next(&rng), kind);
	struct gpube_model *m;

	spec.odd_potentials = false;
	m = random_model(ctx, &spec, gpube__rng_next(&rng));
	assert_non_null(m);
	opts = (struct gpube_opts){.method = methods[below(6)],
		.no_simplify = one_in(8),
		.seed = (uint64_t)below(100)};
	w.kind = kind;
	w.direction = gpube_model_info(m)->direction;
	w.top = gpube_model_info(m)->top;
	draw_options(m);
	return m;
}

static void sequence(void)
{
	static void (*const steps[])(void) = {observe, observe_by_solver, add, change, change,
		change_cell, set, assume, solve, solve, solve, solve, add_global, add_var};
	struct gpube_model *m = begin();
	int status;

	maybe_scarce();
	status = gpube_solver_new(
		&s, NULL, m, one_in(3) && !opts.method && !opts.has_cutoff ? NULL : &opts);
	if (was_scarce(status)) {
		assert_null(s);
		assert_int_equal(gpube_solver_new(&s, ctx, m, &opts), 0);
	}
	if (gpube_model_n_vars(m) > 0 && take_added()) {
		for (int i = 0; i < w.n_vars; i++)
			w.observed[i] = gpube_model_observed(m, i);
		gpube_model_free(m); /* it was copied */
		m = NULL;
		for (int k = 0; k < STEPS && take_added(); k++) {
			steps[below((int)(sizeof(steps) / sizeof(*steps)))]();
			same_functions();
		}
	}
	gpube_model_free(m);
	gpube_solver_free(s);
	forget();
}

int main(void)
{
	const int failed = run_sequences(sequence, RUNS);

	print_message("# %ld answers known, %ld by messages, %ld by the engine, %ld stops\n",
		n_known, n_messages, n_engine, n_stopped);
	return failed;
}
