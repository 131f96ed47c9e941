/*
 * certificate_search.c - the checker's search: what tables add up to at least, along the
 * certificate's order. See certificate.h.
 *
 * It is written from the format's description, shares nothing with bound/andor and is the simplest
 * that ends soon: one thread, one budget, what is known of a subproblem in one hash table. Whatever
 * is forgotten or cut short, a number that is returned is one that the subproblem's total is not
 * below.
 */
#include <stdlib.h>
#include <string.h>

#include "gpube/bound/certificate/certificate.h"

/* A total from there on is as good as any: sums of two stay in 64 bits. */
#define MUCH     ((int64_t)1 << 62)
#define PATIENCE (1 << 16) /* cells between two looks at the clock */
enum { DEEPEST = 5000 };   /* variables of a path: each takes some 200 bytes of the stack */
enum { FEW = 64 };         /* values that are sorted without a call for each comparison */

/* A variable of a table, or of a context, and what its value is multiplied by there. */
struct place {
	int32_t var;
	int64_t step;
};

struct table {
	const int64_t *values;
	int64_t step; /* of the own variable */
	int64_t at;   /* of places */
	int32_t n;
};

struct choice {
	int64_t cost;
	int32_t value;
};

struct node {
	int32_t table_at, n_tables;
	int32_t child, sibling; /* lists; -1: their end */
	int32_t n_context, n_words;
	int64_t context_at, choice_at;
	int32_t depth;
	bool kept; /* what is known of it is */
};

struct search {
	struct gpube_ctx *ctx;
	const struct gpube_certificate *c;
	struct node *nodes; /* of each variable */
	struct table *tables;
	struct place *places;
	int64_t n_places, places_capacity, places_most;
	struct choice *choices;
	int32_t *rank, *value, *list;
	bool *in;
	int32_t n_list, roots;

	/*
	 * What is known: slots of 'words' numbers for the variable and its context, and the total,
	 * twice it, and 1 where it is exact.
	 */
	uint64_t *slots, *key;
	int64_t n_slots, n_kept; /* slots: 0 or a power of two */
	int32_t words;
	int64_t patience;
	bool stopped;
};

/* ---- the tree ------------------------------------------------------------------------------ */

static int push_place(struct search *s, int32_t var, int64_t step)
{
	if (s->n_places >= s->places_most)
		return gpube__fail(s->ctx, GPUBE_ELIMIT, "the certificate's order is too wide");
	if (gpube__grow(
		    s->ctx, &s->places, &s->places_capacity, s->n_places + 1, sizeof(*s->places)))
		return GPUBE_ENOMEM;
	s->places[s->n_places++] = (struct place){var, step};
	return GPUBE_OK;
}

/* A table is its first variable's; one without variables is in 'constant'. */
static int lay_out(
	struct search *s, const struct gpube_proof_table *t, struct table *out, int32_t *owner)
{
	int64_t step = 1;
	int32_t first = t->scope[0];
	int status = GPUBE_OK;

	for (int k = 1; k < t->arity; k++)
		first = s->rank[t->scope[k]] < s->rank[first] ? t->scope[k] : first;
	*out = (struct table){.values = t->values, .at = s->n_places, .n = t->arity - 1};
	for (int k = t->arity - 1; k >= 0 && !status; step *= s->c->domain[t->scope[k--]])
		if (t->scope[k] == first)
			out->step = step;
		else
			status = push_place(s, t->scope[k], step);
	*owner = first;
	return status;
}

static int share_out(struct search *s, __int128 *constant)
{
	const struct gpube_certificate *c = s->c;
	const uint64_t n = (uint64_t)c->n_tables + 1;
	int32_t *owner = gpube__alloc(s->ctx, n, sizeof(*owner)), at = 0;
	struct table *all = gpube__alloc(s->ctx, n, sizeof(*all));
	int status = owner && all ? GPUBE_OK : GPUBE_ENOMEM;

	for (int32_t t = 0; t < c->n_tables && !status; t++) {
		owner[t] = -1;
		if (c->tables[t].arity == 0) {
			*constant += c->tables[t].values[0];
			continue;
		}
		for (int64_t k = 0; k < c->tables[t].n && !status; k++)
			if (c->tables[t].values[k] < 0)
				status = gpube__fail(s->ctx, GPUBE_EINVAL,
					"table %d of the certificate has a number below 0", t);
		if (!status)
			status = lay_out(s, &c->tables[t], &all[t], &owner[t]);
		if (!status)
			s->nodes[owner[t]].n_tables++;
	}
	for (int32_t i = 0; i < c->n_vars && !status; i++) {
		s->nodes[i].table_at = at;
		at += s->nodes[i].n_tables;
		s->nodes[i].n_tables = 0;
	}
	for (int32_t t = 0; t < c->n_tables && !status; t++)
		if (owner[t] >= 0)
			s->tables[s->nodes[owner[t]].table_at + s->nodes[owner[t]].n_tables++] =
				all[t];
	gpube__free(s->ctx, owner);
	gpube__free(s->ctx, all);
	return status;
}

static void gather(struct search *s, int32_t var)
{
	if (!s->in[var])
		s->list[s->n_list++] = var;
	s->in[var] = true;
}

/*
 * The later variables that its tables and its children's contexts have: its context, whose first
 * one becomes its parent.
 */
static int find_context(struct search *s, int32_t var)
{
	struct node *node = &s->nodes[var];
	int32_t parent = -1, *head;
	__int128 room = 1;
	int status = GPUBE_OK;

	s->n_list = 0;
	s->in[var] = true;
	for (int32_t t = node->table_at; t < node->table_at + node->n_tables; t++)
		for (int32_t k = 0; k < s->tables[t].n; k++)
			gather(s, s->places[s->tables[t].at + k].var);
	for (int32_t q = node->child; q >= 0; q = s->nodes[q].sibling)
		for (int32_t k = 0; k < s->nodes[q].n_context; k++)
			gather(s, s->places[s->nodes[q].context_at + k].var);
	s->in[var] = false;
	node->context_at = s->n_places;
	node->n_context = s->n_list;
	node->n_words = 1;
	for (int32_t k = 0; k < s->n_list && !status; k++) {
		const int32_t u = s->list[k];

		s->in[u] = false;
		if (parent < 0 || s->rank[u] < s->rank[parent])
			parent = u;
		/* as many to a word as it holds: a step of 0 begins the next */
		if (k == 0 || room * s->c->domain[u] > UINT64_MAX) {
			node->n_words++;
			room = 1;
			status = push_place(s, u, 0);
		} else {
			status = push_place(s, u, s->c->domain[u]);
		}
		room *= s->c->domain[u];
	}
	head = parent < 0 ? &s->roots : &s->nodes[parent].child;
	node->sibling = *head;
	*head = var;
	return status;
}

static int make_tree(struct search *s)
{
	const struct gpube_certificate *c = s->c;
	int64_t n_values = 0;
	int status = GPUBE_OK;

	s->words = 1;
	s->roots = -1;
	for (int32_t i = 0; i < c->n_vars; i++) {
		s->nodes[i].child = -1;
		s->nodes[i].choice_at = n_values;
		n_values += c->domain[i];
	}
	s->choices = gpube__alloc(s->ctx, (uint64_t)n_values + 1, sizeof(*s->choices));
	if (!s->choices)
		return GPUBE_ENOMEM;
	for (int32_t p = 0; p < c->n_vars && !status; p++)
		status = find_context(s, c->order[p]);
	for (int32_t p = c->n_vars - 1; p >= 0 && !status; p--) {
		struct node *node = &s->nodes[c->order[p]];

		for (int32_t q = node->child; q >= 0; q = s->nodes[q].sibling) {
			s->nodes[q].depth = node->depth + 1;
			/*
			 * it comes up again with the same context, unless that has all that its
			 * parent's has
			 */
			s->nodes[q].kept =
				s->nodes[q].child >= 0 && s->nodes[q].n_context <= node->n_context;
			if (s->nodes[q].kept && s->nodes[q].n_words > s->words)
				s->words = s->nodes[q].n_words;
		}
		if (node->depth >= DEEPEST)
			status = gpube__fail(s->ctx, GPUBE_ELIMIT,
				"the certificate's order makes too long a path");
	}
	s->key = gpube__alloc_zero(s->ctx, (uint64_t)s->words + 1, sizeof(*s->key));
	return status ? status : s->key ? GPUBE_OK : GPUBE_ENOMEM;
}

/* ---- what is known ------------------------------------------------------------------------- */

static void make_key(struct search *s, int32_t var)
{
	const struct node *node = &s->nodes[var];
	int32_t word = 0;

	memset(s->key, 0, (size_t)s->words * sizeof(*s->key));
	s->key[0] = (uint64_t)var + 1; /* 0: an empty slot */
	for (int32_t k = 0; k < node->n_context; k++) {
		const struct place *p = &s->places[node->context_at + k];

		word += p->step == 0;
		s->key[word] = s->key[word] * (uint64_t)p->step + (uint64_t)s->value[p->var];
	}
}

/* The slot of a key, or the empty one that it would take. */
static uint64_t *slot_of(const struct search *s, const uint64_t *key)
{
	const int32_t stride = s->words + 1;
	uint64_t hash = 0;

	for (int32_t k = 0; k < s->words; k++) {
		hash = (hash ^ key[k]) * 0x9e3779b97f4a7c15u;
		hash ^= hash >> 29;
	}
	for (uint64_t at = hash;; at++) {
		uint64_t *slot = s->slots + (at & (uint64_t)(s->n_slots - 1)) * (uint64_t)stride;

		if (!slot[0] || !memcmp(slot, key, (size_t)s->words * sizeof(*key)))
			return slot;
	}
}

/* Twice as many slots, as long as they are a fourth of the memory; without them less is kept. */
static void enlarge(struct search *s)
{
	const uint64_t *old = s->slots;
	const int64_t n = s->n_slots, stride = s->words + 1;

	if ((double)n * 2 * (double)stride * sizeof(*old) > (double)s->ctx->memory_bytes / 4)
		return;
	s->slots = gpube__alloc_zero(
		s->ctx, (uint64_t)(n ? 2 * n : 1024) * (uint64_t)stride, sizeof(*s->slots));
	if (!s->slots) {
		s->slots = (uint64_t *)old;
		return;
	}
	s->n_slots = n ? 2 * n : 1024;
	for (int64_t k = 0; k < n; k++)
		if (old[k * stride])
			memcpy(slot_of(s, old + k * stride), old + k * stride,
				(size_t)stride * sizeof(*old));
	gpube__free(s->ctx, (uint64_t *)old);
}

static void keep(struct search *s, int32_t var, int64_t cost, bool exact)
{
	uint64_t *slot;

	if (2 * s->n_kept >= s->n_slots)
		enlarge(s);
	if (4 * (s->n_kept + 1) > 3 * s->n_slots)
		return;
	make_key(s, var);
	slot = slot_of(s, s->key);
	s->n_kept += !slot[0];
	memcpy(slot, s->key, (size_t)s->words * sizeof(*slot));
	slot[s->words] = (uint64_t)cost << 1 | exact;
}

/* ---- the search ---------------------------------------------------------------------------- */

static int64_t plus(int64_t a, int64_t b)
{
	return a < MUCH && b < MUCH && a + b < MUCH ? a + b : MUCH;
}

static int cheaper_first(const void *x, const void *y)
{
	const struct choice *a = x, *b = y;

	if (a->cost != b->cost)
		return a->cost < b->cost ? -1 : 1;
	return a->value < b->value ? -1 : 1;
}

/* Few are inserted one by one, in the order of their values so far. */
static void sort_choices(struct choice *row, int32_t n)
{
	if (n > FEW) {
		qsort(row, (size_t)n, sizeof(*row), cheaper_first);
		return;
	}
	for (int32_t a = 1; a < n; a++) {
		const struct choice c = row[a];
		int32_t k = a;

		for (; k > 0 && row[k - 1].cost > c.cost; k--)
			row[k] = row[k - 1];
		row[k] = c;
	}
}

/* Its values, cheapest first, with what its tables cost. */
static void list_choices(struct search *s, int32_t var)
{
	const struct node *node = &s->nodes[var];
	const int32_t domain = s->c->domain[var];
	struct choice *row = s->choices + node->choice_at;

	for (int32_t a = 0; a < domain; a++)
		row[a] = (struct choice){0, a};
	for (int32_t t = node->table_at; t < node->table_at + node->n_tables; t++) {
		const int64_t *cell = s->tables[t].values;

		for (int32_t k = 0; k < s->tables[t].n; k++)
			cell += s->value[s->places[s->tables[t].at + k].var] *
				s->places[s->tables[t].at + k].step;
		for (int32_t a = 0; a < domain; a++)
			row[a].cost = plus(row[a].cost, cell[a * s->tables[t].step]);
	}
	sort_choices(row, domain);
	s->patience -= (int64_t)domain * (1 + node->n_tables) + node->n_context;
	if (s->patience <= 0) {
		s->patience = PATIENCE;
		s->stopped = s->stopped || gpube__stopped(s->ctx);
	}
}

static int64_t least_of(struct search *s, int32_t var, int64_t need);

/*
 * The least total of a list of subproblems and 'cost', or a number that it is not below, 'need' or
 * more.
 */
static int64_t sum_of(struct search *s, int32_t first, int64_t cost, int64_t need)
{
	for (int32_t q = first; q >= 0 && cost < need && !s->stopped; q = s->nodes[q].sibling)
		cost = plus(cost, least_of(s, q, need - cost));
	return cost;
}

/*
 * The least total of var and all below it where its context has its values; or a number that it is
 * not below, 'need' or more.
 */
static int64_t least_of(struct search *s, int32_t var, int64_t need)
{
	const struct node *node = &s->nodes[var];
	const struct choice *row = s->choices + node->choice_at;
	int64_t least = MUCH;

	if (node->kept && s->n_slots) {
		const uint64_t *slot;

		make_key(s, var);
		slot = slot_of(s, s->key);
		if (slot[0] && ((slot[s->words] & 1) || (int64_t)(slot[s->words] >> 1) >= need))
			return (int64_t)(slot[s->words] >> 1);
	}
	list_choices(s, var);
	for (int32_t a = 0; a < s->c->domain[var] && !s->stopped; a++) {
		const int64_t most = least < need ? least : need;
		int64_t total = row[a].cost;

		if (total < most) {
			s->value[var] = row[a].value;
			total = sum_of(s, node->child, total, most);
		}
		least = total < least ? total : least;
		if (row[a].cost >= most)
			break; /* so do the others */
	}
	if (node->kept && !s->stopped)
		keep(s, var, least, least < need);
	return least;
}

static int prepare(struct search *s, __int128 *constant)
{
	const struct gpube_certificate *c = s->c;
	const uint64_t n = (uint64_t)c->n_vars + 1;
	int status;

	s->nodes = gpube__alloc_zero(s->ctx, n, sizeof(*s->nodes));
	s->tables = gpube__alloc(s->ctx, (uint64_t)c->n_tables + 1, sizeof(*s->tables));
	s->rank = gpube__alloc(s->ctx, 3 * n, sizeof(*s->rank));
	s->in = gpube__alloc_zero(s->ctx, n, sizeof(*s->in));
	if (!s->nodes || !s->tables || !s->rank || !s->in)
		return GPUBE_ENOMEM;
	s->value = s->rank + n;
	s->list = s->value + n;
	for (int32_t p = 0; p < c->n_vars; p++) {
		if (s->in[c->order[p]])
			return gpube__fail(s->ctx, GPUBE_EINVAL,
				"variable %d is twice in the certificate's order", c->order[p]);
		s->in[c->order[p]] = true;
		s->rank[c->order[p]] = p;
	}
	memset(s->in, false, (size_t)n);
	status = share_out(s, constant);
	return status ? status : make_tree(s);
}

int gpube__certificate_search(__int128 *least, const struct gpube_certificate *c, __int128 need)
{
	struct search s = {.ctx = c->ctx,
		.c = c,
		.places_most = (int64_t)(c->ctx->memory_bytes / 8 / sizeof(struct place))};
	__int128 constant = 0;
	int64_t total = 0;
	int status = prepare(&s, &constant);

	*least = constant;
	need -= constant;
	if (!status && need >= MUCH)
		status = gpube__fail(c->ctx, GPUBE_ERANGE,
			"a search of the certificate's tables would pass 62 bits");
	if (!status && need > 0)
		total = sum_of(&s, s.roots, 0, (int64_t)need);
	if (!status && s.stopped)
		status = gpube__fail_stopped(c->ctx);
	*least += total;
	gpube__log(c->ctx, GPUBE_LOG_DETAIL, "certificate: %lld subproblems are kept",
		(long long)s.n_kept);
	gpube__free(c->ctx, s.nodes);
	gpube__free(c->ctx, s.tables);
	gpube__free(c->ctx, s.places);
	gpube__free(c->ctx, s.choices);
	gpube__free(c->ctx, s.rank);
	gpube__free(c->ctx, s.in);
	gpube__free(c->ctx, s.slots);
	gpube__free(c->ctx, s.key);
	return status;
}
