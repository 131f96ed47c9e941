/* complete.c - shell completion, made from the command and option tables. */
#include <string.h>

#include "gpube/cli/cli.h"

static bool takes_file(const struct opt_row *row)
{
	return row->argument && strstr(row->argument, "FILE");
}

/* The words of "a|b|c" with spaces between. */
static void words(const char *argument)
{
	for (; *argument; argument++)
		putchar(*argument == '|' ? ' ' : *argument);
}

/* ---- bash ---------------------------------------------------------------------------- */

static void bash_values(const struct command *c)
{
	const struct opt_row *row;
	int k;

	for (k = 0; (row = opts_row(c, k, NULL)); k++) {
		if (row->type == OPT_FLAG || takes_file(row))
			continue;
		printf("\t'%s --%s'", c->name, opts_name(row));
		if (row->letter)
			printf(" | '%s -%c'", c->name, row->letter);
		fputs(") words='", stdout);
		if (row->type == OPT_CHOICE)
			words(row->argument);
		puts("'; files='' ;;");
	}
}

void cli_complete_bash(void)
{
	const struct command *const *c;
	const struct opt_row *row;
	int k;

	puts("# bash completion for gpube\n"
	     "_gpube()\n"
	     "{\n"
	     "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
	     "\tlocal command=${COMP_WORDS[1]} words='' files=yes\n"
	     "\tif [ \"$COMP_CWORD\" = 1 ] || [ \"$COMP_CWORD $command\" = '2 help' ]; then");
	fputs("\t\twords='", stdout);
	for (c = cli_commands; *c; c++)
		printf("%s ", (*c)->name);
	puts("help --help --version'\n"
	     "\t\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
	     "\t\treturn\n"
	     "\tfi\n"
	     "\tcase $command in");
	for (c = cli_commands; *c; c++) {
		printf("\t%s) words='--help", (*c)->name);
		for (k = 0; (row = opts_row(*c, k, NULL)); k++)
			printf(" --%s", opts_name(row));
		puts("' ;;");
	}
	puts("\tesac\n"
	     "\tcase $cur in -*) files='' ;; *) words='' ;; esac\n"
	     "\tcase \"$command $prev\" in");
	for (c = cli_commands; *c; c++)
		bash_values(*c);
	puts("\tesac\n"
	     "\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\"\n"
	     "\t\t[ -z \"$files\" ] || compgen -f -- \"$cur\")\n"
	     "}\n"
	     "complete -o filenames -F _gpube gpube\n"
	     "_gpube_convert()\n"
	     "{\n"
	     "\tlocal -a COMP_WORDS=(gpube convert \"${COMP_WORDS[@]:1}\")\n"
	     "\tlocal COMP_CWORD=$((COMP_CWORD + 1))\n"
	     "\t_gpube\n"
	     "}\n"
	     "complete -o filenames -F _gpube_convert gpube-convert");
}

/* ---- zsh ----------------------------------------------------------------------------- */

/* Help text inside '…[text]': brackets, colons and quotes escaped. */
static void zsh_text(const char *text)
{
	for (; *text; text++) {
		if (*text == '\'')
			fputs("'\\''", stdout);
		else if (strchr("[]:", *text))
			printf("\\%c", *text);
		else
			putchar(*text);
	}
}

static void zsh_option(const struct opt_row *row)
{
	const char *name = opts_name(row);

	if (row->letter)
		printf(" \\\n\t\t\t'(-%c --%s)'{-%c,--%s%s}'[", row->letter, name, row->letter,
			name, row->type == OPT_FLAG ? "" : "=");
	else
		printf(" \\\n\t\t\t'%s--%s%s[", row->type == OPT_LIST ? "*" : "", name,
			row->type == OPT_FLAG ? "" : "=");
	zsh_text(row->help);
	putchar(']');
	if (row->type == OPT_CHOICE) {
		fputs(":word:(", stdout);
		words(row->argument);
		putchar(')');
	} else if (row->type != OPT_FLAG) {
		printf(":%s:%s", row->argument, takes_file(row) ? "_files" : " ");
	}
	putchar('\'');
}

void cli_complete_zsh(void)
{
	const struct command *const *c;
	const struct opt_row *row;
	int k;

	puts("#compdef gpube gpube-convert\n"
	     "_gpube()\n"
	     "{\n"
	     "\tif [[ $service == gpube-convert ]]; then\n"
	     "\t\twords=(gpube convert \"${(@)words[2,-1]}\")\n"
	     "\t\t(( CURRENT++ ))\n"
	     "\tfi\n"
	     "\tlocal -a commands\n"
	     "\tcommands=(");
	for (c = cli_commands; *c; c++) {
		printf("\t\t'%s:", (*c)->name);
		zsh_text((*c)->summary);
		puts("'");
	}
	puts("\t\t'help:help on a command'\n\t)\n"
	     "\tif (( CURRENT == 2 )); then\n"
	     "\t\t_describe command commands\n"
	     "\t\treturn\n"
	     "\tfi\n"
	     "\tlocal command=$words[2]\n"
	     "\tshift words\n"
	     "\t(( CURRENT-- ))\n"
	     "\tcase $command in\n"
	     "\thelp) _describe command commands ;;");
	for (c = cli_commands; *c; c++) {
		printf("\t%s)\n\t\t_arguments '(- *)'{-h,--help}'[print help]'", (*c)->name);
		for (k = 0; (row = opts_row(*c, k, NULL)); k++)
			zsh_option(row);
		puts(" \\\n\t\t\t'*:file:_files' ;;");
	}
	puts("\tesac\n"
	     "}\n"
	     "_gpube \"$@\"");
}
