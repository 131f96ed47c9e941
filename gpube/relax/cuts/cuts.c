/* cuts.c - nodes on a linear program over cycles: see cuts.h. */
#include "gpube/relax/cuts/cuts_parts.h"

#include <math.h>
#include <string.h>

/* Steps of the simplex method at a time; in a part that is looked at. */
enum { WINDOW = 2000, LOOK_STEPS = 100 };
/* Rounds of rows that brought less than a part of what is missing, after which it is enough. */
#define LITTLE 0.005
enum { SLOW_ROUNDS = 8 };
/* Rows that did not bind so often go, where they are one of so many. */
enum { OLD = 3, ENOUGH_OLD = 8 };
/* Costs in the program are changed by such a part of the target at most, in sum. */
#define NOISE 1e-4
/* Rows at most. */
enum { MOST_ROWS = 1 << 16 };

/* ---- the program ----------------------------------------------------------------------------- */

/*
 * What an edge costs in the program. Where many cuts are equally good rows cut off one of them
 * after the other: with a little more or less for each edge there is one best.
 */
static double cost_of(const struct gpube_cuts_graph *p, int32_t e, bool exact)
{
	const double cost = (double)p->weight[e] * p->unit;
	uint64_t x = ((uint64_t)e + 1) * 0x9e3779b97f4a7c15u;

	if (exact)
		return cost;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return cost + NOISE * p->unit * (double)p->of.target / p->n_edges *
			      ((double)(x >> 11) * 0x1p-52 - 1);
}

/* Errors: it has failed */
static bool set_costs(struct gpube_cuts_state *s, bool exact)
{
	double *cost = s->exact == exact ? NULL : gpube__clp_cost(s->clp);

	for (int32_t e = 0; cost && e < s->p->n_edges; e++)
		cost[e] = cost_of(s->p, e, exact);
	s->exact = cost ? exact : s->exact;
	return s->exact == exact;
}

/* It has columns alone. */
static struct gpube_clp *new_program(const struct gpube_cuts_graph *p, struct gpube_ctx *ctx)
{
	const uint64_t n = (uint64_t)p->n_edges + 1;
	struct gpube__arrays memory = {.ctx = ctx};
	int *start = gpube__array(&memory, n, sizeof(*start));
	double *low = gpube__array(&memory, n, sizeof(*low)),
	       *high = gpube__array(&memory, n, sizeof(*high)),
	       *cost = gpube__array(&memory, n, sizeof(*cost));
	struct gpube_clp *clp = NULL;

	if (!memory.failed) {
		for (int32_t e = 0; e < p->n_edges; e++) {
			high[e] = 1;
			cost[e] = cost_of(p, e, false);
		}
		clp = gpube__clp_new(ctx, &(struct gpube_clp_problem){.n_columns = p->n_edges,
						  .start = start,
						  .row = start,
						  .entry = low,
						  .column_low = low,
						  .column_high = high,
						  .cost = cost,
						  .row_low = low,
						  .row_high = high});
	}
	gpube__arrays_clear(&memory);
	return clp;
}

/* Rows from 'from' on are added to the program. Errors: ENOMEM */
static int add_rows(struct gpube_cuts_state *s, int32_t from)
{
	const struct gpube_cuts_rows *rows = &s->rows;
	const uint64_t n = (uint64_t)(rows->n - from);
	const int64_t first = rows->n ? rows->at[from] : 0;
	struct gpube__arrays memory = {.ctx = s->ctx};
	int *start, *column;
	double *entry, *high;
	bool added = false;

	if (!n)
		return GPUBE_OK;
	start = gpube__array(&memory, n + 1, sizeof(*start));
	high = gpube__array(&memory, n, sizeof(*high));
	column = gpube__array(&memory, (uint64_t)(rows->n_entries - first), sizeof(*column));
	entry = gpube__array(&memory, (uint64_t)(rows->n_entries - first), sizeof(*entry));
	if (!memory.failed) {
		for (uint64_t r = 0; r < n; r++) {
			start[r + 1] = (int)(rows->at[(uint64_t)from + r + 1] - first);
			high[r] = gpube__cuts_limit(rows, from + (int32_t)r);
		}
		for (int64_t k = first; k < rows->n_entries; k++) {
			column[k - first] = rows->entries[k] >> 1;
			entry[k - first] = rows->entries[k] & 1 ? 1 : -1;
		}
		added = gpube__clp_add(s->clp, (int)n, start, column, entry, high);
	}
	gpube__arrays_clear(&memory);
	s->stamp++;
	return added ? GPUBE_OK : GPUBE_ENOMEM;
}

/* Rows of which keep[r] is 0 go, or all (NULL), from the program as well. Errors: ENOMEM */
static int drop_rows(struct gpube_cuts_state *s, const char *keep)
{
	struct gpube_cuts_rows *rows = &s->rows;
	int *gone = gpube__alloc(s->ctx, (uint64_t)rows->n + 1, sizeof(*gone));
	int64_t to = 0, from = 0;
	int32_t n = 0, n_gone = 0;
	bool dropped;

	if (!gone)
		return GPUBE_ENOMEM;
	for (int32_t r = 0; r < rows->n; r++) {
		const int64_t end = rows->at[r + 1];

		if (keep && keep[r]) {
			memmove(rows->entries + to, rows->entries + from,
				(size_t)(end - from) * sizeof(*rows->entries));
			to += end - from;
			rows->age[n] = rows->age[r];
			rows->price[n] = rows->price[r];
			rows->at[++n] = to;
		} else {
			gone[n_gone++] = r;
		}
		from = end;
	}
	rows->n = n;
	rows->n_entries = to;
	dropped = gpube__clp_drop(s->clp, n_gone, gone);
	gpube__free(s->ctx, gone);
	s->stamp++;
	return dropped ? GPUBE_OK : GPUBE_ENOMEM;
}

/* Rows that do not bind age; where many are old, these go. Errors: ENOMEM */
static int drop_old(struct gpube_cuts_state *s)
{
	struct gpube_cuts_rows *rows = &s->rows;
	const unsigned char *basis = gpube__clp_basis(s->clp) + s->p->n_edges;
	char *keep = gpube__alloc_zero(s->ctx, (uint64_t)rows->n + 1, 1);
	int32_t old = 0;
	int status = GPUBE_OK;

	if (!keep)
		return GPUBE_ENOMEM;
	for (int32_t r = 0; r < rows->n; r++) {
		rows->age[r] = (basis[r] & 7) == GPUBE__CLP_BASIC ? rows->age[r] + 1 : 0;
		keep[r] = rows->age[r] < OLD;
		old += !keep[r];
	}
	if (old > rows->n / ENOUGH_OLD)
		status = drop_rows(s, keep);
	gpube__free(s->ctx, keep);
	return status;
}

/* ---- states ---------------------------------------------------------------------------------- */

static uint64_t bytes(const struct gpube_relaxed *of)
{
	const struct gpube_cuts_graph *p = (const struct gpube_cuts_graph *)of;

	/* some rows for each edge, in several forms, and factors of a basis */
	return 8000 * (uint64_t)p->n_edges;
}

static void close_state(void *state)
{
	struct gpube_cuts_state *s = state;
	struct gpube_ctx *ctx;

	if (!s)
		return;
	ctx = s->ctx;
	gpube__clp_free(ctx, s->clp);
	gpube__cuts_rows_clear(ctx, &s->rows);
	gpube__cuts_search_clear(s);
	gpube__free(ctx, s->basis);
	gpube__arrays_clear(&s->memory);
	gpube__free(ctx, s);
}

static int open_state(void **state, const struct gpube_relaxed *of, struct gpube_ctx *ctx)
{
	const struct gpube_cuts_graph *p = (const struct gpube_cuts_graph *)of;
	const uint64_t words = (uint64_t)of->words, n = (uint64_t)p->n_edges,
		       vertices = (uint64_t)p->n_vertices;
	struct gpube_cuts_state *s = *state = gpube__alloc_zero(ctx, 1, sizeof(*s));
	struct gpube__arrays *memory;

	if (!s)
		return GPUBE_ENOMEM;
	memory = &s->memory;
	*memory = (struct gpube__arrays){.ctx = ctx};
	s->p = p;
	s->ctx = ctx;
	s->live = gpube__array(memory, words, sizeof(*s->live));
	s->other = gpube__array(memory, words, sizeof(*s->other));
	s->root = gpube__array(memory, vertices, sizeof(*s->root));
	s->side = gpube__array(memory, vertices, sizeof(*s->side));
	s->reduced = gpube__array(memory, n, sizeof(*s->reduced));
	s->value = gpube__array(memory, 2 * n, sizeof(*s->value));
	s->sure = gpube__array(memory, n, sizeof(*s->sure));
	gpube__splits_init(&s->splits, memory, of->n_values);
	if (!gpube__cuts_search_init(s))
		s->clp = new_program(p, ctx);
	if (s->clp)
		return GPUBE_OK;
	close_state(s);
	*state = NULL;
	return GPUBE_ENOMEM;
}

/* The basis is that of the program. Errors: ENOMEM */
static int keep_basis(struct gpube_cuts_state *s)
{
	const int64_t n = (int64_t)s->p->n_edges + s->rows.n;
	const int status = gpube__grow(s->ctx, &s->basis, &s->basis_room, n, sizeof(*s->basis));

	if (!status)
		memcpy(s->basis, gpube__clp_basis(s->clp), (size_t)n);
	return status;
}

/* The rows of a start are the program's. Errors: ENOMEM */
static int take_rows(struct gpube_cuts_state *s, const struct gpube_cuts_start *from)
{
	const struct gpube_cuts_rows *rows = &from->rows;
	int status = drop_rows(s, NULL);

	for (int32_t r = 0; r < rows->n && !status; r++) {
		for (int64_t k = rows->at[r]; k < rows->at[r + 1] && !status; k++)
			status = gpube__cuts_entry(s->ctx, &s->rows, rows->entries[k]);
		if (!status)
			status = gpube__cuts_row(s->ctx, &s->rows);
	}
	return status ? status : add_rows(s, 0);
}

static int begin(void *state, const uint64_t *live, const struct gpube_relaxed_start *of)
{
	struct gpube_cuts_state *s = state;
	const struct gpube_cuts_graph *p = s->p;
	const struct gpube_cuts_start *from = (const struct gpube_cuts_start *)of;
	int status = GPUBE_OK;

	memcpy(s->live, live, (size_t)p->of.words * sizeof(*live));
	s->bound = s->before = INT64_MIN;
	s->slow = 0;
	(void)set_costs(s, false);
	for (int32_t e = 0; e < p->n_edges; e++) {
		const int64_t x = 2 * (int64_t)e;

		s->value[x + 1] = !gpube__bit(live, x + 1) ? 0 : gpube__bit(live, x) ? 0.5 : 1;
	}
	if (!from)
		status = drop_rows(s, NULL);
	else if (from->maker != s || from->stamp != s->stamp)
		status = take_rows(s, from);
	if (!status)
		status = gpube__grow(
			s->ctx, &s->basis, &s->basis_room, (int64_t)p->n_edges + s->rows.n, 1);
	if (status)
		return status;
	if (from)
		memcpy(s->basis, from->basis, (size_t)p->n_edges + (size_t)s->rows.n);
	else
		memset(s->basis, GPUBE__CLP_AT_LOW, (size_t)p->n_edges);
	gpube__clp_begin(s->clp, s->basis);
	return GPUBE_OK;
}

static void clear(void *state)
{
	(void)state;
}

/* Whether the sides of all vertices are known. */
static bool decided(const void *state)
{
	const struct gpube_cuts_state *s = state;

	for (int32_t v = 0; v + 1 < s->p->n_vertices; v++)
		if (gpube__bit(s->live, 2 * (int64_t)v) && gpube__bit(s->live, 2 * (int64_t)v + 1))
			return false;
	return true;
}

/* Whether rounds of rows bring little by now. */
static bool is_slow(struct gpube_cuts_state *s)
{
	const double missing = (double)(s->p->of.target - s->bound);

	s->slow = s->before > INT64_MIN && (double)(s->bound - s->before) < LITTLE * missing
			  ? s->slow + 1
			  : 0;
	s->before = s->bound;
	return s->slow >= SLOW_ROUNDS;
}

static enum gpube_relaxed_steps add_round(struct gpube_cuts_state *s)
{
	const int32_t before = s->rows.n;
	int32_t n;

	if (is_slow(s) || before > MOST_ROWS)
		return GPUBE__STEPS_OVER;
	n = gpube__cuts_find(s, &s->rows);
	if (n < 0 || add_rows(s, before))
		return GPUBE__STEPS_FAIL;
	if (n || s->exact)
		return n ? GPUBE__STEPS_GO_ON : GPUBE__STEPS_OVER;
	return set_costs(s, true) ? GPUBE__STEPS_GO_ON : GPUBE__STEPS_FAIL;
}

static enum gpube_relaxed_steps steps(void *state)
{
	struct gpube_cuts_state *s = state;
	const enum gpube_clp_end end = gpube__cuts_solve(s, s->live, WINDOW, &s->splits.steps[0]);
	enum gpube_relaxed_steps more = GPUBE__STEPS_GO_ON;
	const double *value;

	if (end == GPUBE__CLP_FAILS)
		return GPUBE__STEPS_FAIL;
	value = gpube__clp_value(s->clp);
	for (int32_t e = 0; e < s->p->n_edges; e++)
		s->value[2 * (int64_t)e + 1] = fmin(1, fmax(0, value[e]));
	gpube__cuts_prove(s, s->live, gpube__clp_price(s->clp));
	if (end == GPUBE__CLP_OVER && s->bound < s->p->of.target) {
		if (drop_old(s))
			return GPUBE__STEPS_FAIL;
		more = add_round(s);
	}
	return keep_basis(s) ? GPUBE__STEPS_FAIL : more;
}

static int64_t twice(const void *state)
{
	const struct gpube_cuts_state *s = state;

	return s->bound == INT64_MIN ? INT64_MIN : 2 * s->bound;
}

static int32_t filter(void *state, int64_t target, uint64_t *live, bool *empty)
{
	struct gpube_cuts_state *s = state;
	int32_t n = 0;

	*empty = s->bound >= target;
	for (int32_t e = 0; e < s->p->n_edges && !*empty && s->bound > INT64_MIN; e++) {
		const int64_t x = 2 * (int64_t)e, reduced = s->reduced[e];

		if (!gpube__bit(live, x) || !gpube__bit(live, x + 1) ||
			s->bound + (reduced < 0 ? -reduced : reduced) < target)
			continue;
		gpube__bit_drop(live, reduced > 0 ? x + 1 : x);
		n++;
	}
	return *empty ? n : n + gpube__cuts_propagate(s, live, empty);
}

/* A part's bound after some steps. */
static int64_t look(void *state, int32_t value, bool is)
{
	struct gpube_cuts_state *s = state;
	bool empty;

	if (gpube__stopped(s->ctx))
		return INT64_MIN;
	memcpy(s->other, s->live, (size_t)s->p->of.words * sizeof(*s->other));
	gpube__bit_drop(s->other, is ? value ^ 1 : value);
	(void)gpube__cuts_propagate(s, s->other, &empty);
	if (empty)
		return GPUBE__NOTHING_LEFT;
	gpube__clp_begin(s->clp, s->basis);
	if (gpube__cuts_solve(s, s->other, LOOK_STEPS, &s->splits.steps[1]) == GPUBE__CLP_FAILS)
		return INT64_MIN;
	gpube__cuts_prove(s, s->other, gpube__clp_price(s->clp));
	return s->bound;
}

/* Whether edges are cut of which the program says neither; where there are none, any that is open.
 */
static int32_t choose(void *state)
{
	struct gpube_cuts_state *s = state;
	const struct gpube_cuts_graph *p = s->p;
	const int64_t bound = s->bound;
	int32_t n = 0, chosen;

	for (int pass = 0; pass < 2 && !n; pass++)
		for (int32_t e = 0; e < p->n_edges; e++) {
			const int64_t x = 2 * (int64_t)e + 1;

			if (gpube__bit(s->live, x - 1) && gpube__bit(s->live, x) &&
				(pass || (gpube__cuts_there(s, e) &&
						 s->value[x] > GPUBE__LEAST_PART &&
						 s->value[x] < 1 - GPUBE__LEAST_PART)))
				s->splits.candidates[n++] = (int32_t)x;
		}
	chosen = gpube__splits_choose(&s->splits, n, s->value, bound, p->of.target, look, s);
	s->bound = bound;
	return chosen;
}

static int64_t part(const void *state, int32_t value, bool is)
{
	return gpube__splits_part(&((const struct gpube_cuts_state *)state)->splits, value, is);
}

static void forget(struct gpube_ctx *ctx, struct gpube_relaxed_start *of)
{
	struct gpube_cuts_start *start = (struct gpube_cuts_start *)of;

	if (!of || --of->users)
		return;
	gpube__cuts_rows_clear(ctx, &start->rows);
	GPUBE_FREE_ALL(ctx, start->basis, start);
}

static struct gpube_relaxed_start *save(const void *state)
{
	const struct gpube_cuts_state *s = state;
	const struct gpube_cuts_rows *rows = &s->rows;
	const uint64_t n = (uint64_t)rows->n, entries = (uint64_t)rows->n_entries,
		       basis = (uint64_t)s->p->n_edges + n;
	struct gpube_cuts_start *of = gpube__alloc_zero(s->ctx, 1, sizeof(*of));

	if (!of)
		return NULL;
	of->maker = s;
	of->stamp = s->stamp;
	of->of.users = 1;
	of->of.bytes = (int64_t)(sizeof(*of) + n * sizeof(*rows->at) +
				 entries * sizeof(*rows->entries) + basis);
	of->rows.n = rows->n;
	of->rows.n_entries = rows->n_entries;
	of->rows.at = gpube__alloc_zero(s->ctx, n + 1, sizeof(*rows->at));
	of->rows.entries = gpube__alloc(s->ctx, entries + 1, sizeof(*rows->entries));
	of->basis = gpube__alloc(s->ctx, basis, 1);
	if (!of->rows.at || !of->rows.entries || !of->basis) {
		forget(s->ctx, &of->of);
		return NULL;
	}
	if (n) {
		memcpy(of->rows.at, rows->at, ((size_t)n + 1) * sizeof(*rows->at));
		memcpy(of->rows.entries, rows->entries, (size_t)entries * sizeof(*rows->entries));
	}
	memcpy(of->basis, s->basis, (size_t)basis);
	return &of->of;
}

const struct gpube_relaxation gpube__cuts = {
	.name = "linear relaxation of cycles",
	.to_the_end = true,
	.make = gpube__cuts_make,
	.free = gpube__cuts_free,
	.bytes = bytes,
	.open = open_state,
	.close = close_state,
	.begin = begin,
	.clear = clear,
	.decided = decided,
	.steps = steps,
	.twice = twice,
	.filter = filter,
	.round = gpube__cuts_round,
	.choose = choose,
	.part = part,
	.save = save,
	.forget = forget,
};
