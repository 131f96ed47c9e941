/*
 * compare_walk.h - what the comparison of models walks through: their functions in groups
 * over the same variables, and the cells of such groups. Internal to formats/.
 */
#ifndef GPUBE_COMPARE_WALK_H
#define GPUBE_COMPARE_WALK_H

#include "gpube/ir/model.h"

typedef __int128 gpube_total;
#define GPUBE_FORBIDDEN_TOTAL ((gpube_total)1 << 100) /* more than any sum of costs */

/* One function, its variables in increasing order, to be sorted into groups. */
struct gpube_compare_member {
	const int32_t *sorted;
	int32_t function, arity;
};

/* Functions over the same variables: members [begin, end). */
struct gpube_compare_group {
	int64_t begin, end;
	gpube_total min; /* of the cells that are not marked as forbidden; GPUBE_FORBIDDEN_TOTAL:
			    there are none */
};

struct gpube_compare_side {
	const struct gpube_model *m;
	int32_t *sorted;
	struct gpube_compare_member *member;
	struct gpube_compare_group *group;
	int64_t n_members, n_groups;
	gpube_total constant, least;
	int64_t bound;
	bool hopeless;
};

/* Room for the walk through a group's cells, in the order of its first function's scope. */
struct gpube_compare_walk {
	struct gpube_ctx *ctx;
	const int32_t *scope;
	int arity;
	int64_t cells; /* -1: more than 2^63 */
	int32_t *domains, *tuple, *own, *own_domains;
	int32_t *place; /* by variable: where in the scope */
};

/* A look at one cell of a group: 'a' and 'b' are the sides' costs there; false ends the walk. */
typedef bool gpube__look_fn(
	void *arg, const struct gpube_compare_walk *w, gpube_total a, gpube_total b);

/* Errors: ENOMEM, and nothing to clear */
int gpube__side_init(struct gpube_compare_side *s, const struct gpube_model *m);
void gpube__side_clear(struct gpube_compare_side *s);
/* Its arrays are one, w->domains. Errors: ENOMEM */
int gpube__walk_init(struct gpube_compare_walk *w, const struct gpube_model *m);
/* Lays the walk along the scope of a function. */
void gpube__walk_along(struct gpube_compare_walk *w, const struct gpube_model *m, int32_t function);
/*
 * gpube__walk_group() - looks at the cells of two groups over the same variables: at all, or,
 * where both are few tuples of many cells, at those and one other.
 */
void gpube__walk_group(struct gpube_compare_walk *w, const struct gpube_compare_side *a,
	const struct gpube_compare_group *ga, const struct gpube_compare_side *b,
	const struct gpube_compare_group *gb, gpube__look_fn *look, void *arg);
/* -1, 0 or 1: the order in which groups stand, by their variables. */
int gpube__compare_groups_of(const struct gpube_compare_side *a,
	const struct gpube_compare_group *ga, const struct gpube_compare_side *b,
	const struct gpube_compare_group *gb);

#endif
