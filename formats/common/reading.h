/*
 * reading.h - what several readers share. Internal to formats/.
 */
#ifndef GPUBE_READING_H
#define GPUBE_READING_H

#include "formats/io/io.h"
#include "gpube/globals/sink.h"

/* The stream is told, with its file and line; what stops a function stops the reader. */
struct gpube_sink gpube__in_sink(struct gpube_in *in);

/*
 * gpube__add_vars() - n variables of the same domain, without names; before evidence.
 * Errors: ELIMIT (a number that takes more than the memory allowed: a short file
 *         must not ask for much), ENOMEM. Sets in->status.
 */
int gpube__add_vars(struct gpube_model *m, struct gpube_in *in, int64_t n, int32_t domain);
/* gpube_model_add_var() under the same limit. */
int gpube__add_var(
	struct gpube_model *m, struct gpube_in *in, int32_t *var, int64_t domain, const char *name);
/* Its value k is called so; all of its values must be. Errors: ELIMIT, ENOMEM */
int gpube__name_value(struct gpube_variable *v, struct gpube_in *in, int32_t k, const char *name);

/* gpube__check_given() of the stream. */
int gpube__in_given(struct gpube_in *in, int64_t n, const char *what);

/* gpube__charge_filled() and gpube__charge_cells() of the stream. */
int gpube__charge_dense(struct gpube_in *in, int arity, const int32_t *domains);
int gpube__charge_expanded(struct gpube_in *in, int64_t cells, const char *name);
/*
 * gpube__in_expand() - what a reader asks before it expands a function over these variables; 'name'
 * as above. *cells: out. Errors: gpube__refuse_cells(), which 'what' names; ELIMIT
 */
int gpube__in_expand(struct gpube_in *in, int64_t *cells, const struct gpube_model *m, int arity,
	const int32_t *scope, const char *what, const char *name);

/*
 * gpube__widen() - multiplies the costs of a model by 10^k, which it has more decimals then; and
 * its parts: one cost, false if it does not fit, and costs that are not yet the model's.
 * Errors: ERANGE (text is set, without file and line), ENOMEM
 */
int gpube__widen(struct gpube_model *m, int k);
bool gpube__widen_cost(int64_t *v, int k);
int gpube__widen_values(struct gpube_model *m, struct gpube_values *values, int k);
int gpube__refuse_widening(struct gpube_model *m, int k);

/*
 * A function over variables of two values that costs 'cost' where all of them have those of the
 * tuple, and 0 elsewhere. Errors: ENOMEM
 */
int gpube__add_clause(
	struct gpube_model *m, int arity, const int32_t *scope, const int32_t *tuple, int64_t cost);

/* Is nothing more on the line but blanks? Passes those, not the line's end. */
bool gpube__in_line_ended(struct gpube_in *in);

/*
 * gpube__in_arity() - how many variables a scope names, as gpube__in_int(). More than there are
 * cannot be distinct: what is wrong, then, is the one that is repeated, if the line has it.
 * self  a variable that the scope has besides; -1: none
 */
int gpube__in_arity(struct gpube_in *in, int64_t *arity, int64_t min, int64_t max, int32_t n_vars,
	int32_t self, const char *what);

/* To the next token past lines that begin with the word c, the comments of DIMACS formats. */
bool gpube__dimacs_next(struct gpube_in *in);
/* What comes after such lines at the beginning of a text, maybe its end. */
const char *gpube__dimacs_skip(const char *text);

#endif
