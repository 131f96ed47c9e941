/*
 * system.c - the system of a support in exact integers, evaluated on boxes. See system.h.
 *
 * Numbers are integers over 2^bits, intervals are pairs of them that are rounded outwards. Each
 * unknown stands once in each product, for the last probability of a player is put in before.
 */
#include <flint/fmpz_mat.h>
#include <string.h>

#include "nash/players/system.h"

struct nash_system *nash__system_new(struct gpube__arrays *to, const struct nash_players *p)
{
	struct nash_system *s = gpube__array(to, 1, sizeof(*s));
	const uint64_t n = (uint64_t)p->n, total = (uint64_t)p->total;
	const uint64_t most = total - n ? total - n : 1;
	const uint64_t cells = (uint64_t)p->profiles;

	if (!s)
		return NULL;
	s->p = p;
	s->cells = p->profiles;
	s->k = gpube__array(to, n, sizeof(*s->k));
	s->base = gpube__array(to, n + 1, sizeof(*s->base));
	s->shift = gpube__array(to, n, sizeof(*s->shift));
	s->action = gpube__array(to, total, sizeof(*s->action));
	s->sizes = gpube__array(to, n, sizeof(*s->sizes));
	s->inverse = gpube__array(to, 2 * most * most, sizeof(*s->inverse));
	s->x = gpube__array(to, total, sizeof(*s->x));
	s->n_numbers = (int64_t)((n + 2) * cells + 5 * most * most + 8 * most + 2 * total + 1);
	s->a = gpube__array(to, (uint64_t)s->n_numbers, sizeof(*s->a));
	if (!s->a)
		return s;
	s->lo = s->a + n * cells;
	s->hi = s->lo + cells;
	s->j_lo = s->hi + cells;
	s->j_hi = s->j_lo + most * most;
	s->c = s->j_hi + most * most;
	s->g = s->c + most * most;
	s->z = s->g + 2 * most * most;
	s->r = s->z + most;
	s->z_lo = s->r + most;
	s->z_hi = s->z_lo + most;
	s->step_lo = s->z_hi + most;
	s->step_hi = s->step_lo + most;
	s->new_r = s->step_hi + most;
	s->f_lo = s->new_r + 2 * most;
	s->f_hi = s->f_lo + total;
	s->one = s->f_hi + total;
	return s;
}

void nash__system_clear(struct nash_system *s)
{
	for (int64_t k = 0; s && s->a && k < s->n_numbers; k++)
		fmpz_clear(s->a + k);
}

/* ---- the system ---------------------------------------------------------------------------- */

/* Payoffs of player i on the support, with all of i's own actions. */
static void gather(struct nash_system *s, int32_t i)
{
	const struct nash_players *p = s->p;
	fmpz *a = s->a + i * s->cells;
	const int64_t n = nash__product(s->sizes, 0, p->n);

	for (int64_t k = 0; k < n; k++) {
		int64_t rest = k, profile = 0, step = 1;

		for (int32_t j = p->n - 1; j >= 0; rest /= s->sizes[j], step *= p->m[j--]) {
			const int32_t at = (int32_t)(rest % s->sizes[j]);

			profile += step * (j == i ? at : s->action[p->first[j] + at]);
		}
		fmpz_set(a + k, p->pay[i] + profile);
	}
}

/* All along an axis less what is at 'from' there. */
static void subtract(fmpz *a, const int32_t *sizes, int32_t n, int32_t axis, int32_t from)
{
	const int64_t outer = nash__product(sizes, 0, axis);
	const int64_t inner = nash__product(sizes, axis + 1, n);

	for (int64_t o = 0; o < outer; o++)
		for (int32_t k = 0; k < sizes[axis]; k++)
			for (int64_t x = 0; k != from && x < inner; x++)
				fmpz_sub(a + (o * sizes[axis] + k) * inner + x,
					a + (o * sizes[axis] + k) * inner + x,
					a + (o * sizes[axis] + from) * inner + x);
}

static slong widest(const struct nash_system *s, int32_t i)
{
	const struct nash_players *p = s->p;
	const int64_t inner = nash__product(s->sizes, i + 1, p->n);
	const int64_t n = nash__product(s->sizes, 0, p->n);
	slong most = 0;

	for (int64_t k = 0; k < n; k++)
		if (k / inner % p->m[i] != s->action[p->first[i]]) {
			const slong bits = (slong)fmpz_bits(s->a + i * s->cells + k);

			most = bits > most ? bits : most;
		}
	return most;
}

void nash__system_make(struct nash_system *s, const uint8_t *states, const double *x)
{
	const struct nash_players *p = s->p;

	s->n = 0;
	s->scale = 0;
	for (int32_t i = 0; i < p->n; i++) {
		int32_t *own = s->action + p->first[i];

		s->k[i] = 0;
		s->base[i] = s->n;
		for (int32_t a = 0; a < p->m[i]; a++)
			if (states[p->first[i] + a] == NASH_IN)
				own[s->k[i]++] = a;
		for (int32_t l = 1; l < s->k[i]; l++)
			if (x[p->first[i] + own[l]] > x[p->first[i] + own[0]]) {
				const int32_t a = own[0];

				own[0] = own[l];
				own[l] = a;
			}
		s->n += s->k[i] - 1;
	}
	s->base[p->n] = s->n;
	for (int32_t i = 0; i < p->n; i++) {
		memcpy(s->sizes, s->k, (size_t)p->n * sizeof(*s->k));
		s->sizes[i] = p->m[i];
		gather(s, i);
		for (int32_t j = 0; j < p->n; j++)
			subtract(s->a + i * s->cells, s->sizes, p->n, j,
				j == i ? s->action[p->first[i]] : 0);
		s->shift[i] = widest(s, i);
		s->scale = s->shift[i] > s->scale ? s->shift[i] : s->scale;
	}
	for (int32_t i = 0; i < p->n; i++) {
		const int64_t n = nash__product(s->k, 0, p->n) / s->k[i] * p->m[i];
		fmpz *a = s->a + i * s->cells;

		s->shift[i] = s->scale - s->shift[i];
		for (int64_t k = 0; s->shift[i] && k < n; k++)
			fmpz_mul_2exp(a + k, a + k, (ulong)s->shift[i]);
	}
}

/* ---- on a box ------------------------------------------------------------------------------ */

/* The product of two intervals, neither rounded nor scaled. */
static void times(fmpz *lo, fmpz *hi, const fmpz *a_lo, const fmpz *a_hi, const fmpz *z_lo,
	const fmpz *z_hi, fmpz *t)
{
	if (fmpz_sgn(z_lo) >= 0) {
		fmpz_mul(lo, a_lo, fmpz_sgn(a_lo) < 0 ? z_hi : z_lo);
		fmpz_mul(hi, a_hi, fmpz_sgn(a_hi) < 0 ? z_lo : z_hi);
		return;
	}
	fmpz_mul(lo, a_lo, z_lo);
	fmpz_set(hi, lo);
	for (int k = 1; k < 4; k++) {
		fmpz_mul(t, k & 1 ? a_hi : a_lo, k & 2 ? z_hi : z_lo);
		if (fmpz_cmp(t, lo) < 0)
			fmpz_set(lo, t);
		if (fmpz_cmp(t, hi) > 0)
			fmpz_set(hi, t);
	}
}

/* The axis of player t gives way to the unknowns of t, by which numbers have 'down' bits more. */
static void put_unknowns(struct nash_system *s, int32_t t, ulong down)
{
	const int32_t n = s->p->n, k = s->sizes[t];
	const int64_t outer = nash__product(s->sizes, 0, t);
	const int64_t inner = nash__product(s->sizes, t + 1, n);
	fmpz_t lo, hi, p_lo, p_hi, spare;

	fmpz_init(lo);
	fmpz_init(hi);
	fmpz_init(p_lo);
	fmpz_init(p_hi);
	fmpz_init(spare);
	for (int64_t o = 0; o < outer; o++)
		for (int64_t x = 0; x < inner; x++) {
			const int64_t at = o * k * inner + x;

			fmpz_mul_2exp(lo, s->lo + at, (ulong)s->bits);
			fmpz_mul_2exp(hi, s->hi + at, (ulong)s->bits);
			for (int32_t c = 1; c < k; c++) {
				const int64_t from = at + c * inner;
				const int32_t u = s->base[t] + c - 1;

				times(p_lo, p_hi, s->lo + from, s->hi + from, s->z_lo + u,
					s->z_hi + u, spare);
				fmpz_add(lo, lo, p_lo);
				fmpz_add(hi, hi, p_hi);
			}
			fmpz_fdiv_q_2exp(lo, lo, down);
			fmpz_cdiv_q_2exp(hi, hi, down);
			fmpz_swap(s->lo + o * inner + x, lo);
			fmpz_swap(s->hi + o * inner + x, hi);
		}
	fmpz_clear(lo);
	fmpz_clear(hi);
	fmpz_clear(p_lo);
	fmpz_clear(p_hi);
	fmpz_clear(spare);
	s->sizes[t] = 1;
}

/*
 * s->lo and s->hi become the payoffs of player i with each own action on the box, and for 'keep',
 * another player or -1, with the constant and the coefficient of each of that player's unknowns.
 */
static void contract(struct nash_system *s, int32_t i, int32_t keep)
{
	const struct nash_players *p = s->p;
	ulong down = 0;

	memcpy(s->sizes, s->k, (size_t)p->n * sizeof(*s->k));
	s->sizes[i] = p->m[i];
	_fmpz_vec_set(s->lo, s->a + i * s->cells, nash__product(s->sizes, 0, p->n));
	_fmpz_vec_set(s->hi, s->lo, nash__product(s->sizes, 0, p->n));
	/* the first one makes numbers over 2^bits of integers */
	for (int32_t t = p->n - 1; t >= 0; t--)
		if (t != i && t != keep) {
			put_unknowns(s, t, down);
			down = (ulong)s->bits;
		}
	for (int64_t k = 0; !down && k < nash__product(s->sizes, 0, p->n); k++) {
		fmpz_mul_2exp(s->lo + k, s->lo + k, (ulong)s->bits);
		fmpz_set(s->hi + k, s->lo + k);
	}
}

void nash__system_values(struct nash_system *s)
{
	const struct nash_players *p = s->p;

	for (int32_t i = 0; i < p->n; i++) {
		contract(s, i, -1);
		_fmpz_vec_set(s->f_lo + p->first[i], s->lo, p->m[i]);
		_fmpz_vec_set(s->f_hi + p->first[i], s->hi, p->m[i]);
	}
}

void nash__system_slopes(struct nash_system *s)
{
	const struct nash_players *p = s->p;

	_fmpz_vec_zero(s->j_lo, (slong)s->n * s->n);
	_fmpz_vec_zero(s->j_hi, (slong)s->n * s->n);
	for (int32_t i = 0; i < p->n; i++)
		for (int32_t j = 0; j < p->n; j++) {
			if (i == j || s->k[i] == 1 || s->k[j] == 1)
				continue;
			contract(s, i, j);
			for (int32_t l = 1; l < s->k[i]; l++)
				for (int32_t c = 1; c < s->k[j]; c++) {
					const int64_t a = s->action[p->first[i] + l];
					const int64_t from =
						i < j ? a * s->k[j] + c : (int64_t)c * p->m[i] + a;
					const int64_t to = (int64_t)(s->base[i] + l - 1) * s->n +
							   s->base[j] + c - 1;

					fmpz_set(s->j_lo + to, s->lo + from);
					fmpz_set(s->j_hi + to, s->hi + from);
				}
		}
}

/* ---- supports without isolated solutions --------------------------------------------------- */

/* How many of the equations of player i are independent, apart from constants. */
static slong independent(const struct nash_system *s, int32_t i)
{
	const struct nash_players *p = s->p;
	const int64_t inner = nash__product(s->k, i + 1, p->n), outer = nash__product(s->k, 0, i);
	fmpz_mat_t a;
	slong rank;

	fmpz_mat_init(a, s->k[i] - 1, inner * outer);
	for (int32_t l = 1; l < s->k[i]; l++)
		for (int64_t k = 1; k < inner * outer; k++)
			fmpz_set(fmpz_mat_entry(a, l - 1, k),
				s->a + i * s->cells +
					(k / inner * p->m[i] + s->action[p->first[i] + l]) * inner +
					k % inner);
	rank = fmpz_mat_rank(a);
	fmpz_mat_clear(a);
	return rank;
}

bool nash__can_be_regular(struct nash_work *w, const uint8_t *states)
{
	struct nash_system *s = w->system;
	const struct nash_players *p = w->p;

	for (int32_t k = 0; k < p->total; k++)
		s->x[k] = 0;
	nash__system_make(s, states, s->x);
	for (int32_t i = 0; i < p->n; i++)
		if (2 * (s->k[i] - 1) > s->n || independent(s, i) < s->k[i] - 1)
			return false;
	return true;
}
