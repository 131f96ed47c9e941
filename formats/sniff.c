/*
 * sniff.c - what the first bytes of a file say about its format. See registry.h.
 *
 * No format has a magic number, so each is told by what only it begins with.
 */
#include <string.h>
#include <strings.h>

#include "formats/registry.h"

/* ---- names ----------------------------------------------------------------------------- */

size_t gpube__unpacked_length(const char *path)
{
	size_t n = strlen(path);

	if (n > 3 && (strcmp(path + n - 3, ".gz") == 0 || strcmp(path + n - 3, ".xz") == 0))
		n -= 3;
	return n;
}

bool gpube__has_extension(const char *path, const char *extensions)
{
	size_t n = gpube__unpacked_length(path);

	while (*extensions) {
		size_t k = strcspn(extensions, "|");

		if (n > k && path[n - k - 1] == '.' &&
			strncasecmp(path + n - k, extensions, k) == 0)
			return true;
		extensions += k + (extensions[k] == '|');
	}
	return false;
}

/* ---- contents -------------------------------------------------------------------------- */

/* The first text past white space and comments as in .cfn. */
static const char *skip_comments(const char *text)
{
	for (;;) {
		text += strspn(text, " \t\n\v\f\r");
		if (*text != '#' && !(text[0] == '/' && text[1] == '/'))
			return text;
		text += strcspn(text, "\n");
	}
}

bool gpube__sniff_uai(const char *text, size_t n, const char *path)
{
	(void)path;
	text = skip_comments(text);
	n = strcspn(text, " \t\n\v\f\r");
	return (n == 6 && memcmp(text, "MARKOV", 6) == 0) ||
	       (n == 5 && memcmp(text, "BAYES", 5) == 0);
}

bool gpube__sniff_cfn(const char *text, size_t n, const char *path)
{
	(void)n;
	(void)path;
	return *skip_comments(text) == '{';
}
