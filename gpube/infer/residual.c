/* residual.c - what sums over some variables leave of the others: see infer.h. */
#include "gpube/infer/infer.h"

#include <math.h>
#include <stdlib.h>

/*
 * Powers of two that a double takes; a table whose cells are further apart is a product of several.
 */
#define STEP        1000
#define MOST_TABLES 100

/* Cells of a table as a product of doubles in (2^-STEP - 1, 1], in as many tables as that takes. */
static int add_table(struct gpube_model *to, struct gpube__inferring *j,
	const struct gpube_sum_table *t, int arity, const int32_t *scope)
{
	struct gpube_ctx *ctx = j->ctx;
	double *values = gpube__alloc(ctx, (uint64_t)t->n, sizeof(*values));
	int64_t deepest = 0;
	int status = values ? GPUBE_OK : GPUBE_ENOMEM;

	for (int64_t i = 0; t->powers && i < t->n; i++)
		if (t->cells[i] > 0 && t->powers[i] < deepest)
			deepest = t->powers[i];
	if (!status && -deepest / STEP >= MOST_TABLES)
		status = gpube__fail(ctx, GPUBE_ELIMIT,
			"sums are a factor of 2^%lld apart, which is too much for a search",
			(long long)-deepest);
	for (int64_t from = 0; from <= -deepest && !status; from += STEP) {
		for (int64_t i = 0; i < t->n; i++) {
			const int64_t down = t->powers ? -(int64_t)t->powers[i] - from : 0;
			const double v = from ? t->cells[i] > 0 : t->cells[i];

			values[i] = down <= 0 ? v : ldexp(v, -(int)(down < STEP ? down : STEP));
		}
		status = gpube_model_add_potentials(to, arity, scope, values);
	}
	j->z = gpube__wide_mul(j->z, gpube__wide(1, t->power));
	gpube__free(ctx, values);
	return status;
}

/* Scopes are positions, which become variables. */
static void shift(const struct gpube__inferring *j, int arity, int32_t *scope)
{
	for (int k = 0; k < arity; k++)
		scope[k] -= j->n_up;
}

static int add_message(
	struct gpube_model *to, struct gpube__inferring *j, int32_t b, int32_t *scope)
{
	struct gpube_sum_bucket *bucket = &j->buckets[b];
	const int arity = bucket->arity - 1;
	int status;

	for (int k = 0; k < arity; k++)
		scope[k] = gpube__infer_scope(j, b)[k + 1];
	shift(j, arity, scope);
	status = add_table(to, j, &bucket->message, arity, scope);
	j->roundings += bucket->roundings + 1;
	gpube__sum_table_clear(j->ctx, &bucket->message);
	return status;
}

/* A function of last variables alone. */
static int add_own(
	struct gpube_model *to, struct gpube__inferring *j, int32_t function, int32_t *axes)
{
	const struct gpube_function *f = &j->m->functions[function];
	struct gpube_sum_job job = {0};
	struct gpube_sum_operand o;
	struct gpube_sum_table t = {0};
	int status;

	/* fewer than GPUBE_SUM_AXES: what can occur was found from its cells */
	for (int k = 0; k < f->arity; k++) {
		const int32_t p = j->position[gpube__scope(j->m, function)[k]];

		if (p >= 0)
			axes[job.n_axes++] = p;
	}
	qsort(axes, (size_t)job.n_axes, sizeof(*axes), gpube__compare_int32);
	for (int a = 0; a < job.n_axes; a++)
		job.dim[a] = gpube__infer_domain(j, axes[a]);
	status = gpube__infer_load(&t, j, function, &o, &job, axes);
	shift(j, job.n_axes, axes);
	if (!status)
		status = add_table(to, j, &t, job.n_axes, axes);
	gpube__sum_table_clear(j->ctx, &t);
	return status;
}

int gpube__infer_residual(struct gpube_model **out, struct gpube__inferring *j)
{
	int32_t *scope = gpube__alloc(j->ctx, (uint64_t)j->n + 1, sizeof(*scope));
	struct gpube_model *to = NULL;
	int status = gpube_model_new(&to, j->ctx, GPUBE_POTENTIALS);

	*out = NULL;
	if (!status && !scope)
		status = GPUBE_ENOMEM;
	for (int32_t k = j->n_up; k < j->n && !status; k++)
		status = gpube_model_add_var(to, NULL, gpube__infer_domain(j, k), NULL);
	for (int32_t b = 0; b < j->n_up && !status; b++)
		if (j->buckets[b].parent >= j->n_up)
			status = add_message(to, j, b, scope);
	for (int32_t b = j->n_up; b < j->n; b++)
		for (int k = 0; k < j->buckets[b].n_functions && !status; k++)
			status =
				add_own(to, j, j->functions[j->buckets[b].functions_at + k], scope);
	gpube__free(j->ctx, scope);
	if (status)
		gpube_model_free(to);
	else
		*out = to;
	return status;
}
