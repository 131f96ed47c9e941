/*
 * coalitions_of_costs.c - a model of one function over all its variables, of two values each, as a
 * coalition game; structures_of_costs.c has the other forms. See gpube/forms.h. The table is
 * copied: a scope's first variable varies slowest and agent 1 is the lowest bit, costs are mostly
 * minimised, and what is forbidden is marked otherwise.
 */
#include <string.h>

#include "gpube/forms/model_as.h"

#include "gpube/forms/form.h"
#include "gpube/ir/coalition_table.h"

/*
 * table  of the function
 * empty  what the cell of no agent says, which stands for 0
 * most, least  of the values; type: of the game's
 */
struct reading {
	const struct gpube_model *m;
	const struct gpube_table *table;
	bool gets; /* what is large is good */
	int64_t empty, most, least;
	enum gpube_type type;
	uint64_t bit[GPUBE_MAX_AGENTS]; /* of the agent that is variable k of the scope */
};

static int check_form(const struct gpube_model *m)
{
	bool two = true;

	if (gpube__check_kind(m, GPUBE__NETWORKS))
		return GPUBE_EINVAL;
	for (int32_t k = 0; k < m->n_vars; k++)
		two = two && m->vars[k].domain == 2;
	if (m->n_vars < 1 || m->n_functions != 1 || m->functions[0].arity != m->n_vars || !two)
		return gpube__fail(m->ctx, GPUBE_EINVAL,
			"no coalition game: it has %d variable%s and %d function%s, a game "
			"has one function, over all its variables, each of two values",
			m->n_vars, gpube__plural(m->n_vars), m->n_functions,
			gpube__plural(m->n_functions));
	if (m->n_vars > GPUBE_MAX_AGENTS)
		return gpube__fail(m->ctx, GPUBE_EINVAL,
			"no coalition game: %d agents are more than %d", m->n_vars,
			GPUBE_MAX_AGENTS);
	for (int32_t k = 0; k < m->n_vars; k++)
		if (m->vars[k].hidden || (m->evidence && m->evidence[k] >= 0))
			return gpube__fail(m->ctx, GPUBE_EINVAL,
				"no coalition game: variable %d is %s", k,
				m->vars[k].hidden ? "not in the file" : "observed");
	return m->constant == 0 ? GPUBE_OK
				: gpube__fail(m->ctx, GPUBE_EINVAL,
					  "no coalition game: a cost of no variables is no "
					  "coalition's");
}

/* ---- values ------------------------------------------------------------------------------- */

static bool is_forbidden(const struct gpube_model *m, int64_t cost)
{
	return cost == GPUBE_INF || gpube__reaches_top(m, cost);
}

/* A cost as a value, INT64_MIN if it is forbidden. */
static int value_of(int64_t *value, const struct reading *r, int64_t cost)
{
	*value = INT64_MIN;
	if (is_forbidden(r->m, cost))
		return GPUBE_OK;
	if (r->gets ? __builtin_sub_overflow(cost, r->empty, value)
		    : __builtin_sub_overflow(r->empty, cost, value))
		*value = INT64_MIN;
	return *value == INT64_MIN
		       ? gpube__fail(r->m->ctx, GPUBE_ERANGE, "a coalition's value passes 64 bits")
		       : GPUBE_OK;
}

/* Number k of what the table holds; of one that is sparse, -1 is the default. */
static int value_at(int64_t *value, const struct reading *r, int64_t k)
{
	const struct gpube_table *t = r->table;
	const bool is_int = gpube__type_is_int(t->type);

	if (is_int)
		return value_of(value, r, k < 0 ? t->dflt.i : gpube__table_int(t, k));
	*value = gpube__coalition_from(r->type, k < 0 ? t->dflt.f : gpube__table_real(t, k));
	return GPUBE_OK;
}

/* Where the cell of no agent is, the first of all; -1: a default has it. */
static int64_t place_of_none(const struct gpube_table *t)
{
	bool first = !t->sparse || t->n > 0;

	for (int i = 0; i < t->arity && t->sparse && first; i++)
		first = t->tuples[i] == 0;
	return first ? 0 : -1;
}

/*
 * What it says: 0 if it is forbidden. Of potentials it has to be 0, as differences would be
 * rounded.
 */
static int find_empty(struct reading *r)
{
	const struct gpube_table *t = r->table;
	const int64_t k = place_of_none(t);

	if (gpube__type_is_int(t->type)) {
		const int64_t cost = k < 0 ? t->dflt.i : gpube__table_int(t, k);

		r->empty = is_forbidden(r->m, cost) ? 0 : cost;
		return GPUBE_OK;
	}
	return (k < 0 ? t->dflt.f : gpube__table_real(t, k)) == 0
		       ? GPUBE_OK
		       : gpube__fail(r->m->ctx, GPUBE_EINVAL,
				 "no coalition game: the potential of no agent is not 0");
}

/* What values there are: all that the table holds. */
static int find_range(struct reading *r)
{
	int status = GPUBE_OK;

	for (int64_t k = r->table->sparse ? -1 : 0; k < r->table->n && !status; k++) {
		int64_t value;

		if (k % 65536 == 0 && gpube__stopped(r->m->ctx))
			return gpube__fail_stopped(r->m->ctx);
		status = value_of(
			&value, r, k < 0 ? r->table->dflt.i : gpube__table_int(r->table, k));
		if (status || value == INT64_MIN)
			continue;
		r->most = value > r->most ? value : r->most;
		r->least = value < r->least ? value : r->least;
	}
	return status;
}

/* The narrowest type that has the values beside its least number, which is what is forbidden. */
static int choose_type(struct reading *r)
{
	int status = GPUBE_OK;

	if (!gpube__type_is_int(r->table->type)) {
		r->type = r->table->type;
		return GPUBE_OK;
	}
	status = find_range(r);
	r->type = gpube__value_type(r->least, r->most);
	return status;
}

/* ---- games ---------------------------------------------------------------------------------- */

static int fill_table(const struct reading *r, struct gpube_table *t)
{
	const int n = t->arity;
	/* the agents that are the last k + 1 variables of the scope */
	uint64_t flip[GPUBE_MAX_AGENTS];
	uint64_t coalition = 0;
	int64_t value;
	int status = GPUBE_OK;

	for (int k = 0; k < n; k++)
		flip[k] = r->bit[n - 1 - k] | (k ? flip[k - 1] : 0);
	gpube__coalition_put(t->type, t->values, 0, 0); /* no agent is worth 0 */
	for (int64_t k = 1; k < r->table->n && !status; k++) {
		if (k % 65536 == 0 && gpube__stopped(r->m->ctx))
			return gpube__fail_stopped(r->m->ctx);
		coalition ^= flip[__builtin_ctzll((uint64_t)k)];
		status = value_at(&value, r, k);
		if (!status)
			gpube__coalition_put(t->type, t->values, (int64_t)coalition, value);
	}
	return status;
}

static int fill_list(const struct reading *r, struct gpube__listing *l)
{
	int status = value_at(&l->other, r, -1);

	for (int64_t k = 0; k < r->table->n && !status; k++) {
		const int32_t *tuple = r->table->tuples + k * l->n_agents;
		uint64_t coalition = 0;
		int64_t value;

		if (k % 65536 == 0 && gpube__stopped(r->m->ctx))
			return gpube__fail_stopped(r->m->ctx);
		for (int i = 0; i < l->n_agents; i++)
			coalition |= tuple[i] ? r->bit[i] : 0;
		status = value_at(&value, r, k);
		if (!status && coalition)
			status = gpube__listing_add(l, coalition, value);
	}
	return status;
}

/* A list where a text would be one, too. */
static int make_game(struct gpube_model *game, const struct reading *r)
{
	struct gpube__listing list;
	struct gpube_table dense;
	int status;

	if (r->table->sparse) {
		gpube__listing_init(&list, r->m->ctx, r->m->n_vars, r->type);
		status = fill_list(r, &list);
		if (!status)
			status = gpube__coalitions_settle(game, &list);
		gpube__listing_clear(&list);
		return status;
	}
	status = gpube__coalitions_alloc(&dense, r->m->ctx, r->m->n_vars, r->type);
	if (status)
		return status;
	status = fill_table(r, &dense);
	if (!status)
		return gpube__coalitions_take(game, &dense);
	gpube__table_release(&dense, r->m->ctx);
	return status;
}

static int game_of_function(struct gpube_model **out, const struct gpube_model *m)
{
	struct reading r = {.m = m, .table = gpube__table(m, 0)};
	struct gpube_model *game = NULL;
	int status;

	r.gets = m->direction == GPUBE_MAXIMISE;
	for (int k = 0; k < m->n_vars; k++)
		r.bit[k] = (uint64_t)1 << gpube__scope(m, 0)[k];
	status = find_empty(&r);
	if (!status)
		status = choose_type(&r);
	if (!status)
		status = gpube_model_new(&game, m->ctx, GPUBE_COALITIONS);
	if (!status)
		status = make_game(game, &r);
	for (int k = 0; k < m->n_vars && !status; k++) {
		if (!m->vars[k].name)
			continue;
		game->vars[k].name = gpube__strdup(m->ctx, m->vars[k].name);
		status = game->vars[k].name ? GPUBE_OK : GPUBE_ENOMEM;
	}
	if (status) {
		gpube_model_free(game);
		return status;
	}
	game->scale = m->kind == GPUBE_COSTS ? m->scale : 0;
	*out = game;
	return GPUBE_OK;
}

/* Of what is neither one function nor structures, the first is said to be missing. */
static int game_of_structures(struct gpube_model **out, const struct gpube_model *m)
{
	struct gpube__form f = {.of = m, .parts.ctx = m->ctx};
	char why[sizeof(m->ctx->error)];
	int status;

	memcpy(why, m->ctx->error, sizeof(why));
	status = gpube__structures_of_costs(&f);
	if (!status) {
		*out = f.model;
		f.model = NULL;
	}
	gpube__form_clear(&f);
	return status == GPUBE_EINVAL ? gpube__fail(m->ctx, status, "%s", why) : status;
}

int gpube__coalitions_of_costs(struct gpube_model **out, const struct gpube_model *m)
{
	const int status = check_form(m);

	*out = NULL;
	if (!status)
		return game_of_function(out, m);
	return m->kind == GPUBE_COSTS ? game_of_structures(out, m) : status;
}
