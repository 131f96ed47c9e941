/* inexact.c - see inexact.h. */
#include "nash/inexact.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "nash/eee/eee.h"

#define NEAR 1e-7 /* probabilities, and payoffs in [0, 1], that are taken for equal */

/* Strategy pairs, m + n doubles each. */
struct points {
	int64_t n, capacity;
	double *v;
	bool degenerate;
};

struct job {
	struct gpube_ctx *ctx;
	const struct gpube_model *g;
	int32_t m, n; /* actions */
	double *c[2]; /* of the sides, see struct nash_side */
	struct points found;
	int64_t max;
};

struct worker {
	struct job *job;
	struct points found;
	double *point;
};

/* ---- payoffs -------------------------------------------------------------------- */

static double payoff(const struct job *job, int player, int64_t profile)
{
	const struct gpube_rational v =
		gpube__table_rational(gpube__table(job->g, player), profile);

	return gpube__rational_double(&v);
}

/* The opponent's payoffs of a side, from 0 up for each own action, the largest 1. */
static int make_side(struct job *job, int side)
{
	int32_t k = side ? job->n : job->m, l = side ? job->m : job->n;
	double *c = gpube__alloc(job->ctx, (uint64_t)k * (uint64_t)l, sizeof(*c)), most = 0;

	job->c[side] = c;
	if (!c)
		return GPUBE_ENOMEM;
	for (int64_t i = 0; i < k; i++) {
		double least = INFINITY;

		for (int64_t j = 0; j < l; j++) {
			double v = payoff(job, 1 - side, side ? j * job->n + i : i * job->n + j);

			if (!isfinite(v))
				return gpube__fail(job->ctx, GPUBE_ERANGE,
					"a payoff is past the range of doubles");
			c[j * k + i] = v;
			least = v < least ? v : least;
		}
		for (int64_t j = 0; j < l; j++) {
			c[j * k + i] -= least;
			most = c[j * k + i] > most ? c[j * k + i] : most;
		}
	}
	if (!isfinite(most))
		return gpube__fail(
			job->ctx, GPUBE_ERANGE, "payoffs differ by more than a double can hold");
	for (int64_t n = 0; n < (int64_t)k * l && most > 0; n++)
		c[n] /= most;
	return GPUBE_OK;
}

/* ---- points ------------------------------------------------------------------------- */

static int add(struct job *job, struct points *to, const double *point)
{
	int64_t width = (int64_t)job->m + job->n;

	for (int64_t k = 0; k < to->n; k++) {
		bool same = true;

		for (int64_t i = 0; i < width && same; i++)
			same = fabs(to->v[k * width + i] - point[i]) <= 10 * NEAR;
		if (same)
			return GPUBE_OK;
	}
	if (job->max && to->n >= job->max)
		return GPUBE_ELIMIT;
	if (gpube__grow(job->ctx, &to->v, &to->capacity, (to->n + 1) * width, sizeof(*to->v)))
		return GPUBE_ENOMEM;
	memcpy(to->v + to->n++ * width, point, (size_t)width * sizeof(*point));
	return GPUBE_OK;
}

/* Whether what 'y' plays are best responses to x; more of them make the game degenerate. */
static bool responds(
	const double *c, int32_t k, int32_t l, const double *x, const double *y, bool *degenerate)
{
	double best = -INFINITY;

	for (int pass = 0; pass < 2; pass++)
		for (int64_t j = 0; j < l; j++) {
			double v = 0;

			for (int64_t i = 0; i < k; i++)
				v += c[j * k + i] * x[i];
			if (pass == 0)
				best = v > best ? v : best;
			else if (y[j] > NEAR && v < best - NEAR)
				return false;
			else if (y[j] <= NEAR && v >= best - NEAR)
				*degenerate = true;
		}
	return true;
}

static int leaf(void *worker, const struct nash_lp lp[2])
{
	struct worker *w = worker;
	const struct job *job = w->job;
	double *at[2] = {w->point, w->point + job->m};
	bool more = lp[0].live || lp[1].live;

	memset(w->point, 0, ((size_t)job->m + (size_t)job->n) * sizeof(*w->point));
	for (int q = 0; q < 2; q++) {
		int32_t k = q ? job->n : job->m, l = q ? job->m : job->n;

		for (int32_t r = 0; r < l; r++)
			if (lp[q].basic[r] < k)
				at[q][lp[q].basic[r]] = lp[q].d[(size_t)r * ((size_t)k + 1)];
	}
	for (int64_t i = 0; i < (int64_t)job->m + job->n; i++)
		if (w->point[i] < -NEAR)
			return GPUBE_OK;
	if (!responds(job->c[0], job->m, job->n, at[0], at[1], &more) ||
		!responds(job->c[1], job->n, job->m, at[1], at[0], &more))
		return GPUBE_OK;
	w->found.degenerate |= more;
	return add(w->job, &w->found, w->point);
}

/* Doubles that cannot tell are believed: nothing here is certain anyway. */
static int refine(void *worker, struct nash_lp *lp, int side, bool *empty)
{
	(void)worker;
	(void)lp;
	(void)side;
	*empty = true;
	return GPUBE_OK;
}

static int open_worker(struct nash_tree *t, void **worker)
{
	struct job *job = t->arg;
	struct worker *w = gpube__alloc_zero(t->ctx, 1, sizeof(*w));

	*worker = w;
	if (!w)
		return GPUBE_ENOMEM;
	w->job = job;
	w->point = gpube__alloc(t->ctx, (uint64_t)job->m + (uint64_t)job->n, sizeof(*w->point));
	return w->point ? GPUBE_OK : GPUBE_ENOMEM;
}

static int close_worker(struct nash_tree *t, void *worker)
{
	struct worker *w = worker;
	struct job *job = w->job;
	int64_t width = (int64_t)job->m + job->n;
	int status = GPUBE_OK;

	for (int64_t k = 0; k < w->found.n && !status; k++)
		status = add(job, &job->found, w->found.v + k * width);
	job->found.degenerate |= w->found.degenerate;
	gpube__free(t->ctx, w->found.v);
	gpube__free(t->ctx, w->point);
	gpube__free(t->ctx, w);
	return status;
}

static int pure(struct job *job)
{
	uint64_t width = (uint64_t)job->m + (uint64_t)job->n;
	double *point = gpube__alloc_zero(job->ctx, width, sizeof(*point));
	bool more;
	int status = point ? GPUBE_OK : GPUBE_ENOMEM;

	for (int32_t i = 0; i < job->m && !status; i++)
		for (int32_t j = 0; j < job->n && !status; j++) {
			point[i] = point[job->m + j] = 1;
			if (responds(job->c[0], job->m, job->n, point, point + job->m, &more) &&
				responds(job->c[1], job->n, job->m, point + job->m, point, &more))
				status = add(job, &job->found, point);
			point[i] = point[job->m + j] = 0;
		}
	gpube__free(job->ctx, point);
	return status;
}

/* ---- the result ------------------------------------------------------------------ */

enum { TEXT_BYTES = 32 };

/* At most 12 digits behind the point, whatever the locale's point is. */
static void put(char *to, double v)
{
	if (fabs(v) < NEAR * 1e-3)
		v = 0;
	snprintf(to, TEXT_BYTES, "%.12g", v);
	for (; *to; to++)
		if (*to == ',')
			*to = '.';
}

static int write_strategy(
	struct gpube_nash_strategy *s, const struct job *job, int side, const double *x)
{
	int64_t k = side ? job->n : job->m, l = side ? job->m : job->n;
	size_t head = (size_t)k * sizeof(char *);
	char *block = gpube__alloc(job->ctx, head + ((size_t)k + 1) * TEXT_BYTES, 1), *to;
	const char **list = (const char **)(void *)block;
	double best = -INFINITY;

	if (!block)
		return GPUBE_ENOMEM;
	to = block + head;
	for (int64_t i = 0; i < k; i++, to += TEXT_BYTES) {
		list[i] = to;
		put(to, x[i]);
	}
	for (int64_t j = 0; j < l; j++) {
		double v = 0;

		for (int64_t i = 0; i < k; i++)
			v += x[i] * payoff(job, 1 - side, side ? j * job->n + i : i * job->n + j);
		best = v > best ? v : best;
	}
	put(to, best);
	s->p = list;
	s->value = to;
	return GPUBE_OK;
}

static int write_all(struct gpube_nash_result *r, const struct job *job)
{
	int64_t n = job->found.n, width = (int64_t)job->m + job->n;
	int status = GPUBE_OK;

	r->xs = gpube__alloc_zero(job->ctx, (uint64_t)n, sizeof(*r->xs));
	r->ys = gpube__alloc_zero(job->ctx, (uint64_t)n, sizeof(*r->ys));
	r->pairs = gpube__alloc(job->ctx, (uint64_t)n, sizeof(*r->pairs));
	if (!r->xs || !r->ys || !r->pairs)
		return GPUBE_ENOMEM;
	r->n_xs = r->n_ys = n;
	for (int64_t k = 0; k < n && !status; k++) {
		const double *point = job->found.v + k * width;

		status = write_strategy(&r->xs[k], job, 0, point);
		if (!status)
			status = write_strategy(&r->ys[k], job, 1, point + job->m);
		r->pairs[k] = (struct gpube_nash_pair){k, k};
	}
	r->n_pairs = n;
	return status;
}

static int search(struct job *job, int64_t *nodes)
{
	struct nash_tree t = {
		.ctx = job->ctx,
		.arg = job,
		.budget = -1,
		.leaf = leaf,
		.refine = refine,
		.open = open_worker,
		.close = close_worker,
	};
	int status;

	t.m[0] = (struct nash_matrix){job->m, job->n, 0, job->c[0]};
	t.m[1] = (struct nash_matrix){job->n, job->m, 1, job->c[1]};
	status = nash__tree_search(&t);
	*nodes = t.nodes;
	return status;
}

int nash__solve_inexactly(
	struct gpube_nash_result *r, const struct gpube_model *g, const struct gpube_opts *o)
{
	struct job job = {.ctx = g->ctx,
		.g = g,
		.m = g->vars[0].domain,
		.n = g->vars[1].domain,
		.max = o->one ? 1 : o->max};
	int status = make_side(&job, 0);

	if (!status)
		status = make_side(&job, 1);
	r->inexact = 1;
	r->method = o->pure ? "pure" : "eee";
	if (!status)
		status = o->pure ? pure(&job) : search(&job, &r->work);
	r->answer = o->pure ? GPUBE_NASH_ANSWER_SOME : GPUBE_NASH_ANSWER_ALL;
	if (job.found.degenerate && !o->pure)
		r->reason = "the game looks degenerate: floating point does not find all";
	status = nash__conclude(r, g->ctx, status);
	if (!status)
		status = write_all(r, &job);
	gpube__free(g->ctx, job.found.v);
	gpube__free(g->ctx, job.c[0]);
	gpube__free(g->ctx, job.c[1]);
	return status;
}
