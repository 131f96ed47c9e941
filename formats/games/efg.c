/*
 * efg.c - Gambit's .efg, as a tree.
 *
 * EFG 2 R "title" { "player" … } "comment", then the nodes, each before those behind it:
 *
 *   c "node" 1 "infoset" { "action" 1/2 "action" 1/2 } 0
 *   p "node" 1 1 "infoset" { "action" "action" } 1 "outcome" { 3, -1 }
 *   t "node" 2 "outcome" { 0, 0 }
 *
 * A chance node's or a player's information set is told by its number, an outcome, too; 0 is none.
 * What they are called and what is in them may be left out where they come again. Outcomes behind
 * which the game goes on add up.
 */
#include "formats/games/game_reader.h"

#include <string.h>

#include "gpube/base/mask_index.h"
#include "gpube/ir/games/game_tree.h"

struct reader {
	struct gpube_in *in;
	struct gpube_model *m;
	struct gpube_game_tree *t; /* m's */
	struct gpube_labels players;
	struct gpube_pile payoffs; /* of outcomes */
	int64_t n_outcomes, nodes_capacity, infosets_capacity, actions_capacity, children_capacity;
	struct gpube__mask_set numbers; /* of information sets by player, then of outcomes */
	int32_t *indices;               /* of each of those */
	int64_t indices_capacity;
	/* nodes with actions that have no node yet, and how many have one */
	struct open {
		int32_t node, n;
	} * open;
	int64_t n_open, open_capacity;
};

/* ---- parts ------------------------------------------------------------------------------ */

/* The index of a number in its space, new ones get 'next'. */
static int find_number(
	struct reader *r, int32_t space, int32_t number, int32_t next, int32_t *index)
{
	struct gpube__mask_set *s = &r->numbers;
	const uint64_t key = (uint64_t)space << 32 | (uint32_t)number;
	const int64_t at = gpube__masks_find(&s->index, s->masks, 1, &key);

	*index = at < 0 ? next : r->indices[at];
	if (at >= 0)
		return GPUBE_OK;
	if (gpube__grow(
		    r->in->ctx, &r->indices, &r->indices_capacity, s->n + 1, sizeof(*r->indices)))
		return GPUBE_ENOMEM;
	r->indices[s->n] = next;
	return gpube__mask_set_add(s, r->in->ctx, &key, NULL);
}

/* A quoted name; NULL: it is empty. */
static int read_name(struct gpube_in *in, char **name, const char *what)
{
	int status = gpube__scan_string(in, name, what);

	if (!status && !**name) {
		gpube__free(in->ctx, *name);
		*name = NULL;
	}
	return status;
}

static bool same_number(const struct gpube_rational *a, const struct gpube_rational *b)
{
	return a->num == b->num && a->den == b->den && (a->den || strcmp(a->text, b->text) == 0);
}

/* "{ 1, 2 }", of an outcome that is new or said again. */
static int read_payoffs(struct reader *r, int32_t outcome, bool known)
{
	struct gpube_in *in = r->in;
	struct gpube_pile pile = {0};
	int status = gpube__scan_char(in, '{', "'{' and an outcome's payoffs");

	for (int64_t p = 0; p < r->players.n && !status; p++) {
		if (gpube__scan_peek(in) == ',')
			in->p++;
		status = gpube__pile_number(in, &pile, "a payoff of the outcome");
	}
	if (!status)
		status = gpube__scan_char(in, '}', "'}' after the outcome's payoff of each player");
	for (int64_t p = 0; p < r->players.n && !status; p++) {
		if (!known)
			status = gpube__pile_push(in->ctx, &r->payoffs, &pile.v[p]);
		else if (!same_number(&pile.v[p], &r->payoffs.v[r->players.n * outcome + p]))
			status = gpube__in_error(in, "an outcome that had other payoffs before");
	}
	gpube__pile_clear(in->ctx, &pile);
	r->n_outcomes += !status && !known;
	return status;
}

static int read_outcome(struct reader *r, int32_t *outcome)
{
	struct gpube_in *in = r->in;
	const int64_t n = r->n_outcomes;
	int32_t number;
	int status = gpube__scan_int(in, &number, 0, "the number of an outcome");

	*outcome = -1;
	if (!status && n == INT32_MAX)
		return gpube__in_error(in, "2^31 outcomes or more");
	if (!status && number)
		status = find_number(r, (int32_t)r->players.n + 1, number, (int32_t)n, outcome);
	if (status)
		return status;
	if (gpube__scan_peek(in) == '"')
		status = gpube__scan_string(in, NULL, "the name of an outcome");
	if (!status && gpube__scan_peek(in) == '{') {
		if (number == 0)
			return gpube__in_error(in, "payoffs of outcome 0, which is none");
		return read_payoffs(r, *outcome, *outcome < n);
	}
	if (!status && *outcome == n)
		return gpube__scan_refuse(in, "'{' and the payoffs of an outcome that is new");
	return status;
}

/* Of action k of a set that is new, or that had these before. Takes the name over. */
static int read_action(struct reader *r, struct gpube_infoset *s, int64_t k, bool known)
{
	struct gpube_in *in = r->in;
	struct gpube_game_tree *t = r->t;
	struct gpube_action a = {NULL, {0, 1, NULL}};
	int status = read_name(in, &a.name, "the name of an action");

	if (!status && s->player == 0)
		status = gpube__scan_number(in, &a.chance, "the chance of an action");
	if (!status && gpube__check_chance(in, &a.chance)) {
		status = in->status;
		gpube__free(in->ctx, a.chance.text);
	}
	if (!status && known && k < s->n_actions && s->player == 0 &&
		!same_number(&a.chance, &t->actions[s->first + k].chance))
		status = gpube__in_error(in, "an information set that had other chances before");
	if (!status && !known)
		status = gpube__grow(in->ctx, &t->actions, &r->actions_capacity, t->n_actions + 1,
			sizeof(*t->actions));
	if (status || known)
		gpube__free(in->ctx, a.name);
	else
		t->actions[t->n_actions++] = a;
	return status;
}

/* "{ "a" 1/2 "b" 1/2 }", or without numbers; what is there before is compared. */
static int read_actions(struct reader *r, struct gpube_infoset *s, bool known)
{
	struct gpube_in *in = r->in;
	int64_t n = 0;
	int status = gpube__scan_char(in, '{', "'{' and an information set's actions");

	while (!status && gpube__scan_peek(in) != '}') {
		status = read_action(r, s, n, known);
		if (!status && ++n == INT32_MAX)
			return gpube__in_error(in, "2^31 actions or more");
		if (!status && !known)
			s->n_actions = (int32_t)n;
	}
	if (!status && n == 0)
		return gpube__in_error(in, "an information set without actions");
	if (!status && n != s->n_actions)
		return gpube__in_error(in, "an information set of %d actions has %lld",
			s->n_actions, (long long)n);
	return status ? status
		      : gpube__scan_char(in, '}', "'}' after an information set's actions");
}

static int add_infoset(struct reader *r, int32_t player, int32_t number, int32_t *index)
{
	struct gpube_game_tree *t = r->t;

	if (gpube__grow(r->in->ctx, &t->infosets, &r->infosets_capacity, t->n_infosets + 1,
		    sizeof(*t->infosets)))
		return GPUBE_ENOMEM;
	t->infosets[t->n_infosets] = (struct gpube_infoset){
		.player = player, .number = number, .first = t->n_actions, .after = -1};
	*index = (int32_t)t->n_infosets++;
	return GPUBE_OK;
}

/* Its name, where it is said for the first time. */
static int read_infoset_name(struct reader *r, int32_t index)
{
	char *name = NULL;
	int status = read_name(r->in, &name, "the name of an information set");

	if (!status && !r->t->infosets[index].name)
		r->t->infosets[index].name = name;
	else
		gpube__free(r->in->ctx, name);
	return status;
}

/* What stands behind a node's name: its information set, then the outcome. player: 0 of chance */
static int read_infoset(struct reader *r, int32_t player, int32_t *index)
{
	struct gpube_in *in = r->in;
	const int64_t n = r->t->n_infosets;
	int32_t number = 0;
	bool known;
	int status = player < 0 ? gpube__scan_int(in, &player, 1, "the player") : GPUBE_OK;

	if (!status && player > r->players.n)
		return gpube__in_error(in, "player %d of %lld", player, (long long)r->players.n);
	if (!status)
		status = gpube__scan_int(in, &number, 1, "the number of an information set");
	if (!status)
		status = find_number(r, player, number, (int32_t)n, index);
	if (status)
		return status;
	known = *index < n;
	if (!known)
		status = add_infoset(r, player, number, index);
	if (!status && gpube__scan_peek(in) == '"')
		status = read_infoset_name(r, *index);
	if (!status && (!known || gpube__scan_peek(in) == '{'))
		status = read_actions(r, &r->t->infosets[*index], known);
	if (!status && !known && player == 0)
		status = gpube__check_chances(in,
			&r->t->actions[r->t->infosets[*index].first].chance,
			r->t->infosets[*index].n_actions, sizeof(*r->t->actions),
			"an information set");
	return status;
}

/* ---- nodes -------------------------------------------------------------------------------- */

/* It follows on the next action of the last node that has one. */
static int hang_node(struct reader *r, int32_t node)
{
	struct gpube_game_tree *t = r->t;
	struct gpube_ctx *ctx = r->in->ctx;
	const int32_t infoset = t->nodes[node].infoset;

	if (r->n_open) {
		struct open *o = &r->open[r->n_open - 1];

		t->children[t->nodes[o->node].children + o->n++] = node;
	}
	if (infoset >= 0) {
		const int64_t n = t->infosets[infoset].n_actions;

		/*
		 * actions that no node follows on yet are asked for: few bytes name an infoset of
		 * many
		 */
		if (gpube__in_charge(r->in, n, sizeof(*t->children), "nodes"))
			return r->in->status;
		if (gpube__grow(ctx, &t->children, &r->children_capacity, t->n_children + n,
			    sizeof(*t->children)) ||
			gpube__grow(
				ctx, &r->open, &r->open_capacity, r->n_open + 1, sizeof(*r->open)))
			return GPUBE_ENOMEM;
		t->nodes[node].children = t->n_children;
		t->n_children += n;
		r->open[r->n_open++] = (struct open){node, 0};
	}
	while (r->n_open) {
		const struct open *o = &r->open[r->n_open - 1];

		if (o->n < t->infosets[t->nodes[o->node].infoset].n_actions)
			break;
		r->n_open--;
	}
	return GPUBE_OK;
}

static int read_node(struct reader *r)
{
	struct gpube_game_tree *t = r->t;
	struct gpube_in *in = r->in;
	const char kind = gpube__scan_peek(in);
	struct gpube_node node = {.infoset = -1, .outcome = -1};
	int status;

	if (!kind || !strchr("cpt", kind))
		return gpube__scan_refuse(in, "a node: c, p or t");
	in->p++;
	if (t->n_nodes == INT32_MAX - 1)
		return gpube__in_error(in, "2^31 nodes or more");
	status = gpube__scan_string(in, NULL, "the name of a node");
	if (!status && kind != 't')
		status = read_infoset(r, kind == 'c' ? 0 : -1, &node.infoset);
	if (!status)
		status = read_outcome(r, &node.outcome);
	if (status)
		return status;
	if (gpube__grow(in->ctx, &t->nodes, &r->nodes_capacity, t->n_nodes + 1, sizeof(*t->nodes)))
		return GPUBE_ENOMEM;
	t->nodes[t->n_nodes++] = node;
	return hang_node(r, (int32_t)t->n_nodes - 1);
}

static int read_head(struct reader *r)
{
	struct gpube_in *in = r->in;
	int status = gpube__scan_head(in, "EFG", "the version, 2", &r->m->name);

	if (!status)
		status = gpube__labels_read(&r->players, in, "'{' and the players' names",
			"a player's name", "'}' after the players' names");
	if (!status && (r->players.n < 1 || r->players.n > GPUBE__MOST_PLAYERS))
		return gpube__in_error(in, "%lld player%s: an .efg of 1 to %d players is read",
			(long long)r->players.n, gpube__plural((double)r->players.n),
			GPUBE__MOST_PLAYERS);
	if (!status && gpube__scan_peek(in) == '"')
		status = gpube__scan_string(in, NULL, "the comment");
	return status;
}

static int read_tree(struct reader *r)
{
	struct gpube_in *in = r->in;
	int status = read_head(r);

	r->t->n_players = (int32_t)r->players.n;
	do {
		if (!status)
			status = read_node(r);
		if (!status && r->t->n_nodes % 1024 == 0 && gpube__stopped(in->ctx))
			status = gpube__fail_stopped(in->ctx);
	} while (!status && r->n_open);
	/* before strategies are counted */
	return status ? status : gpube__in_end(in);
}

/* The players, whose values are their strategies. */
static int add_players(struct reader *r)
{
	struct gpube_game_tree *t = r->t;
	int status = gpube__game_tree_settle(t, r->in->ctx);

	for (int32_t p = 0; p < t->n_players && !status; p++)
		status = gpube__add_player(r->m,
			t->count[p] < INT32_MAX ? (int32_t)t->count[p] : INT32_MAX, r->players.v[p],
			NULL);
	return status;
}

int gpube__efg_read(struct gpube_model *m, struct gpube_in *in)
{
	struct reader r = {.m = m, .in = in, .numbers = {.words = 1}};
	struct gpube_ctx *ctx = in->ctx;
	int status;

	m->tree = r.t = gpube__alloc_zero(ctx, 1, sizeof(*r.t));
	if (!r.t)
		return GPUBE_ENOMEM;
	r.t->model = m;
	status = read_tree(&r);
	if (!status) {
		r.t->payoffs = r.payoffs.v;
		r.t->n_outcomes = r.n_outcomes;
		status = add_players(&r);
	} else {
		gpube__pile_clear(ctx, &r.payoffs);
	}
	gpube__labels_clear(&r.players, ctx);
	gpube__mask_set_clear(&r.numbers, ctx);
	gpube__free(ctx, r.indices);
	gpube__free(ctx, r.open);
	return status;
}
