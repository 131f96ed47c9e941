/* errors.c - how a command says what went wrong: see cli.h. */
#define _POSIX_C_SOURCE 200809L

#include <stdarg.h>
#include <unistd.h>

#include "gpube/cli/cli.h"
#include "gpube/cli/session/status.h"

bool cli_muted;

/* In one piece: other ranks may write to the same place. */
void cli_error(const char *fmt, ...)
{
	char text[8192];
	va_list args;

	if (cli_muted)
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	status_abandon();
	if (status_colours(STDERR_FILENO))
		fprintf(stderr, "\033[1;31m%s:\033[0m %s\n", cli_program, text);
	else
		fprintf(stderr, "%s: %s\n", cli_program, text);
}
