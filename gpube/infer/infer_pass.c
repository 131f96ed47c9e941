/*
 * infer_pass.c - messages up the bucket tree, and down again for marginals: see infer.h.
 *
 * Up: a bucket's message is the sum over its variable of the product of its functions and its
 * children's messages. A root's message is the sum over its component.
 *
 * Down: the bucket's joined table times what comes from its parent is the weight of its cells. Summed over
 * the variables that a child does not have and divided by the child's own message, that is what goes to
 * the child: where the message is 0, so is the weight. What several children have in common is summed
 * once: each from the smallest sum that has its variables, and so is the marginal of the bucket's
 * variable. Nothing of the size of a joined table is ever stored. Weights add up to the sum of all, in
 * every bucket; so what is lost of them, 2^-500 of the largest, is lost for good, and nothing beside it.
 *
 * Roundings. All numbers are >= 0, so relative errors do not grow by addition: the most roundings on
 * the way to a number bound its error. A child's message that is multiplied and later divided by drops out.
 */
#include "gpube/infer/infer.h"

#include <math.h>
#include <stdlib.h>

/* The tables of a bucket. */
struct inputs {
	struct gpube_sum_table *functions;
	struct gpube_sum_operand *in;
	int n;
	double roundings; /* of all together */
};

/* ---- jobs ------------------------------------------------------------------------------------- */

/* A table over a part of a job's axes, which both ascend. */
static void lay(struct gpube_sum_operand *o, struct gpube_sum_table *t, const struct gpube_sum_job *job,
	const int32_t *axes, int arity, const int32_t *scope)
{
	int64_t stride = 1;
	int k = arity - 1;

	*o = (struct gpube_sum_operand){.table = t};
	for (int a = job->n_axes - 1; a >= 0 && k >= 0; a--) {
		if (axes[a] != scope[k])
			continue;
		o->stride[a] = stride;
		stride *= job->dim[a];
		k--;
	}
}

static void set_axes(struct gpube_sum_job *job, const struct gpube__inferring *j, int arity, const int32_t *scope)
{
	job->n_axes = arity;
	for (int a = 0; a < arity; a++)
		job->dim[a] = gpube__infer_domain(j, scope[a]);
}

int gpube__infer_load(struct gpube_sum_table *t, struct gpube__inferring *j, int32_t function,
	struct gpube_sum_operand *o, const struct gpube_sum_job *job, const int32_t *axes)
{
	struct gpube_visit w;
	int64_t n = 1;
	int status = gpube__visit_begin(&w, j->m, function, &j->possible);

	if (status)
		return status;
	*o = (struct gpube_sum_operand){.table = t};
	for (int a = job->n_axes - 1; a >= 0; a--)
		for (int k = 0; k < w.n; k++)
			if (j->position[w.axis[k].var] == axes[a]) {
				o->stride[a] = w.axis[k].to = n;
				n *= job->dim[a];
			}
	status = gpube__sum_table_new(j->ctx, t, n);
	if (!status) {
		do
			t->cells[w.to] = gpube__visit_value(&w);
		while (gpube__visit_step(&w));
		status = gpube__sum_settle(j->ctx, t, false);
	}
	gpube__free(j->ctx, w.axis);
	return status;
}

static void inputs_clear(struct inputs *in, struct gpube__inferring *j, int32_t b)
{
	for (int k = 0; in->functions && k < j->buckets[b].n_functions; k++)
		gpube__sum_table_clear(j->ctx, &in->functions[k]);
	gpube__free(j->ctx, in->functions);
	gpube__free(j->ctx, in->in);
}

/* Functions, then children, then, if 'down', what came from the parent. */
static int gather(struct inputs *in, struct gpube__inferring *j, int32_t b, struct gpube_sum_job *job, bool down)
{
	struct gpube_sum_bucket *bucket = &j->buckets[b];
	const int32_t *axes = gpube__infer_scope(j, b);
	const int most = bucket->n_functions + bucket->n_children + 1;
	int status = GPUBE_OK;

	*in = (struct inputs){0};
	set_axes(job, j, bucket->arity, axes);
	in->functions = gpube__alloc_zero(j->ctx, (uint64_t)bucket->n_functions, sizeof(*in->functions));
	in->in = gpube__alloc_zero(j->ctx, (uint64_t)most, sizeof(*in->in));
	if (!in->functions || !in->in)
		return GPUBE_ENOMEM;
	for (int k = 0; k < bucket->n_functions && !status; k++)
		status = gpube__infer_load(&in->functions[k], j, j->functions[bucket->functions_at + k],
			&in->in[in->n++], job, axes);
	for (int32_t c = bucket->child; c >= 0 && !status; c = j->buckets[c].sibling) {
		lay(&in->in[in->n++], &j->buckets[c].message, job, axes, j->buckets[c].arity - 1,
			gpube__infer_scope(j, c) + 1);
		in->roundings += j->buckets[c].roundings;
	}
	if (down && bucket->parent >= 0 && !status) {
		lay(&in->in[in->n++], &bucket->message, job, axes, bucket->arity - 1, axes + 1);
		in->roundings += bucket->roundings;
	}
	job->n_in = in->n;
	job->in = in->in;
	return status;
}

/* Cells of a scope, which fit: the plan has added up their bytes. */
static int64_t cells_of(const struct gpube__inferring *j, int arity, const int32_t *scope)
{
	int64_t n = 1;

	for (int k = 0; k < arity; k++)
		n *= gpube__infer_domain(j, scope[k]);
	return n;
}

/* What powers of the cells' own take is not in the plan. */
static int check_apart(struct gpube__inferring *j, const struct gpube_sum_table *t)
{
	if (!t->powers)
		return GPUBE_OK;
	j->apart_bytes += (double)t->n * sizeof(*t->powers);
	if (j->out->plan.peak_bytes + j->apart_bytes <= (double)j->ctx->memory_bytes)
		return GPUBE_OK;
	return gpube__fail(j->ctx, GPUBE_ELIMIT,
		"the numbers of tables are so far apart that each takes 12 bytes, which the memory "
		"allowed does not hold");
}

static void drop(struct gpube__inferring *j, struct gpube_sum_table *t)
{
	if (t->powers)
		j->apart_bytes -= (double)t->n * sizeof(*t->powers);
	gpube__sum_table_clear(j->ctx, t);
}

/* ---- up ---------------------------------------------------------------------------------------- */

static int up(struct gpube__inferring *j, int32_t b)
{
	struct gpube_sum_bucket *bucket = &j->buckets[b];
	const int32_t *scope = gpube__infer_scope(j, b);
	struct gpube_sum_operand out;
	struct gpube_sum_job job = {.n_out = 1, .out = &out};
	struct inputs in;
	int status = gather(&in, j, b, &job, false);

	if (!status)
		status = gpube__sum_table_new(
			j->ctx, &bucket->message, cells_of(j, bucket->arity - 1, scope + 1));
	if (!status) {
		lay(&out, &bucket->message, &job, scope, bucket->arity - 1, scope + 1);
		status = gpube__sum_product(j->ctx, &job);
	}
	if (!status) {
		bucket->roundings = in.roundings + out.roundings;
		status = check_apart(j, &bucket->message);
	}
	inputs_clear(&in, j, b);
	return status;
}

/* Functions all of whose variables are fixed. */
static int constants(struct gpube__inferring *j)
{
	for (int32_t f = 0; f < j->m->n_functions; f++) {
		const int32_t *scope = gpube__scope(j->m, f);
		struct gpube_visit w;
		bool fixed = true;
		int status;

		for (int k = 0; k < j->m->functions[f].arity; k++)
			fixed = fixed && j->position[scope[k]] < 0;
		if (!fixed)
			continue;
		status = gpube__visit_begin(&w, j->m, f, &j->possible);
		if (status)
			return status;
		j->z = gpube__wide_mul(j->z, gpube__wide(gpube__visit_value(&w), 0));
		j->roundings++;
		gpube__free(j->ctx, w.axis);
	}
	return GPUBE_OK;
}

int gpube__infer_up(struct gpube__inferring *j)
{
	const bool keep = j->opts->task == GPUBE_INFER_MAR;
	double done = 0;
	int status;

	j->z = gpube__wide(1, 0);
	status = constants(j);
	for (int32_t b = 0; b < j->n_up && !status; b++) {
		struct gpube_sum_bucket *bucket = &j->buckets[b];

		status = up(j, b);
		for (int32_t c = bucket->child; c >= 0 && !keep; c = j->buckets[c].sibling)
			drop(j, &j->buckets[c].message);
		done += (double)cells_of(j, bucket->arity, gpube__infer_scope(j, b));
		gpube__progress(j->ctx, done / j->out->plan.joined_cells / (keep ? 3 : 1), "summing");
		if (status || bucket->parent >= 0)
			continue;
		j->roots[b] = gpube__sum_cell(&bucket->message, 0);
		j->z = gpube__wide_mul(j->z, j->roots[b]);
		j->roundings += bucket->roundings + 1;
	}
	return status;
}

/* ---- down ---------------------------------------------------------------------------------------- */

/*
 * What is summed from a bucket's weights: for each child, and, without any, for its own variable.
 * from    the sum that has its variables; -1: the weights themselves
 */
struct sum {
	int32_t child;
	int arity, from;
	const int32_t *scope;
	int64_t n;
	struct gpube_sum_table table;
	double roundings;
};

/* Both ascend. */
static bool is_part(const struct sum *a, const struct sum *b)
{
	int k = 0;

	for (int i = 0; i < b->arity && k < a->arity; i++)
		k += a->scope[k] == b->scope[i];
	return k == a->arity;
}

static int larger_first(const void *a, const void *b)
{
	const struct sum *x = a, *y = b;

	if (x->n != y->n)
		return x->n > y->n ? -1 : 1;
	return (x->child > y->child) - (x->child < y->child);
}

static int sums_begin(struct sum **out, int *n, struct gpube__inferring *j, int32_t b)
{
	const struct gpube_sum_bucket *bucket = &j->buckets[b];
	struct sum *s = gpube__alloc_zero(j->ctx, (uint64_t)bucket->n_children + 1, sizeof(*s));

	*out = s;
	*n = 0;
	if (!s)
		return GPUBE_ENOMEM;
	for (int32_t c = bucket->child; c >= 0; c = j->buckets[c].sibling)
		s[(*n)++] = (struct sum){.child = c,
			.arity = j->buckets[c].arity - 1,
			.scope = gpube__infer_scope(j, c) + 1};
	if (*n == 0)
		s[(*n)++] = (struct sum){.child = -1, .arity = 1, .scope = gpube__infer_scope(j, b)};
	for (int k = 0; k < *n; k++)
		s[k].n = cells_of(j, s[k].arity, s[k].scope);
	qsort(s, (size_t)*n, sizeof(*s), larger_first);
	for (int k = 0; k < *n; k++) {
		s[k].from = -1;
		for (int i = k - 1; i >= 0 && s[k].from < 0; i--)
			if (is_part(&s[k], &s[i]))
				s[k].from = i;
		if (gpube__sum_table_new(j->ctx, &s[k].table, s[k].n))
			return GPUBE_ENOMEM;
	}
	return GPUBE_OK;
}

/* The sums that come from the weights themselves, in one pass. */
static int sum_weights(struct sum *s, int n, struct gpube__inferring *j, int32_t b, double *roundings)
{
	struct gpube_sum_job job = {.shares = true};
	struct inputs in;
	int status = gather(&in, j, b, &job, true);

	*roundings = in.roundings;
	job.out = gpube__alloc_zero(j->ctx, (uint64_t)n, sizeof(*job.out));
	if (!status && !job.out)
		status = GPUBE_ENOMEM;
	for (int k = 0; k < n && !status; k++)
		if (s[k].from < 0)
			lay(&job.out[job.n_out++], &s[k].table, &job, gpube__infer_scope(j, b),
				s[k].arity, s[k].scope);
	if (!status)
		status = gpube__sum_product(j->ctx, &job);
	for (int k = 0, i = 0; k < n && !status; k++)
		if (s[k].from < 0)
			s[k].roundings = job.out[i++].roundings;
	gpube__free(j->ctx, job.out);
	inputs_clear(&in, j, b);
	return status;
}

/* A sum from another that has its variables. */
static int sum_sum(struct gpube__inferring *j, struct sum *to, struct sum *from)
{
	struct gpube_sum_operand in, out;
	struct gpube_sum_job job = {.n_in = 1, .in = &in, .n_out = 1, .out = &out, .shares = true};
	int status;

	set_axes(&job, j, from->arity, from->scope);
	lay(&in, &from->table, &job, from->scope, from->arity, from->scope);
	lay(&out, &to->table, &job, from->scope, to->arity, to->scope);
	status = gpube__sum_product(j->ctx, &job);
	to->roundings = from->roundings + out.roundings;
	return status;
}

/* The marginal of the bucket's variable from its values' weights, which add up to the component's sum. */
static int marginal(struct gpube__inferring *j, int32_t b, const struct gpube_sum_table *weights, double roundings)
{
	const int32_t var = j->var[b];
	const struct gpube_possible *p = &j->possible;
	const struct gpube_wide z = j->roots[b];
	double *to = j->out->marginals + j->marginals_at[var];
	struct gpube_wide all = {0, 0};
	double off;

	for (int32_t i = 0; i < weights->n; i++)
		all = gpube__wide_add(all, gpube__sum_cell(weights, i));
	/* both are right within their roundings, so they are the same within both */
	off = all.e - z.e > 1 || z.e - all.e > 1 ? INFINITY
						 : fabs(ldexp(all.m, (int)(all.e - z.e)) / z.m - 1);
	if (!(off <= 2 * (roundings + j->roundings + weights->n + 8) * 0x1p-53))
		return gpube__fail(j->ctx, GPUBE_EBUG,
			"internal error: the weights of variable %d's values do not add up; please "
			"report this",
			var);
	for (int32_t i = 0; i < weights->n; i++) {
		const struct gpube_wide v = gpube__sum_cell(weights, i);
		const int64_t e = v.e - all.e;

		to[p->values[p->first[var] + i]] = e < -1200 ? 0 : ldexp(v.m / all.m, (int)e);
	}
	j->most_roundings = fmax(j->most_roundings, 2 * roundings + weights->n + 1);
	return GPUBE_OK;
}

static int own_marginal(struct gpube__inferring *j, int32_t b, struct sum *smallest, double roundings)
{
	struct sum own = {.child = -1, .arity = 1, .scope = gpube__infer_scope(j, b)};
	int status;

	if (smallest->arity == 1)
		return marginal(j, b, &smallest->table, roundings + smallest->roundings);
	own.n = gpube__infer_domain(j, b);
	status = gpube__sum_table_new(j->ctx, &own.table, own.n);
	if (!status)
		status = sum_sum(j, &own, smallest);
	if (!status)
		status = marginal(j, b, &own.table, roundings + own.roundings);
	gpube__sum_table_clear(j->ctx, &own.table);
	return status;
}

static int down(struct gpube__inferring *j, int32_t b)
{
	struct sum *s;
	double roundings = 0;
	int n, status = sums_begin(&s, &n, j, b);

	if (!status)
		status = sum_weights(s, n, j, b, &roundings);
	for (int k = 0; k < n && !status; k++) {
		if (s[k].from >= 0)
			status = sum_sum(j, &s[k], &s[s[k].from]);
	}
	if (!status)
		status = own_marginal(j, b, &s[n - 1], roundings);
	for (int k = 0; k < n && !status; k++) {
		struct gpube_sum_bucket *child = s[k].child < 0 ? NULL : &j->buckets[s[k].child];

		if (!child)
			continue;
		status = gpube__sum_divide(j->ctx, &s[k].table, &child->message);
		drop(j, &child->message);
		child->message = s[k].table;
		if (!status)
			status = check_apart(j, &child->message);
		s[k].table = (struct gpube_sum_table){0};
		child->roundings = roundings - child->roundings + s[k].roundings + 1;
	}
	for (int k = 0; s && k < n; k++)
		gpube__sum_table_clear(j->ctx, &s[k].table);
	gpube__free(j->ctx, s);
	drop(j, &j->buckets[b].message);
	return status;
}

int gpube__infer_down(struct gpube__inferring *j)
{
	double done = j->out->plan.joined_cells / 2;
	int status = GPUBE_OK;

	for (int32_t i = 0; i < j->m->n_vars; i++)
		if (j->position[i] < 0)
			j->out->marginals[j->marginals_at[i] +
					  j->possible.values[j->possible.first[i]]] = 1;
	for (int32_t b = j->n - 1; b >= 0 && !status; b--) {
		if (j->buckets[b].parent >= 0)
			j->roots[b] = j->roots[j->buckets[b].parent];
		status = down(j, b);
		done += (double)cells_of(j, j->buckets[b].arity, gpube__infer_scope(j, b));
		gpube__progress(j->ctx, done / j->out->plan.joined_cells / 1.5, "summing");
	}
	return status;
}
