/*
 * clusters_branch.c - what the ascent leaves open is split: the values of one
 * variable in two, each half goes on by itself from the tables as they are.
 *
 * A cluster of k variables with one of them restricted bounds what a cluster of
 * more would, at a fraction of its size; and dead values shrink every table, so
 * that a half soon costs little, until it is eliminated outright. The bound is
 * that of the worst open part, which comes next; when parts take too much
 * memory, the deepest, which is small and soon done.
 *
 * Designs weighed. (1) One value against all others, as search trees do: a pass
 * over triangles costs as much as thousands of a tree's nodes, and raises the
 * side of the many values hardly at all. (2) One part a value: large domains make
 * many parts that would all have died together. (3) Halves by what their values
 * force at least: this one.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpube/bound/bound.h"
#include "gpube/relax/clusters.h"
#include "gpube/search/frontier.h"

/* A part that would need more than HORIZON passes to close is split. */
enum { MOST_PASSES = 40, HORIZON = 2 };

struct part {
	struct gpube_clusters c;
	int64_t bytes;
	int depth;
	int passes;     /* of its last turn */
	double states;  /* log10, when its elimination was last looked at */
	double seconds; /* of its last turn */
};

struct branching {
	struct gpube_bounder *b;
	struct gpube_clusters *root;
	struct gpube_graph graph; /* its domains are those of the part at work */
	int32_t *order;
	struct gpube_frontier open;
	struct part **turn; /* parts at work */
	int32_t n_turn;
	int64_t turn_capacity;
	double searching, eliminating, started;
	int64_t n_parts, n_closed, n_eliminated;
	struct gpube_rng rng;
};

static void part_free(struct branching *r, struct part *p)
{
	if (!p)
		return;
	gpube__clusters_return(&p->c);
	gpube__clusters_clear(&p->c);
	gpube__free(r->b->ctx, p);
}

static int part_copy(struct branching *r, struct part **out, const struct gpube_clusters *c)
{
	struct part *p = gpube__alloc_zero(r->b->ctx, 1, sizeof(*p));

	*out = NULL;
	if (!p)
		return GPUBE_ENOMEM;
	if (gpube__clusters_copy(&p->c, c)) {
		gpube__free(r->b->ctx, p);
		return GPUBE_ENOMEM;
	}
	p->bytes = gpube__clusters_bytes(&p->c);
	p->states = INFINITY;
	*out = p;
	return GPUBE_OK;
}

/* Errors: ENOMEM, and it is gone */
static int push(struct branching *r, struct part *p)
{
	const int status = gpube__frontier_push(&r->open, r->b->ctx,
		&(struct gpube_frontier_node){.bound = p->c.constant,
			.depth = p->depth,
			.payload = p,
			.bytes = p->bytes});

	if (status)
		part_free(r, p);
	return status;
}

/* ---- a split -------------------------------------------------------------------------------- */

/* The mean cost of a pair, dead cells at what is missing to the limit. */
static double weight(const struct gpube_clusters *c, const struct gpube_pair *e)
{
	const int32_t slack = gpube__slack(c);
	double sum = 0;

	for (int32_t x = 0; x < c->domain[e->a]; x++) {
		const int32_t *t = e->t + x * gpube__row(c, e->b);

		for (int32_t y = 0; y < c->domain[e->b]; y++)
			sum += t[y] < slack ? t[y] : slack;
	}
	return sum / c->domain[e->a] / c->domain[e->b];
}

/*
 * The variable to split: of the most mean costs for the root of its values. The values themselves,
 * no division, and what the dearer half forces all needed more parts (runs/measured-2c): the last
 * splits all variables a little, and it is decided ones that make clusters of three as strong as of
 * four.
 */
int32_t gpube__clusters_choose(const struct gpube_clusters *c)
{
	double best = -1;
	int32_t chosen = -1;

	for (int32_t i = 0; i < c->n; i++) {
		double sum = 1;

		if (c->domain[i] < 2)
			continue;
		for (int64_t k = c->near_at[i]; k < c->near_at[i + 1]; k++)
			if (c->near[k] >= 0 && c->pairs[c->near[k]].t)
				sum += weight(c, &c->pairs[c->near[k]]);
		if (sum / sqrt(c->domain[i]) > best) {
			best = sum / sqrt(c->domain[i]);
			chosen = i;
		}
	}
	return chosen;
}

static int compare_sums(const void *x, const void *y)
{
	const int64_t *a = x, *b = y;

	return (*a > *b) - (*a < *b);
}

/* Marks the half of the values that force less; among equals, the first ones. */
int gpube__clusters_halve(const struct gpube_clusters *c, int32_t var, uint8_t *keep)
{
	const int32_t d = c->domain[var];
	int64_t *sum = gpube__alloc(c->ctx, 2 * (uint64_t)d, sizeof(*sum)), at;
	int32_t n = 0;

	if (!sum)
		return GPUBE_ENOMEM;
	gpube__clusters_marginals(c, var, sum);
	memcpy(sum + d, sum, (size_t)d * sizeof(*sum));
	qsort(sum + d, (size_t)d, sizeof(*sum), compare_sums);
	at = sum[d + d / 2];
	for (int32_t x = 0; x < d; x++) {
		keep[x] = sum[x] < at;
		n += keep[x];
	}
	for (int32_t x = 0; x < d && n < d / 2; x++)
		if (!keep[x] && sum[x] == at) {
			keep[x] = 1;
			n++;
		}
	gpube__free(c->ctx, sum);
	return GPUBE_OK;
}

/* Splits p, which is lent, into itself and *other; NULL if all its variables are decided. */
static int split(struct branching *r, struct part *p, struct part **other)
{
	struct gpube_ctx *ctx = r->b->ctx;
	int32_t i = gpube__clusters_choose(&p->c), d = i < 0 ? 0 : p->c.domain[i];
	uint8_t *keep;
	int status = GPUBE_ENOMEM;

	*other = NULL;
	if (i < 0)
		return GPUBE_OK;
	keep = gpube__alloc(ctx, 2 * (uint64_t)d, 1);
	if (keep)
		status = gpube__clusters_halve(&p->c, i, keep);
	if (!status)
		status = part_copy(r, other, &p->c);
	if (!status) {
		for (int32_t x = 0; x < d; x++)
			keep[d + x] = !keep[x];
		gpube__clusters_lend(&(*other)->c, r->root, 0);
		gpube__clusters_keep(&p->c, i, keep);
		gpube__clusters_keep(&(*other)->c, i, keep + d);
		p->depth++;
		(*other)->depth = p->depth;
		(*other)->seconds = p->seconds;
	}
	gpube__free(ctx, keep);
	return status;
}

/* ---- a turn ---------------------------------------------------------------------------------- */

/* Passes until the part is closed, or would take too many more. */
static void work(void *arg, int64_t item, int thread)
{
	struct branching *r = arg;
	struct part *p = r->turn[item];
	double start = gpube__worked(r->b->ctx);
	int64_t last = p->c.constant;

	gpube__clusters_lend(&p->c, r->root, thread);
	for (p->passes = 0; p->passes < MOST_PASSES && p->c.constant < p->c.target;) {
		gpube__clusters_pass(&p->c, p->passes % 2);
		p->passes++;
		if (p->c.constant >= p->c.target || gpube__stopped(r->b->ctx))
			break;
		gpube__clusters_compact(&p->c);
		if (p->passes % 2 == 0) {
			double gained = (double)(p->c.constant - last);

			if (gained * HORIZON < 2 * (double)gpube__slack(&p->c))
				break;
			last = p->c.constant;
		}
	}
	/* what other threads did meanwhile is counted, too */
	p->seconds = (gpube__worked(r->b->ctx) - start) / r->b->ctx->n_threads;
}

/* Eliminates a part if that is quick against what its passes take. */
static int eliminate(struct branching *r, struct part *p, bool *done)
{
	struct gpube_bounder *b = r->b;
	double start = gpube__worked(b->ctx), states = gpube__clusters_states(&p->c);
	double seconds = fmax(0.03, 4 * p->seconds);
	struct gpube_order_cost cost;
	int status = GPUBE_OK;

	*done = false;
	if (states > p->states - 0.5 || b->opts->no_eliminate)
		return GPUBE_OK;
	p->states = states;
	if (states > 6) {
		for (int32_t i = 0; i < p->c.n; i++)
			r->graph.domain[i] = p->c.domain[i];
		status = gpube__order_find(b->ctx, r->order, &cost, &r->graph, GPUBE_ORDER_MIN_FILL,
			0, b->ops->cells_per_second, b->opts->seed);
		if (status || cost.joined_cells > 8 * seconds * b->ops->cells_per_second)
			return status;
	}
	status = gpube__clusters_eliminate(b, &p->c, seconds, done);
	r->n_eliminated += *done;
	r->eliminating += gpube__worked(b->ctx) - start;
	return status;
}

/* An assignment from a part's tables, and search from there. */
static int read_off(struct branching *r, struct part *p)
{
	struct gpube_bounder *b = r->b;
	double start = gpube__worked(b->ctx);
	int status;

	if (gpube__clusters_states(&p->c) > 0 && r->searching > 0.1 * (start - r->started))
		return GPUBE_OK;
	gpube__clusters_decode(&p->c, b->tried, &r->rng);
	status = gpube__bounder_offer(b, b->tried, "decoded");
	if (!status)
		status = gpube__bounder_search(b, b->tried, 300);
	r->searching += gpube__worked(b->ctx) - start;
	return status;
}

/* What a turn left of a part: closed, eliminated, or open again. */
static int settle(struct branching *r, struct part *p)
{
	bool done = false;
	int status = GPUBE_OK;

	gpube__clusters_limit(r->root, r->b->tables, gpube__tables_limit(r->b));
	if (r->root->target < p->c.target)
		p->c.target = r->root->target;
	if (p->c.constant < p->c.target)
		status = read_off(r, p);
	done = gpube__clusters_states(&p->c) <= 0; /* its one assignment was offered */
	if (!status && !done && p->c.constant < p->c.target)
		status = eliminate(r, p, &done);
	if (status || done || p->c.constant >= p->c.target) {
		r->n_closed++;
		part_free(r, p);
		return status;
	}
	gpube__clusters_return(&p->c);
	/* it shrank: what it holds is more than it needs */
	if (p->bytes > 2 * gpube__clusters_bytes(&p->c) + 4096) {
		struct part *q;

		status = part_copy(r, &q, &p->c);
		if (!status) {
			q->depth = p->depth;
			q->states = p->states;
			q->seconds = p->seconds;
			part_free(r, p);
			p = q;
		}
	}
	if (!status)
		return push(r, p);
	part_free(r, p);
	return status;
}

/* Takes the next parts and splits them; what comes of it is the next turn. */
static int next_turn(struct branching *r)
{
	int status = GPUBE_OK;
	int32_t want = r->b->ctx->n_threads;

	r->n_turn = 0;
	if (gpube__grow(r->b->ctx, &r->turn, &r->turn_capacity, 2 * (int64_t)want + 2,
		    sizeof(*r->turn)))
		return GPUBE_ENOMEM;
	for (int32_t k = 0; k < want && r->open.n && !status; k++) {
		struct part *p = gpube__frontier_pop(&r->open).payload, *other = NULL;

		r->turn[r->n_turn++] = p;
		if (r->root->target < p->c.target)
			p->c.target = r->root->target;
		if (p->c.constant >= p->c.target)
			continue;
		gpube__clusters_lend(&p->c, r->root, 0);
		status = split(r, p, &other);
		if (other)
			r->turn[r->n_turn++] = other;
	}
	r->n_parts += r->n_turn;
	return status;
}

static int run_turn(struct branching *r)
{
	int status = next_turn(r);

	if (!status)
		gpube__parallel(r->b->ctx, r->n_turn, work, r);
	while (r->n_turn) {
		struct part *p = r->turn[--r->n_turn];

		if (!status)
			status = settle(r, p);
		else
			part_free(r, p);
	}
	return status;
}

/* What all open parts have in common. */
static void raise_bound(struct branching *r)
{
	struct gpube_bounder *b = r->b;
	int64_t least = r->open.n ? gpube__frontier_least(&r->open) : r->root->target;
	int64_t bound = gpube__clusters_total(r->root, least, b->tables, gpube__tables_limit(b));

	gpube__bounder_raise(b, gpube__tables_bound(b, bound), "splitting");
}

int gpube__bound_branch(struct gpube_bounder *b, struct gpube_clusters *root)
{
	struct branching r = {.b = b,
		.root = root,
		.started = gpube__worked(b->ctx),
		.open.most_bytes = (int64_t)(b->ctx->memory_bytes / 4)};
	struct part *first = NULL;
	int64_t turns = 0;
	int status = gpube__graph_of_model(&r.graph, b->m);

	gpube__rng_init(&r.rng, b->opts->seed);
	if (!status)
		r.order = gpube__alloc(b->ctx, (uint64_t)root->n, sizeof(*r.order));
	if (!status && !r.order)
		status = GPUBE_ENOMEM;
	if (!status)
		status = part_copy(&r, &first, root);
	if (!status)
		status = push(&r, first);
	while (!status && r.open.n && !gpube__bounder_done(b)) {
		if (gpube__stopped(b->ctx))
			status = gpube__fail_stopped(b->ctx);
		else
			status = run_turn(&r);
		if (!status)
			raise_bound(&r);
		if (++turns % 64 == 0)
			gpube__log(b->ctx, GPUBE_LOG_DETAIL,
				"%lld part%s, %lld closed, %lld of them eliminated, %lld open, "
				"%.3g "
				"bytes",
				(long long)r.n_parts, gpube__plural(r.n_parts),
				(long long)r.n_closed, (long long)r.n_eliminated,
				(long long)r.open.n, (double)r.open.bytes);
	}
	gpube__log(b->ctx, GPUBE_LOG_DETAIL,
		"%lld part%s, %lld closed, %lld of them eliminated in %.2f s", (long long)r.n_parts,
		gpube__plural(r.n_parts), (long long)r.n_closed, (long long)r.n_eliminated,
		r.eliminating);
	for (int64_t k = 0; k < r.open.n; k++)
		part_free(&r, r.open.nodes[k].payload);
	gpube__frontier_clear(&r.open, b->ctx);
	gpube__free(b->ctx, r.turn);
	gpube__free(b->ctx, r.order);
	gpube__graph_clear(b->ctx, &r.graph);
	return status;
}
