/*
 * write.c - models to files: fitted to the format, complete before they get
 * their names, checked if that is asked for. See formats.h.
 */
#include <stdio.h>

#include "formats/compare/compare.h"
#include "formats/coalitions/auction_program.h"
#include "gpube/options/options.h"
#include "formats/common/fit.h"
#include "gpube/coalitions.h"
#include "gpube/ir/payoffs.h"

/* The files of a model while they are complete, but under temporary names. */
struct written {
	const char *path;
	struct gpube_out model, evidence; /* evidence: not open if there is none to write */
	struct gpube_opts opts;           /* as the writers see them */
	char *beside;                     /* the evidence's name */
};

/* Gives the files their names if 'status' is still OK, otherwise removes them. */
static int close_written(struct written *w, struct gpube_ctx *ctx, int status)
{
	int closed;

	closed = gpube__out_close(&w->evidence, status == GPUBE_OK);
	status = status ? status : closed;
	closed = gpube__out_close(&w->model, status == GPUBE_OK);
	gpube__free(ctx, w->beside);
	w->beside = NULL;
	return status ? status : closed;
}

static int write_attempt(struct written *w, const struct gpube_model *m,
	const struct gpube_format_row *f, bool beside)
{
	int status = gpube__out_open(&w->model, m->ctx, w->path);

	if (status)
		return status;
	w->model.opts = &w->opts;
	w->model.stops = true;
	status = f->write(m, &w->model);
	if (!status)
		status = gpube__out_finish(&w->model);
	if (!status && beside)
		status = gpube__evid_write_for(&w->evidence, &w->beside, m, w->path);
	return status;
}

/* Reads a file that is still under its temporary name, for messages under its own. */
static int read_again(const struct gpube_out *out, struct gpube_model *m,
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

/* Does the format write a variable of m as several? *known: each has at least one. */
static bool has_booleans(bool *known, const struct gpube_model *m, const struct gpube_format_row *f)
{
	bool other = false;

	*known = true;
	for (int32_t i = 0; i < m->n_vars; i++) {
		other = other || m->vars[i].domain != 2;
		*known = *known && m->vars[i].domain > 1;
	}
	return other && (f->id == GPUBE_FORMAT_WCNF || f->id == GPUBE_FORMAT_CNF);
}

/* What was read back becomes a model over the variables of m. */
static int decode(struct gpube_model **again, const struct gpube_model *m)
{
	struct gpube_model *decoded;
	int status = gpube__decode_clauses(&decoded, m, *again);

	gpube_model_free(*again);
	*again = decoded;
	return status;
}

static int refuse_written(const struct written *w, const struct gpube_model *m)
{
	char text[400];

	snprintf(text, sizeof(text), "%s", gpube_error(m->ctx));
	return gpube__fail(
		m->ctx, GPUBE_EBUG, "'%s' is not what was to be written: %s", w->path, text);
}

/* Programs are read back as programs, whose columns and rows are no tables of the model's. */
static int check_program(struct written *w, const struct gpube_model *m, bool lp)
{
	struct gpube_model *scratch;
	struct gpube_in in;
	int status = gpube_model_new(&scratch, m->ctx, GPUBE_COSTS);

	if (status)
		return status;
	status = gpube__in_open(&in, m->ctx, gpube__out_temporary(&w->model));
	if (!status) {
		in.path = w->path;
		status = lp ? gpube__lp_check(scratch, m, &in) : gpube__mps_check(scratch, m, &in);
		gpube__in_close(&in);
	}
	gpube_model_free(scratch);
	if (status == GPUBE_EBUG)
		return refuse_written(w, m);
	if (!status)
		gpube__log(m->ctx, GPUBE_LOG_NOTE,
			"%s: read back and compared: columns, costs and rows are those of the "
			"model's program",
			w->path);
	return status;
}

/* --check: what was written is read back and compared with what should have been. */
static int check_written(
	struct written *w, const struct gpube_model *m, const struct gpube_format_row *f)
{
	struct gpube_compared counts;
	struct gpube_model *again;
	bool known;
	int status;

	if (f->id == GPUBE_FORMAT_LP || f->id == GPUBE_FORMAT_MPS)
		return check_program(w, m, f->id == GPUBE_FORMAT_LP);
	status = gpube_model_new(&again, m->ctx, f->kind);
	if (status)
		return status;
	status = read_again(&w->model, again, f->read);
	if (!status && gpube__out_temporary(&w->evidence))
		status = read_again(&w->evidence, again, gpube__evid_read);
	if (!status && has_booleans(&known, m, f)) {
		if (!known) {
			gpube__log(m->ctx, GPUBE_LOG_NOTE,
				"%s: read back, but not compared: clauses leave out variables of "
				"one value",
				w->path);
			gpube_model_free(again);
			return GPUBE_OK;
		}
		status = decode(&again, m);
	}
	if (!status)
		status = gpube__compare(&counts, m, again);
	gpube_model_free(again);
	if (status == GPUBE_EBUG)
		return refuse_written(w, m);
	if (!status)
		gpube__log(m->ctx, GPUBE_LOG_NOTE,
			"%s: read back and compared: %d variable%s, %lld function%s, %lld cell%s, "
			"all equal",
			w->path, m->n_vars, gpube__plural(m->n_vars), (long long)counts.n_functions,
			gpube__plural(counts.n_functions), (long long)counts.n_cells,
			gpube__plural(counts.n_cells));
	return status;
}

static int write_lp_program(const struct gpube_model *m, struct gpube_out *out)
{
	return gpube__auction_write(m, out, true);
}

static int write_mps_program(const struct gpube_model *m, struct gpube_out *out)
{
	return gpube__auction_write(m, out, false);
}

static bool is_program(const struct gpube_format_row *f)
{
	return f->id == GPUBE_FORMAT_LP || f->id == GPUBE_FORMAT_MPS;
}

/* Coalitions go into their own formats as they are, and an auction into programs. */
static int write_coalitions(struct written *w, const struct gpube_model *m,
	const struct gpube_format_row *f, bool check)
{
	const bool program = is_program(f);
	struct gpube_format_row row = *f;
	struct gpube_model *again = NULL;
	int status;

	if (program)
		row.write = f->id == GPUBE_FORMAT_LP ? write_lp_program : write_mps_program;
	status = write_attempt(w, m, &row, false);

	if (!status && check)
		status = gpube_model_new(&again, m->ctx, f->kind);
	if (again)
		status = read_again(&w->model, again, f->read);
	if (!status && again)
		status = m->auction ? gpube__auction_check(m, again) : gpube__csg_check(m, again);
	if (status == GPUBE_EBUG)
		status = refuse_written(w, m);
	if (!status && again && m->auction)
		gpube__log(m->ctx, GPUBE_LOG_NOTE,
			"%s: read back and compared: %d bid%s, their prices and which of them "
			"exclude each other, all equal",
			w->path, gpube_auction_bids(m), gpube__plural(gpube_auction_bids(m)));
	else if (!status && again)
		gpube__log(m->ctx, GPUBE_LOG_NOTE,
			"%s: read back and compared: %d agent%s, their coalitions, all equal",
			w->path, m->n_vars, gpube__plural(m->n_vars));
	gpube_model_free(again);
	return close_written(w, m->ctx, status);
}

/* Whether the format has a place for the kind: costs and potentials go into the same ones. */
static int check_format(
	const struct gpube_model *m, const char *path, const struct gpube_format_row *f)
{
	const bool coalitions = m->kind == GPUBE_COALITIONS, game = m->kind == GPUBE_GAME;

	if (coalitions ? (f->kind == GPUBE_COALITIONS &&
				 (f->id == GPUBE_FORMAT_CATS) == m->auction) ||
				 (m->auction && is_program(f))
		: game ? f->kind == GPUBE_GAME
		       : f->kind != GPUBE_COALITIONS && f->kind != GPUBE_GAME)
		return GPUBE_OK;
	return gpube__fail(m->ctx, GPUBE_EINVAL,
		"'%s': .%s is not of %s: forms.h has what makes %s", path, f->name,
		m->auction   ? "auctions"
		: coalitions ? "coalition games"
		: game       ? "games"
			     : "models of costs",
		f->id == GPUBE_FORMAT_CATS    ? "an auction of one"
		: f->kind == GPUBE_COALITIONS ? "a coalition game of one"
		: f->kind == GPUBE_GAME       ? "a game of one"
					      : "costs of one");
}

static int write_fitted(struct written *w, struct gpube_fit *fit, const struct gpube_format_row *f,
	bool beside, const struct gpube_opts *opts)
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
		gpube__fit_tell(fit);
	if (!status)
		gpube__fit_say(fit, w->path);
	if (!status && fit->m->n_hidden && f->id != GPUBE_FORMAT_CFN)
		gpube__log(ctx, GPUBE_LOG_NOTE,
			"%s: the format cannot hide variables: %d hidden one%s are written like "
			"others",
			w->path, fit->m->n_hidden, gpube__plural(fit->m->n_hidden));
	if (!status && opts->check)
		status = check_written(w, fit->m, f);
	return close_written(w, ctx, status);
}

/* All formats hold all of it, but for names. */
static int write_game(
	struct written *w, const struct gpube_model *m, const struct gpube_format_row *f)
{
	int status = gpube__check_game(m);

	if (!status)
		status = write_attempt(w, m, f, false);
	if (!status && w->opts.check)
		status = check_written(w, m, f);
	return close_written(w, m->ctx, status);
}

int gpube_write(const struct gpube_model *m, const char *path, const struct gpube_opts *opts,
	struct gpube_written *written)
{
	struct gpube_model view;
	const struct gpube_format_row *f;
	struct written w = {.path = path};
	struct gpube_opts o;
	struct gpube_fit fit;
	bool alone, beside;
	int status;

	if (written)
		*written = (struct gpube_written){0};
	if (!m || !path)
		return gpube__missing(m ? m->ctx : NULL);
	m = gpube__on_own(&view, m, opts);
	status = gpube__opts_take(&o, m->ctx, opts, GPUBE__ON_WRITE);
	if (status)
		return status;
	o.written = written;
	f = gpube__output_format(m, path, (enum gpube_format)o.to);
	if (!f || check_format(m, path, f))
		return GPUBE_EINVAL;
	alone = gpube__out_is_alone(path);
	if (o.check && alone)
		return gpube__fail(m->ctx, GPUBE_EINVAL,
			"cannot check what is written to '%s': it is no file that could be read "
			"back",
			path);
	/* an .lp has other variables */
	if (o.check && !f->read)
		return gpube__fail(m->ctx, GPUBE_EINVAL,
			"cannot check '%s': .%s is not read back as the same tables", path,
			f->name);
	w.opts = o;
	if (m->kind == GPUBE_GAME)
		return write_game(&w, m, f);
	if (m->kind == GPUBE_COALITIONS)
		return write_coalitions(&w, m, f, o.check);
	w.opts.shift = 0; /* done here, for all formats in one way */
	/* (digits are fewer first, where that is allowed) */
	w.opts.wide = o.wide && !o.lossy && m->kind == GPUBE_COSTS;
	beside = f->evidence && !alone;
	status = gpube__fit_init(&fit, m, f, beside, &o);
	if (status)
		return status;
	status = write_fitted(&w, &fit, f, beside, &o);
	gpube__fit_clear(&fit);
	return status;
}
