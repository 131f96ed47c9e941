/*
 * The dual ascent: after every pass, with and without triangles, each assignment
 * below the limit costs in the reparametrised tables exactly what it did, so that the
 * constant is a bound; the loops for one machine do what the portable ones do.
 */
#include "tests/support/test.h"

#include "gpube/relax/clusters.h"
#include "gpube/simplify/simplify.h"
#include "gpube/ir/dense.h"
#include "gpube/bound/reparam.h"
#include "tests/support/bounded.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/random_model.h"

enum { N_SEEDS = 200, N_KERNELS = 60, N_PASSES = 7 };

/* The index of a value among the live ones, or -1. */
static int32_t live_index(const struct gpube_clusters *c, int32_t i, int32_t value)
{
	for (int32_t x = 0; x < c->domain[i]; x++)
		if (c->value[i][x] == value)
			return x;
	return -1;
}

/* The total of an assignment, in scaled costs, from the tables; -1 if one of its cells is dead. */
static int64_t tables_cost(const void *state, const int32_t *values)
{
	const struct gpube_clusters *c = state;
	int64_t sum = c->constant;
	int32_t slack = gpube__slack(c);

	for (int32_t i = 0; i < c->n; i++) {
		int32_t x = live_index(c, i, values[i]);

		if (x < 0 || c->unary[i][x] >= slack)
			return -1;
		sum += c->unary[i][x];
	}
	for (int32_t p = 0; p < c->n_pairs; p++) {
		const struct gpube_pair *e = &c->pairs[p];
		int32_t t = !e->t ? 0
				  : e->t[live_index(c, e->a, values[e->a]) * gpube__row(c, e->b) +
					    live_index(c, e->b, values[e->b])];

		if (t >= slack)
			return -1;
		sum += t;
	}
	for (int32_t w = 0; w < c->n_wides; w++) {
		int64_t cell = 0;

		for (int32_t k = 0; k < c->wides[w].arity; k++) {
			int32_t i = c->wides[w].scope[k];

			cell = cell * c->domain[i] + live_index(c, i, values[i]);
		}
		if (c->wides[w].t[cell] >= slack)
			return -1;
		sum += c->wides[w].t[cell];
	}
	for (int32_t q = 0; q < c->n_clusters; q++)
		for (int j = 1; j < c->clusters[q].k; j++)
			for (int i = 0; i < j; i++) {
				int32_t a = c->clusters[q].v[i], b = c->clusters[q].v[j];
				int32_t t = c->clusters[q].addend[gpube__addend(
					i, j)][live_index(c, a, values[a]) * gpube__row(c, b) +
					       live_index(c, b, values[b])];

				if (t == GPUBE__DEAD)
					return -1;
				sum += t;
			}
	return sum;
}

static void check_costs(const struct gpube_clusters *c, const struct gpube_model *m, int64_t limit)
{
	const int64_t optimum =
		check_scaled_costs(m, limit, c->shift, c->constant >= c->target, tables_cost, c);

	assert_true(gpube__clusters_bound(c, m, limit) <= optimum);
}

static void climb(const struct gpube_model *m, int64_t limit, bool triangles, const int32_t *order,
	int64_t optimum)
{
	struct gpube_clusters c;
	int64_t before = 0;

	assert_int_equal(gpube__clusters_init(&c, m, limit, GPUBE__MOST_SHIFT), 0);
	check_costs(&c, m, limit);
	if (triangles)
		assert_int_equal(gpube__clusters_add(&c, order, 1e8), 0);
	for (int pass = 0; pass < N_PASSES && c.constant < c.target; pass++) {
		gpube__clusters_pass(&c, pass % 2);
		assert_true(c.constant >= before);
		before = c.constant;
		check_costs(&c, m, limit);
		if (pass % 3 == 2 && c.constant < c.target) {
			gpube__clusters_compact(&c);
			check_costs(&c, m, limit);
		}
		if (pass == 4 && optimum != GPUBE_INF && optimum + 1 < limit) {
			limit = optimum + 1;
			gpube__clusters_cutoff(&c, m, limit);
		}
		if (pass == 5 && c.constant < c.target) /* beside those that are there */
			assert_int_equal(gpube__clusters_add(&c, order, 1e8), 0);
	}
	gpube__clusters_clear(&c);
}

static void invariant(void **state)
{
	uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct random_spec spec = random_spec_varied(seed, GPUBE_COSTS);
	struct bounded b;

	if (seed % 4 == 0) { /* what triangles are for: dense graphs of pairs */
		spec = random_spec_default();
		spec.min_arity = spec.max_arity = 2;
		spec.n_functions = 14;
		spec.max_domain = 3 + (int)(seed % 3);
		spec.min_domain = 2;
	}
	ctx->n_threads = 1 + (seed % 16 == 0);
	if (bounded_init(&b, spec, seed)) {
		const struct gpube_model *m = b.s.model;
		int32_t *order = gpube__alloc(ctx, (uint64_t)m->n_vars, sizeof(*order));

		for (int32_t i = 0; i < m->n_vars; i++)
			order[i] = i;
		for (int triangles = 0; triangles < 2; triangles++) {
			climb(m, m->top, triangles, NULL, b.optimum);
			climb(m, m->top, triangles, order, b.optimum);
			if (b.optimum == GPUBE_INF)
				continue;
			climb(m, b.optimum + 1, triangles, order, b.optimum);
			climb(m, b.optimum + 5, triangles, NULL, b.optimum);
			climb(m, b.optimum, triangles, NULL, b.optimum);
		}
		gpube__free(ctx, order);
	}
	bounded_clear(&b);
}

/*
 * Below the limit every assignment costs the same in the reparametrised model; from it on, it is
 * out.
 */
static void check_shifted(const struct gpube_reparametrised *reparam, const struct gpube_model *m,
	int64_t limit, int32_t *values)
{
	memset(values, 0, (size_t)m->n_vars * sizeof(*values));
	do {
		int64_t cost, moved;

		assert_int_equal(gpube_model_cost(&cost, m, values), 0);
		assert_int_equal(gpube_model_cost(&moved, reparam->model, values), 0);
		if (cost != GPUBE_INF && reparam->negated)
			cost = -cost;
		if (cost < limit)
			assert_true(moved == cost * ((int64_t)1 << reparam->shift));
		else
			assert_true(moved == GPUBE_INF);
	} while (next_assignment(values, m));
	for (int32_t f = 0; f < reparam->model->n_functions; f++)
		for (int64_t k = 0; k < gpube__table(reparam->model, f)->n; k++)
			assert_true(gpube__table_int(gpube__table(reparam->model, f), k) >= 0);
}

static void shift_model(const struct gpube_model *m, const struct gpube_simplified *s,
	int64_t limit, bool triangles, uint64_t seed)
{
	struct gpube_clusters c;
	struct gpube_reparametrised reparam;
	int32_t *values = gpube__alloc(ctx, (uint64_t)m->n_vars, sizeof(*values));

	if (seed % 5 == 0) /* no room: functions are left out */
		ctx->memory_bytes = 600;
	assert_int_equal(gpube__clusters_init(&c, s->model, limit, GPUBE__MOST_SHIFT), 0);
	ctx->memory_bytes = (uint64_t)1 << 28;
	if (triangles)
		assert_int_equal(gpube__clusters_add(&c, NULL, 1e8), 0);
	for (int pass = 0; pass < 4 && c.constant < c.target; pass++) {
		gpube__clusters_pass(&c, pass % 2);
		if (pass % 2 && c.constant < c.target)
			gpube__clusters_compact(&c);
	}
	if (c.constant < c.target) {
		assert_int_equal(gpube__reparam_of(&reparam, &c, s, m, limit), 0);
		assert_int_equal(reparam.model->n_vars, m->n_vars);
		check_shifted(&reparam, m, limit, values);
		gpube__reparam_clear(&reparam);
	}
	gpube__clusters_clear(&c);
	gpube__free(ctx, values);
}

static void shifted_model(void **state)
{
	uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct random_spec spec = random_spec_varied(seed, GPUBE_COSTS);
	struct bounded b;

	spec.observed = 0;
	if (bounded_init(&b, spec, seed))
		for (int triangles = 0; triangles < 2; triangles++) {
			shift_model(b.given, &b.s, b.s.model->top, triangles, seed);
			if (b.optimum < GPUBE_INF)
				shift_model(b.given, &b.s, b.optimum + 1 + (int64_t)(seed % 9),
					triangles, seed);
		}
	bounded_clear(&b);
}

/* A triangle of disequalities on two values: 0 by pairs, 1 by the triangle. */
static void odd_cycle(void **state)
{
	const int64_t equal[] = {1, 0, 0, 1};
	struct gpube_clusters c;
	struct gpube_model *m;

	(void)state;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), 0);
	for (int i = 0; i < 3; i++)
		assert_int_equal(
			gpube_model_add_costs(m, 2, (int32_t[]){i, (i + 1) % 3}, equal), 0);
	for (int largest = 2; largest <= 3; largest++) {
		assert_int_equal(gpube__clusters_init(&c, m, GPUBE_INF, GPUBE__MOST_SHIFT), 0);
		if (largest == 3)
			assert_int_equal(gpube__clusters_add(&c, NULL, 1e6), 0);
		for (int pass = 0; pass < 20; pass++)
			gpube__clusters_pass(&c, pass % 2);
		assert_int_equal(gpube__clusters_bound(&c, m, GPUBE_INF), largest == 3);
		gpube__clusters_clear(&c);
	}
	gpube_model_free(m);
}

/* ---- the loops ------------------------------------------------------------------------ */

static int32_t random_cost(struct gpube_rng *rng, int64_t low, int64_t high)
{
	if (gpube__rng_below(rng, 9) == 0)
		return GPUBE__DEAD;
	return (int32_t)(low + (int64_t)gpube__rng_below(rng, (uint64_t)(high - low + 1)));
}

/* Those that this machine runs, and among them those for older ones. */
static const struct gpube_ascent_kernels *kernels_of(uint64_t seed)
{
#if defined(__x86_64__)
	if (seed % 2 && __builtin_cpu_supports("avx2"))
		return &gpube__ascent_avx2;
#endif
	(void)seed;
	return gpube__ascent_kernels();
}

static void kernels_agree(void **state)
{
	const struct gpube_ascent_kernels *fast = kernels_of((uint64_t)(uintptr_t)*state),
					  *plain = &gpube__ascent_portable;
	uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct gpube_rng rng;
	int32_t rows, inner, cols, slack, x[48 * 48], y[48 * 48], out[2][48 * 48];
	int32_t table[2][48 * 48], addend[2][48 * 48];
	int64_t n;

	gpube__rng_init(&rng, seed);
	rows = 1 + (int32_t)gpube__rng_below(&rng, 48);
	inner = 1 + (int32_t)gpube__rng_below(&rng, 48);
	cols = 8 * (1 + (int32_t)gpube__rng_below(&rng, 6));
	slack = 1 + (int32_t)gpube__rng_below(&rng, GPUBE__SLACK_MAX);
	n = (int64_t)rows * cols;
	for (int k = 0; k < 48 * 48; k++) {
		x[k] = random_cost(&rng, -GPUBE__ADDEND_MAX, GPUBE__ADDEND_MAX);
		y[k] = random_cost(&rng, -GPUBE__ADDEND_MAX, GPUBE__ADDEND_MAX);
		table[0][k] = table[1][k] = random_cost(&rng, 0, slack - 1);
		addend[0][k] = addend[1][k] =
			random_cost(&rng, -GPUBE__ADDEND_MAX, GPUBE__ADDEND_MAX);
	}
	for (int turned = 0; turned < 2; turned++) {
		int64_t x_row = turned ? 1 : 48, x_col = turned ? 48 : 1;

		fast->min_plus(out[0], cols, rows, x, x_row, x_col, inner, y, cols, cols);
		plain->min_plus(out[1], cols, rows, x, x_row, x_col, inner, y, cols, cols);
		assert_memory_equal(out[0], out[1], (size_t)n * sizeof(int32_t));
	}
	for (int part = GPUBE_PART_ALL; part <= GPUBE_PART_THIRD; part++) {
		const struct gpube_ascent_kernels *k[] = {fast, plain};

		for (int64_t i = 0; i < n; i++) /* as the ascent keeps it: addend + rest >= 0 */
			if (out[0][i] + addend[0][i] < 0)
				out[0][i] = out[1][i] = -addend[0][i] + (int32_t)(i % 100);
		for (int j = 0; j < 2; j++) {
			k[j]->give(table[j], addend[j], out[0], n, slack, (enum gpube_part)part);
			k[j]->pull(table[j], addend[j], n, slack);
		}
		assert_memory_equal(table[0], table[1], (size_t)n * sizeof(int32_t));
		assert_memory_equal(addend[0], addend[1], (size_t)n * sizeof(int32_t));
		for (int64_t i = 0; i < n; i++) {
			assert_true(addend[0][i] == GPUBE__DEAD ||
				    (addend[0][i] >= -GPUBE__ADDEND_MAX &&
					    addend[0][i] <= GPUBE__ADDEND_MAX));
			assert_true(table[0][i] == GPUBE__DEAD ||
				    (table[0][i] >= 0 && table[0][i] < slack));
		}
	}
}

/* Rows of 64-bit tables: the least of columns less what was taken. */
static void least_rows_agree(void **state)
{
	enum { MOST = 40 };
	uint64_t seed = (uint64_t)(uintptr_t)*state;
	const struct gpube_ascent_kernels *kernels[] = {kernels_of(seed), &gpube__ascent_portable};
	int64_t t[MOST * MOST + 7], less[MOST], out[2][MOST + 7], least;
	int32_t rows, stride, cols, n_rows = 0, row[MOST];
	struct gpube_rng rng;

	gpube__rng_init(&rng, seed);
	rows = 1 + (int32_t)gpube__rng_below(&rng, MOST);
	stride = 1 + (int32_t)gpube__rng_below(&rng, MOST);
	cols = 1 + (int32_t)gpube__rng_below(&rng, (uint64_t)stride);
	for (int k = 0; k < MOST * MOST + 7; k++)
		t[k] = (int64_t)gpube__rng_below(&rng, (uint64_t)1 << (seed % 2 ? 60 : 10));
	for (int k = 0; k < MOST; k++)
		less[k] = (int64_t)gpube__rng_below(&rng, (uint64_t)1 << 58) - ((int64_t)1 << 57);
	for (int32_t r = rows - 1; r >= 0; r--)
		if (n_rows == 0 || gpube__rng_below(&rng, 3))
			row[n_rows++] = r;
	for (int k = 0; k < 2; k++)
		kernels[k]->least_in_columns(out[k], t, stride, cols, row, n_rows, less);
	for (int32_t c = 0; c < cols; c++) {
		least = INT64_MAX;
		for (int32_t r = 0; r < n_rows; r++)
			least = t[row[r] * stride + c] - less[row[r]] < least
					? t[row[r] * stride + c] - less[row[r]]
					: least;
		assert_true(out[0][c] == least && out[1][c] == least);
	}
}

/* The same in 32 bits: with forbidden cells, and columns of which all cells are. */
static void narrow_rows_agree(void **state)
{
	enum { MOST = 72 };
	uint64_t seed = (uint64_t)(uintptr_t)*state;
	const struct gpube_ascent_kernels *kernels[] = {kernels_of(seed), &gpube__ascent_portable};
	const int64_t most = GPUBE__NARROW_MOST;
	int64_t less[MOST], out[2][MOST + 7];
	int32_t t[MOST * MOST + 7], rows, stride, cols, n_rows = 0, row[MOST];
	struct gpube_rng rng;

	gpube__rng_init(&rng, seed);
	rows = 1 + (int32_t)gpube__rng_below(&rng, MOST);
	stride = 1 + (int32_t)gpube__rng_below(&rng, MOST);
	cols = 1 + (int32_t)gpube__rng_below(&rng, (uint64_t)stride);
	for (int k = 0; k < MOST * MOST + 7; k++)
		t[k] = gpube__rng_below(&rng, 3) ? GPUBE__NARROW_FORBIDDEN
						 : (int32_t)gpube__rng_below(&rng, (uint64_t)most);
	for (int k = 0; k < MOST; k++) /* as much was moved as may be, and the values cost that */
		less[k] = (int64_t)gpube__rng_below(&rng, (uint64_t)(3 * most)) - 2 * most;
	for (int32_t r = rows - 1; r >= 0; r--)
		if (n_rows == 0 || gpube__rng_below(&rng, 8) == 0)
			row[n_rows++] = r;
	for (int k = 0; k < 2; k++)
		kernels[k]->least_in_narrow(out[k], t, stride, cols, row, n_rows, less);
	for (int32_t c = 0; c < cols; c++) {
		int64_t least = GPUBE__ROW_FORBIDDEN;

		for (int32_t r = 0; r < n_rows; r++) {
			const int64_t cell = t[row[r] * stride + c];

			if (cell < GPUBE__NARROW_FORBIDDEN && cell - less[row[r]] < least)
				least = cell - less[row[r]];
		}
		assert_true(out[0][c] == least && out[1][c] == least);
	}
}

/* What moves costs between a row of a variable's and one of what was moved to it. */
static void row_loops_agree(void **state)
{
	enum { MOST = 5 * GPUBE__ROW_STEP };
	uint64_t seed = (uint64_t)(uintptr_t)*state;
	const struct gpube_ascent_kernels *kernels[] = {kernels_of(seed), &gpube__ascent_portable};
	int64_t cost[2][MOST], moved[2][MOST], m[2][MOST], was[MOST], least[2], most[2], lacks[2];
	bool rose[2], more[2];
	struct gpube_rng rng;
	int32_t n;

	gpube__rng_init(&rng, seed);
	n = GPUBE__ROW_STEP * (1 + (int32_t)gpube__rng_below(&rng, MOST / GPUBE__ROW_STEP));
	for (int a = 0; a < MOST; a++) {
		was[a] = (int64_t)gpube__rng_below(&rng, 10);
		cost[0][a] = gpube__rng_below(&rng, 3) ? (int64_t)gpube__rng_below(&rng, 10)
						       : GPUBE__ROW_DROPPED - a;
		moved[0][a] = (int64_t)gpube__rng_below(&rng, 10) - 5;
		m[0][a] = gpube__rng_below(&rng, 5) ? (int64_t)gpube__rng_below(&rng, 20) - 10
						    : GPUBE__ROW_FORBIDDEN - a;
	}
	memcpy(cost[1], cost[0], sizeof(*cost));
	memcpy(moved[1], moved[0], sizeof(*moved));
	memcpy(m[1], m[0], sizeof(*m));
	for (int k = 0; k < 2; k++) {
		kernels[k]->range(cost[k], n, &least[k], &most[k]);
		lacks[k] = kernels[k]->lacking(m[k], cost[k], moved[k], n);
		rose[k] = kernels[k]->rise(
			cost[k], moved[k], m[k], n, seed % 2 ? 7 : INT64_MAX / 2, 12);
		more[k] = kernels[k]->is_more(cost[k], was, n);
		kernels[k]->lower(cost[k], n, least[k] < 10 ? least[k] : 0);
		if (seed % 3)
			kernels[k]->fall(cost[k], moved[k], n, 6);
	}
	assert_true(least[0] == least[1] && most[0] == most[1] && lacks[0] == lacks[1] &&
		    rose[0] == rose[1] && more[0] == more[1]);
	assert_memory_equal(cost[0], cost[1], sizeof(*cost));
	assert_memory_equal(moved[0], moved[1], sizeof(*moved));
	assert_memory_equal(m[0], m[1], sizeof(*m));
}

int main(void)
{
	struct cases c = {0};

	add_numbers(&c, invariant, N_SEEDS, "invariant, seed");
	add_numbers(&c, shifted_model, N_SEEDS, "reparametrised model, seed");
	add_numbers(&c, kernels_agree, N_KERNELS, "kernels, seed");
	add_numbers(&c, narrow_rows_agree, N_KERNELS, "least of narrow rows, seed");
	add_numbers(&c, row_loops_agree, N_KERNELS, "loops of rows, seed");
	add_numbers(&c, least_rows_agree, N_KERNELS, "least rows, seed");
	ADD_CASE(&c, odd_cycle);
	return run_cases(&c, "clusters", ctx_setup_1_thread, ctx_teardown);
}
