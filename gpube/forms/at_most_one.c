/* at_most_one.c - see at_most_one.h: the rows, as readers make tables of them. */
#include <string.h>

#include "gpube/forms/at_most_one.h"

enum { MOST_DENSE = 30 }; /* variables of a table that lists what it forbids */

static bool binary(const struct gpube_model *m, int32_t f)
{
	for (int k = 0; k < m->functions[f].arity; k++)
		if (m->vars[gpube__scope(m, f)[k]].domain != 2)
			return false;
	return true;
}

static int n_ones(const struct gpube_table *t, int64_t k)
{
	int n = 0;

	if (!t->sparse)
		return __builtin_popcountll((unsigned long long)k);
	for (int i = 0; i < t->arity; i++)
		n += t->tuples[k * t->arity + i] != 0;
	return n;
}

bool gpube__at_most_one(const struct gpube_model *m, int32_t f, int64_t *even)
{
	const struct gpube_table *t = gpube__table(m, f);
	int64_t n[2] = {0, 0}; /* cells that are held: allowed ones, forbidden ones */
	bool first = true;

	if (!binary(m, f) ||
		t->arity > (t->sparse && t->dflt.i == GPUBE_INF ? INT32_MAX : MOST_DENSE))
		return false;
	if (t->sparse && t->dflt.i != GPUBE_INF) {
		*even = t->dflt.i;
		first = false;
	}
	for (int64_t k = 0; k < t->n; k++) {
		const int64_t cost = gpube__table_int(t, k);

		if ((cost == GPUBE_INF) != (n_ones(t, k) > 1))
			return false;
		n[cost == GPUBE_INF]++;
		if (cost == GPUBE_INF)
			continue;
		if (!first && cost != *even)
			return false;
		*even = cost;
		first = false;
	}
	/* none of those that are to be there, and to be missing, is the default's */
	if (!t->sparse || t->dflt.i == GPUBE_INF)
		return n[0] == (int64_t)t->arity + 1;
	return n[1] == ((int64_t)1 << t->arity) - t->arity - 1;
}
