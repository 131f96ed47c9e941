/*
 * lean.h - a model without its variables of few neighbours, each eliminated into one small table
 * over these.
 *
 * A search that decides the rest, with all bounds that it makes of tables, then knows what each of
 * those variables costs at best exactly, where shifts between the functions of a chain or a family
 * know the least of each alone. Functions whose variables are all in such a table become part of
 * it. The optimum is the same, and each assignment of what is left extends to one of the whole
 * model that costs the same; dearer ones go.
 *
 * Measured: pedigrees take a search tree five to forty times fewer nodes; most
 * of that from tables of 256 cells, 32 say less, and 1024 take longer.
 */
#ifndef GPUBE_LEAN_H
#define GPUBE_LEAN_H

#include "gpube/ir/model.h"

/*
 * A variable that was eliminated: its best value for each assignment of its neighbours, the last
 * one fastest.
 */
struct gpube_lean_step {
	int32_t var, arity;
	int32_t *scope, *domain, *best;
};

struct gpube_lean {
	struct gpube_model *model; /* of costs, to be minimised: dense functions, and no names */
	int32_t n;                 /* variables of the whole model */
	int32_t *var;              /* of each of them: the lean model's, or -1 */
	struct gpube_lean_step *steps; /* in the order of elimination */
	int64_t n_steps, steps_capacity;
};

/* Variables of a function that is made, at most. */
enum { GPUBE__LEAN_ARITY = 8 };

/*
 * gpube__lean_new() - of a simplified model.
 * most_cells  of a function that is made
 * *out        NULL without an error: no variable goes, or the model is not for it
 * Errors: ENOMEM; EINVAL, ELIMIT of models
 */
int gpube__lean_new(struct gpube_lean **out, const struct gpube_model *m, int64_t most_cells);
void gpube__lean_free(struct gpube_ctx *ctx, struct gpube_lean *l);

/* The whole model's assignment from the lean one's. */
void gpube__lean_extend(const struct gpube_lean *l, int32_t *values, const int32_t *lean);

#endif
