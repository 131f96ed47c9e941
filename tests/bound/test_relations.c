/*
 * Relations that grow (gpube/relax/pairwise/relations.h): whatever is done to them, each
 * assignment below the limit costs in them what it did, or what is left of it where costs are
 * rounded down; and what is proved by them is what enumeration says.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include "gpube/ir/dense.h"
#include "gpube/relax/pairwise/relations.h"
#include "tests/support/bounded.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/random_model.h"

enum { N_SEEDS = 400, N_THREADS = 12, N_WHOLE = 300, N_TIGHT = 100, N_WANT = 100 };

struct listed {
	struct gpube_relations *l;
	const struct gpube_model *m;
	int64_t limit;
};

static int64_t cost_in(const struct gpube_relations *l, const struct gpube_relation_table *a,
	const int32_t *values, int64_t *at)
{
	uint64_t key = 0;

	for (int32_t k = 0; k < a->arity; k++)
		key |= (uint64_t)values[a->scope[k]] << a->shift[k];
	for (*at = 0; *at < a->n; (*at)++)
		if (a->key[*at] == key)
			return a->cost[*at] >= gpube__relations_slack(l) ? -1 : a->cost[*at];
	return -1;
}

/* The separator whose first member it is, or NULL. */
static const struct gpube_sweep_separator *first_of(
	const struct gpube_sweep_plan *p, int32_t member)
{
	for (int32_t k = 0; k < p->n_separators; k++)
		if (p->separators[k].member == member)
			return &p->separators[k];
	return NULL;
}

/* What an assignment costs in all lists and separators; -1: one of them does not have it. */
static int64_t listed_total(const struct gpube_relations *l, const int32_t *values)
{
	int64_t sum = l->state.constant;

	for (int32_t k = 0; k < l->n_relations; k++) {
		int64_t at, cost = cost_in(l, &l->relations[k], values, &at);

		if (cost < 0)
			return -1;
		sum += cost;
		/* the separators whose first member it is */
		for (int32_t j = l->member_at ? l->member_at[k] : 0;
			l->member_at && j < l->member_at[k + 1]; j++) {
			const struct gpube_sweep_separator *b = first_of(&l->plan, l->member_of[j]);
			uint32_t cell;

			if (!b)
				continue;
			cell = l->plan.cells[l->plan.members[l->member_of[j]].cell + at];
			assert_true(cell < (uint32_t)b->n);
			assert_true(l->state.costs[b->at + cell] >= 0);
			sum += l->state.costs[b->at + cell];
		}
	}
	return sum;
}

/* The variables of separator k, which are all that any two of its members share. */
static void set_of_separator(uint64_t *set, const struct gpube_relations *l, int32_t k)
{
	const struct gpube_sweep_separator *b = &l->plan.separators[k];

	assert_true(b->n_members > 1);
	for (int32_t i = 0; i < b->n_members; i++)
		for (int32_t j = 0; j < i; j++)
			for (int e = 0; e < l->words; e++) {
				const uint64_t both =
					l->relations[l->relation_of[b->member + i]].set[e] &
					l->relations[l->relation_of[b->member + j]].set[e];

				assert_true((i == 1 && j == 0) || both == set[e]);
				set[e] = both;
			}
}

/* Whether separators that have all that relations a and b share lead from one to the other. */
static bool are_linked(
	const struct gpube_relations *l, int32_t a, int32_t b, const uint64_t *sets, bool *reached)
{
	const struct gpube_sweep_plan *p = &l->plan;
	bool more = true;

	memset(reached, 0, (size_t)l->n_relations);
	reached[a] = true;
	while (more && !reached[b]) {
		more = false;
		for (int32_t k = 0; k < p->n_separators; k++) {
			const int32_t *of = l->relation_of + p->separators[k].member;
			bool within = true, any = false;

			for (int e = 0; e < l->words; e++)
				within &= !(l->relations[a].set[e] & l->relations[b].set[e] &
					    ~sets[k * l->words + e]);
			for (int32_t j = 0; j < p->separators[k].n_members; j++)
				any |= reached[of[j]];
			for (int32_t j = 0; j < p->separators[k].n_members && within && any; j++) {
				more |= !reached[of[j]];
				reached[of[j]] = true;
			}
		}
	}
	return reached[b];
}

/* What any two relations share becomes the same in both. */
static void check_links(const struct gpube_relations *l)
{
	uint64_t *sets = gpube__alloc_zero(
		ctx, (uint64_t)l->plan.n_separators * (uint64_t)l->words + 1, sizeof(*sets));
	bool *reached = gpube__alloc_zero(ctx, (uint64_t)l->n_relations + 1, sizeof(*reached));

	for (int32_t k = 0; k < l->plan.n_separators; k++)
		set_of_separator(sets + k * l->words, l, k);
	for (int32_t a = 0; a < l->n_relations; a++)
		for (int32_t b = 0; b < a; b++) {
			uint64_t any = 0;

			for (int e = 0; e < l->words; e++)
				any |= l->relations[a].set[e] & l->relations[b].set[e];
			assert_true(!any || are_linked(l, a, b, sets, reached));
		}
	gpube__free(ctx, sets);
	gpube__free(ctx, reached);
}

/*
 * Every assignment below the limit costs in the lists what it does, and what is left of them is not
 * negative.
 */
static void check_listed(const struct listed *w)
{
	int32_t *values = gpube__alloc_zero(ctx, (uint64_t)w->m->n_vars + 1, sizeof(*values));

	for (int32_t k = 0; k < w->l->n_relations; k++)
		for (int64_t i = 0; i < w->l->relations[k].n; i++)
			assert_true(w->l->relations[k].cost[i] >= 0);
	do {
		int64_t cost, scaled, sum;

		assert_int_equal(gpube_model_cost(&cost, w->m, values), 0);
		if (cost >= w->limit)
			continue;
		assert_true(w->l->state.constant < w->l->state.target);
		sum = listed_total(w->l, values);
		assert_true(sum >= 0);
		scaled = cost - gpube__constant_of(w->m);
		if (w->l->shift >= 0)
			assert_true(sum == scaled * ((int64_t)1 << w->l->shift));
		else
			assert_true(sum <= scaled >> -w->l->shift &&
				    sum + w->m->n_functions >= scaled >> -w->l->shift);
	} while (next_assignment(values, w->m));
	gpube__free(ctx, values);
}

static void grow_listed(struct listed *w, int64_t most)
{
	struct gpube_relations *l;

	assert_int_equal(gpube__relations_grow(&l, w->l, w->m, most), 0);
	if (l && l->plan.members)
		check_links(l);
	if (!l)
		return;
	assert_true(
		l->state.constant >= w->l->state.constant && l->state.target == w->l->state.target);
	gpube__relations_free(w->l);
	w->l = l;
}

/* Better assignments become known on the way. */
static void lower_limit(struct listed *w, int64_t limit)
{
	const int64_t target = gpube__relations_target(w->l->shift, w->m, limit);

	if (limit >= w->limit)
		return;
	w->limit = limit;
	w->l->state.target = target < w->l->state.target ? target : w->l->state.target;
}

/*
 * The part that has such assignments has them at what they cost, and the values that it fixes are
 * theirs.
 */
static void check_part(const struct listed *w, const struct gpube_relations *part, int32_t var,
	int32_t value, bool is)
{
	int32_t *values = gpube__alloc_zero(ctx, (uint64_t)w->m->n_vars + 1, sizeof(*values));

	do {
		int64_t cost, sum;

		assert_int_equal(gpube_model_cost(&cost, w->m, values), 0);
		if (cost >= w->limit || (var >= 0 && (values[var] == value) != is))
			continue;
		assert_true(part->state.constant < part->state.target);
		for (int32_t i = 0; i < part->n; i++)
			assert_true(part->fixed[i] < 0 || part->fixed[i] == values[i]);
		sum = listed_total(part, values);
		assert_true(sum >= 0 && sum == listed_total(w->l, values));
	} while (next_assignment(values, w->m));
	gpube__free(ctx, values);
}

/*
 * What is forced, probed and left of lists where a variable has a value, and where it has others;
 * they may grow.
 */
static void check_parts(struct listed *w, uint64_t seed)
{
	int64_t *forced = gpube__alloc(ctx, (uint64_t)w->l->value_at[w->l->n] + 1, sizeof(*forced));
	struct gpube_relations_probe probe;
	struct gpube_rng rng;
	int32_t var, value;
	int64_t said[2];

	gpube__rng_init(&rng, seed);
	var = (int32_t)gpube__rng_below(&rng, (uint64_t)w->m->n_vars);
	value = (int32_t)gpube__rng_below(&rng, (uint64_t)w->m->vars[var].domain);
	assert_int_equal(gpube__relations_probe_init(&probe, ctx, w->l), 0);
	for (int k = 0; k < 2; k++)
		said[k] = gpube__relations_probe(&probe, var, value, !k, 4);
	gpube__relations_probe_clear(&probe);
	check_listed(w);
	gpube__relations_settle(w->l);
	assert_int_equal(gpube__relations_forced(w->l, forced), 0);
	for (int k = 0; k < 3; k++) { /* the third: all */
		struct gpube_relations *part, *larger;

		assert_int_equal(
			gpube__relations_part(&part, w->l, forced, k < 2 ? var : -1, value, !k), 0);
		check_part(w, part, k < 2 ? var : -1, value, !k);
		if (k < 2 && said[k] >= part->state.target)
			part->state.constant = part->state.target;
		check_part(w, part, k < 2 ? var : -1, value, !k);
		if (part->state.constant < part->state.target) {
			assert_int_equal(
				gpube__relations_grow(&larger, part, w->m, 1 << seed % 8), 0);
			if (larger) {
				int32_t *room = gpube__sweep_room(ctx, &larger->plan);

				check_part(w, larger, k < 2 ? var : -1, value, !k);
				for (int j = 0; j < 3; j++)
					gpube__sweep_cpu(
						ctx, &larger->plan, &larger->state, j % 2, room);
				check_part(w, larger, k < 2 ? var : -1, value, !k);
				gpube__free(ctx, room);
			}
			gpube__relations_free(larger);
		}
		gpube__relations_free(part);
	}
	gpube__free(ctx, forced);
}

/* An assignment that a state's values leave, where others are gone. */
static bool is_kept(const struct gpube_model *m, const int32_t *kept, const int32_t *values)
{
	for (int32_t i = 0; i < m->n_vars; i++)
		if (kept[i] >= 0 && kept[i] != values[i])
			return false;
	return true;
}

static void check_state(const struct listed *w, const struct gpube_relations *view,
	const int32_t *kept, const int64_t *forced)
{
	int32_t *values = gpube__alloc_zero(ctx, (uint64_t)w->m->n_vars + 1, sizeof(*values));

	do {
		int64_t cost, sum;

		assert_int_equal(gpube_model_cost(&cost, w->m, values), 0);
		if (cost >= w->limit || !is_kept(w->m, kept, values))
			continue;
		assert_true(view->state.constant < view->state.target);
		sum = listed_total(view, values);
		assert_true(sum >= 0 && sum == listed_total(w->l, values));
		for (int32_t i = 0; i < w->m->n_vars; i++)
			assert_true(forced[view->value_at[i] + values[i]] < 0 ||
				    view->state.constant + forced[view->value_at[i] + values[i]] <=
					    sum);
	} while (next_assignment(values, w->m));
	gpube__free(ctx, values);
}

/*
 * States with costs of their own: sweeps over what has changed, and values that go. Assignments
 * that are left cost what they did, what is forced is in their totals, and the relations stay as
 * they were.
 */
static void check_states(struct listed *w, uint64_t seed)
{
	struct gpube_relations_state *s = gpube__alloc(ctx, gpube__relations_state_bytes(w->l), 1);
	int64_t *forced = gpube__alloc(ctx, (uint64_t)w->l->value_at[w->l->n] + 1, sizeof(*forced));
	int32_t *room = gpube__alloc(ctx, (uint64_t)w->l->plan.room + 1, sizeof(*room));
	int32_t *kept = gpube__alloc(ctx, (uint64_t)w->m->n_vars + 1, sizeof(*kept));
	struct gpube_relations *view;
	struct gpube_rng rng;
	uint8_t keep[64];

	gpube__rng_init(&rng, seed);
	assert_int_equal(gpube__relations_view(&view, ctx, w->l), 0);
	for (int32_t i = 0; i < w->m->n_vars; i++)
		kept[i] = -1;
	gpube__relations_state_set(s, w->l);
	for (int k = 0; k < 6 && s->constant < s->target; k++) {
		const int32_t var = (int32_t)gpube__rng_below(&rng, (uint64_t)w->m->n_vars);
		const int64_t before = s->constant;

		if (kept[var] < 0) {
			kept[var] =
				(int32_t)gpube__rng_below(&rng, (uint64_t)w->m->vars[var].domain);
			for (int32_t a = 0; a < w->m->vars[var].domain; a++)
				keep[a] = a == kept[var];
			gpube__relations_state_keep(ctx, w->l, s, var, keep);
		}
		gpube__relations_state_sweep(ctx, w->l, s, k % 2, k == 3, room);
		assert_true(s->constant >= before);
		gpube__relations_view_at(view, s);
		assert_int_equal(gpube__relations_forced(view, forced), 0);
		check_state(w, view, kept, forced);
	}
	gpube__relations_view_free(view);
	check_listed(w);
	GPUBE_FREE_ALL(ctx, s, forced, room, kept);
}

static void walk_lists(const struct gpube_model *m, int64_t limit, uint64_t seed)
{
	struct listed w = {.m = m, .limit = limit};
	int32_t *values = gpube__alloc_zero(ctx, (uint64_t)m->n_vars + 1, sizeof(*values)),
		*room = NULL;
	int64_t cost;

	assert_int_equal(gpube__relations_new(&w.l, m, limit), 0);
	assert_non_null(w.l);
	if (w.l->state.constant < w.l->state.target)
		check_listed(&w);
	w.l->most = seed % 3 ? 2 << seed % 5 : 1;
	for (int k = 0; w.l && k < 9 && w.l->state.constant < w.l->state.target; k++) {
		const int64_t before = w.l->state.constant;

		if (k % 3 == 0)
			grow_listed(&w, w.l->most << (1 + seed % 4));
		gpube__free(ctx, room);
		room = gpube__sweep_room(ctx, &w.l->plan);
		if (w.l->state.constant < w.l->state.target && w.l->plan.members)
			gpube__sweep_cpu(ctx, &w.l->plan, &w.l->state, k % 2, room);
		assert_true(w.l->state.constant >= before);
		if (w.l->state.constant >= w.l->state.target)
			break;
		check_listed(&w);
		if (k % 4 == 1 && w.l->plan.members)
			gpube__relations_shorten(w.l);
		assert_int_equal(gpube__relations_decode(w.l, k % 2, values), 0);
		for (int32_t i = 0; i < m->n_vars; i++)
			assert_in_range(values[i], 0, m->vars[i].domain - 1);
		assert_int_equal(gpube_model_cost(&cost, m, values), 0);
		if (k == 5 && cost < GPUBE_INF)
			lower_limit(&w, cost + (int64_t)(seed % 2));
		check_listed(&w);
		if (k % 4 == 2 && w.l->plan.members && m->n_vars &&
			w.l->state.constant < w.l->state.target)
			check_parts(&w, seed + (uint64_t)k);
		if (k % 4 == 3 && w.l->plan.members && m->n_vars)
			check_states(&w, seed + (uint64_t)k);
	}
	if (w.l && w.l->state.constant >= w.l->state.target)
		check_listed(&w);
	gpube__relations_free(w.l);
	gpube__free(ctx, room);
	gpube__free(ctx, values);
}

static void invariant(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;

	ctx->n_threads = 1 + (int)(seed % 2);
	walk_random_model(walk_lists, seed);
	ctx->n_threads = 1;
}

/* Sweeps and growth that are worth several threads have the same result on any number of them. */
static void threads(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct random_spec spec = random_spec_default();
	struct gpube_relations *l[2];
	struct gpube_model *m;

	spec.n_vars = 60;
	spec.min_domain = 2;
	spec.max_domain = 5;
	spec.n_functions = 150;
	spec.min_arity = 2;
	spec.max_arity = 3;
	spec.forbidden = 0.1 * (double)(seed % 3);
	m = random_model(ctx, &spec, seed);
	assert_non_null(m);
	for (int i = 0; i < 2; i++) {
		struct listed w = {.m = m, .limit = GPUBE_INF};
		int32_t *room;

		ctx->n_threads = i ? 3 : 1;
		assert_int_equal(gpube__relations_new(&w.l, m, GPUBE_INF), 0);
		assert_non_null(w.l);
		for (int64_t most = 1 << 10; most <= 1 << 13; most <<= 3) {
			const struct gpube_relations *was = w.l;

			grow_listed(&w, most);
			assert_true(w.l != was || most > 1 << 10);
			room = gpube__sweep_room(ctx, &w.l->plan);
			for (int k = 0; k < 4; k++)
				gpube__sweep_cpu(ctx, &w.l->plan, &w.l->state, k % 2, room);
			gpube__free(ctx, room);
		}
		l[i] = w.l;
	}
	ctx->n_threads = 1;
	assert_true(l[0]->state.constant == l[1]->state.constant &&
		    l[0]->n_relations == l[1]->n_relations);
	for (int32_t k = 0; k < l[0]->n_relations; k++) {
		const struct gpube_relation_table *a = &l[0]->relations[k],
						  *b = &l[1]->relations[k];

		assert_true(a->n == b->n);
		assert_memory_equal(a->key, b->key, (size_t)a->n * sizeof(*a->key));
		assert_memory_equal(a->cost, b->cost, (size_t)a->n * sizeof(*a->cost));
	}
	for (int i = 0; i < 2; i++)
		gpube__relations_free(l[i]);
	gpube_model_free(m);
}

/*
 * The optimum alone is below the limit, or nothing is; what is known may be that good before lists
 * grow.
 */
static void tight(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct random_spec spec = random_spec_many_neighbours(seed);
	struct gpube_model *m;
	struct brute brute;

	spec.max_cost = seed % 2 ? spec.max_cost : 2; /* ties */
	m = random_model(ctx, &spec, seed);
	assert_non_null(m);
	assert_int_equal(brute_force(&brute, NULL, m), 0);
	ctx->n_threads = 1 + (int)(seed % 3);
	for (int more = 0; brute.feasible && more < 2; more++)
		walk_lists(m, brute.cost + more, seed);
	ctx->n_threads = 1;
	gpube_model_free(m);
}

/* Lists that grow until one is the whole prove the optimum, or that nothing is below the limit. */
static void whole(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	const struct random_spec spec = random_spec_many_neighbours(seed);
	struct gpube_opts opts = {
		.method = GPUBE_BOUND_PAIRWISE, .split = GPUBE_SPLIT_NEVER, .seed = seed};
	struct gpube_model *m = random_model(ctx, &spec, seed);
	struct gpube_solution *b;
	struct brute brute;

	assert_non_null(m);
	assert_int_equal(brute_force(&brute, NULL, m), 0);
	ctx->n_threads = 1 + 2 * (int)(seed % 2);
	if (brute.feasible && seed % 5 < 3) { /* one below, at, or above the optimum */
		opts.has_cutoff = 1;
		opts.cutoff = brute.cost + (int64_t)(seed % 5) - 1;
	}
	b = must_bound(m, &opts);
	if (brute.feasible) {
		assert_true(
			b->bound <= brute.cost || (opts.has_cutoff && opts.cutoff <= brute.cost));
		if (spec.max_cost < 1 << 20 && (!opts.has_cutoff || opts.cutoff > brute.cost))
			assert_true(b->answer == GPUBE_ANSWER_OPTIMAL && b->cost == brute.cost);
	}
	gpube_result_free(b);
	ctx->n_threads = 1;
	gpube_model_free(m);
}

/*
 * What is said is true where lists are cut by memory, growth is stopped anywhere, many assignments
 * cost the same, and what is known is at, above, and below the optimum.
 */
static void in_want(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct random_spec spec = random_spec_many_neighbours(seed);
	struct gpube_opts opts = {.method = GPUBE_BOUND_PAIRWISE,
		.split = GPUBE_SPLIT_NEVER,
		.no_simplify = seed % 2,
		.seed = seed};
	const uint64_t memory_bytes = ctx->memory_bytes;
	struct gpube_model *m;
	struct brute brute;

	spec.max_cost = 1 + (int64_t)(seed % 3); /* ties */
	m = random_model(ctx, &spec, seed);
	assert_non_null(m);
	assert_int_equal(brute_force(&brute, NULL, m), 0);
	ctx->n_threads = 1 + (int)(seed % 3);
	ctx->memory_bytes = (uint64_t)1 << (12 + seed % 16);
	for (int turn = 0; turn < 12; turn++) {
		struct gpube_solution *b;
		bool below; /* an assignment is below what is asked for */

		opts.timeout_seconds = turn % 4 == 0 ? 0 : 1e-4 * (double)(1 << turn % 7);
		opts.has_cutoff = brute.feasible && turn % 6 != 5;
		opts.cutoff = opts.has_cutoff ? brute.cost + turn % 6 - 1 : 0;
		below = brute.feasible && (!opts.has_cutoff || brute.cost < opts.cutoff);
		if (gpube_bound(&b, m, &opts)) /* so little that nothing was made */
			continue;
		assert_true(b->answer != GPUBE_ANSWER_INFEASIBLE || !brute.feasible);
		assert_true(b->answer != GPUBE_ANSWER_OPTIMAL || b->cost == brute.cost);
		assert_true(!b->values || b->cost >= brute.cost);
		assert_false(b->closed && below);
		if (below)
			assert_true(b->bound <= brute.cost);
		else if (brute.feasible)
			assert_true(b->bound <= brute.cost || b->bound <= opts.cutoff);
		gpube_result_free(b);
	}
	ctx->memory_bytes = memory_bytes;
	ctx->n_threads = 1;
	gpube_model_free(m);
}

int main(void)
{
	struct cases c = {0};

	add_seeds(&c, invariant, N_SEEDS, "lists, seed");
	add_seeds(&c, tight, N_TIGHT, "just below the limit, seed");
	add_seeds(&c, threads, N_THREADS, "on one thread and on three, seed");
	add_seeds(&c, whole, N_WHOLE, "until one list is the whole, seed");
	add_seeds(&c, in_want, N_WANT, "lists cut short, seed");
	return run_cases(&c, "relations", ctx_setup_1_thread, ctx_teardown);
}
