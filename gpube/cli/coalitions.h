/* coalitions.h - how commands write the results of csg_solve(): numbers, and sets of agents or
 * goods. */
#ifndef GPUBE_CLI_COALITIONS_H
#define GPUBE_CLI_COALITIONS_H

#include "csg/csg.h"
#include "gpube/cli/session/session.h"

/* By enum csg_answer. */
extern const char *const csg_status_words[];

/* What the structure is worth. */
void json_worth(struct json *j, const char *key, const struct csg_result *r);

/* What nothing is worth more than; of integers whole, also where doubles are not. */
void text_upper_bound(struct gpube_out *out, const struct csg_result *r);
void json_upper_bound(struct json *j, const struct csg_result *r);

/* What a structure is worth and its parts, each after its word: "value 13 …" "structure {1,3} {2}".
 */
void text_structure(
	struct gpube_out *out, const struct csg_result *r, const char *worth, const char *parts);
/* The parts: lists of numbers from 1. */
void json_parts(struct json *j, const char *key, const struct csg_result *r);

#endif
