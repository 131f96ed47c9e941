/* agg_payoffs.c - payoffs of action nodes by what their neighbours count. See agg.h. */
#include <string.h>

#include "formats/games/agg.h"
#include "gpube/base/arrays.h"

/* ---- configurations -------------------------------------------------------------------------- */

/* Of n counts each, in one block; at: in the order in which they came */
struct configurations {
	int32_t *counts;
	int64_t n, capacity;
};

struct row {
	const int32_t *counts;
	int64_t at;
	int n;
};

static int compare_rows(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	const int order = gpube__compare_tuples(x->counts, y->counts, x->n);

	return order ? order : (x->at > y->at) - (x->at < y->at);
}

/* Sorted, and each once; the payoffs likewise, unless they are NULL or one is there twice. */
static int sort_configurations(
	struct configurations *c, struct gpube_rational *v, struct gpube_ctx *ctx, int n)
{
	struct gpube__arrays memory = {.ctx = ctx};
	struct row *rows = gpube__array(&memory, (uint64_t)c->n, sizeof(*rows));
	struct gpube_rational *old = gpube__array(&memory, v ? (uint64_t)c->n : 0, sizeof(*old));
	struct configurations sorted = {.capacity = c->n};
	int status = GPUBE_ENOMEM;

	sorted.counts = gpube__alloc(ctx, (uint64_t)c->n, (uint64_t)n * sizeof(*sorted.counts));
	if (sorted.counts && !memory.failed) {
		for (int64_t k = 0; k < c->n; k++)
			rows[k] = (struct row){c->counts + k * n, k, n};
		status = gpube__sort(ctx, rows, (uint64_t)c->n, sizeof(*rows), compare_rows);
	}
	for (int64_t k = 0; k < c->n && !status; k++)
		if (k == 0 || gpube__compare_tuples(rows[k - 1].counts, rows[k].counts, n) != 0)
			memcpy(sorted.counts + sorted.n++ * n, rows[k].counts,
				(size_t)n * sizeof(*sorted.counts));
	if (!status && v && sorted.n == c->n) {
		memcpy(old, v, (size_t)c->n * sizeof(*v));
		for (int64_t k = 0; k < c->n; k++)
			v[k] = old[rows[k].at];
	}
	gpube__arrays_clear(&memory);
	gpube__free(ctx, status ? sorted.counts : c->counts);
	if (!status)
		*c = sorted;
	return status;
}

/* Each of them with each action of a player. */
static int add_player(
	struct gpube_agg *r, struct configurations *c, int32_t node, int32_t player, int n)
{
	const int32_t *set = r->sets + r->set_at[player];
	const int64_t m = r->set_at[player + 1] - r->set_at[player],
		      bytes = n * 8 + (int64_t)sizeof(struct row);
	struct configurations all = {0};
	int status;

	if (c->n > INT64_MAX / m ||
		gpube__in_charge(r->in, c->n * m, bytes, "configurations of action node %d", node))
		return r->in->status ? r->in->status
				     : gpube__in_fail(r->in, GPUBE_ELIMIT,
					       "too many configurations of action node %d", node);
	r->in->charged -= (uint64_t)(c->n * m * bytes); /* until they are fewer, at once */
	all.counts =
		gpube__alloc(r->in->ctx, (uint64_t)(c->n * m), (uint64_t)n * sizeof(*all.counts));
	if (!all.counts)
		return GPUBE_ENOMEM;
	for (int64_t k = 0; k < c->n; k++)
		for (int64_t a = 0; a < m; a++)
			gpube__counts_add(
				r->g, node, all.counts + all.n++ * n, c->counts + k * n, set[a]);
	status = sort_configurations(&all, NULL, r->in->ctx, n);
	gpube__free(r->in->ctx, c->counts);
	*c = all;
	return status;
}

static bool has_action(const struct gpube_agg *r, int32_t player, int32_t action)
{
	for (int32_t k = r->set_at[player]; k < r->set_at[player + 1]; k++)
		if (r->sets[k] == action)
			return true;
	return false;
}

/* A player of the same actions as one before. */
static bool is_like_another(const struct gpube_agg *r, int32_t player)
{
	const int32_t n = r->set_at[player + 1] - r->set_at[player];

	for (int32_t j = 0; j < player; j++)
		if (r->set_at[j + 1] - r->set_at[j] == n &&
			memcmp(r->sets + r->set_at[j], r->sets + r->set_at[player],
				(size_t)n * sizeof(*r->sets)) == 0)
			return true;
	return false;
}

/* All that can be where some player plays the node, for the others whatever they have. */
static int reach(struct gpube_agg *r, struct configurations *all, int32_t node, int n)
{
	const struct gpube_action_graph *g = r->g;
	struct gpube_ctx *ctx = r->in->ctx;
	int status = GPUBE_OK;

	for (int32_t i = 0; i < g->n_players && !status; i++) {
		struct configurations c = {.n = 1};

		if (!has_action(r, i, node) || is_like_another(r, i))
			continue;
		c.counts = gpube__alloc(ctx, (uint64_t)n + 1, sizeof(*c.counts));
		if (!c.counts)
			return GPUBE_ENOMEM;
		for (int k = 0; k < n; k++)
			c.counts[k] = GPUBE__GIVES_NONE;
		gpube__counts_add(g, node, c.counts, c.counts, node);
		for (int32_t j = 0; j < g->n_players && !status; j++)
			if (j != i)
				status = add_player(r, &c, node, j, n);
		if (!status)
			status = gpube__grow(ctx, &all->counts, &all->capacity,
				(all->n + c.n) * n + 1, sizeof(*all->counts));
		for (int64_t k = 0; k < c.n && !status; k++) {
			gpube__counts_settle(g, node, c.counts + k * n);
			memcpy(all->counts + all->n++ * n, c.counts + k * n,
				(size_t)n * sizeof(*all->counts));
		}
		gpube__free(ctx, c.counts);
	}
	return status || !all->n ? status : sort_configurations(all, NULL, ctx, n);
}

/* ---- payoffs --------------------------------------------------------------------------------- */

/* Kind 0: of all that can be. */
static int read_complete(struct gpube_agg *r, int32_t node, struct gpube_pile *pile)
{
	const int n = (int)(r->g->at[node + 1] - r->g->at[node]);
	struct configurations all = {0};
	int status = reach(r, &all, node, n);

	r->g->nodes[node].configurations = all.counts;
	for (int64_t k = 0; k < all.n && !status; k++) {
		gpube__in_at_end(r->in);
		status = gpube__pile_number(r->in, pile, "a payoff");
	}
	return status;
}

/* "[ 1 0 ] 2.5" */
static int read_configuration(
	struct gpube_agg *r, struct configurations *c, struct gpube_pile *pile, int n)
{
	int status = gpube__agg_char(r, '[', "'[' and a configuration");

	if (!status)
		status = gpube__grow(r->in->ctx, &c->counts, &c->capacity, (c->n + 1) * n + 1,
			sizeof(*c->counts));
	for (int k = 0; k < n && !status; k++)
		status = gpube__agg_int(r, &c->counts[c->n * n + k], -INT32_MAX, INT32_MAX,
			"what a neighbour counts");
	if (!status)
		status = gpube__agg_char(r, ']', "']' after what each neighbour counts");
	c->n++;
	gpube__in_at_end(r->in);
	return status ? status : gpube__pile_number(r->in, pile, "a payoff");
}

/* Kind 1: of those that are there, into rising order. */
static int read_mapping(struct gpube_agg *r, int32_t node, struct gpube_pile *pile)
{
	const int n = (int)(r->g->at[node + 1] - r->g->at[node]);
	struct configurations c = {0};
	int32_t size;
	int status = gpube__agg_int(r, &size, 0, INT32_MAX, "the number of configurations");

	while (!status && c.n < size)
		status = read_configuration(r, &c, pile, n);
	if (!status && c.n)
		status = sort_configurations(&c, pile->v, r->in->ctx, n);
	if (!status && c.n < size)
		status = gpube__in_error(r->in, "a configuration of action node %d twice", node);
	r->g->nodes[node].configurations = c.counts;
	return status;
}

int gpube__agg_payoffs(struct gpube_agg *r, int32_t node)
{
	struct gpube_action_node *to = &r->g->nodes[node];
	struct gpube_pile pile = {0};
	int32_t kind;
	int status = gpube__agg_int(r, &kind, 0, INT32_MAX, "the kind of an action node's payoffs");

	if (!status && kind > 1)
		return gpube__in_error(r->in, "payoffs of kind %d: 0 and 1 are read", kind);
	if (!status)
		status = kind ? read_mapping(r, node, &pile) : read_complete(r, node, &pile);
	if (status) {
		gpube__pile_clear(r->in->ctx, &pile);
	} else {
		to->payoffs = pile.v;
		to->n = pile.n;
	}
	return status;
}
