/* test_api_dpop.c - wrong calls of every function of dpop.h: see wrong_calls.h. */
#include "gpube/dpop.h"
#include "tests/support/wrong_calls.h"

WRONG(gpube_dpop)
{
	static const struct {
		const char *name, *text, *other, *other_text;
	} rows[] = {
		{"tree", "best", "distributed_dfs", "yes"},
		{"root", "nobody", NULL, NULL},
		{"root", "2", NULL, NULL},
		{"root", "", NULL, NULL},
		{"agents", "none", "owner", "0,1"},
		{"agents", "none", "agent_names", "a"},
		{"agent_names", "a", NULL, NULL},
		{"agent_names", "a\nb\nc", "owner", "0,1"},
		{"owner", "0", NULL, NULL},
		{"owner", "0,1,2", NULL, NULL},
		{"owner", "1,1", NULL, NULL},
		{"owner", "0,2", NULL, NULL},
		{"count", "yes", NULL, NULL},
		{"partition", "merge", NULL, NULL},
	};
	static const struct {
		const char *name, *text;
	} values[] = {{"tree", "oak"}, {"z", "-1"}, {"tries", "-1"}, {"backend", "gpu"},
		{"agent_threads", "0"}, {"agent_threads", "1025"}, {"owner", "-1,0"},
		{"latency", "-1s"}, {"distributed_dfs", "2"}};
	struct gpube_opts *o;

	REFUSED(gpube_dpop(NULL, m, NULL));
	NOT_MADE(struct gpube_dpop_result, r, gpube_dpop(&r, NULL, NULL));
	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
		assert_int_equal(gpube_opts_new(&o, ctx), 0);
		assert_int_equal(gpube_opts_set(o, rows[k].name, rows[k].text), 0);
		if (rows[k].other)
			assert_int_equal(gpube_opts_set(o, rows[k].other, rows[k].other_text), 0);
		NOT_MADE(struct gpube_dpop_result, r, gpube_dpop(&r, m, o));
		gpube_opts_free(o);
	}
	assert_int_equal(gpube_opts_new(&o, ctx), 0);
	for (size_t k = 0; k < sizeof(values) / sizeof(*values); k++)
		REFUSED(gpube_opts_set(o, values[k].name, values[k].text));
	gpube_opts_free(o);
}

int main(void)
{
	static const char *const headers[] = {"gpube/dpop.h", NULL};

	return wrong_calls_run(
		headers, wrong_models_setup, wrong_models_teardown, wrong_models_unchanged);
}
