/* simplify_map.c - see simplify_map.h. */
#include "gpube/cli/simplify_map.h"

#include <stdio.h>

#include "formats/common/named.h"
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

/* Whether no two values of the simplified variable stand for one value of variable i. */
static bool is_itself(
	bool *itself, const struct gpube_simplified *s, const struct gpube_model *m, int32_t i)
{
	const int32_t n = s->model->vars[s->var[i]].domain;
	bool *seen;

	*itself = true;
	if (!s->values[i])
		return true;
	seen = gpube__alloc_zero(m->ctx, (uint64_t)m->vars[i].domain, sizeof(*seen));
	for (int32_t a = 0; seen && a < n; a++) {
		*itself = *itself && !seen[s->values[i][a]];
		seen[s->values[i][a]] = true;
	}
	gpube__free(m->ctx, seen);
	return seen != NULL;
}

static int name_values(
	struct gpube_simplified *s, const struct gpube_model *m, int32_t i, int32_t var)
{
	const int32_t n = s->model->vars[var].domain;
	char(*texts)[GPUBE_NAMED_TEXT] = NULL;
	const char **names;
	int status = GPUBE_ENOMEM;

	if (!m->vars[i].value_names && !s->values[i])
		return GPUBE_OK;
	names = gpube__alloc(m->ctx, (uint64_t)n, sizeof(*names));
	texts = gpube__alloc(m->ctx, (uint64_t)n, sizeof(*texts));
	for (int32_t a = 0; names && texts && a < n; a++) {
		const int32_t value = s->values[i] ? s->values[i][a] : a;
		const char *own = gpube_model_value_name(m, i, value);

		names[a] = own ? own : gpube__value_text(texts[a], m, i, value);
	}
	if (names && texts)
		status = gpube__put_value_names(s->model, var, names);
	gpube__free(m->ctx, names);
	gpube__free(m->ctx, texts);
	return status;
}

int simplify_map_names(struct gpube_simplified *s, const struct gpube_model *m)
{
	int status = GPUBE_OK;

	for (int32_t i = 0; !status && gpube__has_names(m) && i < s->n_vars; i++) {
		struct gpube_variable *v = s->var[i] < 0 ? NULL : &s->model->vars[s->var[i]];
		bool itself;

		if (!v || v->name || !m->vars[i].name || m->vars[i].hidden)
			continue;
		if (!is_itself(&itself, s, m, i))
			return GPUBE_ENOMEM;
		if (!itself)
			continue;
		v->name = gpube__strdup(m->ctx, m->vars[i].name);
		status = v->name ? name_values(s, m, i, s->var[i]) : GPUBE_ENOMEM;
	}
	return status;
}
