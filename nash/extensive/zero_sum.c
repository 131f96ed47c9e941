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
	int rows, cols;
	double *d, *edge;
	int32_t *basic, *nonbasic;
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
	char text[64];
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
		if ((++*work & 63) == 0) {
			snprintf(text, sizeof(text), "%lld pivots", (long long)*work);
			gpube__progress(p->ctx, -1, text);
		}
	}
	*optimal = entering(p) < 0;
	return GPUBE_OK;
}

/* ---- its basis in integers ------------------------------------------------------------------- */

/*
 * What a basis says of both players' sequences: whether the sequence may be played; its slack is
 * zero where it is, and may be other where it is not.
 */
struct basis {
	unsigned char *played[2];
};

static void note_basis(struct basis *b, const struct nash_sequence_form *f, const struct program *p)
{
	const int32_t own = f->of[0].n - 1;

	memset(b->played[0], 0, (size_t)f->of[0].n);
	memset(b->played[1], 0, (size_t)f->of[1].n);
	for (int r = 0; r < p->rows; r++)
		if (p->basic[r] < own)
			b->played[0][p->basic[r] + 1] = 1;
	for (int c = 0; c < p->cols; c++)
		if (p->nonbasic[c] >= own)
			b->played[1][p->nonbasic[c] - own + 1] = 1;
}

/* Sequences of the sets, of those that are played where there is one. */
static void choose(int32_t *choice, const struct nash_sequences *s, const unsigned char *played)
{
	for (int32_t h = 0; h < s->n_sets; h++) {
		choice[h] = s->first[h];
		for (int32_t k = s->first[h + 1] - 1; k >= s->first[h]; k--)
			if (played[k])
				choice[h] = k;
	}
}

/* Whether a variable of the player's side is basic in the basis. */
static bool is_basic(
	const struct nash_sequence_form *f, int q, const struct basis *b, int32_t variable)
{
	const int32_t own = f->of[q].n - 1;

	return variable < own ? b->played[q][variable + 1] : !b->played[1 - q][variable - own + 1];
}

/*
 * The plan at which all that is nonbasic is zero: in the dictionary of one of pure plans, what
 * is to be basic and is not are unknowns, what is and is not to be are equations. plan: the
 * numbers over the solution's denominator; *ok: there is one alone
 */
static void solve_block(fmpz *plan, bool *ok, const struct nash_dict *d,
	const struct nash_sequence_form *f, int q, const struct basis *b, slong n)
{
	fmpz_mat_t a, rhs, x;
	fmpz_t den;
	slong r = 0, c = 0;

	fmpz_mat_init(a, n, n);
	fmpz_mat_init(rhs, n, 1);
	fmpz_mat_init(x, n, 1);
	fmpz_init(den);
	for (int i = 0; i < d->rows; i++) {
		if (is_basic(f, q, b, d->basic[i]))
			continue;
		c = 0;
		for (int j = 0; j < d->cols; j++)
			if (is_basic(f, q, b, d->nonbasic[j]))
				fmpz_set(fmpz_mat_entry(a, r, c++), d->d[i] + j + 1);
		fmpz_neg(fmpz_mat_entry(rhs, r++, 0), d->d[i]);
	}
	/* p-adic lifting pays once elimination in integers would have rows of long numbers */
	*ok = n == 0 ||
	      (n > 30 ? fmpz_mat_solve_dixon_den(x, den, a, rhs) : fmpz_mat_solve(x, den, a, rhs));
	if (n == 0)
		fmpz_one(den);
	if (*ok && fmpz_sgn(den) < 0) {
		fmpz_mat_neg(x, x);
		fmpz_neg(den, den);
	}
	if (*ok) {
		const int32_t own = f->of[q].n - 1;

		_fmpz_vec_zero(plan, f->of[q].n);
		fmpz_set(plan, den);
		for (int i = 0; i < d->rows; i++) {
			fmpz *to = d->basic[i] < own ? plan + d->basic[i] + 1 : NULL;

			if (!to || !is_basic(f, q, b, d->basic[i]))
				continue;
			fmpz_mul(to, d->d[i], den);
			c = 0;
			for (int j = 0; j < d->cols; j++)
				if (is_basic(f, q, b, d->nonbasic[j]))
					fmpz_addmul(to, d->d[i] + j + 1, fmpz_mat_entry(x, c++, 0));
		}
		c = 0;
		for (int j = 0; j < d->cols; j++)
			if (is_basic(f, q, b, d->nonbasic[j])) {
				if (d->nonbasic[j] < own)
					fmpz_set(
						plan + d->nonbasic[j] + 1, fmpz_mat_entry(x, c, 0));
				c++;
			}
		nash__lowest_terms(plan, f->of[q].n - 1);
	}
	fmpz_mat_clear(a);
	fmpz_mat_clear(rhs);
	fmpz_mat_clear(x);
	fmpz_clear(den);
}

static int solve_plan(fmpz *plan, bool *ok, const struct nash_sequence_form *f, int q,
	const struct basis *b, int32_t *const choice[2])
{
	struct nash_dict d;
	slong n = 0, m = 0;
	int status = nash__sequence_dict(&d, f, q, choice[q], choice[1 - q], NULL);

	if (status)
		return status;
	for (int r = 0; r < d.rows; r++)
		n += !is_basic(f, q, b, d.basic[r]);
	for (int c = 0; c < d.cols; c++)
		m += is_basic(f, q, b, d.nonbasic[c]);
	*ok = n == m;
	/* solutions have as many digits as determinants, which grow with the system */
	if (*ok)
		status = nash__room(f->ctx, (uint64_t)n * (uint64_t)(n + 64) * 2 * sizeof(fmpz));
	if (*ok && !status) {
		gpube__log(f->ctx, GPUBE_LOG_DETAIL, "player %d: %ld equations of %d x %d", q + 1,
			(long)n, d.rows, d.cols);
		solve_block(plan, ok, &d, f, q, b, n);
	}
	nash__dict_clear(&d);
	return status;
}

/* ---- both ---------------------------------------------------------------------------------- */

static int take(
	struct program *p, struct basis *b, int32_t *choice[2], const struct nash_sequence_form *f)
{
	struct gpube_ctx *ctx = f->ctx;
	const uint64_t rows = (uint64_t)nash__sequence_rows(f, 0),
		       cols = (uint64_t)nash__sequence_cols(f, 0);
	bool ok;

	*p = (struct program){.ctx = ctx, .rows = (int)rows, .cols = (int)cols};
	if ((rows + 1) * (cols + 1) > ctx->memory_bytes / (4 * sizeof(double)))
		return gpube__fail(ctx, GPUBE_ELIMIT,
			"a tableau of %d x %d numbers: more than the memory allowed", p->rows,
			p->cols);
	p->d = gpube__alloc(ctx, (rows + 1) * (cols + 1), sizeof(*p->d));
	p->edge = gpube__alloc(ctx, cols, sizeof(*p->edge));
	p->basic = gpube__alloc(ctx, rows, sizeof(*p->basic));
	p->nonbasic = gpube__alloc(ctx, cols, sizeof(*p->nonbasic));
	ok = p->d && p->edge && p->basic && p->nonbasic;
	for (int q = 0; q < 2; q++) {
		b->played[q] = gpube__alloc(ctx, (uint64_t)f->of[q].n, 1);
		choice[q] = gpube__alloc(ctx, (uint64_t)f->of[q].n_sets + 1, sizeof(**choice));
		ok = ok && b->played[q] && choice[q];
	}
	return ok ? GPUBE_OK : GPUBE_ENOMEM;
}

/* Player 1 plays a best reply to a mixture of all, player 2 one to that. */
static int load_first(struct program *p, const struct nash_sequence_form *f, uint64_t seed)
{
	fmpz *plan[2] = {_fmpz_vec_init(f->of[0].n), _fmpz_vec_init(f->of[1].n)},
	     *worth = _fmpz_vec_init(p->cols + 1);
	struct nash_reply own, reply = {0};
	struct nash_dict d;
	int status = nash__reply_init(&own, f, 0);

	if (!status)
		status = nash__reply_init(&reply, f, 1);
	if (!status) {
		nash__even_plan(plan[1], &f->of[1]);
		nash__reply_find(&own, f, 0, plan[1]);
		nash__pure_plan(plan[0], &f->of[0], own.best);
		nash__reply_find(&reply, f, 1, plan[0]);
		status = nash__sequence_dict(&d, f, 0, own.best, reply.best, worth);
	}
	if (!status) {
		load(p, f, &d, worth, seed);
		nash__dict_clear(&d);
	}
	nash__reply_clear(&own, f, 0);
	nash__reply_clear(&reply, f, 1);
	_fmpz_vec_clear(worth, p->cols + 1);
	_fmpz_vec_clear(plan[0], f->of[0].n);
	_fmpz_vec_clear(plan[1], f->of[1].n);
	return status;
}

int nash__zero_sum(const struct nash_sequence_form *f, fmpz *const plan[2], int64_t *work)
{
	int32_t *choice[2] = {NULL, NULL};
	struct basis b = {{NULL, NULL}};
	struct program p;
	bool ok = false;
	int status = take(&p, &b, choice, f);

	/* another perturbation may come to a basis that is feasible without it */
	for (uint64_t seed = 1; seed <= 3 && !status && !ok; seed++) {
		status = load_first(&p, f, seed);
		if (!status)
			status = minimise(&p, &ok, work);
		if (status || !ok)
			continue;
		note_basis(&b, f, &p);
		for (int q = 0; q < 2; q++)
			choose(choice[q], &f->of[q], b.played[q]);
		for (int q = 0; q < 2 && !status && ok; q++)
			status = gpube__stopped(f->ctx)
					 ? gpube__fail_stopped(f->ctx)
					 : solve_plan(plan[q], &ok, f, q, &b, choice);
		if (!status && ok)
			status = nash__check_plans(&ok, f, plan[0], plan[1]);
		gpube__log(f->ctx, GPUBE_LOG_DETAIL, "%lld pivots in doubles, %s", (long long)*work,
			ok ? "proved" : "not proved");
	}
	for (int q = 0; q < 2; q++) {
		gpube__free(f->ctx, b.played[q]);
		gpube__free(f->ctx, choice[q]);
	}
	gpube__free(f->ctx, p.d);
	gpube__free(f->ctx, p.edge);
	gpube__free(f->ctx, p.basic);
	gpube__free(f->ctx, p.nonbasic);
	return status || ok ? status : GPUBE_ELIMIT;
}
