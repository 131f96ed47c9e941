/*
 * test_forms.c - random coalition games there and back: through files of each kind, and as models
 * of costs, with the same values, names and optimum.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include <math.h>

#include "csg/csg.h"
#include "formats/formats.h"
#include "gpube/base/base.h"
#include "gpube/forms/model_as.h"
#include "gpube/ir/coalition_table.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/structures.h"

enum { SEEDS = 420, MOST_AGENTS = 7, LISTS = 260 };

static struct gpube_model *draw(uint64_t seed, struct gpube_rng *rng)
{
	const enum gpube_type type = (enum gpube_type)(GPUBE_INT16 + seed % 5);
	const int n = 1 + (int)(seed / 5 % MOST_AGENTS);
	struct gpube_model *g;

	assert_int_equal(gpube_coalitions_new(&g, ctx, n, type), GPUBE_OK);
	for (uint64_t c = 1; c < (uint64_t)1 << n; c++)
		put_scaled(g, c,
			gpube__rng_below(rng, 6) ? (double)gpube__rng_below(rng, 99) - 20
						 : -INFINITY);
	return g;
}

static void same_values(const struct gpube_model *a, const struct gpube_model *b)
{
	assert_int_equal(gpube_model_n_vars(a), gpube_model_n_vars(b));
	for (uint64_t c = 0; c >> gpube_model_n_vars(a) == 0; c++)
		assert_true(gpube_coalitions_value(a, c) == gpube_coalitions_value(b, c));
}

static double best_of(const struct gpube_model *g)
{
	struct gpube_csg_result *r;
	double best;

	assert_int_equal(gpube_csg(&r, g, NULL), GPUBE_OK);
	best = r->answer == GPUBE_CSG_INFEASIBLE ? -INFINITY : r->value;
	gpube_result_free(r);
	return best;
}

static void through_files(const struct gpube_model *g)
{
	static const char *const names[] = {"g.csg", "g.txt", "g.csg.gz"};
	const struct gpube_opts opts = {.check = 1};

	for (int k = 0; k < 3; k++) {
		struct gpube_model *back;

		assert_int_equal(gpube_write(g, in_dir(names[k]), &opts, NULL), GPUBE_OK);
		assert_int_equal(gpube_read(&back, ctx, in_dir(names[k]), NULL), GPUBE_OK);
		assert_int_equal(gpube_coalitions_type(back), gpube_coalitions_type(g));
		same_values(g, back);
		gpube_model_free(back);
	}
}

static void name_agents(struct gpube_model *g, struct gpube_rng *rng)
{
	for (int i = 0; i < g->n_vars; i++) {
		char name[16];

		if (gpube__rng_below(rng, 3) == 0)
			continue;
		snprintf(name, sizeof(name), "ann %d", i * 7);
		g->vars[i].name = gpube__strdup(ctx, name);
		assert_non_null(g->vars[i].name);
	}
}

static void same_names(const struct gpube_model *a, const struct gpube_model *b)
{
	for (int i = 0; i < a->n_vars; i++) {
		assert_int_equal(!a->vars[i].name, !b->vars[i].name);
		if (a->vars[i].name)
			assert_string_equal(a->vars[i].name, b->vars[i].name);
	}
}

/* What lies in a file, too, in which agents and coalitions have other names. */
static void back_through_file(const struct gpube_model *costs, const struct gpube_model *g)
{
	struct gpube_model *read, *back;

	assert_int_equal(gpube_write(costs, in_dir("g.cfn"), NULL, NULL), GPUBE_OK);
	assert_int_equal(gpube_read(&read, ctx, in_dir("g.cfn"), NULL), GPUBE_OK);
	if (gpube__coalitions_of_costs(&back, read))
		fail_msg("%s", gpube_error(ctx));
	if (g->n_vars < 16)
		same_values(g, back);
	assert_true(best_of(g) == best_of(back));
	gpube_model_free(back);
	gpube_model_free(read);
}

/* With one cell changed it is no game, or one of the same optimum. */
static void change_cell(struct gpube_model *costs, struct gpube_rng *rng)
{
	struct gpube_table *t = &costs->tables[gpube__rng_below(rng, (uint64_t)costs->n_tables)];
	const struct gpube_opts opts = {.method = GPUBE_BOUND_ELIMINATE};
	struct gpube_model *back;
	struct gpube_solution *s;
	int64_t k;

	if (!t->n)
		return;
	k = (int64_t)gpube__rng_below(rng, (uint64_t)t->n);
	if (gpube__table_int(t, k) == GPUBE_INF)
		return;
	((char *)t->values)[(size_t)k * gpube__type_size(t->type)] ^= 1;
	if (gpube__coalitions_of_costs(&back, costs))
		return;
	assert_int_equal(gpube_solve(&s, costs, &opts), GPUBE_OK);
	assert_true(s->answer == GPUBE_ANSWER_INFEASIBLE ? best_of(back) == -INFINITY
							 : best_of(back) == (double)s->cost);
	gpube_result_free(s);
	gpube_model_free(back);
}

/* A structure is an assignment, and the model is read back as the game. */
static void as_partitions(struct gpube_model *g, struct gpube_rng *rng)
{
	struct gpube_model *costs, *back;
	struct gpube_solution *s;
	const double best = best_of(g);

	assert_int_equal(gpube__costs_of_coalitions(&costs, g), GPUBE_OK);
	assert_int_equal(gpube_solve(&s, costs, NULL), GPUBE_OK);
	assert_true(
		s->answer == GPUBE_ANSWER_INFEASIBLE ? best == -INFINITY : (double)s->cost == best);
	gpube_result_free(s);
	gpube_model_free(costs);
	name_agents(g, rng);
	assert_int_equal(gpube__costs_of_coalitions(&costs, g), GPUBE_OK);
	assert_int_equal(gpube__coalitions_of_costs(&back, costs), GPUBE_OK);
	same_values(g, back);
	same_names(g, back);
	gpube_model_free(back);
	if (best > -INFINITY)
		back_through_file(costs, g);
	change_cell(costs, rng);
	gpube_model_free(costs);
}

/* Few coalitions of more agents: a list, of which each is a set. */
static void listed(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct gpube_model *g, *costs, *back;
	struct gpube_rng rng;
	FILE *f = fopen(in_dir("l.txt"), "w");
	int n;

	gpube__rng_init(&rng, seed);
	n = GPUBE_CHAIN_AGENTS + 1 + (int)gpube__rng_below(&rng, 8);
	assert_non_null(f);
	fprintf(f, "csg %d int32\n", n);
	for (uint64_t k = 0, c = 0; k < 30 + seed % 40 && c + 200 < (uint64_t)1 << n; k++) {
		c += 1 + gpube__rng_below(&rng, (((uint64_t)1 << n) - c) / 80);
		while ((c & (c - 1)) == 0) /* those of one agent come below */
			c++;
		fprintf(f, "%llu %d\n", (unsigned long long)c,
			(int)gpube__rng_below(&rng, 99) - 20);
	}
	for (int i = 0; i < n && seed % 3; i++)
		fprintf(f, "{%d} %d\n", i + 1, (int)gpube__rng_below(&rng, 9));
	fclose(f);
	assert_int_equal(gpube_read(&g, ctx, in_dir("l.txt"), NULL), GPUBE_OK);
	name_agents(g, &rng);
	assert_int_equal(gpube__costs_of_coalitions(&costs, g), GPUBE_OK);
	assert_int_equal(gpube__coalitions_of_costs(&back, costs), GPUBE_OK);
	same_names(g, back);
	if (n < 18)
		same_values(g, back);
	else
		assert_int_equal(gpube__coalitions_table(g)->n, gpube__coalitions_table(back)->n);
	assert_true(best_of(g) == best_of(back));
	gpube_model_free(back);
	if (best_of(g) > -INFINITY)
		back_through_file(costs, g);
	gpube_model_free(costs);
	gpube_model_free(g);
}

/* One function over the agents, in any order of them, which have names. */
static void as_one_function(const struct gpube_model *g, struct gpube_rng *rng)
{
	const int n = gpube_model_n_vars(g);
	int64_t cost[1 << MOST_AGENTS];
	int32_t scope[MOST_AGENTS];
	struct gpube_model *m, *back;
	char name[16];

	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), GPUBE_OK);
	assert_int_equal(gpube_model_set_scale(m, 2), GPUBE_OK);
	for (int i = 0; i < n; i++) {
		const int k = (int)gpube__rng_below(rng, (uint64_t)i + 1);

		scope[i] = scope[k];
		scope[k] = i;
		snprintf(name, sizeof(name), "agent %d", i);
		assert_int_equal(gpube_model_add_var(m, NULL, 2, name), GPUBE_OK);
	}
	for (int k = 0; k < 1 << n; k++) {
		uint64_t c = 0;
		double v;

		for (int i = 0; i < n; i++)
			c |= (uint64_t)(k >> (n - 1 - i) & 1) << scope[i];
		v = gpube_coalitions_value(g, c);
		cost[k] = v == -INFINITY ? GPUBE_INF : 5 - (int64_t)v;
	}
	assert_int_equal(gpube_model_add_costs(m, n, scope, cost), GPUBE_OK);
	assert_int_equal(gpube__coalitions_of_costs(&back, m), GPUBE_OK);
	same_values(g, back);
	assert_int_equal(gpube_model_info(back)->scale, 2);
	for (int i = 0; i < n; i++)
		assert_string_equal(gpube_model_var_name(back, i), gpube_model_var_name(m, i));
	gpube_model_free(back);
	gpube_model_free(m);
}

static void there_and_back(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct gpube_rng rng;
	struct gpube_model *g;

	gpube__rng_init(&rng, seed);
	g = draw(seed, &rng);
	through_files(g);
	if (gpube_coalitions_type(g) <= GPUBE_INT64) {
		as_one_function(g, &rng);
		as_partitions(g, &rng);
	}
	gpube_model_free(g);
}

int main(void)
{
	struct cases c = {0};

	add_numbers(&c, there_and_back, SEEDS, "game");
	add_numbers(&c, listed, LISTS, "list");
	return run_cases(&c, "forms", ctx_dir_setup, ctx_dir_teardown);
}
