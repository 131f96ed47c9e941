/*
 * structure_report.h - how commands write the results of gpube_csg(): numbers, and sets of agents
 * or goods.
 */
#ifndef GPUBE_STRUCTURE_REPORT_H
#define GPUBE_STRUCTURE_REPORT_H

#include "csg/csg.h"
#include "gpube/cli/session/session.h"

/* By enum gpube_csg_answer. */
extern const char *const csg_status_words[];

/* What the structure is worth. */
void json_worth(struct json *j, const char *key, const struct gpube_csg_result *r);

/* What nothing is worth more than; of integers whole, also where doubles are not. */
void text_upper_bound(struct gpube_out *out, const struct gpube_csg_result *r);
void json_upper_bound(struct json *j, const struct gpube_csg_result *r);

/*
 * A command's words: what all is worth and what a part is, what it is made of, and why there is
 * none.
 */
struct structure_words {
	const char *worth, *value, *structure, *members, *part, *infeasible, *incomplete;
};

/*
 * What a structure is worth and its parts, each after its word: "value 13 …" "structure {1,3} {2}".
 */
void text_structure(struct gpube_out *out, const struct gpube_csg_result *r,
	const struct structure_words *words);
/*
 * The same as a table, the parts by their worth, and what bounds it. False, and nothing, without a
 * structure.
 */
bool table_structure(struct gpube_out *out, const struct gpube_model *g,
	const struct gpube_csg_result *r, const struct structure_words *words);

/* The parts by their worth, the best first: r->n_parts of them. */
void structure_sort(uint64_t parts[GPUBE_MAX_AGENTS], const struct gpube_model *g,
	const struct gpube_csg_result *r);
/* What a part is worth, and all of them, in 'text', which is returned. */
const char *structure_value_text(
	char text[GPUBE_DECIMAL_TEXT], const struct gpube_model *g, uint64_t part);
const char *structure_worth_text(char text[GPUBE_DECIMAL_TEXT], const struct gpube_csg_result *r);

/* A table's head, and the beginning of a row: what something is worth, and its share of 'all' as a
 * bar. */
void table_head(struct gpube_out *out, const char *worth, const char *what);
void table_row(struct gpube_out *out, const char *text, double value, double all);
/* A row that is no part. */
void table_line(struct gpube_out *out, const char *text, const char *what);

/* The parts: lists of numbers from 1. */
void json_parts(struct json *j, const char *key, const struct gpube_csg_result *r);

#endif
