/*
 * yaml.c - pyDCOP's .yaml: variables over domains of numbers and words, constraints
 * as tables or as Python expressions, agents.
 *
 * The constraints' costs are doubles, as Python computes them, and become
 * decimals (reals.h). Noise on costs is left out, and said. External variables
 * are constants. What places computations on agents matters only in so far as
 * must_host says which agent a variable belongs to.
 */
#include "formats/registry.h"

#ifndef GPUBE_HAVE_YAML

int gpube__yaml_read(struct gpube_model *m, struct gpube_in *in)
{
	return in->status = gpube__fail(m->ctx, GPUBE_EIO,
		       "cannot read '%s': it is YAML, and this build has no libyaml", in->path);
}

#else

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/intension.h"
#include "formats/names.h"
#include "formats/reals.h"
#include "formats/yaml_doc.h"

enum { MAX_SCOPE = 64 };

/* Spaces of names. */
enum { DOMAINS, VARIABLES, EXTERNALS, AGENTS };

struct domain {
	int32_t n;
	struct gpube_value *values;
	char **texts; /* as str() writes them, which assignments in tables are compared with */
	int64_t capacity, texts_capacity;
};

struct reader {
	struct gpube_model *m;
	struct gpube_in *in;
	yaml_document_t doc;
	struct gpube_names names;
	struct domain *domains;
	int64_t n_domains, domains_capacity;
	int32_t *domain_of; /* by variable */
	int64_t domain_of_capacity;
	struct gpube_value *externals;
	int64_t n_externals, externals_capacity;
	bool noise;
	/* the scope that is being collected */
	int arity;
	int32_t scope[MAX_SCOPE];
	const yaml_node_t *partial; /* values that are given */
};

/* ---- the document ------------------------------------------------------------------------- */

static const yaml_node_t *node_at(struct reader *r, int index)
{
	return yaml_document_get_node(&r->doc, index);
}

/* Errors name the line of a node. */
static void go_to(struct reader *r, const yaml_node_t *node)
{
	if (node && !r->in->status)
		r->in->line = (int64_t)node->start_mark.line + 1;
}

static int refuse(struct reader *r, const yaml_node_t *node, const char *what)
{
	go_to(r, node);
	return gpube__in_error(r->in, "expected %s", what);
}

static int no_memory(struct reader *r)
{
	return r->in->status ? r->in->status : (r->in->status = GPUBE_ENOMEM);
}

/* The value of a key in a mapping; NULL if it is not there. */
static const yaml_node_t *get(struct reader *r, const yaml_node_t *map, const char *key)
{
	if (!map || map->type != YAML_MAPPING_NODE)
		return NULL;
	for (yaml_node_pair_t *p = map->data.mapping.pairs.start; p < map->data.mapping.pairs.top;
		p++) {
		const char *k = gpube__yaml_text(node_at(r, p->key));

		if (k && strcmp(k, key) == 0)
			return node_at(r, p->value);
	}
	return NULL;
}

/* Calls fn for each name and value of a mapping; NULL and an empty value are one without any. */
static int for_each(struct reader *r, const yaml_node_t *map, const char *what,
	int (*fn)(struct reader *r, const char *name, const yaml_node_t *key,
		const yaml_node_t *value))
{
	int status = GPUBE_OK;

	if (!map || (gpube__yaml_text(map) && !*gpube__yaml_text(map)))
		return GPUBE_OK;
	if (map->type != YAML_MAPPING_NODE)
		return refuse(r, map, what);
	for (yaml_node_pair_t *p = map->data.mapping.pairs.start;
		p < map->data.mapping.pairs.top && !status; p++) {
		const yaml_node_t *key = node_at(r, p->key);
		const char *name = gpube__yaml_text(key);

		if (!name)
			return refuse(r, key, what);
		status = fn(r, name, key, node_at(r, p->value));
	}
	return status;
}

/* A cost: a number; .inf is forbidden, in the direction in which it is. */
static int to_cost(struct reader *r, const yaml_node_t *node, double *cost)
{
	bool max = r->m->direction == GPUBE_MAXIMISE;
	const char *text = gpube__yaml_text(node);
	struct gpube_value v;

	if (!text)
		return refuse(r, node, "a cost");
	if (strcmp(text, max ? "-.inf" : ".inf") == 0) {
		*cost = INFINITY;
		return GPUBE_OK;
	}
	v = gpube__yaml_value(node);
	*cost = gpube__value_real(&v);
	if (!isnan(*cost))
		return GPUBE_OK;
	go_to(r, node);
	return gpube__in_expected(r->in, "a cost", text);
}

/* ---- domains ------------------------------------------------------------------------------- */

static int add_value(struct reader *r, struct domain *d, struct gpube_value v, const char *text)
{
	struct gpube_ctx *ctx = r->m->ctx;

	if (d->n == INT32_MAX - 1 ||
		gpube__grow(ctx, &d->values, &d->capacity, (int64_t)d->n + 1, sizeof(*d->values)) ||
		gpube__grow(
			ctx, &d->texts, &d->texts_capacity, (int64_t)d->n + 1, sizeof(*d->texts)) ||
		!(d->texts[d->n] = gpube__strdup(ctx, text)))
		return no_memory(r);
	if (v.kind == GPUBE_VALUE_TEXT)
		v.text = d->texts[d->n];
	d->values[d->n++] = v;
	return GPUBE_OK;
}

static int add_int(struct reader *r, struct domain *d, int64_t i)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", (long long)i);
	return add_value(r, d, (struct gpube_value){GPUBE_VALUE_INT, i, 0, NULL}, text);
}

/* "1 .. 10" */
static int add_range(struct reader *r, struct domain *d, const yaml_node_t *node, const char *text)
{
	char *end;
	long long low = strtoll(text, &end, 10), high = 0;
	const char *second = end + strspn(end, " ");
	bool good = end != text && second[0] == '.' && second[1] == '.';
	int status = GPUBE_OK;

	if (good) {
		high = strtoll(second + 2, &end, 10);
		good = end != second + 2 && !end[strspn(end, " ")];
	}
	if (!good || low < -1000000000 || high > 1000000000 || high < low) {
		go_to(r, node);
		return gpube__in_expected(r->in, "a range such as 1 .. 10", text);
	}
	if (high - low >= GPUBE_EXPAND_CELLS) {
		go_to(r, node);
		return gpube__in_fail(r->in, GPUBE_ERANGE,
			"a domain of %lld values: no more than %lld are expanded", high - low + 1,
			(long long)GPUBE_EXPAND_CELLS);
	}
	for (long long i = low; i <= high && !status; i++)
		status = add_int(r, d, i);
	return status;
}

static int add_scalar(struct reader *r, struct domain *d, const yaml_node_t *node)
{
	struct gpube_value v;
	const char *text = gpube__yaml_text(node);
	size_t n = text ? strlen(text) : 0;

	if (!text)
		return refuse(r, node, "a value");
	v = gpube__yaml_value(node);
	if (v.kind != GPUBE_VALUE_INT)
		return add_value(r, d, v, text);
	/* str() of a boolean */
	if (n && strchr("tTyY", *text))
		return add_value(r, d, v, "True");
	if (n && strchr("fFnNoO", *text))
		return add_value(r, d, v, v.i ? "True" : "False");
	return add_int(r, d, v.i);
}

static int read_domain(
	struct reader *r, const char *name, const yaml_node_t *key, const yaml_node_t *node)
{
	const yaml_node_t *values = get(r, node, "values"), *only;
	yaml_node_item_t *item, *top;
	struct domain *d;
	int status = GPUBE_OK;

	if (!values || values->type != YAML_SEQUENCE_NODE)
		return refuse(r, values ? values : key, "'values: [ … ]' of a domain");
	if (gpube__names_find(&r->names, DOMAINS, name)) {
		go_to(r, key);
		return gpube__in_error(r->in, "domain '%.60s' is there twice", name);
	}
	if (gpube__grow(r->m->ctx, &r->domains, &r->domains_capacity, r->n_domains + 1,
		    sizeof(*r->domains)) ||
		gpube__names_add(&r->names, DOMAINS, name, (int32_t)r->n_domains))
		return no_memory(r);
	d = &r->domains[r->n_domains++];
	memset(d, 0, sizeof(*d));
	item = values->data.sequence.items.start;
	top = values->data.sequence.items.top;
	only = item + 1 == top ? node_at(r, *item) : NULL;
	if (only && gpube__yaml_text(only) && strstr(gpube__yaml_text(only), ".."))
		return add_range(r, d, only, gpube__yaml_text(only));
	for (; item < top && !status; item++)
		status = add_scalar(r, d, node_at(r, *item));
	if (!status && d->n == 0)
		return refuse(r, values, "a value: the domain has none");
	return status;
}

/* Index of the value that str() writes as these n bytes; -1: none. */
static int32_t find_value(const struct domain *d, const char *text, size_t n)
{
	for (int32_t k = 0; k < d->n; k++)
		if (strlen(d->texts[k]) == n && memcmp(d->texts[k], text, n) == 0)
			return k;
	return -1;
}

/* ---- variables --------------------------------------------------------------------------------
 */

static int name_values(struct reader *r, struct gpube_variable *v, const struct domain *d)
{
	bool plain = true;

	for (int32_t k = 0; k < d->n; k++)
		plain = plain && d->values[k].kind == GPUBE_VALUE_INT && d->values[k].i == k &&
			*d->texts[k] <= '9';
	if (plain)
		return GPUBE_OK; /* 0, 1, 2 …: the indices themselves */
	v->value_names = gpube__alloc_zero(r->m->ctx, (uint64_t)d->n, sizeof(*v->value_names));
	for (int32_t k = 0; v->value_names && k < d->n; k++)
		if (!(v->value_names[k] = gpube__strdup(r->m->ctx, d->texts[k])))
			return no_memory(r);
	return v->value_names ? GPUBE_OK : no_memory(r);
}

/* The domain that a variable's 'domain' names, or -1. */
static int32_t domain_at(struct reader *r, const yaml_node_t *key, const yaml_node_t *node)
{
	const yaml_node_t *name = get(r, node, "domain");
	const int32_t *d;

	if (!gpube__yaml_text(name)) {
		refuse(r, key, "'domain: NAME' of a variable");
		return -1;
	}
	d = gpube__names_find(&r->names, DOMAINS, gpube__yaml_text(name));
	if (d)
		return *d;
	go_to(r, name);
	gpube__in_error(r->in, "domain '%.60s' is not known", gpube__yaml_text(name));
	return -1;
}

static int check_new_name(struct reader *r, const char *name, const yaml_node_t *key)
{
	if (!gpube__names_find(&r->names, VARIABLES, name) &&
		!gpube__names_find(&r->names, EXTERNALS, name))
		return GPUBE_OK;
	go_to(r, key);
	return gpube__in_error(r->in, "variable '%.60s' is there twice", name);
}

static int read_variable(
	struct reader *r, const char *name, const yaml_node_t *key, const yaml_node_t *node)
{
	struct gpube_model *m = r->m;
	int32_t d = domain_at(r, key, node), var;

	if (d < 0 || check_new_name(r, name, key))
		return r->in->status;
	if (gpube_model_add_var(m, &var, r->domains[d].n, name) ||
		gpube__grow(m->ctx, &r->domain_of, &r->domain_of_capacity, m->n_vars,
			sizeof(*r->domain_of)) ||
		gpube__names_add(&r->names, VARIABLES, m->vars[var].name, var))
		return no_memory(r);
	r->domain_of[var] = d;
	r->noise = r->noise || get(r, node, "noise_level");
	return name_values(r, &m->vars[var], &r->domains[d]);
}

static int read_external(
	struct reader *r, const char *name, const yaml_node_t *key, const yaml_node_t *node)
{
	const yaml_node_t *value = get(r, node, "initial_value");

	if (check_new_name(r, name, key) || domain_at(r, key, node) < 0)
		return r->in->status;
	if (!gpube__yaml_text(value))
		return refuse(r, key, "'initial_value' of an external variable");
	if (gpube__grow(r->m->ctx, &r->externals, &r->externals_capacity, r->n_externals + 1,
		    sizeof(*r->externals)) ||
		gpube__names_add(&r->names, EXTERNALS, name, (int32_t)r->n_externals))
		return no_memory(r);
	r->externals[r->n_externals++] = gpube__yaml_value(value);
	return GPUBE_OK;
}

/* ---- constraints
 * ---------------------------------------------------------------------------------- */

/* Slots are places in the scope, which grows as names are met. */
static int find_name(void *arg, const char *name, struct gpube_value *constant)
{
	struct reader *r = arg;
	const yaml_node_t *given = get(r, r->partial, name);
	const int32_t *found;

	if (gpube__yaml_text(given)) {
		*constant = gpube__yaml_value(given);
		return GPUBE_EXPR_CONSTANT;
	}
	found = gpube__names_find(&r->names, EXTERNALS, name);
	if (found) {
		*constant = r->externals[*found];
		return GPUBE_EXPR_CONSTANT;
	}
	found = gpube__names_find(&r->names, VARIABLES, name);
	if (!found)
		return GPUBE_EXPR_UNKNOWN;
	for (int k = 0; k < r->arity; k++)
		if (r->scope[k] == *found)
			return k;
	if (r->arity == MAX_SCOPE)
		return GPUBE_EXPR_UNKNOWN +
		       gpube__in_fail(r->in, GPUBE_ERANGE,
			       "more than %d variables: their tuples are not expanded", MAX_SCOPE);
	r->scope[r->arity] = *found;
	return r->arity++;
}

/* A function of a Python expression. */
static int add_python(struct reader *r, const yaml_node_t *node, const char *name)
{
	const struct gpube_expr_names names = {find_name, r, MAX_SCOPE};
	const struct gpube_value *values[MAX_SCOPE];
	struct gpube_expr e;
	int status;

	r->arity = 0;
	if (!gpube__yaml_text(node))
		return refuse(r, node, "a Python expression");
	go_to(r, node);
	status = gpube__expr_python(&e, r->m->ctx, gpube__yaml_text(node), &names);
	if (status == GPUBE_EPARSE)
		gpube__in_error(r->in, "in the expression: %s", e.error);
	else if (status && !r->in->status)
		r->in->status = status;
	for (int k = 0; k < r->arity && !status; k++)
		values[k] = r->domains[r->domain_of[r->scope[k]]].values;
	if (!status)
		status = gpube__expr_expand(
			&e, r->m, r->in, r->arity, r->scope, values, false, name);
	gpube__expr_clear(&e);
	return status;
}

/* What the tuples of a table are collected in. */
struct table {
	int64_t n, capacity, tuples_capacity;
	double *values;
	int32_t *tuples;
};

/* One assignment: a word for each variable of the scope. */
static int add_tuple(struct reader *r, struct table *t, const yaml_node_t *node, const char *text,
	size_t n, double cost)
{
	struct gpube_ctx *ctx = r->m->ctx;
	const char *end = text + n;

	if (gpube__grow(ctx, &t->values, &t->capacity, t->n + 1, sizeof(*t->values)) ||
		gpube__grow(ctx, &t->tuples, &t->tuples_capacity, (t->n + 1) * r->arity,
			sizeof(*t->tuples)))
		return no_memory(r);
	for (int k = 0; k <= r->arity; k++) {
		size_t word;
		int32_t value;

		while (text < end && strchr(" \t\r\n", *text))
			text++;
		word = strcspn(text, " \t\r\n|");
		if (text + word > end)
			word = (size_t)(end - text);
		go_to(r, node);
		if (k == r->arity && word == 0)
			break;
		if (k == r->arity || word == 0)
			return gpube__in_error(r->in,
				"expected an assignment of %d values, found '%.*s'", r->arity,
				n > 60 ? 60 : (int)n, end - n);
		value = find_value(&r->domains[r->domain_of[r->scope[k]]], text, word);
		if (value < 0)
			return gpube__in_error(r->in, "variable '%.60s' has no value '%.*s'",
				r->m->vars[r->scope[k]].name, word > 60 ? 60 : (int)word, text);
		t->tuples[t->n * r->arity + k] = value;
		text += word;
	}
	t->values[t->n++] = cost;
	return GPUBE_OK;
}

/* "R G | G R" */
static int add_tuples(struct reader *r, struct table *t, const yaml_node_t *node, double cost)
{
	const char *text = gpube__yaml_text(node);
	int status = GPUBE_OK;

	if (!text)
		return refuse(r, node, "assignments such as 1 2 | 2 3");
	while (!status) {
		size_t n = strcspn(text, "|");

		status = add_tuple(r, t, node, text, n, cost);
		if (!text[n])
			break;
		text += n + 1;
	}
	return status;
}

static int read_scope(struct reader *r, const yaml_node_t *key, const yaml_node_t *node)
{
	bool list = node && node->type == YAML_SEQUENCE_NODE;
	int n = list ? (int)(node->data.sequence.items.top - node->data.sequence.items.start) : 1;

	r->arity = 0;
	if (!list && !gpube__yaml_text(node))
		return refuse(r, node ? node : key, "'variables' of a table");
	for (int k = 0; k < n; k++) {
		const yaml_node_t *item =
			list ? node_at(r, node->data.sequence.items.start[k]) : node;
		const char *name = gpube__yaml_text(item);
		const int32_t *var = name ? gpube__names_find(&r->names, VARIABLES, name) : NULL;

		go_to(r, item);
		if (!var)
			return gpube__in_error(
				r->in, "variable '%.60s' is not known", name ? name : "");
		if (k == MAX_SCOPE)
			return gpube__in_fail(r->in, GPUBE_ERANGE,
				"more than %d variables: their tuples are not expanded", MAX_SCOPE);
		for (int j = 0; j < k; j++)
			if (r->scope[j] == *var)
				return gpube__in_error(
					r->in, "variable '%.60s' is twice in a scope", name);
		r->scope[k] = *var;
		r->arity = k + 1;
	}
	return r->arity ? GPUBE_OK : refuse(r, node, "a variable");
}

/* The table of the collected tuples becomes a function; they are taken in every case. */
static int finish_table(
	struct reader *r, struct table *t, const yaml_node_t *key, const char *name, double dflt)
{
	int32_t domains[MAX_SCOPE], table;
	int64_t bad;

	for (int k = 0; k < r->arity; k++)
		domains[k] = r->m->vars[r->scope[k]].domain;
	if (gpube__reals_table(
		    r->m, domains, r->arity, t->n, t->tuples, t->values, dflt, &table, &bad))
		return no_memory(r);
	go_to(r, key);
	if (bad == t->n)
		return gpube__in_error(r->in,
			"constraint '%.60s' has no default, and no value for some assignments",
			name);
	if (bad >= 0)
		return gpube__in_error(
			r->in, "constraint '%.60s': an assignment has two values", name);
	if (gpube__add_function(r->m, r->arity, r->scope, table, name))
		return no_memory(r);
	return GPUBE_OK;
}

static int read_table(
	struct reader *r, const char *name, const yaml_node_t *key, const yaml_node_t *node)
{
	const yaml_node_t *values = get(r, node, "values"), *given = get(r, node, "default");
	struct table t = {0};
	double dflt = NAN, cost;
	int status = read_scope(r, key, get(r, node, "variables"));

	if (!status && given)
		status = to_cost(r, given, &dflt);
	if (!status && (!values || values->type != YAML_MAPPING_NODE))
		status = refuse(r, values ? values : key, "'values' of a table");
	if (!status)
		for (yaml_node_pair_t *p = values->data.mapping.pairs.start;
			p < values->data.mapping.pairs.top && !status; p++) {
			status = to_cost(r, node_at(r, p->key), &cost);
			if (!status)
				status = add_tuples(r, &t, node_at(r, p->value), cost);
		}
	if (!status)
		return finish_table(r, &t, key, name, dflt);
	gpube__free(r->m->ctx, t.values);
	gpube__free(r->m->ctx, t.tuples);
	return status;
}

static int read_constraint(
	struct reader *r, const char *name, const yaml_node_t *key, const yaml_node_t *node)
{
	const char *type = gpube__yaml_text(get(r, node, "type"));
	const yaml_node_t *function;
	int status;

	if (type && strcmp(type, "extensional") == 0)
		return read_table(r, name, key, node);
	if (!type || (strcmp(type, "intention") != 0 && strcmp(type, "intension") != 0))
		return refuse(r, key, "'type: intention' or 'type: extensional' of a constraint");
	if (get(r, node, "source")) {
		go_to(r, key);
		return gpube__in_error(r->in,
			"constraint '%.60s' is Python code in another file, which is not supported",
			name);
	}
	function = get(r, node, "function");
	r->partial = get(r, node, "partial");
	status = add_python(r, function ? function : key, name);
	r->partial = NULL;
	return status;
}

/* After the constraints, so that these come in the file's order before what variables cost. */
static int read_variable_cost(
	struct reader *r, const char *name, const yaml_node_t *key, const yaml_node_t *node)
{
	const yaml_node_t *cost = get(r, node, "cost_function");

	(void)key;
	(void)name;
	return cost ? add_python(r, cost, NULL) : GPUBE_OK;
}

/* ---- agents
 * --------------------------------------------------------------------------------------- */

static int add_agent(
	struct reader *r, const char *name, const yaml_node_t *key, const yaml_node_t *node)
{
	int32_t agent;

	(void)node;
	if (gpube__names_find(&r->names, AGENTS, name)) {
		go_to(r, key);
		return gpube__in_error(r->in, "agent '%.60s' is there twice", name);
	}
	if (gpube__add_agent(r->m, &agent, name) ||
		gpube__names_add(&r->names, AGENTS, r->m->agents[agent], agent))
		return no_memory(r);
	return GPUBE_OK;
}

static int read_agents(struct reader *r, const yaml_node_t *node)
{
	int status = GPUBE_OK;

	if (!node || node->type != YAML_SEQUENCE_NODE)
		return for_each(r, node, "agents: a list or a map", add_agent);
	for (yaml_node_item_t *i = node->data.sequence.items.start;
		i < node->data.sequence.items.top && !status; i++) {
		const char *name = gpube__yaml_text(node_at(r, *i));

		if (!name)
			return refuse(r, node_at(r, *i), "an agent's name");
		status = add_agent(r, name, node_at(r, *i), NULL);
	}
	return status;
}

/* Constraints can be placed, too: only variables are owned. */
static int read_hosted(
	struct reader *r, const char *name, const yaml_node_t *key, const yaml_node_t *node)
{
	const int32_t *agent = gpube__names_find(&r->names, AGENTS, name), *var;

	if (!agent) {
		go_to(r, key);
		return gpube__in_error(r->in, "agent '%.60s' is not known", name);
	}
	if (node->type != YAML_SEQUENCE_NODE)
		return GPUBE_OK;
	for (yaml_node_item_t *i = node->data.sequence.items.start;
		i < node->data.sequence.items.top; i++) {
		const char *hosted = gpube__yaml_text(node_at(r, *i));

		var = hosted ? gpube__names_find(&r->names, VARIABLES, hosted) : NULL;
		if (var && gpube__own(r->m, *agent, *var))
			return no_memory(r);
	}
	return GPUBE_OK;
}

/* ---- all of it
 * ------------------------------------------------------------------------------------ */

static int read_head(struct reader *r, const yaml_node_t *root)
{
	const yaml_node_t *objective = get(r, root, "objective");
	const char *text = gpube__yaml_text(objective),
		   *name = gpube__yaml_text(get(r, root, "name"));

	if (!root || root->type != YAML_MAPPING_NODE)
		return refuse(r, root, "a map with objective, domains, variables and constraints");
	if (!text || (strcmp(text, "min") != 0 && strcmp(text, "max") != 0))
		return refuse(
			r, objective ? objective : root, "'objective: min' or 'objective: max'");
	if (strcmp(text, "max") == 0)
		gpube_model_set_direction(r->m, GPUBE_MAXIMISE);
	if (name && !(r->m->name = gpube__strdup(r->m->ctx, name)))
		return no_memory(r);
	return GPUBE_OK;
}

static int read_document(struct reader *r)
{
	const yaml_node_t *root = yaml_document_get_root_node(&r->doc), *variables;
	int status = read_head(r, root);

	variables = get(r, root, "variables");
	if (!status)
		status = for_each(r, get(r, root, "domains"), "a map of domains", read_domain);
	if (!status)
		status = for_each(r, variables, "a map of variables", read_variable);
	if (!status)
		status = for_each(
			r, get(r, root, "external_variables"), "a map of variables", read_external);
	if (!status)
		status = for_each(
			r, get(r, root, "constraints"), "a map of constraints", read_constraint);
	if (!status)
		status = for_each(r, variables, "a map of variables", read_variable_cost);
	if (!status)
		status = read_agents(r, get(r, root, "agents"));
	if (!status)
		status = for_each(r, get(r, get(r, root, "distribution_hints"), "must_host"),
			"a map of agents", read_hosted);
	if (!status && r->noise)
		gpube__log(r->m->ctx, GPUBE_LOG_NOTE,
			"%s: noise on the variables' costs is left out", r->in->path);
	return status;
}

int gpube__yaml_read(struct gpube_model *m, struct gpube_in *in)
{
	struct reader r = {.m = m, .in = in};
	int status = gpube__yaml_load(&r.doc, in);

	gpube__names_init(&r.names, m->ctx);
	if (!status)
		status = read_document(&r);
	if (!status)
		status = gpube__reals_to_costs(m, in, 0, 0);
	for (int64_t d = 0; d < r.n_domains; d++) {
		for (int32_t k = 0; k < r.domains[d].n; k++)
			gpube__free(m->ctx, r.domains[d].texts[k]);
		gpube__free(m->ctx, r.domains[d].texts);
		gpube__free(m->ctx, r.domains[d].values);
	}
	gpube__free(m->ctx, r.domains);
	gpube__free(m->ctx, r.domain_of);
	gpube__free(m->ctx, r.externals);
	gpube__names_clear(&r.names);
	yaml_document_delete(&r.doc);
	return status;
}

#endif
