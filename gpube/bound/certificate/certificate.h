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
 * Where the bound of one such sum is too low, a tree splits the assignments: one variable's values
 * in two, again and again. At each node costs may move from a table to another one that has no
 * variables but some of its own; what leaves the one is what the other gets, so the sum is the same
 * for every assignment, and nothing needs to be compared with the problem again. The least totals
 * count only the values that are left, and the bound is the least leaf's.
 *
 * Designs weighed. (1) A log of all shifts of an ascent, with its values that die on the way:
 * larger by far, and each of these needs a proof. (2) All tables of every leaf, compared with the
 * problem each time: a thousand times as large on a grid of 40 x 40. (3) The tree alone, its leaves
 * bounded by the checker with an ascent of its own: small, and then the checker is what has to be
 * trusted. (4) Moves, rounded to a grain of which nothing depends, and values that cost too much as
 * splits whose one side is a leaf at once: this one. A node is a few kilobytes, and the checker two
 * pages.
 *
 * What lists of what is still possible prove (relax/patches/lists.h) has a third form: which lists
 * are made, and how many sweeps follow. The checker does them. Designs weighed: (1) the last lists
 * with a reason for each entry that is missing: it went at some moment when the costs stood as they
 * never stood again, so each reason is a state of all costs; (2) those of a few moments, between
 * which costs move as the file says and nothing goes: what goes in a sweep does so at as many
 * moments as there are separators; (3) the rules of lists and sweeps, which are sound whatever
 * lists there are, and these lists' variables: some hundred kilobytes (runs/measured-2c), three
 * pages, and a check that takes as long as the proof. What lists leave open and cases close
 * (bound/patching/list_cases.h) is a tree of such stages. Designs weighed: (1) each leaf a chain of
 * stages from the problem on: all lists again 120 times; (2) a split in the state as it stands,
 * separators and their costs too: the state is twice as large, and its lists no shorter for it; (3)
 * lists alone go on, without what the case excludes: as the proof does it, and a child costs less
 * than its parent. Who proves may say what was done, or the checker's way may be searched for
 * again: the first, since looks ahead and lists that were too long take more than half of a proof;
 * but costs are rounded another way there, so the notes are followed once by the checker itself,
 * which adds what a leaf lacks.
 *
 * What an AND/OR search proves (bound/andor) has another form: the tables, nowhere below 0, and an
 * order of the variables. The checker minimises along it as deep as the bound asks for, in a search
 * of its own. Designs weighed: (1) a log of all closed subproblems, each to be derived from those
 * below it: a line for each of 10^5 to 10^7 nodes, and to derive it takes the same sums of cells as
 * to find it; (2) passes over join graphs that the checker repeats from the problem: kilobytes, and
 * three times as much to be specified; (3) this one: 20 to 300 kilobytes (runs/measured-2c), two
 * pages more.
 */
#ifndef GPUBE_CERTIFICATE_H
#define GPUBE_CERTIFICATE_H

#include "gpube/ir/model.h"

struct gpube_in;
struct gpube_out;

enum { GPUBE__PROOF_DIMS = 20 }; /* variables of a table */

struct gpube_proof_table {
	int arity;
	int32_t *scope;  /* ascending */
	int64_t n;       /* cells */
	int64_t *values; /* row-major, the last variable fastest */
};

/* Its values, one a cell of 'to', are taken from 'from' and given to 'to'. */
struct gpube_proof_move {
	int32_t from, to;
	int64_t *values;
};

/*
 * After its moves a leaf, or a split: the values of 'var' that are named are the next node's, the
 * others of the second child.
 */
struct gpube_proof_node {
	int32_t n_moves;
	int32_t var; /* -1: a leaf */
	int32_t n_values;
	int32_t *values; /* ascending */
};

/*
 * Nodes: each before its children and the first child's before the second's; none: one leaf without
 * moves.
 */
struct gpube_proof_tree {
	int grain; /* moves are multiples of 2^grain */
	int32_t n_nodes, n_moves;
	struct gpube_proof_node *nodes;
	struct gpube_proof_move *moves; /* those of the first node first */
	int64_t nodes_capacity, moves_capacity;
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
	bool by_cases; /* a file of version 5: values go, too */
	int32_t n;
	int64_t capacity;
	struct gpube_proof_case *cases;
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
	struct gpube_proof_tree tree;
	/*
	 * NULL, or: tables are minimised along it, the first variable first; there is no tree then
	 */
	int32_t *order;
	struct gpube_proof_stages stages; /* n above 0: the proof is these cases alone, without
					     constant, tables, tree and order */
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
/* Takes all blocks, nodes and stages away, and the order. */
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
 * Another node, a leaf until it is split; a move of the last node, its values 0.
 * Errors: ENOMEM; EINVAL (there are no such tables, or 'to' has other variables than 'from'; no
 *         such values)
 */
int gpube__certificate_node(struct gpube_certificate *c);
int gpube__certificate_move(
	struct gpube_certificate *c, int32_t from, int32_t to, int64_t **values);
int gpube__certificate_split(
	struct gpube_certificate *c, int32_t var, int32_t n_values, const int32_t *values);
void gpube__certificate_cut(struct gpube_certificate *c); /* takes all nodes away */

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

/*
 * gpube__certificate_check() - repeats the proof, and that c->bound is what it proves.
 * gpube__certificate_proves() - what it proves, whatever is claimed; along an order, or by stages,
 * no more than is claimed.
 * m      the given problem's costs
 * bound  out: of the minimisation
 * Errors: EINVAL (it is no proof: the text says why), ERANGE (sums pass 128 bits, or the bound 64),
 *         ENOMEM, ESTOP
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

/* Errors: ELIMIT (more variables or assignments than are tried) */
int gpube__certificate_check_block(const struct gpube_certificate *c, int32_t block);
/* What the blocks add up to at the least leaf. Errors: as gpube__certificate_proves() */
int gpube__certificate_least(__int128 *least, const struct gpube_certificate *c);
/*
 * gpube__certificate_search() - what all tables add up to at least, by a search along the
 * certificate's order.
 * need    what is asked for: where they add up to more, *least is need or more; otherwise it is
 *         what they add up to
 * Errors: as gpube__certificate_proves(); EINVAL, too, where a table has a number below 0; ELIMIT
 */
int gpube__certificate_search(__int128 *least, const struct gpube_certificate *c, __int128 need);

/*
 * gpube__certificate_sweep() - what the cases prove that every assignment costs above the relaxed
 * problem's constant: the least of all leaves, which the threads share.
 * least     out: in units of 2^-shift
 * relaxed   its functions, none of which costs less than 0
 * constant  above which they are
 * mended    NULL, or c itself: what each leaf lacks, sweeps and splits, is added while that proves
 *           more, and what comes after the limit is proved goes; until the deadline
 * Errors:   as gpube__certificate_proves(); ELIMIT (a list is too long, or there is too much for
 *           the memory)
 */
int gpube__certificate_sweep(__int128 *least, const struct gpube_certificate *c,
	const struct gpube_model *relaxed, __int128 constant, struct gpube_certificate *mended);

/* "name NUMBER" of the file. Errors: EPARSE */
int gpube__certificate_read_member(
	struct gpube_in *in, const char *name, int64_t *v, int64_t min, int64_t max);

/* The file's part that is the stages, of version 5 in cases. Errors: EPARSE, ENOMEM */
int gpube__certificate_write_stages(struct gpube_out *out, const struct gpube_certificate *c);
int gpube__certificate_read_stages(struct gpube_certificate *c, struct gpube_in *in, bool by_cases);
void gpube__certificate_unstage(struct gpube_certificate *c); /* takes all cases away */

/* The file's part that is the tree. Errors: EPARSE, ENOMEM */
void gpube__certificate_write_tree(struct gpube_out *out, const struct gpube_certificate *c);
int gpube__certificate_read_tree(struct gpube_certificate *c, struct gpube_in *in);

/* Text, a .gz or .xz by its name. Errors: EIO, EPARSE, ENOMEM */
int gpube__certificate_write(const struct gpube_certificate *c, const char *path);
int gpube__certificate_read(struct gpube_certificate *c, struct gpube_ctx *ctx, const char *path);

/*
 * gpube__bound_certified() - the best bound that an ascent proves by itself, patches with splits
 * (certify.h), or a search along an order, of a model of costs.
 * out     clear it
 * known   of a run on 'm' before: its assignment is what the ascent aims at, its bound what patches
 *         and the search do
 * notes   what lists did in that run (gpube__bound_noted()), which is used up; or NULL
 * opts    timeout_seconds is for all of it, a check that comes after it as well
 * A stop ends the ascent; what it has reached is then checked all the same, and the context works
 * again. Costs too large for an ascent are eliminated in 128 bits, in small models: a block is then
 * what a variable's values cost more than the best, in as many tables as its numbers need.
 * Errors: as gpube_bound()
 */
int gpube__bound_certified(struct gpube_certificate *out, const struct gpube_model *m,
	const struct gpube_solution *known, struct gpube_certificate *notes,
	const struct gpube_bound_opts *opts);

/*
 * gpube__bound_noted() - gpube_bound(), and what lists and their cases did in it.
 * notes   out, to be cleared: its cases and shift alone; none where other methods did more
 */
int gpube__bound_noted(struct gpube_solution **out, struct gpube_certificate *notes,
	const struct gpube_model *m, const struct gpube_bound_opts *opts);

#endif
