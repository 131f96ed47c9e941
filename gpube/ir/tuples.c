/* tuples.c - tuples to tables. See tuples.h. */
#include "gpube/ir/tuples.h"

#include <string.h>

int gpube__tuples_init(struct gpube_tuples *t, struct gpube_ctx *ctx, int arity,
	const int32_t *domains, int64_t dflt)
{
	int32_t *p = gpube__alloc_zero(ctx, 2 * (uint64_t)arity + 1, sizeof(*p));

	memset(t, 0, sizeof(*t));
	if (!p)
		return GPUBE_ENOMEM;
	t->ctx = ctx;
	t->arity = arity;
	t->domains = p;
	t->next = p + arity;
	t->dflt = dflt;
	t->cells = 1;
	t->listing = true;
	t->unordered = -1;
	for (int k = 0; k < arity; k++) {
		t->domains[k] = domains[k];
		t->cells = gpube__mul_size(t->cells, domains[k]);
	}
	return GPUBE_OK;
}

void gpube__tuples_clear(struct gpube_tuples *t)
{
	gpube__values_clear(t->ctx, &t->values);
	GPUBE_FREE_ALL(t->ctx, t->domains, t->tuples, t->lines);
	memset(t, 0, sizeof(*t));
}

static int grow_tuples(struct gpube_tuples *t, int64_t n)
{
	int64_t need = gpube__mul_size(n, t->arity);

	if (need < 0)
		return gpube__fail(
			t->ctx, GPUBE_ENOMEM, "out of memory: %lld tuples", (long long)n);
	return gpube__grow(t->ctx, &t->tuples, &t->tuples_capacity, need, sizeof(*t->tuples));
}

/* The first n cells become tuples: something else than a listing is coming. */
static int end_listing(struct gpube_tuples *t)
{
	size_t row = (size_t)t->arity;

	if (grow_tuples(t, t->values.n + 1))
		return GPUBE_ENOMEM;
	memset(t->next, 0, row * sizeof(*t->next));
	for (int64_t n = 0; n < t->values.n; n++) {
		memcpy(t->tuples + (size_t)n * row, t->next, row * sizeof(*t->next));
		gpube__tuple_next(t->next, t->domains, t->arity);
	}
	t->listing = false;
	return GPUBE_OK;
}

int gpube__tuples_push(struct gpube_tuples *t, const int32_t *tuple, int64_t value, int64_t line)
{
	int64_t n = t->values.n;
	size_t row = (size_t)t->arity;

	if (t->listing && n != t->cells && gpube__compare_tuples(tuple, t->next, t->arity) == 0) {
		gpube__tuple_next(t->next, t->domains, t->arity);
		return gpube__values_push(t->ctx, &t->values, value);
	}
	if (t->listing ? end_listing(t) : grow_tuples(t, n + 1))
		return GPUBE_ENOMEM;
	if (t->unordered < 0 && n > 0 &&
		gpube__compare_tuples(t->tuples + (size_t)(n - 1) * row, tuple, t->arity) >= 0)
		t->unordered = n;
	if (t->unordered >= 0) {
		if (gpube__grow(t->ctx, &t->lines, &t->lines_capacity, n - t->unordered + 1,
			    sizeof(*t->lines)))
			return GPUBE_ENOMEM;
		t->lines[n - t->unordered] = line;
	}
	memcpy(t->tuples + (size_t)n * row, tuple, row * sizeof(*tuple));
	return gpube__values_push(t->ctx, &t->values, value);
}

int gpube__tuples_list(struct gpube_tuples *t, const int64_t *values, int64_t n)
{
	int64_t cell = t->values.n + n;

	if (gpube__values_append(t->ctx, &t->values, values, n))
		return GPUBE_ENOMEM;
	for (int k = t->arity - 1; k >= 0; k--) {
		t->next[k] = (int32_t)(cell % t->domains[k]);
		cell /= t->domains[k];
	}
	return GPUBE_OK;
}

/* Dense if that takes no more bytes than the tuples, or little. */
static bool wants_dense(const struct gpube_tuples *t)
{
	if (t->cells < 0)
		return false;
	if (t->arity <= GPUBE_FILLED_ARITY && t->cells <= GPUBE_FILLED_CELLS)
		return true;
	return t->cells / 4 <= t->values.n * (t->arity + 1);
}

/* The cell of tuple k of the sorted 'table'; past all cells at the end. */
static int64_t cell_of(const struct gpube_tuples *t, const struct gpube_table *table, int64_t k)
{
	int64_t cell = 0;

	if (k == table->n)
		return INT64_MAX;
	for (int i = 0; i < t->arity; i++)
		cell = cell * t->domains[i] + table->tuples[k * t->arity + i];
	return cell;
}

/* The sorted 'table' becomes a dense one. */
static int densify(struct gpube_tuples *t, struct gpube_table *table)
{
	enum { BLOCK = 512 };
	int64_t block[BLOCK], at = 0, next = cell_of(t, table, 0);
	struct gpube_values v = {0};
	int status = GPUBE_OK;

	for (int64_t start = 0; start < t->cells && !status; start += BLOCK) {
		int64_t n = t->cells - start < BLOCK ? t->cells - start : BLOCK;

		for (int64_t k = 0; k < n; k++)
			block[k] = t->dflt;
		for (; next < start + n; next = cell_of(t, table, at))
			block[next - start] = gpube__table_int(table, at++);
		status = gpube__values_append(t->ctx, &v, block, n);
	}
	gpube__free(t->ctx, table->values);
	gpube__free(t->ctx, table->tuples);
	*table = (struct gpube_table){
		.arity = t->arity, .type = v.type, .n = v.n, .values = v.values};
	return status;
}

static int finish_listing(struct gpube_tuples *t, struct gpube_table *table)
{
	int status = GPUBE_OK;

	while (t->values.n < t->cells && !status)
		status = gpube__values_push(t->ctx, &t->values, t->dflt);
	table->type = t->values.type;
	table->n = t->values.n;
	table->values = t->values.values;
	memset(&t->values, 0, sizeof(t->values));
	return status;
}

static int finish_tuples(struct gpube_tuples *t, struct gpube_table *table, int64_t *twice)
{
	int64_t at;
	bool dense = wants_dense(t);
	int status;

	*table = (struct gpube_table){.arity = t->arity,
		.sparse = true,
		.dflt.i = t->dflt,
		.type = t->values.type,
		.n = t->values.n,
		.values = t->values.values,
		.tuples = t->tuples};
	memset(&t->values, 0, sizeof(t->values));
	t->tuples = NULL;
	status = gpube__sort_tuples(t->ctx, table, &at);
	if (status)
		return status;
	if (at >= 0) {
		*twice = t->lines[at - t->unordered];
		return GPUBE_OK;
	}
	return dense ? densify(t, table) : GPUBE_OK;
}

int gpube__tuples_finish(struct gpube_tuples *t, struct gpube_table *table, int64_t *twice)
{
	struct gpube_ctx *ctx = t->ctx;
	int status = GPUBE_OK;

	*twice = 0;
	*table = (struct gpube_table){.arity = t->arity};
	if (t->listing && !wants_dense(t))
		status = end_listing(t);
	if (!status)
		status = t->listing ? finish_listing(t, table) : finish_tuples(t, table, twice);
	if (status || *twice) {
		gpube__free(ctx, table->values);
		gpube__free(ctx, table->tuples);
		memset(table, 0, sizeof(*table));
	}
	gpube__tuples_clear(t);
	return status;
}
