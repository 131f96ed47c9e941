/* support_sets.c - what the backends of the support scan share. See support_sets.h. */
#include "gpube/ops/support/support_sets.h"

void gpube__support_better(uint64_t *better, const double *c, int k, int l)
{
	for (int b = 0; b < l; b++)
		for (int a = 0; a < l; a++) {
			uint64_t set = 0;

			for (int i = 0; i < k; i++)
				set |= (uint64_t)(c[a * k + i] > c[b * k + i]) << i;
			better[b * l + a] = set;
		}
}

/* What the threads that list sets share. */
struct listing {
	struct gpube_support_sets *out;
	const uint64_t *better;
	uint64_t all;
	int k, l, q;
	bool dominance;
};

#define SETS_OF_ITEM 1024 /* sets that a thread lists at a time */

static void list_sets(void *arg, int64_t item, int thread)
{
	const struct listing *g = arg;
	const int64_t from = item * SETS_OF_ITEM, left = g->out->n - from;
	const int64_t n = left < SETS_OF_ITEM ? left : SETS_OF_ITEM;
	uint64_t set = gpube__set_number(from, g->k, g->q);

	(void)thread;
	for (int64_t i = from; i < from + n; i++) {
		GPUBE_KNOWN(set != 0); /* sets have at least one action */
		g->out->mask[i] = set;
		g->out->good[i] = g->dominance ? gpube__undominated(g->better, g->l, set) : g->all;
		set = gpube__set_after(set);
	}
}

int gpube__support_sets(struct gpube_support_sets *out, struct gpube_ctx *ctx,
	const struct gpube_support_scan *s, int side)
{
	const int k = side ? s->l : s->k, l = side ? s->k : s->l;
	uint64_t better[GPUBE_SUPPORT_ACTIONS * GPUBE_SUPPORT_ACTIONS];
	struct listing g = {
		.out = out,
		.better = better,
		.all = l == 64 ? ~(uint64_t)0 : ((uint64_t)1 << l) - 1,
		.k = k,
		.l = l,
		.q = s->q,
		.dominance = s->dominance,
	};

	*out = (struct gpube_support_sets){.n = gpube__choose(k, s->q)};
	if (out->n > INT32_MAX)
		return gpube__fail(ctx, GPUBE_ERANGE,
			"more than 2^31 supports of %d out of %d actions", s->q, k);
	out->mask = gpube__alloc(ctx, (uint64_t)out->n, sizeof(*out->mask));
	out->good = gpube__alloc(ctx, (uint64_t)out->n, sizeof(*out->good));
	if (!out->mask || !out->good) {
		gpube__support_sets_clear(out, ctx);
		return GPUBE_ENOMEM;
	}
	gpube__support_better(better, s->c[side], k, l);
	gpube__parallel(ctx, (out->n + SETS_OF_ITEM - 1) / SETS_OF_ITEM, list_sets, &g);
	return GPUBE_OK;
}

void gpube__support_sets_clear(struct gpube_support_sets *sets, struct gpube_ctx *ctx)
{
	gpube__free(ctx, sets->mask);
	gpube__free(ctx, sets->good);
	*sets = (struct gpube_support_sets){0};
}

int gpube__support_add(
	struct gpube_ctx *ctx, struct gpube_support_scan *s, const struct gpube_support_pair *pair)
{
	if (pair->answer == GPUBE_SUPPORT_UNSURE && s->n_unsure++ >= s->most_unsure)
		return GPUBE_OK;
	if (gpube__grow(ctx, &s->found, &s->capacity, s->n_found + 1, sizeof(*s->found)))
		return GPUBE_ENOMEM;
	s->found[s->n_found++] = *pair;
	return GPUBE_OK;
}
