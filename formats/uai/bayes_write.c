/*
 * bayes_write.c - .bif and XMLBIF of Bayesian networks: those in which every variable is the last
 * one in the scope of one function. Potentials are written as they are.
 */
#include <string.h>

#include "formats/common/conditional.h"
#include "formats/common/registry.h"

struct writer {
	const struct gpube_model *m;
	struct gpube_out *out;
	bool xml;
};

/*
 * A name, raw if it is a word, otherwise in quotes, or as XML; what neither has a place for becomes
 * '_'. letter and index: of what has none.
 */
static void put(const struct writer *w, const char *before, const char *name, char letter,
	int32_t index, const char *after)
{
	const bool quoted =
		!w->xml && name &&
		(strpbrk(name, " {}()[]|,;") || strstr(name, "//") || strstr(name, "/*"));

	gpube__out_text(w->out, before);
	gpube__out_text(w->out, quoted ? "\"" : "");
	if (!name || !*name)
		gpube__out_printf(w->out, "%c%d", letter, index);
	while (name && *name) {
		const int n = gpube__character(name);

		if (!n || (unsigned char)*name < ' ' || *name == 0x7f || (!w->xml && *name == '"'))
			gpube__out_text(w->out, "_");
		else if (w->xml && strchr("&<>", *name))
			gpube__out_printf(w->out, "&#%d;", *name);
		else
			gpube__out_bytes(w->out, name, (size_t)n);
		name += n ? n : 1;
	}
	gpube__out_text(w->out, quoted ? "\"" : "");
	gpube__out_text(w->out, after);
}

static void put_variable(const struct writer *w, const char *before, int32_t i, const char *after)
{
	put(w, before, w->m->vars[i].name, 'x', i, after);
}

static void put_value(
	const struct writer *w, const char *before, int32_t i, int32_t a, const char *after)
{
	const struct gpube_variable *v = &w->m->vars[i];

	put(w, before, v->value_names ? v->value_names[a] : NULL, 'v', a, after);
}

static void write_variable(const struct writer *w, int32_t i)
{
	const int32_t domain = w->m->vars[i].domain;

	if (w->xml)
		put_variable(w, "<VARIABLE TYPE=\"nature\">\n\t<NAME>", i, "</NAME>\n");
	else
		put_variable(w, "variable ", i, " {\n  type discrete [ ");
	if (!w->xml)
		gpube__out_printf(w->out, "%d ] {", domain);
	for (int32_t a = 0; a < domain; a++)
		put_value(w,
			w->xml ? "\t<OUTCOME>"
			: a    ? ", "
			       : " ",
			i, a, w->xml ? "</OUTCOME>\n" : "");
	gpube__out_text(w->out, w->xml ? "</VARIABLE>\n" : " };\n}\n");
}

/* What stands before a row's probabilities in a .bif: "  (yes, no) ". */
static void write_row_head(const struct writer *w, const int32_t *scope, int arity, int64_t row)
{
	int64_t rest = gpube__cells(w->m, arity - 1, scope);

	for (int k = 0; k < arity - 1; k++) {
		rest /= w->m->vars[scope[k]].domain;
		put_value(w, k ? ", " : "  (", scope[k],
			(int32_t)(row / rest % w->m->vars[scope[k]].domain), "");
	}
	gpube__out_text(w->out, arity > 1 ? ") " : "  table ");
}

static void write_table(const struct writer *w, int32_t f)
{
	const struct gpube_table *t = gpube__table(w->m, f);
	const int32_t *scope = gpube__scope(w->m, f);
	const int32_t child = scope[t->arity - 1], domain = w->m->vars[child].domain;
	const char *end = w->xml ? "\n" : ";\n";

	put_variable(w, w->xml ? "<DEFINITION>\n\t<FOR>" : "probability ( ", child,
		w->xml ? "</FOR>\n" : "");
	for (int k = 0; k < t->arity - 1; k++)
		put_variable(w,
			w->xml ? "\t<GIVEN>"
			: k    ? ", "
			       : " | ",
			scope[k], w->xml ? "</GIVEN>\n" : "");
	gpube__out_text(w->out, w->xml ? "\t<TABLE>\n" : " ) {\n");
	for (int64_t k = 0; k < t->n && !w->out->status; k++) {
		if (!w->xml && k % domain == 0)
			write_row_head(w, scope, t->arity, k / domain);
		gpube__out_scaled(w->out, gpube__table_stored(t, k), t->power);
		gpube__out_text(w->out, (k + 1) % domain == 0 ? end : w->xml ? " " : ", ");
	}
	gpube__out_text(w->out, w->xml ? "\t</TABLE>\n</DEFINITION>\n" : "}\n");
}

/* Is each function the table of a variable that has none before? */
static bool is_network(const struct gpube_model *m, bool *has)
{
	bool is = m->kind == GPUBE_POTENTIALS && m->n_functions == m->n_vars;

	for (int32_t f = 0; f < m->n_functions && is; f++) {
		const int arity = m->functions[f].arity;
		const int32_t child = arity ? gpube__scope(m, f)[arity - 1] : 0;

		is = arity && !has[child] && !gpube__table(m, f)->sparse &&
		     (m->bayes || gpube__is_conditional(m, f)); /* it may be built by calls */
		has[child] = true;
	}
	return is;
}

static int write_network(const struct gpube_model *m, struct gpube_out *out, bool xml)
{
	const struct writer w = {m, out, xml};
	bool *has = gpube__alloc_zero(m->ctx, (uint64_t)m->n_vars + 1, sizeof(*has));
	const bool is = has && is_network(m, has);

	gpube__free(m->ctx, has);
	if (has && !is)
		return gpube__fail(m->ctx, GPUBE_EINVAL,
			"'%s': the model is no Bayesian network of a conditional table for each "
			"variable: .uai can hold it",
			out->path);
	if (!has)
		return GPUBE_ENOMEM;
	gpube__out_text(out, xml ? "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
				   "<BIF VERSION=\"0.3\">\n<NETWORK>\n<NAME>unknown</NAME>\n"
				 : "network unknown {\n}\n");
	for (int32_t i = 0; i < m->n_vars; i++)
		write_variable(&w, i);
	for (int32_t f = 0; f < m->n_functions; f++)
		write_table(&w, f);
	gpube__out_text(out, xml ? "</NETWORK>\n</BIF>\n" : "");
	return out->status;
}

int gpube__bif_write(const struct gpube_model *m, struct gpube_out *out)
{
	return write_network(m, out, false);
}

int gpube__xmlbif_write(const struct gpube_model *m, struct gpube_out *out)
{
	return write_network(m, out, true);
}
