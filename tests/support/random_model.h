/*
 * random_model.h - small random models from a seed, and their optima by
 * enumeration, for tests of everything that reads a model.
 */
#ifndef GPUBE_RANDOM_MODEL_H
#define GPUBE_RANDOM_MODEL_H

#include "gpube/ir/model.h"

/*
 * Shares are probabilities in [0, 1]. A zero spec is not useful: begin with
 * random_spec_default() or random_spec_varied().
 */
struct random_spec {
	enum gpube_kind kind;
	enum gpube_direction direction;
	int n_vars, min_domain, max_domain;
	int n_functions, min_arity, max_arity;
	int n_parts;      /* no function crosses from one part of the variables to another */
	double sparse;    /* functions with a sparse table */
	double shared;    /* functions that take an earlier one's table, if domains allow */
	double repeated;  /* functions over an earlier one's scope, axes permuted */
	double forbidden; /* cells */
	double observed;  /* variables with evidence */
	int64_t min_cost, max_cost;
	int scale;
	enum { TOP_NONE, TOP_TIGHT, TOP_LOOSE } top; /* tight: near some assignment's cost */
	bool contradiction;  /* infeasible for sure, through a function of the first variable */
	bool odd_potentials; /* denormals and huge ones, too */
	bool names;
};

/* 6 variables of 1 to 4 values, 10 functions of 0 to 3 variables, costs 0 to 20, 10 % forbidden. */
struct random_spec random_spec_default(void);

/* Every field but 'kind' drawn from the seed; at most some 5,000 assignments. */
struct random_spec random_spec_varied(uint64_t seed, enum gpube_kind kind);
/*
 * Costs of Boolean or three-valued variables, of which hardly one is eliminated first, nor do all
 * fit one small region.
 */
struct random_spec random_spec_many_neighbours(uint64_t seed);

/* The same model for the same spec and seed; NULL: out of memory. Tables stay below 2^16 cells. */
struct gpube_model *random_model(
	struct gpube_ctx *ctx, const struct random_spec *spec, uint64_t seed);

/*
 * brute_force() - the optimum by gpube_model_cost() or gpube_model_log_value()
 * on every assignment.
 * values   out: n_vars entries, the first optimal assignment; may be NULL
 * Returns what those functions return.
 */
struct brute {
	bool feasible;
	int64_t cost;     /* costs: of the optimum */
	double log_value; /* potentials */
	uint64_t n_optima, n_feasible, n_assignments;
};

int brute_force(struct brute *out, int32_t *values, const struct gpube_model *m);

/* The next assignment, last variable fastest; false after the last. Start with zeros. */
bool next_assignment(int32_t *values, const struct gpube_model *m);

/* Nine Booleans in a ring that the same table goes round three times; NULL: no memory. */
struct gpube_model *ring_of_potentials(struct gpube_ctx *ctx, const double table[4]);

#endif
