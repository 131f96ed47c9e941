/* many.h - gpube_nash() of games that have not two players. Internal to nash/. */
#ifndef NASH_MANY_H
#define NASH_MANY_H

#include "gpube/options/options.h"
#include "nash/result.h"

/*
 * nash__check_many() - what is refused before payoffs by profile are made.
 * Errors: EINVAL (options of two players), ERANGE (too many profiles)
 */
int nash__check_many(const struct gpube_model *g, const struct gpube_opts *o);

/*
 * nash__solve_many() - fills all of a result but its time.
 * Errors: ERANGE (too large), ENOMEM, EBUG; pure: as nash__pure_profiles()
 */
int nash__solve_many(
	struct gpube_nash_result *r, const struct gpube_model *g, const struct gpube_opts *o);

#endif
