/*
 * game_tree_normal.c - the reduced normal form of a tree. See game_tree.h.
 *
 * A strategy says what its player does at the information sets that what it says of others leaves
 * to be reached. It bears Gambit's name: the numbers of the actions by information set, * for one
 * that is not reached.
 */
#include "gpube/ir/games/game_tree.h"

#include <stdio.h>
#include <string.h>

#include "gpube/ir/games/expected.h"
#include "gpube/ir/payoffs.h"

/* A node that is reached, with its chance. */
struct reached {
	int32_t node;
	struct gpube_rational chance;
};

/*
 * One profile after the other.
 * choices  by player: n[player] strategies of n_infosets each
 * at       the profile
 * v        by player and profile
 * worth    by player, at the profile
 */
struct filling {
	const struct gpube_game_tree *t;
	struct gpube_ctx *ctx;
	int32_t **choices, *n, *at;
	struct gpube_rational **v;
	struct reached *stack;
	struct gpube_expected *worth;
};

/* ---- payoffs --------------------------------------------------------------------------------- */

/* What all players get at the profile; false if a number is too long. */
static bool expect(const struct filling *f)
{
	const struct gpube_game_tree *t = f->t;
	int64_t n = 0;

	for (int32_t p = 0; p < t->n_players; p++)
		f->worth[p] = (struct gpube_expected){0, 1};
	f->stack[n++] = (struct reached){0, {1, 1, NULL}};
	while (n) {
		const struct reached r = f->stack[--n];
		const struct gpube_node *node = &t->nodes[r.node];
		const struct gpube_infoset *s =
			node->infoset < 0 ? NULL : &t->infosets[node->infoset];
		const int64_t outcome = (int64_t)node->outcome * t->n_players;

		for (int32_t p = 0; p < t->n_players && node->outcome >= 0; p++)
			if (!gpube__expected_add(&f->worth[p], &r.chance, &t->payoffs[outcome + p]))
				return false;
		for (int32_t a = 0; s && !s->player && a < s->n_actions; a++) {
			const struct gpube_rational *chance = &t->actions[s->first + a].chance;

			if (chance->num == 0)
				continue;
			f->stack[n] = (struct reached){t->children[node->children + a], r.chance};
			if (!gpube__chance_times(&f->stack[n++].chance, chance))
				return false;
		}
		if (s && s->player) {
			const int32_t p = s->player - 1,
				      *choice = f->choices[p] + f->at[p] * t->n_infosets;

			f->stack[n] = r;
			f->stack[n++].node = t->children[node->children + choice[node->infoset]];
		}
	}
	return true;
}

static int fill_profile(const struct filling *f, int64_t profile)
{
	const bool fits = expect(f);

	for (int32_t p = 0; p < f->t->n_players; p++)
		if (!fits || !gpube__expected_take(&f->v[p][profile], &f->worth[p]))
			return gpube__fail(
				f->ctx, GPUBE_ERANGE, "an expected payoff passes 64 bits");
	return GPUBE_OK;
}

static int fill_payoffs(const struct filling *f, int64_t profiles)
{
	int status = GPUBE_OK;

	for (int64_t k = 0; k < profiles && !status; k++) {
		status = gpube__stopped(f->ctx) ? gpube__fail_stopped(f->ctx) : fill_profile(f, k);
		for (int32_t p = f->t->n_players - 1; p >= 0; p--) {
			if (++f->at[p] < f->n[p])
				break;
			f->at[p] = 0;
		}
	}
	return status;
}

/* ---- strategies ------------------------------------------------------------------------------ */

/* What each of them says, for all information sets. */
static int list_strategies(const struct filling *f, int32_t p)
{
	const struct gpube_game_tree *t = f->t;
	struct gpube_strategies w;
	int status = gpube__strategies_init(&w, t, f->ctx, p + 1);
	int32_t k = 0;

	if (!status)
		do {
			memcpy(f->choices[p] + k++ * t->n_infosets, w.choice,
				(size_t)t->n_infosets * sizeof(*w.choice));
			if (gpube__stopped(f->ctx))
				status = gpube__fail_stopped(f->ctx);
		} while (!status && k < f->n[p] && gpube__strategies_next(&w));
	gpube__strategies_clear(&w);
	return status;
}

/* "1*2": all sets of the player in the order of the file; "*" if it has none. */
static int name_strategy(const struct filling *f, int32_t p, const int32_t *choice, char **label)
{
	int64_t capacity = 0, n = 0;
	char one[16], *text = NULL;

	for (int64_t k = 0; k < f->t->n_infosets; k++) {
		int length;

		if (f->t->infosets[k].player != p + 1)
			continue;
		length = choice[k] < 0 ? snprintf(one, sizeof(one), "*")
				       : snprintf(one, sizeof(one), "%d", choice[k] + 1);
		if (gpube__grow(f->ctx, &text, &capacity, n + length + 1, 1)) {
			gpube__free(f->ctx, text);
			return GPUBE_ENOMEM;
		}
		memcpy(text + n, one, (size_t)length + 1);
		n += length;
	}
	*label = text ? text : gpube__strdup(f->ctx, "*");
	return *label ? GPUBE_OK : GPUBE_ENOMEM;
}

static int name_strategies(const struct filling *f, struct gpube_model *m, int32_t p)
{
	struct gpube_variable *v = &m->vars[p];
	int status = GPUBE_OK;

	if (v->value_names)
		return GPUBE_OK;
	v->value_names = gpube__alloc_zero(m->ctx, (uint64_t)v->domain, sizeof(char *));
	if (!v->value_names)
		return GPUBE_ENOMEM;
	for (int32_t k = 0; k < v->domain && !status; k++)
		status = name_strategy(
			f, p, f->choices[p] + k * f->t->n_infosets, &v->value_names[k]);
	if (!status)
		return GPUBE_OK;
	for (int32_t k = 0; k < v->domain; k++)
		gpube__free(m->ctx, v->value_names[k]);
	gpube__free(m->ctx, v->value_names);
	v->value_names = NULL;
	return status;
}

/* ---- all of it ----------------------------------------------------------------------- */

static int write_count(char *text, size_t size, double count, bool counted)
{
	if (counted && count > GPUBE__MOST_COUNTED)
		return snprintf(text, size, "more than %d", GPUBE__MOST_COUNTED);
	if (count < 9e15)
		return snprintf(text, size, "%lld", (long long)count);
	return snprintf(text, size, "about %.2e", count);
}

static int refuse_counts(const struct gpube_game_tree *t, struct gpube_ctx *ctx)
{
	char all[400];
	size_t n = 0;

	for (int32_t p = 0; p < t->n_players && n < sizeof(all) - 60; p++) {
		n += (size_t)snprintf(all + n, sizeof(all) - n, "%s",
			p == 0                 ? ""
			: p + 1 < t->n_players ? ", "
					       : " and ");
		n += (size_t)write_count(all + n, sizeof(all) - n, t->count[p], t->forgets >= 0);
	}
	return gpube__fail(ctx, GPUBE_ELIMIT,
		"the players have %s reduced strategies: more than the memory allowed, %llu MiB",
		all, (unsigned long long)(ctx->memory_bytes >> 20));
}

/* Sizes, before memory for them is taken. profiles: out */
static int check_sizes(const struct gpube_game_tree *t, struct gpube_ctx *ctx, int64_t *profiles)
{
	double cells = 1, strategies = 0, bytes;
	bool fits = true;

	for (int32_t p = 0; p < t->n_players; p++) {
		cells *= t->count[p];
		strategies += t->count[p];
		fits = fits && t->count[p] <= INT32_MAX &&
		       (t->forgets < 0 || t->count[p] <= GPUBE__MOST_COUNTED);
	}
	bytes = cells * t->n_players * sizeof(struct gpube_rational) +
		strategies * (double)(t->n_infosets + 8) * (sizeof(int32_t) + 12);
	if (!fits || bytes > (double)ctx->memory_bytes || cells > 1e15)
		return refuse_counts(t, ctx);
	*profiles = (int64_t)cells;
	return GPUBE_OK;
}

static int make(struct filling *f, struct gpube_model *m, int64_t profiles)
{
	int status = GPUBE_OK;

	for (int32_t p = 0; p < f->t->n_players && !status; p++) {
		f->n[p] = (int32_t)f->t->count[p];
		f->v[p] = gpube__alloc(f->ctx, (uint64_t)profiles, sizeof(**f->v));
		f->choices[p] = gpube__alloc(f->ctx,
			(uint64_t)f->n[p] * (uint64_t)f->t->n_infosets + 1, sizeof(**f->choices));
		status = f->v[p] && f->choices[p] ? list_strategies(f, p) : GPUBE_ENOMEM;
		if (!status)
			status = name_strategies(f, m, p);
	}
	if (!status)
		status = fill_payoffs(f, profiles);
	for (int32_t p = 0; p < f->t->n_players && !status; p++)
		status = gpube__add_payoffs(m, f->v[p]);
	return status;
}

int gpube__game_tree_normal(struct gpube_game_tree *t)
{
	struct gpube_model *m = t->model;
	struct gpube_ctx *ctx = m->ctx;
	const uint64_t n = (uint64_t)t->n_players;
	const struct gpube__model_mark mark = gpube__model_mark(m);
	struct filling f = {.t = t, .ctx = ctx};
	int64_t profiles = 0;
	int status = m->n_vars == t->n_players ? check_sizes(t, ctx, &profiles)
					       : gpube__fail(ctx, GPUBE_EINVAL,
							 "a tree of %d players in a game of %d",
							 t->n_players, m->n_vars);

	if (status)
		return status;
	f.choices = gpube__alloc_zero(ctx, n, sizeof(*f.choices));
	f.v = gpube__alloc_zero(ctx, n, sizeof(*f.v));
	f.n = gpube__alloc_zero(ctx, n, sizeof(*f.n));
	f.at = gpube__alloc_zero(ctx, n, sizeof(*f.at));
	f.worth = gpube__alloc(ctx, n, sizeof(*f.worth));
	f.stack = gpube__alloc(ctx, (uint64_t)t->n_nodes, sizeof(*f.stack));
	status = f.choices && f.v && f.n && f.at && f.worth && f.stack ? make(&f, m, profiles)
								       : GPUBE_ENOMEM;
	if (status)
		gpube__model_truncate(m, mark);
	for (uint64_t p = 0; p < n; p++) {
		gpube__free(ctx, f.choices ? f.choices[p] : NULL);
		gpube__free(ctx, f.v ? f.v[p] : NULL);
	}
	GPUBE_FREE_ALL(ctx, f.choices, f.v, f.n, f.at, f.worth, f.stack);
	return status;
}
