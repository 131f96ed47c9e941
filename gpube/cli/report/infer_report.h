/* infer_report.h - the result of gpube infer, as text, JSON or a UAI result file. */
#ifndef GPUBE_INFER_REPORT_H
#define GPUBE_INFER_REPORT_H

#include "gpube/cli/session/session_ranks.h"
#include "gpube/options/options.h"
#include "gpube/sums.h"

/* The words of --task, in their order; the first ones are those of enum gpube_infer_task. */
enum infer_task { INFER_PR, INFER_MAR, INFER_MMAP, INFER_MPE };

/* The variables of MMAP. */
struct infer_query {
	char *file;
	int32_t *vars, n;
};

/* The input of the reports: one of inference, mmap and solution is not NULL. */
struct infer_result {
	struct session *session;
	struct ranks *ranks;
	const char *file, *evidence_file;
	const struct gpube_model *model;
	enum infer_task task;
	const struct infer_query *query;
	const struct gpube_inference *inference;
	const struct gpube_mmap *mmap;
	const struct gpube_solution *solution;
	bool estimate;
	double seconds_read;
};

/* By enum answer_output. Returns an exit status, after a message if it is not CLI_DONE. */
int infer_report(const struct infer_result *r, int output);

#endif
