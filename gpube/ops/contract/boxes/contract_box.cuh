/* contract_box.cuh - the kernels that execute the plans of contract_box.h. */
#ifndef GPUBE_OPS_CONTRACT_BOX_CUH
#define GPUBE_OPS_CONTRACT_BOX_CUH

#include "gpube/ops/device/device.cuh"

extern "C" {
#include "gpube/ops/contract/boxes/contract_box.h"
}

/* Most shared memory of a block besides that of its plan. */
#define GPUBE_BOX_STATIC_BYTES 3072u

/* Tables of one contraction; 'in' is last: rows hold only as many as a batch needs. */
struct gpube__box_io {
	void *out, *out_arg;
	const void *in[GPUBE_BOX_IN];
};

/* What one block does: which plan (its offset in bytes), which tables, which box. */
struct gpube__box_work {
	uint32_t box, io, block;
};

/*
 * plans   boxes, at the offsets of 'work'
 * words   made by gpube__box_prepare()
 * ios     rows of io_bytes
 * work    one a block; NULL: block i does box i of the first plan and row
 */
typedef void (*gpube__box_function)(const unsigned char *plans, const uint32_t *words,
	const unsigned char *ios, uint32_t io_bytes, const struct gpube__box_work *work);

/* By type, in contract_box_i32.cu and so on; NULL: not compiled. */
gpube__box_function gpube__box_function_i32(uint32_t kernel, bool arg);
gpube__box_function gpube__box_function_i64(uint32_t kernel, bool arg);

#endif
