/*
 * answer.h - the part of a report that commands which optimise have in common:
 * status, bounds and assignment, and where a report goes.
 */
#ifndef GPUBE_CLI_ANSWER_H
#define GPUBE_CLI_ANSWER_H

#include "gpube/cli/session/session.h"

/* The words of --output, in their order; commands have the first ones, or all. */
enum answer_output { ANSWER_TEXT, ANSWER_JSON, ANSWER_SOL, ANSWER_UAI, ANSWER_UB, ANSWER_CSV };

/*
 * bound      proved; cost: of 'values', the best assignment met, or NULL
 * log_value  of potentials, at 'values'
 * no_bounds  without an assignment nothing is proved, and the work is incomplete
 */
struct answer {
	struct session *session;
	const char *file;
	const struct gpube_model *model;
	enum gpube_answer answer;
	const char *backend;
	int64_t bound, cost;
	int scale;
	double log_value;
	const int32_t *values;
	bool no_bounds;
};

bool answer_maximises(const struct answer *a);
double answer_log10(const struct answer *a);

/* "12 variables", or "12 and 30 hidden variables", in 'text', which is returned. */
enum { ANSWER_VARIABLES = 64 };
const char *answer_variables(char text[ANSWER_VARIABLES], const struct gpube_model *m);

/* "infeasible  every assignment is forbidden (proved)", and what that means of a game */
void answer_text_infeasible(struct gpube_out *out, const struct answer *a);

bool answer_knows_bound(const struct answer *a, bool lower);
/* The lower or the upper bound in decimals; false, and nothing, if it is not known. */
bool answer_text_bound(struct gpube_out *out, const struct answer *a, bool lower);

/* "assignment", wrapped: name=value where the file names either, otherwise value indices. */
void answer_text_assignment(
	struct gpube_out *out, const struct gpube_model *m, const int32_t *values);
/* Values of some variables, which are always named; vars NULL: of all. */
void answer_text_values(struct gpube_out *out, const struct gpube_model *m, const int32_t *vars,
	int32_t n_vars, const int32_t *values);

/* How many variables have evidence. */
int32_t answer_observed(const struct gpube_model *m);
/* Where evidence is from, "x.evid and --observe"; 'inside': a model's own, without a file. */
void answer_text_source(struct gpube_out *out, const struct session *s, const char *evidence_file,
	const char *inside);
/* "evidence": how much of it, and where from; nothing of a model that takes none. */
void answer_text_evidence(struct gpube_out *out, const struct session *s,
	const struct gpube_model *m, const char *evidence_file);
/* Members observed and evidence_file. */
void answer_json_evidence(struct json *j, const struct gpube_model *m, const char *evidence_file);

/*
 * Member assignment, without hidden variables; null where 'values' is NULL. Where the file names
 * variables or values, member names, too.
 */
void answer_json_assignment(
	struct json *j, struct session *s, const struct gpube_model *m, const int32_t *values);
/* Members of some variables alone; vars NULL: of all. */
void answer_json_values(struct json *j, struct session *s, const struct gpube_model *m,
	const int32_t *vars, int32_t n_vars, const int32_t *values);
/* Members status, backend, seconds, file, direction, variables, functions. */
void answer_json_head(struct json *j, const struct answer *a);
/* lower_bound, upper_bound, log10 of potentials, assignment; null what is not known. */
void answer_json_result(struct json *j, const struct answer *a);

/* "kernels": of each family of contract's on a device, launches and seconds; empty without one. */
void answer_json_kernels(struct json *j, const struct answer *a);

/*
 * answer_report() - the report by 'text' or 'json', or a file for other programs: the
 * assignment as .sol or as MPE, or its cost as .ub, if there is one.
 * Returns CLI_DONE, or CLI_FAILED after a message: also where an assignment is wanted and none is
 * known, unless it is proved that there is none.
 */
int answer_report(const struct answer *a, enum answer_output output, report_fn *text, json_fn *json,
	const void *arg);

#endif
