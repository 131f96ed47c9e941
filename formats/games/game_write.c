/* game_write.c - games as files of any format. See registry.h. */
#include <stdio.h>
#include <string.h>

#include "formats/games/game_reader.h"

static void write_string(struct gpube_out *out, const char *s)
{
	gpube__out_text(out, "\"");
	for (; s && *s; s++) {
		/* a backslash is a byte like any other unless it stands before a quote */
		if (*s == '"')
			gpube__out_text(out, "\\");
		gpube__out_bytes(out, s, 1);
	}
	gpube__out_text(out, "\"");
}

/* What player p + 1 gets in a profile, and what stands behind it. */
static void write_payoff(struct gpube_out *out, const struct gpube_model *m, int32_t p,
	int64_t profile, const char *behind)
{
	const struct gpube_rational v = gpube__table_rational(gpube__table(m, p), profile);

	if (v.text) {
		gpube__out_text(out, v.text);
	} else {
		gpube__out_int(out, v.num);
		if (v.den != 1) {
			gpube__out_text(out, "/");
			gpube__out_int(out, v.den);
		}
	}
	gpube__out_text(out, behind);
}

/* ---- any number of players, player 1's action the fastest ---------------------------------- */

/* The profile as the model numbers it, and each player's action. */
struct walk {
	const struct gpube_model *m;
	int64_t profile;
	int32_t at[GPUBE__MOST_PLAYERS];
};

static int begin(struct walk *w, const struct gpube_model *m, bool two)
{
	const int most = two ? 2 : GPUBE__MOST_PLAYERS;

	*w = (struct walk){.m = m};
	if (m->n_vars >= 2 && m->n_vars <= most)
		return GPUBE_OK;
	return gpube__fail(m->ctx, GPUBE_EINVAL,
		"a game of %d player%s: games of 2%s players are written so", m->n_vars,
		gpube__plural(m->n_vars), two ? "" : " to 62");
}

/* False behind the last one. */
static bool next(struct walk *w)
{
	for (int32_t p = 0; p < w->m->n_vars; p++) {
		const int64_t step = gpube__profile_step(w->m, p);

		w->profile += step;
		if (++w->at[p] < w->m->vars[p].domain)
			return true;
		w->profile -= w->at[p] * step;
		w->at[p] = 0;
	}
	return false;
}

/* The end of a line where player 1's actions are through. */
static const char *behind(const struct walk *w)
{
	return w->at[0] == w->m->vars[0].domain - 1 ? "\n" : " ";
}

static void write_player(struct gpube_out *out, const struct gpube_variable *v)
{
	if (!v->value_names) {
		gpube__out_printf(out, " %d", v->domain);
		return;
	}
	gpube__out_text(out, " {");
	for (int32_t k = 0; k < v->domain; k++) {
		gpube__out_text(out, " ");
		write_string(out, v->value_names[k]);
	}
	gpube__out_text(out, " }");
}

int gpube__nfg_write(const struct gpube_model *m, struct gpube_out *out)
{
	struct walk w;
	char number[32];

	if (begin(&w, m, false))
		return GPUBE_EINVAL;
	gpube__out_text(out, "NFG 1 R ");
	write_string(out, m->name);
	gpube__out_text(out, " {");
	for (int32_t p = 0; p < m->n_vars; p++) {
		snprintf(number, sizeof(number), "Player %d", p + 1);
		gpube__out_text(out, " ");
		write_string(out, m->vars[p].name ? m->vars[p].name : number);
	}
	gpube__out_text(out, " }\n\n{");
	for (int32_t p = 0; p < m->n_vars; p++)
		write_player(out, &m->vars[p]);
	gpube__out_text(out, " }\n\n");
	do
		for (int32_t p = 0; p < m->n_vars; p++)
			write_payoff(out, m, p, w.profile, p < m->n_vars - 1 ? " " : behind(&w));
	while (next(&w));
	return out->status;
}

int gpube__simple_write(const struct gpube_model *m, struct gpube_out *out)
{
	struct walk w;

	if (begin(&w, m, false))
		return GPUBE_EINVAL;
	gpube__out_text(out, "# [actions] : [payoffs]\n");
	do {
		for (int32_t p = 0; p < m->n_vars; p++)
			gpube__out_printf(out, p ? " %d" : "[%d", w.at[p] + 1);
		gpube__out_text(out, "] :\t[ ");
		for (int32_t p = 0; p < m->n_vars; p++)
			write_payoff(out, m, p, w.profile, p < m->n_vars - 1 ? " " : " ]\n");
	} while (next(&w));
	return out->status;
}

int gpube__gam_write(const struct gpube_model *m, struct gpube_out *out)
{
	struct walk w;

	if (begin(&w, m, false))
		return GPUBE_EINVAL;
	gpube__out_printf(out, "%d\n", m->n_vars);
	for (int32_t p = 0; p < m->n_vars; p++)
		gpube__out_printf(out, p ? " %d" : "%d", m->vars[p].domain);
	gpube__out_text(out, "\n\n");
	for (int32_t p = 0; p < m->n_vars; p++)
		do
			write_payoff(out, m, p, w.profile, behind(&w));
		while (next(&w));
	return out->status;
}

/* ---- two players, by rows ------------------------------------------------------------- */

int gpube__lrs_write(const struct gpube_model *m, struct gpube_out *out)
{
	struct walk w;

	if (begin(&w, m, true))
		return GPUBE_EINVAL;
	gpube__out_printf(out, "%d %d\n", m->vars[0].domain, m->vars[1].domain);
	for (int32_t p = 0; p < 2; p++) {
		gpube__out_text(out, "\n");
		for (int64_t k = 0; k < gpube__profiles(m); k++)
			write_payoff(out, m, p, k, (k + 1) % m->vars[1].domain ? " " : "\n");
	}
	return out->status;
}

int gpube__two_player_write(const struct gpube_model *m, struct gpube_out *out)
{
	struct walk w;

	if (begin(&w, m, true))
		return GPUBE_EINVAL;
	gpube__out_text(out, "// rows: actions of player 1\n");
	for (int64_t k = 0; k < gpube__profiles(m); k++) {
		gpube__out_text(out, "(");
		write_payoff(out, m, 0, k, ", ");
		write_payoff(out, m, 1, k, (k + 1) % m->vars[1].domain ? ")\t" : ")\n");
	}
	return out->status;
}
