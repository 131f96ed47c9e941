/*
 * certificate.h - a bound with its proof, which a small checker repeats from the given file
 * (formats/certificate.md).
 *
 * The bound is one of the relaxed problem: minimised, without top, each function at most 'cap'
 * above its least cost (so that forbidden cells are numbers, too), and functions too large to list
 * at their least cost. No assignment costs more there than in the given problem. Potentials become
 * costs, rounded to decimals that the certificate names: the bound holds for the file only less
 * gpube__rounding_error(). Whoever reports it subtracts that, so that no choice of decimals proves
 * too much.
 *
 * A proof has one of three forms.
 *
 * Tables: the problem's total as a constant plus blocks of tables, with an order of the variables.
 * The checker proves that they add up to the problem without looking at assignments: a sum of
 * tables is a polynomial in the indicators of all values but each variable's first, in which no
 * variable occurs twice in a term, and two sums agree everywhere exactly if these have the same
 * coefficients. A search minimises each block along the order, as deep as the bound needs. Ascents
 * make blocks of one table, whose least cells nearly suffice; or all their tables are one block,
 * whose search is the proof.
 *
 * Steps: sparse relations ("lists" in the file) of the assignments of a few variables that are
 * still possible below a limit. The steps say which lists are joined to new ones, how many sweeps
 * move costs between them, and on which variables the proof then branches into cases. The checker
 * repeats all of it.
 *
 * Cycles: of two-valued variables and functions of two of them at most, which are a graph whose
 * cuts cost what assignments do (relax/cuts/cuts.h). Rows say that a cycle is cut an even number of
 * times, prices of rows what each edge costs in the end, and a proof branches on whether an edge is
 * cut. The checker makes the graph, adds up and fixes edges; it solves no linear program.
 *
 * Designs weighed. (1) A log of an ascent's moves, or of a search's closed subproblems: as long as
 * the run, and to check a line takes the sums of cells that found it. (2) The tables of every leaf
 * of a tree, or the costs that moved between dense tables on the way to it: 927 kilobytes for a
 * grid of 1,600 variables whose steps take 11. (3) A reason for each tuple that the last lists
 * lack: each was removed when the costs were as they never were again. (4) A search or an ascent of
 * the checker's own choice: a second checker can be written only if its moves are known. (5) The
 * three forms above: the rules of searches, lists, sweeps and cycles are sound whatever tables,
 * order, lists and prices a file has, and take four pages. (6) Of cycles: their rows as tables
 * of three variables each, which the first form has: a cycle of k edges takes k - 2 tables, and
 * there are no branches.
 */
#ifndef GPUBE_CERTIFICATE_H
#define GPUBE_CERTIFICATE_H

#include "gpube/ir/model.h"
#include "gpube/options/options.h"

struct gpube__regrets;
struct gpube_bounder;
struct gpube_in;
struct gpube_out;

/* Most variables and cells of a table. A larger function counts at its least cost. */
enum { GPUBE__PROOF_DIMS = 20, GPUBE__PROOF_CELLS = 1 << 22 };

struct gpube_proof_table {
	int arity;
	int32_t *scope;  /* ascending */
	int64_t n;       /* cells */
	int64_t *values; /* row-major, the last variable fastest */
};

/*
 * A list: the possible assignments of its variables, which are added in this order. Each comes with
 * the older lists whose variables it completes. The last n_leaving variables are in no other list,
 * and leave it as soon as it is made.
 */
struct gpube_proof_list {
	int32_t arity, n_leaving;
	int32_t *scope;
};

/* Lists, then sweeps forward and backward. */
struct gpube_proof_stage {
	int32_t n_lists, n_sweeps;
	int64_t capacity;
	struct gpube_proof_list *lists;
};

/*
 * Stages, then a leaf or a split. In the first child each of these variables has its value, in the
 * second not all have. An open leaf, of which no file tells, proves less than the limit.
 */
struct gpube_proof_case {
	int32_t n_stages, n_split;
	int64_t capacity;
	struct gpube_proof_stage *stages;
	int32_t *split; /* the variables, then their values */
	int32_t child[2];
	bool open;
};

/* The first case is the root; cases without a parent do not belong to the proof. */
struct gpube_proof_stages {
	int64_t limit; /* as the bound; totals from here on are not considered */
	int32_t n;
	int64_t capacity;
	struct gpube_proof_case *cases;
	/*
	 * For gpube__certificate_mend(), not in a file. split: whether the root may be split; until
	 * when, by gpube__now(), leaves and cases are completed; 0: without a limit
	 */
	enum gpube_split split;
	double until, end;
};

/*
 * Of a closed walk: edges [at, at + n). The first n_odd, an odd number, are not all cut where no
 * other one is.
 */
struct gpube_proof_row {
	int32_t n, n_odd;
	int64_t at;
};

struct gpube_proof_price {
	int32_t row;
	int64_t price; /* in units of 2^-shift */
};

/* Prices [at, at + n) of rows: what they prove, and which edges they fix. */
struct gpube_proof_step {
	int32_t n;
	int64_t at;
};

/* Steps, then a leaf (edge -1) or a split: the edge is not cut in the first child, but is in the
 * second. */
struct gpube_proof_node {
	int64_t step;
	int32_t n_steps, edge, child[2];
};

/*
 * Nodes of which the first is the root. Edge i, of n variables, is between variable i and the
 * vertex that always has its first value; then come the pairs of variables, ascending, that
 * functions of the relaxed problem have, which have two values each.
 */
struct gpube_proof_cycles {
	int64_t limit; /* as the bound; totals from here on are not considered */
	int32_t fixed; /* this variable has its first value, or -1: each cut is there twice */
	int32_t n_rows, n;
	int64_t n_edges, n_prices, n_steps;
	struct gpube_proof_row *rows;
	int32_t *edges;
	struct gpube_proof_price *prices;
	struct gpube_proof_step *steps;
	struct gpube_proof_node *nodes;
	int64_t row_room, edge_room, price_room, step_room, node_room;
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
	int64_t bound; /* of the minimisation, in units of 10^-scale */
	int32_t n_tables, n_blocks;
	struct gpube_proof_table *tables;
	int32_t *first;
	int64_t tables_capacity, first_capacity;
	int32_t *order;                   /* along which blocks are minimised; NULL: as given */
	struct gpube_proof_stages stages; /* n above 0: the proof is these cases alone */
	struct gpube_proof_cycles cycles; /* n above 0: these nodes alone */
};

/*
 * gpube__relaxed() - the relaxed problem, with the given variables and a number in every cell. Each
 * function is less its least cost, which is in the constant.
 * m       a model of costs
 * cap     >= 0
 * Errors: ERANGE (totals leave 64 bits, or costs above the constant can add up to more than 2^61:
 * with gpube__cap_for() only where the least costs of all functions do), ENOMEM
 * gpube__relaxed_above() - the same with the constant apart, so that nothing is refused.
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
/* Removes all blocks, stages and cycles, and the order. */
void gpube__certificate_restart(struct gpube_certificate *c);
/* Begins a block. Errors: ENOMEM */
int gpube__certificate_block(struct gpube_certificate *c);
/*
 * gpube__certificate_table() - adds a table of zeros to the last block.
 * Errors: ENOMEM, ELIMIT (too many cells)
 */
int gpube__certificate_table(
	struct gpube_certificate *c, int arity, const int32_t *scope, int64_t **values);

/*
 * gpube__certificate_of() - fills in constant, shift, a block for each function of b->tables, and
 * b's order, if it has one; b is of a relaxed problem.
 * Errors: ENOMEM; ELIMIT (a table is too large; a forbidden cell has no number)
 * gpube__certificate_of_regrets() - one block for each variable: the costs of its values above the
 * best one, in as many tables as these numbers need.
 */
int gpube__certificate_of(struct gpube_certificate *out, const struct gpube_bounder *b);
int gpube__certificate_of_regrets(
	struct gpube_certificate *out, const struct gpube__regrets *regrets, int64_t constant);

/*
 * Adds a case (a leaf without stages; the first is the root), a stage without lists, a list to its
 * last stage, or two children of a leaf, split by n variables and their values. Errors: ENOMEM
 */
int gpube__certificate_case(struct gpube_certificate *c);
int gpube__certificate_stage(struct gpube_certificate *c, int32_t of, int32_t n_sweeps);
int gpube__certificate_list(struct gpube_certificate *c, int32_t of, int32_t arity,
	int32_t n_leaving, const int32_t *scope);
int gpube__certificate_part(
	struct gpube_certificate *c, int32_t of, int32_t n, const int32_t *split);
/* Removes the stages of a case behind the first n. */
void gpube__certificate_drop(struct gpube_certificate *c, int32_t of, int32_t n);
void gpube__certificate_unstage(struct gpube_certificate *c); /* removes all cases */

/*
 * Of cycles: an edge of the next row, and that row, of the edges since the last one; a price of the
 * next step, and that step of a node, which no other has had one after; a node, a leaf; two
 * children of a leaf. gpube__cycles_clear() removes all. Errors: ENOMEM
 */
int gpube__cycles_edge(struct gpube_certificate *c, int32_t edge);
int gpube__cycles_row(struct gpube_certificate *c, int32_t n_odd);
int gpube__cycles_price(struct gpube_certificate *c, int32_t row, int64_t price);
int gpube__cycles_step(struct gpube_certificate *c, int32_t of);
int gpube__cycles_node(struct gpube_certificate *c);
int gpube__cycles_split(struct gpube_certificate *c, int32_t of, int32_t edge);
void gpube__cycles_clear(struct gpube_certificate *c);

/*
 * gpube__certificate_check() - repeats the proof, and checks that it proves c->bound.
 * gpube__certificate_proves() - the bound that it proves, at most c->bound.
 * m      the given problem's costs
 * bound  out: of the minimisation
 * Errors: EINVAL (it is no proof: the text says why), ERANGE (sums pass 128 bits, or the bound 64),
 * ELIMIT, ENOMEM, ESTOP
 */
int gpube__certificate_check(const struct gpube_certificate *c, const struct gpube_model *m);
int gpube__certificate_proves(
	int64_t *bound, const struct gpube_certificate *c, const struct gpube_model *m);

/*
 * gpube__certificate_mend() - repeats the cases and completes them (gpube__certificate_sweep()).
 * c->bound, the aim, becomes what they prove. Errors: as gpube__certificate_proves(); then there is
 * no proof
 */
int gpube__certificate_mend(struct gpube_certificate *c, const struct gpube_model *m);

/*
 * gpube__certificate_least() - a lower bound of the sum of all tables.
 * need    the sum asked for: if the tables reach it, *least is need or more; otherwise it is the
 *         sum of the blocks' minima, or 2^62 above the sum of all least cells
 * Errors: EINVAL (the order), ELIMIT (it is too wide, or too deep), ENOMEM, ESTOP
 */
int gpube__certificate_least(__int128 *least, const struct gpube_certificate *c, __int128 need);

/*
 * gpube__certificate_sweep() - the bound that the cases prove above the relaxed problem's constant:
 * the least of all leaves, which the threads divide among them.
 * least     out: in units of 2^-shift
 * relaxed   its functions, none of which costs less than 0
 * constant  above which they are
 * mended    NULL, or c itself: the unit is chosen, each leaf gets more sweeps and splits while that
 *           proves more, and steps after the proof are removed
 * Errors:   as gpube__certificate_proves(); ELIMIT (a list is too long, or the memory too small)
 */
int gpube__certificate_sweep(__int128 *least, const struct gpube_certificate *c,
	const struct gpube_model *relaxed, __int128 constant, struct gpube_certificate *mended);

/*
 * gpube__has_cycles() - whether a run by that method is certified by cycles first. Errors: ENOMEM
 * gpube__certificate_cycles() - the bound that cycles prove above the relaxed problem's constant.
 * least  out: in units of 2^-shift
 * Errors: as gpube__certificate_proves()
 * gpube__cycles_target() - what a leaf is to reach for the limit, and whether a variable may be
 * fixed; c has the limit and the shift, but no nodes.
 * gpube__cycles_note() - cycles that prove that no total is below 'limit', or less where the
 * context is stopped; it sets c->shift. Errors: ELIMIT (the model, or the machine, has no
 * relaxation over cycles, or that fails), ENOMEM, ESTOP
 * relaxed  gpube__relaxed()
 */
int gpube__has_cycles(bool *yes, const struct gpube_model *m, enum gpube_bound_method method);
int gpube__certificate_cycles(__int128 *least, const struct gpube_certificate *c,
	const struct gpube_model *relaxed, __int128 constant);
int gpube__cycles_target(__int128 *target, bool *may_fix, const struct gpube_certificate *c,
	const struct gpube_model *relaxed, __int128 constant);
int gpube__cycles_note(
	struct gpube_certificate *c, const struct gpube_model *relaxed, int64_t limit);

/*
 * Reading; failures stay in in->status, and what is read then means nothing.
 * gpube__certificate_word()   - that word, or another one: whether it is the other one
 * gpube__certificate_number() - in its range, which has its least one after a failure
 * gpube__certificate_member() - a word and a number
 * gpube__certificate_tried()  - what else has failed, if it has; in->status
 */
bool gpube__certificate_word(struct gpube_in *in, const char *name, const char *other);
int64_t gpube__certificate_number(struct gpube_in *in, int64_t min, int64_t max, const char *what);
int64_t gpube__certificate_member(struct gpube_in *in, const char *name, int64_t min, int64_t max);
int gpube__certificate_tried(struct gpube_in *in, int status);

/* The file's part that is the cases. Errors: ENOMEM; of reading in in->status, EPARSE and ELIMIT */
int gpube__certificate_write_stages(struct gpube_out *out, const struct gpube_certificate *c);
void gpube__certificate_read_stages(struct gpube_certificate *c, struct gpube_in *in);
/* The same of cycles. */
int gpube__certificate_write_cycles(struct gpube_out *out, const struct gpube_certificate *c);
void gpube__certificate_read_cycles(struct gpube_certificate *c, struct gpube_in *in);

/* Text, a .gz or .xz by its name. Errors: EIO, EPARSE, ENOMEM, ELIMIT */
int gpube__certificate_write(const struct gpube_certificate *c, const char *path);
int gpube__certificate_read(struct gpube_certificate *c, struct gpube_ctx *ctx, const char *path);

/*
 * gpube__bound_certified() - the best bound of a model of costs that steps, an ascent's tables or a
 * search along an order prove.
 * out     clear it
 * known   of a run on 'm' before: the ascent aims at its assignment, steps and the search at its
 *         bound
 * notes   steps of that run (gpube__bound_noted()), which are used up; or NULL
 * opts    timeout_seconds is for all of it, including a check that comes after it
 * A stop ends the ascent; the result is then checked all the same, and the context works again.
 * Costs too large for an ascent are eliminated in 128 bits, in small models.
 * Errors: as gpube_bound()
 */
int gpube__bound_certified(struct gpube_certificate *out, const struct gpube_model *m,
	const struct gpube_solution *known, struct gpube_certificate *notes,
	const struct gpube_opts *opts);

/*
 * gpube__certificate_verify() - reads a certificate and checks it against the model of a file, from
 * nothing in memory.
 * precision  decimals of potentials; 0: those that it names
 * Errors: those of gpube__certificate_read() and gpube__certificate_check()
 * gpube__certificate_prove() - writes the certificate of a run on m, reads it back and checks it.
 * Methods on sparse relations have noted their steps. An elimination has not: tables and an order
 * prove its optimum, along which a search is about as wide. (Its own order is of the simplified
 * model, and wider on the given one.)
 * c       out: as it was read back
 * bounds  of the run; notes: of gpube__bound_noted(), used up; opts: of the run
 * Errors: those of gpube__bound_certified(), too
 */
int gpube__certificate_verify(
	struct gpube_certificate *c, const char *path, const struct gpube_model *m, int precision);
int gpube__certificate_prove(struct gpube_certificate *c, const char *path,
	const struct gpube_model *m, const struct gpube_solution *bounds,
	struct gpube_certificate *notes, struct gpube_opts opts);

/*
 * The certificate's bound in terms of the file. Of potentials it bounds their costs, rounded to
 * decimals that the certificate names: the rounding error is taken off.
 */
int64_t gpube__certified(const struct gpube_certificate *c, const struct gpube_model *m);

/*
 * gpube__bound_noted() - gpube_bound(), and the steps of its pairwise-consistent regions.
 * notes   out, to be cleared: its cases alone; none if the method had no turn
 */
int gpube__bound_noted(struct gpube_solution **out, struct gpube_certificate *notes,
	const struct gpube_model *m, const struct gpube_opts *opts);

#endif
