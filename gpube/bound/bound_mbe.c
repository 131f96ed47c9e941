/* bound_mbe.c - mini-buckets as a method: see bound.h. */
#include "gpube/bound/bound.h"
#include "gpube/options/options.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "gpube/relax/mbe/mbe.h"

/* Most bytes of tables of mini-buckets; a device's memory if no other backend may work. */
static double mbe_memory(const struct gpube_bounder *b)
{
	int status;
	const struct gpube_ops *cuda =
		b->opts->backend == GPUBE_BACKEND_CUDA ? gpube__ops_cuda(b->ctx, &status) : NULL;

	return (double)(cuda ? cuda->memory(b->ctx) : b->ctx->memory_bytes);
}

/* Seconds of copies between host and device so far. */
static double copying(struct gpube_ctx *ctx)
{
	int status;
	const struct gpube_ops *cuda = ctx->device ? gpube__ops_cuda(ctx, &status) : NULL;
	double seconds = 0;

	if (cuda)
		(void)cuda->settle(
			ctx, &seconds); /* errors are reported where the copies were asked for */
	return seconds;
}

static int run_mbe(struct gpube_bounder *b, const struct gpube_mbe *mbe, bool match)
{
	const double start = gpube__now();
	const char *where;
	const double copied = copying(b->ctx);
	double keep, least;
	int64_t bound;
	char by[32];
	int status;
	bool values;

	gpube__mbe_memory(&keep, &least, mbe);
	values = keep <= mbe_memory(b);
	snprintf(by, sizeof(by), "mini-buckets, z %d", b->told.z);
	status = gpube__mbe_run(&bound, values ? b->tried : NULL, mbe, b->opts->backend,
		gpube__tables_cutoff(b), match, &where);
	if (status)
		return status;
	gpube__log(b->ctx, GPUBE_LOG_DETAIL, "mini-buckets, z %d, on the %s: %.4f s, copies %.4f s",
		b->told.z, where, gpube__now() - start, copying(b->ctx) - copied);
	if (b->opts->method == GPUBE_BOUND_MBE)
		b->told.backend = where;
	gpube__bounder_update_lower(b, gpube__tables_bound(b, bound), by);
	if (values)
		status = gpube__bounder_report_incumbent(b, b->tried, by);
	if (!status && values && !gpube__bounder_done(b))
		status = gpube__bounder_search(b, b->tried, 2000);
	return status;
}

/* The work of planning a bucket, and of a mini-bucket beside its cells. */
enum { BUCKET_TICKS = 1000 };

/* Whether so many joined cells end before the deadline, by a cautious rate. */
static bool in_time(const struct gpube_bounder *b, double joined_cells)
{
	const struct gpube_ops *ops = gpube__ops_cpu();
	int status;

	if (b->opts->backend == GPUBE_BACKEND_CUDA ||
		(b->opts->backend == GPUBE_BACKEND_AUTO && b->ctx->device))
		ops = gpube__ops_cuda(b->ctx, &status);
	return !ops || joined_cells <= 0.05 * ops->cells_per_second * gpube__seconds_left(b->ctx);
}

/* least: runs of fewer joined cells are skipped for a larger z. */
static int one_mbe(struct gpube_bounder *b, int z, double max_cells, double least_cells,
	bool *exact, bool *fits)
{
	struct gpube_mbe mbe;
	double keep, least;
	int status = gpube__mbe_init(&mbe, b->tables, b->order, z, max_cells, b->opts->partition);

	if (status)
		return status;
	*exact = mbe.n_split == 0;
	gpube__mbe_memory(&keep, &least, &mbe);
	*fits = least <= mbe_memory(b) && (b->opts->z || in_time(b, mbe.joined_cells));
	if (*fits && (*exact || mbe.joined_cells >= least_cells)) {
		b->told.z = z;
		gpube__log(b->ctx, GPUBE_LOG_DETAIL,
			"mini-buckets, z %d: %d of %d bucket%s split, %.3g joined cell%s, "
			"%.3g bytes",
			z, mbe.n_split, mbe.n, gpube__plural(mbe.n), mbe.joined_cells,
			gpube__plural(mbe.joined_cells), least);
		status = run_mbe(b, &mbe, !b->opts->no_match);
	}
	gpube__work(b->ctx, BUCKET_TICKS * mbe.n);
	gpube__mbe_clear(&mbe);
	return status;
}

/* Mini-buckets as a method: sizes that do not fit are left to other methods. */
static int unless_too_large(const struct gpube_bounder *b, int status)
{
	const bool large = status == GPUBE_ELIMIT || status == GPUBE_ERANGE;

	return large && b->opts->method == GPUBE_BOUND_AUTO ? GPUBE_OK : status;
}

int gpube__bound_mbe(struct gpube_bounder *b)
{
	const int z = b->opts->z;
	const double most = mbe_memory(b) / 8;
	const double least = b->opts->method == GPUBE_BOUND_AUTO ? 1e6 : 0;
	bool exact = false, fits = true;
	int status = GPUBE_OK;

	if (z) {
		status = one_mbe(b, z, INFINITY, 0, &exact, &fits);
		if (!status && !fits)
			status = gpube__fail(b->ctx, GPUBE_ELIMIT,
				"mini-buckets of %d variables do not fit the memory; take a "
				"smaller z",
				z);
		return status;
	}
	for (int k = 2; k <= b->m->n_vars + 1 && !exact && fits && !status; k++)
		if (!gpube__bounder_done(b))
			status = one_mbe(b, k, most, least, &exact, &fits);
	return unless_too_large(b, status);
}
