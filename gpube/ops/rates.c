/* rates.c - see rates.h. */
#include "gpube/ops/rates.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEAD "gpube rates 1\n"

void gpube__rates_estimate(struct gpube_rates *r, int n_threads)
{
	memset(r, 0, sizeof(*r));
	r->n_threads = n_threads;
#define GUESS(field, core_estimate, card_estimate)                                                 \
	r->core.field = r->all.field = core_estimate;                                              \
	for (int k = 0; k < GPUBE_MAX_DEVICES; k++)                                                \
		r->devices[k].field = card_estimate;
	GPUBE_RATES(GUESS)
#undef GUESS
	/* memory is shared by the cores, and threads have to meet */
	r->all.copy *= n_threads < 4 ? n_threads : 4 + (n_threads - 4) * 0.5;
	r->all.add_min_int32 *= n_threads;
	r->all.add_min_int64 *= n_threads;
}

/* ---- as text -------------------------------------------------------------------------- */

static int write_one(char *text, size_t size, const char *whose, const struct gpube_rate *r)
{
	int n = 0;

	if (!r->name[0])
		return 0;
#define AT   ((size_t)n < size ? text + n : NULL)
#define LEFT ((size_t)n < size ? size - (size_t)n : 0)
	n += snprintf(AT, LEFT, "%s name %s\n", whose, r->name);
#define WRITE(field, core, card) n += snprintf(AT, LEFT, "%s %s %.4g\n", whose, #field, r->field);
	GPUBE_RATES(WRITE)
#undef WRITE
	return n;
}

int gpube__rates_write(char *text, size_t size, const struct gpube_rates *r)
{
	int n = snprintf(text, size, HEAD "threads %d\n", r->n_threads);
	char whose[16];

	n += write_one(AT, LEFT, "core", &r->core);
	n += write_one(AT, LEFT, "all", &r->all);
	for (int k = 0; k < GPUBE_MAX_DEVICES; k++) {
		snprintf(whose, sizeof(whose), "gpu%d", k);
		n += write_one(AT, LEFT, whose, &r->devices[k]);
	}
#undef AT
#undef LEFT
	return n;
}

static struct gpube_rate *find(struct gpube_rates *r, const char *whose)
{
	if (!strcmp(whose, "core"))
		return &r->core;
	if (!strcmp(whose, "all"))
		return &r->all;
	if (!strncmp(whose, "gpu", 3) && whose[3] >= '0' && whose[3] < '0' + GPUBE_MAX_DEVICES &&
		!whose[4])
		return &r->devices[whose[3] - '0'];
	return NULL;
}

static bool read_line(struct gpube_rates *r, const char *line)
{
	char whose[16], field[32], value[sizeof(r->core.name)], *end;
	struct gpube_rate *one;
	double number;

	if (sscanf(line, "threads %d", &r->n_threads) == 1)
		return r->n_threads > 0;
	if (sscanf(line, "%15s %31s %79[^\n]", whose, field, value) != 3)
		return false;
	one = find(r, whose);
	if (!one)
		return true;
	if (!strcmp(field, "name")) {
		memcpy(one->name, value, sizeof(value));
		return true;
	}
	number = strtod(value, &end);
	if (*end || !(number >= 0) || number > 1e30)
		return false;
#define READ(name, core, card)                                                                     \
	if (!strcmp(field, #name)) {                                                               \
		one->name = number;                                                                \
		return number > 0 || !strcmp(field, "open");                                       \
	}
	GPUBE_RATES(READ)
#undef READ
	return true;
}

int gpube__rates_read(struct gpube_ctx *ctx, struct gpube_rates *r, const char *text)
{
	int line = 1;

	gpube__rates_estimate(r, ctx->n_threads);
	if (strncmp(text, HEAD, strlen(HEAD)) != 0)
		return gpube__fail(
			ctx, GPUBE_EPARSE, "line 1: expected '%.*s'", (int)strlen(HEAD) - 1, HEAD);
	for (const char *at = strchr(text, '\n') + 1; *at; at = strchr(at, '\n') + 1) {
		line++;
		if (!strchr(at, '\n') || !read_line(r, at))
			return gpube__fail(ctx, GPUBE_EPARSE,
				"line %d: expected a name, a rate and a number above 0", line);
	}
	return GPUBE_OK;
}

/* ---- a context's ------------------------------------------------------------------------ */

int gpube__rates_set(struct gpube_ctx *ctx, const struct gpube_rates *r)
{
	struct gpube_rates *copy = gpube__alloc(ctx, 1, sizeof(*copy));

	if (!copy)
		return GPUBE_ENOMEM;
	*copy = *r;
	gpube__free(ctx, ctx->rates);
	ctx->rates = copy;
	return GPUBE_OK;
}

/* Between one core's and those of all that were measured. */
static double at_threads(double core, double all, int n, int n_all)
{
	double several;

	if (n >= n_all)
		return all;
	several = core * n;
	return several < all || n == 1 ? several : all;
}

struct gpube_rate gpube__rate_of(const struct gpube_ctx *ctx, const struct gpube_ops *ops)
{
	struct gpube_rates guess;
	const struct gpube_rates *r = ctx->rates;
	struct gpube_rate one;
	int n = ctx->n_threads;

	if (!r) {
		gpube__rates_estimate(&guess, n);
		r = &guess;
	}
	if (ops != gpube__ops_cpu()) /* NULL, too: a device that is not open yet */
		return r->devices[ctx->n_devices && ctx->devices[0] < GPUBE_MAX_DEVICES
					  ? ctx->devices[0]
					  : 0];
	one = n == 1 ? r->core : r->all;
	one.copy = at_threads(r->core.copy, r->all.copy, n, r->n_threads);
#define SCALE(type)                                                                                \
	one.add_min_##type =                                                                       \
		at_threads(r->core.add_min_##type, r->all.add_min_##type, n, r->n_threads);
	SCALE(int32)
	SCALE(int64)
#undef SCALE
	one.cores = one.add_min_int32 / r->core.add_min_int32;
	return one;
}

double gpube__rate_add_min(const struct gpube_rate *r, enum gpube_type type)
{
	return type == GPUBE_INT64 ? r->add_min_int64 : r->add_min_int32;
}
