/* opts_take.c - what a call makes of the options that it is given. See options.h. */
#include "gpube/options/options.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "gpube/base/decimal.h"

void gpube__opts_default(struct gpube_opts *o)
{
	*o = (struct gpube_opts){0};
	for (const struct gpube__opt *row = gpube__opts_table;
		row < gpube__opts_table + GPUBE__N_OPTS; row++) {
		const bool fits = !row->dflt || gpube__opt_parse(o, row, row->dflt);

		assert(fits);
		(void)fits;
	}
}

static bool is_given(const struct gpube_opts *o, int k)
{
	return o->given[k / 64] >> k % 64 & 1;
}

bool gpube__opts_given(const struct gpube_opts *o, const void *field)
{
	for (int k = 0; k < GPUBE__N_OPTS; k++)
		if (gpube__opts_table[k].at == (size_t)((const char *)field - (const char *)o))
			return is_given(o, k);
	return false;
}

void gpube__opts_mark(struct gpube_opts *o, const struct gpube__opt *row, bool given)
{
	const int k = (int)(row - gpube__opts_table);
	const uint64_t bit = (uint64_t)1 << k % 64;

	o->given[k / 64] = given ? o->given[k / 64] | bit : o->given[k / 64] & ~bit;
}

/* "gpube_solve(), gpube_bound()": who takes a row; in 'text'. */
static const char *takers(char text[512], int calls)
{
	size_t used = 0;

	text[0] = 0;
	for (int c = 0; gpube__option_call(c) && used < 512; c++)
		if (calls >> c & 1)
			used += (size_t)snprintf(text + used, 512 - used, "%s%s()",
				used ? ", " : "", gpube__option_call(c));
	return text;
}

/* A row that was given, of which the call has no meaning, unless it has another of that name. */
static int check_row(
	struct gpube_ctx *ctx, const struct gpube_opts *o, const struct gpube__opt *row, int call)
{
	char text[512], expected[GPUBE__EXPECTATION];
	int bit = 0;

	while (call >> bit != 1)
		bit++;
	for (int k = 0; k < GPUBE__N_OPTS; k++) {
		const struct gpube__opt *other = &gpube__opts_table[k];

		if (!(other->calls & call) || strcmp(other->name, row->name) != 0)
			continue;
		if (is_given(o, k))
			return GPUBE_OK;
		return gpube__fail(ctx, GPUBE_EINVAL, "%s: expected %s for %s()", row->name,
			gpube__opt_expectation(other, expected), gpube__option_call(bit));
	}
	return gpube__fail(ctx, GPUBE_EINVAL, "%s is no option of %s(), but of %s", row->name,
		gpube__option_call(bit), takers(text, row->calls));
}

int gpube__opts_take(
	struct gpube_opts *to, struct gpube_ctx *ctx, const struct gpube_opts *from, int call)
{
	int status = GPUBE_OK;

	if (!from) {
		gpube__opts_default(to);
		return GPUBE_OK;
	}
	for (int k = 0; k < GPUBE__N_OPTS && !status; k++)
		if (is_given(from, k) && !(gpube__opts_table[k].calls & call))
			status = check_row(ctx, from, &gpube__opts_table[k], call);
	if (status)
		return status;
	*to = *from;
	if (gpube__opts_given(from, &from->order))
		to->order_method = GPUBE_ORDER_GIVEN;
	to->ctx = NULL;
	memset(to->given, 0, sizeof(to->given));
	return GPUBE_OK;
}

int gpube__opts_scale(struct gpube_opts *o, struct gpube_ctx *ctx, int scale)
{
	for (const struct gpube__opt *row = gpube__opts_table;
		row < gpube__opts_table + GPUBE__N_OPTS; row++) {
		struct gpube__opt_total *t = (struct gpube__opt_total *)((char *)o + row->at);

		if (row->type != GPUBE__OPT_TOTAL || !t->has || !t->text)
			continue;
		if (!gpube__units(&t->total, t->text, scale))
			return gpube__fail(ctx, GPUBE_EINVAL,
				"%s: expected a number of at most %d decimals, as the model has, "
				"found '%s'",
				row->name, scale, t->text);
		t->text = NULL;
	}
	return GPUBE_OK;
}

int gpube_ctx_new(struct gpube_ctx **out, const struct gpube_opts *opts)
{
	struct gpube_opts o;
	struct gpube_ctx *ctx;
	int status;

	if (!out)
		return GPUBE_EINVAL;
	*out = NULL;
	status = gpube__opts_take(&o, opts ? opts->ctx : NULL, opts, GPUBE__ON_CTX);
	if (status)
		return status;
	if (o.n_devices > GPUBE_MAX_DEVICES)
		return opts->ctx ? gpube__fail(opts->ctx, GPUBE_EINVAL,
					   "devices: expected at most %d", GPUBE_MAX_DEVICES)
				 : GPUBE_EINVAL;
	status = gpube__ctx_make(&ctx, o.realloc, o.realloc_arg);
	if (status)
		return status;
	if (o.n_threads)
		ctx->n_threads = o.n_threads;
	if (o.memory_bytes)
		ctx->memory_bytes = o.memory_bytes;
	ctx->device_memory_bytes = o.device_memory_bytes;
	ctx->n_devices = o.n_devices;
	if (o.n_devices && o.devices)
		memcpy(ctx->devices, o.devices, (size_t)o.n_devices * sizeof(*ctx->devices));
	ctx->log = o.log;
	ctx->log_arg = o.log_arg;
	if (o.log == gpube__log_as_text) { /* the options may end before the context */
		ctx->log_text = *(const struct gpube__log_text *)o.log_arg;
		ctx->log_arg = &ctx->log_text;
	}
	*out = ctx;
	return GPUBE_OK;
}
