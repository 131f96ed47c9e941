/* certificate_run.c - the run of gpube_bound() that ends in a certificate: see certificate.h. */
#include <math.h>
#include <stdio.h>

#include "gpube/bound/certificate/certificate.h"
#include "gpube/options/options.h"
#include "gpube/bound/reparam.h"
#include "gpube/eliminate/solve.h"
#include "gpube/order/order.h"
#include "gpube/simplify/narrow.h"

#define MOST_PROOF_CELLS  8e6
#define LEAST_PROOF_CELLS 1e4

/* Of the time for a certificate: what its checks take, of tables with so many cells a second. */
#define CHECKING           0.25
#define CHECKED_PER_SECOND 3e5
/*
 * Of the time for steps: to follow them, up to where what they lack is added; for a run that notes
 * them, if there was none. The rest is for the check.
 */
#define FOLLOWING   0.4
#define MENDING     0.3
#define NOTING      0.15
#define MOST_NOTING 5
/* Seconds for a check in any case: most take a part of that. */
#define LEAST_CHECK 0.5
/* Where there is a certificate, of another way and its check. */
#define LEAST_WAY (1.5 * LEAST_CHECK)
/* And where there is no limit: what splits have not ended by then seldom ends. */
#define MENDING_SECONDS 60
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

/* By elimination of the relaxed problem in 128 bits, which has nothing forbidden and no top. */
static int certify_far(
	struct gpube_certificate *c, const struct gpube_model *m, int64_t upper, double end)
{
	const double deadline = m->ctx->deadline;
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
	if (end > 0)
		m->ctx->deadline = end;
	if (!status)
		status = gpube__wide_regrets(&r, &s, NULL);
	m->ctx->deadline = deadline;
	constant += r.optimum;
	if (!status && (constant <= -INT64_MAX || constant >= INT64_MAX))
		status = gpube__fail(m->ctx, GPUBE_ERANGE,
			"the bound that can be certified, about %.6g units of 10^-%d, passes 64 "
			"bits",
			(double)constant, m->scale);
	if (!status)
		status = gpube__certificate_of_regrets(c, &r, (int64_t)constant);
	gpube__regrets_clear(&r);
	gpube__live_clear(&s);
	gpube_model_free(relaxed);
	c->bound = INT64_MAX;
	return status ? status : gpube__certificate_proves(&c->bound, c, m);
}

/* ---- ways to a certificate ------------------------------------------------------------------ */

struct certifying {
	struct gpube_certificate *c;
	const struct gpube_model *m;
	const struct gpube_solution *known;
	struct gpube_certificate *notes;
	const struct gpube_opts *opts;
	enum gpube_bound_method method; /* auto, or that which leaves a proof of its own */
	int64_t sign, aim; /* of a maximum -1; what is known, as a bound of the minimisation */
};

/*
 * What is proved, in half of the time until 'end', gpube__now(), as it is checked once more in the
 * file; 0: without a limit. A stop before this does not end it, but what comes after it.
 */
static int proves_by(const struct certifying *w, int64_t claim, double end)
{
	struct gpube_ctx *ctx = w->m->ctx;
	const double deadline = ctx->deadline;
	const bool stopped = __atomic_load_n(&ctx->stop, __ATOMIC_RELAXED);
	int status;

	gpube_ctx_resume(ctx);
	if (end > 0)
		ctx->deadline = gpube__now() + fmax((end - gpube__now()) / 2, LEAST_CHECK);
	w->c->bound = claim;
	status = gpube__certificate_proves(&w->c->bound, w->c, w->m);
	ctx->deadline = deadline;
	if (stopped)
		gpube_ctx_stop(ctx);
	return status == GPUBE_ESTOP ? gpube__fail(ctx, status,
					       "no certificate could be made and checked in time: "
					       "it takes a longer timeout")
				     : status;
}

/* The tables of an ascent on the relaxed problem, for so many seconds (0: no limit). */
static int ascend(
	const struct certifying *w, struct gpube_opts opts, double seconds, double max_cells)
{
	struct gpube_solution *bounds = NULL;
	struct gpube_reparametrised reparam;
	struct gpube_model *relaxed = NULL;
	int status;

	gpube__certificate_restart(w->c);
	opts.values = w->known ? w->known->values : NULL;
	opts.has_cutoff = 0;
	opts.timeout_seconds = seconds;
	opts.max_arity = 3;
	opts.max_cells = max_cells;
	opts.max_tables = opts.prune = 0;
	status = gpube__relaxed(&relaxed, w->m, w->c->cap);
	if (!status)
		status = gpube__bound_reparam(&bounds, &reparam, relaxed, &opts, w->c);
	if (!status)
		gpube__reparam_clear(&reparam);
	gpube_result_free(bounds);
	gpube_model_free(relaxed);
	return status;
}

/* In tables that can be checked in the time that is kept for that, each by itself. */
static int try_near(const struct certifying *w, enum gpube_bound_method method, double end)
{
	const double left = end > 0 ? fmax(end - gpube__now(), 1e-6) : 0;
	const double cells = fmax(CHECKING * left * CHECKED_PER_SECOND, LEAST_PROOF_CELLS);
	struct gpube_opts opts = *w->opts;
	int status;

	opts.method = method;
	status = ascend(w, opts, (1 - CHECKING) * left,
		end > 0 ? fmin(MOST_PROOF_CELLS, cells) : MOST_PROOF_CELLS);
	gpube__free(w->c->ctx, w->c->order);
	w->c->order = NULL;
	return status ? status : proves_by(w, INT64_MAX, end);
}

/*
 * What takes too long to check is made once more by shifts alone, of tables that are the model's.
 */
static int certify_near(const struct certifying *w, double end)
{
	const int status =
		try_near(w, w->method == GPUBE_BOUND_ANDOR ? GPUBE_BOUND_ASCENT : w->method, end);

	return status == GPUBE_ESTOP && end > 0 ? try_near(w, GPUBE_BOUND_ARC, end) : status;
}

/*
 * Ever larger join graphs, each searched a few times as long as all before it took, the last one
 * until the end, until the search proves what is known.
 */
static int search_joins(const struct certifying *w, const struct gpube_opts *opts, double end)
{
	const double start = gpube__now();
	struct gpube_certificate *c = w->c;
	int status = GPUBE_OK;

	for (double cells = FIRST_SEARCH_CELLS; cells < MOST_SEARCH_CELLS; cells *= 4) {
		const double so_far = fmax(0.2, gpube__now() - start);
		const bool last = 4 * cells >= MOST_SEARCH_CELLS;

		status =
			ascend(w, *opts, fmax(1e-3, fmin(so_far, (end - gpube__now()) / 4)), cells);
		if (!status && c->n_blocks) { /* all tables together */
			c->n_blocks = 1;
			c->first[1] = c->n_tables;
		}
		if (!status)
			status = proves_by(w, w->aim,
				last ? end : fmin(end, gpube__now() + fmax(2, 4 * so_far)));
		if ((status != GPUBE_ESTOP && status != GPUBE_ELIMIT) || gpube__now() >= end ||
			gpube__stopped(c->ctx))
			return status;
	}
	return status;
}

/* In part of the time until 'until', and only while it pays. */
static int find_order(int32_t *order, const struct certifying *w, double until)
{
	const double most = fmin((until - gpube__now()) * ORDER_SHARE, MOST_ORDER);
	struct gpube_order_cost cost;
	struct gpube_model *relaxed;
	struct gpube_graph g = {0};
	int status = gpube__relaxed(&relaxed, w->m, w->c->cap);

	if (status)
		return status;
	status = gpube__graph_of_model(&g, relaxed);
	if (!status)
		status = gpube__order_find_within(
			w->m->ctx, order, &cost, &g, most, CELLS_PER_SECOND, w->opts->seed);
	gpube__graph_clear(w->m->ctx, &g);
	gpube_model_free(relaxed);
	return status;
}

/* By a search with a join graph's tables, along an order of its own, if none was given. */
static int certify_search(const struct certifying *w, double end)
{
	const double until = end > 0 ? end : gpube__now() + SEARCH_SECONDS;
	struct gpube_ctx *ctx = w->m->ctx;
	struct gpube_opts o = *w->opts;
	int32_t *order = NULL;
	int status = GPUBE_OK;

	if (gpube__now() >= until)
		return gpube__fail(
			ctx, GPUBE_ESTOP, "there is no time for a search along an order");
	if (o.order_method != GPUBE_ORDER_GIVEN) {
		order = gpube__alloc(ctx, (uint64_t)w->m->n_vars + 1, sizeof(*order));
		status = order ? find_order(order, w, until) : GPUBE_ENOMEM;
		o.order_method = GPUBE_ORDER_GIVEN;
		o.order = order;
	}
	o.method = GPUBE_BOUND_ASCENT;
	if (!status)
		status = search_joins(w, &o, until);
	gpube__free(ctx, order);
	return status;
}

/* Notes the steps of a short run; none where the model has no pairwise-consistent regions. */
static int note_steps(const struct certifying *w, double end)
{
	struct gpube_opts o = *w->opts;
	struct gpube_solution *again = NULL;
	int status;

	o.method = GPUBE_BOUND_PAIRWISE;
	o.values = w->known->values;
	o.has_cutoff = 0;
	o.order_seconds = 1e-4; /* the method needs none */
	o.timeout_seconds = MOST_NOTING;
	if (end > 0)
		o.timeout_seconds = fmax(1e-6, fmin(MOST_NOTING, NOTING * (end - gpube__now())));
	gpube__certificate_clear(w->notes);
	status = gpube__bound_noted(&again, w->notes, w->m, &o);
	gpube_result_free(again);
	return status;
}

/* Keeps the root's regions without sweeps, and drops the steps behind them. */
static void keep_regions(struct gpube_certificate *c)
{
	struct gpube_proof_case *root = c->stages.cases;
	int32_t n = 0;

	while (n < root->n_stages && !root->stages[n].n_sweeps)
		n++;
	if (n == root->n_stages)
		return;
	gpube__certificate_drop(c, 0, n + 1);
	root->stages[n].n_sweeps = root->n_split = 0;
}

/*
 * Proves by the steps of the run before, or else of a short run: they are repeated by the
 * certificate's rules, which is a check. A low limit keeps lists short. Half of the time is for
 * that; to check the file takes the other.
 */
static int certify_steps(const struct certifying *w, double end)
{
	struct gpube_certificate *c = w->c;
	const double deadline = c->ctx->deadline, start = gpube__now(), left = fmax(end - start, 0);
	int64_t limit = w->known->values ? w->sign * w->known->cost : w->aim;
	int status = w->notes->stages.n ? GPUBE_OK : note_steps(w, end);

	gpube__certificate_restart(c);
	gpube__free(c->ctx, c->stages.cases);
	c->stages = w->notes->stages;
	w->notes->stages = (struct gpube_proof_stages){0};
	if (!status && !c->stages.n)
		status = gpube__fail(
			c->ctx, GPUBE_ELIMIT, "the model has no pairwise-consistent subproblems");
	if (w->opts->has_cutoff && w->sign * w->opts->cutoff < limit)
		limit = w->sign * w->opts->cutoff;
	c->stages.limit = limit > w->aim ? limit : w->aim;
	c->stages.split = w->opts->split;
	if (!status && c->stages.split == GPUBE_SPLIT_FIRST)
		keep_regions(c);
	c->stages.until = start + (end > 0 ? MENDING * left : MENDING_SECONDS);
	c->stages.end = end > 0 ? start + FOLLOWING * left : 0;
	c->bound = w->aim;
	if (end > 0)
		c->ctx->deadline = start + left / 2;
	if (!status)
		status = gpube__certificate_mend(c, w->m);
	c->ctx->deadline = deadline;
	if (status)
		gpube__log(
			c->ctx, GPUBE_LOG_NOTE, "no certificate of steps: %s", gpube_error(c->ctx));
	return status;
}

/*
 * Proves what is known by cycles. Half of the time is for that; what is open by then proves less.
 */
static int certify_cycles(const struct certifying *w, double end)
{
	struct gpube_certificate *c = w->c;
	const double deadline = c->ctx->deadline, start = gpube__now();
	struct gpube_model *relaxed = NULL;
	int status;

	gpube__certificate_restart(c);
	status = gpube__relaxed(&relaxed, w->m, c->cap);
	if (end > 0)
		c->ctx->deadline = start + fmax(end - start, 0) / 2;
	if (!status)
		status = gpube__cycles_note(c, relaxed, w->aim);
	c->ctx->deadline = deadline;
	gpube_model_free(relaxed);
	if (status)
		gpube__log(c->ctx, GPUBE_LOG_NOTE, "no certificate of cycles: %s",
			gpube_error(c->ctx));
	return status ? status : proves_by(w, w->aim, end);
}

/* ---- the best one --------------------------------------------------------------------------- */

/* One way to a certificate; 'end' as for proves_by(). */
struct way {
	int (*certify)(const struct certifying *w, double end);
	double share; /* of the time that is left */
};

enum { MOST_WAYS = 4 };

/* Which ways, in their order; what is known says to some what to aim at. */
static int list_ways(struct way *ways, const struct certifying *w, bool cycles)
{
	const enum gpube_bound_method method = w->method;
	const bool aims = w->known && w->known->answer != GPUBE_ANSWER_INFEASIBLE &&
			  w->known->bound != gpube__no_bound(w->m);
	int n = 0;

	if (aims && cycles)
		ways[n++] = (struct way){certify_cycles, 1};
	if (aims && (method == GPUBE_BOUND_AUTO || method == GPUBE_BOUND_PAIRWISE))
		ways[n++] = (struct way){certify_steps, 1};
	if (aims && method == GPUBE_BOUND_ANDOR)
		ways[n++] = (struct way){certify_search, 0.75};
	ways[n++] = (struct way){certify_near, aims && method == GPUBE_BOUND_AUTO ? 0.5 : 1};
	if (aims && method == GPUBE_BOUND_AUTO)
		ways[n++] = (struct way){certify_search, 1};
	return n;
}

/* A failure that another way may do without. */
static bool falls_back(int status)
{
	return status == GPUBE_ELIMIT || status == GPUBE_ERANGE || status == GPUBE_ESTOP;
}

static void swap(struct gpube_certificate *a, struct gpube_certificate *b)
{
	const struct gpube_certificate c = *a;

	*a = *b;
	*b = c;
}

/* One without a proof. */
static int begin(struct gpube_certificate *c, const struct gpube_model *m)
{
	*c = (struct gpube_certificate){.ctx = m->ctx,
		.n_vars = m->n_vars,
		.n_functions = m->n_functions,
		.scale = m->scale};
	c->domain = gpube__alloc(m->ctx, (uint64_t)m->n_vars, sizeof(*c->domain));
	for (int32_t i = 0; c->domain && i < m->n_vars; i++)
		c->domain[i] = m->vars[i].domain;
	return c->domain ? GPUBE_OK : GPUBE_ENOMEM;
}

/*
 * The best one of what several ways prove; further ones only where those before proved less than is
 * known.
 */
static int certify_best(const struct certifying *w, double end)
{
	struct gpube_certificate best, *c = w->c;
	struct way ways[MOST_WAYS];
	bool any = false, cycles = false;
	int status = begin(&best, w->m), failed = GPUBE_OK, n = 0;

	if (!status)
		status = gpube__has_cycles(&cycles, w->m, w->method);
	n = list_ways(ways, w, cycles);

	best.cap = c->cap;
	for (int k = 0; k < n && !status; k++) {
		const bool steps_enough = w->method == GPUBE_BOUND_PAIRWISE && any;

		const bool late = end > 0 && gpube__now() + LEAST_WAY > end;

		/* what is too large for near ones is so for searches */
		if ((any && (steps_enough || late || best.bound >= w->aim)) ||
			(!any && k > 0 && ways[k - 1].certify == certify_near))
			break;
		status = ways[k].certify(
			w, end > 0 ? end - (1 - ways[k].share) * fmax(end - gpube__now(), 0) : 0);
		if (!status && (!any || c->bound > best.bound)) {
			swap(&best, c);
			any = true;
		}
		if (falls_back(status) && (any || k + 1 < n)) {
			failed = status;
			status = GPUBE_OK;
		}
	}
	if (any && !status)
		swap(&best, c);
	else if (!status)
		status = failed;
	gpube__certificate_clear(&best);
	return status;
}

static int certify(const struct certifying *w)
{
	struct gpube_certificate *c = w->c;
	const struct gpube_model *m = w->m;
	const int64_t cost = w->known && w->known->values ? w->known->cost : GPUBE_INF;
	const int64_t upper = cost != GPUBE_INF ? w->sign * cost : cost;
	const int64_t cap = gpube__cap_for(m, upper);
	const bool loses = upper != GPUBE_INF && cap < gpube__wide_cap_for(m, upper);
	const double seconds = w->opts->timeout_seconds;
	const double end = seconds > 0 ? gpube__now() + seconds : 0;
	char text[256];
	int status = loses ? certify_far(c, m, upper, end) : GPUBE_ELIMIT;

	if (!falls_back(status))
		return status;
	c->cap = cap;
	status = certify_best(w, end);
	if (status != GPUBE_ERANGE || loses)
		return status;
	snprintf(text, sizeof(text), "%s", gpube_error(m->ctx));
	status = certify_far(c, m, upper, end);
	return status == GPUBE_ELIMIT ? gpube__fail(m->ctx, GPUBE_ERANGE, "%s", text) : status;
}

/* Elimination, trees and mini-buckets do not: what they prove others prove again, or less. */
static bool leaves_proof(enum gpube_bound_method method)
{
	return method != GPUBE_BOUND_ELIMINATE && method != GPUBE_BOUND_TREE &&
	       method != GPUBE_BOUND_MBE;
}

int gpube__bound_certified(struct gpube_certificate *out, const struct gpube_model *m,
	const struct gpube_solution *known, struct gpube_certificate *notes,
	const struct gpube_opts *opts)
{
	struct gpube_certificate none = {.ctx = m->ctx};
	struct certifying w = {.c = out,
		.m = m,
		.known = known,
		.notes = notes ? notes : &none,
		.opts = opts,
		.method = leaves_proof(opts->method) ? opts->method : GPUBE_BOUND_AUTO,
		.sign = m->direction == GPUBE_MAXIMISE ? -1 : 1};
	int status = begin(out, m);

	w.aim = known ? w.sign * known->bound : 0;
	if (!status)
		status = certify(&w);
	gpube_ctx_resume(m->ctx);
	gpube__certificate_clear(&none);
	if (status)
		gpube__certificate_clear(out);
	return status;
}
