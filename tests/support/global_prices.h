/*
 * global_prices.h - what a keyword's function costs by its definition: counted, or found among all
 * assignments, never by the library's code.
 */
#ifndef GPUBE_TEST_GLOBAL_PRICES_H
#define GPUBE_TEST_GLOBAL_PRICES_H

#include <stdbool.h>
#include <stdint.h>

enum { MOST_ARITY = 12 };

/* n_rows rows of 'width' numbers; where entries are lists themselves, inner[k] rows of each. */
struct global_list {
	int n, width, n_rows, inner[MOST_ARITY];
	int64_t v[64];
};

/* A variable of a parameter is its place in the scope. */
struct global_call {
	const char *name;
	char metric[16];
	int comparator; /* == != < <= > >= */
	bool maximise;
	int n;
	int32_t domains[MOST_ARITY];
	int n_scalars, n_lists;
	int64_t scalars[8], low;
	struct global_list lists[3];
};

/* GPUBE_INF: forbidden. */
int64_t global_price(const struct global_call *c, const int32_t *tuple);
/* Whether parameters as they are drawn may be refused. */
bool global_may_refuse(const struct global_call *c);

#endif
