/* pairwise_init.c - which regions and separators there are, and their tables: see pairwise.h. */
#include "gpube/relax/pairwise/pairwise.h"

#include <stdlib.h>
#include <string.h>

#include "gpube/base/rows.h"
#include "gpube/relax/scaling.h"

/*
 * More is not for a sweep of milliseconds: functions, pairs of regions that share variables, cells
 * that it touches.
 */
enum { MOST_FUNCTIONS = 1 << 15, MOST_PAIRS = 1 << 20, MOST_TOUCHED = 1 << 24 };

/* What a partner shares weighs against what it adds. */
enum { SHARED = 100 };

/* Of a function, a region, or what two regions share: ascending. */
struct scope {
	int32_t n;
	int32_t v[GPUBE__REGION_ARITY];
	bool gone;
};

struct near {
	int32_t *of;
	int64_t n, capacity;
};

struct making {
	struct gpube_ctx *ctx;
	const struct gpube_model *m;
	struct gpube_pairwise *p;
	int64_t most_cells;
	struct scope *s; /* functions; then regions */
	int32_t n_s;
	struct near *near;   /* of each variable: those that have it, some of them gone */
	int32_t *seen, time; /* by function or region: when it was last met */
	struct scope *shared;
	int64_t n_shared, shared_capacity;
	bool too_much;
};

/* ---- scopes -------------------------------------------------------------------------------- */

static bool contains(const struct scope *a, const struct scope *b)
{
	int32_t k = 0;

	for (int32_t j = 0; j < b->n; j++, k++) {
		while (k < a->n && a->v[k] < b->v[j])
			k++;
		if (k == a->n || a->v[k] != b->v[j])
			return false;
	}
	return true;
}

static int32_t common(const struct scope *a, const struct scope *b, int32_t *v)
{
	int32_t n = 0;

	for (int32_t i = 0, j = 0; i < a->n && j < b->n;) {
		if (a->v[i] == b->v[j]) {
			v[n++] = a->v[i++];
			j++;
		} else if (a->v[i] < b->v[j]) {
			i++;
		} else {
			j++;
		}
	}
	return n;
}

/* Their number; v has room for the variables of both. */
static int32_t together(const struct scope *a, const struct scope *b, int32_t *v)
{
	int32_t n = 0;

	for (int32_t i = 0, j = 0; i < a->n || j < b->n;) {
		const int32_t x = i < a->n ? a->v[i] : INT32_MAX,
			      y = j < b->n ? b->v[j] : INT32_MAX;

		v[n++] = x < y ? x : y;
		i += x <= y;
		j += y <= x;
	}
	return n;
}

/* More than 'most': most + 1. */
static int64_t cells_of(const struct making *w, const int32_t *v, int32_t n, int64_t most)
{
	int64_t cells = 1;

	for (int32_t k = 0; k < n && cells <= most; k++)
		cells *= w->p->domain[v[k]];
	return cells <= most ? cells : most + 1;
}

static int larger_first(const void *x, const void *y)
{
	const struct scope *a = x, *b = y;

	if (a->n != b->n)
		return a->n > b->n ? -1 : 1;
	return memcmp(a->v, b->v, (size_t)a->n * sizeof(*a->v));
}

/* By the last variable, of equals the larger one first. */
static int by_place(const void *x, const void *y)
{
	const struct scope *a = x, *b = y;
	const int32_t last_a = a->v[a->n - 1], last_b = b->v[b->n - 1];

	if (last_a != last_b)
		return last_a < last_b ? -1 : 1;
	return larger_first(a, b);
}

/* ---- regions ------------------------------------------------------------------------------- */

static int relation(struct making *w, int32_t var, int32_t k)
{
	struct near *near = &w->near[var];

	if (gpube__grow(w->ctx, &near->of, &near->capacity, near->n + 1, sizeof(*near->of)))
		return GPUBE_ENOMEM;
	near->of[near->n++] = k;
	return GPUBE_OK;
}

static void find_functions(struct making *w)
{
	for (int32_t f = 0; f < w->m->n_functions; f++) {
		struct scope *s = &w->s[w->n_s];

		if (!w->m->functions[f].arity)
			continue;
		s->n = w->m->functions[f].arity;
		memcpy(s->v, gpube__scope(w->m, f), (size_t)s->n * sizeof(*s->v));
		qsort(s->v, (size_t)s->n, sizeof(*s->v), gpube__compare_int32);
		w->n_s++;
	}
}

/* Those that are within another's gone, the others in the relations of their variables. */
static int relation_scopes(struct making *w)
{
	int status = GPUBE_OK;

	qsort(w->s, (size_t)w->n_s, sizeof(*w->s), larger_first);
	for (int32_t k = 0; k < w->n_s && !status; k++) {
		struct scope *s = &w->s[k];
		const struct near *near = &w->near[s->v[0]];

		for (int64_t j = 0; j < near->n && !s->gone; j++)
			s->gone = contains(&w->s[near->of[j]], s);
		for (int32_t i = 0; i < s->n && !s->gone && !status; i++)
			status = relation(w, s->v[i], k);
	}
	return status;
}

/* The one that shares most with region k, if both together are few cells; -1: none. */
static int32_t partner(struct making *w, int32_t k)
{
	const struct scope *s = &w->s[k];
	int32_t best = -1, most = 0;

	w->seen[k] = ++w->time;
	for (int32_t i = 0; i < s->n; i++)
		for (int64_t j = 0; j < w->near[s->v[i]].n; j++) {
			const int32_t other = w->near[s->v[i]].of[j];
			int32_t v[2 * GPUBE__REGION_ARITY], n, score;

			if (w->s[other].gone || w->seen[other] == w->time)
				continue;
			w->seen[other] = w->time;
			n = together(s, &w->s[other], v);
			score = SHARED * (s->n + w->s[other].n - n) - (n - s->n);
			if (score <= most || n > GPUBE__REGION_ARITY ||
				cells_of(w, v, n, w->most_cells) > w->most_cells)
				continue;
			most = score;
			best = other;
		}
	return best;
}

/* Regions become larger with what shares much with them. */
static int join(struct making *w)
{
	int status = GPUBE_OK;

	for (int32_t k = 0; k < w->n_s && !status; k++) {
		int32_t other = w->s[k].gone ? -1 : partner(w, k);

		for (; other >= 0 && !status; other = partner(w, k)) {
			const struct scope was = w->s[k];
			struct scope *s = &w->s[k];

			s->n = together(&was, &w->s[other], s->v);
			w->s[other].gone = true;
			for (int32_t i = 0; i < s->n && !status; i++)
				if (!contains(&was, &(struct scope){.n = 1, .v = {s->v[i]}}))
					status = relation(w, s->v[i], k);
		}
		if (gpube__stopped(w->ctx))
			return gpube__fail_stopped(w->ctx);
	}
	return status;
}

/* The scopes that are left, in their order, and the regions of each variable. */
static int settle_regions(struct making *w)
{
	struct gpube_pairwise *p = w->p;
	int32_t n = 0, total = 0;

	for (int32_t k = 0; k < w->n_s; k++)
		if (!w->s[k].gone)
			w->s[n++] = w->s[k];
	qsort(w->s, (size_t)n, sizeof(*w->s), by_place);
	p->n_regions = n;
	p->regions = gpube__alloc_zero(w->ctx, (uint64_t)n + 1, sizeof(*p->regions));
	for (int32_t k = 0; k < n; k++)
		total += w->s[k].n;
	p->of = gpube__alloc(w->ctx, (uint64_t)total + 1, sizeof(*p->of));
	p->of_at = gpube__alloc_zero(w->ctx, (uint64_t)p->n + 2, sizeof(*p->of_at));
	if (!p->regions || !p->of || !p->of_at)
		return GPUBE_ENOMEM;
	for (int32_t k = 0; k < n; k++) {
		struct gpube_region *a = &p->regions[k];

		a->arity = w->s[k].n;
		memcpy(a->scope, w->s[k].v, sizeof(a->scope));
		a->n_cells = (int32_t)cells_of(w, a->scope, a->arity, GPUBE__REGION_CELLS);
		a->first = a->last = -1;
		a->at = p->n_cells;
		p->n_cells += a->n_cells;
		for (int32_t i = 0; i < a->arity; i++)
			GPUBE_ROW_COUNT(p->of_at, a->scope[i]);
	}
	GPUBE_ROWS_BEGIN(p->of_at, p->n);
	for (int32_t k = 0; k < n; k++)
		for (int32_t i = 0; i < w->s[k].n; i++)
			p->of[GPUBE_ROW_PLACE(p->of_at, w->s[k].v[i])] = k;
	return GPUBE_OK;
}

/* ---- separators ---------------------------------------------------------------------------- */

static int note_shared(struct making *w, const struct scope *s)
{
	if (w->n_shared == MOST_PAIRS) {
		w->too_much = true;
		return GPUBE_OK;
	}
	if (gpube__grow(
		    w->ctx, &w->shared, &w->shared_capacity, w->n_shared + 1, sizeof(*w->shared)))
		return GPUBE_ENOMEM;
	w->shared[w->n_shared++] = *s;
	return GPUBE_OK;
}

/* What any two regions share, and each variable of several, once. */
static int find_shared(struct making *w)
{
	const struct gpube_pairwise *p = w->p;
	int64_t n = 0;
	int status = GPUBE_OK;

	memset(w->seen, 0, (size_t)w->n_s * sizeof(*w->seen));
	w->time = 0;
	for (int32_t i = 0; i < p->n && !status; i++)
		if (p->of_at[i + 1] - p->of_at[i] > 1)
			status = note_shared(w, &(struct scope){.n = 1, .v = {i}});
	for (int32_t k = 0; k < p->n_regions && !status && !w->too_much; k++) {
		w->seen[k] = ++w->time;
		for (int32_t i = 0; i < w->s[k].n; i++)
			for (int32_t j = p->of_at[w->s[k].v[i]];
				j < p->of_at[w->s[k].v[i] + 1] && p->of[j] < k; j++) {
				struct scope s = {0};

				if (w->seen[p->of[j]] == w->time)
					continue;
				w->seen[p->of[j]] = w->time;
				s.n = common(&w->s[k], &w->s[p->of[j]], s.v);
				if (s.n > 1 && !status)
					status = note_shared(w, &s);
			}
	}
	if (!status)
		status = gpube__sort(
			w->ctx, w->shared, (uint64_t)w->n_shared, sizeof(*w->shared), by_place);
	for (int64_t k = 0; k < w->n_shared && !status; k++)
		if (!n || by_place(&w->shared[n - 1], &w->shared[k]))
			w->shared[n++] = w->shared[k];
	w->n_shared = n;
	return status;
}

/* Once without memory for members, to count them, and once with. Errors: ENOMEM */
static int relation_members(struct making *w, bool with)
{
	struct gpube_pairwise *p = w->p;
	int status = GPUBE_OK;

	p->n_members = p->n_touched = 0;
	for (int32_t k = 0; k < p->n_separators; k++) {
		struct gpube_separator *b = &p->separators[k];

		b->member = (int32_t)p->n_members;
		for (int32_t j = p->of_at[b->scope[0]]; j < p->of_at[b->scope[0] + 1]; j++) {
			struct gpube_region *a = &p->regions[p->of[j]];

			if (!contains(&w->s[p->of[j]], &w->shared[k]))
				continue;
			if (with) {
				struct gpube_region_member *of = &p->members[p->n_members];

				of->region = p->of[j];
				of->separator = k;
				if (!status)
					status = gpube__projection_init(w->ctx, &of->onto,
						p->domain, a->scope, a->arity, b->scope, b->arity);
			} else {
				a->first = a->first < 0 ? k : a->first;
				a->last = k;
				a->n_members++;
			}
			p->n_touched += a->n_cells;
			p->n_members++;
		}
		b->n_members = (int32_t)p->n_members - b->member;
	}
	return status;
}

/* A sweep's sum and every member's part of it; decoding's flags and the cells of a region. */
static int64_t room_of(const struct gpube_pairwise *p)
{
	int64_t most = 1 + (int64_t)p->n;

	for (int32_t k = 0; k < p->n_separators; k++) {
		const int64_t room =
			(1 + (int64_t)p->separators[k].n_members) * p->separators[k].n_cells;

		most = room > most ? room : most;
	}
	for (int32_t k = 0; k < p->n_regions; k++)
		most = p->n + (int64_t)p->regions[k].n_cells > most
			       ? p->n + (int64_t)p->regions[k].n_cells
			       : most;
	return most;
}

static int settle_separators(struct making *w)
{
	struct gpube_pairwise *p = w->p;
	int32_t total = 0;
	int status;

	p->n_separators = (int32_t)w->n_shared;
	p->separators =
		gpube__alloc_zero(w->ctx, (uint64_t)p->n_separators + 1, sizeof(*p->separators));
	if (!p->separators)
		return GPUBE_ENOMEM;
	for (int32_t k = 0; k < p->n_separators; k++) {
		struct gpube_separator *b = &p->separators[k];

		b->arity = w->shared[k].n;
		memcpy(b->scope, w->shared[k].v, sizeof(b->scope));
		b->n_cells = (int32_t)cells_of(w, b->scope, b->arity, GPUBE__REGION_CELLS);
		b->at = p->n_cells;
		p->n_cells += b->n_cells;
	}
	status = relation_members(w, false);
	p->room = room_of(p);
	/* the plan, with lists of up to twice the cells, a few states, and what a sweep takes */
	w->too_much = p->n_touched > MOST_TOUCHED ||
		      sizeof(*p->members) * (uint64_t)p->n_members +
				      2 * sizeof(int32_t) * (uint64_t)p->n_touched +
				      8 * gpube__pairwise_bytes(p) +
				      sizeof(int32_t) * (uint64_t)p->room >
			      w->ctx->memory_bytes / 4;
	if (w->too_much)
		return GPUBE_OK;
	p->members = gpube__alloc_zero(w->ctx, (uint64_t)p->n_members + 1, sizeof(*p->members));
	p->member_of = gpube__alloc(w->ctx, (uint64_t)p->n_members + 1, sizeof(*p->member_of));
	status = p->members && p->member_of ? relation_members(w, true) : GPUBE_ENOMEM;
	if (status)
		return status;
	for (int32_t k = 0; k < p->n_regions; k++) {
		p->regions[k].member = total;
		total += p->regions[k].n_members;
		p->regions[k].n_members = 0;
	}
	for (int32_t j = 0; j < p->n_members; j++) {
		struct gpube_region *a = &p->regions[p->members[j].region];
		struct gpube_separator *b = &p->separators[p->members[j].separator];

		p->member_of[a->member + a->n_members++] = j;
		b->n_after += a->last > p->members[j].separator;
		b->n_before += a->first < p->members[j].separator;
	}
	return GPUBE_OK;
}

/* ---- tables -------------------------------------------------------------------------------- */

/* Costs, scaled, onto the table of the first region that has their variables. */
static int add_costs(const struct making *w, struct gpube_pairwise_state *s, const struct scope *f,
	const int32_t *cost)
{
	const struct gpube_pairwise *p = w->p;
	const struct gpube_region *a;
	struct gpube_projection onto;
	int32_t j = p->of_at[f->v[0]];
	int status;

	while (!contains(&w->s[p->of[j]], f))
		j++;
	a = &p->regions[p->of[j]];
	status = gpube__projection_init(w->ctx, &onto, p->domain, a->scope, a->arity, f->v, f->n);
	if (!status)
		gpube__project_add(&onto, s->cells + a->at, cost, gpube__pairwise_slack(s));
	gpube__projection_clear(w->ctx, &onto);
	return status;
}

static int add_functions(struct making *w, struct gpube_pairwise_state *s, int64_t left)
{
	int64_t *cost = gpube__alloc(w->ctx, GPUBE__REGION_FUNCTION, sizeof(*cost));
	int32_t *scaled = gpube__alloc(w->ctx, GPUBE__REGION_FUNCTION, sizeof(*scaled));
	int status = cost && scaled ? GPUBE_OK : GPUBE_ENOMEM;

	for (int32_t k = 0; k < w->m->n_functions && !status; k++) {
		struct scope f = {.n = w->m->functions[k].arity};

		if (!f.n)
			continue;
		memcpy(f.v, gpube__scope(w->m, k), (size_t)f.n * sizeof(*f.v));
		qsort(f.v, (size_t)f.n, sizeof(*f.v), gpube__compare_int32);
		status = gpube__dense(cost, w->m, k, NULL);
		if (status)
			break;
		for (int64_t c = 0; c < gpube__cells(w->m, f.n, gpube__scope(w->m, k)); c++)
			scaled[c] =
				gpube__scale(w->p->shift, cost[c], left, GPUBE__REGION_FORBIDDEN);
		status = add_costs(w, s, &f, scaled);
	}
	gpube__free(w->ctx, cost);
	gpube__free(w->ctx, scaled);
	return status;
}

/*
 * A region's least cost into the constant: of one that shares nothing that is all there is to know.
 */
static void settle_region(struct gpube_pairwise_state *s, const struct gpube_region *a)
{
	int32_t *t = s->cells + a->at, least = GPUBE__REGION_FORBIDDEN;

	for (int32_t c = 0; c < a->n_cells; c++)
		least = t[c] < least ? t[c] : least;
	if (least >= s->target - s->constant) {
		s->constant = s->target;
		return;
	}
	for (int32_t c = 0; c < a->n_cells; c++)
		t[c] -= t[c] < GPUBE__REGION_FORBIDDEN ? least : 0;
	s->constant += least;
}

/* All have changed since they were asked. */
static void all_changed(const struct gpube_pairwise *p, struct gpube_pairwise_state *s)
{
	s->time = 1;
	for (int32_t k = 0; k < p->n_regions; k++)
		s->cells[p->n_cells + k] = s->time;
}

static int make_state(struct making *w, struct gpube_pairwise_state **out, int64_t cutoff)
{
	struct gpube_pairwise *p = w->p;
	const int64_t left = gpube__costs_left(w->m, cutoff);
	struct gpube_pairwise_state *s;
	int status = GPUBE_OK;

	p->shift = gpube__scale_shift(w->m, left, GPUBE__REGION_MOST, GPUBE__MOST_SHIFT);
	s = *out = gpube__alloc_zero(w->ctx, gpube__pairwise_bytes(p), 1);
	if (!s)
		return GPUBE_ENOMEM;
	s->target = gpube__pairwise_target(p, w->m, cutoff);
	status = add_functions(w, s, left);
	for (int32_t k = 0; k < p->n_regions && !status && s->constant < s->target; k++)
		settle_region(s, &p->regions[k]);
	all_changed(p, s);
	return status;
}

/* ---- the call ------------------------------------------------------------------------------ */

static bool is_for_it(const struct gpube_model *m)
{
	if (m->n_functions > MOST_FUNCTIONS || gpube__constant_of(m) == GPUBE_INF)
		return false;
	for (int32_t k = 0; k < m->n_functions; k++) {
		const int arity = m->functions[k].arity;
		const int64_t cells = arity <= GPUBE__REGION_ARITY
					      ? gpube__cells(m, arity, gpube__scope(m, k))
					      : -1;

		if (cells < 0 || cells > GPUBE__REGION_FUNCTION)
			return false;
	}
	return true;
}

static int make(struct making *w, struct gpube_pairwise_state **first, int64_t cutoff)
{
	int status;

	find_functions(w);
	status = relation_scopes(w);
	if (!status)
		status = join(w);
	if (!status)
		status = settle_regions(w);
	if (!status)
		status = find_shared(w);
	if (!status && !w->too_much)
		status = settle_separators(w);
	return status || w->too_much ? status : make_state(w, first, cutoff);
}

/* Of n variables, and scopes of at most n_scopes; w has what they are made of. */
static int make_regions(struct making *w, struct gpube_pairwise **out,
	struct gpube_pairwise_state **first, int64_t cutoff)
{
	const int32_t n = w->m->n_vars, n_scopes = w->m->n_functions;
	int status = GPUBE_ENOMEM;

	w->p = gpube__alloc_zero(w->ctx, 1, sizeof(*w->p));
	w->s = gpube__alloc_zero(w->ctx, (uint64_t)n_scopes + 1, sizeof(*w->s));
	w->seen = gpube__alloc_zero(w->ctx, (uint64_t)n_scopes + 1, sizeof(*w->seen));
	w->near = gpube__alloc_zero(w->ctx, (uint64_t)n + 1, sizeof(*w->near));
	if (w->p) {
		w->p->ctx = w->ctx;
		w->p->n = n;
		w->p->most_cells = w->most_cells;
		w->p->domain = gpube__alloc(w->ctx, (uint64_t)n + 1, sizeof(*w->p->domain));
	}
	if (w->p && w->p->domain && w->s && w->seen && w->near) {
		for (int32_t i = 0; i < n; i++)
			w->p->domain[i] = w->m->vars[i].domain;
		status = make(w, first, cutoff);
	}
	for (int32_t i = 0; w->near && i < n; i++)
		gpube__free(w->ctx, w->near[i].of);
	GPUBE_FREE_ALL(w->ctx, w->near, w->s, w->seen, w->shared);
	if (!status && !w->too_much) {
		*out = w->p;
		return GPUBE_OK;
	}
	gpube__free(w->ctx, *first);
	*first = NULL;
	gpube__pairwise_free(w->p);
	return status;
}

int gpube__pairwise_new(struct gpube_pairwise **out, struct gpube_pairwise_state **first,
	const struct gpube_model *m, int64_t most_cells, int64_t cutoff)
{
	struct making w = {.ctx = m->ctx, .m = m, .most_cells = most_cells};

	*out = NULL;
	*first = NULL;
	return is_for_it(m) ? make_regions(&w, out, first, cutoff) : GPUBE_OK;
}

void gpube__pairwise_free(struct gpube_pairwise *p)
{
	if (!p)
		return;
	for (int64_t j = 0; p->members && j < p->n_members; j++)
		gpube__projection_clear(p->ctx, &p->members[j].onto);
	GPUBE_FREE_ALL(p->ctx, p->domain, p->regions, p->separators, p->members, p->member_of,
		p->of, p->of_at, p);
}
