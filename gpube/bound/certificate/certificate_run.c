/* certificate_run.c - the run of gpube_bound() that ends in a certificate: see certificate.h. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "gpube/bound/certificate/certificate.h"
#include "gpube/bound/shifted.h"
#include "gpube/simplify/narrow.h"

enum { MOST_DIMS = 20 };

#define MOST_PROOF_CELLS 8e6

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

/* By an ascent on the relaxed problem. */
static int certify_near(struct gpube_certificate *c, const struct gpube_model *m, const struct gpube_solution *known,
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
	if (end > 0)
		o.timeout_seconds = fmax(end - gpube__now(), 1e-6);
	status = gpube__relaxed(&relaxed, m, c->cap);
	if (!status)
		status = gpube__bound_shifted(&bounds, &shifted, relaxed, &o, &shifting);
	if (!status) {
		gpube__shifted_clear(&shifted);
		gpube_ctx_resume(m->ctx);
		status = gpube__certificate_proves(&c->bound, c, m);
	}
	gpube_solution_free(bounds, m->ctx);
	gpube_model_free(relaxed);
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
	status = certify_near(c, m, known, opts, end);
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
