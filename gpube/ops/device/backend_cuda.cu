/* backend_cuda.cu - the library's side of libgpube-cuda.so. See backend.h. */
#include "gpube/ops/device/device.cuh"

extern "C" {
#include "gpube/ops/device/backend.h"
#include "gpube/ops/device/opening.h"
}

extern double gpube__shared_splits;

static int count_devices(void)
{
	int n = 0;
	const cudaError_t error = cudaGetDeviceCount(&n);

	(void)cudaGetLastError();
	return error == cudaSuccess ? n : 0;
}

extern "C" __attribute__((visibility("default"))) const struct gpube_cuda_backend *
gpube_cuda_backend(void)
{
	static const struct gpube_cuda_backend backend = {
		GPUBE_CUDA_ABI,
		GPUBE_VERSION,
		gpube__ops_cuda,
		gpube__subset_cuda,
		gpube__faces_cuda,
		gpube__regions_cuda,
		gpube__support_cuda,
		gpube__sum_cuda,
		gpube__sweep_cuda,
		gpube__ceilings_cuda,
		gpube__opening_driver,
		count_devices,
		gpube__cuda_force,
		&gpube__shared_splits,
	};

	return &backend;
}
