/* nash_picture.c - see nash_picture.h. */
#include "gpube/cli/draw/nash_picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpube/cli/draw/svg.h"

enum { SIDE = 360, LEFT = 80, TOP = 62, BESIDE = 330, LISTED = 14 }; /* of the square */
enum {
	ROW = 20,
	GAP = 26,
	COLUMN_1 = 420,
	COLUMN_2 = 560,
	WIDE = 980,
	SHORT_NAME = 48,
	MOST_ROWS = 160
}; /* of the graph */
enum { NAME_BYTES = 46 };

struct picture {
	struct gpube_out *out;
	struct gpube_ctx *ctx;
	const char *file;
	const struct gpube_model *g;
	const struct gpube_nash_result *found;
	const struct gpube_nash_components *components;
};

/* A probability as nash.h has it: "2/3", "1", or a decimal. */
static double number(const char *text)
{
	char *end;
	const double top = strtod(text, &end);

	return *end == '/' ? top / strtod(end + 1, NULL) : top;
}

static int32_t n_actions(const struct picture *p, int player)
{
	return player == 1 ? gpube_model_domain(p->g, 0) : gpube_model_domain(p->g, 1);
}

/* An action's name, or "#2"; no character of several bytes is cut. */
static void action_name(char text[NAME_BYTES], const struct picture *p, int player, int32_t i)
{
	const char *label = gpube_model_value_name(p->g, player - 1, i);
	size_t n;

	if (!label || !*label) {
		snprintf(text, NAME_BYTES, "#%d", i + 1);
		return;
	}
	n = strlen(label);
	if (n >= NAME_BYTES) {
		n = NAME_BYTES - 4;
		while (n > 0 && ((unsigned char)label[n] & 0xc0) == 0x80)
			n--;
		snprintf(text, NAME_BYTES, "%.*s...", (int)n, label);
	} else {
		memcpy(text, label, n + 1);
	}
}

/* "up 1/3, down 2/3", and "..." where there is no room for more. */
enum { STRATEGY_BYTES = 64 };
static void strategy_name(char text[STRATEGY_BYTES], const struct picture *p, int player,
	const struct gpube_nash_strategy *s)
{
	size_t at = 0;

	*text = 0;
	for (int32_t i = 0; i < n_actions(p, player); i++) {
		char name[NAME_BYTES], one[NAME_BYTES + 32];
		int n;

		if (!strcmp(s->p[i], "0"))
			continue;
		action_name(name, p, player, i);
		n = snprintf(one, sizeof(one), "%s%s%s%.20s", at ? ", " : "", name,
			strcmp(s->p[i], "1") ? " " : "", strcmp(s->p[i], "1") ? s->p[i] : "");
		if (at + (size_t)n + 5 > STRATEGY_BYTES) {
			snprintf(text + at, STRATEGY_BYTES - at, at ? ", ..." : "...");
			return;
		}
		memcpy(text + at, one, (size_t)n + 1);
		at += (size_t)n;
	}
}

static void put_title(const struct picture *p, double x)
{
	static const char *const said[] = {[GPUBE_NASH_ANSWER_ALL] = "all extreme equilibria",
		[GPUBE_NASH_ANSWER_SOME] = "those asked for",
		[GPUBE_NASH_ANSWER_INCOMPLETE] = "incomplete"};
	char text[200];

	snprintf(text, sizeof(text), "%.80s: %lld equilibri%s, %s", svg_file_name(p->file),
		(long long)p->found->n_pairs, p->found->n_pairs == 1 ? "um" : "a",
		said[p->found->answer]);
	svg_text(p->out, x, 24, "start", "black", text);
}

/* ---- two actions a player
 * ------------------------------------------------------------------------ */

/* Across: the probability of player 1's first action; up: of player 2's. */
static double across(double share)
{
	return LEFT + SIDE * share;
}

static double up(double share)
{
	return TOP + SIDE * (1 - share);
}

static void put_axes(const struct picture *p)
{
	static const char *const ticks[] = {"0", "1/4", "1/2", "3/4", "1"};
	char name[NAME_BYTES], text[NAME_BYTES + 32];

	for (int k = 0; k <= 4; k++) {
		svg_line(p->out, across(k / 4.0), up(0), across(k / 4.0), up(1), SVG_PALE, 1);
		svg_line(p->out, across(0), up(k / 4.0), across(1), up(k / 4.0), SVG_PALE, 1);
		svg_text(p->out, across(k / 4.0), up(0) + 18, "middle", SVG_GREY, ticks[k]);
		svg_text(p->out, across(0) - 8, up(k / 4.0) + 4, "end", SVG_GREY, ticks[k]);
	}
	action_name(name, p, 1, 0);
	snprintf(text, sizeof(text), "player 1 plays %s", name);
	svg_text(p->out, across(0.5), up(0) + 38, "middle", SVG_BLUE, text);
	action_name(name, p, 2, 0);
	snprintf(text, sizeof(text), "player 2 plays %s", name);
	svg_text(p->out, LEFT - 50, TOP - 14, "start", SVG_ORANGE, text);
}

/*
 * A player's best responses: 'low' is what the first action gains over the second where the other
 * plays the second alone, 'high' where the first.
 */
static void put_responses(const struct picture *p, int player, double low, double high)
{
	const double side[2] = {low > 0, high > 0};
	double at[4][2]; /* the other's mixture, and the own answer */
	int n = 0;

	if (low == 0 && high == 0) {
		gpube__out_printf(p->out,
			"<rect class=\"responses%d\" x=\"%.1f\" y=\"%.1f\" width=\"%d\" "
			"height=\"%d\" fill=\"%s\" fill-opacity=\"0.15\"/>\n",
			player, across(0), up(1), SIDE, SIDE, player == 1 ? SVG_BLUE : SVG_ORANGE);
		return;
	}
	if (low == 0) {
		at[n][0] = 0, at[n++][1] = 1 - side[1];
		at[n][0] = 0, at[n++][1] = side[1];
		at[n][0] = 1, at[n++][1] = side[1];
	} else if (high == 0) {
		at[n][0] = 0, at[n++][1] = side[0];
		at[n][0] = 1, at[n++][1] = side[0];
		at[n][0] = 1, at[n++][1] = 1 - side[0];
	} else {
		const double root = low / (low - high);

		at[n][0] = 0, at[n++][1] = side[0];
		if (side[0] != side[1]) {
			at[n][0] = root, at[n++][1] = side[0];
			at[n][0] = root, at[n++][1] = side[1];
		}
		at[n][0] = 1, at[n++][1] = side[1];
	}
	gpube__out_printf(p->out,
		"<path class=\"responses%d\" fill=\"none\" stroke=\"%s\" stroke-width=\"%d\"%s "
		"d=\"",
		player, player == 1 ? SVG_BLUE : SVG_ORANGE, player == 1 ? 9 : 5,
		player == 1 ? " stroke-opacity=\"0.6\"" : "");
	for (int k = 0; k < n; k++)
		gpube__out_printf(p->out, "%c%.1f %.1f", k ? 'L' : 'M', across(at[k][player == 1]),
			up(at[k][player == 2]));
	gpube__out_text(p->out, "\"/>\n");
}

/* What player's first action gains over the second where the other plays k: its sign is exact. */
static int gain(double *v, const struct picture *p, int player, int k)
{
	int64_t num[2], den[2];
	int status = GPUBE_OK;

	for (int i = 0; i < 2 && !status; i++) {
		const int32_t profile[] = {player == 1 ? i : k, player == 1 ? k : i};

		status = gpube_model_payoff(&num[i], &den[i], p->g, player - 1, profile);
	}
	if (!status)
		*v = (double)((__int128)num[0] * den[1] - (__int128)num[1] * den[0]) /
		     ((double)den[0] * (double)den[1]);
	return status;
}

static int put_both(const struct picture *p)
{
	double low, high;
	int status = GPUBE_OK;

	for (int player = 1; player <= 2 && !status; player++) {
		status = gain(&low, p, player, 1);
		status = status ? status : gain(&high, p, player, 0);
		if (!status)
			put_responses(p, player, low, high);
	}
	return status;
}

/* A maximal Nash subset: a point, a line or the square. */
static void put_subset(const struct picture *p, const struct gpube_nash_subset *s)
{
	double x[2] = {1, 0}, y[2] = {1, 0};

	for (int64_t k = 0; k < s->n_xs; k++) {
		x[0] = fmin(x[0], number(p->found->xs[s->xs[k]].p[0]));
		x[1] = fmax(x[1], number(p->found->xs[s->xs[k]].p[0]));
	}
	for (int64_t k = 0; k < s->n_ys; k++) {
		y[0] = fmin(y[0], number(p->found->ys[s->ys[k]].p[0]));
		y[1] = fmax(y[1], number(p->found->ys[s->ys[k]].p[0]));
	}
	if (x[0] < x[1] && y[0] < y[1])
		gpube__out_printf(p->out,
			"<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"black\" "
			"fill-opacity=\"0.2\"/>\n",
			across(x[0]), up(y[1]), SIDE * (x[1] - x[0]), SIDE * (y[1] - y[0]));
	else if (x[0] < x[1] || y[0] < y[1])
		svg_line(p->out, across(x[0]), up(y[0]), across(x[1]), up(y[1]), "black", 2);
}

/* Beside the square: what the lines are, and what the dots. */
static void put_list(const struct picture *p)
{
	const double x = LEFT + SIDE + 40;
	char a[STRATEGY_BYTES], b[STRATEGY_BYTES], text[2 * STRATEGY_BYTES + 64];
	double y = TOP + 8;

	svg_line(p->out, x, y - 4, x + 24, y - 4, SVG_BLUE, 9);
	svg_text(p->out, x + 32, y, "start", SVG_GREY, "best responses of player 1");
	svg_line(p->out, x, y + 16, x + 24, y + 16, SVG_ORANGE, 5);
	svg_text(p->out, x + 32, y + 20, "start", SVG_GREY, "best responses of player 2");
	y += 52;
	for (int64_t k = 0; k < p->found->n_pairs && k < LISTED; k++, y += 52) {
		const struct gpube_nash_strategy *s = &p->found->xs[p->found->pairs[k].x],
						 *t = &p->found->ys[p->found->pairs[k].y];

		strategy_name(a, p, 1, s);
		strategy_name(b, p, 2, t);
		snprintf(text, sizeof(text), "%lld", (long long)k + 1);
		svg_text(p->out, x, y, "start", "black", text);
		svg_text(p->out, x + 32, y, "start", SVG_BLUE, a);
		svg_text(p->out, x + 32, y + 14, "start", SVG_ORANGE, b);
		snprintf(text, sizeof(text), "payoffs %.40s, %.40s", t->value, s->value);
		svg_text(p->out, x + 32, y + 28, "start", SVG_GREY, text);
	}
}

static int draw_square(const struct picture *p)
{
	char text[32];
	int status;

	svg_begin(p->out, LEFT + SIDE + 40 + BESIDE, TOP + SIDE + 60);
	put_title(p, LEFT - 50);
	put_axes(p);
	status = put_both(p);
	for (int64_t k = 0; p->components && k < p->components->n_subsets; k++)
		put_subset(p, &p->components->subsets[k]);
	for (int64_t k = 0; k < p->found->n_pairs; k++) {
		const double x = across(number(p->found->xs[p->found->pairs[k].x].p[0]));
		const double y = up(number(p->found->ys[p->found->pairs[k].y].p[0]));

		svg_dot(p->out, x, y, 6, "black");
		snprintf(text, sizeof(text), "%lld", (long long)k + 1);
		svg_text(p->out, x + 9, y - 8, "start", "black", text);
	}
	put_list(p);
	svg_end(p->out);
	return status;
}

/* ---- the graph of components
 * ------------------------------------------------------------------------- */

/* row_x, row_y: where a strategy lies in its component's columns; -1: in none so far. */
struct graph {
	const struct picture *p;
	int64_t *row_x, *row_y;
	double y; /* of the component at hand */
	int64_t n_x, n_y;
};

static const char *colour(int64_t k)
{
	static const char *const colours[] = {
		"#4390c6", "#e97f2c", "#4a9c5d", "#8a63b8", "#b0516f", "#7b7b2c"};

	return colours[k % (int64_t)(sizeof(colours) / sizeof(*colours))];
}

/* The rows of component c, counted into n_x and n_y. */
static void place(struct graph *h, int64_t c)
{
	const struct gpube_nash_components *all = h->p->components;

	h->n_x = h->n_y = 0;
	for (int64_t k = 0; k < all->n_subsets; k++) {
		const struct gpube_nash_subset *s = &all->subsets[k];

		if (s->component != c)
			continue;
		for (int64_t i = 0; i < s->n_xs; i++)
			if (h->row_x[s->xs[i]] < 0)
				h->row_x[s->xs[i]] = h->n_x++;
		for (int64_t i = 0; i < s->n_ys; i++)
			if (h->row_y[s->ys[i]] < 0)
				h->row_y[s->ys[i]] = h->n_y++;
	}
}

static int64_t rows(const struct graph *h)
{
	return h->n_x > h->n_y ? h->n_x : h->n_y;
}

/* The shorter column stands in the middle of the longer one. */
static double row_at(const struct graph *h, int player, int64_t row)
{
	return h->y + ROW * (row + (rows(h) - (player == 1 ? h->n_x : h->n_y)) / 2.0);
}

static void put_edge(const struct graph *h, int64_t x, int64_t y, const char *with)
{
	const double from = row_at(h, 1, h->row_x[x]), to = row_at(h, 2, h->row_y[y]),
		     half = (COLUMN_1 + COLUMN_2) / 2.0;

	gpube__out_printf(h->p->out,
		"<path class=\"edge\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\" "
		"stroke-opacity=\"0.7\" d=\"M%d %.1fC%.1f %.1f %.1f %.1f %d %.1f\"/>\n",
		with, COLUMN_1, from, half, from, half, to, COLUMN_2, to);
}

static void put_strategy(
	const struct graph *h, int player, const struct gpube_nash_strategy *s, int64_t row)
{
	const double y = row_at(h, player, row), x = player == 1 ? COLUMN_1 : COLUMN_2;
	char text[STRATEGY_BYTES];

	svg_dot(h->p->out, x, y, 4.5, player == 1 ? SVG_BLUE : SVG_ORANGE);
	strategy_name(text, h->p, player, s);
	svg_text(h->p->out, player == 1 ? x - 12 : x + 12, y + 4, player == 1 ? "end" : "start",
		player == 1 ? SVG_BLUE : SVG_ORANGE, text);
}

static void put_strategies(const struct graph *h)
{
	for (int64_t k = 0; k < h->p->found->n_xs; k++)
		if (h->row_x[k] >= 0)
			put_strategy(h, 1, &h->p->found->xs[k], h->row_x[k]);
	for (int64_t k = 0; k < h->p->found->n_ys; k++)
		if (h->row_y[k] >= 0)
			put_strategy(h, 2, &h->p->found->ys[k], h->row_y[k]);
}

/* Those of a component are forgotten before the next one. */
static void forget(struct graph *h)
{
	for (int64_t k = 0; k < h->p->found->n_xs; k++)
		h->row_x[k] = -1;
	for (int64_t k = 0; k < h->p->found->n_ys; k++)
		h->row_y[k] = -1;
	h->n_x = h->n_y = 0;
}

/* An isolated equilibrium whose strategy leaves room for the heading beside it. */
static bool is_short(const struct graph *h)
{
	char text[STRATEGY_BYTES];
	int64_t x = 0;

	if (h->n_x != 1 || h->n_y != 1)
		return false;
	while (h->row_x[x] < 0)
		x++;
	strategy_name(text, h->p, 1, &h->p->found->xs[x]);
	return strlen(text) <= SHORT_NAME;
}

static void put_heading(struct graph *h, int64_t c, bool draw)
{
	const struct gpube_nash_components *all = h->p->components;
	const bool beside = is_short(h);
	int64_t n = 0;
	char text[160];

	for (int64_t k = 0; k < all->n_subsets; k++)
		n += all->subsets[k].component == c;
	if (h->n_x == 1 && h->n_y == 1)
		snprintf(text, sizeof(text), "component %lld", (long long)c + 1);
	else
		snprintf(text, sizeof(text),
			"component %lld: %lld and %lld strateg%s, %lld maximal Nash subset%s",
			(long long)c + 1, (long long)h->n_x, (long long)h->n_y,
			h->n_y == 1 ? "y" : "ies", (long long)n, gpube__plural(n));
	if (draw)
		svg_text(h->p->out, 24, h->y + (beside ? 4 : 0), "start", SVG_GREY, text);
	h->y += beside ? 0 : GAP;
}

/* A component, or, of one that is too large, its sizes; 'draw': otherwise it is but measured. */
static void put_component(struct graph *h, int64_t c, bool draw)
{
	const struct gpube_nash_components *all = h->p->components;

	forget(h);
	place(h, c);
	put_heading(h, c, draw);
	if (rows(h) > MOST_ROWS)
		return;
	for (int64_t k = 0; draw && k < all->n_subsets; k++) {
		const struct gpube_nash_subset *s = &all->subsets[k];

		for (int64_t i = 0; s->component == c && i < s->n_xs; i++)
			for (int64_t j = 0; j < s->n_ys; j++)
				put_edge(h, s->xs[i], s->ys[j], colour(k));
	}
	if (draw)
		put_strategies(h);
	h->y += (double)(ROW * rows(h)) + (is_short(h) ? 4 : GAP / 2.0);
}

/* Of what is not complete there are no components: the pairs that were found. */
static void put_pairs(struct graph *h, bool draw)
{
	const struct gpube_nash_result *f = h->p->found;
	int64_t n = 0;

	forget(h);
	for (; n < f->n_pairs && h->n_x < MOST_ROWS && h->n_y < MOST_ROWS; n++) {
		if (h->row_x[f->pairs[n].x] < 0)
			h->row_x[f->pairs[n].x] = h->n_x++;
		if (h->row_y[f->pairs[n].y] < 0)
			h->row_y[f->pairs[n].y] = h->n_y++;
	}
	h->y += GAP;
	for (int64_t k = 0; draw && k < n; k++)
		put_edge(h, f->pairs[k].x, f->pairs[k].y, "#888888");
	if (draw)
		put_strategies(h);
	h->y += (double)(ROW * rows(h));
	if (n < f->n_pairs) {
		char text[64];

		snprintf(text, sizeof(text), "and %lld more", (long long)(f->n_pairs - n));
		if (draw)
			svg_text(h->p->out, 24, h->y + 10, "start", SVG_GREY, text);
		h->y += GAP;
	}
}

/* All of it from 'y' on; *height: where it ends. */
static void put_graph(struct graph *h, bool draw)
{
	const struct gpube_nash_components *all = h->p->components;
	int64_t c = 0;

	h->y = TOP;
	if (!all) {
		put_pairs(h, draw);
		return;
	}
	for (; c < all->n_components && h->y < TOP + ROW * MOST_ROWS; c++)
		put_component(h, c, draw);
	if (c < all->n_components) {
		char text[64];

		snprintf(text, sizeof(text), "and %lld component%s more",
			(long long)(all->n_components - c), gpube__plural(all->n_components - c));
		if (draw)
			svg_text(h->p->out, 24, h->y, "start", SVG_GREY, text);
		h->y += GAP;
	}
}

static int draw_components(const struct picture *p)
{
	struct graph h = {.p = p};
	int status = GPUBE_ENOMEM;

	h.row_x = gpube__alloc(p->ctx, (uint64_t)p->found->n_xs + 1, sizeof(*h.row_x));
	h.row_y = gpube__alloc(p->ctx, (uint64_t)p->found->n_ys + 1, sizeof(*h.row_y));
	if (h.row_x && h.row_y) {
		status = GPUBE_OK;
		put_graph(&h, false);
		svg_begin(p->out, WIDE, (int)h.y + 10);
		put_title(p, 24);
		svg_text(p->out, COLUMN_1, 44, "end", SVG_BLUE, "player 1 plays");
		svg_text(p->out, COLUMN_2, 44, "start", SVG_ORANGE, "player 2 plays");
		put_graph(&h, true);
		svg_end(p->out);
	}
	gpube__free(p->ctx, h.row_x);
	gpube__free(p->ctx, h.row_y);
	return status;
}

int nash_picture_write(const char *path, struct gpube_ctx *ctx, const char *file,
	const struct gpube_model *g, const struct gpube_nash_result *found,
	const struct gpube_nash_components *components)
{
	struct gpube_out out;
	const struct picture p = {&out, ctx, file, g, found, components};
	int closed, status = gpube__out_open(&out, ctx, path);

	if (status)
		return status;
	status = gpube_model_domain(g, 0) == 2 && gpube_model_domain(g, 1) == 2
			 ? draw_square(&p)
			 : draw_components(&p);
	closed = gpube__out_close(&out, status == GPUBE_OK);
	return status ? status : closed;
}
