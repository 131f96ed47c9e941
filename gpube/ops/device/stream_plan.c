/* stream_plan.c - see stream_plan.h. */
#include "gpube/ops/device/stream_plan.h"

/* Where a chunk is: an index for each dim before the split, and the range in the dim at it. */
struct place {
	int64_t index[GPUBE_MAX_DIMS + 1];
	int64_t length;
};

static int64_t ranges(const struct gpube_contraction *c, const struct gpube__stream_plan *plan)
{
	return (c->sizes[plan->split] + plan->length - 1) / plan->length;
}

static void find_place(struct place *at, const struct gpube_contraction *c,
	const struct gpube__stream_plan *plan, int64_t chunk)
{
	int64_t n = ranges(c, plan), left;

	at->index[plan->split] = chunk % n * plan->length;
	left = c->sizes[plan->split] - at->index[plan->split];
	at->length = left < plan->length ? left : plan->length;
	chunk /= n;
	for (int d = plan->split - 1; d >= 0; d--) {
		at->index[d] = chunk % c->sizes[d];
		chunk /= c->sizes[d];
	}
}

static bool slice_at(struct gpube__slice *s, const struct gpube_contraction *c, int k, int split,
	const struct place *at)
{
	const struct gpube_operand *in = &c->in[k];
	int first = 0, end = in->n_dims;
	int64_t stride = 1;

	while (first < in->n_dims && in->dims[first] > split)
		first++;
	while (end > first && in->dims[end - 1] > split)
		end--;
	for (int i = first; i < end; i++)
		if (in->dims[i] > split || (in->dims[i] == split && i != end - 1))
			return false;
	*s = (struct gpube__slice){.rows = 1, .whole = first == end};
	for (int i = in->n_dims - 1; i >= 0; i--) {
		int32_t d = in->dims[i];

		if (i == end - 1) { /* what is behind the cut dims is contiguous */
			s->row = stride * (d == split ? at->length : 1);
		}
		if (i >= first && i < end)
			s->first += at->index[d] * stride;
		else if (i < first)
			s->rows *= c->sizes[d];
		stride *= c->sizes[d];
		if (i == first)
			s->pitch = stride;
	}
	if (s->whole)
		*s = (struct gpube__slice){.rows = 1, .row = stride, .pitch = stride, .whole = true};
	return true;
}

static int64_t out_cells(const struct gpube_contraction *c, int split, int64_t length)
{
	int64_t cells = length;

	for (int d = split + 1; d < c->n_out; d++)
		cells *= c->sizes[d];
	return cells;
}

/* Sizes of chunks of 'length' at 'split'; false if an operand cannot be cut there. */
static bool measure(struct gpube__stream_plan *plan, const struct gpube_contraction *c,
	const bool *spilled, bool out)
{
	const size_t size = gpube__type_size(c->type);
	const struct place first = {.length = plan->length};
	int64_t cells = out_cells(c, plan->split, plan->length);

	plan->slot_bytes = plan->fixed_bytes = 0;
	for (int k = 0; k < c->n_in; k++) {
		struct gpube__slice s;
		uint64_t bytes;

		if (!slice_at(&s, c, k, plan->split, &first))
			return false;
		bytes = gpube__stream_bytes(s.rows * s.row, size);
		if (c->in[k].counts)
			bytes += gpube__stream_bytes(s.rows * s.row, sizeof(uint64_t));
		if (!s.whole)
			plan->slot_bytes += bytes;
		else if (spilled[k])
			plan->fixed_bytes += bytes;
	}
	if (!out)
		return true;
	plan->slot_bytes += gpube__stream_bytes(cells, size);
	if (c->out_counts)
		plan->slot_bytes += gpube__stream_bytes(cells, sizeof(uint64_t));
	if (c->out_arg)
		plan->slot_bytes += gpube__stream_bytes(cells, (size_t)c->arg_bytes);
	return true;
}

static bool fits(struct gpube__stream_plan *plan, const struct gpube_contraction *c,
	const bool *spilled, bool out, uint64_t bytes, int split, int64_t length)
{
	plan->split = split;
	plan->length = length;
	return measure(plan, c, spilled, out) && plan->fixed_bytes <= bytes &&
	       plan->slot_bytes <= (bytes - plan->fixed_bytes) / 2;
}

bool gpube__stream_plan(struct gpube__stream_plan *plan, const struct gpube_contraction *c,
	const bool *spilled, bool out, uint64_t bytes)
{
	int64_t before = 1;

	for (int split = 0; split < c->n_out; split++) {
		int64_t lo = 1, hi = c->sizes[split]; /* lo fits, if anything does here */

		if (!fits(plan, c, spilled, out, bytes, split, 1)) {
			before *= c->sizes[split];
			continue;
		}
		while (lo < hi) {
			int64_t middle = lo + (hi - lo + 1) / 2;

			if (fits(plan, c, spilled, out, bytes, split, middle))
				lo = middle;
			else
				hi = middle - 1;
		}
		fits(plan, c, spilled, out, bytes, split, lo);
		plan->n_chunks = before * ranges(c, plan);
		return true;
	}
	return false;
}

bool gpube__stream_slice(struct gpube__slice *s, const struct gpube_contraction *c, int k,
	const struct gpube__stream_plan *plan, int64_t chunk)
{
	struct place at;

	find_place(&at, c, plan, chunk);
	return slice_at(s, c, k, plan->split, &at);
}

int64_t gpube__stream_out(int64_t *first, const struct gpube_contraction *c,
	const struct gpube__stream_plan *plan, int64_t chunk)
{
	struct place at;
	int64_t index = 0;

	find_place(&at, c, plan, chunk);
	for (int d = 0; d < c->n_out; d++)
		index = index * c->sizes[d] + (d <= plan->split ? at.index[d] : 0);
	*first = index;
	return out_cells(c, plan->split, at.length);
}

void gpube__stream_chunk(struct gpube_contraction *out, int64_t *sizes, struct gpube_operand *in,
	int32_t *dims, const struct gpube_contraction *c, const struct gpube__stream_plan *plan,
	int64_t chunk)
{
	struct place at;
	int split = plan->split;

	find_place(&at, c, plan, chunk);
	*out = *c;
	out->n_out = c->n_out - split;
	out->n_dims = c->n_dims - split;
	out->sizes = sizes;
	out->in = in;
	for (int d = split; d < c->n_dims; d++)
		sizes[d - split] = c->sizes[d];
	sizes[0] = at.length;
	for (int k = 0; k < c->n_in; k++) {
		in[k] = c->in[k];
		in[k].dims = dims;
		in[k].n_dims = 0;
		for (int i = 0; i < c->in[k].n_dims; i++)
			if (c->in[k].dims[i] >= split) {
				*dims++ = c->in[k].dims[i] - split;
				in[k].n_dims++;
			}
	}
}
