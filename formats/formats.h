/*
 * formats.h - files to models and back. Include after gpube/gpube.h.
 *
 * Compression is told by content when reading (gzip, xz) and by name when
 * writing (.gz, .xz). Outputs are written to a temporary name beside the target
 * and renamed when complete.
 */
#ifndef GPUBE_FORMATS_H
#define GPUBE_FORMATS_H

#include "gpube/gpube.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * What reading takes. A reader holds at most GPUBE_READ_FACTOR bytes for each byte of the file, 4
 * MiB, and besides what the context's memory_bytes allow: that is what a short text, or one that
 * is packed to few bytes, may ask for, such as variables and values that a number declares (256
 * and 32 bytes each, for all that is done with them later), and tables that keywords and
 * expressions are expanded to. What passes it is refused (ELIMIT) before it is taken. Simplifying,
 * ordering and solving what was read take at most twice as much, besides the tables that
 * memory_bytes allow. Its time grows with the file and with what is expanded, and a stop ends it
 * at any moment. What is nested is read to a depth that each format states.
 */
#define GPUBE_READ_FACTOR 512

/*
 * gpube_read() - reads a model, or a game, which is one of kind GPUBE_GAME.
 * path    "-" is standard input
 * opts    from (a format's name): what no format claims is what its name says, or else .wcsp;
 *         evidence: of a model of probabilities, by default PATH.evid beside it (x.uai, x.uai.xz
 *         and x.uai.gz all look for x.uai.evid), if there is one; of a model that has names they
 *         may stand for variables and values; a number is a name, if it is one, or an index;
 *         sample, colors
 * Cost:   memory proportional to the model's tables
 * Errors: EIO, EPARSE, ERANGE, ENOMEM; EINVAL (options); ELIMIT (xz data that takes more than the
 *         memory allowed); ESTOP
 */
GPUBE_API int gpube_read(struct gpube_model **out, struct gpube_ctx *ctx, const char *path,
	const struct gpube_opts *opts);

/*
 * What totals of a file that was written mean. A total T of the file is (T + offset) * 10^-decimals
 * of the model, negated if 'negated' is set; from 'top' on it is forbidden (of a .cfn that is
 * maximised: to there).
 * known   .wcsp and .cfn of which no cost lost digits; otherwise the other fields are 0
 */
struct gpube_written {
	int known;
	int negated;
	int decimals;
	int64_t offset, top;
};

/*
 * gpube_write() - writes a model. Potentials are written
 * to formats of costs as the costs that gpube_solve() minimises (where totals may
 * not be negative, the normalising constant is dropped, which is said), costs to
 * .uai as exp(-cost). Evidence goes with a .uai, .LG, .bif or XMLBIF into PATH.evid (an old one
 * is emptied if there is none), elsewhere and on standard output into unary functions.
 * path      "-" is standard output
 * opts      to (a format's name); shift: where a format has no place for negative totals, write all
 *           of them larger, otherwise that is refused; precision; lossy: what the format cannot
 *           hold is changed until it can, and said in the log: totals are shifted, costs divided
 *           by a power of ten and rounded, a bound dropped; check; wide: otherwise what toulbar2
 *           reads as something else is refused, or, with lossy, divided
 * written   out, may be NULL: what totals of the file mean
 * Errors: EIO, ENOMEM; EINVAL (options; a format that is not written; a check of what is no file; a
 *         model that the format has no place for); ERANGE (the format cannot hold it as it is, but
 *         may with 'lossy'; the text says what); ELIMIT (more clauses than are written); ESTOP,
 *         EBUG (what was read back differs): no file is left
 */
GPUBE_API int gpube_write(const struct gpube_model *m, const char *path,
	const struct gpube_opts *opts, struct gpube_written *written);

/*
 * gpube_read_order() - reads an elimination order: variable indices, or names
 * that are no numbers, the first is eliminated first. '#' begins a comment, and
 * the number of variables may stand in front (daoopt). Hidden variables are not in it:
 * they get places between the others. Of a PATH that ends in .cov or .dec it
 * is that of the tree decomposition, as gpube_order_of_decomposition() has it.
 * order     n_vars
 * Errors: EIO, EPARSE (not a permutation), EINVAL (no tree decomposition), ENOMEM: order is
 *         untouched
 */
GPUBE_API int gpube_read_order(int32_t *order, const struct gpube_model *m, const char *path);
/*
 * Writes an order, an index on each line, as toulbar2 reads it, without hidden variables; as PATH
 * that ends in .cov or .dec the decomposition of gpube_decomposition_of_order().
 * Errors: EIO, EINVAL (not a permutation), ENOMEM
 */
GPUBE_API int gpube_write_order(
	const struct gpube_model *m, const char *path, const int32_t *order);
/*
 * Writes toulbar2's .sol: the value indices of one assignment on one line, without hidden
 * variables.
 */
GPUBE_API int gpube_write_solution(
	const struct gpube_model *m, const char *path, const int32_t *values);
/*
 * Reads a .sol, or an MPE result file, into 'values' (n_vars, the hidden ones by
 * gpube_model_complete()).
 * Errors: EIO, EPARSE, ENOMEM: values are untouched
 */
GPUBE_API int gpube_read_solution(int32_t *values, const struct gpube_model *m, const char *path);

/*
 * A tree decomposition, or a forest of them, as toulbar2's .cov has it, and without numbers and
 * parents its .dec.
 * parent  index of a cluster before, -1 for a root
 * first   the variables of cluster k are vars[first[k]] to vars[first[k + 1] - 1]
 */
struct gpube_decomposition {
	int32_t n_clusters;
	int32_t *parent;
	int64_t *first;
	int32_t *vars;
};

/*
 * gpube_order_of_decomposition() - an elimination order whose clusters are those: each
 * variable goes where a cluster's parent is without it, the leaves first; in front of all
 * those that are in no cluster.
 * order   out: n_vars
 * Errors: EINVAL (a variable's clusters are not connected), ENOMEM
 */
GPUBE_API int gpube_order_of_decomposition(
	int32_t *order, const struct gpube_model *m, const struct gpube_decomposition *d);
/*
 * gpube_decomposition_of_order() - the clusters of an elimination that lie in no other.
 * Errors: EINVAL (not a permutation), ENOMEM
 */
GPUBE_API int gpube_decomposition_of_order(
	struct gpube_decomposition **out, const struct gpube_model *m, const int32_t *order);

/* A result file of the UAI competitions. */
enum gpube_uai_task { GPUBE_UAI_PR, GPUBE_UAI_MAR, GPUBE_UAI_MPE, GPUBE_UAI_MAP };

/*
 * log10_value  PR; -INFINITY is 0
 * n            MAR and MPE: variables; MAP: pairs
 * vars         MAP
 * values       MPE and MAP
 * domains      MAR
 * marginals    MAR: those of all variables, one after the other
 */
struct gpube_uai_result {
	enum gpube_uai_task task;
	double log10_value;
	int32_t n;
	int32_t *vars, *values, *domains;
	double *marginals;
};

/*
 * Reads the layouts of 2008 and 2014 and that of 2010; a PATH that ends in .sol as an MPE.
 * Errors: EIO, EPARSE, ENOMEM
 */
GPUBE_API int gpube_read_uai_result(
	struct gpube_uai_result **out, struct gpube_ctx *ctx, const char *path);
/*
 * Writes the layout of 2014, which calls MAP MMAP; an MPE as PATH that ends in .sol as such.
 * Errors: EIO, ENOMEM; EINVAL (another result as .sol)
 */
GPUBE_API int gpube_write_uai_result(
	struct gpube_ctx *ctx, const char *path, const struct gpube_uai_result *r);

#ifdef __cplusplus
}
#endif

#endif
