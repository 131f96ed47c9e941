/* compare_games.c - whether two games have the same payoffs; see compare.h. */
#include <string.h>

#include "formats/compare/compare.h"
#include "gpube/ir/payoffs.h"

static bool same(const struct gpube_rational *a, const struct gpube_rational *b)
{
	return a->num == b->num && a->den == b->den && (a->den || strcmp(a->text, b->text) == 0);
}

int gpube__compare_games(
	struct gpube_compared *counts, const struct gpube_model *m, const struct gpube_model *again)
{
	for (int32_t p = 0; p < m->n_vars; p++) {
		const struct gpube_table *t = gpube__table(m, p), *u = gpube__table(again, p);

		for (int64_t k = 0; k < t->n; k++) {
			const struct gpube_rational a = gpube__table_rational(t, k);
			const struct gpube_rational b = gpube__table_rational(u, k);

			if (!same(&a, &b))
				return gpube__fail(m->ctx, GPUBE_EBUG,
					"player %d gets something else in profile %lld", p + 1,
					(long long)k);
		}
		counts->n_cells += t->n;
	}
	counts->n_functions = m->n_vars;
	return GPUBE_OK;
}
