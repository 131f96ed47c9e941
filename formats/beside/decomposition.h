/* decomposition.h - inside: what the files on tree decompositions share. */
#ifndef GPUBE_FORMATS_DECOMPOSITION_H
#define GPUBE_FORMATS_DECOMPOSITION_H

#include <stdbool.h>

#include "formats/formats.h"
#include "gpube/options/options.h"

/* NULL: ENOMEM; gpube_result_free() frees it. */
struct gpube_decomposition *gpube__decomposition_new(struct gpube_ctx *ctx);
/* EINVAL: no forest, lists that run backwards, variables that the model has not. */
int gpube__check_decomposition(const struct gpube_model *m, const struct gpube_decomposition *d);

/*
 * gpube__read_decomposition() - of a PATH that ends in .dec, whose clusters have no parents, they
 * are joined by what they have in common. That it covers the functions, and that each variable's
 * clusters are connected, is not checked.
 * Errors: EIO, EPARSE, ENOMEM; writing: EINVAL (a parent that is not before; hidden variables)
 */
int gpube__read_decomposition(
	struct gpube_decomposition **out, const struct gpube_model *m, const char *path);
int gpube__write_decomposition(
	const struct gpube_model *m, const char *path, const struct gpube_decomposition *d);
/*
 * The same of one kind of file. tree: with numbers and parents, a .cov; otherwise a .dec
 */
int gpube__read_clusters(
	struct gpube_decomposition **out, const struct gpube_model *m, const char *path, bool tree);
/*
 * gpube__join_clusters() - the same clusters, in a tree if there is one of them. 'd' has at least
 * one, and no parents. Errors: ENOMEM, it stays as it was
 */
int gpube__join_clusters(struct gpube_decomposition *d, const struct gpube_model *m);

#endif
