/*
 * set_costs.h - disjoint sets of goods as a model of costs, to be maximised: what auctions and
 * coalition games of few coalitions become. Internal to forms/.
 */
#ifndef GPUBE_SET_COSTS_H
#define GPUBE_SET_COSTS_H

#include "gpube/ir/bids.h"

/*
 * b      the sets as bids, and their prices
 * all    every good has to be in a chosen set; otherwise it may be in none
 * good_name, set_name  write the name of one; 'size' is GPUBE__NAME
 */
enum { GPUBE__NAME = 256 };

struct gpube__sets {
	struct gpube__bids b;
	bool all;
	void (*good_name)(char *name, const void *arg, int good);
	void (*set_name)(char *name, const void *arg, int set);
	const void *arg;
};

/*
 * gpube__sets_costs() - a model whose assignments are the ways to choose disjoint sets, each once.
 * Two forms: a variable of two values a set, pairs that share a good excluding each other; or a
 * variable a good, whose value is the set that takes it, the goods of a set agreeing with its
 * first. The one whose elimination along min-fill has fewer cells is taken; with 'all' it is the
 * second.
 * Errors: ELIMIT (tables of more than 2^26 cells in all), ERANGE, ENOMEM, ESTOP
 */
int gpube__sets_costs(struct gpube_model **out, const struct gpube__sets *s);

#endif
