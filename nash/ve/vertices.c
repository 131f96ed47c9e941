/* vertices.c - sets of vertices, and points checked against their side. See exact.h. */
#include <string.h>

#include "nash/exact.h"

void nash__vertices_init(struct nash_vertices *v, const struct nash_problem *p, int side)
{
	*v = (struct nash_vertices){.ctx = p->ctx, .side = &p->side[side], .words = p->words};
}

void nash__vertices_clear(struct nash_vertices *v)
{
	for (int64_t k = 0; k < v->n * (v->side->k + 1); k++)
		fmpz_clear(v->coords + k);
	GPUBE_FREE_ALL(v->ctx, v->coords, v->masks, v->index.slot);
	v->n = 0;
}

void nash__lowest_terms(fmpz *coords, int32_t k)
{
	fmpz_t g;

	fmpz_init(g);
	_fmpz_vec_content(g, coords, k + 1);
	if (!fmpz_is_one(g))
		_fmpz_vec_scalar_divexact_fmpz(coords, coords, k + 1, g);
	fmpz_clear(g);
}

int nash__vertices_add(struct nash_vertices *v, int64_t *at, const uint64_t *mask, fmpz *coords)
{
	const int32_t width = v->side->k + 1;
	int64_t k;
	int status;

	if (nash__room(v->ctx, 0))
		return GPUBE_ENOMEM;
	k = gpube__masks_find(&v->index, v->masks, v->words, mask);
	if (k < 0) {
		if (gpube__grow(v->ctx, &v->masks, &v->capacity_masks, (v->n + 1) * v->words,
			    sizeof(*v->masks)) ||
			gpube__grow(v->ctx, &v->coords, &v->capacity_coords, (v->n + 1) * width,
				sizeof(*v->coords)))
			return GPUBE_ENOMEM;
		memcpy(v->masks + v->n * v->words, mask, (size_t)v->words * sizeof(*mask));
		status = gpube__masks_add(&v->index, v->ctx, v->masks, v->words, v->n);
		if (status)
			return status;
		nash__lowest_terms(coords, v->side->k);
		for (int32_t i = 0; i < width; i++) {
			v->coords[v->n * width + i] = coords[i];
			coords[i] = 0;
		}
		k = v->n++;
	}
	if (at)
		*at = k;
	return GPUBE_OK;
}

/* ---- points ------------------------------------------------------------------- */

bool nash__mask_of(const struct nash_side *s, uint64_t *mask, int words, const fmpz *coords)
{
	const fmpz *den = coords + s->k;
	fmpz_t sum, best;
	fmpz *worth;
	bool inside = fmpz_sgn(den) > 0;

	memset(mask, 0, (size_t)words * sizeof(*mask));
	fmpz_init(sum);
	for (int32_t i = 0; i < s->k && inside; i++) {
		inside = fmpz_sgn(coords + i) >= 0;
		fmpz_add(sum, sum, coords + i);
		if (fmpz_is_zero(coords + i))
			gpube__bit_put(mask, nash__label(s, i));
	}
	inside = inside && fmpz_equal(sum, den);
	fmpz_clear(sum);
	if (!inside)
		return false;
	/* v is the least there can be, so the best responses have no slack */
	worth = _fmpz_vec_init(s->l);
	fmpz_init(best);
	for (int32_t j = 0; j < s->l; j++) {
		_fmpz_vec_dot(worth + j, s->c + (int64_t)j * s->k, coords, s->k);
		if (j == 0 || fmpz_cmp(worth + j, best) > 0)
			fmpz_set(best, worth + j);
	}
	for (int32_t j = 0; j < s->l; j++)
		if (fmpz_equal(worth + j, best))
			gpube__bit_put(mask, nash__label(s, s->k + j));
	_fmpz_vec_clear(worth, s->l);
	fmpz_clear(best);
	return true;
}

/* Solves for the probabilities that are not zero, and v. */
static bool solve(const struct nash_side *s, const int32_t *zero, fmpz *coords, int32_t *played)
{
	int32_t n = 0, row = 1;
	fmpz_mat_t a, b, x;
	fmpz_t den;
	bool ok;

	for (int32_t i = 0; i < s->k; i++)
		played[i] = 1;
	for (int32_t i = 0; i < s->k; i++)
		if (zero[i] < s->k)
			played[zero[i]] = 0;
	for (int32_t i = 0; i < s->k; i++)
		if (played[i])
			played[n++] = i;
	if (n == 0)
		return false;
	fmpz_mat_init(a, n + 1, n + 1);
	fmpz_mat_init(b, n + 1, 1);
	fmpz_mat_init(x, n + 1, 1);
	fmpz_init(den);
	for (int32_t i = 0; i < n; i++)
		fmpz_one(fmpz_mat_entry(a, 0, i));
	fmpz_one(fmpz_mat_entry(b, 0, 0));
	for (int32_t z = 0; z < s->k; z++) {
		const fmpz *c;

		if (zero[z] < s->k)
			continue;
		c = s->c + (int64_t)(zero[z] - s->k) * s->k;
		for (int32_t i = 0; i < n; i++)
			fmpz_set(fmpz_mat_entry(a, row, i), c + played[i]);
		fmpz_set_si(fmpz_mat_entry(a, row, n), -1);
		row++;
	}
	ok = row == n + 1 && fmpz_mat_solve(x, den, a, b);
	if (ok) {
		bool turn = fmpz_sgn(den) < 0;

		for (int32_t i = 0; i < n; i++) {
			fmpz_swap(coords + played[i], fmpz_mat_entry(x, i, 0));
			if (turn)
				fmpz_neg(coords + played[i], coords + played[i]);
		}
		fmpz_abs(coords + s->k, den);
	}
	fmpz_mat_clear(a);
	fmpz_mat_clear(b);
	fmpz_mat_clear(x);
	fmpz_clear(den);
	return ok;
}

/*
 * What a system of k + 1 equations takes, by and large: some matrices of words, and some of
 * integers as long as their determinant may be.
 */
static uint64_t solve_bytes(const struct nash_side *s)
{
	const uint64_t n = (uint64_t)s->k + 1;

	return 16 * n * n * sizeof(mp_limb_t) + 8 * n * n * sizeof(mp_limb_t);
}

int nash__point(struct nash_vertices *v, int64_t *at, int *found, const int32_t *zero)
{
	const struct nash_side *s = v->side;
	int32_t *played = gpube__alloc(v->ctx, (uint64_t)s->k, sizeof(*played));
	uint64_t *mask = gpube__alloc(v->ctx, (uint64_t)v->words, sizeof(*mask));
	fmpz *coords = NULL;
	int status = played && mask ? nash__room(v->ctx, solve_bytes(s)) : GPUBE_ENOMEM;

	*found = 0;
	if (!status) {
		coords = _fmpz_vec_init(s->k + 1);
		if (!solve(s, zero, coords, played))
			*found = -1;
		else
			*found = nash__mask_of(s, mask, v->words, coords);
		/* the opponent's best responses are to be those that were asked for, or more */
		for (int32_t z = 0; z < s->k && *found == 1; z++)
			*found = gpube__bit(mask, nash__label(s, zero[z]));
		if (*found == 1)
			status = nash__vertices_add(v, at, mask, coords);
		_fmpz_vec_clear(coords, s->k + 1);
	}
	gpube__free(v->ctx, played);
	gpube__free(v->ctx, mask);
	return status;
}
