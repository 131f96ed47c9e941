/*
 * projection.h - the dense tables of region graphs (joingraph.h), and the two
 * operations of every move of costs between them: a table's minimum over the variables that a
 * separator does not have, and the addition of a separator's table.
 *
 * Cells are those of ops/sweep/sweep_cell.h.
 *
 * Designs weighed. (1) An odometer over the table, one cell after the other: an addition to memory
 * waits for the one before where neighbours fall onto the same cell of the separator, and threads
 * need rooms of their own. (2) The cells of each separator cell as a list: as long as the tables.
 * (3) This one: blocks of about a thousand cells that lie together, all of one pattern, whose lists
 * stay in the cache; where each block begins is listed, too. Threads share the separator's blocks.
 */
#ifndef GPUBE_PROJECTION_H
#define GPUBE_PROJECTION_H

#include "gpube/ops/sweep/sweep_cell.h"

/*
 * How the cells of a table lie over those of a separator. The separator's block i, and block k of
 * the other variables, are the table's cells block[i] + block[n_blocks + k] ...; in it, cell j of
 * the separator's block is at place[j] + place[n_own + l] for l = 0 ... n_others - 1.
 */
struct gpube_projection {
	int64_t cells, small_cells; /* of the table, of the separator */
	int64_t n_blocks, n_other_blocks;
	int32_t n_own, n_others;  /* of a block: the separator's cells, and those over each */
	bool own_run, others_run; /* one behind the other */
	bool by_own;              /* a minimum goes through the others of one own cell at a time */
	int64_t *block;
	int32_t *place, *of; /* of: the cell of the separator's block for each of a block's */
};

/*
 * gpube__projection_init() - of a table over the variables 'large' onto those of 'small', which are
 * some of them, in the same order; the last one is the fastest. domain: by variable. Errors: ENOMEM
 */
int gpube__projection_init(struct gpube_ctx *ctx, struct gpube_projection *p, const int32_t *domain,
	const int32_t *large, int n_large, const int32_t *small, int n_small);
void gpube__projection_clear(struct gpube_ctx *ctx, struct gpube_projection *p);

/* t += m over it; no sum is negative. */
void gpube__project_add(
	const struct gpube_projection *p, int32_t *t, const int32_t *m, int32_t slack);

/* The same on all threads, with their work counted. */
void gpube__project_add_shared(struct gpube_ctx *ctx, const struct gpube_projection *p, int32_t *t,
	const int32_t *m, int32_t slack);

/*
 * m = the least cell of t over each of its own, on all threads. rooms: small_cells for each thread,
 * where the separator has too few cells to be shared out; NULL: one thread does it.
 */
void gpube__project_least_shared(struct gpube_ctx *ctx, const struct gpube_projection *p,
	int32_t *m, const int32_t *t, int32_t *rooms);

#endif
