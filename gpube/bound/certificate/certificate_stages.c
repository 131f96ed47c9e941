/* certificate_stages.c - a certificate's stages, and that part of its file: see certificate.h. */
#include <string.h>

#include "formats/io/io.h"
#include "gpube/bound/certificate/certificate_lists.h"

void gpube__certificate_unstage(struct gpube_certificate *c)
{
	for (int32_t k = 0; k < c->stages.n_lists; k++)
		gpube__free(c->ctx, c->stages.lists[k].scope);
	c->stages.n = c->stages.n_lists = 0;
}

int gpube__certificate_stage(struct gpube_certificate *c, int32_t n_sweeps)
{
	struct gpube_proof_stages *s = &c->stages;

	if (s->n == INT32_MAX || gpube__grow(c->ctx, &s->stages, &s->stages_capacity, (int64_t)s->n + 1, sizeof(*s->stages)))
		return GPUBE_ENOMEM;
	s->stages[s->n++] = (struct gpube_proof_stage){.n_sweeps = n_sweeps};
	return GPUBE_OK;
}

int gpube__certificate_list(struct gpube_certificate *c, int32_t arity, int32_t n_leaving, const int32_t *scope)
{
	struct gpube_proof_stages *s = &c->stages;
	int32_t *copy = gpube__alloc(c->ctx, (uint64_t)arity + 1, sizeof(*copy));

	if (!copy || s->n_lists == INT32_MAX || gpube__grow(c->ctx, &s->lists, &s->lists_capacity, (int64_t)s->n_lists + 1, sizeof(*s->lists))) {
		gpube__free(c->ctx, copy);
		return GPUBE_ENOMEM;
	}
	if (arity)
		memcpy(copy, scope, (size_t)arity * sizeof(*scope));
	s->lists[s->n_lists++] = (struct gpube_proof_list){arity, n_leaving, copy};
	s->stages[s->n - 1].n_lists++;
	return GPUBE_OK;
}

void gpube__certificate_write_stages(struct gpube_out *out, const struct gpube_certificate *c)
{
	const struct gpube_proof_list *l = c->stages.lists;

	gpube__out_printf(out, "limit %lld\nstages %d\n", (long long)c->stages.limit, c->stages.n);
	for (int32_t k = 0; k < c->stages.n; k++) {
		const struct gpube_proof_stage *s = &c->stages.stages[k];

		gpube__out_printf(out, "stage %d %d\n", s->n_lists, s->n_sweeps);
		for (int32_t j = 0; j < s->n_lists; j++, l++) {
			gpube__out_printf(out, "list %d %d", l->arity, l->n_leaving);
			for (int32_t i = 0; i < l->arity; i++)
				gpube__out_printf(out, " %d", l->scope[i]);
			gpube__out_text(out, "\n");
		}
	}
}

int gpube__certificate_read_member(struct gpube_in *in, const char *name, int64_t *v, int64_t min, int64_t max)
{
	char token[256];

	if (gpube__in_token(in, token, name))
		return in->status;
	if (strcmp(token, name))
		return gpube__in_expected(in, name, token);
	return gpube__in_int(in, v, min, max, "a number");
}

static int read_list(struct gpube_certificate *c, struct gpube_in *in)
{
	int32_t scope[GPUBE__WORD];
	int64_t arity = 0, n_leaving = 0, v = 0;
	int status = gpube__certificate_read_member(in, "list", &arity, 1, GPUBE__WORD);

	if (!status)
		status = gpube__in_int(in, &n_leaving, 0, arity, "a number of variables that leave");
	for (int64_t k = 0; k < arity && !status; k++) {
		status = gpube__in_int(in, &v, 0, c->n_vars - 1, "a variable");
		scope[k] = (int32_t)v;
	}
	return status ? status : gpube__certificate_list(c, (int32_t)arity, (int32_t)n_leaving, scope);
}

int gpube__certificate_read_stages(struct gpube_certificate *c, struct gpube_in *in)
{
	int64_t n = 0, n_lists = 0, n_sweeps = 0;
	int status = gpube__certificate_read_member(in, "limit", &c->stages.limit, -INT64_MAX, INT64_MAX);

	if (!status)
		status = gpube__certificate_read_member(in, "stages", &n, 1, INT32_MAX - 1);
	for (int64_t k = 0; k < n && !status; k++) {
		status = gpube__certificate_read_member(in, "stage", &n_lists, 0, INT32_MAX - 1);
		if (!status)
			status = gpube__in_int(in, &n_sweeps, 0, INT32_MAX - 1, "a number of sweeps");
		if (!status)
			status = gpube__certificate_stage(c, (int32_t)n_sweeps);
		for (int64_t j = 0; j < n_lists && !status; j++)
			status = read_list(c, in);
	}
	return status;
}
