/* dict.c - integer dictionaries: pivots without fractions, lexicographic ratio tests. See exact.h.
 */
#include <string.h>

#include "nash/exact.h"

int nash__dict_new(struct nash_dict *d, struct gpube_ctx *ctx, int rows, int cols)
{
	*d = (struct nash_dict){.ctx = ctx, .rows = rows, .cols = cols};
	d->n_store = gpube__mul_size(rows, (int64_t)cols + 1);
	if (nash__room(ctx, 0))
		return GPUBE_ENOMEM;
	d->basic = gpube__alloc(ctx, (uint64_t)rows, sizeof(*d->basic));
	d->nonbasic = gpube__alloc(ctx, (uint64_t)cols, sizeof(*d->nonbasic));
	d->d = gpube__alloc(ctx, (uint64_t)rows, sizeof(*d->d));
	d->store = gpube__alloc_zero(ctx, (uint64_t)d->n_store, sizeof(*d->store));
	fmpz_init_set_ui(d->den, 1);
	fmpz_init(d->old);
	fmpz_init(d->t);
	if (!d->basic || !d->nonbasic || !d->d || !d->store) {
		nash__dict_clear(d);
		return GPUBE_ENOMEM;
	}
	for (int r = 0; r < rows; r++)
		d->d[r] = d->store + (int64_t)r * (cols + 1);
	return GPUBE_OK;
}

void nash__dict_clear(struct nash_dict *d)
{
	for (int64_t k = 0; d->store && k < d->n_store; k++)
		fmpz_clear(d->store + k);
	GPUBE_FREE_ALL(d->ctx, d->store, d->d, d->basic, d->nonbasic);
	fmpz_clear(d->den);
	fmpz_clear(d->old);
	fmpz_clear(d->t);
	*d = (struct nash_dict){0};
}

int nash__dict_copy(struct nash_dict *d, const struct nash_dict *from)
{
	int status = nash__dict_new(d, from->ctx, from->rows, from->cols);

	if (status)
		return status;
	memcpy(d->basic, from->basic, (size_t)d->rows * sizeof(*d->basic));
	memcpy(d->nonbasic, from->nonbasic, (size_t)d->cols * sizeof(*d->nonbasic));
	for (int r = 0; r < d->rows; r++)
		_fmpz_vec_set(d->d[r], from->d[r], d->cols + 1);
	fmpz_set(d->den, from->den);
	return GPUBE_OK;
}

/* The last best response to the first action: the ties before it stay feasible. */
static int32_t best_response(const struct nash_side *s)
{
	int32_t best = 0;

	for (int32_t j = 1; j < s->l; j++)
		if (fmpz_cmp(s->c + (int64_t)j * s->k, s->c + (int64_t)best * s->k) >= 0)
			best = j;
	return best;
}

int nash__dict_init(struct nash_dict *d, struct gpube_ctx *ctx, const struct nash_side *s)
{
	int32_t k = s->k, best = best_response(s);
	const fmpz *b = s->c + (int64_t)best * k;
	int r = 1, status = nash__dict_new(d, ctx, s->l, k);

	if (status)
		return status;
	for (int32_t i = 1; i < k; i++)
		d->nonbasic[i - 1] = i;
	d->nonbasic[k - 1] = k + best;
	d->basic[0] = 0; /* x_0 = 1 - the others */
	fmpz_set_si(d->d[0], 1);
	for (int32_t i = 1; i < k; i++)
		fmpz_set_si(d->d[0] + i, -1);
	for (int32_t j = 0; j < s->l; j++) {
		const fmpz *c = s->c + (int64_t)j * k;

		if (j == best)
			continue;
		/* v - C_j x with v = C_best x + slack of best */
		d->basic[r] = k + j;
		fmpz_sub(d->d[r], b, c);
		for (int32_t i = 1; i < k; i++) {
			fmpz_sub(d->d[r] + i, b + i, c + i);
			fmpz_sub(d->d[r] + i, d->d[r] + i, d->d[r]);
		}
		fmpz_set_si(d->d[r] + k, 1);
		r++;
	}
	return GPUBE_OK;
}

int nash__dict_init_unit(struct nash_dict *d, struct gpube_ctx *ctx, const struct nash_side *s)
{
	int status = nash__dict_new(d, ctx, s->l, s->k);

	if (status)
		return status;
	for (int32_t i = 0; i < s->k; i++)
		d->nonbasic[i] = i;
	for (int32_t j = 0; j < s->l; j++) {
		d->basic[j] = s->k + j;
		fmpz_set_si(d->d[j], 1);
		for (int32_t i = 0; i < s->k; i++) {
			fmpz_add_ui(d->d[j] + i + 1, s->c + (int64_t)j * s->k + i, 1);
			fmpz_neg(d->d[j] + i + 1, d->d[j] + i + 1);
		}
	}
	return GPUBE_OK;
}

/* a = (a * p + b * c) / den, which leaves no remainder; most of the time in machine words. */
static inline void update(
	fmpz *a, const fmpz *p, const fmpz *b, const fmpz *c, const fmpz *den, fmpz *t)
{
	if (!COEFF_IS_MPZ(*a) && !COEFF_IS_MPZ(*p) && !COEFF_IS_MPZ(*b) && !COEFF_IS_MPZ(*c) &&
		!COEFF_IS_MPZ(*den)) {
		/* each product is below 2^124 */
		__int128 v = (__int128)*a * *p + (__int128)*b * *c;

		if (v >= INT64_MIN && v <= INT64_MAX) {
			fmpz_set_si(a, (int64_t)v / *den);
			return;
		}
		v /= *den;
		if (v >= COEFF_MIN && v <= COEFF_MAX) {
			*a = (fmpz)v;
			return;
		}
	}
	fmpz_mul(t, a, p);
	fmpz_addmul(t, b, c);
	fmpz_divexact(a, t, den);
}

void nash__dict_pivot(struct nash_dict *d, int row, int col)
{
	fmpz *pivot = d->d[row], *p = d->t;
	int cols = d->cols, s = col + 1;
	bool negative = fmpz_sgn(pivot + s) < 0;
	int32_t var = d->basic[row];
	fmpz_t t;

	fmpz_init(t);
	fmpz_swap(d->old, d->den);
	fmpz_abs(p, pivot + s);
	/* the row, solved for the variable that enters */
	if (negative) {
		fmpz_neg(pivot + s, d->old);
	} else {
		_fmpz_vec_neg(pivot, pivot, cols + 1);
		fmpz_set(pivot + s, d->old);
	}
	for (int r = 0; r < d->rows; r++) {
		fmpz *a = d->d[r];
		fmpz f;

		if (r == row)
			continue;
		/* f: this row's share of the variable that enters, taken out of the row */
		f = a[s];
		a[s] = 0;
		if (f == 0) {
			if (!fmpz_equal(p, d->old))
				for (int k = 0; k <= cols; k++)
					if (a[k]) {
						fmpz_mul(a + k, a + k, p);
						fmpz_divexact(a + k, a + k, d->old);
					}
			continue;
		}
		for (int k = 0; k <= cols; k++)
			if (k != s && (a[k] || pivot[k]))
				update(a + k, p, &f, pivot + k, d->old, t);
		/* of the one that leaves: f * old / old */
		if (negative)
			fmpz_neg(a + s, &f);
		else
			fmpz_set(a + s, &f);
		fmpz_clear(&f);
	}
	fmpz_swap(d->den, p);
	fmpz_clear(t);
	d->basic[row] = d->nonbasic[col];
	d->nonbasic[col] = var;
}

/* ---- faces: variables become zero one after the other ------------------------------- */

int nash__dict_row(const struct nash_dict *d, int32_t var)
{
	for (int r = 0; r < d->rows; r++)
		if (d->basic[r] == var)
			return r;
	return -1;
}

/*
 * Each variable t may be as small as -e_t, with e_t of the variable ranked first
 * far above the next. Row r is then worth (d[r][0] + den e_basic - sum d[r][c] e_c)
 * / den: the coefficient of e_t in it, times den, is put into 'out'.
 */
static void perturbation(
	const struct nash_lex *lex, const struct nash_dict *d, int row, int32_t t, fmpz_t out)
{
	int32_t at = lex->where[t];

	if (at >= 0) {
		if (at == row)
			fmpz_set(out, d->den);
		else
			fmpz_zero(out);
	} else {
		fmpz_neg(out, d->d[row] - at);
	}
}

/*
 * Sign of the ratio of row a minus that of row b, whose steps are negative and in the column that
 * enters; lex: where they are equal, of the perturbed rows, which never are; or NULL.
 */
static int compare(const struct nash_lex *lex, const struct nash_dict *d, int a, int b, int s)
{
	const fmpz *step_a = d->d[a] + s, *step_b = d->d[b] + s;
	fmpz_t u, v, x;
	int sign;

	fmpz_init(u);
	fmpz_init(v);
	fmpz_init(x);
	/* both steps are negative: multiplying by them turns the order twice */
	fmpz_mul(u, d->d[a], step_b);
	fmpz_mul(v, d->d[b], step_a);
	sign = fmpz_cmp(v, u);
	for (int k = 0; lex && k < lex->n && sign == 0; k++) {
		perturbation(lex, d, a, lex->rank[k], x);
		fmpz_mul(u, x, step_b);
		perturbation(lex, d, b, lex->rank[k], x);
		fmpz_mul(v, x, step_a);
		sign = fmpz_cmp(v, u);
	}
	fmpz_clear(u);
	fmpz_clear(v);
	fmpz_clear(x);
	return sign;
}

/* Bland: the first variable of those that make the row smaller; -1: none. */
static int entering(const struct nash_dict *d, const unsigned char *fixed, int row, int sign)
{
	int best = -1;

	for (int c = 0; c < d->cols; c++)
		if (!fixed[d->nonbasic[c]] && fmpz_sgn(d->d[row] + c + 1) == sign &&
			(best < 0 || d->nonbasic[c] < d->nonbasic[best]))
			best = c;
	return best;
}

static int leaving(const struct nash_dict *d, int row, int col)
{
	int best = row;

	for (int r = 0; r < d->rows; r++) {
		int sign;

		if (r == best || fmpz_sgn(d->d[r] + col + 1) >= 0)
			continue;
		sign = compare(NULL, d, r, best, col + 1);
		if (sign < 0 || (sign == 0 && best != row && d->basic[r] < d->basic[best]))
			best = r;
	}
	return best;
}

/* Takes a variable to its least value on the face where fixed[] variables are zero. */
static int lower(struct nash_dict *d, const unsigned char *fixed, int32_t var)
{
	int r, c;

	while ((r = nash__dict_row(d, var)) >= 0 && (c = entering(d, fixed, r, -1)) >= 0) {
		if (nash__room(d->ctx, 0))
			return GPUBE_ENOMEM;
		nash__dict_pivot(d, leaving(d, r, c), c);
	}
	return GPUBE_OK;
}

int nash__dict_fix(struct nash_dict *d, const unsigned char *fixed, int32_t var, bool *empty)
{
	int r, c, status = lower(d, fixed, var);

	if (status)
		return status;
	r = nash__dict_row(d, var);
	*empty = r >= 0 && !fmpz_is_zero(d->d[r]);
	if (r < 0 || *empty)
		return GPUBE_OK;
	c = entering(d, fixed, r, 1);
	if (c >= 0)
		nash__dict_pivot(d, r, c);
	return GPUBE_OK;
}

/*
 * Bland's rule: as long as it is zero, variables enter that make it larger. A column that nothing
 * stops is a ray along which the variable grows.
 */
int nash__dict_raise(struct nash_dict *d, const unsigned char *fixed, int32_t var, bool *positive)
{
	*positive = false;
	while (!*positive) {
		int r = nash__dict_row(d, var), c = 0, out;

		if (r >= 0 && !fmpz_is_zero(d->d[r])) {
			*positive = true;
			break;
		}
		if (r >= 0)
			c = entering(d, fixed, r, 1);
		else
			while (d->nonbasic[c] != var)
				c++;
		if (c < 0)
			return GPUBE_OK;
		out = nash__lex_ratio(NULL, d, c);
		*positive = out < 0;
		if (out < 0)
			return GPUBE_OK;
		if (nash__room(d->ctx, 0))
			return GPUBE_ENOMEM;
		nash__dict_pivot(d, out, c);
	}
	return GPUBE_OK;
}

/* ---- the lexicographic order -------------------------------------------------- */

int nash__lex_init(
	struct nash_lex *lex, struct gpube_ctx *ctx, const struct nash_dict *d, int n_vars)
{
	int n = 0;

	lex->n = d->rows + d->cols;
	lex->rank = gpube__alloc(ctx, (uint64_t)lex->n, sizeof(*lex->rank));
	lex->where = gpube__alloc_zero(ctx, (uint64_t)n_vars, sizeof(*lex->where));
	if (!lex->rank || !lex->where) {
		nash__lex_clear(lex, ctx);
		return GPUBE_ENOMEM;
	}
	/* basic variables first: then this basis is feasible however many of them are 0 */
	for (int r = 0; r < d->rows; r++) {
		lex->rank[n++] = d->basic[r];
		lex->where[d->basic[r]] = r;
	}
	for (int c = 0; c < d->cols; c++) {
		lex->rank[n++] = d->nonbasic[c];
		lex->where[d->nonbasic[c]] = -1 - c;
	}
	return GPUBE_OK;
}

void nash__lex_clear(struct nash_lex *lex, struct gpube_ctx *ctx)
{
	gpube__free(ctx, lex->rank);
	gpube__free(ctx, lex->where);
	*lex = (struct nash_lex){0};
}

void nash__lex_pivot(struct nash_lex *lex, const struct nash_dict *d, int row, int col)
{
	lex->where[d->basic[row]] = row;
	lex->where[d->nonbasic[col]] = -1 - col;
}

int nash__lex_ratio(const struct nash_lex *lex, struct nash_dict *d, int col)
{
	int best = -1;

	for (int r = 0; r < d->rows; r++) {
		int sign;

		if (fmpz_sgn(d->d[r] + col + 1) >= 0)
			continue;
		sign = best < 0 ? -1 : compare(lex, d, r, best, col + 1);
		if (sign < 0 || (sign == 0 && d->basic[r] < d->basic[best]))
			best = r;
	}
	return best;
}
