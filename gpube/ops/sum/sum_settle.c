/* sum_settle.c - tables of sums brought to scale, and numbers of any magnitude; see sum.h. */
#include "gpube/ops/sum/sum.h"
#include "gpube/ops/ops.h"
#include "gpube/ops/scratch.h"
#include "gpube/ops/sum/sum_panel.h"

#include <math.h>
#include <string.h>

/* Cells of a table are at most so many powers of two apart without powers of their own. */
#define MOST_APART 1000
/* And where the largest is off, so that quotients of two such tables are normal numbers. */
#define NEAR_APART 900
/* Of shares, what is this far below the largest is nothing. */
#define LEAST_SHARE 500
#define MOST_POWER  (INT64_C(1) << 30)
/* What is less than 2^-this of a sum is nothing to it. */
#define NEGLIGIBLE 1100

enum { PIECE = 1 << 16 };

double *gpube__sum_cells(struct gpube_ctx *ctx, int64_t n)
{
	return gpube__scratch_take_close(ctx, (uint64_t)n, sizeof(double));
}

int gpube__sum_table_new(struct gpube_ctx *ctx, struct gpube_sum_table *t, int64_t n)
{
	*t = (struct gpube_sum_table){.n = n};
	t->cells = gpube__sum_cells(ctx, n);
	return t->cells ? GPUBE_OK : GPUBE_ENOMEM;
}

void gpube__sum_table_clear(struct gpube_ctx *ctx, struct gpube_sum_table *t)
{
	gpube__scratch_give(ctx, t->cells);
	gpube__free(ctx, t->powers);
	gpube__sum_leave_card(ctx, t);
	*t = (struct gpube_sum_table){0};
}

void gpube__sum_leave_card(struct gpube_ctx *ctx, struct gpube_sum_table *t)
{
	if (t->card)
		t->on->free(ctx, t->card);
	t->card = NULL;
}

int gpube__sum_fail_range(struct gpube_ctx *ctx)
{
	return gpube__fail(ctx, GPUBE_ERANGE, "numbers of a table are more than 2^(2^30) apart");
}

/* ---- numbers ------------------------------------------------------------------------------ */

struct gpube_wide gpube__wide(double m, int64_t e)
{
	int up;
	const double f = frexp(m, &up);

	return m == 0 ? (struct gpube_wide){0, 0} : (struct gpube_wide){f, e + up};
}

struct gpube_wide gpube__wide_add(struct gpube_wide a, struct gpube_wide b)
{
	if (a.m == 0 || (b.m != 0 && b.e > a.e)) {
		const struct gpube_wide c = a;

		a = b;
		b = c;
	}
	if (b.m == 0 || a.e - b.e > NEGLIGIBLE)
		return a;
	return gpube__wide(a.m + ldexp(b.m, (int)(b.e - a.e)), a.e);
}

double gpube__wide_log10(struct gpube_wide a)
{
	/* near 1 the two would cancel */
	if (a.m == 0)
		return -INFINITY;
	if (a.e >= -1 && a.e <= 1)
		return (double)log10l((long double)ldexp(a.m, (int)a.e));
	return (double)(log10l((long double)a.m) + (long double)a.e * log10l(2.0L));
}

/* ---- tables with powers --------------------------------------------------------------------- */

int gpube__sum_begin_apart(struct gpube_ctx *ctx, struct gpube_sum_table *t)
{
	if (!t->powers)
		t->powers = gpube__alloc(ctx, (uint64_t)t->n, sizeof(*t->powers));
	if (!t->powers)
		return GPUBE_ENOMEM;
	memset(t->cells, 0, (size_t)t->n * sizeof(*t->cells));
	memset(t->powers, 0, (size_t)t->n * sizeof(*t->powers));
	return GPUBE_OK;
}

bool gpube__sum_add(struct gpube_sum_table *t, int64_t i, struct gpube_wide v)
{
	v = gpube__wide_add((struct gpube_wide){t->cells[i], t->powers[i]}, v);
	if (v.e > MOST_POWER || v.e < -MOST_POWER)
		return false;
	t->cells[i] = v.m;
	t->powers[i] = (int32_t)v.e;
	return true;
}

int64_t gpube__sum_power(const struct gpube_sum_job *job)
{
	int64_t power = 0;

	for (int k = 0; k < job->n_in; k++)
		power += job->in[k].table->power;
	return power;
}

int gpube__sum_top(const struct gpube_sum_job *job)
{
	int top = 0;

	for (int k = 0; k < job->n_in; k++)
		top += job->in[k].table->top;
	return top;
}

/* ---- settling ------------------------------------------------------------------------ */

/* The largest and the least power of the cells that are not 0; most < least: none is. */
struct extent {
	int64_t most, least;
};

struct settling {
	struct gpube_sum_table *t;
	struct extent *pieces;
	int64_t up; /* what the powers are lowered by */
	bool shares;
	/* NULL, or what makes it, divided; neither has powers */
	const struct gpube_sum_table *of, *by;
};

static int64_t n_pieces(const struct gpube_sum_table *t)
{
	return (t->n + PIECE - 1) / PIECE;
}

static int64_t end_of(const struct gpube_sum_table *t, int64_t piece)
{
	return (piece + 1) * PIECE < t->n ? (piece + 1) * PIECE : t->n;
}

static struct extent extent_of(double most, double least)
{
	return most > 0 ? (struct extent){ilogb(most) + 1, ilogb(least) + 1}
			: (struct extent){INT64_MIN, INT64_MAX};
}

static struct extent extent_plain(const double *cells, int64_t n)
{
	double most, least;

	gpube__sum_loops()->extremes(cells, n, &most, &least);
	return extent_of(most, least);
}

static void measure(void *arg, int64_t piece, int thread)
{
	struct settling *s = arg;
	const struct gpube_sum_table *t = s->t;
	struct extent *x = &s->pieces[piece];

	(void)thread;
	if (s->by)
		gpube__sum_loops()->divide(t->cells + piece * PIECE, s->of->cells + piece * PIECE,
			s->by->cells + piece * PIECE, end_of(t, piece) - piece * PIECE);
	if (!t->powers) {
		*x = extent_plain(t->cells + piece * PIECE, end_of(t, piece) - piece * PIECE);
		return;
	}
	*x = (struct extent){INT64_MIN, INT64_MAX};
	for (int64_t i = piece * PIECE; i < end_of(t, piece); i++) {
		const int64_t e = gpube__sum_cell_here(t, i).e;

		if (t->cells[i] == 0)
			continue;
		x->most = e > x->most ? e : x->most;
		x->least = e < x->least ? e : x->least;
	}
}

/* Exact: no cell leaves the range of doubles; but of shares the least become 0. */
static void scale(void *arg, int64_t piece, int thread)
{
	struct settling *s = arg;
	struct gpube_sum_table *t = s->t;
	const int64_t end = end_of(t, piece);

	(void)thread;
	if (!t->powers && s->up > -1000 && s->up < 1000) {
		const double by = ldexp(1, (int)-s->up);

		for (int64_t i = piece * PIECE; i < end; i++)
			t->cells[i] *= by;
		for (int64_t i = piece * PIECE; i < end && s->shares; i++)
			t->cells[i] = t->cells[i] < ldexp(1, -LEAST_SHARE) ? 0 : t->cells[i];
		return;
	}
	for (int64_t i = piece * PIECE; i < end; i++) {
		const struct gpube_wide v = gpube__sum_cell_here(t, i);

		if (v.m == 0 || (s->shares && v.e - s->up < -LEAST_SHARE))
			t->cells[i] = 0;
		else
			t->cells[i] = ldexp(v.m, (int)(v.e - s->up));
	}
}

/* Each cell gets its own power. */
static int take_apart(struct gpube_ctx *ctx, struct gpube_sum_table *t, int64_t up)
{
	if (!t->powers)
		t->powers = gpube__alloc_zero(ctx, (uint64_t)t->n, sizeof(*t->powers));
	if (!t->powers)
		return GPUBE_ENOMEM;
	for (int64_t i = 0; i < t->n; i++) {
		const struct gpube_wide v = gpube__sum_cell_here(t, i);

		if (v.m != 0 && v.e - up < -MOST_POWER)
			return gpube__sum_fail_range(ctx);
		t->cells[i] = v.m;
		t->powers[i] = v.m == 0 ? 0 : (int32_t)(v.e - up);
	}
	return GPUBE_OK;
}

/* Whether the cells may stay as they are, though the largest is not in [0.5, 1). */
static bool is_near(const struct gpube_sum_table *t, const struct extent *all, bool shares)
{
	return !t->powers && all->most >= all->least && all->most <= GPUBE_SUM_OFF &&
	       all->most >= -GPUBE_SUM_OFF &&
	       all->most - all->least <= (shares ? LEAST_SHARE : NEAR_APART);
}

/* Of all cells; 'by' is divided by on the way. */
static int measure_all(struct gpube_ctx *ctx, struct settling *s, struct extent *all)
{
	const int64_t n = n_pieces(s->t);
	struct extent one;

	s->pieces = n > 1 ? gpube__alloc(ctx, (uint64_t)n, sizeof(*s->pieces)) : &one;
	if (!s->pieces)
		return GPUBE_ENOMEM;
	if (n > 1)
		gpube__parallel(ctx, n, measure, s);
	else
		measure(s, 0, 0);
	*all = (struct extent){INT64_MIN, INT64_MAX};
	for (int64_t k = 0; k < n; k++) {
		all->most = s->pieces[k].most > all->most ? s->pieces[k].most : all->most;
		all->least = s->pieces[k].least < all->least ? s->pieces[k].least : all->least;
	}
	if (n > 1)
		gpube__free(ctx, s->pieces);
	return GPUBE_OK;
}

/* The cells lie in 'all'. */
static int settle(
	struct gpube_ctx *ctx, struct gpube_sum_table *t, bool shares, bool near, struct extent all)
{
	const int64_t n = n_pieces(t);
	struct settling s = {.t = t, .shares = shares};
	int status = GPUBE_OK;

	if (near && is_near(t, &all, shares)) {
		t->top = (int)all.most;
		t->least = (int)all.least;
		return GPUBE_OK;
	}
	s.up = all.most < all.least ? 0 : all.most;
	if (!shares && all.most >= all.least && all.most - all.least > MOST_APART) {
		status = take_apart(ctx, t, s.up);
	} else if (t->powers || s.up != 0 ||
		   (shares && all.most >= all.least && all.most - all.least > LEAST_SHARE)) {
		if (n > 1)
			gpube__parallel(ctx, n, scale, &s);
		else
			scale(&s, 0, 0);
		gpube__free(ctx, t->powers);
		t->powers = NULL;
	}
	t->power = all.most < all.least ? 0 : t->power + s.up;
	t->top = 0;
	/* of shares what is less has become 0 */
	t->least = all.most < all.least ? 0
					: (int)fmax((double)(all.least - all.most),
						  shares ? -LEAST_SHARE : -INT32_MAX);
	return status;
}

int gpube__sum_settle(struct gpube_ctx *ctx, struct gpube_sum_table *t)
{
	struct extent all;
	const int status = measure_all(ctx, &(struct settling){.t = t}, &all);

	return status ? status : settle(ctx, t, false, false, all);
}

int gpube__sum_measure(struct gpube_ctx *ctx, struct gpube_sum_table *t, bool shares)
{
	struct extent all;
	const int status = measure_all(ctx, &(struct settling){.t = t}, &all);

	return status ? status : settle(ctx, t, shares, true, all);
}

int gpube__sum_measured(
	struct gpube_ctx *ctx, struct gpube_sum_table *t, bool shares, double most, double least)
{
	return settle(ctx, t, shares, true, extent_of(most, least));
}

int gpube__sum_divide(struct gpube_ctx *ctx, struct gpube_sum_table *to,
	const struct gpube_sum_table *a, const struct gpube_sum_table *b)
{
	const int64_t power = a->power - b->power;
	struct extent all;
	int status;

	/*
	 * cells are from 2^-1001 to 1, or from 2^-961 to 2^60, so a quotient is no overflow, nor an
	 * underflow
	 */
	if (!a->powers && !b->powers) {
		to->power = power;
		status = measure_all(ctx, &(struct settling){.t = to, .of = a, .by = b}, &all);
		return status ? status : settle(ctx, to, false, true, all);
	}
	if (!to->powers)
		to->powers = gpube__alloc_zero(ctx, (uint64_t)to->n, sizeof(*to->powers));
	if (!to->powers)
		return GPUBE_ENOMEM;
	for (int64_t i = 0; i < to->n; i++) {
		struct gpube_wide v = gpube__sum_cell_here(a, i), w = gpube__sum_cell_here(b, i);

		if (v.m != 0)
			v = gpube__wide(v.m / w.m, v.e - w.e);
		if (v.e > MOST_POWER || v.e < -MOST_POWER)
			return gpube__sum_fail_range(ctx);
		to->cells[i] = v.m;
		to->powers[i] = (int32_t)v.e;
	}
	to->power = power;
	return gpube__sum_measure(ctx, to, false);
}
