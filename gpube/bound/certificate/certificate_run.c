/* certificate_run.c - the run of gpube_bound() that ends in a certificate: see certificate.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpube/bound/certificate/certify.h"
#include "gpube/bound/shifted.h"
#include "gpube/eliminate/solve.h"
#include "gpube/order/order.h"
#include "gpube/simplify/narrow.h"

#define MOST_PROOF_CELLS  8e6
#define LEAST_PROOF_CELLS 1e4

/*
 * Of the time for a certificate: what its checks take, of tables with so many cells a second; for
 * patches, where others are next.
 */
#define CHECKING           0.25
#define CHECKED_PER_SECOND 3e5
#define PATCHES_SHARE      0.5
/* Seconds for a check in any case: most take a part of that. */
#define LEAST_CHECK 0.5
/* And where there is no limit: what splits have not ended by then seldom ends. */
#define PATCHES_SECONDS 60
/* The same of searches; cells of the tables that they are made with. */
#define SEARCH_SECONDS     60
#define FIRST_SEARCH_CELLS 2e3
#define MOST_SEARCH_CELLS  8e6
/*
 * Their order takes that part of the time, so many seconds at most, and no longer than elimination
 * along it would at that rate.
 */
#define ORDER_SHARE      0.1
#define MOST_ORDER       2
#define CELLS_PER_SECOND 1e9

/* One of the tables that a bucket is shared out to, each as much as a number holds. */
static int add_part(struct gpube_certificate *c, const struct gpube__regret_table *t,
	const int32_t *sorted, const int64_t *step, int part)
{
	int32_t index[GPUBE__PROOF_DIMS] = {0};
	int64_t *values, at = 0;
	int status = gpube__certificate_table(c, t->n, sorted, &values);

	for (int64_t cell = 0; cell < t->cells && !status; cell++) {
		__int128 left = t->cost[cell] - (__int128)part * INT64_MAX;

		values[at] = (int64_t)(left < 0 ? 0 : left < INT64_MAX ? left : INT64_MAX);
		for (int k = t->n - 1; k >= 0; k--) {
			at += step[k];
			if (++index[k] < c->domain[t->scope[k]])
				break;
			at -= step[k] * c->domain[t->scope[k]];
			index[k] = 0;
		}
	}
	return status;
}

static int add_bucket(struct gpube_certificate *c, const struct gpube__regret_table *t)
{
	int32_t sorted[GPUBE__PROOF_DIMS];
	int64_t step[GPUBE__PROOF_DIMS], stride = 1;
	__int128 most = 0;
	int status;

	if (t->n > GPUBE__PROOF_DIMS)
		return gpube__fail(c->ctx, GPUBE_ELIMIT, "a table of a certificate is too wide");
	for (int k = 0; k < t->n; k++)
		sorted[k] = t->scope[k];
	qsort(sorted, (size_t)t->n, sizeof(*sorted), gpube__compare_int32);
	for (int k = t->n - 1; k >= 0; stride *= c->domain[sorted[k--]])
		for (int j = 0; j < t->n; j++)
			if (t->scope[j] == sorted[k])
				step[j] = stride;
	for (int64_t cell = 0; cell < t->cells; cell++)
		most = t->cost[cell] > most ? t->cost[cell] : most;
	if (most == 0)
		return GPUBE_OK;
	status = gpube__certificate_block(c);
	for (int part = 0; !status && most > (__int128)part * INT64_MAX; part++)
		status = add_part(c, t, sorted, step, part);
	return status;
}

/* See certify_far(), until gpube__now() is 'end', if that is above 0. */
static int eliminate_far(struct gpube__regrets *r, struct gpube_live *s, double end)
{
	struct gpube_ctx *ctx = s->m->ctx;
	const double deadline = ctx->deadline;
	int status;

	if (end > 0)
		ctx->deadline = end;
	status = gpube__wide_regrets(r, s, NULL);
	ctx->deadline = deadline;
	return status;
}

/* By elimination of the relaxed problem in 128 bits, which has nothing forbidden and no top. */
static int certify_far(
	struct gpube_certificate *c, const struct gpube_model *m, int64_t upper, double end)
{
	struct gpube_model *relaxed;
	struct gpube__regrets r = {0};
	struct gpube_live s;
	__int128 constant;
	int status;

	gpube__certificate_restart(c);
	c->cap = gpube__wide_cap_for(m, upper);
	c->shift = 0;
	status = gpube__relaxed_above(&relaxed, &constant, m, c->cap);
	if (status)
		return status;
	status = gpube__live_init(&s, relaxed, false, false);
	if (!status)
		status = eliminate_far(&r, &s, end);
	constant += r.optimum;
	if (!status && (constant <= -INT64_MAX || constant >= INT64_MAX))
		status = gpube__fail(m->ctx, GPUBE_ERANGE,
			"the bound that can be certified, about %.6g units of 10^-%d, passes 64 "
			"bits",
			(double)constant, m->scale);
	c->constant = (int64_t)constant;
	for (int32_t k = 0; k < r.n && !status; k++)
		status = add_bucket(c, &r.tables[k]);
	gpube__regrets_clear(&r);
	gpube__live_clear(&s);
	gpube_model_free(relaxed);
	return status ? status : gpube__certificate_proves(&c->bound, c, m);
}

/*
 * What is proved, in half of the time until 'end', gpube__now(), as it is checked once more in the
 * file; 0: without a limit. A stop before this does not end it, but what comes after it.
 */
static int proves_by(struct gpube_certificate *c, const struct gpube_model *m, double end)
{
	struct gpube_ctx *ctx = m->ctx;
	const double deadline = ctx->deadline;
	const bool stopped = __atomic_load_n(&ctx->stop, __ATOMIC_RELAXED);
	int status;

	gpube_ctx_resume(ctx);
	if (end > 0)
		ctx->deadline = gpube__now() + fmax((end - gpube__now()) / 2, LEAST_CHECK);
	status = gpube__certificate_proves(&c->bound, c, m);
	ctx->deadline = deadline;
	if (stopped)
		gpube_ctx_stop(ctx);
	return status == GPUBE_ESTOP ? gpube__fail(ctx, status,
					       "no certificate could be made and checked in time: "
					       "it takes a longer timeout")
				     : status;
}

/* The tables of an ascent on the relaxed problem, for so many seconds (0: no limit). */
static int ascend(struct gpube_certificate *c, const struct gpube_model *m,
	const struct gpube_solution *known, const struct gpube_bound_opts *opts, double seconds,
	double max_cells)
{
	struct gpube_shifted_opts shifting = {
		.whole = true, .max_arity = 3, .max_cells = max_cells, .certificate = c};
	struct gpube_bound_opts o = *opts;
	struct gpube_solution *bounds = NULL;
	struct gpube_shifted shifted;
	struct gpube_model *relaxed = NULL;
	int status;

	gpube__certificate_restart(c);
	o.values = known ? known->values : NULL;
	o.has_cutoff = 0;
	o.timeout_seconds = seconds;
	status = gpube__relaxed(&relaxed, m, c->cap);
	if (!status)
		status = gpube__bound_shifted(&bounds, &shifted, relaxed, &o, &shifting);
	if (!status)
		gpube__shifted_clear(&shifted);
	gpube_solution_free(bounds, m->ctx);
	gpube_model_free(relaxed);
	return status;
}

/* In tables that can be checked in the time that is kept for that. */
static int try_near(struct gpube_certificate *c, const struct gpube_model *m,
	const struct gpube_solution *known, const struct gpube_bound_opts *opts, double end)
{
	const double left = end > 0 ? fmax(end - gpube__now(), 1e-6) : 0;
	const double cells = fmax(CHECKING * left * CHECKED_PER_SECOND, LEAST_PROOF_CELLS);
	int status = ascend(c, m, known, opts, (1 - CHECKING) * left,
		end > 0 ? fmin(MOST_PROOF_CELLS, cells) : MOST_PROOF_CELLS);

	gpube__free(c->ctx, c->order);
	c->order = NULL;
	return status ? status : proves_by(c, m, end);
}

/*
 * Ever larger join graphs, each searched a few times as long as all before it took, the last one
 * until the end, until the search proves what is known.
 */
static int search_joins(struct gpube_certificate *c, const struct gpube_model *m,
	const struct gpube_solution *known, const struct gpube_bound_opts *opts, double end)
{
	const double start = gpube__now();
	const int64_t aim = m->direction == GPUBE_MAXIMISE ? -known->bound : known->bound;
	int status = GPUBE_OK;

	for (double cells = FIRST_SEARCH_CELLS; cells < MOST_SEARCH_CELLS; cells *= 4) {
		const double so_far = fmax(0.2, gpube__now() - start);
		const bool last = 4 * cells >= MOST_SEARCH_CELLS;

		status = ascend(c, m, known, opts,
			fmax(1e-3, fmin(so_far, (end - gpube__now()) / 4)), cells);
		if (!status && !c->order)
			status = gpube__fail(
				m->ctx, GPUBE_ELIMIT, "no join graph of %g cells", cells);
		c->bound = aim;
		if (!status)
			status = proves_by(
				c, m, last ? end : fmin(end, gpube__now() + fmax(2, 4 * so_far)));
		if ((status != GPUBE_ESTOP && status != GPUBE_ELIMIT) || gpube__now() >= end ||
			gpube__stopped(m->ctx))
			return status;
	}
	return status;
}

/* In part of the time until 'until', and only while it pays. */
static int find_order(
	int32_t *order, const struct gpube_model *m, int64_t cap, double until, uint64_t seed)
{
	const double most = fmin((until - gpube__now()) * ORDER_SHARE, MOST_ORDER);
	struct gpube_order_cost cost;
	struct gpube_model *relaxed;
	struct gpube_graph g = {0};
	int status = gpube__relaxed(&relaxed, m, cap);

	if (status)
		return status;
	status = gpube__graph_of_model(&g, relaxed);
	if (!status)
		status = gpube__order_find_within(
			m->ctx, order, &cost, &g, most, CELLS_PER_SECOND, seed);
	gpube__graph_clear(m->ctx, &g);
	gpube_model_free(relaxed);
	return status;
}

/* By a search with a join graph's tables, along an order of its own, if none was given. */
static int certify_search(struct gpube_certificate *c, const struct gpube_model *m,
	const struct gpube_solution *known, const struct gpube_bound_opts *opts, double end)
{
	const double until = end > 0 ? end : gpube__now() + SEARCH_SECONDS;
	struct gpube_bound_opts o = *opts;
	int32_t *order = NULL;
	int status = GPUBE_OK;

	if (gpube__now() >= until)
		return gpube__fail(
			m->ctx, GPUBE_ESTOP, "there is no time for a search along an order");
	if (o.order_method != GPUBE_ORDER_GIVEN) {
		order = gpube__alloc(m->ctx, (uint64_t)m->n_vars + 1, sizeof(*order));
		status = order ? find_order(order, m, c->cap, until, o.seed) : GPUBE_ENOMEM;
		o.order_method = GPUBE_ORDER_GIVEN;
		o.order = order;
	}
	o.method = GPUBE_BOUND_JOINS;
	if (!status)
		status = search_joins(c, m, known, &o, until);
	gpube__free(m->ctx, order);
	return status;
}

/*
 * What takes too long to check is made once more by shifts alone, of tables that are the model's.
 */
static int certify_near(struct gpube_certificate *c, const struct gpube_model *m,
	const struct gpube_solution *known, const struct gpube_bound_opts *opts, double end)
{
	struct gpube_bound_opts first = *opts, shifts = *opts;
	int status;

	first.method = opts->method == GPUBE_BOUND_ANDOR ? GPUBE_BOUND_JOINS : opts->method;
	shifts.method = GPUBE_BOUND_SHIFT;
	status = try_near(c, m, known, &first, end);
	return status == GPUBE_ESTOP && end > 0 ? try_near(c, m, known, &shifts, end) : status;
}

/* By patches, which 'known' says what to aim at. */
static int certify_patches(struct gpube_certificate *c, const struct gpube_model *m,
	const struct gpube_solution *known, const struct gpube_bound_opts *opts, double end)
{
	const int64_t aim = m->direction == GPUBE_MAXIMISE ? -known->bound : known->bound;
	struct gpube_model *relaxed;
	double until = gpube__now() + PATCHES_SECONDS;
	int status;

	gpube__certificate_restart(c);
	status = gpube__relaxed(&relaxed, m, c->cap);
	if (status)
		return status;
	if (end > 0)
		until = gpube__now() + PATCHES_SHARE * (1 - CHECKING) * fmax(end - gpube__now(), 0);
	status = gpube__certify_patches(c, relaxed, aim, opts->split, until);
	gpube_model_free(relaxed);
	if (!status)
		status = proves_by(c, m, end);
	if (status != GPUBE_ESTOP || !c->tree.n_nodes)
		return status;
	/* a tree that takes too long to check: its root is a certificate, too */
	gpube__certificate_cut(c);
	return proves_by(c, m, end);
}

/*
 * What lists and cases did in the run before, which is used up, done once more by the certificate's
 * rules: that is a check. A limit as low as it is now keeps lists short. Half of the time is for
 * that; to check the file takes the other.
 */
static int certify_cases(struct gpube_certificate *c, const struct gpube_model *m,
	const struct gpube_solution *known, struct gpube_certificate *notes,
	const struct gpube_bound_opts *opts, double end)
{
	const int64_t sign = m->direction == GPUBE_MAXIMISE ? -1 : 1, aim = sign * known->bound;
	const double deadline = m->ctx->deadline;
	int64_t limit = known->values ? sign * known->cost : aim;
	int status;

	gpube__certificate_restart(c);
	gpube__free(m->ctx, c->stages.cases);
	c->stages = notes->stages;
	notes->stages = (struct gpube_proof_stages){0};
	c->shift = notes->shift;
	c->stages.by_cases = true;
	if (opts->has_cutoff && sign * opts->cutoff < limit)
		limit = sign * opts->cutoff;
	c->stages.limit = limit > aim ? limit : aim;
	c->bound = aim;
	if (end > 0)
		m->ctx->deadline = gpube__now() + fmax(end - gpube__now(), 0) / 2;
	status = gpube__certificate_mend(c, m);
	m->ctx->deadline = deadline;
	if (status)
		gpube__log(
			m->ctx, GPUBE_LOG_NOTE, "no certificate of lists: %s", gpube_error(m->ctx));
	return status;
}

/* Whether 'c' is of the bound that is known. */
static bool is_enough(const struct gpube_certificate *c, const struct gpube_model *m,
	const struct gpube_solution *known)
{
	return c->bound >= (m->direction == GPUBE_MAXIMISE ? -known->bound : known->bound);
}

static void swap(struct gpube_certificate *a, struct gpube_certificate *b)
{
	const struct gpube_certificate c = *a;

	*a = *b;
	*b = c;
}

/* One way to a certificate; 'end' as for proves_by(). */
struct way {
	int (*certify)(struct gpube_certificate *c, const struct gpube_model *m,
		const struct gpube_solution *known, const struct gpube_bound_opts *opts,
		double end);
	double share; /* of the time that is left */
};

/* Whether something is known that a way can aim at. */
static bool aims_at(const struct gpube_model *m, const struct gpube_solution *known)
{
	return known && known->answer != GPUBE_ANSWER_INFEASIBLE &&
	       known->bound != gpube__no_bound(m);
}

/* Which ways, in their order, at most three; what is known says to some what to aim at. */
static int list_ways(struct way *ways, const struct gpube_model *m,
	const struct gpube_solution *known, const struct gpube_bound_opts *opts)
{
	const enum gpube_bound_method method = opts->method;
	const bool aims = aims_at(m, known);
	int n = 0;

	if (aims && (method == GPUBE_BOUND_AUTO || method == GPUBE_BOUND_PATCHES))
		ways[n++] = (struct way){certify_patches, 0.25};
	if (aims && method == GPUBE_BOUND_ANDOR)
		ways[n++] = (struct way){certify_search, 0.75};
	ways[n++] = (struct way){certify_near, aims && method == GPUBE_BOUND_AUTO ? 0.5 : 1};
	if (aims && method == GPUBE_BOUND_AUTO)
		ways[n++] = (struct way){certify_search, 1};
	return n;
}

/* A failure that another way may do without. */
static bool gives_way(int status)
{
	return status == GPUBE_ELIMIT || status == GPUBE_ERANGE || status == GPUBE_ESTOP;
}

/*
 * The best one of what several ways prove; further ones only where those before proved less than is
 * known.
 */
static int certify_best(struct gpube_certificate *c, const struct gpube_model *m,
	const struct gpube_solution *known, struct gpube_certificate *notes,
	const struct gpube_bound_opts *opts, double end)
{
	struct gpube_certificate best = {.ctx = c->ctx,
		.n_vars = c->n_vars,
		.n_functions = c->n_functions,
		.scale = c->scale,
		.cap = c->cap};
	struct way ways[3];
	const int n = list_ways(ways, m, known, opts);
	bool any = false;
	int status = GPUBE_OK;

	best.domain = gpube__alloc(c->ctx, (uint64_t)c->n_vars, sizeof(*best.domain));
	if (!best.domain)
		return GPUBE_ENOMEM;
	memcpy(best.domain, c->domain, (size_t)c->n_vars * sizeof(*best.domain));
	if (notes && notes->stages.n && aims_at(m, known) && opts->split != GPUBE_SPLIT_FIRST) {
		status = certify_cases(c, m, known, notes, opts, end);
		any = !status;
		if (any)
			swap(&best, c);
		else if (!gives_way(status))
			goto out;
		status = GPUBE_OK;
	}
	for (int k = 0; k < n; k++) {
		if (any && (is_enough(&best, m, known) || (opts->method == GPUBE_BOUND_PATCHES &&
								  ways[k].certify == certify_near)))
			break;
		/* what is too large for near ones is so for searches */
		if (!any && k > 0 && ways[k - 1].certify == certify_near)
			break;
		status = ways[k].certify(c, m, known, opts,
			end > 0 ? end - (1 - ways[k].share) * fmax(end - gpube__now(), 0) : 0);
		if (status && !gives_way(status))
			break;
		if (!status && (!any || c->bound > best.bound)) {
			swap(&best, c);
			any = true;
		}
		if (any)
			status = GPUBE_OK;
	}
	if (any && !status)
		swap(&best, c);
out:
	gpube__certificate_clear(&best);
	return status;
}

static int certify(struct gpube_certificate *c, const struct gpube_model *m,
	const struct gpube_solution *known, struct gpube_certificate *notes,
	const struct gpube_bound_opts *opts)
{
	const int64_t cost = known && known->values ? known->cost : GPUBE_INF;
	const int64_t upper = cost != GPUBE_INF && m->direction == GPUBE_MAXIMISE ? -cost : cost;
	const int64_t cap = gpube__cap_for(m, upper);
	const bool loses = upper != GPUBE_INF && cap < gpube__wide_cap_for(m, upper);
	const double end = opts->timeout_seconds > 0 ? gpube__now() + opts->timeout_seconds : 0;
	char text[256];
	int status = loses ? certify_far(c, m, upper, end) : GPUBE_ELIMIT;

	if (!gives_way(status))
		return status;
	c->cap = cap;
	status = certify_best(c, m, known, notes, opts, end);
	if (status != GPUBE_ERANGE || loses)
		return status;
	snprintf(text, sizeof(text), "%s", gpube_error(m->ctx));
	status = certify_far(c, m, upper, end);
	return status == GPUBE_ELIMIT ? gpube__fail(m->ctx, GPUBE_ERANGE, "%s", text) : status;
}

int gpube__bound_certified(struct gpube_certificate *out, const struct gpube_model *m,
	const struct gpube_solution *known, struct gpube_certificate *notes,
	const struct gpube_bound_opts *opts)
{
	int status;

	*out = (struct gpube_certificate){.ctx = m->ctx,
		.n_vars = m->n_vars,
		.n_functions = m->n_functions,
		.scale = m->scale};
	out->domain = gpube__alloc(m->ctx, (uint64_t)m->n_vars, sizeof(*out->domain));
	for (int32_t i = 0; out->domain && i < m->n_vars; i++)
		out->domain[i] = m->vars[i].domain;
	status = out->domain ? certify(out, m, known, notes, opts) : GPUBE_ENOMEM;
	gpube_ctx_resume(m->ctx);
	if (status)
		gpube__certificate_clear(out);
	return status;
}
