/* formats.c - the table of formats, and reading through it. See formats.h; writing is write.c. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "formats/common/conditional.h"
#include "gpube/options/options.h"
#include "formats/common/registry.h"

static const struct gpube_format_row formats[] = {
	{GPUBE_FORMAT_WCSP, "wcsp", "wcsp", GPUBE_COSTS, false, false, NULL, gpube__wcsp_read,
		gpube__wcsp_write},
	{GPUBE_FORMAT_CFN, "cfn", "cfn", GPUBE_COSTS, false, false, gpube__sniff_cfn,
		gpube__cfn_read, gpube__cfn_write},
	{GPUBE_FORMAT_UAI, "uai", "uai", GPUBE_POTENTIALS, true, true, gpube__sniff_uai,
		gpube__uai_read, gpube__uai_write},
	{GPUBE_FORMAT_LG, "lg", "lg", GPUBE_COSTS, true, true, gpube__sniff_lg, gpube__lg_read,
		gpube__lg_write},
	{GPUBE_FORMAT_WCNF, "wcnf", "wcnf", GPUBE_COSTS, false, false, gpube__sniff_wcnf,
		gpube__wcnf_read, gpube__wcnf_write},
	{GPUBE_FORMAT_CNF, "cnf", "cnf", GPUBE_COSTS, false, false, gpube__sniff_cnf,
		gpube__wcnf_read, gpube__cnf_write},
	{GPUBE_FORMAT_LP, "lp", "lp", GPUBE_COSTS, false, false, gpube__sniff_lp, gpube__lp_read,
		gpube__lp_write},
	{GPUBE_FORMAT_MPS, "mps", "mps|qps", GPUBE_COSTS, false, false, gpube__sniff_mps,
		gpube__mps_read, gpube__mps_write},
	{GPUBE_FORMAT_BIF, "bif", "bif", GPUBE_POTENTIALS, true, true, gpube__sniff_bif,
		gpube__bif_read, gpube__bif_write},
	{GPUBE_FORMAT_XMLBIF, "xmlbif", "xmlbif|bifxml|xbif", GPUBE_POTENTIALS, true, true,
		gpube__sniff_xmlbif, gpube__xmlbif_read, gpube__xmlbif_write},
	{GPUBE_FORMAT_CSG, "csg", "csg", GPUBE_COALITIONS, false, false, gpube__sniff_csg,
		gpube__csg_read, gpube__csg_write},
	{GPUBE_FORMAT_CATS, "cats", "cats", GPUBE_COALITIONS, false, false, gpube__sniff_cats,
		gpube__cats_read, gpube__cats_write},
	{GPUBE_FORMAT_NFG, "nfg", "nfg", GPUBE_GAME, false, false, gpube__sniff_nfg,
		gpube__nfg_read, gpube__nfg_write},
	{GPUBE_FORMAT_GAM, "gam", "gam", GPUBE_GAME, false, false, gpube__sniff_gam,
		gpube__gam_read, gpube__gam_write},
	{GPUBE_FORMAT_LRS, "lrs", "lrs", GPUBE_GAME, false, false, gpube__sniff_lrs,
		gpube__lrs_read, gpube__lrs_write},
	{GPUBE_FORMAT_TWO_PLAYER, "two-player", "two-player", GPUBE_GAME, false, false,
		gpube__sniff_two_player, gpube__two_player_read, gpube__two_player_write},
	{GPUBE_FORMAT_SIMPLE, "simple", "simple", GPUBE_GAME, false, false, gpube__sniff_simple,
		gpube__simple_read, gpube__simple_write},
	{GPUBE_FORMAT_QPBO, "qpbo", "qpbo", GPUBE_COSTS, false, false, gpube__sniff_qpbo,
		gpube__qpbo_read, NULL},
	{GPUBE_FORMAT_COL, "col", "col", GPUBE_COSTS, false, false, gpube__sniff_col,
		gpube__col_read, NULL},
	{GPUBE_FORMAT_ERG, "erg", "erg", GPUBE_POTENTIALS, true, true, gpube__sniff_erg,
		gpube__erg_read, NULL},
	{GPUBE_FORMAT_YAML, "yaml", "yaml|yml", GPUBE_COSTS, false, false, gpube__sniff_yaml,
		gpube__yaml_read, NULL},
	{GPUBE_FORMAT_XML, "xml", "xml", GPUBE_COSTS, false, false, gpube__sniff_xml,
		gpube__xml_read, NULL},
	{GPUBE_FORMAT_NET, "net", "net", GPUBE_POTENTIALS, true, true, gpube__sniff_net,
		gpube__net_read, NULL},
	{GPUBE_FORMAT_OPB, "opb", "opb|wbo|pbo", GPUBE_COSTS, false, false, gpube__sniff_opb,
		gpube__opb_read, NULL},
	{GPUBE_FORMAT_BEP, "bep", "bep", GPUBE_COSTS, false, false, NULL, gpube__bep_read, NULL},
	{GPUBE_FORMAT_PRE, "pre", "pre", GPUBE_COSTS, false, false, NULL, gpube__pre_read, NULL},
	{GPUBE_FORMAT_EFG, "efg", "efg", GPUBE_GAME, false, false, gpube__sniff_efg,
		gpube__efg_read, NULL},
	{GPUBE_FORMAT_AGG, "agg", "agg|bagg", GPUBE_GAME, false, false, gpube__sniff_agg,
		gpube__agg_read, NULL},
};

enum { N_FORMATS = sizeof(formats) / sizeof(*formats) };
_Static_assert(N_FORMATS + 1 == GPUBE_N_FORMATS, "a row for each format, in the enum's order");

enum gpube_format gpube__format_named(const char *name)
{
	for (int i = 0; name && i < N_FORMATS; i++)
		if (strcmp(formats[i].name, name) == 0)
			return formats[i].id;
	return GPUBE_FORMAT_AUTO;
}

static const struct gpube_format_row *find_format(enum gpube_format id)
{
	return id > GPUBE_FORMAT_AUTO && id < GPUBE_N_FORMATS ? &formats[id - 1] : NULL;
}

const char *gpube__format_name(enum gpube_format format)
{
	const struct gpube_format_row *f = find_format(format);

	return f ? f->name : "auto";
}

static const struct gpube_format_row *format_by_name(const char *path)
{
	for (int i = 0; i < N_FORMATS; i++)
		if (gpube__has_extension(path, formats[i].extensions))
			return &formats[i];
	return NULL;
}

/* A format's row, or what else is in the file; sure: not only because nothing else claims it. */
struct found {
	const struct gpube_format_row *format;
	enum gpube_content content;
	bool sure;
};

/* By content, or else by name, so that a damaged file gets that format's error. */
static const struct gpube_format_row *claimed(struct gpube_in *in, const char *text, size_t n)
{
	const struct gpube_format_row *named = format_by_name(in->path);

	if (named && !named->read)
		named = NULL; /* only written: what it is told by is unread.c's */
	/* formats of plain numbers, which their content does not tell from others */
	if (named && !named->sniff && named->id != GPUBE_FORMAT_WCSP)
		return named;
	/* a game is what a name that says so holds, or what no format of other models claims */
	for (int games = 0; games < 2; games++) {
		for (int i = 0; i < N_FORMATS; i++)
			if ((formats[i].kind == GPUBE_GAME) == games && formats[i].sniff &&
				formats[i].sniff(text, n, in->path))
				return &formats[i];
		if (named && named->kind != GPUBE_GAME)
			return named;
	}
	return named;
}

/* What no format claims is refused if it is known, or else taken for .wcsp, which may begin with
 * anything. */
static struct found recognise(struct gpube_in *in)
{
	size_t n = gpube__in_need(in, GPUBE_SNIFF_BYTES);
	struct found found = {NULL, GPUBE_CONTENT_MODEL, true};
	char *text;

	n = n < GPUBE_SNIFF_BYTES ? n : GPUBE_SNIFF_BYTES;
	text = gpube__alloc(in->ctx, n + 1, 1);
	if (!text) {
		in->status = GPUBE_ENOMEM;
		return found;
	}
	memcpy(text, in->p, n);
	text[n] = 0;
	found.format = claimed(in, text, n);
	if (found.format && found.format->kind == GPUBE_COALITIONS)
		found.content = found.format->id == GPUBE_FORMAT_CATS ? GPUBE_CONTENT_AUCTION
								      : GPUBE_CONTENT_COALITIONS;
	if (found.format && found.format->kind == GPUBE_GAME)
		found.content = GPUBE_CONTENT_GAME;
	/* of XML, only the head was seen; and numbers alone are in many formats */
	if (!found.format || found.format->id == GPUBE_FORMAT_XML ||
		found.content == GPUBE_CONTENT_GAME)
		gpube__in_refuse_unread(in, false);
	else if (isdigit((unsigned char)*gpube__skip_comments(text)) &&
		 !gpube__has_extension(in->path, found.format->extensions)) {
		gpube__in_refuse_unread(in, true);
		found.sure = false;
	}
	if (!found.format && !in->status)
		found.content = gpube__sniff_content(text, in->path);
	if (!found.format && found.content == GPUBE_CONTENT_MODEL)
		found.sure = gpube__begins_wcsp(text);
	gpube__free(in->ctx, text);
	if (!found.format && found.content == GPUBE_CONTENT_MODEL && !in->status &&
		gpube__in_refuse_unread(in, true) == GPUBE_OK)
		found.format = find_format(GPUBE_FORMAT_WCSP);
	return found;
}

enum gpube_content gpube__in_content(struct gpube_in *in, bool *sure)
{
	const struct found found = recognise(in);

	*sure = found.sure;
	return found.content;
}

/* Whether looking at a file leaves it as it was. */
static bool stays(const char *path)
{
	struct stat file;

	return strcmp(path, "-") && (stat(path, &file) || S_ISREG(file.st_mode));
}

int gpube__content(enum gpube_content *content, struct gpube_ctx *ctx, const char *path)
{
	struct gpube_in in;
	int status;

	if (!content || !ctx || !path)
		return gpube__missing(ctx);
	*content = GPUBE_CONTENT_MODEL;
	if (!stays(path))
		return GPUBE_OK;
	status = gpube__in_open(&in, ctx, path);
	if (status)
		return status;
	*content = recognise(&in).content;
	status = in.status;
	gpube__in_close(&in);
	return status;
}

const char *gpube__content_words(enum gpube_content content)
{
	static const char *const words[] = {"a model, which 'gpube solve' reads",
		"a game, which 'gpube nash' reads", "a coalition game, which 'gpube csg' reads",
		"an auction, which 'gpube auction' reads",
		"a result, which 'gpube info', 'gpube convert' and --sol read",
		("no model, but goes with one: .ub by --ub, .order, .cov and .dec by --order-file, "
		 ".evid by --evidence, .query by --query")};

	return (unsigned)content <= GPUBE_CONTENT_SIDECAR ? words[content] : NULL;
}

/* Told by nothing but numbers, as any .wcsp is whose own name is one. */
static bool is_numbers(const struct gpube_in *in, const struct gpube_format_row *format)
{
	return format && format->id == GPUBE_FORMAT_WCSP &&
	       !gpube__has_extension(in->path, format->extensions) &&
	       isdigit((unsigned char)*gpube__skip_comments(in->p));
}

/*
 * The format of what is read; NULL after an error. guessed: .wcsp, because no other claims it, and
 * it does not look so.
 */
static const struct gpube_format_row *input_format(
	struct gpube_in *in, enum gpube_format format, bool *guessed)
{
	struct found found = {find_format(format), GPUBE_CONTENT_MODEL, true};

	if (format == GPUBE_FORMAT_AUTO)
		found = recognise(in);
	if (format == GPUBE_FORMAT_AUTO && in->opts->kind == GPUBE_GAME && !in->status &&
		(!found.sure || is_numbers(in, found.format)))
		found = (struct found){
			find_format(gpube__guess_game(in->p)), GPUBE_CONTENT_GAME, true};
	if (!found.format && !in->status)
		in->status = found.content == GPUBE_CONTENT_MODEL
				     ? gpube__fail(in->ctx, GPUBE_EINVAL,
					       "there is no format number %d", (int)format)
				     : gpube__fail(in->ctx, GPUBE_EINVAL, "'%s' is %s", in->path,
					       gpube__content_words(found.content));
	*guessed = found.format && found.format->id == GPUBE_FORMAT_WCSP && !found.sure;
	return found.format;
}

/* ---- reading and writing ------------------------------------------------------------- */

static int read_model(struct gpube_model **out, struct gpube_ctx *ctx, struct gpube_in *in,
	const struct gpube_format_row *f)
{
	int status = gpube_model_new(out, ctx, f->kind);

	if (!status)
		status = f->read(*out, in);
	if (!status) /* also reads on to a compressed file's checksum */
		status = gpube__in_end(in);
	return status;
}

/* What a file of no known format has wrong as a .wcsp is not what is wrong with it. */
static void add_guess(struct gpube_ctx *ctx)
{
	char text[sizeof(ctx->error)];

	snprintf(text, sizeof(text), "%.*s", (int)sizeof(text) - 60, ctx->error);
	gpube__fail(ctx, GPUBE_EPARSE, "%s (read as .wcsp: no format is recognised)", text);
}

int gpube__read_from(struct gpube_model **out, struct gpube_in *in, const struct gpube_opts *opts)
{
	const struct gpube_format_row *f;
	struct gpube_model *m = NULL;
	bool guessed;
	int status;

	in->opts = opts;
	f = input_format(in, (enum gpube_format)opts->from, &guessed);
	status = in->status;
	if (!status && !f->read)
		status = gpube__fail(in->ctx, GPUBE_EINVAL, "'%s': .%s is only written, not read",
			in->path, f->name);
	if (!status)
		status = read_model(&m, in->ctx, in, f);
	if (status == GPUBE_EPARSE && guessed)
		add_guess(in->ctx);
	if (!status)
		status = gpube__note_rows(m, in->path);
	if (!status)
		status = gpube__evid_read_for(m, in->path, f->evidence, opts);
	if (status)
		gpube_model_free(m);
	*out = status ? NULL : m;
	return status;
}

int gpube_read(struct gpube_model **out, struct gpube_ctx *ctx, const char *path,
	const struct gpube_opts *opts)
{
	struct gpube_opts o;
	struct gpube_in in;
	int status;

	if (out)
		*out = NULL;
	if (!out || !ctx || !path)
		return gpube__missing(ctx);
	status = gpube__opts_take(&o, ctx, opts, GPUBE__ON_READ);
	if (!status)
		status = gpube__in_open(&in, ctx, path);
	if (status)
		return status;
	status = gpube__read_from(out, &in, &o);
	gpube__in_close(&in);
	return status;
}

const struct gpube_format_row *gpube__output_format(
	const struct gpube_model *m, const char *path, enum gpube_format format)
{
	struct gpube_ctx *ctx = m->ctx;
	const struct gpube_format_row *f =
		format == GPUBE_FORMAT_AUTO ? format_by_name(path) : find_format(format);

	if (!f && m->kind == GPUBE_COALITIONS) /* by any other name */
		f = find_format(m->auction ? GPUBE_FORMAT_CATS : GPUBE_FORMAT_CSG);
	if (!f && m->kind == GPUBE_GAME)
		f = find_format(GPUBE_FORMAT_LRS);
	if (!f)
		gpube__fail(ctx, GPUBE_EINVAL,
			"cannot tell the format of '%s': its name should end in one of "
			"%s, before .gz or .xz if there is one",
			path, GPUBE_FORMATS_WRITTEN);
	else if (!f->write)
		gpube__fail(
			ctx, GPUBE_EINVAL, "'%s': .%s is only read, not written", path, f->name);
	return f && f->write ? f : NULL;
}
