/*
 * DPOP and ADPOP against centralised elimination along the same order, table by
 * table, one case a seed: with every heuristic, partition and z, one variable an
 * agent or several. Tables are compared with those of gpube__mbe_eliminate() in
 * every bit, and, without cost shifting, with an enumeration that shares no code with it.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include <math.h>

#include "dcop/dcop.h"
#include "gpube/ir/dense.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/files.h"
#include "tests/support/memory.h"
#include "tests/support/random_model.h"

enum { N_SEEDS = 300 };

/* ---- the centralised algorithm along the agents' order, made at the first table ---------- */

struct central {
	bool made;
	struct gpube_model m; /* with a context of its own: agents are at work meanwhile */
	struct gpube_mbe mbe;
	struct gpube_mbe_run run;
	struct gpube_ctx *ctx;
	int64_t bound;
	int64_t **plain; /* by enumeration, per mini; NULL: not for this run */
	int32_t n_tables, n_seen, n_wrong;
	bool match;
};

/* One cell by enumeration: 'values' holds the scope's. */
static int64_t enumerate(struct central *c, const struct gpube_mini *mini, int32_t *values)
{
	const struct gpube_mbe *mbe = &c->mbe;
	int32_t var = mbe->order[mini->position];
	int64_t best = INT64_MAX;

	for (int32_t x = 0; x < c->m.vars[var].domain; x++) {
		__int128 sum = 0;

		values[var] = x;
		for (int32_t i = 0; i < mini->n_in; i++) {
			int32_t id = mbe->inputs[mini->in_at + i];
			int64_t cell = 0;

			if (id >= 0) {
				sum += gpube__function_cost(&c->m, id, values);
				continue;
			}
			for (int32_t k = 0; k < mbe->minis[~id].n_scope; k++) {
				int32_t v = mbe->order[mbe->scopes[mbe->minis[~id].scope_at + k]];

				cell = cell * c->m.vars[v].domain + values[v];
			}
			sum += c->plain[~id][cell];
		}
		if (sum > c->run.cutoff)
			sum = c->run.cutoff;
		if (sum < best)
			best = (int64_t)sum;
	}
	return best;
}

static void enumerate_all(struct central *c)
{
	const struct gpube_mbe *mbe = &c->mbe;
	int32_t values[64];

	c->plain = gpube__alloc_zero(c->ctx, (uint64_t)mbe->n_minis, sizeof(*c->plain));
	for (int32_t k = 0; k < mbe->n_minis; k++) {
		const struct gpube_mini *mini = &mbe->minis[k];

		c->plain[k] = gpube__alloc(c->ctx, (uint64_t)mini->cells, sizeof(int64_t));
		for (int64_t cell = 0; cell < mini->cells; cell++) {
			int64_t rest = cell;

			for (int32_t j = mini->n_scope - 1; j >= 0; j--) {
				int32_t v = mbe->order[mbe->scopes[mini->scope_at + j]];

				values[v] = (int32_t)(rest % c->m.vars[v].domain);
				rest /= c->m.vars[v].domain;
			}
			c->plain[k][cell] = enumerate(c, mini, values);
		}
	}
}

static void run_central(struct central *c, const struct gpube_mbe_run *like)
{
	int64_t total = 0;
	bool settled;

	c->made = true;
	c->m = *like->mbe->m;
	c->m.ctx = c->ctx;
	c->mbe = *like->mbe;
	c->mbe.ctx = c->ctx;
	c->mbe.m = &c->m;
	c->match = like->match;
	if (gpube__mbe_run_init(&c->run, &c->mbe, gpube__ops_cpu(), c->m.top, like->match, true,
		    &settled, &c->bound))
		c->n_wrong++;
	for (int32_t p = 0; p < c->mbe.n; p++)
		if (gpube__mbe_eliminate(&c->run, p) || gpube__mbe_add_scalars(&c->run, p, &total))
			c->n_wrong++;
	c->bound = gpube__mbe_bound(&c->run, total);
	for (int32_t k = 0; k < c->mbe.n_minis; k++)
		c->n_tables += c->mbe.minis[k].consumer >= 0;
	if (!c->run.match)
		enumerate_all(c);
}

static void end_central(struct central *c)
{
	for (int32_t k = 0; c->plain && k < c->mbe.n_minis; k++)
		gpube__free(c->ctx, c->plain[k]);
	gpube__free(c->ctx, c->plain);
	if (c->made)
		gpube__mbe_run_clear(&c->run);
	gpube_ctx_free(c->ctx);
}

/* An agent's table: asserted about later, for this is another thread. */
static void on_table(void *arg, const struct gpube_mbe_run *run, int32_t mini, const void *cells)
{
	struct central *c = arg;

	if (!c->made)
		run_central(c, run);
	c->n_seen++;
	c->n_wrong += run->type != c->run.type || run->shift != c->run.shift ||
		      memcmp(cells, c->run.messages[mini],
			      (size_t)c->mbe.minis[mini].cells * gpube__type_size(run->type)) != 0;
	for (int64_t k = 0; c->plain && k < c->mbe.minis[mini].cells; k++)
		c->n_wrong += c->plain[mini][k] != (run->type == GPUBE_INT32
								   ? ((const int32_t *)cells)[k]
								   : ((const int64_t *)cells)[k]);
}

/* ---- one run ------------------------------------------------------------------------------ */

struct subject {
	const struct gpube_model *m;
	struct brute brute;
};

static bool maximises(const struct subject *t)
{
	return t->m->direction == GPUBE_MAXIMISE;
}

static void check_answer(const struct subject *t, const struct gpube_dpop_result *r, bool exact)
{
	int64_t cost;

	if (!t->brute.feasible) {
		assert_true(r->answer != GPUBE_ANSWER_OPTIMAL);
		assert_true(!exact || r->answer == GPUBE_ANSWER_INFEASIBLE);
		assert_null(r->values);
		return;
	}
	assert_true(r->answer != GPUBE_ANSWER_INFEASIBLE);
	assert_true(maximises(t) ? r->bound >= t->brute.cost : r->bound <= t->brute.cost);
	if (exact)
		assert_int_equal(r->answer, GPUBE_ANSWER_OPTIMAL);
	if (r->answer == GPUBE_ANSWER_OPTIMAL) {
		assert_true(r->cost == t->brute.cost);
		assert_true(r->bound == t->brute.cost);
	}
	if (!r->values)
		return;
	assert_int_equal(gpube_model_cost(&cost, t->m, r->values), 0);
	assert_true(cost == r->cost);
	assert_true(maximises(t) ? cost <= t->brute.cost : cost >= t->brute.cost);
}

/* Clocks by their definition, from what each agent's work took. */
static void check_clocks(const struct gpube_dpop_result *r, double latency)
{
	double clock[64] = {0}, last = 0;

	for (int32_t depth = r->height; depth > 0; depth--)
		for (int32_t a = 0; a < r->n_agents; a++) {
			const struct gpube_dpop_agent *agent = &r->agents[a];

			if (agent->depth != depth - 1)
				continue;
			clock[a] += agent->seconds_util;
			if (agent->parent >= 0)
				clock[agent->parent] =
					fmax(clock[agent->parent], clock[a] + latency);
		}
	for (int32_t depth = 0; depth < r->height; depth++)
		for (int32_t a = 0; a < r->n_agents; a++) {
			const struct gpube_dpop_agent *agent = &r->agents[a];

			if (agent->depth != depth)
				continue;
			if (agent->parent >= 0)
				clock[a] = fmax(clock[a], clock[agent->parent] + latency);
			clock[a] += agent->seconds_value;
			assert_true(fabs(clock[a] - agent->clock) < 1e-9);
			last = fmax(last, clock[a]);
		}
	assert_true(fabs(last - r->simulated_seconds) < 1e-9);
	assert_true(r->simulated_seconds >= 2 * latency * (r->height - 1));
}

static void check_run(const struct subject *t, struct dcop_opts *opts)
{
	const struct gpube_opts one = {.n_threads = 1};
	struct central c = {0};
	struct gpube_dpop_result *r;

	assert_int_equal(gpube_ctx_new(&c.ctx, &one), 0);
	opts->on_table = on_table;
	opts->on_table_arg = &c;
	assert_int_equal(dcop_solve(&r, t->m, opts, NULL), 0);
	assert_int_equal(c.n_wrong, 0);
	check_answer(t, r, r->n_split == 0);
	assert_true(opts->z || r->n_split == 0);
	if (r->n_agents && r->simulated_seconds > 0) {
		assert_int_equal(r->util_messages, r->n_agents - r->n_trees);
		assert_int_equal(r->value_messages, r->n_agents - r->n_trees);
		check_clocks(r, opts->latency);
	}
	if (c.made) {
		assert_int_equal(c.n_seen, c.n_tables);
		if (r->answer != GPUBE_ANSWER_INFEASIBLE)
			assert_true(c.bound == (maximises(t) ? -r->bound : r->bound));
		else
			assert_true(c.bound == GPUBE_INF || c.bound == c.m.top);
	}
	end_central(&c);
	gpube_result_free(r);
}

struct stop {
	int32_t at, n;
};

static void stop_at_table(
	void *arg, const struct gpube_mbe_run *run, int32_t mini, const void *cells)
{
	struct stop *s = arg;

	(void)mini;
	(void)cells;
	if (s->n++ == s->at)
		gpube_ctx_stop(run->mbe->ctx);
}

/* Stopped behind each of the first tables: what is proved then is no better than the optimum. */
static void check_stops(const struct subject *t, struct dcop_opts *opts)
{
	int64_t before = INT64_MIN;

	for (int32_t at = 0; at < 12; at++) {
		struct stop stop = {.at = at};
		struct gpube_dpop_result *r;
		int status;

		opts->on_table = stop_at_table;
		opts->on_table_arg = &stop;
		status = dcop_solve(&r, t->m, opts, NULL);
		assert_non_null(r);
		if (!status) { /* all of it was done */
			gpube_result_free(r);
			break;
		}
		assert_int_equal(status, GPUBE_ESTOP);
		assert_int_equal(r->answer, GPUBE_ANSWER_INCOMPLETE);
		assert_null(r->values);
		assert_true(r->bounded || r->n_split > 0);
		if (r->bounded && t->brute.feasible) {
			const int64_t bound = maximises(t) ? -r->bound : r->bound;

			assert_true(bound <= (maximises(t) ? -t->brute.cost : t->brute.cost));
			/* one thread: a table more, and no bound is lost */
			assert_true(ctx->n_threads > 1 || r->n_split > 0 || bound >= before);
			before = bound;
		}
		gpube_result_free(r);
	}
}

static void random_costs(void **state)
{
	uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct random_spec spec = random_spec_varied(seed, GPUBE_COSTS);
	struct gpube_model *m = random_model(ctx, &spec, seed);
	struct subject t = {.m = m};
	struct dcop_agents agents = {0};
	int32_t owner[64];
	struct gpube_rng rng;

	assert_non_null(m);
	assert_int_equal(brute_force(&t.brute, NULL, m), 0);
	gpube__rng_init(&rng, seed);
	agents.owner = owner;
	for (int32_t v = 0; v < m->n_vars; v++) { /* agent k's first variable makes it */
		int32_t k = (int32_t)gpube__rng_below(&rng, (uint64_t)agents.n + 1);

		owner[v] = k;
		agents.n += k == agents.n;
	}
	for (int z = 0; z < 4; z++)
		for (int how = 0; how < 4; how++) {
			struct dcop_opts opts = {.z = z,
				.first_fit = how % 2,
				.no_match = how / 2,
				.tree = {.heuristic =
						 (enum gpube_pseudotree)((seed + (uint64_t)z) % 8),
					.root = -1,
					.tries = 3,
					.seed = seed},
				.agents = (seed + (uint64_t)how) % 3 == 0 ? &agents : NULL,
				.latency = seed % 2 ? 0.25 : 0};

			if (z || how == 0) {
				check_run(&t, &opts);
				check_stops(&t, &opts);
			}
		}
	gpube_model_free(m);
}

/* Potentials are rounded to costs first; the answer is the most probable assignment. */
static void potentials(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 20; seed++) {
		struct random_spec spec = random_spec_default();
		struct dcop_opts opts = {.tree = {.heuristic = GPUBE_PSEUDOTREE_BEST, .root = -1}};
		struct gpube_dpop_result *r;
		struct gpube_model *m;
		struct brute brute;

		spec.kind = GPUBE_POTENTIALS;
		m = random_model(ctx, &spec, seed);
		assert_non_null(m);
		assert_int_equal(brute_force(&brute, NULL, m), 0);
		assert_int_equal(dcop_solve(&r, m, &opts, NULL), 0);
		assert_int_equal(
			r->answer, brute.feasible ? GPUBE_ANSWER_OPTIMAL : GPUBE_ANSWER_INFEASIBLE);
		if (brute.feasible)
			assert_true(fabs(r->log_value - brute.log_value) < 1e-6);
		gpube_result_free(r);
		gpube_model_free(m);
	}
}

/* ---- agent maps ------------------------------------------------------------------------------ */

static struct gpube_model *three_variables(void)
{
	const int64_t costs[4] = {3, 1, 1, 3};
	struct gpube_model *m;

	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	assert_int_equal(gpube_model_add_var(m, NULL, 2, "x"), 0);
	assert_int_equal(gpube_model_add_var(m, NULL, 2, "y"), 0);
	assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), 0);
	assert_int_equal(gpube_model_add_costs(m, 2, (int32_t[]){0, 1}, costs), 0);
	assert_int_equal(gpube_model_add_costs(m, 2, (int32_t[]){1, 2}, costs), 0);
	return m;
}

/* owner: by variable, as digits; NULL: refused with that text */
static const struct map {
	const char *name, *text, *owner, *message;
} maps[] = {
	{"map_pairs", "x alice\ny bob\n2 alice\n", "010", NULL},
	{"map_comments", "# who\nx alice # she\n\n  2   alice\n", "010", NULL},
	{"map_empty", "", "012", NULL},
	{"map_index", "0 a 1 a 2 a", "000", NULL},
	{"map_no_such_variable", "x a\nz a\n", NULL,
		":2: expected a variable (x, y, 2), found 'z'"},
	{"map_index_large", "3 a\n", NULL, ":1: expected a variable (x, y, 2), found '3'"},
	{"map_quoted", "\"x\" \"the north\"\ny \"the north\"", "001", NULL},
	{"map_twice", "x a\n0 b\n", NULL, ":2: expected every variable once, found '0' again"},
	{"map_no_agent", "x a\ny", NULL, "expected an agent"},
};

static void agent_map(void **state)
{
	const struct map *t = *state;
	struct gpube_model *m = three_variables();
	struct dcop_agents agents;
	char path[300];

	test_make_dir(dir);
	snprintf(path, sizeof(path), "%s/map", dir);
	test_put(path, t->text, strlen(t->text));
	if (t->owner) {
		assert_int_equal(dcop_agents_read(&agents, m, path), 0);
		for (int v = 0; v < 3; v++)
			assert_int_equal(agents.owner[v], t->owner[v] - '0');
		dcop_agents_clear(ctx, &agents);
	} else {
		assert_int_equal(dcop_agents_read(&agents, m, path), GPUBE_EPARSE);
		assert_non_null(strstr(gpube_error(ctx), t->message));
	}
	test_clear_dir(dir);
	gpube_model_free(m);
}

/* What a reader says: an agent without variables is left out, variables without one are agents. */
static void agents_of_a_model(void **state)
{
	struct gpube_model *m = three_variables();
	struct dcop_agents agents;

	(void)state;
	assert_int_equal(dcop_agents_of(&agents, m), 0);
	assert_int_equal(agents.n, 3);
	dcop_agents_clear(ctx, &agents);
	assert_int_equal(gpube__add_agent(m, NULL, "idle"), 0);
	assert_int_equal(gpube__add_agent(m, NULL, "bob"), 0);
	assert_int_equal(gpube__own(m, 1, 0), 0);
	assert_int_equal(gpube__own(m, 1, 2), 0);
	assert_int_equal(dcop_agents_of(&agents, m), 0);
	assert_int_equal(agents.n, 2);
	assert_string_equal(agents.names[agents.owner[0]], "bob");
	assert_int_equal(agents.owner[0], agents.owner[2]);
	assert_string_equal(agents.names[agents.owner[1]], "y");
	dcop_agents_clear(ctx, &agents);
	gpube_model_free(m);
}

/* Two agents, one with both ends of the chain: one message each way. */
static void two_agents(void **state)
{
	struct gpube_model *m = three_variables();
	int32_t owner[] = {0, 1, 0};
	struct dcop_agents agents = {.n = 2, .owner = owner};
	struct dcop_opts opts = {.agents = &agents, .tree = {.root = 0}};
	struct gpube_dpop_result *r;

	(void)state;
	assert_int_equal(dcop_solve(&r, m, &opts, NULL), 0);
	assert_int_equal(r->answer, GPUBE_ANSWER_OPTIMAL);
	assert_int_equal(r->cost, 2);
	assert_int_equal(r->util_messages, 1);
	assert_int_equal(r->value_messages, 1);
	assert_int_equal(r->agents[0].n_vars, 2);
	assert_int_equal(r->agents[1].parent, 0);
	assert_int_equal(r->agents[1].separator, 2);
	assert_int_equal(r->agents[1].util_bytes, 40 + 4 + 4 * 4);
	assert_int_equal(r->largest_bytes, 40 + 4 + 4 * 4);
	assert_int_equal(r->total_bytes, 40 + 4 + 4 * 4 + 40 + 2 * 8);
	gpube_result_free(r);
	gpube_model_free(m);
}

/* ---- what goes wrong ----------------------------------------------------------------- */

static void a_stop_is_told(void **state)
{
	struct gpube_model *m = three_variables();
	struct dcop_opts opts = {.tree = {.root = -1}};
	struct gpube_dpop_result *r;

	(void)state;
	gpube_ctx_stop(ctx);
	assert_int_equal(dcop_solve(&r, m, &opts, NULL), GPUBE_ESTOP);
	assert_int_equal(r->answer, GPUBE_ANSWER_INCOMPLETE);
	assert_null(r->values);
	gpube_result_free(r);
	gpube_ctx_resume(ctx);
	assert_int_equal(dcop_solve(&r, m, &opts, NULL), 0);
	gpube_result_free(r);
	gpube_model_free(m);
}

static void memory_is_limited(void **state)
{
	struct gpube_opts small = {.memory_bytes = 16};
	struct gpube_ctx *own, *usual = ctx;
	struct dcop_opts opts = {.tree = {.root = -1}};
	struct gpube_dpop_result *r;
	struct gpube_model *m;

	(void)state;
	assert_int_equal(gpube_ctx_new(&own, &small), 0);
	ctx = own;
	m = three_variables();
	assert_int_equal(dcop_solve(&r, m, &opts, NULL), GPUBE_ELIMIT);
	assert_null(r);
	assert_non_null(strstr(gpube_error(own), "the agents' tables need 20 bytes"));
	gpube_model_free(m);
	ctx = usual;
	gpube_ctx_free(own);
}

static struct gpube_model *three_of(struct gpube_ctx *c, const void *arg)
{
	struct gpube_ctx *usual = ctx;
	struct gpube_model *m;

	(void)arg;
	c->n_threads = 2;
	ctx = c;
	m = three_variables();
	ctx = usual;
	return m;
}

static int dpop_scarcely(struct gpube_ctx *c, struct gpube_model *m, const void *arg)
{
	const struct dcop_opts opts = {
		.tree = {.heuristic = GPUBE_PSEUDOTREE_BEST, .root = -1, .tries = 2}, .z = 2};
	struct gpube_dpop_result *r;
	int status = dcop_solve(&r, m, &opts, NULL);

	(void)c;
	(void)arg;
	gpube_result_free(r);
	return status;
}

static void memory_ends(void **state)
{
	(void)state;
	assert_in_range(fail_each_allocation(dpop_scarcely, three_of, NULL, 0), 10, 4999);
}

int main(void)
{
	struct cases c = {0};

	add_numbers(&c, random_costs, N_SEEDS, "random costs, seed");
	for (size_t k = 0; k < sizeof(maps) / sizeof(*maps); k++)
		add_case(&c, agent_map, &maps[k], "%s", maps[k].name);
	ADD_CASE(&c, potentials);
	ADD_CASE(&c, two_agents);
	ADD_CASE(&c, agents_of_a_model);
	ADD_CASE(&c, a_stop_is_told);
	ADD_CASE(&c, memory_is_limited);
	ADD_CASE(&c, memory_ends);
	return run_cases(&c, "dpop", ctx_setup_2_threads, ctx_teardown);
}
