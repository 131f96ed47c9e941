/*
 * certificate.h - a bound with its proof, which a small checker repeats from the given file
 * (formats/certificate.md).
 *
 * What is proved is a bound of the relaxed problem: minimised, without top, each function at most
 * 'cap' above its least cost (so that forbidden cells are numbers, too), and functions too large to
 * list at their least cost. No assignment costs more there than in the given one. Of potentials the
 * problem is that of their costs, rounded to decimals that the certificate names: a bound of the
 * file only less gpube__rounding_error(), which who reports it takes off, so that no choice of
 * decimals proves what is not so.
 *
 * A proof has one of two forms.
 *
 * Tables: another way to write the problem's total, a constant plus blocks of tables, with an order
 * of the variables. That they add up to the problem for every assignment needs none to be looked
 * at: a sum of tables is a polynomial in the indicators of all values but each variable's first, in
 * which no variable occurs twice in a term, and two sums agree everywhere exactly if these have the
 * same coefficients. Each block is minimised along the order by a search, as deep as the bound asks
 * for. Ascents on clusters make blocks of a table or of a cluster's tables, where the least cells
 * nearly do; join graphs one block, whose search is the proof.
 *
 * Steps: lists of the assignments of a few variables that are still possible below a limit. Which
 * lists are made of which, how often costs are swept between them, and which variables are then
 * split into cases: the checker does all of it.
 *
 * Designs weighed. (1) A log of an ascent's moves, or of a search's closed subproblems: as long as
 * the run, and to check a line takes the sums of cells that found it. (2) The tables of every leaf
 * of a tree, or what moved between dense tables on the way to it: 927 kilobytes for a grid of 1,600
 * variables whose steps take 11. (3) Reasons for what is missing in the last lists: each went when
 * the costs stood as they never stood again. (4) A search or an ascent of the checker's own choice:
 * what it does has to be known for a second checker to be written. (5) The two forms above: the
 * rules of searches, lists and sweeps are sound whatever tables, order and lists a file has, and
 * take four pages (runs/measured-2c).
 */
#ifndef GPUBE_CERTIFICATE_H
#define GPUBE_CERTIFICATE_H

#include "gpube/ir/model.h"

struct gpube_clusters;
struct gpube__regrets;
struct gpube_in;
struct gpube_joingraph;
struct gpube_out;
struct gpube_simplified;

/* Of a table: variables, and cells. A function of more counts at its least cost. */
enum { GPUBE__PROOF_DIMS = 20, GPUBE__PROOF_CELLS = 1 << 22 };

struct gpube_proof_table {
	int arity;
	int32_t *scope;  /* ascending */
	int64_t n;       /* cells */
	int64_t *values; /* row-major, the last variable fastest */
};

/*
 * A list: the assignments of its variables that are still possible. They are added in this order,
 * each together with the older lists that are then within; the last n_leaving are in no other list,
 * and leave as soon as it is made.
 */
struct gpube_proof_list {
	int32_t arity, n_leaving;
	int32_t *scope;
};

/* Lists, then sweeps, there and back. */
struct gpube_proof_stage {
	int32_t n_lists, n_sweeps;
	int64_t capacity;
	struct gpube_proof_list *lists;
};

/*
 * Stages, then a leaf or a split: in the first child each of these variables has its value, in the
 * second not all have. A leaf that is open, which no file says, is known to prove less than the
 * limit.
 */
struct gpube_proof_case {
	int32_t n_stages, n_split;
	int64_t capacity;
	struct gpube_proof_stage *stages;
	int32_t *split; /* the variables, and behind them their values */
	int32_t child[2];
	bool open;
};

/* The first case is the root; those that are no child are no part of it. */
struct gpube_proof_stages {
	int64_t limit; /* as the bound: what costs as much is of no interest */
	int32_t n;
	int64_t capacity;
	struct gpube_proof_case *cases;
	/* Of gpube__certificate_mend(), not of a file: whether the root is split; until when, by
	 * gpube__now(), leaves get what they lack, and cases what they have; 0: without a limit */
	enum gpube_split split;
	double until, end;
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
	int32_t *order; /* blocks are minimised along it; NULL: the variables as they are given */
	struct gpube_proof_stages stages; /* n above 0: the proof is these cases alone, without
					     constant, tables and order */
};

/*
 * gpube__relaxed() - the relaxed problem: every cell a number, the given variables. Each function
 * is less its least cost, which is in the constant.
 * m       a model of costs
 * cap     >= 0
 * Errors: ERANGE (totals leave 64 bits, or costs above the constant can add up to more than 2^61:
 *         with gpube__cap_for() only where the least costs of all functions do), ENOMEM
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
/* Takes all blocks and stages away, and the order. */
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
 * gpube__certificate_of() - constant, shift and blocks of an ascent's state; the rest is there
 * already.
 * s   the simplified relaxed problem that the tables were made of
 * Errors: ENOMEM; ELIMIT (a table is too large; something is dead, which has no number)
 * gpube__certificate_of_joins() - the order, too, along which it is minimised.
 * gpube__certificate_of_regrets() - a block is what a variable's values cost more than the best, in
 * as many tables as its numbers need.
 */
int gpube__certificate_of(struct gpube_certificate *out, const struct gpube_clusters *c,
	const struct gpube_simplified *s);
int gpube__certificate_of_joins(struct gpube_certificate *out, const struct gpube_joingraph *g,
	const struct gpube_simplified *s);
int gpube__certificate_of_regrets(
	struct gpube_certificate *out, const struct gpube__regrets *regrets, int64_t constant);

/*
 * Another case, a leaf without stages, the first one the root; a stage of a case, without lists; a
 * list of its last one; two new children of a leaf, from n variables and then their values. Errors:
 * ENOMEM
 */
int gpube__certificate_case(struct gpube_certificate *c);
int gpube__certificate_stage(struct gpube_certificate *c, int32_t of, int32_t n_sweeps);
int gpube__certificate_list(struct gpube_certificate *c, int32_t of, int32_t arity,
	int32_t n_leaving, const int32_t *scope);
int gpube__certificate_part(
	struct gpube_certificate *c, int32_t of, int32_t n, const int32_t *split);
/* Takes all stages of a case behind the first n away. */
void gpube__certificate_drop(struct gpube_certificate *c, int32_t of, int32_t n);
void gpube__certificate_unstage(struct gpube_certificate *c); /* takes all cases away */

/*
 * gpube__certificate_check() - repeats the proof, and that c->bound is what it proves.
 * gpube__certificate_proves() - what it proves, no more than c->bound, which is claimed.
 * m      the given problem's costs
 * bound  out: of the minimisation
 * Errors: EINVAL (it is no proof: the text says why), ERANGE (sums pass 128 bits, or the bound 64),
 *         ELIMIT, ENOMEM, ESTOP
 */
int gpube__certificate_check(const struct gpube_certificate *c, const struct gpube_model *m);
int gpube__certificate_proves(
	int64_t *bound, const struct gpube_certificate *c, const struct gpube_model *m);

/*
 * gpube__certificate_mend() - cases proved once more, with what they lack
 * (gpube__certificate_sweep()): c->bound, what is aimed at, becomes what they prove then. Errors:
 * as gpube__certificate_proves(), and there is no proof
 */
int gpube__certificate_mend(struct gpube_certificate *c, const struct gpube_model *m);

/*
 * gpube__certificate_least() - what all tables add up to at least.
 * need    what is asked for: where they add up to more, *least is need or more; otherwise it is
 *         what the blocks add up to, or 2^62 above the sum of all least cells
 * Errors: EINVAL (the order), ELIMIT (it is too wide, or too deep), ENOMEM, ESTOP
 */
int gpube__certificate_least(__int128 *least, const struct gpube_certificate *c, __int128 need);

/*
 * gpube__certificate_sweep() - what the cases prove that every assignment costs above the relaxed
 * problem's constant: the least of all leaves, which the threads share.
 * least     out: in units of 2^-shift
 * relaxed   its functions, none of which costs less than 0
 * constant  above which they are
 * mended    NULL, or c itself: the unit is chosen, what each leaf lacks, sweeps and splits, is
 *           added while that proves more, and what comes after the limit is proved goes
 * Errors:   as gpube__certificate_proves(); ELIMIT (a list is too long, or there is too much for
 *           the memory)
 */
int gpube__certificate_sweep(__int128 *least, const struct gpube_certificate *c,
	const struct gpube_model *relaxed, __int128 constant, struct gpube_certificate *mended);

/* "name", or another word, and "name NUMBER" of the file. Errors: EPARSE */
int gpube__certificate_read_word(
	struct gpube_in *in, const char *name, const char *other, bool *is_other);
int gpube__certificate_read_member(
	struct gpube_in *in, const char *name, int64_t *v, int64_t min, int64_t max);

/* The file's part that is the cases. Errors: EPARSE, ENOMEM, ELIMIT */
int gpube__certificate_write_stages(struct gpube_out *out, const struct gpube_certificate *c);
int gpube__certificate_read_stages(struct gpube_certificate *c, struct gpube_in *in);

/* Text, a .gz or .xz by its name. Errors: EIO, EPARSE, ENOMEM, ELIMIT */
int gpube__certificate_write(const struct gpube_certificate *c, const char *path);
int gpube__certificate_read(struct gpube_certificate *c, struct gpube_ctx *ctx, const char *path);

/*
 * gpube__bound_certified() - the best bound, of a model of costs, that steps, an ascent's tables or
 * a search along an order prove.
 * out     clear it
 * known   of a run on 'm' before: its assignment is what the ascent aims at, its bound what steps
 *         and the search do
 * notes   what patches did in that run (gpube__bound_noted()), which is used up; or NULL
 * opts    timeout_seconds is for all of it, a check that comes after it as well
 * A stop ends the ascent; what it has reached is then checked all the same, and the context works
 * again. Costs too large for an ascent are eliminated in 128 bits, in small models.
 * Errors: as gpube_bound()
 */
int gpube__bound_certified(struct gpube_certificate *out, const struct gpube_model *m,
	const struct gpube_solution *known, struct gpube_certificate *notes,
	const struct gpube_bound_opts *opts);

/*
 * gpube__certificate_verify() - a certificate, and whether it proves what it says of the model of a
 * file: nothing that is in memory counts.
 * precision  decimals of potentials; 0: those that it names
 * Errors: those of gpube__certificate_read() and gpube__certificate_check()
 * gpube__certificate_prove() - the certificate of a run on m, written, read back and checked. Of
 * what lists did the notes are the proof. An elimination has none of its own: its optimum is proved
 * by tables and an order, along which a search is about as wide. (Its own order is of the
 * simplified model, and wider on the given one.)
 * c       out: as it was read back
 * bounds  of the run; notes: of gpube__bound_noted(), used up; opts: of the run
 * Errors: those of gpube__bound_certified(), too
 */
int gpube__certificate_verify(
	struct gpube_certificate *c, const char *path, const struct gpube_model *m, int precision);
int gpube__certificate_prove(struct gpube_certificate *c, const char *path,
	const struct gpube_model *m, const struct gpube_solution *bounds,
	struct gpube_certificate *notes, struct gpube_bound_opts opts);

/*
 * The bound in the terms of the file. Of potentials the certificate proves one of their costs, each
 * rounded to the decimals that it names itself: what that may hide is taken off.
 */
int64_t gpube__certified(const struct gpube_certificate *c, const struct gpube_model *m);

/*
 * gpube__bound_noted() - gpube_bound(), and what patches, their lists and cases did in it.
 * notes   out, to be cleared: its cases alone; none where patches had no turn
 */
int gpube__bound_noted(struct gpube_solution **out, struct gpube_certificate *notes,
	const struct gpube_model *m, const struct gpube_bound_opts *opts);

#endif
