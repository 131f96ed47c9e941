/* draw_style.c - see draw_style.h. */
#include "gpube/cli/draw/draw_style.h"

/*
 * From light to dark, the lightest orange still dark enough for a line; black text is read on the
 * first ones.
 */
static const char *const blue[STYLE_STEPS] = {
	"#eef4fb", "#d3e4f3", "#aacfe8", "#74b0d9", "#4390c6", "#1f6bab", "#0b3f7a"};
static const char *const orange[STYLE_STEPS] = {
	"#fbd9a3", "#f8bf73", "#f3a04a", "#e97f2c", "#d45f17", "#a9430f", "#702a08"};
enum { BLACK_TEXT = 4 };

static const double most_values[STYLE_STEPS - 1] = {2, 4, 9, 19, 49, 199};
static const char *const values_words[STYLE_STEPS] = {
	"1, 2", "3, 4", "5 to 9", "10 to 19", "20 to 49", "50 to 199", "200 and more"};
static const double most_cells[STYLE_STEPS - 1] = {10, 1e2, 1e3, 1e4, 1e5, 1e6};
static const char *const cells_words[STYLE_STEPS] = {
	"up to 10", "100", "1000", "10 000", "100 000", "1 000 000", "more"};

static int step(const double *most, double n)
{
	int k = 0;

	while (k < STYLE_STEPS - 1 && n > most[k])
		k++;
	return k;
}

static void fill(struct gpube_out *out, const char *const *ramp, int k)
{
	gpube__out_printf(out, "fillcolor=\"%s\", fontcolor=\"%s\"", ramp[k],
		k < BLACK_TEXT ? "black" : "white");
}

void style_values(struct gpube_out *out, struct style *s, double n_values)
{
	const int k = step(most_values, n_values);

	s->values[k] = true;
	fill(out, blue, k);
}

void style_cells(struct gpube_out *out, struct style *s, double n_cells)
{
	const int k = step(most_cells, n_cells);

	s->cells[k] = true;
	fill(out, orange, k);
}

const char *style_line(struct style *s, double n_cells)
{
	const int k = step(most_cells, n_cells);

	s->cells[k] = true;
	return orange[k];
}

static void row(struct gpube_out *out, const char *what, const char *const *ramp,
	const char *const *words, const bool *used)
{
	bool any = false;

	for (int k = 0; k < STYLE_STEPS; k++)
		any = any || used[k];
	if (!any)
		return;
	gpube__out_printf(out, "<tr><td align=\"right\">%s</td>", what);
	for (int k = 0; k < STYLE_STEPS; k++)
		if (used[k])
			gpube__out_printf(out,
				"<td bgcolor=\"%s\"><font color=\"%s\"> %s </font></td>", ramp[k],
				k < BLACK_TEXT ? "black" : "white", words[k]);
	gpube__out_text(out, "</tr>");
}

static void note(struct gpube_out *out, bool used, const char *text)
{
	if (used)
		gpube__out_printf(out, "<tr><td colspan=\"8\" align=\"left\">%s</td></tr>", text);
}

void style_legend(struct gpube_out *out, const struct style *s)
{
	gpube__out_text(out, "\tlabelloc=b;\n"
			     "\tlabel=<<table border=\"0\" cellborder=\"0\" "
			     "cellspacing=\"3\"><tr><td></td></tr>");
	row(out, "values", blue, values_words, s->values);
	row(out, "cells", orange, cells_words, s->cells);
	note(out, s->own_costs, "two rings: the variable has costs of its own");
	note(out, s->observed, "bold ring: observed");
	note(out, s->hidden, "dashed: hidden, added by the reader");
	note(out, s->largest, "red frame: the largest");
	gpube__out_text(out, "</table>>;\n");
}
