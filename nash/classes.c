/*
 * classes.c - seeded games of the classes that are used to compare solvers: GAMUT's, and those
 * made to be hard or degenerate. See nash.h.
 *
 * Every payoff is made as a fraction of 64-bit integers. Sources: Nudelman, Wortman, Shoham,
 * Leyton-Brown, Run the GAMUT, AAMAS 2004; for cyclic polytopes Savani and von Stengel,
 * Hard-to-solve bimatrix games, Econometrica 74, 2006.
 */
#include <math.h>
#include <string.h>

#include "gpube/ir/payoffs.h"
#include "gpube/options/options.h"
#include "nash/nash.h"

/*
 * m, n  actions
 * pay   of both players, row-major, over 'den'
 */
struct maker {
	struct gpube_ctx *ctx;
	int32_t m, n;
	int64_t *pay[2];
	struct gpube_rng rng;
	int64_t range;
	double covariance;
	struct gpube_rational p[3]; /* parameters, over den */
	int64_t den;                /* all that is drawn, given or put is over it */
};

/* Reals are so many parts of one, and their range such that times 2^31 actions they stay in 64
 * bits. */
#define REAL_UNIT  65536
#define REAL_RANGE 10000

/* ---- small pieces ------------------------------------------------------------------ */

static int64_t between(struct maker *k, int64_t lo, int64_t hi)
{
	return lo + (int64_t)gpube__rng_below(&k->rng, (uint64_t)(hi - lo) + 1);
}

static int64_t draw(struct maker *k)
{
	return between(k, -k->range * k->den, k->range * k->den);
}

static void both(struct maker *k, int64_t i, int64_t j, int64_t a, int64_t b)
{
	k->pay[0][i * k->n + j] = a;
	k->pay[1][i * k->n + j] = b;
}

/* ---- the classes ------------------------------------------------------------------- */

static void random_cell(struct maker *k, int64_t i, int64_t j)
{
	const int64_t a = draw(k);

	both(k, i, j, a, draw(k));
}

/* Two standard normal numbers by Box and Muller, the second with the asked covariance. */
static void covariant(struct maker *k, int64_t i, int64_t j)
{
	const double r = sqrt(-2 * log(1 - gpube__rng_unit(&k->rng)));
	const double t = 6.283185307179586 * gpube__rng_unit(&k->rng);
	const double a = r * cos(t), b = r * sin(t), c = k->covariance;

	both(k, i, j, llrint((double)(k->range * k->den) * a),
		llrint((double)(k->range * k->den) * (c * a + sqrt(1 - c * c) * b)));
}

static void zero_sum(struct maker *k, int64_t i, int64_t j)
{
	const int64_t a = draw(k);

	both(k, i, j, a, -a);
}

static void win_lose(struct maker *k, int64_t i, int64_t j)
{
	const uint64_t bits = gpube__rng_next(&k->rng) >> 62;

	both(k, i, j, (int64_t)(bits & 1) * k->den, (int64_t)(bits >> 1) * k->den);
}

static void coordination(struct maker *k, int64_t i, int64_t j)
{
	both(k, i, j, i == j ? k->den : 0, i == j ? k->den : 0);
}

static void dispersion(struct maker *k, int64_t i, int64_t j)
{
	both(k, i, j, i != j ? k->den : 0, i != j ? k->den : 0);
}

/* About half of the actions of each player become copies of others. */
static int duplicate(struct maker *k)
{
	const int64_t m = k->m, n = k->n;

	for (int64_t i = 1; i < m; i++) {
		const int64_t from = (int64_t)gpube__rng_below(&k->rng, (uint64_t)(2 * i));

		for (int64_t j = 0; from < i && j < n; j++)
			both(k, i, j, k->pay[0][from * n + j], k->pay[1][from * n + j]);
	}
	for (int64_t j = 1; j < n; j++) {
		const int64_t from = (int64_t)gpube__rng_below(&k->rng, (uint64_t)(2 * j));

		for (int64_t i = 0; from < j && i < m; i++)
			both(k, i, j, k->pay[0][i * n + from], k->pay[1][i * n + from]);
	}
	return GPUBE_OK;
}

static void draw_dollars(struct maker *k)
{
	k->p[2].num = draw(k);
	k->p[1].num = k->p[2].num + between(k, k->den, (k->range + 1) * k->den);
	k->p[0].num = k->p[1].num + between(k, k->den, (k->range + 1) * k->den);
}

/*
 * Who grabs first gets the most, the other something, both the least if they grab together.
 * Parameters: high > middle > low.
 */
static void grab_the_dollar(struct maker *k, int64_t i, int64_t j)
{
	const int64_t high = k->p[0].num, middle = k->p[1].num, low = k->p[2].num;

	both(k, i, j, i < j ? high : i > j ? middle : low, j < i ? high : j > i ? middle : low);
}

static void set_reward(struct maker *k)
{
	k->p[0].num = 2 * k->den;
}

/* Claims 2, 3, ...; both get the smaller, and the smaller claim takes a reward from the other. */
static void travelers_dilemma(struct maker *k, int64_t i, int64_t j)
{
	const int64_t least = ((i < j ? i : j) + 2) * k->den, reward = k->p[0].num;
	const int64_t turn = i < j ? reward : i > j ? -reward : 0;

	both(k, i, j, least + turn, least - turn);
}

/* As GAMUT does. */
static void draw_effort(struct maker *k)
{
	k->p[0].num = draw(k);
	k->p[1].num = between(k, 2 * k->den, (k->range + 2) * k->den);
	k->p[2].num = between(k, k->den, k->p[1].num - 1);
}

/* a + b * least effort - c * own effort, efforts from 1. */
static void minimum_effort(struct maker *k, int64_t i, int64_t j)
{
	const int64_t worth = k->p[0].num + k->p[1].num * ((i < j ? i : j) + 1);

	both(k, i, j, worth - k->p[2].num * (i + 1), worth - k->p[2].num * (j + 1));
}

/* ---- cyclic polytopes --------------------------------------------------------------- */

#define CYCLIC_MOST 16 /* actions: past that, payoffs of 64 bits give another polytope */

/* Solves a square system in place, rows of n + 1; the answer is in the last column. */
static void solve(long double *a, int n)
{
	for (int c = 0; c < n; c++) {
		int p = c;

		for (int r = c + 1; r < n; r++)
			if (fabsl(a[r * (n + 1) + c]) > fabsl(a[p * (n + 1) + c]))
				p = r;
		for (int j = 0; j <= n; j++) {
			const long double t = a[p * (n + 1) + j];

			a[p * (n + 1) + j] = a[c * (n + 1) + j];
			a[c * (n + 1) + j] = t;
		}
		for (int r = 0; r < n; r++) {
			const long double f = r == c ? 0 : a[r * (n + 1) + c] / a[c * (n + 1) + c];

			for (int j = c; j <= n; j++)
				a[r * (n + 1) + j] -= f * a[c * (n + 1) + j];
		}
	}
	for (int r = 0; r < n; r++)
		a[r * (n + 1) + n] /= a[r * (n + 1) + r];
}

/* Point t of the trigonometric moment curve, whose 2d points have their mean in the origin. */
static void moment(long double *x, int d, int t)
{
	const long double turn = 3.14159265358979323846264338327950288L * t / d;

	for (int h = 0; h < d / 2; h++) {
		x[2 * h] = cosl((h + 1) * turn);
		x[2 * h + 1] = sinl((h + 1) * turn);
	}
}

/*
 * The facets of the dual cyclic polytope of 2d facets, seen from the vertex where the first d
 * meet: those become the probabilities, the others the opponent's payoffs. name[f] is the label
 * of facet f, so the probability of action name[f] or the payoff to action name[f] - d.
 */
static void polytope(long double *payoff, int d, const int *name)
{
	long double a[CYCLIC_MOST * (CYCLIC_MOST + 1)], x[CYCLIC_MOST];

	for (int f = d; f < 2 * d; f++) {
		long double sum = 0;

		/* facet f as a combination of the first d */
		for (int c = 0; c < d; c++) {
			moment(x, d, c);
			for (int r = 0; r < d; r++)
				a[r * (d + 1) + c] = x[r];
		}
		moment(x, d, f);
		for (int r = 0; r < d; r++)
			a[r * (d + 1) + d] = x[r];
		solve(a, d);
		for (int c = 0; c < d; c++)
			sum += a[c * (d + 1) + d];
		for (int c = 0; c < d; c++)
			payoff[(name[f] - d) * d + name[c]] = -a[c * (d + 1) + d] / (1 - sum);
	}
}

/*
 * Labels of the second polytope: those of the first with neighbours exchanged, so that only
 * the uniform-like mixture of all actions completes them, at the end of paths that are
 * exponentially long.
 */
static int cyclic_polytope(struct maker *k)
{
	int first[2 * CYCLIC_MOST], second[2 * CYCLIC_MOST];
	long double payoff[2][CYCLIC_MOST * CYCLIC_MOST] = {{0}}, scale = 1;
	const int d = k->m;

	if (k->m != k->n || d % 2 || d > CYCLIC_MOST)
		return gpube__fail(k->ctx, GPUBE_EINVAL,
			"cyclic-polytope games have as many rows as columns, an even number up to "
			"%d",
			CYCLIC_MOST);
	k->den = 1;
	/* as many digits as the polytope needs, at most those of a 64-bit integer */
	for (int digits = 0; digits < 6 + d && digits < 18; digits++)
		scale *= 10;
	for (int f = 0; f < 2 * d; f++) {
		first[f] = f;
		if (f < d)
			second[f] = f == 0 || f == d - 1 ? f : f % 2 ? f + 1 : f - 1;
		else
			second[f] = f % 2 ? f - 1 : f + 1;
	}
	polytope(payoff[0], d, first);
	polytope(payoff[1], d, second);
	for (int p = 0; p < 2; p++) {
		long double most = 0;

		for (int c = 0; c < d * d; c++)
			most = fmaxl(most, fabsl(payoff[p][c]));
		for (int c = 0; c < d * d; c++)
			payoff[p][c] = rintl(payoff[p][c] / most * scale);
	}
	/* the first polytope is of player 1's strategies: it holds player 2's payoffs by columns */
	for (int i = 0; i < d; i++)
		for (int j = 0; j < d; j++)
			both(k, i, j, (int64_t)payoff[1][i * d + j], (int64_t)payoff[0][j * d + i]);
	return GPUBE_OK;
}

/* ---- gpube_nash_generate() ---------------------------------------------------------------- */

/*
 * parameters  how many there may be
 * draw        those that are not given
 * cell        fills one; NULL: none is filled so
 * make        what is left to do; NULL: nothing
 */
static const struct {
	const char *name;
	int parameters;
	void (*draw)(struct maker *k);
	void (*cell)(struct maker *k, int64_t i, int64_t j);
	int (*make)(struct maker *k);
} classes[] = {
	{"random", 0, NULL, random_cell, NULL},
	{"covariant", 0, NULL, covariant, NULL},
	{"zero-sum", 0, NULL, zero_sum, NULL},
	{"win-lose", 0, NULL, win_lose, NULL},
	{"duplicated", 0, NULL, random_cell, duplicate},
	{"coordination", 0, NULL, coordination, NULL},
	{"dispersion", 0, NULL, dispersion, NULL},
	{"minimum-effort", 3, draw_effort, minimum_effort, NULL},
	{"grab-the-dollar", 3, draw_dollars, grab_the_dollar, NULL},
	{"travelers-dilemma", 1, set_reward, travelers_dilemma, NULL},
	{"cyclic-polytope", 0, NULL, NULL, cyclic_polytope},
};

#define N_CLASSES ((int)(sizeof(classes) / sizeof(*classes)))

static int bad_parameters(struct gpube_ctx *ctx, const char *class, int n)
{
	return gpube__fail(ctx, GPUBE_EINVAL,
		n == 1 ? "%s takes a parameter of moderate size"
		: n    ? "%s takes three parameters of moderate size, as 1,2.5,3/4"
		       : "%s takes no parameters",
		class);
}

/* Times a number of actions below 2^31, twice, this stays in 64 bits. */
#define PARAMETER_MOST 1000000000

/* "1,2.5,3/4": over one denominator. */
static int read_parameters(struct maker *k, const char *text, const char *class, int n)
{
	struct gpube_ctx *ctx = k->ctx;

	k->den = 1;
	for (int i = 0; i < n; i++) {
		const size_t length = strcspn(text, ",");
		int status = gpube__rational_parse(ctx, &k->p[i], text, length);

		if (status == GPUBE_ENOMEM)
			return status;
		if (k->p[i].text)
			gpube__free(ctx, k->p[i].text);
		if (status || k->p[i].den == 0 || text[length] != (i + 1 < n ? ',' : 0))
			return bad_parameters(ctx, class, n);
		if (__builtin_mul_overflow(
			    k->den, k->p[i].den / gpube__divisor(k->den, k->p[i].den), &k->den))
			return bad_parameters(ctx, class, n);
		text += length + (i + 1 < n);
	}
	for (int i = 0; i < n; i++)
		if (__builtin_mul_overflow(k->p[i].num, k->den / k->p[i].den, &k->p[i].num) ||
			k->p[i].num < -PARAMETER_MOST || k->p[i].num > PARAMETER_MOST)
			return bad_parameters(ctx, class, n);
	return n ? GPUBE_OK : bad_parameters(ctx, class, n);
}

/* All payoffs times 'times', over one denominator, as the nearest integers. */
static int round_payoffs(struct maker *k, int64_t times)
{
	for (int p = 0; p < 2; p++)
		for (int64_t c = 0; c < (int64_t)k->m * k->n; c++) {
			const __int128 twice = 2 * (__int128)k->pay[p][c] * times;
			const __int128 whole =
				(twice + (twice < 0 ? -k->den : k->den)) / (2 * (__int128)k->den);

			if (whole > INT64_MAX || whole < -INT64_MAX)
				return gpube__fail(k->ctx, GPUBE_ERANGE,
					"payoffs %lld times as large pass 64 bits",
					(long long)times);
			k->pay[p][c] = (int64_t)whole;
		}
	k->den = 1;
	return GPUBE_OK;
}

static int make_game(struct gpube_model **out, const struct maker *k)
{
	const int64_t cells = (int64_t)k->m * k->n;
	struct gpube_rational *v = gpube__alloc(k->ctx, (uint64_t)cells, sizeof(*v));
	int status = v ? gpube_model_new(out, k->ctx, GPUBE_GAME) : GPUBE_ENOMEM;

	if (!status)
		status = gpube_model_add_var(*out, NULL, k->m, NULL);
	if (!status)
		status = gpube_model_add_var(*out, NULL, k->n, NULL);
	for (int p = 0; p < 2 && !status; p++) {
		for (int64_t c = 0; c < cells; c++)
			v[c] = gpube__rational(k->pay[p][c], k->den);
		status = gpube__add_payoffs(*out, v);
	}
	gpube__free(k->ctx, v);
	return status;
}

int gpube_nash_generate(
	struct gpube_model **out, struct gpube_ctx *ctx, const struct gpube_opts *opts)
{
	struct maker k = {0};
	struct gpube_opts o;
	const char *class;
	int number = 0, status;

	if (out)
		*out = NULL;
	if (!out || !ctx)
		return gpube__missing(ctx);
	status = gpube__opts_take(&o, ctx, opts, GPUBE__ON_NASH_GENERATE);
	if (status)
		return status;
	if (o.rows < 1)
		return gpube__fail(ctx, GPUBE_EINVAL, "a player needs at least one action");
	if (o.int_payoffs && o.range > REAL_RANGE)
		return gpube__fail(ctx, GPUBE_EINVAL, "int_payoffs: expected a range of at most %d",
			(int)REAL_RANGE);
	class = o.game ? o.game : "random";
	while (number < N_CLASSES && strcmp(class, classes[number].name) != 0)
		number++;
	if (number == N_CLASSES)
		return gpube__fail(ctx, GPUBE_EINVAL, "no such class of games: '%s'", class);
	k = (struct maker){.ctx = ctx,
		.m = o.rows,
		.n = o.columns ? o.columns : o.rows,
		.range = o.range ? o.range : 100,
		.covariance = o.covariance,
		.den = o.int_payoffs ? REAL_UNIT : 1};
	for (int p = 0; p < 2 && !status; p++) {
		k.pay[p] = gpube__alloc(ctx, (uint64_t)k.m * (uint64_t)k.n, sizeof(*k.pay[p]));
		status = k.pay[p] ? GPUBE_OK : GPUBE_ENOMEM;
	}
	/* a class has its own stream, so that equal seeds do not make related games */
	gpube__rng_init(&k.rng, (uint64_t)o.seed * (uint64_t)N_CLASSES + (uint64_t)number);
	if (!status && o.parameters)
		status = read_parameters(&k, o.parameters, class, classes[number].parameters);
	else if (!status && classes[number].draw)
		classes[number].draw(&k);
	for (int64_t i = 0; i < k.m && !status && classes[number].cell; i++)
		for (int64_t j = 0; j < k.n; j++)
			classes[number].cell(&k, i, j);
	if (!status && classes[number].make)
		status = classes[number].make(&k);
	if (!status && o.int_payoffs)
		status = round_payoffs(&k, o.int_payoffs);
	if (!status)
		status = make_game(out, &k);
	for (int p = 0; p < 2; p++)
		gpube__free(ctx, k.pay[p]);
	return gpube__model_made(out, status);
}
