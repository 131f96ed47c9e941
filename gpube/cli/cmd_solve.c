/* cmd_solve.c - gpube solve: the optimum, an assignment, and how many there are. */
#include <math.h>

#include "formats/formats.h"
#include "gpube/cli/bounding.h"

#define OPTS_STRUCT struct opts_solve
static const struct opt_row rows[] = {OPTS_SOLVE(OPT_ROW)};

static const struct opt_group groups[] = {
	OPT_GROUP("Options", rows, 0),
	OPT_GROUP_ENGINE(offsetof(struct opts_solve, engine)),
	OPT_GROUP_READ(offsetof(struct opts_solve, read)),
	OPT_GROUP_TALK(offsetof(struct opts_solve, talk)),
	{0},
};

/* All that the reports are written from. */
struct result {
	struct answer answer;
	const struct gpube_solution *solution;
	const struct gpube_bounds *bounds; /* of a run that was stopped, or NULL */
	double seconds_read;
	bool counting;
};

/* ---- text ------------------------------------------------------------------------- */

static void text_count(struct gpube_out *out, const struct result *r)
{
	const char *count = r->solution->count;

	if (!r->counting)
		return;
	gpube__out_printf(out, "%-*s", LABEL, "optima");
	gpube__out_text(out, count ? count : "not counted to the end");
	gpube__out_text(out, "\n");
}

static void text_optimum(struct gpube_out *out, const struct result *r)
{
	const struct gpube_solution *solution = r->solution;
	const struct gpube_model *m = r->answer.model;

	gpube__out_printf(out, "%-*s", LABEL, "optimum");
	if (m->kind == GPUBE_POTENTIALS) {
		gpube__out_printf(out, "log10 %.9g, the proved maximum (-ln ",
			answer_log10(&r->answer));
		gpube__out_decimal(out, solution->cost, solution->scale);
		gpube__out_printf(out, ", each function rounded to %d decimals)", solution->scale);
	} else {
		gpube__out_decimal(out, solution->cost, solution->scale);
		gpube__out_printf(out, ", the proved %s",
			answer_maximises(&r->answer) ? "maximum" : "minimum");
	}
	gpube__out_text(out, "\n");
	text_count(out, r);
	answer_text_assignment(out, m, solution->values);
	gpube__out_printf(out, "%-*s%s\n", LABEL, "checked",
		"the assignment's cost, recomputed from the tables of the file, is the optimum");
}

static void text_plan(struct gpube_out *out, const struct result *r)
{
	const struct gpube_plan *plan = &r->solution->plan;
	char variables[ANSWER_VARIABLES];

	gpube__out_printf(out,
		"%-*s%d of %s and %d function%s after simplification, %d component%s\n", LABEL,
		"model", plan->n_vars, answer_variables(variables, r->answer.model), plan->n_functions,
		plural(plan->n_functions), plan->n_components, plural(plan->n_components));
	gpube__out_printf(out, "%-*swidth %d, %s joined cells, %s of tables at the peak", LABEL,
		"plan", plan->width, cells_text(plan->joined_cells, 0),
		bytes_text(plan->peak_bytes, 0));
	if (plan->n_slices > 1)
		gpube__out_printf(out, ", in %.0f slices", plan->n_slices);
	gpube__out_text(out, "\n");
}

/* What a run that was stopped can say. */
static void text_bounds(struct gpube_out *out, const struct result *r)
{
	const struct gpube_bounds *bounds = r->bounds;

	if (!bounds || bounds->answer == GPUBE_ANSWER_INCOMPLETE)
		gpube__out_printf(out, "%-*sstopped before the end, %s\n", LABEL, "incomplete",
			bounds ? "no optimum is proved" : "nothing is proved");
	if (bounds)
		bounding_text(out, &r->answer, bounds);
	if (bounds && bounds->answer == GPUBE_ANSWER_OPTIMAL)
		text_count(out, r);
	if (r->answer.values)
		answer_text_assignment(out, r->answer.model, r->answer.values);
}

static void report_text(struct gpube_out *out, const void *arg)
{
	const struct result *r = arg;
	const struct session *s = r->answer.session;
	const struct gpube_solution *solution = r->solution;

	switch (solution->answer) {
	case GPUBE_ANSWER_OPTIMAL:
		text_optimum(out, r);
		break;
	case GPUBE_ANSWER_INFEASIBLE:
		answer_text_infeasible(out);
		break;
	case GPUBE_ANSWER_INCOMPLETE:
		text_bounds(out, r);
		break;
	}
	if (solution->answer != GPUBE_ANSWER_INCOMPLETE || solution->plan.joined_cells > 0)
		text_plan(out, r);
	gpube__out_printf(out,
		"%-*s%.3f s: read %.3f, simplify %.3f, order %.3f, eliminate %.3f, assign %.3f",
		LABEL, "time", session_seconds(s), r->seconds_read,
		solution->seconds_simplify, solution->seconds_order, solution->seconds_eliminate,
		solution->seconds_assign);
	if (r->counting)
		gpube__out_printf(out, ", count %.3f", solution->seconds_count);
	gpube__out_text(out, "\n");
	gpube__out_printf(out, "%-*s%s, %d thread%s\n", LABEL, "backend", solution->backend,
		s->ctx->n_threads, plural(s->ctx->n_threads));
}

/* ---- JSON ----------------------------------------------------------------------------- */

static void json_times(struct json *j, const struct result *r)
{
	const struct gpube_solution *solution = r->solution;

	json_open(j, "times", '{');
	json_seconds(j, "read", r->seconds_read);
	json_seconds(j, "simplify", solution->seconds_simplify);
	json_seconds(j, "order", solution->seconds_order);
	json_seconds(j, "eliminate", solution->seconds_eliminate);
	json_seconds(j, "contract", solution->seconds_contracting);
	json_seconds(j, "copy", solution->seconds_copying);
	json_seconds(j, "assign", solution->seconds_assign);
	if (r->counting)
		json_seconds(j, "count", solution->seconds_count);
	json_close(j, '}');
}

static void report_json(struct gpube_out *out, const void *arg)
{
	const struct result *r = arg;
	struct json j = {.out = out};

	json_open(&j, NULL, '{');
	answer_json_head(&j, &r->answer);
	answer_json_result(&j, &r->answer);
	if (r->solution->count)
		json_big(&j, "count", r->solution->count);
	else if (r->counting && r->answer.values)
		json_null(&j, "count");
	json_plan(&j, &r->solution->plan);
	json_times(&j, r);
	answer_json_kernels(&j, &r->answer);
	json_close(&j, '}');
	gpube__out_text(out, "\n");
}

/* ---- the command --------------------------------------------------------------------------- */

/*
 * The last word: what the assignment is worth by the tables as they were read,
 * whatever the engine says. -ln of potentials was rounded once a function.
 */
static int check(const struct answer *a)
{
	const struct gpube_model *m = a->model;
	double log_value, unit = pow(10, -a->scale), off;
	int64_t cost;
	int status;

	if (!a->values)
		return GPUBE_OK;
	if (m->kind == GPUBE_COSTS) {
		status = gpube_model_cost(&cost, m, a->values);
		off = status || cost == a->cost ? 0 : INFINITY;
	} else {
		status = gpube_model_log_value(&log_value, m, a->values);
		off = fabs(-log_value - (double)a->cost * unit);
		off -= (m->n_functions / 2.0 + 1) * unit + 1e-9 * fabs(log_value);
	}
	if (status || !(off > 0))
		return status;
	return gpube__fail(a->session->ctx, GPUBE_EBUG,
		"internal error: the assignment does not cost what was found; please report this");
}

static struct answer answer_of(struct session *s, const char *file, const struct gpube_model *m,
	const struct gpube_solution *solution)
{
	return (struct answer){.session = s,
		.file = file,
		.model = m,
		.answer = solution->answer,
		.backend = solution->backend,
		.bound = solution->cost,
		.cost = solution->cost,
		.scale = solution->scale,
		.log_value = solution->log_value,
		.values = solution->answer == GPUBE_ANSWER_OPTIMAL ? solution->values : NULL,
		.no_bounds = true};
}

/*
 * The best that is to be had at once for a run that was stopped: an elimination has nothing before its
 * end, but in slices their best and a bound.
 */
static struct gpube_bounds *bounds_now(struct session *s, const struct opts_solve *o,
	const struct gpube_model *m, const struct gpube_solution *solution)
{
	const double before = session_seconds(s);
	struct gpube_bounds *bounds = bounding_now(s, m,
		(struct gpube_bound_opts){.seed = (uint64_t)o->engine.seed,
			.no_simplify = o->engine.no_simplify,
			.precision = (int)o->engine.precision,
			.values = solution->values});

	if (bounds && solution->values && solution->scale == bounds->scale)
		bounding_raise(bounds, m, solution->bound, before);
	return bounds;
}

static int solve(struct session *s, const struct opts_solve *o, const char *file,
	const struct gpube_model *m, int output)
{
	struct gpube_solve_opts options;
	struct gpube_solution *solution = NULL;
	struct gpube_bounds *bounds = NULL;
	struct result r = {.seconds_read = session_seconds(s), .counting = o->count};
	int32_t *order;
	bool stopped = false;
	int status, rc = session_engine(s, &options, &order, m, &o->engine);

	if (rc)
		return rc;
	options.count = o->count;
	options.no_slices = o->no_slices;
	status = gpube_solve(&solution, m, &options);
	if (solution)
		r.answer = answer_of(s, file, m, solution);
	r.solution = solution;
	if (status == GPUBE_ESTOP && solution) {
		session_note(s, gpube_error(s->ctx));
		if (solution->answer == GPUBE_ANSWER_INCOMPLETE)
			bounds = bounds_now(s, o, m, solution);
		if (bounds)
			r.answer = bounding_answer(s, file, m, bounds);
		r.bounds = bounds;
		stopped = !bounds || bounds->answer == GPUBE_ANSWER_INCOMPLETE ||
			  (o->count && bounds->answer == GPUBE_ANSWER_OPTIMAL);
		status = GPUBE_OK;
	}
	GPUBE_KNOWN(status || solution);
	if (!status)
		status = check(&r.answer);
	if (status) {
		rc = session_fail(s, solution);
	} else {
		rc = answer_report(
			&r.answer, (enum answer_output)output, report_text, report_json, &r);
		if (stopped)
			rc = CLI_FAILED;
	}
	gpube_bounds_free(bounds, s->ctx);
	gpube_solution_free(solution, s->ctx);
	gpube__free(s->ctx, order);
	return rc;
}

static int run(const void *opts, int n_args, char **args)
{
	const struct opts_solve *o = opts;
	struct gpube_model *m = NULL;
	struct session s;
	int output = o->json ? ANSWER_JSON : o->output, rc;

	(void)n_args;
	if (session_options_clash(&o->engine))
		return CLI_USAGE;
	rc = session_start_engine(
		&s, &o->talk, &o->engine, true, output == ANSWER_JSON, o->output_file);
	if (rc)
		return rc;
	rc = session_read(&s, &m, args[0], &o->read);
	if (m)
		rc = solve(&s, o, args[0], m, output);
	gpube_model_free(m);
	session_end(&s);
	return rc;
}

const struct command cmd_solve = {
	.name = "solve",
	.arguments = "FILE",
	.summary = "find the optimum and an optimal assignment",
	.description =
		"Finds the least cost (for .cfn also the greatest, for .uai the most probable "
		"explanation) of the model in FILE, with an assignment that attains it, by "
		"bucket elimination. The answer is exact and proved; its assignment is priced "
		"again from the tables of the file before it is reported. FILE is .wcsp, .cfn, "
		".uai or any other format that 'gpube info' reads, plain or compressed by gzip or "
		"xz; '-' is standard input.\n\n"
		"What would not fit into --memory is done in slices: a few variables are given "
		"ranges of their values in turn, and slices whose bound reaches the best assignment "
		"known are left out. What would take more than 4096 of them is refused before it "
		"starts, with the sizes it would take. What a GPU cannot hold streams through it, "
		"or is done in slices where that is predicted to be faster; several --devices share "
		"them. SIGINT and SIGTERM, and --timeout, end the work soon with status bounds: a "
		"proved bound and the best assignment, of the slices that were done, or "
		"what half a second or less still finds, as 'gpube bound' does; "
		"the exit status is then 1. A second signal kills. Where only --count was "
		"stopped, the optimum is reported, and the exit status is 1, too.\n\n"
		"With --output json the result is one object: status (optimal, bounds, infeasible, "
		"incomplete, error), backend, seconds, lower_bound and upper_bound (for .uai: "
		"-ln, with log10 beside it), assignment (value indices by variable), count, "
		"the sizes of the plan, and times.",
	.examples = "gpube solve problem.wcsp\n"
		    "the optimum, an assignment and the times\n"
		    "gpube solve --count --json model.cfn.gz\n"
		    "the same and the number of optima, for a program to read\n"
		    "gpube solve --output sol -o problem.sol problem.wcsp\n"
		    "the assignment alone, in a file for toulbar2\n"
		    "gpube solve --output uai -o model.uai.MPE model.uai.xz\n"
		    "the same in the UAI competitions' format",
	.min_args = 1,
	.max_args = 1,
	.opts_size = sizeof(struct opts_solve),
	.groups = groups,
	.run = run,
};
