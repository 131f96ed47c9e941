/*
 * contract_prepare.c - runs a contraction whose shape is known; first makes its
 * small operands ready.
 *
 * An operand that is small beside the joined table is read by many tiles. If its
 * scope lies inside that of another such operand, both are added up once; if
 * its layout does not suit the tiles, it is copied into one that does. Either
 * is itself a contraction that reduces nothing, and runs on the same tiles.
 */
#include <string.h>

#include "gpube/ops/contract_prepare.h"

#define SMALL_SHARE   16		/* small: this many times fewer cells than are joined */
#define PREPARE_FROM  100000		/* joined cells */
#define PREPARE_BYTES 67108864.0	/* most memory for prepared operands */

struct prepare {
	struct gpube__job *job;
	struct gpube__shape merged; /* one operand for each host */
	struct gpube__shape ready;  /* what runs in the end */
	int64_t *merged_stride, *ready_stride;
	const char **values; /* of the ready operands */
	int *host;	     /* of each operand of the job: the operand it is added to, or itself */
	int *member;	     /* of each merged operand: the job's operand that is its host */
	void **tables;	     /* NULL, or what was made for a merged operand */
	void *memory;	     /* for a plan */
};

static uint64_t dims_of(const struct gpube__shape *s, int k)
{
	uint64_t dims = 0;

	for (int d = 0; d < s->n_dims; d++)
		if (s->stride[k * s->ld + d])
			dims |= (uint64_t)1 << d;
	return dims;
}

static double cells_of(const struct gpube__shape *s, int k)
{
	double cells = 1;

	for (int d = 0; d < s->n_dims; d++)
		if (s->stride[k * s->ld + d])
			cells *= (double)s->size[d];
	return cells;
}

static bool is_small(const struct prepare *p, const struct gpube__shape *s, int k)
{
	const double joined = (double)s->n_out_cells * (double)s->n_reduced;
	const double cells = cells_of(s, k);

	return cells * SMALL_SHARE <= joined &&
	       cells * (double)gpube__type_size(p->job->c->type) * s->n_in <= PREPARE_BYTES;
}

/* The smallest operand that holds k's scope; of equal scopes the first is host. */
static int host_of(const struct prepare *p, int k)
{
	const struct gpube__shape *s = &p->job->shape;
	const uint64_t mine = dims_of(s, k);
	int best = k;

	for (int m = 0; m < s->n_in; m++) {
		const uint64_t theirs = dims_of(s, m);

		if (m == k || (mine & ~theirs) || (mine == theirs && m > k) || !is_small(p, s, m))
			continue;
		if (best == k || cells_of(s, m) < cells_of(s, best))
			best = m;
	}
	return best;
}

static void merge(struct prepare *p)
{
	const struct gpube__shape *s = &p->job->shape;
	int n = 0;

	for (int k = 0; k < s->n_in; k++)
		p->host[k] = host_of(p, k);
	for (int k = 0; k < s->n_in; k++)
		while (p->host[p->host[k]] != p->host[k])
			p->host[k] = p->host[p->host[k]];
	p->merged = *s;
	p->merged.stride = p->merged_stride;
	p->merged.ld = s->n_dims;
	for (int k = 0; k < s->n_in; k++) {
		if (p->host[k] != k)
			continue;
		memcpy(p->merged_stride + n * s->n_dims, s->stride + k * s->ld,
			(size_t)s->n_dims * sizeof(int64_t));
		p->member[n++] = k;
	}
	p->merged.n_in = n;
}

/* The contraction that makes merged operand k with the steps 'layout': its dims, slowest first. */
static void make_copy_shape(struct gpube__shape *to, const struct prepare *p, int k,
	const int64_t *layout, const char **values)
{
	const struct gpube__shape *s = &p->job->shape;
	const uint64_t dims = dims_of(&p->merged, k);
	int64_t below = INT64_MAX;

	to->n_dims = to->n_in = 0;
	to->n_out_cells = to->n_reduced = to->repeat = 1;
	for (int m = 0; m < s->n_in; m++)
		if (p->host[m] == p->member[k])
			values[to->n_in++] = p->job->values[m];
	to->ld = GPUBE_MAX_DIMS;
	for (int left = __builtin_popcountll(dims); left > 0; left--) {
		int slowest = -1, n = 0;

		for (int d = 0; d < s->n_dims; d++)
			if ((dims >> d & 1) && layout[d] < below &&
				(slowest < 0 || layout[d] > layout[slowest]))
				slowest = d;
		below = layout[slowest];
		to->size[to->n_dims] = s->size[slowest];
		to->out_stride[to->n_dims] = layout[slowest];
		to->arg_stride[to->n_dims] = 0;
		to->n_out_cells *= s->size[slowest];
		for (int m = 0; m < s->n_in; m++)
			if (p->host[m] == p->member[k])
				to->stride[n++ * to->ld + to->n_dims] =
					s->stride[m * s->ld + slowest];
		to->n_dims++;
	}
	to->n_out = to->n_dims;
	for (int d = to->n_dims - 2; d >= 0; d--)
		if (gpube__shape_fusible(to, d, 0))
			gpube__shape_fuse(to, d);
}

static int run_planned(struct gpube__job *job, struct gpube__plan *plan)
{
	const struct gpube_contraction *c = job->c;
	struct gpube__run run = {
		.ctx = job->ctx,
		.plan = plan,
		.c = c,
		.values = job->values,
		.out = job->out ? job->out : c->out,
		.arg = job->out ? (char *)job->args : c->out_arg,
		.arg_bytes = job->out ? 8 : c->arg_bytes,
		.arg_base = job->arg_base,
		.raw = job->out != NULL,
		.stream = (double)plan->shape.n_out_cells * plan->cell_bytes >=
			  GPUBE__STREAM_BYTES,
		.scratch_bytes = gpube__run_scratch(plan),
	};
	int status;

	run.scratch = gpube__scratch_take(job->ctx, run.scratch_bytes, (uint64_t)job->ctx->n_threads);
	if (!run.scratch)
		return GPUBE_ENOMEM;
	gpube__run_ready(&run);
	status = gpube__run_plan(&run);
	gpube__scratch_give(job->ctx, run.scratch);
	return status ? gpube__fail_stopped(job->ctx) : GPUBE_OK;
}

/* Makes merged operand k, with these steps. */
static int make_operand(struct prepare *p, int k, const int64_t *layout)
{
	struct gpube_contraction c = *p->job->c;
	struct gpube__job copy = {.ctx = p->job->ctx, .c = &c};
	const uint64_t n_in = (uint64_t)p->job->shape.n_in;
	const uint64_t cells = (uint64_t)cells_of(&p->merged, k);
	struct gpube__plan plan;
	int64_t *stride;
	void *memory;
	int status = GPUBE_ENOMEM;

	c.semiring = GPUBE_MIN_PLUS;
	c.out_arg = NULL;
	stride = gpube__scratch_take(copy.ctx, n_in * (GPUBE_MAX_DIMS + 1), sizeof(*stride));
	memory = gpube__scratch_take(copy.ctx, gpube__plan_room(&c), 1);
	p->tables[k] = gpube__scratch_take(copy.ctx, cells, gpube__type_size(c.type));
	if (!stride || !memory || !p->tables[k])
		goto out;
	copy.values = (const char **)(stride + n_in * GPUBE_MAX_DIMS);
	copy.shape.stride = stride;
	copy.out = p->tables[k];
	make_copy_shape(&copy.shape, p, k, layout, copy.values);
	status = GPUBE_ERANGE;
	if (gpube__plan_choose_copy(&plan, &c, gpube__kernels(), &copy.shape,
		    copy.ctx->n_threads > 1, memory) &&
		gpube__plan_set(&plan, &copy.shape, memory))
		status = run_planned(&copy, &plan);
out:
	gpube__scratch_give(copy.ctx, memory);
	gpube__scratch_give(copy.ctx, stride);
	return status;
}

/*
 * Does it pay to make merged operand k, that is, do the tiles spare more than the copy
 * takes? A cell of it costs about half a cycle, and half of that for each guest.
 */
static bool pays(struct prepare *p, struct gpube__plan *plan, int k)
{
	const struct gpube__shape *s = &p->job->shape;
	double as_they_are = 0, copy = 0.25 * cells_of(&p->merged, k);

	for (int m = 0; m < s->n_in; m++)
		if (p->host[m] == p->member[k]) {
			as_they_are += gpube__plan_cycles(plan, s, m, false, p->memory);
			copy += 0.25 * cells_of(&p->merged, k);
		}
	return as_they_are > copy + 10000 +
		gpube__plan_cycles(plan, &p->merged, k, true, p->memory);
}

static void add_ready(struct prepare *p, const int64_t *stride, const void *values)
{
	memcpy(p->ready_stride + p->ready.n_in * p->ready.ld, stride,
		(size_t)p->ready.n_dims * sizeof(*stride));
	p->values[p->ready.n_in++] = values;
}

/* The ready operands: what was made, and the job's own where that did not pay. */
static int make_ready(struct prepare *p, struct gpube__plan *plan)
{
	const struct gpube__shape *s = &p->job->shape;

	p->ready = p->merged;
	p->ready.stride = p->ready_stride;
	p->ready.n_in = 0;
	for (int k = 0; k < p->merged.n_in; k++) {
		int64_t layout[GPUBE_MAX_DIMS];

		if (is_small(p, &p->merged, k) && pays(p, plan, k)) {
			int status;

			gpube__plan_layout(plan, k, layout);
			status = make_operand(p, k, layout);
			if (status)
				return status;
			add_ready(p, layout, p->tables[k]);
			continue;
		}
		for (int m = 0; m < s->n_in; m++)
			if (p->host[m] == p->member[k])
				add_ready(p, s->stride + m * s->ld, p->job->values[m]);
	}
	return GPUBE_OK;
}

static int run_prepared(struct prepare *p)
{
	struct gpube__job with = *p->job;
	struct gpube__plan plan;
	uint64_t free_ops = 0;
	int status;

	merge(p);
	for (int k = 0; k < p->merged.n_in; k++)
		if (is_small(p, &p->merged, k))
			free_ops |= (uint64_t)1 << k;
	if (!gpube__plan_choose(
		    &plan, with.c, gpube__kernels(), &p->merged, free_ops, p->memory))
		return GPUBE_ERANGE;
	status = make_ready(p, &plan);
	if (!status && !gpube__plan_set(&plan, &p->ready, p->memory))
		status = GPUBE_ERANGE;
	with.shape = p->ready;
	with.values = p->values;
	return status ? status : run_planned(&with, &plan);
}

/* Operands as they are. */
static int run_plainly(struct gpube__job *job, void *memory)
{
	struct gpube__plan plan;

	if (!gpube__plan_choose(&plan, job->c, gpube__kernels(), &job->shape, 0, memory) ||
		!gpube__plan_set(&plan, &job->shape, memory))
		return GPUBE_ERANGE;
	return run_planned(job, &plan);
}

int gpube__run_job(struct gpube__job *job)
{
	const struct gpube__shape *s = &job->shape;
	const uint64_t n = (uint64_t)s->n_in, n_dims = (uint64_t)s->n_dims;
	struct prepare p = {.job = job};
	int64_t *words = NULL;
	int status = GPUBE_ENOMEM;

	p.memory = gpube__scratch_take(job->ctx, gpube__plan_room(job->c), 1);
	if (!p.memory)
		return GPUBE_ENOMEM;
	if ((double)s->n_out_cells * (double)s->n_reduced < PREPARE_FROM || n == 0 || n > 64) {
		status = run_plainly(job, p.memory);
		goto out;
	}
	words = gpube__scratch_take(job->ctx, n * (2 * n_dims + 4), sizeof(*words));
	if (!words)
		goto out;
	p.merged_stride = words;
	p.ready_stride = words + n * n_dims;
	p.values = (const char **)(words + 2 * n * n_dims);
	p.tables = (void **)(p.values + n);
	p.host = (int *)(p.tables + n);
	p.member = p.host + n;
	memset(p.tables, 0, n * sizeof(*p.tables));
	status = run_prepared(&p);
	for (uint64_t k = 0; k < n; k++)
		gpube__scratch_give(job->ctx, p.tables[k]);
	gpube__scratch_give(job->ctx, words);
out:
	gpube__scratch_give(job->ctx, p.memory);
	return status;
}
