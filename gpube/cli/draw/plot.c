/* plot.c - see plot.h. */
#include "gpube/cli/draw/plot.h"

#include <math.h>

#include "gpube/cli/draw/svg.h"

enum { WIDTH = 760, HEIGHT = 420, LEFT = 90, RIGHT = 170, TOP = 46, BOTTOM = 52 };

struct plot {
	struct gpube_out *out;
	const struct answer *a;
	const struct gpube_solution *s;
	bool maximise, logarithmic;
	double unit, end;          /* of a total; of the time axis */
	double least, most, first; /* of what is drawn: values, seconds */
};

/* ---- places ------------------------------------------------------------------------------ */

static double x_of(const struct plot *p, double seconds)
{
	const double from = p->logarithmic ? log(p->first) : p->first;
	const double to = p->logarithmic ? log(p->end) : p->end;
	const double at = p->logarithmic ? log(fmax(seconds, p->first)) : seconds;

	return LEFT + (WIDTH - LEFT - RIGHT) * (at - from) / (to - from);
}

static double y_of(const struct plot *p, double value)
{
	return HEIGHT - BOTTOM -
	       (HEIGHT - TOP - BOTTOM) * (value - p->least) / (p->most - p->least);
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

/* ---- what is drawn ------------------------------------------------------------------------ */

/* 1, 2 or 5 times a power of ten, so that some six of them are the span. */
static double nice_step(double span)
{
	const double raw = span / 6, power = pow(10, floor(log10(raw))), lead = raw / power;

	return power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
}

static void put_values(struct plot *p)
{
	const double step = nice_step(p->most - p->least);
	char text[32];

	for (double v = ceil(p->least / step) * step; v <= p->most + step * 1e-9; v += step) {
		snprintf(text, sizeof(text), "%.10g", fabs(v) < step * 1e-6 ? 0 : v);
		svg_line(p->out, LEFT, y_of(p, v), WIDTH - RIGHT, y_of(p, v), SVG_PALE, 1);
		svg_text(p->out, LEFT - 8, y_of(p, v) + 4, "end", SVG_GREY, text);
	}
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

/*
 * A line of steps to the end of the picture; *last: the height where it ends. False: nothing is
 * known.
 */
static bool put_side(struct plot *p, bool lower, double *last)
{
	bool any = false;
	double value, seconds, y = 0;

	for (int k = 0; k <= p->s->n_steps; k++) {
		if (!side(p, k, lower, &value, &seconds) || (any && y_of(p, value) == y))
			continue;
		if (!any)
			gpube__out_printf(p->out,
				"<path class=\"%s\" fill=\"none\" stroke-width=\"2\" stroke=\"%s\" "
				"d=\"M%.1f %.1f",
				lower ? "lower" : "upper", lower ? SVG_BLUE : SVG_ORANGE,
				x_of(p, seconds), y_of(p, value));
		else
			gpube__out_printf(p->out, " H%.1f V%.1f", x_of(p, seconds), y_of(p, value));
		y = y_of(p, value);
		any = true;
	}
	if (any)
		gpube__out_printf(p->out, " H%d\"/>\n", WIDTH - RIGHT);
	*last = y;
	return any;
}

/* Beside its end, so that no legend is needed; two labels do not lie on each other. */
static void put_label(struct plot *p, bool lower, double y, double other, bool both)
{
	const bool proved = lower != p->maximise;
	char number[GPUBE_DECIMAL_TEXT], text[GPUBE_DECIMAL_TEXT + 32];
	const int64_t total = proved ? p->s->bound : p->s->cost;

	if (both && fabs(y - other) < 16)
		y = (y + other) / 2 + (lower ? 9 : -9);
	snprintf(text, sizeof(text), "%s %s", lower ? "lower" : "upper",
		gpube__decimal_text(number, total, p->s->scale));
	svg_text(p->out, WIDTH - RIGHT + 8, y + 4, "start", lower ? SVG_BLUE : SVG_ORANGE, text);
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

static void measure(struct plot *p)
{
	double value, seconds, least = INFINITY, most = -INFINITY, first = INFINITY;

	for (int k = 0; k <= p->s->n_steps; k++)
		for (int lower = 0; lower < 2; lower++)
			if (side(p, k, lower, &value, &seconds)) {
				least = fmin(least, value);
				most = fmax(most, value);
				first = fmin(first, seconds);
			}
	if (!(least <= most))
		least = most = 0;
	p->end = fmax(session_seconds(p->a->session), 1e-3);
	p->first = fmin(fmax(isfinite(first) ? first : 0, 1e-4), p->end / 2);
	/* what came in the first moments is half of the story */
	p->logarithmic = p->end / p->first > 30;
	if (!p->logarithmic)
		p->first = 0;
	seconds = fmax((most - least) * 0.06, fmax(fabs(most), 1) * 1e-9);
	if (least == most)
		seconds = fmax(fabs(most), 1) / 2;
	p->least = least - seconds;
	p->most = most + seconds;
}

static void draw(struct plot *p)
{
	double y[2] = {0, 0};
	bool known[2];

	svg_begin(p->out, WIDTH, HEIGHT);
	put_title(p);
	put_values(p);
	put_seconds(p);
	for (int lower = 0; lower < 2; lower++)
		known[lower] = put_side(p, lower, &y[lower]);
	for (int lower = 0; lower < 2; lower++)
		if (known[lower] && p->s->answer != GPUBE_ANSWER_INFEASIBLE)
			put_label(p, lower, y[lower], y[!lower], known[0] && known[1]);
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
