/*
 * certificate.h - a bound with its proof, which a small checker repeats from the
 * given file.
 *
 * The proof is another way to write the problem's total: a constant plus
 * blocks, each a sum of tables. No assignment costs less than the constant and
 * the least total of each block. Two things are checked: that the tables add up
 * to the problem, for every assignment, and what the blocks' least totals are.
 *
 * The first needs no assignment to be looked at. A sum of tables is a polynomial
 * in the indicators of all values but each variable's first, in which no
 * variable occurs twice in a term, and two such sums agree everywhere exactly if
 * their polynomials have the same coefficients.
 *
 * What is proved is a bound of the relaxed problem: minimised, without top, each
 * function at most 'cap' above its least cost (so that forbidden cells are
 * numbers, too), and functions too large to list at their least cost. No
 * assignment costs more there than in the given one.
 *
 * Of potentials the problem is that of their costs, rounded to decimals that the certificate names.
 * That is a bound of the file only less gpube__rounding_error(); who reports it takes that off, so
 * that no choice of decimals proves what is not so.
 *
 * Designs weighed. A log of all shifts is larger by far, and values that die
 * while the bound rises would need proofs of their own; without them a bound is
 * a little lower, and its proof is one page.
 */
#ifndef GPUBE_CERTIFICATE_H
#define GPUBE_CERTIFICATE_H

#include "gpube/ir/model.h"

struct gpube_proof_table {
	int arity;
	int32_t *scope;	 /* ascending */
	int64_t n;	 /* cells */
	int64_t *values; /* row-major, the last variable fastest */
};

/* Blocks: tables [first[k], first[k + 1]). Costs of all tables are in units of 2^-shift. */
struct gpube_certificate {
	struct gpube_ctx *ctx;
	int32_t n_vars, n_functions;
	int32_t *domain;
	int scale; /* decimals of the costs */
	int64_t cap;
	int shift;
	int64_t constant;
	int64_t bound; /* of the minimisation, units of 10^-scale */
	int32_t n_tables, n_blocks;
	struct gpube_proof_table *tables;
	int32_t *first;
	int64_t tables_capacity, first_capacity;
};

/*
 * gpube__relaxed() - the relaxed problem: every cell a number, the given variables. Each function is less its
 * least cost, which is in the constant.
 * m       a model of costs
 * cap     >= 0
 * Errors: ERANGE (totals leave 64 bits, or costs above the constant can add up to more than 2^61: with
 *         gpube__cap_for() only where the least costs of all functions do), ENOMEM
 * gpube__relaxed_above() - the same with the constant by itself, so that nothing is refused.
 */
int gpube__relaxed(struct gpube_model **out, const struct gpube_model *m, int64_t cap);
int gpube__relaxed_above(
	struct gpube_model **out, __int128 *constant, const struct gpube_model *m, int64_t cap);

/*
 * gpube__cap_for() - a cap that loses nothing while the optimum is below 'upper' (a total of the
 * minimisation, GPUBE_INF: unknown), or as large a one as sums of 64 bits allow.
 * gpube__wide_cap_for() - the same where sums are of 128 bits.
 */
int64_t gpube__cap_for(const struct gpube_model *m, int64_t upper);
int64_t gpube__wide_cap_for(const struct gpube_model *m, int64_t upper);

void gpube__certificate_clear(struct gpube_certificate *c);
/* Takes all blocks away. */
void gpube__certificate_restart(struct gpube_certificate *c);
/* Begins a block. Errors: ENOMEM */
int gpube__certificate_block(struct gpube_certificate *c);
/*
 * gpube__certificate_table() - a table of the last block, all cells 0.
 * Errors: ENOMEM, ELIMIT (too many cells)
 */
int gpube__certificate_table(
	struct gpube_certificate *c, int arity, const int32_t *scope, int64_t **values);

/*
 * gpube__certificate_check() - repeats the proof, and that c->bound is what it proves.
 * gpube__certificate_proves() - what it proves, whatever is claimed.
 * m      the given problem's costs
 * bound  out: of the minimisation
 * Errors: EINVAL (it is no proof: the text says why), ERANGE (sums pass 128 bits, or the bound 64), ENOMEM, ESTOP
 */
int gpube__certificate_check(const struct gpube_certificate *c, const struct gpube_model *m);
int gpube__certificate_proves(
	int64_t *bound, const struct gpube_certificate *c, const struct gpube_model *m);

/* Text, a .gz or .xz by its name. Errors: EIO, EPARSE, ENOMEM */
int gpube__certificate_write(const struct gpube_certificate *c, const char *path);
int gpube__certificate_read(
	struct gpube_certificate *c, struct gpube_ctx *ctx, const char *path);

/*
 * gpube__bound_certified() - the best bound that an ascent proves by itself, of a
 * model of costs.
 * known   of a run on 'm' before: its assignment is what the ascent aims at
 * out     clear it
 * A stop ends the ascent; what it has reached is then checked all the same, and the context works again.
 * Costs too large for an ascent are eliminated in 128 bits, in small models: a block is then what a variable's values
 * cost more than the best, in as many tables as its numbers need.
 * Errors: as gpube_bound()
 */
int gpube__bound_certified(struct gpube_certificate *out, const struct gpube_model *m,
	const struct gpube_solution *known, const struct gpube_bound_opts *opts);

#endif
