/*
 * Products by lanes of the CUDA backend, without a device: plans are executed as the kernels would,
 * copies to stages of shared memory included, with the index arithmetic that they share, and
 * compared with the reference. No copy may leave its table or be misaligned, no cell be read that
 * was not copied, and every output cell is written.
 */
#include "tests/support/test.h"
#include "tests/support/plans.h"
#include "tests/support/reference.h"

#include <math.h>

#include "gpube/ops/contract/contract_lanes.h"

#define N_RANDOM 60

static int seen[N_LANES_KERNELS];
static const struct gpube__box_device device = {132, 227u << 10, 228u << 10, true};

struct emulation {
	struct gpube__lanes d;
	struct stage stage;
};

static void copy_chunk(struct emulation *e, uint32_t box, uint32_t x0, uint32_t n)
{
	const struct gpube__product *d = &e->d.all;

	stage_empty(&e->stage);
	for (uint32_t row = 0; row < d->rows; row++)
		for (uint32_t lane = 0; lane < d->n_lanes; lane += 4) {
			const bool k = row >= d->rows_p;
			const int64_t from = gpube__product_start(d, k, box) +
					     (int64_t)(row - (k ? d->rows_p : 0)) * d->row[k] +
					     lane;

			for (uint32_t x = 0; x < n; x++)
				stage_copy(&e->stage, d->order[k],
					from + (int64_t)(x0 + x) * d->x[k],
					gpube__lanes_word(row, lane) + x * e->d.x_words, 4);
		}
}

static double read_row(struct emulation *e, uint32_t row, uint32_t lane, uint32_t x)
{
	return stage_read(&e->stage, gpube__lanes_word(row, lane) + x * e->d.x_words);
}

static void best_of(struct emulation *e, uint32_t n, double *best)
{
	const struct gpube__product *d = &e->d.all;

	for (uint32_t p = 0; p < d->rows_p; p++)
		for (uint32_t v = d->rows_p; v < d->rows; v++)
			for (uint32_t lane = 0; lane < d->n_lanes; lane++, best++)
				for (uint32_t x = 0; x < n; x++)
					*best = fmin(*best,
						read_row(e, p, lane, x) + read_row(e, v, lane, x));
}

static void store_box(struct emulation *e, uint32_t box, const double *best)
{
	const struct gpube__product *d = &e->d.all;

	for (uint32_t p = 0; p < d->rows_p; p++)
		for (uint32_t v = 0; v < d->rows - d->rows_p; v++)
			for (uint32_t lane = 0; lane < d->n_lanes; lane++, best++)
				stage_store(&e->stage,
					gpube__product_start(d, -1, box) + lane +
						p * d->out_row[0] + v * d->out_row[1],
					*best);
}

static void run_box(struct emulation *e, uint32_t box)
{
	const struct gpube__product *d = &e->d.all;
	const size_t cells = (size_t)d->rows_p * (d->rows - d->rows_p) * d->n_lanes;
	double *best = malloc(cells * sizeof(*best));

	assert_non_null(best);
	for (size_t i = 0; i < cells; i++)
		best[i] = INFINITY;
	for (uint32_t x0 = 0; x0 < d->n_x && !e->stage.problem; x0 += d->chunk) {
		const uint32_t n = d->n_x - x0 < d->chunk ? d->n_x - x0 : d->chunk;

		copy_chunk(e, box, x0, n);
		best_of(e, n, best);
	}
	store_box(e, box, best);
	free(best);
}

static void check_plan(const struct gpube__product *d)
{
	const struct gpube__product_kernel *kernel = &gpube__lanes_kernels[d->kernel];

	assert_int_equal(d->threads, 32 * d->warps_p * d->warps_v);
	assert_true(d->threads <= (uint32_t)kernel->threads);
	assert_int_equal(d->rows_p, d->warps_p * (uint32_t)kernel->p);
	assert_int_equal(d->rows, d->rows_p + d->warps_v * (uint32_t)kernel->v);
	assert_true(d->shared_bytes <= device.shared_bytes);
	assert_int_equal(d->shared_bytes, d->stages * d->stage_words * 4);
}

static bool plan(struct gpube__lanes *d, const struct shape *s)
{
	int64_t stride[64 * GPUBE_MAX_DIMS];
	struct gpube__shape shape;
	double cycles = -1;

	gpube__shape_init(&shape, &s->c, stride, s->c.out_arg != NULL);
	if (!gpube__lanes_plan(d, &cycles, &device, &s->c, &shape))
		return false;
	assert_true(cycles > 0);
	return true;
}

static bool has_plan(const struct shape *s)
{
	struct gpube__lanes d;

	return plan(&d, s);
}

static void check_text(const char *text, int i)
{
	struct emulation e;
	struct shape s;

	shape_of_text(&s, text, i % 2 ? GPUBE_FLOAT32 : GPUBE_INT32, (uint64_t)i, SHAPE_TIES);
	if (!plan(&e.d, &s))
		fail_msg("%s: no plan", text);
	check_plan(&e.d.all);
	seen[e.d.all.kernel]++;
	stage_init(&e.stage, &s, e.d.all.stage_words);
	shape_poison(&s);
	for (uint32_t box = 0; box < e.d.all.boxes && !e.stage.problem; box++)
		run_box(&e, box);
	stage_free(&e.stage);
	shape_expect(&s, e.stage.problem, e.d.all.kernel);
	shape_free(&s);
}

static const char *const chosen[] = {
	"x=6 a=13 b=2 c=11 d=32 : a b c d : x a b d , x b c d",
	"x=6 a=13 b=2 c=11 d=32 : a b c d : a b x d , b x c d",
	"x=5 a=8 b=8 d=24 : a b d : a x d , x b d",
	"x=40 a=10 b=5 d=36 : b a d : x b d , x a d",
	"x=7 a=20 b=3 c=9 d=28 e=2 : e a b c d : b x a e d , x c b d",
};

static void chosen_shape(void **state)
{
	check_text(*state, 0);
	check_text(*state, 1);
}

/* Any sizes, any order of the operands' dims that leaves the last one. */
static void random_shape(void **state)
{
	const int row = (int)(intptr_t)*state;
	char text[200];

	shape_text_products(text, sizeof(text), row, false);
	check_text(text, row);
}

static void refuses(void **state)
{
	static const char *const shapes[] = {
		"x=5 a=30 b=30 : a b : x a , x b",
		"x=5 a=30 b=30 d=30 : a b d : x a d , x b d", /* 30 is odd to 16 bytes */
		"x=8 a=30 b=30 d=32 : a b d : a d x , b d x", /* not the tables' last */
		"x=5 a=30 b=30 d=12 : a b d : x a d , x b d", /* few lanes */
		"x=5 a=30 b=30 d=32 : a d b : x a d , x b d", /* not the output's last */
		"x=5 a=30 b=30 d=32 : a b d : x a d , x b d , x",
		"x=5 a=3 b=30 d=32 : a b d : x a d , x b d",
		"x=5 a=30 b=30 d=32 : a b d : x a b d , x b d",
	};

	(void)state;
	expect_no_plans(shapes, sizeof(shapes) / sizeof(*shapes), has_plan);
}

static void every_kind(void **state)
{
	(void)state;
	for (int k = 0; k < N_LANES_KERNELS; k++)
		if (!seen[k])
			fail_msg("no shape had a plan for kernel %d", k);
}

int main(int argc, char **argv)
{
	struct cases c = {0};

	ADD_CHOSEN(&c, chosen_shape, chosen);
	add_numbers(&c, random_shape, N_RANDOM, "seed");
	ADD_CASE(&c, refuses);
	ADD_CASE(&c, every_kind);
	return run_plans(&c, "lanes", argc, argv);
}
