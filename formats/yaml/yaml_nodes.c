/* yaml_nodes.c - what a document's nodes hold, and complaints about them. See yaml_reader.h. */
#ifdef GPUBE_HAVE_YAML

#include <math.h>
#include <string.h>

#include "formats/yaml/yaml_reader.h"

const yaml_node_t *gpube__yaml_node(struct gpube_yaml *r, int index)
{
	return yaml_document_get_node(&r->doc, index);
}

/* Errors name the line of a node. */
void gpube__yaml_go_to(struct gpube_yaml *r, const yaml_node_t *node)
{
	if (node && !r->in->status)
		r->in->line = (int64_t)node->start_mark.line + 1;
}

int(gpube__yaml_refuse)(struct gpube_yaml *r, const yaml_node_t *node, const char *what)
{
	gpube__yaml_go_to(r, node);
	return gpube__in_error(r->in, "expected %s", what);
}

int gpube__yaml_no_memory(struct gpube_yaml *r)
{
	return r->in->status ? r->in->status : (r->in->status = GPUBE_ENOMEM);
}

/* The value of a key in a mapping; NULL if it is not there. */
const yaml_node_t *gpube__yaml_get(struct gpube_yaml *r, const yaml_node_t *map, const char *key)
{
	if (!map || map->type != YAML_MAPPING_NODE)
		return NULL;
	for (yaml_node_pair_t *p = map->data.mapping.pairs.start; p < map->data.mapping.pairs.top;
		p++) {
		const char *k = gpube__yaml_text(gpube__yaml_node(r, p->key));

		if (k && strcmp(k, key) == 0)
			return gpube__yaml_node(r, p->value);
	}
	return NULL;
}

/* A cost: a number; .inf is forbidden, in the direction in which it is. */
int gpube__yaml_cost(struct gpube_yaml *r, const yaml_node_t *node, double *cost)
{
	bool max = r->m->direction == GPUBE_MAXIMISE;
	const char *text = gpube__yaml_text(node);
	struct gpube_value v;

	if (!text)
		return gpube__yaml_refuse(r, node, "a cost");
	if (strcmp(text, max ? "-.inf" : ".inf") == 0) {
		*cost = INFINITY;
		return GPUBE_OK;
	}
	v = gpube__yaml_value(node);
	*cost = gpube__value_real(&v);
	if (!isnan(*cost))
		return GPUBE_OK;
	gpube__yaml_go_to(r, node);
	return gpube__in_expected(r->in, "a cost", text);
}

/* Index of the value that str() writes as these n bytes; -1: none. */
int32_t gpube__yaml_find_value(
	const struct gpube_yaml *r, int32_t domain, const char *text, size_t n)
{
	const struct gpube_yaml_domain *d = &r->domains[domain];
	char word[256];

	if (n < sizeof(word)) {
		const int32_t *found;

		memcpy(word, text, n);
		word[n] = 0;
		found = gpube__names_find(&r->names, GPUBE_YAML_VALUES + domain, word);
		return found ? *found : -1;
	}
	for (int32_t k = 0; k < d->n; k++)
		if (strlen(d->texts[k]) == n && memcmp(d->texts[k], text, n) == 0)
			return k;
	return -1;
}

#else
typedef int gpube__no_yaml_nodes; /* a file is not empty */
#endif
