/*
 * Functions by what they say (gpube/globals.h), with scopes that name variables twice, costs of
 * either sign and models of either direction: each assignment costs what the definition says, also
 * where a function becomes a chain; the same keyword in a file costs the same. After an error, of
 * memory or an argument, the model is as it was.
 */
#include "tests/support/test.h"

#include "formats/formats.h"
#include "gpube/globals.h"
#include "gpube/ir/model.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/files.h"
#include "tests/support/memory.h"

enum { N_SEEDS = 300, MOST_VARS = 9, MOST_SCOPE = 8, MOST_ITEMS = 6 };

struct drawn {
	struct gpube_rng rng;
	struct gpube_model *m;
	int32_t n_vars;
	int n, n_items;
	int32_t scope[MOST_SCOPE];
	struct gpube_term terms[MOST_SCOPE];
	enum gpube_relation relation;
	int64_t right, cost, costs[MOST_ITEMS];
	bool per_unit;
	int32_t values[MOST_ITEMS], least, most;
	struct gpube_occurrences counts[MOST_ITEMS];
	struct gpube_state starts[2], ends[2];
	struct gpube_transition transitions[MOST_ITEMS];
};

static int32_t below(struct drawn *d, int n)
{
	return (int32_t)gpube__rng_below(&d->rng, (uint64_t)n);
}

static int64_t draw_cost(struct drawn *d)
{
	return below(d, 4) == 0 ? GPUBE_INF : below(d, 20) - 10;
}

/* A model of few variables, now and then of so many that functions of all become chains. */
static void draw_model(struct drawn *d, uint64_t seed)
{
	gpube__rng_init(&d->rng, seed);
	assert_int_equal(gpube_model_new(&d->m, ctx, GPUBE_COSTS), 0);
	assert_int_equal(
		gpube_model_set_direction(d->m, below(d, 4) ? GPUBE_MINIMISE : GPUBE_MAXIMISE), 0);
	d->n_vars = 2 + below(d, MOST_VARS - 1);
	for (int32_t i = 0; i < d->n_vars; i++)
		assert_int_equal(
			gpube_model_add_var(d->m, NULL, 1 + below(d, d->n_vars > 7 ? 3 : 4), NULL),
			0);
	d->n = 1 + below(d, MOST_SCOPE);
	for (int k = 0; k < d->n; k++)
		d->scope[k] = below(d, d->n_vars);
	d->n_items = 1 + below(d, MOST_ITEMS);
}

/* ---- what they cost ------------------------------------------------------------------------- */

static int64_t times(int64_t cost, int64_t n)
{
	return n == 0 ? 0 : cost == GPUBE_INF ? GPUBE_INF : cost * n;
}

static int64_t outside(int64_t n, int64_t least, int64_t most)
{
	return n < least ? least - n : n > most ? n - most : 0;
}

static int64_t linear_cost(const struct drawn *d, const int32_t *values)
{
	int64_t sum = 0, off;

	for (int k = 0; k < d->n; k++) {
		const struct gpube_term *t = &d->terms[k];

		sum += t->value < 0 ? t->coefficient * values[t->var]
				    : t->coefficient * (values[t->var] == t->value);
	}
	off = outside(sum, d->relation == GPUBE_AT_MOST ? INT64_MIN / 4 : d->right,
		d->relation == GPUBE_AT_LEAST ? INT64_MAX / 4 : d->right);
	return times(d->cost, d->per_unit ? off : off != 0);
}

static bool is_listed(const struct drawn *d, int32_t value)
{
	for (int k = 0; k < d->n_items; k++)
		if (d->values[k] == value)
			return true;
	return false;
}

static int64_t all_different_cost(const struct drawn *d, const int32_t *values)
{
	int64_t n = 0;

	for (int i = 0; i < d->n; i++)
		for (int j = i + 1; j < d->n; j++)
			n += values[d->scope[i]] == values[d->scope[j]] &&
			     !is_listed(d, values[d->scope[i]]);
	return times(d->cost, n);
}

static int64_t gcc_cost(const struct drawn *d, const int32_t *values)
{
	int64_t off = 0;

	for (int k = 0; k < d->n_items; k++) {
		int64_t n = 0;

		for (int i = 0; i < d->n; i++)
			n += values[d->scope[i]] == d->counts[k].value;
		off += outside(n, d->counts[k].least, d->counts[k].most);
	}
	return times(d->cost, off);
}

static int64_t among_cost(const struct drawn *d, const int32_t *values)
{
	int64_t n = 0;

	for (int i = 0; i < d->n; i++)
		n += is_listed(d, values[d->scope[i]]);
	return times(d->cost, outside(n, d->least, d->most));
}

/* The dearest in a model that is maximised. */
static int64_t better(const struct drawn *d, int64_t a, int64_t b)
{
	if (a == GPUBE_INF || b == GPUBE_INF)
		return a == GPUBE_INF ? b : a;
	return (d->m->direction == GPUBE_MAXIMISE) == (a > b) ? a : b;
}

static int64_t plus(int64_t a, int64_t b)
{
	return a == GPUBE_INF || b == GPUBE_INF ? GPUBE_INF : a + b;
}

static int64_t best_from(const struct drawn *d, const int32_t *values, int k, int32_t state)
{
	int64_t best = GPUBE_INF;

	for (int e = 0; e < 2 && k == d->n; e++)
		if (d->ends[e].state == state)
			best = better(d, best, d->ends[e].cost);
	for (int t = 0; t < d->n_items && k < d->n; t++) {
		const struct gpube_transition *step = &d->transitions[t];

		if (step->from == state && step->value == values[d->scope[k]])
			best = better(
				d, best, plus(step->cost, best_from(d, values, k + 1, step->to)));
	}
	return best;
}

static int64_t regular_cost(const struct drawn *d, const int32_t *values)
{
	int64_t best = GPUBE_INF;

	for (int s = 0; s < 2; s++)
		best = better(d, best,
			plus(d->starts[s].cost, best_from(d, values, 0, d->starts[s].state)));
	return best;
}

/* The first cells are listed; of a variable that is there twice most cells are no assignment's. */
static int64_t tuples_cost(const struct drawn *d, const int32_t *values)
{
	int64_t cell = 0;

	for (int k = 0; k < d->n; k++)
		cell = cell * gpube_model_domain(d->m, d->scope[k]) + values[d->scope[k]];
	return cell < d->n_items ? d->costs[cell] : d->cost;
}

/* ---- what is added -------------------------------------------------------------------------- */

struct kind {
	void (*draw)(struct drawn *d);
	int (*add)(const struct drawn *d);
	int64_t (*cost)(const struct drawn *d, const int32_t *values);
};

static void draw_linear(struct drawn *d)
{
	for (int k = 0; k < d->n; k++) {
		const int32_t domain = gpube_model_domain(d->m, d->scope[k]);

		d->terms[k] = (struct gpube_term){
			d->scope[k], below(d, domain + 1) - 1, below(d, 21) - 10};
	}
	d->relation = (enum gpube_relation)below(d, 3);
	d->right = below(d, 41) - 20;
	d->cost = draw_cost(d);
	d->per_unit = below(d, 2);
}

static int add_linear(const struct drawn *d)
{
	return gpube_model_add_linear(
		d->m, d->n, d->terms, d->relation, d->right, d->cost, d->per_unit);
}

static void draw_values(struct drawn *d)
{
	for (int k = 0; k < d->n_items; k++)
		d->values[k] = below(d, 5);
	d->least = below(d, 4);
	d->most = d->least + below(d, 4);
	d->cost = draw_cost(d);
}

static void draw_different(struct drawn *d)
{
	draw_values(d);
	d->n_items = below(d, 3) ? 0 : d->n_items;
}

static int add_different(const struct drawn *d)
{
	return gpube_model_add_all_different(d->m, d->n, d->scope, d->n_items, d->values, d->cost);
}

static int add_among(const struct drawn *d)
{
	return gpube_model_add_among(
		d->m, d->n, d->scope, d->n_items, d->values, d->least, d->most, d->cost);
}

static void draw_gcc(struct drawn *d)
{
	draw_values(d);
	d->n_items = d->n_items > 4 ? 4 : d->n_items;
	for (int k = 0; k < d->n_items; k++) {
		d->counts[k].value = k;
		d->counts[k].least = below(d, 3);
		d->counts[k].most = d->counts[k].least + below(d, 3);
	}
}

static int add_gcc(const struct drawn *d)
{
	return gpube_model_add_gcc(d->m, d->n, d->scope, d->n_items, d->counts, d->cost);
}

static void draw_regular(struct drawn *d)
{
	for (int k = 0; k < 2; k++) {
		d->starts[k] = (struct gpube_state){k, draw_cost(d)};
		d->ends[k] = (struct gpube_state){1 + k, draw_cost(d)};
	}
	for (int k = 0; k < d->n_items; k++)
		d->transitions[k] = (struct gpube_transition){
			below(d, 3), below(d, 3), below(d, 3), draw_cost(d)};
}

static int add_regular(const struct drawn *d)
{
	return gpube_model_add_regular(
		d->m, d->n, d->scope, 3, 2, d->starts, 2, d->ends, d->n_items, d->transitions);
}

static void draw_tuples(struct drawn *d)
{
	int64_t cells = 1;

	for (int k = 0; k < d->n; k++)
		cells *= gpube_model_domain(d->m, d->scope[k]);
	d->n_items = d->n_items < cells ? d->n_items : (int)cells;
	for (int k = 0; k < d->n_items; k++)
		d->costs[k] = draw_cost(d);
	d->cost = draw_cost(d);
}

/* The first cells, the last one first. */
static int add_tuples(const struct drawn *d)
{
	int32_t tuples[MOST_ITEMS * MOST_SCOPE];
	int64_t costs[MOST_ITEMS];

	for (int k = 0; k < d->n_items; k++) {
		int32_t rest = d->n_items - 1 - k;

		costs[k] = d->costs[rest];
		for (int j = d->n - 1; j >= 0; j--) {
			tuples[k * d->n + j] = rest % gpube_model_domain(d->m, d->scope[j]);
			rest /= gpube_model_domain(d->m, d->scope[j]);
		}
	}
	return gpube_model_add_tuples(d->m, d->n, d->scope, d->cost, d->n_items, tuples, costs);
}

static const struct kind kinds[] = {
	{draw_tuples, add_tuples, tuples_cost},
	{draw_linear, add_linear, linear_cost},
	{draw_different, add_different, all_different_cost},
	{draw_values, add_among, among_cost},
	{draw_gcc, add_gcc, gcc_cost},
	{draw_regular, add_regular, regular_cost},
};

/* ---- all assignments ------------------------------------------------------------------------ */

static void check_costs(
	const struct drawn *d, int64_t (*cost)(const struct drawn *, const int32_t *))
{
	const int32_t n = gpube_model_n_vars(d->m);
	int32_t *values = gpube__alloc_zero(ctx, (uint64_t)n, sizeof(*values));
	int32_t k;

	assert_non_null(values);
	do {
		int64_t found;

		assert_int_equal(gpube_model_complete(values, d->m), 0);
		assert_int_equal(gpube_model_cost(&found, d->m, values), 0);
		assert_true(found == cost(d, values));
		for (k = d->n_vars - 1; k >= 0 && ++values[k] == gpube_model_domain(d->m, k); k--)
			values[k] = 0;
	} while (k >= 0);
	gpube__free(ctx, values);
}

static void costs_agree(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	const struct kind *kind = &kinds[seed % (sizeof(kinds) / sizeof(*kinds))];
	struct drawn d;

	draw_model(&d, seed);
	kind->draw(&d);
	assert_int_equal(kind->add(&d), 0);
	assert_int_equal(gpube_model_n_vars(d.m) - gpube_model_info(d.m)->n_hidden, d.n_vars);
	check_costs(&d, kind->cost);
	gpube_model_free(d.m);
}

/* Sums of ten variables have too many tuples for a table: a chain, whatever the relation. */
static void chains_agree(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct drawn d;

	draw_model(&d, seed);
	while (d.n_vars < MOST_VARS) {
		assert_int_equal(gpube_model_add_var(d.m, NULL, 3, NULL), 0);
		d.n_vars++;
	}
	d.n = MOST_SCOPE;
	for (int k = 0; k < d.n; k++)
		d.scope[k] = k + 1;
	draw_linear(&d);
	d.per_unit = true;
	d.cost = 1 + below(&d, 5);
	assert_int_equal(add_linear(&d), 0);
	check_costs(&d, linear_cost);
	gpube_model_free(d.m);
}

/* A sum of nothing is 0: what it costs is a constant. */
static void without_terms(void **state)
{
	static const int64_t priced[] = {0, 15, GPUBE_INF};
	int64_t cost;

	(void)state;
	for (int k = 0; k < 3; k++) {
		struct gpube_model *m;

		assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
		assert_int_equal(gpube_model_add_linear(m, 0, NULL, GPUBE_AT_LEAST, k ? 3 : 0,
					 k == 2 ? GPUBE_INF : 5, 1),
			0);
		/* a constant that forbids is a function of no variables */
		assert_int_equal(gpube_model_info(m)->n_functions, k == 2);
		assert_int_equal(gpube_model_cost(&cost, m, (int32_t[]){0}), 0);
		assert_true(cost == priced[k]);
		gpube_model_free(m);
	}
}

/* ---- errors --------------------------------------------------------------------------------- */

static void assert_same_model(const struct gpube_model *m, const struct gpube__model_mark *was)
{
	const struct gpube__model_mark now = gpube__model_mark(m);

	assert_int_equal(now.n_vars, was->n_vars);
	assert_int_equal(now.n_functions, was->n_functions);
	assert_int_equal(now.n_tables, was->n_tables);
	assert_int_equal(now.n_scopes, was->n_scopes);
	assert_int_equal(now.constant, was->constant);
	assert_int_equal(m->n_hidden, 0);
}

static int add_wrong(struct gpube_model *m, int which)
{
	static const int32_t scope[] = {0, 1}, beyond[] = {0, 9}, tuples[] = {0, 0, 0, 0},
			     far[] = {0, 5};
	static const int64_t costs[] = {1, 2};
	static const struct gpube_term terms[] = {{0, 7, 1}}, none[] = {{9, -1, 1}};
	static const struct gpube_occurrences counts[] = {{0, 2, 1}};
	static const struct gpube_state states[] = {{5, 0}};

	switch (which) {
	case 0: /* the same tuple twice */
		return gpube_model_add_tuples(m, 2, scope, 0, 2, tuples, costs);
	case 1: /* a value that the variable does not have */
		return gpube_model_add_tuples(m, 2, scope, 0, 1, far, costs);
	case 2:
		return gpube_model_add_tuples(m, 2, beyond, 0, 1, tuples, costs);
	case 3:
		return gpube_model_add_linear(m, 1, terms, GPUBE_AT_MOST, 1, 1, 0);
	case 4:
		return gpube_model_add_linear(m, 1, none, GPUBE_AT_MOST, 1, 1, 0);
	case 5:
		return gpube_model_add_linear(m, 0, NULL, (enum gpube_relation)7, 1, 1, 0);
	case 6:
		return gpube_model_add_all_different(m, 2, beyond, 0, NULL, 1);
	case 7: /* at least two, and at most one */
		return gpube_model_add_gcc(m, 2, scope, 1, counts, 1);
	case 8: /* no number that a cost may be */
		return gpube_model_add_gcc(m, 2, scope, 0, NULL, INT64_MIN);
	case 9:
		return gpube_model_add_among(m, 2, scope, 0, NULL, 2, 1, 1);
	case 10: /* a state beyond the automaton's */
		return gpube_model_add_regular(m, 2, scope, 2, 1, states, 1, states, 0, NULL);
	case 11:
		return gpube_model_add_global(m, "salldif", 2, scope, "var 1");
	case 12:
		return gpube_model_add_global(m, "salldiff", 2, scope, "var");
	case 13:
		return gpube_model_add_global(m, "salldiff", 2, scope, "var 1 2");
	case 14:
		return gpube_model_add_global(m, "salldiff", 2, scope, "var infinite");
	case 15:
		return gpube_model_add_among(m, 0, scope, 0, NULL, 0, 1, 1);
	case 16:
		return gpube_model_add_gcc(m, 0, NULL, 0, NULL, 1);
	case 17:
		return gpube_model_add_all_different(m, 0, scope, 0, NULL, 1);
	case 18: /* one 1 and nothing else, in either order; a value that nothing has */
		return gpube_model_add_global(m, "sgcc", 2, scope, "var 1 2 0 0 0 1 1 1");
	case 19:
		return gpube_model_add_global(m, "sgcc", 2, scope, "var 1 2 1 1 1 0 0 0");
	case 20:
		return gpube_model_add_global(m, "sgcc", 2, scope, "var 1 1 7 1 2");
	default: /* after a hidden copy was made */
		return gpube_model_add_global(m, "salldiff", 2, (int32_t[]){0, 0}, "vor 1");
	}
}

static void arguments(void **state)
{
	const int which = (int)(uintptr_t)*state;
	struct gpube__model_mark was;
	struct gpube_model *m;

	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int k = 0; k < 2; k++)
		assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), 0);
	was = gpube__model_mark(m);
	assert_int_equal(add_wrong(m, which), GPUBE_EINVAL);
	assert_true(strlen(gpube_error(ctx)) > 10);
	assert_same_model(m, &was);
	gpube_model_free(m);
}

/* Each allocation in turn is refused. */
static void memory(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	const struct kind *kind = &kinds[seed % (sizeof(kinds) / sizeof(*kinds))];
	struct gpube_ctx *const kept = ctx;
	struct test_memory scarce = {.fail_at = -1};
	struct gpube__model_mark was;
	struct drawn d;
	int status = GPUBE_ENOMEM;

	ctx = test_memory_ctx(&scarce);
	draw_model(&d, seed);
	kind->draw(&d);
	was = gpube__model_mark(d.m);
	for (int k = 0; status == GPUBE_ENOMEM; k++) {
		scarce.fail_at = scarce.n + k;
		status = kind->add(&d);
		scarce.fail_at = -1;
		if (status == GPUBE_ENOMEM)
			assert_same_model(d.m, &was);
	}
	assert_int_equal(status, 0);
	check_costs(&d, kind->cost);
	gpube_model_free(d.m);
	test_memory_end(ctx, &scarce);
	ctx = kept;
}

/* ---- the same in a file --------------------------------------------------------------------- */

static const struct keyword_case {
	const char *keyword, *parameters;
	int arity;
} keywords[] = {
	{"salldiff", "var 5", 4},
	{"salldiff", "dec 3", 4},
	{"wsum", "lin 2 == 4", 4},
	{"wsum", "hard 1000 <= 5", 4},
	{"wamong", "quad 2 2 0 1 1 2", 4},
	{"wgcc", "lin 1000 2 0 1 2 1 0 1", 4},
	{"wregular", "2 1 0 0 2 0 0 1 3 5 0 0 0 0 0 1 1 2 1 0 0 1 1 1 1 0 1 2 0 4", 4},
	{"knapsackp", "3 2 0 1 1 2 1 2 4 3 0 1 1 1 2 2 1 1 3", 4},
	{"wvarsum", "lin 2 ==", 4},
	{"max", "0 3 0 1 5 1 2 7 2 0 2", 4},
	{"=", "1 0", 2},
	{"disj", "1 2 9", 2},
};

static void as_in_a_file(void **state)
{
	const struct keyword_case *k = &keywords[(uintptr_t)*state];
	struct gpube_model *read, *m;
	int32_t scope[4] = {0, 1, 2, 3}, values[64];
	char text[300];

	snprintf(text, sizeof(text), "f 4 3 1 1000\n3 3 3 3\n%d 0 1%s -1 %s %s\n", k->arity,
		k->arity == 4 ? " 2 3" : "", k->keyword, k->parameters);
	test_put(in_dir("f.wcsp"), text, strlen(text));
	assert_int_equal(gpube_read(&read, ctx, in_dir("f.wcsp"), NULL), 0);
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int i = 0; i < 4; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, 3, NULL), 0);
	assert_int_equal(gpube_model_set_top(m, 1000), 0);
	assert_int_equal(gpube_model_add_global(m, k->keyword, k->arity, scope, k->parameters), 0);
	assert_int_equal(gpube_model_n_vars(m), gpube_model_n_vars(read));
	assert_int_equal(gpube_model_info(m)->n_functions, gpube_model_info(read)->n_functions);
	for (int a = 0; a < 81; a++) {
		int64_t cost[2];

		for (int i = 0, rest = a; i < 4; i++, rest /= 3)
			values[i] = rest % 3;
		assert_int_equal(gpube_model_complete(values, m), 0);
		assert_int_equal(gpube_model_cost(&cost[0], m, values), 0);
		assert_int_equal(gpube_model_cost(&cost[1], read, values), 0);
		assert_true(cost[0] == cost[1]);
	}
	gpube_model_free(m);
	gpube_model_free(read);
}

int main(void)
{
	struct cases c = {0};

	add_numbers(&c, costs_agree, N_SEEDS * 6, "costs, seed");
	add_numbers(&c, chains_agree, 40, "chains, seed");
	ADD_CASE(&c, without_terms);
	add_numbers(&c, arguments, 22, "wrong argument");
	add_numbers(&c, memory, 60, "without memory, seed");
	add_numbers(&c, as_in_a_file, sizeof(keywords) / sizeof(*keywords), "as in a file");
	return run_cases(&c, "globals", ctx_dir_setup, ctx_dir_teardown);
}
