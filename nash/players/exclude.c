/*
 * exclude.c - regions without equilibria, by linear programs.
 *
 * In an equilibrium in the region player i mixes the vertices k of i's simplex with weights x_k.
 * Say a is an action that is played at vertex k; then x_k (u_i(b) - u_i(a)) <= 0 for every action
 * b, and = 0 if b is played at the vertex, or known to be played at all. A payoff is linear in
 * the weights of the profiles of vertices, q = product of the x. So a linear program looks for
 * any weights q that satisfy all of them. If there are none, its dual gives multipliers with
 * which their combination is positive on every profile of vertices, and that is what is checked,
 * with a bound of the rounding. Without regions and multipliers of its own for each vertex these
 * are correlated equilibria (Nau, McCardle 1990); on small regions, where payoffs are nearly
 * linear, it cuts as Newton's method does.
 *
 * The program is min sum |sum_v q_v D_v|, sum q = 1, by a revised simplex method from one
 * profile. D has a row for each vertex and action but one, and in a column, which is a profile of
 * vertices, the rows of these vertices alone are not 0.
 */
#include <math.h>
#include <string.h>

#include "nash/eee/face_rows.h"
#include "nash/players/players.h"

/* What is basic: a profile of vertices from 0 on, or of row r one of these. */
enum { SLACK, ABOVE, BELOW, N_KINDS };
static int64_t code(int kind, int32_t row)
{
	return -1 - (int64_t)row * N_KINDS - kind;
}

/*
 * rows     conditions, and behind them the sum of the weights
 * row      of player i, vertex k: where their rows begin, by vertex_of + k
 * best     the action with which they compare
 * equal    whether the condition is an equation
 * inverse  of the basis, (rows + 1)^2, column after column; x, y: its solution and its dual
 * combined of each profile of vertices
 * violation  the sum of the artificial variables
 */
struct nash_program {
	int32_t rows;
	int64_t profiles;
	int32_t *vertex_of, *row, *best;
	uint8_t *equal;
	int64_t *basic;
	double *inverse, *x, *y, *column, *combined, violation;
};

struct nash_program *nash__program_new(struct gpube__arrays *to, const struct nash_players *p)
{
	struct nash_program *g = gpube__array(to, 1, sizeof(*g));
	uint64_t rows = 1, total = (uint64_t)p->total;

	if (!g)
		return NULL;
	for (int32_t i = 0; i < p->n; i++)
		rows += (uint64_t)p->m[i] * (uint64_t)(p->m[i] - 1);
	g->vertex_of = gpube__array(to, (uint64_t)p->n + 1, sizeof(*g->vertex_of));
	g->row = gpube__array(to, total + 1, sizeof(*g->row));
	g->best = gpube__array(to, total, sizeof(*g->best));
	g->equal = gpube__array(to, rows, sizeof(*g->equal));
	g->basic = gpube__array(to, rows, sizeof(*g->basic));
	g->inverse = gpube__array(to, rows * rows, sizeof(*g->inverse));
	g->x = gpube__array(to, rows, sizeof(*g->x));
	g->y = gpube__array(to, rows, sizeof(*g->y));
	g->column = gpube__array(to, rows, sizeof(*g->column));
	g->combined = gpube__array(to, (uint64_t)p->profiles, sizeof(*g->combined));
	return g;
}

int32_t nash__reference(
	const struct nash_players *p, const struct nash_region *r, int32_t i, int32_t k)
{
	const double *v = nash__vertex(p, r, i, k);
	int32_t most = 0;

	for (int32_t a = 1; a < p->m[i]; a++)
		if (v[a] > v[most])
			most = a;
	return most;
}

static void begin(struct nash_program *g, const struct nash_players *p, const struct nash_region *r)
{
	const int32_t *k = nash__sizes(p, r);

	g->rows = 0;
	g->profiles = nash__product(k, 0, p->n);
	g->vertex_of[0] = 0;
	for (int32_t i = 0; i < p->n; i++) {
		g->vertex_of[i + 1] = g->vertex_of[i] + k[i];
		for (int32_t l = 0; l < k[i]; l++) {
			const double *v = nash__vertex(p, r, i, l);
			const int32_t at = g->vertex_of[i] + l;

			g->row[at] = g->rows;
			g->best[at] = nash__reference(p, r, i, l);
			for (int32_t a = 0; a < p->m[i]; a++)
				if (a != g->best[at])
					g->equal[g->rows++] =
						v[a] > 0 ||
						nash__states(p, r)[p->first[i] + a] == NASH_IN;
		}
	}
}

/* ---- columns ------------------------------------------------------------------------------- */

/*
 * Calls for the rows of a profile's vertices: fn(row, entry). As a macro, since a call for each
 * entry takes longer than the entry.
 */
#define FOR_COLUMN(g, w, k, profile, body)                                                         \
	do {                                                                                       \
		int64_t inner_ = 1, rest_ = (profile);                                             \
		for (int32_t i_ = (w)->p->n - 1; i_ >= 0; inner_ *= (k)[i_--]) {                   \
			const int32_t m_ = (w)->p->m[i_], l_ = (int32_t)(rest_ % (k)[i_]);         \
			const int32_t at_ = (g)->vertex_of[i_] + l_, best_ = (g)->best[at_];       \
			const double *t_ = (w)->t[i_] +                                            \
					   ((profile) / (inner_ * (k)[i_]) * m_) * inner_ +        \
					   (profile) % inner_;                                     \
			int32_t row = (g)->row[at_];                                               \
			for (int32_t a_ = 0; a_ < m_; a_++) {                                      \
				if (a_ == best_)                                                   \
					continue;                                                  \
				const double entry = t_[a_ * inner_] - t_[best_ * inner_];         \
				body;                                                              \
				row++;                                                             \
			}                                                                          \
			rest_ /= (k)[i_];                                                          \
		}                                                                                  \
	} while (0)

/* to += factor * (a - b) */
static void add_difference(double *restrict to, const double *restrict a, const double *restrict b,
	double factor, int64_t n)
{
#pragma omp simd
	for (int64_t k = 0; k < n; k++)
		to[k] += factor * (a[k] - b[k]);
}

/* g->column = inverse * the column of a profile. */
static void column_of(
	struct nash_program *g, const struct nash_work *w, const int32_t *k, int64_t profile)
{
	const int32_t n = g->rows + 1;

	memcpy(g->column, g->inverse + (int64_t)g->rows * n, (size_t)n * sizeof(double));
	FOR_COLUMN(g, w, k, profile, {
		if (entry != 0)
			nash__row_add(g->column, g->inverse + (int64_t)row * n, entry, n);
	});
}

/* The combination of the conditions on all profiles; returns the least, *at: where. */
static double combine(
	struct nash_program *g, const struct nash_work *w, const int32_t *k, int64_t *at)
{
	const struct nash_players *p = w->p;
	int64_t inner = g->profiles, outer = 1;

	memset(g->combined, 0, (size_t)g->profiles * sizeof(double));
	for (int32_t i = 0; i < p->n; outer *= k[i++]) {
		inner /= k[i];
		for (int64_t o = 0; o < outer; o++)
			for (int32_t l = 0; l < k[i]; l++) {
				const int32_t v = g->vertex_of[i] + l, best = g->best[v];
				const double *t = w->t[i] + o * p->m[i] * inner,
					     *b = t + best * inner;
				double *to = g->combined + (o * k[i] + l) * inner;
				const double *lambda = w->lambda + g->row[v];

				for (int32_t a = 0; a < p->m[i]; a++) {
					const double factor = a == best ? 0 : *lambda++;

					if (factor != 0)
						add_difference(to, t + a * inner, b, factor, inner);
				}
			}
	}
	*at = 0;
	for (int64_t v = 1; v < g->profiles; v++)
		if (g->combined[v] < g->combined[*at])
			*at = v;
	return g->combined[*at];
}

/* ---- the simplex method -------------------------------------------------------------------- */

/* From the profile that violates least. */
static void start(struct nash_program *g, const struct nash_work *w, const int32_t *k)
{
	const int32_t n = g->rows + 1;
	double least = INFINITY;
	int64_t first = 0;

	for (int64_t v = 0; v < g->profiles; v++) {
		double sum = 0;

		FOR_COLUMN(g, w, k, v, sum += g->equal[row] ? fabs(entry) : fmax(entry, 0));
		if (sum < least) {
			least = sum;
			first = v;
		}
	}
	memset(g->inverse, 0, (size_t)n * (size_t)n * sizeof(double));
	for (int32_t r = 0; r < g->rows; r++) {
		g->x[r] = 0;
		g->basic[r] = code(g->equal[r] ? ABOVE : SLACK, r);
		g->inverse[(int64_t)r * n + r] = 1;
	}
	FOR_COLUMN(g, w, k, first, {
		const bool positive = entry > 0;

		if (positive)
			g->basic[row] = code(BELOW, row);
		g->x[row] = fabs(entry);
		g->inverse[(int64_t)row * n + row] = positive ? -1 : 1;
		g->inverse[(int64_t)g->rows * n + row] = positive ? entry : -entry;
	});
	g->violation = least;
	g->basic[g->rows] = first;
	g->x[g->rows] = g->inverse[(int64_t)g->rows * n + g->rows] = 1;
}

static bool artificial(int64_t basic)
{
	return basic < 0 && (-1 - basic) % N_KINDS != SLACK;
}

static void dual(struct nash_program *g)
{
	const int32_t n = g->rows + 1;

	memset(g->y, 0, (size_t)n * sizeof(double));
	for (int32_t r = 0; r < n; r++)
		for (int32_t s = 0; s < n; s++)
			if (artificial(g->basic[s]))
				g->y[r] += g->inverse[(int64_t)r * n + s];
}

/*
 * What enters: out, the code of a column whose price is below 0, and its price; 0 or above: the
 * basis is the best. *least: of the combination, on the profiles
 */
static double price(struct nash_program *g, struct nash_work *w, const int32_t *k, int64_t *enter,
	double *least)
{
	double best = -1e-9;
	int64_t at;

	*enter = 0;
	*least = -INFINITY;
	for (int32_t r = 0; r < g->rows; r++) {
		const double l = -g->y[r], least_l = g->equal[r] ? -1 : 0;

		if (l - least_l < best) {
			best = l - least_l;
			*enter = code(g->equal[r] ? ABOVE : SLACK, r);
		}
		if (1 - l < best) {
			best = 1 - l;
			*enter = code(BELOW, r);
		}
		/* what is checked in the end is in these bounds */
		w->lambda[r] = l < least_l ? least_l : l > 1 ? 1 : l;
	}
	if (best < -1e-9)
		return best;
	*least = combine(g, w, k, &at);
	*enter = at;
	return *least - g->y[g->rows];
}

/* Exchanges; false: nothing leaves. */
static bool pivot(struct nash_program *g, int64_t enter, double reduced)
{
	const int32_t n = g->rows + 1;
	double step = INFINITY;
	int32_t leave = -1;

	for (int32_t s = 0; s < n; s++) {
		const double t = g->column[s] > 1e-9 ? g->x[s] / g->column[s] : INFINITY;

		if (t < step - 1e-13 ||
			(leave >= 0 && t < step + 1e-13 && g->column[s] > g->column[leave])) {
			step = t < step ? t : step;
			leave = s;
		}
	}
	if (leave < 0)
		return false;
	for (int32_t s = 0; s < n; s++) {
		const double x = g->x[s] - step * g->column[s];

		g->x[s] = s == leave ? step : x > 0 ? x : 0;
	}
	g->violation += step * reduced;
	for (int32_t r = 0; r < n; r++) {
		double *column = g->inverse + (int64_t)r * n;
		const double entry = column[leave] / g->column[leave];

		if (entry == 0)
			continue;
		nash__row_add(column, g->column, -entry, n);
		column[leave] = entry;
		g->y[r] += reduced * entry;
	}
	g->basic[leave] = enter;
	return true;
}

/* The weights of vertices, and for each action its probability times what it loses. */
static void take_solution(
	struct nash_program *g, struct nash_work *w, const struct nash_region *r, const int32_t *k)
{
	const struct nash_players *p = w->p;
	double *weight = w->weight;

	memset(g->column, 0, (size_t)(g->rows + 1) * sizeof(double));
	memset(weight, 0, (size_t)p->total * sizeof(double));
	memset(w->products, 0, (size_t)p->total * sizeof(double));
	for (int32_t s = 0; s <= g->rows; s++) {
		int64_t rest = g->basic[s];

		for (int32_t i = p->n - 1; g->basic[s] >= 0 && i >= 0; rest /= k[i--])
			weight[g->vertex_of[i] + rest % k[i]] += g->x[s];
		if (g->basic[s] < 0 && !artificial(g->basic[s]))
			g->column[(-1 - g->basic[s]) / N_KINDS] = g->x[s];
	}
	for (int32_t i = 0; i < p->n; i++)
		for (int32_t a = 0; a < p->m[i]; a++) {
			double played = 0, loses = 0;

			for (int32_t l = 0; l < k[i]; l++) {
				const int32_t at = g->vertex_of[i] + l, best = g->best[at];

				played += weight[at] * nash__vertex(p, r, i, l)[a];
				if (a != best)
					loses += g->column[g->row[at] + a - (a > best)];
			}
			w->products[p->first[i] + a] = played * loses;
		}
}

bool nash__excluded(struct nash_work *w, const struct nash_region *r)
{
	const struct nash_players *p = w->p;
	struct nash_program *g = w->program;
	const int32_t *k = nash__sizes(p, r);
	/* the sum of at most 'total' products of a multiplier and a difference of two payoffs */
	const double error = 3 * p->total * nash__region_error(p, r);
	int64_t enter, rounds;
	double reduced, least;

	begin(g, p, r);
	start(g, w, k);
	dual(g);
	for (rounds = 0; rounds < 40 * (int64_t)g->rows + 200; rounds++) {
		reduced = price(g, w, k, &enter, &least);
		if (least > error) {
			gpube__work(
				w->ctx, rounds * g->rows * g->rows / 2 + g->profiles * p->total);
			return true;
		}
		if (reduced >= -1e-9)
			break;
		if (enter >= 0) {
			column_of(g, w, k, enter);
		} else {
			const int32_t row = (int32_t)((-1 - enter) / N_KINDS), n = g->rows + 1;
			const double sign = (-1 - enter) % N_KINDS == BELOW ? -1 : 1;

			for (int32_t s = 0; s < n; s++)
				g->column[s] = sign * g->inverse[(int64_t)row * n + s];
		}
		if (!pivot(g, enter, reduced) || g->violation < 1e-11 ||
			(rounds % 16 == 15 && gpube__stopped(w->ctx)))
			break;
	}
	gpube__work(w->ctx, rounds * g->rows * g->rows / 2 + g->profiles * p->total);
	take_solution(g, w, r, k);
	return false;
}
