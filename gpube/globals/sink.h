/*
 * sink.h - who is told what is wrong with a function, and asked before memory is taken for it: the
 * stream that a reader reads, which knows file and line, or a call of a program. Internal.
 */
#ifndef GPUBE_SINK_H
#define GPUBE_SINK_H

#include "gpube/ir/model.h"

/* Most cells of a table that a function is expanded to. */
#define GPUBE_EXPAND_CELLS ((int64_t)1 << 24)

/*
 * tell    the first failure is kept, and returned by all that come after it; text NULL: that of the
 *         context stands already; OK fails nothing
 * allows  whether there is memory for n times 'each' bytes more, which are charged then
 * note    what is worth knowing about a function that is taken
 */
struct gpube_sink {
	struct gpube_ctx *ctx;
	void *of;
	int (*tell)(void *of, enum gpube_status status, const char *text);
	bool (*allows)(void *of, int64_t n, int64_t each);
	void (*note)(void *of, const char *text);
};

/* EPARSE, of what was given; callers of programs get EINVAL. Lower case, no full stop. */
int gpube__sink_error(const struct gpube_sink *s, const char *fmt, ...) GPUBE_PRINTF(2, 3);
int gpube__sink_fail(const struct gpube_sink *s, enum gpube_status status, const char *fmt, ...)
	GPUBE_PRINTF(3, 4);

/* A status that has its text, or OK; returns the first failure so far. */
static inline int gpube__sink_pass(const struct gpube_sink *s, int status)
{
	return s->tell(s->of, (enum gpube_status)status, NULL);
}

static inline int gpube__sink_status(const struct gpube_sink *s)
{
	return gpube__sink_pass(s, GPUBE_OK);
}

#ifdef __clang_analyzer__
/* which cannot see that none of them returns OK */
#define gpube__sink_error(s, ...)        ((gpube__sink_error)(s, __VA_ARGS__), (int)GPUBE_EPARSE)
#define gpube__sink_fail(s, status, ...) ((gpube__sink_fail)(s, status, __VA_ARGS__), (int)(status))
#endif

/*
 * What a variable and each of its values are charged as: the most that the model, simplifying,
 * ordering and eliminating take for one that is in no function.
 */
enum { GPUBE_VARIABLE_BYTES = 256, GPUBE_VALUE_BYTES = 32 };

/* ELIMIT "WHAT: more than the memory allowed" of all of them. */
int gpube__charge(const struct gpube_sink *s, int64_t n, int64_t each, const char *what);
int gpube__charge_var(const struct gpube_sink *s, int32_t n_vars, int64_t domain);
/*
 * A table that may be filled with a default: few variables and cells make it dense, however few of
 * them are listed.
 */
int gpube__charge_filled(const struct gpube_sink *s, int arity, const int32_t *domains);
/* A function that is expanded to so many cells; its name, maybe NULL, is copied. */
int gpube__charge_cells(const struct gpube_sink *s, int64_t cells, const char *name);
/*
 * ERANGE "WHAT over 30 variables has 1073741824 tuples: at most 16777216 are expanded", and why;
 * cells -1: more than 2^63
 */
int gpube__refuse_cells(
	const struct gpube_sink *s, const char *what, int arity, int64_t cells, const char *why);

#endif
