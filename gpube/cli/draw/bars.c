/* bars.c - see bars.h. */
#include "gpube/cli/draw/bars.h"

#include <math.h>
#include <string.h>

#include "gpube/cli/draw/svg.h"
#include "gpube/cli/structure_report.h"
#include "gpube/ir/coalition_table.h"

static int draw_to(struct session *s, const char *path, report_fn *draw, const void *arg)
{
	struct gpube_out out;
	int status = gpube__out_open(&out, s->ctx, path);

	if (status)
		return status;
	draw(&out, arg);
	return gpube__out_close(&out, true);
}

/* A text of so many characters at most, which a column has room for. */
static void put_short(struct gpube_out *out, double x, double y, const char *anchor,
	const char *colour, const char *text, int most)
{
	char cut[160];
	size_t n = 0;

	for (int k = 0; text[n] && k < most && n < sizeof(cut) - 8; k++)
		n += (size_t)(gpube__character(text + n) > 0 ? gpube__character(text + n) : 1);
	snprintf(cut, sizeof(cut), "%.*s%s", (int)n, text, text[n] ? "\xe2\x80\xa6" : "");
	svg_text(out, x, y, anchor, colour, cut);
}

/* ---- posteriors ---------------------------------------------------------------------- */

enum {
	MOST_SHOWN = 120, /* variables */
	MOST_VALUES = 24, /* of one of them */
	PANEL = 290,      /* columns and rows of the picture */
	ROW = 18,
	HEAD = 26,
	BESIDE = 92, /* for the names of values, in front of bars */
	LENGTH = 110,
	MARGIN = 20,
	TITLE = 48,
};

struct posteriors {
	const char *file;
	const struct gpube_model *m;
	const struct gpube_inference *n;
	const double *lower, *upper;
};

static int n_rows(const struct gpube_variable *v)
{
	return v->domain > MOST_VALUES ? MOST_VALUES + 1 : v->domain;
}

static void put_value(struct gpube_out *out, const struct posteriors *p, int32_t var, int32_t value,
	int64_t at, double x, double y)
{
	const struct gpube_variable *v = &p->m->vars[var];
	const double lower = fmin(fmax(p->lower[at], 0), 1), upper = fmin(fmax(p->upper[at], 0), 1);
	char index[16], number[48];

	snprintf(index, sizeof(index), "%d", value);
	if (upper - lower < 1e-9)
		snprintf(number, sizeof(number), "%.3g", p->lower[at]);
	else
		snprintf(number, sizeof(number), "%.2g to %.2g", lower, upper);
	put_short(out, x + BESIDE - 8, y + 13, "end", SVG_GREY,
		v->value_names ? v->value_names[value] : index, 13);
	svg_bar(out, x + BESIDE, y + 3, LENGTH, ROW - 5, SVG_FAINT);
	svg_bar(out, x + BESIDE, y + 3, LENGTH * upper, ROW - 5, SVG_BLUE_PALE);
	svg_bar(out, x + BESIDE, y + 3, LENGTH * lower, ROW - 5, SVG_BLUE);
	svg_text(out, x + BESIDE + LENGTH + 6, y + 13, "start", SVG_GREY, number);
}

static void put_variable(struct gpube_out *out, const struct posteriors *p, int32_t var, int64_t at,
	double x, double y)
{
	const struct gpube_variable *v = &p->m->vars[var];
	const bool observed = p->m->evidence && p->m->evidence[var] >= 0;
	char text[160], index[16];
	int k = 0;

	snprintf(index, sizeof(index), "%d", var);
	snprintf(text, sizeof(text), "%.100s", v->name ? v->name : index);
	put_short(out, x, y + 16, "start", "black", text, observed ? 26 : 38);
	if (observed)
		svg_text(out, x + BESIDE + LENGTH + 6, y + 16, "start", SVG_ORANGE, "observed");
	for (; k < v->domain && k < MOST_VALUES; k++)
		put_value(out, p, var, k, at + k, x, y + HEAD + k * ROW);
	snprintf(text, sizeof(text), "and %d more values", v->domain - k);
	if (k < v->domain)
		svg_text(out, x + BESIDE, y + HEAD + k * ROW + 13, "start", SVG_GREY, text);
}

/* Variables in rows of up to 'columns'; out NULL: none is drawn. Returns the height. */
static double put_all(struct gpube_out *out, const struct posteriors *p, int columns)
{
	double y = TITLE, height = 0;
	int64_t at = 0;
	int n = 0;

	for (int32_t i = 0; i < p->m->n_vars && n < MOST_SHOWN; at += p->m->vars[i++].domain) {
		const double own = HEAD + n_rows(&p->m->vars[i]) * ROW + 16.0;

		if (p->m->vars[i].hidden)
			continue;
		if (n && n % columns == 0) {
			y += height;
			height = 0;
		}
		if (out)
			put_variable(out, p, i, at, MARGIN + (double)(n % columns) * PANEL, y);
		height = fmax(height, own);
		n++;
	}
	return y + height;
}

static void draw_posteriors(struct gpube_out *out, const void *arg)
{
	const struct posteriors *p = arg;
	const int32_t n = p->m->n_vars - p->m->n_hidden;
	const int columns = n <= 2 ? (n ? n : 1) : n <= 6 ? 2 : n <= 24 ? 3 : 4;
	const double end = put_all(NULL, p, columns);
	char text[200];

	svg_begin(out, 2 * MARGIN + columns * PANEL, (int)end + (n > MOST_SHOWN ? 30 : 6));
	snprintf(text, sizeof(text), "%.80s: %s", svg_file_name(p->file),
		p->lower == p->n->marginals ? "probabilities given the evidence"
					    : "intervals of the probabilities");
	svg_text(out, MARGIN, 26, "start", "black", text);
	put_all(out, p, columns);
	snprintf(text, sizeof(text), "and %d more variables", n - MOST_SHOWN);
	if (n > MOST_SHOWN)
		svg_text(out, MARGIN, end + 14, "start", SVG_GREY, text);
	svg_end(out);
}

int bars_posteriors(struct session *s, const char *path, const char *file,
	const struct gpube_model *m, const struct gpube_inference *n)
{
	const struct posteriors p = {file, m, n, n->marginals ? n->marginals : n->marginals_lower,
		n->marginals ? n->marginals : n->marginals_upper};

	return draw_to(s, path, draw_posteriors, &p);
}

/* ---- coalition structures ------------------------------------------------------------ */

enum { AGENT = 24, ACROSS = 12, BAR_LENGTH = 260, GAP = 14 }; /* pixels; agents in a line */

struct structure {
	const char *file;
	const struct gpube_model *g;
	const struct gpube_csg_result *r;
	uint64_t parts[GPUBE_MAX_AGENTS]; /* the best first */
	double least, most;               /* of the axis, which has 0 */
};

static int n_lines(uint64_t part)
{
	return (__builtin_popcountll(part) + ACROSS - 1) / ACROSS;
}

static double x_of(const struct structure *p, double left, double value)
{
	return left + BAR_LENGTH * (value - p->least) / (p->most - p->least);
}

static void put_part(struct gpube_out *out, const struct structure *p, uint64_t part, double y)
{
	const double left = MARGIN + ACROSS * AGENT + 20.0,
		     value = gpube_coalitions_value(p->g, part),
		     from = x_of(p, left, fmin(value, 0)), to = x_of(p, left, fmax(value, 0));
	char text[GPUBE_DECIMAL_TEXT];
	int k = 0;

	for (uint64_t c = part; c; c &= c - 1, k++) {
		const double x = MARGIN + (k % ACROSS + 0.5) * AGENT,
			     at = y + (k / ACROSS + 0.5) * AGENT;

		snprintf(text, sizeof(text), "%d", __builtin_ctzll(c) + 1);
		svg_dot(out, x, at, AGENT / 2.0 - 1, SVG_BLUE);
		svg_text(out, x, at + 4, "middle", "white", text);
	}
	svg_bar(out, from, y + 3, to - from, AGENT - 6, value < 0 ? SVG_ORANGE : SVG_BLUE_PALE);
	structure_value_text(text, p->g, part);
	svg_text(out, to + 8, y + 16, "start", "black", text);
}

static void draw_structure(struct gpube_out *out, const void *arg)
{
	const struct structure *p = arg;
	const double left = MARGIN + ACROSS * AGENT + 20.0;
	double y = TITLE;
	int height = TITLE + 10;
	char worth[GPUBE_DECIMAL_TEXT], text[240];

	for (int k = 0; k < p->r->n_parts; k++)
		height += n_lines(p->parts[k]) * AGENT + GAP;
	svg_begin(out, (int)left + BAR_LENGTH + 130, height);
	structure_worth_text(worth, p->r);
	snprintf(text, sizeof(text), "%.80s: value %s%s, %d coalition%s of %d agents",
		svg_file_name(p->file), worth,
		p->r->answer == GPUBE_CSG_OPTIMAL ? ", the proved maximum" : "", p->r->n_parts,
		gpube__plural(p->r->n_parts), gpube_model_n_vars(p->g));
	svg_text(out, MARGIN, 26, "start", "black", text);
	svg_line(out, x_of(p, left, 0), TITLE - 8, x_of(p, left, 0), height - 10, SVG_GREY, 1);
	for (int k = 0; k < p->r->n_parts; k++) {
		put_part(out, p, p->parts[k], y);
		y += n_lines(p->parts[k]) * AGENT + GAP;
	}
	svg_end(out);
}

int bars_structure(struct session *s, const char *path, const char *file,
	const struct gpube_model *g, const struct gpube_csg_result *r)
{
	struct structure p = {.file = file, .g = g, .r = r};

	structure_sort(p.parts, g, r);
	for (int k = 0; k < r->n_parts; k++) {
		const double value = gpube_coalitions_value(g, p.parts[k]);

		p.least = fmin(p.least, value);
		p.most = fmax(p.most, value);
	}
	if (p.least == p.most)
		p.most = p.least + 1;
	return draw_to(s, path, draw_structure, &p);
}
