/*
 * pairs.h - tables of variables and of pairs of them, in exact integers: what nested regions
 * (nested.h) are made of, and what the host reads of their states.
 *
 * Numbers are int32, costs times 2^shift. With a negative shift each cost is rounded down once,
 * when it is loaded: the bound is then below what it could be by less than 2^-shift a function, and
 * still a bound. A cell that with the constant reaches the cutoff is dead for good; so is a value.
 */
#ifndef GPUBE_PAIRS_H
#define GPUBE_PAIRS_H

#include "gpube/base/arrays.h"
#include "gpube/ops/ascent/ascent_kernels.h"
#include "gpube/relax/scaling.h"

struct gpube_pair {
	int32_t a, b; /* a < b; rows are of a */
	int32_t *t;
};

struct gpube_pairs {
	struct gpube_ctx *ctx;
	int32_t n, n_pairs;
	int32_t *domain; /* live values */
	int32_t **value; /* of the model, ascending */
	int32_t **unary;
	struct gpube__arrays memory; /* but for that of the pairs */
	struct gpube_pair *pairs;
	int64_t pairs_capacity;
	int32_t *near_at, *near; /* n + 1: pairs of a variable: near[near_at[i]] … */
	int shift;
	int64_t constant; /* scaled; the model's constant is not in it */
	int64_t target;   /* scaled: where the cutoff is reached */
};

/* Cells of a padded row over variable i. */
static inline int64_t gpube__row(const struct gpube_pairs *c, int32_t i)
{
	return (c->domain[i] + GPUBE__LANES - 1) / GPUBE__LANES * GPUBE__LANES;
}

/* What is missing to the cutoff; tables treat it as dead from there. */
static inline int32_t gpube__slack(const struct gpube_pairs *c)
{
	int64_t left = c->target - c->constant;

	return left > GPUBE__SLACK_MAX ? GPUBE__SLACK_MAX : left < 0 ? 0 : (int32_t)left;
}

/*
 * gpube__pairs_init() - tables of a simplified model of functions of at most two variables.
 * cutoff      totals from here on are of no interest; GPUBE_INF: none
 * most_shift  costs are multiplied by at most 2^most_shift
 * Errors: ENOMEM, ELIMIT (the memory has no room)
 */
int gpube__pairs_init(
	struct gpube_pairs *c, const struct gpube_model *m, int64_t cutoff, int most_shift);
void gpube__pairs_clear(struct gpube_pairs *c);

/* sum[x]: what value x of variable i forces on its own table and its pairs, at least. */
void gpube__pairs_marginals(const struct gpube_pairs *c, int32_t i, int64_t *sum);

/* A greedy assignment of the model from the tables. */
void gpube__pairs_decode(const struct gpube_pairs *c, int32_t *values, struct gpube_rng *rng);

/* The variable to split, of more than one value; -1: there is none. */
int32_t gpube__pairs_choose(const struct gpube_pairs *c);

/* keep[x]: whether value x of 'var' is of the half of its values that force less. ENOMEM */
int gpube__pairs_halve(const struct gpube_pairs *c, int32_t var, uint8_t *keep);

/* log10 of the product of the live domains. */
double gpube__pairs_states(const struct gpube_pairs *c);

#endif
