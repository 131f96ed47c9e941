/* andor_cache.c - what is known of an AND/OR tree's subproblems, by context: see andor.h. */
#include "gpube/bound/andor/andor.h"

#include <string.h>

#include "gpube/ops/scratch.h"

/* Places that a subproblem may be kept at, of one set; and counts of threads' work. */
enum { WAYS = 4, BUSY = 1 << 14 };

/* It begins with so many sets, and is so many times as large when that part of it is full. */
enum { FIRST_SETS = 1 << 12, LARGER = 4 };
#define FULL 0.6

/*
 * An entry is its key and, last, one word: effort, cost and whether that is exact; 0: nothing is there. The first entry's
 * word has the set's lock on top: what is fetched in any case.
 */
enum { COST_BITS = 57, EFFORT_BITS = 5 };
#define MOST_COST (((int64_t)1 << COST_BITS) - 1)
#define LOCKED	  ((uint64_t)1 << 63)

struct gpube_andor_cache {
	int n_words;
	bool shared;
	int64_t n_sets, most_sets;
	_Atomic int64_t n_kept;	/* entries that are not empty */
	uint64_t *entries;
	_Atomic uint8_t *busy;
};

static uint64_t set_bytes(const struct gpube_andor_cache *c)
{
	return (uint64_t)WAYS * (uint64_t)(c->n_words + 1) * sizeof(*c->entries);
}

struct emptying {
	char *from;
	uint64_t bytes;
};

/* So many bytes at a time: a table of gigabytes takes one thread a second. */
enum { CHUNK = 1 << 22 };

static void empty_chunk(void *arg, int64_t item, int thread)
{
	const struct emptying *e = arg;
	const uint64_t from = (uint64_t)item * CHUNK, left = e->bytes - from;

	(void)thread;
	memset(e->from + from, 0, left < CHUNK ? left : CHUNK);
}

/* In large pages: places are met in no order, and each would be looked up in the system's tables as well. */
static uint64_t *empty_sets(struct gpube_ctx *ctx, int64_t n_sets, uint64_t bytes)
{
	struct emptying e = {NULL, (uint64_t)n_sets * bytes};

	e.from = gpube__aligned_alloc(ctx, e.bytes);
	if (e.from)
		gpube__parallel(ctx, (int64_t)((e.bytes + CHUNK - 1) / CHUNK), empty_chunk, &e);
	return (uint64_t *)(void *)e.from;
}

int gpube__andor_cache_new(struct gpube_andor_cache **out, struct gpube_ctx *ctx, int n_words, double bytes, bool shared)
{
	const double set = (double)WAYS * (double)sizeof(uint64_t) * (n_words + 1);
	struct gpube_andor_cache *c = gpube__alloc_zero(ctx, 1, sizeof(*c));

	*out = c;
	if (!c)
		return GPUBE_ENOMEM;
	c->n_words = n_words;
	c->shared = shared;
	c->n_sets = FIRST_SETS;
	c->most_sets = bytes / set < FIRST_SETS ? FIRST_SETS : (int64_t)(bytes / set);
	c->entries = empty_sets(ctx, c->n_sets, set_bytes(c));
	c->busy = gpube__alloc_zero(ctx, BUSY, sizeof(*c->busy));
	return c->entries && c->busy ? GPUBE_OK : GPUBE_ENOMEM;
}

void gpube__andor_cache_free(struct gpube_ctx *ctx, struct gpube_andor_cache *c)
{
	if (!c)
		return;
	gpube__aligned_free(ctx, c->entries);
	gpube__free(ctx, (void *)c->busy);
	gpube__free(ctx, c);
}

uint64_t gpube__andor_hash(const struct gpube_andor_cache *c, const uint64_t *key)
{
	uint64_t h = 0x9e3779b97f4a7c15u;

	for (int w = 0; w < c->n_words; w++) {
		h ^= key[w];
		h *= 0xff51afd7ed558ccdu;
		h ^= h >> 32;
	}
	h *= 0xc4ceb9fe1a85ec53u;
	return h ^ h >> 29;
}

static uint64_t *set_of(const struct gpube_andor_cache *c, uint64_t hash)
{
	const uint64_t set = (uint64_t)(((unsigned __int128)hash * (uint64_t)c->n_sets) >> 64);

	return c->entries + set * WAYS * (uint64_t)(c->n_words + 1);
}

static void lock(const struct gpube_andor_cache *c, uint64_t *set)
{
	uint64_t *word = set + c->n_words;

	while (c->shared && (__atomic_fetch_or(word, LOCKED, __ATOMIC_ACQUIRE) & LOCKED))
		while (__atomic_load_n(word, __ATOMIC_RELAXED) & LOCKED)
			;
}

static void unlock(const struct gpube_andor_cache *c, uint64_t *set)
{
	if (c->shared)
		__atomic_fetch_and(set + c->n_words, ~LOCKED, __ATOMIC_RELEASE);
}

/* What an entry says; others may wait for its lock. */
static uint64_t word_of(const struct gpube_andor_cache *c, const uint64_t *entry)
{
	return __atomic_load_n(entry + c->n_words, __ATOMIC_RELAXED) & ~LOCKED;
}

static int effort_of(uint64_t word)
{
	return (int)(word >> (1 + COST_BITS));
}

/* The entry of the subproblem in a set; NULL: there is none. */
static uint64_t *find(const struct gpube_andor_cache *c, uint64_t *set, const uint64_t *key)
{
	for (int k = 0; k < WAYS; k++, set += c->n_words + 1)
		if (word_of(c, set) && memcmp(set, key, (size_t)c->n_words * sizeof(*key)) == 0)
			return set;
	return NULL;
}

bool gpube__andor_cache_find(struct gpube_andor_cache *c, const uint64_t *key, uint64_t hash,
	struct gpube_andor_known *known)
{
	uint64_t *set = set_of(c, hash), word;
	const uint64_t *e;

	lock(c, set);
	e = find(c, set, key);
	word = e ? word_of(c, e) : 0;
	unlock(c, set);
	if (!word)
		return false;
	known->exact = word & 1;
	known->cost = (int64_t)(word >> 1) & MOST_COST;
	return true;
}

/* An empty entry of a set, or the one that took least. */
static uint64_t *choose(struct gpube_andor_cache *c, uint64_t *set)
{
	uint64_t *best = set;

	for (int k = 0; k < WAYS && word_of(c, best); k++, set += c->n_words + 1)
		if (!word_of(c, set) || effort_of(word_of(c, set)) < effort_of(word_of(c, best)))
			best = set;
	return best;
}

bool gpube__andor_cache_keep(struct gpube_andor_cache *c, const uint64_t *key, uint64_t hash,
	const struct gpube_andor_known *known, int64_t effort)
{
	const bool fits = known->cost <= MOST_COST, exact = known->exact && fits;
	const int64_t cost = fits ? known->cost : MOST_COST;
	bool is_new = false;
	uint64_t *set = set_of(c, hash), *e, log = effort > 0 ? 64 - (uint64_t)__builtin_clzll((uint64_t)effort) : 1;

	log = log >> EFFORT_BITS ? (1 << EFFORT_BITS) - 1 : log;
	lock(c, set);
	e = find(c, set, key);
	/* another thread may have known more */
	if (!e || (!(word_of(c, e) & 1) && (exact || ((int64_t)(word_of(c, e) >> 1) & MOST_COST) <= cost))) {
		e = e ? e : choose(c, set);
		is_new = !word_of(c, e);
		memcpy(e, key, (size_t)c->n_words * sizeof(*e));
		__atomic_store_n(e + c->n_words,
			(c->shared && e == set ? LOCKED : 0) | log << (1 + COST_BITS) | (uint64_t)cost << 1 | exact,
			__ATOMIC_RELAXED);
	}
	unlock(c, set);
	return is_new;
}

void gpube__andor_cache_count(struct gpube_andor_cache *c, int64_t n_new)
{
	atomic_fetch_add_explicit(&c->n_kept, n_new, memory_order_relaxed);
}

bool gpube__andor_is_busy(const struct gpube_andor_cache *c, uint64_t hash)
{
	return atomic_load_explicit(&c->busy[hash % BUSY], memory_order_relaxed) != 0;
}

void gpube__andor_busy(struct gpube_andor_cache *c, uint64_t hash, int more)
{
	atomic_fetch_add_explicit(&c->busy[hash % BUSY], (uint8_t)more, memory_order_relaxed);
}

bool gpube__andor_cache_is_full(const struct gpube_andor_cache *c)
{
	return c->n_sets < c->most_sets &&
	       (double)atomic_load_explicit(&c->n_kept, memory_order_relaxed) > FULL * WAYS * (double)c->n_sets;
}

/* What a smaller table had goes to its place in the larger one. */
struct moving {
	struct gpube_andor_cache *to;
	uint64_t *from;
	int64_t n_entries;
};

enum { MOVED_AT_ONCE = 1 << 14 };

static void move_some(void *arg, int64_t item, int thread)
{
	const struct moving *m = arg;
	const int64_t first = item * MOVED_AT_ONCE, left = m->n_entries - first;
	int64_t n_new = 0;

	(void)thread;
	for (int64_t k = first; k < first + (left < MOVED_AT_ONCE ? left : MOVED_AT_ONCE); k++) {
		const uint64_t *e = m->from + k * (m->to->n_words + 1), word = e[m->to->n_words];

		if (word) {
			const struct gpube_andor_known known = {
				.cost = (int64_t)(word >> 1) & MOST_COST, .exact = word & 1};

			n_new += gpube__andor_cache_keep(
				m->to, e, gpube__andor_hash(m->to, e), &known, (int64_t)1 << (effort_of(word) - 1));
		}
	}
	gpube__andor_cache_count(m->to, n_new);
}

void gpube__andor_cache_grow(struct gpube_andor_cache *c, struct gpube_ctx *ctx)
{
	const int64_t n_sets = c->n_sets;
	struct moving m = {c, c->entries, n_sets * WAYS};

	c->n_sets = n_sets < c->most_sets / LARGER ? n_sets * LARGER : c->most_sets;
	c->entries = empty_sets(ctx, c->n_sets, set_bytes(c));
	if (!c->entries) {
		c->entries = m.from;
		c->n_sets = c->most_sets = n_sets; /* it stays as it is */
		return;
	}
	c->n_kept = 0;
	gpube__parallel(ctx, (m.n_entries + MOVED_AT_ONCE - 1) / MOVED_AT_ONCE, move_some, &m);
	gpube__aligned_free(ctx, m.from);
}

void gpube__andor_cache_settle(struct gpube_andor_cache *c)
{
	c->most_sets = c->n_sets;
}
