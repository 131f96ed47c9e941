/* yaml_doc.c - see yaml_doc.h. */
#ifdef GPUBE_HAVE_YAML

#include "formats/yaml/yaml_doc.h"

#include <stdlib.h>
#include <string.h>

#include "gpube/base/names.h"

static int feed(void *data, unsigned char *buffer, size_t size, size_t *n)
{
	struct gpube_in *in = data;

	*n = 0;
	if (!gpube__in_fill(in))
		return in->status == GPUBE_OK;
	*n = (size_t)(in->end - in->p) < size ? (size_t)(in->end - in->p) : size;
	memcpy(buffer, in->p, *n);
	in->p += *n;
	return 1;
}

/*
 * The document is put together here and not by yaml_parser_load(): libyaml's time grows with the
 * square of the depth, so that depth has a limit, and it looks aliases up one by one.
 */
struct loader {
	struct gpube_in *in;
	yaml_parser_t parser;
	yaml_document_t *doc;
	int depth;
	int open[GPUBE_YAML_DEPTH], key[GPUBE_YAML_DEPTH]; /* nodes; key: of a map, 0: none waits */
	struct gpube_names anchors;
	char **names; /* that the anchors borrow */
	int64_t n_names, names_capacity;
};

static int no_memory(struct loader *l)
{
	return l->in->status
		       ? l->in->status
		       : (l->in->status = gpube__fail(l->in->ctx, GPUBE_ENOMEM, "out of memory"));
}

static int not_yaml(struct loader *l, const yaml_event_t *event, const char *why)
{
	l->in->line = (int64_t)event->start_mark.line + 1;
	return gpube__in_error(l->in, "not YAML: %.100s", why);
}

/* Puts a node where it stands in the text. */
static int attach(struct loader *l, int node)
{
	int top = l->depth - 1, parent;

	if (top < 0)
		return GPUBE_OK; /* the root is the first */
	parent = l->open[top];
	if (yaml_document_get_node(l->doc, parent)->type == YAML_SEQUENCE_NODE)
		return yaml_document_append_sequence_item(l->doc, parent, node) ? GPUBE_OK
										: no_memory(l);
	if (!l->key[top]) {
		l->key[top] = node;
		return GPUBE_OK;
	}
	if (!yaml_document_append_mapping_pair(l->doc, parent, l->key[top], node))
		return no_memory(l);
	l->key[top] = 0;
	return GPUBE_OK;
}

static int add_anchor(
	struct loader *l, const yaml_event_t *event, const yaml_char_t *anchor, int node)
{
	struct gpube_ctx *ctx = l->in->ctx;
	const char *text = (const char *)anchor;

	if (!anchor)
		return GPUBE_OK;
	if (gpube__names_find(&l->anchors, 0, text))
		return not_yaml(l, event, "found duplicate anchor");
	if (gpube__grow(ctx, &l->names, &l->names_capacity, l->n_names + 1, sizeof(*l->names)) ||
		!(l->names[l->n_names] = gpube__strdup(ctx, text)))
		return no_memory(l);
	l->n_names++;
	return gpube__names_add(&l->anchors, 0, l->names[l->n_names - 1], node) ? no_memory(l)
										: GPUBE_OK;
}

static int take_alias(struct loader *l, const yaml_event_t *event)
{
	const int32_t *node =
		gpube__names_find(&l->anchors, 0, (const char *)event->data.alias.anchor);

	return node ? attach(l, *node) : not_yaml(l, event, "found undefined alias");
}

/* A node that has been added, 0: it was not. */
static int take_node(
	struct loader *l, const yaml_event_t *event, const yaml_char_t *anchor, int node)
{
	if (!node)
		return no_memory(l);
	yaml_document_get_node(l->doc, node)->start_mark = event->start_mark;
	return add_anchor(l, event, anchor, node) ? l->in->status : attach(l, node);
}

static int enter(struct loader *l, const yaml_event_t *event, const yaml_char_t *anchor, int node)
{
	if (l->depth == GPUBE_YAML_DEPTH) {
		l->in->line = (int64_t)event->start_mark.line + 1;
		return gpube__in_error(
			l->in, "lists and maps in each other, more than %d deep", GPUBE_YAML_DEPTH);
	}
	if (take_node(l, event, anchor, node))
		return l->in->status;
	l->open[l->depth] = node;
	l->key[l->depth++] = 0;
	return GPUBE_OK;
}

static int take_event(struct loader *l, yaml_event_t *event)
{
	yaml_document_t *doc = l->doc;

	switch (event->type) {
	case YAML_SCALAR_EVENT:
		return take_node(l, event, event->data.scalar.anchor,
			yaml_document_add_scalar(doc, NULL, event->data.scalar.value,
				(int)event->data.scalar.length, event->data.scalar.style));
	case YAML_SEQUENCE_START_EVENT:
		return enter(l, event, event->data.sequence_start.anchor,
			yaml_document_add_sequence(doc, NULL, event->data.sequence_start.style));
	case YAML_MAPPING_START_EVENT:
		return enter(l, event, event->data.mapping_start.anchor,
			yaml_document_add_mapping(doc, NULL, event->data.mapping_start.style));
	case YAML_SEQUENCE_END_EVENT:
	case YAML_MAPPING_END_EVENT:
		l->depth--;
		return GPUBE_OK;
	case YAML_ALIAS_EVENT:
		return take_alias(l, event);
	default:
		return GPUBE_OK;
	}
}

static int fail_parsing(struct loader *l)
{
	if (l->in->status)
		return l->in->status;
	l->in->line = (int64_t)l->parser.problem_mark.line + 1;
	if (l->parser.error == YAML_MEMORY_ERROR || !l->parser.problem)
		return no_memory(l);
	return gpube__in_error(l->in, "not YAML: %.100s", l->parser.problem);
}

/* The events of the first document; those of none leave it empty. */
static int take_events(struct loader *l)
{
	bool ended = false;

	for (int64_t n = 0; !ended && !l->in->status; n++) {
		yaml_event_t event;

		if (n % 1024 == 0 && gpube__stopped(l->in->ctx))
			return l->in->status = gpube__fail_stopped(l->in->ctx);
		if (!yaml_parser_parse(&l->parser, &event))
			return fail_parsing(l);
		ended = event.type == YAML_DOCUMENT_END_EVENT ||
			event.type == YAML_STREAM_END_EVENT;
		take_event(l, &event);
		yaml_event_delete(&event);
	}
	return l->in->status;
}

int gpube__yaml_load(yaml_document_t *doc, struct gpube_in *in)
{
	struct loader l = {.in = in, .doc = doc};

	memset(doc, 0, sizeof(*doc));
	gpube__names_init(&l.anchors, in->ctx);
	if (!yaml_parser_initialize(&l.parser))
		return no_memory(&l);
	yaml_parser_set_input(&l.parser, feed, in);
	if (!yaml_document_initialize(doc, NULL, NULL, NULL, 1, 1))
		no_memory(&l);
	else
		take_events(&l);
	yaml_parser_delete(&l.parser);
	gpube__names_clear(&l.anchors);
	for (int64_t k = 0; k < l.n_names; k++)
		gpube__free(in->ctx, l.names[k]);
	gpube__free(in->ctx, l.names);
	return in->status;
}

const char *gpube__yaml_text(const yaml_node_t *node)
{
	if (!node || node->type != YAML_SCALAR_NODE ||
		strlen((const char *)node->data.scalar.value) != node->data.scalar.length)
		return NULL;
	return (const char *)node->data.scalar.value;
}

struct gpube_value gpube__yaml_value(const yaml_node_t *node)
{
	static const char *const yes[] = {
		"true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"};
	static const char *const no[] = {
		"false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF"};
	const char *text = (const char *)node->data.scalar.value, *digits;
	struct gpube_value v = {GPUBE_VALUE_TEXT, 0, 0, text};

	if (node->data.scalar.style != YAML_PLAIN_SCALAR_STYLE)
		return v;
	for (size_t k = 0; k < sizeof(yes) / sizeof(*yes); k++)
		if (strcmp(text, yes[k]) == 0 || strcmp(text, no[k]) == 0)
			return (struct gpube_value){
				GPUBE_VALUE_INT, strcmp(text, yes[k]) == 0, 0, NULL};
	digits = text + (*text == '-' || *text == '+');
	if (*digits && strlen(digits) <= 18 && !digits[strspn(digits, "0123456789")])
		return (struct gpube_value){GPUBE_VALUE_INT, strtoll(text, NULL, 10), 0, NULL};
	if (gpube__real(&v.r, text))
		v.kind = GPUBE_VALUE_REAL;
	return v;
}

#else
typedef int gpube__no_yaml; /* a file is not empty */
#endif
