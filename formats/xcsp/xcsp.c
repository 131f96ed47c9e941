/*
 * xcsp.c - XCSP 2.1 as toulbar2 and FRODO read it: .xml of variables over integers and
 * constraints as relations (supports, conflicts, soft), as predicates and
 * functions in functional notation, and allDifferent.
 *
 * Weighted problems: costs from maximalCost on are forbidden, totals too, and
 * initialCost is added. FRODO: agents own variables, costs may be decimals and
 * "infinity", and 'maximize' turns the direction round. In XCSP 3 nothing is
 * the same: formats/xcsp3 takes over once the first element says that it is that.
 */
#include "formats/common/registry.h"

#ifndef GPUBE_HAVE_EXPAT

int gpube__xml_read(struct gpube_model *m, struct gpube_in *in)
{
	(void)m;
	return gpube__in_xml(in, NULL, NULL, NULL, NULL);
}

#else

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "formats/common/reading.h"
#include "formats/xcsp/xcsp.h"

/* ---- attributes --------------------------------------------------------------------------------
 */

/* Its value or NULL. */
static const char *attribute_of(const char *const *attributes, const char *name)
{
	for (; *attributes; attributes += 2)
		if (strcmp(*attributes, name) == 0)
			return attributes[1];
	return NULL;
}

/* The attribute that must be there; NULL after a failure. */
static const char *require(
	struct gpube_xcsp *r, const char *element, const char *const *attributes, const char *name)
{
	const char *value = attribute_of(attributes, name);

	if (!value)
		gpube__in_error(r->in, "<%s> needs the attribute '%s'", element, name);
	return value;
}

static int no_memory(struct gpube_xcsp *r)
{
	return r->in->status ? r->in->status : (r->in->status = GPUBE_ENOMEM);
}

/* A name that is new in its space; it is copied and stands for 'value'. */
static int add_name(
	struct gpube_xcsp *r, int32_t space, const char *what, const char *name, int32_t value)
{
	char *copy;

	if (gpube__names_find(&r->names, space, name))
		return gpube__in_error(r->in, "%s '%.60s' is there twice", what, name);
	if (gpube__grow(r->m->ctx, &r->strings, &r->strings_capacity, r->n_strings + 1,
		    sizeof(*r->strings)))
		return no_memory(r);
	copy = gpube__strdup(r->m->ctx, name);
	if (!copy)
		return no_memory(r);
	r->strings[r->n_strings++] = copy;
	return gpube__names_add(&r->names, space, copy, value) ? no_memory(r) : GPUBE_OK;
}

/* What a name stands for; -1 after a failure. */
static int32_t find(struct gpube_xcsp *r, int32_t space, const char *what, const char *name)
{
	const int32_t *found = gpube__names_find(&r->names, space, name);

	if (!found)
		gpube__in_error(r->in, "%s '%.60s' is not known", what, name);
	return found ? *found : -1;
}

/* ---- elements that begin ------------------------------------------------------------- */

static void begin_presentation(struct gpube_xcsp *r, const char *const *a)
{
	const char *maximize = attribute_of(a, "maximize"), *name = attribute_of(a, "name");

	if (maximize && strcmp(maximize, "true") == 0)
		gpube_model_set_direction(r->m, GPUBE_MAXIMISE);
	if (name && *name && !r->m->name) {
		r->m->name = gpube__strdup(r->m->ctx, name);
		if (!r->m->name)
			no_memory(r);
	}
}

static void begin_agent(struct gpube_xcsp *r, const char *const *a)
{
	const char *name = require(r, "agent", a, "name");
	int32_t agent;

	if (!name)
		return;
	if (gpube__add_agent(r->m, &agent, name))
		no_memory(r);
	else
		add_name(r, GPUBE_XCSP_AGENTS, "agent", name, agent);
}

static void begin_domain(struct gpube_xcsp *r, const char *const *a)
{
	const char *name = require(r, "domain", a, "name");

	if (!name)
		return;
	if (gpube__grow(r->m->ctx, &r->domains, &r->domains_capacity, r->n_domains + 1,
		    sizeof(*r->domains))) {
		no_memory(r);
		return;
	}
	r->domains[r->n_domains] = (struct gpube_xcsp_domain){0};
	if (!add_name(r, GPUBE_XCSP_DOMAINS, "domain", name, (int32_t)r->n_domains))
		r->n_domains++;
}

/* Values that are not the indices themselves get their numbers as names. */
static int name_values(
	struct gpube_xcsp *r, struct gpube_variable *v, const struct gpube_xcsp_domain *d)
{
	char text[32];
	bool plain = true;

	for (int32_t k = 0; k < d->n; k++)
		plain = plain && d->values[k].i == k;
	if (plain)
		return GPUBE_OK;
	v->value_names = gpube__alloc_zero(r->m->ctx, (uint64_t)d->n, sizeof(*v->value_names));
	for (int32_t k = 0; v->value_names && k < d->n; k++) {
		snprintf(text, sizeof(text), "%lld", (long long)d->values[k].i);
		if (gpube__name_value(v, r->in, k, text))
			return r->in->status;
	}
	return v->value_names ? GPUBE_OK : no_memory(r);
}

static void begin_variable(struct gpube_xcsp *r, const char *const *a)
{
	const char *name = require(r, "variable", a, "name");
	const char *domain = name ? require(r, "variable", a, "domain") : NULL;
	const char *agent = attribute_of(a, "agent");
	int32_t d = domain ? find(r, GPUBE_XCSP_DOMAINS, "domain", domain) : -1, var, owner = -1;
	struct gpube_model *m = r->m;

	if (d < 0)
		return;
	if (agent)
		owner = find(r, GPUBE_XCSP_AGENTS, "agent", agent);
	if (agent && owner < 0)
		return;
	if (gpube__add_var(m, r->in, &var, r->domains[d].n, name) ||
		gpube__grow(m->ctx, &r->domain_of, &r->domain_of_capacity, m->n_vars,
			sizeof(*r->domain_of)) ||
		gpube__grow(m->ctx, &r->owner_of, &r->owner_of_capacity, m->n_vars,
			sizeof(*r->owner_of))) {
		no_memory(r);
		return;
	}
	r->domain_of[var] = d;
	r->owner_of[var] = owner;
	if (!add_name(r, GPUBE_XCSP_VARIABLES, "variable", name, var))
		name_values(r, &m->vars[var], &r->domains[d]);
}

static void begin_relation(struct gpube_xcsp *r, const char *const *a)
{
	static const char *const kinds[] = {"supports", "conflicts", "soft"};
	const char *name = require(r, "relation", a, "name");
	const char *arity = name ? require(r, "relation", a, "arity") : NULL;
	const char *semantics = attribute_of(a, "semantics");
	const char *dflt = attribute_of(a, "defaultCost");
	struct gpube_xcsp_relation new = {0}, *rel = &new;
	int k = 0;

	if (!arity || gpube__xcsp_int(r, &rel->arity, arity, 1, 1000, "the arity of a relation"))
		return;
	while (semantics && k < 3 && strcmp(kinds[k], semantics) != 0)
		k++;
	if (k == 3) {
		gpube__in_expected(r->in, "supports, conflicts or soft", semantics);
		return;
	}
	rel->kind = (enum gpube_xcsp_kind)k;
	rel->dflt = rel->kind == GPUBE_XCSP_SUPPORTS ? INFINITY : 0;
	rel->line = r->in->line;
	rel->table = -1;
	if (rel->kind == GPUBE_XCSP_SOFT && dflt && gpube__xcsp_cost(r, &rel->dflt, dflt))
		return;
	if (gpube__grow(r->m->ctx, &r->relations, &r->relations_capacity, r->n_relations + 1,
		    sizeof(*r->relations))) {
		no_memory(r);
		return;
	}
	r->relations[r->n_relations] = new;
	if (!add_name(r, GPUBE_XCSP_REFERENCES, "relation", name, (int32_t)(2 * r->n_relations)))
		r->n_relations++;
}

static void begin_predicate(struct gpube_xcsp *r, const char *const *a, bool function)
{
	const char *name = require(r, function ? "function" : "predicate", a, "name");

	if (!name)
		return;
	if (gpube__grow(r->m->ctx, &r->predicates, &r->predicates_capacity, r->n_predicates + 1,
		    sizeof(*r->predicates))) {
		no_memory(r);
		return;
	}
	r->predicates[r->n_predicates] = (struct gpube_xcsp_predicate){.function = function};
	if (!add_name(r, GPUBE_XCSP_REFERENCES, "predicate", name,
		    (int32_t)(2 * r->n_predicates + 1))) {
		r->n_predicates++;
		r->in_predicate = true;
	}
}

static void begin_constraints(struct gpube_xcsp *r, const char *const *a)
{
	const char *most = attribute_of(a, "maximalCost"), *first = attribute_of(a, "initialCost");

	if (!most)
		most = attribute_of(a, "maximumCost");
	if (most && strcmp(most, "infinity") != 0)
		gpube__xcsp_cost(r, &r->maximal_cost, most);
	if (first)
		gpube__xcsp_cost(r, &r->initial_cost, first);
	if (!r->in->status && isinf(r->initial_cost))
		gpube__in_error(r->in, "an initialCost that is infinite");
}

static void begin_constraint(struct gpube_xcsp *r, const char *const *a)
{
	const char *scope = require(r, "constraint", a, "scope");
	const char *reference = scope ? require(r, "constraint", a, "reference") : NULL;
	const char *name = attribute_of(a, "name");

	if (!reference || gpube__xcsp_scope(r, scope))
		return;
	gpube__free(r->m->ctx, r->reference);
	gpube__free(r->m->ctx, r->constraint);
	r->constraint = NULL;
	r->reference = gpube__strdup(r->m->ctx, reference);
	if (name)
		r->constraint = gpube__strdup(r->m->ctx, name);
	if (!r->reference || (name && !r->constraint))
		no_memory(r);
	r->in_constraint = true;
	r->has_parameters = false;
}

static void characters(void *arg, const char *text, int n)
{
	struct gpube_xcsp *r = arg;

	if (r->in->status)
		return;
	if (gpube__grow(r->m->ctx, &r->text, &r->text_capacity, r->n_text + n + 1, 1)) {
		no_memory(r);
		return;
	}
	memcpy(r->text + r->n_text, text, (size_t)n);
	r->n_text += n;
}

/* What is right below <instance>, and below that; what may say anything is skipped. */
static void check_known(struct gpube_xcsp *r, const char *element)
{
	static const char *const names[2][10] = {
		{"presentation", "agents", "domains", "variables", "relations", "predicates",
			"functions", "constraints", NULL},
		{"agent", "domain", "variable", "relation", "predicate", "function", "constraint",
			NULL}};
	const char *const *known = names[r->depth - 2];

	if (r->depth == 2)
		r->in_presentation = strcmp(element, "presentation") == 0;
	else if (r->in_presentation)
		return;
	while (*known && strcmp(*known, element) != 0)
		known++;
	if (!*known)
		gpube__in_error(r->in,
			"<%.40s> is not read, in XCSP 2.1 (XCSP3 has format=\"XCSP3\")", element);
}

static void begin(void *arg, const char *element, const char **attributes)
{
	struct gpube_xcsp *r = arg;
	const char *const *a = (const char *const *)attributes;
	const char *format;

	if (r->in->status)
		return;
	r->in->line = gpube__in_xml_line(r->in);
	if (r->depth++ == 0) {
		format = attribute_of(a, "format");
		if (strcmp(element, "instance") != 0)
			gpube__in_error(r->in, "expected <instance>, found <%.60s>", element);
		else if (format && strstr(format, "XCSP3")) {
			gpube__xcsp3_take(&r->third, r->m, r->in, a);
			return;
		}
	}
	if (r->depth == 2 || r->depth == 3)
		check_known(r, element);
	if (r->in->status)
		return;
	if (r->in_constraint && gpube__xcsp_is_comparison(element)) {
		characters(r, " ", 1);
		characters(r, element, 2);
		characters(r, " ", 1);
		return;
	}
	r->n_text = 0;
	if (strcmp(element, "presentation") == 0)
		begin_presentation(r, a);
	else if (strcmp(element, "agent") == 0)
		begin_agent(r, a);
	else if (strcmp(element, "domain") == 0)
		begin_domain(r, a);
	else if (strcmp(element, "variable") == 0)
		begin_variable(r, a);
	else if (strcmp(element, "relation") == 0)
		begin_relation(r, a);
	else if (strcmp(element, "predicate") == 0 || strcmp(element, "function") == 0)
		begin_predicate(r, a, *element == 'f');
	else if (strcmp(element, "constraints") == 0)
		begin_constraints(r, a);
	else if (strcmp(element, "constraint") == 0)
		begin_constraint(r, a);
	r->text_line = gpube__in_xml_line(r->in);
}

/* ---- elements that end --------------------------------------------------------------- */

/* Copies the text; *to is freed before. */
static void keep_text(struct gpube_xcsp *r, char **to)
{
	gpube__free(r->m->ctx, *to);
	*to = gpube__strdup(r->m->ctx, r->text);
	if (!*to)
		no_memory(r);
}

static void end_domain(struct gpube_xcsp *r)
{
	struct gpube_xcsp_domain *d = &r->domains[r->n_domains - 1];

	gpube__xcsp_values(r, d, r->text);
	if (!r->in->status && d->n == 0)
		gpube__in_error(r->in, "a domain without values");
}

static void end(void *arg, const char *element)
{
	struct gpube_xcsp *r = arg;
	struct gpube_xcsp_predicate *p =
		r->in_predicate ? &r->predicates[r->n_predicates - 1] : NULL;

	if (r->in->status)
		return;
	r->depth--;
	r->in->line = gpube__in_xml_line(r->in);
	if (r->in_constraint && gpube__xcsp_is_comparison(element))
		return;
	if (!r->text && !(r->text = gpube__alloc_zero(r->m->ctx, 1, 1))) {
		no_memory(r);
		return;
	}
	r->text[r->n_text] = 0;
	if (strcmp(element, "domain") == 0)
		end_domain(r);
	else if (strcmp(element, "relation") == 0)
		gpube__xcsp_tuples(r, &r->relations[r->n_relations - 1], r->text);
	else if (strcmp(element, "parameters") == 0 && p)
		keep_text(r, &p->parameters);
	else if (strcmp(element, "parameters") == 0 && r->in_constraint) {
		keep_text(r, &r->parameters);
		r->has_parameters = true;
	} else if (strcmp(element, "functional") == 0 && p)
		keep_text(r, &p->functional);
	else if (strcmp(element, "predicate") == 0 || strcmp(element, "function") == 0)
		r->in_predicate = false;
	else if (strcmp(element, "constraint") == 0) {
		gpube__xcsp_constraint(r);
		r->in_constraint = false;
	}
	r->n_text = 0;
}

/* ---- the file ------------------------------------------------------------------------ */

/* Once all are there, owners are told and costs become integers. */
static int finish(struct gpube_xcsp *r)
{
	struct gpube_model *m = r->m;
	long double top = r->maximal_cost;
	int status = GPUBE_OK;

	for (int32_t i = 0; i < m->n_vars && !status; i++)
		if (r->owner_of[i] >= 0)
			status = gpube__own(m, r->owner_of[i], i);
	if (!status)
		status = gpube__reals_to_costs(m, r->in, r->initial_cost, 0);
	if (status || isinf(r->maximal_cost))
		return status;
	for (int k = 0; k < m->scale; k++)
		top *= 10;
	if (top >= 0x1p62L)
		return gpube__in_fail(r->in, GPUBE_ERANGE, "the maximalCost passes 2^62");
	m->top = (int64_t)ceill(top);
	return GPUBE_OK;
}

int gpube__xml_read(struct gpube_model *m, struct gpube_in *in)
{
	struct gpube_xcsp r = {.m = m, .in = in, .maximal_cost = INFINITY};
	int status;

	gpube__names_init(&r.names, m->ctx);
	status = gpube__in_xml(in, &r, begin, end, characters);
	if (!status && !r.third)
		status = finish(&r);
	gpube__xcsp3_clear(r.third);
	gpube__xcsp_clear(&r);
	return status;
}

#endif
