/*
 * Products by lanes of the CUDA backend, without a device: plans are executed as the kernels would,
 * copies to stages of shared memory included, with the index arithmetic that they share, and
 * compared with the reference. No copy may leave its table or be misaligned, no cell be read that
 * was not copied, and every output cell is written.
 */
#include "tests/support/test.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/reference.h"
#include "tests/support/shapes.h"

#include <math.h>

#include "gpube/ops/contract_lanes.h"

#define N_RANDOM 60

static int seen[N_LANES_KERNELS];
static const struct gpube__box_device device = {132, 227u << 10, 228u << 10, true};

struct emulation {
	const struct shape *s;
	struct gpube__lanes d;
	double *stage; /* NAN: not copied */
	const char *problem;
};

static double value(const struct shape *s, int k, int64_t at)
{
	const void *v = s->c.in[k].values;

	return s->c.type == GPUBE_INT32 ? ((const int32_t *)v)[at] : (double)((const float *)v)[at];
}

static void copy_run(struct emulation *e, int k, int64_t from, uint32_t to)
{
	const int op = e->d.order[k];

	if (from % 4 || to % 4)
		e->problem = "a copy that is not aligned";
	if (from < 0 || from + 4 > gpube__operand_cells(&e->s->c, op))
		e->problem = "a copy outside of its table";
	if (to + 4 > e->d.stage_words)
		e->problem = "a copy outside of its stage";
	for (int i = 0; i < 4 && !e->problem; i++)
		e->stage[to + (uint32_t)i] = value(e->s, op, from + i);
}

static void copy_chunk(struct emulation *e, uint32_t box, uint32_t x0, uint32_t n)
{
	const struct gpube__lanes *d = &e->d;

	for (uint32_t i = 0; i < d->stage_words; i++)
		e->stage[i] = NAN;
	for (uint32_t row = 0; row < d->rows; row++)
		for (uint32_t lane = 0; lane < d->n_lanes; lane += 4) {
			const bool k = row >= d->rows_p;
			const int64_t from = gpube__lanes_start(d, k, box) +
					     (int64_t)(row - (k ? d->rows_p : 0)) * d->row[k] +
					     lane;

			for (uint32_t x = 0; x < n; x++)
				copy_run(e, k, from + (int64_t)(x0 + x) * d->x[k],
					gpube__lanes_word(row, lane) + x * d->x_words);
		}
}

static double read_stage(struct emulation *e, uint32_t row, uint32_t lane, uint32_t x)
{
	const uint32_t at = gpube__lanes_word(row, lane) + x * e->d.x_words;

	if (at >= e->d.stage_words || isnan(e->stage[at])) {
		e->problem = "a cell that was not copied";
		return 0;
	}
	return e->stage[at];
}

static void best_of(struct emulation *e, uint32_t n, double *best)
{
	const struct gpube__lanes *d = &e->d;

	for (uint32_t p = 0; p < d->rows_p; p++)
		for (uint32_t v = d->rows_p; v < d->rows; v++)
			for (uint32_t lane = 0; lane < d->n_lanes; lane++, best++)
				for (uint32_t x = 0; x < n; x++)
					*best = fmin(*best, read_stage(e, p, lane, x) +
								    read_stage(e, v, lane, x));
}

static void store_box(struct emulation *e, uint32_t box, const double *best)
{
	const struct gpube__lanes *d = &e->d;
	const struct gpube_contraction *c = &e->s->c;

	for (uint32_t p = 0; p < d->rows_p; p++)
		for (uint32_t v = 0; v < d->rows - d->rows_p; v++)
			for (uint32_t lane = 0; lane < d->n_lanes; lane++, best++) {
				const int64_t at = gpube__lanes_start(d, -1, box) + lane +
						   p * d->out_row[0] + v * d->out_row[1];

				if (at < 0 || at >= e->s->out_cells)
					e->problem = "a cell outside of the output";
				else if (c->type == GPUBE_INT32)
					((int32_t *)c->out)[at] =
						(int32_t)(*best >= (double)c->threshold
								  ? (double)c->cut
								  : *best);
				else
					((float *)c->out)[at] = (float)*best;
			}
}

static void run_box(struct emulation *e, uint32_t box)
{
	const struct gpube__lanes *d = &e->d;
	const size_t cells = (size_t)d->rows_p * (d->rows - d->rows_p) * d->n_lanes;
	double *best = malloc(cells * sizeof(*best));

	assert_non_null(best);
	for (size_t i = 0; i < cells; i++)
		best[i] = INFINITY;
	for (uint32_t x0 = 0; x0 < d->n_x && !e->problem; x0 += d->chunk) {
		const uint32_t n = d->n_x - x0 < d->chunk ? d->n_x - x0 : d->chunk;

		copy_chunk(e, box, x0, n);
		best_of(e, n, best);
	}
	if (!e->problem)
		store_box(e, box, best);
	free(best);
}

static void check_plan(const struct gpube__lanes *d)
{
	const struct gpube__lanes_kernel_info *kernel = &gpube__lanes_kernels[d->kernel];

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

static void check(struct shape *s)
{
	struct emulation e = {.s = s};

	if (!plan(&e.d, s))
		fail_msg("%s: no plan", s->text);
	check_plan(&e.d);
	seen[e.d.kernel]++;
	e.stage = malloc(e.d.stage_words * sizeof(*e.stage));
	assert_non_null(e.stage);
	shape_poison(s);
	for (uint32_t box = 0; box < e.d.boxes && !e.problem; box++)
		run_box(&e, box);
	free(e.stage);
	shape_expect(s, e.problem, e.d.kernel);
}

static void check_text(const char *text, int i)
{
	struct shape s;

	assert_null(shape_parse(&s, text, GPUBE_MIN_PLUS, i % 2 ? GPUBE_FLOAT32 : GPUBE_INT32));
	shape_fill(&s, (uint64_t)i, SHAPE_TIES, false);
	check(&s);
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
	struct gpube__lanes d;
	struct shape s;

	(void)state;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
		assert_null(shape_parse(&s, shapes[i], GPUBE_MIN_PLUS, GPUBE_INT32));
		if (plan(&d, &s))
			fail_msg("%s: a plan", shapes[i]);
		shape_free(&s);
	}
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

	for (size_t i = 0; i < sizeof(chosen) / sizeof(*chosen); i++)
		add_case(&c, chosen_shape, chosen[i], "chosen %zu", i);
	add_numbers(&c, random_shape, N_RANDOM, "seed");
	ADD_CASE(&c, refuses);
	ADD_CASE(&c, every_kind);
	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return run_cases(&c, "lanes", ctx_setup, ctx_teardown);
}
