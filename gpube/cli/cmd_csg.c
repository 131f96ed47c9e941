/* cmd_csg.c - gpube csg: an optimal coalition structure. */
#include <math.h>
#include <string.h>

#include "gpube/cli/draw/bars.h"
#include "gpube/cli/structure_report.h"
#include "gpube/options/options.h"
#include "gpube/cli/session/contents.h"
#include "gpube/cli/session/session_ranks.h"
#include "csg/view.h"

#define OPTS_STRUCT struct opts_csg
static const struct opt_row rows[] = {OPTS_CSG(OPT_ROW)};

static const struct opt_group groups[] = {
	OPT_GROUP("Options", rows, 0),
	OPT_GROUP_RANKS(offsetof(struct opts_csg, ranks)),
	OPT_GROUP_TALK(offsetof(struct opts_csg, talk)),
	{0},
};

/* The words of --output, in their order. */
enum { OUTPUT_TEXT, OUTPUT_JSON, OUTPUT_TABLE };

struct report {
	struct session *session;
	const struct gpube_model *game;
	const struct gpube_csg_result *result;
	const char *file;
	double seconds_read;
	const char *certificate; /* of --verify */
};

static const struct structure_words words = {"value", "value", "structure", "agents", "coalition",
	"every structure has a forbidden coalition (proved)",
	"stopped before a structure was known"};

/* ---- text ------------------------------------------------------------------------------- */

static void report_text(struct gpube_out *out, const void *arg)
{
	const struct report *p = arg;
	const struct gpube_csg_result *r = p->result;

	text_structure(out, r, &words);
	if (r->answer != GPUBE_CSG_INFEASIBLE && isfinite(r->upper_bound))
		text_upper_bound(out, r);
	gpube__out_printf(out, "%-*s%d agent%s, %s\n", LABEL, "game", gpube_model_n_vars(p->game),
		gpube__plural(gpube_model_n_vars(p->game)),
		gpube__type_name(gpube_coalitions_type(p->game)));
	gpube__out_printf(out, "%-*s%s in %s", LABEL, "method", csg__method_name(r->method),
		gpube__type_name(r->work));
	if (r->splits > 0)
		gpube__out_printf(out, ", %.4g split%s, %.3g a second", r->splits,
			gpube__plural(r->splits), r->splits / fmax(r->seconds_splits, 1e-9));
	if (r->n_scans)
		gpube__out_printf(out, ", %lld scan%s, %lld candidate%s", (long long)r->n_scans,
			gpube__plural(r->n_scans), (long long)r->n_candidates,
			gpube__plural(r->n_candidates));
	gpube__out_printf(out, "\n%-*s%.3f s: read %.3f, solve %.3f, of it lp %.3f, splits %.3f\n",
		LABEL, "time", session_seconds(p->session), p->seconds_read, r->seconds_total,
		r->seconds_lp, r->seconds_splits);
	text_backend(out, p->session, r->backend);
}

static void report_table(struct gpube_out *out, const void *arg)
{
	const struct report *p = arg;

	if (!table_structure(out, p->game, p->result, &words))
		report_text(out, arg);
}

static void verified_text(struct gpube_out *out, const void *arg)
{
	const struct report *p = arg;

	text_structure(out, p->result, &words);
	gpube__out_printf(out, "%-*s%s; checked%s\n", LABEL, "certificate", p->certificate,
		p->result->free_disposal ? "; agents may stay out" : "");
}

/* ---- JSON -------------------------------------------------------------------------------------
 */

static void report_json(struct json *j, const void *arg)
{
	const struct report *p = arg;
	const struct gpube_csg_result *r = p->result;

	json_text(j, "status", csg_status_words[r->answer]);
	json_text(j, "backend", r->backend);
	json_seconds(j, "seconds", session_seconds(p->session));
	json_text(j, "file", p->file);
	json_int(j, "agents", gpube_model_n_vars(p->game));
	json_text(j, "type", gpube__type_name(gpube_coalitions_type(p->game)));
	json_worth(j, "value", r);
	json_upper_bound(j, r);
	json_real(j, "error", r->error);
	json_parts(j, "structure", r);
	json_text(j, "method", csg__method_name(r->method));
	json_text(j, "working_type", gpube__type_name(r->work));
	json_real(j, "splits", r->splits);
	json_real(j, "splits_per_second", r->splits / fmax(r->seconds_splits, 1e-9));
	json_int(j, "scans", r->n_scans);
	json_int(j, "candidates", r->n_candidates);
	json_int(j, "nodes", r->n_nodes);
	json_times(j, SPENT({"read", p->seconds_read}, {"solve", r->seconds_total},
			      {"lp", r->seconds_lp}, {"splits", r->seconds_splits}));
}

static void verified_json(struct json *j, const void *arg)
{
	const struct report *p = arg;

	json_text(j, "status", "verified");
	json_text(j, "file", p->file);
	json_text(j, "certificate", p->certificate);
	json_worth(j, "value", p->result);
	json_real(j, "error", p->result->error);
	json_parts(j, "structure", p->result);
	json_true_false(j, "free_disposal", p->result->free_disposal);
	json_seconds(j, "seconds", session_seconds(p->session));
}

/* ---- the command ------------------------------------------------------------------------------
 */

/* Games so small that several devices never share their splits. */
#define ONE_DEVICE_AGENTS 28

/* Methods that read values where they are, asked to do so on a device. */
static bool stays_on_device(const struct opts_csg *o)
{
	return o->backend == GPUBE_BACKEND_CUDA && !o->free_disposal && !o->certify && !o->verify &&
	       (o->method == GPUBE_CSG_CONV || o->method == GPUBE_CSG_DP ||
		       o->method == GPUBE_CSG_IDP);
}

/* Stored where that is fastest; if there is no room for values and sums, not stored. */
static int generate(
	struct session *s, struct gpube_model **g, const struct opts_csg *o, const struct ranks *r)
{
	struct gpube_opts random = {
		.coalition_type = o->type, .n_agents = (int)o->agents, .seed = o->seed};
	/* the words of --type are those of enum gpube_type, from INT16 on */
	const enum gpube_type type = (enum gpube_type)(o->type + GPUBE_INT16);
	const bool conv = !o->free_disposal && !o->certify && !o->verify &&
			  (o->method == GPUBE_CSG_CONV || o->method == GPUBE_CSG_AUTO);
	int status = GPUBE_EINVAL;

	*g = NULL;
	random.coalition_distribution =
		session_distribution(s, GPUBE__WORDS_COALITIONS, o->generate);
	if (random.coalition_distribution < 0)
		return GPUBE_EINVAL;
	if (o->method == GPUBE_CSG_CONV && conv &&
		(uint64_t)gpube__type_size(type) * 3 << o->agents >> 1 > s->ctx->memory_bytes)
		status = GPUBE_ELIMIT; /* values and sums, half as many */
	random.store = CSG_ON_DEVICE;
	if (stays_on_device(o) && r->world.n_ranks == 1)
		status = gpube_coalitions_generate(g, s->ctx, &random);
	random.store = CSG_IN_MEMORY;
	if (status == GPUBE_EINVAL || (status == GPUBE_ELIMIT && !conv))
		status = gpube_coalitions_generate(g, s->ctx, &random);
	random.store = CSG_NOWHERE;
	if (status == GPUBE_ELIMIT && conv)
		status = gpube_coalitions_generate(g, s->ctx, &random);
	return status;
}

static int get_game(struct session *s, struct gpube_model **g, const struct opts_csg *o,
	const char *file, struct ranks *r)
{
	struct contents c = {0};
	int status;

	if (o->generate) {
		status = generate(s, g, o, r);
	} else {
		status = contents_read_form(
			&c, s->ctx, file, GPUBE_CONTENT_COALITIONS, GPUBE_CONTENT_COALITIONS);
		*g = c.model;
	}
	status = dcop_world_agree(&r->world, status);
	return status ? ranks_fail(r, s) : CLI_DONE;
}

static int solve(struct session *s, struct gpube_model *g, const struct opts_csg *o,
	const char *file, struct ranks *ranks)
{
	struct gpube_opts options = {.world = &ranks->world};
	struct gpube_csg_result *result;
	struct report p = {s, g, NULL, file, session_seconds(s), NULL};
	char why[sizeof(s->ctx->error)], undrawn[sizeof(s->ctx->error)];
	int rc, drawn;

	opts_library(&options, GPUBE__ON_CSG, rows, OPT_N(rows), o);
	options.timeout_seconds = session_time_left(s, o->timeout);
	if (gpube_csg(&result, g, &options))
		return ranks_fail(ranks, s);
	snprintf(why, sizeof(why), "%s", gpube_error(s->ctx)); /* if there is no certificate */
	session_clear_line(s);
	if (ranks->world.rank > 0) { /* rank 0 reports */
		gpube_result_free(result);
		return CLI_DONE;
	}
	if (result->answer == GPUBE_CSG_BOUNDS || result->answer == GPUBE_CSG_INCOMPLETE)
		session_note(s, "ended before the optimum was proved");
	p.result = result;
	drawn = o->plot && result->n_parts ? bars_structure(s, o->plot, file, g, result) : GPUBE_OK;
	if (drawn)
		snprintf(undrawn, sizeof(undrawn), "%s", gpube_error(s->ctx));
	rc = session_report(
		s, o->output == OUTPUT_TABLE ? report_table : report_text, report_json, &p);
	if (drawn || (o->plot && !result->n_parts)) {
		cli_error("%s", drawn ? undrawn : "no structure is known, so none is drawn");
		rc = CLI_FAILED;
	}
	if (result->certificate_status) {
		cli_error("no certificate is written: %s", why);
		rc = CLI_FAILED;
	} else if (!rc && o->certify &&
		   (result->method != GPUBE_CSG_LP || result->answer != GPUBE_CSG_OPTIMAL)) {
		cli_error("no certificate is written: lp has not proved the optimum");
		rc = CLI_FAILED;
	}
	gpube_result_free(result);
	return rc;
}

static int verify(struct session *s, struct gpube_model *g, const struct opts_csg *o,
	const char *file, struct ranks *ranks)
{
	struct gpube_csg_result *result = NULL;
	struct report p = {s, g, NULL, file, 0, o->verify};
	int rc;

	if (dcop_world_agree(&ranks->world, gpube_csg_verify(&result, g, o->verify))) {
		gpube_result_free(result);
		return ranks_fail(ranks, s);
	}
	p.result = result;
	rc = ranks->world.rank > 0 ? CLI_DONE : session_report(s, verified_text, verified_json, &p);
	gpube_result_free(result);
	return rc;
}

static int run(const void *opts, int n_args, char **args)
{
	const struct opts_csg *o = opts;
	struct gpube_model *g = NULL;
	struct ranks ranks;
	struct session s;
	int rc;

	if ((n_args == 1) == (o->generate != NULL)) {
		cli_error("csg: expected either FILE or --generate");
		return CLI_USAGE;
	}
	if (o->certify && o->verify) {
		cli_error("csg: --certify and --verify exclude each other");
		return CLI_USAGE;
	}
	if (ranks_open(&ranks, &o->ranks))
		return CLI_FAILED;
	rc = ranks_session_start(&ranks, &s, &o->talk, o->threads, o->memory,
		o->json || o->output == OUTPUT_JSON, o->output_file);
	if (!rc) {
		s.ctx->device_memory_bytes = o->device_memory;
		if (o->method != GPUBE_CSG_LP)
			session_open_device(&s, (enum gpube_backend)o->backend,
				!o->generate || o->agents > ONE_DEVICE_AGENTS, false);
		s.ctx->deadline = o->timeout > 0 ? gpube__now() + o->timeout : 0;
		if ((o->certify && !session_can_write(&s, o->certify)) ||
			(o->plot && !session_can_write(&s, o->plot)))
			rc = ranks_fail(&ranks, &s);
		if (!rc)
			rc = get_game(&s, &g, o, args[0], &ranks);
		s.ctx->deadline = 0;
	}
	if (g && !rc)
		rc = (o->verify ? verify : solve)(&s, g, o, n_args ? args[0] : o->generate, &ranks);
	gpube_model_free(g);
	ranks_close(&ranks, &s);
	return rc;
}

const struct command cmd_csg = {
	.name = "csg",
	.arguments = "[FILE]",
	.summary = "find an optimal coalition structure",
	.description =
		"Finds an optimal coalition structure: a partition of the agents into "
		"coalitions whose values have the greatest sum. FILE is a coalition game in "
		"characteristic function form: binary, as 'gpube generate csg' writes it, or "
		"text, with a line 'csg N TYPE', an optional line 'default V', and lines 'MASK "
		"VALUE' or '{1,3} VALUE'. It may be compressed; '-' is standard input. A value "
		"may be 'forbidden', and coalitions without a value and a default are. A text "
		"of more than 20 agents that lists fewer than a 64th of all coalitions is "
		"solved as a list by method lp, without a table of all coalitions.\n\n"
		"FILE may also be a model with one function over all its variables, each with "
		"two values: the variables are agents, and the value 1 means that an agent is "
		"in the coalition. The value of a coalition is how much less it costs than the "
		"empty one; of costs that are maximised, how much more; of a potential, its "
		"number.\n\n"
		"Method lp solves the linear program over all coalitions, which bounds the "
		"value of every structure, and searches among the coalitions that the bound "
		"leaves. It is the fastest on most games, but does not end on some. conv makes "
		"one (max,+) subset convolution for each agent, with (3^(n-1) - 1) / 2 splits "
		"in all. auto gives lp a share of the time that conv would take, and then runs "
		"conv. dp and idp are the dynamic programs of the literature; on a GPU they are "
		"GPU-CSG and IDP^G. Sums that may pass 64 bits are computed by dp in 128.\n\n"
		"With --backend cuda conv, dp and idp run on a GPU. Random games whose values "
		"are sums and products of random numbers (uniform, modified-uniform, "
		"agent-uniform, threshold, voting, near-ties) are then generated there. If the "
		"tables of conv do not fit into --device-memory they are streamed from the "
		"host, and a random game that does not fit into --memory is generated in "
		"pieces.\n\n"
		"'mpirun -n 4 gpube-mpi csg FILE' shares the work of conv among four processes, "
		"each of which reads FILE and stores all sums. If a rank dies or stops, the run "
		"ends with an error after --receive-timeout.\n\n"
		"--certify FILE writes a proof of the optimum, which auto and lp can do, and "
		"--verify FILE checks one; csg/certificate.md describes the format. The value "
		"is computed again from the file. --plot draws the structure.\n\n"
		"With --output json the result is one object; gpube-json(5) says what its "
		"members mean.",
	.examples = "gpube csg game.csg.gz\n"
		    "value, structure and times\n"
		    "gpube csg --output table game.csg.gz\n"
		    "what each coalition adds\n"
		    "gpube csg --plot structure.svg game.csg.gz\n"
		    "the coalitions, their agents and values as a picture\n"
		    "gpube csg --generate uniform -n 24 --type float32 --method conv\n"
		    "a random game, by the convolution\n"
		    "gpube csg --generate uniform -n 30 --method conv --backend cuda\n"
		    "a large one, made and solved on the GPU\n"
		    "mpirun -n 4 gpube-mpi csg game.csg\n"
		    "by four processes, on one host or several\n"
		    "gpube csg --certify proof.txt game.csg\n"
		    "write a proof that another program can check\n"
		    "gpube csg --verify proof.txt game.csg\n"
		    "check it against the game",
	.min_args = 0,
	.max_args = 1,
	.opts_size = sizeof(struct opts_csg),
	.groups = groups,
	.run = run,
};
