/*
 * cli.h - the program: its command table, and what every command starts with.
 *
 * A new command is a file cmd_x.c that ends in a struct command, its options in
 * opts.h, its declaration here and its address in main.c. Results go to standard output, talk to
 * standard error. Names across the program's files begin with cli_ or opts_.
 */
#ifndef GPUBE_CLI_H
#define GPUBE_CLI_H

#include <stdio.h>

#include "gpube/base/base.h"
#include "gpube/cli/opts.h"

/* Exit statuses. */
enum { CLI_DONE = 0, CLI_FAILED = 1, CLI_USAGE = 2 };

/*
 * arguments    as in the usage line: "FILE", "IN OUT"
 * summary      half a line for the list of commands, no full stop
 * description  paragraphs, separated by an empty line
 * examples     command, newline, what it does, newline, …
 * files        the same of extensions and what they are; NULL: nothing to say
 * groups       ends with a NULL heading
 */
struct command {
	const char *name, *arguments, *summary, *description, *examples, *files;
	int min_args, max_args;
	size_t opts_size;
	const struct opt_group *groups;
	int (*run)(const void *opts, int n_args, char **args);
};

/* One file each: cmd_solve.c … */
extern const struct command cmd_solve, cmd_count, cmd_list, cmd_infer, cmd_bound, cmd_reparam,
	cmd_info, cmd_convert, cmd_generate, cmd_nash, cmd_csg, cmd_auction, cmd_devices, cmd_dpop,
	cmd_daoopt;

/* Of the program: in main.c, and for gpube-convert in convert_main.c. */
extern const struct command *const cli_commands[]; /* NULL at the end */
extern const char *const cli_program;              /* "gpube": what messages begin with */
extern const char *const cli_prefix; /* "gpube " or "gpube-": stands before a command's name */
const struct command *cli_command(const char *name);

/* Parses the options and runs the command; argv[0] is its name. Returns the exit status. */
int cli_run(const struct command *c, int argc, char **argv);
/*
 * Whether the command would write over a file that it reads, or one file twice: true after a
 * message. Files are those of its arguments, of the options of type OUT, and of those that
 * take a FILE; pipes and devices are no files here.
 */
bool cli_overwrites(const struct command *c, const void *opts, int n_args, char **args);
/* What main() of every program does around 'run': signals, and the end of standard output. */
int cli_main(int (*run)(int argc, char **argv), int argc, char **argv);
/* What cli_main() calls last, with the exit status; NULL: nothing. */
extern void (*cli_leave)(int rc);
/* Another process says all that there is to say, until this one has joined the others. */
extern bool cli_muted;

/* NULL: of the program. */
void cli_help(const struct command *c);
void cli_man(const struct command *c);
/* As JSON: options with types, defaults and ranges; NULL: of all commands. The exit status. */
int cli_help_json(const struct command *c);
void cli_complete_bash(void);
void cli_complete_zsh(void);

/* "gpube: text" on standard error, with the program's name. */
void cli_error(const char *fmt, ...) GPUBE_PRINTF(1, 2);

#endif
