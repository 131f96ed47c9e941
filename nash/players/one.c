/*
 * one.c - one equilibrium: a pure one, or the end of the path of logit equilibria, proved.
 *
 * In a logit equilibrium of precision l each player's probabilities are in proportion to
 * exp(l u_i(a)). From the centre at l = 0 a path of them leads to an equilibrium (McKelvey and
 * Palfrey 1995); it is followed by predictor and corrector (Turocy 2005) in the logarithms y of the
 * probabilities and l. Once it is clear on the path which actions are played, that support's system
 * is solved and proved as everywhere, and the path goes on if it is no equilibrium. Where the
 * system is singular, as in components, simple fractions near the path are tried.
 */
#include <math.h>
#include <string.h>

#include "nash/players/players.h"
#include "nash/pure.h"

/* Steps at most, after each of which the path is corrected by so many of Newton's. */
enum { MOST_STEPS = 20000, MOST_CORRECTIONS = 4, STEPS_PER_TRY = 5 };

/*
 * The first step and the shortest one, in units of y and l; how far a corrected point may be off,
 * and one that needs no more; a step that needed few, some or many corrections is followed by one
 * so many times as long.
 */
static const double first_step = 0.05, shortest_step = 1e-10, most_off = 1e-6, hardly_off = 1e-9,
		    after_few = 1.6, after_some = 1.1, after_many = 0.8;
/* No probability is smaller, for slopes are divided by it; no pivot of a regular system. */
static const double least_played = 1e-300, least_pivot = 1e-14;
/*
 * An action that is played more often than 'rare' is in the support, if it is clearly more or less:
 * rare itself goes from the first to the last by a hundredth. Widths of the region that is tried
 * around a point go from the first to the last by an eighth.
 */
static const double first_rare = 1e-3, last_rare = 1e-7, clearly_more = 4, clearly_less = 0.1,
		    first_width = 0.1, last_width = 1e-4;
/* How far fractions may be from a point of the path that is near no regular solution: by tenths. */
static const double first_off = 1e-2, last_off = 1e-6;

/*
 * point    y of each action, and l
 * tangent  of the path
 * x        probabilities
 * slopes   of u_i(a) by the probabilities, total x total
 * a        total + 1 equations, the tangent's last, each with its right side
 */
struct path {
	const struct nash_players *p;
	int32_t n;
	double *point, *tangent, *x, *u, *slopes, *a, *next;
};

/* Slopes and values of all payoffs at x. */
static void payoffs(struct path *h)
{
	const struct nash_players *p = h->p;

	memset(h->slopes, 0, (size_t)p->total * (size_t)p->total * sizeof(double));
	memset(h->u, 0, (size_t)p->total * sizeof(double));
	for (int32_t i = 0; i < p->n; i++)
		for (int64_t k = 0; k < p->profiles; k++) {
			double others = p->u[i][k];
			int64_t rest = k;
			int32_t own = 0;

			for (int32_t j = p->n - 1; j >= 0; rest /= p->m[j--])
				if (j == i)
					own = p->first[i] + (int32_t)(rest % p->m[j]);
				else
					others *= h->x[p->first[j] + rest % p->m[j]];
			h->u[own] += others;
			rest = k;
			for (int32_t j = p->n - 1; j >= 0; rest /= p->m[j--]) {
				const int32_t at = p->first[j] + (int32_t)(rest % p->m[j]);

				if (j != i && h->x[at] > 0)
					h->slopes[own * p->total + at] += others / h->x[at];
			}
		}
}

/* The equations at a point; right sides are their values, negative. */
static void equations(struct path *h, const double *point)
{
	const struct nash_players *p = h->p;
	const int32_t n = h->n, w = n + 1, l = p->total;

	for (int32_t k = 0; k < p->total; k++)
		h->x[k] = fmax(exp(point[k]), least_played);
	payoffs(h);
	memset(h->a, 0, (size_t)n * (size_t)w * sizeof(double));
	for (int32_t i = 0; i < p->n; i++) {
		const int32_t first = p->first[i];

		h->a[first * w + n] = 1;
		for (int32_t k = first; k < first + p->m[i]; k++) {
			h->a[first * w + k] = h->x[k];
			h->a[first * w + n] -= h->x[k];
		}
		for (int32_t k = first + 1; k < first + p->m[i]; k++) {
			double *row = h->a + k * w;

			for (int32_t c = 0; c < p->total; c++)
				row[c] = -point[l] * h->x[c] *
					 (h->slopes[k * l + c] - h->slopes[first * l + c]);
			row[k] += 1;
			row[first] -= 1;
			row[l] = h->u[first] - h->u[k];
			row[n] = point[first] - point[k] - point[l] * row[l];
		}
	}
	memcpy(h->a + l * w, h->tangent, (size_t)n * sizeof(double));
}

/* The direction of the path at its point, as that before. */
static bool turn(struct path *h)
{
	const int32_t n = h->n, w = n + 1;
	double length = 0;

	equations(h, h->point);
	for (int32_t k = 0; k < n; k++)
		h->a[k * w + n] = k == n - 1;
	if (!nash__eliminate(h->a, n, w, least_pivot))
		return false;
	for (int32_t k = 0; k < n; k++)
		length += h->a[k * w + n] * h->a[k * w + n];
	for (int32_t k = 0; k < n; k++)
		h->tangent[k] = h->a[k * w + n] / sqrt(length);
	return true;
}

/* A step along the path; *step: shorter or longer for the next one. False: it was too long. */
static bool advance(struct path *h, double *step)
{
	const int32_t w = h->n + 1;
	double size = 1;
	int k;

	for (int32_t c = 0; c < h->n; c++)
		h->next[c] = h->point[c] + *step * h->tangent[c];
	for (k = 0; k < MOST_CORRECTIONS && size > hardly_off; k++) {
		equations(h, h->next);
		if (!nash__eliminate(h->a, h->n, w, least_pivot))
			return false;
		size = 0;
		for (int32_t c = 0; c < h->n; c++) {
			h->next[c] += h->a[c * w + h->n];
			size = fmax(size, fabs(h->a[c * w + h->n]));
		}
		if (!(size < *step))
			return false;
	}
	if (size > most_off)
		return false;
	memcpy(h->point, h->next, (size_t)h->n * sizeof(double));
	*step *= k <= 2 ? after_few : k == 3 ? after_some : after_many;
	return true;
}

/* ---- a support that is clear ----------------------------------------------------------------- */

/*
 * A region around x, of the actions that are played more often than 'rare', with edges of length
 * 'width'. False: some are about that.
 */
static bool surround(struct nash_region *r, const struct nash_players *p, const double *x,
	double width, double rare)
{
	nash__region_whole(r, p);
	for (int32_t i = 0; i < p->n; i++) {
		double sum = 0;
		int32_t k = 0;

		for (int32_t a = 0; a < p->m[i]; a++) {
			const double probability = x[p->first[i] + a];

			if (probability > rare * clearly_less && probability < rare * clearly_more)
				return false;
			sum += probability > rare ? probability : 0;
		}
		for (int32_t a = 0; a < p->m[i]; a++) {
			const bool played = x[p->first[i] + a] > rare;
			double *v = nash__vertex(p, r, i, k);

			nash__states(p, r)[p->first[i] + a] = played ? NASH_IN : NASH_OUT;
			for (int32_t b = 0; b < p->m[i] && played; b++)
				v[b] = (x[p->first[i] + b] > rare
						       ? (1 - width) * x[p->first[i] + b] / sum
						       : 0) +
				       (a == b) * width;
			k += played;
		}
		nash__sizes(p, r)[i] = k;
	}
	return true;
}

/* Whether there is an equilibrium of that support near x, which is added. */
static int try_support(struct nash_many *s, struct nash_work *w, struct nash_region *r,
	const double *x, double rare)
{
	enum nash_enclosure what = NASH_NOT_YET;
	struct nash_root root;
	int status = GPUBE_OK;

	for (double width = first_width; width > last_width && !status && !s->n_equilibria;
		width /= 8) {
		if (!surround(r, s->p, x, width, rare))
			return GPUBE_OK;
		status = nash__enclose(&root, &what, w, r, s->digits);
		if (!status && what == NASH_ROOT) {
			if (root.verdict == NASH_IS_EQUILIBRIUM)
				return nash__many_add(s, &root);
			nash__root_clear(&root, s->p);
			return GPUBE_OK;
		}
	}
	/* of a component, or a multiple solution: the proof is another one */
	for (double off = first_off; off > last_off && what == NASH_SINGULAR && !status;
		off /= 10) {
		bool found;

		status = nash__round(&root, &found, w, nash__states(s->p, r), x, off, s->digits);
		if (!status && found)
			return nash__many_add(s, &root);
	}
	return status;
}

static int pure(struct nash_many *s, struct nash_work *w, struct nash_region *r, double *x)
{
	const struct nash_players *p = s->p;
	int64_t *profiles = NULL, n = 0;
	int status = nash__pure_profiles(&profiles, &n, p->game);

	/* payoffs past 64 bits: the path finds one */
	if (status == GPUBE_ERANGE)
		return GPUBE_OK;
	for (int32_t i = 0; i < p->n && n; i++)
		for (int32_t a = p->first[i]; a < p->first[i] + p->m[i]; a++)
			x[a] = p->map[a] == gpube__action_of(p->game, profiles[0], i);
	if (!status && n)
		status = try_support(s, w, r, x, first_rare);
	gpube__free(p->ctx, profiles);
	return status;
}

static int follow(struct nash_many *s, struct nash_work *w, struct nash_region *r, struct path *h)
{
	const struct nash_players *p = s->p;
	double step = first_step;
	int status = GPUBE_OK;

	for (int32_t i = 0; i < p->n; i++)
		for (int32_t a = p->first[i]; a < p->first[i] + p->m[i]; a++)
			h->point[a] = -log(p->m[i]);
	h->tangent[p->total] = 1;
	if (!turn(h))
		return GPUBE_OK;
	for (int k = 0; k < MOST_STEPS && !status && !s->n_equilibria && step > shortest_step;
		k++) {
		gpube__work(p->ctx, p->profiles * p->total + (int64_t)h->n * h->n * h->n);
		if (gpube__stopped(p->ctx))
			return GPUBE_ESTOP;
		if (!advance(h, &step)) {
			step /= 2;
			continue;
		}
		for (double rare = first_rare; k % STEPS_PER_TRY == 0 && rare > last_rare / 10;
			rare /= 100)
			if (!status && !s->n_equilibria)
				status = try_support(s, w, r, h->x, rare);
		if (!turn(h))
			break;
	}
	return status;
}

int nash__many_one(struct nash_many *s)
{
	const struct nash_players *p = s->p;
	const uint64_t n = (uint64_t)p->total + 1;
	struct path h = {.p = p, .n = p->total + 1};
	double *numbers = gpube__alloc_zero(p->ctx, n * (2 * n + 6), sizeof(*numbers));
	struct nash_region *r = gpube__alloc(p->ctx, 1, nash__region_bytes(p));
	struct nash_work w = {0};
	int status = numbers && r ? nash__work_init(&w, p) : GPUBE_ENOMEM;

	if (!status) {
		h.point = numbers;
		h.tangent = h.point + n;
		h.x = h.tangent + n;
		h.u = h.x + n;
		h.next = h.u + n;
		h.slopes = h.next + n;
		h.a = h.slopes + n * n;
		status = pure(s, &w, r, h.x);
		if (!status && !s->n_equilibria)
			status = follow(s, &w, r, &h);
	}
	nash__work_clear(&w);
	gpube__free(p->ctx, numbers);
	gpube__free(p->ctx, r);
	return status;
}
