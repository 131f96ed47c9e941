/* room.c - what a thread works on regions with. See players.h. */
#include "nash/players/players.h"

int nash__work_init(struct nash_work *w, const struct nash_players *p)
{
	const uint64_t profiles = (uint64_t)p->profiles, total = (uint64_t)p->total;

	*w = (struct nash_work){.p = p, .ctx = p->ctx, .memory = {.ctx = p->ctx}};
	w->t = gpube__array(&w->memory, (uint64_t)p->n, sizeof(*w->t));
	for (int32_t i = 0; i < p->n && w->t; i++)
		w->t[i] = gpube__array(&w->memory, profiles, sizeof(double));
	for (int k = 0; k < 2; k++)
		w->buffer[k] = gpube__array(&w->memory, profiles, sizeof(double));
	w->steps = gpube__array(&w->memory, total * 2 + 2, sizeof(*w->steps));
	w->lambda = gpube__array(&w->memory, total * total, sizeof(*w->lambda));
	w->weight = gpube__array(&w->memory, total, sizeof(*w->weight));
	w->products = gpube__array(&w->memory, total, sizeof(*w->products));
	w->program = nash__program_new(&w->memory, p);
	w->system = nash__system_new(&w->memory, p);
	return w->memory.failed ? GPUBE_ENOMEM : GPUBE_OK;
}

void nash__work_clear(struct nash_work *w)
{
	nash__system_clear(w->system);
	gpube__arrays_clear(&w->memory);
	*w = (struct nash_work){0};
}
