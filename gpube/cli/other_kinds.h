/*
 * other_kinds.h - files that hold no model of costs, for the commands that take any
 * file: games of two players, games of coalitions, auctions, results.
 */
#ifndef GPUBE_CLI_OTHER_KINDS_H
#define GPUBE_CLI_OTHER_KINDS_H

#include "formats/formats.h"
#include "gpube/cli/session/session.h"

/* Games, coalitions and auctions are written as models where OUT's name or --to says so. */
bool other_kinds_is_to_be_model(
	struct session *s, const struct opts_convert *o, const char *path, const char *to);

/*
 * Both of these return false, and do nothing, for a file that holds a model. Otherwise *rc
 * is the exit code.
 */

/* Prints what is in the file. */
bool other_kinds_info(struct session *s, int *rc, const char *path);

/*
 * Writes the file in another format of its kind: a game as .nfg or, by any other
 * name, for lrsnash; coalitions as text if the name ends in .txt or is "-",
 * otherwise binary; a result in the layout of 2014, or an MPE as .sol. Options that go with
 * models, and names of another kind's formats, are refused.
 */
bool other_kinds_convert(
	struct session *s, int *rc, const struct opts_convert *o, const char *path, const char *to);

/*
 * After a command could not read its file, with 'status': where the file holds something else than
 * what the command reads, the error is that, and who reads it.
 * own     what it reads; also: another one, or the same
 */
void other_kinds_explain(struct session *s, int status, const char *path, enum gpube_content own,
	enum gpube_content also);

#endif
