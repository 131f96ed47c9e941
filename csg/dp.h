/*
 * dp.h - the tables of methods dp and idp, filled one size of coalitions after the other: for
 * dp.c, and for method idp-ip, which stops in the midst of them. Internal.
 */
#ifndef CSG_DP_H
#define CSG_DP_H

#include "csg/view.h"

/*
 * value  the game's, in the working type, as csg__convert_all() has them; the game's own array
 *        where that is the same
 * best   of the coalitions of sizes that were filled: what their best partitions are worth, or
 *        with idp what those are worth that it looks at
 */
struct csg__dp {
	struct gpube_ctx *ctx;
	enum gpube_type type;
	int n, size, most;  /* of the coalitions at hand; most agents of a part */
	bool idp, own;      /* own: value is not the game's */
	void *value, *best; /* 2^n */
	double start;
	bool stopped;
};

/* The tables, 'best' not set and only if it is wanted. Errors: ELIMIT, ENOMEM */
int csg__dp_open(struct csg__dp *d, const struct csg__search *s, bool idp, bool best);
void csg__dp_close(struct csg__dp *d);

/* 'best' of all coalitions of a size, once those of smaller ones are filled. Errors: ESTOP */
int csg__dp_fill(struct csg__dp *d, int size);

/* Most agents that a part of a coalition of 'size' may have; 0: it is not split. */
int csg__dp_most(const struct csg__dp *d, int size);

/* The splits that filling one size takes. */
double csg__dp_splits(bool idp, int n, int size);

/* n_parts parts, each in place of what its 'best' was made of; there is room for n. */
int csg__dp_expand(const struct csg__dp *d, uint64_t *parts, int n_parts);

#endif
