/*
 * nash_model.c - a game as a model of costs: best responses as constraints, or regrets. See nash.h.
 *
 * In 128 bits and without FLINT, which the small program gpube-convert is built without: payoffs of
 * more than 64 bits make no model.
 */
#include <stdio.h>

#include "gpube/ir/model.h"
#include "nash/players.h"

/*
 * What regrets are counted in: 1 / unit, where scale decimals are exactly that or 'unit' is none.
 */
struct units {
	int64_t unit;
	int scale;
};

/* Of each profile, to one player. */
struct costs {
	const struct units *u; /* NULL: 0 for a best response, else forbidden */
	int64_t *cost;
};

/* The least power of ten that all denominators divide, or else their least common multiple. */
static int find_units(struct units *u, const struct nash_players *g)
{
	int64_t lcm = 1, power = 1;

	for (int32_t player = 0; player < g->n; player++)
		for (int64_t k = 0; k < g->n_profiles; k++) {
			const int64_t den = g->payoffs[player][k].den;

			if (__builtin_mul_overflow(lcm, den / nash__divisor(lcm, den), &lcm))
				return gpube__fail(g->ctx, GPUBE_ERANGE,
					"the payoffs' common denominator passes 64 bits");
		}
	for (u->scale = 0; u->scale < 18 && power % lcm; u->scale++)
		power *= 10;
	u->unit = power;
	if (power % lcm == 0)
		return GPUBE_OK;
	u->unit = lcm;
	u->scale = 0;
	gpube__log(g->ctx, GPUBE_LOG_NOTE,
		"payoffs are no decimals: regrets are counted in units of 1/%lld", (long long)lcm);
	return GPUBE_OK;
}

/* a - b in units. */
static int subtract(int64_t *cost, const struct nash_players *g, const struct units *u,
	const struct nash_number *a, const struct nash_number *b)
{
	__int128 x, y;

	/* 'unit' is a multiple of both denominators */
	if (__builtin_mul_overflow((__int128)a->num, u->unit / a->den, &x) ||
		__builtin_mul_overflow((__int128)b->num, u->unit / b->den, &y) ||
		__builtin_sub_overflow(x, y, &x) || x >= (__int128)1 << 61)
		return gpube__fail(g->ctx, GPUBE_ERANGE, "a regret passes 2^61 units");
	*cost = (int64_t)x;
	return GPUBE_OK;
}

/* How far each profile falls short of the player's best one. */
static int fill(void *arg, const struct nash_players *g, const struct nash_line *line)
{
	const struct costs *c = arg;
	int status = GPUBE_OK;

	for (int64_t k = line->first; k < line->first + line->n * line->step && !status;
		k += line->step) {
		const struct nash_number *v = &g->payoffs[line->player][k];

		if (c->u)
			status = subtract(&c->cost[k], g, c->u, line->best, v);
		else
			c->cost[k] = nash__number_compare(v, line->best) == 0 ? 0 : GPUBE_INF;
	}
	return status;
}

static int add_players(struct gpube_model *m, const struct nash_players *g, const struct units *u)
{
	int64_t *cost = gpube__alloc(g->ctx, (uint64_t)g->n_profiles, sizeof(*cost));
	int32_t *scope = gpube__alloc(g->ctx, (uint64_t)g->n, sizeof(*scope));
	int status = cost && scope ? GPUBE_OK : GPUBE_ENOMEM;
	struct costs costs = {u, cost};

	for (int32_t player = 0; player < g->n && scope; player++)
		scope[player] = player;
	for (int32_t player = 0; player < g->n && !status; player++) {
		status = nash__players_lines(g, player, fill, &costs);
		if (!status)
			status = gpube_model_add_costs(m, g->n, scope, cost);
	}
	gpube__free(g->ctx, scope);
	gpube__free(g->ctx, cost);
	return status;
}

static int add_variable(struct gpube_model *m, const struct nash_players *g, int32_t player)
{
	char number[32];
	int status;

	snprintf(number, sizeof(number), "player%d", player + 1);
	status = gpube_model_add_var(
		m, NULL, g->actions[player], g->name[player] ? g->name[player] : number);
	if (!status && g->labels[player])
		status = gpube_model_name_values(m, player, (const char *const *)g->labels[player]);
	return status;
}

int nash__players_model(struct gpube_model **out, const struct nash_players *g, int regret)
{
	struct units u;
	int status = nash__players_check(g, "the game becomes no model");

	*out = NULL;
	if (!status && regret)
		status = find_units(&u, g);
	if (!status)
		status = gpube_model_new(out, g->ctx, GPUBE_COSTS);
	if (!status && regret)
		status = gpube_model_set_scale(*out, u.scale);
	for (int32_t player = 0; player < g->n && !status; player++)
		status = add_variable(*out, g, player);
	if (!status)
		status = add_players(*out, g, regret ? &u : NULL);
	if (status) {
		gpube_model_free(*out);
		*out = NULL;
	}
	return status;
}

int nash_model(struct gpube_model **out, const struct nash_game *g, int regret)
{
	int32_t actions[2];
	struct nash_players two;

	if (out)
		*out = NULL;
	if (!out || !g)
		return gpube__missing(g ? g->ctx : NULL);
	return nash__players_model(out, nash__players_of(g, &two, actions), regret);
}
