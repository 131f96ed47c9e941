/* nash_many.c - see nash_many.h. */
#include "gpube/cli/nash_many.h"

#include <ctype.h>
#include <string.h>

struct many_result {
	const struct session *session;
	const char *file;
	const struct gpube_model *game;
	const struct gpube_nash_result *found;
	int64_t most; /* that were asked for; 0: all */
	bool pure;
};

/* Whether a name can be told from the number behind it, and from the next name. */
static bool is_plain(const char *label)
{
	return (isalpha((unsigned char)*label) || *label == '_' || (unsigned char)*label >= 0x80) &&
	       !strpbrk(label, " ,\t\n\"");
}

void nash_text_action(struct gpube_out *out, const char *label, int32_t i)
{
	if (!label || !*label) {
		gpube__out_printf(out, "#%d", i + 1);
		return;
	}
	if (is_plain(label)) {
		gpube__out_text(out, label);
		return;
	}
	gpube__out_text(out, "\"");
	for (; *label; label++)
		gpube__out_printf(out, *label == '"' ? "\\%c" : "%c", *label);
	gpube__out_text(out, "\"");
}

/* Where the actions of a player begin among all. */
static int32_t first_of(const struct gpube_model *g, int32_t player)
{
	int32_t first = 0;

	for (int32_t p = 0; p < player; p++)
		first += g->vars[p].domain;
	return first;
}

/* ---- text ---------------------------------------------------------------------------------- */

/* A fraction, or a decimal with dots for what follows. */
static void text_number(struct gpube_out *out, const struct gpube_nash_profile *e, int32_t k)
{
	gpube__out_text(out, e->lo[k]);
	if (e->lo[k] != e->hi[k])
		gpube__out_text(out, "..");
}

/* Of each player the actions that are played, or may be, with their probabilities. */
static void text_player(struct gpube_out *out, const struct many_result *r,
	const struct gpube_nash_profile *e, int32_t p)
{
	const struct gpube_model *g = r->game;
	const int32_t first = first_of(g, p);
	const char *comma = "";

	for (int32_t a = 0; a < g->vars[p].domain; a++) {
		if (!strcmp(e->lo[first + a], "0") && !strcmp(e->hi[first + a], "0"))
			continue;
		gpube__out_text(out, comma);
		comma = ", ";
		nash_text_action(out, gpube_model_value_name(g, p, a), a);
		if (strcmp(e->lo[first + a], "1") != 0) {
			gpube__out_text(out, " ");
			text_number(out, e, first + a);
		}
	}
}

static void text_equilibrium(
	struct gpube_out *out, const struct many_result *r, const struct gpube_nash_profile *e)
{
	const struct gpube_model *g = r->game;

	for (int32_t p = 0; p < g->n_vars; p++) {
		if (p)
			gpube__out_printf(out, r->pure ? ", " : "\n%*s", LABEL, "");
		text_player(out, r, e, p);
	}
	gpube__out_printf(out, "\n%*spayoffs ", LABEL, "");
	for (int32_t p = 0; p < g->n_vars; p++) {
		gpube__out_text(out, p ? ", " : "");
		text_number(out, e, first_of(g, g->n_vars) + p);
	}
	gpube__out_text(out, e->tie                     ? "; another action is as good\n"
			     : r->pure || e->index != 0 ? "\n"
							: "; there may be others beside it\n");
}

static void text_open(
	struct gpube_out *out, const struct many_result *r, const struct gpube_nash_open *open)
{
	const struct gpube_model *g = r->game;

	gpube__out_printf(out, "%-*s", LABEL, "open");
	for (int32_t p = 0; p < g->n_vars; p++) {
		const char *comma = "";

		gpube__out_text(out, p ? "; " : "");
		for (int32_t a = 0; a < g->vars[p].domain; a++) {
			const int32_t k = first_of(g, p) + a;

			if (open->states[k] == '0')
				continue;
			gpube__out_text(out, comma);
			comma = ", ";
			nash_text_action(out, gpube_model_value_name(g, p, a), a);
			if (open->states[k] == '?')
				gpube__out_text(out, "?");
			else if (open->lower[k] < 1)
				gpube__out_printf(
					out, " %.4g to %.4g", open->lower[k], open->upper[k]);
		}
	}
	gpube__out_printf(out, "\n%*s%s\n", LABEL, "", open->reason);
}

static void text_head(struct gpube_out *out, const struct many_result *r)
{
	const struct gpube_model *g = r->game;
	const struct gpube_nash_result *f = r->found;

	gpube__out_printf(
		out, "%-*s%d player%s, ", LABEL, "game", g->n_vars, gpube__plural(g->n_vars));
	for (int32_t p = 0; p < g->n_vars; p++)
		gpube__out_printf(out, p ? " x %d" : "%d", g->vars[p].domain);
	gpube__out_text(out, " actions");
	if (f->n_removed)
		gpube__out_printf(out, ", %d of them strictly dominated", f->n_removed);
	gpube__out_printf(out, "\n%-*s%lld, ", LABEL, "equilibria", (long long)f->n_profiles);
	if (f->answer == GPUBE_NASH_ANSWER_ALL)
		gpube__out_text(out, "complete: there is no other\n");
	else if (f->answer == GPUBE_NASH_ANSWER_INCOMPLETE)
		gpube__out_printf(out, "incomplete: %s\n", f->reason);
	else
		gpube__out_text(
			out, r->pure && !r->most ? "all that are pure\n" : "as asked for\n");
	if (!r->pure)
		gpube__out_printf(out, "%-*s%.0f, of which %.0f are open\n", LABEL, "supports",
			f->n_supports, f->n_open_supports);
}

/* Open supports that are told without -v. */
enum { FEW_OPEN = 10 };

/* One that is not proved to be isolated. */
static bool is_rounded(const struct gpube_nash_result *f)
{
	return f->n_profiles == 1 && !f->profiles[0].index && !f->profiles[0].tie;
}

static void report_text(struct gpube_out *out, const void *arg)
{
	const struct many_result *r = arg;
	const struct gpube_nash_result *f = r->found;
	int64_t told = 0, rest = 0;

	text_head(out, r);
	for (int64_t k = 0; k < f->n_profiles; k++) {
		gpube__out_printf(out, "%-*lld", LABEL, (long long)k + 1);
		text_equilibrium(out, r, &f->profiles[k]);
	}
	for (int64_t k = 0; k < f->n_open && f->answer != GPUBE_NASH_ANSWER_SOME; k++) {
		/* of what was not looked at there may be millions */
		if (r->session->verbose ||
			(told < FEW_OPEN && strcmp(f->open[k].reason, "not looked at") != 0)) {
			text_open(out, r, &f->open[k]);
			told++;
		} else {
			rest++;
		}
	}
	if (rest)
		gpube__out_printf(out, "%-*s%lld %s: -v\n", LABEL, "open", (long long)rest,
			told ? "others" : "families of supports");
	gpube__out_printf(out, "%-*s%s\n", LABEL, "checked",
		r->pure || is_rounded(f)
			? "every action of every player, in rationals, from the payoffs of the file"
			: "each is proved to be the only one in a box around it");
	nash_text_end(out, r->session, f);
}

const char *nash_text_all(int64_t n)
{
	return n == 1 ? ", the only one\n"
		      : ", all extreme equilibria: every one is a mixture of these\n";
}

void nash_text_end(
	struct gpube_out *out, const struct session *s, const struct gpube_nash_result *f)
{
	if (f->degenerate == 0 && f->answer == GPUBE_NASH_ANSWER_ALL)
		gpube__out_printf(out, "%-*sall regular, their indices add up to %d\n", LABEL,
			"regular", f->index_sum);
	gpube__out_printf(
		out, "%-*s%.3f s, method %s\n", LABEL, "time", session_seconds(s), f->method);
}

/* ---- JSON ---------------------------------------------------------------------------------- */

void nash_json_begin(struct json *j, const struct session *s, const char *file,
	const struct gpube_nash_result *found, bool incomplete)
{
	/* "optimal": all there are, or all that was asked for */
	json_text(j, "status", incomplete ? "incomplete" : "optimal");
	json_text(j, "backend", found->backend);
	json_seconds(j, "seconds", session_seconds(s));
	json_text(j, "file", file);
}

void nash_json_method(struct json *j, const struct gpube_nash_result *found, const char *reason)
{
	json_text(j, "method", found->method);
	json_true_false(j, "exact", true);
	json_true_false(j, "all", found->answer == GPUBE_NASH_ANSWER_ALL);
	if (reason)
		json_text(j, "reason", reason);
}

/* A fraction, or a list of two decimals. */
static void json_number(struct json *j, const struct gpube_nash_profile *e, int32_t k)
{
	if (e->lo[k] == e->hi[k]) {
		json_text(j, NULL, e->lo[k]);
		return;
	}
	json_open(j, NULL, '[');
	json_text(j, NULL, e->lo[k]);
	json_text(j, NULL, e->hi[k]);
	json_close(j, ']');
}

static void json_profile(
	struct json *j, const struct gpube_model *g, const struct gpube_nash_profile *e)
{
	json_open(j, "profile", '[');
	for (int32_t p = 0; p < g->n_vars; p++)
		for (int32_t a = 0; a < g->vars[p].domain; a++)
			if (!strcmp(e->lo[first_of(g, p) + a], "1"))
				json_int(j, NULL, a);
	json_close(j, ']');
}

static void json_strategies(
	struct json *j, const struct gpube_model *g, const struct gpube_nash_profile *e)
{
	json_open(j, "strategies", '[');
	for (int32_t p = 0; p < g->n_vars; p++) {
		json_open(j, NULL, '[');
		for (int32_t a = 0; a < g->vars[p].domain; a++)
			json_number(j, e, first_of(g, p) + a);
		json_close(j, ']');
	}
	json_close(j, ']');
	json_int(j, "index", e->index);
	json_true_false(j, "tie", e->tie);
}

static void json_equilibrium(
	struct json *j, const struct many_result *r, const struct gpube_nash_profile *e)
{
	json_open(j, NULL, '{');
	(r->pure ? json_profile : json_strategies)(j, r->game, e);
	json_open(j, "payoffs", '[');
	for (int32_t p = 0; p < r->game->n_vars; p++)
		json_number(j, e, first_of(r->game, r->game->n_vars) + p);
	json_close(j, ']');
	json_close(j, '}');
}

static void json_bounds(
	struct json *j, const struct gpube_model *g, const char *key, const double *x)
{
	json_open(j, key, '[');
	for (int32_t k = 0; k < first_of(g, g->n_vars); k++)
		json_real(j, NULL, x[k]);
	json_close(j, ']');
}

static void json_supports(struct json *j, const struct many_result *r)
{
	const struct gpube_nash_result *f = r->found;

	json_real(j, "supports", f->n_supports);
	json_real(j, "open_supports", f->n_open_supports);
	json_open(j, "open", '[');
	for (int64_t k = 0; k < f->n_open; k++) {
		json_open(j, NULL, '{');
		json_text(j, "states", f->open[k].states);
		json_text(j, "reason", f->open[k].reason);
		json_int(j, "regions", f->open[k].regions);
		json_bounds(j, r->game, "lower", f->open[k].lower);
		json_bounds(j, r->game, "upper", f->open[k].upper);
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void report_json(struct json *j, const void *arg)
{
	const struct many_result *r = arg;
	const struct gpube_nash_result *f = r->found;

	nash_json_begin(j, r->session, r->file, f, f->answer == GPUBE_NASH_ANSWER_INCOMPLETE);
	json_open(j, "players", '[');
	for (int32_t p = 0; p < r->game->n_vars; p++)
		json_int(j, NULL, r->game->vars[p].domain);
	json_close(j, ']');
	nash_json_method(j, f, f->reason);
	if (!r->pure)
		json_supports(j, r);
	json_int(j, "n_equilibria", f->n_profiles);
	json_open(j, "equilibria", '[');
	for (int64_t k = 0; k < f->n_profiles; k++)
		json_equilibrium(j, r, &f->profiles[k]);
	json_close(j, ']');
}

static void report_gambit(struct gpube_out *out, const void *arg)
{
	const struct many_result *r = arg;
	const struct gpube_nash_result *f = r->found;

	for (int64_t k = 0; k < f->n_profiles; k++) {
		gpube__out_text(out, "NE");
		for (int32_t a = 0; a < first_of(r->game, r->game->n_vars); a++) {
			gpube__out_text(out, ",");
			gpube__out_text(out, f->profiles[k].lo[a]);
		}
		gpube__out_text(out, "\n");
	}
}

int nash_report_many(struct session *s, const char *file, const struct gpube_model *g,
	const struct gpube_nash_result *found, const struct gpube_opts *options, bool gambit)
{
	const struct many_result r = {.session = s,
		.file = file,
		.game = g,
		.found = found,
		.most = options->max,
		.pure = options->pure};
	int rc;

	session_clear_line(s);
	rc = session_report(s, gambit ? report_gambit : report_text, report_json, &r);
	if (!rc && found->answer == GPUBE_NASH_ANSWER_INCOMPLETE) {
		if (!s->quiet)
			cli_error("%s: there may be more equilibria", found->reason);
		rc = CLI_FAILED;
	}
	return rc;
}
