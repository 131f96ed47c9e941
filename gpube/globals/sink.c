/* sink.c - see sink.h. */
#include "gpube/globals/sink.h"

#include <stdio.h>
#include <string.h>

#include "gpube/ir/tuples.h"

enum { TEXT_BYTES = 512 };

int(gpube__sink_error)(const struct gpube_sink *s, const char *fmt, ...)
{
	char text[TEXT_BYTES];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return s->tell(s->of, GPUBE_EPARSE, text);
}

int(gpube__sink_fail)(const struct gpube_sink *s, enum gpube_status status, const char *fmt, ...)
{
	char text[TEXT_BYTES];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return s->tell(s->of, status, text);
}

int gpube__charge(const struct gpube_sink *s, int64_t n, int64_t each, const char *what)
{
	return s->allows(s->of, n, each) ? GPUBE_OK
					 : gpube__sink_fail(s, GPUBE_ELIMIT,
						   "%s: more than the memory allowed", what);
}

int gpube__charge_var(const struct gpube_sink *s, int32_t n_vars, int64_t domain)
{
	char what[64];

	if (s->allows(s->of, 1, GPUBE_VARIABLE_BYTES + domain * GPUBE_VALUE_BYTES))
		return GPUBE_OK;
	/* what is named takes most: a few values of many variables, or many values */
	if (domain < n_vars)
		snprintf(what, sizeof(what), "%d variables", n_vars);
	else
		snprintf(what, sizeof(what), "a domain of %lld values", (long long)domain);
	return gpube__sink_fail(s, GPUBE_ELIMIT, "%s: more than the memory allowed", what);
}

int gpube__charge_filled(const struct gpube_sink *s, int arity, const int32_t *domains)
{
	enum { CELL_BYTES = 16 }; /* 8, and a copy with the type that is needed */
	int64_t cells = 1;

	if (arity > GPUBE_FILLED_ARITY)
		return GPUBE_OK;
	for (int k = 0; k < arity; k++)
		cells = gpube__mul_size(cells, domains[k]);
	if (cells < 0 || cells > GPUBE_FILLED_CELLS)
		return GPUBE_OK;
	return gpube__charge(s, cells, CELL_BYTES, "tables that are filled with a default");
}

int gpube__charge_cells(const struct gpube_sink *s, int64_t cells, const char *name)
{
	enum { FUNCTION_BYTES = 256, CELL_BYTES = 24 };
	const int64_t bytes = FUNCTION_BYTES + (name ? (int64_t)strlen(name) : 0);
	const int status = gpube__charge(s, 1, bytes, "functions that are expanded");

	return status ? status : gpube__charge(s, cells, CELL_BYTES, "functions that are expanded");
}

int gpube__refuse_cells(
	const struct gpube_sink *s, const char *what, int arity, int64_t cells, const char *why)
{
	char number[32] = "more than 2^63";

	if (cells >= 0)
		snprintf(number, sizeof(number), "%lld", (long long)cells);
	return gpube__sink_fail(s, GPUBE_ERANGE,
		"%s over %d variable%s has %s tuples: at most %lld are expanded%s", what, arity,
		gpube__plural(arity), number, (long long)GPUBE_EXPAND_CELLS, why);
}
