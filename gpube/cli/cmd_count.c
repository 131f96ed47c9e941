/* cmd_count.c - gpube count: how many assignments are allowed, or optimal. */
#include "formats/formats.h"
#include "gpube/options/options.h"
#include "formats/io/io.h"
#include "gpube/cli/answer.h"

#define OPTS_STRUCT struct opts_count
static const struct opt_row rows[] = {OPTS_COUNT(OPT_ROW)};

static const struct opt_group groups[] = {
	OPT_GROUP("Options", rows, 0),
	OPT_GROUP_ENGINE(offsetof(struct opts_count, engine)),
	OPT_GROUP_READ(offsetof(struct opts_count, read)),
	OPT_GROUP_TALK(offsetof(struct opts_count, talk)),
	{0},
};

/* All that the reports are written from. */
struct result {
	struct session *session;
	const char *file;
	const struct gpube_model *model;
	const struct gpube_solution *solution;
	const char *evidence_file; /* may be NULL */
	bool optima;
	double seconds_read;
};

static const char *count_of(const struct result *r)
{
	return r->solution->count ? r->solution->count : "0"; /* no optimum either */
}

#define TIMES(r, s)                                                                                \
	SPENT({"read", (r)->seconds_read}, {"simplify", (s)->seconds_simplify},                    \
		{"order", (s)->seconds_order}, {"eliminate", (s)->seconds_eliminate},              \
		{"count", (s)->seconds_count})

static void report_text(struct gpube_out *out, const void *arg)
{
	const struct result *r = arg;
	const struct gpube_solution *s = r->solution;

	gpube__out_printf(out, "%-*s", LABEL, r->optima ? "optima" : "solutions");
	gpube__out_text(out, count_of(r));
	gpube__out_text(out, "\n");
	if (s->values && r->optima) {
		gpube__out_printf(out, "%-*s", LABEL, "optimum");
		gpube__out_decimal(out, s->cost, s->scale);
		gpube__out_text(
			out, r->model->kind == GPUBE_POTENTIALS ? ", -ln, proved\n" : ", proved\n");
	}
	if (s->values)
		answer_text_assignment(out, r->model, s->values);
	answer_text_evidence(out, r->session, r->model, r->evidence_file);
	gpube__out_printf(out, "%-*swidth %d, %s joined cell%s, %s of tables at the peak\n", LABEL,
		"plan", s->plan.width, cells_text(s->plan.joined_cells, 0),
		gpube__plural(s->plan.joined_cells), bytes_text(s->plan.peak_bytes, 0));
	text_times(out, r->session, TIMES(r, s));
	text_backend(out, r->session, s->backend);
}

static void report_json(struct json *j, const void *arg)
{
	const struct result *r = arg;
	const struct gpube_solution *s = r->solution;

	json_text(j, "status", "exact");
	json_text(j, "backend", s->backend);
	json_seconds(j, "seconds", session_seconds(r->session));
	json_text(j, "file", r->file);
	json_int(j, "variables", r->model->n_vars - r->model->n_hidden);
	if (r->model->n_hidden)
		json_int(j, "hidden_variables", r->model->n_hidden);
	json_int(j, "functions", r->model->n_functions);
	json_big(j, r->optima ? "optima" : "solutions", count_of(r));
	if (s->values && r->optima)
		json_decimal(j, "optimum", s->cost, s->scale);
	answer_json_assignment(j, r->session, r->model, s->values);
	answer_json_evidence(j, r->model, r->evidence_file);
	json_plan(j, &s->plan);
	json_times(j, TIMES(r, s));
}

static bool forbids_nothing(const struct gpube_model *m)
{
	if (m->kind == GPUBE_POTENTIALS || (m->top != GPUBE_INF && m->top != -GPUBE_INF))
		return false;
	for (int32_t i = 0; i < m->n_tables; i++) {
		const struct gpube_table *t = &m->tables[i];

		if (t->sparse && t->dflt.i == GPUBE_INF)
			return false;
		for (int64_t k = 0; k < t->n; k++)
			if (gpube__table_int(t, k) == GPUBE_INF)
				return false;
	}
	return true;
}

static int count(struct session *s, const void *given, const char *file, struct gpube_model *m,
	const struct opts_read *read)
{
	const struct opts_count *o = given;
	struct result r = {.session = s,
		.file = file,
		.model = m,
		.optima = o->optima,
		.seconds_read = session_seconds(s)};
	struct gpube_opts opts;
	struct gpube_solution *solution = NULL;
	char *evidence_file;
	int32_t *order;
	int status, rc = session_engine(s, &opts, &order, m, &o->engine);

	if (rc)
		return rc;
	opts.count = 1;
	if (!o->optima && forbids_nothing(m))
		session_note(s, "the model forbids nothing: --ub COST counts totals better than "
				"COST, --optima the best ones");
	status = session_evidence_file(&evidence_file, s, m, file, read);
	if (!status)
		status = o->optima ? gpube_solve(&solution, m, &opts)
				   : gpube_count(&solution, m, &opts);
	r.solution = solution;
	r.evidence_file = evidence_file;
	rc = status ? session_fail(s, solution) : session_report(s, report_text, report_json, &r);
	gpube_result_free(solution);
	gpube__free(s->ctx, evidence_file);
	gpube__free(s->ctx, order);
	return rc;
}

static int run(const void *opts, int n_args, char **args)
{
	const struct opts_count *o = opts;

	return session_on_model(
		SESSION_WORK(o, .output = o->output_file, .ub = o->ub, .work = count), opts, n_args,
		args);
}

const struct command cmd_count = {
	.name = "count",
	.arguments = "FILE [EVIDENCE]",
	.summary = "count the solutions of a constraint problem, or the optima",
	.description =
		"Counts the assignments that the model in FILE allows, or with --optima those "
		"of the least cost. Of a .uai it counts the assignments whose probability is "
		"not 0. The count is an exact integer of any size, computed by bucket "
		"elimination, past 2^64 modulo several primes. One of the assignments is shown. "
		"EVIDENCE, for a .uai FILE.evid by default, restricts the count to the "
		"assignments that agree with it.\n\n"
		"A .cnf or a .col is read as a cost of 1 for each violated clause or edge; --ub "
		"1 therefore counts what violates none. Tables that do not fit into --memory "
		"are computed in slices or refused. --timeout ends the run without a result, "
		"with exit status 1. If allowed costs can add up to the model's top, from which "
		"on an assignment is forbidden, the solutions cannot be counted, and the "
		"command fails with that reason.\n\n"
		"With --output json the result is one object; gpube-json(5) says what its "
		"members mean.",
	.examples = "gpube count --ub 1 formula.cnf\n"
		    "the number of models of a formula\n"
		    "gpube count --optima --json problem.wcsp\n"
		    "the number of optimal assignments, for a program to read",
	.min_args = 1,
	.max_args = 2,
	.opts_size = sizeof(struct opts_count),
	.groups = groups,
	.run = run,
};
