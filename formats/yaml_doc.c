/* yaml_doc.c - see yaml_doc.h. */
#ifdef GPUBE_HAVE_YAML

#include "formats/yaml_doc.h"

#include <stdlib.h>
#include <string.h>

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

int gpube__yaml_load(yaml_document_t *doc, struct gpube_in *in)
{
	yaml_parser_t parser;
	int status = GPUBE_OK;

	memset(doc, 0, sizeof(*doc));
	if (!yaml_parser_initialize(&parser))
		return in->status = gpube__fail(in->ctx, GPUBE_ENOMEM, "out of memory");
	yaml_parser_set_input(&parser, feed, in);
	if (!yaml_parser_load(&parser, doc)) {
		memset(doc, 0, sizeof(*doc)); /* freed by the loader */
		in->line = (int64_t)parser.problem_mark.line + 1;
		if (in->status)
			status = in->status;
		else if (parser.error == YAML_MEMORY_ERROR)
			status = in->status = gpube__fail(in->ctx, GPUBE_ENOMEM, "out of memory");
		else
			status = gpube__in_error(in, "not YAML: %.100s",
				parser.problem ? parser.problem : "it cannot be read");
	}
	yaml_parser_delete(&parser);
	return status;
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
