/* main.c - gpube: the command table. */
#define _POSIX_C_SOURCE 200809L

#include <string.h>
#include <sys/stat.h>

#include "gpube/base/nearest.h"
#include "formats/common/registry.h"
#include "gpube/ranks/world.h"
#include "gpube/cli/cli.h"

const char *const cli_program = "gpube";
const char *const cli_prefix = "gpube ";

const struct command *const cli_commands[] = {
	&cmd_solve,
	&cmd_count,
	&cmd_list,
	&cmd_infer,
	&cmd_bound,
	&cmd_reparam,
	&cmd_dpop,
	&cmd_csg,
	&cmd_auction,
	&cmd_info,
	&cmd_convert,
	&cmd_daoopt,
	&cmd_generate,
	&cmd_nash,
	&cmd_devices,
	NULL,
};

const struct command *cli_command(const char *name)
{
	const struct command *const *c;

	for (c = cli_commands; *c; c++)
		if (!strcmp((*c)->name, name))
			return *c;
	return NULL;
}

static int unknown_command(const char *name)
{
	const struct command *const *c;
	const char *like = NULL;
	int best = (int)strlen(name) / 3 + 2;

	for (c = cli_commands; *c; c++) {
		int d = gpube__distance(name, (*c)->name);

		if (d < best || (*name && !strncmp((*c)->name, name, strlen(name)))) {
			best = d;
			like = (*c)->name;
		}
	}
	cli_error("'%s' is not a gpube command, see 'gpube --help'", name);
	if (like && !cli_muted)
		fprintf(stderr, "\nThe most similar command is\n\t%s\n", like);
	return CLI_USAGE;
}

/* "gpube FILE": the command for what is in it; false: there is no such file. */
static bool suggest_for_file(const char *path)
{
	static const char *const commands[] = {
		[GPUBE_CONTENT_MODEL] = "solve",
		[GPUBE_CONTENT_GAME] = "nash",
		[GPUBE_CONTENT_COALITIONS] = "csg",
		[GPUBE_CONTENT_AUCTION] = "auction",
		[GPUBE_CONTENT_RESULT] = "info",
		[GPUBE_CONTENT_SIDECAR] = "info",
	};
	enum gpube_content kind = GPUBE_CONTENT_MODEL;
	struct gpube_ctx *ctx = NULL;
	struct stat st;

	if (stat(path, &st) || !S_ISREG(st.st_mode))
		return false;
	if (!gpube_ctx_new(&ctx, NULL))
		(void)gpube__content(&kind, ctx, path);
	gpube_ctx_free(ctx);
	cli_error("expected a command before the file '%s'", path);
	if (!cli_muted)
		fprintf(stderr, "\nThe command for it is\n\tgpube %s %s\n", commands[kind], path);
	return true;
}

/* help, man: "gpube help [COMMAND]". */
static int show(void (*page)(const struct command *), const char *name)
{
	const struct command *c = name ? cli_command(name) : NULL;

	if (name && !c)
		return unknown_command(name);
	if (!cli_muted)
		page(c);
	return CLI_DONE;
}

/* What the Makefile's install target and the tests ask; not in the help. */
static int hidden(const char *name, const char *argument)
{
	const struct command *const *c;

	if (!strcmp(name, "__man"))
		return show(cli_man, argument);
	if (!strcmp(name, "__commands")) {
		for (c = cli_commands; *c; c++)
			puts((*c)->name);
		return CLI_DONE;
	}
	if (!strcmp(name, "__completion") && argument && !strcmp(argument, "bash"))
		cli_complete_bash();
	else if (!strcmp(name, "__completion") && argument && !strcmp(argument, "zsh"))
		cli_complete_zsh();
	else
		return unknown_command(name);
	return CLI_DONE;
}

/* Whether it shares its work among ranks: the options say so. */
static bool has_ranks(const struct command *c)
{
	for (const struct opt_group *g = c->groups; g->heading; g++)
		if (g->rows == opt_rows_ranks)
			return true;
	return false;
}

static int run(int argc, char **argv)
{
	const struct command *c;

	if (argc < 2) {
		cli_error("expected a command, see 'gpube --help'");
		return CLI_USAGE;
	}
	if (!strcmp(argv[1], "--version")) {
		if (!cli_muted)
			puts("gpube " GPUBE_VERSION);
		return CLI_DONE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help"))
		return argv[2] && !strcmp(argv[2], "--json") && !cli_muted
			       ? cli_help_json(NULL)
			       : show(cli_help, argv[2]);
	if (!strncmp(argv[1], "__", 2))
		return hidden(argv[1], argv[2]);
	if (argv[1][0] == '-') {
		cli_error("unknown option '%s', see 'gpube --help'", argv[1]);
		return CLI_USAGE;
	}
	c = cli_command(argv[1]);
	if (c && dcop_world_is_mpi() && !has_ranks(c)) {
		/* every rank would do all of it */
		cli_error("'%s' does not run on several ranks, use gpube", c->name);
		return CLI_USAGE;
	}
	if (!c && suggest_for_file(argv[1]))
		return CLI_USAGE;
	return c ? cli_run(c, argc - 1, argv + 1) : unknown_command(argv[1]);
}

/*
 * What is wrong with the words of the command is told by rank 0 alone, and its exit status is the
 * run's: one of another rank could end the run before rank 0 has told.
 */
static int run_rank(int argc, char **argv)
{
	int rc;

	cli_muted = dcop_world_early_rank() > 0;
	rc = run(argc, argv);
	return cli_muted ? CLI_DONE : rc;
}

int main(int argc, char **argv)
{
	return cli_main(run_rank, argc, argv);
}
