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

#include "nash/bimatrix.h"

struct maker {
	struct nash_game *g;
	struct gpube_rng rng;
	int64_t range;
	double covariance;
	struct nash_number p[3]; /* parameters, if they are given */
	bool given;
	int64_t den; /* all that is drawn, given or put is over it */
	int (*make)(struct maker *k);
};

/* Reals are so many parts of one, and their range such that times 2^31 actions they stay in 64
 * bits. */
#define REAL_UNIT  65536
#define REAL_RANGE 10000

/* ---- small pieces ------------------------------------------------------------------ */

static void put(struct maker *k, int p, int64_t i, int64_t j, int64_t num)
{
	k->g->payoffs[p][i * k->g->n + j] = (struct nash_number){num, 1, NULL};
}

static int64_t between(struct maker *k, int64_t lo, int64_t hi)
{
	return lo + (int64_t)gpube__rng_below(&k->rng, (uint64_t)(hi - lo) + 1);
}

static int64_t draw(struct maker *k)
{
	return between(k, -k->range * k->den, k->range * k->den);
}

/* Fills both matrices from a function of a cell. */
static int fill(struct maker *k, void (*cell)(struct maker *k, int64_t i, int64_t j))
{
	for (int64_t i = 0; i < k->g->m; i++)
		for (int64_t j = 0; j < k->g->n; j++)
			cell(k, i, j);
	return GPUBE_OK;
}

static void both(struct maker *k, int64_t i, int64_t j, int64_t a, int64_t b)
{
	put(k, 0, i, j, a);
	put(k, 1, i, j, b);
}

/* ---- the classes ------------------------------------------------------------------- */

static void random_cell(struct maker *k, int64_t i, int64_t j)
{
	const int64_t a = draw(k);

	both(k, i, j, a, draw(k));
}

static int random_game(struct maker *k)
{
	return fill(k, random_cell);
}

/* Two standard normal numbers by Box and Muller, the second with the asked covariance. */
static void covariant_cell(struct maker *k, int64_t i, int64_t j)
{
	const double r = sqrt(-2 * log(1 - gpube__rng_unit(&k->rng)));
	const double t = 6.283185307179586 * gpube__rng_unit(&k->rng);
	const double a = r * cos(t), b = r * sin(t), c = k->covariance;

	both(k, i, j, llrint((double)(k->range * k->den) * a),
		llrint((double)(k->range * k->den) * (c * a + sqrt(1 - c * c) * b)));
}

static int covariant(struct maker *k)
{
	return fill(k, covariant_cell);
}

static void zero_sum_cell(struct maker *k, int64_t i, int64_t j)
{
	const int64_t a = draw(k);

	both(k, i, j, a, -a);
}

static int zero_sum(struct maker *k)
{
	return fill(k, zero_sum_cell);
}

static void win_lose_cell(struct maker *k, int64_t i, int64_t j)
{
	const uint64_t bits = gpube__rng_next(&k->rng) >> 62;

	both(k, i, j, (int64_t)(bits & 1) * k->den, (int64_t)(bits >> 1) * k->den);
}

static int win_lose(struct maker *k)
{
	return fill(k, win_lose_cell);
}

static void coordination_cell(struct maker *k, int64_t i, int64_t j)
{
	const int64_t worth = i == j ? k->den : 0;

	both(k, i, j, worth, worth);
}

static int coordination(struct maker *k)
{
	return fill(k, coordination_cell);
}

static void dispersion_cell(struct maker *k, int64_t i, int64_t j)
{
	const int64_t worth = i != j ? k->den : 0;

	both(k, i, j, worth, worth);
}

static int dispersion(struct maker *k)
{
	return fill(k, dispersion_cell);
}

/* About half of the actions of each player are copies of others. */
static int duplicated(struct maker *k)
{
	const int64_t m = k->g->m, n = k->g->n;

	random_game(k);
	for (int64_t i = 1; i < m; i++) {
		const int64_t from = (int64_t)gpube__rng_below(&k->rng, (uint64_t)(2 * i));

		for (int64_t j = 0; from < i && j < n; j++)
			for (int p = 0; p < 2; p++)
				k->g->payoffs[p][i * n + j] = k->g->payoffs[p][from * n + j];
	}
	for (int64_t j = 1; j < n; j++) {
		const int64_t from = (int64_t)gpube__rng_below(&k->rng, (uint64_t)(2 * j));

		for (int64_t i = 0; from < j && i < m; i++)
			for (int p = 0; p < 2; p++)
				k->g->payoffs[p][i * n + j] = k->g->payoffs[p][i * n + from];
	}
	return GPUBE_OK;
}

/*
 * Who grabs first gets the most, the other something, both the least if they grab together.
 * Parameters: high > middle > low.
 */
static int grab_the_dollar(struct maker *k)
{
	int64_t high = k->p[0].num, middle = k->p[1].num, low = k->p[2].num;

	if (!k->given) {
		low = draw(k);
		middle = low + between(k, k->den, (k->range + 1) * k->den);
		high = middle + between(k, k->den, (k->range + 1) * k->den);
	}
	for (int64_t i = 0; i < k->g->m; i++)
		for (int64_t j = 0; j < k->g->n; j++)
			both(k, i, j,
				i < j   ? high
				: i > j ? middle
					: low,
				j < i   ? high
				: j > i ? middle
					: low);
	return GPUBE_OK;
}

/* Claims 2, 3, ...; both get the smaller, and the smaller claim takes a reward from the other. */
static int travelers_dilemma(struct maker *k)
{
	const int64_t one = k->den, reward = k->given ? k->p[0].num : 2 * one;

	for (int64_t i = 0; i < k->g->m; i++)
		for (int64_t j = 0; j < k->g->n; j++) {
			const int64_t least = ((i < j ? i : j) + 2) * one;
			const int64_t turn = i < j ? reward : i > j ? -reward : 0;

			both(k, i, j, least + turn, least - turn);
		}
	return GPUBE_OK;
}

/* a + b * least effort - c * own effort, efforts from 1. GAMUT draws a, b and c as here. */
static int minimum_effort(struct maker *k)
{
	int64_t a = k->p[0].num, b = k->p[1].num, c = k->p[2].num;

	if (!k->given) {
		a = draw(k);
		b = between(k, 2 * k->den, (k->range + 2) * k->den);
		c = between(k, k->den, b - 1);
	}
	for (int64_t i = 0; i < k->g->m; i++)
		for (int64_t j = 0; j < k->g->n; j++) {
			const int64_t worth = a + b * ((i < j ? i : j) + 1);

			both(k, i, j, worth - c * (i + 1), worth - c * (j + 1));
		}
	return GPUBE_OK;
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
	const int d = k->g->m;

	if (k->g->m != k->g->n || d % 2 || d > CYCLIC_MOST)
		return gpube__fail(k->g->ctx, GPUBE_EINVAL,
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

/* ---- nash_generate() ---------------------------------------------------------------- */

/* parameters: how many there may be */
static const struct {
	const char *name;
	int (*make)(struct maker *k);
	int parameters;
} classes[] = {
	{"random", random_game, 0},
	{"covariant", covariant, 0},
	{"zero-sum", zero_sum, 0},
	{"win-lose", win_lose, 0},
	{"duplicated", duplicated, 0},
	{"coordination", coordination, 0},
	{"dispersion", dispersion, 0},
	{"minimum-effort", minimum_effort, 3},
	{"grab-the-dollar", grab_the_dollar, 3},
	{"travelers-dilemma", travelers_dilemma, 1},
	{"cyclic-polytope", cyclic_polytope, 0},
};

#define N_CLASSES ((int)(sizeof(classes) / sizeof(*classes)))

const char *nash_class(int k)
{
	return k >= 0 && k < N_CLASSES ? classes[k].name : NULL;
}

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
	struct gpube_ctx *ctx = k->g->ctx;
	int64_t g, r;

	k->given = true;
	k->den = 1;
	for (int i = 0; i < n; i++) {
		const size_t length = strcspn(text, ",");
		int status = nash__number_parse(ctx, &k->p[i], text, length);

		if (status == GPUBE_ENOMEM)
			return status;
		if (k->p[i].text)
			gpube__free(ctx, k->p[i].text);
		if (status || k->p[i].den == 0 || text[length] != (i + 1 < n ? ',' : 0))
			return bad_parameters(ctx, class, n);
		for (g = k->den, r = k->p[i].den; r;) {
			const int64_t rest = g % r;

			g = r;
			r = rest;
		}
		if (__builtin_mul_overflow(k->den, k->p[i].den / g, &k->den))
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
		for (int64_t c = 0; c < (int64_t)k->g->m * k->g->n; c++) {
			struct nash_number *v = &k->g->payoffs[p][c];
			const __int128 twice = 2 * (__int128)v->num * times;
			const __int128 whole =
				(twice + (twice < 0 ? -k->den : k->den)) / (2 * (__int128)k->den);

			if (whole > INT64_MAX || whole < -INT64_MAX)
				return gpube__fail(k->g->ctx, GPUBE_ERANGE,
					"payoffs %lld times as large pass 64 bits",
					(long long)times);
			*v = (struct nash_number){(int64_t)whole, 1, NULL};
		}
	return GPUBE_OK;
}

/* Divides all payoffs by their denominator. */
static void reduce(struct maker *k)
{
	for (int p = 0; p < 2; p++)
		for (int64_t c = 0; c < (int64_t)k->g->m * k->g->n && k->den > 1; c++) {
			struct nash_number *v = &k->g->payoffs[p][c];
			const int64_t d = nash__divisor(v->num, k->den);

			*v = (struct nash_number){v->num / d, k->den / d, NULL};
		}
}

int nash_generate(struct nash_game **out, struct gpube_ctx *ctx, const struct nash_random *o)
{
	struct maker k = {0};
	const char *class;
	int number = 0, status;

	if (out)
		*out = NULL;
	if (!out || !ctx || !o)
		return gpube__missing(ctx);
	if (o->sizeof_options != sizeof(*o) || o->range < 0 || o->range > 1000000000 ||
		!(fabs(o->covariance) <= 1) || o->int_payoffs < 0 || o->int_payoffs > 1000000000 ||
		(o->int_payoffs && o->range > REAL_RANGE))
		return gpube__fail(ctx, GPUBE_EINVAL, "options out of their range");
	k.range = o->range ? o->range : 100;
	k.den = o->int_payoffs ? REAL_UNIT : 1;
	k.covariance = o->covariance;
	class = o->kind ? o->kind : "random";
	while (number < N_CLASSES && strcmp(class, classes[number].name) != 0)
		number++;
	if (number == N_CLASSES)
		return gpube__fail(ctx, GPUBE_EINVAL, "no such class of games: '%s'", class);
	status = nash_game_new(&k.g, ctx, o->rows, o->columns);
	if (status)
		return status;
	/* a class has its own stream, so that equal seeds do not make related games */
	gpube__rng_init(&k.rng, o->seed * (uint64_t)N_CLASSES + (uint64_t)number);
	if (o->parameters)
		status = read_parameters(&k, o->parameters, class, classes[number].parameters);
	if (!status)
		status = classes[number].make(&k);
	if (!status && o->int_payoffs)
		status = round_payoffs(&k, o->int_payoffs);
	else if (!status)
		reduce(&k);
	if (status)
		nash_game_free(k.g);
	else
		*out = k.g;
	return status;
}
