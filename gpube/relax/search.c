/* search.c - see search.h. */
#include "gpube/relax/search.h"

#include <math.h>
#include <string.h>

#include "gpube/ir/dense.h"

enum { DENSE_CELLS = 1 << 20 };
/* Work: a value that annealing draws, a function of a variable that changes, and its cells. */
enum { DRAW_TICKS = 5, CHANGED_TICKS = 16, CELL_TICKS = 1, SPARSE_TICKS = 60 };
/* And a call, a function's variable where it starts again, and a cell that is made dense. */
enum { CALL_TICKS = 1000, START_TICKS = 60, LOADED_TICKS = 8 };
/*
 * Of the work so far that is not annealing: what one annealing takes, and what all of them do. How
 * hot it begins, in what changes cost in the mean.
 */
#define ANNEALING  0.6
#define ANNEALINGS 1.0
#define HOT        0.5
/* When the best is annealed again: ticks for each variable, and how hot, as a part of HOT. */
enum { REHEATING = 10000 };
#define REHEATED 0.3
/* Cutsets of a crossing with the best; the part of all work that crossings may be. */
enum { CROSSINGS = 3 };
#define CROSSED 0.1
/*
 * Cutsets that bring nothing, one after the other, after which no more are tried; and the part of
 * all work that they may be: one takes as long as thousands of steps.
 */
enum { IDLE_CUTSETS = 60 };
#define CUTSETS 0.5
/* Steps without anything better, after which it starts again. */
enum { PATIENCE = 500, PATIENCE_PER_VARIABLE = 10 };

void gpube__search_free(struct gpube_search *s)
{
	struct gpube_ctx *ctx;

	if (!s)
		return;
	ctx = s->ctx;
	for (int32_t f = 0; s->dense && f < s->m->n_functions; f++)
		gpube__free(ctx, s->dense[f]);
	GPUBE_FREE_ALL(ctx, s->dense, s->stride, s->at, s->cost);
	gpube__incidence_clear(ctx, &s->functions);
	gpube__search_cutset_clear(s);
	gpube__search_moves_clear(s);
	GPUBE_FREE_ALL(ctx, s->values, s->other, s->mate, s->best, s);
}

/* Of each variable of f, in its dense table. */
static void set_strides(struct gpube_search *s, int32_t f)
{
	const int32_t *scope = gpube__scope(s->m, f);
	int64_t *stride = s->stride + s->m->functions[f].scope_at;

	for (int k = 0; k < s->m->functions[f].arity; k++) {
		stride[k] = 1;
		for (int j = 0; j < s->m->functions[f].arity; j++)
			stride[k] *= scope[j] > scope[k] ? s->m->vars[scope[j]].domain : 1;
	}
}

static int load_functions(struct gpube_search *s)
{
	const struct gpube_model *m = s->m;
	int64_t span = gpube__cost_span(m), most;
	int64_t total = 0;

	/* all forbidden at once must fit */
	most = ((int64_t)1 << 61) / ((int64_t)m->n_functions + 1);
	s->forbidden = span < most ? span : most;
	for (int32_t f = 0; f < m->n_functions; f++) {
		int64_t cells = gpube__cells(m, m->functions[f].arity, gpube__scope(m, f));

		if (cells < 0 || cells > DENSE_CELLS ||
			(double)(total + cells) * 8 > (double)s->ctx->memory_bytes / 8)
			continue;
		total += cells;
		s->dense[f] = gpube__alloc(s->ctx, (uint64_t)cells, sizeof(**s->dense));
		if (!s->dense[f] || gpube__dense(s->dense[f], m, f, NULL))
			return GPUBE_ENOMEM;
		set_strides(s, f);
		for (int64_t k = 0; k < cells; k++)
			if (s->dense[f][k] > s->forbidden)
				s->dense[f][k] = s->forbidden;
	}
	return GPUBE_OK;
}

int gpube__search_new(struct gpube_search **out, struct gpube_ctx *ctx, const struct gpube_model *m,
	uint64_t seed)
{
	uint64_t n = (uint64_t)m->n_vars;
	struct gpube_search *s = gpube__alloc_zero(ctx, 1, sizeof(*s));
	int status = GPUBE_ENOMEM;

	*out = NULL;
	if (!s)
		return GPUBE_ENOMEM;
	s->ctx = ctx;
	s->m = m;
	s->best_cost = INT64_MAX;
	gpube__rng_init(&s->rng, seed);
	s->at = gpube__alloc_zero(ctx, n + 1, sizeof(*s->at));
	s->dense = gpube__alloc_zero(ctx, (uint64_t)m->n_functions, sizeof(*s->dense));
	s->stride = gpube__alloc_zero(ctx, (uint64_t)m->n_scopes + 1, sizeof(*s->stride));
	s->values = gpube__alloc_zero(ctx, n, sizeof(*s->values));
	s->other = gpube__alloc_zero(ctx, n, sizeof(*s->other));
	s->mate = gpube__alloc_zero(ctx, n, sizeof(*s->mate));
	s->best = gpube__alloc_zero(ctx, n, sizeof(*s->best));
	if (!s->at || !s->dense || !s->stride || !s->values || !s->other || !s->mate || !s->best)
		goto out;
	for (int32_t i = 0; i < m->n_vars; i++)
		s->at[i + 1] = s->at[i] + m->vars[i].domain;
	s->cost = gpube__alloc_zero(ctx, (uint64_t)s->at[n], sizeof(*s->cost));
	status = s->cost ? load_functions(s) : GPUBE_ENOMEM;
	gpube__work(ctx, LOADED_TICKS * gpube__model_cells(m));
	if (!status)
		status = gpube__incidence_of_model(&s->functions, m);
	if (!status)
		status = gpube__search_cutset_init(s);
	if (!status)
		status = gpube__search_moves_init(s);
out:
	if (status)
		gpube__search_free(s);
	else
		*out = s;
	return status;
}

/*
 * cost[a] += sign * what f costs where variable i has value a: of all its variables but 'skip', by
 * its dense table.
 */
static void add_cells(struct gpube_search *s, int32_t f, int32_t skip, int64_t sign)
{
	const int32_t *scope = gpube__scope(s->m, f);
	const int64_t *stride = s->stride + s->m->functions[f].scope_at, *dense = s->dense[f];
	int64_t cell = 0;

	for (int j = 0; j < s->m->functions[f].arity; j++)
		cell += stride[j] * s->values[scope[j]];
	for (int j = 0; j < s->m->functions[f].arity; j++) {
		const int32_t i = scope[j], domain = s->m->vars[i].domain;
		const int64_t *from = dense + cell - stride[j] * s->values[i];
		int64_t *cost = s->cost + s->at[i];

		for (int32_t a = 0; i != skip && a < domain; a++)
			cost[a] += sign * from[a * stride[j]];
	}
}

/* The same of variable i, where the function has no dense table. */
static void add_costs(struct gpube_search *s, int32_t f, int32_t i, int64_t sign)
{
	int64_t *cost = s->cost + s->at[i];
	const int32_t old = s->values[i];

	for (int32_t a = 0; a < s->m->vars[i].domain; a++) {
		int64_t v;

		s->values[i] = a;
		v = gpube__function_cost(s->m, f, s->values);
		cost[a] += sign * (v < s->forbidden ? v : s->forbidden);
	}
	s->values[i] = old;
}

/*
 * The same of all variables but 'skip', from the tuples of a function that is sparse and large:
 * only a tuple that at most one variable leaves is one change away. What the default costs is left
 * out, since costs of one variable are compared with each other.
 */
static void add_tuples(struct gpube_search *s, int32_t f, int32_t skip, int64_t sign)
{
	const struct gpube_table *t = gpube__table(s->m, f);
	const int32_t *scope = gpube__scope(s->m, f);
	const int64_t dflt = t->dflt.i < s->forbidden ? t->dflt.i : s->forbidden;

	for (int64_t k = 0; k < t->n; k++) {
		const int32_t *tuple = t->tuples + k * t->arity;
		const int64_t v = gpube__table_int(t, k),
			      more = sign * ((v < s->forbidden ? v : s->forbidden) - dflt);
		int n_other = 0, other = 0;

		for (int j = 0; j < t->arity && n_other < 2; j++)
			if (s->values[scope[j]] != tuple[j]) {
				n_other++;
				other = j;
			}
		if (n_other == 1 && scope[other] != skip)
			s->cost[s->at[scope[other]] + tuple[other]] += more;
		for (int j = 0; j < t->arity && n_other == 0; j++)
			if (scope[j] != skip)
				s->cost[s->at[scope[j]] + tuple[j]] += more;
	}
}

/* What f costs, where one of its variables but 'skip' is changed. */
static void add_function(struct gpube_search *s, int32_t f, int32_t skip, int64_t sign)
{
	const int32_t *scope = gpube__scope(s->m, f);

	if (s->dense[f] || gpube__table(s->m, f)->sparse) {
		(s->dense[f] ? add_cells : add_tuples)(s, f, skip, sign);
		return;
	}
	for (int j = 0; j < s->m->functions[f].arity; j++)
		if (scope[j] != skip)
			add_costs(s, f, scope[j], sign);
}

static int64_t evaluate(const struct gpube_search *s)
{
	int64_t sum = 0;

	for (int32_t f = 0; f < s->m->n_functions; f++) {
		int64_t v = gpube__function_cost(s->m, f, s->values);

		sum += v < s->forbidden ? v : s->forbidden;
	}
	return sum;
}

static void start(struct gpube_search *s)
{
	memset(s->cost, 0, (size_t)s->at[s->m->n_vars] * sizeof(*s->cost));
	gpube__search_moves_reset(s);
	for (int32_t f = 0; f < s->m->n_functions; f++)
		add_function(s, f, -1, 1);
	s->worked += START_TICKS * s->functions.start[s->m->n_vars];
	s->now = evaluate(s);
	s->started = true;
}

/* Variable i of f goes from one value to another: what that changes for the others. */
static void change_cells(struct gpube_search *s, int32_t f, int32_t i, int32_t from, int32_t to)
{
	const struct gpube_function *function = &s->m->functions[f];
	const int32_t *scope = gpube__scope(s->m, f);
	const int64_t *stride = s->stride + function->scope_at, *before = s->dense[f];
	int64_t step = 0;

	for (int j = 0; j < function->arity; j++) {
		before += stride[j] * (scope[j] == i ? from : s->values[scope[j]]);
		step = scope[j] == i ? stride[j] * (to - from) : step;
	}
	for (int j = 0; j < function->arity; j++) {
		const int32_t other = scope[j], domain = s->m->vars[other].domain;
		const int64_t *row = before - stride[j] * s->values[other];
		int64_t *cost = s->cost + s->at[other];

		for (int32_t a = 0; other != i && a < domain; a++, row += stride[j])
			cost[a] += row[step] - row[0];
		s->worked += CELL_TICKS * domain;
	}
	s->worked += CHANGED_TICKS;
}

static void change(struct gpube_search *s, int32_t i, int32_t to)
{
	const int32_t from = s->values[i];

	s->now += s->cost[s->at[i] + to] - s->cost[s->at[i] + from];
	for (int64_t k = s->functions.start[i]; k < s->functions.start[i + 1]; k++) {
		const int32_t f = s->functions.of[k];

		if (s->dense[f]) {
			change_cells(s, f, i, from, to);
			continue;
		}
		s->worked += SPARSE_TICKS;
		add_function(s, f, i, -1);
		s->values[i] = to;
		add_function(s, f, i, 1);
		s->values[i] = from;
	}
	s->values[i] = to;
}

static bool keep_best(struct gpube_search *s)
{
	int64_t total;

	s->record = s->now;
	if (s->best_cost != INT64_MAX && s->now >= s->best_cost - s->m->constant)
		return false;
	/* by the model itself: a forbidden tuple, or top */
	if (gpube_model_cost(&total, s->m, s->values) || total >= s->best_cost)
		return false;
	s->best_cost = total;
	memcpy(s->best, s->values, (size_t)s->m->n_vars * sizeof(*s->best));
	return true;
}

/* -log2 of a uniform number, to within a tenth: the same on every machine. */
static double draw_exponential(struct gpube_rng *rng)
{
	const uint64_t x = gpube__rng_next(rng) | 1;
	const int zeros = __builtin_clzll(x);

	return zeros + 1 - (double)(x << zeros << 1 >> 12) / 4503599627370496.0;
}

/* The mean of what changes of one variable cost more or less, those of hard constraints apart. */
static double mean_change(const struct gpube_search *s)
{
	double sum = 0;
	int64_t n = 0;

	for (int32_t i = 0; i < s->m->n_vars; i++)
		for (int32_t a = 0; a < s->m->vars[i].domain; a++) {
			const int64_t d = s->cost[s->at[i] + a] - s->cost[s->at[i] + s->values[i]];

			if (d == 0 || d >= s->forbidden || -d >= s->forbidden)
				continue;
			sum += fabs((double)d);
			n++;
		}
	return n ? sum / (double)n : 0;
}

/*
 * To the least of all assignments that keep a random cutset, and the variables that have the same
 * value in 'unlike', if that is not NULL.
 */
static void move_by_cutset(struct gpube_search *s, const int32_t *unlike)
{
	gpube__search_cutset(s, unlike, s->other);
	for (int32_t k = 0; k < s->cutset.n; k++) {
		const int32_t i = s->cutset.vars[k];

		if (s->other[i] != s->values[i])
			change(s, i, s->other[i]);
	}
}

/* Within the annealings' part of the work: a caller that counts steps knows then what they cost. */
static bool may_anneal(const struct gpube_search *s, double work)
{
	return (double)s->annealed + work <= ANNEALINGS * (double)(s->worked - s->annealed);
}

/*
 * From where it is, changes that cost more are taken the more seldom the colder it gets: what is
 * left then is far better than a random start, the more so the longer it took.
 */
static void anneal(struct gpube_search *s, double work, double hot)
{
	const int64_t begin = s->worked;
	const double start = hot * mean_change(s);
	double left = 1;

	while (left > 0 && !gpube__stopped(s->ctx)) {
		for (int32_t i = 0; i < s->m->n_vars; i++) {
			const int32_t domain = s->m->vars[i].domain;
			const int64_t *cost = s->cost + s->at[i];
			int32_t a;

			s->worked += DRAW_TICKS;
			if (domain < 2)
				continue;
			a = (int32_t)gpube__rng_below(&s->rng, (uint64_t)domain - 1);
			a += a >= s->values[i];
			if ((double)(cost[a] - cost[s->values[i]]) <=
				start * left * draw_exponential(&s->rng))
				change(s, i, a);
		}
		left = 1 - (double)(s->worked - begin) / work;
	}
	s->annealed += s->worked - begin;
}

static bool may_cross(const struct gpube_search *s)
{
	return s->best_cost != INT64_MAX && s->cutset.sum &&
	       (double)s->crossed < CROSSED * (double)s->worked;
}

static void set_random(struct gpube_search *s, int32_t i)
{
	s->values[i] = (int32_t)gpube__rng_below(&s->rng, (uint64_t)s->m->vars[i].domain);
}

/*
 * Some random variables: mostly few, because where many constraints are hard, what many changes
 * break is not soon mended.
 */
static void change_some(struct gpube_search *s)
{
	const uint64_t n = (uint64_t)s->m->n_vars,
		       more = gpube__rng_below(
			       &s->rng, gpube__rng_below(&s->rng, 4) ? 3 : 1 + n / 8);

	for (uint64_t k = 0; k < 2 + more; k++)
		set_random(s, (int32_t)gpube__rng_below(&s->rng, n));
}

/* From the best, which is annealed again, or changed where that is too much work. */
static void start_near(struct gpube_search *s)
{
	const double work = (double)REHEATING * s->m->n_vars;
	const bool again = may_cross(s) && may_anneal(s, work);

	memcpy(s->values, s->best, (size_t)s->m->n_vars * sizeof(*s->values));
	if (!again)
		change_some(s);
	start(s);
	if (again)
		anneal(s, work, REHEATED * HOT);
}

static void kick(struct gpube_search *s)
{
	double work;

	if (s->best_cost != INT64_MAX && gpube__rng_below(&s->rng, 4)) {
		start_near(s);
		return;
	}
	for (int32_t i = 0; i < s->m->n_vars; i++)
		set_random(s, i);
	start(s);
	work = ANNEALING * (double)(s->worked - s->annealed);
	if (may_anneal(s, work))
		anneal(s, work, HOT);
}

/*
 * Random cutsets, each with its least assignment, until so many in a row have brought nothing or
 * their part of the work is used up. True if best got better.
 */
static bool descend(struct gpube_search *s)
{
	for (int n = 0; n < IDLE_CUTSETS && !gpube__stopped(s->ctx) &&
			(double)s->cutsets < CUTSETS * (double)s->worked;
		n++) {
		const int64_t before = s->now, begin = s->worked;

		move_by_cutset(s, NULL);
		s->cutsets += s->worked - begin;
		n = s->now < before ? -1 : n;
	}
	return s->now < s->record && keep_best(s);
}

/*
 * The best assignment moves by cutsets in the variables in which it differs from where the search
 * is. True if best got better, and the search goes on from there; otherwise from where it was.
 */
static bool cross(struct gpube_search *s)
{
	const size_t bytes = (size_t)s->m->n_vars * sizeof(*s->mate);
	const int64_t begin = s->worked;
	int64_t best;

	memcpy(s->mate, s->values, bytes);
	memcpy(s->values, s->best, bytes);
	start(s);
	best = s->now;
	for (int k = 0; k < CROSSINGS; k++)
		move_by_cutset(s, s->mate);
	if (s->now >= best) {
		memcpy(s->values, s->mate, bytes);
		start(s);
	}
	s->crossed += s->worked - begin;
	return s->now < best && keep_best(s);
}

void gpube__search_take(struct gpube_search *s, const int32_t *values, int64_t total)
{
	if (total >= s->best_cost)
		return;
	s->best_cost = total;
	memcpy(s->best, values, (size_t)s->m->n_vars * sizeof(*s->best));
}

bool gpube__search_run(struct gpube_search *s, const int32_t *from, int64_t steps)
{
	const int32_t n = s->m->n_vars;
	const int64_t begin = s->worked;
	int32_t var = 0, value = 0;
	bool better = false;

	if (from)
		memcpy(s->values, from, (size_t)n * sizeof(*s->values));
	if (from || !s->started) {
		start(s);
		s->last = s->step;
		better = keep_best(s);
		better |= descend(s);
	}
	for (int64_t k = 0; k < steps && n > 0 && !gpube__stopped(s->ctx); k++) {
		gpube__search_moves_step(s);
		if (s->step - s->last > PATIENCE + PATIENCE_PER_VARIABLE * n) {
			kick(s);
			s->last = s->step;
			better |= keep_best(s);
			better |= descend(s);
			if (may_cross(s) && cross(s)) {
				better = true;
				(void)descend(s);
			}
		}
		if (!gpube__search_moves_pick(s, &var, &value)) {
			if (s->last == s->step)
				break; /* no variable has a second value */
			s->last = s->step - (PATIENCE + PATIENCE_PER_VARIABLE * n);
			continue;
		}
		gpube__search_moves_forbid(s, var, s->values[var],
			10 + (int64_t)gpube__rng_below(&s->rng, 10 + (uint64_t)n / 10));
		change(s, var, value);
		gpube__search_moves_changed(s, var);
		if (s->now < s->record) {
			s->last = s->step;
			better |= keep_best(s);
		}
	}
	gpube__work(s->ctx, CALL_TICKS + s->worked - begin);
	return better;
}
