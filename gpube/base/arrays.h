/* arrays.h - arrays that end together, texts that grow. */
#ifndef GPUBE_ARRAYS_H
#define GPUBE_ARRAYS_H

#include "gpube/base/base.h"

/* Arrays that end together. Begins with 'ctx' set and all else 0; failed: one was NULL, ENOMEM. */
struct gpube__arrays {
	struct gpube_ctx *ctx;
	void *last;
	bool failed;
};
/* n items of 'size' bytes, all 0. */
void *gpube__array(struct gpube__arrays *a, uint64_t n, size_t size);
/* It is as at the beginning. */
void gpube__arrays_clear(struct gpube__arrays *a);

/*
 * A text that grows. Begins with 'ctx' set and all else 0, ends by gpube__free() of 'bytes', which
 * a byte 0 ends. After a failure nothing is added to it. Status: ENOMEM, EBUG
 */
struct gpube__text {
	struct gpube_ctx *ctx;
	char *bytes;
	int64_t n, capacity;
	int status;
};
void gpube__text_add(struct gpube__text *t, const char *bytes, size_t n);
/* Of at most 99 bytes; EBUG: of more. */
void gpube__text_printf(struct gpube__text *t, const char *fmt, ...) GPUBE_PRINTF(2, 3);

#endif
