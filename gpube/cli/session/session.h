/*
 * session.h - what a command that reads models runs in: the context, what it
 * says while it runs, signals, the result's output, and the report of a failure.
 */
#ifndef GPUBE_CLI_SESSION_H
#define GPUBE_CLI_SESSION_H

#include "gpube/cli/cli.h"
#include "gpube/options/options.h"
#include "gpube/cli/session/json.h"
#include "gpube/cli/session/status.h"

struct gpube_named;
struct gpube_written;

struct session {
	struct gpube_ctx *ctx;
	double start;
	bool quiet, verbose, json;
	const char *output; /* where results go: "-" or a file */
	struct status status;
	char said[1024];  /* the last note */
	double timeout;   /* seconds from the start; 0: none */
	const char *none; /* what it means if the model has no solution, or NULL */
	bool muted;       /* a failure is kept for session_fail(), once it is known who tells it */
	bool observes;    /* by --observe */
	struct gpube_named *named; /* of the model that is reported, once it was asked for */
};

/*
 * session_start() - makes the context and tries the output; from here on SIGINT
 * and SIGTERM ask the engine to stop, and kill when they come again.
 * talk    may be NULL
 * output  NULL: standard output
 * Returns CLI_DONE, or CLI_FAILED after a message.
 */
int session_start(struct session *s, const struct opts_talk *talk, int64_t threads, uint64_t memory,
	bool json, const char *output);
/*
 * The same with the engine's options, and the rates that were measured on this machine; a device
 * that is asked for is being opened from here on, by commands that never have two things in flight
 * on it.
 */
int session_start_engine(struct session *s, const struct opts_talk *talk,
	const struct opts_engine *engine, bool json, const char *output);
/*
 * session_open_device() - what lets the first device of the context be opened beside what follows;
 * if backend is CUDA this begins now. Once, before there are threads. See
 * gpube/ops/device/opening.h.
 *
 * all         the driver starts every device; false: none but those of the context, and those
 *             before them
 * one_stream  the command never has two things in flight on a device
 */
void session_open_device(struct session *s, enum gpube_backend backend, bool all, bool one_stream);
void session_end(struct session *s);

/*
 * session_fail() - reports the context's error text on standard error, with
 * JSON output also as an object. Returns CLI_FAILED.
 * solution  what is known of the plan, may be NULL
 */
int session_fail(struct session *s, const struct gpube_solution *solution);
int session_fail_text(struct session *s, const struct gpube_solution *solution, const char *text);
/* Which of the words of "a|b|c" a distribution is; -1: none, which is the context's text. */
int session_distribution(struct session *s, const char *words, const char *name);

/* A line on standard error, unless --quiet. */
void session_note(struct session *s, const char *text);
/* The terminal is for others, until something is logged again. */
void session_clear_line(struct session *s);

double session_seconds(const struct session *s);
/*
 * What is left of a time that counts from the start, as a limit of a call: so little, where reading
 * took too long, that the call finds out at once. 0: there is no limit.
 */
double session_time_left(const struct session *s, double timeout);

/*
 * Whether a result's file can be made, which is better known before the work than after it; if
 * not, gpube_error() says why. "-", pipes and devices are not tried: they would notice.
 */
bool session_can_write(struct session *s, const char *path);

/* ---- inputs.c ---- */

/*
 * session_begin_reading() - until session_end_reading(), the context's work ends with the session's
 * time, or half a second later: then what is short has been read, and may still get a bound.
 */
void session_begin_reading(struct session *s, double timeout);
void session_end_reading(struct session *s);

struct contents;
/* Reads what a file holds, for contents_clear(): an enum gpube_status, nothing after a failure. */
int session_try_contents(
	struct session *s, struct contents *c, const char *path, const struct opts_read *read);
/* Reads a model, or what becomes one; CLI_DONE, or CLI_FAILED after a message. */
int session_read(
	struct session *s, struct gpube_model **m, const char *path, const struct opts_read *read);
/* The same without a message: an enum gpube_status. */
int session_try_read(
	struct session *s, struct gpube_model **m, const char *path, const struct opts_read *read);

/*
 * session_read_below() - a model whose top is that of --ub, if there is one and it is better.
 * Returns CLI_DONE, or CLI_FAILED after a message; *m is the caller's to free then, too.
 */
int session_read_below(struct session *s, struct gpube_model **m, const char *path,
	const struct opts_read *read, const char *ub);

/*
 * session_engine() - the engine's options from the command line's.
 * order  out: NULL, or the order that was read, which 'to' refers to; free with gpube__free()
 * Returns CLI_DONE, or CLI_FAILED after a message.
 */
int session_engine(struct session *s, struct gpube_opts *to, int32_t **order,
	const struct gpube_model *m, const struct opts_engine *engine);

/*
 * session_evidence() - evidence as the second argument: read->evidence. False after a message:
 * there is --evidence, too.
 */
bool session_evidence(struct opts_read *read, int n_args, char **args);

/* Options that exclude each other: true after a message. */
bool session_options_clash(const struct opts_engine *engine);

/*
 * session_on_model() - a command whose arguments are a model and perhaps its evidence: checks what
 * is shared, starts, reads the model, works and ends. Returns the exit status.
 * output  where results go; writes: another file that is written, or NULL
 * ub      as of session_read_below(), or NULL
 * work    returns an exit status
 */
struct session_work {
	const struct opts_talk *talk;
	const struct opts_engine *engine;
	const struct opts_read *read;
	bool json;
	const char *output, *writes, *ub;
	int (*work)(struct session *s, const void *opts, const char *file, struct gpube_model *m,
		const struct opts_read *read);
};
/* What the options of such a command have in common, and what they have not. */
#define SESSION_WORK(o, ...)                                                                       \
	&(struct session_work)                                                                     \
	{                                                                                          \
		.talk = &(o)->talk, .engine = &(o)->engine, .read = &(o)->read,                    \
		.json = (o)->json || (o)->output == ANSWER_JSON, __VA_ARGS__                       \
	}
int session_on_model(const struct session_work *w, const void *opts, int n_args, char **args);

/* ---- observe.c ---- */

/* The file that evidence was read from, for the caller to free; NULL: none. Errors: ENOMEM */
int session_evidence_file(char **out, struct session *s, const struct gpube_model *m,
	const char *path, const struct opts_read *read);
/*
 * session_observe() - what --observe says, besides the evidence that was read with the model: an
 * enum gpube_status.
 * Errors: EINVAL (no variable or value of the model, or another value than was observed before: the
 *         text says by what), ENOMEM
 */
int session_observe(
	struct session *s, struct gpube_model *m, const char *path, const struct opts_read *read);

/* ---- reports ---- */

enum { LABEL = 12, COLUMNS = 80 }; /* in front of what a report in text says; of all of it */

/*
 * session_report() - the result, by 'json', which writes an object's members, if the session's
 * output is JSON, otherwise by 'text'. If one of the two is NULL, the other writes it.
 * Returns CLI_DONE, or CLI_FAILED after a message.
 */
typedef void report_fn(struct gpube_out *out, const void *arg);
typedef void json_fn(struct json *j, const void *arg);
int session_report(struct session *s, report_fn *text, json_fn *json, const void *arg);

/*
 * session_named() - the names of a model, by which its answer is told; NULL: it has none, or there
 * is no memory for them, which fails the output.
 */
struct gpube_named *session_named(
	struct session *s, const struct gpube_model *m, struct gpube_out *out);

/* ---- numbers ---- */

/* Members decimals, offset, negated and top of a file that was written, where they are known. */
void json_meaning(struct json *j, const struct gpube_written *w);
/* The member "plan": {…} of a solution. */
void json_plan(struct json *j, const struct gpube_plan *plan);

/* What seconds were spent on, of a report's line "time" and its JSON's "times". */
struct spent {
	const char *name; /* NULL: it is left out; "": what follows is in JSON alone */
	double seconds;
};
#define SPENT(...)                                                                                 \
	(const struct spent[]){__VA_ARGS__},                                                       \
		(int)(sizeof((const struct spent[]){__VA_ARGS__}) / sizeof(struct spent))
void text_times(struct gpube_out *out, const struct session *s, const struct spent *t, int n);
void json_times(struct json *j, const struct spent *t, int n);
/* The line "backend" of a report. */
void text_backend(struct gpube_out *out, const struct session *s, const char *backend);

/* "12", "1234567", "1.23e+20": exact while it is short; a static buffer per 'slot' 0 to 3. */
const char *cells_text(double cells, int slot);
const char *bytes_text(double bytes, int slot);

#endif
