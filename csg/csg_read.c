/*
 * csg_read.c - games from files. Binary, little-endian:
 *
 *   0   8  "GPUBECSG"
 *   8   4  version, 1
 *   12  4  agents n
 *   16  4  type: 0 int16, 1 int32, 2 int64, 3 float32, 4 float64
 *   20  12 zero
 *   32     2^n values
 *
 * Text, '#' begins a comment:
 *
 *   csg N TYPE [default V]
 *   MASK VALUE   or   {1,3} VALUE
 *
 * with the mask in decimal (agent 1 is bit 0), agents from 1, and 'forbidden' as
 * a value, which without 'default' is what the coalitions not named are.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "csg/game.h"
#include "formats/io.h"

#define MAGIC "GPUBECSG"

static uint32_t little(const char *p)
{
	const unsigned char *b = (const unsigned char *)p;

	return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static bool big_endian(void)
{
	const uint16_t one = 1;
	unsigned char first;

	memcpy(&first, &one, 1);
	return first == 0;
}

bool csg__header(const char *header, uint32_t *n, uint32_t *type)
{
	*n = little(header + 12);
	*type = little(header + 16);
	return !big_endian() && !memcmp(header, MAGIC, 8) && little(header + 8) == 1 && *n >= 1 &&
	       *n <= CSG_MAX_AGENTS && *type <= CSG_FLOAT64;
}

/* ---- binary ------------------------------------------------------------------------------------
 */

static int read_header(struct gpube_in *in, uint32_t *n, uint32_t *type)
{
	if (gpube__in_need(in, CSG_HEADER_BYTES) < CSG_HEADER_BYTES)
		return gpube__in_error(
			in, "expected a header of 32 bytes, found the end of the file");
	if (little(in->p + 8) != 1)
		return gpube__in_error(in, "expected version 1, found %u", little(in->p + 8));
	*n = little(in->p + 12);
	*type = little(in->p + 16);
	if (*n < 1 || *n > CSG_MAX_AGENTS)
		return gpube__in_error(in, "expected 1 to %d agents, found %u", CSG_MAX_AGENTS, *n);
	if (*type > CSG_FLOAT64)
		return gpube__in_error(in, "expected a value type 0 to 4, found %u", *type);
	in->p += CSG_HEADER_BYTES;
	return GPUBE_OK;
}

static int read_values(struct csg_game *g, struct gpube_in *in)
{
	char *to = g->values;
	uint64_t left = (uint64_t)csg__type_size(g->type) << g->n;

	while (left && gpube__in_fill(in)) {
		size_t k = (size_t)(in->end - in->p);

		k = k < left ? k : (size_t)left;
		memcpy(to, in->p, k);
		in->p += k;
		to += k;
		left -= k;
	}
	if (left)
		return gpube__in_error(in,
			"expected %llu more bytes of values, found the end of the file",
			(unsigned long long)left);
	if (gpube__in_fill(in) || in->status)
		return gpube__in_error(in, "expected the end of the file after the values");
	return GPUBE_OK;
}

static int read_binary(struct csg_game **g, struct gpube_in *in)
{
	uint32_t n = 0, type = 0;
	int status = read_header(in, &n, &type);

	if (!status && big_endian())
		status = gpube__in_fail(
			in, GPUBE_EINVAL, "binary games are read on little-endian machines only");
	if (!status)
		status = csg_game_new(g, in->ctx, (int)n, (enum csg_type)type);
	return status ? status : read_values(*g, in);
}

/* ---- text ---------------------------------------------------------------------------------------
 */

static void skip_comments(struct gpube_in *in)
{
	while (!gpube__in_at_end(in) && *in->p == '#')
		gpube__in_skip_line(in);
}

static void set_forbidden(struct csg_game *g, uint64_t c)
{
	switch (g->type) {
	case CSG_INT16:
		((int16_t *)g->values)[c] = INT16_MIN;
		break;
	case CSG_INT32:
		((int32_t *)g->values)[c] = INT32_MIN;
		break;
	case CSG_INT64:
		((int64_t *)g->values)[c] = INT64_MIN;
		break;
	case CSG_FLOAT32:
		((float *)g->values)[c] = -INFINITY;
		break;
	case CSG_FLOAT64:
		((double *)g->values)[c] = -INFINITY;
		break;
	}
}

static int read_integer(struct csg_game *g, struct gpube_in *in, uint64_t c)
{
	static const int64_t last[] = {INT16_MAX, INT32_MAX, INT64_MAX};
	int64_t v;
	int status = gpube__in_int(in, &v, -last[g->type], last[g->type], "a value");

	if (status)
		return status;
	if (g->type == CSG_INT16)
		((int16_t *)g->values)[c] = (int16_t)v;
	else if (g->type == CSG_INT32)
		((int32_t *)g->values)[c] = (int32_t)v;
	else
		((int64_t *)g->values)[c] = v;
	return GPUBE_OK;
}

static int read_real(struct csg_game *g, struct gpube_in *in, uint64_t c)
{
	double v;
	int status = gpube__in_real(in, &v, "a value");

	if (status)
		return status;
	if (g->type == CSG_FLOAT64) {
		((double *)g->values)[c] = v;
		return GPUBE_OK;
	}
	if (fabs(v) > FLT_MAX)
		return gpube__in_refuse(in, "a value that fits float32");
	((float *)g->values)[c] = (float)v;
	return GPUBE_OK;
}

/* A value of the type, or the word 'forbidden'. */
static int read_value(struct csg_game *g, struct gpube_in *in, uint64_t c)
{
	char token[256];

	if (!gpube__in_at_end(in) && *in->p == 'f') {
		int status = gpube__in_token(in, token, "a value");

		if (status)
			return status;
		if (strcmp(token, "forbidden") != 0)
			return gpube__in_expected(in, "a value or 'forbidden'", token);
		set_forbidden(g, c);
		return GPUBE_OK;
	}
	return csg__is_int(g->type) ? read_integer(g, in, c) : read_real(g, in, c);
}

/* "{1,3}", without white space. */
static int parse_set(struct gpube_in *in, uint64_t *c, const char *token, int n)
{
	const char *p = token + 1;

	*c = 0;
	for (;;) {
		char *end;
		long a = *p >= '0' && *p <= '9' ? strtol(p, &end, 10) : 0;

		if (a < 1 || a > n || *c >> (a - 1) & 1 || (*end != ',' && *end != '}'))
			return gpube__in_expected(in, "different agents as in {1,3}", token);
		*c |= (uint64_t)1 << (a - 1);
		p = end + 1;
		if (*end == '}')
			break;
	}
	return *p ? gpube__in_expected(in, "a coalition as in {1,3}", token) : GPUBE_OK;
}

static int read_coalition(struct gpube_in *in, uint64_t *c, int n)
{
	char token[256];
	int64_t mask;
	int status;

	if (*in->p != '{') {
		status = gpube__in_int(in, &mask, 1, ((int64_t)1 << n) - 1, "a coalition");
		*c = (uint64_t)mask;
		return status;
	}
	status = gpube__in_token(in, token, "a coalition");
	return status ? status : parse_set(in, c, token, n);
}

static int read_first_line(struct csg_game **g, struct gpube_in *in)
{
	char token[256];
	int64_t n, type;
	int status;

	skip_comments(in);
	status = gpube__in_token(in, token, "'csg'");
	if (!status && strcmp(token, "csg") != 0)
		status = gpube__in_expected(in, "'csg'", token);
	if (!status)
		status = gpube__in_int(in, &n, 1, CSG_MAX_AGENTS, "a number of agents");
	if (!status)
		status = gpube__in_token(in, token, "a value type");
	if (status)
		return status;
	for (type = CSG_INT16; type <= CSG_FLOAT64; type++)
		if (!strcmp(token, csg_type_name((enum csg_type)type)))
			break;
	if (type > CSG_FLOAT64)
		return gpube__in_expected(in, "int16, int32, int64, float32 or float64", token);
	return csg_game_new(g, in->ctx, (int)n, (enum csg_type)type);
}

/* Value 1 is the first that is read: all others become like it. */
static int read_default(struct csg_game *g, struct gpube_in *in)
{
	const size_t size = csg__type_size(g->type);
	char *v = g->values, token[256];
	int status = GPUBE_OK;

	set_forbidden(g, 1);
	skip_comments(in);
	if (!gpube__in_at_end(in) && *in->p == 'd') {
		status = gpube__in_token(in, token, "'default'");
		if (!status && strcmp(token, "default") != 0)
			status = gpube__in_expected(in, "'default' or a coalition", token);
		if (!status)
			status = read_value(g, in, 1);
	}
	for (uint64_t c = 2; !status && c < csg__n_masks(g); c++)
		memcpy(v + c * size, v + size, size);
	return status;
}

static int read_text(struct csg_game **out, struct gpube_in *in)
{
	struct csg_game *g;
	uint64_t *seen = NULL, c = 0;
	int status = read_first_line(out, in);

	g = *out;
	if (!status)
		status = read_default(g, in);
	if (status)
		return status;
	seen = gpube__alloc_zero(in->ctx, (csg__n_masks(g) + 63) / 64, sizeof(*seen));
	if (!seen)
		return GPUBE_ENOMEM;
	for (skip_comments(in); !status && !gpube__in_at_end(in); skip_comments(in)) {
		status = read_coalition(in, &c, g->n);
		if (!status && seen[c / 64] >> c % 64 & 1)
			status = gpube__in_error(
				in, "coalition %llu has a value already", (unsigned long long)c);
		if (!status) {
			seen[c / 64] |= (uint64_t)1 << c % 64;
			status = read_value(g, in, c);
		}
	}
	gpube__free(in->ctx, seen);
	return status ? status : in->status;
}

int csg_read(struct csg_game **out, struct gpube_ctx *ctx, const char *path)
{
	struct csg_game *g = NULL;
	struct gpube_in in;
	char start[sizeof(MAGIC)] = "";
	int status;

	status = csg__map(out, ctx, path);
	if (status || *out)
		return status;
	status = gpube__in_open(&in, ctx, path);
	if (status)
		return status;
	if (gpube__in_peek(&in, start, 8) == 8 && !memcmp(start, MAGIC, 8))
		status = read_binary(&g, &in);
	else
		status = read_text(&g, &in);
	gpube__in_close(&in);
	if (status)
		csg_game_free(g);
	else
		*out = g;
	return status;
}

/* ---- writing
 * --------------------------------------------------------------------------------------- */

static void put_little(char *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = (char)(v >> 8 * i);
}

static void write_text(const struct csg_game *g, struct gpube_out *out)
{
	gpube__out_printf(out, "csg %d %s\n", g->n, csg_type_name(g->type));
	for (uint64_t c = 1; c < csg__n_masks(g) && !out->status; c++) {
		const double v = csg_game_value(g, c);

		if (v == -INFINITY)
			continue;
		gpube__out_printf(out, "%llu ", (unsigned long long)c);
		if (g->type == CSG_INT64)
			gpube__out_int(out, ((const int64_t *)g->values)[c]);
		else
			gpube__out_real(out, v);
		gpube__out_text(out, "\n");
	}
}

int csg_write(const struct csg_game *g, const char *path, int text)
{
	const uint64_t bytes = (uint64_t)csg__type_size(g->type) << g->n;
	char header[32] = MAGIC;
	struct gpube_out out;
	int status;

	if (!text && big_endian())
		return gpube__fail(g->ctx, GPUBE_EINVAL,
			"binary games are written on little-endian machines only");
	status = gpube__out_open(&out, g->ctx, path);
	if (status)
		return status;
	if (text) {
		write_text(g, &out);
	} else {
		put_little(header + 8, 1);
		put_little(header + 12, (uint32_t)g->n);
		put_little(header + 16, (uint32_t)g->type);
		gpube__out_bytes(&out, header, sizeof(header));
		for (uint64_t at = 0; at < bytes && !out.status; at += 1 << 20)
			gpube__out_bytes(&out, (const char *)g->values + at,
				(size_t)(bytes - at < 1 << 20 ? bytes - at : 1 << 20));
	}
	return gpube__out_close(&out, true);
}
