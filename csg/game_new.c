/* game_new.c - a game with a table, the lowest file of csg/: see game.h. */
#include <string.h>

#include "csg/game.h"
#include "gpube/ops/subset/subset.h"

enum { ZEROED_BYTES = 1 << 24 }; /* between two looks for a stop */

int csg__game_check(struct gpube_ctx *ctx, int n_agents, enum csg_type type)
{
	if (n_agents < 1 || n_agents > CSG_MAX_AGENTS)
		return gpube__fail(
			ctx, GPUBE_EINVAL, "%d agents: expected 1 to %d", n_agents, CSG_MAX_AGENTS);
	if ((int)type < CSG_INT16 || type > CSG_FLOAT64)
		return gpube__fail(ctx, GPUBE_EINVAL, "no such value type");
	return GPUBE_OK;
}

int csg__game_new_on(struct csg_game **out, struct gpube_ctx *ctx, int n_agents, enum csg_type type,
	const struct gpube_subset_ops *ops)
{
	const uint64_t most = ops == gpube__subset_cpu() ? ctx->memory_bytes : ops->memory(ctx);
	struct csg_game *g;
	uint64_t bytes;
	int status = csg__game_check(ctx, n_agents, type);

	*out = NULL;
	if (status)
		return status;
	bytes = (uint64_t)csg__type_size(type) << n_agents;
	if (bytes > most)
		return gpube__fail(ctx, GPUBE_ELIMIT,
			"the values of %d agents take %llu MiB, allowed are %llu MiB", n_agents,
			(unsigned long long)(bytes >> 20), (unsigned long long)(most >> 20));
	g = gpube__alloc_zero(ctx, 1, sizeof(*g));
	if (!g)
		return GPUBE_ENOMEM;
	g->ctx = ctx;
	g->n = n_agents;
	g->type = type;
	g->ops = ops;
	g->values = ops->alloc(ctx, bytes);
	if (!g->values) {
		gpube__free(ctx, g);
		return GPUBE_ENOMEM;
	}
	*out = g;
	return GPUBE_OK;
}

int csg_game_new(struct csg_game **out, struct gpube_ctx *ctx, int n_agents, enum csg_type type)
{
	uint64_t bytes;
	int status;

	if (out)
		*out = NULL;
	if (!out || !ctx)
		return gpube__missing(ctx);
	status = csg__game_new_on(out, ctx, n_agents, type, gpube__subset_cpu());
	if (status)
		return status;
	bytes = (uint64_t)csg__type_size(type) << n_agents;
	/* where a machine gives its memory slowly, gigabytes take many seconds */
	for (uint64_t at = 0; at < bytes; at += ZEROED_BYTES) {
		if (at && gpube__stopped(ctx)) {
			(*out)->ops->free(ctx, (*out)->values);
			gpube__free(ctx, *out);
			*out = NULL;
			return gpube__fail_stopped(ctx);
		}
		memset((char *)(*out)->values + at, 0,
			bytes - at < ZEROED_BYTES ? bytes - at : ZEROED_BYTES);
	}
	return GPUBE_OK;
}
