/* nash_many.h - gpube nash of more than two players: their pure equilibria. */
#ifndef GPUBE_CLI_NASH_MANY_H
#define GPUBE_CLI_NASH_MANY_H

#include "gpube/cli/session/session.h"
#include "gpube/ir/model.h"

/* An action by its name, quoted where it is no plain word; "#2" where the file names none. */
void nash_text_action(struct gpube_out *out, const char *label, int32_t i);

/*
 * Finds and reports them. most: so many at most; 0: all. Returns the exit status, after a message
 * where it is a failure.
 */
int nash_many(struct session *s, const char *file, const struct gpube_model *g, int64_t most,
	bool gambit);

#endif
