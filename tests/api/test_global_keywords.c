/*
 * Every keyword of .wcsp and .cfn three ways: by a call, read from a .cfn, and from a .wcsp where
 * it has the costs. The models are the same, hidden variables and tables included, or all three are
 * refused for the same reason; and every assignment (of wide ones, some) costs what the keyword's
 * definition says, which is written here once more, by counting and by enumeration. So it does
 * where a scope names variables twice, which only calls can. 60 functions of each; GPUBE_SEEDS=5
 * draws 300.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include "gpube/globals.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/api/global_draw.h"
#include "tests/support/memory.h"
#include "tests/support/model_text.h"
#include "tests/support/random_model.h"

enum { N_SEEDS = 60, N_SAMPLES = 60 };

static struct gpube_model *variables(const struct global_drawn *d)
{
	struct gpube_model *m;

	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	if (d->maximise)
		assert_int_equal(gpube_model_set_direction(m, GPUBE_MAXIMISE), 0);
	assert_int_equal(gpube_model_set_top(m, d->maximise ? -GLOBAL_TOP : GLOBAL_TOP), 0);
	for (int i = 0; i < d->n_vars; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, d->domains[i], NULL), 0);
	return m;
}

static int read_cfn(struct gpube_model **m, const struct global_drawn *d)
{
	char text[2 * GLOBAL_TEXT], number[24];

	snprintf(text, sizeof(text),
		"{\"problem\": {\"name\": \"k\", \"mustbe\": \"%c%d\"}, "
		"\"variables\": [",
		d->maximise ? '>' : '<', d->maximise ? -GLOBAL_TOP : GLOBAL_TOP);
	for (int i = 0; i < d->n_vars; i++) {
		snprintf(number, sizeof(number), "%d, ", d->domains[i]);
		strcat(text, number);
	}
	strcat(text, "], \"functions\": [{\"scope\": [");
	for (int k = 0; k < d->call.n; k++) {
		snprintf(number, sizeof(number), "%d, ", d->scope[k]);
		strcat(text, number);
	}
	snprintf(text + strlen(text), sizeof(text) - strlen(text),
		"], \"type\": \"%s\", \"params\": {%s}}]}", d->keyword->name, d->cfn);
	return text_to_model(m, ctx, text, GPUBE_FORMAT_CFN);
}

static int read_wcsp(struct gpube_model **m, const struct global_drawn *d)
{
	char text[2 * GLOBAL_TEXT], number[24];

	snprintf(text, sizeof(text), "k %d 4 1 %d\n", d->n_vars, GLOBAL_TOP);
	for (int i = 0; i < d->n_vars; i++) {
		snprintf(number, sizeof(number), "%d ", d->domains[i]);
		strcat(text, number);
	}
	snprintf(text + strlen(text), sizeof(text) - strlen(text), "\n%d", d->call.n);
	for (int k = 0; k < d->call.n; k++) {
		snprintf(number, sizeof(number), " %d", d->scope[k]);
		strcat(text, number);
	}
	snprintf(text + strlen(text), sizeof(text) - strlen(text), " -1 %s%s\n", d->keyword->name,
		d->wcsp);
	return text_to_model(m, ctx, text, GPUBE_FORMAT_WCSP);
}

/* ---- what is the same ------------------------------------------------------------------------ */

static void assert_same_models(const struct gpube_model *a, const struct gpube_model *b)
{
	assert_int_equal(a->n_vars, b->n_vars);
	assert_int_equal(a->n_hidden, b->n_hidden);
	assert_int_equal(a->n_functions, b->n_functions);
	assert_int_equal(a->n_tables, b->n_tables);
	assert_int_equal(a->constant, b->constant);
	for (int32_t i = 0; i < a->n_vars; i++) {
		assert_int_equal(a->vars[i].domain, b->vars[i].domain);
		assert_int_equal(a->vars[i].hidden, b->vars[i].hidden);
		if (a->vars[i].name && b->vars[i].name)
			assert_string_equal(a->vars[i].name, b->vars[i].name);
	}
	for (int32_t f = 0; f < a->n_functions; f++) {
		const struct gpube_table *s = gpube__table(a, f), *t = gpube__table(b, f);

		assert_int_equal(a->functions[f].table, b->functions[f].table);
		assert_int_equal(s->arity, t->arity);
		assert_memory_equal(
			gpube__scope(a, f), gpube__scope(b, f), (size_t)s->arity * sizeof(int32_t));
		assert_int_equal(s->type, t->type);
		assert_int_equal(s->sparse, t->sparse);
		assert_int_equal(s->n, t->n);
		assert_memory_equal(s->values, t->values, (size_t)s->n * gpube__type_size(s->type));
		if (!s->sparse)
			continue;
		assert_int_equal(s->dflt.i, t->dflt.i);
		assert_memory_equal(
			s->tuples, t->tuples, (size_t)s->n * (size_t)s->arity * sizeof(*s->tuples));
	}
}

static void check_prices(struct global_drawn *d, const struct gpube_model *m)
{
	int32_t *values = gpube__alloc_zero(ctx, (uint64_t)m->n_vars, sizeof(*values));
	int32_t tuple[MOST_ARITY];
	double n = 1;
	int samples = 0;

	assert_non_null(values);
	for (int i = 0; i < d->n_vars; i++)
		n *= d->domains[i];
	for (int k = 0; k >= 0;) {
		int64_t cost;

		for (int i = 0; i < d->n_vars && n > 5000; i++)
			values[i] = (int32_t)global_below(d, d->domains[i]);
		for (int i = 0; i < d->call.n; i++)
			tuple[i] = values[d->scope[i]];
		assert_int_equal(gpube_model_complete(values, m), 0);
		assert_int_equal(gpube_model_cost(&cost, m, values), 0);
		if (cost != global_price(&d->call, tuple))
			fail_msg("%s%s: %lld, not %lld", d->keyword->name, d->text, (long long)cost,
				(long long)global_price(&d->call, tuple));
		for (k = d->n_vars - 1; k >= 0 && ++values[k] >= d->domains[k]; k--)
			values[k] = 0;
		if (n > 5000)
			k = ++samples < N_SAMPLES ? 0 : -1;
	}
	gpube__free(ctx, values);
}

/* The read model, or, where the call was refused, the same text behind file and line. */
static void compare(const struct gpube_model *m, const char *refused, struct gpube_model *read)
{
	if (*refused) {
		const char *behind = strstr(gpube_error(ctx), refused);

		if (!behind || strcmp(behind, refused) != 0)
			fail_msg("'%s', but '%s'", refused, gpube_error(ctx));
	} else if (!read) {
		fail_msg("%s", gpube_error(ctx));
	} else {
		assert_same_models(m, read);
	}
	gpube_model_free(read);
}

static int n_hidden;

static void three_ways(void **state)
{
	uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct global_drawn d;
	struct gpube_model *m, *read = NULL;
	char refused[512] = "";

	global_draw(&d, &gpube__keywords[seed % global_n_keywords()], seed, false);
	m = variables(&d);
	if (global_add(&d, m, d.scope)) {
		snprintf(refused, sizeof(refused), "%s", gpube_error(ctx));
		assert_true(global_may_refuse(&d.call));
		assert_int_equal(m->n_functions, 0);
		assert_int_equal(m->n_vars, d.n_vars);
	}
	if (!(d.keyword->flags & GPUBE_KEYWORD_WCSP)) {
		read_cfn(&read, &d);
		compare(m, refused, read);
	}
	read = NULL;
	if (!d.maximise && !d.signs) {
		read_wcsp(&read, &d);
		compare(m, refused, read);
	}
	if (!*refused)
		check_prices(&d, m);
	n_hidden += m->n_hidden > 0;
	gpube_model_free(m);
}

static void some_were_chains(void **state)
{
	(void)state;
	assert_true(n_hidden > N_SEEDS / 2);
}

/* A variable that is named twice counts twice; a variable of a list is where it is first. */
static void repeated(void **state)
{
	uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct global_drawn d;
	struct gpube_model *m;

	global_draw(&d, &gpube__keywords[seed % global_n_keywords()], seed, true);
	m = variables(&d);
	if (global_add(&d, m, d.scope) == 0)
		check_prices(&d, m);
	else
		assert_true(global_may_refuse(&d.call));
	gpube_model_free(m);
}

/* ---- without memory -------------------------------------------------------------------------- */

static struct gpube_model *make(struct gpube_ctx *scarce, const void *arg)
{
	struct gpube_ctx *const kept = ctx;
	struct gpube_model *m;

	ctx = scarce;
	m = variables(arg);
	ctx = kept;
	return m;
}

static int work(struct gpube_ctx *scarce, struct gpube_model *m, const void *arg)
{
	const struct gpube__model_mark was = gpube__model_mark(m);
	const struct global_drawn *d = arg;
	const int status = global_add(d, m, d->scope);

	(void)scarce;
	if (status) {
		assert_int_equal(m->n_vars, was.n_vars);
		assert_int_equal(m->n_functions, was.n_functions);
		assert_int_equal(m->n_tables, was.n_tables);
	}
	return status;
}

static void without_memory(void **state)
{
	uint64_t seed = (uint64_t)(uintptr_t)*state;
	const struct gpube_keyword *keyword = &gpube__keywords[seed % global_n_keywords()];
	struct gpube_model *m;
	struct global_drawn d;
	int status;

	do {
		global_draw(&d, keyword, seed, seed % 2);
		seed += 1000;
		m = variables(&d);
		status = global_add(&d, m, d.scope);
		gpube_model_free(m);
	} while (status || d.call.n > 6);
	assert_true(fail_each_allocation(work, make, &d, 40) > 0);
}

/* ---- typed calls ----------------------------------------------------------------------------- */

/* The same function by a typed call's arrays and by a keyword's text. */
static void typed(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	static const char *const names[] = {"wgcc", "wamong", "wregular", "salldiff"};
	const struct gpube_keyword *keyword = gpube__keyword(names[seed % 4], NULL);
	struct gpube_model *by_text, *by_arrays;
	struct gpube_occurrences counts[8];
	struct gpube_state ends[2][8];
	struct gpube_transition steps[8];
	int32_t values[8];
	struct global_drawn d;
	const struct global_list *l = d.call.lists;
	int status = GPUBE_OK;

	global_draw(&d, keyword, seed, seed % 3 == 0);
	by_text = variables(&d);
	by_arrays = variables(&d);
	for (int k = 0; k < l[0].n; k++) {
		const int64_t *v = &l[0].v[k * l[0].width];

		values[k] = (int32_t)v[0];
		if (seed % 4 == 0)
			counts[k] = (struct gpube_occurrences){
				(int32_t)v[0], (int32_t)v[1], (int32_t)v[2]};
	}
	for (int list = 0; list < 2 && seed % 4 == 2; list++)
		for (int k = 0; k < l[list].n; k++)
			ends[list][k] = (struct gpube_state){
				(int32_t)l[list].v[2 * k], l[list].v[2 * k + 1]};
	for (int k = 0; k < l[2].n && seed % 4 == 2; k++)
		steps[k] = (struct gpube_transition){(int32_t)l[2].v[4 * k],
			(int32_t)l[2].v[4 * k + 1], (int32_t)l[2].v[4 * k + 2], l[2].v[4 * k + 3]};
	if (seed % 4 == 2)
		status = gpube_model_add_regular(by_arrays, d.call.n, d.scope,
			(int32_t)d.call.scalars[0], l[0].n, ends[0], l[1].n, ends[1], l[2].n,
			steps);
	else if (seed % 4 == 0)
		status = gpube_model_add_gcc(
			by_arrays, d.call.n, d.scope, l[0].n, counts, d.call.scalars[0]);
	else if (seed % 4 == 1)
		status = gpube_model_add_among(by_arrays, d.call.n, d.scope, l[0].n, values,
			(int32_t)d.call.scalars[1], (int32_t)d.call.scalars[2], d.call.scalars[0]);
	else
		status = gpube_model_add_all_different(
			by_arrays, d.call.n, d.scope, 0, NULL, d.call.scalars[0]);
	/* those have one metric each, and of a maximised model penalties are theirs alone */
	if (strcmp(d.call.metric, "quad") != 0 && strcmp(d.call.metric, "var") != 0 &&
		(strcmp(d.call.metric, "hard") != 0 || d.call.scalars[0] == GPUBE_INF) &&
		!d.maximise && global_add(&d, by_text, d.scope) == 0) {
		assert_int_equal(status, 0);
		assert_same_models(by_text, by_arrays);
	}
	gpube_model_free(by_text);
	gpube_model_free(by_arrays);
}

int main(void)
{
	struct cases c = {0};
	const size_t n = global_n_keywords();

	add_seeds(&c, three_ways, n * N_SEEDS, "three ways, seed");
	ADD_CASE(&c, some_were_chains);
	add_seeds(&c, typed, 4 * N_SEEDS, "typed, seed");
	add_seeds(&c, repeated, n * N_SEEDS / 2, "variables twice, seed");
	add_numbers(&c, without_memory, n * 2, "without memory, seed");
	return run_cases(&c, "global keywords", ctx_dir_setup, ctx_dir_teardown);
}
