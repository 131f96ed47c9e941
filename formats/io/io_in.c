/* io_in.c - bytes of plain, gzip and xz files through one window. See io.h. */
#define _POSIX_C_SOURCE 200809L
#include "formats/io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#ifdef GPUBE_HAVE_LZMA
#include <lzma.h>
#endif

enum { RAW_BYTES = 1 << 16, WINDOW_BYTES = 1 << 18, STEP_MS = 100 };

#define PROGRESS_FROM (1 << 24) /* bytes: less is read before anybody could look */
enum coding { PLAIN, GZIP, XZ };

struct gpube_in_impl {
	int fd;
	int64_t size, n_read; /* of the file as it lies there; size 0: not known */
	enum coding coding;
	bool raw_ended;   /* read() has returned 0 */
	bool between;     /* gzip: a member has ended, another may follow */
	bool padding;     /* gzip: only zeros may follow */
	bool ended;       /* no more bytes for the window */
	bool coder_ready; /* there is a decoder to free */
	unsigned char *raw, *raw_end;
	z_stream gz;
#ifdef GPUBE_HAVE_LZMA
	lzma_stream xz;
	lzma_allocator xz_memory;
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

/* ---- decoders: each writes up to n bytes and says in *made how many ------------ */

static int decode_plain(struct gpube_in *in, char *to, size_t n, size_t *made)
{
	struct gpube_in_impl *s = in->impl;
	size_t k = (size_t)(s->raw_end - s->raw);

	if (k > n)
		k = n;
	memcpy(to, s->raw, k);
	s->raw += k;
	s->ended = s->raw_ended && s->raw == s->raw_end;
	*made = k;
	return GPUBE_OK;
}

static void *gz_alloc(void *ctx, uInt n, uInt size)
{
	return gpube__alloc(ctx, n, size);
}

static void gz_free(void *ctx, void *p)
{
	gpube__free(ctx, p);
}

/*
 * Between gzip members: the end of the file, another member, or (as tapes and
 * gzip itself have it) zeros up to the end.
 */
static int next_member(struct gpube_in *in)
{
	struct gpube_in_impl *s = in->impl;

	if (s->raw == s->raw_end) {
		s->ended = true;
		return GPUBE_OK;
	}
	s->padding = s->padding || *s->raw == 0;
	if (!s->padding) {
		s->between = false;
		inflateReset(&s->gz); /* fails only on a stream that is none */
		return GPUBE_OK;
	}
	while (s->raw < s->raw_end)
		if (*s->raw++)
			return gpube__in_error(in, "garbage after the end of the gzip data");
	return GPUBE_OK;
}

static int decode_gzip(struct gpube_in *in, char *to, size_t n, size_t *made)
{
	struct gpube_in_impl *s = in->impl;
	int rc;

	if (s->between)
		return next_member(in);
	/* also without input: inflate() may hold back output for lack of room */
	s->gz.next_in = s->raw;
	s->gz.avail_in = (uInt)(s->raw_end - s->raw);
	s->gz.next_out = (unsigned char *)to;
	s->gz.avail_out = (uInt)n;
	rc = inflate(&s->gz, Z_NO_FLUSH);
	s->raw = s->raw_end - s->gz.avail_in;
	*made = n - s->gz.avail_out;
	s->between = rc == Z_STREAM_END;
	if (rc == Z_MEM_ERROR)
		return in->status = GPUBE_ENOMEM;
	if (rc == Z_BUF_ERROR && s->raw_ended)
		return gpube__in_error(in, "the gzip data is truncated");
	if (rc != Z_OK && rc != Z_STREAM_END && rc != Z_BUF_ERROR)
		return gpube__in_error(in, "the gzip data is corrupt");
	return GPUBE_OK;
}

#ifdef GPUBE_HAVE_LZMA
static void *xz_alloc(void *ctx, size_t n, size_t size)
{
	return gpube__alloc(ctx, n, size);
}

static void xz_free(void *ctx, void *p)
{
	gpube__free(ctx, p);
}

static int decode_xz(struct gpube_in *in, char *to, size_t n, size_t *made)
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
	switch (rc) {
	case LZMA_OK:
		return GPUBE_OK;
	case LZMA_STREAM_END:
		s->ended = true;
		return GPUBE_OK;
	case LZMA_MEM_ERROR:
		return in->status = GPUBE_ENOMEM;
	case LZMA_MEMLIMIT_ERROR:
		return fail_reading(
			in, GPUBE_ELIMIT, "unpacking takes more than the memory allowed");
	case LZMA_BUF_ERROR:
		return gpube__in_error(in, "the xz data is truncated");
	case LZMA_OPTIONS_ERROR:
		return fail_reading(in, GPUBE_EIO, "it uses xz options that liblzma lacks");
	default:
		return gpube__in_error(in, "the xz data is corrupt");
	}
}
#endif

static int start_decoder(struct gpube_in *in)
{
	struct gpube_in_impl *s = in->impl;

	if (s->coding == GZIP) {
		s->gz.zalloc = gz_alloc;
		s->gz.zfree = gz_free;
		s->gz.opaque = in->ctx;
		if (inflateInit2(&s->gz, 15 + 16) != Z_OK)
			return GPUBE_ENOMEM;
		s->coder_ready = true;
	} else if (s->coding == XZ) {
#ifdef GPUBE_HAVE_LZMA
		s->xz = (lzma_stream)LZMA_STREAM_INIT;
		s->xz_memory = (lzma_allocator){xz_alloc, xz_free, in->ctx};
		s->xz.allocator = &s->xz_memory;
		if (lzma_auto_decoder(&s->xz, in->ctx->memory_bytes, LZMA_CONCATENATED) != LZMA_OK)
			return GPUBE_ENOMEM;
		s->coder_ready = true;
#else
		return fail_reading(in, GPUBE_EIO, "it is xz data, and this build has no liblzma");
#endif
	}
	return GPUBE_OK;
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
	while (made == 0 && !s->ended && !in->status && !read_raw(in)) {
		if (s->coding == PLAIN)
			decode_plain(in, to, WINDOW_BYTES - kept, &made);
		else if (s->coding == GZIP)
			decode_gzip(in, to, WINDOW_BYTES - kept, &made);
#ifdef GPUBE_HAVE_LZMA
		else
			decode_xz(in, to, WINDOW_BYTES - kept, &made);
#endif
	}
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
	if (!in->status && !in->impl->ended)
		extend(in);
	return in->p < in->end;
}

size_t gpube__in_need(struct gpube_in *in, size_t n)
{
	while ((size_t)(in->end - in->p) < n && !in->status && !in->impl->ended)
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

int gpube__in_charge(struct gpube_in *in, int64_t n, int64_t each, const char *what, ...)
{
	const struct gpube_in_impl *s = in->impl;
	uint64_t text, bytes, allowed;
	char needy[200];
	va_list ap;

	if (in->status)
		return in->status;
	/* of the file as it lies there: packed, a few bytes may declare millions of variables */
	text = s ? (uint64_t)(s->size > s->n_read ? s->size : s->n_read) : 0;
	allowed = in->ctx->memory_bytes;
	if (__builtin_mul_overflow(text, GPUBE_READ_FACTOR, &text) ||
		__builtin_add_overflow(allowed, text, &allowed))
		allowed = UINT64_MAX;
	if (!__builtin_mul_overflow((uint64_t)n, (uint64_t)each, &bytes) &&
		!__builtin_add_overflow(in->charged, bytes, &bytes) && bytes <= allowed) {
		in->charged = bytes;
		return GPUBE_OK;
	}
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
	static const unsigned char gz[] = {0x1f, 0x8b}, xz[] = {0xfd, '7', 'z', 'X', 'Z', 0};
	/* of xz's old format, in all of whose files it is */
	static const unsigned char lzma[] = {0x5d, 0, 0};
	struct gpube_in_impl *s = in->impl;
	ssize_t n;
	size_t have;

	if (read_raw(in))
		return in->status;
	while ((have = (size_t)(s->raw_end - s->raw)) < sizeof(xz) && !s->raw_ended) {
		n = read_some(in, s->raw_buffer + have, RAW_BYTES - have);
		if (n < 0)
			return in->status;
		s->raw_ended = n == 0;
		s->raw_end += n;
	}
	if (have >= sizeof(gz) && memcmp(s->raw, gz, sizeof(gz)) == 0)
		s->coding = GZIP;
	else if (have >= sizeof(xz) &&
		 (memcmp(s->raw, xz, sizeof(xz)) == 0 || memcmp(s->raw, lzma, sizeof(lzma)) == 0))
		s->coding = XZ;
	return start_decoder(in);
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
	if (s->coder_ready && s->coding == GZIP)
		inflateEnd(&s->gz);
#ifdef GPUBE_HAVE_LZMA
	if (s->coder_ready && s->coding == XZ)
		lzma_end(&s->xz);
#endif
	if (s->fd > STDIN_FILENO)
		close(s->fd);
	gpube__free(in->ctx, s);
	in->impl = NULL;
	in->p = in->end = in->last = "";
}
