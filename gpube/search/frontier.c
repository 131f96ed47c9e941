/* frontier.c - the open nodes of a best-first search. See frontier.h. */
#include "gpube/search/frontier.h"

#include <math.h>
#include <string.h>

static bool before(const void *a, const void *b)
{
	const struct gpube_frontier_node *x = a, *y = b;

	return x->bound < y->bound || (x->bound == y->bound && x->depth > y->depth);
}

int gpube__frontier_room(struct gpube_frontier *f, struct gpube_ctx *ctx, int64_t more)
{
	return gpube__grow(ctx, &f->nodes, &f->capacity, f->n + more, sizeof(*f->nodes));
}

int gpube__frontier_push(
	struct gpube_frontier *f, struct gpube_ctx *ctx, const struct gpube_frontier_node *node)
{
	if (gpube__frontier_room(f, ctx, 1))
		return GPUBE_ENOMEM;
	if (node->path)
		node->path->users++;
	f->bytes += (int64_t)sizeof(*node) + node->bytes;
	f->deepest = node->depth > f->deepest ? node->depth : f->deepest;
	f->nodes[f->n++] = *node;
	gpube__heap_push(f->nodes, f->n, sizeof(*f->nodes), before);
	return GPUBE_OK;
}

struct gpube_frontier_node gpube__frontier_take(struct gpube_frontier *f, int64_t k)
{
	gpube__heap_take(f->nodes, f->n--, k, sizeof(*f->nodes), before);
	f->bytes -= (int64_t)sizeof(*f->nodes) + f->nodes[f->n].bytes;
	return f->nodes[f->n];
}

struct gpube_frontier_node gpube__frontier_pop(struct gpube_frontier *f)
{
	int64_t k = 0;

	if (f->most_bytes && f->bytes > f->most_bytes) {
		for (int64_t j = f->n - 1; j > 0 && f->nodes[k].depth < f->deepest; j--)
			if (f->nodes[j].depth > f->nodes[k].depth)
				k = j;
		f->deepest = f->nodes[k].depth;
	}
	return gpube__frontier_take(f, k);
}

void gpube__frontier_hold(struct gpube_frontier *f, struct gpube_frontier_hand *hand)
{
	hand->next = f->held;
	f->held = hand;
	f->n_held++;
}

void gpube__frontier_let_go(struct gpube_frontier *f, struct gpube_frontier_hand *hand)
{
	struct gpube_frontier_hand **at = &f->held;

	while (*at && *at != hand)
		at = &(*at)->next;
	if (!*at)
		return;
	*at = hand->next;
	f->n_held--;
}

int gpube__frontier_lend(struct gpube_frontier *f, struct gpube_ctx *ctx,
	const struct gpube_frontier_node *node, int borrower, int64_t number)
{
	struct gpube_frontier_loan *loan = gpube__alloc_zero(ctx, 1, sizeof(*loan));

	if (!loan)
		return GPUBE_ENOMEM;
	*loan = (struct gpube_frontier_loan){
		.hand.node = *node, .borrower = borrower, .number = number, .next = f->loans};
	f->loans = loan;
	f->n_loans++;
	gpube__frontier_hold(f, &loan->hand);
	return GPUBE_OK;
}

/* Its node is the caller's. */
static struct gpube_frontier_node end_loan(
	struct gpube_frontier *f, struct gpube_ctx *ctx, struct gpube_frontier_loan **at)
{
	struct gpube_frontier_loan *loan = *at;
	const struct gpube_frontier_node node = loan->hand.node;

	gpube__frontier_let_go(f, &loan->hand);
	*at = loan->next;
	f->n_loans--;
	gpube__free(ctx, loan);
	return node;
}

bool gpube__frontier_repaid(struct gpube_frontier *f, struct gpube_ctx *ctx, int borrower,
	int64_t number, int64_t least, struct gpube_frontier_node *node)
{
	for (struct gpube_frontier_loan **at = &f->loans; *at; at = &(*at)->next) {
		if ((*at)->borrower != borrower || (*at)->number > number)
			continue;
		if (least == INT64_MAX) {
			*node = end_loan(f, ctx, at);
			return true;
		}
		gpube__frontier_tighten(&(*at)->hand, least);
	}
	return false;
}

int gpube__frontier_recall(struct gpube_frontier *f, struct gpube_ctx *ctx, int borrower)
{
	for (struct gpube_frontier_loan **at = &f->loans; *at;) {
		struct gpube_frontier_node node;

		if ((*at)->borrower != borrower && borrower >= 0) {
			at = &(*at)->next;
			continue;
		}
		if (gpube__frontier_push(f, ctx, &(*at)->hand.node))
			return GPUBE_ENOMEM;
		node = end_loan(f, ctx, at);
		gpube__frontier_give_back(f, ctx, &node);
	}
	return GPUBE_OK;
}

int64_t gpube__frontier_least(const struct gpube_frontier *f)
{
	int64_t least = f->n ? f->nodes[0].bound : INT64_MAX;

	for (const struct gpube_frontier_hand *hand = f->held; hand; hand = hand->next) {
		const int64_t bound = __atomic_load_n(&hand->node.bound, __ATOMIC_RELAXED);

		least = bound < least ? bound : least;
	}
	return least;
}

double gpube__frontier_part_of(const struct gpube_frontier_node *node)
{
	return ldexp(1, -(node->depth + node->turned));
}

double gpube__frontier_part(const struct gpube_frontier *f)
{
	double part = 0;

	for (int64_t k = 0; k < f->n; k++)
		part += gpube__frontier_part_of(&f->nodes[k]);
	return part;
}

uint64_t gpube__frontier_rest(const struct gpube_frontier *f)
{
	uint64_t rest = 0;

	for (int64_t k = 0; k < f->n; k++)
		rest = gpube__part_add(rest, gpube__node_part(&f->nodes[k]));
	for (const struct gpube_frontier_hand *hand = f->held; hand; hand = hand->next)
		rest = gpube__part_add(rest, gpube__node_part(&hand->node));
	return rest;
}

struct gpube_frontier_path *gpube__frontier_path(struct gpube_frontier *f, struct gpube_ctx *ctx,
	const struct gpube_decision *decisions, int64_t n)
{
	const size_t bytes = (size_t)n * sizeof(*decisions);
	struct gpube_frontier_path *path = gpube__alloc(ctx, sizeof(*path) + bytes, 1);

	if (!path)
		return NULL;
	path->users = path->mark = 0;
	path->bytes = (int64_t)(sizeof(*path) + bytes);
	if (bytes)
		memcpy(path->decisions, decisions, bytes);
	f->bytes += path->bytes;
	return path;
}

void gpube__frontier_give_back(
	struct gpube_frontier *f, struct gpube_ctx *ctx, struct gpube_frontier_node *node)
{
	struct gpube_frontier_path *path = node->path;

	node->path = NULL;
	if (!path || --path->users)
		return;
	f->bytes -= path->bytes;
	gpube__free(ctx, path);
}

void gpube__frontier_clear(struct gpube_frontier *f, struct gpube_ctx *ctx)
{
	while (f->n) {
		struct gpube_frontier_node node = gpube__frontier_take(f, f->n - 1);

		gpube__frontier_give_back(f, ctx, &node);
	}
	while (f->loans) {
		struct gpube_frontier_node node = end_loan(f, ctx, &f->loans);

		gpube__frontier_give_back(f, ctx, &node);
	}
	gpube__free(ctx, f->nodes);
	f->nodes = NULL;
	f->capacity = 0;
}
