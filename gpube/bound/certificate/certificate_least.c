/*
 * certificate_least.c - the checker's second half: a lower bound of the sum of a certificate's
 * tables, by a search that minimises each block along the certificate's order. See certificate.h.
 *
 * No block is below the sum of its tables' least cells; the search looks above that as deep as the
 * claim needs. It is written from the format's description, shares no code with bound/andor and is
 * the simplest that is fast enough: one thread, one budget, results of subproblems in one hash
 * table. Whatever is forgotten or stopped early, a number that it returns is a lower bound of the
 * subproblem.
 */
#include <stdlib.h>
#include <string.h>

#include "gpube/base/mask_index.h"
#include "gpube/bound/certificate/certificate.h"

/* A total from there on is as good as any: sums of two stay in 64 bits. */
#define MUCH     ((int64_t)1 << 62)
#define PATIENCE (1 << 16) /* cells between two looks at the clock */
enum { DEEPEST = 5000 };   /* variables of a path: each takes some 200 bytes of the stack */
enum { FEW = 64 };         /* values that are sorted without a call for each comparison */
enum { KEPT_PART = 8 };    /* of the memory: what is known, which takes twice that as it grows */

/* A variable of a table, or of a context, and what its value is multiplied by there. */
struct place {
	int32_t var;
	int64_t step;
};

struct table {
	const int64_t *values;
	int64_t least;   /* cells count above it */
	int64_t step;    /* of the own variable */
	int64_t at;      /* of places */
	int32_t n, next; /* of the same variable; -1: its last */
};

struct choice {
	int64_t cost;
	int32_t value;
};

struct node {
	int32_t table, n_tables; /* lists; -1: their end */
	int32_t child, sibling;
	int32_t n_context, n_words;
	int64_t context_at, choice_at;
	int32_t domain, depth;
	bool kept; /* what is known of it is */
};

/* One block: its variables are numbers from 0 on, in the order. */
struct search {
	struct gpube_ctx *ctx;
	const struct gpube_certificate *c;
	const int64_t *least; /* of each table */
	const int32_t *rank;  /* of the given variables in the order, and in the block: */
	int32_t *number, n;
	struct node *nodes; /* of each variable */
	struct table *tables;
	int32_t n_tables;
	struct place *places;
	int64_t n_places, places_capacity, places_most;
	struct choice *choices;
	int32_t *value, *list;
	bool *in;
	int32_t n_list, roots;

	/* What is known: 'words' numbers for the variable and its context are a mask. */
	struct gpube__mask_set kept;
	uint64_t *known; /* of each mask: the total, twice it, and 1 where it is exact */
	int64_t known_capacity, most_kept;
	uint64_t *key;
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

/* The variables of a block, in the order; each gets its number. */
static int number_variables(struct search *s, int32_t block, int32_t *var)
{
	const struct gpube_certificate *c = s->c;
	int status;

	for (int32_t t = c->first[block]; t < c->first[block + 1]; t++)
		for (int k = 0; k < c->tables[t].arity; k++) {
			const int32_t v = c->tables[t].scope[k];

			if (!s->in[v])
				var[s->n++] = s->rank[v];
			s->in[v] = true;
		}
	status = gpube__sort(s->ctx, var, (uint64_t)s->n, sizeof(*var), gpube__compare_int32);
	for (int32_t k = 0; k < s->n; k++) {
		const int32_t v = c->order ? c->order[var[k]] : var[k];

		s->in[v] = false;
		s->number[v] = k;
		var[k] = v;
	}
	return status;
}

/* A table is its first variable's. */
static int lay_out(struct search *s, int32_t t)
{
	const struct gpube_proof_table *of = &s->c->tables[t];
	struct table *out = &s->tables[s->n_tables];
	int64_t step = 1;
	int32_t owner = s->n;
	int status = GPUBE_OK;

	if (!of->arity)
		return GPUBE_OK;
	*out = (struct table){
		.values = of->values, .least = s->least[t], .at = s->n_places, .n = of->arity - 1};
	for (int k = 0; k < of->arity; k++)
		owner = s->number[of->scope[k]] < owner ? s->number[of->scope[k]] : owner;
	for (int k = of->arity - 1; k >= 0 && !status; step *= s->c->domain[of->scope[k--]])
		if (s->number[of->scope[k]] == owner)
			out->step = step;
		else
			status = push_place(s, s->number[of->scope[k]], step);
	out->next = s->nodes[owner].table;
	s->nodes[owner].table = s->n_tables++;
	s->nodes[owner].n_tables++;
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
	for (int32_t t = node->table; t >= 0; t = s->tables[t].next)
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
		const int32_t u = s->list[k], domain = s->nodes[u].domain;

		s->in[u] = false;
		parent = parent < 0 || u < parent ? u : parent;
		/* as many to a word as it holds: a step of 0 begins the next */
		if (k == 0 || room * domain > UINT64_MAX) {
			node->n_words++;
			room = 1;
			status = push_place(s, u, 0);
		} else {
			status = push_place(s, u, domain);
		}
		room *= domain;
	}
	head = parent < 0 ? &s->roots : &s->nodes[parent].child;
	node->sibling = *head;
	*head = var;
	return status;
}

static int make_tree(struct search *s)
{
	int status = GPUBE_OK;

	s->words = 1;
	s->roots = -1;
	for (int32_t i = 0; i < s->n && !status; i++)
		status = find_context(s, i);
	for (int32_t i = s->n - 1; i >= 0 && !status; i--) {
		struct node *node = &s->nodes[i];

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
	s->kept.words = s->words;
	s->most_kept =
		(int64_t)(s->ctx->memory_bytes / KEPT_PART / sizeof(*s->key)) / (s->words + 1);
	s->key = gpube__alloc_zero(s->ctx, (uint64_t)s->words + 1, sizeof(*s->key));
	return status ? status : s->key ? GPUBE_OK : GPUBE_ENOMEM;
}

/* ---- what is known ------------------------------------------------------------------------- */

static void make_key(struct search *s, int32_t var)
{
	const struct node *node = &s->nodes[var];
	int32_t word = 0;

	memset(s->key, 0, (size_t)s->words * sizeof(*s->key));
	s->key[0] = (uint64_t)var;
	for (int32_t k = 0; k < node->n_context; k++) {
		const struct place *p = &s->places[node->context_at + k];

		word += p->step == 0;
		s->key[word] = s->key[word] * (uint64_t)p->step + (uint64_t)s->value[p->var];
	}
}

/* The number of what is known of var where its context has its values; -1: nothing is. */
static int64_t find_known(struct search *s, int32_t var)
{
	make_key(s, var);
	return gpube__masks_find(&s->kept.index, s->kept.masks, s->words, s->key);
}

/* Where there is no room less is kept. */
static void keep(struct search *s, int32_t var, int64_t cost, bool exact)
{
	int64_t at = find_known(s, var);

	if (at < 0) {
		at = s->kept.n;
		if (at >= s->most_kept ||
			gpube__grow(
				s->ctx, &s->known, &s->known_capacity, at + 1, sizeof(*s->known)) ||
			gpube__mask_set_add(&s->kept, s->ctx, s->key, NULL))
			return;
	}
	s->known[at] = (uint64_t)cost << 1 | exact;
}

/* ---- the search ---------------------------------------------------------------------------- */

static int64_t plus(int64_t a, int64_t b)
{
	return a < MUCH && b < MUCH && a + b < MUCH ? a + b : MUCH;
}

/* What a cell is above the least one of its table: below 2^64. */
static int64_t above(int64_t cell, int64_t least)
{
	const uint64_t by = (uint64_t)cell - (uint64_t)least;

	return by < MUCH ? (int64_t)by : MUCH;
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
	const int32_t domain = node->domain;
	struct choice *row = s->choices + node->choice_at;

	for (int32_t a = 0; a < domain; a++)
		row[a] = (struct choice){0, a};
	for (int32_t t = node->table; t >= 0; t = s->tables[t].next) {
		const int64_t *cell = s->tables[t].values;

		for (int32_t k = 0; k < s->tables[t].n; k++)
			cell += s->value[s->places[s->tables[t].at + k].var] *
				s->places[s->tables[t].at + k].step;
		for (int32_t a = 0; a < domain; a++)
			row[a].cost = plus(row[a].cost,
				above(cell[a * s->tables[t].step], s->tables[t].least));
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

	if (node->kept) {
		const int64_t at = find_known(s, var);

		if (at >= 0 && ((s->known[at] & 1) || (int64_t)(s->known[at] >> 1) >= need))
			return (int64_t)(s->known[at] >> 1);
	}
	list_choices(s, var);
	for (int32_t a = 0; a < node->domain && !s->stopped; a++) {
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

static int prepare(struct search *s, int32_t block)
{
	const struct gpube_certificate *c = s->c;
	const int32_t n_tables = c->first[block + 1] - c->first[block];
	int32_t *var = gpube__alloc(s->ctx, (uint64_t)c->n_vars + 1, sizeof(*var));
	int status = var ? number_variables(s, block, var) : GPUBE_ENOMEM;
	int64_t n_values = 0;

	s->nodes = gpube__alloc(s->ctx, (uint64_t)s->n + 1, sizeof(*s->nodes));
	s->tables = gpube__alloc(s->ctx, (uint64_t)n_tables + 1, sizeof(*s->tables));
	s->value = gpube__alloc(s->ctx, 2 * (uint64_t)s->n + 1, sizeof(*s->value));
	for (int32_t i = 0; i < s->n && s->nodes && !status; i++) {
		s->nodes[i] = (struct node){.domain = c->domain[var[i]],
			.table = -1,
			.child = -1,
			.choice_at = n_values};
		n_values += s->nodes[i].domain;
	}
	s->choices = gpube__alloc(s->ctx, (uint64_t)n_values + 1, sizeof(*s->choices));
	gpube__free(s->ctx, var);
	if (!s->nodes || !s->tables || !s->value || !s->choices)
		return GPUBE_ENOMEM;
	s->list = s->value + s->n;
	for (int32_t t = c->first[block]; t < c->first[block + 1] && !status; t++)
		status = lay_out(s, t);
	return status ? status : make_tree(s);
}

/* What a block's tables are together at least above their least cells, up to 'need'. */
static int least_of_block(int64_t *least, const struct gpube_certificate *c, int32_t block,
	const int64_t *cells, int32_t *rank, bool *in, int64_t need)
{
	struct search s = {.ctx = c->ctx,
		.c = c,
		.least = cells,
		.rank = rank,
		.number = rank + c->n_vars,
		.in = in,
		.places_most = (int64_t)(c->ctx->memory_bytes / 8 / sizeof(struct place))};
	int status = prepare(&s, block);

	if (!status)
		*least = sum_of(&s, s.roots, 0, need);
	if (!status && s.stopped)
		status = gpube__fail_stopped(c->ctx);
	if (s.kept.n)
		gpube__log(c->ctx, GPUBE_LOG_DETAIL,
			"certificate: block %d, minima of %lld subproblems kept", block,
			(long long)s.kept.n);
	gpube__mask_set_clear(&s.kept, c->ctx);
	GPUBE_FREE_ALL(c->ctx, s.nodes, s.tables, s.places, s.choices, s.value, s.known, s.key);
	return status;
}

/* ---- the call ------------------------------------------------------------------------------ */

static int find_rank(const struct gpube_certificate *c, int32_t *rank, bool *in)
{
	for (int32_t p = 0; p < c->n_vars; p++) {
		const int32_t v = c->order ? c->order[p] : p;

		if (in[v])
			return gpube__fail(c->ctx, GPUBE_EINVAL,
				"variable %d is twice in the certificate's order", v);
		in[v] = true;
		rank[v] = p;
	}
	memset(in, false, (size_t)c->n_vars);
	return GPUBE_OK;
}

/* Of each table; their sum. */
static __int128 add_cells(const struct gpube_certificate *c, int64_t *least)
{
	__int128 sum = 0; /* of at most 2^31 numbers */

	for (int32_t t = 0; t < c->n_tables; t++) {
		least[t] = c->tables[t].values[0];
		for (int64_t k = 1; k < c->tables[t].n; k++)
			least[t] = c->tables[t].values[k] < least[t] ? c->tables[t].values[k]
								     : least[t];
		sum += least[t];
	}
	return sum;
}

int gpube__certificate_least(__int128 *least, const struct gpube_certificate *c, __int128 need)
{
	const uint64_t n = (uint64_t)c->n_vars + 1;
	int64_t *cells = gpube__alloc(c->ctx, (uint64_t)c->n_tables + 1, sizeof(*cells)), above = 0;
	int32_t *rank = gpube__alloc(c->ctx, 2 * n, sizeof(*rank));
	bool *in = gpube__alloc_zero(c->ctx, n, sizeof(*in));
	int status = cells && rank && in ? find_rank(c, rank, in) : GPUBE_ENOMEM;

	*least = status ? 0 : add_cells(c, cells);
	need = need - *least < MUCH ? need - *least : MUCH;
	for (int32_t b = 0; b < c->n_blocks && above < need && !status; b++) {
		int64_t more = 0;

		/* a table is its least cell somewhere */
		if (c->first[b + 1] - c->first[b] < 2)
			continue;
		status = least_of_block(&more, c, b, cells, rank, in, (int64_t)need - above);
		above = plus(above, more);
	}
	*least += above;
	GPUBE_FREE_ALL(c->ctx, cells, rank, in);
	return status;
}
