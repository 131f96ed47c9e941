/*
 * semidefinite.h - bounds of a model of unary and binary functions by its doubly nonnegative
 * relaxation, in floating point, and what is proved by them, in integers.
 *
 * An assignment is a vector y: 1, then for each value of each variable whether it is taken. Its
 * cost is y'Ly for a symmetric matrix L. The relaxation puts a matrix Y in the place of yy', of
 * which it keeps that it is positive semidefinite on the face of vectors whose values sum to 1 (to
 * the first entry) for each variable, that no entry is negative or above 1, that two values of a
 * variable exclude each other, and that the first row is the diagonal. The alternating direction
 * method of multipliers finds Y: R is positive semidefinite on the face, Y has all the rest, and
 * the multipliers Z make both equal.
 *
 * What is proved needs neither to be right. For every symmetric Z
 *
 *     y'Ly = y'(L + Z)y - y'Zy,
 *
 * where the first term is a model of unary and binary functions, of which the least of each row of
 * a table is taken, and y'Zy <= t y'y = t (n + 1) if t I - Z is positive semidefinite on the face.
 * Z is rounded to integers, the matrix on an integer basis of the face is exact, and t is such that
 * its Cholesky decomposition runs to its end; what rounding can hide there is counted (Rump). So
 * the bound is one whatever the floating point part did. It also says what each value costs at
 * least, and values that reach the cutoff are removed.
 *
 * Why. Where each variable shares functions with most others, subproblems of a few variables say
 * little: with 60 variables of 10 values and functions of all pairs, triples of variables leave a
 * gap of 18 % and this relaxation 0.4 % (runs/semidefinite-h200).
 *
 * Designs weighed. (1) Multipliers of the diagonal alone, by vectors of low rank (the mixing
 * method): fast for two values a variable, but exclusive values are constraints of their own that
 * its bound needs multipliers for, and entries may be negative. (2) Interior points: 10^5
 * constraints. (3) The relaxation without nonnegativity leaves a far wider gap. (4) This one.
 *
 * Source: Oliveira, Wolkowicz, Xu, ADMM for the SDP relaxation of the QAP, Math. Prog. Comp. 2018;
 *         Rump, Verification of positive definiteness, BIT 2006.
 */
#ifndef GPUBE_SEMIDEFINITE_H
#define GPUBE_SEMIDEFINITE_H

#include "gpube/base/arrays.h"
#include "gpube/relax/relaxed.h"

/* Values of all variables together, at most: a matrix of as many rows. */
enum { GPUBE__SEMIDEFINITE_VALUES = 1000 };
#define GPUBE__SEMIDEFINITE_TEXT "1000"
/* Steps of a window. */
enum { GPUBE__SEMIDEFINITE_WINDOW = 5 };

/* The costs of a model: integers, times 2^shift; what states have in common. */
struct gpube_semidefinite {
	struct gpube_relaxed of;
	int64_t *cost; /* n_values x n_values: unary costs on the diagonal */
	int64_t constant;
	double unit; /* of costs in matrices of floating point */
};

/* A matrix of floating point for two symmetric ones, as it was at a node. */
struct gpube_semidefinite_start {
	struct gpube_relaxed_start of;
	int32_t order;
	int32_t *value; /* of each row; row 0 has none */
	float *y, *z;
};

/* What is left of the values, and the method's matrices for it. */
struct gpube_semidefinite_state {
	const struct gpube_semidefinite *p;
	struct gpube_ctx *ctx; /* of who works on it */
	struct gpube__arrays memory;
	int32_t n;           /* variables of several values */
	int32_t *at;         /* rows of the i-th of them: at[i] … at[i + 1] - 1; at[0] is 1 */
	int32_t order, face; /* of the matrices; dimensions of the face */
	int32_t *value;      /* of each row */
	int32_t *only;       /* of each of the model's variables: its one value, or -1 */
	int64_t constant;    /* of the costs, and of variables of one value */
	int64_t *unary;      /* of each row */
	double *cost, *y, *z, *r;
	double *weight;     /* of each row, in the basis of the face */
	int64_t twice;      /* twice the bound of the last steps; INT64_MIN: nothing is proved */
	int64_t *regret;    /* of each row: twice what the bound with the value is more */
	double *room[3];    /* matrices */
	int64_t *exact[2];  /* and of integers */
	double *eigenvalue; /* ascending */
	double *lapack;
	int *lapack_whole;
};

/*
 * Branch and bound on the relaxation. A model is not for it if it has functions of more than two
 * variables, or too many values, or if there is no LAPACK.
 * Cost: a step about 10 face^3 operations
 */
extern const struct gpube_relaxation gpube__semidefinite;

/* Ticks of a step. */
int64_t gpube__semidefinite_ticks(int32_t order, int32_t face);

/* ---- of semidefinite_*.c --------------------------------------------------------------------- */

int gpube__semidefinite_make(
	struct gpube_relaxed **out, const struct gpube_model *m, int64_t cutoff);
void gpube__semidefinite_free(struct gpube_relaxed *of);

/* A symmetric matrix of the rows on the orthonormal basis of the face, and vectors of it back. */
void gpube__face_compress(
	const struct gpube_semidefinite_state *s, double *out, const double *in, double *room);
void gpube__face_expand(const struct gpube_semidefinite_state *s, double *out, const double *in);

/* The bound and the regrets by multipliers 'z', with room for a matrix. */
void gpube__semidefinite_prove(struct gpube_semidefinite_state *s, const double *z);

#endif
