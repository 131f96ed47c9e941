/*
 * bounding.h - what the commands that prove and bound share: their options, what the user knows
 * already, and the report.
 */
#ifndef GPUBE_CLI_BOUNDING_H
#define GPUBE_CLI_BOUNDING_H

#include "gpube/cli/answer.h"
#include "gpube/options/options.h"

/* What the user knows already. */
struct bounding_known {
	int32_t *values; /* of a known assignment, to be freed by gpube__free(), or NULL */
	int64_t cutoff;
	int has_cutoff;
};

/* Returns CLI_DONE, or CLI_FAILED after a message. */
int bounding_known(struct session *s, struct bounding_known *to, const struct gpube_model *m,
	const struct opts_bounding *o);
enum gpube_bound_method bounding_method(const struct opts_bounding *o);
/* Whether there may be a certificate of the method's proofs; false after a message. */
bool bounding_can_certify(const struct opts_bounding *o);

/* The options of one run; clear with bounding_clear(). */
struct bounding {
	struct gpube_opts opts;
	int32_t *order; /* opts refers to it, and to what is known */
	struct bounding_known known;
};

/*
 * bounding_init() - the engine's options from the command line's.
 * Returns CLI_DONE, or CLI_FAILED after a message; clear it in either case.
 */
int bounding_init(struct bounding *b, struct session *s, const struct gpube_model *m,
	const struct opts_bounding *o, const struct opts_engine *engine);
void bounding_clear(struct bounding *b, struct session *s);

/*
 * bounding_now() - gpube__bound_moment() of a session, in its seconds, whose stop is taken back.
 */
struct gpube_solution *bounding_now(
	struct session *s, const struct gpube_model *m, struct gpube_opts opts);
/* Another bound that was proved, at 'seconds'; the two may meet in an optimum. */
void bounding_update(
	struct gpube_solution *bounds, const struct gpube_model *m, int64_t bound, double seconds);

/*
 * bounding_price() - what an assignment costs in the model that bounds are about, GPUBE_INF:
 * it is forbidden. Errors: as gpube__costs_of() and gpube_model_cost()
 */
int bounding_price(
	int64_t *cost, const struct gpube_model *m, const int32_t *values, int precision);

/* The answer that bounds are. */
struct answer bounding_answer(struct session *s, const char *file, const struct gpube_model *m,
	const struct gpube_solution *bounds);

/* Text: optimum, or lower, upper and gap. */
void bounding_text(
	struct gpube_out *out, const struct answer *a, const struct gpube_solution *bounds);

/* ---- the report of solve and bound: what was proved and found, by which methods ------ */

/*
 * evidence_file  that was read, or NULL
 * counting       the optima were to be counted
 * unproved       why no optimum is proved, where one was wanted; or NULL
 * given          what the assignment of --sol costs, GPUBE_INF: it is forbidden; has_given: it is
 *                to be reported
 * text, json     NULL, or what a command has to say between the result and the model
 */
struct conclusion {
	struct answer answer;
	const struct gpube_solution *solution;
	const char *evidence_file;
	double seconds_read;
	bool counting;
	const char *unproved;
	bool has_given;
	int64_t given;
	void (*text)(struct gpube_out *out, const struct conclusion *f);
	void (*json)(struct json *j, const struct conclusion *f);
	const void *more; /* theirs */
};

/* For answer_report(). */
void conclusion_text(struct gpube_out *out, const void *found);
void conclusion_json(struct json *j, const void *found);

/* With -v: a line for each turn of a method. */
void conclusion_tell_stages(const struct conclusion *f);

/*
 * conclusion_check() - the last word: what the assignment is worth by the tables as they were read,
 * whatever the engine says.
 * Errors: EBUG
 */
int conclusion_check(const struct answer *a);

#endif
