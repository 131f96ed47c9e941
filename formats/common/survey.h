/*
 * survey.h - what the writers of .wcsp and .cfn need to know of a model of
 * costs before they write. Internal to formats/.
 *
 * All numbers are those of the minimisation: a maximised model's are negated.
 */
#ifndef GPUBE_SURVEY_H
#define GPUBE_SURVEY_H

#include "formats/io/io.h"

/*
 * The largest cost, bound or sum that every toulbar2 reads as it is written. Its own limit is
 * (2^63 - 1) / 18, but 1.1.1 multiplies each number that it reads by a double, which is 1.
 */
#define GPUBE_TOULBAR2_MAX ((int64_t)1 << 53)

struct gpube_survey {
	const struct gpube_model *m;
	int64_t *min, *max;   /* by table, of the costs that are not forbidden; 0 and 0 if none */
	bool hopeless;        /* a table forbids everything */
	__int128 least, most; /* totals */
	__int128 most_below;  /* the same, of costs that do not reach the top by themselves */
	bool wide;            /* more than toulbar2 holds: written as the model has it */
};

/* Errors: EINVAL (potentials), ENOMEM */
int gpube__survey_init(struct gpube_survey *s, const struct gpube_model *m);
void gpube__survey_clear(struct gpube_survey *s, struct gpube_ctx *ctx);

/* A cost of the model, as the minimisation sees it. */
static inline int64_t gpube__minimised(const struct gpube_model *m, int64_t v)
{
	return v == GPUBE_INF || m->direction == GPUBE_MINIMISE ? v : -v;
}

/*
 * gpube__bound_to_write() - a bound that toulbar2 holds and that excludes what
 * the model's excludes; the model's own wherever that is possible, and where s->wide is set.
 * gpube__sum_of_least() - the constant and the least costs of all functions, each without its sign.
 * Errors: ERANGE: neither toulbar2 holds it, nor is that wanted
 * gpube__write_wide() - true: that is wanted, s->wide and *bound are set and it is said.
 */
bool gpube__write_wide(int64_t *bound, struct gpube_survey *s, const struct gpube_out *out);
int gpube__bound_to_write(int64_t *bound, struct gpube_survey *s, const struct gpube_out *out);
__int128 gpube__sum_of_least(const struct gpube_survey *s);

/* The cost to leave out of a table's listing, and how many cells have it, maybe none. */
int64_t gpube__usual_cost(const struct gpube_table *t, int64_t *n);

/* Steps through the cells of a table: of all if dense, of the tuples that are held if sparse. */
struct gpube_cells_walk {
	const struct gpube_table *t;
	const int32_t *domains;
	int64_t at;
	int32_t *tuple;
};

/* 'tuple' has t->arity places; false at the end. *value as in the model. */
void gpube__cells_begin(struct gpube_cells_walk *c, const struct gpube_table *t,
	const int32_t *domains, int32_t *tuple);
bool gpube__cells_next(struct gpube_cells_walk *c, int64_t *value);

#endif
