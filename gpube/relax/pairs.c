/* pairs.c - tables of variables and pairs, made from a model, and what is read off them. */
#include "gpube/relax/pairs.h"

#include <math.h>
#include <string.h>

#include "gpube/base/rows.h"

/* Work: a cell of a model's table. */
enum { MADE_TICKS = 10 };

void gpube__pairs_clear(struct gpube_pairs *c)
{
	for (int32_t p = 0; p < c->n_pairs; p++)
		gpube__free(c->ctx, c->pairs[p].t);
	gpube__free(c->ctx, c->pairs);
	gpube__arrays_clear(&c->memory);
	memset(c, 0, sizeof(*c));
}

/* ---- tables ---------------------------------------------------------------------------------- */

/* A sum of two costs in a table. */
static int32_t add(int32_t x, int32_t y)
{
	return x + y >= GPUBE__DEAD || x + y < 0 ? GPUBE__DEAD : x + y;
}

/* A padded table, dead where it has no cells of a function. */
static int load_pair(
	struct gpube_pairs *c, const int32_t *scope, const int64_t *costs, int64_t left)
{
	const int32_t a = scope[0] < scope[1] ? scope[0] : scope[1], b = scope[0] + scope[1] - a;
	const int64_t row = gpube__row(c, b);
	int32_t *t;

	if (gpube__grow(c->ctx, &c->pairs, &c->pairs_capacity, (int64_t)c->n_pairs + 1,
		    sizeof(*c->pairs)))
		return GPUBE_ENOMEM;
	t = gpube__alloc(c->ctx, (uint64_t)c->domain[a] * (uint64_t)row, sizeof(*t));
	if (!t)
		return GPUBE_ENOMEM;
	for (int64_t k = 0; k < c->domain[a] * row; k++)
		t[k] = k % row < c->domain[b]
			       ? gpube__scale(c->shift, costs[k / row * c->domain[b] + k % row],
					 left, GPUBE__DEAD)
			       : GPUBE__DEAD;
	c->pairs[c->n_pairs++] = (struct gpube_pair){a, b, t};
	return GPUBE_OK;
}

/* Until all are loaded each function has a table of its own. */
static int load_function(struct gpube_pairs *c, const struct gpube_model *m, int32_t f,
	int64_t left, int64_t *bytes_left)
{
	const int32_t *scope = gpube__scope(m, f);
	const int arity = m->functions[f].arity;
	const int64_t cells = gpube__cells(m, arity, scope);
	int64_t *costs;
	int status;

	if (arity == 0)
		return GPUBE_OK;
	if (arity > 2 || cells < 0 || cells > *bytes_left / 8)
		return gpube__fail(c->ctx, GPUBE_ELIMIT,
			"regions: a function is not of a pair, or too large for the memory");
	*bytes_left -= 8 * cells;
	status = gpube__dense_new(&costs, m, f, NULL);
	if (!status && arity == 2)
		status = load_pair(c, scope, costs, left);
	for (int64_t x = 0; !status && arity == 1 && x < cells; x++)
		c->unary[*scope][x] = add(
			c->unary[*scope][x], gpube__scale(c->shift, costs[x], left, GPUBE__DEAD));
	gpube__free(c->ctx, costs);
	return status;
}

static int compare_pairs(const void *x, const void *y)
{
	const struct gpube_pair *p = x, *q = y;

	if (p->a != q->a)
		return p->a < q->a ? -1 : 1;
	return (p->b > q->b) - (p->b < q->b);
}

/* Sorts the pairs and adds up those of the same variables. */
static void merge_pairs(struct gpube_pairs *c)
{
	int32_t n = 0;

	if (c->n_pairs)
		qsort(c->pairs, (size_t)c->n_pairs, sizeof(*c->pairs), compare_pairs);
	for (int32_t p = 0; p < c->n_pairs; p++) {
		struct gpube_pair *to = n ? &c->pairs[n - 1] : NULL;

		if (!to || compare_pairs(to, &c->pairs[p])) {
			c->pairs[n++] = c->pairs[p];
			continue;
		}
		for (int64_t k = 0; k < c->domain[to->a] * gpube__row(c, to->b); k++)
			to->t[k] = add(to->t[k], c->pairs[p].t[k]);
		gpube__free(c->ctx, c->pairs[p].t);
	}
	c->n_pairs = n;
}

static int list_near(struct gpube_pairs *c)
{
	c->near_at = gpube__array(&c->memory, (uint64_t)c->n + 2, sizeof(*c->near_at));
	c->near = gpube__array(&c->memory, 2 * (uint64_t)c->n_pairs, sizeof(*c->near));
	if (c->memory.failed)
		return GPUBE_ENOMEM;
	for (int32_t p = 0; p < c->n_pairs; p++) {
		GPUBE_ROW_COUNT(c->near_at, c->pairs[p].a);
		GPUBE_ROW_COUNT(c->near_at, c->pairs[p].b);
	}
	GPUBE_ROWS_BEGIN(c->near_at, c->n);
	for (int32_t p = 0; p < c->n_pairs; p++) {
		c->near[GPUBE_ROW_PLACE(c->near_at, c->pairs[p].a)] = p;
		c->near[GPUBE_ROW_PLACE(c->near_at, c->pairs[p].b)] = p;
	}
	return GPUBE_OK;
}

static int make_variables(struct gpube_pairs *c, const struct gpube_model *m)
{
	const uint64_t n = (uint64_t)m->n_vars;

	c->domain = gpube__array(&c->memory, n, sizeof(*c->domain));
	c->value = gpube__array(&c->memory, n, sizeof(*c->value));
	c->unary = gpube__array(&c->memory, n, sizeof(*c->unary));
	for (int32_t i = 0; i < c->n && !c->memory.failed; i++) {
		const uint64_t domain = (uint64_t)m->vars[i].domain;

		c->domain[i] = m->vars[i].domain;
		c->value[i] = gpube__array(&c->memory, domain, sizeof(**c->value));
		c->unary[i] = gpube__array(&c->memory, domain, sizeof(**c->unary));
		for (int32_t a = 0; a < c->domain[i] && c->value[i]; a++)
			c->value[i][a] = a;
	}
	return c->memory.failed ? GPUBE_ENOMEM : GPUBE_OK;
}

int gpube__pairs_init(
	struct gpube_pairs *c, const struct gpube_model *m, int64_t cutoff, int most_shift)
{
	const int64_t left = gpube__costs_left(m, cutoff);
	int64_t bytes_left = (int64_t)(m->ctx->memory_bytes / 2);
	int status;

	*c = (struct gpube_pairs){.ctx = m->ctx, .memory.ctx = m->ctx, .n = m->n_vars};
	c->shift = gpube__scale_shift(m, left, GPUBE__SLACK_MAX, most_shift);
	c->target = gpube__scale_target(c->shift, left);
	status = make_variables(c, m);
	for (int32_t f = 0; f < m->n_functions && !status; f++)
		status = load_function(c, m, f, left, &bytes_left);
	if (!status) {
		merge_pairs(c);
		status = list_near(c);
	}
	gpube__work(c->ctx, MADE_TICKS * gpube__model_cells(m));
	if (status)
		gpube__pairs_clear(c);
	return status;
}

/* ---- reading off ----------------------------------------------------------------------------- */

void gpube__pairs_decode(const struct gpube_pairs *c, int32_t *values, struct gpube_rng *rng)
{
	int32_t first = c->n ? (int32_t)gpube__rng_below(rng, (uint64_t)c->n) : 0;

	for (int32_t k = 0; k < c->n; k++)
		values[k] = -1; /* indices among the live values, until the end */
	for (int32_t k = 0; k < c->n; k++) {
		int32_t i = (first + k) % c->n;
		int64_t best = INT64_MAX;

		for (int32_t x = 0; x < c->domain[i]; x++) {
			int64_t sum = c->unary[i][x];

			for (int32_t j = c->near_at[i]; j < c->near_at[i + 1]; j++) {
				const struct gpube_pair *e = &c->pairs[c->near[j]];

				if (e->a == i && values[e->b] >= 0)
					sum += e->t[x * gpube__row(c, e->b) + values[e->b]];
				if (e->b == i && values[e->a] >= 0)
					sum += e->t[values[e->a] * gpube__row(c, e->b) + x];
			}
			if (sum < best) {
				best = sum;
				values[i] = x;
			}
		}
	}
	for (int32_t i = 0; i < c->n; i++)
		values[i] = c->value[i][values[i]];
}

double gpube__pairs_states(const struct gpube_pairs *c)
{
	double sum = 0;

	for (int32_t i = 0; i < c->n; i++)
		sum += log10(c->domain[i]);
	return sum;
}

/* ---- a choice of values --------------------------------------------------------------------- */

void gpube__pairs_marginals(const struct gpube_pairs *c, int32_t i, int64_t *sum)
{
	int32_t least[1024] = {0};

	for (int32_t x = 0; x < c->domain[i]; x++)
		sum[x] = c->unary[i][x];
	if (c->domain[i] > 1024)
		return;
	for (int32_t k = c->near_at[i]; k < c->near_at[i + 1]; k++) {
		const struct gpube_pair *e = &c->pairs[c->near[k]];

		for (int32_t x = 0; x < c->domain[i]; x++)
			least[x] = GPUBE__DEAD;
		for (int32_t x = 0; x < c->domain[e->a]; x++)
			for (int32_t y = 0; y < c->domain[e->b]; y++) {
				int32_t t = e->t[x * gpube__row(c, e->b) + y],
					*to = &least[e->a == i ? x : y];

				*to = t < *to ? t : *to;
			}
		for (int32_t x = 0; x < c->domain[i]; x++)
			sum[x] += least[x];
	}
}

/* The mean cost of a pair, dead cells at what is missing to the cutoff. */
static double weight(const struct gpube_pairs *c, const struct gpube_pair *e)
{
	const int32_t slack = gpube__slack(c);
	double sum = 0;

	for (int32_t x = 0; x < c->domain[e->a]; x++) {
		const int32_t *t = e->t + x * gpube__row(c, e->b);

		for (int32_t y = 0; y < c->domain[e->b]; y++)
			sum += t[y] < slack ? t[y] : slack;
	}
	return sum / c->domain[e->a] / c->domain[e->b];
}

/*
 * The variable to split: of the most mean costs for the root of its values. The values themselves,
 * no division, and what the dearer half forces all needed more parts: the last
 * splits all variables a little, and it is decided ones that make triples as strong as quads.
 */
int32_t gpube__pairs_choose(const struct gpube_pairs *c)
{
	double best = -1;
	int32_t chosen = -1;

	for (int32_t i = 0; i < c->n; i++) {
		double sum = 1;

		if (c->domain[i] < 2)
			continue;
		for (int32_t k = c->near_at[i]; k < c->near_at[i + 1]; k++)
			sum += weight(c, &c->pairs[c->near[k]]);
		if (sum / sqrt(c->domain[i]) > best) {
			best = sum / sqrt(c->domain[i]);
			chosen = i;
		}
	}
	return chosen;
}

/* Marks the half of the values that force less; among equals, the first ones. */
int gpube__pairs_halve(const struct gpube_pairs *c, int32_t var, uint8_t *keep)
{
	const int32_t d = c->domain[var];
	int64_t *sum = gpube__alloc(c->ctx, 2 * (uint64_t)d, sizeof(*sum)), at;
	int32_t n = 0;

	if (!sum)
		return GPUBE_ENOMEM;
	gpube__pairs_marginals(c, var, sum);
	memcpy(sum + d, sum, (size_t)d * sizeof(*sum));
	qsort(sum + d, (size_t)d, sizeof(*sum), gpube__compare_int64);
	at = sum[d + d / 2];
	for (int32_t x = 0; x < d; x++) {
		keep[x] = sum[x] < at;
		n += keep[x];
	}
	for (int32_t x = 0; x < d && n < d / 2; x++)
		if (!keep[x] && sum[x] == at) {
			keep[x] = 1;
			n++;
		}
	gpube__free(c->ctx, sum);
	return GPUBE_OK;
}
