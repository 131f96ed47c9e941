/* tree_report.c - see tree_report.h. */
#include "gpube/cli/report/tree_report.h"

#include <string.h>

#include "gpube/cli/nash_many.h"

/* The actions that are played: "bet 1/3, check 2/3". Returns where the next set's begin. */
static const char *const *text_set(
	struct gpube_out *out, const struct gpube_nash_set *s, const char *const *p)
{
	const char *comma = "";

	for (int32_t a = 0; a < s->n_actions; a++) {
		if (!strcmp(p[a], "0"))
			continue;
		gpube__out_text(out, comma);
		comma = ", ";
		nash_text_action(out, s->actions[a], a);
		if (strcmp(p[a], "1") != 0) {
			gpube__out_text(out, " ");
			gpube__out_text(out, p[a]);
		}
	}
	return p + s->n_actions;
}

static void text_profile(struct gpube_out *out, const struct tree_result *r, int64_t k)
{
	const struct gpube_nash_tree *t = r->found->tree;
	const char *const *p = t->profiles[k].p;

	for (int32_t h = 0; h < t->n_sets; h++) {
		const struct gpube_nash_set *s = &t->sets[h];

		gpube__out_printf(out, "%*s", h ? LABEL : 0, "");
		nash_text_action(out, gpube_model_var_name(r->game, s->player - 1), s->player - 1);
		gpube__out_text(out, " ");
		nash_text_action(out, s->name, s->number - 1);
		gpube__out_text(out, ": ");
		p = text_set(out, s, p);
		gpube__out_text(out, "\n");
	}
	gpube__out_printf(out, "%*spayoffs ", t->n_sets ? LABEL : 0, "");
	for (int32_t q = 0; q < t->n_players; q++) {
		gpube__out_text(out, q ? ", " : "");
		gpube__out_text(out, t->profiles[k].payoffs[q]);
	}
	gpube__out_text(out, "\n");
}

void tree_report_text(struct gpube_out *out, const void *result)
{
	const struct tree_result *r = result;
	const struct gpube_nash_result *f = r->found;
	const struct gpube_nash_tree *t = f->tree;
	const long long n = t->n_profiles;

	gpube__out_printf(out, "%-*sin extensive form, %d player%s, %d information set%s\n", LABEL,
		"game", t->n_players, gpube__plural(t->n_players), t->n_sets,
		gpube__plural(t->n_sets));
	gpube__out_printf(out, "%-*s%lld", LABEL, "equilibria", n);
	if (f->answer == GPUBE_NASH_ANSWER_ALL)
		gpube__out_text(out, nash_text_all(n));
	else if (f->answer == GPUBE_NASH_ANSWER_INCOMPLETE)
		gpube__out_printf(out, ", incomplete: %s\n", f->reason);
	else
		gpube__out_printf(out, ", %s\n",
			strcmp(f->method, "backward-induction") ? "as asked for"
								: "subgame perfect");
	for (int64_t k = 0; k < t->n_profiles; k++) {
		gpube__out_printf(out, "%-*lld", LABEL, (long long)k + 1);
		text_profile(out, r, k);
	}
	gpube__out_printf(out, "%-*severy best reply, in rationals, on the tree of the file\n",
		LABEL, "checked");
	gpube__out_printf(out, "%-*s%.3f s, method %s\n", LABEL, "time",
		session_seconds(r->session), f->method);
}

static void json_sets(struct json *j, const struct gpube_nash_tree *t)
{
	json_open(j, "sets", '[');
	for (int32_t h = 0; h < t->n_sets; h++) {
		const struct gpube_nash_set *s = &t->sets[h];

		json_open(j, NULL, '{');
		json_int(j, "player", s->player);
		json_int(j, "number", s->number);
		json_text(j, "name", s->name ? s->name : "");
		json_open(j, "actions", '[');
		for (int32_t a = 0; a < s->n_actions; a++)
			json_text(j, NULL, s->actions[a] ? s->actions[a] : "");
		json_close(j, ']');
		json_close(j, '}');
	}
	json_close(j, ']');
}

static void json_profile(
	struct json *j, const struct gpube_nash_tree *t, const struct gpube_nash_behaviour *profile)
{
	const char *const *p = profile->p;

	json_open(j, NULL, '{');
	json_open(j, "behaviour", '[');
	for (int32_t h = 0; h < t->n_sets; h++) {
		json_open(j, NULL, '[');
		for (int32_t a = 0; a < t->sets[h].n_actions; a++)
			json_text(j, NULL, *p++);
		json_close(j, ']');
	}
	json_close(j, ']');
	json_open(j, "payoffs", '[');
	for (int32_t q = 0; q < t->n_players; q++)
		json_text(j, NULL, profile->payoffs[q]);
	json_close(j, ']');
	json_close(j, '}');
}

void tree_report_json(struct json *j, const void *result)
{
	const struct tree_result *r = result;
	const struct gpube_nash_result *f = r->found;
	const struct gpube_nash_tree *t = f->tree;

	nash_json_begin(j, r->session, r->file, f, f->answer == GPUBE_NASH_ANSWER_INCOMPLETE);
	json_open(j, "names", '[');
	for (int32_t q = 0; q < t->n_players; q++) {
		const char *name = gpube_model_var_name(r->game, q);

		json_text(j, NULL, name ? name : "");
	}
	json_close(j, ']');
	json_sets(j, t);
	nash_json_method(j, f, f->reason);
	json_int(j, "work", f->work);
	json_int(j, "n_equilibria", t->n_profiles);
	json_open(j, "equilibria", '[');
	for (int64_t k = 0; k < t->n_profiles; k++)
		json_profile(j, t, &t->profiles[k]);
	json_close(j, ']');
}

void tree_report_gambit(struct gpube_out *out, const void *result)
{
	const struct tree_result *r = result;
	const struct gpube_nash_tree *t = r->found->tree;
	int64_t n = 0;

	for (int32_t h = 0; h < t->n_sets; h++)
		n += t->sets[h].n_actions;
	for (int64_t k = 0; k < t->n_profiles; k++) {
		gpube__out_text(out, "NE");
		for (int64_t a = 0; a < n; a++) {
			gpube__out_text(out, ",");
			gpube__out_text(out, t->profiles[k].p[a]);
		}
		gpube__out_text(out, "\n");
	}
}
