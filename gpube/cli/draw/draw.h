/*
 * draw.h - pictures of a model: in Graphviz's language, and drawn by its program
 * 'dot'. Names across the two files begin with draw_.
 */
#ifndef GPUBE_CLI_DRAW_H
#define GPUBE_CLI_DRAW_H

#include "formats/io/io.h"

/* The words of --dot, in its order. */
enum drawing { DRAW_NONE, DRAW_GRAPH, DRAW_PSEUDOTREE, DRAW_BUCKETS, DRAW_DECOMPOSITION };

/*
 * draw_dot() - writes the picture.
 * graph          variables and functions as the file has them; a function of two
 *                variables is an edge, any other a box; of a Bayesian network arrows from
 *                parents to children
 * pseudotree     DPOP's, over the variables: each one's message goes to its parent
 * buckets        of the elimination that solve would do, of the simplified model
 * decomposition  the clusters of that elimination that lie in no other
 * order          all variables of m, the one eliminated first in front, for the last two;
 *                NULL: every assignment is forbidden, and nothing is left to draw
 * simplify       as the plan did
 * scale          decimals of the costs that potentials become
 * Errors: ENOMEM, ERANGE; those of 'out'
 */
int draw_dot(struct gpube_out *out, const struct gpube_model *m, enum drawing what,
	const int32_t *order, bool simplify, int scale);

/*
 * draw_svg() - the same through Graphviz.
 * Errors: also EIO (there is no program 'dot', or it failed), ESTOP
 */
int draw_svg(struct gpube_out *out, const struct gpube_model *m, enum drawing what,
	const int32_t *order, bool simplify, int scale);

#endif
