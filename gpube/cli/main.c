/* main.c - the command table. */
#define _POSIX_C_SOURCE 200809L

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "dcop/world.h"
#include "gpube/cli/cli.h"

const struct command *const cli_commands[] = {
	&cmd_solve,
	&cmd_bound,
	&cmd_dpop,
	&cmd_csg,
	&cmd_auction,
	&cmd_info,
	&cmd_convert,
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

void cli_error(const char *fmt, ...)
{
	va_list args;

	fputs("gpube: ", stderr);
	va_start(args, fmt);
	vfprintf(stderr, fmt, args);
	va_end(args);
	fputc('\n', stderr);
}

static int unknown_command(const char *name)
{
	const struct command *const *c;
	const char *like = NULL;
	int best = (int)strlen(name) / 3 + 2;

	for (c = cli_commands; *c; c++) {
		int d = opts_distance(name, (*c)->name);

		if (d < best || (*name && !strncmp((*c)->name, name, strlen(name)))) {
			best = d;
			like = (*c)->name;
		}
	}
	cli_error("'%s' is not a gpube command, see 'gpube --help'", name);
	if (like)
		fprintf(stderr, "\nThe most similar command is\n\t%s\n", like);
	return CLI_USAGE;
}

static int run_command(const struct command *c, int argc, char **argv)
{
	void *opts = calloc(1, c->opts_size);
	int first, rc;

	if (!opts) {
		cli_error("out of memory");
		return CLI_FAILED;
	}
	if (dcop_world_is_mpi() && c != &cmd_dpop) {
		/* every rank would do all of it */
		cli_error("'%s' does not run on several ranks, use gpube", c->name);
		free(opts);
		return CLI_USAGE;
	}
	first = opts_parse(c, opts, argc, argv);
	if (first == OPTS_HELP) {
		cli_help(c);
		rc = CLI_DONE;
	} else if (first < 0) {
		rc = CLI_USAGE;
	} else {
		rc = c->run(opts, argc - first, argv + first);
	}
	free(opts);
	return rc;
}

/* help, man: "gpube help [COMMAND]". */
static int show(void (*page)(const struct command *), const char *name)
{
	const struct command *c = name ? cli_command(name) : NULL;

	if (name && !c)
		return unknown_command(name);
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

static int run(int argc, char **argv)
{
	const struct command *c;

	if (argc < 2) {
		cli_error("expected a command, see 'gpube --help'");
		return CLI_USAGE;
	}
	if (!strcmp(argv[1], "--version")) {
		puts("gpube " GPUBE_VERSION);
		return CLI_DONE;
	}
	if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help"))
		return show(cli_help, argv[2]);
	if (!strncmp(argv[1], "__", 2))
		return hidden(argv[1], argv[2]);
	if (argv[1][0] == '-') {
		cli_error("unknown option '%s', see 'gpube --help'", argv[1]);
		return CLI_USAGE;
	}
	c = cli_command(argv[1]);
	return c ? run_command(c, argc - 1, argv + 1) : unknown_command(argv[1]);
}

int main(int argc, char **argv)
{
	int rc;

	/* A closed pipe is a write error like any other: it gets its message and status 1. */
	signal(SIGPIPE, SIG_IGN);
	rc = run(argc, argv);
	if (fflush(stdout) || ferror(stdout)) {
		cli_error("cannot write standard output");
		return CLI_FAILED;
	}
	return rc;
}
