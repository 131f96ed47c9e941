/*
 * distributions.c - seeded random games: the distributions of the literature on
 * coalition structures, and games made to be hard for method lp.
 *
 * Each block of 2^12 coalitions has a random stream of its own, so that a game is
 * the same on any number of threads.
 */
#include <math.h>

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

/* Numbers of the distributions that are no enum gpube_draw, in the order of their words. */
enum {
	NORMAL = 1,
	MODIFIED_NORMAL = 3,
	EXPONENTIAL,
	BETA,
	GAMMA,
	AGENT_NORMAL = 8,
	NDCS,
	HUMP = 12,
};

/* In that order; 0: values are made here. */
static const enum gpube_draw draws[] = {GPUBE_DRAW_UNIFORM, 0, GPUBE_DRAW_MODIFIED_UNIFORM, 0, 0, 0,
	0, GPUBE_DRAW_AGENT_UNIFORM, 0, 0, GPUBE_DRAW_THRESHOLD, GPUBE_DRAW_VOTING, 0,
	GPUBE_DRAW_NEAR_TIES};

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

static double value_of(const struct csg__source *s, struct gpube_rng *rng, uint64_t c, int k)
{
	double v, x;

	switch (s->here) {
	case NORMAL:
		return fmax(0, k * csg__draw_normal(rng, 10, 0.1));
	case MODIFIED_NORMAL:
		v = fmax(0, k * csg__draw_normal(rng, 10, 0.1));
		return gpube__rng_below(rng, 100) < 21 ? v + csg__draw_normal(rng, 25, 0.1) : v;
	case EXPONENTIAL:
		return k * -log(positive(rng));
	case BETA: /* the arcsine law is Beta(1/2, 1/2) */
		x = sin(1.5707963267948966 * gpube__rng_unit(rng));
		return k * x * x;
	case GAMMA:
		v = log(positive(rng));
		return k * -2 * (v + log(positive(rng)));
	case AGENT_NORMAL:
		return agent_normal(s, rng, c, k);
	case NDCS:
		do
			v = csg__draw_normal(rng, k, sqrt(k));
		while (!(v > 0));
		return v;
	default: /* HUMP: best are coalitions of about a third of the agents, all alike */
		x = k / (double)s->fill.n_bits;
		return 100 * k * exp(-8 * (x - 0.35) * (x - 0.35)) + gpube__rng_unit(rng);
	}
}

/* As gpube__fill_chunk(). */
static void make_chunk(const struct csg__source *s, uint64_t i)
{
	const struct gpube_fill *f = &s->fill;
	const uint64_t chunk = (f->from >> GPUBE_FILL_BITS) + i, end = gpube__fill_end(f);
	const uint64_t first = chunk << GPUBE_FILL_BITS;
	struct gpube_rng rng;
	double v = 0;

	if (!s->here) {
		gpube__fill_chunk(f, i);
		return;
	}
	gpube__fill_rng(&rng, f->seed, chunk);
	for (uint64_t c = first; c < end && c < first + (1 << GPUBE_FILL_BITS); c++) {
		if (c)
			v = value_of(s, &rng, c, __builtin_popcountll(c));
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
		if (s->here == AGENT_NORMAL)
			f->agent[i] = fmax(0, csg__draw_normal(&rng, 10, 0.1));
		else if (!s->here && f->draw == GPUBE_DRAW_VOTING)
			f->agent[i] = 1 + (double)gpube__rng_below(&rng, 10);
		else
			f->agent[i] = 10 * gpube__rng_unit(&rng);
		f->quota += f->agent[i] / 3;
	}
}

void csg__source_init(struct csg__source *s, const struct gpube_opts *o)
{
	const enum gpube_draw draw = draws[o->coalition_distribution];
	/* the words of 'type' are those of enum gpube_type, from INT16 on */
	const enum gpube_type type = (enum gpube_type)(o->coalition_type + GPUBE_INT16);

	*s = (struct csg__source){.here = draw ? 0 : o->coalition_distribution,
		.fill = {.type = type,
			.draw = draw,
			.n_bits = o->n_agents,
			.seed = (uint64_t)o->seed,
			.scale = gpube__fill_scale(type),
			.most = type == GPUBE_INT16 ? INT16_MAX : INFINITY}};
	draw_agents(s);
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
	return g->source && (ops == gpube__subset_cpu() || !g->source->here);
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
