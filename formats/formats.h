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

/* Those that are written, too, come first, in the order of GPUBE_FORMATS_WRITTEN. */
enum gpube_format {
	GPUBE_FORMAT_AUTO, /* by content when reading, by name when writing */
	GPUBE_FORMAT_WCSP,
	GPUBE_FORMAT_CFN,
	GPUBE_FORMAT_UAI,
	GPUBE_FORMAT_LG,
	GPUBE_FORMAT_WCNF,
	GPUBE_FORMAT_CNF,
	GPUBE_FORMAT_QPBO,
	GPUBE_FORMAT_COL,
	GPUBE_FORMAT_ERG,
	GPUBE_N_FORMATS,
};

/* Their names, as --to and --from take them. */
#define GPUBE_FORMATS_WRITTEN "wcsp|cfn|uai|lg|wcnf|cnf"
#define GPUBE_FORMATS_READ    GPUBE_FORMATS_WRITTEN "|qpbo|col|erg"

/* The format of that name, or GPUBE_FORMAT_AUTO for an unknown one. */
GPUBE_API enum gpube_format gpube_format_named(const char *name);
GPUBE_API const char *gpube_format_name(enum gpube_format format);

/*
 * Options of gpube_read_with(); zero fields take the default.
 * format    AUTO: told from the content; what no format claims is what its name
 *           says, or else .wcsp
 * evidence  file of observations for a model of probabilities; NULL: PATH.evid
 *           beside it (x.uai, x.uai.xz and x.uai.gz all look for x.uai.evid), if
 *           there is one; "": none
 * colors    of a graph to be coloured (.col)
 */
struct gpube_read_opts {
	size_t sizeof_options;
	enum gpube_format format;
	const char *evidence;
	int colors;
};

/*
 * gpube_read_with() - reads a model; 'opts' may be NULL.
 * path    "-" is standard input
 * Cost:   memory proportional to the model's tables
 * Errors: EIO, EPARSE, ERANGE, ENOMEM; EINVAL (options; no such format); ELIMIT
 *         (xz data that takes more than the memory allowed); ESTOP
 */
GPUBE_API int gpube_read_with(struct gpube_model **out, struct gpube_ctx *ctx, const char *path,
	const struct gpube_read_opts *opts);

/* The same with these two options. */
GPUBE_API int gpube_read(struct gpube_model **out, struct gpube_ctx *ctx, const char *path,
	enum gpube_format format, const char *evidence);

/*
 * Options of gpube_write_with(); zero fields take the default.
 * format     AUTO: by the name
 * shift      where a format has no place for negative totals, write all of them
 *            larger by what is needed, and say by how much; otherwise that is refused
 * precision  potentials to costs: decimals to which -ln is rounded, 1 to 12; 0:
 *            as many as the format holds
 * lossy      what the format cannot hold is changed until it can, and said in the
 *            log: totals are shifted, costs divided by a power of ten and rounded, a
 *            bound dropped
 * check      what was written is read back, before it gets its name, and compared
 *            table by table
 */
struct gpube_write_opts {
	size_t sizeof_options;
	enum gpube_format format;
	int shift;
	int precision;
	int lossy;
	int check;
};

/*
 * gpube_write_with() - writes a model; 'opts' may be NULL. Potentials are written
 * to formats of costs as the costs that gpube_solve() minimises (where totals may
 * not be negative, the normalising constant is dropped, which is said), costs to
 * .uai as exp(-cost). Evidence goes with a .uai into PATH.evid (an old one is emptied
 * if there is none), elsewhere and on standard output into unary functions.
 * path      "-" is standard output
 * Errors: EIO, ENOMEM; EINVAL (options; a format that is not written; a check of
 *         what is no file); ERANGE (the format cannot hold the model: the text says
 *         what); EBUG (what was read back differs; no file is left)
 */
GPUBE_API int gpube_write_with(
	const struct gpube_model *m, const char *path, const struct gpube_write_opts *opts);

/* The same with this option. */
GPUBE_API int gpube_write(const struct gpube_model *m, const char *path, enum gpube_format format);

/*
 * gpube_read_order() - reads an elimination order: variable indices, or names
 * that are no numbers, the first is eliminated first. '#' begins a comment, and
 * the number of variables may stand in front (daoopt).
 * order     n_vars
 * Errors: EIO, EPARSE (not a permutation), ENOMEM: order is untouched
 */
GPUBE_API int gpube_read_order(int32_t *order, const struct gpube_model *m, const char *path);
/* Writes toulbar2's .sol: the value indices of one assignment on one line. */
GPUBE_API int gpube_write_solution(
	const struct gpube_model *m, const char *path, const int32_t *values);
/* Reads a .sol into 'values' (n_vars). */
GPUBE_API int gpube_read_solution(int32_t *values, const struct gpube_model *m, const char *path);

#ifdef __cplusplus
}
#endif

#endif
