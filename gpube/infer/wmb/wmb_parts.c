/* wmb_parts.c - buckets split into parts that are kept: see wmb_passes.c. */
#include "gpube/infer/wmb/wmb_passes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A function, or a part's message, that a bucket has; in lists by the bucket. */
struct wmb_item {
	double cells;
	int32_t function, part; /* -1: the other */
	int arity, number;
	int32_t *scope, next;
};

static int larger_first(const void *a, const void *b)
{
	const struct wmb_item *x = *(struct wmb_item *const *)a, *y = *(struct wmb_item *const *)b;

	if (x->cells != y->cells)
		return x->cells > y->cells ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

/* The part of a bucket that grows least by an item, or a new one. */
static int place(struct wmb_passes *w, int32_t b, const struct wmb_item *item, int32_t *joined)
{
	double least = INFINITY;
	int32_t best = -1;
	struct wmb_kept *p;

	for (int32_t r = w->first[b]; r < w->n; r++) {
		const double cells = gpube__wmb_cells(w->j,
			gpube__wmb_join(joined, w->parts[r].arity, w->parts[r].scope, item->arity,
				item->scope),
			joined);
		const double growth =
			cells / gpube__wmb_cells(w->j, w->parts[r].arity, w->parts[r].scope);

		if (cells > w->most_cells || growth >= least)
			continue;
		least = growth;
		best = r;
	}
	if (best < 0) {
		if (gpube__grow(
			    w->ctx, &w->parts, &w->capacity, (int64_t)w->n + 1, sizeof(*w->parts)))
			return GPUBE_ENOMEM;
		best = w->n++;
		w->parts[best] = (struct wmb_kept){.to = -1, .first_child = -1, .next_child = -1};
	}
	p = &w->parts[best];
	p->arity = gpube__wmb_join(joined, p->arity, p->scope, item->arity, item->scope);
	gpube__free(w->ctx, p->scope);
	p->scope = gpube__alloc(w->ctx, (uint64_t)p->arity, sizeof(*p->scope));
	if (!p->scope)
		return GPUBE_ENOMEM;
	memcpy(p->scope, joined, (size_t)p->arity * sizeof(*joined));
	if (item->part >= 0) {
		w->parts[item->part].to = best;
		w->parts[item->part].next_child = p->first_child;
		p->first_child = item->part;
	} else {
		w->function_part[item->function] = best;
	}
	return GPUBE_OK;
}

static int add_item(struct gpube_ctx *ctx, struct wmb_item **items, int64_t *n, int64_t *capacity,
	int32_t *first, struct wmb_item item)
{
	if (gpube__grow(ctx, items, capacity, *n + 1, sizeof(**items)))
		return GPUBE_ENOMEM;
	item.number = (int)*n;
	item.next = first[item.scope[0]];
	first[item.scope[0]] = (int32_t)*n;
	(*items)[(*n)++] = item;
	return GPUBE_OK;
}

/* A bucket's items, the largest first, to parts; and their messages are items of other buckets. */
static int split(struct wmb_passes *w, int32_t b, struct wmb_item **items, int64_t *n,
	int64_t *capacity, int32_t *first, int32_t *joined)
{
	struct wmb_item **here;
	int32_t n_here = 0;
	int status = GPUBE_OK;

	w->first[b] = w->n;
	for (int32_t k = first[b]; k >= 0; k = (*items)[k].next)
		n_here++;
	here = gpube__alloc(w->ctx, (uint64_t)n_here, sizeof(struct wmb_item *));
	if (!here)
		return GPUBE_ENOMEM;
	n_here = 0;
	for (int32_t k = first[b]; k >= 0; k = (*items)[k].next)
		here[n_here++] = &(*items)[k];
	qsort(here, (size_t)n_here, sizeof(*here), larger_first);
	for (int32_t k = 0; k < n_here && !status; k++)
		status = place(w, b, here[k], joined);
	gpube__free(w->ctx, here);
	w->first[b + 1] = w->n;
	for (int32_t r = w->first[b]; r < w->n && !status; r++) {
		struct wmb_kept *p = &w->parts[r];

		p->weight = 1.0 / (w->n - w->first[b]);
		p->n = (int64_t)gpube__wmb_cells(w->j, p->arity, p->scope);
		p->n_message = p->n / gpube__infer_domain(w->j, b);
		if (p->arity > 1)
			status = add_item(w->ctx, items, n, capacity, first,
				(struct wmb_item){.cells = (double)p->n_message,
					.function = -1,
					.part = r,
					.arity = p->arity - 1,
					.scope = p->scope + 1});
	}
	return status;
}

/* Functions' scopes, ascending positions, one after the other. */
static int find_items(struct wmb_passes *w, struct wmb_item **items, int64_t *n, int64_t *capacity,
	int32_t *first, int32_t *scopes)
{
	const struct gpube_model *m = w->j->m;
	int status = GPUBE_OK;

	for (int32_t f = 0; f < m->n_functions && !status; f++) {
		int arity = 0;

		w->function_part[f] = -1;
		for (int k = 0; k < m->functions[f].arity; k++)
			if (w->j->position[gpube__scope(m, f)[k]] >= 0)
				scopes[arity++] = w->j->position[gpube__scope(m, f)[k]];
		if (arity == 0)
			continue;
		qsort(scopes, (size_t)arity, sizeof(*scopes), gpube__compare_int32);
		status = add_item(w->ctx, items, n, capacity, first,
			(struct wmb_item){.cells = gpube__wmb_cells(w->j, arity, scopes),
				.function = f,
				.part = -1,
				.arity = arity,
				.scope = scopes});
		scopes += arity;
	}
	return status;
}

int gpube__wmb_parts(struct wmb_passes *w)
{
	const struct gpube_model *m = w->j->m;
	struct wmb_item *items = NULL;
	int64_t n = 0, capacity = 0, n_scopes = 0;
	int32_t *first, *joined, *scopes;
	int status = GPUBE_OK;

	for (int32_t f = 0; f < m->n_functions; f++)
		n_scopes += m->functions[f].arity;
	first = gpube__alloc(w->ctx, (uint64_t)w->j->n, sizeof(*first));
	joined = gpube__alloc(w->ctx, (uint64_t)w->j->n, sizeof(*joined));
	scopes = gpube__alloc(w->ctx, (uint64_t)n_scopes, sizeof(*scopes));
	w->first = gpube__alloc_zero(w->ctx, (uint64_t)w->j->n + 1, sizeof(*w->first));
	w->function_part =
		gpube__alloc(w->ctx, (uint64_t)m->n_functions, sizeof(*w->function_part));
	if (!first || !joined || !scopes || !w->first || !w->function_part)
		status = GPUBE_ENOMEM;
	for (int32_t b = 0; b < w->j->n && !status; b++)
		first[b] = -1;
	if (!status)
		status = find_items(w, &items, &n, &capacity, first, scopes);
	for (int32_t b = 0; b < w->j->n && !status; b++)
		status = split(w, b, &items, &n, &capacity, first, joined);
	GPUBE_FREE_ALL(w->ctx, items, first, joined, scopes);
	return status;
}
