/* room.c - what a thread works on regions with. See players.h. */
#include "nash/players/players.h"

int nash__work_init(struct nash_work *w, const struct nash_players *p)
{
	const uint64_t profiles = (uint64_t)p->profiles;
	bool ok;

	*w = (struct nash_work){.p = p, .ctx = p->ctx};
	w->t = gpube__alloc_zero(p->ctx, (uint64_t)p->n, sizeof(*w->t));
	ok = w->t != NULL;
	for (int32_t i = 0; i < p->n && ok; i++)
		ok = (w->t[i] = gpube__alloc(p->ctx, profiles, sizeof(double))) != NULL;
	for (int k = 0; k < 2; k++)
		w->buffer[k] = gpube__alloc(p->ctx, profiles, sizeof(double));
	w->steps = gpube__alloc(p->ctx, (uint64_t)p->total * 2 + 2, sizeof(*w->steps));
	w->lambda =
		gpube__alloc(p->ctx, (uint64_t)p->total * (uint64_t)p->total, sizeof(*w->lambda));
	w->weight = gpube__alloc(p->ctx, (uint64_t)p->total, sizeof(*w->weight));
	w->products = gpube__alloc(p->ctx, (uint64_t)p->total, sizeof(*w->products));
	ok = ok && w->buffer[0] && w->buffer[1] && w->steps && w->lambda && w->weight &&
	     w->products && !nash__program_new(&w->program, p) && !nash__system_new(&w->system, p);
	if (!ok)
		nash__work_clear(w);
	return ok ? GPUBE_OK : GPUBE_ENOMEM;
}

void nash__work_clear(struct nash_work *w)
{
	struct gpube_ctx *ctx = w->ctx;

	for (int32_t i = 0; w->t && i < w->p->n; i++)
		gpube__free(ctx, w->t[i]);
	if (ctx) {
		nash__program_free(w->program, ctx);
		nash__system_free(w->system, ctx);
		gpube__free(ctx, w->t);
		gpube__free(ctx, w->buffer[0]);
		gpube__free(ctx, w->buffer[1]);
		gpube__free(ctx, w->steps);
		gpube__free(ctx, w->lambda);
		gpube__free(ctx, w->weight);
		gpube__free(ctx, w->products);
	}
	*w = (struct nash_work){0};
}
