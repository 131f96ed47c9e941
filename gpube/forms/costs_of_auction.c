/* costs_of_auction.c - an auction as a model of costs. See gpube/forms.h. */
#include "gpube/forms/model_as.h"
#include "gpube/forms/set_costs.h"
#include "gpube/ir/bids.h"

/*
 * All totals are above it: they are 0 and more, but for prices below 0. toulbar2 reads a bound
 * between -1 and 0, as .cfn would have it, without its sign. Sums that pass 64 bits need no bound.
 */
static int64_t below_all(const struct gpube__bids *a)
{
	int64_t top = -1;

	for (int k = 0; k < a->scale; k++)
		top *= 10;
	for (int b = 0; b < a->n_bids; b++)
		if (a->price[b] < 0 &&
			(__builtin_add_overflow(top, a->price[b], &top) || top < -GPUBE_INF))
			return -GPUBE_INF;
	return top;
}

int gpube__costs_of_auction(struct gpube_model **out, const struct gpube_model *m)
{
	struct gpube__sets sets;
	struct gpube__bids a;
	int status = gpube__bids_init(&a, m);

	*out = NULL;
	if (status)
		return status;
	sets = (struct gpube__sets){
		.b = a, .good_name = gpube__good_name, .set_name = gpube__bid_name, .arg = &a};
	status = gpube__sets_costs(out, &sets);
	if (!status)
		status = gpube_model_set_top(*out, below_all(&a));
	gpube__bids_clear(&a);
	return status;
}
