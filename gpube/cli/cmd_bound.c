/* cmd_bound.c - gpube bound: how good a solution can be at most, and one that is known. */
#include <math.h>

#include "gpube/bound/certificate/certificate.h"
#include "gpube/cli/bounding.h"
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

/* The words of --partition, in their order. */
static const enum gpube_partition partitions[] = {
	GPUBE_PARTITION_SCOPE, GPUBE_PARTITION_FIRST, GPUBE_PARTITION_CONTENT};

/* What solve does not have. */
struct proof {
	const struct gpube_certificate *certificate; /* NULL: none */
	const char *uncertified;                     /* why there is none though it was asked for */
};

/*
 * A bound of the minimisation in the terms of the file. Of potentials the certificate proves one of
 * their costs, each rounded to the decimals that it names itself: what that may hide is taken off.
 */
static int64_t certified(const struct answer *a, const struct gpube_certificate *c)
{
	if (a->model->kind == GPUBE_POTENTIALS)
		return c->bound - gpube__rounding_error(a->model);
	return answer_maximises(a) ? -c->bound : c->bound;
}

/* Whether the certificate's bound is below that of the run. */
static bool certifies_less(const struct answer *a, const struct gpube_certificate *c,
	const struct gpube_solution *bounds)
{
	if (bounds->answer == GPUBE_ANSWER_INFEASIBLE || c->scale != bounds->scale)
		return false;
	return c->bound < (answer_maximises(a) && a->model->kind == GPUBE_COSTS ? -bounds->bound
										: bounds->bound);
}

static void text_cases(struct gpube_out *out, const struct gpube_proof_stages *s)
{
	int64_t n_stages = 0, n_lists = 0, n_leaves = 0;

	for (int32_t k = 0; k < s->n; k++) {
		n_leaves += !s->cases[k].n_split;
		n_stages += s->cases[k].n_stages;
		for (int32_t j = 0; j < s->cases[k].n_stages; j++)
			n_lists += s->cases[k].stages[j].n_lists;
	}
	gpube__out_printf(out, ", by sweeps over %lld list%s in %lld stage%s", (long long)n_lists,
		gpube__plural((double)n_lists), (long long)n_stages,
		gpube__plural((double)n_stages));
	if (s->by_cases)
		gpube__out_printf(out, " and %lld case%s", (long long)n_leaves,
			gpube__plural((double)n_leaves));
	gpube__out_text(out, ", of ");
}

/* What was checked, up to what it is of. */
static void text_checked(struct gpube_out *out, const struct gpube_certificate *c)
{
	if (c->stages.n) {
		text_cases(out, &c->stages);
		return;
	}
	gpube__out_printf(out, "%s: %d table%s in %d block%s",
		c->order ? ", with a search along an order" : "", c->n_tables,
		gpube__plural(c->n_tables), c->n_blocks, gpube__plural(c->n_blocks));
	if (c->tree.n_nodes)
		gpube__out_printf(out, ", and %d node%s of a tree,", c->tree.n_nodes,
			gpube__plural(c->tree.n_nodes));
	gpube__out_text(out, " add up to ");
}

/* bounds: of the run that it is of; NULL: there was none */
static void text_certified(struct gpube_out *out, const struct answer *a,
	const struct gpube_certificate *c, const struct gpube_solution *bounds)
{
	const char *of = a->model->kind == GPUBE_POTENTIALS ? "of -ln of the file's product"
							    : "of the file's costs";

	gpube__out_printf(out, "%-*s", LABEL, "certified");
	gpube__out_decimal(out, certified(a, c), c->scale);
	gpube__out_printf(out, ", %s bound %s", answer_maximises(a) ? "an upper" : "a lower", of);
	if (bounds && certifies_less(a, c, bounds))
		gpube__out_text(out, ", not all that was proved: its proof is not one of moved "
				     "costs, splits, searches and lists, or takes longer");
	gpube__out_text(out, "; checked");
	text_checked(out, c);
	if (a->model->kind != GPUBE_POTENTIALS) {
		gpube__out_text(out, "the problem\n");
		return;
	}
	gpube__out_printf(out, "its functions, each rounded to %d decimal%s; their bound, ",
		c->scale, gpube__plural(c->scale));
	gpube__out_decimal(out, c->bound, c->scale);
	gpube__out_text(out, ", less what rounding may hide\n");
}

static void json_certified(
	struct json *j, const struct answer *a, const struct gpube_certificate *c)
{
	json_decimal(j, "certified_bound", certified(a, c), c->scale);
	if (a->model->kind != GPUBE_POTENTIALS) {
		json_text(j, "certified_of", "costs");
		return;
	}
	json_text(j, "certified_of", "-ln product");
	json_decimal(j, "certified_rounded_bound", c->bound, c->scale);
	json_int(j, "certified_decimals", c->scale);
}

static void text_proof(struct gpube_out *out, const struct conclusion *f)
{
	const struct proof *p = f->more;

	if (p->certificate)
		text_certified(out, &f->answer, p->certificate, f->solution);
}

static void json_proof(struct json *j, const struct conclusion *f)
{
	const struct proof *p = f->more;

	if (p->certificate)
		json_certified(j, &f->answer, p->certificate);
	if (p->uncertified) {
		json_null(j, "certified_bound");
		json_text(j, "message", p->uncertified);
	}
}

/* ---- the command --------------------------------------------------------------------- */

/* What a run that began at 'start' may still take; 0: there is no limit. */
static double seconds_left(double timeout, double start)
{
	return timeout > 0 ? fmax(timeout - (gpube__now() - start), 1e-6) : 0;
}

/* What a file says is checked against the model of a file: nothing that is in memory counts. */
static int read_and_check(struct gpube_certificate *c, struct session *s, const char *path,
	const struct gpube_model *m, int precision)
{
	struct gpube_model *made = NULL;
	const struct gpube_model *costs;
	int status = gpube__certificate_read(c, s->ctx, path);

	if (!status)
		status = bounding_costs(&made, &costs, m, precision ? precision : c->scale);
	if (!status)
		status = gpube__certificate_check(c, costs);
	gpube_model_free(made);
	return status;
}

static int certify(struct gpube_certificate *c, struct session *s, const struct opts_bound *o,
	const struct gpube_model *m, const struct gpube_solution *bounds,
	struct gpube_certificate *notes, const struct gpube_bound_opts *opts)
{
	struct gpube_model *made = NULL;
	const struct gpube_model *costs;
	struct gpube_certificate proof = {.ctx = s->ctx};
	int status = bounding_costs(&made, &costs, m, (int)o->engine.precision);

	/*
	 * a stop has ended the first run; it shall end the second, too, which then writes what it
	 * has
	 */
	if (!status)
		status = gpube__bound_certified(&proof, costs, bounds, notes, opts);
	gpube_model_free(made);
	if (!status)
		status = gpube__certificate_write(&proof, o->certify);
	gpube__certificate_clear(&proof);
	return status ? status : read_and_check(c, s, o->certify, m, (int)o->engine.precision);
}

static int bound(struct session *s, const struct opts_bound *o, const char *file,
	const struct gpube_model *m, const struct opts_read *read, int output)
{
	struct gpube_solution *bounds = NULL;
	char *evidence_file = NULL;
	double seconds_read = session_seconds(s);
	struct gpube_certificate certificate = {.ctx = s->ctx}, notes = {.ctx = s->ctx};
	struct bounding b;
	int rc = bounding_init(&b, s, m, &o->bounding, &o->engine);
	const double start = gpube__now(), timeout = b.opts.timeout_seconds;

	if (o->certify) /* half of it for the bound, and what is left for its proof */
		b.opts.timeout_seconds = timeout / 2;
	b.opts.z = (int)(o->ibound ? o->ibound + 1 : o->z);
	b.opts.partition = partitions[o->partition];
	b.opts.no_match = o->no_match;
	b.opts.no_eliminate = o->no_eliminate;
	b.opts.split = (enum gpube_split)o->split; /* words and enum are in one order */
	if (!rc && gpube__bound_noted(&bounds, o->certify ? &notes : NULL, m, &b.opts))
		rc = session_fail(s, NULL);
	if (!rc && bounds->answer == GPUBE_ANSWER_INCOMPLETE &&
		bounds->bound == gpube__no_bound(m)) {
		(void)gpube__fail(s->ctx, GPUBE_ESTOP, "stopped before there was a bound");
		rc = session_fail(s, NULL);
	}
	if (!rc && session_evidence_file(&evidence_file, s, m, file, read))
		rc = session_fail(s, NULL);
	if (!rc) {
		struct proof p = {NULL};
		struct conclusion f = {.answer = bounding_answer(s, file, m, bounds),
			.solution = bounds,
			.evidence_file = evidence_file,
			.seconds_read = seconds_read,
			.has_given = output == ANSWER_JSON && b.known.values,
			.text = text_proof,
			.json = json_proof,
			.more = &p};
		char why[sizeof(s->ctx->error)];

		b.opts.timeout_seconds = seconds_left(timeout, start);
		/* without a certificate the bound is still the result; the exit status tells */
		if (o->certify && certify(&certificate, s, o, m, bounds, &notes, &b.opts)) {
			snprintf(why, sizeof(why), "%s", gpube_error(s->ctx));
			session_hide_bar(s);
			cli_error("%s", why);
			p.uncertified = why;
		} else if (o->certify) {
			p.certificate = &certificate;
		}
		conclusion_tell_stages(&f);
		rc = conclusion_check(&f.answer) ||
				     (f.has_given && bounding_price(&f.given, m, b.known.values,
							     bounds->scale))
			     ? session_fail(s, bounds)
			     : answer_report(&f.answer, (enum answer_output)output, conclusion_text,
				       conclusion_json, &f);
		if (p.uncertified)
			rc = CLI_FAILED;
	}
	gpube__certificate_clear(&certificate);
	gpube__certificate_clear(&notes);
	gpube_solution_free(bounds, s->ctx);
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

	text_certified(out, &v->answer, v->certificate, NULL);
}

static void verified_json(struct gpube_out *out, const void *arg)
{
	const struct verified *v = arg;
	struct json j = {.out = out};

	json_open(&j, NULL, '{');
	json_text(&j, "status", "verified");
	json_text(&j, "file", v->answer.file);
	json_text(&j, "certificate", v->path);
	json_certified(&j, &v->answer, v->certificate);
	json_seconds(&j, "seconds", session_seconds(v->answer.session));
	json_close(&j, '}');
	gpube__out_text(out, "\n");
}

static int verify(struct session *s, const struct opts_bound *o, const char *file,
	const struct gpube_model *m, int output)
{
	struct gpube_certificate c = {.ctx = s->ctx};
	struct verified v = {{.session = s, .file = file, .model = m}, &c, o->verify};
	int rc;

	if (o->engine.timeout > 0)
		s->ctx->deadline = s->start + o->engine.timeout;
	if (read_and_check(&c, s, o->verify, m, (int)o->engine.precision))
		rc = session_fail(s, NULL);
	else
		rc = answer_report(
			&v.answer, (enum answer_output)output, verified_text, verified_json, &v);
	gpube__certificate_clear(&c);
	return rc;
}

static int run(const void *opts, int n_args, char **args)
{
	const struct opts_bound *o = opts;
	struct gpube_model *m = NULL;
	struct opts_read read = o->read;
	struct session s;
	int output = o->json ? ANSWER_JSON : o->output, rc;

	if (session_options_clash(&o->engine) || !session_evidence(&read, n_args, args))
		return CLI_USAGE;
	if (o->z && o->ibound) {
		cli_error("--z and --ibound exclude each other");
		return CLI_USAGE;
	}
	if (o->certify && o->bounding.method == GPUBE_BOUND_MBE) {
		cli_error("mini-buckets leave no certificate: take another --method");
		return CLI_USAGE;
	}
	rc = session_start_engine(&s, &o->talk, &o->engine, output == ANSWER_JSON, o->output_file);
	if (rc)
		return rc;
	rc = !o->certify || session_can_write(&s, o->certify) ? CLI_DONE : session_fail(&s, NULL);
	if (!rc)
		rc = session_read(&s, &m, args[0], &read);
	if (m && o->verify)
		rc = verify(&s, o, args[0], m, output);
	else if (m)
		rc = bound(&s, o, args[0], m, &read, output);
	gpube_model_free(m);
	session_end(&s);
	return rc;
}

const struct command cmd_bound = {
	.name = "bound",
	.arguments = "FILE [EVIDENCE]",
	.summary = "prove how good a solution can be at most, and find a good one",
	.description =
		"The engine of 'gpube solve' with the options of its methods: a lower bound of the "
		"least "
		"cost of the model in FILE (where it is maximised, an upper bound of the "
		"greatest), and a "
		"good assignment, at a given time. The bound is a proof: all arithmetic is on "
		"integers. The "
		"assignment is priced again from the tables of the file. Where the two meet the "
		"status is "
		"optimal.\n\n"
		"A line on standard error tells every improvement, with its time. --timeout, "
		"SIGINT and SIGTERM end the work soon with the best bounds so far, which is a "
		"result like any other.\n\n"
		"--certify FILE also writes a bound with its proof: tables that add up to the "
		"problem, and whose least totals add up to the bound, or a tree that splits values "
		"and moves costs between these tables until they do. That is what --method patches "
		"proves (the "
		"optimum of a grid of 40 x 40, say), which auto tries first, too. Of --method "
		"andor, which auto tries last, the proof is a join "
		"graph's tables with an order, along which the checker searches; of the lists that "
		"--method patches makes where splits "
		"do not end, which lists there were and what they were split into: the checker "
		"makes them again, a case on each thread. "
		"What elimination, a search tree or split clusters "
		"prove has no proof of its own: certified is what these ways reach, which may be "
		"lower. "
		"A checker that shares nothing with the ascent reads the proof back; --verify FILE "
		"runs it alone. The bound and its proof share --timeout. Of a .uai the costs are "
		"-ln of its numbers, rounded; half a unit of "
		"the last decimal for each function is taken off what is certified, which is a "
		"bound "
		"of the file's own product for any number of decimals.\n\n"
		"With --output json the result is one object, as of 'gpube solve'; --certify adds "
		"what "
		"it certified.",
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
