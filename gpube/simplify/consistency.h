/*
 * consistency.h - values and pairs of values that no solution has, found by inference on pairs of
 * variables.
 *
 * A pair of values is forbidden where what every function costs at least beside it, added up,
 * reaches top: of hard models that is what some function forbids, of soft ones with an upper bound
 * more. Then
 *
 *	SAC  singleton arc consistency: a value goes if, with it alone, the pairs leave some
 *	     variable no value
 *	PC   strong path consistency: a pair goes if some third variable has no value that both go
 *	     with; and values that a variable beside them leaves no value
 *
 * until nothing more goes. Pairs of variables without a function get one, of 0 and forbidden, where
 * PC takes pairs away: that is what it costs afterwards. Relations are rows of bits, so that a
 * value is asked for by words of 64. The time is n d (e d^2 / 64) for SAC and n^3 d^3 / 64 for PC,
 * at worst times as many rounds as values or pairs go.
 *
 * On the CPU alone: SAC is a search from value to value whose tests end early. What PC does for
 * three variables of 44 values is 44 x 44 words, which a core does in a microsecond, less than a
 * launch. All pairs by one variable are one contraction, but a table spends 32 bits on a pair where
 * a word has 64 pairs: benchmarks/bench_paths does it, benchmarks/runs/papers-h200/paths.md says
 * what that would take.
 *
 * gpube_solve() does neither. Runs of what they remove and cost: benchmarks/runs/solve-2c.
 */
#ifndef GPUBE_CONSISTENCY_H
#define GPUBE_CONSISTENCY_H

#include "gpube/simplify/simplify.h"

enum gpube__consistency {
	GPUBE__CONSISTENCY_NONE,
	GPUBE__CONSISTENCY_SAC,
	GPUBE__CONSISTENCY_PC,
};

/* What went, and what there was. */
struct gpube__consistency_did {
	int64_t n_values, values_removed;
	int64_t n_pairs, pairs_removed; /* of values that arc consistency leaves; by PC alone */
	int32_t functions_added;        /* of two variables that had none */
};

/*
 * gpube__make_consistent() - s has the same solutions below top, and the same costs of them.
 * Errors: ENOMEM; ESTOP; ELIMIT (the relations are larger than the memory allowed); *s can only be
 *         cleared then
 */
int gpube__make_consistent(struct gpube_simplified *s, enum gpube__consistency what,
	struct gpube__consistency_did *did);

#endif
