/*
 * convert_main.c - gpube-convert: the command convert as a program of its own,
 * without the engine and without CUDA.
 */
#include <string.h>

#include "gpube/cli/cli.h"

const char *const cli_program = "gpube-convert";
const char *const cli_prefix = "gpube-";

const struct command *const cli_commands[] = {&cmd_convert, NULL};

static int run(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--version")) {
		puts("gpube-convert " GPUBE_VERSION);
		return CLI_DONE;
	}
	return cli_run(&cmd_convert, argc, argv);
}

int main(int argc, char **argv)
{
	return cli_main(run, argc, argv);
}
