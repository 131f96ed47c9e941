/*
 * bids.h - an auction by lists of goods, as those read it who make or solve one; gpube/coalitions.h
 * has the model. A bid is a tuple of the model's one function, whose mask has ceil(n_goods / 64)
 * words; dummy goods are hidden variables.
 */
#ifndef GPUBE_IR_BIDS_H
#define GPUBE_IR_BIDS_H

#include "gpube/coalitions.h"
#include "gpube/ir/model.h"

/*
 * Goods of bid b: good[at[b]] .. good[at[b + 1] - 1], rising; from n_real on they are dummies.
 * owns  id and price are its own, not the model's
 */
struct gpube__bids {
	struct gpube_ctx *ctx;
	int n_real, n_goods, n_bids, scale;
	int64_t *id, *price; /* units of 10^-scale */
	int64_t *at;
	int32_t *good;
	bool owns;
};

/*
 * gpube__bids_init() - those of a model, which must outlive them. Errors: EINVAL (it is no auction:
 * the text names what takes it), ENOMEM
 */
int gpube__bids_init(struct gpube__bids *b, const struct gpube_model *m);
void gpube__bids_clear(struct gpube__bids *b);

/*
 * gpube__bids_alloc() - arrays of its own for n_bids, which are numbered from 0, prices and goods
 * not set; n_listed: goods of all. Errors: ENOMEM
 */
int gpube__bids_alloc(struct gpube__bids *b, int64_t n_listed);

/*
 * gpube__bids_take() - makes an empty model of the kind an auction of such bids, whose ids and
 * prices become the model's. Errors: ENOMEM, ELIMIT (masks of more than the context's memory)
 */
int gpube__bids_take(struct gpube_model *m, struct gpube__bids *b);

/*
 * gpube__bids_same() - whether 'b' has the same bids at the same prices in the same order, of which
 * the same exclude each other, whatever the goods are called by which they do.
 * Errors: ENOMEM, ESTOP
 */
int gpube__bids_same(bool *same, const struct gpube__bids *a, const struct gpube__bids *b);

/* "bid3", "good2" or "dummy0", of a struct gpube__bids: for a name of 32 bytes or more. */
void gpube__bid_name(char *name, const void *bids, int bid);
void gpube__good_name(char *name, const void *bids, int good);

/* The bids of each good: bid[start[g]] … bid[start[g + 1] - 1], rising. */
struct gpube__bidders {
	int64_t *start;
	int32_t *bid;
};

int gpube__bidders_init(struct gpube__bidders *o, const struct gpube__bids *b);
void gpube__bidders_clear(struct gpube__bidders *o, struct gpube_ctx *ctx);

#endif
