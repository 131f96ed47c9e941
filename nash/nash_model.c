/*
 * nash_model.c - a game as a model of costs: best responses as constraints, or regrets. See nash.h.
 *
 * In 128 bits and without FLINT, which the small program gpube-convert is built without: payoffs of
 * more than 64 bits make no model.
 */
#include "gpube/ir/model.h"
#include "nash/bimatrix.h"

/* What regrets are counted in: 1 / unit, where scale decimals are exactly that or 'unit' is none. */
struct units {
	int64_t unit;
	int scale;
};

/* Payoff k of a player. */
static const struct nash_number *payoff(const struct nash_game *g, int player, int64_t k)
{
	return &g->payoffs[player][k];
}

/* -1, 0 or 1: two fractions, whose products of 64 bits fit 128. */
static int compare(const struct nash_number *a, const struct nash_number *b)
{
	const __int128 left = (__int128)a->num * b->den, right = (__int128)b->num * a->den;

	return (left > right) - (left < right);
}

static int check_payoffs(const struct nash_game *g)
{
	for (int player = 0; player < 2; player++)
		for (int64_t k = 0; k < (int64_t)g->m * g->n; k++)
			if (payoff(g, player, k)->text)
				return gpube__fail(g->ctx, GPUBE_ERANGE,
					"a payoff passes 64 bits: the game becomes no model");
	return GPUBE_OK;
}

/* The least power of ten that all denominators divide, or else their least common multiple. */
static int find_units(struct units *u, const struct nash_game *g)
{
	int64_t lcm = 1, power = 1;

	for (int player = 0; player < 2; player++)
		for (int64_t k = 0; k < (int64_t)g->m * g->n; k++) {
			const int64_t den = payoff(g, player, k)->den;

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
	gpube__log(g->ctx, GPUBE_LOG_NOTE, "payoffs are no decimals: regrets are counted in units of 1/%lld",
		(long long)lcm);
	return GPUBE_OK;
}

/* a - b in units. */
static int subtract(int64_t *cost, const struct nash_game *g, const struct units *u,
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

/* One action of the opponent, o: how far each own action falls short of the best one. */
static int fill(int64_t *cost, const struct nash_game *g, int player, int64_t o, const struct units *u)
{
	const int32_t own = player ? g->n : g->m;
	const int64_t first = player ? o * g->n : o, step = player ? 1 : g->n;
	const struct nash_number *best = payoff(g, player, first);
	int status = GPUBE_OK;

	for (int32_t k = 1; k < own; k++)
		if (compare(payoff(g, player, first + k * step), best) > 0)
			best = payoff(g, player, first + k * step);
	for (int32_t k = 0; k < own && !status; k++) {
		const struct nash_number *v = payoff(g, player, first + k * step);

		if (u)
			status = subtract(&cost[first + k * step], g, u, best, v);
		else
			cost[first + k * step] = compare(v, best) == 0 ? 0 : GPUBE_INF;
	}
	return status;
}

static int add_players(struct gpube_model *m, const struct nash_game *g, const struct units *u)
{
	static const int32_t scope[] = {0, 1};
	int64_t *cost = gpube__alloc(g->ctx, (uint64_t)g->m * (uint64_t)g->n, sizeof(*cost));
	int status = cost ? GPUBE_OK : GPUBE_ENOMEM;

	for (int player = 0; player < 2 && !status; player++) {
		for (int64_t o = 0; o < (player ? g->m : g->n) && !status; o++)
			status = gpube__stopped(g->ctx) ? gpube__fail_stopped(g->ctx)
							: fill(cost, g, player, o, u);
		if (!status)
			status = gpube_model_add_costs(m, 2, scope, cost);
	}
	gpube__free(g->ctx, cost);
	return status;
}

static int add_variable(struct gpube_model *m, const struct nash_game *g, int player)
{
	const int32_t n = player ? g->n : g->m;
	const char *name = g->player[player];
	struct gpube_variable *v;
	int status = gpube_model_add_var(m, NULL, n, name ? name : player ? "player2" : "player1");

	if (status || !g->labels[player])
		return status;
	v = &m->vars[player];
	v->value_names = gpube__alloc_zero(m->ctx, (uint64_t)n, sizeof(*v->value_names));
	if (!v->value_names)
		return GPUBE_ENOMEM;
	for (int32_t a = 0; a < n; a++) {
		v->value_names[a] = gpube__strdup(m->ctx, g->labels[player][a]);
		if (!v->value_names[a])
			return GPUBE_ENOMEM;
	}
	return GPUBE_OK;
}

int nash_model(struct gpube_model **out, const struct nash_game *g, int regret)
{
	struct units u;
	int status;

	if (out)
		*out = NULL;
	if (!out || !g)
		return gpube__missing(g ? g->ctx : NULL);
	status = check_payoffs(g);
	if (!status && regret)
		status = find_units(&u, g);
	if (!status)
		status = gpube_model_new(out, g->ctx, GPUBE_COSTS);
	if (!status && regret)
		status = gpube_model_set_scale(*out, u.scale);
	for (int player = 0; player < 2 && !status; player++)
		status = add_variable(*out, g, player);
	if (!status)
		status = add_players(*out, g, regret ? &u : NULL);
	if (status) {
		gpube_model_free(*out);
		*out = NULL;
	}
	return status;
}
