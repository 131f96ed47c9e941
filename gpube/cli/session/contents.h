/*
 * contents.h - what a file holds: a model of costs or potentials, a game, a coalition game, an
 * auction or a result; and what it becomes, a model of costs of a game, or a game of a model that
 * has its form. All commands read through this.
 */
#ifndef GPUBE_CLI_CONTENTS_H
#define GPUBE_CLI_CONTENTS_H

#include <stdbool.h>

#include "csg/auction.h"
#include "formats/common/registry.h"
#include "gpube/cli/opts.h"
#include "gpube/forms.h"

/* One of them; none after a failure. path: borrowed; model: of any kind */
struct contents {
	const char *path;
	enum gpube_content kind;
	struct gpube_model *model;
	struct gpube_uai_result *result;
};

/*
 * contents_read() - told by content, or a model in the format that 'read' says. A pipe is read as a
 * file is. Errors: those of the readers; EINVAL (what goes with a model, such as .ub)
 */
int contents_read(
	struct contents *c, struct gpube_ctx *ctx, const char *path, const struct opts_read *read);
void contents_clear(struct contents *c);

/*
 * contents_become() - the same as another kind: as a model, or what a model has the form of. An
 * auction with a bid on every bundle is a coalition game.
 * regret  of a game as a model, see gpube_model_as()
 * Errors: EINVAL (what is none: the text names the command that reads it), those of
 *         gpube_model_as() and its like
 */
int contents_become(
	struct contents *c, struct gpube_ctx *ctx, enum gpube_content kind, bool regret);

/*
 * The model that a game, coalitions or an auction become, which stay. Errors: as contents_become()
 */
int contents_model(
	struct gpube_model **out, const struct contents *c, struct gpube_ctx *ctx, bool regret);

/*
 * contents_check() - that a file that was written holds the same result.
 * Errors: EBUG, those of contents_read()
 */
int contents_check(const struct contents *c, struct gpube_ctx *ctx, const char *path);

/*
 * contents_read_form() - for a command that reads 'own' and 'also': one of them, or a model that
 * has the form of it. Of what may be anything the command's own reader says what is wrong.
 * Errors: as contents_read() and contents_become(); EINVAL (another kind: the text says who reads
 *         it)
 */
int contents_read_form(struct contents *c, struct gpube_ctx *ctx, const char *path,
	enum gpube_content own, enum gpube_content also);

#endif
