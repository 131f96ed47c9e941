/* coalitions.c - see coalitions.h. */
#include "gpube/cli/coalitions.h"

#include <math.h>

const char *const csg_status_words[] = {
	[CSG_OPTIMAL] = "optimal",
	[CSG_INFEASIBLE] = "infeasible",
	[CSG_BOUNDS] = "bounds",
	[CSG_INCOMPLETE] = "incomplete",
};

void text_number(struct gpube_out *out, const struct csg_result *r, double v, int64_t exact)
{
	if (r->is_int && fabs(v) < 0x1p63)
		gpube__out_int(out, exact);
	else
		gpube__out_real(out, v);
}

static void text_part(struct gpube_out *out, uint64_t part)
{
	const char *before = "{";

	for (; part; part &= part - 1, before = ",")
		gpube__out_printf(out, "%s%d", before, __builtin_ctzll(part) + 1);
	gpube__out_text(out, "}");
}

void text_parts(struct gpube_out *out, const struct csg_result *r)
{
	for (int k = 0; k < r->n_parts; k++) {
		gpube__out_text(out, " ");
		text_part(out, r->parts[k]);
	}
	gpube__out_text(out, "\n");
}

void json_number(
	struct json *j, const char *key, const struct csg_result *r, double v, int64_t exact)
{
	if (r->is_int && isfinite(v))
		json_int(j, key, exact);
	else
		json_real(j, key, v);
}

void json_parts(struct json *j, const char *key, const struct csg_result *r)
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
