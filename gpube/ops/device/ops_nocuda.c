/* ops_nocuda.c - the CUDA backend of a program that is linked without one. */
#include "gpube/ops/contract/contract.h"
#include "gpube/ops/faces/faces.h"
#include "gpube/ops/device/opening.h"
#include "gpube/ops/ops.h"
#include "gpube/ops/rates.h"
#include "gpube/ops/regions/regions.h"
#include "gpube/ops/subset/subset.h"
#include "gpube/ops/support/support.h"

const bool gpube__has_cuda = false;
extern double gpube__shared_splits; /* which its tests set */
double gpube__shared_splits;

const struct gpube_ops *gpube__ops_cuda(struct gpube_ctx *ctx, int *status)
{
	gpube__opening_wait();
	*status = gpube__fail(ctx, GPUBE_ENODEV, "this program was built without CUDA");
	return NULL;
}

void gpube__opening_driver(int id)
{
	(void)id;
}

bool gpube__cuda_force(struct gpube_ctx *ctx, const char *name)
{
	(void)ctx;
	(void)name;
	return false;
}

int gpube__ceilings_cuda(struct gpube_ctx *ctx, struct gpube_rate *r)
{
	int status;

	(void)r;
	(void)gpube__ops_cuda(ctx, &status);
	return status;
}

const struct gpube_subset_ops *gpube__subset_cuda(struct gpube_ctx *ctx, int *status)
{
	(void)gpube__ops_cuda(ctx, status);
	return NULL;
}

const struct gpube_faces_ops *gpube__faces_cuda(struct gpube_ctx *ctx, int *status)
{
	(void)gpube__ops_cuda(ctx, status);
	return NULL;
}

const struct gpube_regions_ops *gpube__regions_cuda(struct gpube_ctx *ctx, int *status)
{
	(void)gpube__ops_cuda(ctx, status);
	return NULL;
}

const struct gpube_support_ops *gpube__support_cuda(struct gpube_ctx *ctx, int *status)
{
	(void)gpube__ops_cuda(ctx, status);
	return NULL;
}
