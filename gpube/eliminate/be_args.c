/* be_args.c - see be_args.h. */
#include "gpube/eliminate/be_args.h"

#include <string.h>

#define PIECE (1 << 18) /* arg-mins that a thread packs at a time: whole bytes */

static uint64_t eight_bytes(const uint8_t *p)
{
	return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24 |
	       (uint64_t)p[4] << 32 | (uint64_t)p[5] << 40 | (uint64_t)p[6] << 48 |
	       (uint64_t)p[7] << 56;
}

/* Eight arg-mins of 1, 2 or 4 bits, one in a byte, as neighbours in the lowest bits. */
static uint64_t squeeze(uint64_t args, int bits)
{
	switch (bits) {
	case 1: /* byte k comes to bit 56 + k, and nothing else there */
		return args * 0x0102040810204080u >> 56;
	case 2:
		args = (args | args >> 6) & 0x000f000f000f000fu;
		args = (args | args >> 12) & 0x000000ff000000ffu;
		return (args | args >> 24) & 0xffff;
	default:
		args = (args | args >> 4) & 0x00ff00ff00ff00ffu;
		args = (args | args >> 8) & 0x0000ffff0000ffffu;
		return (args | args >> 16) & 0xffffffff;
	}
}

static void pack_piece(uint8_t *packed, const uint8_t *args, int64_t n, int bits)
{
	int64_t i = 0;

	for (; i + 8 <= n; i += 8) {
		const uint64_t eight = squeeze(eight_bytes(args + i), bits);

		for (int k = 0; k < bits; k++)
			*packed++ = (uint8_t)(eight >> 8 * k);
	}
	for (int per_byte = 8 / bits; i < n; i += per_byte) {
		unsigned byte = 0;

		for (int k = 0; k < per_byte && i + k < n; k++)
			byte |= (unsigned)args[i + k] << (k * bits);
		*packed++ = (uint8_t)byte;
	}
}

struct packing {
	uint8_t *packed;
	const uint8_t *args;
	int64_t n;
	int bits;
};

static void pack_one(void *arg, int64_t piece, int thread)
{
	const struct packing *p = arg;
	const int64_t from = piece * PIECE, left = p->n - from;

	(void)thread;
	pack_piece(p->packed + from / 8 * p->bits, p->args + from, left < PIECE ? left : PIECE,
		p->bits);
}

void gpube__args_pack(
	struct gpube_ctx *ctx, uint8_t *packed, const uint8_t *args, int64_t n, int bits)
{
	struct packing p = {packed, args, n, bits};

	gpube__parallel(ctx, (n + PIECE - 1) / PIECE, pack_one, &p);
}

int32_t gpube__args_at(const uint8_t *packed, int64_t i, int bits)
{
	uint16_t half;
	uint32_t word;

	if (bits < 8)
		return packed[i * bits / 8] >> (i * bits % 8) & ((1 << bits) - 1);
	if (bits == 8)
		return packed[i];
	if (bits == 16) {
		memcpy(&half, packed + 2 * i, 2);
		return half;
	}
	memcpy(&word, packed + 4 * i, 4);
	return (int32_t)word;
}

int gpube__args_room_take(struct gpube_ctx *ctx, const struct gpube_ops *ops,
	struct gpube__args_room *room, uint64_t bytes)
{
	if (bytes <= room->bytes)
		return GPUBE_OK;
	if (room->at)
		ops->free(ctx, room->at);
	room->bytes = 0;
	room->at = ops->alloc(ctx, bytes);
	if (!room->at)
		return GPUBE_ENOMEM;
	room->bytes = bytes;
	return GPUBE_OK;
}
