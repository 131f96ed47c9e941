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
 * a value, which without 'default' is what the coalitions not named are. Of more than
 * 20 agents no table is made while fewer than a 64th of all coalitions is named.
 */
#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "csg/sparse.h"
#include "formats/common/registry.h"
#include "formats/io/io.h"
#include "gpube/base/bits.h"

/* ---- binary ------------------------------------------------------------------------------------
 */

static int read_header(struct gpube_in *in, uint32_t *n, uint32_t *type)
{
	if (gpube__in_need(in, CSG_HEADER_BYTES) < CSG_HEADER_BYTES)
		return gpube__in_error(
			in, "expected a header of 32 bytes, found the end of the file");
	if (csg__little(in->p + 8) != 1)
		return gpube__in_error(in, "expected version 1, found %u", csg__little(in->p + 8));
	*n = csg__little(in->p + 12);
	*type = csg__little(in->p + 16);
	if (*n < 1 || *n > CSG_MAX_AGENTS)
		return gpube__in_error(in, "expected 1 to %d agents, found %u", CSG_MAX_AGENTS, *n);
	if (*type > CSG_FLOAT64)
		return gpube__in_error(in, "expected a value type 0 to 4, found %u", *type);
	in->p += CSG_HEADER_BYTES;
	return GPUBE_OK;
}

/* 'all' bytes to 'to', or to a file. */
static int read_values(struct gpube_in *in, uint64_t all, char *to, int fd)
{
	uint64_t left = all;
	int status = GPUBE_OK;

	while (left && !status && gpube__in_fill(in)) {
		size_t k = (size_t)(in->end - in->p);

		if (gpube__stopped(in->ctx))
			return gpube__fail_stopped(in->ctx);
		k = k < left ? k : (size_t)left;
		if (to)
			memcpy(to + (all - left), in->p, k);
		else
			status = csg__write_all(in->ctx, fd, in->p, k);
		in->p += k;
		left -= k;
		gpube__progress(in->ctx, 1 - (double)left / (double)all, "read");
	}
	if (status || in->status)
		return status ? status : in->status;
	if (left)
		return gpube__in_error(in,
			"expected %llu more byte%s of values, found the end of the file",
			(unsigned long long)left, gpube__plural((double)left));
	if (gpube__in_fill(in) || in->status)
		return gpube__in_error(in, "expected the end of the file after the values");
	return GPUBE_OK;
}

static int read_to_file(struct csg_game **g, struct gpube_in *in, int n, enum csg_type type)
{
	const int fd = csg__nameless_file(in->ctx);
	int status;

	if (fd < 0)
		return GPUBE_EIO;
	status = read_values(in, (uint64_t)csg__type_size(type) << n, NULL, fd);
	if (!status)
		status = csg__map_values(g, in->ctx, fd, n, type);
	close(fd);
	return status;
}

static int read_binary(struct csg_game **g, struct gpube_in *in)
{
	uint32_t n = 0, number = 0;
	int status = read_header(in, &n, &number);
	const enum csg_type type = (enum csg_type)number;
	uint64_t bytes;

	if (!status && csg__big_endian())
		status = gpube__in_fail(
			in, GPUBE_EINVAL, "binary games are read on little-endian machines only");
	if (status)
		return status;
	bytes = (uint64_t)csg__type_size(type) << n;
	/* conv has half as many sums beside the values */
	if (bytes / 2 * 3 > in->ctx->memory_bytes)
		return read_to_file(g, in, (int)n, type);
	status = csg_game_new(g, in->ctx, (int)n, type);
	return status ? status : read_values(in, bytes, (*g)->values, -1);
}

/* ---- text ---------------------------------------------------------------------------------------
 */

static void skip_comments(struct gpube_in *in)
{
	while (!gpube__in_at_end(in) && *in->p == '#')
		gpube__in_skip_line(in);
}

static int read_real(enum csg_type type, struct gpube_in *in, int64_t *v)
{
	double real;
	int status = gpube__in_real(in, &real, "a value");

	if (status)
		return status;
	if (type == CSG_FLOAT32 && fabs(real) > FLT_MAX)
		return gpube__in_refuse(in, "a value that fits float32");
	*v = csg__sparse_value(type, real);
	return GPUBE_OK;
}

/* A value of the type, or the word 'forbidden', as csg__value_int() has them. */
static int read_value(enum csg_type type, struct gpube_in *in, int64_t *v)
{
	static const int64_t last[] = {INT16_MAX, INT32_MAX, INT64_MAX};
	char token[256];

	if (!gpube__in_at_end(in) && *in->p == 'f') {
		int status = gpube__in_token(in, token, "a value");

		if (status)
			return status;
		if (strcmp(token, "forbidden") != 0)
			return gpube__in_expected(in, "a value or 'forbidden'", token);
		*v = csg__sparse_value(type, -INFINITY);
		return GPUBE_OK;
	}
	return csg__is_int(type) ? gpube__in_int(in, v, -last[type], last[type], "a value")
				 : read_real(type, in, v);
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
	return csg__sparse_new(g, in->ctx, (int)n, (enum csg_type)type);
}

static int read_default(struct csg_game *g, struct gpube_in *in)
{
	char token[256];
	int status;

	skip_comments(in);
	if (gpube__in_at_end(in) || *in->p != 'd')
		return GPUBE_OK;
	status = gpube__in_token(in, token, "'default'");
	if (!status && strcmp(token, "default") != 0)
		status = gpube__in_expected(in, "'default' or a coalition", token);
	return status ? status : read_value(g->type, in, &g->sparse->other);
}

/* A table instead of the list; seen: a bit for each coalition that has a value. */
static int make_table(struct gpube_in *in, struct csg_game **g, uint64_t **seen)
{
	struct csg_game *table;
	int status = gpube__in_charge(
		in, csg__n_masks(*g), 10, "a table of all coalitions of %d agents", (*g)->n);

	if (!status)
		status = csg__sparse_fill(&table, *g);
	if (status)
		return status;
	*seen = gpube__alloc_zero(table->ctx, (csg__n_masks(table) + 63) / 64, sizeof(**seen));
	for (int64_t k = 0; *seen && k < (*g)->sparse->n; k++)
		gpube__bit_put(*seen, (int64_t)(*g)->sparse->mask[k]);
	csg_game_free(*g);
	*g = table;
	return *seen ? GPUBE_OK : GPUBE_ENOMEM;
}

static int take_value(struct csg_game *g, uint64_t *seen, uint64_t c, int64_t value)
{
	if (!seen)
		return csg__sparse_add(g, c, value);
	gpube__bit_put(seen, (int64_t)c);
	csg__put_value(g, c, value);
	return GPUBE_OK;
}

static int read_text(struct csg_game **g, struct gpube_in *in)
{
	uint64_t *seen = NULL, c = 0;
	int64_t value = 0;
	int status = read_first_line(g, in);

	if (!status)
		status = read_default(*g, in);
	for (skip_comments(in); !status && !gpube__in_at_end(in); skip_comments(in)) {
		if (!seen && csg__wants_table((*g)->n, (*g)->sparse->n))
			status = make_table(in, g, &seen);
		if (!status)
			status = read_coalition(in, &c, (*g)->n);
		if (!status && (seen ? gpube__bit(seen, (int64_t)c)
				     : csg__sparse_find((*g)->sparse, c) >= 0))
			status = gpube__in_error(
				in, "coalition %llu has a value already", (unsigned long long)c);
		if (!status)
			status = read_value((*g)->type, in, &value);
		if (!status)
			status = take_value(*g, seen, c, value);
	}
	if (!status && (*g)->sparse && csg__wants_table((*g)->n, 0)) /* nothing but a default */
		status = make_table(in, g, &seen);
	gpube__free(in->ctx, seen);
	return status ? status : in->status;
}

static bool is_binary(struct gpube_in *in)
{
	char start[8];

	return gpube__in_peek(in, start, 8) == 8 && !memcmp(start, CSG_MAGIC, 8);
}

bool csg__is_game(struct gpube_in *in)
{
	char start[4096];
	const size_t n = gpube__in_peek(in, start, sizeof(start) - 1);
	const char *word;

	start[n] = 0;
	word = gpube__skip_comments(start);
	return is_binary(in) || (!strncmp(word, "csg", 3) && isspace((unsigned char)word[3]));
}

int csg__read_from(struct csg_game **out, struct gpube_in *in)
{
	struct csg_game *g;
	int status = csg__map(&g, in->ctx, in->path);

	if (!status && !g && !csg__is_game(in))
		status = gpube__in_refuse_unread(in, true);
	if (!status && !g)
		status = is_binary(in) ? read_binary(&g, in) : read_text(&g, in);
	*out = status ? NULL : g;
	if (status)
		csg_game_free(g);
	return status;
}

int csg_read(struct csg_game **out, struct gpube_ctx *ctx, const char *path)
{
	struct gpube_in in;
	int status;

	if (out)
		*out = NULL;
	if (!out || !ctx || !path)
		return gpube__missing(ctx);
	status = gpube__in_open(&in, ctx, path);
	if (status)
		return status;
	status = csg__read_from(out, &in);
	gpube__in_close(&in);
	return gpube__refused(status, ctx, path, GPUBE_CONTENT_COALITIONS);
}

/* ---- writing ------------------------------------------------------------------------- */

static void put_little(char *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = (char)(v >> 8 * i);
}

static void write_value(struct gpube_out *out, const struct csg_game *g, int64_t v)
{
	if (csg__decode(g->type, v) == -INFINITY)
		gpube__out_text(out, "forbidden\n");
	else if (csg__is_int(g->type))
		gpube__out_printf(out, "%lld\n", (long long)v);
	else {
		gpube__out_real(out, csg__decode(g->type, v));
		gpube__out_text(out, "\n");
	}
}

static void write_list(struct gpube_out *out, const struct csg_game *g)
{
	gpube__out_text(out, "default ");
	write_value(out, g, g->sparse->other);
	for (int64_t k = 0; k < g->sparse->n && !out->status; k++) {
		gpube__out_printf(out, "%llu ", (unsigned long long)g->sparse->mask[k]);
		write_value(out, g, g->sparse->value[k]);
	}
}

static void write_text(const struct csg_game *g, struct gpube_out *out)
{
	gpube__out_printf(out, "csg %d %s\n", g->n, csg_type_name(g->type));
	if (g->sparse) {
		write_list(out, g);
		return;
	}
	for (uint64_t c = 1; c < csg__n_masks(g) && !out->status; c++) {
		const int64_t v = csg__value_int(g, c);

		if (csg__decode(g->type, v) == -INFINITY)
			continue;
		gpube__out_printf(out, "%llu ", (unsigned long long)c);
		write_value(out, g, v);
	}
}

int csg_write(const struct csg_game *g, const char *path, int text)
{
	char header[32] = CSG_MAGIC;
	struct gpube_out out;
	uint64_t bytes;
	int status;

	if (!g || !path)
		return gpube__missing(g ? g->ctx : NULL);
	bytes = (uint64_t)csg__type_size(g->type) << g->n;
	if (!text && csg__big_endian())
		return gpube__fail(g->ctx, GPUBE_EINVAL,
			"binary games are written on little-endian machines only");
	if (!text && g->sparse)
		return gpube__fail(
			g->ctx, GPUBE_EINVAL, "a game without a table is written as text only");
	status = gpube__out_open(&out, g->ctx, path);
	if (status)
		return status;
	if (g->scale)
		gpube__log(g->ctx, GPUBE_LOG_NOTE, "%s: values are in units of 10^-%d", path,
			g->scale);
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
