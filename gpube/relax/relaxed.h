/*
 * relaxed.h - what branch and bound (bound/relaxed_run.h) asks of a relaxation, over the values of
 * all variables, whose bounds are proved in integers.
 */
#ifndef GPUBE_RELAXED_H
#define GPUBE_RELAXED_H

#include "gpube/base/bits.h"
#include "gpube/ir/model.h"

/* What all nodes have in common: the first member of a relaxation's own struct. */
struct gpube_relaxed {
	struct gpube_ctx *ctx;
	int32_t n, n_values, words; /* words of a set of values */
	int32_t *at;                /* those of variable i are at[i] … at[i + 1] - 1 */
	uint64_t *allowed;          /* values that are below the cutoff by themselves */
	int64_t target;             /* of the costs, where the cutoff is reached */
	int shift;                  /* the costs are the model's times 2^shift */
};

/* What the parts of a node begin from: the first member of a relaxation's own struct. */
struct gpube_relaxed_start {
	int users;
	int64_t bytes;
};

enum gpube_relaxed_steps {
	GPUBE__STEPS_GO_ON,
	GPUBE__STEPS_OVER, /* more would bring nothing */
	GPUBE__STEPS_FAIL, /* the relaxation cannot be solved; it says nothing more */
};

/*
 * Costs are those of the relaxation: the model's times 2^shift. A state belongs to one thread, and
 * works on one node after the other.
 *
 * make    *out NULL without an error: the model is not for it. Errors: ENOMEM, ESTOP
 * bytes   of a state, about
 * open    a state, for as long as there are nodes. Errors: ENOMEM
 * begin   a node of live values, of which each variable has one at least; from: of a superset of
 *         them, or NULL. Errors: ENOMEM, with clear() to be called all the same
 * clear   the node is over; the state is for another one
 * decided whether each variable has one value
 * steps   a window of them, then the bound; less where the context is stopped
 * twice   twice the bound of the last steps; INT64_MIN: nothing is proved
 * filter  removes live values that the bound excludes: their number; *empty: a variable has none
 *         left, or the bound has reached the target
 * round   an assignment of all variables
 * choose  a value to split from the others of its variable, which has several
 * part    twice the bound that a part has at once: where that value is taken, or where it is not;
 *         INT64_MIN: nothing is proved
 * save    what parts begin from, with one user; NULL: ENOMEM
 * forget  one user less
 */
struct gpube_relaxation {
	const char *name;
	bool to_the_end; /* only a node whose steps are over is split */
	int (*make)(struct gpube_relaxed **out, const struct gpube_model *m, int64_t cutoff);
	void (*free)(struct gpube_relaxed *p);
	uint64_t (*bytes)(const struct gpube_relaxed *p);
	int (*open)(void **state, const struct gpube_relaxed *p, struct gpube_ctx *ctx);
	void (*close)(void *state);
	int (*begin)(void *state, const uint64_t *live, const struct gpube_relaxed_start *from);
	void (*clear)(void *state);
	bool (*decided)(const void *state);
	enum gpube_relaxed_steps (*steps)(void *state);
	int64_t (*twice)(const void *state);
	int32_t (*filter)(void *state, int64_t target, uint64_t *live, bool *empty);
	void (*round)(void *state, int32_t *values);
	int32_t (*choose)(void *state);
	int64_t (*part)(const void *state, int32_t value, bool is);
	struct gpube_relaxed_start *(*save)(const void *state);
	void (*forget)(struct gpube_ctx *ctx, struct gpube_relaxed_start *of);
};

/* Whether each variable has a value that is allowed; otherwise no total is below the cutoff. */
bool gpube__relaxed_possible(const struct gpube_relaxed *p);

#endif
