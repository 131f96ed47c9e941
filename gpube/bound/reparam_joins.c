/* reparam_joins.c - the reparametrised model of an ascent on a join graph: see reparam.h. */
#include "gpube/bound/reparam_make.h"
#include "gpube/relax/joingraph.h"

static int64_t join_cell(const struct gpube_reparam_maker *l, int32_t which, const int32_t *index)
{
	const struct gpube_joingraph *g = l->state;
	const struct gpube_join *j = &g->joins[which];
	int64_t cell = 0;

	for (int k = 0; k < j->n_scope; k++)
		cell = cell * g->domain[j->scope[k]] + index[k];
	return gpube__reparam_cost(l, j->t[cell]);
}

int gpube__reparam_of_joins(struct gpube_reparametrised *out, const struct gpube_joingraph *g,
	const struct gpube_simplified *s, const struct gpube_model *given, int64_t cutoff)
{
	struct gpube_reparam_maker l;
	int32_t scope[GPUBE_MAX_DIMS], n_wide = 0;
	int status = gpube__reparam_init(&l, s, given, g, g->shift);

	l.slack = gpube__joingraph_slack(g);
	if (!status)
		status = gpube__reparam_values(&l, given, NULL);
	for (int32_t j = 0; j < g->n_joins && !status; j++) {
		bool any;

		for (int k = 0; k < g->joins[j].n_scope; k++)
			scope[k] = g->order[g->joins[j].scope[k]];
		status = gpube__reparam_table(&l, g->joins[j].n_scope, scope, j, join_cell, &any);
		n_wide += !status && any && g->joins[j].n_scope > 2;
	}
	if (!status)
		status = gpube__reparam_rests(&l, NULL);
	status = gpube__reparam_end(&l, out, given, g->constant, cutoff, status);
	out->n_wide = n_wide;
	return status;
}
