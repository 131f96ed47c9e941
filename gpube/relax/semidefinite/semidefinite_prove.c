/*
 * semidefinite_prove.c - what any multipliers prove: see semidefinite.h. All numbers here are
 * twice what they stand for, so that halves of costs are integers, too.
 */
#include "gpube/relax/semidefinite/semidefinite.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Integers of matrices are below 2^40, so that sums of a row and a column are below 2^62. */
#define MOST_ENTRY 0x1p40
/* Integers that a double has. */
#define MOST_EXACT ((int64_t)1 << 53)
/* How much is added to the diagonal at first, beside what rounding an entry may do; then FACTOR
 * times as much, so often. */
enum { FIRST = 64, FACTOR = 4, MOST_TRIES = 12 };
/* Work: of an entry of the matrices of integers, and of a Cholesky decomposition's inner loop. */
enum { ENTRY_TICKS = 8, CHOLESKY_PARTS = 8 };

static int64_t row_at(const struct gpube_semidefinite_state *s, int32_t row)
{
	return (int64_t)row * s->order;
}

/* The multipliers as integers. False: some are too large, or no numbers. */
static bool round_all(const struct gpube_semidefinite_state *s, const double *z)
{
	const double twice = 2 * s->p->unit;
	int64_t *to = s->exact[0];

	for (int64_t k = 0; k < (int64_t)s->order * s->order; k++) {
		const double x = z[k] * twice;

		if (!(fabs(x) < MOST_ENTRY))
			return false;
		to[k] = llrint(x);
	}
	return true;
}

/*
 * A row on the integer basis of the face: the first vector has the first entry and every variable's
 * last value; one for every other value has that and, negative, the last one.
 */
static void onto_basis(const struct gpube_semidefinite_state *s, int64_t *out, const int64_t *in)
{
	out[0] = in[0];
	for (int32_t i = 0; i < s->n; i++) {
		const int32_t last = s->at[i + 1] - 1;

		out[0] += in[last];
		for (int32_t r = s->at[i]; r < last; r++)
			out[r - i] = in[r] - in[last];
	}
}

/* The multipliers on the basis, in exact[1]; False: an entry is no double. */
static bool find_form(const struct gpube_semidefinite_state *s)
{
	const int32_t n = s->order, face = s->face;
	int64_t *form = s->exact[1], *turned = (int64_t *)s->room[1];

	for (int32_t r = 0; r < n; r++)
		onto_basis(s, form + (int64_t)r * face, s->exact[0] + row_at(s, r));
	for (int32_t r = 0; r < n; r++)
		for (int32_t c = 0; c < face; c++)
			turned[(int64_t)c * n + r] = form[(int64_t)r * face + c];
	for (int32_t c = 0; c < face; c++)
		onto_basis(s, form + (int64_t)c * face, turned + (int64_t)c * n);
	for (int64_t k = 0; k < (int64_t)face * face; k++)
		if (form[k] > MOST_EXACT / 2 || form[k] < -MOST_EXACT / 2)
			return false;
	return true;
}

/* t times the products of the basis' vectors, less the form. False: no double. */
static bool subtract_form(const struct gpube_semidefinite_state *s, double *out, int64_t t)
{
	const int32_t face = s->face;
	const int64_t *form = s->exact[1];

	if (t > MOST_EXACT / 2 / (s->n + 1))
		return false;
	for (int64_t k = 0; k < (int64_t)face * face; k++)
		out[k] = -(double)form[k];
	out[0] = (double)(t * (s->n + 1) - form[0]);
	for (int32_t i = 0; i < s->n; i++)
		for (int32_t r = s->at[i] - i; r < s->at[i + 1] - i - 1; r++) {
			const int64_t row = (int64_t)r * face;

			out[row] = (double)(-t - form[row]);
			for (int32_t c = s->at[i] - i; c <= r; c++)
				out[row + c] = (double)((r == c ? 2 * t : t) - form[row + c]);
		}
	return true;
}

/*
 * Whether the Cholesky decomposition of the lower triangle of a, which it replaces, runs to its
 * end. column: room for as many. *hidden: how
 * far below 0 an eigenvalue may still be, by Rump's bound.
 */
static bool decompose(double *a, int32_t n, double *column, double *hidden)
{
	double trace = 0;

	for (int64_t k = 0; k < n; k++)
		trace += fabs(a[k * n + k]);
	*hidden = trace * (n + 8) * DBL_EPSILON;
	for (int64_t k = 0; k < n; k++) {
		const double pivot = a[k * n + k];
		double root;

		if (!(pivot > 0))
			return false;
		root = sqrt(pivot);
		a[k * n + k] = root;
		for (int64_t r = k + 1; r < n; r++)
			column[r] = a[r * n + k] /= root;
		for (int64_t r = k + 1; r < n; r++) {
			const double *restrict of = column;
			double *restrict row = a + r * n;
			const double x = of[r];

			for (int64_t c = k + 1; c <= r; c++)
				row[c] -= x * of[c];
		}
	}
	return true;
}

/*
 * What twice the form of the multipliers is at most at an assignment; False: nothing is known.
 */
static bool find_most(const struct gpube_semidefinite_state *s, int64_t *most)
{
	int64_t t = FIRST + 4 * (int64_t)sqrt(s->order);

	for (int k = 0; k < MOST_TRIES; k++, t *= FACTOR) {
		double hidden;

		gpube__work(s->ctx, (int64_t)s->face * s->face * s->face / CHOLESKY_PARTS);
		if (!subtract_form(s, s->room[1], t))
			return false;
		if (!decompose(s->room[1], s->face, s->lapack, &hidden))
			continue;
		if (!(hidden < MOST_ENTRY))
			return false;
		/* an assignment has n + 1 entries of 1, and on the basis as many at most */
		*most = (s->n + 1) * (t + (int64_t)ceil(hidden) + 1);
		return true;
	}
	return false;
}

/* Twice what row r's value costs with the least of what goes with it of every other variable. */
static int64_t least_with(const struct gpube_semidefinite_state *s, int32_t i, int32_t r)
{
	const int64_t *z = s->exact[0] + row_at(s, r);
	const int64_t *cost = s->p->cost + (int64_t)s->value[r] * s->p->of.n_values;
	int64_t sum = 2 * s->unary[r] + z[r] + 2 * z[0];

	for (int32_t j = 0; j < s->n; j++) {
		int64_t least = INT64_MAX;

		for (int32_t c = s->at[j]; c < s->at[j + 1] && j != i; c++) {
			const int64_t x = cost[s->value[c]] + z[c];

			least = x < least ? x : least;
		}
		sum += j == i ? 0 : least;
	}
	return sum;
}

void gpube__semidefinite_prove(struct gpube_semidefinite_state *s, const double *z)
{
	int64_t most, bound;

	gpube__work(s->ctx, ENTRY_TICKS * (int64_t)s->order * s->order);
	if (!round_all(s, z) || !find_form(s) || !find_most(s, &most))
		return;
	bound = 2 * s->constant + s->exact[0][0] - most;
	for (int32_t i = 0; i < s->n; i++) {
		int64_t least = INT64_MAX;

		for (int32_t r = s->at[i]; r < s->at[i + 1]; r++) {
			s->regret[r] = least_with(s, i, r);
			least = s->regret[r] < least ? s->regret[r] : least;
		}
		for (int32_t r = s->at[i]; r < s->at[i + 1]; r++)
			s->regret[r] -= least;
		bound += least;
	}
	s->twice = bound;
}
