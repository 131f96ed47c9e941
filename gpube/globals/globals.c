/* globals.c - functions of callers by what they say: see gpube/globals.h. */
#include "gpube/globals.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "gpube/globals/intension.h"
#include "gpube/globals/linear.h"
#include "gpube/ir/tuples.h"

/* ---- a call, and what it leaves where it fails ----------------------------------------------- */

/* What a call adds to, as a function's sink. */
struct adding {
	struct gpube_model *m;
	const char *name;
	int status;
	uint64_t charged;
	struct gpube__model_mark mark;
	int32_t *scope; /* of distinct variables; NULL so far */
};

static int sink_fail(void *of, enum gpube_status status, const char *text)
{
	struct adding *a = of;

	if (a->status || !status)
		return a->status;
	/* arguments are not parsed */
	a->status = status == GPUBE_EPARSE ? GPUBE_EINVAL : status;
	if (text)
		gpube__fail(a->m->ctx, (enum gpube_status)a->status, "%s", text);
	return a->status;
}

static bool sink_allows(void *of, int64_t n, int64_t each)
{
	struct adding *a = of;
	uint64_t bytes;

	if (__builtin_mul_overflow((uint64_t)n, (uint64_t)each, &bytes) ||
		__builtin_add_overflow(a->charged, bytes, &bytes) ||
		bytes > a->m->ctx->memory_bytes)
		return false;
	a->charged = bytes;
	return true;
}

static void sink_note(void *of, const char *text)
{
	gpube__log(((struct adding *)of)->m->ctx, GPUBE_LOG_NOTE, "%s", text);
}

static struct gpube_sink sink_of(struct adding *a)
{
	return (struct gpube_sink){a->m->ctx, a, sink_fail, sink_allows, sink_note};
}

static int begin(struct adding *a, struct gpube_model *m, const char *name)
{
	*a = (struct adding){.m = m, .name = name};
	if (!m)
		return gpube__missing(NULL);
	a->mark = gpube__model_mark(m);
	if (gpube__check_kind(m, GPUBE__NETWORKS))
		return GPUBE_EINVAL;
	if (m->kind != GPUBE_COSTS)
		return gpube__fail(m->ctx, GPUBE_EINVAL, "%s: a model of costs is needed", name);
	return GPUBE_OK;
}

static int finish(struct adding *a, int status)
{
	if (!a->m)
		return status;
	gpube__free(a->m->ctx, a->scope);
	if (status)
		gpube__model_truncate(a->m, a->mark);
	return status;
}

static int refuse_variable(struct adding *a, int32_t var)
{
	return gpube__fail(a->m->ctx, GPUBE_EINVAL, "%s: no variable %d", a->name, var);
}

/* A hidden variable that always has the value of 'var'. */
static int add_copy(struct adding *a, int32_t *copy, int32_t var)
{
	struct gpube_model *m = a->m;
	const int32_t domain = m->vars[var].domain, scope[] = {var, m->n_vars};
	int64_t *zero = gpube__alloc_zero(m->ctx, (uint64_t)domain, sizeof(*zero));
	int32_t *tuples = gpube__alloc(m->ctx, 2 * (uint64_t)domain, sizeof(*tuples));
	int status = zero && tuples ? gpube_model_add_var(m, copy, domain, NULL) : GPUBE_ENOMEM;

	if (!status) {
		gpube__hide(m, *copy);
		for (int32_t v = 0; v < domain; v++)
			tuples[2 * v] = tuples[2 * v + 1] = v;
		status = gpube_model_add_tuples(m, 2, scope, GPUBE_INF, domain, tuples, zero);
	}
	gpube__free(m->ctx, zero);
	gpube__free(m->ctx, tuples);
	return status;
}

/* a->scope: these variables, hidden copies in place of those that were there before. */
static int take_scope(struct adding *a, int n, const int32_t *vars)
{
	struct gpube_model *m = a->m;
	const int32_t n_vars = m->n_vars;
	uint8_t *seen;
	int status = GPUBE_OK;

	if (n < 1)
		return gpube__fail(m->ctx, GPUBE_EINVAL, "%s: no variables", a->name);
	if (!vars)
		return gpube__missing(m->ctx);
	seen = gpube__alloc_zero(m->ctx, (uint64_t)n_vars + 1, 1);
	a->scope = gpube__alloc(m->ctx, (uint64_t)n + 1, sizeof(*a->scope));
	if (!seen || !a->scope)
		status = GPUBE_ENOMEM;
	for (int k = 0; k < n && !status; k++) {
		a->scope[k] = vars[k];
		if (vars[k] < 0 || vars[k] >= n_vars)
			status = refuse_variable(a, vars[k]);
		else if (seen[vars[k]])
			status = add_copy(a, &a->scope[k], vars[k]);
		else
			seen[vars[k]] = 1;
	}
	gpube__free(m->ctx, seen);
	return status;
}

/* ---- lists of tuples ------------------------------------------------------------------------- */

static int check_tuples(struct adding *a, int arity, int64_t others, int64_t n, const int32_t *t,
	const int64_t *costs)
{
	const struct gpube_model *m = a->m;

	if (others <= -GPUBE_INF)
		return gpube__fail(m->ctx, GPUBE_EINVAL, "tuples: a cost of -2^63");
	for (int64_t k = 0; k < n; k++) {
		if (costs[k] <= -GPUBE_INF)
			return gpube__fail(m->ctx, GPUBE_EINVAL, "tuples: a cost of -2^63");
		for (int j = 0; j < arity; j++)
			if (t[k * arity + j] < 0 || t[k * arity + j] >= m->vars[a->scope[j]].domain)
				return gpube__fail(m->ctx, GPUBE_EINVAL,
					"tuples: tuple %lld has value %d of variable %d, which has "
					"%d",
					(long long)k, t[k * arity + j], a->scope[j],
					m->vars[a->scope[j]].domain);
	}
	return GPUBE_OK;
}

static int fill_tuples(struct adding *a, int arity, int64_t others, int64_t n,
	const int32_t *tuples, const int64_t *costs, const int32_t *domains)
{
	struct gpube_model *m = a->m;
	struct gpube_tuples list;
	struct gpube_table table;
	int64_t twice = 0;
	int status = gpube__tuples_init(&list, m->ctx, arity, domains, others);

	if (status)
		return status;
	for (int64_t k = 0; k < n && !status; k++)
		status = gpube__tuples_push(&list, tuples + k * arity, costs[k], k + 1);
	if (status) {
		gpube__tuples_clear(&list);
		return status;
	}
	status = gpube__tuples_finish(&list, &table, &twice);
	if (!status && twice)
		return gpube__fail(m->ctx, GPUBE_EINVAL, "tuples: tuple %lld was there before",
			(long long)twice - 1);
	return status ? status : gpube__add_table_over(m, a->scope, &table, NULL);
}

int gpube_model_add_tuples(struct gpube_model *m, int arity, const int32_t *scope, int64_t others,
	int64_t n, const int32_t *tuples, const int64_t *costs)
{
	struct adding a;
	int32_t *domains = NULL;
	int status = begin(&a, m, "tuples");

	if (!status && (arity < 1 || n < 0 || (n > 0 && (!tuples || !costs))))
		status = gpube__fail(m->ctx, GPUBE_EINVAL,
			"tuples: %lld of %d variables: at least one variable is needed",
			(long long)n, arity);
	if (!status)
		status = gpube__check_given(m->ctx, n, "tuples");
	if (!status)
		status = take_scope(&a, arity, scope);
	if (!status)
		status = check_tuples(&a, arity, others, n, tuples, costs);
	if (!status) {
		domains = gpube__alloc(m->ctx, (uint64_t)arity, sizeof(*domains));
		status = domains ? GPUBE_OK : GPUBE_ENOMEM;
	}
	for (int k = 0; k < arity && !status; k++)
		domains[k] = m->vars[a.scope[k]].domain;
	if (!status)
		status = fill_tuples(&a, arity, others, n, tuples, costs, domains);
	if (domains)
		gpube__free(m->ctx, domains);
	return finish(&a, status);
}

/* ---- linear constraints ---------------------------------------------------------------------- */

static int add_term(struct gpube_linear *l, const struct gpube_term *t)
{
	const int32_t domain = l->m->vars[t->var].domain;
	int32_t place;

	if (t->value < -1 || t->value >= domain)
		return gpube__fail(l->m->ctx, GPUBE_EINVAL,
			"linear: value %d of variable %d, which has %d", t->value, t->var, domain);
	if (gpube__linear_place(l, &place, t->var))
		return gpube__sink_status(&l->sink);
	for (int32_t v = t->value < 0 ? 0 : t->value; v < (t->value < 0 ? domain : t->value + 1);
		v++)
		*gpube__linear_gain(l, place, v) +=
			t->value < 0 ? (__int128)t->coefficient * v : t->coefficient;
	return GPUBE_OK;
}

int gpube_model_add_linear(struct gpube_model *m, int32_t n_terms, const struct gpube_term *terms,
	enum gpube_relation relation, int64_t right, int64_t cost, int per_unit)
{
	struct adding a;
	struct gpube_linear l = {.m = m};
	int status = begin(&a, m, "linear");

	if (status)
		return finish(&a, status);
	l.sink = sink_of(&a);
	status = gpube__check_choice(m->ctx, "relation", (int)relation, GPUBE_EXACTLY);
	if (!status && (n_terms < 0 || (n_terms > 0 && !terms)))
		status = gpube__missing(m->ctx);
	if (!status && cost <= -GPUBE_INF)
		status = gpube__fail(m->ctx, GPUBE_EINVAL, "linear: a cost of -2^63");
	gpube__linear_begin(&l);
	for (int32_t k = 0; k < n_terms && !status; k++)
		status = terms[k].var < 0 || terms[k].var >= m->n_vars
				 ? refuse_variable(&a, terms[k].var)
				 : add_term(&l, &terms[k]);
	l.relation = relation;
	l.right = right;
	l.per_unit = per_unit && cost != GPUBE_INF;
	if (!status)
		status = gpube__linear_add(&l, cost);
	gpube__linear_clear(&l);
	return finish(&a, status);
}

/* ---- keywords -------------------------------------------------------------------------------- */

#define BLANKS " \t\n\v\f\r"

/*
 * What a keyword's parameters are taken from: a text, as a .wcsp has it, or an array, in the same
 * order and without the metric.
 */
struct given {
	struct adding *a;
	const char *name, *text;
	const char *metric;
	int64_t *numbers, n, capacity, at;
	bool scarce; /* no memory for a number */
	char token[64];
};

static int refuse(struct given *g, const char *what, const char *token)
{
	return gpube__fail(g->a->m->ctx, GPUBE_EINVAL, "%s: expected %s, found %s%.40s%s", g->name,
		what, *token ? "'" : "the end", token, *token ? "'" : "");
}

/* The text's next word, "" at its end. */
static int next_word(struct given *g, const char *what)
{
	const char *p = g->text + strspn(g->text, BLANKS);
	const size_t n = strcspn(p, BLANKS);

	g->text = p + n;
	memcpy(g->token, p, n < sizeof(g->token) ? n : sizeof(g->token) - 1);
	g->token[n < sizeof(g->token) ? n : sizeof(g->token) - 1] = 0;
	return n == 0 || n >= sizeof(g->token) ? refuse(g, what, g->token) : GPUBE_OK;
}

static int give_word(void *reader, const char **word, const char *what)
{
	struct given *g = reader;

	*word = g->text ? g->token : g->metric;
	return g->text ? next_word(g, what) : GPUBE_OK;
}

/* The number in g->token. */
static int to_integer(struct given *g, int64_t *v, const char *what)
{
	char *end;
	long long number;

	errno = 0;
	number = strtoll(g->token, &end, 10);
	if (*end || end == g->token || errno)
		return refuse(g, what, g->token);
	*v = number;
	return GPUBE_OK;
}

static int check_range(struct given *g, int64_t v, int64_t min, int64_t max, const char *what)
{
	return v >= min && v <= max
		       ? GPUBE_OK
		       : gpube__fail(g->a->m->ctx, GPUBE_EINVAL,
				 "%s: expected %s from %lld to %lld, found %lld", g->name, what,
				 (long long)min, (long long)max, (long long)v);
}

static int give_integer(void *reader, int64_t *v, int64_t min, int64_t max, const char *what)
{
	struct given *g = reader;
	int status = GPUBE_OK;

	if (!g->text)
		*v = g->numbers[g->at++];
	else if (next_word(g, what) || to_integer(g, v, what))
		status = GPUBE_EINVAL;
	return status ? status : check_range(g, *v, min, max, what);
}

/* Of a text "inf", or a number that is not negative; what reaches the top forbids. */
static int give_cost(void *reader, int64_t *v, bool signs)
{
	struct given *g = reader;
	const struct gpube_model *m = g->a->m;
	int status;

	if (!g->text) {
		*v = g->numbers[g->at++];
		return check_range(g, *v, -GPUBE_INF + 1, GPUBE_INF, "a cost");
	}
	status = next_word(g, "a cost");
	*v = GPUBE_INF;
	if (!status && strcmp(g->token, "inf") != 0)
		status = to_integer(g, v, "a cost");
	if (!status)
		status = check_range(g, *v, signs ? -GPUBE_INF + 1 : 0, GPUBE_INF, "a cost");
	if (!status && m->direction == GPUBE_MINIMISE && *v >= m->top)
		*v = GPUBE_INF;
	return status;
}

/* One more number for the keyword. */
static void give(struct given *g, int64_t v)
{
	g->scarce = g->scarce || gpube__grow(g->a->m->ctx, &g->numbers, &g->capacity, g->n + 1,
					 sizeof(*g->numbers)) != GPUBE_OK;
	if (!g->scarce)
		g->numbers[g->n++] = v;
}

static void give_list(struct given *g, int64_t n, const int32_t *list)
{
	give(g, n);
	for (int64_t k = 0; k < n; k++)
		give(g, list[k]);
}

/* Reads what was given as a reader does, and adds the function over a->scope. */
static int add_given(struct given *g, const struct gpube_keyword *keyword, int n)
{
	struct adding *a = g->a;
	const struct gpube_source source = {.reader = g,
		.integer = give_integer,
		.cost = give_cost,
		.word = give_word,
		.any_sign = !g->text};
	struct gpube_call c = {.sink = sink_of(a),
		.keyword = keyword,
		.name = g->name,
		.m = a->m,
		.arity = n,
		.scope = a->scope,
		.hard_from = g->text && a->m->direction == GPUBE_MINIMISE ? a->m->top : GPUBE_INF,
		.unit = 1};
	int status = g->scarce ? GPUBE_ENOMEM : gpube__call_read(&c, &source);

	if (!status && g->text && g->text[strspn(g->text, BLANKS)])
		status = next_word(g, "the end") ? GPUBE_EINVAL : refuse(g, "the end", g->token);
	if (!status)
		status = gpube__call_expand(&c);
	gpube__call_clear(&c);
	gpube__free(a->m->ctx, g->numbers);
	return finish(a, status);
}

/* Begins a call whose parameters are arrays: n variables, and a list that may be empty. */
static int begin_given(struct adding *a, struct gpube_model *m, const char *name, int n,
	const int32_t *vars, int64_t n_list, const void *list)
{
	int status = begin(a, m, name);

	if (!status)
		status = take_scope(a, n, vars);
	if (!status && (n_list < 0 || (n_list > 0 && !list)))
		status = gpube__missing(m->ctx);
	return status;
}

/* Linear where a unit has a price; of what is forbidden no units are counted. */
static struct given given_by(struct adding *a, int64_t cost)
{
	struct given g = {.a = a, .name = a->name, .metric = cost == GPUBE_INF ? "hard" : "lin"};

	return g;
}

int gpube_model_add_all_different(struct gpube_model *m, int n, const int32_t *vars, int n_except,
	const int32_t *except, int64_t cost)
{
	/* salldiff by pairs, as no keyword has it: with values that may be there several times */
	static const struct gpube_keyword pairs = {.name = "salldiff",
		.params = "cost:c *exceptedvalues:v",
		.flags = GPUBE_KEYWORD_PAIRS};
	struct adding a;
	struct given g;
	int status = begin_given(&a, m, "all different", n, vars, n_except, except);

	if (status)
		return finish(&a, status);
	g = given_by(&a, cost);
	give(&g, cost);
	give_list(&g, n_except, except);
	return add_given(&g, &pairs, n);
}

int gpube_model_add_gcc(struct gpube_model *m, int n, const int32_t *vars, int n_counts,
	const struct gpube_occurrences *counts, int64_t cost)
{
	struct adding a;
	struct given g;
	int status = begin_given(&a, m, "gcc", n, vars, n_counts, counts);

	if (status)
		return finish(&a, status);
	g = given_by(&a, cost);
	give(&g, cost);
	give(&g, n_counts);
	for (int k = 0; k < n_counts; k++) {
		give(&g, counts[k].value);
		give(&g, counts[k].least);
		give(&g, counts[k].most);
	}
	return add_given(&g, gpube__keyword("wgcc", NULL), n);
}

int gpube_model_add_among(struct gpube_model *m, int n, const int32_t *vars, int n_values,
	const int32_t *values, int32_t least, int32_t most, int64_t cost)
{
	struct adding a;
	struct given g;
	int status = begin_given(&a, m, "among", n, vars, n_values, values);

	if (!status && least > most)
		status = gpube__fail(
			m->ctx, GPUBE_EINVAL, "among: at least %d and at most %d", least, most);
	if (status)
		return finish(&a, status);
	g = given_by(&a, cost);
	give(&g, cost);
	give_list(&g, n_values, values);
	give(&g, least);
	give(&g, most);
	return add_given(&g, gpube__keyword("wamong", NULL), n);
}

static void give_states(struct given *g, int n, const struct gpube_state *states)
{
	give(g, n);
	for (int k = 0; k < n; k++) {
		give(g, states[k].state);
		give(g, states[k].cost);
	}
}

int gpube_model_add_regular(struct gpube_model *m, int n, const int32_t *vars, int32_t n_states,
	int n_starts, const struct gpube_state *starts, int n_ends, const struct gpube_state *ends,
	int64_t n_transitions, const struct gpube_transition *transitions)
{
	struct adding a;
	struct given g;
	int status = begin_given(&a, m, "regular", n, vars, n_transitions, transitions);

	if (!status &&
		(n_starts < 0 || n_ends < 0 || (n_starts > 0 && !starts) || (n_ends > 0 && !ends)))
		status = gpube__missing(m->ctx);
	if (status)
		return finish(&a, status);
	g = given_by(&a, 0);
	give(&g, n_states);
	give_states(&g, n_starts, starts);
	give_states(&g, n_ends, ends);
	give(&g, n_transitions);
	for (int64_t k = 0; k < n_transitions; k++) {
		give(&g, transitions[k].from);
		give(&g, transitions[k].value);
		give(&g, transitions[k].to);
		give(&g, transitions[k].cost);
	}
	return add_given(&g, gpube__keyword("wregular", NULL), n);
}

int gpube_model_add_global(struct gpube_model *m, const char *keyword, int arity,
	const int32_t *scope, const char *parameters)
{
	struct adding a;
	struct given g = {.a = &a, .name = keyword, .text = parameters ? parameters : ""};
	const struct gpube_keyword *known = keyword ? gpube__keyword(keyword, NULL) : NULL;
	int status = begin(&a, m, keyword ? keyword : "");

	if (!status && !keyword)
		status = gpube__missing(m->ctx);
	if (!status && !known)
		status = gpube__fail(
			m->ctx, GPUBE_EINVAL, "unknown or unsupported function '%.40s'", keyword);
	if (!status)
		status = take_scope(&a, arity, scope);
	return status ? finish(&a, status) : add_given(&g, known, arity);
}

int gpube_model_add_bounded(struct gpube_model *m, int arity, const int32_t *scope,
	const struct gpube_model *inner, int64_t low, int64_t high)
{
	struct adding a;
	struct gpube_sink sink;
	int status = begin(&a, m, "bounded");

	if (!status)
		status = inner ? take_scope(&a, arity, scope) : gpube__missing(m->ctx);
	if (!status && (gpube__check_kind(inner, GPUBE__NETWORKS) || inner->kind != GPUBE_COSTS))
		status = gpube__fail(m->ctx, GPUBE_EINVAL, "bounded: a problem of costs is needed");
	if (status)
		return finish(&a, status);
	sink = sink_of(&a);
	return finish(&a, gpube__add_bounded(m, &sink, arity, a.scope, inner, low, high, NULL));
}
