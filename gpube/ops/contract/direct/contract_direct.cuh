/* contract_direct.cuh - the kernels that execute the plans of contract_direct.h. */
#ifndef GPUBE_OPS_CONTRACT_DIRECT_CUH
#define GPUBE_OPS_CONTRACT_DIRECT_CUH

#include "gpube/ops/device/device.cuh"

extern "C" {
#include "gpube/ops/contract/direct/contract_direct.h"
}

/* Tables of one contraction; 'in' is last: rows hold only as many as the contraction has. */
struct gpube__direct_io {
	void *out;
	const void *in[N_DIRECT_TABLES];
};

/* With two numbers and an address more they are a kernel's parameters. */
static_assert(sizeof(struct gpube__direct) + sizeof(struct gpube__direct_io) + 16 <= 4096,
	"a launch has 4096 bytes of parameters");

/*
 * d     the plan
 * one   tables of the only contraction, where many is NULL
 * many  n rows of io_bytes: a batch of one form
 */
typedef void (*gpube__direct_function)(const struct gpube__direct d,
	const struct gpube__direct_io one, const unsigned char *many, uint32_t io_bytes,
	uint32_t n);

gpube__direct_function gpube__direct_function_i32(uint32_t kernel);

#endif
