/*
 * contract_ref.c - contract, straight from its definition in ops.h: every joined
 * cell of every output cell, in row-major order, its offsets computed afresh.
 */
#include "tests/support/reference/reference.h"

#include "gpube/ops/contract/contract.h"
#include "gpube/ops/index.h"
#include "gpube/ops/semiring.h"

/* Offset of operand o's cell at the coordinates 'at'. */
static int64_t cell_of(
	const struct gpube_contraction *c, const struct gpube_operand *o, const int64_t *at)
{
	int64_t cell = 0;

	for (int i = 0; i < o->n_dims; i++)
		cell = cell * c->sizes[o->dims[i]] + at[o->dims[i]];
	return cell;
}

/* Steps dims [from, to) to the next row-major position; false after the last, which wraps. */
static bool step(const struct gpube_contraction *c, int64_t *at, int from, int to)
{
	for (int d = to - 1; d >= from; d--) {
		if (++at[d] < c->sizes[d])
			return true;
		at[d] = 0;
	}
	return false;
}

static int64_t value_of(const struct gpube_contraction *c, const void *values, int64_t cell)
{
	return c->type == GPUBE_INT32 ? ((const int32_t *)values)[cell]
				      : ((const int64_t *)values)[cell];
}

static int64_t sum_at(const struct gpube_contraction *c, const int64_t *at)
{
	int64_t sum = 0;

	for (int k = 0; k < c->n_in; k++)
		sum += value_of(c, c->in[k].values, cell_of(c, &c->in[k], at));
	return gpube__top_min(sum, c->top, c->threshold);
}

static uint64_t count_product(const struct gpube_contraction *c, const int64_t *at)
{
	uint64_t product = 1;

	for (int k = 0; k < c->n_in; k++)
		if (c->in[k].counts)
			product = gpube__count_mul(
				product, c->in[k].counts[cell_of(c, &c->in[k], at)], c->modulus);
	return product;
}

struct cell {
	int64_t value, arg;
	uint64_t count;
};

static struct cell best_cell(const struct gpube_contraction *c, int64_t *at)
{
	struct cell best = {0};
	int64_t arg = 0;

	do {
		const int64_t sum = sum_at(c, at);

		if (arg == 0 || sum < best.value)
			best = (struct cell){.value = sum, .arg = arg};
		if (sum == best.value && c->semiring == GPUBE_MIN_COUNT)
			best.count = gpube__count_add(best.count, count_product(c, at), c->modulus);
		arg++;
	} while (step(c, at, c->n_out, c->n_dims));
	if (best.value == c->top)
		best.count = 0;
	return best;
}

static void store(const struct gpube_contraction *c, int64_t s, const struct cell *cell)
{
	if (c->type == GPUBE_INT32)
		((int32_t *)c->out)[s] = (int32_t)cell->value;
	else
		((int64_t *)c->out)[s] = cell->value;
	if (c->semiring == GPUBE_MIN_COUNT)
		c->out_counts[s] = cell->count;
	if (c->out_arg)
		gpube__store_arg(c->out_arg, c->arg_bytes, s, cell->arg);
}

int gpube__contract_reference(struct gpube_ctx *ctx, const struct gpube_contraction *c)
{
	const char *problem = gpube__contract_problem(c);
	int64_t *at, s = 0;

	if (problem)
		return gpube__fail(ctx, GPUBE_EINVAL, "contract: %s", problem);
	at = gpube__alloc_zero(ctx, (uint64_t)c->n_dims, sizeof(*at));
	if (!at)
		return GPUBE_ENOMEM;
	do {
		const struct cell cell = best_cell(c, at);

		store(c, s++, &cell);
	} while (step(c, at, 0, c->n_out));
	gpube__free(ctx, at);
	return GPUBE_OK;
}
