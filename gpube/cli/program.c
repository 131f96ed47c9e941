/* program.c - what gpube and gpube-convert have in common around a command. */
#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gpube/cli/cli.h"

void (*cli_leave)(int rc);

/* --json beside --help: behind it, or of a command that has the option before it, too. */
static bool wants_json(int argc, char **argv)
{
	for (int k = 1; k < argc; k++)
		if (!strcmp(argv[k], "--json"))
			return true;
	return false;
}

int cli_run(const struct command *c, int argc, char **argv)
{
	void *opts = calloc(1, opts_room(c, argc));
	int first, rc;

	if (!opts) {
		cli_error("out of memory");
		return CLI_FAILED;
	}
	first = opts_parse(c, opts, argc, argv);
	if (first == OPTS_HELP) {
		rc = CLI_DONE;
		if (!cli_muted && wants_json(argc, argv))
			rc = cli_help_json(c);
		else if (!cli_muted)
			cli_help(c);
	} else if (first < 0) {
		rc = CLI_USAGE;
	} else if (cli_overwrites(c, opts, argc - first, argv + first)) {
		rc = CLI_USAGE;
	} else {
		rc = c->run(opts, argc - first, argv + first);
	}
	free(opts);
	return rc;
}

/*
 * A standard stream that is closed becomes one on which nothing can be read or written: otherwise
 * the next file that is opened takes its place, and messages go into it.
 */
static void keep_standard_streams(void)
{
	static const int mode[] = {O_WRONLY, O_RDONLY, O_WRONLY};

	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			(void)!open("/dev/null", mode[fd]);
}

int cli_main(int (*run)(int argc, char **argv), int argc, char **argv)
{
	int rc, why;

	/*
	 * A closed pipe and a limit on the size of files are write errors like any
	 * other: they get their message and status 1, and no temporary file stays.
	 */
	keep_standard_streams();
	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	rc = run(argc, argv);
	/* what failed before the last bytes has left no reason */
	why = fflush(stdout) ? errno : ferror(stdout) ? EIO : 0;
	if (why) {
		cli_error("cannot write '<stdout>': %s", strerror(why));
		rc = CLI_FAILED;
	}
	if (cli_leave)
		cli_leave(rc);
	return rc;
}
