/* io_in.c - bytes of plain and compressed files through one window. See io.h. */
#define _POSIX_C_SOURCE 200809L
#include "formats/io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#ifdef GPUBE_HAVE_LZMA
#include <lzma.h>
#endif
#ifdef GPUBE_HAVE_BZIP2
#include <bzlib.h>
#endif
#ifdef GPUBE_HAVE_ZSTD
#include <zstd.h>
#include <zstd_errors.h>
#endif

enum { RAW_BYTES = 1 << 16, WINDOW_BYTES = 1 << 18, STEP_MS = 100 };

#define PROGRESS_FROM (1 << 24) /* bytes: less is read before anybody could look */

/* What a decoder says: it goes on, a member ends, or why it does not go on. */
enum outcome { GOING, OVER, NO_MEMORY, TOO_LARGE, CORRUPT };

/*
 * step  writes up to n bytes and says in *made how many; maybe none while input is left
 * start also goes on to the next member, which one must not be 'whole' for
 */
struct coder {
	const char *name, *library;
	const char *mark; /* the file's first bytes */
	size_t n_mark;
	bool whole; /* it goes through all members by itself */
	bool (*start)(struct gpube_in *in);
	enum outcome (*step)(struct gpube_in *in, char *to, size_t n, size_t *made);
	void (*end)(struct gpube_in_impl *s);
};

struct gpube_in_impl {
	int fd;
	int64_t size, n_read;      /* of the file as it lies there; size 0: not known */
	const struct coder *coder; /* NULL: the file is plain */
	bool raw_ended;            /* read() has returned 0 */
	bool between;              /* a member has ended, another may follow */
	bool padding;              /* only zeros may follow */
	bool ended;                /* no more bytes for the window */
	bool coder_ready;          /* there is a decoder to free */
	unsigned char *raw, *raw_end;
	z_stream gz;
#ifdef GPUBE_HAVE_LZMA
	lzma_stream xz;
	lzma_allocator xz_memory;
#endif
#ifdef GPUBE_HAVE_BZIP2
	bz_stream bz;
#endif
#ifdef GPUBE_HAVE_ZSTD
	ZSTD_DStream *zst;
#endif
	unsigned char raw_buffer[RAW_BYTES];
	char window[WINDOW_BYTES + 8]; /* a 0 at its end, and seven bytes for digits.h */
};

int(gpube__in_fail)(struct gpube_in *in, enum gpube_status status, const char *fmt, ...)
{
	char text[400];
	va_list ap;

	if (in->status)
		return in->status;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	in->status = in->impl ? gpube__fail(in->ctx, status, "%s:%lld: %s", in->path,
					(long long)in->line, text)
			      : gpube__fail(in->ctx, status, "%s: %s", in->path, text);
	in->p = in->end;
	return in->status;
}

int(gpube__in_error)(struct gpube_in *in, const char *fmt, ...)
{
	char text[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return gpube__in_fail(in, GPUBE_EPARSE, "%s", text);
}

/* A failure of the system or of the decoder, which has no line. */
static int fail_reading(struct gpube_in *in, enum gpube_status status, const char *why)
{
	in->status = gpube__fail(in->ctx, status, "cannot read '%s': %s", in->path, why);
	return in->status;
}

/*
 * read(), which a stop ends, too, where nothing comes: of a pipe whose writer is silent, a
 * terminal. A signal's handler may have a read go on after it, and a signal just before a read does
 * not end it, so bytes are waited for in steps.
 * Returns how many bytes; -1 after a failure.
 */
static ssize_t read_some(struct gpube_in *in, unsigned char *to, size_t most)
{
	struct gpube_in_impl *s = in->impl;
	struct pollfd there = {.fd = s->fd, .events = POLLIN};
	ssize_t n;

	for (;;) {
		const int ready = poll(&there, 1, STEP_MS);

		if (ready <= 0 && gpube__stopped(in->ctx)) {
			in->status = gpube__fail_stopped(in->ctx);
			return -1;
		}
		if (ready == 0 || (ready < 0 && errno == EINTR))
			continue;
		n = read(s->fd, to, most);
		if (n >= 0)
			return n;
		if (errno != EINTR) {
			fail_reading(in, GPUBE_EIO, strerror(errno));
			return -1;
		}
	}
}

/* Brings raw bytes; at the end of the file raw_ended is set. */
static int read_raw(struct gpube_in *in)
{
	struct gpube_in_impl *s = in->impl;
	ssize_t n;

	while (s->raw == s->raw_end && !s->raw_ended) {
		n = read_some(in, s->raw_buffer, RAW_BYTES);
		if (n < 0)
			return in->status;
		s->raw_ended = n == 0;
		s->raw = s->raw_buffer;
		s->raw_end = s->raw + n;
		s->n_read += n;
		if (s->size > PROGRESS_FROM)
			gpube__progress(in->ctx, (double)s->n_read / (double)s->size, "reading");
	}
	return GPUBE_OK;
}

/* ---- decoders ---------------------------------------------------------------------- */

void *gpube__gz_alloc(void *ctx, unsigned n, unsigned size)
{
	return gpube__alloc(ctx, n, size);
}

void *gpube__xz_alloc(void *ctx, size_t n, size_t size)
{
	return gpube__alloc(ctx, n, size);
}

void gpube__gz_free(void *ctx, void *p)
{
	gpube__free(ctx, p);
}

static bool start_gzip(struct gpube_in *in)
{
	struct gpube_in_impl *s = in->impl;

	if (s->coder_ready)
		return inflateReset(&s->gz) == Z_OK;
	s->gz = (z_stream){.zalloc = gpube__gz_alloc, .zfree = gpube__gz_free, .opaque = in->ctx};
	return inflateInit2(&s->gz, 15 + 16) == Z_OK;
}

static enum outcome step_gzip(struct gpube_in *in, char *to, size_t n, size_t *made)
{
	struct gpube_in_impl *s = in->impl;
	int rc;

	/* also without input: inflate() may hold back output for lack of room */
	s->gz.next_in = s->raw;
	s->gz.avail_in = (uInt)(s->raw_end - s->raw);
	s->gz.next_out = (unsigned char *)to;
	s->gz.avail_out = (uInt)n;
	rc = inflate(&s->gz, Z_NO_FLUSH);
	s->raw = s->raw_end - s->gz.avail_in;
	*made = n - s->gz.avail_out;
	return rc == Z_OK || rc == Z_BUF_ERROR ? GOING
	       : rc == Z_STREAM_END            ? OVER
	       : rc == Z_MEM_ERROR             ? NO_MEMORY
					       : CORRUPT;
}

static void end_gzip(struct gpube_in_impl *s)
{
	inflateEnd(&s->gz);
}

#ifdef GPUBE_HAVE_LZMA
static bool start_xz(struct gpube_in *in)
{
	struct gpube_in_impl *s = in->impl;

	s->xz = (lzma_stream)LZMA_STREAM_INIT;
	s->xz_memory = (lzma_allocator){gpube__xz_alloc, gpube__gz_free, in->ctx};
	s->xz.allocator = &s->xz_memory;
	return lzma_auto_decoder(&s->xz, in->ctx->memory_bytes, LZMA_CONCATENATED) == LZMA_OK;
}

static enum outcome step_xz(struct gpube_in *in, char *to, size_t n, size_t *made)
{
	struct gpube_in_impl *s = in->impl;
	lzma_ret rc;

	s->xz.next_in = s->raw;
	s->xz.avail_in = (size_t)(s->raw_end - s->raw);
	s->xz.next_out = (uint8_t *)to;
	s->xz.avail_out = n;
	rc = lzma_code(&s->xz, s->raw_ended ? LZMA_FINISH : LZMA_RUN);
	s->raw = s->raw_end - s->xz.avail_in;
	*made = n - s->xz.avail_out;
	return rc == LZMA_OK || rc == LZMA_BUF_ERROR ? GOING
	       : rc == LZMA_STREAM_END               ? OVER
	       : rc == LZMA_MEM_ERROR                ? NO_MEMORY
	       : rc == LZMA_MEMLIMIT_ERROR           ? TOO_LARGE
						     : CORRUPT;
}

static void end_xz(struct gpube_in_impl *s)
{
	lzma_end(&s->xz);
}
#define XZ start_xz, step_xz, end_xz
#else
#define XZ NULL, NULL, NULL
#endif

#ifdef GPUBE_HAVE_BZIP2
static void *bz_alloc(void *ctx, int n, int size)
{
	return gpube__alloc(ctx, (uint64_t)n, (size_t)size);
}

static void end_bzip2(struct gpube_in_impl *s)
{
	BZ2_bzDecompressEnd(&s->bz);
}

static bool start_bzip2(struct gpube_in *in)
{
	struct gpube_in_impl *s = in->impl;

	if (s->coder_ready)
		end_bzip2(s);
	s->bz = (bz_stream){.bzalloc = bz_alloc, .bzfree = gpube__gz_free, .opaque = in->ctx};
	return BZ2_bzDecompressInit(&s->bz, 0, 0) == BZ_OK;
}

static enum outcome step_bzip2(struct gpube_in *in, char *to, size_t n, size_t *made)
{
	struct gpube_in_impl *s = in->impl;
	int rc;

	s->bz.next_in = (char *)s->raw;
	s->bz.avail_in = (unsigned)(s->raw_end - s->raw);
	s->bz.next_out = to;
	s->bz.avail_out = (unsigned)n;
	rc = BZ2_bzDecompress(&s->bz);
	s->raw = s->raw_end - s->bz.avail_in;
	*made = n - s->bz.avail_out;
	return rc == BZ_OK           ? GOING
	       : rc == BZ_STREAM_END ? OVER
	       : rc == BZ_MEM_ERROR  ? NO_MEMORY
				     : CORRUPT;
}
#define BZIP2 start_bzip2, step_bzip2, end_bzip2
#else
#define BZIP2 NULL, NULL, NULL
#endif

#ifdef GPUBE_HAVE_ZSTD
/* A frame's head may ask for a window of gigabytes. */
static bool start_zstd(struct gpube_in *in)
{
	const ZSTD_bounds bounds = ZSTD_dParam_getBounds(ZSTD_d_windowLogMax);
	struct gpube_in_impl *s = in->impl;
	int log = bounds.lowerBound;

	while (log < bounds.upperBound && in->ctx->memory_bytes >> log > 1)
		log++;
	s->zst = s->coder_ready ? s->zst : ZSTD_createDStream();
	return s->zst && !ZSTD_isError(ZSTD_DCtx_setParameter(s->zst, ZSTD_d_windowLogMax, log));
}

static enum outcome step_zstd(struct gpube_in *in, char *to, size_t n, size_t *made)
{
	struct gpube_in_impl *s = in->impl;
	ZSTD_inBuffer from = {s->raw, (size_t)(s->raw_end - s->raw), 0};
	ZSTD_outBuffer out = {to, n, 0};
	const size_t rc = ZSTD_decompressStream(s->zst, &out, &from);

	s->raw += from.pos;
	*made = out.pos;
	if (!ZSTD_isError(rc))
		return rc ? GOING : OVER;
	return ZSTD_getErrorCode(rc) == ZSTD_error_memory_allocation               ? NO_MEMORY
	       : ZSTD_getErrorCode(rc) == ZSTD_error_frameParameter_windowTooLarge ? TOO_LARGE
										   : CORRUPT;
}

static void end_zstd(struct gpube_in_impl *s)
{
	ZSTD_freeDStream(s->zst);
}
#define ZSTD start_zstd, step_zstd, end_zstd
#else
#define ZSTD NULL, NULL, NULL
#endif

enum { MOST_MARK = 6 };
static const struct coder coders[] = {
	{"gzip", NULL, "\x1f\x8b", 2, false, start_gzip, step_gzip, end_gzip},
	{"xz", "liblzma", "\xfd\x37zXZ", 6, true, XZ},
	/* xz's old format, in all of whose files it is */
	{"xz", "liblzma", "\x5d\0", 3, true, XZ}, {"bzip2", "libbz2", "BZh", 3, false, BZIP2},
	{"zstd", "libzstd", "\x28\xb5\x2f\xfd", 4, false, ZSTD}};

static int start_coder(struct gpube_in *in)
{
	struct gpube_in_impl *s = in->impl;
	char why[80];

	if (!s->coder->start) {
		snprintf(why, sizeof(why), "it is %s data, and this build has no %s",
			s->coder->name, s->coder->library);
		return fail_reading(in, GPUBE_EIO, why);
	}
	s->coder_ready = s->coder->start(in);
	s->between = false;
	return s->coder_ready ? GPUBE_OK : (in->status = GPUBE_ENOMEM);
}

/* Up to n bytes; *made: how many, maybe none. */
static int decode(struct gpube_in *in, char *to, size_t n, size_t *made)
{
	struct gpube_in_impl *s = in->impl;
	enum outcome outcome;

	s->ended = s->raw_ended && s->raw == s->raw_end && (!s->coder || s->between);
	if (s->ended)
		return GPUBE_OK;
	if (!s->coder) {
		*made = (size_t)(s->raw_end - s->raw) < n ? (size_t)(s->raw_end - s->raw) : n;
		memcpy(to, s->raw, *made);
		s->raw += *made;
		return GPUBE_OK;
	}
	/* between members, or (as tapes and gzip itself have it) zeros up to the end */
	s->padding = s->padding || (s->between && s->coder == coders && *s->raw == 0);
	for (; s->padding && s->raw < s->raw_end; s->raw++)
		if (*s->raw)
			return gpube__in_error(in, "garbage after the end of the gzip data");
	if (s->padding || (s->between && !s->coder->whole && start_coder(in)))
		return in->status;
	outcome = s->coder->step(in, to, n, made);
	s->between = outcome == OVER;
	if (outcome == GOING)
		return s->raw_ended && *made == 0
			       ? gpube__in_error(in, "the %s data is truncated", s->coder->name)
			       : GPUBE_OK;
	if (outcome == CORRUPT)
		return gpube__in_error(in, "the %s data is corrupt", s->coder->name);
	if (outcome == TOO_LARGE)
		return fail_reading(
			in, GPUBE_ELIMIT, "unpacking takes more than the memory allowed");
	return outcome == OVER ? GPUBE_OK : (in->status = GPUBE_ENOMEM);
}

/* ---- the window ------------------------------------------------------------------ */

/* Slides unread bytes to the front and adds at least one byte, or sets 'ended' or status. */
static void extend(struct gpube_in *in)
{
	struct gpube_in_impl *s = in->impl;
	size_t kept = (size_t)(in->end - in->p), made = 0;
	char *to = s->window + kept;

	/* (what is unpacked may be much more than what is read) */
	if (gpube__stopped(in->ctx)) {
		in->status = gpube__fail_stopped(in->ctx);
		in->p = in->last = in->end;
		return;
	}
	if (in->p != s->window)
		memmove(s->window, in->p, kept);
	in->p = in->last = s->window; /* the token before is gone */
	while (made == 0 && !s->ended && !in->status && !read_raw(in))
		decode(in, to, WINDOW_BYTES - kept, &made);
	in->end = to + made;
	s->window[kept + made] = 0;
	/* what came before a cut is not read either: the file is refused as a whole */
	if (in->status)
		in->p = in->last = in->end;
}

bool gpube__in_fill(struct gpube_in *in)
{
	if (in->p < in->end)
		return true;
	if (!in->status && in->impl && !in->impl->ended)
		extend(in);
	return in->p < in->end;
}

size_t gpube__in_need(struct gpube_in *in, size_t n)
{
	while ((size_t)(in->end - in->p) < n && !in->status && in->impl && !in->impl->ended)
		extend(in);
	return (size_t)(in->end - in->p);
}

size_t gpube__in_peek(struct gpube_in *in, char *buffer, size_t n)
{
	size_t k = gpube__in_need(in, n);

	if (k > n)
		k = n;
	memcpy(buffer, in->p, k);
	return k;
}

void *gpube__in_map(struct gpube_in *in, uint64_t *bytes)
{
	const struct gpube_in_impl *s = in->impl;
	void *map = MAP_FAILED;
	struct stat file;

	/* not of standard input, whose place others may go on from */
	if (s && !s->coder && s->fd > STDIN_FILENO && !fstat(s->fd, &file) &&
		S_ISREG(file.st_mode) && file.st_size > 0) {
		*bytes = (uint64_t)file.st_size;
		map = mmap(NULL, (size_t)*bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE, s->fd, 0);
	}
	return map == MAP_FAILED ? NULL : map;
}

void gpube__in_leave(struct gpube_in *in)
{
	in->p = in->end;
	if (in->impl)
		in->impl->ended = true;
}

bool gpube__in_allows(struct gpube_in *in, int64_t n, int64_t each)
{
	const struct gpube_in_impl *s = in->impl;
	uint64_t text, bytes, allowed;

	/* of the file as it lies there: packed, a few bytes may declare millions of variables */
	text = s ? (uint64_t)(s->size > s->n_read ? s->size : s->n_read) : 0;
	allowed = in->ctx->memory_bytes;
	if (__builtin_mul_overflow(text, GPUBE_READ_FACTOR, &text) ||
		__builtin_add_overflow(allowed, text, &allowed))
		allowed = UINT64_MAX;
	if (in->status || __builtin_mul_overflow((uint64_t)n, (uint64_t)each, &bytes) ||
		__builtin_add_overflow(in->charged, bytes, &bytes) || bytes > allowed)
		return false;
	in->charged = bytes;
	return true;
}

int gpube__in_charge(struct gpube_in *in, int64_t n, int64_t each, const char *what, ...)
{
	char needy[200];
	va_list ap;

	if (gpube__in_allows(in, n, each))
		return GPUBE_OK;
	va_start(ap, what);
	vsnprintf(needy, sizeof(needy), what, ap);
	va_end(ap);
	return gpube__in_fail(in, GPUBE_ELIMIT, "%s: more than the memory allowed", needy);
}

/* ---- open and close ---------------------------------------------------------------- */

static int open_fd(struct gpube_in *in)
{
	struct gpube_in_impl *s = in->impl;
	struct stat st;

	if (strcmp(in->path, "-") == 0) {
		s->fd = STDIN_FILENO;
		in->path = "<stdin>";
		return GPUBE_OK;
	}
	/*
	 * A named pipe that nobody writes to opens at once, and read_some() waits for the writer:
	 * open() would, too, but hears no stop that comes before it. Only here is nothing waited
	 * for; a read may be of what others read, too.
	 */
	do
		s->fd = open(in->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	while (s->fd < 0 && errno == EINTR && !in->ctx->stop);
	if (s->fd >= 0 && fcntl(s->fd, F_SETFL, fcntl(s->fd, F_GETFL) & ~O_NONBLOCK) != 0) {
		const int why = errno;

		close(s->fd);
		s->fd = -1;
		errno = why;
	}
	if (s->fd >= 0 && fstat(s->fd, &st) == 0) {
		if (S_ISREG(st.st_mode))
			s->size = st.st_size;
		if (S_ISDIR(st.st_mode)) {
			close(s->fd);
			s->fd = -1;
			errno = EISDIR;
		}
	}
	if (s->fd < 0)
		return gpube__fail(
			in->ctx, GPUBE_EIO, "cannot open '%s': %s", in->path, strerror(errno));
	return GPUBE_OK;
}

/* Tells the compression by the first bytes, as many as a pipe cares to give at once or more. */
static int find_coding(struct gpube_in *in)
{
	struct gpube_in_impl *s = in->impl;
	ssize_t n;
	size_t have;

	if (read_raw(in))
		return in->status;
	while ((have = (size_t)(s->raw_end - s->raw)) < MOST_MARK && !s->raw_ended) {
		n = read_some(in, s->raw_buffer + have, RAW_BYTES - have);
		if (n < 0)
			return in->status;
		s->raw_ended = n == 0;
		s->raw_end += n;
	}
	for (size_t k = 0; k < sizeof(coders) / sizeof(*coders) && !s->coder; k++)
		if (have >= coders[k].n_mark &&
			memcmp(s->raw, coders[k].mark, coders[k].n_mark) == 0)
			s->coder = &coders[k];
	/* a .wcsp may have a name like bzip2's mark; its blocks begin with pi or its root */
	if (s->coder && *s->coder->mark == 'B' &&
		(have < MOST_MARK || (s->raw[4] != 0x31 && s->raw[4] != 0x17)))
		s->coder = NULL;
	return s->coder ? start_coder(in) : GPUBE_OK;
}

int gpube__in_open(struct gpube_in *in, struct gpube_ctx *ctx, const char *path)
{
	struct gpube_in_impl *s;
	int status;

	memset(in, 0, sizeof(*in));
	in->ctx = ctx;
	in->path = path;
	in->line = 1;
	s = gpube__alloc(ctx, 1, sizeof(*s));
	if (!s)
		return in->status = GPUBE_ENOMEM;
	memset(s, 0, offsetof(struct gpube_in_impl, raw_buffer));
	s->fd = -1;
	s->raw = s->raw_end = s->raw_buffer;
	s->window[0] = 0;
	in->impl = s;
	in->p = in->end = in->last = s->window;
	status = open_fd(in);
	if (!status)
		status = find_coding(in);
	if (!status && gpube__in_need(in, 3) >= 3 && memcmp(in->p, "\xef\xbb\xbf", 3) == 0)
		in->p += 3;
	if (status || in->status) {
		in->status = status ? status : in->status;
		gpube__in_close(in);
	}
	return in->status;
}

void gpube__in_close(struct gpube_in *in)
{
	struct gpube_in_impl *s = in->impl;

	if (!s)
		return;
	if (s->coder_ready)
		s->coder->end(s);
	if (s->fd > STDIN_FILENO)
		close(s->fd);
	gpube__free(in->ctx, s);
	in->impl = NULL;
	in->p = in->end = in->last = "";
}
