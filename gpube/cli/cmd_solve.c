/* cmd_solve.c - gpube solve: the optimum, an assignment, and how many there are. */
#include "gpube/bound/bound.h"
#include "gpube/options/options.h"
#include "gpube/cli/draw/plot.h"
#include "gpube/cli/report/proof_report.h"
#include "gpube/cli/session/session_ranks.h"
#include "gpube/deal/deal.h"

#define OPTS_STRUCT struct opts_solve
static const struct opt_row rows[] = {OPTS_SOLVE(OPT_ROW)};

static const struct opt_group groups[] = {
	OPT_GROUP_BOUNDING(offsetof(struct opts_solve, bounding)),
	OPT_GROUP("Options", rows, 0),
	OPT_GROUP_ENGINE(offsetof(struct opts_solve, engine)),
	OPT_GROUP_RANKS(offsetof(struct opts_solve, ranks)),
	OPT_GROUP_READ(offsetof(struct opts_solve, read)),
	OPT_GROUP_TALK(offsetof(struct opts_solve, talk)),
	{0},
};

/*
 * The best that is to be had at once for a run that was stopped before it had an assignment: an
 * elimination has nothing before its end.
 */
static struct gpube_solution *bounds_now(struct session *s, const struct opts_solve *o,
	const struct gpube_model *m, const struct gpube_solution *known)
{
	const double before = session_seconds(s);
	struct gpube_solution *bounds = bounding_now(s, m,
		(struct gpube_opts){.seed = (uint64_t)o->engine.seed,
			.no_simplify = o->engine.no_simplify,
			.precision = (int)o->engine.precision});

	for (int k = 0; bounds && k < bounds->n_steps; k++)
		bounds->steps[k].seconds += before;
	if (bounds && known->scale == bounds->scale)
		bounding_update(bounds, m, known->bound, before);
	return bounds;
}

/* Stopped, or nothing that fits says more; what is known is a result. */
static bool is_result(int status, const struct opts_solve *o, const struct gpube_solution *s)
{
	if (status == GPUBE_ELIMIT && bounding_method(&o->bounding) == GPUBE_BOUND_ELIMINATE)
		return s && s->answer == GPUBE_ANSWER_OPTIMAL;
	return s && (status == GPUBE_ESTOP || status == GPUBE_ELIMIT);
}

/* What the command reads before the engine begins. */
struct inputs {
	struct gpube_model *m;
	struct gpube_opts options;
	struct bounding_known known;
	int32_t *order;
	double seconds;
};

static int read_inputs(struct inputs *in, struct session *s, const struct opts_solve *o,
	const char *file, const struct opts_read *read)
{
	int rc = (o->plot && !session_can_write(s, o->plot)) ||
				 (o->certify && !session_can_write(s, o->certify)) ||
				 (o->checkpoint && !session_can_write(s, o->checkpoint))
			 ? session_fail(s, NULL)
			 : session_read(s, &in->m, file, read);

	in->seconds = session_seconds(s);
	if (!rc)
		rc = session_engine(s, &in->options, &in->order, in->m, &o->engine);
	if (!rc)
		rc = bounding_known(s, &in->known, in->m, &o->bounding);
	opts_library(&in->options, GPUBE__ON_SOLVE, rows, OPT_N(rows), o);
	opts_library(
		&in->options, GPUBE__ON_SOLVE, opt_rows_bounding, OPT_N_BOUNDING, &o->bounding);
	in->options.values = in->known.values;
	in->options.cutoff = in->known.cutoff;
	in->options.has_cutoff = in->known.has_cutoff;
	return rc;
}

static void clear_inputs(struct inputs *in, struct session *s)
{
	gpube__free(s->ctx, in->known.values);
	gpube__free(s->ctx, in->order);
	gpube_model_free(in->m);
}

static int report(struct session *s, const struct opts_solve *o, const char *file,
	const struct inputs *in, const struct gpube_solution *solution, const char *unproved,
	const struct opts_read *read, struct proof *proof)
{
	char *evidence_file = NULL;
	struct conclusion f = {.answer = bounding_answer(s, file, in->m, solution),
		.solution = solution,
		.seconds_read = in->seconds,
		.counting = o->count,
		.unproved = unproved,
		.text = proof_text,
		.json = proof_json,
		.more = proof};
	int rc;

	if (conclusion_check(&f.answer) ||
		session_evidence_file(&evidence_file, s, in->m, file, read))
		return session_fail(s, solution);
	proof_end(proof, in->m, solution, in->options);
	f.evidence_file = evidence_file;
	conclusion_tell_stages(&f);
	rc = answer_report(&f.answer, (enum answer_output)(o->json ? ANSWER_JSON : o->output),
		conclusion_text, conclusion_json, &f);
	gpube__free(s->ctx, evidence_file);
	if (o->plot && plot_write(o->plot, &f.answer, solution))
		return session_fail(s, NULL);
	return proof->why[0] ? CLI_FAILED : rc;
}

static int solve(struct session *s, const struct opts_solve *o, const char *file, struct inputs *in,
	const struct opts_read *read, struct ranks *ranks)
{
	const struct gpube_model *m = in->m;
	const bool several = ranks->world.n_ranks > 1;
	struct gpube_solution *solution = NULL, *bounds = NULL;
	char unproved[256] = "stopped before the end, no optimum is proved";
	struct proof proof;
	int rc, status;

	proof_begin(&proof, s, o->certify, &in->options.timeout_seconds);
	status = several ? gpube__deal_solve(&solution, m, &in->options, &ranks->world)
		 : o->certify
			 ? gpube__solve_noted(&solution, proof_notes(&proof), m, &in->options, NULL)
			 : gpube_solve(&solution, m, &in->options);
	if (status && !is_result(status, o, solution)) {
		rc = several ? ranks_fail(ranks, s) : session_fail(s, solution);
		gpube_result_free(solution);
		proof_clear(&proof);
		return rc;
	}
	if (ranks->world.rank > 0) /* rank 0 reports */
		return CLI_DONE;
	GPUBE_KNOWN(solution);
	if (status == GPUBE_ELIMIT) /* nobody asked for an end: said even with -q */
		snprintf(unproved, sizeof(unproved), "%s", gpube_error(s->ctx));
	if (status == GPUBE_ELIMIT && s->quiet)
		cli_error("%s", unproved);
	else if (status)
		session_note(s, gpube_error(s->ctx));
	if (status && solution->answer == GPUBE_ANSWER_INCOMPLETE && !solution->values)
		bounds = bounds_now(s, o, m, solution);
	rc = report(s, o, file, in, bounds ? bounds : solution, unproved, read, &proof);
	if (status && (!bounds || bounds->answer == GPUBE_ANSWER_INCOMPLETE || o->count))
		rc = CLI_FAILED;
	proof_clear(&proof);
	gpube_result_free(bounds);
	gpube_result_free(solution);
	return rc;
}

static int run(const void *opts, int n_args, char **args)
{
	const struct opts_solve *o = opts;
	struct inputs in = {NULL};
	struct ranks ranks;
	struct session s;
	const bool json = o->json || o->output == ANSWER_JSON;
	struct opts_read read = o->read;
	int rc;

	if (session_options_clash(&o->engine) || !session_evidence(&read, n_args, args) ||
		(o->certify && !bounding_can_certify(&o->bounding)))
		return CLI_USAGE;
	if (ranks_open(&ranks, &o->ranks))
		return CLI_FAILED;
	if (o->count && ranks.world.n_ranks > 1)
		rc = ranks_refuse(&ranks, "several ranks count no optima, use gpube");
	else if (o->certify && ranks.world.n_ranks > 1)
		rc = ranks_refuse(&ranks, "several ranks write no certificate, use gpube");
	else if (o->certify && o->resume)
		rc = ranks_refuse(&ranks, "a run that is resumed writes no certificate");
	else
		rc = ranks_session_start_engine(
			&ranks, &s, &o->talk, &o->engine, json, o->output_file);
	if (!rc) {
		ranks_begin_inputs(&ranks, &s);
		rc = ranks_end_inputs(&ranks, &s, read_inputs(&in, &s, o, args[0], &read));
		if (!rc)
			rc = solve(&s, o, args[0], &in, &read, &ranks);
		clear_inputs(&in, &s);
	}
	ranks_close(&ranks, &s);
	return rc;
}

const struct command cmd_solve = {
	.name = "solve",
	.arguments = "FILE [EVIDENCE]",
	.summary = "find the optimum and an optimal assignment",
	.description =
		"Finds the least cost of the model in FILE, and an assignment that has it. A "
		".cfn may ask for the greatest cost instead, and for a .uai the result is the "
		"most probable explanation (MPE). The answer is exact and proved, and the cost "
		"of the assignment is computed again from the tables of the file before it is "
		"reported. FILE is in one of the formats that gpube-convert(1) lists, plain or "
		"compressed; '-' is standard input. EVIDENCE fixes variables of a .uai; without "
		"it FILE.evid is read if it exists. The result names the file that was read.\n\n"
		"By default several methods take turns, and the first one that proves the "
		"optimum ends the run: soft arc consistency, bucket elimination, hybrid "
		"best-first branch and bound, AND/OR search, branch and bound on "
		"pairwise-consistent subproblems, and dual ascent on a join graph or, on a GPU, "
		"on nested regions. "
		"Their turns are measured in counted work, not by a clock, so that a run with "
		"one thread can be repeated. --method selects one of them. A model that has the "
		"form of an auction or of a coalition game, as 'gpube convert' writes them, is "
		"also given to the method for these.\n\n"
		"While it runs, standard error shows the time, both bounds, the gap between "
		"them and the method at work. On a terminal this is one line that is updated in "
		"place. Elsewhere a line is written at most once each time that the elapsed "
		"time has doubled. With -v every improvement and every turn of a method has a "
		"line, and a table at the end shows the time and the result of each turn.\n\n"
		"SIGINT, SIGTERM and --timeout end the run with the best bounds and the best "
		"assignment so far; the status is then 'bounds' and the exit status 1. The same "
		"happens when no method that fits into --memory can prove more. A second signal "
		"kills the process. If only the counting of --count was stopped, the optimum is "
		"reported, and the exit status is 1 as well.\n\n"
		"With --method eliminate, tables that do not fit into --memory (on a GPU: "
		"--device-memory) are computed in slices: a few variables take ranges of their "
		"values in turn, and slices whose bound reaches the best known assignment are "
		"pruned. More than 4096 slices are refused before the work starts. Several "
		"--devices share the slices.\n\n"
		"--certify FILE also writes a proof of the bound, reads it back and checks it. "
		"The proof is made by the method that proved the bound, if that method can "
		"write one, and shares --timeout with the run. 'gpube bound --verify FILE' "
		"checks a proof; gpube-bound(1) describes it. If there is no proof, a message "
		"says so, and the exit status is 1.\n\n"
		"--checkpoint FILE saves a long run when it is stopped, and every "
		"--checkpoint-every: the bounds, the assignment, the simplified model, the "
		"elimination order, and the search tree with its open nodes. FILE is complete "
		"at any time. --resume FILE continues such a run of the same model with any "
		"number of threads; other methods build their state anew. A file that belongs "
		"to another model, or that is damaged, is refused. Both options may name the "
		"same FILE: it is read first, and a newer state then replaces it whole.\n\n"
		"'mpirun -n 4 gpube-mpi solve FILE' runs four processes, each of which reads "
		"FILE. Rank 0 runs all methods; when its search tree takes long, the other "
		"ranks search open nodes of it and return some when ranks are idle. Until then, "
		"and in a small part of their time afterwards, each works at one method by "
		"itself, and whatever it proves or finds is everybody's. --threads "
		"and --memory apply to each rank. If a rank dies or stops, the run ends with an "
		"error after --receive-timeout. Rank 0 writes the checkpoint, also when another "
		"rank dies; nodes of ranks that no longer answer are then kept as rank 0 gave "
		"them away. Any number of ranks can resume it.\n\n"
		"With --output json the result is one object; gpube-json(5) says what its "
		"members mean.",
	.examples = "gpube solve problem.wcsp\n"
		    "the optimum, an assignment and the times\n"
		    "gpube solve --count --json model.cfn.gz\n"
		    "the same and the number of optima, for a program to read\n"
		    "gpube solve --observe drama=wednesday exams.cfn\n"
		    "the best where that is given\n"
		    "gpube solve --output sol -o problem.sol problem.wcsp\n"
		    "the assignment alone, in a file for toulbar2\n"
		    "gpube solve --output uai -o model.uai.MPE model.uai.xz\n"
		    "the same in the UAI competitions' format\n"
		    "gpube solve --certify problem.cert.gz problem.wcsp\n"
		    "the optimum, and a proof of it that others can check\n"
		    "mpirun -n 4 gpube-mpi solve problem.wcsp\n"
		    "by four processes, on one host or several\n"
		    "gpube solve --checkpoint problem.ck --timeout 1h problem.wcsp\n"
		    "for an hour; then --resume problem.ck goes on\n"
		    "gpube solve --timeout 60 --plot bounds.svg problem.wcsp\n"
		    "a picture of what was known when, proved or not",
	.min_args = 1,
	.max_args = 2,
	.opts_size = sizeof(struct opts_solve),
	.groups = groups,
	.run = run,
};
