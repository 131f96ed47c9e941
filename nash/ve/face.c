/* face.c - all vertices of a face of a side. See exact.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "nash/exact.h"
#include "nash/eee/face_lp.h"

static int push(struct gpube_ctx *ctx, struct nash_list *list, int64_t at)
{
	if (gpube__grow(ctx, &list->at, &list->capacity, list->n + 1, sizeof(*list->at)))
		return GPUBE_ENOMEM;
	list->at[list->n++] = at;
	return GPUBE_OK;
}

/* ---- a first vertex ---------------------------------------------------------------- */

/*
 * A vertex of a face: all columns and rows stay, those of fixed variables are zero
 * on the face. Errors: ENOMEM (nothing to clear)
 */
static int face_dict(struct nash_dict *d, struct gpube_ctx *ctx, const struct nash_side *s,
	const unsigned char *fixed, bool *empty)
{
	int status = nash__dict_init(d, ctx, s);

	*empty = false;
	if (status)
		return status;
	for (int32_t var = 0; !status && var < s->k + s->l && !*empty; var++)
		if (fixed[var])
			status = nash__dict_fix(d, fixed, var, empty);
	if (status)
		nash__dict_clear(d);
	return status;
}

/* Drops the columns of fixed variables, and the rows that say 0 = 0. */
static void shrink(struct nash_dict *d, const unsigned char *fixed)
{
	int rows = 0, cols = 0;

	for (int c = 0; c < d->cols; c++) {
		if (fixed[d->nonbasic[c]])
			continue;
		for (int r = 0; r < d->rows; r++)
			fmpz_swap(d->d[r] + cols + 1, d->d[r] + c + 1);
		d->nonbasic[cols++] = d->nonbasic[c];
	}
	d->cols = cols;
	for (int r = 0; r < d->rows; r++) {
		fmpz *entries = d->d[r];

		if (fixed[d->basic[r]])
			continue;
		d->d[r] = d->d[rows];
		d->d[rows] = entries;
		d->basic[rows++] = d->basic[r];
	}
	d->rows = rows;
}

/* ---- the walk --------------------------------------------------------------------- */

/* How the walk came to a basis: exchanging (row, col) again goes back. */
struct step {
	int32_t row, col, next; /* next: the column to try */
};

/* Of a dictionary: 'visit' is there, the side is not. */
struct walk {
	struct gpube_ctx *ctx;
	nash_visit_fn *visit;
	void *arg;
	struct nash_vertices *v;
	struct nash_list *list;
	const unsigned char *fixed;
	int col; /* of the current basis, to try next */
	struct nash_dict d;
	struct nash_lex lex;
	/* bases, by their nonbasic variables, and vertices, by their labels */
	struct gpube__mask_set marks, seen;
	struct step *stack;
	int64_t n_stack, capacity;
	uint64_t *mask, *basis;
	fmpz *coords;
};

/* Labels of the current basis: what is fixed, nonbasic, or basic and zero. */
static void labels_of(struct walk *w)
{
	const struct nash_side *s = w->v->side;
	const struct nash_dict *d = &w->d;

	memset(w->mask, 0, (size_t)w->v->words * sizeof(*w->mask));
	for (int32_t var = 0; var < s->k + s->l; var++)
		if (w->fixed[var])
			gpube__bit_put(w->mask, nash__label(s, var));
	for (int c = 0; c < d->cols; c++)
		gpube__bit_put(w->mask, nash__label(s, d->nonbasic[c]));
	for (int r = 0; r < d->rows; r++)
		if (fmpz_is_zero(d->d[r]))
			gpube__bit_put(w->mask, nash__label(s, d->basic[r]));
}

/* Adds the vertex of the current basis to the list, unless an earlier basis had it. */
static int record(struct walk *w)
{
	const struct nash_side *s = w->v->side;
	const struct nash_dict *d = &w->d;
	bool fresh;
	int64_t at;
	int status;

	labels_of(w);
	status = gpube__mask_set_add(&w->seen, w->v->ctx, w->mask, &fresh);
	if (status || !fresh)
		return status;
	_fmpz_vec_zero(w->coords, s->k + 1);
	fmpz_set(w->coords + s->k, d->den);
	for (int r = 0; r < d->rows; r++)
		if (d->basic[r] < s->k)
			fmpz_set(w->coords + d->basic[r], d->d[r]);
	status = nash__vertices_add(w->v, &at, w->mask, w->coords);
	return status ? status : push(w->v->ctx, w->list, at);
}

static void basis_of(const struct walk *w, int row, int col)
{
	const struct nash_dict *d = &w->d;

	memset(w->basis, 0, (size_t)w->marks.words * sizeof(*w->basis));
	for (int c = 0; c < d->cols; c++)
		gpube__bit_put(w->basis, c == col ? d->basic[row] : d->nonbasic[c]);
}

static void pivot(struct walk *w, int row, int col)
{
	nash__dict_pivot(&w->d, row, col);
	nash__lex_pivot(&w->lex, &w->d, row, col);
}

/* The exchange at 'col', or past it, that leads to a basis not seen yet; row -1: none is left. */
static int next_step(struct walk *w, int *row)
{
	bool fresh = false;
	int status = GPUBE_OK;

	for (; w->col < w->d.cols && !status; w->col++) {
		*row = nash__lex_ratio(&w->lex, &w->d, w->col);
		if (*row < 0)
			continue;
		basis_of(w, *row, w->col);
		status = gpube__mask_set_add(&w->marks, w->ctx, w->basis, &fresh);
		if (fresh)
			return status;
	}
	*row = -1;
	return status;
}

/* Depth first over the bases of the perturbed polytope, which is simple and connected. */
static int run(struct walk *w)
{
	struct gpube_ctx *ctx = w->ctx;
	int status = GPUBE_OK;

	while (!status) {
		int row;

		status = nash__room(ctx, 0);
		if (!status)
			status = next_step(w, &row);
		if (status)
			break;
		if (row >= 0) {
			if ((w->marks.n & 63) == 0 && gpube__stopped(ctx))
				return gpube__fail_stopped(ctx);
			if (gpube__grow(ctx, &w->stack, &w->capacity, w->n_stack + 1,
				    sizeof(*w->stack)))
				return GPUBE_ENOMEM;
			w->stack[w->n_stack++] = (struct step){row, w->col, w->col + 1};
			pivot(w, row, w->col);
			status = w->visit ? w->visit(w->arg, &w->d) : record(w);
			w->col = 0;
		} else if (w->n_stack) {
			struct step back = w->stack[--w->n_stack];

			pivot(w, back.row, back.col);
			w->col = back.next;
		} else {
			break;
		}
	}
	return status;
}

/* Marks the first basis, and walks from there. */
static int walk(struct walk *w, int n_vars)
{
	int status;

	w->marks.words = n_vars / 64 + 1;
	w->basis = gpube__alloc(w->ctx, (uint64_t)w->marks.words, sizeof(*w->basis));
	status = w->basis ? nash__lex_init(&w->lex, w->ctx, &w->d, n_vars) : GPUBE_ENOMEM;
	if (!status) {
		basis_of(w, -1, -1);
		status = gpube__mask_set_add(&w->marks, w->ctx, w->basis, NULL);
	}
	if (!status)
		status = w->visit ? w->visit(w->arg, &w->d) : record(w);
	if (!status)
		status = run(w);
	nash__lex_clear(&w->lex, w->ctx);
	gpube__mask_set_clear(&w->marks, w->ctx);
	GPUBE_FREE_ALL(w->ctx, w->basis, w->stack);
	return status;
}

int nash__face(struct nash_vertices *v, struct nash_list *list, const unsigned char *fixed)
{
	const struct nash_side *s = v->side;
	struct walk w = {
		.ctx = v->ctx, .v = v, .list = list, .fixed = fixed, .seen.words = v->words};
	bool empty;
	int status = face_dict(&w.d, v->ctx, s, fixed, &empty);

	if (status)
		return status;
	if (!empty) {
		shrink(&w.d, fixed);
		w.mask = gpube__alloc(v->ctx, (uint64_t)v->words, sizeof(*w.mask));
		w.coords = _fmpz_vec_init(s->k + 1);
		status = w.mask ? walk(&w, s->k + s->l) : GPUBE_ENOMEM;
		_fmpz_vec_clear(w.coords, s->k + 1);
	}
	nash__dict_clear(&w.d);
	gpube__free(v->ctx, w.mask);
	gpube__mask_set_clear(&w.seen, v->ctx);
	return status;
}

int nash__face_walk(struct nash_dict *d, int n_vars, const unsigned char *fixed,
	nash_visit_fn *visit, void *arg)
{
	struct walk w = {.ctx = d->ctx, .visit = visit, .arg = arg};
	int status;

	shrink(d, fixed);
	w.d = *d;
	status = walk(&w, n_vars);
	*d = w.d;
	return status;
}

/* ---- faces that doubles propose ----------------------------------------------------- */

int nash__face_refine(
	struct nash_lp *lp, struct gpube_ctx *ctx, const struct nash_side *s, bool *empty)
{
	struct nash_dict d;
	int status = face_dict(&d, ctx, s, lp->fixed, empty);

	if (status)
		return status;
	for (int32_t r = 0; r < s->l && !*empty; r++) {
		lp->basic[r] = d.basic[r];
		for (int32_t c = 0; c <= s->k; c++) {
			slong e, f;
			double a = fmpz_get_d_2exp(&e, d.d[r] + c);
			double b = fmpz_get_d_2exp(&f, d.den);

			lp->d[(size_t)r * ((size_t)s->k + 1) + (size_t)c] =
				a == 0 ? 0 : ldexp(a / b, (int)(e - f));
		}
	}
	if (!*empty) {
		memcpy(lp->nonbasic, d.nonbasic, (size_t)s->k * sizeof(*lp->nonbasic));
		nash__lp_partition(lp, s);
	}
	nash__dict_clear(&d);
	return GPUBE_OK;
}

/* A face without free variables is at most a point. */
int nash__face_of_lp(struct nash_vertices *v, struct nash_list *list, const struct nash_lp *lp)
{
	int64_t at;
	int found = -1, status = GPUBE_OK;

	if (lp->live == 0)
		status = nash__point(v, &at, &found, lp->nonbasic);
	if (status || found == 0)
		return status;
	if (found == 1)
		return push(v->ctx, list, at);
	return nash__face(v, list, lp->fixed);
}
