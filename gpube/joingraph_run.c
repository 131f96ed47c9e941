/* joingraph_run.c - the ascent on the join graph as a method: passes, and ever larger mini-buckets. */
#include <math.h>
#include <stdio.h>

#include "gpube/joingraph.h"
#include "gpube/scaling.h"
#include "gpube/shifted.h"

struct climb {
	struct gpube_bounder *b;
	struct gpube_joingraph g;
	double max_cells;
	double end;	  /* of the time it may take */
	double pair;	  /* seconds of the last two passes */
	double searching; /* seconds spent in search */
	double start;
	int64_t *at;	  /* value a of variable i: dead[at[i] + a] */
	uint8_t *dead;
	int64_t n_dead, n_values;
	double tried; /* when elimination was last tried */
	char by[32];
};

static double time_left(const struct climb *c)
{
	double end = c->b->ctx->deadline > 0 ? fmin(c->b->ctx->deadline, c->end) : c->end;

	return end - gpube__now();
}

/* An assignment from the tables, and search from there for a share of the time. */
static int read_off(struct climb *c)
{
	struct gpube_bounder *b = c->b;
	double start = gpube__now();
	int status;

	gpube__joingraph_decode(&c->g, b->tried);
	status = gpube__bounder_offer(b, b->tried, c->by);
	if (!status && !gpube__bounder_done(b) && c->searching < 0.2 * (start - c->start))
		status = gpube__bounder_search(b, b->tried, 1000);
	c->searching += gpube__now() - start;
	gpube__joingraph_limit(&c->g, b->m, b->limit);
	return status;
}

/* There and back. */
static int both_ways(struct climb *c)
{
	struct gpube_bounder *b = c->b;
	double start = gpube__now();
	int status = gpube__joingraph_pass(&c->g, false);

	/* also when it was stopped: what was moved so far is sound */
	gpube__bounder_raise(b, gpube__joingraph_bound(&c->g, b->m, b->limit), c->by);
	if (!status && !gpube__bounder_done(b))
		status = read_off(c);
	if (!status && !gpube__bounder_done(b))
		status = gpube__joingraph_pass(&c->g, true);
	c->pair = gpube__now() - start;
	return status;
}

/*
 * Values that cannot be in a better assignment. If there are new ones, or twice
 * the time is gone, what is left may be eliminated.
 */
static int filter(struct climb *c)
{
	struct gpube_bounder *b = c->b;
	int64_t n = gpube__joingraph_filter(&c->g, c->dead, c->at);
	bool done = false;
	int status = GPUBE_OK;

	if (n > c->n_dead + c->n_values / 100) {
		c->n_dead = n;
		gpube__log(b->ctx, GPUBE_LOG_DETAIL, "%lld of %lld values are dead", (long long)n,
			(long long)c->n_values);
	} else if (gpube__now() - c->start < 2 * (c->tried - c->start) + 1) {
		return GPUBE_OK;
	}
	c->tried = gpube__now();
	if (!b->opts->no_eliminate && !b->shifted)
		status = gpube__bounder_eliminate(b, c->dead, c->at,
			fmax(0.2, 0.5 * (gpube__now() - c->start)), &done);
	if (!status && done)
		gpube__bounder_raise(b, b->limit, "elimination");
	return status;
}

static int32_t largest_z(const struct gpube_bounder *b)
{
	return b->shifted && !b->shifting->certificate ? b->shifting->max_arity : b->m->n_vars + 1;
}

/* The next z that makes the graph at least 'factor' times as large, if there is time for it. */
static int grow(struct climb *c, bool *grown)
{
	struct gpube_bounder *b = c->b;
	double cells = c->g.cells, most = c->max_cells;
	int32_t last = c->g.z;
	int status = GPUBE_OK;

	*grown = false;
	/* at least four times there and back are to fit the time that is left */
	if (isfinite(time_left(c)))
		most = fmin(most, cells * time_left(c) / (4 * c->pair + 1e-3));
	for (int32_t z = last + 1; z <= largest_z(b) && !status; z++) {
		bool fits;

		status = gpube__joingraph_grow(&c->g, z, most, &fits);
		*grown |= !status && fits;
		if (!fits || c->g.cells > 3 * cells)
			break;
	}
	if (*grown)
		gpube__log(b->ctx, GPUBE_LOG_DETAIL, "join graph, z %d: %d mini-buckets, %.3g cells",
			c->g.z, c->g.n_joins, c->g.cells);
	return status;
}

/* Scaled: to the limit, or to the best assignment where that is no limit. */
static double missing_from(const struct climb *c)
{
	const struct gpube_bounder *b = c->b;
	int64_t end = b->upper < b->limit ? b->upper : b->limit;
	int64_t target = gpube__scale_target(c->g.shift, gpube__costs_left(b->m, end));

	return (double)((target < c->g.target ? target : c->g.target) - c->g.constant);
}

static int ascend(struct climb *c)
{
	struct gpube_bounder *b = c->b;
	bool grown = true;
	int status = GPUBE_OK, idle = 0;

	while (!status && !gpube__bounder_done(b) && time_left(c) > 0) {
		int64_t before = c->g.constant;
		double missing = missing_from(c);

		snprintf(c->by, sizeof(c->by), "join graph, z %d", c->g.z);
		b->z = c->g.z;
		status = both_ways(c);
		if (status || gpube__bounder_done(b))
			break;
		/* eight more like this would bring less than one in fifty of what is missing */
		if (grown && 8 * (double)(c->g.constant - before) < 0.02 * missing) {
			status = filter(c);
			if (!status && !gpube__bounder_done(b))
				status = grow(c, &grown);
		}
		idle = (double)(c->g.constant - before) < 1e-5 * missing + 1 && !grown ? idle + 1 : 0;
		if (idle > 4)
			break;
	}
	return status;
}

int gpube__bound_joins(struct gpube_bounder *b, double seconds)
{
	struct climb c = {.b = b, .start = gpube__now(),
		.max_cells = (double)b->ctx->memory_bytes / 24};
	bool fits;
	int status;

	if (b->shifted && b->shifting->certificate)
		c.max_cells = fmin(c.max_cells, b->shifting->max_cells);
	c.end = c.start + seconds;
	c.tried = c.start;
	status = gpube__joingraph_init_to(&c.g, b->m, b->order,
		b->shifted && !b->shifting->certificate ? largest_z(b) : b->opts->z ? b->opts->z : 3,
		c.max_cells, GPUBE_PARTITION_SCOPE, b->limit, b->most_shift, &fits);
	if (status || !fits)
		return status == GPUBE_ELIMIT ? GPUBE_OK : status;
	c.at = gpube__alloc(b->ctx, (uint64_t)b->m->n_vars, sizeof(*c.at));
	for (int32_t i = 0; c.at && i < b->m->n_vars; i++) {
		c.at[i] = c.n_values;
		c.n_values += b->m->vars[i].domain;
	}
	c.dead = gpube__alloc_zero(b->ctx, (uint64_t)c.n_values, 1);
	status = c.at && c.dead ? ascend(&c) : GPUBE_ENOMEM;
	if (b->shifted && (!status || status == GPUBE_ESTOP) && c.g.constant < c.g.target) {
		int lifted = gpube__lift_joins(b, &c.g);

		status = lifted ? lifted : status;
	}
	gpube__free(b->ctx, c.at);
	gpube__free(b->ctx, c.dead);
	gpube__joingraph_clear(&c.g);
	return status;
}
