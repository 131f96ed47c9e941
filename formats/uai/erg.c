/*
 * erg.c - Ergo's .erg: Bayesian networks, one conditional table for each variable.
 *
 *   N                       variables
 *   d_1 … d_N               domains
 *   k p_1 … p_k             for each variable: its parents
 *   size v_1 … v_size       for each: P(variable | parents), the variable itself fastest
 *   name                    for each, optional
 *   label_1 … label_d       for each, optional
 *
 * Comments are as in C; the usual files head their sections with them. Evidence is
 * in x.erg.evid, as for .uai, with such a comment in front.
 */
#include <stdio.h>
#include <string.h>

#include "formats/common/reading.h"
#include "formats/common/registry.h"
#include "formats/uai/uai.h"

/* A word as it stands in the file; *text is the caller's. */
static int read_word(struct gpube_in *in, char **text, const char *what)
{
	char token[256];

	if (gpube__in_token(in, token, what))
		return in->status;
	*text = gpube__strdup(in->ctx, token);
	return *text ? GPUBE_OK : (in->status = GPUBE_ENOMEM);
}

static int read_names(struct gpube_model *m, struct gpube_in *in)
{
	for (int32_t i = 0; i < m->n_vars; i++)
		if (read_word(in, &m->vars[i].name, "the name of a variable"))
			return in->status;
	if (gpube__in_at_end(in))
		return in->status;
	for (int32_t i = 0; i < m->n_vars; i++) {
		struct gpube_variable *v = &m->vars[i];

		v->value_names =
			gpube__alloc_zero(m->ctx, (uint64_t)v->domain, sizeof(*v->value_names));
		if (!v->value_names)
			return in->status = GPUBE_ENOMEM;
		for (int32_t a = 0; a < v->domain; a++)
			if (read_word(in, &v->value_names[a], "the label of a value"))
				return in->status;
	}
	return GPUBE_OK;
}

int gpube__erg_read(struct gpube_model *m, struct gpube_in *in)
{
	static const struct gpube_uai_words words = {
		"variable", "number of parents", "parent", "probability", true, NULL};
	int status;

	in->comment = '/';
	m->bayes = true;
	status = gpube__uai_domains(m, in);
	if (!status)
		status = gpube__uai_functions(m, in, m->n_vars, &words);
	if (!status && !gpube__in_at_end(in))
		status = read_names(m, in);
	return status ? status : in->status;
}
