/* world_single.c - the world of a program without MPI: one rank. */
#include "gpube/ranks/world.h"

#include <string.h>

bool dcop_world_is_mpi(void)
{
	return false;
}

int dcop_world_early_rank(void)
{
	return 0;
}

int dcop_world_open(struct dcop_world *w, struct gpube_ctx *ctx, const struct dcop_world_opts *opts)
{
	memset(w, 0, sizeof(*w));
	w->ctx = ctx;
	w->n_ranks = w->n_here = 1;
	w->failed = -1;
	if (opts)
		w->opts = *opts;
	return GPUBE_OK;
}

int dcop_world_agree(struct dcop_world *w, int status)
{
	w->failed = status ? 0 : -1;
	w->stopped = status == GPUBE_ESTOP;
	return status;
}

int dcop__world_send(struct dcop_world *w, int to, struct dcop_parcel *p)
{
	(void)p;
	return gpube__fail(w->ctx, GPUBE_EBUG, "internal error: a parcel for rank %d of 1", to);
}

int dcop__world_poll(struct dcop_world *w, const struct dcop_listener *l, bool *busy)
{
	(void)w;
	(void)l;
	*busy = false;
	return GPUBE_OK;
}

bool dcop__world_drained(const struct dcop_world *w)
{
	(void)w;
	return true;
}

void dcop_world_close(struct dcop_world *w, bool failed)
{
	(void)failed;
	memset(w, 0, sizeof(*w));
}
