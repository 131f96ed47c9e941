/* cmd_reparam.c - gpube reparam: an equivalent problem whose constant is a bound. */
#include <string.h>

#include "formats/formats.h"
#include "gpube/options/options.h"
#include "formats/io/io.h"
#include "gpube/cli/bounding.h"
#include "gpube/cli/reparam_check.h"
#include "gpube/order/order.h"
#include "gpube/ops/ops.h"
#include "gpube/bound/reparam.h"

#define OPTS_STRUCT struct opts_reparam
static const struct opt_row rows[] = {OPTS_REPARAM(OPT_ROW)};

static const struct opt_group groups[] = {
	OPT_GROUP("Options", rows, 0),
	OPT_GROUP_BOUNDING(offsetof(struct opts_reparam, bounding)),
	OPT_GROUP_ENGINE(offsetof(struct opts_reparam, engine)),
	OPT_GROUP_READ(offsetof(struct opts_reparam, read)),
	OPT_GROUP_TALK(offsetof(struct opts_reparam, talk)),
	{0},
};

/* The words of --to, in their order, as formats. */
static const enum gpube_format formats[] = {GPUBE_FORMAT_AUTO, GPUBE_FORMAT_WCSP, GPUBE_FORMAT_CFN};

enum { ORDER_TENTHS = 3 }; /* seconds for the order that is written, in tenths */
enum { USUAL_DECIMALS = 6 };

struct result {
	struct answer answer;
	const struct opts_reparam *opts;
	const struct gpube_opts *run;
	const struct gpube_solution *bounds;
	struct gpube_reparametrised reparam;
	double seconds_read;
	struct gpube_written means;
	struct reparam_check check;
	const char *unwritten; /* why not all was written; NULL: it was */
};

/* ---- report --------------------------------------------------------------------------- */

static void report_text(struct gpube_out *out, const void *arg)
{
	const struct result *r = arg;
	const struct gpube_model *m = r->reparam.model;

	bounding_text(out, &r->answer, r->bounds);
	if (!r->unwritten) {
		gpube__out_printf(out, "%-*s%s: constant ", LABEL, "written", r->opts->write);
		gpube__out_decimal(out, m->constant, m->scale);
		gpube__out_printf(out, ", %d function%s, %d added of three or more variables\n",
			m->n_functions, gpube__plural(m->n_functions), r->reparam.n_wide);
	}
	if (r->opts->check && !r->unwritten)
		gpube__out_printf(out, "%-*s%lld %s, read back: their costs are the file's\n",
			LABEL, "checked", (long long)r->check.n_assignments,
			r->check.all ? "assignments, which are all" : "random assignments");
	gpube__out_printf(out, "%-*s%.3f s, of which reading %.3f\n", LABEL, "time",
		session_seconds(r->answer.session), r->seconds_read);
}

static void json_written(struct json *j, const struct result *r)
{
	const struct gpube_model *m = r->reparam.model;

	if (r->unwritten) {
		json_null(j, "written");
		json_text(j, "message", r->unwritten);
		return;
	}
	json_open(j, "written", '{');
	json_text(j, "file", r->opts->write);
	json_decimal(j, "constant", m->constant, m->scale);
	json_int(j, "functions", m->n_functions);
	json_int(j, "added", r->reparam.n_wide);
	json_int(j, "added_decimals", r->reparam.shift);
	json_true_false(j, "pruned", r->opts->prune != 0);
	json_meaning(j, &r->means);
	if (r->opts->check)
		json_int(j, "checked", r->check.n_assignments);
	json_close(j, '}');
}

static void report_json(struct json *j, const void *arg)
{
	const struct result *r = arg;

	answer_json_head(j, &r->answer);
	answer_json_result(j, &r->answer);
	json_written(j, r);
	json_times(j, SPENT({"read", r->seconds_read}, {"bound", r->bounds->seconds_bound},
			      {"assignment", r->bounds->seconds_cost}));
}

/* ---- files ----------------------------------------------------------------------------- */

static enum gpube_format format_of(const struct opts_reparam *o)
{
	if (formats[o->to] != GPUBE_FORMAT_AUTO)
		return formats[o->to];
	if (gpube__has_extension(o->write, "cfn"))
		return GPUBE_FORMAT_CFN;
	return gpube__has_extension(o->write, "wcsp") ? GPUBE_FORMAT_WCSP : GPUBE_FORMAT_AUTO;
}

/* A good order of the written problem. */
static int write_order(struct session *s, const struct gpube_model *m, const char *path)
{
	struct gpube_order_cost cost;
	struct gpube_graph g;
	int32_t *order = gpube__alloc(s->ctx, (uint64_t)m->n_vars, sizeof(*order));
	int status = order ? gpube__graph_of_model(&g, m) : GPUBE_ENOMEM;

	if (!status) {
		status = gpube__order_find(s->ctx, order, &cost, &g, GPUBE_ORDER_AUTO,
			ORDER_TENTHS / 10.0, gpube__ops_cpu()->cells_per_second, 0);
		gpube__graph_clear(s->ctx, &g);
	}
	if (!status)
		status = gpube_write_order(m, path, order);
	gpube__free(s->ctx, order);
	return status;
}

static int write_all(struct session *s, struct result *r)
{
	const struct opts_reparam *o = r->opts;
	struct gpube_opts opts = {/* what is pruned is for a search tool */
		.to = format_of(o),
		.shift = o->shift,
		.wide = !o->prune,
		.signed_too = 1,
		.written = &r->means};
	struct gpube_model *made = NULL;
	const struct gpube_model *costs;
	int status = GPUBE_OK;

	if (o->write_sol && r->bounds->values)
		status = gpube_write_solution(r->answer.model, o->write_sol, r->bounds->values);
	if (!status)
		status = gpube__reparam_restore(&r->reparam, o->prune);
	if (!status)
		status = gpube_write(r->reparam.model, o->write, &opts, &r->means);
	if (!status && o->check)
		status = gpube__costs_of(&made, &costs, r->answer.model, (int)o->engine.precision);
	if (!status && o->check)
		status = reparam_check(
			&r->check, costs, o->write, &opts, r->run, r->bounds, o->prune != 0);
	gpube_model_free(made);
	if (!status && o->write_order)
		status = write_order(s, r->reparam.model, o->write_order);
	return status;
}

/* ---- the command --------------------------------------------------------------------- */

static int reparam(struct session *s, const void *given, const char *file, struct gpube_model *m,
	const struct opts_read *read)
{
	const struct opts_reparam *o = given;
	struct result r = {.opts = o, .seconds_read = session_seconds(s)};
	struct gpube_solution *bounds = NULL;
	char why[sizeof(s->ctx->error)];
	struct bounding b;
	int rc = bounding_init(&b, s, m, &o->bounding, &o->engine);

	(void)read;
	if (!rc) {
		int status;

		b.opts.prune = o->prune;
		b.opts.decimals = o->decimals >= 0                    ? (int)o->decimals
				  : format_of(o) == GPUBE_FORMAT_WCSP ? 0
								      : USUAL_DECIMALS;
		b.opts.max_arity = (int)o->max_arity;
		b.opts.max_tables = (int32_t)o->max_tables;
		b.opts.max_cells = o->max_cells;
		status = gpube__bound_reparam(&bounds, &r.reparam, m, &b.opts, NULL);
		rc = status ? session_fail(s, NULL) : CLI_DONE;
		if (status == GPUBE_ERANGE && !o->prune)
			session_note(s, "with --prune, only what is cheaper than a known "
					"assignment has to fit");
	}
	if (!rc) {
		r.run = &b.opts;
		r.bounds = bounds;
		r.answer = bounding_answer(s, file, m, bounds);
		/* from here on a stop has been answered; what is left takes little */
		gpube_ctx_resume(s->ctx);
		if (write_all(s, &r)) {
			snprintf(why, sizeof(why), "%s", gpube_error(s->ctx));
			session_clear_line(s);
			cli_error("%s", why);
			r.unwritten = why; /* the bounds are a result all the same */
		}
		rc = answer_report(&r.answer, o->json ? ANSWER_JSON : (enum answer_output)o->output,
			report_text, report_json, &r);
		rc = r.unwritten ? CLI_FAILED : rc;
	}
	gpube__reparam_clear(&r.reparam);
	gpube_result_free(bounds);
	bounding_clear(&b, s);
	return rc;
}

static bool usable(const struct opts_reparam *o)
{
	if (session_options_clash(&o->engine))
		return false;
	if (!o->write)
		cli_error("-o FILE is missing: where the equivalent problem goes");
	else if (!strcmp(o->write, "-"))
		cli_error("the equivalent problem goes to a file, standard output has the report");
	else if (format_of(o) == GPUBE_FORMAT_AUTO)
		cli_error("cannot tell the format of '%s' from its name: give --to", o->write);
	else if (o->bounding.method == GPUBE_BOUND_MBE)
		cli_error("mini-buckets leave no equivalent problem: take another --method");
	else
		return true;
	return false;
}

static int run(const void *opts, int n_args, char **args)
{
	const struct opts_reparam *o = opts;

	if (!usable(o))
		return CLI_USAGE;
	return session_on_model(
		SESSION_WORK(o, .writes = o->write, .work = reparam), opts, n_args, args);
}

const struct command cmd_reparam = {
	.name = "reparam",
	.arguments = "FILE",
	.summary = "write an equivalent problem whose constant is a bound, for toulbar2",
	.description =
		"Computes a bound of the model in FILE as 'gpube bound' does, by moving costs "
		"between functions and into the constant, and writes the reparametrised model. "
		"It has the same variables and values, every assignment has the same cost as in "
		"FILE (of a .uai: -ln, rounded), and the constant is the bound, with which a "
		"search can begin.\n\n"
		"Moving costs between triples of variables needs functions over them. The "
		"functions that contribute most are written, within --max-tables and "
		"--max-cells, and the bound is computed again with these. With --max-arity "
		"above 3, with --method ascent, and where functions have three variables or "
		"triples are few, the functions are the mini-buckets of a join graph, all of "
		"which are written. Costs in a .cfn get some more decimals, because costs that "
		"are moved are fractions. Those of a .wcsp are integers in the unit of FILE or, "
		"with --decimals, in a smaller one; --json says what its totals stand for. A "
		".cfn that toulbar2 would read wrongly, because it loses the sign of a bound "
		"between -1 and 0, is refused.\n\n"
		"With --prune the written problem contains only assignments that are better "
		"than the best one found, which --write-sol writes: if it has no solution, that "
		"assignment is optimal. --ub does the same for a given cost. SIGINT, SIGTERM "
		"and --timeout end the computation, and the bound that was reached is written.",
	.examples = "gpube reparam --timeout 30s -o easier.cfn.gz problem.wcsp\n"
		    "half a minute of work before toulbar2 begins\n"
		    "gpube reparam --prune --write-sol best.sol -o rest.cfn problem.cfn\n"
		    "what is left to search for beside best.sol\n"
		    "gpube reparam --check --max-arity 2 -o pairs.wcsp problem.wcsp\n"
		    "no tables of three variables; the result is read back and compared",
	.min_args = 1,
	.max_args = 1,
	.opts_size = sizeof(struct opts_reparam),
	.groups = groups,
	.run = run,
};
