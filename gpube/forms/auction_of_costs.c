/*
 * auction_of_costs.c - a model of prices and of bids that exclude or need each other as an
 * auction. See gpube/forms.h.
 *
 * Value 0 of a variable is that it wins nothing; each other one is a part of a bid. A table of two
 * variables says of two values that they need each other, then they are parts of one bid, or that
 * they exclude each other; all values of a variable do, and so do the second values of several
 * variables of which at most one may have it: a row of a set packing program. So both forms that
 * gpube__costs_of_auction() gives are one, in the first a variable is a bid, in the second a good;
 * so is what gpube_write() writes, and any mixture. Goods are sets of bids of which any
 * two exclude each other: variables of several bids, rows, and cliques for what is left, as goods
 * that are pairs alone would make the linear program weak.
 */
#include <string.h>

#include "gpube/forms/model_as.h"
#include "gpube/base/bits.h"
#include "gpube/base/mask_index.h"
#include "gpube/base/rows.h"
#include "gpube/forms/form.h"
#include "gpube/ir/bids.h"

/*
 * conflict, covered  n_bids sets of bids, of 'words' words: who excludes a bid; those with whom it
 *                    shares a good
 */
struct reading {
	const struct gpube__set_parts *p;
	struct gpube_ctx *ctx;
	struct gpube__arrays arrays;
	struct gpube__bids *a;
	size_t words;
	uint64_t *conflict, *covered, *clique, *left;
	/* entries of goods: listed[2k] is a bid, listed[2k + 1] a good */
	int64_t n_listed, listed_capacity;
	int32_t *listed;
};

/* ---- bids --------------------------------------------------------------------------------- */

/* What a name says behind "bid", as gpube__costs_of_auction() names them; -1: nothing. */
static int64_t number_of(const char *name)
{
	int64_t id = 0;

	if (!name || strncmp(name, "bid", 3) != 0 || !name[3])
		return -1;
	for (name += 3; *name; name++)
		if (*name < '0' || *name > '9' || __builtin_mul_overflow(id, 10, &id) ||
			__builtin_add_overflow(id, *name - '0', &id))
			return -1;
	return id;
}

/* Numbers from names if each bid has one of its own; otherwise those that were set. */
static int name_bids(struct reading *r)
{
	const struct gpube_model *m = r->p->m;
	struct gpube__mask_index index = {0};
	bool good = true;
	uint64_t *named = gpube__alloc(r->ctx, (uint64_t)r->a->n_bids + 1, sizeof(*named));
	int status = named ? GPUBE_OK : GPUBE_ENOMEM;

	for (int32_t v = 0; v < m->n_vars && !status; v++)
		for (int32_t a = 1; a < m->vars[v].domain; a++) {
			const struct gpube_variable *var = &m->vars[v];

			named[gpube__set_at(r->p, v, a)] =
				(uint64_t)number_of(number_of(var->name) >= 0 || !var->value_names
							    ? var->name
							    : var->value_names[a]);
		}
	for (int k = 0; k < r->a->n_bids && !status && good; k++) {
		good = (int64_t)named[k] >= 0 && gpube__masks_find(&index, named, 1, &named[k]) < 0;
		status = gpube__masks_add(&index, r->ctx, named, 1, k);
	}
	if (!status && good)
		memcpy(r->a->id, named, (size_t)r->a->n_bids * sizeof(*named));
	gpube__free(r->ctx, index.slot);
	gpube__free(r->ctx, named);
	return status;
}

static int make_bids(struct reading *r)
{
	struct gpube__bids *a = r->a;

	a->n_bids = r->p->n_sets;
	if (gpube__bids_alloc(a, 0))
		return GPUBE_ENOMEM;
	memcpy(a->price, r->p->sum, (size_t)a->n_bids * sizeof(*a->price));
	return name_bids(r);
}

/* ---- goods -------------------------------------------------------------------------------- */

static uint64_t *set_of(uint64_t *sets, const struct reading *r, int bid)
{
	return sets + (size_t)bid * r->words;
}

/* Whoever is in r->clique shares a new good. */
static int add_good(struct reading *r)
{
	const int32_t good = r->a->n_goods++;

	if ((uint64_t)r->n_listed > r->ctx->memory_bytes / (6 * sizeof(*r->listed)))
		return gpube__fail(r->ctx, GPUBE_ELIMIT, "goods pass the memory allowed");
	for (int b = 0; b < r->a->n_bids; b++) {
		if (!gpube__bit(r->clique, b))
			continue;
		gpube__bits_add(set_of(r->covered, r, b), r->clique, (int64_t)r->words);
		if (gpube__grow(r->ctx, &r->listed, &r->listed_capacity, 2 * (r->n_listed + 1),
			    sizeof(*r->listed)))
			return GPUBE_ENOMEM;
		r->listed[2 * r->n_listed] = b;
		r->listed[2 * r->n_listed++ + 1] = good;
		GPUBE_ROW_COUNT(r->a->at, b);
	}
	return GPUBE_OK;
}

static int clash(const struct reading *r)
{
	return gpube__set_parts_refuse(r->p, "values that need each other exclude each other", 0);
}

static int add_to_clique(struct reading *r, int32_t bid)
{
	if (gpube__bit(r->clique, bid))
		return clash(r);
	gpube__bit_put(r->clique, bid);
	return GPUBE_OK;
}

/* All of r->clique exclude each other, and share a good. */
static int exclude_clique(struct reading *r)
{
	for (int b = 0; b < r->a->n_bids; b++)
		if (gpube__bit(r->clique, b))
			gpube__bits_add(set_of(r->conflict, r, b), r->clique, (int64_t)r->words);
	return add_good(r);
}

/* Bids on the values of one variable. */
static int take_variable(struct reading *r, int32_t v)
{
	const int32_t domain = r->p->m->vars[v].domain;
	int status = GPUBE_OK;

	memset(r->clique, 0, r->words * sizeof(*r->clique));
	for (int32_t a = 1; a < domain && !status; a++)
		status = add_to_clique(r, gpube__set_at(r->p, v, a));
	return status || domain < 3 ? status : exclude_clique(r);
}

/* Those of which at most one wins. */
static int take_row(struct reading *r, int32_t f)
{
	const int32_t *scope = gpube__scope(r->p->m, f);
	int status = GPUBE_OK;

	memset(r->clique, 0, r->words * sizeof(*r->clique));
	for (int k = 0; k < r->p->m->functions[f].arity && !status; k++)
		status = add_to_clique(r, gpube__set_at(r->p, scope[k], 1));
	return status ? status : exclude_clique(r);
}

/* The lowest bid of a set; -1: it is empty. */
static int lowest(const struct reading *r, const uint64_t *set, const uint64_t *without)
{
	for (size_t w = 0; w < r->words; w++) {
		const uint64_t bits = set[w] & ~(without ? without[w] : 0);

		if (bits)
			return (int)(64 * w) + __builtin_ctzll(bits);
	}
	return -1;
}

/*
 * A good for bid b and for one that excludes it and shares none, and for as many more as go with
 * both.
 */
static int cover(struct reading *r, int b, int other)
{
	memset(r->clique, 0, r->words * sizeof(*r->clique));
	memcpy(r->left, set_of(r->conflict, r, b), r->words * sizeof(*r->left));
	gpube__bit_put(r->clique, b);
	while (other >= 0) {
		gpube__bit_put(r->clique, other);
		for (size_t w = 0; w < r->words; w++)
			r->left[w] &= set_of(r->conflict, r, other)[w] & ~r->clique[w];
		other = lowest(r, r->left, set_of(r->covered, r, b));
		if (other < 0)
			other = lowest(r, r->left, NULL);
	}
	return add_good(r);
}

static int make_goods(struct reading *r)
{
	const struct gpube_model *m = r->p->m;
	const uint64_t n = (uint64_t)r->a->n_bids;
	int status = GPUBE_OK;

	r->words = (n + 63) / 64;
	if (2 * n * r->words * 8 > r->ctx->memory_bytes)
		return gpube__fail(
			r->ctx, GPUBE_ELIMIT, "%d bids pass the memory allowed", r->a->n_bids);
	r->conflict = gpube__array(&r->arrays, n * r->words + 1, sizeof(*r->conflict));
	r->covered = gpube__array(&r->arrays, n * r->words + 1, sizeof(*r->covered));
	r->clique = gpube__array(&r->arrays, r->words + 1, sizeof(*r->clique));
	r->left = gpube__array(&r->arrays, r->words + 1, sizeof(*r->left));
	if (r->arrays.failed)
		return GPUBE_ENOMEM;
	for (int32_t v = 0; v < m->n_vars && !status; v++)
		status = take_variable(r, v);
	for (int32_t f = 0; f < m->n_functions && !status; f++)
		if (m->functions[f].arity > 2)
			status = gpube__stopped(r->ctx) ? gpube__fail_stopped(r->ctx)
							: take_row(r, f);
	for (int64_t k = 0; k < r->p->n_pairs && !status; k++) {
		const int b = r->p->set[r->p->pair[2 * k]], c = r->p->set[r->p->pair[2 * k + 1]];

		if (b == c)
			return clash(r);
		gpube__bit_put(set_of(r->conflict, r, b), c);
		gpube__bit_put(set_of(r->conflict, r, c), b);
	}
	for (int b = 0; b < r->a->n_bids && !status; b++) {
		uint64_t *own = set_of(r->conflict, r, b);
		int other;

		gpube__bit_drop(own, b);
		while (!status && (other = lowest(r, own, set_of(r->covered, r, b))) >= 0)
			status = gpube__stopped(r->ctx) ? gpube__fail_stopped(r->ctx)
							: cover(r, b, other);
		/* a bid that nobody excludes is on a good of its own */
		if (!status && lowest(r, own, NULL) < 0 && r->a->at[b + 2] == 0) {
			memset(r->clique, 0, r->words * sizeof(*r->clique));
			gpube__bit_put(r->clique, b);
			status = add_good(r);
		}
	}
	return status;
}

/* The goods of each bid, rising as they were made. */
static int list_goods(struct reading *r)
{
	struct gpube__bids *a = r->a;

	a->good = gpube__alloc(r->ctx, (uint64_t)r->n_listed + 1, sizeof(*a->good));
	if (!a->good)
		return GPUBE_ENOMEM;
	GPUBE_ROWS_BEGIN(a->at, a->n_bids);
	for (int64_t k = 0; k < r->n_listed; k++)
		a->good[GPUBE_ROW_PLACE(a->at, r->listed[2 * k])] = r->listed[2 * k + 1];
	a->n_real = a->n_goods;
	return GPUBE_OK;
}

int gpube__auction_of_parts(struct gpube_model **out, const struct gpube__set_parts *p)
{
	struct gpube__bids a = {.ctx = p->ctx, .scale = p->m->scale};
	struct reading r = {.p = p, .ctx = p->ctx, .arrays.ctx = p->ctx, .a = &a};
	int status = make_bids(&r);

	*out = NULL;
	if (!status)
		status = make_goods(&r);
	if (!status)
		status = list_goods(&r);
	gpube__arrays_clear(&r.arrays);
	gpube__free(r.ctx, r.listed);
	if (!status)
		status = gpube_model_new(out, r.ctx, GPUBE_COALITIONS);
	if (!status)
		status = gpube__bids_take(*out, &a);
	gpube__bids_clear(&a);
	return gpube__model_made(out, status);
}

int gpube__auction_of_costs(struct gpube_model **out, const struct gpube_model *m)
{
	struct gpube__set_parts p;
	int status = gpube__set_parts_init(&p, m, false);

	*out = NULL;
	if (!status)
		status = gpube__auction_of_parts(out, &p);
	gpube__set_parts_clear(&p);
	return status;
}
