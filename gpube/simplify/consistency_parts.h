/* consistency_parts.h - what the files of consistency.h share: relations of two variables as rows of bits. */
#ifndef GPUBE_CONSISTENCY_PARTS_H
#define GPUBE_CONSISTENCY_PARTS_H

#include "gpube/base/base.h"
#include "gpube/ir/model.h"

struct gpube__relations {
	const struct gpube_model *m;
	struct gpube_ctx *ctx;
	int32_t n;
	int32_t *words;	  /* of a variable's values */
	int64_t *at;	  /* its first word in 'live' */
	uint64_t *live;	  /* of all variables */
	uint64_t **allow; /* [i * n + j]: rows of i's values over j's; NULL: every pair goes */
	int32_t *near;	  /* from i * n on: those that i has a relation with, n_near[i] of them */
	int32_t *n_near;
	uint8_t *changed; /* [i * n + j]: pairs went in the last round (1), go in this one (2), ever went (4) */
	int32_t *queue;	  /* of variables that lost values */
	bool *queued;
	int32_t n_queued;
	bool none; /* some variable has no value */
	int64_t pairs_removed;
};

static inline int32_t domain_of(const struct gpube__relations *r, int32_t i)
{
	return r->m->vars[i].domain;
}

static inline bool has(const uint64_t *bits, int32_t v)
{
	return bits[v >> 6] >> (v & 63) & 1;
}

static inline void drop(uint64_t *bits, int32_t v)
{
	bits[v >> 6] &= ~((uint64_t)1 << (v & 63));
}

static inline int64_t count(const uint64_t *bits, int64_t words)
{
	int64_t n = 0;

	for (int64_t k = 0; k < words; k++)
		n += __builtin_popcountll(bits[k]);
	return n;
}

static inline void fill(uint64_t *bits, int32_t n)
{
	for (int32_t v = 0; v < n; v++)
		bits[v >> 6] |= (uint64_t)1 << (v & 63);
}

static inline uint64_t **allowed(const struct gpube__relations *r, int32_t i, int32_t j)
{
	return &r->allow[(int64_t)i * r->n + j];
}

static inline uint64_t *row(const struct gpube__relations *r, int32_t i, int32_t a, int32_t j)
{
	return *allowed(r, i, j) + (int64_t)a * r->words[j];
}

static inline uint64_t *live(const struct gpube__relations *r, int32_t i)
{
	return r->live + r->at[i];
}

static inline void forbid(struct gpube__relations *r, int32_t i, int32_t a, int32_t j, int32_t b)
{
	drop(row(r, i, a, j), b);
	drop(row(r, j, b, i), a);
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
