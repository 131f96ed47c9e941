/* result.c - results of gpube_nash(): their end, and what a search's end makes of them. */
#include "nash/result.h"

#include <string.h>

void nash__strategy_clear(struct gpube_nash_strategy *s, struct gpube_ctx *ctx)
{
	/* the pointers begin the block that holds the text, too */
	GPUBE_FREE_ALL(ctx, s->p);
}

static void free_strategies(struct gpube_ctx *ctx, struct gpube_nash_strategy *s, int64_t n)
{
	for (int64_t k = 0; s && k < n; k++)
		nash__strategy_clear(&s[k], ctx);
	gpube__free(ctx, s);
}

/* What results of another number of players have. */
static void free_profiles(struct gpube_nash_result *r, struct gpube_ctx *ctx)
{
	for (int64_t k = 0; k < r->n_profiles; k++)
		GPUBE_FREE_ALL(ctx, r->profiles[k].lo);
	for (int64_t k = 0; k < r->n_open; k++)
		GPUBE_FREE_ALL(ctx, r->open[k].lower);
	GPUBE_FREE_ALL(ctx, r->profiles, r->open);
}

/* What those of a tree have. */
static void free_tree(struct gpube_nash_tree *t, struct gpube_ctx *ctx)
{
	if (!t)
		return;
	for (int32_t k = 0; t->sets && k < t->n_sets; k++)
		GPUBE_FREE_ALL(ctx, t->sets[k].actions);
	for (int64_t k = 0; t->profiles && k < t->n_profiles; k++)
		GPUBE_FREE_ALL(ctx, t->profiles[k].p);
	GPUBE_FREE_ALL(ctx, t->sets, t->profiles, t);
}

static void clear_result(struct gpube_ctx *ctx, void *result)
{
	struct gpube_nash_result *r = result;

	free_tree(r->tree, ctx);
	free_strategies(ctx, r->xs, r->n_xs);
	free_strategies(ctx, r->ys, r->n_ys);
	gpube__free(ctx, r->pairs);
	free_profiles(r, ctx);
}

struct gpube_nash_result *nash__result_new(struct gpube_ctx *ctx)
{
	return gpube__result_new(ctx, sizeof(struct gpube_nash_result), clear_result);
}

const char **nash__take_texts(struct gpube__text *t, int64_t n, int parts)
{
	const uint64_t pointers = (uint64_t)n * (uint64_t)parts;
	const char **block = NULL, *at;

	if (!t->status)
		block = gpube__alloc(t->ctx, pointers * sizeof(*block) + (uint64_t)t->n, 1);
	if (!block)
		return NULL;
	at = memcpy(block + pointers, t->bytes, (size_t)t->n);
	for (int64_t k = 0; k < n * parts; k++, at += strlen(at) + 1)
		block[k % parts * n + k / parts] = *at ? at : block[k / parts];
	t->n = 0;
	return block;
}

int nash__conclude(struct gpube_nash_result *r, struct gpube_ctx *ctx, int status)
{
	if (status == GPUBE_ELIMIT) {
		r->answer = GPUBE_NASH_ANSWER_SOME;
		r->reason = NULL;
	} else if (status == GPUBE_ESTOP) {
		r->answer = GPUBE_NASH_ANSWER_INCOMPLETE;
		r->reason = ctx->stop ? "stopped" : "out of time";
	} else if (r->reason) {
		r->answer = GPUBE_NASH_ANSWER_INCOMPLETE;
	}
	return status == GPUBE_ELIMIT || status == GPUBE_ESTOP ? GPUBE_OK : status;
}
