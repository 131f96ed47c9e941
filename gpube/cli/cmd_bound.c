/* cmd_bound.c - gpube bound: how good a solution can be at most, and one that is known. */
#include "gpube/cli/report/proof_report.h"
#include "gpube/options/options.h"
#include "gpube/eliminate/solve.h"

#define OPTS_STRUCT struct opts_bound
static const struct opt_row rows[] = {OPTS_BOUND(OPT_ROW)};

static const struct opt_group groups[] = {
	OPT_GROUP_BOUNDING(offsetof(struct opts_bound, bounding)),
	OPT_GROUP("Options", rows, 0),
	OPT_GROUP_ENGINE(offsetof(struct opts_bound, engine)),
	OPT_GROUP_READ(offsetof(struct opts_bound, read)),
	OPT_GROUP_TALK(offsetof(struct opts_bound, talk)),
	{0},
};

/* ---- the command --------------------------------------------------------------------- */

static int bound(struct session *s, const struct opts_bound *o, const char *file,
	const struct gpube_model *m, const struct opts_read *read, int output)
{
	struct gpube_solution *bounds = NULL;
	char *evidence_file = NULL;
	double seconds_read = session_seconds(s);
	struct proof p;
	struct bounding b;
	int rc = bounding_init(&b, s, m, &o->bounding, &o->engine);

	proof_begin(&p, s, o->certify, &b.opts.timeout_seconds);
	opts_library(&b.opts, GPUBE__ON_BOUND, rows, OPT_N(rows), o);
	if (o->ibound)
		b.opts.z = (int)o->ibound + 1;
	if (!rc && gpube__bound_noted(&bounds, proof_notes(&p), m, &b.opts))
		rc = session_fail(s, NULL);
	if (!rc && bounds->answer == GPUBE_ANSWER_INCOMPLETE &&
		bounds->bound == gpube__no_bound(m)) {
		(void)gpube__fail(s->ctx, GPUBE_ESTOP, "stopped before there was a bound");
		rc = session_fail(s, NULL);
	}
	if (!rc && session_evidence_file(&evidence_file, s, m, file, read))
		rc = session_fail(s, NULL);
	if (!rc) {
		struct conclusion f = {.answer = bounding_answer(s, file, m, bounds),
			.solution = bounds,
			.evidence_file = evidence_file,
			.seconds_read = seconds_read,
			.has_given = output == ANSWER_JSON && b.known.values,
			.text = proof_text,
			.json = proof_json,
			.more = &p};

		proof_end(&p, m, bounds, b.opts);
		conclusion_tell_stages(&f);
		rc = conclusion_check(&f.answer) ||
				     (f.has_given && bounding_price(&f.given, m, b.known.values,
							     bounds->scale))
			     ? session_fail(s, bounds)
			     : answer_report(&f.answer, (enum answer_output)output, conclusion_text,
				       conclusion_json, &f);
		if (p.why[0]) /* without a certificate the bound is still the result */
			rc = CLI_FAILED;
	}
	proof_clear(&p);
	gpube_result_free(bounds);
	gpube__free(s->ctx, evidence_file);
	bounding_clear(&b, s);
	return rc;
}

struct verified {
	struct answer answer;
	const struct gpube_certificate *certificate;
	const char *path;
};

static void verified_text(struct gpube_out *out, const void *arg)
{
	const struct verified *v = arg;

	proof_text_certified(out, &v->answer, v->certificate, NULL);
}

static void verified_json(struct json *j, const void *arg)
{
	const struct verified *v = arg;

	json_text(j, "status", "verified");
	json_text(j, "file", v->answer.file);
	json_text(j, "certificate", v->path);
	proof_json_certified(j, &v->answer, v->certificate);
	json_seconds(j, "seconds", session_seconds(v->answer.session));
}

static int verify(struct session *s, const struct opts_bound *o, const char *file,
	const struct gpube_model *m, int output)
{
	struct gpube_certificate c = {.ctx = s->ctx};
	struct verified v = {{.session = s, .file = file, .model = m}, &c, o->verify};
	int rc;

	if (o->engine.timeout > 0)
		s->ctx->deadline = s->start + o->engine.timeout;
	if (gpube__certificate_verify(&c, o->verify, m, (int)o->engine.precision))
		rc = session_fail(s, NULL);
	else
		rc = answer_report(
			&v.answer, (enum answer_output)output, verified_text, verified_json, &v);
	gpube__certificate_clear(&c);
	return rc;
}

static int prove(struct session *s, const void *opts, const char *file, struct gpube_model *m,
	const struct opts_read *read)
{
	const struct opts_bound *o = opts;
	const int output = o->json ? ANSWER_JSON : o->output;

	return o->verify ? verify(s, o, file, m, output) : bound(s, o, file, m, read, output);
}

static int run(const void *opts, int n_args, char **args)
{
	const struct opts_bound *o = opts;

	if (o->z && o->ibound) {
		cli_error("--z and --ibound exclude each other");
		return CLI_USAGE;
	}
	if (o->certify && !bounding_can_certify(&o->bounding))
		return CLI_USAGE;
	return session_on_model(
		SESSION_WORK(o, .output = o->output_file, .writes = o->certify, .work = prove),
		opts, n_args, args);
}

const struct command cmd_bound = {
	.name = "bound",
	.arguments = "FILE [EVIDENCE]",
	.summary = "prove how good a solution can be at most, and find a good one",
	.description =
		"Runs the methods of 'gpube solve' to bound the least cost of the model in FILE "
		"from below, and to find a good assignment, until --timeout. Where costs are "
		"maximised the proved bound is the upper one. The bound is proved in integer "
		"arithmetic, and the cost of the assignment is computed again from the tables "
		"of the file. When the two meet, the status is 'optimal'. --timeout, SIGINT and "
		"SIGTERM end the run with the best bounds so far, which is a successful result. "
		"Standard error shows the progress as that of 'gpube solve' does.\n\n"
		"--certify FILE also writes a proof of a bound, reads it back and checks it "
		"with a checker that shares no code with the methods. --verify FILE runs this "
		"checker alone. A proof has one of two forms. It is either a list of tables "
		"whose sum equals the problem, which the checker minimises along an elimination "
		"order; these come from --method arc, ascent at the root, andor, and eliminate "
		"along an order of small width. Or it is a list of steps, which store the "
		"assignments below a cutoff as sparse relations, move costs between these and "
		"branch; these come from --method pairwise, which auto tries first. A search "
		"tree, branching on regions, semidefinite and linear relaxations leave no "
		"proof, so "
		"that the certified bound can be lower than the reported one. --method mbe "
		"cannot be certified; --method eliminate is refused with --certify where its "
		"tables are too large to check. The run and the proof share --timeout.\n\n"
		"The costs of a .uai are -ln of its numbers, rounded. Half a unit of the last "
		"decimal for each function is subtracted from what is certified, which "
		"therefore bounds the product of the numbers in the file, whatever --precision "
		"is.\n\n"
		"With --output json the result is one object; gpube-json(5) says what its "
		"members mean.",
	.examples = "gpube bound --timeout 60s problem.wcsp\n"
		    "the best bounds of a minute, or the optimum\n"
		    "gpube bound --method mbe --z 10 model.uai\n"
		    "mini-buckets of at most ten variables\n"
		    "gpube bound --json --ub 1200 problem.cfn.gz\n"
		    "for a program, which knows a solution of cost 1200",
	.min_args = 1,
	.max_args = 2,
	.opts_size = sizeof(struct opts_bound),
	.groups = groups,
	.run = run,
};
