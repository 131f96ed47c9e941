/* chains.c - see chains.h. */
#include "gpube/ir/chains.h"

void gpube__chains_clear(struct gpube_chains *c)
{
	gpube__free(c->ctx, c->head);
	gpube__free(c->ctx, c->links);
	*c = (struct gpube_chains){.ctx = c->ctx};
}

int gpube__chains_push(struct gpube_chains *c, int32_t bucket, int32_t id)
{
	if (gpube__grow(c->ctx, &c->links, &c->capacity, (int64_t)c->n + 1, sizeof(*c->links)))
		return GPUBE_ENOMEM;
	c->links[c->n].id = id;
	c->links[c->n].next = c->head[bucket];
	c->head[bucket] = c->n++;
	return GPUBE_OK;
}

int gpube__chains_init(struct gpube_chains *c, const struct gpube_model *m, const int32_t *position)
{
	int status = GPUBE_OK;

	*c = (struct gpube_chains){.ctx = m->ctx};
	c->head = gpube__alloc(m->ctx, (uint64_t)m->n_vars, sizeof(*c->head));
	/* a message a bucket is what comes mostly */
	if (!c->head || gpube__grow(m->ctx, &c->links, &c->capacity,
				(int64_t)m->n_vars + m->n_functions, sizeof(*c->links)))
		status = GPUBE_ENOMEM;
	for (int32_t p = 0; p < m->n_vars && !status; p++)
		c->head[p] = -1;
	for (int32_t f = m->n_functions - 1; f >= 0 && !status; f--) {
		const int32_t *scope = gpube__scope(m, f);
		int32_t first = INT32_MAX;

		for (int k = 0; k < m->functions[f].arity; k++)
			if (position[scope[k]] < first)
				first = position[scope[k]];
		if (first != INT32_MAX)
			status = gpube__chains_push(c, first, f);
	}
	if (status)
		gpube__chains_clear(c);
	return status;
}
