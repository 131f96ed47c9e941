/*
 * compiled_down.c - messages down the bucket tree, and marginals, where what is new changes them:
 * see compiled.h.
 *
 * As in infer_down.c: the weights of a bucket's joined table, summed over what a child does not
 * have and divided by its message up, are what goes there. A bucket whose message has one cell
 * needs nothing from above: that part of the model has its marginals for itself.
 */
#include "gpube/infer/compiled.h"

#include <math.h>
#include <string.h>

/* Of weights, what is so far below the largest is nothing. */
#define LEAST_SHARE 0x1p-500

static double *marginal_of(struct gpube_compiled *c, int32_t b, int32_t index)
{
	const struct gpube__inferring *j = &c->j;
	const int32_t var = j->var[b];

	return &c->marginals[j->marginals_at[var] +
			     j->possible.values[j->possible.first[var] + index]];
}

/* Cells of a child's message in its parent's box. */
static int64_t n_cells(
	const struct gpube_compiled *c, const struct gpube_compiled_box *box, int32_t child)
{
	int64_t n = 1;

	for (int k = 0; k < c->j.buckets[child].arity - 1; k++) {
		const int a = box->place[c->buckets[child].axis[k]];

		n *= a >= 0 ? box->dim[a] : 1;
	}
	return n;
}

/*
 * Strides of a child's message down along its parent's axes; the axes of the message in 'own', with
 * the strides of what came up along these.
 */
static void lay_child(const struct gpube_compiled *c, const struct gpube_compiled_box *box,
	int32_t child, int64_t *stride, struct gpube_compiled_box *own, int64_t *up_stride,
	int64_t *up_offset)
{
	const struct gpube_compiled_bucket *x = &c->buckets[child];
	int64_t n = 1;

	memset(stride, 0, (size_t)box->n_axes * sizeof(*stride));
	own->n_axes = 0;
	*up_offset = 0;
	for (int k = 0; k < c->j.buckets[child].arity - 1; k++) {
		const int a = box->place[x->axis[k]];

		if (a < 0) {
			*up_offset += x->stride[k] * box->value[x->axis[k]];
			continue;
		}
		up_stride[own->n_axes] = x->stride[k];
		own->dim[own->n_axes++] = box->dim[a];
	}
	for (int k = c->j.buckets[child].arity - 2; k >= 0; k--) {
		const int a = box->place[x->axis[k]];

		if (a < 0)
			continue;
		stride[a] = n;
		n *= box->dim[a];
	}
}

/* What the weights of a bucket add up to: as the message up says, or the parent's weights. */
static struct gpube_wide expected(const struct gpube_compiled *c, int32_t b, bool is_root)
{
	const struct gpube_compiled_bucket *x = &c->buckets[b];
	const int32_t *scope = gpube__infer_scope(&c->j, b), parent = c->j.buckets[b].parent;
	struct gpube_wide v;
	int64_t at = 0;

	if (!is_root) {
		v = c->buckets[parent].total;
		return gpube__wide(v.m, v.e + x->power - x->down_power);
	}
	for (int k = 1; k < c->j.buckets[b].arity; k++)
		at += x->stride[k - 1] ? x->stride[k - 1] * c->fixed[scope[k]] : 0;
	v = gpube__sum_cell(&x->up, at);
	return gpube__wide(v.m * x->factor, v.e + x->power);
}

/* Both are right within their roundings, so they are the same within both. */
static int check(const struct gpube_compiled *c, int32_t b, bool is_root, double cells)
{
	const struct gpube_wide a = c->buckets[b].total, z = expected(c, b, is_root);
	const double off = a.m == 0 || a.e - z.e > 1 || z.e - a.e > 1
				   ? INFINITY
				   : fabs(ldexp(a.m, (int)(a.e - z.e)) / z.m - 1);

	if (off <= 4 * (c->j.roundings + cells + 8) * 0x1p-53)
		return GPUBE_OK;
	return gpube__fail(c->j.ctx, GPUBE_EBUG,
		"internal error: the weights of variable %d's values do not add up; please report "
		"this",
		c->j.var[b]);
}

/* ---- small buckets ------------------------------------------------------------------- */

static int hand_down_small(
	struct gpube_compiled *c, const struct gpube_compiled_box *box, int32_t child, int64_t n)
{
	struct gpube_compiled_bucket *x = &c->buckets[child];
	int64_t stride[GPUBE_SUM_AXES], up_stride[GPUBE_SUM_AXES], offset;
	struct gpube_compiled_box own;
	bool same = true;
	double most = 0;
	int status;

	lay_child(c, box, child, stride, &own, up_stride, &offset);
	gpube__compiled_lay(c->cells, box, stride);
	for (int64_t i = 0; i < n; i++)
		c->sums[i] = 0;
	for (int32_t i = 0; i < (int32_t)box->cells; i++)
		c->sums[c->cells[i]] += c->products[i];
	for (int64_t i = 0; i < n; i++)
		most = c->sums[i] > most ? c->sums[i] : most;
	gpube__compiled_lay(c->cells, &own, up_stride);
	for (int64_t i = 0; i < n; i++) {
		const double up = x->up.cells[offset + c->cells[i]];

		c->sums[i] = c->sums[i] > most * LEAST_SHARE && up > 0 ? c->sums[i] / up : 0;
	}
	x->down_roundings = fmax(x->down_roundings, box->cells / (double)n + 2);
	status = gpube__compiled_take(c, &x->down, &x->down_power, &same, c->sums, n);
	x->is_stale = x->is_stale || !same;
	return status;
}

static int weigh_small(struct gpube_compiled *c, int32_t b, const struct gpube_compiled_box *box)
{
	const int32_t n_out = (int32_t)(box->cells / (double)box->n_own);
	double all = 0;
	int status = GPUBE_OK;

	for (int64_t k = 0; k < box->n_own; k++) {
		double sum = 0;

		for (int32_t i = 0; i < n_out; i++)
			sum += c->products[k * n_out + i];
		if (box->value[0] < 0)
			*marginal_of(c, b, (int32_t)k) = sum;
		all += sum;
	}
	for (int64_t k = 0; k < box->n_own && box->value[0] < 0; k++)
		*marginal_of(c, b, (int32_t)k) /= all;
	c->buckets[b].total = gpube__wide(all, 0);
	c->buckets[b].read_roundings = fmax(c->buckets[b].read_roundings, n_out);
	for (int32_t d = c->j.buckets[b].child; d >= 0 && !status; d = c->j.buckets[d].sibling) {
		const int64_t n = n_cells(c, box, d);

		if (n > 1)
			status = hand_down_small(c, box, d, n);
	}
	return status;
}

/* ---- large ones ---------------------------------------------------------------------- */

/* The cells of what came up that the message down has. */
static int copy_up(struct gpube_sum_table *t, struct gpube_compiled *c,
	const struct gpube_compiled_box *own, int64_t n, const struct gpube_sum_table *up,
	const int64_t *stride, int64_t at)
{
	int64_t count[GPUBE_SUM_AXES] = {0};
	int status = gpube__sum_table_new(c->j.ctx, t, n);

	if (!status && up->powers) {
		t->powers = gpube__alloc(c->j.ctx, (uint64_t)n, sizeof(*t->powers));
		status = t->powers ? GPUBE_OK : GPUBE_ENOMEM;
	}
	for (int64_t i = 0; i < n && !status; i++) {
		t->cells[i] = up->cells[at];
		if (up->powers)
			t->powers[i] = up->powers[at];
		for (int a = own->n_axes - 1; a >= 0; a--) {
			at += stride[a];
			if (++count[a] < own->dim[a])
				break;
			at -= stride[a] * count[a];
			count[a] = 0;
		}
	}
	return status ? status : gpube__sum_settle(c->j.ctx, t);
}

static int hand_down_large(struct gpube_compiled *c, const struct gpube_compiled_box *box,
	int32_t child, struct gpube_sum_table *sums)
{
	struct gpube_compiled_bucket *x = &c->buckets[child];
	int64_t stride[GPUBE_SUM_AXES], up_stride[GPUBE_SUM_AXES], offset;
	struct gpube_compiled_box own;
	struct gpube_sum_table up = {0};
	int status = GPUBE_OK;

	lay_child(c, box, child, stride, &own, up_stride, &offset);
	if (x->up.n != sums->n)
		status = copy_up(&up, c, &own, sums->n, &x->up, up_stride, offset);
	if (!status)
		status = gpube__sum_divide(c->j.ctx, sums, sums, up.cells ? &up : &x->up);
	gpube__sum_table_clear(c->j.ctx, &up);
	x->is_stale = true;
	if (status)
		return status;
	status = gpube__compiled_take_table(c, &x->down, &x->down_power, sums);
	*sums = (struct gpube_sum_table){0};
	return status;
}

/* t: of the bucket's own variable; of one cell where that is fixed */
static void read_off(struct gpube_compiled *c, int32_t b, const struct gpube_sum_table *t)
{
	struct gpube_wide all = {0, 0};

	for (int64_t i = 0; i < t->n; i++)
		all = gpube__wide_add(all, gpube__sum_cell(t, i));
	for (int64_t i = 0; i < t->n && t->n > 1; i++) {
		const struct gpube_wide v = gpube__sum_cell(t, i);

		*marginal_of(c, b, (int32_t)i) =
			v.e - all.e < -1200 ? 0 : ldexp(v.m / all.m, (int)(v.e - all.e));
	}
	c->buckets[b].total = all;
}

/* tables: of the bucket's own variable, then of its children. */
static int weigh_tables(struct gpube_compiled *c, int32_t b, const struct gpube_compiled_box *box,
	struct gpube_compiled_job *job, struct gpube_sum_table *tables)
{
	struct gpube_sum_operand *out = job->job.out;
	int64_t stride[GPUBE_SUM_AXES], offset;
	struct gpube_compiled_box own;
	int n = 0, status = GPUBE_OK;

	job->job.shares = true;
	out[0].table = &tables[n++];
	out[0].stride[0] = box->value[0] < 0;
	status = gpube__sum_table_new(c->j.ctx, &tables[0], box->n_own);
	for (int32_t d = c->j.buckets[b].child; d >= 0 && !status; d = c->j.buckets[d].sibling) {
		if (n_cells(c, box, d) == 1)
			continue;
		lay_child(c, box, d, out[n].stride, &own, stride, &offset);
		out[n].table = &tables[n];
		status = gpube__sum_table_new(c->j.ctx, &tables[n], n_cells(c, box, d));
		n++;
	}
	job->job.n_out = n;
	if (!status)
		status = gpube__sum_product(c->j.ctx, &job->job);
	if (status)
		return status;
	read_off(c, b, &tables[0]);
	c->buckets[b].read_roundings = fmax(c->buckets[b].read_roundings, out[0].roundings);
	n = 1;
	for (int32_t d = c->j.buckets[b].child; d >= 0 && !status; d = c->j.buckets[d].sibling) {
		if (n_cells(c, box, d) == 1)
			continue;
		c->buckets[d].down_roundings =
			fmax(c->buckets[d].down_roundings, out[n].roundings + 2);
		status = hand_down_large(c, box, d, &tables[n++]);
	}
	return status;
}

static int weigh_large(
	struct gpube_compiled *c, int32_t b, const struct gpube_compiled_box *box, bool is_root)
{
	const int most = c->j.buckets[b].n_children + 1;
	struct gpube_sum_table *tables =
		gpube__alloc_zero(c->j.ctx, (uint64_t)most, sizeof(*tables));
	struct gpube_compiled_job job = {0};
	int status = tables ? gpube__compiled_job(&job, c, b, box, !is_root) : GPUBE_ENOMEM;

	if (!status)
		status = weigh_tables(c, b, box, &job, tables);
	for (int k = 0; tables && k < most; k++)
		gpube__sum_table_clear(c->j.ctx, &tables[k]);
	gpube__free(c->j.ctx, tables);
	gpube__compiled_job_clear(&job, c->j.ctx);
	return status;
}

/* ---- both ---------------------------------------------------------------------------- */

/*
 * Most roundings that there have been: what came up to a message drops out of what goes down by it.
 */
static void count_roundings(struct gpube_compiled *c, int32_t b, bool is_root)
{
	struct gpube_compiled_bucket *x = &c->buckets[b];
	const struct gpube_compiled_bucket *parent =
		is_root ? NULL : &c->buckets[c->j.buckets[b].parent];

	x->all_down =
		is_root ? 0 : parent->all_down + parent->all_up + x->down_roundings - x->all_up;
	c->j.most_roundings =
		fmax(c->j.most_roundings, 2 * (x->all_up + x->all_down + x->read_roundings) +
						  gpube__infer_domain(&c->j, b) + 1);
}

static int weigh(
	struct gpube_compiled *c, int32_t b, const struct gpube_compiled_box *box, bool is_root)
{
	bool needed = box->value[0] < 0;
	int status;

	for (int32_t k = 0; k < gpube__infer_domain(&c->j, b) && !needed; k++)
		*marginal_of(c, b, k) = k == box->value[0];
	for (int32_t d = c->j.buckets[b].child; d >= 0; d = c->j.buckets[d].sibling)
		needed = needed || n_cells(c, box, d) > 1;
	if (!needed)
		return GPUBE_OK;
	if (box->cells <= GPUBE_COMPILED_SMALL && gpube__compiled_multiply(c, b, box, !is_root))
		status = weigh_small(c, b, box);
	else
		status = weigh_large(c, b, box, is_root);
	return status ? status : check(c, b, is_root, box->cells);
}

int gpube__compiled_down(struct gpube_compiled *c)
{
	struct gpube__inferring *j = &c->j;

	for (int32_t b = 0; b < j->n; b++)
		c->buckets[b].all_up = 0;
	for (int32_t b = 0; b < j->n; b++) {
		c->buckets[b].all_up += c->buckets[b].roundings;
		if (j->buckets[b].parent >= 0)
			c->buckets[j->buckets[b].parent].all_up += c->buckets[b].all_up;
	}
	j->most_roundings = 0;
	for (int32_t b = j->n - 1; b >= 0; b--) {
		struct gpube_compiled_bucket *x = &c->buckets[b];
		struct gpube_compiled_box box;
		bool is_root;
		int status;

		gpube__compiled_box(&box, c, b);
		is_root = box.cells == (double)box.n_own;
		if (x->is_stale && gpube__stopped(j->ctx))
			return gpube__fail_stopped(j->ctx);
		status = x->is_stale ? weigh(c, b, &box, is_root) : GPUBE_OK;
		if (status)
			return status;
		x->is_stale = false;
		count_roundings(c, b, is_root);
	}
	return GPUBE_OK;
}
