/* game_tree.c - what is known of a tree, and the strategies of its players. See game_tree.h. */
#include "gpube/ir/games/game_tree.h"

#include <string.h>

void gpube__game_tree_free(struct gpube_game_tree *t, struct gpube_ctx *ctx)
{
	if (!t)
		return;
	for (int64_t k = 0; k < t->n_infosets; k++)
		gpube__free(ctx, t->infosets[k].name);
	for (int64_t k = 0; k < t->n_actions; k++)
		gpube__free(ctx, t->actions[k].name);
	for (int64_t k = 0; k < t->n_outcomes * t->n_players; k++)
		gpube__free(ctx, t->payoffs[k].text);
	GPUBE_FREE_ALL(
		ctx, t->nodes, t->infosets, t->actions, t->children, t->payoffs, t->count, t);
}

/* ---- recall ------------------------------------------------------------------------------- */

/* An action whose node was come to, and what its player did last before it. */
struct entered {
	int32_t node, next; /* next: the action to follow */
	int64_t before;
};

/* Compares what a set's player did last at this node with what it did at the set's others. */
static void compare_past(struct gpube_game_tree *t, int32_t infoset, int64_t last, bool *seen)
{
	struct gpube_infoset *s = &t->infosets[infoset];

	if (!seen[infoset])
		s->after = last;
	else if (s->after != last && t->forgets < 0)
		t->forgets = infoset;
	t->perfect = t->perfect && !seen[infoset];
	seen[infoset] = true;
}

/* Depth first, with what each player did last on the way. */
static void walk_recall(struct gpube_game_tree *t, struct entered *stack, int64_t *last, bool *seen)
{
	int64_t n = 0;

	stack[n++] = (struct entered){0, 0, -1};
	while (n) {
		struct entered *e = &stack[n - 1];
		const struct gpube_node *node = &t->nodes[e->node];
		const struct gpube_infoset *s =
			node->infoset < 0 ? NULL : &t->infosets[node->infoset];

		if (s && s->player && e->next == 0) {
			e->before = last[s->player];
			compare_past(t, node->infoset, e->before, seen);
		}
		if (s && e->next < s->n_actions) {
			if (s->player)
				last[s->player] = s->first + e->next;
			stack[n++] =
				(struct entered){t->children[node->children + e->next++], 0, -1};
			continue;
		}
		if (s && s->player)
			last[s->player] = e->before;
		n--;
	}
}

static int find_recall(struct gpube_game_tree *t, struct gpube_ctx *ctx)
{
	struct gpube__arrays memory = {.ctx = ctx};
	struct entered *stack = gpube__array(&memory, (uint64_t)t->n_nodes, sizeof(*stack));
	int64_t *last = gpube__array(&memory, (uint64_t)t->n_players + 1, sizeof(*last));
	bool *seen = gpube__array(&memory, (uint64_t)t->n_infosets + 1, sizeof(*seen));
	const int status = memory.failed ? GPUBE_ENOMEM : GPUBE_OK;

	t->forgets = -1;
	t->perfect = true;
	if (!status) {
		memset(last, 0xff, ((size_t)t->n_players + 1) * sizeof(*last));
		walk_recall(t, stack, last, seen);
	}
	gpube__arrays_clear(&memory);
	return status;
}

/* ---- how many strategies -------------------------------------------------------------------- */

/*
 * Of players that recall: of an action the product of those of the sets behind it, of a set their
 * sum. A set comes after those that it follows on.
 */
static int count_recalled(struct gpube_game_tree *t, struct gpube_ctx *ctx)
{
	double *of = gpube__alloc(ctx, (uint64_t)t->n_actions + 1, sizeof(*of));

	if (!of)
		return GPUBE_ENOMEM;
	for (int64_t k = 0; k < t->n_actions; k++)
		of[k] = 1;
	for (int64_t k = t->n_infosets - 1; k >= 0; k--) {
		const struct gpube_infoset *s = &t->infosets[k];
		double sum = 0;

		for (int32_t a = 0; a < s->n_actions && s->player; a++)
			sum += of[s->first + a];
		if (s->player)
			*(s->after < 0 ? &t->count[s->player - 1] : &of[s->after]) *= sum;
	}
	gpube__free(ctx, of);
	return GPUBE_OK;
}

/* One by one. */
static int count_walked(struct gpube_game_tree *t, struct gpube_ctx *ctx, int32_t player)
{
	struct gpube_strategies w;
	int status = gpube__strategies_init(&w, t, ctx, player);
	double n = 0;

	if (!status)
		do {
			n++;
			if (gpube__stopped(ctx))
				status = gpube__fail_stopped(ctx);
		} while (!status && n <= GPUBE__MOST_COUNTED && gpube__strategies_next(&w));
	gpube__strategies_clear(&w);
	t->count[player - 1] = n;
	return status;
}

int gpube__game_tree_settle(struct gpube_game_tree *t, struct gpube_ctx *ctx)
{
	int status = find_recall(t, ctx);

	if (status)
		return status;
	t->count = gpube__alloc(ctx, (uint64_t)t->n_players, sizeof(*t->count));
	if (!t->count)
		return GPUBE_ENOMEM;
	for (int32_t p = 0; p < t->n_players; p++)
		t->count[p] = 1;
	if (t->forgets < 0)
		return count_recalled(t, ctx);
	for (int32_t p = 1; p <= t->n_players && !status; p++)
		status = count_walked(t, ctx, p);
	return status;
}

/* ---- strategies ------------------------------------------------------------------------------ */

/* Walks where the choices lead; a set of the player that is new gets its first action. */
static void reach(struct gpube_strategies *w)
{
	const struct gpube_game_tree *t = w->t;
	int32_t n = 0;

	w->stack[n++] = 0;
	while (n) {
		const struct gpube_node *node = &t->nodes[w->stack[--n]];
		const struct gpube_infoset *s;

		if (node->infoset < 0)
			continue;
		s = &t->infosets[node->infoset];
		if (s->player != w->player) {
			for (int32_t a = s->n_actions - 1; a >= 0; a--)
				w->stack[n++] = t->children[node->children + a];
			continue;
		}
		if (w->choice[node->infoset] < 0) {
			w->choice[node->infoset] = 0;
			w->trail[w->n_trail++] = node->infoset;
		}
		w->stack[n++] = t->children[node->children + w->choice[node->infoset]];
	}
}

bool gpube__strategies_next(struct gpube_strategies *w)
{
	while (w->n_trail) {
		const int32_t s = w->trail[w->n_trail - 1];

		if (++w->choice[s] < w->t->infosets[s].n_actions) {
			reach(w);
			return true;
		}
		w->choice[s] = -1;
		w->n_trail--;
	}
	return false;
}

int gpube__strategies_init(struct gpube_strategies *w, const struct gpube_game_tree *t,
	struct gpube_ctx *ctx, int32_t player)
{
	const uint64_t n = (uint64_t)t->n_infosets + 1;

	*w = (struct gpube_strategies){.t = t, .memory = {.ctx = ctx}, .player = player};
	w->choice = gpube__array(&w->memory, n, sizeof(*w->choice));
	w->trail = gpube__array(&w->memory, n, sizeof(*w->trail));
	w->stack = gpube__array(&w->memory, (uint64_t)t->n_nodes, sizeof(*w->stack));
	if (w->memory.failed)
		return GPUBE_ENOMEM;
	memset(w->choice, 0xff, n * sizeof(*w->choice));
	reach(w);
	return GPUBE_OK;
}

void gpube__strategies_clear(struct gpube_strategies *w)
{
	gpube__arrays_clear(&w->memory);
}
