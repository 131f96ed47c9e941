/*
 * checkpoint.h - a run in a file, to go on later: what was proved and found, the simplified and the
 * reparametrised model, the order, the counters of the schedule, the search tree with its open
 * nodes, open cases of relations, and the join graph with the results of an AND/OR search on it.
 * formats/checkpoint.md has the format. Other methods keep large tables, which they make again:
 * they begin anew from the bounds that are in the file.
 *
 * Designs weighed. (1) The given model's file and the decisions alone: a simplification that
 * another version does otherwise, or ends sooner, would number other variables. (2) All states of
 * all methods: caches and regions are gigabytes, and each would be a format of its own. (3) This
 * one: the models are in the file, and of states what is open of those that lend (shared.h), and
 * what took longest of those that tell.
 */
#ifndef GPUBE_CHECKPOINT_H
#define GPUBE_CHECKPOINT_H

#include "gpube/base/bytes.h"
#include "gpube/bound/bounder.h"

/* With the search tree, its root alone, or without it. */
enum gpube__run_kept { GPUBE__RUN_WITH_NODES, GPUBE__RUN_WITH_ROOT, GPUBE__RUN_WITHOUT_TREE };

/*
 * gpube__put_run() - the run as numbers, of a bounder that has a simplified model.
 * gpube__get_run() - of the same model: b->costs is made, with the decimals of the run, then b->s
 *                    and b->tables, which b owns, and the rest.
 * Errors: EPARSE (it is damaged), EINVAL (it is another model's), ENOMEM, ESTOP
 */
void gpube__put_run(
	struct gpube__bytes *to, const struct gpube_bounder *b, enum gpube__run_kept kept);
int gpube__get_run(struct gpube_bounder *b, struct gpube__bytes *from);
/*
 * The same for what needs b->m and b->best: the incumbent, the bounds, the order, the schedule, the
 * tree. from: where gpube__get_run() stopped
 */
int gpube__get_state(struct gpube_bounder *b, struct gpube__bytes *from);

/* Writes the run to its saver's file, of which there is the old or the new one; tells failures. */
void gpube__checkpoint_save(struct gpube_bounder *b);
/*
 * gpube__checkpoint_read() - what such a file has, for gpube__get_run(); checks its checksum.
 * Errors: EIO, EPARSE (it is none, or damaged), ELIMIT, ENOMEM
 */
int gpube__checkpoint_read(struct gpube__bytes *to, const char *path);
/* The text of a failure to read it, with its name. Returns 'status'. */
int gpube__checkpoint_fail(struct gpube_ctx *ctx, int status, const char *path);

#endif
