/* csg_parts.h - what the files of .csg share: csg_file.c has the format. Internal to formats/. */
#ifndef GPUBE_CSG_PARTS_H
#define GPUBE_CSG_PARTS_H

#include "formats/io/io.h"
#include "gpube/ir/coalition_table.h"

#define GPUBE__CSG_HEADER 32 /* bytes before the values of a binary file */

/*
 * gpube__csg_map() - a table whose values are the pages of a plain binary file, then nothing is
 * left to read; t->values is NULL, and the status OK, where it is anything else, such as a pipe.
 * Errors: ENOMEM
 */
int gpube__csg_map(struct gpube_table *t, struct gpube_in *in, int n_agents, enum gpube_type type);

/*
 * Values that memory has no room for: a file without a name (-1, and EIO's text), what is
 * written to it, a table on its 2^n_agents values. Errors: EIO, ENOMEM
 */
int gpube__csg_nameless_file(struct gpube_ctx *ctx);
int gpube__csg_write_all(struct gpube_ctx *ctx, int fd, const char *p, size_t n);
int gpube__csg_map_values(
	struct gpube_table *t, struct gpube_ctx *ctx, int fd, int n_agents, enum gpube_type type);

#endif
