/*
 * bound_stages.c - what gpube_solve() and gpube_bound() do, one stage after the other until bounds
 * meet: which are wanted, and for how long.
 *
 * Small domains: the join graph, whose mini-buckets hold many variables (SPOT5, pedigrees, grids).
 * Dense problems are split, large domains make triangles already as large as tables may be:
 * clusters (CELAR, proteins). A stage that has no room gives way to the next.
 */
#include <math.h>

#include "gpube/bound/stages.h"
#include "gpube/ir/dense.h"
#include "gpube/ops/pick.h"

/* ---- which, and for how long ------------------------------------------------------------ */

struct stage {
	const char *name;
	bool (*wanted)(const struct gpube_bounder *b);
	double (*seconds)(const struct gpube_bounder *b); /* NULL: until it has no more to say */
	int (*run)(struct gpube_bounder *b, double seconds);
};

/* All that costs is forbidden: a question for a satisfiability library, which ends it as a rule. */
static bool is_hard(const struct gpube_bounder *b)
{
	return gpube__bounder_is_auto(b) && !b->shifted && gpube__cost_span(b->m) == 1;
}

static int satisfiability(struct gpube_bounder *b, double seconds)
{
	return gpube__bound_sat(b, gpube__bounder_by_clock(b, seconds));
}

/* So many variables that an order of them takes longer than the answer, as a rule. */
enum { MANY_HARD = 500 };

static bool is_large_and_hard(const struct gpube_bounder *b)
{
	return b->m->n_vars > MANY_HARD && is_hard(b);
}

static bool is_small_and_hard(const struct gpube_bounder *b)
{
	return b->m->n_vars <= MANY_HARD && is_hard(b);
}

static double hard_seconds(const struct gpube_bounder *b)
{
	return gpube__share_of(b, 60, 0.5);
}

/* Elsewhere it finds what local search and trees have not: any assignment at all. */
static bool is_unassigned(const struct gpube_bounder *b)
{
	return gpube__bounder_is_auto(b) && b->upper == GPUBE_INF && b->cutoff == GPUBE_INF;
}

/*
 * Where nothing is proved but the constant there may be an assignment that costs no more, as a
 * colouring of enough colours does: le450_5a_5 takes the library 0.1 s, and a local search 0.4 or
 * no end.
 */
static bool may_be_free(const struct gpube_bounder *b)
{
	return gpube__bounder_is_auto(b) && b->lower == gpube__constant_of(b->m) &&
	       b->upper > b->lower && b->limit > b->lower;
}

static double free_seconds(const struct gpube_bounder *b)
{
	return gpube__share_of(b, 1, 0.05);
}

/*
 * Before join graphs, orders and trees: DSJC125.1_5 and le450_5a_5 take 0.02 and 0.08 s so, of 0.08
 * and 0.27.
 */
static double soon_free_seconds(const struct gpube_bounder *b)
{
	return gpube__share_of(b, 0.1, 0.02);
}

static int find_free(struct gpube_bounder *b, double seconds)
{
	return gpube__bound_free(b, gpube__bounder_by_clock(b, seconds));
}

static double unassigned_seconds(const struct gpube_bounder *b)
{
	return gpube__share_of(b, 5, 0.1);
}

/*
 * Bounds to begin with, since the order, local search and the attempt to eliminate may take
 * seconds. (An order that is given is looked at in any case.)
 */
static bool wants_first(const struct gpube_bounder *b)
{
	return gpube__bounder_is_auto(b) && !b->shifted &&
	       b->opts->order_method != GPUBE_ORDER_GIVEN;
}

/*
 * So many cells are searched for an assignment that meets the bound before they are shifted: 10_1,
 * of 10^7, is done by it.
 */
#define WIDE_CELLS 4e6

static bool is_wide(const struct gpube_bounder *b)
{
	return wants_first(b) && gpube__bounder_cells(b) > WIDE_CELLS;
}

static double first_seconds(const struct gpube_bounder *b)
{
	return gpube__share_of(b, 1, 0.2);
}

static bool may_eliminate(const struct gpube_bounder *b)
{
	return gpube__bounder_is_auto(b) && !b->opts->no_eliminate;
}

/* ---- before longer methods ------------------------------------------------------------------- */

static bool has_first_order(const struct gpube_bounder *b)
{
	/*
	 * where domains are large, mini-buckets are of two or three variables, and sweeps and
	 * clusters say more
	 */
	return gpube__bounder_is_auto(b) && b->opts->order_method == GPUBE_ORDER_AUTO &&
	       b->opts->backend != GPUBE_BACKEND_CUDA && /* a card may still be opening */
	       !gpube__bounder_is_easy(b) && gpube__bounder_mean_domain(b) < GPUBE__WIDE_DOMAIN;
}

static bool wants_glance_along(const struct gpube_bounder *b)
{
	return has_first_order(b) && gpube__bounder_has_tree(b);
}

/*
 * Where a glance has left little open, or has found no assignment, the tree is likely to end before
 * an order is found (of 27 pedigrees and grids it did in 4 of 5 that had more than 0.7 proved and
 * no easy order, and in 3 of 15 others; the fifth, pedigree44, had 0.78; pedigree20 and pedigree37,
 * which end so, have 0.86).
 */
#define CLOSING 0.8

static bool closes(const struct gpube_bounder *b)
{
	const double share = gpube__bounder_share_proved(b);

	return wants_glance_along(b) && !gpube__bounder_easy_order(b) &&
	       (share > CLOSING || b->upper == GPUBE_INF);
}

static bool wants_along(const struct gpube_bounder *b)
{
	return has_first_order(b) && !gpube__bounder_is_quick(b) && !b->quick_along;
}

/*
 * Where little is open a search tree may close it, and goes on as long as it seems to: an auction
 * of 100 bids takes it 0.02 s where bids that exclude each other are joined.
 */
static bool wants_close_look(const struct gpube_bounder *b)
{
	return gpube__bounder_may_split(b) && b->opts->order_method == GPUBE_ORDER_AUTO &&
	       !gpube__bounder_is_easy(b);
}

/* A short one before orders are searched for, where none was looked at along the first order. */
static bool wants_glance(const struct gpube_bounder *b)
{
	return wants_close_look(b) && !wants_glance_along(b) &&
	       gpube__bounder_share_proved(b) > 0.5;
}

static double glance_seconds(const struct gpube_bounder *b)
{
	return gpube__bounder_look_seconds(b, gpube__share_of(b, 0.1, 0.05));
}

/*
 * Few variables of large domains: where a tree ends at all it may do so in a moment, and what is
 * next are an order, which will not help, and clusters, of which one pass takes longer.
 * (CELAR6-SUB0 is 17 nodes.)
 */
static bool wants_tree_at_once(const struct gpube_bounder *b)
{
	return gpube__bounder_may_split(b) && gpube__bounder_dense(b) &&
	       !gpube__bounder_is_easy(b) && gpube__bounder_mean_domain(b) >= GPUBE__WIDE_DOMAIN;
}

static double tree_at_once_seconds(const struct gpube_bounder *b)
{
	return gpube__share_of(b, 0.4, 0.05);
}

/*
 * Few variables whose values may change places (symmetry.h): a tree ends where ascents see nothing,
 * since every value looks like every other. Colourings of 50 to 94 bits are done in 0.8 to 1.3 s of
 * the processor, whose clusters take minutes; of 250 bits it proves nothing in a minute.
 */
#define FEW_BITS 128

static bool wants_tree_of_names(const struct gpube_bounder *b)
{
	return gpube__bounder_may_split(b) && !gpube__bounder_is_easy(b) &&
	       b->m->n_vars * log2(gpube__bounder_mean_domain(b)) < FEW_BITS;
}

static double names_seconds(const struct gpube_bounder *b)
{
	return gpube__share_of(b, 10, 0.3);
}

/* Before orders are searched for, which take queen5_5_4 as long as its tree does. */
static double names_glance_seconds(const struct gpube_bounder *b)
{
	return gpube__bounder_look_seconds(b, gpube__share_of(b, 0.2, 0.05));
}

/*
 * Either goes on where it seems to end, which all threads are at: CELAR6-SUB1 and SUB2 take the
 * tree 1.1 and 1.3 s of the processor, SUB3 and CELAR7-SUB4 5 and 24, where clusters take 2.8, 3.0,
 * 8 and 21, and two threads half of the seconds. (Looks at SUB3 have said 2.6 to 60 s.)
 */
static double tree_that_ends_seconds(const struct gpube_bounder *b)
{
	return gpube__bounder_look_seconds(b, gpube__share_of(b, 15, 0.5));
}

static bool wants_tree_that_ends(const struct gpube_bounder *b)
{
	return (wants_tree_at_once(b) || wants_tree_of_names(b)) &&
	       gpube__bounder_tree_ends(b, tree_that_ends_seconds(b));
}

/* Where elimination may be easy: what else is tried depends on how easy. */
static bool wants_early_orders(const struct gpube_bounder *b)
{
	return may_eliminate(b) && !gpube__bounder_is_easy(b) && gpube__bounder_prefers_joins(b) &&
	       gpube__bounder_wants_order(b);
}

/*
 * What takes milliseconds is eliminated before anything else is looked at: it is sure, and nothing
 * else is much faster. (An elimination of so many cells on one core, whatever there is.)
 */
#define AT_ONCE_SECONDS 0.02

static int eliminate(struct gpube_bounder *b, double seconds)
{
	bool done = false;
	int status =
		gpube__bounder_eliminate(b, NULL, NULL, gpube__bounder_by_clock(b, seconds), &done);

	if (!status && done)
		gpube__bounder_raise(b, b->limit, "elimination");
	return status;
}

static int eliminate_at_once(struct gpube_bounder *b, double seconds)
{
	int status;

	b->at_once = true;
	status = eliminate(b, seconds);
	b->at_once = false;
	return status;
}

static bool wants_at_once(const struct gpube_bounder *b)
{
	return may_eliminate(b) && b->ordered && !b->shifted &&
	       b->order_cost.joined_cells < AT_ONCE_SECONDS * b->ops->cells_per_second;
}

static double at_once_seconds(const struct gpube_bounder *b)
{
	(void)b;
	return 1; /* should the prediction be wrong */
}

/*
 * Where a better order may bring it so far: searched for as long as it pays, which is not for
 * longer than elimination would take. (A grid of 16 by 16 goes from 0.022 s to 0.003 so, and
 * pedigree18 from 0.053 to less than 0.02, which takes it 0.09 s instead of 0.2.)
 */
#define ALMOST_AT_ONCE 3

static bool wants_order_at_once(const struct gpube_bounder *b)
{
	return may_eliminate(b) && b->ordered && b->orders && !b->shifted &&
	       !(b->opts->order_seconds > 0) && !wants_at_once(b) &&
	       gpube__bounder_eliminating(b) < ALMOST_AT_ONCE * AT_ONCE_SECONDS;
}

static int first_bounds(struct gpube_bounder *b, double seconds)
{
	gpube__bounder_tell(b, "tables");
	return gpube__bound_first(b, seconds);
}

/*
 * A search tree closes in a moment what the shifts between functions have left little open,
 * networks of noisy ors for one (toulbar2 needs 200 to 1100 nodes for or_chains whose elimination
 * is 10^11 cells); so it is tried before anything that takes longer.
 */
static bool wants_first_tree(const struct gpube_bounder *b)
{
	return gpube__bounder_may_split(b) && !gpube__bounder_dense(b) &&
	       !gpube__bounder_is_easy(b);
}

static double first_tree_seconds(const struct gpube_bounder *b)
{
	return gpube__bounder_look_seconds(
		b, gpube__share_of(b, 0.5, 0.2) - gpube__bounder_tree_seconds(b));
}

/*
 * Large domains and many variables, proteins for one: the tree finds assignments that local search
 * does not (of pdb1jmx and pdb1qks those are 4 to 16 % above the optimum after its moment), and
 * with these and its bounds most values are found impossible before clusters begin. Where
 * everything depends on everything, shifts that have come half of the way say that clusters are not
 * what is missing (cap131's facilities).
 */
static bool wants_wide_tree(const struct gpube_bounder *b)
{
	return gpube__bounder_may_split(b) && !gpube__bounder_is_easy(b) &&
	       !gpube__bounder_prefers_joins(b) &&
	       gpube__bounder_share_proved(b) > (gpube__bounder_dense(b) ? 0.5 : 0.9);
}

static double wide_most(const struct gpube_bounder *b)
{
	return gpube__bounder_dense(b) ? gpube__share_of(b, 2, 0.2) : gpube__share_of(b, 5, 0.4);
}

static double wide_tree_seconds(const struct gpube_bounder *b)
{
	return gpube__bounder_look_seconds(b, wide_most(b));
}

/* Where steps are long, before anything else is tried. */
static double search_seconds(const struct gpube_bounder *b)
{
	return gpube__bounder_prefers_joins(b) ? INFINITY : 0.03;
}

/* Local search: a number of steps, or a moment of them where they are long. */
static int first_search(struct gpube_bounder *b, double seconds)
{
	const struct gpube_turn turn = gpube__turn(b->ctx, seconds);
	int64_t n = b->m->n_vars, steps = n < 100 ? 200 * n : 20000;
	int status = GPUBE_OK;

	if (isinf(seconds))
		return gpube__bounder_search(b, NULL, steps);
	for (; steps > 0 && !status && gpube__turn_left(&turn) > 0; steps -= 1000)
		status = gpube__bounder_search(b, NULL, steps < 1000 ? steps : 1000);
	return status;
}

/* Along a better order than the first time, where elimination does not come next in any case. */
static bool wants_quick_mbe(const struct gpube_bounder *b)
{
	return gpube__bounder_is_auto(b) && gpube__bounder_prefers_joins(b) &&
	       !gpube__bounder_is_easy(b) && !gpube__bounder_is_quick(b) &&
	       b->order_cost.joined_cells != b->quick_along;
}

static int quick_mbe(struct gpube_bounder *b, double seconds)
{
	(void)seconds; /* it is of a number of cells */
	return gpube__bounder_quick_mbe(b);
}

/*
 * Whether elimination should end in time, on a card if there is one: queen5_5_4 takes one 3 s, and
 * cores minutes. Before clusters it is tried if it takes no more; they try it again when there are
 * fewer values.
 */
static bool is_sure(const struct gpube_bounder *b)
{
	const double joined = b->order_cost.joined_cells, most = 20;
	const struct gpube_ops *ops;

	return !gpube__bounder_hopeless(b) &&
	       !gpube__pick_early(&ops, b->ctx, b->opts->backend, joined, 0) &&
	       gpube__predicted_seconds(b->ctx, ops, joined) < most;
}

/*
 * A proof if it ends, and given up as soon as it seems that it would not; where the time is short,
 * a sweep has none to give its line.
 */
static double sweep_seconds(const struct gpube_bounder *b)
{
	const double seconds = b->opts->timeout_seconds > 0 ? 0.75 * b->opts->timeout_seconds : 300;

	if (gpube__bounder_is_method(b, GPUBE_BOUND_SWEEP))
		return INFINITY;
	return seconds < 5 ? 0 : seconds;
}

/*
 * Narrow problems with many forbidden tuples: rbm_22 takes a sweep 0.2 s of a processor, and
 * elimination 1.3. It may take as long as elimination would; with 4 s it finds lines for 42 and
 * 408_VAC of SPOT5, and goes on where it gains: 7.5 and 4.8 s in all, and 10 to 13 where AND/OR
 * search ended them. Where there is no such line it is seen in a millisecond, as a rule.
 */
static double quick_sweep_seconds(const struct gpube_bounder *b)
{
	return fmin(gpube__share_of(b, 4, 0.2), fmax(0.4, gpube__bounder_eliminating(b)));
}

static bool wants_quick_sweep(const struct gpube_bounder *b)
{
	return may_eliminate(b) && !gpube__bounder_is_easy(b) &&
	       gpube__bounder_mean_domain(b) < GPUBE__WIDE_DOMAIN;
}

static bool wants_elimination(const struct gpube_bounder *b)
{
	return may_eliminate(b) && (gpube__bounder_prefers_joins(b) || is_sure(b));
}

static int quick_sweep(struct gpube_bounder *b, double seconds)
{
	const double open = gpube__bounder_open(b);
	int status = gpube__bound_sweep(b, seconds);

	if (!status && !gpube__bounder_done(b) && gpube__bounder_gains(b, open))
		status = gpube__bound_sweep(b, sweep_seconds(b));
	return status;
}

/* Nor is it put off for an assignment. */
static bool eliminates_soon(const struct gpube_bounder *b)
{
	return gpube__bounder_is_quick(b) && wants_elimination(b);
}

/*
 * Not where clusters come next, which search after their first passes, and what sweeps read off
 * will do for these.
 */
static bool searches(const struct gpube_bounder *b)
{
	return b->tables == b->m || b->upper == GPUBE_INF ||
	       gpube__bounder_mean_domain(b) < GPUBE__WIDE_DOMAIN;
}

static bool wants_search(const struct gpube_bounder *b)
{
	return searches(b) && !eliminates_soon(b);
}

static bool wants_late_search(const struct gpube_bounder *b)
{
	return searches(b) && eliminates_soon(b);
}

/*
 * A sure proof: worth a good part of the time, and as much as it needs where that is left. (What is
 * predicted is of cells of 32 bits without arg-mins. Of 64 bits with them, as potentials have, it
 * took 2.6 to 5 times as many processor seconds on eight networks, as the rates of a plan say, too;
 * and up to eight where the system clears pages slowly: pedigree51's 6 to 9.6 s instead of 1.2.)
 */
#define OPTIMISTIC 8

static double elimination_seconds(const struct gpube_bounder *b)
{
	const double share = fmax(2, fmin(20, b->opts->timeout_seconds / 3)),
		     needs = OPTIMISTIC * gpube__bounder_eliminating(b);
	const double left = gpube__seconds_left(b->ctx);

	/*
	 * on a busy machine, too: pedigree31 was given up there, of 20 s, for a search that took
	 * twice as long
	 */
	return needs < left ? fmax(share, fmin(needs * gpube__bounder_slowness(b), 0.75 * left))
			    : share;
}

static int eliminate_in_little(struct gpube_bounder *b, double seconds)
{
	int status;

	b->most_bytes = GPUBE__MUCH_MEMORY;
	status = eliminate(b, seconds);
	b->most_bytes = 0;
	return status;
}

static bool wants_much_memory(const struct gpube_bounder *b)
{
	return b->put_off;
}

/* Where domains are large it goes on as long as it may when no look was cut short. */
static bool wants_second_tree(const struct gpube_bounder *b)
{
	return gpube__bounder_may_split(b) &&
	       (gpube__bounder_prefers_joins(b) || wants_wide_tree(b));
}

static double second_tree_seconds(const struct gpube_bounder *b)
{
	return gpube__bounder_prefers_joins(b) ? gpube__share_of(b, 5, 0.2)
					       : fmax(0, wide_most(b) - b->seconds_looked);
}

static bool wants_tree(const struct gpube_bounder *b)
{
	return gpube__bounder_is_method(b, GPUBE_BOUND_TREE);
}

static bool wants_sweep(const struct gpube_bounder *b)
{
	return gpube__bounder_is_method(b, GPUBE_BOUND_SWEEP) ||
	       (may_eliminate(b) && gpube__bounder_prefers_joins(b));
}

static bool wants_slices(const struct gpube_bounder *b)
{
	return gpube__bounder_is_auto(b) && wants_sweep(b);
}

/* All the time that is left, where the first attempt to eliminate had a part of it. */
static double slices_seconds(const struct gpube_bounder *b)
{
	return b->ctx->deadline > 0 ? gpube__seconds_left(b->ctx) : 60;
}

static int slices(struct gpube_bounder *b, double seconds)
{
	bool done = false;
	int status = gpube__bounder_slices(b, seconds, &done);

	if (!status && done)
		gpube__bounder_raise(b, b->limit, "elimination");
	return status;
}

static bool wants_joins(const struct gpube_bounder *b)
{
	return gpube__bounder_is_method(b, GPUBE_BOUND_JOINS) ||
	       gpube__bounder_is_method(b, GPUBE_BOUND_ANDOR) ||
	       (gpube__bounder_is_auto(b) && gpube__bounder_prefers_joins(b));
}

static bool wants_guesses(const struct gpube_bounder *b)
{
	return gpube__wants_early_andor(b) && gpube__bounder_may_guess(b);
}

static bool wants_larger_guesses(const struct gpube_bounder *b)
{
	return gpube__wants_andor(b) && gpube__bounder_may_guess(b);
}

static double guess_seconds(const struct gpube_bounder *b)
{
	return gpube__bounder_look_seconds(b, gpube__share_of(b, 2, 0.1));
}

static double later_guess_seconds(const struct gpube_bounder *b)
{
	return gpube__share_of(b, 10, 0.3);
}

static bool wants_shifts(const struct gpube_bounder *b)
{
	return gpube__bounder_is_method(b, GPUBE_BOUND_SHIFT);
}

static int shifts(struct gpube_bounder *b, double seconds)
{
	(void)seconds;
	return gpube__bound_clusters(b, false, 0);
}

static bool wants_clusters(const struct gpube_bounder *b)
{
	return gpube__bounder_is_auto(b) || gpube__bounder_is_method(b, GPUBE_BOUND_CLUSTERS) ||
	       gpube__bounder_is_method(b, GPUBE_BOUND_REGIONS);
}

static int clusters(struct gpube_bounder *b, double seconds)
{
	(void)seconds;
	return gpube__bound_clusters(b, true, gpube__bounder_is_auto(b) ? 5 : 2);
}

static bool wants_mbe(const struct gpube_bounder *b)
{
	return gpube__bounder_is_auto(b) || gpube__bounder_is_method(b, GPUBE_BOUND_MBE);
}

static int mbe(struct gpube_bounder *b, double seconds)
{
	(void)seconds;
	return gpube__bound_mbe(b);
}

static bool wants_count(const struct gpube_bounder *b)
{
	return b->opts->count && !b->count && b->upper != GPUBE_INF && b->lower >= b->upper;
}

static int count(struct gpube_bounder *b, double seconds)
{
	(void)seconds;
	return gpube__bounder_count(b);
}

/* ---- the tables ---------------------------------------------------------------------------- */

/* These need no order; without one there is nothing for the others to go along. */
static const struct stage first_stages[] = {
	{"satisfiability", is_large_and_hard, hard_seconds, satisfiability},
	{"a first order", NULL, NULL, gpube__bound_first_order},
	{"an order for elimination at once", wants_order_at_once, NULL, gpube__bound_order_at_once},
	{"elimination at once", wants_at_once, at_once_seconds, eliminate_at_once},
	{"satisfiability", is_small_and_hard, hard_seconds, satisfiability},
	{"local search before shifts", is_wide, search_seconds, first_search},
	{"shifts at first", wants_first, first_seconds, first_bounds},
	{NULL, NULL, NULL, NULL},
};
static const struct stage stages[] = {
	{"a glance along the first order", wants_glance_along, NULL, gpube__bound_glance_along},
	{"patches", gpube__wants_patches, gpube__patches_seconds, gpube__bound_patches},
	{"a search tree behind patches", gpube__wants_tree_behind_patches,
		gpube__tree_behind_patches_seconds, gpube__bound_look},
	{"more patches", gpube__wants_more_patches, gpube__more_patches_seconds,
		gpube__bound_patches},
	{"an assignment without cost", may_be_free, soon_free_seconds, find_free},
	{"a glance at a search tree", wants_glance, glance_seconds, gpube__bound_look},
	{"bounds along the first order", closes, NULL, gpube__bound_along},
	{"orders for elimination", wants_early_orders, NULL, gpube__bound_order_soon},
	{"a search tree below guesses", wants_guesses, guess_seconds, gpube__bound_guess},
	{"bounds along the first order", wants_along, NULL, gpube__bound_along},
	{"an AND/OR search", gpube__wants_early_andor, gpube__early_andor_seconds,
		gpube__bound_look_and_or},
	{"a quick sweep", wants_quick_sweep, quick_sweep_seconds, quick_sweep},
	{"a search tree where little is open", wants_close_look, NULL, gpube__bound_look_closely},
	{"a search tree at once", wants_tree_at_once, tree_at_once_seconds, gpube__bound_look},
	{"a glance at a tree of few names", wants_tree_of_names, names_glance_seconds,
		gpube__bound_tree_of_names},
	{"a search tree that seems to end", wants_tree_that_ends, tree_that_ends_seconds,
		gpube__bound_tree_that_ends},
	{"better orders", gpube__bounder_wants_order, NULL, gpube__bound_order},
	{"a search tree", wants_first_tree, first_tree_seconds, gpube__bound_look},
	{"a search tree of large domains", wants_wide_tree, wide_tree_seconds, gpube__bound_look},
	{"local search", wants_search, search_seconds, first_search},
	{"satisfiability", is_unassigned, unassigned_seconds, satisfiability},
	{"an assignment without cost", may_be_free, free_seconds, find_free},
	{"quick mini-buckets", wants_quick_mbe, NULL, quick_mbe},
	{"a search tree of few names", wants_tree_of_names, names_seconds,
		gpube__bound_tree_of_names},
	{"elimination", wants_elimination, elimination_seconds, eliminate_in_little},
	{"local search", wants_late_search, search_seconds, first_search},
	{"a search tree below larger guesses", wants_larger_guesses, later_guess_seconds,
		gpube__bound_guess},
	{"a longer AND/OR search", gpube__wants_andor, gpube__later_andor_seconds,
		gpube__bound_andor},
	{"a longer search tree", wants_second_tree, second_tree_seconds, gpube__bound_look},
	{"elimination in much memory", wants_much_memory, elimination_seconds, eliminate},
	{"a search tree to its end", wants_tree, NULL, gpube__bound_dfs},
	{"larger patches", gpube__wants_larger_patches, gpube__larger_patches_seconds,
		gpube__bound_larger_patches},
	{"a sweep", wants_sweep, sweep_seconds, gpube__bound_sweep},
	{"slices", wants_slices, slices_seconds, slices},
	{"the join graph", wants_joins, NULL, gpube__bound_joins},
	{"shifts", wants_shifts, NULL, shifts},
	{"a search tree that may end", gpube__wants_hopeful_tree, gpube__hopeful_tree_seconds,
		gpube__bound_hopeful_tree},
	{"clusters", wants_clusters, NULL, clusters},
	{"mini-buckets", wants_mbe, NULL, mbe},
	{NULL, NULL, NULL, NULL},
};
/* In their place where a shifted model is wanted: of the last state of one ascent. */
static const struct stage shifting_stages[] = {
	{"better orders", gpube__bounder_wants_order, NULL, gpube__bound_order},
	{"local search", wants_search, search_seconds, first_search},
	{"shifts that are kept", NULL, NULL, gpube__bound_shift_and_keep},
	{NULL, NULL, NULL, NULL},
};
/* Once the optimum is proved. */
static const struct stage counting = {"counting", wants_count, NULL, count};

/* One of them; it may have no room. */
static int run_stage(struct gpube_bounder *b, const struct stage *s)
{
	const double start = gpube__now(), start_cpu = gpube__cpu_seconds(),
		     seconds = s->seconds ? s->seconds(b) : INFINITY;
	bool gave_way;
	int status, noted;

	if (isinf(seconds))
		gpube__log(b->ctx, GPUBE_LOG_DETAIL, "stage: %s", s->name);
	else
		gpube__log(b->ctx, GPUBE_LOG_DETAIL, "stage: %s, %.3g s at most", s->name, seconds);
	status = s->run(b, seconds);
	gave_way = status && gpube__bounder_gives_way(b, status, s->name);
	noted = gpube__bounder_note(b, s->name, start, start_cpu, gave_way);
	return status && !gave_way ? status : noted;
}

static int run_stages(struct gpube_bounder *b, const struct stage *s)
{
	int status = GPUBE_OK;

	gpube__bounder_hear(b);
	for (; s->name && !status && !gpube__bounder_done(b); s++, gpube__bounder_hear(b))
		if (!s->wanted || s->wanted(b))
			status = run_stage(b, s);
	return status;
}

int gpube__bound_stages(struct gpube_bounder *b)
{
	int status = run_stages(b, first_stages);

	if (!status && b->ordered)
		status = run_stages(b, b->shifted ? shifting_stages : stages);
	if (!status && counting.wanted(b))
		status = run_stage(b, &counting);
	return status;
}
