/* reading.c - see reading.h. */
#include "formats/reading.h"

#include <string.h>

int gpube__add_vars(struct gpube_model *m, struct gpube_in *in, int64_t n, int32_t domain)
{
	int64_t all = m->n_vars + n;

	if (all > INT32_MAX || (uint64_t)all * sizeof(*m->vars) > m->ctx->memory_bytes)
		return gpube__in_fail(in, GPUBE_ELIMIT,
			"%lld variables take more than the memory allowed", (long long)all);
	/* at once: a line of ten bytes may declare millions */
	if (gpube__grow(m->ctx, &m->vars, &m->vars_capacity, all, sizeof(*m->vars)))
		return in->status = GPUBE_ENOMEM;
	while (m->n_vars < all)
		m->vars[m->n_vars++] = (struct gpube_variable){.domain = domain};
	return GPUBE_OK;
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
