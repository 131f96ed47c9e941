/*
 * clusters_run.c - soft arc consistency in 32 bits as a method: passes until the bound stops
 * rising, with dead values removed and assignments decoded. A reparametrised model may also have
 * triangles, of which those stay that are worth a table.
 */
#include "gpube/bound/bound.h"
#include "gpube/bound/reparam.h"

#include <math.h>

#include "gpube/relax/scaling.h"

enum { WINDOW = 16 /* passes between checks of the progress */ };

/* The set of triangles: see enlarge(). */
enum triangles { NO_TRIANGLES, TRIANGLES, TRIANGULATED };

struct ascent {
	struct gpube_bounder *b;
	struct gpube_clusters c;
	struct gpube_rng rng;
	enum triangles stage, last_stage;
	double searching; /* seconds of work in local search */
	bool again;       /* the bound is known; these tables are to reach it */
};

/* Adds the next larger set of triangles; false if there is none, or none fits. */
static bool enlarge(struct ascent *a, int *status)
{
	const int32_t before = a->c.n_clusters;

	while (a->stage < a->last_stage && !*status && a->c.n_clusters == before) {
		a->stage++;
		/* chords of the triangulation, where the graph itself has few triangles */
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

static void update_lower(struct ascent *a, const char *by)
{
	struct gpube_bounder *b = a->b;
	int64_t bound = gpube__clusters_bound(&a->c, b->tables, gpube__tables_cutoff(b));

	gpube__bounder_update_lower(b, gpube__tables_bound(b, bound), by);
}

/* Decodes an assignment and searches from there, for a fifth of the time. */
static int read_off(struct ascent *a)
{
	struct gpube_bounder *b = a->b;
	double start = gpube__worked(b->ctx);
	int status;

	gpube__clusters_decode(&a->c, b->tried, &a->rng);
	status = gpube__bounder_report_incumbent(b, b->tried, "decoded");
	if (!status && !gpube__bounder_done(b))
		status = gpube__bounder_search(b, b->tried, 200);
	while (!status && !gpube__bounder_done(b) &&
		a->searching + gpube__worked(b->ctx) - start < 0.2 * (gpube__bounder_worked(b)) &&
		!gpube__stopped(b->ctx))
		status = gpube__bounder_search(b, NULL, 500);
	a->searching += gpube__worked(b->ctx) - start;
	gpube__clusters_cutoff(&a->c, b->tables, gpube__tables_cutoff(b));
	return status;
}

static int read_bounds(struct ascent *a, const char *by)
{
	int status = read_off(a);

	if (status)
		return status;
	gpube__clusters_compact(&a->c);
	update_lower(a, by);
	return GPUBE_OK;
}

/* The scaled gap to the cutoff, or to the incumbent where that does not prune. */
static int64_t missing(const struct ascent *a)
{
	const struct gpube_bounder *b = a->b;
	int64_t end = b->upper < b->cutoff ? b->upper : b->cutoff;
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
		update_lower(a, by);
		if (is_done(a))
			break;
		if (pass % 4 == 0 || gpube__worked(b->ctx) - last > 1) {
			status = read_bounds(a, by);
			last = gpube__worked(b->ctx);
		}
		if (!status && pass % WINDOW == 0) {
			double now = gpube__worked(b->ctx),
			       rate = (double)(a->c.constant - before) / (now - window + 1e-9);

			/* whether as much time again would close a tenth of the gap */
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

/* Removes values that the search tree has proved impossible. */
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
	int status = gpube__clusters_init(c, b->tables, gpube__tables_cutoff(b), most_shift);

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

int gpube__bound_arc(struct gpube_bounder *b)
{
	struct ascent a;
	int status = start(&a, b, GPUBE__MOST_SHIFT);

	if (status)
		return status;
	status = climb(&a, "soft arc consistency");
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
	return status || done || !gpube__asks_for_nested(b->opts) ? status : gpube__bound_arc(b);
}

/* ---- for a reparametrised model -------------------------------------------------------------- */

/* The part of the time until --timeout for a second ascent. */
static const double SECOND = 0.4;

/* Repeats the ascent with the selected triangles, if these are not all. */
static int ascend_with(struct ascent *a, const struct gpube_cluster *kept, int32_t n)
{
	struct gpube_bounder *b = a->b;
	int status;

	gpube__clusters_clear(&a->c);
	gpube__log(b->ctx, GPUBE_LOG_DETAIL, "reparametrised again with %d triangle%s alone", n,
		gpube__plural(n));
	status = start(a, b, b->state.reparam->most_shift);
	a->again = true;
	if (!status && n)
		status = gpube__clusters_add_like(&a->c, kept, n);
	return status ? status : climb(a, "selected triangles");
}

int gpube__bound_clusters_reparam(struct gpube_bounder *b, bool triangles)
{
	const char *by = triangles ? "triangles" : "soft arc consistency";
	const double left = gpube__seconds_left(b->ctx);
	double deadline = b->ctx->deadline;
	struct gpube_cluster *kept = NULL;
	int32_t n = 0, n_all = 0;
	struct ascent a;
	int status = start(&a, b, b->state.reparam->most_shift), made;

	if (status)
		return status;
	a.last_stage = triangles ? TRIANGULATED : NO_TRIANGLES;
	if (triangles && !isinf(left)) /* (the caller's time limit is by the clock) */
		(void)gpube__end_by(b->ctx, gpube__now() + (1 - SECOND) * left);
	if (triangles)
		enlarge(&a, &status);
	if (!status)
		status = climb(&a, by);
	b->ctx->deadline = deadline;
	if (!status || status == GPUBE_ESTOP) {
		int chosen = gpube__clusters_worth(&kept, &n, &n_all, &a.c, b->state.reparam->opts);

		status = chosen ? chosen : status;
	}
	if ((!status || status == GPUBE_ESTOP) &&
		(b->state.reparam->opts->whole || !gpube__bounder_done(b))) {
		if (n < n_all)
			status = ascend_with(&a, kept, n);
		else if (status == GPUBE_ESTOP &&
			 !gpube__stopped(b->ctx)) /* only the first part of the time is over */
			status = climb(&a, by);
	}
	if ((!status || status == GPUBE_ESTOP) &&
		(b->state.reparam->opts->whole || !gpube__bounder_done(b)) &&
		a.c.constant < a.c.target) {
		made = gpube__reparam_clusters(b, &a.c);
		status = made ? made : status;
	}
	gpube__free(b->ctx, kept);
	gpube__clusters_clear(&a.c);
	return status;
}
