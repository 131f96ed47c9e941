/* bimatrix.c - a game's memory. See bimatrix.h. */
#include "nash/players.h"

static void free_payoffs(struct gpube_ctx *ctx, struct nash_number *v, int64_t n)
{
	if (!v)
		return;
	for (int64_t k = 0; k < n; k++)
		gpube__free(ctx, v[k].text);
	gpube__free(ctx, v);
}

void nash_game_free(struct nash_game *g)
{
	if (!g)
		return;
	gpube__free(g->ctx, g->title);
	for (int p = 0; p < 2; p++) {
		int32_t actions = p ? g->n : g->m;

		gpube__free(g->ctx, g->player[p]);
		for (int32_t k = 0; g->labels[p] && k < actions; k++)
			gpube__free(g->ctx, g->labels[p][k]);
		gpube__free(g->ctx, g->labels[p]);
		free_payoffs(g->ctx, g->payoffs[p], (int64_t)g->m * g->n);
	}
	nash__players_free(g->players);
	gpube__free(g->ctx, g);
}

int nash_game_new(struct nash_game **out, struct gpube_ctx *ctx, int32_t rows, int32_t columns)
{
	struct nash_game *g;
	int64_t cells = (int64_t)rows * columns;

	if (out)
		*out = NULL;
	if (!out || !ctx)
		return gpube__missing(ctx);
	if (rows < 1 || columns < 1)
		return gpube__fail(ctx, GPUBE_EINVAL, "a player needs at least one action");
	g = gpube__alloc_zero(ctx, 1, sizeof(*g));
	if (!g)
		return GPUBE_ENOMEM;
	g->ctx = ctx;
	g->m = rows;
	g->n = columns;
	for (int p = 0; p < 2; p++) {
		g->payoffs[p] = gpube__alloc_zero(ctx, (uint64_t)cells, sizeof(*g->payoffs[p]));
		if (!g->payoffs[p]) {
			nash_game_free(g);
			return GPUBE_ENOMEM;
		}
		for (int64_t k = 0; k < cells; k++)
			g->payoffs[p][k].den = 1;
	}
	*out = g;
	return GPUBE_OK;
}

int32_t nash_game_players(const struct nash_game *g)
{
	return !g ? 0 : g->players ? g->players->n : 2;
}

int32_t nash_game_actions(const struct nash_game *g, int player)
{
	if (player < 1 || player > nash_game_players(g))
		return 0;
	return g->players ? g->players->actions[player - 1] : player == 1 ? g->m : g->n;
}

int32_t nash_game_rows(const struct nash_game *g)
{
	return g ? g->m : 0;
}

int32_t nash_game_columns(const struct nash_game *g)
{
	return g ? g->n : 0;
}

const char *nash_game_label(const struct nash_game *g, int player, int32_t action)
{
	char *const *labels;

	if (action < 0 || action >= nash_game_actions(g, player))
		return NULL;
	labels = g->players ? g->players->labels[player - 1] : g->labels[player - 1];
	return labels ? labels[action] : NULL;
}

int nash_game_set(
	struct nash_game *g, int player, int32_t row, int32_t column, int64_t num, int64_t den)
{
	struct nash_number *v;

	if (!g)
		return gpube__missing(NULL);
	if (player < 1 || player > 2 || row < 0 || row >= g->m || column < 0 || column >= g->n ||
		den < 1)
		return gpube__fail(g->ctx, GPUBE_EINVAL, "no such payoff");
	v = &g->payoffs[player - 1][(int64_t)row * g->n + column];
	gpube__free(g->ctx, v->text);
	*v = (struct nash_number){num, den, NULL};
	return GPUBE_OK;
}

int nash_game_get(int64_t *num, int64_t *den, const struct nash_game *g, int player, int32_t row,
	int32_t column)
{
	const int32_t profile[] = {row, column};

	if (g && g->players)
		return gpube__fail(g->ctx, GPUBE_EINVAL, "a game of more than two players");
	return nash_game_payoff(num, den, g, player, profile);
}

int nash_game_payoff(
	int64_t *num, int64_t *den, const struct nash_game *g, int player, const int32_t *profile)
{
	const struct nash_number *v;
	int64_t at = 0;
	uint64_t a, b;

	if (!g || !num || !den || !profile)
		return gpube__missing(g ? g->ctx : NULL);
	if (player < 1 || player > nash_game_players(g))
		return gpube__fail(g->ctx, GPUBE_EINVAL, "no such player");
	for (int32_t p = 0; p < nash_game_players(g); p++) {
		const int32_t n = nash_game_actions(g, p + 1);

		if (profile[p] < 0 || profile[p] >= n)
			return gpube__fail(g->ctx, GPUBE_EINVAL, "no such payoff");
		at = at * n + profile[p];
	}
	v = g->players ? &g->players->payoffs[player - 1][at] : &g->payoffs[player - 1][at];
	if (!v->den)
		return gpube__fail(g->ctx, GPUBE_ERANGE, "a payoff passes 64 bits");
	/* what nash_game_set() was given need not be in lowest terms */
	a = v->num < 0 ? 0 - (uint64_t)v->num : (uint64_t)v->num;
	b = (uint64_t)v->den;
	while (a) {
		const uint64_t rest = b % a;

		b = a;
		a = rest;
	}
	*num = v->num / (int64_t)b;
	*den = v->den / (int64_t)b;
	return GPUBE_OK;
}

/* ---- piles ---------------------------------------------------------------- */

int nash__pile_push(struct gpube_ctx *ctx, struct nash_pile *pile, const struct nash_number *v)
{
	if (gpube__grow(ctx, &pile->v, &pile->capacity, pile->n + 1, sizeof(*pile->v)))
		return GPUBE_ENOMEM;
	pile->v[pile->n++] = *v;
	return GPUBE_OK;
}

int nash__pile_number(struct gpube_in *in, struct nash_pile *pile, const char *what)
{
	struct nash_number v;
	int status = nash__scan_number(in, &v, what);

	if (status)
		return status;
	status = nash__pile_push(in->ctx, pile, &v);
	if (status)
		gpube__free(in->ctx, v.text);
	return status;
}

void nash__pile_clear(struct gpube_ctx *ctx, struct nash_pile *pile)
{
	free_payoffs(ctx, pile->v, pile->n);
	*pile = (struct nash_pile){0};
}

int nash__pile_move(struct nash_game *g, struct nash_pile *pile,
	int64_t (*place)(const struct nash_game *g, int p, int64_t i, int64_t j))
{
	int64_t cells = (int64_t)g->m * g->n;

	for (int p = 0; p < 2; p++) {
		g->payoffs[p] = gpube__alloc_zero(g->ctx, (uint64_t)cells, sizeof(*g->payoffs[p]));
		if (!g->payoffs[p])
			return GPUBE_ENOMEM;
		for (int64_t i = 0; i < g->m; i++)
			for (int64_t j = 0; j < g->n; j++) {
				struct nash_number *v = &pile->v[place(g, p, i, j)];

				g->payoffs[p][i * g->n + j] = *v;
				v->text = NULL;
			}
	}
	return GPUBE_OK;
}

int64_t nash__payoffs(struct gpube_in *in, int64_t m, int64_t n)
{
	int64_t cells = gpube__mul_size(2 * m, n);

	if (cells < 0 || cells > INT64_MAX / (int64_t)sizeof(struct nash_number)) {
		gpube__in_fail(in, GPUBE_ERANGE, "%lld x %lld payoffs are too many", (long long)m,
			(long long)n);
		return -1;
	}
	return cells;
}
