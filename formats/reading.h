/*
 * reading.h - what several readers share. Internal to formats/.
 */
#ifndef GPUBE_READING_H
#define GPUBE_READING_H

#include "formats/io.h"

/*
 * gpube__add_vars() - n variables of the same domain, without names; before evidence.
 * Errors: ELIMIT (a number that takes more than the memory allowed: a short file
 *         must not ask for much), ENOMEM. Sets in->status.
 */
int gpube__add_vars(struct gpube_model *m, struct gpube_in *in, int64_t n, int32_t domain);

/* Is nothing more on the line but blanks? Passes those, not the line's end. */
bool gpube__in_line_ended(struct gpube_in *in);

/* To the next token that is not in a comment as in C; false at the end. */
bool gpube__in_skip_c_comments(struct gpube_in *in);

/* The same past lines that begin with the word c, the comments of DIMACS formats. */
bool gpube__dimacs_next(struct gpube_in *in);
/* What comes after such lines at the beginning of a text, maybe its end. */
const char *gpube__dimacs_skip(const char *text);

#endif
