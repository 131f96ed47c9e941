/* wrong_payoffs.h - wrong calls about the payoffs of games, for test_api_nash.c. */
#ifndef GPUBE_TEST_WRONG_PAYOFFS_H
#define GPUBE_TEST_WRONG_PAYOFFS_H

#include "gpube/games.h"
#include "tests/support/wrong_calls.h"

static const int64_t any_payoffs[6] = {0, 1, 2, 3, 4, 5};

/* A game of 2 x 3 actions, whose second player gets nothing yet. */
static struct gpube_model *make_half(void)
{
	struct gpube_model *half;

	assert_int_equal(gpube_model_new(&half, ctx, GPUBE_GAME), 0);
	assert_int_equal(gpube_model_add_var(half, NULL, 2, NULL), 0);
	assert_int_equal(gpube_model_add_var(half, NULL, 3, NULL), 0);
	assert_int_equal(gpube_model_add_payoffs(half, any_payoffs, NULL), 0);
	return half;
}

WRONG(gpube_model_add_payoffs)
{
	static const int64_t den[] = {1, 1, 1, 0, 1, 1};
	struct gpube_model *half = make_half();

	REFUSED(gpube_model_add_payoffs(NULL, any_payoffs, any_payoffs));
	REFUSED(gpube_model_add_payoffs(m, any_payoffs, NULL));
	REFUSED(gpube_model_add_payoffs(potentials, any_payoffs, NULL));
	REFUSED(gpube_model_add_payoffs(half, NULL, NULL));
	REFUSED(gpube_model_add_payoffs(half, any_payoffs, den));
	gpube_model_free(half);
}

WRONG(gpube_model_payoff)
{
	static const int32_t there[2] = {0, 0}, past[2] = {0, 3};
	struct gpube_model *half = make_half();
	int64_t num = 77, den = 77;

	REFUSED(gpube_model_payoff(&num, &den, NULL, 0, there));
	REFUSED(gpube_model_payoff(NULL, &den, half, 0, there));
	REFUSED(gpube_model_payoff(&num, NULL, half, 0, there));
	REFUSED(gpube_model_payoff(&num, &den, half, 0, NULL));
	REFUSED(gpube_model_payoff(&num, &den, m, 0, there));
	/* the second player has none yet */
	REFUSED(gpube_model_payoff(&num, &den, half, 0, there));
	REFUSED(gpube_model_payoff(&num, &den, half, -1, there));
	REFUSED(gpube_model_payoff(&num, &den, half, 2, there));
	REFUSED(gpube_model_payoff(&num, &den, half, 0, past));
	assert_true(num == 77 && den == 77);
	gpube_model_free(half);
}

#endif
