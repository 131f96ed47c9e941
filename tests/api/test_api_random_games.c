/*
 * Random sequences of calls on coalition games and bimatrix games, legal and not, against values
 * that are kept beside them: the best structure by trying all, pure equilibria and best responses
 * by looking. See tests/api/random_calls.h.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include <limits.h>
#include <math.h>

#include "csg/csg.h"
#include "formats/formats.h"
#include "gpube/forms/model_as.h"
#include "nash/nash.h"
#include "tests/games/made_games.h"
#include "tests/api/random_calls.h"

enum { MOST_AGENTS = 6, MOST_ACTIONS = 3, RUNS = 150, STEPS = 20 };

/* ---- coalitions ------------------------------------------------------------------------------ */

static struct {
	struct gpube_model *game;
	enum gpube_type type;
	int n;
	double value[1 << MOST_AGENTS]; /* integers below 2^53 or floats, as they are stored */
} c;

static void new_coalitions(void)
{
	const int n = one_in(8) ? below(100) - 50 : 1 + below(MOST_AGENTS),
		  type = one_in(12) ? below(12) - 3 : GPUBE_INT16 + below(5);
	const bool good =
		n >= 1 && n <= MOST_AGENTS && type >= GPUBE_INT16 && type <= GPUBE_FLOAT64;
	struct gpube_model *made = NULL;
	int status;

	if (!good && n >= 1 && n <= GPUBE_MAX_AGENTS && type >= GPUBE_INT16 &&
		type <= GPUBE_FLOAT64)
		return; /* legal, and large */
	maybe_scarce();
	status = gpube_coalitions_new(&made, ctx, n, (enum gpube_type)type);
	if (was_scarce(status))
		return;
	assert_int_equal(status, good ? GPUBE_OK : GPUBE_EINVAL);
	if (!good) {
		assert_null(made);
		return;
	}
	gpube_model_free(c.game);
	memset(&c, 0, sizeof(c));
	c.game = made;
	c.type = (enum gpube_type)type;
	c.n = n;
	assert_int_equal(gpube_model_n_vars(made), n);
	assert_int_equal(gpube_coalitions_type(made), c.type);
}

static void store(int at, double v)
{
	void *values = gpube_coalitions_values(c.game);

	c.value[at] = v;
	switch (c.type) {
	case GPUBE_INT16:
		((int16_t *)values)[at] = v == -INFINITY ? INT16_MIN : (int16_t)v;
		break;
	case GPUBE_INT32:
		((int32_t *)values)[at] = v == -INFINITY ? INT32_MIN : (int32_t)v;
		break;
	case GPUBE_INT64:
		((int64_t *)values)[at] = v == -INFINITY ? INT64_MIN : (int64_t)v;
		break;
	case GPUBE_FLOAT32:
		((float *)values)[at] = (float)v;
		break;
	default:
		((double *)values)[at] = v;
	}
	assert_true(gpube_coalitions_value(c.game, (uint64_t)at) == v);
}

static void set_values(void)
{
	static const double large[] = {32767, 1 << 30, 0x1p52, 1e30, 1e30};

	if (!c.game)
		return;
	for (int k = one_in(3) ? 1 << c.n : 3; k > 0; k--) {
		const int at = 1 + below((1 << c.n) - 1);
		const double v = one_in(6)    ? -INFINITY
				 : one_in(40) ? large[c.type - GPUBE_INT16]
					      : below(40) - 12;

		store(at, (double)(c.type == GPUBE_FLOAT32 ? (float)v : v));
	}
}

/* The best of agents 'left', without and with some of them staying out; -INFINITY: none. */
static double best_of(int left, bool disposal)
{
	const int first = left & -left;
	double best;

	if (!left)
		return 0;
	best = disposal ? best_of(left & ~first, true) : -INFINITY;
	for (int rest = left & ~first, part = rest;; part = (part - 1) & rest) {
		best = fmax(best, c.value[part | first] + best_of(rest & ~part, disposal));
		if (!part)
			break;
	}
	return best;
}

static void solve_coalitions(void)
{
	struct gpube_opts o = {
		.csg_method = below(7), .free_disposal = one_in(3), .backend = GPUBE_BACKEND_CPU};
	const double best = c.game ? best_of((1 << c.n) - 1, o.free_disposal) : 0;
	struct gpube_csg_result *r;
	double error, sum = 0;
	uint64_t seen = 0;
	int status;

	if (!c.game)
		return;
	status = gpube_csg(&r, c.game, &o);
	if (status)
		fail_msg("method %d: status %d: %s", o.csg_method, status, gpube_error(ctx));
	assert_true(r->answer == GPUBE_CSG_OPTIMAL || r->answer == GPUBE_CSG_BOUNDS ||
		    r->answer == GPUBE_CSG_INFEASIBLE);
	assert_true((r->answer == GPUBE_CSG_INFEASIBLE) == (best == -INFINITY));
	if (best != -INFINITY) {
		for (int k = 0; k < r->n_parts; k++) {
			assert_true(r->parts[k] && !(seen & r->parts[k]));
			seen |= r->parts[k];
			sum += c.value[r->parts[k]];
		}
		error = r->error + 1e-9 * fabs(best);
		assert_true(o.free_disposal || seen == ((uint64_t)1 << c.n) - 1);
		assert_true(fabs(sum - r->value) <= 1e-9 * fabs(sum));
		assert_true(r->value <= best + error && r->upper_bound >= best - error);
		assert_true(r->answer != GPUBE_CSG_OPTIMAL || r->value >= best - error);
	}
	gpube_result_free(r);
}

/* What must not be among the values is refused, and harms nothing. */
static void bad_value(void)
{
	struct gpube_csg_result *r;
	double *values;

	if (!c.game || c.type != GPUBE_FLOAT64)
		return;
	values = gpube_coalitions_values(c.game);
	values[1] = one_in(2) ? NAN : INFINITY;
	assert_int_equal(gpube_csg(&r, c.game, NULL), GPUBE_EINVAL);
	assert_null(r);
	store(1, c.value[1]);
}

static void certify_coalitions(void)
{
	struct gpube_opts o = {.free_disposal = one_in(3), .backend = GPUBE_BACKEND_CPU};
	struct gpube_csg_result *r, *proved;

	if (!c.game)
		return;
	o.certificate = in_dir("proof");
	if (gpube_csg(&r, c.game, &o))
		fail_msg("%s", gpube_error(ctx));
	if (r->answer == GPUBE_CSG_OPTIMAL && r->method == GPUBE_CSG_LP && !r->certificate_status) {
		if (gpube_csg_verify(&proved, c.game, in_dir("proof")))
			fail_msg("%s", gpube_error(ctx));
		assert_true(fabs(proved->value - r->value) <= 1e-9 * fabs(r->value));
		gpube_result_free(proved);
	}
	gpube_result_free(r);
}

static void rewrite_coalitions(void)
{
	struct gpube_model *again;
	const char *path;

	if (!c.game)
		return;
	path = in_dir(one_in(2) ? "g.csg" : "g.txt");
	assert_int_equal(
		gpube_write(c.game, path, &(struct gpube_opts){.to = GPUBE_FORMAT_CSG}, NULL), 0);
	if (gpube_read(&again, ctx, path, NULL))
		fail_msg("%s", gpube_error(ctx));
	assert_int_equal(gpube_model_n_vars(again), c.n);
	for (int at = 0; at < 1 << c.n; at++)
		assert_true(gpube_coalitions_value(again, (uint64_t)at) == c.value[at]);
	gpube_model_free(again);
}

/*
 * The values as costs of a model, in any order of its variables, above or below what no agent
 * costs.
 */
static void remodel_coalitions(void)
{
	const bool gets = one_in(2);
	const int64_t none = below(50) - 25;
	int64_t cost[1 << MOST_AGENTS];
	int32_t scope[MOST_AGENTS];
	struct gpube_model *again = NULL;
	struct gpube_model *m;
	int status;

	if (!c.game || c.type > GPUBE_INT64)
		return;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	assert_int_equal(gpube_model_set_direction(m, gets ? GPUBE_MAXIMISE : GPUBE_MINIMISE), 0);
	for (int i = 0; i < c.n; i++) {
		const int k = below(i + 1);

		scope[i] = scope[k];
		scope[k] = i;
		assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), 0);
	}
	for (int k = 0; k < 1 << c.n; k++) {
		int at = 0;

		for (int i = 0; i < c.n; i++)
			at |= (k >> (c.n - 1 - i) & 1) << scope[i];
		cost[k] = c.value[at] == -INFINITY ? GPUBE_INF
			  : gets                   ? none + (int64_t)c.value[at]
						   : none - (int64_t)c.value[at];
	}
	assert_int_equal(gpube_model_add_costs(m, c.n, scope, cost), 0);
	maybe_scarce();
	status = gpube__coalitions_of_costs(&again, m);
	if (was_scarce(status)) {
		assert_null(again);
	} else {
		assert_int_equal(status, GPUBE_OK);
		assert_int_equal(gpube_model_n_vars(again), c.n);
		for (int at = 0; at < 1 << c.n; at++)
			assert_true(gpube_coalitions_value(again, (uint64_t)at) == c.value[at]);
	}
	gpube_model_free(again);
	gpube_model_free(m);
}

/* ---- bimatrix games -------------------------------------------------------------------------- */

static struct {
	struct gpube_model *game;
	int rows, columns;
	struct {
		int64_t num, den;
	} payoff[2][MOST_ACTIONS][MOST_ACTIONS];
} b;

/* A payoff that is none ends it. */
static int make_bimatrix(struct gpube_model **made, int64_t num[2][25], int64_t den[2][25])
{
	int status = gpube_model_new(made, ctx, GPUBE_GAME);

	if (!status)
		status = gpube_model_add_var(*made, NULL, b.rows, NULL);
	if (!status)
		status = gpube_model_add_var(*made, NULL, b.columns, NULL);
	for (int p = 0; p < 2 && !status; p++)
		status = gpube_model_add_payoffs(*made, num[p], den[p]);
	return status;
}

static void new_bimatrix(void)
{
	struct gpube_model *made = NULL;
	int64_t num[2][25], den[2][25];
	bool good = true;
	int status;

	_Static_assert(MOST_ACTIONS * MOST_ACTIONS <= 25, "");
	gpube_model_free(b.game);
	memset(&b, 0, sizeof(b));
	b.rows = one_in(10) ? -below(3) : 1 + below(MOST_ACTIONS);
	b.columns = 1 + below(MOST_ACTIONS);
	for (int p = 0; p < 2 && b.rows > 0; p++)
		for (int k = 0; k < b.rows * b.columns; k++) {
			num[p][k] = one_in(400) ? INT64_MAX - below(3) : below(21) - 10;
			den[p][k] = one_in(400) ? -below(3) : 1 + below(one_in(2) ? 4 : 1);
			good &= den[p][k] >= 1;
			b.payoff[p][k / b.columns][k % b.columns].num = num[p][k];
			b.payoff[p][k / b.columns][k % b.columns].den = den[p][k];
		}
	maybe_scarce();
	status = make_bimatrix(&made, num, den);
	if (!was_scarce(status))
		assert_int_equal(status, b.rows < 1 || !good ? GPUBE_EINVAL : GPUBE_OK);
	if (status)
		gpube_model_free(made);
	else
		b.game = made;
}

static void look_at_payoff(void)
{
	const int player = one_in(12) ? below(9) - 4 : below(2);
	const int32_t at[] = {below(MOST_ACTIONS) - one_in(20), below(MOST_ACTIONS)};
	int64_t n = 0, d = 0;
	int status;

	if (!b.game)
		return;
	status = gpube_model_payoff(&n, &d, b.game, player, at);
	if ((player != 0 && player != 1) || at[0] < 0 || at[0] >= b.rows || at[1] >= b.columns) {
		assert_int_equal(status, GPUBE_EINVAL);
		assert_true(n == 0 && d == 0);
	} else {
		const int64_t num = b.payoff[player][at[0]][at[1]].num,
			      den = b.payoff[player][at[0]][at[1]].den;

		assert_int_equal(status, GPUBE_OK);
		assert_true(d >= 1 && d <= den && (__int128)n * den == (__int128)num * d);
	}
}

static bool at_least(int p, int i, int j, int k, int l)
{
	return (__int128)b.payoff[p][i][j].num * b.payoff[p][k][l].den >=
	       (__int128)b.payoff[p][k][l].num * b.payoff[p][i][j].den;
}

static bool is_pure(int i, int j)
{
	bool best = true;

	for (int k = 0; k < b.rows; k++)
		best &= at_least(0, i, j, k, j);
	for (int l = 0; l < b.columns; l++)
		best &= at_least(1, i, j, i, l);
	return best;
}

static double number(const char *text)
{
	const char *slash = strchr(text, '/');

	return strtod(text, NULL) / (slash ? strtod(slash + 1, NULL) : 1);
}

static double worth(int p, int i, int j)
{
	return (double)b.payoff[p][i][j].num / (double)b.payoff[p][i][j].den;
}

/* That nobody gains by another action, and what is said that both get. */
static void check_pair(
	const struct gpube_nash_strategy *x, const struct gpube_nash_strategy *y, bool *pure)
{
	double row[MOST_ACTIONS] = {0}, column[MOST_ACTIONS] = {0},
	       best[2] = {-INFINITY, -INFINITY}, size = 1;
	int n_played = 0;

	for (int i = 0; i < b.rows; i++)
		for (int j = 0; j < b.columns; j++) {
			row[i] += worth(0, i, j) * number(y->p[j]);
			column[j] += worth(1, i, j) * number(x->p[i]);
			size = fmax(size, fmax(fabs(worth(0, i, j)), fabs(worth(1, i, j))));
		}
	for (int i = 0; i < b.rows; i++)
		best[0] = fmax(best[0], row[i]);
	for (int j = 0; j < b.columns; j++)
		best[1] = fmax(best[1], column[j]);
	for (int i = 0; i < b.rows; i++) {
		n_played += number(x->p[i]) > 0;
		assert_true(number(x->p[i]) <= 0 || row[i] >= best[0] - 1e-9 * size);
	}
	for (int j = 0; j < b.columns; j++) {
		n_played += number(y->p[j]) > 0;
		assert_true(number(y->p[j]) <= 0 || column[j] >= best[1] - 1e-9 * size);
	}
	assert_true(fabs(number(y->value) - best[0]) <= 1e-9 * size);
	assert_true(fabs(number(x->value) - best[1]) <= 1e-9 * size);
	*pure = n_played == 2;
}

static void solve_bimatrix(void)
{
	struct gpube_opts o = {.nash_method = below(4),
		.pure = one_in(4),
		.max = one_in(6) ? below(2) : 0,
		.backend = GPUBE_BACKEND_CPU,
		.keep_dominated = one_in(2)};
	int64_t n_pure = 0, n_found = 0;
	struct gpube_nash_components *components;
	struct gpube_nash_result *r;
	int status;

	if (!b.game || !gpube_nash_exact())
		return;
	status = gpube_nash(&r, b.game, &o);
	if (status)
		fail_msg("status %d: %s", status, gpube_error(ctx));
	for (int64_t k = 0; k < r->n_pairs; k++) {
		bool pure;

		check_pair(&r->xs[r->pairs[k].x], &r->ys[r->pairs[k].y], &pure);
		n_found += pure;
	}
	for (int i = 0; i < b.rows; i++)
		for (int j = 0; j < b.columns; j++)
			n_pure += is_pure(i, j);
	if (o.max)
		assert_true(r->n_pairs <= o.max);
	else
		assert_true(n_found == n_pure && (o.pure || r->n_pairs > 0));
	if (r->answer == GPUBE_NASH_ANSWER_ALL && !o.pure) {
		assert_int_equal(gpube_nash_components(&components, ctx, r, NULL), 0);
		assert_true(components->n_components > 0 &&
			    components->n_subsets >= components->n_components);
		gpube_result_free(components);
	}
	gpube_result_free(r);
}

static void rewrite_bimatrix(void)
{
	static const char *const names[] = {"g.nfg", "g.txt"};
	const char *name = names[below(2)];
	struct gpube_model *again;

	if (!b.game)
		return;
	assert_int_equal(write_game(b.game, in_dir(name), GPUBE_FORMAT_AUTO), 0);
	if (read_game(&again, ctx, in_dir(name), GPUBE_FORMAT_AUTO))
		fail_msg("%s", gpube_error(ctx));
	assert_int_equal(gpube_model_domain(again, 0), b.rows);
	assert_int_equal(gpube_model_domain(again, 1), b.columns);
	gpube_model_free(b.game);
	b.game = again;
}

static void stop(void)
{
	struct gpube_csg_result *r = NULL;
	struct gpube_nash_result *n = NULL;

	gpube_ctx_stop(ctx);
	if (c.game)
		assert_int_equal(gpube_csg(&r, c.game, NULL), 0);
	if (b.game && gpube_nash_exact())
		assert_int_equal(gpube_nash(&n, b.game, NULL), 0);
	gpube_ctx_resume(ctx);
	gpube_result_free(r);
	gpube_result_free(n);
}

static void sequence(void)
{
	static void (*const calls[])(void) = {new_coalitions, set_values, set_values,
		solve_coalitions, solve_coalitions, bad_value, certify_coalitions,
		rewrite_coalitions, remodel_coalitions, remodel_coalitions, new_bimatrix,
		new_bimatrix, look_at_payoff, look_at_payoff, solve_bimatrix, solve_bimatrix,
		rewrite_bimatrix, stop};

	memset(&c, 0, sizeof(c));
	memset(&b, 0, sizeof(b));
	for (int step = 0; step < STEPS; step++)
		calls[below(sizeof(calls) / sizeof(*calls))]();
	gpube_model_free(c.game);
	gpube_model_free(b.game);
}

int main(void)
{
	return run_sequences(sequence, RUNS);
}
