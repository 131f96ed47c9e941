/*
 * Sweeps over lists: what any choice of entries that agree costs in all stays what it was, nothing
 * gets negative, and the threads make no difference. One case a seed.
 */
#include "tests/support/test.h"

#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/ops/sweep_plans.h"

enum { N_SEEDS = 60, N_CHOICES = 200 };

static int64_t n_compared; /* choices, by all cases so far */

/*
 * The separators of one wave with what one entry of each of its members costs: entries that are of
 * one cell for every separator. -1: one of them is forbidden.
 */
static int64_t cost_of(const struct sweep_case *c, const int64_t *entry)
{
	const struct gpube_sweep_plan *p = &c->plan;
	int64_t sum = c->state.constant;

	for (int32_t k = 0; k < p->n_separators; k++) {
		const struct gpube_sweep_separator *b = &p->separators[k];
		const struct gpube_sweep_member *a = &p->members[b->member];
		const int32_t cost = c->state.costs[b->at + p->cells[a->cell + entry[b->member]]];

		if (cost >= GPUBE__REGION_FORBIDDEN)
			return -1;
		sum += cost;
		for (int64_t j = b->member; j < b->member + b->n_members; j++) {
			const int32_t of = c->state.costs[p->members[j].at + entry[j]];

			if (of >= GPUBE__REGION_FORBIDDEN)
				return -1;
			sum += of;
		}
	}
	return sum;
}

/* Of one wave, so that a list is a member once: entries of each member that agree on its cell. */
static bool choose(const struct gpube_sweep_plan *p, int64_t *entry, struct gpube_rng *rng)
{
	for (int32_t k = 0; k < p->n_separators; k++) {
		const struct gpube_sweep_separator *b = &p->separators[k];
		uint32_t cell = 0;

		for (int64_t j = b->member; j < b->member + b->n_members; j++) {
			const struct gpube_sweep_member *a = &p->members[j];
			int64_t at = (int64_t)gpube__rng_below(rng, (uint64_t)a->n), tries = a->n;

			if (j == b->member)
				cell = p->cells[a->cell + at];
			while (tries-- && p->cells[a->cell + at] != cell)
				at = (at + 1) % a->n;
			if (p->cells[a->cell + at] != cell)
				return false;
			entry[j] = at;
		}
	}
	return true;
}

static void totals_stay(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct sweep_case c;
	struct gpube_rng rng;
	int64_t *entry;
	int32_t *room, *before;

	sweep_case_make(&c, seed, false);
	c.plan.n_waves = 1;
	c.plan.n_separators = c.plan.wave[1];
	gpube__rng_init(&rng, seed);
	entry = calloc((size_t)c.plan.n_members + 1, sizeof(*entry));
	room = gpube__sweep_room(ctx, &c.plan);
	assert_non_null(room);
	for (int k = 0; k < 4; k++) {
		struct sweep_case was = c;

		before = sweep_case_costs(&c);
		was.state.costs = before;
		gpube__sweep_cpu(ctx, &c.plan, &c.state, k % 2, room);
		assert_true(c.state.constant >= was.state.constant &&
			    c.state.constant <= c.state.target);
		for (int64_t i = 0; i < c.plan.n_costs && c.state.constant < c.state.target; i++)
			assert_in_range(c.state.costs[i], 0, GPUBE__REGION_FORBIDDEN);
		for (int n = 0; n < N_CHOICES; n++) {
			int64_t old, new;

			if (!choose(&c.plan, entry, &rng))
				continue;
			old = cost_of(&was, entry);
			new = cost_of(&c, entry);
			if (old < 0 || old >= c.state.target)
				continue; /* it may be forbidden from now on */
			n_compared++;
			assert_true(c.state.constant < c.state.target);
			assert_int_equal(new, old);
		}
		free(before);
	}
	gpube__free(ctx, room);
	free(entry);
	sweep_case_free(&c);
}

static void many_were_compared(void **state)
{
	(void)state;
	assert_true(n_compared > 10 * N_SEEDS);
}

/* Entries of the wave that has most. */
static int64_t most_entries(const struct gpube_sweep_plan *p)
{
	int64_t most = 0;

	for (int32_t wave = 0; wave < p->n_waves; wave++) {
		int64_t n = 0;

		for (int32_t k = p->wave[wave]; k < p->wave[wave + 1]; k++)
			for (int64_t j = 0; j < p->separators[k].n_members; j++)
				n += p->members[p->separators[k].member + j].n;
		most = n > most ? n : most;
	}
	return most;
}

static int n_shared; /* cases whose waves the threads share */

static void as_with_one_thread(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct sweep_case c;
	struct gpube_sweep_state other;

	sweep_case_make(&c, seed, true);
	n_shared += most_entries(&c.plan) >= GPUBE__SWEEP_SHARED;
	other = c.state;
	other.costs = sweep_case_costs(&c);
	for (int k = 0; k < 4; k++) {
		int32_t *room[2];

		ctx->n_threads = 1;
		room[0] = gpube__sweep_room(ctx, &c.plan);
		gpube__sweep_cpu(ctx, &c.plan, &c.state, k % 2, room[0]);
		ctx->n_threads = 4;
		room[1] = gpube__sweep_room(ctx, &c.plan);
		gpube__sweep_cpu(ctx, &c.plan, &other, k % 2, room[1]);
		ctx->n_threads = 1;
		for (int j = 0; j < 2; j++)
			gpube__free(ctx, room[j]);
		assert_int_equal(c.state.constant, other.constant);
		if (c.state.constant < c.state.target)
			assert_memory_equal(c.state.costs, other.costs,
				(size_t)c.plan.n_costs * sizeof(*other.costs));
	}
	free(other.costs);
	sweep_case_free(&c);
}

static void threads_were_used(void **state)
{
	(void)state;
	assert_true(n_shared >= 3);
}

int main(void)
{
	struct cases c = {0};

	add_numbers(&c, totals_stay, N_SEEDS, "totals stay");
	add_case(&c, many_were_compared, NULL, "many were compared");
	add_numbers(&c, as_with_one_thread, N_SEEDS / 6, "as with one thread");
	add_case(&c, threads_were_used, NULL, "threads were used");
	return run_cases(&c, "sweeps over lists", ctx_setup, ctx_teardown);
}
