/* live.c - values that can still occur, to a fixpoint. See live.h. */
#include "gpube/simplify/live.h"
#include "gpube/ir/graph.h"

#include <string.h>

/* Each time the sum of the minima rises, cells near top may fall: that is done so often. */
enum { MAX_SLACK_ROUNDS = 8 };

/* Cells of tables, and tables, that take a few milliseconds: between two looks for a stop. */
enum { SCANNED_BETWEEN_CHECKS = 1 << 16, LEAST_BETWEEN_CHECKS = 1 << 12 };

/* What one pass over a function works on. */
struct scan {
	struct gpube_live *s;
	struct gpube_incidence functions;
	int32_t *queue; /* a ring of n_functions */
	bool *queued;
	int64_t head, n_queued;
	int32_t *slot; /* of a variable: its dimension in the walk, or -1 */
	int64_t *row, *row_best, *offsets, *best, *count;
	/* of a shared table over whole domains, once it is known that nothing is removed */
	struct gpube_live_function *whole;
	bool *whole_known;
	int64_t n_scanned; /* since a stop was looked for */
	bool stopped;
};

unsigned __int128 gpube__live_cells(const struct gpube_live *s, int arity, const int32_t *scope)
{
	const unsigned __int128 most = (unsigned __int128)1 << 100;
	unsigned __int128 cells = 1;

	for (int k = 0; k < arity; k++) {
		cells *= (uint32_t)s->n[scope[k]];
		if (cells > most)
			cells = most;
	}
	return cells;
}

int64_t gpube__live_cut(const struct gpube_live *s, int64_t min)
{
	__int128 cut = min + (s->top - s->low);

	return !s->has_top || min == GPUBE_INF || cut > GPUBE__COST_LIMIT ? GPUBE_INF
									  : (int64_t)cut;
}

/* ---- removing values --------------------------------------------------------- */

static void enqueue(struct scan *c, int32_t f)
{
	if (c->queued[f])
		return;
	c->queued[f] = true;
	c->queue[(c->head + c->n_queued++) % c->s->m->n_functions] = f;
}

/* Removes the values of variable i whose best cell is forbidden; 'by' need not look again. */
static bool remove_values(struct scan *c, int32_t i, const int64_t *best, int32_t by)
{
	struct gpube_live *s = c->s;
	int32_t *list = s->list + s->start[i], *rank = s->rank + s->start[i], n = 0;

	for (int32_t j = 0; j < s->n[i]; j++) {
		int32_t a = list[j];

		rank[a] = best[j] == GPUBE_INF ? -1 : n;
		if (rank[a] >= 0)
			list[n++] = a;
	}
	if (n == s->n[i])
		return false;
	s->n_removed += s->n[i] - n;
	s->n[i] = n;
	s->infeasible |= n == 0;
	for (int64_t u = c->functions.start[i]; u < c->functions.start[i + 1]; u++)
		if (c->functions.of[u] != by)
			enqueue(c, c->functions.of[u]);
	return true;
}

/* ---- one function -------------------------------------------------------------- */

/* Shares the best of a row's cells out to the dimensions that make the row. */
static void split_row(const struct gpube_walk *walk, const int64_t *row_best, int64_t *best)
{
	int32_t after = walk->row;

	for (int k = walk->n_outer; k < walk->n_dims; k++) {
		after /= walk->size[k];
		for (int32_t j = 0; j < walk->row; j++) {
			int64_t *b = &best[j / after % walk->size[k]];

			if (row_best[j] < *b)
				*b = row_best[j];
		}
		best += walk->size[k];
	}
}

/* Finds min, max and, in 'best', the cheapest cell of each live value of the walked dimensions. */
static void scan_dense(struct scan *c, int32_t function, struct gpube_walk *walk)
{
	struct gpube_live *s = c->s;
	struct gpube_live_function *f = &s->f[function];
	struct gpube_window w;
	int64_t *best;

	gpube__walk_begin(walk);
	walk->n_windows = 1;
	walk->windows = &w;
	gpube__window_open(walk, &w, s, gpube__table(s->m, function), gpube__scope(s->m, function),
		c->slot, false, c->offsets);
	w.negate = s->negate;
	w.least = gpube__live_least(s, function);
	w.cut = f->cut;
	f->min = GPUBE_INF;
	for (int32_t j = 0; j < walk->row; j++)
		c->row_best[j] = GPUBE_INF;
	do {
		int64_t least = GPUBE_INF;

		gpube__window_row(c->row, walk, &w);
		for (int32_t j = 0; j < walk->row; j++) {
			int64_t v = c->row[j];

			if (v < least)
				least = v;
			if (v < c->row_best[j])
				c->row_best[j] = v;
			gpube__range_add(f, v);
		}
		best = c->best;
		for (int k = 0; k < walk->n_outer; k++) {
			if (least < best[walk->index[k]])
				best[walk->index[k]] = least;
			best += walk->size[k];
		}
	} while (gpube__walk_next(walk));
	split_row(walk, c->row_best, best);
}

/*
 * The same for a sparse table: tuples of live values, then the default for the
 * values (or cells) that have fewer tuples than cells.
 */
static void scan_sparse(struct scan *c, int32_t function)
{
	struct gpube_live *s = c->s;
	struct gpube_live_function *f = &s->f[function];
	const struct gpube_table *t = gpube__table(s->m, function);
	const int32_t *scope = gpube__scope(s->m, function);
	unsigned __int128 cells = gpube__live_cells(s, t->arity, scope);
	int64_t v, at, cut = f->cut, n_tuples = 0, lowest = gpube__live_least(s, function);

	f->min = GPUBE_INF;
	for (int64_t k = 0; k < t->n; k++) {
		const int32_t *tuple = t->tuples + k * t->arity;
		int d = 0;

		while (d < t->arity && s->rank[s->start[scope[d]] + tuple[d]] >= 0)
			d++;
		if (d < t->arity)
			continue;
		n_tuples++;
		v = gpube__live_cost(gpube__table_int(t, k), s->negate, lowest);
		if (v >= cut)
			v = GPUBE_INF;
		gpube__range_add(f, v);
		at = 0;
		for (d = 0; d < t->arity; d++) {
			int32_t j = s->rank[s->start[scope[d]] + tuple[d]];

			c->count[at + j]++;
			if (v < c->best[at + j])
				c->best[at + j] = v;
			at += s->n[scope[d]];
		}
	}
	v = gpube__live_cost(t->dflt.i, s->negate, lowest);
	if (v >= cut || cells == (unsigned __int128)n_tuples)
		return;
	gpube__range_add(f, v);
	at = 0;
	for (int d = 0; d < t->arity; d++) {
		unsigned __int128 others = cells / (uint32_t)s->n[scope[d]];

		for (int32_t j = 0; j < s->n[scope[d]]; j++, at++)
			if ((unsigned __int128)c->count[at] < others && v < c->best[at])
				c->best[at] = v;
	}
}

/* A table that many functions share is read once while their domains are whole. */
static bool known(struct scan *c, int32_t function, bool *whole)
{
	struct gpube_live *s = c->s;
	const struct gpube_function *f = &s->m->functions[function];
	const int32_t *scope = gpube__scope(s->m, function);

	*whole = s->f[function].cut == GPUBE_INF && s->m->tables[f->table].n_users > 1;
	for (int k = 0; *whole && k < f->arity; k++)
		*whole = s->n[scope[k]] == s->m->vars[scope[k]].domain;
	if (!*whole || !c->whole_known[f->table])
		return false;
	s->f[function] = c->whole[f->table];
	return true;
}

static void scan_function(struct scan *c, int32_t function)
{
	struct gpube_live *s = c->s;
	const struct gpube_function *f = &s->m->functions[function];
	const int32_t *scope = gpube__scope(s->m, function);
	bool sparse = gpube__table(s->m, function)->sparse, whole, removed = false;
	struct gpube_walk walk = {0};
	int64_t *best = c->best, n = 0;

	if (known(c, function, &whole))
		return;
	for (int k = 0; k < f->arity; k++) {
		int32_t size = s->n[scope[k]];

		if (!sparse && size == 1)
			continue;
		if (!sparse)
			c->slot[scope[k]] = gpube__walk_add(&walk, size);
		for (int32_t j = 0; j < size; j++)
			best[n + j] = GPUBE_INF;
		if (sparse)
			memset(c->count + n, 0, (size_t)size * sizeof(*c->count));
		n += size;
	}
	if (sparse)
		scan_sparse(c, function);
	else
		scan_dense(c, function, &walk);
	s->infeasible |= s->f[function].min == GPUBE_INF;
	for (int k = 0; k < f->arity; k++) {
		int32_t size = s->n[scope[k]];

		c->slot[scope[k]] = -1;
		if (!sparse && size == 1)
			continue;
		if (s->reductions && !s->infeasible)
			removed |= remove_values(c, scope[k], best, function);
		best += size;
	}
	if (whole && !removed) {
		c->whole_known[f->table] = true;
		c->whole[f->table] = s->f[function];
	}
}

/* ---- to the fixpoint ------------------------------------------------------------- */

static void run_queue(struct scan *c)
{
	while (c->n_queued && !c->s->infeasible && !c->stopped) {
		int32_t f = c->queue[c->head];

		c->head = (c->head + 1) % c->s->m->n_functions;
		c->n_queued--;
		c->queued[f] = false;
		scan_function(c, f);
		/* by what was scanned, lest large tables make it rare */
		c->n_scanned += 1 + gpube__table(c->s->m, f)->n;
		if (c->n_scanned >= SCANNED_BETWEEN_CHECKS) {
			c->n_scanned = 0;
			c->stopped = gpube__stopped(c->s->m->ctx);
		}
	}
}

static void add_minima(struct gpube_live *s)
{
	s->low = s->base;
	for (int32_t f = 0; f < s->m->n_functions; f++)
		s->low += s->f[f].min;
	s->infeasible |= s->has_top && s->low >= s->top;
}

static void propagate(struct scan *c)
{
	struct gpube_live *s = c->s;

	for (int32_t f = 0; f < s->m->n_functions; f++)
		enqueue(c, f);
	for (int round = 0; round < MAX_SLACK_ROUNDS; round++) {
		run_queue(c);
		if (s->infeasible || c->stopped)
			return;
		add_minima(s);
		if (s->infeasible || !s->has_top)
			return;
		for (int32_t f = 0; f < s->m->n_functions; f++) {
			int64_t cut = gpube__live_cut(s, s->f[f].min);

			if (cut < s->f[f].cut && s->f[f].max >= cut)
				enqueue(c, f);
			if (cut < s->f[f].cut)
				s->f[f].cut = cut;
		}
		if (!c->n_queued)
			return;
	}
	run_queue(c);
	if (!s->infeasible && !c->stopped)
		add_minima(s);
}

/* ---- memory ------------------------------------------------------------------------ */

static int scan_init(struct scan *c, struct gpube_live *s)
{
	const struct gpube_model *m = s->m;
	struct gpube_ctx *ctx = m->ctx;
	uint64_t row = GPUBE__ROW, widest = 1;

	memset(c, 0, sizeof(*c));
	c->s = s;
	for (int32_t f = 0; f < m->n_functions; f++) {
		uint64_t sum = 0;

		for (int k = 0; k < m->functions[f].arity; k++) {
			uint64_t n = (uint64_t)s->n[gpube__scope(m, f)[k]];

			sum += n;
			row = n > row ? n : row;
		}
		widest = sum > widest ? sum : widest;
	}
	c->row = gpube__alloc(ctx, row, sizeof(*c->row));
	c->row_best = gpube__alloc(ctx, row, sizeof(*c->row_best));
	c->offsets = gpube__alloc(ctx, widest + row, sizeof(*c->offsets));
	c->best = gpube__alloc(ctx, widest, sizeof(*c->best));
	c->count = gpube__alloc(ctx, widest, sizeof(*c->count));
	c->queue = gpube__alloc(ctx, (uint64_t)m->n_functions, sizeof(*c->queue));
	c->queued = gpube__alloc_zero(ctx, (uint64_t)m->n_functions, sizeof(*c->queued));
	c->whole = gpube__alloc(ctx, (uint64_t)m->n_tables, sizeof(*c->whole));
	c->whole_known = gpube__alloc_zero(ctx, (uint64_t)m->n_tables, sizeof(*c->whole_known));
	c->slot = gpube__alloc(ctx, (uint64_t)m->n_vars, sizeof(*c->slot));
	if (!c->row || !c->row_best || !c->offsets || !c->best || !c->count || !c->queue ||
		!c->queued || !c->whole || !c->whole_known || !c->slot)
		return GPUBE_ENOMEM;
	for (int32_t i = 0; i < m->n_vars; i++)
		c->slot[i] = -1;
	return gpube__incidence_of_model(&c->functions, m);
}

static void scan_clear(struct scan *c)
{
	struct gpube_ctx *ctx = c->s->m->ctx;

	gpube__incidence_clear(ctx, &c->functions);
	GPUBE_FREE_ALL(ctx, c->queue, c->queued, c->slot, c->row, c->row_best, c->offsets, c->best,
		c->count, c->whole, c->whole_known);
}

int gpube__live_propagate(struct gpube_live *s)
{
	struct scan c;
	int status = scan_init(&c, s);

	if (!status) {
		propagate(&c);
		if (c.stopped)
			status = gpube__fail_stopped(s->m->ctx);
	}
	scan_clear(&c);
	return status;
}

/*
 * What all of it and the scan take for a value, about; and what is never too much. Refused here, so
 * that the system need not end us: its promise of memory costs nothing until we write to it.
 */
#define VALUE_BYTES   32.0
#define ALWAYS_ENOUGH 0x1p28

static int check_values(const struct gpube_live *s, int64_t values)
{
	struct gpube_ctx *ctx = s->m->ctx;
	const double bytes = (double)values * VALUE_BYTES;
	char text[GPUBE_BYTES_TEXT];

	if (bytes <= ALWAYS_ENOUGH || bytes <= (double)ctx->memory_bytes)
		return GPUBE_OK;
	return gpube__fail(ctx, GPUBE_ELIMIT,
		"the domains have %lld values, which take %s: more than the memory",
		(long long)values, gpube__bytes_text(text, bytes));
}

/* Room in list and rank: the domain, or one value where no function asks for more. */
static int place_lists(struct gpube_live *s)
{
	const struct gpube_model *m = s->m;
	int64_t at = 0;

	for (int64_t k = 0; k < m->n_scopes; k++)
		s->start[m->scopes[k]] = 1;
	for (int32_t i = 0; i < m->n_vars; i++) {
		int64_t size = s->start[i] ? m->vars[i].domain : 1;

		s->start[i] = at;
		at += size;
	}
	s->start[m->n_vars] = at;
	if (check_values(s, at))
		return GPUBE_ELIMIT;
	s->list = gpube__alloc(m->ctx, (uint64_t)at, sizeof(*s->list));
	s->rank = gpube__alloc(m->ctx, (uint64_t)at, sizeof(*s->rank));
	if (!s->list || !s->rank)
		return GPUBE_ENOMEM;
	for (int32_t i = 0; i < m->n_vars; i++)
		for (int64_t k = s->start[i]; k < s->start[i + 1]; k++)
			s->list[k] = s->rank[k] = (int32_t)(k - s->start[i]);
	return GPUBE_OK;
}

static int observe(struct gpube_live *s, int32_t i, int32_t value)
{
	const struct gpube_model *m = s->m;
	int32_t *rank = s->rank + s->start[i];

	if (value >= m->vars[i].domain)
		return gpube__fail(m->ctx, GPUBE_EINVAL,
			"observed value %d of variable %d: its domain has %d values", value, i,
			m->vars[i].domain);
	if (!s->reductions)
		return GPUBE_OK;
	for (int64_t a = 0; a < s->start[i + 1] - s->start[i]; a++)
		rank[a] = a == value ? 0 : -1;
	s->n[i] = 1;
	s->list[s->start[i]] = value;
	return GPUBE_OK;
}

/* Dense tables of 32 bits and less are taken as they are: gpube__window_row() reads no least. */
static bool has_least(const struct gpube_table *t)
{
	return t->sparse || t->type == GPUBE_INT64;
}

/* A table's least finite cost, or its greatest; 0 if it has none. */
static int64_t least_of(const struct gpube_table *t, bool has_default, bool greatest)
{
	int64_t least = has_default ? t->dflt.i : GPUBE_INF;

	for (int64_t k = 0; k < t->n; k++) {
		int64_t v = gpube__table_int(t, k);

		if (v != GPUBE_INF && (least == GPUBE_INF || (greatest ? v > least : v < least)))
			least = v;
	}
	return least == GPUBE_INF ? 0 : least;
}

static int find_least(struct gpube_live *s)
{
	const struct gpube_model *m = s->m;
	bool *seen = gpube__alloc_zero(m->ctx, (uint64_t)m->n_tables, sizeof(*seen));

	s->least = gpube__alloc_zero(m->ctx, (uint64_t)m->n_tables, sizeof(*s->least));
	if (!seen || !s->least) {
		gpube__free(m->ctx, seen);
		return GPUBE_ENOMEM;
	}
	s->base = s->negate ? -(__int128)m->constant : m->constant;
	for (int32_t f = 0; f < m->n_functions; f++) {
		const struct gpube_table *t = gpube__table(m, f);
		int64_t *least = &s->least[m->functions[f].table];
		bool *known = &seen[m->functions[f].table];

		if (f % LEAST_BETWEEN_CHECKS == LEAST_BETWEEN_CHECKS - 1 &&
			gpube__stopped(m->ctx)) {
			gpube__free(m->ctx, seen);
			return gpube__fail_stopped(m->ctx);
		}
		if (!*known && has_least(t))
			*least = least_of(t,
				t->sparse && gpube__live_cells(s, t->arity, gpube__scope(m, f)) !=
						     (unsigned __int128)t->n,
				s->negate);
		*known = true;
		s->base += s->negate ? -(__int128)*least : *least;
	}
	gpube__free(m->ctx, seen);
	return GPUBE_OK;
}

/* Where no function has a variable, place_lists() has made room for one value. */
static void settle(struct gpube_live *s)
{
	for (int32_t i = 0; i < s->m->n_vars; i++) {
		if (!gpube__live_settled(s, i))
			continue;
		s->n[i] = 1;
		s->n_settled++;
	}
}

int gpube__live_init(
	struct gpube_live *s, const struct gpube_model *m, bool reductions, bool settles)
{
	struct gpube_ctx *ctx = m->ctx;
	int status;

	memset(s, 0, sizeof(*s));
	s->m = m;
	s->reductions = reductions;
	s->settles = reductions && settles;
	s->negate = m->direction == GPUBE_MAXIMISE;
	s->has_top = s->negate ? m->top > -GPUBE_INF : m->top < GPUBE_INF;
	s->top = s->negate ? -(__int128)m->top : m->top;
	s->start = gpube__alloc_zero(ctx, (uint64_t)m->n_vars + 1, sizeof(*s->start));
	s->n = gpube__alloc(ctx, (uint64_t)m->n_vars, sizeof(*s->n));
	s->f = gpube__alloc(ctx, (uint64_t)m->n_functions, sizeof(*s->f));
	if (!s->start || !s->n || !s->f)
		return GPUBE_ENOMEM;
	status = place_lists(s);
	if (status)
		return status;
	for (int32_t i = 0; i < m->n_vars; i++)
		s->n[i] = m->vars[i].domain;
	for (int32_t f = 0; f < m->n_functions; f++)
		s->f[f] = (struct gpube_live_function){0, 0, GPUBE_INF};
	status = find_least(s);
	for (int32_t i = 0; !status && m->evidence && i < m->n_vars; i++)
		if (m->evidence[i] >= 0)
			status = observe(s, i, m->evidence[i]);
	if (!status && s->settles)
		settle(s);
	return status;
}

void gpube__live_clear(struct gpube_live *s)
{
	struct gpube_ctx *ctx = s->m->ctx;

	GPUBE_FREE_ALL(ctx, s->start, s->n, s->list, s->rank, s->f, s->least);
}
