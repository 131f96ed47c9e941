/* cmd_bound.c - gpube bound: how good a solution can be at most, and one that is known. */
#include <math.h>
#include <string.h>

#include "formats/formats.h"
#include "gpube/cli/session.h"

#define OPTS_STRUCT struct opts_bound
static const struct opt_row rows[] = {OPTS_BOUND(OPT_ROW)};

static const struct opt_group groups[] = {
	OPT_GROUP("Options", rows, 0),
	OPT_GROUP_ENGINE(offsetof(struct opts_bound, engine)),
	OPT_GROUP_READ(offsetof(struct opts_bound, read)),
	OPT_GROUP_TALK(offsetof(struct opts_bound, talk)),
	{0},
};

/* The words of --output and --partition, in their order. */
enum { OUTPUT_TEXT, OUTPUT_JSON, OUTPUT_SOL };
enum { PARTITION_SCOPE, PARTITION_FIRST };

#define LABEL 12 /* columns in front of what the report says */

struct result {
	struct session *session;
	const char *file;
	const struct gpube_model *model;
	const struct gpube_bounds *bounds;
	double seconds_read;
};

static bool maximises(const struct result *r)
{
	return r->model->kind == GPUBE_COSTS && r->model->direction == GPUBE_MAXIMISE;
}

static double log10_of(const struct gpube_bounds *bounds)
{
	return bounds->log_value / log(10);
}

/* ---- text ------------------------------------------------------------------------- */

static void text_side(struct gpube_out *out, const struct result *r, bool lower)
{
	const struct gpube_bounds *bounds = r->bounds;
	bool proved = lower != maximises(r);

	if (!proved && !bounds->values)
		return;
	gpube__out_printf(out, "%-*s", LABEL, lower ? "lower" : "upper");
	gpube__out_decimal(out, proved ? bounds->bound : bounds->cost, bounds->scale);
	gpube__out_printf(out, proved ? ", proved, after %.3f s" : ", of an assignment, after %.3f s",
		proved ? bounds->seconds_bound : bounds->seconds_cost);
	if (!proved && r->model->kind == GPUBE_POTENTIALS)
		gpube__out_printf(out, " (log10 %.9g)", log10_of(bounds));
	gpube__out_text(out, "\n");
}

static void text_gap(struct gpube_out *out, const struct gpube_bounds *bounds)
{
	double gap = fabs((double)bounds->cost - (double)bounds->bound);

	if (bounds->answer == GPUBE_ANSWER_OPTIMAL || !bounds->values)
		return;
	gpube__out_printf(out, "%-*s%.3g", LABEL, "gap", gap * pow(10, -bounds->scale));
	if (bounds->cost)
		gpube__out_printf(out, ", %.3g %% of the assignment's cost",
			100 * gap / fabs((double)bounds->cost));
	gpube__out_text(out, "\n");
}

static void report_text(struct gpube_out *out, const struct result *r)
{
	const struct gpube_bounds *bounds = r->bounds;

	if (bounds->answer == GPUBE_ANSWER_INFEASIBLE) {
		gpube__out_printf(
			out, "%-*severy assignment is forbidden (proved)\n", LABEL, "infeasible");
	} else if (bounds->answer == GPUBE_ANSWER_OPTIMAL) {
		gpube__out_printf(out, "%-*s", LABEL, "optimum");
		gpube__out_decimal(out, bounds->cost, bounds->scale);
		if (r->model->kind == GPUBE_POTENTIALS)
			gpube__out_printf(out, ", -ln, each function rounded to %d decimals "
				"(log10 %.9g)", bounds->scale, log10_of(bounds));
		gpube__out_printf(out, ", proved after %.3f s\n",
			fmax(bounds->seconds_bound, bounds->seconds_cost));
	} else {
		text_side(out, r, true);
		text_side(out, r, false);
		text_gap(out, bounds);
		if (bounds->closed)
			gpube__out_printf(out, "%-*snothing better than --ub exists (proved)\n",
				LABEL, "closed");
	}
	gpube__out_printf(out, "%-*s%d of %d variable%s and %d function%s after simplification\n",
		LABEL, "model", bounds->n_vars, r->model->n_vars, plural(r->model->n_vars),
		bounds->n_functions, plural(bounds->n_functions));
	gpube__out_printf(out, "%-*s%.3f s, of which reading %.3f; %s, %d thread%s\n", LABEL, "time",
		session_seconds(r->session), r->seconds_read, bounds->backend,
		r->session->ctx->n_threads, plural(r->session->ctx->n_threads));
}

/* ---- JSON -------------------------------------------------------------------------- */

static void json_side(struct json *j, const struct result *r, const char *key, bool proved)
{
	const struct gpube_bounds *bounds = r->bounds;

	if (bounds->answer == GPUBE_ANSWER_INFEASIBLE || (!proved && !bounds->values))
		json_null(j, key);
	else
		json_decimal(j, key, proved ? bounds->bound : bounds->cost, bounds->scale);
}

static void report_json(struct gpube_out *out, const struct result *r)
{
	static const char *const status[] = {
		[GPUBE_ANSWER_OPTIMAL] = "optimal",
		[GPUBE_ANSWER_INFEASIBLE] = "infeasible",
		[GPUBE_ANSWER_INCOMPLETE] = "bounds",
	};
	const struct gpube_bounds *bounds = r->bounds;
	struct json j = {.out = out};

	json_open(&j, NULL, '{');
	json_text(&j, "status", status[bounds->answer]);
	json_text(&j, "backend", bounds->backend);
	json_seconds(&j, "seconds", session_seconds(r->session));
	json_text(&j, "file", r->file);
	json_text(&j, "direction", maximises(r) ? "maximise" : "minimise");
	json_int(&j, "variables", r->model->n_vars);
	json_int(&j, "functions", r->model->n_functions);
	json_side(&j, r, "lower_bound", !maximises(r));
	json_side(&j, r, "upper_bound", maximises(r));
	if (r->model->kind == GPUBE_POTENTIALS && bounds->values)
		json_real(&j, "log10", log10_of(bounds));
	if (bounds->values) {
		json_open(&j, "assignment", '[');
		for (int32_t i = 0; i < r->model->n_vars; i++)
			json_int(&j, NULL, bounds->values[i]);
		json_close(&j, ']');
	} else {
		json_null(&j, "assignment");
	}
	json_true_false(&j, "closed", bounds->closed != 0);
	json_int(&j, "z", bounds->z);
	json_open(&j, "times", '{');
	json_seconds(&j, "read", r->seconds_read);
	json_seconds(&j, "bound", bounds->seconds_bound);
	json_seconds(&j, "assignment", bounds->seconds_cost);
	json_close(&j, '}');
	json_close(&j, '}');
	gpube__out_text(out, "\n");
}

/* ---- the command --------------------------------------------------------------------- */

static int report(const struct result *r, int output)
{
	struct session *s = r->session;
	struct gpube_out out;
	int status = GPUBE_OK;

	if (output == OUTPUT_SOL) {
		if (r->bounds->values)
			status = gpube_write_solution(r->model, s->output, r->bounds->values);
		else if (!s->quiet)
			cli_error("no assignment was found, so there is none to write");
	} else {
		status = gpube__out_open(&out, s->ctx, s->output);
		if (!status) {
			if (output == OUTPUT_JSON)
				report_json(&out, r);
			else
				report_text(&out, r);
			status = gpube__out_close(&out, true);
		}
	}
	if (!status)
		return CLI_DONE;
	cli_error("%s", gpube_error(s->ctx));
	return CLI_FAILED;
}

/* "12", "-3.5": units of 10^-scale; false if it is no such number. */
static bool parse_cost(int64_t *out, const char *text, int scale)
{
	bool minus = *text == '-', digits = false, point = false;
	int64_t v = 0;
	int decimals = 0;

	for (text += minus; *text; text++) {
		if (*text == '.' && !point) {
			point = true;
			continue;
		}
		if (*text < '0' || *text > '9' || (point && decimals == scale && *text != '0'))
			return false;
		digits = true;
		if (point && decimals == scale)
			continue;
		decimals += point;
		if (__builtin_mul_overflow(v, 10, &v) || __builtin_add_overflow(v, *text - '0', &v))
			return false;
	}
	for (; decimals < scale; decimals++)
		if (__builtin_mul_overflow(v, 10, &v))
			return false;
	*out = minus ? -v : v;
	return digits;
}

/* What the user knows already; values: out, to be freed. */
static int read_known(struct session *s, struct gpube_bound_opts *to, int32_t **values,
	const struct gpube_model *m, const struct opts_bound *o)
{
	*values = NULL;
	if (o->ub) {
		if (m->kind != GPUBE_COSTS)
			return session_fail_text(s, NULL, "--ub: a .uai model has no costs");
		if (!parse_cost(&to->cutoff, o->ub, m->scale))
			return session_fail_text(
				s, NULL, "--ub: not a number with the decimals of the file");
		to->has_cutoff = 1;
	}
	if (!o->sol)
		return CLI_DONE;
	*values = gpube__alloc(s->ctx, (uint64_t)m->n_vars, sizeof(**values));
	if (!*values || gpube_read_solution(*values, m, o->sol))
		return session_fail(s, NULL);
	to->values = *values;
	return CLI_DONE;
}

static int bound(struct session *s, const struct opts_bound *o, const char *file,
	const struct gpube_model *m, int output)
{
	struct gpube_solve_opts solve;
	struct gpube_bounds *bounds = NULL;
	struct result r = {s, file, m, NULL, session_seconds(s)};
	int32_t *order, *values = NULL;
	int rc = session_engine(s, &solve, &order, m, &o->engine);
	struct gpube_bound_opts options = {
		.sizeof_options = sizeof(options),
		/* the words of --method are those of the enum, in its order */
		.method = (enum gpube_bound_method)o->method,
		.z = (int)(o->ibound ? o->ibound + 1 : o->z),
		.first_fit = o->partition == PARTITION_FIRST,
		.no_match = o->no_match,
		.no_eliminate = o->no_eliminate,
		.split = (enum gpube_split)o->split, /* words and enum are in one order */
		.order_method = solve.order_method,
		.order = solve.order,
		.order_seconds = solve.order_seconds,
		.timeout_seconds = solve.timeout_seconds,
		.seed = solve.seed,
		.backend = solve.backend,
		.no_simplify = solve.no_simplify,
		.precision = solve.precision,
	};

	if (!rc)
		rc = read_known(s, &options, &values, m, o);
	if (!rc && gpube_bound(&bounds, m, &options))
		rc = session_fail(s, NULL);
	r.bounds = bounds;
	if (!rc) {
		session_hide_bar(s);
		rc = report(&r, output);
	}
	gpube_bounds_free(bounds, s->ctx);
	gpube__free(s->ctx, values);
	gpube__free(s->ctx, order);
	return rc;
}

static int run(const void *opts, int n_args, char **args)
{
	const struct opts_bound *o = opts;
	struct gpube_model *m = NULL;
	struct session s;
	int output = o->json ? OUTPUT_JSON : o->output, rc;

	(void)n_args;
	if (session_options_clash(&o->engine))
		return CLI_USAGE;
	if (o->z && o->ibound) {
		cli_error("--z and --ibound exclude each other");
		return CLI_USAGE;
	}
	rc = session_start(&s, &o->talk, o->engine.threads, o->engine.memory, output == OUTPUT_JSON,
		o->output_file);
	if (rc)
		return rc;
	rc = session_read(&s, &m, args[0], &o->read);
	if (m)
		rc = bound(&s, o, args[0], m, output);
	gpube_model_free(m);
	session_end(&s);
	return rc;
}

const struct command cmd_bound = {
	.name = "bound",
	.arguments = "FILE",
	.summary = "prove how good a solution can be at most, and find a good one",
	.description =
		"Computes a lower bound of the least cost of the model in FILE (where it is "
		"maximised, an upper bound of the greatest), and a good assignment. The bound is "
		"a proof: all arithmetic is on integers. The assignment is priced again from the "
		"tables of the file. Where the two meet the status is optimal.\n\n"
		"A line on standard error tells every improvement, with its time. --timeout, "
		"SIGINT and SIGTERM end the work soon with the best bounds so far, which is a "
		"result like any other.\n\n"
		"With --output json the result is one object: status (optimal, bounds, "
		"infeasible, error), backend, seconds, lower_bound and upper_bound (for .uai: "
		"-ln, with log10 of the assignment beside it), assignment (value indices by "
		"variable), closed (nothing better than --ub exists), and times.",
	.examples = "gpube bound --timeout 60s problem.wcsp\n"
		    "the best bounds of a minute, or the optimum\n"
		    "gpube bound --method mbe --z 10 model.uai\n"
		    "mini-buckets of at most ten variables\n"
		    "gpube bound --json --ub 1200 problem.cfn.gz\n"
		    "for a program, which knows a solution of cost 1200",
	.min_args = 1,
	.max_args = 1,
	.opts_size = sizeof(struct opts_bound),
	.groups = groups,
	.run = run,
};
