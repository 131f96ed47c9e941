/*
 * coalition_table.h - tables of coalitions: who makes them, and how their values are read. What
 * they hold is in gpube/coalitions.h; a list of them has masks instead of tuples.
 */
#ifndef GPUBE_COALITION_TABLE_H
#define GPUBE_COALITION_TABLE_H

#include "gpube/base/mask_index.h"
#include "gpube/coalitions.h"
#include "gpube/ir/model.h"

/* Errors: EINVAL n_agents, type, as gpube_coalitions_new() */
int gpube__coalitions_check(struct gpube_ctx *ctx, int n_agents, enum gpube_type type);

/* For qsort(): disjoint coalitions in the order of their lowest agents. */
int gpube__by_lowest(const void *a, const void *b);

/* An empty table of 2^n_agents values that are not set. Errors: ELIMIT, ENOMEM */
int gpube__coalitions_alloc(
	struct gpube_table *t, struct gpube_ctx *ctx, int n_agents, enum gpube_type type);

/*
 * gpube__coalitions_take() - makes an empty model of the kind one of t->arity agents and this
 * table, which is the model's from then on, also on failure. Errors: ENOMEM
 */
int gpube__coalitions_take(struct gpube_model *m, const struct gpube_table *t);
/* The same of a new model. */
int gpube__coalitions_model(
	struct gpube_model **out, struct gpube_ctx *ctx, const struct gpube_table *t);

/* The table of a model of the kind; NULL: it has none yet. */
const struct gpube_table *gpube__coalitions_table(const struct gpube_model *m);

/*
 * Value k of the table, of cells or of those listed, -1: the default. Of integers: INT64_MIN if it
 * is forbidden. Of floats: the bits, in the low bytes.
 */
int64_t gpube__coalition_at(const struct gpube_table *t, int64_t k);
/* The same from an array of the type. */
int64_t gpube__coalition_of(enum gpube_type type, const void *values, int64_t k);
/* The same of a coalition of a model that has a table; of a list it looks at all of them. */
int64_t gpube__coalition_value(const struct gpube_model *m, uint64_t coalition);
/* Puts such a value into an array of the type. */
void gpube__coalition_put(enum gpube_type type, void *values, int64_t k, int64_t value);
/* Such a value as a double, and a double as such a value: integers must be whole. */
double gpube__coalition_real(enum gpube_type type, int64_t value);
int64_t gpube__coalition_from(enum gpube_type type, double v);

/* ---- lists ----------------------------------------------------------------------------------- */

/*
 * Of at most 20 agents there is a dense table whatever is listed, of more from a 64th of all
 * coalitions on.
 */
static inline bool gpube__wants_table(int n_agents, int64_t n_listed)
{
	return n_agents <= 20 || (uint64_t)n_listed >= (uint64_t)1 << n_agents >> 6;
}

/* The number of a mask, -1 if it is not there. */
static inline int64_t gpube__mask_find(
	const struct gpube__mask_index *x, const uint64_t *masks, uint64_t coalition)
{
	return gpube__masks_find(x, masks, 1, &coalition);
}

/* All of a list; of a dense table it stays empty. */
int gpube__mask_index(
	struct gpube__mask_index *x, struct gpube_ctx *ctx, const struct gpube_table *t);

/* Coalitions as they come, with values of gpube__coalition_at()'s kind; cleared by its end. */
struct gpube__listing {
	struct gpube_ctx *ctx;
	int n_agents;
	enum gpube_type type;
	int64_t n, capacity, value_capacity;
	uint64_t *mask;
	char *value; /* of the type */
	int64_t other;
	struct gpube__mask_index index;
};

/* Nothing is listed, and all is forbidden. */
void gpube__listing_init(
	struct gpube__listing *l, struct gpube_ctx *ctx, int n_agents, enum gpube_type type);
/* One more, which is not listed. Errors: ENOMEM, ELIMIT (2^31) */
int gpube__listing_add(struct gpube__listing *l, uint64_t coalition, int64_t value);
/* The table of them: a list that takes the arrays. */
void gpube__listing_take(struct gpube_table *t, struct gpube__listing *l);
void gpube__listing_clear(struct gpube__listing *l);

/* A list as a dense table. Errors: ELIMIT (the context's memory), ENOMEM, ESTOP */
int gpube__coalitions_fill(
	struct gpube_table *dense, struct gpube_ctx *ctx, const struct gpube_table *list);

/*
 * gpube__coalitions_settle() - a model of the listing, or of 'dense', which is then filled: a list
 * or a dense table by gpube__wants_table(). Errors: as gpube__coalitions_fill()
 */
int gpube__coalitions_settle(struct gpube_model *m, struct gpube__listing *l);

#endif
