/*
 * infer_down.c - messages down the bucket tree, for marginals: see infer.h.
 *
 * Down: the bucket's joined table times what comes from its parent is the weight of its cells.
 * Summed over the variables that a child does not have and divided by the child's own message, that
 * is what goes to the child: where the message is 0, so is the weight. What several children have
 * in common is summed once: each from the smallest sum that has its variables, and so are the
 * marginals; those that have all of its variables are divided in the memory of their messages.
 * Weights add up to the sum of all, in every bucket; so what is lost of them, 2^-500 of the
 * largest, is lost for good, and nothing beside it.
 *
 * A child whose message is not much smaller than the joined table needs no division: all tables but
 * its message are summed, and what else is wanted of its variables comes from these two. That is
 * faster, for a division reads two large tables and writes one; and weights of all variables are
 * never written. So it is in a chain of buckets of one child each, too; and a message of a chain
 * from which no marginal is read is not needed, and not kept (homes.c).
 *
 * A child without children needs what would go to it for its marginal alone: that is summed from
 * its tables and the undivided weights, and nothing is divided (gpube__sum_posterior()). A dynamic
 * network has dozens of them, of millions of joined cells each.
 *
 * Roundings as in infer_pass.c; a child's message that is multiplied and later divided by drops
 * out.
 */
#include "gpube/infer/infer.h"

#include <stdlib.h>

/*
 * What is summed from weights: for each child, and for each variable whose marginal is summed here;
 * or, with neither, for several of these.
 * from    the sum that has its variables; -1: the weights themselves
 * same    it is that sum, which has no other variables: it has no table of its own
 */
struct sum {
	int32_t child, position; /* -1: none */
	int arity, from;
	bool same;
	const int32_t *scope;
	int64_t n;
	struct gpube_sum_table table;
	double roundings;
};

/* Sums of weights over a scope. roundings: of the weights */
struct sums {
	struct sum *sum;
	int n, arity;
	const int32_t *scope;
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

/*
 * The last variables of weights, which together have so many cells at most: their marginals come
 * from one sum, and those of the others from another.
 */
#define TAIL_CELLS 1024

/* Whether a child's sum has all of x's variables. */
static bool is_in_child(const struct sums *s, const struct sum *x)
{
	for (int k = 0; k < s->n; k++)
		if (s->sum[k].child >= 0 && is_part(x, &s->sum[k]))
			return true;
	return false;
}

/*
 * A sum over the variables of these places of the scope: for marginals, of several that come from
 * where it does.
 */
static void add_common(struct sums *s, int first, int end)
{
	const struct sum x = {
		.child = -1, .position = -1, .arity = end - first, .scope = s->scope + first};
	const bool inside = is_in_child(s, &x);
	int n = 0;

	for (int k = 0; k < s->n; k++)
		n += s->sum[k].position >= 0 && is_part(&s->sum[k], &x) &&
		     (inside || !is_in_child(s, &s->sum[k]));
	if (n > 1)
		s->sum[s->n++] = x;
}

static void add_commons(struct sums *s, const struct gpube__inferring *j)
{
	int64_t cells = 1;
	int first = s->arity;

	while (first > 0 && cells * gpube__infer_domain(j, s->scope[first - 1]) <= TAIL_CELLS)
		cells *= gpube__infer_domain(j, s->scope[--first]);
	if (first == 0)
		return;
	add_common(s, first, s->arity);
	add_common(s, 0, first);
}

/*
 * The child of bucket b whose sum has these variables, of those that are summed apart; -1: none
 * has.
 */
static int32_t owner_of(
	const struct gpube__inferring *j, int32_t b, int arity, const int32_t *scope)
{
	const struct sum x = {.arity = arity, .scope = scope};

	for (int32_t c = j->buckets[b].child; c >= 0; c = j->buckets[c].sibling) {
		const struct sum all = {
			.arity = j->buckets[c].arity - 1, .scope = gpube__infer_scope(j, c) + 1};

		if (gpube__infer_is_apart(j, b, c) && is_part(&x, &all))
			return c;
	}
	return -1;
}

/*
 * What is wanted in bucket b of the variables of an owner, or, -1, of those that none has. The
 * scope is of the weights.
 */
static int sums_begin(struct sums *s, struct gpube__inferring *j, int32_t b, int32_t owner)
{
	const uint64_t most = (uint64_t)j->buckets[b].n_children + (uint64_t)s->arity + 2;

	s->n = 0;
	s->sum = gpube__alloc_zero(j->ctx, most, sizeof(*s->sum));
	if (!s->sum)
		return GPUBE_ENOMEM;
	for (int32_t c = j->buckets[b].child; c >= 0; c = j->buckets[c].sibling) {
		const struct sum x = {.child = c,
			.position = -1,
			.arity = j->buckets[c].arity - 1,
			.scope = gpube__infer_scope(j, c) + 1};

		if (!gpube__infer_is_apart(j, b, c) && owner_of(j, b, x.arity, x.scope) == owner)
			s->sum[s->n++] = x;
	}
	for (int k = 0; k < s->arity; k++)
		if (j->home[s->scope[k]] == b && owner_of(j, b, 1, &s->scope[k]) == owner)
			s->sum[s->n++] = (struct sum){.child = -1,
				.position = s->scope[k],
				.arity = 1,
				.scope = &s->scope[k]};
	add_commons(s, j);
	for (int k = 0; k < s->n; k++)
		s->sum[k].n = gpube__infer_cells(j, s->sum[k].arity, s->sum[k].scope);
	qsort(s->sum, (size_t)s->n, sizeof(*s->sum), larger_first);
	for (int k = 0; k < s->n; k++) {
		struct sum *x = &s->sum[k];

		x->from = -1;
		for (int i = k - 1; i >= 0 && x->from < 0; i--)
			if (is_part(x, &s->sum[i]))
				x->from = s->sum[i].same ? s->sum[i].from : i;
		x->same = x->from >= 0 && x->child >= 0 && x->arity == s->sum[x->from].arity;
		if (!x->same && gpube__sum_table_new(j->ctx, &x->table, x->n))
			return GPUBE_ENOMEM;
	}
	return GPUBE_OK;
}

static void sums_end(struct sums *s, struct gpube_ctx *ctx)
{
	for (int k = 0; s->sum && k < s->n; k++)
		gpube__sum_table_clear(ctx, &s->sum[k].table);
	gpube__free(ctx, s->sum);
}

/*
 * All sums that come from one, or from the weights, in one pass of a job over a scope that has its
 * inputs.
 */
static int sum_from(struct sums *s, struct gpube__inferring *j, int from, struct gpube_sum_job *job,
	const int32_t *scope)
{
	int status = GPUBE_OK;

	job->n_out = 0;
	job->shares = true;
	job->out = gpube__alloc_zero(j->ctx, (uint64_t)s->n, sizeof(*job->out));
	if (!job->out)
		return GPUBE_ENOMEM;
	for (int k = 0; k < s->n; k++)
		if (s->sum[k].from == from && !s->sum[k].same)
			gpube__infer_lay(&job->out[job->n_out++], &s->sum[k].table, job, scope,
				s->sum[k].arity, s->sum[k].scope);
	if (job->n_out)
		status = gpube__sum_product(j->ctx, job);
	for (int k = 0, i = 0; k < s->n && !status; k++)
		if (s->sum[k].from == from && !s->sum[k].same)
			s->sum[k].roundings =
				(from < 0 ? 0 : s->sum[from].roundings) + job->out[i++].roundings;
	gpube__free(j->ctx, job->out);
	return status;
}

/* The job has the weights' inputs. */
static int sum_all(struct sums *s, struct gpube__inferring *j, struct gpube_sum_job *weights)
{
	int status = s->n ? sum_from(s, j, -1, weights, s->scope) : GPUBE_OK;

	for (int k = 0; k < s->n && !status; k++) {
		struct sum *x = &s->sum[k];
		struct gpube_sum_operand in;
		struct gpube_sum_job job = {.n_in = 1, .in = &in};

		if (x->same) {
			x->roundings = s->sum[x->from].roundings;
			continue;
		}
		gpube__infer_axes(&job, j, x->arity, x->scope);
		gpube__infer_lay(&in, &x->table, &job, x->scope, x->arity, x->scope);
		status = sum_from(s, j, k, &job, x->scope);
	}
	return status;
}

static int read_off(const struct sums *s, struct gpube__inferring *j, int32_t b)
{
	int status = GPUBE_OK;

	for (int k = 0; k < s->n && !status; k++)
		if (s->sum[k].position >= 0)
			status = gpube__infer_marginal(j, s->sum[k].position, b, &s->sum[k].table,
				s->roundings + s->sum[k].roundings);
	return status;
}

/*
 * A child without children: its marginal, from what would go there undivided. *done false: numbers
 * are too far apart for that.
 */
static int finish_leaf(struct gpube__inferring *j, int32_t c, struct gpube_sum_table *weights,
	double roundings, bool *done)
{
	struct gpube_sum_table table = {0};
	struct gpube_sum_operand out;
	struct gpube_sum_job job = {.n_out = 1, .out = &out};
	struct gpube_infer_inputs in;
	int status = gpube__infer_gather(&in, j, c, &job, false);

	if (!status)
		status = gpube__sum_table_new(j->ctx, &table, gpube__infer_domain(j, c));
	if (!status) {
		gpube__infer_lay(
			&out, &table, &job, gpube__infer_scope(j, c), 1, gpube__infer_scope(j, c));
		status = gpube__sum_posterior(j->ctx, &job, weights, done);
	}
	if (!status && *done)
		status = gpube__infer_marginal(
			j, c, j->buckets[c].parent, &table, roundings + out.roundings);
	gpube__infer_inputs_clear(&in, j, c);
	gpube__sum_table_clear(j->ctx, &table);
	return status;
}

/*
 * Divided by what came from a child, its sum goes there: in the memory of what came where others
 * need the sum.
 */
static int hand_down(struct gpube__inferring *j, struct sum *x, const struct sums *s)
{
	struct gpube_sum_bucket *child = &j->buckets[x->child];
	int64_t before;
	int status = GPUBE_OK;

	if (child->is_leaf && !j->side) {
		bool done = false;

		status = finish_leaf(j, x->child, x->same ? &s->sum[x->from].table : &x->table,
			s->roundings + x->roundings, &done);
		if (done)
			gpube__infer_drop(j, &child->message);
		if (status || done)
			return status;
	}
	before = child->message.powers ? child->message.n : 0;
	if (x->same) {
		status = gpube__sum_divide(
			j->ctx, &child->message, &s->sum[x->from].table, &child->message);
		j->apart_bytes -= (double)before * sizeof(*child->message.powers);
	} else {
		status = gpube__sum_divide(j->ctx, &x->table, &x->table, &child->message);
		gpube__infer_drop(j, &child->message);
		child->message = x->table;
		x->table = (struct gpube_sum_table){0};
	}
	if (!status)
		status = gpube__infer_apart(j, &child->message);
	child->roundings = s->roundings - child->roundings + x->roundings + 1;
	return status;
}

/* What is read off, and what goes to children that are not summed apart. */
static int take_sums(struct sums *s, struct gpube__inferring *j, int32_t b)
{
	int status = read_off(s, j, b);

	/* those that are the same as one before come before it loses what it is */
	for (int k = s->n - 1; k >= 0 && !status; k--)
		if (s->sum[k].child >= 0)
			status = hand_down(j, &s->sum[k], s);
	return status;
}

/*
 * What goes to a child of bucket b that is summed apart: all of the bucket's inputs but its
 * message.
 */
static int sum_apart(struct gpube__inferring *j, int32_t b, int32_t c,
	const struct gpube_infer_inputs *in, struct gpube_sum_table *to, double *roundings)
{
	const struct gpube_sum_bucket *child = &j->buckets[c];
	const int32_t *scope = gpube__infer_scope(j, c) + 1;
	struct gpube_sum_operand out;
	struct gpube_sum_job job = {.n_out = 1, .out = &out};
	int status =
		gpube__sum_table_new(j->ctx, to, gpube__infer_cells(j, child->arity - 1, scope));

	if (status)
		return status;
	job.in = gpube__alloc(j->ctx, (uint64_t)in->n, sizeof(*job.in));
	if (!job.in)
		return GPUBE_ENOMEM;
	gpube__infer_axes(&job, j, j->buckets[b].arity, gpube__infer_scope(j, b));
	for (int k = 0; k < in->n; k++)
		if (in->in[k].table != &child->message)
			job.in[job.n_in++] = in->in[k];
	gpube__infer_lay(&out, to, &job, gpube__infer_scope(j, b), child->arity - 1, scope);
	status = gpube__sum_product(j->ctx, &job);
	*roundings = in->roundings - child->roundings + out.roundings;
	gpube__free(j->ctx, job.in);
	return status;
}

/* From what goes to such a child and what came from there, what is wanted of its variables. */
static int take_owned(struct gpube__inferring *j, int32_t b, int32_t c, struct gpube_sum_table *to,
	double roundings)
{
	struct gpube_sum_bucket *child = &j->buckets[c];
	struct sums s = {.arity = child->arity - 1,
		.scope = gpube__infer_scope(j, c) + 1,
		.roundings = roundings + child->roundings};
	struct gpube_sum_operand in[2];
	struct gpube_sum_job job = {.n_in = 2, .in = in};
	int status = sums_begin(&s, j, b, c);

	gpube__infer_axes(&job, j, s.arity, s.scope);
	gpube__infer_lay(&in[0], to, &job, s.scope, s.arity, s.scope);
	gpube__infer_lay(&in[1], &child->message, &job, s.scope, s.arity, s.scope);
	if (!status)
		status = sum_all(&s, j, &job);
	if (!status)
		status = take_sums(&s, j, b);
	sums_end(&s, j->ctx);
	return status;
}

/*
 * The children that are summed apart: what goes there, for all of them before any message is
 * replaced.
 */
struct apart {
	int n;
	int32_t *child;
	struct gpube_sum_table *to;
	double *roundings;
};

/* A message that nothing else needs: the pages of the last one serve what goes to its child. */
static bool is_last(const struct gpube__inferring *j, int32_t b, int32_t c)
{
	const int32_t *scope = gpube__infer_scope(j, c) + 1;

	for (int32_t other = j->buckets[c].sibling; other >= 0; other = j->buckets[other].sibling)
		if (gpube__infer_is_apart(j, b, other))
			return false;
	for (int k = 0; k < j->buckets[c].arity - 1; k++)
		if (j->home[scope[k]] == b && owner_of(j, b, 1, &scope[k]) == c)
			return false;
	for (int32_t other = j->buckets[b].child; other >= 0; other = j->buckets[other].sibling)
		if (!gpube__infer_is_apart(j, b, other) &&
			owner_of(j, b, j->buckets[other].arity - 1,
				gpube__infer_scope(j, other) + 1) == c)
			return false;
	return true;
}

static int apart_begin(
	struct apart *x, struct gpube__inferring *j, int32_t b, const struct gpube_infer_inputs *in)
{
	const uint64_t n = (uint64_t)j->buckets[b].n_children;
	int status = GPUBE_OK;

	*x = (struct apart){.child = gpube__alloc(j->ctx, n, sizeof(*x->child)),
		.to = gpube__alloc_zero(j->ctx, n, sizeof(*x->to)),
		.roundings = gpube__alloc(j->ctx, n, sizeof(*x->roundings))};
	if (!x->child || !x->to || !x->roundings)
		return GPUBE_ENOMEM;
	for (int32_t c = j->buckets[b].child; c >= 0 && !status; c = j->buckets[c].sibling) {
		if (!gpube__infer_is_apart(j, b, c))
			continue;
		x->child[x->n] = c;
		if (is_last(j, b, c))
			gpube__infer_drop(j, &j->buckets[c].message);
		status = sum_apart(j, b, c, in, &x->to[x->n], &x->roundings[x->n]);
		x->n++;
	}
	return status;
}

static int apart_take(struct apart *x, struct gpube__inferring *j, int32_t b)
{
	int status = GPUBE_OK;

	for (int k = 0; k < x->n && !status; k++) {
		struct gpube_sum_bucket *child = &j->buckets[x->child[k]];

		if (child->message.cells)
			status = take_owned(j, b, x->child[k], &x->to[k], x->roundings[k]);
		gpube__infer_drop(j, &child->message);
		child->message = x->to[k];
		child->roundings = x->roundings[k];
		x->to[k] = (struct gpube_sum_table){0};
		if (!status)
			status = gpube__infer_apart(j, &child->message);
	}
	return status;
}

static void apart_end(struct apart *x, struct gpube_ctx *ctx)
{
	for (int k = 0; k < x->n; k++)
		gpube__sum_table_clear(ctx, &x->to[k]);
	GPUBE_FREE_ALL(ctx, x->child, x->to, x->roundings);
}

static int down_here(struct gpube__inferring *j, int32_t b)
{
	struct sums s = {.arity = j->buckets[b].arity, .scope = gpube__infer_scope(j, b)};
	struct gpube_sum_job job = {0};
	struct gpube_infer_inputs in = {0};
	struct apart apart = {0};
	int status = sums_begin(&s, j, b, -1);

	if (!status && j->side)
		status = gpube__infer_here(j, b);
	if (!status && (s.n || j->buckets[b].child >= 0)) {
		status = gpube__infer_gather(&in, j, b, &job, true);
		s.roundings = in.roundings;
	}
	if (!status && s.n)
		status = sum_all(&s, j, &job);
	if (!status)
		status = apart_begin(&apart, j, b, &in);
	if (!status)
		status = take_sums(&s, j, b);
	if (!status)
		status = apart_take(&apart, j, b);
	gpube__infer_inputs_clear(&in, j, b);
	apart_end(&apart, j->ctx);
	sums_end(&s, j->ctx);
	gpube__infer_drop(j, &j->buckets[b].message);
	return status;
}

static int down(struct gpube__inferring *j, int32_t b)
{
	/* its parent has its marginal */
	bool done = j->buckets[b].is_leaf && !j->side && !j->buckets[b].message.cells;
	int status = GPUBE_OK;

	if (j->side && j->side[b])
		status = gpube__infer_down_card(j, b, &done);
	return status || done ? status : down_here(j, b);
}

/* Fills out->marginals. */
static int down_all(struct gpube__inferring *j)
{
	double done = j->out->plan.joined_cells / 2;
	int status = GPUBE_OK;

	for (int32_t b = j->n - 1; b >= 0 && !status; b--) {
		if (j->buckets[b].parent >= 0)
			j->roots[b] = j->roots[j->buckets[b].parent];
		status = down(j, b);
		done += (double)gpube__infer_cells(
			j, j->buckets[b].arity, gpube__infer_scope(j, b));
		gpube__infer_progress(j, done / j->out->plan.joined_cells / 1.5);
	}
	return status;
}

int gpube__infer_marginals(struct gpube__inferring *j)
{
	const int status = gpube__infer_begin_marginals(j);

	return status ? status : down_all(j);
}
