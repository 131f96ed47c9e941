/*
 * be_boxes.h - a model cut into boxes: of a few variables each has a range of their values. What
 * does not fit a memory is eliminated box by box (slices), what several devices share is as many
 * boxes.
 *
 * Designs weighed. (1) Conditioning, one value of a variable at a time: as many boxes as it has
 * values, although twice as much memory would often do. (2) Ranges, of one value where it must be:
 * this one. A variable that has one value in every box leaves all scopes, so that what it alone
 * tied together falls apart, as in (1). Structures are the same in all boxes, and so are their
 * eliminations' plans, which are made again only where ranges are of different lengths.
 *
 * A chosen cut is the one of least predicted time: every bucket without a cut variable is done
 * again in each box.
 */
#ifndef GPUBE_BE_BOXES_H
#define GPUBE_BE_BOXES_H

#include "gpube/eliminate/be_plan.h"

/* Whose values are shared out: range i of n has [domain * i / n, domain * (i + 1) / n). */
struct gpube_cut {
	int32_t var, n;
};

enum { GPUBE__MOST_CUTS = 64, GPUBE__MOST_BOXES = 4096 };

/*
 * Box k has range k % cuts[0].n of the first variable, and so on; cuts are by position in the
 * order, the first eliminated first.
 */
struct gpube_boxes {
	struct gpube_ctx *ctx;
	const struct gpube_model *m; /* simplified */
	const int32_t *order;
	struct gpube_cut cuts[GPUBE__MOST_CUTS];
	int n_cuts;
	int64_t n;
};

/* One more cut, of a variable that has none yet. */
void gpube__boxes_cut(struct gpube_boxes *b, const struct gpube_be *be, int32_t var, int32_t n);

/* What the largest box takes. */
struct gpube_box_cost {
	struct gpube_be_memory memory;
	double joined, largest_joined, largest_message; /* cells */
};

/* Errors: ENOMEM, ELIMIT (a message of more than 2^62 cells) */
int gpube__boxes_cost(
	struct gpube_box_cost *out, const struct gpube_boxes *b, enum gpube_type type);

/*
 * gpube__boxes_working() - numbers for all boxes, as gpube__be_working(). They may want more than
 * the whole: where a variable is fixed, functions that would be summed up in its bucket reach a
 * later one each by itself, and each may be forbidden.
 * Errors: ENOMEM, ELIMIT, ERANGE
 */
int gpube__boxes_working(struct gpube_working *w, const struct gpube_boxes *b);

/*
 * gpube__boxes_fit() - cuts, from none on, until the largest box fits.
 * be        of the whole along the order
 * limit     bytes; of counting, too, with 'count'
 * rate      joined cells a second, and 'bucket' seconds of each bucket beside
 * cost      out: of the boxes chosen
 * Cost:     some hundred times that of gpube__be_init()
 * Errors:   ENOMEM; ESTOP; ELIMIT, without a text: more than GPUBE__MOST_BOXES would be needed
 */
int gpube__boxes_fit(struct gpube_boxes *b, struct gpube_box_cost *cost, const struct gpube_be *be,
	enum gpube_type type, double limit, bool count, double rate, double bucket);

/*
 * What a device needs besides for the largest box's messages to have room in one block
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
	bool *owns;            /* per function: its table is the box's, not the whole model's */
	int32_t *first;        /* by variable: its first value here */
	struct gpube_be be;
	bool planned;    /* be is of these domains */
	int64_t n_plans; /* that there were */
};

/*
 * gpube__box_init() - the structure of all boxes, domains as in the largest, and no tables; ctx may
 * be another than the whole model's.
 * Errors: ENOMEM
 */
int gpube__box_init(struct gpube_box *box, const struct gpube_boxes *boxes, struct gpube_ctx *ctx);
void gpube__box_clear(struct gpube_box *box);

/*
 * gpube__box_set() - makes it box k: its tables, and 'be' if domains have changed.
 * Cost:   O(cells of the functions with a cut variable)
 * Errors: ENOMEM, ELIMIT
 */
int gpube__box_set(struct gpube_box *box, int64_t k);

#endif
