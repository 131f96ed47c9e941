/*
 * be_args.h - arg-mins of a bucket: room for them, and how they are stored in as few bits as its
 * domain needs.
 */
#ifndef GPUBE_BE_ARGS_H
#define GPUBE_BE_ARGS_H

#include "gpube/ops/ops.h"

/*
 * gpube__args_pack() - n arg-mins of a byte each into 'bits' each, on all threads.
 * packed  (n * bits + 7) / 8 bytes
 * bits    1, 2 or 4; each arg-min is below 2^bits
 */
void gpube__args_pack(
	struct gpube_ctx *ctx, uint8_t *packed, const uint8_t *args, int64_t n, int bits);

/* Number i of arg-mins of 1, 2, 4, 8, 16 or 32 bits. */
int32_t gpube__args_at(const uint8_t *packed, int64_t i, int bits);

/* Memory of one backend that the arg-mins of one bucket after the other use; zeroed: none yet. */
struct gpube__args_room {
	void *at;
	uint64_t bytes;
};

/* Room for so many bytes; what it held is lost. Errors: ENOMEM */
int gpube__args_room_take(struct gpube_ctx *ctx, const struct gpube_ops *ops,
	struct gpube__args_room *room, uint64_t bytes);

#endif
