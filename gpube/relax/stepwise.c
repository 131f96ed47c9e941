/* stepwise.c - see stepwise.h. */
#include "gpube/relax/stepwise.h"

#include <math.h>
#include <string.h>

/* A table still to be joined; dims of the whole contraction, in the order of its axes. */
struct factor {
	const void *values;
	void *made; /* NULL: an operand that was given */
	int n_dims;
	uint64_t dims_set;
	int32_t dims[GPUBE_MAX_DIMS];
};

struct steps {
	struct gpube_ctx *ctx;
	const struct gpube_ops *ops;
	const struct gpube_contraction *c;
	struct factor *factors;
	int n;
	/* of the step at work */
	struct gpube_operand *in;
	int32_t *dims; /* of its operands, GPUBE_MAX_DIMS each */
	int64_t sizes[GPUBE_MAX_DIMS];
};

static uint64_t bit(int32_t dim)
{
	return (uint64_t)1 << dim;
}

static double cells_of(const struct steps *s, uint64_t dims)
{
	double cells = 1;

	for (int32_t d = 0; d < s->c->n_dims; d++)
		cells *= dims & bit(d) ? (double)s->c->sizes[d] : 1;
	return cells;
}

/* All dims of the factors that have 'dim'. */
static uint64_t joined_with(const struct steps *s, int32_t dim)
{
	uint64_t dims = 0;

	for (int k = 0; k < s->n; k++)
		if (s->factors[k].dims_set & bit(dim))
			dims |= s->factors[k].dims_set;
	return dims;
}

/* Of the dims that are left, the one that joins fewest cells. */
static int32_t cheapest(const struct steps *s, uint64_t left)
{
	int32_t best = -1;
	double least = INFINITY;

	for (int32_t d = 0; d < s->c->n_dims; d++) {
		double cells = left & bit(d) ? cells_of(s, joined_with(s, d)) : INFINITY;

		if (cells < least) {
			least = cells;
			best = d;
		}
	}
	return best;
}

/*
 * Contracts the factors that have a dim of 'members' into 'out' over its dims, reducing
 * 'dim' (-1: nothing), and takes them from the list.
 */
static int contract_members(struct steps *s, uint64_t members, int32_t dim, struct factor *out)
{
	struct gpube_contraction c = *s->c;
	int32_t index[GPUBE_MAX_DIMS];
	int kept = 0, status;

	c.n_out = out->n_dims;
	c.n_dims = out->n_dims + (dim >= 0);
	c.sizes = s->sizes;
	c.n_in = 0;
	c.in = s->in;
	c.out = out->made;
	for (int i = 0; i < c.n_dims; i++) {
		int32_t d = i < out->n_dims ? out->dims[i] : dim;

		index[d] = i;
		s->sizes[i] = s->c->sizes[d];
	}
	for (int k = 0; k < s->n; k++) {
		const struct factor *f = &s->factors[k];
		int32_t *dims = s->dims + (size_t)c.n_in * GPUBE_MAX_DIMS;

		if (!(f->dims_set & members) && members != UINT64_MAX)
			continue;
		for (int i = 0; i < f->n_dims; i++)
			dims[i] = index[f->dims[i]];
		s->in[c.n_in++] = (struct gpube_operand){
			.values = f->values, .n_dims = f->n_dims, .dims = dims};
	}
	status = s->ops->contract(s->ctx, &c);
	for (int k = 0; k < s->n; k++) {
		if (!(s->factors[k].dims_set & members) && members != UINT64_MAX)
			s->factors[kept++] = s->factors[k];
		else if (s->factors[k].made)
			s->ops->free(s->ctx, s->factors[k].made);
	}
	s->n = kept;
	return status;
}

/* Axes of the table that eliminating 'dim' makes: as the largest factor has them, then the others.
 */
static void lay_out(const struct steps *s, int32_t dim, struct factor *out)
{
	uint64_t left = joined_with(s, dim) & ~bit(dim);
	const struct factor *largest = NULL;

	for (int k = 0; k < s->n; k++)
		if (s->factors[k].dims_set & bit(dim) &&
			(!largest || s->factors[k].n_dims > largest->n_dims))
			largest = &s->factors[k];
	*out = (struct factor){.dims_set = left};
	for (int i = 0; largest && i < largest->n_dims; i++)
		if (left & bit(largest->dims[i])) {
			out->dims[out->n_dims++] = largest->dims[i];
			left &= ~bit(largest->dims[i]);
		}
	for (int32_t d = 0; d < s->c->n_dims; d++)
		if (left & bit(d))
			out->dims[out->n_dims++] = d;
}

static int eliminate(struct steps *s, int32_t dim)
{
	struct factor out;
	int status;

	lay_out(s, dim, &out);
	out.made = s->ops->alloc(
		s->ctx, (uint64_t)cells_of(s, out.dims_set) * gpube__type_size(s->c->type));
	if (!out.made)
		return GPUBE_ENOMEM;
	status = contract_members(s, bit(dim), dim, &out);
	out.values = out.made;
	s->factors[s->n++] = out;
	return status;
}

/* The last step writes the result, of all that is left. */
static int finish(struct steps *s, int32_t dim)
{
	struct factor out = {.made = s->c->out, .n_dims = s->c->n_out};

	for (int32_t d = 0; d < s->c->n_out; d++)
		out.dims[d] = d;
	return contract_members(s, UINT64_MAX, dim, &out);
}

static int run(struct steps *s)
{
	uint64_t left = 0;
	int status = GPUBE_OK;

	for (int k = 0; k < s->c->n_in; k++) {
		const struct gpube_operand *in = &s->c->in[k];
		struct factor *f = &s->factors[s->n++];

		*f = (struct factor){.values = in->values, .n_dims = in->n_dims};
		for (int i = 0; i < in->n_dims; i++) {
			f->dims[i] = in->dims[i];
			f->dims_set |= bit(in->dims[i]);
		}
		left |= f->dims_set;
	}
	left &= s->c->n_out < 64 ? ~(bit(s->c->n_out) - 1)
				 : 0; /* what no table has reduces to itself */
	while (left & (left - 1) && !status) {
		int32_t dim = cheapest(s, left);

		status = eliminate(s, dim);
		left &= ~bit(dim);
	}
	return status ? status : finish(s, left ? cheapest(s, left) : -1);
}

int gpube__contract_stepwise(
	struct gpube_ctx *ctx, const struct gpube_ops *ops, const struct gpube_contraction *c)
{
	struct steps s = {.ctx = ctx, .ops = ops, .c = c};
	uint64_t n = (uint64_t)c->n_in + 1;
	int status = GPUBE_ENOMEM;

	if (c->n_dims > GPUBE_MAX_DIMS)
		return ops->contract(ctx, c);
	s.factors = gpube__alloc(ctx, n, sizeof(*s.factors));
	s.in = gpube__alloc(ctx, n, sizeof(*s.in));
	s.dims = gpube__alloc(ctx, n * GPUBE_MAX_DIMS, sizeof(*s.dims));
	if (s.factors && s.in && s.dims)
		status = run(&s);
	for (int k = 0; k < s.n; k++)
		if (s.factors[k].made)
			ops->free(ctx, s.factors[k].made);
	GPUBE_FREE_ALL(ctx, s.factors, s.in, s.dims);
	return status;
}
