/*
 * lp_parts.h - an .lp or .mps as it is read by lp_read.c and mps_read.c; lp_model.c makes a model
 * of it. Internal to formats/.
 */
#ifndef GPUBE_LP_PARTS_H
#define GPUBE_LP_PARTS_H

#include "gpube/base/names.h"
#include "formats/common/reading.h"
#include "gpube/globals/linear.h"

enum { GPUBE_LP_TOKEN = 256, GPUBE_LP_DECIMALS = 18 };

enum gpube_lp_token { GPUBE_LP_END, GPUBE_LP_NAME, GPUBE_LP_NUMBER, GPUBE_LP_MARK };

/* digits * 10^-decimals; infinite: what solvers take for that, 1e20 and more. */
struct gpube_lp_number {
	int64_t digits;
	int decimals;
	bool infinite;
};

/* What is said of a column; the sections tell in any order. */
struct gpube_lp_column {
	char *name;
	int64_t line, low, high; /* -GPUBE_INF and GPUBE_INF: none */
	bool integer, semi;      /* semi: or 0, whatever its bounds */
	bool bounded, rounded;   /* a bound was said; it was no integer */
};

/* a times b, or a alone where b is -1; or a number where a is -1, too. */
struct gpube_lp_term {
	struct gpube_lp_number factor;
	int32_t a, b;
};

/*
 * Terms from 'first' on, compared with 0.
 * when, value  the column that has to have the value, else the row says nothing; -1: it always does
 * set          1 or 2: it is a set of columns instead, whose order the factors are, of which at
 *              most so many, and neighbours, are not 0 (SOS1, SOS2)
 */
struct gpube_lp_row {
	int64_t first, n, line;
	enum gpube_relation relation;
	int32_t when;
	int value, set;
};

struct gpube_lp {
	struct gpube_model *m;
	const struct gpube_model *of; /* whose program it is to be, NULL: it becomes a model */
	struct gpube_in *in;
	bool binary; /* all columns are, as the comment says */
	enum gpube_lp_token kind;
	char token[GPUBE_LP_TOKEN];
	struct gpube_lp_number number;
	struct gpube_names names;
	int32_t n_columns;
	struct gpube_lp_column *columns;
	int64_t n_terms, n_rows, objective; /* the objective's terms are the first */
	struct gpube_lp_term *terms;
	struct gpube_lp_row *rows;
	int64_t columns_capacity, terms_capacity, rows_capacity;
};

/* ---- what .lp and .mps have in common: lp_parts.c ---- */

/* Digits, a point, an exponent: as many bytes of the text as belong to it. */
size_t gpube__lp_number_length(const char *p);
/* A text as a number; of an infinite one the digits are 1 or -1. Errors: ERANGE, EPARSE */
int gpube__lp_number(struct gpube_lp *r, struct gpube_lp_number *v, const char *text);
/* The column of a name, a new one perhaps. */
int gpube__lp_column(struct gpube_lp *r, const char *name, int32_t *column);
int gpube__lp_term(struct gpube_lp *r, struct gpube_lp_number factor, int32_t a, int32_t b);
/* The terms from 'first' on are a row; 'when' and 'set' are for the caller to change. */
int gpube__lp_row(struct gpube_lp *r, int64_t first, enum gpube_relation relation, int64_t line);
/* The column's bound is at most, at least or exactly that; of integers, those that it allows. */
void gpube__lp_bound(
	struct gpube_lp_column *c, enum gpube_relation relation, struct gpube_lp_number v);
void gpube__lp_clear(struct gpube_lp *r);

/* Whether it is the program that is written of a model. Errors: EBUG (what differs), ENOMEM */
int gpube__mip_check(const struct gpube_lp *r, const struct gpube_model *m);

/* Decimals that all of the n terms from 'first' on need; and a factor with so many. */
int gpube__lp_decimals(const struct gpube_lp *r, int64_t first, int64_t n);
__int128 gpube__lp_units(struct gpube_lp_number v, int decimals);

/*
 * gpube__lp_imply() - gives columns that have no bound on one side, and continuous ones, what rows
 * imply: in lp_bounds.c. What rows leave open stays so. Errors: ESTOP, ENOMEM
 */
int gpube__lp_imply(struct gpube_lp *r);

/* Columns become variables, terms of the objective functions, rows what linear.h says. */
int gpube__lp_model(struct gpube_lp *r);

#endif
