/* files.c - see files.h. */
#define _XOPEN_SOURCE 700
#include "tests/support/files.h"

#include "tests/support/test.h"

#include <dirent.h>
#include <unistd.h>

void test_make_dir(char dir[256])
{
	const char *base = getenv("TMPDIR");

	snprintf(dir, 256, "%s/gpube-test-XXXXXX", base && strlen(base) < 200 ? base : "/tmp");
	assert_non_null(mkdtemp(dir));
}

static int for_each(const char *dir, int (*fn)(const char *))
{
	DIR *d = opendir(dir);
	struct dirent *e;
	int n = 0;

	assert_non_null(d);
	while ((e = readdir(d)) != NULL) {
		char path[600];

		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		n++;
		if (fn)
			assert_int_equal(fn(path), 0);
	}
	closedir(d);
	return n;
}

void test_clear_dir(const char *dir)
{
	for_each(dir, unlink);
	assert_int_equal(rmdir(dir), 0);
}

int test_count_files(const char *dir)
{
	return for_each(dir, NULL);
}

void test_put(const char *path, const void *bytes, size_t n)
{
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

char *test_get(const char *path, size_t *n)
{
	FILE *f = fopen(path, "rb");
	char *p = NULL;
	size_t size = 0, k;

	if (!f)
		return NULL;
	do {
		p = realloc(p, size + 65536 + 1);
		assert_non_null(p);
		k = fread(p + size, 1, 65536, f);
		size += k;
	} while (k);
	fclose(f);
	p[size] = 0;
	if (n)
		*n = size;
	return p;
}
