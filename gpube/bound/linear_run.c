/*
 * linear_run.c - branch and bound on linear programs: the method of models whose functions forbid
 * more than they cost (relax/linear/), and of spin glasses (relax/cuts/).
 */
#include "gpube/bound/bound.h"
#include "gpube/bound/relaxed_run.h"
#include "gpube/relax/cuts/cuts.h"
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
	const bool alone = b->opts->method == GPUBE_BOUND_LINEAR;
	const struct gpube_relaxation *r = alone ? &gpube__linear : &gpube__linear_sums;
	bool cuts = false;
	/* a run that there is keeps to what it began with */
	const int status = b->state.linear ? GPUBE_OK : gpube__cuts_suit(&cuts, b->tables, !alone);

	return status ? status
		      : gpube__bound_relaxed(b, &b->state.linear, cuts ? &gpube__cuts : r, seconds);
}
