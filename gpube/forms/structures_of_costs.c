/*
 * structures_of_costs.c - models of costs whose assignments are coalition structures as coalition
 * games: the inverse of costs_of_coalitions.c. See form.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpube/forms/form.h"
#include "gpube/ir/coalition_table.h"

/*
 * v      2^n values as they are read, INT64_MIN: none is known
 * worst  no allowed total is worse
 */
struct chain {
	const struct gpube_model *m;
	int n;
	int64_t *v;
	__int128 worst;
};

static int refuse(const struct gpube_model *m, const char *why)
{
	return gpube__fail(m->ctx, GPUBE_EINVAL, "no coalition game: %s", why);
}

/* ---- chains -------------------------------------------------------------------------------- */

/* Whether variables and scopes are those of a chain. */
static bool looks_like_chain(const struct gpube_model *m)
{
	const int n = m->n_vars;
	bool good = m->kind == GPUBE_COSTS && !m->evidence && !m->n_hidden && n >= 1 &&
		    n <= GPUBE_CHAIN_AGENTS && m->n_functions == n && m->vars[0].domain == 1 &&
		    m->functions[n - 1].arity == 1 && gpube__scope(m, n - 1)[0] == n - 1;

	for (int k = 1; k < n && good; k++)
		good = m->vars[k].domain == (int32_t)1 << (n - k) &&
		       m->functions[k - 1].arity == 2 && gpube__scope(m, k - 1)[0] == k - 1 &&
		       gpube__scope(m, k - 1)[1] == k;
	return good;
}

/* False: it is known otherwise, or it is none. */
static bool put_value(struct chain *c, uint64_t coalition, int64_t cost)
{
	const int64_t v = c->m->direction == GPUBE_MAXIMISE ? cost : -cost;

	if (!coalition)
		return cost == 0;
	if (c->v[coalition] == INT64_MIN)
		c->v[coalition] = v;
	return c->v[coalition] == v;
}

/* A step from one who is left to another: what it is, and whether it may be. */
static bool take_step(struct chain *c, int k, int32_t a, int32_t b, int64_t cost)
{
	const uint64_t before = gpube__left(c->n, k - 1, a), after = gpube__left(c->n, k, b);

	return (after & ~(before & (before - 1))) == 0 && put_value(c, before & ~after, cost);
}

/* Reads step k; in *n, how many there are. */
static bool take_steps(struct chain *c, int k, int64_t *n)
{
	const struct gpube_table *t = gpube__table(c->m, k - 1);
	const int32_t columns = c->m->vars[k].domain;
	const bool maximise = c->m->direction == GPUBE_MAXIMISE;
	int64_t worst = maximise ? INT64_MAX : INT64_MIN;
	bool good = !t->sparse || t->dflt.i == GPUBE_INF;

	*n = 0;
	for (int64_t i = 0; i < t->n && good; i++) {
		const int64_t cost = gpube__table_int(t, i);

		if (cost == GPUBE_INF)
			continue;
		if (maximise ? cost < worst : cost > worst)
			worst = cost;
		good = take_step(c, k, t->sparse ? t->tuples[2 * i] : (int32_t)(i / columns),
			t->sparse ? t->tuples[2 * i + 1] : (int32_t)(i % columns), cost);
		++*n;
	}
	c->worst += *n ? worst : 0;
	return good;
}

/* The last agent, if it is left. */
static bool take_end(struct chain *c)
{
	int64_t cost[2] = {0, 0};
	const uint64_t alone = (uint64_t)1 << (c->n - 1);

	if (gpube_model_costs(c->n > 1 ? cost : cost + 1, c->m, c->n - 1) || cost[0] != 0)
		return false;
	if (cost[1] == GPUBE_INF)
		return c->v[alone] == INT64_MIN;
	if (c->n == 1 || (c->m->direction == GPUBE_MAXIMISE ? cost[1] < 0 : cost[1] > 0))
		c->worst += cost[1];
	return put_value(c, alone, cost[1]);
}

/* How often step k has the coalitions that are worth something, whoever else is left. */
static int64_t expected_steps(const struct chain *c, int k)
{
	int64_t n = k > 1; /* nobody is left */

	for (uint64_t s = 1; s >> c->n == 0; s++) {
		const int lowest = __builtin_ctzll(s);

		if (c->v[s] != INT64_MIN && (k > 1 ? lowest >= k - 1 : lowest == 0))
			n += k > 1 ? (int64_t)1 << (c->n - lowest - __builtin_popcountll(s)) : 1;
	}
	return n;
}

static int read_chain(struct chain *c)
{
	int64_t n[GPUBE_CHAIN_AGENTS + 1];
	bool good = true;

	for (uint64_t s = 0; s >> c->n == 0; s++)
		c->v[s] = INT64_MIN;
	for (int k = 1; k < c->n && good; k++) {
		if (gpube__stopped(c->m->ctx))
			return gpube__fail_stopped(c->m->ctx);
		good = take_steps(c, k, &n[k]);
	}
	good = good && take_end(c);
	for (int k = 1; k < c->n && good; k++)
		good = n[k] == expected_steps(c, k);
	if (!good)
		return refuse(c->m, "its steps from agents to those who are left after one more "
				    "coalition are not worth what one coalition is");
	return gpube__reaches_top(c->m, c->worst) ? refuse(c->m, "its bound may forbid structures")
						  : GPUBE_OK;
}

/* ---- games ----------------------------------------------------------------------------------- */

enum gpube_type gpube__value_type(int64_t least, int64_t most)
{
	return most <= INT16_MAX && least > INT16_MIN   ? GPUBE_INT16
	       : most <= INT32_MAX && least > INT32_MIN ? GPUBE_INT32
							: GPUBE_INT64;
}

/*
 * Coalitions and their values, INT64_MIN: forbidden. Two parts that are left together look like one
 * coalition, and may be another one's agents: the better one counts. An agent alone is there once.
 */
static int make_game(struct gpube__form *f, int n_agents, const uint64_t *coalition,
	const int64_t *value, int64_t n)
{
	struct gpube__listing l;
	uint64_t alone = 0;
	int64_t least = 0, most = 0;
	int status = gpube_model_new(&f->model, f->of->ctx, GPUBE_COALITIONS);

	for (int64_t k = 0; k < n; k++) {
		if (value[k] == INT64_MIN)
			continue;
		least = value[k] < least ? value[k] : least;
		most = value[k] > most ? value[k] : most;
	}
	gpube__listing_init(&l, f->of->ctx, n_agents, gpube__value_type(least, most));
	for (int64_t k = 0; k < n && !status; k++) {
		const int64_t at = gpube__mask_find(&l.index, l.mask, coalition[k]);

		if ((coalition[k] & (coalition[k] - 1)) == 0) {
			if (alone & coalition[k])
				status = refuse(f->of, "two values are of one agent alone");
			alone |= coalition[k];
		}
		if (value[k] == INT64_MIN || status)
			continue;
		if (at < 0)
			status = gpube__listing_add(&l, coalition[k], value[k]);
		else if (gpube__coalition_of(l.type, l.value, at) < value[k])
			gpube__coalition_put(l.type, l.value, at, value[k]);
	}
	if (!status)
		status = gpube__coalitions_settle(f->model, &l);
	gpube__listing_clear(&l);
	if (!status)
		f->model->scale = f->of->scale;
	return status;
}

/* A name but for "agent3", which is what one without a name is called. */
static int name_agent(struct gpube_model *game, int agent, const char *name, size_t n)
{
	char number[32];
	char *own;

	snprintf(number, sizeof(number), "%d", agent + 1);
	if (n >= 5 && !strncmp(name, "agent", 5) && strlen(number) == n - 5 &&
		!strncmp(name + 5, number, n - 5))
		return GPUBE_OK;
	if (strlen(number) == n && !strncmp(name, number, n))
		return GPUBE_OK;
	own = gpube__alloc(game->ctx, n + 1, 1);
	if (!own)
		return GPUBE_ENOMEM;
	memcpy(own, name, n);
	own[n] = '\0';
	game->vars[agent].name = own;
	return GPUBE_OK;
}

/* From "{1,ann,3}", which is what those are called who are left before the first coalition. */
static int name_chain(struct gpube_model *game, const struct gpube_variable *all)
{
	const char *name = all->value_names ? all->value_names[0] : "";
	const size_t length = strlen(name);
	int status = GPUBE_OK;
	int n = 1;

	for (const char *c = name; *c; c++)
		n += *c == ',';
	if (n != game->n_vars || length < 3 || name[0] != '{' || name[length - 1] != '}')
		return GPUBE_OK;
	name++;
	for (int i = 0; i < n && !status; i++) {
		const size_t own = strcspn(name, i < n - 1 ? "," : "}");

		status = name_agent(game, i, name, own);
		name += own + 1;
	}
	return status;
}

static int game_of_chain(struct gpube__form *f)
{
	struct chain c = {.m = f->of, .n = f->of->n_vars};
	const uint64_t n_masks = (uint64_t)1 << c.n;
	uint64_t *mask = gpube__alloc(c.m->ctx, n_masks, sizeof(*mask));
	int status;

	c.v = gpube__alloc(c.m->ctx, n_masks, sizeof(*c.v));
	status = mask && c.v ? read_chain(&c) : GPUBE_ENOMEM;
	for (uint64_t s = 0; s < n_masks && !status; s++)
		mask[s] = s;
	if (!status)
		status = make_game(f, c.n, mask + 1, c.v + 1, (int64_t)n_masks - 1);
	gpube__free(c.m->ctx, mask);
	gpube__free(c.m->ctx, c.v);
	return status ? status : name_chain(f->model, &f->of->vars[0]);
}

/* ---- set partitions -------------------------------------------------------------------------- */

/* The agents of each set. */
static int find_agents(struct gpube__form *f)
{
	const struct gpube__set_parts *p = &f->parts;

	f->agents = gpube__alloc_zero(p->ctx, (uint64_t)p->n_sets + 1, sizeof(*f->agents));
	if (!f->agents)
		return GPUBE_ENOMEM;
	for (int32_t v = 0; v < p->m->n_vars; v++)
		for (int32_t a = 0; a < p->m->vars[v].domain; a++) {
			uint64_t *own = &f->agents[gpube__set_at(p, v, a)];

			if (*own >> v & 1)
				return refuse(
					p->m, "values that need each other exclude each other");
			*own |= (uint64_t)1 << v;
		}
	return GPUBE_OK;
}

static int game_of_partition(struct gpube__form *f)
{
	const struct gpube_model *m = f->of;
	int status;

	if (m->n_vars > GPUBE_MAX_AGENTS)
		return refuse(m, "these are more than 64 agents");
	if (m->constant)
		return refuse(m, "a cost of no variables is no coalition's");
	status = gpube__set_parts_init(&f->parts, m, true);
	if (!status)
		status = find_agents(f);
	if (!status)
		status = make_game(f, m->n_vars, f->agents, f->parts.sum, f->parts.n_sets);
	for (int v = 0; v < m->n_vars && !status; v++)
		if (m->vars[v].name)
			status = name_agent(f->model, v, m->vars[v].name, strlen(m->vars[v].name));
	return status;
}

int gpube__structures_of_costs(struct gpube__form *f)
{
	f->chain = looks_like_chain(f->of);
	return f->chain ? game_of_chain(f) : game_of_partition(f);
}

/* ---- forms ------------------------------------------------------------------------------- */

/* Whether all cells of functions of two variables are few beside those that are stored. */
static bool is_stored(const struct gpube_model *m)
{
	double cells = 0, stored = 1 << 16;

	for (int32_t k = 0; k < m->n_functions; k++) {
		const int32_t *scope = gpube__scope(m, k);

		stored += (double)gpube__table(m, k)->n;
		if (m->functions[k].arity == 2)
			cells +=
				(double)m->vars[scope[0]].domain * (double)m->vars[scope[1]].domain;
	}
	return cells <= 16 * stored;
}

int gpube__form_find(struct gpube__form *f, const struct gpube_model *m)
{
	int status;

	*f = (struct gpube__form){.of = m, .parts.ctx = m->ctx};
	if (!looks_like_chain(m) && !is_stored(m))
		return gpube__fail(m->ctx, GPUBE_EINVAL, "tables of defaults mostly");
	status = looks_like_chain(m) ? GPUBE_EINVAL : gpube__set_parts_init(&f->parts, m, false);
	f->auction = !status;
	if (status == GPUBE_EINVAL) {
		gpube__set_parts_clear(&f->parts);
		status = gpube__structures_of_costs(f);
	}
	if (status)
		gpube__form_clear(f);
	return status;
}

void gpube__form_clear(struct gpube__form *f)
{
	gpube_model_free(f->model);
	gpube__set_parts_clear(&f->parts);
	gpube__free(f->of->ctx, f->agents);
	*f = (struct gpube__form){.of = f->of, .parts.ctx = f->of->ctx};
}

int gpube__form_winners(int32_t *values, const struct gpube__form *f, const int *winner, int n)
{
	const struct gpube__set_parts *p = &f->parts;
	bool *chosen = gpube__alloc_zero(p->ctx, (uint64_t)p->n_sets + 1, sizeof(*chosen));

	if (!chosen)
		return GPUBE_ENOMEM;
	for (int k = 0; k < n; k++)
		chosen[winner[k]] = true;
	for (int32_t v = 0; v < p->m->n_vars; v++) {
		values[v] = 0;
		for (int32_t a = !p->all; a < p->m->vars[v].domain; a++)
			if (chosen[gpube__set_at(p, v, a)])
				values[v] = a;
	}
	gpube__free(p->ctx, chosen);
	return GPUBE_OK;
}

/* The best set of these agents, among the values of the lowest. */
static int set_of(const struct gpube__form *f, uint64_t coalition)
{
	const int32_t v = __builtin_ctzll(coalition);
	int best = -1;

	for (int32_t a = 0; a < f->of->vars[v].domain; a++) {
		const int set = gpube__set_at(&f->parts, v, a);

		if (f->agents[set] == coalition &&
			(best < 0 || f->parts.sum[set] > f->parts.sum[best]))
			best = set;
	}
	return best;
}

int gpube__form_structure(
	int32_t *values, const struct gpube__form *f, const uint64_t *coalition, int n)
{
	uint64_t sorted[GPUBE_MAX_AGENTS], left;
	int set[GPUBE_MAX_AGENTS];

	memcpy(sorted, coalition, (size_t)n * sizeof(*sorted));
	qsort(sorted, (size_t)n, sizeof(*sorted), gpube__by_lowest);
	if (!f->chain) {
		for (int k = 0; k < n; k++)
			set[k] = set_of(f, sorted[k]);
		return gpube__form_winners(values, f, set, n);
	}
	left = gpube__left(f->of->n_vars, 0, 0);
	for (int k = 0; k < f->of->n_vars; k++) {
		values[k] = k ? (int32_t)(left >> k) : 0;
		left &= k < n ? ~sorted[k] : 0;
	}
	return GPUBE_OK;
}
