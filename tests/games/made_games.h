/* made_games.h - games for tests: of integers, out of files, and compared. */
#ifndef TESTS_MADE_GAMES_H
#define TESTS_MADE_GAMES_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "formats/formats.h"
#include "gpube/ir/payoffs.h"
#include "gpube/options/options.h"
#include "tests/support/test.h"

/* Of m x n actions, rows first. */
static inline struct gpube_model *new_game(
	struct gpube_ctx *own, int32_t m, int32_t n, const int *a, const int *b)
{
	int64_t *payoffs = malloc((size_t)m * (size_t)n * sizeof(*payoffs));
	struct gpube_model *g;

	assert_non_null(payoffs);
	assert_int_equal(gpube_model_new(&g, own, GPUBE_GAME), GPUBE_OK);
	assert_int_equal(gpube_model_add_var(g, NULL, m, NULL), GPUBE_OK);
	assert_int_equal(gpube_model_add_var(g, NULL, n, NULL), GPUBE_OK);
	for (int p = 0; p < 2; p++) {
		for (int64_t k = 0; k < (int64_t)m * n; k++)
			payoffs[k] = (p ? b : a)[k];
		assert_int_equal(gpube_model_add_payoffs(g, payoffs, NULL), GPUBE_OK);
	}
	free(payoffs);
	return g;
}

/* A file that is a game if nothing tells what it is. */
static inline int read_game(
	struct gpube_model **g, struct gpube_ctx *own, const char *path, enum gpube_format format)
{
	return gpube_read(
		g, own, path, &(struct gpube_opts){.from = (int)format, .kind = GPUBE_GAME});
}

static inline int write_game(
	const struct gpube_model *g, const char *path, enum gpube_format format)
{
	return gpube_write(
		g, path, &(struct gpube_opts){.to = (int)format, .check = format != 0}, NULL);
}

/* What player p + 1 gets in the profile of that number, row-major. */
static inline struct gpube_rational payoff_of(
	const struct gpube_model *g, int32_t p, int64_t profile)
{
	return gpube__table_rational(gpube__table(g, p), profile);
}

/* The same actions, and payoffs as fractions; those past 64 bits by the same text. */
static inline bool same_game(const struct gpube_model *a, const struct gpube_model *b)
{
	bool same =
		a->kind == b->kind && a->n_vars == b->n_vars && a->n_functions == b->n_functions;

	for (int32_t p = 0; p < a->n_vars && same; p++)
		same = a->vars[p].domain == b->vars[p].domain;
	for (int32_t p = 0; p < a->n_functions && same; p++)
		for (int64_t k = 0; k < gpube__profiles(a) && same; k++) {
			const struct gpube_rational v = payoff_of(a, p, k), w = payoff_of(b, p, k);

			same = v.num == w.num && v.den == w.den && !v.text == !w.text &&
			       (!v.text || strcmp(v.text, w.text) == 0);
		}
	return same;
}

#endif
