/* compiled.c - gpube_infer_compile() and what follows: see sums.h and compiled.h. */
#include "gpube/infer/compiled.h"
#include "gpube/options/options.h"

#include <math.h>
#include <string.h>

void gpube_compiled_free(struct gpube_compiled *c)
{
	struct gpube_ctx *ctx;

	if (!c)
		return;
	ctx = c->j.ctx;
	for (int32_t b = 0; c->buckets && b < c->j.n; b++) {
		gpube__sum_table_clear(ctx, &c->buckets[b].up);
		gpube__sum_table_clear(ctx, &c->buckets[b].down);
		gpube__free(ctx, c->buckets[b].plain);
	}
	for (int32_t f = 0; c->tables && f < c->view.n_functions; f++)
		gpube__sum_table_clear(ctx, &c->tables[f]);
	gpube__infer_clear(&c->j);
	gpube__forcing_clear(&c->forcing, ctx);
	gpube__free(ctx, c->observed);
	gpube__free(ctx, c->fixed);
	gpube__free(ctx, c->first);
	gpube__free(ctx, c->bucket);
	gpube__free(ctx, c->place);
	gpube__free(ctx, c->buckets);
	gpube__free(ctx, c->tables);
	gpube__free(ctx, c->inputs);
	gpube__free(ctx, c->axes);
	gpube__free(ctx, c->strides);
	gpube__free(ctx, c->products);
	gpube__free(ctx, c->sums);
	gpube__free(ctx, c->cells);
	gpube__free(ctx, c->marginals);
	gpube__free(ctx, c);
}

/* All messages are kept, those down beside those up. */
static int check_memory(struct gpube_compiled *c)
{
	const struct gpube__inferring *j = &c->j;
	double cells = 0;

	for (int32_t b = 0; b < j->n; b++)
		cells += gpube__infer_joined(j, b) / gpube__infer_domain(j, b);
	c->plan.plan.peak_bytes += cells * (c->wants_marginals ? 2 : 1) * sizeof(double);
	if (c->plan.plan.peak_bytes <= (double)j->ctx->memory_bytes)
		return GPUBE_OK;
	return gpube__fail(j->ctx, GPUBE_ELIMIT,
		"the messages of a compiled model are kept, up and for marginals down: "
		"they do not fit the memory allowed");
}

static int compile(struct gpube_compiled *c, const struct gpube_model *m)
{
	struct gpube__inferring *j = &c->j;
	const double start = gpube__now();
	int status = gpube__infer_begin(j);

	if (!status && !j->possible.none)
		status = gpube__infer_plan(j);
	if (!status)
		status = check_memory(c);
	c->plan.seconds_order = gpube__now() - start;
	if (status)
		return status;
	c->observed = gpube__alloc(j->ctx, (uint64_t)m->n_vars, sizeof(*c->observed));
	if (!c->observed)
		return GPUBE_ENOMEM;
	for (int32_t i = 0; i < m->n_vars; i++)
		c->observed[i] = -1;
	if (j->possible.none)
		return GPUBE_OK;
	status = gpube__infer_constants(j);
	c->constant = j->z;
	c->constant_roundings = j->roundings;
	if (!status)
		status = gpube__compiled_tables(c);
	if (!status)
		status = gpube__forcing_begin(&c->forcing, j);
	if (!status && c->wants_marginals)
		status = gpube__infer_begin_marginals(j);
	c->marginals = c->plan.marginals;
	c->plan.marginals = NULL;
	for (int32_t i = 0; i < m->n_vars && m->evidence && !status; i++)
		status = gpube_infer_observe(c, i, m->evidence[i]);
	return status;
}

int gpube_infer_compile(
	struct gpube_compiled **out, const struct gpube_model *m, const struct gpube_opts *opts)
{
	struct gpube_opts o;
	struct gpube_compiled *c;
	int status;

	if (out)
		*out = NULL;
	if (!out || !m)
		return gpube__missing(m ? m->ctx : NULL);
	status = gpube__infer_check(&o, m, opts, GPUBE__ON_COMPILE);
	if (status)
		return status;
	c = gpube__alloc_zero(m->ctx, 1, sizeof(*c));
	if (!c)
		return GPUBE_ENOMEM;
	c->view = *m;
	c->view.evidence = NULL;
	c->opts = o;
	c->wants_marginals = c->opts.task == GPUBE_INFER_MAR;
	c->opts.task = GPUBE_INFER_PR; /* of the plan */
	c->opts.backend = GPUBE_BACKEND_CPU;
	c->opts.bounds = 0;
	c->j.m = &c->view;
	c->j.ctx = m->ctx;
	c->j.opts = &c->opts;
	c->j.out = &c->plan;
	status = compile(c, m);
	c->opts.order = NULL; /* the caller's, and no longer needed */
	if (status)
		gpube_compiled_free(c);
	else
		*out = c;
	return status;
}

/* The index of a value of those that can occur; -1: it cannot, or none is meant. */
static int32_t index_of(const struct gpube_compiled *c, int32_t var, int32_t value)
{
	const struct gpube_possible *p = &c->j.possible;

	for (int32_t k = 0; k < p->n[var]; k++)
		if (p->values[p->first[var] + k] == value)
			return k;
	return -1;
}

int gpube_infer_observe(struct gpube_compiled *c, int32_t var, int32_t value)
{
	struct gpube__inferring *j;
	int32_t before, now, b;

	if (!c)
		return GPUBE_EINVAL;
	j = &c->j;
	if (var < 0 || var >= j->m->n_vars || value < -1 || value >= j->m->vars[var].domain)
		return gpube__fail(
			j->ctx, GPUBE_EINVAL, "variable %d cannot be observed as %d", var, value);
	if (c->observed[var] == value)
		return GPUBE_OK;
	before = index_of(c, var, c->observed[var]);
	now = index_of(c, var, value);
	c->n_impossible += (value >= 0 && now < 0) - (c->observed[var] >= 0 && before < 0);
	c->observed[var] = value;
	b = j->position ? j->position[var] : -1;
	if (b < 0)
		return GPUBE_OK;
	c->forcing.observed[b] = now;
	for (; b >= 0; b = j->buckets[b].parent)
		c->buckets[b].n_observed += (now >= 0) - (before >= 0);
	return GPUBE_OK;
}

static int query(struct gpube_compiled *c, struct gpube_inference *out)
{
	struct gpube__inferring *j = &c->j;
	int64_t n = 0;
	int status;

	*out = c->plan;
	out->known = 1;
	out->log10_z = out->log10_lower = out->log10_upper = -INFINITY;
	if (j->possible.none || c->n_impossible > 0)
		return GPUBE_OK;
	if (c->is_plain && !c->wants_marginals)
		gpube__forcing_leave(&c->forcing, j);
	else if (!gpube__forcing_find(&c->forcing, j))
		return GPUBE_OK;
	status = gpube__compiled_up(c);
	if (status || j->z.m == 0)
		return status;
	if (c->wants_marginals) {
		status = gpube__compiled_down(c);
		n = gpube__infer_n_values(j->m);
		out->marginals = gpube__alloc(j->ctx, (uint64_t)n, sizeof(*out->marginals));
		if (!out->marginals)
			status = GPUBE_ENOMEM;
		else
			memcpy(out->marginals, c->marginals, (size_t)n * sizeof(*out->marginals));
	}
	if (!status)
		gpube__infer_take(j);
	return status;
}

int gpube_infer_query(struct gpube_inference **out, struct gpube_compiled *c)
{
	struct gpube_inference *s;
	struct gpube_ctx *ctx;
	const double start = gpube__now();
	double deadline;
	int status;

	if (out)
		*out = NULL;
	if (!out || !c)
		return GPUBE_EINVAL;
	ctx = c->j.ctx;
	s = gpube__alloc_zero(ctx, 1, sizeof(*s));
	if (!s)
		return GPUBE_ENOMEM;
	deadline = gpube__time_limit(ctx, start, c->opts.timeout_seconds);
	c->j.out = s;
	status = query(c, s);
	c->j.out = &c->plan;
	ctx->deadline = deadline;
	s->seconds_order = 0;
	s->seconds_sum = gpube__now() - start;
	if (status)
		gpube_inference_free(s, ctx);
	else
		*out = s;
	return status;
}
