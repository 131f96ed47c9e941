/* coalitions.h - how commands write the results of csg_solve(): numbers, and sets of agents or goods. */
#ifndef GPUBE_CLI_COALITIONS_H
#define GPUBE_CLI_COALITIONS_H

#include "csg/csg.h"
#include "gpube/cli/session.h"

/* By enum csg_answer. */
extern const char *const csg_status_words[];

/* v; 'exact' where the result is an integer that has room in it. */
void text_number(struct gpube_out *out, const struct csg_result *r, double v, int64_t exact);
void json_number(
	struct json *j, const char *key, const struct csg_result *r, double v, int64_t exact);

/* The result's parts: " {1,3} {2}" and the end of the line; lists of numbers from 1. */
void text_parts(struct gpube_out *out, const struct csg_result *r);
void json_parts(struct json *j, const char *key, const struct csg_result *r);

#endif
