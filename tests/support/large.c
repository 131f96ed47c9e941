/* large.c - see large.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpube/base/base.h"
#include "tests/support/large.h"

#define ALL(n)    (((uint64_t)1 << (n)) - 1) /* the first n dims */
#define BUT(n, d) (ALL(n) & ~((uint64_t)1 << (d)))

static const struct large chosen[] = {
	/* a bucket's big message and small functions */
	{44, 44, 6, LARGE_X_FIRST, 3, {ALL(7), 1 << 6 | 1, 1 << 6}},
	{44, 44, 6, LARGE_X_LAST, 2, {ALL(7), 1 << 6 | 3}},
	{10, 10, 9, LARGE_X_FIRST, 2, {ALL(10), 1 << 9 | 1 << 8}},
	/* one table only: all output dims would be one of 2^33 values */
	{2, 2, 33, LARGE_X_FIRST, 1, {ALL(34)}},
	{2, 2, 33, LARGE_X_LAST, 1, {ALL(34)}},
	/* two big tables; steps of x of 2^32 cells and more, odd ones too */
	{2, 2, 34, LARGE_X_FIRST, 2, {BUT(35, 3), BUT(35, 5)}},
	{4, 4, 17, LARGE_X_FIRST, 2, {ALL(18), 1 << 17 | 1 << 3}},
	{3, 3, 20, LARGE_X_FIRST, 2, {ALL(21), BUT(21, 0)}},
	{3, 5, 21, LARGE_X_BETWEEN, 2, {ALL(22), 1 << 21 | 7}},
	/* small tables, a large output */
	{100, 8, 5, LARGE_X_FIRST, 3, {1 << 5 | 3, 1 << 5 | 12, 1 << 5 | 16}},
	{100, 8, 5, LARGE_X_LAST, 2, {1 << 5 | 7, 1 << 5 | 24}},
	/* an operand without x, which is larger than what x depends on */
	{20, 20, 8, LARGE_X_FIRST, 3, {ALL(8), 1 << 8 | 15, 1 << 8 | 240}},
	/* many values to reduce, few of the output beside them */
	{64, 10000, 4, LARGE_X_FIRST, 2, {ALL(5), 1 << 4 | 2}},
};

#define N_CHOSEN ((int)(sizeof(chosen) / sizeof(*chosen)))

static void random_row(struct large *row, struct gpube_rng *r)
{
	static const int64_t domains[] = {2, 3, 4, 5, 7, 8, 10, 16, 25, 44, 100};
	const double most = 0x1p36;
	double cells;

	memset(row, 0, sizeof(*row));
	row->domain = domains[gpube__rng_below(r, sizeof(domains) / sizeof(*domains))];
	row->x = gpube__rng_below(r, 3) ? row->domain : 2 + (int64_t)gpube__rng_below(r, 60);
	row->where = (enum large_x)gpube__rng_below(r, 3);
	for (cells = (double)row->x; cells * (double)row->domain < most && row->n_out < 33;
		row->n_out++)
		cells *= (double)row->domain;
	if (gpube__rng_below(r, 2) && cells / (double)row->domain > 0x1p32)
		row->n_out--;
	row->n_in = 1 + (int)gpube__rng_below(r, 5);
	for (int k = 0; k < row->n_in; k++) {
		/* the first has all dims, or all but one, or half of them */
		const uint64_t all = ALL(row->n_out + 1);
		uint64_t scope = gpube__rng_next(r) & all;

		if (k == 0 && gpube__rng_below(r, 4))
			scope = gpube__rng_below(r, 2) ? all
						       : all & ~((uint64_t)1 << gpube__rng_below(
									 r, (uint64_t)row->n_out));
		else if (k)
			scope &= gpube__rng_next(r);
		row->scopes[k] = scope | (uint64_t)(k == 0) << row->n_out;
	}
}

void large_row(struct large *row, int i)
{
	struct gpube_rng r;

	if (i < N_CHOSEN) {
		*row = chosen[i];
		return;
	}
	gpube__rng_init(&r, (uint64_t)i);
	random_row(row, &r);
}

static void describe(struct shape *s, const struct large *row)
{
	size_t at = (size_t)snprintf(s->text, sizeof(s->text),
		"%d of %lld, x of %lld (%d):", row->n_out, (long long)row->domain,
		(long long)row->x, (int)row->where);

	for (int k = 0; k < row->n_in && at < sizeof(s->text); k++)
		at += (size_t)snprintf(s->text + at, sizeof(s->text) - at, " %llx",
			(unsigned long long)row->scopes[k]);
}

void shape_large(struct shape *s, int i, enum gpube_type type)
{
	struct large row;
	int32_t *dims;

	memset(s, 0, sizeof(*s));
	large_row(&row, i);
	describe(s, &row);
	s->sizes = malloc(((size_t)row.n_out + 1) * sizeof(*s->sizes));
	s->in = malloc((size_t)row.n_in * sizeof(*s->in));
	dims = malloc((size_t)row.n_in * ((size_t)row.n_out + 1) * sizeof(*dims));
	if (!s->sizes || !s->in || !dims)
		abort();
	for (int d = 0; d < row.n_out; d++)
		s->sizes[d] = row.domain;
	s->sizes[row.n_out] = row.x;
	for (int k = 0; k < row.n_in; k++, dims += row.n_out + 1) {
		const bool has_x = row.scopes[k] >> row.n_out & 1;
		int n = 0;

		if (has_x && row.where == LARGE_X_FIRST)
			dims[n++] = row.n_out;
		for (int d = 0; d < row.n_out; d++) {
			if (has_x && row.where == LARGE_X_BETWEEN && d == row.n_out / 2)
				dims[n++] = row.n_out;
			if (row.scopes[k] >> d & 1)
				dims[n++] = d;
		}
		if (has_x && row.where == LARGE_X_LAST)
			dims[n++] = row.n_out;
		s->in[k] = (struct gpube_operand){.n_dims = n, .dims = dims};
	}
	s->c = (struct gpube_contraction){.semiring = GPUBE_MIN_PLUS,
		.type = type,
		.n_out = row.n_out,
		.n_dims = row.n_out + 1,
		.sizes = s->sizes,
		.n_in = row.n_in,
		.in = s->in,
		.top = 1 << 20,
		.threshold = 1 << 20};
	s->joined_cells = gpube__joined_cells(&s->c);
	s->out_cells = s->joined_cells / row.x;
}

void shape_large_free(struct shape *s)
{
	free((void *)s->in[0].dims);
	free(s->in);
	free(s->sizes);
}

int64_t large_value(int k, int64_t at)
{
	const uint64_t hash = ((uint64_t)at + 1) * 0x9e3779b97f4a7c15u + (uint64_t)k * 1000003;

	return (int64_t)((hash ^ hash >> 29) % 1009);
}

int64_t large_best(const struct gpube__shape *s, int64_t out)
{
	const int n_reduced = s->n_dims - s->n_out;
	int64_t best = INT64_MAX;

	for (int64_t x = 0; x < s->n_reduced; x++) {
		int64_t sum = 0;

		for (int k = 0; k < s->n_in; k++) {
			const int64_t *stride = s->stride + k * s->ld;

			sum += large_value(
				k, gpube__offset(out, s->n_out, s->size, stride) +
					   gpube__offset(x, n_reduced, s->size + s->n_out,
						   stride + s->n_out));
		}
		best = sum < best ? sum : best;
	}
	return best;
}
