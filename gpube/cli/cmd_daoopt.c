/* cmd_daoopt.c - gpube daoopt: an order and mini-bucket tables for daoopt's search. */
#include <stdio.h>
#include <string.h>

#include "gpube/cli/daoopt_tables.h"
#include "gpube/options/options.h"
#include "gpube/cli/session/session.h"

#define OPTS_STRUCT struct opts_daoopt
static const struct opt_row rows[] = {OPTS_DAOOPT(OPT_ROW)};

static const struct opt_group groups[] = {
	OPT_GROUP("Options", rows, 0),
	OPT_GROUP_ENGINE(offsetof(struct opts_daoopt, engine)),
	OPT_GROUP_READ(offsetof(struct opts_daoopt, read)),
	OPT_GROUP_TALK(offsetof(struct opts_daoopt, talk)),
	{0},
};

enum { MAX_NAME = 4096 };

/* PREFIX and a suffix; false after a message. */
static bool name_of(char name[MAX_NAME], const char *prefix, const char *suffix)
{
	if (snprintf(name, MAX_NAME, "%s%s", prefix, suffix) < MAX_NAME)
		return true;
	cli_error("--to: the name is too long");
	return false;
}

/* Evidence in the layout that daoopt reads: one line, the number of pairs in front. */
static int write_evidence(
	struct session *s, const struct gpube_model *m, const char *path, bool *any)
{
	struct gpube_out out;
	int32_t n = 0;
	int status;

	for (int32_t i = 0; m->evidence && i < m->n_vars; i++)
		n += m->evidence[i] >= 0;
	*any = n > 0;
	if (!n)
		return GPUBE_OK;
	status = gpube__out_open(&out, s->ctx, path);
	if (status)
		return status;
	gpube__out_printf(&out, "%d", n);
	for (int32_t i = 0; i < m->n_vars; i++)
		if (m->evidence[i] >= 0)
			gpube__out_printf(&out, " %d %d", i, m->evidence[i]);
	gpube__out_text(&out, "\n");
	return gpube__out_close(&out, true);
}

static int write_files(struct session *s, const struct opts_daoopt *o, const struct gpube_model *m,
	const struct daoopt_tables *t, const char *file)
{
	char order[MAX_NAME], tables[MAX_NAME], evidence[MAX_NAME];
	struct gpube_out out;
	bool any;
	int status;

	if (!name_of(order, o->to, ".ord") || !name_of(tables, o->to, ".mb.gz") ||
		!name_of(evidence, o->to, ".evid"))
		return CLI_FAILED;
	status = gpube__write_daoopt_order(m, order, t->order);
	if (!status)
		status = gpube__write_minibuckets(m, tables, &t->mb);
	if (!status)
		status = write_evidence(s, m, evidence, &any);
	if (!status)
		status = gpube__out_open(&out, s->ctx, s->output);
	if (!status) {
		gpube__out_printf(&out,
			"%-*slog10 %.9g at most, without the factors of no variables\n", LABEL,
			"bound", t->mb.log10_upper);
		gpube__out_printf(
			&out, "%-*sto %s: width %d\n", LABEL, "order", order, t->info.width);
		gpube__out_printf(&out, "%-*sto %s: i-bound %d, %s%lld function%s\n", LABEL,
			"tables", tables, t->info.ibound, t->info.exact ? "exact, " : "",
			(long long)t->mb.n_functions, gpube__plural(t->mb.n_functions));
		gpube__out_printf(&out,
			"%-*sdaoopt -f %s%s%s -o %s -t 0 -i %d --match=-1 --minibucket %s\n", LABEL,
			"then", file, any ? " -e " : "", any ? evidence : "", order, t->info.ibound,
			tables);
		status = gpube__out_close(&out, true);
	}
	return status ? session_fail(s, NULL) : CLI_DONE;
}

static int make(struct session *s, const void *opts, const char *file, struct gpube_model *m,
	const struct opts_read *read)
{
	const struct opts_daoopt *o = opts;
	struct gpube_opts solve = {0};
	struct daoopt_tables tables = {0};
	int32_t *order;
	int rc = session_engine(s, &solve, &order, m, &o->engine);
	struct gpube_opts options = solve;

	(void)read;
	options.heuristic_method = o->method; /* the words are those of the enum, in its order */
	options.ibound = (int)o->ibound;
	options.no_match = o->no_match;
	options.shift_seconds = solve.timeout_seconds;
	options.timeout_seconds = 0;
	if (!rc && daoopt_tables_make(&tables, m, &options))
		rc = session_fail(s, NULL);
	session_clear_line(s);
	if (!rc)
		rc = write_files(s, o, m, &tables, file);
	daoopt_tables_clear(&tables);
	gpube__free(s->ctx, order);
	return rc;
}

static int run(const void *opts, int n_args, char **args)
{
	const struct opts_daoopt *o = opts;

	if (!o->to) {
		cli_error("daoopt: give --to, what the files' names begin with");
		return CLI_USAGE;
	}
	return session_on_model(
		&(struct session_work){
			.talk = &o->talk, .engine = &o->engine, .read = &o->read, .work = make},
		opts, n_args, args);
}

const struct command cmd_daoopt = {
	.name = "daoopt",
	.arguments = "FILE",
	.summary = "write an elimination order and mini-bucket tables for daoopt",
	.description =
		"Writes the files with which daoopt's AND/OR branch and bound solves the model "
		"in FILE (.uai): PREFIX.ord, an elimination order (option -o of daoopt); "
		"PREFIX.mb.gz, mini-bucket tables of a given i-bound (--minibucket); and, if "
		"there is evidence, PREFIX.evid in the layout that daoopt reads (-e). It prints "
		"the options to pass to daoopt.\n\n"
		"The tables are computed after cost shifting along the join graph of the "
		"mini-buckets or, with --method mbe, by one pass with moment matching. daoopt "
		"reads uncompressed .uai files only.",
	.examples = "gpube daoopt --ibound 8 --to grid grid10x10.f10.uai\n"
		    "grid.ord and grid.mb.gz",
	.min_args = 1,
	.max_args = 1,
	.opts_size = sizeof(struct opts_daoopt),
	.groups = groups,
	.run = run,
};
