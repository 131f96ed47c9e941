/*
 * draw_style.h - colours of sizes, and the legend that says what they mean.
 *
 * Numbers of values are blue and numbers of cells are orange, the darker the larger, in steps that
 * are the same for every picture, so that two pictures can be compared.
 */
#ifndef GPUBE_CLI_DRAW_STYLE_H
#define GPUBE_CLI_DRAW_STYLE_H

#include "formats/io/io.h"

enum { STYLE_STEPS = 7 };

/* What colours a picture has used, and what else its legend explains. */
struct style {
	bool values[STYLE_STEPS], cells[STYLE_STEPS];
	bool own_costs, observed, hidden, largest;
};

/* fillcolor=…, fontcolor=… of a node, noted for the legend. */
void style_values(struct gpube_out *out, struct style *s, double n_values);
void style_cells(struct gpube_out *out, struct style *s, double n_cells);
/* The colour of a line that stands for so many cells. */
const char *style_line(struct style *s, double n_cells);

/* The graph's label: what the colours that were used mean. */
void style_legend(struct gpube_out *out, const struct style *s);

#endif
