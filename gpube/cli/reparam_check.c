/* reparam_check.c - see reparam_check.h. */
#include "gpube/cli/reparam_check.h"
#include "gpube/options/options.h"

#include <string.h>

enum { FEW = 20000, N_RANDOM = 5000, STEPS = 20 };

struct pair {
	const struct gpube_model *costs, *written;
	const struct gpube_written *means;
	const struct gpube_opts *opts;
	const struct gpube_solution *bounds;
	bool pruned;
};

/* Whether the written problem may leave it out. */
static bool may_go(const struct pair *p, int64_t cost)
{
	bool max = p->costs->direction == GPUBE_MAXIMISE;

	if (p->opts->has_cutoff && (max ? cost <= p->opts->cutoff : cost >= p->opts->cutoff))
		return true;
	return p->pruned && p->bounds->values &&
	       (max ? cost <= p->bounds->cost : cost >= p->bounds->cost);
}

static int compare(const struct pair *p, const int32_t *values)
{
	const struct gpube_model *m = p->costs, *w = p->written;
	__int128 given, got;
	int64_t cost, moved;
	int status = gpube_model_cost(&cost, m, values);

	for (int32_t i = 0; m->evidence && i < m->n_vars; i++)
		if (m->evidence[i] >= 0 && values[i] != m->evidence[i])
			cost = GPUBE_INF;
	if (!status)
		status = gpube_model_cost(&moved, w, values);
	if (status || (cost == GPUBE_INF && moved == GPUBE_INF))
		return status;
	if (cost != GPUBE_INF && moved == GPUBE_INF && may_go(p, cost))
		return GPUBE_OK;
	given = cost;
	got = (__int128)moved + p->means->offset;
	if (p->means->negated)
		got = -got;
	for (int k = m->scale; k < p->means->decimals; k++)
		given *= 10;
	if (cost != GPUBE_INF && moved != GPUBE_INF && given == got)
		return GPUBE_OK;
	return gpube__fail(m->ctx, GPUBE_EBUG,
		"internal error: an assignment costs %lld, and %lld in what was written; please "
		"report this",
		(long long)cost, (long long)moved);
}

/* The next assignment, the last variable fastest; false after the last. */
static bool next(int32_t *values, const struct gpube_model *m)
{
	for (int32_t i = m->n_vars - 1; i >= 0; i--) {
		if (++values[i] < m->vars[i].domain)
			return true;
		values[i] = 0;
	}
	return false;
}

static int compare_all(const struct pair *p, int32_t *values, int64_t *n)
{
	int status;

	memset(values, 0, (size_t)p->costs->n_vars * sizeof(*values));
	do {
		status = compare(p, values);
		++*n;
	} while (!status && next(values, p->costs));
	return status;
}

/*
 * Most random assignments of a problem with hard constraints are forbidden: half go from the best.
 */
static int compare_some(const struct pair *p, int32_t *values, uint64_t seed, int64_t *n)
{
	const struct gpube_model *m = p->costs;
	struct gpube_rng rng;
	int status = GPUBE_OK;

	gpube__rng_init(&rng, seed);
	for (int k = 0; k < N_RANDOM && !status; k++) {
		bool near = k % 2 && p->bounds->values;
		int32_t changes = near ? (int32_t)gpube__rng_below(&rng, STEPS) : m->n_vars;

		if (near)
			memcpy(values, p->bounds->values, (size_t)m->n_vars * sizeof(*values));
		for (int32_t c = 0; c < changes; c++) {
			int32_t i = near ? (int32_t)gpube__rng_below(&rng, (uint64_t)m->n_vars) : c;

			values[i] = (int32_t)gpube__rng_below(&rng, (uint64_t)m->vars[i].domain);
		}
		status = compare(p, values);
		++*n;
	}
	return status;
}

int reparam_check(struct reparam_check *out, const struct gpube_model *costs, const char *path,
	const struct gpube_opts *how, const struct gpube_opts *opts,
	const struct gpube_solution *bounds, bool pruned)
{
	struct gpube_ctx *ctx = costs->ctx;
	struct gpube_model *written = NULL;
	int32_t *values = gpube__alloc(ctx, (uint64_t)costs->n_vars, sizeof(*values));
	double assignments = 1;
	int status = values ? gpube_read(&written, ctx, path,
				      &(struct gpube_opts){.from = how->to, .evidence = ""})
			    : GPUBE_ENOMEM;

	*out = (struct reparam_check){0};
	if (!status && written->n_vars != costs->n_vars)
		status = gpube__fail(ctx, GPUBE_EBUG,
			"internal error: '%s' has %d variables, not %d", path, written->n_vars,
			costs->n_vars);
	for (int32_t i = 0; i < costs->n_vars && assignments <= FEW; i++)
		assignments *= costs->vars[i].domain;
	out->all = assignments <= FEW;
	if (!status) {
		struct pair p = {costs, written, how->written, opts, bounds, pruned};

		status = out->all ? compare_all(&p, values, &out->n_assignments)
				  : compare_some(&p, values, opts->seed, &out->n_assignments);
	}
	gpube_model_free(written);
	gpube__free(ctx, values);
	return status;
}
