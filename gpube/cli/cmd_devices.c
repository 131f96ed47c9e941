/* cmd_devices.c - gpube devices: what the program runs on. */
#define _POSIX_C_SOURCE 200809L

#include <string.h>
#include <unistd.h>

#include "gpube/cli/session/ceilings.h"
#include "gpube/ops/ops.h"

#define OPTS_STRUCT struct opts_devices
static const struct opt_row rows[] = {OPTS_DEVICES(OPT_ROW)};

static const struct opt_group groups[] = {
	OPT_GROUP("Options", rows, 0),
	{0},
};

/* The vector instructions that the kernels choose from, as far as this processor has them. */
static const char *instruction_sets(void)
{
#if defined(__x86_64__)
	__builtin_cpu_init();
	if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
		__builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
		return "AVX2, AVX-512";
	if (__builtin_cpu_supports("avx2"))
		return "AVX2";
#endif
	return "portable C only";
}

static double total_memory(void)
{
	return (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE);
}

/* The GPU in words, or "none: " and why. */
static bool describe_gpu(struct gpube_ctx *ctx, char *text, size_t size)
{
	int status;
	const struct gpube_ops *cuda = gpube__ops_cuda(ctx, &status);

	if (cuda && !cuda->describe(ctx, text, size))
		return true;
	snprintf(text, size, "none: %s", gpube_error(ctx));
	return false;
}

/* ---- rates ------------------------------------------------------------------------------ */

static void text_rate(struct gpube_out *out, const char *label, const struct gpube_rate *r)
{
	gpube__out_printf(out,
		"%-8s copy %.1f GB/s; add-min a second: int32 %.3g, int64 %.3g\n"
		"%8s a contraction %.2g us",
		label, r->copy / 1e9, r->add_min_int32, r->add_min_int64, "", r->launch * 1e6);
	if (r->open > 0)
		gpube__out_printf(out,
			", a fetch %.2g us, from the host %.1f GB/s, to it %.1f GB/s, opening "
			"%.2f s",
			r->round_trip * 1e6, r->upload / 1e9, r->download / 1e9, r->open);
	gpube__out_text(out, "\n");
}

static void text_rates(struct gpube_out *out, const struct gpube_rates *rates)
{
	char label[16];

	if (!rates)
		return;
	text_rate(out, "core", &rates->core);
	text_rate(out, "cores", &rates->all);
	for (int k = 0; k < GPUBE_MAX_DEVICES && rates->devices[k].name[0]; k++) {
		snprintf(label, sizeof(label), "gpu %d", k);
		text_rate(out, label, &rates->devices[k]);
	}
}

static void json_rate(struct json *j, const char *name, const struct gpube_rate *r)
{
	json_open(j, name, '{');
	json_text(j, "name", r->name);
#define FIELD(field, core, card) json_real(j, #field, r->field);
	GPUBE_RATES(FIELD)
#undef FIELD
	json_close(j, '}');
}

static void json_rates(struct json *j, const struct gpube_rates *rates)
{
	if (!rates) {
		json_null(j, "rates");
		return;
	}
	json_open(j, "rates", '{');
	json_rate(j, "core", &rates->core);
	json_rate(j, "cores", &rates->all);
	json_open(j, "gpus", '[');
	for (int k = 0; k < GPUBE_MAX_DEVICES && rates->devices[k].name[0]; k++)
		json_rate(j, NULL, &rates->devices[k]);
	json_close(j, ']');
	json_close(j, '}');
}

/* ---- the report ------------------------------------------------------------------------- */

struct result {
	struct gpube_ctx *ctx;
	char cpu[200];
};

static void report_text(struct gpube_out *out, const void *arg)
{
	const struct result *r = arg;
	struct gpube_ctx *ctx = r->ctx;
	char gpu[256];

	gpube__out_printf(out, "cpu      %s\n", r->cpu);
	gpube__out_printf(out, "threads  %d of %ld core%s\n", ctx->n_threads,
		sysconf(_SC_NPROCESSORS_ONLN), gpube__plural(sysconf(_SC_NPROCESSORS_ONLN)));
	gpube__out_printf(out, "vectors  %s\n", instruction_sets());
	gpube__out_printf(out, "memory   %s free of %s\n", bytes_text((double)ctx->memory_bytes, 0),
		bytes_text(total_memory(), 1));
	describe_gpu(ctx, gpu, sizeof(gpu));
	gpube__out_printf(out, "gpu      %s\n", gpu);
	text_rates(out, ctx->rates);
}

static void report_json(struct json *j, const void *arg)
{
	const struct result *r = arg;
	struct gpube_ctx *ctx = r->ctx;
	char gpu[256];

	json_open(j, "cpu", '{');
	json_text(j, "model", r->cpu);
	json_int(j, "cores", sysconf(_SC_NPROCESSORS_ONLN));
	json_int(j, "threads", ctx->n_threads);
	json_text(j, "vectors", instruction_sets());
	json_int(j, "memory_free_bytes", (int64_t)ctx->memory_bytes);
	json_real(j, "memory_bytes", total_memory());
	json_close(j, '}');
	if (describe_gpu(ctx, gpu, sizeof(gpu)))
		json_text(j, "gpu", gpu);
	else
		json_null(j, "gpu");
	json_rates(j, ctx->rates);
}

static int run(const void *opts, int n_args, char **args)
{
	const struct opts_devices *o = opts;
	struct result r;
	struct session s;
	int rc;

	(void)n_args;
	(void)args;
	rc = session_start(&s, NULL, 0, 0, o->json || o->output, NULL);
	if (rc)
		return rc;
	s.quiet = true; /* what a note would say of the GPU stands in its line */
	if (o->measure)
		rc = ceilings_measure(&s);
	else
		ceilings_load(&s);
	if (!rc) {
		r.ctx = s.ctx;
		ceilings_cpu_name(r.cpu, sizeof(r.cpu));
		rc = session_report(&s, report_text, report_json, &r);
	}
	session_end(&s);
	return rc;
}

const struct command cmd_devices = {
	.name = "devices",
	.arguments = "",
	.summary = "show what the program runs on",
	.description =
		"Shows the processor, the number of threads that would be used, the vector "
		"instructions, the free memory and the GPUs. --measure also measures how fast "
		"they copy and add, and keeps the result in $XDG_CACHE_HOME/gpube/rates, by "
		"default ~/.cache/gpube/rates. The other commands decide by these rates where "
		"each table is computed; with -v, solve says what share of them it reached.",
	.min_args = 0,
	.max_args = 0,
	.opts_size = sizeof(struct opts_devices),
	.groups = groups,
	.run = run,
};
