/*
 * enclose.c - solutions of a support's system, proved by Krawczyk's operator in integers.
 *
 * With C near the inverse of the slopes at the centre z of a box B of radii r, all zeros in B are
 * in z - C f(z) + (I - C J(B)) (B - z). Where that is inside B there is one and only one
 * (Krawczyk 1969; Moore 1977), and the same formula makes B smaller, to any width.
 */
#include <flint/fmpz_mat.h>
#include <math.h>
#include <string.h>

#include "nash/exact.h"
#include "nash/players/system.h"

/* With which a solution is looked for: numbers are machine words then. */
enum { FIRST_BITS = 44 };

/* A matrix is singular, as far as doubles can tell, with a pivot of at most that. */
static const double singular_pivot = 1e-11;

/* Radii are at least this times the largest, and 2^-20. */
static const double flattest = 0x1p-4, least_radius = 0x1p-20;

/* x / 2^(bits + scale) */
double nash__system_number(const struct nash_system *s, const fmpz *x, slong scale)
{
	slong e;
	const double d = fmpz_get_d_2exp(&e, x);

	e -= s->bits + scale;
	return fmpz_is_zero(x) || e < -1000 ? 0 : ldexp(d, e > 1000 ? 1000 : (int)e);
}

static void take_number(const struct nash_system *s, fmpz *to, double x)
{
	fmpz_set_d(to, floor(ldexp(x, (int)s->bits)));
}

static void put_box(struct nash_system *s, bool thin)
{
	for (int32_t u = 0; u < s->n; u++) {
		fmpz_set(s->z_lo + u, s->z + u);
		fmpz_set(s->z_hi + u, s->z + u);
		if (thin)
			continue;
		fmpz_sub(s->z_lo + u, s->z_lo + u, s->r + u);
		fmpz_add(s->z_hi + u, s->z_hi + u, s->r + u);
	}
}

/* ---- an inverse ---------------------------------------------------------------------------- */

static void swap_rows(double *a, int32_t width, int32_t r, int32_t s)
{
	for (int32_t k = 0; r != s && k < width; k++) {
		const double x = a[(int64_t)r * width + k];

		a[(int64_t)r * width + k] = a[(int64_t)s * width + k];
		a[(int64_t)s * width + k] = x;
	}
}

bool nash__eliminate(double *a, int32_t n, int32_t w, double least)
{
	for (int32_t c = 0; c < n; c++) {
		int32_t top = c;
		double *row, factor;

		for (int32_t r = c + 1; r < n; r++)
			if (fabs(a[(int64_t)r * w + c]) > fabs(a[(int64_t)top * w + c]))
				top = r;
		swap_rows(a, w, c, top);
		row = a + (int64_t)c * w;
		if (!(fabs(row[c]) > least))
			return false;
		factor = 1 / row[c];
		for (int32_t k = 0; k < w; k++)
			row[k] *= factor;
		for (int32_t r = 0; r < n; r++) {
			double *other = a + (int64_t)r * w;

			factor = r == c ? 0 : other[c];
			for (int32_t k = c; factor != 0 && k < w; k++)
				other[k] -= factor * row[k];
		}
	}
	return true;
}

/* c from the slopes, whose intervals are narrow. */
static bool take_inverse(struct nash_system *s)
{
	const int32_t n = s->n, w = 2 * n;

	for (int32_t r = 0; r < n; r++)
		for (int32_t k = 0; k < n; k++) {
			s->inverse[(int64_t)r * w + k] =
				nash__system_number(s, s->j_lo + (int64_t)r * n + k, s->scale);
			s->inverse[(int64_t)r * w + n + k] = r == k;
		}
	if (!nash__eliminate(s->inverse, n, w, singular_pivot))
		return false;
	for (int32_t r = 0; r < n; r++)
		for (int32_t k = 0; k < n; k++)
			fmpz_set_d(s->c + (int64_t)r * n + k,
				rint(ldexp(s->inverse[(int64_t)r * w + n + k], NASH_INVERSE_BITS)));
	return true;
}

/* ---- Krawczyk's operator ------------------------------------------------------------------- */

/* [lo, hi] = sum of c over the intervals at v_lo, v_hi, 'step' apart, scaled back. */
static void combine(const struct nash_system *s, fmpz *lo, fmpz *hi, const fmpz *c,
	const fmpz *v_lo, const fmpz *v_hi, int64_t step)
{
	const ulong down = (ulong)(NASH_INVERSE_BITS + s->scale);

	fmpz_zero(lo);
	fmpz_zero(hi);
	for (int32_t k = 0; k < s->n; k++) {
		const bool negative = fmpz_sgn(c + k) < 0;

		fmpz_addmul(lo, c + k, (negative ? v_hi : v_lo) + k * step);
		fmpz_addmul(hi, c + k, (negative ? v_lo : v_hi) + k * step);
	}
	fmpz_fdiv_q_2exp(lo, lo, down);
	fmpz_cdiv_q_2exp(hi, hi, down);
}

/* step = C f(z). */
static void newton(struct nash_system *s)
{
	const struct nash_players *p = s->p;
	fmpz *f_lo = s->new_r, *f_hi = s->new_r + s->n;

	put_box(s, true);
	nash__system_values(s);
	for (int32_t i = 0; i < p->n; i++)
		for (int32_t l = 1; l < s->k[i]; l++) {
			const int32_t a = p->first[i] + s->action[p->first[i] + l];

			fmpz_set(f_lo + s->base[i] + l - 1, s->f_lo + a);
			fmpz_set(f_hi + s->base[i] + l - 1, s->f_hi + a);
		}
	for (int32_t u = 0; u < s->n; u++)
		combine(s, s->step_lo + u, s->step_hi + u, s->c + (int64_t)u * s->n, f_lo, f_hi, 1);
}

/* g = the largest absolute values of I - C J on the box of radii r. */
static void contraction(struct nash_system *s)
{
	const int64_t n = s->n;
	fmpz *g = s->g, *other = s->g + n * n;

	put_box(s, false);
	nash__system_slopes(s);
	for (int64_t u = 0; u < n; u++)
		for (int64_t v = 0; v < n; v++) {
			fmpz *lo = g + u * n + v, *hi = other + u * n + v;

			combine(s, lo, hi, s->c + u * n, s->j_lo + v, s->j_hi + v, n);
			if (u == v) {
				fmpz_sub(lo, lo, s->one);
				fmpz_sub(hi, hi, s->one);
			}
			fmpz_abs(lo, lo);
			if (fmpz_cmpabs(hi, lo) > 0)
				fmpz_abs(lo, hi);
		}
}

/* new_r = |step| or its radius, + g r; the radii of what is left of the box around z - step. */
static void radii(struct nash_system *s, bool whole_step)
{
	fmpz_t t;

	fmpz_init(t);
	for (int32_t u = 0; u < s->n; u++) {
		fmpz *to = s->new_r + u;

		fmpz_zero(to);
		for (int32_t v = 0; v < s->n; v++)
			fmpz_addmul(to, s->g + (int64_t)u * s->n + v, s->r + v);
		fmpz_cdiv_q_2exp(to, to, (ulong)s->bits);
		if (whole_step) {
			fmpz_abs(t, s->step_lo + u);
			if (fmpz_cmpabs(s->step_hi + u, t) > 0)
				fmpz_abs(t, s->step_hi + u);
		} else {
			fmpz_sub(t, s->step_hi + u, s->step_lo + u);
			fmpz_add_ui(t, t, 1);
		}
		fmpz_add(to, to, t);
	}
	fmpz_clear(t);
}

static void set_bits(struct nash_system *s, slong bits)
{
	for (int32_t u = 0; u < s->n; u++) {
		fmpz_mul_2exp(s->z + u, s->z + u, (ulong)(bits - s->bits));
		fmpz_mul_2exp(s->r + u, s->r + u, (ulong)(bits - s->bits));
	}
	s->bits = bits;
	fmpz_one(s->one);
	fmpz_mul_2exp(s->one, s->one, (ulong)bits);
}

static void go_to_centre(struct nash_system *s)
{
	for (int32_t u = 0; u < s->n; u++) {
		fmpz_add(s->new_r + s->n + u, s->step_lo + u, s->step_hi + u);
		fmpz_fdiv_q_2exp(s->new_r + s->n + u, s->new_r + s->n + u, 1);
		fmpz_sub(s->z + u, s->z + u, s->new_r + s->n + u);
	}
}

void nash__system_refine(struct nash_system *s, slong bits)
{
	set_bits(s, bits);
	for (bool again = true; again;) {
		again = false;
		contraction(s);
		newton(s);
		radii(s, false);
		go_to_centre(s);
		for (int32_t u = 0; u < s->n; u++) {
			fmpz_mul_2exp(s->new_r + s->n + u, s->new_r + u, 1);
			if (fmpz_cmp(s->new_r + s->n + u, s->r + u) < 0)
				again = true;
			fmpz_swap(s->r + u, s->new_r + u);
		}
	}
	put_box(s, false);
	nash__system_values(s);
}

/* ---- where there is a solution ------------------------------------------------------------- */

/* The region's centre as the first guess, and the unknowns there. */
static void guess(struct nash_system *s, const struct nash_region *r)
{
	const struct nash_players *p = s->p;

	for (int32_t i = 0; i < p->n; i++)
		for (int32_t a = 0; a < p->m[i]; a++) {
			const int32_t k = nash__sizes(p, r)[i];
			double sum = 0;

			for (int32_t l = 0; l < k; l++)
				sum += nash__vertex(p, r, i, l)[a];
			s->x[p->first[i] + a] = sum / k;
		}
}

static void take_guess(struct nash_system *s)
{
	const struct nash_players *p = s->p;

	s->bits = FIRST_BITS;
	set_bits(s, FIRST_BITS);
	for (int32_t i = 0; i < p->n; i++)
		for (int32_t l = 1; l < s->k[i]; l++)
			take_number(s, s->z + s->base[i] + l - 1,
				s->x[p->first[i] + s->action[p->first[i] + l]]);
}

void nash__system_around(
	struct nash_system *s, const uint8_t *states, const double *x, double radius)
{
	memcpy(s->x, x, (size_t)s->p->total * sizeof(*x));
	nash__system_make(s, states, s->x);
	take_guess(s);
	for (int32_t u = 0; u < s->n; u++)
		take_number(s, s->r + u, radius);
}

/* Radii around the centre for a box that has all of the region. */
static void surround(struct nash_system *s, const struct nash_region *r)
{
	const struct nash_players *p = s->p;
	const double off = r->halved * 0x1p-53 + 0x1p-40;
	double most = least_radius;

	for (int32_t pass = 0; pass < 2; pass++)
		for (int32_t i = 0; i < p->n; i++)
			for (int32_t l = 1; l < s->k[i]; l++) {
				const int32_t u = s->base[i] + l - 1;
				const double z = nash__system_number(s, s->z + u, 0);
				double radius = 0;

				for (int32_t k = 0; k < nash__sizes(p, r)[i]; k++)
					radius = fmax(radius,
						fabs(nash__vertex(p, r, i,
							     k)[s->action[p->first[i] + l]] -
							z));
				most = fmax(most, radius * flattest);
				take_number(s, s->r + u, fmax(radius + off, most));
			}
}

/* Whether what Krawczyk's operator makes of the box is well inside. */
static bool is_inside(struct nash_system *s)
{
	bool inside = true;
	fmpz_t t;

	contraction(s);
	newton(s);
	radii(s, true);
	fmpz_init(t);
	for (int32_t u = 0; u < s->n && inside; u++) {
		fmpz_mul_ui(t, s->new_r + u, 10);
		fmpz_submul_ui(t, s->r + u, 9);
		inside = fmpz_sgn(t) < 0;
	}
	fmpz_clear(t);
	return inside;
}

static void double_radii(struct nash_system *s, bool back)
{
	for (int32_t u = 0; u < s->n; u++)
		if (back)
			fmpz_fdiv_q_2exp(s->r + u, s->r + u, 1);
		else
			fmpz_mul_2exp(s->r + u, s->r + u, 1);
}

/* Steps of Newton's method from the guess; false: they lead away by more than 'most'. */
static bool approach(struct nash_system *s, double most)
{
	for (int k = 0; k < 2; k++) {
		newton(s);
		for (int32_t u = 0; u < s->n; u++)
			if (fabs(nash__system_number(s, s->step_lo + u, 0)) > most)
				return false;
		go_to_centre(s);
	}
	return true;
}

enum nash_enclosure nash__system_find(struct nash_system *s, const struct nash_region *r)
{
	guess(s, r);
	nash__system_make(s, nash__states(s->p, r), s->x);
	take_guess(s);
	if (s->n == 0)
		return NASH_ROOT;
	put_box(s, true);
	nash__system_slopes(s);
	if (!take_inverse(s))
		return NASH_SINGULAR;
	if (!approach(s, 2 * nash__region_width(s->p, r)))
		return NASH_NOT_YET;
	surround(s, r);
	if (!is_inside(s))
		return NASH_NOT_YET;
	for (int k = 0; k < 4; k++) {
		double_radii(s, false);
		if (!is_inside(s)) {
			double_radii(s, true);
			break;
		}
	}
	return NASH_ROOT;
}
