/*
 * be_boxes.h - a model divided into boxes: in each, a few split variables have a range of their
 * values. A model that does not fit a memory is eliminated box by box (slices), by one worker or by
 * several devices.
 *
 * Designs weighed. (1) Conditioning, one value of a variable at a time: as many boxes as it has
 * values, although twice as much memory would often do. (2) Ranges, of one value if necessary: this
 * one. A variable that has one value in every box leaves all scopes, so that the model may fall
 * apart, as in (1). All boxes have one structure and one plan of elimination; it is made again only
 * where the lengths of ranges differ.
 *
 * The split variables are those of least predicted time: every bucket without one is repeated in
 * each box.
 */
#ifndef GPUBE_BE_BOXES_H
#define GPUBE_BE_BOXES_H

#include "gpube/eliminate/be_plan.h"

/* A split variable: range i of n has the values [domain * i / n, domain * (i + 1) / n). */
struct gpube_split_var {
	int32_t var, n;
};

enum { GPUBE__MOST_SPLITS = 64, GPUBE__MOST_BOXES = 4096 };

/*
 * Box k has range k % splits[0].n of the first variable, and so on. The split variables are ordered
 * by position, the first eliminated first.
 */
struct gpube_boxes {
	struct gpube_ctx *ctx;
	const struct gpube_model *m; /* simplified */
	const int32_t *order;
	struct gpube_split_var splits[GPUBE__MOST_SPLITS];
	int n_splits;
	int64_t n;
};

/* Splits one more variable. */
void gpube__boxes_split(struct gpube_boxes *b, const struct gpube_be *be, int32_t var, int32_t n);

/* The cost of the largest box. */
struct gpube_box_cost {
	struct gpube_be_memory memory;
	double joined, largest_joined, largest_message; /* cells */
};

/*
 * gpube__boxes_working() - the number type of all boxes, as gpube__be_working(). It may be wider
 * than that of the whole: where a variable is fixed, functions that would be added in its bucket
 * reach a later one separately, and each may be forbidden.
 * Errors: ENOMEM, ELIMIT, ERANGE
 */
int gpube__boxes_working(struct gpube_working *w, const struct gpube_boxes *b);

/*
 * type    of costs
 * limit   bytes of the largest box; of counting, too, with 'count'
 * least   boxes, so that several workers end together, if there are as many; 0, 1: as few as fit
 * rate    joined cells a second, and 'bucket' seconds of each bucket beside
 */
struct gpube_boxes_wanted {
	enum gpube_type type;
	double limit;
	bool count;
	int64_t least;
	double rate, bucket;
};

/*
 * gpube__boxes_fit() - splits variables until the largest box fits.
 * cost      out: of the boxes chosen
 * be        of the whole along the order
 * Cost:     some hundred times that of gpube__be_init()
 * Errors:   ENOMEM; ESTOP; ELIMIT, without a text: more than GPUBE__MOST_BOXES would be needed
 */
int gpube__boxes_fit(struct gpube_boxes *b, struct gpube_box_cost *cost, const struct gpube_be *be,
	const struct gpube_boxes_wanted *wanted);

/*
 * Bytes that a device needs besides, so that the largest box's messages have room in one block
 * (be_layout.h).
 * Errors: ENOMEM, ELIMIT
 */
int gpube__boxes_waste(double *bytes, const struct gpube_boxes *b, enum gpube_type type, bool keep);

/* Bytes that it needs, messages kept or not, and counting, too. */
double gpube__box_bytes(const struct gpube_box_cost *cost, bool count);

/*
 * gpube__boxes_bound() - a lower bound of each box by mini-buckets, all along one plan.
 * bounds  out: n of them; 'limit' or more where no total is below that, GPUBE_INF where none is
 *         allowed
 * limit   as of gpube__mbe_run()
 * cells   joined cells that a box may take; too few for any: the constant is all
 * seconds about so long for all of them
 * Errors: ENOMEM, ERANGE, ELIMIT. A stop leaves constants
 */
int gpube__boxes_bound(
	int64_t *bounds, const struct gpube_boxes *b, int64_t limit, double cells, double seconds);

/* ---- the model of a box ------------------------------------------------------------------ */

struct gpube_box {
	const struct gpube_boxes *boxes;
	struct gpube_ctx *ctx; /* of the model, and of all that is made from it */
	struct gpube_model m;  /* the same variables and functions; tables of one box at a time */
	bool *owns;            /* per function: the box has a copy of its table */
	int32_t *first;        /* by variable: its first value here */
	struct gpube_be be;
	bool planned;    /* be was planned for these domains */
	int64_t n_plans; /* plans made so far */
};

/*
 * gpube__box_init() - a box with the domains of the largest one and without tables; ctx may differ
 * from the model's.
 * Errors: ENOMEM
 */
int gpube__box_init(struct gpube_box *box, const struct gpube_boxes *boxes, struct gpube_ctx *ctx);
void gpube__box_clear(struct gpube_box *box);

/*
 * gpube__box_set() - turns it into box k: makes its tables, and 'be' if domains have changed.
 * Cost:   O(cells of the functions with a split variable)
 * Errors: ENOMEM, ELIMIT
 */
int gpube__box_set(struct gpube_box *box, int64_t k);

#endif
