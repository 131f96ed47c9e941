/* without_flint.c - gpube_nash() of a build without FLINT, in place of all that needs it. */
#include "gpube/ir/payoffs.h"
#include "gpube/options/options.h"
#include "nash/nash.h"

int gpube_nash_exact(void)
{
	return 0;
}

int gpube_nash(
	struct gpube_nash_result **out, const struct gpube_model *g, const struct gpube_opts *opts)
{
	struct gpube_opts o;
	int status;

	if (out)
		*out = NULL;
	if (!out || !g)
		return gpube__missing(g ? g->ctx : NULL);
	status = gpube__check_kind(g, GPUBE__OF(GPUBE_GAME));
	if (!status)
		status = gpube__opts_take(&o, g->ctx, opts, GPUBE__ON_NASH);
	return status ? status
		      : gpube__fail(g->ctx, GPUBE_EINVAL,
				"this program was built without FLINT: only gpube_nash_pure() "
				"finds equilibria");
}
