/*
 * bound_looks.c - looks at what ends in a moment, if at all: a search tree, before and after join
 * graphs. None takes longer than a part of what elimination would.
 */
#include <math.h>

#include "gpube/bound/dfs_tree.h"
#include "gpube/bound/stages.h"
#include "gpube/ops/pick.h"
#include "gpube/simplify/symmetry.h"

bool gpube__bounder_has_tree(const struct gpube_bounder *b)
{
	return b->opts->split != GPUBE_SPLIT_NEVER && gpube__bounder_prefers_joins(b);
}

/*
 * Looks at trees, all together, take no longer than this part of what elimination along the best
 * order is predicted to take, which is sure: grid20x20.f2 had 1.2 s of looks before 0.3 s of
 * elimination. (It takes 3 to 5 times as long as that where costs have 64 bits, and the search for
 * its order half as long; of both together looks are then a sixth.)
 */
#define LOOKING 1.0

double gpube__bounder_look_seconds(const struct gpube_bounder *b, double most)
{
	const bool fits =
		(double)sizeof(int32_t) * b->order_cost.largest_message < GPUBE__MUCH_MEMORY;

	return b->opts->no_eliminate || !fits || gpube__bounder_hopeless(b)
		       ? most
		       : fmin(most, fmax(0, LOOKING * gpube__bounder_eliminating(b) -
						    b->seconds_looked));
}

double gpube__bounder_cells(const struct gpube_bounder *b)
{
	double cells = 0;

	for (int32_t k = 0; k < b->m->n_functions; k++)
		cells += (double)gpube__table(b->m, k)->n;
	return cells;
}

/*
 * Cells of tables of which a tree is made in a second, and swept once: 10_1, of 10^7, took 0.5 s
 * for a look of 0.1.
 */
#define MADE_PER_SECOND 2e7

static bool is_soon_made(const struct gpube_bounder *b, double seconds)
{
	return b->tree || gpube__bounder_cells(b) <= MADE_PER_SECOND * seconds;
}

static int look(struct gpube_bounder *b, double seconds)
{
	const struct gpube_turn turn = gpube__turn(b->ctx, seconds);
	int status =
		seconds > 0 && is_soon_made(b, seconds) ? gpube__bound_dfs(b, seconds) : GPUBE_OK;

	b->seconds_looked += gpube__turn_spent(&turn);
	return status;
}

/* Its turns, each at least as long as all before it were. */
#define TURN 0.1

double gpube__bounder_tree_seconds(const struct gpube_bounder *b)
{
	return b->tree ? b->tree->seconds : 0;
}

bool gpube__bounder_tree_ends(const struct gpube_bounder *b, double seconds)
{
	return b->tree && gpube__dfs_tree_seconds_left(b->tree) < seconds;
}

/* As long as it seems to end in so many times what is left of its time. */
static int go_on(struct gpube_bounder *b, double seconds, double times)
{
	const struct gpube_turn turn = gpube__turn(b->ctx, seconds);
	int status = GPUBE_OK;

	while (!status && !gpube__bounder_done(b) && !gpube__stopped(b->ctx) &&
		gpube__bounder_tree_ends(b, times * gpube__turn_left(&turn)))
		status = look(b, fmin(gpube__turn_left(&turn), fmax(TURN, b->tree->seconds)));
	return status;
}

int gpube__bound_tree_that_ends(struct gpube_bounder *b, double seconds)
{
	return go_on(b, seconds, 1);
}

/*
 * What comes next are clusters, of which cores do not see the end where there are many: then a tree
 * is given a few seconds, and a minute even if it seems to need more by then. (scen06 said 231, 5
 * and 113 s on the way, and ended after 43 on two cores and 4 on 16, where a card takes clusters 5
 * s, and two cores have not ended them in 100; scen07 says 900 after 9 s, and is left.)
 */
#define HOPE    8
#define HOPEFUL 3 /* seconds */

double gpube__hopeful_tree_seconds(const struct gpube_bounder *b)
{
	return gpube__share_of(b, 60, 0.5);
}

bool gpube__wants_hopeful_tree(const struct gpube_bounder *b)
{
	const struct gpube_ops *ops;

	return gpube__bounder_may_split(b) && !gpube__bounder_is_easy(b) &&
	       !gpube__bounder_prefers_joins(b) &&
	       !gpube__pick_early(&ops, b->ctx, b->opts->backend, b->order_cost.joined_cells, 0) &&
	       ops == gpube__ops_cpu();
}

int gpube__bound_hopeful_tree(struct gpube_bounder *b, double seconds)
{
	const struct gpube_turn turn = gpube__turn(b->ctx, seconds);
	int status = look(b, gpube__share_of(b, HOPEFUL, 0.05));

	if (!status)
		status = go_on(b, gpube__turn_left(&turn), HOPE);
	return status || !b->tree ? status : gpube__bound_tree_that_ends(b, b->tree->seconds);
}

/*
 * It goes on where it seems to end in as long as it has taken: BN_75's took 1 s, seemed to need
 * 0.16, and did 0.7 s later.
 */
int gpube__bound_look(struct gpube_bounder *b, double seconds)
{
	int status = look(b, seconds);

	return status || !b->tree ? status : gpube__bound_tree_that_ends(b, b->tree->seconds);
}

/* Turns of twice the time, as long as each gains. */
int gpube__bound_look_and_or(struct gpube_bounder *b, double seconds)
{
	const struct gpube_turn turn = gpube__turn(b->ctx, seconds);
	double open;
	int status;

	do {
		open = gpube__bounder_open(b);
		status = gpube__bound_andor(b, seconds);
		seconds *= 2;
	} while (!status && !gpube__bounder_done(b) && !gpube__stopped(b->ctx) &&
		 gpube__bounder_gains(b, open));
	b->seconds_looked += gpube__turn_spent(&turn);
	return status;
}

int gpube__bound_look_closely(struct gpube_bounder *b, double seconds)
{
	static const struct {
		double share, seconds;
	} looks[] = {{0.5, 0.15}, {0.8, 0.3}, {0.97, 1}};
	int status = GPUBE_OK;

	(void)seconds;
	for (int k = 0; k < 3 && !status && !gpube__bounder_done(b) &&
			gpube__bounder_share_proved(b) > looks[k].share;
		k++)
		status = gpube__bound_look(
			b, gpube__bounder_look_seconds(
				   b, fmin(looks[k].seconds, gpube__bounder_order_seconds(b))));
	return status;
}

int gpube__bound_tree_of_names(struct gpube_bounder *b, double seconds)
{
	int32_t *n_kept = gpube__alloc(b->ctx, (uint64_t)b->m->n_vars, sizeof(*n_kept));
	double bits;
	int status = n_kept ? gpube__find_symmetry(&bits, n_kept, b->m) : GPUBE_ENOMEM;

	gpube__free(b->ctx, n_kept);
	return status || bits <= 0 ? status : gpube__bound_dfs(b, seconds);
}

/* A tree that is made here goes: a longer one is to have more sweeps at its root. */
static int joins_and_tree(struct gpube_bounder *b, double joins, double tree)
{
	const bool is_new = !b->tree;
	int status = gpube__bounder_quick_joins(b, joins);

	if (!status && !gpube__bounder_done(b) && gpube__bounder_has_tree(b))
		status = gpube__bound_dfs(b, tree);
	if (!status && b->tree)
		status = gpube__bound_tree_that_ends(b, b->tree->seconds);
	if (is_new) {
		gpube__dfs_tree_free(b->tree);
		b->tree = NULL;
	}
	return status;
}

/*
 * What says most per millisecond, before a better order is searched for: a join graph, and a look
 * whether a search tree ends at once.
 */
int gpube__bound_glance_along(struct gpube_bounder *b, double seconds)
{
	(void)seconds;
	return joins_and_tree(b, 0.008, 0.02);
}

/*
 * Both for longer, and mini-buckets. Of 21 networks of noisy ors (or_chain) most end in that tree,
 * which along the first order is as small as along a better one. (pedigree13 does in 0.2 s, or
 * takes 2.) A later tree is made along that. Where there is no assignment yet it has twice the
 * time: BN_71 takes it 0.2 to 0.3 s, and all took 3.7 where that was not enough.
 */
int gpube__bound_along(struct gpube_bounder *b, double seconds)
{
	int status = joins_and_tree(b, 0.05, b->upper == GPUBE_INF ? 0.6 : 0.3);

	(void)seconds;
	return status || gpube__bounder_done(b) ? status : gpube__bounder_quick_mbe(b);
}
