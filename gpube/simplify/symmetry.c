/* symmetry.c - see symmetry.h. */
#include "gpube/simplify/symmetry.h"

#include <math.h>

#include "gpube/ir/dense.h"
#include "gpube/ir/graph.h"

/* ---- whether values may change places -------------------------------------------------------- */

/* Which permutations: all follow from these two. */
enum { SWAPPED, TURNED, N_PERMUTATIONS };

static int32_t permuted(int permutation, int32_t value, int32_t domain)
{
	if (permutation == TURNED)
		return (value + 1) % domain;
	return value < 2 ? 1 - value : value;
}

/* Where the cell of a table of 'arity' variables goes; both count the last variable fastest. */
static int64_t moved(int64_t cell, int arity, int32_t domain, int permutation)
{
	int64_t to = 0, stride = 1;

	for (int k = 0; k < arity; k++, cell /= domain, stride *= domain)
		to += stride * permuted(permutation, (int32_t)(cell % domain), domain);
	return to;
}

static bool is_invariant(const struct gpube_table *t, int32_t domain)
{
	if (t->sparse)
		return false; /* it is wide: not worth the search for each cell's image */
	for (int p = 0; p < N_PERMUTATIONS; p++)
		for (int64_t c = 0; c < t->n; c++)
			if (gpube__table_int(t, c) !=
				gpube__table_int(t, moved(c, t->arity, domain, p)))
				return false;
	return true;
}

/*
 * Components whose values go, and variables of one that lose some, at most: each is a pass over all
 * functions.
 */
enum { MOST_COMPONENTS = 100, MOST_CHOSEN = 100 };

struct symmetry {
	const struct gpube_model *m;
	int32_t n_components;
	/* domain: of a component's variables; 0: it is not symmetric */
	int32_t *component, *domain;
	/* of a variable: to others, to those that were chosen; -1: it was itself */
	int32_t *links, *taken;
};

static void find_symmetric(struct symmetry *y)
{
	const struct gpube_model *m = y->m;

	for (int32_t i = 0; i < m->n_vars; i++) {
		int32_t *d = &y->domain[y->component[i]];

		*d = *d < 0 || *d == m->vars[i].domain ? m->vars[i].domain : 0;
	}
	for (int32_t f = 0; f < m->n_functions; f++) {
		const int32_t *scope = gpube__scope(m, f);
		int32_t *d = m->functions[f].arity ? &y->domain[y->component[scope[0]]] : NULL;

		if (d && *d > 1 && !is_invariant(gpube__table(m, f), *d))
			*d = 0;
	}
}

/* ---- which variables lose values ------------------------------------------------------------- */

/* Each pair in a scope counts; arity is small where tables are dense. */
static void count_links(struct symmetry *y, int32_t chosen, int32_t *links)
{
	for (int32_t f = 0; f < y->m->n_functions; f++) {
		const int32_t *scope = gpube__scope(y->m, f);
		const int n = y->m->functions[f].arity;
		bool has = chosen < 0;

		for (int k = 0; k < n && !has; k++)
			has = scope[k] == chosen;
		for (int k = 0; k < n && has; k++)
			if (links[scope[k]] >= 0)
				links[scope[k]] += n > 1;
	}
}

/*
 * That of the component with most links to those that were chosen, then to others; -1: there is
 * none.
 */
static int32_t choose(const struct symmetry *y, int32_t component)
{
	int32_t best = -1;

	for (int32_t i = 0; i < y->m->n_vars; i++)
		if (y->component[i] == component && y->taken[i] >= 0 &&
			(best < 0 || y->taken[i] > y->taken[best] ||
				(y->taken[i] == y->taken[best] && y->links[i] > y->links[best])))
			best = i;
	return best;
}

static void restrict_component(struct symmetry *y, int32_t component, double *bits, int32_t *n_kept)
{
	const int32_t d = y->domain[component];

	for (int32_t k = 1; k < d && k <= MOST_CHOSEN; k++) {
		const int32_t i = choose(y, component);

		if (i < 0 || !y->links[i])
			break;
		n_kept[i] = k;
		*bits += log2((double)d / k);
		count_links(y, i, y->taken);
		y->taken[i] = -1;
	}
}

/* ---- the call -------------------------------------------------------------------------------- */

static int find(struct symmetry *y)
{
	const struct gpube_model *m = y->m;
	const uint64_t n = (uint64_t)m->n_vars;

	y->component = gpube__alloc(m->ctx, n, sizeof(*y->component));
	y->links = gpube__alloc_zero(m->ctx, n, sizeof(*y->links));
	y->taken = gpube__alloc_zero(m->ctx, n, sizeof(*y->taken));
	if (!y->component || !y->links || !y->taken)
		return GPUBE_ENOMEM;
	y->n_components = gpube__model_components(m, y->component);
	y->domain = gpube__alloc(m->ctx, (uint64_t)y->n_components, sizeof(*y->domain));
	if (!y->domain)
		return GPUBE_ENOMEM;
	for (int32_t c = 0; c < y->n_components; c++)
		y->domain[c] = -1;
	find_symmetric(y);
	return GPUBE_OK;
}

int gpube__find_symmetry(double *bits, int32_t *n_kept, const struct gpube_model *m)
{
	struct symmetry y = {.m = m};
	int status = find(&y);

	*bits = 0;
	for (int32_t i = 0; i < m->n_vars; i++)
		n_kept[i] = m->vars[i].domain;
	for (int32_t c = 0, n = 0; c < y.n_components && n < MOST_COMPONENTS && !status; c++) {
		if (y.domain[c] < 2)
			continue;
		if (!n++)
			count_links(&y, -1, y.links);
		restrict_component(&y, c, bits, n_kept);
	}
	GPUBE_FREE_ALL(m->ctx, y.component, y.domain, y.links, y.taken);
	return status;
}
