/* cmd_bound.c - gpube bound: how good a solution can be at most, and one that is known. */
#include "gpube/cli/bounding.h"

#define OPTS_STRUCT struct opts_bound
static const struct opt_row rows[] = {OPTS_BOUND(OPT_ROW)};

static const struct opt_group groups[] = {
	OPT_GROUP_BOUNDING(offsetof(struct opts_bound, bounding)),
	OPT_GROUP("Options", rows, 0),
	OPT_GROUP_ENGINE(offsetof(struct opts_bound, engine)),
	OPT_GROUP_READ(offsetof(struct opts_bound, read)),
	OPT_GROUP_TALK(offsetof(struct opts_bound, talk)),
	{0},
};

/* The words of --partition, in their order. */
enum { PARTITION_SCOPE, PARTITION_FIRST };

enum { LABEL = ANSWER_LABEL };

struct result {
	struct answer answer;
	const struct gpube_bounds *bounds;
	double seconds_read;
};

static void report_text(struct gpube_out *out, const void *arg)
{
	const struct result *r = arg;
	const struct gpube_bounds *bounds = r->bounds;
	const struct gpube_model *m = r->answer.model;
	const struct session *s = r->answer.session;

	bounding_text(out, &r->answer, bounds);
	gpube__out_printf(out, "%-*s%d of %d variable%s and %d function%s after simplification\n",
		LABEL, "model", bounds->n_vars, m->n_vars, plural(m->n_vars), bounds->n_functions,
		plural(bounds->n_functions));
	gpube__out_printf(out, "%-*s%.3f s, of which reading %.3f; %s, %d thread%s\n", LABEL, "time",
		session_seconds(s), r->seconds_read, bounds->backend, s->ctx->n_threads,
		plural(s->ctx->n_threads));
}

static void report_json(struct gpube_out *out, const void *arg)
{
	const struct result *r = arg;
	const struct gpube_bounds *bounds = r->bounds;
	struct json j = {.out = out};

	json_open(&j, NULL, '{');
	answer_json_head(&j, &r->answer);
	answer_json_result(&j, &r->answer);
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

static int bound(struct session *s, const struct opts_bound *o, const char *file,
	const struct gpube_model *m, int output)
{
	struct gpube_bounds *bounds = NULL;
	double seconds_read = session_seconds(s);
	struct bounding b;
	int rc = bounding_init(&b, s, m, &o->bounding, &o->engine);

	b.opts.z = (int)(o->ibound ? o->ibound + 1 : o->z);
	b.opts.first_fit = o->partition == PARTITION_FIRST;
	b.opts.no_match = o->no_match;
	b.opts.no_eliminate = o->no_eliminate;
	b.opts.split = (enum gpube_split)o->split; /* words and enum are in one order */
	if (!rc && gpube_bound(&bounds, m, &b.opts))
		rc = session_fail(s, NULL);
	if (!rc) {
		struct result r = {bounding_answer(s, file, m, bounds), bounds, seconds_read};

		rc = answer_report(
			&r.answer, (enum answer_output)output, report_text, report_json, &r);
	}
	gpube_bounds_free(bounds, s->ctx);
	bounding_clear(&b, s);
	return rc;
}

static int run(const void *opts, int n_args, char **args)
{
	const struct opts_bound *o = opts;
	struct gpube_model *m = NULL;
	struct session s;
	int output = o->json ? ANSWER_JSON : o->output, rc;

	(void)n_args;
	if (session_options_clash(&o->engine))
		return CLI_USAGE;
	if (o->z && o->ibound) {
		cli_error("--z and --ibound exclude each other");
		return CLI_USAGE;
	}
	rc = session_start(&s, &o->talk, o->engine.threads, o->engine.memory, output == ANSWER_JSON,
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
