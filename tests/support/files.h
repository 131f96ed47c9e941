/*
 * files.h - a directory for a test's files, whole files in and out, and
 * contexts that count or refuse memory.
 */
#ifndef GPUBE_TEST_FILES_H
#define GPUBE_TEST_FILES_H

#include "gpube/gpube.h"

/* A fresh directory; test_clear_dir() removes it with the files in it. */
void test_make_dir(char dir[256]);
void test_clear_dir(const char *dir);
/* Number of files in it. */
int test_count_files(const char *dir);

void test_put(const char *path, const void *bytes, size_t n);
/* malloc()ed, with a 0 behind it; NULL if there is no such file. */
char *test_get(const char *path, size_t *n);

/*
 * Memory that can run out: allocation number 'fail_at' (from 0, frees not
 * counted) fails, none if negative. 'live' is what has not been freed.
 */
struct test_memory {
	long fail_at, n, live;
};

/* A context on it; the context itself is always granted and not counted. */
struct gpube_ctx *test_memory_ctx(struct test_memory *m);

#endif
