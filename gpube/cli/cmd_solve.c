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
		"Finds the least cost (for .cfn also the greatest, for .uai the most probable "
		"explanation) of the model in FILE, with an assignment that attains it, by "
		"whatever proves it first: bucket elimination where it is predicted to end soon, "
		"soft arc consistency, a search tree, an AND/OR search, slices, branch and bound "
		"on pairwise-consistent subproblems, dual ascent on join graphs and, on a GPU, on "
		"nested regions. They work in turns, by counted work and not by a clock, so that a "
		"run with one thread can be repeated. A model that has the form of an auction or "
		"of a coalition game, as 'gpube convert' writes them, is solved by the method made "
		"for that, too. The answer is exact and proved; its "
		"assignment is priced again from the tables of the file before it is reported. "
		"FILE is .wcsp, .cfn, .uai or any other format that 'gpube info' reads, plain or "
		"compressed by gzip or xz; '-' is standard input. EVIDENCE is that of a .uai, by "
		"default FILE.evid, if it is there; the result says which was read.\n\n"
		"While it works, standard error shows the time, the bounds, the gap between them "
		"and the method at work: on a terminal in one line, which is kept up to date, and "
		"elsewhere in a line at most once each time that the time has doubled. With -v "
		"every improvement and every turn of a method has a line, and a table at the end "
		"says what was tried, for how long, and what it gave. --method takes one method "
		"alone. SIGINT, SIGTERM and --timeout end the work soon with status "
		"bounds: the best bound and the best assignment; the exit status is then 1. So "
		"it is where no method that fits the memory proves more. A second signal "
		"kills. Where only --count was stopped, the optimum is reported, and the exit "
		"status is 1, too.\n\n"
		"'mpirun -n 4 gpube-mpi solve FILE' shares the work among four processes, "
		"which all read FILE. Rank 0 runs all methods, as gpube would; if its search tree "
		"has not ended soon, the others search open nodes of it, with its tables, and "
		"give some back when ranks are idle. What is proved first is the answer. Ranks "
		"send each other better assignments, and rank 0 reports; with -v it tells at the "
		"end how many nodes each has visited. --threads and --memory are of each rank. A "
		"rank that dies or stops ends the run with an error after --receive-timeout. "
		"Rank 0 writes --checkpoint, also when a rank dies; what the others had since "
		"they were given nodes is in it if they still answer. One rank or any other "
		"number may resume it.\n\n"
		"By --method eliminate, what would not fit into --memory, or --device-memory on a "
		"GPU, is done in slices: a few variables are given ranges of their values in "
		"turn, and slices whose bound reaches the best assignment known are pruned. "
		"What would take more than 4096 of them is refused before it starts, with the "
		"sizes it would take. Several --devices share them.\n\n"
		"--certify FILE also writes a proof of what was proved, by the method that proved "
		"it where that has one, reads it back and checks it; run and proof share "
		"--timeout. 'gpube bound --verify FILE' checks it alone, and gpube-bound(1) says "
		"what it is made of. Where there is none, that is said, and the exit status is "
		"1.\n\n"
		"--checkpoint FILE keeps a long run: bounds, assignment, the simplified model, the "
		"order, and the search tree with its open nodes are written to FILE when it is "
		"stopped, and every --checkpoint-every; there is always one whole file. --resume "
		"FILE goes on from there, with the same model and as many threads as are wanted; "
		"what other methods had in memory they make again. A file of another model, or "
		"one that is cut or altered, is refused.\n\n"
		"With --output json the result is one object: status (optimal, bounds, "
		"infeasible, error), backend, seconds, lower_bound and upper_bound (for .uai: "
		"-ln, with log10 beside it), assignment (value indices by variable), names (the "
		"same as the file names it), closed "
		"(nothing better than --ub exists), count, the sizes of the plan where "
		"elimination proved, times, and stages: of every turn its round, method, why it "
		"had it, ticks, and the bounds before and after. 'gpube bound' has the same.",
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
