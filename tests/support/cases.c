/* cases.c - see cases.h. */
#define _XOPEN_SOURCE 700
#include "tests/support/cases.h"

/* Before and after the group no case is there to fail. */
static void *must(void *p)
{
	if (!p)
		abort();
	return p;
}

void add_case(struct cases *c, CMUnitTestFunction run, const void *state, const char *format, ...)
{
	char name[200];
	va_list args;

	if (c->n == c->room) {
		c->room = 2 * c->room + 64;
		c->tests = must(realloc(c->tests, c->room * sizeof(*c->tests)));
	}
	va_start(args, format);
	vsnprintf(name, sizeof(name), format, args);
	va_end(args);
	for (char *p = name; (p = strpbrk(p, "\n\r#")) != NULL;)
		*p = '|';
	c->tests[c->n++] = (struct CMUnitTest){.name = must(strdup(name)),
		.test_func = run,
		.setup_func = c->setup,
		.teardown_func = c->teardown,
		.initial_state = (void *)(uintptr_t)state};
}

void add_numbers(struct cases *c, CMUnitTestFunction run, size_t n, const char *name)
{
	for (size_t k = 0; k < n; k++)
		add_case(c, run, (void *)(uintptr_t)k, "%s %zu", name, k);
}

void add_seeds(struct cases *c, CMUnitTestFunction run, size_t n, const char *name)
{
	const char *times = getenv("GPUBE_SEEDS");

	add_numbers(c, run, times ? n * strtoul(times, NULL, 10) : n, name);
}

/* Of GPUBE_TEST_PART=K/N, the Kth case and every Nth after it. */
static void keep_part(struct cases *c)
{
	const char *text = getenv("GPUBE_TEST_PART");
	size_t part, parts, n = 0;

	if (!text)
		return;
	if (sscanf(text, "%zu/%zu", &part, &parts) != 2 || part < 1 || part > parts) {
		fprintf(stderr, "GPUBE_TEST_PART: K/N was expected, not %s\n", text);
		abort();
	}
	for (size_t k = 0; k < c->n; k++) {
		if (k % parts == part - 1)
			c->tests[n++] = c->tests[k];
		else
			free((char *)(uintptr_t)c->tests[k].name);
	}
	c->n = n;
}

int run_cases(
	struct cases *c, const char *group, CMFixtureFunction setup, CMFixtureFunction teardown)
{
	int n_failed;

	keep_part(c);
	n_failed = _cmocka_run_group_tests(group, c->tests, c->n, setup, teardown);
	for (size_t k = 0; k < c->n; k++)
		free((char *)(uintptr_t)c->tests[k].name);
	free(c->tests);
	return n_failed != 0;
}
