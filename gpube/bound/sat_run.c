/* sat_run.c - what a satisfiability library says of a model's forbidden cells: see sat.h. */
#include "gpube/bound/bound.h"
#include "gpube/ir/dense.h"
#include "gpube/relax/sat.h"

static int take(struct gpube_bounder *b, enum gpube_sat_answer answer)
{
	if (answer == GPUBE__SAT_YES)
		return gpube__bounder_report_incumbent(b, b->tried, "satisfiability");
	if (answer == GPUBE__SAT_OPEN)
		return GPUBE_OK;
	if (b->upper != GPUBE_INF)
		return gpube__fail(b->ctx, GPUBE_EBUG,
			"internal error: clauses exclude an assignment that is known; please "
			"report this");
	gpube__log(b->ctx, GPUBE_LOG_DETAIL,
		"CaDiCaL %s has proved that every assignment is forbidden", gpube__sat_library());
	gpube__bounder_update_lower(b, GPUBE_INF, "satisfiability");
	return GPUBE_OK;
}

int gpube__bound_sat(struct gpube_bounder *b, double seconds)
{
	enum gpube_sat_answer answer = GPUBE__SAT_OPEN;
	const double start = gpube__now();
	int status;

	if (!gpube__sat_library())
		return GPUBE_OK;
	if (!b->state.sat) {
		status = gpube__sat_new(&b->state.sat, b->m, GPUBE__SAT_ALLOWED);
		if (status || !b->state.sat)
			return status;
	}
	status = gpube__sat_run(b->state.sat, seconds, &answer, b->tried);
	gpube__log(b->ctx, GPUBE_LOG_DETAIL, "CaDiCaL %s: %s in %.3f s", gpube__sat_library(),
		answer == GPUBE__SAT_YES  ? "an assignment"
		: answer == GPUBE__SAT_NO ? "none is allowed"
					  : "no answer",
		gpube__now() - start);
	if (!status)
		status = take(b, answer);
	if (status || answer != GPUBE__SAT_OPEN) {
		gpube__sat_free(b->state.sat);
		b->state.sat = NULL;
	}
	return status;
}

int gpube__bound_free(struct gpube_bounder *b, double seconds)
{
	enum gpube_sat_answer answer = GPUBE__SAT_OPEN;
	struct gpube_sat *sat = NULL;
	int status = gpube__sat_library() ? gpube__sat_new(&sat, b->m, GPUBE__SAT_FREE) : GPUBE_OK;

	if (sat)
		status = gpube__sat_run(sat, seconds, &answer, b->tried);
	gpube__sat_free(sat);
	if (!status && answer == GPUBE__SAT_YES)
		return gpube__bounder_report_incumbent(b, b->tried, "satisfiability");
	if (!status && answer == GPUBE__SAT_NO) {
		gpube__log(b->ctx, GPUBE_LOG_DETAIL,
			"CaDiCaL %s has proved that every assignment costs something",
			gpube__sat_library());
		gpube__bounder_update_lower(b, gpube__constant_of(b->m) + 1, "satisfiability");
	}
	return status;
}
