/* coalition_table.c - see gpube/ir/coalition_table.h and gpube/coalitions.h. */
#include "gpube/ir/coalition_table.h"

#include <math.h>
#include <string.h>

enum {
	ZEROED_BYTES = 1 << 24 /* between two polls for a stop */
};

/* ---- dense tables ---------------------------------------------------------------------------- */

static void release_aligned(struct gpube_table *t, struct gpube_ctx *ctx)
{
	gpube__aligned_free(ctx, t->values);
}

int gpube__coalitions_check(struct gpube_ctx *ctx, int n_agents, enum gpube_type type)
{
	if (n_agents < 1 || n_agents > GPUBE_MAX_AGENTS)
		return gpube__fail(ctx, GPUBE_EINVAL, "%d agents: expected 1 to %d", n_agents,
			GPUBE_MAX_AGENTS);
	if ((int)type < GPUBE_INT16 || type > GPUBE_FLOAT64)
		return gpube__fail(ctx, GPUBE_EINVAL, "no such value type");
	return GPUBE_OK;
}

int gpube__by_lowest(const void *a, const void *b)
{
	return __builtin_ctzll(*(const uint64_t *)a) - __builtin_ctzll(*(const uint64_t *)b);
}

int gpube__coalitions_alloc(
	struct gpube_table *t, struct gpube_ctx *ctx, int n_agents, enum gpube_type type)
{
	static const struct gpube_table_owner aligned = {.release = release_aligned};
	const uint64_t bytes = (uint64_t)gpube__type_size(type) << n_agents;

	*t = (struct gpube_table){
		.type = type, .arity = n_agents, .n = (int64_t)1 << n_agents, .owner = &aligned};
	if (bytes > ctx->memory_bytes)
		return gpube__fail(ctx, GPUBE_ELIMIT,
			"the values of %d agents take %llu MiB, allowed are %llu MiB", n_agents,
			(unsigned long long)(bytes >> 20),
			(unsigned long long)(ctx->memory_bytes >> 20));
	t->values = gpube__aligned_alloc(ctx, bytes);
	return t->values ? GPUBE_OK : GPUBE_ENOMEM;
}

int gpube__coalitions_take(struct gpube_model *m, const struct gpube_table *t)
{
	struct gpube_table lost = *t;
	int32_t scope[GPUBE_MAX_AGENTS];
	int status = GPUBE_OK;

	for (int i = 0; i < t->arity && !status; i++) {
		scope[t->arity - 1 - i] = i;
		status = gpube_model_add_var(m, NULL, 2, NULL);
	}
	if (status) {
		gpube__table_release(&lost, m->ctx);
		return status;
	}
	return gpube__add_table_over(m, scope, t, NULL);
}

int gpube__coalitions_model(
	struct gpube_model **out, struct gpube_ctx *ctx, const struct gpube_table *t)
{
	struct gpube_table lost = *t;
	int status = gpube_model_new(out, ctx, GPUBE_COALITIONS);

	if (status) {
		gpube__table_release(&lost, ctx);
		return status;
	}
	status = gpube__coalitions_take(*out, t);
	return gpube__model_made(out, status);
}

static int fill_zero(const struct gpube_table *t, struct gpube_ctx *ctx)
{
	const uint64_t bytes = (uint64_t)gpube__type_size(t->type) << t->arity;

	/* where a machine gives its memory slowly, gigabytes take many seconds */
	for (uint64_t at = 0; at < bytes; at += ZEROED_BYTES) {
		if (at && gpube__stopped(ctx))
			return gpube__fail_stopped(ctx);
		memset((char *)t->values + at, 0,
			bytes - at < ZEROED_BYTES ? bytes - at : ZEROED_BYTES);
	}
	return GPUBE_OK;
}

int gpube_coalitions_new(
	struct gpube_model **out, struct gpube_ctx *ctx, int n_agents, enum gpube_type type)
{
	struct gpube_table t = {0};
	int status;

	if (out)
		*out = NULL;
	if (!out || !ctx)
		return gpube__missing(ctx);
	status = gpube__coalitions_check(ctx, n_agents, type);
	if (!status)
		status = gpube__coalitions_alloc(&t, ctx, n_agents, type);
	if (status)
		return status;
	status = fill_zero(&t, ctx);
	if (status) {
		gpube__table_release(&t, ctx);
		return status;
	}
	return gpube__coalitions_model(out, ctx, &t);
}

/* ---- values ---------------------------------------------------------------------------------- */

const struct gpube_table *gpube__coalitions_table(const struct gpube_model *m)
{
	return m && m->kind == GPUBE_COALITIONS && !m->auction && m->n_functions == 1 &&
			       m->functions[0].arity == m->n_vars
		       ? gpube__table(m, 0)
		       : NULL;
}

int64_t gpube__coalition_of(enum gpube_type type, const void *values, int64_t k)
{
	int64_t v = 0;

	switch (type) {
	case GPUBE_INT16:
		v = ((const int16_t *)values)[k];
		return v == INT16_MIN ? INT64_MIN : v;
	case GPUBE_INT32:
		v = ((const int32_t *)values)[k];
		return v == INT32_MIN ? INT64_MIN : v;
	case GPUBE_INT64:
		return ((const int64_t *)values)[k];
	default: /* the bits of a float */
		memcpy(&v, (const char *)values + (size_t)k * gpube__type_size(type),
			gpube__type_size(type));
		return v;
	}
}

void gpube__coalition_put(enum gpube_type type, void *values, int64_t k, int64_t v)
{
	const bool forbidden = v == INT64_MIN;

	if (type == GPUBE_INT16)
		((int16_t *)values)[k] = forbidden ? INT16_MIN : (int16_t)v;
	else if (type == GPUBE_INT32)
		((int32_t *)values)[k] = forbidden ? INT32_MIN : (int32_t)v;
	else /* the bits of a float, too */
		memcpy((char *)values + (size_t)k * gpube__type_size(type), &v,
			gpube__type_size(type));
}

int64_t gpube__coalition_at(const struct gpube_table *t, int64_t k)
{
	if (k < 0)
		return gpube__type_is_int(t->type) ? t->dflt.i
						   : gpube__coalition_from(t->type, t->dflt.f);
	return gpube__coalition_of(t->type, t->values, k);
}

double gpube__coalition_real(enum gpube_type type, int64_t v)
{
	float single;
	double real;

	switch (type) {
	case GPUBE_FLOAT32:
		memcpy(&single, &v, sizeof(single));
		return single;
	case GPUBE_FLOAT64:
		memcpy(&real, &v, sizeof(real));
		return real;
	default:
		return v == INT64_MIN ? -INFINITY : (double)v;
	}
}

int64_t gpube__coalition_from(enum gpube_type type, double v)
{
	const float single = (float)v;
	int64_t bits = 0;

	if (gpube__type_is_int(type))
		return v == -INFINITY ? INT64_MIN : (int64_t)v;
	if (type == GPUBE_FLOAT32)
		memcpy(&bits, &single, sizeof(single));
	else
		memcpy(&bits, &v, sizeof(v));
	return bits;
}

const char *gpube__type_name(enum gpube_type type)
{
	static const char *const names[] = {
		"int8", "int16", "int32", "int64", "float32", "float64", "int128", "rational"};

	return (unsigned)type <= GPUBE_RATIONAL ? names[type] : NULL;
}

enum gpube_type gpube_coalitions_type(const struct gpube_model *m)
{
	const struct gpube_table *t = gpube__coalitions_table(m);

	return t ? t->type : GPUBE_INT8;
}

void *gpube_coalitions_values(struct gpube_model *m)
{
	const struct gpube_table *t = gpube__coalitions_table(m);

	return !t || t->sparse || (t->owner && t->owner->fetch) ? NULL : t->values;
}

int64_t gpube__coalition_value(const struct gpube_model *m, uint64_t coalition)
{
	const struct gpube_table *t = gpube__coalitions_table(m);
	int64_t k = (int64_t)coalition, made = 0;

	if (coalition == 0)
		return 0;
	if (t->owner && t->owner->fetch)
		return t->owner->fetch(t, m->ctx, &made, coalition, 1)
			       ? gpube__coalition_from(t->type, -INFINITY)
			       : gpube__coalition_of(t->type, &made, 0);
	if (t->sparse)
		for (k = t->n - 1; k >= 0 && t->masks[k] != coalition;)
			k--;
	return gpube__coalition_at(t, k);
}

double gpube_coalitions_value(const struct gpube_model *m, uint64_t coalition)
{
	const struct gpube_table *t = gpube__coalitions_table(m);

	return !t || coalition >> t->arity
		       ? -INFINITY
		       : gpube__coalition_real(t->type, gpube__coalition_value(m, coalition));
}

/* ---- which mask is where --------------------------------------------------------------------- */

int gpube__mask_index(
	struct gpube__mask_index *x, struct gpube_ctx *ctx, const struct gpube_table *t)
{
	int status = GPUBE_OK;

	for (int64_t k = 0; t->sparse && k < t->n && !status; k++)
		status = gpube__masks_add(x, ctx, t->masks, 1, k);
	return status;
}

/* ---- lists ----------------------------------------------------------------------------------- */

void gpube__listing_init(
	struct gpube__listing *l, struct gpube_ctx *ctx, int n_agents, enum gpube_type type)
{
	*l = (struct gpube__listing){.ctx = ctx,
		.n_agents = n_agents,
		.type = type,
		.other = gpube__coalition_from(type, -INFINITY)};
}

int gpube__listing_add(struct gpube__listing *l, uint64_t coalition, int64_t value)
{
	int status = gpube__grow(l->ctx, &l->mask, &l->capacity, l->n + 1, sizeof(*l->mask));

	if (!status)
		status = gpube__grow(
			l->ctx, &l->value, &l->value_capacity, l->n + 1, gpube__type_size(l->type));
	if (status)
		return status;
	l->mask[l->n] = coalition;
	gpube__coalition_put(l->type, l->value, l->n, value);
	status = gpube__masks_add(&l->index, l->ctx, l->mask, 1, l->n);
	l->n += status == GPUBE_OK;
	return status;
}

void gpube__listing_take(struct gpube_table *t, struct gpube__listing *l)
{
	*t = (struct gpube_table){.type = l->type,
		.sparse = true,
		.arity = l->n_agents,
		.n = l->n,
		.values = l->value,
		.masks = l->mask};
	if (gpube__type_is_int(l->type))
		t->dflt.i = l->other;
	else
		t->dflt.f = gpube__coalition_real(l->type, l->other);
	l->value = NULL;
	l->mask = NULL;
}

void gpube__listing_clear(struct gpube__listing *l)
{
	GPUBE_FREE_ALL(l->ctx, l->index.slot, l->value, l->mask);
	*l = (struct gpube__listing){.ctx = l->ctx};
}

int gpube__coalitions_fill(
	struct gpube_table *dense, struct gpube_ctx *ctx, const struct gpube_table *list)
{
	const int64_t other = gpube__coalition_at(list, -1), n = (int64_t)1 << list->arity;
	int status = gpube__coalitions_alloc(dense, ctx, list->arity, list->type);

	if (status)
		return status;
	gpube__coalition_put(dense->type, dense->values, 0, 0);
	for (int64_t c = 1; c < n; c++)
		gpube__coalition_put(dense->type, dense->values, c, other);
	for (int64_t k = 0; k < list->n; k++)
		gpube__coalition_put(dense->type, dense->values, (int64_t)list->masks[k],
			gpube__coalition_at(list, k));
	return GPUBE_OK;
}

int gpube__coalitions_settle(struct gpube_model *m, struct gpube__listing *l)
{
	const bool wants = gpube__wants_table(l->n_agents, l->n);
	struct gpube_table list, dense = {0};
	int status;

	gpube__listing_take(&list, l);
	if (!wants)
		return gpube__coalitions_take(m, &list);
	status = gpube__coalitions_fill(&dense, m->ctx, &list);
	gpube__table_release(&list, m->ctx);
	return status ? status : gpube__coalitions_take(m, &dense);
}

static int add_all(
	struct gpube__listing *l, int64_t n, const uint64_t *coalitions, const void *values)
{
	for (int64_t k = 0; k < n; k++) {
		const uint64_t c = coalitions[k];
		int status;

		if (k % 65536 == 65535 && gpube__stopped(l->ctx))
			return gpube__fail_stopped(l->ctx);
		if (c == 0 || c >> l->n_agents)
			return gpube__fail(l->ctx, GPUBE_EINVAL,
				"coalition %llu: expected 1 to %llu, of %d agents",
				(unsigned long long)c,
				(unsigned long long)(((uint64_t)1 << l->n_agents) - 1),
				l->n_agents);
		if (gpube__mask_find(&l->index, l->mask, c) >= 0)
			return gpube__fail(l->ctx, GPUBE_EINVAL, "coalition %llu is there twice",
				(unsigned long long)c);
		status = gpube__listing_add(l, c, gpube__coalition_of(l->type, values, k));
		if (status)
			return status;
	}
	return GPUBE_OK;
}

int gpube_coalitions_new_listed(struct gpube_model **out, struct gpube_ctx *ctx, int n_agents,
	enum gpube_type type, int64_t n, const uint64_t *coalitions, const void *values)
{
	struct gpube__listing l;
	struct gpube_model *m = NULL;
	int status;

	if (out)
		*out = NULL;
	if (!out || !ctx || (n > 0 && (!coalitions || !values)))
		return gpube__missing(ctx);
	if (n < 0)
		return gpube__fail(ctx, GPUBE_EINVAL, "%lld coalitions", (long long)n);
	status = gpube__coalitions_check(ctx, n_agents, type);
	if (status)
		return status;
	gpube__listing_init(&l, ctx, n_agents, type);
	status = add_all(&l, n, coalitions, values);
	if (!status)
		status = gpube_model_new(&m, ctx, GPUBE_COALITIONS);
	if (!status)
		status = gpube__coalitions_settle(m, &l);
	gpube__listing_clear(&l);
	if (status)
		gpube_model_free(m);
	else
		*out = m;
	return status;
}
