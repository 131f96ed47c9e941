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

#define CHUNK_BITS 12

struct source {
	struct csg_game *g;
	uint64_t seed;
	double (*value)(const struct source *s, struct gpube_rng *rng, uint64_t c, int k);
	double agent[CSG_MAX_AGENTS]; /* powers or weights */
	double quota;
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

static double uniform(const struct source *s, struct gpube_rng *rng, uint64_t c, int k)
{
	(void)s;
	(void)c;
	return k * gpube__rng_unit(rng);
}

static double normal_value(const struct source *s, struct gpube_rng *rng, uint64_t c, int k)
{
	(void)s;
	(void)c;
	return fmax(0, k * normal(rng, 10, 0.1));
}

static double modified_uniform(const struct source *s, struct gpube_rng *rng, uint64_t c, int k)
{
	const double v = 10 * k * gpube__rng_unit(rng);

	(void)s;
	(void)c;
	return gpube__rng_below(rng, 100) < 21 ? v + 50 * gpube__rng_unit(rng) : v;
}

static double modified_normal(const struct source *s, struct gpube_rng *rng, uint64_t c, int k)
{
	const double v = normal_value(s, rng, c, k);

	return gpube__rng_below(rng, 100) < 21 ? v + normal(rng, 25, 0.1) : v;
}

static double exponential(const struct source *s, struct gpube_rng *rng, uint64_t c, int k)
{
	(void)s;
	(void)c;
	return k * -log(positive(rng));
}

static double beta(const struct source *s, struct gpube_rng *rng, uint64_t c, int k)
{
	const double x = sin(1.5707963267948966 * gpube__rng_unit(rng));

	(void)s;
	(void)c;
	return k * x * x; /* the arcsine law is Beta(1/2, 1/2) */
}

static double gamma_value(const struct source *s, struct gpube_rng *rng, uint64_t c, int k)
{
	const double a = positive(rng), b = positive(rng);

	(void)s;
	(void)c;
	return k * -2 * (log(a) + log(b));
}

static double agent_uniform(const struct source *s, struct gpube_rng *rng, uint64_t c, int k)
{
	double v = 0;

	(void)k;
	for (; c; c &= c - 1)
		v += gpube__rng_unit(rng) * 2 * s->agent[__builtin_ctzll(c)];
	return v;
}

static double agent_normal(const struct source *s, struct gpube_rng *rng, uint64_t c, int k)
{
	double v = 0;

	(void)k;
	for (; c; c &= c - 1)
		v += fmax(0, normal(rng, s->agent[__builtin_ctzll(c)], 0.1));
	return v;
}

static double ndcs(const struct source *s, struct gpube_rng *rng, uint64_t c, int k)
{
	double v;

	(void)s;
	(void)c;
	do
		v = normal(rng, k, sqrt(k));
	while (!(v > 0));
	return v;
}

/* 1 for those who are enough, and noise that makes all of them near-optimal. */
static double threshold(const struct source *s, struct gpube_rng *rng, uint64_t c, int k)
{
	(void)c;
	return (k >= (s->g->n + 2) / 3) + 0.001 * gpube__rng_unit(rng);
}

static double voting(const struct source *s, struct gpube_rng *rng, uint64_t c, int k)
{
	double weight = 0;

	(void)k;
	for (; c; c &= c - 1)
		weight += s->agent[__builtin_ctzll(c)];
	return (weight >= s->quota) + 0.001 * gpube__rng_unit(rng);
}

/* Best are coalitions of about a third of the agents, all alike. */
static double hump(const struct source *s, struct gpube_rng *rng, uint64_t c, int k)
{
	const double x = k / (double)s->g->n;

	(void)c;
	return 100 * k * exp(-8 * (x - 0.35) * (x - 0.35)) + gpube__rng_unit(rng);
}

/* Every structure is worth nearly the same. */
static double near_ties(const struct source *s, struct gpube_rng *rng, uint64_t c, int k)
{
	(void)s;
	(void)c;
	return 10 * k + 0.01 * gpube__rng_unit(rng);
}

static const struct {
	const char *name;
	double (*value)(const struct source *s, struct gpube_rng *rng, uint64_t c, int k);
} distributions[] = {
	{"uniform", uniform},
	{"normal", normal_value},
	{"modified-uniform", modified_uniform},
	{"modified-normal", modified_normal},
	{"exponential", exponential},
	{"beta", beta},
	{"gamma", gamma_value},
	{"agent-uniform", agent_uniform},
	{"agent-normal", agent_normal},
	{"ndcs", ndcs},
	{"threshold", threshold},
	{"voting", voting},
	{"hump", hump},
	{"near-ties", near_ties},
};

const char *csg_distribution(int k)
{
	return k >= 0 && k < (int)(sizeof(distributions) / sizeof(*distributions))
		       ? distributions[k].name
		       : NULL;
}

static void write_value(struct csg_game *g, uint64_t c, double v)
{
	switch (g->type) {
	case CSG_INT16:
		v = rint(10 * v);
		((int16_t *)g->values)[c] = v > INT16_MAX ? INT16_MAX : (int16_t)v;
		break;
	case CSG_INT32:
		((int32_t *)g->values)[c] = (int32_t)rint(1000 * v);
		break;
	case CSG_INT64:
		((int64_t *)g->values)[c] = (int64_t)rint(1000 * v);
		break;
	case CSG_FLOAT32:
		((float *)g->values)[c] = (float)v;
		break;
	case CSG_FLOAT64:
		((double *)g->values)[c] = v;
		break;
	}
}

static void fill_chunk(void *arg, int64_t item, int thread)
{
	const struct source *s = arg;
	const uint64_t from = (uint64_t)item << CHUNK_BITS, n = csg__n_masks(s->g);
	struct gpube_rng rng;

	(void)thread;
	gpube__rng_init(&rng, s->seed ^ (uint64_t)(item + 1) * 0xd1342543de82ef95u);
	for (uint64_t c = from; c < n && c < from + (1 << CHUNK_BITS); c++)
		if (c)
			write_value(s->g, c, s->value(s, &rng, c, __builtin_popcountll(c)));
}

static void draw_agents(struct source *s)
{
	struct gpube_rng rng;

	gpube__rng_init(&rng, s->seed);
	for (int i = 0; i < s->g->n; i++) {
		if (s->value == agent_normal)
			s->agent[i] = fmax(0, normal(&rng, 10, 0.1));
		else if (s->value == voting)
			s->agent[i] = 1 + (double)gpube__rng_below(&rng, 10);
		else
			s->agent[i] = 10 * gpube__rng_unit(&rng);
		s->quota += s->agent[i] / 3;
	}
}

int csg_generate(struct csg_game **out, struct gpube_ctx *ctx, const char *distribution,
	int n_agents, enum csg_type type, uint64_t seed)
{
	struct source s = {.seed = seed};
	int status;

	*out = NULL;
	for (int k = 0; csg_distribution(k); k++)
		if (!strcmp(distribution, csg_distribution(k)))
			s.value = distributions[k].value;
	if (!s.value)
		return gpube__fail(ctx, GPUBE_EINVAL, "no such distribution: '%s'", distribution);
	status = csg_game_new(&s.g, ctx, n_agents, type);
	if (status)
		return status;
	draw_agents(&s);
	gpube__parallel(ctx, (int64_t)((csg__n_masks(s.g) + (1 << CHUNK_BITS) - 1) >> CHUNK_BITS),
		fill_chunk, &s);
	*out = s.g;
	return GPUBE_OK;
}
