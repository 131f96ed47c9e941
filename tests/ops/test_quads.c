/*
 * Products by quads of the CUDA backend, without a device: plans are executed thread by thread as
 * the kernels would, copies to stages of shared memory included, with the index arithmetic that
 * they share, and compared with the reference. No copy may leave its table or be misaligned, no
 * cell be read that was not copied, what half a warp reads is in all banks once, and every output
 * cell is written.
 */
#include "tests/support/test.h"
#include "tests/support/plans.h"
#include "tests/support/reference.h"

#include <math.h>

#include "gpube/ops/contract/contract_quads.h"

#define N_RANDOM 60

static int seen[N_QUADS_KERNELS], seen_wide[5];
static const struct gpube__box_device device = {132, 224u << 10, 228u << 10, true};

struct emulation {
	struct gpube__quads d;
	struct stage stage;
};

/* One quad of operand k, whose first x is at 'from'. */
static void copy_quad(struct emulation *e, int k, int64_t from, uint32_t x, uint32_t to)
{
	if (to % 4)
		e->stage.problem = "a quad that is not aligned";
	for (uint32_t i = 0; i < 4 / e->d.wide; i++)
		stage_copy(&e->stage, e->d.all.order[k], from + gpube__quads_step(&e->d, x, i),
			to + i * e->d.wide, e->d.wide);
}

static void copy_chunk(struct emulation *e, uint32_t box, uint32_t first)
{
	const struct gpube__product *d = &e->d.all;

	stage_empty(&e->stage);
	for (uint32_t t = 0; t < d->threads; t++) {
		const struct gpube__quads_copy c = gpube__quads_copy_of(&e->d, t);
		const uint32_t start = (uint32_t)gpube__product_start(d, 0, box);
		const uint32_t quad = gpube__quads_turned(&e->d, start, c.lane, first + c.quad);

		for (int k = 0; k < 2 && first + c.quad < d->n_units; k++) {
			const uint32_t n = k ? d->rows - d->rows_p : d->rows_p;
			const uint32_t to = c.word + (k ? d->rows_p * GPUBE_QUADS_ROW : 0);

			for (uint32_t row = c.row, i = 0; row < n && !e->stage.problem;
				row += e->d.copy_rows, i++)
				copy_quad(e, k,
					gpube__product_start(d, k, box) + c.lane * d->lane[k] +
						(int64_t)row * d->row[k] + quad * 4,
					quad * 4, to + i * e->d.copy_rows * GPUBE_QUADS_ROW);
		}
	}
}

/* First word of a thread's tile in operand k. */
static uint32_t word_of(const struct gpube__quads *d, uint32_t t, int k)
{
	const struct gpube__product_kernel *kernel = &gpube__quads_kernels[d->all.kernel];
	const uint32_t row = gpube__quads_row(d, t, (uint32_t)(k ? kernel->v : kernel->p), k);

	return gpube__quads_word(row + (k ? d->all.rows_p : 0), gpube__quads_lane(t), 0);
}

static void best_of(struct emulation *e, uint32_t t, uint32_t n, double *best)
{
	const struct gpube__product_kernel *kernel = &gpube__quads_kernels[e->d.all.kernel];
	const uint32_t a = word_of(&e->d, t, 0), b = word_of(&e->d, t, 1);
	const uint32_t lane = gpube__quads_lane(t);

	for (uint32_t p = 0; p < (uint32_t)kernel->p; p++)
		for (uint32_t v = 0; v < (uint32_t)kernel->v; v++, best++)
			for (uint32_t i = 0; i < 4 * n; i++) {
				const uint32_t x = gpube__quads_nth(lane, n, i / 4) * 4 + i % 4;

				*best = fmin(*best,
					stage_read(&e->stage, a + x + 2 * p * GPUBE_QUADS_ROW) +
						stage_read(&e->stage,
							b + x + 2 * v * GPUBE_QUADS_ROW));
			}
}

static void store_tile(struct emulation *e, uint32_t box, uint32_t t, const double *best)
{
	const struct gpube__product *d = &e->d.all;
	const struct gpube__product_kernel *kernel = &gpube__quads_kernels[d->kernel];
	const uint32_t row_p = gpube__quads_row(&e->d, t, (uint32_t)kernel->p, 0);
	const uint32_t row_v = gpube__quads_row(&e->d, t, (uint32_t)kernel->v, 1);

	for (uint32_t p = 0; p < (uint32_t)kernel->p; p++)
		for (uint32_t v = 0; v < (uint32_t)kernel->v; v++, best++)
			stage_store(&e->stage,
				gpube__product_start(d, -1, box) + gpube__quads_lane(t) +
					(row_p + 2 * p) * d->out_row[0] +
					(row_v + 2 * v) * d->out_row[1],
				*best);
}

static void run_box(struct emulation *e, uint32_t box)
{
	const struct gpube__product *d = &e->d.all;
	const struct gpube__product_kernel *kernel = &gpube__quads_kernels[d->kernel];
	const size_t tile = (size_t)(kernel->p * kernel->v);
	double *best = malloc(tile * d->threads * sizeof(*best));

	assert_non_null(best);
	for (size_t i = 0; i < tile * d->threads; i++)
		best[i] = INFINITY;
	for (uint32_t q = 0; q < d->n_units && !e->stage.problem; q += d->chunk) {
		const uint32_t n = d->n_units - q < d->chunk ? d->n_units - q : d->chunk;

		copy_chunk(e, box, q);
		for (uint32_t t = 0; t < d->threads && !e->stage.problem; t++)
			best_of(e, t, n, best + t * tile);
	}
	for (uint32_t t = 0; t < d->threads; t++)
		store_tile(e, box, t, best + t * tile);
	free(best);
}

/* Half a warp's reads of a quad: each group of four banks once, but for lanes that read the same.
 */
static void check_banks(const struct gpube__quads *d, int k)
{
	for (uint32_t half = 0; half < d->all.threads; half += 16) {
		uint32_t at[8] = {0};

		for (uint32_t t = half; t < half + 16; t++) {
			const uint32_t word =
				word_of(d, t, k) + 4 * gpube__quads_nth(gpube__quads_lane(t), 2, 0);
			const uint32_t group = word / 4 % 8;

			if (at[group] && at[group] != word + 1)
				fail_msg("words %u and %u in one bank", at[group] - 1, word);
			at[group] = word + 1;
		}
	}
}

static void check_plan(const struct gpube__quads *d)
{
	const struct gpube__product_kernel *kernel = &gpube__quads_kernels[d->all.kernel];

	assert_int_equal(d->all.threads, 32 * d->all.warps_p * d->all.warps_v);
	assert_true(d->all.threads <= (uint32_t)kernel->threads);
	assert_int_equal(d->all.rows_p, d->all.warps_p * 2 * (uint32_t)kernel->p);
	assert_int_equal(d->all.rows, d->all.rows_p + d->all.warps_v * 2 * (uint32_t)kernel->v);
	assert_true(d->copy_rows >= 2 && d->copy_rows % 2 == 0);
	assert_true(d->all.stages == 2 || d->all.stages == 3);
	assert_true(d->all.shared_bytes <= device.shared_bytes);
	assert_int_equal(d->all.shared_bytes, d->all.stages * d->all.stage_words * 4);
	check_banks(d, 0);
	check_banks(d, 1);
}

static bool plan(struct gpube__quads *d, const struct shape *s)
{
	int64_t stride[64 * GPUBE_MAX_DIMS];
	struct gpube__shape shape;
	double cycles = -1;

	gpube__shape_init(&shape, &s->c, stride, s->c.out_arg != NULL);
	if (!gpube__quads_plan(d, &cycles, &device, &s->c, &shape))
		return false;
	assert_true(cycles > 0);
	return true;
}

static bool has_plan(const struct shape *s)
{
	struct gpube__quads d;

	return plan(&d, s);
}

static void check_text(const char *text, int i)
{
	struct emulation e;
	struct shape s;

	shape_of_text(&s, text, i % 2 ? GPUBE_FLOAT32 : GPUBE_INT32, (uint64_t)i, SHAPE_TIES);
	if (!plan(&e.d, &s))
		fail_msg("%s: no plan", text);
	check_plan(&e.d);
	seen[e.d.all.kernel]++;
	seen_wide[e.d.wide]++;
	stage_init(&e.stage, &s, e.d.all.stage_words);
	shape_poison(&s);
	for (uint32_t box = 0; box < e.d.all.boxes && !e.stage.problem; box++)
		run_box(&e, box);
	stage_free(&e.stage);
	shape_expect(&s, e.stage.problem, e.d.all.kernel);
	shape_free(&s);
}

static const char *const chosen[] = {
	"x=12 a=13 b=2 c=11 d=32 : a b c d : a b d x , b c d x",
	"x=8 a=10 b=10 d=8 : a b d : a d x , b d x",
	"x=40 a=50 b=10 d=9 : b a d : b d x , a d x",
	"x=20 a=20 b=20 d=13 : a b d : d a x , d b x",
	"x=3 a=20 b=3 c=11 d=11 e=2 : e a b c d : b a e d x , c b d x",
	"x=5 a=10 b=32 d=16 : a b d : a d x , d b x",
	"x=10 a=20 b=16 d=8 : a b d : a d x , d b x",
	"x=96 a=16 b=16 d=8 : a b d : a d x , d b x",
	"x=37 a=100 b=20 d=8 : a b d : a d x , d b x",
	"x=8 a=64 b=9 c=64 d=9 : a b c d : a b d x , b c d x",
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

	shape_text_products(text, sizeof(text), row, true);
	check_text(text, row);
}

static void refuses(void **state)
{
	static const char *const shapes[] = {
		"x=5 a=30 b=30 : a b : a x , b x",
		"x=5 a=30 b=30 d=32 : a b d : x a d , x b d", /* not the tables' last */
		"x=5 a=30 b=30 d=7 : a b d : a d x , b d x",  /* few lanes */
		"x=5 a=30 b=30 d=32 : a d b : a d x , b d x", /* not the output's last */
		"x=5 a=30 b=30 d=32 : a b d : a d x , b d x , x",
		"x=5 a=9 b=30 d=32 : a b d : a d x , b d x",
		"x=5 a=30 b=30 d=32 : a b d : a b d x , b d x",
	};

	(void)state;
	expect_no_plans(shapes, sizeof(shapes) / sizeof(*shapes), has_plan);
}

static void every_kind(void **state)
{
	(void)state;
	for (int k = 0; k < N_QUADS_KERNELS; k++)
		if (!seen[k])
			fail_msg("no shape had a plan for kernel %d", k);
	for (int wide = 1; wide <= 4; wide *= 2)
		if (!seen_wide[wide])
			fail_msg("no shape had copies of %d cells", wide);
}

int main(int argc, char **argv)
{
	struct cases c = {0};

	ADD_CHOSEN(&c, chosen_shape, chosen);
	add_numbers(&c, random_shape, N_RANDOM, "seed");
	ADD_CASE(&c, refuses);
	ADD_CASE(&c, every_kind);
	return run_plans(&c, "quads", argc, argv);
}
