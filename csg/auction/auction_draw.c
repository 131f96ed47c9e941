/*
 * auction_draw.c - seeded random auctions in CATS' format, after the distributions of Leyton-Brown,
 * Pearson and Shoham, EC 2000 (regions, arbitrary, scheduling; paths and matching are in
 * auction_places.c), Sandholm 2002 (L1 to L4), Boutilier et al. 1999 (L5), Fujishima et al. 1999
 * (L6, L7) and de Vries and Vohra 2003 (L8), written from their descriptions: the same kinds of
 * auctions as CATS makes, not the same files. Their parameters are those that CATS 2 takes by
 * default, but for scheduling and regions, which keep the paper's: CATS 2 draws another date with
 * 0.7 instead of 0.9, jobs of at most 10 hours, and sometimes a good that is not near.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csg/auction.h"
#include "csg/auction/auction_draw.h"
#include "csg/distributions.h"
#include "gpube/options/options.h"

#define SUBSTITUTES    5 /* bids of one bidder at most, beside the first */
#define DEVIATION      0.5
#define ADDITIVITY     0.2
#define ANOTHER_GOOD   0.9
#define ANOTHER_DATE   0.9
#define SIZE_OF_L3     3 /* and L8 */
#define GROWTH_OF_L4   0.55
#define SIZE_OF_L5     4.0 /* mean, of deviation 1 */
#define PRICE_OF_L5    16.0
#define SPREAD_OF_L5   3.0
#define MEAN_OF_L6     5.0
#define SHARE_OF_L7    0.2
#define BUDGET_FACTOR  1.5
#define RESALE_FACTOR  0.5
#define DIAGONAL_SHARE 0.2 /* of grid squares that have one, in regions */

/* The first number of those whose weights' running sum passes a random share; -1: all are 0. */
static int weighted(struct bid_drawing *d, const double *weight, int n)
{
	double sum = 0, at;

	for (int i = 0; i < n; i++)
		sum += weight[i];
	at = csg__draw_unit(d) * sum;
	for (int i = 0; i < n; i++) {
		at -= weight[i];
		if (at < 0 && weight[i] > 0)
			return i;
	}
	return -1;
}

/* ---- bids on unrelated goods: L1 to L7 ------------------------------------------------------- */

static void some_goods(struct bid_drawing *d, uint8_t *in, int size)
{
	memset(in, 0, (size_t)d->n_goods);
	while (size > 0) {
		const int g = csg__draw_below(d, d->n_goods);

		size -= !in[g];
		in[g] = 1;
	}
}

static int size_of(struct bid_drawing *d, int kind)
{
	int size = 1;

	switch (kind) {
	case 3:
	case 8:
		return SIZE_OF_L3 < d->n_goods ? SIZE_OF_L3 : d->n_goods;
	case 4:
		while (size < d->n_goods && csg__draw_unit(d) < GROWTH_OF_L4)
			size++;
		return size;
	case 5:
		do
			size = (int)lrint(csg__draw_normal(&d->rng, SIZE_OF_L5, 1));
		while (size < 1 || size > d->n_goods);
		return size;
	case 6:
		while (size < d->n_goods && csg__draw_unit(d) < exp(-1 / MEAN_OF_L6))
			size++;
		return size;
	case 7:
		for (size = 0; size == 0;)
			for (int g = 0; g < d->n_goods; g++)
				size += csg__draw_unit(d) < SHARE_OF_L7;
		return size;
	default:
		return 1 + csg__draw_below(d, d->n_goods);
	}
}

/*
 * A price of [0, 1), of up to the goods' number, or of half to one and a half times it; of L5 by
 * itself; of L8 (de Vries and Vohra's, which CATS names but does not make) a value for each good
 * and for each pair of them.
 */
static double price_of(struct bid_drawing *d, int kind, int size)
{
	double u;

	if (kind == 5)
		return csg__draw_normal(&d->rng, PRICE_OF_L5, SPREAD_OF_L5);
	u = csg__draw_unit(d);
	for (int k = 1; kind == 8 && k < size * (size + 1) / 2; k++)
		u += csg__draw_unit(d);
	return CSG__MOST_PRICE * (kind == 1 || kind == 3 || kind == 8 ? u
					 : kind < 6                   ? u * size
								      : (0.5 + u) * size);
}

static int draw_legacy(struct bid_drawing *d, int kind, uint8_t *in)
{
	int status = GPUBE_OK;

	while (!status && d->n_drawn < d->n_bids) {
		const int size = size_of(d, kind);
		const double price = price_of(d, kind, size);

		some_goods(d, in, size);
		csg__draw_bid(d, in, price, -1, &status);
	}
	return status;
}

/* ---- scheduling ---------------------------------------------------------------------- */

/* Goods are times: a job of some length, worth less for each later deadline; one of its places. */
static int draw_jobs(struct bid_drawing *d, uint8_t *in)
{
	const int n = d->n_goods;
	int status = GPUBE_OK;

	while (!status && d->n_drawn < d->n_bids) {
		const int length = 1 + csg__draw_below(d, n),
			  first = length + csg__draw_below(d, n - length + 1);
		const double scale = 1 - DEVIATION + 2 * DEVIATION * csg__draw_unit(d);
		int deadline = first, before = 0;

		do {
			const double value = CSG__MOST_PRICE * scale * pow(length, 1 + ADDITIVITY) *
					     first / deadline;

			for (int end = deadline; end > before && end >= length; end--) {
				memset(in, 0, (size_t)n);
				memset(in + end - length, 1, (size_t)length);
				if (!csg__draw_bid(d, in, value, d->n_dummies, &status))
					break;
			}
			before = deadline;
			if (before < n)
				deadline = before + 1 + csg__draw_below(d, n - before);
		} while (before < n && csg__draw_unit(d) < ANOTHER_DATE);
		d->n_dummies++;
	}
	return status;
}

/* ---- regions and arbitrary ----------------------------------------------------------- */

static void join(struct bid_drawing *d, int g, int h, double weight)
{
	d->near[g * d->n_goods + h] = d->near[h * d->n_goods + g] = weight;
}

static void draw_nearness(struct bid_drawing *d)
{
	const int n = d->n_goods, columns = (int)sqrt(n);

	for (int g = 0; g < n; g++)
		d->common[g] = 1 + (CSG__MOST_PRICE - 1) * csg__draw_unit(d);
	for (int g = 0; g < n; g++)
		for (int h = 0; h < g && !d->grid; h++)
			join(d, g, h, csg__draw_unit(d));
	for (int g = 0; g < n && d->grid; g++) {
		const bool right = (g + 1) % columns != 0 && g + 1 < n;

		if (right)
			join(d, g, g + 1, 1);
		if (g + columns < n)
			join(d, g, g + columns, 1);
		if (right && g + columns + 1 < n && csg__draw_unit(d) < DIAGONAL_SHARE)
			join(d, g, g + columns + 1, 1);
	}
}

/* How much a bidder likes a good, in [0, 1]. */
static double liking(const struct bid_drawing *d, int g)
{
	return d->private_[g] / (2 * DEVIATION * CSG__MOST_PRICE) + 0.5;
}

static bool add_good(struct bid_drawing *d, uint8_t *in, double *weight)
{
	int best;

	for (int g = 0; g < d->n_goods; g++) {
		weight[g] = 0;
		for (int h = 0; h < d->n_goods && !in[g]; h++)
			if (in[h])
				weight[g] += d->near[g * d->n_goods + h];
		weight[g] *= liking(d, g);
	}
	best = weighted(d, weight, d->n_goods);
	if (best >= 0)
		in[best] = 1;
	return best >= 0;
}

/* Of goods in 'in': what they are worth to the bidder, and to others. */
static double value_of(const struct bid_drawing *d, const uint8_t *in, double *common)
{
	double sum = 0;
	int n = 0;

	*common = 0;
	for (int g = 0; g < d->n_goods; g++)
		if (in[g]) {
			*common += d->common[g];
			sum += d->private_[g];
			n++;
		}
	return *common + sum + pow(n, 1 + ADDITIVITY);
}

/* A bidder: a bid on goods that go together, and substitutes of the same size for it. */
static int draw_bidder(struct bid_drawing *d, uint8_t *in, uint8_t *other, double *weight)
{
	const int n = d->n_goods;
	double value, common, resale;
	int size = 1, status = GPUBE_OK, n_others = 0;

	for (int g = 0; g < n; g++) {
		d->private_[g] = DEVIATION * CSG__MOST_PRICE * (2 * csg__draw_unit(d) - 1);
		weight[g] = liking(d, g);
	}
	memset(in, 0, (size_t)n);
	in[weighted(d, weight, n)] = 1;
	while (csg__draw_unit(d) < ANOTHER_GOOD && add_good(d, in, weight))
		size++;
	value = value_of(d, in, &common);
	if (value <= 0)
		return GPUBE_OK;
	resale = RESALE_FACTOR * common;
	csg__draw_bid(d, in, value, d->n_dummies, &status);
	for (int g = 0; g < n && n_others < SUBSTITUTES && !status; g++) {
		double v;

		if (!in[g])
			continue;
		memset(other, 0, (size_t)n);
		other[g] = 1;
		for (int k = 1; k < size && add_good(d, other, weight);)
			k++;
		v = value_of(d, other, &common);
		if (v <= 0 || v > BUDGET_FACTOR * value || common < resale ||
			!memcmp(other, in, (size_t)n))
			continue;
		n_others += csg__draw_bid(d, other, v, d->n_dummies, &status);
	}
	d->n_dummies++;
	return status;
}

/* ---- the command --------------------------------------------------------------------- */

/* Those whose number is no L, in the order of GPUBE__WORDS_AUCTIONS. */
enum { SCHEDULING = 8, REGIONS, ARBITRARY, PATHS, MATCHING };

static int draw(struct bid_drawing *d, int distribution)
{
	const uint64_t n = (uint64_t)d->n_goods;
	uint8_t *in = gpube__array(&d->arrays, n, 1), *other = gpube__array(&d->arrays, n, 1);
	double *weight = gpube__array(&d->arrays, n, sizeof(*weight));
	int status = GPUBE_OK;

	d->near = gpube__array(&d->arrays, n * n, sizeof(*d->near));
	d->common = gpube__array(&d->arrays, n, sizeof(*d->common));
	d->private_ = gpube__array(&d->arrays, n, sizeof(*d->private_));
	if (d->arrays.failed || gpube__bids_alloc(&d->b, 0))
		return GPUBE_ENOMEM;
	switch (distribution) {
	case SCHEDULING:
		return draw_jobs(d, in);
	case PATHS:
		return csg__draw_paths(d, in);
	case MATCHING:
		return csg__draw_matching(d, in);
	case REGIONS:
	case ARBITRARY:
		d->grid = distribution == REGIONS;
		draw_nearness(d);
		while (!status && d->n_drawn < d->n_bids)
			status = draw_bidder(d, in, other, weight);
		return status;
	default:
		return draw_legacy(d, distribution + 1, in);
	}
}

static int take_bids(struct gpube_model **out, struct bid_drawing *d, const struct gpube_opts *o)
{
	char name[100];
	int n = gpube__opt_word_text(
		    name, sizeof(name), GPUBE__WORDS_AUCTIONS, o->auction_distribution),
	    status = gpube_model_new(out, d->ctx, GPUBE_COALITIONS);

	snprintf(name + n, sizeof(name) - (size_t)n, ", seed %lld", (long long)o->seed);
	d->b.n_goods = d->n_goods + d->n_dummies;
	if (!status)
		status = gpube__bids_take(*out, &d->b);
	if (!status && !((*out)->name = gpube__strdup(d->ctx, name)))
		status = GPUBE_ENOMEM;
	return gpube__model_made(out, status);
}

int gpube_auction_generate(
	struct gpube_model **out, struct gpube_ctx *ctx, const struct gpube_opts *opts)
{
	struct bid_drawing d;
	struct gpube_opts o;
	int status;

	if (out)
		*out = NULL;
	if (!out || !ctx)
		return gpube__missing(ctx);
	status = gpube__opts_take(&o, ctx, opts, GPUBE__ON_AUCTION_GENERATE);
	if (status)
		return status;
	d = (struct bid_drawing){.ctx = ctx,
		.arrays.ctx = ctx,
		.n_goods = o.goods,
		.n_bids = o.bids,
		.b = {.ctx = ctx, .n_real = o.goods, .n_bids = o.bids, .scale = 3}};
	gpube__rng_init(&d.rng, (uint64_t)o.seed);
	status = draw(&d, o.auction_distribution);
	if (!status)
		status = take_bids(out, &d, &o);
	gpube__arrays_clear(&d.arrays);
	gpube__bids_clear(&d.b);
	return status;
}
