/*
 * other_kinds.h - files that hold no model of costs, for the commands that take any
 * file: games of two players, games of coalitions, auctions, results.
 */
#ifndef GPUBE_CLI_OTHER_KINDS_H
#define GPUBE_CLI_OTHER_KINDS_H

#include "gpube/cli/session/session.h"

/*
 * Both return false, and do nothing, for a file that holds a model. Otherwise *rc
 * is the exit code.
 */

/* Prints what is in the file. */
bool other_kinds_info(struct session *s, int *rc, const char *path);

/*
 * Writes the file in another format of its kind: a game as .nfg or, by any other
 * name, for lrsnash; coalitions as text if the name ends in .txt or is "-",
 * otherwise binary; a result in the layout of 2014, or an MPE as .sol.
 */
bool other_kinds_convert(struct session *s, int *rc, const char *path, const char *to);

#endif
