/*
 * Inference with a card that is emulated: random networks' sums and marginals as on the host,
 * whichever buckets are the card's, however little it holds, and where it has to give buckets back.
 */
#include "tests/ops/emulate_walk.h"
#include "gpube/options/options.h"

#include "gpube/infer/infer.h"
#include "tests/support/context.h"
#include "tests/support/random_model.h"

static uint64_t room, used; /* bytes of the card */
static int n_jobs, n_refused, n_lost, n_looked;

/* ---- the card -------------------------------------------------------------------------------- */

static void *card_alloc(struct gpube_ctx *c, uint64_t bytes)
{
	uint64_t *p;

	(void)c;
	if (bytes > room - used) {
		n_refused++;
		return NULL;
	}
	p = malloc(bytes + 16);
	assert_non_null(p);
	memset(p, 0xff, bytes + 16); /* NaN */
	p[0] = bytes;
	used += bytes;
	return p + 2;
}

static void card_free(struct gpube_ctx *c, void *p)
{
	(void)c;
	if (!p)
		return;
	used -= ((uint64_t *)p)[-2];
	free((uint64_t *)p - 2);
}

static int card_copy(struct gpube_ctx *c, void *to, const void *from, uint64_t bytes)
{
	(void)c;
	memcpy(to, from, bytes);
	return GPUBE_OK;
}

static uint64_t card_memory(struct gpube_ctx *c)
{
	(void)c;
	return room;
}

/* Whether some product is small though no factor is 0: cell by cell. */
static bool is_lossy(const struct gpube_sum_task *t, const double *const *in)
{
	const struct gpube_sum_job *job = t->job;
	int64_t value[GPUBE_SUM_AXES] = {0};
	int a;

	do {
		double v = t->by;
		bool above = true;

		for (int k = 0; k < job->n_in; k++) {
			int64_t at = 0;

			for (int x = 0; x < job->n_axes; x++)
				at += value[x] * job->in[k].stride[x];
			v *= in[k][at];
			above = above && in[k][at] > 0;
		}
		if (above && v < 0x1p-800)
			return true;
		for (a = job->n_axes - 1; a >= 0 && ++value[a] == job->dim[a]; a--)
			value[a] = 0;
	} while (a >= 0);
	return false;
}

static int products(struct gpube_ctx *c, int64_t n, struct gpube_sum_task *tasks)
{
	(void)c;
	for (int64_t i = 0; i < n; i++) {
		struct gpube_sum_task *t = &tasks[i];
		const struct gpube_sum_job *job = t->job;
		const struct gpube_sum_table *out = job->out[0].table;
		const bool in_place = out->card == job->in[0].table->card;
		double *to = poisoned(out->n);
		const double *in[GPUBE_WALK_IN];
		bool small;

		assert_true(job->n_in >= 1 && job->n_in <= GPUBE_WALK_IN);
		assert_int_equal(job->n_out, 1);
		n_jobs++;
		n_looked += t->looks;
		for (int k = 0; k < job->n_in; k++) {
			in[k] = job->in[k].table->card;
			assert_non_null(in[k]);
			assert_true(in_place || in[k] != out->card);
		}
		emulate_walk(
			job, in, to, t->by, 1 + (int)(n_jobs % 3) * 300, &job->out[0].roundings);
		small = is_lossy(t, in);
		assert_true(!small || t->looks || in_place); /* it is known beforehand */
		t->lost = false;
		t->most = t->least = 0;
		for (int64_t k = 0; k < out->n; k++) {
			t->most = fmax(t->most, to[k]);
			if (to[k] > 0 && (t->least == 0 || to[k] < t->least))
				t->least = to[k];
			t->lost = t->lost || (t->looks && small && to[k] < 0x1p-700);
		}
		n_lost += t->lost;
		memcpy(out->card, to, (size_t)out->n * sizeof(*to));
		free(to);
	}
	return GPUBE_OK;
}

static const struct gpube_ops ops = {.name = "emulated",
	.alloc = card_alloc,
	.free = card_free,
	.upload = card_copy,
	.download = card_copy,
	.memory = card_memory};
static const struct gpube_sum_ops sum_ops = {products};

/* ---- inference ----------------------------------------------------------------------- */

/* As gpube_infer() does; the sides by lot. */
static struct gpube_inference *on_card(
	const struct gpube_model *m, enum gpube_infer_task task, uint64_t seed)
{
	const struct gpube_opts opts = {
		.task = task, .order_method = GPUBE_ORDER_MIN_FILL, .backend = GPUBE_BACKEND_CPU};
	const struct gpube_sum_card card = {.ops = &ops, .sum = &sum_ops};
	struct gpube__inferring j = {.m = m, .ctx = ctx, .opts = &opts};
	struct gpube_rng rng;

	gpube__rng_init(&rng, seed);
	j.out = gpube__inference_new(ctx);
	assert_non_null(j.out);
	assert_int_equal(gpube__infer_begin(&j), GPUBE_OK);
	j.out->log10_z = -INFINITY;
	if (!j.possible.none) {
		assert_int_equal(gpube__infer_plan(&j), GPUBE_OK);
		j.side = gpube__alloc_zero(ctx, (uint64_t)j.n, sizeof(*j.side));
		for (int32_t b = 0; b < j.n; b++)
			j.side[b] = seed % 3 == 0 || gpube__rng_below(&rng, 3);
		assert_int_equal(gpube__infer_take_card(&j, &card), GPUBE_OK);
		assert_int_equal(gpube__infer_sum(&j), GPUBE_OK);
	}
	gpube__infer_clear(&j);
	assert_true(used == 0); /* nothing stays */
	return j.out;
}

static void same(const struct gpube_model *m, uint64_t seed)
{
	const struct gpube_opts opts = {.task = GPUBE_INFER_MAR,
		.order_method = GPUBE_ORDER_MIN_FILL,
		.backend = GPUBE_BACKEND_CPU};
	struct gpube_inference *host, *pr = on_card(m, GPUBE_INFER_PR, seed),
				      *mar = on_card(m, GPUBE_INFER_MAR, seed);
	int64_t n = 0;

	assert_int_equal(gpube_infer(&host, m, &opts), GPUBE_OK);
	for (int32_t i = 0; i < m->n_vars; i++)
		n += m->vars[i].domain;
	if (host->log10_z != pr->log10_z)
		assert_true(
			fabs(host->log10_z - pr->log10_z) <= 1e-12 + 4e-16 * fabs(host->log10_z));
	assert_true(pr->log10_z == mar->log10_z);
	assert_true(!host->marginals == !mar->marginals);
	assert_true(mar->relative_error < 1e-12);
	for (int64_t i = 0; i < n && host->marginals; i++)
		assert_true(fabs(host->marginals[i] - mar->marginals[i]) <=
			    1e-12 * host->marginals[i] + 1e-100);
	gpube_result_free(host);
	gpube_result_free(pr);
	gpube_result_free(mar);
}

static void test_random(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 900; seed++) {
		struct random_spec spec = random_spec_varied(seed, GPUBE_POTENTIALS);
		struct gpube_model *m = random_model(ctx, &spec, seed);

		assert_non_null(m);
		/* a third has room for few tables */
		room = seed % 3 == 1 ? 50 + seed % 300 : 1u << 28;
		same(m, seed);
		gpube_model_free(m);
	}
	assert_true(n_jobs > 1000);
	assert_true(n_refused > 40);
}

/* Sums of 10^4000 and 10^-4000 beside each other: the card looks, and gives buckets back. */
static void test_magnitudes(void **state)
{
	static const double tables[][4] = {{1e300, 1e299, 2e300, 1e300},
		{1e-300, 1e-299, 2e-300, 1e-300}, {1e-300, 1e-301, 1e300, 1e299},
		{1, 1e-150, 1e-200, 1e-140}};

	(void)state;
	room = 1u << 28;
	n_lost = n_looked = 0;
	for (int k = 0; k < 4; k++)
		for (uint64_t seed = 0; seed < 9; seed++) {
			struct gpube_model *m = ring_of_potentials(ctx, tables[k]);

			assert_non_null(m);
			same(m, seed);
			gpube_model_free(m);
		}
	assert_true(n_looked > 10);
	assert_true(n_lost > 0);
}

/* A bucket with more children than a job takes tables. */
static void test_star(void **state)
{
	static const double table[] = {3, 1, 1, 2, 1, 4, 1, 5};
	struct gpube_model *m;

	(void)state;
	room = 1u << 28;
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_POTENTIALS), GPUBE_OK);
	for (int32_t i = 0; i < 36; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, 2, NULL), GPUBE_OK);
	for (int32_t i = 0; i < 24; i++)
		for (int32_t k = 0; k < 4; k++) {
			const int32_t scope[] = {
				i, 24 + (i + 3 * k) % 12, 24 + (i + 5 + 2 * k) % 12};

			if (scope[1] != scope[2])
				assert_int_equal(
					gpube_model_add_potentials(m, 3, scope, table), GPUBE_OK);
		}
	for (uint64_t seed = 0; seed < 6; seed++)
		same(m, seed);
	gpube_model_free(m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random),
		cmocka_unit_test(test_magnitudes),
		cmocka_unit_test(test_star),
	};

	return cmocka_run_group_tests(tests, ctx_setup_2_threads, ctx_teardown);
}
