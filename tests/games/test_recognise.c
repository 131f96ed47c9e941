/*
 * test_recognise.c - models that have the form of a coalition game or an auction: gpube_solve()
 * proves what elimination does, has the form's method in its report, ends when it is told to, and
 * fails for want of memory alone.
 */
#include "tests/support/test.h"

#include <string.h>

#include "csg/auction.h"
#include "csg/csg.h"
#include "tests/support/structures.h"
#include "gpube/bound/bound.h"
#include "gpube/forms/model_as.h"
#include "gpube/forms/form.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/memory.h"

enum kind { CHAIN, PARTITION, PACKING, N_KINDS };

/* Bids on random goods, or a game of random coalitions, as costs. */
static struct gpube_model *draw(struct gpube_ctx *to, enum kind kind, uint64_t seed, bool large)
{
	static const char *const dists[] = {"regions", "L3", "arbitrary", "paths", "L6"};
	const int n = kind == CHAIN ? 1 + (int)(seed % 9) : 15 + (int)(seed % 6);
	struct gpube_model *form = NULL, *m = NULL;
	uint64_t mask[400];
	int32_t value[400];
	struct gpube_rng rng;
	int64_t k = 0;
	int status;

	gpube__rng_init(&rng, seed);
	if (kind == PACKING) {
		status = draw_auction(
			&form, to, dists[seed % 5], large ? 30 : 12, large ? 120 : 25, seed);
	} else if (kind == CHAIN) {
		status = draw_game(&form, to, "ndcs", n, GPUBE_INT32, seed, "memory");
	} else {
		for (; k < n; k++) {
			mask[k] = (uint64_t)1 << k;
			value[k] = (int32_t)gpube__rng_below(&rng, 20);
		}
		for (uint64_t c = 0; k < (large ? 160 : 40); k++) {
			c += 2 + gpube__rng_below(&rng, (1u << n) / 512);
			c += (c & (c - 1)) == 0;
			mask[k] = c;
			value[k] = (int32_t)gpube__rng_below(&rng, 90);
		}
		status = gpube_coalitions_new_listed(&form, to, n, GPUBE_INT32, k, mask, value);
	}
	if (!status)
		status = kind == PACKING ? gpube__costs_of_auction(&m, form)
					 : gpube__costs_of_coalitions(&m, form);
	gpube_model_free(form);
	return status ? NULL : m;
}

static bool has_stage(const struct gpube_solution *s, const char *name)
{
	for (int k = 0; k < s->n_stages; k++)
		if (!strcmp(s->stages[k].name, name))
			return true;
	return false;
}

static void as_eliminated(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	const struct gpube_opts eliminate = {.method = GPUBE_BOUND_ELIMINATE};
	struct gpube_model *m = draw(ctx, (enum kind)(seed % N_KINDS), seed / N_KINDS, false);
	struct gpube_solution *s, *t;
	int64_t cost;

	assert_non_null(m);
	assert_int_equal(gpube_solve(&s, m, NULL), GPUBE_OK);
	assert_int_equal(gpube_solve(&t, m, &eliminate), GPUBE_OK);
	assert_int_equal(s->answer, t->answer);
	assert_int_equal(s->answer, GPUBE_ANSWER_OPTIMAL);
	assert_int_equal(s->cost, t->cost);
	assert_int_equal(s->bound, s->cost);
	assert_int_equal(s->scale, t->scale);
	assert_int_equal(gpube_model_cost(&cost, m, s->values), GPUBE_OK);
	assert_int_equal(cost, s->cost);
	gpube_result_free(s);
	gpube_result_free(t);
	gpube_model_free(m);
}

/* What the engine does not prove at once. */
static void by_form(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	const enum kind kind = (enum kind)(seed % N_KINDS);
	struct gpube_model *m = draw(ctx, kind, seed, true);
	struct gpube_solution *s, *alone;
	struct gpube__form f;

	assert_non_null(m);
	assert_int_equal(gpube_solve(&s, m, NULL), GPUBE_OK);
	assert_int_equal(s->answer, GPUBE_ANSWER_OPTIMAL);
	if (kind == CHAIN) {
		assert_int_equal(s->n_stages, 1);
		assert_string_equal(s->stages[0].name, "csg");
	}
	assert_int_equal(gpube__form_find(&f, m), GPUBE_OK);
	/* agents who may stay alone, and who gains by a coalition, are an auction, too */
	assert_true(f.auction || kind != PACKING);
	assert_int_equal(f.chain, kind == CHAIN);
	if (seed < 3) {
		assert_int_equal(gpube__solve_noted(&alone, NULL, m, NULL, NULL), GPUBE_OK);
		assert_false(has_stage(alone, f.auction ? "auction" : "csg"));
		assert_int_equal(alone->cost, s->cost);
		gpube_result_free(alone);
	}
	gpube__form_clear(&f);
	gpube_result_free(s);
	gpube_model_free(m);
}

/* That a turn of the form's is there, and is what proves. */
static void proves(void **state)
{
	struct gpube_model *auction, *m;
	struct gpube_auction_result *r;
	struct gpube_solution *s;

	(void)state;
	assert_int_equal(draw_auction(&auction, ctx, "arbitrary", 30, 150, 1), GPUBE_OK);
	assert_int_equal(gpube__costs_of_auction(&m, auction), GPUBE_OK);
	assert_int_equal(gpube_auction(&r, auction, NULL), GPUBE_OK);
	assert_int_equal(gpube_solve(&s, m, NULL), GPUBE_OK);
	assert_int_equal(s->cost, r->revenue);
	assert_string_equal(s->stages[s->n_stages - 1].name, "auction");
	assert_string_equal(s->stages[s->n_stages - 1].why, "form");
	assert_int_equal(s->stages[s->n_stages - 1].cost, s->cost);
	gpube_result_free(s);
	gpube_result_free(r);
	gpube_model_free(m);
	gpube_model_free(auction);
}

/* Nothing can be allowed: two agents, of whom one is in no coalition. */
static void infeasible(void **state)
{
	struct gpube_model *game, *m;
	struct gpube_solution *s;
	int32_t *v;

	(void)state;
	assert_int_equal(gpube_coalitions_new(&game, ctx, 2, GPUBE_INT32), GPUBE_OK);
	v = gpube_coalitions_values(game);
	v[1] = 4;
	v[2] = v[3] = INT32_MIN;
	assert_int_equal(gpube__costs_of_coalitions(&m, game), GPUBE_OK);
	assert_int_equal(gpube_solve(&s, m, NULL), GPUBE_OK);
	assert_int_equal(s->answer, GPUBE_ANSWER_INFEASIBLE);
	assert_null(s->values);
	assert_string_equal(s->stages[0].name, "csg");
	gpube_result_free(s);
	gpube_model_free(m);
	gpube_model_free(game);
}

/* ---- ends --------------------------------------------------------------------------------- */

static int stop_at(void *arg, const struct gpube_progress *now)
{
	int *left = arg;

	(void)now;
	assert_true(*left > 0); /* it is not called again */
	return --*left == 0;
}

static void progress_ends(void **state)
{
	struct gpube_model *m = draw(ctx, PACKING, 2, true);
	struct gpube_opts *o;
	struct gpube_solution *s;
	int left = 1;

	(void)state;
	assert_non_null(m);
	assert_int_equal(gpube_opts_new(&o, ctx), GPUBE_OK);
	assert_int_equal(gpube_opts_set_progress(o, stop_at, &left), GPUBE_OK);
	assert_int_equal(gpube_solve(&s, m, o), GPUBE_ESTOP);
	assert_int_equal(left, 0);
	assert_non_null(s);
	assert_int_equal(s->answer, GPUBE_ANSWER_INCOMPLETE);
	gpube_result_free(s);
	gpube_opts_free(o);
	gpube_model_free(m);
}

/* Work that is over before the proof: bounds and an assignment that are true. */
static void work_ends(void **state)
{
	struct gpube_model *m = draw(ctx, PACKING, 2, true);
	struct gpube_solution *all, *s;
	int64_t until, cost;

	(void)state;
	assert_non_null(m);
	assert_int_equal(gpube_solve(&all, m, NULL), GPUBE_OK);
	for (double seconds = 1e-3; seconds < 1; seconds *= 2) {
		const double end = gpube__worked(ctx) + seconds;
		int status;

		until = gpube__work_until(ctx, end);
		status = gpube_solve(&s, m, NULL);
		gpube__work_again(ctx, until);
		assert_true(status == GPUBE_OK || status == GPUBE_ESTOP);
		assert_int_equal(status == GPUBE_OK, s->answer == GPUBE_ANSWER_OPTIMAL);
		assert_true(s->bound >= all->cost);
		if (s->values) {
			assert_int_equal(gpube_model_cost(&cost, m, s->values), GPUBE_OK);
			assert_int_equal(cost, s->cost);
			assert_true(cost <= all->cost);
		}
		gpube_result_free(s);
	}
	gpube_result_free(all);
	gpube_model_free(m);
}

/* Each allocation fails once: the engine may do without what the form's method wants. */
static void little_memory(void **state)
{
	const enum kind kind = (enum kind)(uintptr_t)*state;
	int n_done = 0;

	for (long k = 0; k < 300; k += 1 + k / 6) {
		struct test_memory memory = {.fail_at = -1};
		struct gpube_ctx *scarce = test_memory_ctx(&memory);
		struct gpube_model *m = draw(scarce, kind, 4, false);
		struct gpube_solution *s;
		int status;

		assert_non_null(m);
		memory.n = 0;
		memory.fail_at = k;
		status = gpube_solve(&s, m, NULL);
		assert_true(status == GPUBE_OK || status == GPUBE_ENOMEM);
		n_done += status == GPUBE_OK;
		memory.fail_at = -1;
		gpube_result_free(s);
		gpube_model_free(m);
		test_memory_end(scarce, &memory);
	}
	assert_true(n_done > 0);
}

int main(void)
{
	static const char *const names[] = {"a chain", "a partition", "bids"};
	struct cases c = {0};

	add_numbers(&c, as_eliminated, 300, "small");
	add_numbers(&c, by_form, 9, "large");
	ADD_CASE(&c, proves);
	ADD_CASE(&c, infeasible);
	ADD_CASE(&c, progress_ends);
	ADD_CASE(&c, work_ends);
	for (size_t k = 0; k < N_KINDS; k++)
		add_case(&c, little_memory, (void *)k, "little memory, %s", names[k]);
	return run_cases(&c, "recognise", ctx_setup_1_thread, ctx_teardown);
}
