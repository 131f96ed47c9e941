/*
 * auction_of_costs.c - a model of prices and of bids that exclude or need each other as an
 * auction. See gpube/forms.h.
 *
 * Value 0 of a variable is that it wins nothing; each other one is a part of a bid. A table of two
 * variables says of two values that they need each other, then they are parts of one bid, or that
 * they exclude each other; all values of a variable do, and so do the second values of several
 * variables of which at most one may have it: a row of a set packing program. So both forms that
 * gpube_costs_of_auction() gives are one, in the first a variable is a bid, in the second a good;
 * so is what gpube_write() writes, and any mixture. Goods are sets of bids of which any
 * two exclude each other: variables of several bids, rows, and cliques for what is left, as goods
 * that are pairs alone would make the linear program weak.
 */
#include <string.h>

#include "gpube/forms.h"
#include "gpube/forms/at_most_one.h"
#include "gpube/base/bits.h"
#include "gpube/base/rows.h"
#include "gpube/ir/bids.h"

#define MOST_CELLS ((int64_t)1 << 28) /* of the tables of two variables */

/*
 * Parts are numbered by variable: value a of variable v is first[v] + a - 1.
 * parent  of a part in a forest, whose trees are the bids
 * bid     of a part, once all are known
 * worst   no allowed total is worse
 * pair    2 * n_pairs parts that exclude each other
 * conflict, covered  n_bids sets of bids, of 'words' words: who excludes a bid; those with whom it
 *                    shares a good
 */
struct reading {
	const struct gpube_model *m;
	struct gpube_ctx *ctx;
	struct gpube__bids *a;
	int64_t n_parts, n_pairs, pair_capacity, n_cells;
	int32_t *first, *parent, *bid, *pair;
	int64_t *price;
	__int128 worst;
	size_t words;
	uint64_t *conflict, *covered, *clique, *left;
	/* entries of goods: listed[2k] is a bid, listed[2k + 1] a good */
	int64_t n_listed, listed_capacity;
	int32_t *listed;
};

static int refuse(const struct reading *r, const char *why, int32_t what)
{
	return gpube__fail(r->ctx, GPUBE_EINVAL, why, what);
}

static int check_form(const struct reading *r)
{
	const struct gpube_model *m = r->m;

	if (gpube__check_kind(m, GPUBE__NETWORKS))
		return GPUBE_EINVAL;
	if (m->kind != GPUBE_COSTS)
		return refuse(r, "no auction: potentials are multiplied, prices are added", 0);
	if (m->n_vars == 0)
		return refuse(r, "no auction: it has no variables", 0);
	for (int32_t v = 0; v < m->n_vars; v++)
		if (m->vars[v].hidden || (m->evidence && m->evidence[v] >= 0))
			return refuse(r,
				m->vars[v].hidden ? "no auction: variable %d is not in the file"
						  : "no auction: variable %d is observed",
				v);
	for (int32_t f = 0; f < m->n_functions; f++) {
		int64_t even;

		if (m->functions[f].arity < 1 ||
			(m->functions[f].arity > 2 && !gpube__at_most_one(m, f, &even)))
			return refuse(r,
				"no auction: function %d is over neither one variable, for "
				"prices, nor two, for bids that exclude each other, nor does it "
				"let at most one of several bids win",
				f);
	}
	return GPUBE_OK;
}

static int make_parts(struct reading *r)
{
	const struct gpube_model *m = r->m;

	for (int32_t v = 0; v < m->n_vars; v++)
		r->n_parts += m->vars[v].domain - 1;
	if ((uint64_t)r->n_parts * 20 > r->ctx->memory_bytes || r->n_parts > INT32_MAX)
		return gpube__fail(r->ctx, GPUBE_ELIMIT, "%lld values pass the memory allowed",
			(long long)r->n_parts);
	r->first = gpube__alloc(r->ctx, (uint64_t)m->n_vars + 1, sizeof(*r->first));
	r->parent = gpube__alloc(r->ctx, (uint64_t)r->n_parts + 1, sizeof(*r->parent));
	r->bid = gpube__alloc(r->ctx, (uint64_t)r->n_parts + 1, sizeof(*r->bid));
	r->price = gpube__alloc_zero(r->ctx, (uint64_t)r->n_parts + 1, sizeof(*r->price));
	if (!r->first || !r->parent || !r->bid || !r->price)
		return GPUBE_ENOMEM;
	r->first[0] = 0;
	for (int32_t v = 0; v < m->n_vars; v++)
		r->first[v + 1] = r->first[v] + m->vars[v].domain - 1;
	for (int32_t p = 0; p < r->n_parts; p++)
		r->parent[p] = p;
	r->worst = m->constant;
	return GPUBE_OK;
}

static int32_t root_of(struct reading *r, int32_t part)
{
	while (r->parent[part] != part)
		part = r->parent[part] = r->parent[r->parent[part]];
	return part;
}

/* ---- functions ------------------------------------------------------------------------------- */

static int64_t cell(const struct reading *r, int32_t f, int32_t a, int32_t b)
{
	const int32_t *scope = gpube__scope(r->m, f);
	const int two = r->m->functions[f].arity == 2;
	const int32_t tuple[] = {a, b};
	const int32_t domains[] = {r->m->vars[scope[0]].domain, r->m->vars[scope[two]].domain};
	const struct gpube_table *t = gpube__table(r->m, f);
	const int64_t k = gpube__table_find(t, domains, tuple);

	return k < 0 ? t->dflt.i : gpube__table_int(t, k);
}

/* A price is by how much a total gets better. */
static int take_prices(struct reading *r, int32_t f)
{
	const bool gets = r->m->direction == GPUBE_MAXIMISE;
	const int32_t v = gpube__scope(r->m, f)[0];
	const int64_t none = cell(r, f, 0, 0);
	int64_t worst = none;

	for (int32_t a = 0; a < r->m->vars[v].domain; a++) {
		const int64_t cost = cell(r, f, a, 0);
		int64_t price;

		if (cost == GPUBE_INF)
			return refuse(r,
				"no auction: function %d forbids a value, where a price should be",
				f);
		worst = gets ? (cost < worst ? cost : worst) : cost > worst ? cost : worst;
		if (a == 0)
			continue;
		if ((gets ? __builtin_sub_overflow(cost, none, &price)
			  : __builtin_sub_overflow(none, cost, &price)) ||
			__builtin_add_overflow(r->price[r->first[v] + a - 1], price,
				&r->price[r->first[v] + a - 1]))
			return gpube__fail(r->ctx, GPUBE_ERANGE, "a price passes 64 bits");
	}
	r->worst += worst;
	return GPUBE_OK;
}

/* What a table of two variables says of value a of its first one, or of its second one. */
struct line {
	int n_allowed;
	int32_t allowed; /* the last one */
};

static struct line line_of(const struct reading *r, int32_t f, int32_t a, int side, int32_t domain)
{
	struct line line = {0};

	for (int32_t b = 0; b < domain; b++)
		if (cell(r, f, side ? b : a, side ? a : b) != GPUBE_INF) {
			line.n_allowed++;
			line.allowed = b;
		}
	return line;
}

static int take_value(
	struct reading *r, int32_t f, int32_t a, const struct line *columns, int64_t even)
{
	const int32_t *scope = gpube__scope(r->m, f);
	const int32_t domain = r->m->vars[scope[1]].domain;
	const struct line row = line_of(r, f, a, 0, domain);
	const int32_t part = r->first[scope[0]] + a - 1;
	const bool needs = cell(r, f, a, 0) == GPUBE_INF;
	int status = GPUBE_OK;

	/* a needs b, and b needs a: nothing else is allowed beside either */
	if (needs && (row.n_allowed != 1 || columns[row.allowed].n_allowed != 1 ||
			     cell(r, f, 0, row.allowed) != GPUBE_INF))
		return refuse(r,
			"no auction: function %d lets a value need others that do not need it", f);
	if (needs)
		r->parent[root_of(r, part)] = root_of(r, r->first[scope[1]] + row.allowed - 1);
	for (int32_t b = 0; b < domain && !status; b++) {
		const int64_t cost = cell(r, f, a, b);

		if (cost != GPUBE_INF && cost != even)
			return refuse(r, "no auction: function %d has costs of pairs", f);
		/* what is forbidden because b needs another one is said by that */
		if (cost != GPUBE_INF || needs || b == 0 || cell(r, f, 0, b) == GPUBE_INF)
			continue;
		status = gpube__grow(r->ctx, &r->pair, &r->pair_capacity, 2 * (r->n_pairs + 1),
			sizeof(*r->pair));
		if (status)
			break;
		r->pair[2 * r->n_pairs] = part;
		r->pair[2 * r->n_pairs++ + 1] = r->first[scope[1]] + b - 1;
	}
	return status;
}

static int take_pairs(struct reading *r, int32_t f)
{
	const int32_t *scope = gpube__scope(r->m, f);
	const int32_t rows = r->m->vars[scope[0]].domain, columns = r->m->vars[scope[1]].domain;
	const int64_t even = cell(r, f, 0, 0);
	struct line *column;
	int status = GPUBE_OK;

	r->n_cells += (int64_t)rows * columns;
	if (r->n_cells > MOST_CELLS)
		return gpube__fail(r->ctx, GPUBE_ELIMIT, "tables of more than %lld cells",
			(long long)MOST_CELLS);
	/* of which any may exclude each other */
	if ((uint64_t)r->n_cells > r->ctx->memory_bytes / (4 * sizeof(*r->pair)))
		return gpube__fail(r->ctx, GPUBE_ELIMIT, "pairs of bids pass the memory allowed");
	if (even == GPUBE_INF)
		return refuse(r, "no auction: function %d forbids that neither variable wins", f);
	column = gpube__alloc(r->ctx, (uint64_t)columns, sizeof(*column));
	if (!column)
		return GPUBE_ENOMEM;
	for (int32_t b = 0; b < columns; b++)
		column[b] = line_of(r, f, b, 1, rows);
	for (int32_t b = 1; b < columns && !status; b++)
		if (cell(r, f, 0, b) == GPUBE_INF &&
			(column[b].n_allowed != 1 || cell(r, f, column[b].allowed, 0) != GPUBE_INF))
			status = refuse(r,
				"no auction: function %d lets a value need others that do not "
				"need it",
				f);
		else if (cell(r, f, 0, b) != GPUBE_INF && cell(r, f, 0, b) != even)
			status = refuse(r, "no auction: function %d has costs of pairs", f);
	for (int32_t a = 1; a < rows && !status; a++)
		status = gpube__stopped(r->ctx) ? gpube__fail_stopped(r->ctx)
						: take_value(r, f, a, column, even);
	gpube__free(r->ctx, column);
	r->worst += even;
	return status;
}

static int take_functions(struct reading *r)
{
	const struct gpube_model *m = r->m;
	int status = GPUBE_OK;

	for (int32_t f = 0; f < m->n_functions && !status; f++) {
		int64_t even = 0;

		if (m->functions[f].arity <= 2)
			status = m->functions[f].arity == 1 ? take_prices(r, f) : take_pairs(r, f);
		else if (gpube__at_most_one(m, f, &even)) /* it is, by check_form() */
			r->worst += even;
	}
	if (!status && gpube__reaches_top(m, r->worst))
		status = refuse(r,
			"no auction: its bound may forbid bids that do not exclude each other", 0);
	return status;
}

/* ---- bids --------------------------------------------------------------------------------- */

/* What a name says behind "bid", as gpube_costs_of_auction() names them; -1: nothing. */
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

static int compare_ids(const void *a, const void *b)
{
	const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Numbers from names if each bid has one of its own; otherwise those that were set. */
static int name_bids(struct reading *r)
{
	const uint64_t n = (uint64_t)r->a->n_bids;
	int64_t *named = gpube__alloc(r->ctx, 2 * n + 1, sizeof(*named)), *sorted = named + n;
	bool good = true;
	int status = named ? GPUBE_OK : GPUBE_ENOMEM;

	for (int32_t v = 0; v < r->m->n_vars && !status; v++)
		for (int32_t a = 1; a < r->m->vars[v].domain; a++) {
			const struct gpube_variable *var = &r->m->vars[v];

			named[r->bid[r->first[v] + a - 1]] =
				number_of(number_of(var->name) >= 0 || !var->value_names
						  ? var->name
						  : var->value_names[a]);
		}
	if (!status && n) {
		memcpy(sorted, named, n * sizeof(*named));
		status = gpube__sort(r->ctx, sorted, n, sizeof(*sorted), compare_ids);
	}
	for (uint64_t k = 0; k < n && !status && good; k++)
		good = sorted[k] >= 0 && (k == 0 || sorted[k] != sorted[k - 1]);
	if (!status && n && good)
		memcpy(r->a->id, named, n * sizeof(*named));
	gpube__free(r->ctx, named);
	return status;
}

/* The trees of parts, numbered as they come: where a variable is a bid, the bid has its number. */
static int make_bids(struct reading *r)
{
	struct gpube__bids *a = r->a;

	for (int32_t p = 0; p < r->n_parts; p++)
		r->bid[p] = -1;
	for (int32_t p = 0; p < r->n_parts; p++) {
		int32_t *of_root = &r->bid[root_of(r, p)];

		if (*of_root < 0)
			*of_root = a->n_bids++;
	}
	a->id = gpube__alloc_zero(r->ctx, (uint64_t)a->n_bids + 1, sizeof(*a->id));
	a->price = gpube__alloc_zero(r->ctx, (uint64_t)a->n_bids + 1, sizeof(*a->price));
	a->at = gpube__alloc_zero(r->ctx, (uint64_t)a->n_bids + 2, sizeof(*a->at));
	if (!a->id || !a->price || !a->at)
		return GPUBE_ENOMEM;
	for (int32_t p = 0; p < r->n_parts; p++) {
		r->bid[p] = r->bid[root_of(r, p)];
		if (__builtin_add_overflow(a->price[r->bid[p]], r->price[p], &a->price[r->bid[p]]))
			return gpube__fail(r->ctx, GPUBE_ERANGE, "a price passes 64 bits");
	}
	for (int b = 0; b < a->n_bids; b++)
		a->id[b] = b;
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
		for (size_t w = 0; w < r->words; w++)
			set_of(r->covered, r, b)[w] |= r->clique[w];
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
	return refuse(r, "no auction: values that need each other exclude each other", 0);
}

static int add_to_clique(struct reading *r, int32_t part)
{
	if (gpube__bit(r->clique, r->bid[part]))
		return clash(r);
	gpube__bit_put(r->clique, r->bid[part]);
	return GPUBE_OK;
}

/* All of r->clique exclude each other. */
static void exclude_clique(struct reading *r)
{
	for (int b = 0; b < r->a->n_bids; b++)
		for (size_t w = 0; w < r->words && gpube__bit(r->clique, b); w++)
			set_of(r->conflict, r, b)[w] |= r->clique[w];
}

/* Bids on the values of one variable. */
static int take_variable(struct reading *r, int32_t v)
{
	const int32_t from = r->first[v], to = r->first[v + 1];
	int status = GPUBE_OK;

	if (to - from < 2)
		return GPUBE_OK;
	memset(r->clique, 0, r->words * sizeof(*r->clique));
	for (int32_t p = from; p < to && !status; p++)
		status = add_to_clique(r, p);
	if (status)
		return status;
	exclude_clique(r);
	return add_good(r);
}

/* Those of which at most one wins. */
static int take_row(struct reading *r, int32_t f)
{
	const int32_t *scope = gpube__scope(r->m, f);
	int status = GPUBE_OK;

	memset(r->clique, 0, r->words * sizeof(*r->clique));
	for (int k = 0; k < r->m->functions[f].arity && !status; k++)
		status = add_to_clique(r, r->first[scope[k]]);
	if (status)
		return status;
	exclude_clique(r);
	return add_good(r);
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
	const uint64_t n = (uint64_t)r->a->n_bids;
	int status = GPUBE_OK;

	r->words = (n + 63) / 64;
	if (2 * n * r->words * 8 > r->ctx->memory_bytes)
		return gpube__fail(
			r->ctx, GPUBE_ELIMIT, "%d bids pass the memory allowed", r->a->n_bids);
	r->conflict = gpube__alloc_zero(r->ctx, n * r->words + 1, sizeof(*r->conflict));
	r->covered = gpube__alloc_zero(r->ctx, n * r->words + 1, sizeof(*r->covered));
	r->clique = gpube__alloc(r->ctx, r->words + 1, sizeof(*r->clique));
	r->left = gpube__alloc(r->ctx, r->words + 1, sizeof(*r->left));
	if (!r->conflict || !r->covered || !r->clique || !r->left)
		return GPUBE_ENOMEM;
	for (int32_t v = 0; v < r->m->n_vars && !status; v++)
		status = take_variable(r, v);
	for (int32_t f = 0; f < r->m->n_functions && !status; f++)
		if (r->m->functions[f].arity > 2)
			status = gpube__stopped(r->ctx) ? gpube__fail_stopped(r->ctx)
							: take_row(r, f);
	for (int64_t k = 0; k < r->n_pairs && !status; k++) {
		const int b = r->bid[r->pair[2 * k]], c = r->bid[r->pair[2 * k + 1]];

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

static void clear(struct reading *r)
{
	gpube__free(r->ctx, r->first);
	gpube__free(r->ctx, r->parent);
	gpube__free(r->ctx, r->bid);
	gpube__free(r->ctx, r->pair);
	gpube__free(r->ctx, r->price);
	gpube__free(r->ctx, r->conflict);
	gpube__free(r->ctx, r->covered);
	gpube__free(r->ctx, r->clique);
	gpube__free(r->ctx, r->left);
	gpube__free(r->ctx, r->listed);
}

int gpube_auction_of_costs(struct gpube_model **out, const struct gpube_model *m)
{
	struct gpube__bids a;
	struct reading r = {.m = m, .a = &a};
	struct gpube_model *made = NULL;
	int status;

	if (out)
		*out = NULL;
	if (!out || !m)
		return gpube__missing(m ? m->ctx : NULL);
	r.ctx = m->ctx;
	a = (struct gpube__bids){.ctx = r.ctx, .scale = m->scale, .owns = true};
	status = check_form(&r);
	if (!status)
		status = make_parts(&r);
	if (!status)
		status = take_functions(&r);
	if (!status)
		status = make_bids(&r);
	if (!status)
		status = make_goods(&r);
	if (!status)
		status = list_goods(&r);
	clear(&r);
	if (!status)
		status = gpube_model_new(&made, r.ctx, GPUBE_COALITIONS);
	if (!status)
		status = gpube__bids_take(made, &a);
	gpube__bids_clear(&a);
	if (status)
		gpube_model_free(made);
	else
		*out = made;
	return status;
}
