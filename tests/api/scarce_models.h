/*
 * scarce_models.h - a small model of each kind, made with all memory, on which calls are then made
 * without: see tests/support/memory.h. And macros for such calls.
 */
#ifndef GPUBE_TEST_SCARCE_MODELS_H
#define GPUBE_TEST_SCARCE_MODELS_H

#include "csg/auction.h"
#include "csg/csg.h"
#include "gpube/globals.h"
#include "gpube/ir/model.h"
#include "gpube/options/options.h"
#include "tests/support/test.h"

static inline struct gpube_model *made(struct gpube_model *m, int status)
{
	assert_int_equal(status, GPUBE_OK);
	assert_non_null(m);
	m->ctx->n_threads = 1;
	m->ctx->memory_bytes = 1 << 26;
	return m;
}

/* Four variables of three values; every pair has costs. */
static inline struct gpube_model *costs(struct gpube_ctx *c, const void *arg)
{
	struct gpube_model *m;

	(void)arg;
	assert_int_equal(gpube_model_new(&m, c, GPUBE_COSTS), 0);
	for (int i = 0; i < 4; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, 3, i ? NULL : "first"), 0);
	for (int32_t i = 0; i < 4; i++)
		for (int32_t j = 0; j < i; j++) {
			int64_t cells[9];

			for (int k = 0; k < 9; k++)
				cells[k] = (5 * i + 3 * j + 7 * k) % 11;
			assert_int_equal(gpube_model_add_costs(m, 2, (int32_t[]){i, j}, cells), 0);
		}
	return made(m, 0);
}

/* Four variables of three values, and no function yet. */
static inline struct gpube_model *variables(struct gpube_ctx *c, const void *arg)
{
	struct gpube_model *m;

	(void)arg;
	assert_int_equal(gpube_model_new(&m, c, GPUBE_COSTS), 0);
	for (int i = 0; i < 4; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, 3, NULL), 0);
	return made(m, 0);
}

/* A wide function: a chain with hidden variables. */
static inline struct gpube_model *chain(struct gpube_ctx *c, const void *arg)
{
	struct gpube_model *m;
	int32_t scope[10];

	(void)arg;
	assert_int_equal(gpube_model_new(&m, c, GPUBE_COSTS), 0);
	for (int i = 0; i < 10; i++)
		assert_int_equal(gpube_model_add_var(m, &scope[i], 6, NULL), 0);
	assert_int_equal(
		gpube_model_add_among(m, 10, scope, 2, (int32_t[]){1, 2}, 3, 5, GPUBE_INF), 0);
	assert_true(gpube_model_info(m)->n_hidden > 0);
	return made(m, 0);
}

static inline struct gpube_model *potentials(struct gpube_ctx *c, const void *arg)
{
	struct gpube_model *m;

	(void)arg;
	assert_int_equal(gpube_model_new(&m, c, GPUBE_POTENTIALS), 0);
	for (int i = 0; i < 4; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, 3, NULL), 0);
	for (int32_t i = 1; i < 4; i++) {
		double cells[9];

		for (int k = 0; k < 9; k++)
			cells[k] = 1 + (3 * i + 5 * k) % 7;
		assert_int_equal(gpube_model_add_potentials(m, 2, (int32_t[]){i - 1, i}, cells), 0);
	}
	return made(m, 0);
}

static const int64_t rows[6] = {3, 0, 5, 2, 4, 1}, columns[6] = {0, 3, 1, 4, 2, 5};

static inline struct gpube_model *players(struct gpube_ctx *c, const void *arg)
{
	struct gpube_model *m;

	(void)arg;
	assert_int_equal(gpube_model_new(&m, c, GPUBE_GAME), 0);
	for (int i = 0; i < 2; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, 2 + i, NULL), 0);
	return made(m, 0);
}

static inline struct gpube_model *game(struct gpube_ctx *c, const void *arg)
{
	struct gpube_model *m = players(c, arg);

	assert_int_equal(gpube_model_add_payoffs(m, rows, NULL), 0);
	assert_int_equal(gpube_model_add_payoffs(m, columns, NULL), 0);
	return m;
}

static inline struct gpube_model *coalitions(struct gpube_ctx *c, const void *arg)
{
	struct gpube_model *m = NULL;

	(void)arg;
	return made(m, gpube_coalitions_generate(
			       &m, c, &(struct gpube_opts){.n_agents = 8, .coalition_type = 1}))
		       ? m
		       : NULL;
}

static inline struct gpube_model *bids(struct gpube_ctx *c, const void *arg)
{
	struct gpube_model *m = NULL;
	int status = gpube_auction_generate(
		&m, c, &(struct gpube_opts){.goods = 8, .bids = 20, .seed = 3});

	(void)arg;
	return made(m, status);
}

/* ---- calls on them: work_NAME() calls the function of that name ----------------------------- */

#define WORK(function)                                                                             \
	static int work_##function(struct gpube_ctx *c, struct gpube_model *m, const void *arg)

/* One call that makes a result, which is freed. */
#define RESULT(type, function, ...)                                                                \
	WORK(function)                                                                             \
	{                                                                                          \
		struct type *r = NULL;                                                             \
		const int status = function(&r, __VA_ARGS__);                                      \
                                                                                                   \
		(void)c;                                                                           \
		(void)m;                                                                           \
		(void)arg;                                                                         \
		if (status == GPUBE_ENOMEM)                                                        \
			assert_null(r);                                                            \
		gpube_result_free(r);                                                              \
		return status;                                                                     \
	}

/* One that makes a model. */
#define MODEL(function, ...)                                                                       \
	WORK(function)                                                                             \
	{                                                                                          \
		struct gpube_model *r = NULL;                                                      \
		const int status = function(&r, __VA_ARGS__);                                      \
                                                                                                   \
		(void)c;                                                                           \
		(void)m;                                                                           \
		(void)arg;                                                                         \
		if (status)                                                                        \
			assert_null(r);                                                            \
		gpube_model_free(r);                                                               \
		return status;                                                                     \
	}

/* One that changes the model: after a failure it is as it was. */
#define CHANGE(function, ...)                                                                      \
	WORK(function)                                                                             \
	{                                                                                          \
		const struct gpube__model_mark was = gpube__model_mark(m);                         \
		const int status = function(m, __VA_ARGS__);                                       \
                                                                                                   \
		(void)c;                                                                           \
		(void)arg;                                                                         \
		if (status) {                                                                      \
			assert_int_equal(m->n_vars, was.n_vars);                                   \
			assert_int_equal(m->n_functions, was.n_functions);                         \
			assert_int_equal(m->n_tables, was.n_tables);                               \
		}                                                                                  \
		return status;                                                                     \
	}

#endif
