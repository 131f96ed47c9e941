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
		gpube__sum_table_clear(ctx, &c->buckets[b].soft);
		gpube__free(ctx, c->buckets[b].plain);
	}
	for (int32_t f = 0; c->tables && f < c->view.n_functions; f++)
		gpube__sum_table_clear(ctx, &c->tables[f]);
	gpube__infer_clear(&c->j);
	gpube__forcing_clear(&c->forcing, ctx);
	GPUBE_FREE_ALL(ctx, c->vars, c->observed, c->soft, c->query, c->last, c->fixed, c->first,
		c->bucket, c->place, c->buckets, c->tables, c->inputs, c->axes, c->strides,
		c->products, c->sums, c->cells, c->marginals, c);
}

/*
 * All messages are kept, those down beside those up. The joint table is made of the values that can
 * occur, and then of all.
 */
static int check_memory(struct gpube_compiled *c)
{
	const struct gpube__inferring *j = &c->j;
	const double joint = gpube__compiled_joint_cells(c),
		     drawn = (double)c->opts.draw * j->m->n_vars;
	char need[GPUBE_BYTES_TEXT], have[GPUBE_BYTES_TEXT];
	double cells = 0;

	gpube__bytes_text(have, (double)j->ctx->memory_bytes);
	if (2 * joint * sizeof(double) > (double)j->ctx->memory_bytes)
		return gpube__fail(j->ctx, GPUBE_ELIMIT,
			"the joint table of %d variable%s has %.6g cells, which take %s; %s are "
			"allowed",
			c->opts.n_query, gpube__plural(c->opts.n_query), joint,
			gpube__bytes_text(need, 2 * joint * sizeof(double)), have);
	if (drawn * sizeof(int32_t) > (double)j->ctx->memory_bytes)
		return gpube__fail(j->ctx, GPUBE_ELIMIT,
			"%lld assignments of %d variable%s take %s; %s are allowed",
			(long long)c->opts.draw, j->m->n_vars, gpube__plural(j->m->n_vars),
			gpube__bytes_text(need, drawn * sizeof(int32_t)), have);
	for (int32_t b = 0; b < j->n; b++)
		cells += gpube__infer_joined(j, b) / gpube__infer_domain(j, b);
	c->plan.plan.peak_bytes += cells * (c->wants_marginals ? 2 : 1) * sizeof(double);
	c->plan.plan.peak_bytes += 2 * joint * sizeof(double) + drawn * sizeof(int32_t);
	if (c->plan.plan.peak_bytes <= (double)j->ctx->memory_bytes)
		return GPUBE_OK;
	return gpube__fail(j->ctx, GPUBE_ELIMIT,
		"the messages of a compiled model are kept, up and for marginals down: "
		"they do not fit the memory allowed");
}

/* A query does without variables that sum to a constant, but for those that it needs. */
static int leave_barren(struct gpube_compiled *c, const struct gpube_model *m)
{
	struct gpube_barren *barren = &c->j.barren;
	int32_t *waiting;
	bool *stays;
	int status = gpube__barren_find(barren, m);

	if (status || !barren->n)
		return status;
	waiting = gpube__alloc(m->ctx, (uint64_t)m->n_vars, sizeof(*waiting));
	stays = gpube__alloc_zero(m->ctx, (uint64_t)m->n_vars, sizeof(*stays));
	if (waiting && stays) {
		for (int32_t k = 0; k < c->opts.n_query; k++)
			gpube__barren_keep(barren, m, stays, waiting, c->opts.query[k]);
		gpube__barren_leave(barren, m, stays);
		c->view = barren->m;
		c->view.vars = c->vars;
	} else {
		status = GPUBE_ENOMEM;
	}
	gpube__free(m->ctx, waiting);
	gpube__free(m->ctx, stays);
	return status;
}

/* What is drawn goes by the order, which must not depend on the number of threads. */
static int plan(struct gpube_compiled *c)
{
	struct gpube_ctx *ctx = c->j.ctx;
	const int n_threads = ctx->n_threads;
	int status;

	ctx->n_threads = c->opts.draw ? 1 : n_threads;
	status = gpube__infer_plan(&c->j);
	ctx->n_threads = n_threads;
	return status;
}

static int take_query(struct gpube_compiled *c, const struct gpube_model *m)
{
	const size_t n = (size_t)c->opts.n_query;
	int status;

	c->query = gpube__alloc(m->ctx, n, sizeof(*c->query));
	if (!c->query)
		return GPUBE_ENOMEM;
	memcpy(c->query, c->opts.query, n * sizeof(*c->query));
	c->opts.query = c->query;
	status = gpube__infer_mark_query(&c->last, m, &c->opts);
	c->j.last = c->last;
	return status;
}

static int compile(struct gpube_compiled *c, const struct gpube_model *m, bool stays)
{
	struct gpube__inferring *j = &c->j;
	const double start = gpube__now();
	int status = GPUBE_OK;

	if (c->opts.n_query)
		status = take_query(c, m);
	if (!status && stays && c->opts.n_query && !c->wants_marginals)
		status = leave_barren(c, m);
	if (!status)
		status = gpube__infer_begin(j);
	if (!status && !j->possible.none)
		status = plan(c);
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
	for (int32_t i = 0; i < m->n_vars && m->evidence && !stays && !status; i++)
		status = gpube_infer_observe(c, i, m->evidence[i]);
	return status;
}

/*
 * gpube_infer_compile() with options that were checked. 'stays': what the model has observed cannot
 * change; then what else is barren is left out of a query.
 */
static int compile_with(struct gpube_compiled **out, struct gpube_inference *plan,
	const struct gpube_model *m, const struct gpube_opts *o, bool stays)
{
	struct gpube_compiled *c;
	int status;

	if (o->n_query && o->draw)
		return gpube__fail(m->ctx, GPUBE_EINVAL,
			"query and draw are two questions: what is drawn are whole assignments");
	c = gpube__alloc_zero(m->ctx, 1, sizeof(*c));
	if (!c)
		return GPUBE_ENOMEM;
	c->j.ctx = m->ctx;
	c->view = *m;
	c->vars = c->view.vars = gpube__alloc(m->ctx, (uint64_t)m->n_vars, sizeof(*c->vars));
	if (!c->vars) {
		gpube_compiled_free(c);
		return GPUBE_ENOMEM;
	}
	for (int32_t i = 0; i < m->n_vars; i++)
		c->vars[i] = (struct gpube_variable){.domain = m->vars[i].domain};
	if (!stays)
		c->view.evidence = NULL;
	c->opts = *o;
	c->wants_marginals = c->opts.task == GPUBE_INFER_MAR;
	c->opts.task = GPUBE_INFER_PR; /* of the plan */
	c->opts.backend = GPUBE_BACKEND_CPU;
	c->plan.backend = "cpu";
	c->opts.bounds = 0;
	c->j.m = &c->view;
	c->j.opts = &c->opts;
	c->j.out = &c->plan;
	status = compile(c, m, stays);
	*plan = c->plan;
	/* the caller's, and no longer needed */
	c->opts.order = NULL;
	c->view.functions = NULL;
	c->view.tables = NULL;
	c->view.scopes = c->view.evidence = NULL;
	if (status)
		gpube_compiled_free(c);
	else
		*out = c;
	return status;
}

int gpube_infer_compile(
	struct gpube_compiled **out, const struct gpube_model *m, const struct gpube_opts *opts)
{
	struct gpube_inference plan;
	struct gpube_opts o;
	int status;

	if (out)
		*out = NULL;
	if (!out || !m)
		return gpube__missing(m ? m->ctx : NULL);
	status = gpube__infer_check(&o, m, opts, GPUBE__ON_COMPILE);
	return status ? status : compile_with(out, &plan, m, &o, false);
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

int gpube_infer_weigh(struct gpube_compiled *c, int32_t var, const double *weights)
{
	struct gpube_sum_table t = {0};
	struct gpube_compiled_bucket *x;
	const struct gpube_possible *p;
	const int32_t *values;
	int32_t b;
	int status;

	if (!c)
		return GPUBE_EINVAL;
	status = gpube__check_weights(c->j.m, var, weights);
	if (status || c->j.possible.none)
		return status;
	p = &c->j.possible;
	values = p->values + p->first[var];
	b = c->j.position[var];
	if (b < 0 && !c->soft) {
		c->soft = gpube__alloc(c->j.ctx, (uint64_t)c->j.m->n_vars, sizeof(*c->soft));
		for (int32_t i = 0; c->soft && i < c->j.m->n_vars; i++)
			c->soft[i] = 1;
		if (!c->soft)
			return GPUBE_ENOMEM;
	}
	if (b < 0) {
		c->soft[var] = weights ? weights[values[0]] : 1;
		return GPUBE_OK;
	}
	if (weights)
		status = gpube__sum_table_new(c->j.ctx, &t, p->n[var]);
	for (int32_t k = 0; weights && k < p->n[var] && !status; k++)
		t.cells[k] = weights[values[k]];
	if (!status && weights)
		status = gpube__sum_settle(c->j.ctx, &t);
	if (status) {
		gpube__sum_table_clear(c->j.ctx, &t);
		return status;
	}
	x = &c->buckets[b];
	gpube__sum_table_clear(c->j.ctx, &x->soft);
	x->soft_power = t.power;
	t.power = 0;
	x->soft = t;
	x->is_dirty = x->is_stale = true;
	return GPUBE_OK;
}

/* The sum alone; *zero: it is 0, and nothing else is known. */
static int sum(struct gpube_compiled *c, bool *zero)
{
	struct gpube__inferring *j = &c->j;
	int status;

	*zero = j->possible.none || c->n_impossible > 0;
	if (*zero)
		return GPUBE_OK;
	if (c->is_plain && !c->wants_marginals)
		gpube__forcing_leave(&c->forcing, j);
	else if (!gpube__forcing_find(&c->forcing, j))
		*zero = true;
	if (*zero)
		return GPUBE_OK;
	j->most_roundings = 0;
	status = gpube__compiled_up(c);
	*zero = j->z.m == 0;
	return status;
}

static int query(struct gpube_compiled *c, struct gpube_inference *out)
{
	struct gpube__inferring *j = &c->j;
	bool zero;
	int64_t n = 0;
	int status;

	*out = c->plan;
	out->known = 1;
	out->log10_z = out->log10_lower = out->log10_upper = -INFINITY;
	status = sum(c, &zero);
	if (status || zero)
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
	if (!status && c->opts.n_query)
		status = gpube__compiled_joint(out, c);
	if (!status && c->opts.draw)
		status = gpube__compiled_draw(out, c);
	if (!status)
		gpube__infer_take(j);
	return status;
}

/* What a row observes, and besides what was observed before. */
static int observe_row(struct gpube_compiled *c, const int32_t *before, const int32_t *row)
{
	int status = GPUBE_OK;

	for (int32_t i = 0; i < c->j.m->n_vars && !status; i++)
		status = gpube_infer_observe(c, i, row && row[i] != -1 ? row[i] : before[i]);
	return status;
}

int gpube_infer_rows(double *log10_z, struct gpube_compiled *c, int64_t n, const int32_t *rows)
{
	const int32_t n_vars = c ? c->j.m->n_vars : 0;
	struct gpube_ctx *ctx = c ? c->j.ctx : NULL;
	int32_t *before;
	double deadline;
	bool zero;
	int status = GPUBE_OK;

	if (!c || n < 0 || (n > 0 && (!log10_z || (n_vars > 0 && !rows))))
		return gpube__missing(ctx);
	before = gpube__alloc(ctx, (uint64_t)n_vars, sizeof(*before));
	if (!before)
		return GPUBE_ENOMEM;
	memcpy(before, c->observed, (size_t)n_vars * sizeof(*before));
	deadline = gpube__time_limit(ctx, gpube__now(), c->opts.timeout_seconds);
	for (int64_t r = 0; r < n && !status; r++) {
		status = gpube__stopped(ctx) ? gpube__fail_stopped(ctx)
					     : observe_row(c, before, rows + r * n_vars);
		if (!status)
			status = sum(c, &zero);
		if (!status)
			log10_z[r] = zero ? -INFINITY : gpube__wide_log10(c->j.z);
	}
	ctx->deadline = deadline;
	/* observed before, so it cannot fail, nor change the text of what has */
	observe_row(c, before, NULL);
	gpube__free(ctx, before);
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
	s = gpube__inference_new(ctx);
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
		gpube_result_free(s);
	else
		*out = s;
	return status;
}

int gpube__infer_once(
	struct gpube_inference **out, const struct gpube_model *m, const struct gpube_opts *opts)
{
	struct gpube_inference plan, *s;
	struct gpube_compiled *c;
	struct gpube_opts o;
	double deadline;
	int status;

	*out = NULL;
	status = gpube__infer_check(&o, m, opts, GPUBE__ON_INFER);
	if (status)
		return status;
	deadline = gpube__time_limit(m->ctx, gpube__now(), o.timeout_seconds);
	o.timeout_seconds = 0;
	status = compile_with(&c, &plan, m, &o, true);
	if (!status) {
		status = gpube_infer_query(out, c);
		if (!status)
			(*out)->seconds_order = plan.seconds_order;
		gpube_compiled_free(c);
	}
	m->ctx->deadline = deadline;
	if (status != GPUBE_ELIMIT && status != GPUBE_ESTOP)
		return status;
	s = gpube__inference_new(m->ctx);
	if (!s)
		return GPUBE_ENOMEM;
	*s = plan;
	s->known = 0;
	s->log10_z = NAN;
	*out = s;
	return status;
}
