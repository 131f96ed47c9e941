/*
 * sat.h - which assignments a model's forbidden cells leave, as a question of satisfiability: a
 * library finds one, or proves that there is none. Finite costs are not looked at.
 *
 * A variable of two values is a literal, another has one for each value, of which exactly one
 * holds. Forbidden cells become clauses, each as short as its table allows; so do cells that cost
 * anything, where it is asked for an assignment of the constant alone.
 *
 * The library is CaDiCaL, where 'make' finds it. Its proof that nothing is left is believed, not
 * checked: whoever reports it says so. Designs weighed: (1) a solver of our own: years behind; (2)
 * the search trees (dfs.h): they learn no clauses.
 *
 * Source: Biere et al., SAT Competition 2020 (CaDiCaL); Sinz, CP 2005 (at most one, by a ladder).
 */
#ifndef GPUBE_SAT_H
#define GPUBE_SAT_H

#include "gpube/ir/model.h"

struct gpube_sat;

enum gpube_sat_answer { GPUBE__SAT_OPEN, GPUBE__SAT_YES, GPUBE__SAT_NO };

/* CaDiCaL's version; NULL: built without it. */
const char *gpube__sat_library(void);

/*
 * gpube__sat_new() - of a simplified model.
 * *out    NULL without an error: no library, or its tables are too large for clauses
 * Errors: ENOMEM, ESTOP
 */
enum gpube_sat_question {
	GPUBE__SAT_ALLOWED,
	GPUBE__SAT_FREE, /* of the constant alone */
};
int gpube__sat_new(
	struct gpube_sat **out, const struct gpube_model *m, enum gpube_sat_question question);
void gpube__sat_free(struct gpube_sat *s);

/*
 * gpube__sat_run() - goes on for so long, or until a stop.
 * values  out, with YES: n_vars values that no forbidden cell has
 * Errors: ENOMEM, after which there is no more to be asked
 */
int gpube__sat_run(
	struct gpube_sat *s, double seconds, enum gpube_sat_answer *answer, int32_t *values);

#endif
