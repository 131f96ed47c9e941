/* svg.h - the words of an SVG, and the colours of two sides, for pictures that Graphviz has no part
 * in. */
#ifndef GPUBE_CLI_SVG_H
#define GPUBE_CLI_SVG_H

#include "formats/io/io.h"

/* Lower and upper, player 1 and 2: told apart by those who see few colours, too. */
#define SVG_BLUE   "#1f6bab"
#define SVG_ORANGE "#cf4c12"
#define SVG_GREY   "#444444" /* of words */
#define SVG_PALE   "#dddddd" /* of lines that help */
/* Of bars: what may be, and what could have been. */
#define SVG_BLUE_PALE "#9cc3e3"
#define SVG_FAINT     "#f1f1f1"

void svg_begin(struct gpube_out *out, int width, int height);
void svg_end(struct gpube_out *out);
/* anchor: "start", "middle" or "end" */
void svg_text(struct gpube_out *out, double x, double y, const char *anchor, const char *colour,
	const char *text);
void svg_line(struct gpube_out *out, double x1, double y1, double x2, double y2, const char *colour,
	double width);
/* A rectangle from its upper left corner. */
void svg_bar(
	struct gpube_out *out, double x, double y, double width, double height, const char *colour);
void svg_dot(struct gpube_out *out, double x, double y, double radius, const char *colour);

/* What stands behind the last slash. */
const char *svg_file_name(const char *path);

#endif
