/* sequences.c - the sequence form of a tree. See sequences.h. */
#include <stdlib.h>
#include <string.h>

#include "nash/extensive/sequences.h"

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
	const uint64_t n = (uint64_t)f->tree->n_infosets + 1;
	struct gpube__arrays *to = &f->memory;
	int status = GPUBE_ENOMEM;

	for (int q = 0; q < 2; q++) {
		f->of[q].infoset = gpube__array(to, n, sizeof(*f->of[q].infoset));
		f->of[q].after = gpube__array(to, n, sizeof(*f->of[q].after));
		f->of[q].first = gpube__array(to, n, sizeof(*f->of[q].first));
	}
	*number = gpube__array(to, (uint64_t)f->tree->n_actions + 1, sizeof(**number));
	if (!to->failed)
		status = number_sequences(f, *number);
	for (int q = 0; q < 2 && !status; q++) {
		const uint64_t all = (uint64_t)f->of[q].n;

		f->reply[q].best = gpube__array(to, n, sizeof(*f->reply[q].best));
		f->reply[q].used = gpube__array(to, all, 1);
		status = to->failed ? GPUBE_ENOMEM : nash__room(f->ctx, all * sizeof(fmpz));
		if (!status)
			f->reply[q].worth = _fmpz_vec_init((slong)all);
	}
	return status;
}

/* ---- payoffs ------------------------------------------------------------------------------ */

/* Outcomes of one pair of sequences add up. */
struct cell {
	int32_t s, t;
	fmpq pay[2];
};

/* A node: both players' sequences, its chance, and what both got so far. */
struct visit {
	int32_t at[2];
	fmpq chance, sum;
};

struct gathering {
	struct nash_sequence_form *f;
	const int32_t *number;
	struct cell *cells;
	int64_t n_cells, capacity;
	struct visit *visits; /* by node */
	bool ended, constant; /* an end was seen; both got the same sum at all of them */
	fmpq_t sum;
};

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
		nash__fraction(&c->pay[q], &t->payoffs[(int64_t)outcome * t->n_players + q]);
		fmpq_add(&v->sum, &v->sum, &c->pay[q]);
		fmpq_mul(&c->pay[q], &c->pay[q], &v->chance);
	}
	return GPUBE_OK;
}

static void visit_children(
	struct gathering *g, const struct visit *v, const struct gpube_node *node)
{
	const struct gpube_game_tree *t = g->f->tree;
	const struct gpube_infoset *i = &t->infosets[node->infoset];

	for (int32_t a = 0; a < i->n_actions; a++) {
		struct visit *child = &g->visits[t->children[node->children + a]];

		memcpy(child->at, v->at, sizeof(v->at));
		fmpq_set(&child->chance, &v->chance);
		fmpq_set(&child->sum, &v->sum);
		if (i->player) {
			child->at[i->player - 1] = g->number[i->first + a];
		} else {
			nash__fraction(&child->chance, &t->actions[i->first + a].chance);
			fmpq_mul(&child->chance, &child->chance, &v->chance);
		}
	}
}

static void note_end(struct gathering *g, const struct visit *v)
{
	if (!g->ended)
		fmpq_set(g->sum, &v->sum);
	g->constant = g->constant && fmpq_equal(g->sum, &v->sum);
	g->ended = true;
}

/* Nodes come before those that follow on them; none is looked at that chance never comes to. */
static int gather(struct gathering *g)
{
	const struct gpube_game_tree *t = g->f->tree;
	int status = GPUBE_OK;

	g->visits = gpube__alloc_zero(g->f->ctx, (uint64_t)t->n_nodes, sizeof(*g->visits));
	if (!g->visits)
		return GPUBE_ENOMEM;
	fmpq_one(&g->visits[0].chance);
	fmpq_zero(&g->visits[0].sum);
	g->constant = true;
	for (int64_t k = 0; k < t->n_nodes && !status; k++) {
		struct visit *v = &g->visits[k];
		const struct gpube_node *node = &t->nodes[k];

		status = nash__room(g->f->ctx, 0);
		if (!status && (k & 1023) == 0 && gpube__stopped(g->f->ctx))
			status = gpube__fail_stopped(g->f->ctx);
		if (!status && !fmpq_is_zero(&v->chance) && node->outcome >= 0)
			status = add_cell(g, v, node->outcome);
		if (status || fmpq_is_zero(&v->chance))
			continue;
		if (node->infoset < 0)
			note_end(g, v);
		else
			visit_children(g, v, node);
	}
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

	for (int q = 0; q < 2; q++) {
		f->at[q] = gpube__array(&f->memory, n, sizeof(*f->at[q]));
		if (!f->at[q] || nash__room(f->ctx, n * sizeof(fmpz)))
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

	*f = (struct nash_sequence_form){.ctx = m->ctx, .tree = m->tree, .memory = {.ctx = m->ctx}};
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
	for (int64_t k = 0; g.visits && k < m->tree->n_nodes; k++) {
		fmpq_clear(&g.visits[k].chance);
		fmpq_clear(&g.visits[k].sum);
	}
	fmpq_clear(g.sum);
	gpube__free(f->ctx, g.cells);
	gpube__free(f->ctx, g.visits);
	return status;
}

void nash__sequences_clear(struct nash_sequence_form *f)
{
	for (int q = 0; q < 2; q++) {
		if (f->reply[q].worth)
			_fmpz_vec_clear(f->reply[q].worth, f->of[q].n);
		if (f->pay[q])
			_fmpz_vec_clear(f->pay[q], (slong)f->n + 1);
		fmpz_clear(f->den + q);
	}
	fmpq_clear(&f->sum);
	gpube__arrays_clear(&f->memory);
	*f = (struct nash_sequence_form){0};
}
