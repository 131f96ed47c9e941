/* table.c - values of tables: typed access, growing arrays, tuples in order. */
#include "gpube/ir/model.h"
#include "gpube/base/by_type.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int64_t gpube__table_int(const struct gpube_table *t, int64_t k)
{
	int64_t v;

#define READ(T, MOST) v = ((const T *)t->values)[k]
	GPUBE_BY_INT(t->type, READ);
	return v == gpube__forbidden(t->type) ? GPUBE_INF : v;
}

double gpube__table_real(const struct gpube_table *t, int64_t k)
{
	const double v = gpube__table_stored(t, k);

	return t->power ? ldexp(v, t->power) : v;
}

long double gpube__table_ln(const struct gpube_table *t, int64_t k)
{
	const long double v = (long double)(k < 0 ? t->dflt.f : gpube__table_stored(t, k));

#if LDBL_MIN_EXP < DBL_MIN_EXP + 2 * GPUBE_SMALL
	return logl(ldexpl(v, t->power)); /* one rounding */
#else
	return logl(v) + t->power * logl(2);
#endif
}

double gpube__table_stored(const struct gpube_table *t, int64_t k)
{
	return t->type == GPUBE_FLOAT32 ? (double)((const float *)t->values)[k]
					: ((const double *)t->values)[k];
}

bool gpube__too_many(char text[GPUBE_TOO_MANY_TEXT], int64_t n, const char *what)
{
	char number[32] = "2^63";

	if (n >= 0 && n <= GPUBE_MOST_CELLS)
		return false;
	if (n >= 0)
		snprintf(number, sizeof(number), "%lld", (long long)n);
	snprintf(text, GPUBE_TOO_MANY_TEXT, "a table of %s %s: at most %lld are given one by one",
		number, what, (long long)GPUBE_MOST_CELLS);
	return true;
}

int gpube__check_given(struct gpube_ctx *ctx, int64_t n, const char *what)
{
	char text[GPUBE_TOO_MANY_TEXT];

	return gpube__too_many(text, n, what) ? gpube__fail(ctx, GPUBE_ERANGE, "%s", text)
					      : GPUBE_OK;
}

int gpube__compare_tuples(const int32_t *a, const int32_t *b, int arity)
{
	for (int k = 0; k < arity; k++)
		if (a[k] != b[k])
			return a[k] < b[k] ? -1 : 1;
	return 0;
}

int64_t gpube__tuple_cell(const struct gpube_model *m, int32_t function, int64_t k)
{
	const struct gpube_table *t = gpube__table(m, function);
	const int32_t *scope = gpube__scope(m, function);
	int64_t cell = 0;

	for (int j = 0; j < t->arity; j++)
		cell = cell * m->vars[scope[j]].domain + t->tuples[k * t->arity + j];
	return cell;
}

int64_t gpube__table_find(const struct gpube_table *t, const int32_t *domains, const int32_t *tuple)
{
	int64_t lo = 0, hi = t->n, cell = 0;

	if (!t->sparse) {
		for (int k = 0; k < t->arity; k++)
			cell = cell * domains[k] + tuple[k];
		return cell;
	}
	while (lo < hi) {
		int64_t mid = lo + (hi - lo) / 2;
		int c = gpube__compare_tuples(t->tuples + mid * t->arity, tuple, t->arity);

		if (c == 0)
			return mid;
		if (c < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return -1;
}

static void store(void *values, enum gpube_type type, int64_t k, int64_t v)
{
	if (v == GPUBE_INF)
		v = gpube__forbidden(type);
#define STORE(T, MOST) ((T *)values)[k] = (T)v
	GPUBE_BY_INT(type, STORE);
}

static enum gpube_type type_of(int64_t v)
{
	enum gpube_type type = GPUBE_INT8;

	if (v == GPUBE_INF)
		return GPUBE_INT8; /* every type has its marker */
	while (type < GPUBE_INT64 && (v >= gpube__forbidden(type) || v < -gpube__forbidden(type)))
		type++;
	return type;
}

int gpube__values_reserve(struct gpube_ctx *ctx, struct gpube_values *v, int64_t n)
{
	void *p;

	if (n <= v->capacity)
		return GPUBE_OK;
	p = gpube__realloc(ctx, v->values, (uint64_t)n, gpube__type_size(v->type));
	if (!p)
		return GPUBE_ENOMEM;
	v->values = p;
	v->capacity = n;
	return GPUBE_OK;
}

static int widen(struct gpube_ctx *ctx, struct gpube_values *v, enum gpube_type type)
{
	struct gpube_table old = {.type = v->type, .values = v->values};
	void *p = gpube__realloc(ctx, v->values, (uint64_t)v->capacity, gpube__type_size(type));

	if (!p)
		return GPUBE_ENOMEM;
	old.values = p;
	for (int64_t k = v->n - 1; k >= 0; k--) /* from the end: widened in place */
		store(p, type, k, gpube__table_int(&old, k));
	v->values = p;
	v->type = type;
	return GPUBE_OK;
}

int gpube__values_push(struct gpube_ctx *ctx, struct gpube_values *v, int64_t value)
{
	enum gpube_type type = type_of(value);

	if (v->n == v->capacity &&
		gpube__grow(ctx, &v->values, &v->capacity, v->n + 1, gpube__type_size(v->type)))
		return GPUBE_ENOMEM;
	if (type > v->type && widen(ctx, v, type))
		return GPUBE_ENOMEM;
	store(v->values, v->type, v->n++, value);
	return GPUBE_OK;
}

/* The narrowest type, at least 'type', that holds all of them. */
static enum gpube_type type_of_all(enum gpube_type type, const int64_t *values, int64_t n)
{
	uint64_t bits = 0;
	enum gpube_type wide = GPUBE_INT64;

	for (int64_t k = 0; k < n; k++)
		bits |= values[k] == GPUBE_INF ? 0 : (uint64_t)values[k];
	/* without negative ones the largest has the highest bit of them all */
	if (bits < INT64_MAX)
		wide = type_of((int64_t)bits);
	if (bits >> 63 || (int64_t)bits == gpube__forbidden(wide - (wide > GPUBE_INT8)))
		for (int64_t k = 0, first = 1; k < n; k++, first = 0) {
			enum gpube_type own = type_of(values[k]);

			wide = first || own > wide ? own : wide;
		}
	return wide > type ? wide : type;
}

/* Loops without a choice inside, which compilers turn into vectors. */
#define STORE_ALL(c_type, MAX)                                                                     \
	do {                                                                                       \
		c_type *p = (c_type *)to + at;                                                     \
		for (int64_t k = 0; k < n; k++)                                                    \
			p[k] = (c_type)(values[k] > (MAX) ? (MAX) : values[k]);                    \
	} while (0)

/* Values that 'type' holds; the forbidden one, which is past all of them, becomes its largest. */
static void store_all(void *to, enum gpube_type type, int64_t at, const int64_t *values, int64_t n)
{
	GPUBE_BY_INT(type, STORE_ALL);
}

int gpube__values_append(
	struct gpube_ctx *ctx, struct gpube_values *v, const int64_t *values, int64_t n)
{
	enum gpube_type type = type_of_all(v->type, values, n);

	if (n == 0)
		return GPUBE_OK; /* there may be no array to point into */
	if (gpube__grow(ctx, &v->values, &v->capacity, v->n + n, gpube__type_size(v->type)))
		return GPUBE_ENOMEM;
	if (type > v->type && widen(ctx, v, type))
		return GPUBE_ENOMEM;
	store_all(v->values, v->type, v->n, values, n);
	v->n += n;
	return GPUBE_OK;
}

void gpube__values_clear(struct gpube_ctx *ctx, struct gpube_values *v)
{
	gpube__free(ctx, v->values);
	memset(v, 0, sizeof(*v));
}

/* ---- order of tuples ------------------------------------------------------- */

struct rank {
	const int32_t *tuple;
	int64_t at;
	int arity;
};

static int compare_ranks(const void *x, const void *y)
{
	const struct rank *a = x, *b = y;
	int c = gpube__compare_tuples(a->tuple, b->tuple, a->arity);

	return c ? c : (a->at > b->at) - (a->at < b->at);
}

int gpube__sort_tuples(struct gpube_ctx *ctx, struct gpube_table *t, int64_t *twice)
{
	size_t size = gpube__type_size(t->type), row = (size_t)t->arity * sizeof(int32_t);
	struct rank *rank = NULL;
	int32_t *tuples = NULL;
	char *values = NULL;
	int64_t k = 1;
	int status = GPUBE_ENOMEM;

	*twice = -1;
	while (k < t->n && gpube__compare_tuples(t->tuples + (k - 1) * t->arity,
				   t->tuples + k * t->arity, t->arity) < 0)
		k++;
	if (k >= t->n)
		return GPUBE_OK;
	rank = gpube__alloc(ctx, (uint64_t)t->n, sizeof(*rank));
	tuples = gpube__alloc(ctx, (uint64_t)t->n, row);
	values = gpube__alloc(ctx, (uint64_t)t->n, size);
	if (!rank || !tuples || !values)
		goto out;
	for (k = 0; k < t->n; k++)
		rank[k] = (struct rank){t->tuples + k * t->arity, k, t->arity};
	qsort(rank, (size_t)t->n, sizeof(*rank), compare_ranks);
	status = GPUBE_OK;
	for (k = 1; k < t->n; k++)
		if (gpube__compare_tuples(rank[k - 1].tuple, rank[k].tuple, t->arity) == 0) {
			*twice = rank[k].at;
			goto out;
		}
	for (k = 0; k < t->n; k++) {
		memcpy(tuples + k * t->arity, rank[k].tuple, row);
		memcpy(values + (size_t)k * size, (char *)t->values + (size_t)rank[k].at * size,
			size);
	}
	gpube__free(ctx, t->tuples);
	gpube__free(ctx, t->values);
	t->tuples = tuples;
	t->values = values;
	tuples = NULL;
	values = NULL;
out:
	GPUBE_FREE_ALL(ctx, rank, tuples, values);
	return status;
}
