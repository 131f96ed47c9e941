/* nash_many.h - gpube nash of games that have not two players. */
#ifndef GPUBE_CLI_NASH_MANY_H
#define GPUBE_CLI_NASH_MANY_H

#include "gpube/cli/session/session.h"
#include "gpube/ir/model.h"
#include "gpube/options/options.h"
#include "nash/nash.h"

/* An action by its name, quoted where it is no plain word; "#2" where the file names none. */
void nash_text_action(struct gpube_out *out, const char *label, int32_t i);

/*
 * Finds and reports them. Returns the exit status, after a message where it is a failure.
 */
int nash_many(struct session *s, const char *file, const struct gpube_model *g,
	const struct gpube_opts *options, bool gambit);

#endif
