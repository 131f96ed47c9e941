/* globals.c - functions of callers by what they say: see globals.h. */
#include "formats/globals.h"

#include <string.h>

#include "formats/common/tuples.h"
#include "formats/io/io.h"
#include "formats/keywords/intension.h"
#include "formats/keywords/linear.h"

/* ---- a call, and what it leaves where it fails ----------------------------------------------- */

/*
 * What a call adds to. Readers' code reports to a stream: this one has none, and messages begin
 * with the function's name.
 */
struct adding {
	struct gpube_in in;
	struct gpube_model *m;
	struct gpube__model_mark mark;
	int32_t *scope; /* of distinct variables; NULL so far */
};

static int begin(struct adding *a, struct gpube_model *m, const char *name)
{
	memset(a, 0, sizeof(*a));
	if (!m)
		return gpube__missing(NULL);
	a->m = m;
	a->in = (struct gpube_in){.ctx = m->ctx, .path = name, .p = "", .end = "", .last = ""};
	a->in.end = a->in.p;
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
	/* of readers: arguments are not parsed */
	return status == GPUBE_EPARSE ? GPUBE_EINVAL : status;
}

static int refuse_variable(struct adding *a, int32_t var)
{
	return gpube__fail(a->m->ctx, GPUBE_EINVAL, "%s: no variable %d", a->in.path, var);
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
		return gpube__fail(m->ctx, GPUBE_EINVAL, "%s: no variables", a->in.path);
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
	int32_t at;
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
	if (!status)
		status = gpube__add_table(m, &at, &table);
	return status ? status : gpube__add_function(m, arity, a->scope, at, NULL);
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
		status = take_scope(&a, arity, scope);
	if (!status && m->n_vars > a.mark.n_vars)
		status = gpube__fail(m->ctx, GPUBE_EINVAL, "tuples: a variable twice in a scope");
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
		return l->in->status;
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
	l.in = &a.in;
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

/* ---- all different --------------------------------------------------------------------------- */

/* A table of two variables that costs where both have the same value, but for some values. */
static int add_equal(
	struct adding *a, int32_t *table, const int32_t *scope, const uint8_t *free, int64_t cost)
{
	const struct gpube_variable *vars = a->m->vars;
	struct gpube_values v = {0};
	struct gpube_table t = {.arity = 2};
	int status = GPUBE_OK;

	for (int32_t x = 0; x < vars[scope[0]].domain && !status; x++)
		for (int32_t y = 0; y < vars[scope[1]].domain && !status; y++)
			status = gpube__values_push(a->m->ctx, &v, x == y && !free[x] ? cost : 0);
	if (status) {
		gpube__values_clear(a->m->ctx, &v);
		return status;
	}
	t.type = v.type;
	t.n = v.n;
	t.values = v.values;
	return gpube__add_table(a->m, table, &t);
}

/* Pairs with the domains of the pair before share its table. */
static int add_pairs(struct adding *a, int n, const uint8_t *free, int64_t cost)
{
	struct gpube_model *m = a->m;
	int32_t domains[2] = {0, 0}, table = -1;
	int status = GPUBE_OK;

	for (int i = 0; i < n && !status; i++)
		for (int j = i + 1; j < n && !status; j++) {
			const int32_t scope[] = {a->scope[i], a->scope[j]};

			if (gpube__stopped(m->ctx))
				return gpube__fail_stopped(m->ctx);
			if (m->vars[scope[0]].domain != domains[0] ||
				m->vars[scope[1]].domain != domains[1])
				status = add_equal(a, &table, scope, free, cost);
			domains[0] = m->vars[scope[0]].domain;
			domains[1] = m->vars[scope[1]].domain;
			if (!status)
				status = gpube__add_function(m, 2, scope, table, NULL);
		}
	return status;
}

int gpube_model_add_all_different(struct gpube_model *m, int n, const int32_t *vars, int n_except,
	const int32_t *except, int64_t cost)
{
	struct adding a;
	uint8_t *free = NULL;
	int32_t most = 0;
	int status = begin(&a, m, "all different");

	if (!status)
		status = take_scope(&a, n, vars);
	if (!status && (n_except < 0 || (n_except > 0 && !except)))
		status = gpube__missing(m->ctx);
	if (!status && cost <= -GPUBE_INF)
		status = gpube__fail(m->ctx, GPUBE_EINVAL, "all different: a cost of -2^63");
	for (int k = 0; k < n && !status; k++)
		most = m->vars[a.scope[k]].domain > most ? m->vars[a.scope[k]].domain : most;
	if (!status) {
		free = gpube__alloc_zero(m->ctx, (uint64_t)most + 1, sizeof(*free));
		status = free ? GPUBE_OK : GPUBE_ENOMEM;
	}
	for (int k = 0; k < n_except && !status; k++)
		if (except[k] < 0)
			status = gpube__fail(
				m->ctx, GPUBE_EINVAL, "all different: no value %d", except[k]);
		else if (except[k] < most)
			free[except[k]] = 1;
	if (!status)
		status = add_pairs(&a, n, free, cost);
	if (free)
		gpube__free(m->ctx, free);
	return finish(&a, status);
}

/* ---- keywords -------------------------------------------------------------------------------- */

/* The call of a keyword for a->scope, without parameters. */
static struct gpube_call call_of(struct adding *a, const char *keyword, int n)
{
	return (struct gpube_call){.in = &a->in,
		.keyword = gpube__keyword(keyword, NULL),
		.m = a->m,
		.arity = n,
		.scope = a->scope,
		.hard_from = GPUBE_INF,
		.unit = 1};
}

static int check_cost(struct adding *a, int64_t cost)
{
	if (cost < 0 || (a->m->direction == GPUBE_MAXIMISE && cost != 0 && cost != GPUBE_INF))
		return gpube__fail(a->m->ctx, GPUBE_EINVAL,
			"%s: cost %lld: expected one that is not negative%s", a->in.path,
			(long long)cost,
			a->m->direction == GPUBE_MAXIMISE
				? ", and none but GPUBE_INF in a model that is maximised"
				: "");
	return GPUBE_OK;
}

static int expand(struct gpube_call *c, int status)
{
	if (!status)
		status = gpube__call_expand_checked(c);
	gpube__call_clear(c);
	return status;
}

static void scalar(struct gpube_call *c, int64_t v, bool cost)
{
	c->scalars[c->n_scalars++] = (struct gpube_arg){v, cost};
}

/* A list of n entries of 'width' numbers each, for the caller to fill; NULL: ENOMEM. */
static struct gpube_arg *list(struct gpube_call *c, int64_t n, int64_t width)
{
	const int64_t at = c->n_args;

	if (gpube__grow(
		    c->in->ctx, &c->args, &c->args_capacity, at + n * width + 1, sizeof(*c->args)))
		return NULL;
	c->n_args += n * width;
	c->lists[c->n_lists++] =
		(struct gpube_arg_list){.at = at, .n_items = n, .n_args = n * width};
	return c->args + at;
}

int gpube_model_add_gcc(struct gpube_model *m, int n, const int32_t *vars, int n_counts,
	const struct gpube_occurrences *counts, int64_t cost)
{
	struct adding a;
	struct gpube_call c;
	struct gpube_arg *to;
	int status = begin(&a, m, "gcc");

	if (!status)
		status = take_scope(&a, n, vars);
	if (!status && (n_counts < 0 || (n_counts > 0 && !counts)))
		status = gpube__missing(m->ctx);
	if (!status)
		status = check_cost(&a, cost);
	if (status)
		return finish(&a, status);
	c = call_of(&a, "wgcc", n);
	c.metric = cost == GPUBE_INF ? GPUBE_METRIC_HARD : GPUBE_METRIC_LIN;
	scalar(&c, cost, true);
	to = list(&c, n_counts, 3);
	for (int k = 0; k < n_counts && to; k++, to += 3) {
		to[0].v = counts[k].value;
		to[1].v = counts[k].least;
		to[2].v = counts[k].most;
	}
	return finish(&a, expand(&c, to ? GPUBE_OK : GPUBE_ENOMEM));
}

int gpube_model_add_among(struct gpube_model *m, int n, const int32_t *vars, int n_values,
	const int32_t *values, int32_t least, int32_t most, int64_t cost)
{
	struct adding a;
	struct gpube_call c;
	struct gpube_arg *to;
	int status = begin(&a, m, "among");

	if (!status)
		status = take_scope(&a, n, vars);
	if (!status && (n_values < 0 || (n_values > 0 && !values)))
		status = gpube__missing(m->ctx);
	if (!status && least > most)
		status = gpube__fail(
			m->ctx, GPUBE_EINVAL, "among: at least %d and at most %d", least, most);
	if (!status)
		status = check_cost(&a, cost);
	if (status)
		return finish(&a, status);
	c = call_of(&a, "wamong", n);
	c.metric = cost == GPUBE_INF ? GPUBE_METRIC_HARD : GPUBE_METRIC_LIN;
	scalar(&c, cost, true);
	scalar(&c, least, false);
	scalar(&c, most, false);
	to = list(&c, n_values, 1);
	for (int k = 0; k < n_values && to; k++)
		to[k].v = values[k];
	return finish(&a, expand(&c, to ? GPUBE_OK : GPUBE_ENOMEM));
}

/* States of an automaton and what they cost, as the keyword's next list. */
static int list_states(struct gpube_call *c, int n, const struct gpube_state *states)
{
	struct gpube_arg *to = list(c, n, 2);

	if (!to)
		return GPUBE_ENOMEM;
	for (int k = 0; k < n; k++) {
		to[2 * k] = (struct gpube_arg){states[k].state, false};
		to[2 * k + 1] = (struct gpube_arg){states[k].cost, true};
	}
	return GPUBE_OK;
}

static int list_transitions(struct gpube_call *c, int64_t n, const struct gpube_transition *t)
{
	struct gpube_arg *to = list(c, n, 4);

	if (!to)
		return GPUBE_ENOMEM;
	for (int64_t k = 0; k < n; k++, to += 4) {
		to[0] = (struct gpube_arg){t[k].from, false};
		to[1] = (struct gpube_arg){t[k].value, false};
		to[2] = (struct gpube_arg){t[k].to, false};
		to[3] = (struct gpube_arg){t[k].cost, true};
	}
	return GPUBE_OK;
}

int gpube_model_add_regular(struct gpube_model *m, int n, const int32_t *vars, int32_t n_states,
	int n_starts, const struct gpube_state *starts, int n_ends, const struct gpube_state *ends,
	int64_t n_transitions, const struct gpube_transition *transitions)
{
	struct adding a;
	struct gpube_call c;
	int status = begin(&a, m, "regular");

	if (!status)
		status = take_scope(&a, n, vars);
	if (!status && (n_starts < 0 || n_ends < 0 || n_transitions < 0 || !starts || !ends ||
			       (n_transitions > 0 && !transitions)))
		status = gpube__missing(m->ctx);
	if (status)
		return finish(&a, status);
	c = call_of(&a, "wregular", n);
	scalar(&c, n_states, false);
	status = list_states(&c, n_starts, starts);
	if (!status)
		status = list_states(&c, n_ends, ends);
	if (!status)
		status = list_transitions(&c, n_transitions, transitions);
	return finish(&a, expand(&c, status));
}

/* ---- parameters as text ---------------------------------------------------------------------- */

struct text {
	struct adding *a;
	char token[256];
};

static int text_tag(void *reader, const char *tag, size_t n)
{
	(void)reader;
	(void)tag;
	(void)n;
	return GPUBE_OK;
}

static int text_count(void *reader, int64_t *n)
{
	struct text *t = reader;

	return gpube__in_int(&t->a->in, n, 0, INT32_MAX, "a count");
}

static int text_word(void *reader, const char **word, const char *what)
{
	struct text *t = reader;

	*word = t->token;
	return gpube__in_token(&t->a->in, t->token, what);
}

/* "inf", or a number; what reaches the top forbids. */
static int read_cost(struct text *t, int64_t *v, bool signs)
{
	const struct gpube_model *m = t->a->m;
	struct gpube_in *in = &t->a->in;
	int status;

	if (!gpube__in_at_end(in) && strncmp(in->p, "inf", 3) == 0) {
		*v = GPUBE_INF;
		status = gpube__in_token(in, t->token, "a cost");
		return status || strcmp(t->token, "inf") == 0 ? status
							      : gpube__in_refuse(in, "a cost");
	}
	status = gpube__in_int(in, v, signs ? -GPUBE_INF + 1 : 0, GPUBE_INF, "a cost");
	if (!status && m->direction == GPUBE_MINIMISE && *v >= m->top)
		*v = GPUBE_INF;
	return status;
}

static int text_number(void *reader, char letter, int64_t *v)
{
	struct text *t = reader;

	switch (letter) {
	case 'c':
	case 'C':
		return read_cost(t, v, letter == 'C');
	case 'V':
		return gpube__in_int(&t->a->in, v, 0, (int64_t)t->a->m->n_vars - 1, "a variable");
	case 'v':
		return gpube__in_int(&t->a->in, v, 0, INT32_MAX, "a value");
	case 'n':
		return gpube__in_int(&t->a->in, v, -INT32_MAX, INT32_MAX, "a number");
	default:
		return gpube__in_int(&t->a->in, v, -INT64_MAX, INT64_MAX, "a number");
	}
}

int gpube_model_add_global(struct gpube_model *m, const char *keyword, int arity,
	const int32_t *scope, const char *parameters)
{
	struct adding a;
	struct text text = {.a = &a};
	const struct gpube_source source = {.reader = &text,
		.tag = text_tag,
		.count = text_count,
		.word = text_word,
		.number = text_number};
	struct gpube_call c;
	int status = begin(&a, m, keyword ? keyword : "");

	if (!status && !keyword)
		status = gpube__missing(m->ctx);
	if (!status)
		status = take_scope(&a, arity, scope);
	if (status)
		return finish(&a, status);
	c = call_of(&a, keyword, arity);
	if (!c.keyword)
		return finish(&a, gpube__fail(m->ctx, GPUBE_EINVAL,
					  "unknown or unsupported function '%.40s'", keyword));
	c.hard_from = m->direction == GPUBE_MINIMISE ? m->top : GPUBE_INF;
	a.in.p = a.in.last = parameters ? parameters : "";
	a.in.end = a.in.p + strlen(a.in.p);
	status = gpube__call_read(&c, &source);
	if (!status)
		status = gpube__in_end(&a.in);
	if (!status)
		status = gpube__call_expand(&c);
	gpube__call_clear(&c);
	return finish(&a, status);
}
