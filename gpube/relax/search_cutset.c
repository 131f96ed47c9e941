/* search_cutset.c - the best of all assignments of many variables: see search.h. */
#include "gpube/relax/search.h"

#include <string.h>

/*
 * Cells of a table at most, in eighths of a power of two: so many, but always two of the largest
 * domain, as far as it is of MOST cells. And of all messages together, for each variable.
 * Arrays that have no room in a part of the memory are not made, and nothing is eliminated.
 */
enum { ENOUGH = 8 * 10, MOST = 8 * GPUBE__CUTSET_NEAR, MESSAGES = 64, PART = 16 };
/* A variable that has more neighbours than these is of the cutset from the beginning. */
enum { NEAR = 32 };
/* So many variables are looked at for the one whose table would be largest. */
enum { DRAWS = 8 };
/* Work: a neighbour that is looked at, a function of a variable, a cell and a table. */
enum { NEAR_TICKS = 2, LOOK_TICKS = 20, CELL_TICKS = 1, TABLE_TICKS = 40 };

/* What a variable is: not met yet, of the cutset, eliminated. */
enum { LIVE, CUT, OUT };

void gpube__search_cutset_clear(struct gpube_search *s)
{
	gpube__arrays_clear(&s->cutset.arrays);
}

/* log2 of a domain in eighths, rounded up: a sum of them is never less than the product has. */
static int32_t size_of(int32_t domain)
{
	int32_t eighths = 0;

	for (double power = 1; power < domain; power *= 1.09050773266525766)
		eighths++;
	return eighths;
}

/* Those that share a function with a dense table with a variable, each once. */
static void find_neighbours(struct gpube_search *s)
{
	struct gpube_search_cutset *w = &s->cutset;
	int64_t n = 0;

	for (int32_t i = 0; i < s->m->n_vars; i++)
		w->place[i] = -1;
	for (int32_t i = 0; i < s->m->n_vars; i++) {
		w->start[i] = n;
		for (int64_t k = s->functions.start[i]; k < s->functions.start[i + 1]; k++) {
			const int32_t f = s->functions.of[k], *scope = gpube__scope(s->m, f);

			for (int j = 0; s->dense[f] && j < s->m->functions[f].arity; j++)
				if (scope[j] != i && w->place[scope[j]] != i) {
					w->place[scope[j]] = i;
					w->neighbours[n++] = scope[j];
				}
		}
	}
	w->start[s->m->n_vars] = n;
}

int gpube__search_cutset_init(struct gpube_search *s)
{
	struct gpube_search_cutset *w = &s->cutset;
	const struct gpube_model *m = s->m;
	const uint64_t n = (uint64_t)m->n_vars;
	uint64_t room = 0, cells;

	w->arrays.ctx = s->ctx;
	w->limit = ENOUGH;
	for (int32_t i = 0; i < m->n_vars; i++) {
		const int32_t two = 2 * size_of(m->vars[i].domain);

		w->limit = two > w->limit && two <= MOST ? two : w->limit;
	}
	cells = (uint64_t)1 << (w->limit + 7) / 8;
	if ((double)n * (MESSAGES * 10 + NEAR * 4 + sizeof(*w->buckets)) >
		(double)s->ctx->memory_bytes / PART)
		return GPUBE_OK;
	for (int32_t f = 0; f < m->n_functions; f++)
		if (s->dense[f])
			room += (uint64_t)m->functions[f].arity *
				(uint64_t)(m->functions[f].arity - 1);
	w->n_costs = (int32_t)(MESSAGES * n < 1 << 30 ? MESSAGES * n : 1 << 30);
	w->start = gpube__array(&w->arrays, n + 1, sizeof(*w->start));
	w->neighbours = gpube__array(&w->arrays, room, sizeof(*w->neighbours));
	w->size = gpube__array(&w->arrays, n, sizeof(*w->size));
	w->order = gpube__array(&w->arrays, n, sizeof(*w->order));
	w->is = gpube__array(&w->arrays, n, sizeof(*w->is));
	w->n_near = gpube__array(&w->arrays, n, sizeof(*w->n_near));
	w->near = gpube__array(&w->arrays, n * NEAR, sizeof(*w->near));
	w->weight = gpube__array(&w->arrays, n, sizeof(*w->weight));
	w->live = gpube__array(&w->arrays, n, sizeof(*w->live));
	w->at = gpube__array(&w->arrays, n, sizeof(*w->at));
	w->after = gpube__array(&w->arrays, n + MOST + 2, sizeof(*w->after));
	w->before = gpube__array(&w->arrays, n + MOST + 2, sizeof(*w->before));
	w->vars = gpube__array(&w->arrays, n, sizeof(*w->vars));
	w->place = gpube__array(&w->arrays, n, sizeof(*w->place));
	w->buckets = gpube__array(&w->arrays, n, sizeof(*w->buckets));
	w->costs = gpube__array(&w->arrays, (uint64_t)w->n_costs, sizeof(*w->costs));
	w->choice = gpube__array(&w->arrays, (uint64_t)w->n_costs, sizeof(*w->choice));
	/* and what a value costs by itself */
	w->sum = gpube__array(&w->arrays, 2 * cells, sizeof(*w->sum));
	w->from = gpube__array(&w->arrays, cells, sizeof(*w->from));
	if (w->arrays.failed)
		return GPUBE_ENOMEM;
	for (int32_t i = 0; i < m->n_vars; i++) {
		w->order[i] = i;
		w->size[i] = size_of(m->vars[i].domain);
	}
	find_neighbours(s);
	return GPUBE_OK;
}

/* ---- the cutset ------------------------------------------------------------------------------ */

/* Into the list of those whose tables have as many cells, or too many; at one of its ends. */
static void queue(struct gpube_search *s, int32_t i)
{
	struct gpube_search_cutset *w = &s->cutset;
	const int32_t weight = w->weight[i] <= w->limit ? w->weight[i] : w->limit + 1,
		      head = s->m->n_vars + weight,
		      to = gpube__rng_next(&s->rng) >> 63 ? w->before[head] : head;

	w->least = weight < w->least ? weight : w->least;
	w->before[i] = to;
	w->after[i] = w->after[to];
	w->before[w->after[to]] = i;
	w->after[to] = i;
}

static void unqueue(struct gpube_search_cutset *w, int32_t i)
{
	w->after[w->before[i]] = w->after[i];
	w->before[w->after[i]] = w->before[i];
}

/* Its neighbours that are left, and what its table would have. */
static void look(struct gpube_search *s, int32_t i)
{
	struct gpube_search_cutset *w = &s->cutset;
	int32_t n = 0, *near = w->near + (int64_t)NEAR * i;

	w->weight[i] = w->size[i];
	for (int32_t k = 0; k < w->n_near[i]; k++)
		if (w->is[near[k]] == LIVE) {
			w->weight[i] += w->size[near[k]];
			near[n++] = near[k];
		}
	s->worked += NEAR_TICKS * w->n_near[i];
	w->n_near[i] = n;
}

static void leave(struct gpube_search_cutset *w, int32_t i, uint8_t as)
{
	const int32_t last = w->live[--w->n_live];

	w->is[i] = as;
	w->live[w->at[i]] = last;
	w->at[last] = w->at[i];
	unqueue(w, i);
}

static void cut(struct gpube_search *s, int32_t i)
{
	struct gpube_search_cutset *w = &s->cutset;

	leave(w, i, CUT);
	for (int32_t k = 0; k < w->n_near[i]; k++) {
		const int32_t other = w->near[(int64_t)NEAR * i + k];

		if (w->is[other] != LIVE)
			continue;
		unqueue(w, other);
		look(s, other);
		queue(s, other);
	}
}

/* a gets all others of 'near' as neighbours; false: it has no room for them. */
static bool join(struct gpube_search *s, int32_t a, const int32_t *near, int32_t n)
{
	struct gpube_search_cutset *w = &s->cutset;
	int32_t *own = w->near + (int64_t)NEAR * a;

	look(s, a);
	for (int32_t j = 0; j < n; j++) {
		int32_t k = 0;

		if (near[j] == a || w->is[near[j]] != LIVE)
			continue;
		while (k < w->n_near[a] && own[k] != near[j])
			k++;
		if (k < w->n_near[a])
			continue;
		if (k == NEAR)
			return false;
		own[w->n_near[a]++] = near[j];
		w->weight[a] += w->size[near[j]];
	}
	s->worked += NEAR_TICKS * n;
	return true;
}

static void eliminate(struct gpube_search *s, int32_t i)
{
	struct gpube_search_cutset *w = &s->cutset;
	struct gpube_search_bucket *b = &w->buckets[w->n];

	leave(w, i, OUT);
	w->place[i] = w->n;
	w->vars[w->n++] = i;
	b->n_near = w->n_near[i];
	memcpy(b->near, w->near + (int64_t)NEAR * i, (size_t)b->n_near * sizeof(*b->near));
	for (int32_t k = 0; k < b->n_near; k++) {
		const int32_t a = b->near[k];

		if (!join(s, a, b->near, b->n_near)) {
			cut(s, a);
			continue;
		}
		unqueue(w, a);
		queue(s, a);
	}
	for (int32_t k = 0; k < b->n_near; k++) {
		const int32_t a = b->near[k];

		/* a neighbour that came later may be of the cutset now */
		if (w->is[a] != LIVE)
			continue;
		unqueue(w, a);
		look(s, a);
		queue(s, a);
	}
}

/* Of a function without a dense table one variable stays, of those that are left. */
static void keep_one(struct gpube_search *s, int32_t f)
{
	uint8_t *is = s->cutset.is;
	const int32_t *scope = gpube__scope(s->m, f);
	uint64_t n = 0, keep;

	for (int j = 0; j < s->m->functions[f].arity; j++)
		n += is[scope[j]] == LIVE;
	keep = n ? gpube__rng_below(&s->rng, n) : 0;
	for (int j = 0; j < s->m->functions[f].arity; j++)
		if (is[scope[j]] == LIVE && keep-- != 0)
			is[scope[j]] = CUT;
	s->worked += 2 * NEAR_TICKS * s->m->functions[f].arity;
}

/*
 * All are live but those of one value, those that have too many cells or neighbours, and those that
 * have the value of 'unlike', if that is not NULL.
 */
static void begin(struct gpube_search *s, const int32_t *unlike)
{
	struct gpube_search_cutset *w = &s->cutset;
	const int32_t n = s->m->n_vars;

	for (int32_t i = 0; i < n; i++)
		w->is[i] = s->m->vars[i].domain < 2 || w->size[i] > w->limit ||
					   (unlike && unlike[i] == s->values[i])
				   ? CUT
				   : LIVE;
	for (int32_t f = 0; f < s->m->n_functions; f++)
		if (!s->dense[f] && s->m->functions[f].arity > 1)
			keep_one(s, f);
	w->n = w->n_live = 0;
	w->least = w->limit + 1;
	for (int32_t k = 0; k < w->limit + 2; k++)
		w->after[n + k] = w->before[n + k] = n + k;
	for (int32_t k = 0; k < n; k++) {
		const int32_t other = k + (int32_t)gpube__rng_below(&s->rng, (uint64_t)(n - k)),
			      i = w->order[other];
		int32_t n_near = 0;

		w->order[other] = w->order[k];
		w->order[k] = i;
		for (int64_t j = w->start[i]; w->is[i] == LIVE && j < w->start[i + 1]; j++) {
			if (w->is[w->neighbours[j]] != LIVE)
				continue;
			if (n_near == NEAR)
				w->is[i] = CUT;
			else
				w->near[(int64_t)NEAR * i + n_near++] = w->neighbours[j];
		}
		w->n_near[i] = n_near;
		s->worked += NEAR_TICKS * (1 + w->start[i + 1] - w->start[i]);
	}
	for (int32_t k = 0; k < n; k++) {
		const int32_t i = w->order[k];

		if (w->is[i] != LIVE)
			continue;
		w->at[i] = w->n_live;
		w->live[w->n_live++] = i;
		look(s, i);
		queue(s, i);
	}
}

static void choose(struct gpube_search *s, const int32_t *unlike)
{
	struct gpube_search_cutset *w = &s->cutset;
	const int32_t n = s->m->n_vars;

	begin(s, unlike);
	while (w->n_live) {
		while (w->least <= w->limit && w->after[n + w->least] == n + w->least)
			w->least++;
		if (w->least <= w->limit) {
			eliminate(s, w->after[n + w->least]);
			continue;
		}
		int32_t worst = -1;

		for (int k = 0; k < DRAWS; k++) {
			const int32_t i = w->live[gpube__rng_below(&s->rng, (uint64_t)w->n_live)];

			worst = worst < 0 || w->weight[i] > w->weight[worst] ? i : worst;
		}
		cut(s, worst);
	}
}

/* Neighbours that the cutset has now are left out; of the message. */
static int32_t fit(struct gpube_search *s, struct gpube_search_bucket *b)
{
	int32_t n = 0, cells = 1;

	for (int32_t k = 0; k < b->n_near; k++)
		if (s->cutset.is[b->near[k]] == OUT) {
			cells *= s->m->vars[b->near[k]].domain;
			b->near[n++] = b->near[k];
		}
	b->n_near = n;
	return cells;
}

/* Where there is no room for messages, all that come later are of the cutset. */
static void make_room(struct gpube_search *s)
{
	struct gpube_search_cutset *w = &s->cutset;
	int32_t used = 0, n = 0;

	for (; n < w->n; n++) {
		const int32_t cells = fit(s, &w->buckets[n]);

		if (cells > w->n_costs - used)
			break;
		used += cells;
	}
	for (int32_t k = n; k < w->n; k++)
		w->is[w->vars[k]] = CUT;
	w->n = n;
}

/* ---- elimination ----------------------------------------------------------------------------- */

/* A table that is joined: where all variables that are eliminated have value 0, and its strides. */
struct source {
	const int64_t *from;
	int64_t own, near[GPUBE__CUTSET_NEAR];
};

static void join_table(struct gpube_search *s, int32_t i, const struct gpube_search_bucket *b,
	const struct source *t)
{
	struct gpube_search_cutset *w = &s->cutset;
	const int32_t domain = s->m->vars[i].domain;
	int32_t cells = 1;

	w->from[0] = 0;
	for (int32_t k = 0; k < b->n_near; k++) {
		const int32_t values = s->m->vars[b->near[k]].domain;

		for (int32_t a = 1; a < values; a++)
			for (int32_t z = 0; z < cells; z++)
				w->from[a * cells + z] = w->from[z] + a * (int32_t)t->near[k];
		cells *= values;
	}
	for (int32_t a = 0; a < domain; a++) {
		const int64_t *from = t->from + a * t->own;
		int64_t *sum = w->sum + (int64_t)a * cells;

		for (int32_t z = 0; z < cells; z++)
			sum[z] += from[w->from[z]];
	}
	s->worked += TABLE_TICKS + CELL_TICKS * (domain + 1) * (int64_t)cells;
}

/*
 * A function of i that has another variable that is eliminated: its row, with all others as they
 * are, does not count for i alone; and it is joined where i comes first.
 */
static void join_function(
	struct gpube_search *s, int32_t i, const struct gpube_search_bucket *b, int32_t f)
{
	struct gpube_search_cutset *w = &s->cutset;
	const int arity = s->m->functions[f].arity;
	const int32_t *scope = gpube__scope(s->m, f), domain = s->m->vars[i].domain;
	const int64_t *stride = s->stride + s->m->functions[f].scope_at;
	struct source t = {s->dense[f], 0, {0}};
	const int64_t *row = s->dense[f];
	bool first = true, alone = true;

	s->worked += LOOK_TICKS;
	if (!s->dense[f])
		return;
	for (int j = 0; j < arity; j++) {
		const int32_t other = scope[j];

		if (other == i) {
			t.own = stride[j];
			continue;
		}
		row += stride[j] * s->values[other];
		if (w->is[other] != OUT) {
			t.from += stride[j] * s->values[other];
			continue;
		}
		alone = false;
		first &= w->place[other] > w->place[i];
		for (int32_t k = 0; k < b->n_near; k++)
			if (b->near[k] == other)
				t.near[k] = stride[j];
	}
	if (alone)
		return;
	for (int32_t a = 0; a < domain; a++)
		w->own[a] -= row[a * t.own];
	if (first)
		join_table(s, i, b, &t);
}

static void join_message(struct gpube_search *s, int32_t i, const struct gpube_search_bucket *b,
	const struct gpube_search_bucket *child)
{
	struct source t = {s->cutset.costs + child->message, 0, {0}};
	int64_t stride = 1;

	for (int32_t j = 0; j < child->n_near; j++) {
		if (child->near[j] == i)
			t.own = stride;
		for (int32_t k = 0; k < b->n_near; k++)
			if (b->near[k] == child->near[j])
				t.near[k] = stride;
		stride *= s->m->vars[child->near[j]].domain;
	}
	join_table(s, i, b, &t);
}

/* The least over i's values, of several those behind a random one, and who gets it. */
static void send(struct gpube_search *s, int32_t i, struct gpube_search_bucket *b, int32_t cells)
{
	struct gpube_search_cutset *w = &s->cutset;
	const int32_t domain = s->m->vars[i].domain;
	int32_t a = (int32_t)gpube__rng_below(&s->rng, (uint64_t)domain), to = -1;
	int64_t *costs = w->costs + b->message;
	uint16_t *choice = w->choice + b->message;

	for (int32_t n = 0; n < domain; n++, a = a + 1 < domain ? a + 1 : 0) {
		const int64_t *sum = w->sum + (int64_t)a * cells, own = w->own[a];

		for (int32_t z = 0; z < cells; z++)
			if (n == 0 || sum[z] + own < costs[z]) {
				costs[z] = sum[z] + own;
				choice[z] = (uint16_t)a;
			}
	}
	for (int32_t k = 0; k < b->n_near; k++)
		to = to < 0 || w->place[b->near[k]] < to ? w->place[b->near[k]] : to;
	if (to >= 0) {
		b->next = w->buckets[to].first;
		w->buckets[to].first = w->place[i];
	}
}

void gpube__search_cutset(struct gpube_search *s, const int32_t *unlike, int32_t *values)
{
	struct gpube_search_cutset *w = &s->cutset;
	int32_t used = 0;

	memcpy(values, s->values, (size_t)s->m->n_vars * sizeof(*values));
	if (!w->sum)
		return;
	choose(s, unlike);
	make_room(s);
	for (int32_t k = 0; k < w->n; k++)
		w->buckets[k].first = w->buckets[k].next = -1;
	for (int32_t k = 0; k < w->n; k++) {
		const int32_t i = w->vars[k];
		struct gpube_search_bucket *b = &w->buckets[k];
		const int32_t cells = fit(s, b), domain = s->m->vars[i].domain;

		b->message = used;
		used += cells;
		w->own = s->cutset.sum + (int64_t)domain * cells;
		memcpy(w->own, s->cost + s->at[i], (size_t)domain * sizeof(*w->own));
		memset(w->sum, 0, (size_t)domain * (size_t)cells * sizeof(*w->sum));
		for (int64_t j = s->functions.start[i]; j < s->functions.start[i + 1]; j++)
			join_function(s, i, b, s->functions.of[j]);
		for (int32_t c = b->first; c >= 0; c = w->buckets[c].next)
			join_message(s, i, b, &w->buckets[c]);
		send(s, i, b, cells);
	}
	for (int32_t k = w->n; k-- > 0;) {
		const struct gpube_search_bucket *b = &w->buckets[k];
		int32_t z = 0, stride = 1;

		for (int32_t j = 0; j < b->n_near; j++) {
			z += stride * values[b->near[j]];
			stride *= s->m->vars[b->near[j]].domain;
		}
		values[w->vars[k]] = w->choice[b->message + z];
	}
}
