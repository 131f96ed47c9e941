/*
 * infer_bounds.c - bounds of sums, better and better: see infer_bounds.h.
 *
 * Upper bounds: mini-buckets of growing size, and passes there and back over them. Lower bounds:
 * the exact sum over the assignments that agree with the likeliest values of a cutset, as small as
 * the seconds allow. Then a search: the node of the largest bound is replaced by its children, one
 * for each value of the next cutset variable, which are summed exactly as soon as that fits. The
 * exact sums are a lower bound, with the bounds of the open nodes an upper one. Sums of bounds are
 * rounded outwards.
 */
#include "gpube/infer/infer_bounds.h"
#include "gpube/options/options.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define UNIT         0x1p-50
#define FIRST_CELLS  0x1p8
#define PASSES_CELLS 0x1p10
#define LEAST_SLICE  2e5 /* joined cells of an exact sum, and how many times as many next */
#define GROWTH       8
#define SEARCH_SLICE 2e7
#define CLOSED       1e-10
#define NODE_SECONDS 0.03 /* for the bound of a node */
#define LOWER_SHARE  0.3  /* of the time that is left, for the next lower bound */
/*
 * Of it, for mini-buckets of growing size, and for passes there and back over them, before the
 * search; seconds of the first, where there is no end.
 */
#define BUCKETS_SHARE 0.15
#define PASSES_SHARE  0.8
#define MOST_SECONDS  2
enum { MOST_NODES = 1 << 20, TRIES = 4 };

/* ---- a model with other evidence ----------------------------------------------------- */

/* Sums of j's model with other evidence, along the same order. */
struct nested {
	struct gpube_model view;
	struct gpube_opts opts;
	struct gpube_inference out;
	struct gpube__inferring j;
	int status; /* of the plan: whether it fits */
};

static void nested_clear(struct nested *n)
{
	gpube__infer_clear(&n->j);
}

/* Thousands of them say nothing. */
static gpube_log_fn *be_quiet(struct gpube_ctx *ctx)
{
	gpube_log_fn *told = ctx->log;

	ctx->log = NULL;
	return told;
}

static int nested_begin(
	struct nested *n, const struct gpube__inferring *j, int32_t *evidence, const int32_t *order)
{
	gpube_log_fn *told = be_quiet(j->ctx);
	int status;

	memset(n, 0, sizeof(*n));
	n->view = *j->m;
	n->view.evidence = evidence;
	n->opts = (struct gpube_opts){
		.order_method = GPUBE_ORDER_GIVEN, .order = order, .backend = GPUBE_BACKEND_CPU};
	n->j.m = &n->view;
	n->j.ctx = j->ctx;
	n->j.opts = &n->opts;
	n->j.out = &n->out;
	status = gpube__infer_begin(&n->j);
	if (!status && !n->j.possible.none)
		n->status = gpube__infer_plan(&n->j);
	j->ctx->log = told;
	if (status)
		return status;
	return n->status == GPUBE_ELIMIT ? GPUBE_OK : n->status;
}

static bool fits(const struct nested *n, double cells)
{
	return n->status == GPUBE_OK && n->out.plan.joined_cells <= cells;
}

/* ln of the exact sum, rounded down, and up. */
static int nested_sum(struct nested *n, double *down, double *up)
{
	gpube_log_fn *told = be_quiet(n->j.ctx);
	int status = gpube__infer_up(&n->j);
	double v, error;

	n->j.ctx->log = told;
	if (status)
		return status;
	v = gpube__wide_log10(n->j.z) * log(10);
	error = gpube__infer_error(n->j.roundings) + 8 * UNIT * (fabs(v) + 1);
	*down = n->j.z.m == 0 ? -INFINITY : v - error;
	*up = n->j.z.m == 0 ? -INFINITY : v + error;
	return GPUBE_OK;
}

/* ---- cutsets ------------------------------------------------------------------------- */

struct cutset {
	int32_t n, *position; /* the most important first */
};

/* What each bucket joins without what is cut, and what that is in all. */
static double join_without(
	const struct gpube__inferring *j, const bool *cut, double *logs, double *most)
{
	double sum = 0;

	*most = 0;
	for (int32_t b = 0; b < j->n; b++) {
		const int32_t *scope = gpube__infer_scope(j, b);

		logs[b] = 0;
		for (int k = 0; k < j->buckets[b].arity; k++)
			if (!cut[scope[k]])
				logs[b] += log2(gpube__infer_domain(j, scope[k]));
		*most = fmax(*most, logs[b]);
	}
	for (int32_t b = 0; b < j->n; b++)
		sum += exp2(logs[b] - *most);
	return *most + log2(sum);
}

/* Variables without which the buckets join so few cells: those of the largest buckets first. */
static int find_cutset(struct cutset *c, const struct gpube__inferring *j, double cells)
{
	bool *cut = gpube__alloc_zero(j->ctx, (uint64_t)j->n, sizeof(*cut));
	double *logs = gpube__alloc(j->ctx, 2 * (uint64_t)j->n, sizeof(*logs)),
	       *score = logs + j->n;
	double most, all;
	int status = GPUBE_OK;

	/* of messages half as many are kept, or fewer */
	cells = fmin(cells, (double)j->ctx->memory_bytes / 16);
	*c = (struct cutset){
		.position = gpube__alloc(j->ctx, (uint64_t)j->n, sizeof(*c->position))};
	if (!cut || !logs || !c->position)
		status = GPUBE_ENOMEM;
	while (!status && (all = join_without(j, cut, logs, &most)) > log2(cells) && c->n < j->n) {
		/* all where no cell is allowed */
		int at_once = 1 + (int)fmin((all - log2(cells)) / 8, (double)j->n);

		memset(score, 0, (size_t)j->n * sizeof(*score));
		for (int32_t b = 0; b < j->n; b++)
			for (int k = 0; k < j->buckets[b].arity; k++)
				score[gpube__infer_scope(j, b)[k]] += exp2(logs[b] - most);
		for (; at_once > 0 && c->n < j->n; at_once--) {
			int32_t best = -1;

			for (int32_t p = 0; p < j->n; p++)
				if (!cut[p] && (best < 0 || score[p] > score[best]))
					best = p;
			if (best < 0)
				break;
			cut[best] = true;
			c->position[c->n++] = best;
		}
	}
	gpube__free(j->ctx, cut);
	gpube__free(j->ctx, logs);
	return status;
}

/* ---- lower bounds -------------------------------------------------------------------- */

static int32_t value_at(const struct gpube__inferring *j, int32_t position, int32_t index)
{
	return j->possible.values[j->possible.first[j->var[position]] + index];
}

/*
 * Observes a value of a position's variable, or another of which zeros leave something; false:
 * there is none.
 */
static int observe(bool *done, const struct gpube__inferring *j, int32_t *evidence,
	int32_t position, int32_t index)
{
	const int32_t var = j->var[position], n = gpube__infer_domain(j, position);

	*done = false;
	for (int32_t k = 0; k < n && k < TRIES && !*done; k++) {
		struct gpube_model view = *j->m;
		struct gpube_possible p;
		int status;

		evidence[var] = value_at(j, position, k == 0 ? index : k - (k <= index));
		if (!j->zeros) {
			*done = true;
			return GPUBE_OK;
		}
		view.evidence = evidence;
		status = gpube__possible_find(&p, &view);
		if (status)
			return status;
		*done = !p.none;
		gpube__possible_clear(j->ctx, &p);
	}
	return GPUBE_OK;
}

/* The exact sum with the values of a cutset; false: it does not fit the memory. */
static int try_cut(double *lower, bool *fit, struct gpube__inferring *j, int32_t *evidence,
	const int32_t *values, const int32_t *order, double cells)
{
	struct cutset cutset = {0};
	struct nested n;
	bool done = true;
	double up;
	int status = find_cutset(&cutset, j, cells);

	for (int32_t k = 0; k < cutset.n && !status && done; k++) {
		const int32_t p = cutset.position[k];

		if (evidence[j->var[p]] >= 0)
			continue;
		status = gpube__stopped(j->ctx) ? GPUBE_ESTOP
						: observe(&done, j, evidence, p, values[p]);
	}
	gpube__free(j->ctx, cutset.position);
	if (status || !done)
		return status;
	status = nested_begin(&n, j, evidence, order);
	if (!status && !n.j.possible.none) {
		*fit = n.status == GPUBE_OK;
		if (*fit)
			status = nested_sum(&n, lower, &up);
	}
	nested_clear(&n);
	return status;
}

/* The same with as large a cutset as it takes, of all variables in the end. */
static int sum_cut(double *lower, struct gpube__inferring *j, int32_t *evidence,
	const int32_t *values, const int32_t *order, double cells)
{
	bool fit = false;
	int status = GPUBE_OK;

	for (;; cells /= 64) {
		fit = true;
		status = try_cut(lower, &fit, j, evidence, values, order, cells < 1 ? 0 : cells);
		if (status || fit || cells < 1)
			return status;
	}
}

/*
 * A lower bound of the sum with this evidence, ln: exact if it joins so few cells, otherwise with
 * the values of a cutset observed, too. *upper is set if it is exact.
 */
static int find_lower(double *lower, double *upper, const struct gpube__inferring *j,
	int32_t *evidence, const int32_t *order, double cells)
{
	struct nested n;
	double bound;
	int32_t *values = NULL;
	int status = nested_begin(&n, j, evidence, order);

	*lower = -INFINITY;
	*upper = INFINITY;
	if (!status && n.j.possible.none) {
		*upper = -INFINITY;
	} else if (!status && fits(&n, cells)) {
		status = nested_sum(&n, lower, upper);
	} else if (!status && n.j.scopes) {
		values = gpube__alloc(j->ctx, (uint64_t)n.j.n, sizeof(*values));
		status =
			values ? gpube__wmb(&bound, values, &n.j, FIRST_CELLS, true) : GPUBE_ENOMEM;
		if (!status)
			status = sum_cut(lower, &n.j, evidence, values, order, cells);
	}
	gpube__free(j->ctx, values);
	nested_clear(&n);
	return status;
}

/* ---- the search ---------------------------------------------------------------------- */

struct node {
	double upper;
	int32_t depth;
	int32_t *evidence;
};

struct search {
	struct gpube__inferring *j;
	const int32_t *order;
	struct cutset cutset;
	struct node *heap;
	int64_t n, capacity;
	double closed_lower, closed_upper; /* ln of what was summed exactly */
	double cells, until;
};

/* ln(e^a + e^b) */
static double log_add(double a, double b)
{
	const double most = fmax(a, b), least = fmin(a, b);

	return most == -INFINITY ? most : most + log1p(exp(least - most));
}

static double up_by(double v, double n)
{
	return v + UNIT * n * (fabs(v) + 1);
}

static double all_open(const struct search *s)
{
	double most = -INFINITY, sum = 0;

	for (int64_t k = 0; k < s->n; k++)
		most = fmax(most, s->heap[k].upper);
	if (most == -INFINITY)
		return most;
	for (int64_t k = 0; k < s->n; k++)
		sum += exp(s->heap[k].upper - most);
	return up_by(most + log(sum), (double)s->n + 8);
}

static int push(struct search *s, struct node node)
{
	int64_t k = s->n;

	if (gpube__grow(s->j->ctx, &s->heap, &s->capacity, s->n + 1, sizeof(*s->heap))) {
		gpube__free(s->j->ctx, node.evidence);
		return GPUBE_ENOMEM;
	}
	s->n++;
	for (; k > 0 && s->heap[(k - 1) / 2].upper < node.upper; k = (k - 1) / 2)
		s->heap[k] = s->heap[(k - 1) / 2];
	s->heap[k] = node;
	return GPUBE_OK;
}

static struct node pop(struct search *s)
{
	const struct node top = s->heap[0], last = s->heap[--s->n];
	int64_t k = 0;

	for (;;) {
		int64_t c = 2 * k + 1;

		if (c + 1 < s->n && s->heap[c + 1].upper > s->heap[c].upper)
			c++;
		if (c >= s->n || s->heap[c].upper <= last.upper)
			break;
		s->heap[k] = s->heap[c];
		k = c;
	}
	if (s->n > 0)
		s->heap[k] = last;
	return top;
}

/* Sums a child exactly, or bounds it; the evidence is the search's from then on. */
static int visit(struct search *s, struct node child)
{
	struct nested n;
	double down, up;
	int status = nested_begin(&n, s->j, child.evidence, s->order);
	bool open = false;

	if (!status && !n.j.possible.none &&
		(fits(&n, SEARCH_SLICE) || (child.depth >= s->cutset.n && n.status == GPUBE_OK))) {
		status = nested_sum(&n, &down, &up);
		if (!status) {
			s->closed_lower = -up_by(-log_add(s->closed_lower, down), 8);
			s->closed_upper = up_by(log_add(s->closed_upper, up), 8);
		}
	} else if (!status && !n.j.possible.none) {
		status = gpube__wmb(&up, NULL, &n.j, s->cells, true);
		open = !status && up != -INFINITY;
		child.upper = fmin(child.upper, up);
	}
	nested_clear(&n);
	if (open)
		return push(s, child);
	gpube__free(s->j->ctx, child.evidence);
	return status;
}

/* Replaces a node by its children; if that is stopped, the node stays. */
static int expand(struct search *s, const struct node *node)
{
	const struct gpube__inferring *j = s->j;
	const int32_t p = s->cutset.position[node->depth], var = j->var[p];
	const int64_t n = j->m->n_vars;
	int status = GPUBE_OK;

	for (int32_t k = 0; k < gpube__infer_domain(j, p) && !status; k++) {
		struct node child = {.upper = node->upper, .depth = node->depth + 1};

		child.evidence = gpube__alloc(j->ctx, (uint64_t)n, sizeof(*child.evidence));
		if (!child.evidence)
			return GPUBE_ENOMEM;
		memcpy(child.evidence, node->evidence, (size_t)n * sizeof(*child.evidence));
		child.evidence[var] = value_at(j, p, k);
		status = visit(s, child);
	}
	return status;
}

static void take(struct search *s)
{
	struct gpube__inferring *j = s->j;

	j->log_lower = fmax(j->log_lower, s->closed_lower);
	j->log_upper = fmin(j->log_upper, up_by(log_add(all_open(s), s->closed_upper), 8));
	gpube__infer_tell_bounds(j, "sums over cutsets");
}

static bool is_over(const struct gpube__inferring *j, double until)
{
	return gpube__stopped(j->ctx) || (until > 0 && gpube__now() >= until) ||
	       j->log_upper - j->log_lower < CLOSED;
}

static int search(struct search *s)
{
	struct gpube__inferring *j = s->j;
	const double most_nodes =
		fmin(MOST_NODES, (double)j->ctx->memory_bytes / 8 / (4.0 * j->m->n_vars + 64));
	struct node root = {.upper = j->log_upper};
	int status = find_cutset(&s->cutset, j, SEARCH_SLICE);
	double next = 0;

	s->closed_lower = s->closed_upper = -INFINITY;
	root.evidence = gpube__alloc(j->ctx, (uint64_t)j->m->n_vars, sizeof(*root.evidence));
	if (!root.evidence)
		return GPUBE_ENOMEM;
	for (int32_t i = 0; i < j->m->n_vars; i++)
		root.evidence[i] = j->m->evidence ? j->m->evidence[i] : -1;
	if (status)
		gpube__free(j->ctx, root.evidence);
	else
		status = push(s, root);
	while (!status && s->n > 0 && (double)s->n < most_nodes && !is_over(j, s->until)) {
		struct node node = pop(s);

		if (node.depth >= s->cutset.n) { /* does not fit after all */
			status = push(s, node);
			break;
		}
		status = expand(s, &node);
		gpube__free(j->ctx, node.evidence);
		if (!status && gpube__now() >= next) {
			take(s);
			next = gpube__now() + 0.2;
		}
	}
	/* what was stopped has lost a node: its bounds stay as they were */
	if (!status)
		take(s);
	for (int64_t k = 0; k < s->n; k++)
		gpube__free(j->ctx, s->heap[k].evidence);
	gpube__free(j->ctx, s->heap);
	gpube__free(j->ctx, s->cutset.position);
	return status;
}

/* ---- all ----------------------------------------------------------------------------- */

/* j's order of all variables of the model: those of one value last. */
static int32_t *order_of(const struct gpube__inferring *j)
{
	int32_t *order = gpube__alloc(j->ctx, (uint64_t)j->m->n_vars, sizeof(*order)), n = j->n;

	if (!order)
		return NULL;
	memcpy(order, j->var, (size_t)j->n * sizeof(*order));
	for (int32_t i = 0; i < j->m->n_vars; i++)
		if (j->position[i] < 0)
			order[n++] = i;
	return order;
}

/* A lower bound with the values that mini-buckets found likely. */
static int update_lower(struct gpube__inferring *j, const int32_t *values, const int32_t *order,
	double cells, int32_t *best)
{
	int32_t *evidence = gpube__alloc(j->ctx, (uint64_t)j->m->n_vars, sizeof(*evidence));
	double lower = -INFINITY, upper;
	bool done = true;
	int status = evidence ? GPUBE_OK : GPUBE_ENOMEM;

	for (int32_t i = 0; i < j->m->n_vars && !status; i++)
		evidence[i] = j->m->evidence ? j->m->evidence[i] : -1;
	if (!status && j->last) {
		for (int32_t p = j->n - 1; p >= j->n_up && !status && done; p--)
			status = gpube__stopped(j->ctx) ? GPUBE_ESTOP
							: observe(&done, j, evidence, p, values[p]);
		if (!status && done)
			status = find_lower(&lower, &upper, j, evidence, order, cells);
	} else if (!status) {
		status = sum_cut(&lower, j, evidence, values, order, cells);
	}
	if (!status && lower > j->log_lower) {
		j->log_lower = lower;
		for (int32_t i = 0; best && i < j->m->n_vars; i++)
			best[i] = j->possible.n[i] == 1 ? j->possible.values[j->possible.first[i]]
							: evidence[i];
	}
	gpube__free(j->ctx, evidence);
	return status;
}

/*
 * update_lower() for a part of the time that is left; what is not done then is left. Sets how long
 * it took.
 */
static int update_in_time(struct gpube__inferring *j, const int32_t *values, const int32_t *order,
	double cells, int32_t *best, double until, double *seconds)
{
	const double start = gpube__now(), deadline = j->ctx->deadline;
	int status;

	if (until > 0)
		gpube__end_by(j->ctx, start + LOWER_SHARE * (until - start));
	status = update_lower(j, values, order, cells, best);
	j->ctx->deadline = deadline;
	*seconds = gpube__now() - start;
	return status == GPUBE_ESTOP && !gpube__stopped(j->ctx) ? GPUBE_OK : status;
}

/*
 * How many times as large the next mini-buckets are, which take as many times the memory and the
 * seconds, or more; 0: they do not fit. Where no search follows the last ones are twice as large.
 */
static double growth_of(const struct gpube__inferring *j, double seconds, double until)
{
	for (double g = 4; g >= (j->last ? 2 : 4); g /= 2)
		if (g * j->wmb_bytes <= (double)j->ctx->memory_bytes / 4 &&
			(until > 0 ? gpube__now() + (g + 1) * seconds <= until
				   : seconds <= (j->last ? 20 : MOST_SECONDS)))
			return g;
	return 0;
}

int gpube__infer_bounds(struct gpube__inferring *j, double until, int32_t *best)
{
	struct search s = {.j = j, .cells = FIRST_CELLS, .until = until};
	int32_t *values = gpube__alloc(j->ctx, (uint64_t)j->n, sizeof(*values)),
		*order = order_of(j);
	const double left = until - gpube__now(),
		     buckets_until =
			     until > 0 && !j->last ? until - (1 - BUCKETS_SHARE) * left : until;
	double cells = FIRST_CELLS, slice = LEAST_SLICE, lower_seconds = 0, growth;
	bool passed = j->last;
	int status = values && order ? GPUBE_OK : GPUBE_ENOMEM;

	for (bool first = true; !status; first = false) {
		const double start = gpube__now();
		const bool read = first || (double)j->n * cells * sizeof(double) <
						   (double)j->ctx->memory_bytes / 16;
		double upper = INFINITY, seconds;

		if (!first && is_over(j, until))
			break;
		status = gpube__wmb(&upper, read ? values : NULL, j, cells, !first);
		seconds = gpube__now() - start;
		if (!status)
			j->log_upper = fmin(j->log_upper, upper);
		if (!status && seconds < NODE_SECONDS)
			s.cells = cells;
		if (!status && read && j->scopes && !gpube__stopped(j->ctx) &&
			(first || until == 0 ||
				GROWTH * lower_seconds < LOWER_SHARE * (until - gpube__now()))) {
			status = update_in_time(
				j, values, order, slice, best, until, &lower_seconds);
			slice *= GROWTH;
		}
		gpube__infer_tell_bounds(j, "weighted mini-buckets");
		growth = growth_of(j, seconds, passed ? until : buckets_until);
		if (growth == 0 && !passed && !status && !is_over(j, until)) {
			passed = true;
			status = gpube__wmb_passes(j, PASSES_CELLS,
				until > 0 ? gpube__now() + PASSES_SHARE * (until - gpube__now())
					  : 0);
			growth = growth_of(j, seconds, until);
		}
		cells *= growth;
		if (cells == 0)
			break;
	}
	if (!status && j->scopes && !j->last && !is_over(j, until)) {
		s.order = order;
		status = search(&s);
	}
	gpube__free(j->ctx, values);
	gpube__free(j->ctx, order);
	return status == GPUBE_ESTOP || status == GPUBE_ELIMIT ? GPUBE_OK : status;
}
