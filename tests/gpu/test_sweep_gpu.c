/* Sweeps on the GPU leave the CPU's costs, in every bit, and so do probes: one case a seed. */
#include "tests/support/test.h"

#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/ops/sweep_plans.h"

enum { N_SEEDS = 40, N_SWEEPS = 6, N_PROBES = 37 };

static const struct gpube_sweep_ops *ops;
/* Of a thread alone, and of one of many, whose states have fewer blocks. */
static struct gpube_sweep_card *alone, *one_of_many;

static void card_opens(void **state)
{
	(void)state;
	assert_non_null(alone);
	assert_non_null(one_of_many);
}

static struct gpube_sweep_card *card_of(uint64_t seed)
{
	return seed / 4 % 2 ? one_of_many : alone;
}

static void sweep_host(const struct sweep_case *c, struct gpube_sweep_state *s, int n, bool back)
{
	int32_t *room = gpube__sweep_room(ctx, &c->plan);

	assert_non_null(room);
	for (int k = 0; k < n; k++)
		gpube__sweep_cpu(ctx, &c->plan, s, back != (k % 2), room);
	gpube__free(ctx, room);
}

static void as_on_the_host(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct gpube_sweep_card *card = card_of(seed);
	struct sweep_case c;
	int64_t constant[N_SWEEPS];
	int32_t *back;

	sweep_case_make(&c, seed, seed % 4 == 3);
	back = sweep_case_costs(&c);
	assert_int_equal(ops->load(card, &c.plan, &c.state), 0);
	for (int k = 0; k < 3 && c.state.constant < c.state.target; k++) {
		assert_int_equal(ops->sweep(card, c.state.target, N_SWEEPS, k % 2, constant), 0);
		for (int j = 0; j < N_SWEEPS; j++) {
			sweep_host(&c, &c.state, 1, (k + j) % 2);
			assert_int_equal(constant[j], c.state.constant);
		}
		assert_int_equal(ops->store(card, back), 0);
		if (c.state.constant < c.state.target)
			assert_memory_equal(
				back, c.state.costs, (size_t)c.plan.n_costs * sizeof(*back));
	}
	free(back);
	sweep_case_free(&c);
}

/* Each with a few entries forbidden; the state stays. */
static void probes(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct gpube_sweep_card *card = card_of(seed);
	struct sweep_case c;
	struct gpube_rng rng;
	int64_t dead_at[N_PROBES + 1] = {0}, constant[N_PROBES];
	const int64_t n_entries = 20;
	int32_t dead[N_PROBES * 20], *back;

	sweep_case_make(&c, seed, seed % 4 == 3);
	gpube__rng_init(&rng, seed);
	for (int k = 0; k < N_PROBES; k++) {
		dead_at[k + 1] = dead_at[k];
		for (int64_t i = 0; i < n_entries && k % 3; i++)
			dead[dead_at[k + 1]++] =
				(int32_t)gpube__rng_below(&rng, (uint64_t)c.list_at[c.n_lists]);
	}
	back = sweep_case_costs(&c);
	assert_int_equal(ops->load(card, &c.plan, &c.state), 0);
	assert_int_equal(
		ops->probe(card, c.state.target, N_PROBES, dead_at, dead, N_SWEEPS, constant), 0);
	for (int k = 0; k < N_PROBES; k++) {
		struct gpube_sweep_state s = c.state;

		s.costs = sweep_case_costs(&c);
		for (int64_t i = dead_at[k]; i < dead_at[k + 1]; i++)
			s.costs[dead[i]] = GPUBE__REGION_FORBIDDEN;
		sweep_host(&c, &s, N_SWEEPS, false);
		assert_int_equal(constant[k], s.constant);
		free(s.costs);
	}
	assert_int_equal(ops->store(card, back), 0);
	assert_memory_equal(back, c.state.costs, (size_t)c.plan.n_costs * sizeof(*back));
	free(back);
	sweep_case_free(&c);
}

/* A plan that the card's part has no room for is refused, and another taken after it. */
static void no_room(void **state)
{
	struct gpube_sweep_card *small;
	struct sweep_case c;
	int64_t constant;

	(void)state;
	assert_int_equal(ops->open(&small, ctx, ctx, 512 << 10, 1), 0);
	sweep_case_make(&c, 7, true);
	assert_true(c.plan.n_cells > 512 << 8); /* of four bytes */
	assert_int_equal(ops->load(small, &c.plan, &c.state), GPUBE_ELIMIT);
	sweep_case_free(&c);
	sweep_case_make(&c, 1, false);
	assert_int_equal(ops->load(small, &c.plan, &c.state), 0);
	assert_int_equal(ops->sweep(small, c.state.target, 1, false, &constant), 0);
	sweep_host(&c, &c.state, 1, false);
	assert_int_equal(constant, c.state.constant);
	sweep_case_free(&c);
	ops->close(small);
}

int main(void)
{
	struct cases c = {0};
	int status, failed;

	if (ctx_setup(NULL))
		return 1;
	ops = gpube__sweep_cuda(ctx, &status);
	if (ops) {
		(void)ops->open(&alone, ctx, ctx, 256 << 20, 1);
		(void)ops->open(&one_of_many, ctx, ctx, 256 << 20, 32);
	}
	add_case(&c, device_opens, NULL, "device");
	if (ops)
		add_case(&c, card_opens, NULL, "cards");
	if (alone && one_of_many) {
		add_numbers(&c, as_on_the_host, N_SEEDS, "as on the host");
		add_numbers(&c, probes, N_SEEDS, "probes");
		add_case(&c, no_room, NULL, "no room");
	}
	failed = run_cases(&c, "sweeps on the GPU", NULL, NULL);
	if (ops) {
		ops->close(alone);
		ops->close(one_of_many);
	}
	(void)ctx_teardown(NULL);
	return failed;
}
