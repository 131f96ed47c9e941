/* sweeper.c - sweeps over relations by the host or a card: see sweeper.h. */
#include "gpube/relax/pairwise/sweeper.h"

#include <string.h>

/*
 * A card's sweep takes as long as its waves, the host's as its entries: entries of a wave from
 * which on the card is faster, and from which on it is busy. (runs/sweeps-h200)
 */
enum { CARD_ENTRIES = 8000, CARD_BUSY = 64000 };
/* Work: of a wave on a card; entries of a tick there. */
enum { WAVE_TICKS = 4000, CARD_ENTRIES_A_TICK = 16 };

/* A sweeper that waits for the card leaves the host's thread to others, so it counts in part. */
static int64_t card_ticks(const struct gpube_sweeper *w, const struct gpube_relations *l)
{
	return ((int64_t)WAVE_TICKS * l->plan.n_waves +
		       gpube__sweep_entries(&l->plan) / CARD_ENTRIES_A_TICK) /
	       w->n_a_thread;
}

bool gpube__relations_suit_card(const struct gpube_relations *l)
{
	return gpube__sweep_entries(&l->plan) >= CARD_ENTRIES * (int64_t)l->plan.n_waves;
}

bool gpube__sweeper_prefers_card(const struct gpube_sweeper *w, const struct gpube_relations *l)
{
	return w->card && gpube__relations_suit_card(l);
}

bool gpube__sweeper_has_room(const struct gpube_sweeper *w, const struct gpube_relations *l)
{
	return w->card && gpube__sweep_entries(&l->plan) < CARD_BUSY * (int64_t)l->plan.n_waves;
}

int gpube__sweeper_open(struct gpube_sweeper *w, struct gpube_ctx *ctx, struct gpube_ctx *device,
	const struct gpube_sweep_ops *ops, uint64_t bytes, int n_beside, int n_a_thread)
{
	w->ctx = ctx;
	w->n_a_thread = n_a_thread;
	w->ops = ops;
	return ops->open(&w->card, device, ctx, bytes, n_beside);
}

void gpube__sweeper_close(struct gpube_sweeper *w)
{
	if (w->card)
		w->ops->close(w->card);
	w->card = NULL;
}

/* The host does what the card was to do. */
static void give_up(struct gpube_sweeper *w)
{
	gpube__log(w->ctx, GPUBE_LOG_NOTE, "the card is left alone: %s", gpube_error(w->ctx));
	gpube__sweeper_close(w);
	w->on_card = w->newer = false;
}

int gpube__sweeper_begin(struct gpube_sweeper *w, struct gpube_relations *l)
{
	int status;

	w->at = l;
	w->on_card = w->newer = false;
	w->constant = l->state.constant;
	w->room = gpube__sweep_room(w->ctx, &l->plan);
	if (!w->room)
		return GPUBE_ENOMEM;
	if (!gpube__sweeper_prefers_card(w, l))
		return GPUBE_OK;
	status = w->ops->load(w->card, &l->plan, &l->state);
	w->on_card = !status;
	if (status && status != GPUBE_ELIMIT)
		give_up(w);
	return GPUBE_OK;
}

int64_t gpube__sweeper_sweep(struct gpube_sweeper *w, int n, bool back, int64_t *constant)
{
	struct gpube_relations *l = w->at;
	struct gpube_sweep_state *s = &l->state;

	if (w->on_card) {
		if (!w->ops->sweep(w->card, s->target, n, back, constant)) {
			gpube__work(w->ctx, n * card_ticks(w, l));
			w->newer = true;
			w->constant = constant[n - 1];
			if (w->constant >= s->target)
				s->constant = s->target;
			return w->constant;
		}
		give_up(w);
	}
	for (int k = 0; k < n; k++) {
		gpube__sweep_cpu(w->ctx, &l->plan, s, back != (k % 2), w->room);
		constant[k] = s->constant;
	}
	w->constant = s->constant;
	return s->constant;
}

void gpube__sweeper_fetch(struct gpube_sweeper *w)
{
	struct gpube_sweep_state *s = w->newer ? &w->at->state : NULL;

	if (!s || s->constant >= s->target)
		return;
	if (w->ops->store(w->card, s->costs)) {
		give_up(w);
		return;
	}
	w->newer = false;
	s->constant = w->constant;
}

void gpube__sweeper_end(struct gpube_sweeper *w)
{
	gpube__free(w->ctx, w->room);
	w->room = NULL;
	w->at = NULL;
	w->on_card = w->newer = false;
}

/* ---- probes ---------------------------------------------------------------------------------- */

/* Entries that a part does not have: those with the value, or the others. */
struct dead {
	int64_t n, capacity;
	int32_t *entry;
};

static int list_dead(
	struct gpube_sweeper *w, struct dead *d, const struct gpube_sweeper_choice *x, bool is)
{
	const struct gpube_relations *l = w->at;

	for (int32_t j = 0; j < l->n_relations; j++) {
		const struct gpube_relation_table *a = &l->relations[j];
		const int64_t at = a->cost - l->state.costs;
		int32_t k = 0;

		if (!gpube__bit(a->set, x->var))
			continue;
		while (a->scope[k] != x->var)
			k++;
		if (gpube__grow(w->ctx, &d->entry, &d->capacity, d->n + a->n, sizeof(*d->entry)))
			return GPUBE_ENOMEM;
		for (int64_t i = 0; i < a->n; i++)
			if ((gpube__relation_value(l, a, k, a->key[i]) == x->value) != is)
				d->entry[d->n++] = (int32_t)(at + i);
	}
	return GPUBE_OK;
}

int gpube__sweeper_probe(struct gpube_sweeper *w, int n, const struct gpube_sweeper_choice *choices,
	int n_sweeps, int64_t *constant, bool *any)
{
	int64_t *dead_at = gpube__alloc(w->ctx, 2 * (uint64_t)n + 2, sizeof(*dead_at));
	struct dead d = {0};
	int status = dead_at ? GPUBE_OK : GPUBE_ENOMEM, failed;

	*any = false;
	if (!status && w->on_card && w->at->plan.n_costs <= INT32_MAX) {
		dead_at[0] = dead_at[1] = 0; /* the first is all */
		for (int k = 0; k < n && !status; k++)
			for (int e = 0; e < 2 && !status; e++) {
				status = list_dead(w, &d, &choices[k], !e);
				dead_at[2 * k + e + 2] = d.n;
			}
		if (!status) {
			gpube__sweeper_fetch(w);
			failed = w->on_card ? w->ops->probe(w->card, w->at->state.target, 2 * n + 1,
						      dead_at, d.entry, n_sweeps, constant)
					    : GPUBE_ELIMIT;
			*any = !failed;
			if (failed && failed != GPUBE_ELIMIT)
				give_up(w);
			gpube__work(w->ctx, *any ? n_sweeps * card_ticks(w, w->at) : 0);
		}
	}
	gpube__free(w->ctx, d.entry);
	gpube__free(w->ctx, dead_at);
	return status;
}
