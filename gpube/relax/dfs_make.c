/* dfs_make.c - the tables of a search tree, made from a model and freed: see dfs.h. */
#include "gpube/relax/dfs.h"

#include <math.h>
#include <string.h>

#include "gpube/base/rows.h"
#include "gpube/ir/dense.h"
#include "gpube/relax/scaling.h"

/* Of the values of several variables of a function, at least: more of them pay no more. */
enum { CHOICES = 64 };
/* Work: a value, and a cell of a table, with all that is made of them. */
enum { MADE_TICKS = 10 };

void gpube__dfs_free(struct gpube_dfs *t)
{
	if (!t)
		return;
	gpube__arrays_clear(&t->memory);
	GPUBE_FREE_ALL(t->ctx, t->trail, t);
}

/*
 * Cells of a variable's row, before them its level, and what is left free for rows of eights to
 * begin at a cache line.
 */
static int64_t row_room(int32_t domain)
{
	return 1 + gpube__row_cells(domain) + (domain < GPUBE__ROW_STEP ? 0 : GPUBE__ROW_STEP - 1);
}

/* The next row of the memory, of which *used cells are used. */
static int64_t *next_row(struct gpube_dfs *t, int64_t *used, int32_t domain)
{
	int64_t *row = t->moves + *used + 1;

	while (domain >= GPUBE__ROW_STEP && (uintptr_t)row % (GPUBE__ROW_STEP * sizeof(*row)))
		row++;
	*used = row + gpube__row_cells(domain) - t->moves;
	return row;
}

/*
 * Whether all functions are small enough; how many cells all rows have, of their variables and of
 * the variables alone, and how many values are kept as company.
 */
static bool is_small(const struct gpube_model *m, struct gpube_dfs *room)
{
	double cells = 0;

	for (int32_t i = 0; i < m->n_vars; i++)
		room->n_moves += row_room(m->vars[i].domain);
	for (int32_t f = 0; f < m->n_functions; f++) {
		int arity = m->functions[f].arity;
		int64_t n = gpube__cells(m, arity, gpube__scope(m, f));

		cells += n < 0 ? INFINITY : (double)n;
		if (arity > GPUBE__DFS_ARITY || cells > GPUBE__DFS_CELLS ||
			2 * cells * sizeof(int64_t) > (double)m->ctx->memory_bytes)
			return false;
		for (int k = 0; k < arity; k++) {
			const int32_t domain = m->vars[gpube__scope(m, f)[k]].domain;

			room->n_moves += row_room(domain);
			if (arity == 2)
				room->n_paired += (int64_t)domain + 1;
			else
				room->n_company += ((int64_t)domain + 1) * arity;
		}
	}
	return true;
}

/*
 * Tables have what a last vector reads beyond, and those of two variables another with its rows as
 * columns.
 */
enum { BEYOND = GPUBE__ROW_STEP - 1 };

/*
 * In 32 bits, with rows of either variable's values, which begin at a cache line where they are not
 * short.
 */
static int make_narrow(
	struct gpube_dfs *t, struct gpube_dfs_function *f, int32_t rows, int32_t cols)
{
	const int64_t wide = gpube__row_cells(cols), high = gpube__row_cells(rows), line = 16;
	const int64_t first = (rows * wide + line - 1) / line * line;
	const int64_t n = line + first + cols * high + BEYOND;
	int32_t *narrow = gpube__array(&t->memory, (uint64_t)n, sizeof(*narrow));

	if (!narrow)
		return GPUBE_ENOMEM;
	f->width[1] = (int32_t)wide;
	f->width[0] = (int32_t)high;
	f->narrow[1] = narrow;
	while ((uintptr_t)f->narrow[1] % 64)
		f->narrow[1]++;
	f->narrow[0] = f->narrow[1] + first;
	for (int64_t r = 0; r < rows; r++)
		for (int64_t c = 0; c < cols; c++) {
			const int64_t cost = f->t[r * cols + c];

			f->narrow[1][r * wide + c] = f->narrow[0][c * high + r] =
				cost == GPUBE__DFS_DEAD ? GPUBE__NARROW_FORBIDDEN : (int32_t)cost;
		}
	return GPUBE_OK;
}

static int turn(struct gpube_dfs *t, struct gpube_dfs_function *f, int64_t n)
{
	const int64_t cols = f->stride[0], rows = n / cols;

	if (f->arity != 2)
		return GPUBE_OK;
	f->width[0] = (int32_t)rows;
	f->width[1] = (int32_t)cols;
	if (t->most_moved == GPUBE__NARROW_MOST)
		return make_narrow(t, f, (int32_t)rows, (int32_t)cols);
	f->turned = gpube__array(&t->memory, (uint64_t)n + BEYOND, sizeof(*f->turned));
	if (!f->turned)
		return GPUBE_ENOMEM;
	for (int64_t r = 0; r < rows; r++)
		for (int64_t c = 0; c < cols; c++)
			f->turned[c * rows + r] = f->t[r * cols + c];
	return GPUBE_OK;
}

/* What the rows of functions are of next: cells of 'moves', of 'company', of 'paired'. */
struct used {
	int64_t moves, company, paired;
};

/* A table with its variables in the order of their positions. */
static int load(struct gpube_dfs *t, struct gpube_dfs_function *to, int32_t f, struct used *used)
{
	const struct gpube_model *m = t->m;
	int64_t n = gpube__cells(m, m->functions[f].arity, gpube__scope(m, f)), stride = 1;
	int status;

	to->function = f;
	to->arity = m->functions[f].arity;
	to->t = gpube__array(&t->memory, (uint64_t)n + BEYOND, sizeof(*to->t));
	if (!to->t)
		return GPUBE_ENOMEM;
	status = gpube__dense(to->t, m, f, t->position);
	for (int64_t c = 0; c < n && !status; c++)
		to->t[c] =
			to->t[c] >= t->cutoff >> t->shift ? GPUBE__DFS_DEAD : to->t[c] << t->shift;
	gpube__sorted_scope(to->scope, m, f, t->position);
	for (int k = to->arity - 1; k >= 0; k--) {
		int32_t domain = m->vars[t->order[to->scope[k]]].domain;

		to->stride[k] = stride;
		stride *= domain;
		to->moved[k] = next_row(t, &used->moves, domain);
		if (to->arity == 2) {
			to->paired[k] = t->paired + used->paired;
			used->paired += (int64_t)domain + 1;
		} else {
			to->company[k] = t->company + used->company;
			used->company += ((int64_t)domain + 1) * to->arity;
		}
	}
	return status ? status : turn(t, to, n);
}

/* Each variable's functions, and which of their variables it is. */
static int list_functions(struct gpube_dfs *t)
{
	for (int32_t f = 0; f < t->n_functions; f++)
		for (int k = 0; k < t->functions[f].arity; k++)
			GPUBE_ROW_COUNT(t->of_at, t->functions[f].scope[k]);
	GPUBE_ROWS_BEGIN(t->of_at, t->n);
	t->of = gpube__array(&t->memory, (uint64_t)t->of_at[t->n + 1], sizeof(*t->of));
	t->other = gpube__array(&t->memory, (uint64_t)t->of_at[t->n + 1], sizeof(*t->other));
	if (t->memory.failed)
		return GPUBE_ENOMEM;
	for (int32_t f = 0; f < t->n_functions; f++)
		for (int k = 0; k < t->functions[f].arity; k++) {
			const int32_t at = GPUBE_ROW_PLACE(t->of_at, t->functions[f].scope[k]);

			t->of[at] = f * GPUBE__DFS_ARITY + k;
			t->other[at] =
				t->functions[f].arity == 2 ? t->functions[f].scope[1 - k] : -1;
		}
	return GPUBE_OK;
}

/* How different two rows are, of all that f costs with its variable k at a or at b. */
static double difference(
	const struct gpube_dfs *t, const struct gpube_dfs_function *f, int k, int32_t a, int32_t b)
{
	const int64_t below = f->stride[k];
	const int64_t block = below * t->m->vars[t->order[f->scope[k]]].domain,
		      cells = f->stride[0] * t->m->vars[t->order[f->scope[0]]].domain;
	double sum = 0;

	for (int64_t c = 0; c < cells; c += block)
		for (int64_t i = c; i < c + below; i++) {
			const int64_t x = f->t[i + a * below], y = f->t[i + b * below];

			if (x != y)
				sum += x == GPUBE__DFS_DEAD || y == GPUBE__DFS_DEAD
					       ? (double)t->cutoff
					       : fabs((double)(x - y));
		}
	return sum;
}

/*
 * Functions and values that are asked whether a variable's values have an order, and what
 * neighbours differ if so.
 */
enum { ASKED = 4, VALUES_ASKED = 64 };
#define ALIKE 0.2

/*
 * Whether neighbouring values cost more alike than those that are half of all values apart: a
 * frequency's or a time's do, a side chain's positions do not.
 */
static bool is_ordered(const struct gpube_dfs *t, int32_t p)
{
	const int32_t domain = t->m->vars[t->order[p]].domain;
	double near = 0, far = 0;

	for (int32_t i = t->of_at[p], asked = 0; i < t->of_at[p + 1] && asked < ASKED; i++) {
		const struct gpube_dfs_function *f = &t->functions[t->of[i] / GPUBE__DFS_ARITY];

		if (f->arity == 1)
			continue;
		asked++;
		for (int32_t a = 0; a < domain; a += 1 + domain / VALUES_ASKED) {
			const int k = t->of[i] % GPUBE__DFS_ARITY;

			near += a + 1 < domain ? difference(t, f, k, a, a + 1) : 0;
			far += difference(t, f, k, a, (a + domain / 2) % domain);
		}
	}
	return near < ALIKE * far;
}

/*
 * A sweep adds up what all functions of a variable force, each less than the cutoff, before the
 * least of it goes into the constant: that sum stays below 2^62.
 */
static bool sums_fit(const struct gpube_dfs *t)
{
	int32_t most = 0;

	for (int32_t p = 0; p < t->n; p++)
		most = t->of_at[p + 1] - t->of_at[p] > most ? t->of_at[p + 1] - t->of_at[p] : most;
	return t->cutoff <= ((int64_t)1 << 62) / (most + 1);
}

static int fill(struct gpube_dfs *t, const int32_t *order)
{
	const struct gpube_model *m = t->m;
	struct used used = {0};
	int32_t *values = t->values;
	int status = GPUBE_OK;

	for (int32_t p = 0; p < t->n; p++) {
		int32_t domain = m->vars[order[p]].domain;

		t->order[p] = order[p];
		t->position[order[p]] = p;
		t->cost[p] = next_row(t, &used.moves, domain);
		t->window[p] = (struct gpube_dfs_window){0, gpube__row_cells(domain)};
		for (int32_t a = domain; a < gpube__row_cells(domain); a++)
			t->cost[p][a] = GPUBE__ROW_DROPPED;
		t->live[p] = values;
		t->at[p] = values + domain;
		values += 2 * (int64_t)domain;
		t->n_live[p] = domain;
		for (int32_t a = 0; a < domain; a++)
			t->live[p][a] = t->at[p][a] = a;
	}
	for (int64_t i = 0; i < t->n_paired; i++)
		t->paired[i].of = -1;
	for (int32_t f = 0; f < m->n_functions && !status; f++)
		if (m->functions[f].arity > 0)
			status = load(t, &t->functions[t->n_functions++], f, &used);
	if (!status)
		status = list_functions(t);
	for (int32_t p = 0; p < t->n && !status; p++)
		t->ordered[p] = is_ordered(t, p);
	return status;
}

/*
 * What is a tree's own, also of one that shares the rest; beside its rows' cells, 'more' for their
 * alignment.
 */
static int make_room(struct gpube_dfs *t, uint64_t n_functions, int more)
{
	struct gpube__arrays *memory = &t->memory;
	const uint64_t n = (uint64_t)t->n, widest = (uint64_t)t->widest;

	t->functions = gpube__array(memory, n_functions, sizeof(*t->functions));
	t->cost = gpube__array(memory, n, sizeof(*t->cost));
	t->window = gpube__array(memory, n, sizeof(*t->window));
	t->live = gpube__array(memory, n, sizeof(*t->live));
	t->at = gpube__array(memory, n, sizeof(*t->at));
	t->n_live = gpube__array(memory, n, sizeof(*t->n_live));
	t->moves_memory =
		gpube__array(memory, (uint64_t)t->n_moves + (uint64_t)more, sizeof(*t->moves));
	t->values = gpube__array(memory, 2 * (uint64_t)t->n_values, sizeof(*t->values));
	t->company = gpube__array(memory, (uint64_t)t->n_company, sizeof(*t->company));
	t->paired = gpube__array(memory, (uint64_t)t->n_paired, sizeof(*t->paired));
	t->removed = gpube__array(memory, (uint64_t)t->n_values, sizeof(*t->removed));
	t->changed = gpube__array(memory, n, 1);
	t->queue = gpube__array(memory, n / 64 + 1, sizeof(*t->queue));
	t->wanting = gpube__array(memory, n, sizeof(*t->wanting));
	t->free = gpube__array(memory, n, sizeof(*t->free));
	t->scratch = gpube__array(memory, widest, sizeof(*t->scratch));
	t->old = gpube__array(memory, widest * GPUBE__DFS_ARITY, sizeof(*t->old));
	t->taken = gpube__array(memory, widest, sizeof(*t->taken));
	t->choices = gpube__array(memory, 2 * (uint64_t)t->n_choices, sizeof(*t->choices));
	t->moves = t->moves_memory;
	return t->memory.failed ? GPUBE_ENOMEM : GPUBE_OK;
}

int gpube__dfs_new_to(struct gpube_dfs **out, const struct gpube_model *m, const int32_t *order,
	int64_t cutoff, int shift)
{
	struct gpube_ctx *ctx = m->ctx;
	const uint64_t n = (uint64_t)m->n_vars;
	struct gpube_dfs *t;
	int64_t n_values = 0, left = gpube__costs_left(m, cutoff);
	struct gpube_dfs room = {0};
	int status;

	*out = NULL;
	if (left > GPUBE__DFS_MOST >> shift || !is_small(m, &room) ||
		(int64_t)m->n_functions * GPUBE__DFS_ARITY > INT32_MAX)
		return GPUBE_OK;
	t = gpube__alloc_zero(ctx, 1, sizeof(*t));
	if (!t)
		return GPUBE_ENOMEM;
	t->ctx = ctx;
	t->m = m;
	t->n = t->last = m->n_vars;
	t->shift = shift;
	t->cutoff = gpube__scale_target(shift, left);
	/* which may add up */
	t->most_moved = t->cutoff < GPUBE__NARROW_MOST / 16 ? GPUBE__NARROW_MOST : GPUBE__ROW_MOVED;
	t->looked_from = -1;
	t->widest = 1;
	for (int32_t i = 0; i < m->n_vars; i++) {
		n_values += m->vars[i].domain;
		t->widest = m->vars[i].domain > t->widest ? m->vars[i].domain : t->widest;
	}
	/* as vectors have them */
	t->widest = (t->widest + GPUBE__ROW_STEP - 1) / GPUBE__ROW_STEP * GPUBE__ROW_STEP;
	gpube__work(ctx, MADE_TICKS * (n_values + gpube__model_cells(m)));
	t->n_moves = room.n_moves;
	t->n_values = n_values;
	t->n_company = room.n_company;
	t->n_paired = room.n_paired;
	t->n_choices = t->widest > CHOICES ? t->widest : CHOICES;
	t->kernels = gpube__ascent_kernels();
	t->memory.ctx = ctx;
	t->weights = gpube__array(&t->memory, (uint64_t)m->n_functions, sizeof(*t->weights));
	t->order = gpube__array(&t->memory, n, sizeof(*t->order));
	t->position = gpube__array(&t->memory, n, sizeof(*t->position));
	t->of_at = gpube__array(&t->memory, n + 2, sizeof(*t->of_at));
	t->ordered = gpube__array(&t->memory, n, sizeof(*t->ordered));
	status = make_room(t, (uint64_t)m->n_functions, 0);
	if (!status)
		status = fill(t, order);
	if (status || !sums_fit(t))
		gpube__dfs_free(t);
	else
		*out = t;
	return status;
}

/* ---- copies ---------------------------------------------------------------------------------- */

double gpube__dfs_copy_bytes(const struct gpube_dfs *t)
{
	return (double)t->n_moves * sizeof(*t->moves) + (double)t->n_company * sizeof(*t->company) +
	       (double)t->n_paired * sizeof(*t->paired) +
	       3 * (double)t->n_values * sizeof(*t->values) +
	       (double)t->n_functions * sizeof(*t->functions);
}

void gpube__dfs_copy_again(struct gpube_dfs *t)
{
	const struct gpube_dfs *from = t->original;

	t->constant = from->constant;
	t->swept = from->swept;
	t->n_removed = from->n_removed;
	memcpy(t->moves, from->moves, (size_t)t->n_moves * sizeof(*t->moves));
	memcpy(t->values, from->values, 2 * (size_t)t->n_values * sizeof(*t->values));
	memcpy(t->company, from->company, (size_t)t->n_company * sizeof(*t->company));
	memcpy(t->paired, from->paired, (size_t)t->n_paired * sizeof(*t->paired));
	memcpy(t->window, from->window, (size_t)t->n * sizeof(*t->window));
	memcpy(t->n_live, from->n_live, (size_t)t->n * sizeof(*t->n_live));
	memcpy(t->free, from->free, (size_t)t->n * sizeof(*t->free));
}

/* The same places in its own memory. */
static void point(struct gpube_dfs *t)
{
	const struct gpube_dfs *from = t->original;

	for (int32_t p = 0; p < t->n; p++) {
		t->cost[p] = t->moves + (from->cost[p] - from->moves);
		t->live[p] = t->values + (from->live[p] - from->values);
		t->at[p] = t->values + (from->at[p] - from->values);
	}
	for (int32_t f = 0; f < t->n_functions; f++) {
		const struct gpube_dfs_function *g = &from->functions[f];
		struct gpube_dfs_function *to = &t->functions[f];

		*to = *g;
		for (int k = 0; k < g->arity; k++) {
			to->moved[k] = t->moves + (g->moved[k] - from->moves);
			if (g->arity == 2)
				to->paired[k] = t->paired + (g->paired[k] - from->paired);
			else
				to->company[k] = t->company + (g->company[k] - from->company);
		}
	}
}

int gpube__dfs_copy(struct gpube_dfs **out, const struct gpube_dfs *t, struct gpube_ctx *ctx)
{
	struct gpube_dfs *copy = gpube__alloc(ctx, 1, sizeof(*copy));
	uintptr_t apart;

	*out = NULL;
	if (!copy)
		return GPUBE_ENOMEM;
	*copy = *t;
	copy->original = t;
	copy->ctx = ctx;
	copy->memory = (struct gpube__arrays){.ctx = ctx};
	copy->trail = NULL;
	copy->trail_capacity = 0;
	copy->last_word = -1;
	if (make_room(copy, (uint64_t)t->n_functions, GPUBE__ROW_STEP)) {
		gpube__dfs_free(copy);
		return GPUBE_ENOMEM;
	}
	apart = (uintptr_t)t->moves - (uintptr_t)copy->moves_memory;
	copy->moves += apart / sizeof(*t->moves) % GPUBE__ROW_STEP;
	point(copy);
	gpube__dfs_copy_again(copy);
	*out = copy;
	return GPUBE_OK;
}
