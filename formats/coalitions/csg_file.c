/*
 * csg_file.c - .csg: what coalitions are worth, read and written. Binary, little-endian:
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
 * 20 agents no table is made while fewer than a 64th of all coalitions is named. A plain
 * binary file is not read but mapped, privately; a compressed one whose values the context's memory
 * has no room for goes to a temporary file (in TMPDIR).
 */
#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/coalitions/csg_parts.h"
#include "formats/common/registry.h"
#include "formats/io/io.h"
#include "gpube/base/bits.h"

#define BLANKS " \t\n\v\f\r"
#define MAGIC  "GPUBECSG"

static uint32_t little(const char *p)
{
	const unsigned char *b = (const unsigned char *)p;

	return b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static bool big_endian(void)
{
	const uint16_t one = 1;

	return *(const unsigned char *)&one == 0;
}

/* ---- binary ------------------------------------------------------------------------------------
 */

static int read_header(struct gpube_in *in, uint32_t *n, enum gpube_type *type)
{
	uint32_t number;

	if (gpube__in_need(in, GPUBE__CSG_HEADER) < GPUBE__CSG_HEADER)
		return gpube__in_error(
			in, "expected a header of 32 bytes, found the end of the file");
	if (little(in->p + 8) != 1)
		return gpube__in_error(in, "expected version 1, found %u", little(in->p + 8));
	*n = little(in->p + 12);
	number = little(in->p + 16);
	if (*n < 1 || *n > GPUBE_MAX_AGENTS)
		return gpube__in_error(
			in, "expected 1 to %d agents, found %u", GPUBE_MAX_AGENTS, *n);
	if (number > GPUBE_FLOAT64 - GPUBE_INT16)
		return gpube__in_error(in, "expected a value type 0 to 4, found %u", number);
	*type = (enum gpube_type)(number + GPUBE_INT16);
	in->p += GPUBE__CSG_HEADER;
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
			status = gpube__csg_write_all(in->ctx, fd, in->p, k);
		in->p += k;
		left -= k;
		gpube__progress(in->ctx, 1 - (double)left / (double)all, "reading");
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

static int read_to_file(struct gpube_table *t, struct gpube_in *in, int n, enum gpube_type type)
{
	const int fd = gpube__csg_nameless_file(in->ctx);
	int status;

	if (fd < 0)
		return GPUBE_EIO;
	status = read_values(in, (uint64_t)gpube__type_size(type) << n, NULL, fd);
	if (!status)
		status = gpube__csg_map_values(t, in->ctx, fd, n, type);
	close(fd);
	return status;
}

static int read_binary(struct gpube_table *t, struct gpube_in *in)
{
	enum gpube_type type = GPUBE_INT16;
	uint32_t n = 0;
	uint64_t bytes;
	int status = read_header(in, &n, &type);

	if (!status && big_endian())
		status = gpube__in_fail(
			in, GPUBE_EINVAL, "binary games are read on little-endian machines only");
	if (status)
		return status;
	status = gpube__csg_map(t, in, (int)n, type);
	if (status || t->values)
		return status;
	bytes = (uint64_t)gpube__type_size(type) << n;
	/* conv has half as many sums beside the values */
	if (bytes / 2 * 3 > in->ctx->memory_bytes)
		return read_to_file(t, in, (int)n, type);
	status = gpube__coalitions_alloc(t, in->ctx, (int)n, type);
	if (!status)
		status = read_values(in, bytes, t->values, -1);
	if (status)
		gpube__table_release(t, in->ctx);
	return status;
}

/* ---- text ---------------------------------------------------------------------------------------
 */

static int read_real(enum gpube_type type, struct gpube_in *in, int64_t *v)
{
	double real;
	int status = gpube__in_real(in, &real, "a value");

	if (status)
		return status;
	if (type == GPUBE_FLOAT32 && fabs(real) > FLT_MAX)
		return gpube__in_refuse(in, "a value that fits float32");
	*v = gpube__coalition_from(type, real);
	return GPUBE_OK;
}

/* A value of the type, or the word 'forbidden', as gpube__coalition_at() has them. */
static int read_value(enum gpube_type type, struct gpube_in *in, int64_t *v)
{
	char token[256];

	if (!gpube__in_at_end(in) && *in->p == 'f') {
		int status = gpube__in_token(in, token, "a value");

		if (status)
			return status;
		if (strcmp(token, "forbidden") != 0)
			return gpube__in_expected(in, "a value or 'forbidden'", token);
		*v = gpube__coalition_from(type, -INFINITY);
		return GPUBE_OK;
	}
	return gpube__type_is_int(type) ? gpube__in_int(in, v, -gpube__forbidden(type),
						  gpube__forbidden(type), "an integer value")
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

/* A text: its list; from a 64th of all coalitions on a table, and a bit for each with a value. */
struct reader {
	struct gpube_in *in;
	struct gpube__listing list;
	struct gpube_table dense;
	uint64_t *seen;
};

static int read_first_line(struct reader *r)
{
	struct gpube_in *in = r->in;
	char token[256];
	int64_t n, type;
	int status;

	gpube__in_more(in, '#');
	status = gpube__in_token(in, token, "'csg'");
	if (!status && strcmp(token, "csg") != 0)
		status = gpube__in_expected(in, "'csg'", token);
	if (!status)
		status = gpube__in_int(in, &n, 1, GPUBE_MAX_AGENTS, "a number of agents");
	if (!status)
		status = gpube__in_token(in, token, "a value type");
	if (status)
		return status;
	for (type = GPUBE_INT16; type <= GPUBE_FLOAT64; type++)
		if (!strcmp(token, gpube__type_name((enum gpube_type)type)))
			break;
	if (type > GPUBE_FLOAT64)
		return gpube__in_expected(in, "int16, int32, int64, float32 or float64", token);
	gpube__listing_init(&r->list, in->ctx, (int)n, (enum gpube_type)type);
	return GPUBE_OK;
}

static int read_default(struct reader *r)
{
	struct gpube_in *in = r->in;
	char token[256];
	int status;

	if (!gpube__in_more(in, '#') || *in->p != 'd')
		return GPUBE_OK;
	status = gpube__in_token(in, token, "'default'");
	if (!status && strcmp(token, "default") != 0)
		status = gpube__in_expected(in, "'default' or a coalition", token);
	return status ? status : read_value(r->list.type, in, &r->list.other);
}

/* A table instead of the list. */
static int make_table(struct reader *r)
{
	const uint64_t n = (uint64_t)1 << r->list.n_agents;
	struct gpube_table list;
	int status = gpube__in_charge(
		r->in, n, 10, "a table of all coalitions of %d agents", r->list.n_agents);

	if (status)
		return status;
	gpube__listing_take(&list, &r->list);
	status = gpube__coalitions_fill(&r->dense, r->in->ctx, &list);
	if (!status)
		r->seen = gpube__alloc_zero(r->in->ctx, (n + 63) / 64, sizeof(*r->seen));
	for (int64_t k = 0; r->seen && k < list.n; k++)
		gpube__bit_put(r->seen, (int64_t)list.masks[k]);
	gpube__table_release(&list, r->in->ctx);
	return status || r->seen ? status : GPUBE_ENOMEM;
}

static int take_value(struct reader *r, uint64_t c, int64_t value)
{
	if (!r->seen)
		return gpube__listing_add(&r->list, c, value);
	gpube__bit_put(r->seen, (int64_t)c);
	gpube__coalition_put(r->dense.type, r->dense.values, (int64_t)c, value);
	return GPUBE_OK;
}

static bool has_value(const struct reader *r, uint64_t c)
{
	return r->seen ? gpube__bit(r->seen, (int64_t)c)
		       : gpube__mask_find(&r->list.index, r->list.mask, c) >= 0;
}

static int read_lines(struct reader *r)
{
	struct gpube_in *in = r->in;
	const int n = r->list.n_agents;
	uint64_t c = 0;
	int64_t value = 0;
	int status = GPUBE_OK;

	while (!status && gpube__in_more(in, '#')) {
		if (!r->seen && gpube__wants_table(n, r->list.n))
			status = make_table(r);
		if (!status)
			status = read_coalition(in, &c, n);
		if (!status && has_value(r, c))
			status = gpube__in_error(
				in, "coalition %llu has a value already", (unsigned long long)c);
		if (!status)
			status = read_value(r->list.type, in, &value);
		if (!status)
			status = take_value(r, c, value);
	}
	if (!status && !r->seen && gpube__wants_table(n, 0)) /* nothing but a default */
		status = make_table(r);
	return status ? status : in->status;
}

static int read_text(struct gpube_table *t, struct gpube_in *in)
{
	struct reader r = {.in = in, .list = {.ctx = in->ctx}};
	int status = read_first_line(&r);

	if (!status)
		status = read_default(&r);
	if (!status)
		status = read_lines(&r);
	if (!status && !r.seen)
		gpube__listing_take(t, &r.list);
	else if (!status)
		*t = r.dense;
	else
		gpube__table_release(&r.dense, in->ctx);
	gpube__free(in->ctx, r.seen);
	gpube__listing_clear(&r.list);
	return status;
}

static bool is_binary(struct gpube_in *in)
{
	char start[8];

	return gpube__in_peek(in, start, 8) == 8 && !memcmp(start, MAGIC, 8);
}

bool gpube__sniff_csg(const char *text, size_t n, const char *path)
{
	const char *word = gpube__skip_comments(text);

	(void)path;
	if (n >= 8 && !memcmp(text, MAGIC, 8))
		return true;
	if (strncmp(word, "csg", 3) != 0 || !isspace((unsigned char)word[3]))
		return false;
	/* a .wcsp of that name goes on with numbers, where the type would be */
	word += 3 + strspn(word + 3, BLANKS);
	word += strcspn(word, BLANKS);
	return !isdigit((unsigned char)word[strspn(word, BLANKS)]);
}

int gpube__csg_read(struct gpube_model *m, struct gpube_in *in)
{
	struct gpube_table t;
	int status = is_binary(in) ? read_binary(&t, in) : read_text(&t, in);

	return status ? status : gpube__coalitions_take(m, &t);
}

/* ---- writing ------------------------------------------------------------------------- */

static void put_little(char *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = (char)(v >> 8 * i);
}

static void write_value(struct gpube_out *out, enum gpube_type type, int64_t v)
{
	if (gpube__coalition_real(type, v) == -INFINITY)
		gpube__out_text(out, "forbidden\n");
	else if (gpube__type_is_int(type))
		gpube__out_printf(out, "%lld\n", (long long)v);
	else {
		gpube__out_real(out, gpube__coalition_real(type, v));
		gpube__out_text(out, "\n");
	}
}

static int write_text(const struct gpube_table *t, struct gpube_out *out)
{
	gpube__out_printf(out, "csg %d %s\n", t->arity, gpube__type_name(t->type));
	if (t->sparse) {
		gpube__out_text(out, "default ");
		write_value(out, t->type, gpube__coalition_at(t, -1));
	}
	for (int64_t k = t->sparse ? 0 : 1; k < t->n && !out->status; k++) {
		const int64_t v = gpube__coalition_at(t, k);

		if (!t->sparse && gpube__coalition_real(t->type, v) == -INFINITY)
			continue;
		gpube__out_printf(
			out, "%llu ", (unsigned long long)(t->sparse ? t->masks[k] : (uint64_t)k));
		write_value(out, t->type, v);
	}
	return out->status;
}

static int write_binary(const struct gpube_table *t, struct gpube_out *out)
{
	const uint64_t bytes = (uint64_t)gpube__type_size(t->type) << t->arity;
	char header[GPUBE__CSG_HEADER] = MAGIC;

	put_little(header + 8, 1);
	put_little(header + 12, (uint32_t)t->arity);
	put_little(header + 16, (uint32_t)(t->type - GPUBE_INT16));
	gpube__out_bytes(out, header, sizeof(header));
	for (uint64_t at = 0; at < bytes && !out->status; at += 1 << 20)
		gpube__out_bytes(out, (const char *)t->values + at,
			(size_t)(bytes - at < 1 << 20 ? bytes - at : 1 << 20));
	return out->status;
}

int gpube__csg_write(const struct gpube_model *m, struct gpube_out *out)
{
	const struct gpube_table *t = gpube__coalitions_table(m);
	const bool text = gpube__has_extension(out->path, "txt") || !strcmp(out->path, "<stdout>");

	if (!t || (t->owner && t->owner->fetch))
		return gpube__fail(
			m->ctx, GPUBE_EINVAL, "'%s': the values are not stored here", out->path);
	if (!text && big_endian())
		return gpube__fail(m->ctx, GPUBE_EINVAL,
			"binary games are written on little-endian machines only");
	if (!text && t->sparse)
		return gpube__fail(m->ctx, GPUBE_EINVAL,
			"a game without a table is written as text only: name it .txt");
	if (m->scale)
		gpube__log(m->ctx, GPUBE_LOG_NOTE, "%s: values are in units of 10^-%d", out->path,
			m->scale);
	return text ? write_text(t, out) : write_binary(t, out);
}

/* ---- comparing ------------------------------------------------------------------------- */

/* Coalition k of a table's, or of those that it lists. */
static uint64_t coalition_of(const struct gpube_table *t, int64_t k)
{
	return t->sparse ? t->masks[k] : (uint64_t)k;
}

/* What b says of all that a holds: a table of little else than the default reads back as a list. */
static int compare_values(struct gpube_ctx *ctx, const struct gpube_table *a,
	const struct gpube_table *b, const struct gpube__mask_index *of_b)
{
	for (int64_t k = a->sparse ? 0 : 1; k < a->n; k++) {
		const uint64_t c = coalition_of(a, k);
		const int64_t at = b->sparse ? gpube__mask_find(of_b, b->masks, c) : (int64_t)c;

		if (gpube__coalition_at(a, k) != gpube__coalition_at(b, at))
			return gpube__fail(ctx, GPUBE_EBUG,
				"coalition %llu is worth something else when read back",
				(unsigned long long)c);
	}
	return GPUBE_OK;
}

int gpube__csg_check(const struct gpube_model *m, const struct gpube_model *again)
{
	const struct gpube_table *a = gpube__coalitions_table(m);
	const struct gpube_table *b = gpube__coalitions_table(again);
	struct gpube__mask_index index = {0};
	int status;

	if (a->arity != b->arity || a->type != b->type ||
		(a->sparse && b->sparse &&
			(a->n != b->n || gpube__coalition_at(a, -1) != gpube__coalition_at(b, -1))))
		return gpube__fail(m->ctx, GPUBE_EBUG, "it is another game when read back");
	status = gpube__mask_index(&index, m->ctx, b);
	if (!status)
		status = compare_values(m->ctx, a, b, &index);
	gpube__free(m->ctx, index.slot);
	return status;
}
