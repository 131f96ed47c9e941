/* contract_merged.cu - contractions of which some operands are added up first: contract_merge.h. */
#include "gpube/ops/contract/contract_launch.cuh"

struct merging {
	struct gpube__merge merge;
	struct gpube__merged rest, part;
	void *made[GPUBE_MERGE_IN];
};

/* Memory for all tables that are to be made; false: there is none. */
static bool merging_take(
	struct gpube_ctx *ctx, struct merging *m, const struct gpube_contraction *c)
{
	struct gpube__arena *const arena = gpube__device_of(ctx)->arena;

	for (int which = 0; which < m->merge.n; which++) {
		const uint64_t bytes = (uint64_t)gpube__operand_cells(&m->rest.c, which) *
				       gpube__type_size(c->type);

		if (m->rest.in[which].values)
			continue;
		if (bytes <= gpube__arena_left(arena))
			m->made[which] = gpube__arena_take(arena, ctx, bytes);
		if (!m->made[which])
			return false;
		m->rest.in[which].values = m->made[which];
	}
	return true;
}

static int merging_run(struct gpube_ctx *ctx, struct merging *m, const struct gpube_contraction *c)
{
	int status = GPUBE_OK;

	for (int which = 0; which < m->merge.n && status == GPUBE_OK; which++) {
		if (!m->made[which])
			continue;
		gpube__merge_part(&m->part, &m->rest, c, &m->merge, which);
		m->part.c.out = m->made[which];
		status = gpube__contract_cuda(ctx, &m->part.c);
	}
	return status == GPUBE_OK ? gpube__contract_cuda(ctx, &m->rest.c) : status;
}

int gpube__contract_merged(struct gpube_ctx *ctx, const struct gpube__merge *merge,
	const struct gpube_contraction *c, bool *done)
{
	struct gpube__device *d = gpube__device_of(ctx);
	const enum gpube__path path = d->path;
	const cudaEvent_t marks[2] = {d->marks[0], d->marks[1]};
	struct merging *m = (struct merging *)gpube__alloc_zero(ctx, 1, sizeof(*m));
	int status = GPUBE_OK;

	*done = false;
	if (!m)
		return GPUBE_ENOMEM;
	m->merge = *merge;
	gpube__merge_rest(&m->rest, c, merge);
	if (merging_take(ctx, m, c)) {
		*done = true;
		/* marked as one */
		d->path = GPUBE_PATH_ANY;
		d->marks[0] = d->marks[1] = NULL;
		if (marks[0])
			cudaEventRecord(marks[0], d->stream);
		status = merging_run(ctx, m, c);
		if (marks[1])
			cudaEventRecord(marks[1], d->stream);
		d->path = path;
		d->marks[0] = marks[0];
		d->marks[1] = marks[1];
	}
	for (int which = 0; which < m->merge.n; which++) /* what 'merge' is a part of may be gone */
		if (m->made[which])
			gpube__arena_give(d->arena, ctx, m->made[which]);
	gpube__free(ctx, m);
	return status;
}
