/* payoffs.c - reading games. See payoffs.h. */
#include "gpube/ir/payoffs.h"

#include <pthread.h>

#include "gpube/ir/games/action_graph.h"
#include "gpube/ir/games/game_tree.h"

/* One thread makes the payoffs of a tree or a graph at a time. */
static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

/* Payoffs are made in the model that has the tree or graph; a view of it has them then, too. */
static int make_payoffs(const struct gpube_model *m)
{
	struct gpube_model *const whole = m->tree ? m->tree->model : m->graph->model;
	int status = GPUBE_OK;

	pthread_mutex_lock(&making);
	if (!whole->n_functions)
		status = m->tree ? gpube__game_tree_normal(m->tree)
				 : gpube__action_graph_normal(m->graph);
	if (m != whole && !m->n_functions && !status) {
		struct gpube_model *view = (struct gpube_model *)m;
		struct gpube_ctx *ctx = m->ctx;

		*view = *whole;
		view->ctx = ctx;
	} else if (m->ctx != whole->ctx && status) {
		gpube__fail(m->ctx, status, "%s", gpube_error(whole->ctx));
	}
	pthread_mutex_unlock(&making);
	return status;
}

int gpube__check_game(const struct gpube_model *m)
{
	if (gpube__check_kind(m, GPUBE__OF(GPUBE_GAME)))
		return GPUBE_EINVAL;
	if (m->tree || m->graph) {
		int status = make_payoffs(m);

		if (status)
			return status;
	}
	for (int32_t p = 0; p < m->n_vars; p++)
		if (p >= m->n_functions || m->functions[p].arity != m->n_vars)
			return gpube__fail(m->ctx, GPUBE_EINVAL,
				"player %d has no payoffs over all players", p + 1);
	return m->n_vars ? GPUBE_OK : gpube__fail(m->ctx, GPUBE_EINVAL, "a game of no players");
}

int64_t gpube__profiles(const struct gpube_model *m)
{
	return gpube__table(m, 0)->n;
}

int64_t gpube__profile_step(const struct gpube_model *m, int32_t player)
{
	int64_t step = 1;

	for (int32_t p = player + 1; p < m->n_vars; p++)
		step *= m->vars[p].domain;
	return step;
}

int gpube__check_payoffs(const struct gpube_model *m, const char *what)
{
	for (int32_t p = 0; p < m->n_vars; p++) {
		const struct gpube_table *t = gpube__table(m, p);
		const struct gpube_rational *v = t->values;

		for (int64_t k = 0; t->type == GPUBE_RATIONAL && !t->den && k < t->n; k++)
			if (v[k].text)
				return gpube__fail(
					m->ctx, GPUBE_ERANGE, "a payoff passes 64 bits: %s", what);
	}
	return GPUBE_OK;
}

int gpube__payoff_compare(const struct gpube_table *t, int64_t a, int64_t b)
{
	const struct gpube_rational *v = t->values;
	int64_t x, y;

	if (t->type == GPUBE_RATIONAL && !t->den)
		return gpube__rational_compare(&v[a], &v[b]);
	x = gpube__table_int(t, a);
	y = gpube__table_int(t, b);
	return (x > y) - (x < y);
}

int gpube__game_lines(const struct gpube_model *m, int32_t player,
	int (*each)(void *arg, const struct gpube_model *m, const struct gpube_line *line),
	void *arg)
{
	const struct gpube_table *t = gpube__table(m, player);
	const int64_t step = gpube__profile_step(m, player);
	struct gpube_line line = {.player = player, .n = m->vars[player].domain, .step = step};
	int status = GPUBE_OK;

	for (int64_t from = 0; from < t->n && !status; from += step * line.n) {
		if (gpube__stopped(m->ctx))
			return gpube__fail_stopped(m->ctx);
		for (line.first = from; line.first < from + step && !status; line.first++) {
			line.best = line.first;
			for (int32_t a = 1; a < line.n; a++)
				if (gpube__payoff_compare(t, line.first + a * step, line.best) > 0)
					line.best = line.first + a * step;
			status = each(arg, m, &line);
		}
	}
	return status;
}

int gpube_model_payoff(int64_t *num, int64_t *den, const struct gpube_model *m, int32_t player,
	const int32_t *profile)
{
	struct gpube_rational v;
	int64_t at = 0;
	int status;

	if (!num || !den || !m || !profile)
		return gpube__missing(m ? m->ctx : NULL);
	status = gpube__check_game(m);
	if (!status && (player < 0 || player >= m->n_vars))
		status = gpube__fail(m->ctx, GPUBE_EINVAL, "player %d of %d", player, m->n_vars);
	if (!status)
		status = gpube__check_values(m, profile);
	if (status)
		return status;
	for (int32_t p = 0; p < m->n_vars; p++)
		at = at * m->vars[p].domain + profile[p];
	v = gpube__table_rational(gpube__table(m, player), at);
	if (!v.den)
		return gpube__fail(m->ctx, GPUBE_ERANGE, "a payoff passes 64 bits");
	*num = v.num;
	*den = v.den;
	return GPUBE_OK;
}
