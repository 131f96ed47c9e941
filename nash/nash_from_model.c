/*
 * nash_from_model.c - a model of costs or potentials that has the form of a game, as one. See
 * nash.h.
 *
 * Weighed against that: a game that keeps a model instead of its own payoffs. It would be a second
 * form, not a first one, as payoffs may be 1/3 or pass 64 bits, which no model holds; and there is
 * little to copy: two tables, whose equilibria take much longer than they do.
 */
#include <string.h>

#include "gpube/ir/model.h"
#include "nash/bimatrix.h"

/* One function's cells, row-major over its scope: costs, or potentials. */
struct cells {
	int64_t *costs;
	double *potentials;
};

static int refuse(const struct gpube_model *m, const char *why)
{
	return gpube__fail(m->ctx, GPUBE_EINVAL, "no game of two players: %s", why);
}

static int check_form(const struct gpube_model *m)
{
	int binary = 0;

	if (gpube__check_kind(m, GPUBE__NETWORKS))
		return GPUBE_EINVAL;
	for (int32_t f = 0; f < m->n_functions; f++)
		binary += m->functions[f].arity == 2;
	if (m->n_vars != 2 || m->n_functions != 2 || binary != 2)
		return gpube__fail(m->ctx, GPUBE_EINVAL,
			"no game of two players: it has %d variable%s and %d function%s, a game "
			"has two of each, both functions over both variables",
			m->n_vars, m->n_vars == 1 ? "" : "s", m->n_functions,
			m->n_functions == 1 ? "" : "s");
	if (m->n_hidden)
		return refuse(m, "one of its variables is not in the file");
	if (m->evidence && (m->evidence[0] >= 0 || m->evidence[1] >= 0))
		return refuse(m, "one of its variables is observed");
	if (m->constant)
		return refuse(m, "a cost of no variables is no player's");
	return GPUBE_OK;
}

/* A cost is what a player loses, and gets where costs are maximised. */
static int put_cost(struct nash_game *g, const struct gpube_model *m, int player, int32_t i,
	int32_t j, int64_t cost)
{
	const bool gets = m->direction == GPUBE_MAXIMISE;
	int64_t unit = 1;
	struct nash_number *v = &g->payoffs[player][(int64_t)i * g->n + j];

	if (cost == GPUBE_INF || gpube__reaches_top(m, cost))
		return gpube__fail(m->ctx, GPUBE_EINVAL,
			"no game of two players: function %d forbids values %d and %d, and every "
			"pair of actions needs a payoff",
			player, i, j);
	for (int k = 0; k < m->scale; k++)
		unit *= 10;
	*v = (struct nash_number){gets ? cost : -cost, unit, NULL};
	nash__number_reduce(v);
	return GPUBE_OK;
}

/* A potential is what a player gets: the number that a file says, if it has at most 15 digits. */
static int put_potential(struct nash_game *g, int player, int32_t i, int32_t j, double potential)
{
	char text[GPUBE_REAL_TEXT];

	if (!gpube__real_text(text, potential))
		return GPUBE_ENOMEM;
	return nash__number_parse(
		g->ctx, &g->payoffs[player][(int64_t)i * g->n + j], text, strlen(text));
}

static int fill(struct nash_game *g, const struct gpube_model *m, int player, const struct cells *c)
{
	const bool rows_first = gpube__scope(m, player)[0] == 0;
	int status = GPUBE_OK;

	for (int32_t i = 0; i < g->m && !status; i++)
		for (int32_t j = 0; j < g->n && !status; j++) {
			const int64_t k =
				rows_first ? (int64_t)i * g->n + j : (int64_t)j * g->m + i;

			status = c->costs ? put_cost(g, m, player, i, j, c->costs[k])
					  : put_potential(g, player, i, j, c->potentials[k]);
		}
	return status;
}

static int fill_both(struct nash_game *g, const struct gpube_model *m)
{
	const uint64_t n = (uint64_t)g->m * (uint64_t)g->n;
	struct cells c = {0};
	int status = GPUBE_OK;

	if (m->kind == GPUBE_COSTS)
		c.costs = gpube__alloc(m->ctx, n, sizeof(*c.costs));
	else
		c.potentials = gpube__alloc(m->ctx, n, sizeof(*c.potentials));
	if (!c.costs && !c.potentials)
		return GPUBE_ENOMEM;
	for (int player = 0; player < 2 && !status; player++) {
		status = c.costs ? gpube_model_costs(c.costs, m, player)
				 : gpube_model_potentials(c.potentials, m, player);
		if (!status)
			status = gpube__stopped(m->ctx) ? gpube__fail_stopped(m->ctx)
							: fill(g, m, player, &c);
	}
	gpube__free(m->ctx, c.costs);
	gpube__free(m->ctx, c.potentials);
	return status;
}

static int copy_names(struct nash_game *g, const struct gpube_model *m, int player)
{
	const struct gpube_variable *v = &m->vars[player];

	if (v->name && !(g->player[player] = gpube__strdup(m->ctx, v->name)))
		return GPUBE_ENOMEM;
	if (!v->value_names)
		return GPUBE_OK;
	g->labels[player] =
		gpube__alloc_zero(m->ctx, (uint64_t)v->domain, sizeof(*g->labels[player]));
	if (!g->labels[player])
		return GPUBE_ENOMEM;
	for (int32_t a = 0; a < v->domain; a++)
		if (!(g->labels[player][a] = gpube__strdup(m->ctx, v->value_names[a])))
			return GPUBE_ENOMEM;
	return GPUBE_OK;
}

/*
 * What the payoffs and a function's cells take, before it is taken: a sparse table may claim any
 * size.
 */
static int check_room(const struct gpube_model *m)
{
	const int64_t cells = gpube__cells(m, 2, gpube__scope(m, 0));
	const int64_t each = 2 * (int64_t)sizeof(struct nash_number) + (int64_t)sizeof(int64_t);
	const int64_t bytes = gpube__mul_size(cells, each);

	if (cells >= 0 && bytes >= 0 && (uint64_t)bytes <= m->ctx->memory_bytes)
		return GPUBE_OK;
	return gpube__fail(m->ctx, GPUBE_ELIMIT,
		"a game of %d x %d actions passes the memory allowed", m->vars[0].domain,
		m->vars[1].domain);
}

int nash_from_model(struct nash_game **out, const struct gpube_model *m)
{
	int status;

	if (out)
		*out = NULL;
	if (!out || !m)
		return gpube__missing(m ? m->ctx : NULL);
	status = check_form(m);
	if (!status)
		status = check_room(m);
	if (!status)
		status = nash_game_new(out, m->ctx, m->vars[0].domain, m->vars[1].domain);
	for (int player = 0; player < 2 && !status; player++)
		status = copy_names(*out, m, player);
	if (!status)
		status = fill_both(*out, m);
	if (status) {
		nash_game_free(*out);
		*out = NULL;
	}
	return status;
}
