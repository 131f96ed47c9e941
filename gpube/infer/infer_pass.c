/*
 * infer_pass.c - messages up the bucket tree, and down again for marginals: see infer.h.
 *
 * Up: a bucket's message is the sum over its variable of the product of its functions and its
 * children's messages. A root's message is the sum over its component.
 *
 * Down: the bucket's joined table times what comes from its parent is the weight of its cells. Summed over
 * the variables that a child does not have and divided by the child's own message, that is what goes to
 * the child: where the message is 0, so is the weight. What several children have in common is summed
 * once: each from the smallest sum that has its variables, and so are the marginals; those that have all of its variables are
 * divided in the memory of their messages. Weights add up to the sum of all, in every bucket; so what is lost of them, 2^-500 of
 * the largest, is lost for good, and nothing beside it.
 *
 * With one child there is no need to divide: all tables but its message are summed, and marginals are read off the two. Where
 * that child has all of the bucket's variables there is nothing to sum, either: its message is not needed, and not kept
 * (gpube__infer_is_spare()), and the bucket's variable gets its marginal further down. Of linkage_15's 18 GB of messages 8 are kept.
 *
 * Roundings. All numbers are >= 0, so relative errors do not grow by addition: the most roundings on
 * the way to a number bound its error. A child's message that is multiplied and later divided by drops out.
 */
#include "gpube/infer/infer.h"

#include <math.h>
#include <stdlib.h>

static void tell_progress(const struct gpube__inferring *j, double part)
{
	const double n = j->n_slices ? (double)j->n_slices : 1;

	gpube__progress(j->ctx, ((double)j->slice + part) / n, "summing");
}

/* ---- up ---------------------------------------------------------------------------------------- */

static int up_here(struct gpube__inferring *j, int32_t b)
{
	struct gpube_sum_bucket *bucket = &j->buckets[b];
	const int32_t *scope = gpube__infer_scope(j, b);
	struct gpube_sum_operand out;
	struct gpube_sum_job job = {.n_out = 1, .out = &out};
	struct gpube_infer_inputs in;
	int status = gpube__infer_gather(&in, j, b, &job, false);

	if (!status)
		status = gpube__infer_here(j, b);
	if (!status)
		status = gpube__sum_table_new(
			j->ctx, &bucket->message, gpube__infer_cells(j, bucket->arity - 1, scope + 1));
	if (!status) {
		gpube__infer_lay(&out, &bucket->message, &job, scope, bucket->arity - 1, scope + 1);
		status = gpube__sum_product(j->ctx, &job);
	}
	if (!status) {
		bucket->roundings = in.roundings + out.roundings;
		status = gpube__infer_apart(j, &bucket->message);
	}
	gpube__infer_inputs_clear(&in, j, b);
	return status;
}

static int up(struct gpube__inferring *j, int32_t b)
{
	bool done = false;
	int status = GPUBE_OK;

	if (j->side && j->side[b])
		status = gpube__infer_up_card(j, b, &done);
	return status || done ? status : up_here(j, b);
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

/* What is in z before any bucket; once, for a compiled model is asked often. */
static int begin(struct gpube__inferring *j)
{
	int status;

	if (j->fixed_known) {
		j->z = j->fixed;
		j->roundings = j->fixed_roundings;
		return GPUBE_OK;
	}
	j->z = gpube__wide(1, 0);
	j->roundings = 0;
	status = constants(j);
	j->fixed = j->z;
	j->fixed_roundings = j->roundings;
	j->fixed_known = !status;
	return status;
}

int gpube__infer_up(struct gpube__inferring *j)
{
	const bool keep = j->opts->task == GPUBE_INFER_MAR;
	double done = 0;
	int status;

	status = begin(j);
	for (int32_t b = 0; b < j->n_up && !status; b++) {
		struct gpube_sum_bucket *bucket = &j->buckets[b];

		if (!j->dirty || j->dirty[b]) {
			gpube__infer_drop(j, &bucket->message);
			status = up(j, b);
			done += (double)gpube__infer_cells(j, bucket->arity, gpube__infer_scope(j, b));
			tell_progress(j, done / j->out->plan.joined_cells / (keep ? 3 : 1));
		}
		if (j->dirty && !status)
			j->dirty[b] = false;
		for (int32_t c = bucket->child; c >= 0; c = j->buckets[c].sibling)
			if (!keep || gpube__infer_is_spare(j, c))
				gpube__infer_drop(j, &j->buckets[c].message);
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
 * What is summed from a bucket's weights: for each child, and for each variable whose marginal is summed here.
 * from    the sum that has its variables; -1: the weights themselves
 * same    it is that sum, which has no other variables: it has no table of its own
 */
struct sum {
	int32_t child, position; /* one of them -1 */
	int arity, from;
	bool same;
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
	if (x->child != y->child)
		return x->child > y->child ? 1 : -1;
	return (x->position > y->position) - (x->position < y->position);
}

/* Without a card each variable's marginal is summed in its own bucket, if no other had it, or in the next that sums. */
static bool is_home(const struct gpube__inferring *j, int32_t b, int32_t position)
{
	return j->home ? j->home[position] == b : !j->has_marginal[position];
}

static int sums_begin(struct sum **out, int *n, struct gpube__inferring *j, int32_t b)
{
	const struct gpube_sum_bucket *bucket = &j->buckets[b];
	const int32_t *scope = gpube__infer_scope(j, b);
	struct sum *s = gpube__alloc_zero(j->ctx, (uint64_t)(bucket->n_children + bucket->arity), sizeof(*s));

	*out = s;
	*n = 0;
	if (!s)
		return GPUBE_ENOMEM;
	for (int32_t c = bucket->child; c >= 0; c = j->buckets[c].sibling)
		s[(*n)++] = (struct sum){.child = c,
			.position = -1,
			.arity = j->buckets[c].arity - 1,
			.scope = gpube__infer_scope(j, c) + 1};
	for (int k = 0; k < bucket->arity; k++)
		if (is_home(j, b, scope[k]))
			s[(*n)++] = (struct sum){
				.child = -1, .position = scope[k], .arity = 1, .scope = &scope[k]};
	for (int k = 0; k < *n; k++)
		s[k].n = gpube__infer_cells(j, s[k].arity, s[k].scope);
	qsort(s, (size_t)*n, sizeof(*s), larger_first);
	for (int k = 0; k < *n; k++) {
		s[k].from = -1;
		for (int i = k - 1; i >= 0 && s[k].from < 0; i--)
			if (is_part(&s[k], &s[i]))
				s[k].from = s[i].same ? s[i].from : i;
		s[k].same = s[k].from >= 0 && s[k].child >= 0 && s[k].arity == s[s[k].from].arity;
		if (!s[k].same && gpube__sum_table_new(j->ctx, &s[k].table, s[k].n))
			return GPUBE_ENOMEM;
	}
	return GPUBE_OK;
}

/* The sums that come from the weights themselves, in one pass. */
static int sum_weights(struct sum *s, int n, struct gpube__inferring *j, int32_t b, double *roundings)
{
	struct gpube_sum_job job = {.shares = true};
	struct gpube_infer_inputs in;
	int status = gpube__infer_gather(&in, j, b, &job, true);

	*roundings = in.roundings;
	job.out = gpube__alloc_zero(j->ctx, (uint64_t)n, sizeof(*job.out));
	if (!status && !job.out)
		status = GPUBE_ENOMEM;
	for (int k = 0; k < n && !status; k++)
		if (s[k].from < 0)
			gpube__infer_lay(&job.out[job.n_out++], &s[k].table, &job, gpube__infer_scope(j, b),
				s[k].arity, s[k].scope);
	if (!status)
		status = gpube__sum_product(j->ctx, &job);
	for (int k = 0, i = 0; k < n && !status; k++)
		if (s[k].from < 0)
			s[k].roundings = job.out[i++].roundings;
	gpube__free(j->ctx, job.out);
	gpube__infer_inputs_clear(&in, j, b);
	return status;
}

/* A sum from another that has its variables. */
static int sum_sum(struct gpube__inferring *j, struct sum *to, struct sum *from)
{
	struct gpube_sum_operand in, out;
	struct gpube_sum_job job = {.n_in = 1, .in = &in, .n_out = 1, .out = &out, .shares = true};
	int status;

	gpube__infer_axes(&job, j, from->arity, from->scope);
	gpube__infer_lay(&in, &from->table, &job, from->scope, from->arity, from->scope);
	gpube__infer_lay(&out, &to->table, &job, from->scope, to->arity, to->scope);
	status = gpube__sum_product(j->ctx, &job);
	to->roundings = from->roundings + out.roundings;
	return status;
}

/* Divided by what came from a child, its sum goes there: in the memory of what came where others need the sum. */
static int hand_down(struct gpube__inferring *j, struct sum *s, const struct sum *all, double roundings)
{
	struct gpube_sum_bucket *child = &j->buckets[s->child];
	const int64_t before = child->message.powers ? child->message.n : 0;
	int status;

	if (s->same) {
		status = gpube__sum_divide(j->ctx, &child->message, &all[s->from].table, &child->message);
		j->apart_bytes -= (double)before * sizeof(*child->message.powers);
	} else {
		status = gpube__sum_divide(j->ctx, &s->table, &s->table, &child->message);
		gpube__infer_drop(j, &child->message);
		child->message = s->table;
		s->table = (struct gpube_sum_table){0};
	}
	if (!status)
		status = gpube__infer_apart(j, &child->message);
	child->roundings = roundings - child->roundings + s->roundings + 1;
	return status;
}

static int down_here(struct gpube__inferring *j, int32_t b)
{
	struct sum *s;
	double roundings = 0;
	int n, status = sums_begin(&s, &n, j, b);

	if (!status)
		status = gpube__infer_here(j, b);
	if (!status && n)
		status = sum_weights(s, n, j, b, &roundings);
	for (int k = 0; k < n && !status; k++) {
		if (s[k].same)
			s[k].roundings = s[s[k].from].roundings;
		else if (s[k].from >= 0)
			status = sum_sum(j, &s[k], &s[s[k].from]);
	}
	/* those that are the same as one before come before it loses what it is */
	for (int k = n - 1; k >= 0 && !status; k--)
		status = s[k].child < 0 ? gpube__infer_marginal(j, s[k].position, b, &s[k].table, roundings + s[k].roundings)
					: hand_down(j, &s[k], s, roundings);
	for (int k = 0; s && k < n; k++)
		gpube__sum_table_clear(j->ctx, &s[k].table);
	gpube__free(j->ctx, s);
	gpube__infer_drop(j, &j->buckets[b].message);
	return status;
}

/* Of the variables of what goes to a child: the last ones together have so many cells at most. */
#define TAIL_CELLS 1024

/* One position's marginal from a table over a scope. */
static int tail_marginal(struct gpube__inferring *j, int32_t b, struct gpube_sum_table *tail, int arity, const int32_t *scope,
	int32_t position, double roundings)
{
	struct gpube_sum_table weights;
	struct gpube_sum_operand in, out;
	struct gpube_sum_job job = {.n_in = 1, .in = &in, .n_out = 1, .out = &out, .shares = true};
	int status = gpube__sum_table_new(j->ctx, &weights, gpube__infer_domain(j, position));

	gpube__infer_axes(&job, j, arity, scope);
	gpube__infer_lay(&in, tail, &job, scope, arity, scope);
	gpube__infer_lay(&out, &weights, &job, scope, 1, &position);
	if (!status)
		status = gpube__sum_product(j->ctx, &job);
	if (!status)
		status = gpube__infer_marginal(j, position, b, &weights, roundings + out.roundings);
	gpube__sum_table_clear(j->ctx, &weights);
	return status;
}

/*
 * From what goes to bucket b's child and what came from there, the marginals of all their variables that have none yet: in one pass
 * those of the first axes, and the last axes together, from which are theirs.
 */
static int chain_marginals(struct gpube__inferring *j, int32_t b, struct gpube_sum_table *to, double roundings)
{
	const struct gpube_sum_bucket *child = &j->buckets[j->buckets[b].child];
	const int32_t *scope = gpube__infer_scope(j, j->buckets[b].child) + 1;
	const int arity = child->arity - 1;
	struct gpube_sum_table came = child->message, *tables = gpube__alloc_zero(j->ctx, (uint64_t)arity + 1, sizeof(*tables));
	struct gpube_sum_operand in[2], *out = gpube__alloc_zero(j->ctx, (uint64_t)arity + 1, sizeof(*out));
	struct gpube_sum_job job = {.n_in = 2, .in = in, .out = out, .shares = true};
	int tail = arity - 1, n = 0, status = tables && out ? GPUBE_OK : GPUBE_ENOMEM;
	double cells = gpube__infer_domain(j, scope[tail]);

	roundings += child->roundings;
	while (tail > 0 && cells * gpube__infer_domain(j, scope[tail - 1]) <= TAIL_CELLS)
		cells *= gpube__infer_domain(j, scope[--tail]);
	gpube__infer_axes(&job, j, arity, scope);
	gpube__infer_lay(&in[0], to, &job, scope, arity, scope);
	gpube__infer_lay(&in[1], &came, &job, scope, arity, scope);
	for (int k = 0; k <= tail && !status; k++) {
		const int of = k < tail ? 1 : arity - tail;

		if (k < tail && j->has_marginal[scope[k]])
			continue;
		status = gpube__sum_table_new(j->ctx, &tables[k], gpube__infer_cells(j, of, scope + k));
		gpube__infer_lay(&out[job.n_out++], &tables[k], &job, scope, of, scope + k);
	}
	if (!status)
		status = gpube__sum_product(j->ctx, &job);
	for (int k = 0; k < tail && !status; k++)
		if (tables[k].cells)
			status = gpube__infer_marginal(j, scope[k], b, &tables[k], roundings + out[n++].roundings);
	for (int k = tail; k < arity && !status; k++)
		if (!j->has_marginal[scope[k]])
			status = tail_marginal(j, b, &tables[tail], arity - tail, scope + tail, scope[k], roundings + out[n].roundings);
	for (int k = 0; k <= tail && tables; k++)
		gpube__sum_table_clear(j->ctx, &tables[k]);
	gpube__free(j->ctx, tables);
	gpube__free(j->ctx, out);
	return status;
}

/* With one child: all tables but its message give what goes to it, so that nothing of the joined table's size is multiplied by it, nor divided. */
static int down_chain(struct gpube__inferring *j, int32_t b)
{
	struct gpube_sum_bucket *bucket = &j->buckets[b], *child = &j->buckets[bucket->child];
	const int32_t *scope = gpube__infer_scope(j, bucket->child) + 1;
	struct gpube_sum_table to = {0};
	struct gpube_sum_operand out;
	struct gpube_sum_job job = {.n_out = 1, .out = &out};
	struct gpube_infer_inputs in;
	double roundings = 0;
	int n = 0, status = gpube__infer_gather(&in, j, b, &job, true);

	for (int k = 0; k < job.n_in && !status; k++)
		if (in.in[k].table != &child->message)
			in.in[n++] = in.in[k];
	job.n_in = n;
	if (!status)
		status = gpube__sum_table_new(j->ctx, &to, gpube__infer_cells(j, child->arity - 1, scope));
	if (!status) {
		gpube__infer_lay(&out, &to, &job, gpube__infer_scope(j, b), child->arity - 1, scope);
		status = gpube__sum_product(j->ctx, &job);
	}
	if (!status) {
		roundings = in.roundings - child->roundings + out.roundings;
		if (!gpube__infer_is_spare(j, bucket->child))
			status = chain_marginals(j, b, &to, roundings);
	}
	gpube__infer_inputs_clear(&in, j, b);
	gpube__infer_drop(j, &child->message);
	child->message = to;
	child->roundings = roundings;
	if (!status)
		status = gpube__infer_apart(j, &child->message);
	gpube__infer_drop(j, &bucket->message);
	return status;
}

/* With a card, a bucket may have other variables' marginals to sum; and those of variables that the child does not have are to be summed here. */
static bool is_chain(const struct gpube__inferring *j, int32_t b)
{
	const struct gpube_sum_bucket *bucket = &j->buckets[b];
	const int32_t *scope = gpube__infer_scope(j, b), *below;
	int at = 0;

	if (j->side || bucket->n_children != 1 || (bucket->n_functions == 0 && bucket->parent < 0))
		return false;
	below = gpube__infer_scope(j, bucket->child) + 1;
	for (int k = 0; k < bucket->arity; k++) {
		if (at < j->buckets[bucket->child].arity - 1 && below[at] == scope[k])
			at++;
		else if (!j->has_marginal[scope[k]])
			return false;
	}
	return true;
}

static int down(struct gpube__inferring *j, int32_t b)
{
	bool done = false;
	int status = GPUBE_OK;

	if (j->side && j->side[b])
		status = gpube__infer_down_card(j, b, &done);
	return status || done ? status : is_chain(j, b) ? down_chain(j, b) : down_here(j, b);
}

/* Fills out->marginals. */
static int down_all(struct gpube__inferring *j)
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
		done += (double)gpube__infer_cells(j, j->buckets[b].arity, gpube__infer_scope(j, b));
		tell_progress(j, done / j->out->plan.joined_cells / 1.5);
	}
	return status;
}

/* ---- both ------------------------------------------------------------------------------------------- */

static int make_marginals(struct gpube__inferring *j)
{
	int64_t n = 0;

	j->marginals_at = gpube__alloc(j->ctx, (uint64_t)j->m->n_vars, sizeof(*j->marginals_at));
	if (!j->marginals_at)
		return GPUBE_ENOMEM;
	for (int32_t i = 0; i < j->m->n_vars; i++) {
		j->marginals_at[i] = n;
		n += j->m->vars[i].domain;
	}
	j->out->marginals = gpube__alloc_zero(j->ctx, (uint64_t)n, sizeof(*j->out->marginals));
	j->has_marginal = gpube__alloc_zero(j->ctx, (uint64_t)j->n, sizeof(*j->has_marginal));
	return j->out->marginals && j->has_marginal ? GPUBE_OK : GPUBE_ENOMEM;
}

int gpube__infer_marginals(struct gpube__inferring *j)
{
	int status;

	gpube__free(j->ctx, j->marginals_at); /* of a query before */
	gpube__free(j->ctx, j->has_marginal);
	j->has_marginal = NULL;
	j->most_roundings = 0;
	status = make_marginals(j);
	return status ? status : down_all(j);
}

/* Bounds of log10 that are so close are a result. */
#define MET 1e-10

void gpube__infer_take_bounds(struct gpube__inferring *j, bool exact)
{
	struct gpube_inference *out = j->out;
	double error;

	if (exact) {
		error = log1p(out->relative_error) / log(10) + 4 * 0x1p-52 * (fabs(out->log10_z) + 1);
		out->log10_lower = out->log10_upper = out->log10_z;
		if (out->log10_z != -INFINITY) {
			out->log10_lower -= error;
			out->log10_upper += error;
		}
		return;
	}
	error = gpube__infer_error(j->barren.roundings);
	out->log10_lower = (j->log_lower - error) / log(10);
	out->log10_upper = (j->log_upper + error) / log(10);
	if (out->log10_lower != -INFINITY)
		out->log10_lower -= 4 * 0x1p-52 * (fabs(out->log10_lower) + 1);
	if (isfinite(out->log10_upper))
		out->log10_upper += 4 * 0x1p-52 * (fabs(out->log10_upper) + 1);
	if (out->log10_upper == -INFINITY) {
		out->log10_z = -INFINITY;
		out->known = 1;
	} else if (j->opts->task == GPUBE_INFER_PR && out->log10_upper - out->log10_lower < MET) {
		out->log10_z = out->log10_lower + (out->log10_upper - out->log10_lower) / 2;
		out->relative_error = expm1((out->log10_upper - out->log10_lower) * log(10));
		out->known = 1;
	}
}

void gpube__infer_tell_bounds(struct gpube__inferring *j)
{
	if (j->log_lower <= j->told_lower + 0.01 && j->log_upper >= j->told_upper - 0.01)
		return;
	j->told_lower = j->log_lower;
	j->told_upper = j->log_upper;
	gpube__log(j->ctx, GPUBE_LOG_NOTE, "log10 from %.9g to %.9g", j->log_lower / log(10), j->log_upper / log(10));
}

void gpube__infer_take(struct gpube__inferring *j)
{
	struct gpube_inference *out = j->out;

	out->log10_z = gpube__wide_log10(j->z);
	out->relative_error = j->z.m == 0 ? 0 : gpube__infer_error(fmax(j->roundings + j->barren.roundings, j->most_roundings));
	gpube__infer_take_bounds(j, true);
}

int gpube__infer_sum(struct gpube__inferring *j)
{
	int status = gpube__infer_up(j);

	if (status)
		return status;
	if (j->opts->task == GPUBE_INFER_MAR && j->z.m != 0)
		status = gpube__infer_marginals(j);
	gpube__infer_take(j);
	return status;
}
