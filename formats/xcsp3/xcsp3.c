/*
 * xcsp3.c - XCSP3: what expat tells becomes a tree of one constraint at a time. See xcsp3.h, x3.h.
 */
#include "formats/xcsp3/xcsp3.h"

#ifdef GPUBE_HAVE_EXPAT

#include <expat.h>
#include <string.h>

#include "formats/xcsp3/x3.h"

#define BLANKS " \t\n\v\f\r"

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

static int64_t line_of(const struct gpube_x3 *r)
{
	return gpube__in_xml_line(r->in);
}

static void characters(void *arg, const char *text, int n)
{
	struct gpube_x3 *r = arg;
	const char *p = text;

	if (r->in->status || r->skip)
		return;
	if (r->node && !r->node->child) {
		add_text(r, r->node, text, n);
		return;
	}
	while (p < text + n && strchr(BLANKS, *p) && *p)
		p++;
	if (p < text + n) {
		r->in->line = line_of(r);
		gpube__in_error(r->in, "expected an element, found the text '%.*s'",
			text + n - p > 20 ? 20 : (int)(text + n - p), p);
	}
}

/* An element right below the instance. */
static void begin_part(struct gpube_x3 *r, const char *element, const char *const *attributes)
{
	if (strcmp(element, "variables") == 0) {
		r->part = GPUBE_X3_VARIABLES;
	} else if (strcmp(element, "constraints") == 0) {
		r->part = GPUBE_X3_CONSTRAINTS;
	} else if (strcmp(element, "objectives") == 0) {
		r->part = GPUBE_X3_OBJECTIVES;
		if (!r->cop)
			gpube__in_error(r->in, "<objectives> in an instance of type CSP");
		if (*attributes)
			gpube__in_error(r->in, "attribute '%.40s' of <objectives> is not read",
				attributes[0]);
	} else if (strcmp(element, "annotations") == 0) {
		r->skip = 1; /* advice to a search */
	} else {
		gpube__in_error(r->in, "<%.40s> is not read", element);
	}
}

static void begin(void *arg, const char *element, const char **given)
{
	struct gpube_x3 *r = arg;
	const char *const *attributes = (const char *const *)given;

	if (r->in->status)
		return;
	r->in->line = line_of(r);
	if (++r->depth > GPUBE_X3_DEPTH) {
		gpube__in_error(r->in, "elements are nested more than %d deep", GPUBE_X3_DEPTH);
	} else if (r->skip) {
		r->skip++;
	} else if (r->depth == 2) {
		begin_part(r, element, attributes);
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
	if (r->part == GPUBE_X3_VARIABLES)
		gpube__x3_variables(r, node);
	else if (r->part == GPUBE_X3_CONSTRAINTS)
		gpube__x3_constraint(r, node);
	else
		gpube__x3_objective(r, node);
	if (!r->in->status)
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

static const char *value_of(const char *const *attributes, const char *name)
{
	for (; *attributes; attributes += 2)
		if (strcmp(*attributes, name) == 0)
			return attributes[1];
	return NULL;
}

int gpube__xcsp3_take(struct gpube_x3 **out, struct gpube_model *m, struct gpube_in *in,
	const char *const *attributes)
{
	const char *type = value_of(attributes, "type");
	struct gpube_x3 *r;

	*out = r = gpube__alloc_zero(m->ctx, 1, sizeof(*r));
	if (!r)
		return in->status = GPUBE_ENOMEM;
	r->m = m;
	r->in = in;
	r->depth = 1;
	r->linear.m = m;
	r->linear.in = in;
	gpube__names_init(&r->names, m->ctx);
	if (type && strcmp(type, "CSP") != 0 && strcmp(type, "COP") != 0)
		return gpube__in_error(
			in, "XCSP3 of type '%.40s' is not read: CSP and COP are", type);
	r->cop = type && strcmp(type, "COP") == 0;
	XML_SetUserData(in->xml, r);
	XML_SetElementHandler(in->xml, (XML_StartElementHandler)begin, end);
	XML_SetCharacterDataHandler(in->xml, characters);
	return GPUBE_OK;
}

void gpube__xcsp3_clear(struct gpube_x3 *r)
{
	struct gpube_ctx *ctx;

	if (!r)
		return;
	ctx = r->m->ctx;
	free_temps(r);
	gpube__linear_clear(&r->linear);
	gpube__names_clear(&r->names);
	for (int64_t k = 0; k < r->n_domains; k++)
		gpube__free(ctx, r->domains[k].values);
	for (int64_t k = 0; k < r->n_arrays; k++)
		gpube__free(ctx, r->arrays[k].vars);
	for (int64_t k = 0; k < r->n_strings; k++)
		gpube__free(ctx, r->strings[k]);
	gpube__free(ctx, r->domains);
	gpube__free(ctx, r->domain_of);
	gpube__free(ctx, r->arrays);
	gpube__free(ctx, r->strings);
	gpube__free(ctx, r->seen);
	gpube__free(ctx, r->parts);
	gpube__free(ctx, r->symbols);
	gpube__free(ctx, r);
}

#else
typedef int gpube__no_expat_xcsp3; /* a file is not empty */
#endif
