/* players.c - games of any number of players: their memory, and pure equilibria. See players.h. */
#include "nash/players.h"

int nash__players_new(struct nash_players **out, struct gpube_ctx *ctx, int32_t n)
{
	struct nash_players *g = gpube__alloc_zero(ctx, 1, sizeof(*g));

	*out = g;
	if (!g)
		return GPUBE_ENOMEM;
	g->ctx = ctx;
	g->n = n;
	g->actions = gpube__alloc_zero(ctx, (uint64_t)n, sizeof(*g->actions));
	g->name = gpube__alloc_zero(ctx, (uint64_t)n, sizeof(*g->name));
	g->labels = gpube__alloc_zero(ctx, (uint64_t)n, sizeof(*g->labels));
	g->payoffs = gpube__alloc_zero(ctx, (uint64_t)n, sizeof(*g->payoffs));
	if (g->actions && g->name && g->labels && g->payoffs)
		return GPUBE_OK;
	nash__players_free(g);
	*out = NULL;
	return GPUBE_ENOMEM;
}

void nash__players_free(struct nash_players *g)
{
	if (!g)
		return;
	for (int32_t p = 0; p < g->n; p++) {
		if (g->name)
			gpube__free(g->ctx, g->name[p]);
		for (int32_t a = 0; g->labels && g->labels[p] && a < g->actions[p]; a++)
			gpube__free(g->ctx, g->labels[p][a]);
		if (g->labels)
			gpube__free(g->ctx, g->labels[p]);
		for (int64_t k = 0; g->payoffs && g->payoffs[p] && k < g->n_profiles; k++)
			gpube__free(g->ctx, g->payoffs[p][k].text);
		if (g->payoffs)
			gpube__free(g->ctx, g->payoffs[p]);
	}
	gpube__free(g->ctx, g->actions);
	gpube__free(g->ctx, g->name);
	gpube__free(g->ctx, g->labels);
	gpube__free(g->ctx, g->payoffs);
	gpube__free(g->ctx, g);
}

int64_t nash__players_step(const struct nash_players *g, int32_t player)
{
	int64_t step = 1;

	for (int32_t p = player + 1; p < g->n; p++)
		step *= g->actions[p];
	return step;
}

const struct nash_players *nash__players_of(
	const struct nash_game *g, struct nash_players *two, int32_t actions[2])
{
	if (g->players)
		return g->players;
	actions[0] = g->m;
	actions[1] = g->n;
	*two = (struct nash_players){g->ctx, 2, actions, (char **)g->player, (char ***)g->labels,
		(int64_t)g->m * g->n, (struct nash_number **)g->payoffs};
	return two;
}

int nash__players_check(const struct nash_players *g, const char *what)
{
	for (int32_t p = 0; p < g->n; p++)
		for (int64_t k = 0; k < g->n_profiles; k++)
			if (g->payoffs[p][k].text)
				return gpube__fail(
					g->ctx, GPUBE_ERANGE, "a payoff passes 64 bits: %s", what);
	return GPUBE_OK;
}

int nash__number_compare(const struct nash_number *a, const struct nash_number *b)
{
	/* products of 64 bits fit 128 */
	const __int128 left = (__int128)a->num * b->den, right = (__int128)b->num * a->den;

	return (left > right) - (left < right);
}

static void find_best(struct nash_line *line, const struct nash_number *payoffs)
{
	line->best = &payoffs[line->first];
	for (int32_t a = 1; a < line->n; a++)
		if (nash__number_compare(&payoffs[line->first + a * line->step], line->best) > 0)
			line->best = &payoffs[line->first + a * line->step];
}

int nash__players_lines(const struct nash_players *g, int32_t player,
	int (*each)(void *arg, const struct nash_players *g, const struct nash_line *line),
	void *arg)
{
	const int64_t step = nash__players_step(g, player), block = step * g->actions[player];
	struct nash_line line = {.player = player, .n = g->actions[player], .step = step};
	int status = GPUBE_OK;

	for (int64_t from = 0; from < g->n_profiles && !status; from += block) {
		if (gpube__stopped(g->ctx))
			return gpube__fail_stopped(g->ctx);
		for (line.first = from; line.first < from + step && !status; line.first++) {
			find_best(&line, g->payoffs[player]);
			status = each(arg, g, &line);
		}
	}
	return status;
}

/* Takes the profiles out in which the player would gain. */
static int keep_best(void *arg, const struct nash_players *g, const struct nash_line *line)
{
	uint8_t *kept = arg;

	for (int64_t k = line->first; k < line->first + line->n * line->step; k += line->step)
		if (nash__number_compare(&g->payoffs[line->player][k], line->best) < 0)
			kept[k] = 0;
	return GPUBE_OK;
}

int nash__players_pure(int64_t **profiles, int64_t *n, const struct nash_players *g)
{
	int64_t capacity = 0;
	uint8_t *kept;
	int status = nash__players_check(g, "a comparison of all needs smaller ones");

	*profiles = NULL;
	*n = 0;
	if (status)
		return status;
	kept = gpube__alloc(g->ctx, (uint64_t)g->n_profiles, 1);
	if (!kept)
		return GPUBE_ENOMEM;
	for (int64_t k = 0; k < g->n_profiles; k++)
		kept[k] = 1;
	for (int32_t p = 0; p < g->n && !status; p++)
		status = nash__players_lines(g, p, keep_best, kept);
	for (int64_t k = 0; k < g->n_profiles && !status; k++)
		if (kept[k]) {
			status = gpube__grow(
				g->ctx, profiles, &capacity, *n + 1, sizeof(**profiles));
			if (!status)
				(*profiles)[(*n)++] = k;
		}
	gpube__free(g->ctx, kept);
	if (status) {
		gpube__free(g->ctx, *profiles);
		*profiles = NULL;
	}
	return status;
}

int nash_pure(struct nash_pure **out, const struct nash_game *g)
{
	const struct nash_players *players;
	struct nash_players two;
	struct nash_pure *r = NULL;
	int32_t actions[2];
	int64_t *profiles, n;
	int status;

	if (out)
		*out = NULL;
	if (!out || !g)
		return gpube__missing(g ? g->ctx : NULL);
	players = nash__players_of(g, &two, actions);
	status = nash__players_pure(&profiles, &n, players);
	if (status)
		return status;
	r = gpube__alloc_zero(g->ctx, 1, sizeof(*r));
	if (r)
		r->actions = gpube__alloc(
			g->ctx, (uint64_t)n * (uint64_t)players->n + 1, sizeof(*r->actions));
	if (r && r->actions) {
		r->n = n;
		r->n_players = players->n;
		for (int64_t k = 0; k < n; k++) {
			int64_t rest = profiles[k];

			for (int32_t p = players->n - 1; p >= 0; p--) {
				r->actions[k * players->n + p] =
					(int32_t)(rest % players->actions[p]);
				rest /= players->actions[p];
			}
		}
		*out = r;
	} else {
		nash_pure_free(r, g->ctx);
		status = GPUBE_ENOMEM;
	}
	gpube__free(g->ctx, profiles);
	return status;
}

void nash_pure_free(struct nash_pure *p, struct gpube_ctx *ctx)
{
	if (!p || !ctx)
		return;
	gpube__free(ctx, p->actions);
	gpube__free(ctx, p);
}
