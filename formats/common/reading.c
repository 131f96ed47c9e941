/* reading.c - see reading.h. */
#include "formats/common/reading.h"

#include <string.h>

int gpube__add_vars(struct gpube_model *m, struct gpube_in *in, int64_t n, int32_t domain)
{
	int64_t all = m->n_vars + n;

	if (all > INT32_MAX)
		return gpube__in_fail(in, GPUBE_ELIMIT, "%lld variables: at most %d are read",
			(long long)all, INT32_MAX);
	if (gpube__in_charge(in, n, GPUBE_VARIABLE_BYTES + (int64_t)domain * GPUBE_VALUE_BYTES,
		    "%lld variables", (long long)all))
		return in->status;
	/* at once: a line of ten bytes may declare millions */
	if (gpube__grow(m->ctx, &m->vars, &m->vars_capacity, all, sizeof(*m->vars)))
		return in->status = GPUBE_ENOMEM;
	while (m->n_vars < all)
		m->vars[m->n_vars++] = (struct gpube_variable){.domain = domain};
	return GPUBE_OK;
}

int gpube__add_var(
	struct gpube_model *m, struct gpube_in *in, int32_t *var, int64_t domain, const char *name)
{
	int status = gpube__in_charge(in, 1, GPUBE_VARIABLE_BYTES + domain * GPUBE_VALUE_BYTES,
		"a domain of %lld values", (long long)domain);

	if (!status)
		status = gpube_model_add_var(m, var, (int32_t)domain, name);
	return in->status ? in->status : (in->status = status);
}

int gpube__name_value(struct gpube_variable *v, struct gpube_in *in, int32_t k, const char *name)
{
	enum { KEPT = 32 }; /* what the pointer and the allocator take besides */

	if (gpube__in_charge(in, 1, (int64_t)strlen(name) + KEPT, "names of values"))
		return in->status;
	v->value_names[k] = gpube__strdup(in->ctx, name);
	return v->value_names[k] ? GPUBE_OK : (in->status = GPUBE_ENOMEM);
}

int gpube__charge_dense(struct gpube_in *in, int arity, const int32_t *domains)
{
	enum { CELL_BYTES = 16 }; /* 8, and a copy with the type that is needed */
	int64_t cells = 1;

	if (arity > GPUBE_FILLED_ARITY)
		return GPUBE_OK;
	for (int k = 0; k < arity; k++)
		cells = gpube__mul_size(cells, domains[k]);
	if (cells < 0 || cells > GPUBE_FILLED_CELLS)
		return GPUBE_OK;
	return gpube__in_charge(in, cells, CELL_BYTES, "tables that are filled with a default");
}

int gpube__charge_expanded(struct gpube_in *in, int64_t cells, const char *name)
{
	enum { FUNCTION_BYTES = 256, CELL_BYTES = 24 };
	int64_t bytes = FUNCTION_BYTES + (name ? (int64_t)strlen(name) : 0);

	if (gpube__in_charge(in, 1, bytes, "functions that are expanded"))
		return in->status;
	return gpube__in_charge(in, cells, CELL_BYTES, "functions that are expanded");
}

static bool is_blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

bool gpube__in_line_ended(struct gpube_in *in)
{
	while (gpube__in_fill(in) && *in->p != '\n' && is_blank(*in->p))
		in->p++;
	return !gpube__in_fill(in) || *in->p == '\n';
}

bool gpube__in_skip_c_comments(struct gpube_in *in)
{
	while (!gpube__in_at_end(in)) {
		if (gpube__in_need(in, 2) < 2 || in->p[0] != '/' || in->p[1] != '*')
			return true;
		for (in->p += 2; gpube__in_need(in, 2) >= 2; in->p++) {
			if (in->p[0] == '*' && in->p[1] == '/')
				break;
			in->line += *in->p == '\n';
		}
		if (gpube__in_need(in, 2) < 2) {
			gpube__in_error(in, "a comment without its end");
			return false;
		}
		in->p += 2;
	}
	return false;
}

bool gpube__dimacs_next(struct gpube_in *in)
{
	while (!gpube__in_at_end(in)) {
		if (*in->p != 'c' || (gpube__in_need(in, 2) >= 2 && !is_blank(in->p[1])))
			return true;
		gpube__in_skip_line(in);
	}
	return false;
}

const char *gpube__dimacs_skip(const char *text)
{
	for (;;) {
		text += strspn(text, " \t\n\v\f\r");
		if (*text != 'c' || (text[1] && !is_blank(text[1])))
			return text;
		text += strcspn(text, "\n");
	}
}
