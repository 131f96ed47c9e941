/*
 * contract_merge.c - see contract_merge.h.
 *
 * The search is greedy: operands whose dims another one has go to that, then ever the two groups whose
 * table is the smallest become one. Each step is priced as a whole, by the families' own plans.
 */
#include "gpube/ops/contract/contract_merge.h"

#include <math.h>
#include <string.h>

/*
 * A merged table has at most this part of the joined cells: then making it, which takes MERGE_BYTES of
 * memory a cell and a launch, is little beside them.
 */
#define MERGE_PART   200.0
#define MERGE_BYTES  24.0
#define MERGE_LAUNCH 20000.0
#define DRAM_BYTES   15.0 /* of a multiprocessor, in a cycle: contract_strip_plan.c */
#define MERGE_GAIN   0.8  /* of what it took */
#define MOST_PRICED  4	  /* groups */

static uint64_t dims_of(const struct gpube_contraction *c, int k)
{
	uint64_t dims = 0;

	for (int i = 0; i < c->in[k].n_dims; i++)
		dims |= (uint64_t)1 << c->in[k].dims[i];
	return dims;
}

static uint64_t dims_of_group(
	const struct gpube_contraction *c, const struct gpube__merges *m, int group)
{
	uint64_t dims = 0;

	for (int k = 0; k < c->n_in; k++)
		if (m->of[k] == group)
			dims |= dims_of(c, k);
	return dims;
}

static double cells_of(const struct gpube_contraction *c, uint64_t dims)
{
	double cells = 1;

	for (int d = 0; d < c->n_dims; d++)
		if (dims >> d & 1)
			cells *= (double)c->sizes[d];
	return cells;
}

int gpube__merge_members(const struct gpube_contraction *c, const struct gpube__merges *m, int group)
{
	int n = 0;

	for (int k = 0; k < c->n_in; k++)
		n += m->of[k] == group;
	return n;
}

double gpube__merge_cells(
	const struct gpube_contraction *c, const struct gpube__merges *m, int group)
{
	return cells_of(c, dims_of_group(c, m, group));
}

/* Dims of a merged table: the reduced ones first, as in what elimination makes. Returns how many. */
static int list_dims(int32_t *list, const struct gpube_contraction *c, uint64_t dims)
{
	int n = 0;

	for (int i = 0; i < c->n_dims; i++) {
		const int d = i < c->n_dims - c->n_out ? c->n_out + i : i - (c->n_dims - c->n_out);

		if (dims >> d & 1)
			list[n++] = d;
	}
	return n;
}

void gpube__merge_group(struct gpube__merging *to, const struct gpube_contraction *c,
	const struct gpube__merges *m, int group, void *table)
{
	int32_t list[GPUBE_MAX_DIMS], place[GPUBE_MAX_DIMS], *dims = to->dims;

	to->c = *c;
	to->c.out = table;
	to->c.sizes = to->sizes;
	to->c.in = to->in;
	to->c.n_in = 0;
	to->c.n_out = to->c.n_dims = list_dims(list, c, dims_of_group(c, m, group));
	for (int i = 0; i < to->c.n_out; i++) {
		to->sizes[i] = c->sizes[list[i]];
		place[list[i]] = i;
	}
	for (int k = 0; k < c->n_in; k++) {
		struct gpube_operand *in = &to->in[to->c.n_in];

		if (m->of[k] != group)
			continue;
		*in = c->in[k];
		in->dims = dims;
		for (int i = 0; i < in->n_dims; i++)
			*dims++ = place[c->in[k].dims[i]];
		to->c.n_in++;
	}
}

void gpube__merge_rest(struct gpube__merging *to, const struct gpube_contraction *c,
	const struct gpube__merges *m, void *const *tables)
{
	int32_t *dims = to->dims;

	to->c = *c;
	to->c.in = to->in;
	to->c.n_in = m->n;
	for (int g = 0; g < m->n; g++) {
		struct gpube_operand *in = &to->in[g];

		if (gpube__merge_members(c, m, g) > 1) {
			*in = (struct gpube_operand){.values = tables[g], .dims = dims};
			in->n_dims = list_dims(dims, c, dims_of_group(c, m, g));
			dims += in->n_dims;
			continue;
		}
		for (int k = 0; k < c->n_in; k++)
			if (m->of[k] == g)
				*in = c->in[k];
	}
}

/* ---- the search ----------------------------------------------------------------------------- */

/* Group b's operands are group a's, and the last group has number b. */
static void join(struct gpube__merges *m, const struct gpube_contraction *c, int a, int b)
{
	m->n--;
	for (int k = 0; k < c->n_in; k++)
		m->of[k] = (uint8_t)(m->of[k] == b ? a : m->of[k] == m->n ? b : m->of[k]);
}

/* Joins a group to the smallest one that has all of its dims; false: there is none. */
static bool join_inside(struct gpube__merges *m, const struct gpube_contraction *c, double most)
{
	for (int b = 0; b < m->n; b++) {
		const uint64_t dims = dims_of_group(c, m, b);
		double least = most;
		int best = -1;

		for (int a = 0; a < m->n; a++) {
			const uint64_t all = dims_of_group(c, m, a);
			const double cells = cells_of(c, all);

			if (a == b || dims & ~all || cells > least)
				continue;
			least = cells;
			best = a;
		}
		if (best < 0)
			continue;
		join(m, c, best < b ? best : b, best < b ? b : best);
		return true;
	}
	return false;
}

/* Joins the two groups whose table is the smallest; false: it would be too large. */
static bool join_smallest(struct gpube__merges *m, const struct gpube_contraction *c, double most)
{
	double least = INFINITY;
	int a = 0, b = 0;

	for (int i = 0; i < m->n; i++)
		for (int j = i + 1; j < m->n; j++) {
			const double cells =
				cells_of(c, dims_of_group(c, m, i) | dims_of_group(c, m, j));

			if (cells >= least)
				continue;
			least = cells;
			a = i;
			b = j;
		}
	if (least > most)
		return false;
	join(m, c, a, b);
	return true;
}

/* Cycles of all merges, and of what is left, by its best plan. */
static double price(const struct gpube__merges *m, struct gpube__pricer *pricer,
	const struct gpube_contraction *c, struct gpube__merging *rest)
{
	void *tables[GPUBE_BOX_IN] = {NULL};
	double cycles = 0;

	for (int i = 0; i < m->n; i++)
		if (gpube__merge_members(c, m, i) > 1)
			cycles += MERGE_LAUNCH + MERGE_BYTES * gpube__merge_cells(c, m, i) /
							 (DRAM_BYTES * pricer->device->n_sms);
	gpube__merge_rest(rest, c, m, tables);
	return cycles + pricer->cycles(pricer, &rest->c);
}

int gpube__merge_find(struct gpube__merges *best, struct gpube__pricer *pricer,
	struct gpube_ctx *ctx, const struct gpube_contraction *c, double cycles)
{
	const double most = cells_of(c, ~(uint64_t)0) / MERGE_PART;
	struct gpube__merging *rest = gpube__alloc(ctx, 1, sizeof(*rest));
	struct gpube__merges m = {.n = c->n_in};
	double least = MERGE_GAIN * cycles;
	bool any = false;

	best->n = 0;
	if (!rest)
		return GPUBE_ENOMEM;
	for (int k = 0; k < c->n_in; k++)
		m.of[k] = (uint8_t)k;
	for (;;) {
		while (m.n > 1 && join_inside(&m, c, most))
			any = true;
		if (any && m.n <= MOST_PRICED) {
			const double all = price(&m, pricer, c, rest);

			if (all < least) {
				least = all;
				*best = m;
			}
		}
		if (m.n <= 2 || !join_smallest(&m, c, most))
			break;
		any = true;
	}
	gpube__free(ctx, rest);
	return GPUBE_OK;
}
