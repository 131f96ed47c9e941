/*
 * xcsp3.c - .xml, XCSP3-core or XCSP 2.1: what expat tells becomes a tree of one constraint at a
 * time. See x3.h.
 */
#include "formats/common/registry.h"

#include <math.h>
#include <string.h>

#include "formats/common/reading.h"
#include "formats/xcsp3/x3.h"

/* ---- the tree -------------------------------------------------------------------------- */

static void free_temps(struct gpube_x3 *r)
{
	gpube__x3_free_since(r, NULL);
	r->node = NULL;
	r->relation_of = NULL;
	r->relation = NULL;
	r->args = NULL;
	r->n_args = 0;
	r->in_group = false;
}

static struct gpube_x3_node *add_node(
	struct gpube_x3 *r, const char *name, const char *const *attributes)
{
	struct gpube_x3_node *node = gpube__x3_temp(r, 1, sizeof(*node)), *parent = r->node;
	struct gpube_x3_attribute **end;

	if (!node)
		return NULL;
	node->line = r->in->line;
	node->name = gpube__x3_copy(r, name, strlen(name));
	end = &node->attributes;
	for (; *attributes; attributes += 2) {
		struct gpube_x3_attribute *a = gpube__x3_temp(r, 1, sizeof(*a));

		if (!a)
			return NULL;
		a->name = gpube__x3_copy(r, attributes[0], strlen(attributes[0]));
		a->value = gpube__x3_copy(r, attributes[1], strlen(attributes[1]));
		*end = a;
		end = &a->next;
	}
	node->parent = parent;
	if (parent && parent->last)
		parent->last->next = node;
	else if (parent)
		parent->child = node;
	if (parent)
		parent->last = node;
	return r->in->status ? NULL : node;
}

static int add_text(struct gpube_x3 *r, struct gpube_x3_node *node, const char *text, int64_t n)
{
	if (gpube__x3_grow(r, &node->text, &node->capacity, node->n_text + n + 1, 1))
		return r->in->status;
	memcpy(node->text + node->n_text, text, (size_t)n);
	node->n_text += n;
	node->text[node->n_text] = 0;
	return GPUBE_OK;
}

/* ---- what expat tells ------------------------------------------------------------------ */

static void characters(void *arg, const char *text, int n)
{
	struct gpube_x3 *r = arg;
	const char *p = text;

	if (r->in->status || r->skip || (r->second.on && (!r->node || r->node->child)))
		return;
	if (r->node && !r->node->child) {
		add_text(r, r->node, text, n);
		return;
	}
	while (p < text + n && strchr(BLANKS, *p) && *p)
		p++;
	if (p < text + n) {
		r->in->line = gpube__in_xml_line(r->in);
		gpube__in_error(r->in, "expected an element, found the text '%.*s'",
			text + n - p > 20 ? 20 : (int)(text + n - p), p);
	}
}

/* <constraints> of a weighted problem: costs from 'ub' on are forbidden; 'lb' is advice. */
static void read_bounds(struct gpube_x3 *r, struct gpube_x3_node *node)
{
	const char *ub = r->weighted ? gpube__x3_attribute(node, "ub") : NULL;
	int64_t top;

	if (!ub || strcmp(ub, "+infinity") == 0)
		return;
	if (!gpube__x3_integer(r, &ub, &top, "an upper bound in 'ub'") &&
		gpube_model_set_top(r->m, top))
		r->in->status = GPUBE_EINVAL;
}

/* An element right below the instance. */
static int begin_part(struct gpube_x3 *r, struct gpube_x3_node *node)
{
	if (gpube__x3_is(node, "variables")) {
		r->part = GPUBE_X3_VARIABLES;
	} else if (gpube__x3_is(node, "constraints")) {
		r->part = GPUBE_X3_CONSTRAINTS;
		read_bounds(r, node);
	} else if (gpube__x3_is(node, "objectives")) {
		r->part = GPUBE_X3_OBJECTIVES;
		return r->cop ? gpube__x3_check_used(r, node)
			      : gpube__in_error(r->in,
					"<objectives> in an instance of another type than COP");
	} else if (gpube__x3_is(node, "annotations")) {
		r->skip = 1; /* advice to a search */
	} else {
		return gpube__in_error(r->in, "<%.40s> is not read", node->name);
	}
	return r->in->status;
}

static int begin_instance(struct gpube_x3 *r, struct gpube_x3_node *node)
{
	const char *format = gpube__x3_attribute(node, "format");
	const char *type = gpube__x3_attribute(node, "type");

	r->second.on = !format || !strstr(format, "XCSP3");
	if (!gpube__x3_is(node, "instance"))
		return gpube__in_error(r->in, "expected <instance>, found <%.60s>", node->name);
	if (r->second.on || !type)
		return GPUBE_OK;
	r->cop = strcmp(type, "COP") == 0;
	r->violation_cost = strcmp(type, "MAXCSP") == 0;
	r->weighted = r->violation_cost || strcmp(type, "WCSP") == 0;
	return r->cop || r->weighted || strcmp(type, "CSP") == 0
		       ? GPUBE_OK
		       : gpube__in_error(r->in,
				 "XCSP3 of type '%.40s' is not read: CSP, COP, WCSP and MAXCSP are",
				 type);
}

static void begin(void *arg, const char *element, const char **given)
{
	struct gpube_x3 *r = arg;
	const char *const *attributes = (const char *const *)given;

	if (r->in->status)
		return;
	r->in->line = gpube__in_xml_line(r->in);
	if (++r->depth > GPUBE_X3_DEPTH) {
		gpube__in_error(r->in, "elements are nested more than %d deep", GPUBE_X3_DEPTH);
	} else if (r->skip) {
		r->skip++;
	} else if (r->depth <= 2) {
		struct gpube_x3_node *node = add_node(r, element, attributes);

		if (node)
			(r->depth == 1         ? begin_instance
				: r->second.on ? gpube__x2_part
					       : begin_part)(r, node);
		free_temps(r);
	} else if (r->second.on && r->node && gpube__x3_is(r->node, "parameters")) {
		/* "<ge/>" is a word of the text that it stands in */
		add_text(r, r->node, " ", 1);
		add_text(r, r->node, element, (int64_t)strlen(element));
		add_text(r, r->node, " ", 1);
		r->skip = 1;
	} else if (!r->node && r->part == GPUBE_X3_CONSTRAINTS && strcmp(element, "block") == 0) {
		r->blocks++;
	} else {
		r->node = add_node(r, element, attributes);
	}
}

/* The outermost element of a tree has ended. */
static void add_tree(struct gpube_x3 *r, struct gpube_x3_node *node)
{
	r->in->line = node->line;
	node->used = true;
	if (r->second.on)
		gpube__x2_element(r, node);
	else if (r->part == GPUBE_X3_VARIABLES)
		gpube__x3_variables(r, node);
	else if (r->part == GPUBE_X3_CONSTRAINTS)
		gpube__x3_constraint(r, node);
	else
		gpube__x3_objective(r, node);
	if (!r->in->status && !r->second.on)
		gpube__x3_check_used(r, node);
	if (!r->in->status && gpube__stopped(r->m->ctx))
		r->in->status = gpube__fail_stopped(r->m->ctx);
	free_temps(r);
}

static void end(void *arg, const char *element)
{
	struct gpube_x3 *r = arg;
	struct gpube_x3_node *node = r->node;

	(void)element;
	if (r->in->status)
		return;
	r->depth--;
	if (r->skip) {
		r->skip--;
	} else if (node) {
		r->node = node->parent;
		if (!node->parent)
			add_tree(r, node);
	} else if (r->blocks) {
		r->blocks--;
	} else {
		r->part = GPUBE_X3_TOP;
	}
}

/* ---- the file -------------------------------------------------------------------------- */

/* What is known at its end alone. */
static int finish(struct gpube_x3 *r)
{
	if (r->weighted) /* tables of costs are of doubles */
		return gpube__reals_to_costs(r->m, r->in, 0, 0);
	return r->second.on ? gpube__x2_finish(r) : GPUBE_OK;
}

static void clear(struct gpube_x3 *r)
{
	struct gpube_ctx *ctx = r->m->ctx;

	free_temps(r);
	gpube__linear_clear(&r->linear);
	gpube__names_clear(&r->names);
	for (int64_t k = 0; k < r->n_domains; k++)
		gpube__free(ctx, r->domains[k].values);
	for (int64_t k = 0; k < r->n_arrays; k++)
		gpube__free(ctx, r->arrays[k].vars);
	for (int64_t k = 0; k < r->n_strings; k++)
		gpube__free(ctx, r->strings[k]);
	GPUBE_FREE_ALL(ctx, r->domains, r->domain_of, r->arrays, r->strings, r->seen, r->parts,
		r->symbols);
	gpube__x2_clear(r);
}

int gpube__xml_read(struct gpube_model *m, struct gpube_in *in)
{
	struct gpube_x3 r = {.m = m,
		.in = in,
		.linear = {.m = m, .sink = gpube__in_sink(in)},
		.second.maximal_cost = INFINITY};

	gpube__names_init(&r.names, m->ctx);
	if (!gpube__in_xml(in, &r, begin, end, characters))
		finish(&r);
	clear(&r);
	return in->status;
}
