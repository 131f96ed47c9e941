/* andor_cache.c - the cache of an AND/OR search, by context: see andor.h. */
#include "gpube/bound/andor/andor.h"

#include <string.h>

#include "gpube/ops/scratch.h"

/*
 * Counters of busy subproblems; words of a cache line. A set is one line, or two: its state and as
 * many entries as fit.
 */
enum { BUSY = 1 << 14, LINE = 8 };

/* Sets at first; the cache grows by a factor when that part of it is full. */
enum { FIRST_SETS = 1 << 12, LARGER = 4 };
#define FULL 0.6

/* An entry is its key and a last word with effort, cost and the exact flag; 0: it is empty. */
enum { COST_BITS = 57, EFFORT_BITS = 5 };
#define MOST_COST (((int64_t)1 << COST_BITS) - 1)

/*
 * The state of a set is twice the number of its changes, plus one during a change. A reader writes
 * nothing, and reads again if the state has changed: most threads look for what others look for,
 * and a lock would take the line from them each time.
 */
struct gpube_andor_cache {
	int n_words, ways, stride; /* words from set to set */
	bool shared;
	int64_t n_sets, most_sets;
	_Atomic int64_t n_kept; /* entries that are not empty */
	uint64_t *sets;
	_Atomic uint8_t *busy;
};

struct emptying {
	char *from;
	uint64_t bytes;
};

/* Bytes that a thread clears at a time: one thread takes a second for a table of gigabytes. */
enum { CHUNK = 1 << 22 };

static void empty_chunk(void *arg, int64_t item, int thread)
{
	const struct emptying *e = arg;
	const uint64_t from = (uint64_t)item * CHUNK, left = e->bytes - from;

	(void)thread;
	memset(e->from + from, 0, left < CHUNK ? left : CHUNK);
}

/* In large pages: accesses are random, and each would miss the page table as well. */
static uint64_t *empty_sets(struct gpube_ctx *ctx, int64_t n_sets, uint64_t bytes)
{
	struct emptying e = {NULL, (uint64_t)n_sets * bytes};

	e.from = gpube__aligned_alloc(ctx, e.bytes);
	if (e.from)
		gpube__parallel(ctx, (int64_t)((e.bytes + CHUNK - 1) / CHUNK), empty_chunk, &e);
	return (uint64_t *)(void *)e.from;
}

static uint64_t set_bytes(const struct gpube_andor_cache *c)
{
	return (uint64_t)c->stride * sizeof(*c->sets);
}

int gpube__andor_cache_new(struct gpube_andor_cache **out, struct gpube_ctx *ctx, int n_words,
	double bytes, bool shared)
{
	struct gpube_andor_cache *c = gpube__alloc_zero(ctx, 1, sizeof(*c));

	*out = c;
	if (!c)
		return GPUBE_ENOMEM;
	c->n_words = n_words;
	c->stride = n_words > 1 ? 2 * LINE : LINE;
	c->ways = (c->stride - 1) / (n_words + 1);
	c->shared = shared;
	c->n_sets = FIRST_SETS;
	c->most_sets = (int64_t)(bytes / (double)set_bytes(c));
	c->most_sets = c->most_sets < FIRST_SETS ? FIRST_SETS : c->most_sets;
	c->sets = empty_sets(ctx, c->n_sets, set_bytes(c));
	c->busy = gpube__alloc_zero(ctx, BUSY, sizeof(*c->busy));
	return c->sets && c->busy ? GPUBE_OK : GPUBE_ENOMEM;
}

void gpube__andor_cache_free(struct gpube_ctx *ctx, struct gpube_andor_cache *c)
{
	if (!c)
		return;
	gpube__aligned_free(ctx, c->sets);
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

	return c->sets + set * (uint64_t)c->stride;
}

static uint64_t get(const uint64_t *word)
{
	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

static void put(uint64_t *word, uint64_t value)
{
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
}

/* Locks a set for a change. */
static void lock(const struct gpube_andor_cache *c, uint64_t *set)
{
	while (c->shared && (__atomic_fetch_or(set, 1, __ATOMIC_ACQ_REL) & 1))
		while (get(set) & 1)
			;
}

static void unlock(const struct gpube_andor_cache *c, uint64_t *set)
{
	if (c->shared)
		put(set, get(set) + 1);
}

/* The first entry of a set; the fields of an entry. */
static uint64_t *entries_of(uint64_t *set)
{
	return set + 1;
}

static uint64_t word_of(const struct gpube_andor_cache *c, const uint64_t *entry)
{
	return get(entry + c->n_words);
}

static int effort_of(uint64_t word)
{
	return (int)(word >> (1 + COST_BITS));
}

static struct gpube_andor_known known_of(uint64_t word)
{
	return (struct gpube_andor_known){
		.cost = (int64_t)(word >> 1) & MOST_COST, .exact = word & 1};
}

/* The entry of a subproblem in a set; NULL: there is none. */
static uint64_t *find(const struct gpube_andor_cache *c, uint64_t *set, const uint64_t *key)
{
	uint64_t *e = entries_of(set);

	for (int k = 0; k < c->ways; k++, e += c->n_words + 1) {
		int w = 0;

		while (w < c->n_words && get(e + w) == key[w])
			w++;
		if (w == c->n_words && word_of(c, e))
			return e;
	}
	return NULL;
}

bool gpube__andor_cache_find(struct gpube_andor_cache *c, const uint64_t *key, uint64_t hash,
	struct gpube_andor_known *known)
{
	uint64_t *set = set_of(c, hash), before, word;

	do {
		const uint64_t *e;

		before = get(set);
		e = find(c, set, key);
		word = e ? word_of(c, e) : 0;
	} while (c->shared && (before & 1 || get(set) != before));
	if (!word)
		return false;
	*known = known_of(word);
	return true;
}

/* An empty entry of a set, or the one that took least effort. */
static uint64_t *choose(const struct gpube_andor_cache *c, uint64_t *set)
{
	uint64_t *e = entries_of(set), *best = e;

	for (int k = 0; k < c->ways && word_of(c, best); k++, e += c->n_words + 1)
		if (!word_of(c, e) || effort_of(word_of(c, e)) < effort_of(word_of(c, best)))
			best = e;
	return best;
}

bool gpube__andor_cache_keep(struct gpube_andor_cache *c, const uint64_t *key, uint64_t hash,
	const struct gpube_andor_known *known, int64_t effort)
{
	const bool fits = known->cost <= MOST_COST, exact = known->exact && fits;
	const int64_t cost = fits ? known->cost : MOST_COST;
	bool is_new = false;
	uint64_t *set = set_of(c, hash), *e,
		 log = effort > 0 ? 64 - (uint64_t)__builtin_clzll((uint64_t)effort) : 1;

	log = log >> EFFORT_BITS ? (1 << EFFORT_BITS) - 1 : log;
	lock(c, set);
	e = find(c, set, key);
	/* another thread may have found more */
	if (!e || (!known_of(word_of(c, e)).exact &&
			  (exact || known_of(word_of(c, e)).cost <= cost))) {
		e = e ? e : choose(c, set);
		is_new = !word_of(c, e);
		for (int w = 0; w < c->n_words; w++)
			put(e + w, key[w]);
		put(e + c->n_words, log << (1 + COST_BITS) | (uint64_t)cost << 1 | exact);
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
	       (double)atomic_load_explicit(&c->n_kept, memory_order_relaxed) >
		       FULL * c->ways * (double)c->n_sets;
}

/* Moves the entries of so many sets of a smaller table to a larger one. */
struct moving {
	struct gpube_andor_cache *to;
	uint64_t *from;
	int64_t n_sets;
};

enum { MOVED_AT_ONCE = 1 << 12 };

static void move_some(void *arg, int64_t item, int thread)
{
	const struct moving *m = arg;
	const int64_t first = item * MOVED_AT_ONCE, left = m->n_sets - first;
	struct gpube_andor_cache *c = m->to;
	int64_t n_new = 0;

	(void)thread;
	for (int64_t s = first; s < first + (left < MOVED_AT_ONCE ? left : MOVED_AT_ONCE); s++) {
		const uint64_t *e = entries_of(m->from + s * c->stride);

		for (int k = 0; k < c->ways; k++, e += c->n_words + 1) {
			const uint64_t word = word_of(c, e);
			const struct gpube_andor_known known = known_of(word);

			if (word)
				n_new += gpube__andor_cache_keep(c, e, gpube__andor_hash(c, e),
					&known, (int64_t)1 << (effort_of(word) - 1));
		}
	}
	gpube__andor_cache_count(c, n_new);
}

void gpube__andor_cache_grow(struct gpube_andor_cache *c, struct gpube_ctx *ctx)
{
	struct moving m = {c, c->sets, c->n_sets};

	c->n_sets = m.n_sets < c->most_sets / LARGER ? m.n_sets * LARGER : c->most_sets;
	c->sets = empty_sets(ctx, c->n_sets, set_bytes(c));
	if (!c->sets) {
		c->sets = m.from;
		c->n_sets = c->most_sets = m.n_sets; /* it stays as it is */
		return;
	}
	c->n_kept = 0;
	/* of sets that nobody shares each thread would need its own */
	if (c->shared)
		gpube__parallel(ctx, (m.n_sets + MOVED_AT_ONCE - 1) / MOVED_AT_ONCE, move_some, &m);
	else
		for (int64_t item = 0; item * MOVED_AT_ONCE < m.n_sets; item++)
			move_some(&m, item, 0);
	gpube__aligned_free(ctx, m.from);
}

void gpube__andor_cache_room(struct gpube_andor_cache *c, struct gpube_ctx *ctx, int64_t n)
{
	n += c->n_kept;
	while (c->n_sets < c->most_sets && (double)n > FULL * c->ways * (double)c->n_sets)
		gpube__andor_cache_grow(c, ctx);
}

/* The least logarithm of effort of the 'most' that took longest; *n: of them, how many have it */
static int least_effort(const struct gpube_andor_cache *c, int64_t most, int64_t *n)
{
	int64_t of[1 << EFFORT_BITS] = {0};
	int effort = 1 << EFFORT_BITS;

	for (int64_t s = 0; s < c->n_sets; s++) {
		const uint64_t *e = entries_of(c->sets + s * c->stride);

		for (int k = 0; k < c->ways; k++, e += c->n_words + 1)
			of[effort_of(word_of(c, e))]++; /* 0: of those that are empty */
	}
	for (*n = 0; effort > 1 && most > 0; most -= *n) {
		*n = of[--effort];
		*n = *n < most ? *n : most;
	}
	return effort;
}

void gpube__andor_cache_tell(const struct gpube_andor_cache *c, int64_t most,
	void (*tell)(void *arg, const uint64_t *key, const struct gpube_andor_known *known,
		int64_t effort),
	void *arg)
{
	int64_t n;
	const int least = least_effort(c, most, &n);

	for (int64_t s = 0; s < c->n_sets; s++) {
		const uint64_t *e = entries_of(c->sets + s * c->stride);

		for (int k = 0; k < c->ways; k++, e += c->n_words + 1) {
			const uint64_t word = word_of(c, e);
			const struct gpube_andor_known known = known_of(word);

			if (effort_of(word) > least || (effort_of(word) == least && n-- > 0))
				tell(arg, e, &known, (int64_t)1 << (effort_of(word) - 1));
		}
	}
}

void gpube__andor_cache_settle(struct gpube_andor_cache *c)
{
	c->most_sets = c->n_sets;
}
