/* proof_file.c - reads and writes proofs; certificate.md describes the format. */
#include <stdio.h>
#include <string.h>

#include "csg/proof.h"
#include "formats/io/io.h"

#define VERSION 3

void csg__proof_clear(struct csg__proof *p)
{
	gpube__free(p->ctx, p->tight);
	memset(p, 0, sizeof(*p));
}

int csg__proof_write(const struct csg__proof *p, const char *path)
{
	struct gpube_out out;
	int status = gpube__out_open(&out, p->ctx, path);

	if (status)
		return status;
	gpube__out_printf(&out, "csg-certificate %d\nagents %d shift %d disposal %d\nduals",
		VERSION, p->n_agents, p->shift, p->disposal);
	for (int i = 0; i < p->n_agents; i++)
		gpube__out_printf(&out, " %lld", (long long)p->dual[i]);
	gpube__out_printf(&out, "\nupper %lld value %lld unit %lld\nstructure %d",
		(long long)p->upper, (long long)p->value, (long long)p->unit, p->n_parts);
	for (int k = 0; k < p->n_parts; k++)
		gpube__out_printf(&out, " %llu", (unsigned long long)p->part[k]);
	gpube__out_printf(&out, "\ncandidates %lld\n", (long long)p->n_tight);
	for (int64_t k = 0; k < p->n_tight; k++)
		gpube__out_printf(&out, "%llu %lld\n", (unsigned long long)p->tight[k].mask,
			(long long)p->tight[k].slack);
	return gpube__out_close(&out, true);
}

/* ---- reading ------------------------------------------------------------------------------- */

static int word(struct gpube_in *in, const char *expected)
{
	char token[256], what[40];
	int status;

	snprintf(what, sizeof(what), "'%s'", expected);
	status = gpube__in_token(in, token, what);
	if (!status && strcmp(token, expected) != 0)
		status = gpube__in_expected(in, what, token);
	return status;
}

/* "agents 5" */
static int named(struct gpube_in *in, const char *name, int64_t *v, int64_t min, int64_t max)
{
	int status = word(in, name);

	return status ? status : gpube__in_int(in, v, min, max, "a number");
}

static int read_head(struct csg__proof *p, struct gpube_in *in)
{
	int64_t version, n = 0, shift = 0, disposal = 0;
	int status = named(in, "csg-certificate", &version, VERSION, VERSION);

	if (!status)
		status = named(in, "agents", &n, 1, GPUBE_MAX_AGENTS);
	if (!status)
		status = named(in, "shift", &shift, -2000, 2000);
	if (!status)
		status = named(in, "disposal", &disposal, 0, 1);
	if (!status)
		status = word(in, "duals");
	p->n_agents = (int)n;
	p->shift = (int)shift;
	p->disposal = disposal;
	for (int i = 0; i < p->n_agents && !status; i++)
		status = gpube__in_int(in, &p->dual[i], -INT64_MAX, INT64_MAX, "a dual");
	if (!status)
		status = named(in, "upper", &p->upper, -INT64_MAX, INT64_MAX);
	if (!status)
		status = named(in, "value", &p->value, -INT64_MAX, INT64_MAX);
	return status ? status : named(in, "unit", &p->unit, 1, INT64_MAX);
}

static int read_mask(struct csg__proof *p, struct gpube_in *in, uint64_t *mask)
{
	int64_t v;
	int status = gpube__in_int(in, &v, 1, ((int64_t)1 << p->n_agents) - 1, "a coalition");

	*mask = status ? 0 : (uint64_t)v;
	return status;
}

static int read_body(struct csg__proof *p, struct gpube_in *in)
{
	int64_t n = 0, slack = 0;
	uint64_t mask;
	int status = named(in, "structure", &n, 1, p->n_agents);

	for (; p->n_parts < n && !status; p->n_parts++)
		status = read_mask(p, in, &p->part[p->n_parts]);
	if (!status)
		status = named(in, "candidates", &n, 0, ((int64_t)1 << p->n_agents) - 1);
	for (int64_t k = 0; k < n && !status; k++) {
		status = read_mask(p, in, &mask);
		if (!status)
			status = gpube__in_int(in, &slack, 0, INT64_MAX, "a slack");
		if (!status)
			status = gpube__grow(
				p->ctx, &p->tight, &p->capacity, k + 1, sizeof(*p->tight));
		if (!status)
			p->tight[p->n_tight++] = (struct csg__tight){mask, slack};
	}
	return status ? status : gpube__in_end(in);
}

int csg__proof_read(struct csg__proof *p, struct gpube_ctx *ctx, const char *path)
{
	struct gpube_in in;
	int status = gpube__in_open(&in, ctx, path);

	*p = (struct csg__proof){.ctx = ctx};
	if (status)
		return status;
	status = read_head(p, &in);
	if (!status)
		status = read_body(p, &in);
	gpube__in_close(&in);
	return status;
}
