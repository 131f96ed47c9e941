/* memory.c - see memory.h. */
#include "tests/support/memory.h"
#include "gpube/options/options.h"

#include "gpube/ir/model.h"
#include "tests/support/random_model.h"
#include "tests/support/test.h"

static void *counted_realloc(void *arg, void *p, size_t size)
{
	struct test_memory *m = arg;
	void *q;

	if (size == 0) {
		__atomic_fetch_sub(&m->live, p != NULL, __ATOMIC_RELAXED);
		free(p);
		return NULL;
	}
	if (__atomic_fetch_add(&m->n, 1, __ATOMIC_RELAXED) == m->fail_at)
		return NULL;
	q = realloc(p, size);
	__atomic_fetch_add(&m->live, q && !p, __ATOMIC_RELAXED);
	return q;
}

struct gpube_ctx *test_memory_ctx(struct test_memory *m)
{
	struct gpube_opts opts = {.realloc = counted_realloc, .realloc_arg = m};
	struct gpube_ctx *ctx;
	long fail_at = m->fail_at;

	m->fail_at = -1;
	assert_int_equal(gpube_ctx_new(&ctx, &opts), GPUBE_OK);
	*m = (struct test_memory){.fail_at = fail_at};
	return ctx;
}

void test_memory_end(struct gpube_ctx *ctx, const struct test_memory *m)
{
	gpube_ctx_free(ctx);
	assert_int_equal(m->live, -1); /* the context, which was not counted */
}

/*
 * 'strict': the work cannot do without any of its allocations; otherwise each fails in turn even
 * so.
 */
static long fail_each(
	scarce_work work, scarce_model make, const void *arg, long sparse, bool strict)
{
	for (long at = 0;; at += sparse ? 1 + at / sparse : 1) {
		struct test_memory memory = {.fail_at = -1};
		struct gpube_ctx *ctx = test_memory_ctx(&memory);
		struct gpube_model *m = make ? make(ctx, arg) : NULL;
		int status;

		memory.n = 0;
		memory.fail_at = at;
		status = work(ctx, m, arg);
		if (status ? status != GPUBE_ENOMEM || memory.n <= at : strict && memory.n > at)
			fail_msg("status %d with %ld allocations, number %ld failing: %s", status,
				memory.n, at, gpube_error(ctx));
		gpube_model_free(m);
		test_memory_end(ctx, &memory);
		if (strict ? !status : memory.n <= at)
			return memory.n;
	}
}

long fail_each_allocation(scarce_work work, scarce_model make, const void *arg, long sparse)
{
	return fail_each(work, make, arg, sparse, true);
}

long fail_in_turn(scarce_work work, scarce_model make, const void *arg, long sparse)
{
	return fail_each(work, make, arg, sparse, false);
}

struct random_work {
	scarce_work work;
	const void *arg;
	uint64_t seed;
};

static struct gpube_model *random_of_seed(struct gpube_ctx *ctx, const void *arg)
{
	const struct random_work *r = arg;
	struct random_spec spec = random_spec_default();
	struct gpube_model *m;

	ctx->n_threads = 1;
	ctx->memory_bytes = 1 << 26;
	m = random_model(ctx, &spec, r->seed);
	assert_non_null(m);
	return m;
}

static int work_of(struct gpube_ctx *ctx, struct gpube_model *m, const void *arg)
{
	const struct random_work *r = arg;

	return r->work(ctx, m, r->arg);
}

void fail_on_random_model(scarce_work work, const void *arg, uint64_t seed, long sparse)
{
	const struct random_work r = {work, arg, seed};

	(void)fail_in_turn(work_of, random_of_seed, &r, sparse);
}
