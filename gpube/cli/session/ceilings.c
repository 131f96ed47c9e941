/* ceilings.c - see ceilings.h. */
#define _POSIX_C_SOURCE 200809L

#include "gpube/cli/session/ceilings.h"
#include "gpube/options/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_TEXT = 16384 };

void ceilings_cpu_name(char *name, size_t size)
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

/*
 * $XDG_CACHE_HOME/gpube/rates, without it $HOME/.cache/gpube/rates; false where the user has
 * neither, or the name is longer than 'size'.
 */
static bool rates_path(char *path, size_t size)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	int n = -1;

	/* a relative one is to be ignored, says the standard */
	if (cache && cache[0] == '/')
		n = snprintf(path, size, "%s/gpube/rates", cache);
	else if (home && home[0] == '/')
		n = snprintf(path, size, "%s/.cache/gpube/rates", home);
	return n > 0 && (size_t)n < size;
}

void ceilings_load(struct session *s)
{
	char path[4096], text[MOST_TEXT], note[sizeof(path) + sizeof(s->ctx->error) + 64], name[80];
	struct gpube_rates rates;
	FILE *f = rates_path(path, sizeof(path)) ? fopen(path, "r") : NULL;
	size_t n;

	if (!f)
		return;
	n = fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	text[n] = 0;
	ceilings_cpu_name(name, sizeof(name));
	if (gpube__rates_read(s->ctx, &rates, text)) {
		snprintf(note, sizeof(note), "'%s' is left out: %s", path, gpube_error(s->ctx));
		session_note(s, note);
	} else if (!strcmp(rates.core.name, name)) {
		/* of another machine, in a home that several share: guesses are better */
		gpube__rates_set(s->ctx, &rates);
	}
}

/* The folders in which 'path' is to lie. */
static void make_folders(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = 0;
		mkdir(path, 0700);
		*slash = '/';
	}
}

static int keep(struct session *s, const struct gpube_rates *rates)
{
	char path[4096], text[MOST_TEXT];
	struct gpube_out out;

	if (!rates_path(path, sizeof(path)))
		return gpube__fail(s->ctx, GPUBE_EINVAL,
			"no folder to keep the rates in: neither XDG_CACHE_HOME nor HOME is set");
	make_folders(path);
	gpube__rates_write(text, sizeof(text), rates);
	/* under a name of its own first, so that nobody reads half of it */
	if (!gpube__out_open(&out, s->ctx, path))
		gpube__out_text(&out, text);
	return gpube__out_close(&out, true);
}

static int measure_cpu(struct session *s, struct gpube_rates *rates)
{
	int n = s->ctx->n_threads, status;

	s->ctx->n_threads = 1;
	status = gpube__measure(s->ctx, gpube__ops_cpu(), &rates->core);
	s->ctx->n_threads = n;
	if (!status)
		status = gpube__measure(s->ctx, gpube__ops_cpu(), &rates->all);
		/* what one core does is there in any case, also when the others were busy just now
		 */
#define AT_LEAST(field, core_estimate, card_estimate)                                              \
	if (rates->all.field < rates->core.field)                                                  \
		rates->all.field = rates->core.field;
	GPUBE_RATES(AT_LEAST)
#undef AT_LEAST
	ceilings_cpu_name(rates->core.name, sizeof(rates->core.name));
	memcpy(rates->all.name, rates->core.name, sizeof(rates->all.name));
	return status;
}

/* A context of its own for each card, so that the first is opened as any command opens it. */
static int measure_device(struct session *s, struct gpube_rate *rate, int device, bool *there)
{
	struct gpube_opts opts = {.n_devices = 1, .devices = (const int32_t[]){device}};
	struct gpube_ctx *ctx;
	const struct gpube_ops *cuda;
	double start = gpube__now();
	int status, opened;

	if (gpube_ctx_new(&ctx, &opts))
		return gpube__fail(s->ctx, GPUBE_ENOMEM, "out of memory");
	cuda = gpube__ops_cuda(ctx, &opened);
	*there = cuda != NULL;
	rate->open = gpube__now() - start;
	status = cuda ? gpube__measure(ctx, cuda, rate) : GPUBE_OK;
	if (status)
		gpube__fail(s->ctx, status, "%s", gpube_error(ctx));
	gpube_ctx_free(ctx);
	return status;
}

int ceilings_measure(struct session *s)
{
	struct gpube_rates rates;
	bool there = true;
	int status = GPUBE_OK;

	gpube__rates_estimate(&rates, s->ctx->n_threads);
	/* the first card first, since what opening it takes is part of what is measured */
	for (int k = 0; k < GPUBE_MAX_DEVICES && there && !status; k++) {
		status = measure_device(s, &rates.devices[k], k, &there);
		/* the driver is started but once in a process */
		if (k > 0 && there)
			rates.devices[k].open = rates.devices[0].open;
	}
	if (!status)
		status = measure_cpu(s, &rates);
	if (!status)
		status = gpube__rates_set(s->ctx, &rates);
	if (!status)
		status = keep(s, &rates);
	return status ? session_fail(s, NULL) : CLI_DONE;
}
