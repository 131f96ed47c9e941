/* induction.c - games with perfect information by backward induction. See sequences.h. */
#include "nash/extensive/sequences.h"

/* What a node is worth to all players, from its children, which come behind it. */
static void settle_node(int32_t *choice, fmpq *worth, const struct gpube_game_tree *t, int64_t k)
{
	const struct gpube_node *node = &t->nodes[k];
	const struct gpube_infoset *s = node->infoset < 0 ? NULL : &t->infosets[node->infoset];
	const int32_t n = t->n_players, *children = s ? t->children + node->children : NULL;
	fmpq *own = worth + k * n;
	int32_t best = 0;
	fmpq_t v;

	fmpq_init(v);
	for (int32_t p = 0; p < n && node->outcome >= 0; p++)
		nash__fraction(own + p, &t->payoffs[(int64_t)node->outcome * n + p]);
	for (int32_t a = 0; s && s->player == 0 && a < s->n_actions; a++) {
		const struct gpube_rational *chance = &t->actions[s->first + a].chance;

		fmpq_set_si(v, chance->num, (ulong)chance->den);
		for (int32_t p = 0; p < n; p++)
			fmpq_addmul(own + p, v, worth + (int64_t)children[a] * n + p);
	}
	if (s && s->player) {
		const int32_t p = s->player - 1;

		for (int32_t a = 1; a < s->n_actions; a++)
			if (fmpq_cmp(worth + (int64_t)children[a] * n + p,
				    worth + (int64_t)children[best] * n + p) > 0)
				best = a;
		choice[node->infoset] = best;
		for (int32_t q = 0; q < n; q++)
			fmpq_add(own + q, own + q, worth + (int64_t)children[best] * n + q);
	}
	fmpq_clear(v);
}

int nash__subgame_perfect(int32_t *choice, fmpq *worth, const struct gpube_model *g)
{
	const struct gpube_game_tree *t = g->tree;
	const int64_t n = t->n_nodes * t->n_players;
	fmpq *all;
	int status = GPUBE_OK;

	if (n > INT32_MAX)
		return gpube__fail(g->ctx, GPUBE_ELIMIT, "2^31 payoffs of nodes or more");
	if (nash__room(g->ctx, (uint64_t)n * 2 * sizeof(fmpq)))
		return GPUBE_ENOMEM;
	all = _fmpq_vec_init((slong)n);
	for (int64_t k = t->n_nodes - 1; k >= 0 && !status; k--) {
		settle_node(choice, all, t, k);
		status = nash__room(g->ctx, 0);
		if (!status && (k & 1023) == 0 && gpube__stopped(g->ctx))
			status = gpube__fail_stopped(g->ctx);
	}
	for (int32_t p = 0; p < t->n_players; p++)
		fmpq_set(worth + p, all + p);
	_fmpq_vec_clear(all, (slong)n);
	return status;
}
