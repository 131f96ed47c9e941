/*
 * sum_card.h - sums of products on a card: the backend's operator, and tables that are there.
 *
 * A card has no powers for cells. What products lose is known: every table tells its largest and
 * its least positive cell, so that most jobs cannot lose anything; in the others the kernel looks,
 * and where it has lost what matters, nothing is done and the caller sums on the host, which has
 * powers.
 */
#ifndef GPUBE_SUM_CARD_H
#define GPUBE_SUM_CARD_H

#include "gpube/ops/ops.h"
#include "gpube/ops/sum/sum.h"

/*
 * job        of one output and 1 to GPUBE_WALK_IN inputs, all on the card (table->card)
 * by         every product is multiplied by it
 * looks      products may be too small for a double
 * most, least  out: the largest cell, and the smallest above 0 (0: none)
 * lost       out: some sum may have lost more than a rounding
 */
struct gpube_sum_task {
	const struct gpube_sum_job *job;
	double by;
	bool looks;
	double most, least;
	bool lost;
};

struct gpube_sum_ops {
	/*
	 * n independent jobs, none reading another's output; sets the outputs' roundings. Errors:
	 * ENOMEM, ECUDA
	 */
	int (*products)(struct gpube_ctx *ctx, int64_t n, struct gpube_sum_task *tasks);
};

/* The CUDA backend's, on the device of gpube__ops_cuda(); NULL: ENODEV, ENOMEM. */
const struct gpube_sum_ops *gpube__sum_cuda(struct gpube_ctx *ctx, int *status);

/*
 * A card that tables may lie on.
 * make_room  called when it is full: false where nothing can be moved away; may be NULL
 */
struct gpube_sum_card {
	const struct gpube_ops *ops;
	const struct gpube_sum_ops *sum;
	bool (*make_room)(void *arg, uint64_t bytes);
	void *arg;
};

/* gpube__sum_card_open() - the context's device. Errors: ENODEV, ENOMEM; the text says why */
int gpube__sum_card_open(struct gpube_sum_card *card, struct gpube_ctx *ctx);

/*
 * gpube__sum_products_card() - the jobs' outputs, on the card; their tables have 'n' and no memory.
 * done    out; false: it is none for a card (powers, products that are lost, no room), nothing has
 *         changed but where inputs are
 * Errors: ENOMEM (of the host), ECUDA, ESTOP
 */
int gpube__sum_products_card(struct gpube_ctx *ctx, const struct gpube_sum_card *card, int64_t n,
	struct gpube_sum_job *jobs, bool *done);

/*
 * gpube__sum_fetch() - the table on the host, settled, and no longer on the card. Errors: ENOMEM,
 * ECUDA
 */
int gpube__sum_fetch(struct gpube_ctx *ctx, struct gpube_sum_table *t);

#endif
