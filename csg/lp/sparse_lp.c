/*
 * sparse_lp.c - method lp for games of which few coalitions are listed. The default
 * d of all others needs care: an agent that no listed coalition takes is "left
 * over", and who is left over is split into coalitions that are not listed, k of
 * them, worth k d. Two relaxations bound that without looking at 2^n coalitions:
 *
 *   d > 0   as many parts as can be: an agent counts d where it may be alone, and
 *           d / 2 where its own coalition is listed, for it takes two of those;
 *   d <= 0  as few as can be: one, d for all who are left over together, and
 *           nothing for each. That none is left over is a case of its own, with the
 *           listed coalitions alone, as it is where the default is forbidden.
 *
 * So the columns are the listed coalitions and, for each agent, its being left
 * over. Their linear program gives duals, and in whole numbers the slack of each
 * column; a search among them (cover.c) adds, once all agents have their place, what
 * the split costs more than the relaxation says. Weighed: pricing all 2^n coalitions
 * by enumerating sums of duals in rising order until one is not listed is exact,
 * too, but where duals are 0, as they are of agents in no good coalition, the
 * candidates of slack 0 are all sets of those agents.
 */
#include <math.h>
#include <string.h>

#include "csg/lp/lp.h"
#include "csg/sparse.h"

#define MOST_ROUNDS  300
#define FIRST_COUNT  500 /* candidates that are searched first */
#define FIRST_STEPS  2e6
#define COLUMN_STEPS 10 /* that a column's pricing is worth */

struct sparse_lp {
	struct csg__lp lp;
	struct csg__rest rest;
	int64_t other;            /* default, fixed point */
	int64_t each, two;        /* bounds of an agent that is left over: alone, or not */
	int64_t base;             /* of all who are left over */
	int64_t bound;            /* of all cases so far */
	struct csg__candidate *c; /* 'slack' is the value until there are duals */
	int64_t n;
	double steps_left;
	bool proved, no_room; /* no_room: for slacks; what is known are bounds */
};

/* ---- columns --------------------------------------------------------------------------------- */

static void add(struct sparse_lp *z, uint64_t mask, int64_t value)
{
	z->c[z->n++] = (struct csg__candidate){mask, value};
}

static void make_columns(struct sparse_lp *z, bool leftovers)
{
	const struct csg__view *g = z->lp.g;
	const struct gpube_table *t = g->list;

	z->n = 0;
	for (int64_t k = 0; k < t->n; k++) {
		const uint64_t c = t->masks[k];
		const int64_t v = csg__to_fixed(&z->lp, gpube__coalition_at(t, k));
		const bool out = z->rest.disposal && !(c & (c - 1)) && v < 0;

		if (v != INT64_MIN && !out)
			add(z, c, v);
	}
	for (int i = 0; i < g->n; i++) {
		const uint64_t one = (uint64_t)1 << i;

		if (z->rest.disposal && csg__fixed(&z->lp, one) < 0)
			add(z, one, 0);
		if (leftovers)
			add(z, one | CSG__LEFT, z->rest.alone & one ? z->each : z->two);
	}
}

/* ---- duals -------------------------------------------------------------------------------------
 */

static int begin_master(struct sparse_lp *z)
{
	double alone[GPUBE_MAX_AGENTS];

	/* agents that have no place alone get one, at a price */
	for (int i = 0; i < z->lp.g->n; i++)
		alone[i] = -4 * (z->lp.scale + 1);
	for (int64_t k = 0; k < z->n; k++) {
		const uint64_t mask = z->c[k].mask & ~CSG__LEFT;
		const double v = ldexp((double)z->c[k].slack, -z->lp.shift);

		if (!(mask & (mask - 1)) && v > alone[__builtin_ctzll(mask)])
			alone[__builtin_ctzll(mask)] = v;
	}
	csg__master_clear(&z->lp.master);
	return csg__master_init(&z->lp.master, z->lp.g->ctx, z->lp.g->n, alone, z->lp.scale);
}

/* The columns with most to gain, some of them, into the master; *n_new: how many. */
static int price(struct sparse_lp *z, int *n_new)
{
	double t[(GPUBE_MAX_AGENTS + 7) / 8][256], gain[2 * GPUBE_MAX_AGENTS];
	int64_t best[2 * GPUBE_MAX_AGENTS];
	const int most = 2 * z->lp.g->n;
	int n = 0, status = GPUBE_OK;

	GPUBE_KNOWN(most > 0); /* a game has agents */
	csg__weight_tables(t, z->lp.master.w, z->lp.g->n);
	for (int64_t c = 0; c < z->n; c++) {
		const double over = ldexp((double)z->c[c].slack, -z->lp.shift) -
				    csg__weight(t, z->c[c].mask & ~CSG__LEFT);
		int k;

		if (!(over > z->lp.scale * 1e-9) || (n == most && over <= gain[n - 1]))
			continue;
		for (k = n < most ? n++ : n - 1; k > 0 && gain[k - 1] < over; k--) {
			gain[k] = gain[k - 1];
			best[k] = best[k - 1];
		}
		gain[k] = over;
		best[k] = c;
	}
	for (int k = 0; k < n && !status; k++)
		status = csg__master_add(&z->lp.master, z->c[best[k]].mask & ~CSG__LEFT,
			ldexp((double)z->c[best[k]].slack, -z->lp.shift));
	z->steps_left -= COLUMN_STEPS * (double)z->n;
	z->lp.r->n_scans++;
	*n_new = n;
	return status;
}

/*
 * Duals, whole and raised until no column exceeds its weight, which turns values into
 * slacks. Where the linear program is stopped they are worse, not wrong.
 */
static int find_slacks(struct sparse_lp *z)
{
	int n_new = 1, status = begin_master(z);

	for (int k = 0; k < MOST_ROUNDS && n_new && !status; k++) {
		if (!csg__master_solve(&z->lp.master) || gpube__stopped(z->lp.g->ctx) ||
			z->steps_left < 0)
			break;
		status = price(z, &n_new);
	}
	if (status)
		return status;
	z->lp.r->n_columns += z->lp.master.n_columns;
	if (!csg__lp_round(&z->lp))
		memset(z->lp.dual, 0, sizeof(z->lp.dual));
	for (int64_t c = 0; c < z->n && !z->no_room; c++)
		z->no_room = !csg__lp_raise(&z->lp, z->c[c].mask & ~CSG__LEFT, z->c[c].slack);
	if (z->no_room)
		return GPUBE_OK;
	for (int64_t c = 0; c < z->n; c++)
		z->c[c].slack = csg__weight_of(&z->lp, z->c[c].mask & ~CSG__LEFT) - z->c[c].slack;
	return GPUBE_OK;
}

/* ---- structures ---------------------------------------------------------------------------------
 */

static int64_t extra(void *arg, uint64_t agents)
{
	struct sparse_lp *z = arg;
	uint64_t parts[GPUBE_MAX_AGENTS];
	const int n = csg__rest_split(&z->rest, agents, z->other > 0, parts);

	if (n < 0)
		return INT64_MAX;
	if (n == 0) /* the other case is right about it */
		return 0;
	return z->base + z->each * __builtin_popcountll(agents & z->rest.alone) +
	       z->two * __builtin_popcountll(agents & ~z->rest.alone) - n * z->other;
}

/* The agents left over, of the structure found, in coalitions. */
static void place_leftovers(struct sparse_lp *z)
{
	struct gpube_csg_result *r = z->lp.r;
	uint64_t agents = 0;
	int n = 0;

	for (int k = 0; k < r->n_parts; k++)
		if (r->parts[k] & CSG__LEFT)
			agents |= r->parts[k] & ~CSG__LEFT;
		else
			r->parts[n++] = r->parts[k];
	r->n_parts = n;
	if (agents) /* as it was when the search asked, and with the same answer */
		r->n_parts += csg__rest_split(&z->rest, agents, z->other > 0, r->parts + n);
}

/* Among more and more of the candidates, best first: what is found shrinks the rest. */
static int search(struct sparse_lp *z, bool leftovers, int64_t upper)
{
	const struct csg__view *g = z->lp.g;
	const struct csg__leftover left = {
		extra, z, z->other == z->each && z->rest.alone == csg__n_masks(g) - 1};
	const int64_t unit = csg__lp_unit(&z->lp);
	int64_t limit = z->lp.lower == INT64_MIN ? INT64_MAX : upper - z->lp.lower - unit + 1;

	csg__sort_candidates(z->c, z->n);
	for (int64_t n = FIRST_COUNT; limit > 0; n *= 4) {
		const bool all = n >= z->n || z->c[n].slack >= limit;
		double steps = all ? z->steps_left : fmin(FIRST_STEPS, z->steps_left);
		const int64_t before = limit;
		bool complete;
		int status;

		n = n < z->n ? n : z->n;
		while (n > 0 && z->c[n - 1].slack >= limit)
			n--;
		z->lp.r->n_candidates = n;
		status = csg__cover(g->ctx, g->n, z->c, n, &limit, leftovers ? &left : NULL,
			z->lp.r->parts, &z->lp.r->n_parts, &steps, &complete);
		if (status)
			return status;
		z->steps_left -= steps;
		z->lp.r->n_nodes += (int64_t)steps;
		if (limit < before) {
			z->lp.lower = upper - limit;
			place_leftovers(z);
			limit -= unit - 1;
			csg__lp_tell(&z->lp, z->bound);
		}
		if (all || z->steps_left <= 0 || gpube__stopped(g->ctx)) {
			z->proved &= complete && all;
			break;
		}
	}
	return GPUBE_OK;
}

/* ---- the method ---------------------------------------------------------------------------------
 */

static int solve_case(struct sparse_lp *z, bool leftovers)
{
	int64_t upper;
	int status;

	make_columns(z, leftovers);
	status = find_slacks(z);
	if (status || z->no_room)
		return status;
	upper = csg__weight_of(&z->lp, csg__n_masks(z->lp.g) - 1) + (leftovers ? z->base : 0);
	z->bound = upper > z->bound ? upper : z->bound;
	gpube__log(z->lp.g->ctx, GPUBE_LOG_DETAIL, "lp: bound %.12g of %lld columns%s",
		ldexp((double)upper, -z->lp.shift), (long long)z->n,
		leftovers ? ", agents may be left to the default" : "");
	return search(z, leftovers, upper);
}

static int run(struct sparse_lp *z)
{
	struct gpube_csg_result *r = z->lp.r;
	int status = GPUBE_OK;

	z->proved = true;
	z->bound = INT64_MIN;
	if (z->other != INT64_MIN)
		status = solve_case(z, true);
	if (!status && z->other < 0)
		status = solve_case(z, false);
	if (status || z->no_room)
		return status;
	z->proved &= !z->rest.gave_up;
	z->lp.upper = z->bound;
	csg__lp_report(&z->lp, z->proved);
	if (z->proved && z->lp.lower == INT64_MIN)
		r->answer = GPUBE_CSG_INFEASIBLE;
	return GPUBE_OK;
}

int csg__sparse_lp(struct csg__search *s, double seconds)
{
	const struct csg__view *g = s->g;
	struct sparse_lp z = {.lp = {.g = g, .r = s->r, .lower = INT64_MIN, .start = gpube__now()}};
	int status;

	gpube__progress(g->ctx, -1, "lp");
	s->r->method = GPUBE_CSG_LP;
	s->r->work = GPUBE_INT64;
	if (!csg__lp_shift(&z.lp, s->range))
		return GPUBE_OK;
	csg__rest_init(&z.rest, g, s->opts->free_disposal);
	z.other = csg__to_fixed(&z.lp, gpube__coalition_at(g->list, -1));
	z.each = z.other > 0 ? z.other : 0;
	z.two = (z.each + 1) / 2;
	z.base = z.other > 0 ? 0 : z.other;
	z.steps_left = seconds > 0 ? seconds / CSG__STEP_SECONDS : 1e18;
	z.c = gpube__alloc(g->ctx, (uint64_t)g->list->n + 2 * (uint64_t)g->n, sizeof(*z.c));
	status = z.c ? run(&z) : GPUBE_ENOMEM;
	s->r->seconds_lp = gpube__now() - z.lp.start;
	csg__master_clear(&z.lp.master);
	gpube__free(g->ctx, z.c);
	return status;
}
