/* contract_strip.cuh - the kernels that execute the plans of contract_strip.h. */
#ifndef GPUBE_OPS_CONTRACT_STRIP_CUH
#define GPUBE_OPS_CONTRACT_STRIP_CUH

#include "gpube/ops/device/device.cuh"

extern "C" {
#include "gpube/ops/contract/strips/contract_strip.h"
}

struct gpube__strip_io {
	void *out;
	const void *in[GPUBE_STRIP_OPS]; /* in the plan's order */
};

static_assert(sizeof(struct gpube__strip) + sizeof(struct gpube__strip_io) <= 4096,
	"a launch has 4096 bytes of parameters");

typedef void (*gpube__strip_function)(const struct gpube__strip d, const struct gpube__strip_io io);

gpube__strip_function gpube__strip_function_i32(const struct gpube__strip *d);

#endif
