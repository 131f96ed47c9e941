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

enum gpube_format {
	GPUBE_FORMAT_AUTO, /* by content when reading, by name when writing */
	GPUBE_FORMAT_WCSP,
	GPUBE_FORMAT_CFN,
	GPUBE_FORMAT_UAI,
};

/* "wcsp", "cfn", "uai", or GPUBE_FORMAT_AUTO for an unknown name. */
GPUBE_API enum gpube_format gpube_format_named(const char *name);
GPUBE_API const char *gpube_format_name(enum gpube_format format);

/*
 * gpube_read() - reads a model.
 * path      "-" is standard input
 * format    AUTO: .uai begins with MARKOV or BAYES, .cfn with '{'; the rest is
 *           what its name says, or else .wcsp
 * evidence  .evid file of a .uai; NULL: PATH.evid beside it (x.uai, x.uai.xz
 *           and x.uai.gz all look for x.uai.evid), if there is one; "": none
 * Cost:   memory proportional to the model's tables
 * Errors: EIO, EPARSE, ERANGE, ENOMEM; EINVAL (no such format); ELIMIT (xz
 *         data that takes more than the memory allowed); ESTOP
 */
GPUBE_API int gpube_read(struct gpube_model **out, struct gpube_ctx *ctx, const char *path,
	enum gpube_format format, const char *evidence);

/*
 * gpube_write() - writes a model. Potentials are written to .wcsp and .cfn as
 * the costs that gpube_solve() minimises, costs to .uai as exp(-cost). Evidence
 * goes with a .uai into PATH.evid (an old one is emptied if there is none),
 * elsewhere and on standard output into unary functions.
 * path      "-" is standard output
 * Errors: EIO, ENOMEM; EINVAL (no such format); ERANGE (the format cannot hold
 *         the model: the text says what)
 */
GPUBE_API int gpube_write(const struct gpube_model *m, const char *path, enum gpube_format format);

/*
 * How to write; zero fields take the default.
 * precision  potentials to costs: decimals to which -ln is rounded, 1 to 12; 0:
 *            as many as the format holds
 * lossy      what the format cannot hold is changed until it can, and said in the
 *            log: totals are raised so that none is negative, costs divided by a
 *            power of ten, a bound dropped
 * check      what was written is read back, before it gets its name, and compared
 *            table by table
 */
struct gpube_write_opts {
	size_t sizeof_options;
	int precision;
	int lossy;
	int check;
};

/*
 * gpube_write_as() - gpube_write() with options, which may be NULL.
 * Errors: those of gpube_write(); EBUG (what was read back differs; no file is
 *         left); EINVAL (a check of what is no file)
 */
GPUBE_API int gpube_write_as(const struct gpube_model *m, const char *path,
	enum gpube_format format, const struct gpube_write_opts *opts);

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
