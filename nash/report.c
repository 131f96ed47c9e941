/* report.c - equilibria as text, after a last check against the game as read. See exact.h. */
#include <stdlib.h>
#include <string.h>

#include "nash/exact.h"

#define NO_EQUILIBRIUM "internal error: what was found is no equilibrium; please report this"

#define BATCH 64 /* strategies of a thread at a time: small games stay on one */

static int64_t batches(int64_t n)
{
	return (n + BATCH - 1) / BATCH;
}

/* A strategy of the game without dominated actions, in the actions of the whole game. */
static fmpz *lifted(const struct nash_problem *p, int side, int32_t all, const fmpz *coords)
{
	const struct nash_side *s = &p->side[side];
	fmpz *x = _fmpz_vec_init(all + 1);

	for (int32_t i = 0; i < s->k; i++)
		fmpz_mul(x + p->map[side][i], coords + i, s->weight + i);
	_fmpz_vec_sum(x + all, x, all);
	return x;
}

/* Equilibria that are checked together before somebody asks for the time. */
#define ROUND 1024

/*
 * The vertices of one side.
 * at     of each in the whole game's; -1: not checked yet
 * n, queue, masks, xs  those that are checked in this round, by the threads: their labels there,
 *        and the points; NULL: it is none
 */
struct lift {
	const struct nash_found *from;
	struct gpube__arrays arrays;
	struct nash_vertices *to;
	int side;
	int64_t *at, n, *queue;
	uint64_t *masks;
	fmpz **xs;
	int short_of_memory;
};

static void check(void *arg, int64_t batch, int thread)
{
	struct lift *l = arg;
	const struct nash_side *s = l->to->side;

	(void)thread;
	for (int64_t k = batch * BATCH; k < (batch + 1) * BATCH && k < l->n; k++) {
		const fmpz *coords = nash__coords(&l->from->v[l->side], l->queue[k]);
		fmpz *x = NULL;

		if (nash__room(l->from->p->ctx, 0))
			__atomic_store_n(&l->short_of_memory, 1, __ATOMIC_RELAXED);
		else
			x = lifted(l->from->p, l->side, s->k, coords);
		l->xs[k] = x;
		if (!x)
			continue;
		nash__lowest_terms(x, s->k);
		if (!nash__mask_of(s, l->masks + k * l->to->words, l->to->words, x)) {
			_fmpz_vec_clear(x, s->k + 1);
			l->xs[k] = NULL;
		}
	}
}

static int lift_init(struct lift *l, struct nash_found *whole, const struct nash_found *f, int side)
{
	const int64_t n = f->v[side].n;

	*l = (struct lift){.from = f, .to = &whole->v[side], .side = side, .arrays.ctx = f->p->ctx};
	l->at = gpube__array(&l->arrays, (uint64_t)n, sizeof(*l->at));
	l->queue = gpube__array(&l->arrays, ROUND, sizeof(*l->queue));
	l->xs = gpube__array(&l->arrays, ROUND, sizeof(*l->xs));
	l->masks = gpube__array(
		&l->arrays, (uint64_t)gpube__mul_size(ROUND, l->to->words), sizeof(*l->masks));
	for (int64_t k = 0; l->at && k < n; k++)
		l->at[k] = -1;
	return l->arrays.failed ? GPUBE_ENOMEM : GPUBE_OK;
}

/* Checks what the equilibria lo to hi have of a side, each vertex once. */
static int lift_round(struct lift *l, int64_t lo, int64_t hi)
{
	const struct nash_found *f = l->from;
	const int32_t all = l->to->side->k;
	int status = GPUBE_OK;

	l->n = 0;
	for (int64_t k = lo; k < hi; k++) {
		const int64_t v = l->side ? f->pairs[k].y : f->pairs[k].x;

		if (l->at[v] < 0) {
			l->at[v] = 0;
			l->queue[l->n++] = v;
		}
	}
	gpube__parallel(f->p->ctx, batches(l->n), check, l);
	status = l->short_of_memory ? GPUBE_ENOMEM : GPUBE_OK;
	for (int64_t k = 0; k < l->n; k++) {
		fmpz *x = l->xs[k];

		if (!x)
			status = status ? status : GPUBE_EBUG;
		else if (!status)
			status = nash__vertices_add(
				l->to, &l->at[l->queue[k]], l->masks + k * l->to->words, x);
		if (x)
			_fmpz_vec_clear(x, all + 1);
	}
	return status;
}

/* As many as there is time for, but one round at least: it may be all there are. */
static int lift_all(struct nash_found *whole, const struct nash_found *f)
{
	struct gpube_ctx *ctx = f->p->ctx;
	struct lift sides[2] = {{0}, {0}};
	int status = lift_init(&sides[0], whole, f, 0);

	if (!status)
		status = lift_init(&sides[1], whole, f, 1);
	for (int64_t lo = 0; lo < f->n && !status; lo += ROUND) {
		const int64_t hi = lo + ROUND < f->n ? lo + ROUND : f->n;

		if (lo > 0 && nash__impatient(f->p->patience))
			break;
		for (int q = 0; q < 2 && !status; q++)
			status = lift_round(&sides[q], lo, hi);
		for (int64_t k = lo; k < hi && !status; k++) {
			status = nash__found_add(
				whole, sides[0].at[f->pairs[k].x], sides[1].at[f->pairs[k].y]);
			if (!status && whole->n != k + 1)
				status = GPUBE_EBUG;
		}
	}
	for (int q = 0; q < 2; q++)
		gpube__arrays_clear(&sides[q].arrays);
	if (status == GPUBE_EBUG)
		gpube__fail(ctx, GPUBE_EBUG, NO_EQUILIBRIUM);
	return status;
}

/* ---- sorting -------------------------------------------------------------------- */

struct place {
	const struct nash_vertices *v;
	int64_t at;
};

/* Order of two strategies: the one that plays the first action more comes first. */
static int compare(const void *a, const void *b)
{
	const struct nash_vertices *v = ((const struct place *)a)->v;
	const fmpz *p = nash__coords(v, ((const struct place *)a)->at),
		   *q = nash__coords(v, ((const struct place *)b)->at);
	int32_t k = v->side->k;
	fmpz_t s, t;
	int sign = 0;

	fmpz_init(s);
	fmpz_init(t);
	for (int32_t i = 0; i < k && sign == 0; i++) {
		fmpz_mul(s, p + i, q + k);
		fmpz_mul(t, q + i, p + k);
		sign = fmpz_cmp(t, s);
	}
	fmpz_clear(s);
	fmpz_clear(t);
	return sign;
}

/* rank[v] of every vertex: its place in the order. */
static void rank_all(const struct nash_vertices *v, struct place *order, int64_t *rank)
{
	for (int64_t k = 0; k < v->n; k++)
		order[k] = (struct place){v, k};
	qsort(order, (size_t)v->n, sizeof(*order), compare);
	for (int64_t k = 0; k < v->n; k++)
		rank[order[k].at] = k;
}

static int compare_pairs(const void *a, const void *b)
{
	const struct gpube_nash_pair *p = a, *q = b;

	if (p->x != q->x)
		return p->x < q->x ? -1 : 1;
	return p->y < q->y ? -1 : p->y > q->y;
}

/* ---- text ----------------------------------------------------------------------- */

static size_t fraction_bytes(const fmpz *num, const fmpz *den)
{
	return fmpz_sizeinbase(num, 10) + fmpz_sizeinbase(den, 10) + 4;
}

/* Writes num / den in lowest terms; returns the end, past the 0. */
static char *put_fraction(char *to, const fmpz *num, const fmpz *den)
{
	fmpz_t g, a, b;

	fmpz_init(g);
	fmpz_init(a);
	fmpz_init(b);
	fmpz_gcd(g, num, den);
	fmpz_divexact(a, num, g);
	fmpz_divexact(b, den, g);
	fmpz_get_str(to, 10, a);
	to += strlen(to);
	if (!fmpz_is_one(b)) {
		*to++ = '/';
		fmpz_get_str(to, 10, b);
		to += strlen(to);
	}
	fmpz_clear(g);
	fmpz_clear(a);
	fmpz_clear(b);
	return to + 1;
}

/* What the opponent's best responses to a strategy are worth, over den(coords) * den(pay). */
static void best_value(fmpz_t best, const struct nash_problem *p, int side, const fmpz *coords)
{
	int32_t k = p->side[side].k, l = p->side[side].l;
	const fmpz *pay = p->pay[1 - side];
	fmpz_t v;

	fmpz_init(v);
	for (int32_t j = 0; j < l; j++) {
		fmpz_zero(v);
		for (int32_t i = 0; i < k; i++)
			fmpz_addmul(v, coords + i,
				pay + (side ? (int64_t)j * p->n + i : (int64_t)i * p->n + j));
		if (j == 0 || fmpz_cmp(v, best) > 0)
			fmpz_set(best, v);
	}
	fmpz_clear(v);
}

/* One block: the pointers, then the text they point to. */
static int write_strategy(
	struct gpube_nash_strategy *s, const struct nash_problem *p, int side, const fmpz *coords)
{
	int32_t k = p->side[side].k;
	size_t head = (size_t)k * sizeof(char *), bytes = head;
	fmpz_t best, den;
	char *block, *to;

	if (nash__room(p->ctx, 0))
		return GPUBE_ENOMEM;
	fmpz_init(best);
	fmpz_init(den);
	best_value(best, p, side, coords);
	fmpz_mul(den, coords + k, &p->den[1 - side]);
	for (int32_t i = 0; i < k; i++)
		bytes += fraction_bytes(coords + i, coords + k);
	bytes += fraction_bytes(best, den);
	block = gpube__alloc(p->ctx, bytes, 1);
	if (block) {
		const char **list = (const char **)(void *)block;

		to = block + head;
		for (int32_t i = 0; i < k; i++) {
			list[i] = to;
			to = put_fraction(to, coords + i, coords + k);
		}
		s->p = list;
		s->value = to;
		put_fraction(to, best, den);
	}
	fmpz_clear(best);
	fmpz_clear(den);
	return block ? GPUBE_OK : GPUBE_ENOMEM;
}

/* Strategies of one side to be written by the threads; those of a failure stay without text. */
struct texts {
	struct gpube_nash_strategy *out;
	const struct nash_problem *p;
	const struct nash_vertices *v;
	int side;
	const struct place *order;
	int status;
};

static void write_text(void *arg, int64_t batch, int thread)
{
	struct texts *t = arg;

	(void)thread;
	for (int64_t k = batch * BATCH; k < (batch + 1) * BATCH && k < t->v->n; k++) {
		int status = write_strategy(
			&t->out[k], t->p, t->side, nash__coords(t->v, t->order[k].at));

		if (status)
			__atomic_store_n(&t->status, status, __ATOMIC_RELAXED);
	}
}

static int write_side(struct gpube_nash_strategy **out, int64_t *n, const struct nash_problem *p,
	const struct nash_vertices *v, int side, const struct place *order)
{
	struct texts t = {.p = p, .v = v, .side = side, .order = order};

	t.out = *out = gpube__alloc_zero(p->ctx, (uint64_t)v->n, sizeof(**out));
	if (!*out)
		return GPUBE_ENOMEM;
	*n = v->n;
	gpube__parallel(p->ctx, batches(v->n), write_text, &t);
	return t.status;
}

static int write_all(struct gpube_nash_result *r, const struct nash_found *f)
{
	struct gpube__arrays arrays = {.ctx = f->p->ctx};
	struct place *order[2];
	int64_t *rank[2];
	int status;

	for (int q = 0; q < 2; q++) {
		order[q] = gpube__array(&arrays, (uint64_t)f->v[q].n, sizeof(*order[q]));
		rank[q] = gpube__array(&arrays, (uint64_t)f->v[q].n, sizeof(*rank[q]));
		if (!arrays.failed)
			rank_all(&f->v[q], order[q], rank[q]);
	}
	r->pairs = gpube__alloc(f->p->ctx, (uint64_t)f->n, sizeof(*r->pairs));
	status = arrays.failed || !r->pairs ? GPUBE_ENOMEM : GPUBE_OK;
	if (!status)
		status = write_side(&r->xs, &r->n_xs, f->p, &f->v[0], 0, order[0]);
	if (!status)
		status = write_side(&r->ys, &r->n_ys, f->p, &f->v[1], 1, order[1]);
	for (int64_t k = 0; k < f->n && !status; k++)
		r->pairs[k] =
			(struct gpube_nash_pair){rank[0][f->pairs[k].x], rank[1][f->pairs[k].y]};
	if (!status) {
		r->n_pairs = f->n;
		qsort(r->pairs, (size_t)f->n, sizeof(*r->pairs), compare_pairs);
	}
	gpube__arrays_clear(&arrays);
	return status;
}

/* ---- one by one ------------------------------------------------------------------- */

/* One of the two as text, and its labels in the whole game. */
static int write_checked(struct gpube_nash_strategy *s, uint64_t *mask, const struct nash_give *g,
	const struct nash_found *f, int side, int64_t at)
{
	const struct nash_problem *whole = &g->whole;
	const struct nash_side *all = &whole->side[side];
	fmpz *x = lifted(f->p, side, all->k, nash__coords(&f->v[side], at));
	int status = GPUBE_EBUG;

	if (nash__mask_of(all, mask, whole->words, x))
		status = write_strategy(s, whole, side, x);
	_fmpz_vec_clear(x, all->k + 1);
	return status;
}

int nash__hand_over(struct nash_give *g, const struct nash_found *f, int64_t x, int64_t y)
{
	const struct nash_problem *whole = &g->whole;
	struct gpube_ctx *ctx = f->p->ctx;
	uint64_t *mask = gpube__alloc(ctx, 2 * (uint64_t)whole->words, sizeof(*mask));
	struct gpube_nash_strategy s[2] = {{0}, {0}};
	int status = mask ? GPUBE_OK : GPUBE_ENOMEM;

	if (!status)
		status = write_checked(&s[0], mask, g, f, 0, x);
	if (!status)
		status = write_checked(&s[1], mask + whole->words, g, f, 1, y);
	if (!status && !nash__complete(whole, mask, mask + whole->words))
		status = GPUBE_EBUG;
	if (status == GPUBE_EBUG)
		gpube__fail(ctx, GPUBE_EBUG, NO_EQUILIBRIUM);
	if (!status) {
		pthread_mutex_lock(&g->lock);
		status = g->fn(g->arg, &s[0], &s[1]);
		g->n += !status;
		pthread_mutex_unlock(&g->lock);
	}
	for (int q = 0; q < 2; q++)
		nash__strategy_clear(&s[q], ctx);
	gpube__free(ctx, mask);
	return status;
}

int nash__report(struct gpube_nash_result *r, const struct nash_found *f)
{
	struct nash_problem whole;
	struct nash_found all = {0};
	int status = nash__problem_init(&whole, f->p->game, true, true);

	if (status)
		return status;
	nash__found_init(&all, &whole);
	status = lift_all(&all, f);
	r->n_unchecked = f->n - all.n;
	if (!status)
		status = write_all(r, &all);
	nash__found_clear(&all);
	nash__problem_clear(&whole);
	return status;
}
