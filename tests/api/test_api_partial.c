/* test_api_partial.c - wrong calls of every function of partial.h: see wrong_calls.h. */
#include "gpube/partial.h"
#include "gpube/options/options.h"
#include "tests/support/wrong_calls.h"

#include <limits.h>

static struct gpube_heuristic *h;
static struct gpube_path *path; /* all are assigned */

TAKES(gpube_heuristic_new, struct gpube_heuristic, m)
TAKES(gpube_list, struct gpube_list, m)

WRONG(gpube_list)
{
	static const struct gpube_opts rows[] = {
		{.has_limit = 1, .limit = INT64_MIN},
		{.has_limit = 1, .limit = GPUBE_INF},
	};

	wrong_of_gpube_list();
	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++)
		NOT_MADE(struct gpube_list, l, gpube_list(&l, m, &rows[k]));
}

WRONG(gpube_heuristic_new)
{
	wrong_of_gpube_heuristic_new();
	NOT_MADE(struct gpube_heuristic, x,
		gpube_heuristic_new(
			&x, m, &(struct gpube_opts){.has_cutoff = 1, .cutoff = INT64_MIN}));
}

WRONG_NULL(gpube_heuristic_free)
WRONG_ANSWER(gpube_heuristic_info, NULL)

/* nothing is said to be forbidden, and no bound is better than any assignment */
WRONG(gpube_heuristic_bound)
{
	assert_true(gpube_heuristic_bound(NULL, two, 0) == -GPUBE_INF);
	assert_true(gpube_heuristic_bound(h, NULL, 1) == -GPUBE_INF);
	assert_true(gpube_heuristic_bound(h, two, 3) == -GPUBE_INF);
	assert_true(gpube_heuristic_bound(h, two, 99) == -GPUBE_INF);
	assert_true(gpube_heuristic_bound(h, two, -5) == -GPUBE_INF);
	assert_true(gpube_heuristic_bound(h, two, INT32_MIN) == -GPUBE_INF);
	/* a value outside its domain is not allowed */
	assert_true(gpube_heuristic_bound(h, none_such, 2) == GPUBE_INF);
	assert_true(gpube_heuristic_bound(h, below, 2) == GPUBE_INF);
}

WRONG(gpube_heuristic_table)
{
	struct gpube_heuristic_table t = {.arity = 77};

	gpube_heuristic_table(NULL, h, 0);
	gpube_heuristic_table(&t, NULL, 0);
	assert_true(t.arity == 0 && t.cells == 0 && t.from == -1 && t.to == -1);
	t.arity = 77;
	gpube_heuristic_table(&t, h, -1);
	assert_int_equal(t.arity, 0);
	t.arity = 77;
	gpube_heuristic_table(&t, h, gpube_heuristic_info(h)->n_tables);
	assert_int_equal(t.arity, 0);
}

WRONG(gpube_heuristic_cells)
{
	int64_t cell = 77;

	gpube_heuristic_cells(NULL, h, 0);
	gpube_heuristic_cells(&cell, NULL, 0);
	gpube_heuristic_cells(&cell, h, -1);
	gpube_heuristic_cells(&cell, h, gpube_heuristic_info(h)->n_tables);
	assert_true(cell == 77);
}

WRONG(gpube_path_new)
{
	REFUSED(gpube_path_new(NULL, h));
	NOT_MADE(struct gpube_path, p, gpube_path_new(&p, NULL));
}

WRONG_NULL(gpube_path_free)
WRONG_ANSWER(gpube_path_next, -1)
WRONG_ANSWER(gpube_path_bound, -GPUBE_INF)

WRONG(gpube_path_bounds)
{
	int64_t bounds[3] = {77, 77, 77};

	gpube_path_bounds(NULL, bounds);
	gpube_path_bounds(path, bounds); /* nothing is next */
	assert_true(bounds[0] == 77);
}

WRONG(gpube_path_push)
{
	int64_t bound = gpube_path_bound(path);

	assert_true(gpube_path_push(NULL, 0) == -GPUBE_INF);
	assert_true(gpube_path_push(path, 0) == bound); /* nothing is next */
	assert_true(gpube_path_bound(path) == bound);
}

WRONG(gpube_path_pop)
{
	struct gpube_path *p;

	gpube_path_pop(NULL);
	assert_int_equal(gpube_path_new(&p, h), 0);
	gpube_path_pop(p);
	assert_true(gpube_path_next(p) >= 0);
	assert_true(gpube_path_bound(p) == gpube_heuristic_info(h)->bound);
	/* a value that is none is forbidden, and comes off again */
	assert_true(gpube_path_push(p, 99) == GPUBE_INF);
	gpube_path_pop(p);
	assert_true(gpube_path_push(p, -1) == GPUBE_INF);
	gpube_path_pop(p);
	assert_true(gpube_path_bound(p) == gpube_heuristic_info(h)->bound);
	gpube_path_free(p);
}

WRONG_ANSWER(gpube_path_values, NULL)

static void unchanged(void)
{
	wrong_models_unchanged();
	assert_true(gpube_path_bound(path) == 5 + 5);
}

static int set_up(void **state)
{
	if (wrong_models_setup(state))
		return -1;
	assert_int_equal(gpube_heuristic_new(&h, m, NULL), 0);
	assert_int_equal(gpube_path_new(&path, h), 0);
	while (gpube_path_next(path) >= 0)
		gpube_path_push(path, gpube_model_domain(m, gpube_path_next(path)) - 1);
	return 0;
}

static int tear_down(void **state)
{
	gpube_path_free(path);
	gpube_heuristic_free(h);
	return wrong_models_teardown(state);
}

int main(void)
{
	static const char *const headers[] = {"gpube/partial.h", NULL};

	return wrong_calls_run(headers, set_up, tear_down, unchanged);
}
