/*
 * Certificates of cycles: what is made of a model proves its optimum, also after a trip through a
 * file; and whatever prices, rows, splits and limits a file has, it proves no more than there is.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include <stdio.h>

#include "gpube/bound/certificate/certificate.h"
#include "gpube/ir/dense.h"
#include "gpube/relax/cuts/cuts.h"
#include "gpube/relax/linear/clp.h"
#include "tests/support/cases.h"
#include "tests/support/certificates.h"
#include "tests/support/context.h"
#include "tests/support/files.h"
#include "tests/support/memory.h"
#include "tests/support/random_model.h"
#include "tests/support/small_model.h"

enum { N_SEEDS = 200, N_DRAWN = 400, N_FORGED = 40 };

static int n_made, n_split, n_fixed, n_whole; /* whole: whose totals have a unit */
static int n_drawn, n_drawn_above;            /* above: that prove more than the least costs */

static int setup(void **state)
{
	(void)state;
	test_make_dir(dir);
	return ctx_open(1, 0);
}

/* Frustrated grids and graphs of few values, with or without costs of single variables. */
static struct gpube_model *spins(uint64_t seed)
{
	const int n = 3 + (int)(seed % 8);
	const int64_t most = seed % 3 == 0 ? 1 : seed % 3 == 1 ? 20 : (int64_t)1 << (seed % 40);
	struct gpube_model *m = new_model(n, 2);
	struct gpube_rng rng;

	gpube__rng_init(&rng, seed);
	if (seed % 5 == 1)
		assert_int_equal(gpube_model_set_direction(m, GPUBE_MAXIMISE), 0);
	m->constant = seed % 7 == 2 ? -5 : 0;
	for (int i = 0; i < n; i++)
		for (int k = i + 1; k < n; k++) {
			const int64_t cost = 1 + (int64_t)gpube__rng_below(&rng, (uint64_t)most);
			const int scope[] = {(int)gpube__rng_below(&rng, 2) ? i : k, i + k};

			if (gpube__rng_below(&rng, 3) == 0)
				continue;
			add(m, SCOPE(scope[0], scope[1] - scope[0]),
				gpube__rng_below(&rng, 2) ? COSTS(0, cost, cost, 0)
							  : COSTS(cost, 0, 0, cost));
		}
	for (int i = 0; i < n && seed % 4 == 3; i++)
		add(m, SCOPE(i), COSTS(0, (int64_t)gpube__rng_below(&rng, (uint64_t)most + 1)));
	return m;
}

/* The least total of the minimisation. */
static int64_t best_of(const struct gpube_model *m)
{
	struct brute brute;

	assert_int_equal(brute_force(&brute, NULL, m), 0);
	return !brute.feasible                  ? GPUBE_INF
	       : m->direction == GPUBE_MAXIMISE ? -brute.cost
						: brute.cost;
}

static void draw_number(struct gpube_rng *rng, int32_t *of, int32_t n)
{
	*of = (int32_t)gpube__rng_below(rng, (uint64_t)n);
}

/* One of the numbers of its rows, prices and splits becomes another. */
static void forge(struct gpube_certificate *c, struct gpube_rng *rng)
{
	struct gpube_proof_cycles *x = &c->cycles;
	const int32_t edges = c->n_vars + c->n_functions;
	struct gpube_proof_row *row = &x->rows[gpube__rng_below(rng, (uint64_t)x->n_rows)];
	struct gpube_proof_node *node = &x->nodes[gpube__rng_below(rng, (uint64_t)x->n)];

	switch (gpube__rng_below(rng, 6)) {
	case 0:
		draw_number(rng, &x->edges[gpube__rng_below(rng, (uint64_t)x->n_edges)], edges);
		break;
	case 1:
		row->n_odd = 1 + 2 * (int32_t)gpube__rng_below(rng, (uint64_t)(row->n + 1) / 2);
		break;
	case 2:
		if (node->edge >= 0)
			draw_number(rng, &node->edge, edges);
		break;
	case 3: /* a leaf, and what was below it */
		node->edge = -1;
		break;
	case 4:
		x->fixed = (int32_t)gpube__rng_below(rng, (uint64_t)c->n_vars + 1) - 1;
		break;
	default:
		if (x->n_prices) {
			const uint64_t k = gpube__rng_below(rng, (uint64_t)x->n_prices);

			x->prices[k].price = (int64_t)gpube__rng_below(
				rng, 2 * (uint64_t)x->prices[k].price + 2);
		}
	}
}

/* Copies of a file, of which several numbers are changed, prove nothing above the optimum. */
static void forge_all(const char *path, const struct gpube_model *m, int64_t best, uint64_t seed)
{
	struct gpube_rng rng;

	gpube__rng_init(&rng, seed);
	for (int k = 0; k < N_FORGED; k++) {
		struct gpube_certificate c;
		int64_t bound;

		assert_int_equal(gpube__certificate_read(&c, ctx, path), 0);
		for (uint64_t n = gpube__rng_below(&rng, 4); n && c.cycles.n_rows; n--)
			forge(&c, &rng);
		c.bound = best + 1 + (int64_t)gpube__rng_below(&rng, 5);
		c.cycles.limit = best + (int64_t)gpube__rng_below(&rng, 6);
		assert_int_not_equal(gpube__certificate_check(&c, m), 0);
		if (!gpube__certificate_proves(&bound, &c, m))
			assert_true(bound <= best);
		gpube__certificate_clear(&c);
	}
}

static void made(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct gpube_model *m = spins(seed);
	const int64_t best = best_of(m);
	/* what cannot be proved is split until each leaf is an assignment */
	const int64_t aim = seed % 4 ? best : best + 1000;
	struct gpube_solution known = {.answer = GPUBE_ANSWER_INCOMPLETE,
		.bound = m->direction == GPUBE_MAXIMISE ? -aim : aim};
	struct gpube_opts opts = {.method = GPUBE_BOUND_LINEAR};
	struct gpube_certificate c, again;
	char path[300];

	if (!gpube__clp_there(ctx))
		skip();
	ctx->n_threads = 1 + (int)(seed % 3);
	assert_int_equal(gpube__bound_certified(&c, m, &known, NULL, &opts), 0);
	ctx->n_threads = 1;
	assert_true(c.cycles.n > 0);
	assert_true(c.bound == best);
	snprintf(path, sizeof(path), "%s/c%s", dir, seed % 2 ? ".gz" : "");
	assert_int_equal(gpube__certificate_write(&c, path), 0);
	assert_int_equal(gpube__certificate_read(&again, ctx, path), 0);
	assert_int_equal(gpube__certificate_check(&again, m), 0);
	certificate_keep(&again, m, seed);
	certificate_tamper(&again.bound, 1, &again, m);
	forge_all(path, m, best, seed);
	n_made++;
	n_split += c.cycles.n > 1;
	n_fixed += c.cycles.fixed >= 0;
	c.bound++; /* the next total: a limit one below the optimum is passed to it */
	c.cycles.limit = best - 1;
	assert_int_equal(gpube__certificate_proves(&again.bound, &c, m), 0);
	assert_true(again.bound <= best);
	n_whole += again.bound == best;
	gpube__certificate_clear(&again);
	gpube__certificate_clear(&c);
	gpube_model_free(m);
}

static void some_were_of_each_kind(void **state)
{
	(void)state;
	if (!gpube__clp_there(ctx))
		skip();
	assert_true(n_made > N_SEEDS / 2);
	assert_true(n_split > 10);
	assert_true(n_fixed > 50);
	assert_true(n_whole > 5);
}

/* ---- whatever a file says -------------------------------------------------------------------- */

/* The number of an edge between two variables, -1: there is none. */
static int32_t edge_of(const struct gpube_model *relaxed, int32_t a, int32_t b)
{
	int32_t at = relaxed->n_vars;

	for (int32_t i = 0; i < relaxed->n_vars; i++)
		for (int32_t k = i + 1; k < relaxed->n_vars; k++) {
			bool any = false;

			if (relaxed->vars[i].domain > 2 || relaxed->vars[k].domain > 2)
				continue;
			for (int32_t f = 0; f < relaxed->n_functions; f++)
				any |= relaxed->functions[f].arity == 2 &&
				       gpube__scope(relaxed, f)[0] == i &&
				       gpube__scope(relaxed, f)[1] == k;
			if (i == a && k == b)
				return any ? at : -1;
			at += any;
		}
	return -1;
}

/* A walk from the vertex of first values along a path and back; edges in any order. */
static void draw_row(
	struct gpube_certificate *c, const struct gpube_model *relaxed, struct gpube_rng *rng)
{
	int32_t path[3], edges[4], n = 0;

	for (int k = 0; k < 3; k++)
		draw_number(rng, &path[k], relaxed->n_vars);
	if (path[0] == path[1] || path[1] == path[2] || path[0] == path[2])
		return;
	edges[n++] = path[0];
	for (int k = 0; k < 2; k++) {
		const int32_t a = path[k], b = path[k + 1],
			      e = edge_of(relaxed, a < b ? a : b, a < b ? b : a);

		if (e < 0)
			break;
		edges[n++] = e;
	}
	if (n < 2)
		return;
	edges[n] = path[n - 1];
	n++;
	for (int k = 0; k < n; k++) {
		const int other = (int)gpube__rng_below(rng, (uint64_t)n);
		const int32_t e = edges[k];

		edges[k] = edges[other];
		edges[other] = e;
	}
	for (int k = 0; k < n; k++)
		assert_int_equal(gpube__cycles_edge(c, edges[k]), 0);
	assert_int_equal(gpube__cycles_row(c, n > 2 && gpube__rng_below(rng, 2) ? 3 : 1), 0);
}

static void draw_nodes(struct gpube_certificate *c, struct gpube_rng *rng, int64_t most)
{
	assert_int_equal(gpube__cycles_node(c), 0);
	for (int32_t of = 0; of < c->cycles.n; of++) {
		for (uint64_t k = gpube__rng_below(rng, 4); k; k--) {
			for (int32_t r = 0; r < c->cycles.n_rows; r++)
				if (gpube__rng_below(rng, 2))
					assert_int_equal(gpube__cycles_price(c, r,
								 (int64_t)gpube__rng_below(
									 rng, (uint64_t)most)),
						0);
			assert_int_equal(gpube__cycles_step(c, of), 0);
		}
		if (of < 7 && c->n_vars && gpube__rng_below(rng, 2))
			assert_int_equal(
				gpube__cycles_split(
					c, of, (int32_t)gpube__rng_below(rng, (uint64_t)c->n_vars)),
				0);
	}
}

static void drawn(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct random_spec spec = random_spec_varied(seed, GPUBE_COSTS);
	struct gpube_certificate c = {.ctx = ctx};
	struct gpube_model *m, *relaxed;
	struct gpube_rng rng;
	int64_t best, bound = 0;
	int status;

	spec.max_domain = seed % 4 ? 2 : 3;
	spec.min_domain = 1 + (seed % 3 > 0);
	spec.min_arity = 0;
	spec.max_arity = seed % 5 ? 2 : 3;
	spec.observed = seed % 6 ? 0 : 0.2;
	m = seed % 3 ? spins(seed) : random_model(ctx, &spec, seed);
	assert_non_null(m);
	best = best_of(m);
	gpube__rng_init(&rng, seed);
	c.n_vars = m->n_vars;
	c.n_functions = m->n_functions;
	c.scale = m->scale;
	c.domain = gpube__alloc(ctx, (uint64_t)m->n_vars + 1, sizeof(*c.domain));
	assert_non_null(c.domain);
	for (int32_t i = 0; i < m->n_vars; i++)
		c.domain[i] = m->vars[i].domain;
	c.cap = gpube__cap_for(m, best);
	c.shift = 1 + (int)(seed % 4);
	assert_int_equal(gpube__relaxed(&relaxed, m, c.cap), 0);
	for (int k = 0; k < 12 && m->n_vars; k++)
		draw_row(&c, relaxed, &rng);
	draw_nodes(&c, &rng, 2 + (int64_t)gpube__rng_below(&rng, seed % 2 ? 10 : 1000));
	c.cycles.fixed = (int32_t)gpube__rng_below(&rng, (uint64_t)m->n_vars + 1) - 1;
	c.cycles.limit = (best < GPUBE_INF ? best : 100) - 3 + (int64_t)gpube__rng_below(&rng, 6);
	c.bound = c.cycles.limit + 100;
	status = gpube__certificate_proves(&bound, &c, m);
	assert_true(!status || (status == GPUBE_EINVAL && c.cycles.fixed >= 0));
	if (status) {
		c.cycles.fixed = -1;
		assert_int_equal(gpube__certificate_proves(&bound, &c, m), 0);
	}
	assert_true(bound <= best);
	assert_true(bound >= relaxed->constant || bound >= c.cycles.limit);
	c.bound = bound;
	if (!spec.observed || seed % 3) /* what is observed is not kept with the model */
		certificate_keep(&c, m, 1000 + seed);
	n_drawn++;
	n_drawn_above += bound > relaxed->constant;
	gpube__certificate_clear(&c);
	gpube_model_free(relaxed);
	gpube_model_free(m);
}

static void some_prove_something(void **state)
{
	(void)state;
	assert_true(n_drawn_above > n_drawn / 8);
}

/* ---- memory ---------------------------------------------------------------------------------- */

static struct gpube_model *scarce_spins(struct gpube_ctx *c, const void *path)
{
	struct gpube_ctx *const before = ctx;
	struct gpube_model *m;

	(void)path;
	ctx = c;
	ctx->n_threads = 1;
	m = spins(6 + 8 * 3);
	ctx = before;
	return m;
}

static int there_and_back(struct gpube_ctx *c, struct gpube_model *m, const void *path)
{
	struct gpube_opts opts = {.method = GPUBE_BOUND_LINEAR};
	struct gpube_certificate certificate = {.ctx = c}, again = {.ctx = c};
	struct gpube_solution known = {.answer = GPUBE_ANSWER_INCOMPLETE, .bound = 1000000};
	int status = gpube__bound_certified(&certificate, m, &known, NULL, &opts);

	if (!status)
		status = gpube__certificate_write(&certificate, path);
	if (!status)
		status = gpube__certificate_read(&again, c, path);
	if (!status)
		status = gpube__certificate_check(&again, m);
	gpube__certificate_clear(&certificate);
	gpube__certificate_clear(&again);
	return status;
}

static void out_of_memory(void **state)
{
	(void)state;
	if (!gpube__clp_there(ctx))
		skip();
	fail_in_turn(there_and_back, scarce_spins, in_dir("m"), 20);
}

int main(void)
{
	struct cases c = {0};

	add_seeds(&c, made, N_SEEDS, "a certificate of cycles, seed");
	ADD_CASE(&c, some_were_of_each_kind);
	add_seeds(&c, drawn, N_DRAWN, "whatever prices and splits, seed");
	ADD_CASE(&c, some_prove_something);
	ADD_CASE(&c, out_of_memory);
	return run_cases(&c, "certificate_cycles", setup, ctx_dir_teardown);
}
