/* list_cases_open.c - cases that are open, and what is freed: see list_cases.h. */
#include "gpube/bound/patching/list_cases.h"

static bool before(const void *a, const void *b)
{
	const struct gpube_case *x = a, *y = b;

	return x->bound < y->bound || (x->bound == y->bound && x->depth > y->depth);
}

static uint64_t bytes_of(const struct gpube_patch_lists *l)
{
	return (sizeof(uint64_t) + sizeof(int32_t)) * (uint64_t)l->n_entries +
	       (l->members ? sizeof(*l->cells) * (uint64_t)l->n_touched : 0);
}

void gpube__cases_push(struct gpube_list_cases *c, const struct gpube_case *of)
{
	of->lists->ctx = c->s->b->ctx;
	c->open_bytes += bytes_of(of->lists);
	c->open[c->n_open++] = *of;
	gpube__heap_push(c->open, c->n_open, sizeof(*c->open), before);
}

struct gpube_case gpube__cases_pop(struct gpube_list_cases *c)
{
	struct gpube_case of;
	int64_t k = 0;

	if (c->open_bytes > c->s->b->ctx->memory_bytes / 4)
		for (int64_t j = 1; j < c->n_open; j++)
			if (c->open[j].depth > c->open[k].depth)
				k = j;
	gpube__heap_take(c->open, c->n_open, k, sizeof(*c->open), before);
	of = c->open[--c->n_open];
	c->open_bytes -= bytes_of(of.lists);
	return of;
}

int64_t gpube__cases_least(const struct gpube_list_cases *c)
{
	int64_t bound = c->n_open && c->open[0].bound < c->target ? c->open[0].bound : c->target;

	for (int k = 0; k < c->n_workers; k++) {
		const struct gpube_case_worker *w = &c->workers[k];
		const int64_t at =
			w->busy ? __atomic_load_n(&w->at.bound, __ATOMIC_RELAXED) : bound;

		bound = at < bound ? at : bound;
	}
	return bound;
}

static void clear_worker(struct gpube_case_worker *w)
{
	gpube__search_free(w->search);
	gpube__free(&w->ctx, w->values);
	gpube__free(&w->ctx, w->whole);
	gpube__free(&w->ctx, w->forced);
	gpube__free(&w->ctx, w->choices);
	gpube__ctx_clear(&w->ctx);
}

void gpube__cases_free(struct gpube_list_cases *c)
{
	struct gpube_ctx *ctx;

	if (!c)
		return;
	ctx = c->s->b->ctx;
	for (int64_t k = 0; k < c->n_open; k++)
		gpube__lists_free(c->open[k].lists);
	gpube__free(ctx, c->open);
	for (int k = 0; c->workers && k < c->n_workers; k++)
		if (c->workers[k].all)
			clear_worker(&c->workers[k]);
	gpube__free(ctx, c->workers);
	gpube__free(ctx, c->found);
	gpube__free(ctx, c->ranks);
	gpube__free(ctx, c->value_at);
	pthread_cond_destroy(&c->changed);
	pthread_mutex_destroy(&c->lock);
	gpube__free(ctx, c);
}
