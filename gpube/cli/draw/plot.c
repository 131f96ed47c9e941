/* plot.c - see plot.h. */
#include "gpube/cli/draw/plot.h"

#include <math.h>

#include "gpube/cli/draw/svg.h"

enum { WIDTH = 780, HEIGHT = 500, LEFT = 90, RIGHT = 180, TOP = 46, BOTTOM = 52, BETWEEN = 22 };
enum { GAP_HEIGHT = 130 };

/* A part of the picture with an axis of its own, whose values grow upwards. */
struct panel {
	double top, bottom, least, most;
};

struct plot {
	struct gpube_out *out;
	const struct answer *a;
	const struct gpube_solution *s;
	bool maximise, logarithmic, gaps; /* gaps: there is a panel of them */
	double unit;                      /* of a total */
	double first, end;                /* of the time axis */
	struct panel values, gap;         /* gap: log10 of percents */
};

/* ---- places ------------------------------------------------------------------------------ */

static double x_of(const struct plot *p, double seconds)
{
	const double from = p->logarithmic ? log(p->first) : p->first;
	const double to = p->logarithmic ? log(p->end) : p->end;
	const double at = p->logarithmic ? log(fmax(seconds, p->first)) : seconds;

	return LEFT + (WIDTH - LEFT - RIGHT) * (at - from) / (to - from);
}

/* What lies beyond the axis is drawn just outside, and cut off. */
static double y_of(const struct panel *n, double value)
{
	const double at = (value - n->least) / (n->most - n->least);

	return n->bottom - (n->bottom - n->top) * fmin(fmax(at, -0.1), 1.1);
}

static bool is_known(int64_t total)
{
	return total < GPUBE_INF - 1 && total > -GPUBE_INF;
}

/*
 * What step k knows of a side, in the file's units; at the number of steps: what is known in the
 * end.
 */
static bool side(const struct plot *p, int k, bool lower, double *value, double *seconds)
{
	const struct gpube_solution *s = p->s;
	const bool proved = lower != p->maximise, last = k == s->n_steps;
	int64_t total;

	if (last && s->answer == GPUBE_ANSWER_INFEASIBLE)
		return false;
	if (last && !proved && !s->values)
		return false;
	if (last)
		total = proved ? s->bound : s->cost;
	else
		total = proved ? s->steps[k].bound : s->steps[k].cost;
	*value = (double)total * p->unit;
	*seconds = last ? fmax(s->seconds_bound, s->seconds_cost) : s->steps[k].seconds;
	return is_known(total);
}

/* The gap of step k, in percent of what the assignment costs. */
static bool percent(const struct plot *p, int k, double *gap, double *seconds)
{
	double of[2], scale;

	if (!side(p, k, true, &of[0], seconds) || !side(p, k, false, &of[1], seconds))
		return false;
	scale = fabs(p->maximise ? of[0] : of[1]);
	scale = scale > 0 ? scale : fabs(p->maximise ? of[1] : of[0]);
	*gap = scale > 0 ? 100 * fmax(of[1] - of[0], 0) / scale : 0;
	return true;
}

/* ---- what is drawn ------------------------------------------------------------------------ */

/* 1, 2 or 5 times a power of ten, so that some six of them are the span. */
static double nice_step(double span)
{
	const double raw = span / 6, power = pow(10, floor(log10(raw))), lead = raw / power;

	return power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
}

static void put_tick(struct plot *p, const struct panel *n, double value, const char *text)
{
	svg_line(p->out, LEFT, y_of(n, value), WIDTH - RIGHT, y_of(n, value), SVG_PALE, 1);
	svg_text(p->out, LEFT - 8, y_of(n, value) + 4, "end", SVG_GREY, text);
}

static void put_values(struct plot *p)
{
	const struct panel *n = &p->values;
	const double step = nice_step(n->most - n->least);
	char text[32];

	for (double v = ceil(n->least / step) * step; v <= n->most + step * 1e-9; v += step) {
		snprintf(text, sizeof(text), "%.10g", fabs(v) < step * 1e-6 ? 0 : v);
		put_tick(p, n, v, text);
	}
}

static void put_percents(struct plot *p)
{
	const struct panel *n = &p->gap;
	static const double digit[] = {0, 0.30103, 0.69897}; /* of 1, 2 and 5 */
	const double step = ceil((n->most - n->least) / 4);
	const int n_digits = n->most - n->least < 1.5 ? 3 : 1;
	char text[32];

	for (double v = floor(n->least); v <= n->most; v += step)
		for (int k = 0; k < n_digits; k++) {
			if (v + digit[k] < n->least + (n->most - n->least) / 8 ||
				v + digit[k] > n->most)
				continue;
			snprintf(text, sizeof(text), "%.3g %%", pow(10, v + digit[k]));
			put_tick(p, n, v + digit[k], text);
		}
	put_tick(p, n, n->least, p->s->answer == GPUBE_ANSWER_OPTIMAL ? "0 %" : "");
	svg_text(p->out, LEFT, n->top - 6, "start", SVG_GREY, "gap, logarithmic");
}

static void put_second(struct plot *p, double seconds)
{
	char text[32];

	snprintf(text, sizeof(text), "%.6g", seconds);
	svg_line(p->out, x_of(p, seconds), TOP, x_of(p, seconds), HEIGHT - BOTTOM, SVG_PALE, 1);
	svg_text(p->out, x_of(p, seconds), HEIGHT - BOTTOM + 18, "middle", SVG_GREY, text);
}

static void put_seconds(struct plot *p)
{
	const double step = nice_step(p->end - p->first);

	svg_text(p->out, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - BOTTOM + 38, "middle", SVG_GREY,
		"seconds");
	if (p->logarithmic) {
		for (double t = pow(10, ceil(log10(p->first) - 1e-9)); t <= p->end; t *= 10)
			put_second(p, t);
		return;
	}
	for (double t = ceil(p->first / step) * step; t <= p->end + step * 1e-9; t += step)
		put_second(p, t);
}

/* Where a curve is drawn: 'y' is its height now, once it has begun. */
struct curve {
	bool any;
	double y;
};

/* The curve goes on at its height until then, and from there at another one. */
static void put_step(struct plot *p, struct curve *c, const char *kind, const char *colour,
	double seconds, double y)
{
	if (c->any && y == c->y)
		return;
	if (c->any)
		gpube__out_printf(p->out, " H%.1f V%.1f", x_of(p, seconds), y);
	else
		gpube__out_printf(p->out,
			"<path class=\"%s\" fill=\"none\" stroke-width=\"2\" stroke=\"%s\" "
			"clip-path=\"url(#%s)\" d=\"M%.1f %.1f",
			kind, colour, *kind == 'g' ? "below" : "above", x_of(p, seconds), y);
	*c = (struct curve){true, y};
}

static void put_end(struct plot *p, const struct curve *c)
{
	if (c->any)
		gpube__out_printf(p->out, " H%d\"/>\n", WIDTH - RIGHT);
}

static struct curve put_side(struct plot *p, bool lower)
{
	struct curve c = {false, 0};
	double value, seconds;

	for (int k = 0; k <= p->s->n_steps; k++)
		if (side(p, k, lower, &value, &seconds))
			put_step(p, &c, lower ? "lower" : "upper", lower ? SVG_BLUE : SVG_ORANGE,
				seconds, y_of(&p->values, value));
	put_end(p, &c);
	return c;
}

/* From where the curves have met one lies on the other, and both are to be seen. */
static void put_meeting(struct plot *p, double y)
{
	const double x = x_of(p, fmax(p->s->seconds_bound, p->s->seconds_cost));

	gpube__out_printf(p->out,
		"<path class=\"met\" fill=\"none\" stroke-width=\"2\" stroke=\"%s\" "
		"stroke-dasharray=\"7 7\" d=\"M%.1f %.1f H%d\"/>\n",
		SVG_BLUE, x, y, WIDTH - RIGHT);
	svg_dot(p->out, x, y, 4, "black");
}

static void put_gaps(struct plot *p)
{
	const bool closed = p->s->answer == GPUBE_ANSWER_OPTIMAL;
	struct curve c = {false, 0};
	double gap = 0, seconds;
	char text[48];

	put_percents(p);
	for (int k = 0; k <= p->s->n_steps; k++)
		if (percent(p, k, &gap, &seconds))
			put_step(p, &c, "gap", SVG_GREY, seconds,
				y_of(&p->gap, gap > 0 ? log10(gap) : p->gap.least));
	put_end(p, &c);
	snprintf(text, sizeof(text), closed ? "closed" : "gap %.3g %%", gap);
	svg_text(p->out, WIDTH - RIGHT + 8, c.y + 4, "start", SVG_GREY, text);
}

/* Beside the ends of the curves, so that no legend is needed; no label lies on another. */
static void put_label(struct plot *p, bool lower, double y, double other)
{
	const bool proved = lower != p->maximise, met = p->s->answer == GPUBE_ANSWER_OPTIMAL;
	char number[GPUBE_DECIMAL_TEXT], text[GPUBE_DECIMAL_TEXT + 32];
	const int64_t total = proved ? p->s->bound : p->s->cost;

	if (!met && fabs(y - other) < 16)
		y = (y + other) / 2 + (lower ? 9 : -9);
	snprintf(text, sizeof(text), "%s %s",
		met     ? "optimum"
		: lower ? "lower"
			: "upper",
		gpube__decimal_text(number, total, p->s->scale));
	svg_text(p->out, WIDTH - RIGHT + 8, y + 4, "start",
		met     ? "black"
		: lower ? SVG_BLUE
			: SVG_ORANGE,
		text);
}

static void put_title(struct plot *p)
{
	static const char *const said[] = {[GPUBE_ANSWER_OPTIMAL] = "the optimum is proved",
		[GPUBE_ANSWER_INFEASIBLE] = "every assignment is forbidden (proved)",
		[GPUBE_ANSWER_INCOMPLETE] = "not proved"};
	char text[200];

	snprintf(text, sizeof(text), "%.80s: %s%s", svg_file_name(p->a->file),
		p->a->model->kind == GPUBE_POTENTIALS ? "bounds of -ln; " : "", said[p->s->answer]);
	svg_text(p->out, LEFT, 24, "start", "black", text);
}

/* ---- all of it ---------------------------------------------------------------------------- */

static void take_value(struct panel *n, double value)
{
	n->least = fmin(n->least, value);
	n->most = fmax(n->most, value);
}

/* Some room above and below. */
static void make_room(struct panel *n)
{
	double room = fmax((n->most - n->least) * 0.06, fmax(fabs(n->most), 1) * 1e-9);

	if (!(n->least <= n->most))
		n->least = n->most = 0;
	if (n->least == n->most)
		room = fmax(fabs(n->most), 1) / 2;
	n->least -= room;
	n->most += room;
}

/*
 * The values that are known in the last nine tenths of the time have the axis, unless all of them
 * have room on it, too: bounds that begin far away would press the end into a line.
 */
static void measure_values(struct plot *p)
{
	enum { TOO_FAR = 3 };
	const struct panel none = {.least = INFINITY, .most = -INFINITY};
	struct panel all = none, late = none;
	double value, seconds, last;

	for (int lower = 0; lower < 2; lower++) {
		bool any = false;

		for (int k = 0; k <= p->s->n_steps; k++) {
			if (!side(p, k, lower, &value, &seconds))
				continue;
			if (any && seconds >= p->end / 10)
				take_value(&late, last); /* until now */
			take_value(&all, value);
			last = value;
			any = true;
		}
		if (any)
			take_value(&late, last);
	}
	if (late.most > late.least && all.most - all.least > TOO_FAR * (late.most - late.least))
		all = late;
	p->values.least = all.least;
	p->values.most = all.most;
	make_room(&p->values);
}

static void measure_gaps(struct plot *p)
{
	double gap, seconds, least = INFINITY, most = -INFINITY;

	for (int k = 0; k <= p->s->n_steps; k++)
		if (percent(p, k, &gap, &seconds) && gap > 0) {
			least = fmin(least, log10(gap));
			most = fmax(most, log10(gap));
		}
	p->gaps = least <= most;
	p->gap.most = most + 0.1;
	p->gap.least = least - fmax(0.2 * (most - least), 0.3); /* where a gap of 0 is drawn */
}

static void measure_time(struct plot *p)
{
	double value, seconds, first = INFINITY, last = 0;

	for (int k = 0; k <= p->s->n_steps; k++)
		for (int lower = 0; lower < 2; lower++)
			if (side(p, k, lower, &value, &seconds)) {
				first = fmin(first, seconds);
				last = fmax(last, seconds);
			}
	p->end = fmax(fmax(session_seconds(p->a->session), last), 1e-3);
	p->first = fmin(fmax(isfinite(first) ? first : 0, 1e-4), p->end / 2);
	/* what came in the first moments is half of the story */
	p->logarithmic = p->end / p->first > 30;
	if (!p->logarithmic)
		p->first = 0;
	p->end *= p->logarithmic ? 1.2 : 1.04; /* what comes at the end is seen */
}

static void measure(struct plot *p)
{
	measure_time(p);
	measure_values(p);
	measure_gaps(p);
	p->gap.bottom = HEIGHT - BOTTOM;
	p->gap.top = p->gap.bottom - GAP_HEIGHT;
	p->values.top = TOP;
	p->values.bottom = p->gaps ? p->gap.top - BETWEEN : HEIGHT - BOTTOM;
}

static void put_clip(struct plot *p, const char *name, const struct panel *n)
{
	gpube__out_printf(p->out,
		"<clipPath id=\"%s\"><rect x=\"%d\" y=\"%.1f\" width=\"%d\" "
		"height=\"%.1f\"/></clipPath>\n",
		name, LEFT, n->top - 1, WIDTH - LEFT - RIGHT, n->bottom - n->top + 2);
}

static void draw(struct plot *p)
{
	const bool labels = p->s->answer != GPUBE_ANSWER_INFEASIBLE,
		   met = p->s->answer == GPUBE_ANSWER_OPTIMAL;
	struct curve c[2];

	svg_begin(p->out, WIDTH, HEIGHT);
	put_clip(p, "above", &p->values);
	put_clip(p, "below", &p->gap);
	put_title(p);
	put_values(p);
	put_seconds(p);
	c[1] = put_side(p, true);
	c[0] = put_side(p, false);
	if (met && c[0].any && c[1].any)
		put_meeting(p, c[0].y);
	for (int lower = 0; lower < 2; lower++)
		if (labels && c[lower].any && !(met && lower && c[0].any))
			put_label(p, lower, c[lower].y, c[!lower].any ? c[!lower].y : -1000);
	if (p->gaps)
		put_gaps(p);
	svg_end(p->out);
}

int plot_write(const char *path, const struct answer *a, const struct gpube_solution *s)
{
	struct gpube_out out;
	struct plot p = {.out = &out,
		.a = a,
		.s = s,
		.maximise = answer_maximises(a),
		.unit = pow(10, -s->scale)};
	int status = gpube__out_open(&out, a->session->ctx, path);

	if (status)
		return status;
	measure(&p);
	draw(&p);
	return gpube__out_close(&out, true);
}
