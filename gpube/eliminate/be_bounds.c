/* be_bounds.c - cheap lower bounds of boxes, by which most boxes are pruned: see be_boxes.h. */
#include "gpube/eliminate/be_boxes.h"
#include "gpube/options/options.h"
#include "gpube/ir/dense.h"
#include "gpube/relax/mbe/mbe.h"

#include <math.h>

static int make_mbe(struct gpube_mbe *mbe, const struct gpube_box *box, int z, double cells)
{
	gpube__mbe_clear(mbe);
	return gpube__mbe_init(mbe, &box->m, box->boxes->order, z, cells, GPUBE_PARTITION_SCOPE);
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

/* Box k's bound, the constant at least; 'mbe' is the plan of this box's domains. */
static int bound_box(int64_t *bound, struct gpube_box *box, struct gpube_mbe *mbe, int64_t *n_plans,
	int64_t k, int z, double cells, int64_t limit)
{
	int64_t least;
	int status = gpube__box_set(box, k);

	if (status)
		return status;
	least = gpube__constant_of(&box->m);
	*bound = least;
	if (!z || least >= limit || gpube__stopped(box->ctx))
		return GPUBE_OK;
	if (*n_plans != box->n_plans)
		status = make_mbe(mbe, box, z, cells);
	*n_plans = box->n_plans;
	if (!status)
		status = gpube__mbe_run(bound, NULL, mbe, GPUBE_BACKEND_CPU, limit, true, NULL);
	/* which want more room in sums than elimination */
	if (status == GPUBE_ESTOP || status == GPUBE_ERANGE) {
		*bound = least;
		return GPUBE_OK;
	}
	if (!status && *bound < least)
		*bound = least;
	return status;
}

int gpube__boxes_bound(
	int64_t *bounds, const struct gpube_boxes *b, int64_t limit, double cells, double seconds)
{
	struct gpube_mbe mbe = {.ctx = b->ctx};
	struct gpube_box box;
	int64_t n_plans = 0, k = 0;
	double start, end = INFINITY;
	int z = 0, status = gpube__box_init(&box, b, b->ctx);

	if (!status)
		status = choose_z(&z, &box, cells);
	/* the first box predicts the time of all: smaller mini-buckets if that is too long */
	for (bool fast = false; !status && !fast;) {
		start = gpube__now();
		n_plans = 0;
		status = bound_box(&bounds[0], &box, &mbe, &n_plans, 0, z, cells, limit);
		fast = !z || (gpube__now() - start) * (double)b->n <= seconds;
		if (!fast)
			z = z > 2 ? z - 1 : 0;
		end = start + 2 * seconds;
		k = 1;
	}
	for (; k < b->n && !status; k++) {
		if (gpube__now() > end)
			z = 0; /* the prediction was wrong: the other boxes get constants */
		status = bound_box(&bounds[k], &box, &mbe, &n_plans, k, z, cells, limit);
	}
	gpube__mbe_clear(&mbe);
	gpube__box_clear(&box);
	return status;
}
