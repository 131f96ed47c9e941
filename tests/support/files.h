/* files.h - a directory for a test's files, and whole files in and out. */
#ifndef GPUBE_TEST_FILES_H
#define GPUBE_TEST_FILES_H

#include <stddef.h>

/* A fresh directory; test_clear_dir() removes it with the files in it. */
void test_make_dir(char dir[256]);
void test_clear_dir(const char *dir);
/* Number of files in it. */
int test_count_files(const char *dir);

void test_put(const char *path, const void *bytes, size_t n);
/* malloc()ed, with a 0 behind it; NULL if there is no such file. */
char *test_get(const char *path, size_t *n);

#endif
