/* formats.c - the table of formats, and reading and writing through it. See formats.h. */
#define _POSIX_C_SOURCE 200809L
#include "formats/formats.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "formats/compare.h"
#include "formats/fit.h"
#include "formats/io.h"

static bool begins_uai(const char *text)
{
	size_t n = strcspn(text, " \t\n\v\f\r");

	return (n == 6 && memcmp(text, "MARKOV", 6) == 0) ||
	       (n == 5 && memcmp(text, "BAYES", 5) == 0);
}

static bool begins_cfn(const char *text)
{
	return *text == '{';
}

/* sniff: whether text, from the first byte past white space and comments, is of the format */
static const struct format {
	enum gpube_format id;
	const char *name;
	enum gpube_kind kind;
	bool (*sniff)(const char *text);
	int (*read)(struct gpube_model *m, struct gpube_in *in);
	int (*write)(const struct gpube_model *m, struct gpube_out *out);
} formats[] = {
	{GPUBE_FORMAT_WCSP, "wcsp", GPUBE_COSTS, NULL, gpube__wcsp_read, gpube__wcsp_write},
	{GPUBE_FORMAT_CFN, "cfn", GPUBE_COSTS, begins_cfn, gpube__cfn_read, gpube__cfn_write},
	{GPUBE_FORMAT_UAI, "uai", GPUBE_POTENTIALS, begins_uai, gpube__uai_read, gpube__uai_write},
};

enum { N_FORMATS = sizeof(formats) / sizeof(*formats) };

enum gpube_format gpube_format_named(const char *name)
{
	for (int i = 0; i < N_FORMATS; i++)
		if (strcmp(formats[i].name, name) == 0)
			return formats[i].id;
	return GPUBE_FORMAT_AUTO;
}

const char *gpube_format_name(enum gpube_format format)
{
	for (int i = 0; i < N_FORMATS; i++)
		if (formats[i].id == format)
			return formats[i].name;
	return "auto";
}

static const struct format *find_format(enum gpube_format id)
{
	for (int i = 0; i < N_FORMATS; i++)
		if (formats[i].id == id)
			return &formats[i];
	return NULL;
}

/* Length of a path without .gz or .xz. */
static size_t unpacked_length(const char *path)
{
	size_t n = strlen(path);

	if (n > 3 && (strcmp(path + n - 3, ".gz") == 0 || strcmp(path + n - 3, ".xz") == 0))
		n -= 3;
	return n;
}

static const struct format *format_by_name(const char *path)
{
	size_t n = unpacked_length(path);

	for (int i = 0; i < N_FORMATS; i++) {
		size_t k = strlen(formats[i].name);

		if (n > k && path[n - k - 1] == '.' &&
			memcmp(path + n - k, formats[i].name, k) == 0)
			return &formats[i];
	}
	return NULL;
}

/* The first text in a buffer that ends with a 0: past white space and comments as in .cfn. */
static const char *skip_comments(const char *text)
{
	for (;;) {
		text += strspn(text, " \t\n\v\f\r");
		if (*text != '#' && !(text[0] == '/' && text[1] == '/'))
			return text;
		text += strcspn(text, "\n");
	}
}

/*
 * By content; what no format claims is taken for what its name says, so that a
 * damaged file gets that format's error, or else for .wcsp, which may begin
 * with anything.
 */
static const struct format *recognise(struct gpube_in *in)
{
	char text[4096];
	const char *begin;
	const struct format *f;

	text[gpube__in_peek(in, text, sizeof(text) - 1)] = 0;
	begin = skip_comments(text);
	for (int i = 0; i < N_FORMATS; i++)
		if (formats[i].sniff && formats[i].sniff(begin))
			return &formats[i];
	f = format_by_name(in->path);
	return f ? f : find_format(GPUBE_FORMAT_WCSP);
}

/* ---- evidence beside the model ----------------------------------------------------- */

/* "x.uai.evid" for x.uai, x.uai.gz and x.uai.xz; the caller frees it. */
static char *evidence_path(struct gpube_ctx *ctx, const char *path)
{
	size_t n = unpacked_length(path);
	char *p = gpube__alloc(ctx, n + sizeof(".evid"), 1);

	if (p) {
		memcpy(p, path, n);
		memcpy(p + n, ".evid", sizeof(".evid"));
	}
	return p;
}

static bool is_missing(const char *path)
{
	struct stat st;

	return stat(path, &st) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

static int read_evidence_file(struct gpube_model *m, const char *path)
{
	struct gpube_in in;
	int status = gpube__in_open(&in, m->ctx, path);

	if (status)
		return status;
	status = gpube__evid_read(m, &in);
	gpube__in_close(&in);
	return status;
}

static int read_evidence(struct gpube_model *m, const char *path, bool uai, const char *evidence)
{
	char *beside;
	int status = GPUBE_OK;

	if (evidence)
		return *evidence ? read_evidence_file(m, evidence) : GPUBE_OK;
	if (!uai || strcmp(path, "-") == 0)
		return GPUBE_OK;
	beside = evidence_path(m->ctx, path);
	if (!beside)
		return GPUBE_ENOMEM;
	if (!is_missing(beside))
		status = read_evidence_file(m, beside);
	gpube__free(m->ctx, beside);
	return status;
}

/* ---- reading and writing ------------------------------------------------------------- */

int gpube_read(struct gpube_model **out, struct gpube_ctx *ctx, const char *path,
	enum gpube_format format, const char *evidence)
{
	struct gpube_model *m = NULL;
	const struct format *f;
	struct gpube_in in;
	int status;

	*out = NULL;
	status = gpube__in_open(&in, ctx, path);
	if (status)
		return status;
	f = format == GPUBE_FORMAT_AUTO ? recognise(&in) : find_format(format);
	status = in.status;
	if (!status && !f)
		status = gpube__fail(ctx, GPUBE_EINVAL, "cannot tell the format of '%s'", path);
	if (!status)
		status = gpube_model_new(&m, ctx, f->kind);
	if (!status)
		status = f->read(m, &in);
	if (!status) /* also reads on to a compressed file's checksum */
		status = gpube__in_end(&in);
	gpube__in_close(&in);
	if (!status)
		status = read_evidence(m, path, f->id == GPUBE_FORMAT_UAI, evidence);
	if (status) {
		gpube_model_free(m);
		return status;
	}
	*out = m;
	return GPUBE_OK;
}

/* Whether a format's costs may be negative in total. */
static bool holds_negative(const struct format *f)
{
	return f->id == GPUBE_FORMAT_CFN;
}

/* The files of a model while they are complete, but under temporary names. */
struct written {
	const char *path;
	struct gpube_out model, evidence;
	char *beside; /* NULL: no evidence file */
	bool has_evidence;
};

/*
 * The evidence beside a model. One without any gets a file only where there is
 * one already: left alone, it would be taken for this model's.
 */
static int write_evidence(struct written *w, const struct gpube_model *m)
{
	bool some = false;
	int status;

	for (int32_t i = 0; m->evidence && i < m->n_vars; i++)
		some = some || m->evidence[i] >= 0;
	w->beside = evidence_path(m->ctx, w->path);
	if (!w->beside)
		return GPUBE_ENOMEM;
	if (!some && is_missing(w->beside))
		return GPUBE_OK;
	status = gpube__out_open(&w->evidence, m->ctx, w->beside);
	if (status)
		return status;
	w->has_evidence = true;
	status = gpube__evid_write(m, &w->evidence);
	return status ? status : gpube__out_finish(&w->evidence);
}

/* Writes one attempt's model, and gives it its final names if 'status' is still OK at the end. */
static int close_written(struct written *w, struct gpube_ctx *ctx, int status)
{
	int closed;

	if (w->has_evidence) {
		closed = gpube__out_close(&w->evidence, status == GPUBE_OK);
		status = status ? status : closed;
	}
	closed = gpube__out_close(&w->model, status == GPUBE_OK);
	gpube__free(ctx, w->beside);
	w->beside = NULL;
	w->has_evidence = false;
	return status ? status : closed;
}

static int write_attempt(
	struct written *w, const struct gpube_model *m, const struct format *f, bool beside)
{
	int status = gpube__out_open(&w->model, m->ctx, w->path);

	if (status)
		return status;
	status = f->write(m, &w->model);
	if (!status)
		status = gpube__out_finish(&w->model);
	if (!status && beside)
		status = write_evidence(w, m);
	return status;
}

/* Reads a file that is still under its temporary name, for messages under its own. */
static int read_again(struct gpube_out *out, struct gpube_model *m,
	int (*read)(struct gpube_model *m, struct gpube_in *in))
{
	struct gpube_in in;
	int status = gpube__in_open(&in, m->ctx, gpube__out_temporary(out));

	if (status)
		return status;
	in.path = out->path;
	status = read(m, &in);
	if (!status)
		status = gpube__in_end(&in);
	gpube__in_close(&in);
	return status;
}

/* --check: what was written is read back and compared with what should have been. */
static int check_written(
	struct written *w, const struct gpube_model *m, const struct format *f)
{
	struct gpube_compared counts;
	struct gpube_model *again;
	char text[400];
	int status = gpube_model_new(&again, m->ctx, f->kind);

	if (status)
		return status;
	status = read_again(&w->model, again, f->read);
	if (!status && w->has_evidence)
		status = read_again(&w->evidence, again, gpube__evid_read);
	if (!status)
		status = gpube__compare(&counts, m, again);
	gpube_model_free(again);
	if (status == GPUBE_EBUG) {
		snprintf(text, sizeof(text), "%s", gpube_error(m->ctx));
		return gpube__fail(m->ctx, status, "'%s' is not what was to be written: %s",
			w->path, text);
	}
	if (!status)
		gpube__log(m->ctx, GPUBE_LOG_NOTE,
			"%s: read back and compared: %d variables, %lld functions, %lld cells, "
			"all equal",
			w->path, m->n_vars, (long long)counts.n_functions,
			(long long)counts.n_cells);
	return status;
}

static int write_fitted(struct written *w, struct gpube_fit *fit, const struct format *f,
	bool beside, const struct gpube_write_opts *opts)
{
	struct gpube_ctx *ctx = fit->given->ctx;
	int status = write_attempt(w, fit->m, f, beside);

	while (status == GPUBE_ERANGE) {
		close_written(w, ctx, status);
		status = gpube__fit_loosen(fit);
		if (status)
			return status;
		status = write_attempt(w, fit->m, f, beside);
	}
	if (!status)
		gpube__fit_say(fit, w->path);
	if (!status && opts->check)
		status = check_written(w, fit->m, f);
	return close_written(w, ctx, status);
}

int gpube_write_as(const struct gpube_model *m, const char *path, enum gpube_format format,
	const struct gpube_write_opts *opts)
{
	static const struct gpube_write_opts none = {.sizeof_options = sizeof(none)};
	const struct format *f =
		format == GPUBE_FORMAT_AUTO ? format_by_name(path) : find_format(format);
	struct written w = {.path = path};
	struct gpube_fit fit;
	bool alone, beside;
	int status;

	opts = opts ? opts : &none;
	if (opts->sizeof_options != sizeof(*opts))
		return gpube__fail(m->ctx, GPUBE_EINVAL, "options of another size");
	if (!f)
		return gpube__fail(m->ctx, GPUBE_EINVAL,
			"cannot tell the format of '%s': .wcsp, .cfn and .uai are known, also with "
			".gz or .xz",
			path);
	alone = gpube__out_is_alone(path);
	if (alone && opts->check)
		return gpube__fail(m->ctx, GPUBE_EINVAL,
			"cannot check what is written to '%s': it is no file that could be read "
			"back",
			path);
	beside = f->id == GPUBE_FORMAT_UAI && !alone;
	status = gpube__fit_init(
		&fit, m, f->kind, beside, holds_negative(f), opts->precision, opts->lossy);
	if (status)
		return status;
	status = write_fitted(&w, &fit, f, beside, opts);
	gpube__fit_clear(&fit);
	return status;
}

int gpube_write(const struct gpube_model *m, const char *path, enum gpube_format format)
{
	return gpube_write_as(m, path, format, NULL);
}
