/*
 * andor_bytes.c - the tables of an AND/OR search as numbers, and a search of them; and what it has
 * cached: see andor.h.
 */
#include <string.h>

#include "gpube/base/bytes.h"
#include "gpube/bound/andor/andor_parts.h"
#include "gpube/ir/model_bytes.h"

void gpube__put_andor(struct gpube__bytes *to, const struct gpube_andor *a)
{
	gpube__put_model(to, a->m);
	gpube__put_joingraph(to, a->g);
}

static int get(struct gpube_andor **out, double bytes, struct gpube__bytes *from,
	struct gpube_joingraph *g, struct gpube_model **m)
{
	int status = gpube__get_model(m, from);

	if (!status)
		status = gpube__get_joingraph(g, from, *m, (double)GPUBE__ANDOR_MOST_CELLS);
	if (!status && from->next != from->n)
		status = gpube__damaged(from, "something follows its end");
	if (!status)
		status = gpube__andor_new(out, g, *m, bytes);
	return status || *out ? status
			      : gpube__fail(from->ctx, GPUBE_ELIMIT,
					"its tables are too large for an AND/OR search");
}

int gpube__get_andor(struct gpube_andor **out, double bytes, struct gpube__bytes *from)
{
	struct gpube_joingraph *g = gpube__alloc_zero(from->ctx, 1, sizeof(*g));
	struct gpube_model *m = NULL;
	int status;

	*out = NULL;
	if (!g)
		return GPUBE_ENOMEM;
	g->ctx = from->ctx;
	status = get(out, bytes, from, g, &m);
	if (!status) {
		(*out)->own = g;
		(*out)->own_m = m;
		return GPUBE_OK;
	}
	gpube__joingraph_clear(g);
	gpube__free(from->ctx, g);
	gpube_model_free(m);
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
