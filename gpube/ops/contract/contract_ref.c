/*
 * contract_ref.c - contract, straight from its definition in ops.h: every joined
 * cell of every output cell, in row-major order, its offsets computed afresh.
 * The specification of all other versions; also the checks they share.
 */
#include "gpube/ops/contract/contract.h"
#include "gpube/ops/index.h"
#include "gpube/ops/semiring.h"

static const char *operand_problem(const struct gpube_contraction *c, const struct gpube_operand *o)
{
	if (o->n_dims < 0 || (o->n_dims > 0 && !o->dims) || !o->values)
		return "an operand has no values or no dims";
	for (int i = 0; i < o->n_dims; i++) {
		if (o->dims[i] < 0 || o->dims[i] >= c->n_dims)
			return "an operand's dim is out of range";
		for (int j = 0; j < i; j++)
			if (o->dims[i] == o->dims[j])
				return "an operand has a dim twice";
	}
	return NULL;
}

const char *gpube__contract_problem(const struct gpube_contraction *c)
{
	const char *problem;
	uint64_t reduced = 1;

	if (c->type != GPUBE_INT32 && c->type != GPUBE_INT64)
		return "the type is not int32 or int64";
	if ((unsigned)c->semiring > GPUBE_MIN_COUNT)
		return "no such semiring";
	if (c->n_out < 0 || c->n_dims < c->n_out || c->n_in < 0 || !c->out)
		return "a count is negative or there is no output";
	for (int d = 0; d < c->n_dims; d++)
		if (c->sizes[d] < 1)
			return "a dim is empty";
	if (gpube__joined_cells(c) < 0)
		return "the joined table has 2^63 cells or more";
	for (int k = 0; k < c->n_in; k++)
		if ((problem = operand_problem(c, &c->in[k])))
			return problem;
	if (c->semiring == GPUBE_MIN_COUNT &&
		(!c->out_counts || c->modulus == 1 || c->modulus > UINT32_MAX))
		return "counts need room for them and a modulus that is 0 or a prime below 2^32";
	if (!c->out_arg)
		return NULL;
	if (c->semiring != GPUBE_MIN_PLUS)
		return "only min-plus has arguments";
	for (int d = c->n_out; d < c->n_dims; d++)
		reduced *= (uint64_t)c->sizes[d];
	if (c->arg_bytes != 1 && c->arg_bytes != 2 && c->arg_bytes != 4)
		return "arguments have 1, 2 or 4 bytes";
	if (reduced - 1 > UINT32_MAX >> (32 - 8 * c->arg_bytes))
		return "an argument needs more bytes";
	return NULL;
}

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
