/* certificate_of.c - see certificate_of.h. */
#include "gpube/bound/certificate/certificate_of.h"

#include <stdlib.h>
#include <string.h>

#include "gpube/ir/dense.h"

/* A number of a table of the ascent; false: it is dead. Index: of values, in scope order. */
struct reader {
	struct gpube_certificate *out;
	const struct gpube_simplified *s;
	const void *state;
	int32_t *given; /* of each simplified variable */
	int32_t slack;
	int shift;
};

typedef bool number_fn(
	const struct reader *r, int32_t which, int part, const int32_t *index, int64_t *v);

/* ---- a table --------------------------------------------------------------------------------- */

/* Adds a table to the last block: the scope is of simplified variables, in any order. */
static int add_table(struct reader *r, int arity, const int32_t *scope, int32_t which, int part,
	number_fn *number)
{
	int32_t sorted[GPUBE__PROOF_DIMS] = {0}, place[GPUBE__PROOF_DIMS] = {0},
		size[GPUBE__PROOF_DIMS] = {0};
	int32_t index[GPUBE__PROOF_DIMS] = {0}, at[GPUBE_MAX_DIMS] = {0};
	int64_t *values, cell = 0;
	int status, k;

	if (arity > GPUBE__PROOF_DIMS)
		return gpube__fail(
			r->out->ctx, GPUBE_ELIMIT, "a table of a certificate is too wide");
	for (k = 0; k < arity; k++) { /* insertion: ascending */
		int j = k;

		for (; j > 0 && sorted[j - 1] > r->given[scope[k]]; j--) {
			sorted[j] = sorted[j - 1];
			place[j] = place[j - 1];
		}
		sorted[j] = r->given[scope[k]];
		place[j] = k;
	}
	for (k = 0; k < arity; k++)
		size[k] = r->out->domain[sorted[k]];
	status = gpube__certificate_table(r->out, arity, sorted, &values);
	if (status)
		return status;
	do {
		for (k = 0; k < arity; k++)
			at[place[k]] = index[k];
		if (!number(r, which, part, at, &values[cell++]))
			return gpube__fail(r->out->ctx, GPUBE_ELIMIT,
				"the costs are too large for a certificate");
		for (k = arity - 1; k >= 0; k--) {
			if (++index[k] < size[k])
				break;
			index[k] = 0;
		}
	} while (k >= 0);
	return GPUBE_OK;
}

static int add_block(
	struct reader *r, int arity, const int32_t *scope, int32_t which, number_fn *number)
{
	int status = gpube__certificate_block(r->out);

	return status ? status : add_table(r, arity, scope, which, 0, number);
}

static bool scaled(const struct reader *r, int32_t t, int64_t *v)
{
	*v = t * ((int64_t)1 << (r->shift < 0 ? -r->shift : 0));
	return t < r->slack;
}

/* What rounding down left of a function, or, with part 1, all of it. */
static bool rest(const struct reader *r, int32_t f, int part, const int32_t *index, int64_t *v)
{
	const struct gpube_model *m = r->s->model;
	const struct gpube_table *t = gpube__table(m, f);
	const int32_t *scope = gpube__scope(m, f);
	int64_t at = 0;

	if (t->sparse) {
		at = gpube__table_find(t, NULL, index);
		*v = at < 0 ? t->dflt.i : gpube__table_int(t, at);
	} else {
		for (int k = 0; k < t->arity; k++)
			at = at * m->vars[scope[k]].domain + index[k];
		*v = gpube__table_int(t, at);
	}
	if (*v == GPUBE_INF)
		return false;
	if (part)
		*v = r->shift < 0 ? *v : *v * ((int64_t)1 << r->shift);
	else
		*v &= ((int64_t)1 << -r->shift) - 1;
	return true;
}

static int add_rest(struct reader *r, int32_t f, bool all)
{
	const struct gpube_model *m = r->s->model;
	int status;

	if (m->functions[f].arity == 0 || (!all && r->shift >= 0))
		return GPUBE_OK;
	status = gpube__certificate_block(r->out);
	return status ? status
		      : add_table(r, m->functions[f].arity, gpube__scope(m, f), f, all, rest);
}

/* ---- clusters -------------------------------------------------------------------------------- */

static bool unary(const struct reader *r, int32_t i, int part, const int32_t *index, int64_t *v)
{
	const struct gpube_clusters *c = r->state;

	(void)part;
	return scaled(r, c->unary[i][*index], v);
}

static bool pair(const struct reader *r, int32_t p, int part, const int32_t *index, int64_t *v)
{
	const struct gpube_clusters *c = r->state;
	const struct gpube_pair *e = &c->pairs[p];

	(void)part;
	return scaled(r, e->t[index[0] * gpube__row(c, e->b) + index[1]], v);
}

static bool wide(const struct reader *r, int32_t w, int part, const int32_t *index, int64_t *v)
{
	const struct gpube_clusters *c = r->state;
	int64_t cell = 0;

	(void)part;
	for (int k = 0; k < c->wides[w].arity; k++)
		cell = cell * c->domain[c->wides[w].scope[k]] + index[k];
	return scaled(r, c->wides[w].t[cell], v);
}

static bool share(const struct reader *r, int32_t q, int part, const int32_t *index, int64_t *v)
{
	const struct gpube_clusters *c = r->state;
	const struct gpube_cluster *cluster = &c->clusters[q];
	int j = 1, e = part;
	int32_t t;

	while (e >= j)
		e -= j++;
	t = cluster->share[part][index[0] * gpube__row(c, cluster->v[j]) + index[1]];
	*v = t * ((int64_t)1 << (r->shift < 0 ? -r->shift : 0));
	return t != GPUBE__DEAD;
}

static int add_cluster(struct reader *r, const struct gpube_clusters *c, int32_t q)
{
	int status = gpube__certificate_block(r->out);

	for (int j = 1, e = 0; j < c->clusters[q].k; j++)
		for (int i = 0; i < j && !status; i++, e++) {
			int32_t scope[] = {c->clusters[q].v[i], c->clusters[q].v[j]};

			status = add_table(r, 2, scope, q, e, share);
		}
	return status;
}

static int add_clusters(struct reader *r)
{
	const struct gpube_clusters *c = r->state;
	int status = GPUBE_OK;

	for (int32_t i = 0; i < c->n && !status; i++)
		if (c->domain[i] != r->s->model->vars[i].domain)
			status = gpube__fail(
				c->ctx, GPUBE_ELIMIT, "the costs are too large for a certificate");
	for (int32_t i = 0; i < c->n && !status; i++)
		status = add_block(r, 1, &i, i, unary);
	for (int32_t p = 0; p < c->n_pairs && !status; p++) {
		int32_t scope[] = {c->pairs[p].a, c->pairs[p].b};

		if (c->pairs[p].t)
			status = add_block(r, 2, scope, p, pair);
	}
	for (int32_t w = 0; w < c->n_wides && !status; w++)
		status = add_block(r, c->wides[w].arity, c->wides[w].scope, w, wide);
	for (int32_t q = 0; q < c->n_clusters && !status; q++)
		if (c->clusters[q].k)
			status = add_cluster(r, c, q);
	for (int32_t f = 0; f < r->s->model->n_functions && !status; f++)
		status = add_rest(r, f, c->left_out[f]);
	return status;
}

/* ---- either ---------------------------------------------------------------------------------- */

static int open_reader(struct reader *r, struct gpube_certificate *out,
	const struct gpube_simplified *s, const void *state, int shift, int64_t constant)
{
	const struct gpube_model *m = s->model;

	*r = (struct reader){.out = out, .s = s, .state = state, .shift = shift};
	out->shift = shift < 0 ? 0 : shift;
	out->constant = gpube__constant_of(m) * ((int64_t)1 << out->shift) +
			constant * ((int64_t)1 << (shift < 0 ? -shift : 0));
	r->given = gpube__alloc(out->ctx, (uint64_t)m->n_vars, sizeof(*r->given));
	if (!r->given)
		return GPUBE_ENOMEM;
	for (int32_t i = 0; i < s->n_vars; i++)
		if (s->var[i] >= 0)
			r->given[s->var[i]] = i;
	return GPUBE_OK;
}

int gpube__certificate_of(struct gpube_certificate *out, const struct gpube_clusters *c,
	const struct gpube_simplified *s)
{
	struct reader r;
	int status = open_reader(&r, out, s, c, c->shift, c->constant);

	r.slack = GPUBE__SLACK_MAX;
	if (!status)
		status = add_clusters(&r);
	gpube__free(out->ctx, r.given);
	return status;
}

static bool joined(
	const struct reader *r, int32_t which, int part, const int32_t *index, int64_t *v)
{
	const struct gpube_joingraph *g = r->state;
	const struct gpube_join *j = &g->joins[which];
	int64_t cell = 0;

	(void)part;
	for (int k = 0; k < j->n_scope; k++)
		cell = cell * g->domain[j->scope[k]] + index[k];
	return scaled(r, j->t[cell], v);
}

/* That of the join graph, after the variables that are in no table. */
static int add_order(struct reader *r, const struct gpube_joingraph *g)
{
	struct gpube_certificate *c = r->out;
	int32_t n = 0;

	gpube__free(c->ctx, c->order);
	c->order = gpube__alloc(c->ctx, (uint64_t)c->n_vars + 1, sizeof(*c->order));
	if (!c->order)
		return GPUBE_ENOMEM;
	for (int32_t i = 0; i < c->n_vars; i++)
		if (r->s->var[i] < 0)
			c->order[n++] = i;
	for (int32_t p = 0; p < g->n; p++)
		c->order[n++] = r->given[g->order[p]];
	return GPUBE_OK;
}

int gpube__certificate_of_joins(struct gpube_certificate *out, const struct gpube_joingraph *g,
	const struct gpube_simplified *s)
{
	struct reader r;
	int32_t scope[GPUBE_MAX_DIMS];
	int status = open_reader(&r, out, s, g, g->shift, g->constant);

	r.slack = GPUBE__JOIN_MAX;
	if (!status)
		status = add_order(&r, g);
	for (int32_t j = 0; j < g->n_joins && !status; j++) {
		for (int k = 0; k < g->joins[j].n_scope; k++)
			scope[k] = g->order[g->joins[j].scope[k]];
		status = add_block(&r, g->joins[j].n_scope, scope, j, joined);
	}
	for (int32_t f = 0; f < s->model->n_functions && !status; f++)
		status = add_rest(&r, f, false);
	gpube__free(out->ctx, r.given);
	return status;
}
