/*
 * extremes.c - all extreme equilibria of a game in extensive form, in integers.
 *
 * A search on complementarity, as branch and bound of matrix games (eee/) is: of each sequence and
 * its slack, on the other player's side, one is zero. A node is a face of each side; where a vertex
 * of each has a sequence with slack, one of both is made zero in each of two nodes. Where nothing
 * is left to branch on all points of both faces are equilibria with each other, and the vertices
 * are walked over.
 *
 * A sequence with a set behind it has no slack, whether it is played or not: the value of that set
 * is bounded from below alone, and may be as large as the sequence leaves room for. So slacks of
 * last sequences are branched on, and of the values of sets that no reply comes to, which are no
 * part of an equilibrium, hardly any is left to walk over.
 * Source: Audet, Belhaiza, Hansen, A new sequence form approach for the enumeration and refinement
 *         of all extreme Nash equilibria for extensive form games, 2009.
 */
#include <math.h>
#include <string.h>

#include "nash/extensive/sequences.h"

/*
 * A face of each side.
 * fixed  by variable of a side: it is zero on the face
 * done   by label: nothing is left to decide
 */
struct branch {
	struct nash_dict d[2];
	unsigned char *fixed[2], *done;
};

struct search {
	struct nash_extremes *e;
	const struct nash_sequence_form *f;
	int32_t side; /* variables of a side, which are as many as labels */
	struct branch *stack;
	int64_t n, capacity;
	/* of the walk over a face of 'player' */
	int player;
	fmpz *plan;
	uint64_t *mask;
	int64_t bases;
};

/*
 * Labels are numbered as side 0's variables: sequences of player 1, then of player 2. This is what
 * the label's variable of a side is.
 */
static int32_t variable(const struct search *s, int q, int32_t label)
{
	const int32_t own = s->f->of[0].n - 1;

	if (q == 0)
		return label;
	return label < own ? s->side - own + label : label - own;
}

/* ---- branches -------------------------------------------------------------------------------- */

static void branch_clear(struct branch *b, struct gpube_ctx *ctx)
{
	nash__dict_clear(&b->d[0]);
	nash__dict_clear(&b->d[1]);
	gpube__free(ctx, b->done);
}

/* Flags in one block, all 0 or another's. */
static int take_flags(struct branch *b, const struct search *s, const struct branch *from)
{
	const size_t n = (size_t)s->side + 1;

	b->done = gpube__alloc_zero(s->f->ctx, 3, n);
	if (!b->done)
		return GPUBE_ENOMEM;
	b->fixed[0] = b->done + n;
	b->fixed[1] = b->fixed[0] + n;
	if (from)
		memcpy(b->done, from->done, 3 * n);
	return GPUBE_OK;
}

/* The branch in which the label's variable of side q is zero, unless that is empty. */
static int push(struct search *s, const struct branch *from, int q, int32_t label)
{
	struct gpube_ctx *ctx = s->f->ctx;
	const int32_t var = variable(s, q, label);
	struct branch b = {.d = {{.ctx = ctx}, {.ctx = ctx}}};
	bool empty = true;
	int status = nash__room(
		ctx, (uint64_t)(from->d[0].n_store + from->d[1].n_store) * 2 * sizeof(fmpz));

	if (!status)
		status = gpube__grow(ctx, &s->stack, &s->capacity, s->n + 1, sizeof(*s->stack));
	if (!status)
		status = take_flags(&b, s, from);
	for (int k = 0; k < 2 && !status; k++)
		status = nash__dict_copy(&b.d[k], &from->d[k]);
	if (!status)
		status = nash__dict_fix(&b.d[q], b.fixed[q], var, &empty);
	if (status || empty) {
		branch_clear(&b, ctx);
		return status;
	}
	b.fixed[q][var] = 1;
	b.done[label] = 1;
	s->stack[s->n++] = b;
	return GPUBE_OK;
}

/* A basic variable, in units of its row's largest coefficient; 0: nonbasic. */
static double height(const struct nash_dict *d, int32_t var)
{
	const int r = nash__dict_row(d, var);
	double most = 0;

	if (r < 0 || fmpz_is_zero(d->d[r]))
		return 0;
	for (int c = 0; c < d->cols; c++) {
		const double a = fabs(fmpz_get_d(d->d[r] + c + 1));

		most = a > most ? a : most;
	}
	return most > 0 && most < 1e300 ? fmpz_get_d(d->d[r]) / most : 1;
}

/*
 * The label to branch on: the one that is missed most, or else one that is missed somewhere on the
 * faces; -1: none is.
 */
static int find_label(const struct search *s, struct branch *b, int32_t *label)
{
	double most = 0;
	int status = GPUBE_OK;

	*label = -1;
	for (int32_t k = 0; k < s->side; k++) {
		const double missed = b->done[k] ? 0
						 : height(&b->d[0], variable(s, 0, k)) *
							   height(&b->d[1], variable(s, 1, k));

		if (missed > most) {
			most = missed;
			*label = k;
		}
	}
	for (int32_t k = 0; k < s->side && *label < 0 && !status; k++) {
		bool positive = true;

		for (int q = 0; q < 2 && !b->done[k] && positive && !status; q++)
			status = nash__dict_raise(
				&b->d[q], b->fixed[q], variable(s, q, k), &positive);
		if (b->done[k])
			continue;
		if (positive)
			*label = k;
		else
			b->done[k] = 1;
	}
	return status;
}

/* ---- leaves ------------------------------------------------------------------------------- */

/* Labels of a plan: its sequences that are zero, the other's that are best replies. */
static void fill_mask(struct search *s, int q)
{
	const struct nash_sequence_form *f = s->f;
	const int32_t at[2] = {0, f->of[0].n - 1};

	memset(s->mask, 0, (size_t)s->e->labels[q].words * sizeof(*s->mask));
	for (int32_t k = 1; k < f->of[q].n; k++)
		if (fmpz_is_zero(s->plan + k))
			gpube__bit_put(s->mask, at[q] + k - 1);
	for (int32_t k = 1; k < f->of[1 - q].n; k++)
		if (f->reply[1 - q].used[k])
			gpube__bit_put(s->mask, at[1 - q] + k - 1);
}

/* Keeps the plan of a vertex, if it is extreme and new. */
static int visit(void *arg, const struct nash_dict *d)
{
	struct search *s = arg;
	struct nash_extremes *e = s->e;
	const int q = s->player;
	const int32_t n = s->f->of[q].n;
	bool yes, fresh;
	fmpz *copy;
	int status;

	e->work++;
	_fmpz_vec_zero(s->plan, n);
	fmpz_set(s->plan, d->den);
	for (int r = 0; r < d->rows; r++)
		if (d->basic[r] < n - 1)
			fmpz_set(s->plan + d->basic[r] + 1, d->d[r]);
	nash__reply_find(s->f, 1 - q, s->plan);
	fill_mask(s, q);
	/* (vertices with the same plan are many) */
	status = gpube__mask_set_add(&e->seen[q], s->f->ctx, s->mask, &fresh);
	if (status || !fresh)
		return status;
	status = nash__is_extreme(&yes, s->f, q, s->plan);
	if (status || !yes)
		return status;
	status = gpube__mask_set_add(&e->labels[q], s->f->ctx, s->mask, NULL);
	if (!status)
		status = gpube__grow(s->f->ctx, &e->plans[q], &e->capacity[q], e->labels[q].n,
			sizeof(*e->plans[q]));
	if (status)
		return status;
	nash__lowest_terms(s->plan, n - 1);
	copy = _fmpz_vec_init(n);
	_fmpz_vec_set(copy, s->plan, n);
	e->plans[q][e->labels[q].n - 1] = copy;
	return GPUBE_OK;
}

static int leaf(struct search *s, struct branch *b)
{
	int status = GPUBE_OK;

	for (int q = 0; q < 2 && !status; q++) {
		s->player = q;
		s->plan = _fmpz_vec_init(s->f->of[q].n);
		status = nash__face_walk(&b->d[q], s->side, b->fixed[q], visit, s);
		_fmpz_vec_clear(s->plan, s->f->of[q].n);
	}
	return status;
}

/* ---- the search -------------------------------------------------------------------------- */

/* Sequences of the other player that a set follows on have no slack on side q. */
static int fix_values(const struct search *s, struct branch *b, int q)
{
	const struct nash_sequences *other = &s->f->of[1 - q];
	const int32_t before = q ? 0 : s->f->of[0].n - 1;
	int status = GPUBE_OK;

	for (int32_t h = 0; h < other->n_sets && !status; h++) {
		const int32_t sequence = other->after[h];
		const int32_t var = nash__slack_variable(s->f, q, sequence);
		bool empty = false;

		if (sequence == 0 || b->fixed[q][var])
			continue;
		if (gpube__stopped(s->f->ctx))
			return gpube__fail_stopped(s->f->ctx);
		status = nash__dict_fix(&b->d[q], b->fixed[q], var, &empty);
		if (!status && empty)
			status = gpube__fail(s->f->ctx, GPUBE_EBUG,
				"internal error: values of sets are bounded; please report this");
		b->fixed[q][var] = 1;
		b->done[before + sequence - 1] = 1;
	}
	return status;
}

/* Both sides, at a vertex of pure plans. */
static int start(struct search *s)
{
	const struct nash_sequence_form *f = s->f;
	struct gpube_ctx *ctx = f->ctx;
	struct branch b = {.d = {{.ctx = ctx}, {.ctx = ctx}}};
	const uint64_t rows = (uint64_t)nash__sequence_rows(f, 0) *
			      (uint64_t)nash__sequence_cols(f, 0),
		       more = (uint64_t)nash__sequence_rows(f, 1) *
			      (uint64_t)nash__sequence_cols(f, 1);
	int status = GPUBE_OK;

	if ((double)(rows + more) * 2 * sizeof(fmpz) * (s->side + 1.0) > (double)ctx->memory_bytes)
		return gpube__fail(ctx, GPUBE_ELIMIT,
			"a search of %d and %d sequences may take more than the memory allowed: "
			"one equilibrium can be asked for",
			f->of[0].n, f->of[1].n);
	if (gpube__grow(ctx, &s->stack, &s->capacity, 1, sizeof(*s->stack)))
		return GPUBE_ENOMEM;
	status = take_flags(&b, s, NULL);
	for (int q = 0; q < 2 && !status; q++) {
		/* any pure plan, and a best reply */
		fmpz *plan = _fmpz_vec_init(f->of[q].n);

		nash__pure_plan(plan, &f->of[q], f->of[q].first);
		nash__reply_find(f, 1 - q, plan);
		status = nash__sequence_dict(
			&b.d[q], f, q, f->of[q].first, f->reply[1 - q].best, NULL);
		_fmpz_vec_clear(plan, f->of[q].n);
		if (!status)
			status = fix_values(s, &b, q);
	}
	if (status)
		branch_clear(&b, ctx);
	else
		s->stack[s->n++] = b;
	return status;
}

static int step(struct search *s, struct branch *b)
{
	int32_t label;
	int status = find_label(s, b, &label);

	if (status)
		return status;
	if (label < 0)
		return leaf(s, b);
	status = push(s, b, 1, label);
	return status ? status : push(s, b, 0, label);
}

static void progress(const struct search *s)
{
	gpube__progress(s->f->ctx, -1, "%lld nodes and bases, %lld and %lld plans",
		(long long)s->e->work, (long long)s->e->labels[0].n, (long long)s->e->labels[1].n);
}

int nash__extremes_find(struct nash_extremes *e)
{
	struct search s = {.e = e, .f = e->form};
	struct gpube_ctx *ctx = s.f->ctx;
	int status;

	s.side = s.f->of[0].n + s.f->of[1].n - 2;
	for (int q = 0; q < 2; q++)
		e->labels[q].words = e->seen[q].words = s.side / 64 + 1;
	s.mask = gpube__alloc(ctx, (uint64_t)e->labels[0].words, sizeof(*s.mask));
	status = s.mask ? start(&s) : GPUBE_ENOMEM;
	while (s.n && !status) {
		struct branch b = s.stack[--s.n];

		status = nash__room(ctx, 0);
		if (!status && gpube__stopped(ctx))
			status = gpube__fail_stopped(ctx);
		if (!status)
			status = step(&s, &b);
		if ((++e->work & 255) == 0)
			progress(&s);
		branch_clear(&b, ctx);
	}
	while (s.n)
		branch_clear(&s.stack[--s.n], ctx);
	gpube__free(ctx, s.stack);
	gpube__free(ctx, s.mask);
	return status;
}

void nash__extremes_clear(struct nash_extremes *e)
{
	struct gpube_ctx *ctx = e->form->ctx;

	for (int q = 0; q < 2; q++) {
		for (int64_t k = 0; k < e->labels[q].n && k < e->capacity[q]; k++)
			if (e->plans[q][k])
				_fmpz_vec_clear(e->plans[q][k], e->form->of[q].n);
		gpube__free(ctx, e->plans[q]);
		gpube__mask_set_clear(&e->labels[q], ctx);
		gpube__mask_set_clear(&e->seen[q], ctx);
	}
}

bool nash__extremes_match(const struct nash_extremes *e, int64_t a, int64_t b)
{
	const uint64_t *x = e->labels[0].masks + a * e->labels[0].words,
		       *y = e->labels[1].masks + b * e->labels[1].words;
	const int32_t n = e->form->of[0].n + e->form->of[1].n - 2;
	bool all = true;

	for (int32_t k = 0; k < n && all; k += 64)
		all = (x[k / 64] | y[k / 64]) ==
		      (n - k >= 64 ? UINT64_MAX : ((uint64_t)1 << (n - k)) - 1);
	return all;
}
