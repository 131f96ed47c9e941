/* random_model.c - see random_model.h. */
#include "tests/support/random_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_CELLS = 1 << 16, MAX_VARIED_ASSIGNMENTS = 5000, MAX_TRIES = 20 };

struct maker {
	struct gpube_model *m;
	const struct random_spec *spec;
	struct gpube_rng rng;
};

static bool chance(struct gpube_rng *r, double p)
{
	return gpube__rng_unit(r) < p;
}

static int64_t between(struct gpube_rng *r, int64_t lo, int64_t hi)
{
	return (int64_t)((uint64_t)lo + gpube__rng_below(r, (uint64_t)hi - (uint64_t)lo + 1));
}

/* ---- specs ---------------------------------------------------------------------- */

struct random_spec random_spec_default(void)
{
	return (struct random_spec){.n_vars = 6,
		.min_domain = 1,
		.max_domain = 4,
		.n_functions = 10,
		.max_arity = 3,
		.n_parts = 1,
		.sparse = 0.2,
		.shared = 0.2,
		.repeated = 0.2,
		.forbidden = 0.1,
		.max_cost = 20};
}

struct random_spec random_spec_varied(uint64_t seed, enum gpube_kind kind)
{
	static const double share[] = {0, 0, 0.1, 0.3, 0.6, 1};
	static const double forbidden[] = {0, 0, 0.05, 0.1, 0.3, 0.6};
	static const int64_t magnitude[] = {1, 3, 100, 126, 127, 1000, 32767, 1000000, INT32_MAX,
		(int64_t)1 << 40, (int64_t)1 << 54};
	struct random_spec s = {.kind = kind};
	struct gpube_rng r;
	double assignments = 1;

	gpube__rng_init(&r, seed);
	s.direction = kind == GPUBE_COSTS && chance(&r, 0.3) ? GPUBE_MAXIMISE : GPUBE_MINIMISE;
	s.min_domain = chance(&r, 0.5) ? 1 : 2;
	s.max_domain = s.min_domain + (int)gpube__rng_below(&r, 4);
	while (s.n_vars < 10 && assignments * s.max_domain <= MAX_VARIED_ASSIGNMENTS) {
		assignments *= s.max_domain;
		s.n_vars++;
	}
	s.n_vars = (int)between(&r, chance(&r, 0.1) ? 0 : 1, s.n_vars);
	s.n_functions = (int)gpube__rng_below(&r, 3 * (uint64_t)s.n_vars + 2);
	s.max_arity = (int)between(&r, 1, 5);
	s.min_arity = chance(&r, 0.5) ? 0 : (int)between(&r, 0, s.max_arity);
	if (s.max_arity > s.n_vars)
		s.max_arity = s.n_vars;
	if (s.min_arity > s.max_arity)
		s.min_arity = s.max_arity;
	s.n_parts = chance(&r, 0.7) ? 1 : (int)between(&r, 1, 3);
	s.sparse = share[gpube__rng_below(&r, 6)];
	s.shared = share[gpube__rng_below(&r, 5)];
	s.repeated = share[gpube__rng_below(&r, 5)];
	s.forbidden = forbidden[gpube__rng_below(&r, 6)];
	s.observed = chance(&r, 0.7) ? 0 : share[gpube__rng_below(&r, 5)];
	s.max_cost = magnitude[gpube__rng_below(&r, 11)];
	s.min_cost = chance(&r, 0.5) ? 0 : -magnitude[gpube__rng_below(&r, 11)];
	s.scale = chance(&r, 0.5) ? 0 : (int)gpube__rng_below(&r, 10);
	s.top = chance(&r, 0.5) ? TOP_NONE : chance(&r, 0.7) ? TOP_TIGHT : TOP_LOOSE;
	s.contradiction = chance(&r, 0.05);
	s.odd_potentials = chance(&r, 0.3);
	s.names = chance(&r, 0.5);
	return s;
}

struct random_spec random_spec_many_neighbours(uint64_t seed)
{
	struct random_spec spec = random_spec_default();

	spec.n_vars = 12;
	spec.min_domain = 2;
	spec.max_domain = 2 + (seed % 4 == 0);
	spec.n_vars -= 3 * (seed % 4 == 0);
	spec.n_functions = 30 + (int)(seed % 30);
	spec.min_arity = seed % 3 ? 2 : 1;
	spec.max_arity = 3;
	spec.forbidden = seed % 5 ? 0.05 * (double)(seed % 5) : 0.5;
	spec.max_cost = seed % 7 ? 50 : (int64_t)1 << 40;
	return spec;
}

/* ---- values ---------------------------------------------------------------------- */

static int64_t random_cost(struct maker *k)
{
	if (chance(&k->rng, k->spec->forbidden))
		return GPUBE_INF;
	return between(&k->rng, k->spec->min_cost, k->spec->max_cost);
}

static double random_potential(struct maker *k)
{
	static const double odd[] = {5e-324, 1e-310, 1e-300, 1e300, 0x1p-1000, 1, 0.5, 2};

	if (chance(&k->rng, k->spec->forbidden))
		return 0;
	if (k->spec->odd_potentials && chance(&k->rng, 0.2))
		return odd[gpube__rng_below(&k->rng, 8)];
	return (1 - gpube__rng_unit(&k->rng)) * (chance(&k->rng, 0.3) ? 10 : 1);
}

/* An array of n values in a table's own form. */
static int fill_values(struct maker *k, struct gpube_table *t, int64_t n)
{
	struct gpube_ctx *ctx = k->m->ctx;
	struct gpube_values v = {0};

	t->n = n;
	if (k->spec->kind == GPUBE_COSTS) {
		for (int64_t j = 0; j < n; j++)
			if (gpube__values_push(ctx, &v, random_cost(k))) {
				gpube__values_clear(ctx, &v);
				return GPUBE_ENOMEM;
			}
		t->type = v.type;
		t->values = v.values ? v.values : gpube__alloc(ctx, 1, 1);
		return t->values ? GPUBE_OK : GPUBE_ENOMEM;
	}
	t->type = chance(&k->rng, 0.2) && !k->spec->odd_potentials ? GPUBE_FLOAT32 : GPUBE_FLOAT64;
	t->values = gpube__alloc(ctx, (uint64_t)n, gpube__type_size(t->type));
	for (int64_t j = 0; t->values && j < n; j++)
		if (t->type == GPUBE_FLOAT32)
			((float *)t->values)[j] = (float)random_potential(k);
		else
			((double *)t->values)[j] = random_potential(k);
	return t->values ? GPUBE_OK : GPUBE_ENOMEM;
}

static int random_table(struct maker *k, int32_t *table, int arity, const int32_t *scope)
{
	struct gpube_ctx *ctx = k->m->ctx;
	struct gpube_table t = {.arity = arity, .sparse = chance(&k->rng, k->spec->sparse)};
	int64_t cells = gpube__cells(k->m, arity, scope), n = 0;
	double density = gpube__rng_unit(&k->rng);

	if (!t.sparse)
		return fill_values(k, &t, cells) ? GPUBE_ENOMEM : gpube__add_table(k->m, table, &t);
	t.tuples = gpube__alloc(ctx, (uint64_t)cells * (uint64_t)arity + 1, sizeof(*t.tuples));
	if (!t.tuples)
		return GPUBE_ENOMEM;
	for (int64_t cell = 0; cell < cells; cell++) {
		int64_t rest = cell;

		if (!chance(&k->rng, density))
			continue;
		for (int d = arity - 1; d >= 0; d--) {
			t.tuples[n * arity + d] = (int32_t)(rest % k->m->vars[scope[d]].domain);
			rest /= k->m->vars[scope[d]].domain;
		}
		n++;
	}
	if (k->spec->kind == GPUBE_COSTS)
		t.dflt.i = chance(&k->rng, 0.5) ? random_cost(k) : k->spec->min_cost;
	else
		t.dflt.f = chance(&k->rng, 0.5) ? random_potential(k) : 1;
	if (fill_values(k, &t, n)) {
		gpube__free(ctx, t.tuples);
		return GPUBE_ENOMEM;
	}
	return gpube__add_table(k->m, table, &t);
}

/* ---- functions --------------------------------------------------------------------- */

static void shuffle(struct gpube_rng *r, int32_t *a, int n)
{
	for (int k = n - 1; k > 0; k--) {
		int j = (int)gpube__rng_below(r, (uint64_t)k + 1);
		int32_t swap = a[k];

		a[k] = a[j];
		a[j] = swap;
	}
}

/* Distinct variables of one part; returns how many there are, at most 'arity'. */
static int random_scope(struct maker *k, int32_t *scope, int32_t *buffer, int arity)
{
	int parts = k->spec->n_parts, part = (int)gpube__rng_below(&k->rng, (uint64_t)parts), n = 0;

	for (int32_t i = 0; i < k->m->n_vars; i++)
		if (i % parts == part)
			buffer[n++] = i;
	shuffle(&k->rng, buffer, n);
	if (arity > n)
		arity = n;
	while (arity && gpube__cells(k->m, arity, buffer) > MAX_CELLS)
		arity--;
	memcpy(scope, buffer, (size_t)arity * sizeof(*scope));
	return arity;
}

/* A scope of the function's domains, so that its table fits; false: none found. */
static bool similar_scope(struct maker *k, int32_t *scope, int32_t *buffer, int32_t f)
{
	const struct gpube_model *m = k->m;
	int arity = m->functions[f].arity;

	for (int try = 0; try < MAX_TRIES; try++) {
		int n = random_scope(k, scope, buffer, arity), d = 0;

		while (d < n && m->vars[scope[d]].domain == m->vars[gpube__scope(m, f)[d]].domain)
			d++;
		if (d == arity)
			return true;
	}
	return false;
}

static int random_function(struct maker *k, int32_t *scope, int32_t *buffer)
{
	struct gpube_model *m = k->m;
	int arity = (int)between(&k->rng, k->spec->min_arity, k->spec->max_arity);
	char name[32], *given = NULL;
	int32_t table, f;

	if (k->spec->names) {
		snprintf(name, sizeof(name), "f%d", (int)m->n_functions);
		given = name;
	}
	f = m->n_functions ? (int32_t)gpube__rng_below(&k->rng, (uint64_t)m->n_functions) : -1;
	if (f >= 0 && chance(&k->rng, k->spec->shared) && similar_scope(k, scope, buffer, f))
		return gpube__add_function(
			m, m->functions[f].arity, scope, m->functions[f].table, given);
	if (f >= 0 && chance(&k->rng, k->spec->repeated)) {
		arity = m->functions[f].arity;
		for (int d = 0; d < arity; d++)
			scope[d] = gpube__scope(m, f)[d];
		shuffle(&k->rng, scope, arity);
	} else {
		arity = random_scope(k, scope, buffer, arity);
	}
	if (random_table(k, &table, arity, scope))
		return GPUBE_ENOMEM;
	return gpube__add_function(m, arity, scope, table, given);
}

/* The first variable has no value that both of two functions allow. */
static int add_contradiction(struct maker *k)
{
	int32_t domain = k->m->vars[0].domain, first = 0;
	int64_t *costs = gpube__alloc(k->m->ctx, (uint64_t)domain, sizeof(*costs));
	double *values = gpube__alloc(k->m->ctx, (uint64_t)domain, sizeof(*values));
	int status = costs && values ? GPUBE_OK : GPUBE_ENOMEM;

	for (int half = 0; !status && half < 2; half++) {
		for (int32_t a = 0; a < domain; a++) {
			bool allowed = a && (a & 1) == half;

			costs[a] = allowed ? 0 : GPUBE_INF;
			values[a] = allowed;
		}
		status = k->spec->kind == GPUBE_COSTS
				 ? gpube_model_add_costs(k->m, 1, &first, costs)
				 : gpube_model_add_potentials(k->m, 1, &first, values);
	}
	gpube__free(k->m->ctx, costs);
	gpube__free(k->m->ctx, values);
	return status;
}

static int add_variables(struct maker *k)
{
	char name[32];

	for (int i = 0; i < k->spec->n_vars; i++) {
		int32_t domain =
			(int32_t)between(&k->rng, k->spec->min_domain, k->spec->max_domain);

		snprintf(name, sizeof(name), "x%d", i);
		if (gpube_model_add_var(k->m, NULL, domain, k->spec->names ? name : NULL))
			return GPUBE_ENOMEM;
	}
	return GPUBE_OK;
}

static int observe(struct maker *k)
{
	struct gpube_model *m = k->m;

	if (k->spec->observed == 0)
		return GPUBE_OK;
	m->evidence = gpube__alloc(m->ctx, (uint64_t)m->n_vars, sizeof(*m->evidence));
	if (!m->evidence)
		return GPUBE_ENOMEM;
	for (int32_t i = 0; i < m->n_vars; i++)
		m->evidence[i] =
			chance(&k->rng, k->spec->observed)
				? (int32_t)gpube__rng_below(&k->rng, (uint64_t)m->vars[i].domain)
				: -1;
	return GPUBE_OK;
}

/* Looks for an allowed assignment and puts top at, just past or far past its cost. */
static int choose_top(struct maker *k, int32_t *values)
{
	struct gpube_model *m = k->m;
	int64_t cost, slack;
	bool max;

	if (m->kind != GPUBE_COSTS || gpube_model_set_direction(m, k->spec->direction))
		return GPUBE_OK;
	max = m->direction == GPUBE_MAXIMISE;
	if (k->spec->top == TOP_NONE)
		return GPUBE_OK;
	slack = k->spec->top == TOP_LOOSE ? 4 * (k->spec->max_cost - k->spec->min_cost)
					  : between(&k->rng, 0, 2);
	for (int try = 0; try < MAX_TRIES; try++) {
		for (int32_t i = 0; i < m->n_vars; i++)
			values[i] = (int32_t)gpube__rng_below(&k->rng, (uint64_t)m->vars[i].domain);
		if (gpube_model_cost(&cost, m, values))
			return GPUBE_ENOMEM;
		if (cost != GPUBE_INF)
			return gpube_model_set_top(m, max ? cost - slack : cost + slack);
	}
	return GPUBE_OK;
}

struct gpube_model *random_model(
	struct gpube_ctx *ctx, const struct random_spec *spec, uint64_t seed)
{
	struct maker k = {.spec = spec};
	uint64_t room = (uint64_t)spec->n_vars + 1;
	int32_t *scope = gpube__alloc(ctx, room, sizeof(*scope));
	int32_t *buffer = gpube__alloc(ctx, room, sizeof(*buffer));
	int status = scope && buffer ? gpube_model_new(&k.m, ctx, spec->kind) : GPUBE_ENOMEM;

	gpube__rng_init(&k.rng, seed);
	if (!status)
		status = add_variables(&k);
	for (int f = 0; !status && f < spec->n_functions; f++)
		status = random_function(&k, scope, buffer);
	if (!status && spec->contradiction && spec->n_vars)
		status = add_contradiction(&k);
	if (!status && spec->kind == GPUBE_COSTS) {
		k.m->scale = spec->scale;
		k.m->constant = between(&k.rng, spec->min_cost, spec->max_cost);
	}
	if (!status)
		status = observe(&k);
	if (!status)
		status = choose_top(&k, buffer);
	gpube__free(ctx, scope);
	gpube__free(ctx, buffer);
	if (status) {
		gpube_model_free(k.m);
		return NULL;
	}
	return k.m;
}

/* ---- enumeration --------------------------------------------------------------------- */

bool next_assignment(int32_t *values, const struct gpube_model *m)
{
	for (int32_t i = m->n_vars - 1; i >= 0; i--) {
		if (++values[i] < m->vars[i].domain)
			return true;
		values[i] = 0;
	}
	return false;
}

static int evaluate(struct brute *now, const struct gpube_model *m, const int32_t *values)
{
	int status = m->kind == GPUBE_COSTS ? gpube_model_cost(&now->cost, m, values)
					    : gpube_model_log_value(&now->log_value, m, values);

	now->feasible =
		m->kind == GPUBE_COSTS ? now->cost != GPUBE_INF : now->log_value != -INFINITY;
	return status;
}

/* 1 if 'now' beats 'best', 0 if they are equal. */
static int compare(const struct gpube_model *m, const struct brute *now, const struct brute *best)
{
	if (m->kind == GPUBE_POTENTIALS)
		return now->log_value > best->log_value   ? 1
		       : now->log_value < best->log_value ? -1
							  : 0;
	if (now->cost == best->cost)
		return 0;
	return (now->cost < best->cost) == (m->direction == GPUBE_MINIMISE) ? 1 : -1;
}

int brute_force(struct brute *out, int32_t *values, const struct gpube_model *m)
{
	int32_t *x = gpube__alloc_zero(m->ctx, (uint64_t)m->n_vars, sizeof(*x));
	struct brute now = {0};
	int status = x ? GPUBE_OK : GPUBE_ENOMEM, order;

	memset(out, 0, sizeof(*out));
	do {
		if (!status)
			status = evaluate(&now, m, x);
		if (status)
			break;
		out->n_assignments++;
		if (!now.feasible)
			continue;
		out->n_feasible++;
		order = out->feasible ? compare(m, &now, out) : 1;
		if (order == 0)
			out->n_optima++;
		if (order <= 0)
			continue;
		out->feasible = true;
		out->cost = now.cost;
		out->log_value = now.log_value;
		out->n_optima = 1;
		if (values && m->n_vars)
			memcpy(values, x, (size_t)m->n_vars * sizeof(*x));
	} while (next_assignment(x, m));
	gpube__free(m->ctx, x);
	return status;
}

struct gpube_model *ring_of_potentials(struct gpube_ctx *ctx, const double table[4])
{
	struct gpube_model *m = NULL;
	int status = gpube_model_new(&m, ctx, GPUBE_POTENTIALS);

	for (int32_t i = 0; !status && i < 9; i++)
		status = gpube_model_add_var(m, NULL, 2, NULL);
	for (int32_t i = 0; !status && i < 27; i++)
		status = gpube_model_add_potentials(m, 2, (int32_t[]){i % 9, (i + 1) % 9}, table);
	if (!status)
		return m;
	gpube_model_free(m);
	return NULL;
}
