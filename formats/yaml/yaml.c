/*
 * yaml.c - pyDCOP's .yaml: variables over domains of numbers and words, constraints
 * as tables or as Python expressions, agents.
 *
 * The constraints' costs are doubles, as Python computes them, and become
 * decimals (reals.h). Noise on costs is left out, and said. External variables
 * are constants. What places computations on agents matters only in so far as
 * must_host says which agent a variable belongs to.
 */
#include "formats/common/registry.h"

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

#include "gpube/globals/intension.h"
#include "formats/common/reading.h"
#include "formats/yaml/yaml_reader.h"

/* Calls fn for each name and value of a mapping; NULL and an empty value are one without any. */
static int for_each(struct gpube_yaml *r, const yaml_node_t *map, const char *what,
	int (*fn)(struct gpube_yaml *r, const char *name, const yaml_node_t *key,
		const yaml_node_t *value))
{
	int status = GPUBE_OK;

	if (!map || (gpube__yaml_text(map) && !*gpube__yaml_text(map)))
		return GPUBE_OK;
	if (map->type != YAML_MAPPING_NODE)
		return gpube__yaml_refuse(r, map, what);
	for (yaml_node_pair_t *p = map->data.mapping.pairs.start;
		p < map->data.mapping.pairs.top && !status; p++) {
		const yaml_node_t *key = gpube__yaml_node(r, p->key);
		const char *name = gpube__yaml_text(key);

		if (!name)
			return gpube__yaml_refuse(r, key, what);
		status = fn(r, name, key, gpube__yaml_node(r, p->value));
	}
	return status;
}

/* Its number, its text and what finds it. */
enum { RANGE_VALUE_BYTES = 256 };

/* ---- domains ------------------------------------------------------------------------------- */

static int add_value(
	struct gpube_yaml *r, struct gpube_yaml_domain *d, struct gpube_value v, const char *text)
{
	struct gpube_ctx *ctx = r->m->ctx;
	int32_t space;

	if (d->n == INT32_MAX - 1 ||
		gpube__grow(ctx, &d->values, &d->capacity, (int64_t)d->n + 1, sizeof(*d->values)) ||
		gpube__grow(
			ctx, &d->texts, &d->texts_capacity, (int64_t)d->n + 1, sizeof(*d->texts)) ||
		!(d->texts[d->n] = gpube__strdup(ctx, text)))
		return gpube__yaml_no_memory(r);
	space = GPUBE_YAML_VALUES + (int32_t)(d - r->domains);
	if (!gpube__names_find(&r->names, space, text) &&
		gpube__names_add(&r->names, space, d->texts[d->n], d->n)) {
		gpube__free(ctx, d->texts[d->n]);
		return gpube__yaml_no_memory(r);
	}
	if (v.kind == GPUBE_VALUE_TEXT)
		v.text = d->texts[d->n];
	d->values[d->n++] = v;
	return GPUBE_OK;
}

static int add_int(struct gpube_yaml *r, struct gpube_yaml_domain *d, int64_t i)
{
	char text[32];

	snprintf(text, sizeof(text), "%lld", (long long)i);
	return add_value(r, d, (struct gpube_value){GPUBE_VALUE_INT, i, 0, NULL}, text);
}

/* "1 .. 10" */
static int add_range(struct gpube_yaml *r, struct gpube_yaml_domain *d, const yaml_node_t *node,
	const char *text)
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
		gpube__yaml_go_to(r, node);
		return gpube__in_expected(r->in, "a range such as 1 .. 10", text);
	}
	if (high - low >= GPUBE_EXPAND_CELLS) {
		gpube__yaml_go_to(r, node);
		return gpube__in_fail(r->in, GPUBE_ERANGE,
			"a domain of %lld values: no more than %lld are expanded", high - low + 1,
			(long long)GPUBE_EXPAND_CELLS);
	}
	if (gpube__in_charge(r->in, high - low + 1, RANGE_VALUE_BYTES, "a domain of %lld values",
		    high - low + 1))
		return r->in->status;
	for (long long i = low; i <= high && !status; i++)
		status = add_int(r, d, i);
	return status;
}

static int add_scalar(struct gpube_yaml *r, struct gpube_yaml_domain *d, const yaml_node_t *node)
{
	struct gpube_value v;
	const char *text = gpube__yaml_text(node);
	size_t n = text ? strlen(text) : 0;

	if (!text)
		return gpube__yaml_refuse(r, node, "a value");
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
	struct gpube_yaml *r, const char *name, const yaml_node_t *key, const yaml_node_t *node)
{
	const yaml_node_t *values = gpube__yaml_get(r, node, "values"), *only;
	yaml_node_item_t *item, *top;
	struct gpube_yaml_domain *d;
	int status = GPUBE_OK;

	if (!values || values->type != YAML_SEQUENCE_NODE)
		return gpube__yaml_refuse(r, values ? values : key, "'values: [ … ]' of a domain");
	if (gpube__names_find(&r->names, GPUBE_YAML_DOMAINS, name)) {
		gpube__yaml_go_to(r, key);
		return gpube__in_error(r->in, "domain '%.60s' is there twice", name);
	}
	if (gpube__grow(r->m->ctx, &r->domains, &r->domains_capacity, r->n_domains + 1,
		    sizeof(*r->domains)) ||
		gpube__names_add(&r->names, GPUBE_YAML_DOMAINS, name, (int32_t)r->n_domains))
		return gpube__yaml_no_memory(r);
	d = &r->domains[r->n_domains++];
	memset(d, 0, sizeof(*d));
	item = values->data.sequence.items.start;
	top = values->data.sequence.items.top;
	only = item + 1 == top ? gpube__yaml_node(r, *item) : NULL;
	if (only && gpube__yaml_text(only) && strstr(gpube__yaml_text(only), ".."))
		return add_range(r, d, only, gpube__yaml_text(only));
	for (; item < top && !status; item++)
		status = add_scalar(r, d, gpube__yaml_node(r, *item));
	if (!status && d->n == 0)
		return gpube__yaml_refuse(r, values, "a value: the domain has none");
	return status;
}

/* ---- variables ---------------------------------------------------------------------- */

static int name_values(
	struct gpube_yaml *r, struct gpube_variable *v, const struct gpube_yaml_domain *d)
{
	bool plain = true;

	for (int32_t k = 0; k < d->n; k++)
		plain = plain && d->values[k].kind == GPUBE_VALUE_INT && d->values[k].i == k &&
			*d->texts[k] <= '9';
	if (plain)
		return GPUBE_OK; /* 0, 1, 2 …: the indices themselves */
	for (int32_t k = 0; k < d->n; k++)
		if (gpube__name_value(v, r->in, k, d->texts[k]))
			return r->in->status;
	return GPUBE_OK;
}

/* The domain that a variable's 'domain' names, or -1. */
static int32_t domain_at(struct gpube_yaml *r, const yaml_node_t *key, const yaml_node_t *node)
{
	const yaml_node_t *name = gpube__yaml_get(r, node, "domain");
	const int32_t *d;

	if (!gpube__yaml_text(name)) {
		gpube__yaml_refuse(r, key, "'domain: NAME' of a variable");
		return -1;
	}
	d = gpube__names_find(&r->names, GPUBE_YAML_DOMAINS, gpube__yaml_text(name));
	if (d)
		return *d;
	gpube__yaml_go_to(r, name);
	gpube__in_error(r->in, "domain '%.60s' is not known", gpube__yaml_text(name));
	return -1;
}

static int check_new_name(struct gpube_yaml *r, const char *name, const yaml_node_t *key)
{
	if (!gpube__names_find(&r->names, GPUBE_YAML_VARIABLES, name) &&
		!gpube__names_find(&r->names, GPUBE_YAML_EXTERNALS, name))
		return GPUBE_OK;
	gpube__yaml_go_to(r, key);
	return gpube__in_error(r->in, "variable '%.60s' is there twice", name);
}

static int read_variable(
	struct gpube_yaml *r, const char *name, const yaml_node_t *key, const yaml_node_t *node)
{
	struct gpube_model *m = r->m;
	int32_t d = domain_at(r, key, node), var;

	if (d < 0 || check_new_name(r, name, key))
		return r->in->status;
	if (gpube__add_var(m, r->in, &var, r->domains[d].n, name) ||
		gpube__grow(m->ctx, &r->domain_of, &r->domain_of_capacity, m->n_vars,
			sizeof(*r->domain_of)) ||
		gpube__names_add(&r->names, GPUBE_YAML_VARIABLES, m->vars[var].name, var))
		return gpube__yaml_no_memory(r);
	r->domain_of[var] = d;
	r->noise = r->noise || gpube__yaml_get(r, node, "noise_level");
	return name_values(r, &m->vars[var], &r->domains[d]);
}

static int read_external(
	struct gpube_yaml *r, const char *name, const yaml_node_t *key, const yaml_node_t *node)
{
	const yaml_node_t *value = gpube__yaml_get(r, node, "initial_value");

	if (check_new_name(r, name, key) || domain_at(r, key, node) < 0)
		return r->in->status;
	if (!gpube__yaml_text(value))
		return gpube__yaml_refuse(r, key, "'initial_value' of an external variable");
	if (gpube__grow(r->m->ctx, &r->externals, &r->externals_capacity, r->n_externals + 1,
		    sizeof(*r->externals)) ||
		gpube__names_add(&r->names, GPUBE_YAML_EXTERNALS, name, (int32_t)r->n_externals))
		return gpube__yaml_no_memory(r);
	r->externals[r->n_externals++] = gpube__yaml_value(value);
	return GPUBE_OK;
}

/* ---- agents -------------------------------------------------------------------------- */

static int add_agent(
	struct gpube_yaml *r, const char *name, const yaml_node_t *key, const yaml_node_t *node)
{
	int32_t agent;

	(void)node;
	if (gpube__names_find(&r->names, GPUBE_YAML_AGENTS, name)) {
		gpube__yaml_go_to(r, key);
		return gpube__in_error(r->in, "agent '%.60s' is there twice", name);
	}
	if (gpube__add_agent(r->m, &agent, name) ||
		gpube__names_add(&r->names, GPUBE_YAML_AGENTS, r->m->agents[agent], agent))
		return gpube__yaml_no_memory(r);
	return GPUBE_OK;
}

static int read_agents(struct gpube_yaml *r, const yaml_node_t *node)
{
	int status = GPUBE_OK;

	if (!node || node->type != YAML_SEQUENCE_NODE)
		return for_each(r, node, "agents: a list or a map", add_agent);
	for (yaml_node_item_t *i = node->data.sequence.items.start;
		i < node->data.sequence.items.top && !status; i++) {
		const char *name = gpube__yaml_text(gpube__yaml_node(r, *i));

		if (!name)
			return gpube__yaml_refuse(r, gpube__yaml_node(r, *i), "an agent's name");
		status = add_agent(r, name, gpube__yaml_node(r, *i), NULL);
	}
	return status;
}

/* Constraints can be placed, too: only variables are owned. */
static int read_hosted(
	struct gpube_yaml *r, const char *name, const yaml_node_t *key, const yaml_node_t *node)
{
	const int32_t *agent = gpube__names_find(&r->names, GPUBE_YAML_AGENTS, name), *var;

	if (!agent) {
		gpube__yaml_go_to(r, key);
		return gpube__in_error(r->in, "agent '%.60s' is not known", name);
	}
	if (node->type != YAML_SEQUENCE_NODE)
		return GPUBE_OK;
	for (yaml_node_item_t *i = node->data.sequence.items.start;
		i < node->data.sequence.items.top; i++) {
		const char *hosted = gpube__yaml_text(gpube__yaml_node(r, *i));

		var = hosted ? gpube__names_find(&r->names, GPUBE_YAML_VARIABLES, hosted) : NULL;
		if (var && gpube__own(r->m, *agent, *var))
			return gpube__yaml_no_memory(r);
	}
	return GPUBE_OK;
}

/* ---- all of it ----------------------------------------------------------------------- */

static int read_head(struct gpube_yaml *r, const yaml_node_t *root)
{
	const yaml_node_t *objective = gpube__yaml_get(r, root, "objective");
	const char *text = gpube__yaml_text(objective),
		   *name = gpube__yaml_text(gpube__yaml_get(r, root, "name"));

	if (!root || root->type != YAML_MAPPING_NODE)
		return gpube__yaml_refuse(
			r, root, "a map with objective, domains, variables and constraints");
	if (!text || (strcmp(text, "min") != 0 && strcmp(text, "max") != 0))
		return gpube__yaml_refuse(
			r, objective ? objective : root, "'objective: min' or 'objective: max'");
	if (strcmp(text, "max") == 0)
		gpube_model_set_direction(r->m, GPUBE_MAXIMISE);
	if (name && !(r->m->name = gpube__strdup(r->m->ctx, name)))
		return gpube__yaml_no_memory(r);
	return GPUBE_OK;
}

static int read_document(struct gpube_yaml *r)
{
	const yaml_node_t *root = yaml_document_get_root_node(&r->doc), *variables;
	int status = read_head(r, root);

	variables = gpube__yaml_get(r, root, "variables");
	if (!status)
		status = for_each(
			r, gpube__yaml_get(r, root, "domains"), "a map of domains", read_domain);
	if (!status)
		status = for_each(r, variables, "a map of variables", read_variable);
	if (!status)
		status = for_each(r, gpube__yaml_get(r, root, "external_variables"),
			"a map of variables", read_external);
	if (!status)
		status = for_each(r, gpube__yaml_get(r, root, "constraints"),
			"a map of constraints", gpube__yaml_constraint);
	if (!status)
		status = for_each(r, variables, "a map of variables", gpube__yaml_variable_cost);
	if (!status)
		status = read_agents(r, gpube__yaml_get(r, root, "agents"));
	if (!status)
		status = for_each(r,
			gpube__yaml_get(
				r, gpube__yaml_get(r, root, "distribution_hints"), "must_host"),
			"a map of agents", read_hosted);
	if (!status && r->noise)
		gpube__log(r->m->ctx, GPUBE_LOG_NOTE,
			"%s: noise on the variables' costs is left out", r->in->path);
	return status;
}

int gpube__yaml_read(struct gpube_model *m, struct gpube_in *in)
{
	struct gpube_yaml r = {.m = m, .in = in};
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
	GPUBE_FREE_ALL(m->ctx, r.domains, r.domain_of, r.externals, r.source);
	gpube__names_clear(&r.names);
	yaml_document_delete(&r.doc);
	return status;
}

#endif
