/* certificate_run.c - the run of gpube_bound() that ends in a certificate: see certificate.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpube/bound/certificate/certify.h"
#include "gpube/bound/shifted.h"
#include "gpube/eliminate/solve.h"
#include "gpube/simplify/narrow.h"

enum { MOST_DIMS = 20 };

#define MOST_PROOF_CELLS 8e6
#define LEAST_PROOF_CELLS 1e4

/* Of the time for a certificate: what its checks take, of tables with so many cells a second; for patches, where others are next. */
#define CHECKING	   0.25
#define CHECKED_PER_SECOND 3e5
#define PATCHES_SHARE	   0.5
/* Seconds for a check in any case: most take a part of that. */
#define LEAST_CHECK 0.5
/* And where there is no limit: what splits have not ended by then seldom ends. */
#define PATCHES_SECONDS 60

/* One of the tables that a bucket is shared out to, each as much as a number holds. */
static int add_part(struct gpube_certificate *c, const struct gpube__regret_table *t, const int32_t *sorted,
	const int64_t *step, int part)
{
	int32_t index[MOST_DIMS] = {0};
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
	int32_t sorted[MOST_DIMS];
	int64_t step[MOST_DIMS], stride = 1;
	__int128 most = 0;
	int status;

	if (t->n > MOST_DIMS)
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
static int certify_far(struct gpube_certificate *c, const struct gpube_model *m, int64_t upper, double end)
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
			"the bound that can be certified, about %.6g units of 10^-%d, passes 64 bits", (double)constant,
			m->scale);
	c->constant = (int64_t)constant;
	for (int32_t k = 0; k < r.n && !status; k++)
		status = add_bucket(c, &r.tables[k]);
	gpube__regrets_clear(&r);
	gpube__live_clear(&s);
	gpube_model_free(relaxed);
	return status ? status : gpube__certificate_proves(&c->bound, c, m);
}

/*
 * What is proved, in half of the time until 'end', gpube__now(), as it is checked once more in the file; 0: without a limit.
 * A stop before this has done its work.
 */
static int proves_by(struct gpube_certificate *c, const struct gpube_model *m, double end)
{
	struct gpube_ctx *ctx = m->ctx;
	const double deadline = ctx->deadline;
	int status;

	gpube_ctx_resume(ctx);
	if (end > 0)
		ctx->deadline = gpube__now() + fmax((end - gpube__now()) / 2, LEAST_CHECK);
	status = gpube__certificate_proves(&c->bound, c, m);
	ctx->deadline = deadline;
	return status == GPUBE_ESTOP ? gpube__fail(ctx, status, "no certificate could be made and checked in time: it takes a longer timeout")
				     : status;
}

/* By an ascent on the relaxed problem, in tables that can be checked in the time that is kept for that. */
static int try_near(struct gpube_certificate *c, const struct gpube_model *m, const struct gpube_solution *known,
	const struct gpube_bound_opts *opts, double end)
{
	struct gpube_shifted_opts shifting = {
		.whole = true, .max_arity = 3, .max_cells = MOST_PROOF_CELLS, .certificate = c};
	struct gpube_bound_opts o = *opts;
	struct gpube_solution *bounds = NULL;
	struct gpube_shifted shifted;
	struct gpube_model *relaxed = NULL;
	int status;

	gpube__certificate_restart(c);
	o.values = known ? known->values : NULL;
	o.has_cutoff = 0;
	if (end > 0) {
		const double left = fmax(end - gpube__now(), 1e-6);

		o.timeout_seconds = (1 - CHECKING) * left;
		shifting.max_cells = fmin(MOST_PROOF_CELLS, fmax(CHECKING * left * CHECKED_PER_SECOND, LEAST_PROOF_CELLS));
	}
	status = gpube__relaxed(&relaxed, m, c->cap);
	if (!status)
		status = gpube__bound_shifted(&bounds, &shifted, relaxed, &o, &shifting);
	if (!status) {
		gpube__shifted_clear(&shifted);
		status = proves_by(c, m, end);
	}
	gpube_solution_free(bounds, m->ctx);
	gpube_model_free(relaxed);
	return status;
}

/* What takes too long to check is made once more by shifts alone, of tables that are the model's. */
static int certify_near(struct gpube_certificate *c, const struct gpube_model *m, const struct gpube_solution *known,
	const struct gpube_bound_opts *opts, double end)
{
	struct gpube_bound_opts shifts = *opts;
	int status = try_near(c, m, known, opts, end);

	shifts.method = GPUBE_BOUND_SHIFT;
	return status == GPUBE_ESTOP && end > 0 ? try_near(c, m, known, &shifts, end) : status;
}

/* By patches, which 'known' says what to aim at. */
static int certify_patches(struct gpube_certificate *c, const struct gpube_model *m, const struct gpube_solution *known,
	const struct gpube_bound_opts *opts, double end)
{
	const enum gpube_split split = opts->split == GPUBE_SPLIT_NEVER		 ? GPUBE_SPLIT_NEVER
				       : opts->method == GPUBE_BOUND_PATCHES ? GPUBE_SPLIT_FIRST
									     : GPUBE_SPLIT_AUTO;
	const int64_t aim = m->direction == GPUBE_MAXIMISE ? -known->bound : known->bound;
	struct gpube_model *relaxed;
	double until = split == GPUBE_SPLIT_AUTO ? gpube__now() + PATCHES_SECONDS : 0;
	int status;

	gpube__certificate_restart(c);
	status = gpube__relaxed(&relaxed, m, c->cap);
	if (status)
		return status;
	if (end > 0)
		until = gpube__now() + PATCHES_SHARE * (1 - CHECKING) * fmax(end - gpube__now(), 0);
	status = gpube__certify_patches(c, relaxed, aim, split, until);
	gpube_model_free(relaxed);
	if (!status)
		status = proves_by(c, m, end);
	if (status != GPUBE_ESTOP || !c->tree.n_nodes)
		return status;
	/* a tree that takes too long to check: its root is a certificate, too */
	gpube__certificate_cut(c);
	return proves_by(c, m, end);
}

/* Whether 'c' is of the bound that is known. */
static bool is_enough(const struct gpube_certificate *c, const struct gpube_model *m, const struct gpube_solution *known)
{
	return c->bound >= (m->direction == GPUBE_MAXIMISE ? -known->bound : known->bound);
}

static bool may_be_patches(const struct gpube_model *m, const struct gpube_solution *known, const struct gpube_bound_opts *opts)
{
	return known && known->answer != GPUBE_ANSWER_INFEASIBLE && known->bound != gpube__no_bound(m) &&
	       (opts->method == GPUBE_BOUND_AUTO || opts->method == GPUBE_BOUND_PATCHES);
}

static void swap(struct gpube_certificate *a, struct gpube_certificate *b)
{
	const struct gpube_certificate c = *a;

	*a = *b;
	*b = c;
}

/* The better one of what patches and what the other ascents prove. */
static int certify_best(struct gpube_certificate *c, const struct gpube_model *m, const struct gpube_solution *known,
	const struct gpube_bound_opts *opts, double end)
{
	struct gpube_certificate first = {.ctx = c->ctx, .n_vars = c->n_vars, .n_functions = c->n_functions, .scale = c->scale,
		.cap = c->cap};
	int status, patches;

	if (!may_be_patches(m, known, opts))
		return certify_near(c, m, known, opts, end);
	patches = certify_patches(c, m, known, opts, end);
	if (patches && patches != GPUBE_ELIMIT && patches != GPUBE_ERANGE && patches != GPUBE_ESTOP)
		return patches;
	if (!patches && (is_enough(c, m, known) || opts->method == GPUBE_BOUND_PATCHES))
		return GPUBE_OK;
	first.domain = gpube__alloc(c->ctx, (uint64_t)c->n_vars, sizeof(*first.domain));
	if (!first.domain)
		return GPUBE_ENOMEM;
	memcpy(first.domain, c->domain, (size_t)c->n_vars * sizeof(*first.domain));
	swap(&first, c);
	status = certify_near(c, m, known, opts, end);
	if (!patches && (status == GPUBE_ELIMIT || status == GPUBE_ERANGE || status == GPUBE_ESTOP ||
				(!status && first.bound > c->bound))) {
		swap(&first, c);
		status = GPUBE_OK;
	}
	gpube__certificate_clear(&first);
	return status;
}

static int certify(struct gpube_certificate *c, const struct gpube_model *m, const struct gpube_solution *known,
	const struct gpube_bound_opts *opts)
{
	const int64_t cost = known && known->values ? known->cost : GPUBE_INF;
	const int64_t upper = cost != GPUBE_INF && m->direction == GPUBE_MAXIMISE ? -cost : cost;
	const int64_t cap = gpube__cap_for(m, upper);
	const bool loses = upper != GPUBE_INF && cap < gpube__wide_cap_for(m, upper);
	const double end = opts->timeout_seconds > 0 ? gpube__now() + opts->timeout_seconds : 0;
	char text[256];
	int status = loses ? certify_far(c, m, upper, end) : GPUBE_ELIMIT;

	if (status != GPUBE_ELIMIT && status != GPUBE_ERANGE && status != GPUBE_ESTOP)
		return status;
	c->cap = cap;
	status = certify_best(c, m, known, opts, end);
	if (status != GPUBE_ERANGE || loses)
		return status;
	snprintf(text, sizeof(text), "%s", gpube_error(m->ctx));
	status = certify_far(c, m, upper, end);
	return status == GPUBE_ELIMIT ? gpube__fail(m->ctx, GPUBE_ERANGE, "%s", text) : status;
}

int gpube__bound_certified(struct gpube_certificate *out, const struct gpube_model *m,
	const struct gpube_solution *known, const struct gpube_bound_opts *opts)
{
	int status;

	*out = (struct gpube_certificate){.ctx = m->ctx, .n_vars = m->n_vars,
		.n_functions = m->n_functions, .scale = m->scale};
	out->domain = gpube__alloc(m->ctx, (uint64_t)m->n_vars, sizeof(*out->domain));
	for (int32_t i = 0; out->domain && i < m->n_vars; i++)
		out->domain[i] = m->vars[i].domain;
	status = out->domain ? certify(out, m, known, opts) : GPUBE_ENOMEM;
	if (status)
		gpube__certificate_clear(out);
	return status;
}
