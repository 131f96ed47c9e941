/*
 * lemke.c - one equilibrium of a game in extensive form, by Lemke's algorithm in integers.
 *
 * The players begin with a prior, all actions alike, against which each plays a best reply. On the
 * way they play the prior with a probability that falls from 1 to 0, and at its end an
 * equilibrium, which for a prior that plays everything is normal-form perfect. Every basis on the
 * way is feasible and has one variable of each pair of a sequence and its slack nonbasic, but for
 * one pair.
 * Source: von Stengel, van den Elzen, Talman, Computing normal form perfect equilibria for
 *         extensive two-person games, 2002.
 */
#include "nash/extensive/sequences.h"

/*
 * Variables: those of side 0, those of side 1, as many; what is not the prior, and the prior.
 * d       both sides' rows, and the prior's: 1 less the rest
 * prior   of each player
 */
struct lemke {
	const struct nash_sequence_form *f;
	struct nash_dict d;
	struct nash_lex lex;
	fmpz *prior[2];
	int32_t side; /* variables of a side */
};

/* The variable that is zero where this one is not. */
static int32_t complement(const struct lemke *l, int32_t var)
{
	const int q = var >= l->side;
	const int32_t v = var - q * l->side, own = l->f->of[q].n - 1, other = l->side - own;

	/* own sequences of a side are slacks of the other, behind its own */
	return v < own ? (1 - q) * l->side + other + v : (1 - q) * l->side + v - own;
}

/* Constant and step of a row: of a plan from 0, of a slack from what it is against the prior. */
static void fill_row(struct lemke *l, int q, const struct nash_dict *side, int r, int at, int first)
{
	const int32_t own = l->f->of[q].n - 1;
	const fmpz *from = side->d[r], *prior = l->prior[q];
	fmpz *to = l->d.d[at], *step = to + l->d.cols;

	l->d.basic[at] = q * l->side + side->basic[r];
	if (side->basic[r] < own)
		fmpz_set(step, from);
	else
		fmpz_mul(to, from, prior);
	for (int c = 0; c < side->cols; c++) {
		const int32_t var = side->nonbasic[c];

		if (side->basic[r] < own || var >= own) {
			fmpz_set(to + first + c + 1, from + c + 1);
			continue;
		}
		/* the slacks of a side are in units of its prior's denominator */
		fmpz_mul(to + first + c + 1, from + c + 1, prior);
		fmpz_addmul(to, from + c + 1, prior + var + 1);
		fmpz_submul(step, from + c + 1, prior + var + 1);
	}
}

/*
 * Rows of slacks come before those of plans, so that in the lexicographic order they are larger:
 * the replies that the path begins with are then the only best ones, and it cannot come back to
 * its beginning by others.
 */
static int fill(struct lemke *l)
{
	const struct nash_sequence_form *f = l->f;
	int slacks = 0, plans = l->d.rows - 1 - f->of[0].n_sets - f->of[1].n_sets, first = 0;
	int status = GPUBE_OK;

	for (int q = 0; q < 2 && !status; q++) {
		struct nash_dict side;

		status = nash__sequence_dict(
			&side, f, q, f->reply[q].best, f->reply[1 - q].best, NULL);
		if (status)
			break;
		for (int c = 0; c < side.cols; c++)
			l->d.nonbasic[first + c] = q * l->side + side.nonbasic[c];
		for (int r = 0; r < side.rows; r++)
			fill_row(l, q, &side, r,
				side.basic[r] < f->of[q].n - 1 ? plans++ : slacks++, first);
		first += side.cols;
		nash__dict_clear(&side);
	}
	l->d.nonbasic[first] = 2 * l->side;
	l->d.basic[l->d.rows - 1] = 2 * l->side + 1;
	fmpz_one(l->d.d[l->d.rows - 1]);
	fmpz_set_si(l->d.d[l->d.rows - 1] + l->d.cols, -1);
	return status;
}

static int start(struct lemke *l)
{
	const struct nash_sequence_form *f = l->f;
	const int rows = nash__sequence_rows(f, 0) + nash__sequence_rows(f, 1) + 1,
		  cols = nash__sequence_cols(f, 0) + nash__sequence_cols(f, 1) + 1;
	int status = GPUBE_OK;

	l->side = f->of[0].n + f->of[1].n - 2;
	for (int q = 0; q < 2 && !status; q++) {
		status = nash__room(f->ctx, (uint64_t)f->of[q].n * 2 * sizeof(fmpz));
		if (status)
			return status;
		l->prior[q] = _fmpz_vec_init(f->of[q].n);
		nash__even_plan(l->prior[q], &f->of[q]);
		nash__reply_find(f, 1 - q, l->prior[q]);
	}
	if (!status && (uint64_t)rows * (uint64_t)cols > f->ctx->memory_bytes / (4 * sizeof(fmpz)))
		status = gpube__fail(f->ctx, GPUBE_ELIMIT,
			"a tableau of %d x %d integers: more than the memory allowed", rows, cols);
	if (!status)
		status = nash__room(f->ctx, (uint64_t)rows * (uint64_t)cols * 2 * sizeof(fmpz));
	if (!status)
		status = nash__dict_new(&l->d, f->ctx, rows, cols);
	if (!status)
		status = fill(l);
	if (!status)
		status = nash__lex_init(&l->lex, f->ctx, &l->d, 2 * l->side + 2);
	return status;
}

static int run(struct lemke *l, int64_t *work)
{
	struct gpube_ctx *ctx = l->f->ctx;
	const int32_t prior = 2 * l->side + 1;
	int32_t enters = 2 * l->side, leaves = -1;

	while (leaves != prior) {
		const int col = -1 - l->lex.where[enters],
			  row = nash__lex_ratio(&l->lex, &l->d, col);

		if (nash__room(ctx, 0))
			return GPUBE_ENOMEM;
		if (gpube__stopped(ctx))
			return gpube__fail_stopped(ctx);
		if (row < 0 || l->d.basic[row] == 2 * l->side)
			return gpube__fail(ctx, GPUBE_EBUG,
				"internal error: a path of plans has no end; please report this");
		leaves = l->d.basic[row];
		nash__dict_pivot(&l->d, row, col);
		nash__lex_pivot(&l->lex, &l->d, row, col);
		if ((++*work & 31) == 0)
			gpube__progress(ctx, -1, "%lld pivots", (long long)*work);
		if (leaves != prior)
			enters = complement(l, leaves);
	}
	return GPUBE_OK;
}

int nash__lemke(const struct nash_sequence_form *f, fmpz *const plan[2], int64_t *work)
{
	struct lemke l = {.f = f};
	int status;

	l.d.ctx = f->ctx;
	status = start(&l);
	if (!status)
		status = run(&l, work);
	for (int q = 0; q < 2 && !status; q++) {
		_fmpz_vec_zero(plan[q], f->of[q].n);
		fmpz_set(plan[q], l.d.den);
		for (int r = 0; r < l.d.rows; r++) {
			const int32_t v = l.d.basic[r] - q * l.side;

			if (v >= 0 && v < f->of[q].n - 1)
				fmpz_set(plan[q] + v + 1, l.d.d[r]);
		}
		nash__lowest_terms(plan[q], f->of[q].n - 1);
	}
	nash__lex_clear(&l.lex, f->ctx);
	nash__dict_clear(&l.d);
	for (int q = 0; q < 2; q++)
		if (l.prior[q])
			_fmpz_vec_clear(l.prior[q], f->of[q].n);
	return status;
}
