/*
 * infer_truth.h - sums and marginals of small models by enumeration, and a model with any number of
 * variables.
 */
#ifndef GPUBE_TESTS_INFER_TRUTH_H
#define GPUBE_TESTS_INFER_TRUTH_H

#include <math.h>

#include "gpube/sums.h"
#include "gpube/options/options.h"
#include "tests/support/context.h"
#include "tests/support/random_model.h"
#include "tests/support/test.h"
#include "tests/support/twofold.h"

enum { MOST_VALUES = 512 };

/* By enumeration. */
struct truth {
	/* of the values of all variables, one after another */
	struct twofold z, weight[MOST_VALUES];
};

static inline bool agrees(const struct gpube_model *m, const int32_t *values)
{
	for (int32_t i = 0; m->evidence && i < m->n_vars; i++)
		if (m->evidence[i] >= 0 && m->evidence[i] != values[i])
			return false;
	return true;
}

static inline struct twofold product(const struct gpube_model *m, const int32_t *values)
{
	struct twofold all = twofold_of(1);

	for (int32_t f = 0; f < m->n_functions; f++) {
		int32_t tuple[64], domains[64];
		int64_t at;

		for (int k = 0; k < m->functions[f].arity; k++) {
			tuple[k] = values[gpube__scope(m, f)[k]];
			domains[k] = m->vars[gpube__scope(m, f)[k]].domain;
		}
		at = gpube__table_find(gpube__table(m, f), domains, tuple);
		all = twofold_mul(all, at < 0 ? gpube__table(m, f)->dflt.f
					      : gpube__table_real(gpube__table(m, f), at));
	}
	return all;
}

static inline void enumerate(struct truth *t, const struct gpube_model *m)
{
	int32_t values[64] = {0};

	memset(t, 0, sizeof(*t));
	do {
		const struct twofold p = agrees(m, values) ? product(m, values) : twofold_of(0);
		int64_t at = 0;

		if (p.hi == 0)
			continue;
		t->z = twofold_add(t->z, p);
		for (int32_t i = 0; i < m->n_vars; i++) {
			t->weight[at + values[i]] = twofold_add(t->weight[at + values[i]], p);
			at += m->vars[i].domain;
		}
	} while (next_assignment(values, m));
}

static inline struct gpube_inference *infer(const struct gpube_model *m, struct gpube_opts opts)
{
	struct gpube_inference *out;

	if (gpube_infer(&out, m, &opts))
		fail_msg("%s", gpube_error(ctx));
	assert_true(out->known);
	return out;
}

/* Every marginal adds up to 1, observed variables are certain. */
static inline void check_sums(const struct gpube_model *m, const double *p)
{
	for (int32_t i = 0; i < m->n_vars; p += m->vars[i++].domain) {
		double all = 0;

		for (int32_t a = 0; a < m->vars[i].domain; a++)
			all += p[a];
		assert_true(fabs(all - 1) < 1e-12);
		if (m->evidence && m->evidence[i] >= 0)
			assert_true(p[m->evidence[i]] == 1);
	}
}

static inline void check(const struct gpube_model *m)
{
	struct truth t;
	struct gpube_inference *pr = infer(m, (struct gpube_opts){.task = GPUBE_INFER_PR}),
			       *mar = infer(m, (struct gpube_opts){.task = GPUBE_INFER_MAR});
	int64_t at = 0;

	enumerate(&t, m);
	assert_null(pr->marginals);
	/* the sum alone may be that of a smaller model */
	assert_true(pr->log10_z == mar->log10_z ||
		    fabs(pr->log10_z - mar->log10_z) <= 1e-12 + 4e-16 * fabs(mar->log10_z));
	assert_true(pr->relative_error < 1e-12);
	if (t.z.hi == 0) { /* no product is above 0 */
		assert_true(pr->log10_z == -INFINITY);
		assert_null(mar->marginals);
	} else {
		const double log10_z = twofold_log10(t.z);

		assert_true(fabs(pr->log10_z - log10_z) <= 1e-12 + 4e-16 * fabs(log10_z));
		for (int32_t i = 0; i < m->n_vars; at += m->vars[i++].domain)
			for (int32_t a = 0; a < m->vars[i].domain; a++) {
				const double p = twofold_ratio(t.weight[at + a], t.z);

				assert_true(fabs(mar->marginals[at + a] - p) <= 1e-12 * p + 1e-100);
			}
		check_sums(m, mar->marginals);
	}
	gpube_result_free(pr);
	gpube_result_free(mar);
}

/* A grid with weak ties. */
static inline struct gpube_model *grid(int32_t rows, int32_t columns)
{
	static const double tie[] = {3, 1, 1, 2};
	struct gpube_model *m;

	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_POTENTIALS), GPUBE_OK);
	for (int32_t i = 0; i < rows * columns; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), GPUBE_OK);
	for (int32_t i = 0; i < rows * columns; i++) {
		if ((i + 1) % columns)
			assert_int_equal(
				gpube_model_add_potentials(m, 2, (const int32_t[]){i, i + 1}, tie),
				GPUBE_OK);
		if (i + columns < rows * columns)
			assert_int_equal(gpube_model_add_potentials(
						 m, 2, (const int32_t[]){i, i + columns}, tie),
				GPUBE_OK);
	}
	return m;
}

#endif
