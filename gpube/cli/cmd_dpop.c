/* cmd_dpop.c - gpube dpop: agents on a pseudo-tree; in gpube-mpi, spread over ranks. */
#include <string.h>

#include "dcop/dcop.h"
#include "gpube/options/options.h"
#include "formats/formats.h"
#include "gpube/cli/bounding.h"
#include "gpube/cli/session/session_ranks.h"

#define OPTS_STRUCT struct opts_dpop
static const struct opt_row rows[] = {OPTS_DPOP(OPT_ROW)};

static const struct opt_group groups[] = {
	OPT_GROUP("Options", rows, 0),
	OPT_GROUP_READ(offsetof(struct opts_dpop, read)),
	OPT_GROUP_RANKS(offsetof(struct opts_dpop, ranks)),
	OPT_GROUP_TALK(offsetof(struct opts_dpop, talk)),
	{0},
};

struct report {
	struct answer answer;
	const struct gpube_dpop_result *result;
	const struct dcop_world *world;
	bool distributed;
	const char *evidence_file; /* may be NULL */
	double seconds_read;
};

/* "alice", or "agent 3" */
static const char *agent_name(const struct gpube_dpop_result *r, int32_t a)
{
	static char text[32];

	if (r->agents[a].name)
		return r->agents[a].name;
	snprintf(text, sizeof(text), "agent %d", a);
	return text;
}

/* ---- text ------------------------------------------------------------------------- */

static void text_answer(struct gpube_out *out, const struct report *p)
{
	const struct answer *a = &p->answer;
	const struct gpube_dpop_result *r = p->result;

	if (r->answer == GPUBE_ANSWER_INFEASIBLE) {
		answer_text_infeasible(out, a);
		return;
	}
	if (r->answer == GPUBE_ANSWER_OPTIMAL) {
		gpube__out_printf(out, "%-*s", LABEL, "optimum");
		gpube__out_decimal(out, r->cost, r->scale);
		gpube__out_text(out, ", the proved ");
		gpube__out_text(out, answer_maximises(a) ? "maximum" : "minimum");
	} else {
		gpube__out_printf(out, "%-*s[", LABEL, "bounds");
		if (!answer_text_bound(out, a, true))
			gpube__out_text(out, "unknown");
		gpube__out_text(out, ", ");
		if (!answer_text_bound(out, a, false))
			gpube__out_text(out, "unknown");
		gpube__out_printf(out, "], the %s one of an assignment",
			answer_maximises(a) ? "lower" : "upper");
	}
	if (a->model->kind == GPUBE_POTENTIALS && r->values)
		gpube__out_printf(out, " (-ln; log10 %.9g)", answer_log10(a));
	gpube__out_text(out, "\n");
	if (!r->values)
		return;
	answer_text_assignment(out, a->model, r->values);
	gpube__out_printf(
		out, "%-*sits cost, recomputed from the tables of the file\n", LABEL, "checked");
}

static void text_agents(struct gpube_out *out, const struct gpube_dpop_result *r)
{
	gpube__out_printf(out, "\n%-16s %-16s %5s %4s %5s %6s %12s %10s %10s %10s %4s\n", "agent",
		"parent", "depth", "vars", "separ", "tables", "UTIL bytes", "UTIL s", "VALUE s",
		"clock s", "rank");
	for (int32_t a = 0; a < r->n_agents; a++) {
		const struct gpube_dpop_agent *agent = &r->agents[a];

		gpube__out_printf(out, "%-16.80s ", agent_name(r, a));
		gpube__out_printf(out, "%-16.80s %5d %4d %5d %6d %12llu %10.6f %10.6f %10.6f %4d\n",
			agent->parent < 0 ? "-" : agent_name(r, agent->parent), agent->depth,
			agent->n_vars, agent->separator, agent->n_tables,
			(unsigned long long)agent->util_bytes, agent->seconds_util,
			agent->seconds_value, agent->clock, agent->rank);
	}
}

static void report_text(struct gpube_out *out, const void *arg)
{
	const struct report *p = arg;
	const struct gpube_dpop_result *r = p->result;

	text_answer(out, p);
	answer_text_evidence(out, p->answer.session, p->answer.model, p->evidence_file);
	gpube__out_printf(out, "%-*s%d agent%s in %d tree%s, height %d, width %d (%s of %lld)\n",
		LABEL, "tree", r->n_agents, gpube__plural(r->n_agents), r->n_trees,
		gpube__plural(r->n_trees), r->height, r->width, dcop_tree_name(r->tree),
		(long long)r->n_searched);
	if (r->tree_messages)
		gpube__out_printf(out,
			"%-*sdistributed DFS: %lld message%s, %lld of them of the token, %s in "
			"all, the largest %s, %lld round%s, %.6f s simulated\n",
			LABEL, "built by", (long long)r->tree_messages,
			gpube__plural(r->tree_messages), (long long)r->token_messages,
			bytes_text((double)r->tree_bytes, 0),
			bytes_text((double)r->largest_tree_bytes, 1), (long long)r->tree_rounds,
			gpube__plural(r->tree_rounds), r->tree_seconds);
	gpube__out_printf(out, "%-*s%s", LABEL, "method", r->z ? "ADPOP" : "DPOP");
	if (r->z)
		gpube__out_printf(out, ", z %d, %d bucket%s split", r->z, r->n_split,
			gpube__plural(r->n_split));
	gpube__out_printf(out, ", %s joined cell%s\n", cells_text(r->joined_cells, 0),
		gpube__plural(r->joined_cells));
	gpube__out_printf(out,
		"%-*s%lld UTIL, %lld VALUE, %s in all, the largest %s, %s cell%s in its "
		"largest table\n",
		LABEL, "messages", (long long)r->util_messages, (long long)r->value_messages,
		bytes_text((double)r->total_bytes, 0), bytes_text((double)r->largest_bytes, 1),
		cells_text(r->largest_cells, 1), gpube__plural(r->largest_cells));
	gpube__out_printf(out, "%-*s%.6f s, the last agent's clock\n", LABEL, "simulated",
		r->simulated_seconds);
	gpube__out_printf(out, "%-*s%.3f s: read %.3f, tree and plan %.3f, messages %.3f\n", LABEL,
		"time", session_seconds(p->answer.session), p->seconds_read, r->seconds_plan,
		r->seconds_run);
	gpube__out_printf(out, "%-*s%s, up to %d agent%s at a time\n", LABEL, "backend", r->backend,
		r->n_workers, gpube__plural(r->n_workers));
	if (p->world->n_ranks > 1)
		gpube__out_printf(out, "%-*s%d; between them %lld message%s, %s, sent as %s\n",
			LABEL, "ranks", p->world->n_ranks, (long long)p->world->traffic.n_parcels,
			gpube__plural(p->world->traffic.n_parcels),
			bytes_text((double)p->world->traffic.raw_bytes, 0),
			bytes_text((double)p->world->traffic.sent_bytes, 1));
	text_agents(out, r);
}

/* ---- JSON -------------------------------------------------------------------------- */

static void json_agents(struct json *j, const struct gpube_dpop_result *r)
{
	json_open(j, "agents", '[');
	for (int32_t a = 0; a < r->n_agents; a++) {
		const struct gpube_dpop_agent *agent = &r->agents[a];

		json_open(j, NULL, '{');
		json_text(j, "name", agent_name(r, a));
		json_int(j, "parent", agent->parent);
		json_open(j, "pseudo_parents", '[');
		for (int32_t k = 0; k < agent->n_pseudo_parents; k++)
			json_int(j, NULL, agent->pseudo_parents[k]);
		json_close(j, ']');
		json_int(j, "depth", agent->depth);
		json_int(j, "variables", agent->n_vars);
		json_int(j, "separator", agent->separator);
		json_int(j, "util_tables", agent->n_tables);
		json_int(j, "util_bytes", (int64_t)agent->util_bytes);
		json_seconds(j, "util_seconds", agent->seconds_util);
		json_seconds(j, "value_seconds", agent->seconds_value);
		json_seconds(j, "clock", agent->clock);
		json_int(j, "rank", agent->rank);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void report_json(struct json *j, const void *arg)
{
	const struct report *p = arg;
	const struct gpube_dpop_result *r = p->result;

	answer_json_head(j, &p->answer);
	answer_json_result(j, &p->answer);
	answer_json_evidence(j, p->answer.model, p->evidence_file);
	json_int(j, "z", r->z);
	json_int(j, "messages", r->util_messages + r->value_messages);
	json_int(j, "util_messages", r->util_messages);
	json_int(j, "value_messages", r->value_messages);
	json_int(j, "message_bytes", (int64_t)r->total_bytes);
	json_int(j, "largest_message_bytes", (int64_t)r->largest_bytes);
	json_seconds(j, "simulated_seconds", r->simulated_seconds);
	json_open(j, "tree", '{');
	json_text(j, "heuristic", dcop_tree_name(r->tree));
	json_int(j, "agents", r->n_agents);
	json_int(j, "trees", r->n_trees);
	json_int(j, "height", r->height);
	json_int(j, "width", r->width);
	json_real(j, "joined_cells", r->joined_cells);
	json_int(j, "buckets_split", r->n_split);
	json_text(j, "built_by", p->distributed ? "distributed DFS" : "central DFS");
	json_int(j, "messages", r->tree_messages);
	json_int(j, "token_messages", r->token_messages);
	json_int(j, "message_bytes", (int64_t)r->tree_bytes);
	json_int(j, "largest_message_bytes", (int64_t)r->largest_tree_bytes);
	json_int(j, "rounds", r->tree_rounds);
	json_seconds(j, "simulated_seconds", r->tree_seconds);
	json_close(j, '}');
	json_open(j, "ranks", '{');
	json_int(j, "number", p->world->n_ranks);
	json_int(j, "messages", p->world->traffic.n_parcels);
	json_int(j, "pieces", p->world->traffic.n_pieces);
	json_int(j, "bytes", (int64_t)p->world->traffic.raw_bytes);
	json_int(j, "sent_bytes", (int64_t)p->world->traffic.sent_bytes);
	json_close(j, '}');
	json_times(j, SPENT({"read", p->seconds_read}, {"tree", r->seconds_tree},
			      {"plan", r->seconds_plan}, {"messages", r->seconds_run}));
	json_agents(j, r);
}

static int report(struct report *p, const struct opts_read *read, int output)
{
	const struct answer *a = &p->answer;
	char *file;
	int rc;

	if (session_evidence_file(&file, a->session, a->model, a->file, read))
		return session_fail(a->session, NULL);
	p->evidence_file = file;
	rc = answer_report(a, (enum answer_output)output, report_text, report_json, p);
	gpube__free(a->session->ctx, file);
	return rc;
}

/* ---- the command --------------------------------------------------------------------- */

/* ---- stopped ------------------------------------------------------------------------- */

static void stopped_text(struct gpube_out *out, const void *arg)
{
	const struct answer *a = &((const struct report *)arg)->answer;
	const double now = session_seconds(a->session);
	const struct gpube_solution known = {.answer = a->answer,
		.bound = a->bound,
		.cost = a->cost,
		.scale = a->scale,
		.values = (int32_t *)(uintptr_t)a->values,
		.seconds_bound = now,
		.seconds_cost = now};

	bounding_text(out, a, &known);
	if (a->values)
		answer_text_assignment(out, a->model, a->values);
	gpube__out_printf(out, "%-*s%.3f s\n", LABEL, "time", now);
}

static void stopped_json(struct json *j, const void *arg)
{
	const struct report *p = arg;

	answer_json_head(j, &p->answer);
	answer_json_result(j, &p->answer);
}

static int report_stopped(struct report *p, int output)
{
	int rc;

	gpube_ctx_resume(p->answer.session->ctx);
	rc = answer_report(&p->answer, (enum answer_output)output, stopped_text, stopped_json, p);
	return p->answer.answer == GPUBE_ANSWER_INCOMPLETE ? CLI_FAILED : rc;
}

static int dpop(struct session *s, const struct opts_dpop *o, const char *file, int output,
	struct ranks *ranks)
{
	struct dcop_world *world = &ranks->world;
	struct gpube_model *m = NULL;
	struct gpube_dpop_result *result = NULL;
	struct report r = {.answer = {.session = s, .file = file},
		.world = world,
		.distributed = o->distributed_dfs};
	int status, rc;

	s->timeout = o->timeout;
	status = session_try_read(s, &m, file, &o->read);
	r.seconds_read = session_seconds(s);
	if (status) {
		dcop_world_agree(world, status);
	} else {
		struct gpube_opts opts = {.world = world};

		opts_library(&opts, GPUBE__ON_DPOP, rows, OPT_N(rows), o);
		opts.timeout_seconds = session_time_left(s, o->timeout);
		status = gpube_dpop(&result, m, &opts);
	}
	r.answer.model = m;
	r.result = result;
	if (result) {
		r.answer.answer = result->answer;
		r.answer.backend = result->backend;
		r.answer.bound = result->bound;
		r.answer.cost = result->cost;
		r.answer.scale = result->scale;
		r.answer.log_value = result->log_value;
		r.answer.values = result->values;
		r.answer.no_bounds = !result->bounded;
	}
	if (!result || (status && status != GPUBE_ESTOP))
		rc = ranks_fail(ranks, s);
	else if (world->rank)
		rc = status ? CLI_FAILED : CLI_DONE;
	else
		rc = result->stopped ? report_stopped(&r, output) : report(&r, &o->read, output);
	gpube_result_free(result);
	gpube_model_free(m);
	return rc;
}

static int run(const void *opts, int n_args, char **args)
{
	const struct opts_dpop *o = opts;
	const int output = o->json ? ANSWER_JSON : o->output;
	struct ranks ranks;
	struct session s;
	int rc;

	(void)n_args;
	if (ranks_open(&ranks, &o->ranks))
		return CLI_FAILED;
	rc = ranks_session_start(
		&ranks, &s, &o->talk, o->threads, o->memory, output == ANSWER_JSON, o->output_file);
	if (!rc) {
		session_open_device(&s, (enum gpube_backend)o->backend, false, false);
		rc = dpop(&s, o, args[0], output, &ranks);
	}
	ranks_close(&ranks, &s);
	return rc;
}

const struct command cmd_dpop = {
	.name = "dpop",
	.arguments = "FILE",
	.summary = "solve by agents that exchange messages on a pseudo-tree (DPOP, ADPOP)",
	.description =
		"Solves the model in FILE as a distributed constraint optimisation problem "
		"(DCOP). Agents own variables and are arranged in a pseudo-tree by a "
		"depth-first search; UTIL messages (cost tables) go up to the root, and VALUE "
		"messages come back. Without --z this is DPOP, which finds the optimum. With "
		"--z N it is ADPOP: agents split what they join into mini-buckets of at most N "
		"variables, and the result is a proved bound and an assignment. The tables and "
		"costs are those of centralised bucket or mini-bucket elimination along the "
		"same order.\n\n"
		"The agents are simulated in one process. Each has a clock that counts its own "
		"work and that a message sets forward to the clock of its sender; the latest "
		"clock is the simulated run time. On a CPU the work of an agent is the "
		"processor time of its thread, with --agent-threads above 1 and with --backend "
		"cuda it is elapsed time. The search for the pseudo-tree is not counted.\n\n"
		"With --distributed-dfs the agents build the pseudo-tree themselves. Each knows "
		"only its neighbours; waves elect the root, and a token that carries the set of "
		"visited agents makes the depth-first search. The tree is the one that the "
		"central search builds by the same rule. Its messages and simulated time are "
		"reported separately.\n\n"
		"--timeout, SIGINT and SIGTERM end the run with exit status 1. The result is "
		"then the better one of what the agents have proved and of a short run of soft "
		"arc consistency, with the best assignment of a short search.\n\n"
		"'mpirun -n 4 gpube-mpi dpop FILE' distributes the agents over four processes, "
		"each of which reads FILE. A message between agents on different ranks is an "
		"MPI message, which is sent in pieces of --piece and with --compress "
		"compressed. If a rank dies or stops, the run ends with an error after "
		"--receive-timeout. Sizes of messages count a header of 40 bytes for each "
		"message, 4 bytes for each table, 4 or 8 for each cell and 8 for each value.\n\n"
		"With --output json the result is one object; gpube-json(5) says what its "
		"members mean.",
	.examples = "gpube dpop problem.xml\n"
		    "DPOP; the result ends with a table of the agents\n"
		    "gpube dpop --z 6 --threads 1 problem.wcsp\n"
		    "ADPOP with mini-buckets of at most six variables, one agent at a time\n"
		    "mpirun -n 4 gpube-mpi dpop --agents map.txt problem.cfn\n"
		    "on four processes, with agents that own several variables",
	.min_args = 1,
	.max_args = 1,
	.opts_size = sizeof(struct opts_dpop),
	.groups = groups,
	.run = run,
};
