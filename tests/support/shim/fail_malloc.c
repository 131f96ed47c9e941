/*
 * fail_malloc.c - a C library that has no memory when it is told so: LD_PRELOAD of
 * tests/cli/test_memory.sh, which compiles it. Environment:
 *
 *   FAIL_AT=N     allocation number N, from 1, fails, and no other
 *   FAIL_FROM=N   so do all after it
 *   FAIL_COUNT=F  the number of allocations is written to the file F in the end
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static long n_asked, fail_at, fail_from;

static long number(const char *name)
{
	const char *text = getenv(name);

	return text ? strtol(text, NULL, 10) : 0;
}

__attribute__((constructor)) static void begin(void)
{
	fail_at = number("FAIL_AT");
	fail_from = number("FAIL_FROM");
	n_asked = 0; /* those before are of the loader */
}

__attribute__((destructor)) static void end(void)
{
	const char *path = getenv("FAIL_COUNT");
	char text[32];
	const int n = snprintf(text, sizeof(text), "%ld\n", n_asked);
	const int fd = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;

	if (fd >= 0 && write(fd, text, (size_t)n) == n)
		close(fd);
}

static int refused(void)
{
	const long k = __atomic_add_fetch(&n_asked, 1, __ATOMIC_RELAXED);

	if (k != fail_at && (fail_from == 0 || k < fail_from))
		return 0;
	errno = ENOMEM;
	return 1;
}

void *malloc(size_t size)
{
	return refused() ? NULL : __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	return refused() ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t size)
{
	return size && refused() ? NULL : __libc_realloc(p, size);
}

void *memalign(size_t alignment, size_t size)
{
	return refused() ? NULL : __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
	return memalign(alignment, size);
}

int posix_memalign(void **p, size_t alignment, size_t size)
{
	*p = memalign(alignment, size);
	return *p ? 0 : ENOMEM;
}
