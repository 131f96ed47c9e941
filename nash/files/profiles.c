/*
 * profiles.c - players and payoffs of games of any number of players, as files have them. See
 * players.h.
 */
#include "nash/players.h"

int nash__players_begin(struct nash_players **out, struct gpube_in *in, int64_t n)
{
	if (n < 2 || n > NASH_MOST_PLAYERS)
		return gpube__in_error(in, "%lld player%s: games of 2 to %d players are read",
			(long long)n, gpube__plural((double)n), NASH_MOST_PLAYERS);
	return nash__players_new(out, in->ctx, (int32_t)n);
}

int64_t nash__players_payoffs(struct nash_players *g, struct gpube_in *in)
{
	int64_t n = 1, all;

	if (g->n == 2) {
		all = nash__payoffs(in, g->actions[0], g->actions[1]);
		g->n_profiles = all / 2;
		return all;
	}
	for (int32_t p = 0; p < g->n && n >= 0; p++)
		n = gpube__mul_size(n, g->actions[p]);
	all = n < 0 ? -1 : gpube__mul_size(n, g->n);
	if (all < 0 || all > INT64_MAX / (int64_t)sizeof(struct nash_number)) {
		gpube__in_fail(in, GPUBE_ERANGE,
			"the payoffs of all profiles of %d players are too many", g->n);
		return -1;
	}
	g->n_profiles = n;
	return all;
}

static int sort_payoffs(struct nash_players *g, struct nash_pile *pile, bool by_player)
{
	int32_t at[NASH_MOST_PLAYERS] = {0};
	int64_t step[NASH_MOST_PLAYERS], to = 0;

	for (int32_t p = 0; p < g->n; p++) {
		g->payoffs[p] =
			gpube__alloc_zero(g->ctx, (uint64_t)g->n_profiles, sizeof(*g->payoffs[p]));
		if (!g->payoffs[p])
			return GPUBE_ENOMEM;
		step[p] = nash__players_step(g, p);
	}
	for (int64_t k = 0; k < g->n_profiles; k++) {
		for (int32_t p = 0; p < g->n; p++) {
			struct nash_number *v =
				&pile->v[by_player ? p * g->n_profiles + k : k * g->n + p];

			g->payoffs[p][to] = *v;
			v->text = NULL;
		}
		for (int32_t p = 0; p < g->n; p++) {
			to += step[p];
			if (++at[p] < g->actions[p])
				break;
			to -= at[p] * step[p];
			at[p] = 0;
		}
	}
	return GPUBE_OK;
}

/* What a game of two players has, the row-major order too, is where a bimatrix game has it. */
static void move_two(struct nash_game *g, struct nash_players *two)
{
	g->m = two->actions[0];
	g->n = two->actions[1];
	for (int p = 0; p < 2; p++) {
		g->player[p] = two->name[p];
		g->labels[p] = two->labels[p];
		g->payoffs[p] = two->payoffs[p];
		two->name[p] = NULL;
		two->labels[p] = NULL;
		two->payoffs[p] = NULL;
	}
}

int nash__players_settle(
	struct nash_game *g, struct nash_players **players, struct nash_pile *pile, bool by_player)
{
	int status = sort_payoffs(*players, pile, by_player);

	if (!status && (*players)->n > 2) {
		g->players = *players;
		*players = NULL;
	} else if (!status) {
		move_two(g, *players);
	}
	return status;
}
