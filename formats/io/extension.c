/* extension.c - what a file's name ends in. See io.h. */
#include <string.h>
#include <strings.h>

#include "formats/io/io.h"

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
