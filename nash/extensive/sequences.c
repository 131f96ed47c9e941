/* sequences.c - the sequence form of a tree. See sequences.h. */
#include <flint/fmpq.h>
#include <stdlib.h>

#include "nash/extensive/sequences.h"

void nash__tree_number(fmpq_t to, const struct gpube_rational *v)
{
	if (v->text) {
		fmpq_set_str(to, v->text, 10);
		fmpq_canonicalise(to);
	} else {
		fmpq_set_si(to, v->num, (ulong)v->den);
	}
}

/* ---- sequences ---------------------------------------------------------------------------- */

/*
 * Numbers the sequences of both players; number[action]: that of an action of the tree. Sets of the
 * tree come after those that they follow on, so that theirs do.
 */
static int number_sequences(struct nash_sequence_form *f, int32_t *number)
{
	const struct gpube_game_tree *t = f->tree;
	int64_t n[2] = {1, 1};

	for (int64_t k = 0; k < t->n_infosets; k++) {
		const struct gpube_infoset *i = &t->infosets[k];
		struct nash_sequences *s = i->player ? &f->of[i->player - 1] : NULL;

		if (!s)
			continue;
		s->infoset[s->n_sets] = (int32_t)k;
		s->after[s->n_sets] = i->after < 0 ? 0 : number[i->after];
		s->first[s->n_sets++] = (int32_t)n[i->player - 1];
		for (int32_t a = 0; a < i->n_actions; a++)
			number[i->first + a] = (int32_t)n[i->player - 1]++;
		if (n[i->player - 1] > INT32_MAX / 4)
			return gpube__fail(f->ctx, GPUBE_ELIMIT, "2^29 sequences or more");
	}
	for (int q = 0; q < 2; q++) {
		f->of[q].n = (int32_t)n[q];
		f->of[q].first[f->of[q].n_sets] = (int32_t)n[q];
	}
	return GPUBE_OK;
}

static int take_sequences(struct nash_sequence_form *f, int32_t **number)
{
	const struct gpube_game_tree *t = f->tree;
	const uint64_t n = (uint64_t)t->n_infosets + 1;
	bool ok = true;

	for (int q = 0; q < 2; q++) {
		struct nash_sequences *s = &f->of[q];

		s->infoset = gpube__alloc(f->ctx, n, sizeof(*s->infoset));
		s->after = gpube__alloc(f->ctx, n, sizeof(*s->after));
		s->first = gpube__alloc(f->ctx, n, sizeof(*s->first));
		ok = ok && s->infoset && s->after && s->first;
	}
	*number = gpube__alloc(f->ctx, (uint64_t)t->n_actions + 1, sizeof(**number));
	return ok && *number ? number_sequences(f, *number) : GPUBE_ENOMEM;
}

/* ---- payoffs ------------------------------------------------------------------------------ */

/* Outcomes of one pair of sequences add up. */
struct cell {
	int32_t s, t;
	fmpq pay[2];
};

/* A node that is come to: with both players' sequences, its chance, and what both got so far. */
struct visit {
	int32_t node, at[2];
	fmpq chance, sum;
};

struct gathering {
	struct nash_sequence_form *f;
	const int32_t *number;
	struct cell *cells;
	int64_t n_cells, capacity;
	struct visit *stack;
	int64_t n_stack, stack_capacity;
	bool ended, constant; /* an end was seen; both got the same sum at all of them */
	fmpq_t sum;
};

static int push_visit(struct gathering *g, int32_t node, const int32_t at[2], const fmpq_t chance,
	const fmpq_t sum)
{
	struct visit *v;

	if (nash__room(g->f->ctx, 0) || gpube__grow(g->f->ctx, &g->stack, &g->stack_capacity,
						g->n_stack + 1, sizeof(*g->stack)))
		return GPUBE_ENOMEM;
	v = &g->stack[g->n_stack++];
	*v = (struct visit){.node = node, .at = {at[0], at[1]}};
	fmpq_init(&v->chance);
	fmpq_init(&v->sum);
	fmpq_set(&v->chance, chance);
	fmpq_set(&v->sum, sum);
	return GPUBE_OK;
}

/* What both get at a node, times its chance. */
static int add_cell(struct gathering *g, struct visit *v, int32_t outcome)
{
	const struct gpube_game_tree *t = g->f->tree;
	struct cell *c;

	if (gpube__grow(g->f->ctx, &g->cells, &g->capacity, g->n_cells + 1, sizeof(*g->cells)))
		return GPUBE_ENOMEM;
	c = &g->cells[g->n_cells++];
	*c = (struct cell){.s = v->at[0], .t = v->at[1]};
	for (int q = 0; q < 2; q++) {
		fmpq_init(&c->pay[q]);
		if (q >= t->n_players)
			continue;
		nash__tree_number(&c->pay[q], &t->payoffs[(int64_t)outcome * t->n_players + q]);
		fmpq_add(&v->sum, &v->sum, &c->pay[q]);
		fmpq_mul(&c->pay[q], &c->pay[q], &v->chance);
	}
	return GPUBE_OK;
}

static int push_children(struct gathering *g, const struct visit *v)
{
	const struct gpube_game_tree *t = g->f->tree;
	const struct gpube_node *node = &t->nodes[v->node];
	const struct gpube_infoset *i = &t->infosets[node->infoset];
	int status = GPUBE_OK;
	fmpq_t chance;

	fmpq_init(chance);
	for (int32_t a = i->n_actions - 1; a >= 0 && !status; a--) {
		int32_t at[2] = {v->at[0], v->at[1]};

		fmpq_set(chance, &v->chance);
		if (i->player) {
			at[i->player - 1] = g->number[i->first + a];
		} else {
			if (t->actions[i->first + a].chance.num == 0)
				continue;
			fmpq_set_si(chance, t->actions[i->first + a].chance.num,
				(ulong)t->actions[i->first + a].chance.den);
			fmpq_mul(chance, chance, &v->chance);
		}
		status = push_visit(g, t->children[node->children + a], at, chance, &v->sum);
	}
	fmpq_clear(chance);
	return status;
}

static void note_end(struct gathering *g, const struct visit *v)
{
	if (!g->ended)
		fmpq_set(g->sum, &v->sum);
	g->constant = g->constant && fmpq_equal(g->sum, &v->sum);
	g->ended = true;
}

static int gather(struct gathering *g)
{
	const struct gpube_game_tree *t = g->f->tree;
	const int32_t at[2] = {0, 0};
	int64_t n = 0;
	fmpq_t one, zero;
	int status;

	fmpq_init(one);
	fmpq_init(zero);
	fmpq_one(one);
	g->constant = true;
	status = push_visit(g, 0, at, one, zero);
	while (g->n_stack && !status) {
		struct visit v = g->stack[--g->n_stack];
		const struct gpube_node *node = &t->nodes[v.node];

		if (node->outcome >= 0)
			status = add_cell(g, &v, node->outcome);
		if (node->infoset < 0)
			note_end(g, &v);
		else if (!status)
			status = push_children(g, &v);
		if (!status && (++n & 1023) == 0 && gpube__stopped(g->f->ctx))
			status = gpube__fail_stopped(g->f->ctx);
		fmpq_clear(&v.chance);
		fmpq_clear(&v.sum);
	}
	fmpq_clear(one);
	fmpq_clear(zero);
	return status;
}

static int compare_cells(const void *a, const void *b)
{
	const struct cell *x = a, *y = b;

	if (x->s != y->s)
		return x->s < y->s ? -1 : 1;
	return (x->t > y->t) - (x->t < y->t);
}

static void clear_cell(struct cell *c)
{
	fmpq_clear(&c->pay[0]);
	fmpq_clear(&c->pay[1]);
}

/* Those of one pair become one. */
static void merge_cells(struct gathering *g)
{
	int64_t n = 0;

	if (g->n_cells)
		qsort(g->cells, (size_t)g->n_cells, sizeof(*g->cells), compare_cells);
	for (int64_t k = 0; k < g->n_cells; k++) {
		if (n && compare_cells(&g->cells[n - 1], &g->cells[k]) == 0) {
			for (int q = 0; q < 2; q++)
				fmpq_add(&g->cells[n - 1].pay[q], &g->cells[n - 1].pay[q],
					&g->cells[k].pay[q]);
			clear_cell(&g->cells[k]);
			continue;
		}
		g->cells[n++] = g->cells[k];
	}
	g->n_cells = n;
}

/* Cells as integers over one denominator a player. */
static int settle_cells(struct nash_sequence_form *f, const struct gathering *g)
{
	const uint64_t n = (uint64_t)g->n_cells + 1;

	if (nash__room(f->ctx, n * 2 * sizeof(fmpz)))
		return GPUBE_ENOMEM;
	for (int q = 0; q < 2; q++) {
		f->at[q] = gpube__alloc(f->ctx, n, sizeof(*f->at[q]));
		if (!f->at[q])
			return GPUBE_ENOMEM;
		f->pay[q] = _fmpz_vec_init((slong)n);
	}
	f->n = g->n_cells;
	f->zero = g->constant;
	for (int q = 0; q < 2; q++) {
		const int own = f->zero ? 0 : q;

		fmpz_one(f->den + q);
		for (int64_t k = 0; k < f->n; k++)
			fmpz_lcm(f->den + q, f->den + q, fmpq_denref(&g->cells[k].pay[own]));
		for (int64_t k = 0; k < f->n; k++) {
			const fmpq *v = &g->cells[k].pay[own];

			fmpz_divexact(f->pay[q] + k, f->den + q, fmpq_denref(v));
			fmpz_mul(f->pay[q] + k, f->pay[q] + k, fmpq_numref(v));
			f->at[q][k] = q ? g->cells[k].t : g->cells[k].s;
		}
	}
	if (f->zero)
		_fmpz_vec_neg(f->pay[1], f->pay[1], (slong)f->n);
	return GPUBE_OK;
}

int nash__sequences_init(struct nash_sequence_form *f, const struct gpube_model *m)
{
	struct gathering g = {.f = f};
	int32_t *number = NULL;
	int status;

	*f = (struct nash_sequence_form){.ctx = m->ctx, .tree = m->tree};
	fmpq_init(g.sum);
	status = take_sequences(f, &number);
	g.number = number;
	if (!status)
		status = gather(&g);
	if (!status) {
		merge_cells(&g);
		status = settle_cells(f, &g);
	}
	if (!status && f->zero)
		fmpq_set(&f->sum, g.sum);
	for (int64_t k = 0; k < g.n_cells; k++)
		clear_cell(&g.cells[k]);
	for (int64_t k = 0; k < g.n_stack; k++) {
		fmpq_clear(&g.stack[k].chance);
		fmpq_clear(&g.stack[k].sum);
	}
	fmpq_clear(g.sum);
	gpube__free(f->ctx, g.cells);
	gpube__free(f->ctx, g.stack);
	gpube__free(f->ctx, number);
	return status;
}

void nash__sequences_clear(struct nash_sequence_form *f)
{
	for (int q = 0; q < 2; q++) {
		gpube__free(f->ctx, f->of[q].infoset);
		gpube__free(f->ctx, f->of[q].after);
		gpube__free(f->ctx, f->of[q].first);
		gpube__free(f->ctx, f->at[q]);
		if (f->pay[q])
			_fmpz_vec_clear(f->pay[q], (slong)f->n + 1);
		fmpz_clear(f->den + q);
	}
	fmpq_clear(&f->sum);
	*f = (struct nash_sequence_form){0};
}
