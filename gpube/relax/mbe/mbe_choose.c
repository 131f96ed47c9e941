/* mbe_choose.c - the assignment that messages lead to, a bucket at a time: see mbe.h. */
#include "gpube/ir/dense.h"
#include "gpube/relax/mbe/mbe_parts.h"

/* What a message that the bucket at a position took in says of each of its values. */
static struct gpube_cells message_cells(
	const struct gpube_mbe_run *r, int32_t mini, int32_t position, const int32_t *values)
{
	const struct gpube_mbe *mbe = r->mbe;
	const struct gpube_mini *from = &mbe->minis[mini];
	struct gpube_cells cells = {
		.values = r->messages[mini], .n = mbe->m->vars[mbe->order[position]].domain};

	for (int32_t k = 0; k < from->n_scope; k++) {
		int32_t q = mbe->scopes[from->scope_at + k], var = mbe->order[q];
		int64_t domain = mbe->m->vars[var].domain;

		cells.first = cells.first * domain + (q == position ? 0 : values[var]);
		cells.stride = q == position ? 1 : cells.stride * domain;
	}
	return cells;
}

/* Inputs of all minis of a bucket are neighbours: [*from, *to). Returns how many are messages. */
static int64_t inputs_of(const struct gpube_mbe *mbe, int32_t bucket, int64_t *from, int64_t *to)
{
	const struct gpube_mini *last = &mbe->minis[mbe->first[bucket + 1] - 1];
	int64_t n = 0;

	*from = mbe->minis[mbe->first[bucket]].in_at;
	*to = last->in_at + last->n_in;
	for (int64_t k = *from; k < *to; k++)
		n += mbe->inputs[k] < 0;
	return n;
}

/* The least sum over the functions and what was gathered of the messages. */
static int32_t best_value(
	const struct gpube_mbe_run *r, int32_t bucket, int32_t *values, const void *gathered)
{
	const struct gpube_mbe *mbe = r->mbe;
	const int32_t var = mbe->order[bucket], domain = mbe->m->vars[var].domain;
	int64_t from, to;
	int32_t at_best = 0;
	__int128 best = 0;

	inputs_of(mbe, bucket, &from, &to);
	for (int32_t x = 0; x < domain; x++) {
		int64_t cell = x;
		__int128 sum = 0;

		values[var] = x;
		for (int64_t k = from; k < to; k++) {
			int32_t id = mbe->inputs[k];

			if (id >= 0) {
				sum += gpube__mbe_working(
					r, gpube__function_cost(mbe->m, id, values));
			} else {
				sum += gpube__mbe_get(r, gathered, cell);
				cell += domain;
			}
		}
		if (x == 0 || sum < best) {
			best = sum;
			at_best = x;
		}
	}
	return at_best;
}

int gpube__mbe_choose(struct gpube_mbe_run *r, int32_t bucket, int32_t *values)
{
	const struct gpube_mbe *mbe = r->mbe;
	struct gpube_ctx *ctx = mbe->ctx;
	const int32_t var = mbe->order[bucket];
	const size_t size = gpube__type_size(r->type);
	const int64_t domain = mbe->m->vars[var].domain;
	int64_t from, to, n_messages = inputs_of(mbe, bucket, &from, &to), n = 0;
	struct gpube_cells *pieces = gpube__alloc(ctx, (uint64_t)n_messages, sizeof(*pieces));
	void *gathered = gpube__alloc(ctx, (uint64_t)n_messages * (uint64_t)domain, size);
	int status = pieces && gathered ? GPUBE_OK : GPUBE_ENOMEM;

	/* those of either side behind each other: best_value() only adds them up */
	for (int on_device = 0; on_device < 2 && !status; on_device++) {
		const int64_t first = n;

		for (int64_t k = from; k < to; k++)
			if (mbe->inputs[k] < 0 && r->lies[~mbe->inputs[k]] == on_device)
				pieces[n++] = message_cells(r, ~mbe->inputs[k], bucket, values);
		if (n > first)
			status = (on_device ? r->device : r->ops)
					 ->gather(ctx,
						 (char *)gathered + (size_t)(first * domain) * size,
						 n - first, pieces + first, size);
	}
	if (!status)
		values[var] = best_value(r, bucket, values, gathered);
	gpube__free(ctx, pieces);
	gpube__free(ctx, gathered);
	return status;
}
