/* bids.c - see bids.h and gpube/coalitions.h. */
#include "gpube/ir/bids.h"

#include <stdio.h>
#include <string.h>

#include "gpube/base/bits.h"
#include "gpube/base/rows.h"

/* ---- from a model, and into one -------------------------------------------------------------- */

static int count_goods(struct gpube__bids *b, const struct gpube_table *t, size_t words)
{
	int64_t n = 0;

	b->at = gpube__alloc_zero(b->ctx, (uint64_t)b->n_bids + 2, sizeof(*b->at));
	if (!b->at)
		return GPUBE_ENOMEM;
	for (int k = 0; k < b->n_bids; k++) {
		for (size_t w = 0; w < words; w++)
			n += __builtin_popcountll(t->masks[(size_t)k * words + w]);
		b->at[k + 1] = n;
	}
	b->good = gpube__alloc(b->ctx, (uint64_t)n + 1, sizeof(*b->good));
	return b->good ? GPUBE_OK : GPUBE_ENOMEM;
}

int gpube__bids_init(struct gpube__bids *b, const struct gpube_model *m)
{
	const size_t words = (size_t)(m->n_vars + 63) / 64;
	const struct gpube_table *t;
	int status = m->auction ? GPUBE_OK : gpube__check_kind(m, 0);

	*b = (struct gpube__bids){.ctx = m->ctx};
	if (status)
		return status;
	t = gpube__table(m, 0);
	b->n_goods = m->n_vars;
	b->n_real = m->n_vars - m->n_hidden;
	b->n_bids = (int)t->n;
	b->scale = m->scale;
	b->id = m->numbers;
	b->price = t->values;
	status = count_goods(b, t, words);
	for (int k = 0; k < b->n_bids && !status; k++) {
		int64_t at = b->at[k];

		for (size_t w = 0; w < words; w++)
			for (uint64_t s = t->masks[(size_t)k * words + w]; s; s &= s - 1)
				b->good[at++] = (int32_t)(64 * w) + __builtin_ctzll(s);
	}
	if (status)
		gpube__bids_clear(b);
	return status;
}

int gpube__bids_alloc(struct gpube__bids *b, int64_t n_listed)
{
	const uint64_t n = (uint64_t)b->n_bids;

	b->owns = true;
	b->id = gpube__alloc(b->ctx, n + 1, sizeof(*b->id));
	b->price = gpube__alloc(b->ctx, n + 1, sizeof(*b->price));
	b->at = gpube__alloc_zero(b->ctx, n + 2, sizeof(*b->at));
	if (n_listed)
		b->good = gpube__alloc(b->ctx, (uint64_t)n_listed + 1, sizeof(*b->good));
	if (!b->id || !b->price || !b->at || (n_listed && !b->good))
		return GPUBE_ENOMEM;
	for (int k = 0; k < b->n_bids; k++)
		b->id[k] = k;
	return GPUBE_OK;
}

void gpube__bids_clear(struct gpube__bids *b)
{
	gpube__free(b->ctx, b->at);
	gpube__free(b->ctx, b->good);
	if (b->owns) {
		gpube__free(b->ctx, b->id);
		gpube__free(b->ctx, b->price);
	}
	*b = (struct gpube__bids){.ctx = b->ctx};
}

int gpube__bids_take(struct gpube_model *m, struct gpube__bids *b)
{
	const uint64_t words = (uint64_t)(b->n_goods + 63) / 64;
	struct gpube_table t = {.type = GPUBE_INT64, .sparse = true, .arity = b->n_goods};
	int32_t *scope, table;
	int status = GPUBE_OK;

	if (words * (uint64_t)b->n_bids > m->ctx->memory_bytes / sizeof(*t.masks))
		return gpube__fail(m->ctx, GPUBE_ELIMIT,
			"%d bids on %d goods pass the memory allowed", b->n_bids, b->n_goods);
	scope = gpube__alloc(m->ctx, (uint64_t)b->n_goods, sizeof(*scope));
	t.masks = gpube__alloc_zero(m->ctx, words * (uint64_t)b->n_bids, sizeof(*t.masks));
	if (!scope || !t.masks)
		status = GPUBE_ENOMEM;
	for (int g = 0; g < b->n_goods && !status; g++) {
		scope[b->n_goods - 1 - g] = g;
		status = gpube_model_add_var(m, NULL, 2, NULL);
		if (!status && g >= b->n_real)
			gpube__hide(m, g);
	}
	for (int k = 0; k < b->n_bids && !status; k++)
		for (int64_t e = b->at[k]; e < b->at[k + 1]; e++)
			gpube__bit_put(t.masks + (size_t)k * words, b->good[e]);
	if (!status) {
		t.n = b->n_bids;
		t.values = b->price;
		m->numbers = b->id;
		b->id = b->price = NULL;
		status = gpube__add_table(m, &table, &t);
		t.masks = NULL;
	}
	if (!status)
		status = gpube__add_function(m, b->n_goods, scope, table, NULL);
	if (!status) {
		m->scale = b->scale;
		m->auction = true;
	}
	gpube__free(m->ctx, t.masks);
	gpube__free(m->ctx, scope);
	return status;
}

/* ---- the public calls ------------------------------------------------------------------------ */

static int check_bids(struct gpube_ctx *ctx, int n_goods, int n_bids, const int64_t *at,
	const int32_t *goods, const int64_t *prices)
{
	for (int k = 0; k < n_bids; k++) {
		if (prices[k] <= -GPUBE_INF)
			return gpube__fail(
				ctx, GPUBE_EINVAL, "bid %d: the least price is -2^63 + 2", k);
		if (at[k + 1] <= at[k])
			return gpube__fail(ctx, GPUBE_EINVAL, "bid %d: a bid on no goods", k);
		for (int64_t e = at[k]; e < at[k + 1]; e++)
			if (goods[e] < 0 || goods[e] >= n_goods ||
				(e > at[k] && goods[e] <= goods[e - 1]))
				return gpube__fail(ctx, GPUBE_EINVAL,
					"bid %d: good %d: expected rising ones below %d", k,
					goods[e], n_goods);
	}
	return GPUBE_OK;
}

/* What a caller gave, as lists of their own. */
static int copy_bids(
	struct gpube__bids *b, const int64_t *at, const int32_t *goods, const int64_t *prices)
{
	const int64_t n_listed = b->n_bids ? at[b->n_bids] - at[0] : 0;

	if (gpube__bids_alloc(b, n_listed))
		return GPUBE_ENOMEM;
	for (int k = 0; k < b->n_bids; k++) {
		b->price[k] = prices[k];
		b->at[k + 1] = at[k + 1] - at[0];
	}
	if (n_listed)
		memcpy(b->good, goods + at[0], (size_t)n_listed * sizeof(*goods));
	return GPUBE_OK;
}

int gpube_auction_new(struct gpube_model **out, struct gpube_ctx *ctx, int n_goods, int n_dummies,
	int n_bids, const int64_t *at, const int32_t *goods, const int64_t *prices)
{
	struct gpube__bids b = {.ctx = ctx};
	struct gpube_model *m = NULL;
	int status;

	if (out)
		*out = NULL;
	if (!out || !ctx || (n_bids > 0 && (!at || !goods || !prices)))
		return gpube__missing(ctx);
	if (n_goods < 0 || n_dummies < 0 || n_bids < 0 ||
		(int64_t)n_goods + n_dummies > GPUBE_MOST_GOODS || n_bids > GPUBE_MOST_GOODS)
		return gpube__fail(ctx, GPUBE_EINVAL, "%d goods, %d dummies, %d bids: 0 to %d each",
			n_goods, n_dummies, n_bids, GPUBE_MOST_GOODS);
	b.n_real = n_goods;
	b.n_goods = n_goods + n_dummies;
	b.n_bids = n_bids;
	status = check_bids(ctx, b.n_goods, n_bids, at, goods, prices);
	if (!status)
		status = copy_bids(&b, at, goods, prices);
	if (!status)
		status = gpube_model_new(&m, ctx, GPUBE_COALITIONS);
	if (!status)
		status = gpube__bids_take(m, &b);
	gpube__bids_clear(&b);
	if (status)
		gpube_model_free(m);
	else
		*out = m;
	return status;
}

int gpube_auction_bids(const struct gpube_model *m)
{
	return m && m->auction ? (int)gpube__table(m, 0)->n : 0;
}

int64_t gpube_auction_bid_number(const struct gpube_model *m, int bid)
{
	return bid >= 0 && bid < gpube_auction_bids(m) ? m->numbers[bid] : -1;
}

/* ---- who bids for a good --------------------------------------------------------------------- */

void gpube__bidders_clear(struct gpube__bidders *b, struct gpube_ctx *ctx)
{
	gpube__free(ctx, b->start);
	gpube__free(ctx, b->bid);
}

void gpube__bid_name(char *name, const void *bids, int bid)
{
	sprintf(name, "bid%lld", (long long)((const struct gpube__bids *)bids)->id[bid]);
}

void gpube__good_name(char *name, const void *bids, int good)
{
	const int n_real = ((const struct gpube__bids *)bids)->n_real;

	sprintf(name, good < n_real ? "good%d" : "dummy%d", good < n_real ? good : good - n_real);
}

int gpube__bidders_init(struct gpube__bidders *b, const struct gpube__bids *a)
{
	const int64_t n = a->n_bids ? a->at[a->n_bids] : 0;

	b->start = gpube__alloc_zero(a->ctx, (uint64_t)a->n_goods + 2, sizeof(*b->start));
	b->bid = gpube__alloc(a->ctx, (uint64_t)n + 1, sizeof(*b->bid));
	if (!b->start || !b->bid)
		return GPUBE_ENOMEM;
	for (int64_t k = 0; k < n; k++)
		GPUBE_ROW_COUNT(b->start, a->good[k]);
	GPUBE_ROWS_BEGIN(b->start, a->n_goods);
	for (int i = 0; i < a->n_bids; i++)
		for (int64_t k = a->at[i]; k < a->at[i + 1]; k++)
			b->bid[GPUBE_ROW_PLACE(b->start, a->good[k])] = i;
	return GPUBE_OK;
}

/* ---- comparing -------------------------------------------------------------------------- */

/* Marks the bids that share a good with bid b, by b + 1; returns how many there are. */
static int mark_excluded(
	int32_t *mark, const struct gpube__bids *a, const struct gpube__bidders *of, int b)
{
	int n = 0;

	for (int64_t k = a->at[b]; k < a->at[b + 1]; k++)
		for (int64_t j = of->start[a->good[k]]; j < of->start[a->good[k] + 1]; j++) {
			n += mark[of->bid[j]] != b + 1;
			mark[of->bid[j]] = b + 1;
		}
	return n;
}

static bool same_excluded(int32_t *marks[2], const struct gpube__bids *const both[2],
	const struct gpube__bidders of[2], int b)
{
	const int n = mark_excluded(marks[0], both[0], &of[0], b);
	bool same = mark_excluded(marks[1], both[1], &of[1], b) == n;

	/* as many: the same, if those of the second are all among those of the first */
	for (int64_t k = both[1]->at[b]; k < both[1]->at[b + 1] && same; k++) {
		const int32_t g = both[1]->good[k];

		for (int64_t j = of[1].start[g]; j < of[1].start[g + 1] && same; j++)
			same = marks[0][of[1].bid[j]] == b + 1;
	}
	return same;
}

static bool same_bids(const struct gpube__bids *a, const struct gpube__bids *b)
{
	const int a_more = a->scale < b->scale ? b->scale - a->scale : 0;
	const int b_more = b->scale < a->scale ? a->scale - b->scale : 0;
	bool same = a->n_bids == b->n_bids;

	for (int k = 0; k < a->n_bids && same; k++) {
		__int128 x = a->price[k], y = b->price[k];

		/* 19 digits more have room beside 64 bits, and no number of these has as many */
		for (int d = 0; d < a_more && d < 19; d++)
			x *= 10;
		for (int d = 0; d < b_more && d < 19; d++)
			y *= 10;
		same = a->id[k] == b->id[k] && x == y;
	}
	return same;
}

int gpube__bids_same(bool *same, const struct gpube__bids *a, const struct gpube__bids *b)
{
	const struct gpube__bids *const both[] = {a, b};
	struct gpube__bidders of[2] = {{0}};
	int32_t *marks[2] = {NULL};
	int status = GPUBE_OK;

	*same = same_bids(a, b);
	for (int k = 0; k < 2 && *same && !status; k++) {
		marks[k] = gpube__alloc_zero(a->ctx, (uint64_t)a->n_bids + 1, sizeof(**marks));
		status = marks[k] ? gpube__bidders_init(&of[k], both[k]) : GPUBE_ENOMEM;
	}
	for (int i = 0; i < a->n_bids && *same && !status; i++) {
		*same = same_excluded(marks, both, of, i);
		if (i % 1024 == 1023 && gpube__stopped(a->ctx))
			status = gpube__fail_stopped(a->ctx);
	}
	for (int k = 0; k < 2; k++) {
		gpube__bidders_clear(&of[k], a->ctx);
		gpube__free(a->ctx, marks[k]);
	}
	return status;
}
