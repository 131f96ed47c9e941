/* opts_nearest.c - what an unknown word on the command line may have been meant for. See opts.h. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "gpube/base/nearest.h"
#include "gpube/cli/cli.h"

enum { NAME_BYTES = 64 };

/*
 * What other solvers call an option, or what people try: toulbar2's and daoopt's words, those of
 * SAT, MaxSAT and MIP solvers. The first row counts whose option the command has.
 */
static const struct {
	const char *words, *option;
} others[] = {
	{"t|tl|time-limit|timelimit|time|timer|max-time|cpu-time|cpu-lim|wall-time|walltime-limit",
		"timeout"},
	{"mem|mem-limit|memory-limit|max-memory|mem-lim|ram", "memory"},
	{"p|j|jobs|cores|cpus|workers|nb-threads|num-threads|n-threads|processes", "threads"},
	{"upper-bound|cutoff|upper|incumbent-value|primal-bound", "ub"},
	{"s|solution|initial-solution|warm-start|mip-start|start|init", "sol"},
	{"r|random-seed|rand-seed|rng", "seed"},
	{"gpu|gpus|cuda|device", "backend"},
	{"algo|algorithm|solver", "method"},
	{"i|i-bound|mini-bucket|mbe", "ibound"},
	{"O|elimination-order|elim-order|ordering|variable-order|var-order", "order"},
	{"order-from|ordering-file", "order-file"},
	{"e|evid|evidence-file", "evidence"},
	{"obs|observed|observation|given|fix|set|assign|assume|condition|evs", "observe"},
	{"k|n-solutions|num-solutions|max-solutions|solutions|limit", "most"},
	{"all-solutions|n-optima|num-optima", "count"},
	{"digits|decimal-places|n-decimals", "precision"},
	{"no-presolve|no-preprocessing|no-preprocess|presolve-off", "no-simplify"},
	{"f|format|input-format|in-format|input-type", "from"},
	{"out-format|output-format|output-type|type|target", "to"},
	{"out-format|output-format|output-type|result-format", "output"},
	{"o|out|out-file|write-solution|result-file|solution-file", "output-file"},
	{"proof|certificate|proof-file|prove|drat|write-proof", "certify"},
	{"check-proof|check|validate", "verify"},
	{"validate|test|verify", "check"},
	{"inference|problem-type|mode|query-type", "task"},
	{"silent|no-output|no-log|suppress-output", "quiet"},
	{"debug|log|log-level|verbosity|verb", "verbose"},
	{"usage|man|options", "help"},
};

/* In small letters, with '-' for '_', up to what an '=' gives it; a letter stays as it is. */
static void tidy(char name[NAME_BYTES], const char *word)
{
	size_t n = strcspn(word, "=");

	n = n < NAME_BYTES - 1 ? n : NAME_BYTES - 1;
	for (size_t k = 0; k < n; k++)
		name[k] = word[k] == '_' ? '-'
			  : n == 1       ? word[k]
					 : (char)tolower((unsigned char)word[k]);
	name[n] = 0;
}

static bool has(const struct command *c, const char *option)
{
	const struct opt_row *row;
	int k = 0;

	while ((row = opts_row(c, k, NULL)) && strcmp(opts_name(row), option) != 0)
		k++;
	return row || !strcmp(option, "help");
}

/* A candidate is taken if it is nearer than the best so far, which is told by 'distance'. */
struct nearest {
	const char *name;
	char like[NAME_BYTES];
	int distance;
};

static void consider(struct nearest *n, const char *word, const char *option)
{
	const int d = gpube__distance(n->name, word);

	if (d >= n->distance)
		return;
	n->distance = d;
	snprintf(n->like, sizeof(n->like), "%s", option);
}

static bool is_among(const char *words, const char *name)
{
	for (size_t n; *words; words += n + (words[n] == '|')) {
		n = strcspn(words, "|");
		if (strlen(name) == n && !memcmp(words, name, n))
			return true;
	}
	return false;
}

/* A word of 'others' is no misspelling: if that option is not there, none is meant. */
static bool is_other(struct nearest *n, const struct command *c)
{
	bool known = false;

	for (size_t k = 0; k < sizeof(others) / sizeof(*others) && !*n->like; k++) {
		if (!is_among(others[k].words, n->name))
			continue;
		known = true;
		if (has(c, others[k].option))
			snprintf(n->like, sizeof(n->like), "%s", others[k].option);
	}
	return known;
}

static void consider_others(struct nearest *n, const struct command *c)
{
	char word[NAME_BYTES];

	for (size_t k = 0; k < sizeof(others) / sizeof(*others); k++) {
		const char *w = has(c, others[k].option) ? others[k].words : "";

		for (size_t length; *w; w += length + (w[length] == '|')) {
			length = strcspn(w, "|");
			snprintf(word, sizeof(word), "%.*s", (int)length, w);
			if (length > 1) /* of a letter nothing is left when it is changed */
				consider(n, word, others[k].option);
		}
	}
}

/* An edit in three letters, at least one: more would make any word of any other. */
bool opts_nearest(char like[64], const struct command *c, const char *word)
{
	struct nearest n = {.like = ""};
	const struct opt_row *row;
	char name[NAME_BYTES];

	tidy(name, word);
	n.name = name;
	n.distance = strlen(name) < 3 ? 2 : (int)strlen(name) / 3 + 1;
	if (!is_other(&n, c) && strlen(name) > 1) {
		for (int k = 0; (row = opts_row(c, k, NULL)); k++)
			consider(&n, opts_name(row), opts_name(row));
		consider(&n, "help", "help");
		consider_others(&n, c);
	}
	memcpy(like, n.like, sizeof(n.like));
	return *like != 0;
}
