/* bound_moment.c - bounds for a run that was stopped: see bound.h. */
#include "gpube/bound/bound.h"
#include "gpube/options/options.h"
#include "gpube/eliminate/solve.h"

/* Seconds beyond the stop, which "soon" allows. */
#define MOMENT 0.2

struct gpube_solution *gpube__bound_moment(
	const struct gpube_model *m, const struct gpube_opts *opts)
{
	struct gpube_ctx *ctx = m->ctx;
	gpube_log_fn *log = ctx->log;
	const bool stopped = __atomic_load_n(&ctx->stop, __ATOMIC_RELAXED);
	struct gpube_opts o = *opts;
	struct gpube_solution *bounds;
	int status;

	o.order_method = GPUBE_ORDER_MIN_FILL;
	o.timeout_seconds = MOMENT;
	o.backend = GPUBE_BACKEND_CPU;
	o.no_eliminate = 1;
	gpube_ctx_resume(ctx);
	ctx->log = NULL; /* what it tells on its way would bury the report */
	status = gpube_bound(&bounds, m, &o);
	ctx->log = log;
	if (stopped)
		gpube_ctx_stop(ctx);
	if (status)
		return NULL;
	if (bounds->answer == GPUBE_ANSWER_INCOMPLETE && bounds->bound == gpube__no_bound(m)) {
		gpube_result_free(bounds);
		return NULL;
	}
	return bounds;
}
