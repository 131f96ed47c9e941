/*
 * random_game.c - seeded random games: stored here, stored on a device, or not stored. Apart
 * from distributions.c, so that a program that only reads games links no backend.
 */
#include <math.h>

#include "csg/distributions.h"

/* What is known of values without making them. */
static void set_bounds(struct csg_game *g, const struct csg__source *s)
{
	const int scale = csg__is_int(g->type) ? s->fill.scale : 1;

	g->bounded = !s->value;
	for (int k = 1; g->bounded && k <= g->n; k++)
		g->most[k] = fmin(gpube__draw_bound(&s->fill, k) * scale, s->fill.most);
}

/* Makes all values of a game that has been given memory, or frees it. */
static int make_values(struct csg_game **g, struct csg__source *s)
{
	int status;

	s->fill.values = (*g)->values;
	status = csg__on_host(*g) ? csg__source_values(s, (*g)->ctx)
				  : (*g)->ops->fill((*g)->ctx, &s->fill);
	if (status) {
		csg_game_free(*g);
		*g = NULL;
	}
	return status;
}

static int begin(struct csg__source *s, struct csg_game **out, struct gpube_ctx *ctx,
	const char *distribution, int n_agents, enum csg_type type, uint64_t seed)
{
	if (out)
		*out = NULL;
	if (!out || !ctx || !distribution)
		return gpube__missing(ctx);
	return csg__source_init(s, ctx, distribution, n_agents, type, seed);
}

int csg_generate(struct csg_game **out, struct gpube_ctx *ctx, const char *distribution,
	int n_agents, enum csg_type type, uint64_t seed)
{
	struct csg__source s;
	int status = begin(&s, out, ctx, distribution, n_agents, type, seed);

	if (!status)
		status = csg__game_new_on(out, ctx, n_agents, type, gpube__subset_cpu());
	return status ? status : make_values(out, &s);
}

int csg_generate_on_device(struct csg_game **out, struct gpube_ctx *ctx, const char *distribution,
	int n_agents, enum csg_type type, uint64_t seed)
{
	const struct gpube_subset_ops *cuda;
	struct csg__source s;
	int status = begin(&s, out, ctx, distribution, n_agents, type, seed);

	if (!status && s.value)
		return gpube__fail(ctx, GPUBE_EINVAL,
			"values of distribution '%s' are made by the CPU alone", distribution);
	cuda = status ? NULL : gpube__subset_cuda(ctx, &status);
	if (!cuda)
		return status;
	if ((uint64_t)csg__type_size(type) * 3 << n_agents >> 1 > cuda->memory(ctx))
		status = gpube__fail(ctx, GPUBE_ELIMIT,
			"values and sums of %d agents do not fit the device", n_agents);
	if (!status)
		status = csg__game_new_on(out, ctx, n_agents, type, cuda);
	if (status)
		return status;
	set_bounds(*out, &s);
	return make_values(out, &s);
}

int csg_generate_unstored(struct csg_game **out, struct gpube_ctx *ctx, const char *distribution,
	int n_agents, enum csg_type type, uint64_t seed)
{
	struct csg__source s;
	int status = begin(&s, out, ctx, distribution, n_agents, type, seed);

	if (status)
		return status;
	*out = gpube__alloc_zero(ctx, 1, sizeof(**out));
	if (!*out)
		return GPUBE_ENOMEM;
	(*out)->ctx = ctx;
	(*out)->n = n_agents;
	(*out)->type = type;
	(*out)->ops = gpube__subset_cpu();
	(*out)->source = gpube__alloc(ctx, 1, sizeof(s));
	if (!(*out)->source) {
		csg_game_free(*out);
		*out = NULL;
		return GPUBE_ENOMEM;
	}
	*(*out)->source = s;
	set_bounds(*out, &s);
	return GPUBE_OK;
}
