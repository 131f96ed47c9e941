/* linear_rows.c - rows of the program, and cliques of values that exclude each other. */
#include "gpube/relax/linear/linear_parts.h"

#include <stdlib.h>
#include <string.h>

/* Work for a word of a set; words for cliques, pairs and entries of rows, at most. */
enum { WORD_TICKS = 2, MOST_PAIRS = 1 << 20, MOST_ENTRIES = 1 << 21 };
#define MOST_WORDS ((int64_t)1 << 28)

int gpube__linear_row(struct gpube__linear_made *w, int32_t limit)
{
	struct gpube_linear_program *p = w->p;
	int status = gpube__grow(
		p->of.ctx, &p->row_at, &w->row_room, (int64_t)p->n_limits + 2, sizeof(*p->row_at));

	if (!status)
		status = gpube__grow(p->of.ctx, &p->limits, &w->limit_room,
			(int64_t)p->n_limits + 1, sizeof(*p->limits));
	if (status)
		return status;
	w->large |= p->n_limits >= GPUBE__LINEAR_ROWS;
	p->row_at[0] = 0;
	p->limits[p->n_limits++] = limit;
	p->row_at[p->n_limits] = w->n_entries;
	return GPUBE_OK;
}

int gpube__linear_entry(struct gpube__linear_made *w, int32_t value)
{
	struct gpube_linear_program *p = w->p;
	const int status = gpube__grow(
		p->of.ctx, &p->entries, &w->entry_room, w->n_entries + 1, sizeof(*p->entries));

	if (status)
		return status;
	w->large |= w->n_entries >= MOST_ENTRIES;
	p->entries[w->n_entries++] = value;
	p->row_at[p->n_limits] = w->n_entries;
	return GPUBE_OK;
}

/* ---- cliques --------------------------------------------------------------------------------- */

/* A pair of values that exclude each other, and how many both exclude. */
struct pair {
	int32_t x, y;
	int64_t common;
};

struct cover {
	struct gpube__linear_made *w;
	uint64_t *open; /* of each value: pairs that no row covers, */
	uint64_t *left; /* and values that may join the clique; */
	int32_t *of, n; /* the clique */
	int64_t words;  /* that were looked at */
};

static void count_words(struct cover *c, int64_t n)
{
	c->words += n;
	c->w->large |= c->words > MOST_WORDS;
	gpube__work(c->w->p->of.ctx, WORD_TICKS * n);
}

static uint64_t *row(const struct cover *c, uint64_t *of, int32_t x)
{
	return of + (int64_t)x * c->w->p->of.words;
}

static int64_t n_common(const struct cover *c, const uint64_t *a, const uint64_t *b)
{
	int64_t n = 0;

	for (int32_t k = 0; k < c->w->p->of.words; k++)
		n += __builtin_popcountll(a[k] & b[k]);
	return n;
}

static void join(struct cover *c, int32_t x)
{
	const uint64_t *others = row(c, c->w->exclude, x);

	for (int32_t k = 0; k < c->n; k++) {
		gpube__bit_drop(row(c, c->open, x), c->of[k]);
		gpube__bit_drop(row(c, c->open, c->of[k]), x);
	}
	c->of[c->n++] = x;
	for (int32_t k = 0; k < c->w->p->of.words; k++)
		c->left[k] &= others[k];
}

/* The value of those that may join that leaves most of them; -1: there is none. */
static int32_t most_joined(struct cover *c)
{
	int64_t most = -1;
	int32_t best = -1, n = 0;

	for (int32_t k = 0; k < c->w->p->of.words; k++)
		for (uint64_t bits = c->left[k]; bits; bits &= bits - 1, n++) {
			const int32_t x = 64 * k + __builtin_ctzll(bits);
			const int64_t common = n_common(c, c->left, row(c, c->w->exclude, x));

			if (common > most) {
				most = common;
				best = x;
			}
		}
	count_words(c, ((int64_t)n + 1) * c->w->p->of.words);
	return best;
}

/* A pair that no row covers, and as many values as exclude all of the clique. */
static int add_clique(struct cover *c, const struct pair *pair)
{
	int status;

	memcpy(c->left, c->w->p->of.allowed, (size_t)c->w->p->of.words * sizeof(*c->left));
	c->n = 0;
	join(c, pair->x);
	join(c, pair->y);
	for (int32_t x = most_joined(c); x >= 0; x = most_joined(c))
		join(c, x);
	qsort(c->of, (size_t)c->n, sizeof(*c->of), gpube__compare_int32);
	status = gpube__linear_row(c->w, 1);
	for (int32_t k = 0; k < c->n && !status; k++)
		status = gpube__linear_entry(c->w, c->of[k]);
	return status;
}

/* Those with most in common first. */
static int compare_pairs(const void *a, const void *b)
{
	const struct pair *p = a, *q = b;

	if (p->common != q->common)
		return p->common > q->common ? -1 : 1;
	if (p->x != q->x)
		return p->x < q->x ? -1 : 1;
	return p->y < q->y ? -1 : p->y > q->y;
}

/* All pairs of several variables' values. */
static int list_pairs(struct cover *c, struct pair **list, int64_t *n)
{
	const struct gpube_linear_program *p = c->w->p;
	int64_t room = 0;

	for (int32_t x = 0; x < p->of.n_values && !c->w->large; x++) {
		uint64_t *own = row(c, c->w->exclude, x);
		int64_t before = *n;

		for (int32_t k = x / 64; k < p->of.words; k++)
			for (uint64_t bits = own[k]; bits; bits &= bits - 1) {
				const int32_t y = 64 * k + __builtin_ctzll(bits);
				int status;

				if (y <= x || p->owner[y] == p->owner[x] ||
					!gpube__bit(p->of.allowed, x) ||
					!gpube__bit(p->of.allowed, y))
					continue;
				status =
					gpube__grow(p->of.ctx, list, &room, *n + 1, sizeof(**list));
				if (status)
					return status;
				(*list)[(*n)++] = (struct pair){
					x, y, n_common(c, own, row(c, c->w->exclude, y))};
			}
		count_words(c, (1 + *n - before) * p->of.words);
		c->w->large |= *n > MOST_PAIRS;
	}
	return gpube__sort(p->of.ctx, *list, (uint64_t)*n, sizeof(**list), compare_pairs);
}

int gpube__linear_cliques(struct gpube__linear_made *w)
{
	const struct gpube_linear_program *p = w->p;
	struct gpube_ctx *ctx = p->of.ctx;
	const uint64_t words = (uint64_t)p->of.words;
	struct cover c = {.w = w};
	struct pair *list = NULL;
	int64_t n = 0;
	int status = GPUBE_ENOMEM;

	for (int32_t x = 0; x < p->of.n_values; x++)
		for (int32_t y = p->of.at[p->owner[x]]; y < p->of.at[p->owner[x] + 1]; y++)
			if (y != x)
				gpube__bit_put(row(&c, w->exclude, x), y);
	c.open = gpube__alloc(ctx, (uint64_t)p->of.n_values * words, sizeof(*c.open));
	c.left = gpube__alloc(ctx, words, sizeof(*c.left));
	c.of = gpube__alloc(ctx, (uint64_t)p->of.n_values + 1, sizeof(*c.of));
	if (c.open && c.left && c.of) {
		memcpy(c.open, w->exclude, (uint64_t)p->of.n_values * words * sizeof(*c.open));
		status = list_pairs(&c, &list, &n);
	}
	for (int64_t k = 0; k < n && !status && !w->large; k++)
		if (gpube__stopped(ctx))
			status = gpube__fail_stopped(ctx);
		else if (gpube__bit(row(&c, c.open, list[k].x), list[k].y))
			status = add_clique(&c, &list[k]);
	GPUBE_FREE_ALL(ctx, c.open, c.left, c.of, list);
	return status;
}
