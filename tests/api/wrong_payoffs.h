/* wrong_payoffs.h - wrong calls about the payoffs of games, for test_api_gpube.c. */
#ifndef GPUBE_TEST_WRONG_PAYOFFS_H
#define GPUBE_TEST_WRONG_PAYOFFS_H

#include "tests/support/wrong_calls.h"

static const int64_t payoffs[6] = {0, 1, 2, 3, 4, 5};

/* A game of 2 x 3 actions, whose second player gets nothing yet. */
static struct gpube_model *make_unfinished(void)
{
	struct gpube_model *unfinished;

	assert_int_equal(gpube_model_new(&unfinished, ctx, GPUBE_GAME), 0);
	assert_int_equal(gpube_model_add_var(unfinished, NULL, 2, NULL), 0);
	assert_int_equal(gpube_model_add_var(unfinished, NULL, 3, NULL), 0);
	assert_int_equal(gpube_model_add_payoffs(unfinished, payoffs, NULL), 0);
	return unfinished;
}

WRONG(gpube_model_add_payoffs)
{
	static const int64_t den[] = {1, 1, 1, 0, 1, 1};
	struct gpube_model *unfinished = make_unfinished();

	REFUSED(gpube_model_add_payoffs(NULL, payoffs, payoffs));
	REFUSED(gpube_model_add_payoffs(m, payoffs, NULL));
	REFUSED(gpube_model_add_payoffs(potentials, payoffs, NULL));
	REFUSED(gpube_model_add_payoffs(unfinished, NULL, NULL));
	REFUSED(gpube_model_add_payoffs(unfinished, payoffs, den));
	gpube_model_free(unfinished);
}

WRONG(gpube_model_payoff)
{
	static const int32_t there[2] = {0, 0}, past[2] = {0, 3};
	struct gpube_model *unfinished = make_unfinished();
	int64_t num = 77, den = 77;

	REFUSED(gpube_model_payoff(&num, &den, NULL, 0, there));
	REFUSED(gpube_model_payoff(NULL, &den, unfinished, 0, there));
	REFUSED(gpube_model_payoff(&num, NULL, unfinished, 0, there));
	REFUSED(gpube_model_payoff(&num, &den, unfinished, 0, NULL));
	REFUSED(gpube_model_payoff(&num, &den, m, 0, there));
	/* the second player has none yet */
	REFUSED(gpube_model_payoff(&num, &den, unfinished, 0, there));
	REFUSED(gpube_model_payoff(&num, &den, unfinished, -1, there));
	REFUSED(gpube_model_payoff(&num, &den, unfinished, 2, there));
	REFUSED(gpube_model_payoff(&num, &den, unfinished, 0, past));
	assert_true(num == 77 && den == 77);
	gpube_model_free(unfinished);
}

#endif
