/* contract_presum.cuh - the kernels that execute the plans of contract_presum.h. */
#ifndef GPUBE_OPS_CONTRACT_PRESUM_CUH
#define GPUBE_OPS_CONTRACT_PRESUM_CUH

#include "gpube/ops/contract/boxes/contract_box_copy.cuh"
#include "gpube/ops/device/device.cuh"

extern "C" {
#include "gpube/ops/contract/contract_presum.h"
}

struct gpube__presum_io {
	void *out;
	const void *in[GPUBE_PRESUM_OPS]; /* in the plan's order */
};

typedef void (*gpube__presum_function)(
	const struct gpube__presum d, const struct gpube__presum_io io);

gpube__presum_function gpube__presum_function_of(enum gpube_type type, uint32_t kernel);

#endif
