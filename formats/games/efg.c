/*
 * efg.c - Gambit's .efg of two players, as its reduced normal form.
 *
 * EFG 2 R "title" { "player" "player" } "comment", then the nodes, each before those behind it:
 *
 *   c "node" 1 "infoset" { "action" 1/2 "action" 1/2 } 0
 *   p "node" 1 1 "infoset" { "action" "action" } 1 "outcome" { 3, -1 }
 *   t "node" 2 "outcome" { 0, 0 }
 *
 * A chance node's or a player's information set is told by its number, an outcome, too; 0 is none.
 * What they are called and what is in them may be left out where they come again. Outcomes behind
 * which the game goes on add up.
 */
#include "formats/games/efg.h"

#include <stdio.h>
#include <string.h>

#include "formats/common/names.h"

struct reader {
	struct gpube_extensive t;
	struct gpube_model *m;
	char *players[2];
	struct gpube_names names; /* of information sets by player, and of outcomes */
	char **strings;
	int64_t n_strings, strings_capacity;
	/* nodes with actions that have no node yet, and how many have one */
	struct open {
		int32_t node, n;
	} * open;
	int64_t n_open, open_capacity;
};

enum { OUTCOMES = 3 }; /* a space of names, behind chance and the players */

/* ---- parts ------------------------------------------------------------------------------ */

/* The index of a number in its space, new ones get 'next'. */
static int find_number(
	struct reader *r, int32_t space, int32_t number, int32_t next, int32_t *index)
{
	struct gpube_ctx *ctx = r->t.in->ctx;
	const int32_t *known;
	char text[16];

	snprintf(text, sizeof(text), "%d", number);
	known = gpube__names_find(&r->names, space, text);
	*index = known ? *known : next;
	if (known)
		return GPUBE_OK;
	if (gpube__grow(
		    ctx, &r->strings, &r->strings_capacity, r->n_strings + 1, sizeof(*r->strings)))
		return GPUBE_ENOMEM;
	r->strings[r->n_strings] = gpube__strdup(ctx, text);
	if (!r->strings[r->n_strings])
		return GPUBE_ENOMEM;
	r->n_strings++;
	return gpube__names_add(&r->names, space, r->strings[r->n_strings - 1], next);
}

static bool same_number(const struct gpube_rational *a, const struct gpube_rational *b)
{
	return a->num == b->num && a->den == b->den && (a->den || strcmp(a->text, b->text) == 0);
}

/* "{ 1, 2 }", of an outcome that is new or said again. */
static int read_payoffs(struct reader *r, int32_t outcome, bool known)
{
	struct gpube_in *in = r->t.in;
	struct gpube_pile pile = {0};
	int status = gpube__scan_char(in, '{', "'{' and an outcome's payoffs");

	for (int p = 0; p < 2 && !status; p++) {
		if (gpube__scan_peek(in) == ',')
			in->p++;
		status = gpube__pile_number(in, &pile, "a payoff of the outcome");
	}
	if (!status)
		status = gpube__scan_char(in, '}', "'}' after the outcome's two payoffs");
	for (int p = 0; p < 2 && !status; p++) {
		if (!known)
			status = gpube__pile_push(in->ctx, &r->t.outcomes, &pile.v[p]);
		else if (!same_number(&pile.v[p], &r->t.outcomes.v[2 * outcome + p]))
			status = gpube__in_error(in, "an outcome that had other payoffs before");
	}
	gpube__pile_clear(in->ctx, &pile);
	return status;
}

static int read_outcome(struct reader *r, int32_t *outcome)
{
	struct gpube_in *in = r->t.in;
	const int64_t n = r->t.outcomes.n / 2;
	int32_t number;
	int status = gpube__scan_int(in, &number, 0, "the number of an outcome");

	*outcome = -1;
	if (!status && n == INT32_MAX)
		return gpube__in_error(in, "2^31 outcomes or more");
	if (!status && number)
		status = find_number(r, OUTCOMES, number, (int32_t)n, outcome);
	if (status)
		return status;
	if (gpube__scan_peek(in) == '"')
		status = gpube__scan_comment(in, "the name of an outcome");
	if (!status && gpube__scan_peek(in) == '{') {
		if (number == 0)
			return gpube__in_error(in, "payoffs of outcome 0, which is none");
		return read_payoffs(r, *outcome, *outcome < n);
	}
	if (!status && *outcome == n)
		return gpube__scan_refuse(in, "'{' and the payoffs of an outcome that is new");
	return status;
}

/* "{ "a" 1/2 "b" 1/2 }", or without numbers; what is there before is compared. */
static int read_actions(struct reader *r, struct gpube_infoset *s, bool known)
{
	struct gpube_in *in = r->t.in;
	int64_t capacity = 0, n = 0;
	int status = gpube__scan_char(in, '{', "'{' and an information set's actions");

	while (!status && gpube__scan_peek(in) != '}') {
		struct gpube_rational v = {0, 1, NULL};

		status = gpube__scan_comment(in, "the name of an action");
		if (!status && s->player == 0)
			status = gpube__scan_number(in, &v, "the chance of an action");
		if (status)
			break;
		if (!v.den || v.num < 0) {
			gpube__free(in->ctx, v.text);
			return gpube__in_error(
				in, !v.den ? "a chance that passes 64 bits" : "a chance below 0");
		}
		if (known) {
			if (n < s->n_actions && s->player == 0 && !same_number(&v, &s->chances[n]))
				return gpube__in_error(
					in, "an information set that had other chances before");
		} else if (s->player == 0) {
			if (gpube__grow(
				    in->ctx, &s->chances, &capacity, n + 1, sizeof(*s->chances)))
				return GPUBE_ENOMEM;
			s->chances[n] = v;
		}
		if (++n == INT32_MAX)
			return gpube__in_error(in, "2^31 actions or more");
		if (!known)
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

static int check_chances(struct gpube_in *in, const struct gpube_infoset *s)
{
	__int128 num = 0, den = 1;

	for (int32_t k = 0; k < s->n_actions; k++) {
		const struct gpube_rational *v = &s->chances[k];
		__int128 a = den, b = v->den;

		while (b) {
			const __int128 rest = a % b;

			a = b;
			b = rest;
		}
		if (__builtin_mul_overflow(num, (__int128)(v->den / a), &num) ||
			__builtin_add_overflow(num, v->num * (den / a), &num) ||
			__builtin_mul_overflow(den, (__int128)(v->den / a), &den) ||
			den > (__int128)1 << 62)
			return gpube__in_fail(
				in, GPUBE_ERANGE, "chances whose common denominator passes 2^62");
	}
	return num == den ? GPUBE_OK
			  : gpube__in_error(
				    in, "the chances of an information set do not add up to 1");
}

static int add_infoset(struct reader *r, int32_t player, int32_t *index)
{
	struct gpube_extensive *t = &r->t;

	if (gpube__grow(t->in->ctx, &t->infosets, &t->infosets_capacity, t->n_infosets + 1,
		    sizeof(*t->infosets)))
		return GPUBE_ENOMEM;
	t->infosets[t->n_infosets] =
		(struct gpube_infoset){.player = player, .line = t->in->line, .after = -1};
	*index = (int32_t)t->n_infosets++;
	return GPUBE_OK;
}

/* What stands behind a node's name: its information set, then the outcome. */
static int read_infoset(struct reader *r, int32_t player, int32_t *index)
{
	struct gpube_in *in = r->t.in;
	const int64_t n = r->t.n_infosets;
	int32_t number;
	bool known;
	int status;

	if (player < 0)
		status = gpube__scan_int(in, &player, 1, "the player, 1 or 2");
	else
		status = GPUBE_OK;
	if (!status && player > 2)
		return gpube__in_error(in, "player %d of 2", player);
	if (!status)
		status = gpube__scan_int(in, &number, 1, "the number of an information set");
	if (!status)
		status = find_number(r, player, number, (int32_t)n, index);
	if (status)
		return status;
	known = *index < n;
	if (!known)
		status = add_infoset(r, player, index);
	if (!status && gpube__scan_peek(in) == '"')
		status = gpube__scan_comment(in, "the name of an information set");
	if (!status && (!known || gpube__scan_peek(in) == '{'))
		status = read_actions(r, &r->t.infosets[*index], known);
	if (!status && !known && player == 0)
		status = check_chances(in, &r->t.infosets[*index]);
	return status;
}

/* ---- nodes -------------------------------------------------------------------------------- */

/* It follows on the next action of the last node that has one. */
static int hang_node(struct reader *r, int32_t node)
{
	struct gpube_extensive *t = &r->t;
	struct gpube_ctx *ctx = t->in->ctx;
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
		if (gpube__in_charge(t->in, n, sizeof(*t->children), "nodes"))
			return t->in->status;
		if (gpube__grow(ctx, &t->children, &t->children_capacity, t->n_children + n,
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
	struct gpube_extensive *t = &r->t;
	struct gpube_in *in = t->in;
	const char kind = gpube__scan_peek(in);
	struct gpube_node node = {.infoset = -1, .outcome = -1};
	int status;

	if (!kind || !strchr("cpt", kind))
		return gpube__scan_refuse(in, "a node: c, p or t");
	in->p++;
	if (t->n_nodes == INT32_MAX - 1)
		return gpube__in_error(in, "2^31 nodes or more");
	status = gpube__scan_comment(in, "the name of a node");
	if (!status && kind != 't')
		status = read_infoset(r, kind == 'c' ? 0 : -1, &node.infoset);
	if (!status)
		status = read_outcome(r, &node.outcome);
	if (status)
		return status;
	if (gpube__grow(in->ctx, &t->nodes, &t->nodes_capacity, t->n_nodes + 1, sizeof(*t->nodes)))
		return GPUBE_ENOMEM;
	t->nodes[t->n_nodes++] = node;
	return hang_node(r, (int32_t)t->n_nodes - 1);
}

static int read_head(struct reader *r)
{
	static const char *const words[] = {"EFG", "2"};
	struct gpube_in *in = r->t.in;
	char token[256];
	int n = 0, status;

	for (int k = 0; k < 2; k++) {
		if (gpube__in_token(in, token, k ? "the version, 2" : "EFG"))
			return in->status;
		if (strcmp(token, words[k]) != 0)
			return gpube__in_refuse(in, k ? "the version, 2" : "EFG");
	}
	if (gpube__in_token(in, token, "the kind of numbers, R or D"))
		return in->status;
	if (strcmp(token, "R") != 0 && strcmp(token, "D") != 0)
		return gpube__in_refuse(in, "the kind of numbers, R or D");
	status = gpube__scan_string(in, &r->m->name, "the title");
	if (!status)
		status = gpube__scan_char(in, '{', "'{' and the players' names");
	for (; !status && gpube__scan_peek(in) != '}'; n++) {
		char *name;

		status = gpube__scan_string(in, &name, "a player's name");
		if (!status && n < 2)
			r->players[n] = name;
		else if (!status)
			gpube__free(in->ctx, name);
	}
	if (status)
		return status;
	if (n != 2)
		return gpube__in_error(in,
			"%d player%s: an .efg is read of two players, a game of more from a .nfg "
			"or an output of GAMUT",
			n, gpube__plural(n));
	status = gpube__scan_char(in, '}', "'}' after the players' names");
	if (!status && gpube__scan_peek(in) == '"')
		status = gpube__scan_comment(in, "the comment");
	return status;
}

static int read_tree(struct reader *r)
{
	struct gpube_in *in = r->t.in;
	int status = read_head(r);

	do {
		if (!status)
			status = read_node(r);
		if (!status && r->t.n_nodes % 1024 == 0 && gpube__stopped(in->ctx))
			status = gpube__fail_stopped(in->ctx);
	} while (!status && r->n_open);
	return status;
}

int gpube__efg_read(struct gpube_model *m, struct gpube_in *in)
{
	struct reader r = {.m = m, .t.in = in};
	struct gpube_ctx *ctx = in->ctx;
	int status;

	gpube__names_init(&r.names, ctx);
	status = read_tree(&r);
	if (!status)
		status = gpube__in_end(in); /* before the strategies are counted */
	if (!status)
		status = gpube__efg_normal(m, &r.t, r.players);
	for (int p = 0; p < 2; p++)
		gpube__free(ctx, r.players[p]);
	for (int64_t k = 0; k < r.t.n_infosets; k++)
		gpube__free(ctx, r.t.infosets[k].chances);
	for (int64_t k = 0; k < r.n_strings; k++)
		gpube__free(ctx, r.strings[k]);
	gpube__names_clear(&r.names);
	gpube__pile_clear(ctx, &r.t.outcomes);
	gpube__free(ctx, r.strings);
	gpube__free(ctx, r.open);
	gpube__free(ctx, r.t.nodes);
	gpube__free(ctx, r.t.infosets);
	gpube__free(ctx, r.t.children);
	return status;
}
