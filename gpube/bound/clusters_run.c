/*
 * clusters_run.c - the ascent as a method: passes until they say no more; dead values leave,
 * assignments are read off. For a shifted model also with triangles, of which those that are worth
 * a table each stay.
 */
#include "gpube/bound/bound.h"
#include "gpube/bound/shifted.h"

#include <math.h>

#include "gpube/relax/scaling.h"

enum { WINDOW = 16 /* passes between looks at the progress */ };

/* Which triangles are there: see enlarge(). */
enum triangles { NO_TRIANGLES, TRIANGLES, TRIANGULATED };

struct ascent {
	struct gpube_bounder *b;
	struct gpube_clusters c;
	struct gpube_rng rng;
	enum triangles stage, last_stage;
	double searching; /* seconds of work of the searches */
	bool again;       /* the bound is known: it is to be reached by these tables, too */
};

/* The next larger set of triangles; false if there is none, or none fits. */
static bool enlarge(struct ascent *a, int *status)
{
	const int32_t before = a->c.n_clusters;

	while (a->stage < a->last_stage && !*status && a->c.n_clusters == before) {
		a->stage++;
		/* chords only where the graph itself has no triangles to speak of */
		if (a->stage == TRIANGULATED && a->c.n_clusters > a->c.n_pairs / 4)
			continue;
		*status = gpube__clusters_add(&a->c, a->stage == TRIANGULATED ? a->b->order : NULL,
			(double)a->b->ctx->memory_bytes / 4);
		if (a->c.n_clusters > before)
			gpube__log(a->b->ctx, GPUBE_LOG_DETAIL, "%d triangle%s%s", a->c.n_clusters,
				gpube__plural(a->c.n_clusters),
				a->stage == TRIANGULATED ? ", with those of the triangulation"
							 : "");
	}
	return !*status && a->c.n_clusters > before;
}

static void raise_bound(struct ascent *a, const char *by)
{
	struct gpube_bounder *b = a->b;
	int64_t bound = gpube__clusters_bound(&a->c, b->tables, gpube__tables_limit(b));

	gpube__bounder_raise(b, gpube__tables_bound(b, bound), by);
}

/* An assignment from the tables, and search from there for a fifth of the time. */
static int read_off(struct ascent *a)
{
	struct gpube_bounder *b = a->b;
	double start = gpube__worked(b->ctx);
	int status;

	gpube__clusters_decode(&a->c, b->tried, &a->rng);
	status = gpube__bounder_offer(b, b->tried, "decoded");
	if (!status && !gpube__bounder_done(b))
		status = gpube__bounder_search(b, b->tried, 200);
	while (!status && !gpube__bounder_done(b) &&
		a->searching + gpube__worked(b->ctx) - start < 0.2 * (gpube__bounder_worked(b)) &&
		!gpube__stopped(b->ctx))
		status = gpube__bounder_search(b, NULL, 500);
	a->searching += gpube__worked(b->ctx) - start;
	gpube__clusters_limit(&a->c, b->tables, gpube__tables_limit(b));
	return status;
}

static int look_around(struct ascent *a, const char *by)
{
	int status = read_off(a);

	if (status)
		return status;
	gpube__clusters_compact(&a->c);
	raise_bound(a, by);
	return GPUBE_OK;
}

/* Scaled: what is missing to the limit, or to the best assignment where that is no limit. */
static int64_t missing(const struct ascent *a)
{
	const struct gpube_bounder *b = a->b;
	int64_t end = b->upper < b->limit ? b->upper : b->limit;
	int64_t left = gpube__costs_left(b->tables, gpube__tables_total(b, end));
	int64_t target = gpube__scale_target(a->c.shift, left);

	return (target < a->c.target ? target : a->c.target) - a->c.constant;
}

static bool is_done(const struct ascent *a)
{
	return a->again ? missing(a) <= 0 : gpube__bounder_done(a->b);
}

static int climb(struct ascent *a, const char *by)
{
	struct gpube_bounder *b = a->b;
	int64_t before = a->c.constant;
	double last = gpube__worked(b->ctx), stage = last, window = last;
	int status = GPUBE_OK;

	for (int pass = 1; !status && !is_done(a); pass++) {
		if (gpube__stopped(b->ctx))
			return gpube__fail_stopped(b->ctx);
		gpube__clusters_pass(&a->c, pass % 2 == 0);
		raise_bound(a, by);
		if (is_done(a))
			break;
		if (pass % 4 == 0 || gpube__worked(b->ctx) - last > 1) {
			status = look_around(a, by);
			last = gpube__worked(b->ctx);
		}
		if (!status && pass % WINDOW == 0) {
			double now = gpube__worked(b->ctx),
			       rate = (double)(a->c.constant - before) / (now - window + 1e-9);

			/* what the same time again would bring, against what is missing */
			if (rate * (now - stage) < 0.1 * (double)missing(a) && enlarge(a, &status))
				stage = gpube__worked(b->ctx);
			else if ((double)(a->c.constant - before) < 1e-5 * (double)missing(a) + 1)
				return status;
			before = a->c.constant;
			window = gpube__worked(b->ctx);
		}
	}
	return status;
}

/* Values that the search tree has found impossible leave the tables. */
static void leave_out_dead(struct gpube_clusters *c, const struct gpube_bounder *b)
{
	for (int32_t i = 0; i < c->n; i++)
		for (int32_t x = 0; x < c->domain[i]; x++)
			if (gpube__bounder_is_dead(b, i, c->value[i][x]))
				c->unary[i][x] = GPUBE__DEAD;
	gpube__clusters_compact(c);
}

static int make_tables(struct gpube_clusters *c, const struct gpube_bounder *b, int most_shift)
{
	int status = gpube__clusters_init(c, b->tables, gpube__tables_limit(b), most_shift);

	if (!status && b->state.tree)
		leave_out_dead(c, b);
	return status;
}

static int start(struct ascent *a, struct gpube_bounder *b, int most_shift)
{
	*a = (struct ascent){.b = b};
	gpube__rng_init(&a->rng, b->opts->seed);
	return make_tables(&a->c, b, most_shift);
}

int gpube__bound_shift(struct gpube_bounder *b)
{
	struct ascent a;
	int status = start(&a, b, GPUBE__MOST_SHIFT);

	if (status)
		return status;
	status = climb(&a, "shifts");
	gpube__clusters_clear(&a.c);
	return status;
}

/* ---- nested regions ---------------------------------------------------------------------- */

int gpube__bound_regions(struct gpube_bounder *b)
{
	struct gpube_clusters c;
	bool done = false;
	int status;

	if (b->state.nest)
		return gpube__bound_nested_again(b);
	status = make_tables(&c, b, GPUBE__MOST_SHIFT);
	if (status)
		return status;
	status = gpube__bound_nested(b, &c, &done);
	gpube__clusters_clear(&c);
	b->state.no_regions = !status && !done;
	return status || done || !gpube__asks_for_nested(b->opts) ? status : gpube__bound_shift(b);
}

/* ---- for a shifted model ----------------------------------------------------------------- */

/* Of the time until --timeout, what the second ascent is to have, if there is one. */
static const double SECOND = 0.4;

/* Again with the triangles that are to be kept alone, if these are not all. */
static int ascend_with(struct ascent *a, const struct gpube_cluster *kept, int32_t n)
{
	struct gpube_bounder *b = a->b;
	int status;

	gpube__clusters_clear(&a->c);
	gpube__log(b->ctx, GPUBE_LOG_DETAIL, "%d triangle%s stay%s: once more with these alone", n,
		gpube__plural(n), n == 1 ? "s" : "");
	status = start(a, b, b->state.most_shift);
	a->again = true;
	if (!status && n)
		status = gpube__clusters_add_like(&a->c, kept, n);
	return status ? status : climb(a, "triangles that stay");
}

int gpube__bound_clusters_shifted(struct gpube_bounder *b, bool triangles)
{
	const char *by = triangles ? "triangles" : "shifts";
	const double left = gpube__seconds_left(b->ctx);
	double deadline = b->ctx->deadline;
	struct gpube_cluster *kept = NULL;
	int32_t n = 0, n_all = 0;
	struct ascent a;
	int status = start(&a, b, b->state.most_shift), lifted;

	if (status)
		return status;
	a.last_stage = triangles ? TRIANGULATED : NO_TRIANGLES;
	if (triangles && !isinf(left)) /* (the caller's time limit is the clock's) */
		(void)gpube__end_by(b->ctx, gpube__now() + (1 - SECOND) * left);
	if (triangles)
		enlarge(&a, &status);
	if (!status)
		status = climb(&a, by);
	b->ctx->deadline = deadline;
	if (!status || status == GPUBE_ESTOP) {
		int chosen = gpube__clusters_worth(&kept, &n, &n_all, &a.c, b->state.shifting);

		status = chosen ? chosen : status;
	}
	if ((!status || status == GPUBE_ESTOP) &&
		(b->state.shifting->whole || !gpube__bounder_done(b))) {
		if (n < n_all)
			status = ascend_with(&a, kept, n);
		else if (status == GPUBE_ESTOP &&
			 !gpube__stopped(b->ctx)) /* the share is its own */
			status = climb(&a, by);
	}
	if ((!status || status == GPUBE_ESTOP) &&
		(b->state.shifting->whole || !gpube__bounder_done(b)) &&
		a.c.constant < a.c.target) {
		lifted = gpube__lift_clusters(b, &a.c);
		status = lifted ? lifted : status;
	}
	gpube__free(b->ctx, kept);
	gpube__clusters_clear(&a.c);
	return status;
}
