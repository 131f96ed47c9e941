/* semidefinite.c - the steps of the relaxation, and states of them: see semidefinite.h. */
#include "gpube/relax/semidefinite/semidefinite.h"

#include <math.h>
#include <string.h>

#include "gpube/relax/semidefinite/lapack.h"

/* How much further multipliers go than a step says. */
#define FURTHER 1.6
/* Matrices that a state has, about. */
enum { MATRICES = 12 };
/* What a split's value counts whose parts do not rise. */
#define LEAST_RISE 1e-9
/* Work: operations of an eigensystem for each face^3 in ticks, inverted; for each entry. */
enum { EIGEN_PARTS = 3, ENTRY_TICKS = 24 };

int64_t gpube__semidefinite_ticks(int32_t order, int32_t face)
{
	const int64_t f = face, n = order;

	return f * f * f / EIGEN_PARTS + n * n * (ENTRY_TICKS + f / 16);
}

static int64_t at(const struct gpube_semidefinite_state *s, int32_t row, int32_t column)
{
	return (int64_t)row * s->order + column;
}

static void put(
	const struct gpube_semidefinite_state *s, double *m, int32_t row, int32_t column, double x)
{
	m[at(s, row, column)] = m[at(s, column, row)] = x;
}

/* ---- states ---------------------------------------------------------------------------------- */

static uint64_t state_bytes(const struct gpube_relaxed *p)
{
	const uint64_t rows = (uint64_t)p->n_values + 1;

	return MATRICES * sizeof(double) * rows * rows;
}

static void clear(void *state)
{
	struct gpube_semidefinite_state *s = state;

	gpube__arrays_clear(&s->memory);
	*s = (struct gpube_semidefinite_state){
		.p = s->p, .ctx = s->ctx, .memory.ctx = s->ctx, .twice = INT64_MIN};
}

static int open_state(void **state, const struct gpube_relaxed *p, struct gpube_ctx *ctx)
{
	struct gpube_semidefinite_state *s = *state = gpube__alloc_zero(ctx, 1, sizeof(*s));

	if (!s)
		return GPUBE_ENOMEM;
	s->p = (const struct gpube_semidefinite *)p;
	s->ctx = s->memory.ctx = ctx;
	clear(s);
	return GPUBE_OK;
}

static void close_state(void *state)
{
	struct gpube_semidefinite_state *s = state;

	clear(s);
	gpube__free(s->ctx, s);
}

/* Rows of the values that are left; variables of one value have none. */
static int lay_out(struct gpube_semidefinite_state *s, const uint64_t *live)
{
	const struct gpube_semidefinite *p = s->p;

	s->only = gpube__array(&s->memory, (uint64_t)p->of.n + 1, sizeof(*s->only));
	s->at = gpube__array(&s->memory, (uint64_t)p->of.n + 2, sizeof(*s->at));
	s->value = gpube__array(&s->memory, (uint64_t)p->of.n_values + 1, sizeof(*s->value));
	if (s->memory.failed)
		return GPUBE_ENOMEM;
	s->order = s->face = 1;
	s->value[0] = -1;
	for (int32_t i = 0; i < p->of.n; i++) {
		const int32_t from = s->order;

		s->only[i] = -1;
		for (int32_t x = p->of.at[i]; x < p->of.at[i + 1]; x++)
			if (gpube__bit(live, x))
				s->value[s->order++] = x;
		if (s->order == from + 1) {
			s->only[i] = s->value[from];
			s->order = from;
			continue;
		}
		s->at[s->n++] = from;
		s->face += s->order - from - 1;
	}
	s->at[s->n] = s->order;
	return GPUBE_OK;
}

static int make_room(struct gpube_semidefinite_state *s)
{
	struct gpube__arrays *memory = &s->memory;
	const uint64_t n = (uint64_t)s->order, cells = n * n;
	double **const doubles[] = {
		&s->cost, &s->y, &s->z, &s->r, &s->room[0], &s->room[1], &s->room[2]};

	for (int k = 0; k < 7; k++)
		*doubles[k] = gpube__array(memory, cells, sizeof(double));
	for (int k = 0; k < 2; k++)
		s->exact[k] = gpube__array(memory, cells, sizeof(**s->exact));
	s->weight = gpube__array(memory, n, sizeof(*s->weight));
	s->unary = gpube__array(memory, n, sizeof(*s->unary));
	s->regret = gpube__array(memory, n, sizeof(*s->regret));
	s->eigenvalue = gpube__array(memory, n, sizeof(*s->eigenvalue));
	s->lapack = gpube__array(memory, gpube__lapack_room(s->face), sizeof(*s->lapack));
	s->lapack_whole =
		gpube__array(memory, gpube__lapack_whole(s->face), sizeof(*s->lapack_whole));
	return memory->failed ? GPUBE_ENOMEM : GPUBE_OK;
}

/* The costs of variables of one value become unary costs of the others, and a constant. */
static void load_costs(struct gpube_semidefinite_state *s)
{
	const struct gpube_semidefinite *p = s->p;

	s->constant = p->constant;
	for (int32_t i = 0; i < p->of.n; i++) {
		const int64_t *row;

		if (s->only[i] < 0)
			continue;
		row = p->cost + (int64_t)s->only[i] * p->of.n_values;
		s->constant += row[s->only[i]];
		for (int32_t j = 0; j < i; j++)
			s->constant += s->only[j] < 0 ? 0 : row[s->only[j]];
		for (int32_t r = 1; r < s->order; r++)
			s->unary[r] += row[s->value[r]];
	}
	for (int32_t i = 0; i < s->n; i++)
		for (int32_t r = s->at[i]; r < s->at[i + 1]; r++) {
			const int64_t *row = p->cost + (int64_t)s->value[r] * p->of.n_values;
			const int32_t k = r - s->at[i];

			s->weight[r] = k ? 1 / sqrt((double)k * (k + 1)) : 0;
			s->unary[r] += row[s->value[r]];
			s->cost[at(s, r, r)] = (double)s->unary[r] / p->unit;
			for (int32_t c = s->at[i + 1]; c < s->order; c++)
				put(s, s->cost, r, c, (double)row[s->value[c]] / (2 * p->unit));
		}
}

/* Nothing is known: all values alike, and independent of each other. */
static void begin_evenly(struct gpube_semidefinite_state *s)
{
	double *y = s->room[0];

	y[0] = 1;
	for (int32_t i = 0; i < s->n; i++)
		for (int32_t r = s->at[i]; r < s->at[i + 1]; r++)
			y[r] = 1.0 / (s->at[i + 1] - s->at[i]);
	for (int32_t r = 0; r < s->order; r++)
		for (int32_t c = 0; c < s->order; c++)
			s->y[at(s, r, c)] = y[r] * y[c];
	for (int32_t i = 0; i < s->n; i++)
		for (int32_t r = s->at[i]; r < s->at[i + 1]; r++)
			for (int32_t c = s->at[i]; c < s->at[i + 1]; c++)
				s->y[at(s, r, c)] = r == c ? y[r] : 0;
}

/*
 * Rows of a superset; what multipliers say of variables that have one value by now goes where
 * their costs go, so that they stay as good.
 */
static int begin_from(
	struct gpube_semidefinite_state *s, const struct gpube_semidefinite_start *from)
{
	const int64_t n = from->order;
	int32_t *row_of = gpube__alloc(s->ctx, (uint64_t)(s->order + n), sizeof(*row_of)),
		*only = row_of ? row_of + s->order : NULL, n_rows = 1, n_only = 0;

	if (!row_of)
		return GPUBE_ENOMEM;
	row_of[0] = 0;
	for (int32_t k = 1, i = 0; k < n; k++) {
		while (s->p->of.at[i + 1] <= from->value[k])
			i++;
		if (s->only[i] == from->value[k])
			only[n_only++] = k;
		if (n_rows < s->order && s->value[n_rows] == from->value[k])
			row_of[n_rows++] = k;
	}
	for (int32_t r = 0; r < s->order; r++)
		for (int32_t c = 0; c < s->order; c++) {
			s->y[at(s, r, c)] = from->y[row_of[r] * n + row_of[c]];
			s->z[at(s, r, c)] = from->z[row_of[r] * n + row_of[c]];
		}
	for (int32_t k = 0; k < n_only; k++) {
		for (int32_t r = 0; r < s->order; r++) {
			const double x = from->z[only[k] * n + row_of[r]];

			s->z[at(s, 0, r)] += x;
			s->z[at(s, r, 0)] += x;
		}
		for (int32_t j = 0; j < n_only; j++)
			s->z[0] += from->z[only[k] * n + only[j]];
	}
	gpube__free(s->ctx, row_of);
	return GPUBE_OK;
}

static int begin(void *state, const uint64_t *live, const struct gpube_relaxed_start *from)
{
	struct gpube_semidefinite_state *s = state;
	int status = lay_out(s, live);

	if (!status)
		status = make_room(s);
	if (status)
		return status;
	load_costs(s);
	if (from)
		return begin_from(s, (const struct gpube_semidefinite_start *)from);
	begin_evenly(s);
	return GPUBE_OK;
}

static void forget(struct gpube_ctx *ctx, struct gpube_relaxed_start *of)
{
	struct gpube_semidefinite_start *from = (struct gpube_semidefinite_start *)of;

	if (!--of->users)
		GPUBE_FREE_ALL(ctx, from->value, from->y, from->z, from);
}

static struct gpube_relaxed_start *save(const void *state)
{
	const struct gpube_semidefinite_state *s = state;
	const uint64_t cells = (uint64_t)s->order * (uint64_t)s->order;
	struct gpube_semidefinite_start *to = gpube__alloc_zero(s->ctx, 1, sizeof(*to));

	if (!to)
		return NULL;
	to->of.users = 1;
	to->of.bytes = (int64_t)(cells * (sizeof(*to->y) + sizeof(*to->z)));
	to->order = s->order;
	to->value = gpube__alloc(s->ctx, (uint64_t)s->order, sizeof(*to->value));
	to->y = gpube__alloc(s->ctx, cells, sizeof(*to->y));
	to->z = gpube__alloc(s->ctx, cells, sizeof(*to->z));
	if (!to->value || !to->y || !to->z) {
		forget(s->ctx, &to->of);
		return NULL;
	}
	memcpy(to->value, s->value, (size_t)s->order * sizeof(*to->value));
	for (uint64_t k = 0; k < cells; k++) {
		to->y[k] = (float)s->y[k];
		to->z[k] = (float)s->z[k];
	}
	return &to->of;
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* r: the part of y + z that is positive semidefinite on the face. False: no eigensystem. */
static bool project(struct gpube_semidefinite_state *s)
{
	const int64_t cells = (int64_t)s->order * s->order;
	double *sum = s->room[0], *on_face = s->room[1];
	int32_t first = 0;

	for (int64_t k = 0; k < cells; k++)
		sum[k] = s->y[k] + s->z[k];
	gpube__face_compress(s, on_face, sum, s->room[2]);
	if (!gpube__lapack_eigen(on_face, s->face, s->eigenvalue, s->lapack, s->lapack_whole))
		return false;
	while (first < s->face && !(s->eigenvalue[first] > 0))
		first++;
	for (int32_t k = first; k < s->face; k++) {
		const double root = sqrt(s->eigenvalue[k]);
		double *to = sum + (int64_t)(k - first) * s->order;

		gpube__face_expand(s, to, on_face + (int64_t)k * s->face);
		for (int32_t r = 0; r < s->order; r++)
			to[r] *= root;
	}
	gpube__lapack_gram(s->r, sum, s->order, s->face - first);
	return true;
}

/* The nearest of numbers that are not negative and sum to 1. */
static void onto_simplex(double *x, int32_t n, double *sorted)
{
	double sum = 0, cut = 0;

	for (int32_t k = 0; k < n; k++) { /* descending */
		int32_t j = k;

		for (; j > 0 && sorted[j - 1] < x[k]; j--)
			sorted[j] = sorted[j - 1];
		sorted[j] = x[k];
	}
	for (int32_t k = 0; k < n; k++) {
		sum += sorted[k];
		if (sorted[k] > (sum - 1) / (k + 1))
			cut = (sum - 1) / (k + 1);
	}
	for (int32_t k = 0; k < n; k++)
		x[k] = x[k] > cut ? x[k] - cut : 0;
}

static void update(struct gpube_semidefinite_state *s, int64_t k, double y)
{
	s->z[k] += FURTHER * (y - s->r[k]);
	s->y[k] = y;
}

static double toward(const struct gpube_semidefinite_state *s, int64_t k)
{
	return s->r[k] - s->cost[k] - s->z[k];
}

/* Diagonal and first row of a variable's values, which are the same. */
static void update_variable(struct gpube_semidefinite_state *s, int32_t i)
{
	const int32_t from = s->at[i], n = s->at[i + 1] - from;
	double *x = s->room[0], *sorted = s->room[0] + s->order;

	for (int32_t k = 0; k < n; k++)
		x[k] = (toward(s, at(s, from + k, from + k)) + 2 * toward(s, at(s, 0, from + k))) /
		       3;
	onto_simplex(x, n, sorted);
	for (int32_t k = 0; k < n; k++) {
		update(s, at(s, from + k, from + k), x[k]);
		update(s, at(s, 0, from + k), x[k]);
		for (int32_t j = k + 1; j < n; j++)
			update(s, at(s, from + k, from + j), 0);
	}
}

/* y and z of the upper triangle, and from there of the lower one. */
static void update_all(struct gpube_semidefinite_state *s)
{
	update(s, 0, 1);
	for (int32_t i = 0; i < s->n; i++) {
		update_variable(s, i);
		for (int32_t r = s->at[i]; r < s->at[i + 1]; r++)
			for (int32_t c = s->at[i + 1]; c < s->order; c++) {
				const double x = toward(s, at(s, r, c));

				update(s, at(s, r, c), x < 0 ? 0 : x > 1 ? 1 : x);
			}
	}
	for (int32_t r = 0; r < s->order; r++)
		for (int32_t c = 0; c < r; c++) {
			s->y[at(s, r, c)] = s->y[at(s, c, r)];
			s->z[at(s, r, c)] = s->z[at(s, c, r)];
		}
}

/* The multipliers that make the part of the face which r has not negative semidefinite. */
static void prove(struct gpube_semidefinite_state *s)
{
	double *z = s->room[0];

	for (int32_t r = 0; r < s->order; r++)
		for (int32_t c = r; c < s->order; c++)
			put(s, z, r, c, s->z[at(s, r, c)] + s->y[at(s, r, c)] - s->r[at(s, r, c)]);
	gpube__semidefinite_prove(s, z);
}

static enum gpube_relaxed_steps steps(void *state)
{
	struct gpube_semidefinite_state *s = state;

	for (int k = 1; k <= GPUBE__SEMIDEFINITE_WINDOW && !gpube__stopped(s->ctx); k++) {
		if (!project(s))
			return GPUBE__STEPS_FAIL;
		if (k == GPUBE__SEMIDEFINITE_WINDOW)
			prove(s);
		update_all(s);
		gpube__work(s->ctx, gpube__semidefinite_ticks(s->order, s->face));
	}
	return GPUBE__STEPS_GO_ON;
}

/* ---- what is read off ------------------------------------------------------------------------ */

static bool decided(const void *state)
{
	return !((const struct gpube_semidefinite_state *)state)->n;
}

static int64_t twice(const void *state)
{
	return ((const struct gpube_semidefinite_state *)state)->twice;
}

static int32_t filter(void *state, int64_t target, uint64_t *live, bool *empty)
{
	const struct gpube_semidefinite_state *s = state;
	int32_t n = 0;

	*empty = s->twice >= 2 * target;
	for (int32_t i = 0; i < s->n && s->twice > INT64_MIN && !*empty; i++) {
		int32_t left = 0;

		for (int32_t r = s->at[i]; r < s->at[i + 1]; r++) {
			if (s->regret[r] < 2 * target - s->twice) {
				left++;
				continue;
			}
			gpube__bit_drop(live, s->value[r]);
			n++;
		}
		*empty = !left;
	}
	return n;
}

static void round_off(void *state, int32_t *values)
{
	const struct gpube_semidefinite_state *s = state;
	const struct gpube_semidefinite *p = s->p;

	for (int32_t i = 0, k = 0; i < p->of.n; i++) {
		int32_t best;

		if (s->only[i] >= 0) {
			values[i] = s->only[i] - p->of.at[i];
			continue;
		}
		best = s->at[k];
		for (int32_t r = s->at[k]; r < s->at[k + 1]; r++)
			best = s->y[r] > s->y[best] ? r : best;
		values[i] = s->value[best] - p->of.at[i];
		k++;
	}
}

/* ---- where nodes split ----------------------------------------------------------------------- */

/* Twice how much the bound of a part rises at once: of the least regret in it. */
static int64_t rise_of(const struct gpube_semidefinite_state *s, int32_t row, bool is)
{
	int64_t least = INT64_MAX;
	int32_t i = 0;

	while (s->at[i + 1] <= row)
		i++;
	for (int32_t r = s->at[i]; r < s->at[i + 1]; r++)
		if ((r == row) == is && s->regret[r] < least)
			least = s->regret[r];
	return least;
}

/*
 * The value that is nearest to being half taken, and whose parts rise most at once, by the
 * geometric mean.
 */
static int32_t choose(void *state)
{
	const struct gpube_semidefinite_state *s = state;
	const double least = LEAST_RISE * (double)s->p->of.target;
	double most = -1;
	int32_t best = 1;

	for (int32_t r = 1; r < s->order; r++) {
		const double taken = s->y[r] < 0.5 ? s->y[r] : 1 - s->y[r],
			     rise = sqrt(((double)rise_of(s, r, true) + least) *
					 ((double)rise_of(s, r, false) + least)),
			     score = taken * rise;

		if (score > most) {
			most = score;
			best = r;
		}
	}
	return s->value[best];
}

static int64_t part(const void *state, int32_t value, bool is)
{
	const struct gpube_semidefinite_state *s = state;
	int32_t row = 1;

	if (s->twice == INT64_MIN)
		return INT64_MIN;
	while (s->value[row] != value)
		row++;
	return s->twice + rise_of(s, row, is);
}

const struct gpube_relaxation gpube__semidefinite = {
	.name = "semidefinite relaxation",
	.make = gpube__semidefinite_make,
	.free = gpube__semidefinite_free,
	.bytes = state_bytes,
	.open = open_state,
	.close = close_state,
	.begin = begin,
	.clear = clear,
	.decided = decided,
	.steps = steps,
	.twice = twice,
	.filter = filter,
	.round = round_off,
	.choose = choose,
	.part = part,
	.save = save,
	.forget = forget,
};
