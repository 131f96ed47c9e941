/*
 * found.c - the equilibria found so far, pure ones, and the sum of their indices. See exact.h.
 *
 * Designs weighed for games of millions of equilibria. (1) A list, this: with the text of the
 * result about 2 KiB an equilibrium of 16 actions (measured); the order of the output, components
 * and the sum of indices need it. (2) Each is handed over as it is certified, and forgotten (struct
 * nash_give). In a degenerate game several leaves of the tree come to the same one, and no list
 * tells; but the path to a leaf does, see is_first() in eee/leaf.c.
 */
#include <math.h>
#include <string.h>

#include "nash/exact.h"

void nash__found_init(struct nash_found *f, const struct nash_problem *p)
{
	*f = (struct nash_found){.p = p};
	nash__vertices_init(&f->v[0], p, 0);
	nash__vertices_init(&f->v[1], p, 1);
}

void nash__found_clear(struct nash_found *f)
{
	if (!f->p)
		return;
	nash__vertices_clear(&f->v[0]);
	nash__vertices_clear(&f->v[1]);
	gpube__free(f->p->ctx, f->pairs);
	gpube__free(f->p->ctx, f->index.slot);
	*f = (struct nash_found){0};
}

bool nash__complete(const struct nash_problem *p, const uint64_t *a, const uint64_t *b)
{
	int32_t n = p->m + p->n;
	int w;

	for (w = 0; w < n / 64; w++)
		if (~(a[w] | b[w]))
			return false;
	return n % 64 == 0 || !(~(a[w] | b[w]) & (((uint64_t)1 << (n % 64)) - 1));
}

/*
 * Certifying and writing an equilibrium takes as long as this many checks of a point of its side
 * against all constraints, on one thread: 24 (22 actions) and 30 (16 actions) were measured, the
 * numbers in the actions of the game as read being longer.
 */
#define TIMES 30

/* Seconds for an equilibrium like that of vertex x. */
static int estimate(const struct nash_found *f, int64_t x, double *seconds)
{
	const struct nash_vertices *v = &f->v[0];
	struct gpube_ctx *ctx = f->p->ctx;
	uint64_t *mask = gpube__alloc(ctx, (uint64_t)v->words, sizeof(*mask));
	const double start = gpube__now();

	if (!mask)
		return GPUBE_ENOMEM;
	nash__mask_of(v->side, mask, v->words, nash__coords(v, x));
	*seconds = TIMES * (gpube__now() - start);
	gpube__free(ctx, mask);
	return GPUBE_OK;
}

/* Time for what was found is taken from the search. */
static int reserve(const struct nash_found *f, int64_t x)
{
	struct nash_patience *w = f->p->patience;
	const int64_t n = w && w->end > 0 ? __atomic_add_fetch(&w->found, 1, __ATOMIC_RELAXED) : 0;
	double each, deadline, until;

	/* now and then; the first 64 fit into any limit */
	if (n == 0 || n % 64)
		return GPUBE_OK;
	__atomic_load(&w->each, &each, __ATOMIC_RELAXED);
	/* at 64, 128, 256, …: an interruption is not to count for long */
	if ((n & (n - 1)) == 0) {
		double now;

		if (estimate(f, x, &now))
			return GPUBE_ENOMEM;
		each = each > 0 ? fmin(each, now) : now;
		__atomic_store(&w->each, &each, __ATOMIC_RELAXED);
	}
	deadline = w->end - (double)n * each;
	__atomic_load(&w->ctx->deadline, &until, __ATOMIC_RELAXED);
	if (deadline < until)
		__atomic_store(&w->ctx->deadline, &deadline, __ATOMIC_RELAXED);
	return GPUBE_OK;
}

static int add(struct nash_found *f, int64_t x, int64_t y, bool *is_new)
{
	const struct gpube_nash_pair pair = {x, y};
	int status;

	*is_new = false;
	if (!nash__complete(f->p, nash__mask(&f->v[0], x), nash__mask(&f->v[1], y)) ||
		gpube__masks_find(&f->index, (const void *)f->pairs, 2, (const void *)&pair) >= 0)
		return GPUBE_OK;
	if (f->max && f->n >= f->max)
		return GPUBE_ELIMIT;
	if (gpube__grow(f->p->ctx, &f->pairs, &f->capacity, f->n + 1, sizeof(*f->pairs)))
		return GPUBE_ENOMEM;
	f->pairs[f->n] = pair;
	status = gpube__masks_add(&f->index, f->p->ctx, (const void *)f->pairs, 2, f->n);
	*is_new = !status;
	f->n += !status;
	return status;
}

int nash__found_add(struct nash_found *f, int64_t x, int64_t y)
{
	bool is_new;
	int status = add(f, x, y, &is_new);

	return is_new ? reserve(f, x) : status;
}

bool nash__impatient(struct nash_patience *w)
{
	double until;

	if (!w)
		return false;
	__atomic_load(&w->until, &until, __ATOMIC_RELAXED);
	if (until <= 0) {
		if (!gpube__stopped(w->ctx))
			return false;
		/* half of what is left is for writing */
		until = gpube__now() + fmax(w->seconds, (w->end - gpube__now()) / 2);
		__atomic_store(&w->until, &until, __ATOMIC_RELAXED);
	}
	return gpube__now() >= until;
}

/* Exchanges what two searches of the same game have found. */
static void swap(struct nash_found *f, struct nash_found *g)
{
	const struct nash_found t = *f;

	*f = *g;
	*g = t;
	f->p = t.p;
	f->max = t.max;
	f->device = t.device;
	f->used = t.used;
	g->p = f->p;
	for (int q = 0; q < 2; q++) {
		f->v[q].side = g->v[q].side = &f->p->side[q];
		f->v[q].ctx = g->v[q].ctx = f->p->ctx;
	}
}

int nash__found_merge(struct nash_found *f, struct nash_found *from)
{
	fmpz *coords[2];
	int64_t work = f->work + from->work;
	bool is_new;
	int status = GPUBE_OK;

	/* the smaller one is copied */
	if (from->n > f->n)
		swap(f, from);
	for (int q = 0; q < 2; q++)
		coords[q] = _fmpz_vec_init(f->v[q].side->k + 1);
	for (int64_t k = 0; k < from->n && !status; k++) {
		int64_t old[2] = {from->pairs[k].x, from->pairs[k].y}, at[2] = {0, 0};

		if (k % 256 == 255 && nash__impatient(f->p->patience))
			status = gpube__fail_stopped(f->p->patience->ctx);

		for (int q = 0; q < 2 && !status; q++) {
			const struct nash_vertices *v = &from->v[q];

			_fmpz_vec_set(coords[q], nash__coords(v, old[q]), v->side->k + 1);
			status = nash__vertices_add(
				&f->v[q], &at[q], nash__mask(v, old[q]), coords[q]);
		}
		if (!status) /* its time is reserved */
			status = add(f, at[0], at[1], &is_new);
	}
	for (int q = 0; q < 2; q++)
		_fmpz_vec_clear(coords[q], f->v[q].side->k + 1);
	f->work = work;
	return status;
}

/* ---- pure equilibria --------------------------------------------------------------- */

/* Whether the slack of an opponent's action is 0 at a pure strategy. */
static bool is_best(const struct nash_side *s, int32_t own, int32_t other)
{
	const fmpz *c = s->c + own;

	for (int32_t j = 0; j < s->l; j++)
		if (fmpz_cmp(c + (int64_t)j * s->k, c + (int64_t)other * s->k) > 0)
			return false;
	return true;
}

static int add_pure(struct nash_vertices *v, int64_t *at, uint64_t *mask, int32_t action)
{
	fmpz *coords = _fmpz_vec_init(v->side->k + 1);
	int status;

	fmpz_one(coords + action);
	fmpz_one(coords + v->side->k);
	status = nash__mask_of(v->side, mask, v->words, coords) ? GPUBE_OK : GPUBE_EBUG;
	if (!status)
		status = nash__vertices_add(v, at, mask, coords);
	_fmpz_vec_clear(coords, v->side->k + 1);
	return status;
}

int nash__pure(struct nash_found *f)
{
	const struct nash_problem *p = f->p;
	uint64_t *mask = gpube__alloc(p->ctx, (uint64_t)p->words, sizeof(*mask));
	int status = mask ? GPUBE_OK : GPUBE_ENOMEM;

	for (int32_t i = 0; i < p->m && !status; i++) {
		if (gpube__stopped(p->ctx))
			status = gpube__fail_stopped(p->ctx);
		for (int32_t j = 0; j < p->n && !status; j++) {
			int64_t x, y;

			f->work++;
			if (!is_best(&p->side[0], i, j) || !is_best(&p->side[1], j, i))
				continue;
			status = add_pure(&f->v[0], &x, mask, i);
			if (!status)
				status = add_pure(&f->v[1], &y, mask, j);
			if (!status)
				status = nash__found_add(f, x, y);
		}
	}
	gpube__free(p->ctx, mask);
	return status;
}

/* ---- indices ------------------------------------------------------------------------ */

/* A determinant takes some matrices of words, and one of integers. */
static uint64_t determinant_bytes(const struct nash_problem *p)
{
	const uint64_t n = (uint64_t)(p->m < p->n ? p->m : p->n);

	return 8 * n * n * sizeof(mp_limb_t);
}

/* Sign of the determinant of a side's matrix, with 1 added, on two supports of equal size. */
static int sign_of(const struct nash_side *s, const int32_t *own, const int32_t *other, int32_t n)
{
	fmpz_mat_t a;
	fmpz_t det;
	int sign;

	fmpz_mat_init(a, n, n);
	fmpz_init(det);
	for (int32_t r = 0; r < n; r++)
		for (int32_t c = 0; c < n; c++)
			fmpz_add_ui(fmpz_mat_entry(a, r, c),
				s->c + (int64_t)other[r] * s->k + own[c], 1);
	fmpz_mat_det(det, a);
	sign = fmpz_sgn(det);
	fmpz_mat_clear(a);
	fmpz_clear(det);
	return sign;
}

/* The actions played at a vertex, and how many best responses there are to it. */
static int32_t support(
	const struct nash_side *s, const uint64_t *mask, int32_t *played, int32_t *n_best)
{
	int32_t n = 0;

	*n_best = 0;
	for (int32_t i = 0; i < s->k; i++)
		if (!gpube__bit(mask, nash__label(s, i)))
			played[n++] = i;
	for (int32_t j = 0; j < s->l; j++)
		*n_best += gpube__bit(mask, nash__label(s, s->k + j));
	return n;
}

/* Equilibria whose indices a thread adds up at a time: a sum of its own for each batch. */
#define BATCH 64

struct indices {
	const struct nash_found *f;
	int32_t *played; /* m + n for each thread */
	int irregular, cut, short_of_memory;
	int *sums;
};

/* False: the equilibrium is not regular. */
static bool index_of(
	const struct nash_found *f, const struct gpube_nash_pair *pair, int32_t *played, int *index)
{
	const struct nash_problem *p = f->p;
	int32_t *x = played, *y = played + p->m, best_x, best_y;
	int32_t nx = support(&p->side[0], nash__mask(&f->v[0], pair->x), x, &best_y);
	int32_t ny = support(&p->side[1], nash__mask(&f->v[1], pair->y), y, &best_x);
	int sign;

	if (nx != ny || best_y != ny || best_x != nx)
		return false;
	sign = sign_of(&p->side[0], x, y, nx) * sign_of(&p->side[1], y, x, nx);
	*index = nx % 2 ? sign : -sign;
	return sign != 0;
}

static void add_indices(void *arg, int64_t batch, int thread)
{
	struct indices *g = arg;
	const struct nash_found *f = g->f;
	int32_t *played = g->played + (int64_t)thread * (f->p->m + f->p->n);

	if (nash__impatient(f->p->patience))
		__atomic_store_n(&g->cut, 1, __ATOMIC_RELAXED);
	if (__atomic_load_n(&g->cut, __ATOMIC_RELAXED))
		return;
	for (int64_t k = batch * BATCH; k < (batch + 1) * BATCH && k < f->n; k++) {
		int index;

		if (__atomic_load_n(&g->irregular, __ATOMIC_RELAXED))
			return;
		if (nash__room(f->p->ctx, determinant_bytes(f->p))) {
			__atomic_store_n(&g->short_of_memory, 1, __ATOMIC_RELAXED);
			return;
		}
		if (index_of(f, &f->pairs[k], played, &index))
			g->sums[batch] += index;
		else
			__atomic_store_n(&g->irregular, 1, __ATOMIC_RELAXED);
	}
}

int nash__index_sum(const struct nash_found *f, bool *regular, int *sum)
{
	struct gpube_ctx *ctx = f->p->ctx;
	const int64_t n_batches = (f->n + BATCH - 1) / BATCH;
	const int64_t threads = ctx->n_threads > 0 ? ctx->n_threads : 1;
	struct indices g = {.f = f};
	int status = GPUBE_ENOMEM;

	*sum = 0;
	g.played = gpube__alloc(ctx, (uint64_t)gpube__mul_size(threads, (int64_t)f->p->m + f->p->n),
		sizeof(*g.played));
	g.sums = gpube__alloc_zero(ctx, (uint64_t)n_batches, sizeof(*g.sums));
	if (g.played && g.sums) {
		gpube__parallel(ctx, n_batches, add_indices, &g);
		for (int64_t k = 0; k < n_batches; k++)
			*sum += g.sums[k];
		/* one that is not regular decides, whatever was not looked at */
		status = g.irregular         ? GPUBE_OK
			 : g.short_of_memory ? GPUBE_ENOMEM
			 : g.cut             ? gpube__fail_stopped(f->p->patience->ctx)
					     : GPUBE_OK;
	}
	*regular = !g.irregular;
	gpube__free(ctx, g.played);
	gpube__free(ctx, g.sums);
	return status;
}

int nash__mostly_regular(const struct nash_found *f, bool *yes)
{
	const int64_t n = f->n < BATCH ? f->n : BATCH;
	int32_t *played =
		gpube__alloc(f->p->ctx, (uint64_t)f->p->m + (uint64_t)f->p->n, sizeof(*played));
	int64_t regular = 0;

	if (!played)
		return GPUBE_ENOMEM;
	for (int64_t k = 0; k < n; k++) {
		int index;

		if (nash__room(f->p->ctx, determinant_bytes(f->p))) {
			gpube__free(f->p->ctx, played);
			return GPUBE_ENOMEM;
		}
		regular += index_of(f, &f->pairs[k], played, &index);
	}
	*yes = n > 0 && 4 * regular >= 3 * n;
	gpube__free(f->p->ctx, played);
	return GPUBE_OK;
}
