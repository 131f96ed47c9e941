/*
 * x2.c - XCSP 2.1 as toulbar2 and FRODO read it. See x3.h.
 *
 * Its elements are named, and constraints refer to relations (supports, conflicts, soft), to
 * predicates and functions in functional notation, or to allDifferent and weightedSum. What they
 * hold becomes what XCSP3's has become: domains, expressions, sums, pairs that differ.
 *
 * Weighted problems: costs from maximalCost on are forbidden, totals too, and initialCost is added.
 * FRODO: agents own variables, costs may be decimals and "infinity", and 'maximize' turns the
 * direction round.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "formats/xcsp3/x3.h"

enum { SUPPORTS, CONFLICTS, SOFT, PREDICATE, FUNCTION };

/* A relation, whose text is read for each scope of other domains, or a predicate or function. */
struct gpube_x2_reference {
	int kind;
	int64_t arity, line;
	double dflt;
	const char *name;
	char *text, *formals;
};

/* ---- names and numbers --------------------------------------------------------------------- */

/* The attribute that must be there; NULL after a failure. */
static const char *require(struct gpube_x3 *r, struct gpube_x3_node *node, const char *name)
{
	const char *value = gpube__x3_attribute(node, name);

	if (!value)
		gpube__in_error(r->in, "<%.40s> needs the attribute '%s'", node->name, name);
	return value;
}

/* The element's name, new in its space, stands for 'value'. */
static int declare(
	struct gpube_x3 *r, struct gpube_x3_node *node, enum gpube_x3_space space, int32_t value)
{
	const char *name = require(r, node, "name");

	if (name && gpube__x3_known(r, space, name) >= 0)
		return gpube__in_error(r->in, "%.40s '%.60s' is there twice", node->name, name);
	return name ? gpube__x3_know(r, space, name, value) : r->in->status;
}

/* What a name stands for; -1 after a failure. */
static int32_t find(
	struct gpube_x3 *r, enum gpube_x3_space space, const char *what, const char *name)
{
	const int32_t found = gpube__x3_known(r, space, name);

	if (found < 0)
		gpube__in_error(r->in, "%s '%.60s' is not known", what, name);
	return found;
}

/* A number or "infinity", which is forbidden whatever its sign. */
static int read_cost(struct gpube_x3 *r, const char *text, double *cost)
{
	const char *word = text + (*text == '-' || *text == '+');

	if (strcmp(word, "infinity") == 0) {
		*cost = INFINITY;
		return GPUBE_OK;
	}
	if (gpube__real(cost, text) && fabs(*cost) < 0x1p61)
		return GPUBE_OK;
	return gpube__in_expected(r->in, "a cost", text);
}

/* ---- what is right below the instance -------------------------------------------------------- */

static int read_presentation(struct gpube_x3 *r, struct gpube_x3_node *node)
{
	const char *maximise = gpube__x3_attribute(node, "maximize");
	const char *name = gpube__x3_attribute(node, "name");

	if (maximise && strcmp(maximise, "true") == 0)
		gpube_model_set_direction(r->m, GPUBE_MAXIMISE);
	if (name && *name && !r->m->name && !(r->m->name = gpube__strdup(r->m->ctx, name)))
		return gpube__x3_no_memory(r);
	return GPUBE_OK;
}

int gpube__x2_part(struct gpube_x3 *r, struct gpube_x3_node *node)
{
	static const char *const parts[] = {"presentation", "agents", "domains", "variables",
		"relations", "predicates", "functions", "constraints", NULL};
	const char *most = gpube__x3_attribute(node, "maximalCost");
	const char *first = gpube__x3_attribute(node, "initialCost");
	int k = 0;

	while (parts[k] && !gpube__x3_is(node, parts[k]))
		k++;
	if (!parts[k])
		return gpube__in_error(r->in,
			"<%.40s> is not read, in XCSP 2.1 (XCSP3 has format=\"XCSP3\")",
			node->name);
	r->skip = k == 0; /* what is in it may say anything */
	if (k == 0)
		return read_presentation(r, node);
	most = most ? most : gpube__x3_attribute(node, "maximumCost");
	if ((most && read_cost(r, most, &r->second.maximal_cost)) ||
		(first && read_cost(r, first, &r->second.initial_cost)))
		return r->in->status;
	return isinf(r->second.initial_cost)
		       ? gpube__in_error(r->in, "an initialCost that is infinite")
		       : GPUBE_OK;
}

/* ---- agents, domains, variables -------------------------------------------------------------- */

static int read_agent(struct gpube_x3 *r, struct gpube_x3_node *node)
{
	const char *name = require(r, node, "name");
	int32_t agent;

	if (!name)
		return r->in->status;
	return gpube__add_agent(r->m, &agent, name) ? gpube__x3_no_memory(r)
						    : declare(r, node, GPUBE_X3_AGENTS, agent);
}

static int read_domain(struct gpube_x3 *r, struct gpube_x3_node *node)
{
	const char *text = gpube__x3_text(r, node);
	int32_t domain;

	return !text || gpube__x3_read_domain(r, text, &domain)
		       ? r->in->status
		       : declare(r, node, GPUBE_X3_DOMAINS, domain);
}

static int read_variable(struct gpube_x3 *r, struct gpube_x3_node *node)
{
	const char *name = require(r, node, "name");
	const char *domain = name ? require(r, node, "domain") : NULL;
	const char *agent = gpube__x3_attribute(node, "agent");
	const int32_t d = domain ? find(r, GPUBE_X3_DOMAINS, "domain", domain) : -1;
	const int32_t owner = agent && d >= 0 ? find(r, GPUBE_X3_AGENTS, "agent", agent) : -1;
	struct gpube_x2 *s = &r->second;
	int32_t var;

	if (r->in->status || gpube__x3_add_var(r, &var, name, d) ||
		declare(r, node, GPUBE_X3_NAMED, var))
		return r->in->status;
	if (gpube__grow(r->m->ctx, &s->owner_of, &s->owners_capacity, r->m->n_vars,
		    sizeof(*s->owner_of)))
		return gpube__x3_no_memory(r);
	while (s->n_owners <= var)
		s->owner_of[s->n_owners++] = -1;
	s->owner_of[var] = owner;
	return GPUBE_OK;
}

/* ---- relations, predicates, functions -------------------------------------------------------- */

static int keep_text(struct gpube_x3 *r, const struct gpube_x3_node *node, char **text)
{
	if (node && !(*text = gpube__strdup(r->m->ctx, node->text ? node->text : "")))
		return gpube__x3_no_memory(r);
	return GPUBE_OK;
}

/* Also what is referred to alone, so that its memory is freed. */
static int add_reference(
	struct gpube_x3 *r, struct gpube_x3_node *node, struct gpube_x2_reference **ref)
{
	struct gpube_x2 *s = &r->second;

	if (declare(r, node, GPUBE_X3_REFERENCES, (int32_t)s->n_references))
		return r->in->status;
	if (gpube__grow(r->m->ctx, &s->references, &s->references_capacity, s->n_references + 1,
		    sizeof(*s->references)))
		return gpube__x3_no_memory(r);
	*ref = &s->references[s->n_references++];
	**ref = (struct gpube_x2_reference){
		.name = r->strings[r->n_strings - 1], .line = node->line};
	return GPUBE_OK;
}

static int read_relation(struct gpube_x3 *r, struct gpube_x3_node *node)
{
	static const char *const kinds[] = {"supports", "conflicts", "soft"};
	const char *semantics = gpube__x3_attribute(node, "semantics");
	const char *dflt = gpube__x3_attribute(node, "defaultCost"), *end;
	const char *arity = require(r, node, "arity");
	struct gpube_x2_reference *ref;

	if (!arity || add_reference(r, node, &ref))
		return r->in->status;
	end = arity + strspn(arity, BLANKS);
	if (gpube__x3_integer(r, &end, &ref->arity, "the arity of a relation"))
		return r->in->status;
	if (end[strspn(end, BLANKS)] || ref->arity < 1)
		return gpube__in_expected(r->in, "the arity of a relation", arity);
	for (; semantics && ref->kind <= SOFT; ref->kind++)
		if (strcmp(kinds[ref->kind], semantics) == 0)
			break;
	if (ref->kind > SOFT)
		return gpube__in_expected(r->in, "supports, conflicts or soft", semantics);
	ref->dflt = ref->kind == SUPPORTS ? INFINITY : 0;
	if (ref->kind == SOFT && dflt && read_cost(r, dflt, &ref->dflt))
		return r->in->status;
	return keep_text(r, node, &ref->text);
}

static int read_predicate(struct gpube_x3 *r, struct gpube_x3_node *node)
{
	struct gpube_x3_node *expression = gpube__x3_child(node, "expression");
	struct gpube_x2_reference *ref;

	if (add_reference(r, node, &ref))
		return r->in->status;
	ref->kind = gpube__x3_is(node, "function") ? FUNCTION : PREDICATE;
	return keep_text(r, gpube__x3_child(node, "parameters"), &ref->formals)
		       ? r->in->status
		       : keep_text(r, gpube__x3_child(expression ? expression : node, "functional"),
				 &ref->text);
}

/* ---- constraints by relations ---------------------------------------------------------------- */

/* "12:" before a tuple sets the cost of it and of what follows. */
static int pass_cost(struct gpube_x3 *r, const char **p, double *cost)
{
	const size_t n = strcspn(*p, ":|" BLANKS);
	const char *after = *p + n + strspn(*p + n, " \t");
	char word[64];

	if (*after != ':')
		return GPUBE_OK;
	snprintf(word, sizeof(word), "%.*s", n > 60 ? 60 : (int)n, *p);
	*p = after + 1;
	gpube__x3_skip(r, p);
	return read_cost(r, word, cost);
}

/* "1 2|3 4"; tuples that are outside of the domains do not matter. */
static int read_tuples(struct gpube_x3 *r, const struct gpube_x2_reference *ref,
	struct gpube_weights *w, int32_t *tuple)
{
	const double most = r->second.maximal_cost;
	double cost = ref->kind == SUPPORTS ? 0 : ref->kind == CONFLICTS ? INFINITY : NAN;
	const char *p = ref->text;

	for (gpube__x3_skip(r, &p); *p;) {
		bool inside = true;

		if (ref->kind == SOFT && pass_cost(r, &p, &cost))
			return r->in->status;
		if (isnan(cost))
			return gpube__in_error(r->in, "a soft relation begins with a cost and ':'");
		for (int64_t k = 0; k < ref->arity; k++) {
			int64_t v;

			gpube__x3_skip(r, &p);
			if (gpube__x3_integer(r, &p, &v, "a value"))
				return r->in->status;
			tuple[k] = gpube__x3_index(r, w->scope[k], v);
			inside = inside && tuple[k] >= 0;
		}
		if (inside && gpube__x3_weigh(r, w, tuple, cost >= most ? INFINITY : cost))
			return r->in->status;
		gpube__x3_skip(r, &p);
		if (*p && *p != '|')
			return gpube__in_expected(r->in, "'|' between tuples", p);
		p += *p == '|';
		gpube__x3_skip(r, &p);
	}
	return GPUBE_OK;
}

/* Scopes of the same domains share the table. */
static int add_relation(
	struct gpube_x3 *r, const struct gpube_x2_reference *ref, int n, const int32_t *vars)
{
	struct gpube_weights w = {.arity = n, .scope = vars};
	int32_t *tuple = gpube__x3_temp(r, n, sizeof(*tuple)), table;
	char *key = gpube__x3_temp(r, 12 * ((int64_t)n + 1), 1), *p = key;
	double dflt = ref->dflt;

	if (!tuple || !key)
		return r->in->status;
	if (ref->arity != n)
		return gpube__in_error(r->in,
			"relation '%.60s' has %lld column%s for %d variable%s", ref->name,
			(long long)ref->arity, gpube__plural((double)ref->arity), n,
			gpube__plural(n));
	p += sprintf(p, "%d", (int)(ref - r->second.references));
	for (int k = 0; k < n; k++)
		p += sprintf(p, " %d", r->domain_of[vars[k]]);
	table = gpube__x3_known(r, GPUBE_X3_TABLES, key);
	if (table >= 0)
		return gpube__x3_add_again(r, n, vars, table);
	r->in->line = ref->line;
	read_tuples(r, ref, &w, tuple);
	if (dflt >= r->second.maximal_cost)
		dflt = INFINITY;
	if (gpube__x3_add_weights(r, &w, dflt) ||
		gpube__in_charge(r->in, p - key + 64, 1, "tables of relations"))
		return r->in->status;
	return gpube__x3_know(r, GPUBE_X3_TABLES, key, r->m->n_tables - 1);
}

/* ---- constraints by predicates --------------------------------------------------------------- */

/* A variable of the scope that was read last, or an integer. */
static int read_actual(struct gpube_x3 *r, const char *word, size_t n, struct gpube_x3_term *t)
{
	const char *name = gpube__x3_copy(r, word, n), *p = word;
	const int32_t var = name ? gpube__x3_known(r, GPUBE_X3_NAMED, name) : -1;

	*t = gpube__x3_var(var);
	if (!name || (var >= 0 && r->seen[2 * var] == r->stamp))
		return r->in->status;
	if (var >= 0 || strspn(word, "+-" DIGITS) < n)
		return gpube__x3_expected(r, "a variable of the scope", word, n);
	return gpube__x3_integer(r, &p, &t->value, "an integer")
		       ? r->in->status
		       : gpube__x3_expect_end(r, p, word + n, "a blank behind an integer");
}

static int read_actuals(struct gpube_x3 *r, struct gpube_x3_node *node, struct gpube_x3_list *list)
{
	struct gpube_x3_node *parameters = gpube__x3_child(node, "parameters");
	const char *text = parameters ? gpube__x3_text(r, parameters) : NULL, *word;
	struct gpube_x3_term t;
	size_t n;

	if (!parameters)
		return gpube__in_error(r->in, "a <constraint> by a predicate has no <parameters>");
	while (text && (word = gpube__x3_word(r, &text, &n)) && n)
		if (read_actual(r, word, n, &t) || gpube__x3_push(r, list, t))
			break;
	return r->in->status;
}

/* Which word of "int x int y" without its 'int's a name is; -1: none. */
static int64_t place_of(const char *text, const char *name, size_t length)
{
	for (int64_t k = 0; *(text += strspn(text, BLANKS));) {
		const size_t n = strcspn(text, BLANKS);

		if (n == length && memcmp(text, name, n) == 0)
			return k;
		k += !(n == 3 && strncmp(text, "int", 3) == 0);
		text += n;
	}
	return -1;
}

/* The expression with actual parameters in the place of formal ones. */
static int apply(struct gpube_x3 *r, const struct gpube_x2_reference *ref,
	const struct gpube_x3_list *actual, struct gpube_x3_text *t)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_" DIGITS ".-[]";
	const char *p = ref->text;

	for (size_t n; *p && !r->in->status; p += n) {
		const bool name = (n = strspn(p, letters)) && !strchr("-" DIGITS, *p) &&
				  p[n + strspn(p + n, BLANKS)] != '(' &&
				  !(n == 4 && strncmp(p, "true", n) == 0) &&
				  !(n == 5 && strncmp(p, "false", n) == 0);
		const int64_t k = name ? place_of(ref->formals, p, n) : -1;
		char word[32];

		n += n == 0;
		if (name && (k < 0 || k >= actual->n))
			return gpube__in_error(r->in, "predicate '%.60s': '%.*s' is not known",
				ref->name, n > 60 ? 60 : (int)n, p);
		if (name)
			gpube__x3_term_text(word, actual->terms[k]);
		gpube__x3_append(r, t, name ? word : p, name ? strlen(word) : n);
	}
	return r->in->status;
}

static int add_predicate(
	struct gpube_x3 *r, const struct gpube_x2_reference *ref, struct gpube_x3_node *node)
{
	struct gpube_x3_list actual = {0};
	struct gpube_x3_text t = {0};

	if (!ref->formals || !ref->text)
		return gpube__in_error(r->in,
			"predicate '%.60s' has no parameters or no functional expression",
			ref->name);
	if (read_actuals(r, node, &actual) || gpube__x3_append(r, &t, "", 0) ||
		apply(r, ref, &actual, &t))
		return r->in->status;
	r->second.predicate = ref->name;
	if (ref->kind == FUNCTION)
		gpube__x3_cost(r, t.bytes, (size_t)t.n, 1);
	else
		gpube__x3_post(r, t.bytes, (size_t)t.n);
	r->second.predicate = NULL;
	return r->in->status;
}

/* ---- sums ------------------------------------------------------------------------------------ */

/* "[ { 2 V0 } { -1 V1 } ] ge 5" */
static int add_weighted_sum(struct gpube_x3 *r, struct gpube_x3_node *node)
{
	struct gpube_x3_node *parameters = gpube__x3_need(r, node, "parameters");
	const char *p = parameters ? gpube__x3_text(r, parameters) : NULL, *op, *right;
	struct gpube_x3_list list = {0}, factors = {0};
	struct gpube_x3_condition c;
	const int64_t *by;
	size_t n, n_op, n_right;
	char text[64];

	if (!p || gpube__x3_expect(r, &p, '['))
		return r->in->status;
	for (gpube__x3_skip(r, &p); *p == '{'; gpube__x3_skip(r, &p)) {
		struct gpube_x3_term factor = {.var = -1}, t;

		p++;
		gpube__x3_skip(r, &p);
		if (gpube__x3_integer(r, &p, &factor.value, "a coefficient"))
			return r->in->status;
		gpube__x3_skip(r, &p);
		n = strcspn(p, BLANKS "[]{}");
		if (read_actual(r, p, n, &t) || gpube__x3_push(r, &list, t) ||
			gpube__x3_push(r, &factors, factor))
			return r->in->status;
		p += n;
		if (gpube__x3_expect(r, &p, '}'))
			return r->in->status;
	}
	if (gpube__x3_expect(r, &p, ']'))
		return r->in->status;
	op = gpube__x3_word(r, &p, &n_op);
	right = gpube__x3_word(r, &p, &n_right);
	gpube__x3_skip(r, &p);
	if (*p)
		return gpube__x3_expected(r, "the end of the parameters", p, strlen(p));
	snprintf(text, sizeof(text), "(%.*s,%.*s)", n_op > 9 ? 9 : (int)n_op, op,
		n_right > 40 ? 40 : (int)n_right, right);
	by = gpube__x3_numbers(r, &factors);
	return !by || gpube__x3_condition_text(r, text, text + strlen(text), &c)
		       ? r->in->status
		       : gpube__x3_add_sum(r, &list, by, &c);
}

/* ---- constraints ----------------------------------------------------------------------------- */

static int read_scope(struct gpube_x3 *r, const char *text, int *n, int32_t **vars)
{
	struct gpube_x3_list list = {0};
	const char *word;
	size_t length;

	r->stamp++;
	if (gpube__x3_see(r))
		return r->in->status;
	while ((word = gpube__x3_word(r, &text, &length)) && length) {
		const char *name = gpube__x3_copy(r, word, length);
		const int32_t var = name ? find(r, GPUBE_X3_NAMED, "variable", name) : -1;

		if (var < 0 || gpube__x3_push(r, &list, gpube__x3_var(var)))
			return r->in->status;
		if (r->seen[2 * var] == r->stamp)
			return gpube__in_error(r->in, "variable '%.60s' is twice in a scope", name);
		r->seen[2 * var] = r->stamp;
	}
	if (list.n == 0)
		return gpube__in_error(r->in, "an empty scope");
	*n = (int)list.n;
	*vars = gpube__x3_temp(r, list.n, sizeof(**vars));
	for (int64_t k = 0; *vars && k < list.n; k++)
		(*vars)[k] = list.terms[k].var;
	return r->in->status;
}

static int add_constraint(struct gpube_x3 *r, struct gpube_x3_node *node, int n, int32_t *vars)
{
	const char *to = require(r, node, "reference");
	const struct gpube_x2_reference *ref;
	int32_t found;

	if (!to)
		return r->in->status;
	if (strcmp(to, "global:allDifferent") == 0 || strcmp(to, "global:alldifferent") == 0)
		return gpube__x3_differ(r, n, vars);
	if (strcmp(to, "global:weightedSum") == 0 || strcmp(to, "global:weightedsum") == 0)
		return add_weighted_sum(r, node);
	if (strncmp(to, "global:", 7) == 0)
		return gpube__in_error(r->in, "constraint '%.60s' is not supported", to);
	found = find(r, GPUBE_X3_REFERENCES, "relation or predicate", to);
	if (found < 0)
		return r->in->status;
	ref = &r->second.references[found];
	return ref->kind >= PREDICATE ? add_predicate(r, ref, node) : add_relation(r, ref, n, vars);
}

/* All of its functions have the constraint's name. */
static int read_constraint(struct gpube_x3 *r, struct gpube_x3_node *node)
{
	const char *scope = require(r, node, "scope"), *name = gpube__x3_attribute(node, "name");
	const int32_t first = r->m->n_functions;
	int32_t *vars = NULL;
	int n = 0;

	if (!scope || read_scope(r, scope, &n, &vars) || add_constraint(r, node, n, vars) || !name)
		return r->in->status;
	if (gpube__in_charge(r->in, r->m->n_functions - first, (int64_t)strlen(name) + 1, "names"))
		return r->in->status;
	for (int32_t f = first; f < r->m->n_functions; f++)
		if (!r->m->functions[f].name &&
			!(r->m->functions[f].name = gpube__strdup(r->m->ctx, name)))
			return gpube__x3_no_memory(r);
	return GPUBE_OK;
}

int gpube__x2_element(struct gpube_x3 *r, struct gpube_x3_node *node)
{
	static const struct {
		const char *name;
		gpube_x3_reader *read;
	} elements[] = {{"agent", read_agent}, {"domain", read_domain}, {"variable", read_variable},
		{"relation", read_relation}, {"predicate", read_predicate},
		{"function", read_predicate}, {"constraint", read_constraint}};

	for (size_t k = 0; k < sizeof(elements) / sizeof(*elements); k++)
		if (gpube__x3_is(node, elements[k].name))
			return elements[k].read(r, node);
	return gpube__in_error(
		r->in, "<%.40s> is not read, in XCSP 2.1 (XCSP3 has format=\"XCSP3\")", node->name);
}

/* ---- all of it ------------------------------------------------------------------------------- */

int gpube__x2_finish(struct gpube_x3 *r)
{
	const struct gpube_x2 *s = &r->second;
	long double top = s->maximal_cost;

	for (int32_t i = 0; i < s->n_owners; i++)
		if (s->owner_of[i] >= 0 && gpube__own(r->m, s->owner_of[i], i))
			return gpube__x3_no_memory(r);
	if (gpube__reals_to_costs(r->m, r->in, s->initial_cost, 0) || isinf(s->maximal_cost))
		return r->in->status;
	for (int k = 0; k < r->m->scale; k++)
		top *= 10;
	if (top >= 0x1p62L)
		return gpube__in_fail(r->in, GPUBE_ERANGE, "the maximalCost passes 2^62");
	r->m->top = (int64_t)ceill(top);
	return GPUBE_OK;
}

void gpube__x2_clear(struct gpube_x3 *r)
{
	for (int64_t k = 0; k < r->second.n_references; k++) {
		gpube__free(r->m->ctx, r->second.references[k].text);
		gpube__free(r->m->ctx, r->second.references[k].formals);
	}
	gpube__free(r->m->ctx, r->second.references);
	gpube__free(r->m->ctx, r->second.owner_of);
}
