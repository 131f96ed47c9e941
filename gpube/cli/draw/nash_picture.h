/*
 * nash_picture.h - equilibria as a picture, an SVG of our own.
 *
 * Of two actions a player: what each player's best responses to the other's mixture are, two lines
 * that meet in the equilibria. Of more: each component of the equilibria as the graph of its
 * strategies, those of player 1 on the left, with an edge for each extreme equilibrium and a colour
 * for each maximal Nash subset.
 */
#ifndef GPUBE_CLI_NASH_PICTURE_H
#define GPUBE_CLI_NASH_PICTURE_H

#include "nash/nash.h"

/* Of more equilibria components are not looked for, and no longer. */
enum { PICTURE_PAIRS = 2000, PICTURE_SECONDS = 10 };

/*
 * nash_picture_write() - the file gets its name when it is on the disk.
 * file        the game's, for the title
 * components  of 'found'; NULL: not known
 * Errors: EIO, ENOMEM, ERANGE (of two actions a player a payoff passes 64 bits): no file is left
 */
int nash_picture_write(const char *path, struct gpube_ctx *ctx, const char *file,
	const struct gpube_model *g, const struct gpube_nash_result *found,
	const struct gpube_nash_components *components);

#endif
