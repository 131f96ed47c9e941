/*
 * The files of tests/fuzz/corpus/READER (seeds) and tests/fuzz/found/READER (what
 * fuzzing has found) through their readers: no crash, no leak, no hang, no memory
 * for nothing. Without a fuzzer, so that every build runs it.
 */
#include "tests/support/test.h"

#include <dirent.h>
#include <time.h>

#include "tests/fuzz/readers.h"
#include "tests/support/files.h"

/* no machine is so slow: fuzz.sh looks more closely */
#define MOST_SECONDS 60.0

static double processor_seconds(void)
{
	return (double)clock() / CLOCKS_PER_SEC;
}

static void replay_file(const char *target, const char *path)
{
	size_t n, most;
	char *bytes = test_get(path, &n);
	double start = processor_seconds(), seconds;
	long left;

	assert_non_null(bytes);
	left = fuzz_read(target, (const uint8_t *)bytes, n, &most);
	seconds = processor_seconds() - start;
	free(bytes);
	if (left != 0)
		fail_msg("%s: %ld bytes are not freed", path, left);
	if (most > FUZZ_MOST_BYTES)
		fail_msg("%s: %zu bytes held at once", path, most);
	if (seconds > MOST_SECONDS)
		fail_msg("%s: %.1f s", path, seconds);
}

static int replay_dir(const char *target, const char *kind)
{
	char dir[256], path[600];
	struct dirent *e;
	DIR *d;
	int n = 0;

	snprintf(dir, sizeof(dir), "tests/fuzz/%s/%s", kind, target);
	d = opendir(dir);
	if (!d)
		return 0;
	while ((e = readdir(d)))
		if (e->d_name[0] != '.') {
			snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
			replay_file(target, path);
			n++;
		}
	closedir(d);
	return n;
}

static void replay(void **state)
{
	const char *target = *state;

	if (replay_dir(target, "corpus") == 0)
		fail_msg("tests/fuzz/corpus/%s has no seeds", target);
	replay_dir(target, "found");
}

int main(void)
{
	static struct CMUnitTest tests[64];
	size_t n = 0;

	for (; fuzz_target((int)n) && n < 64; n++)
		tests[n] = (struct CMUnitTest){
			fuzz_target((int)n), replay, NULL, NULL, (void *)fuzz_target((int)n)};
	return _cmocka_run_group_tests("replay", tests, n, NULL, NULL);
}
