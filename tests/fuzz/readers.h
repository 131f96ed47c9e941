/*
 * readers.h - one fuzz target per reader: what a reader makes of any bytes, under
 * limits of memory. Shared by the fuzzers (fuzz.c) and the replay of their files
 * (test_replay.c).
 */
#ifndef GPUBE_FUZZ_READERS_H
#define GPUBE_FUZZ_READERS_H

#include <stddef.h>
#include <stdint.h>

#include "gpube/gpube.h"

#define FUZZ_MOST_BYTES ((size_t)1 << 30) /* memory that a reader may hold at once */

/* "wcsp", "evid", "nash"; NULL past the last. */
const char *fuzz_target(int k);

/*
 * fuzz_read() - gives the bytes to the reader of that name.
 * most  out: bytes held at once, at the worst moment
 * Returns the number of bytes that were not freed: 0 unless there is a bug; -1 for
 * an unknown name.
 */
long fuzz_read(const char *target, const uint8_t *bytes, size_t n, size_t *most);

/* What is done with a model that was read, unless NULL. */
typedef void fuzz_then(const struct gpube_model *m);

/* The same with so much memory allowed. */
long fuzz_do(const char *target, const uint8_t *bytes, size_t n, uint64_t allowed, fuzz_then *then,
	size_t *most);

#endif
