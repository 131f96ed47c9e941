/*
 * wcsp_table.c - tuples of .wcsp functions. See wcsp_table.h.
 *
 * Tuples mostly come in order, so that a line begins as the one before: comparing
 * what stands in front of the last value takes no parsing. Tables of few cells are
 * filled in place; others go through tuples.h, which decides at the end what they
 * become.
 */
#include "formats/wcsp/wcsp_table.h"

#include <string.h>

#include "formats/io/digits.h"
#include "formats/common/reading.h"
#include "gpube/ir/tuples.h"

enum { LISTED = 512 };

/* The tuple that was read last, and how the next is expected to begin. */
struct lines {
	struct gpube_in *in;
	const char *end; /* of the window */
	int64_t line;
	int64_t top;
	int arity;
	const int32_t *domains;
	int32_t *tuple;
	uint64_t text[2], mask[2]; /* a line's end and all values but the last; which bytes */
	int n;                     /* bytes of it; 0: too long, or no line of its own */
	uint64_t base;             /* the cell of that with 0 as its last value, modulo 2^64 */
	uint64_t cell;
	int64_t cost;
};

/* Where the stream is. */
static const char *lines_begin(struct lines *l)
{
	l->end = l->in->end;
	l->line = l->in->line;
	return l->in->p;
}

/* What was read, up to p, is told to the stream. */
static void lines_end(struct lines *l, const char *p)
{
	l->in->p = l->in->last = p;
	l->in->line = l->line;
}

static inline bool is_blank(char c)
{
	return c == ' ' || c == '\n';
}

/* An integer >= 0 after blanks, all of it in the window; NULL: for the slow path to look at. */
static inline const char *quick_int(const char *p, uint64_t *v, int64_t *line)
{
	int n;

	while (is_blank(*p))
		*line += *p++ == '\n';
	p = gpube__digits16(p, v, &n);
	return n > 0 && is_blank(*p) ? p : NULL;
}

/* All values but the last; the next line is expected to begin with the same text. */
static const char *read_prefix(struct lines *l, const char *p, int64_t *line)
{
	const char *start = p;
	int64_t before = *line;
	uint64_t v, base = 0;
	size_t n;

	l->n = 0;
	for (int i = 0; i < l->arity - 1; i++) {
		p = quick_int(p, &v, line);
		if (!p || v >= (uint64_t)l->domains[i])
			return NULL;
		l->tuple[i] = (int32_t)v;
		base = (base + v) * (uint64_t)l->domains[i + 1];
	}
	while (is_blank(*p))
		*line += *p++ == '\n';
	l->base = base;
	n = (size_t)(p - start);
	if (n > 0 && n <= sizeof(l->text) && *line == before + 1) {
		memset(l->text, 0, sizeof(l->text));
		memset(l->mask, 0, sizeof(l->mask));
		memcpy(l->text, start, n);
		memset(l->mask, 0xff, n);
		l->n = (int)n;
	}
	return p;
}

static inline bool is_expected(const struct lines *l, const char *p)
{
	uint64_t x[2];

	if (l->n == 0 || l->end - p < (ptrdiff_t)sizeof(x))
		return false;
	memcpy(x, p, sizeof(x));
	return (((x[0] ^ l->text[0]) & l->mask[0]) | ((x[1] ^ l->text[1]) & l->mask[1])) == 0;
}

/*
 * The next tuple as it usually stands at p; NULL: it is still to be read. What
 * comes next waits for where this one ends, so p stays out of memory.
 */
static inline const char *read_quickly(struct lines *l, const char *p)
{
	int64_t line = l->line;
	uint64_t v, cost;
	int n;

	if (is_expected(l, p)) {
		p += l->n;
		line++;
	} else {
		p = read_prefix(l, p, &line);
		if (!p)
			return NULL;
	}
	n = gpube__digits8(p, &v);
	p += n;
	if (n == 0 || !is_blank(*p) || v >= (uint64_t)l->domains[l->arity - 1])
		return NULL;
	p = quick_int(p, &cost, &line);
	if (!p)
		return NULL;
	l->line = line;
	l->cell = l->base + v;
	l->tuple[l->arity - 1] = (int32_t)v;
	l->cost = (int64_t)cost >= l->top ? GPUBE_INF : (int64_t)cost;
	return p;
}

/* The same wherever it stands; NULL: in->status says why not. */
static const char *read_slowly(struct lines *l, const char *p)
{
	struct gpube_in *in = l->in;
	int64_t v;

	lines_end(l, p);
	l->cell = 0;
	for (int i = 0; i < l->arity; i++) {
		if (gpube__in_int(in, &v, 0, (int64_t)l->domains[i] - 1, "a value"))
			return NULL;
		l->tuple[i] = (int32_t)v;
		l->cell = l->cell * (uint64_t)l->domains[i] + (uint64_t)v;
	}
	if (gpube__in_int(in, &l->cost, 0, INT64_MAX, "a cost"))
		return NULL;
	if (l->cost >= l->top)
		l->cost = GPUBE_INF;
	return lines_begin(l);
}

static int given_before(struct lines *l)
{
	l->in->line = l->line;
	return gpube__in_error(l->in, "this tuple was given before");
}

static int failed(struct lines *l, int status)
{
	if (!l->in->status)
		l->in->status = status;
	return l->in->status;
}

/* ---- tables of few cells --------------------------------------------------------------- */

static int fill_grid(
	struct lines *l, const struct gpube_wcsp_function *f, struct gpube_wcsp_room *room)
{
	int32_t *given = room->given, function = room->function;
	int64_t *cost = room->cost;
	const char *p = lines_begin(l);

	for (int64_t k = 0; k < f->n; k++) {
		const char *next = read_quickly(l, p);

		p = next ? next : read_slowly(l, p);
		if (!p)
			return l->in->status;
		if (given[l->cell] == function)
			return given_before(l);
		given[l->cell] = function;
		cost[l->cell] = l->cost;
	}
	lines_end(l, p);
	return GPUBE_OK;
}

static int grid_reserve(struct gpube_wcsp_room *room, struct gpube_ctx *ctx, int64_t cells)
{
	int64_t old = room->given_capacity;

	if (gpube__grow(ctx, &room->cost, &room->cost_capacity, cells, sizeof(*room->cost)) ||
		gpube__grow(ctx, &room->given, &room->given_capacity, cells, sizeof(*room->given)))
		return GPUBE_ENOMEM;
	for (; old < room->given_capacity; old++)
		room->given[old] = 0;
	room->function++;
	return GPUBE_OK;
}

static int read_grid(struct gpube_table *table, struct lines *l,
	const struct gpube_wcsp_function *f, struct gpube_wcsp_room *room, int64_t cells)
{
	struct gpube_ctx *ctx = l->in->ctx;
	struct gpube_values v = {0};

	if (grid_reserve(room, ctx, cells))
		return failed(l, GPUBE_ENOMEM);
	for (int64_t k = 0; k < cells && f->n < cells; k++)
		room->cost[k] = f->dflt;
	if (fill_grid(l, f, room))
		return l->in->status;
	if (gpube__values_append(ctx, &v, room->cost, cells)) {
		gpube__values_clear(ctx, &v);
		return failed(l, GPUBE_ENOMEM);
	}
	*table = (struct gpube_table){
		.arity = f->arity, .type = v.type, .n = v.n, .values = v.values};
	return GPUBE_OK;
}

/* ---- other tables ------------------------------------------------------------------------ */

/* Costs of cells that follow each other, not yet in the table. */
struct run {
	int64_t n, cost[LISTED];
};

static int flush(struct run *run, struct gpube_tuples *t)
{
	int status = run->n ? gpube__tuples_list(t, run->cost, run->n) : GPUBE_OK;

	run->n = 0;
	return status;
}

static int fill_tuples(struct lines *l, const struct gpube_wcsp_function *f, struct gpube_tuples *t)
{
	struct run run;
	int status = GPUBE_OK;
	const char *p = lines_begin(l);

	run.n = 0;
	for (int64_t k = 0; k < f->n && !status; k++) {
		const char *next = read_quickly(l, p);

		p = next ? next : read_slowly(l, p);
		if (!p)
			return l->in->status;
		if (t->listing && t->cells > 0 && l->cell == (uint64_t)(t->values.n + run.n)) {
			run.cost[run.n++] = l->cost;
			if (run.n == LISTED)
				status = flush(&run, t);
			continue;
		}
		status = flush(&run, t);
		if (!status)
			status = gpube__tuples_push(t, l->tuple, l->cost, l->line);
	}
	lines_end(l, p);
	return status ? status : flush(&run, t);
}

static int read_tuples(
	struct gpube_table *table, struct lines *l, const struct gpube_wcsp_function *f)
{
	struct gpube_tuples t;
	int64_t twice;
	int status = gpube__tuples_init(&t, l->in->ctx, f->arity, f->domains, f->dflt);

	if (status)
		return failed(l, status);
	status = fill_tuples(l, f, &t);
	if (status) {
		gpube__tuples_clear(&t);
		return failed(l, status);
	}
	status = gpube__tuples_finish(&t, table, &twice);
	if (!status && twice) {
		l->line = twice;
		return given_before(l);
	}
	return failed(l, status);
}

/* ---- all of it --------------------------------------------------------------------------------
 */

int gpube__wcsp_table(struct gpube_table *table, struct gpube_ctx *ctx,
	const struct gpube_wcsp_function *f, struct gpube_wcsp_room *room)
{
	struct lines l = {.in = f->in, .top = f->top, .arity = f->arity, .domains = f->domains};
	int64_t cells = 1;

	for (int k = 0; k < f->arity; k++)
		cells = gpube__mul_size(cells, f->domains[k]);
	if (cells >= 0 && f->n > cells)
		return gpube__in_error(f->in, "%lld tuples where only %lld %s possible",
			(long long)f->n, (long long)cells, cells == 1 ? "is" : "are");
	if (gpube__in_given(f->in, f->n, "tuples") ||
		gpube__charge_dense(f->in, f->arity, f->domains))
		return f->in->status;
	if (gpube__grow(ctx, &room->tuple, &room->tuple_capacity, f->arity, sizeof(*room->tuple)))
		return f->in->status = GPUBE_ENOMEM;
	l.tuple = room->tuple;
	return f->arity <= GPUBE_FILLED_ARITY && cells >= 0 && cells <= GPUBE_FILLED_CELLS
		       ? read_grid(table, &l, f, room, cells)
		       : read_tuples(table, &l, f);
}

void gpube__wcsp_room_clear(struct gpube_wcsp_room *room, struct gpube_ctx *ctx)
{
	GPUBE_FREE_ALL(ctx, room->tuple, room->cost, room->given);
}
