/* session.c - see session.h. */
#define _POSIX_C_SOURCE 200809L

#include "gpube/cli/session/session.h"
#include "gpube/options/options.h"

#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>

#include "formats/common/named.h"
#include "formats/formats.h"

/* ---- signals -------------------------------------------------------------------- */

static struct gpube_ctx *volatile running;
static volatile double first_signal; /* when it came; 0: none yet */

/*
 * The first signal asks for an end, a later one kills; but what comes together
 * is one wish: timeout(1) signals the process and then its group.
 */
static void on_signal(int sig)
{
	double now = gpube__now();

	if (first_signal == 0) {
		first_signal = now;
		if (running)
			gpube_ctx_stop(running);
	} else if (now - first_signal > 0.5) {
		status_abandon();
		signal(sig, SIG_DFL);
		raise(sig);
	}
}

static void catch_signal(int sig)
{
	struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_RESTART}, old;

	sigemptyset(&action.sa_mask);
	sigaddset(&action.sa_mask, SIGINT);
	sigaddset(&action.sa_mask, SIGTERM);
	sigaddset(&action.sa_mask, SIGHUP);
	/* a shell's background jobs and nohup ignore signals: let them */
	if (sigaction(sig, NULL, &old) == 0 && old.sa_handler != SIG_IGN)
		sigaction(sig, &action, NULL);
}

/* ---- talk ------------------------------------------------------------------------ */

void session_clear_line(struct session *s)
{
	status_hide(&s->status);
}

static void on_log(void *arg, const struct gpube_log *said)
{
	struct session *s = arg;

	if (s->quiet)
		return;
	if (said->level == GPUBE_LOG_NOTE || (said->level == GPUBE_LOG_DETAIL && s->verbose))
		snprintf(s->said, sizeof(s->said), "%s", said->text);
	status_log(&s->status, said);
}

void session_note(struct session *s, const char *text)
{
	on_log(s, &(struct gpube_log){.level = GPUBE_LOG_NOTE, .text = text});
}

/* ---- start, end, failure ------------------------------------------------------------ */

bool session_can_write(struct session *s, const char *path)
{
	struct gpube_out out;
	struct stat st;

	/* what is no regular file, a pipe for example, would notice that it is tried */
	if (!strcmp(path, "-") || (stat(path, &st) == 0 && !S_ISREG(st.st_mode)))
		return true;
	if (gpube__out_open(&out, s->ctx, path))
		return false;
	gpube__out_close(&out, false);
	return true;
}

void session_end(struct session *s)
{
	status_end(&s->status);
	running = NULL;
	if (s->named)
		gpube__named_clear(s->named);
	gpube__free(s->ctx, s->named);
	gpube_ctx_free(s->ctx);
	s->ctx = NULL;
}

int session_start(struct session *s, const struct opts_talk *talk, int64_t threads, uint64_t memory,
	bool json, const char *output)
{
	struct gpube_opts opts = {
		.n_threads = (int)threads,
		.memory_bytes = memory,
		.log = on_log,
		.log_arg = s,
	};

	*s = (struct session){
		.start = gpube__now(),
		.quiet = talk && talk->quiet,
		.verbose = talk && talk->verbose,
		.json = json,
		.output = output ? output : "-",
	};
	status_begin(&s->status, s->start, s->verbose);
	if (gpube_ctx_new(&s->ctx, &opts)) {
		status_end(&s->status);
		cli_error("out of memory");
		return CLI_FAILED;
	}
	if (!session_can_write(s, s->output)) {
		cli_error("%s", gpube_error(s->ctx));
		session_end(s);
		return CLI_FAILED;
	}
	running = s->ctx;
	catch_signal(SIGINT);
	catch_signal(SIGTERM);
	catch_signal(SIGHUP);
	return CLI_DONE;
}

double session_seconds(const struct session *s)
{
	return gpube__now() - s->start;
}

double session_time_left(const struct session *s, double timeout)
{
	return timeout > 0 ? fmax(timeout - session_seconds(s), 1e-6) : 0;
}

static void write_error_object(
	struct session *s, const struct gpube_solution *solution, const char *text)
{
	struct gpube_out out;
	struct json j = {.out = &out};

	if (gpube__out_open(&out, s->ctx, s->output)) {
		cli_error("%s", gpube_error(s->ctx));
		return;
	}
	json_open(&j, NULL, '{');
	json_text(&j, "status", "error");
	json_text(&j, "message", text);
	json_seconds(&j, "seconds", session_seconds(s));
	if (solution)
		json_plan(&j, &solution->plan);
	json_close(&j, '}');
	gpube__out_text(&out, "\n");
	if (gpube__out_close(&out, true))
		cli_error("%s", gpube_error(s->ctx));
}

int session_fail_text(struct session *s, const struct gpube_solution *solution, const char *text)
{
	char copy[sizeof(s->ctx->error)];

	/* the text may be the context's, which the output changes when it fails */
	snprintf(copy, sizeof(copy), "%s", text);
	session_clear_line(s);
	if (s->muted) {
		gpube__fail(s->ctx, GPUBE_EINVAL, "%s", copy);
		return CLI_FAILED;
	}
	if (strcmp(s->said, copy) != 0) /* a note that turns out to be why it fails */
		cli_error("%s", copy);
	if (s->json)
		write_error_object(s, solution, copy);
	return CLI_FAILED;
}

int session_distribution(struct session *s, const char *words, const char *name)
{
	const int k = gpube__opt_word(words, name);
	char all[300];
	size_t n = 0;

	for (const char *c = words; *c && n < sizeof(all) - 2; c++) {
		all[n++] = *c == '|' ? ',' : *c;
		if (*c == '|')
			all[n++] = ' ';
	}
	if (k < 0)
		gpube__fail(s->ctx, GPUBE_EINVAL, "no such distribution: '%.100s'; there are %.*s",
			name, (int)n, all);
	return k;
}

int session_fail(struct session *s, const struct gpube_solution *solution)
{
	return session_fail_text(s, solution, gpube_error(s->ctx));
}

/* ---- reports --------------------------------------------------------------------------- */

static int report_to(
	struct session *s, const char *path, report_fn *text, json_fn *json, const void *arg)
{
	struct gpube_out out;
	struct json j = {.out = &out};
	int status = gpube__out_open(&out, s->ctx, path);

	if (status)
		return status;
	if (json) {
		json_open(&j, NULL, '{');
		json(&j, arg);
		json_close(&j, '}');
		gpube__out_text(&out, "\n");
	} else {
		text(&out, arg);
	}
	return gpube__out_close(&out, true);
}

int session_report(struct session *s, report_fn *text, json_fn *json, const void *arg)
{
	json = s->json || !text ? json : NULL;
	session_clear_line(s);
	if (!report_to(s, s->output, text, json, arg))
		return CLI_DONE;
	/* no object that says so: it would go where nothing can be written */
	cli_error("%s", gpube_error(s->ctx));
	/* a result that took hours is not lost with a full disk */
	if (strcmp(s->output, "-") != 0)
		(void)report_to(s, "-", text, json, arg);
	return CLI_FAILED;
}

struct gpube_named *session_named(
	struct session *s, const struct gpube_model *m, struct gpube_out *out)
{
	if (s->named || !gpube__has_names(m))
		return s->named;
	s->named = gpube__alloc_zero(s->ctx, 1, sizeof(*s->named));
	if (s->named && !gpube__named_init(s->named, m))
		return s->named;
	gpube__free(s->ctx, s->named);
	s->named = NULL;
	out->status = out->status ? out->status : GPUBE_ENOMEM;
	return NULL;
}

/* ---- numbers --------------------------------------------------------------------------- */

void json_meaning(struct json *j, const struct gpube_written *w)
{
	if (!w->known)
		return;
	json_int(j, "decimals", w->decimals);
	json_int(j, "offset", w->offset);
	json_true_false(j, "negated", w->negated != 0);
	json_int(j, "top", w->top);
}

void json_plan(struct json *j, const struct gpube_plan *plan)
{
	json_open(j, "plan", '{');
	json_int(j, "variables", plan->n_vars);
	json_int(j, "functions", plan->n_functions);
	json_int(j, "components", plan->n_components);
	json_int(j, "width", plan->width);
	json_real(j, "joined_cells", plan->joined_cells);
	json_real(j, "largest_joined", plan->largest_joined);
	json_real(j, "largest_message", plan->largest_message);
	json_real(j, "peak_bytes", plan->peak_bytes);
	json_real(j, "slices", plan->n_slices);
	json_real(j, "predicted_seconds", plan->predicted_seconds);
	json_close(j, '}');
}

void text_times(struct gpube_out *out, const struct session *s, const struct spent *t, int n)
{
	const char *between = ": ";

	gpube__out_printf(out, "%-*s%.3f s", LABEL, "time", session_seconds(s));
	for (int k = 0; k < n && !(t[k].name && !*t[k].name); k++)
		if (t[k].name) {
			gpube__out_printf(out, "%s%s %.3f", between, t[k].name, t[k].seconds);
			between = ", ";
		}
	gpube__out_text(out, "\n");
}

void json_times(struct json *j, const struct spent *t, int n)
{
	json_open(j, "times", '{');
	for (int k = 0; k < n; k++)
		if (t[k].name && *t[k].name)
			json_seconds(j, t[k].name, t[k].seconds);
	json_close(j, '}');
}

void text_backend(struct gpube_out *out, const struct session *s, const char *backend)
{
	gpube__out_printf(out, "%-*s%s, %d thread%s\n", LABEL, "backend", backend,
		s->ctx->n_threads, gpube__plural(s->ctx->n_threads));
}

const char *cells_text(double cells, int slot)
{
	static char text[4][32];

	if (isinf(cells))
		return "more than 1e308";
	snprintf(text[slot], sizeof(text[slot]), cells < 1e7 ? "%.0f" : "%.3g", cells);
	return text[slot];
}

const char *bytes_text(double bytes, int slot)
{
	static char text[4][GPUBE_BYTES_TEXT];

	return gpube__bytes_text(text[slot], bytes);
}
