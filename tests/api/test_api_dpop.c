/* test_api_dpop.c - wrong calls of every function of dpop.h: see wrong_calls.h. */
#include <math.h>

#include "gpube/dpop.h"
#include "tests/support/wrong_calls.h"

WRONG(gpube_dpop)
{
	static const int32_t low[2] = {-1, 0}, high[2] = {0, 2}, one[2] = {0, 0};
	static const char *const names[2] = {"a", "b"};
	const size_t size = sizeof(struct gpube_dpop_opts);
	const struct gpube_dpop_opts rows[] = {
		{.sizeof_options = 0},
		{.sizeof_options = size - 1},
		{.sizeof_options = size, .tree = (enum gpube_pseudotree) - 1},
		{.sizeof_options = size,
			.tree = (enum gpube_pseudotree)(GPUBE_PSEUDOTREE_BEST + 1)},
		{.sizeof_options = size, .distributed_dfs = 1, .tree = GPUBE_PSEUDOTREE_BEST},
		{.sizeof_options = size, .z = -1},
		{.sizeof_options = size, .tries = -2},
		{.sizeof_options = size, .backend = (enum gpube_backend)(GPUBE_BACKEND_CUDA + 1)},
		{.sizeof_options = size, .agent_threads = -1},
		{.sizeof_options = size, .agent_threads = 1025},
		{.sizeof_options = size, .precision = 13},
		{.sizeof_options = size, .precision = -1},
		{.sizeof_options = size, .root = "nobody"},
		{.sizeof_options = size, .root = "2"},
		{.sizeof_options = size, .root = ""},
		{.sizeof_options = size, .n_agents = 2},
		{.sizeof_options = size, .agent_names = names},
		{.sizeof_options = size, .owner = two, .n_agents = 2, .agents = "none"},
		{.sizeof_options = size, .owner = two, .n_agents = -1},
		{.sizeof_options = size, .owner = two, .n_agents = 0},
		{.sizeof_options = size, .owner = two, .n_agents = 1},
		{.sizeof_options = size, .owner = two, .n_agents = 3},
		{.sizeof_options = size, .owner = one, .n_agents = 2},
		{.sizeof_options = size, .owner = low, .n_agents = 2},
		{.sizeof_options = size, .owner = high, .n_agents = 2},
	};

	REFUSED(gpube_dpop(NULL, m, NULL));
	NOT_MADE(struct gpube_dpop_result, r, gpube_dpop(&r, NULL, NULL));
	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++)
		NOT_MADE(struct gpube_dpop_result, r, gpube_dpop(&r, m, &rows[k]));
	for (int k = 0; k < 3; k++) {
		NOT_MADE(struct gpube_dpop_result, r,
			gpube_dpop(&r, m,
				&(struct gpube_dpop_opts){
					.sizeof_options = size, .latency = bad_seconds[k]}));
		NOT_MADE(struct gpube_dpop_result, r,
			gpube_dpop(&r, m,
				&(struct gpube_dpop_opts){.sizeof_options = size,
					.timeout_seconds = bad_seconds[k]}));
	}
}

WRONG_NULL(gpube_dpop_free)

int main(void)
{
	static const char *const headers[] = {"gpube/dpop.h", NULL};

	return wrong_calls_run(
		headers, wrong_models_setup, wrong_models_teardown, wrong_models_unchanged);
}
