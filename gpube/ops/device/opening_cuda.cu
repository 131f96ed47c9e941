/* opening_cuda.cu - what opening.h does in its thread. */
#include "gpube/ops/device/device.cuh"

extern "C" {
#include "gpube/ops/device/opening.h"
}

extern "C" void gpube__opening_driver(int id)
{
	if (cudaSetDevice(id) == cudaSuccess && cudaFree(NULL) == cudaSuccess)
		(void)gpube__contract_general_probe();
	(void)cudaGetLastError();
}
