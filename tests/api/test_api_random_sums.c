/*
 * Random sequences of calls on a model of potentials, legal and not, against one that is kept
 * beside it: sums, marginals, joint distributions, rows of evidence, what is drawn, marginal MAP
 * and the most probable assignment, by trying all assignments. See tests/api/random_calls.h.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include <limits.h>
#include <math.h>

#include "formats/formats.h"
#include "gpube/sums.h"
#include "tests/support/context.h"
#include "tests/api/random_calls.h"

enum {
	MOST_VARS = 5,
	MOST_FUNCTIONS = 7,
	MOST_ARITY = 3,
	MOST_DOMAIN = 3,
	MOST_CELLS = 27,
	RUNS = 300,
	STEPS = 30
};

struct function {
	int arity;
	int32_t scope[MOST_ARITY];
	double p[MOST_CELLS];
	bool soft;
};

static struct shadow {
	int n_vars, n_functions;
	int32_t domain[MOST_VARS], observed[MOST_VARS];
	struct function functions[MOST_FUNCTIONS];
} s;

static struct gpube_model *m;

/* ---- the model beside ------------------------------------------------------------------------ */

static int cells_of(const struct function *f)
{
	int n = 1;

	for (int k = 0; k < f->arity; k++)
		n *= s.domain[f->scope[k]];
	return n;
}

/* Of the product, evidence included. */
static double log_of(const int32_t *values)
{
	double sum = 0;

	for (int i = 0; i < s.n_vars; i++)
		if (s.observed[i] >= 0 && s.observed[i] != values[i])
			return -INFINITY;
	for (int k = 0; k < s.n_functions; k++) {
		const struct function *f = &s.functions[k];
		int cell = 0;

		for (int j = 0; j < f->arity; j++)
			cell = cell * s.domain[f->scope[j]] + values[f->scope[j]];
		sum += log(f->p[cell]);
	}
	return sum;
}

/* The next values of all variables but those that are held; false after the last. */
static bool next(int32_t *values, const bool *held)
{
	for (int i = 0; i < s.n_vars; i++) {
		if (held && held[i])
			continue;
		if (++values[i] < s.domain[i])
			return true;
		values[i] = 0;
	}
	return false;
}

static double add_logs(double a, double b)
{
	const double high = a > b ? a : b;

	return high == -INFINITY ? high : high + log(exp(a - high) + exp(b - high));
}

/* Over all values of those that are not held; 'held' ones are as they are. */
static double log_sum(int32_t *values, const bool *held)
{
	double sum = -INFINITY;

	for (int i = 0; i < s.n_vars; i++)
		values[i] = held && held[i] ? values[i] : 0;
	do
		sum = add_logs(sum, log_of(values));
	while (next(values, held));
	return sum;
}

static bool near(double a, double b, double error)
{
	return a == b || fabs(a - b) <= error;
}

static void same_state(void)
{
	assert_int_equal(gpube_model_n_vars(m), s.n_vars);
	assert_int_equal(gpube_model_info(m)->n_functions, s.n_functions);
	assert_int_equal(gpube_model_info(m)->kind, GPUBE_POTENTIALS);
	for (int i = 0; i < s.n_vars; i++) {
		assert_int_equal(gpube_model_domain(m, i), s.domain[i]);
		assert_int_equal(gpube_model_observed(m, i), s.observed[i]);
	}
	for (int k = 0; k < s.n_functions; k++) {
		const int n = cells_of(&s.functions[k]);
		double p[MOST_CELLS];

		assert_true(gpube_model_cells(m, k) == n);
		assert_int_equal(gpube_model_potentials(p, m, k), 0);
		assert_memory_equal(p, s.functions[k].p, (size_t)n * sizeof(*p));
	}
}

/* ---- calls that build ------------------------------------------------------------------------ */

static void add_var(void)
{
	const int32_t domain = one_in(10) ? -below(3) : 1 + below(MOST_DOMAIN);
	int status;

	if (s.n_vars == MOST_VARS)
		return;
	maybe_scarce();
	status = gpube_model_add_var(m, NULL, domain, NULL);
	if (was_scarce(status))
		return;
	assert_int_equal(status, domain < 1 ? GPUBE_EINVAL : GPUBE_OK);
	if (status)
		return;
	s.domain[s.n_vars] = domain;
	s.observed[s.n_vars++] = -1;
}

static double random_potential(void)
{
	static const double odd[] = {1e-300, 1e300, 5e-324, -1, NAN, INFINITY, -0.0, 1e-9};

	if (one_in(8))
		return 0;
	return one_in(100) ? odd[below(8)] : (1 + below(1000)) / 256.0;
}

static void add_potentials(void)
{
	struct function f = {.arity = below(MOST_ARITY + 1)};
	int wanted = f.arity <= s.n_vars ? GPUBE_OK : GPUBE_EINVAL, status;

	if (s.n_functions == MOST_FUNCTIONS)
		return;
	for (int k = 0; k < f.arity; k++) {
		f.scope[k] = one_in(15) ? below(INT_MAX) - INT_MAX / 2 : below(MOST_VARS);
		wanted = f.scope[k] < 0 || f.scope[k] >= s.n_vars ? GPUBE_EINVAL : wanted;
		for (int j = 0; j < k; j++)
			wanted = f.scope[j] == f.scope[k] ? GPUBE_EINVAL : wanted;
	}
	for (int c = 0; c < MOST_CELLS; c++)
		f.p[c] = random_potential();
	for (int c = 0; !wanted && c < cells_of(&f); c++)
		wanted = f.p[c] >= 0 && !isinf(f.p[c]) ? GPUBE_OK : GPUBE_EINVAL;
	maybe_scarce();
	status = gpube_model_add_potentials(m, f.arity, f.scope, f.p);
	if (was_scarce(status))
		return;
	assert_int_equal(status, wanted);
	if (!status)
		s.functions[s.n_functions++] = f;
}

/* The weights of a variable are its function, the last one, until others come or they go. */
static void weigh(void)
{
	struct function f = {.arity = 1,
		.scope = {one_in(15) ? below(20) - 10 : below(MOST_VARS)},
		.soft = true};
	const bool back = one_in(3);
	int wanted = f.scope[0] < 0 || f.scope[0] >= s.n_vars ? GPUBE_EINVAL : GPUBE_OK, status;

	if (s.n_functions == MOST_FUNCTIONS)
		return;
	for (int c = 0; c < MOST_DOMAIN; c++)
		f.p[c] = random_potential();
	for (int c = 0; !back && !wanted && c < cells_of(&f); c++)
		wanted = f.p[c] >= 0 && !isinf(f.p[c]) ? GPUBE_OK : GPUBE_EINVAL;
	maybe_scarce();
	status = gpube_model_weigh(m, f.scope[0], back ? NULL : f.p);
	if (was_scarce(status))
		return;
	assert_int_equal(status, wanted);
	if (status)
		return;
	for (int k = 0; k < s.n_functions; k++)
		if (s.functions[k].soft && s.functions[k].scope[0] == f.scope[0]) {
			memmove(s.functions + k, s.functions + k + 1,
				(size_t)(--s.n_functions - k) * sizeof(f));
			break;
		}
	if (!back)
		s.functions[s.n_functions++] = f;
}

static void observe(void)
{
	observe_any(m, s.observed, s.domain, s.n_vars, MOST_VARS, MOST_DOMAIN);
}

static void what_is_of_costs(void)
{
	const int64_t cost = 1;
	int32_t values[MOST_VARS] = {0};
	int64_t out = 7;

	assert_int_equal(gpube_model_add_costs(m, 0, NULL, &cost), GPUBE_EINVAL);
	assert_int_equal(gpube_model_cost(&out, m, values), GPUBE_EINVAL);
	assert_int_equal(gpube_model_costs(&out, m, 0), GPUBE_EINVAL);
	assert_true(out == 7);
}

/* ---- calls that ask -------------------------------------------------------------------------- */

static void price(void)
{
	int32_t values[MOST_VARS] = {0};
	double log_value = 77;
	bool good = true;
	int status;

	for (int i = 0; i < s.n_vars; i++) {
		values[i] = one_in(20) ? below(20) - 10 : below(s.domain[i]);
		good &= values[i] >= 0 && values[i] < s.domain[i];
	}
	status = gpube_model_log_value(&log_value, m, values);
	assert_int_equal(status, good ? GPUBE_OK : GPUBE_EINVAL);
	assert_true(good ? near(log_value, log_of(values), 1e-9) : log_value == 77);
}

static void check_marginals(const struct gpube_inference *found, double log_z)
{
	int64_t at = 0;

	for (int i = 0; i < s.n_vars; i++) {
		double total = 0;

		for (int32_t a = 0; a < s.domain[i]; a++) {
			int32_t values[MOST_VARS] = {0};
			bool held[MOST_VARS] = {false};
			const double p = found->marginals[at++];

			held[i] = true;
			values[i] = a;
			assert_true(near(p, exp(log_sum(values, held) - log_z), 1e-9));
			total += p;
		}
		assert_true(near(total, 1, 1e-9));
	}
}

static void infer(void)
{
	struct gpube_opts o = {.task = below(2),
		.order_method = (enum gpube_order_method)below(4),
		.backend = GPUBE_BACKEND_CPU,
		.order_seconds = 1e-4};
	struct gpube_inference *found;
	int32_t values[MOST_VARS] = {0};
	const double log_z = log_sum(values, NULL);
	const int status = gpube_infer(&found, m, &o);

	if (status)
		fail_msg("status %d: %s", status, gpube_error(ctx));
	assert_true(found->known && near(found->log10_z, log_z / log(10), 1e-9));
	assert_true((found->marginals != NULL) ==
			    (o.task == GPUBE_INFER_MAR && log_z != -INFINITY && s.n_vars > 0) ||
		    s.n_vars == 0);
	if (found->marginals)
		check_marginals(found, log_z);
	gpube_result_free(found);
}

/* Any variables' distribution, and any assignments. */
static void joint(void)
{
	struct gpube_opts o = {.order_method = (enum gpube_order_method)below(4)};
	int32_t query[MOST_VARS + 1], values[MOST_VARS] = {0};
	bool held[MOST_VARS] = {false}, good = true;
	const double log_z = log_sum(values, NULL);
	struct gpube_inference *found;
	int64_t cells = 1;
	int status;

	o.query = query;
	o.n_query = below(s.n_vars + 1);
	o.draw = o.n_query ? 0 : 1 + below(100);
	for (int k = 0; k < o.n_query; k++) {
		query[k] = one_in(20) ? below(20) - 8 : below(s.n_vars);
		if (query[k] < 0 || query[k] >= s.n_vars || held[query[k]])
			good = false;
		else
			held[query[k]] = true;
	}
	maybe_scarce();
	status = gpube_infer(&found, m, &o);
	if (was_scarce(status)) {
		assert_null(found);
		return;
	}
	assert_int_equal(status, good ? GPUBE_OK : GPUBE_EINVAL);
	if (status)
		return;
	assert_true(near(found->log10_z, log_z / log(10), 1e-9));
	assert_true((found->joint != NULL) == (log_z != -INFINITY && o.n_query > 0));
	for (int k = 0; k < o.n_query; k++)
		cells *= s.domain[query[k]];
	for (int64_t i = 0; found->joint && i < cells; i++) {
		int64_t rest = i;

		for (int k = o.n_query - 1; k >= 0; k--) {
			values[query[k]] = (int32_t)(rest % s.domain[query[k]]);
			rest /= s.domain[query[k]];
		}
		assert_true(near(found->joint[i], exp(log_sum(values, held) - log_z), 1e-9));
	}
	for (int64_t k = 0; found->drawn && k < found->n_drawn; k++)
		assert_true(log_of(found->drawn + k * s.n_vars) != -INFINITY);
	gpube_result_free(found);
}

/* Rows observe what the model has not. */
static void rows(void)
{
	enum { ROWS = 4 };
	int32_t row[ROWS * MOST_VARS], values[MOST_VARS];
	bool held[MOST_VARS];
	double log10_z[ROWS];
	struct gpube_compiled *c;
	int status;

	maybe_scarce();
	status = gpube_infer_compile(&c, m, NULL);
	if (!status) {
		for (int k = 0; k < ROWS * s.n_vars; k++)
			row[k] = s.observed[k % s.n_vars] >= 0 || one_in(3)
					 ? -1
					 : below(s.domain[k % s.n_vars]);
		status = gpube_infer_rows(log10_z, c, ROWS, row);
	}
	if (was_scarce(status)) {
		gpube_compiled_free(c);
		return;
	}
	if (status)
		fail_msg("status %d: %s", status, gpube_error(ctx));
	for (int r = 0; r < ROWS; r++) {
		for (int i = 0; i < s.n_vars; i++) {
			held[i] = row[r * s.n_vars + i] >= 0;
			values[i] = held[i] ? row[r * s.n_vars + i] : 0;
		}
		assert_true(near(log10_z[r], log_sum(values, held) / log(10), 1e-9));
	}
	gpube_compiled_free(c);
}

/* The best sum over the others that values of those held can have. */
static double best_sum(const bool *held)
{
	bool others[MOST_VARS];
	int32_t values[MOST_VARS] = {0}, given[MOST_VARS];
	double best = -INFINITY;

	for (int i = 0; i < s.n_vars; i++)
		others[i] = !held[i];
	do {
		memcpy(given, values, sizeof(given));
		best = fmax(best, log_sum(given, held));
	} while (next(values, others));
	return best;
}

static void marginal_map(void)
{
	struct gpube_opts o = {
		.order_method = (enum gpube_order_method)below(4), .backend = GPUBE_BACKEND_CPU};
	int32_t query[MOST_VARS + 1], values[MOST_VARS] = {0};
	bool held[MOST_VARS] = {false}, good = true;
	struct gpube_mmap *found;
	double best;
	int status;

	o.query = query;
	o.n_query = below(s.n_vars + 1);
	for (int k = 0; k < o.n_query; k++) {
		query[k] = one_in(20) ? below(20) - 8 : below(s.n_vars);
		if (query[k] < 0 || query[k] >= s.n_vars || held[query[k]])
			good = false;
		else
			held[query[k]] = true;
	}
	status = gpube_mmap(&found, m, &o);
	if (!good) {
		assert_int_equal(status, GPUBE_EINVAL);
		assert_null(found);
		return;
	}
	if (status)
		fail_msg("status %d: %s", status, gpube_error(ctx));
	best = best_sum(held);
	assert_int_equal(
		found->answer, best == -INFINITY ? GPUBE_ANSWER_INFEASIBLE : GPUBE_ANSWER_OPTIMAL);
	if (found->answer == GPUBE_ANSWER_OPTIMAL) {
		for (int k = 0; k < o.n_query; k++)
			values[query[k]] = found->values[k];
		assert_true(near(log_sum(values, held), found->log10_value * log(10), 1e-8));
		assert_true(near(found->log10_value * log(10), best, 1e-6 + found->relative_error));
	}
	gpube_result_free(found);
}

static void solve(void)
{
	struct gpube_opts o = {.backend = GPUBE_BACKEND_CPU,
		.precision = one_in(3) ? below(16) - 1 : 0,
		.no_simplify = one_in(2),
		.order_seconds = 1e-4};
	struct gpube_solution *found;
	int32_t values[MOST_VARS] = {0};
	double best = -INFINITY, error;
	const int status = gpube_solve(&found, m, &o);

	if (o.precision < 0 || o.precision > 12) {
		assert_true(status == GPUBE_EINVAL || status == GPUBE_ERANGE);
		return;
	}
	if (status)
		fail_msg("status %d: %s", status, gpube_error(ctx));
	do
		best = fmax(best, log_of(values));
	while (next(values, NULL));
	assert_int_equal(
		found->answer, best == -INFINITY ? GPUBE_ANSWER_INFEASIBLE : GPUBE_ANSWER_OPTIMAL);
	error = (s.n_functions + 1) * pow(10, -found->scale) + 1e-9;
	if (found->answer == GPUBE_ANSWER_OPTIMAL) {
		assert_true(near(found->log_value, log_of(found->values), 1e-9));
		assert_true(near(found->log_value, best, error));
	}
	gpube_result_free(found);
}

static void bound(void)
{
	struct gpube_opts o = {.method = (enum gpube_bound_method)below(GPUBE_BOUND_ELIMINATE + 1),
		.z = below(3),
		.backend = GPUBE_BACKEND_CPU,
		.no_simplify = one_in(2),
		.order_seconds = 1e-4,
		.no_eliminate = one_in(2)};
	struct gpube_solution *found;
	int32_t values[MOST_VARS] = {0};
	double best = -INFINITY;

	if (gpube_bound(&found, m, &o))
		fail_msg("%s", gpube_error(ctx));
	do
		best = fmax(best, log_of(values));
	while (next(values, NULL));
	if (found->answer == GPUBE_ANSWER_INFEASIBLE)
		assert_true(best == -INFINITY);
	else if (best != -INFINITY)
		assert_true((double)found->bound * pow(10, -found->scale) <=
			    -best + (s.n_functions + 1) * pow(10, -found->scale) + 1e-9);
	if (found->values)
		assert_true(near(found->log_value, log_of(found->values), 1e-9));
	gpube_result_free(found);
}

/* What is written and read again has the same products. */
static void write_and_read(void)
{
	struct gpube_model *again;
	int32_t values[MOST_VARS];
	double log_value;

	if (gpube_write(m, in_dir("m.uai"), NULL, NULL))
		return;
	if (gpube_read(&again, ctx, in_dir("m.uai"), NULL))
		fail_msg("%s", gpube_error(ctx));
	assert_int_equal(gpube_model_n_vars(again), s.n_vars);
	for (int k = 0; k < 10; k++) {
		for (int i = 0; i < s.n_vars; i++)
			values[i] = below(s.domain[i]);
		assert_int_equal(gpube_model_log_value(&log_value, again, values), 0);
		assert_true(near(log_value, log_of(values), 1e-9));
	}
	gpube_model_free(again);
}

static void stop(void)
{
	struct gpube_inference *found;
	int status;

	gpube_ctx_stop(ctx);
	status = gpube_infer(&found, m, NULL);
	assert_true(status == GPUBE_OK || status == GPUBE_ESTOP);
	gpube_result_free(found);
	gpube_ctx_resume(ctx);
}

static void sequence(void)
{
	static void (*const calls[])(void) = {add_var, add_var, add_potentials, add_potentials,
		add_potentials, observe, weigh, what_is_of_costs, price, infer, infer, joint, joint,
		rows, marginal_map, solve, bound, write_and_read, stop};

	memset(&s, 0, sizeof(s));
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_POTENTIALS), 0);
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
