/*
 * game_tree_normal.c - the reduced normal form of a tree. See game_tree.h.
 *
 * A strategy says what its player does at the information sets that what it says of others leaves
 * to be reached. It bears Gambit's name: the numbers of the actions by information set, * for one
 * that is not reached.
 */
#include "gpube/ir/games/game_tree.h"

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
	struct gpube__arrays memory;
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

/* "1*2": all sets of the player in the order of the file; "*" if it has none. NULL: ENOMEM */
static char *name_strategy(const struct filling *f, int32_t p, const int32_t *choice)
{
	struct gpube__text t = {.ctx = f->ctx};

	for (int64_t k = 0; k < f->t->n_infosets; k++)
		if (f->t->infosets[k].player == p + 1 && choice[k] < 0)
			gpube__text_add(&t, "*", 1);
		else if (f->t->infosets[k].player == p + 1)
			gpube__text_printf(&t, "%d", choice[k] + 1);
	if (!t.n)
		gpube__text_add(&t, "*", 1);
	if (!t.status)
		return t.bytes;
	gpube__free(f->ctx, t.bytes);
	return NULL;
}

static int name_strategies(const struct filling *f, struct gpube_model *m, int32_t p)
{
	struct gpube_variable *v = &m->vars[p];
	char **names;
	int32_t k = 0;

	if (v->value_names)
		return GPUBE_OK;
	names = gpube__alloc_zero(m->ctx, (uint64_t)v->domain, sizeof(*names));
	while (names && k < v->domain &&
		(names[k] = name_strategy(f, p, f->choices[p] + k * f->t->n_infosets)))
		k++;
	if (names && k == v->domain) {
		v->value_names = names;
		return GPUBE_OK;
	}
	while (k > 0)
		gpube__free(m->ctx, names[--k]);
	gpube__free(m->ctx, names);
	return GPUBE_ENOMEM;
}

/* ---- all of it ----------------------------------------------------------------------- */

static void put_count(struct gpube__text *t, double count, bool counted)
{
	if (counted && count > GPUBE__MOST_COUNTED)
		gpube__text_printf(t, "more than %d", GPUBE__MOST_COUNTED);
	else
		gpube__text_printf(t, count < 9e15 ? "%.0f" : "about %.2e", count);
}

static int refuse_counts(const struct gpube_game_tree *t, struct gpube_ctx *ctx)
{
	struct gpube__text all = {.ctx = ctx};
	int status;

	for (int32_t p = 0; p < t->n_players; p++) {
		gpube__text_printf(&all, "%s", p == 0 ? "" : p + 1 < t->n_players ? ", " : " and ");
		put_count(&all, t->count[p], t->forgets >= 0);
	}
	status = all.status ? all.status
			    : gpube__fail(ctx, GPUBE_ELIMIT,
				      "the players have %.360s reduced strategies: more than the "
				      "memory allowed, %llu MiB",
				      all.bytes, (unsigned long long)(ctx->memory_bytes >> 20));
	gpube__free(ctx, all.bytes);
	return status;
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
		f->v[p] = gpube__array(&f->memory, (uint64_t)profiles, sizeof(**f->v));
		f->choices[p] = gpube__array(&f->memory,
			(uint64_t)f->n[p] * (uint64_t)f->t->n_infosets + 1, sizeof(**f->choices));
		status = f->memory.failed ? GPUBE_ENOMEM : list_strategies(f, p);
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
	struct filling f = {.t = t, .ctx = ctx, .memory = {.ctx = ctx}};
	int64_t profiles = 0;
	int status = m->n_vars == t->n_players ? check_sizes(t, ctx, &profiles)
					       : gpube__fail(ctx, GPUBE_EINVAL,
							 "a tree of %d players in a game of %d",
							 t->n_players, m->n_vars);

	if (status)
		return status;
	f.choices = gpube__array(&f.memory, n, sizeof(*f.choices));
	f.v = gpube__array(&f.memory, n, sizeof(*f.v));
	f.n = gpube__array(&f.memory, n, sizeof(*f.n));
	f.at = gpube__array(&f.memory, n, sizeof(*f.at));
	f.worth = gpube__array(&f.memory, n, sizeof(*f.worth));
	f.stack = gpube__array(&f.memory, (uint64_t)t->n_nodes, sizeof(*f.stack));
	status = f.memory.failed ? GPUBE_ENOMEM : make(&f, m, profiles);
	if (status)
		gpube__model_truncate(m, mark);
	gpube__arrays_clear(&f.memory);
	return status;
}
