/* andor_make.c - an AND/OR tree made of a join graph, and freed: see andor.h. */
#include <string.h>

#include "gpube/bound/andor/andor_parts.h"
#include "gpube/ops/scratch.h"

/* Most variables on a path: the search recurses once for each; a thread's stack may have 2 MiB. */
enum { DEEPEST = 4000 };

/*
 * Least variables of a cached subproblem: to look a smaller one up takes as long as the nodes that
 * it spares.
 */
enum { WORTH_KEEPING = 4 };

void gpube__andor_free(struct gpube_andor *a)
{
	struct gpube_ctx *ctx;

	if (!a)
		return;
	ctx = a->ctx;
	gpube__aligned_free(ctx, a->walkers);
	gpube__andor_cache_free(ctx, a->cache);
	gpube__andor_far_close(a);
	for (int32_t k = 0; k < a->n_rests; k++)
		gpube__free(ctx, a->rests[k].t);
	gpube__arrays_clear(&a->memory);
	if (a->own)
		gpube__joingraph_clear(a->own);
	gpube_model_free(a->own_m);
	GPUBE_FREE_ALL(ctx, a->own, a->context, a);
}

/* Appends the strides of a scope but its first variable, from 'at' on; returns that one's. */
static int64_t lay_out(struct gpube_andor *a, int32_t at, const int32_t *scope, int n)
{
	int64_t stride = 1;

	for (int k = n - 1; k > 0; k--) {
		a->scope[at + k - 1] = scope[k];
		a->stride[at + k - 1] = stride;
		stride *= a->nodes[scope[k]].domain;
	}
	return stride;
}

/* Lists the graph's tables, with room for 'more' variables. *at: the next free place */
static int make_tables(struct gpube_andor *a, int64_t more, int32_t *end)
{
	const struct gpube_joingraph *g = a->g;
	int64_t n = more;
	int32_t at = 0;

	for (int32_t j = 0; j < g->n_joins; j++)
		n += g->joins[j].n_scope;
	if (n > INT32_MAX)
		return gpube__fail(a->ctx, GPUBE_ELIMIT, "too many tables for an AND/OR search");
	a->tables = gpube__array(&a->memory, (uint64_t)g->n_joins, sizeof(*a->tables));
	a->scope = gpube__array(&a->memory, (uint64_t)n, sizeof(*a->scope));
	a->stride = gpube__array(&a->memory, (uint64_t)n, sizeof(*a->stride));
	if (a->memory.failed)
		return GPUBE_ENOMEM;
	for (int32_t p = 0; p < g->n; p++) {
		a->nodes[p].table_at = g->first[p];
		a->nodes[p].n_tables = g->first[p + 1] - g->first[p];
		for (int32_t j = g->first[p]; j < g->first[p + 1]; j++) {
			const struct gpube_join *join = &g->joins[j];

			a->tables[j] = (struct gpube_andor_table){
				.t = join->t, .n = join->n_scope - 1, .at = at};
			a->tables[j].slab = lay_out(a, at, join->scope, join->n_scope);
			at += join->n_scope - 1;
		}
	}
	*end = at;
	return GPUBE_OK;
}

/* Lists the remainders of rounding down a function, unless all are 0. */
static int make_rest(struct gpube_andor *a, int32_t f, int32_t *at)
{
	const struct gpube_model *m = a->m;
	const int arity = m->functions[f].arity;
	const int64_t cells = gpube__cells(m, arity, gpube__scope(m, f));
	struct gpube_andor_rest rest = {.at = *at, .n = arity - 1};
	int32_t scope[GPUBE_MAX_DIMS];
	int64_t any = 0;
	int status;

	if (arity == 0)
		return GPUBE_OK;
	/* as the graph's, which are as large */
	status = gpube__dense_new(&rest.t, m, f, a->g->position);
	for (int64_t k = 0; k < cells && !status; k++) {
		rest.t[k] &= ((int64_t)1 << a->up) - 1; /* of what is forbidden the graph says so */
		any |= rest.t[k];
	}
	if (status || !any) {
		gpube__free(a->ctx, rest.t);
		return status;
	}
	gpube__sorted_scope(scope, m, f, a->g->position);
	rest.slab = lay_out(a, *at, scope, arity);
	rest.position = scope[0];
	*at += arity - 1;
	a->rests[a->n_rests++] = rest;
	return GPUBE_OK;
}

static int compare_rests(const void *a, const void *b)
{
	const struct gpube_andor_rest *x = a, *y = b;

	return (x->position > y->position) - (x->position < y->position);
}

static int make_rests(struct gpube_andor *a, int32_t at)
{
	const struct gpube_model *m = a->m;
	int status = GPUBE_OK;

	a->rests = gpube__array(&a->memory, (uint64_t)m->n_functions + 1, sizeof(*a->rests));
	if (!a->rests)
		return GPUBE_ENOMEM;
	for (int32_t f = 0; f < m->n_functions && !status; f++)
		status = make_rest(a, f, &at);
	qsort(a->rests, (size_t)a->n_rests, sizeof(*a->rests), compare_rests);
	return status;
}

/*
 * Scratch for contexts: flags of variables, false between calls, the variables whose flag is set,
 * and the children found so far.
 */
struct gathering {
	bool *in;
	int32_t *list, *head, *next;
	int32_t n;
	int64_t at, capacity, most;
};

static void gather(struct gathering *k, int32_t q)
{
	if (!k->in[q])
		k->list[k->n++] = q;
	k->in[q] = true;
}

/*
 * The context of a node: the variables above it in its tables and its children's contexts. The
 * first one is its parent.
 */
static int find_context(struct gpube_andor *a, int32_t p, struct gathering *k)
{
	struct gpube_andor_node *node = &a->nodes[p];

	k->n = 0;
	for (int32_t j = node->table_at; j < node->table_at + node->n_tables; j++)
		for (int32_t i = 0; i < a->tables[j].n; i++)
			gather(k, a->scope[a->tables[j].at + i]);
	for (int32_t j = node->rest_at; j < node->rest_at + node->n_rests; j++)
		for (int32_t i = 0; i < a->rests[j].n; i++)
			gather(k, a->scope[a->rests[j].at + i]);
	for (int32_t c = k->head[p]; c >= 0; c = k->next[c])
		for (int32_t i = 1; i < a->nodes[c].n_context; i++) /* the first is p */
			gather(k, a->context[a->nodes[c].context_at + i].position);
	qsort(k->list, (size_t)k->n, sizeof(*k->list), gpube__compare_int32);
	if (k->at + k->n > k->most)
		return gpube__fail(a->ctx, GPUBE_ELIMIT, "too large contexts for an AND/OR search");
	if (gpube__grow(a->ctx, &a->context, &k->capacity, k->at + k->n, sizeof(*a->context)))
		return GPUBE_ENOMEM;
	node->context_at = k->at;
	node->n_context = k->n;
	for (int32_t i = 0; i < k->n; i++) {
		a->context[k->at + i] = (struct gpube_andor_bits){.position = k->list[i]};
		k->in[k->list[i]] = false;
	}
	k->at += k->n;
	if (k->n) {
		node->parent = k->list[0];
		k->next[p] = k->head[node->parent];
		k->head[node->parent] = p;
	}
	return GPUBE_OK;
}

static int make_contexts(struct gpube_andor *a, double bytes)
{
	const uint64_t n = (uint64_t)a->n;
	struct gathering k = {.most = (int64_t)(bytes / sizeof(*a->context)),
		.in = gpube__alloc_zero(a->ctx, n, sizeof(*k.in)),
		.list = gpube__alloc(a->ctx, 3 * n, sizeof(*k.list))};
	int status = k.in && k.list ? GPUBE_OK : GPUBE_ENOMEM;

	if (!status) {
		k.head = k.list + n;
		k.next = k.head + n;
		for (int32_t p = 0; p < a->n; p++)
			k.head[p] = -1;
	}
	for (int32_t p = 0; p < a->n && !status; p++)
		status = find_context(a, p, &k);
	gpube__free(a->ctx, k.in);
	gpube__free(a->ctx, k.list);
	return status;
}

/* Lays out the key of a context; false: it is too long. */
static bool pack(struct gpube_andor *a, const struct gpube_andor_node *node, int32_t *n_words)
{
	int word = 0, shift = a->position_bits;

	for (int32_t i = 0; i < node->n_context; i++) {
		struct gpube_andor_bits *b = &a->context[node->context_at + i];
		const int bits = gpube__andor_width(a->nodes[b->position].domain);

		if (shift + bits > 64) {
			word++;
			shift = 0;
		}
		if (word == GPUBE__ANDOR_WORDS)
			return false;
		b->word = (uint8_t)word;
		b->shift = (uint8_t)(shift == 64 ? 0 : shift);
		shift += bits;
	}
	*n_words = word + 1 > *n_words ? word + 1 : *n_words;
	return true;
}

/* Lists children, smallest subtrees first, and the roots behind them. */
static int make_children(struct gpube_andor *a)
{
	int32_t at = 0;

	for (int32_t p = a->n - 1; p >= 0; p--) {
		const int32_t parent = a->nodes[p].parent;

		a->nodes[p].depth = parent >= 0 ? a->nodes[parent].depth + 1 : 1;
		if (a->nodes[p].depth > DEEPEST)
			return gpube__fail(
				a->ctx, GPUBE_ELIMIT, "too deep a tree for an AND/OR search");
	}
	for (int32_t p = 0; p < a->n; p++) {
		a->nodes[p].n_below++;
		if (a->nodes[p].parent >= 0) {
			a->nodes[a->nodes[p].parent].n_below += a->nodes[p].n_below;
			a->nodes[a->nodes[p].parent].n_children++;
		}
	}
	for (int32_t p = 0; p < a->n; p++) {
		a->nodes[p].child_at = at;
		at += a->nodes[p].n_children;
		a->nodes[p].n_children = 0;
	}
	for (int32_t p = 0; p < a->n; p++) {
		const int32_t parent = a->nodes[p].parent;
		int32_t *list = a->children + (parent >= 0 ? a->nodes[parent].child_at : at);
		int32_t *n = parent >= 0 ? &a->nodes[parent].n_children : &a->n_roots, k = (*n)++;

		for (; k > 0 && a->nodes[list[k - 1]].n_below > a->nodes[p].n_below; k--)
			list[k] = list[k - 1];
		list[k] = p;
	}
	return GPUBE_OK;
}

/*
 * A context that consists of the parent's and the parent comes up once for each of the parent's, if
 * there is no other child: it is not cached.
 */
static void choose_kept(struct gpube_andor *a)
{
	for (int32_t p = 0; p < a->n; p++) {
		struct gpube_andor_node *node = &a->nodes[p];
		const struct gpube_andor_node *parent =
			node->parent >= 0 ? &a->nodes[node->parent] : NULL;

		node->keyed = pack(a, node, &a->n_words);
		node->kept = node->keyed && parent && node->n_below >= WORTH_KEEPING &&
			     (parent->n_children > 1 || node->n_context < parent->n_context + 1);
		node->whole = a->up == 0 && parent && node->n_tables <= 1;
		for (int32_t c = 0; c < node->n_children; c++)
			node->whole &= a->nodes[a->children[node->child_at + c]].whole;
	}
}

static int make_walkers(struct gpube_andor *a)
{
	const uint64_t n = (uint64_t)a->n, n_values = (uint64_t)a->n_values;

	a->n_walkers = a->ctx->n_threads > 1 ? a->ctx->n_threads : 1;
	a->walkers = gpube__aligned_alloc(a->ctx, (uint64_t)a->n_walkers * sizeof(*a->walkers));
	a->n_at = gpube__array(&a->memory, n, sizeof(*a->n_at));
	a->known = gpube__array(&a->memory, n, sizeof(*a->known));
	for (int k = 0; a->walkers && k < a->n_walkers; k++)
		a->walkers[k] = (struct gpube_andor_walker){.a = a,
			.number = k,
			.value = gpube__array(&a->memory, n, sizeof(int32_t)),
			.row = gpube__array(
				&a->memory, n_values, sizeof(struct gpube_andor_choice)),
			.low = gpube__array(&a->memory, n, sizeof(int64_t)),
			.later = gpube__array(&a->memory, n, sizeof(bool)),
			.path = gpube__array(&a->memory, n, sizeof(struct gpube_andor_place))};
	return a->walkers && !a->memory.failed ? GPUBE_OK : GPUBE_ENOMEM;
}

/* Its variables' domains and its tables, from the graph. */
static int fill(struct gpube_andor *a)
{
	const struct gpube_model *m = a->m;
	int64_t more = 0;
	int32_t end = 0;
	int status;

	for (int32_t p = 0; p < a->n; p++)
		a->nodes[p].domain = a->g->domain[p];
	for (int32_t f = 0; f < m->n_functions && a->up; f++)
		more += m->functions[f].arity;
	status = make_tables(a, more, &end);
	return status || !a->up ? status : make_rests(a, end);
}

static int finish(struct gpube_andor *a, double bytes)
{
	int status;

	for (int32_t p = 0; p < a->n; p++) {
		a->nodes[p].values_at = a->n_values;
		a->nodes[p].parent = -1;
		a->n_values += a->nodes[p].domain;
	}
	for (int32_t k = a->n_rests - 1; k >= 0; k--) {
		a->nodes[a->rests[k].position].rest_at = k;
		a->nodes[a->rests[k].position].n_rests++;
	}
	status = make_contexts(a, bytes);
	if (!status)
		status = make_children(a);
	if (status)
		return status;
	choose_kept(a);
	status = make_walkers(a);
	return status ? status
		      : gpube__andor_cache_new(
				&a->cache, a->ctx, a->n_words, bytes, a->n_walkers > 1);
}

int gpube__andor_new(struct gpube_andor **out, const struct gpube_joingraph *g,
	const struct gpube_model *m, double bytes)
{
	struct gpube_andor *a;
	int status;

	*out = NULL;
	if (g->shift < -GPUBE__ANDOR_ROUNDED || g->n > GPUBE__ANDOR_MOST_VARS || g->n == 0)
		return GPUBE_OK;
	a = gpube__alloc_zero(g->ctx, 1, sizeof(*a));
	if (!a)
		return GPUBE_ENOMEM;
	a->ctx = g->ctx;
	a->g = g;
	a->m = m;
	a->n = g->n;
	a->up = g->shift < 0 ? -g->shift : 0;
	a->n_words = 1;
	a->position_bits = 32 - __builtin_clz((uint32_t)a->n);
	a->memory.ctx = a->ctx;
	a->nodes = gpube__array(&a->memory, (uint64_t)a->n, sizeof(*a->nodes));
	a->children = gpube__array(&a->memory, (uint64_t)a->n, sizeof(*a->children));
	status = a->memory.failed ? GPUBE_ENOMEM : fill(a);
	if (!status)
		status = finish(a, bytes);
	if (status)
		gpube__andor_free(a);
	else
		*out = a;
	return status == GPUBE_ELIMIT ? GPUBE_OK : status;
}
