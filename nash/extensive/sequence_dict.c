/* sequence_dict.c - a player's side in integers, at a vertex of pure plans. See sequences.h. */
#include <string.h>

#include "nash/extensive/sequences.h"

/*
 * Rows over the nonbasic variables: own sequences that are not played, then the slacks of the
 * replies.
 * x, worth  n rows of cols + 1 each: own sequences; the other's, with what follows on them
 */
struct rows {
	const struct nash_sequence_form *f;
	int q;
	const int32_t *own, *reply;
	int32_t cols;
	fmpz *x, *worth;
};

static fmpz *row(fmpz *rows, const struct rows *r, int32_t k)
{
	return rows + (int64_t)k * (r->cols + 1);
}

/* A set's plan: what is not played are variables, what is played is the rest. */
static void fill_plans(const struct rows *r, int32_t *nonbasic)
{
	const struct nash_sequences *s = &r->f->of[r->q];
	int32_t c = 0;

	fmpz_one(r->x);
	for (int32_t h = 0; h < s->n_sets; h++) {
		fmpz *played = row(r->x, r, r->own[h]);

		_fmpz_vec_set(played, row(r->x, r, s->after[h]), r->cols + 1);
		for (int32_t k = s->first[h]; k < s->first[h + 1]; k++) {
			if (k == r->own[h])
				continue;
			nonbasic[c++] = nash__plan_variable(k);
			fmpz_one(row(r->x, r, k) + c);
			fmpz_sub_ui(played + c, played + c, 1);
		}
	}
}

/* What the other's sequences are worth; the value of a set is its reply's worth and slack. */
static void fill_worths(const struct rows *r, int32_t *nonbasic)
{
	const struct nash_sequence_form *f = r->f;
	const struct nash_sequences *o = &f->of[1 - r->q];
	const int32_t plans = r->cols - o->n_sets;

	for (int64_t k = 0; k < f->n; k++)
		if (!fmpz_is_zero(f->pay[1 - r->q] + k))
			_fmpz_vec_scalar_addmul_fmpz(row(r->worth, r, f->at[1 - r->q][k]),
				row(r->x, r, f->at[r->q][k]), plans + 1, f->pay[1 - r->q] + k);
	for (int32_t h = o->n_sets - 1; h >= 0; h--) {
		fmpz *before = row(r->worth, r, o->after[h]), *best = row(r->worth, r, r->reply[h]);

		nonbasic[plans + h] = nash__slack_variable(f, r->q, r->reply[h]);
		/* (a value is its reply's worth and slack from here on) */
		fmpz_one(best + plans + h + 1);
		_fmpz_vec_add(before, before, best, r->cols + 1);
	}
}

/* Basic: own sequences that are played, then the slacks of what is no reply. */
static void fill_dict(struct nash_dict *d, const struct rows *r)
{
	const struct nash_sequence_form *f = r->f;
	const struct nash_sequences *s = &f->of[r->q], *o = &f->of[1 - r->q];
	int32_t n = 0;

	for (int32_t h = 0; h < s->n_sets; h++) {
		_fmpz_vec_set(d->d[n], row(r->x, r, r->own[h]), r->cols + 1);
		d->basic[n++] = nash__plan_variable(r->own[h]);
	}
	for (int32_t h = 0; h < o->n_sets; h++)
		for (int32_t k = o->first[h]; k < o->first[h + 1]; k++) {
			if (k == r->reply[h])
				continue;
			_fmpz_vec_sub(d->d[n], row(r->worth, r, r->reply[h]), row(r->worth, r, k),
				r->cols + 1);
			d->basic[n++] = nash__slack_variable(f, r->q, k);
		}
}

int nash__sequence_dict(struct nash_dict *d, const struct nash_sequence_form *f, int q,
	const int32_t *own, const int32_t *reply, fmpz *worth)
{
	struct rows r = {
		.f = f, .q = q, .own = own, .reply = reply, .cols = nash__sequence_cols(f, q)};
	const int64_t width = r.cols + 1, n_x = f->of[q].n * width, n_w = f->of[1 - q].n * width;
	int status = nash__room(f->ctx, (uint64_t)(n_x + n_w) * 2 * sizeof(fmpz));

	if (!status)
		status = nash__dict_new(d, f->ctx, nash__sequence_rows(f, q), r.cols);
	if (status)
		return status;
	r.x = _fmpz_vec_init(n_x);
	r.worth = _fmpz_vec_init(n_w);
	fill_plans(&r, d->nonbasic);
	fill_worths(&r, d->nonbasic);
	fill_dict(d, &r);
	if (worth)
		_fmpz_vec_set(worth, r.worth, width);
	_fmpz_vec_clear(r.x, n_x);
	_fmpz_vec_clear(r.worth, n_w);
	return GPUBE_OK;
}
