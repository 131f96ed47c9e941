/*
 * triples_run.c - the ascent on triples of variables that a reparametrised model is made of: its
 * passes, and which triples stay.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "gpube/bound/bound.h"
#include "gpube/bound/reparam.h"
#include "gpube/ops/regions/regions_cell.h"
#include "gpube/relax/moved.h"
#include "gpube/relax/nested.h"

/* Passes between looks at the bound, and by which progress is judged. */
enum { BATCH = 2, WINDOW = 16 };
/* Passes by which triples are chosen, if not all may stay. */
enum { FIRST_PASSES = 32 };
/* Local search from what is read off: steps, and its part of the time. */
enum { SEARCH_STEPS = 200 };
#define SEARCH_SHARE 0.2

struct ascent {
	struct gpube_bounder *b;
	struct gpube_pairs c;
	struct gpube_nested n;
	struct gpube_nested_problem *p;
	struct gpube_rng rng;
	double searching; /* seconds of work in local search */
};

static void end(struct ascent *a)
{
	gpube__nested_free(&a->n, a->p);
	gpube__nested_clear(&a->n);
	gpube__pairs_clear(&a->c);
	a->p = NULL;
}

static int begin(struct ascent *a, const struct gpube_nested_triples *only)
{
	struct gpube_bounder *b = a->b;
	int status = gpube__pairs_init(&a->c, b->tables, gpube__tables_cutoff(b),
		b->state.reparam->most_shift - b->made.finer);

	if (!status)
		status = gpube__nested_init(&a->n, &a->c, gpube__ops_cpu(), gpube__regions_cpu(),
			(double)b->ctx->memory_bytes / 4, only);
	return status ? status : gpube__nested_first(&a->p, &a->n);
}

/* Decodes an assignment and searches from there. */
static int read_off(struct ascent *a)
{
	struct gpube_bounder *b = a->b;
	const double start = gpube__worked(b->ctx);
	int status = gpube__nested_read(&a->n, a->p);

	if (!status) {
		gpube__pairs_decode(&a->c, b->tried, &a->rng);
		status = gpube__bounder_report_incumbent(b, b->tried, "decoded");
	}
	if (!status && !gpube__bounder_done(b) &&
		a->searching < SEARCH_SHARE * gpube__bounder_worked(b))
		status = gpube__bounder_search(b, b->tried, SEARCH_STEPS);
	a->searching += gpube__worked(b->ctx) - start;
	gpube__bounder_lower_target(b, a->c.shift, &a->c.target);
	return status ? status : gpube__nested_target(&a->n, a->p, a->c.target);
}

static int64_t missing(const struct ascent *a)
{
	return gpube__bounder_missing(a->b, a->c.shift, a->p->constant, a->p->target);
}

/* Passes while they bring something, to the gap's end, and so many at most. */
static int climb(struct ascent *a, const char *by, int most)
{
	struct gpube_bounder *b = a->b;
	int64_t before = a->p->constant;
	int status = GPUBE_OK;

	for (int pass = BATCH; !status && missing(a) > 0 && pass <= most; pass += BATCH) {
		if (gpube__stopped(b->ctx))
			return gpube__fail_stopped(b->ctx);
		status = gpube__nested_passes(&a->n, a->p, BATCH, 0);
		if (status)
			break;
		gpube__bounder_update_scaled(b, a->c.shift, a->p->constant, a->p->target, by);
		if (pass % (2 * BATCH) == 0 && missing(a) > 0)
			status = read_off(a);
		if (pass % WINDOW)
			continue;
		if ((double)(a->p->constant - before) < 1e-5 * (double)missing(a) + 1)
			break;
		before = a->p->constant;
	}
	return status;
}

/* ---- which triples stay ---------------------------------------------------------------------- */

struct worth {
	double key, cells;
	int32_t triple;
};

static int compare_worth(const void *x, const void *y)
{
	const struct worth *a = x, *b = y;

	if (a->key != b->key)
		return a->key > b->key ? -1 : 1;
	return (a->triple > b->triple) - (a->triple < b->triple);
}

/* What a triple costs in all its cells: its pairs do not say this. */
static double sum_of(const struct ascent *a, const struct regions_view *v, int32_t t)
{
	const int32_t slack = gpube__slack(&a->c), *cell = regions_triple(v, t);
	const int32_t last = v->domain[v->triple_vars[3 * (int64_t)t + 2]];
	double sum = 0;

	for (int64_t k = 0; k < regions_triple_cells(v, t); k++)
		if (k % regions_row(last) < last)
			sum += cell[k] < slack ? cell[k] : slack;
	return sum;
}

/*
 * The triples that the model keeps, those that say most first: *kept, by three variables.
 * Errors: ENOMEM
 */
static int choose(int32_t **kept, int32_t *n, const struct ascent *a)
{
	const struct gpube_opts *opts = a->b->opts;
	const struct regions_view v = regions_view(&a->p->r, a->n.plan.words);
	const int32_t n_all = a->n.plan.n_triples;
	struct worth *worth = gpube__alloc(a->b->ctx, (uint64_t)n_all + 1, sizeof(*worth));
	double cells = 0;

	*n = 0;
	*kept = gpube__alloc(a->b->ctx, 3 * (uint64_t)n_all + 1, sizeof(**kept));
	for (int32_t t = 0; worth && t < n_all; t++) {
		const int32_t *vars = v.triple_vars + 3 * (int64_t)t;
		struct worth *w = &worth[t];

		*w = (struct worth){sum_of(a, &v, t), 1, t};
		for (int k = 0; k < 3; k++)
			w->cells *= v.domain[vars[k]];
		/* room is either a number of tables or a number of cells */
		w->key /= opts->max_tables ? w->cells : w->cells * w->cells;
	}
	if (worth)
		qsort(worth, (size_t)n_all, sizeof(*worth), compare_worth);
	for (int32_t k = 0; worth && *kept && k < n_all; k++) {
		if (cells + worth[k].cells > opts->max_cells ||
			(opts->max_tables && *n == opts->max_tables))
			continue;
		cells += worth[k].cells;
		memcpy(*kept + 3 * (int64_t)(*n)++, v.triple_vars + 3 * (int64_t)worth[k].triple,
			3 * sizeof(**kept));
	}
	gpube__free(a->b->ctx, worth);
	return worth && *kept ? GPUBE_OK : GPUBE_ENOMEM;
}

/* ---- the call -------------------------------------------------------------------------------- */

/* The ascent with the chosen triples alone; or goes on with all, where these are chosen. */
static int climb_with(struct ascent *a, const struct gpube_nested_triples *only)
{
	int status = GPUBE_OK;

	if (only->n < a->n.plan.n_triples) {
		gpube__log(a->b->ctx, GPUBE_LOG_DETAIL,
			"reparametrised again with %d triple%s alone", only->n,
			gpube__plural(only->n));
		end(a);
		status = begin(a, only);
	}
	return status ? status : climb(a, "selected triples of variables", INT_MAX);
}

static bool is_wanted(const struct gpube_bounder *b)
{
	return !b->opts->prune || !gpube__bounder_done(b);
}

static int run(struct ascent *a)
{
	struct gpube_bounder *b = a->b;
	struct gpube_model *to;
	int32_t *kept = NULL, n = 0;
	int made, status = climb(a, "triples of variables", FIRST_PASSES);

	if ((status && status != GPUBE_ESTOP) || !is_wanted(b))
		return status;
	made = choose(&kept, &n, a);
	if (!made)
		made = climb_with(a, &(struct gpube_nested_triples){kept, n});
	gpube__free(b->ctx, kept);
	status = made ? made : status;
	if ((status && status != GPUBE_ESTOP) || !is_wanted(b) || a->p->constant >= a->p->target)
		return status;
	made = gpube__nested_read(&a->n, a->p);
	if (!made)
		made = gpube__nested_model(&to, &a->n, a->p, b->tables);
	if (!made)
		gpube__bounder_keep_tables(b, to, b->made.finer + gpube__moved_finer(a->c.shift));
	return made ? made : status;
}

int gpube__bound_triples(struct gpube_bounder *b, bool *any)
{
	const struct gpube_nested_triples all = {.n = -1};
	struct ascent a = {.b = b};
	int status;

	*any = false;
	if (!gpube__nested_suits(b->tables, gpube__regions_cpu()))
		return GPUBE_OK;
	gpube__rng_init(&a.rng, b->opts->seed);
	status = begin(&a, &all);
	/* where there are few, larger subproblems say more */
	*any = !status && a.n.plan.n_triples > a.n.plan.n_pairs / 4;
	if (*any)
		status = run(&a);
	end(&a);
	return status;
}
