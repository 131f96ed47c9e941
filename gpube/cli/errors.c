/* errors.c - how a command says what went wrong: see cli.h. */
#include <stdarg.h>

#include "gpube/cli/cli.h"

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
	fprintf(stderr, "%s: %s\n", cli_program, text);
}
