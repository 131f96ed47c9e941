/*
 * order_dissect.c - nested dissection: small separators, found on coarser and coarser graphs.
 *
 * A part of the graph is halved as METIS and its kin do it (Karypis & Kumar, SIAM J. Sci. Comput.
 * 20, 1998): neighbours are merged in pairs until a hundred are left, a side is grown there until
 * it has half of the weight, its neighbours are the separator, and moves of single vertices
 * (Fiduccia & Mattheyses, DAC 1982) make it lighter there and on each finer graph. The weight is
 * log2 of cells, which is what a separator costs. Only which separator comes after which part is
 * decided here; a greedy elimination, which knows those before, does the rest.
 *
 * It is our own because a search calls it thousands of times from all threads: METIS changes the
 * process's signal handlers at each call, cannot be interrupted, and takes memory that nobody
 * counts.
 */
#include "gpube/order/order_dissect.h"

#include <string.h>

#define TRIES        8  /* of a side that is grown on the coarsest graph */
#define MOST_TRIES   16 /* of a separator, where it is hopeless */
#define MOST_BALANCE 0.48
#define MOST_DEPTH   40
#define STEPS_BEHIND 40 /* moves without gain that end a pass */

/* ---- moves ------------------------------------------------------------------------------ */

/* v enters the separator: what would follow it from either side if it left to the other. */
static void enter(struct gpube_dissector *d, const struct dissect_level *l, int32_t v)
{
	d->place[v] = d->n_between;
	d->between[d->n_between++] = v;
	d->pull[LEFT][v] = d->pull[RIGHT][v] = 0;
	for (int32_t e = l->start[v]; e < l->start[v + 1]; e++)
		if (l->side[l->adjacent[e]] != BETWEEN)
			d->pull[l->side[l->adjacent[e]]][v] += l->weight[l->adjacent[e]];
	d->work += l->start[v + 1] - l->start[v];
}

static int32_t cost_there(const struct dissect_level *l, int32_t v, int side)
{
	return side == BETWEEN ? l->weight[v] : l->mass[v];
}

static void moves_begin(struct gpube_dissector *d, const struct dissect_level *l)
{
	d->n_between = d->n_log = 0;
	memset(d->side_weight, 0, sizeof(d->side_weight));
	for (int32_t v = 0; v < l->n; v++) {
		d->side_weight[l->side[v]] += cost_there(l, v, l->side[v]);
		d->moved[v] = 0;
		if (l->side[v] == BETWEEN)
			enter(d, l, v);
	}
	d->work += l->n;
}

static void put(struct gpube_dissector *d, struct dissect_level *l, int32_t v, int side)
{
	d->side_weight[l->side[v]] -= cost_there(l, v, l->side[v]);
	d->side_weight[side] += cost_there(l, v, side);
	l->side[v] = side;
}

static void set_side(struct gpube_dissector *d, struct dissect_level *l, int32_t v, int side)
{
	d->log[d->n_log++] = v;
	d->log[d->n_log++] = l->side[v];
	put(d, l, v, side);
}

/* v leaves the separator to a side; its neighbours on the other side enter it. */
static void move(struct gpube_dissector *d, struct dissect_level *l, int32_t v, int side)
{
	int32_t last = d->between[--d->n_between];

	d->between[d->place[v]] = last;
	d->place[last] = d->place[v];
	d->moved[v] = 1;
	set_side(d, l, v, side);
	for (int32_t e = l->start[v]; e < l->start[v + 1]; e++) {
		int32_t u = l->adjacent[e];

		if (l->side[u] == BETWEEN) {
			d->pull[side][u] += l->weight[v];
		} else if (l->side[u] != side) {
			set_side(d, l, u, BETWEEN);
			for (int32_t k = l->start[u]; k < l->start[u + 1]; k++)
				if (l->side[l->adjacent[k]] == BETWEEN)
					d->pull[!side][l->adjacent[k]] -= l->weight[u];
			enter(d, l, u);
		}
	}
	d->work += l->start[v + 1] - l->start[v];
}

/* The move that makes the separator lightest and keeps either side light enough; -1: none. */
static int32_t best_move(struct gpube_dissector *d, const struct dissect_level *l, int *to)
{
	int32_t best = -1, most_gain = INT32_MIN;

	for (int32_t i = 0; i < d->n_between; i++) {
		int32_t v = d->between[i];

		for (int side = 0; side < 2 && !d->moved[v]; side++) {
			int32_t gain = l->weight[v] - d->pull[!side][v];

			if (gain < most_gain || d->side_weight[side] + l->mass[v] > d->most)
				continue;
			if (gain == most_gain && d->side_weight[side] >= d->side_weight[*to])
				continue;
			most_gain = gain;
			best = v;
			*to = side;
		}
	}
	d->work += d->n_between;
	return best;
}

/* What a separator is judged by: its weight, and by far more what a side is too heavy. */
static int64_t badness(const struct gpube_dissector *d)
{
	int32_t heavier = d->side_weight[d->side_weight[RIGHT] > d->side_weight[LEFT]];
	int64_t excess = heavier > d->most ? heavier - d->most : 0;

	return (d->side_weight[BETWEEN] + 8 * excess) * 1024 +
	       1023 * (int64_t)heavier / (d->total + 1);
}

/* Moves as long as they may pay, then back to the best that was met. Returns how bad that is. */
static int64_t refine_once(struct gpube_dissector *d, struct dissect_level *l)
{
	int64_t least;
	int32_t log_then = 0, behind = 0;

	moves_begin(d, l);
	least = badness(d);
	while (behind++ < STEPS_BEHIND) {
		int side = 0;
		int32_t v = best_move(d, l, &side);

		if (v < 0 || d->n_log + 2 * (l->start[v + 1] - l->start[v] + 1) > d->log_size)
			break;
		move(d, l, v, side);
		if (badness(d) < least) {
			least = badness(d);
			log_then = d->n_log;
			behind = 0;
		}
	}
	while (d->n_log > log_then) {
		int side = d->log[--d->n_log];

		put(d, l, d->log[--d->n_log], side);
	}
	return least;
}

static int64_t refine(struct gpube_dissector *d, struct dissect_level *l)
{
	int64_t least = refine_once(d, l), before;

	do {
		before = least;
		least = refine_once(d, l);
	} while (least < before && !gpube__order_over(d->ctx, d->stop_at));
	return least;
}

/* ---- a separator of a part --------------------------------------------------------------- */

/* From a random vertex as far as half of the weight: the neighbours of that are the separator. */
static void grow_side(struct gpube_dissector *d, struct dissect_level *l)
{
	int32_t *queue = d->found, n = 1, mass = 0;
	int32_t first = (int32_t)gpube__rng_below(d->rng, (uint64_t)l->n);

	for (int32_t v = 0; v < l->n; v++)
		l->side[v] = RIGHT;
	queue[0] = first;
	l->side[first] = BETWEEN; /* is in the queue */
	for (int32_t i = 0; i < n && mass < d->total / 2; i++) {
		int32_t v = queue[i];

		l->side[v] = LEFT;
		mass += l->mass[v];
		for (int32_t e = l->start[v]; e < l->start[v + 1]; e++)
			if (l->side[l->adjacent[e]] == RIGHT) {
				l->side[l->adjacent[e]] = BETWEEN;
				queue[n++] = l->adjacent[e];
			}
	}
	d->work += l->start[l->n];
}

/* Level 0's sides; false: the part has no separator. */
static bool separate(struct gpube_dissector *d, double balance)
{
	struct dissect_level *l = &d->level[d->n_levels - 1];
	int32_t *best_side = d->pool + d->used;
	int64_t least = INT64_MAX;

	d->most = (int32_t)((1 - balance) * d->total);
	for (int i = 0; i < TRIES && d->used + l->n <= d->pool_size; i++) {
		int64_t bad;

		grow_side(d, l);
		bad = refine(d, l);
		if (bad < least) {
			least = bad;
			memcpy(best_side, l->side, (size_t)l->n * sizeof(*l->side));
		}
	}
	if (least == INT64_MAX)
		return false;
	memcpy(l->side, best_side, (size_t)l->n * sizeof(*l->side));
	for (; l > d->level; l--) {
		for (int32_t v = 0; v < l[-1].n; v++)
			l[-1].side[v] = l->side[l[-1].merged[v]];
		refine(d, l - 1);
	}
	d->work += gpube__dissect_flow(l, d->pool + d->used, d->pool_size - d->used, d->most);
	moves_begin(d, l);
	return d->side_weight[LEFT] > 0 && d->side_weight[RIGHT] > 0;
}

/* ---- parts of parts ----------------------------------------------------------------------- */

/* queue[0 …): the vertices of part 'id' that 'from' is connected with, which become part 'to'. */
static int32_t collect(
	struct gpube_dissector *d, int32_t *queue, int32_t from, int32_t id, int32_t to)
{
	const struct gpube_graph *g = d->g;
	int32_t n = 1;

	queue[0] = from;
	d->part[from] = to;
	for (int32_t i = 0; i < n; i++) {
		for (int64_t e = g->start[queue[i]]; e < g->start[queue[i] + 1]; e++)
			if (d->part[g->adjacent[e]] == id) {
				d->part[g->adjacent[e]] = to;
				queue[n++] = g->adjacent[e];
			}
		d->work += g->start[queue[i] + 1] - g->start[queue[i]];
	}
	return n;
}

/*
 * A separator of the part, and what it is judged by: its weight to that of the lighter side. Where
 * something lies around the part, by the larger of two tables that it leads to: that of the
 * separator with all around, and that of a side's separator, as much lighter as the side is, with
 * what is around that side.
 */
static double judge(struct gpube_dissector *d, double balance)
{
	const struct dissect_level *l = &d->level[0];
	double part[3] = {0}, around[3] = {0}, whole, all, most = 0;

	gpube__dissect_coarsen(d);
	if (!separate(d, balance))
		return INFINITY;
	for (int32_t v = 0; v < l->n; v++)
		(v < d->n_part ? part : around)[l->side[v]] += l->weight[v];
	if (!(part[LEFT] > 0 && part[RIGHT] > 0))
		return INFINITY;
	if (l->n == d->n_part)
		return part[BETWEEN] / sqrt(fmin(part[LEFT], part[RIGHT]));
	whole = part[LEFT] + part[RIGHT] + part[BETWEEN];
	all = around[LEFT] + around[RIGHT] + around[BETWEEN] + part[BETWEEN];
	for (int side = 0; side < 2; side++)
		most = fmax(most, around[side] + around[BETWEEN] +
					  part[BETWEEN] * (1 + sqrt(part[side] / whole)));
	return fmax(all, most) + 0.1 * (all + most);
}

/* The best of 'tries' separators of the connected part 'id', in d->best_side; infinite: none. */
static double best_separator(struct gpube_dissector *d, const int32_t *vertex, int32_t n,
	int32_t id, double balance, int tries)
{
	double least = INFINITY;

	if (!gpube__dissect_level(d, vertex, n, id))
		return least;
	for (int i = 0; i < tries && !(i > 0 && gpube__order_over(d->ctx, d->stop_at)); i++) {
		const int64_t used = d->used;
		double ratio =
			judge(d, balance + (MOST_BALANCE - balance) * gpube__rng_unit(d->rng));

		if (ratio < least) {
			least = ratio;
			for (int32_t k = 0; k < n; k++) /* those around it stay there */
				d->best_side[k] = (uint8_t)d->level[0].side[k];
		}
		d->n_levels = 1;
		d->used = used;
	}
	return least;
}

/*
 * Takes the best of 'tries' separators off the connected part 'id'. Returns how many of vertex[0 …
 * n) are left, in front.
 */
static int32_t take_separator(struct gpube_dissector *d, int32_t *vertex, int32_t n, int32_t id,
	double balance, int tries)
{
	double least = best_separator(d, vertex, n, id, balance, tries);
	int32_t n_left = 0, n_taken = 0;

	if (isinf(least) && d->around > 0) { /* all that it separated was around it */
		d->around = 0;
		least = best_separator(d, vertex, n, id, balance, tries);
	}
	if (isinf(least))
		return n;
	for (int32_t i = 0; i < n; i++)
		if (d->best_side[i] != BETWEEN) {
			vertex[n_left++] = vertex[i];
		} else {
			d->found[n_taken++] = vertex[i];
			d->part[vertex[i]] = 0;
		}
	memcpy(vertex + n_left, d->found, (size_t)n_taken * sizeof(*vertex));
	return n_left;
}

/*
 * log2 of the cells of all that is not in a part of its own yet, of vertex[0 … n) and around them.
 */
static double around(struct gpube_dissector *d, const int32_t *vertex, int32_t n)
{
	const struct gpube_graph *g = d->g;
	const int32_t mark = ++d->last_seen;
	double log_cells = 0;

	for (int32_t i = 0; i < n; i++) {
		const int32_t v = vertex[i];

		for (int64_t e = g->start[v]; e < g->start[v + 1]; e++) {
			const int32_t u = g->adjacent[e];

			if (d->part[u] == 0 && d->seen[u] != mark) {
				d->seen[u] = mark;
				log_cells += log2(g->domain[u]);
			}
		}
		d->work += g->start[v + 1] - g->start[v];
	}
	return log_cells;
}

/*
 * The same, with more tries as long as the separator is hopeless: all separators so far are lost
 * with it. Of he144, 23,695 vertices, one try in three leads to a separator of the second part that
 * is no larger than min-fill's largest table.
 */
static int32_t separate_part(
	struct gpube_dissector *d, int32_t *vertex, int32_t n, int32_t id, int tries)
{
	int32_t n_left;

	for (;; tries *= 2) {
		d->around = d->how->around;
		n_left = take_separator(d, vertex, n, id, d->how->balance, tries);
		d->hopeless = around(d, vertex, n_left) > d->how->most_log;
		if (!d->hopeless || tries >= MOST_TRIES || gpube__order_over(d->ctx, d->stop_at))
			return n_left;
		for (int32_t i = n_left; i < n; i++)
			d->part[vertex[i]] = id;
	}
}

static void dissect_part(
	struct gpube_dissector *d, int32_t *group, int32_t *vertex, int32_t n, int depth)
{
	int32_t n_left = n, n_found = 0, id = d->part[vertex[0]];

	if (n > d->how->least && depth < MOST_DEPTH && !gpube__order_over(d->ctx, d->stop_at)) {
		for (int32_t i = 0; i < n; i++)
			group[vertex[i]] = MOST_DEPTH - depth;
		n_left = separate_part(d, vertex, n, id, 1 + (d->how->tries >> depth / 2));
		if (d->hopeless)
			return;
	}
	for (int32_t i = 0; i < n_left; i++)
		group[vertex[i]] = 0;
	if (n_left == n)
		return;
	memcpy(d->found, vertex, (size_t)n_left * sizeof(*vertex));
	for (int32_t i = 0; i < n_left; i++)
		if (d->part[d->found[i]] == id)
			n_found += collect(d, vertex + n_found, d->found[i], id, d->next_id++);
	for (int32_t i = 0, end; i < n_left && !d->hopeless; i = end) {
		for (end = i + 1; end < n_left && d->part[vertex[end]] == d->part[vertex[i]]; end++)
			;
		dissect_part(d, group, vertex + i, end - i, depth + 1);
	}
}

bool gpube__dissect(struct gpube_dissector *d, int32_t *group, const struct gpube_dissection *how,
	struct gpube_rng *rng)
{
	d->rng = rng;
	d->how = how;
	d->next_id = 2;
	d->hopeless = false;
	if (d->last_seen > INT32_MAX / 2) {
		memset(d->seen, 0, (size_t)d->g->n * sizeof(*d->seen));
		d->last_seen = 0;
	}
	for (int32_t v = 0; v < d->g->n; v++) {
		d->part[v] = v < how->n_free;
		group[v] = MOST_DEPTH + 1;
	}
	for (int32_t v = 0; v < how->n_free && !d->hopeless; v++)
		if (d->part[v] == 1)
			dissect_part(
				d, group, d->vertex, collect(d, d->vertex, v, 1, d->next_id++), 0);
	return !d->hopeless;
}

void gpube__dissector_aim(struct gpube_dissector *d, const struct gpube_graph *g)
{
	d->g = g;
	d->last_seen = 0;
	memset(d->seen, 0, (size_t)g->n * sizeof(*d->seen));
}

/* ---- buffers -------------------------------------------------------------------------------- */

int64_t gpube__dissector_work(const struct gpube_dissector *d)
{
	return d->work;
}

void gpube__dissector_stop_at(struct gpube_dissector *d, double stop_at)
{
	d->stop_at = stop_at;
}

int gpube__dissector_new(
	struct gpube_dissector **out, struct gpube_ctx *ctx, const struct gpube_graph *g)
{
	struct gpube_dissector *d = gpube__alloc_zero(ctx, 1, sizeof(*d));
	const uint64_t n = (uint64_t)g->n;
	int32_t *room;

	*out = NULL;
	if (!d)
		return GPUBE_ENOMEM;
	d->g = g;
	d->ctx = ctx;
	/* a level has half of the vertices and some fewer edges than the one before */
	d->pool_size = 6 * g->start[n] + 20 * (int64_t)n + 1024;
	d->log_size = (int32_t)(4 * n + 1024);
	d->pool = gpube__alloc(ctx, (uint64_t)d->pool_size, sizeof(*d->pool));
	d->part = room = gpube__alloc(ctx, 14 * n + 1024, sizeof(*room));
	d->best_side = gpube__alloc(ctx, n, sizeof(*d->best_side));
	if (!d->pool || !room || !d->best_side || g->start[n] > INT32_MAX / 2) {
		gpube__dissector_free(d);
		return GPUBE_ENOMEM;
	}
	d->vertex = room + n;
	d->number = room + 2 * n;
	d->found = room + 3 * n;
	d->pull[0] = room + 4 * n;
	d->pull[1] = room + 5 * n;
	d->place = room + 6 * n;
	d->moved = room + 7 * n;
	d->between = room + 8 * n;
	d->log = room + 9 * n; /* 4 n + 1024 words */
	d->seen = room + 13 * n + 1024;
	memset(d->seen, 0, n * sizeof(*d->seen));
	*out = d;
	return GPUBE_OK;
}

void gpube__dissector_free(struct gpube_dissector *d)
{
	struct gpube_ctx *ctx;

	if (!d)
		return;
	ctx = d->ctx;
	GPUBE_FREE_ALL(ctx, d->pool, d->part, d->best_side, d);
}
