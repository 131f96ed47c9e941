/* io_out.c - output files: buffered, compressed by name, complete or not there. See io.h. */
#define _POSIX_C_SOURCE 200809L
#define _XOPEN_SOURCE   700
#include "formats/io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <float.h>
#include <limits.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>
#ifdef GPUBE_HAVE_LZMA
#include <lzma.h>
#endif

enum { OUT_BYTES = 1 << 16, STEP_MS = 100, XZ_LEAST_BYTES = 4096 };
enum coding { PLAIN, GZIP, XZ };

struct gpube_out_impl {
	int fd;
	enum coding coding;
	bool coder_ready;
	char *target, *temporary; /* NULL: written in place */
	size_t n;                 /* bytes in text */
	locale_t c_locale;
	z_stream gz;
#ifdef GPUBE_HAVE_LZMA
	lzma_stream xz;
	lzma_allocator xz_memory;
#endif
	char text[OUT_BYTES];
	unsigned char packed[OUT_BYTES];
};

static int fail_writing(struct gpube_out *out, const char *why)
{
	if (!out->status)
		out->status =
			gpube__fail(out->ctx, GPUBE_EIO, "cannot write '%s': %s", out->path, why);
	return out->status;
}

static bool write_raw(struct gpube_out *out, const void *bytes, size_t n)
{
	const char *p = bytes;

	while (n && !out->status) {
		ssize_t k = write(out->impl->fd, p, n);

		if (k < 0 && errno != EINTR)
			fail_writing(out, strerror(errno));
		if (k > 0) {
			p += k;
			n -= (size_t)k;
		}
	}
	return !out->status;
}

/* ---- coders: take all of the text, at the end also what they hold back ------------- */

static void pack_gzip(struct gpube_out *out, bool finish)
{
	struct gpube_out_impl *s = out->impl;
	int rc;

	s->gz.next_in = (unsigned char *)s->text;
	s->gz.avail_in = (uInt)s->n;
	do {
		s->gz.next_out = s->packed;
		s->gz.avail_out = OUT_BYTES;
		rc = deflate(&s->gz, finish ? Z_FINISH : Z_NO_FLUSH);
		if (!write_raw(out, s->packed, OUT_BYTES - s->gz.avail_out))
			return;
	} while (s->gz.avail_out == 0 || (finish && rc == Z_OK));
}

#ifdef GPUBE_HAVE_LZMA
static void pack_xz(struct gpube_out *out, bool finish)
{
	struct gpube_out_impl *s = out->impl;
	lzma_ret rc;

	s->xz.next_in = (uint8_t *)s->text;
	s->xz.avail_in = s->n;
	do {
		s->xz.next_out = s->packed;
		s->xz.avail_out = OUT_BYTES;
		rc = lzma_code(&s->xz, finish ? LZMA_FINISH : LZMA_RUN);
		if (rc == LZMA_MEM_ERROR)
			out->status = GPUBE_ENOMEM; /* gpube__alloc() has set the text */
		else if (rc != LZMA_OK && rc != LZMA_STREAM_END)
			fail_writing(out, "liblzma failed");
		if (out->status)
			return;
		if (!write_raw(out, s->packed, OUT_BYTES - s->xz.avail_out))
			return;
	} while (finish ? rc != LZMA_STREAM_END : s->xz.avail_in > 0);
}
#endif

static void flush(struct gpube_out *out, bool finish)
{
	struct gpube_out_impl *s = out->impl;

	if (out->stops && gpube__stopped(out->ctx)) {
		out->status = gpube__fail_stopped(out->ctx);
		s->n = 0;
		return;
	}
	if (s->coding == PLAIN)
		write_raw(out, s->text, s->n);
	else if (s->coding == GZIP)
		pack_gzip(out, finish);
#ifdef GPUBE_HAVE_LZMA
	else
		pack_xz(out, finish);
#endif
	s->n = 0;
}

#ifdef GPUBE_HAVE_LZMA
/*
 * Preset 1: on text of numbers as small as the default, ten times as fast. Its dictionary is halved
 * until the memory has room for what packs, which is more than what unpacks takes; so who has
 * written a file can read it. Hash chains of three bytes take a quarter of a megabyte less.
 */
static int start_xz(struct gpube_out *out)
{
	struct gpube_out_impl *s = out->impl;
	const uint64_t memory = out->ctx->memory_bytes;
	lzma_options_lzma options;
	const lzma_filter filters[] = {
		{LZMA_FILTER_LZMA2, &options}, {.id = LZMA_VLI_UNKNOWN, .options = NULL}};

	if (lzma_lzma_preset(&options, 1))
		return fail_writing(out, "liblzma failed");
	while (lzma_raw_encoder_memusage(filters) > memory && options.dict_size > XZ_LEAST_BYTES) {
		options.dict_size /= 2;
		options.mf = LZMA_MF_HC3;
	}
	if (lzma_raw_encoder_memusage(filters) > memory)
		return out->status = gpube__fail(out->ctx, GPUBE_ELIMIT,
			       "cannot write '%s': to pack it takes %.1f MiB, more than the memory "
			       "allowed; .gz takes less",
			       out->path, (double)lzma_raw_encoder_memusage(filters) / 0x1p20);
	s->coding = XZ;
	s->xz = (lzma_stream)LZMA_STREAM_INIT;
	s->xz_memory = (lzma_allocator){gpube__xz_alloc, gpube__gz_free, out->ctx};
	s->xz.allocator = &s->xz_memory;
	if (lzma_stream_encoder(&s->xz, filters, LZMA_CHECK_CRC64) != LZMA_OK)
		return out->status = GPUBE_ENOMEM;
	s->coder_ready = true;
	return GPUBE_OK;
}
#endif

static bool has_suffix(const char *path, const char *suffix)
{
	size_t n = strlen(path), k = strlen(suffix);

	return n > k && strcmp(path + n - k, suffix) == 0;
}

static int start_coder(struct gpube_out *out)
{
	struct gpube_out_impl *s = out->impl;

	if (has_suffix(out->path, ".gz")) {
		s->coding = GZIP;
		s->gz.zalloc = gpube__gz_alloc;
		s->gz.zfree = gpube__gz_free;
		s->gz.opaque = out->ctx;
		if (deflateInit2(&s->gz, Z_DEFAULT_COMPRESSION, Z_DEFLATED, 15 + 16, 8,
			    Z_DEFAULT_STRATEGY) != Z_OK)
			return out->status = GPUBE_ENOMEM;
		s->coder_ready = true;
	} else if (has_suffix(out->path, ".xz")) {
#ifdef GPUBE_HAVE_LZMA
		return start_xz(out);
#else
		return fail_writing(out, "this build has no liblzma");
#endif
	} else if (has_suffix(out->path, ".lzma") || has_suffix(out->path, ".bz2") ||
		   has_suffix(out->path, ".zst")) {
		return fail_writing(
			out, "lzma, bzip2 and zstd data is only read: .gz and .xz are written");
	}
	return GPUBE_OK;
}

/* ---- open and close ------------------------------------------------------------------ */

/*
 * A new file beside the target, with the mode of the file that it will replace. Its name is short,
 * whatever the target's is: that may be the longest one that the file system takes.
 */
static int open_temporary(struct gpube_out *out, const struct stat *old)
{
	struct gpube_out_impl *s = out->impl;
	const char *slash = strrchr(s->target, '/');
	const int folder = slash ? (int)(slash - s->target) + 1 : 0;
	const size_t n = (size_t)folder + 64;

	s->temporary = gpube__alloc(out->ctx, n, 1);
	if (!s->temporary)
		return out->status = GPUBE_ENOMEM;
	for (int i = 0; i < 1000; i++) {
		snprintf(s->temporary, n, "%.*s.gpube-%ld-%d.tmp", folder, s->target,
			(long)getpid(), i);
		s->fd = open(s->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
		if (s->fd >= 0 || errno != EEXIST)
			break;
	}
	if (s->fd < 0) {
		gpube__free(out->ctx, s->temporary);
		s->temporary = NULL;
		return fail_writing(out, strerror(errno));
	}
	if (old)
		(void)!fchmod(s->fd, old->st_mode & 07777); /* not ours to insist on */
	return GPUBE_OK;
}

/*
 * Where a path leads that may be a link to what is not there yet: a link stays a link, and what it
 * names is made or replaced. False: links without end, or too long a name.
 */
static bool follow(char real[PATH_MAX], const char *path)
{
	enum { MOST_LINKS = 40 };
	char to[PATH_MAX];

	if (realpath(path, real))
		return true;
	if (snprintf(real, PATH_MAX, "%s", path) >= PATH_MAX)
		return false;
	for (int k = 0; k < MOST_LINKS; k++) {
		const ssize_t n = readlink(real, to, sizeof(to) - 1);
		char *slash = strrchr(real, '/');
		size_t at = slash ? (size_t)(slash - real) + 1 : 0;

		if (n < 0)
			return true;
		to[n] = 0;
		if (to[0] == '/')
			at = 0;
		if (at + (size_t)n >= PATH_MAX)
			return false;
		memcpy(real + at, to, (size_t)n + 1);
	}
	return false;
}

/* A device or a named pipe, for whose reader a stop is waited, too, as open() would not. */
static int open_special(struct gpube_out *out, bool fifo)
{
	const struct timespec step = {.tv_nsec = STEP_MS * 1000000};
	struct gpube_out_impl *s = out->impl;

	while ((s->fd = open(out->path, O_WRONLY | O_CLOEXEC | (fifo ? O_NONBLOCK : 0))) < 0 &&
		fifo && errno == ENXIO) {
		if (gpube__stopped(out->ctx))
			return out->status = gpube__fail_stopped(out->ctx);
		nanosleep(&step, NULL);
	}
	if (s->fd < 0 || (fifo && fcntl(s->fd, F_SETFL, fcntl(s->fd, F_GETFL) & ~O_NONBLOCK) != 0))
		return fail_writing(out, strerror(errno));
	return GPUBE_OK;
}

static int open_fd(struct gpube_out *out)
{
	struct gpube_out_impl *s = out->impl;
	char real[PATH_MAX];
	struct stat st;
	bool old;

	if (strcmp(out->path, "-") == 0) {
		s->fd = STDOUT_FILENO;
		out->path = "<stdout>";
		return GPUBE_OK;
	}
	old = stat(out->path, &st) == 0;
	if (!old && errno == ENAMETOOLONG) /* the temporary one is shorter */
		return fail_writing(out, strerror(errno));
	if (old && !S_ISREG(st.st_mode)) /* open() refuses directories */
		return open_special(out, S_ISFIFO(st.st_mode));
	if (old && access(out->path, W_OK) != 0)
		return fail_writing(out, strerror(errno));
	if (!follow(real, out->path))
		return fail_writing(out, strerror(ELOOP));
	s->target = gpube__strdup(out->ctx, real);
	if (!s->target)
		return out->status = GPUBE_ENOMEM;
	return open_temporary(out, old ? &st : NULL);
}

bool gpube__out_is_alone(const char *path)
{
	struct stat st;

	return strcmp(path, "-") == 0 || (stat(path, &st) == 0 && !S_ISREG(st.st_mode));
}

const char *gpube__out_temporary(const struct gpube_out *out)
{
	return out->impl ? out->impl->temporary : NULL;
}

int gpube__out_open(struct gpube_out *out, struct gpube_ctx *ctx, const char *path)
{
	struct gpube_out_impl *s;

	memset(out, 0, sizeof(*out));
	out->ctx = ctx;
	out->path = path;
	s = gpube__alloc(ctx, 1, sizeof(*s));
	if (!s)
		return out->status = GPUBE_ENOMEM;
	memset(s, 0, offsetof(struct gpube_out_impl, text));
	s->fd = -1;
	out->impl = s;
	s->c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
	if (s->c_locale == (locale_t)0)
		out->status = gpube__fail(ctx, GPUBE_ENOMEM, "out of memory: a locale");
	if (out->status || start_coder(out) || open_fd(out))
		return gpube__out_close(out, false);
	return GPUBE_OK;
}

static void free_impl(struct gpube_out *out)
{
	struct gpube_out_impl *s = out->impl;

	if (s->coder_ready && s->coding == GZIP)
		deflateEnd(&s->gz);
#ifdef GPUBE_HAVE_LZMA
	if (s->coder_ready && s->coding == XZ)
		lzma_end(&s->xz);
#endif
	if (s->c_locale != (locale_t)0)
		freelocale(s->c_locale);
	GPUBE_FREE_ALL(out->ctx, s->temporary, s->target, s);
	out->impl = NULL;
}

int gpube__out_finish(struct gpube_out *out)
{
	struct gpube_out_impl *s = out->impl;

	if (!s || s->fd < 0)
		return out->status;
	if (!out->status)
		flush(out, true);
	/* on the disk before it has its name: no crash leaves half a file where a whole one was */
	if (!out->status && s->temporary && fsync(s->fd) != 0 && errno != EINVAL &&
		errno != ENOTSUP)
		fail_writing(out, strerror(errno));
	if (s->fd > STDERR_FILENO && close(s->fd) != 0 && errno != EINTR)
		fail_writing(out, strerror(errno));
	s->fd = -1;
	return out->status;
}

int gpube__out_close(struct gpube_out *out, bool keep)
{
	struct gpube_out_impl *s = out->impl;

	if (!s)
		return out->status;
	if (keep)
		gpube__out_finish(out);
	if (s->fd > STDERR_FILENO)
		close(s->fd); /* of a file that goes */
	if (s->temporary && keep && !out->status && rename(s->temporary, s->target) != 0)
		fail_writing(out, strerror(errno));
	if (s->temporary && (!keep || out->status))
		unlink(s->temporary);
	free_impl(out);
	return out->status;
}

/* ---- text ------------------------------------------------------------------------------ */

void gpube__out_bytes(struct gpube_out *out, const char *p, size_t n)
{
	struct gpube_out_impl *s = out->impl;

	while (n && !out->status) {
		size_t k = OUT_BYTES - s->n < n ? OUT_BYTES - s->n : n;

		memcpy(s->text + s->n, p, k);
		s->n += k;
		p += k;
		n -= k;
		if (s->n == OUT_BYTES)
			flush(out, false);
	}
}

void gpube__out_text(struct gpube_out *out, const char *s)
{
	gpube__out_bytes(out, s, strlen(s));
}

void gpube__out_printf(struct gpube_out *out, const char *fmt, ...)
{
	char text[512];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (n < 0 || n >= (int)sizeof(text)) {
		if (!out->status)
			out->status = gpube__fail(
				out->ctx, GPUBE_EBUG, "gpube__out_printf: a piece of %d bytes", n);
		return;
	}
	gpube__out_bytes(out, text, (size_t)n);
}

/* Digits of |v| in front of 'end'; returns where they begin. */
static char *digits_of(int64_t v, char *end)
{
	uint64_t u = v < 0 ? 0 - (uint64_t)v : (uint64_t)v;

	do
		*--end = (char)('0' + u % 10);
	while (u /= 10);
	return end;
}

void gpube__out_int(struct gpube_out *out, int64_t v)
{
	char text[24], *end = text + sizeof(text), *p = digits_of(v, end);

	if (v < 0)
		*--p = '-';
	gpube__out_bytes(out, p, (size_t)(end - p));
}

void gpube__out_decimal(struct gpube_out *out, int64_t v, int scale)
{
	char text[24], *end = text + sizeof(text), *p = digits_of(v, end);
	int n = (int)(end - p);

	if (v < 0)
		gpube__out_bytes(out, "-", 1);
	if (n <= scale)
		gpube__out_bytes(out, "0", 1);
	else
		gpube__out_bytes(out, p, (size_t)(n - scale));
	if (scale <= 0)
		return;
	gpube__out_bytes(out, ".", 1);
	for (int i = n; i < scale; i++)
		gpube__out_bytes(out, "0", 1);
	if (n > scale)
		p = end - scale;
	gpube__out_bytes(out, p, (size_t)(end - p));
}

void gpube__out_values(struct gpube_out *out, const int32_t *values, int32_t n)
{
	for (int32_t i = 0; i < n; i++) {
		gpube__out_text(out, i ? " " : "");
		gpube__out_int(out, values[i]);
	}
	gpube__out_text(out, "\n");
}

/* With 15 digits if they are enough; a point is 'c_locale''s. */
static int write_real(char text[GPUBE_REAL_TEXT], double v, locale_t c_locale)
{
	const locale_t old = uselocale(c_locale);
	int n = 0;

	for (int precision = 15; precision <= 17; precision++) {
		n = snprintf(text, GPUBE_REAL_TEXT, "%.*g", precision, v);
		if (strtod(text, NULL) == v)
			break;
	}
	uselocale(old);
	return n;
}

/* The shortest text, of 17 digits at most, that reads back as v * 2^power. */
static void write_small(char text[GPUBE_REAL_TEXT], double v, int power, locale_t c_locale)
{
	const long double x = ldexpl((long double)v, power);
	const locale_t old = uselocale(c_locale);

	for (int digits = 0; digits < 17; digits++) {
		double again;

		snprintf(text, GPUBE_REAL_TEXT, "%.*Le", digits, x);
		if (gpube__small_real(&again, text) ? ldexpl((long double)again, -64) == x
						    : (long double)strtod(text, NULL) == x)
			break;
	}
	uselocale(old);
}

void gpube__out_scaled(struct gpube_out *out, double v, int power)
{
	char text[GPUBE_REAL_TEXT];

	if (out->status)
		return;
	if (v == 0 || v >= ldexp(DBL_MIN, -power)) {
		gpube__out_real(out, ldexp(v, power));
		return;
	}
	write_small(text, v, power, out->impl->c_locale);
	gpube__out_text(out, text);
}

void gpube__out_real(struct gpube_out *out, double v)
{
	char text[GPUBE_REAL_TEXT];

	if (out->status)
		return;
	if (v > -1e15 && v < 1e15 && v == (double)(int64_t)v && (v != 0 || 1 / v > 0)) {
		gpube__out_int(out, (int64_t)v);
		return;
	}
	gpube__out_bytes(out, text, (size_t)write_real(text, v, out->impl->c_locale));
}
