/*
 * Random sequences of calls, legal and not, against a model that is kept beside the library's: it
 * knows which calls are refused, what a refused one leaves, and by trying all assignments what the
 * answers are. See tests/api/random_calls.h.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include <limits.h>

#include "formats/formats.h"
#include "gpube/partial.h"
#include "tests/support/context.h"
#include "tests/api/random_calls.h"

enum {
	MOST_VARS = 6,
	MOST_FUNCTIONS = 8,
	MOST_ARITY = 3,
	MOST_DOMAIN = 4,
	MOST_CELLS = 64,
	RUNS = 400,
	STEPS = 40
};

struct function {
	int arity;
	int32_t scope[MOST_ARITY];
	int64_t costs[MOST_CELLS];
};

/* What the library's model ought to be. */
struct shadow {
	int n_vars, n_functions, scale;
	int32_t domain[MOST_VARS], observed[MOST_VARS];
	struct function functions[MOST_FUNCTIONS];
	int64_t constant, top;
	enum gpube_direction direction;
	bool far; /* a cost is so large that sums may be refused */
};

static struct gpube_model *m;
static struct shadow s;

/* ---- the model beside: what an assignment costs, and the best ------------------------ */

static int64_t cells_of(int arity, const int32_t *scope)
{
	int64_t n = 1;

	for (int k = 0; k < arity; k++)
		n *= s.domain[scope[k]];
	return n;
}

/* GPUBE_INF: not allowed. */
static __int128 cost_of(const int32_t *values)
{
	__int128 sum = s.constant;

	for (int i = 0; i < s.n_vars; i++)
		if (s.observed[i] >= 0 && s.observed[i] != values[i])
			return GPUBE_INF;
	for (int f = 0; f < s.n_functions; f++) {
		const struct function *g = &s.functions[f];
		int64_t cell = 0;

		for (int k = 0; k < g->arity; k++)
			cell = cell * s.domain[g->scope[k]] + values[g->scope[k]];
		if (g->costs[cell] == GPUBE_INF)
			return GPUBE_INF;
		sum += g->costs[cell];
	}
	if (s.direction == GPUBE_MINIMISE ? s.top != GPUBE_INF && sum >= s.top
					  : s.top != -GPUBE_INF && sum <= s.top)
		return GPUBE_INF;
	return sum;
}

/* The first 'depth' variables of 'fixed' have their value in 'values'; false: none is allowed. */
static bool best_of(__int128 *best, const int32_t *given, const int32_t *fixed, int depth)
{
	int32_t values[MOST_VARS] = {0};
	bool is_fixed[MOST_VARS] = {false}, any = false;
	int i;

	for (int k = 0; k < depth; k++) {
		is_fixed[fixed[k]] = true;
		values[fixed[k]] = given[fixed[k]];
	}
	do {
		const __int128 cost = cost_of(values);

		if (cost != GPUBE_INF &&
			(!any || (s.direction == GPUBE_MINIMISE ? cost < *best : cost > *best))) {
			*best = cost;
			any = true;
		}
		for (i = 0; i < s.n_vars; i++) {
			if (is_fixed[i])
				continue;
			if (++values[i] < s.domain[i])
				break;
			values[i] = 0;
		}
	} while (i < s.n_vars);
	return any;
}

/* ---- what the accessors say is what is kept ------------------------------------------ */

static void same_state(void)
{
	assert_int_equal(gpube_model_n_vars(m), s.n_vars);
	assert_int_equal(gpube_model_info(m)->n_functions, s.n_functions);
	assert_int_equal(gpube_model_info(m)->scale, s.scale);
	assert_int_equal(gpube_model_info(m)->direction, s.direction);
	assert_true(gpube_model_info(m)->constant == s.constant);
	assert_true(gpube_model_info(m)->top == s.top);
	for (int i = 0; i < s.n_vars; i++) {
		assert_int_equal(gpube_model_domain(m, i), s.domain[i]);
		assert_int_equal(gpube_model_observed(m, i), s.observed[i]);
	}
	for (int f = 0; f < s.n_functions; f++) {
		const struct function *g = &s.functions[f];
		const int64_t n = cells_of(g->arity, g->scope);
		int64_t costs[MOST_CELLS];
		const int32_t *scope;

		assert_int_equal(gpube_model_scope(&scope, m, f), g->arity);
		for (int k = 0; k < g->arity; k++)
			assert_int_equal(scope[k], g->scope[k]);
		assert_true(gpube_model_cells(m, f) == n);
		assert_int_equal(gpube_model_costs(costs, m, f), 0);
		assert_memory_equal(costs, g->costs, (size_t)n * sizeof(*costs));
	}
}

/* ---- calls that build ---------------------------------------------------------------- */

/* An allocation of the call may fail: then nothing has changed. */
static bool failed(int status)
{
	if (!was_scarce(status))
		return false;
	same_state();
	return true;
}

static void add_var(void)
{
	static const int32_t odd[] = {0, -1, INT32_MIN};
	const int32_t domain = one_in(6) ? odd[below(3)] : 1 + below(MOST_DOMAIN);
	const bool named = one_in(2);
	bool taken = false;
	int32_t var = -7;
	int status;

	if (s.n_vars == MOST_VARS)
		return;
	maybe_scarce();
	for (int i = 0; i < s.n_vars; i++)
		taken |= named && gpube_model_var_name(m, i);
	status = gpube_model_add_var(m, &var, domain, named ? "name" : NULL);
	if (failed(status))
		return;
	assert_int_equal(status, domain < 1 || taken ? GPUBE_EINVAL : GPUBE_OK);
	assert_int_equal(var, status ? -7 : s.n_vars);
	if (!status) {
		s.domain[s.n_vars] = domain;
		s.observed[s.n_vars++] = -1;
	}
}

static int64_t random_cost(void)
{
	static const int64_t odd[] = {GPUBE_INF - 1, -GPUBE_INF + 1, (int64_t)1 << 62,
		-((int64_t)1 << 61), GPUBE_INF, -GPUBE_INF, INT64_MIN};

	if (one_in(10))
		return GPUBE_INF;
	return one_in(150) ? odd[below(7)] : one_in(20) ? below(1 << 30) : below(20) - 4;
}

static bool is_far(int64_t cost)
{
	return cost != GPUBE_INF && (cost > (int64_t)1 << 50 || cost < -((int64_t)1 << 50));
}

static void add_costs(void)
{
	static const int odd_arities[] = {-1, INT_MIN, INT_MAX, MOST_VARS + 1};
	struct function f = {.arity = below(MOST_ARITY + 1)};
	const int arity = one_in(12) ? odd_arities[below(4)] : f.arity;
	int wanted = arity == f.arity && f.arity <= s.n_vars ? GPUBE_OK : GPUBE_EINVAL, status;
	bool far = false;

	for (int k = 0; k < f.arity; k++) {
		f.scope[k] = one_in(15) ? below(INT_MAX) - INT_MAX / 2 : below(MOST_VARS);
		wanted = f.scope[k] < 0 || f.scope[k] >= s.n_vars ? GPUBE_EINVAL : wanted;
		for (int j = 0; j < k; j++)
			wanted = f.scope[j] == f.scope[k] ? GPUBE_EINVAL : wanted;
	}
	for (int c = 0; c < MOST_CELLS; c++)
		f.costs[c] = random_cost();
	for (int64_t c = 0; !wanted && c < cells_of(f.arity, f.scope); c++) {
		wanted = f.costs[c] <= -GPUBE_INF ? GPUBE_ERANGE : GPUBE_OK;
		far |= is_far(f.costs[c]);
	}
	if (!wanted && f.arity == 0 && f.costs[0] != GPUBE_INF) {
		const __int128 sum = (__int128)s.constant + f.costs[0];

		wanted = sum >= GPUBE_INF || sum <= -GPUBE_INF ? GPUBE_ERANGE : GPUBE_OK;
	} else if (!wanted && s.n_functions == MOST_FUNCTIONS) {
		return;
	}
	maybe_scarce();
	status = gpube_model_add_costs(m, arity, f.scope, f.costs);
	if (failed(status))
		return;
	assert_int_equal(status, wanted);
	if (status)
		return;
	s.far |= far;
	if (f.arity == 0 && f.costs[0] != GPUBE_INF)
		s.constant += f.costs[0];
	else
		s.functions[s.n_functions++] = f;
}

static void set(void)
{
	static const int64_t odd[] = {INT64_MIN, -GPUBE_INF, GPUBE_INF, 0, -5};
	const int number = one_in(3) ? below(60) - 20 : below(4);
	const int64_t top = one_in(3) ? odd[below(5)] : below(60);

	switch (below(4)) {
	case 0:
		if (gpube_model_set_scale(m, number) == GPUBE_OK)
			s.scale = number;
		else
			assert_true(number < 0 || number > 18);
		break;
	case 1:
		if (gpube_model_set_direction(m, (enum gpube_direction)number)) {
			assert_true(number < 0 || number > 1);
			break;
		}
		s.direction = (enum gpube_direction)number;
		s.top = number == GPUBE_MINIMISE ? GPUBE_INF : -GPUBE_INF;
		break;
	case 2:
		if (gpube_model_set_top(m, top) == GPUBE_OK)
			s.top = top;
		else
			assert_true(top == INT64_MIN);
		break;
	default:
		assert_int_equal(
			gpube_model_add_potentials(m, 0, NULL, (double[]){1}), GPUBE_EINVAL);
	}
}

static void observe(void)
{
	observe_any(m, s.observed, s.domain, s.n_vars, MOST_VARS, MOST_DOMAIN);
}

/* ---- calls that ask ------------------------------------------------------------------ */

static void price(void)
{
	int32_t values[MOST_VARS] = {0};
	int64_t cost = 77;
	__int128 wanted;
	bool good = true;
	int status;

	for (int i = 0; i < s.n_vars; i++) {
		values[i] = one_in(20) ? below(20) - 10 : below(s.domain[i]);
		good &= values[i] >= 0 && values[i] < s.domain[i];
	}
	status = gpube_model_cost(&cost, m, values);
	if (!good) {
		assert_int_equal(status, GPUBE_EINVAL);
		return;
	}
	wanted = cost_of(values);
	if (wanted > GPUBE_INF || wanted <= -GPUBE_INF) {
		assert_int_equal(status, GPUBE_ERANGE);
		return;
	}
	/* a sum of 2^63 - 1 is no cost */
	assert_true(status == GPUBE_OK || (s.far && status == GPUBE_ERANGE));
	assert_true(cost == (status ? 77 : wanted));
}

/* Refused for its size, which only large costs may be. */
static bool too_large(int status)
{
	if (status == GPUBE_ERANGE && s.far)
		return true;
	if (status)
		fail_msg("status %d: %s", status, gpube_error(ctx));
	return false;
}

/* Now and then a cutoff near the best total, and an assignment, allowed or not. */
static int32_t known[MOST_VARS];

static bool draw_known(bool *has_cutoff, int64_t *cutoff)
{
	__int128 best;

	*has_cutoff =
		one_in(3) && best_of(&best, NULL, NULL, 0) && best > -(1 << 30) && best < 1 << 30;
	if (*has_cutoff)
		*cutoff = (int64_t)best + below(7) - 3;
	for (int i = 0; i < s.n_vars; i++)
		known[i] = below(s.domain[i]);
	return one_in(3) && s.n_vars;
}

/* What is said has to be true, whoever says it, and however little that is. */
static void check_answer(const struct gpube_solution *said, bool has_cutoff, int64_t cutoff)
{
	const bool maximise = s.direction == GPUBE_MAXIMISE;
	__int128 best;
	const bool any = best_of(&best, NULL, NULL, 0);
	const bool none_better =
		has_cutoff && (!any || (maximise ? best <= cutoff : best >= cutoff));

	assert_true(!said->closed || none_better);
	if (said->answer == GPUBE_ANSWER_INFEASIBLE)
		assert_false(any);
	else if (any && !said->closed)
		assert_true(maximise ? said->bound >= best : said->bound <= best);
	if (said->answer == GPUBE_ANSWER_OPTIMAL)
		assert_true(any && said->bound == best && said->cost == best && said->values);
	if (said->values)
		assert_true(cost_of(said->values) == said->cost);
}

static void solve(void)
{
	struct gpube_opts o = {.order_method = (enum gpube_order_method)below(4),
		.method =
			(enum gpube_bound_method)(one_in(2) ? 0 : below(GPUBE_BOUND_ELIMINATE + 1)),
		.backend = GPUBE_BACKEND_CPU,
		.no_simplify = one_in(2),
		.order_seconds = 1e-4};
	struct gpube_solution *solution;
	int32_t order[MOST_VARS];
	bool cuts;
	int status;

	for (int i = 0; i < s.n_vars; i++)
		order[i] = s.n_vars - 1 - i;
	if (draw_known(&cuts, &o.cutoff))
		o.values = known;
	o.has_cutoff = cuts;
	if (one_in(4)) {
		o.order_method = GPUBE_ORDER_GIVEN;
		o.order = order;
	}
	if (one_in(10) && s.n_vars) {
		order[0] = s.n_vars == 1 ? 1 : order[s.n_vars - 1]; /* twice */
		o.order_method = GPUBE_ORDER_GIVEN;
		o.order = order;
	}
	status = gpube_solve(&solution, m, &o);
	if (o.order && s.n_vars && order[0] != s.n_vars - 1) {
		assert_int_equal(status, GPUBE_EINVAL);
		assert_null(solution);
		return;
	}
	if (status == GPUBE_ELIMIT && solution) /* a method alone may prove nothing */
		assert_true(o.method != GPUBE_BOUND_AUTO &&
			    solution->answer == GPUBE_ANSWER_INCOMPLETE);
	else if (too_large(status))
		return;
	else
		assert_true(solution->answer != GPUBE_ANSWER_INCOMPLETE || solution->closed);
	check_answer(solution, cuts, o.cutoff);
	gpube_result_free(solution);
}

static void bound(void)
{
	struct gpube_opts o = {.method = (enum gpube_bound_method)below(GPUBE_BOUND_ELIMINATE + 1),
		.z = below(4),
		.split = (enum gpube_split)below(3),
		.partition = (enum gpube_partition)below(4),
		.backend = GPUBE_BACKEND_CPU,
		.no_simplify = one_in(2),
		.order_seconds = 1e-4,
		.no_eliminate = one_in(2)};
	struct gpube_solution *b;
	bool cuts;
	int status;

	if (draw_known(&cuts, &o.cutoff))
		o.values = known;
	o.has_cutoff = cuts;
	status = gpube_bound(&b, m, &o);
	if (too_large(status))
		return;
	check_answer(b, cuts, o.cutoff);
	gpube_result_free(b);
}

/* A walk along a path: its bounds, and those without one. */
static void walk(const struct gpube_heuristic *h)
{
	const bool maximise = s.direction == GPUBE_MAXIMISE;
	const int32_t *order = gpube_heuristic_info(h)->order;
	int32_t fixed[MOST_VARS];
	struct gpube_path *path;
	int depth = 0;

	assert_int_equal(gpube_path_new(&path, h), 0);
	for (int k = 0; k < s.n_vars; k++)
		fixed[k] = order[s.n_vars - 1 - k];
	for (int step = 0; step < 12; step++) {
		int64_t by_path = gpube_path_bound(path);
		int64_t by_tables = gpube_heuristic_bound(h, gpube_path_values(path), depth);
		__int128 best;

		assert_int_equal(gpube_path_next(path), depth == s.n_vars ? -1 : fixed[depth]);
		if (best_of(&best, gpube_path_values(path), fixed, depth)) {
			assert_true(by_path != GPUBE_INF && by_tables != GPUBE_INF);
			assert_true(maximise ? by_path >= best : by_path <= best);
			assert_true(maximise ? by_tables >= best : by_tables <= best);
		}
		if (one_in(3)) {
			gpube_path_pop(path);
			depth -= depth > 0;
		} else if (depth == s.n_vars) {
			assert_true(gpube_path_push(path, 0) == by_path);
		} else {
			gpube_path_push(path, below(s.domain[fixed[depth]]));
			depth++;
		}
	}
	gpube_path_free(path);
}

static void heuristic(void)
{
	struct gpube_opts o = {.heuristic_method = below(3),
		.ibound = below(4),
		.backend = GPUBE_BACKEND_CPU,
		.no_simplify = one_in(2),
		.order_seconds = 1e-4};
	struct gpube_heuristic *h;
	int status = gpube_heuristic_new(&h, m, &o);

	if (too_large(status))
		return;
	walk(h);
	gpube_heuristic_free(h);
}

/* What is written and read again has the same costs. */
static void write_and_read(void)
{
	static const char *const names[] = {"m.cfn", "m.wcsp"};
	const char *name = names[below(2)];
	struct gpube_model *given = m, *again;
	int32_t values[MOST_VARS] = {0};
	int64_t cost, cost_again;
	int status = gpube_write(m, in_dir(name), NULL, NULL);

	/*
	 * a format may have no place for a total below 0, for all that is forbidden, for no
	 * variable
	 */
	if (status == GPUBE_ERANGE || status == GPUBE_EINVAL)
		return;
	assert_int_equal(status, GPUBE_OK);
	status = gpube_read(&again, ctx, in_dir(name), NULL);
	if (status)
		fail_msg("%s: %s", name, gpube_error(ctx));
	assert_int_equal(gpube_model_n_vars(again), s.n_vars);
	for (int k = 0; k < 10; k++) {
		int code;

		for (int i = 0; i < s.n_vars; i++)
			values[i] = below(s.domain[i]);
		status = gpube_model_cost(&cost, given, values);
		code = gpube_model_cost(&cost_again, again, values);
		if (!status && !code && gpube_model_info(again)->direction == s.direction)
			assert_true(cost == cost_again);
	}
	gpube_model_free(again);
}

static void stop(void)
{
	struct gpube_solution *solution;
	int status;

	gpube_ctx_stop(ctx);
	status = gpube_solve(&solution, m, NULL);
	assert_true(
		status == GPUBE_OK || status == GPUBE_ESTOP || (status == GPUBE_ERANGE && s.far));
	gpube_result_free(solution);
	gpube_ctx_resume(ctx);
}

/* ---- sequences ----------------------------------------------------------------------- */

static void sequence(void)
{
	static void (*const calls[])(void) = {add_var, add_var, add_costs, add_costs, add_costs,
		set, observe, price, solve, bound, heuristic, write_and_read, stop};

	s = (struct shadow){.top = GPUBE_INF};
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int step = 0; step < STEPS; step++) {
		calls[below(sizeof(calls) / sizeof(*calls))]();
		same_state();
	}
	gpube_model_free(m);
}

int main(void)
{
	return run_sequences(sequence, RUNS);
}
