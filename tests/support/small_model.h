/* small_model.h - models of costs built in a few lines, in the context of context.h. */
#ifndef GPUBE_TEST_SMALL_MODEL_H
#define GPUBE_TEST_SMALL_MODEL_H

#include "gpube/ir/model.h"

/* Variables of so many values each, and no function. */
struct gpube_model *new_model(int n_vars, int32_t domain);

/* As in add(m, SCOPE(0, 1), COSTS(3, X, X, 3)). */
void add(struct gpube_model *m, int arity, const int32_t *scope, const int64_t *costs);

#define SCOPE(...)                                                                                 \
	(int)(sizeof((int32_t[]){__VA_ARGS__}) / sizeof(int32_t)), (int32_t[])                     \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}

#define COSTS(...)                                                                                 \
	(int64_t[])                                                                                \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}
#define X GPUBE_INF

#endif
