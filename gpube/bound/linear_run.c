/*
 * linear_run.c - branch and bound on linear programs (relax/linear/): the method of models whose
 * functions forbid more than they cost.
 */
#include "gpube/bound/bound.h"
#include "gpube/bound/relaxed_run.h"
#include "gpube/relax/linear/clp.h"
#include "gpube/relax/linear/linear_relaxation.h"

/* What the library takes to be opened; work for a cell of the model, and for a value. */
#define OPENING_TICKS 3e7
#define MADE_TICKS    30
#define VALUE_TICKS   1e5

const char *gpube__linear_lacks(const struct gpube_bounder *b)
{
	const struct gpube_relaxed_run *s = b->state.linear;

	if (!s || s->p)
		return NULL;
	return gpube__clp_there(NULL) ? "the linear program is too large"
				      : "a linear relaxation needs Clp (Debian: coinor-libclp1)";
}

double gpube__linear_least(const struct gpube_bounder *b)
{
	return b->state.linear
		       ? 0
		       : OPENING_TICKS + MADE_TICKS * b->made.cells + VALUE_TICKS * b->made.values;
}

int gpube__bound_linear(struct gpube_bounder *b, double seconds)
{
	return gpube__bound_relaxed(b, &b->state.linear,
		b->opts->method == GPUBE_BOUND_LINEAR ? &gpube__linear : &gpube__linear_sums,
		seconds);
}
