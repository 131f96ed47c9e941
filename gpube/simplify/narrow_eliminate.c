/*
 * narrow_eliminate.c - bucket elimination in 128 bits: the plain one, for small models whose totals
 * lie too far apart for 64. See narrow.h.
 */
#include "gpube/simplify/narrow.h"

#include <stdlib.h>
#include <string.h>

/*
 * More cells of all functions and messages, or joined ones, are not for here: seconds, and 150 MB,
 * 400 where regrets are kept; nor is what the memory does not hold. The order is found by looking
 * at all functions for each variable, each time one is eliminated.
 */
enum {
	MOST_CELLS = 1 << 23,
	FEW_CELLS = 1 << 13,
	CELL_BYTES = 48,
	MOST_VARS = 1 << 8,
	MOST_FUNCTIONS = 1 << 13
};

enum { JOINED_BETWEEN_CHECKS = 1 << 16 };

/* A function or a message; of a bucket's joined table: in 'from', its variable last. */
struct factor {
	int n;
	int32_t *scope; /* of s->m's variables */
	int64_t *step;  /* of the bucket's dimensions: this table's strides, 0 where it has none */
	int64_t cells;
	gpube__wide_cost *cost; /* NULL: it is in a message already */
};

struct bucket {
	int n;
	int32_t *scope; /* the eliminated variable last */
	int8_t *dead;   /* of each cell: whether it costs more than the best one of its row */
	gpube__wide_cost *regret; /* by how much, or NULL: that is not wanted */
};

struct wide {
	struct gpube_live *s;
	struct factor *factors;
	int64_t n_factors, capacity;
	struct bucket *buckets; /* in the order of elimination */
	int32_t n_buckets;
	bool *gone;    /* or in no factor */
	int32_t *seen; /* of each variable: when it was last met */
	int32_t time;
	int32_t *union_; /* scratch: the scope of a bucket */
	int64_t n_cells, n_joined, most_cells;
	bool keeps; /* the regrets */
	gpube__wide_cost optimum;
};

static int too_large(const struct gpube_live *s)
{
	return gpube__fail(s->m->ctx, GPUBE_ELIMIT, "elimination in 128 bits would be too large");
}

static int64_t product(const struct wide *w, int n, const int32_t *scope)
{
	int64_t cells = 1;

	for (int k = 0; k < n; k++)
		if (cells <= MOST_CELLS)
			cells *= w->s->n[scope[k]];
	return cells;
}

/* ---- factors -------------------------------------------------------------------------------- */

/* A table over 'scope', without its costs. Errors: ELIMIT, ENOMEM */
static int add_factor(struct wide *w, struct factor **out, int n, const int32_t *scope)
{
	struct gpube_ctx *ctx = w->s->m->ctx;
	struct factor *f;

	if (gpube__grow(ctx, &w->factors, &w->capacity, w->n_factors + 1, sizeof(*w->factors)))
		return GPUBE_ENOMEM;
	f = *out = &w->factors[w->n_factors++];
	*f = (struct factor){.n = n, .cells = product(w, n, scope)};
	w->n_cells += f->cells;
	if (w->n_cells > w->most_cells)
		return too_large(w->s);
	f->scope = gpube__alloc(ctx, (uint64_t)n, sizeof(*f->scope));
	f->cost = gpube__alloc(ctx, (uint64_t)f->cells, sizeof(*f->cost));
	if (!f->scope || !f->cost)
		return GPUBE_ENOMEM;
	for (int k = 0; k < n; k++)
		f->scope[k] = scope[k];
	return GPUBE_OK;
}

/* A function over the live values of the variables that are kept; the others have one. */
static int add_function(struct wide *w, int32_t function, int32_t *values)
{
	struct gpube_live *s = w->s;
	const int32_t *scope = gpube__scope(s->m, function);
	struct factor *f;
	int n = 0, status;

	for (int k = 0; k < s->m->functions[function].arity; k++) {
		values[scope[k]] = s->list[s->start[scope[k]]];
		if (gpube__live_kept(s, scope[k]))
			w->union_[n++] = scope[k];
	}
	status = add_factor(w, &f, n, w->union_);
	for (int64_t cell = 0; !status && cell < f->cells; cell++) {
		int64_t rest = cell;

		for (int k = n - 1; k >= 0; k--) {
			int32_t i = f->scope[k];

			values[i] = s->list[s->start[i] + rest % s->n[i]];
			rest /= s->n[i];
		}
		f->cost[cell] = gpube__wide_price(s, function, values);
	}
	return status;
}

static int add_evidence(struct wide *w, int32_t i)
{
	struct factor *f;
	int status = add_factor(w, &f, 1, &i);

	for (int64_t a = 0; !status && a < f->cells; a++)
		f->cost[a] = a == w->s->m->evidence[i] ? 0 : GPUBE__WIDE_FORBIDDEN;
	return status;
}

static int add_factors(struct wide *w)
{
	const struct gpube_model *m = w->s->m;
	int32_t *values = gpube__alloc(m->ctx, (uint64_t)m->n_vars, sizeof(*values));
	int status = values ? GPUBE_OK : GPUBE_ENOMEM;

	for (int32_t f = 0; f < m->n_functions && !status; f++)
		status = gpube__stopped(m->ctx) ? gpube__fail_stopped(m->ctx)
						: add_function(w, f, values);
	for (int32_t i = 0; i < m->n_vars && !status; i++)
		if (m->evidence && m->evidence[i] >= 0 && !w->s->reductions)
			status = add_evidence(w, i);
	gpube__free(m->ctx, values);
	return status;
}

/* ---- the order ------------------------------------------------------------------------------ */

static bool has(const struct factor *f, int32_t var)
{
	for (int k = 0; k < f->n && f->cost; k++)
		if (f->scope[k] == var)
			return true;
	return false;
}

/* The other variables of a variable's factors, into w->union_; returns how many. */
static int neighbours(struct wide *w, int32_t var)
{
	int n = 0;

	w->time++;
	w->seen[var] = w->time;
	for (int64_t f = 0; f < w->n_factors; f++) {
		if (!has(&w->factors[f], var))
			continue;
		for (int k = 0; k < w->factors[f].n; k++) {
			int32_t i = w->factors[f].scope[k];

			if (w->seen[i] != w->time)
				w->union_[n++] = i;
			w->seen[i] = w->time;
		}
	}
	return n;
}

/* The variable with the smallest joined table. */
static int32_t next_variable(struct wide *w)
{
	int32_t best = -1;
	int64_t least = INT64_MAX;

	for (int32_t i = 0; i < w->s->m->n_vars; i++) {
		int64_t cells;
		int n;

		if (w->gone[i])
			continue;
		n = neighbours(w, i);
		w->union_[n] = i;
		cells = product(w, n + 1, w->union_);
		if (cells >= least)
			continue;
		least = cells;
		best = i;
	}
	return best;
}

/* ---- one bucket ----------------------------------------------------------------------------- */

static int set_steps(struct wide *w, struct factor *f, const struct bucket *b)
{
	int64_t stride = 1;

	f->step = gpube__alloc_zero(w->s->m->ctx, (uint64_t)b->n, sizeof(*f->step));
	if (!f->step)
		return GPUBE_ENOMEM;
	for (int k = f->n - 1; k >= 0; stride *= w->s->n[f->scope[k--]])
		for (int j = 0; j < b->n; j++)
			if (b->scope[j] == f->scope[k])
				f->step[j] = stride;
	return GPUBE_OK;
}

/* A joined cell: 'index' of the bucket's dimensions. */
static gpube__wide_cost joined(
	struct factor *const *in, int64_t n_in, const struct bucket *b, const int32_t *index)
{
	gpube__wide_cost sum = 0;

	for (int64_t f = 0; f < n_in; f++) {
		int64_t at = 0;

		for (int j = 0; j < b->n; j++)
			at += in[f]->step[j] * index[j];
		if (in[f]->cost[at] == GPUBE__WIDE_FORBIDDEN)
			return GPUBE__WIDE_FORBIDDEN;
		sum += in[f]->cost[at];
	}
	return sum;
}

/* The message: the least of each row; the bucket keeps which cells cost more. */
static int join(struct wide *w, struct bucket *b, struct factor *const *in, int64_t n_in,
	gpube__wide_cost *message, int64_t n_rows)
{
	struct gpube_ctx *ctx = w->s->m->ctx;
	const int32_t d = w->s->n[b->scope[b->n - 1]];
	gpube__wide_cost *row = gpube__alloc(ctx, (uint64_t)d, sizeof(*row));
	int32_t *index = gpube__alloc_zero(ctx, (uint64_t)b->n, sizeof(*index));
	int64_t until_check = JOINED_BETWEEN_CHECKS;
	int status = row && index ? GPUBE_OK : GPUBE_ENOMEM;

	for (int64_t r = 0; r < n_rows && !status; r++) {
		gpube__wide_cost least = GPUBE__WIDE_FORBIDDEN;

		for (int32_t a = 0; a < d; a++) {
			index[b->n - 1] = a;
			row[a] = joined(in, n_in, b, index);
			least = row[a] < least ? row[a] : least;
		}
		for (int32_t a = 0; a < d; a++) {
			b->dead[r * d + a] = row[a] > least || least == GPUBE__WIDE_FORBIDDEN;
			if (b->regret)
				b->regret[r * d + a] =
					row[a] == GPUBE__WIDE_FORBIDDEN ? row[a] : row[a] - least;
		}
		message[r] = least;
		for (int k = b->n - 2; k >= 0 && ++index[k] == w->s->n[b->scope[k]]; k--)
			index[k] = 0;
		until_check -= d * (n_in + 1);
		if (until_check > 0)
			continue;
		until_check = JOINED_BETWEEN_CHECKS;
		if (gpube__stopped(ctx))
			status = gpube__fail_stopped(ctx);
	}
	gpube__free(ctx, row);
	gpube__free(ctx, index);
	return status;
}

static void factor_clear(struct wide *w, struct factor *f)
{
	GPUBE_FREE_ALL(w->s->m->ctx, f->scope, f->step, f->cost);
	*f = (struct factor){0};
}

static int eliminate(struct wide *w, int32_t var)
{
	struct gpube_ctx *ctx = w->s->m->ctx;
	struct bucket *b = &w->buckets[w->n_buckets++];
	struct factor *out, **in;
	int n = neighbours(w, var), status;
	int64_t n_in = 0, n_before = w->n_factors, cells;

	w->union_[n] = var;
	b->n = n + 1;
	cells = product(w, b->n, w->union_);
	w->n_joined += cells;
	if (w->n_joined > w->most_cells)
		return too_large(w->s);
	b->scope = gpube__alloc(ctx, (uint64_t)b->n, sizeof(*b->scope));
	b->dead = gpube__alloc(ctx, (uint64_t)cells, sizeof(*b->dead));
	if (w->keeps)
		b->regret = gpube__alloc(ctx, (uint64_t)cells, sizeof(*b->regret));
	if (!b->scope || !b->dead || (w->keeps && !b->regret))
		return GPUBE_ENOMEM;
	memcpy(b->scope, w->union_, (size_t)b->n * sizeof(*b->scope));
	status = add_factor(w, &out, n, b->scope);
	in = gpube__alloc(ctx, (uint64_t)n_before, sizeof(struct factor *));
	if (!in)
		status = status ? status : GPUBE_ENOMEM;
	for (int64_t f = 0; f < n_before && !status; f++) {
		if (!has(&w->factors[f], var))
			continue;
		in[n_in++] = &w->factors[f];
		status = set_steps(w, &w->factors[f], b);
	}
	if (!status)
		status = join(w, b, in, n_in, out->cost, out->cells);
	for (int64_t f = 0; f < n_in; f++)
		factor_clear(w, in[f]);
	gpube__free(ctx, in);
	w->gone[var] = true;
	return status;
}

/* What is left are constants. */
static int add_constants(struct wide *w)
{
	w->optimum = gpube__wide_constant(w->s);
	for (int64_t f = 0; f < w->n_factors; f++) {
		if (!w->factors[f].cost)
			continue;
		if (w->factors[f].cost[0] == GPUBE__WIDE_FORBIDDEN)
			w->s->infeasible = true;
		else
			w->optimum += w->factors[f].cost[0];
	}
	w->s->infeasible |= w->s->has_top && w->optimum >= w->s->top;
	return GPUBE_OK;
}

static int check_optimum(const struct wide *w)
{
	if (!w->s->infeasible && (w->optimum <= -INT64_MAX || w->optimum >= INT64_MAX))
		return gpube__fail(w->s->m->ctx, GPUBE_ERANGE,
			"the least total, about %.6g units of 10^-%d, passes 2^63",
			(double)w->optimum, w->s->m->scale);
	return GPUBE_OK;
}

/* ---- what it leaves ------------------------------------------------------------------------- */

/* From the last bucket to the first, in each the first value that is not dead. */
static void read_off(const struct wide *w, int32_t *values)
{
	const struct gpube_live *s = w->s;
	int32_t *rank = w->seen; /* of no more use: the chosen one of the live values */

	for (int32_t i = 0; i < s->m->n_vars; i++) {
		rank[i] = 0;
		values[i] = s->list[s->start[i]];
		if (!s->reductions && s->m->evidence && s->m->evidence[i] >= 0)
			values[i] = s->m->evidence[i];
	}
	for (int32_t k = w->n_buckets - 1; k >= 0; k--) {
		const struct bucket *b = &w->buckets[k];
		const int32_t var = b->scope[b->n - 1];
		int64_t at = 0;

		for (int j = 0; j < b->n - 1; j++)
			at = at * s->n[b->scope[j]] + rank[b->scope[j]];
		while (b->dead[at * s->n[var] + rank[var]])
			rank[var]++;
		/* (an observed variable of no function has no list of all its values) */
		values[var] = s->reductions ? s->list[s->start[var] + rank[var]] : rank[var];
	}
}

/* A bucket as a function of the new model: forbidden where it is dead. */
static int add_bucket(
	const struct wide *w, struct gpube_model *m, struct bucket *b, const int32_t *index)
{
	struct gpube_table t = {.type = GPUBE_INT8, .arity = b->n, .n = product(w, b->n, b->scope)};

	for (int64_t k = 0; k < t.n; k++)
		b->dead[k] = b->dead[k] ? INT8_MAX : 0;
	for (int k = 0; k < b->n; k++)
		b->scope[k] = index[b->scope[k]];
	t.values = b->dead;
	b->dead = NULL;
	return gpube__add_table_over(m, b->scope, &t, NULL);
}

static int make_model(struct gpube_model **out, const struct wide *w)
{
	const struct gpube_live *s = w->s;
	int32_t *index = w->seen;
	struct gpube_model *m;
	int status = gpube_model_new(&m, s->m->ctx, GPUBE_COSTS);

	if (status)
		return status;
	m->scale = s->m->scale;
	m->constant = (int64_t)w->optimum;
	for (int32_t i = 0; i < s->m->n_vars && !status; i++)
		if (gpube__live_kept(s, i))
			status = gpube_model_add_var(m, &index[i], s->n[i], NULL);
	for (int32_t k = 0; k < w->n_buckets && !status; k++)
		status = add_bucket(w, m, &w->buckets[k], index);
	if (status)
		gpube_model_free(m);
	else
		*out = m;
	return status;
}

/* ---- all of it ------------------------------------------------------------------------------ */

/* order  of all variables, or NULL */
static int run(struct wide *w, const int32_t *order)
{
	const int32_t n = w->s->m->n_vars;
	int32_t n_left = 0;
	int status = w->s->m->n_functions > MOST_FUNCTIONS ? too_large(w->s) : add_factors(w);

	for (int64_t f = 0; f < w->n_factors && !status; f++)
		for (int k = 0; k < w->factors[f].n; k++) {
			n_left += w->gone[w->factors[f].scope[k]];
			w->gone[w->factors[f].scope[k]] = false;
		}
	if (!status && n_left > MOST_VARS)
		return too_large(w->s);
	for (int32_t at = 0; n_left > 0 && !status; at++) {
		const int32_t var = !order ? next_variable(w) : at < n ? order[at] : -1;

		if (var >= 0 && w->gone[var])
			continue;
		status = gpube__stopped(w->s->m->ctx) ? gpube__fail_stopped(w->s->m->ctx)
						      : eliminate(w, var);
		n_left--;
	}
	return status ? status : add_constants(w);
}

static int wide_init(struct wide *w, struct gpube_live *s)
{
	const uint64_t n = (uint64_t)s->m->n_vars;
	struct gpube_ctx *ctx = s->m->ctx;

	*w = (struct wide){.s = s,
		.buckets = gpube__alloc_zero(ctx, n, sizeof(*w->buckets)),
		.gone = gpube__alloc(ctx, n, sizeof(*w->gone)),
		.seen = gpube__alloc_zero(ctx, n, sizeof(*w->seen)),
		.union_ = gpube__alloc(ctx, n + 1, sizeof(*w->union_))};
	if (!w->buckets || !w->gone || !w->seen || !w->union_)
		return GPUBE_ENOMEM;
	w->most_cells = ctx->memory_bytes / CELL_BYTES < MOST_CELLS
				? (int64_t)(ctx->memory_bytes / CELL_BYTES)
				: MOST_CELLS;
	w->most_cells = w->most_cells > FEW_CELLS ? w->most_cells : FEW_CELLS;
	memset(w->gone, true, (size_t)n * sizeof(*w->gone));
	return GPUBE_OK;
}

static void wide_clear(struct wide *w)
{
	struct gpube_ctx *ctx = w->s->m->ctx;

	for (int64_t f = 0; f < w->n_factors; f++)
		factor_clear(w, &w->factors[f]);
	for (int32_t k = 0; k < w->n_buckets; k++) {
		GPUBE_FREE_ALL(ctx, w->buckets[k].scope, w->buckets[k].dead, w->buckets[k].regret);
	}
	GPUBE_FREE_ALL(ctx, w->factors, w->buckets, w->gone, w->seen, w->union_);
}

int gpube__wide_eliminate(struct gpube_model **out, struct gpube_live *s, int32_t *values)
{
	struct wide w;
	int status = wide_init(&w, s);

	*out = NULL;
	if (!status)
		status = run(&w, NULL);
	if (!status)
		status = check_optimum(&w);
	if (!status && !s->infeasible) {
		read_off(&w, values);
		status = make_model(out, &w);
	}
	wide_clear(&w);
	return status;
}

int gpube__wide_regrets(struct gpube__regrets *out, struct gpube_live *s, const int32_t *order)
{
	struct gpube_ctx *ctx = s->m->ctx;
	struct wide w;
	int status = wide_init(&w, s);

	*out = (struct gpube__regrets){.ctx = ctx};
	w.keeps = true;
	if (!status)
		status = run(&w, order);
	if (!status) {
		out->tables = gpube__alloc_zero(ctx, (uint64_t)w.n_buckets, sizeof(*out->tables));
		status = out->tables ? GPUBE_OK : GPUBE_ENOMEM;
	}
	for (int32_t k = 0; k < w.n_buckets && !status; k++) {
		struct bucket *b = &w.buckets[k];

		out->tables[out->n++] = (struct gpube__regret_table){.n = b->n,
			.scope = b->scope,
			.cells = product(&w, b->n, b->scope),
			.cost = b->regret};
		b->scope = NULL;
		b->regret = NULL;
	}
	out->optimum = w.optimum;
	wide_clear(&w);
	return status;
}

void gpube__regrets_clear(struct gpube__regrets *r)
{
	for (int32_t k = 0; k < r->n; k++) {
		gpube__free(r->ctx, r->tables[k].scope);
		gpube__free(r->ctx, r->tables[k].cost);
	}
	gpube__free(r->ctx, r->tables);
	*r = (struct gpube__regrets){0};
}
