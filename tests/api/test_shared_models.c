/*
 * test_shared_models.c - four threads use one model of each kind at the same time, each in a
 * context of its own, which its options were made in: what they say is what one alone says, and the
 * models' context hears nothing of it.
 */
#include <math.h>
#include <pthread.h>
#include <string.h>

#include "csg/auction.h"
#include "csg/csg.h"
#include "gpube/dpop.h"
#include "gpube/forms.h"
#include "gpube/options/options.h"
#include "gpube/partial.h"
#include "gpube/sums.h"
#include "nash/nash.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/random_model.h"
#include "tests/support/test.h"

enum { N_THREADS = 4, N_ROUNDS = 3, N_ANSWERS = 12 };

static struct gpube_model *costs, *potentials, *coalitions, *bids, *game;

struct thread {
	pthread_t id;
	int wrong;
	double said[N_ANSWERS];
};

/* A number of each result; what fails is NAN. */
#define SAY(type, call, value)                                                                     \
	do {                                                                                       \
		struct type *r = NULL;                                                             \
		const int status = call;                                                           \
                                                                                                   \
		said[n++] = status || !r ? NAN : (double)(value);                                  \
		gpube_result_free(r);                                                              \
	} while (0)

static void ask_all(double said[N_ANSWERS], const struct gpube_opts *o)
{
	struct gpube_heuristic *h = NULL;
	struct gpube_model *made = NULL;
	int n = 0;

	SAY(gpube_solution, gpube_solve(&r, costs, o), r->cost);
	SAY(gpube_solution, gpube_bound(&r, costs, o), r->bound);
	SAY(gpube_solution, gpube_plan(&r, costs, o), r->plan.n_vars);
	SAY(gpube_solution, gpube_count(&r, costs, o), atof(r->count));
	SAY(gpube_list, gpube_list(&r, costs, o), r->costs[r->n - 1]);
	SAY(gpube_dpop_result, gpube_dpop(&r, costs, o), r->cost);
	SAY(gpube_inference, gpube_infer(&r, potentials, o), r->log10_z);
	SAY(gpube_csg_result, gpube_csg(&r, coalitions, o), r->value);
	SAY(gpube_auction_result, gpube_auction(&r, bids, o), r->revenue);
	SAY(gpube_nash_result, gpube_nash(&r, game, o), r->n_pairs);
	said[n++] =
		gpube_heuristic_new(&h, costs, o) ? NAN : (double)gpube_heuristic_info(h)->bound;
	gpube_heuristic_free(h);
	said[n++] = gpube_model_as(&made, game, GPUBE_FORM_COSTS, o)
			    ? NAN
			    : gpube_model_info(made)->n_functions;
	gpube_model_free(made);
	assert_int_equal(n, N_ANSWERS);
}

static void *work(void *arg)
{
	struct thread *t = arg;
	struct gpube_ctx *own;
	struct gpube_opts *o, *machine;

	t->wrong += gpube_opts_new(&machine, NULL) || gpube_opts_set(machine, "threads", "2") ||
		    gpube_ctx_new(&own, machine) || gpube_opts_new(&o, own);
	gpube_opts_free(machine);
	for (int k = 0; k < N_ROUNDS && !t->wrong; k++)
		ask_all(t->said, o);
	/* an error is told to the thread's context */
	t->wrong += gpube_opts_set(o, "most", "3") ||
		    gpube_solve(&(struct gpube_solution *){NULL}, costs, o) != GPUBE_EINVAL;
	t->wrong += !strstr(gpube_error(own), "most");
	gpube_opts_free(o);
	gpube_ctx_free(own);
	return NULL;
}

static void make_models(void)
{
	static const int64_t rock[9] = {0, -1, 1, 1, 0, -1, -1, 1, 0};
	struct random_spec spec = random_spec_default();
	int64_t back[9];

	costs = random_model(ctx, &spec, 5);
	spec.kind = GPUBE_POTENTIALS;
	potentials = random_model(ctx, &spec, 7);
	assert_true(costs && potentials);
	assert_int_equal(
		gpube_coalitions_generate(&coalitions, ctx,
			&(struct gpube_opts){
				.n_agents = 9, .coalition_distribution = 9, .coalition_type = 1}),
		0);
	assert_int_equal(gpube_auction_generate(&bids, ctx,
				 &(struct gpube_opts){.goods = 12, .bids = 30, .seed = 3}),
		0);
	assert_int_equal(gpube_model_new(&game, ctx, GPUBE_GAME), 0);
	for (int k = 0; k < 2; k++)
		assert_int_equal(gpube_model_add_var(game, NULL, 3, NULL), 0);
	for (int k = 0; k < 9; k++)
		back[k] = -rock[k];
	assert_int_equal(gpube_model_add_payoffs(game, rock, NULL), 0);
	assert_int_equal(gpube_model_add_payoffs(game, back, NULL), 0);
}

static void together(void **state)
{
	static struct thread threads[N_THREADS];
	double alone[N_ANSWERS];

	(void)state;
	make_models();
	ask_all(alone, NULL);
	for (int k = 0; k < N_ANSWERS; k++)
		if (isnan(alone[k]) && !(k == 9 && !gpube_nash_exact()))
			fail_msg("answer %d: %s", k, gpube_error(ctx));
	(void)gpube_model_observe(costs, -1, 0); /* the last error of the models' context */
	for (int k = 0; k < N_THREADS; k++)
		assert_int_equal(pthread_create(&threads[k].id, NULL, work, &threads[k]), 0);
	for (int k = 0; k < N_THREADS; k++)
		assert_int_equal(pthread_join(threads[k].id, NULL), 0);
	for (int k = 0; k < N_THREADS; k++) {
		assert_int_equal(threads[k].wrong, 0);
		for (int i = 0; i < N_ANSWERS; i++)
			if (!(threads[k].said[i] == alone[i] ||
				    (isnan(alone[i]) && isnan(threads[k].said[i]))))
				fail_msg(
					"answer %d: %g, alone %g", i, threads[k].said[i], alone[i]);
	}
	assert_non_null(strstr(gpube_error(ctx), "-1"));
	gpube_model_free(costs);
	gpube_model_free(potentials);
	gpube_model_free(coalitions);
	gpube_model_free(bids);
	gpube_model_free(game);
}

int main(void)
{
	struct cases c = {0};

	ADD_CASE(&c, together);
	return run_cases(&c, "shared models", ctx_setup, ctx_teardown);
}
