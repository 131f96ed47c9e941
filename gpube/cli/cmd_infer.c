/*
 * cmd_infer.c - gpube infer: partition functions, marginals, marginal MAP, most probable
 * assignments.
 */
#include "formats/common/registry.h"
#include "gpube/options/options.h"
#include "gpube/cli/answer.h"
#include "gpube/cli/draw/bars.h"
#include "gpube/cli/report/infer_report.h"
#include "gpube/deal/deal.h"

#define OPTS_STRUCT struct opts_infer
static const struct opt_row rows[] = {OPTS_INFER(OPT_ROW)};
#undef OPTS_STRUCT
#define OPTS_STRUCT struct opts_engine
static const struct opt_row engine_rows[] = {OPTS_SUMMING(OPT_ROW)};

static const struct opt_group groups[] = {
	OPT_GROUP("Options", rows, 0),
	OPT_GROUP("Elimination", engine_rows, offsetof(struct opts_infer, engine)),
	OPT_GROUP_RANKS(offsetof(struct opts_infer, ranks)),
	OPT_GROUP_READ(offsetof(struct opts_infer, read)),
	OPT_GROUP_TALK(offsetof(struct opts_infer, talk)),
	{0},
};

/* ---- the command --------------------------------------------------------------------------- */

static int fail(const struct infer_result *r, const struct gpube_solution *plan)
{
	return r->ranks->world.n_ranks > 1 ? ranks_fail(r->ranks, r->session)
					   : session_fail(r->session, plan);
}

static struct gpube_opts options_of(const struct infer_result *r, const struct gpube_opts *engine)
{
	struct gpube_opts to = *engine;

	to.task = (enum gpube_infer_task)r->task;
	to.query = r->query->vars;
	to.n_query = r->query->n;
	to.bounds = 1;
	return to;
}

static int sum(struct infer_result *r, const struct gpube_opts *o, const char *plot, int output)
{
	const struct gpube_opts opts = options_of(r, o);
	struct gpube_inference *inference;
	struct gpube_solution plan = {0}; /* of what was refused */
	int rc, status = dcop_world_is_mpi()
				 ? gpube__deal_infer(&inference, r->model, &opts, &r->ranks->world)
				 : gpube_infer(&inference, r->model, &opts);

	if (!status && r->ranks->world.rank > 0) /* rank 0 reports */
		return CLI_DONE;
	if (inference)
		plan.plan = inference->plan;
	r->inference = inference;
	rc = status ? fail(r, inference ? &plan : NULL) : infer_report(r, output);
	if (!rc && plot && (inference->marginals || inference->marginals_lower) &&
		bars_posteriors(r->session, plot, r->file, r->model, inference))
		rc = session_fail(r->session, NULL);
	if (!rc && !inference->known)
		rc = CLI_FAILED;
	gpube_result_free(inference);
	return rc;
}

/* What was stopped is reported, too. */
static int maximise_sum(struct infer_result *r, const struct gpube_opts *o, int output)
{
	const struct gpube_opts opts = options_of(r, o);
	struct gpube_mmap *mmap;
	struct gpube_solution plan = {0};
	int rc, status = gpube_mmap(&mmap, r->model, &opts);

	if (mmap)
		plan.plan = mmap->plan;
	r->mmap = mmap;
	rc = status ? session_fail(r->session, mmap ? &plan : NULL) : infer_report(r, output);
	if (!rc && mmap->answer == GPUBE_ANSWER_INCOMPLETE)
		rc = CLI_FAILED;
	gpube_result_free(mmap);
	return rc;
}

/* One compiled model answers for all rows. */
static int ask_rows(
	struct infer_result *r, const struct gpube_opts *o, const char *file, int output)
{
	const struct gpube_opts opts = options_of(r, o);
	struct infer_rows asked = {.file = file};
	const double start = gpube__now();
	int rc, status = gpube__rows_read(&asked.rows, &asked.n, r->model, file);

	if (!status)
		status = infer_rows_ask(&asked, r->model, &opts);
	asked.seconds = gpube__now() - start;
	r->rows = &asked;
	rc = status ? session_fail(r->session, NULL) : infer_report(r, output);
	infer_rows_clear(&asked, r->session->ctx);
	return rc;
}

static int maximise(struct infer_result *r, const struct gpube_opts *o, int output)
{
	struct gpube_solution *solution;
	int rc, status = r->ranks->world.n_ranks > 1
				 ? gpube__deal_solve(&solution, r->model, o, &r->ranks->world)
				 : gpube_solve(&solution, r->model, o);

	if (!status && r->ranks->world.rank > 0)
		return CLI_DONE;
	r->solution = solution;
	rc = status ? fail(r, solution) : infer_report(r, output);
	gpube_result_free(solution);
	return rc;
}

/* All that is read: the model, which is *m, evidence, query and order. */
static int read_inputs(struct infer_result *r, struct gpube_model **m, struct infer_query *query,
	struct gpube_opts *opts, int32_t **order, char **evidence_file, const struct opts_infer *o,
	const struct opts_read *read)
{
	struct session *s = r->session;

	if (o->plot && !session_can_write(s, o->plot))
		return session_fail(s, NULL);
	if (session_read(s, m, r->file, read))
		return CLI_FAILED;
	r->model = *m;
	r->seconds_read = session_seconds(s);
	if ((*m)->kind != GPUBE_POTENTIALS) {
		gpube__fail(s->ctx, GPUBE_EINVAL,
			"'%s': a model of costs has no probabilities; 'gpube solve' finds its "
			"optimum",
			r->file);
		return session_fail(s, NULL);
	}
	if (session_evidence_file(evidence_file, s, *m, r->file, read) ||
		((r->task == INFER_MMAP || o->query) &&
			infer_read_query(query, *m, o->query, r->file)) ||
		infer_read_soft(*m, &o->soft))
		return session_fail(s, NULL);
	r->evidence_file = *evidence_file;
	r->query = query;
	return session_engine(s, opts, order, *m, &o->engine);
}

static int infer(struct session *s, const struct opts_infer *o, const char *file,
	const struct opts_read *read, int output, struct ranks *ranks)
{
	struct infer_result r = {.session = s,
		.ranks = ranks,
		.file = file,
		.task = (enum infer_task)o->task,
		.estimate = o->estimate,
		.draws = o->draw > 0};
	struct gpube_model *m = NULL;
	struct gpube_opts opts;
	struct infer_query query = {0};
	char *found = NULL;
	int32_t *order = NULL;
	int rc;

	ranks_begin_inputs(ranks, s);
	rc = ranks_end_inputs(
		ranks, s, read_inputs(&r, &m, &query, &opts, &order, &found, o, read));
	opts.draw = o->draw;
	if (!rc)
		rc = o->rows                ? ask_rows(&r, &opts, o->rows, output)
		     : r.task == INFER_MPE  ? maximise(&r, &opts, output)
		     : r.task == INFER_MMAP ? maximise_sum(&r, &opts, output)
					    : sum(&r, &opts, o->plot, output);
	GPUBE_FREE_ALL(s->ctx, order, found, query.file, query.vars);
	gpube_model_free(m);
	return rc;
}

/* Which question is asked; false after a message: two, or of another task. */
static bool goes_together(const struct opts_infer *o, int output)
{
	const bool sums = o->task == INFER_PR || o->task == INFER_MAR,
		   tables = o->rows && (o->task == INFER_MAR || o->query);
	const char *wrong =
		o->query && o->task == INFER_MPE ? "--query is not for --task MPE"
		: !sums && (o->draw || o->rows)  ? "--draw and --rows are for --task PR and MAR"
		: o->plot && (o->task != INFER_MAR || o->rows || o->query || o->draw)
			? "--plot is for --task MAR, without --query, --draw or --rows"
		: o->draw && (o->query || o->rows) ? "--draw goes with neither --query nor --rows"
		: output == ANSWER_CSV && !sums    ? "--output csv is for --task PR and MAR"
		: output == ANSWER_UAI && (o->draw || o->rows || (o->query && sums))
			? "--output uai has no place for that, csv has"
		: tables && output == ANSWER_TEXT
			? "of rows text has the sums alone: --output csv or json has more"
			: NULL;

	if (wrong)
		cli_error("%s", wrong);
	return !wrong;
}

static int run(const void *opts, int n_args, char **args)
{
	const struct opts_infer *o = opts;
	struct ranks ranks;
	struct session s;
	struct opts_read read = o->read;
	int output = o->json          ? ANSWER_JSON
		     : o->output == 2 ? ANSWER_UAI
		     : o->output == 3 ? ANSWER_CSV
				      : o->output;
	int rc;

	if (session_options_clash(&o->engine) || !session_evidence(&read, n_args, args) ||
		!goes_together(o, output))
		return CLI_USAGE;
	if (ranks_open(&ranks, &o->ranks))
		return CLI_FAILED;
	if (ranks.world.n_ranks > 1 && (o->task == INFER_MMAP || o->query || o->draw || o->rows))
		rc = ranks_refuse(&ranks,
			"several ranks share no --task MMAP, --query, --draw or --rows, use gpube");
	else
		rc = ranks_session_start_engine(
			&ranks, &s, &o->talk, &o->engine, output == ANSWER_JSON, o->output_file);
	if (!rc)
		rc = infer(&s, o, args[0], &read, output, &ranks);
	ranks_close(&ranks, &s);
	return rc;
}

const struct command cmd_infer = {
	.name = "infer",
	.arguments = "FILE [EVIDENCE]",
	.summary = "sum over a graphical model: partition function, marginals, marginal MAP",
	.description =
		"Answers queries about the Markov or Bayesian network in FILE (.uai, .bif, "
		".xmlbif, .net, .erg), given the evidence. --task PR gives the logarithm of the "
		"partition function; of a Bayesian network this is the probability of the "
		"evidence. --task MAR also gives the posterior marginal of every variable. "
		"--task MPE gives the most probable explanation, as 'gpube solve' does. --task "
		"MMAP (marginal MAP) gives the values of the query variables that have the "
		"greatest probability when all other variables are summed out.\n\n"
		"Sums are computed by bucket elimination, in doubles with separate exponents, "
		"so that they neither overflow nor underflow; the result includes a bound of "
		"the rounding error. Marginals below 1e-100 may be reported as 0. Large tables "
		"are summed on a GPU if there is one (--backend). Values that the evidence or "
		"zero probabilities exclude are removed first, and so are barren variables. If "
		"the evidence is impossible the result says so. Tables that do not fit into "
		"--memory are summed in slices, for the values of some variables in turn; "
		"several --devices share them, and the digits do not depend on their speed. "
		"--task PR counts by cases where zeros leave few assignments, as in formulas.\n\n"
		"Where there would be too many slices, and when --timeout, SIGINT or SIGTERM "
		"end the run, the result is a proved interval. Its upper end is found by "
		"weighted mini-buckets, its lower end by exact sums over a part of the "
		"assignments, and both improve while the run lasts. --task MAR then gives "
		"intervals of marginals, and --task MMAP the best assignment with an upper "
		"bound. The exit status is 1 in these cases.\n\n"
		"--query A,B gives the joint distribution of variables. --draw N draws "
		"independent assignments from the posterior distribution; the samples are "
		"exact, and a --seed gives the same ones on any machine with any number of "
		"threads. --soft NAME=W,W adds soft (likelihood) evidence. --rows FILE answers "
		"for each row of a .csv of evidence, or for each sample of a .evid: it gives "
		"the logarithm of the row's probability, and with --task MAR or --query, and "
		"--output csv or json, the distributions. The model is prepared once for all "
		"rows.\n\n"
		"Evidence is read from EVIDENCE or --evidence, otherwise from FILE.evid if it "
		"exists; '--evidence none' reads none, and --observe NAME=VALUE adds to it. "
		"Variables and values are given by their names in FILE, or by their indices "
		"from 0; in a .evid a name of several words has quotes around it. Where names "
		"are numbers, a number is a name first. The query of MMAP is read from "
		"FILE.query, or from --query. The result states how many variables were "
		"observed, and which file was read.\n\n"
		"'mpirun -n 4 gpube-mpi infer FILE' shares the slices of PR and MAR among four "
		"processes, each of which reads FILE. The digits are the same for any number of "
		"ranks. MPE is shared as 'gpube solve' is. MMAP, --query, --draw and --rows are "
		"not available with several ranks.\n\n"
		"With --output json the result is one object; gpube-json(5) says what its "
		"members mean.",
	.examples =
		"gpube infer network.uai\n"
		"the partition function, with the evidence in network.uai.evid\n"
		"gpube infer --task MAR --observe rain=yes --observe season=winter network.bif\n"
		"what follows from two observations\n"
		"gpube infer --task MAR --evidence seen.evid --json network.uai.xz\n"
		"all marginals, for a program to read\n"
		"gpube infer --task MAR --output uai -o network.uai.MAR network.uai\n"
		"the same in the UAI competitions' format\n"
		"gpube infer --task MAR --plot posteriors.svg network.bif\n"
		"the same as a picture: a bar for each value of each variable\n"
		"gpube infer --query rain,lawn --soft clouds=0.9,0.2 network.bif\n"
		"the joint distribution of two variables after an uncertain observation\n"
		"gpube infer --draw 1000 --seed 7 --output csv -o drawn.csv network.bif\n"
		"a thousand assignments, which --rows drawn.csv reads\n"
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
