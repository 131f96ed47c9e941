/* cmd_devices.c - gpube devices: what the program runs on. */
#define _POSIX_C_SOURCE 200809L

#include <string.h>
#include <unistd.h>

#include "gpube/cli/session.h"
#include "gpube/ops/ops.h"

#define OPTS_STRUCT struct opts_devices
static const struct opt_row rows[] = {OPTS_DEVICES(OPT_ROW)};

static const struct opt_group groups[] = {
	OPT_GROUP("Options", rows, 0),
	{0},
};


/* The processor's name as the kernel tells it. */
static void cpu_model(char *name, size_t size)
{
	char line[256];
	FILE *f = fopen("/proc/cpuinfo", "r");

	snprintf(name, size, "unknown");
	while (f && fgets(line, sizeof(line), f)) {
		char *colon = strchr(line, ':');

		if (strncmp(line, "model name", 10) || !colon)
			continue;
		line[strcspn(line, "\n")] = 0;
		snprintf(name, size, "%s", colon[1] == ' ' ? colon + 2 : colon + 1);
		break;
	}
	if (f)
		fclose(f);
}

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

static void report_text(struct gpube_out *out, struct gpube_ctx *ctx, const char *cpu)
{
	char gpu[256];

	gpube__out_printf(out, "cpu      %s\n", cpu);
	gpube__out_printf(
		out, "threads  %d of %ld cores\n", ctx->n_threads, sysconf(_SC_NPROCESSORS_ONLN));
	gpube__out_printf(out, "vectors  %s\n", instruction_sets());
	gpube__out_printf(out, "memory   %s free of %s\n", bytes_text((double)ctx->memory_bytes, 0),
		bytes_text(total_memory(), 1));
	describe_gpu(ctx, gpu, sizeof(gpu));
	gpube__out_printf(out, "gpu      %s\n", gpu);
}

static void report_json(struct gpube_out *out, struct gpube_ctx *ctx, const char *cpu)
{
	char gpu[256];
	struct json j = {.out = out};

	json_open(&j, NULL, '{');
	json_open(&j, "cpu", '{');
	json_text(&j, "model", cpu);
	json_int(&j, "cores", sysconf(_SC_NPROCESSORS_ONLN));
	json_int(&j, "threads", ctx->n_threads);
	json_text(&j, "vectors", instruction_sets());
	json_int(&j, "memory_free_bytes", (int64_t)ctx->memory_bytes);
	json_real(&j, "memory_bytes", total_memory());
	json_close(&j, '}');
	if (describe_gpu(ctx, gpu, sizeof(gpu)))
		json_text(&j, "gpu", gpu);
	else
		json_null(&j, "gpu");
	json_close(&j, '}');
	gpube__out_text(out, "\n");
}

static int run(const void *opts, int n_args, char **args)
{
	const struct opts_devices *o = opts;
	bool json = o->json || o->output;
	struct gpube_out out;
	struct session s;
	char cpu[200];
	int rc;

	(void)n_args;
	(void)args;
	rc = session_start(&s, NULL, 0, 0, json, NULL);
	if (rc)
		return rc;
	cpu_model(cpu, sizeof(cpu));
	if (!gpube__out_open(&out, s.ctx, s.output)) {
		if (json)
			report_json(&out, s.ctx, cpu);
		else
			report_text(&out, s.ctx, cpu);
	}
	if (gpube__out_close(&out, true)) {
		cli_error("%s", gpube_error(s.ctx));
		rc = CLI_FAILED;
	}
	session_end(&s);
	return rc;
}

const struct command cmd_devices = {
	.name = "devices",
	.arguments = "",
	.summary = "show what the program runs on",
	.description = "Shows the processor, how many threads would be used, the vector "
		       "instructions, the free memory, and the GPU.",
	.min_args = 0,
	.max_args = 0,
	.opts_size = sizeof(struct opts_devices),
	.groups = groups,
	.run = run,
};
