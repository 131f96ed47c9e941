/*
 * Every exported function while memory runs out: its allocations fail one after the other, in runs
 * of their own. A failure is GPUBE_ENOMEM, nothing leaks, and a call that fails gives nothing. What
 * says that it takes no memory takes none.
 */
#define _POSIX_C_SOURCE 200809L
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include <string.h>

#include "csg/auction.h"
#include "csg/csg.h"
#include "formats/formats.h"
#include "gpube/certify.h"
#include "gpube/dpop.h"
#include "gpube/forms.h"
#include "gpube/globals.h"
#include "gpube/partial.h"
#include "gpube/solver.h"
#include "gpube/sums.h"
#include "nash/nash.h"
#include "tests/api/scarce_models.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/files.h"
#include "tests/support/memory.h"

enum { MOST_ROWS = 256 };

/* ---- the functions --------------------------------------------------------------------------- */

/* A function of its name, that is called in work_NAME(). */
struct row {
	const char *name;
	scarce_model make;
	scarce_work work;
	enum { NEEDS_ALL, GOES_ON_WITHOUT, TAKES_NO_MEMORY } how;
};

static struct row table[MOST_ROWS];
static int n_rows;

static void row(const char *name, scarce_model make, scarce_work work, int how)
{
	assert_true(n_rows < MOST_ROWS);
	table[n_rows++] = (struct row){name, make, work, how};
}

/* All that the call takes it must have. */
#define NEEDS(function, make) row(#function, make, work_##function, NEEDS_ALL)
/* It goes on with less, in another way. */
#define GOES_ON(function, make) row(#function, make, work_##function, GOES_ON_WITHOUT)

/* ---- context and options --------------------------------------------------------------------- */

static void *scarce_realloc(void *arg, void *p, size_t size)
{
	long *left = arg;

	if (size == 0) {
		free(p);
		return NULL;
	}
	return (*left)-- == 0 ? NULL : realloc(p, size);
}

/* A context, whose own memory the others' rows do not count. */
static void contexts(void **state)
{
	int status = GPUBE_ENOMEM;

	(void)state;
	for (long k = 0; status; k++) {
		long left = k;
		struct gpube_opts *o = NULL;
		struct gpube_ctx *c = NULL;

		assert_int_equal(gpube_opts_new(&o, NULL), 0);
		assert_int_equal(gpube_opts_set_realloc(o, scarce_realloc, &left), 0);
		assert_int_equal(gpube_opts_set_int(o, "threads", 2), 0);
		status = gpube_ctx_new(&c, o);
		if (status) {
			assert_int_equal(status, GPUBE_ENOMEM);
			assert_null(c);
		}
		gpube_ctx_free(c);
		gpube_opts_free(o);
	}
}

static int set_all(struct gpube_opts *o)
{
	int status = gpube_opts_set(o, "timeout", "5s");

	if (!status)
		status = gpube_opts_set(o, "checkpoint", "a file that is never written");
	if (!status)
		status = gpube_opts_set_int(o, "seed", 3);
	if (!status)
		status = gpube_opts_set_real(o, "order_time", 0.5);
	if (!status)
		status = gpube_opts_set_numbers(o, "order", 4, (int32_t[]){3, 2, 1, 0});
	if (!status)
		status = gpube_opts_set_numbers(o, "order", 2, (int32_t[]){1, 0});
	if (!status)
		status = gpube_opts_set_progress(o, NULL, NULL);
	if (!status)
		status = gpube_opts_set_logger(o, NULL, NULL);
	if (!status)
		status = gpube_opts_set_log(o, NULL, NULL);
	if (!status)
		status = gpube_opts_set_give(o, NULL, NULL);
	return status;
}

WORK(gpube_opts_new)
{
	struct gpube_opts *o = NULL;
	char text[64];
	int status = gpube_opts_new(&o, c);

	(void)m;
	(void)arg;
	if (status) {
		assert_null(o);
		return status;
	}
	status = set_all(o);
	if (!status)
		assert_true(gpube_opts_get(text, sizeof(text), o, "seed") == 1);
	assert_non_null(gpube_opts_error(o));
	gpube_opts_free(o);
	return status;
}

/* ---- what takes no memory -------------------------------------------------------------------- */

static int work_none(struct gpube_ctx *c, struct gpube_model *m, const void *arg)
{
	const bool game_of = gpube_model_info(m)->kind == GPUBE_GAME,
		   costs_of = gpube_model_info(m)->kind == GPUBE_COSTS,
		   sums_of = gpube_model_info(m)->kind == GPUBE_POTENTIALS;
	int32_t values[64] = {0};
	const int32_t *scope;
	int64_t cells[81];
	double reals[81];

	(void)arg;
	assert_int_equal(gpube_version_number(), GPUBE_VERSION_NUMBER);
	assert_string_equal(gpube_version(), GPUBE_VERSION);
	assert_non_null(gpube_error(c));
	assert_non_null(gpube_option(0, NULL));
	(void)gpube_nash_exact();
	gpube_ctx_stop(c);
	gpube_ctx_resume(c);
	assert_int_equal(gpube_model_n_vars(m), gpube_model_info(m)->n_vars);
	assert_true(gpube_model_domain(m, 0) > 1);
	assert_int_equal(gpube_model_observed(m, 0), -1);
	assert_int_equal(gpube_model_is_hidden(m, 0), 0);
	(void)gpube_model_var_name(m, 0);
	(void)gpube_model_value_name(m, 1, 0);
	assert_true(gpube_model_scope(&scope, m, 0) > 0);
	assert_true(gpube_model_cells(m, 0) > 1);
	assert_int_equal(gpube_auction_bids(m) > 0, gpube_auction_bid_number(m, 0) >= 0);
	(void)gpube_coalitions_type(m);
	(void)gpube_coalitions_values(m);
	if (gpube_model_info(m)->kind == GPUBE_COALITIONS && !gpube_auction_bids(m))
		assert_true(gpube_coalitions_value(m, 0) == 0);
	if (game_of)
		assert_int_equal(gpube_model_payoff(cells, cells + 1, m, 0, values), 0);
	if (costs_of || sums_of)
		assert_int_equal(gpube_model_complete(values, m), 0);
	if (costs_of)
		assert_int_equal(gpube_model_cost(cells, m, values), 0);
	if (costs_of && gpube_model_cells(m, 0) <= 81)
		assert_int_equal(gpube_model_costs(cells, m, 0), 0);
	if (sums_of) {
		assert_int_equal(gpube_model_log_value(reals, m, values), 0);
		assert_int_equal(gpube_model_potentials(reals, m, 0), 0);
	}
	if (costs_of) {
		assert_int_equal(gpube_model_set_direction(m, GPUBE_MAXIMISE), 0);
		assert_int_equal(gpube_model_set_top(m, -GPUBE_INF), 0);
		assert_int_equal(gpube_model_set_scale(m, 2), 0);
	}
	return GPUBE_OK;
}

/* ---- models ---------------------------------------------------------------------------------- */

MODEL(gpube_model_new, c, GPUBE_COSTS)
CHANGE(gpube_model_add_var, NULL, 3, "name")
CHANGE(gpube_model_name_values, 0, (const char *[]){"a", "b", "c"})
CHANGE(gpube_model_add_costs, 2, (int32_t[]){0, 1}, (int64_t[9]){1, 2, 3})
CHANGE(gpube_model_add_potentials, 2, (int32_t[]){0, 1}, (double[9]){1, 2, 3})
CHANGE(gpube_model_lend, 1, (int32_t[]){1}, GPUBE_INT64, rows)
CHANGE(gpube_model_weigh, 1, (double[]){1, 0, 2})
CHANGE(gpube_model_observe, 1, 1)
CHANGE(gpube_model_add_payoffs, rows, (int64_t[]){1, 2, 3, 4, 5, 6})
CHANGE(gpube_model_add_tuples, 3, (int32_t[]){0, 1, 2}, 5, 1, (int32_t[]){0, 1, 2}, rows)
CHANGE(gpube_model_add_linear, 2, (struct gpube_term[]){{0, -1, 2}, {1, 1, 3}}, GPUBE_AT_MOST, 2, 9,
	1)
CHANGE(gpube_model_add_all_different, 3, (int32_t[]){0, 1, 2}, 0, NULL, 4)
CHANGE(gpube_model_add_gcc, 3, (int32_t[]){0, 1, 2}, 1, (struct gpube_occurrences[]){{0, 1, 2}}, 4)
CHANGE(gpube_model_add_among, 3, (int32_t[]){0, 1, 2}, 1, (int32_t[]){0}, 1, 2, 4)
CHANGE(gpube_model_add_regular, 3, (int32_t[]){0, 1, 2}, 1, 1, (struct gpube_state[]){{0, 0}}, 1,
	(struct gpube_state[]){{0, 0}}, 1, (struct gpube_transition[]){{0, 1, 0, 0}})
CHANGE(gpube_model_add_global, "wsum", 4, (int32_t[]){0, 1, 2, 3}, "lin 2 == 4")

WORK(gpube_model_add_bounded)
{
	struct gpube_model *inner = NULL;
	int status = gpube_model_new(&inner, c, GPUBE_COSTS);

	(void)arg;
	for (int i = 0; i < 2 && !status; i++)
		status = gpube_model_add_var(inner, NULL, 3, NULL);
	if (!status)
		status = gpube_model_add_costs(inner, 2, (int32_t[]){0, 1}, (int64_t[9]){0, 9, 2});
	if (!status)
		status = gpube_model_add_bounded(m, 2, (int32_t[]){0, 1}, inner, 0, 5);
	gpube_model_free(inner);
	return status;
}

WORK(gpube_coalitions_new)
{
	struct gpube_model *r = NULL;
	const int status = gpube_coalitions_new(&r, c, 5, GPUBE_INT32);

	(void)arg;
	if (!status)
		assert_non_null(gpube_coalitions_values(r));
	gpube_model_free(r);
	(void)m;
	return status;
}

MODEL(gpube_coalitions_new_listed, c, 24, GPUBE_INT64, 2, (uint64_t[]){3, 12}, rows)
MODEL(gpube_coalitions_generate, c, &(struct gpube_opts){.n_agents = 6, .coalition_type = 1})
MODEL(gpube_auction_new, c, 3, 1, 2, (int64_t[]){0, 1, 3}, (int32_t[]){0, 1, 3}, rows)
MODEL(gpube_auction_generate, c, &(struct gpube_opts){.goods = 8, .bids = 12, .seed = 1})
MODEL(gpube_nash_generate, c, &(struct gpube_opts){.rows = 3, .columns = 3, .seed = 1})
MODEL(gpube_model_as, m, GPUBE_FORM_COSTS, NULL)

/* ---- answers --------------------------------------------------------------------------------- */

/* Where one allocation has failed and the rest proves nothing, there is what is known: ELIMIT. */
static int want_of_memory(int status, const struct gpube_solution *r)
{
	if (status != GPUBE_ELIMIT)
		return status;
	assert_true(r && r->answer == GPUBE_ANSWER_INCOMPLETE);
	return GPUBE_ENOMEM;
}

WORK(gpube_solve)
{
	struct gpube_solution *r = NULL;
	int status = gpube_solve(&r, m, NULL);

	(void)c;
	(void)arg;
	status = want_of_memory(status, r);
	gpube_result_free(r);
	return status;
}

RESULT(gpube_solution, gpube_bound, m, NULL)
RESULT(gpube_solution, gpube_plan, m, NULL)
RESULT(gpube_solution, gpube_count, m, NULL)
RESULT(gpube_list, gpube_list, m, NULL)
RESULT(gpube_dpop_result, gpube_dpop, m, NULL)
RESULT(gpube_inference, gpube_infer, m, NULL)
RESULT(gpube_csg_result, gpube_csg, m, NULL)
RESULT(gpube_auction_result, gpube_auction, m, NULL)
RESULT(gpube_nash_result, gpube_nash, m, NULL)
RESULT(gpube_nash_pure, gpube_nash_pure, m)
RESULT(gpube_mmap, gpube_mmap, m,
	&(struct gpube_opts){
		.query = (int32_t[]){0, 2}, .n_query = 2, .backend = GPUBE_BACKEND_CPU})

WORK(gpube_nash_components)
{
	struct gpube_nash_components *r = NULL;
	struct gpube_nash_result *found = NULL;
	int status = gpube_nash(&found, m, NULL);

	(void)arg;
	if (!status)
		status = gpube_nash_components(&r, c, found, NULL);
	gpube_result_free(r);
	gpube_result_free(found);
	return status;
}

WORK(gpube_reparam)
{
	struct gpube_solution *bounds = NULL;
	struct gpube_model *other = NULL;
	const int status = gpube_reparam(&bounds, &other, m, NULL);

	(void)c;
	(void)arg;
	if (status) {
		assert_null(bounds);
		assert_null(other);
	}
	gpube_result_free(bounds);
	gpube_model_free(other);
	return status;
}

WORK(gpube_heuristic_new)
{
	struct gpube_heuristic *h = NULL;
	struct gpube_heuristic_table t;
	struct gpube_path *p = NULL;
	int64_t cells[729], bounds[3];
	int status = gpube_heuristic_new(&h, m, NULL);

	(void)c;
	(void)arg;
	if (!status)
		status = gpube_path_new(&p, h);
	if (!status) {
		gpube_heuristic_table(&t, h, 0);
		if (t.cells <= 729)
			gpube_heuristic_cells(cells, h, 0);
		gpube_path_bounds(p, bounds);
		assert_true(gpube_path_push(p, 0) == bounds[0]);
		assert_true(gpube_path_bound(p) == bounds[0]);
		assert_true(gpube_path_next(p) >= 0);
		(void)gpube_heuristic_bound(h, gpube_path_values(p), 1);
		assert_true(gpube_heuristic_info(h)->n_tables > 0);
		gpube_path_pop(p);
	}
	gpube_path_free(p);
	gpube_heuristic_free(h);
	return status;
}

WORK(gpube_infer_compile)
{
	struct gpube_compiled *q = NULL;
	struct gpube_inference *r = NULL;
	double log10_z[2];
	int status = gpube_infer_compile(
		&q, m, &(struct gpube_opts){.task = GPUBE_INFER_MAR, .n_threads = 0});

	(void)c;
	(void)arg;
	if (!status)
		status = gpube_infer_observe(q, 1, 2);
	if (!status)
		status = gpube_infer_weigh(q, 2, (double[]){1, 2, 0});
	if (!status)
		status = gpube_infer_query(&r, q);
	if (!status)
		status = gpube_infer_rows(log10_z, q, 2, (int32_t[]){0, -1, -1, -1, -1, -1, 1, 2});
	gpube_result_free(r);
	gpube_compiled_free(q);
	return status;
}

WORK(gpube_solver_new)
{
	struct gpube_solver *s = NULL;
	struct gpube_solution *r = NULL;
	int64_t cells[9] = {4, 3, 2, 1, 0, 1, 2, 3, 4};
	int status = gpube_solver_new(&s, c, m, NULL);

	(void)arg;
	for (int k = 0; k < 3 && !status; k++) {
		if (k == 1)
			status = gpube_solver_change_costs(s, 1, cells);
		if (k == 1 && !status)
			status = gpube_solver_change_cost(s, 0, (int32_t[]){0, 0}, 40000);
		if (k == 2)
			status = gpube_solver_assume(s, 1, (int32_t[]){2}, (int32_t[]){1});
		if (k == 2 && !status)
			status = gpube_model_observe(gpube_solver_model(s), 0, 1);
		if (!status)
			status = gpube_solver_run(&r, s, NULL);
		status = want_of_memory(status, r);
		gpube_result_free(r);
		r = NULL;
	}
	gpube_solver_free(s);
	return status;
}

WORK(gpube_solver_change_potentials)
{
	struct gpube_solver *s = NULL;
	int status = gpube_solver_new(&s, c, m, NULL);

	(void)arg;
	if (!status)
		status = gpube_solver_change_potentials(s, 1, (double[9]){1, 2, 1, 2, 1, 2, 1});
	gpube_solver_free(s);
	return status;
}

/* ---- files ----------------------------------------------------------------------------------- */

static const int32_t order_of_4[4] = {2, 0, 1, 3};

WORK(gpube_certify)
{
	struct gpube_certified proved;
	struct gpube_solution *bounds = NULL;
	const int status = gpube_certify(&proved, &bounds, m, in_dir("scarce.cert"), NULL);

	(void)c;
	(void)arg;
	gpube_result_free(bounds);
	return status;
}

WORK(gpube_verify)
{
	struct gpube_certified proved;

	(void)c;
	(void)arg;
	return gpube_verify(&proved, m, in_dir("m.cert"));
}

RESULT(gpube_csg_result, gpube_csg_verify, m, in_dir("c.proof"))
MODEL(gpube_read, c, in_dir("m.cfn"), NULL)

WORK(gpube_write)
{
	(void)c;
	(void)arg;
	return gpube_write(m, in_dir("scarce.cfn.gz"), NULL, NULL);
}

WORK(gpube_write_order)
{
	(void)c;
	(void)arg;
	return gpube_write_order(m, in_dir("scarce.cov"), order_of_4);
}

WORK(gpube_read_order)
{
	int32_t order[4];

	(void)c;
	(void)arg;
	return gpube_read_order(order, m, in_dir("m.order"));
}

WORK(gpube_write_solution)
{
	(void)c;
	(void)arg;
	return gpube_write_solution(m, in_dir("scarce.sol"), (int32_t[4]){0});
}

WORK(gpube_read_solution)
{
	int32_t values[4];

	(void)c;
	(void)arg;
	return gpube_read_solution(values, m, in_dir("m.sol"));
}

WORK(gpube_decomposition_of_order)
{
	struct gpube_decomposition *d = NULL;
	int32_t order[4];
	int status = gpube_decomposition_of_order(&d, m, order_of_4);

	(void)c;
	(void)arg;
	if (!status)
		status = gpube_order_of_decomposition(order, m, d);
	gpube_result_free(d);
	return status;
}

RESULT(gpube_uai_result, gpube_read_uai_result, c, in_dir("m.uai.PR"))

WORK(gpube_write_uai_result)
{
	(void)m;
	(void)arg;
	return gpube_write_uai_result(c, in_dir("scarce.PR"),
		&(struct gpube_uai_result){.task = GPUBE_UAI_PR, .log10_value = -2});
}

/* What the rows above read, written with all memory. */
static int write_files(void **state)
{
	char to[512];
	const struct gpube_opts proof = {.certificate = to};
	struct gpube_csg_result *structure;
	struct gpube_certified proved;
	struct gpube_model *m, *c;

	if (ctx_dir_setup(state))
		return -1;
	snprintf(to, sizeof(to), "%s", in_dir("c.proof"));
	m = costs(ctx, NULL);
	c = coalitions(ctx, NULL);
	assert_int_equal(gpube_certify(&proved, NULL, m, in_dir("m.cert"), NULL), 0);
	assert_int_equal(gpube_write(m, in_dir("m.cfn"), NULL, NULL), 0);
	assert_int_equal(gpube_write_order(m, in_dir("m.order"), order_of_4), 0);
	assert_int_equal(gpube_write_solution(m, in_dir("m.sol"), (int32_t[4]){1, 2}), 0);
	assert_int_equal(gpube_write_uai_result(ctx, in_dir("m.uai.PR"),
				 &(struct gpube_uai_result){.log10_value = -3}),
		0);
	assert_int_equal(gpube_csg(&structure, c, &proof), 0);
	assert_int_equal(structure->certificate_status, 0);
	gpube_result_free(structure);
	gpube_model_free(m);
	gpube_model_free(c);
	return 0;
}

/* ---- the table ------------------------------------------------------------------------------- */

static void fill_table(void)
{
	static const char *const without[] = {"gpube_version", "gpube_version_number",
		"gpube_error", "gpube_option", "gpube_nash_exact", "gpube_ctx_stop",
		"gpube_ctx_resume", "gpube_model_info", "gpube_model_n_vars", "gpube_model_domain",
		"gpube_model_observed", "gpube_model_is_hidden", "gpube_model_var_name",
		"gpube_model_value_name", "gpube_model_scope", "gpube_model_cells",
		"gpube_auction_bids", "gpube_auction_bid_number", "gpube_coalitions_type",
		"gpube_coalitions_values", "gpube_coalitions_value", "gpube_model_payoff",
		"gpube_model_cost", "gpube_model_log_value", "gpube_model_complete",
		"gpube_model_costs", "gpube_model_potentials", "gpube_model_set_direction",
		"gpube_model_set_top", "gpube_model_set_scale"};
	static const char *const of_opts[] = {"gpube_opts_free", "gpube_opts_error",
		"gpube_opts_get", "gpube_opts_set", "gpube_opts_set_int", "gpube_opts_set_real",
		"gpube_opts_set_numbers", "gpube_opts_set_progress", "gpube_opts_set_logger",
		"gpube_opts_set_log", "gpube_opts_set_give"};
	static const char *const of_bounds[] = {"gpube_heuristic_free", "gpube_heuristic_info",
		"gpube_heuristic_bound", "gpube_heuristic_table", "gpube_heuristic_cells",
		"gpube_path_new", "gpube_path_free", "gpube_path_next", "gpube_path_bound",
		"gpube_path_bounds", "gpube_path_push", "gpube_path_pop", "gpube_path_values"};
	static const char *const of_compiled[] = {"gpube_infer_observe", "gpube_infer_weigh",
		"gpube_infer_query", "gpube_infer_rows", "gpube_compiled_free"};
	static const char *const of_solver[] = {"gpube_solver_free", "gpube_solver_model",
		"gpube_solver_change_cost", "gpube_solver_change_costs", "gpube_solver_assume",
		"gpube_solver_run"};
	static const scarce_model kinds[] = {costs, chain, potentials, game, coalitions, bids};

	for (size_t k = 0; k < sizeof(without) / sizeof(*without); k++)
		for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds) && (i == 0 || k == 0); i++)
			row(without[k], kinds[i], work_none, TAKES_NO_MEMORY);
#define WITH(names, work)                                                                          \
	for (size_t k = 0; k < sizeof(names) / sizeof(*(names)); k++)                              \
	row((names)[k], NULL, NULL, NEEDS_ALL) /* in the row of 'work' */
	WITH(of_opts, gpube_opts_new);
	WITH(of_bounds, gpube_heuristic_new);
	WITH(of_compiled, gpube_infer_compile);
	WITH(of_solver, gpube_solver_new);
#undef WITH
	NEEDS(gpube_opts_new, NULL);
	NEEDS(gpube_model_new, NULL);
	NEEDS(gpube_model_add_var, costs);
	NEEDS(gpube_model_name_values, costs);
	NEEDS(gpube_model_add_costs, variables);
	NEEDS(gpube_model_add_potentials, potentials);
	NEEDS(gpube_model_weigh, potentials);
	NEEDS(gpube_model_observe, costs);
	NEEDS(gpube_model_add_payoffs, players);
	NEEDS(gpube_model_lend, variables);
	NEEDS(gpube_model_add_tuples, variables);
	NEEDS(gpube_model_add_linear, variables);
	NEEDS(gpube_model_add_all_different, variables);
	NEEDS(gpube_model_add_gcc, variables);
	NEEDS(gpube_model_add_among, variables);
	NEEDS(gpube_model_add_regular, variables);
	NEEDS(gpube_model_add_global, variables);
	NEEDS(gpube_model_add_bounded, variables);
	NEEDS(gpube_coalitions_new, NULL);
	NEEDS(gpube_coalitions_new_listed, NULL);
	NEEDS(gpube_coalitions_generate, NULL);
	NEEDS(gpube_auction_new, NULL);
	NEEDS(gpube_auction_generate, NULL);
	NEEDS(gpube_nash_generate, NULL);
	NEEDS(gpube_model_as, game);
	GOES_ON(gpube_solve, costs);
	GOES_ON(gpube_bound, costs);
	GOES_ON(gpube_plan, costs);
	GOES_ON(gpube_count, costs);
	GOES_ON(gpube_list, costs);
	GOES_ON(gpube_dpop, costs);
	GOES_ON(gpube_infer, potentials);
	GOES_ON(gpube_mmap, potentials);
	GOES_ON(gpube_csg, coalitions);
	GOES_ON(gpube_auction, bids);
	if (gpube_nash_exact()) {
		GOES_ON(gpube_nash, game);
		GOES_ON(gpube_nash_components, game);
	}
	GOES_ON(gpube_nash_pure, game);
	GOES_ON(gpube_reparam, costs);
	GOES_ON(gpube_heuristic_new, costs);
	GOES_ON(gpube_infer_compile, potentials);
	GOES_ON(gpube_solver_new, costs);
	GOES_ON(gpube_solver_change_potentials, potentials);
	GOES_ON(gpube_certify, costs);
	GOES_ON(gpube_verify, costs);
	GOES_ON(gpube_csg_verify, coalitions);
	GOES_ON(gpube_read, NULL);
	GOES_ON(gpube_write, costs);
	GOES_ON(gpube_write_order, costs);
	GOES_ON(gpube_read_order, costs);
	GOES_ON(gpube_write_solution, costs);
	GOES_ON(gpube_read_solution, costs);
	GOES_ON(gpube_decomposition_of_order, costs);
	GOES_ON(gpube_read_uai_result, NULL);
	GOES_ON(gpube_write_uai_result, NULL);
}

static int one_thread(struct gpube_ctx *c, struct gpube_model *m, const void *arg)
{
	const struct row *r = arg;

	c->n_threads = 1;
	c->memory_bytes = 1 << 26;
	return r->work(c, m, NULL);
}

static void runs_out(void **state)
{
	const struct row *r = *state;
	const long n = r->how == GOES_ON_WITHOUT ? fail_in_turn(one_thread, r->make, r, 0)
						 : fail_each_allocation(one_thread, r->make, r, 0);

	assert_true((n == 0) == (r->how == TAKES_NO_MEMORY));
}

/* Every exported function is in the table, and nothing else. */
static void all_are_there(void **state)
{
	static const char *const others[] = {"gpube_ctx_new", "gpube_ctx_free",
		"gpube_opts_set_realloc", "gpube_model_free", "gpube_result_free",
		"gpube_order_of_decomposition"};
	size_t length;
	char *text = test_get("tests/api/exported.txt", &length), *at = text, *rest = NULL;
	int n = 0;

	(void)state;
	assert_non_null(text);
	for (at = strtok_r(text, "\n", &rest); at; at = strtok_r(NULL, "\n", &rest), n++) {
		bool found = strncmp(at, "gpube_nash", 10) == 0 && !gpube_nash_exact();

		for (int k = 0; k < n_rows; k++)
			found |= strcmp(table[k].name, at) == 0;
		for (size_t k = 0; k < sizeof(others) / sizeof(*others); k++)
			found |= strcmp(others[k], at) == 0;
		if (!found)
			fail_msg("%s is not tried without memory", at);
	}
	assert_true(n > 100);
	free(text);
}

int main(void)
{
	struct cases c = {0};

	fill_table();
	ADD_CASE(&c, all_are_there);
	ADD_CASE(&c, contexts);
	for (int k = 0; k < n_rows; k++)
		if (table[k].work)
			add_case(&c, runs_out, &table[k], "%s", table[k].name);
	return run_cases(&c, "memory", write_files, ctx_dir_teardown);
}
