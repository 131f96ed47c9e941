/*
 * certificate_note.c - cycles that prove a limit: see certificate.h. Branch and bound on the
 * relaxation over cycles of the relaxed problem itself, so that its vertices are the problem's
 * variables; prices of each window that fixes edges are noted, and of the last one of each node.
 *
 * Designs weighed. (1) Notes of the run that found the bound, as of sparse relations: that run is
 * on the simplified model, whose eliminated variables have no prices. (2) This one, which knows
 * the limit from the beginning, and so does with fewer nodes.
 */
#include <stdlib.h>
#include <string.h>

#include "gpube/base/mask_index.h"
#include "gpube/bound/certificate/certificate.h"
#include "gpube/bound/relaxed_run.h"
#include "gpube/ir/dense.h"
#include "gpube/relax/cuts/cuts_parts.h"
#include "gpube/search/frontier.h"

struct gpube_noted_node {
	int32_t of; /* of the certificate */
	struct gpube_relaxed_start *from;
	uint64_t live[];
};

/* Prices of a node: steps as rows with entries, 2 e, or 2 e + 1 where an edge is of the odd set. */
struct gpube_noted_prices {
	int64_t *step; /* rows of each end there */
	int64_t n_steps, step_room;
	int64_t *row; /* entries of each end there */
	int64_t *price;
	int64_t n_rows, row_room, price_room;
	int32_t *entries;
	int64_t n_entries, entry_room;
};

enum ends { STOPS, CLOSES, SPLITS, FAILS };

struct gpube_noting_worker {
	struct gpube_noting *of;
	struct gpube_ctx ctx;
	struct gpube_frontier_node hand;
	struct gpube_noted_node *node;
	struct gpube_cuts_state *state;
	struct gpube_relaxed_start *kept;
	struct gpube_noted_prices notes;
	enum ends end;
	bool noted; /* what the last window says, or there was none */
	int32_t chosen;
	int status;
};

struct gpube_noting {
	struct gpube_certificate *c;
	const struct gpube_relaxation *r;
	struct gpube_cuts_graph *p;
	int32_t *number; /* of each edge in the certificate */
	int doubled;     /* prices are multiplied by 2^doubled */
	struct gpube_frontier open;
	struct gpube_noting_worker *workers;
	int n_workers;
	struct gpube__mask_set hashes; /* of rows that the certificate has, */
	int32_t *row_of;               /* and which has each */
	int64_t row_room;
};

/* ---- a node ---------------------------------------------------------------------------------- */

static void forget(const struct gpube_noting *s, struct gpube_relaxed_start *of)
{
	if (of)
		s->r->forget(s->c->ctx, of);
}

static void free_node(const struct gpube_noting *s, struct gpube_noted_node *node)
{
	if (node)
		forget(s, node->from);
	gpube__free(s->c->ctx, node);
}

static void clear_notes(struct gpube_ctx *ctx, struct gpube_noted_prices *x)
{
	GPUBE_FREE_ALL(ctx, x->step, x->row, x->price, x->entries);
	*x = (struct gpube_noted_prices){0};
}

static int note_row(struct gpube_noting_worker *w, const struct gpube_cuts_rows *rows, int32_t r)
{
	struct gpube_noted_prices *x = &w->notes;
	const int64_t n = rows->at[r + 1] - rows->at[r];
	int status = gpube__grow(
		&w->ctx, &x->entries, &x->entry_room, x->n_entries + n, sizeof(*x->entries));

	if (!status)
		status =
			gpube__grow(&w->ctx, &x->row, &x->row_room, x->n_rows + 1, sizeof(*x->row));
	if (!status)
		status = gpube__grow(
			&w->ctx, &x->price, &x->price_room, x->n_rows + 1, sizeof(*x->price));
	if (status)
		return status;
	memcpy(x->entries + x->n_entries, rows->entries + rows->at[r],
		(size_t)n * sizeof(*x->entries));
	x->n_entries += n;
	x->row[x->n_rows] = x->n_entries;
	x->price[x->n_rows++] = rows->price[r];
	return GPUBE_OK;
}

/* The prices of the last window, or none, make a step. Errors: ENOMEM */
static int note_step(struct gpube_noting_worker *w, bool priced)
{
	const struct gpube_cuts_rows *rows = &w->state->rows;
	struct gpube_noted_prices *x = &w->notes;
	int status = GPUBE_OK;

	for (int32_t r = 0; priced && r < rows->n && !status; r++)
		if (rows->price[r])
			status = note_row(w, rows, r);
	if (!status)
		status = gpube__grow(
			&w->ctx, &x->step, &x->step_room, x->n_steps + 1, sizeof(*x->step));
	if (!status)
		x->step[x->n_steps++] = x->n_rows;
	w->noted = !status;
	return status;
}

static int keep(struct gpube_noting_worker *w)
{
	struct gpube_relaxed_start *of = w->of->r->save(w->state);

	if (!of)
		return GPUBE_ENOMEM;
	forget(w->of, w->kept);
	w->kept = of;
	return GPUBE_OK;
}

/* A window; what it says of the node. Errors: ENOMEM */
static int run_window(struct gpube_noting_worker *w)
{
	const struct gpube_relaxation *r = w->of->r;
	const enum gpube_relaxed_steps steps = r->steps(w->state);
	bool empty = false;
	int32_t n;
	int status;

	w->end = steps == GPUBE__STEPS_FAIL ? FAILS : STOPS;
	w->noted = false;
	if (w->end == FAILS || gpube__stopped(&w->ctx))
		return GPUBE_OK;
	n = r->filter(w->state, w->of->p->of.target, w->node->live, &empty);
	if (w->state->bound > w->hand.bound)
		w->hand.bound = w->state->bound;
	if (empty)
		w->end = CLOSES;
	else if (!n && steps == GPUBE__STEPS_OVER)
		w->end = SPLITS;
	status = n || w->end != STOPS ? note_step(w, true) : GPUBE_OK;
	if (!status && w->end == STOPS && n) {
		status = keep(w);
		r->clear(w->state);
		if (!status)
			status = r->begin(w->state, w->node->live, w->kept);
	}
	return status;
}

static int run_node(struct gpube_noting_worker *w)
{
	const struct gpube_noting *s = w->of;
	const struct gpube_relaxation *r = s->r;
	void *state = w->state;
	int status = state ? GPUBE_OK : r->open(&state, &s->p->of, &w->ctx);

	w->state = state;
	if (!status)
		status = r->begin(state, w->node->live, w->node->from);
	while (!status && w->end == STOPS && !gpube__stopped(&w->ctx)) {
		if (r->decided(state)) {
			status = note_step(w, false);
			w->end = CLOSES;
		} else {
			status = run_window(w);
		}
	}
	if (!status && w->end == STOPS && !w->noted) /* it was stopped */
		status = note_step(w, true);
	if (!status && w->end == SPLITS) {
		w->chosen = r->choose(state);
		status = keep(w);
	}
	return status;
}

static void work(void *arg, int64_t item, int thread)
{
	struct gpube_noting *s = arg;
	struct gpube_noting_worker *w = &s->workers[item];

	(void)thread;
	w->end = STOPS;
	w->noted = true;
	w->status = run_node(w);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static uint64_t mixed(uint64_t h)
{
	h = (h ^ h >> 29) * 0xbf58476d1ce4e5b9u;
	return h ^ h >> 32;
}

static uint64_t hash_of(const struct gpube_certificate *c, int32_t r)
{
	const struct gpube_proof_row *row = &c->cycles.rows[r];
	uint64_t h = 0;

	for (int32_t k = 0; k < row->n; k++)
		h += mixed(2 * (uint64_t)c->cycles.edges[row->at + k] + (k < row->n_odd) + 1);
	return mixed(h);
}

static bool are_equal(const struct gpube_certificate *c, int32_t a, int32_t b)
{
	const struct gpube_proof_row *x = &c->cycles.rows[a], *y = &c->cycles.rows[b];

	return x->n == y->n && x->n_odd == y->n_odd &&
	       !memcmp(c->cycles.edges + x->at, c->cycles.edges + y->at,
		       (size_t)x->n * sizeof(*c->cycles.edges));
}

static int ascending(const void *x, const void *y)
{
	const int32_t *a = x, *b = y;

	return (*a > *b) - (*a < *b);
}

/* The last row is known by its hash from now on. Errors: ENOMEM */
static int remember_row(struct gpube_noting *s, uint64_t hash)
{
	const int64_t n = s->hashes.n;

	if (gpube__grow(s->c->ctx, &s->row_of, &s->row_room, n + 1, sizeof(*s->row_of)))
		return GPUBE_ENOMEM;
	s->row_of[n] = s->c->cycles.n_rows - 1;
	return gpube__mask_set_add(&s->hashes, s->c->ctx, &hash, NULL);
}

/*
 * The certificate's number of a row; it is added where it is new, and where another one has its
 * hash. Errors: ENOMEM
 */
static int number_row(struct gpube_noting *s, int32_t *number, const int32_t *entries, int64_t n)
{
	struct gpube_proof_cycles *x = &s->c->cycles;
	const int64_t first = x->n_edges;
	int32_t n_odd = 0;
	int64_t known;
	uint64_t hash;
	int status = GPUBE_OK;

	for (int odd = 1; odd >= 0; odd--)
		for (int64_t k = 0; k < n && !status; k++)
			if ((entries[k] & 1) == odd) {
				status = gpube__cycles_edge(s->c, s->number[entries[k] >> 1]);
				n_odd += odd;
			}
	if (!status)
		status = gpube__cycles_row(s->c, n_odd);
	if (status)
		return status;
	qsort(x->edges + first, (size_t)n_odd, sizeof(*x->edges), ascending);
	qsort(x->edges + first + n_odd, (size_t)(n - n_odd), sizeof(*x->edges), ascending);
	*number = x->n_rows - 1;
	hash = hash_of(s->c, *number);
	known = gpube__masks_find(&s->hashes.index, s->hashes.masks, 1, &hash);
	if (known < 0)
		return remember_row(s, hash);
	if (are_equal(s->c, s->row_of[known], *number)) {
		*number = s->row_of[known];
		x->n_rows--;
		x->n_edges = first;
	}
	return GPUBE_OK;
}

/* A worker's steps become the certificate's. Errors: ENOMEM */
static int take_notes(struct gpube_noting *s, struct gpube_noting_worker *w)
{
	const struct gpube_noted_prices *x = &w->notes;
	int64_t r = 0;
	int status = GPUBE_OK;

	for (int64_t k = 0; k < x->n_steps && !status; k++) {
		for (; r < x->step[k] && !status; r++) {
			const int64_t from = r ? x->row[r - 1] : 0, most = INT64_MAX >> s->doubled;
			int32_t number;

			status = number_row(s, &number, x->entries + from, x->row[r] - from);
			if (!status)
				status = gpube__cycles_price(s->c, number,
					(x->price[r] < most ? x->price[r] : most) << s->doubled);
		}
		if (!status)
			status = gpube__cycles_step(s->c, w->node->of);
	}
	return status;
}

/* ---- what becomes of nodes ------------------------------------------------------------------- */

/* Errors: ENOMEM */
static int push(struct gpube_noting *s, const uint64_t *live, struct gpube_relaxed_start *from,
	int32_t of, const struct gpube_frontier_node *parent, int32_t gone)
{
	const uint64_t bytes = (uint64_t)s->p->of.words * sizeof(*live);
	struct gpube_noted_node *node = gpube__alloc_zero(s->c->ctx, 1, sizeof(*node) + bytes);
	int status;

	if (!node)
		return GPUBE_ENOMEM;
	memcpy(node->live, live, (size_t)bytes);
	if (gone >= 0)
		gpube__bit_drop(node->live, gone);
	node->of = of;
	node->from = from;
	if (from)
		from->users++;
	status = gpube__frontier_push(&s->open, s->c->ctx,
		&(struct gpube_frontier_node){.bound = parent ? parent->bound : 0,
			.depth = parent ? parent->depth + 1 : 0,
			.payload = node,
			.bytes = (int64_t)bytes + (from ? from->bytes / from->users : 0)});
	if (status)
		free_node(s, node);
	return status;
}

/* Errors: ENOMEM, ELIMIT: the linear program cannot be solved */
static int settle(struct gpube_noting *s, struct gpube_noting_worker *w)
{
	int status = w->status ? w->status : take_notes(s, w);

	if (!status && w->end == FAILS)
		status = gpube__fail(s->c->ctx, GPUBE_ELIMIT, "a linear program of cycles fails");
	if (!status && w->end == SPLITS) {
		const int32_t edge = w->chosen >> 1;

		status = gpube__cycles_split(s->c, w->node->of, s->number[edge]);
		for (int k = 0; k < 2 && !status; k++)
			status = push(s, w->node->live, w->kept,
				s->c->cycles.nodes[w->node->of].child[k], &w->hand, 2 * edge + !k);
	}
	forget(s, w->kept);
	w->kept = NULL;
	clear_notes(&w->ctx, &w->notes);
	free_node(s, w->node);
	w->node = NULL;
	return status;
}

/* As many nodes as there are workers, which depends on nothing but what was found. */
static int run_round(struct gpube_noting *s)
{
	int n = 0, status = GPUBE_OK;

	for (; n < s->n_workers && s->open.n; n++) {
		s->workers[n].hand = gpube__frontier_pop(&s->open);
		s->workers[n].node = s->workers[n].hand.payload;
	}
	gpube__parallel(s->c->ctx, n, work, s);
	for (int k = 0; k < n; k++) {
		const int settled = settle(s, &s->workers[k]);

		status = status ? status : settled;
	}
	return status;
}

/* ---- the call -------------------------------------------------------------------------------- */

static void clear(struct gpube_noting *s)
{
	struct gpube_ctx *ctx = s->c->ctx;

	for (int64_t k = 0; k < s->open.n; k++)
		free_node(s, s->open.nodes[k].payload);
	gpube__frontier_clear(&s->open, ctx);
	for (int k = 0; s->workers && k < s->n_workers; k++) {
		if (s->workers[k].state)
			s->r->close(s->workers[k].state);
		if (s->workers[k].of)
			gpube__ctx_clear(&s->workers[k].ctx);
	}
	GPUBE_FREE_ALL(ctx, s->workers, s->number, s->row_of);
	gpube__mask_set_clear(&s->hashes, ctx);
	if (s->p)
		s->r->free(&s->p->of);
}

static int make_workers(struct gpube_noting *s)
{
	struct gpube_ctx *ctx = s->c->ctx;

	s->n_workers = gpube__relaxed_workers(ctx, s->r, &s->p->of);
	s->workers = gpube__alloc_zero(ctx, (uint64_t)s->n_workers, sizeof(*s->workers));
	for (int k = 0; s->workers && k < s->n_workers; k++) {
		s->workers[k].of = s;
		s->workers[k].ctx = gpube__ctx_child(ctx);
		s->workers[k].ctx.n_threads = 1;
	}
	return s->workers ? GPUBE_OK : GPUBE_ENOMEM;
}

static int by_ends(const void *x, const void *y)
{
	const int64_t *a = x, *b = y;

	return (*a > *b) - (*a < *b);
}

/*
 * The certificate's numbers of edges: those of pairs are all that functions have, while the
 * relaxation has those that cost something. Errors: ENOMEM
 */
static int number_edges(struct gpube_noting *s, const struct gpube_model *m)
{
	const int32_t n_vars = m->n_vars;
	struct gpube_ctx *ctx = s->c->ctx;
	int64_t *pairs = gpube__alloc(ctx, (uint64_t)m->n_functions + 1, sizeof(*pairs));
	int32_t n = 0, at = n_vars;

	s->number = gpube__alloc(ctx, (uint64_t)s->p->n_edges + 1, sizeof(*s->number));
	if (!pairs || !s->number) {
		gpube__free(ctx, pairs);
		return GPUBE_ENOMEM;
	}
	for (int32_t f = 0; f < m->n_functions; f++)
		if (m->functions[f].arity == 2)
			pairs[n++] = (int64_t)gpube__scope(m, f)[0] << 32 | gpube__scope(m, f)[1];
	qsort(pairs, (size_t)n, sizeof(*pairs), by_ends);
	for (int32_t i = 0; i < n_vars; i++)
		s->number[i] = i;
	for (int32_t k = 0, e = n_vars; k < n; k++) {
		at += k && pairs[k] != pairs[k - 1];
		if (e < s->p->n_edges &&
			pairs[k] == ((int64_t)s->p->end[0][e] << 32 | s->p->end[1][e]))
			s->number[e++] = at;
	}
	gpube__free(ctx, pairs);
	return GPUBE_OK;
}

/* The variable that the relaxation has fixed, since each cut is there twice; -1: there is none. */
static int32_t find_fixed(const struct gpube_noting *s)
{
	for (int32_t i = 0; i < s->c->n_vars; i++)
		if (s->c->domain[i] > 1 && !gpube__bit(s->p->of.allowed, 2 * (int64_t)i + 1))
			return i;
	return -1;
}

/*
 * The greatest total below the limit is to be passed: the checker says by how much. What reaches
 * the limit by itself counts as that in the relaxation, but not in the certificate, so that more
 * may be alike there.
 */
static int begin(struct gpube_noting *s, const struct gpube_model *m, int64_t limit)
{
	struct gpube_proof_cycles *x = &s->c->cycles;
	const int shift = s->p->of.shift;
	__int128 target;
	bool may_fix;
	int status;

	s->c->shift = shift < 1 ? 1 : shift;
	s->doubled = s->c->shift - shift;
	x->limit = limit;
	x->fixed = find_fixed(s);
	status = gpube__cycles_target(&target, &may_fix, s->c, m, m->constant);
	if (status)
		return status;
	if (!s->doubled && target < s->p->of.target)
		s->p->of.target = target < 0 ? 0 : (int64_t)target;
	if (x->fixed >= 0 && !may_fix) {
		gpube__bit_put(s->p->of.allowed, 2 * (int64_t)x->fixed + 1);
		x->fixed = -1;
	}
	return GPUBE_OK;
}

/* Whether the notes take an eighth of the memory: nodes that are open then stay leaves. */
static bool is_full(const struct gpube_noting *s)
{
	const struct gpube_proof_cycles *x = &s->c->cycles;
	const uint64_t bytes = (uint64_t)x->n_prices * sizeof(*x->prices) +
			       (uint64_t)x->n_edges * sizeof(*x->edges);

	return bytes > s->c->ctx->memory_bytes / 8;
}

static int note(struct gpube_noting *s, const struct gpube_model *m, int64_t limit)
{
	int status = number_edges(s, m);

	if (!status)
		status = make_workers(s);
	if (!status)
		status = begin(s, m, limit);
	if (!status)
		status = gpube__cycles_node(s->c);
	if (!status)
		status = push(s, s->p->of.allowed, NULL, 0, NULL, -1);
	while (!status && s->open.n && !is_full(s) && !gpube__stopped(s->c->ctx))
		status = run_round(s);
	return status;
}

int gpube__has_cycles(bool *yes, const struct gpube_model *m, enum gpube_bound_method method)
{
	const bool sparse = method == GPUBE_BOUND_AUTO;

	*yes = false;
	return (sparse || method == GPUBE_BOUND_LINEAR) && gpube__clp_there(NULL)
		       ? gpube__cuts_suit(yes, m, sparse)
		       : GPUBE_OK;
}

int gpube__cycles_note(
	struct gpube_certificate *c, const struct gpube_model *relaxed, int64_t limit)
{
	struct gpube_noting s = {.c = c, .r = &gpube__cuts, .hashes.words = 1};
	struct gpube_relaxed *p = NULL;
	int status = s.r->make(&p, relaxed, limit);

	s.p = (struct gpube_cuts_graph *)p;
	s.open.most_bytes = (int64_t)(c->ctx->memory_bytes / 8);
	if (!status && !p)
		status = gpube__fail(
			c->ctx, GPUBE_ELIMIT, "the model has no relaxation over cycles");
	if (!status)
		status = note(&s, relaxed, limit);
	clear(&s);
	return status;
}
