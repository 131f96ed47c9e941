/* cmd_infer.c - gpube infer: partition functions, marginals, marginal MAP, most probable assignments. */
#include <math.h>
#include <string.h>

#include "formats/formats.h"
#include "formats/common/registry.h"
#include "gpube/cli/answer.h"
#include "gpube/cli/session/session_ranks.h"
#include "gpube/deal/deal.h"
#include "gpube/sums.h"

#define OPTS_STRUCT struct opts_infer
static const struct opt_row rows[] = {OPTS_INFER(OPT_ROW)};

static const struct opt_group groups[] = {
	OPT_GROUP("Options", rows, 0),
	OPT_GROUP_RANKS(offsetof(struct opts_infer, ranks)),
	OPT_GROUP_READ(offsetof(struct opts_infer, read)),
	OPT_GROUP_TALK(offsetof(struct opts_infer, talk)),
	{0},
};

/* The words of --task, in their order; the first ones are those of enum gpube_infer_task. */
enum task { TASK_PR, TASK_MAR, TASK_MMAP, TASK_MPE };

static const char *const task_names[] = {"PR", "MAR", "MMAP", "MPE"};

/* The variables of MMAP. */
struct query {
	char *file;
	int32_t *vars, n;
};

/* All that the reports are written from: one of inference, mmap and solution is there. */
struct result {
	struct session *session;
	struct ranks *ranks;
	const char *file, *evidence_file;
	const struct gpube_model *model;
	enum task task;
	int32_t n_observed;
	const struct query *query;
	const struct gpube_inference *inference;
	const struct gpube_mmap *mmap;
	const struct gpube_solution *solution;
	bool estimate;
	double seconds_read;
};

/* Nothing but bounds of the sum. */
static bool is_bounded(const struct result *r)
{
	return r->inference && !r->inference->known;
}

/* Between the bounds; of a sum without a lower one nothing is as good as another. */
static bool has_estimate(const struct result *r)
{
	return r->estimate && is_bounded(r) && isfinite(r->inference->log10_lower);
}

static double estimate_of(const struct result *r)
{
	return r->inference->log10_lower + (r->inference->log10_upper - r->inference->log10_lower) / 2;
}

static double log10_of(const struct result *r)
{
	if (r->inference)
		return r->inference->log10_z;
	if (r->mmap)
		return r->mmap->log10_value;
	return r->solution->values ? r->solution->log_value / log(10) : -INFINITY;
}

static bool is_impossible(const struct result *r)
{
	if (r->mmap)
		return r->mmap->answer == GPUBE_ANSWER_INFEASIBLE;
	return !is_bounded(r) && isinf(log10_of(r));
}

static const struct gpube_plan *plan_of(const struct result *r)
{
	return r->inference ? &r->inference->plan : r->mmap ? &r->mmap->plan : &r->solution->plan;
}

static const char *backend_of(const struct result *r)
{
	return r->solution ? r->solution->backend : r->inference ? r->inference->backend : "cpu";
}

/* ---- text ------------------------------------------------------------------------- */

static void text_label(struct gpube_out *out, const char *label)
{
	gpube__out_printf(out, "%-*s", LABEL, label);
}

static void text_marginals(struct gpube_out *out, const struct result *r)
{
	const struct gpube_model *m = r->model;
	const double *p = r->inference->marginals;

	for (int32_t i = 0; i < m->n_vars; i++) {
		text_label(out, i ? "" : "marginals");
		if (m->vars[i].name)
			gpube__out_printf(out, "%s:", m->vars[i].name);
		else
			gpube__out_printf(out, "%d:", i);
		for (int32_t a = 0; a < m->vars[i].domain; a++)
			gpube__out_printf(out, " %.9g", *p++);
		gpube__out_text(out, "\n");
	}
}

static void text_intervals(struct gpube_out *out, const struct result *r)
{
	const struct gpube_model *m = r->model;
	const double *lower = r->inference->marginals_lower, *upper = r->inference->marginals_upper;

	text_label(out, "marginals");
	gpube__out_text(out, "proved bounds of each, from..to, if the sum is not 0\n");
	for (int32_t i = 0; i < m->n_vars; i++) {
		text_label(out, "");
		if (m->vars[i].name)
			gpube__out_printf(out, "%s:", m->vars[i].name);
		else
			gpube__out_printf(out, "%d:", i);
		for (int32_t a = 0; a < m->vars[i].domain; a++, lower++, upper++)
			gpube__out_printf(out, " %.6g..%.6g", floor(*lower * 1e6) / 1e6, ceil(*upper * 1e6) / 1e6);
		gpube__out_text(out, "\n");
	}
}

/* The best values as far as they are known, and what they are at most. */
static void text_mmap(struct gpube_out *out, const struct result *r)
{
	const struct gpube_mmap *s = r->mmap;

	if (s->values && isinf(s->relative_error)) {
		text_label(out, "log10");
		gpube__out_text(out, "at least ");
		gpube__out_real(out, s->log10_value);
		gpube__out_text(out, ", for the best values that were met\n");
	} else if (s->values) {
		text_label(out, "log10");
		gpube__out_real(out, s->log10_value);
		gpube__out_printf(out, s->answer == GPUBE_ANSWER_OPTIMAL
			? ", the proved maximum; none is better by a factor above 1 + %.1e\n"
			: ", the best sum that was met; its relative error is at most %.1e\n",
			s->relative_error);
	}
	if (s->answer == GPUBE_ANSWER_INCOMPLETE) {
		text_label(out, "bound");
		gpube__out_printf(out, "log10 at most ");
		gpube__out_real(out, s->log10_upper);
		gpube__out_text(out, "; stopped before the end, no maximum is proved\n");
	}
	if (s->values)
		answer_text_values(out, r->model, r->query->vars, r->query->n, s->values);
}

static void text_bounds(struct gpube_out *out, const struct result *r)
{
	const double lower = r->inference->log10_lower;

	text_label(out, "log10 Z");
	if (isfinite(lower)) {
		gpube__out_text(out, "from ");
		gpube__out_real(out, lower);
		gpube__out_text(out, " to ");
	} else {
		gpube__out_text(out, "at most ");
	}
	gpube__out_real(out, r->inference->log10_upper);
	gpube__out_text(out, ": proved bounds of the sum over all assignments, which is not known\n");
	if (has_estimate(r)) {
		text_label(out, "estimate");
		gpube__out_real(out, estimate_of(r));
		gpube__out_text(out, ", between them, and no more than that\n");
	}
	if (r->task == TASK_MAR) {
		text_intervals(out, r);
	}
}

static void text_value(struct gpube_out *out, const struct result *r)
{
	if (is_bounded(r)) {
		text_bounds(out, r);
		return;
	}
	if (is_impossible(r)) {
		text_label(out, "impossible");
		gpube__out_printf(out, "%s (proved)\n",
			r->n_observed ? "the evidence has probability zero"
				      : "every assignment has probability zero");
		return;
	}
	if (r->mmap) {
		text_mmap(out, r);
		return;
	}
	text_label(out, r->inference ? "log10 Z" : "log10");
	gpube__out_real(out, log10_of(r));
	if (r->inference)
		gpube__out_printf(out, ", the sum over all assignments; relative error of Z at most %.1e\n",
			r->inference->relative_error);
	else
		gpube__out_printf(out,
			", the proved maximum (each function rounded to %d decimal%s)\n",
			r->solution->scale, gpube__plural(r->solution->scale));
	if (r->solution)
		answer_text_assignment(out, r->model, r->solution->values);
	else if (r->inference->marginals)
		text_marginals(out, r);
}

static void text_evidence(struct gpube_out *out, const struct result *r)
{
	text_label(out, "evidence");
	if (r->evidence_file)
		gpube__out_printf(out, "%d observed variable%s, from %s\n", r->n_observed,
			gpube__plural(r->n_observed), r->evidence_file);
	else
		gpube__out_printf(out, "%s\n", r->n_observed ? "that of the model" : "none");
	if (!r->mmap)
		return;
	text_label(out, "query");
	gpube__out_printf(out, "%d variable%s, from %s", r->query->n, gpube__plural(r->query->n),
		r->query->file);
	gpube__out_printf(out, "; %d and %d function%s left to search\n", r->mmap->n_free,
		r->mmap->n_functions, gpube__plural(r->mmap->n_functions));
}

static void report_text(struct gpube_out *out, const void *arg)
{
	const struct result *r = arg;
	const struct gpube_plan *plan = plan_of(r);
	const int32_t n_vars = r->model->n_vars;

	text_value(out, r);
	text_evidence(out, r);
	text_label(out, "model");
	gpube__out_printf(out, "%d of %d variable%s and %d function%s left, %d component%s",
		plan->n_vars, n_vars, gpube__plural(n_vars), plan->n_functions,
		gpube__plural(plan->n_functions), plan->n_components,
		gpube__plural(plan->n_components));
	if (!r->solution) {
		const int64_t n = r->mmap ? r->mmap->n_removed : r->inference->n_removed;

		gpube__out_printf(
			out, "; %lld value%s cannot occur", (long long)n, gpube__plural(n));
	}
	gpube__out_text(out, "\n");
	text_label(out, "plan");
	gpube__out_printf(out, "width %d, %s joined cell%s, %s of tables at the peak", plan->width,
		cells_text(plan->joined_cells, 0), gpube__plural(plan->joined_cells),
		bytes_text(plan->peak_bytes, 0));
	if (plan->n_slices > 1)
		gpube__out_printf(out, ", in %.0f slices", plan->n_slices);
	if (plan->n_slices > 1 && !r->inference->known)
		gpube__out_printf(out, ", of which %lld were done", (long long)r->inference->n_slices_done);
	if (r->inference && r->inference->n_cases)
		gpube__out_printf(out, ", not done: %lld case%s less",
			(long long)r->inference->n_cases,
			r->inference->n_cases == 1 ? " was" : "s were");
	gpube__out_text(out, "\n");
	text_label(out, "time");
	gpube__out_printf(out, "%.3f s: read %.3f", session_seconds(r->session), r->seconds_read);
	if (r->inference)
		gpube__out_printf(out, ", order %.3f, sum %.3f", r->inference->seconds_order,
			r->inference->seconds_sum);
	if (r->mmap)
		gpube__out_printf(out, ", order %.3f, sum %.3f, search %.3f", r->mmap->seconds_order,
			r->mmap->seconds_sum, r->mmap->seconds_search);
	gpube__out_text(out, "\n");
	text_label(out, "backend");
	gpube__out_printf(out, "%s, %d thread%s\n", backend_of(r), r->session->ctx->n_threads,
		gpube__plural(r->session->ctx->n_threads));
}

/* ---- JSON ----------------------------------------------------------------------------- */

static void json_marginals(struct json *j, const struct result *r, const char *key, const double *p)
{
	json_open(j, key, '[');
	for (int32_t i = 0; i < r->model->n_vars; i++) {
		json_open(j, NULL, '[');
		for (int32_t a = 0; a < r->model->vars[i].domain; a++)
			json_real(j, NULL, *p++);
		json_close(j, ']');
	}
	json_close(j, ']');
}

static void json_assignment(struct json *j, const struct result *r)
{
	json_open(j, "assignment", '[');
	for (int32_t i = 0; i < r->model->n_vars; i++)
		json_int(j, NULL, r->solution->values[i]);
	json_close(j, ']');
}

static void json_mmap(struct json *j, const struct result *r)
{
	json_real(j, "log10_lower", r->mmap->log10_lower);
	json_real(j, "log10_upper", r->mmap->log10_upper);
	json_real(j, "relative_error", r->mmap->relative_error);
	json_text(j, "query_file", r->query->file);
	json_open(j, "query", '[');
	for (int32_t k = 0; k < r->query->n; k++)
		json_int(j, NULL, r->query->vars[k]);
	json_close(j, ']');
	if (!r->mmap->values) {
		json_null(j, "assignment");
		return;
	}
	json_open(j, "assignment", '[');
	for (int32_t k = 0; k < r->query->n; k++)
		json_int(j, NULL, r->mmap->values[k]);
	json_close(j, ']');
}

static const char *status_of(const struct result *r)
{
	if (is_impossible(r))
		return "impossible";
	if (r->inference)
		return is_bounded(r) ? "bounds" : "exact";
	return r->mmap && r->mmap->answer == GPUBE_ANSWER_INCOMPLETE ? "bounds" : "optimal";
}

static void report_json(struct gpube_out *out, const void *arg)
{
	const struct result *r = arg;
	struct json j = {.out = out};

	json_open(&j, NULL, '{');
	json_text(&j, "status", status_of(r));
	json_text(&j, "task", task_names[r->task]);
	json_text(&j, "backend", backend_of(r));
	json_seconds(&j, "seconds", session_seconds(r->session));
	json_text(&j, "file", r->file);
	json_int(&j, "variables", r->model->n_vars);
	json_int(&j, "functions", r->model->n_functions);
	json_int(&j, "observed", r->n_observed);
	if (r->evidence_file)
		json_text(&j, "evidence_file", r->evidence_file);
	else
		json_null(&j, "evidence_file");
	json_real(&j, "log10", log10_of(r)); /* null of 0 */
	if (r->inference) {
		json_real(&j, "log10_lower", r->inference->log10_lower);
		json_real(&j, "log10_upper", r->inference->log10_upper);
	}
	if (has_estimate(r))
		json_real(&j, "log10_estimate", estimate_of(r));
	if (r->inference && !is_bounded(r))
		json_real(&j, "relative_error", r->inference->relative_error);
	if (r->task == TASK_MAR && r->inference->marginals)
		json_marginals(&j, r, "marginals", r->inference->marginals);
	if (r->task == TASK_MAR && is_bounded(r)) {
		json_marginals(&j, r, "marginals_lower", r->inference->marginals_lower);
		json_marginals(&j, r, "marginals_upper", r->inference->marginals_upper);
	}
	if (r->task == TASK_MPE && !is_impossible(r))
		json_assignment(&j, r);
	if (r->mmap)
		json_mmap(&j, r);
	if (r->solution)
		json_int(&j, "rounded_decimals", r->solution->scale);
	json_plan(&j, plan_of(r));
	if (r->inference && r->inference->n_cases)
		json_int(&j, "cases", r->inference->n_cases);
	json_open(&j, "times", '{');
	json_seconds(&j, "read", r->seconds_read);
	if (r->inference) {
		json_seconds(&j, "order", r->inference->seconds_order);
		json_seconds(&j, "sum", r->inference->seconds_sum);
	}
	if (r->mmap) {
		json_seconds(&j, "order", r->mmap->seconds_order);
		json_seconds(&j, "sum", r->mmap->seconds_sum);
		json_seconds(&j, "search", r->mmap->seconds_search);
	}
	json_close(&j, '}');
	json_close(&j, '}');
	gpube__out_text(out, "\n");
}

/* ---- the UAI result file ------------------------------------------------------------------ */

static int write_uai(const struct result *r)
{
	static const enum gpube_uai_task tasks[] = {GPUBE_UAI_PR, GPUBE_UAI_MAR, GPUBE_UAI_MAP, GPUBE_UAI_MPE};
	struct session *s = r->session;
	struct gpube_uai_result to = {.log10_value = log10_of(r), .n = r->model->n_vars};
	int32_t *domains = NULL;
	int status = GPUBE_OK;

	session_hide_bar(s);
	if (is_impossible(r) && r->task != TASK_PR) {
		if (!s->quiet) /* then no file is written */
			cli_error("%s has probability zero, so there is no %s to write",
				r->n_observed ? "the evidence" : "every assignment",
				r->task == TASK_MAR ? "marginal" : "assignment");
		return CLI_DONE;
	}
	if (is_bounded(r)) {
		if (!s->quiet)
			cli_error("the sum has but bounds, so there is no result to write");
		return CLI_FAILED;
	}
	if (r->mmap && !r->mmap->values) {
		if (!s->quiet)
			cli_error("stopped before an assignment was found, so there is none to write");
		return CLI_FAILED;
	}
	to.task = tasks[r->task];
	if (r->task == TASK_MPE)
		to.values = r->solution->values;
	if (r->mmap) {
		to.n = r->query->n;
		to.vars = r->query->vars;
		to.values = r->mmap->values;
	}
	if (r->task == TASK_MAR) {
		domains = gpube__alloc(s->ctx, (uint64_t)r->model->n_vars, sizeof(*domains));
		status = domains ? GPUBE_OK : GPUBE_ENOMEM;
		for (int32_t i = 0; domains && i < r->model->n_vars; i++)
			domains[i] = r->model->vars[i].domain;
		to.domains = domains;
		to.marginals = r->inference->marginals;
	}
	if (!status)
		status = gpube_write_uai_result(s->ctx, s->output ? s->output : "-", &to);
	gpube__free(s->ctx, domains);
	return status ? session_fail(s, NULL) : CLI_DONE;
}

/* ---- the command --------------------------------------------------------------------------- */

static int report(struct result *r, int output)
{
	for (int32_t i = 0; r->model->evidence && i < r->model->n_vars; i++)
		r->n_observed += r->model->evidence[i] >= 0;
	return output == ANSWER_TEXT || output == ANSWER_JSON
		       ? session_report(r->session, report_text, report_json, r)
		       : write_uai(r);
}

static int fail(const struct result *r, const struct gpube_solution *plan)
{
	return r->ranks->world.n_ranks > 1 ? ranks_fail(r->ranks, r->session) : session_fail(r->session, plan);
}

static int sum(struct result *r, const struct gpube_solve_opts *o, int output)
{
	const struct gpube_infer_opts opts = {.sizeof_options = sizeof(opts),
		.task = (enum gpube_infer_task)r->task,
		.order_method = o->order_method,
		.order = o->order,
		.order_seconds = o->order_seconds,
		.timeout_seconds = o->timeout_seconds,
		.seed = o->seed,
		.backend = o->backend,
		.bounds = 1};
	struct gpube_inference *inference;
	struct gpube_solution plan = {0}; /* of what was refused */
	int rc, status = dcop_world_is_mpi() ? gpube__deal_infer(&inference, r->model, &opts, &r->ranks->world)
					     : gpube_infer(&inference, r->model, &opts);

	if (!status && r->ranks->world.rank > 0) /* rank 0 reports */
		return CLI_DONE;
	if (inference)
		plan.plan = inference->plan;
	r->inference = inference;
	rc = status ? fail(r, inference ? &plan : NULL) : report(r, output);
	if (!rc && is_bounded(r))
		rc = CLI_FAILED;
	gpube_inference_free(inference, r->session->ctx);
	return rc;
}

/* What was stopped is reported, too. */
static int maximise_sum(struct result *r, const struct gpube_solve_opts *o, int output)
{
	const struct gpube_mmap_opts opts = {.sizeof_options = sizeof(opts),
		.n_query = r->query->n,
		.query = r->query->vars,
		.order_method = o->order_method,
		.order = o->order,
		.timeout_seconds = o->timeout_seconds,
		.seed = o->seed,
		.backend = o->backend};
	struct gpube_mmap *mmap;
	struct gpube_solution plan = {0};
	int rc, status = gpube_mmap(&mmap, r->model, &opts);

	if (mmap)
		plan.plan = mmap->plan;
	r->mmap = mmap;
	rc = status ? session_fail(r->session, mmap ? &plan : NULL) : report(r, output);
	if (!rc && mmap->answer == GPUBE_ANSWER_INCOMPLETE)
		rc = CLI_FAILED;
	gpube_mmap_free(mmap, r->session->ctx);
	return rc;
}

static int read_query(struct session *s, struct query *q, const struct opts_infer *o, const char *file,
	const struct gpube_model *m)
{
	int status = GPUBE_OK;

	if (o->query) {
		q->file = gpube__strdup(s->ctx, o->query);
		status = q->file ? GPUBE_OK : GPUBE_ENOMEM;
	} else {
		status = gpube__beside_find(&q->file, s->ctx, file, ".query");
	}
	if (!status && !q->file)
		status = gpube__fail(s->ctx, GPUBE_EINVAL,
			"there is no query beside '%s', so --query has to name it", file);
	return status ? status : gpube__query_read(&q->vars, &q->n, m, q->file);
}

static int maximise(struct result *r, const struct gpube_solve_opts *o, int output)
{
	struct gpube_solution *solution;
	int rc, status = r->ranks->world.n_ranks > 1 ? gpube__deal_solve(&solution, r->model, o, &r->ranks->world)
						      : gpube_solve(&solution, r->model, o);

	if (!status && r->ranks->world.rank > 0)
		return CLI_DONE;
	r->solution = solution;
	rc = status ? fail(r, solution) : report(r, output);
	gpube_solution_free(solution, r->session->ctx);
	return rc;
}

/* All that is read: the model, which is *m, evidence, query and order. */
static int read_inputs(struct result *r, struct gpube_model **m, struct query *query, struct gpube_solve_opts *opts,
	int32_t **order, char **evidence_file, const struct opts_infer *o, const struct opts_engine *engine,
	const struct opts_read *read)
{
	struct session *s = r->session;

	if (session_read(s, m, r->file, read))
		return CLI_FAILED;
	r->model = *m;
	r->seconds_read = session_seconds(s);
	if ((*m)->kind != GPUBE_POTENTIALS) {
		gpube__fail(s->ctx, GPUBE_EINVAL,
			"'%s': a model of costs has no probabilities; 'gpube solve' finds its optimum", r->file);
		return session_fail(s, NULL);
	}
	if (session_evidence_file(evidence_file, s, *m, r->file, read) ||
		(r->task == TASK_MMAP && read_query(s, query, o, r->file, *m)))
		return session_fail(s, NULL);
	r->evidence_file = *evidence_file;
	r->query = query;
	return session_engine(s, opts, order, *m, engine);
}

static int infer(struct session *s, const struct opts_infer *o, const struct opts_engine *engine, const char *file,
	const struct opts_read *read, int output, struct ranks *ranks)
{
	struct result r = {
		.session = s, .ranks = ranks, .file = file, .task = (enum task)o->task, .estimate = o->estimate};
	struct gpube_model *m = NULL;
	struct gpube_solve_opts opts;
	struct query query = {0};
	char *found = NULL;
	int32_t *order = NULL;
	int rc;

	ranks_begin_inputs(ranks, s);
	rc = ranks_end_inputs(ranks, s, read_inputs(&r, &m, &query, &opts, &order, &found, o, engine, read));
	if (!rc)
		rc = r.task == TASK_MPE	   ? maximise(&r, &opts, output)
		     : r.task == TASK_MMAP ? maximise_sum(&r, &opts, output)
					   : sum(&r, &opts, output);
	gpube__free(s->ctx, order);
	gpube__free(s->ctx, found);
	gpube__free(s->ctx, query.file);
	gpube__free(s->ctx, query.vars);
	gpube_model_free(m);
	return rc;
}

static int run(const void *opts, int n_args, char **args)
{
	const struct opts_infer *o = opts;
	const struct opts_engine engine = {.order = o->order,
		.order_file = o->order_file,
		.order_time = o->order_time,
		.seed = o->seed,
		.backend = o->backend,
		.timeout = o->timeout,
		.memory = o->memory,
		.threads = o->threads};
	struct ranks ranks;
	struct session s;
	struct opts_read read = o->read;
	int output = o->json ? ANSWER_JSON : o->output == 2 ? ANSWER_UAI : o->output, rc;

	if (session_options_clash(&engine) || !session_evidence(&read, n_args, args))
		return CLI_USAGE;
	if (o->query && o->task != TASK_MMAP) {
		cli_error("--query is for --task MMAP");
		return CLI_USAGE;
	}
	if (ranks_open(&ranks, &o->ranks))
		return CLI_FAILED;
	if (o->task == TASK_MMAP && ranks.world.n_ranks > 1)
		rc = ranks_refuse(&ranks, "several ranks share no --task MMAP, use gpube");
	else
		rc = ranks_session_start_engine(&ranks, &s, &o->talk, &engine, output == ANSWER_JSON, o->output_file);
	if (!rc)
		rc = infer(&s, o, &engine, args[0], &read, output, &ranks);
	ranks_close(&ranks, &s);
	return rc;
}

const struct command cmd_infer = {
	.name = "infer",
	.arguments = "FILE [EVIDENCE]",
	.summary = "sum over a graphical model: partition function, marginals, marginal MAP",
	.description =
		"Sums the Markov or Bayesian network in FILE (.uai, .bif, .erg) over all assignments "
		"that agree with the evidence. --task PR gives the logarithm of the sum: of the partition "
		"function, or of the evidence's probability. --task MAR gives the distribution of "
		"every variable, too, all by one more pass. --task MPE gives the most "
		"probable assignment, as 'gpube solve' does. --task MMAP gives the values of the query variables for "
		"which the sum over all others is largest (marginal MAP): the others are summed first, exactly, then "
		"what they leave is searched as by 'gpube bound'. SIGINT, SIGTERM and --timeout end that "
		"search with the best assignment and an upper bound; the exit status is then 1.\n\n"
		"Sums are exact: by bucket elimination, in doubles that keep a power of two beside "
		"them, so that 1e-4000 is no problem; the error by rounding is bounded and told; "
		"a marginal below 1e-100 may be 0. What is large goes to a graphics card, where there is one (--backend). Values that the evidence or zeros exclude are removed before, and for PR variables that sum to a constant, as all of a Bayesian network of which nothing is observed. Where nothing is "
		"left the answer says so: probability zero. What does not fit --memory is summed in slices, for the values of "
		"some variables in turn. Where zeros leave little, as in formulas, a search by cases sums what they leave (--task PR). Where slices would be too many, or where --timeout, SIGINT or "
		"SIGTERM end, has proved bounds: from above by weighted mini-buckets, from below by exact sums over "
		"part of the assignments. They become better until the end that is given, or until they meet; the exit status is "
		"then 1. Marginals have intervals then: what a part of the model around each variable leaves possible, whatever the rest is.\n\n"
		"'mpirun -n 4 gpube-mpi infer FILE' shares slices of PR and MAR among four processes, which all read FILE: about 64 "
		"slices, if they do not take more than twice as much as the whole. They are added in their order, so that any "
		"number of ranks gives the same digits. MPE is shared as 'gpube solve' is; MMAP is not.\n\n"
		"Evidence is read from the .evid file beside FILE, from EVIDENCE or that of --evidence, or not at all "
		"(--evidence none). The answer tells how much there was, and which file had it. The query of MMAP is "
		"read from the .query file beside FILE, or from that of --query.\n\n"
		"With --output json the result is one object: status (exact, optimal, bounds, impossible, error), "
		"task, observed, evidence_file, log10 (null of zero), relative_error, marginals (a list for each "
		"variable; with bounds, marginals_lower and marginals_upper) or assignment, the sizes of the plan, and times; of MMAP also log10_lower and log10_upper, "
		"and query, the variables that assignment is of.",
	.examples = "gpube infer network.uai\n"
		    "the partition function, with the evidence in network.uai.evid\n"
		    "gpube infer --task MAR --evidence seen.evid --json network.uai.xz\n"
		    "all marginals, for a program to read\n"
		    "gpube infer --task MAR --output uai -o network.uai.MAR network.uai\n"
		    "the same in the UAI competitions' format\n"
		    "gpube infer --task MMAP --query asked.query --timeout 60s network.uai\n"
		    "the best values of some variables, or bounds after a minute\n"
		    "mpirun -n 4 gpube-mpi infer network.uai\n"
		    "the partition function by four processes, on one host or several",
	.min_args = 1,
	.max_args = 2,
	.opts_size = sizeof(struct opts_infer),
	.groups = groups,
	.run = run,
};
