/* relations_init.c - the model's functions as relations: see relations.h. */
#include "gpube/relax/pairwise/relations.h"

#include <string.h>

#include "gpube/base/arrays.h"
#include "gpube/base/rows.h"
#include "gpube/ir/dense.h"
#include "gpube/relax/projection.h"
#include "gpube/relax/scaling.h"

/* ---- relations ------------------------------------------------------------------------------- */

int gpube__relation_new(struct gpube_relation_table **out, struct gpube_relations *l, int32_t arity,
	const int32_t *scope, const int32_t *order, int64_t n)
{
	struct gpube_relation_table *a = *out = &l->relations[l->n_relations++];
	int shift = 0;

	a->arity = arity;
	a->n = n;
	a->scope = gpube__alloc(l->ctx, 2 * (uint64_t)arity + 1, sizeof(*a->scope));
	a->order = a->scope ? a->scope + arity : NULL;
	a->shift = gpube__alloc(l->ctx, (uint64_t)arity + 1, sizeof(*a->shift));
	a->set = gpube__alloc_zero(l->ctx, (uint64_t)l->words, sizeof(*a->set));
	a->key = gpube__alloc(l->ctx, (uint64_t)n + 1, sizeof(*a->key));
	a->cost = gpube__alloc(l->ctx, (uint64_t)n + 1, sizeof(*a->cost));
	if (!a->scope || !a->shift || !a->set || !a->key || !a->cost)
		return GPUBE_ENOMEM;
	for (int32_t k = 0; k < arity; k++) {
		a->scope[k] = scope[k];
		a->order[k] = order[k];
		gpube__bit_put(a->set, scope[k]);
		a->shift[k] = (uint8_t)shift;
		shift += l->bits[scope[k]];
	}
	a->shift[arity] = (uint8_t)shift;
	return GPUBE_OK;
}

struct gpube_relations *gpube__relations_alloc(
	struct gpube_ctx *ctx, int32_t n, const int32_t *domain)
{
	struct gpube_relations *l = gpube__alloc_zero(ctx, 1, sizeof(*l));

	if (!l)
		return NULL;
	l->ctx = ctx;
	l->n = n;
	l->words = n / 64 + 1;
	l->domain = gpube__alloc(ctx, (uint64_t)n + 1, sizeof(*l->domain));
	l->bits = gpube__alloc_zero(ctx, (uint64_t)n + 1, sizeof(*l->bits));
	l->value_at = gpube__alloc_zero(ctx, (uint64_t)n + 1, sizeof(*l->value_at));
	l->fixed = gpube__alloc(ctx, (uint64_t)n + 1, sizeof(*l->fixed));
	if (!l->domain || !l->bits || !l->value_at || !l->fixed) {
		gpube__relations_free(l);
		return NULL;
	}
	for (int32_t i = 0; i < n; i++) {
		l->domain[i] = domain[i];
		l->value_at[i + 1] = l->value_at[i] + domain[i];
		l->fixed[i] = -1;
		/* a domain of one value, too, so that no key is shifted by all its bits */
		l->bits[i] = 1;
		while ((int64_t)1 << l->bits[i] < domain[i])
			l->bits[i]++;
	}
	return l;
}

int gpube__relations_rows(const struct gpube_relations *l, int32_t **of, int32_t **of_at)
{
	int64_t total = 0;

	for (int32_t k = 0; k < l->n_relations; k++)
		total += l->relations[k].arity;
	*of = gpube__alloc(l->ctx, (uint64_t)total + 1, sizeof(**of));
	*of_at = gpube__alloc_zero(l->ctx, (uint64_t)l->n + 3, sizeof(**of_at));
	if (!*of || !*of_at)
		return GPUBE_ENOMEM;
	for (int32_t k = 0; k < l->n_relations; k++)
		for (int32_t v = 0; v < l->relations[k].arity; v++)
			GPUBE_ROW_COUNT(*of_at, l->relations[k].scope[v]);
	GPUBE_ROWS_BEGIN(*of_at, l->n);
	for (int32_t k = 0; k < l->n_relations; k++)
		for (int32_t v = 0; v < l->relations[k].arity; v++)
			(*of)[GPUBE_ROW_PLACE(*of_at, l->relations[k].scope[v])] = k;
	return GPUBE_OK;
}

void gpube__relation_settle(struct gpube_relations *l, struct gpube_relation_table *a)
{
	int32_t least = GPUBE__REGION_FORBIDDEN;

	for (int64_t i = 0; i < a->n; i++)
		least = a->cost[i] < least ? a->cost[i] : least;
	if (least >= l->state.target - l->state.constant) {
		l->state.constant = l->state.target;
		return;
	}
	for (int64_t i = 0; i < a->n; i++)
		a->cost[i] -= a->cost[i] < GPUBE__REGION_FORBIDDEN ? least : 0;
	l->state.constant += least;
}

/* ---- of functions ---------------------------------------------------------------------------- */

/* More functions are not for sweeps of milliseconds. */
enum { MOST_FUNCTIONS = 1 << 15 };

struct making {
	struct gpube__arrays memory;
	struct gpube_relations *l;
	const struct gpube_model *m;
	int64_t left;        /* what totals of interest cost beside the constant */
	uint64_t *sets;      /* by function */
	int32_t *of, *of_at; /* functions of each variable, the larger ones first */
	int32_t *into;       /* the function that it is added to */
	int32_t *order;      /* functions, the larger ones first */
	int64_t *cost;       /* of one function */
	int32_t *scaled, *cells;
};

static bool is_for_it(const struct gpube_model *m)
{
	if (m->n_functions > MOST_FUNCTIONS || gpube__constant_of(m) == GPUBE_INF)
		return false;
	for (int32_t f = 0; f < m->n_functions; f++) {
		const int arity = m->functions[f].arity;
		const int64_t cells = arity <= GPUBE__RELATION_ARITY
					      ? gpube__cells(m, arity, gpube__scope(m, f))
					      : -1;

		if (cells < 0 || cells > GPUBE__RELATION_CELLS)
			return false;
	}
	return true;
}

static uint64_t *set_of(const struct making *w, int32_t f)
{
	return w->sets + (int64_t)f * w->l->words;
}

static int make_room(struct making *w)
{
	struct gpube__arrays *memory = &w->memory;
	const uint64_t n = (uint64_t)w->m->n_functions;
	uint64_t total = 0;

	for (int32_t f = 0; f < w->m->n_functions; f++)
		total += (uint64_t)w->m->functions[f].arity;
	w->sets = gpube__array(memory, n * (uint64_t)w->l->words + 1, sizeof(*w->sets));
	w->of = gpube__array(memory, total + 1, sizeof(*w->of));
	w->of_at = gpube__array(memory, (uint64_t)w->l->n + 3, sizeof(*w->of_at));
	w->into = gpube__array(memory, n + 1, sizeof(*w->into));
	w->order = gpube__array(memory, n + 1, sizeof(*w->order));
	w->cost = gpube__array(memory, GPUBE__RELATION_CELLS, sizeof(*w->cost));
	w->scaled = gpube__array(memory, GPUBE__RELATION_CELLS, sizeof(*w->scaled));
	w->cells = gpube__array(memory, GPUBE__RELATION_CELLS, sizeof(*w->cells));
	w->l->relations = gpube__alloc_zero(w->l->ctx, n + 1, sizeof(*w->l->relations));
	return memory->failed || !w->l->relations ? GPUBE_ENOMEM : GPUBE_OK;
}

/* Functions by their number of variables, the most first; rows of those of each variable. */
static void sort_functions(struct making *w)
{
	const struct gpube_model *m = w->m;
	int32_t n = 0;

	for (int arity = GPUBE__RELATION_ARITY; arity > 0; arity--)
		for (int32_t f = 0; f < m->n_functions; f++)
			if (m->functions[f].arity == arity)
				w->order[n++] = f;
	for (int32_t k = 0; k < n; k++)
		for (int v = 0; v < m->functions[w->order[k]].arity; v++) {
			gpube__bit_put(set_of(w, w->order[k]), gpube__scope(m, w->order[k])[v]);
			GPUBE_ROW_COUNT(w->of_at, gpube__scope(m, w->order[k])[v]);
		}
	GPUBE_ROWS_BEGIN(w->of_at, w->l->n);
	for (int32_t k = 0; k < n; k++)
		for (int v = 0; v < m->functions[w->order[k]].arity; v++)
			w->of[GPUBE_ROW_PLACE(w->of_at, gpube__scope(m, w->order[k])[v])] =
				w->order[k];
}

/* The first function that has all the variables of f: itself, if no other one before it. */
static int32_t container(const struct making *w, int32_t f)
{
	const int32_t *scope = gpube__scope(w->m, f);
	int32_t rarest = scope[0], k;

	for (int v = 1; v < w->m->functions[f].arity; v++)
		if (w->of_at[scope[v] + 1] - w->of_at[scope[v]] <
			w->of_at[rarest + 1] - w->of_at[rarest])
			rarest = scope[v];
	for (k = w->of_at[rarest]; w->of[k] != f; k++)
		if (gpube__bits_within(set_of(w, f), set_of(w, w->of[k]), w->l->words))
			break;
	return w->of[k];
}

/* A function's costs, scaled, onto the cells of one that has its variables. */
static int add_function(struct making *w, int32_t f, int32_t onto)
{
	const struct gpube_model *m = w->m;
	const int arity = m->functions[f].arity, large = m->functions[onto].arity;
	int32_t scope[GPUBE__RELATION_ARITY], of[GPUBE__RELATION_ARITY];
	struct gpube_projection p;
	int status = gpube__dense(w->cost, m, f, NULL);

	if (status)
		return status;
	for (int64_t c = 0; c < gpube__cells(m, arity, gpube__scope(m, f)); c++)
		w->scaled[c] =
			gpube__scale(w->l->shift, w->cost[c], w->left, GPUBE__REGION_FORBIDDEN);
	gpube__sorted_scope(scope, m, f, NULL);
	gpube__sorted_scope(of, m, onto, NULL);
	status = gpube__projection_init(w->l->ctx, &p, w->l->domain, of, large, scope, arity);
	if (!status)
		gpube__project_add(&p, w->cells, w->scaled, gpube__relations_slack(w->l));
	gpube__projection_clear(w->l->ctx, &p);
	return status;
}

/* The cells that are possible are a relation's entries. */
static int take_cells(struct making *w, int32_t f, int64_t n_cells)
{
	struct gpube_relations *l = w->l;
	struct gpube_relation_table *a;
	int32_t scope[GPUBE__RELATION_ARITY], index[GPUBE__RELATION_ARITY] = {0};
	const int32_t slack = gpube__relations_slack(l);
	int64_t n = 0;
	uint64_t key = 0;
	int status;

	for (int64_t c = 0; c < n_cells; c++)
		n += w->cells[c] < slack;
	gpube__sorted_scope(scope, w->m, f, NULL); /* of so few cells: less than a word */
	status = gpube__relation_new(&a, l, w->m->functions[f].arity, scope, scope, n);
	if (status)
		return status;
	n = 0;
	for (int64_t c = 0; c < n_cells; c++) {
		if (w->cells[c] < slack) {
			a->key[n] = key;
			a->cost[n++] = w->cells[c];
		}
		for (int32_t k = a->arity - 1; k >= 0; k--) {
			if (++index[k] < l->domain[a->scope[k]]) {
				key += (uint64_t)1 << a->shift[k];
				break;
			}
			index[k] = 0;
			key &= ~((((uint64_t)1 << l->bits[a->scope[k]]) - 1) << a->shift[k]);
		}
	}
	gpube__relation_settle(l, a);
	return GPUBE_OK;
}

static int take_function(struct making *w, int32_t f)
{
	const int64_t n_cells = gpube__cells(w->m, w->m->functions[f].arity, gpube__scope(w->m, f));
	int status;

	memset(w->cells, 0, (size_t)n_cells * sizeof(*w->cells));
	status = add_function(w, f, f);
	for (int v = 0; v < w->m->functions[f].arity && !status; v++) {
		const int32_t i = gpube__scope(w->m, f)[v];

		for (int32_t k = w->of_at[i]; k < w->of_at[i + 1] && !status; k++)
			if (w->into[w->of[k]] == f && w->of[k] != f &&
				gpube__scope(w->m, w->of[k])[0] == i)
				status = add_function(w, w->of[k], f);
	}
	return status ? status : take_cells(w, f, n_cells);
}

static int take_functions(struct making *w)
{
	const int32_t n = w->m->n_functions;
	struct gpube_relations *l = w->l;
	int status = make_room(w);

	if (status)
		return status;
	sort_functions(w);
	for (int32_t f = 0; f < n; f++)
		w->into[f] = w->m->functions[f].arity ? container(w, f) : -1;
	for (int32_t f = 0; f < n && !status && l->state.constant < l->state.target; f++)
		if (w->into[f] == f)
			status = take_function(w, f);
	return status;
}

int64_t gpube__relations_target(int shift, const struct gpube_model *m, int64_t cutoff)
{
	const int64_t left = gpube__costs_left(m, cutoff);

	/* totals are whole: those below the cutoff are at most one less */
	return shift > 0 && left > 0 ? gpube__scale_target(shift, left - 1) + 1
				     : gpube__scale_target(shift, left);
}

int gpube__relations_new(struct gpube_relations **out, const struct gpube_model *m, int64_t cutoff)
{
	struct making w = {.memory.ctx = m->ctx, .m = m, .left = gpube__costs_left(m, cutoff)};
	int32_t *domain;
	int status;

	*out = NULL;
	if (!is_for_it(m))
		return GPUBE_OK;
	domain = gpube__alloc(m->ctx, (uint64_t)m->n_vars + 1, sizeof(*domain));
	for (int32_t i = 0; i < m->n_vars && domain; i++)
		domain[i] = m->vars[i].domain;
	w.l = domain ? gpube__relations_alloc(m->ctx, m->n_vars, domain) : NULL;
	gpube__free(m->ctx, domain);
	if (!w.l)
		return GPUBE_ENOMEM;
	w.l->most = 1;
	w.l->shift = gpube__scale_shift(m, w.left, GPUBE__REGION_MOST, GPUBE__MOST_SHIFT);
	w.l->state.target = gpube__relations_target(w.l->shift, m, cutoff);
	status = take_functions(&w);
	gpube__arrays_clear(&w.memory);
	if (!status)
		*out = w.l;
	else
		gpube__relations_free(w.l);
	return status;
}
