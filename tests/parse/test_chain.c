/*
 * Keywords as chains over hidden variables: 500 random functions of each, small enough for a table,
 * too. For every assignment there is one value of the hidden variables that is allowed, with the
 * table's cost, or none where the table forbids it; and that is what gpube_model_complete() gives.
 */
#include "tests/support/test.h"

#include "formats/common/reading.h"
#include "gpube/globals/chain.h"
#include "tests/support/context.h"
#include "tests/support/files.h"
#include "tests/support/model_text.h"
#include "tests/support/random_model.h"

enum { CASES = 500, MAX_ARITY = 6, STATES = 3 };

/* Parameters are drawn as they are asked for. */
struct drawn {
	struct gpube_call *call;
	struct gpube_rng rng;
	char tag[32], word[16];
	int64_t nth, low, count;
};

static int64_t below(struct drawn *d, int64_t n)
{
	return (int64_t)gpube__rng_below(&d->rng, (uint64_t)n);
}

static int draw_tag(void *reader, const char *tag, size_t n)
{
	struct drawn *d = reader;

	snprintf(d->tag, sizeof(d->tag), "%.*s", (int)n, tag);
	d->nth = 0;
	return GPUBE_OK;
}

static int64_t draw_count(struct drawn *d)
{
	/* the two lists of ssame have one length */
	if (d->call->keyword->flags & GPUBE_KEYWORD_COUNTS)
		return d->count;
	if (strcmp(d->tag, "deltacosts") == 0)
		return 0;
	return strcmp(d->tag, "transitions") == 0 ? 4 + below(d, 8) : 1 + below(d, 3);
}

static int draw_word(void *reader, const char **word, const char *what)
{
	static const char *const comparators[] = {"==", "!=", "<", "<=", ">", ">="};
	struct drawn *d = reader;
	const char *at = d->call->keyword->metrics;
	int64_t n = 1;

	*word = d->word;
	if (strcmp(what, "a comparator") == 0) {
		*word = comparators[below(d, 6)];
		return GPUBE_OK;
	}
	for (const char *p = at; *p; p++)
		n += *p == ' ';
	for (n = below(d, n); n > 0; n--)
		at = strchr(at, ' ') + 1;
	snprintf(d->word, sizeof(d->word), "%.*s", (int)strcspn(at, " "), at);
	return GPUBE_OK;
}

static int draw_cost(void *reader, int64_t *v, bool signs)
{
	struct drawn *d = reader;

	d->nth++;
	/* .wcsp, which has a top from the beginning, has no negative costs */
	*v = below(d, signs ? 11 : 7) - (signs && d->call->hard_from == GPUBE_INF ? 5 : 0);
	if (below(d, 8) == 0)
		*v = GPUBE_INF;
	return GPUBE_OK;
}

static int draw_integer(void *reader, int64_t *v, int64_t min, int64_t max, const char *what)
{
	struct drawn *d = reader;
	const bool bounds = strcmp(d->tag, "bounds") == 0;
	int64_t nth;

	(void)max;
	if (strcmp(what, "a count") == 0) {
		*v = draw_count(d);
		return GPUBE_OK;
	}
	nth = d->nth++;
	if (min == -INT64_MAX)
		*v = below(d, 15) - 4;
	else if (strcmp(what, "a variable") == 0)
		*v = below(d, d->call->arity);
	else if (strcmp(what, "a value") == 0)
		*v = bounds ? nth / 3 : below(d, 5);
	else if (strcmp(d->tag, "nb_states") == 0)
		*v = STATES;
	else if (strcmp(d->tag, "starts") == 0 || strcmp(d->tag, "ends") == 0 ||
		 strcmp(d->tag, "transitions") == 0)
		*v = below(d, STATES);
	else if (bounds && nth % 3 == 2)
		*v = d->low + below(d, 3);
	else
		*v = d->low = below(d, d->call->arity + 1);
	return GPUBE_OK;
}

/* ---- what the chain allows, without its help -------------------------------------------- */

struct tried {
	const struct gpube_model *m;
	int32_t values[2000];
	int64_t n_allowed, cost; /* the last one's */
};

/* What the functions whose last variable is 'var' cost; GPUBE_INF: forbidden. */
static int64_t cost_up_to(const struct tried *t, int32_t var)
{
	int64_t sum = 0;

	for (int32_t f = 0; f < t->m->n_functions; f++) {
		const int32_t *scope = gpube__scope(t->m, f);
		int32_t tuple[8], last = -1;
		int64_t cost;

		for (int k = 0; k < t->m->functions[f].arity; k++) {
			last = scope[k] > last ? scope[k] : last;
			tuple[k] = t->values[scope[k]];
		}
		if (last != var)
			continue;
		cost = cost_at(t->m, f, tuple);
		if (cost == GPUBE_INF)
			return GPUBE_INF;
		sum += cost;
	}
	return sum;
}

static void try_from(struct tried *t, int32_t var, int64_t sum)
{
	if (var == t->m->n_vars) {
		t->n_allowed++;
		t->cost = sum;
		return;
	}
	for (int32_t v = 0; v < t->m->vars[var].domain; v++) {
		int64_t cost;

		t->values[var] = v;
		cost = cost_up_to(t, var);
		if (cost != GPUBE_INF)
			try_from(t, var + 1, sum + cost);
	}
}

static struct tried tried;

static void assert_same(const struct gpube_model *table, const struct gpube_model *chain)
{
	int32_t values[MAX_ARITY] = {0};

	assert_int_equal(chain->n_vars - chain->n_hidden, table->n_vars);
	do {
		const bool worse = table->direction == GPUBE_MAXIMISE;
		int64_t cost, again;
		int64_t sum = 0;

		assert_int_equal(gpube_model_cost(&cost, table, values), 0);
		tried.m = chain;
		tried.n_allowed = 0;
		for (int32_t i = 0; i < table->n_vars; i++)
			tried.values[i] = values[i];
		for (int32_t i = 0; i < table->n_vars && sum != GPUBE_INF; i++) {
			const int64_t more = cost_up_to(&tried, i);

			sum = more == GPUBE_INF ? GPUBE_INF : sum + more;
		}
		if (sum != GPUBE_INF)
			try_from(&tried, table->n_vars, sum);
		if (tried.n_allowed && !worse && tried.cost >= chain->top)
			tried.n_allowed = 0;
		assert_int_equal(tried.n_allowed, cost != GPUBE_INF);
		if (cost != GPUBE_INF)
			assert_int_equal(tried.cost, cost);
		assert_int_equal(gpube_model_complete(tried.values, chain), 0);
		assert_int_equal(gpube_model_cost(&again, chain, tried.values), 0);
		assert_int_equal(again, cost);
	} while (next_assignment(values, table));
}

/* ---- cases --------------------------------------------------------------------------------- */

static struct gpube_model *empty_model(struct drawn *d, int arity, int top, bool maximise)
{
	const bool parents = d->call->keyword->params[0] == 0;
	struct gpube_model *m;

	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	assert_int_equal(
		gpube_model_set_direction(m, maximise ? GPUBE_MAXIMISE : GPUBE_MINIMISE), 0);
	if (!maximise)
		assert_int_equal(gpube_model_set_top(m, top ? top : GPUBE_INF), 0);
	for (int i = 0; i < arity; i++) {
		const int32_t most = parents && arity < 4 ? arity : 4;
		const bool two = strcmp(d->call->keyword->name, "knapsack") == 0;

		assert_int_equal(
			gpube_model_add_var(m, NULL, 1 + (int32_t)below(d, two ? 2 : most), NULL),
			0);
	}
	return m;
}

/* False: the parameters do not go together. */
static bool one_case(const struct gpube_keyword *keyword, struct gpube_in *in, uint64_t seed)
{
	const struct gpube_source source = {
		.integer = draw_integer, .cost = draw_cost, .word = draw_word, .tag = draw_tag};
	const int32_t scope[MAX_ARITY] = {0, 1, 2, 3, 4, 5};
	struct gpube_call call = {
		.sink = gpube__in_sink(in), .keyword = keyword, .unit = 1, .scope = scope};
	struct drawn d = {.call = &call};
	struct gpube_source s = source;
	struct gpube_model *table, *chain;
	bool read, maximise;
	int top;

	s.reader = &d;
	gpube__rng_init(&d.rng, seed);
	call.arity = 2 + (int)below(&d, keyword->params[0] ? MAX_ARITY - 1 : 4);
	top = below(&d, 2) ? 12 : 0;
	maximise = below(&d, 5) == 0;
	call.hard_from = top && !maximise ? top : GPUBE_INF;
	d.count = 1 + below(&d, 3);
	call.m = table = empty_model(&d, call.arity, top, maximise);
	assert_int_equal(gpube_model_new(&chain, ctx, GPUBE_COSTS), 0);
	chain->direction = table->direction;
	chain->top = table->top;
	for (int i = 0; i < call.arity; i++)
		assert_int_equal(gpube_model_add_var(chain, NULL, table->vars[i].domain, NULL), 0);
	in->status = GPUBE_OK;
	read = gpube__call_read(&call, &s) == GPUBE_OK && !gpube__pairwise(&call);
	if (read) {
		if (gpube__call_expand_within(&call, INT64_MAX))
			fail_msg("%s", gpube_error(ctx));
		assert_int_equal(table->n_hidden, 0);
		call.m = chain;
		if (gpube__call_expand_within(&call, 0))
			fail_msg("%s", gpube_error(ctx));
		assert_same(table, chain);
	}
	gpube__call_clear(&call);
	gpube_model_free(table);
	gpube_model_free(chain);
	return read;
}

static void keyword_case(void **state)
{
	const struct gpube_keyword *keyword = *state;
	struct gpube_in in;
	int n = 0;

	test_put(in_dir("empty"), "", 0);
	assert_int_equal(gpube__in_open(&in, ctx, in_dir("empty")), 0);
	for (uint64_t seed = 0; n < CASES && seed < 40 * CASES; seed++)
		n += one_case(keyword, &in, seed);
	if (n < CASES)
		fail_msg("%d cases of %s", n, keyword->name);
	in.status = GPUBE_OK;
	gpube__in_close(&in);
}

int main(void)
{
	static struct CMUnitTest tests[64];
	size_t n = 0;

	for (const struct gpube_keyword *k = gpube__keywords; k->name; k++) {
		/* always pairs, or no automaton */
		if ((k->flags & (GPUBE_KEYWORD_BINARY | GPUBE_KEYWORD_GRAMMAR)) ||
			strcmp(k->name, "alldiff") == 0 || strcmp(k->name, "clique") == 0 ||
			strcmp(k->name, "salldiffkp") == 0)
			continue;
		tests[n++] = (struct CMUnitTest){k->name, keyword_case, NULL, NULL, (void *)k};
	}
	return _cmocka_run_group_tests("chain", tests, n, ctx_dir_setup, ctx_dir_teardown);
}
