/* lp_bounds.c - bounds of columns that rows imply. See lp_parts.h. */
#include "formats/mip/lp_parts.h"

/* Which sides a file leaves open, of a continuous column both: those alone change. */
enum { LOW = 1, HIGH = 2 };

/*
 * Rows are read again while anything changes, so often anyhow, then as often as there are columns,
 * of which each pass may close one, until so many terms.
 */
enum { SURE_PASSES = 16, MOST_TERMS = 1 << 26 };

struct implying {
	struct gpube_lp *r;
	unsigned char *open; /* by column */
	int64_t n_terms;     /* that were read */
	bool changed;
};

/* What a column may be at most or at least, if it is semi 0, too; INF, -INF: no end. */
static int64_t end_of(const struct gpube_lp_column *c, bool high)
{
	const int64_t v = high ? c->high : c->low;

	return c->semi && (v < 0) == high ? 0 : v;
}

/* The least that 'factor' times the column can be; false: there is none, or it is huge. */
static bool least(__int128 *v, const struct gpube_lp_column *c, __int128 factor)
{
	const int64_t x = end_of(c, factor < 0);

	if (!c->integer && c->rounded)
		return false;
	return x < GPUBE_INF && x > -GPUBE_INF && !__builtin_mul_overflow(factor, (__int128)x, v);
}

/* a / b, b > 0, as an integer below it or above. */
static __int128 quotient(__int128 a, __int128 b, bool below)
{
	const __int128 q = a / b;

	return q * b == a ? q : below ? q - (a < 0) : q + (a > 0);
}

/*
 * factor * column <= most. Where that leaves no value one stays, which the row then forbids. A
 * continuous column may have what lies between two integers, too.
 */
static void imply(struct implying *p, int32_t column, __int128 factor, __int128 most)
{
	struct gpube_lp_column *c = &p->r->columns[column];
	const bool high = factor > 0;
	const __int128 v =
		high ? quotient(most, factor, c->integer) : -quotient(most, -factor, c->integer);
	const int64_t other = end_of(c, !high);
	int64_t *side = high ? &c->high : &c->low, bound = (int64_t)v;

	if ((!c->integer && c->rounded) || v >= GPUBE_INF / 2 || v <= -GPUBE_INF / 2 ||
		!(p->open[column] & (high ? HIGH : LOW)))
		return;
	bound = (high ? bound < other : bound > other) ? other : bound;
	if (high ? bound < *side : bound > *side) {
		*side = bound;
		p->changed = true;
	}
}

/* The row, times 'sign', is at most 0. */
static void read_row(struct implying *p, const struct gpube_lp_row *row, int sign)
{
	const struct gpube_lp_term *t = p->r->terms + row->first;
	const int decimals = gpube__lp_decimals(p->r, row->first, row->n);
	__int128 sum = 0, v;
	int64_t n_open = 0;

	for (int64_t k = 0; k < row->n && n_open < 2; k++) {
		const __int128 f = sign * gpube__lp_units(t[k].factor, decimals);

		if (t[k].a < 0)
			v = f;
		else if (!f)
			continue;
		else if (t[k].b >= 0 || !least(&v, &p->r->columns[t[k].a], f)) {
			n_open += 1 + (t[k].b >= 0);
			continue;
		}
		n_open += __builtin_add_overflow(sum, v, &sum) ? 2 : 0;
	}
	for (int64_t k = 0; k < row->n && n_open < 2; k++) {
		const __int128 f = sign * gpube__lp_units(t[k].factor, decimals);
		const bool ends = t[k].a >= 0 && f && least(&v, &p->r->columns[t[k].a], f);

		/* all others end, so that this one does, too */
		if (t[k].a >= 0 && f && p->open[t[k].a] && ends == !n_open &&
			!__builtin_sub_overflow(ends ? v : 0, sum, &v))
			imply(p, t[k].a, f, v);
	}
	p->n_terms += row->n;
}

static void read_rows(struct implying *p, bool backwards)
{
	for (int64_t k = 0; k < p->r->n_rows; k++) {
		const struct gpube_lp_row *row = &p->r->rows[backwards ? p->r->n_rows - 1 - k : k];

		if (row->n == 0 || row->when >= 0 || row->set)
			continue;
		if (row->relation != GPUBE_AT_LEAST)
			read_row(p, row, 1);
		if (row->relation != GPUBE_AT_MOST)
			read_row(p, row, -1);
	}
}

int gpube__lp_imply(struct gpube_lp *r)
{
	struct implying p = {.r = r, .changed = false};
	int status = GPUBE_OK;

	p.open = gpube__alloc_zero(r->m->ctx, (uint64_t)r->n_columns + 1, sizeof(*p.open));
	if (!p.open)
		return r->in->status = GPUBE_ENOMEM;
	for (int32_t k = 0; k < r->n_columns; k++) {
		const struct gpube_lp_column *c = &r->columns[k];

		p.open[k] = (unsigned char)((!c->integer || c->low == -GPUBE_INF ? LOW : 0) |
					    (!c->integer || c->high == GPUBE_INF ? HIGH : 0));
		p.changed = p.changed || p.open[k];
	}
	for (int64_t pass = 0; p.changed && pass < SURE_PASSES + (int64_t)r->n_columns &&
			       (pass < SURE_PASSES || p.n_terms < MOST_TERMS) && !status;
		pass++) {
		p.changed = false;
		read_rows(&p, pass % 2);
		if (gpube__stopped(r->m->ctx))
			status = r->in->status = gpube__fail_stopped(r->m->ctx);
	}
	gpube__free(r->m->ctx, p.open);
	return status;
}
