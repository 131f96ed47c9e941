/* relations_init.c - relations of regions, and what is made of each: see relations.h. */
#include "gpube/relax/pairwise/relations.h"

#include <string.h>

#include "gpube/base/rows.h"

/* ---- relations ------------------------------------------------------------------------------- */

int gpube__relation_alloc(
	struct gpube_relations *l, struct gpube_relation_table *a, int32_t arity, int64_t n)
{
	a->arity = arity;
	a->n = n;
	a->scope = gpube__alloc(l->ctx, 2 * (uint64_t)arity + 1, sizeof(*a->scope));
	a->order = a->scope ? a->scope + arity : NULL;
	a->shift = gpube__alloc(l->ctx, (uint64_t)arity + 1, sizeof(*a->shift));
	a->set = gpube__alloc_zero(l->ctx, (uint64_t)l->words, sizeof(*a->set));
	a->key = gpube__alloc(l->ctx, (uint64_t)n + 1, sizeof(*a->key));
	a->cost = gpube__alloc(l->ctx, (uint64_t)n + 1, sizeof(*a->cost));
	return a->scope && a->shift && a->set && a->key && a->cost ? GPUBE_OK : GPUBE_ENOMEM;
}

bool gpube__relation_lay_out(const struct gpube_relations *l, struct gpube_relation_table *a)
{
	int shift = 0;

	for (int32_t k = 0; k < a->arity; k++) {
		a->order[k] = a->scope[k];
		gpube__bit_put(a->set, a->scope[k]);
		a->shift[k] = (uint8_t)shift;
		shift += l->bits[a->scope[k]];
		if (shift > 64)
			return false;
	}
	a->shift[a->arity] = (uint8_t)shift;
	return true;
}

struct gpube_relations *gpube__relations_alloc(
	struct gpube_ctx *ctx, int32_t n, const int32_t *domain)
{
	struct gpube_relations *l = gpube__alloc_zero(ctx, 1, sizeof(*l));

	if (!l)
		return NULL;
	l->ctx = ctx;
	l->n = n;
	l->words = n / 64 + 1;
	l->domain = gpube__alloc(ctx, (uint64_t)n + 1, sizeof(*l->domain));
	l->bits = gpube__alloc_zero(ctx, (uint64_t)n + 1, sizeof(*l->bits));
	l->value_at = gpube__alloc_zero(ctx, (uint64_t)n + 1, sizeof(*l->value_at));
	l->fixed = gpube__alloc(ctx, (uint64_t)n + 1, sizeof(*l->fixed));
	if (!l->domain || !l->bits || !l->value_at || !l->fixed) {
		gpube__relations_free(l);
		return NULL;
	}
	for (int32_t i = 0; i < n; i++) {
		l->domain[i] = domain[i];
		l->value_at[i + 1] = l->value_at[i] + domain[i];
		l->fixed[i] = -1;
		/* a domain of one value, too, so that no key is shifted by all its bits */
		l->bits[i] = 1;
		while ((int64_t)1 << l->bits[i] < domain[i])
			l->bits[i]++;
	}
	return l;
}

int gpube__relations_rows(const struct gpube_relations *l, int32_t **of, int32_t **of_at)
{
	int64_t total = 0;

	for (int32_t k = 0; k < l->n_relations; k++)
		total += l->relations[k].arity;
	*of = gpube__alloc(l->ctx, (uint64_t)total + 1, sizeof(**of));
	*of_at = gpube__alloc_zero(l->ctx, (uint64_t)l->n + 3, sizeof(**of_at));
	if (!*of || !*of_at)
		return GPUBE_ENOMEM;
	for (int32_t k = 0; k < l->n_relations; k++)
		for (int32_t v = 0; v < l->relations[k].arity; v++)
			GPUBE_ROW_COUNT(*of_at, l->relations[k].scope[v]);
	GPUBE_ROWS_BEGIN(*of_at, l->n);
	for (int32_t k = 0; k < l->n_relations; k++)
		for (int32_t v = 0; v < l->relations[k].arity; v++)
			(*of)[GPUBE_ROW_PLACE(*of_at, l->relations[k].scope[v])] = k;
	return GPUBE_OK;
}

/* ---- of regions ------------------------------------------------------------------------------ */

static int take_region(struct gpube_relations *l, struct gpube_relation_table *a,
	const struct gpube_pairwise *p, const struct gpube_region *of, const int32_t *cost,
	bool *fits)
{
	int32_t index[GPUBE__REGION_ARITY] = {0};
	const int32_t slack = gpube__relations_slack(l);
	int64_t n = 0;
	uint64_t key = 0;
	int status;

	for (int32_t c = 0; c < of->n_cells; c++)
		n += cost[c] < slack;
	status = gpube__relation_alloc(l, a, of->arity, n);
	if (status)
		return status;
	memcpy(a->scope, of->scope, (size_t)of->arity * sizeof(*a->scope));
	*fits = gpube__relation_lay_out(l, a);
	n = 0;
	for (int32_t c = 0; c < of->n_cells && *fits; c++) {
		if (cost[c] < slack) {
			a->key[n] = key;
			a->cost[n++] = cost[c];
		}
		for (int32_t k = of->arity - 1; k >= 0; k--) {
			if (++index[k] < p->domain[of->scope[k]]) {
				key += (uint64_t)1 << a->shift[k];
				break;
			}
			index[k] = 0;
			key &= ~((((uint64_t)1 << l->bits[of->scope[k]]) - 1) << a->shift[k]);
		}
	}
	return GPUBE_OK;
}

/* A separator's costs onto the cells of its first member. */
static void add_separator(
	const struct gpube_pairwise *p, const struct gpube_separator *b, int32_t *cells)
{
	const struct gpube_region_member *of = &p->members[b->member];

	gpube__project_add(&of->onto, cells + p->regions[of->region].at, cells + b->at,
		GPUBE__REGION_FORBIDDEN);
}

int gpube__relations_new(struct gpube_relations **out, const struct gpube_pairwise *p,
	const struct gpube_pairwise_state *s)
{
	struct gpube_relations *l = gpube__relations_alloc(p->ctx, p->n, p->domain);
	int32_t *cells = gpube__alloc(p->ctx, (uint64_t)p->n_cells + 1, sizeof(*cells));
	int status = l && cells ? GPUBE_OK : GPUBE_ENOMEM;
	bool fits = true;

	*out = NULL;
	if (!status) {
		memcpy(cells, s->cells, (size_t)p->n_cells * sizeof(*cells));
		for (int32_t k = 0; k < p->n_separators; k++)
			add_separator(p, &p->separators[k], cells);
		l->most = p->most_cells;
		l->shift = p->shift;
		l->state.constant = s->constant;
		l->state.target = s->target;
		l->relations = gpube__alloc_zero(
			p->ctx, (uint64_t)p->n_regions + 1, sizeof(*l->relations));
		status = l->relations ? GPUBE_OK : GPUBE_ENOMEM;
	}
	for (int32_t k = 0; k < p->n_regions && !status && fits; k++)
		status = take_region(l, &l->relations[l->n_relations++], p, &p->regions[k],
			cells + p->regions[k].at, &fits);
	gpube__free(p->ctx, cells);
	if (!status && fits)
		*out = l;
	else
		gpube__relations_free(l);
	return status;
}
