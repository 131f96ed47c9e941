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

/* Rows of evidence, and of each the sum and n_cells of marginals, or of the joint distribution. */
struct infer_rows {
	const char *file;
	int32_t *rows;
	int64_t n, n_cells;
	double *log10_z, *cells, relative_error, seconds;
};

/* The input of the reports: one of inference, mmap, solution and rows is not NULL. */
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
	const struct infer_rows *rows;
	bool estimate, draws;
	double seconds_read;
};

/* By enum answer_output. Returns an exit status, after a message if it is not CLI_DONE. */
int infer_report(const struct infer_result *r, int output);

/* ---- infer_tables.c: joint distributions, what was drawn, rows ---- */

/* A number for each value of each variable, a list a variable. */
void infer_json_lists(
	struct json *j, const char *key, const struct gpube_model *m, const double *p);
void infer_text_tables(struct gpube_out *out, const struct infer_result *r);
void infer_json_tables(struct json *j, const struct infer_result *r);
void infer_json_rows(struct json *j, const struct infer_result *r);
report_fn infer_csv;

/* ---- infer_inputs.c: an enum gpube_status ---- */

/* What --query says, NULL: the file beside 'path'. */
int infer_read_query(
	struct infer_query *q, const struct gpube_model *m, const char *query, const char *path);
/* What --soft says becomes functions of the model. */
int infer_read_soft(struct gpube_model *m, const struct opt_list *soft);
int infer_rows_ask(
	struct infer_rows *rows, const struct gpube_model *m, const struct gpube_opts *opts);
void infer_rows_clear(struct infer_rows *rows, struct gpube_ctx *ctx);

#endif
