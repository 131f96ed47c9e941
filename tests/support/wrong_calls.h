/*
 * wrong_calls.h - a program of wrong calls, one case for each function that its headers export:
 * each is refused, and what it should have made is NULL. Functions that cannot fail answer 0, -1 or
 * NULL. What a header exports and the program has not is a failure.
 */
#ifndef GPUBE_TEST_WRONG_CALLS_H
#define GPUBE_TEST_WRONG_CALLS_H

#include "gpube/options/options.h"
#include "tests/support/context.h"
#include "gpube/options/options.h"
#include "tests/support/test.h"

struct wrong_call {
	const char *name;
	void (*make)(void);
};

void wrong_calls_add(const struct wrong_call *call);

/*
 * wrong_calls_run() - cmocka's result of all WRONG() cases of the program.
 * headers    NULL behind the last
 * unchanged  called after each case: fails if what the calls were given has changed
 */
int wrong_calls_run(const char *const headers[], int (*set_up)(void **), int (*tear_down)(void **),
	void (*unchanged)(void));

/* The wrong calls of a function, in braces behind it; before main() it is added to the cases. */
#define WRONG(name)                                                                                \
	static void wrong_##name(void);                                                            \
	static const struct wrong_call call_##name = {#name, wrong_##name};                        \
	__attribute__((constructor)) static void add_##name(void)                                  \
	{                                                                                          \
		wrong_calls_add(&call_##name);                                                     \
	}                                                                                          \
	static void wrong_##name(void)
/* Its answer to NULL. */
#define WRONG_ANSWER(name, answer)                                                                 \
	WRONG(name)                                                                                \
	{                                                                                          \
		assert_true(name(NULL) == (answer));                                               \
	}
#define WRONG_NULL(name)                                                                           \
	WRONG(name)                                                                                \
	{                                                                                          \
		name(NULL);                                                                        \
	}
#define REFUSED(call) assert_int_equal(call, GPUBE_EINVAL)
/* the same of a call that makes something */
#define NOT_MADE(type, what, call)                                                                 \
	do {                                                                                       \
		type *what = (type *)(uintptr_t)16;                                                \
		assert_int_equal(call, GPUBE_EINVAL);                                              \
		assert_null(what);                                                                 \
	} while (0)
/* Refused, and there is no file of the name that 'in_dir' gives. */
#define NOT_WRITTEN(name, call)                                                                    \
	do {                                                                                       \
		const char *to = in_dir(name);                                                     \
		REFUSED(call);                                                                     \
		assert_null(fopen(to, "r"));                                                       \
	} while (0)

/*
 * wrong_options() - that 'make', the call of that name with the options that it is given, refuses
 * each option that is another's, with its name.
 */
void wrong_options(const char *call, int (*make)(const struct gpube_opts *o));

/* No time limits. */
extern const double bad_seconds[3];

/*
 * A model of costs and one of potentials, of two variables and a table, and what is wrong of them.
 */
extern struct gpube_model *m, *potentials;
extern const int32_t two[2], twice[2], none_such[2], below[2];
extern const int64_t six[6];
extern const double reals[6];

/* Pairs of set-up and tear-down: ctx_dir_setup() and these models. */
int wrong_models_setup(void **state);
int wrong_models_teardown(void **state);
void wrong_models_unchanged(void);

/* Options that are right by themselves, and wrong of a model of two variables. */
enum { N_WRONG_ORDERS = 5 };
extern const struct gpube_opts wrong_orders[N_WRONG_ORDERS];

/*
 * A call that takes options, of which 'what' is what it makes, and the options that are others':
 * TAKES(call, type) makes with_call() and wrong_call().
 */
#define TAKES(call, type, model)                                                                   \
	static int with_##call(const struct gpube_opts *o)                                         \
	{                                                                                          \
		type *made = (type *)(uintptr_t)16;                                                \
		const int status = call(&made, model, o);                                          \
                                                                                                   \
		assert_null(made);                                                                 \
		return status;                                                                     \
	}                                                                                          \
                                                                                                   \
	static void wrong_of_##call(void)                                                          \
	{                                                                                          \
		REFUSED(call(NULL, model, NULL));                                                  \
		NOT_MADE(type, x, call(&x, NULL, NULL));                                           \
		for (int k = 0; k < N_WRONG_ORDERS; k++)                                           \
			NOT_MADE(type, x, call(&x, model, &wrong_orders[k]));                      \
		wrong_options(#call, with_##call);                                                 \
	}

#endif
