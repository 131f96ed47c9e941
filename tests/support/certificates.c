/* certificates.c - see certificates.h. */
#include "tests/support/certificates.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tests/support/context.h"
#include "tests/support/random_model.h"
#include "tests/support/test.h"

void certificate_tamper(
	int64_t *v, int64_t by, const struct gpube_certificate *c, const struct gpube_model *m)
{
	*v += by;
	assert_int_equal(gpube__certificate_check(c, m), GPUBE_EINVAL);
	*v -= by;
}

/* The model as tests/cli/check_certificate.py reads it: costs as they are stored. */
static void write_json(const struct gpube_model *m, const char *path)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fprintf(f, "{\"maximise\": %s, \"decimals\": %d, \"constant\": %" PRId64 ", \"domains\": [",
		m->direction == GPUBE_MAXIMISE ? "true" : "false", m->scale, m->constant);
	for (int32_t i = 0; i < m->n_vars; i++)
		fprintf(f, "%s%d", i ? ", " : "", (int)m->vars[i].domain);
	fprintf(f, "],\n\"functions\": [");
	for (int32_t k = 0; k < m->n_functions; k++) {
		int64_t n = gpube_model_cells(m, k);
		int64_t *costs = gpube__alloc(ctx, (uint64_t)n, sizeof(*costs));

		assert_int_equal(gpube_model_costs(costs, m, k), 0);
		fprintf(f, "%s{\"scope\": [", k ? ",\n" : "");
		for (int j = 0; j < m->functions[k].arity; j++)
			fprintf(f, "%s%d", j ? ", " : "", (int)gpube__scope(m, k)[j]);
		fprintf(f, "], \"costs\": [");
		for (int64_t c = 0; c < n; c++) {
			fprintf(f, "%s", c ? ", " : "");
			if (costs[c] == GPUBE_INF)
				fprintf(f, "null");
			else
				fprintf(f, "%" PRId64, costs[c]);
		}
		fprintf(f, "]}");
		gpube__free(ctx, costs);
	}
	fprintf(f, "]}\n");
	assert_int_equal(fclose(f), 0);
}

void certificate_keep(const struct gpube_certificate *c, const struct gpube_model *m, uint64_t seed)
{
	const char *to = getenv("GPUBE_CERTIFICATES");
	char path[400];

	if (!to)
		return;
	snprintf(path, sizeof(path), "%s/%d.cert", to, (int)seed);
	assert_int_equal(gpube__certificate_write(c, path), 0);
	snprintf(path, sizeof(path), "%s/%d.json", to, (int)seed);
	write_json(m, path);
}

struct gpube_model *all_pairs(struct gpube_ctx *c, uint64_t seed)
{
	const int32_t n = seed % 3 ? 14 : 9, domain = seed % 3 ? 2 : 3;
	const int64_t most = seed % 4 ? 20 : 1000000000;
	struct gpube_model *m;
	struct gpube_rng rng;

	gpube__rng_init(&rng, seed);
	assert_int_equal(gpube_model_new(&m, c, GPUBE_COSTS), 0);
	for (int32_t i = 0; i < n; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, domain, NULL), 0);
	for (int32_t i = 0; i < n; i++)
		for (int32_t j = 0; j < i; j++) {
			int64_t costs[9];

			for (int k = 0; k < domain * domain; k++) {
				costs[k] =
					(int64_t)gpube__rng_below(&rng, (uint64_t)most) - most / 2;
				if (seed % 5 == 0 && gpube__rng_below(&rng, 20) == 0)
					costs[k] = GPUBE_INF;
			}
			assert_int_equal(gpube_model_add_costs(m, 2, (int32_t[]){i, j}, costs), 0);
		}
	if (seed % 2)
		assert_int_equal(gpube_model_set_direction(m, GPUBE_MAXIMISE), 0);
	return m;
}
