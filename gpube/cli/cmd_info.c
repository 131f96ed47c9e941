/* cmd_info.c - gpube info: how large a model is, and what its elimination would take. */
#include "formats/common/named.h"
#include "gpube/options/options.h"
#include "gpube/cli/answer.h"
#include "gpube/cli/draw/draw.h"
#include "gpube/cli/session/contents.h"
#include "gpube/cli/session/measure.h"
#include "gpube/ops/device/opening.h"
#include "gpube/ops/pick.h"
#include "gpube/ir/payoffs.h"
#include "gpube/ir/games/action_graph.h"
#include "gpube/ir/games/game_tree.h"

#define OPTS_STRUCT struct opts_info
static const struct opt_row rows[] = {OPTS_INFO(OPT_ROW)};

static const struct opt_group groups[] = {
	OPT_GROUP("Options", rows, 0),
	OPT_GROUP_ENGINE(offsetof(struct opts_info, engine)),
	OPT_GROUP_READ(offsetof(struct opts_info, read)),
	OPT_GROUP_TALK(offsetof(struct opts_info, talk)),
	{0},
};

/*
 * All that the reports are written from.
 * contents  what the file holds
 * model     that, or what it becomes; NULL: it becomes none, and 'why' says why
 */
struct result {
	struct session *session;
	const char *file;
	const struct contents *contents;
	const struct gpube_model *model;
	const char *why;
	const struct sizes *sizes;
	const struct gpube_solution *solution;
	bool cpu_alone;            /* no device is opened to predict its time */
	const char *evidence_file; /* NULL: none */
	bool names;
};

/* ---- text ------------------------------------------------------------------------- */

/* "2 (10), 5 (3)"; of a long histogram only its ends. */
static void text_histogram(struct gpube_out *out, const char *label, const struct histogram *h)
{
	int64_t k;

	gpube__out_printf(out, "%-*s", LABEL, label);
	for (k = 0; k < h->n_bars; k++) {
		if (h->n_bars > 8 && k == 3) {
			gpube__out_text(out, ", …");
			k = h->n_bars - 3;
		}
		gpube__out_printf(out, "%s%lld (%lld)", k ? ", " : "", (long long)h->bar[k].size,
			(long long)h->bar[k].n);
	}
	gpube__out_text(out, h->n_bars ? "\n" : "none\n");
}

/* "1 % (3), 50 % (2)": tables by the share of their cells that have to be named. */
static void text_densities(struct gpube_out *out, const struct histogram *h)
{
	gpube__out_printf(out, "%-*s", LABEL, "densities");
	for (int64_t k = 0; k < h->n_bars; k++)
		gpube__out_printf(out, "%s%lld %% (%lld)", k ? ", " : "", (long long)h->bar[k].size,
			(long long)h->bar[k].n);
	gpube__out_text(out, h->n_bars ? "\n" : "none\n");
}

static void text_model(
	struct gpube_out *out, const struct gpube_model *m, const struct sizes *sizes)
{
	char variables[ANSWER_VARIABLES];

	gpube__out_printf(out, "%-*s%s, %d function%s, %s\n", LABEL, "model",
		answer_variables(variables, m), m->n_functions, gpube__plural(m->n_functions),
		m->kind == GPUBE_POTENTIALS      ? "potentials to multiply, maximise"
		: m->direction == GPUBE_MAXIMISE ? "costs to add, maximise"
						 : "costs to add, minimise");
	text_histogram(out, "domains", &sizes->domains);
	text_histogram(out, "arities", &sizes->arities);
	gpube__out_printf(out, "%-*s%s cell%s, %s as stored; %d sparse, %d shared\n", LABEL,
		"tables", cells_text(sizes->cells, 0), gpube__plural(sizes->cells),
		bytes_text(sizes->bytes, 0), sizes->n_sparse, sizes->n_shared);
	text_densities(out, &sizes->densities);
	for (int k = 0; k < N_LARGEST && sizes->largest[k] >= 0; k++) {
		int32_t f = sizes->largest[k];

		gpube__out_printf(out, "%-*sfunction %d over %d variable%s, %s cell%s\n", LABEL,
			k ? "" : "largest", f, m->functions[f].arity,
			gpube__plural(m->functions[f].arity), cells_text(cells_of(m, f), 0),
			gpube__plural(cells_of(m, f)));
	}
}

/* The backends of this machine: the CPU, and the device if there is one. */
static int backends(const struct result *r, const struct gpube_ops *ops[2])
{
	int status;

	ops[0] = gpube__ops_cpu();
	ops[1] = r->cpu_alone ? NULL : gpube__ops_cuda(r->session->ctx, &status);
	return ops[1] ? 2 : 1;
}

static void text_predicted(struct gpube_out *out, const struct result *r)
{
	const struct session *s = r->session;
	const struct gpube_plan *plan = &r->solution->plan;
	const struct gpube_ops *ops[2];
	int n = backends(r, ops);

	gpube__out_printf(out, "%-*s", LABEL, "time");
	for (int k = 0; k < n; k++) {
		double seconds = gpube__predicted_seconds(s->ctx, ops[k], plan->joined_cells);

		gpube__out_printf(out, "%s%s: ", k ? "; " : "", ops[k]->name);
		if (seconds < 1e-3)
			gpube__out_text(out, "less than 0.001 s");
		else
			gpube__out_printf(out, "about %.2g s", seconds);
	}
	gpube__out_text(out, n < 2 && !r->cpu_alone ? "; no CUDA device\n" : "\n");
}

static void text_plan(struct gpube_out *out, const struct result *r)
{
	const struct gpube_plan *plan = &r->solution->plan;
	double allowed = (double)r->session->ctx->memory_bytes;

	gpube__out_printf(out, "%-*s%d variable%s, %d function%s, %d component%s\n", LABEL,
		"simplified", plan->n_vars, gpube__plural(plan->n_vars), plan->n_functions,
		gpube__plural(plan->n_functions), plan->n_components,
		gpube__plural(plan->n_components));
	gpube__out_printf(out, "%-*swidth %d, %s joined cell%s\n", LABEL, "order", plan->width,
		cells_text(plan->joined_cells, 0), gpube__plural(plan->joined_cells));
	gpube__out_printf(out, "%-*sat most %s cell%s joined, %s stored\n", LABEL, "buckets",
		cells_text(plan->largest_joined, 0), gpube__plural(plan->largest_joined),
		cells_text(plan->largest_message, 1));
	gpube__out_printf(out, "%-*s%s of tables at the peak; %s allowed: it %s", LABEL, "memory",
		bytes_text(plan->peak_bytes, 0), bytes_text(allowed, 1),
		plan->peak_bytes > allowed ? "does not fit" : "fits");
	if (plan->n_slices > 1)
		gpube__out_printf(out, " in %.0f slices", plan->n_slices);
	gpube__out_text(out, "\n");
	text_predicted(out, r);
}

static void text_result(struct gpube_out *out, const struct gpube_uai_result *r)
{
	static const char *const what[] = {[GPUBE_UAI_MAR] = "marginals of",
		[GPUBE_UAI_MPE] = "values of all",
		[GPUBE_UAI_MAP] = "values of"};

	gpube__out_printf(out, "%-*s%s, ", LABEL, "result", gpube__uai_task_name(r->task));
	if (r->task != GPUBE_UAI_PR)
		gpube__out_printf(
			out, "%s %d variable%s\n", what[r->task], r->n, gpube__plural(r->n));
	else
		gpube__out_printf(out, "log10 %.9g\n", r->log10_value);
}

/* Without dummies. */
static int32_t n_goods(const struct gpube_model *m)
{
	return gpube_model_n_vars(m) - gpube_model_info(m)->n_hidden;
}

static void text_tree(struct gpube_out *out, const struct gpube_game_tree *t)
{
	gpube__out_printf(out,
		"%-*sin extensive form, %d player%s, %lld information set%s, %lld node%s; see "
		"'gpube nash'\n",
		LABEL, "game", t->n_players, gpube__plural(t->n_players), (long long)t->n_infosets,
		gpube__plural((double)t->n_infosets), (long long)t->n_nodes,
		gpube__plural((double)t->n_nodes));
	gpube__out_printf(out, "%-*s", LABEL, "strategies");
	for (int32_t p = 0; p < t->n_players; p++)
		gpube__out_printf(out, "%s%s%.15g", p ? " x " : "",
			t->forgets >= 0 && t->count[p] > GPUBE__MOST_COUNTED ? "more than " : "",
			t->count[p] - (t->forgets >= 0 && t->count[p] > GPUBE__MOST_COUNTED));
	gpube__out_text(out, " in reduced normal form\n");
	if (t->forgets >= 0) {
		const struct gpube_infoset *s = &t->infosets[t->forgets];

		gpube__out_printf(out,
			"%-*sis imperfect: player %d forgets at its information set %d", LABEL,
			"recall", s->player, s->number);
		if (s->name) {
			gpube__out_text(out, ", ");
			gpube__out_text(out, s->name);
		}
		gpube__out_text(out, "\n");
	}
}

static void text_graph(struct gpube_out *out, const struct gpube_model *m)
{
	double profiles = 1;

	for (int32_t p = 0; p < m->n_vars; p++)
		profiles *= m->vars[p].domain;
	gpube__out_printf(out,
		"%-*s%d players, %.15g profiles, by an action graph of %d action and %d function "
		"nodes; see 'gpube nash'\n",
		LABEL, "game", m->n_vars, profiles, m->graph->n_actions, m->graph->n_functions);
}

/* What else than a model the file holds. */
static void text_contents(struct gpube_out *out, const struct contents *c)
{
	if (c->result)
		text_result(out, c->result);
	else if (c->kind == GPUBE_CONTENT_GAME && c->model->tree)
		text_tree(out, c->model->tree);
	else if (c->kind == GPUBE_CONTENT_GAME && c->model->graph)
		text_graph(out, c->model);
	else if (c->kind == GPUBE_CONTENT_GAME && c->model->n_vars > 2)
		gpube__out_printf(out, "%-*s%d players, %lld profiles; see 'gpube nash --pure'\n",
			LABEL, "game", c->model->n_vars, (long long)gpube__profiles(c->model));
	else if (c->kind == GPUBE_CONTENT_GAME)
		gpube__out_printf(out, "%-*s%d x %d actions; see 'gpube nash'\n", LABEL, "game",
			c->model->vars[0].domain, c->model->vars[1].domain);
	else if (c->kind == GPUBE_CONTENT_COALITIONS)
		gpube__out_printf(out, "%-*sof %d agent%s, values of type %s; see 'gpube csg'\n",
			LABEL, "coalitions", gpube_model_n_vars(c->model),
			gpube__plural(gpube_model_n_vars(c->model)),
			gpube__type_name(gpube_coalitions_type(c->model)));
	else if (c->kind == GPUBE_CONTENT_AUCTION)
		gpube__out_printf(out, "%-*s%d good%s, %d bid%s; see 'gpube auction'\n", LABEL,
			"auction", n_goods(c->model), gpube__plural(n_goods(c->model)),
			gpube_auction_bids(c->model), gpube__plural(gpube_auction_bids(c->model)));
}

/* "rain: no, yes", or how many values it has that have no names. */
static void text_names(struct gpube_out *out, const struct gpube_model *m)
{
	int32_t n_shown = 0;
	char index[16];

	gpube__out_printf(out, "%-*s", LABEL, "names");
	if (!gpube__has_names(m))
		gpube__out_text(out, "none: variables and values are told by index\n");
	for (int32_t i = 0; gpube__has_names(m) && i < m->n_vars; i++) {
		const struct gpube_variable *v = &m->vars[i];

		if (v->hidden)
			continue;
		if (n_shown)
			gpube__out_printf(out, "%*s", LABEL, "");
		snprintf(index, sizeof(index), "%d", n_shown++);
		gpube__out_text(out, v->name ? v->name : index);
		if (!v->value_names)
			gpube__out_printf(out, ": 0 to %d", v->domain - 1);
		for (int32_t a = 0; v->value_names && a < v->domain; a++) {
			gpube__out_text(out, a ? ", " : ": ");
			gpube__out_text(out, v->value_names[a]);
		}
		gpube__out_text(out, "\n");
	}
}

static void report_text(struct gpube_out *out, const void *arg)
{
	const struct result *r = arg;

	text_contents(out, r->contents);
	if (!r->model) {
		if (r->why)
			gpube__out_printf(out, "%-*s%s\n", LABEL, "model", r->why);
		return;
	}
	text_model(out, r->model, r->sizes);
	if (r->contents->kind == GPUBE_CONTENT_GAME)
		gpube__out_printf(
			out, "%-*sof that model: the pure equilibria\n", LABEL, "solutions");
	if (r->names)
		text_names(out, r->model);
	if (r->contents->kind == GPUBE_CONTENT_MODEL)
		answer_text_evidence(out, r->session, r->model, r->evidence_file);
	if (r->solution->answer == GPUBE_ANSWER_INFEASIBLE)
		gpube__out_printf(out, "%-*severy assignment is forbidden\n", LABEL, "simplified");
	else
		text_plan(out, r);
}

/* ---- JSON ---------------------------------------------------------------------------- */

/* {"2": 10, "5": 3} */
static void json_histogram(struct json *j, const char *key, const struct histogram *h)
{
	char size[24];

	json_open(j, key, '{');
	for (int64_t k = 0; k < h->n_bars; k++) {
		snprintf(size, sizeof(size), "%lld", (long long)h->bar[k].size);
		json_int(j, size, h->bar[k].n);
	}
	json_close(j, '}');
}

static void json_largest(struct json *j, const struct gpube_model *m, const struct sizes *sizes)
{
	json_open(j, "largest_tables", '[');
	for (int k = 0; k < N_LARGEST && sizes->largest[k] >= 0; k++) {
		int32_t f = sizes->largest[k];

		json_open(j, NULL, '{');
		json_int(j, "function", f);
		json_real(j, "cells", cells_of(m, f));
		json_open(j, "scope", '[');
		for (int i = 0; i < m->functions[f].arity; i++)
			json_int(j, NULL, gpube__scope(m, f)[i]);
		json_close(j, ']');
		json_close(j, '}');
	}
	json_close(j, ']');
}

/* Of each variable the names of its values, or how many there are; null: nothing has a name. */
static void json_names_of(struct json *j, const struct result *r)
{
	const struct gpube_model *m = r->model;
	const struct gpube_named *named = session_named(r->session, m, j->out);
	int32_t n_shown = 0;
	char index[16];

	if (!named) {
		json_null(j, "names");
		return;
	}
	json_open(j, "names", '{');
	for (int32_t i = 0; i < m->n_vars; i++) {
		const struct gpube_variable *v = &m->vars[i];
		const char *name = gpube__named_key(named, i);

		if (v->hidden)
			continue;
		snprintf(index, sizeof(index), "%d", n_shown++);
		if (!v->value_names) {
			json_int(j, name ? name : index, v->domain);
			continue;
		}
		json_open(j, name ? name : index, '[');
		for (int32_t a = 0; a < v->domain; a++)
			json_text(j, NULL, v->value_names[a]);
		json_close(j, ']');
	}
	json_close(j, '}');
}

/* What is said of a model. */
static void json_model(struct json *j, const struct result *r)
{
	const struct session *s = r->session;
	const struct gpube_model *m = r->model;
	const struct sizes *sizes = r->sizes;
	const struct gpube_solution *solution = r->solution;
	const struct gpube_ops *ops[2];
	int n = backends(r, ops);

	json_text(j, "kind", m->kind == GPUBE_POTENTIALS ? "potentials" : "costs");
	json_text(j, "direction", m->direction == GPUBE_MAXIMISE ? "maximise" : "minimise");
	json_int(j, "decimals", m->scale);
	json_int(j, "variables", m->n_vars - m->n_hidden);
	if (m->n_hidden)
		json_int(j, "hidden_variables", m->n_hidden);
	json_int(j, "functions", m->n_functions);
	if (r->names)
		json_names_of(j, r);
	json_histogram(j, "domains", &sizes->domains);
	json_histogram(j, "arities", &sizes->arities);
	json_histogram(j, "densities_percent", &sizes->densities);
	json_real(j, "cells", sizes->cells);
	json_real(j, "bytes", sizes->bytes);
	json_int(j, "sparse", sizes->n_sparse);
	json_int(j, "shared", sizes->n_shared);
	json_largest(j, m, sizes);
	json_plan(j, &solution->plan);
	json_real(j, "memory_allowed_bytes", (double)s->ctx->memory_bytes);
	json_true_false(j, "fits", solution->plan.peak_bytes <= (double)s->ctx->memory_bytes);
	json_open(j, "estimated_seconds", '{');
	for (int k = 0; k < n; k++)
		json_real(j, ops[k]->name,
			gpube__predicted_seconds(s->ctx, ops[k], solution->plan.joined_cells));
	if (n < 2)
		json_null(j, "cuda");
	json_close(j, '}');
}

static void json_contents(struct json *j, const struct contents *c)
{
	const bool game = c->kind == GPUBE_CONTENT_GAME, tree = game && c->model->tree,
		   graph = game && c->model->graph,
		   several = tree || graph || (game && c->model->n_vars > 2);

	json_text(j, "kind",
		tree                               ? "game in extensive form"
		: graph                            ? "action graph game"
		: several                          ? "game of several players"
		: game                             ? "bimatrix game"
		: c->kind == GPUBE_CONTENT_AUCTION ? "auction"
		: c->model                         ? "coalition game"
						   : "result");
	if (c->result) {
		json_text(j, "task", gpube__uai_task_name(c->result->task));
		if (c->result->task == GPUBE_UAI_PR)
			json_real(j, "log10", c->result->log10_value);
		else
			json_int(j, "variables", c->result->n);
	} else if (several) {
		json_open(j, "players", '[');
		for (int32_t p = 0; p < c->model->n_vars; p++)
			json_int(j, NULL, c->model->vars[p].domain);
		json_close(j, ']');
		if (tree) {
			json_int(j, "n_sets", c->model->tree->n_infosets);
			json_int(j, "n_nodes", c->model->tree->n_nodes);
			json_true_false(j, "recall", c->model->tree->forgets < 0);
		}
		if (graph) {
			json_int(j, "n_actions", c->model->graph->n_actions);
			json_int(j, "n_functions", c->model->graph->n_functions);
		}
	} else if (game) {
		json_int(j, "rows", c->model->vars[0].domain);
		json_int(j, "columns", c->model->vars[1].domain);
	} else if (c->kind == GPUBE_CONTENT_COALITIONS) {
		json_int(j, "agents", gpube_model_n_vars(c->model));
		json_text(j, "type", gpube__type_name(gpube_coalitions_type(c->model)));
	} else {
		json_int(j, "goods", n_goods(c->model));
		json_int(j, "bids", gpube_auction_bids(c->model));
	}
}

static void report_json(struct json *j, const void *arg)
{
	const struct result *r = arg;
	const bool other = r->contents->kind != GPUBE_CONTENT_MODEL;
	const struct gpube_solution *solution = r->solution;

	json_text(j, "status",
		r->model && solution->answer == GPUBE_ANSWER_INFEASIBLE ? "infeasible" : "ok");
	if (r->model)
		json_text(j, "backend", solution->backend);
	json_seconds(j, "seconds", session_seconds(r->session));
	json_text(j, "file", r->file);
	if (other)
		json_contents(j, r->contents);
	if (other && r->model)
		json_open(j, "model", '{');
	if (r->model)
		json_model(j, r);
	if (other && r->model)
		json_close(j, '}');
	if (!other)
		answer_json_evidence(j, r->model, r->evidence_file);
}

/* ---- the command --------------------------------------------------------------------------- */

static int report(struct session *s, const struct opts_info *o, const struct contents *c,
	const struct gpube_model *m, const struct gpube_solution *solution,
	enum gpube_backend backend)
{
	char *evidence_file = NULL;
	struct sizes sizes = {0};
	struct result r = {s, c->path, c, m, NULL, &sizes, solution, backend == GPUBE_BACKEND_CPU,
		NULL, o->names};
	int rc;

	if (sizes_measure(&sizes, m) ||
		(c->kind == GPUBE_CONTENT_MODEL &&
			session_evidence_file(&evidence_file, s, m, c->path, &o->read))) {
		rc = session_fail(s, NULL);
	} else {
		r.evidence_file = evidence_file;
		rc = session_report(s, report_text, report_json, &r);
	}
	gpube__free(s->ctx, evidence_file);
	sizes_clear(s->ctx, &sizes);
	return rc;
}

/* An order to be written is for those who have the model as it is. */
static bool unsimplified(const struct opts_info *o)
{
	return o->engine.no_simplify || o->write_order;
}

/* Drawn of the model as it is, without a plan. */
static bool needs_no_plan(const struct opts_info *o)
{
	return o->dot == DRAW_GRAPH || o->dot == DRAW_PSEUDOTREE;
}

/* The picture, in Graphviz's language or drawn by it. */
static int draw(struct session *s, const struct opts_info *o, const struct gpube_model *m,
	const struct gpube_solution *solution)
{
	int (*drawing)(struct gpube_out *, const struct gpube_model *, enum drawing,
		const int32_t *, bool, int) = o->svg ? draw_svg : draw_dot;
	struct gpube_out out;
	int status = gpube__out_open(&out, s->ctx, o->svg ? o->svg : s->output), closed;

	if (status)
		return session_fail(s, NULL);
	/* the words of --dot are those of enum drawing, in its order */
	status = drawing(&out, m, (enum drawing)o->dot, needs_no_plan(o) ? NULL : solution->order,
		!unsimplified(o), needs_no_plan(o) ? 0 : solution->scale);
	closed = gpube__out_close(&out, status == GPUBE_OK);
	return status || closed ? session_fail(s, NULL) : CLI_DONE;
}

static int write_order(struct session *s, const struct gpube_model *m,
	const struct gpube_solution *solution, const char *path)
{
	if (!solution->order)
		return session_fail_text(
			s, NULL, "every assignment is forbidden: there is no order to write");
	return gpube_write_order(m, path, solution->order) ? session_fail(s, NULL) : CLI_DONE;
}

static int inspect(struct session *s, const struct opts_info *o, const struct contents *c,
	const struct gpube_model *m)
{
	struct gpube_opts options;
	struct gpube_solution *solution = NULL;
	int32_t *order;
	int status, rc = session_engine(s, &options, &order, m, &o->engine);

	if (rc)
		return rc;
	if (needs_no_plan(o) && !o->svg) {
		gpube__free(s->ctx, order);
		return draw(s, o, m, NULL);
	}
	options.no_simplify = unsimplified(o);
	status = gpube_plan(&solution, m, &options);
	/* a plan that does not fit is worth showing, and is no failure of ours */
	if (!solution || (status && status != GPUBE_ELIMIT)) {
		rc = session_fail(s, solution);
	} else {
		rc = o->dot ? draw(s, o, m, solution) : CLI_DONE;
		if (!rc && (!o->dot || o->svg))
			rc = report(s, o, c, m, solution, options.backend);
		if (!rc && o->write_order)
			rc = write_order(s, m, solution, o->write_order);
	}
	gpube_result_free(solution);
	gpube__free(s->ctx, order);
	return rc;
}

/*
 * Of a large auction a model is only made where something of it is asked for: that takes seconds,
 * and the command that solves the file needs none.
 */
static bool wants_no_model(const struct opts_info *o, const struct contents *c)
{
	enum { MOST_BIDS = 500 };

	return c->kind == GPUBE_CONTENT_AUCTION && gpube_auction_bids(c->model) > MOST_BIDS &&
	       !o->dot && !o->write_order && !o->engine.order && !o->engine.order_file &&
	       !o->engine.no_simplify;
}

static int show_large(struct session *s, const struct contents *c)
{
	struct result r = {.session = s,
		.file = c->path,
		.contents = c,
		.why = "not made of so large an auction, unless an order is asked for, such as "
		       "--order min-fill"};

	return session_report(s, report_text, report_json, &r);
}

/* What becomes no model is shown all the same, unless something of a model was asked for. */
static int show_without(
	struct session *s, const struct opts_info *o, const struct contents *c, int status)
{
	char why[sizeof(s->ctx->error)];
	struct result r = {.session = s, .file = c->path, .contents = c};

	if (o->dot || o->write_order ||
		(status != GPUBE_EINVAL && status != GPUBE_ELIMIT && status != GPUBE_ERANGE))
		return session_fail(s, NULL);
	snprintf(why, sizeof(why), "none: %.*s", (int)sizeof(why) - 8, gpube_error(s->ctx));
	r.why = c->result ? NULL : why;
	return session_report(s, report_text, report_json, &r);
}

/* The contents stay as they are: what they become is made beside them. */
static int show(struct session *s, const struct opts_info *o, const struct contents *c)
{
	struct gpube_model *m = NULL;
	int rc, status;

	if (c->kind == GPUBE_CONTENT_MODEL)
		return inspect(s, o, c, c->model);
	if (wants_no_model(o, c))
		return show_large(s, c);
	status = contents_model(&m, c, s->ctx, o->read.regret);
	rc = status ? show_without(s, o, c, status) : inspect(s, o, c, m);
	gpube_model_free(m);
	return rc;
}

static int run(const void *opts, int n_args, char **args)
{
	struct opts_info given = *(const struct opts_info *)opts, *o = &given;
	struct contents c;
	struct session s;
	int rc;

	(void)n_args;
	if (session_options_clash(&o->engine))
		return CLI_USAGE;
	if (o->write_order && needs_no_plan(o) && !o->svg) {
		cli_error("info: --write-order needs an elimination, which --dot %s has not",
			o->dot == DRAW_GRAPH ? "graph" : "pseudotree");
		return CLI_USAGE;
	}
	rc = session_start_engine(&s, &o->talk, &o->engine, o->json || o->output, o->output_file);
	if (rc)
		return rc;
	if (!o->dot || o->svg)
		gpube__opening_begin(); /* for its predicted time */
	if (o->svg && !o->dot)
		o->dot = DRAW_GRAPH;
	if (o->svg && !session_can_write(&s, o->svg)) {
		rc = session_fail(&s, NULL);
		session_end(&s);
		return rc;
	}
	if (session_try_contents(&s, &c, args[0], &o->read)) {
		rc = session_fail(&s, NULL);
	} else {
		rc = show(&s, o, &c);
		contents_clear(&c);
	}
	session_end(&s);
	return rc;
}

const struct command cmd_info = {
	.name = "info",
	.arguments = "FILE",
	.summary = "show how large a model is and what solving it would take",
	.description =
		"Shows the variables, functions, domains, arities and tables of the model in "
		"FILE, what simplification leaves of it, and the elimination order that is "
		"found: its width, the number of cells, the memory and the predicted time. "
		"Nothing is eliminated. A game, an auction or a result is described as such "
		"and, where it can become a model, also as that model; an auction of more than "
		"500 bids only if an option asks for an order or a picture.\n\n"
		"Each domain size and arity is followed by the number of its occurrences: '2 "
		"(10)' means ten variables of two values. So is each density: the share of a "
		"table's cells that differ from its most frequent value, rounded up to 1, 2, 5, "
		"10, 20, 50 or 100 percent. --names lists the names of variables and values, as "
		"--observe takes them.\n\n"
		"--dot writes a picture in the language of Graphviz: 'gpube info --dot buckets "
		"FILE | dot -Tpng > buckets.png'. Colours show the sizes of domains and tables, "
		"and a legend explains them. Arrows lead from parents to children in a Bayesian "
		"network. --svg FILE runs Graphviz (apt-get install graphviz) and shows the "
		"report as well; without --dot it draws the graph. The layouts are meant for up "
		"to some 200 variables.",
	.examples = "gpube info problem.wcsp\n"
		    "sizes and estimates\n"
		    "gpube info --order min-fill --json model.uai\n"
		    "what plain min-fill gives, for a program to read\n"
		    "gpube info --dot decomposition --svg tree.svg problem.wcsp\n"
		    "the clusters of the elimination as a picture\n"
		    "gpube info --write-order problem.cov problem.wcsp\n"
		    "the same for toulbar2, 'toulbar2 problem.wcsp problem.cov -B=1'",
	.min_args = 1,
	.max_args = 1,
	.opts_size = sizeof(struct opts_info),
	.groups = groups,
	.run = run,
};
