/* contract_launch.cuh - what launches of single contractions and of batches share. */
#ifndef GPUBE_OPS_CONTRACT_LAUNCH_CUH
#define GPUBE_OPS_CONTRACT_LAUNCH_CUH

#include "gpube/ops/contract/boxes/contract_box.cuh"
#include "gpube/ops/contract/direct/contract_direct.cuh"
#include "gpube/ops/contract/strips/contract_strip.cuh"

/* OK, or why c is no contraction, or a stop. */
int gpube__contract_check(struct gpube_ctx *ctx, const struct gpube_contraction *c);

/* ---- boxes -------------------------------------------------------------------------------- */

/* Parts of a descriptor begin at multiples of this. */
static inline uint64_t gpube__round_up(uint64_t n)
{
	return (n + 255) / 256 * 256;
}

/* The kernel of a plan, NULL: there is none. */
gpube__box_function gpube__box_function_of(
	const struct gpube__box *b, const struct gpube_contraction *c);
void gpube__fill_io(
	struct gpube__box_io *io, const struct gpube__box *b, const struct gpube_contraction *c);
/* Each of n plans' words, into the context's room for them; most_items: of a plan. */
int gpube__make_words(struct gpube_ctx *ctx, const unsigned char *plans, const uint32_t *offsets,
	uint32_t n, uint32_t most_items, uint32_t *words);
int gpube__launch_boxes(struct gpube_ctx *ctx, gpube__box_function f, uint32_t blocks,
	uint32_t threads, uint32_t shared_bytes, const unsigned char *plans, const uint32_t *words,
	const unsigned char *ios, uint32_t io_bytes, const struct gpube__box_work *work);

/* ---- rows of addresses -------------------------------------------------------------------- */

void gpube__fill_direct_io(struct gpube__direct_io *io, const struct gpube_contraction *c);
/* many NULL: the contraction c alone; otherwise n rows of its form. */
int gpube__launch_direct(struct gpube_ctx *ctx, const struct gpube__direct *d,
	const struct gpube_contraction *c, const unsigned char *many, uint32_t io_bytes,
	uint32_t n);

#endif
