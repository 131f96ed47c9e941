/* pile.c - players and payoffs of games, as files have them. See game_reader.h. */
#include "formats/games/game_reader.h"

/* ---- piles ---------------------------------------------------------------- */

static int push(struct gpube_ctx *ctx, struct gpube_pile *pile, const struct gpube_rational *v)
{
	if (gpube__grow(ctx, &pile->v, &pile->capacity, pile->n + 1, sizeof(*pile->v))) {
		gpube__free(ctx, v->text);
		return GPUBE_ENOMEM;
	}
	pile->v[pile->n++] = *v;
	return GPUBE_OK;
}

int gpube__pile_push(struct gpube_ctx *ctx, struct gpube_pile *pile, const struct gpube_rational *v)
{
	struct gpube_rational own = *v;

	if (v->text && !(own.text = gpube__strdup(ctx, v->text)))
		return GPUBE_ENOMEM;
	return push(ctx, pile, &own);
}

int gpube__pile_number(struct gpube_in *in, struct gpube_pile *pile, const char *what)
{
	struct gpube_rational v;
	int status = gpube__scan_number(in, &v, what);

	return status ? status : push(in->ctx, pile, &v);
}

void gpube__pile_clear(struct gpube_ctx *ctx, struct gpube_pile *pile)
{
	for (int64_t k = 0; k < pile->n; k++)
		gpube__free(ctx, pile->v[k].text);
	gpube__free(ctx, pile->v);
	*pile = (struct gpube_pile){0};
}

/* ---- players -------------------------------------------------------------- */

int gpube__check_players(struct gpube_in *in, int64_t n)
{
	if (n >= 2 && n <= GPUBE__MOST_PLAYERS)
		return GPUBE_OK;
	return gpube__in_error(in, "%lld player%s: games of 2 to %d players are read", (long long)n,
		gpube__plural((double)n), GPUBE__MOST_PLAYERS);
}

int gpube__add_player(struct gpube_model *m, int32_t actions, const char *name, char **labels)
{
	int32_t player;
	int status = gpube__put_var(m, &player, actions, name);

	if (!status) {
		m->vars[player].value_names = labels;
		return GPUBE_OK;
	}
	for (int32_t a = 0; labels && a < actions; a++)
		gpube__free(m->ctx, labels[a]);
	gpube__free(m->ctx, labels);
	return status;
}

int64_t gpube__count_payoffs(const struct gpube_model *m, struct gpube_in *in)
{
	int64_t all = m->n_vars;

	for (int32_t p = 0; p < m->n_vars && all >= 0; p++)
		all = gpube__mul_size(all, m->vars[p].domain);
	if (all >= 0 && all <= INT64_MAX / (int64_t)sizeof(struct gpube_rational))
		return all;
	if (m->n_vars == 2)
		gpube__in_fail(in, GPUBE_ERANGE, "%d x %d payoffs are too many", m->vars[0].domain,
			m->vars[1].domain);
	else
		gpube__in_fail(in, GPUBE_ERANGE,
			"the payoffs of all profiles of %d players are too many", m->n_vars);
	return -1;
}

/* One player's out of all, row-major. */
static void sort_payoffs(struct gpube_rational *to, const struct gpube_model *m,
	const struct gpube_rational *from, int64_t each, bool row_major)
{
	int32_t at[GPUBE__MOST_PLAYERS] = {0};
	int64_t step[GPUBE__MOST_PLAYERS], n = 1, cell = 0;

	for (int32_t p = m->n_vars - 1; p >= 0; p--) {
		step[p] = n;
		n *= m->vars[p].domain;
	}
	for (int64_t k = 0; k < n; k++) {
		to[row_major ? k : cell] = from[k * each];
		for (int32_t p = 0; p < m->n_vars; p++) {
			cell += step[p];
			if (++at[p] < m->vars[p].domain)
				break;
			cell -= at[p] * step[p];
			at[p] = 0;
		}
	}
}

int gpube__settle_payoffs(
	struct gpube_model *m, const struct gpube_pile *pile, bool by_player, bool row_major)
{
	const int64_t n = pile->n / m->n_vars, each = by_player ? 1 : m->n_vars;
	struct gpube_rational *v = gpube__alloc(m->ctx, (uint64_t)n, sizeof(*v));
	int status = v ? GPUBE_OK : GPUBE_ENOMEM;

	for (int32_t p = 0; p < m->n_vars && !status; p++) {
		sort_payoffs(v, m, pile->v + (by_player ? p * n : p), each, row_major);
		status = gpube__add_payoffs(m, v);
	}
	gpube__free(m->ctx, v);
	return status;
}
