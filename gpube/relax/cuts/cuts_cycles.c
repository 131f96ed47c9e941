/*
 * cuts_cycles.c - rows of cycles that a solution breaks: see cuts.h.
 *
 * Edges that are whole, cut or not, join vertices to trees in which each one's side is known. A
 * whole edge inside a tree that says otherwise closes a cycle with a broken row, and so does each
 * edge inside a tree that is not whole. Between trees a row is a path back to the tree it begins
 * in, on its other side: an edge costs its value where the path stays on its side, and what is
 * missing to 1 where it changes it. Paths shorter than 1 are broken rows (Barahona, Mahjoub 1986).
 *
 * A cycle with a chord is two, one of which has a broken row: chords are taken until there are
 * none, since rows of cycles without chords say the most.
 */
#include "gpube/relax/cuts/cuts_parts.h"

#include <math.h>
#include <string.h>

/* An edge is whole that is so near; a row is broken by so much. */
#define WHOLE  1e-6
#define BROKEN 1e-3
/* What an edge of a path takes beside its length, so that of equal ones short paths are found. */
#define HOP 1e-5
/* Rows of a round at most: so many, and one for so many edges; hashes that are known. */
enum { MOST_ROWS = 200, EDGES_PER_ROW = 2, HASHES = 1 << 14 };
/* Work for an edge, and for one of a path. */
enum { EDGE_TICKS = 10, ARC_TICKS = 40 };

/* ---- rows ------------------------------------------------------------------------------------ */

int gpube__cuts_entry(struct gpube_ctx *ctx, struct gpube_cuts_rows *rows, int32_t entry)
{
	const int status = gpube__grow(ctx, &rows->entries, &rows->entry_room, rows->n_entries + 1,
		sizeof(*rows->entries));
	if (!status)
		rows->entries[rows->n_entries++] = entry;
	return status;
}

int gpube__cuts_row(struct gpube_ctx *ctx, struct gpube_cuts_rows *rows)
{
	int status =
		gpube__grow(ctx, &rows->at, &rows->room, (int64_t)rows->n + 2, sizeof(*rows->at));

	if (!status)
		status = gpube__grow(
			ctx, &rows->age, &rows->age_room, (int64_t)rows->n + 1, sizeof(*rows->age));
	if (!status)
		status = gpube__grow(ctx, &rows->price, &rows->price_room, (int64_t)rows->n + 1,
			sizeof(*rows->price));
	if (status)
		return status;
	rows->at[0] = 0;
	rows->price[rows->n] = 0;
	rows->age[rows->n++] = 0;
	rows->at[rows->n] = rows->n_entries;
	return GPUBE_OK;
}

void gpube__cuts_rows_clear(struct gpube_ctx *ctx, struct gpube_cuts_rows *rows)
{
	GPUBE_FREE_ALL(ctx, rows->at, rows->entries, rows->age, rows->price);
	*rows = (struct gpube_cuts_rows){0};
}

int32_t gpube__cuts_limit(const struct gpube_cuts_rows *rows, int32_t r)
{
	int32_t n = -1;

	for (int64_t k = rows->at[r]; k < rows->at[r + 1]; k++)
		n += rows->entries[k] & 1;
	return n;
}

/* ---- room ------------------------------------------------------------------------------------ */

int gpube__cuts_search_init(struct gpube_cuts_state *s)
{
	struct gpube_cuts_search *w = &s->search;
	const uint64_t n = (uint64_t)s->p->n_vertices + 1;

	w->part = gpube__array(&s->memory, n, sizeof(*w->part));
	w->parent = gpube__array(&s->memory, n, sizeof(*w->parent));
	w->depth = gpube__array(&s->memory, n, sizeof(*w->depth));
	w->side = gpube__array(&s->memory, n, sizeof(*w->side));
	w->queue = gpube__array(&s->memory, n, sizeof(*w->queue));
	w->position = gpube__array(&s->memory, n, sizeof(*w->position));
	w->first = gpube__array(&s->memory, n + 1, sizeof(*w->first));
	w->arcs = gpube__array(&s->memory, 2 * (uint64_t)s->p->n_edges + 1, sizeof(*w->arcs));
	w->length = gpube__array(&s->memory, 2 * n, sizeof(*w->length));
	w->from = gpube__array(&s->memory, 2 * n, sizeof(*w->from));
	w->crosses = gpube__array(&s->memory, 2 * n, sizeof(*w->crosses));
	w->known = gpube__array(&s->memory, HASHES, sizeof(*w->known));
	for (uint64_t v = 0; v < n && !s->memory.failed; v++)
		w->position[v] = -1;
	return s->memory.failed ? GPUBE_ENOMEM : GPUBE_OK;
}

void gpube__cuts_search_clear(struct gpube_cuts_state *s)
{
	struct gpube_cuts_search *w = &s->search;

	GPUBE_FREE_ALL(s->ctx, w->walk.steps, w->cycle.steps, w->heap);
}

/* A search, and where its rows go. */
struct find {
	struct gpube_cuts_state *s;
	struct gpube_cuts_search *w;
	struct gpube_cuts_rows *rows;
	int32_t n, most;
	int status;
};

static double value_of(const struct gpube_cuts_state *s, int32_t e)
{
	return s->value[2 * (int64_t)e + 1];
}

/* What an edge adds to the length of a cycle. */
static double length_of(const struct gpube_cuts_state *s, int32_t e, bool odd)
{
	return fmax(0, odd ? 1 - value_of(s, e) : value_of(s, e));
}

static bool is_whole(double value)
{
	return value < WHOLE || value > 1 - WHOLE;
}

/* ---- cycles ---------------------------------------------------------------------------------- */

static void push(struct find *f, struct gpube_cuts_walk *to, int32_t vertex, int32_t edge, bool odd)
{
	if (!f->status)
		f->status = gpube__grow(
			f->s->ctx, &to->steps, &to->room, (int64_t)to->n + 1, sizeof(*to->steps));
	if (!f->status)
		to->steps[to->n++] = (struct gpube_cuts_step){vertex, edge, odd};
}

/*
 * The walk's first part that comes back to a vertex with an odd set of odd edges; parts that come
 * back with an even one are left out.
 */
static void make_simple(struct find *f)
{
	const struct gpube_cuts_walk *walk = &f->w->walk;
	struct gpube_cuts_walk *cycle = &f->w->cycle;
	int32_t *position = f->w->position;
	int32_t from = -1;

	cycle->n = 0;
	for (int32_t k = 0; k < walk->n && from < 0 && !f->status; k++) {
		const int32_t next = walk->steps[k + 1 < walk->n ? k + 1 : 0].vertex;
		bool odd = false;

		position[walk->steps[k].vertex] = cycle->n;
		push(f, cycle, walk->steps[k].vertex, walk->steps[k].edge, walk->steps[k].odd);
		if (position[next] < 0)
			continue;
		for (int32_t j = position[next]; j < cycle->n; j++)
			odd ^= cycle->steps[j].odd;
		if (odd)
			from = position[next];
		for (int32_t j = cycle->n - 1; !odd && j >= position[next] && j >= 0; j--) {
			const int32_t v = cycle->steps[j].vertex;

			cycle->n = j;
			if (v == next) {
				position[v] = -1;
				break;
			}
			position[v] = -1;
		}
	}
	for (int32_t j = 0; j < cycle->n; j++)
		position[cycle->steps[j].vertex] = -1;
	if (from < 0) {
		cycle->n = 0; /* rounding has made it even */
		return;
	}
	cycle->n -= from;
	memmove(cycle->steps, cycle->steps + from, (size_t)cycle->n * sizeof(*cycle->steps));
}

static double cycle_length(const struct find *f)
{
	double sum = 0;

	for (int32_t k = 0; k < f->w->cycle.n; k++)
		sum += length_of(f->s, f->w->cycle.steps[k].edge, f->w->cycle.steps[k].odd);
	return sum;
}

/* The part of the cycle from step i on to step j, or the rest, is closed by a chord. */
static void take_part(struct find *f, int32_t i, int32_t j, bool inner, int32_t chord, bool odd)
{
	struct gpube_cuts_walk *cycle = &f->w->cycle;
	struct gpube_cuts_step *steps = cycle->steps;
	const int32_t end = steps[j].vertex;

	if (inner) {
		memmove(steps, steps + i, (size_t)(j - i) * sizeof(*steps));
		steps[j - i] = (struct gpube_cuts_step){end, chord, odd};
		cycle->n = j - i + 1;
		return;
	}
	steps[i].edge = chord; /* from vertex i to vertex j */
	steps[i].odd = odd;
	memmove(steps + i + 1, steps + j, (size_t)(cycle->n - j) * sizeof(*steps));
	cycle->n -= j - i - 1;
}

/* A chord between steps i and j of the cycle: whether one of the two cycles with it was taken. */
static bool take_chord(struct find *f, int32_t i, int32_t j, int32_t chord)
{
	struct gpube_cuts_walk *cycle = &f->w->cycle;
	double length[2] = {0, 0};
	bool odd[2] = {false, false};
	int part;

	for (int32_t k = 0; k < cycle->n; k++) {
		const int rest = k < i || k >= j;

		length[rest] += length_of(f->s, cycle->steps[k].edge, cycle->steps[k].odd);
		odd[rest] ^= cycle->steps[k].odd;
	}
	for (int rest = 0; rest < 2; rest++)
		length[rest] += length_of(f->s, chord, !odd[rest]);
	part = length[1] < length[0];
	if (length[part] >= 1 - BROKEN)
		return false;
	take_part(f, i, j, part == 0, chord, !odd[part]);
	return true;
}

/* One chord, or false: there is none. */
static bool find_chord(struct find *f)
{
	const struct gpube_cuts_graph *p = f->s->p;
	struct gpube_cuts_walk *cycle = &f->w->cycle;
	int32_t *position = f->w->position;
	bool found = false;

	for (int32_t k = 0; k < cycle->n; k++)
		position[cycle->steps[k].vertex] = k;
	for (int32_t i = 0; i < cycle->n && !found; i++) {
		const int32_t v = cycle->steps[i].vertex;

		gpube__work(f->s->ctx, p->around_at[v + 1] - p->around_at[v]);
		if (v == p->n_vertices - 1)
			continue; /* its edges are seen from their other ends */
		for (int32_t k = p->around_at[v]; k < p->around_at[v + 1] && !found; k++) {
			const int32_t e = p->around[k], u = gpube__other_end(p, e, v);
			const int32_t j = position[u];
			const int32_t apart = j > i ? j - i : i - j;

			if (j < 0 || apart < 2 || apart == cycle->n - 1 ||
				!gpube__cuts_there(f->s, e) || (j < i && u != p->n_vertices - 1))
				continue;
			for (int32_t x = 0; x < cycle->n; x++)
				position[cycle->steps[x].vertex] = -1;
			found = take_chord(f, i < j ? i : j, i < j ? j : i, e);
			for (int32_t x = 0; !found && x < cycle->n; x++)
				position[cycle->steps[x].vertex] = x;
		}
	}
	if (!found)
		for (int32_t k = 0; k < cycle->n; k++)
			position[cycle->steps[k].vertex] = -1;
	return found;
}

static uint64_t hash_of(const struct gpube_cuts_walk *cycle)
{
	uint64_t sum = 0;

	for (int32_t k = 0; k < cycle->n; k++) {
		uint64_t x = (2 * (uint64_t)cycle->steps[k].edge + cycle->steps[k].odd + 1) *
			     0x9e3779b97f4a7c15u;

		x ^= x >> 29;
		sum += x * 0xbf58476d1ce4e5b9u;
	}
	return sum ? sum : 1;
}

/* Whether a row is not one of this round's so far. */
static bool is_new(struct find *f)
{
	const uint64_t hash = hash_of(&f->w->cycle);

	for (uint64_t k = hash >> 50;; k = (k + 1) % HASHES) {
		if (f->w->known[k] == hash)
			return false;
		if (!f->w->known[k]) {
			f->w->known[k] = hash;
			return true;
		}
	}
}

/* The walk's row is added, if it is broken and new. */
static void add_walk(struct find *f)
{
	const struct gpube_cuts_walk *cycle = &f->w->cycle;

	make_simple(f);
	if (f->status || cycle->n < 3 || cycle_length(f) > 1 - BROKEN)
		return;
	while (find_chord(f))
		continue;
	if (!is_new(f))
		return;
	for (int32_t k = 0; k < cycle->n && !f->status; k++)
		f->status = gpube__cuts_entry(
			f->s->ctx, f->rows, 2 * cycle->steps[k].edge + cycle->steps[k].odd);
	if (!f->status)
		f->status = gpube__cuts_row(f->s->ctx, f->rows);
	f->n++;
}

/* ---- trees ----------------------------------------------------------------------------------- */

/* The path in a tree from u to v goes to the end of the walk. */
static void walk_tree(struct find *f, int32_t u, int32_t v)
{
	const struct gpube_cuts_graph *p = f->s->p;
	const struct gpube_cuts_search *w = f->w;
	struct gpube_cuts_walk *walk = &f->w->walk;
	int32_t top = v, begin;

	for (int32_t x = u; x != top;)
		if (w->depth[x] >= w->depth[top]) {
			push(f, walk, x, w->parent[x], value_of(f->s, w->parent[x]) > 0.5);
			x = gpube__other_end(p, w->parent[x], x);
		} else {
			top = gpube__other_end(p, w->parent[top], top);
		}
	begin = walk->n;
	for (int32_t x = v; x != top && !f->status;) {
		const int32_t e = w->parent[x], up = gpube__other_end(p, e, x);

		push(f, walk, up, e, value_of(f->s, e) > 0.5);
		x = up;
	}
	for (int32_t i = begin, j = walk->n - 1; i < j; i++, j--) {
		const struct gpube_cuts_step swap = walk->steps[i];

		walk->steps[i] = walk->steps[j];
		walk->steps[j] = swap;
	}
}

/* Trees of whole edges, breadth first. */
static int32_t grow_trees(struct find *f)
{
	const struct gpube_cuts_graph *p = f->s->p;
	struct gpube_cuts_search *w = f->w;
	int32_t n = 0;

	for (int32_t v = 0; v < p->n_vertices; v++)
		w->part[v] = -1;
	/* the last vertex, which has most neighbours, is the first root */
	for (int32_t r = p->n_vertices - 1; r >= 0; r--) {
		int32_t head = 0, tail = 0;

		if (w->part[r] >= 0)
			continue;
		w->part[r] = n++;
		w->parent[r] = -1;
		w->depth[r] = 0;
		w->side[r] = 0;
		w->queue[tail++] = r;
		while (head < tail) {
			const int32_t v = w->queue[head++];

			for (int32_t k = p->around_at[v]; k < p->around_at[v + 1]; k++) {
				const int32_t e = p->around[k], u = gpube__other_end(p, e, v);

				if (w->part[u] >= 0 || !is_whole(value_of(f->s, e)) ||
					!gpube__cuts_there(f->s, e))
					continue;
				w->part[u] = w->part[v];
				w->parent[u] = e;
				w->depth[u] = w->depth[v] + 1;
				w->side[u] = w->side[v] ^ (value_of(f->s, e) > 0.5);
				w->queue[tail++] = u;
			}
		}
	}
	gpube__work(f->s->ctx, 2 * EDGE_TICKS * (int64_t)p->n_edges);
	return n;
}

/* Edges inside a tree, of which the row with the tree's path is broken. */
static void close_trees(struct find *f)
{
	const struct gpube_cuts_graph *p = f->s->p;
	const struct gpube_cuts_search *w = f->w;

	for (int32_t e = 0; e < p->n_edges && f->n < f->most && !f->status; e++) {
		const int32_t a = p->end[0][e], b = p->end[1][e];
		const bool differ = w->side[a] ^ w->side[b];
		const double value = value_of(f->s, e);

		if (w->part[a] != w->part[b] || !gpube__cuts_there(f->s, e) ||
			(differ ? 1 - value : value) < BROKEN)
			continue;
		f->w->walk.n = 0;
		walk_tree(f, a, b);
		/* beside the tree's cut edges, that this one is not as they say is odd */
		push(f, &f->w->walk, b, e, !differ);
		add_walk(f);
	}
}

/* ---- paths between trees --------------------------------------------------------------------- */

/* Edges between trees, at each. */
static void list_arcs(struct find *f, int32_t n)
{
	const struct gpube_cuts_graph *p = f->s->p;
	struct gpube_cuts_search *w = f->w;

	memset(w->first, 0, ((size_t)n + 2) * sizeof(*w->first));
	for (int pass = 0; pass < 2; pass++) {
		for (int32_t e = 0; e < p->n_edges; e++) {
			const int32_t a = w->part[p->end[0][e]], b = w->part[p->end[1][e]];

			if (a == b || !gpube__cuts_there(f->s, e))
				continue;
			if (pass) {
				w->arcs[w->first[a + 1]++] = e;
				w->arcs[w->first[b + 1]++] = e;
			} else {
				w->first[a + 2]++;
				w->first[b + 2]++;
			}
		}
		for (int32_t t = 0; !pass && t < n; t++)
			w->first[t + 2] += w->first[t + 1];
	}
}

static bool is_shorter(const void *x, const void *y)
{
	const struct gpube_cuts_heap_item *a = x, *b = y;

	return a->length != b->length ? a->length < b->length : a->at < b->at;
}

static void reach(struct find *f, int32_t at, double length, int32_t edge)
{
	struct gpube_cuts_search *w = f->w;

	if (length >= w->length[at] || length > 1 - BROKEN)
		return;
	f->status =
		gpube__grow(f->s->ctx, &w->heap, &w->heap_room, w->n_heap + 1, sizeof(*w->heap));
	if (f->status)
		return;
	w->length[at] = length;
	w->from[at] = edge;
	w->heap[w->n_heap++] = (struct gpube_cuts_heap_item){length, at};
	gpube__heap_push(w->heap, w->n_heap, sizeof(*w->heap), is_shorter);
}

/* The end of an edge that is in a tree. */
static int32_t end_in(const struct find *f, int32_t e, int32_t tree)
{
	const int32_t a = f->s->p->end[0][e];

	return f->w->part[a] == tree ? a : f->s->p->end[1][e];
}

/* The path that ends at (tree, 1), from (tree, 0), becomes a walk, from its end on. */
static void walk_path(struct find *f, int32_t tree)
{
	const struct gpube_cuts_search *w = f->w;
	int32_t at = 2 * tree + 1, enter = -1, begin = -1;

	f->w->walk.n = 0;
	do {
		const int32_t own = at >> 1, e = w->from[at], out = end_in(f, e, own);
		const int32_t in = gpube__other_end(f->s->p, e, out);
		/* whether the path changes its side with this edge */
		const int32_t before = 2 * w->part[in] + (f->w->crosses[at] ? !(at & 1) : (at & 1));
		const bool odd = f->w->crosses[at] ^ w->side[in] ^ w->side[out];

		if (enter >= 0)
			walk_tree(f, enter, out);
		else
			begin = out;
		push(f, &f->w->walk, out, e, odd);
		enter = in;
		at = before;
	} while (at != 2 * tree && !f->status);
	if (!f->status)
		walk_tree(f, enter, begin);
}

/* The shortest path from a tree to its other side, over later ones; whether one is short enough. */
static bool find_path(struct find *f, int32_t tree, int32_t n)
{
	const struct gpube_cuts_graph *p = f->s->p;
	struct gpube_cuts_search *w = f->w;
	int64_t work = 0;
	bool found = false;

	for (int32_t k = 0; k < 2 * n; k++)
		w->length[k] = INFINITY;
	w->n_heap = 0;
	reach(f, 2 * tree, 0, -1);
	while (w->n_heap && !found && !f->status) {
		struct gpube_cuts_heap_item own;

		gpube__heap_take(w->heap, w->n_heap, 0, sizeof(*w->heap), is_shorter);
		own = w->heap[--w->n_heap];
		if (own.length > w->length[own.at])
			continue;
		found = own.at == 2 * tree + 1;
		for (int32_t k = w->first[own.at >> 1]; k < w->first[(own.at >> 1) + 1] && !found;
			k++) {
			const int32_t e = w->arcs[k], a = p->end[0][e], b = p->end[1][e];
			const int32_t to = w->part[a] == own.at >> 1 ? w->part[b] : w->part[a];
			const bool differ = w->side[a] ^ w->side[b];

			work++;
			for (int cross = 0; cross < 2 && to >= tree && !f->status; cross++) {
				const int32_t at = 2 * to + ((own.at & 1) ^ cross);
				const double before = w->length[at];

				reach(f, at, own.length + HOP + length_of(f->s, e, cross ^ differ),
					e);
				if (w->length[at] < before)
					w->crosses[at] = (char)cross;
			}
		}
	}
	gpube__work(f->s->ctx, ARC_TICKS * work + 2 * n);
	return found && !f->status;
}

int32_t gpube__cuts_find(struct gpube_cuts_state *s, struct gpube_cuts_rows *rows)
{
	struct find f = {.s = s,
		.w = &s->search,
		.rows = rows,
		.most = MOST_ROWS + s->p->n_edges / EDGES_PER_ROW};
	int32_t n;

	if (f.most > HASHES / 2)
		f.most = HASHES / 2;
	memset(s->search.known, 0, HASHES * sizeof(*s->search.known));
	n = grow_trees(&f);
	close_trees(&f);
	list_arcs(&f, n);
	for (int32_t k = 0; k < n && f.n < f.most && !f.status && !gpube__stopped(s->ctx); k++)
		if (s->search.first[k] < s->search.first[k + 1] && find_path(&f, k, n)) {
			walk_path(&f, k);
			add_walk(&f);
		}
	return f.status ? -1 : f.n;
}
