/* be_bounds.c - cheap lower bounds of boxes, so that most need not be eliminated: see be_boxes.h. */
#include "gpube/be_boxes.h"
#include "gpube/dense.h"
#include "gpube/mbe.h"

static int make_mbe(struct gpube_mbe *mbe, const struct gpube_box *box, int z, double cells)
{
	gpube__mbe_clear(mbe);
	return gpube__mbe_init(
		mbe, &box->m, box->boxes->order, z, cells, GPUBE_PARTITION_SCOPE);
}

/* The largest z whose mini-buckets join at most so many cells and fit the memory; 0: none. */
static int choose_z(int *z, const struct gpube_box *box, double cells)
{
	struct gpube_mbe mbe = {.ctx = box->ctx};
	int status = GPUBE_OK;

	*z = 0;
	for (int k = 2; k <= box->m.n_vars + 1 && !status; k++) {
		double keep, least;

		status = make_mbe(&mbe, box, k, cells);
		if (status)
			break;
		gpube__mbe_memory(&keep, &least, &mbe);
		if (mbe.joined_cells > cells || least > (double)box->ctx->memory_bytes)
			break;
		*z = k;
		if (!mbe.n_split)
			break;
	}
	gpube__mbe_clear(&mbe);
	return status;
}

int gpube__boxes_bound(
	int64_t *bounds, const struct gpube_boxes *b, int64_t limit, double cells)
{
	struct gpube_mbe mbe = {.ctx = b->ctx};
	struct gpube_box box;
	int64_t n_plans = 0;
	int z = 0, status = gpube__box_init(&box, b, b->ctx);

	if (!status)
		status = choose_z(&z, &box, cells);
	for (int64_t k = 0; k < b->n && !status; k++) {
		int64_t bound;

		status = gpube__box_set(&box, k);
		if (status)
			break;
		bounds[k] = gpube__constant_of(&box.m);
		if (!z || bounds[k] >= limit || gpube__stopped(b->ctx))
			continue;
		if (n_plans != box.n_plans)
			status = make_mbe(&mbe, &box, z, cells);
		n_plans = box.n_plans;
		if (!status)
			status = gpube__mbe_run(&bound, NULL, &mbe, GPUBE_BACKEND_CPU, limit, true,
				NULL);
		if (!status && bound > bounds[k])
			bounds[k] = bound;
		if (status == GPUBE_ESTOP)
			status = GPUBE_OK;
	}
	gpube__mbe_clear(&mbe);
	gpube__box_clear(&box);
	return status;
}
