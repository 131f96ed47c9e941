/*
 * named.h - variables and values by what a user calls them: by the names that the file gives them,
 * or by index. What a text means: a name, if there is such a one. Otherwise a number is an index
 * from 0, of variables among those that are not hidden; but not where what it points to has a
 * number for its name, so that 2 is never the third of the values 1, 3 and 5.
 */
#ifndef GPUBE_NAMED_H
#define GPUBE_NAMED_H

#include "gpube/base/names.h"
#include "formats/io/io.h"
#include "gpube/ir/model.h"

struct gpube_named {
	const struct gpube_model *m;
	/* space -1: variables; i: the values of variable i, once one of them was asked for */
	struct gpube_names names;
	int32_t *shown; /* the variables that are not hidden, in their order; NULL: all are */
};

/* Whether a variable that is not hidden, or one of its values, has a name. */
bool gpube__has_names(const struct gpube_model *m);

/* The model and its names stay as they are while it is used. Errors: ENOMEM */
int gpube__named_init(struct gpube_named *n, const struct gpube_model *m);
void gpube__named_clear(struct gpube_named *n);

/*
 * gpube__named_var(), gpube__named_value() - what a text stands for. Of two variables or values
 * with one name it is the first.
 * Errors: EINVAL ("expected a variable, found 'x'", with the nearest names or the values), ENOMEM:
 *         *var, *value untouched
 */
int gpube__named_var(int32_t *var, struct gpube_named *n, const char *text);
int gpube__named_value(int32_t *value, struct gpube_named *n, int32_t var, const char *text);

/*
 * The name that stands for this variable or value and for no other; NULL: only its index does.
 * Errors: ENOMEM
 */
const char *gpube__named_key(const struct gpube_named *n, int32_t var);
int gpube__named_value_key(const char **key, struct gpube_named *n, int32_t var, int32_t value);

/* The index that a text is, in digits alone; -1: it is none. */
int32_t gpube__index_of(const char *text);

/* What the file calls a variable or a value, or its index. */
enum { GPUBE_NAMED_TEXT = 48 };
const char *gpube__var_text(char text[GPUBE_NAMED_TEXT], const struct gpube_model *m, int32_t var);
const char *gpube__value_text(
	char text[GPUBE_NAMED_TEXT], const struct gpube_model *m, int32_t var, int32_t value);

/*
 * gpube__named_observe() - fixes a variable, as gpube_model_observe() does, unless it is fixed.
 * Errors: EINVAL ("variable x is observed as a and as b"), ENOMEM
 */
int gpube__named_observe(struct gpube_model *m, int32_t var, int32_t value);

/*
 * A token, as gpube__in_token() has it, or what stands between two '"' of a line. The caller has
 * asked gpube__in_at_end().
 */
int gpube__in_name(struct gpube_in *in, char token[256], const char *what);
/* The context's error as one of a file, with its place. */
int gpube__named_fail(struct gpube_in *in);

#endif
