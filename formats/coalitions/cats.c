/*
 * cats.c - auctions as CATS writes them: '%' lines, goods N, bids M, dummy D, then for each bid: id
 * price good … #. Goods from N on are dummy goods: bids that share one exclude each other.
 */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "formats/common/registry.h"
#include "gpube/base/decimal.h"
#include "gpube/base/mask_index.h"
#include "gpube/ir/bids.h"

#define MOST_GOODS (GPUBE_MOST_GOODS / 2)
#define BLANKS     " \t\n\v\f\r"

/* A price as it is written: digits * 10^-decimals. */
struct price {
	int64_t digits;
	int decimals;
};

static int parse_price(struct gpube_in *in, struct price *to, const char *s)
{
	bool fits;

	if (!gpube__decimal(s, &to->digits, &to->decimals, &fits))
		return gpube__in_expected(in, "a price", s);
	return fits ? GPUBE_OK
		    : gpube__in_fail(
			      in, GPUBE_ERANGE, "a price whose digits pass 64 bits: '%s'", s);
}

/* goods, bids, dummy: in any order, until the first bid. */
static int read_counts(struct gpube_in *in, int64_t *goods, int64_t *bids, int64_t *dummies)
{
	*goods = *bids = -1;
	*dummies = 0;
	while (gpube__in_more(in, '%')) {
		char word[256];
		int64_t *to;
		int status;

		if (*in->p >= '0' && *in->p <= '9')
			break;
		status = gpube__in_token(in, word, "'goods', 'bids' or 'dummy'");
		if (status)
			return status;
		if (!strcasecmp(word, "maximums"))
			return gpube__in_error(
				in, "auctions of several units of a good are not supported");
		to = !strcasecmp(word, "goods")   ? goods
		     : !strcasecmp(word, "bids")  ? bids
		     : !strcasecmp(word, "dummy") ? dummies
						  : NULL;
		if (!to)
			return gpube__in_expected(in, "'goods', 'bids' or 'dummy'", word);
		status = gpube__in_int(in, to, 0, MOST_GOODS, "a number");
		if (status)
			return status;
	}
	if (*goods < 0)
		return gpube__in_expected(in, "'goods'", NULL);
	return *bids < 0 ? gpube__in_expected(in, "'bids'", NULL) : GPUBE_OK;
}

struct reader {
	struct gpube__bids *a;
	struct gpube_in *in;
	struct price *price;
	int32_t *seen; /* by good: the last bid on it */
	struct gpube__mask_index numbers;
	int64_t n_listed, capacity;
};

static int read_goods(struct reader *r, int bid)
{
	struct gpube__bids *a = r->a;
	char token[256];

	for (;;) {
		char *end;
		long g;
		int status = gpube__in_token(r->in, token, "a good or '#'");

		if (status)
			return status;
		if (!strcmp(token, "#"))
			break;
		g = strtol(token, &end, 10);
		if (end == token || *end || g < 0 || g >= a->n_goods)
			return gpube__in_expected(r->in, "a good or '#'", token);
		if (r->seen[g] == bid)
			return gpube__in_error(r->in, "good %ld twice in a bid", g);
		r->seen[g] = bid;
		if (gpube__grow(a->ctx, &a->good, &r->capacity, r->n_listed + 1, sizeof(*a->good)))
			return GPUBE_ENOMEM;
		a->good[r->n_listed++] = (int32_t)g;
	}
	a->at[bid + 1] = r->n_listed;
	if (a->at[bid] == a->at[bid + 1])
		return gpube__in_error(r->in, "a bid on no goods");
	return GPUBE_OK;
}

static int take_number(struct reader *r, int bid)
{
	const uint64_t *ids = (const uint64_t *)r->a->id;

	if (gpube__masks_find(&r->numbers, ids, 1, ids + bid) >= 0)
		return gpube__in_error(
			r->in, "two bids have the number %lld", (long long)r->a->id[bid]);
	return gpube__masks_add(&r->numbers, r->a->ctx, ids, 1, bid);
}

static int read_bid(struct reader *r, int bid)
{
	char token[256];
	int status;

	gpube__in_more(r->in, '%');
	status = gpube__in_int(r->in, &r->a->id[bid], 0, INT64_MAX, "a bid");
	if (!status)
		status = take_number(r, bid);
	if (!status)
		status = gpube__in_token(r->in, token, "a price");
	if (!status)
		status = parse_price(r->in, &r->price[bid], token);
	return status ? status : read_goods(r, bid);
}

/* All prices with as many decimals as the one that has most. */
static int scale_prices(struct reader *r)
{
	struct gpube__bids *a = r->a;

	for (int i = 0; i < a->n_bids; i++)
		a->scale = r->price[i].decimals > a->scale ? r->price[i].decimals : a->scale;
	for (int i = 0; i < a->n_bids; i++) {
		a->price[i] = r->price[i].digits;
		if (!gpube__scaled(&a->price[i], a->scale - r->price[i].decimals))
			return gpube__in_fail(
				r->in, GPUBE_ERANGE, "prices need more than 64 bits together");
	}
	return GPUBE_OK;
}

static int read_bids(struct reader *r)
{
	struct gpube__bids *a = r->a;
	int status = gpube__bids_alloc(a, 0);

	r->price = gpube__alloc(a->ctx, (uint64_t)a->n_bids, sizeof(*r->price));
	r->seen = gpube__alloc(a->ctx, (uint64_t)a->n_goods, sizeof(*r->seen));
	if (status || !r->price || !r->seen)
		return GPUBE_ENOMEM;
	memset(r->seen, 0xff, (size_t)a->n_goods * sizeof(*r->seen));
	for (int i = 0; i < a->n_bids && !status; i++)
		status = read_bid(r, i);
	if (!status) {
		gpube__in_more(r->in, '%');
		status = gpube__in_end(r->in);
	}
	return status ? status : scale_prices(r);
}

int gpube__cats_read(struct gpube_model *m, struct gpube_in *in)
{
	struct gpube__bids a = {.ctx = in->ctx};
	struct reader r = {.a = &a, .in = in};
	int64_t goods, bids, dummies;
	int status = gpube__in_refuse_unread(in, true);

	if (!status)
		status = read_counts(in, &goods, &bids, &dummies);
	if (!status)
		status = gpube__in_charge(in, bids, 64, "%lld bids", (long long)bids);
	if (!status)
		status = gpube__in_charge(in, goods + dummies, 64, "%lld goods", (long long)goods);
	/* a bit for each good of each bid */
	if (!status)
		status = gpube__in_charge(in, bids, (goods + dummies) / 8,
			"%lld bids on %lld goods", (long long)bids, (long long)(goods + dummies));
	if (!status) {
		a.n_real = (int)goods;
		a.n_goods = (int)(goods + dummies);
		a.n_bids = (int)bids;
		status = read_bids(&r);
	}
	if (!status)
		status = gpube__bids_take(m, &a);
	gpube__bids_clear(&a);
	GPUBE_FREE_ALL(in->ctx, r.price, r.seen, r.numbers.slot);
	return status;
}

/* The word goods behind comments; a .wcsp of that name goes on with numbers. */
bool gpube__sniff_cats(const char *text, size_t n, const char *path)
{
	(void)n;
	(void)path;
	for (text += strspn(text, BLANKS); *text == '%'; text += strspn(text, BLANKS))
		text += strcspn(text, "\n");
	if (strncmp(text, "goods", 5) != 0 || !text[5] || !strchr(BLANKS, text[5]))
		return false;
	text += 5 + strspn(text + 5, BLANKS);
	text += strcspn(text, BLANKS);
	text += strspn(text, BLANKS);
	return *text < '0' || *text > '9';
}

/* ---- writing --------------------------------------------------------------------------- */

int gpube__cats_write(const struct gpube_model *m, struct gpube_out *out)
{
	struct gpube__bids a;
	int status = gpube__bids_init(&a, m);

	if (status)
		return status;
	if (m->name)
		gpube__out_printf(out, "%% %s\n", m->name);
	gpube__out_printf(
		out, "goods %d\nbids %d\ndummy %d\n\n", a.n_real, a.n_bids, a.n_goods - a.n_real);
	for (int b = 0; b < a.n_bids && !out->status; b++) {
		gpube__out_int(out, a.id[b]);
		gpube__out_text(out, "\t");
		gpube__out_decimal(out, a.price[b], a.scale);
		for (int64_t k = a.at[b]; k < a.at[b + 1]; k++)
			gpube__out_printf(out, "\t%d", a.good[k]);
		gpube__out_text(out, "\t#\n");
	}
	gpube__bids_clear(&a);
	return out->status;
}
