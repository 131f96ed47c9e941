/* certificate_run.c - the run of gpube_bound() that ends in a certificate: see certificate.h. */
#include "gpube/bound/certificate/certificate.h"
#include "gpube/bound/shifted.h"

#define MOST_PROOF_CELLS 8e6

int gpube__bound_certified(struct gpube_certificate *out, const struct gpube_model *m,
	const struct gpube_solution *known, const struct gpube_bound_opts *opts)
{
	struct gpube_shifted_opts shifting = {
		.whole = true, .max_arity = 3, .max_cells = MOST_PROOF_CELLS, .certificate = out};
	struct gpube_bound_opts o = *opts;
	struct gpube_solution *bounds = NULL;
	struct gpube_shifted shifted;
	struct gpube_model *relaxed = NULL;
	int64_t upper = known && known->values ? known->cost : GPUBE_INF;
	int status;

	*out = (struct gpube_certificate){.ctx = m->ctx, .n_vars = m->n_vars,
		.n_functions = m->n_functions, .scale = m->scale};
	if (upper != GPUBE_INF && m->direction == GPUBE_MAXIMISE)
		upper = -upper;
	out->cap = gpube__cap_for(m, upper);
	out->domain = gpube__alloc(m->ctx, (uint64_t)m->n_vars, sizeof(*out->domain));
	for (int32_t i = 0; out->domain && i < m->n_vars; i++)
		out->domain[i] = m->vars[i].domain;
	status = out->domain ? gpube__relaxed(&relaxed, m, out->cap) : GPUBE_ENOMEM;
	o.values = known ? known->values : NULL;
	o.has_cutoff = 0;
	if (!status)
		status = gpube__bound_shifted(&bounds, &shifted, relaxed, &o, &shifting);
	if (!status) {
		gpube__shifted_clear(&shifted);
		gpube_ctx_resume(m->ctx);
		status = gpube__certificate_proves(&out->bound, out, m);
	}
	gpube_solution_free(bounds, m->ctx);
	gpube_model_free(relaxed);
	if (status)
		gpube__certificate_clear(out);
	return status;
}
