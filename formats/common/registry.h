/*
 * registry.h - the formats: how a file of each is told, read and written.
 * Internal to formats/.
 *
 * A format is one row of formats.c, its place in formats.h, and a file or a folder with
 * its reader and writer. A reader fills an empty model of the row's kind.
 */
#ifndef GPUBE_REGISTRY_H
#define GPUBE_REGISTRY_H

#include "formats/io/io.h"
#include "gpube/options/options.h"

struct gpube_format_row {
	enum gpube_format id;
	const char *name;
	const char *extensions; /* "yaml|yml", in any case */
	enum gpube_kind kind;   /* of the model that is read; games alone are written as games */
	bool both_kinds;        /* the writer takes both; otherwise potentials become costs */
	bool evidence;          /* observations are in a file beside it */
	/*
	 * Is the text, the file's first bytes (n of them, then a 0), of the format? NULL: its name
	 * says so
	 */
	bool (*sniff)(const char *text, size_t n, const char *path);
	int (*read)(struct gpube_model *m, struct gpube_in *in);          /* NULL: only written */
	int (*write)(const struct gpube_model *m, struct gpube_out *out); /* NULL: only read */
};

/*
 * The format to write a model in, AUTO: by the name, by any other name a game as LRS, coalitions as
 * CSG or CATS; NULL after setting the error's text (EINVAL).
 */
const struct gpube_format_row *gpube__output_format(
	const struct gpube_model *m, const char *path, enum gpube_format format);

/* Bytes that formats are told by. */
enum { GPUBE_SNIFF_BYTES = 1 << 16 };

bool gpube__sniff_uai(const char *text, size_t n, const char *path);
bool gpube__sniff_cfn(const char *text, size_t n, const char *path);
bool gpube__sniff_lg(const char *text, size_t n, const char *path);
bool gpube__sniff_lp(const char *text, size_t n, const char *path);
bool gpube__sniff_mps(const char *text, size_t n, const char *path);
bool gpube__sniff_wcnf(const char *text, size_t n, const char *path);
bool gpube__sniff_cnf(const char *text, size_t n, const char *path);
bool gpube__sniff_qpbo(const char *text, size_t n, const char *path);
bool gpube__sniff_col(const char *text, size_t n, const char *path);
bool gpube__sniff_erg(const char *text, size_t n, const char *path);
bool gpube__sniff_yaml(const char *text, size_t n, const char *path);
bool gpube__sniff_xml(const char *text, size_t n, const char *path);
bool gpube__sniff_bif(const char *text, size_t n, const char *path);
bool gpube__sniff_xmlbif(const char *text, size_t n, const char *path);
bool gpube__sniff_net(const char *text, size_t n, const char *path);
bool gpube__sniff_cats(const char *text, size_t n, const char *path);
bool gpube__sniff_csg(const char *text, size_t n, const char *path);
bool gpube__sniff_opb(const char *text, size_t n, const char *path);
bool gpube__sniff_nfg(const char *text, size_t n, const char *path);
bool gpube__sniff_gam(const char *text, size_t n, const char *path);
bool gpube__sniff_lrs(const char *text, size_t n, const char *path);
bool gpube__sniff_two_player(const char *text, size_t n, const char *path);
bool gpube__sniff_simple(const char *text, size_t n, const char *path);
bool gpube__sniff_efg(const char *text, size_t n, const char *path);
bool gpube__sniff_agg(const char *text, size_t n, const char *path);
/* What a file holds: a model, of what kind, or what other programs of this project read. */
enum gpube_content {
	GPUBE_CONTENT_MODEL,
	GPUBE_CONTENT_GAME,       /* a model of kind GPUBE_GAME: nash.h */
	GPUBE_CONTENT_COALITIONS, /* a model of that kind: coalitions.h */
	GPUBE_CONTENT_AUCTION,    /* the same, of bids */
	GPUBE_CONTENT_RESULT,     /* gpube_read_uai_result() */
	GPUBE_CONTENT_SIDECAR,    /* by its name: .ub, .order, .ord, .cov, .dec, .evid, .query */
};

/*
 * gpube__content() - told from the first bytes. Standard input, and what is no plain
 * file, is always taken for a model: looking at it would take it away.
 * Errors: EIO, ENOMEM
 */
int gpube__content(enum gpube_content *content, struct gpube_ctx *ctx, const char *path);
/* What it is, and who reads it: "a coalition game, which 'gpube csg' reads". */
const char *gpube__content_words(enum gpube_content content);

/* The format of a game that no other claims. */
enum gpube_format gpube__guess_game(const char *text);

/* What files in no format of models hold; a name may say it of a text that does not. */
enum gpube_content gpube__sniff_content(const char *text, const char *path);
/* A name and four integers, as a .wcsp begins; if the name is a number, on one line. */
bool gpube__begins_wcsp(const char *text);

/*
 * gpube__in_content() - what a stream holds, which is told without taking anything away. Errors:
 * in->status
 * sure  out; false: a model because nothing else claims it, or by numbers that many formats begin
 *       with
 */
enum gpube_content gpube__in_content(struct gpube_in *in, bool *sure);
/* The format of that name, or GPUBE_FORMAT_AUTO for an unknown one. */
enum gpube_format gpube__format_named(const char *name);
const char *gpube__format_name(enum gpube_format format);

/* gpube_read() of a stream that is open; 'opts' are checked, and stay as long as it is. */
int gpube__read_from(struct gpube_model **out, struct gpube_in *in, const struct gpube_opts *opts);

int gpube__wcsp_read(struct gpube_model *m, struct gpube_in *in);
int gpube__wcsp_write(const struct gpube_model *m, struct gpube_out *out);
int gpube__cfn_read(struct gpube_model *m, struct gpube_in *in);
int gpube__cfn_write(const struct gpube_model *m, struct gpube_out *out);
int gpube__uai_read(struct gpube_model *m, struct gpube_in *in);
int gpube__uai_write(const struct gpube_model *m, struct gpube_out *out);
int gpube__lg_read(struct gpube_model *m, struct gpube_in *in);
int gpube__lg_write(const struct gpube_model *m, struct gpube_out *out);
int gpube__wcnf_read(struct gpube_model *m, struct gpube_in *in); /* .cnf, too */
int gpube__wcnf_write(const struct gpube_model *m, struct gpube_out *out);
int gpube__cnf_write(const struct gpube_model *m, struct gpube_out *out);
/* The first line of a .cnf that was written of hard clauses, which is read back as such. */
#define GPUBE__CNF_HARD "c gpube: all clauses are hard\n"
int gpube__lp_read(struct gpube_model *m, struct gpube_in *in);
int gpube__lp_write(const struct gpube_model *m, struct gpube_out *out);
int gpube__mps_read(struct gpube_model *m, struct gpube_in *in);
int gpube__mps_write(const struct gpube_model *m, struct gpube_out *out);
/* Whether the file is the program that was to be written of m. Errors: EBUG (what differs) */
int gpube__lp_check(struct gpube_model *scratch, const struct gpube_model *m, struct gpube_in *in);
int gpube__mps_check(struct gpube_model *scratch, const struct gpube_model *m, struct gpube_in *in);
int gpube__cats_read(struct gpube_model *m, struct gpube_in *in);
int gpube__cats_write(const struct gpube_model *m, struct gpube_out *out);
int gpube__csg_read(struct gpube_model *m, struct gpube_in *in);
int gpube__csg_write(const struct gpube_model *m, struct gpube_out *out);
/* Whether two models have the same coalitions. Errors: EBUG (what differs), ENOMEM */
int gpube__csg_check(const struct gpube_model *m, const struct gpube_model *again);
int gpube__qpbo_read(struct gpube_model *m, struct gpube_in *in);
int gpube__col_read(struct gpube_model *m, struct gpube_in *in);
int gpube__erg_read(struct gpube_model *m, struct gpube_in *in);
int gpube__yaml_read(struct gpube_model *m, struct gpube_in *in);
int gpube__xml_read(struct gpube_model *m, struct gpube_in *in);
int gpube__bif_read(struct gpube_model *m, struct gpube_in *in);
int gpube__bif_write(const struct gpube_model *m, struct gpube_out *out);
int gpube__xmlbif_read(struct gpube_model *m, struct gpube_in *in);
int gpube__xmlbif_write(const struct gpube_model *m, struct gpube_out *out);
int gpube__net_read(struct gpube_model *m, struct gpube_in *in);
int gpube__opb_read(struct gpube_model *m, struct gpube_in *in); /* .wbo, too */
int gpube__bep_read(struct gpube_model *m, struct gpube_in *in);
int gpube__pre_read(struct gpube_model *m, struct gpube_in *in);
int gpube__nfg_read(struct gpube_model *m, struct gpube_in *in);
int gpube__nfg_write(const struct gpube_model *m, struct gpube_out *out);
int gpube__gam_read(struct gpube_model *m, struct gpube_in *in);
int gpube__gam_write(const struct gpube_model *m, struct gpube_out *out);
int gpube__lrs_read(struct gpube_model *m, struct gpube_in *in);
int gpube__lrs_write(const struct gpube_model *m, struct gpube_out *out);
int gpube__two_player_read(struct gpube_model *m, struct gpube_in *in);
int gpube__two_player_write(const struct gpube_model *m, struct gpube_out *out);
int gpube__simple_read(struct gpube_model *m, struct gpube_in *in);
int gpube__simple_write(const struct gpube_model *m, struct gpube_out *out);
int gpube__efg_read(struct gpube_model *m, struct gpube_in *in);
int gpube__agg_read(struct gpube_model *m, struct gpube_in *in); /* .bagg, too */

int gpube__evid_read(struct gpube_model *m, struct gpube_in *in);
/* The file that evidence is read from, for the caller to free; NULL: none. Others as below. */
int gpube__evid_find(
	char **out, struct gpube_ctx *ctx, const char *path, bool beside, const char *evidence);
/*
 * The first of PATH.evid, PATH.evid.gz and PATH.evid.xz that is there, for 'ending' .evid; or NULL.
 */
int gpube__beside_find(char **out, struct gpube_ctx *ctx, const char *path, const char *ending);
/*
 * gpube__query_read() - the variables of a marginal MAP query, as the UAI competitions have them:
 * how many, and each. The caller frees them.
 * Errors: EIO, EPARSE (also one that the model has not, or twice), ENOMEM
 */
int gpube__query_read(int32_t **vars, int32_t *n, const struct gpube_model *m, const char *path);
/*
 * gpube__rows_read() - rows of evidence, a value or -1 for each variable: from a .csv, or from a
 * .evid of several samples; gpube__evid_rows(): the latter.
 * rows  out: for the caller to free
 * Errors: EIO, EPARSE, ENOMEM
 */
int gpube__rows_read(int32_t **rows, int64_t *n, const struct gpube_model *m, const char *path);
int gpube__evid_rows(int32_t **rows, int64_t *n, const struct gpube_model *m, struct gpube_in *in);
/* beside: the format has such files. */
int gpube__evid_read_for(
	struct gpube_model *m, const char *path, bool beside, const struct gpube_opts *opts);
/*
 * Writes the evidence beside PATH, but leaves it under its temporary name. A model
 * without any gets a file only where there is one already: left alone, it would
 * be taken for this model's.
 * out     not open if there is no such file
 * beside  out: its name, which 'out' borrows; the caller frees it, also on failure
 */
int gpube__evid_write_for(
	struct gpube_out *out, char **beside, const struct gpube_model *m, const char *path);

/* An MPE as a .sol has it ('sol'), or any result file. */
/*
 * An upper bound in a file of its own, toulbar2's .ub: one number, in the costs
 * that the model's files have; 'cost' is in its units of 10^-scale.
 * Errors: EIO, EPARSE, ERANGE (more decimals than the model's, or 64 bits), ENOMEM;
 *         EINVAL (a model of potentials)
 */
int gpube__read_ub(int64_t *cost, const struct gpube_model *m, const char *path);
int gpube__write_ub(const struct gpube_model *m, const char *path, int64_t cost);

/* "PR", "MAR", "MPE", "MMAP" */
const char *gpube__uai_task_name(enum gpube_uai_task task);
int gpube__uai_result_read(struct gpube_uai_result **out, struct gpube_in *in, bool sol);

#endif
