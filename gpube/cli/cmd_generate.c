/* cmd_generate.c - gpube generate: seeded random networks and coalition games. */
#include <string.h>

#include "csg/csg.h"
#include "formats/formats.h"
#include "gpube/cli/session.h"
#include "gpube/generate.h"

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
	/* the words of --to are those of enum gpube_format, in its order */
	enum gpube_format format = (enum gpube_format)o->to;
	struct gpube_model *m = NULL;
	int rc = CLI_DONE;

	if (format == GPUBE_FORMAT_AUTO && !strcmp(s->output, "-"))
		format = GPUBE_FORMAT_WCSP;
	if (gpube__generate(&m, s->ctx, &network) || gpube_write(m, s->output, format))
		rc = session_fail(s, NULL);
	gpube_model_free(m);
	return rc;
}

/* A name in .txt, .txt.gz or .txt.xz, or standard output: text; others: binary. */
static int generate_game(struct session *s, const struct opts_generate *o)
{
	struct csg_game *g = NULL;
	const bool text = !strcmp(s->output, "-") || strstr(s->output, ".txt") != NULL;
	int rc = CLI_DONE;

	/* the words of --type are those of enum csg_type, in its order */
	if (o->variables > CSG_MAX_AGENTS)
		rc = session_fail_text(s, NULL, "generate csg: at most 40 agents");
	else if (csg_generate(&g, s->ctx, o->dist, (int)o->variables, (enum csg_type)o->type,
			 (uint64_t)o->seed) ||
		 csg_write(g, s->output, text))
		rc = session_fail(s, NULL);
	csg_game_free(g);
	return rc;
}

static int run(const void *opts, int n_args, char **args)
{
	const struct opts_generate *o = opts;
	const bool game = !strcmp(args[0], "csg");
	enum gpube_topology topology = GPUBE_NETWORK_RANDOM;
	struct session s;
	int rc;

	(void)n_args;
	if (!game && !topology_of(args[0], &topology)) {
		cli_error(
			"generate: expected random, scale-free, grid or csg, found '%s'", args[0]);
		return CLI_USAGE;
	}
	rc = session_start(&s, NULL, 0, 0, false, o->output_file);
	if (rc)
		return rc;
	rc = game ? generate_game(&s, o) : generate(&s, o, topology);
	session_end(&s);
	return rc;
}

const struct command cmd_generate = {
	.name = "generate",
	.arguments = "KIND",
	.summary = "write a seeded random network",
	.description =
		"Writes a random weighted constraint network of binary functions, "
		"connected, the same for the same options everywhere. KIND is random (p1 n (n - "
		"1) / 2 edges), scale-free (Barabasi-Albert, two edges a new node, or --links) or grid (four "
		"neighbours): the networks of section 8.1 of Fioretto, Pontelli, Yeoh and "
		"Dechter, Constraints 23, 2018.\n\n"
		"The seed decides the graph by kind, variables, p1 and rows alone, so that other "
		"domains "
		"or tightnesses come on the same graph. At a large p2 most networks have no "
		"solution.\n\n"
		"KIND csg writes a coalition game of --variables agents for 'gpube csg': as text "
		"on "
		"standard output and to names in .txt, otherwise in the binary format.",
	.examples = "gpube generate random -n 20 -d 10 --p1 0.3 --p2 0.4 -o r.wcsp\n"
		    "57 functions of 100 tuples, 40 of them forbidden\n"
		    "gpube generate grid -n 100 --seed 7 | gpube solve -\n"
		    "a 10 x 10 grid, solved",
	.min_args = 1,
	.max_args = 1,
	.opts_size = sizeof(struct opts_generate),
	.groups = groups,
	.run = run,
};
