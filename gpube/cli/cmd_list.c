/* cmd_list.c - gpube list: all optimal assignments, or the best ones. */
#include <string.h>

#include "formats/formats.h"
#include "gpube/partial.h"
#include "gpube/options/options.h"
#include "formats/io/io.h"
#include "gpube/cli/bounding.h"

#define OPTS_STRUCT struct opts_list
static const struct opt_row rows[] = {OPTS_LIST(OPT_ROW)};

static const struct opt_group groups[] = {
	OPT_GROUP("Options", rows, 0),
	OPT_GROUP_ENGINE(offsetof(struct opts_list, engine)),
	OPT_GROUP_READ(offsetof(struct opts_list, read)),
	OPT_GROUP_TALK(offsetof(struct opts_list, talk)),
	{0},
};

/* All that the reports are written from. */
struct result {
	struct answer answer;      /* of the optimum */
	struct gpube_list *list;   /* NULL: nothing is allowed */
	const char *evidence_file; /* may be NULL */
	bool optima, distant;      /* within the optimum; each far from those before */
	double seconds_read, seconds_solve;
};

static int64_t n_listed(const struct result *r)
{
	return r->list ? r->list->n : 0;
}

static const int32_t *values_of(const struct result *r, int64_t k)
{
	return r->list->values + k * r->list->n_vars;
}

static void report_text(struct gpube_out *out, const void *arg)
{
	const struct result *r = arg;
	const struct session *s = r->answer.session;
	const bool whole = r->answer.answer != GPUBE_ANSWER_INCOMPLETE;

	if (r->answer.answer == GPUBE_ANSWER_INFEASIBLE) {
		answer_text_infeasible(out, &r->answer);
		return;
	}
	gpube__out_printf(out, "%-*s", LABEL, "optimum");
	gpube__out_decimal(out, r->answer.cost, r->answer.scale);
	if (r->answer.model->kind == GPUBE_POTENTIALS)
		gpube__out_printf(
			out, ", -ln, each function rounded to %d decimals", r->answer.scale);
	gpube__out_text(out, ", proved\n");
	gpube__out_printf(out, "%-*s%lld, %s\n", LABEL, "listed", (long long)n_listed(r),
		!whole                    ? "those that were found before the stop"
		: r->list->more < 0       ? "each the best at the distance from those before"
		: r->list->more           ? "the best; there are more"
		: r->optima && r->distant ? "all that are optimal and at the distance"
		: r->optima               ? "all that are optimal"
					  : "all that are asked for");
	for (int64_t k = 0; k < n_listed(r); k++) {
		gpube__out_printf(out, "%-*lld", LABEL, (long long)k + 1);
		gpube__out_decimal(out, r->list->costs[k], r->list->scale);
		gpube__out_text(out, "\n");
		answer_text_assignment(out, r->answer.model, values_of(r, k));
	}
	answer_text_evidence(out, s, r->answer.model, r->evidence_file);
	text_times(out, s,
		SPENT({"read", r->seconds_read}, {"optimum", r->seconds_solve},
			{"list", session_seconds(s) - r->seconds_read - r->seconds_solve}));
}

static void report_json(struct json *j, const void *arg)
{
	const struct result *r = arg;

	answer_json_head(j, &r->answer);
	if (r->answer.answer == GPUBE_ANSWER_INFEASIBLE)
		json_null(j, "optimum");
	else
		json_decimal(j, "optimum", r->answer.cost, r->answer.scale);
	if (r->answer.model->kind == GPUBE_POTENTIALS)
		json_int(j, "rounded_decimals", r->answer.scale);
	answer_json_evidence(j, r->answer.model, r->evidence_file);
	json_int(j, "listed", n_listed(r));
	if (r->list && (r->list->more < 0 ||
			       (r->answer.answer == GPUBE_ANSWER_INCOMPLETE && !r->list->more)))
		json_null(j, "more");
	else
		json_true_false(j, "more", r->list && r->list->more);
	json_open(j, "assignments", '[');
	for (int64_t k = 0; k < n_listed(r); k++) {
		json_open(j, NULL, '{');
		json_decimal(j, "cost", r->list->costs[k], r->list->scale);
		answer_json_assignment(j, r->answer.session, r->answer.model, values_of(r, k));
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void report_sol(struct gpube_out *out, const void *arg)
{
	const struct result *r = arg;
	const struct gpube_model *m = r->answer.model;

	for (int64_t k = 0; k < n_listed(r); k++) {
		const char *space = "";

		for (int32_t i = 0; i < m->n_vars; i++)
			if (!m->vars[i].hidden) {
				gpube__out_text(out, space);
				gpube__out_int(out, values_of(r, k)[i]);
				space = " ";
			}
		gpube__out_text(out, "\n");
	}
}

/* The worst total that is listed, from the optimum. */
static int limit_of(struct session *s, struct gpube_opts *opts, const struct opts_list *o,
	const struct answer *a)
{
	int64_t within;

	if (strcmp(o->within, "inf") == 0)
		return CLI_DONE;
	if (!gpube__units(&within, o->within, a->scale) || within < 0) {
		gpube__fail(s->ctx, GPUBE_EINVAL,
			"--within: expected a number >= 0 of at most %d decimals, as the file "
			"has, or inf, found '%s'",
			a->scale, o->within);
		return session_fail(s, NULL);
	}
	opts->has_limit = !__builtin_add_overflow(
				  a->cost, answer_maximises(a) ? -within : within, &opts->limit) &&
			  opts->limit > -GPUBE_INF && opts->limit < GPUBE_INF;
	return CLI_DONE;
}

static int list(struct result *r, const struct opts_list *o, const struct gpube_opts *opts)
{
	struct session *s = r->answer.session;
	struct gpube_opts list_opts = *opts;
	int status = GPUBE_OK, rc = limit_of(s, &list_opts, o, &r->answer);

	if (rc)
		return rc;
	opts_library(&list_opts, GPUBE__ON_LIST, rows, OPT_N(rows), o);
	list_opts.timeout_seconds = 0; /* the session's deadline is set */
	list_opts.precision = r->answer.model->kind == GPUBE_POTENTIALS ? r->answer.scale : 0;
	r->optima = list_opts.has_limit && list_opts.limit == r->answer.cost;
	r->distant = list_opts.distance > 1;
	if (r->answer.answer == GPUBE_ANSWER_OPTIMAL)
		status = gpube_list(&r->list, r->answer.model, &list_opts);
	if (status && !r->list)
		return session_fail(s, NULL);
	if (status) {
		cli_error("%s: the list is incomplete", gpube_error(s->ctx));
		r->answer.answer = GPUBE_ANSWER_INCOMPLETE;
	}
	if (r->answer.answer == GPUBE_ANSWER_INFEASIBLE && o->output == ANSWER_SOL)
		session_note(s,
			s->none ? s->none : "every assignment is forbidden, so no line is written");
	rc = session_report(
		s, o->output == ANSWER_SOL && !s->json ? report_sol : report_text, report_json, r);
	return status ? CLI_FAILED : rc;
}

static int solve_and_list(struct session *s, const void *given, const char *file,
	struct gpube_model *m, const struct opts_read *read)
{
	const struct opts_list *o = given;
	struct result r = {.seconds_read = session_seconds(s)};
	struct gpube_opts opts;
	struct gpube_solution *solution = NULL;
	char *evidence_file = NULL;
	int32_t *order;
	int status, rc = session_engine(s, &opts, &order, m, &o->engine);

	if (rc)
		return rc;
	status = gpube_solve(&solution, m, &opts);
	if (status) {
		rc = session_fail(s, solution);
	} else {
		r.answer = bounding_answer(s, file, m, solution);
		r.answer.no_bounds = true;
		r.seconds_solve = session_seconds(s) - r.seconds_read;
		if (o->engine.timeout > 0)
			s->ctx->deadline = s->start + o->engine.timeout;
		if (conclusion_check(&r.answer) ||
			session_evidence_file(&evidence_file, s, m, file, read)) {
			rc = session_fail(s, solution);
		} else {
			r.evidence_file = evidence_file;
			rc = list(&r, o, &opts);
		}
	}
	gpube_result_free(r.list);
	gpube_result_free(solution);
	gpube__free(s->ctx, evidence_file);
	gpube__free(s->ctx, order);
	return rc;
}

static int run(const void *opts, int n_args, char **args)
{
	const struct opts_list *o = opts;

	return session_on_model(
		SESSION_WORK(o, .output = o->output_file, .ub = o->ub, .work = solve_and_list),
		opts, n_args, args);
}

const struct command cmd_list = {
	.name = "list",
	.arguments = "FILE [EVIDENCE]",
	.summary = "list all optimal assignments, or the best ones",
	.description =
		"Finds the optimum of the model in FILE as 'gpube solve' does, and lists the "
		"assignments that attain it, or with --within all whose cost is close to it, "
		"the best first. At most --most assignments are listed, and the result says "
		"whether there are more: '--within inf --most 10' lists the ten best. With "
		"--distance D, each assignment is the best of those that differ from all "
		"earlier ones in at least D variables.\n\n"
		"The list is made by a depth-first search whose bounds are the messages of a "
		"bucket elimination. If these fit into --memory no step of the search is in "
		"vain; otherwise they are mini-bucket bounds, and the search can take long. "
		"With --distance each assignment is found by 'gpube solve', with a linear "
		"constraint for each earlier one. Every cost is computed again from the tables "
		"of the file. Costs of a .uai are -ln of probabilities, rounded.\n\n"
		"SIGINT, SIGTERM and --timeout end the run. The assignments that were found are "
		"listed if the optimum is proved, and the exit status is 1.\n\n"
		"With --output json the result is one object; gpube-json(5) says what its "
		"members mean.",
	.examples = "gpube list problem.wcsp\n"
		    "all optimal assignments\n"
		    "gpube list --within inf --most 10 problem.wcsp\n"
		    "the ten best\n"
		    "gpube list --within inf --most 5 --distance 3 problem.wcsp\n"
		    "five, each the best of those that differ from all before in three values\n"
		    "gpube list --within inf --ub 1 --output sol formula.cnf\n"
		    "the models of a formula, one a line",
	.min_args = 1,
	.max_args = 2,
	.opts_size = sizeof(struct opts_list),
	.groups = groups,
	.run = run,
};
