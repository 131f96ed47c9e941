/*
 * The device's way of subset_convolve, run here: its plan, its lanes, its pairs of
 * 16-bit values and its reduction, lane by lane with the functions that the kernel
 * calls, against the reference; and what its speed rests on: rows that do not meet
 * in a bank. Also the split that attains a value, and values made in blocks.
 */
#include "tests/support/test.h"

#include <math.h>

#include "gpube/ops/subset/subset_blocks.h"
#include "gpube/ops/subset/subset_tile.h"

#define MOST_WORDS 64

union word {
	int32_t i32;
	uint32_t i16x2;
	int64_t i64;
	float f32;
	double f64;
};

struct row {
	char name[64];
	enum gpube_type type;
	int n_bits;
};

struct device {
	const struct gpube_subset *s;
	int r_bits, block_bits, n_words;
	bool paired;
	union word (*c)[MOST_WORDS]; /* accumulators, by lane */
	union word slots[GPUBE_LANES_PAIRED][MOST_WORDS];
};

static union word lowest(enum gpube_type type)
{
	switch (type) {
	case GPUBE_INT16:
		return (union word){.i16x2 = 0x80008000u};
	case GPUBE_INT32:
		return (union word){.i32 = INT32_MIN};
	case GPUBE_INT64:
		return (union word){.i64 = INT64_MIN};
	case GPUBE_FLOAT32:
		return (union word){.f32 = -INFINITY};
	default:
		return (union word){.f64 = -INFINITY};
	}
}

static union word addmax(enum gpube_type type, union word a, union word b, union word c)
{
	switch (type) {
	case GPUBE_INT16:
		return (union word){.i16x2 = gpube__addmax_i16x2(a.i16x2, b.i16x2, c.i16x2)};
	case GPUBE_INT32:
		return (union word){.i32 = gpube__addmax_i32(a.i32, b.i32, c.i32)};
	case GPUBE_INT64:
		return (union word){.i64 = gpube__addmax_i64(a.i64, b.i64, c.i64)};
	case GPUBE_FLOAT32:
		return (union word){.f32 = gpube__addmax_f32(a.f32, b.f32, c.f32)};
	default:
		return (union word){.f64 = gpube__addmax_f64(a.f64, b.f64, c.f64)};
	}
}

/* Word i of a row of a block, paired as the device lays it out. */
static union word word_at(
	const struct device *d, const void *values, uint32_t block, int row, int i, bool of_b)
{
	const uint64_t at = ((uint64_t)block << d->block_bits) + (uint64_t)i;
	union word w = {0};

	if (d->paired) {
		const int16_t *v = values;

		w.i16x2 = gpube__pair_word(
			v[at + (uint64_t)(gpube__paired_row(row, false, of_b) << d->r_bits)],
			v[at + (uint64_t)(gpube__paired_row(row, true, of_b) << d->r_bits)]);
		return w;
	}
	memcpy(&w,
		(const char *)values +
			(at + (uint64_t)(row << d->r_bits)) * gpube__type_size(d->s->type),
		gpube__type_size(d->s->type));
	return w;
}

static void convolve_lane(struct device *d, int lane, uint32_t y, uint32_t z)
{
	const struct gpube__lane l = gpube__lane(lane, d->paired);

	for (int x = 0; x < d->n_words; x++)
		for (int i = x;; i = (i - 1) & x) {
			d->c[lane][x] = addmax(d->s->type,
				word_at(d, d->s->a, y, l.a_row, i, false),
				word_at(d, d->s->b, z, l.b_row, x ^ i, true), d->c[lane][x]);
			if (i == 0)
				break;
		}
}

/* a + b with b = 0 is a: the maximum of two words. */
static union word best_word(enum gpube_type type, union word a, union word b)
{
	return addmax(type, a, (union word){0}, b);
}

static void reduce(struct device *d, int n_lanes, bool *alive)
{
	for (int i = 0; i < GPUBE_TRITS; i++) {
		for (int lane = 0; lane < n_lanes; lane++) {
			const struct gpube__lane l = gpube__lane(lane, d->paired);

			if (!alive[lane] || gpube__lane_digit(&l, i) != 2)
				continue;
			assert_in_range(gpube__lane_slot(&l, i), 0, GPUBE_LANES_PAIRED - 1);
			memcpy(d->slots[gpube__lane_slot(&l, i)], d->c[lane], sizeof(*d->slots));
			alive[lane] = false;
		}
		for (int lane = 0; lane < n_lanes; lane++) {
			const struct gpube__lane l = gpube__lane(lane, d->paired);

			if (!alive[lane] || gpube__lane_digit(&l, i) != 1)
				continue;
			for (int k = 0; k < d->n_words; k++)
				d->c[lane][k] = best_word(d->s->type, d->c[lane][k],
					d->slots[gpube__lane_slot(&l, i)][k]);
		}
	}
}

static void write_lane(const struct device *d, void *block, int lane)
{
	const struct gpube__lane l = gpube__lane(lane, d->paired);
	const size_t size = gpube__type_size(d->s->type);
	char *to = (char *)block + (size_t)(l.a_row << d->r_bits) * size;

	for (int i = 0; i < d->n_words; i++) {
		const int16_t half = gpube__best_half(d->c[lane][i].i16x2);

		memcpy(to + (size_t)i * size,
			d->paired ? (const void *)&half : (const void *)&d->c[lane][i], size);
	}
}

static void run_item(struct device *d, const struct gpube__block_item *item, void *scratch)
{
	const int n_lanes = d->paired ? GPUBE_LANES_PAIRED : GPUBE_LANES_SINGLE;
	const size_t block_bytes = gpube__type_size(d->s->type) << d->block_bits;
	bool alive[GPUBE_LANES_SINGLE];

	for (int lane = 0; lane < n_lanes; lane++) {
		alive[lane] = true;
		for (int i = 0; i < d->n_words; i++)
			d->c[lane][i] = lowest(d->s->type);
		for (uint32_t sub = item->free;; sub = (sub - 1) & item->free) {
			convolve_lane(d, lane, item->fixed | sub, item->x ^ item->fixed ^ sub);
			if (sub == 0)
				break;
		}
	}
	reduce(d, n_lanes, alive);
	for (int lane = 0; lane < n_lanes; lane++)
		if (alive[lane])
			write_lane(d,
				item->slot >= 0 ? (char *)scratch + (size_t)item->slot * block_bytes
						: (char *)d->s->out + item->x * block_bytes,
				lane);
}

/* As merge_kernel: the reference's convolution with a single 0 would do the same. */
static void merge(const struct gpube_subset *s, const struct gpube__block_merge *m,
	const void *scratch, int block_bits)
{
	const size_t size = gpube__type_size(s->type);

	for (uint32_t i = 0; i >> block_bits == 0; i++) {
		union word best = lowest(s->type == GPUBE_INT16 ? GPUBE_INT32 : s->type);

		for (uint32_t k = 0; k < m->n; k++) {
			const char *from = (const char *)scratch +
					   ((((uint64_t)m->slot + k) << block_bits) + i) * size;
			union word v = {0};

			memcpy(&v, from, size);
			if (s->type == GPUBE_INT16)
				v.i32 = (int16_t)v.i32;
			best = best_word(s->type == GPUBE_INT16 ? GPUBE_INT32 : s->type, v, best);
		}
		memcpy((char *)s->out + (((uint64_t)m->x << block_bits) + i) * size, &best, size);
	}
}

static void run_device(const struct gpube_subset *s, int most_free)
{
	struct device d = {.s = s, .paired = s->type == GPUBE_INT16};
	struct gpube__block_item *items;
	struct gpube__block_merge *merges;
	struct gpube__block_plan plan;
	void *scratch;
	int bits;

	d.r_bits = gpube__register_bits(s->type);
	d.block_bits = gpube__block_bits(s->type);
	d.n_words = 1 << d.r_bits;
	d.c = malloc(GPUBE_LANES_SINGLE * sizeof(*d.c));
	bits = s->n_bits - d.block_bits;
	plan = gpube__plan_blocks(bits, most_free);
	items = malloc((plan.n_items + 1) * sizeof(*items));
	merges = malloc((plan.n_merges + 1) * sizeof(*merges));
	scratch = malloc(((plan.n_slots + 1) * gpube__type_size(s->type)) << d.block_bits);
	assert_true(d.c && items && merges && scratch);
	gpube__fill_blocks(items, merges, bits, most_free);
	for (uint64_t i = 0; i < plan.n_items; i++)
		run_item(&d, &items[i], scratch);
	for (uint64_t i = 0; i < plan.n_merges; i++)
		merge(s, &merges[i], scratch, d.block_bits);
	free(scratch);
	free(merges);
	free(items);
	free(d.c);
}

static void put(void *values, enum gpube_type type, uint64_t i, int64_t v)
{
	switch (type) {
	case GPUBE_INT16:
		((int16_t *)values)[i] = v % 11 == 0 ? -16000 : (int16_t)(v % 12000 - 3000);
		break;
	case GPUBE_INT32:
		((int32_t *)values)[i] = (int32_t)(v % 1000000000 - 400000000);
		break;
	case GPUBE_INT64:
		((int64_t *)values)[i] = v / 4 - ((int64_t)1 << 60);
		break;
	case GPUBE_FLOAT32:
		((float *)values)[i] = v % 11 == 0 ? -INFINITY : (float)(v % 100000) * 0.37F;
		break;
	default:
		((double *)values)[i] = v % 11 == 0 ? -INFINITY : (double)(v % 100000) * 0.37;
		break;
	}
}

/* a, b, out, expected: four arrays of 2^n_bits. */
static char *arrays(const struct row *row, struct gpube_subset *s)
{
	const size_t bytes = gpube__type_size(row->type) << row->n_bits;
	char *memory = malloc(4 * bytes);
	struct gpube_rng rng;

	assert_non_null(memory);
	gpube__rng_init(&rng, (uint64_t)row->n_bits);
	for (uint64_t i = 0; i < (uint64_t)2 << row->n_bits; i++)
		put(memory, row->type, i, (int64_t)gpube__rng_next(&rng) >> 1 & INT64_MAX);
	memset(memory + 2 * bytes, 0x55, 2 * bytes);
	*s = (struct gpube_subset){
		row->type, row->n_bits, memory, memory + bytes, memory + 3 * bytes, 0, 0, 0, 0};
	return memory;
}

static void equals_reference(void **state)
{
	const struct row *row = *state;
	const size_t bytes = gpube__type_size(row->type) << row->n_bits;
	struct gpube_subset s;
	struct gpube_ctx *ctx;
	char *memory = arrays(row, &s);

	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	assert_int_equal(gpube__subset_reference(ctx, &s), GPUBE_OK);
	s.out = memory + 2 * bytes;
	run_device(&s, 1);
	assert_memory_equal(memory + 2 * bytes, memory + 3 * bytes, bytes);
	free(memory);
	gpube_ctx_free(ctx);
}

/* ---- plan and lanes --------------------------------------------------------------------- */

/* Every pair of disjoint blocks once, and the large items first. */
static void plans(void **state)
{
	(void)state;
	for (int bits = 0; bits <= 7; bits++)
		for (int most = 0; most <= bits; most++) {
			const struct gpube__block_plan p = gpube__plan_blocks(bits, most);
			struct gpube__block_item items[2500];
			struct gpube__block_merge merges[200];
			uint8_t seen[128][128] = {{0}};
			uint64_t pairs = 0, slots = 0;
			int size = bits;

			assert_true(p.n_items <= 2500 && p.n_merges <= 200);
			gpube__fill_blocks(items, merges, bits, most);
			for (uint64_t i = 0; i < p.n_items; i++) {
				const struct gpube__block_item *t = &items[i];

				assert_true(__builtin_popcount(t->free) <= size);
				size = __builtin_popcount(t->free);
				assert_true(size <= most);
				for (uint32_t sub = t->free;; sub = (sub - 1) & t->free) {
					const uint32_t y = t->fixed | sub;

					assert_int_equal(y & ~t->x, 0);
					assert_int_equal(seen[t->x][y]++, 0);
					pairs++;
					if (!sub)
						break;
				}
				if (t->slot >= 0)
					assert_int_equal(t->slot, slots++);
			}
			assert_int_equal(pairs, gpube__pow3(bits));
			assert_int_equal(slots, p.n_slots);
		}
	assert_int_equal(gpube__most_free(0, 264), 0);
	assert_in_range(gpube__most_free(17, 264), 14, 17);
}

/* The parts' items are all items, and no part has much more than another. */
static void shares(void **state)
{
	const int bits = 7, most = 3;

	(void)state;
	for (int n_parts = 1; n_parts <= 4; n_parts++) {
		const struct gpube__block_plan all = gpube__plan_blocks(bits, most);
		uint64_t items_seen = 0, merges_seen = 0, pairs_all = 0;
		uint8_t owner[GPUBE_SEGMENTS];

		gpube__share_segments(owner, GPUBE_SEGMENT_BITS, n_parts);
		for (int part = 0; part < n_parts; part++) {
			struct gpube__block_item items[2500];
			struct gpube__block_merge merges[200];
			struct gpube__block_plan p = all;
			uint64_t pairs = 0;

			assert_true(p.n_items <= 2500 && p.n_merges <= 200);
			gpube__fill_blocks(items, merges, bits, most);
			gpube__keep_segments(items, merges, &p, bits, owner, part);
			for (uint64_t i = 0; i < p.n_items; i++) {
				assert_int_equal(owner[items[i].x >> 2], part);
				pairs += (uint64_t)1 << __builtin_popcount(items[i].free);
			}
			items_seen += p.n_items;
			merges_seen += p.n_merges;
			pairs_all += pairs;
			assert_true((double)pairs < 1.03 * (double)gpube__pow3(bits) / n_parts + 1);
		}
		assert_int_equal(items_seen, all.n_items);
		assert_int_equal(merges_seen, all.n_merges);
		assert_int_equal(pairs_all, gpube__pow3(bits));
	}
}

/* Subsets of a size by their number, and by the one before. */
static void subsets_of_size(void **state)
{
	(void)state;
	for (int n = 1; n <= 9; n++)
		for (int k = 1; k <= n; k++) {
			uint64_t i = 0, x = ((uint64_t)1 << k) - 1;

			for (uint64_t c = 0; c < (uint64_t)1 << n; c++) {
				if (__builtin_popcountll(c) != k)
					continue;
				assert_int_equal(gpube__subset_of_size(n, k, i++), c);
				assert_int_equal(x, c);
				x = gpube__next_of_size(x);
			}
			assert_int_equal(gpube__n_of_size(n, k), i);
		}
	assert_int_equal(gpube__n_of_size(40, 20), 137846528820);
	assert_int_equal(
		gpube__subset_of_size(40, 20, 137846528819), (((uint64_t)1 << 20) - 1) << 20);
}

/* Each way to use the row bits has one lane, or one half of a lane. */
static void lanes(void **state)
{
	(void)state;
	for (int paired = 0; paired <= 1; paired++) {
		uint8_t seen[GPUBE_ROWS][GPUBE_ROWS] = {{0}};
		const int n = paired ? GPUBE_LANES_PAIRED : GPUBE_LANES_SINGLE;

		for (int lane = 0; lane < n; lane++) {
			const struct gpube__lane l = gpube__lane(lane, paired);

			for (int high = 0; high <= paired; high++) {
				const int y =
					paired ? gpube__paired_row(l.a_row, high, false) : l.a_row;
				const int z =
					paired ? gpube__paired_row(l.b_row, high, true) : l.b_row;

				assert_int_equal(y & z, 0);
				/* with no row bit at all both halves do the same */
				assert_int_equal(seen[y][z], high && lane == 0);
				seen[y][z] = 1;
			}
		}
	}
}

static void no_bank_conflicts(void **state)
{
	(void)state;
	for (int paired = 0; paired <= 1; paired++) {
		const int n = paired ? GPUBE_LANES_PAIRED : GPUBE_LANES_SINGLE;
		uint8_t order[256], seen[256] = {0};

		gpube__lane_order(order, paired);
		for (int i = 0; i < n; i++) {
			assert_int_equal(seen[order[i]]++, 0);
			for (int j = i / 8 * 8; j < i; j++) {
				const struct gpube__lane l = gpube__lane(order[i], paired);
				const struct gpube__lane m = gpube__lane(order[j], paired);

				assert_true(l.a_row == m.a_row || (l.a_row - m.a_row) % 8 != 0);
				assert_true(l.b_row == m.b_row || (l.b_row - m.b_row) % 8 != 0);
			}
		}
	}
}

/* ---- the split that attains a value ------------------------------------------------------- */

static void best_split(void **state)
{
	const struct row *row = *state;
	struct gpube_subset c;
	struct gpube_ctx *ctx;
	char *memory = arrays(row, &c);
	const uint64_t masks[] = {0, 1, 0x15, ((uint64_t)1 << row->n_bits) - 1,
		(((uint64_t)1 << row->n_bits) - 1) & 0x2dbb7};

	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	assert_int_equal(gpube__subset_reference(ctx, &c), GPUBE_OK);
	for (size_t k = 0; k < sizeof(masks) / sizeof(*masks); k++) {
		struct gpube_subset_split s = {
			.type = row->type, .a = c.a, .b = c.b, .x = masks[k]};
		const size_t size = gpube__type_size(row->type);
		int64_t i = 0;
		float f;

		assert_int_equal(gpube__subset_cpu()->best(ctx, &s), GPUBE_OK);
		assert_int_equal(s.y & ~s.x, 0);
		memcpy(&i, (const char *)c.out + s.x * size, size);
		memcpy(&f, &i, sizeof(f));
		if (row->type == GPUBE_FLOAT32)
			assert_true(f == (float)s.sum.f);
		else if (row->type == GPUBE_FLOAT64)
			assert_memory_equal(&i, &s.sum.f, 8);
		else
			assert_int_equal(s.sum.i, row->type == GPUBE_INT16   ? (int16_t)i
						  : row->type == GPUBE_INT32 ? (int32_t)i
									     : i);
	}
	free(memory);
	gpube_ctx_free(ctx);
}

/* All splits are worth the same: the least one. */
static void first_of_ties(void **state)
{
	static const int32_t zeros[1 << 18];
	struct gpube_subset_split s = {
		.type = GPUBE_INT32, .a = zeros, .b = zeros, .x = (1 << 18) - 1, .y = 5};
	struct gpube_ctx *ctx;

	(void)state;
	assert_int_equal(gpube_ctx_new(&ctx, NULL), GPUBE_OK);
	assert_int_equal(gpube__subset_cpu()->best(ctx, &s), GPUBE_OK);
	assert_int_equal(s.y, 0);
	for (int k = 0; k < 3; k++) {
		static const int places[] = {200000, 70001, 70000};
		static int32_t values[1 << 18];
		static float reals[1 << 18];

		values[places[k]] = 7;
		reals[places[k]] = 7;
		s.type = GPUBE_INT32;
		s.a = values;
		assert_int_equal(gpube__subset_cpu()->best(ctx, &s), GPUBE_OK);
		assert_int_equal(s.y, places[k]);
		assert_true(s.sum.i == 7);
		s.type = GPUBE_FLOAT32;
		s.a = reals;
		assert_int_equal(gpube__subset_cpu()->best(ctx, &s), GPUBE_OK);
		assert_int_equal(s.y, places[k]);
		assert_true(s.sum.f == 7);
	}
	gpube_ctx_stop(ctx);
	assert_int_equal(gpube__subset_cpu()->best(ctx, &s), GPUBE_ESTOP);
	gpube_ctx_free(ctx);
}

static const char *const type_names[] = {"int8", "int16", "int32", "int64", "float32", "float64"};
static struct row rows[2][16];
static struct CMUnitTest tests[40];

int main(void)
{
	size_t n = 0, k = 0;

	tests[n++] = (struct CMUnitTest)cmocka_unit_test(plans);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(lanes);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(subsets_of_size);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(shares);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(no_bank_conflicts);
	tests[n++] = (struct CMUnitTest)cmocka_unit_test(first_of_ties);
	for (int type = GPUBE_INT16; type <= GPUBE_FLOAT64; type++)
		for (int bits = 0; bits <= 2; bits += 2, k++) {
			struct row *row = &rows[0][k], *split = &rows[1][k];

			*row = (struct row){.type = (enum gpube_type)type};
			row->n_bits = gpube__block_bits(row->type) + bits;
			*split = *row;
			split->n_bits = bits ? 13 : 5;
			snprintf(row->name, sizeof(row->name), "blocks: %s, %d bits",
				type_names[type], row->n_bits);
			snprintf(split->name, sizeof(split->name), "best split: %s, %d bits",
				type_names[type], split->n_bits);
			tests[n++] =
				(struct CMUnitTest){row->name, equals_reference, NULL, NULL, row};
			tests[n++] =
				(struct CMUnitTest){split->name, best_split, NULL, NULL, split};
		}
	return _cmocka_run_group_tests("subset blocks", tests, n, NULL, NULL);
}
