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
	const bool is_int = c->type == GPUBE_INT32 || c->type == GPUBE_INT64;
	const char *problem;
	uint64_t reduced = 1;

	if (!is_int && c->type != GPUBE_FLOAT32 && c->type != GPUBE_FLOAT64)
		return "the type is not int32, int64, float32 or float64";
	if ((unsigned)c->semiring > GPUBE_MIN_COUNT)
		return "no such semiring";
	if (is_int && c->semiring == GPUBE_LOGSUMEXP)
		return "logsumexp needs a float type";
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
	if (c->semiring != GPUBE_MIN_PLUS && c->semiring != GPUBE_MAX_PLUS)
		return "only min-plus and max-plus have arguments";
	for (int d = c->n_out; d < c->n_dims; d++)
		reduced *= (uint64_t)c->sizes[d];
	if (c->arg_bytes != 1 && c->arg_bytes != 2 && c->arg_bytes != 4)
		return "arguments have 1, 2 or 4 bytes";
	if (reduced - 1 > UINT32_MAX >> (32 - 8 * c->arg_bytes))
		return "an argument needs more bytes";
	return NULL;
}

/* Offset of operand o's cell at the coordinates 'at'. */
static int64_t cell_of(const struct gpube_contraction *c, const struct gpube_operand *o,
	const int64_t *at)
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

static int64_t int_value(const struct gpube_contraction *c, const void *values, int64_t cell)
{
	return c->type == GPUBE_INT32 ? ((const int32_t *)values)[cell]
				      : ((const int64_t *)values)[cell];
}

static double float_value(const struct gpube_contraction *c, const void *values, int64_t cell)
{
	return c->type == GPUBE_FLOAT32 ? ((const float *)values)[cell]
					: ((const double *)values)[cell];
}

static int64_t int_sum(const struct gpube_contraction *c, const int64_t *at)
{
	int64_t sum = 0;

	for (int k = 0; k < c->n_in; k++)
		sum += int_value(c, c->in[k].values, cell_of(c, &c->in[k], at));
	return c->semiring == GPUBE_MAX_PLUS ? gpube__cut_max(sum, c->cut, c->threshold)
					     : gpube__cut_min(sum, c->cut, c->threshold);
}

static double float_sum(const struct gpube_contraction *c, const int64_t *at)
{
	double sum = 0;

	for (int k = 0; k < c->n_in; k++)
		sum += float_value(c, c->in[k].values, cell_of(c, &c->in[k], at));
	return sum;
}

static uint64_t count_product(const struct gpube_contraction *c, const int64_t *at)
{
	uint64_t product = 1;

	for (int k = 0; k < c->n_in; k++)
		if (c->in[k].counts)
			product = gpube__count_mul(product,
				c->in[k].counts[cell_of(c, &c->in[k], at)], c->modulus);
	return product;
}

struct cell {
	int64_t i;
	double f;
	uint64_t count;
	int64_t arg;
};

/* -1, 0, 1: the sum at hand is better than, as good as, worse than the best so far. */
static int compare(const struct gpube_contraction *c, int64_t i, double f, const struct cell *best)
{
	const bool is_int = gpube__type_is_int(c->type);
	int order = is_int ? (i > best->i) - (i < best->i) : (f > best->f) - (f < best->f);

	return c->semiring == GPUBE_MAX_PLUS ? -order : order;
}

static struct cell best_cell(const struct gpube_contraction *c, int64_t *at)
{
	struct cell best = {0};
	int64_t arg = 0;

	do {
		const bool is_int = gpube__type_is_int(c->type);
		const int64_t i = is_int ? int_sum(c, at) : 0;
		const double f = is_int ? 0 : float_sum(c, at);
		const int order = arg == 0 ? -1 : compare(c, i, f, &best);

		if (order < 0)
			best = (struct cell){i, f, 0, arg};
		if (order <= 0 && c->semiring == GPUBE_MIN_COUNT)
			best.count = gpube__count_add(best.count, count_product(c, at), c->modulus);
		arg++;
	} while (step(c, at, c->n_out, c->n_dims));
	if (gpube__type_is_int(c->type) ? best.i == c->cut : best.f == INFINITY)
		best.count = 0;
	return best;
}

static struct cell log_sum_cell(const struct gpube_contraction *c, int64_t *at)
{
	struct cell out = {.f = -INFINITY};
	double sum = 0;

	do {
		const double f = float_sum(c, at);

		out.f = f > out.f ? f : out.f;
	} while (step(c, at, c->n_out, c->n_dims));
	if (out.f == -INFINITY)
		return out;
	do
		sum += exp(float_sum(c, at) - out.f);
	while (step(c, at, c->n_out, c->n_dims));
	out.f += log(sum);
	return out;
}

static void store(const struct gpube_contraction *c, int64_t s, const struct cell *cell)
{
	switch (c->type) {
	case GPUBE_INT32:
		((int32_t *)c->out)[s] = (int32_t)cell->i;
		break;
	case GPUBE_INT64:
		((int64_t *)c->out)[s] = cell->i;
		break;
	case GPUBE_FLOAT32:
		((float *)c->out)[s] = (float)cell->f;
		break;
	default:
		((double *)c->out)[s] = cell->f;
	}
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
		struct cell cell = c->semiring == GPUBE_LOGSUMEXP ? log_sum_cell(c, at)
								  : best_cell(c, at);

		store(c, s++, &cell);
	} while (step(c, at, 0, c->n_out));
	gpube__free(ctx, at);
	return GPUBE_OK;
}
