/*
 * uai_result.c - result files of the UAI competitions: PR, MAR, MPE, MAP. See formats.h.
 *
 *   PR    log10 of the partition function or of the evidence's probability
 *   MAR   n, then for each variable its domain and its marginal
 *   MPE   n values
 *   MMAP  n pairs of variable and value
 *
 * MAP was MMAP before 2014 and is MPE in some files since: the numbers decide. In 2010 a
 * number of samples stood in front of the result, and anytime solvers put a line -BEGIN-
 * before each further one: the last one counts.
 *
 * A .sol is the values of an MPE alone.
 */
#include <math.h>
#include <string.h>

#include "formats/common/registry.h"

struct numbers {
	int64_t n, capacity;
	double *v;
};

/* As they are written, in the enum's order; then what is only read. */
static const char *const tasks[] = {"PR", "MAR", "MPE", "MMAP", "MAP"};
enum { N_TASKS = sizeof(tasks) / sizeof(*tasks) };

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

/* Where a result of the task begins among the numbers; -1: nowhere. */
static int64_t begin_of(enum gpube_uai_task task, const struct numbers *s)
{
	if (s->n > 0 && is_result(task, s, 0))
		return 0;
	return s->n > 1 && s->v[0] == 1 && is_result(task, s, 1) ? 1 : -1;
}

static int read_result(struct gpube_uai_result *r, struct gpube_in *in, struct numbers *s)
{
	char token[256];
	int64_t at;
	int task = 0;

	if (gpube__in_token(in, token, "PR, MAR, MPE, MAP or MMAP"))
		return in->status;
	while (task < N_TASKS && strcmp(tasks[task], token) != 0)
		task++;
	if (task == N_TASKS)
		return gpube__in_expected(in, "PR, MAR, MPE, MAP or MMAP", token);
	if (read_numbers(in, s))
		return in->status ? in->status : GPUBE_ENOMEM;
	r->task = task < N_TASKS - 1 ? (enum gpube_uai_task)task : GPUBE_UAI_MAP;
	at = begin_of(r->task, s);
	if (at < 0 && task == N_TASKS - 1) {
		r->task = GPUBE_UAI_MPE;
		at = begin_of(r->task, s);
	}
	if (at < 0)
		return gpube__in_error(in,
			"the numbers are no %s result: too few, too many, or no indices", token);
	return fill(r, in->ctx, s, at);
}

static int read_sol(struct gpube_uai_result *r, struct gpube_in *in)
{
	int64_t capacity = 0, value;

	r->task = GPUBE_UAI_MPE;
	while (!gpube__in_at_end(in)) {
		if (gpube__in_int(in, &value, 0, INT32_MAX, "a value"))
			return in->status;
		if (r->n == INT32_MAX ||
			gpube__grow(in->ctx, &r->values, &capacity, r->n + 1, sizeof(*r->values)))
			return GPUBE_ENOMEM;
		r->values[r->n++] = (int32_t)value;
	}
	return in->status;
}

static void clear_result(struct gpube_ctx *ctx, void *result)
{
	struct gpube_uai_result *r = result;

	gpube__free(ctx, r->task == GPUBE_UAI_MAR ? r->domains : r->values); /* vars is its end */
	gpube__free(ctx, r->marginals);
}

int gpube__uai_result_read(struct gpube_uai_result **out, struct gpube_in *in, bool sol)
{
	struct gpube_ctx *ctx = in->ctx;
	struct numbers s = {0};
	struct gpube_uai_result *r = gpube__result_new(ctx, sizeof(*r), clear_result);
	int status = GPUBE_ENOMEM;

	*out = NULL;
	if (r)
		status = sol ? read_sol(r, in) : read_result(r, in, &s);
	gpube__free(ctx, s.v);
	if (status)
		gpube_result_free(r);
	else
		*out = r;
	return status;
}

int gpube_read_uai_result(struct gpube_uai_result **out, struct gpube_ctx *ctx, const char *path)
{
	struct gpube_in in;
	int status;

	if (out)
		*out = NULL;
	if (!out || !ctx || !path)
		return gpube__missing(ctx);
	status = gpube__in_open(&in, ctx, path);
	if (status)
		return status;
	status = gpube__uai_result_read(out, &in, gpube__has_extension(path, "sol"));
	gpube__in_close(&in);
	return status;
}

const char *gpube__uai_task_name(enum gpube_uai_task task)
{
	return (unsigned)task <= GPUBE_UAI_MAP ? tasks[task] : NULL;
}

static void write_real(struct gpube_out *out, double v)
{
	if (isinf(v))
		gpube__out_text(out, "-inf");
	else
		gpube__out_real(out, v);
}

static int check_result(struct gpube_ctx *ctx, const struct gpube_uai_result *r)
{
	int status = gpube__check_choice(ctx, "task", (int)r->task, GPUBE_UAI_MAP);

	if (status || r->task == GPUBE_UAI_PR)
		return status;
	status = gpube__check_choice(ctx, "n", r->n, INT32_MAX);
	if (status || r->n == 0)
		return status;
	if (r->task == GPUBE_UAI_MAR ? !r->domains || !r->marginals
				     : !r->values || (r->task == GPUBE_UAI_MAP && !r->vars))
		return gpube__missing(ctx);
	for (int32_t i = 0; i < r->n && !status; i++)
		status = gpube__check_choice(ctx, r->task == GPUBE_UAI_MAR ? "a domain" : "a value",
			r->task == GPUBE_UAI_MAR ? r->domains[i] : r->values[i], INT32_MAX);
	return status;
}

int gpube_write_uai_result(
	struct gpube_ctx *ctx, const char *path, const struct gpube_uai_result *r)
{
	const double *p;
	struct gpube_out out;
	bool sol;
	int status;

	if (!ctx || !path || !r)
		return gpube__missing(ctx);
	status = check_result(ctx, r);
	if (status)
		return status;
	p = r->marginals;
	sol = gpube__has_extension(path, "sol");
	if (sol && r->task != GPUBE_UAI_MPE)
		return gpube__fail(ctx, GPUBE_EINVAL,
			"'%s': a .sol is a value for each variable, which a %s result has not",
			path, tasks[r->task]);
	status = gpube__out_open(&out, ctx, path);
	if (status)
		return status;
	if (sol) {
		gpube__out_values(&out, r->values, r->n);
		return gpube__out_close(&out, true);
	}
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
