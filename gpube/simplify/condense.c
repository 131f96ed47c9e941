/* condense.c - the model of the values that are left. See live.h. */
#include "gpube/simplify/live.h"

#include <stdlib.h>
#include <string.h>

/*
 * A sparse function becomes dense if that takes at most 4 times its bytes, or
 * if it has at most 2^26 cells and a quarter of the memory is not yet used up
 * by tables that grew so.
 */
enum { DENSE_GROWTH = 4, DENSE_CELLS = 1 << 26 };

enum { MADE_BETWEEN_CHECKS = 256 }; /* tables, for a stop */

/* Adding unary costs to a larger table that functions share would give each its own copy. */
enum { SHARED_HOST_CELLS = 4096 };

/* Functions that become one. */
struct group {
	int32_t function; /* the first: its scope's order is kept */
	int32_t first, n_members;
	int32_t host;    /* the group that this unary one is added to, or -1 */
	int32_t guests;  /* unary groups that are added to this one: a list, or -1 */
	int32_t next;    /* in its host's list */
	int32_t same_as; /* the first group that comes out with the same table: it, or itself */
	int32_t table;   /* in the new model; -1: constant */
	bool dense;
	unsigned __int128 cells;
};

struct condense {
	struct gpube_live *s;
	struct gpube_model *out;
	int64_t *at; /* live scope of function f: live[at[f]] … live[at[f + 1] - 1] */
	int32_t *live, *sorted;
	int32_t *members; /* functions, those of a group side by side */
	int32_t n_groups;
	struct group *groups;
	int32_t *slot;                     /* per variable: scratch */
	int32_t *index;                    /* of a variable in the new model, or -1 */
	struct gpube_live_function *range; /* per table of the new model */
	struct gpube_merge merge;
};

static int live_arity(const struct condense *c, int32_t f)
{
	return (int)(c->at[f + 1] - c->at[f]);
}

/* ---- groups ----------------------------------------------------------------------- */

/* Scopes without the variables that are gone, as they are and sorted. */
static void make_live_scopes(struct condense *c)
{
	const struct gpube_model *m = c->s->m;
	int64_t n = 0;

	for (int32_t f = 0; f < m->n_functions; f++) {
		const int32_t *scope = gpube__scope(m, f);

		c->at[f] = n;
		for (int k = 0; k < m->functions[f].arity; k++)
			if (gpube__live_kept(c->s, scope[k]))
				c->live[n++] = scope[k];
	}
	c->at[m->n_functions] = n;
	if (!c->s->reductions)
		return;
	if (n)
		memcpy(c->sorted, c->live, (size_t)n * sizeof(*c->live));
	for (int32_t f = 0; f < m->n_functions; f++)
		qsort(c->sorted + c->at[f], (size_t)live_arity(c, f), sizeof(*c->sorted),
			gpube__compare_int32);
}

struct item {
	const int32_t *scope;
	int arity;
	int32_t function;
};

static int compare_scopes(const struct item *a, const struct item *b)
{
	if (a->arity != b->arity)
		return a->arity < b->arity ? -1 : 1;
	return gpube__compare_tuples(a->scope, b->scope, a->arity);
}

static int compare_items(const void *x, const void *y)
{
	const struct item *a = x, *b = y;
	int order = compare_scopes(a, b);

	return order ? order : (a->function > b->function) - (a->function < b->function);
}

static int32_t new_group(struct condense *c, int32_t first, int32_t function)
{
	c->groups[c->n_groups] = (struct group){.function = function,
		.first = first,
		.n_members = 1,
		.host = -1,
		.guests = -1,
		.next = -1,
		.same_as = c->n_groups,
		.table = -1,
		.cells = gpube__live_cells(
			c->s, live_arity(c, function), c->live + c->at[function])};
	return c->n_groups++;
}

/* Puts functions of equal scope into one group. Those without a scope are in the constant. */
static int make_groups(struct condense *c, int32_t *n_merged)
{
	const struct gpube_model *m = c->s->m;
	struct item *items;
	int32_t n = 0;
	int status;

	make_live_scopes(c);
	if (!c->s->reductions) {
		for (int32_t f = 0; f < m->n_functions; f++) {
			c->members[f] = f;
			new_group(c, f, f);
		}
		return GPUBE_OK;
	}
	items = gpube__alloc(m->ctx, (uint64_t)m->n_functions, sizeof(*items));
	if (!items)
		return GPUBE_ENOMEM;
	for (int32_t f = 0; f < m->n_functions; f++)
		if (live_arity(c, f))
			items[n++] = (struct item){c->sorted + c->at[f], live_arity(c, f), f};
	status = gpube__sort(m->ctx, items, (uint64_t)n, sizeof(*items), compare_items);
	if (status) {
		gpube__free(m->ctx, items);
		return status;
	}
	for (int32_t k = 0; k < n; k++) {
		c->members[k] = items[k].function;
		if (k && compare_scopes(&items[k - 1], &items[k]) == 0) {
			c->groups[c->n_groups - 1].n_members++;
			++*n_merged;
		} else {
			new_group(c, k, items[k].function);
		}
	}
	gpube__free(m->ctx, items);
	return GPUBE_OK;
}

static void choose_dense(struct condense *c)
{
	const struct gpube_model *m = c->s->m;
	double budget = (double)m->ctx->memory_bytes / 4;

	for (int32_t k = 0; k < c->n_groups; k++) {
		struct group *g = &c->groups[k];
		double sparse_bytes = 0, bytes = (double)g->cells;

		for (int32_t j = g->first; j < g->first + g->n_members; j++) {
			const struct gpube_table *t = gpube__table(m, c->members[j]);
			double size = (double)gpube__type_size(t->type);

			g->dense |= !t->sparse;
			sparse_bytes += (double)t->n * (4.0 * t->arity + size);
			if ((double)g->cells * size > bytes)
				bytes = (double)g->cells * size;
		}
		if (g->dense || g->cells > INT64_MAX)
			continue;
		g->dense = bytes <= DENSE_GROWTH * sparse_bytes;
		if (!g->dense && g->cells <= DENSE_CELLS && bytes <= budget) {
			g->dense = true;
			budget -= bytes;
		}
	}
}

/* ---- unary costs ------------------------------------------------------------------- */

static bool may_host(const struct condense *c, const struct group *g)
{
	bool shared = g->n_members == 1 && gpube__table(c->s->m, g->function)->n_users > 1;

	return g->dense && live_arity(c, g->function) > 1 &&
	       (!shared || g->cells <= SHARED_HOST_CELLS);
}

/* Adds each unary group to the smallest dense one that has its variable. */
static void absorb(struct condense *c, int32_t *n_absorbed)
{
	int32_t *best = c->slot;

	for (int32_t i = 0; i < c->s->m->n_vars; i++)
		best[i] = -1;
	for (int32_t k = 0; k < c->n_groups; k++) {
		const struct group *g = &c->groups[k];
		const int32_t *scope = c->live + c->at[g->function];

		for (int d = 0; may_host(c, g) && d < live_arity(c, g->function); d++)
			if (best[scope[d]] < 0 || g->cells < c->groups[best[scope[d]]].cells)
				best[scope[d]] = k;
	}
	for (int32_t k = 0; k < c->n_groups; k++) {
		struct group *g = &c->groups[k];

		if (live_arity(c, g->function) != 1)
			continue;
		g->host = best[c->live[c->at[g->function]]];
		if (g->host < 0)
			continue;
		g->next = c->groups[g->host].guests;
		c->groups[g->host].guests = k;
		++*n_absorbed;
	}
}

/* ---- equal tables -------------------------------------------------------------------- */

struct key {
	const struct condense *c;
	const int32_t *class; /* of each variable: equal if domain and live values are */
	int32_t index;
};

static int compare_live_values(const void *x, const void *y)
{
	const struct key *a = x, *b = y;
	const struct gpube_live *s = a->c->s;
	int32_t i = a->index, j = b->index;
	int32_t d = s->m->vars[i].domain, e = s->m->vars[j].domain;

	if (d != e)
		return d < e ? -1 : 1;
	if (s->n[i] != s->n[j])
		return s->n[i] < s->n[j] ? -1 : 1;
	return s->n[i] == d ? 0
			    : memcmp(s->list + s->start[i], s->list + s->start[j],
				      (size_t)s->n[i] * sizeof(*s->list));
}

static int compare_sources(const struct key *a, const struct key *b)
{
	const struct gpube_model *m = a->c->s->m;
	int32_t f = a->c->groups[a->index].function, g = b->c->groups[b->index].function;
	int32_t t = m->functions[f].table, u = m->functions[g].table;

	if (t != u)
		return t < u ? -1 : 1;
	for (int k = 0; k < m->functions[f].arity; k++) {
		int32_t x = a->class[gpube__scope(m, f)[k]], y = a->class[gpube__scope(m, g)[k]];

		if (x != y)
			return x < y ? -1 : 1;
	}
	return 0;
}

static int compare_keys(const void *x, const void *y)
{
	const struct key *a = x, *b = y;
	int order = compare_sources(a, b);

	return order ? order : (a->index > b->index) - (a->index < b->index);
}

/* By itself, and one that its table may be shared with. */
static bool may_share(const struct condense *c, const struct group *g)
{
	return g->n_members == 1 && g->host < 0 && g->guests < 0 &&
	       gpube__table(c->s->m, g->function)->n_users > 1;
}

/* Functions that share a table and keep the same values of it share the new one, too. */
static int share(struct condense *c)
{
	const struct gpube_model *m = c->s->m;
	int32_t *class = c->slot, n = 0, most;
	struct key *keys;
	int status;

	while (n < c->n_groups && !may_share(c, &c->groups[n]))
		n++;
	if (n == c->n_groups)
		return GPUBE_OK;
	n = 0;
	most = m->n_vars > c->n_groups ? m->n_vars : c->n_groups;
	keys = gpube__alloc(m->ctx, (uint64_t)most, sizeof(*keys));
	if (!keys)
		return GPUBE_ENOMEM;
	for (int32_t i = 0; i < m->n_vars; i++)
		keys[i] = (struct key){c, class, i};
	status = gpube__sort(m->ctx, keys, (uint64_t)m->n_vars, sizeof(*keys), compare_live_values);
	if (status)
		goto out;
	for (int32_t k = 0; k < m->n_vars; k++) {
		if (k && compare_live_values(&keys[k - 1], &keys[k]))
			n++;
		class[keys[k].index] = n;
	}
	n = 0;
	for (int32_t k = 0; k < c->n_groups; k++)
		if (may_share(c, &c->groups[k]))
			keys[n++] = (struct key){c, class, k};
	status = gpube__sort(m->ctx, keys, (uint64_t)n, sizeof(*keys), compare_keys);
	for (int32_t k = 1; k < n && !status; k++)
		if (compare_sources(&keys[k - 1], &keys[k]) == 0 &&
			c->groups[keys[k].index].dense == c->groups[keys[k - 1].index].dense)
			c->groups[keys[k].index].same_as = c->groups[keys[k - 1].index].same_as;
out:
	gpube__free(m->ctx, keys);
	return status;
}

/* ---- the new model ------------------------------------------------------------------- */

static int make_variables(struct condense *c)
{
	const struct gpube_live *s = c->s;

	for (int32_t i = 0; i < s->m->n_vars; i++) {
		c->index[i] = -1;
		if (gpube__live_kept(s, i) &&
			gpube_model_add_var(c->out, &c->index[i], s->n[i], NULL))
			return GPUBE_ENOMEM;
	}
	return GPUBE_OK;
}

/* The members of a group and of its guests. */
static int32_t gather(struct condense *c, const struct group *g, int32_t *members)
{
	int32_t n = 0;

	memcpy(members, c->members + g->first, (size_t)g->n_members * sizeof(*members));
	n += g->n_members;
	for (int32_t k = g->guests; k >= 0; k = c->groups[k].next) {
		const struct group *guest = &c->groups[k];

		memcpy(members + n, c->members + guest->first,
			(size_t)guest->n_members * sizeof(*members));
		n += guest->n_members;
	}
	return n;
}

/* Makes a group's table and adds it to the model, unless all its cells are one and the same. */
static int make_table(struct condense *c, struct group *g, int32_t *members)
{
	struct gpube_live_function range;
	struct gpube_table t;
	int32_t n = gather(c, g, members);
	bool constant = c->s->reductions || live_arity(c, g->function) == 0;
	int status = gpube__merge(&c->merge, &t, &range, live_arity(c, g->function),
		c->live + c->at[g->function], n, members, g->dense);

	if (status)
		return status;
	c->s->infeasible |= range.min == GPUBE_INF;
	for (int64_t k = 0; constant && k < t.n; k++)
		constant = gpube__table_int(&t, k) == range.min;
	if (t.sparse && t.dflt.i != range.min)
		constant = false;
	if (constant || c->s->infeasible) {
		gpube__free(c->s->m->ctx, t.values);
		gpube__free(c->s->m->ctx, t.tuples);
		if (!c->s->infeasible)
			c->s->low += range.min;
		return GPUBE_OK;
	}
	status = gpube__add_table(c->out, &g->table, &t);
	if (!status)
		c->range[g->table] = range;
	return status;
}

static int make_functions(struct condense *c)
{
	struct gpube_model *m = c->out;
	int32_t *members, *scope;
	int status = GPUBE_ENOMEM;

	members = gpube__alloc(m->ctx, (uint64_t)c->s->m->n_functions, sizeof(*members));
	scope = gpube__alloc(m->ctx, (uint64_t)c->s->m->n_scopes, sizeof(*scope));
	if (!members || !scope)
		goto out;
	status = GPUBE_OK;
	for (int32_t k = 0; !status && !c->s->infeasible && k < c->n_groups; k++) {
		struct group *g = &c->groups[k];
		int arity = live_arity(c, g->function);

		if (k % MADE_BETWEEN_CHECKS == MADE_BETWEEN_CHECKS - 1 && gpube__stopped(m->ctx))
			status = gpube__fail_stopped(m->ctx);
		if (g->host >= 0 || status)
			continue;
		if (g->same_as != k)
			g->table =
				c->groups[g->same_as].table; /* made before: its index is smaller */
		else
			status = make_table(c, g, members);
		for (int d = 0; d < arity; d++)
			scope[d] = c->index[c->live[c->at[g->function] + d]];
		if (!status && !c->s->infeasible && g->table >= 0)
			status = gpube__add_function(m, arity, scope, g->table, NULL);
	}
out:
	gpube__free(m->ctx, members);
	gpube__free(m->ctx, scope);
	return status;
}

/* Evidence that is not conditioned becomes a function that forbids the other values. */
static int forbid_unobserved(struct condense *c)
{
	const struct gpube_model *m = c->s->m;
	struct gpube_ctx *ctx = m->ctx;
	int status = GPUBE_OK;

	for (int32_t i = 0; !status && m->evidence && i < m->n_vars; i++) {
		struct gpube_table t = {.type = GPUBE_INT8, .arity = 1, .n = m->vars[i].domain};

		if (m->evidence[i] < 0)
			continue;
		t.values = gpube__alloc(ctx, (uint64_t)t.n, 1);
		if (!t.values)
			return GPUBE_ENOMEM;
		memset(t.values, INT8_MAX, (size_t)t.n);
		((int8_t *)t.values)[m->evidence[i]] = 0;
		status = gpube__add_table_over(c->out, &c->index[i], &t, NULL);
	}
	return status;
}

/* Moves what minima the sums have into the constant, and forbids what then reaches top. */
static int lower_tables(struct condense *c)
{
	struct gpube_live *s = c->s;
	struct gpube_model *m = c->out;
	int status = GPUBE_OK;

	s->span = 0;
	for (int32_t t = 0; t < m->n_tables; t++) {
		const struct gpube_live_function *r = &c->range[t];

		s->low += (__int128)r->min * m->tables[t].n_users;
		s->span += (__int128)(r->max - r->min) * m->tables[t].n_users;
	}
	s->infeasible |= s->has_top && s->low >= s->top;
	for (int32_t t = 0; !status && !s->infeasible && t < m->n_tables; t++) {
		const struct gpube_live_function *r = &c->range[t];
		int64_t cut = gpube__live_cut(s, r->min);

		if (t % MADE_BETWEEN_CHECKS == MADE_BETWEEN_CHECKS - 1 && gpube__stopped(m->ctx))
			status = gpube__fail_stopped(m->ctx);
		else if (r->min > 0 || r->max >= cut)
			status = gpube__table_lower(m->ctx, &m->tables[t], r->min, cut);
	}
	m->constant = (int64_t)s->low;
	m->top = s->has_top && s->top <= s->low + s->span ? (int64_t)s->top : GPUBE_INF;
	return status;
}

static int condense(struct condense *c, int32_t *n_merged, int32_t *n_absorbed)
{
	int status = make_groups(c, n_merged);

	if (status)
		return status;
	choose_dense(c);
	if (c->s->reductions)
		absorb(c, n_absorbed);
	status = share(c);
	if (!status)
		status = make_variables(c);
	if (!status)
		status = make_functions(c);
	if (!status && !c->s->infeasible)
		status = lower_tables(c);
	if (!status && !c->s->infeasible && !c->s->reductions)
		status = forbid_unobserved(c);
	return status;
}

static int condense_init(struct condense *c, struct gpube_live *s)
{
	const struct gpube_model *m = s->m;
	struct gpube_ctx *ctx = m->ctx;
	uint64_t n_functions = (uint64_t)m->n_functions, n_vars = (uint64_t)m->n_vars;
	uint64_t n_scopes = (uint64_t)m->n_scopes;
	int status;

	memset(c, 0, sizeof(*c));
	c->s = s;
	c->merge.s = s;
	status = gpube_model_new(&c->out, ctx, GPUBE_COSTS);
	if (status)
		return status;
	c->out->scale = m->scale;
	c->at = gpube__alloc(ctx, n_functions + 1, sizeof(*c->at));
	c->live = gpube__alloc(ctx, n_scopes, sizeof(*c->live));
	c->sorted = gpube__alloc(ctx, n_scopes, sizeof(*c->sorted));
	c->members = gpube__alloc(ctx, n_functions, sizeof(*c->members));
	c->groups = gpube__alloc(ctx, n_functions, sizeof(*c->groups));
	c->range = gpube__alloc(ctx, n_functions, sizeof(*c->range));
	c->slot = gpube__alloc(ctx, n_vars, sizeof(*c->slot));
	c->index = gpube__alloc(ctx, n_vars, sizeof(*c->index));
	c->merge.slot = gpube__alloc(ctx, n_vars, sizeof(*c->merge.slot));
	if (!c->at || !c->live || !c->sorted || !c->members || !c->groups || !c->range ||
		!c->slot || !c->index || !c->merge.slot)
		return GPUBE_ENOMEM;
	for (int32_t i = 0; i < m->n_vars; i++)
		c->merge.slot[i] = -1;
	return GPUBE_OK;
}

int gpube__condense(
	struct gpube_model **out, struct gpube_live *s, int32_t *n_merged, int32_t *n_absorbed)
{
	struct gpube_ctx *ctx = s->m->ctx;
	struct condense c;
	int status = condense_init(&c, s);

	if (!status)
		status = condense(&c, n_merged, n_absorbed);
	GPUBE_FREE_ALL(ctx, c.at, c.live, c.sorted, c.members, c.groups, c.range, c.slot, c.index);
	gpube__merge_clear(&c.merge);
	if (status || s->infeasible) {
		gpube_model_free(c.out);
		c.out = NULL;
	}
	*out = c.out;
	return status;
}
