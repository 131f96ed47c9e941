/*
 * set_model.h - disjoint sets of goods as a model of costs, to be maximised: what auctions and
 * games of few coalitions become. Internal to csg/.
 */
#ifndef CSG_SET_MODEL_H
#define CSG_SET_MODEL_H

#include "gpube/ir/model.h"

/*
 * Goods of set b: good[at[b]] .. good[at[b + 1] - 1], no good twice.
 * all    every good has to be in a chosen set; otherwise it may be in none
 * price  of a set, units of 10^-scale
 * good_name, set_name  write the name of one; 'size' is CSG__NAME
 */
enum { CSG__NAME = 256 };

struct csg__sets {
	struct gpube_ctx *ctx;
	int n_goods, n_sets, scale;
	bool all;
	const int64_t *price, *at;
	const int32_t *good;
	void (*good_name)(char *name, const struct csg__sets *s, int good);
	void (*set_name)(char *name, const struct csg__sets *s, int set);
	const void *arg;
};

/*
 * csg__sets_model() - a model whose assignments are the ways to choose disjoint sets, one for each.
 * Two forms: a variable of two values a set, pairs that share a good excluding each other; or a
 * variable a good, whose value is the set that takes it, the goods of a set agreeing with its
 * first. The one whose elimination along min-fill has fewer cells is taken; with 'all' it is the
 * second.
 * Errors: ELIMIT (tables of more than 2^26 cells in all), ERANGE, ENOMEM, ESTOP
 */
int csg__sets_model(struct gpube_model **out, const struct csg__sets *s);

#endif
