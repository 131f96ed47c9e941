/* ranks_single.c - a program without MPI: one rank. See ranks.h. */
#include "nash/ranks.h"

int nash_ranks_open(struct nash_ranks *r, struct gpube_ctx *ctx)
{
	(void)ctx;
	*r = (struct nash_ranks){.rank = 0, .n_ranks = 1};
	return GPUBE_OK;
}

void nash_ranks_close(const struct nash_ranks *r)
{
	(void)r;
}

int nash__ranks_gather(struct gpube_ctx *ctx, struct gpube_support_scan *s, int status)
{
	(void)ctx;
	(void)s;
	return status;
}
