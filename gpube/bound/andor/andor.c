/* andor.c - the walk through an AND/OR tree: see andor.h. */
#include <string.h>

#include "gpube/bound/andor/andor_parts.h"

/*
 * Values of nodes between two checks of the clock; nodes after which other threads put a subproblem
 * off.
 */
enum { PATIENCE = 1 << 14, LONG = 64 };
/* The same for other ranks, as letters take longer; least nodes of a result that they are told. */
enum { FAR_LONG = 1 << 10, FAR_RESULT = 1 << 4 };
/* Nodes of a result that is cached wherever it is, for turns that begin at the roots again. */
enum { KEPT_LONG = 1 << 10 };
/* Work: a node, and a value of one. */
enum { NODE_TICKS = 100, VALUE_TICKS = 6 };
/* Orders of threads that are alike on one level differ on another of so many. */
enum { LEVELS = 4 };

static int64_t walk(struct gpube_andor_walker *w, int32_t p, int64_t budget);
static void make_key(const struct gpube_andor_walker *w, int32_t p, uint64_t *key);

/* The remainders of rounding down at p, in the model's units. */
static void add_rests(const struct gpube_andor_walker *w, const struct gpube_andor_node *node,
	struct gpube_andor_choice *row)
{
	const struct gpube_andor *a = w->a;

	for (int32_t v = 0; v < node->domain; v++)
		row[v].cost = row[v].cost >= GPUBE__REGION_FORBIDDEN ? GPUBE__ANDOR_NEVER
								     : row[v].cost << a->up;
	for (int32_t j = node->rest_at; j < node->rest_at + node->n_rests; j++) {
		const struct gpube_andor_rest *t = &a->rests[j];
		const int64_t *cell = t->t;

		for (int32_t i = 0; i < t->n; i++)
			cell += a->stride[t->at + i] * w->value[a->scope[t->at + i]];
		for (int32_t v = 0; v < node->domain; v++)
			row[v].cost += row[v].cost < GPUBE__ANDOR_NEVER ? cell[v * t->slab] : 0;
	}
}

/*
 * The costs of p's tables with each of its values, those below the budget alone, cheapest first.
 * Returns how many there are.
 */
static int32_t list_choices(struct gpube_andor_walker *w, int32_t p, int64_t budget)
{
	const struct gpube_andor *a = w->a;
	const struct gpube_andor_node *node = &a->nodes[p];
	struct gpube_andor_choice *row = w->row + node->values_at;
	int32_t n = 0;

	for (int32_t v = 0; v < node->domain; v++)
		row[v] = (struct gpube_andor_choice){.value = v};
	for (int32_t j = node->table_at; j < node->table_at + node->n_tables; j++) {
		const struct gpube_andor_table *t = &a->tables[j];
		const int32_t *scope = a->scope + t->at, *cell = t->t;
		const int64_t *stride = a->stride + t->at;

		for (int32_t i = 0; i < t->n; i++)
			cell += stride[i] * w->value[scope[i]];
		for (int32_t v = 0; v < node->domain; v++)
			row[v].cost += cell[v * t->slab];
	}
	if (a->up)
		add_rests(w, node, row);
	for (int32_t v = 0; v < node->domain; v++) {
		const struct gpube_andor_choice c = row[v];
		int32_t k = n;

		if (c.cost >= budget)
			continue;
		for (; k > 0 && row[k - 1].cost > c.cost; k--)
			row[k] = row[k - 1];
		row[k] = c;
		n++;
	}
	return n;
}

/* Tells other ranks where w has been for long, and takes what they tell. */
static void exchange(struct gpube_andor_walker *w)
{
	struct gpube_andor *a = w->a;
	uint64_t key[GPUBE__ANDOR_WORDS];

	for (; w->n_far < w->depth && w->path[w->n_far].since + FAR_LONG <= w->n_nodes;
		w->n_far++) {
		struct gpube_andor_place *at = &w->path[w->n_far];

		at->far = a->nodes[at->p].keyed;
		if (!at->far)
			continue;
		make_key(w, at->p, key); /* its context is decided and stays so */
		at->hash = gpube__andor_hash(a->cache, key);
		gpube__andor_far_mark(a, at->p, at->hash, 1);
	}
	w->n_new += gpube__andor_far_take(a);
}

/* Whether a search that began with one walker is to go on with all. */
static bool others_come(const struct gpube_andor *a)
{
	return a->n_at_work < a->n_walkers && !gpube__alone(a->ctx);
}

static void check_clock(struct gpube_andor_walker *w)
{
	struct gpube_andor *a = w->a;

	if (a->far)
		exchange(w);
	atomic_fetch_add_explicit(&a->n_nodes, w->n_nodes - w->told, memory_order_relaxed);
	gpube__work(a->ctx,
		NODE_TICKS * (w->n_nodes - w->told) + VALUE_TICKS * (PATIENCE - w->patience));
	w->told = w->n_nodes;
	gpube__andor_cache_count(a->cache, w->n_new);
	w->n_new = 0;
	w->patience = PATIENCE;
	if (atomic_load_explicit(&a->over, memory_order_relaxed))
		w->over = true;
	else if (gpube__andor_cache_is_full(a->cache))
		a->full = a->over = w->over = true;
	else if (gpube__budget_is_over(&a->turn) || others_come(a) ||
		 (a->far && gpube__andor_far_ended(a)))
		atomic_store(&a->over, w->over = true);
}

static void make_key(const struct gpube_andor_walker *w, int32_t p, uint64_t *key)
{
	const struct gpube_andor_node *node = &w->a->nodes[p];
	const struct gpube_andor_bits *bits = w->a->context + node->context_at;

	memset(key, 0, (size_t)w->a->n_words * sizeof(*key));
	key[0] = (uint64_t)(uint32_t)p;
	for (int32_t i = 0; i < node->n_context; i++)
		key[bits[i].word] |= (uint64_t)(uint32_t)w->value[bits[i].position]
				     << bits[i].shift;
}

/*
 * Tells the other threads where w is, except for what it began just now: most subproblems end
 * before anyone asks, and telling takes as long as a node. Subproblems that are not cached are
 * told, too: near the roots hardly any are cached, since contexts grow there, and threads would do
 * everything twice below them.
 */
static void tell_path(struct gpube_andor_walker *w)
{
	struct gpube_andor *a = w->a;

	w->tell_at = w->n_nodes + LONG;
	for (; w->n_old < w->depth && w->path[w->n_old].since + LONG <= w->n_nodes; w->n_old++) {
		struct gpube_andor_place *at = &w->path[w->n_old];
		uint64_t key[GPUBE__ANDOR_WORDS];

		at->told = a->nodes[at->p].keyed;
		if (!at->told)
			continue;
		make_key(w, at->p, key); /* its context is decided and stays so */
		at->hash = gpube__andor_hash(a->cache, key);
		gpube__andor_busy(a->cache, at->hash, 1);
		atomic_fetch_add_explicit(&a->n_at[at->p], 1, memory_order_relaxed);
	}
}

static void come_to(struct gpube_andor_walker *w, int32_t p)
{
	w->path[w->depth++] = (struct gpube_andor_place){.p = p, .since = w->n_nodes};
	if (w->n_nodes >= w->tell_at && w->a->n_at_work > 1)
		tell_path(w);
}

/* Whether others know of it. */
static bool go_from(struct gpube_andor_walker *w)
{
	const struct gpube_andor_place *at = &w->path[--w->depth];
	const bool told = w->n_old > w->depth && at->told, far = w->n_far > w->depth && at->far;

	w->n_old = w->n_old > w->depth ? w->depth : w->n_old;
	w->n_far = w->n_far > w->depth ? w->depth : w->n_far;
	if (told) {
		gpube__andor_busy(w->a->cache, at->hash, -1);
		atomic_fetch_sub_explicit(&w->a->n_at[at->p], 1, memory_order_relaxed);
	}
	if (far)
		gpube__andor_far_mark(w->a, at->p, at->hash, -1);
	return told || far;
}

/* Whether another thread is at the subproblem of p. */
static bool is_others(const struct gpube_andor_walker *w, int32_t p)
{
	uint64_t key[GPUBE__ANDOR_WORDS];

	if (!atomic_load_explicit(&w->a->n_at[p], memory_order_relaxed))
		return false;
	make_key(w, p, key);
	return gpube__andor_is_busy(w->a->cache, gpube__andor_hash(w->a->cache, key));
}

/* The cached bound of p's subproblem. */
static int64_t least_known(struct gpube_andor_walker *w, int32_t p)
{
	struct gpube_andor_known known;
	uint64_t key[GPUBE__ANDOR_WORDS];

	if (!w->a->nodes[p].kept || w->a->nodes[p].whole)
		return 0;
	make_key(w, p, key);
	return gpube__andor_cache_find(
		       w->a->cache, key, gpube__andor_hash(w->a->cache, key), &known)
		       ? known.cost
		       : 0;
}

/*
 * Which of n choices a thread of that number begins with. Where no assignment costs less than the
 * budget all are visited, and threads in the same order would find each other's subproblems busy
 * or done too late.
 */
static int32_t first_of(int64_t number, int32_t depth, int32_t n)
{
	int64_t left = number, sum = 0;

	if (!left || n < 2)
		return 0;
	for (int32_t k = 0; k <= depth % LEVELS; k++, left /= n)
		sum += left % n;
	return (int32_t)(sum % n);
}

static int32_t turned(int32_t k, int32_t first, int32_t n)
{
	return first + k < n ? first + k : first + k - n;
}

/* Adds the costs of several subproblems, as walk() returns them. */
static int64_t walk_all(struct gpube_andor_walker *w, const int32_t *children, int32_t n,
	int64_t cost, int64_t budget)
{
	const int32_t first = first_of(w->number, w->depth, n);
	int64_t sum = cost;

	for (int32_t c = 0; c < n && sum < budget; c++) {
		w->low[children[c]] = n > 1 ? least_known(w, children[c]) : 0;
		sum += w->low[children[c]];
	}
	for (int32_t round = 0; round < 2; round++)
		for (int32_t c = 0; c < n && sum < budget; c++) {
			const int32_t q = children[round ? turned(c, first, n) : c];
			int64_t found;

			if (round == 0)
				w->later[q] = n > 1 && is_others(w, q);
			if (w->later[q] != (round == 1))
				continue;
			found = walk(w, q, budget - (sum - w->low[q]));
			if (w->over)
				return 0;
			sum += found - w->low[q];
			w->low[q] = found;
		}
	return sum;
}

/* The least of a choice's cost and the costs below it. */
static int64_t try_choices(struct gpube_andor_walker *w, int32_t p, int32_t n, int64_t budget)
{
	const struct gpube_andor_node *node = &w->a->nodes[p];
	const int32_t *children = w->a->children + node->child_at;
	struct gpube_andor_choice *row = w->row + node->values_at;
	/*
	 * Whoever does not begin with the cheapest value has a weaker cutoff for it. Ranks differ
	 * where results are not cached alone, which is enough to keep them apart.
	 */
	const int32_t first =
		first_of(node->kept ? w->number % w->a->n_walkers : w->number, node->depth, n);
	int64_t best = GPUBE__ANDOR_NEVER;
	int32_t n_later = 0;

	for (int round = 0; round < 2 && (round == 0 || n_later); round++)
		for (int32_t k = 0; k < n && !w->over; k++) {
			struct gpube_andor_choice *choice = &row[turned(k, first, n)];
			const int64_t least = best < budget ? best : budget;
			int64_t total = choice->cost;

			if (round == 1 && !choice->later)
				continue;
			if (total < least) {
				w->value[p] = choice->value;
				if (round == 0 && node->n_children == 1 &&
					is_others(w, children[0])) {
					choice->later = true;
					n_later++;
					continue;
				}
				total = walk_all(w, children, node->n_children, total, least);
			}
			best = total < best ? total : best;
		}
	return best;
}

/*
 * The least cost of p's subproblem if it is below the budget, otherwise a bound of at least the
 * budget; p's context is decided. The result means nothing once w->over.
 */
static int64_t walk(struct gpube_andor_walker *w, int32_t p, int64_t budget)
{
	struct gpube_andor *a = w->a;
	const struct gpube_andor_node *node = &a->nodes[p];
	const int64_t before = w->n_nodes;
	struct gpube_andor_known known;
	uint64_t key[GPUBE__ANDOR_WORDS], hash = 0;
	bool took_long;
	int64_t best;
	int32_t n;

	if (node->whole)
		return 0;
	if (node->kept || atomic_load_explicit(&a->known[p], memory_order_relaxed)) {
		make_key(w, p, key);
		hash = gpube__andor_hash(a->cache, key);
		if (gpube__andor_cache_find(a->cache, key, hash, &known) &&
			(known.exact || known.cost >= budget))
			return known.cost;
	}
	w->n_nodes++;
	w->patience -= node->domain;
	if (w->patience <= 0)
		check_clock(w);
	if (w->over)
		return 0;
	come_to(w, p);
	n = list_choices(w, p, GPUBE__ANDOR_NEVER);
	best = try_choices(w, p, n, budget);
	took_long = go_from(w) || (node->keyed && w->n_nodes - before >= KEPT_LONG);
	if (took_long && !node->kept) { /* otherwise others, or the next turn, would do it again */
		make_key(w, p, key);
		hash = gpube__andor_hash(a->cache, key);
		atomic_store_explicit(&a->known[p], true, memory_order_relaxed);
	}
	if ((node->kept || took_long) && !w->over) {
		known = (struct gpube_andor_known){.cost = best, .exact = best < budget};
		w->n_new +=
			gpube__andor_cache_keep(a->cache, key, hash, &known, w->n_nodes - before);
		if (a->far && w->n_nodes - before >= FAR_RESULT)
			gpube__andor_far_result(a, key, &known, w->n_nodes - before);
	}
	return best;
}

static void search_as(void *arg, int64_t item, int thread)
{
	struct gpube_andor *a = arg;
	struct gpube_andor_walker *w = &a->walkers[item];
	int64_t value;

	(void)thread;
	w->over = false;
	w->tell_at = w->n_nodes + LONG;
	check_clock(w);
	if (w->over)
		return;
	value = walk_all(w, a->children + (a->n - a->n_roots), a->n_roots, 0, a->budget);
	if (w->over)
		return;
	if (!atomic_exchange(&a->ended, true))
		a->value = value;
	atomic_store(&a->over, true);
}

/* Finds the choices for p and all below that cost exactly 'cost', which is their least. */
static void read_off(struct gpube_andor_walker *w, int32_t p, int64_t cost)
{
	const struct gpube_andor_node *node = &w->a->nodes[p];
	const int32_t *children = w->a->children + node->child_at, n = list_choices(w, p, cost + 1);

	for (int32_t k = 0; k < n && !w->over; k++) {
		const struct gpube_andor_choice *choice = &w->row[node->values_at + k];

		w->value[p] = choice->value;
		if (walk_all(w, children, node->n_children, choice->cost, cost + 1) <= cost)
			break;
	}
	for (int32_t c = 0; c < node->n_children && !w->over; c++)
		read_off(w, children[c], w->low[children[c]]);
}

void gpube__andor_search(struct gpube_andor *a, int64_t budget, const struct gpube_budget *turn,
	int64_t *value, int32_t *values, bool *ended)
{
	const int32_t *roots = a->children + (a->n - a->n_roots);
	struct gpube_andor_walker *w = a->walkers;
	bool again;

	a->turn = *turn;
	a->budget = budget;
	a->ended = a->far && !gpube__andor_far_begin(a);
	again = !a->ended;
	while (again) { /* results are cached, so a new start costs little */
		a->over = a->full = false;
		a->n_at_work = gpube__alone(a->ctx) ? 1 : a->n_walkers;
		gpube__parallel(a->ctx, a->n_at_work, search_as, a);
		again = (a->full || others_come(a)) && !a->ended;
		if (again && a->full)
			gpube__andor_cache_grow(a->cache, a->ctx);
	}
	if (a->far)
		gpube__andor_far_end(a);
	*ended = a->ended;
	if (!*ended)
		return;
	*value = a->value;
	if (a->value >= budget || !values)
		return;
	/* the cache makes this short; a stop ends it all the same, and no other thread comes */
	a->turn.seconds = 1e300;
	a->n_at_work = a->n_walkers;
	a->over = w->over = false;
	gpube__andor_cache_settle(a->cache);
	(void)walk_all(w, roots, a->n_roots, 0, a->value + 1);
	for (int32_t r = 0; r < a->n_roots && !w->over; r++)
		read_off(w, roots[r], w->low[roots[r]]);
	*ended = !w->over;
	for (int32_t p = 0; p < a->n; p++)
		values[a->g->order[p]] = w->value[p];
}
