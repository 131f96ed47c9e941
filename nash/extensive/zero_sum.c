/*
 * zero_sum.c - one equilibrium of a game of sum zero in extensive form: a linear program in doubles
 * proposes a basis, whose plans are then solved for in integers and checked.
 *
 * The program is player 1's side, with the least that the other's best reply is worth; the basis
 * says of each sequence of both players whether it is played, or may have slack. It begins at a
 * vertex of pure plans, so that there is no first phase. Constants are perturbed, for ties are the
 * rule in such games; a tableau is dense, and columns are chosen by their steepest edge.
 * Source: Koller, Megiddo, von Stengel, Efficient computation of equilibria for extensive
 *         two-person games, 1996; Goldfarb, Reid, A practicable steepest-edge simplex algorithm,
 *         1977.
 */
#include <math.h>
#include <string.h>

#include "nash/eee/face_rows.h"
#include "nash/extensive/sequences.h"

/* ---- the program in doubles ------------------------------------------------------------------ */

#define PIVOT_TOLERANCE 1e-9
#define COST_TOLERANCE  1e-10

/*
 * basic[r] = d[r][0] + sum of d[r][c + 1] nonbasic[c]; the last row is what the reply is worth.
 * edge  by column: 1 + its squares
 */
struct program {
	struct gpube_ctx *ctx;
	struct gpube__arrays memory;
	int rows, cols;
	double *d, *edge;
	int32_t *basic, *nonbasic;
	unsigned char *played[2];
};

static double *row_of(const struct program *p, int r)
{
	return p->d + (size_t)r * ((size_t)p->cols + 1);
}

static double to_double(const fmpz *v, double scale)
{
	slong e;
	const double m = fmpz_get_d_2exp(&e, v);

	return m == 0 ? 0 : ldexp(m, (int)e) / scale;
}

/* The largest payoff becomes 1; slacks are in that unit, plans are not. */
static void load(struct program *p, const struct nash_sequence_form *f, const struct nash_dict *d,
	const fmpz *worth, uint64_t seed)
{
	const int32_t own = f->of[0].n - 1;
	struct gpube_rng rng;
	double scale = 1;

	for (int64_t k = 0; k < f->n; k++)
		scale = fmax(scale, fabs(fmpz_get_d(f->pay[1] + k)));
	gpube__rng_init(&rng, seed);
	for (int r = 0; r <= p->rows; r++) {
		const fmpz *from = r < p->rows ? d->d[r] : worth;
		const bool plan = r < p->rows && d->basic[r] < own;

		for (int c = 0; c <= p->cols; c++)
			row_of(p, r)[c] = to_double(
				from + c, plan || (c && d->nonbasic[c - 1] >= own) ? 1 : scale);
		if (r < p->rows)
			row_of(p, r)[0] += 1e-7 * (1 + gpube__rng_unit(&rng));
	}
	memcpy(p->basic, d->basic, (size_t)p->rows * sizeof(*p->basic));
	memcpy(p->nonbasic, d->nonbasic, (size_t)p->cols * sizeof(*p->nonbasic));
}

static void measure_edges(const struct program *p)
{
	for (int c = 0; c < p->cols; c++)
		p->edge[c] = 1;
	for (int r = 0; r < p->rows; r++)
		for (int c = 0; c < p->cols; c++)
			p->edge[c] += row_of(p, r)[c + 1] * row_of(p, r)[c + 1];
}

static int entering(const struct program *p)
{
	const double *worth = row_of(p, p->rows);
	double most = 0;
	int best = -1;

	for (int c = 0; c < p->cols; c++) {
		const double gain = worth[c + 1] * worth[c + 1] / p->edge[c];

		if (worth[c + 1] < -COST_TOLERANCE && gain > most) {
			most = gain;
			best = c;
		}
	}
	return best;
}

/* Of the rows that end the step soonest, within a tolerance, the one with the largest pivot. */
static int leaving(const struct program *p, int col)
{
	double step = INFINITY, most = 0;
	int best = -1;

	for (int r = 0; r < p->rows; r++) {
		const double *row = row_of(p, r);

		if (row[col + 1] < -PIVOT_TOLERANCE)
			step = fmin(step, (fmax(row[0], 0) + 1e-10) / -row[col + 1]);
	}
	for (int r = 0; r < p->rows; r++) {
		const double *row = row_of(p, r);

		if (row[col + 1] < -PIVOT_TOLERANCE && row[col + 1] < -most &&
			fmax(row[0], 0) / -row[col + 1] <= step) {
			most = -row[col + 1];
			best = r;
		}
	}
	return best;
}

static void pivot(struct program *p, int row, int col)
{
	double *pivot = row_of(p, row);
	const double by = -1 / pivot[col + 1];
	const int32_t var = p->basic[row];

	pivot[col + 1] = -1;
	for (int c = 0; c <= p->cols; c++)
		pivot[c] *= by;
	for (int c = 0; c < p->cols; c++)
		p->edge[c] = 1 + pivot[c + 1] * pivot[c + 1];
	for (int r = 0; r <= p->rows; r++) {
		double *a = row_of(p, r);
		const double f = a[col + 1];

		if (r == row)
			continue;
		if (f != 0) {
			a[col + 1] = 0;
			nash__row_add(a, pivot, f, p->cols + 1);
		}
		for (int c = 0; c < p->cols && r < p->rows; c++)
			p->edge[c] += a[c + 1] * a[c + 1];
	}
	p->basic[row] = p->nonbasic[col];
	p->nonbasic[col] = var;
}

/* To an optimum; true: doubles have come to one. Errors: ESTOP */
static int minimise(struct program *p, bool *optimal, int64_t *work)
{
	const int64_t most = 200 + 20 * ((int64_t)p->rows + p->cols);
	int col;

	*optimal = false;
	measure_edges(p);
	for (int64_t k = 0; k < most && (col = entering(p)) >= 0; k++) {
		const int row = leaving(p, col);

		if (row < 0)
			return GPUBE_OK;
		if (gpube__stopped(p->ctx))
			return gpube__fail_stopped(p->ctx);
		pivot(p, row, col);
		if ((++*work & 63) == 0)
			gpube__progress(p->ctx, -1, "%lld pivots", (long long)*work);
	}
	*optimal = entering(p) < 0;
	return GPUBE_OK;
}

/* ---- its basis in integers ------------------------------------------------------------------- */

/* By player and sequence: whether it may be played; where it may not its slack need not be 0. */
static void note_basis(
	unsigned char *const played[2], const struct nash_sequence_form *f, const struct program *p)
{
	const int32_t own = f->of[0].n - 1;

	memset(played[0], 0, (size_t)f->of[0].n);
	memset(played[1], 0, (size_t)f->of[1].n);
	for (int r = 0; r < p->rows; r++)
		if (p->basic[r] < own)
			played[0][p->basic[r] + 1] = 1;
	for (int c = 0; c < p->cols; c++)
		if (p->nonbasic[c] >= own)
			played[1][p->nonbasic[c] - own + 1] = 1;
}

/* ---- both ---------------------------------------------------------------------------------- */

static int take(struct program *p, const struct nash_sequence_form *f)
{
	struct gpube_ctx *ctx = f->ctx;
	const uint64_t rows = (uint64_t)nash__sequence_rows(f, 0),
		       cols = (uint64_t)nash__sequence_cols(f, 0);

	*p = (struct program){
		.ctx = ctx, .memory = {.ctx = ctx}, .rows = (int)rows, .cols = (int)cols};
	if ((rows + 1) * (cols + 1) > ctx->memory_bytes / (4 * sizeof(double)))
		return gpube__fail(ctx, GPUBE_ELIMIT,
			"a tableau of %d x %d numbers: more than the memory allowed", p->rows,
			p->cols);
	p->d = gpube__array(&p->memory, (rows + 1) * (cols + 1), sizeof(*p->d));
	p->edge = gpube__array(&p->memory, cols, sizeof(*p->edge));
	p->basic = gpube__array(&p->memory, rows, sizeof(*p->basic));
	p->nonbasic = gpube__array(&p->memory, cols, sizeof(*p->nonbasic));
	for (int q = 0; q < 2; q++)
		p->played[q] = gpube__array(&p->memory, (uint64_t)f->of[q].n, 1);
	return p->memory.failed ? GPUBE_ENOMEM : GPUBE_OK;
}

/* Player 1 plays a best reply to a mixture of all, player 2 one to that. */
static int load_first(
	struct program *p, const struct nash_sequence_form *f, fmpz *const plan[2], uint64_t seed)
{
	fmpz *worth = _fmpz_vec_init(p->cols + 1);
	struct nash_dict d;
	int status;

	nash__even_plan(plan[1], &f->of[1]);
	nash__pure_plan(plan[0], &f->of[0], nash__reply_find(f, 0, plan[1])->best);
	nash__reply_find(f, 1, plan[0]);
	status = nash__sequence_dict(&d, f, 0, f->reply[0].best, f->reply[1].best, worth);
	if (!status) {
		load(p, f, &d, worth, seed);
		nash__dict_clear(&d);
	}
	_fmpz_vec_clear(worth, p->cols + 1);
	return status;
}

int nash__zero_sum(const struct nash_sequence_form *f, fmpz *const plan[2], int64_t *work)
{
	struct program p;
	bool ok = false;
	int status = take(&p, f);

	/* another perturbation may come to a basis that is feasible without it */
	for (uint64_t seed = 1; seed <= 3 && !status && !ok; seed++) {
		status = load_first(&p, f, plan, seed);
		if (!status)
			status = minimise(&p, &ok, work);
		if (status || !ok)
			continue;
		note_basis(p.played, f, &p);
		for (int q = 0; q < 2 && !status && ok; q++)
			status = gpube__stopped(f->ctx) ? gpube__fail_stopped(f->ctx)
							: nash__solve_plan(plan[q], &ok, f, q,
								  p.played[q], p.played[1 - q]);
		ok = !status && ok && nash__is_equilibrium(f, plan);
		gpube__log(f->ctx, GPUBE_LOG_DETAIL, "%lld pivots in doubles, %s", (long long)*work,
			ok ? "proved" : "not proved");
	}
	gpube__arrays_clear(&p.memory);
	return status || ok ? status : GPUBE_ELIMIT;
}
