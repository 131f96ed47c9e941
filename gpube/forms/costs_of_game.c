/* costs_of_game.c - a game as costs: best responses as constraints, or regrets. See forms.h. */
#include <stdio.h>

#include "gpube/forms/model_as.h"
#include "gpube/ir/payoffs.h"

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

/* A payoff as a fraction, over its table's denominator where that has one. */
static struct gpube_rational payoff(const struct gpube_table *t, int64_t k)
{
	if (t->type == GPUBE_RATIONAL && !t->den)
		return ((const struct gpube_rational *)t->values)[k];
	return (struct gpube_rational){
		gpube__table_int(t, k), t->type == GPUBE_RATIONAL ? t->den : 1, NULL};
}

/* The least power of ten that all denominators divide, or else their least common multiple. */
static int find_units(struct units *u, const struct gpube_model *m)
{
	int64_t lcm = 1, power = 1;

	for (int32_t player = 0; player < m->n_vars; player++) {
		const struct gpube_table *t = gpube__table(m, player);
		/* those of others have one denominator */
		const int64_t n = t->type == GPUBE_RATIONAL && !t->den ? t->n : 1;

		for (int64_t k = 0; k < n; k++) {
			const int64_t den = payoff(t, k).den;

			if (__builtin_mul_overflow(lcm, den / gpube__divisor(lcm, den), &lcm))
				return gpube__fail(m->ctx, GPUBE_ERANGE,
					"the payoffs' common denominator passes 64 bits");
		}
	}
	for (u->scale = 0; u->scale < 18 && power % lcm; u->scale++)
		power *= 10;
	u->unit = power;
	if (power % lcm == 0)
		return GPUBE_OK;
	u->unit = lcm;
	u->scale = 0;
	gpube__log(m->ctx, GPUBE_LOG_NOTE,
		"payoffs are no decimals: regrets are counted in units of 1/%lld", (long long)lcm);
	return GPUBE_OK;
}

/* a - b in units. */
static int subtract(int64_t *cost, const struct gpube_model *m, const struct units *u,
	struct gpube_rational a, struct gpube_rational b)
{
	__int128 x, y;

	/* 'unit' is a multiple of both denominators */
	if (__builtin_mul_overflow((__int128)a.num, u->unit / a.den, &x) ||
		__builtin_mul_overflow((__int128)b.num, u->unit / b.den, &y) ||
		__builtin_sub_overflow(x, y, &x) || x >= (__int128)1 << 61)
		return gpube__fail(m->ctx, GPUBE_ERANGE, "a regret passes 2^61 units");
	*cost = (int64_t)x;
	return GPUBE_OK;
}

/* How far each profile falls short of the player's best one. */
static int fill(void *arg, const struct gpube_model *m, const struct gpube_line *line)
{
	const struct gpube_table *t = gpube__table(m, line->player);
	const struct costs *c = arg;
	int status = GPUBE_OK;

	for (int64_t k = line->first; k < line->first + line->n * line->step && !status;
		k += line->step) {
		if (c->u)
			status =
				subtract(&c->cost[k], m, c->u, payoff(t, line->best), payoff(t, k));
		else
			c->cost[k] = gpube__payoff_compare(t, k, line->best) == 0 ? 0 : GPUBE_INF;
	}
	return status;
}

static int add_functions(
	struct gpube_model *m, const struct gpube_model *game, const struct units *u)
{
	int64_t *cost = gpube__alloc(game->ctx, (uint64_t)gpube__profiles(game), sizeof(*cost));
	struct costs costs = {u, cost};
	int status = cost ? GPUBE_OK : GPUBE_ENOMEM;

	for (int32_t player = 0; player < game->n_vars && !status; player++) {
		status = gpube__game_lines(game, player, fill, &costs);
		if (!status)
			status = gpube_model_add_costs(
				m, game->n_vars, gpube__scope(game, player), cost);
	}
	gpube__free(game->ctx, cost);
	return status;
}

static int add_variable(struct gpube_model *m, const struct gpube_model *game, int32_t player)
{
	char number[32];

	snprintf(number, sizeof(number), "player%d", player + 1);
	return gpube__copy_var(m, &game->vars[player], number);
}

int gpube__costs_of_game(struct gpube_model **out, const struct gpube_model *game, int regret)
{
	struct units u;
	int status = gpube__check_game(game);

	*out = NULL;
	if (!status)
		status = gpube__check_payoffs(game, "the game becomes no model of costs");
	if (!status && regret)
		status = find_units(&u, game);
	if (!status)
		status = gpube_model_new(out, game->ctx, GPUBE_COSTS);
	if (!status && regret)
		status = gpube_model_set_scale(*out, u.scale);
	for (int32_t player = 0; player < game->n_vars && !status; player++)
		status = add_variable(*out, game, player);
	if (!status)
		status = add_functions(*out, game, regret ? &u : NULL);
	return gpube__model_made(out, status);
}
