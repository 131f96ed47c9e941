/* overwrites.c - no command writes over what it reads: see cli.h. */
#define _POSIX_C_SOURCE 200809L

#include <string.h>
#include <sys/stat.h>

#include "gpube/cli/cli.h"

enum { MOST_FILES = 32 };

/* A file of the command line, and what names it there: "--certify", or NULL for an argument. */
struct named {
	const char *path, *option;
	bool written;
};

struct files {
	struct named file[MOST_FILES];
	int n;
};

static void add(struct files *f, const char *path, const char *option, bool written)
{
	if (path && strcmp(path, "-") && f->n < MOST_FILES)
		f->file[f->n++] = (struct named){path, option, written};
}

static bool takes_file(const struct opt_row *row)
{
	return row->type == OPT_OUT ||
	       (row->type == OPT_TEXT && row->argument && strstr(row->argument, "FILE"));
}

static void list(struct files *f, const struct command *c, const void *opts, int n_args, char **args)
{
	const bool converts = !strcmp(c->arguments, "IN OUT");
	const struct opt_group *group;
	const struct opt_row *row;

	for (int k = 0; k < n_args && (converts || strstr(c->arguments, "FILE")); k++)
		add(f, args[k], NULL, converts && k == 1);
	for (int k = 0; (row = opts_row(c, k, &group)); k++)
		if (takes_file(row))
			add(f, *(char *const *)((const char *)opts + group->at + row->at), row->field,
				row->type == OPT_OUT);
}

/* By what it is, so that links and other spellings count; a file that is not there yet by its name. */
static bool same_file(const char *a, const char *b)
{
	struct stat x, y;

	if (stat(a, &x) || stat(b, &y))
		return !strcmp(a, b);
	return S_ISREG(x.st_mode) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static void say(const struct named *out, const struct named *other)
{
	const char *done = other->written ? "written already" : "read";
	char option[80];

	if (!out->option) {
		cli_error("'%s' is %s: it would be written over", out->path, done);
		return;
	}
	snprintf(option, sizeof(option), "%s", out->option);
	for (char *p = option; *p; p++)
		*p = *p == '_' ? '-' : *p;
	cli_error("'%s' is %s: --%s would write over it", out->path, done, option);
}

bool cli_overwrites(const struct command *c, const void *opts, int n_args, char **args)
{
	struct files f = {.n = 0};

	list(&f, c, opts, n_args, args);
	for (int k = 0; k < f.n; k++)
		for (int j = 0; f.file[k].written && j < f.n; j++)
			if (j != k && (j < k || !f.file[j].written) &&
				same_file(f.file[k].path, f.file[j].path)) {
				say(&f.file[k], &f.file[j]);
				return true;
			}
	return false;
}
