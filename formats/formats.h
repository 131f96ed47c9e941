/*
 * formats.h - files to models and back. Include after gpube/gpube.h.
 *
 * What is read may be compressed by gzip, xz, bzip2 or zstd, which its content tells; what is
 * written is compressed if its name ends in .gz or .xz. A file is written under a temporary name in
 * its folder, and gets its own when it is complete.
 */
#ifndef GPUBE_FORMATS_H
#define GPUBE_FORMATS_H

#include "gpube/gpube.h"

#ifdef __cplusplus
extern "C" {
#endif

/*
 * The memory that reading takes. A reader holds at most GPUBE_READ_FACTOR bytes for each byte of
 * the file, 4 MiB, and as much as the context's option "memory" allows for what a short file may
 * declare: variables and values that are only numbered (256 and 32 bytes each), and tables that
 * keywords and expressions are expanded to. What would take more is refused with ELIMIT before it
 * is allocated. Simplifying, ordering and solving the model take at most twice as much, besides the
 * tables that "memory" allows. Time grows with the file and with what is expanded; a stop ends it.
 * Each format limits how deep its elements may be nested.
 */
#define GPUBE_READ_FACTOR 512

/*
 * gpube_read() - reads a model of any kind: costs, potentials, a game or a coalition game.
 * path    "-" is standard input
 * opts    from: the format's name; without it the content tells the format, then the name, and what
 *         neither tells is read as .wcsp. evidence: a file for a model of potentials; by default
 *         that beside it, if there is one (of x.uai, x.uai.xz and x.uai.gz this is x.uai.evid). It
 *         has variables and values by index, or by name where the model has names; a number that
 *         is a name is taken as the name. sample, colors
 * Cost:   memory in proportion to the model's tables, as said above
 * Errors: EIO, EPARSE (the text has file, line and what was expected), ERANGE, ENOMEM, EINVAL
 *         (options), ELIMIT (more memory than is allowed), ESTOP
 */
GPUBE_API int gpube_read(struct gpube_model **out, struct gpube_ctx *ctx, const char *path,
	const struct gpube_opts *opts);

/*
 * What totals of a written file mean. A total T of the file stands for (T + offset) * 10^-decimals
 * of the model, negated if 'negated' is 1. Totals of 'top' and more are forbidden; in a .cfn that
 * is maximised, totals of 'top' and less.
 * known   1: the file is a .wcsp or .cfn, and no cost has lost digits; 0: the other fields are 0
 */
struct gpube_written {
	int known;
	int negated;
	int decimals;
	int64_t offset, top;
};

/*
 * gpube_write() - writes a model. Formats of costs get potentials as the costs that gpube_solve()
 * minimises; where a format has no negative totals the normalising constant is dropped, and a note
 * says so. A .uai gets costs as exp(-cost). Evidence of a .uai, .LG, .bif or XMLBIF goes into
 * PATH.evid (without evidence an old one is emptied); in other formats, and on standard output, it
 * becomes unary functions.
 * path      "-" is standard output
 * opts      to: the format's name, by default as PATH ends. shift: where the format has no negative
 *           totals, add a constant to all of them; otherwise that is refused. lossy: change what
 *           the format cannot hold (add a constant, divide costs by a power of ten and round, drop
 *           a bound), with a note in the log. wide: write also what toulbar2 reads as something
 *           else; otherwise that is refused or, with lossy, divided. precision, check
 * written   out, may be NULL: what totals of the file mean
 * Errors: EIO, ENOMEM; EINVAL (options; a format that is not written; a check of what is no file; a
 *         model that the format has no place for); ERANGE (the format cannot hold it as it is, but
 *         may with 'lossy'; the text says what); ELIMIT (more clauses than are written); ESTOP,
 *         EBUG (what was read back differs): no file is left
 */
GPUBE_API int gpube_write(const struct gpube_model *m, const char *path,
	const struct gpube_opts *opts, struct gpube_written *written);

/*
 * gpube_read_order() - reads an elimination order: indices of variables, or names that are no
 * numbers; the first variable is eliminated first. '#' begins a comment, and the number of
 * variables may come before them, as daoopt has it. Hidden variables are not in the file, and get
 * places between the others. A path that ends in .cov or .dec is a tree decomposition, whose order
 * gpube_order_of_decomposition() makes.
 * order     out: n_vars variables
 * Errors: EIO, EPARSE (not a permutation), EINVAL (no tree decomposition), ENOMEM: order is
 *         untouched
 */
GPUBE_API int gpube_read_order(int32_t *order, const struct gpube_model *m, const char *path);
/*
 * Writes an order as toulbar2 reads it: an index on each line, without hidden variables. To a path
 * that ends in .cov or .dec it writes the decomposition of gpube_decomposition_of_order().
 * Errors: EIO, EINVAL (not a permutation), ENOMEM
 */
GPUBE_API int gpube_write_order(
	const struct gpube_model *m, const char *path, const int32_t *order);
/*
 * Writes toulbar2's .sol: the value indices of one assignment on one line, without hidden
 * variables.
 * values  n_vars
 * Errors: EIO, ENOMEM
 */
GPUBE_API int gpube_write_solution(
	const struct gpube_model *m, const char *path, const int32_t *values);
/*
 * Reads a .sol or an MPE result file.
 * values  out: n_vars; hidden variables get theirs from gpube_model_complete()
 * Errors: EIO, EPARSE, ENOMEM: values are untouched
 */
GPUBE_API int gpube_read_solution(int32_t *values, const struct gpube_model *m, const char *path);

/*
 * A tree decomposition, or a forest of them. toulbar2's .cov has all of it, its .dec neither the
 * numbers of clusters nor their parents.
 * parent  for each cluster the index of an earlier one, or -1: a root
 * first   the variables of cluster k are vars[first[k]] to vars[first[k + 1] - 1]
 */
struct gpube_decomposition {
	int32_t n_clusters;
	int32_t *parent;
	int64_t *first;
	int32_t *vars;
};

/*
 * gpube_order_of_decomposition() - an elimination order whose clusters are those of d. Clusters are
 * taken from the leaves on; a variable is eliminated in the cluster whose parent does not have it.
 * Variables that are in no cluster come first.
 * order   out: n_vars
 * Errors: EINVAL (a variable's clusters are not connected), ENOMEM
 */
GPUBE_API int gpube_order_of_decomposition(
	int32_t *order, const struct gpube_model *m, const struct gpube_decomposition *d);
/*
 * gpube_decomposition_of_order() - the tree decomposition of an elimination: its clusters, without
 * those that are contained in another one.
 * Errors: EINVAL (not a permutation), ENOMEM
 */
GPUBE_API int gpube_decomposition_of_order(
	struct gpube_decomposition **out, const struct gpube_model *m, const int32_t *order);

/* A result file of the UAI competitions. */
enum gpube_uai_task { GPUBE_UAI_PR, GPUBE_UAI_MAR, GPUBE_UAI_MPE, GPUBE_UAI_MAP };

/*
 * log10_value  PR: log10 of the sum; -INFINITY: the sum is 0
 * n            MAR and MPE: number of variables; MAP: number of pairs of a variable and its value
 * vars         MAP: the variables of the pairs
 * values       MPE and MAP: value indices
 * domains      MAR: how many values each variable has
 * marginals    MAR: the probabilities of each variable's values, one variable after the other
 */
struct gpube_uai_result {
	enum gpube_uai_task task;
	double log10_value;
	int32_t n;
	int32_t *vars, *values, *domains;
	double *marginals;
};

/*
 * Reads a result in the layout of 2008, 2010 or 2014; a path that ends in .sol is an MPE.
 * Errors: EIO, EPARSE, ENOMEM
 */
GPUBE_API int gpube_read_uai_result(
	struct gpube_uai_result **out, struct gpube_ctx *ctx, const char *path);
/*
 * Writes a result in the layout of 2014, in which MAP is called MMAP, or an MPE as .sol if the path
 * ends so.
 * Errors: EIO, ENOMEM; EINVAL (another result as .sol)
 */
GPUBE_API int gpube_write_uai_result(
	struct gpube_ctx *ctx, const char *path, const struct gpube_uai_result *r);

#ifdef __cplusplus
}
#endif

#endif
