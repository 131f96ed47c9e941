/* inexact.h - equilibria in doubles: what a build without FLINT has. Internal to nash/. */
#ifndef NASH_INEXACT_H
#define NASH_INEXACT_H

#include "gpube/options/options.h"
#include "nash/result.h"

/*
 * nash__solve_inexactly() - fills all of a result but its time. A face that is no
 * point gives one equilibrium alone, and the result is then incomplete.
 * Errors: ENOMEM; ERANGE (a payoff is past the range of doubles)
 */
int nash__solve_inexactly(
	struct gpube_nash_result *r, const struct gpube_model *g, const struct gpube_opts *o);

#endif
