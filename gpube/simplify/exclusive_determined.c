/*
 * exclusive_determined.c - of two variables where each value of one allows one value of the other:
 * the other is no variable of its own. (Pairs of frequencies that are a fixed distance apart, equal
 * and opposite literals.) The graph loses an edge by contraction, which widens nothing.
 */
#include "gpube/simplify/exclusive_parts.h"

#include <stdlib.h>
#include <string.h>

#include "gpube/ir/dense.h"

/* Tables of more cells are not looked at. */
enum { MOST_CELLS = 1 << 16 };
/* What is determined may have so many times fewer values: its neighbours' tables grow by that. */
enum { MOST_GROWTH = 2 };

struct determined {
	struct gpube_exclusive *x;
	int32_t *root, *next; /* of a variable; of the ring of those that one root determines */
	int64_t *cells;
	int32_t *image; /* of each value of one variable that of the other */
};

/* Whether a value of the variable that strides by 'by' allows but one of the other; d->image:
 * which. */
static bool determines(
	struct determined *d, int32_t n, int64_t by, int32_t n_other, int64_t by_other)
{
	for (int32_t a = 0; a < n; a++) {
		int32_t n_allowed = 0;

		d->image[a] = 0; /* where none is allowed, the table forbids it still */
		for (int32_t b = 0; b < n_other && n_allowed < 2; b++)
			if (d->cells[a * by + b * by_other] != GPUBE_INF) {
				d->image[a] = b;
				n_allowed++;
			}
		if (n_allowed > 1)
			return false;
	}
	return true;
}

static int32_t value_at(const struct gpube_exclusive *x, int32_t var, int32_t value)
{
	return x->values[var] ? x->values[var][value] : value;
}

/* 'from', a root whose value is the image of that of 'to', and all that it determines come under
 * to's root. */
static int attach(struct determined *d, int32_t from, int32_t to)
{
	struct gpube_exclusive *x = d->x;
	const int32_t root = d->root[to], n = x->m->vars[root].domain;
	int32_t var = from, next;

	do {
		int32_t *values = gpube__alloc(x->ctx, (uint64_t)n, sizeof(*values));

		if (!values)
			return GPUBE_ENOMEM;
		for (int32_t a = 0; a < n; a++)
			values[a] = value_at(x, var, d->image[value_at(x, to, a)]);
		gpube__free(x->ctx, x->values[var]);
		x->values[var] = values;
		d->root[var] = root;
		var = d->next[var];
	} while (var != from);
	next = d->next[from];
	d->next[from] = d->next[root];
	d->next[root] = next;
	return GPUBE_OK;
}

static int look_at(struct determined *d, int32_t f, int32_t *n_joined)
{
	const struct gpube_model *m = d->x->m;
	const int32_t *scope = gpube__scope(m, f);
	int status;

	if (m->functions[f].arity != 2 || gpube__cells(m, 2, scope) > MOST_CELLS)
		return GPUBE_OK;
	status = gpube__dense(d->cells, m, f, NULL);
	for (int k = 0; k < 2 && !status; k++) {
		/* rows are of the variable that comes first */
		const int32_t row = scope[scope[0] > scope[1]], column = scope[scope[0] < scope[1]];
		const int32_t n_rows = m->vars[row].domain, n_columns = m->vars[column].domain;
		const int32_t to = k ? column : row, from = k ? row : column;

		if (d->root[from] != from || d->root[to] == from ||
			m->vars[d->root[to]].domain > MOST_GROWTH * m->vars[from].domain)
			continue;
		if (!(k ? determines(d, n_columns, 1, n_rows, n_columns)
			: determines(d, n_rows, n_columns, n_columns, 1)))
			continue;
		status = attach(d, from, to);
		++*n_joined;
		break;
	}
	return status;
}

/* Those that are not alone have groups then. */
static void number(struct determined *d)
{
	struct gpube_exclusive *x = d->x;

	for (int32_t i = 0; i < x->m->n_vars; i++)
		if (d->root[i] == i && d->next[i] != i) {
			x->group[i] = x->n_groups;
			x->domain[x->n_groups++] = x->m->vars[i].domain;
		}
	for (int32_t i = 0; i < x->m->n_vars; i++) {
		x->group[i] = x->group[d->root[i]];
		x->value[i] = -1;
	}
}

int gpube__exclusive_determined(struct gpube_exclusive *x, int32_t *n_joined)
{
	const uint64_t n = (uint64_t)x->m->n_vars;
	struct determined d = {.x = x};
	int status = GPUBE_ENOMEM;

	*n_joined = 0;
	d.root = gpube__alloc(x->ctx, n, sizeof(*d.root));
	d.next = gpube__alloc(x->ctx, n, sizeof(*d.next));
	d.cells = gpube__alloc(x->ctx, MOST_CELLS, sizeof(*d.cells));
	d.image = gpube__alloc(x->ctx, MOST_CELLS, sizeof(*d.image));
	if (d.root && d.next && d.cells && d.image) {
		status = GPUBE_OK;
		for (int32_t i = 0; i < x->m->n_vars; i++)
			d.root[i] = d.next[i] = i;
		for (int32_t f = 0; f < x->m->n_functions && !status; f++)
			status = gpube__stopped(x->ctx) ? gpube__fail_stopped(x->ctx)
							: look_at(&d, f, n_joined);
	}
	if (!status)
		number(&d);
	GPUBE_FREE_ALL(x->ctx, d.root, d.next, d.cells, d.image);
	return status;
}
