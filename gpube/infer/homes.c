/*
 * homes.c - where each variable's marginal is read off on the way down, without a card: see
 * infer.h.
 *
 * A marginal can be read wherever its variable is. Where weights are summed in any case, in buckets
 * of several children or of a variable that no child has, it costs nothing. In a chain of buckets
 * of one child each it takes a pass over that child's message, which has to be kept until then: as
 * little as that is read. A front that moves along a grid has all its variables in one message, so
 * one message in as many as the front is wide will do.
 */
#include "gpube/infer/infer.h"

#include <math.h>

struct homes {
	struct gpube__inferring *j;
	double *cells;   /* of each bucket: what is read where marginals are read off */
	bool *open;      /* of each bucket: they are */
	int32_t *n_open; /* of each position: such buckets */
	int32_t n_left;  /* positions that have none */
};

/* A bucket without children of one with several, where its marginal is summed. */
static bool is_leaf(const struct gpube__inferring *j, int32_t b)
{
	const struct gpube_sum_bucket *bucket = &j->buckets[b];

	return bucket->n_children == 0 && bucket->parent >= 0 &&
	       !j->buckets[bucket->parent].is_chain;
}

/*
 * The variables that may be read off in a bucket: in a chain those that come from below, in a leaf
 * its own.
 */
static int span(const int32_t **scope, const struct gpube__inferring *j, int32_t b)
{
	const struct gpube_sum_bucket *bucket = &j->buckets[b];
	const int32_t from = bucket->is_chain ? bucket->child : b;

	if (bucket->is_leaf) {
		*scope = gpube__infer_scope(j, b);
		return 1;
	}
	*scope = gpube__infer_scope(j, from) + bucket->is_chain;
	return j->buckets[from].arity - bucket->is_chain;
}

/*
 * A bucket of one child, which has its variable; and where it has no other table, there is one from
 * its parent.
 */
static bool is_chain(const struct gpube__inferring *j, int32_t b)
{
	const struct gpube_sum_bucket *bucket = &j->buckets[b];

	return bucket->n_children == 1 && (bucket->n_functions > 0 || bucket->parent >= 0) &&
	       j->buckets[bucket->child].arity > 1 && gpube__infer_scope(j, bucket->child)[1] == b;
}

static void set_open(struct homes *h, int32_t b, bool open)
{
	const int32_t *scope;
	const int arity = span(&scope, h->j, b);

	h->open[b] = open;
	for (int k = 0; k < arity; k++) {
		h->n_left -= open && h->n_open[scope[k]] == 0;
		h->n_open[scope[k]] += open ? 1 : -1;
	}
}

/* Positions of a bucket's span that so many open buckets have. */
static int count(const struct homes *h, int32_t b, int32_t n_open)
{
	const int32_t *scope;
	const int arity = span(&scope, h->j, b);
	int n = 0;

	for (int k = 0; k < arity; k++)
		n += h->n_open[scope[k]] == n_open;
	return n;
}

/*
 * First what has the most variables for its cells, by powers of two. In the end each variable's own
 * bucket would do.
 */
static void open_chains(struct homes *h)
{
	const int32_t n = h->j->n;

	for (double cells = 1.0 / GPUBE_SUM_AXES; h->n_left > 0; cells *= 2)
		for (int32_t b = 0; b < n && h->n_left > 0; b++)
			if (!h->open[b] && h->cells[b] <= cells * h->j->buckets[b].arity &&
				h->cells[b] <= cells * count(h, b, 0))
				set_open(h, b, true);
	for (int32_t b = 0; b < n; b++)
		if (h->open[b] && h->j->buckets[b].is_chain && count(h, b, 1) == 0)
			set_open(h, b, false);
}

/* Each variable's is the smallest; and what no open bucket reads is spared. */
static int take_homes(struct homes *h)
{
	struct gpube__inferring *j = h->j;
	double *least = gpube__alloc(j->ctx, (uint64_t)j->n, sizeof(*least));

	if (!least)
		return GPUBE_ENOMEM;
	for (int32_t p = 0; p < j->n; p++)
		least[p] = INFINITY;
	for (int32_t b = 0; b < j->n; b++) {
		const int32_t *scope;
		const int arity = span(&scope, j, b);

		if (j->buckets[b].is_chain)
			j->buckets[j->buckets[b].child].is_spare = !h->open[b];
		for (int k = 0; k < arity && h->open[b]; k++)
			if (h->cells[b] < least[scope[k]]) {
				least[scope[k]] = h->cells[b];
				j->home[scope[k]] = b;
			}
	}
	gpube__free(j->ctx, least);
	return GPUBE_OK;
}

/*
 * A child's message that has so much of the joined table at least may be summed apart. To divide by
 * it takes as long as to multiply and add four times as many cells, and more of new pages.
 */
#define APART 16

/* Whether a child that is summed apart has these variables. */
static bool has_owner(const struct gpube__inferring *j, int32_t b, const int32_t *scope, int arity)
{
	for (int32_t c = j->buckets[b].child; c >= 0; c = j->buckets[c].sibling) {
		int k = 0;

		for (int i = 1; i < j->buckets[c].arity && k < arity; i++)
			k += scope[k] == gpube__infer_scope(j, c)[i];
		if (j->buckets[c].is_apart && k == arity)
			return true;
	}
	return false;
}

/* Only where nothing else needs the weights of all variables. */
static void find_apart(struct gpube__inferring *j, int32_t b)
{
	const struct gpube_sum_bucket *bucket = &j->buckets[b];
	const int32_t *scope = gpube__infer_scope(j, b);
	const double cells = gpube__infer_joined(j, b);
	bool all = true;

	for (int32_t c = bucket->child; c >= 0; c = j->buckets[c].sibling)
		j->buckets[c].is_apart =
			bucket->is_chain ||
			(!j->buckets[c].is_leaf &&
				gpube__infer_joined(j, c) / gpube__infer_domain(j, c) * APART >=
					cells);
	for (int32_t c = bucket->child; c >= 0 && all; c = j->buckets[c].sibling)
		all = j->buckets[c].is_apart ||
		      has_owner(j, b, gpube__infer_scope(j, c) + 1, j->buckets[c].arity - 1);
	for (int k = 0; k < bucket->arity && all; k++)
		all = j->home[scope[k]] != b || has_owner(j, b, &scope[k], 1);
	for (int32_t c = bucket->child; c >= 0 && !all; c = j->buckets[c].sibling)
		j->buckets[c].is_apart = false;
}

int gpube__infer_find_homes(struct gpube__inferring *j)
{
	struct homes h = {.j = j, .n_left = j->n};
	int status = GPUBE_ENOMEM;

	gpube__free(j->ctx, j->home);
	j->home = gpube__alloc(j->ctx, (uint64_t)j->n, sizeof(*j->home));
	h.cells = gpube__alloc(j->ctx, (uint64_t)j->n, sizeof(*h.cells));
	h.open = gpube__alloc_zero(j->ctx, (uint64_t)j->n, sizeof(*h.open));
	h.n_open = gpube__alloc_zero(j->ctx, (uint64_t)j->n, sizeof(*h.n_open));
	if (j->home && h.cells && h.open && h.n_open) {
		for (int32_t b = 0; b < j->n; b++)
			j->buckets[b].is_chain = is_chain(j, b);
		for (int32_t b = 0; b < j->n; b++)
			j->buckets[b].is_leaf = is_leaf(j, b);
		for (int32_t b = 0; b < j->n; b++) {
			const int32_t *scope;
			const int arity = span(&scope, j, b);

			h.cells[b] = 1;
			for (int k = 0; k < arity; k++)
				h.cells[b] *= gpube__infer_domain(j, scope[k]);
			if (!j->buckets[b].is_chain)
				set_open(&h, b, true);
		}
		open_chains(&h);
		status = take_homes(&h);
		for (int32_t b = 0; b < j->n && !status; b++)
			find_apart(j, b);
	}
	GPUBE_FREE_ALL(j->ctx, h.cells, h.open, h.n_open);
	return status;
}
