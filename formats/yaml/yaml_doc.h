/* yaml_doc.h - YAML documents by libyaml. Internal to formats/, and to builds that have it. */
#ifndef GPUBE_YAML_DOC_H
#define GPUBE_YAML_DOC_H

#include <yaml.h>

#include "formats/expr/expr.h"

enum { GPUBE_YAML_DEPTH = 64 }; /* lists and maps in each other */

/*
 * gpube__yaml_load() - the first document of 'in', or what there is of it after a
 * failure. yaml_document_delete() frees it in every case.
 * Errors: EPARSE, ENOMEM, those of reading; sets in->status
 */
int gpube__yaml_load(yaml_document_t *doc, struct gpube_in *in);

/* A scalar's text; NULL if it is none, or has a 0 inside. */
const char *gpube__yaml_text(const yaml_node_t *node);

/*
 * A scalar as YAML types it; true and false are 1 and 0, as in Python, null and
 * dates stay texts. The text is the node's.
 */
struct gpube_value gpube__yaml_value(const yaml_node_t *node);

#endif
