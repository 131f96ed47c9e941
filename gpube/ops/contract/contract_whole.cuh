/* contract_whole.cuh - the kernels that execute the plans of contract_whole.h. */
#ifndef GPUBE_OPS_CONTRACT_WHOLE_CUH
#define GPUBE_OPS_CONTRACT_WHOLE_CUH

#include "gpube/ops/device/device.cuh"

extern "C" {
#include "gpube/ops/contract/contract_whole.h"
}

/*
 * d     the plan
 * rows  n of them, row_bytes each: the addresses of a contraction's output and of its operands
 */
typedef void (*gpube__whole_function)(
	const struct gpube__whole d, const unsigned char *rows, uint32_t row_bytes, uint32_t n);

gpube__whole_function gpube__whole_function_i32(const struct gpube__whole *d);
gpube__whole_function gpube__whole_function_f32(const struct gpube__whole *d);
/* Those in bulk; taken: 0, counts the contractions that were begun after the first ones. */
typedef void (*gpube__bulk_function)(const struct gpube__whole d, const unsigned char *rows,
	uint32_t row_bytes, uint32_t n, uint32_t *taken);

gpube__bulk_function gpube__bulk_function_i32(const struct gpube__whole *d);
gpube__bulk_function gpube__bulk_function_f32(const struct gpube__whole *d);

#endif
