/* nash_many.h - reports of 'gpube nash', of games that have not two players. */
#ifndef GPUBE_CLI_NASH_MANY_H
#define GPUBE_CLI_NASH_MANY_H

#include "gpube/cli/session/session.h"
#include "gpube/ir/model.h"
#include "gpube/options/options.h"
#include "nash/nash.h"

/* An action by its name, quoted where it is no plain word; "#2" where the file names none. */
void nash_text_action(struct gpube_out *out, const char *label, int32_t i);

/* What follows the number of equilibria where these are all extreme ones. */
const char *nash_text_all(int64_t n);

/* The last lines of a text: whether all are regular, seconds and method. */
void nash_text_end(
	struct gpube_out *out, const struct session *s, const struct gpube_nash_result *found);

/* The first fields of a JSON object, and those that say how and how much was found. */
void nash_json_begin(struct json *j, const struct session *s, const char *file,
	const struct gpube_nash_result *found, bool incomplete);
void nash_json_method(struct json *j, const struct gpube_nash_result *found, const char *reason);

/* What was found. Returns the exit status, after a message where it is a failure. */
int nash_report_many(struct session *s, const char *file, const struct gpube_model *g,
	const struct gpube_nash_result *found, const struct gpube_opts *options, bool gambit);

#endif
