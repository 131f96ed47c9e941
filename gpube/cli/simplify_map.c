/* simplify_map.c - see simplify_map.h. */
#include "gpube/cli/simplify_map.h"

#include "formats/io/io.h"

int simplify_map_write(
	struct gpube_ctx *ctx, const struct gpube_simplified *simplified, const char *path)
{
	struct gpube_out out;

	if (gpube__out_open(&out, ctx, path))
		return out.status;
	gpube__out_printf(&out, "gpube-map 1\nvariables %d %d\nnegated %d\n", simplified->n_vars,
		simplified->model->n_vars, simplified->negated);
	for (int32_t i = 0; i < simplified->n_vars; i++) {
		int32_t var = simplified->var[i];

		if (var < 0) {
			gpube__out_printf(&out, "%d value %d\n", i, simplified->value[i]);
			continue;
		}
		gpube__out_printf(&out, "%d variable %d", i, var);
		for (int32_t a = 0;
			simplified->values[i] && a < simplified->model->vars[var].domain; a++)
			gpube__out_printf(&out, " %d", simplified->values[i][a]);
		gpube__out_text(&out, "\n");
	}
	return gpube__out_close(&out, true);
}
