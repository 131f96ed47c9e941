/*
 * cfn_bounded.c - cfnconstraint of .cfn: the cost of a problem inside is from lb up to below ub.
 * See cfn.h, and intension.h for the table that it becomes.
 */
#include "formats/cfn/cfn.h"

/* A bound in the units of the problem inside, which may grow for it. */
static int read_bound(struct gpube_cfn_reader *inner, const char *tag, int64_t *cost)
{
	if (gpube__cfn_pass_tag(inner, tag, 2) || gpube__cfn_advance(inner))
		return inner->in->status;
	return gpube__cfn_to_cost(inner, cost);
}

static int read_flag(struct gpube_cfn_reader *r, const char *tag, size_t n, int64_t *flag)
{
	if (gpube__cfn_pass_tag(r, tag, n) || gpube__cfn_advance(r))
		return r->in->status;
	return gpube__cfn_to_int(r, flag, 0, 1, "0 or 1");
}

static int read_parameters(
	struct gpube_cfn_reader *r, struct gpube_cfn_reader *inner, int64_t *low, int64_t *high)
{
	int64_t duplicate, strong = 0;

	inner->read_problem = r->read_problem;
	if (gpube__cfn_pass_tag(r, "cfn", 3) || r->read_problem(inner))
		return r->in->status;
	inner->tags = r->tags;
	if (read_bound(inner, "lb", low))
		return r->in->status;
	inner->open = (struct gpube_cfn_open){.dflt = low};
	if (read_bound(inner, "ub", high))
		return r->in->status;
	if (read_flag(r, "duplicatehard", 13, &duplicate) ||
		read_flag(r, "strongduality", 13, &strong))
		return r->in->status;
	if (strong)
		return gpube__in_error(
			r->in, "type 'cfnconstraint' with strong duality is not supported");
	return gpube__cfn_close_bracket(r, "']' after the parameters");
}

int gpube__cfn_read_bounded(struct gpube_cfn_reader *r, int arity, const char *name)
{
	const struct gpube_sink sink = gpube__in_sink(r->in);
	struct gpube_cfn_reader *inner = NULL;
	struct gpube_model *problem;
	int64_t low = 0, high = 0;

	if (r->depth == GPUBE_CFN_DEPTH)
		return gpube__in_error(
			r->in, "problems in problems, more than %d deep", GPUBE_CFN_DEPTH);
	if (gpube__cfn_pass_tag(r, "params", 6) ||
		gpube__cfn_open_bracket(r, "'[' of the parameters"))
		return r->in->status;
	if (gpube_model_new(&problem, r->m->ctx, GPUBE_COSTS))
		return gpube__cfn_fail(r, GPUBE_ENOMEM);
	if (!gpube__cfn_open(&inner, problem, r->in, r->depth + 1) &&
		!read_parameters(r, inner, &low, &high))
		gpube__add_bounded(r->m, &sink, arity, r->scope, problem, low, high, name);
	gpube__cfn_close(inner);
	gpube_model_free(problem);
	return r->in->status;
}
