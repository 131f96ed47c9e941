/*
 * andor_bytes.c - the tables of an AND/OR search as numbers, and a search of them; and what it has
 * cached: see andor.h.
 */
#include <string.h>

#include "gpube/base/bytes.h"
#include "gpube/bound/andor/andor_parts.h"

void gpube__put_andor(struct gpube__bytes *to, const struct gpube_andor *a)
{
	int64_t n_scope = 0, n_cells = 0;
	int32_t n_tables = 0;

	for (int32_t p = 0; p < a->n; p++)
		for (int32_t j = 0; j < a->nodes[p].n_tables; j++) {
			const struct gpube_andor_table *t = &a->tables[a->nodes[p].table_at + j];

			n_tables++;
			n_scope += t->n;
			n_cells += t->slab * a->nodes[p].domain;
		}
	for (int32_t k = 0; k < a->n_rests; k++)
		n_scope += a->rests[k].n;
	gpube__put(to, a->n);
	gpube__put(to, a->up);
	for (int32_t p = 0; p < a->n; p++)
		gpube__put(to, a->nodes[p].domain);
	gpube__put(to, n_tables);
	gpube__put(to, a->n_rests);
	gpube__put(to, n_scope);
	gpube__put(to, n_cells);
	for (int32_t p = 0; p < a->n; p++) {
		gpube__put(to, a->nodes[p].n_tables);
		for (int32_t j = 0; j < a->nodes[p].n_tables; j++) {
			const struct gpube_andor_table *t = &a->tables[a->nodes[p].table_at + j];

			gpube__put(to, t->n);
			gpube__put_all(to, a->scope + t->at, t->n);
			gpube__put_all(to, t->t, t->slab * a->nodes[p].domain);
		}
	}
	for (int32_t k = 0; k < a->n_rests; k++) {
		const struct gpube_andor_rest *t = &a->rests[k];

		gpube__put(to, t->position);
		gpube__put(to, t->n);
		gpube__put_all(to, a->scope + t->at, t->n);
		for (int64_t i = 0; i < t->slab * a->nodes[t->position].domain; i++)
			gpube__put(to, t->t[i]);
	}
}

/* ---- reading --------------------------------------------------------------------------------- */

/* What is left of the room for scopes and cells. */
struct reading {
	struct gpube__bytes *from;
	struct gpube_andor *a;
	int64_t n_scope, n_cells;
	int32_t at;
};

/* A scope of later variables than p, in whatever order; its cells, or a failure. */
static int64_t get_scope(struct reading *r, int32_t p, int32_t *n, int64_t *slab)
{
	struct gpube_andor *a = r->a;
	const int64_t least = (int64_t)p + 1, most = (int64_t)a->n - 1;

	*n = (int32_t)gpube__get(
		r->from, 0, r->n_scope - r->at < most - p ? r->n_scope - r->at : most - p);
	if (!r->from->status && *n)
		gpube__get_all(r->from, a->scope + r->at, *n, least, most);
	if (r->from->status)
		return 0;
	*slab = 1;
	for (int32_t k = *n - 1; k >= 0; k--) {
		a->stride[r->at + k] = *slab;
		*slab *= a->nodes[a->scope[r->at + k]].domain;
		if (*slab > GPUBE__ANDOR_MOST_CELLS)
			break;
	}
	r->at += *n;
	if (*slab * a->nodes[p].domain > GPUBE__ANDOR_MOST_CELLS)
		r->from->status =
			gpube__fail(r->from->ctx, GPUBE_EPARSE, "a table in it is too large");
	return r->from->status ? 0 : *slab * a->nodes[p].domain;
}

static void get_tables(struct reading *r, int32_t n_tables)
{
	struct gpube_andor *a = r->a;
	int64_t cell = 0;
	int32_t j = 0;

	for (int32_t p = 0; p < a->n && !r->from->status; p++) {
		a->nodes[p].table_at = j;
		a->nodes[p].n_tables = (int32_t)gpube__get(r->from, 0, (int64_t)n_tables - j);
		for (int32_t k = 0; k < a->nodes[p].n_tables && !r->from->status; k++, j++) {
			struct gpube_andor_table *t = &a->tables[j];
			int64_t cells;

			t->at = r->at;
			cells = get_scope(r, p, &t->n, &t->slab);
			if (!r->from->status && cells > r->n_cells - cell)
				r->from->status = gpube__fail(r->from->ctx, GPUBE_EPARSE,
					"it has more cells than it says");
			if (r->from->status)
				return;
			t->t = a->cells + cell;
			gpube__get_all(r->from, a->cells + cell, cells, 0, INT32_MAX);
			cell += cells;
		}
	}
}

static void get_rests(struct reading *r, int32_t n_rests)
{
	struct gpube_andor *a = r->a;

	for (int32_t k = 0; k < n_rests && !r->from->status; k++) {
		const int32_t last = k ? a->rests[k - 1].position : 0;
		struct gpube_andor_rest *t = &a->rests[k];
		int64_t cells;

		t->position = (int32_t)gpube__get(r->from, last, (int64_t)a->n - 1);
		t->at = r->at;
		cells = get_scope(r, t->position, &t->n, &t->slab);
		if (r->from->status)
			return;
		t->t = gpube__alloc(a->ctx, (uint64_t)cells, sizeof(*t->t));
		a->n_rests++;
		if (!t->t)
			r->from->status = GPUBE_ENOMEM;
		for (int64_t i = 0; i < cells && !r->from->status; i++)
			t->t[i] = gpube__get(r->from, 0, ((int64_t)1 << a->up) - 1);
	}
}

static int get(struct reading *r)
{
	struct gpube__bytes *from = r->from;
	struct gpube_andor *a = r->a;
	int64_t n_values = 0;
	int32_t n_tables, n_rests;

	a->up = (int)gpube__get(from, 0, GPUBE__ANDOR_ROUNDED);
	for (int32_t p = 0; p < a->n; p++) {
		a->nodes[p].domain = (int32_t)gpube__get(from, 1, INT32_MAX / 2);
		n_values += a->nodes[p].domain;
	}
	n_tables = (int32_t)gpube__get_count(from);
	n_rests = (int32_t)gpube__get_count(from);
	r->n_scope = gpube__get_count(from);
	r->n_cells = gpube__get_count(from);
	if (!from->status && (n_values > INT32_MAX || r->n_scope > INT32_MAX ||
				     r->n_cells > GPUBE__ANDOR_MOST_CELLS))
		from->status = gpube__fail(from->ctx, GPUBE_EPARSE, "it is too large");
	if (from->status)
		return from->status;
	a->tables = gpube__alloc(a->ctx, (uint64_t)n_tables, sizeof(*a->tables));
	a->rests = gpube__alloc(a->ctx, (uint64_t)n_rests, sizeof(*a->rests));
	a->scope = gpube__alloc(a->ctx, (uint64_t)r->n_scope, sizeof(*a->scope));
	a->stride = gpube__alloc(a->ctx, (uint64_t)r->n_scope, sizeof(*a->stride));
	a->cells = gpube__alloc(a->ctx, (uint64_t)r->n_cells, sizeof(*a->cells));
	if (!a->tables || !a->rests || !a->scope || !a->stride || !a->cells)
		return GPUBE_ENOMEM;
	get_tables(r, n_tables);
	get_rests(r, n_rests);
	if (!from->status && from->next != from->n)
		from->status = gpube__fail(from->ctx, GPUBE_EPARSE, "something follows its end");
	return from->status;
}

int gpube__get_andor(struct gpube_andor **out, double bytes, struct gpube__bytes *from)
{
	const int32_t n = (int32_t)gpube__get(from, 1, GPUBE__ANDOR_MOST_VARS);
	struct reading r = {.from = from};
	int status;

	*out = NULL;
	if (from->status)
		return from->status;
	r.a = gpube__andor_alloc(from->ctx, n);
	status = r.a ? get(&r) : GPUBE_ENOMEM;
	if (!status)
		status = gpube__andor_finish(r.a, bytes);
	if (status)
		gpube__andor_free(r.a);
	else
		*out = r.a;
	return status;
}

/* ---- what is cached -------------------------------------------------------------------------- */

/* Of all that contexts and results depend on. */
static int64_t hash_of(const struct gpube_andor *a)
{
	struct gpube__bytes tables = {.ctx = a->ctx, .hashed = true};

	gpube__put_andor(&tables, a);
	return (int64_t)tables.hash;
}

/* Of a result, and of none that follows: see get_known(). */
struct putting {
	struct gpube__bytes *to;
	int n_words;
};

static void put_known(
	void *arg, const uint64_t *key, const struct gpube_andor_known *known, int64_t effort)
{
	const struct putting *p = arg;

	gpube__put(p->to, effort);
	gpube__put(p->to, known->cost);
	gpube__put(p->to, known->exact);
	for (int w = 0; w < p->n_words; w++)
		gpube__put(p->to, (int64_t)key[w]);
}

void gpube__put_andor_known(struct gpube__bytes *to, const struct gpube_andor *a, int64_t most)
{
	struct putting p = {to, a->n_words};

	gpube__put(to, hash_of(a));
	gpube__put(to, a->n_words);
	gpube__andor_cache_tell(a->cache, most, put_known, &p);
	gpube__put(to, 0); /* no more: each took a node at least */
}

/* Whether a key is that of a subproblem: a variable's number and a value of each in its context. */
static bool is_key(const struct gpube_andor *a, const uint64_t *key, int32_t *p)
{
	const uint64_t number = key[0] & (((uint64_t)1 << a->position_bits) - 1);
	uint64_t same[GPUBE__ANDOR_WORDS] = {number};

	if (number >= (uint64_t)a->n || !a->nodes[number].keyed)
		return false;
	*p = (int32_t)number;
	for (int32_t i = 0; i < a->nodes[*p].n_context; i++) {
		const struct gpube_andor_bits *b = &a->context[a->nodes[*p].context_at + i];
		const int32_t domain = a->nodes[b->position].domain;
		const uint64_t value = key[b->word] >> b->shift &
				       (((uint64_t)1 << gpube__andor_width(domain)) - 1);

		if (value >= (uint64_t)domain)
			return false;
		same[b->word] |= value << b->shift;
	}
	return !memcmp(same, key, (size_t)a->n_words * sizeof(*key));
}

/* One result; false: there is none, or a failure. */
static bool get_known(struct gpube_andor *a, struct gpube__bytes *from)
{
	const int64_t effort = gpube__get(from, 0, INT64_MAX);
	struct gpube_andor_known known;
	uint64_t key[GPUBE__ANDOR_WORDS];
	int32_t p = 0;

	if (from->status || !effort)
		return false;
	known.cost = gpube__get(from, 0, GPUBE__ANDOR_NEVER);
	known.exact = gpube__get(from, 0, 1);
	for (int w = 0; w < a->n_words; w++)
		key[w] = (uint64_t)gpube__get(from, INT64_MIN, INT64_MAX);
	if (!from->status && !is_key(a, key, &p))
		(void)gpube__damaged(from, "a result in it is of no subproblem");
	if (from->status)
		return false;
	if (!a->nodes[p].kept)
		a->known[p] = true;
	if (gpube__andor_cache_keep(
		    a->cache, key, gpube__andor_hash(a->cache, key), &known, effort))
		gpube__andor_cache_count(a->cache, 1);
	return true;
}

/* How many results follow. */
static int64_t count_known(const struct gpube_andor *a, struct gpube__bytes from)
{
	int64_t n = 0;

	while (gpube__get(&from, 0, INT64_MAX)) {
		for (int k = 0; k < a->n_words + 2; k++)
			(void)gpube__get(&from, INT64_MIN, INT64_MAX);
		n++;
	}
	return n;
}

int gpube__get_andor_known(struct gpube_andor *a, struct gpube__bytes *from, int64_t *n)
{
	const int64_t hash = gpube__get(from, INT64_MIN, INT64_MAX),
		      n_words = gpube__get(from, 1, GPUBE__ANDOR_WORDS);

	*n = -1;
	if (from->status || hash != hash_of(a) || n_words != a->n_words)
		return from->status;
	gpube__andor_cache_room(a->cache, a->ctx, count_known(a, *from));
	for (*n = 0; get_known(a, from);)
		++*n;
	return from->status;
}
