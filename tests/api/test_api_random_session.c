/*
 * Random sequences of calls on up to three models and solvers, which are copies of one another and
 * then go ways of their own: variables and names, functions by cells, by tuples, lent, by every
 * keyword and by arrays, evidence, costs that change, assumptions, cutoffs, runs, lists and counts,
 * wrong arguments, allocations that fail. See tests/api/random_shadow.h, random_calls.h.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include "gpube/globals.h"
#include "gpube/partial.h"
#include "tests/api/global_draw.h"
#include "tests/api/random_shadow.h"

enum { MOST_LISTED = 8, STEPS = 120, RUNS = 400 };

static int64_t lent[STEPS][CELLS]; /* cells that models use to their end */
static int n_lent;
static long n_by_keyword, n_hidden, n_solved;

/* ---- variables and names --------------------------------------------------------------------- */

static void add_var(void)
{
	const int32_t domain = one_in(8) ? -below(2) : 1 + below(MOST_DOMAIN);
	char name[8] = "";
	bool taken = false;
	int32_t var;
	int status;

	if (w->n_vars == MOST_VARS)
		return;
	if (one_in(2))
		snprintf(name, sizeof(name), "v%d", below(10));
	for (int i = 0; i < w->n_vars; i++)
		taken |= *name && !strcmp(name, w->name[i]);
	maybe_scarce();
	status = gpube_model_add_var(at->m, &var, domain, *name ? name : NULL);
	if (failed(status))
		return;
	assert_int_equal(status, domain < 1 || taken ? GPUBE_EINVAL : GPUBE_OK);
	if (status)
		return;
	w->domain[w->n_vars] = domain;
	w->observed[w->n_vars] = w->assumed[w->n_vars] = -1;
	memset(w->value_name[w->n_vars], 0, sizeof(w->value_name[0]));
	memcpy(w->name[w->n_vars], name, sizeof(name));
	w->var[w->n_vars++] = var;
}

static void name_values(void)
{
	const int i = below(MOST_VARS);
	char text[MOST_DOMAIN][8] = {""};
	const char *names[MOST_DOMAIN];
	const bool none = one_in(4);
	bool twice = false;
	int status;

	if (i >= w->n_vars) {
		assert_int_equal(gpube_model_name_values(at->m, -1, NULL), GPUBE_EINVAL);
		return;
	}
	for (int a = 0; a < MOST_DOMAIN; a++) {
		if (!none && a < w->domain[i])
			snprintf(text[a], sizeof(text[a]), "a%d", below(20));
		names[a] = text[a];
		for (int b = 0; *text[a] && b < a; b++)
			twice |= !strcmp(text[a], text[b]);
	}
	maybe_scarce();
	status = gpube_model_name_values(at->m, w->var[i], none ? NULL : names);
	if (failed(status))
		return;
	assert_int_equal(status, twice ? GPUBE_EINVAL : GPUBE_OK);
	if (!status)
		memcpy(w->value_name[i], text, sizeof(text));
}

/* ---- functions ------------------------------------------------------------------------------- */

static struct function made;
static int32_t places[MOST_VARS]; /* made.scope in the model */

static int64_t draw_cost(void)
{
	return one_in(10) ? GPUBE_INF : one_in(20) ? below(1000000) : below(20) - 5;
}

/* Distinct variables; as many cells. */
static int64_t draw_scope(void)
{
	int64_t n = 1;

	made = (struct function){.n_cells = power[w->n_vars], .at = -1};
	made.arity = below((w->n_vars < 3 ? w->n_vars : 3) + 1);
	for (int k = 0, j; k < made.arity; k++) {
		do {
			made.scope[k] = below(w->n_vars);
			for (j = 0; j < k && made.scope[j] != made.scope[k]; j++)
				;
		} while (j < k);
		places[k] = w->var[made.scope[k]];
		n *= w->domain[made.scope[k]];
	}
	return n;
}

static int64_t row_major(const int32_t *values)
{
	int64_t cell = 0;

	for (int k = 0; k < made.arity; k++)
		cell = cell * w->domain[made.scope[k]] + values[made.scope[k]];
	return cell;
}

static void price_cells(const int64_t *cells)
{
	int32_t values[MOST_VARS] = {0};

	do
		made.price[cell_of(values)] = cells[row_major(values)];
	while (next(values));
}

/* Takes the function over that a call has added. */
static void keep(int status, int wanted)
{
	if (failed(status))
		return;
	if (status != wanted)
		fail_msg("status %d: %s", status, gpube_error(ctx));
	if (!status)
		w->functions[w->n_functions++] = made;
	else
		same_state(false);
}

static bool is_full(void)
{
	return w->n_functions == MOST_FUNCTIONS ||
	       gpube_model_info(at->m)->n_hidden >= MOST_HIDDEN || w->n_vars == 0;
}

static void add_costs(void)
{
	int64_t own[CELLS], *cells = one_in(3) && n_lent < STEPS ? lent[n_lent] : own, n;
	int status;

	if (is_full())
		return;
	n = draw_scope();
	for (int64_t k = 0; k < n; k++)
		cells[k] = draw_cost();
	price_cells(cells);
	if (made.arity)
		made.at = gpube_model_info(at->m)->n_functions;
	maybe_scarce();
	if (cells == own) {
		status = gpube_model_add_costs(at->m, made.arity, places, cells);
	} else {
		status = gpube_model_lend(at->m, made.arity, places, GPUBE_INT64, cells);
		n_lent++;
	}
	keep(status, GPUBE_OK);
}

static void add_tuples(void)
{
	int32_t tuples[CELLS * MOST_VARS], values[MOST_VARS] = {0};
	int64_t costs[CELLS], cells[CELLS], n, listed = 0;
	const int64_t others = draw_cost();

	if (is_full())
		return;
	n = draw_scope();
	if (made.arity == 0)
		return;
	for (int64_t k = 0; k < n; k++)
		cells[k] = others;
	do {
		const int64_t cell = row_major(values);
		bool first = cells[cell] == others; /* of those that differ in other variables */

		for (int64_t t = 0; t < listed && first; t++) {
			first = false;
			for (int k = 0; k < made.arity; k++)
				first |= tuples[t * made.arity + k] != values[made.scope[k]];
		}
		if (!first || one_in(2))
			continue;
		for (int k = 0; k < made.arity; k++)
			tuples[listed * made.arity + k] = values[made.scope[k]];
		cells[cell] = costs[listed++] = draw_cost();
	} while (next(values));
	price_cells(cells);
	maybe_scarce();
	keep(gpube_model_add_tuples(at->m, made.arity, places, others, listed, tuples, costs),
		GPUBE_OK);
}

static void add_linear(void)
{
	struct gpube_term terms[5];
	int32_t of[5], values[MOST_VARS] = {0};
	const int n = below(6), relation = below(3), per_unit = below(2);
	const int64_t right = below(21) - 10, cost = one_in(3) ? GPUBE_INF : below(15) - 5;

	if (is_full())
		return;
	made = (struct function){.n_cells = power[w->n_vars], .at = -1};
	for (int k = 0; k < n; k++) {
		of[k] = below(w->n_vars);
		terms[k] = (struct gpube_term){
			w->var[of[k]], below(w->domain[of[k]] + 1) - 1, below(15) - 7};
	}
	do {
		int64_t sum = 0, off;

		for (int k = 0; k < n; k++)
			sum += terms[k].coefficient *
			       (terms[k].value < 0 ? values[of[k]]
						   : values[of[k]] == terms[k].value);
		off = relation == GPUBE_AT_LEAST  ? right - sum
		      : relation == GPUBE_AT_MOST ? sum - right
						  : llabs(sum - right);
		off = off < 0 ? 0 : per_unit ? off : off > 0;
		made.price[cell_of(values)] = !off ? 0 : cost == GPUBE_INF ? GPUBE_INF : cost * off;
	} while (next(values));
	maybe_scarce();
	keep(gpube_model_add_linear(
		     at->m, n, terms, (enum gpube_relation)relation, right, cost, per_unit),
		GPUBE_OK);
}

/* What costs less than 'low', or 'high' or more, in a model of two functions is forbidden. */
static void add_bounded(void)
{
	struct gpube_model *inner;
	int64_t cells[CELLS], n;
	const int64_t constant = below(9), low = below(12), high = low + below(12);
	int32_t all[MOST_VARS] = {0, 1, 2, 3};

	if (is_full())
		return;
	n = draw_scope();
	if (made.arity == 0)
		return;
	assert_int_equal(gpube_model_new(&inner, ctx, GPUBE_COSTS), 0);
	for (int k = 0; k < made.arity; k++)
		assert_int_equal(
			gpube_model_add_var(inner, NULL, w->domain[made.scope[k]], NULL), 0);
	for (int64_t k = 0; k < n; k++)
		cells[k] = draw_cost();
	assert_int_equal(gpube_model_add_costs(inner, made.arity, all, cells), 0);
	assert_int_equal(gpube_model_add_costs(inner, 0, NULL, &constant), 0);
	for (int64_t k = 0; k < n; k++)
		cells[k] = cells[k] != GPUBE_INF && cells[k] + constant >= low &&
					   cells[k] + constant < high
				   ? 0
				   : GPUBE_INF;
	price_cells(cells);
	maybe_scarce();
	keep(gpube_model_add_bounded(at->m, made.arity, places, inner, low, high), GPUBE_OK);
	gpube_model_free(inner);
}

/*
 * Whether the function is another one here: variables in parameters are the model's, which have
 * other places beside hidden ones, and alldiff is of values' names.
 */
static bool differs(const struct global_drawn *d)
{
	const bool of_vars = strchr(d->keyword->params, 'V') != NULL;
	const bool of_names = strcmp(d->keyword->name, "alldiff") == 0;

	for (int k = 0; k < d->call.n; k++) {
		const int32_t i = d->scope[k];

		if ((of_vars && w->var[i] != i) || (of_names && *w->value_name[i][0]))
			return true;
	}
	return false;
}

static void add_global(void)
{
	const struct gpube_keyword *keyword = &gpube__keywords[below((int)global_n_keywords())];
	struct global_drawn d;
	int32_t values[MOST_VARS] = {0}, tuple[MOST_ARITY], scope[MOST_ARITY];
	int status;

	if (is_full())
		return;
	global_draw_over(&d, keyword, gpube__rng_next(&rng), maximises(), w->n_vars, w->domain, 4);
	if (differs(&d))
		return;
	made = (struct function){.n_cells = power[w->n_vars], .at = -1};
	do {
		for (int k = 0; k < d.call.n; k++)
			tuple[k] = values[d.scope[k]];
		made.price[cell_of(values)] = global_price(&d.call, tuple);
	} while (next(values));
	/* variables whose domains differ may have no assignment that is right: it is not told */
	for (int c = 0; c < made.n_cells && strcmp(keyword->name, "sgcc") == 0; c++)
		if (made.price[c] == GPUBE_INF && d.call.scalars[0] != GPUBE_INF)
			return;
	for (int k = 0; k < d.call.n; k++)
		scope[k] = w->var[d.scope[k]];
	maybe_scarce();
	status = global_add(&d, at->m, scope);
	keep(status, status == GPUBE_EINVAL || status == GPUBE_ERANGE ? status : GPUBE_OK);
	n_by_keyword += status == GPUBE_OK;
	n_hidden += gpube_model_info(at->m)->n_hidden > 0;
}

/* ---- numbers of the model -------------------------------------------------------------------- */

static void observe(void)
{
	const int i = below(MOST_VARS), value = below(MOST_DOMAIN + 2) - 2;
	const bool good = i < w->n_vars && value >= -1 && value < w->domain[i];
	int status;

	maybe_scarce();
	status = gpube_model_observe(at->m, i < w->n_vars ? w->var[i] : -1 - i, value);
	if (failed(status))
		return;
	assert_int_equal(status, good ? GPUBE_OK : GPUBE_EINVAL);
	if (good)
		w->observed[i] = value;
}

/* Tops that no parameter of a keyword reaches. */
static void set(void)
{
	const int number = below(22) - 1;

	switch (below(3)) {
	case 0:
		assert_int_equal(gpube_model_set_scale(at->m, number),
			number < 0 || number > 18 ? GPUBE_EINVAL : GPUBE_OK);
		w->scale = number < 0 || number > 18 ? w->scale : number;
		break;
	case 1:
		if (w->n_functions) /* what a keyword costs depends on it */
			break;
		w->direction = (enum gpube_direction)below(2);
		w->top = maximises() ? -GPUBE_INF : GPUBE_INF;
		assert_int_equal(gpube_model_set_direction(at->m, w->direction), GPUBE_OK);
		break;
	default:
		w->top = one_in(2) ? GPUBE_INF : 100 + below(1000000);
		w->top = maximises() ? -w->top : w->top;
		assert_int_equal(gpube_model_set_top(at->m, w->top), GPUBE_OK);
	}
}

/* ---- solvers --------------------------------------------------------------------------------- */

/* A solver of a copy, in a slot that is empty. */
static void copy(void)
{
	struct slot *to = &slots[below(SLOTS)];
	const struct gpube_opts opts = {.n_threads = 0,
		.method = one_in(3) ? GPUBE_BOUND_TREE : GPUBE_BOUND_AUTO,
		.order_seconds = 1e-4};
	int status;

	if (to->m)
		return;
	maybe_scarce();
	status = gpube_solver_new(&to->s, one_in(2) ? ctx : NULL, at->m, &opts);
	if (failed(status)) {
		assert_null(to->s);
		return;
	}
	assert_int_equal(status, GPUBE_OK);
	to->m = gpube_solver_model(to->s);
	to->is = *w;
	for (int i = 0; i < MOST_VARS; i++)
		to->is.assumed[i] = -1;
	to->is.contradiction = false;
}

/* All costs of a function, one of them, or none: that is how it is removed. */
static void change(void)
{
	const int f = w->n_functions ? below(w->n_functions) : 0, how = below(3);
	int64_t cells[CELLS] = {0};
	int32_t values[MOST_VARS] = {0}, tuple[MOST_VARS];
	int status;

	if (!at->s)
		return;
	if (f >= w->n_functions || w->functions[f].at < 0) {
		assert_int_equal(gpube_solver_change_costs(at->s, -1, cells), GPUBE_EINVAL);
		return;
	}
	made = w->functions[f];
	do
		cells[row_major(values)] = how == 2   ? 0
					   : how == 1 ? made.price[cell_of(values) % made.n_cells]
						      : draw_cost();
	while (next(values));
	if (how == 1) {
		for (int i = 0; i < w->n_vars; i++)
			values[i] = below(w->domain[i]);
		for (int k = 0; k < made.arity; k++)
			tuple[k] = values[made.scope[k]];
		cells[row_major(values)] = draw_cost();
	}
	maybe_scarce();
	status = how == 1
			 ? gpube_solver_change_cost(at->s, made.at, tuple, cells[row_major(values)])
			 : gpube_solver_change_costs(at->s, made.at, cells);
	if (failed(status))
		return;
	assert_int_equal(status, GPUBE_OK);
	made.n_cells = power[w->n_vars];
	price_cells(cells);
	w->functions[f] = made;
}

static void assume(void)
{
	const int i = below(MOST_VARS), value = below(MOST_DOMAIN + 1);
	const bool good = i < w->n_vars && value < w->domain[i];
	int32_t var = i < w->n_vars ? w->var[i] : -1, to = value;
	int status;

	if (!at->s)
		return;
	maybe_scarce();
	status = gpube_solver_assume(at->s, 1, &var, &to);
	if (failed(status))
		return;
	assert_int_equal(status, good ? GPUBE_OK : GPUBE_EINVAL);
	if (!good)
		return;
	w->contradiction |= w->assumed[i] >= 0 && w->assumed[i] != value;
	w->assumed[i] = value;
}

/* ---- answers --------------------------------------------------------------------------------- */

static void solve(void)
{
	struct gpube_opts o = {.order_seconds = 1e-4, .no_simplify = one_in(3)};
	struct gpube_solution *said;
	int64_t totals[CELLS];
	const int n = all_totals(totals, false);
	int status;

	o.has_cutoff = one_in(3);
	o.cutoff = (n ? totals[0] : 0) + below(7) - 3;
	if (one_in(4)) /* other options than a solver's runs take */
		o.method = one_in(2) ? GPUBE_BOUND_TREE : GPUBE_BOUND_ELIMINATE;
	maybe_scarce();
	status = gpube_solve(&said, at->m, &o);
	if (failed(status)) {
		gpube_result_free(said);
		return;
	}
	if (status == GPUBE_ELIMIT && granted < 0) { /* one method, for want of memory */
		gpube_result_free(said);
		return;
	}
	if (status)
		fail_msg("status %d: %s", status, gpube_error(ctx));
	check_answer(said, false, o.has_cutoff ? &o.cutoff : NULL);
	n_solved++;
	gpube_result_free(said);
}

static void run_solver(void)
{
	struct gpube_opts o = {.has_cutoff = one_in(2)};
	struct gpube_solution *said;
	int64_t totals[CELLS];
	int n, status;

	if (!at->s) {
		solve();
		return;
	}
	n = all_totals(totals, true);
	o.cutoff = (n ? totals[0] : 0) + below(7) - 3;
	maybe_scarce();
	status = gpube_solver_run(&said, at->s, o.has_cutoff || one_in(2) ? &o : NULL);
	granted = -1;
	if (status && status != GPUBE_ENOMEM && status != GPUBE_ELIMIT)
		fail_msg("status %d: %s", status, gpube_error(ctx));
	if (!status)
		check_answer(said, true, o.has_cutoff ? &o.cutoff : NULL);
	gpube_result_free(said);
	for (int i = 0; i < MOST_VARS; i++)
		w->assumed[i] = -1;
	w->contradiction = false;
}

static void list(void)
{
	const struct gpube_opts o = {.most = 1 + below(MOST_LISTED), .order_seconds = 1e-4};
	int64_t totals[CELLS];
	const int n = all_totals(totals, false);
	struct gpube_list *l;
	int status;

	maybe_scarce();
	status = gpube_list(&l, at->m, &o);
	if (failed(status))
		return;
	if (status)
		fail_msg("status %d: %s", status, gpube_error(ctx));
	assert_int_equal(l->n, n < o.most ? n : o.most);
	assert_int_equal(l->more, n > o.most);
	for (int k = 0; k < l->n; k++) {
		int32_t values[MOST_VARS];

		for (int i = 0; i < w->n_vars; i++)
			values[i] = l->values[k * l->n_vars + w->var[i]];
		assert_true(l->costs[k] == totals[k] && total(values, false) == totals[k]);
	}
	gpube_result_free(l);
}

/* All that is allowed; where a top may forbid more it is refused. */
static void count(void)
{
	const struct gpube_opts o = {.order_seconds = 1e-4};
	int64_t totals[CELLS];
	const int n = all_totals(totals, false);
	struct gpube_solution *said;
	int status;

	maybe_scarce();
	status = gpube_count(&said, at->m, &o);
	if (failed(status))
		return;
	if (status == GPUBE_EINVAL) {
		assert_true(w->top != (maximises() ? -GPUBE_INF : GPUBE_INF));
		return;
	}
	if (status)
		fail_msg("status %d: %s", status, gpube_error(ctx));
	assert_int_equal(atoi(said->count), n);
	gpube_result_free(said);
}

/* ---- wrong arguments ------------------------------------------------------------------------- */

/* An option of other calls, or one that has no such value. */
static int wrong_option(bool by_solver, const char *text)
{
	struct gpube_solution *said = NULL;
	struct gpube_opts *o;
	int status;

	assert_int_equal(gpube_opts_new(&o, ctx), GPUBE_OK);
	status = gpube_opts_set(o, "most", text);
	if (!status)
		status = by_solver ? gpube_solver_run(&said, at->s, o)
				   : gpube_solve(&said, at->m, o);
	assert_null(said);
	gpube_opts_free(o);
	return status;
}

static int wrong_call(int which)
{
	struct gpube_model *m = at->m;
	static const int32_t beyond[] = {0, 1 << 20}, twice[] = {0, 0};
	static const int64_t costs[16];
	static const struct gpube_term none[] = {{1 << 20, -1, 1}};
	static const struct gpube_occurrences crossed[] = {{0, 2, 1}};

	switch (which) {
	case 0:
		return gpube_model_add_costs(m, 2, beyond, costs);
	case 1:
		return gpube_model_add_costs(m, 2, twice, costs);
	case 2:
		return gpube_model_add_potentials(m, 0, NULL, (double[]){1});
	case 3:
		return gpube_model_add_linear(m, 1, none, GPUBE_AT_MOST, 1, 1, 0);
	case 4:
		return gpube_model_add_gcc(m, 1, twice, 1, crossed, 1);
	case 5:
		return gpube_model_add_all_different(m, 2, beyond, 0, NULL, 1);
	case 6:
		return gpube_model_add_global(m, "salldif", 1, twice, "var 1");
	case 7:
		return gpube_model_add_tuples(m, 2, beyond, 0, 0, NULL, NULL);
	case 8:
		return gpube_model_weigh(m, 0, (double[MOST_DOMAIN]){1, 1, 1});
	case 9:
		return gpube_model_cost(NULL, m, twice);
	case 10:
		return wrong_option(false, "3");
	case 11:
		return wrong_option(false, "0");
	case 12:
		return gpube_model_lend(m, 1, beyond + 1, GPUBE_INT8, costs);
	case 13:
		return gpube_solver_change_costs(at->s, 1 << 20, costs);
	case 14:
		return gpube_solver_assume(at->s, 1, beyond + 1, twice);
	case 15:
		return wrong_option(true, "3");
	default:
		return gpube_model_set_direction(m, (enum gpube_direction)2);
	}
}

static void wrong(void)
{
	const int which = below(17), status = wrong_call(which);

	if (status != GPUBE_EINVAL)
		fail_msg("wrong call %d: %d", which, status);
	same_state(false);
}

/* ---- sequences ------------------------------------------------------------------------------- */

static void new_model(struct slot *to)
{
	int status;

	maybe_scarce();
	status = gpube_model_new(&to->m, ctx, GPUBE_COSTS);
	if (was_scarce(status)) {
		assert_null(to->m);
		return;
	}
	assert_int_equal(status, GPUBE_OK);
	to->is = (struct shadow){.top = GPUBE_INF};
}

static void end(struct slot *of)
{
	if (of->s)
		gpube_solver_free(of->s);
	else
		gpube_model_free(of->m);
	of->s = NULL;
	of->m = NULL;
}

static void sequence(void)
{
	static void (*const calls[])(void) = {add_var, add_var, name_values, add_costs, add_costs,
		add_tuples, add_linear, add_bounded, add_global, add_global, add_global, observe,
		observe, set, copy, copy, change, change, change, assume, run_solver, run_solver,
		run_solver, solve, list, count, wrong};

	n_lent = 0;
	for (int step = 0; step < STEPS; step++) {
		at = &slots[below(SLOTS)];
		w = &at->is;
		if (!at->m) {
			new_model(at);
			continue;
		}
		if (one_in(60)) {
			end(at);
			continue;
		}
		calls[below(sizeof(calls) / sizeof(*calls))]();
		same_state(false);
	}
	for (int k = 0; k < SLOTS; k++) {
		at = &slots[k];
		w = &at->is;
		if (at->m)
			same_state(true);
		end(at);
	}
}

int main(void)
{
	const int failed = run_sequences(sequence, RUNS);

	/* or the sequences have done little */
	if (!failed && !getenv("GPUBE_API_SEED") &&
		(n_by_keyword < RUNS || n_hidden < RUNS / 10 || n_solved < RUNS))
		return 1;
	return failed;
}
