/* certificate_calls.c - certificates of the given model, to and from files: see certify.h. */
#include <math.h>
#include <string.h>

#include "gpube/bound/certificate/certificate.h"
#include "gpube/ir/given.h"
#include "gpube/options/options.h"
#include "gpube/certify.h"

int gpube__certificate_verify(
	struct gpube_certificate *c, const char *path, const struct gpube_model *m, int precision)
{
	struct gpube_model *made = NULL;
	const struct gpube_model *costs;
	int status = gpube__certificate_read(c, m->ctx, path);

	if (!status)
		status = gpube__costs_of(&made, &costs, m, precision ? precision : c->scale);
	if (!status)
		status = gpube__certificate_check(c, costs);
	gpube_model_free(made);
	return status;
}

int gpube__certificate_prove(struct gpube_certificate *c, const char *path,
	const struct gpube_model *m, const struct gpube_solution *bounds,
	struct gpube_certificate *notes, struct gpube_opts opts)
{
	struct gpube_model *made = NULL;
	const struct gpube_model *costs;
	struct gpube_certificate proof = {.ctx = m->ctx};
	int status = gpube__costs_of(&made, &costs, m, opts.precision);

	if (opts.method == GPUBE_BOUND_ELIMINATE ||
		(opts.method == GPUBE_BOUND_AUTO && bounds->order))
		opts.method = GPUBE_BOUND_ANDOR;
	opts.progress = NULL; /* that was the run's */
	if (!status)
		status = gpube__bound_certified(&proof, costs, bounds, notes, &opts);
	gpube_model_free(made);
	if (!status)
		status = gpube__certificate_write(&proof, path);
	gpube__certificate_clear(&proof);
	return status ? status : gpube__certificate_verify(c, path, m, opts.precision);
}

int64_t gpube__certified(const struct gpube_certificate *c, const struct gpube_model *m)
{
	if (m->kind == GPUBE_POTENTIALS)
		return c->bound - gpube__rounding_error(m);
	return m->direction == GPUBE_MAXIMISE ? -c->bound : c->bound;
}

/* ---- the public calls ------------------------------------------------------------------------ */

static void fill(
	struct gpube_certified *out, const struct gpube_certificate *c, const struct gpube_model *m)
{
	out->bound = gpube__certified(c, m);
	out->scale = c->scale;
}

int gpube_verify(struct gpube_certified *out, const struct gpube_model *m, const char *path)
{
	struct gpube_certificate c;
	int status;

	if (out)
		*out = (struct gpube_certified){0};
	if (!out || !m || !path)
		return gpube__missing(m ? m->ctx : NULL);
	c = (struct gpube_certificate){.ctx = m->ctx};
	status = gpube__check_kind(m, GPUBE__NETWORKS);
	if (!status)
		status = gpube__certificate_verify(&c, path, m, 0);
	if (!status)
		fill(out, &c, m);
	gpube__certificate_clear(&c);
	return status;
}

/* The run has half of the time, and its proof what is left. */
static int certify(struct gpube_certified *out, struct gpube_solution **bounds,
	const struct gpube_model *m, const char *path, struct gpube_opts opts)
{
	const double start = gpube__now(), seconds = opts.timeout_seconds;
	struct gpube_certificate notes = {.ctx = m->ctx}, c = {.ctx = m->ctx};
	int status;

	opts.timeout_seconds = seconds / 2;
	status = gpube__bound_noted(bounds, &notes, m, &opts);
	if (seconds > 0)
		opts.timeout_seconds = fmax(seconds - (gpube__now() - start), 1e-6);
	if (!status)
		status = gpube__certificate_prove(&c, path, m, *bounds, &notes, opts);
	if (!status)
		fill(out, &c, m);
	gpube__certificate_clear(&c);
	gpube__certificate_clear(&notes);
	return status;
}

int gpube_certify(struct gpube_certified *out, struct gpube_solution **bounds,
	const struct gpube_model *m, const char *path, const struct gpube_opts *opts)
{
	struct gpube_model view;
	struct gpube_opts o;
	struct gpube_solution *own = NULL;
	int status;

	if (out)
		*out = (struct gpube_certified){0};
	if (bounds)
		*bounds = NULL;
	if (!out || !m || !path)
		return gpube__missing(m ? m->ctx : NULL);
	m = gpube__on_own(&view, m, opts);
	status = gpube__opts_for(&o, m, opts, GPUBE__ON_CERTIFY);
	if (!status)
		status = certify(out, &own, m, path, o);
	if (bounds)
		*bounds = own;
	else
		gpube_result_free(own);
	return status;
}
