/*
 * mip.h - a model of costs as a mixed integer program; mip_check.c compares one that was read with
 * it. Internal to formats/.
 *
 * A variable of two values is a binary one, value 1 true; one of more values a binary one for each
 * value, of which one is 1; one of a single value is none. A function whose usual cost is its least
 * pays for each other tuple by itself: a column that is 1 where all of the tuple's values are
 * taken, or, if the tuple is forbidden, a row against them. Any other function is its local
 * polytope: a column a tuple that is not forbidden, whose sums over what has a value equal that
 * value's column; so the relaxation's bound is that of the linear program which cost shifting works
 * on. Both are exact, and all columns but the binary ones may be continuous.
 */
#ifndef GPUBE_MIP_H
#define GPUBE_MIP_H

#include "formats/io/io.h"
#include "gpube/globals/linear.h"

struct gpube_mip;
enum { GPUBE_MIP_NAME = 32 };

/*
 * What a program that is no model's says by itself: all its columns are binary, none is constant.
 * lp, mps  the first line of a file
 * name_x   into GPUBE_MIP_NAME bytes; a row by what it has in the place of a column's value
 */
struct gpube_mip_words {
	const char *lp, *mps;
	void (*name_column)(char *name, const void *arg, int column);
	void (*name_row)(char *name, const void *arg, int value_of_row);
	const void *arg;
};

/*
 * Minimised. Column 0 is 1: what is constant.
 * var, value  of a binary column; var -1: a continuous one, at least 0
 * Entries of row r: at[r] … at[r + 1] - 1.
 * top_row  that of the model's top, whose entries are costs; -1: none
 * words    NULL: the program is the model's
 */
struct gpube_mip {
	struct gpube_ctx *ctx;
	const struct gpube_model *m;
	const struct gpube_mip_words *words;
	int32_t n_columns, n_rows, top_row;
	int32_t *var, *value;
	int64_t *cost;
	unsigned char *sense;
	int64_t *rhs, *at;
	int32_t *column;
	int64_t *factor;
	int64_t columns_capacity[3], rows_capacity[3], entries_capacity[2];
};

/* Errors: ELIMIT (more than 2^26 entries), ERANGE (a sum of costs passes 64 bits), ENOMEM, ESTOP */
int gpube__mip_init(struct gpube_mip *p, const struct gpube_model *m);
void gpube__mip_clear(struct gpube_mip *p);

/* Writes a program as CPLEX's .lp, or as .mps in free form. Errors: EIO, ENOMEM */
int gpube__mip_write(const struct gpube_mip *p, struct gpube_out *out, bool lp);

/* What a column is called in a file. */
void gpube__mip_name(char name[GPUBE_MIP_NAME], const struct gpube_mip *p, int32_t column);

/*
 * The first line of an .lp or .mps that gpube writes, by which it is read back: the columns that
 * are not declared binary are 0 or 1 in an optimum, too.
 */
#define GPUBE__LP_BINARY  "\\ gpube: each column is 0 or 1 in an optimum\n"
#define GPUBE__MPS_BINARY "* gpube: each column is 0 or 1 in an optimum\n"

/*
 * The first line of an .mps whose objective is maximised: all programs read it negated, to be
 * minimised, and gpube as it is. One with a section OBJSENSE that says MAX is not negated.
 */
#define GPUBE__MPS_NEGATED "* gpube: maximised, its objective is written negated\n"

#endif
