/* auction_model.c - an auction as a model of costs. See auction.h. */
#include <stdio.h>

#include "csg/auction/bids.h"
#include "csg/set_model.h"

static void good_name(char *name, const struct csg__sets *s, int good)
{
	const struct csg_auction *a = s->arg;
	const bool real = good < a->n_real;

	snprintf(name, CSG__NAME, "%s%d", real ? "good" : "dummy", real ? good : good - a->n_real);
}

static void bid_name(char *name, const struct csg__sets *s, int bid)
{
	const struct csg_auction *a = s->arg;

	snprintf(name, CSG__NAME, "bid%lld", (long long)a->id[bid]);
}

int csg_auction_model(struct gpube_model **out, const struct csg_auction *a)
{
	struct csg__sets sets;
	int64_t whole = 1;
	int status;

	if (out)
		*out = NULL;
	if (!out || !a)
		return gpube__missing(a ? a->ctx : NULL);
	sets = (struct csg__sets){.ctx = a->ctx,
		.n_goods = a->n_goods,
		.n_sets = a->n_bids,
		.scale = a->scale,
		.price = a->price,
		.at = a->at,
		.good = a->good,
		.good_name = good_name,
		.set_name = bid_name,
		.arg = a};
	status = csg__sets_model(out, &sets);
	for (int k = 0; k < a->scale; k++)
		whole *= 10;
	/*
	 * No revenue is below 0. toulbar2 reads a bound between -1 and 0, as .cfn would have it,
	 * without its sign.
	 */
	return status ? status : gpube_model_set_top(*out, -whole);
}
