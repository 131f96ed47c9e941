/* cliques.c - see cliques.h. */
#include "csg/auction/cliques.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpube/base/bits.h"

int csg__cliques_init(struct csg__cliques *c, struct gpube_ctx *ctx, int n, int most_rows)
{
	const uint64_t words = ((uint64_t)n + 63) / 64;

	*c = (struct csg__cliques){
		.ctx = ctx, .arrays.ctx = ctx, .n = n, .words = (int)words, .most_rows = most_rows};
	c->conflict = gpube__array(&c->arrays, (uint64_t)n * words, sizeof(*c->conflict));
	c->row = gpube__array(&c->arrays, (uint64_t)most_rows * words, sizeof(*c->row));
	c->left = gpube__array(&c->arrays, words, sizeof(*c->left));
	c->clique = gpube__array(&c->arrays, words, sizeof(*c->clique));
	c->weighed = gpube__array(&c->arrays, (uint64_t)n, sizeof(*c->weighed));
	return c->arrays.failed ? GPUBE_ENOMEM : GPUBE_OK;
}

void csg__cliques_exclude(struct csg__cliques *c, int i, int j)
{
	gpube__bit_put(c->conflict + (size_t)i * (size_t)c->words, j);
	gpube__bit_put(c->conflict + (size_t)j * (size_t)c->words, i);
}

static void narrow(struct csg__cliques *c, int i)
{
	const uint64_t *conflict = c->conflict + (size_t)i * (size_t)c->words;

	for (int w = 0; w < c->words; w++)
		c->left[w] &= conflict[w];
}

int csg__by_weight(const void *a, const void *b)
{
	const struct csg__weighed *p = a, *q = b;

	if (p->weight != q->weight)
		return p->weight > q->weight ? -1 : 1;
	return p->bid < q->bid ? -1 : p->bid > q->bid;
}

void csg__cliques_weigh(struct csg__cliques *c, const double *weight)
{
	for (int i = 0; i < c->n; i++)
		c->weighed[i] = (struct csg__weighed){weight[i], i};
	qsort(c->weighed, (size_t)c->n, sizeof(*c->weighed), csg__by_weight);
}

/* Adds to c->clique from c->left, which excludes all in it, bids of more than 'least'. */
static double extend(struct csg__cliques *c, double least)
{
	double sum = 0;

	for (int k = 0; k < c->n && c->weighed[k].weight > least; k++) {
		const int i = c->weighed[k].bid;

		if (!gpube__bit(c->left, i))
			continue;
		gpube__bit_put(c->clique, i);
		sum += c->weighed[k].weight;
		narrow(c, i);
	}
	return sum;
}

double csg__cliques_grow(struct csg__cliques *c, int i)
{
	memset(c->clique, 0, (size_t)c->words * sizeof(*c->clique));
	memset(c->left, 0xff, (size_t)c->words * sizeof(*c->left));
	gpube__bit_put(c->clique, i);
	narrow(c, i);
	return extend(c, 0);
}

static bool is_kept(const struct csg__cliques *c)
{
	for (int r = 0; r < c->n_rows; r++) {
		const uint64_t *row = c->row + (size_t)r * (size_t)c->words;
		int w = 0;

		while (w < c->words && !(c->clique[w] & ~row[w]))
			w++;
		if (w == c->words)
			return true;
	}
	return false;
}

int csg__cliques_add(struct csg__cliques *c, const uint64_t *seed)
{
	const size_t bytes = (size_t)c->words * sizeof(*seed);

	if (c->n_rows == c->most_rows)
		return -1;
	memmove(c->clique, seed, bytes);
	memset(c->left, 0, bytes);
	for (int i = 0; i < c->n; i++)
		gpube__bit_put(c->left, i);
	for (int i = 0; i < c->n; i++)
		if (gpube__bit(c->clique, i))
			narrow(c, i);
	extend(c, -INFINITY);
	if (is_kept(c))
		return -1;
	memcpy(c->row + (size_t)c->n_rows * (size_t)c->words, c->clique, bytes);
	return c->n_rows++;
}
