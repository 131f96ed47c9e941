/*
 * set_parts.h - models of costs whose values are parts of sets: of bids, or of coalitions.
 * Internal to forms/.
 *
 * Functions of one variable are prices. Those of two say of two values that they need each other,
 * then they are parts of one set, or that they exclude each other. Of bids, value 0 of a variable
 * is in none; of coalitions each value is in one, and nothing is excluded but by what values need.
 */
#ifndef GPUBE_SET_PARTS_H
#define GPUBE_SET_PARTS_H

#include "gpube/base/arrays.h"
#include "gpube/ir/model.h"

/*
 * Parts are numbered by variable, n_parts in all.
 * all     each value is a part; otherwise value 0 is none
 * parent  of a part in a forest, whose trees are the sets
 * set     of a part, numbered as they come
 * price   of parts; sum: of sets, INT64_MIN: forbidden, of coalitions alone
 * worst   no allowed total is worse
 * pair    2 * n_pairs parts that exclude each other
 */
struct gpube__set_parts {
	const struct gpube_model *m;
	struct gpube_ctx *ctx;
	struct gpube__arrays arrays; /* all but 'pair' */
	bool all;
	int n_sets;
	int64_t n_parts, n_pairs, pair_capacity, n_cells;
	int32_t *first, *parent, *set, *pair;
	int64_t *price, *sum;
	__int128 worst;
};

/*
 * gpube__set_parts_init() - reads them. Also after an error they are to be cleared.
 * Errors: EINVAL (another form: the text, behind "no auction: " or "no coalition game: ", says
 *         what), ELIMIT, ERANGE (a price), ENOMEM, ESTOP
 */
int gpube__set_parts_init(struct gpube__set_parts *p, const struct gpube_model *m, bool all);
void gpube__set_parts_clear(struct gpube__set_parts *p);

/* EINVAL, with that text; 'what': a number in it. */
int gpube__set_parts_refuse(const struct gpube__set_parts *p, const char *why, int32_t what);

/* The set of value a of variable v; -1: none. */
static inline int32_t gpube__set_at(const struct gpube__set_parts *p, int32_t v, int32_t a)
{
	return a == 0 && !p->all ? -1 : p->set[p->first[v] + a - !p->all];
}

#endif
