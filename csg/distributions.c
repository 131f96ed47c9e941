/*
 * distributions.c - seeded random games: the distributions of the literature on
 * coalition structures, and games made to be hard for method lp.
 *
 * Each block of 2^12 coalitions has a random stream of its own, so that a game is
 * the same on any number of threads.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csg/distributions.h"

/* ---- random numbers -------------------------------------------------------------------------- */

static double positive(struct gpube_rng *rng) /* (0, 1] */
{
	return 1 - gpube__rng_unit(rng);
}

double csg__draw_normal(struct gpube_rng *rng, double mean, double sd)
{
	const double r = sqrt(-2 * log(positive(rng)));

	return mean + sd * r * cos(6.283185307179586 * gpube__rng_unit(rng));
}

/* ---- values of a coalition of k agents ------------------------------------------------------- */

static double normal_value(const struct csg__source *s, struct gpube_rng *rng, uint64_t c, int k)
{
	(void)s;
	(void)c;
	return fmax(0, k * csg__draw_normal(rng, 10, 0.1));
}

static double modified_normal(const struct csg__source *s, struct gpube_rng *rng, uint64_t c, int k)
{
	const double v = normal_value(s, rng, c, k);

	return gpube__rng_below(rng, 100) < 21 ? v + csg__draw_normal(rng, 25, 0.1) : v;
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

/*
 * The sum of max(0, N(p_i, 0.1)) over its agents, as one number N(sum of p_i, 0.1 sqrt(k)): an
 * agent's p_i is near 10, and the maxima bind with a probability below 1e-1000. With a number an
 * agent most of a run's time would go to drawing them.
 */
static double agent_normal(const struct csg__source *s, struct gpube_rng *rng, uint64_t c, int k)
{
	double mean = 0;

	for (; c; c &= c - 1)
		mean += s->fill.agent[__builtin_ctzll(c)];
	return fmax(0, csg__draw_normal(rng, mean, 0.1 * sqrt(k)));
}

static double ndcs(const struct csg__source *s, struct gpube_rng *rng, uint64_t c, int k)
{
	double v;

	(void)s;
	(void)c;
	do
		v = csg__draw_normal(rng, k, sqrt(k));
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

const char *csg__distribution(int k)
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

struct making {
	const struct csg__source *s;
	struct gpube_ctx *ctx;
	int64_t n, n_made; /* chunks */
};

static void fill_chunk(void *arg, int64_t item, int thread)
{
	struct making *m = arg;
	int64_t n_made;

	if (gpube__stopped(m->ctx))
		return;
	make_chunk(m->s, (uint64_t)item);
	n_made = __atomic_add_fetch(&m->n_made, 1, __ATOMIC_RELAXED);
	if (thread == 0 && !m->s->fill.n) /* a part is not worth a word */
		gpube__progress(m->ctx, (double)n_made / (double)m->n, "generating");
}

static void draw_agents(struct csg__source *s)
{
	struct gpube_fill *f = &s->fill;
	struct gpube_rng rng;

	gpube__rng_init(&rng, f->seed);
	for (int i = 0; i < f->n_bits; i++) {
		if (s->value == agent_normal)
			f->agent[i] = fmax(0, csg__draw_normal(&rng, 10, 0.1));
		else if (!s->value && f->draw == GPUBE_DRAW_VOTING)
			f->agent[i] = 1 + (double)gpube__rng_below(&rng, 10);
		else
			f->agent[i] = 10 * gpube__rng_unit(&rng);
		f->quota += f->agent[i] / 3;
	}
}

int csg__find_distribution(
	int *k, struct gpube_ctx *ctx, const char *name, const char *(*name_of)(int k))
{
	char names[300] = "";
	size_t n = 0;

	for (*k = 0; name_of(*k); ++*k) {
		if (strcmp(name, name_of(*k)) == 0)
			return GPUBE_OK;
		if (n < sizeof(names)) /* what does not fit is cut off */
			n += (size_t)snprintf(
				names + n, sizeof(names) - n, "%s%s", *k ? ", " : "", name_of(*k));
	}
	return gpube__fail(
		ctx, GPUBE_EINVAL, "no such distribution: '%.100s'; there are %s", name, names);
}

int csg__source_init(struct csg__source *s, struct gpube_ctx *ctx, const char *distribution,
	int n_agents, enum gpube_type type, uint64_t seed)
{
	int status = gpube__coalitions_check(ctx, n_agents, type), k;

	if (!status)
		status = csg__find_distribution(&k, ctx, distribution, csg__distribution);
	if (status)
		return status;
	*s = (struct csg__source){.value = distributions[k].value};
	s->fill.type = type;
	s->fill.draw = distributions[k].draw;
	s->fill.n_bits = n_agents;
	s->fill.seed = seed;
	s->fill.scale = gpube__fill_scale(s->fill.type);
	s->fill.most = type == GPUBE_INT16 ? INT16_MAX : INFINITY;
	draw_agents(s);
	return GPUBE_OK;
}

int csg__source_values(const struct csg__source *s, struct gpube_ctx *ctx)
{
	struct making m = {s, ctx, (int64_t)gpube__fill_chunks(&s->fill), 0};

	gpube__parallel(ctx, m.n, fill_chunk, &m);
	return gpube__stopped(ctx) ? gpube__fail_stopped(ctx) : GPUBE_OK;
}

/* ---- values that are made when they are asked for ---------------------------------------------
 */

bool csg__source_on(const struct csg__view *g, const struct gpube_subset_ops *ops)
{
	return g->source && (ops == gpube__subset_cpu() || !g->source->value);
}

int csg__source_fill(const struct csg__view *g, const struct gpube_subset_ops *ops,
	enum gpube_type type, void *to, uint64_t from, uint64_t n)
{
	struct csg__source s = csg__source_part(g->source, to, from, n);

	s.fill.type = type;
	return ops == gpube__subset_cpu() ? csg__source_values(&s, g->ctx)
					  : ops->fill(g->ctx, &s.fill);
}

void csg__source_make(const struct csg__view *g, void *to, uint64_t from, uint64_t n)
{
	const struct csg__source s = csg__source_part(g->source, to, from, n);

	make_chunk(&s, 0);
}
