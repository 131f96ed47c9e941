/*
 * reparam_run.c - selects triangles, and makes the reparametrised model or certificate: see
 * reparam.h.
 */
#include <math.h>
#include <stdlib.h>

#include "gpube/bound/bound.h"
#include "gpube/bound/certificate/certificate.h"
#include "gpube/bound/reparam_make.h"
#include "gpube/relax/joingraph.h"
#include "gpube/simplify/regrets.h"

/* ---- which clusters stay ------------------------------------------------------------------ */

struct worth {
	double gain, cells;
	double key;
	int32_t cluster;
};

/*
 * The most that the bound would lose if the addends of the cluster went back to the pairs: how far
 * these would fall below 0.
 */
static double gain_of(const struct gpube_clusters *c, const struct gpube_cluster *q)
{
	double gain = 0;

	for (int j = 1; j < q->k; j++)
		for (int i = 0; i < j; i++) {
			int e = gpube__addend(i, j);
			const int32_t *t = c->pairs[q->pair[e]].t, *addend = q->addend[e];
			int32_t least = 0;

			for (int64_t k = 0; k < c->domain[q->v[i]] * gpube__row(c, q->v[j]); k++)
				if (t[k] < GPUBE__SLACK_MAX && addend[k] != GPUBE__DEAD &&
					t[k] + addend[k] < least)
					least = t[k] + addend[k];
			gain -= least;
		}
	return gain;
}

static int compare_worth(const void *x, const void *y)
{
	const struct worth *a = x, *b = y;

	if (a->key != b->key)
		return a->key > b->key ? -1 : 1;
	return (a->cluster > b->cluster) - (a->cluster < b->cluster);
}

int gpube__clusters_worth(struct gpube_cluster **kept, int32_t *n, int32_t *n_all,
	const struct gpube_clusters *c, const struct gpube_reparametrised_opts *opts)
{
	struct worth *worth = gpube__alloc(c->ctx, (uint64_t)c->n_clusters, sizeof(*worth));
	double cells = 0;

	*n = *n_all = 0;
	*kept = gpube__alloc(c->ctx, (uint64_t)c->n_clusters, sizeof(**kept));
	if (!worth || !*kept) {
		gpube__free(c->ctx, worth);
		gpube__free(c->ctx, *kept);
		*kept = NULL;
		return GPUBE_ENOMEM;
	}
	for (int32_t q = 0; q < c->n_clusters; q++) {
		const struct gpube_cluster *cluster = &c->clusters[q];
		struct worth *w = &worth[*n_all];

		if (!cluster->k)
			continue;
		*w = (struct worth){gain_of(c, cluster), 1, 0, q};
		for (int i = 0; i < cluster->k; i++)
			w->cells *= c->domain[cluster->v[i]];
		/* room is either a number of tables or a number of cells */
		w->key = opts->max_tables ? w->gain : w->gain / w->cells;
		++*n_all;
	}
	if (*n_all)
		qsort(worth, (size_t)*n_all, sizeof(*worth), compare_worth);
	for (int32_t k = 0; k < *n_all; k++) {
		if (cells + worth[k].cells > opts->max_cells ||
			(opts->max_tables && *n == opts->max_tables))
			continue;
		cells += worth[k].cells;
		(*kept)[(*n)++] = c->clusters[worth[k].cluster];
	}
	gpube__free(c->ctx, worth);
	return GPUBE_OK;
}

/* ---- the ascent's state -------------------------------------------------------------------- */

/*
 * A failure for want of memory leaves nothing behind; another attempt follows, without an ascent.
 */
static int end_reparam(struct gpube_bounder *b, int status)
{
	b->state.reparam->made = !status;
	if (status && b->state.reparam->opts->certificate)
		gpube__certificate_restart(b->state.reparam->opts->certificate);
	return status;
}

int gpube__reparam_clusters(struct gpube_bounder *b, const struct gpube_clusters *c)
{
	return end_reparam(b,
		b->state.reparam->opts->certificate
			? gpube__certificate_of(b->state.reparam->opts->certificate, c, &b->s)
			: gpube__reparam_of(b->state.reparam->out, c, &b->s, b->costs, b->cutoff));
}

int gpube__reparam_joins(struct gpube_bounder *b, const struct gpube_joingraph *g)
{
	return end_reparam(b,
		b->state.reparam->opts->certificate
			? gpube__certificate_of_joins(b->state.reparam->opts->certificate, g, &b->s)
			: gpube__reparam_of_joins(
				  b->state.reparam->out, g, &b->s, b->costs, b->cutoff));
}

/* Every assignment is forbidden. */
static int forbid_all(struct gpube_bounder *b)
{
	struct gpube_reparam_maker l;
	int64_t all = GPUBE_INF;
	int status = gpube__reparam_init(&l, &b->s, b->costs, NULL, 0);

	if (!status)
		status = gpube_model_add_costs(l.out, 0, NULL, &all);
	return gpube__reparam_end(&l, b->state.reparam->out, b->costs, 0,
		b->s.infeasible ? GPUBE_INF : b->cutoff, status);
}

int gpube__reparam_plain(struct gpube_bounder *b)
{
	struct gpube_clusters c;
	int status;

	if (!b->state.reparam->opts->certificate && (b->s.infeasible || b->lower >= b->cutoff))
		return forbid_all(b);
	status = gpube__clusters_init(&c, b->m, b->cutoff, 0);
	if (status)
		return status;
	status = c.constant < c.target || b->state.reparam->opts->certificate
			 ? gpube__reparam_clusters(b, &c)
			 : forbid_all(b);
	gpube__clusters_clear(&c);
	return status;
}

/* ---- without an ascent's numbers ------------------------------------------------------------ */

int gpube__reparam_far(
	struct gpube_reparametrised *out, const struct gpube_model *given, int64_t cutoff)
{
	const bool negated = given->direction == GPUBE_MAXIMISE;
	const int64_t top = gpube__minimised_top(given);
	struct gpube_model *m;
	bool feasible;
	int status = gpube_model_new(&m, given->ctx, GPUBE_COSTS);

	*out = (struct gpube_reparametrised){.negated = negated, .decimals = given->scale};
	if (status)
		return status;
	status = gpube__reparam_variables(m, given);
	if (!status)
		status = gpube__add_regrets(m, given, cutoff, NULL, NULL, &feasible);
	if (!status && (cutoff != GPUBE_INF || top != GPUBE_INF))
		status = gpube_model_set_top(m, cutoff < top ? cutoff : top);
	for (int32_t f = 0; f < m->n_functions; f++)
		out->n_wide += m->functions[f].arity > 2;
	if (status)
		gpube_model_free(m);
	else
		out->model = m;
	return status;
}

/* ---- the numbers of the file ----------------------------------------------------------------- */

/* cost * factor; GPUBE_INF stays. */
static bool times(int64_t *v, int64_t factor)
{
	return *v == GPUBE_INF || !__builtin_mul_overflow(*v, factor, v);
}

static int restore_table(struct gpube_ctx *ctx, struct gpube_table *t, int64_t factor)
{
	struct gpube_values v = {0};
	int status = gpube__values_reserve(ctx, &v, t->n);

	for (int64_t k = 0; k < t->n && !status; k++) {
		int64_t cost = gpube__table_int(t, k);

		if (!times(&cost, factor))
			status = gpube__fail(ctx, GPUBE_ERANGE, "a cost passes 64 bits");
		else
			status = gpube__values_push(ctx, &v, cost);
	}
	if (!status && t->sparse && !times(&t->dflt.i, factor))
		status = gpube__fail(ctx, GPUBE_ERANGE, "a cost passes 64 bits");
	if (status) {
		gpube__values_clear(ctx, &v);
		return status;
	}
	gpube__free(ctx, t->values);
	t->values = v.values;
	t->type = v.type;
	return GPUBE_OK;
}

int gpube__reparam_restore(struct gpube_reparametrised *reparam, bool strict)
{
	struct gpube_model *m = reparam->model;
	int64_t factor = 1, top = m->top;
	int status = GPUBE_OK;

	for (int k = 0; k < reparam->shift; k++)
		factor *= 5; /* 2^-shift is 5^shift times 10^-shift */
	if (strict && top != GPUBE_INF)
		top -= ((int64_t)1 << reparam->shift) - 1;
	if (!times(&m->constant, reparam->negated ? -factor : factor) || !times(&top, factor))
		status = gpube__fail(m->ctx, GPUBE_ERANGE, "a total passes 64 bits");
	for (int32_t t = 0; t < m->n_tables && !status; t++)
		status = restore_table(m->ctx, &m->tables[t], reparam->negated ? -factor : factor);
	if (!status && reparam->negated)
		status = gpube_model_set_direction(m, GPUBE_MAXIMISE);
	if (!status && top != GPUBE_INF)
		status = gpube_model_set_top(m, reparam->negated ? -top : top);
	m->scale = reparam->decimals + reparam->shift;
	return status;
}
