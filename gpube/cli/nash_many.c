/* nash_many.c - see nash_many.h. */
#include "gpube/cli/nash_many.h"

#include <ctype.h>
#include <string.h>

#include "nash/pure.h"

struct pure_result {
	const struct session *session;
	const char *file;
	const struct gpube_model *game;
	const int64_t *profiles;
	int64_t n;
	bool all;
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

/* What it gets there, which has 64 bits. */
static void write_payoff(
	char text[64], const struct gpube_model *g, int32_t player, int64_t profile)
{
	const struct gpube_rational v = gpube__table_rational(gpube__table(g, player), profile);

	snprintf(text, 64, v.den == 1 ? "%lld" : "%lld/%lld", (long long)v.num, (long long)v.den);
}

static void text_profile(struct gpube_out *out, const struct gpube_model *g, int64_t profile)
{
	char text[64];

	for (int32_t p = 0; p < g->n_vars; p++) {
		const int32_t a = gpube__action_of(g, profile, p);

		gpube__out_text(out, p ? ", " : "");
		nash_text_action(out, gpube_model_value_name(g, p, a), a);
	}
	gpube__out_printf(out, "\n%*spayoffs ", LABEL, "");
	for (int32_t p = 0; p < g->n_vars; p++) {
		write_payoff(text, g, p, profile);
		gpube__out_text(out, p ? ", " : "");
		gpube__out_text(out, text);
	}
	gpube__out_text(out, "\n");
}

static void report_text(struct gpube_out *out, const void *arg)
{
	const struct pure_result *r = arg;
	const struct gpube_model *g = r->game;

	gpube__out_printf(out, "%-*s%d players, ", LABEL, "game", g->n_vars);
	for (int32_t p = 0; p < g->n_vars; p++)
		gpube__out_printf(out, p ? " x %d" : "%d", g->vars[p].domain);
	gpube__out_printf(out, " actions\n%-*s%lld, %s\n", LABEL, "equilibria", (long long)r->n,
		r->all ? "all that are pure" : "as asked for");
	for (int64_t k = 0; k < r->n; k++) {
		gpube__out_printf(out, "%-*lld", LABEL, (long long)k + 1);
		text_profile(out, g, r->profiles[k]);
	}
	gpube__out_printf(out,
		"%-*severy action of every player, in rationals, from the payoffs of the file\n",
		LABEL, "checked");
	gpube__out_printf(
		out, "%-*s%.3f s, method pure\n", LABEL, "time", session_seconds(r->session));
}

static void json_equilibrium(struct json *j, const struct gpube_model *g, int64_t profile)
{
	json_open(j, NULL, '{');
	json_open(j, "profile", '[');
	for (int32_t p = 0; p < g->n_vars; p++)
		json_int(j, NULL, gpube__action_of(g, profile, p));
	json_close(j, ']');
	json_open(j, "payoffs", '[');
	for (int32_t p = 0; p < g->n_vars; p++) {
		char text[64];

		write_payoff(text, g, p, profile);
		json_text(j, NULL, text);
	}
	json_close(j, ']');
	json_close(j, '}');
}

static void report_json(struct gpube_out *out, const void *arg)
{
	const struct pure_result *r = arg;
	struct json j = {.out = out};

	json_open(&j, NULL, '{');
	json_text(&j, "status", "optimal");
	json_text(&j, "backend", "cpu");
	json_seconds(&j, "seconds", session_seconds(r->session));
	json_text(&j, "file", r->file);
	json_open(&j, "players", '[');
	for (int32_t p = 0; p < r->game->n_vars; p++)
		json_int(&j, NULL, r->game->vars[p].domain);
	json_close(&j, ']');
	json_text(&j, "method", "pure");
	json_true_false(&j, "exact", true);
	json_true_false(&j, "all", false);
	json_int(&j, "n_equilibria", r->n);
	json_open(&j, "equilibria", '[');
	for (int64_t k = 0; k < r->n; k++)
		json_equilibrium(&j, r->game, r->profiles[k]);
	json_close(&j, ']');
	json_close(&j, '}');
	gpube__out_text(out, "\n");
}

static void report_gambit(struct gpube_out *out, const void *arg)
{
	const struct pure_result *r = arg;

	for (int64_t k = 0; k < r->n; k++) {
		gpube__out_text(out, "NE");
		for (int32_t p = 0; p < r->game->n_vars; p++)
			for (int32_t a = 0; a < r->game->vars[p].domain; a++)
				gpube__out_text(out,
					a == gpube__action_of(r->game, r->profiles[k], p) ? ",1"
											  : ",0");
		gpube__out_text(out, "\n");
	}
}

int nash_many(
	struct session *s, const char *file, const struct gpube_model *g, int64_t most, bool gambit)
{
	struct pure_result r = {.session = s, .file = file, .game = g, .all = true};
	int64_t *profiles;
	int rc;

	if (nash__pure_profiles(&profiles, &r.n, g))
		return session_fail(s, NULL);
	r.profiles = profiles;
	if (most && r.n > most) {
		r.n = most;
		r.all = false;
	}
	rc = session_report(s, gambit ? report_gambit : report_text, report_json, &r);
	gpube__free(s->ctx, profiles);
	return rc;
}
