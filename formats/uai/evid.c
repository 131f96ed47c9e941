/*
 * evid.c - .evid files: observed variables and their values.
 *
 * UAI 2006, 2008 and 2014: the number of observations, then variable and value
 * of each. UAI 2010: the number of samples, then each sample in that form, of which one is taken.
 * The number of numbers in the file tells which (odd or even for one sample), and for the rest the
 * lines. Variables and values may be named as the model names them (named.h), with " around a name
 * that has blanks.
 */
#define _POSIX_C_SOURCE 200809L
#include "formats/common/named.h"
#include "gpube/options/options.h"
#include "formats/common/reading.h"
#include "formats/common/registry.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

struct number {
	int64_t value, line; /* value -1: it is a name alone */
	int64_t text;        /* where it stands in numbers.text, if the model has names */
};

struct numbers {
	int64_t n, capacity;
	struct number *v;
	struct gpube_named named;
	bool has_names, told;
	char *text;
	int64_t text_bytes, text_capacity;
};

/* A number, or a name of the model, which is kept: only its place tells what it is the name of. */
static int read_name(struct gpube_in *in, struct numbers *s, struct number *to)
{
	const bool quoted = *in->p == '"';
	char token[256];
	int64_t n;

	if (gpube__in_name(in, token, "a variable or value"))
		return in->status;
	n = (int64_t)strlen(token) + 1;
	if (gpube__grow(in->ctx, &s->text, &s->text_capacity, s->text_bytes + n, 1))
		return GPUBE_ENOMEM;
	memcpy(s->text + s->text_bytes, token, (size_t)n);
	*to = (struct number){quoted ? -1 : gpube__index_of(token), in->line, s->text_bytes};
	s->text_bytes += n;
	return GPUBE_OK;
}

static int read_number(struct gpube_in *in, struct numbers *s, struct number *to)
{
	if (s->n && s->has_names)
		return read_name(in, s, to);
	*to = (struct number){.line = in->line};
	return gpube__in_int(in, &to->value, 0, INT32_MAX,
		s->n ? "a variable or value" : "the number of observations");
}

static int read_numbers(struct gpube_in *in, struct numbers *s)
{
	in->comment = '/'; /* Ergo's files have one in front */
	while (!gpube__in_at_end(in)) {
		struct number number;
		const int status = read_number(in, s, &number);

		if (status)
			return status;
		if (gpube__grow(in->ctx, &s->v, &s->capacity, s->n + 1, sizeof(*s->v)))
			return GPUBE_ENOMEM;
		s->v[s->n++] = number;
	}
	return in->status;
}

/* Whether the numbers after the first are exactly n samples, each '<count> <pairs>'. */
static bool are_samples(const struct numbers *s, int64_t n)
{
	int64_t at = 1;

	for (int64_t i = 0; i < n; i++) {
		if (at >= s->n || s->v[at].value < 0)
			return false;
		at += 1 + 2 * s->v[at].value;
	}
	return at == s->n;
}

/* The same, and each sample has a line of its own, as the rules of 2010 have it. */
static bool are_lines_of_samples(const struct numbers *s, int64_t n)
{
	int64_t at = 1;

	if (!are_samples(s, n))
		return false;
	for (int64_t i = 0; i < n; i++) {
		int64_t last = at + 2 * s->v[at].value;

		if (s->v[at].line == s->v[at - 1].line || s->v[at].line != s->v[last].line)
			return false;
		at = last + 1;
	}
	return true;
}

/* Errors name the line of a number, not that of the end of the file, which has been reached. */
static void go_to(struct gpube_in *in, const struct numbers *s, int64_t at)
{
	in->line = s->v[at].line;
}

/* To the first pair of a sample; the next one begins 2 n further. */
static int64_t begin_sample(const struct numbers *s, int64_t *at)
{
	return *at < s->n ? s->v[(*at)++].value : 0;
}

/* The sample that is asked for, or the first, of those that begin at *at. */
static int find_sample(
	struct gpube_in *in, const struct numbers *s, int64_t samples, int64_t *at, int64_t *n)
{
	const int sample = in->opts ? in->opts->sample : 0;

	if (sample > samples)
		return gpube__in_error(in, "sample %d of %lld sample%s of evidence: there is none",
			sample, (long long)samples, gpube__plural((double)samples));
	if (!sample && samples > 1)
		gpube__log(in->ctx, GPUBE_LOG_NOTE,
			"%s: %lld samples of evidence, of which the first is taken", in->path,
			(long long)samples);
	for (int64_t k = 1; k < sample; k++)
		*at += 1 + 2 * s->v[*at].value;
	*n = begin_sample(s, at);
	return GPUBE_OK;
}

/* Finds the first sample and how many there are. */
static int find_samples(struct gpube_in *in, const struct numbers *s, int64_t *at, int64_t *samples)
{
	int64_t first = s->n ? s->v[0].value : 0, n = first;
	const bool alone = s->n == 1 + 2 * first && !(first > 1 && are_lines_of_samples(s, first));

	*at = 1;
	*samples = first;
	if (first == 0 && s->n > 1)
		/* merlin's files go on after a 0; toulbar2 and merlin stop there */
		gpube__log(in->ctx, GPUBE_LOG_NOTE, "%s: what follows the 0 is ignored", in->path);
	if (first == 0 || alone) {
		*at = 0;
		*samples = 1;
		return GPUBE_OK;
	}
	if (are_samples(s, first))
		return GPUBE_OK;
	if (first == 1 && s->n > 1 && s->v[1].value >= 0) { /* one sample, which is cut */
		*at = 2;
		n = s->v[1].value;
	}
	go_to(in, s, *at - 1);
	return gpube__in_error(in,
		"%lld observation%s take%s %lld numbers (variable and value), found %lld",
		(long long)n, gpube__plural((double)n), n == 1 ? "s" : "", (long long)(2 * n),
		(long long)(s->n - *at));
}

/* A number that was the index of something else, had it not been a name. */
static void tell_name(struct gpube_in *in, struct numbers *s, const char *name, int32_t index,
	int64_t number, int64_t n, const char *what)
{
	if (s->told || !name || index == number || gpube__index_of(name) != number || number >= n)
		return;
	s->told = true;
	gpube__log(in->ctx, GPUBE_LOG_NOTE,
		"%s:%lld: %lld is taken for the name of %s %d, not for an index", in->path,
		(long long)in->line, (long long)number, what, index);
}

/* What stands at a place, as the text by which it is looked up. */
static const char *text_at(char text[24], struct gpube_in *in, struct numbers *s, int64_t at)
{
	go_to(in, s, at);
	if (s->has_names)
		return s->text + s->v[at].text;
	snprintf(text, 24, "%lld", (long long)s->v[at].value);
	return text;
}

static int observe(struct gpube_model *m, struct gpube_in *in, struct numbers *s, int64_t at)
{
	int32_t var, value;
	char text[24];
	int status = gpube__named_var(&var, &s->named, text_at(text, in, s, at));

	if (!status) {
		tell_name(in, s, m->vars[var].name, var, s->v[at].value, m->n_vars, "variable");
		status = gpube__named_value(&value, &s->named, var, text_at(text, in, s, at + 1));
	}
	if (!status) {
		tell_name(in, s, gpube_model_value_name(m, var, value), value, s->v[at + 1].value,
			m->vars[var].domain, "value");
		status = gpube__named_observe(m, var, value);
	}
	return status == GPUBE_EINVAL ? gpube__named_fail(in) : status;
}

static int begin(struct numbers *s, int64_t *at, int64_t *samples, const struct gpube_model *m,
	struct gpube_in *in)
{
	int status;

	*s = (struct numbers){.has_names = gpube__has_names(m)};
	status = gpube__named_init(&s->named, m);
	if (!status)
		status = read_numbers(in, s);
	return status ? status : find_samples(in, s, at, samples);
}

static void clear(struct numbers *s, struct gpube_ctx *ctx)
{
	gpube__named_clear(&s->named);
	gpube__free(ctx, s->text);
	gpube__free(ctx, s->v);
}

int gpube__evid_read(struct gpube_model *m, struct gpube_in *in)
{
	struct numbers s;
	int64_t at = 0, samples = 0, n = 0;
	int status = begin(&s, &at, &samples, m, in);

	if (!status)
		status = find_sample(in, &s, samples, &at, &n);
	for (int64_t k = 0; k < n && !status; k++)
		status = observe(m, in, &s, at + 2 * k);
	clear(&s, in->ctx);
	return status;
}

int gpube__evid_rows(int32_t **rows, int64_t *n, const struct gpube_model *m, struct gpube_in *in)
{
	struct gpube_model view = *m; /* what is observed of it are the rows in turn */
	struct numbers s;
	int64_t at = 0;
	int status = begin(&s, &at, n, m, in);

	if (!status) {
		*rows = gpube__alloc(in->ctx, (uint64_t)*n * (uint64_t)m->n_vars, sizeof(**rows));
		status = *rows ? GPUBE_OK : GPUBE_ENOMEM;
	}
	for (int64_t i = 0; i < *n * m->n_vars && !status; i++)
		(*rows)[i] = -1;
	for (int64_t r = 0; r < *n && !status; r++) {
		const int64_t pairs = begin_sample(&s, &at);

		view.evidence = *rows + r * m->n_vars;
		for (int64_t k = 0; k < pairs && !status; k++, at += 2)
			status = observe(&view, in, &s, at);
	}
	clear(&s, in->ctx);
	return status;
}

/* The one-line layout: all programs read it. */
static int write_evidence(const struct gpube_model *m, struct gpube_out *out)
{
	int32_t n = 0;

	for (int32_t i = 0; m->evidence && i < m->n_vars; i++)
		n += m->evidence[i] >= 0;
	gpube__out_int(out, n);
	for (int32_t i = 0; n && i < m->n_vars; i++)
		if (m->evidence[i] >= 0)
			gpube__out_printf(out, " %d %d", i, m->evidence[i]);
	gpube__out_text(out, "\n");
	return out->status;
}

/* ---- the file beside a model --------------------------------------------------------- */

/* "x.uai.evid" and what follows for x.uai, x.uai.gz and x.uai.xz; the caller frees it. */
static char *path_beside(struct gpube_ctx *ctx, const char *path, const char *ending)
{
	size_t n = gpube__unpacked_length(path), k = strlen(ending) + 1;
	char *p = gpube__alloc(ctx, n + k, 1);

	if (p) {
		memcpy(p, path, n);
		memcpy(p + n, ending, k);
	}
	return p;
}

/* Beside the longest of names there can be none. */
static bool is_missing(const char *path)
{
	struct stat st;

	return stat(path, &st) != 0 &&
	       (errno == ENOENT || errno == ENOTDIR || errno == ENAMETOOLONG);
}

static int read_file(struct gpube_model *m, const char *path, const struct gpube_opts *opts)
{
	struct gpube_in in;
	int status = gpube__in_open(&in, m->ctx, path);

	if (status)
		return status;
	in.opts = opts;
	status = gpube__evid_read(m, &in);
	gpube__in_close(&in);
	return status;
}

int gpube__beside_find(char **out, struct gpube_ctx *ctx, const char *path, const char *ending)
{
	static const char *const packed[] = {"", ".gz", ".xz"};
	char whole[32];

	*out = NULL;
	if (strcmp(path, "-") == 0)
		return GPUBE_OK;
	for (int i = 0; i < 3; i++) {
		char *p;

		snprintf(whole, sizeof(whole), "%s%s", ending, packed[i]);
		p = path_beside(ctx, path, whole);
		if (!p)
			return GPUBE_ENOMEM;
		if (!is_missing(p)) {
			*out = p;
			return GPUBE_OK;
		}
		gpube__free(ctx, p);
	}
	return GPUBE_OK;
}

int gpube__evid_find(
	char **out, struct gpube_ctx *ctx, const char *path, bool beside, const char *evidence)
{
	*out = NULL;
	if (evidence && !strcmp(evidence, "none"))
		return GPUBE_OK;
	if (evidence && *evidence) {
		*out = gpube__strdup(ctx, evidence);
		return *out ? GPUBE_OK : GPUBE_ENOMEM;
	}
	return evidence || !beside ? GPUBE_OK : gpube__beside_find(out, ctx, path, ".evid");
}

int gpube__evid_read_for(
	struct gpube_model *m, const char *path, bool beside, const struct gpube_opts *opts)
{
	char *p;
	int status = gpube__evid_find(&p, m->ctx, path, beside, opts->evidence);

	if (!status && p)
		status = read_file(m, p, opts);
	gpube__free(m->ctx, p);
	return status;
}

int gpube__evid_write_for(
	struct gpube_out *out, char **beside, const struct gpube_model *m, const char *path)
{
	bool some = false;
	int status;

	for (int32_t i = 0; m->evidence && i < m->n_vars; i++)
		some = some || m->evidence[i] >= 0;
	*beside = path_beside(m->ctx, path, ".evid");
	if (!*beside)
		return GPUBE_ENOMEM;
	if (!some && is_missing(*beside))
		return GPUBE_OK;
	status = gpube__out_open(out, m->ctx, *beside);
	if (!status)
		status = write_evidence(m, out);
	return status ? status : gpube__out_finish(out);
}
