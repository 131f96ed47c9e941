/* extensive.h - games in extensive form, for gpube_nash(). Internal to nash/. */
#ifndef NASH_EXTENSIVE_H
#define NASH_EXTENSIVE_H

#include "gpube/options/options.h"
#include "nash/result.h"

/*
 * nash__takes_tree() - whether a game is solved by its tree, if it has one: players recall what
 * they did, and are two at most, or information is perfect; and the options ask for nothing that
 * is said of the normal form.
 */
bool nash__takes_tree(const struct gpube_model *g, const struct gpube_opts *o);
/*
 * nash__solve_extensive() - fills a result: all extreme equilibria in behaviour strategies, or one.
 * Errors: ENOMEM, ELIMIT, EBUG
 */
int nash__solve_extensive(
	struct gpube_nash_result *r, const struct gpube_model *g, const struct gpube_opts *o);

#endif
