/* sat_run.c - what a satisfiability library says of a model's forbidden cells: see sat.h. */
#include "gpube/bound/bound.h"
#include "gpube/ir/dense.h"
#include "gpube/relax/sat.h"

static int take(struct gpube_bounder *b, enum gpube_sat_answer answer, bool is_free)
{
	if (answer == GPUBE__SAT_YES)
		return gpube__bounder_report_incumbent(b, b->tried, "satisfiability");
	if (answer == GPUBE__SAT_OPEN)
		return GPUBE_OK;
	if (!is_free && b->upper != GPUBE_INF)
		return gpube__fail(b->ctx, GPUBE_EBUG,
			"internal error: clauses exclude an assignment that is known; please "
			"report this");
	gpube__log(b->ctx, GPUBE_LOG_DETAIL, "CaDiCaL %s has proved that every assignment %s",
		gpube__sat_library(), is_free ? "costs something" : "is forbidden");
	gpube__bounder_update_lower(
		b, is_free ? gpube__constant_of(b->m) + 1 : GPUBE_INF, "satisfiability");
	return GPUBE_OK;
}

int gpube__bound_sat(struct gpube_bounder *b, double seconds)
{
	const bool is_free = b->made.span > 1 && b->upper != GPUBE_INF;
	enum gpube_sat_answer answer = GPUBE__SAT_OPEN;
	const double start = gpube__now();
	struct gpube_sat *sat = is_free ? NULL : b->state.sat;
	int status = GPUBE_OK;

	if (!sat)
		status = gpube__sat_new(&sat, b->m, is_free ? GPUBE__SAT_FREE : GPUBE__SAT_ALLOWED);
	if (sat) {
		status = gpube__sat_run(sat, seconds, &answer, b->tried);
		gpube__log(b->ctx, GPUBE_LOG_DETAIL, "CaDiCaL %s: %s in %.3f s",
			gpube__sat_library(),
			answer == GPUBE__SAT_YES  ? "an assignment"
			: answer == GPUBE__SAT_NO ? "there is none"
						  : "no answer",
			gpube__now() - start);
	}
	if (!status)
		status = take(b, answer, is_free);
	if (is_free) {
		gpube__sat_free(sat);
		return status;
	}
	if (status || answer != GPUBE__SAT_OPEN) {
		gpube__sat_free(sat);
		sat = NULL;
	}
	b->state.sat = sat;
	return status || sat ? status : GPUBE__DONE;
}
