/* structure_report.c - see structure_report.h. */
#include "gpube/cli/structure_report.h"

#include <math.h>
#include <string.h>

#include "gpube/base/decimal.h"
#include "gpube/ir/coalition_table.h"

const char *const csg_status_words[] = {
	[GPUBE_CSG_OPTIMAL] = "optimal",
	[GPUBE_CSG_INFEASIBLE] = "infeasible",
	[GPUBE_CSG_BOUNDS] = "bounds",
	[GPUBE_CSG_INCOMPLETE] = "incomplete",
};

static void text_part(struct gpube_out *out, uint64_t part)
{
	const char *before = "{";

	for (; part; part &= part - 1, before = ",")
		gpube__out_printf(out, "%s%d", before, __builtin_ctzll(part) + 1);
	gpube__out_text(out, "}");
}

void text_structure(struct gpube_out *out, const struct gpube_csg_result *r,
	const struct structure_words *words)
{
	if (r->answer == GPUBE_CSG_INFEASIBLE || r->answer == GPUBE_CSG_INCOMPLETE) {
		gpube__out_printf(out, "%-*s%s\n", LABEL, csg_status_words[r->answer],
			r->answer == GPUBE_CSG_INFEASIBLE ? words->infeasible : words->incomplete);
		return;
	}
	gpube__out_printf(out, "%-*s", LABEL, words->worth);
	if (r->is_int)
		gpube__out_decimal(out, r->value_int, r->scale);
	else
		gpube__out_real(out, r->value);
	if (r->answer == GPUBE_CSG_OPTIMAL)
		gpube__out_text(out, ", the proved maximum");
	if (r->answer == GPUBE_CSG_OPTIMAL && r->error > 0)
		gpube__out_printf(out, " within %.1e of rounding", r->error);
	gpube__out_printf(out, "\n%-*s", LABEL - 1, words->structure);
	for (int k = 0; k < r->n_parts; k++) {
		gpube__out_text(out, " ");
		text_part(out, r->parts[k]);
	}
	gpube__out_text(out, "\n");
}

/* ---- tables ------------------------------------------------------------------------------- */

enum { WORTH = 14, BAR = 20 }; /* columns */

void table_head(struct gpube_out *out, const char *worth, const char *what)
{
	gpube__out_printf(out, "%*s  share  %-*s  %s\n", WORTH, worth, BAR, "", what);
}

void table_row(struct gpube_out *out, const char *text, double value, double all)
{
	const double share = value >= 0 && all > 0 ? fmin(value / all, 1) : -1;
	char bar[BAR + 1];
	const int n = share < 0 ? 0 : (int)lround(share * BAR);

	memset(bar, '#', (size_t)n);
	bar[n] = 0;
	gpube__out_printf(out, "%*s  ", WORTH, text);
	if (share < 0)
		gpube__out_text(out, "     ");
	else
		gpube__out_printf(out, "%3.0f %%", 100 * share);
	gpube__out_printf(out, "  %-*s ", BAR, bar);
}

void table_line(struct gpube_out *out, const char *text, const char *what)
{
	gpube__out_printf(out, "%*s  %5s  %-*s  %s\n", WORTH, text, "", BAR, "", what);
}

const char *structure_value_text(
	char text[GPUBE_DECIMAL_TEXT], const struct gpube_model *g, uint64_t part)
{
	const enum gpube_type type = gpube_coalitions_type(g);
	const int64_t value = gpube__coalition_value(g, part);

	if (gpube__type_is_int(type))
		return gpube__decimal_text(text, value, gpube_model_info(g)->scale);
	snprintf(text, GPUBE_DECIMAL_TEXT, "%.9g", gpube__coalition_real(type, value));
	return text;
}

const char *structure_worth_text(char text[GPUBE_DECIMAL_TEXT], const struct gpube_csg_result *r)
{
	if (r->is_int)
		return gpube__decimal_text(text, r->value_int, r->scale);
	snprintf(text, GPUBE_DECIMAL_TEXT, "%.9g", r->value);
	return text;
}

/* They are few. */
void structure_sort(uint64_t parts[GPUBE_MAX_AGENTS], const struct gpube_model *g,
	const struct gpube_csg_result *r)
{
	for (int k = 0; k < r->n_parts; k++) {
		int at = k;

		for (; at > 0 && gpube_coalitions_value(g, parts[at - 1]) <
					 gpube_coalitions_value(g, r->parts[k]);
			at--)
			parts[at] = parts[at - 1];
		parts[at] = r->parts[k];
	}
}

bool table_structure(struct gpube_out *out, const struct gpube_model *g,
	const struct gpube_csg_result *r, const struct structure_words *words)
{
	const double all = r->is_int ? (double)r->value_int : r->value;
	uint64_t parts[GPUBE_MAX_AGENTS];
	char text[GPUBE_DECIMAL_TEXT], what[120];

	if (r->answer == GPUBE_CSG_INFEASIBLE || r->answer == GPUBE_CSG_INCOMPLETE)
		return false;
	structure_sort(parts, g, r);
	table_head(out, words->value, words->members);
	for (int k = 0; k < r->n_parts; k++) {
		table_row(out, structure_value_text(text, g, parts[k]),
			gpube__coalition_real(
				gpube_coalitions_type(g), gpube__coalition_value(g, parts[k])),
			all);
		for (uint64_t c = parts[k]; c; c &= c - 1)
			gpube__out_printf(out, " %d", __builtin_ctzll(c) + 1);
		gpube__out_text(out, "\n");
	}
	structure_worth_text(text, r);
	snprintf(what, sizeof(what), "%d %s%s of %d %s%s", r->n_parts, words->part,
		gpube__plural(r->n_parts), gpube_model_n_vars(g), words->members,
		r->answer == GPUBE_CSG_OPTIMAL ? ", the proved maximum" : "");
	table_line(out, text, what);
	if (r->answer == GPUBE_CSG_BOUNDS)
		text_upper_bound(out, r);
	return true;
}

void json_worth(struct json *j, const char *key, const struct gpube_csg_result *r)
{
	if (r->is_int && isfinite(r->value))
		json_decimal(j, key, r->value_int, r->scale);
	else
		json_real(j, key, r->value);
}

/* Past 64 bits the double has it, which is not below. */
static bool whole_upper_bound(const struct gpube_csg_result *r)
{
	return r->is_int && isfinite(r->upper_bound) && r->upper_int < INT64_MAX;
}

/* Not below what it is, also where it is counted in units. */
static double upper_bound(const struct gpube_csg_result *r)
{
	return r->scale && isfinite(r->upper_bound)
		       ? nextafter(r->upper_bound / gpube__ten_to(r->scale), INFINITY)
		       : r->upper_bound;
}

void text_upper_bound(struct gpube_out *out, const struct gpube_csg_result *r)
{
	gpube__out_printf(out, "%-*s", LABEL, "upper bound");
	if (whole_upper_bound(r))
		gpube__out_decimal(out, r->upper_int, r->scale);
	else
		gpube__out_real(out, upper_bound(r));
	gpube__out_text(out, "\n");
}

void json_upper_bound(struct json *j, const struct gpube_csg_result *r)
{
	if (whole_upper_bound(r))
		json_decimal(j, "upper_bound", r->upper_int, r->scale);
	else
		json_real(j, "upper_bound", upper_bound(r));
}

void json_parts(struct json *j, const char *key, const struct gpube_csg_result *r)
{
	json_open(j, key, '[');
	for (int k = 0; k < r->n_parts; k++) {
		json_open(j, NULL, '[');
		for (uint64_t c = r->parts[k]; c; c &= c - 1)
			json_int(j, NULL, __builtin_ctzll(c) + 1);
		json_close(j, ']');
	}
	json_close(j, ']');
}
