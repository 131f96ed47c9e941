/* replies.c - plans, and the best replies to them. See sequences.h. */
#include <string.h>

#include "nash/extensive/sequences.h"

/* ---- plans ------------------------------------------------------------------------------ */

void nash__pure_plan(fmpz *plan, const struct nash_sequences *s, const int32_t *choice)
{
	_fmpz_vec_zero(plan, s->n);
	fmpz_one(plan);
	for (int32_t h = 0; h < s->n_sets; h++)
		fmpz_set(plan + choice[h], plan + s->after[h]);
}

void nash__even_plan(fmpz *plan, const struct nash_sequences *s)
{
	fmpz *parts = _fmpz_vec_init(s->n); /* one over these */

	fmpz_one(parts);
	fmpz_one(plan);
	for (int32_t h = 0; h < s->n_sets; h++)
		for (int32_t k = s->first[h]; k < s->first[h + 1]; k++) {
			fmpz_mul_si(parts + k, parts + s->after[h], s->first[h + 1] - s->first[h]);
			fmpz_lcm(plan, plan, parts + k);
		}
	for (int32_t k = 1; k < s->n; k++)
		fmpz_divexact(plan + k, plan, parts + k);
	_fmpz_vec_clear(parts, s->n);
}

/* Whether it is a plan of the player. */
static bool is_plan(const struct nash_sequence_form *f, int player, const fmpz *plan)
{
	const struct nash_sequences *s = &f->of[player];
	bool yes = fmpz_sgn(plan) > 0;
	fmpz_t sum;

	fmpz_init(sum);
	for (int32_t k = 1; k < s->n && yes; k++)
		yes = fmpz_sgn(plan + k) >= 0;
	for (int32_t h = 0; h < s->n_sets && yes; h++) {
		_fmpz_vec_sum(sum, plan + s->first[h], s->first[h + 1] - s->first[h]);
		yes = fmpz_equal(sum, plan + s->after[h]);
	}
	fmpz_clear(sum);
	return yes;
}

/* ---- replies ------------------------------------------------------------------------------ */

int nash__reply_init(struct nash_reply *r, const struct nash_sequence_form *f, int player)
{
	const struct nash_sequences *s = &f->of[player];

	*r = (struct nash_reply){0};
	if (nash__room(f->ctx, (uint64_t)s->n * sizeof(fmpz)))
		return GPUBE_ENOMEM;
	r->best = gpube__alloc(f->ctx, (uint64_t)s->n_sets + 1, sizeof(*r->best));
	r->used = gpube__alloc(f->ctx, (uint64_t)s->n, 1);
	if (!r->best || !r->used)
		return GPUBE_ENOMEM;
	r->worth = _fmpz_vec_init(s->n);
	return GPUBE_OK;
}

void nash__reply_clear(struct nash_reply *r, const struct nash_sequence_form *f, int player)
{
	if (r->worth)
		_fmpz_vec_clear(r->worth, f->of[player].n);
	gpube__free(f->ctx, r->best);
	gpube__free(f->ctx, r->used);
	*r = (struct nash_reply){0};
}

void nash__reply_find(
	struct nash_reply *r, const struct nash_sequence_form *f, int player, const fmpz *plan)
{
	const struct nash_sequences *s = &f->of[player];

	_fmpz_vec_zero(r->worth, s->n);
	for (int64_t k = 0; k < f->n; k++)
		fmpz_addmul(r->worth + f->at[player][k], f->pay[player] + k,
			plan + f->at[1 - player][k]);
	for (int32_t h = s->n_sets - 1; h >= 0; h--) {
		int32_t best = s->first[h];

		for (int32_t k = best + 1; k < s->first[h + 1]; k++)
			if (fmpz_cmp(r->worth + k, r->worth + best) > 0)
				best = k;
		r->best[h] = best;
		fmpz_add(r->worth + s->after[h], r->worth + s->after[h], r->worth + best);
	}
	memset(r->used, 0, (size_t)s->n);
	r->used[0] = 1;
	for (int32_t h = 0; h < s->n_sets; h++)
		for (int32_t k = s->first[h]; k < s->first[h + 1] && r->used[s->after[h]]; k++)
			r->used[k] = fmpz_equal(r->worth + k, r->worth + r->best[h]) != 0;
}

int nash__check_plans(bool *yes, const struct nash_sequence_form *f, const fmpz *x, const fmpz *y)
{
	const fmpz *plan[] = {x, y};
	int status = GPUBE_OK;

	*yes = is_plan(f, 0, x) && is_plan(f, 1, y);
	for (int q = 0; q < 2 && *yes && !status; q++) {
		struct nash_reply r;

		status = nash__reply_init(&r, f, q);
		if (!status)
			nash__reply_find(&r, f, q, plan[1 - q]);
		for (int32_t k = 0; k < f->of[q].n && *yes && !status; k++)
			*yes = fmpz_is_zero(plan[q] + k) || r.used[k];
		nash__reply_clear(&r, f, q);
	}
	return status;
}

/* ---- extreme plans -------------------------------------------------------------------------- */

/*
 * The system whose solutions are directions in which a plan can move both ways: of what it plays,
 * and of the values of the other's sets that a best reply comes to. Every set of its own keeps its
 * sum, every reply that is used stays worth its set's value.
 * column  by own sequence, then by the other's sets: -1: none
 */
struct directions {
	const struct nash_sequence_form *f;
	int player;
	const fmpz *plan;
	const struct nash_reply *reply;
	int32_t *column, *row, n_columns, n_rows;
};

static void number_directions(struct directions *d)
{
	const struct nash_sequences *s = &d->f->of[d->player], *o = &d->f->of[1 - d->player];

	for (int32_t k = 0; k < s->n; k++)
		d->column[k] = k && !fmpz_is_zero(d->plan + k) ? d->n_columns++ : -1;
	for (int32_t h = 0; h < o->n_sets; h++)
		d->column[s->n + h] = d->reply->used[o->after[h]] ? d->n_columns++ : -1;
	for (int32_t h = 0; h < s->n_sets; h++)
		d->n_rows += !fmpz_is_zero(d->plan + s->after[h]);
	for (int32_t k = 0; k < o->n; k++)
		d->row[k] = k && d->reply->used[k] ? d->n_rows++ : -1;
}

static void fill_directions(fmpz_mat_t m, const struct directions *d)
{
	const struct nash_sequence_form *f = d->f;
	const int p = d->player;
	const struct nash_sequences *s = &f->of[p], *o = &f->of[1 - p];
	int32_t r = 0;

	for (int32_t h = 0; h < s->n_sets; h++) {
		if (fmpz_is_zero(d->plan + s->after[h]))
			continue;
		for (int32_t k = s->first[h]; k < s->first[h + 1]; k++)
			if (d->column[k] >= 0)
				fmpz_one(fmpz_mat_entry(m, r, d->column[k]));
		if (s->after[h])
			fmpz_set_si(fmpz_mat_entry(m, r, d->column[s->after[h]]), -1);
		r++;
	}
	for (int32_t h = 0; h < o->n_sets; h++) {
		if (d->column[s->n + h] < 0)
			continue;
		for (int32_t k = o->first[h]; k < o->first[h + 1]; k++)
			if (d->row[k] >= 0)
				fmpz_one(fmpz_mat_entry(m, d->row[k], d->column[s->n + h]));
		if (o->after[h])
			fmpz_set_si(
				fmpz_mat_entry(m, d->row[o->after[h]], d->column[s->n + h]), -1);
	}
	for (int64_t k = 0; k < f->n; k++) {
		const int32_t row = d->row[f->at[1 - p][k]], column = d->column[f->at[p][k]];

		if (row >= 0 && column >= 0)
			fmpz_sub(fmpz_mat_entry(m, row, column), fmpz_mat_entry(m, row, column),
				f->pay[1 - p] + k);
	}
}

int nash__is_extreme(bool *yes, const struct nash_sequence_form *f, int player, const fmpz *plan,
	const struct nash_reply *reply)
{
	const struct nash_sequences *s = &f->of[player], *o = &f->of[1 - player];
	struct directions d = {.f = f, .player = player, .plan = plan, .reply = reply};
	int status = GPUBE_OK;
	fmpz_mat_t m;

	d.column = gpube__alloc(f->ctx, (uint64_t)s->n + (uint64_t)o->n_sets, sizeof(*d.column));
	d.row = gpube__alloc(f->ctx, (uint64_t)o->n, sizeof(*d.row));
	if (d.column && d.row)
		number_directions(&d);
	else
		status = GPUBE_ENOMEM;
	if (!status)
		status = nash__room(
			f->ctx, (uint64_t)d.n_rows * (uint64_t)d.n_columns * 2 * sizeof(fmpz));
	if (!status) {
		fmpz_mat_init(m, d.n_rows, d.n_columns);
		fill_directions(m, &d);
		*yes = fmpz_mat_rank(m) == d.n_columns;
		fmpz_mat_clear(m);
	}
	gpube__free(f->ctx, d.column);
	gpube__free(f->ctx, d.row);
	return status;
}
