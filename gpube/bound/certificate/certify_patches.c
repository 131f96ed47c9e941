/*
 * certify_patches.c - a certificate by an ascent on patches (relax/patches/patches.h), and by
 * splits where that is too low.
 *
 * A lean model's tables (simplify/lean.h) and what each eliminated variable's values cost more than
 * the best add up to the relaxed problem; patches are those tables, added up, and separators tables
 * of 0. After the ascent at the root the tables are written as they are. From then on what members
 * give to their separators is noted, rounded to the grain, and done once more as it will be read:
 * so what is proved here is what a checker finds.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "gpube/bound/certificate/certify.h"
#include "gpube/bound/certificate/certify_sweep.h"
#include "gpube/bound/certificate/certify_tree.h"
#include "gpube/ir/dense.h"
#include "gpube/search/frontier.h"
#include "gpube/simplify/lean.h"

/*
 * As in bound/patching: cells of a table; sweeps at the root, and of how many is judged whether
 * they pay; even ones.
 */
enum {
	SMALL_TABLE = 256,
	MOST_SWEEPS = 1000,
	WINDOW = 8,
	MOST_EVEN = 20,
	HORIZON = 40,
	SMALL_CHANGE = 16
};
#define SLOW 0.01
/*
 * A node's moves are rounded to 2^-18 of what it misses: it moves a thousand tables or so, and
 * loses as much with each. The file's grain is 2^-30 of what the root misses: a leaf that misses
 * less is closed without moves, or not. (runs/measured-2c)
 */
enum { GRAINS = 18, FINEST = 30, MOST_GRAIN = 40, MOST_SHIFT = 20 };
/* Totals of the tables in their unit. */
#define MOST_TOTAL ((int64_t)1 << 59)
/*
 * Of what the target is above the sum of all least cells, what the ascent has to bring for splits
 * to seem to end.
 */
#define WORTH 0.9

struct certifying {
	struct gpube_ctx *ctx;
	struct gpube_certificate *c;
	const struct gpube_model *m; /* the lean model, or the relaxed one */
	const struct gpube_lean *lean;
	const int32_t *given; /* of m's variables */
	struct gpube_patches *p;
	struct gpube__proof_plan plan;
	int shift, grain;
	int64_t target; /* of the sum of all least cells */
	double end;
	struct gpube__proof_state *root;
	int64_t *base, *moved, *room, *least, *forced;
	uint8_t *keep;
	int32_t *list;
	struct gpube__proof_tree tree;
	struct gpube_frontier open;
};

static bool is_over(const struct certifying *w)
{
	return gpube__stopped(w->ctx) || (w->end > 0 && gpube__now() >= w->end);
}

/* ---- the first state ----------------------------------------------------------------------- */

/* A function's costs onto the first patch that has its variables. */
static void add_costs(struct certifying *w, int32_t function, const int64_t *cost)
{
	const struct gpube_patches *p = w->p;
	const int arity = w->m->functions[function].arity;
	const int32_t *scope = gpube__scope(w->m, function);
	int32_t index[GPUBE__PATCH_ARITY] = {0};
	int64_t step[GPUBE__PATCH_ARITY], at = 0;
	const struct gpube_patch *a = NULL;
	int found = 0;

	for (int32_t j = p->of_at[scope[0]]; found < arity; j++) {
		a = &p->patches[p->of[j]];
		found = 0;
		for (int k = 0; k < a->arity; k++) {
			int64_t stride = 1;

			step[k] = 0;
			for (int e = arity - 1; e >= 0; stride *= p->domain[scope[e--]])
				if (scope[e] == a->scope[k]) {
					step[k] = stride;
					found++;
				}
		}
	}
	for (int32_t c = 0; c < a->n_cells; c++) {
		w->root->cells[a->at + c] += cost[at] * ((int64_t)1 << w->shift);
		for (int32_t k = a->arity - 1; k >= 0; k--) {
			at += step[k];
			if (++index[k] < p->domain[a->scope[k]])
				break;
			at -= step[k] * index[k];
			index[k] = 0;
		}
	}
}

static int make_root(struct certifying *w)
{
	const struct gpube_patches *p = w->p;
	int64_t *cost = gpube__alloc(w->ctx, GPUBE__PATCH_FUNCTION, sizeof(*cost));
	int status = cost ? GPUBE_OK : GPUBE_ENOMEM;

	for (int32_t f = 0; f < w->m->n_functions && !status; f++) {
		if (!w->m->functions[f].arity)
			continue;
		status = gpube__dense(cost, w->m, f, NULL);
		if (!status)
			add_costs(w, f, cost);
	}
	gpube__free(w->ctx, cost);
	if (status)
		return status;
	memset(gpube__proof_live(&w->plan, w->root), 1, (size_t)w->plan.value_at[p->n]);
	w->root->time = 1; /* all have changed since they were asked */
	for (int32_t k = 0; k < p->n_patches; k++)
		gpube__proof_changed(&w->plan, w->root)[k] = 1;
	return GPUBE_OK;
}

/* The unit of the tables: no total of them leaves 64 bits. Errors: ELIMIT */
static int find_shift(struct certifying *w, const struct gpube_model *relaxed)
{
	const int64_t span = gpube__cost_span(w->m);
	const __int128 constant = gpube__constant_of(relaxed),
		       most = constant < 0 ? span - constant : span + constant;

	if (most > MOST_TOTAL || gpube__cost_span(relaxed) > MOST_TOTAL)
		return gpube__fail(
			w->ctx, GPUBE_ELIMIT, "the costs are too large for a certificate");
	while (w->shift < MOST_SHIFT && most << (w->shift + 1) <= MOST_TOTAL &&
		gpube__cost_span(relaxed) << (w->shift + 1) <= MOST_TOTAL)
		w->shift++;
	return GPUBE_OK;
}

static int make_plan(struct certifying *w)
{
	const struct gpube_patches *p = w->p;
	int64_t n = 0;
	int32_t widest = 1;

	w->plan.p = p;
	w->plan.moved_at = gpube__alloc(w->ctx, (uint64_t)p->n_members + 1, sizeof(int64_t));
	w->plan.value_at = gpube__alloc(w->ctx, (uint64_t)p->n + 1, sizeof(int64_t));
	if (!w->plan.moved_at || !w->plan.value_at)
		return GPUBE_ENOMEM;
	for (int64_t j = 0; j < p->n_members; j++) {
		w->plan.moved_at[j] = n;
		n += p->separators[p->members[j].separator].n_cells;
	}
	w->plan.moved_at[p->n_members] = n;
	w->moved = gpube__alloc_zero(w->ctx, (uint64_t)n + 1, sizeof(*w->moved));
	n = 0;
	for (int32_t i = 0; i < p->n; n += p->domain[i++]) {
		w->plan.value_at[i] = n;
		widest = p->domain[i] > widest ? p->domain[i] : widest;
	}
	w->plan.value_at[p->n] = n;
	w->root = gpube__alloc_zero(w->ctx, (uint64_t)gpube__proof_bytes(&w->plan), 1);
	w->base = gpube__alloc(w->ctx, (uint64_t)p->n_cells + 1, sizeof(*w->base));
	w->room = gpube__alloc(w->ctx, (uint64_t)p->room, sizeof(*w->room));
	w->least = gpube__alloc(w->ctx, (uint64_t)p->n_patches + 1, sizeof(*w->least));
	w->forced = gpube__alloc(w->ctx, (uint64_t)widest, sizeof(*w->forced));
	w->keep = gpube__alloc(w->ctx, (uint64_t)widest, sizeof(*w->keep));
	w->list = gpube__alloc(w->ctx, (uint64_t)widest, sizeof(*w->list));
	return w->moved && w->root && w->base && w->room && w->least && w->forced && w->keep &&
			       w->list
		       ? GPUBE_OK
		       : GPUBE_ENOMEM;
}

/* ---- the certificate's tables ---------------------------------------------------------------- */

/* A block of one table over the given variables, which ascend. */
static int add_block(
	struct certifying *w, int arity, const int32_t *scope, const int64_t *cells, int32_t n)
{
	int64_t *values;
	int status = gpube__certificate_block(w->c);

	if (!status)
		status = gpube__certificate_table(w->c, arity, scope, &values);
	if (!status)
		memcpy(values, cells, (size_t)n * sizeof(*cells));
	return status;
}

static int add_tables(struct certifying *w)
{
	const struct gpube_patches *p = w->p;
	int32_t scope[GPUBE__PATCH_ARITY];
	int status = GPUBE_OK;

	for (int32_t k = 0; k < p->n_patches && !status; k++) {
		for (int j = 0; j < p->patches[k].arity; j++)
			scope[j] = w->given[p->patches[k].scope[j]];
		status = add_block(w, p->patches[k].arity, scope, w->root->cells + p->patches[k].at,
			p->patches[k].n_cells);
	}
	for (int32_t k = 0; k < p->n_separators && !status; k++) {
		for (int j = 0; j < p->separators[k].arity; j++)
			scope[j] = w->given[p->separators[k].scope[j]];
		status = add_block(w, p->separators[k].arity, scope,
			w->root->cells + p->separators[k].at, p->separators[k].n_cells);
	}
	return status;
}

/*
 * What the values of an eliminated variable cost more than the best: a cell 0 for each row, so
 * nothing of the bound.
 */
static int add_regret(struct certifying *w, const struct gpube_lean_step *s)
{
	int32_t scope[GPUBE__LEAN_ARITY + 1], index[GPUBE__LEAN_ARITY + 1] = {0};
	int64_t step[GPUBE__LEAN_ARITY + 1], *values, at = 0, stride = 1, n = w->c->domain[s->var];
	int own = 0, status = gpube__certificate_block(w->c);

	while (own < s->arity && s->scope[own] < s->var)
		own++;
	for (int k = 0; k <= s->arity; k++)
		scope[k] = k == own ? s->var : s->scope[k - (k > own)];
	for (int k = 0; k < s->arity; k++)
		n *= s->domain[k];
	if (!status)
		status = gpube__certificate_table(w->c, s->arity + 1, scope, &values);
	if (status)
		return status;
	/* in the step's table its variable is the fastest */
	step[own] = 1;
	stride = w->c->domain[s->var];
	for (int k = s->arity; k >= 0; k--)
		if (k != own) {
			step[k] = stride;
			stride *= w->c->domain[scope[k]];
		}
	for (int64_t cell = 0; cell < n; cell++) {
		values[cell] = s->regret[at] * ((int64_t)1 << w->shift);
		for (int k = s->arity; k >= 0; k--) {
			at += step[k];
			if (++index[k] < w->c->domain[scope[k]])
				break;
			at -= step[k] * index[k];
			index[k] = 0;
		}
	}
	return GPUBE_OK;
}

/* ---- a state ------------------------------------------------------------------------------- */

static int64_t missing(const struct certifying *w, const struct gpube__proof_state *s)
{
	return w->target - s->bound;
}

/* There and back, until it is slow. */
static void climb(struct certifying *w)
{
	struct gpube__proof_state *s = w->root;
	int64_t before = s->bound = gpube__proof_bound(&w->plan, s, w->least);

	for (int n = 0; n < MOST_SWEEPS && missing(w, s) > 0 && !is_over(w);) {
		gpube__proof_sweep(&w->plan, s,
			n % 2 ? GPUBE__PATCHES_BACKWARD : GPUBE__PATCHES_FORWARD, 0, w->room, NULL);
		s->bound = gpube__proof_bound(&w->plan, s, w->least);
		if (++n % WINDOW == 0) {
			if ((double)(s->bound - before) < SLOW * (double)missing(w, s))
				break;
			before = s->bound;
		}
	}
}

/* Even sweeps while they promise to close it. */
static void settle(struct certifying *w, struct gpube__proof_state *s, int64_t *moved)
{
	const int64_t least = missing(w, s) >> SMALL_CHANGE;

	for (int k = 0; k < MOST_EVEN && missing(w, s) > 0 && !is_over(w); k++) {
		const int64_t before = s->bound;

		gpube__proof_sweep(&w->plan, s, GPUBE__PATCHES_EVENLY, least, w->room, moved);
		s->bound = gpube__proof_bound(&w->plan, s, w->least);
		if ((double)(s->bound - before) * HORIZON < (double)missing(w, s))
			break;
	}
}

/* ---- the tree ------------------------------------------------------------------------------ */

/* Each of n values of w->list becomes a leaf; the state goes on where they are not. */
static int split_off(struct certifying *w, struct gpube__proof_state *s, int32_t var, int32_t n)
{
	int status = GPUBE_OK;

	for (int32_t k = 0; k < n && !status; k++) {
		int32_t kid[2];

		status = gpube__proof_tree_split(&w->tree, kid, s->node, var, w->list[k]);
		if (!status)
			s->node = kid[1];
	}
	return status;
}

/* To the nearest multiple of the grain. */
static int64_t rounded(int64_t v, int grain)
{
	const int64_t half = grain ? (int64_t)1 << (grain - 1) : 0;

	return ((v + half) >> grain) * ((int64_t)1 << grain);
}

/* The power of two below v / 2^less. */
static int grain_of(int64_t v, int less)
{
	int grain = 0;

	for (v >>= less; v > 1 && grain < MOST_GRAIN; v >>= 1)
		grain++;
	return grain;
}

/*
 * What a state has moved since w->base becomes its node's moves, rounded, and is done once more
 * from there.
 */
static int note_moves(struct certifying *w, struct gpube__proof_state *s, int64_t missed)
{
	const struct gpube_patches *p = w->p;
	const int own = grain_of(missed, GRAINS), grain = own > w->grain ? own : w->grain;
	int status = GPUBE_OK;

	memcpy(s->cells, w->base, (size_t)p->n_cells * sizeof(*s->cells));
	for (int32_t j = 0; j < p->n_members; j++) {
		const int32_t n = p->separators[p->members[j].separator].n_cells;
		int64_t *moved = w->moved + w->plan.moved_at[j];
		bool any = false;

		for (int32_t i = 0; i < n; i++) {
			moved[i] = rounded(moved[i], grain);
			any |= moved[i] != 0;
		}
		if (any && !status) {
			gpube__proof_move(&w->plan, s, &p->members[j], moved);
			status = gpube__proof_tree_move(&w->tree, s->node, j, moved, n);
		}
		memset(moved, 0, (size_t)n * sizeof(*moved));
	}
	s->bound = gpube__proof_bound(&w->plan, s, w->least);
	return status;
}

static int settle_and_note(struct certifying *w, struct gpube__proof_state *s)
{
	int64_t missed;

	memcpy(w->base, s->cells, (size_t)w->p->n_cells * sizeof(*w->base));
	s->bound = gpube__proof_bound(&w->plan, s, w->least);
	missed = missing(w, s);
	settle(w, s, w->moved);
	return note_moves(w, s, missed);
}

/* ---- values -------------------------------------------------------------------------------- */

/*
 * Values that bring the bound to the target are split off, each into a leaf of its own: of two that
 * stay together every table may take the other one. What is to be split next is the variable whose
 * best value is least ahead, and that value. *any: whether values have gone
 */
static int look(struct certifying *w, struct gpube__proof_state *s, bool *any)
{
	const struct gpube_patches *p = w->p;
	int64_t best = INT64_MAX;
	int status = GPUBE_OK;

	*any = false;
	s->var = -1;
	for (int32_t i = 0; i < p->n && !status; i++) {
		const uint8_t *live = gpube__proof_live(&w->plan, s) + w->plan.value_at[i];
		int64_t least = INT64_MAX, second = INT64_MAX;
		int32_t n_live = 0, n_gone = 0, value = 0;

		if (p->of_at[i] == p->of_at[i + 1])
			continue;
		gpube__proof_forced(&w->plan, s, w->least, i, w->forced);
		for (int32_t a = 0; a < p->domain[i]; a++) {
			const int64_t x = live[a] ? w->forced[a] : INT64_MAX;

			w->keep[a] = live[a] && x < missing(w, s);
			n_live += w->keep[a];
			if (live[a] && !w->keep[a])
				w->list[n_gone++] = a;
			second = x < least ? least : x < second ? x : second;
			value = x < least ? a : value;
			least = x < least ? x : least;
		}
		if (n_gone && n_live) {
			*any = true;
			status = split_off(w, s, i, n_gone);
			if (status)
				break;
			gpube__proof_keep(&w->plan, s, i, w->keep);
			s->bound = gpube__proof_bound(&w->plan, s, w->least);
		} else if (n_gone) { /* all would do: one against the others closes both */
			s->var = i;
			s->value = w->list[0];
			return GPUBE_OK;
		}
		if (n_live > 1 && second - least < best) {
			best = second - least;
			s->var = i;
			s->value = value;
		}
		if (missing(w, s) <= 0)
			break;
	}
	return status;
}

/* ---- open states --------------------------------------------------------------------------- */

/* A state is closed, or open; it is the frontier's, or gone, in any case. */
static int finish(struct certifying *w, struct gpube__proof_state *s)
{
	bool any = false;
	int status = settle_and_note(w, s);

	for (int k = 0; k < 2 && !status && missing(w, s) > 0; k++) {
		status = look(w, s, &any);
		if (status || !any || missing(w, s) <= 0)
			break;
		status = settle_and_note(w, s);
		if (!status && k == 1 && missing(w, s) > 0)
			status = look(w, s, &any);
	}
	if (!status && missing(w, s) > 0 && s->var >= 0) {
		status = gpube__frontier_push(&w->open, w->ctx,
			&(struct gpube_frontier_node){.bound = s->bound,
				.depth = s->depth,
				.payload = s,
				.bytes = gpube__proof_bytes(&w->plan)});
		if (!status)
			return GPUBE_OK;
	}
	gpube__free(w->ctx, s);
	return status;
}

/* Its two children. */
static int split(struct certifying *w, struct gpube__proof_state *s)
{
	const int64_t bytes = gpube__proof_bytes(&w->plan);
	const int32_t var = s->var, value = s->value;
	struct gpube__proof_state *other = gpube__alloc(w->ctx, (uint64_t)bytes, 1);
	int32_t kid[2];
	int status = other ? GPUBE_OK : GPUBE_ENOMEM;

	if (!status)
		status = gpube__proof_tree_split(&w->tree, kid, s->node, var, value);
	if (status) {
		gpube__free(w->ctx, other);
		gpube__free(w->ctx, s);
		return status;
	}
	s->depth++;
	memcpy(other, s, (size_t)bytes);
	for (int j = 0; j < 2; j++) {
		struct gpube__proof_state *child = j ? other : s;

		for (int32_t a = 0; a < w->p->domain[var]; a++)
			w->keep[a] = (a == value) == !j;
		child->node = kid[j];
		gpube__proof_keep(&w->plan, child, var, w->keep);
		if (!status)
			status = finish(w, child);
		else
			gpube__free(w->ctx, child);
	}
	return status;
}

static int grow_tree(struct certifying *w)
{
	struct gpube__proof_state *s = w->root;
	int status = gpube__proof_tree_begin(&w->tree, w->ctx);

	w->root = NULL;
	s->node = 0;
	w->grain = grain_of(missing(w, s), FINEST);
	if (status)
		gpube__free(w->ctx, s);
	else
		status = finish(w, s);
	while (!status && w->open.n && !is_over(w))
		status = split(w, gpube__frontier_pop(&w->open).payload);
	return status;
}

/* ---- the call ------------------------------------------------------------------------------ */

static void clear(struct certifying *w)
{
	gpube__proof_tree_clear(&w->tree);
	for (int64_t k = 0; k < w->open.n; k++)
		gpube__free(w->ctx, w->open.nodes[k].payload);
	gpube__frontier_clear(&w->open, w->ctx);
	gpube__free(w->ctx, w->root);
	gpube__free(w->ctx, w->plan.moved_at);
	gpube__free(w->ctx, w->plan.value_at);
	gpube__free(w->ctx, w->base);
	gpube__free(w->ctx, w->moved);
	gpube__free(w->ctx, w->room);
	gpube__free(w->ctx, w->least);
	gpube__free(w->ctx, w->forced);
	gpube__free(w->ctx, w->keep);
	gpube__free(w->ctx, w->list);
	gpube__patches_free(w->p);
}

static bool is_worth_it(const struct certifying *w, int64_t first, enum gpube_split split)
{
	if (missing(w, w->root) <= 0 || split == GPUBE_SPLIT_NEVER)
		return false;
	return split == GPUBE_SPLIT_FIRST ||
	       (double)(w->root->bound - first) > WORTH * ((double)w->target - (double)first);
}

static int certify(struct certifying *w, const struct gpube_model *relaxed, int64_t bound,
	enum gpube_split split)
{
	const int64_t constant = gpube__constant_of(relaxed), span = gpube__cost_span(relaxed);
	__int128 above = (__int128)bound - constant;
	int64_t first;
	int status = find_shift(w, relaxed);

	if (!status)
		status = make_plan(w);
	if (!status)
		status = make_root(w);
	if (status)
		return status;
	/* totals are whole: what is above the one before it is this one */
	above = above < span ? above : span;
	w->target = above < 1 ? 0 : (int64_t)(above - 1) * ((int64_t)1 << w->shift) + 1;
	w->c->shift = w->shift;
	w->c->constant = constant * ((int64_t)1 << w->shift);
	first = gpube__proof_bound(&w->plan, w->root, w->least);
	climb(w);
	status = add_tables(w);
	for (int64_t k = 0; w->lean && k < w->lean->n_steps && !status; k++)
		status = add_regret(w, &w->lean->steps[k]);
	if (!status && is_worth_it(w, first, split))
		status = grow_tree(w);
	if (status || !w->tree.n_nodes)
		return status;
	w->c->tree.grain = w->grain;
	return gpube__proof_tree_write(&w->tree, w->c, w->p, w->given);
}

int gpube__certify_patches(struct gpube_certificate *c, const struct gpube_model *relaxed,
	int64_t bound, enum gpube_split split, double end)
{
	struct certifying w = {.ctx = relaxed->ctx,
		.c = c,
		.end = end,
		.open.most_bytes = (int64_t)(relaxed->ctx->memory_bytes / 8)};
	struct gpube_patches_state *first = NULL;
	struct gpube_lean *lean = NULL;
	int32_t *given = gpube__alloc(relaxed->ctx, (uint64_t)relaxed->n_vars + 1, sizeof(*given));
	int status = given ? gpube__lean_with_regrets(&lean, relaxed, SMALL_TABLE) : GPUBE_ENOMEM;

	w.lean = lean;
	w.given = given;
	w.m = lean ? lean->model : relaxed;
	if (!status)
		status = gpube__patches_new(&w.p, &first, w.m, SMALL_TABLE, GPUBE_INF);
	gpube__free(w.ctx, first);
	for (int32_t i = 0; !status && i < relaxed->n_vars; i++)
		if (!lean || lean->var[i] >= 0)
			given[lean ? lean->var[i] : i] = i;
	if (!status && !w.p)
		status = gpube__fail(w.ctx, GPUBE_ELIMIT, "the model is not for patches");
	if (!status)
		status = certify(&w, relaxed, bound, split);
	clear(&w);
	gpube__lean_free(w.ctx, lean);
	gpube__free(w.ctx, given);
	return status;
}
