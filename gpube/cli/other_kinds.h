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
 * What a command takes that reads no models, but those that have a form.
 * own   what it reads; also: another one, or the same
 * take  makes that of a model; EINVAL with why it has not the form
 */
struct form_taken {
	enum gpube_content own, also;
	int (*take)(void *arg, const struct gpube_model *m);
	void *arg;
};

/*
 * other_kinds_read() - after a command could not read its file, with 'status': a model is taken if it
 * has the form. Otherwise the error is what the file holds, and who reads it. Returns a status.
 */
int other_kinds_read(struct session *s, int status, const char *path, const struct form_taken *form);

#endif
