/* sweep_order.c - linear orders with few allowed assignments of their fronts. See sweep.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpube/ir/dense.h"
#include "gpube/ir/graph.h"
#include "gpube/bound/sweep/sweep.h"

/* Of one search, in rows of cells read: a second or two; and those of a second, cautiously. */
#define FIRST_WORK      3e8
#define WORK_PER_SECOND 1e8
/* Of log2 of the states, at the beginning: more, and what is good in the order to begin with is
 * lost. */
#define HEAT 0.15

/* LANES: cells of a rule lie own value fastest, in rows of a multiple of these. */
/*
 * Searches beside each other. States that are met in twice the time of the first round.
 * What rounds may take off log2 of the states: the first, from any order, and each of the others.
 */
enum { N_SEARCHES = 2, FIRST_GAIN = 15, GAIN = 4 };
#define ROUND_STATES 3e7
enum { MOST_OTHERS = 2, MOST_CELLS = 256, LANES = 4 };

/* What a function forbids, seen from one of its variables. */
struct rule {
	int n_others;
	int32_t other[MOST_OTHERS];
	int64_t at; /* of its cells, 1: allowed; as 'other', own value fastest */
};

struct line {
	const struct gpube_graph *g;
	int32_t *order, *position, *last; /* last: position at which a vertex leaves the front */
	/* rules of v: rules[first[v]] … */
	int64_t *first, n_rules, rules_capacity, n_cells, cells_capacity;
	struct rule *rules;
	float *cells;
	/* the front that is looked at, in the order of the line */
	int32_t n_front, *front;
	bool *in;
	double *states; /* of its first k + 1 variables */
	int64_t *share_at;
	float *share;          /* of the values of a vertex */
	double *layer, *saved; /* states by position */
	double work;
};

/* ---- rules -------------------------------------------------------------------------------------
 */

static int32_t padded(int32_t domain)
{
	return (domain + LANES - 1) / LANES * LANES;
}

/* Small functions of few variables alone are looked at. */
static bool has_rules(const struct gpube_model *m, int32_t f)
{
	int arity = m->functions[f].arity;
	int64_t cells = gpube__cells(m, arity, gpube__scope(m, f));

	return arity > 1 && arity <= MOST_OTHERS + 1 && cells > 0 && cells <= MOST_CELLS;
}

/* What function f forbids, seen from v; none if it forbids nothing. */
static int add_rule(struct gpube_ctx *ctx, struct line *l, const struct gpube_model *m, int32_t f,
	int32_t v, int32_t *rank)
{
	const int32_t *scope = gpube__scope(m, f);
	int arity = m->functions[f].arity;
	int64_t n = gpube__cells(m, arity, scope), costs[MOST_CELLS];
	const int64_t rows = n / m->vars[v].domain, row = padded(m->vars[v].domain);
	struct rule r = {.at = l->n_cells};
	bool forbids = false;
	int status;

	rank[v] = m->n_vars; /* fastest */
	status = gpube__dense(costs, m, f, rank);
	rank[v] = v;
	if (status)
		return status;
	for (int k = 0; k < arity; k++) {
		int at = r.n_others;

		if (scope[k] == v)
			continue;
		for (; at > 0 && r.other[at - 1] > scope[k]; at--)
			r.other[at] = r.other[at - 1];
		r.other[at] = scope[k];
		r.n_others++;
	}
	if (gpube__grow(ctx, &l->rules, &l->rules_capacity, l->n_rules + 1, sizeof(r)) ||
		gpube__grow(ctx, &l->cells, &l->cells_capacity, l->n_cells + rows * row,
			sizeof(*l->cells)))
		return GPUBE_ENOMEM;
	for (int64_t c = 0; c < n; c++)
		forbids |= costs[c] == GPUBE_INF;
	for (int64_t c = 0; c < rows * row; c++) {
		bool is_cell = c % row < m->vars[v].domain;

		l->cells[l->n_cells + c] =
			is_cell && costs[c / row * m->vars[v].domain + c % row] != GPUBE_INF;
	}
	if (forbids) {
		l->n_cells += rows * row;
		l->rules[l->n_rules++] = r;
	}
	return GPUBE_OK;
}

static int add_rules(struct gpube_ctx *ctx, struct line *l, const struct gpube_model *m)
{
	struct gpube_incidence in = {0};
	int32_t *rank = gpube__alloc(ctx, (uint64_t)m->n_vars, sizeof(*rank));
	int status = rank ? gpube__incidence_of_model(&in, m) : GPUBE_ENOMEM;

	for (int32_t v = 0; v < m->n_vars && !status; v++)
		rank[v] = v;
	for (int32_t v = 0; v < m->n_vars && !status; v++) {
		l->first[v] = l->n_rules;
		for (int64_t k = in.start[v]; k < in.start[v + 1] && !status; k++)
			if (has_rules(m, in.of[k]))
				status = add_rule(ctx, l, m, in.of[k], v, rank);
	}
	l->first[m->n_vars] = l->n_rules;
	gpube__incidence_clear(ctx, &in);
	gpube__free(ctx, rank);
	return status;
}

/* ---- the guess ----------------------------------------------------------------------- */

/* share[a] *= the share of the others' values that the rule allows with a; LANES of them. */
static inline void apply_lanes(const float *cells, int32_t row, float *share, const float *first,
	int32_t d, const float *second, int32_t e)
{
	float allowed[LANES] = {0};

	for (int32_t b = 0; b < d; b++)
		for (int32_t c = 0; c < e; c++, cells += row)
			for (int k = 0; k < LANES; k++)
				allowed[k] += first[b] * second[c] * cells[k];
	for (int k = 0; k < LANES; k++)
		share[k] *= allowed[k];
}

/* The share of each value of v that a rule allows. */
static void apply(struct line *l, const struct rule *r, float *share, int32_t domain)
{
	static const float one = 1;
	const int32_t row = padded(domain), d = l->g->domain[r->other[0]],
		      e = r->n_others > 1 ? l->g->domain[r->other[1]] : 1;
	const float *first = l->share + l->share_at[r->other[0]];
	const float *second = r->n_others > 1 ? l->share + l->share_at[r->other[1]] : &one;

	for (int32_t a = 0; a < row; a += LANES)
		apply_lanes(l->cells + r->at + a, row, share + a, first, d, second, e);
	l->work += row / LANES * d * e;
}

/* Takes v as the next one of the front: how many values those before it leave it. */
static double join_front(struct line *l, int32_t v)
{
	const int32_t domain = l->g->domain[v];
	float *share = l->share + l->share_at[v], sum = 0;

	for (int32_t a = 0; a < domain; a++)
		share[a] = 1;
	for (int64_t k = l->first[v]; k < l->first[v + 1]; k++) {
		const struct rule *r = &l->rules[k];

		if (l->in[r->other[0]] && (r->n_others < 2 || l->in[r->other[1]]))
			apply(l, r, share, domain);
	}
	for (int32_t a = 0; a < domain; a++)
		sum += share[a];
	for (int32_t a = 0; a < domain; a++)
		share[a] = sum > 0 ? share[a] / sum : 0;
	l->in[v] = true;
	l->work += domain + (double)(l->first[v + 1] - l->first[v]);
	return sum;
}

/* The front after position p, from that after p - 1, or, where 'anew', from the line. */
static void step_front(struct line *l, int32_t p, bool anew)
{
	int32_t kept = 0, n = 0, first = anew ? 0 : p;

	if (anew) {
		for (int32_t k = 0; k < l->n_front; k++)
			l->in[l->front[k]] = false;
		l->n_front = 0;
	}
	/* those before the first that leaves stay as they are */
	while (n < l->n_front && l->last[l->front[n]] > p)
		n++;
	for (int32_t k = n; k < l->n_front; k++)
		l->in[l->front[k]] = false;
	kept = n;
	for (int32_t k = n; k < l->n_front; k++)
		if (l->last[l->front[k]] > p)
			l->front[n++] = l->front[k];
	for (int32_t q = first; q <= p; q++)
		if (l->last[l->order[q]] > p)
			l->front[n++] = l->order[q];
	l->n_front = n;
	for (int32_t k = kept; k < n; k++)
		l->states[k] = (k ? l->states[k - 1] : 1) * join_front(l, l->front[k]);
	l->layer[p] = n ? l->states[n - 1] : 1;
}

static void leave_at(struct line *l, int32_t v)
{
	const struct gpube_graph *g = l->g;
	int32_t last = l->position[v];

	for (int64_t e = g->start[v]; e < g->start[v + 1]; e++)
		last = l->position[g->adjacent[e]] > last ? l->position[g->adjacent[e]] : last;
	l->last[v] = last;
	l->work += (double)(g->start[v + 1] - g->start[v]);
}

/*
 * log2 of the states, of which those of positions first to last are guessed anew. INFINITY as soon
 * as one layer has more than 'most' of them: wide fronts take long.
 */
static double guess_states(struct line *l, int32_t first, int32_t last, double most)
{
	double sum = 1;

	for (int32_t p = first; p <= last; p++) {
		step_front(l, p, p == first);
		if (l->layer[p] > most)
			return INFINITY;
	}
	for (int32_t p = 0; p < l->g->n; p++)
		sum += l->layer[p];
	l->work += l->g->n;
	return log2(sum);
}

/* ---- the search ---------------------------------------------------------------------- */

/*
 * The order to begin with, NULL: as the vertices are numbered. Returns its guess, as
 * guess_states().
 */
static double begin(struct line *l, const int32_t *order, double most)
{
	for (int32_t p = 0; p < l->g->n; p++) {
		l->order[p] = order ? order[p] : p;
		l->position[l->order[p]] = p;
	}
	for (int32_t v = 0; v < l->g->n; v++)
		leave_at(l, v);
	return guess_states(l, 0, l->g->n - 1, most);
}

/* Takes the vertex at 'from' out and puts it in at 'to'. */
static void move(struct line *l, int32_t from, int32_t to)
{
	int32_t v = l->order[from], step = to > from ? 1 : -1;

	for (int32_t p = from; p != to; p += step) {
		l->order[p] = l->order[p + step];
		l->position[l->order[p]] = p;
	}
	l->order[to] = v;
	l->position[v] = to;
	/* whoever is a neighbour of one that moved may leave elsewhere */
	for (int32_t p = from; p != to + step; p += step) {
		const struct gpube_graph *g = l->g;
		int32_t w = l->order[p];

		leave_at(l, w);
		for (int64_t e = g->start[w]; e < g->start[w + 1]; e++)
			if (l->position[g->adjacent[e]] < (from < to ? from : to))
				leave_at(l, g->adjacent[e]);
	}
}

/* Nearby moves are the common ones. */
static bool pick_move(struct gpube_rng *rng, int32_t n, int32_t *from, int32_t *to)
{
	double u = gpube__rng_unit(rng);
	int32_t span = 1 + (int32_t)((n - 1) * u * u * u * u);

	*from = (int32_t)gpube__rng_below(rng, (uint64_t)n);
	*to = gpube__rng_below(rng, 2) ? *from + span : *from - span;
	return *to >= 0 && *to < n;
}

static void anneal(struct line *l, int32_t *best, double *least, struct gpube_ctx *ctx, double most,
	uint64_t seed)
{
	const int32_t n = l->g->n;
	double now = guess_states(l, 0, n - 1, INFINITY);
	struct gpube_rng rng;

	gpube__rng_init(&rng, seed);
	*least = now;
	memcpy(best, l->order, (size_t)n * sizeof(*best));
	l->work = 0;
	for (int64_t k = 0; l->work < most && n > 1; k++) {
		double heat = HEAT * (1 - l->work / most) + 1e-3, next;
		int32_t from, to, first, size;

		l->work++;
		if (k % 64 == 0 && gpube__stopped(ctx))
			break;
		if (!pick_move(&rng, n, &from, &to))
			continue;
		first = from < to ? from : to;
		size = abs(to - from) + 1;
		memcpy(l->saved, l->layer + first, (size_t)size * sizeof(*l->saved));
		move(l, from, to);
		next = guess_states(l, first, first + size - 1, INFINITY);
		if (next > now && exp((now - next) / heat) < gpube__rng_unit(&rng)) {
			move(l, to, from);
			memcpy(l->layer + first, l->saved, (size_t)size * sizeof(*l->saved));
			continue;
		}
		now = next;
		if (now < *least) {
			*least = now;
			memcpy(best, l->order, (size_t)n * sizeof(*best));
		}
	}
	*least = begin(l, best, INFINITY);
}

static int line_init(struct gpube_ctx *ctx, struct line *l, const struct gpube_model *m)
{
	uint64_t n = (uint64_t)m->n_vars + 1;
	int64_t values = 0;

	l->order = gpube__alloc(ctx, n, sizeof(*l->order));
	l->position = gpube__alloc(ctx, n, sizeof(*l->position));
	l->last = gpube__alloc(ctx, n, sizeof(*l->last));
	l->first = gpube__alloc(ctx, n, sizeof(*l->first));
	l->front = gpube__alloc(ctx, n, sizeof(*l->front));
	l->in = gpube__alloc_zero(ctx, n, sizeof(*l->in));
	l->states = gpube__alloc(ctx, n, sizeof(*l->states));
	l->layer = gpube__alloc_zero(ctx, n, sizeof(*l->layer));
	l->saved = gpube__alloc(ctx, n, sizeof(*l->saved));
	l->share_at = gpube__alloc(ctx, n, sizeof(*l->share_at));
	if (!l->order || !l->position || !l->last || !l->first || !l->front || !l->in ||
		!l->states || !l->layer || !l->saved || !l->share_at)
		return GPUBE_ENOMEM;
	for (int32_t v = 0; v < m->n_vars; v++) {
		l->share_at[v] = values;
		values += padded(m->vars[v].domain);
	}
	l->share = gpube__alloc(ctx, (uint64_t)values, sizeof(*l->share));
	return l->share ? add_rules(ctx, l, m) : GPUBE_ENOMEM;
}

static void line_clear(struct gpube_ctx *ctx, struct line *l)
{
	gpube__free(ctx, l->order);
	gpube__free(ctx, l->position);
	gpube__free(ctx, l->last);
	gpube__free(ctx, l->first);
	gpube__free(ctx, l->rules);
	gpube__free(ctx, l->cells);
	gpube__free(ctx, l->front);
	gpube__free(ctx, l->in);
	gpube__free(ctx, l->states);
	gpube__free(ctx, l->layer);
	gpube__free(ctx, l->saved);
	gpube__free(ctx, l->share_at);
	gpube__free(ctx, l->share);
}

/* Searches beside each other, each with an order of its own, order + k * n. */
struct searches {
	struct gpube_ctx *ctx;
	struct line line[N_SEARCHES];
	int32_t *order;
	double guess[N_SEARCHES], work; /* work: of each, the next time */
	uint64_t seed;
};

static void search_item(void *arg, int64_t item, int thread)
{
	struct searches *s = arg;
	struct line *l = &s->line[item];
	int32_t *order = s->order + item * l->g->n;

	(void)thread;
	begin(l, order, INFINITY);
	anneal(l, order, &s->guess[item], s->ctx, s->work, s->seed + (uint64_t)item);
}

/*
 * Rounds of searches, each twice as long as the one before, as long as they cost less than they may
 * save, half of the states, and as a round might bring the guess to 'hopeless': one brings 2 or 3.
 */
static void search(struct searches *s, int32_t *order, double *guess, double hopeless, double most)
{
	const int32_t n = s->line->g->n;
	const size_t bytes = (size_t)n * sizeof(*order);
	double states = ROUND_STATES, first = hopeless + FIRST_GAIN;

	for (int i = 0; i < N_SEARCHES; i++)
		memcpy(s->order + i * n, order, bytes);
	s->work = fmin(FIRST_WORK, 70.0 * n * n * n);
	for (; s->work <= most && exp2(*guess) > states && *guess <= first &&
		!gpube__stopped(s->ctx);
		states *= 2, s->work *= 2) {
		gpube__parallel(s->ctx, N_SEARCHES, search_item, s);
		s->seed += N_SEARCHES;
		for (int i = 0; i < N_SEARCHES; i++)
			if (s->guess[i] < *guess) {
				*guess = s->guess[i];
				memcpy(order, s->order + i * n, bytes);
			}
		first = hopeless + GAIN;
	}
}

int gpube__sweep_order(struct gpube_ctx *ctx, int32_t *order, double *guess, double *layer,
	const struct gpube_model *m, const struct gpube_graph *g, double hopeless,
	double most_seconds, uint64_t seed)
{
	struct searches s = {.ctx = ctx, .seed = seed};
	struct line *l = s.line;
	int status = GPUBE_OK;

	s.order = gpube__alloc(ctx, (uint64_t)g->n * N_SEARCHES, sizeof(*s.order));
	if (!s.order)
		return GPUBE_ENOMEM;
	for (int k = 0; k < N_SEARCHES && !status; k++) {
		s.line[k].g = g;
		status = line_init(ctx, &s.line[k], m);
	}
	if (!status) {
		/* beyond, nothing is searched for */
		const double most = exp2(hopeless + FIRST_GAIN);
		double given = begin(l, order, most), as_numbered = begin(l, NULL, most);

		*guess = given < as_numbered ? begin(l, order, most) : as_numbered;
		memcpy(order, l->order, (size_t)g->n * sizeof(*order));
		search(&s, order, guess, hopeless, most_seconds * WORK_PER_SECOND);
		*guess = begin(l, order, most);
		for (int32_t p = 0; p < g->n; p++) /* as the heuristic counts positions */
			layer[p] = l->layer[g->n - 1 - p];
	}
	for (int k = 0; k < N_SEARCHES; k++)
		line_clear(ctx, &s.line[k]);
	gpube__free(ctx, s.order);
	return status;
}
