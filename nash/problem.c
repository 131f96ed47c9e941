/* problem.c - payoffs as integers, strictly dominated actions taken out. See exact.h. */
#include <math.h>
#include <string.h>

#include "nash/exact.h"

void nash__fraction(fmpq_t to, const struct gpube_rational *v)
{
	if (v->text) {
		fmpq_set_str(to, v->text, 10);
		fmpq_canonicalise(to);
	} else {
		fmpq_set_si(to, v->num, (ulong)v->den);
	}
}

/* Numbers that stand each for itself, over their least common denominator. */
static bool bring_over_one(
	struct gpube_ctx *ctx, fmpz *pay, fmpz_t lcm, const struct gpube_table *t)
{
	const struct gpube_rational *v = t->values;
	bool ok = true;
	fmpq_t x;

	fmpq_init(x);
	for (int64_t k = 0; k < t->n && ok; k++) {
		ok = !nash__room(ctx, 0);
		nash__fraction(x, &v[k]);
		fmpz_lcm(lcm, lcm, fmpq_denref(x));
	}
	for (int64_t k = 0; k < t->n && ok; k++) {
		ok = !nash__room(ctx, 0);
		nash__fraction(x, &v[k]);
		fmpz_mul(pay + k, fmpq_numref(x), lcm);
		fmpz_divexact(pay + k, pay + k, fmpq_denref(x));
	}
	fmpq_clear(x);
	return ok;
}

int nash__integers(struct gpube_ctx *ctx, fmpz *pay, fmpz_t lcm, const struct gpube_table *t)
{
	bool ok = true;

	fmpz_one(lcm);
	if (t->type == GPUBE_RATIONAL && !t->den)
		return bring_over_one(ctx, pay, lcm, t) ? GPUBE_OK : GPUBE_ENOMEM;
	if (t->type == GPUBE_RATIONAL)
		fmpz_set_si(lcm, t->den);
	for (int64_t k = 0; k < t->n && ok; k++) {
		ok = !nash__room(ctx, 0);
		fmpz_set_si(pay + k, gpube__table_int(t, k));
	}
	return ok ? GPUBE_OK : GPUBE_ENOMEM;
}

/* ---- dominance -------------------------------------------------------------------- */

/* What is left of the actions of both players while they are removed. */
struct left {
	const fmpz *pay[2];
	int64_t n; /* columns of the matrices as read */
	int32_t *map[2];
	int32_t count[2];
};

/* Whether action a of a player is strictly better than b whatever the other does. */
static bool dominates(const struct left *l, int p, int32_t a, int32_t b)
{
	for (int32_t k = 0; k < l->count[1 - p]; k++) {
		int64_t o = l->map[1 - p][k];
		const fmpz *u = l->pay[p] + (p ? o * l->n + a : a * l->n + o);
		const fmpz *v = l->pay[p] + (p ? o * l->n + b : b * l->n + o);

		if (fmpz_cmp(u, v) <= 0)
			return false;
	}
	return true;
}

/*
 * Only strict dominance may be used: an action that is never a best response is
 * in no equilibrium, but one that is weakly dominated may be. After a stop the rest stays.
 */
static bool remove_dominated(struct gpube_ctx *ctx, struct left *l, int p)
{
	bool any = false;

	for (int32_t b = 0; b < l->count[p] && !gpube__stopped(ctx); b++) {
		bool dominated = false;

		for (int32_t a = 0; a < l->count[p] && !dominated; a++)
			dominated = a != b && dominates(l, p, l->map[p][a], l->map[p][b]);
		if (!dominated)
			continue;
		any = true;
		l->count[p]--;
		memmove(l->map[p] + b, l->map[p] + b + 1,
			(size_t)(l->count[p] - b) * sizeof(*l->map[p]));
		b--;
	}
	return any;
}

/* ---- sides -------------------------------------------------------------------------- */

/* Smallest entries become 0 for each own action. */
static void shift(struct nash_side *s)
{
	fmpz_t least;

	fmpz_init(least);
	for (int32_t i = 0; i < s->k; i++) {
		fmpz_set(least, s->c + i);
		for (int32_t j = 1; j < s->l; j++)
			if (fmpz_cmp(s->c + (int64_t)j * s->k + i, least) < 0)
				fmpz_set(least, s->c + (int64_t)j * s->k + i);
		for (int32_t j = 0; j < s->l; j++)
			fmpz_sub(s->c + (int64_t)j * s->k + i, s->c + (int64_t)j * s->k + i, least);
	}
	fmpz_clear(least);
}

/* Common divisor, and bits of the largest entry, of what an own action gives; 1 and 0 if nothing.
 */
static void measure(const struct nash_side *s, int32_t i, fmpz_t divisor, flint_bitcnt_t *bits)
{
	fmpz_zero(divisor);
	*bits = 0;
	for (int32_t j = 0; j < s->l; j++) {
		const fmpz *c = s->c + (int64_t)j * s->k + i;
		const flint_bitcnt_t b = fmpz_bits(c);

		fmpz_gcd(divisor, divisor, c);
		*bits = b > *bits ? b : *bits;
	}
	if (fmpz_is_zero(divisor))
		fmpz_one(divisor);
	*bits -= fmpz_bits(divisor) - 1 < *bits ? fmpz_bits(divisor) - 1 : *bits;
}

/* Actions may differ so much, in bits, before they are brought together. */
enum { BITS_APART = 6 };

/*
 * What an own action gives may be multiplied by anything positive: then its probability is divided
 * by that, and all are divided by their new sum. So each is divided by its own common divisor, and
 * those far below the largest are multiplied by powers of two. Without it doubles cannot decide
 * games whose actions differ by many powers of ten, and integers are longer than they need be.
 */
static int bring_together(struct nash_problem *p, struct nash_side *s)
{
	flint_bitcnt_t most = 0, bits;
	fmpz *divisors;
	fmpz_t lcm;

	s->weight = gpube__alloc_zero(p->ctx, (uint64_t)s->k, sizeof(*s->weight));
	if (!s->weight || nash__room(p->ctx, (uint64_t)s->k * sizeof(*divisors)))
		return GPUBE_ENOMEM;
	divisors = _fmpz_vec_init(s->k);
	fmpz_init_set_ui(lcm, 1);
	for (int32_t i = 0; i < s->k; i++) {
		measure(s, i, divisors + i, &bits);
		fmpz_lcm(lcm, lcm, divisors + i);
		most = bits > most ? bits : most;
	}
	for (int32_t i = 0; i < s->k; i++) {
		flint_bitcnt_t up = 0;

		measure(s, i, divisors + i, &bits);
		if (bits && most - bits > BITS_APART)
			up = most - bits;
		fmpz_divexact(s->weight + i, lcm, divisors + i);
		fmpz_mul_2exp(s->weight + i, s->weight + i, up);
		for (int32_t j = 0; j < s->l; j++) {
			fmpz *c = s->c + (int64_t)j * s->k + i;

			fmpz_divexact(c, c, divisors + i);
			fmpz_mul_2exp(c, c, up);
		}
	}
	fmpz_clear(lcm);
	_fmpz_vec_clear(divisors, s->k);
	return GPUBE_OK;
}

/* Nearest doubles of entry / largest entry: also where both are past the range of doubles. */
static void scale(struct nash_side *s)
{
	int64_t cells = (int64_t)s->k * s->l;
	const fmpz *most = s->c;
	slong e, f;
	double top;

	for (int64_t k = 1; k < cells; k++)
		if (fmpz_cmp(s->c + k, most) > 0)
			most = s->c + k;
	top = fmpz_get_d_2exp(&e, most);
	for (int64_t k = 0; k < cells; k++) {
		double d = fmpz_get_d_2exp(&f, s->c + k);

		s->f[k] =
			fmpz_is_zero(s->c + k) || f - e < -1000 ? 0 : ldexp(d / top, (int)(f - e));
	}
}

static int make_side(struct nash_problem *p, int flip, bool as_read)
{
	struct nash_side *s = &p->side[flip];
	int64_t cells = (int64_t)p->m * p->n;
	int status = GPUBE_OK;

	s->flip = flip;
	s->k = flip ? p->n : p->m;
	s->l = flip ? p->m : p->n;
	s->c = gpube__alloc_zero(p->ctx, (uint64_t)cells, sizeof(*s->c));
	s->f = gpube__alloc(p->ctx, (uint64_t)cells, sizeof(*s->f));
	if (!s->c || !s->f)
		return GPUBE_ENOMEM;
	for (int64_t j = 0; j < s->l; j++)
		for (int64_t i = 0; i < s->k; i++)
			fmpz_set(s->c + j * s->k + i,
				p->pay[1 - flip] + (flip ? j * p->n + i : i * p->n + j));
	shift(s);
	status = nash__room(p->ctx, 0);
	if (!status && !as_read)
		status = bring_together(p, s);
	if (!status)
		scale(s);
	return status;
}

/* Keeps the cells of the actions that are left. */
static void shrink(struct nash_problem *p, int64_t columns)
{
	for (int q = 0; q < 2; q++)
		for (int64_t i = 0; i < p->m; i++)
			for (int64_t j = 0; j < p->n; j++)
				fmpz_swap(p->pay[q] + i * p->n + j,
					p->pay[q] + p->map[0][i] * columns + p->map[1][j]);
}

int nash__problem_init(struct nash_problem *p, const struct gpube_model *g, bool keep, bool as_read)
{
	const int32_t m = g->vars[0].domain, n = g->vars[1].domain;
	int64_t cells = (int64_t)m * n;
	struct left left = {.n = n, .count = {m, n}};
	int status = GPUBE_OK;

	*p = (struct nash_problem){.ctx = g->ctx, .game = g};
	/* FLINT keeps memory for each thread that works on it */
	g->ctx->thread_end = flint_cleanup;
	for (int q = 0; q < 2 && !status; q++) {
		p->map[q] = gpube__alloc(g->ctx, (uint64_t)left.count[q], sizeof(*p->map[q]));
		p->pay[q] = gpube__alloc_zero(g->ctx, (uint64_t)cells, sizeof(*p->pay[q]));
		if (!p->map[q] || !p->pay[q])
			status = GPUBE_ENOMEM;
		else
			status = nash__integers(g->ctx, p->pay[q], &p->den[q], gpube__table(g, q));
		for (int32_t k = 0; !status && k < left.count[q]; k++)
			p->map[q][k] = k;
		left.pay[q] = p->pay[q];
		left.map[q] = p->map[q];
	}
	if (!status && !keep && !as_read)
		while ((int)remove_dominated(g->ctx, &left, 0) +
				(int)remove_dominated(g->ctx, &left, 1) >
			0)
			;
	if (!status) {
		p->m = left.count[0];
		p->n = left.count[1];
		p->removed[0] = m - p->m;
		p->removed[1] = n - p->n;
		p->words = (int)(((int64_t)p->m + p->n + 63) / 64);
		shrink(p, n);
		status = make_side(p, 0, as_read);
	}
	if (!status)
		status = make_side(p, 1, as_read);
	if (status)
		nash__problem_clear(p);
	return status;
}

void nash__problem_clear(struct nash_problem *p)
{
	int64_t cells = p->game ? gpube__profiles(p->game) : 0;

	for (int q = 0; q < 2; q++) {
		for (int64_t k = 0; p->pay[q] && k < cells; k++)
			fmpz_clear(p->pay[q] + k);
		for (int64_t k = 0; p->side[q].c && k < (int64_t)p->m * p->n; k++)
			fmpz_clear(p->side[q].c + k);
		gpube__free(p->ctx, p->pay[q]);
		gpube__free(p->ctx, p->map[q]);
		for (int32_t k = 0; p->side[q].weight && k < p->side[q].k; k++)
			fmpz_clear(p->side[q].weight + k);
		GPUBE_FREE_ALL(p->ctx, p->side[q].weight, p->side[q].c, p->side[q].f);
		fmpz_clear(&p->den[q]);
	}
	*p = (struct nash_problem){0};
}
