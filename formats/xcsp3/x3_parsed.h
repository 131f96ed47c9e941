/*
 * x3_parsed.h - XCSP3: an expression as it is read, its slots, its parts and their keys, by which
 * the same part is found again. What becomes of it is in x3_expr.c. Internal to formats/.
 */
#ifndef GPUBE_X3_PARSED_H
#define GPUBE_X3_PARSED_H

#include "formats/xcsp3/x3.h"

/* met: when it was met last; place: in the scope of what was measured then */
struct gpube_x3_slot {
	int32_t var, met, place;
};

/* An expression and the variables that its slots are. */
struct gpube_x3_parsed {
	struct gpube_x3 *r;
	struct gpube_expr e;
	struct gpube_x3_slot *slots;
	int64_t n_slots, capacity;
	int32_t stamp;
	char *key;
	int64_t n_key, key_capacity;
	bool by_var;    /* the key names variables, not domains */
	int32_t *scope; /* slots that were met, in that order */
	int64_t scope_capacity;
	int n;
	int64_t n_met; /* nodes, by the last gpube__x3_measure() */
};

/* The text of n bytes; to be cleared in any case. Errors: as r->in->status */
int gpube__x3_parse(struct gpube_x3_parsed *p, struct gpube_x3 *r, const char *text, size_t n);
void gpube__x3_parsed_clear(struct gpube_x3_parsed *p);
/* The slot of a variable, a new one if it has none yet; -1: ENOMEM. */
int gpube__x3_parsed_slot(struct gpube_x3_parsed *p, int32_t var);

static inline const struct gpube_expr_node *gpube__x3_node_at(
	const struct gpube_x3_parsed *p, int32_t at)
{
	return &p->e.nodes[at];
}

bool gpube__x3_is_leaf(const struct gpube_x3_parsed *p, int32_t at);
bool gpube__x3_is_list(const struct gpube_x3_parsed *p, int32_t at);
bool gpube__x3_has_second(enum gpube_expr_op op);
/* The parts of a node that is no leaf; 'take' changes nothing of the list. */
void gpube__x3_each_part(struct gpube_x3_parsed *p, int32_t at,
	void (*take)(struct gpube_x3_parsed *p, int32_t part));

/* Tuples of the part, whose slots are p->scope then: at most 2^62. */
int64_t gpube__x3_measure(struct gpube_x3_parsed *p, int32_t at);
/*
 * All that the values of a part depend on, as a text: with its variables, or with their domains and
 * their places in p->scope, for its values by tuple. Valid until the next one; NULL after a
 * failure.
 */
const char *gpube__x3_key(struct gpube_x3_parsed *p, int32_t at, bool by_var);

#endif
