/*
 * contents_check.c - what was written is read back and compared; see contents.h. Models:
 * formats/write.c.
 */
#include <string.h>

#include "gpube/base/base.h"
#include "gpube/cli/session/contents.h"

static bool same_array(const void *a, const void *b, int64_t n, size_t size)
{
	return !a == !b && (!a || n == 0 || memcmp(a, b, (size_t)n * size) == 0);
}

static bool same_result(const struct gpube_uai_result *a, const struct gpube_uai_result *b)
{
	int64_t n = 0;

	if (a->task != b->task || a->n != b->n ||
		(a->task == GPUBE_UAI_PR && a->log10_value != b->log10_value))
		return false;
	for (int32_t v = 0; a->domains && v < a->n; v++)
		n += a->domains[v];
	return same_array(a->vars, b->vars, a->n, sizeof(*a->vars)) &&
	       same_array(a->values, b->values, a->n, sizeof(*a->values)) &&
	       same_array(a->domains, b->domains, a->n, sizeof(*a->domains)) &&
	       same_array(a->marginals, b->marginals, n, sizeof(*a->marginals));
}

int contents_check(const struct contents *c, struct gpube_ctx *ctx, const char *path)
{
	static const struct opts_read plain;
	struct contents back;
	int status = contents_read(&back, ctx, path, &plain);

	if (!status && (back.kind != c->kind || !c->result || !same_result(c->result, back.result)))
		status = gpube__fail(ctx, GPUBE_EBUG,
			"internal error: '%s', read back, is not what was written; please report "
			"this",
			path);
	contents_clear(&back);
	return status;
}
