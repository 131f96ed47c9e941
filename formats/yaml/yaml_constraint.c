/* yaml_constraint.c - pyDCOP's constraints: tables and Python expressions. See yaml_reader.h. */
#ifdef GPUBE_HAVE_YAML

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpube/globals/intension.h"
#include "formats/common/reading.h"
#include "formats/yaml/yaml_reader.h"

/* Slots are places in the scope, which grows as names are met. */
static int find_name(void *arg, const char *name, struct gpube_value *constant)
{
	struct gpube_yaml *r = arg;
	const yaml_node_t *given = gpube__yaml_get(r, r->partial, name);
	const int32_t *found;

	if (gpube__yaml_text(given)) {
		*constant = gpube__yaml_value(given);
		return GPUBE_EXPR_CONSTANT;
	}
	found = gpube__names_find(&r->names, GPUBE_YAML_EXTERNALS, name);
	if (found) {
		*constant = r->externals[*found];
		return GPUBE_EXPR_CONSTANT;
	}
	found = gpube__names_find(&r->names, GPUBE_YAML_VARIABLES, name);
	if (!found)
		return GPUBE_EXPR_UNKNOWN;
	for (int k = 0; k < r->arity; k++)
		if (r->scope[k] == *found)
			return k;
	if (r->arity == GPUBE_YAML_SCOPE)
		return GPUBE_EXPR_UNKNOWN +
		       gpube__in_fail(r->in, GPUBE_ERANGE,
			       "more than %d variables: their tuples are not expanded",
			       GPUBE_YAML_SCOPE);
	r->scope[r->arity] = *found;
	return r->arity++;
}

/* A function of a Python expression. */
static int add_python(struct gpube_yaml *r, const yaml_node_t *node, const char *name)
{
	const struct gpube_expr_names names = {find_name, r, GPUBE_YAML_SCOPE, r->source};
	const struct gpube_value *values[GPUBE_YAML_SCOPE];
	struct gpube_expr e;
	int status;

	r->arity = 0;
	if (!gpube__yaml_text(node))
		return gpube__yaml_refuse(r, node, "a Python expression");
	gpube__yaml_go_to(r, node);
	status = gpube__expr_python(&e, r->m->ctx, gpube__yaml_text(node), &names);
	if (status == GPUBE_EPARSE)
		gpube__in_error(r->in, "in the expression: %s", e.error);
	else if (status && !r->in->status)
		r->in->status = status;
	for (int k = 0; k < r->arity && !status; k++)
		values[k] = r->domains[r->domain_of[r->scope[k]]].values;
	if (!status)
		status = gpube__expr_expand(&e, r->m, r->in, r->arity, r->scope, values, name);
	gpube__expr_clear(&e);
	return status;
}

/* The Python of another file beside this one: r->source. */
static int read_source(struct gpube_yaml *r, const yaml_node_t *node)
{
	const char *path = gpube__yaml_text(node), *slash = strrchr(r->in->path, '/');
	const int folder = slash && path && *path != '/' ? (int)(slash + 1 - r->in->path) : 0;
	int64_t n = 0, capacity = 0;
	struct gpube_in in;
	char full[4096];
	int status;

	gpube__yaml_go_to(r, node);
	if (!path || snprintf(full, sizeof(full), "%.*s%s", folder, r->in->path, path) >=
			     (int)sizeof(full))
		return gpube__yaml_refuse(r, node, "the path of a Python file");
	status = gpube__in_open(&in, r->m->ctx, full);
	if (status)
		return status == GPUBE_ENOMEM
			       ? gpube__yaml_no_memory(r)
			       : gpube__in_error(
					 r->in, "cannot open the Python file '%.200s'", full);
	while (gpube__in_fill(&in) && !r->in->status) {
		const int64_t more = in.end - in.p;

		if (gpube__in_charge(r->in, more, 2, "the Python of '%.60s'", path) ||
			gpube__grow(r->m->ctx, &r->source, &capacity, n + more + 1, 1))
			gpube__yaml_no_memory(r);
		else
			memcpy(r->source + n, in.p, (size_t)more);
		in.p += more;
		n += more;
	}
	if (in.status && !r->in->status)
		r->in->status = in.status;
	gpube__in_close(&in);
	if (!r->in->status && gpube__grow(r->m->ctx, &r->source, &capacity, n + 1, 1))
		return gpube__yaml_no_memory(r);
	if (!r->in->status)
		r->source[n] = 0;
	return r->in->status;
}

/* One assignment: a word for each variable of the scope. */
static int add_tuple(struct gpube_yaml *r, struct gpube_weights *t, const yaml_node_t *node,
	const char *text, size_t n, double cost)
{
	int32_t tuple[GPUBE_YAML_SCOPE];
	const char *end = text + n;

	for (int k = 0; k <= r->arity; k++) {
		size_t word;
		int32_t value;

		while (text < end && strchr(" \t\r\n", *text))
			text++;
		word = strcspn(text, " \t\r\n|");
		if (text + word > end)
			word = (size_t)(end - text);
		gpube__yaml_go_to(r, node);
		if (k == r->arity && word == 0)
			break;
		if (k == r->arity || word == 0)
			return gpube__in_error(r->in,
				"expected an assignment of %d value%s, found '%.*s'", r->arity,
				gpube__plural(r->arity), n > 60 ? 60 : (int)n, end - n);
		value = gpube__yaml_find_value(r, r->domain_of[r->scope[k]], text, word);
		if (value < 0)
			return gpube__in_error(r->in, "variable '%.60s' has no value '%.*s'",
				r->m->vars[r->scope[k]].name, word > 60 ? 60 : (int)word, text);
		tuple[k] = value;
		text += word;
	}
	return gpube__weights_add(r->m, t, tuple, cost) ? gpube__yaml_no_memory(r) : GPUBE_OK;
}

/* "R G | G R" */
static int add_tuples(
	struct gpube_yaml *r, struct gpube_weights *t, const yaml_node_t *node, double cost)
{
	const char *text = gpube__yaml_text(node);
	int status = GPUBE_OK;

	if (!text)
		return gpube__yaml_refuse(r, node, "assignments such as 1 2 | 2 3");
	while (!status) {
		size_t n = strcspn(text, "|");

		status = add_tuple(r, t, node, text, n, cost);
		if (!text[n])
			break;
		text += n + 1;
	}
	return status;
}

static int read_scope(struct gpube_yaml *r, const yaml_node_t *key, const yaml_node_t *node)
{
	bool list = node && node->type == YAML_SEQUENCE_NODE;
	int n = list ? (int)(node->data.sequence.items.top - node->data.sequence.items.start) : 1;

	r->arity = 0;
	if (!list && !gpube__yaml_text(node))
		return gpube__yaml_refuse(r, node ? node : key, "'variables' of a table");
	for (int k = 0; k < n; k++) {
		const yaml_node_t *item =
			list ? gpube__yaml_node(r, node->data.sequence.items.start[k]) : node;
		const char *name = gpube__yaml_text(item);
		const int32_t *var =
			name ? gpube__names_find(&r->names, GPUBE_YAML_VARIABLES, name) : NULL;

		gpube__yaml_go_to(r, item);
		if (!var)
			return gpube__in_error(
				r->in, "variable '%.60s' is not known", name ? name : "");
		if (k == GPUBE_YAML_SCOPE)
			return gpube__in_fail(r->in, GPUBE_ERANGE,
				"more than %d variables: their tuples are not expanded",
				GPUBE_YAML_SCOPE);
		for (int j = 0; j < k; j++)
			if (r->scope[j] == *var)
				return gpube__in_error(
					r->in, "variable '%.60s' is twice in a scope", name);
		r->scope[k] = *var;
		r->arity = k + 1;
	}
	return r->arity ? GPUBE_OK : gpube__yaml_refuse(r, node, "a variable");
}

/* The collected tuples become a function; they are taken in every case. */
static int finish_table(struct gpube_yaml *r, struct gpube_weights *t, const yaml_node_t *key,
	const char *name, double dflt)
{
	int64_t bad;

	if (gpube__weights_finish(r->m, r->in, t, dflt, name, &bad))
		return gpube__yaml_no_memory(r);
	gpube__yaml_go_to(r, key);
	if (bad == t->n)
		return gpube__in_error(r->in,
			"constraint '%.60s' has no default, and no value for some assignments",
			name);
	if (bad >= 0)
		return gpube__in_error(
			r->in, "constraint '%.60s': an assignment has two values", name);
	return GPUBE_OK;
}

static int read_table(
	struct gpube_yaml *r, const char *name, const yaml_node_t *key, const yaml_node_t *node)
{
	const yaml_node_t *values = gpube__yaml_get(r, node, "values"),
			  *given = gpube__yaml_get(r, node, "default");
	double dflt = NAN, cost;
	int status = read_scope(r, key, gpube__yaml_get(r, node, "variables"));
	struct gpube_weights t = {.arity = r->arity, .scope = r->scope};

	if (!status && given)
		status = gpube__yaml_cost(r, given, &dflt);
	if (!status && (!values || values->type != YAML_MAPPING_NODE))
		status = gpube__yaml_refuse(r, values ? values : key, "'values' of a table");
	if (!status)
		for (yaml_node_pair_t *p = values->data.mapping.pairs.start;
			p < values->data.mapping.pairs.top && !status; p++) {
			status = gpube__yaml_cost(r, gpube__yaml_node(r, p->key), &cost);
			if (!status)
				status = add_tuples(r, &t, gpube__yaml_node(r, p->value), cost);
		}
	if (!status)
		return finish_table(r, &t, key, name, dflt);
	gpube__free(r->m->ctx, t.values);
	gpube__free(r->m->ctx, t.tuples);
	return status;
}

int gpube__yaml_constraint(
	struct gpube_yaml *r, const char *name, const yaml_node_t *key, const yaml_node_t *node)
{
	const char *type = gpube__yaml_text(gpube__yaml_get(r, node, "type"));
	const yaml_node_t *function, *source;
	int status;

	if (type && strcmp(type, "extensional") == 0)
		return read_table(r, name, key, node);
	if (!type || (strcmp(type, "intention") != 0 && strcmp(type, "intension") != 0))
		return gpube__yaml_refuse(
			r, key, "'type: intention' or 'type: extensional' of a constraint");
	source = gpube__yaml_get(r, node, "source");
	if (source && read_source(r, source))
		return r->in->status;
	function = gpube__yaml_get(r, node, "function");
	r->partial = gpube__yaml_get(r, node, "partial");
	status = add_python(r, function ? function : key, name);
	r->partial = NULL;
	gpube__free(r->m->ctx, r->source);
	r->source = NULL;
	return status;
}

/* After the constraints, so that these come in the file's order before what variables cost. */
int gpube__yaml_variable_cost(
	struct gpube_yaml *r, const char *name, const yaml_node_t *key, const yaml_node_t *node)
{
	const yaml_node_t *cost = gpube__yaml_get(r, node, "cost_function");

	(void)key;
	(void)name;
	return cost ? add_python(r, cost, NULL) : GPUBE_OK;
}

#endif
