/*
 * recognise.h - gpube_solve(): models that have the form of a coalition game or an auction (see
 * forms/form.h) are solved by the method made for it, where that is cheaper than the engine.
 *
 * A chain of at most GPUBE_CHAIN_AGENTS agents always is: elimination joins as many cells as there
 * are tuples to read, and the game takes far less. Otherwise nobody knows before: of converted
 * auctions of CATS' kinds most take the linear program a tenth of what they take the engine, and
 * independent sets of random graphs, which have the form, too, take it up to seven times as much.
 * So the engine begins, and both have turns of counted work, each from its beginning, but with the
 * best assignment known; turns grow so fast that all together take a fraction more than the last.
 *
 * Pure equilibria are left to the engine: it compares as many payoffs as gpube_nash_pure() does.
 */
#ifndef GPUBE_RECOGNISE_H
#define GPUBE_RECOGNISE_H

#include "gpube/gpube.h"

/*
 * gpube__solve_recognised() - what gpube_solve() does. Assignments are priced from the given
 * model's tables.
 * Errors: as gpube_solve()
 */
int gpube__solve_recognised(
	struct gpube_solution **out, const struct gpube_model *m, const struct gpube_opts *opts);

#endif
