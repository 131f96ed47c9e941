/*
 * infer_card.c - buckets that a card sums, beside those of the host: see infer.h.
 *
 * Up, a bucket is one job. Down, what goes to a child is the sum of the product of all tables but
 * the child's own, so that nothing is divided and its message, which is as large, is not read: two
 * passes in all, where the host makes one over everything and divides. Children whose messages are
 * small beside the joined table share one pass: the sum that has all their variables, of all tables
 * but theirs, and from that each one's own. Marginals are sums to one variable, taken in the
 * smallest joined table that has it.
 *
 * Tables stay on the card. Where it is full, messages go to the host, those first that are needed
 * last.
 */
#include "gpube/infer/infer.h"
#include "gpube/options/options.h"
#include "gpube/ops/pick.h"
#include "gpube/ops/place.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Targets of one pass have together at most this share of the joined table's cells. */
#define SHARE 8

/* A bucket of more tables is the host's, which takes them one by one. */
#define MOST_TABLES 64

/* Where the host does not hold all tables, joined tables of so many cells are the card's. */
#define LEAST_JOINED 0x1p16

/*
 * A bucket on the card is a launch and a wait, a millisecond of MAR (relational_2, 12,951 buckets
 * of four cells: 14 s, benchmarks/runs/sums-h200). A card that was asked for has all buckets up to
 * so many; of more, those that are faster there, and these.
 */
enum { ALL_BUCKETS = 1000 };
#define FORCED_JOINED 0x1p14

/* ---- sides --------------------------------------------------------------------------- */

/*
 * Called by the card when it is full: a message that is not of the bucket at work goes to the host.
 */
static bool make_room(void *arg, uint64_t bytes)
{
	struct gpube__inferring *j = arg;

	(void)bytes;
	for (int32_t b = 0; b < j->n; b++) {
		struct gpube_sum_bucket *bucket = &j->buckets[b];

		if (bucket->message.card && b != j->at && bucket->parent != j->at)
			return gpube__sum_fetch(j->ctx, &bucket->message) == GPUBE_OK;
	}
	return false;
}

static int weigh(struct gpube__inferring *j, double seconds[2])
{
	const struct gpube_rate host = gpube__rate_of(j->ctx, gpube__ops_cpu());
	const struct gpube_rate device = gpube__rate_of(j->ctx, NULL);
	struct gpube_place *tasks = gpube__alloc_zero(j->ctx, (uint64_t)j->n, sizeof(*tasks));
	int status;

	if (!tasks)
		return GPUBE_ENOMEM;
	for (int32_t b = 0; b < j->n; b++) {
		const struct gpube_sum_bucket *bucket = &j->buckets[b];
		const double joined = gpube__infer_joined(j, b);

		tasks[b] = (struct gpube_place){.consumer = bucket->parent,
			.n_in = bucket->n_functions + bucket->n_children,
			.joined = joined,
			.cells = joined / gpube__infer_domain(j, b)};
	}
	status = gpube__place(j->side, seconds, j->ctx, j->n, tasks, GPUBE_INT64, &host, &device);
	gpube__free(j->ctx, tasks);
	return status;
}

/* The bucket in which a variable's marginal is summed: the smallest that has it. */
static int find_homes(struct gpube__inferring *j)
{
	double *least = gpube__alloc(j->ctx, (uint64_t)j->n, sizeof(*least));

	gpube__free(j->ctx, j->home); /* those of the host alone */
	j->home = gpube__alloc(j->ctx, (uint64_t)j->n, sizeof(*j->home));
	if (!least || !j->home) {
		gpube__free(j->ctx, least);
		return GPUBE_ENOMEM;
	}
	for (int32_t p = 0; p < j->n; p++)
		least[p] = INFINITY;
	for (int32_t b = 0; b < j->n; b++) {
		const double joined = gpube__infer_joined(j, b);

		for (int k = 0; k < j->buckets[b].arity; k++) {
			const int32_t p = gpube__infer_scope(j, b)[k];

			/* on the host that of its own bucket is nearly free */
			if (!(k == 0 && !j->side[b]) && !(j->side[p] && joined < least[p]))
				continue;
			least[p] = joined;
			j->home[p] = b;
		}
	}
	gpube__free(j->ctx, least);
	return GPUBE_OK;
}

int gpube__infer_take_card(struct gpube__inferring *j, const struct gpube_sum_card *card)
{
	j->card = *card;
	j->card.make_room = make_room;
	j->card.arg = j;
	for (int32_t b = 0; b < j->n; b++)
		j->n_on_card += j->side[b];
	return j->opts->task == GPUBE_INFER_MAR ? find_homes(j) : GPUBE_OK;
}

static void leave(struct gpube__inferring *j)
{
	gpube__free(j->ctx, j->side);
	j->side = NULL;
}

/* Whatever is predicted. */
static bool is_cards(
	const struct gpube__inferring *j, enum gpube_backend want, bool fits, double joined)
{
	if (!fits && joined >= LEAST_JOINED)
		return true;
	return want == GPUBE_BACKEND_CUDA && (j->n <= ALL_BUCKETS || joined >= FORCED_JOINED);
}

int gpube__infer_place(struct gpube__inferring *j, double bytes)
{
	const enum gpube_backend want = j->opts->backend;
	const bool fits = bytes <= (double)j->ctx->memory_bytes;
	struct gpube_sum_card card = {0};
	double seconds[2];
	int status;

	if (want == GPUBE_BACKEND_CPU || j->n_up < j->n || j->n == 0)
		return GPUBE_OK;
	j->side = gpube__alloc_zero(j->ctx, (uint64_t)j->n, sizeof(*j->side));
	if (!j->side)
		return GPUBE_ENOMEM;
	status = weigh(j, seconds);
	if (status)
		return status;
	if (want == GPUBE_BACKEND_AUTO && fits &&
		seconds[1] + gpube__open_seconds(j->ctx) >= seconds[0]) {
		leave(j);
		return GPUBE_OK;
	}
	status = gpube__sum_card_open(&card, j->ctx);
	if (status) {
		leave(j);
		return want == GPUBE_BACKEND_CUDA ? status : GPUBE_OK;
	}
	for (int32_t b = 0; b < j->n; b++)
		if (j->buckets[b].n_functions + j->buckets[b].n_children > MOST_TABLES)
			j->side[b] = 0;
		else if (is_cards(j, want, fits, gpube__infer_joined(j, b)))
			j->side[b] = 1;
	status = gpube__infer_take_card(j, &card);
	j->out->plan.predicted_seconds = seconds[1];
	gpube__log(j->ctx, GPUBE_LOG_DETAIL,
		"%d of %d bucket%s on the card, predicted %.3g s (on the host %.3g s)",
		j->n_on_card, j->n, gpube__plural(j->n), seconds[1], seconds[0]);
	return status;
}

double gpube__infer_room(const struct gpube__inferring *j)
{
	return (double)j->ctx->memory_bytes + (j->side ? (double)j->card.ops->memory(j->ctx) : 0);
}

int gpube__infer_here(struct gpube__inferring *j, int32_t b)
{
	int status = GPUBE_OK;

	for (int32_t c = j->buckets[b].child; c >= 0 && !status; c = j->buckets[c].sibling)
		status = gpube__sum_fetch(j->ctx, &j->buckets[c].message);
	if (!status && j->buckets[b].message.n)
		status = gpube__sum_fetch(j->ctx, &j->buckets[b].message);
	return status;
}

/* ---- up ------------------------------------------------------------------------------ */

int gpube__infer_up_card(struct gpube__inferring *j, int32_t b, bool *done)
{
	struct gpube_sum_bucket *bucket = &j->buckets[b];
	const int32_t *scope = gpube__infer_scope(j, b);
	struct gpube_sum_operand out;
	struct gpube_sum_job job = {.n_out = 1, .out = &out};
	struct gpube_infer_inputs in;
	int status;

	*done = false;
	j->at = b;
	status = gpube__infer_gather(&in, j, b, &job, false);
	if (!status) {
		bucket->message = (struct gpube_sum_table){
			.n = gpube__infer_cells(j, bucket->arity - 1, scope + 1)};
		gpube__infer_lay(&out, &bucket->message, &job, scope, bucket->arity - 1, scope + 1);
		status = gpube__sum_products_card(j->ctx, &j->card, 1, &job, done);
	}
	bucket->roundings = in.roundings + out.roundings;
	gpube__infer_inputs_clear(&in, j, b);
	if (status || !*done)
		bucket->message = (struct gpube_sum_table){0};
	else if (bucket->parent < 0)
		status = gpube__sum_fetch(j->ctx, &bucket->message);
	return status;
}

/* ---- down ---------------------------------------------------------------------------- */

/* What goes to a child, or the marginal of a position. */
struct target {
	int32_t child, position;
	int input; /* the child's own message, of the bucket's inputs; -1: a marginal */
	int arity, group;
	const int32_t *scope;
	struct gpube_sum_table table;
	double roundings;
};

/* Targets that are summed to from one table, over their variables; alone they have none. */
struct union_ {
	int n, arity;
	int32_t *scope;
	struct gpube_sum_table table;
	double roundings;
};

struct downward {
	struct gpube__inferring *j;
	int32_t b;
	struct gpube_sum_job job; /* all inputs of the bucket */
	struct gpube_infer_inputs in;
	struct target *targets;
	struct union_ *unions;
	int n, n_unions;
	int32_t *scopes; /* of unions */
};

static int larger_first(const void *a, const void *b)
{
	const struct target *x = a, *y = b;

	if (x->table.n != y->table.n)
		return x->table.n > y->table.n ? -1 : 1;
	return (x->child > y->child) - (x->child < y->child)
		       ? (x->child > y->child) - (x->child < y->child)
		       : (x->position > y->position) - (x->position < y->position);
}

static int find_targets(struct downward *d)
{
	struct gpube__inferring *j = d->j;
	const struct gpube_sum_bucket *bucket = &j->buckets[d->b];
	const int32_t *scope = gpube__infer_scope(j, d->b);
	const uint64_t most = (uint64_t)bucket->n_children + (uint64_t)bucket->arity;
	int input = bucket->n_functions;

	d->targets = gpube__alloc_zero(j->ctx, most, sizeof(*d->targets));
	d->unions = gpube__alloc_zero(j->ctx, most, sizeof(*d->unions));
	d->scopes = gpube__alloc(j->ctx, most * (uint64_t)bucket->arity, sizeof(*d->scopes));
	if (!d->targets || !d->unions || !d->scopes)
		return GPUBE_ENOMEM;
	for (int32_t c = bucket->child; c >= 0; c = j->buckets[c].sibling)
		d->targets[d->n++] = (struct target){.child = c,
			.position = -1,
			.input = input++,
			.arity = j->buckets[c].arity - 1,
			.scope = gpube__infer_scope(j, c) + 1};
	for (int k = 0; k < bucket->arity; k++)
		if (j->home[scope[k]] == d->b)
			d->targets[d->n++] = (struct target){.child = -1,
				.position = scope[k],
				.input = -1,
				.arity = 1,
				.scope = &scope[k]};
	for (int k = 0; k < d->n; k++)
		d->targets[k].table.n =
			gpube__infer_cells(j, d->targets[k].arity, d->targets[k].scope);
	qsort(d->targets, (size_t)d->n, sizeof(*d->targets), larger_first);
	return GPUBE_OK;
}

/* Both ascend; returns how many. */
static int unite(int32_t *to, const int32_t *a, int n_a, const int32_t *b, int n_b)
{
	int n = 0;

	for (int i = 0, k = 0; i < n_a || k < n_b; n++) {
		const int32_t v = k == n_b || (i < n_a && a[i] < b[k]) ? a[i] : b[k];

		i += i < n_a && a[i] == v;
		k += k < n_b && b[k] == v;
		to[n] = v;
	}
	return n;
}

/*
 * Each target joins the union that it makes the least larger, and none where that passes its share.
 */
static int find_unions(struct downward *d)
{
	const struct gpube__inferring *j = d->j;
	const double most = gpube__infer_joined(j, d->b) / SHARE;
	const int arity = j->buckets[d->b].arity;
	int32_t *both = gpube__alloc(j->ctx, (uint64_t)arity, sizeof(*both));

	if (!both)
		return GPUBE_ENOMEM;
	for (int k = 0; k < d->n; k++) {
		struct target *t = &d->targets[k];
		struct union_ *u;
		double least = most;

		t->group = -1;
		for (int i = 0; i < d->n_unions; i++) {
			const int n = unite(
				both, d->unions[i].scope, d->unions[i].arity, t->scope, t->arity);
			const double cells = (double)gpube__infer_cells(j, n, both);

			if (cells <= least) {
				least = cells;
				t->group = i;
			}
		}
		if (t->group < 0) {
			t->group = d->n_unions++;
			d->unions[t->group].scope = d->scopes + (ptrdiff_t)arity * t->group;
		}
		u = &d->unions[t->group];
		u->arity = unite(both, u->scope, u->arity, t->scope, t->arity);
		memcpy(u->scope, both, (size_t)u->arity * sizeof(*both));
		u->n++;
	}
	for (int u = 0; u < d->n_unions; u++)
		d->unions[u].table.n =
			gpube__infer_cells(j, d->unions[u].arity, d->unions[u].scope);
	gpube__free(j->ctx, both);
	return GPUBE_OK;
}

static bool is_in(const struct downward *d, int union_of, int input)
{
	for (int k = 0; k < d->n; k++)
		if (d->targets[k].group == union_of && d->targets[k].input == input)
			return true;
	return false;
}

static int32_t child_of(const struct downward *d, int input)
{
	for (int k = 0; k < d->n; k++)
		if (d->targets[k].input == input)
			return d->targets[k].child;
	return -1;
}

/* Room for the inputs and the outputs of n jobs. */
struct jobs {
	struct gpube_sum_job *job;
	struct gpube_sum_operand *in, *out;
	int n;
};

static int jobs_new(struct jobs *l, struct gpube_ctx *ctx, int n, int n_in)
{
	const uint64_t all = (uint64_t)n;

	l->n = 0;
	l->job = gpube__alloc_zero(ctx, all, sizeof(*l->job));
	l->out = gpube__alloc_zero(ctx, all, sizeof(*l->out));
	l->in = gpube__alloc_zero(ctx, all * (uint64_t)n_in, sizeof(*l->in));
	return l->job && l->out && l->in ? GPUBE_OK : GPUBE_ENOMEM;
}

static void jobs_clear(struct jobs *l, struct gpube_ctx *ctx)
{
	GPUBE_FREE_ALL(ctx, l->job, l->out, l->in);
}

/* The bucket's tables but those of the union, summed to its variables. */
static int sum_unions(struct downward *d, bool *done)
{
	struct gpube__inferring *j = d->j;
	const int32_t *scope = gpube__infer_scope(j, d->b);
	struct jobs l;
	int status = jobs_new(&l, j->ctx, d->n_unions, d->job.n_in);

	for (int u = 0; u < d->n_unions && !status; u++) {
		struct gpube_sum_job *job = &l.job[u];

		*job = d->job;
		job->in = l.in + (ptrdiff_t)u * d->job.n_in;
		job->n_in = 0;
		job->n_out = 1;
		job->out = &l.out[u];
		job->shares = true;
		d->unions[u].roundings = d->in.roundings;
		for (int i = 0; i < d->job.n_in; i++) {
			if (is_in(d, u, i)) {
				job->shares = false;
				d->unions[u].roundings -= j->buckets[child_of(d, i)].roundings;
			} else {
				job->in[job->n_in++] = d->job.in[i];
			}
		}
		gpube__infer_lay(&l.out[u], &d->unions[u].table, job, scope, d->unions[u].arity,
			d->unions[u].scope);
	}
	if (!status)
		status = gpube__sum_products_card(j->ctx, &j->card, d->n_unions, l.job, done);
	for (int u = 0; u < d->n_unions && !status && *done; u++)
		d->unions[u].roundings += l.out[u].roundings;
	jobs_clear(&l, j->ctx);
	return status;
}

/* From a union's table, and the messages of its other targets. */
static void set_target_job(struct downward *d, int k, struct jobs *l)
{
	struct gpube__inferring *j = d->j;
	struct target *t = &d->targets[k];
	struct union_ *u = &d->unions[t->group];
	struct gpube_sum_job *job = &l->job[l->n];

	job->in = l->in + (ptrdiff_t)l->n * (d->n + 1);
	job->out = &l->out[l->n++];
	job->n_out = 1;
	job->shares = t->child < 0;
	gpube__infer_axes(job, j, u->arity, u->scope);
	gpube__infer_lay(&job->in[job->n_in++], &u->table, job, u->scope, u->arity, u->scope);
	t->roundings = u->roundings;
	for (int i = 0; i < d->n; i++) {
		struct target *other = &d->targets[i];

		if (i == k || other->group != t->group || other->child < 0)
			continue;
		gpube__infer_lay(&job->in[job->n_in++], &j->buckets[other->child].message, job,
			u->scope, other->arity, other->scope);
		t->roundings += j->buckets[other->child].roundings;
	}
	gpube__infer_lay(job->out, &t->table, job, u->scope, t->arity, t->scope);
}

static int sum_targets(struct downward *d, bool *done)
{
	struct jobs l;
	int status = jobs_new(&l, d->j->ctx, d->n, d->n + 1);

	for (int k = 0; k < d->n && !status; k++) {
		struct union_ *u = &d->unions[d->targets[k].group];

		if (u->n > 1) {
			set_target_job(d, k, &l);
			continue;
		}
		d->targets[k].table = u->table; /* it is alone */
		d->targets[k].roundings = u->roundings;
		u->table = (struct gpube_sum_table){0};
	}
	if (!status && l.n)
		status = gpube__sum_products_card(d->j->ctx, &d->j->card, l.n, l.job, done);
	for (int k = 0, i = 0; k < d->n && !status && *done; k++)
		if (d->unions[d->targets[k].group].n > 1)
			d->targets[k].roundings += l.out[i++].roundings;
	jobs_clear(&l, d->j->ctx);
	return status;
}

/* Children get theirs, marginals are read off. */
static int hand_down(struct downward *d)
{
	struct gpube__inferring *j = d->j;
	int status = GPUBE_OK;

	for (int k = 0; k < d->n && !status; k++) {
		struct target *t = &d->targets[k];

		if (t->child < 0) {
			status = gpube__sum_fetch(j->ctx, &t->table);
			if (!status)
				status = gpube__infer_marginal(
					j, t->position, d->b, &t->table, t->roundings);
			continue;
		}
		gpube__infer_drop(j, &j->buckets[t->child].message);
		j->buckets[t->child].message = t->table;
		j->buckets[t->child].roundings = t->roundings;
		t->table = (struct gpube_sum_table){0};
	}
	gpube__infer_drop(j, &j->buckets[d->b].message);
	return status;
}

int gpube__infer_down_card(struct gpube__inferring *j, int32_t b, bool *done)
{
	struct downward d = {.j = j, .b = b};
	int status;

	*done = true;
	j->at = b;
	status = gpube__infer_gather(&d.in, j, b, &d.job, true);
	if (!status)
		status = find_targets(&d);
	if (!status && d.n) {
		status = find_unions(&d);
		if (!status)
			status = sum_unions(&d, done);
		if (!status && *done)
			status = sum_targets(&d, done);
	}
	if (!status && *done)
		status = hand_down(&d);
	/* what was not handed down */
	for (int k = 0; d.targets && k < d.n; k++)
		gpube__sum_table_clear(j->ctx, &d.targets[k].table);
	for (int u = 0; d.unions && u < d.n_unions; u++)
		gpube__sum_table_clear(j->ctx, &d.unions[u].table);
	GPUBE_FREE_ALL(j->ctx, d.targets, d.unions, d.scopes);
	gpube__infer_inputs_clear(&d.in, j, b);
	return status;
}
