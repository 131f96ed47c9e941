/* lean.c - see lean.h. */
#include "gpube/simplify/lean.h"

#include <stdlib.h>
#include <string.h>

#include "gpube/ir/dense.h"

/*
 * Cells of all functions together, and those of a bucket's joined tables: more are not for a search
 * tree either.
 */
enum { MOST_CELLS = 1 << 22, MOST_JOINED = 1 << 26 };

enum { BETWEEN_LOOKS = 64 };

/* Dense, its variables ascending, the last one fastest. */
struct function {
	int arity;
	int32_t scope[GPUBE__LEAN_ARITY];
	int64_t cells, *cost;
	bool gone;
};

struct functions_of {
	int32_t *of;
	int64_t n, capacity;
};

struct candidate {
	int64_t cells; /* of the function that it would leave */
	int32_t var;
};

struct making {
	struct gpube_ctx *ctx;
	const struct gpube_model *m;
	struct gpube_lean *l;
	int64_t most_cells, n_joined;
	struct function *f;
	int64_t n_f, f_capacity;
	struct functions_of *at; /* of each variable, gone ones as well */
	bool *gone;
	int32_t *seen, time; /* of each variable: when it was last met */
	struct candidate *heap;
	int64_t n_heap, heap_capacity;
};

/* ---- functions ------------------------------------------------------------------------------- */

static int64_t cells_of(const struct making *w, int arity, const int32_t *scope)
{
	int64_t cells = 1;

	for (int k = 0; k < arity && cells <= MOST_CELLS; k++)
		cells *= w->m->vars[scope[k]].domain;
	return cells;
}

/* With its costs still to be written. Errors: ENOMEM */
static int add_function(struct making *w, int arity, const int32_t *scope, struct function **out)
{
	struct function *f;

	if (gpube__grow(w->ctx, &w->f, &w->f_capacity, w->n_f + 1, sizeof(*w->f)))
		return GPUBE_ENOMEM;
	f = &w->f[w->n_f];
	*f = (struct function){.arity = arity, .cells = cells_of(w, arity, scope)};
	memcpy(f->scope, scope, (size_t)arity * sizeof(*scope));
	f->cost = gpube__alloc(w->ctx, (uint64_t)f->cells, sizeof(*f->cost));
	if (!f->cost)
		return GPUBE_ENOMEM;
	w->n_f++;
	for (int k = 0; k < arity; k++) {
		struct functions_of *at = &w->at[scope[k]];

		if (gpube__grow(w->ctx, &at->of, &at->capacity, at->n + 1, sizeof(*at->of)))
			return GPUBE_ENOMEM;
		at->of[at->n++] = (int32_t)(w->n_f - 1);
	}
	*out = f;
	return GPUBE_OK;
}

static int load(struct making *w)
{
	const struct gpube_model *m = w->m;
	int status = GPUBE_OK;

	for (int32_t k = 0; k < m->n_functions && !status; k++) {
		int32_t scope[GPUBE__LEAN_ARITY];
		const int arity = m->functions[k].arity;
		struct function *f;

		if (!arity)
			continue; /* in the constant */
		gpube__sorted_scope(scope, m, k, NULL);
		status = add_function(w, arity, scope, &f);
		if (!status)
			status = gpube__dense(f->cost, m, k, NULL);
	}
	return status;
}

/* Whether all functions are small enough. */
static bool is_for_it(const struct gpube_model *m)
{
	int64_t cells = 0;

	if (m->n_vars < 2)
		return false;
	for (int32_t k = 0; k < m->n_functions; k++) {
		const int64_t n =
			m->functions[k].arity <= GPUBE__LEAN_ARITY
				? gpube__cells(m, m->functions[k].arity, gpube__scope(m, k))
				: -1;

		if (n < 0 || n > MOST_CELLS - cells)
			return false;
		cells += n;
	}
	return true;
}

/* ---- which is next --------------------------------------------------------------------------- */

/*
 * The variables of a variable's functions, ascending, itself left out; -1: too many. Those that are
 * gone are taken off its list.
 */
static int neighbours(struct making *w, int32_t var, int32_t *scope)
{
	struct functions_of *at = &w->at[var];
	int64_t n_left = 0;
	int n = 0;

	w->seen[var] = ++w->time;
	for (int64_t i = 0; i < at->n; i++)
		if (!w->f[at->of[i]].gone)
			at->of[n_left++] = at->of[i];
	at->n = n_left;
	for (int64_t i = 0; i < at->n; i++) {
		const struct function *f = &w->f[at->of[i]];

		for (int k = 0; k < f->arity; k++) {
			if (w->seen[f->scope[k]] == w->time)
				continue;
			if (n == GPUBE__LEAN_ARITY)
				return -1;
			w->seen[f->scope[k]] = w->time;
			scope[n++] = f->scope[k];
		}
	}
	qsort(scope, (size_t)n, sizeof(*scope), gpube__compare_int32);
	return n;
}

/* Cells of the function that it would leave; -1: it is too large, or there is none. */
static int64_t left_by(struct making *w, int32_t var, int *arity, int32_t *scope)
{
	int64_t cells;

	*arity = neighbours(w, var, scope);
	if (*arity < 1)
		return -1;
	cells = cells_of(w, *arity, scope);
	return cells <= w->most_cells ? cells : -1;
}

static bool before(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	return x->cells < y->cells || (x->cells == y->cells && x->var < y->var);
}

static int push(struct making *w, int32_t var, int64_t cells)
{
	if (gpube__grow(w->ctx, &w->heap, &w->heap_capacity, w->n_heap + 1, sizeof(*w->heap)))
		return GPUBE_ENOMEM;
	w->heap[w->n_heap++] = (struct candidate){cells, var};
	gpube__heap_push(w->heap, w->n_heap, sizeof(*w->heap), before);
	return GPUBE_OK;
}

static struct candidate pop(struct making *w)
{
	gpube__heap_take(w->heap, w->n_heap, 0, sizeof(*w->heap), before);
	return w->heap[--w->n_heap];
}

/* As it is now; not, where it would leave too much. */
static int consider(struct making *w, int32_t var)
{
	int32_t scope[GPUBE__LEAN_ARITY];
	int arity;
	const int64_t cells = left_by(w, var, &arity, scope);

	return cells < 0 ? GPUBE_OK : push(w, var, cells);
}

/* ---- elimination ----------------------------------------------------------------------------- */

static int64_t plus(int64_t a, int64_t b)
{
	return a == GPUBE_INF || b == GPUBE_INF ? GPUBE_INF : a + b;
}

/* What a step in each of 'scope' is in f's cells; 0 for variables that it has not. */
static void strides(const struct making *w, const struct function *f, int arity,
	const int32_t *scope, int64_t *step)
{
	int64_t stride = 1;
	int k = f->arity - 1;

	for (int d = arity - 1; d >= 0; d--) {
		step[d] = 0;
		if (k >= 0 && f->scope[k] == scope[d]) {
			step[d] = stride;
			stride *= w->m->vars[scope[d]].domain;
			k--;
		}
	}
}

/* The next cell of a table over 'scope', and where f is then; false after the last one. */
static bool advance(const struct making *w, int arity, const int32_t *scope, int32_t *index,
	const int64_t *step, int64_t *at)
{
	int d = arity - 1;

	for (; d >= 0; d--) {
		*at += step[d];
		if (++index[d] < w->m->vars[scope[d]].domain)
			return true;
		*at -= step[d] * index[d];
		index[d] = 0;
	}
	return false;
}

/* f's costs onto those of a table over 'scope'. */
static void add_costs(const struct making *w, int64_t *to, int arity, const int32_t *scope,
	const struct function *f)
{
	int32_t index[GPUBE__LEAN_ARITY + 1] = {0};
	int64_t step[GPUBE__LEAN_ARITY + 1], at = 0, cell = 0;

	strides(w, f, arity, scope, step);
	do {
		to[cell] = plus(to[cell], f->cost[at]);
		cell++;
	} while (advance(w, arity, scope, index, step, &at));
}

static bool contains(const struct function *f, const struct function *g)
{
	int k = 0;

	for (int j = 0; j < g->arity; j++, k++) {
		while (k < f->arity && f->scope[k] < g->scope[j])
			k++;
		if (k == f->arity || f->scope[k] != g->scope[j])
			return false;
	}
	return true;
}

static void take_away(struct making *w, struct function *f)
{
	gpube__free(w->ctx, f->cost);
	f->cost = NULL;
	f->gone = true;
}

/* Functions of no other variables than f's become part of it. */
static void absorb(struct making *w, struct function *f)
{
	for (int k = 0; k < f->arity; k++) {
		const struct functions_of *at = &w->at[f->scope[k]];

		for (int64_t i = 0; i < at->n; i++) {
			struct function *g = &w->f[at->of[i]];

			if (g == f || g->gone || g->scope[0] != f->scope[k] || !contains(f, g))
				continue;
			add_costs(w, f->cost, f->arity, f->scope, g);
			take_away(w, g);
		}
	}
}

/* All functions of 'var', over its neighbours and itself, which is last. */
static int64_t *join(struct making *w, int32_t var, int arity, const int32_t *scope, int64_t cells)
{
	const int32_t domain = w->m->vars[var].domain;
	const struct functions_of *at = &w->at[var];
	int64_t *joined = gpube__alloc_zero(w->ctx, (uint64_t)(cells * domain), sizeof(*joined));

	for (int64_t i = 0; i < at->n && joined; i++) {
		const struct function *f = &w->f[at->of[i]];
		int32_t index[GPUBE__LEAN_ARITY] = {0};
		int64_t step[GPUBE__LEAN_ARITY], own = 1, from = 0, cell = 0;

		/* var may be anywhere among f's variables: its stride is what stands behind it */
		for (int k = f->arity - 1; f->scope[k] != var; k--)
			own *= w->m->vars[f->scope[k]].domain;
		for (int d = 0; d < arity; d++) {
			int64_t stride = 1;

			step[d] = 0;
			for (int k = f->arity - 1; k >= 0;
				stride *= w->m->vars[f->scope[k]].domain, k--)
				if (f->scope[k] == scope[d])
					step[d] = stride;
		}
		do {
			for (int32_t a = 0; a < domain; a++)
				joined[cell + a] = plus(joined[cell + a], f->cost[from + a * own]);
			cell += domain;
		} while (advance(w, arity, scope, index, step, &from));
	}
	w->n_joined += cells * domain * at->n;
	return joined;
}

static int keep_step(struct making *w, int32_t var, int arity, const int32_t *scope, int32_t *best)
{
	struct gpube_lean *l = w->l;
	int32_t *copy = gpube__alloc(w->ctx, 2 * (uint64_t)arity, sizeof(*copy));

	if (!copy || gpube__grow(w->ctx, &l->steps, &l->steps_capacity, l->n_steps + 1,
			     sizeof(*l->steps))) {
		gpube__free(w->ctx, copy);
		return GPUBE_ENOMEM;
	}
	for (int k = 0; k < arity; k++) {
		copy[k] = scope[k];
		copy[arity + k] = w->m->vars[scope[k]].domain;
	}
	l->steps[l->n_steps++] = (struct gpube_lean_step){var, arity, copy, copy + arity, best};
	return GPUBE_OK;
}

static int eliminate(struct making *w, int32_t var, int arity, const int32_t *scope)
{
	const int32_t domain = w->m->vars[var].domain;
	const int64_t cells = cells_of(w, arity, scope);
	int64_t *joined = join(w, var, arity, scope, cells);
	int32_t *best = gpube__alloc_zero(w->ctx, (uint64_t)cells, sizeof(*best));
	struct function *f = NULL;
	int status = joined && best ? keep_step(w, var, arity, scope, best) : GPUBE_ENOMEM;

	if (status)
		gpube__free(w->ctx, best);
	if (!status)
		status = add_function(w, arity, scope, &f);
	for (int64_t c = 0; c < cells && !status; c++) {
		const int64_t *row = joined + c * domain;

		for (int32_t a = 1; a < domain; a++)
			best[c] = row[a] < row[best[c]] ? a : best[c];
		f->cost[c] = row[best[c]];
	}
	gpube__free(w->ctx, joined);
	if (status)
		return status;
	for (int64_t i = 0; i < w->at[var].n; i++)
		take_away(w, &w->f[w->at[var].of[i]]);
	w->gone[var] = true;
	absorb(w, f);
	return GPUBE_OK;
}

/* The one that leaves least, again and again. */
static int eliminate_all(struct making *w)
{
	int status = GPUBE_OK;

	for (int32_t i = 0; i < w->m->n_vars && !status; i++)
		status = consider(w, i);
	while (!status && w->n_heap && w->n_joined < MOST_JOINED) {
		const struct candidate c = pop(w);
		int32_t scope[GPUBE__LEAN_ARITY];
		int arity;

		if (w->gone[c.var] || left_by(w, c.var, &arity, scope) != c.cells)
			continue; /* it was considered again when that changed */
		if (w->l->n_steps % BETWEEN_LOOKS == 0 && gpube__stopped(w->ctx))
			break;
		status = eliminate(w, c.var, arity, scope);
		for (int k = 0; k < arity && !status; k++)
			status = consider(w, scope[k]);
	}
	return status;
}

/* ---- the model ------------------------------------------------------------------------------- */

static int make_model(struct making *w)
{
	struct gpube_lean *l = w->l;
	int32_t n = 0;
	int status = gpube_model_new(&l->model, w->ctx, GPUBE_COSTS);

	for (int32_t i = 0; i < l->n && !status; i++) {
		l->var[i] = w->gone[i] ? -1 : n++;
		if (!w->gone[i])
			status = gpube_model_add_var(l->model, NULL, w->m->vars[i].domain, NULL);
	}
	for (int64_t k = 0; k < w->n_f && !status; k++) {
		const struct function *f = &w->f[k];
		int32_t scope[GPUBE__LEAN_ARITY];

		for (int j = 0; j < f->arity && !f->gone; j++)
			scope[j] = l->var[f->scope[j]];
		if (!f->gone)
			status = gpube_model_add_costs(l->model, f->arity, scope, f->cost);
	}
	if (status)
		return status;
	l->model->scale = w->m->scale;
	l->model->constant = gpube__constant_of(w->m);
	l->model->top = w->m->top;
	return GPUBE_OK;
}

void gpube__lean_free(struct gpube_ctx *ctx, struct gpube_lean *l)
{
	if (!l)
		return;
	for (int64_t k = 0; k < l->n_steps; k++) {
		gpube__free(ctx, l->steps[k].scope);
		gpube__free(ctx, l->steps[k].best);
	}
	gpube__free(ctx, l->steps);
	gpube__free(ctx, l->var);
	gpube_model_free(l->model);
	gpube__free(ctx, l);
}

static void clear(struct making *w)
{
	for (int64_t k = 0; k < w->n_f; k++)
		gpube__free(w->ctx, w->f[k].cost);
	for (int32_t i = 0; w->at && i < w->m->n_vars; i++)
		gpube__free(w->ctx, w->at[i].of);
	GPUBE_FREE_ALL(w->ctx, w->f, w->at, w->gone, w->seen, w->heap);
}

int gpube__lean_new(struct gpube_lean **out, const struct gpube_model *m, int64_t most_cells)
{
	const uint64_t n = (uint64_t)m->n_vars;
	struct making w = {.ctx = m->ctx, .m = m, .most_cells = most_cells};
	int status = GPUBE_ENOMEM;

	*out = NULL;
	if (!is_for_it(m) || gpube__constant_of(m) == GPUBE_INF)
		return GPUBE_OK;
	w.l = gpube__alloc_zero(m->ctx, 1, sizeof(*w.l));
	w.at = gpube__alloc_zero(m->ctx, n, sizeof(*w.at));
	w.gone = gpube__alloc_zero(m->ctx, n, sizeof(*w.gone));
	w.seen = gpube__alloc_zero(m->ctx, n, sizeof(*w.seen));
	if (w.l) {
		w.l->n = m->n_vars;
		w.l->var = gpube__alloc(m->ctx, n, sizeof(*w.l->var));
	}
	if (w.l && w.l->var && w.at && w.gone && w.seen)
		status = load(&w);
	if (!status)
		status = eliminate_all(&w);
	if (!status && w.l->n_steps)
		status = make_model(&w);
	clear(&w);
	if (status || !w.l->n_steps)
		gpube__lean_free(m->ctx, w.l);
	else
		*out = w.l;
	return status;
}

void gpube__lean_extend(const struct gpube_lean *l, int32_t *values, const int32_t *lean)
{
	for (int32_t i = 0; i < l->n; i++)
		if (l->var[i] >= 0)
			values[i] = lean[l->var[i]];
	for (int64_t k = l->n_steps - 1; k >= 0; k--) {
		const struct gpube_lean_step *s = &l->steps[k];
		int64_t cell = 0;

		for (int j = 0; j < s->arity; j++)
			cell = cell * s->domain[j] + values[s->scope[j]];
		values[s->var] = s->best[cell];
	}
}
