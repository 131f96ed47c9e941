/* compiled_up.c - messages up the bucket tree, those that what is new changes: see compiled.h. */
#include "gpube/infer/compiled.h"

/*
 * Messages that are made for all values, though some may be fixed now, stay when others are: those
 * of plain buckets, and of buckets of which nothing is observed, with so many joined cells below at
 * most. In a Bayesian network such are what follows from nothing observed.
 */
#define MOST_LASTING 0x1p14

/*
 * What is fixed now, but for buckets that may last: there what their children's messages have, and
 * what is observed.
 */
static void find_box(struct gpube_compiled_box *box, const struct gpube_compiled *c, int32_t b)
{
	const struct gpube_compiled_bucket *x = &c->buckets[b];

	gpube__compiled_box(box, c, b);
	if (!x->plain && (x->n_observed > 0 || x->cells > MOST_LASTING))
		return;
	for (int a = 0; a < c->j.buckets[b].arity; a++)
		box->value[a] = -1;
	box->value[0] = c->forcing.observed[b];
	for (int32_t d = c->j.buckets[b].child; d >= 0; d = c->j.buckets[d].sibling) {
		const struct gpube_compiled_bucket *child = &c->buckets[d];

		for (int k = 0; k < c->j.buckets[d].arity - 1; k++)
			if (child->at[k + 1] >= 0)
				box->value[child->axis[k]] = child->at[k + 1];
	}
	gpube__compiled_box_measure(box, c, b);
}

/* Writes down with what the message is summed. True: as before */
static bool note_layout(struct gpube_compiled *c, int32_t b, const struct gpube_compiled_box *box)
{
	struct gpube_compiled_bucket *x = &c->buckets[b];
	const int arity = c->j.buckets[b].arity;
	bool same = true;
	int64_t stride = 1;

	for (int a = arity - 1; a > 0; a--) {
		same = same && x->at[a] == box->value[a];
		x->at[a] = box->value[a];
		x->stride[a - 1] = box->value[a] < 0 ? stride : 0;
		stride *= box->value[a] < 0 ? box->dim[box->place[a]] : 1;
	}
	x->at[0] = box->value[0];
	return same;
}

/* A message of one cell is one half: what it is besides is a factor of all. */
static int part(struct gpube_compiled *c, struct gpube_compiled_bucket *x)
{
	const struct gpube_wide v = gpube__sum_cell(&x->up, 0);
	int status = GPUBE_OK;

	x->factor = v.m;
	if (x->up.powers) {
		gpube__sum_table_clear(c->j.ctx, &x->up);
		status = gpube__sum_table_new(c->j.ctx, &x->up, 1);
	}
	if (status)
		return status;
	x->up.cells[0] = v.m > 0 ? 0.5 : 0;
	x->power += v.m > 0 ? v.e + 1 : 0;
	return GPUBE_OK;
}

static int sum_large(struct gpube_compiled *c, int32_t b, const struct gpube_compiled_box *box)
{
	struct gpube_compiled_bucket *x = &c->buckets[b];
	struct gpube_compiled_job job;
	struct gpube_sum_table t = {0};
	int64_t n = 1;
	int status = gpube__compiled_job(&job, c, b, box, false);

	if (!status) {
		job.job.n_out = 1;
		job.job.out[0].table = &t;
		for (int a = box->n_axes - 1; a >= (box->value[0] < 0); a--) {
			job.job.out[0].stride[a] = n;
			n *= box->dim[a];
		}
		status = gpube__sum_table_new(c->j.ctx, &t, n);
	}
	if (!status)
		status = gpube__sum_product(c->j.ctx, &job.job);
	if (!status && job.job.out[0].roundings + x->function_roundings + 2 > x->roundings)
		x->roundings = job.job.out[0].roundings + x->function_roundings + 2;
	if (!status)
		status = gpube__compiled_take_table(c, &x->up, &x->power, &t);
	else
		gpube__sum_table_clear(c->j.ctx, &t);
	gpube__compiled_job_clear(&job, c->j.ctx);
	return status;
}

/* From c->products, n of them. */
static int sum_small(struct gpube_compiled *c, int32_t b, int32_t n, int32_t n_out, bool *same)
{
	struct gpube_compiled_bucket *x = &c->buckets[b];
	const double roundings =
		x->function_roundings + x->n_functions + c->j.buckets[b].n_children + n / n_out + 4;

	for (int32_t i = 0; i < n_out; i++) {
		double sum = c->products[i];

		for (int32_t k = i + n_out; k < n; k += n_out)
			sum += c->products[k];
		c->sums[i] = sum;
	}
	x->roundings = roundings > x->roundings ? roundings : x->roundings;
	return gpube__compiled_take(c, &x->up, &x->power, same, c->sums, n_out);
}

/* *same: the message has the bits that it had. */
static int sum(struct gpube_compiled *c, int32_t b, bool *same)
{
	struct gpube_compiled_bucket *x = &c->buckets[b];
	const bool was_half = x->up.n == 1 && x->up.cells[0] == 0.5;
	struct gpube_compiled_box box;
	bool same_layout = true, same_bits = true;
	int32_t n, n_out = x->plain ? (int32_t)x->own_cells / gpube__infer_domain(&c->j, b) : 0;
	int status;

	if (x->plain && x->up.n > 0 && gpube__compiled_multiply_plain(c, b, n_out)) {
		x->at[0] = c->forcing.observed[b];
		n = x->at[0] < 0 ? (int32_t)x->own_cells : n_out;
		x->factor = 1;
		status = sum_small(c, b, n, n_out, &same_bits);
		goto done;
	}
	find_box(&box, c, b);
	same_layout = note_layout(c, b, &box) && x->up.n > 0;
	x->factor = 1;
	if (box.cells <= GPUBE_COMPILED_SMALL && gpube__compiled_multiply(c, b, &box, false)) {
		n = (int32_t)box.cells;
		status = sum_small(c, b, n, n / (int32_t)box.n_own, &same_bits);
	} else {
		same_bits = false;
		status = sum_large(c, b, &box);
	}
done:
	if (!status && x->up.n == 1) {
		status = part(c, x);
		same_bits = was_half && x->factor > 0;
	}
	if (status)
		gpube__sum_table_clear(c->j.ctx, &x->up);
	*same = same_layout && same_bits;
	return status;
}

/* What is fixed otherwise now than when messages were summed. */
static void find_changes(struct gpube_compiled *c)
{
	const struct gpube_forcing *forcing = &c->forcing;

	for (int32_t p = 0; p < c->j.n; p++) {
		const int32_t now = forcing->now[p];

		if (forcing->observed[p] >= 0 && c->buckets[p].at[0] != forcing->observed[p])
			c->buckets[p].is_dirty = true;
		if (now == c->fixed[p])
			continue;
		c->fixed[p] = now;
		for (int64_t k = c->first[p]; k < c->first[p + 1]; k++) {
			struct gpube_compiled_bucket *x = &c->buckets[c->bucket[k]];
			const int32_t then = x->at[c->place[k]];

			x->is_dirty = x->is_dirty || (then >= 0 && then != now);
			x->is_stale = true;
		}
	}
}

struct gpube_wide gpube__compiled_parted(const struct gpube_compiled *c, int32_t n)
{
	struct gpube_wide z = c->constant;
	int64_t power = 0;
	double m = 1;

	for (int32_t i = 0; c->soft && i < c->j.m->n_vars; i++)
		z = gpube__wide_mul(z, gpube__wide(c->soft[i], 0));
	for (int32_t b = 0; b < n; b++) {
		const struct gpube_compiled_bucket *x = &c->buckets[b];

		power += x->power;
		m *= x->factor;
		if (m < 0x1p-900) {
			z = gpube__wide_mul(z, gpube__wide(m, 0));
			m = 1;
		}
		/* a root's one half is not read by a parent */
		power -= c->j.buckets[b].parent < 0;
	}
	for (int32_t b = 0; b < c->j.n; b++)
		power += c->buckets[b].soft_power;
	return gpube__wide_mul(z, gpube__wide(m, power));
}

int gpube__compiled_up(struct gpube_compiled *c)
{
	struct gpube__inferring *j = &c->j;

	find_changes(c);
	for (int32_t b = 0; b < j->n; b++) {
		struct gpube_compiled_bucket *x = &c->buckets[b];
		bool same;
		int status;

		if (!x->is_dirty)
			continue;
		if (gpube__stopped(j->ctx))
			return gpube__fail_stopped(j->ctx);
		status = sum(c, b, &same);
		if (status)
			return status;
		x->is_dirty = false;
		if (same || j->buckets[b].parent < 0)
			continue;
		c->buckets[j->buckets[b].parent].is_dirty = true;
		c->buckets[j->buckets[b].parent].is_stale = true;
	}
	j->z = gpube__compiled_parted(c, j->n);
	j->roundings = c->constant_roundings + (c->soft ? j->m->n_vars : 0);
	for (int32_t b = 0; b < j->n; b++)
		j->roundings += c->buckets[b].roundings + 2;
	return GPUBE_OK;
}
