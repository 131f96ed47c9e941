/*
 * patching_stages.c - when patches have a turn among the stages of bound_stages.c, and for how
 * long.
 */
#include "gpube/bound/patching/patching.h"
#include "gpube/bound/stages.h"

/*
 * Grids and what is like them: mostly a proof within a tenth of a second, or the pace of splitting
 * tells soon that there will be none, which is cheap next to what comes after it. Where nothing has
 * met an assignment yet, hard costs decide, of which patches know little.
 */
bool gpube__wants_patches(const struct gpube_bounder *b)
{
	return gpube__bounder_is_method(b, GPUBE_BOUND_PATCHES) ||
	       (gpube__bounder_is_auto(b) && !gpube__bounder_is_easy(b) && b->upper != GPUBE_INF &&
		       gpube__bounder_prefers_joins(b));
}

double gpube__patches_seconds(const struct gpube_bounder *b)
{
	return gpube__bounder_is_method(b, GPUBE_BOUND_PATCHES) ? INFINITY
								: gpube__share_of(b, 0.5, 0.2);
}

/*
 * A search tree may close in a second what splitting leaves open to the last (of BN_75 two
 * ten-thousandths of what there was to prove); if it does not, splitting goes on.
 */
#define NEARLY_ALL 0.999

bool gpube__wants_more_patches(const struct gpube_bounder *b)
{
	return gpube__bounder_is_auto(b) && b->patching && b->patching->paused;
}

bool gpube__wants_tree_behind_patches(const struct gpube_bounder *b)
{
	return gpube__wants_more_patches(b) && b->opts->split != GPUBE_SPLIT_NEVER &&
	       gpube__bounder_share_proved(b) > NEARLY_ALL;
}

double gpube__tree_behind_patches_seconds(const struct gpube_bounder *b)
{
	return gpube__share_of(b, 1, 0.1);
}

double gpube__more_patches_seconds(const struct gpube_bounder *b)
{
	return gpube__share_of(b, 60, 0.5);
}

/*
 * Where nothing else has ended: the bound of patches that grow rises for as long as there is time.
 * (412 of SPOT5, whose optimum is 32381: 30978 at first, and proved after 81 seconds of one busy
 * core, where the join graph came to 31449 in 660.)
 */
bool gpube__wants_larger_patches(const struct gpube_bounder *b)
{
	return gpube__bounder_is_auto(b) && b->patching && b->patching->p && b->patching->root;
}

double gpube__larger_patches_seconds(const struct gpube_bounder *b)
{
	return b->ctx->deadline > 0 ? 0.5 * gpube__seconds_left(b->ctx) : 300;
}
