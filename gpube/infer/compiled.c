/*
 * compiled.c - sums of one model for evidence that changes: gpube_infer_compile() and what follows. See sums.h.
 *
 * Evidence is a table of 0 and 1 in the bucket of its variable, so that the order, the buckets and their sizes are
 * those without evidence. Another value changes the messages from that bucket to its root, and no other: they alone are
 * summed again. The downward pass, of which all depends on any evidence, uses a copy of the messages up, or where all buckets are small
 * (infer_small.c) tables of its own.
 *
 * To reduce the tables by evidence would make each set cheaper, and an order and a plan of its own necessary.
 */
#include "gpube/infer/infer.h"

#include <math.h>
#include <string.h>

struct gpube_compiled {
	struct gpube_model view; /* without evidence */
	struct gpube_infer_opts opts;
	struct gpube_inference plan;
	struct gpube__inferring j;
	int32_t *observed; /* of each variable, -1: it is not */
	bool wants_marginals;
};

void gpube_compiled_free(struct gpube_compiled *c)
{
	struct gpube_ctx *ctx;

	if (!c)
		return;
	ctx = c->j.ctx;
	gpube__small_clear(&c->j);
	gpube__infer_clear(&c->j);
	for (int32_t b = 0; c->j.observed && b < c->j.n; b++)
		gpube__sum_table_clear(ctx, &c->j.observed[b]);
	for (int32_t f = 0; c->j.kept && f < c->view.n_functions; f++)
		gpube__sum_table_clear(ctx, &c->j.kept[f].table);
	gpube__free(ctx, c->j.kept);
	gpube__free(ctx, c->j.observed);
	gpube__free(ctx, c->j.dirty);
	gpube__free(ctx, c->observed);
	gpube__free(ctx, c);
}

/* The messages are there twice while marginals are summed. */
static int check_memory(const struct gpube_compiled *c)
{
	const struct gpube_ctx *ctx = c->j.ctx;

	if (c->plan.plan.peak_bytes * (c->wants_marginals ? 2 : 1) <= (double)ctx->memory_bytes)
		return GPUBE_OK;
	return gpube__fail(c->j.ctx, GPUBE_ELIMIT, "the messages of a compiled model are kept, and copied for marginals: "
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
	j->observed = gpube__alloc_zero(j->ctx, (uint64_t)j->n, sizeof(*j->observed));
	j->dirty = gpube__alloc(j->ctx, (uint64_t)j->n, sizeof(*j->dirty));
	j->kept = gpube__alloc_zero(j->ctx, (uint64_t)m->n_functions, sizeof(*j->kept));
	if (!c->observed || !j->observed || !j->dirty || !j->kept)
		return GPUBE_ENOMEM;
	for (int32_t b = 0; b < j->n && !status; b++) {
		j->dirty[b] = true;
		status = gpube__infer_join_kept(j, b);
	}
	if (!status)
		status = gpube__small_begin(j, c->wants_marginals);
	for (int32_t i = 0; i < m->n_vars; i++)
		c->observed[i] = -1;
	for (int32_t i = 0; i < m->n_vars && m->evidence && !status; i++)
		status = gpube_infer_observe(c, i, m->evidence[i]);
	return status;
}

int gpube_infer_compile(struct gpube_compiled **out, const struct gpube_model *m, const struct gpube_infer_opts *opts)
{
	static const struct gpube_infer_opts none = {.sizeof_options = sizeof(none)};
	struct gpube_compiled *c;
	int status;

	if (out)
		*out = NULL;
	if (!out || !m)
		return gpube__missing(m ? m->ctx : NULL);
	status = gpube__infer_check(m, opts ? opts : &none);
	if (status)
		return status;
	c = gpube__alloc_zero(m->ctx, 1, sizeof(*c));
	if (!c)
		return GPUBE_ENOMEM;
	c->view = *m;
	c->view.evidence = NULL;
	c->opts = opts ? *opts : none;
	c->wants_marginals = c->opts.task == GPUBE_INFER_MAR;
	c->opts.task = GPUBE_INFER_MAR; /* messages are kept */
	c->opts.backend = GPUBE_BACKEND_CPU;
	c->opts.bounds = 0;
	c->j.keeps_messages = true;
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

int gpube_infer_observe(struct gpube_compiled *c, int32_t var, int32_t value)
{
	struct gpube__inferring *j;
	struct gpube_sum_table *t;
	int32_t b;
	int status;

	if (!c)
		return GPUBE_EINVAL;
	j = &c->j;
	if (var < 0 || var >= j->m->n_vars || value < -1 || value >= j->m->vars[var].domain)
		return gpube__fail(j->ctx, GPUBE_EINVAL, "variable %d cannot be observed as %d", var, value);
	if (c->observed[var] == value)
		return GPUBE_OK;
	b = j->position ? j->position[var] : -1;
	if (b >= 0) {
		const int32_t *values = j->possible.values + j->possible.first[var];

		t = &j->observed[b];
		if (value >= 0 && !t->cells) {
			status = gpube__sum_table_new(j->ctx, t, gpube__infer_domain(j, b));
			if (status)
				return status;
			t->power = 0;
		}
		if (value < 0)
			gpube__sum_table_clear(j->ctx, t);
		for (int32_t k = 0; k < t->n; k++) {
			t->cells[k] = values[k] == value ? 0.5 : 0; /* as settled tables have it */
			t->power = 1;
		}
		for (; b >= 0; b = j->buckets[b].parent)
			j->dirty[b] = true;
	}
	c->observed[var] = value;
	return GPUBE_OK;
}

/* Values that are observed, and cannot occur whatever else is. */
static bool is_contradiction(const struct gpube_compiled *c)
{
	const struct gpube_possible *p = &c->j.possible;

	for (int32_t i = 0; i < c->view.n_vars; i++) {
		bool here = c->observed[i] < 0;

		for (int32_t k = 0; k < p->n[i] && !here; k++)
			here = p->values[p->first[i] + k] == c->observed[i];
		if (!here)
			return true;
	}
	return false;
}

static int copy_table(struct gpube_ctx *ctx, struct gpube_sum_table *to, const struct gpube_sum_table *from)
{
	int status = gpube__sum_table_new(ctx, to, from->n);

	to->power = from->power;
	to->top = from->top;
	to->least = from->least;
	if (!status && from->powers) {
		to->powers = gpube__alloc(ctx, (uint64_t)from->n, sizeof(*to->powers));
		status = to->powers ? GPUBE_OK : GPUBE_ENOMEM;
	}
	if (status)
		return status;
	memcpy(to->cells, from->cells, (size_t)from->n * sizeof(*to->cells));
	if (from->powers)
		memcpy(to->powers, from->powers, (size_t)from->n * sizeof(*to->powers));
	return GPUBE_OK;
}

/* The downward pass writes over messages: they are put back. */
static int marginals(struct gpube_compiled *c)
{
	struct gpube__inferring *j = &c->j;
	struct gpube_sum_bucket *up = gpube__alloc_zero(j->ctx, (uint64_t)j->n, sizeof(*up));
	int status = up ? GPUBE_OK : GPUBE_ENOMEM;

	for (int32_t b = 0; b < j->n && !status; b++) {
		const struct gpube_sum_table message = j->buckets[b].message;

		up[b] = j->buckets[b];
		up[b].message = (struct gpube_sum_table){0};
		status = copy_table(j->ctx, &up[b].message, &message);
	}
	if (!status)
		status = gpube__infer_marginals(j);
	for (int32_t b = 0; up && b < j->n; b++) {
		if (status) { /* some are lost */
			gpube__sum_table_clear(j->ctx, &up[b].message);
			j->dirty[b] = true;
			continue;
		}
		gpube__sum_table_clear(j->ctx, &j->buckets[b].message);
		j->buckets[b] = up[b];
	}
	gpube__free(j->ctx, up);
	return status;
}

static int query(struct gpube_compiled *c, struct gpube_inference *out)
{
	struct gpube__inferring *j = &c->j;
	bool done;
	int status;

	*out = c->plan;
	out->known = 1;
	out->log10_z = out->log10_lower = out->log10_upper = -INFINITY;
	if (j->possible.none || is_contradiction(c))
		return GPUBE_OK;
	status = gpube__infer_up(j);
	if (status || j->z.m == 0)
		return status;
	if (c->wants_marginals)
		status = gpube__small_marginals(j, &done);
	if (c->wants_marginals && !status && !done)
		status = marginals(c);
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
