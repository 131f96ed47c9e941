/*
 * distributions.c - seeded random games: the distributions of the literature on
 * coalition structures, and games made to be hard for method lp.
 *
 * Each block of 2^12 coalitions has a random stream of its own, so that a game is
 * the same on any number of threads.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "csg/game.h"
#include "gpube/ops/subset.h"

/* value: of a coalition of k agents; NULL where fill.draw says it */
struct csg__source {
	struct gpube_fill fill;
	double (*value)(const struct csg__source *s, struct gpube_rng *rng, uint64_t c, int k);
	struct gpube_ctx *ctx;
};

/* ---- random numbers -------------------------------------------------------------------------- */

static double positive(struct gpube_rng *rng) /* (0, 1] */
{
	return 1 - gpube__rng_unit(rng);
}

static double normal(struct gpube_rng *rng, double mean, double sd)
{
	const double r = sqrt(-2 * log(positive(rng)));

	return mean + sd * r * cos(6.283185307179586 * gpube__rng_unit(rng));
}

/* ---- values of a coalition of k agents ------------------------------------------------------- */

static double normal_value(const struct csg__source *s, struct gpube_rng *rng, uint64_t c, int k)
{
	(void)s;
	(void)c;
	return fmax(0, k * normal(rng, 10, 0.1));
}

static double modified_normal(const struct csg__source *s, struct gpube_rng *rng, uint64_t c, int k)
{
	const double v = normal_value(s, rng, c, k);

	return gpube__rng_below(rng, 100) < 21 ? v + normal(rng, 25, 0.1) : v;
}

static double exponential(const struct csg__source *s, struct gpube_rng *rng, uint64_t c, int k)
{
	(void)s;
	(void)c;
	return k * -log(positive(rng));
}

static double beta(const struct csg__source *s, struct gpube_rng *rng, uint64_t c, int k)
{
	const double x = sin(1.5707963267948966 * gpube__rng_unit(rng));

	(void)s;
	(void)c;
	return k * x * x; /* the arcsine law is Beta(1/2, 1/2) */
}

static double gamma_value(const struct csg__source *s, struct gpube_rng *rng, uint64_t c, int k)
{
	const double a = positive(rng), b = positive(rng);

	(void)s;
	(void)c;
	return k * -2 * (log(a) + log(b));
}

static double agent_normal(const struct csg__source *s, struct gpube_rng *rng, uint64_t c, int k)
{
	double v = 0;

	(void)k;
	for (; c; c &= c - 1)
		v += fmax(0, normal(rng, s->fill.agent[__builtin_ctzll(c)], 0.1));
	return v;
}

static double ndcs(const struct csg__source *s, struct gpube_rng *rng, uint64_t c, int k)
{
	double v;

	(void)s;
	(void)c;
	do
		v = normal(rng, k, sqrt(k));
	while (!(v > 0));
	return v;
}

/* Best are coalitions of about a third of the agents, all alike. */
static double hump(const struct csg__source *s, struct gpube_rng *rng, uint64_t c, int k)
{
	const double x = k / (double)s->fill.n_bits;

	(void)c;
	return 100 * k * exp(-8 * (x - 0.35) * (x - 0.35)) + gpube__rng_unit(rng);
}

/* value: NULL where 'draw' says it */
static const struct {
	const char *name;
	enum gpube_draw draw;
	double (*value)(const struct csg__source *s, struct gpube_rng *rng, uint64_t c, int k);
} distributions[] = {
	{"uniform", GPUBE_DRAW_UNIFORM, NULL},
	{"normal", 0, normal_value},
	{"modified-uniform", GPUBE_DRAW_MODIFIED_UNIFORM, NULL},
	{"modified-normal", 0, modified_normal},
	{"exponential", 0, exponential},
	{"beta", 0, beta},
	{"gamma", 0, gamma_value},
	{"agent-uniform", GPUBE_DRAW_AGENT_UNIFORM, NULL},
	{"agent-normal", 0, agent_normal},
	{"ndcs", 0, ndcs},
	{"threshold", GPUBE_DRAW_THRESHOLD, NULL},
	{"voting", GPUBE_DRAW_VOTING, NULL},
	{"hump", 0, hump},
	{"near-ties", GPUBE_DRAW_NEAR_TIES, NULL},
};

const char *csg_distribution(int k)
{
	return k >= 0 && k < (int)(sizeof(distributions) / sizeof(*distributions))
		       ? distributions[k].name
		       : NULL;
}

/* As gpube__fill_chunk(). */
static void make_chunk(const struct csg__source *s, uint64_t i)
{
	const struct gpube_fill *f = &s->fill;
	const uint64_t chunk = (f->from >> GPUBE_FILL_BITS) + i, end = gpube__fill_end(f);
	const uint64_t first = chunk << GPUBE_FILL_BITS;
	struct gpube_rng rng;
	double v = 0;

	if (!s->value) {
		gpube__fill_chunk(f, i);
		return;
	}
	gpube__fill_rng(&rng, f->seed, chunk);
	for (uint64_t c = first; c < end && c < first + (1 << GPUBE_FILL_BITS); c++) {
		if (c)
			v = s->value(s, &rng, c, __builtin_popcountll(c));
		if (c >= f->from)
			gpube__write_value(f, c - f->from, v);
	}
}

static void fill_chunk(void *arg, int64_t item, int thread)
{
	const struct csg__source *s = arg;

	if (gpube__stopped(s->ctx))
		return;
	make_chunk(s, (uint64_t)item);
	if (thread == 0 && !s->fill.n) /* a part is not worth a word */
		gpube__progress(
			s->ctx, (double)item / (double)gpube__fill_chunks(&s->fill), "generate");
}

static void draw_agents(struct csg__source *s)
{
	struct gpube_fill *f = &s->fill;
	struct gpube_rng rng;

	gpube__rng_init(&rng, f->seed);
	for (int i = 0; i < f->n_bits; i++) {
		if (s->value == agent_normal)
			f->agent[i] = fmax(0, normal(&rng, 10, 0.1));
		else if (!s->value && f->draw == GPUBE_DRAW_VOTING)
			f->agent[i] = 1 + (double)gpube__rng_below(&rng, 10);
		else
			f->agent[i] = 10 * gpube__rng_unit(&rng);
		f->quota += f->agent[i] / 3;
	}
}

static int source_init(struct csg__source *s, struct gpube_ctx *ctx, const char *distribution,
	int n_agents, enum csg_type type, uint64_t seed)
{
	int k = 0;

	while (csg_distribution(k) && strcmp(distribution, csg_distribution(k)) != 0)
		k++;
	if (!csg_distribution(k))
		return gpube__fail(ctx, GPUBE_EINVAL, "no such distribution: '%s'", distribution);
	*s = (struct csg__source){.value = distributions[k].value, .ctx = ctx};
	s->fill.type = csg__base_type(type);
	s->fill.draw = distributions[k].draw;
	s->fill.n_bits = n_agents;
	s->fill.seed = seed;
	s->fill.scale = gpube__fill_scale(s->fill.type);
	s->fill.most = type == CSG_INT16 ? INT16_MAX : INFINITY;
	draw_agents(s);
	return GPUBE_OK;
}

/* Values on the host, whatever the distribution. OK, or ESTOP and some are missing. */
static int fill(struct csg__source *s, struct gpube_ctx *ctx)
{
	gpube__parallel(ctx, (int64_t)gpube__fill_chunks(&s->fill), fill_chunk, s);
	return gpube__stopped(ctx) ? gpube__fail_stopped(ctx) : GPUBE_OK;
}

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
	status = csg__on_host(*g) ? fill(s, (*g)->ctx) : (*g)->ops->fill((*g)->ctx, &s->fill);
	if (status) {
		csg_game_free(*g);
		*g = NULL;
	}
	return status;
}

int csg_generate(struct csg_game **out, struct gpube_ctx *ctx, const char *distribution,
	int n_agents, enum csg_type type, uint64_t seed)
{
	struct csg__source s;
	int status = source_init(&s, ctx, distribution, n_agents, type, seed);

	*out = NULL;
	if (!status)
		status = csg_game_new(out, ctx, n_agents, type);
	return status ? status : make_values(out, &s);
}

int csg_generate_on_device(struct csg_game **out, struct gpube_ctx *ctx, const char *distribution,
	int n_agents, enum csg_type type, uint64_t seed)
{
	const struct gpube_subset_ops *cuda;
	struct csg__source s;
	int status = source_init(&s, ctx, distribution, n_agents, type, seed);

	*out = NULL;
	if (!status && s.value)
		return gpube__fail(ctx, GPUBE_EINVAL,
			"values of distribution '%s' are made by the CPU alone", distribution);
	cuda = status ? NULL : gpube__subset_cuda(ctx, &status);
	if (!cuda)
		return status;
	status = csg__game_check(ctx, n_agents, type);
	if (!status && (uint64_t)csg__type_size(type) * 3 << n_agents >> 1 > cuda->memory(ctx))
		status = gpube__fail(ctx, GPUBE_ELIMIT,
			"values and sums of %d agents do not fit the device", n_agents);
	if (!status)
		status = csg__game_new_on(out, ctx, n_agents, type, cuda);
	if (status)
		return status;
	set_bounds(*out, &s);
	return make_values(out, &s);
}

/* ---- values that are made when they are asked for ---------------------------------------------
 */

int csg_generate_unstored(struct csg_game **out, struct gpube_ctx *ctx, const char *distribution,
	int n_agents, enum csg_type type, uint64_t seed)
{
	struct csg__source s;
	int status = source_init(&s, ctx, distribution, n_agents, type, seed);

	*out = NULL;
	if (!status)
		status = csg__game_check(ctx, n_agents, type);
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

bool csg__source_on(const struct csg_game *g, const struct gpube_subset_ops *ops)
{
	return g->source && (ops == gpube__subset_cpu() || !g->source->value);
}

int csg__source_fill(const struct csg_game *g, const struct gpube_subset_ops *ops,
	enum csg_type type, void *to, uint64_t from, uint64_t n)
{
	struct csg__source s = *g->source;

	s.fill.type = csg__base_type(type);
	s.fill.values = to;
	s.fill.from = from;
	s.fill.n = n;
	return ops == gpube__subset_cpu() ? fill(&s, g->ctx) : ops->fill(g->ctx, &s.fill);
}

void csg__source_make(const struct csg_game *g, void *to, uint64_t from, uint64_t n)
{
	struct csg__source s = *g->source;

	s.fill.values = to;
	s.fill.from = from;
	s.fill.n = n;
	make_chunk(&s, 0);
}
