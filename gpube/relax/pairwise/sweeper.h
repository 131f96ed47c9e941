/*
 * sweeper.h - who sweeps relations (relations.h): the host, or a card where there is one and a
 * sweep is long enough.
 *
 * Both give the same costs and the same constants. What a card has of a sweep is the card's until
 * it is fetched; where a card fails, the host goes on from what was fetched last, which is as good
 * a state as any.
 */
#ifndef GPUBE_SWEEPER_H
#define GPUBE_SWEEPER_H

#include "gpube/relax/pairwise/relations.h"

struct gpube_sweeper {
	struct gpube_ctx *ctx; /* of who sweeps */
	const struct gpube_sweep_ops *ops;
	struct gpube_sweep_card *card; /* NULL: the host sweeps */
	int n_a_thread;                /* sweepers that take turns on one thread of the host */
	struct gpube_relations *at;    /* what is swept, between begin() and end() */
	bool on_card, newer;           /* the card has it; its costs are newer */
	int64_t constant;              /* of the card's costs */
	int32_t *room;                 /* the host's */
};

/*
 * gpube__sweeper_open() - a card's memory for one who sweeps; device: the context whose device it
 * is, of which no other thread makes use meanwhile; n_beside: who will sweep there at the same
 * time, this one too; n_a_thread: how many of them take turns on one thread of the host, while the
 * others wait for the card. Without it the host sweeps. Errors: ENOMEM, ECUDA, with the text in
 * *device
 */
int gpube__sweeper_open(struct gpube_sweeper *w, struct gpube_ctx *ctx, struct gpube_ctx *device,
	const struct gpube_sweep_ops *ops, uint64_t bytes, int n_beside, int n_a_thread);
void gpube__sweeper_close(struct gpube_sweeper *w);

/*
 * gpube__sweeper_begin() - relations that have separators are swept from here on; w->ctx is set.
 * gpube__sweeper_sweep() - n sweeps, the first there or back, the next the other way; constant[k]
 * is that after sweep k, which is l's own only after fetch(), or where it has reached the target.
 * Returns the last one
 * gpube__sweeper_fetch() - the costs are those of all sweeps so far
 * gpube__sweeper_end() - fetched or not: the relations may become others
 * Errors: ENOMEM
 */
int gpube__sweeper_begin(struct gpube_sweeper *w, struct gpube_relations *l);
int64_t gpube__sweeper_sweep(struct gpube_sweeper *w, int n, bool back, int64_t *constant);
void gpube__sweeper_fetch(struct gpube_sweeper *w);
void gpube__sweeper_end(struct gpube_sweeper *w);

/* A value of a variable that is looked at. */
struct gpube_sweeper_choice {
	int32_t var, value;
};

/*
 * gpube__sweeper_probe() - by a card that has the relations, fetched: what gpube__relations_probe()
 * says of all after n_sweeps sweeps, constant[0]; then of each choice's part with the value, and of
 * the other. *any: whether there was a card to do it. Errors: ENOMEM
 */
int gpube__sweeper_probe(struct gpube_sweeper *w, int n, const struct gpube_sweeper_choice *choices,
	int n_sweeps, int64_t *constant, bool *any);

/* Whether a sweep over these relations is long enough for a card; and there is one. */
bool gpube__relations_suit_card(const struct gpube_relations *l);
bool gpube__sweeper_prefers_card(const struct gpube_sweeper *w, const struct gpube_relations *l);

/* Whether sweeps over larger relations than these would take a card hardly longer. */
bool gpube__sweeper_has_room(const struct gpube_sweeper *w, const struct gpube_relations *l);

#endif
