/*
 * test_kinds.c - a call that has no meaning for a kind of model refuses it, makes nothing and names
 * the command that takes it.
 */
#include <string.h>

#include "csg/auction.h"
#include "gpube/options/options.h"
#include "csg/csg.h"
#include "gpube/forms/model_as.h"
#include "dcop/dcop.h"
#include "formats/beside/decomposition.h"
#include "formats/common/registry.h"
#include "formats/uai/daoopt.h"
#include "gpube/globals.h"
#include "gpube/certify.h"
#include "gpube/forms/model_as.h"
#include "gpube/ir/model.h"
#include "gpube/partial.h"
#include "gpube/sums.h"
#include "nash/nash.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/files.h"
#include "tests/support/test.h"

static struct gpube_model *m;              /* of the kind that is refused */
static void *made = (void *)(uintptr_t)16; /* what a call that fails sets to NULL, or leaves */
static int32_t values[2], order[2] = {0, 1};
static const int32_t scope[2] = {0, 1};
static const int64_t costs[4] = {0, 1, 2, 3};
static const double reals[4] = {0, 1, 2, 3};

#define OUT(type) ((struct type **)(void *)&made)

struct call {
	const char *name;
	int (*make)(void);
};

#define CALL(name, ...)                                                                            \
	static int name##_refuses(void)                                                            \
	{                                                                                          \
		return name(__VA_ARGS__);                                                          \
	}
#define CALLS(X)                                                                                   \
	X(gpube_model_add_costs, m, 2, scope, costs)                                               \
	X(gpube_model_add_potentials, m, 2, scope, reals)                                          \
	X(gpube_model_set_top, m, 5)                                                               \
	X(gpube_model_set_direction, m, GPUBE_MINIMISE)                                            \
	X(gpube_model_observe, m, 0, 1)                                                            \
	X(gpube_model_weigh, m, 0, reals)                                                          \
	X(gpube_model_complete, values, m)                                                         \
	X(gpube_model_cost, &(int64_t){0}, m, values)                                              \
	X(gpube_model_log_value, &(double){0}, m, values)                                          \
	X(gpube_model_add_tuples, m, 2, scope, 0, 0, NULL, NULL)                                   \
	X(gpube_model_add_linear, m, 0, NULL, GPUBE_AT_LEAST, 0, 1, 0)                             \
	X(gpube_model_add_gcc, m, 2, scope, 0, NULL, 1)                                            \
	X(gpube_model_add_among, m, 2, scope, 0, NULL, 0, 1, 1)                                    \
	X(gpube_model_add_regular, m, 2, scope, 1, 0, NULL, 0, NULL, 0, NULL)                      \
	X(gpube_model_add_all_different, m, 2, scope, 0, NULL, GPUBE_INF)                          \
	X(gpube_model_add_global, m, "salldiff", 2, scope, "var 1")                                \
	X(gpube_solve, OUT(gpube_solution), m, NULL)                                               \
	X(gpube_plan, OUT(gpube_solution), m, NULL)                                                \
	X(gpube_count, OUT(gpube_solution), m, NULL)                                               \
	X(gpube_bound, OUT(gpube_solution), m, NULL)                                               \
	X(gpube_reparam, OUT(gpube_solution), &(struct gpube_model *){NULL}, m, NULL)              \
	X(gpube_list, OUT(gpube_list), m, NULL)                                                    \
	X(gpube_heuristic_new, OUT(gpube_heuristic), m, NULL)                                      \
	X(gpube_infer, OUT(gpube_inference), m, NULL)                                              \
	X(gpube_infer_compile, OUT(gpube_compiled), m, NULL)                                       \
	X(gpube_mmap, OUT(gpube_mmap), m, NULL)                                                    \
	X(gpube_certify, &(struct gpube_certified){0}, NULL, m, in_dir("proof"), NULL)             \
	X(gpube_verify, &(struct gpube_certified){0}, m, in_dir("proof"))                          \
	X(gpube_read_order, order, m, "examples/zebra.order")                                      \
	X(gpube_write_order, m, in_dir("x.order"), order)                                          \
	X(gpube_read_solution, values, m, "examples/zebra.sol")                                    \
	X(gpube_write_solution, m, in_dir("x.sol"), values)                                        \
	X(gpube__read_ub, &(int64_t){0}, m, "examples/zebra.ub")                                   \
	X(gpube__write_ub, m, in_dir("x.ub"), 3)                                                   \
	X(gpube__read_decomposition, OUT(gpube_decomposition), m, "examples/zebra.cov")            \
	X(gpube__write_decomposition, m, in_dir("x.cov"), &(struct gpube_decomposition){0})        \
	X(gpube_order_of_decomposition, order, m, &(struct gpube_decomposition){0})                \
	X(gpube_decomposition_of_order, OUT(gpube_decomposition), m, order)                        \
	X(gpube__write_daoopt_order, m, in_dir("x.ord"), order)                                    \
	X(gpube__write_minibuckets, m, in_dir("x.mb"), &(struct gpube_minibuckets){0})             \
	X(dcop_agents_each, &(struct dcop_agents){0}, m)                                           \
	X(dcop_agents_of, &(struct dcop_agents){0}, m)                                             \
	X(dcop_agents_read, &(struct dcop_agents){0}, m, "examples/zebra.wcsp")                    \
	X(gpube_dpop, OUT(gpube_dpop_result), m, NULL)                                             \
	X(gpube__game_of_costs, OUT(gpube_model), m)                                               \
	X(gpube__coalitions_of_costs, OUT(gpube_model), m)                                         \
	X(gpube__auction_of_costs, OUT(gpube_model), m)

CALLS(CALL)

#define ROW(name, ...) {#name, name##_refuses},
static const struct call calls[] = {CALLS(ROW)};

struct refusal {
	const struct call *call;
	enum gpube_kind kind;
	const char *words;
};

static void refuses(void **state)
{
	const struct refusal *r = *state;

	assert_int_equal(gpube_model_new(&m, ctx, r->kind), GPUBE_OK);
	for (int k = 0; k < 2; k++)
		assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), GPUBE_OK);
	made = NULL;
	assert_int_equal(r->call->make(), GPUBE_EINVAL);
	assert_null(made);
	if (!strstr(gpube_error(ctx), r->words))
		fail_msg("'%s' does not name '%s'", gpube_error(ctx), r->words);
	gpube_model_free(m);
}

static void agents_have_two_values(void **state)
{
	(void)state;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COALITIONS), GPUBE_OK);
	assert_int_equal(gpube_model_add_var(m, NULL, 3, NULL), GPUBE_EINVAL);
	assert_int_equal(gpube_model_n_vars(m), 0);
	assert_int_equal(gpube_model_info(m)->direction, GPUBE_MAXIMISE);
	gpube_model_free(m);
}

/* ---- who frees a table ----------------------------------------------------------------------- */

static int n_released;

static void release(struct gpube_table *t, struct gpube_ctx *of)
{
	(void)of;
	assert_non_null(t->values);
	n_released++;
}

/* A table that is no memory of the model's is given back once, by its owner. */
static void owners_release(void **state)
{
	static int16_t kept[4];
	static struct gpube_table_owner owner = {.release = release};
	const struct gpube_table t = {
		.type = GPUBE_INT16, .arity = 2, .n = 4, .values = kept, .owner = &owner};
	struct gpube__model_mark mark;
	int32_t table;

	(void)state;
	n_released = 0;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), GPUBE_OK);
	for (int k = 0; k < 2; k++)
		assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), GPUBE_OK);
	mark = gpube__model_mark(m);
	assert_int_equal(gpube__add_table(m, &table, &t), GPUBE_OK);
	gpube__model_truncate(m, mark);
	assert_int_equal(n_released, 1);
	assert_int_equal(gpube__add_table(m, &table, &t), GPUBE_OK);
	assert_int_equal(gpube__add_function(m, 2, scope, table, NULL), GPUBE_OK);
	gpube_model_free(m);
	assert_int_equal(n_released, 2);
}

int main(void)
{
	static struct cases cases;
	static struct refusal rows[2 * sizeof(calls) / sizeof(*calls)];
	size_t n = 0;

	for (size_t k = 0; k < sizeof(calls) / sizeof(*calls); k++) {
		rows[n] = (struct refusal){&calls[k], GPUBE_GAME, "a game: gpube nash"};
		add_case(&cases, refuses, &rows[n], "%s of a game", calls[k].name);
		n++;
		rows[n] = (struct refusal){
			&calls[k], GPUBE_COALITIONS, "a coalition game: gpube csg"};
		add_case(&cases, refuses, &rows[n], "%s of a coalition game", calls[k].name);
		n++;
	}
	ADD_CASE(&cases, agents_have_two_values);
	ADD_CASE(&cases, owners_release);
	return run_cases(&cases, "kinds of models", ctx_dir_setup, ctx_dir_teardown);
}
