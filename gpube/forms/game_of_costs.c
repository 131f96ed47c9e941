/* game_of_costs.c - costs or potentials that have the form of a game, as one. See forms.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpube/forms/model_as.h"
#include "gpube/ir/payoffs.h"

/*
 * One function's cells, row-major over its scope, and the payoffs that they become.
 * responses  the functions allow best responses and forbid the rest: payoffs 0 and -1
 */
struct cells {
	int64_t *costs;
	double *potentials;
	struct gpube_rational *v;
	bool responses;
};

static int refuse(const struct gpube_model *m, const char *why)
{
	return gpube__fail(m->ctx, GPUBE_EINVAL, "no game: %s", why);
}

static int check_form(const struct gpube_model *m)
{
	int wide = 0;

	if (gpube__check_kind(m, GPUBE__NETWORKS))
		return GPUBE_EINVAL;
	for (int32_t f = 0; f < m->n_functions; f++)
		wide += m->functions[f].arity == m->n_vars;
	if (m->n_vars < 2 || m->n_functions != m->n_vars || wide != m->n_vars)
		return gpube__fail(m->ctx, GPUBE_EINVAL,
			"no game: it has %d variable%s and %d function%s, a game has two players "
			"at least, and a function over all of them for each",
			m->n_vars, gpube__plural(m->n_vars), m->n_functions,
			gpube__plural(m->n_functions));
	if (m->n_hidden)
		return refuse(m, "one of its variables is not in the file");
	for (int32_t i = 0; m->evidence && i < m->n_vars; i++)
		if (m->evidence[i] >= 0)
			return refuse(m, "one of its variables is observed");
	if (m->constant)
		return refuse(m, "a cost of no variables is no player's");
	return GPUBE_OK;
}

/* "values 1, 0 and 2" of the variables, in their order. */
static int fail_forbidden(const struct gpube_model *m, int32_t function, const int32_t *at)
{
	char text[400];
	size_t n = 0;

	for (int32_t k = 0; k < m->n_vars && n < sizeof(text) - 32; k++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%d",
			!k                  ? ""
			: k < m->n_vars - 1 ? ", "
					    : " and ",
			at[k]);
	return gpube__fail(m->ctx, GPUBE_EINVAL,
		"no game: function %d forbids values %s, and all that the players may do needs a "
		"payoff",
		function, text);
}

/* A cost is what a player loses, and gets where costs are maximised. */
static void put_cost(struct gpube_rational *to, const struct gpube_model *m, int64_t cost)
{
	int64_t unit = 1;

	for (int k = 0; k < m->scale; k++)
		unit *= 10;
	*to = gpube__rational(m->direction == GPUBE_MAXIMISE ? cost : -cost, unit);
}

/* A potential is what a player gets: the number that a file says, if it has at most 15 digits. */
static int put_potential(struct gpube_rational *to, struct gpube_ctx *ctx, double potential)
{
	char text[32];

	for (int digits = 15; digits <= 17; digits++) {
		snprintf(text, sizeof(text), "%.*g", digits, potential);
		if (strtod(text, NULL) == potential)
			break;
	}
	for (char *c = text; *c; c++) /* whatever the locale's point is */
		if (*c == ',')
			*c = '.';
	return gpube__rational_parse(ctx, to, text, strlen(text));
}

/* Walks the cells in the order of the scope; 'at', by variable, is zero before and after. */
static int fill(struct cells *c, const struct gpube_model *m, int32_t function, int32_t *at,
	const int64_t *steps, int64_t n)
{
	const int32_t *scope = gpube__scope(m, function);
	int64_t to = 0;
	int status = GPUBE_OK;

	for (int64_t k = 0; k < n && !status; k++) {
		if (c->responses)
			c->v[to] = gpube__rational(c->costs[k] ? -1 : 0, 1);
		else if (c->potentials)
			status = put_potential(&c->v[to], m->ctx, c->potentials[k]);
		else if (c->costs[k] == GPUBE_INF || gpube__reaches_top(m, c->costs[k]))
			return fail_forbidden(m, function, at);
		else
			put_cost(&c->v[to], m, c->costs[k]);
		for (int32_t i = m->n_vars - 1; i >= 0; i--) {
			to += steps[scope[i]];
			if (++at[scope[i]] < m->vars[scope[i]].domain)
				break;
			to -= at[scope[i]] * steps[scope[i]];
			at[scope[i]] = 0;
		}
	}
	return status;
}

static void clear_texts(struct cells *c, struct gpube_ctx *ctx, int64_t n)
{
	for (int64_t k = 0; k < n; k++)
		gpube__free(ctx, c->v[k].text);
	memset(c->v, 0, (size_t)n * sizeof(*c->v));
}

/* Whether all that is allowed costs nothing, and something is forbidden. */
static int find_responses(struct cells *c, const struct gpube_model *m, int64_t n)
{
	bool free = c->costs, forbids = false;
	int status = GPUBE_OK;

	for (int32_t p = 0; p < m->n_vars && free && !status; p++) {
		status = gpube_model_costs(c->costs, m, p);
		for (int64_t k = 0; k < n && free && !status; k++) {
			free = c->costs[k] == 0 || c->costs[k] == GPUBE_INF;
			forbids |= c->costs[k] != 0;
		}
	}
	c->responses = free && forbids && !gpube__reaches_top(m, 0);
	return status;
}

/* Whatever the others do, a player has a best response. */
static int check_response(void *arg, const struct gpube_model *game, const struct gpube_line *line)
{
	int32_t *at = arg;

	if (gpube__table_int(gpube__table(game, line->player), line->best) == 0)
		return GPUBE_OK;
	for (int32_t p = 0; p < game->n_vars; p++)
		at[p] = gpube__action_of(game, line->first, p);
	return fail_forbidden(game, line->player, at);
}

static int fill_all(struct gpube_model *game, const struct gpube_model *m, int64_t n)
{
	const uint64_t n_vars = (uint64_t)m->n_vars;
	struct cells c = {.v = gpube__alloc_zero(m->ctx, (uint64_t)n, sizeof(*c.v))};
	int32_t *at = gpube__alloc_zero(m->ctx, n_vars, sizeof(*at));
	int64_t *steps = gpube__alloc(m->ctx, n_vars, sizeof(*steps));
	int status = GPUBE_OK;

	if (m->kind == GPUBE_COSTS)
		c.costs = gpube__alloc(m->ctx, (uint64_t)n, sizeof(*c.costs));
	else
		c.potentials = gpube__alloc(m->ctx, (uint64_t)n, sizeof(*c.potentials));
	if (!c.v || !at || !steps || (!c.costs && !c.potentials))
		status = GPUBE_ENOMEM;
	for (int32_t p = 0; p < m->n_vars && !status; p++)
		steps[p] = gpube__profile_step(m, p);
	if (!status)
		status = find_responses(&c, m, n);
	for (int32_t p = 0; p < m->n_vars && !status; p++) {
		status = c.costs ? gpube_model_costs(c.costs, m, p)
				 : gpube_model_potentials(c.potentials, m, p);
		if (!status)
			status = gpube__stopped(m->ctx) ? gpube__fail_stopped(m->ctx)
							: fill(&c, m, p, at, steps, n);
		if (!status)
			status = gpube__add_payoffs(game, c.v);
		clear_texts(&c, m->ctx, n);
	}
	for (int32_t p = 0; p < m->n_vars && !status && c.responses; p++)
		status = gpube__game_lines(game, p, check_response, at);
	GPUBE_FREE_ALL(m->ctx, c.costs, c.potentials, c.v, at, steps);
	return status;
}

/*
 * What the payoffs and a function's cells take, before it is taken: a sparse table may claim any
 * size.
 */
static int check_room(const struct gpube_model *m, int64_t *cells)
{
	const int64_t each = 8 * (int64_t)m->n_vars + (int64_t)sizeof(struct gpube_rational) + 8;
	int64_t bytes;

	*cells = gpube__cells(m, m->n_vars, gpube__scope(m, 0));
	bytes = gpube__mul_size(*cells, each);
	if (*cells >= 0 && bytes >= 0 && (uint64_t)bytes <= m->ctx->memory_bytes)
		return GPUBE_OK;
	return gpube__fail(m->ctx, GPUBE_ELIMIT,
		"the payoffs of all profiles of %d players pass the memory allowed", m->n_vars);
}

int gpube__game_of_costs(struct gpube_model **out, const struct gpube_model *m)
{
	int64_t cells;
	int status = check_form(m);

	*out = NULL;
	if (!status)
		status = check_room(m, &cells);
	if (!status)
		status = gpube_model_new(out, m->ctx, GPUBE_GAME);
	for (int32_t p = 0; p < m->n_vars && !status; p++)
		status = gpube__copy_var(*out, &m->vars[p], NULL);
	if (!status)
		status = fill_all(*out, m, cells);
	return gpube__model_made(out, status);
}
