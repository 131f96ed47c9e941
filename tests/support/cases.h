/* cases.h - the list of a program's cases, where rows and numbers make them. */
#ifndef GPUBE_TEST_CASES_H
#define GPUBE_TEST_CASES_H

#include "tests/support/test.h"

/* Begins as {0}, or with the fixture that each case gets; run_cases() frees it. */
struct cases {
	CMFixtureFunction setup, teardown;
	struct CMUnitTest *tests;
	size_t n, room;
};

/*
 * One more, whose *state is 'state'; its name is made as by printf(), with | for line ends and
 * for #, which begins a directive in TAP.
 */
__attribute__((format(printf, 4, 5))) void add_case(
	struct cases *c, CMUnitTestFunction run, const void *state, const char *format, ...);

/* One that has no state, named as its function is. */
#define ADD_CASE(c, run) add_case(c, run, NULL, "%s", #run)

/* "NAME 0" to "NAME n-1", each with *state the number itself, cast to a pointer. */
void add_numbers(struct cases *c, CMUnitTestFunction run, size_t n, const char *name);

/* The same for seeds: GPUBE_SEEDS times as many, if that is set. */
void add_seeds(struct cases *c, CMUnitTestFunction run, size_t n, const char *name);

/*
 * Runs them all, or those of GPUBE_TEST_PART=K/N (the Kth and every Nth after it), in a fixture of
 * the group if these are not NULL; what main() returns.
 */
int run_cases(
	struct cases *c, const char *group, CMFixtureFunction setup, CMFixtureFunction teardown);

#endif
