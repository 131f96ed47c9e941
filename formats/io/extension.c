/* extension.c - what a file's name ends in. See io.h. */
#include <string.h>
#include <strings.h>

#include "formats/io/io.h"

size_t gpube__unpacked_length(const char *path)
{
	static const char *const packed[] = {".gz", ".xz", ".lzma", ".bz2", ".zst"};
	const size_t n = strlen(path);

	for (size_t k = 0; k < sizeof(packed) / sizeof(*packed); k++) {
		const size_t m = strlen(packed[k]);

		if (n > m && strcmp(path + n - m, packed[k]) == 0)
			return n - m;
	}
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
