/* contract_path.c - see contract_path.h. */
#include "gpube/ops/contract/contract_path.h"

#include <math.h>
#include <string.h>

/*
 * Numbers name the folder of benchmarks/runs that they come from.
 *
 * What boxes take of what was predicted, and two launches besides: contract-h200.
 */
#define BOX_CYCLES 1.5
#define BOX_LAUNCH 16000.0

/*
 * In a batch of many forms a launch for each is what takes long, so that those of few contractions
 * are boxes of common launches; unless so few contractions are sooner done alone, by plans that are
 * kept, than boxes are searched for: of mini-buckets on a card that was nearly all of the
 * time (bounds-h200).
 */
#define MANY_FORMS 16
#define FEW        32

/* Times what the bytes take: boxes do better where there is more to do (contract-h200). */
#define STRIP_MOST 2.0

/*
 * The general kernel: its descriptor and launch, then a thread for each output cell, which divides
 * its way through the dims of every operand (bounds-h200, buckets alone on the card).
 */
#define GENERAL_LAUNCH  24000.0
#define GENERAL_DIVIDE  80.0
#define GENERAL_READ    20.0
#define GENERAL_SM_RATE 128.0 /* instructions of a multiprocessor in a cycle */
#define GENERAL_WAITING 3.0   /* what few threads wait for, to what they issue */
#define GENERAL_REDUCED 512   /* a thread with more of them is not foreseen here */

#define CLOCK 1.98e9 /* cycles in a second: contract-h200 */

/* ---- the families' parts ------------------------------------------------------------------- */

static double general_cycles(const struct gpube__shape *s, const struct gpube__box_device *device)
{
	const double issued =
		s->n_in * (s->n_out * GENERAL_DIVIDE + (double)s->n_reduced * GENERAL_READ);
	const double threads = (double)s->n_out_cells / (device->n_sms * GENERAL_SM_RATE);

	if (s->n_reduced > GENERAL_REDUCED)
		return INFINITY;
	return GENERAL_LAUNCH + issued * fmax(threads, GENERAL_WAITING);
}

bool gpube__general_applies(const struct gpube__request *r)
{
	(void)r;
	return true;
}

/* Where there are direct tiles, those are taken, however short it would be. */
bool gpube__general_plan(struct gpube__cuda_plan *p, double *cycles, const struct gpube__request *r)
{
	(void)p;
	*cycles = r->forced || r->in_batch || gpube__direct_applies(r)
			  ? INFINITY
			  : general_cycles(r->s, r->device);
	return true;
}

bool gpube__direct_applies(const struct gpube__request *r)
{
	return gpube__is_plain(r->c) && r->s->n_in > 0 && r->s->n_in <= N_DIRECT_TABLES &&
	       r->s->n_dims <= r->s->n_out + 1;
}

bool gpube__direct_search(
	struct gpube__cuda_plan *p, double *cycles, const struct gpube__request *r)
{
	return gpube__direct_plan(&p->direct, cycles, r->device, r->c, r->s, r->in_batch);
}

bool gpube__strips_apply(const struct gpube__request *r)
{
	return !r->in_batch && gpube__is_plain(r->c) && r->s->n_in > 0 &&
	       r->s->n_in <= GPUBE_STRIP_OPS && r->s->n_dims == r->s->n_out + 1 &&
	       r->s->n_out > 0 && r->s->n_reduced <= 4 * GPUBE_STRIP_THREADS;
}

bool gpube__strips_search(
	struct gpube__cuda_plan *p, double *cycles, const struct gpube__request *r)
{
	const double most = r->forced ? INFINITY : STRIP_MOST;

	return gpube__strip_plan(&p->strip, cycles, r->device, most, r->c, r->s);
}

bool gpube__boxes_apply(const struct gpube__request *r)
{
	return r->c->semiring == GPUBE_MIN_PLUS && r->s->n_in > 0 && r->s->n_in <= GPUBE_BOX_IN &&
	       r->s->n_dims <= GPUBE_BOX_DIMS && r->s->n_reduced <= INT32_MAX;
}

bool gpube__boxes_search(struct gpube__cuda_plan *p, double *cycles, const struct gpube__request *r)
{
	const struct gpube__box *b = &p->box;

	if (!gpube__box_plan(&p->box, r->device, r->c, r->s, r->in_batch))
		return false;
	*cycles = b->cycles;
	if (!r->in_batch)
		*cycles = b->cycles * (b->kernel == BOX_8X8_PLAIN ? 1 : BOX_CYCLES) + BOX_LAUNCH;
	return true;
}

int gpube__family_of(const struct gpube__planning *g, const char *name)
{
	int k = 0;

	while (name && k < GPUBE_N_FAMILIES && strcmp(g->families[k].name, name) != 0)
		k++;
	return !name ? GPUBE_BY_ANY : k < GPUBE_N_FAMILIES ? k : GPUBE_BY_ANY + 1;
}

/* ---- the search ------------------------------------------------------------------------------ */

static double now(const struct gpube__planning *g)
{
	return g->now ? g->now() : gpube__now();
}

static unsigned bit(enum gpube__by k)
{
	return 1u << k;
}

/* Cycles from which on a search of this family pays, for a shape. */
static double worth_of(
	const struct gpube__planning *g, enum gpube__by k, const struct gpube__shape *s)
{
	return g->families[k].worth * (s->n_out > 1 ? s->n_out : 1);
}

/* Whether there is time for one more search: all of them shall take no longer than all kernels. */
static bool can_spare(const struct gpube__planning *g, double cycles)
{
	return g->planned <= g->predicted + cycles / CLOCK;
}

/* Plans of the families in 'which', those that are worth it; all of them if it is 'eager'. */
static void search(struct gpube__cuda_plan *p, struct gpube__planning *g,
	const struct gpube__request *r, unsigned which, bool eager)
{
	for (enum gpube__by k = 0; k < GPUBE_N_FAMILIES; k++) {
		const struct gpube__family *f = &g->families[k];
		double cycles, begin, took;

		if (!(which & ~p->tried & bit(k)) || !f->applies(r))
			continue;
		if (!eager && f->worth > 0 &&
			(p->cycles + p->spent <= worth_of(g, k, r->s) || !can_spare(g, p->cycles)))
			continue;
		p->tried |= bit(k);
		begin = now(g);
		if (f->plan(p, &cycles, r) && cycles < p->cycles) {
			p->by = k;
			p->cycles = cycles;
		}
		took = now(g) - begin;
		g->use[k].planning += took;
		g->planned += took;
	}
}

static void begin(struct gpube__cuda_plan *p)
{
	p->by = GPUBE_BY_GENERAL;
	p->tried = 0;
	p->cycles = INFINITY;
	p->spent = 0;
}

/*
 * The plan that is predicted to be fastest, of those worth looking for, or that of one family; of a
 * batch all that it can take is searched for at once. Later calls for the same shape make it
 * better.
 */
static void make_plan(struct gpube__cuda_plan *p, struct gpube__planning *g, enum gpube__by only,
	const struct gpube_contraction *c, const struct gpube__shape *s, bool in_batch)
{
	const bool any = only == GPUBE_BY_ANY;
	const struct gpube__request r = {&g->device, c, s, in_batch, !any};

	if (!p->tried)
		begin(p);
	search(p, g, &r, any ? ~0u : bit(GPUBE_BY_GENERAL) | bit(only), !any || in_batch);
	/* what the wanted family cannot do */
	if (!any && only != GPUBE_BY_GENERAL && p->by == GPUBE_BY_GENERAL)
		search(p, g, &r, bit(GPUBE_BY_BOXES), true);
}

void gpube__cuda_plan_batch(struct gpube__cuda_plan *p, struct gpube__planning *g,
	const struct gpube_contraction *c, const struct gpube__shape *s, int64_t n, int64_t n_forms)
{
	const bool any = g->only == GPUBE_BY_ANY, shares = any && n_forms > MANY_FORMS && n < FEW;
	const struct gpube__request r = {&g->device, c, s, true, false};
	const double all = (double)n * general_cycles(s, &g->device);

	begin(p);
	if (!any || (all > worth_of(g, GPUBE_BY_BOXES, s) && can_spare(g, all)))
		make_plan(p, g, shares ? GPUBE_BY_BOXES : g->only, c, s, true);
	else
		search(p, g, &r, bit(GPUBE_BY_GENERAL) | (shares ? 0 : bit(GPUBE_BY_DIRECT)), true);
	if (p->cycles < INFINITY)
		g->predicted += (double)n * p->cycles / CLOCK;
}

/* ---- plans that are kept ---------------------------------------------------------------- */

static int take(struct gpube_ctx *ctx, void **place)
{
	struct gpube__cuda_plan *plan = gpube__alloc(ctx, 1, sizeof(*plan));

	if (!plan)
		return GPUBE_ENOMEM;
	begin(plan);
	*place = plan;
	return GPUBE_OK;
}

int gpube__cuda_plans_get(const struct gpube__cuda_plan **out, struct gpube__planning *g,
	struct gpube_ctx *ctx, const struct gpube_contraction *c, const struct gpube__shape *s)
{
	int64_t key[GPUBE_KEPT_KEY(GPUBE_BOX_IN)];
	const uint64_t bytes = gpube__kept_key(key, g->only, c, s);
	struct gpube__cuda_plan *plan;
	void **place;

	*out = NULL;
	g->plans.drop = gpube__free;
	place = gpube__kept_place(&g->plans, ctx, key, bytes);
	if (!place || (!*place && take(ctx, place)))
		return GPUBE_ENOMEM;
	plan = *place;
	make_plan(plan, g, g->only, c, s, false);
	plan->spent += plan->cycles;
	if (plan->cycles < INFINITY)
		g->predicted += plan->cycles / CLOCK;
	*out = plan;
	return GPUBE_OK;
}
