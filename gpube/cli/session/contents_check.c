/*
 * contents_check.c - what was written is read back and compared; see contents.h. Models:
 * formats/write.c.
 */
#include <string.h>

#include "gpube/cli/session/contents.h"
#include "nash/bimatrix.h"

static bool same_number(const struct nash_number *a, const struct nash_number *b)
{
	if (a->text || b->text)
		return a->text && b->text && strcmp(a->text, b->text) == 0;
	return (__int128)a->num * b->den == (__int128)b->num * a->den;
}

static bool same_game(const struct nash_game *a, const struct nash_game *b)
{
	bool same = a->m == b->m && a->n == b->n;

	for (int p = 0; p < 2; p++)
		for (int64_t k = 0; same && k < (int64_t)a->m * a->n; k++)
			same = same_number(&a->payoffs[p][k], &b->payoffs[p][k]);
	return same;
}

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

	if (!status &&
		(back.kind != c->kind || !(c->game           ? same_game(c->game, back.game)
						 : c->result ? same_result(c->result, back.result)
							     : false)))
		status = gpube__fail(ctx, GPUBE_EBUG,
			"internal error: '%s', read back, is not what was written; please report "
			"this",
			path);
	contents_clear(&back, ctx);
	return status;
}
