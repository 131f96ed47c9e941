/* cmd_convert.c - gpube convert: a model from one format to another. */
#include <string.h>

#include "formats/common/registry.h"
#include "gpube/options/options.h"
#include "formats/formats.h"
#include "gpube/cli/session/contents.h"
#include "gpube/cli/session/session.h"
#include "gpube/cli/simplify_map.h"
#include "gpube/simplify/consistency.h"

#define OPTS_STRUCT struct opts_convert
static const struct opt_row rows[] = {OPTS_CONVERT(OPT_ROW)};

static const struct opt_group groups[] = {
	OPT_GROUP("Options", rows, 0),
	OPT_GROUP_READ(offsetof(struct opts_convert, read)),
	OPT_GROUP_TALK(offsetof(struct opts_convert, talk)),
	{0},
};

/* ---- --json -------------------------------------------------------------------------------- */

/*
 * in, out   names of files
 * why       nothing was written; NULL: it was
 */
struct result {
	struct session *session;
	const struct gpube_model *m;
	const char *in, *out, *why;
	struct gpube_written written;
};

static void report_json(struct json *j, const void *arg)
{
	const struct result *r = arg;
	const struct gpube_model *m = r->m;

	json_text(j, "file", r->in);
	json_text(j, "direction",
		m->kind == GPUBE_COSTS && m->direction == GPUBE_MAXIMISE ? "maximise" : "minimise");
	json_int(j, "variables", m->n_vars - m->n_hidden);
	json_int(j, "functions", m->n_functions);
	if (m->n_hidden)
		json_open(j, "hidden", '[');
	for (int32_t i = 0; m->n_hidden && i < m->n_vars; i++)
		if (m->vars[i].hidden)
			json_int(j, NULL, i);
	if (m->n_hidden)
		json_close(j, ']');
	if (m->kind == GPUBE_POTENTIALS && r->written.known)
		json_int(j, "rounded_decimals", r->written.decimals);
	if (r->why) {
		json_null(j, "written");
		json_text(j, "message", r->why);
	} else {
		json_open(j, "written", '{');
		json_text(j, "file", r->out);
		json_meaning(j, &r->written);
		json_close(j, '}');
	}
	json_seconds(j, "seconds", session_seconds(r->session));
}

/* ---- models -------------------------------------------------------------------------------- */

/* made: of a game, coalitions or an auction, whose totals are shifted where they have to be */
static int write_model(struct session *s, const struct opts_convert *o, const struct gpube_model *m,
	bool made, const char *in, const char *path)
{
	struct result r = {.session = s, .m = m, .in = in, .out = path};
	char why[sizeof(s->ctx->error)];
	const struct gpube_opts write = {.to = o->to,
		.shift = o->shift || made,
		.precision = (int)o->precision,
		.lossy = o->lossy,
		.wide = !o->toulbar2,
		.check = o->check};
	int status = gpube_write(m, path, &write, &r.written), rc = CLI_DONE;

	if (status) {
		snprintf(why, sizeof(why), "%s", gpube_error(s->ctx));
		r.why = why;
		s->json = false; /* the report says it */
		session_fail(s, NULL);
	}
	if (status == GPUBE_ERANGE && !o->lossy)
		session_note(s, "with --lossy it may be written approximately");
	if (o->json)
		rc = session_report(s, NULL, report_json, &r);
	return status ? CLI_FAILED : rc;
}

/* A model that has no solution is left without variables: it must stay without one. */
static int forbid_all(struct gpube_model *m)
{
	const int64_t forbidden = GPUBE_INF;

	return gpube_model_add_costs(m, 0, NULL, &forbidden);
}

static int make_consistent(
	struct session *s, struct gpube_simplified *simplified, const struct opts_convert *o)
{
	const double start = gpube__now();
	struct gpube__consistency_did did;
	const int status =
		gpube__make_consistent(simplified, (enum gpube__consistency)o->consistency, &did);

	if (!status)
		gpube__log(s->ctx, GPUBE_LOG_DETAIL,
			"consistency: %lld of %lld value%s and %lld of %lld pair%s removed, %d "
			"function%s "
			"added, in %.3f s",
			(long long)did.values_removed, (long long)did.n_values,
			gpube__plural(did.n_values), (long long)did.pairs_removed,
			(long long)did.n_pairs, gpube__plural(did.n_pairs), did.functions_added,
			gpube__plural(did.functions_added), gpube__now() - start);
	return status;
}

static int write_simplified(struct session *s, const struct opts_convert *o,
	const struct gpube_model *m, bool made, const char *in, const char *path)
{
	struct gpube_simplified simplified = {0};
	struct gpube_model *costs = NULL;
	int rc, status = GPUBE_OK;

	if (m->kind == GPUBE_POTENTIALS)
		status = gpube__quantise(&costs, m, (int)o->precision);
	if (!status)
		status = gpube__simplify_below(
			&simplified, costs ? costs : m, GPUBE__REDUCE, GPUBE__BELOW);
	if (!status && o->consistency)
		status = make_consistent(s, &simplified, o);
	if (!status && simplified.infeasible)
		status = forbid_all(simplified.model);
	else if (!status)
		status = simplify_map_names(&simplified, m);
	if (!status && simplified.negated)
		session_note(s, "the model is maximised: written negated, to be minimised");
	if (!status && simplified.known)
		session_note(s, "totals are too far apart: what costs more than a known assignment "
				"is forbidden");
	rc = status ? session_fail(s, NULL) : write_model(s, o, simplified.model, made, in, path);
	/* no map is left of a model that is not there */
	if (!rc && o->map && simplify_map_write(s->ctx, &simplified, o->map))
		rc = session_fail(s, NULL);
	gpube__simplified_clear(s->ctx, &simplified);
	gpube_model_free(costs);
	return rc;
}

/* ---- what OUT is ---------------------------------------------------------------------------- */

/*
 * The names of each kind's formats, those of models aside, and what OUT may be called, by what IN
 * holds.
 */
static const struct {
	const char *endings, *outputs;
} kinds[] = {
	[GPUBE_CONTENT_MODEL] = {NULL, NULL},
	[GPUBE_CONTENT_GAME] = {GPUBE_FORMATS_OF_GAMES "|efg|agg",
		"a game is written as .nfg for Gambit, .gam as GAMUT does, as a model by the name "
		"of its format, or by any other name for lrsnash"},
	[GPUBE_CONTENT_COALITIONS] = {NULL,
		"values of coalitions are written as .txt, as a model by the name of its format, "
		"or by any other name in binary"},
	[GPUBE_CONTENT_AUCTION] = {NULL,
		"an auction is written as a model, by the name of its format, or by any other name "
		"as CATS does"},
	[GPUBE_CONTENT_RESULT] = {"PR|MAR|MPE|MMAP|sol",
		"a result is written as .PR, .MAR, .MPE, .MMAP or .sol"},
	[GPUBE_CONTENT_SIDECAR] = {"ub|order|ord|cov|dec|evid|query", ""},
};

/* What OUT is to hold, by --to or its name; any other name is for more of what IN holds. */
static enum gpube_content wanted(
	const struct opts_convert *o, const struct contents *c, const char *to)
{
	/* the words of --to are those of enum gpube_format, in its order */
	if (o->to ? o->to == GPUBE_FORMAT_CSG : gpube__has_extension(to, "csg"))
		return GPUBE_CONTENT_COALITIONS;
	if (o->to ? o->to == GPUBE_FORMAT_CATS : gpube__has_extension(to, "cats"))
		return GPUBE_CONTENT_AUCTION;
	/* a set packing program, which MIP solvers know how to strengthen */
	if (c->kind == GPUBE_CONTENT_AUCTION && gpube_auction_bids(c->model) > 0 && !o->simplify &&
		(o->to ? o->to == GPUBE_FORMAT_LP || o->to == GPUBE_FORMAT_MPS
		       : gpube__has_extension(to, "lp|mps|qps")))
		return GPUBE_CONTENT_AUCTION;
	if (o->to >= GPUBE_FORMAT_NFG && o->to <= GPUBE_FORMAT_SIMPLE)
		return GPUBE_CONTENT_GAME;
	if (o->to || c->kind == GPUBE_CONTENT_SIDECAR)
		return GPUBE_CONTENT_MODEL;
	for (size_t k = 0; k < sizeof(kinds) / sizeof(*kinds); k++)
		if (kinds[k].endings && gpube__has_extension(to, kinds[k].endings))
			return (enum gpube_content)k;
	return gpube__has_extension(to, GPUBE_FORMATS_READ "|yml|wbo") ? GPUBE_CONTENT_MODEL
								       : c->kind;
}

/* A model as a game of either kind, both as models; all else stays what it is. */
static int become(struct session *s, struct contents *c, enum gpube_content want,
	const struct opts_convert *o, const char *to)
{
	const bool has_form = want == GPUBE_CONTENT_GAME || want == GPUBE_CONTENT_COALITIONS ||
			      want == GPUBE_CONTENT_AUCTION;

	if (c->kind == want)
		return GPUBE_OK;
	if (c->result && want == GPUBE_CONTENT_MODEL)
		return gpube__fail(
			s->ctx, GPUBE_EINVAL, "cannot write '%s': a result is no model", to);
	if (c->kind == GPUBE_CONTENT_MODEL && !has_form)
		return GPUBE_OK; /* that is said where the format is looked for */
	if (c->kind == GPUBE_CONTENT_MODEL || want == GPUBE_CONTENT_MODEL)
		return contents_become(c, s->ctx, want, o->read.regret);
	return gpube__fail(s->ctx, GPUBE_EINVAL, "cannot write '%s' from '%s': %s", to, c->path,
		kinds[c->kind].outputs);
}

/* An option of models that was given; NULL: none was. */
static const char *option_of_models(const struct opts_convert *o)
{
	return o->simplify      ? "--simplify"
	       : o->map         ? "--map"
	       : o->shift       ? "--shift"
	       : o->lossy       ? "--lossy"
	       : o->precision   ? "--precision"
	       : o->toulbar2    ? "--toulbar2"
	       : o->json        ? "--json"
	       : o->read.regret ? "--regret"
				: NULL;
}

/* The name says .sol, or the task; the wrong task's name would be read as that. */
static int write_result(struct session *s, const struct gpube_uai_result *r, const char *to)
{
	const char *task = gpube__uai_task_name(r->task);

	if (gpube__has_extension(to, "PR|MAR|MPE|MMAP") && !gpube__has_extension(to, task))
		return gpube__fail(s->ctx, GPUBE_EINVAL,
			"cannot write '%s': the result is %s, and there is no way from one task to "
			"another",
			to, task);
	return gpube_write_uai_result(s->ctx, to, r);
}

static int write_as(struct session *s, const struct contents *c, const char *to)
{
	return write_result(s, c->result, to);
}

/* --check reads the output back. */
static int must_be_readable(struct session *s, const struct opts_convert *o, const char *to)
{
	return o->check && gpube__out_is_alone(to)
		       ? gpube__fail(s->ctx, GPUBE_EINVAL,
				 "cannot check what is written to '%s': it is no file that could "
				 "be read back",
				 to)
		       : GPUBE_OK;
}

/* --check: what reads back as something else does not stay. */
static int write_other(
	struct session *s, const struct opts_convert *o, const struct contents *c, const char *to)
{
	int status = must_be_readable(s, o, to);

	if (!status)
		status = write_as(s, c, to);
	if (status || !o->check)
		return status;
	status = contents_check(c, s->ctx, to);
	if (status)
		remove(to);
	return status;
}

/* In another kind than models': what goes with those is refused. */
static int check_options(struct session *s, const struct contents *c, const struct opts_convert *o,
	enum gpube_content want, const char *to)
{
	const char *option = option_of_models(o);

	if (!option || want == GPUBE_CONTENT_MODEL)
		return GPUBE_OK;
	if (c->kind == GPUBE_CONTENT_MODEL)
		return gpube__fail(s->ctx, GPUBE_EINVAL,
			"%s goes with models, and '%s' is to be none", option, to);
	return gpube__fail(s->ctx, GPUBE_EINVAL, "%s goes with models, and '%s' is none: %s",
		option, c->path, kinds[c->kind].outputs);
}

static int convert(
	struct session *s, struct contents *c, const struct opts_convert *o, const char *to)
{
	const enum gpube_content want = wanted(o, c, to);
	const bool made = c->kind != GPUBE_CONTENT_MODEL;
	int status = check_options(s, c, o, want, to);

	if (!status)
		status = become(s, c, want, o, to);
	if (!status && !c->model)
		status = write_other(s, o, c, to);
	if (status)
		return session_fail(s, NULL);
	if (!c->model)
		return CLI_DONE;
	if (c->kind != GPUBE_CONTENT_MODEL)
		return write_model(s, o, c->model, false, c->path, to);
	if (!strcmp(to, "-") && o->to == GPUBE_FORMAT_AUTO) {
		cli_error("convert: standard output has no name to tell the format: give --to");
		return CLI_USAGE;
	}
	return o->simplify ? write_simplified(s, o, c->model, made, c->path, to)
			   : write_model(s, o, c->model, made, c->path, to);
}

static int run(const void *opts, int n_args, char **args)
{
	const struct opts_convert *o = opts;
	struct contents c;
	struct session s;
	int rc;

	(void)n_args;
	if ((o->map || o->consistency) && !o->simplify) {
		cli_error("convert: %s goes with --simplify", o->map ? "--map" : "--consistency");
		return CLI_USAGE;
	}
	if (o->json && (o->simplify || !strcmp(args[1], "-"))) {
		cli_error(o->simplify ? "convert: --json does not go with --simplify"
				      : "convert: with --json, standard output has the report");
		return CLI_USAGE;
	}
	rc = session_start(&s, &o->talk, 0, o->memory, o->json, NULL);
	if (rc)
		return rc;
	if (!o->memory) /* a part for what else runs */
		s.ctx->memory_bytes /= 2;
	if ((o->map && !session_can_write(&s, o->map)) ||
		session_try_contents(&s, &c, args[0], &o->read)) {
		rc = session_fail(&s, NULL);
	} else {
		rc = convert(&s, &c, o, args[1]);
		contents_clear(&c);
	}
	session_end(&s);
	return rc;
}

const struct command cmd_convert = {
	.name = "convert",
	.arguments = "IN OUT",
	.summary = "write a model, a game or a result in another format",
	.description =
		"Reads the model in IN and writes it to OUT, in the format that the name of OUT "
		"has, compressed if it ends in .gz or .xz. '-' is standard input or output. "
		"gpube-convert is the same command as a separate small program.\n\n"
		"Costs are not changed: an integer stays an integer, and decimals are kept. A "
		"probability becomes a cost by one rounding, of -ln to --precision decimals. "
		"The normalising constant is kept in the function of no variables, or a note "
		"says that it was dropped. Anything else that OUT cannot hold is refused with "
		"the reason, or changed if an option allows it: --shift raises all totals so "
		"that none is negative; --lossy also divides costs by a power of ten and drops "
		"bounds. --json says exactly what a total of OUT stands for. Names that a .cfn "
		"cannot hold are changed: 14 becomes v14, and 'two words' becomes two_words. "
		"OUT is written under a temporary name and renamed when it is complete, so that "
		"a failure leaves an earlier file as it was.\n\n"
		"A game, a coalition game or an auction becomes a model if the name of OUT is "
		"that of a model. The solutions of the model of a game are its pure equilibria; "
		"with --regret every assignment is allowed, and costs the sum of what the "
		"players could gain by changing their actions. The assignments of the other two "
		"are coalition structures, of at most 14 agents or a list of coalitions, and "
		"sets of winning bids, with the value to be maximised. An auction becomes a set "
		"packing program as .lp or .mps, with a column for each bid and a row for each "
		"good. A model that has the form of a game, as gpube-nash(1) and gpube-csg(1) "
		"describe it, becomes a game as .nfg, .gam or .csg.\n\n"
		"With --simplify the simplified model is written; its variables and values keep "
		"their names. --map writes a line for each variable of IN: 'I value A' if it "
		"has value A in every solution that matters, or 'I variable J' if it is "
		"variable J of OUT, followed by the values of I that the values of J stand for "
		"where they differ. --consistency sac removes values that are not singleton arc "
		"consistent, and pc also forbids pairs of values that are not path consistent, "
		"for which functions are added. An upper bound in IN makes both stronger. -v "
		"says how much was removed.",
	.files = ".wcsp, .cfn\n"
		 "read and written: cost function networks of toulbar2, global functions as far as "
		 "they expand to tables\n"
		 ".uai, .LG\n"
		 "read and written: Markov and Bayesian networks of the UAI competitions, as they "
		 "are or as logarithms; the evidence in FILE.evid\n"
		 ".wcnf, .cnf\n"
		 "read and written: weighted Max-SAT with the headers of all years and weights of "
		 "any decimals, Max-SAT or SAT\n"
		 ".lp, .mps\n"
		 "written: mixed integer programs for CBC, CPLEX, Gurobi, HiGHS, SCIP; read, too, "
		 "if all their columns are integers that bounds or rows keep finite, with "
		 "semi-continuous columns, SOS and rows with a condition\n"
		 ".qpbo\n"
		 "read: quadratic pseudo-Boolean functions of toulbar2\n"
		 ".opb, .wbo\n"
		 "read: pseudo-Boolean problems of the competitions, products too; constraints "
		 "with products as far as they expand to tables\n"
		 ".col\n"
		 "read: graphs of DIMACS, with --colors\n"
		 ".bep, .pre\n"
		 "read: toulbar2's plans of satellite photos and pedigrees, told by "
		 "their names\n"
		 ".erg\n"
		 "read: Bayesian networks of Ergo; the evidence in FILE.evid\n"
		 ".bif, .xmlbif\n"
		 "read and written: Bayesian networks of bnlearn, pgmpy, pyAgrum, JavaBayes, Weka "
		 "and "
		 "the network repositories, also XMLBIF called .xml or .bifxml; the evidence in "
		 "FILE.evid\n"
		 ".net\n"
		 "read: Bayesian networks of Hugin, GeNIe, SamIam, bnlearn and pyAgrum, discrete "
		 "chance nodes; the evidence in FILE.evid\n"
		 ".xml\n"
		 "read: XCSP 2.1, FRODO and XCSP3-core (CSP, COP, WCSP, MAXCSP): variables of "
		 "integers and symbols, arrays, groups, slides, objectives that are an expression, "
		 "sum, minimum, maximum or nValues, and the constraints intension, extension, "
		 "regular, mdd, allDifferent, allEqual, ordered, lex, precedence, stretch, sum, "
		 "count, nValues, cardinality, maximum, minimum, maximumArg, minimumArg, element, "
		 "channel, noOverlap, cumulative, binPacking, knapsack, instantiation, clause, "
		 "circuit, flow, and, or, not, xor, iff, ifThen, ifThenElse; all else, such as "
		 "<spread>, <tree> and <permutation>, is refused by its name\n"
		 ".yaml, .yml\n"
		 "read: pyDCOP; constraints in Python: expressions, bodies, and functions that "
		 "'source' gives\n"
		 ".PR, .MAR, .MPE, .MMAP, .sol\n"
		 "read and written: results of the UAI competitions, the old layouts to that of "
		 "2014; an MPE to toulbar2's .sol and back\n"
		 ".nfg, .gam\n"
		 "read and written: games for Gambit, and as GAMUT's GTOutput; by any other name "
		 "games of two players for lrsnash; --to two-player and --to simple: GAMUT's other "
		 "outputs\n"
		 ".efg\n"
		 "read: games in extensive form, as their reduced normal form\n"
		 ".agg, .bagg\n"
		 "read: Gambit's action graph games; of Bayesian ones each type of a player is a "
		 "player; written as .nfg where all profiles fit in memory\n"
		 ".csg\n"
		 "read and written: values of coalitions, binary, or text as .txt\n"
		 ".txt\n"
		 "read and written: auctions of CATS, for 'gpube auction'\n"
		 ".order, .ord, .cov, .dec\n"
		 "beside a model: elimination orders and tree decompositions; read by "
		 "--order-file, written by 'gpube info --write-order'\n"
		 ".ub\n"
		 "beside a model: an upper bound; read by 'gpube bound --ub', written by 'gpube "
		 "solve --output ub'\n"
		 ".mb\n"
		 "beside a model: mini-buckets for daoopt; written by 'gpube daoopt'",
	.examples = "gpube convert problem.wcsp.xz problem.cfn.gz\n"
		    "formats and compression go by the names\n"
		    "gpube convert --to wcsp model.cfn -\n"
		    "to standard output\n"
		    "gpube convert --check --precision 6 model.uai model.wcsp\n"
		    "costs are -ln in millionths; the file is read back and compared\n"
		    "gpube convert --simplify --map model.map model.cfn small.cfn\n"
		    "what is left after simplification, and the way back\n"
		    "gpube convert --toulbar2 --shift --json model.cfn model.wcsp\n"
		    "integers that every toulbar2 reads exactly, and what they stand for\n"
		    "gpube convert model.uai.MPE model.sol\n"
		    "a result for toulbar2",
	.min_args = 2,
	.max_args = 2,
	.opts_size = sizeof(struct opts_convert),
	.groups = groups,
	.run = run,
};
