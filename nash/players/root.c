/* root.c - what an enclosed solution is: an equilibrium or none, in decimals and fractions. */
#include <flint/fmpz_mat.h>
#include <math.h>
#include <string.h>

#include "nash/exact.h"
#include "nash/players/system.h"

/* Bits with which a solution is decided first, and at most. */
enum { FIRST_BITS = 128, MOST_BITS = 1024 };

/* ---- exactly ------------------------------------------------------------------------------- */

/* Payoffs of all actions of player i under the probabilities x, in the integers of the game. */
static void payoffs_at(const struct nash_players *p, int32_t i, const fmpq *x, fmpq *values)
{
	const int64_t inner = nash__product(p->m, i + 1, p->n);
	fmpq_t product, term;

	fmpq_init(product);
	fmpq_init(term);
	for (int32_t a = 0; a < p->m[i]; a++)
		fmpq_zero(values + a);
	for (int64_t k = 0; k < p->profiles; k++) {
		const int32_t own = (int32_t)(k / inner % p->m[i]);
		int64_t rest = k;

		if (own != 0)
			continue;
		fmpq_one(product);
		for (int32_t j = p->n - 1; j >= 0 && !fmpq_is_zero(product); rest /= p->m[j--])
			if (j != i)
				fmpq_mul(product, product, x + p->first[j] + rest % p->m[j]);
		for (int32_t a = 0; a < p->m[i] && !fmpq_is_zero(product); a++) {
			fmpq_mul_fmpz(term, product, p->pay[i] + k + a * inner);
			fmpq_add(values + a, values + a, term);
		}
	}
	fmpq_clear(product);
	fmpq_clear(term);
}

/* The simplest fractions in the box, of all actions; false: one is too long to be the solution. */
static bool simplest(const struct nash_system *s, fmpq *x)
{
	const struct nash_players *p = s->p;
	fmpq_t lo, hi;
	bool ok = true;

	fmpq_init(lo);
	fmpq_init(hi);
	for (int32_t k = 0; k < p->total; k++)
		fmpq_zero(x + k);
	for (int32_t i = 0; i < p->n && ok; i++) {
		const int32_t *own = s->action + p->first[i];
		fmpq *last = x + p->first[i] + own[0];

		fmpq_one(last);
		for (int32_t l = 1; l < s->k[i] && ok; l++) {
			const int32_t u = s->base[i] + l - 1;
			fmpq *at = x + p->first[i] + own[l];

			fmpz_sub(fmpq_numref(lo), s->z + u, s->r + u);
			fmpz_add(fmpq_numref(hi), s->z + u, s->r + u);
			fmpz_set(fmpq_denref(lo), s->one);
			fmpz_set(fmpq_denref(hi), s->one);
			fmpq_canonicalise(lo);
			fmpq_canonicalise(hi);
			fmpq_simplest_between(at, lo, hi);
			ok = (slong)fmpz_bits(fmpq_denref(at)) < s->bits / 3;
			fmpq_sub(last, last, at);
		}
	}
	fmpq_clear(lo);
	fmpq_clear(hi);
	return ok;
}

/* What an exact solution is; its payoffs go behind its probabilities. */
static bool judge_exactly(
	struct nash_root *root, const struct nash_system *s, fmpq *x, fmpq *values)
{
	const struct nash_players *p = s->p;

	root->tie = false;
	root->verdict = NASH_IS_EQUILIBRIUM;
	for (int32_t i = 0; i < p->n; i++) {
		const int32_t first = p->first[i];
		const fmpq *own = values + s->action[first];

		payoffs_at(p, i, x, values);
		for (int32_t a = 0; a < p->m[i]; a++) {
			const int order = fmpq_cmp(values + a, own);

			if (root->states[first + a] == NASH_IN) {
				if (order != 0)
					return false; /* it is not the solution */
				if (fmpq_sgn(x + first + a) <= 0)
					root->verdict = NASH_IS_NONE;
			} else {
				root->tie = root->tie || order == 0;
				if (order > 0)
					root->verdict = NASH_IS_NONE;
			}
		}
		fmpq_div_fmpz(x + p->total + i, own, p->den + i);
	}
	return true;
}

/* Whether the solution is known as fractions: then it is judged. */
static bool try_exactly(struct nash_root *root, const struct nash_system *s)
{
	const slong n = s->p->total + s->p->n;
	fmpq *x = _fmpq_vec_init(n), *values = _fmpq_vec_init(s->p->total);
	const bool known = simplest(s, x) && judge_exactly(root, s, x, values);

	if (known)
		root->exact = x;
	else
		_fmpq_vec_clear(x, n);
	_fmpq_vec_clear(values, s->p->total);
	return known;
}

/* ---- by intervals -------------------------------------------------------------------------- */

/* The interval of the probability of a player's action number l. */
static void probability(const struct nash_system *s, int32_t i, int32_t l, fmpz *lo, fmpz *hi)
{
	if (l) {
		fmpz_set(lo, s->z_lo + s->base[i] + l - 1);
		fmpz_set(hi, s->z_hi + s->base[i] + l - 1);
		return;
	}
	fmpz_set(lo, s->one);
	fmpz_set(hi, s->one);
	for (int32_t u = s->base[i]; u < s->base[i + 1]; u++) {
		fmpz_sub(lo, lo, s->z_hi + u);
		fmpz_sub(hi, hi, s->z_lo + u);
	}
}

/* From the box and the values on it. */
static enum nash_verdict judge(const struct nash_system *s, const uint8_t *states)
{
	const struct nash_players *p = s->p;
	enum nash_verdict verdict = NASH_IS_EQUILIBRIUM;
	fmpz_t lo, hi;

	fmpz_init(lo);
	fmpz_init(hi);
	for (int32_t i = 0; i < p->n; i++) {
		for (int32_t l = 0; l < s->k[i] && verdict != NASH_IS_NONE; l++) {
			probability(s, i, l, lo, hi);
			if (fmpz_sgn(lo) <= 0)
				verdict = fmpz_sgn(hi) <= 0 ? NASH_IS_NONE : NASH_IS_OPEN;
		}
		for (int32_t a = p->first[i]; a < p->first[i] + p->m[i]; a++)
			if (states[a] != NASH_IN && verdict != NASH_IS_NONE &&
				fmpz_sgn(s->f_hi + a) >= 0)
				verdict = fmpz_sgn(s->f_lo + a) > 0 ? NASH_IS_NONE : NASH_IS_OPEN;
	}
	fmpz_clear(lo);
	fmpz_clear(hi);
	return verdict;
}

/* lo / den rounded down and hi / den rounded up, over 10^digits. */
static void decimals(
	fmpz *to_lo, fmpz *to_hi, const fmpz *lo, const fmpz *hi, const fmpz *den, const fmpz *ten)
{
	fmpz_mul(to_lo, lo, ten);
	fmpz_fdiv_q(to_lo, to_lo, den);
	fmpz_mul(to_hi, hi, ten);
	fmpz_cdiv_q(to_hi, to_hi, den);
}

static void write_decimals(struct nash_root *root, const struct nash_system *s, const fmpz *ten)
{
	const struct nash_players *p = s->p;
	fmpz_t lo, hi, den;

	fmpz_init(lo);
	fmpz_init(hi);
	fmpz_init(den);
	for (int32_t i = 0; i < p->n && !root->exact; i++) {
		const int32_t *own = s->action + p->first[i];

		for (int32_t l = 0; l < s->k[i]; l++) {
			const int32_t at = p->first[i] + own[l];

			probability(s, i, l, lo, hi);
			decimals(root->lo + at, root->hi + at, lo, hi, s->one, ten);
		}
		fmpz_mul_2exp(den, s->one, (ulong)s->shift[i]);
		fmpz_mul(den, den, p->den + i);
		decimals(root->lo + p->total + i, root->hi + p->total + i,
			s->f_lo + p->first[i] + own[0], s->f_hi + p->first[i] + own[0], den, ten);
	}
	for (int32_t k = 0; root->exact && k < p->total + p->n; k++)
		decimals(root->lo + k, root->hi + k, fmpq_numref(root->exact + k),
			fmpq_numref(root->exact + k), fmpq_denref(root->exact + k), ten);
	fmpz_clear(lo);
	fmpz_clear(hi);
	fmpz_clear(den);
}

/* Whether all radii are at most 10^-digits / 4. */
static bool is_narrow(const struct nash_system *s, const fmpz *ten)
{
	bool narrow = true;
	fmpz_t t;

	fmpz_init(t);
	for (int32_t u = 0; u < s->n && narrow; u++) {
		fmpz_mul(t, s->r + u, ten);
		fmpz_mul_2exp(t, t, 2);
		narrow = fmpz_cmp(t, s->one) <= 0;
	}
	fmpz_clear(t);
	return narrow;
}

/* The sign of the determinant of minus the slopes, which is that of minus their inverse. */
static int index_of(const struct nash_system *s)
{
	fmpz_mat_t c;
	fmpz_t det;
	int sign;

	fmpz_mat_init(c, s->n, s->n);
	fmpz_init(det);
	for (int32_t r = 0; r < s->n; r++)
		for (int32_t k = 0; k < s->n; k++)
			fmpz_neg(fmpz_mat_entry(c, r, k), s->c + (int64_t)r * s->n + k);
	fmpz_mat_det(det, c);
	sign = fmpz_sgn(det);
	fmpz_clear(det);
	fmpz_mat_clear(c);
	return sign;
}

/* ---- roots --------------------------------------------------------------------------------- */

/* Of the support of a system; ten: out, 10^digits */
static int root_init(struct nash_root *root, fmpz_t ten, const struct nash_system *s,
	const uint8_t *states, int digits)
{
	const struct nash_players *p = s->p;
	const uint64_t total = (uint64_t)p->total, n = total + (uint64_t)p->n;

	*root = (struct nash_root){.total = p->total, .played = s->n + p->n};
	root->lower = gpube__alloc(p->ctx, 1, total * (2 * sizeof(double) + 1));
	if (!root->lower)
		return GPUBE_ENOMEM;
	root->upper = root->lower + total;
	root->states = memcpy(root->upper + total, states, (size_t)total);
	root->lo = _fmpz_vec_init((slong)(2 * n));
	root->hi = root->lo + n;
	fmpz_init_set_ui(ten, 10);
	fmpz_pow_ui(ten, ten, (ulong)digits);
	return GPUBE_OK;
}

void nash__root_clear(struct nash_root *root, const struct nash_players *p)
{
	if (root->lo)
		_fmpz_vec_clear(root->lo, 2 * (p->total + p->n));
	if (root->exact)
		_fmpq_vec_clear(root->exact, p->total + p->n);
	gpube__free(p->ctx, root->lower);
	*root = (struct nash_root){0};
}

bool nash__root_covers(
	const struct nash_root *root, const struct nash_players *p, const struct nash_region *r)
{
	const double off = r->halved * 0x1p-53;

	if (memcmp(root->states, nash__states(p, r), (size_t)p->total) != 0)
		return false;
	for (int32_t i = 0; i < p->n; i++)
		for (int32_t k = 0; k < nash__sizes(p, r)[i]; k++)
			for (int32_t a = 0; a < p->m[i]; a++) {
				const double x = nash__vertex(p, r, i, k)[a];

				if (!(root->lower[p->first[i] + a] < x - off &&
					    x + off < root->upper[p->first[i] + a]))
					return false;
			}
	return true;
}

/*
 * A solution is far inside its box, against the width of 'lo' and 'hi', so that another one whose
 * decimals meet is in it, too, and the same.
 */
bool nash__root_same(
	const struct nash_root *a, const struct nash_root *b, const struct nash_players *p)
{
	if (memcmp(a->states, b->states, (size_t)p->total) != 0)
		return false;
	for (int32_t k = 0; k < p->total; k++)
		if (fmpz_cmp(a->lo + k, b->hi + k) > 0 || fmpz_cmp(b->lo + k, a->hi + k) > 0)
			return false;
	return true;
}

/* The box in which the solution is the only one; numbers of FIRST_BITS are doubles. */
static void keep_box(struct nash_root *root, const struct nash_system *s)
{
	const struct nash_players *p = s->p;

	for (int32_t k = 0; k < p->total; k++) {
		root->lower[k] = -INFINITY;
		root->upper[k] = INFINITY;
	}
	for (int32_t i = 0; i < p->n; i++)
		for (int32_t l = 1; l < s->k[i]; l++) {
			const int32_t u = s->base[i] + l - 1;
			const int32_t at = p->first[i] + s->action[p->first[i] + l];
			const double z = nash__system_number(s, s->z + u, 0);
			const double radius = nash__system_number(s, s->r + u, 0);

			root->lower[at] = z - radius;
			root->upper[at] = z + radius;
		}
}

static int root_take(
	struct nash_root *root, struct nash_system *s, const uint8_t *states, int digits)
{
	slong bits = FIRST_BITS + s->scale + (slong)digits * 10 / 3;
	bool known = false;
	int status;
	fmpz_t ten;

	status = root_init(root, ten, s, states, digits);
	if (status)
		return status;
	keep_box(root, s);
	root->index = index_of(s);
	for (const slong most = bits + MOST_BITS; !status; bits *= 2) {
		nash__system_refine(s, bits);
		root->verdict = judge(s, states);
		if (root->verdict != NASH_IS_NONE)
			known = try_exactly(root, s);
		status = nash__room(s->p->ctx, 0);
		if (known || (root->verdict != NASH_IS_OPEN && is_narrow(s, ten)) || bits > most)
			break;
	}
	if (!status)
		write_decimals(root, s, ten);
	fmpz_clear(ten);
	if (status)
		nash__root_clear(root, s->p);
	return status;
}

int nash__round(struct nash_root *root, bool *found, struct nash_work *w, const uint8_t *states,
	const double *x, double radius, int digits)
{
	struct nash_system *s = w->system;
	fmpz_t ten;
	int status;

	*found = false;
	nash__system_around(s, states, x, radius);
	status = root_init(root, ten, s, states, digits);
	if (status)
		return status;
	*found = try_exactly(root, s) && root->verdict == NASH_IS_EQUILIBRIUM;
	if (*found)
		write_decimals(root, s, ten);
	else
		nash__root_clear(root, s->p);
	fmpz_clear(ten);
	return nash__room(w->ctx, 0);
}

int nash__enclose(struct nash_root *root, enum nash_enclosure *what, struct nash_work *w,
	const struct nash_region *r, int digits)
{
	struct nash_system *s = w->system;
	const int64_t numbers = s->n_numbers - (s->p->n + 2) * s->cells; /* but payoffs */
	int status = nash__room(w->ctx, (uint64_t)numbers * 64);

	*what = NASH_NOT_YET;
	if (status)
		return status;
	*what = nash__system_find(s, r);
	gpube__work(w->ctx, 64 * (s->cells + (int64_t)s->n * s->n * s->n));
	status = nash__room(w->ctx, 0);
	if (!status && *what == NASH_ROOT)
		status = root_take(root, s, nash__states(w->p, r), digits);
	return status;
}
