/* pure.c - pure equilibria of games of any number of players. See nash.h. */
#include "nash/pure.h"

/* Takes the profiles out in which the player would gain. */
static int keep_best(void *arg, const struct gpube_model *m, const struct gpube_line *line)
{
	const struct gpube_table *t = gpube__table(m, line->player);
	uint8_t *kept = arg;

	for (int64_t k = line->first; k < line->first + line->n * line->step; k += line->step)
		if (gpube__payoff_compare(t, k, line->best) < 0)
			kept[k] = 0;
	return GPUBE_OK;
}

int nash__pure_profiles(int64_t **profiles, int64_t *n, const struct gpube_model *m)
{
	const int64_t all = gpube__profiles(m);
	int64_t capacity = 0;
	uint8_t *kept;
	int status = gpube__check_payoffs(m, "a comparison of all needs smaller ones");

	*profiles = NULL;
	*n = 0;
	if (status)
		return status;
	kept = gpube__alloc(m->ctx, (uint64_t)all, 1);
	if (!kept)
		return GPUBE_ENOMEM;
	for (int64_t k = 0; k < all; k++)
		kept[k] = 1;
	for (int32_t p = 0; p < m->n_vars && !status; p++)
		status = gpube__game_lines(m, p, keep_best, kept);
	for (int64_t k = 0; k < all && !status; k++)
		if (kept[k]) {
			status = gpube__grow(
				m->ctx, profiles, &capacity, *n + 1, sizeof(**profiles));
			if (!status)
				(*profiles)[(*n)++] = k;
		}
	gpube__free(m->ctx, kept);
	if (status) {
		gpube__free(m->ctx, *profiles);
		*profiles = NULL;
	}
	return status;
}

static void clear_pure(struct gpube_ctx *ctx, void *result)
{
	struct gpube_nash_pure *p = result;

	gpube__free(ctx, p->actions);
}

int gpube_nash_pure(struct gpube_nash_pure **out, const struct gpube_model *game)
{
	struct gpube_nash_pure *r;
	int64_t *profiles, n;
	int status;

	if (out)
		*out = NULL;
	if (!out || !game)
		return gpube__missing(game ? game->ctx : NULL);
	status = gpube__check_game(game);
	if (!status)
		status = nash__pure_profiles(&profiles, &n, game);
	if (status)
		return status;
	r = gpube__result_new(game->ctx, sizeof(*r), clear_pure);
	if (r)
		r->actions = gpube__alloc(
			game->ctx, (uint64_t)n * (uint64_t)game->n_vars + 1, sizeof(*r->actions));
	if (r && r->actions) {
		r->n = n;
		r->n_players = game->n_vars;
		for (int64_t k = 0; k < n; k++)
			for (int32_t p = 0; p < game->n_vars; p++)
				r->actions[k * game->n_vars + p] =
					gpube__action_of(game, profiles[k], p);
		*out = r;
	} else {
		gpube_result_free(r);
		status = GPUBE_ENOMEM;
	}
	gpube__free(game->ctx, profiles);
	return status;
}
