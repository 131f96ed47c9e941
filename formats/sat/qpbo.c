/*
 * qpbo.c - toulbar2's .qpbo: the quadratic form x' W x over binary variables.
 *
 *   N M
 *   i j W_ij            |M| lines, 1 <= i, j <= |N|
 *
 * N < 0: the values are 1 and -1, in that order, otherwise 0 and 1. M < 0: it is
 * maximised. W is symmetric and one half of it given, so that a term with i != j
 * counts twice. As in the program, a term with i == j is W_ii x_i, also where
 * the values are 1 and -1 and the form's own would be constant.
 *
 * toulbar2 rounds to seven decimals; here they are all kept.
 */
#include <math.h>
#include <string.h>

#include "formats/common/reading.h"
#include "formats/common/reals.h"
#include "formats/common/registry.h"

struct header {
	int64_t n_terms;
	bool spins; /* values 1 and -1 */
};

static int read_header(struct gpube_model *m, struct gpube_in *in, struct header *h)
{
	int64_t n, terms;

	if (gpube__in_int(in, &n, -INT32_MAX, INT32_MAX, "the number of variables") ||
		gpube__in_int(in, &terms, -INT32_MAX, INT32_MAX, "the number of coefficients"))
		return in->status;
	h->spins = n < 0;
	h->n_terms = terms < 0 ? -terms : terms;
	if (terms < 0)
		gpube_model_set_direction(m, GPUBE_MAXIMISE);
	return gpube__add_vars(m, in, n < 0 ? -n : n, 2);
}

static int read_term(struct gpube_model *m, struct gpube_in *in, bool spins)
{
	static const double bits[] = {0, 1}, signs[] = {1, -1};
	const double *x = spins ? signs : bits;
	int64_t i, j;
	int32_t scope[2];
	double w, *values;

	if (gpube__in_int(in, &i, 1, m->n_vars, "a variable") ||
		gpube__in_int(in, &j, 1, m->n_vars, "a variable") ||
		gpube__in_real(in, &w, "a coefficient"))
		return in->status;
	if (fabs(w) > 0x1p61)
		return gpube__in_fail(in, GPUBE_ERANGE, "a coefficient passes 2^61");
	scope[0] = (int32_t)i - 1;
	scope[1] = (int32_t)j - 1;
	values = gpube__alloc(m->ctx, i == j ? 2 : 4, sizeof(*values));
	if (!values)
		return in->status = GPUBE_ENOMEM;
	for (int a = 0; a < 2; a++) {
		if (i == j) {
			values[a] = w * x[a] + 0; /* no -0 */
			continue;
		}
		for (int b = 0; b < 2; b++)
			values[2 * a + b] = 2 * w * x[a] * x[b] + 0;
	}
	return in->status = gpube__reals_add(m, i == j ? 1 : 2, scope, values, NULL);
}

int gpube__qpbo_read(struct gpube_model *m, struct gpube_in *in)
{
	struct header h = {0};
	int status = read_header(m, in, &h);

	for (int64_t k = 0; k < h.n_terms && !status; k++)
		status = read_term(m, in, h.spins);
	return status ? status : gpube__reals_to_costs(m, in, 0, 0);
}
