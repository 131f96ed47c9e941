/*
 * andor_stages.c - when searches on a join graph's tables have a turn among the stages of
 * bound_stages.c, and for how long.
 */
#include "gpube/bound/stages.h"

/*
 * Subproblems that are kept close in a moment what shifts, trees and patches leave far open, where
 * constraints leave separators few assignments: SPOT5's 408b and 42b take 0.2 and 0.4 s.
 */
bool gpube__wants_andor(const struct gpube_bounder *b)
{
	return gpube__bounder_may_split(b) && !gpube__bounder_is_easy(b) &&
	       gpube__bounder_prefers_joins(b);
}

/*
 * Not for a moment where a search for an order has made elimination quick: of twenty such pedigrees
 * it ended none.
 */
bool gpube__wants_early_andor(const struct gpube_bounder *b)
{
	return gpube__wants_andor(b) && !(b->order_sought && gpube__bounder_is_quick(b));
}

double gpube__early_andor_seconds(const struct gpube_bounder *b)
{
	const double most = gpube__share_of(b, 1, 0.1);

	/*
	 * half of what is left for looks: a tree is to have the other; and what CSP_13 and 404 end
	 * within in any case
	 */
	return fmax(fmin(most, 0.03), gpube__bounder_look_seconds(b, 2 * most) / 2);
}

double gpube__later_andor_seconds(const struct gpube_bounder *b)
{
	return gpube__share_of(b, 30, 0.4);
}
