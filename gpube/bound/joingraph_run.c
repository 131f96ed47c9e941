/*
 * joingraph_run.c - the ascent on the join graph as a method: passes, and ever larger mini-buckets.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "gpube/base/bytes.h"
#include "gpube/bound/andor/andor_run.h"
#include "gpube/options/options.h"
#include "gpube/bound/bound.h"
#include "gpube/relax/joingraph.h"
#include "gpube/relax/moved.h"
#include "gpube/relax/scaling.h"
#include "gpube/bound/reparam.h"

/*
 * Of the memory, for a cell of the graph; most cells of a graph that a checkpoint has, which take
 * some seconds to write and to read: a larger one is made anew.
 */
#define BYTES_A_CELL 24
#define KEPT_CELLS   4e8

struct gpube_climb {
	struct gpube_bounder *b;
	struct gpube_joingraph g;
	double joined;  /* cells that elimination along its order joins */
	int64_t cutoff; /* that its unit was chosen for */
	double worked;  /* seconds, when a turn has ended */
	double max_cells;
	struct gpube_budget turn;
	double pair;      /* seconds of the last two passes */
	double searching; /* seconds spent in search */
	double start;
	double walking; /* seconds spent in searches on the tables */
	double walked;  /* what 'walking' will be when larger mini-buckets are due */
	/* a search that goes on in the next turn: until it has ended the tables stay as they are */
	struct gpube_andor_run walk;
	bool at_work;    /* a turn has begun: 'worked' is of those before */
	bool walks_only; /* searches on the tables come between passes, and nothing else */
	char by[32];
};

static double time_left(const struct gpube_climb *c)
{
	return fmin(gpube__budget_left(&c->turn), gpube__seconds_left(c->b->ctx));
}

/* An assignment from the tables, and search from there for a share of the time. */
static int read_off(struct gpube_climb *c)
{
	struct gpube_bounder *b = c->b;
	double start = gpube__worked(c->b->ctx);
	int status;

	gpube__joingraph_decode(&c->g, b->tried);
	status = gpube__bounder_report_incumbent(b, b->tried, c->by);
	if (!status && !c->walks_only && !gpube__bounder_done(b) &&
		c->searching < 0.2 * (start - c->start))
		status = gpube__bounder_search(b, b->tried, 1000);
	c->searching += gpube__worked(c->b->ctx) - start;
	gpube__bounder_lower_target(b, c->g.shift, &c->g.target);
	return status;
}

static void update_lower(const struct gpube_climb *c)
{
	gpube__bounder_update_scaled(c->b, c->g.shift, c->g.constant, c->g.target, c->by);
}

/* There and back. */
static int both_ways(struct gpube_climb *c)
{
	struct gpube_bounder *b = c->b;
	double start = gpube__worked(c->b->ctx);
	int status = gpube__joingraph_pass(&c->g, false);

	/* also when it was stopped: what was moved so far is sound */
	update_lower(c);
	if (!status && !gpube__bounder_done(b))
		status = read_off(c);
	if (!status && !gpube__bounder_done(b))
		status = gpube__joingraph_pass(&c->g, true);
	c->pair = gpube__worked(c->b->ctx) - start;
	return status;
}

static int32_t largest_z(const struct gpube_bounder *b)
{
	return b->state.reparam && !b->state.reparam->certificate ? b->opts->max_arity
								  : b->m->n_vars + 1;
}

/* The next z that makes the graph at least 'factor' times as large, if there is time for it. */
static int grow(struct gpube_climb *c, bool *grown)
{
	struct gpube_bounder *b = c->b;
	double cells = c->g.cells, most = c->max_cells;
	int32_t last = c->g.z;
	int status = GPUBE_OK;

	*grown = false;
	/*
	 * at least four times there and back are to fit the time that is left, or as much as was
	 * worked so far: other turns follow
	 */
	if (isfinite(time_left(c)))
		most = fmin(most, cells * fmax(time_left(c), gpube__worked(b->ctx) - c->start) /
					  (4 * c->pair + 1e-3));
	for (int32_t z = last + 1; z <= largest_z(b) && !status; z++) {
		bool fits;

		status = gpube__joingraph_grow(&c->g, z, most, &fits);
		*grown |= !status && fits;
		if (!fits || c->g.cells > 3 * cells)
			break;
	}
	if (*grown)
		gpube__log(b->ctx, GPUBE_LOG_DETAIL,
			"join graph, z %d: %d mini-buckets, %.3g cell%s", c->g.z, c->g.n_joins,
			c->g.cells, gpube__plural(c->g.cells));
	return status;
}

static bool walks(const struct gpube_climb *c)
{
	return !c->b->state.reparam && c->b->opts->split != GPUBE_SPLIT_NEVER;
}

/* The search on the tables; where it has not had its time, it goes on in the next turn. */
static int walk(struct gpube_climb *c)
{
	struct gpube_bounder *b = c->b;
	const double start = gpube__worked(b->ctx);
	int status =
		gpube__andor_run(b, &c->g, fmin(c->walked - c->walking, time_left(c)), &c->walk);

	c->walking += gpube__worked(b->ctx) - start;
	if (c->walking >= c->walked)
		gpube__andor_run_clear(&c->walk);
	return status;
}

/* After a pass forward, for so many seconds of work, in this turn and later ones. */
static int search_graph(struct gpube_climb *c, double seconds)
{
	struct gpube_bounder *b = c->b;
	const double start = gpube__worked(b->ctx);
	int status;

	gpube__bounder_lower_target(b, c->g.shift, &c->g.target);
	status = gpube__joingraph_pass(&c->g, false);
	update_lower(c);
	c->walking += gpube__worked(b->ctx) - start;
	c->walked = c->walking + seconds;
	return status || gpube__bounder_done(b) ? status : walk(c);
}

/*
 * When passes bring little: a search on the tables, for twice as long as all else took so far, and
 * then larger mini-buckets. A search that the turn has interrupted goes on first, and mini-buckets
 * do not grow before it has had its time.
 */
static int widen(struct gpube_climb *c, bool *grown)
{
	struct gpube_bounder *b = c->b;
	int status = GPUBE_OK;

	if (c->walk.a)
		status = walk(c);
	else if (walks(c))
		status = search_graph(c, 2 * (gpube__worked(b->ctx) - c->start - c->walking));
	return status || gpube__bounder_done(b) || c->walk.a ? status : grow(c, grown);
}

static int ascend(struct gpube_climb *c)
{
	struct gpube_bounder *b = c->b;
	bool grown = true;
	int status = c->walk.a ? widen(c, &grown) : GPUBE_OK, idle = 0;

	while (!status && !gpube__bounder_done(b) && !c->walk.a && time_left(c) > 0) {
		int64_t before = c->g.constant;
		const double missing =
			(double)gpube__bounder_missing(b, c->g.shift, c->g.constant, c->g.target);

		snprintf(c->by, sizeof(c->by), "join graph, z %d", c->g.z);
		b->told.z = c->g.z;
		status = both_ways(c);
		if (status || gpube__bounder_done(b))
			break;
		/* eight more like this would bring less than one in fifty of what is missing */
		if (grown && 8 * (double)(c->g.constant - before) < 0.02 * missing)
			status = widen(c, &grown);
		idle = (double)(c->g.constant - before) < 1e-5 * missing + 1 && !grown ? idle + 1
										       : 0;
		if (idle > 4)
			break;
	}
	if (!status && !gpube__bounder_done(b) && walks(c) && !c->walk.a && time_left(c) > 0)
		status = search_graph(c, INFINITY);
	return status;
}

/* ---- from one turn to the next --------------------------------------------------------------- */

void gpube__climb_free(struct gpube_climb *c)
{
	struct gpube_ctx *ctx;

	if (!c)
		return;
	ctx = c->b->ctx;
	gpube__andor_run_clear(&c->walk);
	gpube__joingraph_clear(&c->g);
	gpube__free(ctx, c);
}

/* b->state.climb, of the smallest mini-buckets; NULL without an error: they do not fit. */
static int climb_new(struct gpube_bounder *b)
{
	const bool of_arity = b->state.reparam && !b->state.reparam->certificate;
	struct gpube_climb *c = b->state.climb = gpube__alloc_zero(b->ctx, 1, sizeof(*c));
	bool fits;
	int status;

	if (!c)
		return GPUBE_ENOMEM;
	c->b = b;
	c->cutoff = b->cutoff;
	c->joined = b->order_cost.joined_cells;
	c->max_cells = (double)b->ctx->memory_bytes / BYTES_A_CELL;
	if (b->state.reparam && b->state.reparam->certificate)
		c->max_cells = fmin(c->max_cells, b->opts->max_cells);
	status = gpube__joingraph_init(&c->g, b->tables, b->order,
		of_arity     ? largest_z(b)
		: b->opts->z ? b->opts->z
			     : 3,
		c->max_cells, GPUBE_PARTITION_SCOPE, gpube__tables_cutoff(b),
		b->state.reparam ? b->state.reparam->most_shift - b->made.finer : GPUBE__MOST_SHIFT,
		&fits);
	if (!status && fits)
		return GPUBE_OK;
	gpube__climb_free(c);
	b->state.climb = NULL;
	return status == GPUBE_ELIMIT ? GPUBE_OK : status;
}

/* An order that is better by less than this is no reason to begin anew. */
#define BETTER 2

/*
 * Whether it is about what would be made now; where much less is open by now, its unit is too
 * coarse.
 */
static bool is_current(const struct gpube_climb *c)
{
	const struct gpube_bounder *b = c->b;

	return c->joined <= BETTER * b->order_cost.joined_cells &&
	       (b->cutoff == c->cutoff ||
		       gpube__costs_left(b->m, b->cutoff) > gpube__costs_left(b->m, c->cutoff) / 2);
}

static int climb_joins(struct gpube_bounder *b, double seconds, bool walks_only)
{
	struct gpube_climb *c;
	int status = GPUBE_OK;

	if (b->state.climb && !is_current(b->state.climb)) {
		gpube__climb_free(b->state.climb);
		b->state.climb = NULL;
	}
	if (!b->state.climb)
		status = climb_new(b);
	c = b->state.climb;
	if (status || !c)
		return status;
	c->turn = gpube__budget(b->ctx, seconds);
	c->start = gpube__worked(b->ctx) - c->worked; /* as if nothing else had come between */
	c->walks_only = walks_only;
	gpube__bounder_lower_target(b, c->g.shift, &c->g.target);
	c->at_work = true;
	status = ascend(c);
	c->at_work = false;
	c->worked = gpube__worked(b->ctx) - c->start;
	if (status && status != GPUBE_ESTOP) { /* its tables are sound, and may be saved */
		gpube__climb_free(c);
		b->state.climb = NULL;
	}
	return status;
}

int gpube__climb_model(struct gpube_model **out, int *finer, const struct gpube_bounder *b)
{
	const struct gpube_climb *c = b->state.climb;

	*out = NULL;
	if (!c || c->g.constant >= c->g.target)
		return GPUBE_OK;
	*finer = b->made.finer + gpube__moved_finer(c->g.shift);
	return gpube__joingraph_model(out, &c->g, b->tables);
}

/* ---- as numbers ------------------------------------------------------------------------------ */

void gpube__put_climb(struct gpube__bytes *to, const struct gpube_bounder *b)
{
	const struct gpube_climb *c = b->state.climb;
	const bool kept =
		c && !b->state.reparam && c->g.cells <= KEPT_CELLS && c->g.constant < c->g.target;
	struct gpube__bytes climb = {.ctx = to->ctx};

	gpube__put(to, kept);
	if (!kept)
		return;
	gpube__put(&climb, c->cutoff);
	gpube__put_real(&climb, c->joined);
	gpube__put_real(&climb, c->at_work ? gpube__worked(b->ctx) - c->start : c->worked);
	gpube__put_real(&climb, c->pair);
	gpube__put_real(&climb, c->searching);
	gpube__put_real(&climb, c->walking);
	gpube__put_real(&climb, c->walked);
	gpube__put_joingraph(&climb, &c->g);
	gpube__put_andor_run(&climb, &c->walk);
	(void)gpube__pack(to, &climb);
	gpube__bytes_clear(&climb);
}

static int get_climb(struct gpube_climb *c, struct gpube__bytes *from)
{
	c->cutoff = gpube__get(from, -GPUBE_INF, GPUBE_INF);
	c->joined = gpube__get_seconds(from);
	c->worked = gpube__get_seconds(from);
	c->pair = gpube__get_seconds(from);
	c->searching = gpube__get_seconds(from);
	c->walking = gpube__get_seconds(from);
	c->walked = gpube__get_seconds(from);
	if (from->status || gpube__get_joingraph(&c->g, from, c->b->tables, c->max_cells))
		return from->status;
	return gpube__get_andor_run(&c->walk, c->b, &c->g, from);
}

int gpube__get_climb(struct gpube_bounder *b, struct gpube__bytes *from)
{
	struct gpube__bytes climb = {.ctx = from->ctx};
	struct gpube_climb *c = NULL;
	int status;

	if (!gpube__get(from, 0, 1))
		return from->status;
	status = gpube__unpack(&climb, from);
	if (!status && !gpube__bounder_done(b)) {
		c = gpube__alloc_zero(b->ctx, 1, sizeof(*c));
		status = c ? GPUBE_OK : GPUBE_ENOMEM;
	}
	if (c) {
		c->b = b;
		c->max_cells = (double)b->ctx->memory_bytes / BYTES_A_CELL;
		status = get_climb(c, &climb);
	}
	gpube__bytes_clear(&climb);
	if (status)
		gpube__climb_free(c);
	else
		b->state.climb = c;
	return status == GPUBE_ELIMIT ? GPUBE_OK
				      : status; /* there was more memory: it begins anew */
}

/* ---- the methods ----------------------------------------------------------------------------- */

int gpube__bound_joins(struct gpube_bounder *b, double seconds)
{
	return climb_joins(b, seconds, b->opts->method == GPUBE_BOUND_ANDOR);
}

int gpube__bound_andor(struct gpube_bounder *b, double seconds)
{
	return climb_joins(b, seconds, true);
}
