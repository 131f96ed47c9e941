/*
 * Projections of tables of any shape onto tables of some of their variables, beside plain indexing:
 * the least cells, and additions, by one thread and by three that share the work.
 */
#include "tests/support/test.h"

#include "gpube/relax/projection.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"

enum { N_SEEDS = 400, MOST_VARS = 14 };

/* A table over some variables; those of 'small' have a bit in 'own'. */
struct shape {
	int n;
	int32_t domain[MOST_VARS], large[MOST_VARS], small[MOST_VARS];
	int n_small;
	int64_t cells, small_cells;
};

static struct shape draw(struct gpube_rng *rng, int64_t most)
{
	const uint32_t most_domain = 2 + gpube__rng_below(rng, 5);
	struct shape s = {.cells = 1, .small_cells = 1};

	for (int32_t v = 0; v < MOST_VARS; v++) {
		/* now and then one value, or many */
		const int32_t d = gpube__rng_below(rng, 12) == 0
					  ? (gpube__rng_below(rng, 2) ? 1 : 40)
					  : 1 + (int32_t)gpube__rng_below(rng, most_domain);

		s.domain[v] = d;
		if (s.cells * d > most || gpube__rng_below(rng, 6) == 0)
			continue;
		s.large[s.n++] = v;
		s.cells *= d;
		if (gpube__rng_below(rng, 2)) {
			s.small[s.n_small++] = v;
			s.small_cells *= d;
		}
	}
	return s;
}

/* The separator's cell under a cell of the table. */
static int64_t under(const struct shape *s, int64_t cell)
{
	int64_t at = 0, stride = 1;
	int k = s->n_small - 1;

	for (int j = s->n - 1; j >= 0; j--) {
		const int32_t d = s->domain[s->large[j]];

		if (k >= 0 && s->small[k] == s->large[j]) {
			at += cell % d * stride;
			stride *= d;
			k--;
		}
		cell /= d;
	}
	return at;
}

static int32_t *draw_cells(struct gpube_rng *rng, int64_t n, int32_t most)
{
	int32_t *t = gpube__alloc(ctx, (uint64_t)n + 1, sizeof(*t));

	assert_non_null(t);
	for (int64_t k = 0; k < n; k++)
		t[k] = gpube__rng_below(rng, 9) == 0
			       ? GPUBE__REGION_FORBIDDEN
			       : (int32_t)gpube__rng_below(rng, (uint32_t)most);
	return t;
}

static void check(uint64_t seed, int64_t most, int n_threads)
{
	enum { MOST = 1000, SLACK = 900 };
	struct gpube_rng rng;
	struct gpube_projection p;
	struct shape s;
	int32_t *t, *was, *m, *least, *rooms;

	gpube__rng_init(&rng, seed);
	s = draw(&rng, most);
	t = draw_cells(&rng, s.cells, MOST);
	ctx->n_threads = n_threads;
	was = gpube__alloc(ctx, (uint64_t)s.cells, sizeof(*was));
	m = gpube__alloc(ctx, (uint64_t)s.small_cells, sizeof(*m));
	least = gpube__alloc(ctx, (uint64_t)s.small_cells, sizeof(*least));
	rooms = gpube__alloc(ctx, (uint64_t)(n_threads * s.small_cells), sizeof(*rooms));
	assert_true(was && m && least && rooms);
	assert_int_equal(
		gpube__projection_init(ctx, &p, s.domain, s.large, s.n, s.small, s.n_small), 0);
	assert_int_equal(p.cells, s.cells);
	assert_int_equal(p.small_cells, s.small_cells);
	gpube__project_least_shared(ctx, &p, m, t, seed % 2 ? NULL : rooms);
	for (int64_t k = 0; k < s.small_cells; k++)
		least[k] = GPUBE__REGION_FORBIDDEN;
	for (int64_t c = 0; c < s.cells; c++)
		if (t[c] < least[under(&s, c)])
			least[under(&s, c)] = t[c];
	assert_memory_equal(m, least, (size_t)s.small_cells * sizeof(*m));

	/* a part of it is taken out again, or something is added */
	for (int64_t k = 0; k < s.small_cells; k++)
		if (m[k] < GPUBE__REGION_FORBIDDEN)
			m[k] = seed % 3 ? -m[k] / 2 : (int32_t)gpube__rng_below(&rng, MOST);
	memcpy(was, t, (size_t)s.cells * sizeof(*t));
	if (seed % 2)
		gpube__project_add(&p, t, m, SLACK);
	else
		gpube__project_add_shared(ctx, &p, t, m, SLACK);
	for (int64_t c = 0; c < s.cells; c++) {
		const int64_t sum = (int64_t)was[c] + m[under(&s, c)];

		assert_int_equal(t[c], sum >= SLACK ? GPUBE__REGION_FORBIDDEN : sum);
	}
	gpube__projection_clear(ctx, &p);
	gpube__free(ctx, t);
	gpube__free(ctx, was);
	gpube__free(ctx, m);
	gpube__free(ctx, least);
	gpube__free(ctx, rooms);
	ctx->n_threads = 1;
}

static void small_tables(void **state)
{
	check((uint64_t)(uintptr_t)*state, 3000, 1);
}

/* Of more than a block, and of more than what is worth waking threads for. */
static void large_tables(void **state)
{
	check((uint64_t)(uintptr_t)*state, 3000000, 1 + 2 * ((uintptr_t)*state / 2 % 2));
}

int main(void)
{
	struct cases c = {0};

	add_numbers(&c, small_tables, N_SEEDS, "small table, seed");
	add_numbers(&c, large_tables, 40, "large table, seed");
	return run_cases(&c, "projection", ctx_setup_1_thread, ctx_teardown);
}
