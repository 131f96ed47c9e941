/* Byte streams: compression, numbers, files that appear whole or not at all. */
#define _XOPEN_SOURCE 700
#include "tests/support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "formats/io.h"
#include "tests/support/files.h"

static struct gpube_ctx *ctx;
static char dir[256];

static int setup(void **state)
{
	(void)state;
	test_make_dir(dir);
	return gpube_ctx_new(&ctx, NULL);
}

static int teardown(void **state)
{
	(void)state;
	test_clear_dir(dir);
	gpube_ctx_free(ctx);
	return 0;
}

static const char *in_dir(const char *name)
{
	static char path[4][400];
	static int at;

	at = (at + 1) % 4;
	snprintf(path[at], sizeof(path[at]), "%s/%s", dir, name);
	return path[at];
}

static void write_text(const char *path, const char *text)
{
	struct gpube_out out;

	assert_int_equal(gpube__out_open(&out, ctx, path), GPUBE_OK);
	gpube__out_text(&out, text);
	assert_int_equal(gpube__out_close(&out, true), GPUBE_OK);
}

/* ---- numbers ------------------------------------------------------------------------ */

struct text_row {
	const char *text;
	double real; /* NAN: refused */
};

static const struct text_row reals[] = {
	{"0", 0}, {"1", 1}, {"-1", -1}, {"+2.5", 2.5}, {".5", .5}, {"5.", 5}, {"1e3", 1000},
	{"1E-3", 0.001}, {"1.e+2", 100}, {"0.1", 0.1}, {"123456789012345678", 123456789012345678.0},
	{"9007199254740993", 9007199254740992.0}, /* 2^53 + 1: ties to even */
	{"9007199254740993.00000000000000000000000000001", 9007199254740994.0},
	{"0.1000000000000000055511151231257827021181583404541015625", 0.1},
	{"1e23", 1e23}, {"1e22", 1e22}, {"8.5e-23", 8.5e-23}, {"179769313486231570e291", DBL_MAX},
	{"2.2250738585072011e-308", 0x0.fffffffffffffp-1022}, /* the number that hung PHP and Java */
	{"2.2250738585072014e-308", DBL_MIN}, {"4.9e-324", 0x1p-1074}, {"5e-324", 0x1p-1074},
	{"0e999999999999", 0}, {"0.000000000000000000000000000000000000000000001", 1e-45},
	{"1000000000000000000000000000000", 1e30}, {"00000000000000000000000000000001.50", 1.5},
	{"1e309", NAN}, {"1e-325", NAN}, {"1e99999999999999999999", NAN}, {"inf", NAN}, {"-inf", NAN},
	{"Infinity", NAN}, {"nan", NAN}, {"NaN", NAN}, {"0x10", NAN}, {"0x1p3", NAN}, {"1,5", NAN},
	{"", NAN}, {"-", NAN}, {"+", NAN}, {".", NAN}, {"e5", NAN}, {"1e", NAN}, {"1e+", NAN},
	{"1..2", NAN}, {"1.2.3", NAN}, {"--1", NAN}, {"1f", NAN}, {"1d3", NAN},
};

static void real(void **state)
{
	const struct text_row *row = *state;
	const char *path = in_dir("x");
	struct gpube_in in;
	double v = 77;
	int status;

	write_text(path, row->text);
	assert_int_equal(gpube__in_open(&in, ctx, path), GPUBE_OK);
	status = gpube__in_real(&in, &v, "a real");
	if (isnan(row->real)) {
		assert_true(status == GPUBE_EPARSE || status == GPUBE_ERANGE);
	} else {
		assert_int_equal(status, GPUBE_OK);
		assert_memory_equal(&v, &row->real, sizeof(v));
		assert_int_equal(gpube__in_end(&in), GPUBE_OK);
	}
	gpube__in_close(&in);
}

/* A comma for the decimal point, where the system has such a locale. */
static void other_locale(void **state)
{
	static const char *const names[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "fr_FR", "es_ES.UTF-8"};
	const char *found = NULL;
	struct gpube_out out;
	struct gpube_in in;
	double v, w;

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names) && !found; i++)
		found = setlocale(LC_ALL, names[i]);
	if (!found)
		skip();
	assert_int_equal(gpube__out_open(&out, ctx, in_dir("x")), GPUBE_OK);
	gpube__out_real(&out, 0.1);
	gpube__out_text(&out, " 3.00000000000000000000000000000001");
	assert_int_equal(gpube__out_close(&out, true), GPUBE_OK);
	assert_int_equal(gpube__in_open(&in, ctx, in_dir("x")), GPUBE_OK);
	assert_int_equal(gpube__in_real(&in, &v, "a real"), GPUBE_OK);
	assert_int_equal(gpube__in_real(&in, &w, "a real"), GPUBE_OK);
	gpube__in_close(&in);
	setlocale(LC_ALL, "C");
	assert_true(v == 0.1 && w == 3);
}

static const struct {
	const char *text;
	int64_t v;
	bool good;
} ints[] = {
	{"0", 0, true}, {"-0", 0, true}, {"+7", 7, true}, {"0000000000000000000000000042", 42, true},
	{"9223372036854775807", INT64_MAX, true}, {"-9223372036854775808", INT64_MIN, true},
	{"9223372036854775808", 0, false}, {"-9223372036854775809", 0, false},
	{"99999999999999999999999999", 0, false}, {"1.0", 0, false}, {"1e3", 0, false}, {"0x1", 0, false},
	{"-", 0, false}, {"+-1", 0, false}, {"1a", 0, false}, {"", 0, false}, {"1,2", 0, false},
};

static void integers(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(ints) / sizeof(*ints); i++) {
		struct gpube_in in;
		int64_t v = 77;
		int status;

		write_text(in_dir("x"), ints[i].text);
		assert_int_equal(gpube__in_open(&in, ctx, in_dir("x")), GPUBE_OK);
		status = gpube__in_int(&in, &v, INT64_MIN, INT64_MAX, "a number");
		assert_int_equal(status, ints[i].good ? GPUBE_OK : GPUBE_EPARSE);
		assert_true(v == (ints[i].good ? ints[i].v : 77));
		gpube__in_close(&in);
	}
}

static void reals_come_back(void **state)
{
	enum { N = 200000 };
	struct gpube_out out;
	struct gpube_in in;
	struct gpube_rng rng;

	(void)state;
	assert_int_equal(gpube__out_open(&out, ctx, in_dir("x")), GPUBE_OK);
	for (int pass = 0; pass < 2; pass++) {
		gpube__rng_init(&rng, 1);
		if (pass)
			assert_int_equal(gpube__in_open(&in, ctx, in_dir("x")), GPUBE_OK);
		for (int i = 0; i < N; i++) {
			uint64_t bits = gpube__rng_next(&rng);
			double v, w = -1;

			memcpy(&v, &bits, sizeof(v));
			if (i % 2) /* half of them as people write them */
				v = (double)(bits >> 40) / 1e6;
			if (!isfinite(v))
				v = -0.0;
			if (pass == 0) {
				gpube__out_real(&out, v);
				gpube__out_text(&out, "\n");
				continue;
			}
			assert_int_equal(gpube__in_real(&in, &w, "a real"), GPUBE_OK);
			assert_memory_equal(&v, &w, sizeof(v));
		}
		if (pass == 0)
			assert_int_equal(gpube__out_close(&out, true), GPUBE_OK);
	}
	assert_int_equal(gpube__in_end(&in), GPUBE_OK);
	gpube__in_close(&in);
}

static void shortest_text(void **state)
{
	static const double v[] = {0, -0.0, 1, -17, 0.1, 1e15, 1e22, 123456.75, 1.0 / 3, 5e-324,
		DBL_MAX, 100, 0.3, 0.1 + 0.2};
	static const char text[] =
		"0\n-0\n1\n-17\n0.1\n1e+15\n1e+22\n123456.75\n0.3333333333333333\n4.94065645841247e-324\n"
		"1.7976931348623157e+308\n100\n0.3\n0.30000000000000004\n";
	struct gpube_out out;
	char *found;

	(void)state;
	assert_int_equal(gpube__out_open(&out, ctx, in_dir("x")), GPUBE_OK);
	for (size_t i = 0; i < sizeof(v) / sizeof(*v); i++) {
		gpube__out_real(&out, v[i]);
		gpube__out_text(&out, "\n");
	}
	assert_int_equal(gpube__out_close(&out, true), GPUBE_OK);
	found = test_get(in_dir("x"), NULL);
	assert_string_equal(found, text);
	free(found);
}

static void decimals(void **state)
{
	static const struct {
		int64_t v;
		int scale;
	} rows[] = {{0, 0}, {-5, 0}, {0, 2}, {5, 2}, {-5, 2}, {12345, 2}, {-100, 2}, {7, 1},
		{INT64_MAX, 12}, {INT64_MIN + 1, 18}, {INT64_MIN, 0}, {1, 25}};
	static const char text[] = "0 -5 0.00 0.05 -0.05 123.45 -1.00 0.7 9223372.036854775807 "
				   "-9.223372036854775807 -9223372036854775808 "
				   "0.0000000000000000000000001 ";
	struct gpube_out out;
	char *found;

	(void)state;
	assert_int_equal(gpube__out_open(&out, ctx, in_dir("x")), GPUBE_OK);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		gpube__out_decimal(&out, rows[i].v, rows[i].scale);
		gpube__out_text(&out, " ");
	}
	assert_int_equal(gpube__out_close(&out, true), GPUBE_OK);
	found = test_get(in_dir("x"), NULL);
	assert_string_equal(found, text);
	free(found);
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
		assert_int_equal(in.line, 1 + (c + 1) * ((N_NUMBERS + 6) / 7) -
						  (N_NUMBERS % 7 == 1 ? 1 : 0));
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

	for (int i = 1; f && fd >= 0 && (n = fread(buffer, 1, (size_t)(i * 7 % 4096 + 1), f)) > 0; i++)
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

static void long_token(void **state)
{
	char text[600], token[256];
	struct gpube_in in;

	(void)state;
	memset(text, 'a', sizeof(text));
	text[255] = ' ';
	text[512] = 0;
	write_text(in_dir("x"), text);
	assert_int_equal(gpube__in_open(&in, ctx, in_dir("x")), GPUBE_OK);
	assert_int_equal(gpube__in_token(&in, token, "a name"), GPUBE_OK);
	assert_int_equal(strlen(token), 255);
	assert_int_equal(gpube__in_token(&in, token, "a name"), GPUBE_EPARSE);
	assert_non_null(strstr(gpube_error(ctx), "more than 255 bytes"));
	gpube__in_close(&in);
	/* digits, too: a long number is not read in pieces */
	memset(text, '1', 300);
	text[300] = 0;
	write_text(in_dir("x"), text);
	for (int i = 0; i < 2; i++) {
		int64_t v;
		double d;

		assert_int_equal(gpube__in_open(&in, ctx, in_dir("x")), GPUBE_OK);
		assert_int_equal(i ? gpube__in_int(&in, &v, 0, INT64_MAX, "a number")
				   : gpube__in_real(&in, &d, "a number"),
			GPUBE_EPARSE);
		gpube__in_close(&in);
	}
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
		snprintf(expected, sizeof(expected), "cannot write '/dev/full': %s", strerror(ENOSPC));
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

int main(void)
{
	static const char *const names[] = {"x", "x.gz", "x.xz"};
	enum { N_REALS = sizeof(reals) / sizeof(*reals) };
	static const struct CMUnitTest plain[] = {
		cmocka_unit_test_setup_teardown(other_locale, setup, teardown),
		cmocka_unit_test_setup_teardown(integers, setup, teardown),
		cmocka_unit_test_setup_teardown(reals_come_back, setup, teardown),
		cmocka_unit_test_setup_teardown(shortest_text, setup, teardown),
		cmocka_unit_test_setup_teardown(decimals, setup, teardown),
		cmocka_unit_test_setup_teardown(standard_input, setup, teardown),
		cmocka_unit_test_setup_teardown(long_token, setup, teardown),
		cmocka_unit_test_setup_teardown(cannot_open, setup, teardown),
		cmocka_unit_test_setup_teardown(link_and_mode_stay, setup, teardown),
		cmocka_unit_test_setup_teardown(cannot_write, setup, teardown),
		cmocka_unit_test_setup_teardown(closed_pipe, setup, teardown),
	};
	static const struct {
		const char *name;
		void (*fn)(void **);
	} streams[] = {{"big_streams", big_streams}, {"slow_pipe", slow_pipe},
		{"cut_and_damaged", cut_and_damaged}, {"nothing_left", nothing_left},
		{"full_on_the_way", full_on_the_way}};
	static struct CMUnitTest tests[N_REALS + 40];
	static char texts[N_REALS + 40][80];
	size_t n = 0;

	for (; n < sizeof(plain) / sizeof(*plain); n++)
		tests[n] = plain[n];
	for (size_t i = 0; i < N_REALS; i++, n++) {
		snprintf(texts[n], sizeof(texts[n]), "real '%s'", reals[i].text);
		tests[n] = (struct CMUnitTest){
			texts[n], real, setup, teardown, (void *)(uintptr_t)&reals[i]};
	}
	for (size_t i = 0; i < sizeof(streams) / sizeof(*streams); i++)
		for (size_t k = 0; k < 3; k++) {
			if (streams[i].fn == cut_and_damaged && k == 0)
				continue;
			snprintf(texts[n], sizeof(texts[n]), "%s %s", streams[i].name, names[k]);
			tests[n] = (struct CMUnitTest){texts[n], streams[i].fn, setup, teardown,
				(void *)(uintptr_t)names[k]};
			n++;
		}
	return _cmocka_run_group_tests("io", tests, n, NULL, NULL);
}
