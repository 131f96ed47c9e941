/* pure.h - pure equilibria, by the numbers of their profiles. Internal. */
#ifndef NASH_PURE_H
#define NASH_PURE_H

#include "gpube/ir/payoffs.h"
#include "nash/nash.h"

/*
 * nash__pure_profiles() - the profiles of a game in which no player gains by another action,
 * ascending.
 * Cost:   a comparison a player and profile, a byte a profile
 * Errors: ERANGE (a payoff past 64 bits), ENOMEM, ESTOP
 */
int nash__pure_profiles(int64_t **profiles, int64_t *n, const struct gpube_model *m);

#endif
