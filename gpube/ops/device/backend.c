/* backend.c - what the headers of the operators promise, by libgpube-cuda.so. See backend.h. */
#include "gpube/ops/device/backend.h"
#include "gpube/ops/contract/contract.h"
#include "gpube/ops/device/opening.h"

/* The library, once the device that may be opened beside us is open. */
static const struct gpube_cuda_backend *opened(struct gpube_ctx *ctx, int *status)
{
	const struct gpube_cuda_backend *backend;

	gpube__opening_wait();
	backend = gpube__cuda_backend(ctx);
	*status = backend ? GPUBE_OK : GPUBE_ENODEV;
	return backend;
}

const struct gpube_ops *gpube__ops_cuda(struct gpube_ctx *ctx, int *status)
{
	const struct gpube_cuda_backend *b = opened(ctx, status);

	return b ? b->ops(ctx, status) : NULL;
}

int gpube__cuda_devices(struct gpube_ctx *ctx)
{
	const struct gpube_cuda_backend *b = gpube__cuda_backend(ctx);
	const int n = b ? b->devices() : 0;

	if (b && !n)
		gpube__fail(ctx, GPUBE_ENODEV, "no usable CUDA device");
	return n;
}

/* gpube__subset_cuda() and its like. */
#define OPERATORS(name)                                                                            \
	const struct gpube_##name##_ops *gpube__##name##_cuda(struct gpube_ctx *ctx, int *status)  \
	{                                                                                          \
		const struct gpube_cuda_backend *b = opened(ctx, status);                          \
                                                                                                   \
		return b ? b->name(ctx, status) : NULL;                                            \
	}
OPERATORS(subset)
OPERATORS(faces)
OPERATORS(regions)
OPERATORS(support)
OPERATORS(sum)
OPERATORS(sweep)

int gpube__ceilings_cuda(struct gpube_ctx *ctx, struct gpube_rate *r)
{
	int status;
	const struct gpube_cuda_backend *b = opened(ctx, &status);

	return b ? b->ceilings(ctx, r) : status;
}

bool gpube__cuda_force(struct gpube_ctx *ctx, const char *name)
{
	const struct gpube_cuda_backend *b = gpube__cuda_backend(ctx);

	return b && b->force(ctx, name);
}
