/*
 * model_text.h - models from text and back, through files of a directory of
 * their own, and what is in them.
 */
#ifndef GPUBE_MODEL_TEXT_H
#define GPUBE_MODEL_TEXT_H

#include "formats/formats.h"
#include "gpube/options/options.h"
#include "gpube/ir/model.h"

/* gpube_read() of the text. */
int text_to_model(
	struct gpube_model **m, struct gpube_ctx *ctx, const char *text, enum gpube_format format);
/* gpube_write(); malloc()ed text, or NULL and *status. */
char *model_to_text(const struct gpube_model *m, enum gpube_format format, int *status);

/* fail_each_allocation() of both. */
long read_and_write_scarcely(const char *text, enum gpube_format format);

/* The cost of function f at a tuple; GPUBE_INF: forbidden. */
int64_t cost_at(const struct gpube_model *m, int32_t f, const int32_t *tuple);

/* Fails, in the middle of the test, unless function f's cells are those of 'costs'. */
void assert_cells(const struct gpube_model *m, int32_t f, const int64_t *costs, int64_t n);

/*
 * A text, and what the model that is read from it, of name t, has; 'costs' is of that function, -1:
 * of none.
 */
struct model_row {
	const char *name, *text;
	int n_functions, function;
	const char *costs; /* in units of 10^-scale */
	int scale;
	int64_t constant, top;
};

void assert_reads(
	const struct model_row *row, enum gpube_format format, enum gpube_direction direction);

/*
 * Fails unless the model is written as this text, or, without one, refused with ERANGE and that
 * word; frees it.
 */
void assert_writes(
	struct gpube_model *m, enum gpube_format format, const char *text, const char *why);

/* "1 2 *" to numbers, * to GPUBE_INF; returns how many. */
int64_t parse_costs(int64_t *costs, int64_t max, const char *text);

#endif
