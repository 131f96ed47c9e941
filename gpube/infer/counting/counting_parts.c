/* counting_parts.c - what falls apart, and what is remembered of it: see counting_parts.h. */
#include "gpube/infer/counting/counting_parts.h"

#include <stdlib.h>
#include <string.h>

#include "gpube/base/rows.h"

/* Of the memory allowed, for what is remembered. */
#define MEMORY_PART 0.25
enum { DECIDED = -2, OPEN = -1, NUMBER_BYTES = 5 };

static const struct gpube_count one = {{0.5, 1}, 0};

static bool is_open(const struct gpube_parts *p, int32_t var)
{
	return p->clauses->value[2 * var] == 0;
}

/* ---- keys ---------------------------------------------------------------------------- */

static uint8_t *put(uint8_t *to, uint32_t number)
{
	for (; number >= 128; number >>= 7)
		*to++ = (uint8_t)(number | 128);
	*to++ = (uint8_t)number;
	return to;
}

static uint8_t *put_ascending(uint8_t *to, const int32_t *numbers, int32_t n)
{
	for (int32_t k = 0, last = 0; k < n; last = numbers[k++])
		to = put(to, (uint32_t)(numbers[k] - last));
	return to;
}

/* How many variables, they, and the clauses. The clauses of two are those of the variables. */
static int make_key(
	struct gpube_parts *p, struct gpube_count_part part, int32_t *bytes, uint64_t *hash)
{
	const int64_t most = ((int64_t)part.n_vars + part.n_clauses + 1) * NUMBER_BYTES + 8;
	const int32_t *numbers = p->store + part.at;
	uint8_t *end;
	uint64_t h = 0x9e3779b97f4a7c15u, word;

	if (gpube__grow(p->ctx, &p->key, &p->key_capacity, most, 1))
		return GPUBE_ENOMEM;
	end = put(p->key, (uint32_t)part.n_vars);
	end = put_ascending(end, numbers, part.n_vars);
	end = put_ascending(end, numbers + part.n_vars, part.n_clauses);
	*bytes = (int32_t)(end - p->key);
	memset(end, 0, 8);
	for (int32_t k = 0; k < *bytes; k += 8) {
		memcpy(&word, p->key + k, 8);
		h = (h ^ word) * 0xff51afd7ed558ccdu;
		h ^= h >> 29;
	}
	*hash = h;
	return GPUBE_OK;
}

static struct gpube_count_entry *find(struct gpube_parts *p, int32_t bytes, uint64_t hash)
{
	int32_t k = p->n_buckets ? p->bucket[hash & (uint64_t)(p->n_buckets - 1)] : -1;

	for (; k >= 0; k = p->entry[k].next) {
		struct gpube_count_entry *e = &p->entry[k];

		if (e->hash == hash && e->bytes == bytes &&
			memcmp(p->keys + e->key, p->key, (size_t)bytes) == 0)
			return e;
	}
	return NULL;
}

/* ---- what is remembered -------------------------------------------------------------- */

static void link_entry(struct gpube_parts *p, int64_t k)
{
	int32_t *head = &p->bucket[p->entry[k].hash & (uint64_t)(p->n_buckets - 1)];

	p->entry[k].next = *head;
	*head = (int32_t)k;
}

/* All entries in the order of their numbers, so that the last one of a bucket comes first. */
static void link_all(struct gpube_parts *p)
{
	for (int64_t k = 0; k < p->n_buckets; k++)
		p->bucket[k] = -1;
	for (int64_t k = 0; k < p->n_entries; k++)
		link_entry(p, k);
}

void gpube__parts_forget(struct gpube_parts *p, int64_t n_entries)
{
	if (n_entries >= p->n_entries)
		return;
	p->n_keys = p->entry[n_entries].key;
	while (p->n_entries > n_entries) {
		const struct gpube_count_entry *e = &p->entry[--p->n_entries];

		p->bucket[e->hash & (uint64_t)(p->n_buckets - 1)] = e->next;
	}
}

/* Forgets the half that was not used for longest. */
static int forget_half(struct gpube_parts *p, int64_t *marks, int64_t n_marks)
{
	int64_t *used = gpube__alloc(p->ctx, (uint64_t)p->n_entries, sizeof(*used)), to = 0, least,
		mark = 0;

	if (!used)
		return GPUBE_ENOMEM;
	for (int64_t k = 0; k < p->n_entries; k++)
		used[k] = p->entry[k].used;
	qsort(used, (size_t)p->n_entries, sizeof(*used), gpube__compare_int64);
	least = used[p->n_entries / 2];
	gpube__free(p->ctx, used);
	p->n_keys = 0;
	for (int64_t k = 0; k < p->n_entries; k++) {
		struct gpube_count_entry e = p->entry[k];

		for (; mark < n_marks && marks[mark] <= k; mark++)
			marks[mark] = to;
		if (e.used < least)
			continue;
		memmove(p->keys + p->n_keys, p->keys + e.key, (size_t)e.bytes);
		e.key = p->n_keys;
		p->n_keys += e.bytes;
		p->entry[to++] = e;
	}
	for (; mark < n_marks; mark++)
		marks[mark] = to;
	p->n_entries = to;
	link_all(p);
	return GPUBE_OK;
}

int gpube__parts_remember(struct gpube_parts *p, struct gpube_count_part part, struct gpube_count v,
	int64_t *marks, int64_t n_marks)
{
	struct gpube_count_entry e = {.key = 0, .v = v.v, .roundings = v.roundings};
	const double held =
		(double)p->n_entries * (sizeof(e) + 2 * sizeof(*p->bucket)) + (double)p->n_keys;
	int status = GPUBE_OK;

	if (held > p->most_bytes || p->n_entries == INT32_MAX)
		status = forget_half(p, marks, n_marks);
	if (!status)
		status = make_key(p, part, &e.bytes, &e.hash);
	if (!status)
		status = gpube__grow(p->ctx, &p->keys, &p->keys_capacity, p->n_keys + e.bytes, 1);
	if (!status)
		status = gpube__grow(
			p->ctx, &p->entry, &p->entry_capacity, p->n_entries + 1, sizeof(*p->entry));
	if (status)
		return status;
	if (p->n_entries >= p->n_buckets) {
		const int64_t n = p->n_buckets ? 2 * p->n_buckets : 1024;
		int32_t *bucket = gpube__realloc(p->ctx, p->bucket, (uint64_t)n, sizeof(*bucket));

		if (!bucket)
			return GPUBE_ENOMEM;
		p->bucket = bucket;
		p->n_buckets = n;
		link_all(p);
	}
	memcpy(p->keys + p->n_keys, p->key, (size_t)e.bytes);
	e.key = p->n_keys;
	e.used = p->now++;
	p->n_keys += e.bytes;
	p->entry[p->n_entries] = e;
	link_entry(p, p->n_entries++);
	return GPUBE_OK;
}

/* ---- what falls apart ---------------------------------------------------------------- */

static bool is_satisfied(struct gpube_parts *p, int32_t clause)
{
	const struct gpube_formula *f = p->f;
	const int8_t *value = p->clauses->value;

	if (value[p->satisfied_by[clause]] > 0)
		return true;
	for (int64_t k = f->first[clause]; k < f->first[clause + 1]; k++)
		if (value[f->literals[k]] > 0) {
			p->satisfied_by[clause] = f->literals[k];
			return true;
		}
	return false;
}

static int32_t meet(struct gpube_parts *p, int32_t var, int32_t number, int32_t n)
{
	if (p->var_part[var] != OPEN)
		return n;
	p->var_part[var] = number;
	p->queue[n] = var;
	return n + 1;
}

/* A variable's clauses bring in their variables; n are in the queue. */
static int32_t visit(
	struct gpube_parts *p, int32_t var, int32_t number, int32_t n, int32_t *n_clauses)
{
	const struct gpube_formula *f = p->f;
	const int8_t *value = p->clauses->value;
	int32_t frequency = 0;

	for (int64_t k = p->two_first[var]; k < p->two_first[var + 1]; k++)
		if (value[p->two_of[k]] == 0) {
			frequency++;
			n = meet(p, p->two_of[k] >> 1, number, n);
		}
	for (int64_t k = p->long_first[var]; k < p->long_first[var + 1]; k++) {
		const int32_t clause = p->long_of[k];

		if (p->clause_part[clause] == DECIDED)
			continue;
		if (p->clause_part[clause] == OPEN) {
			if (is_satisfied(p, clause)) {
				p->clause_part[clause] = DECIDED;
				continue;
			}
			p->clause_part[clause] = number;
			++*n_clauses;
			for (int64_t i = f->first[clause]; i < f->first[clause + 1]; i++)
				if (value[f->literals[i]] == 0)
					n = meet(p, f->literals[i] >> 1, number, n);
		}
		frequency++;
	}
	p->frequency[var] = frequency;
	return n;
}

/* Numbers the parts; counts has the variables and clauses of each. */
static int number_parts(struct gpube_parts *p, struct gpube_count_part whole,
	struct gpube_count *product, int32_t *n_parts)
{
	int32_t *vars = p->store + whole.at, *clauses = vars + whole.n_vars;

	*n_parts = 0;
	for (int32_t k = 0; k < whole.n_clauses; k++)
		p->clause_part[clauses[k]] = OPEN;
	for (int32_t k = 0; k < whole.n_vars; k++) {
		const int32_t v = vars[k];

		p->var_part[v] = is_open(p, v) ? OPEN : DECIDED;
		if (p->var_part[v] == DECIDED && p->weighs[v])
			*product = gpube__count_mul(*product,
				(struct gpube_count){
					p->f->weight[2 * v + (p->clauses->value[2 * v] < 0)],
					p->f->weight_roundings});
	}
	for (int32_t k = 0; k < whole.n_vars; k++) {
		int32_t n = 1, n_clauses = 0;

		if (p->var_part[vars[k]] != OPEN)
			continue;
		if (gpube__grow(p->ctx, &p->counts, &p->counts_capacity, 2 * (int64_t)*n_parts + 2,
			    sizeof(*p->counts)))
			return GPUBE_ENOMEM;
		p->queue[0] = vars[k];
		p->var_part[vars[k]] = *n_parts;
		for (int32_t i = 0; i < n; i++)
			n = visit(p, p->queue[i], *n_parts, n, &n_clauses);
		if (n == 1 && n_clauses == 0 && p->frequency[vars[k]] == 0) {
			*product = gpube__count_mul(*product, p->free_weight[vars[k]]);
			p->var_part[vars[k]] = DECIDED;
			continue;
		}
		p->counts[2 * *n_parts] = n;
		p->counts[2 * *n_parts + 1] = n_clauses;
		++*n_parts;
	}
	return GPUBE_OK;
}

/* Room for each part, and its variables and clauses in it. */
static int lay_parts(struct gpube_parts *p, struct gpube_count_part whole, int32_t n_parts)
{
	int64_t n = 0;

	if (gpube__grow(p->ctx, &p->part, &p->capacity, p->n + n_parts, sizeof(*p->part)))
		return GPUBE_ENOMEM;
	for (int32_t k = 0; k < n_parts; k++) {
		p->part[p->n + k] = (struct gpube_count_part){p->n_store + n, 0, 0};
		n += p->counts[2 * k] + p->counts[2 * k + 1];
	}
	if (gpube__grow(p->ctx, &p->store, &p->store_capacity, p->n_store + n, sizeof(*p->store)))
		return GPUBE_ENOMEM;
	p->n_store += n;
	for (int32_t k = 0; k < whole.n_vars; k++) {
		const int32_t v = p->store[whole.at + k];
		struct gpube_count_part *to =
			p->var_part[v] < 0 ? NULL : &p->part[p->n + p->var_part[v]];

		if (to)
			p->store[to->at + to->n_vars++] = v;
	}
	for (int32_t k = 0; k < whole.n_clauses; k++) {
		const int32_t c = p->store[whole.at + whole.n_vars + k];
		struct gpube_count_part *to =
			p->clause_part[c] < 0 ? NULL : &p->part[p->n + p->clause_part[c]];

		if (to)
			p->store[to->at + to->n_vars + to->n_clauses++] = c;
	}
	return GPUBE_OK;
}

static int larger_first(const void *a, const void *b)
{
	const struct gpube_count_part *x = a, *y = b;

	if (x->n_vars != y->n_vars)
		return x->n_vars > y->n_vars ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

int gpube__parts_split(
	struct gpube_parts *p, struct gpube_count_part whole, struct gpube_count *product)
{
	const int64_t before = p->n;
	int32_t n_parts;
	int status = number_parts(p, whole, product, &n_parts);

	if (!status)
		status = lay_parts(p, whole, n_parts);
	for (int32_t k = 0; k < n_parts && !status; k++) {
		const struct gpube_count_part part = p->part[before + k];
		struct gpube_count_entry *e;
		int32_t bytes;
		uint64_t hash;

		status = make_key(p, part, &bytes, &hash);
		e = status ? NULL : find(p, bytes, hash);
		if (e) {
			e->used = p->now++;
			*product = gpube__count_mul(
				*product, (struct gpube_count){e->v, e->roundings});
		} else {
			p->part[p->n++] = part;
		}
	}
	if (p->n > before + 1)
		qsort(p->part + before, (size_t)(p->n - before), sizeof(*p->part), larger_first);
	return status;
}

struct gpube_count gpube__parts_most(
	const struct gpube_parts *p, struct gpube_count_part part, int32_t literal)
{
	struct gpube_count all = one;

	for (int32_t k = 0; k < part.n_vars; k++) {
		const int32_t v = p->store[part.at + k];

		all = gpube__count_mul(all, literal >= 0 && v == literal >> 1
						    ? (struct gpube_count){p->f->weight[literal],
							      p->f->weight_roundings}
						    : p->free_weight[v]);
	}
	return all;
}

/* ---- begin and end ------------------------------------------------------------------- */

void gpube__parts_clear(struct gpube_parts *p)
{
	GPUBE_FREE_ALL(p->ctx, p->long_first, p->two_first, p->long_of, p->two_of, p->satisfied_by,
		p->var_part, p->clause_part, p->frequency, p->queue, p->counts, p->free_weight,
		p->weighs, p->store, p->part, p->entry, p->keys, p->bucket, p->key);
}

static int64_t size_of(const struct gpube_formula *f, int64_t clause)
{
	return f->first[clause + 1] - f->first[clause];
}

/* Counts, then fills; a clause of one literal is decided before anything is split. */
static void list_clauses(struct gpube_parts *p, bool fill)
{
	const struct gpube_formula *f = p->f;

	for (int64_t c = 0; c < f->n_clauses; c++)
		for (int64_t k = f->first[c]; k < f->first[c + 1]; k++) {
			const int32_t v = f->literals[k] >> 1;

			if (size_of(f, c) == 2 && fill)
				p->two_of[GPUBE_ROW_PLACE(p->two_first, v)] =
					f->literals[2 * f->first[c] + 1 - k];
			else if (size_of(f, c) == 2)
				GPUBE_ROW_COUNT(p->two_first, v);
			else if (size_of(f, c) > 2 && fill)
				p->long_of[GPUBE_ROW_PLACE(p->long_first, v)] = (int32_t)c;
			else if (size_of(f, c) > 2)
				GPUBE_ROW_COUNT(p->long_first, v);
		}
}

static int make_lists(struct gpube_parts *p)
{
	const int32_t n = p->f->n;

	list_clauses(p, false);
	GPUBE_ROWS_BEGIN(p->two_first, n);
	GPUBE_ROWS_BEGIN(p->long_first, n);
	p->two_of = gpube__alloc(p->ctx, (uint64_t)p->two_first[n + 1], sizeof(*p->two_of));
	p->long_of = gpube__alloc(p->ctx, (uint64_t)p->long_first[n + 1], sizeof(*p->long_of));
	if (!p->two_of || !p->long_of)
		return GPUBE_ENOMEM;
	list_clauses(p, true);
	return GPUBE_OK;
}

/* All variables and all clauses of three literals or more are the first part. */
static int make_whole(struct gpube_parts *p)
{
	const struct gpube_formula *f = p->f;
	struct gpube_count_part whole = {.n_vars = f->n};

	if (gpube__grow(p->ctx, &p->store, &p->store_capacity, f->n + f->n_clauses,
		    sizeof(*p->store)) ||
		gpube__grow(p->ctx, &p->part, &p->capacity, 1, sizeof(*p->part)))
		return GPUBE_ENOMEM;
	for (int32_t v = 0; v < f->n; v++)
		p->store[v] = v;
	for (int32_t c = 0; c < f->n_clauses; c++)
		if (size_of(f, c) > 2)
			p->store[f->n + whole.n_clauses++] = c;
	p->n_store = f->n + whole.n_clauses;
	p->part[p->n++] = whole;
	return GPUBE_OK;
}

int gpube__parts_init(
	struct gpube_parts *p, const struct gpube_formula *f, const struct gpube_clauses *c)
{
	const uint64_t n = (uint64_t)f->n, n_clauses = (uint64_t)f->n_clauses;
	struct gpube_ctx *ctx = f->ctx;
	int status;

	*p = (struct gpube_parts){.ctx = ctx, .f = f, .clauses = c};
	if (f->n_clauses > INT32_MAX)
		return gpube__fail(ctx, GPUBE_ELIMIT, "the model has too many clauses");
	p->most_bytes = MEMORY_PART * (double)ctx->memory_bytes;
	p->long_first = gpube__alloc_zero(ctx, n + 2, sizeof(*p->long_first));
	p->two_first = gpube__alloc_zero(ctx, n + 2, sizeof(*p->two_first));
	p->satisfied_by = gpube__alloc_zero(ctx, n_clauses, sizeof(*p->satisfied_by));
	p->var_part = gpube__alloc_zero(ctx, n, sizeof(*p->var_part));
	p->clause_part = gpube__alloc_zero(ctx, n_clauses, sizeof(*p->clause_part));
	p->frequency = gpube__alloc_zero(ctx, n, sizeof(*p->frequency));
	p->queue = gpube__alloc(ctx, n, sizeof(*p->queue));
	p->free_weight = gpube__alloc(ctx, n, sizeof(*p->free_weight));
	p->weighs = gpube__alloc(ctx, n, sizeof(*p->weighs));
	if (!p->long_first || !p->two_first || !p->satisfied_by || !p->var_part ||
		!p->clause_part || !p->frequency || !p->queue || !p->free_weight || !p->weighs)
		return GPUBE_ENOMEM;
	status = make_lists(p);
	if (!status)
		status = make_whole(p);
	for (int64_t k = 0; k < f->n_clauses; k++)
		p->satisfied_by[k] = f->literals[f->first[k]];
	for (int32_t v = 0; v < f->n; v++) {
		const struct gpube_wide *w = &f->weight[2 * v];

		p->weighs[v] = w[0].m != 0.5 || w[0].e != 1 || w[1].m != 0.5 || w[1].e != 1;
		p->free_weight[v] =
			(struct gpube_count){gpube__wide_add(w[0], w[1]), f->weight_roundings + 2};
		if (!p->weighs[v])
			p->free_weight[v].roundings = 0;
	}
	return status;
}
