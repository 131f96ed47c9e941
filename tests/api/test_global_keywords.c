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
#include "gpube/globals/intension.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/global_prices.h"
#include "tests/support/memory.h"
#include "tests/support/model_text.h"
#include "tests/support/random_model.h"

enum { N_SEEDS = 60, TOP = 1000000000, N_SAMPLES = 60, TEXT = 6000 };

/* The function's parameters, and the three texts of them. */
struct drawn {
	struct gpube_rng rng;
	const struct gpube_keyword *keyword;
	struct global_call call;
	bool maximise, signs, large;
	int n_vars;
	int32_t domains[MOST_ARITY + 1], scope[MOST_ARITY];
	char wcsp[TEXT], text[TEXT], cfn[TEXT];
};

static int64_t below(struct drawn *d, int64_t n)
{
	return (int64_t)gpube__rng_below(&d->rng, (uint64_t)n);
}

static bool is(const struct drawn *d, const char *name)
{
	return strcmp(d->keyword->name, name) == 0;
}

/* ---- parameters ------------------------------------------------------------------------------ */

static void append(char *to, const char *format, const char *word)
{
	const size_t n = strlen(to);

	assert_true((size_t)snprintf(to + n, TEXT - n, format, word) < TEXT - n);
}

static void say_number(struct drawn *d, int64_t v, bool cost)
{
	char number[32], top[32];

	snprintf(number, sizeof(number), "%lld", (long long)v);
	snprintf(top, sizeof(top), "%d", TOP);
	append(d->wcsp, " %s", cost && v == GPUBE_INF ? top : number);
	append(d->text, " %s",
		!cost || v != GPUBE_INF      ? number
		: d->maximise || below(d, 2) ? "inf"
					     : top);
	append(d->cfn, "%s, ", cost && v == GPUBE_INF ? "inf" : number);
}

/* How many items; .wcsp and calls say it, .cfn has brackets. */
static void say_count(struct drawn *d, int n)
{
	char number[16];

	snprintf(number, sizeof(number), "%d", n);
	append(d->wcsp, " %s", number);
	append(d->text, " %s", number);
}

static int64_t draw_weight(struct drawn *d, bool capacity)
{
	const int64_t v = capacity ? below(d, 25) - 8 : below(d, 16) - 6;

	return d->large ? v * ((int64_t)1 << 55) : v;
}

static int64_t draw_integer(struct drawn *d, const char *tag, int nth)
{
	static const struct {
		const char *tag;
		int from, n;
	} ranges[] = {{"cst", -3, 8}, {"delta", 0, 5}, {"cstx", 0, 4}, {"csty", 0, 4},
		{"xinfty", 0, 5}, {"yinfty", 0, 5}, {"to", -2, 12}, {"nb_states", 3, 1},
		{"nb_symbols", 4, 1}, {"nb_values", 3, 1}, {"start", 0, 4}, {"rhs", 1, 1},
		{"starts", 0, 3}, {"ends", 0, 3}, {"transitions", 0, 3}};
	const int64_t arity = d->call.n;

	for (size_t k = 0; k < sizeof(ranges) / sizeof(*ranges); k++)
		if (strcmp(tag, ranges[k].tag) == 0)
			return ranges[k].from + below(d, ranges[k].n);
	if (strcmp(tag, "bounds") == 0)
		return nth % 2 ? d->call.low + below(d, 3) : (d->call.low = below(d, arity + 2));
	if (strcmp(tag, "max") == 0)
		return d->call.low + below(d, 3);
	return d->call.low = below(d, arity + 3) - 1; /* min, distance */
}

/* One number by its letter; of a list's entry number 'row' the nth. */
static int64_t draw_letter(struct drawn *d, char letter, const char *tag, int row, int nth)
{
	int64_t v;

	switch (letter) {
	case 'c':
	case 'C':
		v = below(d, 8) == 0 ? GPUBE_INF : below(d, 7);
		if (letter == 'c' && d->maximise && below(d, 20))
			v = v == GPUBE_INF ? v : 0;
		if (letter == 'C' && d->signs && v != GPUBE_INF)
			v -= 3;
		say_number(d, v, true);
		return v;
	case 'V':
		v = below(d, d->call.n);
		say_number(d, d->scope[v], false);
		for (int k = 0; k < d->call.n; k++)
			if (d->scope[k] == d->scope[v])
				return k; /* where it is first */
		return v;
	case 'v':
		v = strcmp(tag, "bounds") == 0 && below(d, 30) ? row : below(d, 5);
		break;
	case 'l':
		v = draw_weight(d, strcmp(tag, "capacity") == 0);
		break;
	default:
		v = draw_integer(d, tag, nth);
	}
	say_number(d, v, false);
	return v;
}

static int draw_count(struct drawn *d, const char *tag)
{
	if (strcmp(tag, "deltacosts") == 0)
		return below(d, 20) == 0;
	if (strcmp(tag, "transitions") == 0)
		return (int)below(d, 9);
	return (int)below(d, 4);
}

/* A rule of a grammar in both forms: kind, symbol, what it becomes, weight. */
static void draw_rules(struct drawn *d, struct global_list *l)
{
	const bool weights = strcmp(d->call.metric, "weight") == 0;

	l->n = 2 + (int)below(d, 5);
	l->width = 5;
	say_count(d, l->n);
	for (int pass = 0; pass < 2; pass++) {
		append(d->cfn, "\"%s\": [", pass ? "non_terminals" : "terminals");
		for (int k = 0; k < l->n; k++) {
			int64_t *r = &l->v[5 * k];

			/* the values first, as .cfn has them */
			if ((k >= (l->n + 1) / 2) != pass)
				continue;
			r[0] = pass + 2 * weights;
			r[1] = below(d, 4);
			r[2] = below(d, pass ? 4 : 3);
			r[3] = pass ? below(d, 4) : 0;
			r[4] = weights ? below(d, 6) : 0;
			for (int j = 0; j < 5; j++) {
				char number[24];

				snprintf(number, sizeof(number), "%lld", (long long)r[j]);
				if ((j == 3 && !pass) || (j == 4 && !weights))
					continue;
				append(d->wcsp, " %s", number);
				append(d->text, " %s", number);
				append(d->cfn,
					j == 0   ? "%s"
					: j == 1 ? "[%s"
						 : ", %s",
					j == 0 ? "" : number);
			}
			append(d->cfn, "], %s", "");
		}
		append(d->cfn, "], %s", "");
	}
}

static void draw_list(struct drawn *d, struct global_list *l, const char *tag, const char *letters,
	int n, bool nested)
{
	const int width = (int)strcspn(letters, " +?"),
		  all = letters[width] == '?' && strcmp(d->call.metric, "wdec") == 0 ? width + 2
										     : width;

	l->n = n;
	l->width = all;
	l->n_rows = 0;
	append(d->cfn, "[%s", "");
	for (int k = 0; k < n; k++) {
		const int inner = nested ? (int)below(d, 3) : 1;

		if (nested) {
			say_count(d, inner);
			append(d->cfn, "[%s", "");
		}
		l->inner[k] = inner;
		for (int i = 0; i < inner; i++, l->n_rows++) {
			append(d->cfn, all > 1 ? "[%s" : "%s", "");
			for (int j = 0; j < all; j++)
				l->v[l->n_rows * all + j] = draw_letter(
					d, letters[j + (j >= width)], tag, k, nested ? j : j - 1);
			append(d->cfn, all > 1 ? "], %s" : "%s", "");
		}
		append(d->cfn, nested ? "], %s" : "%s", "");
	}
	append(d->cfn, "], %s", "");
}

static void say_word(struct drawn *d, const char *word)
{
	append(d->wcsp, " %s", word);
	append(d->text, " %s", word);
	append(d->cfn, "\"%s\", ", word);
}

static void draw_word(struct drawn *d, char letter)
{
	static const char *const comparators[] = {"==", "!=", "<", "<=", ">", ">="};
	const char *at = d->keyword->metrics;
	int64_t n = 1;

	if (letter == 'o') {
		d->call.comparator = (int)below(d, 6);
		say_word(d, comparators[d->call.comparator]);
		return;
	}
	for (const char *p = at; *p; p++)
		n += *p == ' ';
	for (n = below(d, n); n > 0; n--)
		at = strchr(at, ' ') + 1;
	snprintf(d->call.metric, sizeof(d->call.metric), "%.*s", (int)strcspn(at, " "), at);
	say_word(d, d->call.metric);
}

/* All parameters of the keyword, by its template. */
static void draw_parameters(struct drawn *d)
{
	const bool tags = !(d->keyword->flags & GPUBE_KEYWORD_BINARY);
	const char *p = d->keyword->params;
	int both = -1;

	while (*p) {
		const bool list = *p == '*', by_variable = *p == '=';
		char tag[32];
		const char *letters = strchr(p, ':') + 1;
		const int end = (int)strcspn(letters, " ");
		struct global_list *l = &d->call.lists[d->call.n_lists];
		int n = by_variable ? d->call.n : 0;

		snprintf(tag, sizeof(tag), "%.*s", (int)(letters - 1 - p - (list || by_variable)),
			p + (list || by_variable));
		if (tags && *letters != 'r')
			append(d->cfn, "\"%s\": ", tag);
		if (list && (d->keyword->flags & GPUBE_KEYWORD_COUNTS)) {
			if (both < 0) {
				both = (int)below(d, 4);
				say_count(d, both);
				say_count(d, both);
			}
			n = both;
		} else if (list && *letters != 'r') {
			n = draw_count(d, tag);
			say_count(d, n);
		}
		if (*letters == 'r')
			draw_rules(d, l);
		else if (list || by_variable)
			draw_list(d, l, tag, letters, n, letters[end - 1] == '+');
		else if (*letters == 'm' || *letters == 'o')
			draw_word(d, *letters);
		else
			d->call.scalars[d->call.n_scalars++] = draw_letter(d, *letters, tag, 0, 0);
		d->call.n_lists += list || by_variable;
		p = letters + end;
		p += *p == ' ';
	}
}

/* ---- functions ------------------------------------------------------------------------------- */

/* Arity and domains that the keyword takes, at times too wide for a table. */
static void draw_scope(struct drawn *d, bool repeated)
{
	const bool tree = is(d, "MST") || is(d, "smstdp"),
		   few = tree || (d->keyword->flags & GPUBE_KEYWORD_GRAMMAR) || is(d, "sgcc");
	const bool wide = !few && !repeated && d->keyword->cost && below(d, 12) == 0 &&
			  !(d->keyword->flags & GPUBE_KEYWORD_BINARY);
	int n = d->keyword->flags & GPUBE_KEYWORD_BINARY ? 2 : 1 + (int)below(d, few ? 4 : 6);

	if (wide)
		n = MOST_ARITY - (int)below(d, 2);
	d->call.n = n;
	d->n_vars = repeated ? 1 + (int)below(d, 3) : n + (int)below(d, 2);
	for (int i = 0; i < d->n_vars; i++)
		d->domains[i] = wide ? 4 : 1 + (int32_t)below(d, tree && n < 4 ? n : 4);
	for (int k = 0, i; k < n; k++) {
		do {
			d->scope[k] = (int32_t)below(d, d->n_vars);
			for (i = 0; i < k && d->scope[i] != d->scope[k]; i++)
				;
		} while (!repeated && i < k);
		d->call.domains[k] = d->domains[d->scope[k]];
	}
}

static void draw(struct drawn *d, const struct gpube_keyword *keyword, uint64_t seed, bool repeated)
{
	memset(d, 0, sizeof(*d));
	gpube__rng_init(&d->rng, seed);
	d->keyword = keyword;
	d->call.name = keyword->name;
	d->maximise = below(d, 6) == 0;
	d->signs = d->maximise || below(d, 2);
	d->large = below(d, 6) == 0;
	d->call.maximise = d->maximise;
	draw_scope(d, repeated);
	draw_parameters(d);
}

static struct gpube_model *variables(const struct drawn *d)
{
	struct gpube_model *m;

	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	if (d->maximise)
		assert_int_equal(gpube_model_set_direction(m, GPUBE_MAXIMISE), 0);
	assert_int_equal(gpube_model_set_top(m, d->maximise ? -TOP : TOP), 0);
	for (int i = 0; i < d->n_vars; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, d->domains[i], NULL), 0);
	return m;
}

static int add(const struct drawn *d, struct gpube_model *m)
{
	return gpube_model_add_global(m, d->keyword->name, d->call.n, d->scope, d->text);
}

static int read_cfn(struct gpube_model **m, const struct drawn *d)
{
	char text[2 * TEXT], number[24];

	snprintf(text, sizeof(text),
		"{\"problem\": {\"name\": \"k\", \"mustbe\": \"%c%d\"}, "
		"\"variables\": [",
		d->maximise ? '>' : '<', d->maximise ? -TOP : TOP);
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

static int read_wcsp(struct gpube_model **m, const struct drawn *d)
{
	char text[2 * TEXT], number[24];

	snprintf(text, sizeof(text), "k %d 4 1 %d\n", d->n_vars, TOP);
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

static void check_prices(struct drawn *d, const struct gpube_model *m)
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
			values[i] = (int32_t)below(d, d->domains[i]);
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

static size_t n_keywords(void)
{
	size_t n = 0;

	while (gpube__keywords[n].name)
		n++;
	return n;
}

static int n_hidden;

static void three_ways(void **state)
{
	uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct drawn d;
	struct gpube_model *m, *read = NULL;
	char refused[512] = "";

	draw(&d, &gpube__keywords[seed % n_keywords()], seed, false);
	m = variables(&d);
	if (add(&d, m)) {
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
	struct drawn d;
	struct gpube_model *m;

	draw(&d, &gpube__keywords[seed % n_keywords()], seed, true);
	m = variables(&d);
	if (add(&d, m) == 0)
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
	const int status = add(arg, m);

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
	const struct gpube_keyword *keyword = &gpube__keywords[seed % n_keywords()];
	struct gpube_model *m;
	struct drawn d;
	int status;

	do {
		draw(&d, keyword, seed, seed % 2);
		seed += 1000;
		m = variables(&d);
		status = add(&d, m);
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
	struct drawn d;
	const struct global_list *l = d.call.lists;
	int status = GPUBE_OK;

	draw(&d, keyword, seed, seed % 3 == 0);
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
		!d.maximise && add(&d, by_text) == 0) {
		assert_int_equal(status, 0);
		assert_same_models(by_text, by_arrays);
	}
	gpube_model_free(by_text);
	gpube_model_free(by_arrays);
}

int main(void)
{
	struct cases c = {0};
	const size_t n = n_keywords();

	add_seeds(&c, three_ways, n * N_SEEDS, "three ways, seed");
	ADD_CASE(&c, some_were_chains);
	add_seeds(&c, typed, 4 * N_SEEDS, "typed, seed");
	add_seeds(&c, repeated, n * N_SEEDS / 2, "variables twice, seed");
	add_numbers(&c, without_memory, n * 2, "without memory, seed");
	return run_cases(&c, "global keywords", ctx_dir_setup, ctx_dir_teardown);
}
