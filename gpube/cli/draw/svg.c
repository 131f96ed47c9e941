/* svg.c - see svg.h. */
#include "gpube/cli/draw/svg.h"

#include <string.h>

#include "gpube/cli/session/json.h"

void svg_begin(struct gpube_out *out, int width, int height)
{
	gpube__out_printf(out,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 "
		"0 %d %d\" font-family=\"Helvetica, Arial, sans-serif\" font-size=\"12\">\n"
		"<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n",
		width, height, width, height);
}

void svg_end(struct gpube_out *out)
{
	gpube__out_text(out, "</svg>\n");
}

void svg_text(struct gpube_out *out, double x, double y, const char *anchor, const char *colour,
	const char *text)
{
	gpube__out_printf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"%s\">", x, y,
		anchor, colour);
	for (int n; *text; text += n ? n : 1) {
		n = gpube__character(text);
		if (*text == '<' || *text == '&')
			gpube__out_text(out, *text == '<' ? "&lt;" : "&amp;");
		else if ((unsigned char)*text < ' ' || n == 0)
			gpube__out_text(
				out, n ? " " : "\xef\xbf\xbd"); /* U+FFFD: XML has no other bytes */
		else
			gpube__out_bytes(out, text, (size_t)n);
	}
	gpube__out_text(out, "</text>\n");
}

void svg_line(struct gpube_out *out, double x1, double y1, double x2, double y2, const char *colour,
	double width)
{
	gpube__out_printf(out,
		"<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"%s\" "
		"stroke-width=\"%g\"/>\n",
		x1, y1, x2, y2, colour, width);
}

void svg_bar(
	struct gpube_out *out, double x, double y, double width, double height, const char *colour)
{
	gpube__out_printf(out,
		"<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n", x, y,
		width, height, colour);
}

void svg_dot(struct gpube_out *out, double x, double y, double radius, const char *colour)
{
	gpube__out_printf(out,
		"<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%g\" fill=\"%s\" stroke=\"white\"/>\n", x, y,
		radius, colour);
}

const char *svg_file_name(const char *path)
{
	const char *name = strrchr(path, '/');

	return name ? name + 1 : path;
}
