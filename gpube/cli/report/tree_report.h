/* tree_report.h - equilibria in behaviour strategies, as gpube nash writes them. */
#ifndef GPUBE_CLI_TREE_REPORT_H
#define GPUBE_CLI_TREE_REPORT_H

#include "gpube/cli/session/json.h"
#include "gpube/cli/session/session.h"
#include "nash/nash.h"

/* All that it is written from; game: names of its players. */
struct tree_result {
	const struct session *session;
	const char *file;
	const struct gpube_model *game;
	const struct gpube_nash_result *found;
};

/* Each writes a struct tree_result. */
void tree_report_text(struct gpube_out *out, const void *result);
void tree_report_json(struct json *j, const void *result);
/* Gambit's lines: NE and the probabilities of all actions of all information sets. */
void tree_report_gambit(struct gpube_out *out, const void *result);

#endif
