/* cmd_generate.c - gpube generate: seeded random networks and coalition games. */
#include <string.h>

#include "csg/auction.h"
#include "csg/csg.h"
#include "formats/formats.h"
#include "gpube/cli/session/session.h"
#include "gpube/ir/generate.h"
#include "gpube/options/options.h"
#include "nash/nash.h"

#define OPTS_STRUCT struct opts_generate
static const struct opt_row rows[] = {OPTS_GENERATE(OPT_ROW)};

static const struct opt_group groups[] = {
	OPT_GROUP("Options", rows, 0),
	{0},
};

/* Whether 'kind' names a topology, which then is in *topology. */
static bool topology_of(const char *kind, enum gpube_topology *topology)
{
	for (int i = GPUBE_NETWORK_RANDOM; i <= GPUBE_NETWORK_GRID; i++) {
		*topology = (enum gpube_topology)i;
		if (!strcmp(kind, gpube__topology_name(*topology)))
			return true;
	}
	return false;
}

/* The words of --to are those of enum gpube_format, in its order; otherwise on standard output. */
static int write_to(const struct gpube_model *m, const struct session *s,
	const struct opts_generate *o, enum gpube_format otherwise)
{
	const bool untold = !o->to && !strcmp(s->output, "-");

	return gpube_write(
		m, s->output, &(struct gpube_opts){.to = untold ? (int)otherwise : o->to}, NULL);
}

static int generate(struct session *s, const struct opts_generate *o, enum gpube_topology topology)
{
	struct gpube_network network = {
		.topology = topology,
		.n_vars = (int32_t)o->variables,
		.domain = (int32_t)o->domain,
		.rows = (int32_t)o->rows,
		.density = o->p1,
		.tightness = o->p2,
		.max_cost = o->max_cost,
		.seed = (uint64_t)o->seed,
		.links = (int32_t)o->links,
	};
	struct gpube_model *m = NULL;
	int rc = CLI_DONE;

	if (gpube__generate(&m, s->ctx, &network) || write_to(m, s, o, GPUBE_FORMAT_WCSP))
		rc = session_fail(s, NULL);
	gpube_model_free(m);
	return rc;
}

/* A name in .txt, .txt.gz or .txt.xz, or standard output: text; others: binary. */
static int generate_coalitions(struct session *s, const struct opts_generate *o)
{
	const struct gpube_opts random = {
		.coalition_distribution = session_distribution(
			s, GPUBE__WORDS_COALITIONS, o->dist ? o->dist : "uniform"),
		.n_agents = (int)o->variables,
		.coalition_type = o->type,
		.seed = o->seed,
	};
	struct gpube_model *m = NULL;
	int rc = CLI_DONE;

	if (o->variables > GPUBE_MAX_AGENTS)
		rc = session_fail_text(s, NULL, "generate csg: at most 40 agents");
	else if (random.coalition_distribution < 0 ||
		 gpube_coalitions_generate(&m, s->ctx, &random) ||
		 gpube_write(m, s->output, &(struct gpube_opts){.to = GPUBE_FORMAT_CSG}, NULL))
		rc = session_fail(s, NULL);
	gpube_model_free(m);
	return rc;
}

static int generate_auction(struct session *s, const struct opts_generate *o)
{
	const struct gpube_opts random = {
		.auction_distribution = session_distribution(
			s, GPUBE__WORDS_AUCTIONS, o->dist ? o->dist : "regions"),
		.goods = (int)o->goods,
		.bids = (int)o->bids,
		.seed = o->seed,
	};
	struct gpube_model *m = NULL;
	int rc = CLI_DONE;

	if (random.auction_distribution < 0 || gpube_auction_generate(&m, s->ctx, &random) ||
		gpube_write(m, s->output, &(struct gpube_opts){.to = GPUBE_FORMAT_CATS}, NULL))
		rc = session_fail(s, NULL);
	gpube_model_free(m);
	return rc;
}

static int generate_bimatrix(struct session *s, const struct opts_generate *o)
{
	const struct gpube_opts random = {
		.game = o->game,
		.rows = (int)(o->rows ? o->rows : o->variables),
		.columns = (int)(o->columns ? o->columns : o->variables),
		.seed = o->seed,
		.range = o->range,
		.covariance = o->covariance,
		.parameters = o->parameters,
		.int_payoffs = o->int_payoffs,
	};
	struct gpube_model *g = NULL;
	int rc = CLI_DONE;

	if (gpube_nash_generate(&g, s->ctx, &random) || write_to(g, s, o, GPUBE_FORMAT_NFG))
		rc = session_fail(s, NULL);
	gpube_model_free(g);
	return rc;
}

static int run(const void *opts, int n_args, char **args)
{
	const struct opts_generate *o = opts;
	const bool coalitions = !strcmp(args[0], "csg"), game = !strcmp(args[0], "nash");
	const bool auction = !strcmp(args[0], "auction");
	enum gpube_topology topology = GPUBE_NETWORK_RANDOM;
	struct session s;
	int rc;

	(void)n_args;
	if (!coalitions && !game && !auction && !topology_of(args[0], &topology)) {
		cli_error("generate: expected random, scale-free, grid, csg, auction or nash, "
			  "found '%s'",
			args[0]);
		return CLI_USAGE;
	}
	rc = session_start(&s, NULL, 0, 0, false, o->output_file);
	if (rc)
		return rc;
	rc = game         ? generate_bimatrix(&s, o)
	     : coalitions ? generate_coalitions(&s, o)
	     : auction    ? generate_auction(&s, o)
			  : generate(&s, o, topology);
	session_end(&s);
	return rc;
}

const struct command cmd_generate = {
	.name = "generate",
	.arguments = "KIND",
	.summary = "write a seeded random network",
	.description =
		"Writes a random problem. The same options give the same problem on every "
		"machine.\n\n"
		"KIND random, scale-free and grid are weighted constraint networks of binary "
		"functions, which are connected: a random graph with p1 n (n - 1) / 2 edges, a "
		"Barabasi-Albert graph in which each new node has --links edges, and a grid "
		"with four neighbours for each node. They are the networks of section 8.1 of "
		"Fioretto, Pontelli, Yeoh and Dechter, Constraints 23, 2018. The graph depends "
		"on --seed, the number of variables, --p1 and --rows only, so that domains and "
		"tightness can be varied on one graph. With a large --p2 most networks have no "
		"solution.\n\n"
		"KIND csg is a coalition game of --variables agents for 'gpube csg', as text on "
		"standard output and in files named .txt, otherwise in its binary format. KIND "
		"auction is a combinatorial auction of --goods and --bids for 'gpube auction' "
		"in the format of CATS, with --dist L1 to L8 (goods at random), paths, "
		"matching, scheduling, regions or arbitrary; the distributions follow the "
		"papers, but the files differ from those of the program CATS. KIND nash is a "
		"bimatrix game of class --game for 'gpube nash', in any of its formats.",
	.examples = "gpube generate random -n 20 -d 10 --p1 0.3 --p2 0.4 -o r.wcsp\n"
		    "57 functions of 100 tuples, 40 of them forbidden\n"
		    "gpube generate grid -n 100 --seed 7 | gpube solve -\n"
		    "a 10 x 10 grid, solved\n"
		    "gpube generate nash --game minimum-effort -n 9 | gpube nash -\n"
		    "45 extreme equilibria",
	.min_args = 1,
	.max_args = 1,
	.opts_size = sizeof(struct opts_generate),
	.groups = groups,
	.run = run,
};
