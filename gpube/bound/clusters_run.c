/*
 * clusters_run.c - the ascent as a method: passes until they say no more, then
 * larger clusters; dead values leave, assignments are read off, and what is
 * left is eliminated as soon as it fits.
 */
#include "gpube/bound/bound.h"
#include "gpube/bound/shifted.h"

#include <math.h>

#include "gpube/relax/scaling.h"

enum {
	WINDOW = 16, /* passes between looks at the progress */
	EARLY = 8,   /* passes before a dense problem is split */
};

struct ascent {
	struct gpube_bounder *b;
	struct gpube_clusters c;
	struct gpube_rng rng;
	int stage; /* clusters that are there: see enlarge() */
	int last_stage;
	double states; /* log10 of the product of the live domains when elimination was tried */
	bool splits;
	double eliminate; /* seconds that the next elimination may take */
	double bytes;
	double seconds[2]; /* of the last passes on all threads and on one */
	double searching;  /* seconds spent in search */
	bool again;        /* the bound is known: it is to be reached by these tables, too */
};

/* The next larger set of clusters; false if there is none, or none fits. */
static bool enlarge(struct ascent *a, int *status)
{
	static const char *const name[] = {
		"", "triangles", "triangles of the triangulation", "cliques of four"};
	int32_t before = a->c.n_clusters;

	while (a->stage < a->last_stage && !*status && a->c.n_clusters == before) {
		a->stage++;
		/* chords only where the graph itself has no triangles to speak of */
		if (a->stage == 2 && a->c.n_clusters > a->c.n_pairs / 4)
			continue;
		*status = gpube__clusters_add(
			&a->c, a->stage == 3 ? 4 : 3, a->stage == 2 ? a->b->order : NULL, a->bytes);
		if (a->c.n_clusters > before)
			gpube__log(a->b->ctx, GPUBE_LOG_DETAIL, "%d cluster%s: %s added",
				a->c.n_clusters, gpube__plural(a->c.n_clusters), name[a->stage]);
	}
	return !*status && a->c.n_clusters > before;
}

static int raise_bound(struct ascent *a, const char *by)
{
	struct gpube_bounder *b = a->b;

	int64_t bound = gpube__clusters_bound(&a->c, b->tables, gpube__tables_limit(b));

	gpube__bounder_raise(b, gpube__tables_bound(b, bound), by);
	return GPUBE_OK;
}

/*
 * A pass, on one thread where that is faster: groups are small, and on a machine
 * that is shared the threads wait for each other. Both ways are tried again
 * now and then.
 */
static void one_pass(struct ascent *a, int pass)
{
	double start = gpube__now();
	int trial = pass % 64;

	if (trial < 4)
		a->c.serial = trial < 2;
	else if (trial == 4)
		a->c.serial = a->seconds[1] <= a->seconds[0];
	gpube__clusters_pass(&a->c, pass % 2 == 0);
	a->seconds[a->c.serial] = gpube__now() - start;
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

/* Elimination of what is left, when there is less of it than at the last try. */
static int try_to_eliminate(struct ascent *a, double seconds)
{
	struct gpube_bounder *b = a->b;
	double states = gpube__clusters_states(&a->c);
	bool done;
	int status;

	if (states > a->states - 1 && states > a->states * 0.97)
		return GPUBE_OK;
	a->states = states;
	status = gpube__clusters_eliminate(b, &a->c, seconds, &done);
	if (!status && done)
		gpube__bounder_raise(b, b->limit, "elimination");
	return status;
}

static int look_around(struct ascent *a)
{
	struct gpube_bounder *b = a->b;
	int status = read_off(a);

	if (!status)
		gpube__clusters_compact(&a->c);
	if (!status)
		status = raise_bound(a, "clusters");
	if (!status && !gpube__bounder_done(b) && a->eliminate > 0)
		/* not longer than the ascent took so far, which may shrink it still */
		status = try_to_eliminate(
			a, fmin(a->eliminate, 0.1 + 0.5 * (gpube__bounder_worked(b))));
	return status;
}

/*
 * A problem of few variables for its width is split at once: its parts are closed long before the
 * whole would be, and an ascent that has run into a fixed point makes worse parts than one that has
 * only begun (runs/measured-2c).
 */
static bool split_early(const struct ascent *a)
{
	return a->splits && (a->b->opts->split == GPUBE_SPLIT_FIRST || gpube__bounder_dense(a->b));
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
		one_pass(a, pass);
		raise_bound(a, by);
		if (is_done(a))
			break;
		if (pass % 4 == 0 || gpube__worked(b->ctx) - last > 1) {
			status = look_around(a);
			last = gpube__worked(b->ctx);
		}
		if (!status && pass == EARLY && split_early(a))
			return gpube__bound_branch(b, &a->c);
		if (!status && pass % WINDOW == 0) {
			double now = gpube__worked(b->ctx),
			       rate = (double)(a->c.constant - before) / (now - window + 1e-9);

			/* what the same time again would bring, against what is missing */
			const bool slow = rate * (now - stage) < 0.1 * (double)missing(a);

			if (slow && enlarge(a, &status))
				stage = gpube__worked(b->ctx);
			else if ((slow && a->splits) ||
				 (double)(a->c.constant - before) < 1e-5 * (double)missing(a) + 1) {
				a->states = INFINITY;
				if (!status && a->eliminate > 0)
					status = try_to_eliminate(a, a->eliminate);
				return status || is_done(a) || !a->splits
					       ? status
					       : gpube__bound_branch(b, &a->c);
			}
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

int gpube__bound_clusters(struct gpube_bounder *b, bool clusters, double eliminate)
{
	struct ascent a = {.b = b,
		.last_stage = clusters ? 3 : 0,
		.eliminate = b->opts->no_eliminate ? 0 : eliminate,
		.splits = clusters && b->opts->split != GPUBE_SPLIT_NEVER,
		.states = INFINITY,
		.bytes = (double)b->ctx->memory_bytes / 4};
	int status;
	bool done = false;

	if (b->nest)
		return gpube__bound_nested_again(b);
	status = gpube__clusters_init(&a.c, b->tables, gpube__tables_limit(b));
	if (status)
		return status;
	gpube__rng_init(&a.rng, b->opts->seed);
	if (b->tree)
		leave_out_dead(&a.c, b);
	if (clusters && !b->shifted)
		status = gpube__bound_nested(b, &a.c, &done);
	if (gpube__bounder_gives_way(b, status, "regions")) {
		gpube__clusters_clear(&a.c);
		status = gpube__clusters_init(&a.c, b->tables, gpube__tables_limit(b));
		if (status)
			return status;
		done = false;
	}
	if (clusters && !status && !done)
		enlarge(&a, &status);
	if (!status && !done)
		status = climb(&a, clusters ? "clusters" : "shifts");
	gpube__clusters_clear(&a.c);
	return status;
}

/* ---- for a shifted model ----------------------------------------------------------------- */

static int start(struct ascent *a, struct gpube_bounder *b, int last_stage)
{
	*a = (struct ascent){.b = b,
		.last_stage = last_stage,
		.states = INFINITY,
		.bytes = (double)b->ctx->memory_bytes / 4};
	gpube__rng_init(&a->rng, b->opts->seed);
	return gpube__clusters_init_to(&a->c, b->tables, gpube__tables_limit(b), b->most_shift);
}

/* Again with the clusters that are to be kept alone, if these are not all. */
static int ascend_with(struct ascent *a, const struct gpube_cluster *kept, int32_t n)
{
	struct gpube_bounder *b = a->b;
	int status;

	gpube__clusters_clear(&a->c);
	gpube__log(b->ctx, GPUBE_LOG_DETAIL, "%d cluster%s stay: once more with these alone", n,
		gpube__plural(n));
	status = start(a, b, 0);
	a->again = true;
	if (!status && n)
		status = gpube__clusters_add_like(&a->c, kept, n);
	return status ? status : climb(a, "clusters that stay");
}

int gpube__bound_clusters_shifted(struct gpube_bounder *b, bool clusters)
{
	int arity = clusters ? b->shifting->max_arity : 2, lifted;
	struct gpube_cluster *kept = NULL;
	double deadline = b->ctx->deadline;
	int32_t n = 0, n_all = 0;
	struct ascent a;
	int status = start(&a, b, arity > 3 ? 3 : arity > 2 ? 2 : 0);

	if (status)
		return status;
	if (deadline > 0 && arity > 2) /* the second ascent is to have its share */
		b->ctx->deadline -= 0.4 * (deadline - gpube__now());
	if (arity > 2)
		enlarge(&a, &status);
	if (!status)
		status = climb(&a, arity > 2 ? "clusters" : "shifts");
	b->ctx->deadline = deadline;
	if (!status || status == GPUBE_ESTOP) {
		int chosen = gpube__clusters_worth(&kept, &n, &n_all, &a.c, b->shifting);

		status = chosen ? chosen : status;
	}
	if ((!status || status == GPUBE_ESTOP) && (b->shifting->whole || !gpube__bounder_done(b))) {
		if (n < n_all)
			status = ascend_with(&a, kept, n);
		else if (status == GPUBE_ESTOP &&
			 !gpube__stopped(b->ctx)) /* the share is its own */
			status = climb(&a, arity > 2 ? "clusters" : "shifts");
	}
	if ((!status || status == GPUBE_ESTOP) && (b->shifting->whole || !gpube__bounder_done(b)) &&
		a.c.constant < a.c.target) {
		lifted = gpube__lift_clusters(b, &a.c);
		status = lifted ? lifted : status;
	}
	gpube__free(b->ctx, kept);
	gpube__clusters_clear(&a.c);
	return status;
}
