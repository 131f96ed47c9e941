/*
 * se.c - support enumeration: for two supports of equal size, the strategies that
 * make the opponent indifferent on them. Complete for games that are not
 * degenerate. See exact.h. Source: Rampersaud, Mashayekhy, Grosu, IEEE TPDS 2014.
 */
#ifdef GPUBE_HAVE_FLINT
#include "nash/exact.h"

/* The next set of q out of n in lexicographic order; false after the last. */
static bool next_set(int32_t *set, int32_t q, int32_t n)
{
	int32_t i = q - 1;

	while (i >= 0 && set[i] == n - q + i)
		i--;
	if (i < 0)
		return false;
	set[i]++;
	for (int32_t k = i + 1; k < q; k++)
		set[k] = set[k - 1] + 1;
	return true;
}

static void first_set(int32_t *set, int32_t q)
{
	for (int32_t k = 0; k < q; k++)
		set[k] = k;
}

/* Variables that are zero: the actions not in 'own', and the slacks of 'other'. */
static void zeros(const struct nash_side *s, int32_t *zero, const int32_t *own,
	const int32_t *other, int32_t q)
{
	int32_t n = 0;

	for (int32_t i = 0, k = 0; i < s->k; i++) {
		if (k < q && own[k] == i)
			k++;
		else
			zero[n++] = i;
	}
	for (int32_t k = 0; k < q; k++)
		zero[n++] = s->k + other[k];
}

struct sets {
	int32_t *x, *y, *zero;
};

static int try_pair(struct nash_found *f, const struct sets *s, int32_t q)
{
	const struct nash_problem *p = f->p;
	int64_t x, y;
	int found, status;

	f->work++;
	zeros(&p->side[0], s->zero, s->x, s->y, q);
	status = nash__point(&f->v[0], &x, &found, s->zero);
	if (status || found != 1)
		return status;
	zeros(&p->side[1], s->zero, s->y, s->x, q);
	status = nash__point(&f->v[1], &y, &found, s->zero);
	if (status || found != 1)
		return status;
	return nash__found_add(f, x, y);
}

static int try_size(struct nash_found *f, const struct sets *s, int32_t q)
{
	const struct nash_problem *p = f->p;
	int status;

	first_set(s->x, q);
	do {
		first_set(s->y, q);
		do {
			if ((f->work & 255) == 0 && gpube__stopped(p->ctx))
				return gpube__fail_stopped(p->ctx);
			status = try_pair(f, s, q);
			if (status)
				return status;
		} while (next_set(s->y, q, p->n));
	} while (next_set(s->x, q, p->m));
	return GPUBE_OK;
}

int nash__support_enumeration(struct nash_found *f)
{
	const struct nash_problem *p = f->p;
	int32_t least = p->m < p->n ? p->m : p->n, most = p->m < p->n ? p->n : p->m;
	struct sets s = {
		.x = gpube__alloc(p->ctx, (uint64_t)p->m, sizeof(*s.x)),
		.y = gpube__alloc(p->ctx, (uint64_t)p->n, sizeof(*s.y)),
		.zero = gpube__alloc(p->ctx, (uint64_t)most, sizeof(*s.zero)),
	};
	int status = s.x && s.y && s.zero ? GPUBE_OK : GPUBE_ENOMEM;

	for (int32_t q = 1; q <= least && !status; q++)
		status = try_size(f, &s, q);
	gpube__free(p->ctx, s.x);
	gpube__free(p->ctx, s.y);
	gpube__free(p->ctx, s.zero);
	return status;
}
#else
typedef int nash_se_needs_flint;
#endif
