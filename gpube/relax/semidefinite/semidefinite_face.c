/*
 * semidefinite_face.c - the orthonormal basis of the face on which values of a variable sum to the
 * first entry: one vector in which all values of a variable are equal, and for each variable
 * Helmert's, whose k-th is 1 for its first k values, -k for the next, and 0. See semidefinite.h.
 */
#include "gpube/relax/semidefinite/semidefinite.h"

#include <math.h>

/* The length of the first vector, inverted. */
static double first_weight(const struct gpube_semidefinite_state *s)
{
	double squares = 1;

	for (int32_t i = 0; i < s->n; i++)
		squares += 1.0 / (s->at[i + 1] - s->at[i]);
	return 1 / sqrt(squares);
}

/* A row of a matrix in coordinates of the face. */
static void compress(
	const struct gpube_semidefinite_state *s, double first, double *out, const double *in)
{
	double whole = in[0];

	for (int32_t i = 0; i < s->n; i++) {
		const int32_t from = s->at[i], to = s->at[i + 1];
		double sum = in[from];

		for (int32_t r = from + 1; r < to; r++) {
			out[r - i - 1] = (sum - (r - from) * in[r]) * s->weight[r];
			sum += in[r];
		}
		whole += sum / (to - from);
	}
	out[0] = first * whole;
}

void gpube__face_compress(
	const struct gpube_semidefinite_state *s, double *out, const double *in, double *room)
{
	const int32_t n = s->order, face = s->face;
	const double first = first_weight(s);

	for (int32_t r = 0; r < n; r++)
		compress(s, first, out + (int64_t)r * face, in + (int64_t)r * n);
	for (int32_t r = 0; r < n; r++)
		for (int32_t c = 0; c < face; c++)
			room[(int64_t)c * n + r] = out[(int64_t)r * face + c];
	for (int32_t c = 0; c < face; c++)
		compress(s, first, out + (int64_t)c * face, room + (int64_t)c * n);
}

void gpube__face_expand(const struct gpube_semidefinite_state *s, double *out, const double *in)
{
	const double first = first_weight(s) * in[0];

	out[0] = first;
	for (int32_t i = 0; i < s->n; i++) {
		const int32_t from = s->at[i];
		const double base = first / (s->at[i + 1] - from);
		double after = 0;

		for (int32_t r = s->at[i + 1] - 1; r > from; r--) {
			const double x = in[r - i - 1] * s->weight[r];

			out[r] = base + after - (r - from) * x;
			after += x;
		}
		out[from] = base + after;
	}
}
