/*
 * The memory of a device, without one: tables of an arena never overlap and lie in its pieces, and
 * what was given back is there again, in pieces that grow where their memory can.
 */
#include "tests/support/test.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"

#include "gpube/base/base.h"
#include "gpube/ops/device/arena.h"

#define MIB (1ull << 20)
#define GIB (1ull << 30)

enum { MAX_PIECES = 64, MAX_TABLES = 64, STEPS = 3000 };

/* Addresses alone, since an arena touches nothing: each piece has 2^40 of them to itself. */
struct supply {
	struct gpube__source source;
	uint64_t there, taken; /* bytes */
	int n_got, n_extended, n_given, n_refused;
	struct gpube__piece pieces[MAX_PIECES]; /* 'at' NULL: given back */
};

static const char *supply_get(struct gpube__source *s, struct gpube__piece *p, uint64_t bytes)
{
	struct supply *from = (struct supply *)s;
	int k = 0;

	assert_int_equal(bytes % s->step, 0);
	if (bytes > from->there - from->taken) {
		from->n_refused++;
		return "none is left";
	}
	while (k < MAX_PIECES && from->pieces[k].at)
		k++;
	assert_true(k < MAX_PIECES);
	p->at = (char *)((uintptr_t)(k + 1) << 40);
	p->bytes = bytes;
	p->source = NULL;
	from->pieces[k] = *p;
	from->taken += bytes;
	from->n_got++;
	return NULL;
}

static struct gpube__piece *known(struct supply *from, const struct gpube__piece *p)
{
	struct gpube__piece *k = &from->pieces[((uintptr_t)p->at >> 40) - 1];

	assert_ptr_equal(k->at, p->at);
	assert_int_equal(k->bytes, p->bytes);
	return k;
}

static bool supply_extend(struct gpube__source *s, struct gpube__piece *p, uint64_t bytes)
{
	struct supply *from = (struct supply *)s;

	assert_int_equal(bytes % s->step, 0);
	if (bytes > from->there - from->taken)
		return false;
	known(from, p)->bytes += bytes;
	p->bytes += bytes;
	from->taken += bytes;
	from->n_extended++;
	return true;
}

static void supply_give(struct gpube__source *s, struct gpube__piece *p)
{
	struct supply *from = (struct supply *)s;

	known(from, p)->at = NULL;
	from->taken -= p->bytes;
	from->n_given++;
}

static struct supply supply;
static struct gpube__arena *arena;

static void begin(bool lengthens, uint64_t there, uint64_t limit)
{
	supply = (struct supply){
		{supply_get, supply_extend, supply_give, lengthens ? 2 * MIB : 1, lengthens},
		.there = there};
	assert_int_equal(gpube__arena_new(&arena, ctx, &supply.source, limit), GPUBE_OK);
}

static void end(void)
{
	gpube__arena_free(arena, ctx);
	assert_int_equal(supply.taken, 0);
	assert_int_equal(supply.n_given, supply.n_got);
}

static char *take(uint64_t bytes)
{
	return gpube__arena_take(arena, ctx, bytes);
}

struct table {
	char *at;
	uint64_t bytes;
};

static void check_table(const struct table *t, const struct table *all, int n)
{
	bool inside = false;

	assert_int_equal((uintptr_t)t->at % 256, 0);
	for (int k = 0; k < MAX_PIECES; k++) {
		const struct gpube__piece *p = &supply.pieces[k];

		inside |= p->at && t->at >= p->at && t->at + t->bytes <= p->at + p->bytes;
	}
	assert_true(inside);
	for (int k = 0; k < n; k++)
		assert_true(&all[k] == t || t->at + t->bytes <= all[k].at ||
			    all[k].at + all[k].bytes <= t->at);
}

/* Of all sizes, in any order, until nothing is left and afterwards. */
static void random_tables(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	const uint64_t limit = GIB << seed % 4, there = seed % 3 ? limit : limit / 2;
	struct table tables[MAX_TABLES];
	struct gpube_rng rng;
	int n = 0, n_full = 0;

	begin(seed % 2, there, limit);
	gpube__rng_init(&rng, seed);
	for (int i = 0; i < STEPS; i++) {
		if (n < MAX_TABLES && gpube__rng_below(&rng, 2)) {
			struct table *t = &tables[n];

			t->bytes =
				1 + gpube__rng_below(&rng, limit / 2 >> gpube__rng_below(&rng, 24));
			t->at = take(t->bytes);
			n_full += !t->at;
			if (t->at)
				check_table(t, tables, ++n);
		} else if (n) {
			const uint64_t k = gpube__rng_below(&rng, (uint64_t)n);

			gpube__arena_give(arena, ctx, tables[k].at);
			tables[k] = tables[--n];
		}
		assert_true(supply.taken <= limit);
	}
	assert_true(n_full > 0 && n_full < STEPS / 4);
	while (n)
		gpube__arena_give(arena, ctx, tables[--n].at);
	assert_int_equal(gpube__arena_left(arena), limit);
	/* whatever was there before, half of it is there in one piece */
	assert_non_null(take(there / 2));
	end();
}

/* Ever larger tables, one after the other, beside small ones that stay: none of it goes back. */
static void grows_in_place(void **state)
{
	char *first = NULL;

	(void)state;
	begin(true, 8 * GIB, 8 * GIB);
	assert_non_null(take(1000));
	for (uint64_t bytes = 100 * MIB; bytes <= 7 * GIB; bytes += 50 * MIB) {
		char *at = take(bytes);

		assert_non_null(at);
		first = first ? first : at;
		assert_ptr_equal(at, first);
		assert_non_null(take(5000));
		gpube__arena_give(arena, ctx, at);
		assert_true(supply.taken <= bytes + bytes / 8 + 66 * MIB);
	}
	assert_int_equal(supply.n_got, 2);
	assert_int_equal(supply.n_given, 0);
	assert_true(supply.n_extended < 60);
	end();
}

/* What follows a table at the end of a piece begins where that ends. */
static void grows_behind_a_table(void **state)
{
	char *a, *b;

	(void)state;
	begin(true, GIB, GIB);
	assert_non_null(take(1000));
	a = take(100 * MIB);
	b = take(300 * MIB);
	assert_non_null(a);
	assert_ptr_equal(b, a + 100 * MIB);
	gpube__arena_give(arena, ctx, a);
	gpube__arena_give(arena, ctx, b);
	assert_ptr_equal(take(400 * MIB), a);
	end();
}

/* Where pieces stay as they are, those that nobody uses make room for a larger one. */
static void gives_back(void **state)
{
	char *at;

	(void)state;
	begin(false, GIB, GIB);
	assert_non_null(take(1000));
	at = take(500 * MIB);
	assert_non_null(at);
	assert_null(take(600 * MIB));
	gpube__arena_give(arena, ctx, at);
	assert_non_null(take(600 * MIB));
	assert_int_equal(supply.n_given, 1);
	end();
}

/* Less is there than the limit says: what is asked for beyond need is not insisted on. */
static void takes_what_is_there(void **state)
{
	(void)state;
	for (int lengthens = 0; lengthens < 2; lengthens++) {
		begin(lengthens, 400 * MIB, 8 * GIB);
		assert_non_null(take(1000));
		assert_non_null(take(200 * MIB));
		assert_non_null(take(130 * MIB));
		assert_null(take(100 * MIB));
		assert_non_null(strstr(gpube_error(ctx), "none is left"));
		end();
	}
}

int main(int argc, char **argv)
{
	struct cases c = {0};

	add_numbers(&c, random_tables, 24, "tables");
	ADD_CASE(&c, grows_in_place);
	ADD_CASE(&c, grows_behind_a_table);
	ADD_CASE(&c, gives_back);
	ADD_CASE(&c, takes_what_is_there);
	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return run_cases(&c, "arena", ctx_setup, ctx_teardown);
}
