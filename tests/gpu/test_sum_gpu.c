/*
 * Sums of products on the GPU: random jobs against the specification and the CPU's operator,
 * batches, what is lost, and the sums and marginals of networks against the CPU's.
 */
#include "tests/support/test.h"
#include "gpube/options/options.h"

#include <math.h>
#include <stdlib.h>

#include "gpube/infer/infer.h"
#include "tests/ops/sum_shapes.h"
#include "tests/support/cases.h"
#include "tests/support/random_model.h"

enum { N_SHAPES = 240, N_BATCHES = 8, BATCH = 300, N_NETWORKS = 120 };

static struct gpube_sum_card card;

/* Two runs of a job: the host's tables stay, the card's are fetched. */
static void same_tables(
	const struct gpube_sum_table *a, const struct gpube_sum_table *b, double roundings)
{
	for (int64_t i = 0; i < a->n; i++)
		if (!(sum_difference(gpube__sum_cell(a, i), gpube__sum_cell(b, i)) <=
			    2 * roundings * 0x1p-53))
			fail_msg("cell %lld: %.17g 2^%lld, not %.17g 2^%lld", (long long)i,
				gpube__sum_cell(a, i).m, (long long)gpube__sum_cell(a, i).e,
				gpube__sum_cell(b, i).m, (long long)gpube__sum_cell(b, i).e);
}

static void shapes(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	/* cells with powers take the host long */
	const int64_t most = seed % 4 == 0                                ? 0
			     : seed % 8 == 1 && seed % 3 != SUM_FAR_APART ? 1 << 21
									  : 1 << 14;
	struct gpube_sum_table there;
	struct sum_shape s;
	bool done;

	sum_shape_draw(&s, seed, most);
	s.job.n_out = 1;
	there = (struct gpube_sum_table){.n = s.out[0].table->n};
	if (gpube__sum_product(ctx, &s.job))
		fail_msg("%s", gpube_error(ctx));
	for (int repeat = 0; repeat < 2; repeat++) { /* and over what was left in memory */
		struct gpube_sum_operand out = s.out[0];
		struct gpube_sum_job job = s.job;

		out.table = &there;
		job.out = &out;
		if (gpube__sum_products_card(ctx, &card, 1, &job, &done))
			fail_msg("%s", gpube_error(ctx));
		if (!done)
			break;
		assert_int_equal(gpube__sum_fetch(ctx, &there), 0);
		same_tables(&there, s.out[0].table, fmax(out.roundings, s.out[0].roundings));
		gpube__sum_table_clear(ctx, &there);
		there.n = s.out[0].table->n;
	}
	assert_true(done || s.job.n_in == 0 || seed % SUM_N_CELLS == SUM_FAR_APART || s.job.apart);
	sum_shape_clear(&s);
}

/* Many small jobs in one launch. */
static void batches(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct sum_shape *s = calloc(BATCH, sizeof(*s));
	struct gpube_sum_job *jobs = calloc(BATCH, sizeof(*jobs));
	struct gpube_sum_operand *outs = calloc(BATCH, sizeof(*outs));
	struct gpube_sum_table *tables = calloc(BATCH, sizeof(*tables));
	int n = 0;
	bool done;

	assert_true(s && jobs && outs && tables);
	for (uint64_t i = 0; i < BATCH; i++) {
		sum_shape_draw(&s[i], SUM_N_CELLS * (seed * BATCH + i), 0); /* ordinary cells */
		s[i].job.n_out = 1;
		assert_int_equal(gpube__sum_product(ctx, &s[i].job), 0);
		if (s[i].job.n_in == 0)
			continue;
		tables[n].n = s[i].out[0].table->n;
		outs[n] = s[i].out[0];
		outs[n].table = &tables[n];
		jobs[n] = s[i].job;
		jobs[n].out = &outs[n];
		n++;
	}
	if (gpube__sum_products_card(ctx, &card, n, jobs, &done))
		fail_msg("%s", gpube_error(ctx));
	assert_true(done);
	for (int i = 0, k = 0; i < BATCH; i++) {
		if (s[i].job.n_in) {
			assert_int_equal(gpube__sum_fetch(ctx, &tables[k]), 0);
			same_tables(&tables[k], s[i].out[0].table,
				fmax(outs[k].roundings, s[i].out[0].roundings));
			gpube__sum_table_clear(ctx, &tables[k++]);
		}
		sum_shape_clear(&s[i]);
	}
	free(s);
	free(jobs);
	free(outs);
	free(tables);
}

static void matrices(void **state)
{
	static const int64_t sizes[][3] = {
		{64, 64, 64}, {200, 300, 100}, {1000, 70, 129}, {129, 513, 1024}, {2048, 2048, 64}};
	const int64_t *size = sizes[(uintptr_t)*state];
	struct sum_shape s = {
		.job = {.n_axes = 3, .dim = {size[0], size[2], size[1]}, .n_in = 2, .n_out = 1}};
	struct gpube_sum_table there = {.n = size[0] * size[1]};
	struct gpube_rng rng;
	bool done;

	gpube__rng_init(&rng, 3);
	s.job.in = s.in;
	s.job.out = s.out;
	sum_lay(&s, &s.in[0], &s.tables[0], 3);
	sum_lay(&s, &s.in[1], &s.tables[1], 6);
	sum_lay(&s, &s.out[0], &s.tables[2], 5);
	for (int k = 0; k < 2; k++) {
		for (int64_t i = 0; i < s.tables[k].n; i++)
			s.tables[k].cells[i] = gpube__rng_unit(&rng);
		assert_int_equal(gpube__sum_settle(ctx, &s.tables[k]), 0);
	}
	assert_int_equal(gpube__sum_product(ctx, &s.job), 0);
	s.out[0].table = &there;
	if (gpube__sum_products_card(ctx, &card, 1, &s.job, &done))
		fail_msg("%s", gpube_error(ctx));
	assert_true(done);
	assert_int_equal(gpube__sum_fetch(ctx, &there), 0);
	same_tables(&there, &s.tables[2], s.out[0].roundings + (double)size[2]);
	gpube__sum_table_clear(ctx, &there);
	sum_shape_clear(&s);
}

static struct gpube_inference *infer(
	const struct gpube_model *m, enum gpube_backend backend, enum gpube_infer_task task)
{
	const struct gpube_opts opts = {
		.task = task, .backend = backend, .order_method = GPUBE_ORDER_MIN_FILL};
	struct gpube_inference *out;

	if (gpube_infer(&out, m, &opts))
		fail_msg("%s", gpube_error(ctx));
	return out;
}

static void same_sums(const struct gpube_model *m)
{
	struct gpube_inference *host = infer(m, GPUBE_BACKEND_CPU, GPUBE_INFER_MAR);
	int64_t n = 0;

	for (int32_t i = 0; i < m->n_vars; i++)
		n += m->vars[i].domain;
	for (int task = 0; task < 2; task++) {
		struct gpube_inference *there =
			infer(m, GPUBE_BACKEND_CUDA, (enum gpube_infer_task)task);

		if (host->log10_z != there->log10_z)
			assert_true(fabs(host->log10_z - there->log10_z) <=
				    1e-9 + 4e-16 * fabs(host->log10_z));
		assert_true(task == GPUBE_INFER_PR || !host->marginals == !there->marginals);
		for (int64_t i = 0; i < n && there->marginals; i++)
			assert_true(fabs(host->marginals[i] - there->marginals[i]) <=
				    1e-9 * host->marginals[i] + 1e-100);
		gpube_result_free(there);
	}
	gpube_result_free(host);
}

static void networks(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct random_spec spec = random_spec_varied(seed, GPUBE_POTENTIALS);
	struct gpube_model *m = random_model(ctx, &spec, seed);

	assert_non_null(m);
	same_sums(m);
	gpube_model_free(m);
}

/* Grids, whose tables are large; the second with values of 5, and little room on the card. */
static void grids(void **state)
{
	const bool small = *state != NULL;
	const int32_t n = small ? 9 : 18, domain = small ? 5 : 2;
	double tie[25];
	struct gpube_model *m;

	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_POTENTIALS), 0);
	for (int i = 0; i < domain * domain; i++)
		tie[i] = 1 + i % 4;
	for (int32_t i = 0; i < n * n; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, domain, NULL), 0);
	for (int32_t i = 0; i < n * n; i++) {
		if ((i + 1) % n)
			assert_int_equal(
				gpube_model_add_potentials(m, 2, (const int32_t[]){i, i + 1}, tie),
				0);
		if (i + n < n * n)
			assert_int_equal(
				gpube_model_add_potentials(m, 2, (const int32_t[]){i, i + n}, tie),
				0);
	}
	same_sums(m);
	gpube_model_free(m);
}

static void opens(void **state)
{
	int status = 0;
	const void *there = gpube__sum_cuda(ctx, &status);

	(void)state;
	needs_device(there, status);
}

/* usage: test_sum_gpu [CASES]: so many of each kind at most, for tools that make them slow */
int main(int argc, char **argv)
{
	const size_t most = argc > 1 ? strtoul(argv[1], NULL, 10) : SIZE_MAX;
	struct cases c = {0};

	if (ctx_setup(NULL))
		return 1;
	ADD_CASE(&c, opens);
	if (!gpube__sum_card_open(&card, ctx)) {
		add_numbers(&c, shapes, most < N_SHAPES ? most : N_SHAPES, "shape");
		add_numbers(&c, batches, most < N_BATCHES ? most : N_BATCHES, "batch");
		add_numbers(&c, matrices, most < 5 ? most : 5, "matrix product");
		add_numbers(&c, networks, most < N_NETWORKS ? most : N_NETWORKS, "network");
		add_numbers(&c, grids, most < 2 ? most : 2, "grid");
	}
	return run_cases(&c, "sums on the GPU", NULL, ctx_teardown);
}
