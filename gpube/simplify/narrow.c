/* narrow.c - an assignment that cuts costs off, found by local search. See narrow.h. */
#include "gpube/simplify/narrow.h"

#include <string.h>

#include "gpube/ir/graph.h"

/* Cells that the search reads, at most, and from one look for a stop to the next. */
enum { MOST_READ = 1 << 26, READ_BETWEEN_CHECKS = 1 << 14 };

/* Local optima in a row that are no better, after which the search ends. */
enum { MOST_IDLE = 200 };

/* ---- what fits ------------------------------------------------------------------------------ */

static bool in_64_bits(gpube__wide_cost v)
{
	return v > -INT64_MAX && v < INT64_MAX;
}

/* The least total that counts as forbidden, less the least of all. */
static gpube__wide_cost reach(const struct gpube_live *s)
{
	return s->has_top && s->top - s->low <= s->span ? s->top - s->low : s->span + 1;
}

/*
 * Whether every finite total fits 64 bits and is less than 2^62 - 1 above the least, so that
 * functions may be merged, for which no cost may have been cut off; with 'sums', also whether twice
 * a sum of all functions, each of them forbidden, does. Evidence that is not conditioned makes
 * functions, too.
 */
static bool fits(struct gpube_live *s, bool sums)
{
	const struct gpube_model *m = s->m;
	gpube__wide_cost n = (gpube__wide_cost)m->n_functions + 1;

	s->span = 0;
	for (int32_t k = 0; k < m->n_functions; k++) {
		if (s->f[k].max >= GPUBE__COST_LIMIT)
			return false;
		s->span += s->f[k].max - s->f[k].min;
	}
	if (s->span >= GPUBE__COST_LIMIT || !in_64_bits(s->low) || !in_64_bits(s->low + s->span))
		return false;
	if (!s->reductions && m->evidence)
		n += m->n_vars;
	return !sums || 2 * n * reach(s) <= INT64_MAX;
}

static int refuse(const struct gpube_live *s)
{
	for (int32_t k = 0; k < s->m->n_functions; k++)
		if (s->f[k].max >= GPUBE__COST_LIMIT)
			return gpube__fail(s->m->ctx, GPUBE_ERANGE,
				"costs of function %d are 2^62 and more apart", k);
	return gpube__fail(s->m->ctx, GPUBE_ERANGE,
		"the finite costs of assignments can pass 2^63, or be 2^62 apart: "
		"at least %.6g, at most %.6g units of 10^-%d",
		(double)s->low, (double)(s->low + s->span), s->m->scale);
}

/* ---- the search ------------------------------------------------------------------------------ */

/*
 * Variable by variable the value that costs least, until none is better; then one of the dearest
 * function's variables gets another value, and again. A forbidden cell costs more than all others
 * together, so that sums of 2^31 of them are above 128 bits: they are counted apart.
 */
struct search {
	struct gpube_live *s;
	struct gpube_incidence functions;
	struct gpube_rng rng;
	int32_t *values, *best;
	int32_t *queue; /* a ring of variables whose functions have changed */
	bool *queued;
	int64_t head, n_queued;
	int64_t n_read, until_check;
	bool stopped;
};

struct price {
	int64_t n_forbidden;
	gpube__wide_cost cost;
};

static bool cheaper(const struct price *a, const struct price *b)
{
	return a->n_forbidden != b->n_forbidden ? a->n_forbidden < b->n_forbidden
						: a->cost < b->cost;
}

static void add_price(struct search *c, struct price *p, int32_t function)
{
	gpube__wide_cost v = gpube__wide_price(c->s, function, c->values);
	const int64_t reads = 1 + c->s->m->functions[function].arity;

	if (v == GPUBE__WIDE_FORBIDDEN)
		p->n_forbidden++;
	else
		p->cost += v;
	c->n_read += reads;
	c->until_check -= reads;
	if (c->until_check <= 0) {
		c->until_check = READ_BETWEEN_CHECKS;
		c->stopped |= gpube__stopped(c->s->m->ctx);
	}
}

static bool over(const struct search *c)
{
	return c->stopped || c->n_read >= MOST_READ;
}

static struct price price_at(struct search *c, int32_t i, int32_t a)
{
	struct price p = {0};

	c->values[i] = a;
	for (int64_t u = c->functions.start[i]; u < c->functions.start[i + 1]; u++)
		add_price(c, &p, c->functions.of[u]);
	return p;
}

/* Evidence that is not conditioned leaves one value, too. */
static int32_t n_choices(const struct gpube_live *s, int32_t i)
{
	return s->m->evidence && s->m->evidence[i] >= 0 ? 1 : s->n[i];
}

static bool improve(struct search *c, int32_t i)
{
	const struct gpube_live *s = c->s;
	const int32_t *list = s->list + s->start[i], before = c->values[i];
	struct price least = price_at(c, i, before);
	int32_t value = before;

	for (int32_t j = 0; j < s->n[i] && !over(c); j++) {
		struct price p = price_at(c, i, list[j]);

		if (!cheaper(&p, &least))
			continue;
		least = p;
		value = list[j];
	}
	c->values[i] = value;
	return value != before;
}

static void enqueue(struct search *c, int32_t i)
{
	if (c->queued[i] || n_choices(c->s, i) < 2)
		return;
	c->queued[i] = true;
	c->queue[(c->head + c->n_queued++) % c->s->m->n_vars] = i;
}

static void enqueue_scope(struct search *c, int32_t function)
{
	for (int k = 0; k < c->s->m->functions[function].arity; k++)
		enqueue(c, gpube__scope(c->s->m, function)[k]);
}

static void descend(struct search *c)
{
	while (c->n_queued && !over(c)) {
		const int32_t i = c->queue[c->head];

		c->head = (c->head + 1) % c->s->m->n_vars;
		c->n_queued--;
		c->queued[i] = false;
		if (!improve(c, i))
			continue;
		for (int64_t u = c->functions.start[i]; u < c->functions.start[i + 1]; u++)
			enqueue_scope(c, c->functions.of[u]);
	}
}

/*
 * Another value for one variable of the function, at which it stays until those beside it have
 * looked again: they would not get out of a local optimum otherwise.
 */
static void kick(struct search *c, int32_t function)
{
	const struct gpube_live *s = c->s;
	const int arity = s->m->functions[function].arity;
	const int32_t i =
		arity ? gpube__scope(s->m, function)[gpube__rng_below(&c->rng, (uint64_t)arity)]
		      : -1;

	if (i < 0 || n_choices(s, i) < 2)
		return;
	c->values[i] = s->list[s->start[i] + (int64_t)gpube__rng_below(&c->rng, (uint64_t)s->n[i])];
	c->queued[i] = true; /* so that it is not */
	for (int64_t u = c->functions.start[i]; u < c->functions.start[i + 1]; u++)
		enqueue_scope(c, c->functions.of[u]);
	c->queued[i] = false;
}

/* The price of everything; *dearest: the function farthest above its least cost. */
static struct price price_all(struct search *c, int32_t *dearest)
{
	const struct gpube_live *s = c->s;
	struct price all = {0, gpube__wide_constant(s)};
	gpube__wide_cost most = -1;

	*dearest = -1;
	for (int32_t f = 0; f < s->m->n_functions && !c->stopped; f++) {
		struct price p = {0};
		gpube__wide_cost above;

		add_price(c, &p, f);
		all.n_forbidden += p.n_forbidden;
		all.cost += p.cost;
		above = p.n_forbidden
				? GPUBE__WIDE_FORBIDDEN
				: p.cost - (s->negate ? -(gpube__wide_cost)gpube__live_least(s, f)
						      : gpube__live_least(s, f));
		if (above < most || (above == most && gpube__rng_below(&c->rng, 2)))
			continue;
		most = above;
		*dearest = f;
	}
	return all;
}

static void run_search(struct search *c, struct price *least)
{
	const struct gpube_model *m = c->s->m;
	int32_t dearest;

	for (int32_t i = 0; i < m->n_vars; i++)
		c->values[i] = m->evidence && m->evidence[i] >= 0 ? m->evidence[i]
								  : c->s->list[c->s->start[i]];
	for (int32_t f = 0; f < m->n_functions; f++)
		enqueue_scope(c, f);
	for (int idle = 0; idle < MOST_IDLE && !over(c); idle++) {
		struct price p;

		descend(c);
		p = price_all(c, &dearest);
		if (c->stopped || dearest < 0)
			break;
		if (idle == 0 || cheaper(&p, least)) {
			*least = p;
			memcpy(c->best, c->values, (size_t)m->n_vars * sizeof(*c->best));
			idle = 0;
		}
		kick(c, dearest);
	}
}

/*
 * The known assignment with its total as the last that is allowed; *found: there is one below top.
 */
static int find_known(struct gpube_live *s, int32_t *known, bool *found)
{
	const struct gpube_model *m = s->m;
	struct search c = {.s = s, .best = known, .until_check = READ_BETWEEN_CHECKS};
	struct price least = {.n_forbidden = 1};
	int status;

	*found = false;
	gpube__rng_init(&c.rng, 1);
	c.values = gpube__alloc(m->ctx, (uint64_t)m->n_vars, sizeof(*c.values));
	c.queue = gpube__alloc(m->ctx, (uint64_t)m->n_vars, sizeof(*c.queue));
	c.queued = gpube__alloc_zero(m->ctx, (uint64_t)m->n_vars, sizeof(*c.queued));
	status = c.values && c.queue && c.queued ? gpube__incidence_of_model(&c.functions, m)
						 : GPUBE_ENOMEM;
	if (!status) {
		run_search(&c, &least);
		if (c.stopped)
			status = gpube__fail_stopped(m->ctx);
	}
	if (!status && !least.n_forbidden && (!s->has_top || least.cost < s->top)) {
		*found = s->has_top = true;
		s->top = least.cost + 1;
	}
	gpube__incidence_clear(m->ctx, &c.functions);
	GPUBE_FREE_ALL(m->ctx, c.values, c.queue, c.queued);
	return status;
}

int gpube__narrow(struct gpube_model **out, struct gpube_live *s, enum gpube__narrowing narrowing,
	int32_t *known, bool *found)
{
	int status;

	*out = NULL;
	*found = false;
	if (fits(s, narrowing == GPUBE__SUMS))
		return GPUBE_OK;
	if (narrowing == GPUBE__WHOLE)
		return refuse(s);
	status = find_known(s, known, found);
	if (!status && *found)
		status = gpube__live_propagate(s);
	if (status || s->infeasible || (*found && fits(s, true)))
		return status;
	status = gpube__wide_eliminate(out, s, known);
	if (status == GPUBE_ELIMIT)
		return refuse(s);
	*found = !status && *out;
	return status;
}
