/* contract_product.cuh - what the kernels of lanes and quads share. */
#ifndef GPUBE_OPS_CONTRACT_PRODUCT_CUH
#define GPUBE_OPS_CONTRACT_PRODUCT_CUH

#include "gpube/ops/device/device.cuh"

extern "C" {
#include "gpube/ops/contract/contract_product.h"
}

struct gpube__product_io {
	void *out;
	const void *in[2]; /* in the plan's order */
};

/* A chunk of a box, of which there is none past the last box. */
struct product_chunk {
	uint32_t box, at;  /* its first unit of x */
	uint32_t start[2]; /* cells before the box in each operand */
};

__device__ static inline void chunk_init(
	const struct gpube__product &d, struct product_chunk *c, uint32_t box)
{
	c->box = box;
	c->at = 0;
	if (box >= d.boxes)
		return;
	c->start[0] = (uint32_t)gpube__product_start(&d, 0, box);
	c->start[1] = (uint32_t)gpube__product_start(&d, 1, box);
}

__device__ static inline void chunk_next(const struct gpube__product &d, struct product_chunk *c)
{
	c->at += d.chunk;
	if (c->at >= d.n_units)
		chunk_init(d, c, c->box + gridDim.x);
}

#endif
