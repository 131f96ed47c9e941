/*
 * one.c - one equilibrium: a pure one, or the end of the path of logit equilibria, proved.
 *
 * In a logit equilibrium of precision l each player's probabilities are in proportion to
 * exp(l u_i(a)). From the centre at l = 0 a path of them leads to an equilibrium (McKelvey and
 * Palfrey 1995); it is followed by predictor and corrector (Turocy 2005) in the logarithms y of the
 * probabilities and l. Once it is clear on the path which actions are played, that support's system
 * is solved and proved as everywhere, and the path goes on if it is no equilibrium.
 */
#ifdef GPUBE_HAVE_FLINT
#include <math.h>
#include <string.h>

#include "nash/players/players.h"
#include "nash/pure.h"

/* Steps at most, after each of which the path is corrected by so many of Newton's. */
enum { MOST_STEPS = 20000, MOST_CORRECTIONS = 4, STEPS_PER_TRY = 5 };

/*
 * point    y of each action, and l
 * tangent  of the path
 * x        probabilities
 * slopes   of u_i(a) by the probabilities, total x total
 * a        total + 1 equations and their right side
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

/* The equations at a point, and the tangent's as the last one; right: their values, negative. */
static void equations(struct path *h, const double *point, double *right)
{
	const struct nash_players *p = h->p;
	const int32_t w = h->n, l = p->total;

	for (int32_t k = 0; k < p->total; k++)
		h->x[k] = fmax(exp(point[k]), 1e-300);
	payoffs(h);
	memset(h->a, 0, (size_t)w * (size_t)w * sizeof(double));
	for (int32_t i = 0; i < p->n; i++) {
		const int32_t first = p->first[i];

		right[first] = 1;
		for (int32_t k = first; k < first + p->m[i]; k++) {
			h->a[first * w + k] = h->x[k];
			right[first] -= h->x[k];
		}
		for (int32_t k = first + 1; k < first + p->m[i]; k++) {
			double *row = h->a + k * w;

			for (int32_t c = 0; c < p->total; c++)
				row[c] = -point[l] * h->x[c] *
					 (h->slopes[k * l + c] - h->slopes[first * l + c]);
			row[k] += 1;
			row[first] -= 1;
			row[l] = h->u[first] - h->u[k];
			right[k] = point[first] - point[k] - point[l] * row[l];
		}
	}
	memcpy(h->a + l * w, h->tangent, (size_t)w * sizeof(double));
	right[l] = 0;
}

/* Solves in place, by Gauss; false: singular. */
static bool solve(double *a, double *x, int32_t n)
{
	for (int32_t c = 0; c < n; c++) {
		int32_t top = c;

		for (int32_t r = c + 1; r < n; r++)
			if (fabs(a[r * n + c]) > fabs(a[top * n + c]))
				top = r;
		if (!(fabs(a[top * n + c]) > 1e-14))
			return false;
		for (int32_t k = c; k < n && top != c; k++) {
			const double t = a[top * n + k];

			a[top * n + k] = a[c * n + k];
			a[c * n + k] = t;
		}
		if (top != c) {
			const double t = x[top];

			x[top] = x[c];
			x[c] = t;
		}
		for (int32_t r = c + 1; r < n; r++) {
			const double factor = a[r * n + c] / a[c * n + c];

			for (int32_t k = c; factor != 0 && k < n; k++)
				a[r * n + k] -= factor * a[c * n + k];
			x[r] -= factor * x[c];
		}
	}
	for (int32_t c = n - 1; c >= 0; c--) {
		for (int32_t k = c + 1; k < n; k++)
			x[c] -= a[c * n + k] * x[k];
		x[c] /= a[c * n + c];
	}
	return true;
}

/* The direction of the path at its point, as that before. */
static bool turn(struct path *h)
{
	double length = 0;

	equations(h, h->point, h->next);
	memset(h->next, 0, (size_t)h->n * sizeof(double));
	h->next[h->n - 1] = 1;
	if (!solve(h->a, h->next, h->n))
		return false;
	for (int32_t k = 0; k < h->n; k++)
		length += h->next[k] * h->next[k];
	for (int32_t k = 0; k < h->n; k++)
		h->tangent[k] = h->next[k] / sqrt(length);
	return true;
}

/* A step along the path; *step: shorter or longer for the next one. False: it was too long. */
static bool advance(struct path *h, double *step, double *right)
{
	double size = 1;
	int k;

	for (int32_t c = 0; c < h->n; c++)
		h->next[c] = h->point[c] + *step * h->tangent[c];
	for (k = 0; k < MOST_CORRECTIONS && size > 1e-9; k++) {
		equations(h, h->next, right);
		if (!solve(h->a, right, h->n))
			return false;
		size = 0;
		for (int32_t c = 0; c < h->n; c++) {
			h->next[c] += right[c];
			size = fmax(size, fabs(right[c]));
		}
		if (!(size < *step))
			return false;
	}
	if (size > 1e-6)
		return false;
	memcpy(h->point, h->next, (size_t)h->n * sizeof(double));
	*step *= k <= 2 ? 1.6 : k == 3 ? 1.1 : 0.8;
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

			if (probability > rare / 10 && probability < rare * 4)
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
	int status = GPUBE_OK;

	for (double width = 0.1; width > 1e-4 && !status && !s->n_equilibria; width /= 8) {
		enum nash_enclosure what = NASH_NOT_YET;
		struct nash_root root;

		if (!surround(r, s->p, x, width, rare))
			break;
		status = nash__enclose(&root, &what, w, r, s->digits);
		if (!status && what == NASH_ROOT) {
			if (root.verdict == NASH_IS_EQUILIBRIUM)
				return nash__many_add(s, &root);
			nash__root_clear(&root, s->p);
			break;
		}
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
		status = try_support(s, w, r, x, 1e-3);
	gpube__free(p->ctx, profiles);
	return status;
}

static int follow(struct nash_many *s, struct nash_work *w, struct nash_region *r, struct path *h,
	double *right)
{
	const struct nash_players *p = s->p;
	double step = 0.05;
	int status = GPUBE_OK;

	for (int32_t i = 0; i < p->n; i++)
		for (int32_t a = p->first[i]; a < p->first[i] + p->m[i]; a++)
			h->point[a] = -log(p->m[i]);
	h->tangent[p->total] = 1;
	if (!turn(h))
		return GPUBE_OK;
	for (int k = 0; k < MOST_STEPS && !status && !s->n_equilibria && step > 1e-10; k++) {
		gpube__work(p->ctx, p->profiles * p->total + (int64_t)h->n * h->n * h->n);
		if (gpube__stopped(p->ctx))
			return GPUBE_ESTOP;
		if (!advance(h, &step, right)) {
			step /= 2;
			continue;
		}
		for (double rare = 1e-3; k % STEPS_PER_TRY == 0 && rare > 1e-8; rare /= 100)
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
		h.slopes = h.next + 2 * n;
		h.a = h.slopes + n * n;
		status = pure(s, &w, r, h.x);
		if (!status && !s->n_equilibria)
			status = follow(s, &w, r, &h, h.next + n);
	}
	nash__work_clear(&w);
	gpube__free(p->ctx, numbers);
	gpube__free(p->ctx, r);
	return status;
}
#else
typedef int nash_one_needs_flint;
#endif
