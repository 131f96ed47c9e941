/* Byte streams: compression, pipes, files that appear whole or not at all. */
#define _XOPEN_SOURCE 700
#include "tests/support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "formats/io/io.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/files.h"

static void write_text(const char *path, const char *text)
{
	struct gpube_out out;

	assert_int_equal(gpube__out_open(&out, ctx, path), GPUBE_OK);
	gpube__out_text(&out, text);
	assert_int_equal(gpube__out_close(&out, true), GPUBE_OK);
}

/*
 * The C library's, which this program has in its place: what it was called for, and what it says.
 */
static int n_synced, sync_error;
static char seen[16]; /* what was in dir/target meanwhile */

int fsync(int fd)
{
	char *text = test_get(in_dir("target"), NULL);

	(void)fd;
	n_synced++;
	snprintf(seen, sizeof(seen), "%s", text ? text : "");
	free(text);
	errno = sync_error;
	return sync_error ? -1 : 0;
}

/* ---- streams ------------------------------------------------------------------------- */

/* Numbers of every length, so that they straddle the window wherever it ends. */
static int64_t number(struct gpube_rng *rng)
{
	uint64_t bits = gpube__rng_next(rng);

	return (int64_t)bits >> (gpube__rng_next(rng) % 64);
}

enum { N_NUMBERS = 300000 };

static void write_numbers(const char *path)
{
	struct gpube_rng rng;
	struct gpube_out out;

	gpube__rng_init(&rng, 2);
	assert_int_equal(gpube__out_open(&out, ctx, path), GPUBE_OK);
	for (int i = 0; i < N_NUMBERS; i++) {
		gpube__out_int(&out, number(&rng));
		gpube__out_text(&out, i % 7 ? " " : i % 3 ? "\n" : " \r\n\t");
	}
	assert_int_equal(gpube__out_close(&out, true), GPUBE_OK);
}

static void check_numbers(const char *path, int copies)
{
	struct gpube_rng rng;
	struct gpube_in in;
	int64_t v;

	assert_int_equal(gpube__in_open(&in, ctx, path), GPUBE_OK);
	for (int c = 0; c < copies; c++) {
		gpube__rng_init(&rng, 2);
		for (int i = 0; i < N_NUMBERS; i++) {
			assert_int_equal(
				gpube__in_int(&in, &v, INT64_MIN, INT64_MAX, "a number"), GPUBE_OK);
			if (v != number(&rng))
				fail_msg("number %d is another", i);
		}
		assert_int_equal(in.line,
			1 + (c + 1) * ((N_NUMBERS + 6) / 7) - (N_NUMBERS % 7 == 1 ? 1 : 0));
	}
	assert_int_equal(gpube__in_end(&in), GPUBE_OK);
	gpube__in_close(&in);
}

static void append(const char *to, const char *from)
{
	size_t n, k;
	char *a = test_get(to, &n), *b = test_get(from, &k);

	a = realloc(a, n + k);
	assert_non_null(a);
	memcpy(a + n, b, k);
	test_put(to, a, n + k);
	free(a);
	free(b);
}

static void big_streams(void **state)
{
	const char *name = *state, *path = in_dir(name);

#ifndef GPUBE_HAVE_LZMA
	if (strstr(name, ".xz"))
		skip();
#endif
	write_numbers(path);
	check_numbers(path, 1);
	if (strstr(name, ".gz")) {
		size_t n;
		char *p;

		append(path, path); /* members one behind the other */
		check_numbers(path, 2);
		p = test_get(path, &n);
		p = realloc(p, n + 1000);
		assert_non_null(p);
		memset(p + n, 0, 1000); /* as on a tape */
		test_put(path, p, n + 1000);
		free(p);
		check_numbers(path, 2);
	} else if (strstr(name, ".xz")) {
		append(path, path);
		check_numbers(path, 2);
	}
}

/* The writer's half of a slow pipe: pieces of every size up to 4 KB. */
static void dribble(const char *from, const char *fifo)
{
	FILE *f = fopen(from, "rb");
	char buffer[4096];
	int fd = open(fifo, O_WRONLY);
	size_t n;

	for (int i = 1; f && fd >= 0 && (n = fread(buffer, 1, (size_t)(i * 7 % 4096 + 1), f)) > 0;
		i++)
		if (write(fd, buffer, n) != (ssize_t)n)
			_exit(1);
	_exit(0);
}

static void slow_pipe(void **state)
{
	const char *from = in_dir(*state), *fifo = in_dir("fifo");
	int status;
	pid_t pid;

#ifndef GPUBE_HAVE_LZMA
	if (strstr(*state, ".xz"))
		skip();
#endif
	write_numbers(from);
	assert_int_equal(mkfifo(fifo, 0600), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		dribble(from, fifo);
	check_numbers(fifo, 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void standard_input(void **state)
{
	int saved = dup(0), fd;

	(void)state;
	write_numbers(in_dir("x.gz"));
	fd = open(in_dir("x.gz"), O_RDONLY);
	assert_true(saved >= 0 && fd >= 0);
	assert_true(dup2(fd, 0) == 0);
	check_numbers("-", 1);
	assert_true(dup2(saved, 0) == 0);
	close(saved);
	close(fd);
}

/* Every tenth prefix of a compressed file, and each of its bytes damaged. */
static void cut_and_damaged(void **state)
{
	const char *name = *state, *path = in_dir(name);
	struct gpube_rng rng;
	char text[400], *whole;
	size_t n;

#ifndef GPUBE_HAVE_LZMA
	if (strstr(name, ".xz"))
		skip();
#endif
	gpube__rng_init(&rng, 4);
	for (int i = 0; i < 399; i++)
		text[i] = i % 5 == 4 ? '\n' : (char)('0' + gpube__rng_below(&rng, 10));
	text[399] = 0;
	write_text(path, text);
	whole = test_get(path, &n);
	assert_true(n > 60);
	for (size_t k = 0; k < 2 * n; k++) {
		bool cut = k < n;
		struct gpube_in in;
		char token[256];
		int status = GPUBE_OK, tokens = 0;

		if (cut && (k % 10 || k < 10)) /* shorter than 6 bytes is not compressed */
			continue;
		if (!cut)
			whole[k - n] ^= 0x10;
		test_put(path, whole, cut ? k : n);
		if (!cut)
			whole[k - n] ^= 0x10;
		status = gpube__in_open(&in, ctx, path);
		while (!status && !gpube__in_at_end(&in)) {
			status = gpube__in_token(&in, token, "a token");
			if (!status && !cut && k - n >= 10)
				assert_memory_equal(token, text + 5 * tokens, 4);
			tokens++;
		}
		if (!status)
			status = gpube__in_end(&in);
		if (cut) {
			assert_int_equal(status, GPUBE_EPARSE);
			assert_non_null(strstr(gpube_error(ctx), "truncated"));
			assert_non_null(strstr(gpube_error(ctx), path));
		} else if (!status && k - n >= 10) { /* damage that does not show: gzip's header */
			assert_int_equal(tokens, 80);
		}
		gpube__in_close(&in);
	}
	free(whole);
}

static void cannot_open(void **state)
{
	struct gpube_in in;
	char expected[400];

	(void)state;
	assert_int_equal(gpube__in_open(&in, ctx, in_dir("missing")), GPUBE_EIO);
	snprintf(expected, sizeof(expected), "cannot open '%s/missing': %s", dir, strerror(ENOENT));
	assert_string_equal(gpube_error(ctx), expected);
	assert_int_equal(gpube__in_open(&in, ctx, dir), GPUBE_EIO);
	snprintf(expected, sizeof(expected), "cannot open '%s': %s", dir, strerror(EISDIR));
	assert_string_equal(gpube_error(ctx), expected);
	assert_int_equal(gpube__in_open(&in, ctx, ""), GPUBE_EIO);
}

/* ---- files that appear whole or not at all ---------------------------------------------- */

static void nothing_left(void **state)
{
	const char *name = *state;
	struct gpube_out out;
	char *text;

#ifndef GPUBE_HAVE_LZMA
	if (strstr(name, ".xz"))
		skip();
#endif
	assert_int_equal(gpube__out_open(&out, ctx, in_dir(name)), GPUBE_OK);
	gpube__out_text(&out, "half");
	assert_null(test_get(in_dir(name), NULL)); /* not there before it is complete */
	assert_int_equal(gpube__out_close(&out, false), GPUBE_OK);
	assert_int_equal(test_count_files(dir), 0);
	/* the file that was there stays */
	test_put(in_dir(name), "old", 3);
	assert_int_equal(gpube__out_open(&out, ctx, in_dir(name)), GPUBE_OK);
	gpube__out_text(&out, "half");
	assert_int_equal(gpube__out_close(&out, false), GPUBE_OK);
	text = test_get(in_dir(name), NULL);
	assert_string_equal(text, "old");
	free(text);
	assert_int_equal(test_count_files(dir), 1);
}

static void link_and_mode_stay(void **state)
{
	struct stat st;
	char *text;

	(void)state;
	test_put(in_dir("target"), "old", 3);
	assert_int_equal(chmod(in_dir("target"), 0640), 0);
	assert_int_equal(symlink("target", in_dir("link")), 0);
	write_text(in_dir("link"), "new");
	assert_int_equal(lstat(in_dir("link"), &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(lstat(in_dir("target"), &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	text = test_get(in_dir("target"), NULL);
	assert_string_equal(text, "new");
	free(text);
	assert_int_equal(test_count_files(dir), 2);
}

/* Writes more than any buffer holds; returns the status of closing. */
static int write_much(const char *path)
{
	struct gpube_out out;
	struct gpube_rng rng;
	int status = gpube__out_open(&out, ctx, path);

	if (status)
		return status;
	gpube__rng_init(&rng, 3);
	for (int i = 0; i < 20000; i++) {
		gpube__out_int(&out, number(&rng));
		gpube__out_text(&out, "\n");
	}
	return gpube__out_close(&out, true);
}

static void cannot_write(void **state)
{
	char expected[400];

	(void)state;
	assert_int_equal(write_much(in_dir("no/x")), GPUBE_EIO);
	snprintf(expected, sizeof(expected), "cannot write '%s/no/x': %s", dir, strerror(ENOENT));
	assert_string_equal(gpube_error(ctx), expected);
	assert_int_equal(write_much(dir), GPUBE_EIO);
	snprintf(expected, sizeof(expected), "cannot write '%s': %s", dir, strerror(EISDIR));
	assert_string_equal(gpube_error(ctx), expected);
	if (access("/dev/full", W_OK) == 0) {
		assert_int_equal(write_much("/dev/full"), GPUBE_EIO);
		snprintf(expected, sizeof(expected), "cannot write '/dev/full': %s",
			strerror(ENOSPC));
		assert_string_equal(gpube_error(ctx), expected);
	}
	assert_int_equal(test_count_files(dir), 0);
}

/* The disk fills up on the way, as far as a process can have that: its limit on file sizes. */
static void full_on_the_way(void **state)
{
	struct rlimit limit = {8192, 8192};
	const char *path = in_dir(*state);
	int status;
	pid_t pid;

#ifndef GPUBE_HAVE_LZMA
	if (strstr(*state, ".xz"))
		skip();
#endif
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		signal(SIGXFSZ, SIG_IGN);
		if (setrlimit(RLIMIT_FSIZE, &limit) != 0)
			_exit(9);
		status = write_much(path);
		_exit(status == GPUBE_EIO && strstr(gpube_error(ctx), "cannot write '") ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(test_count_files(dir), 0);
}

static void closed_pipe(void **state)
{
	void (*old)(int) = signal(SIGPIPE, SIG_IGN);
	int saved, ends[2], status;

	(void)state;
	fflush(stdout);
	saved = dup(1);
	assert_true(saved >= 0 && pipe(ends) == 0);
	close(ends[0]);
	assert_true(dup2(ends[1], 1) == 1);
	status = write_much("-");
	dup2(saved, 1);
	close(saved);
	close(ends[1]);
	signal(SIGPIPE, old);
	assert_int_equal(status, GPUBE_EIO);
	assert_non_null(strstr(gpube_error(ctx), "cannot write '<stdout>'"));
}

/* A link to what is not there yet makes that, and stays; a ring of links is refused. */
static void link_to_nothing(void **state)
{
	struct gpube_out out;
	struct stat st;
	char *text;

	(void)state;
	assert_int_equal(symlink("middle", in_dir("link")), 0);
	assert_int_equal(symlink(in_dir("target"), in_dir("middle")), 0);
	write_text(in_dir("link"), "new");
	assert_int_equal(lstat(in_dir("link"), &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(lstat(in_dir("middle"), &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(lstat(in_dir("target"), &st), 0);
	assert_true(S_ISREG(st.st_mode));
	text = test_get(in_dir("target"), NULL);
	assert_string_equal(text, "new");
	free(text);
	assert_int_equal(symlink("round", in_dir("ring")), 0);
	assert_int_equal(symlink("ring", in_dir("round")), 0);
	assert_int_equal(gpube__out_open(&out, ctx, in_dir("ring")), GPUBE_EIO);
	assert_int_equal(symlink("no/such/folder", in_dir("lost")), 0);
	assert_int_equal(gpube__out_open(&out, ctx, in_dir("lost")), GPUBE_EIO);
	assert_int_equal(test_count_files(dir), 6);
}

/* On the disk before the old file goes; where that fails the old one stays. */
static void synced_before_renamed(void **state)
{
	struct gpube_out out;
	char *text;

	(void)state;
	test_put(in_dir("target"), "old", 3);
	n_synced = 0;
	write_text(in_dir("target"), "new");
	assert_int_equal(n_synced, 1);
	assert_string_equal(seen, "old");
	text = test_get(in_dir("target"), NULL);
	assert_string_equal(text, "new");
	free(text);
	sync_error = EIO;
	assert_int_equal(gpube__out_open(&out, ctx, in_dir("target")), GPUBE_OK);
	gpube__out_text(&out, "newer");
	assert_int_equal(gpube__out_close(&out, true), GPUBE_EIO);
	assert_non_null(strstr(gpube_error(ctx), "cannot write"));
	sync_error = EINVAL; /* a file system that has no such thing */
	write_text(in_dir("other"), "text");
	sync_error = 0;
	text = test_get(in_dir("target"), NULL);
	assert_string_equal(text, "new");
	free(text);
	assert_int_equal(test_count_files(dir), 2);
}

int main(void)
{
	static const char *const names[] = {"x", "x.gz", "x.xz"};
	struct cases c = {.setup = ctx_dir_setup, .teardown = ctx_dir_teardown};

	ADD_CASE(&c, standard_input);
	ADD_CASE(&c, cannot_open);
	ADD_CASE(&c, link_and_mode_stay);
	ADD_CASE(&c, link_to_nothing);
	ADD_CASE(&c, synced_before_renamed);
	ADD_CASE(&c, cannot_write);
	ADD_CASE(&c, closed_pipe);
	for (size_t k = 0; k < 3; k++) {
		add_case(&c, big_streams, names[k], "big_streams %s", names[k]);
		add_case(&c, slow_pipe, names[k], "slow_pipe %s", names[k]);
		if (k > 0)
			add_case(&c, cut_and_damaged, names[k], "cut_and_damaged %s", names[k]);
		add_case(&c, nothing_left, names[k], "nothing_left %s", names[k]);
		add_case(&c, full_on_the_way, names[k], "full_on_the_way %s", names[k]);
	}
	return run_cases(&c, "io", NULL, NULL);
}
