/* copy.c - a model once more. */
#include "gpube/ir/model.h"

#include <string.h>

int gpube__copy_variables(struct gpube_model *to, const struct gpube_model *m)
{
	struct gpube_ctx *ctx = to->ctx;

	for (int32_t i = 0; i < m->n_vars; i++)
		if (gpube__copy_var(to, &m->vars[i], NULL))
			return GPUBE_ENOMEM;
	if (m->name) {
		to->name = gpube__strdup(ctx, m->name);
		if (!to->name)
			return GPUBE_ENOMEM;
	}
	if (m->evidence) {
		to->evidence = gpube__alloc(ctx, (uint64_t)m->n_vars, sizeof(*to->evidence));
		if (!to->evidence)
			return GPUBE_ENOMEM;
		if (m->n_vars)
			memcpy(to->evidence, m->evidence,
				(size_t)m->n_vars * sizeof(*to->evidence));
	}
	return GPUBE_OK;
}

static int copy_table(struct gpube_model *to, const struct gpube_table *t)
{
	struct gpube_table copy = *t; /* (of networks: whose cells are in memory) */
	const uint64_t n = (uint64_t)t->n, size = gpube__type_size(t->type),
		       arity = (uint64_t)t->arity;
	int32_t at;

	copy.owner = NULL;
	copy.values = gpube__alloc(to->ctx, n, size);
	copy.tuples = t->sparse ? gpube__alloc(to->ctx, n * arity, sizeof(*t->tuples)) : NULL;
	if (!copy.values || (t->sparse && !copy.tuples)) {
		gpube__free(to->ctx, copy.values);
		gpube__free(to->ctx, copy.tuples);
		return GPUBE_ENOMEM;
	}
	if (n)
		memcpy(copy.values, t->values, n * size);
	if (n && t->sparse && arity)
		memcpy(copy.tuples, t->tuples, n * arity * sizeof(*t->tuples));
	return gpube__add_table(to, &at, &copy);
}

static int copy_agents(struct gpube_model *to, const struct gpube_model *m)
{
	int status = GPUBE_OK;

	for (int32_t a = 0; a < m->n_agents && !status; a++)
		status = gpube__add_agent(to, NULL, m->agents[a]);
	for (int32_t i = 0; m->agent_of && i < m->n_vars && !status; i++)
		status = gpube__own(to, m->agent_of[i], i);
	return status;
}

int gpube__model_copy(struct gpube_model **out, struct gpube_ctx *ctx, const struct gpube_model *m)
{
	struct gpube_model *copy;
	int status = gpube_model_new(&copy, ctx, m->kind);

	*out = NULL;
	if (status)
		return status;
	copy->direction = m->direction;
	copy->scale = m->scale;
	copy->constant = m->constant;
	copy->top = m->top;
	copy->bayes = m->bayes;
	status = gpube__copy_variables(copy, m);
	for (int32_t t = 0; t < m->n_tables && !status; t++)
		status = copy_table(copy, &m->tables[t]);
	for (int32_t f = 0; f < m->n_functions && !status; f++)
		status = gpube__add_function(copy, m->functions[f].arity, gpube__scope(m, f),
			m->functions[f].table, m->functions[f].name);
	if (!status)
		status = copy_agents(copy, m);
	if (status)
		gpube_model_free(copy);
	else
		*out = copy;
	return status;
}
