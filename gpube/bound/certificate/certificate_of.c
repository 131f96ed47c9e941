/* certificate_of.c - a certificate of an ascent's state on a relaxed problem: see certificate.h. */
#include "gpube/bound/certificate/certificate.h"
#include "gpube/ir/dense.h"
#include "gpube/relax/clusters.h"
#include "gpube/relax/joingraph.h"
#include "gpube/simplify/narrow.h"
#include "gpube/simplify/simplify.h"

struct reader {
	struct gpube_certificate *out;
	const struct gpube_simplified *s;
	int32_t *given; /* of each simplified variable */
	int shift;
	int64_t factor; /* of the ascent's numbers */
};

/*
 * A table's numbers, those from 'most' on dead, which have none: an ascent's, or costs; or, of wide
 * ones, what each has of the part that a number holds.
 */
struct cells {
	const int32_t *t;
	const int64_t *costs;
	const __int128 *wide;
	int part;
	int64_t row; /* of a pair: what its first variable's values are apart; 0: as they lie */
	int64_t most, factor;
};

/* ---- a table --------------------------------------------------------------------------------- */

/* Where scope[k] is among the given variables, and what a value of each of these is in 'cells'. */
static void sort_scope(const struct reader *r, int arity, const int32_t *scope, int64_t row,
	int32_t *sorted, int64_t *step)
{
	int64_t stride = 1;

	for (int k = arity - 1, n = 0; k >= 0; k--, n++) { /* insertion: ascending */
		const int32_t var = r->given[scope[k]];
		int j = n;

		for (; j > 0 && sorted[j - 1] > var; j--) {
			sorted[j] = sorted[j - 1];
			step[j] = step[j - 1];
		}
		sorted[j] = var;
		step[j] = row && k == 0 ? row : stride;
		stride *= r->out->domain[var];
	}
}

static int64_t number_of(const struct cells *from, int64_t at)
{
	__int128 left;

	if (!from->wide)
		return from->t ? from->t[at] : from->costs[at];
	left = from->wide[at] - (__int128)from->part * INT64_MAX;
	return (int64_t)(left < 0 ? 0 : left < INT64_MAX ? left : INT64_MAX);
}

/* Adds a table to the last block: the scope is of simplified variables, in any order. */
static int add_table(struct reader *r, int arity, const int32_t *scope, const struct cells *from)
{
	int32_t sorted[GPUBE__PROOF_DIMS] = {0}, index[GPUBE__PROOF_DIMS] = {0};
	int64_t step[GPUBE__PROOF_DIMS] = {0}, *values, at = 0, cell = 0;
	int status, k;

	if (arity > GPUBE__PROOF_DIMS)
		return gpube__fail(
			r->out->ctx, GPUBE_ELIMIT, "a table of a certificate is too wide");
	sort_scope(r, arity, scope, from->row, sorted, step);
	status = gpube__certificate_table(r->out, arity, sorted, &values);
	if (status)
		return status;
	do {
		const int64_t v = number_of(from, at);

		if (!from->wide && v >= from->most)
			return gpube__fail(r->out->ctx, GPUBE_ELIMIT,
				"the costs are too large for a certificate");
		values[cell++] = v * from->factor;
		for (k = arity - 1; k >= 0; k--) {
			at += step[k];
			if (++index[k] < r->out->domain[sorted[k]])
				break;
			at -= step[k] * index[k];
			index[k] = 0;
		}
	} while (k >= 0);
	return GPUBE_OK;
}

/* An ascent's table. */
static int add_block(struct reader *r, int arity, const int32_t *scope, const int32_t *t,
	int64_t row, int64_t most)
{
	const struct cells from = {.t = t, .row = row, .most = most, .factor = r->factor};
	const int status = gpube__certificate_block(r->out);

	return status ? status : add_table(r, arity, scope, &from);
}

/* What rounding down left of a function, or all of it. */
static int add_rest(struct reader *r, int32_t f, bool all)
{
	const struct gpube_model *m = r->s->model;
	const int arity = m->functions[f].arity;
	const int64_t n = gpube__cells(m, arity, gpube__scope(m, f));
	struct cells from = {.most = GPUBE_INF, .factor = 1};
	int64_t *costs;
	int status;

	if (arity == 0 || (!all && r->shift >= 0))
		return GPUBE_OK;
	if (n < 0 || n > GPUBE__PROOF_CELLS)
		return gpube__fail(
			r->out->ctx, GPUBE_ELIMIT, "a table of a certificate is too large");
	costs = gpube__alloc(r->out->ctx, (uint64_t)n, sizeof(*costs));
	status = costs ? gpube__dense(costs, m, f, NULL) : GPUBE_ENOMEM;
	for (int64_t k = 0; k < n && !status && !all; k++)
		costs[k] = costs[k] == GPUBE_INF ? GPUBE_INF
						 : costs[k] & (((int64_t)1 << -r->shift) - 1);
	if (all && r->shift > 0)
		from.factor = (int64_t)1 << r->shift;
	from.costs = costs;
	if (!status)
		status = gpube__certificate_block(r->out);
	if (!status)
		status = add_table(r, arity, gpube__scope(m, f), &from);
	gpube__free(r->out->ctx, costs);
	return status;
}

/* ---- clusters -------------------------------------------------------------------------------- */

static int add_cluster(
	struct reader *r, const struct gpube_clusters *c, const struct gpube_cluster *q)
{
	int status = gpube__certificate_block(r->out);

	for (int j = 1, e = 0; j < q->k; j++)
		for (int i = 0; i < j && !status; i++, e++) {
			const struct cells from = {.t = q->addend[e],
				.row = gpube__row(c, q->v[j]),
				.most = GPUBE__DEAD,
				.factor = r->factor};

			status = add_table(r, 2, (int32_t[]){q->v[i], q->v[j]}, &from);
		}
	return status;
}

static int add_clusters(struct reader *r, const struct gpube_clusters *c)
{
	const int64_t most = GPUBE__SLACK_MAX;
	int status = GPUBE_OK;

	for (int32_t i = 0; i < c->n && !status; i++)
		if (c->domain[i] != r->s->model->vars[i].domain)
			status = gpube__fail(
				c->ctx, GPUBE_ELIMIT, "the costs are too large for a certificate");
	for (int32_t i = 0; i < c->n && !status; i++)
		status = add_block(r, 1, &i, c->unary[i], 0, most);
	for (int32_t p = 0; p < c->n_pairs && !status; p++) {
		const struct gpube_pair *e = &c->pairs[p];

		if (e->t)
			status = add_block(
				r, 2, (int32_t[]){e->a, e->b}, e->t, gpube__row(c, e->b), most);
	}
	for (int32_t w = 0; w < c->n_wides && !status; w++)
		status = add_block(r, c->wides[w].arity, c->wides[w].scope, c->wides[w].t, 0, most);
	for (int32_t q = 0; q < c->n_clusters && !status; q++)
		if (c->clusters[q].k)
			status = add_cluster(r, c, &c->clusters[q]);
	for (int32_t f = 0; f < r->s->model->n_functions && !status; f++)
		status = add_rest(r, f, c->left_out[f]);
	return status;
}

/* ---- either ---------------------------------------------------------------------------------- */

static int open_reader(struct reader *r, struct gpube_certificate *out,
	const struct gpube_simplified *s, int shift, int64_t constant)
{
	const struct gpube_model *m = s->model;

	*r = (struct reader){.out = out,
		.s = s,
		.shift = shift,
		.factor = (int64_t)1 << (shift < 0 ? -shift : 0)};
	out->shift = shift < 0 ? 0 : shift;
	out->constant = gpube__constant_of(m) * ((int64_t)1 << out->shift) + constant * r->factor;
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
	int status = open_reader(&r, out, s, c->shift, c->constant);

	if (!status)
		status = add_clusters(&r, c);
	gpube__free(out->ctx, r.given);
	return status;
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
	int status = open_reader(&r, out, s, g->shift, g->constant);

	if (!status)
		status = add_order(&r, g);
	for (int32_t j = 0; j < g->n_joins && !status; j++) {
		const struct gpube_join *join = &g->joins[j];

		for (int k = 0; k < join->n_scope; k++)
			scope[k] = g->order[join->scope[k]];
		status = add_block(&r, join->n_scope, scope, join->t, 0, GPUBE__REGION_MOST);
	}
	for (int32_t f = 0; f < s->model->n_functions && !status; f++)
		status = add_rest(&r, f, false);
	gpube__free(out->ctx, r.given);
	return status;
}

int gpube__certificate_of_regrets(
	struct gpube_certificate *out, const struct gpube__regrets *regrets, int64_t constant)
{
	int32_t *given = gpube__alloc(out->ctx, (uint64_t)out->n_vars, sizeof(*given));
	struct reader r = {.out = out, .given = given};
	int status = given ? GPUBE_OK : GPUBE_ENOMEM;

	out->constant = constant;
	for (int32_t i = 0; i < out->n_vars && given; i++)
		given[i] = i;
	for (int32_t k = 0; k < regrets->n && !status; k++) {
		const struct gpube__regret_table *t = &regrets->tables[k];
		struct cells from = {.wide = t->cost, .factor = 1};
		__int128 most = 0;

		for (int64_t cell = 0; cell < t->cells; cell++)
			most = t->cost[cell] > most ? t->cost[cell] : most;
		if (most > 0)
			status = gpube__certificate_block(out);
		for (; !status && most > (__int128)from.part * INT64_MAX; from.part++)
			status = add_table(&r, t->n, t->scope, &from);
	}
	gpube__free(out->ctx, given);
	return status;
}
