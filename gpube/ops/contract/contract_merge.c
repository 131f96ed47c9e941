/* contract_merge.c - see contract_merge.h. */
#include "gpube/ops/contract/contract_merge.h"

#include <string.h>

#include "gpube/ops/index.h"

static uint64_t dims_of(const struct gpube_contraction *c, int k)
{
	uint64_t dims = 0;

	for (int i = 0; i < c->in[k].n_dims; i++)
		dims |= (uint64_t)1 << c->in[k].dims[i];
	return dims;
}

static double cells_of(const struct gpube_contraction *c, uint64_t dims)
{
	double cells = 1;

	for (int d = 0; d < c->n_dims; d++)
		cells *= dims >> d & 1 ? (double)c->sizes[d] : 1;
	return cells;
}

/* The smallest other operand that has all dims of operand k, of two alike the first; -1: none. */
static int smallest_around(const struct gpube_contraction *c, const uint64_t *dims, int k)
{
	int best = -1;

	for (int i = 0; i < c->n_in; i++)
		if (i != k && (dims[k] & ~dims[i]) == 0 && (dims[i] != dims[k] || i < k) &&
			(best < 0 || cells_of(c, dims[i]) < cells_of(c, dims[best])))
			best = i;
	return best;
}

/* Numbers the groups, whose members all have the same mark, in the order of their first ones. */
static void number(struct gpube__merge *m, const int *mark, int n_in)
{
	m->n = 0;
	for (int k = 0; k < n_in; k++) {
		int first = 0;

		while (mark[first] != mark[k])
			first++;
		m->of[k] = first < k ? m->of[first] : (int8_t)m->n++;
	}
}

/* Those that stand alone and are in the same large operand, or in none, become one. */
static void join_loose(const struct gpube_contraction *c, const uint64_t *dims, const int *around,
	double most, int *mark)
{
	uint64_t all[GPUBE_MERGE_IN];

	for (int k = 0; k < c->n_in; k++)
		all[k] = dims[k];
	for (int k = 0; k < c->n_in; k++)
		for (int i = 0; i < k; i++)
			if (mark[k] == k && mark[i] == i && around[i] == around[k] &&
				cells_of(c, all[i] | all[k]) <= most) {
				for (int j = 0; j < c->n_in; j++)
					mark[j] = mark[j] == k ? i : mark[j];
				all[i] |= all[k];
			}
}

int gpube__merge_find(struct gpube__merge out[2], const struct gpube_contraction *c,
	const struct gpube__merge_limits *limits)
{
	uint64_t dims[GPUBE_MERGE_IN];
	int around[GPUBE_MERGE_IN], mark[GPUBE_MERGE_IN];
	int n = 0;

	if (c->semiring != GPUBE_MIN_PLUS || c->out_arg || c->n_in < 3 ||
		c->n_in > GPUBE_MERGE_IN || c->n_dims > GPUBE_MAX_DIMS)
		return 0;
	for (int k = 0; k < c->n_in; k++)
		dims[k] = dims_of(c, k);
	for (int k = 0; k < c->n_in; k++) {
		around[k] = smallest_around(c, dims, k);
		mark[k] = k;
	}
	for (int k = 0; k < c->n_in; k++)
		for (int to = around[k]; to >= 0 && cells_of(c, dims[to]) <= limits->into;
			to = around[to])
			mark[k] = to;
	number(&out[0], mark, c->n_in);
	n = out[0].n < c->n_in;
	join_loose(c, dims, around, limits->made, mark);
	number(&out[n], mark, c->n_in);
	return n + (out[n].n < (n ? out[0].n : c->n_in));
}

/* The dims of a table that is made: those of an operand that has all, or in the output's order. */
static void lay_out(struct gpube__merged *to, const struct gpube_contraction *c,
	const struct gpube__merge *m, int which)
{
	struct gpube_operand *table = &to->in[which];
	uint64_t dims = 0;
	int first = -1;

	for (int k = 0; k < c->n_in; k++)
		if (m->of[k] == which) {
			first = first < 0 ? k : first;
			dims |= dims_of(c, k);
		}
	for (int k = first; k < c->n_in; k++)
		if (m->of[k] == which && dims_of(c, k) == dims) {
			table->n_dims = c->in[k].n_dims;
			memcpy(to->dims[which], c->in[k].dims,
				(size_t)table->n_dims * sizeof(**to->dims));
			return;
		}
	/* reduced dims stand first, unless the first of the operands begins otherwise */
	for (int turn = 0; turn < 2; turn++) {
		const bool reduced = (c->in[first].n_dims && c->in[first].dims[0] < c->n_out) == turn;

		for (int d = 0; d < c->n_dims; d++)
			if (dims >> d & 1 && (d >= c->n_out) == reduced)
				to->dims[which][table->n_dims++] = d;
	}
}

void gpube__merge_rest(
	struct gpube__merged *to, const struct gpube_contraction *c, const struct gpube__merge *m)
{
	memset(to, 0, sizeof(*to));
	to->c = *c;
	to->c.n_in = m->n;
	to->c.in = to->in;
	memcpy(to->sizes, c->sizes, (size_t)c->n_dims * sizeof(*to->sizes));
	to->c.sizes = to->sizes;
	for (int which = 0; which < m->n; which++) {
		int n = 0;

		for (int k = 0; k < c->n_in; k++)
			if (m->of[k] == which) {
				to->in[which].values = c->in[k].values;
				n++;
			}
		if (n > 1)
			to->in[which].values = NULL;
		to->in[which].dims = to->dims[which];
		lay_out(to, c, m, which);
	}
}

int gpube__merge_part(struct gpube__merged *to, const struct gpube__merged *rest,
	const struct gpube_contraction *c, const struct gpube__merge *m, int which)
{
	const struct gpube_operand *table = &rest->in[which];
	int n = 0;

	memset(to, 0, sizeof(*to));
	to->c = *c;
	to->c.n_out = to->c.n_dims = table->n_dims;
	to->c.sizes = to->sizes;
	to->c.in = to->in;
	to->c.out = NULL;
	for (int i = 0; i < table->n_dims; i++)
		to->sizes[i] = c->sizes[table->dims[i]];
	for (int k = 0; k < c->n_in; k++) {
		if (m->of[k] != which)
			continue;
		to->in[n] = c->in[k];
		to->in[n].dims = to->dims[n];
		for (int i = 0; i < c->in[k].n_dims; i++)
			for (int j = 0; j < table->n_dims; j++)
				if (table->dims[j] == c->in[k].dims[i])
					to->dims[n][i] = j;
		n++;
	}
	to->c.n_in = n;
	return n;
}
