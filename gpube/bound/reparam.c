/* reparam.c - the reparametrised model of an ascent on clusters: see reparam.h. */
#include "gpube/bound/reparam_make.h"

static const struct gpube_clusters *clusters(const struct gpube_reparam_maker *l)
{
	return l->state;
}

static int64_t unary_cell(const struct gpube_reparam_maker *l, int32_t i, const int32_t *index)
{
	return gpube__reparam_cost(l, clusters(l)->unary[i][index[0]]);
}

static int64_t pair_cell(const struct gpube_reparam_maker *l, int32_t p, const int32_t *index)
{
	const struct gpube_pair *e = &clusters(l)->pairs[p];

	return gpube__reparam_cost(l, e->t[index[0] * gpube__row(clusters(l), e->b) + index[1]]);
}

static int64_t wide_cell(const struct gpube_reparam_maker *l, int32_t w, const int32_t *index)
{
	const struct gpube_wide_table *wide = &clusters(l)->wides[w];
	int64_t cell = 0;

	for (int k = 0; k < wide->arity; k++)
		cell = cell * l->live[wide->scope[k]] + index[k];
	return gpube__reparam_cost(l, wide->t[cell]);
}

static int64_t cluster_cell(const struct gpube_reparam_maker *l, int32_t q, const int32_t *index)
{
	const struct gpube_cluster *cluster = &clusters(l)->clusters[q];
	int64_t sum = 0;

	for (int j = 1, e = 0; j < cluster->k; j++)
		for (int i = 0; i < j; i++, e++) {
			int32_t t = cluster->addend[e][index[i] * gpube__row(clusters(l),
									  cluster->v[j]) +
						       index[j]];

			if (t == GPUBE__DEAD)
				return GPUBE_INF;
			sum += t;
		}
	return gpube__reparam_cost(l, sum);
}

static int add_functions(struct gpube_reparam_maker *l, int32_t *n_wide)
{
	const struct gpube_clusters *c = clusters(l);
	int status = GPUBE_OK;
	bool any;

	for (int32_t p = 0; p < c->n_pairs && !status; p++) {
		int32_t scope[] = {c->pairs[p].a, c->pairs[p].b};

		if (c->pairs[p].t)
			status = gpube__reparam_table(l, 2, scope, p, pair_cell, NULL);
	}
	for (int32_t w = 0; w < c->n_wides && !status; w++)
		status = gpube__reparam_table(
			l, c->wides[w].arity, c->wides[w].scope, w, wide_cell, NULL);
	for (int32_t q = 0; q < c->n_clusters && !status; q++) {
		any = false;
		if (c->clusters[q].k)
			status = gpube__reparam_table(
				l, c->clusters[q].k, c->clusters[q].v, q, cluster_cell, &any);
		*n_wide += !status && any;
	}
	return status ? status : gpube__reparam_rests(l, c->left_out);
}

int gpube__reparam_of(struct gpube_reparametrised *out, const struct gpube_clusters *c,
	const struct gpube_simplified *s, const struct gpube_model *given, int64_t cutoff)
{
	struct gpube_reparam_maker l;
	int32_t n_wide = 0;
	int status = gpube__reparam_init(&l, s, given, c, c->shift);

	l.slack = gpube__slack(c);
	l.value = c->value;
	/*
	 * (the target is the scaled cutoff: cells of at least as much are forbidden by themselves)
	 */
	if (c->shift >= 0)
		l.most = c->target >> c->shift;
	for (int32_t i = 0; i < c->n && !status; i++)
		l.live[i] = c->domain[i];
	if (!status)
		status = gpube__reparam_values(&l, given, unary_cell);
	if (!status)
		status = add_functions(&l, &n_wide);
	status = gpube__reparam_end(&l, out, given, c->constant, cutoff, status);
	out->n_wide = n_wide;
	return status;
}

void gpube__reparam_clear(struct gpube_reparametrised *reparam)
{
	gpube_model_free(reparam->model);
	*reparam = (struct gpube_reparametrised){0};
}
