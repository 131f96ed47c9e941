/* contract_problem.c - what of a contraction no backend takes. See contract.h. */
#include "gpube/ops/contract/contract.h"
#include "gpube/ops/index.h"

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
