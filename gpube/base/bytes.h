/*
 * bytes.h - numbers as bytes, and back: what a run keeps in a file, and what ranks send each other.
 *
 * A number takes as many bytes as it needs, seven bits in each, the last ones first, so that bytes
 * are the same on every machine. Failures stay: who writes or reads many numbers looks at 'status'
 * once. What is read is checked against its range; nothing is read past the end.
 */
#ifndef GPUBE_BYTES_H
#define GPUBE_BYTES_H

#include "gpube/base/base.h"

/* Initialise as {.ctx = …}. */
struct gpube__bytes {
	struct gpube_ctx *ctx;
	unsigned char *at;
	int64_t n, capacity;
	int64_t next;  /* the one that is read next */
	bool hashed;   /* bytes are not kept, but hashed */
	uint64_t hash; /* of those */
	int status;    /* ENOMEM; of reading EPARSE, with a text */
};

void gpube__bytes_clear(struct gpube__bytes *b);

/* Writes a number, n of them, or a double by its bits. */
void gpube__put(struct gpube__bytes *b, int64_t v);
void gpube__put_all(struct gpube__bytes *b, const int32_t *v, int64_t n);
void gpube__put_real(struct gpube__bytes *b, double v);

/* Reading has failed: what is read is wrong so. The first failure stays; returns its status. */
int gpube__damaged(struct gpube__bytes *b, const char *how);

/*
 * Read what was written so. After a failure: the lower end of the range, or 0.
 * Errors: EPARSE (the bytes end, or a number is out of its range)
 */
int64_t gpube__get(struct gpube__bytes *b, int64_t least, int64_t most);
void gpube__get_all(struct gpube__bytes *b, int32_t *v, int64_t n, int64_t least, int64_t most);
double gpube__get_real(struct gpube__bytes *b);
double gpube__get_seconds(struct gpube__bytes *b); /* or another real that is not below 0 */
/* A count of things that take at least a byte each: no more than there are bytes left. */
int64_t gpube__get_count(struct gpube__bytes *b);

/*
 * gpube__pack()   - appends to 'to' what 'from' has, compressed by zlib, with lengths and a hash.
 * gpube__unpack() - reads the same from 'from', which it checks: 'to' is empty before.
 * Errors: ENOMEM; EPARSE (the lengths, the hash or the packed bytes are wrong), ELIMIT (it is
 *         larger than the memory)
 */
int gpube__pack(struct gpube__bytes *to, const struct gpube__bytes *from);
int gpube__unpack(struct gpube__bytes *to, struct gpube__bytes *from);

#endif
