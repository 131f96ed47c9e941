/* yaml_reader.h - the parts of the reader of pyDCOP's .yaml. Internal to formats/, and to builds
 * that have libyaml. */
#ifndef GPUBE_YAML_READER_H
#define GPUBE_YAML_READER_H

#include "gpube/base/names.h"
#include "formats/common/reals.h"
#include "formats/yaml/yaml_doc.h"

enum { GPUBE_YAML_SCOPE = 64 };

/* Spaces of names; from the last on there is one for the values of each domain. */
enum {
	GPUBE_YAML_DOMAINS,
	GPUBE_YAML_VARIABLES,
	GPUBE_YAML_EXTERNALS,
	GPUBE_YAML_AGENTS,
	GPUBE_YAML_VALUES
};

struct gpube_yaml_domain {
	int32_t n;
	struct gpube_value *values;
	char **texts; /* as str() writes them, which assignments in tables are compared with */
	int64_t capacity, texts_capacity;
};

struct gpube_yaml {
	struct gpube_model *m;
	struct gpube_in *in;
	yaml_document_t doc;
	struct gpube_names names;
	struct gpube_yaml_domain *domains;
	int64_t n_domains, domains_capacity;
	int32_t *domain_of; /* by variable */
	int64_t domain_of_capacity;
	struct gpube_value *externals;
	int64_t n_externals, externals_capacity;
	bool noise;
	/* the scope that is being collected */
	int arity;
	int32_t scope[GPUBE_YAML_SCOPE];
	const yaml_node_t *partial; /* values that are given */
	char *source;               /* Python of another file, whose functions it may call */
};

const yaml_node_t *gpube__yaml_node(struct gpube_yaml *r, int index);
/* Errors name the line of a node. */
void gpube__yaml_go_to(struct gpube_yaml *r, const yaml_node_t *node);
/* EPARSE "expected WHAT" at a node */
int gpube__yaml_refuse(struct gpube_yaml *r, const yaml_node_t *node, const char *what);
int gpube__yaml_no_memory(struct gpube_yaml *r);
#ifdef __clang_analyzer__
/* which cannot see that it does not return OK */
#define gpube__yaml_refuse(...) ((gpube__yaml_refuse)(__VA_ARGS__), (int)GPUBE_EPARSE)
#endif
/* The value of a key in a mapping; NULL if it is not there. */
const yaml_node_t *gpube__yaml_get(struct gpube_yaml *r, const yaml_node_t *map, const char *key);
/* A cost: a number; .inf is forbidden, in the direction in which it is. */
int gpube__yaml_cost(struct gpube_yaml *r, const yaml_node_t *node, double *cost);
/* Index of the value of domain d that str() writes as these n bytes; -1: none. */
int32_t gpube__yaml_find_value(const struct gpube_yaml *r, int32_t d, const char *text, size_t n);

/* ---- yaml_constraint.c: one entry of a mapping ---- */

int gpube__yaml_constraint(
	struct gpube_yaml *r, const char *name, const yaml_node_t *key, const yaml_node_t *node);
/* The cost function of a variable. */
int gpube__yaml_variable_cost(
	struct gpube_yaml *r, const char *name, const yaml_node_t *key, const yaml_node_t *node);

#endif
