/* linear_parts.h - the linear relaxation's parts: see linear_relaxation.h. */
#ifndef GPUBE_LINEAR_PARTS_H
#define GPUBE_LINEAR_PARTS_H

#include "gpube/base/arrays.h"
#include "gpube/relax/linear/clp.h"
#include "gpube/relax/linear/linear_relaxation.h"
#include "gpube/relax/linear/splits.h"

/* What values cost, and rows' prices, at most: no sum of them for a column passes 2^60. */
#define GPUBE__LINEAR_MOST ((int64_t)1 << 42)

/* A function whose allowed cells are columns. */
struct gpube_linear_function {
	int arity;
	int32_t column, n; /* the first one, and how many */
	int32_t row;       /* that makes them agree with the first variable's first value */
	int64_t scope_at;  /* in the scopes, */
	int64_t cell_at;   /* and of its first cell in the cells */
};

/*
 * The program. Columns are values, then cells; rows limit, then make cells agree with values, one
 * for each variable of a function and each of its values.
 */
struct gpube_linear_program {
	struct gpube_relaxed of;
	int32_t n_columns, n_limits, n_agree;
	int64_t *cost;    /* of each column */
	int64_t *row_at;  /* entries of the rows that limit: row_at[r] … row_at[r + 1] - 1, */
	int32_t *entries; /* values, */
	int32_t *limits;  /* of which so many are taken at most */
	struct gpube_linear_function *functions;
	int32_t n_functions;
	int32_t *scopes; /* of the functions, ascending */
	int32_t *cells;  /* values of their columns, 'arity' for each */
	int32_t *owner;  /* the variable of each value */
	double unit;     /* of costs in the program */
};

/* The same while it is made. */
struct gpube__linear_made {
	struct gpube_linear_program *p;
	const struct gpube_model *m;
	int64_t left;      /* costs of the model from which on a cell is forbidden */
	bool sums;         /* many functions that are no sums make it large */
	bool large;        /* it is too large */
	uint64_t *exclude; /* of each value: those that it excludes */
	int64_t n_entries, n_scopes, n_cells;
	int64_t row_room, limit_room, entry_room, scope_room, cell_room, cost_room;
};

/* A row that limits, and its entries, one after the other. Errors: ENOMEM */
int gpube__linear_row(struct gpube__linear_made *w, int32_t limit);
int gpube__linear_entry(struct gpube__linear_made *w, int32_t value);
int gpube__linear_make(struct gpube_relaxed **out, const struct gpube_model *m, int64_t cutoff);
/* The same where nearly all functions are sums of what values cost, or forbid. */
int gpube__linear_make_sums(
	struct gpube_relaxed **out, const struct gpube_model *m, int64_t cutoff);
void gpube__linear_free(struct gpube_relaxed *of);
/* Rows of cliques that cover all pairs of values that exclude each other. Errors: ENOMEM, ESTOP */
int gpube__linear_cliques(struct gpube__linear_made *w);

struct gpube_linear_start {
	struct gpube_relaxed_start of;
	unsigned char basis[];
};

/* A node, on a program that stays. */
struct gpube_linear_state {
	const struct gpube_linear_program *p;
	struct gpube_ctx *ctx;
	struct gpube__arrays memory;
	struct gpube_clp *clp;
	uint64_t *live, *other; /* other: of a part */
	int32_t *only;          /* of each variable: its one value, or -1 */
	int32_t n_left;         /* variables of several values */
	int32_t *left;          /* of each variable: live values, while rows are gone through */
	int64_t *reduced;       /* of each column: its cost less what its rows' prices say */
	int64_t *regret;        /* of each value: what the bound with it is more */
	int64_t *least;         /* room: of the values of a function */
	int64_t bound;          /* INT64_MIN: nothing is proved */
	double *value;          /* of each value, as the program has it */
	struct gpube_branching splits;
	unsigned char *basis;  /* of a column and a row each */
	int n_columns, n_rows; /* of the program */
	int64_t n_entries;
};

/*
 * gpube__linear_prove()     - the bound and the regrets of live values by prices of the rows.
 * gpube__linear_propagate() - removes values that rows exclude: their number; *empty: a variable
 *                             has none left.
 * gpube__linear_solve()     - the simplex method on live values, so many steps at most, which
 *                             are counted.
 */
void gpube__linear_prove(struct gpube_linear_state *s, const uint64_t *live, const double *price);
int32_t gpube__linear_propagate(struct gpube_linear_state *s, uint64_t *live, bool *empty);
enum gpube_clp_end gpube__linear_solve(
	struct gpube_linear_state *s, const uint64_t *live, int most, int64_t *count);
void gpube__linear_round(void *state, int32_t *values);
int32_t gpube__linear_choose(void *state);
int64_t gpube__linear_part(const void *state, int32_t value, bool is);

#endif
