/*
 * random_game.c - seeded random games: stored here, stored on a device, or not stored; see csg.h.
 * Their tables are the owners' that are made here, by which csg__view_random() knows them.
 */
#include <math.h>

#include "csg/distributions.h"
#include "gpube/options/options.h"

/*
 * ops     stored: whose memory the values are
 * source  how they are made, whenever they are asked for if they are not stored
 */
struct random_table {
	struct gpube_table_owner head;
	const struct gpube_subset_ops *ops;
	struct csg__source source;
};

static const struct random_table *random_of(const struct gpube_table *t)
{
	return (const struct random_table *)(const void *)t->owner;
}

static void release_random(struct gpube_table *t, struct gpube_ctx *ctx)
{
	struct random_table *r = (struct random_table *)(uintptr_t)random_of(t);

	if (t->values)
		r->ops->free(ctx, t->values);
	gpube__free(ctx, r);
}

static int fetch_stored(
	const struct gpube_table *t, struct gpube_ctx *ctx, void *to, uint64_t from, uint64_t n)
{
	const size_t size = gpube__type_size(t->type);

	return random_of(t)->ops->download(
		ctx, to, (const char *)t->values + from * size, (uint64_t)size * n);
}

static int fetch_made(
	const struct gpube_table *t, struct gpube_ctx *ctx, void *to, uint64_t from, uint64_t n)
{
	const struct csg__source s = csg__source_part(&random_of(t)->source, to, from, n);

	return csg__source_values(&s, ctx);
}

void csg__view_random(struct csg__view *g, const struct gpube_table *t)
{
	const struct random_table *r = random_of(t);
	int scale;

	if (!r || r->head.release != release_random)
		return;
	if (t->values)
		g->ops = r->ops;
	else
		g->source = &r->source;
	/* what is known of values without making them */
	scale = gpube__type_is_int(g->type) ? r->source.fill.scale : 1;
	g->bounded = !r->source.here;
	for (int k = 1; g->bounded && k <= g->n; k++)
		g->most[k] =
			fmin(gpube__draw_bound(&r->source.fill, k) * scale, r->source.fill.most);
}

static int stored(struct gpube_model **out, struct gpube_ctx *ctx, struct csg__source *s)
{
	struct gpube_table t;
	int status = gpube__coalitions_alloc(&t, ctx, s->fill.n_bits, s->fill.type);

	if (status)
		return status;
	s->fill.values = t.values;
	status = csg__source_values(s, ctx);
	if (!status)
		return gpube__coalitions_model(out, ctx, &t);
	gpube__table_release(&t, ctx);
	return status;
}

/* A model of a table that is an owner's, of what ops have stored, or nobody. */
static int take_random(struct gpube_model **out, struct gpube_ctx *ctx, const struct csg__source *s,
	const struct gpube_subset_ops *ops,
	int (*fetch)(const struct gpube_table *, struct gpube_ctx *, void *, uint64_t, uint64_t))
{
	struct gpube_table t = {.type = s->fill.type,
		.arity = s->fill.n_bits,
		.n = (int64_t)1 << s->fill.n_bits,
		.values = s->fill.values};
	struct random_table *r = gpube__alloc(ctx, 1, sizeof(*r));

	if (!r) {
		if (t.values)
			ops->free(ctx, t.values);
		return GPUBE_ENOMEM;
	}
	*r = (struct random_table){
		.head = {.release = release_random, .fetch = fetch}, .ops = ops, .source = *s};
	t.owner = &r->head;
	return gpube__coalitions_model(out, ctx, &t);
}

static int on_device(struct gpube_model **out, struct gpube_ctx *ctx, struct csg__source *s)
{
	const uint64_t bytes = (uint64_t)gpube__type_size(s->fill.type) << s->fill.n_bits;
	const struct gpube_subset_ops *cuda;
	int status;

	if (s->here)
		return gpube__fail(
			ctx, GPUBE_EINVAL, "values of this distribution are made by the CPU alone");
	cuda = gpube__subset_cuda(ctx, &status);
	if (!cuda)
		return status;
	if (bytes / 2 * 3 > cuda->memory(ctx))
		return gpube__fail(ctx, GPUBE_ELIMIT,
			"values and sums of %d agents do not fit the device", s->fill.n_bits);
	s->fill.values = cuda->alloc(ctx, bytes);
	if (!s->fill.values)
		return GPUBE_ENOMEM;
	status = cuda->fill(ctx, &s->fill);
	if (!status)
		return take_random(out, ctx, s, cuda, fetch_stored);
	cuda->free(ctx, s->fill.values);
	return status;
}

int gpube_coalitions_generate(
	struct gpube_model **out, struct gpube_ctx *ctx, const struct gpube_opts *opts)
{
	struct csg__source s;
	struct gpube_opts o;
	int status;

	if (out)
		*out = NULL;
	if (!out || !ctx)
		return gpube__missing(ctx);
	status = gpube__opts_take(&o, ctx, opts, GPUBE__ON_COALITIONS_GENERATE);
	if (status)
		return status;
	csg__source_init(&s, &o);
	status = gpube__coalitions_check(ctx, s.fill.n_bits, s.fill.type);
	if (status)
		return status;
	return o.store == CSG_NOWHERE     ? take_random(out, ctx, &s, NULL, fetch_made)
	       : o.store == CSG_ON_DEVICE ? on_device(out, ctx, &s)
					  : stored(out, ctx, &s);
}
