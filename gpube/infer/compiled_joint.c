/*
 * compiled_joint.c - the joint distribution of the query variables: see compiled.h.
 *
 * The product of what their buckets have, but for messages between these, at each of their values.
 * Such messages are made, too, for the sum of all: that of the product has to be the same.
 */
#include "gpube/infer/compiled.h"

#include <math.h>
#include <string.h>

double gpube__compiled_joint_cells(const struct gpube_compiled *c)
{
	double cells = c->opts.n_query ? 1 : 0;

	for (int32_t k = 0; k < c->opts.n_query; k++)
		cells *= c->j.m->vars[c->opts.query[k]].domain;
	return cells;
}

/* What is to be multiplied, along the positions from n_up on that are not fixed, and the total. */
struct joint {
	struct gpube_sum_job job;
	struct gpube_sum_table *inputs, cells, total;
	struct gpube_sum_operand out[2];
	int place[GPUBE_SUM_AXES]; /* of each position from n_up on its axis; -1: it is fixed */
	double roundings;          /* of the functions' products */
};

static int32_t n_inputs(const struct gpube_compiled *c)
{
	int32_t n = 0;

	for (int32_t b = c->j.n_up; b < c->j.n; b++)
		n += c->buckets[b].n_functions + c->j.buckets[b].n_children + 1;
	return n;
}

/* Its axes are those of bucket b. */
static void add_input(struct joint *x, const struct gpube_compiled *c, int32_t b,
	const struct gpube_compiled_input *in)
{
	const int32_t *scope = gpube__infer_scope(&c->j, b);
	struct gpube_sum_table *t = &x->inputs[x->job.n_in];
	struct gpube_sum_operand *o = &x->job.in[x->job.n_in++];
	int64_t offset = 0;

	*o = (struct gpube_sum_operand){.table = t};
	for (int k = 0; k < in->n_axes; k++) {
		const int32_t p = scope[in->axis[k]];
		const int a = x->place[p - c->j.n_up];

		if (a < 0)
			offset += in->stride[k] * c->fixed[p];
		else
			o->stride[a] = in->stride[k];
	}
	*t = *in->table;
	t->n -= offset;
	t->cells += offset;
	t->powers += t->powers ? offset : 0;
}

static int multiply(struct joint *x, struct gpube_compiled *c)
{
	const int32_t most = n_inputs(c);
	int64_t n = 1;
	int status = GPUBE_OK;

	x->job.in = gpube__alloc(c->j.ctx, (uint64_t)most, sizeof(*x->job.in));
	x->inputs = gpube__alloc(c->j.ctx, (uint64_t)most, sizeof(*x->inputs));
	if (!x->job.in || !x->inputs)
		return GPUBE_ENOMEM;
	for (int32_t p = c->j.n_up; p < c->j.n; p++) {
		x->place[p - c->j.n_up] = c->fixed[p] < 0 ? x->job.n_axes : -1;
		if (c->fixed[p] < 0)
			x->job.dim[x->job.n_axes++] = gpube__infer_domain(&c->j, p);
	}
	for (int32_t b = c->j.n_up; b < c->j.n; b++) {
		struct gpube_compiled_turn turn = GPUBE_COMPILED_FIRST;
		struct gpube_compiled_input in;

		x->roundings += c->buckets[b].function_roundings;
		while (gpube__compiled_next(&in, &turn, c, b))
			if (turn.from < c->j.n_up)
				add_input(x, c, b, &in);
	}
	x->job.shares = true;
	x->job.n_out = 2;
	x->job.out = x->out;
	x->out[0].table = &x->cells;
	x->out[1].table = &x->total;
	for (int a = x->job.n_axes - 1; a >= 0; a--) {
		x->out[0].stride[a] = n;
		n *= x->job.dim[a];
	}
	status = gpube__sum_table_new(c->j.ctx, &x->cells, n);
	if (!status)
		status = gpube__sum_table_new(c->j.ctx, &x->total, 1);
	return status ? status : gpube__sum_product(c->j.ctx, &x->job);
}

/* Both are right within their roundings, so they are the same within both. */
static int check(const struct joint *x, const struct gpube_compiled *c, double roundings)
{
	const struct gpube_wide z = c->j.z,
				a = gpube__wide_mul(gpube__compiled_parted(c, c->j.n_up),
					gpube__sum_cell(&x->total, 0));
	const double off = a.m == 0 || a.e - z.e > 1 || z.e - a.e > 1
				   ? INFINITY
				   : fabs(ldexp(a.m, (int)(a.e - z.e)) / z.m - 1);

	if (off <= 2 * (roundings + 8) * 0x1p-53)
		return GPUBE_OK;
	return gpube__fail(c->j.ctx, GPUBE_EBUG,
		"internal error: the joint table of the query does not add up; please report this");
}

/* The table over all values, the last query variable fastest. */
static void take(double *joint, const struct joint *x, const struct gpube_compiled *c)
{
	const struct gpube_wide total = gpube__sum_cell(&x->total, 0);
	const struct gpube_possible *p = &c->j.possible;
	int64_t step[GPUBE_SUM_AXES], count[GPUBE_SUM_AXES] = {0}, to = 0, stride = 1;

	/* of those that are fixed the cell's place; of the others what a step along the axis is */
	for (int32_t k = c->opts.n_query - 1; k >= 0; k--) {
		const int32_t var = c->opts.query[k], b = c->j.position[var];
		const int a = b < 0 ? -1 : x->place[b - c->j.n_up];

		if (a >= 0)
			step[a] = stride;
		else
			to += stride * p->values[p->first[var] + (b < 0 ? 0 : c->fixed[b])];
		stride *= c->j.m->vars[var].domain;
	}
	for (int64_t i = 0; i < x->cells.n; i++) {
		const struct gpube_wide v = gpube__sum_cell(&x->cells, i);
		int64_t at = to;

		for (int32_t q = c->j.n_up; q < c->j.n; q++) {
			const int a = x->place[q - c->j.n_up];

			if (a >= 0)
				at += step[a] * p->values[p->first[c->j.var[q]] + count[a]];
		}
		joint[at] = v.m == 0 || v.e - total.e < -1200
				    ? 0
				    : ldexp(v.m / total.m, (int)(v.e - total.e));
		for (int a = x->job.n_axes - 1; a >= 0 && ++count[a] == x->job.dim[a]; a--)
			count[a] = 0;
	}
}

int gpube__compiled_joint(struct gpube_inference *out, struct gpube_compiled *c)
{
	struct gpube_ctx *ctx = c->j.ctx;
	struct joint x = {0};
	const int64_t n = (int64_t)gpube__compiled_joint_cells(c);
	double *joint = gpube__alloc_zero(ctx, (uint64_t)n, sizeof(*joint)), roundings;
	int status = joint ? multiply(&x, c) : GPUBE_ENOMEM;

	roundings = 2 * (c->j.roundings + x.roundings) + x.out[0].roundings + x.out[1].roundings;
	if (!status)
		status = check(&x, c, roundings);
	if (!status) {
		take(joint, &x, c);
		c->j.most_roundings = fmax(c->j.most_roundings, roundings + 2);
		out->joint = joint;
		out->n_joint = n;
		joint = NULL;
	}
	gpube__sum_table_clear(ctx, &x.cells);
	gpube__sum_table_clear(ctx, &x.total);
	GPUBE_FREE_ALL(ctx, x.job.in, x.inputs, joint);
	return status;
}
