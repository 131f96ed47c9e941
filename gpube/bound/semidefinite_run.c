/*
 * semidefinite_run.c - branch and bound on a semidefinite relaxation (relax/semidefinite/): the
 * method of models in which most variables share functions with most others.
 */
#include <math.h>

#include "gpube/bound/bound.h"
#include "gpube/bound/relaxed_run.h"
#include "gpube/relax/semidefinite/semidefinite.h"

/* What the library takes to be opened. */
#define OPENING_TICKS 3e7

const char *gpube__semidefinite_lacks(const struct gpube_bounder *b)
{
	const struct gpube_relaxed_run *s = b->state.semidefinite;

	if (!b->made.of_pairs || b->made.values > GPUBE__SEMIDEFINITE_VALUES)
		return "a semidefinite relaxation needs functions of at most two variables, and "
		       "at most " GPUBE__SEMIDEFINITE_TEXT " values in all";
	return s && !s->p ? "a semidefinite relaxation needs LAPACK (Debian: libopenblas0)" : NULL;
}

double gpube__semidefinite_least(const struct gpube_bounder *b)
{
	const int32_t order = (int32_t)fmin(b->made.values, GPUBE__SEMIDEFINITE_VALUES) + 1;

	if (b->state.semidefinite)
		return 0;
	return OPENING_TICKS + GPUBE__SEMIDEFINITE_WINDOW * (double)gpube__semidefinite_ticks(
								    order, order - b->m->n_vars);
}

int gpube__bound_semidefinite(struct gpube_bounder *b, double seconds)
{
	return gpube__bound_relaxed(b, &b->state.semidefinite, &gpube__semidefinite, seconds);
}
