/*
 * consistency_parts.h - what the files of consistency.h share: relations of two variables as rows
 * of bits.
 */
#ifndef GPUBE_CONSISTENCY_PARTS_H
#define GPUBE_CONSISTENCY_PARTS_H

#include "gpube/base/base.h"
#include "gpube/base/bits.h"
#include "gpube/ir/model.h"

struct gpube__relations {
	const struct gpube_model *m;
	struct gpube_ctx *ctx;
	int32_t n;
	int32_t *words;   /* of a variable's values */
	int64_t *at;      /* its first word in 'live' */
	uint64_t *live;   /* of all variables */
	uint64_t **allow; /* [i * n + j]: rows of i's values over j's; NULL: every pair goes */
	int32_t *near;    /* from i * n on: those that i has a relation with, n_near[i] of them */
	int32_t *n_near;
	/* [i * n + j]: pairs went in the last round (1), go in this one (2), ever went (4) */
	uint8_t *changed;
	int32_t *queue; /* of variables that lost values */
	bool *queued;
	int32_t n_queued;
	bool none; /* some variable has no value */
	int64_t pairs_removed;
};

static inline int32_t gpube__relation_domain(const struct gpube__relations *r, int32_t i)
{
	return r->m->vars[i].domain;
}

static inline uint64_t **gpube__relation_rows(
	const struct gpube__relations *r, int32_t i, int32_t j)
{
	return &r->allow[(int64_t)i * r->n + j];
}

static inline uint64_t *gpube__relation_row(
	const struct gpube__relations *r, int32_t i, int32_t a, int32_t j)
{
	return *gpube__relation_rows(r, i, j) + (int64_t)a * r->words[j];
}

static inline uint64_t *gpube__relation_live(const struct gpube__relations *r, int32_t i)
{
	return r->live + r->at[i];
}

static inline bool gpube__relation_has(const struct gpube__relations *r, int32_t i, int32_t a)
{
	return gpube__bit(gpube__relation_live(r, i), a);
}

static inline void gpube__relation_forbid(
	struct gpube__relations *r, int32_t i, int32_t a, int32_t j, int32_t b)
{
	gpube__bit_drop(gpube__relation_row(r, i, a, j), b);
	gpube__bit_drop(gpube__relation_row(r, j, b, i), a);
}

/* Of i and j, both ways round, every pair allowed; nothing where there is one. Errors: ENOMEM */
int gpube__add_relation(struct gpube__relations *r, int32_t i, int32_t j);

/*
 * gpube__make_relations() - values and pairs that reach top are forbidden.
 * all     of variables without a function in common, too
 * Errors: ENOMEM, ESTOP
 */
int gpube__make_relations(struct gpube__relations *r, bool all);

#endif
