/*
 * uai_result.c - result files of the UAI competitions: PR, MAR, MPE, MAP. See formats.h.
 *
 *   PR   log10 of the partition function or of the evidence's probability
 *   MAR  n, then for each variable its domain and its marginal
 *   MPE  n values
 *   MAP  n pairs of variable and value
 *
 * In 2010 a number of samples stood in front of the result, and anytime solvers put
 * a line -BEGIN- before each further one: the last one counts.
 */
#include <math.h>
#include <string.h>

#include "formats/io.h"

struct numbers {
	int64_t n, capacity;
	double *v;
};

static const char *const tasks[] = {"PR", "MAR", "MPE", "MAP"};

static int read_numbers(struct gpube_in *in, struct numbers *s)
{
	char token[256];
	double v;

	while (!gpube__in_at_end(in)) {
		if (gpube__in_need(in, 7) >= 7 && memcmp(in->p, "-BEGIN-", 7) == 0) {
			if (gpube__in_token(in, token, "-BEGIN-"))
				break;
			s->n = 0;
			continue;
		}
		/* the logarithm of 0 */
		if (gpube__in_need(in, 4) >= 4 && memcmp(in->p, "-inf", 4) == 0) {
			if (gpube__in_token(in, token, "a number"))
				break;
			v = -INFINITY;
		} else if (gpube__in_real(in, &v, "a number"))
			break;
		if (gpube__grow(in->ctx, &s->v, &s->capacity, s->n + 1, sizeof(*s->v)))
			return GPUBE_ENOMEM;
		s->v[s->n++] = v;
	}
	return in->status;
}

/* Is number 'at' an integer from 0 on? */
static bool is_index(const struct numbers *s, int64_t at)
{
	return at < s->n && s->v[at] >= 0 && s->v[at] < INT32_MAX && s->v[at] == floor(s->v[at]);
}

/* Do the numbers from 'at' on make up one result, exactly? */
static bool is_result(enum gpube_uai_task task, const struct numbers *s, int64_t at)
{
	int64_t n;

	if (task == GPUBE_UAI_PR)
		return s->n == at + 1;
	if (!is_index(s, at))
		return false;
	n = (int64_t)s->v[at++];
	if (task == GPUBE_UAI_MPE || task == GPUBE_UAI_MAP) {
		if (s->n != at + (task == GPUBE_UAI_MAP ? 2 : 1) * n)
			return false;
		while (at < s->n)
			if (!is_index(s, at++))
				return false;
		return true;
	}
	for (int64_t i = 0; i < n; i++) {
		if (!is_index(s, at) || s->v[at] < 1)
			return false;
		at += 1 + (int64_t)s->v[at];
	}
	return at == s->n;
}

static int fill(
	struct gpube_uai_result *r, struct gpube_ctx *ctx, const struct numbers *s, int64_t at)
{
	if (r->task == GPUBE_UAI_PR) {
		r->log10_value = s->v[at];
		return GPUBE_OK;
	}
	r->n = (int32_t)s->v[at++];
	r->values = gpube__alloc_zero(ctx, 2 * (uint64_t)r->n + 1, sizeof(*r->values));
	if (!r->values)
		return GPUBE_ENOMEM;
	if (r->task == GPUBE_UAI_MAP)
		r->vars = r->values + r->n;
	if (r->task == GPUBE_UAI_MAR) {
		r->domains = r->values;
		r->values = NULL;
		r->marginals = gpube__alloc(ctx, (uint64_t)(s->n - at) + 1, sizeof(*r->marginals));
		if (!r->marginals)
			return GPUBE_ENOMEM;
	}
	for (int64_t i = 0, cell = 0; i < r->n; i++) {
		if (r->task == GPUBE_UAI_MAP)
			r->vars[i] = (int32_t)s->v[at++];
		if (r->task != GPUBE_UAI_MAR) {
			r->values[i] = (int32_t)s->v[at++];
			continue;
		}
		r->domains[i] = (int32_t)s->v[at++];
		for (int32_t a = 0; a < r->domains[i]; a++)
			r->marginals[cell++] = s->v[at++];
	}
	return GPUBE_OK;
}

static int read_result(struct gpube_uai_result *r, struct gpube_in *in, struct numbers *s)
{
	char token[256];
	int64_t at = 0;
	int task = 0;

	if (gpube__in_token(in, token, "PR, MAR, MPE or MAP"))
		return in->status;
	while (task < 4 && strcmp(tasks[task], token) != 0)
		task++;
	if (task == 4)
		return gpube__in_expected(in, "PR, MAR, MPE or MAP", token);
	r->task = (enum gpube_uai_task)task;
	if (read_numbers(in, s))
		return in->status ? in->status : GPUBE_ENOMEM;
	if (!s->v || !is_result(r->task, s, 0)) {
		at = 1;
		if (!s->v || s->n == 0 || s->v[0] != 1 || !is_result(r->task, s, 1))
			return gpube__in_error(in,
				"the numbers are no %s result: too few, too many, or no indices",
				tasks[task]);
	}
	return fill(r, in->ctx, s, at);
}

int gpube_read_uai_result(struct gpube_uai_result **out, struct gpube_ctx *ctx, const char *path)
{
	struct numbers s = {0};
	struct gpube_uai_result *r;
	struct gpube_in in;
	int status = gpube__in_open(&in, ctx, path);

	*out = NULL;
	if (status)
		return status;
	r = gpube__alloc_zero(ctx, 1, sizeof(*r));
	status = r ? read_result(r, &in, &s) : GPUBE_ENOMEM;
	gpube__in_close(&in);
	gpube__free(ctx, s.v);
	if (status)
		gpube_uai_result_free(r, ctx);
	else
		*out = r;
	return status;
}

void gpube_uai_result_free(struct gpube_uai_result *r, struct gpube_ctx *ctx)
{
	if (!r)
		return;
	gpube__free(ctx, r->task == GPUBE_UAI_MAR ? r->domains : r->values); /* vars is its end */
	gpube__free(ctx, r->marginals);
	gpube__free(ctx, r);
}

static void write_real(struct gpube_out *out, double v)
{
	if (isinf(v))
		gpube__out_text(out, "-inf");
	else
		gpube__out_real(out, v);
}

int gpube_write_uai_result(
	struct gpube_ctx *ctx, const char *path, const struct gpube_uai_result *r)
{
	const double *p = r->marginals;
	struct gpube_out out;
	int status = gpube__out_open(&out, ctx, path);

	if (status)
		return status;
	gpube__out_printf(&out, "%s\n", tasks[r->task]);
	if (r->task == GPUBE_UAI_PR)
		write_real(&out, r->log10_value);
	else
		gpube__out_int(&out, r->n);
	for (int32_t i = 0; r->task != GPUBE_UAI_PR && i < r->n; i++) {
		if (r->task == GPUBE_UAI_MAP)
			gpube__out_printf(&out, " %d", r->vars[i]);
		gpube__out_printf(
			&out, " %d", r->task == GPUBE_UAI_MAR ? r->domains[i] : r->values[i]);
		for (int32_t a = 0; r->task == GPUBE_UAI_MAR && a < r->domains[i]; a++) {
			gpube__out_text(&out, " ");
			write_real(&out, *p++);
		}
	}
	gpube__out_text(&out, "\n");
	return gpube__out_close(&out, true);
}
