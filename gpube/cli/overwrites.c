/* overwrites.c - no command writes over what it reads: see cli.h. */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "formats/io/io.h"
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
	/* files beside a model that are read without being named; see gpube__beside_find() */
	char *beside[2];
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

/* The file beside the model at 'path', if there is one: evidence or a query. */
static void add_beside(struct files *f, const char *path, int which)
{
	static const char *const endings[][3] = {
		{".evid", ".evid.gz", ".evid.xz"}, {".query", ".query.gz", ".query.xz"}};
	const int n = (int)gpube__unpacked_length(path);
	const size_t size = strlen(path) + sizeof(".query.gz");
	struct stat st;

	f->beside[which] = malloc(size);
	for (int i = 0; f->beside[which] && i < 3; i++) {
		snprintf(f->beside[which], size, "%.*s%s", n, path, endings[which][i]);
		if (!stat(f->beside[which], &st)) {
			add(f, f->beside[which], NULL, false);
			return;
		}
	}
}

static void list(
	struct files *f, const struct command *c, const void *opts, int n_args, char **args)
{
	const bool converts = !strcmp(c->arguments, "IN OUT");
	const struct opt_group *group;
	const struct opt_row *row;

	for (int k = 0; k < n_args && (converts || strstr(c->arguments, "FILE")); k++)
		add(f, args[k], NULL, converts && k == 1);
	for (int k = 0; (row = opts_row(c, k, &group)); k++) {
		const char *const at = (const char *)opts + group->at + row->at;

		if (!takes_file(row))
			continue;
		add(f, *(char *const *)at, row->field, row->type == OPT_OUT);
		for (int which = 0; which < 2; which++)
			if (!strcmp(row->field, which ? "query" : "evidence") &&
				!*(char *const *)at && n_args > 0 && strcmp(args[0], "-"))
				add_beside(f, args[0], which);
	}
}

/* The folder that 'path' is in; returns the name there. */
static const char *folder(const char *path, struct stat *st, bool *known)
{
	const char *slash = strrchr(path, '/');
	char *p = malloc(strlen(path) + 2);

	*known = p &&
		 snprintf(p, strlen(path) + 2, "%.*s.", slash ? (int)(slash - path) + 1 : 0, path) >
			 0 &&
		 !stat(p, st);
	free(p);
	return slash ? slash + 1 : path;
}

/*
 * By what it is, so that links and other spellings count; files that are not there yet by their
 * folder and their name in it.
 */
static bool same_file(const char *a, const char *b)
{
	const char *name_a, *name_b;
	struct stat x, y;
	bool known_a, known_b;
	const bool no_a = stat(a, &x) != 0, no_b = stat(b, &y) != 0;

	if (no_a != no_b)
		return false;
	if (no_a) {
		name_a = folder(a, &x, &known_a);
		name_b = folder(b, &y, &known_b);
		return !strcmp(a, b) || (known_a && known_b && x.st_dev == y.st_dev &&
						x.st_ino == y.st_ino && !strcmp(name_a, name_b));
	}
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

/* A run continues its own checkpoint, which is read before anything is written, and replaced. */
static bool goes_on(const struct named *out, const struct named *other)
{
	return out->option && other->option && !strcmp(out->option, "checkpoint") &&
	       !strcmp(other->option, "resume");
}

bool cli_overwrites(const struct command *c, const void *opts, int n_args, char **args)
{
	struct files f = {.n = 0};
	bool found = false;

	list(&f, c, opts, n_args, args);
	for (int k = 0; k < f.n && !found; k++)
		for (int j = 0; f.file[k].written && j < f.n && !found; j++)
			if (j != k && (j < k || !f.file[j].written) &&
				!goes_on(&f.file[k], &f.file[j]) &&
				same_file(f.file[k].path, f.file[j].path)) {
				say(&f.file[k], &f.file[j]);
				found = true;
			}
	free(f.beside[0]);
	free(f.beside[1]);
	return found;
}
