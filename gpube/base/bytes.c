/* bytes.c - see bytes.h. */
#include "gpube/base/bytes.h"

#include <string.h>
#include <zlib.h>

/* Bytes of the longest number; what deflate() makes of one byte, at most. */
enum { MOST_BYTES = 10, MOST_RATIO = 1040 };
#define HASH_START 0xcbf29ce484222325u
#define HASH_PRIME 0x100000001b3u

void gpube__bytes_clear(struct gpube__bytes *b)
{
	gpube__free(b->ctx, b->at);
	*b = (struct gpube__bytes){.ctx = b->ctx};
}

/* A hash of 64 bits, which goes on from another: no proof against somebody who alters both. */
static uint64_t hash_of(uint64_t from, const void *bytes, uint64_t n)
{
	const unsigned char *at = bytes;
	uint64_t hash = from ? from : HASH_START;

	for (uint64_t k = 0; k < n; k++)
		hash = (hash ^ at[k]) * HASH_PRIME;
	return hash;
}

/* ---- writing --------------------------------------------------------------------------------- */

static void put_bytes(struct gpube__bytes *b, const unsigned char *bytes, int64_t n)
{
	if (b->hashed) {
		b->hash = hash_of(b->hash, bytes, (uint64_t)n);
		return;
	}
	if (b->status)
		return;
	b->status = gpube__grow(b->ctx, &b->at, &b->capacity, b->n + n, 1);
	if (b->status || !n)
		return;
	memcpy(b->at + b->n, bytes, (size_t)n);
	b->n += n;
}

void gpube__put(struct gpube__bytes *b, int64_t v)
{
	/* numbers near 0 of either sign are short */
	uint64_t left = ((uint64_t)v << 1) ^ (uint64_t)(v >> 63);
	unsigned char bytes[MOST_BYTES];
	int n = 0;

	for (; left >= 0x80; left >>= 7)
		bytes[n++] = (unsigned char)(left | 0x80);
	bytes[n++] = (unsigned char)left;
	put_bytes(b, bytes, n);
}

void gpube__put_all(struct gpube__bytes *b, const int32_t *v, int64_t n)
{
	for (int64_t k = 0; k < n; k++)
		gpube__put(b, v[k]);
}

void gpube__put_real(struct gpube__bytes *b, double v)
{
	int64_t bits;

	memcpy(&bits, &v, sizeof(bits));
	gpube__put(b, bits);
}

/* ---- reading --------------------------------------------------------------------------------- */

int gpube__damaged(struct gpube__bytes *b, const char *how)
{
	if (!b->status)
		b->status = gpube__fail(b->ctx, GPUBE_EPARSE, "%s", how);
	return b->status;
}

/* Any number; 0 after a failure. */
static int64_t get_any(struct gpube__bytes *b)
{
	uint64_t v = 0;
	int shift = 0;
	unsigned char byte;

	do {
		if (b->status || b->next == b->n || shift > 63) {
			(void)gpube__damaged(b, "it ends too early");
			return 0;
		}
		byte = b->at[b->next++];
		v |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	return (int64_t)((v >> 1) ^ (0 - (v & 1)));
}

int64_t gpube__get(struct gpube__bytes *b, int64_t least, int64_t most)
{
	const int64_t v = get_any(b);

	if (!b->status && v >= least && v <= most)
		return v;
	(void)gpube__damaged(b, "a number in it is out of its range");
	return least;
}

void gpube__get_all(struct gpube__bytes *b, int32_t *v, int64_t n, int64_t least, int64_t most)
{
	for (int64_t k = 0; k < n; k++)
		v[k] = (int32_t)gpube__get(b, least, most);
}

double gpube__get_real(struct gpube__bytes *b)
{
	const int64_t bits = get_any(b);
	double v;

	memcpy(&v, &bits, sizeof(v));
	return b->status ? 0 : v;
}

double gpube__get_seconds(struct gpube__bytes *b)
{
	const double v = gpube__get_real(b);

	if (!(v >= 0))
		(void)gpube__damaged(b, "a time in it is below 0");
	return b->status ? 0 : v;
}

int64_t gpube__get_count(struct gpube__bytes *b)
{
	return gpube__get(b, 0, b->n - b->next);
}

/* ---- packing --------------------------------------------------------------------------------- */

int gpube__pack(struct gpube__bytes *to, const struct gpube__bytes *from)
{
	uLongf packed = compressBound((uLong)from->n);
	unsigned char *bytes = gpube__alloc(to->ctx, packed, 1);

	if (!bytes)
		return to->status = GPUBE_ENOMEM;
	if (from->status)
		to->status = from->status;
	else if (compress2(bytes, &packed, from->at, (uLong)from->n, 1) != Z_OK)
		to->status = gpube__fail(to->ctx, GPUBE_ENOMEM, "no memory to compress");
	if (!to->status) {
		gpube__put(to, from->n);
		gpube__put(to, (int64_t)packed);
		gpube__put(to, (int64_t)hash_of((uint64_t)from->n, bytes, packed));
		put_bytes(to, bytes, (int64_t)packed);
	}
	gpube__free(to->ctx, bytes);
	return to->status;
}

int gpube__unpack(struct gpube__bytes *to, struct gpube__bytes *from)
{
	const int64_t n = gpube__get(from, 0, INT64_MAX), packed = gpube__get_count(from),
		      hash = get_any(from);
	uLongf unpacked = (uLongf)n;

	if (from->status)
		return from->status;
	if (packed > from->n - from->next || n > MOST_RATIO * (packed + 1) ||
		(uint64_t)hash != hash_of((uint64_t)n, from->at + from->next, (uint64_t)packed))
		return gpube__damaged(from, "its checksum is wrong");
	if ((uint64_t)n > to->ctx->memory_bytes)
		return gpube__fail(to->ctx, GPUBE_ELIMIT, "it is larger than the memory");
	to->status = gpube__grow(to->ctx, &to->at, &to->capacity, n + 1, 1);
	if (to->status)
		return to->status;
	if (uncompress(to->at, &unpacked, from->at + from->next, (uLong)packed) != Z_OK ||
		unpacked != (uLongf)n)
		return gpube__damaged(from, "its packed bytes are wrong");
	to->n = n;
	from->next += packed;
	return GPUBE_OK;
}
