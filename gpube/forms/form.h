/*
 * form.h - models of costs whose assignments are the structures of a coalition game or the winners
 * of an auction: that, and the assignment of what is found. What gpube/forms.h makes of them.
 */
#ifndef GPUBE_FORM_H
#define GPUBE_FORM_H

#include "gpube/forms.h"
#include "gpube/forms/set_parts.h"

/*
 * model   the auction or coalition game, the form's own; NULL: an auction that is not made yet
 * parts   of which sets the values are parts, but of a chain; agents: of each set, of a partition
 * chain   variable k is who is left after k coalitions
 */
struct gpube__form {
	const struct gpube_model *of;
	struct gpube_model *model;
	struct gpube__set_parts parts;
	uint64_t *agents;
	bool chain, auction;
};

/*
 * gpube__form_find() - the form of a model, which must outlive it. After an error it is cleared.
 * Cost:   the cells of its functions, until one is no part of any form
 * Errors: EINVAL (it has none, or tables of two variables have 16 times as many cells as they
 *         store), those of gpube__auction_of_costs() and
 *         gpube__coalitions_of_costs()
 */
int gpube__form_find(struct gpube__form *f, const struct gpube_model *m);
void gpube__form_clear(struct gpube__form *f);

/*
 * The assignment that is a structure, by its coalitions, or a set of winners, by their indices.
 * Errors: ENOMEM
 */
int gpube__form_structure(
	int32_t *values, const struct gpube__form *f, const uint64_t *coalition, int n);
int gpube__form_winners(int32_t *values, const struct gpube__form *f, const int *winner, int n);

/* Of value a of a chain's variable k: who is left of n agents after k coalitions. */
static inline uint64_t gpube__left(int n, int k, int32_t a)
{
	return k ? (uint64_t)a << k : ((uint64_t)1 << n) - 1;
}

/*
 * gpube__structures_of_costs() - a chain or a set partition, 'f' with its ctx and 'of' set, as a
 * coalition game. gpube__auction_of_parts() - those of bids as an auction.
 * Errors: as gpube__coalitions_of_costs() and gpube__auction_of_costs()
 */
int gpube__structures_of_costs(struct gpube__form *f);
int gpube__auction_of_parts(struct gpube_model **out, const struct gpube__set_parts *p);

/* The narrowest type that has such values beside its least number, which is what is forbidden. */
enum gpube_type gpube__value_type(int64_t least, int64_t most);

#endif
