/* regions_cpu.c - regions.h on host memory; groups' items are spread over the threads. */
#include <string.h>

#include "gpube/ops/regions/regions_cell.h"
#include "gpube/options/options.h"

#define SIMD       _Pragma("omp simd")
#define SIMD_LEAST _Pragma("omp simd reduction(min : least)")

struct run {
	struct regions_view v;
	const struct gpube_ascent_kernels *kernels;
	int32_t **scratch; /* per thread */
	int64_t part;      /* cells of one of its parts */
	int32_t slack, first;
	bool backward;
};

/* ---- quads ----------------------------------------------------------------------------- */

/* An addend with z as the slowest variable and padded rows: [z][first][second]. */
static void turn_round(
	int32_t *to, const struct regions_join *j, int k, int32_t first, int32_t second)
{
	const int64_t *step = j->step[k];
	const int32_t row = regions_row(second);

	for (int32_t z = 0; z < j->z; z++)
		for (int32_t x = 0; x < first; x++, to += row) {
			const int32_t *from = j->in[k] + x * step[0] + z * step[2];

			for (int32_t y = 0; y < second; y++)
				to[y] = from[y * step[1]];
			for (int32_t y = second; y < row; y++)
				to[y] = GPUBE__DEAD;
		}
}

static void quad_step(const struct run *r, int32_t q, int z, int parts, int32_t *scratch)
{
	const struct regions_join j = regions_join(&r->v, q, z);
	int32_t *in[3], *rest = scratch + 3 * r->part;
	const int32_t row_v = regions_row(j.v), row_w = regions_row(j.w);

	for (int k = 0; k < 3; k++) {
		in[k] = scratch + k * r->part;
		turn_round(in[k], &j, k, k < 2 ? j.u : j.v, k == 0 ? j.v : j.w);
	}
	for (int32_t x = 0; x < j.u; x++)
		for (int32_t y = 0; y < j.v; y++) {
			int32_t *table = j.table + x * j.row_u + y * j.row_v;
			int32_t *addend = j.addend + x * j.row_u + y * j.row_v;

			for (int32_t t = 0; t < row_w; t++)
				rest[t] = GPUBE__DEAD;
			r->kernels->join(rest, row_w, j.z, in[0] + (int64_t)x * row_v + y,
				(int64_t)j.u * row_v, in[1] + (int64_t)x * row_w,
				(int64_t)j.u * row_w, in[2] + (int64_t)y * row_w,
				(int64_t)j.v * row_w);
			for (int32_t t = 0; t < j.w; t++)
				regions_give(&table[t], &addend[t], rest[t], r->slack, parts);
		}
}

static void quad(void *arg, int64_t item, int thread)
{
	const struct run *r = arg;
	const int32_t q = r->first + (int32_t)item;

	for (int k = 0; k < 4; k++) {
		const int32_t t = r->v.quad_triples[4 * (int64_t)q + k];

		r->kernels->pull(regions_triple(&r->v, t), regions_addend(&r->v, q, k),
			regions_triple_cells(&r->v, t), r->slack);
	}
	for (int k = 0; k < 4; k++)
		quad_step(r, q, r->backward ? 3 - k : k, 4 - k, r->scratch[thread]);
}

/* ---- triples --------------------------------------------------------------------------- */

/* The table of a triple, and what it hands its pairs: gift[k] is laid out as pair k. */
struct triple {
	int32_t d[3], row[2]; /* rows along v1 and v2 */
	int32_t *t, *pair[3], *gift[3];
};

/* A row of the table, and the cells over it of the pairs (v1, v2), (v0, v2), (v0, v1). */
struct row {
	int32_t *restrict t;
	const int32_t *c0, *c1;
	int32_t c2;
};

static inline struct row row_of(
	const struct triple *a, int32_t *const pair[3], int32_t x, int32_t y)
{
	return (struct row){a->t + ((int64_t)x * a->d[1] + y) * a->row[1],
		pair[0] + (int64_t)y * a->row[1], pair[1] + (int64_t)x * a->row[1],
		pair[2][(int64_t)x * a->row[0] + y]};
}

static void triple_side(const struct triple *a, int side, int parts, int32_t *m, int64_t cells)
{
	for (int64_t c = 0; c < cells; c++)
		m[c] = GPUBE__DEAD;
	for (int32_t x = 0; x < a->d[0]; x++)
		for (int32_t y = 0; y < a->d[1]; y++) {
			const struct row w = row_of(a, a->gift, x, y);
			int32_t *restrict to = m + (int64_t)(side ? x : y) * a->row[1];
			int32_t least = GPUBE__DEAD;

			if (side < 2) {
				SIMD for (int32_t z = 0; z < a->d[2]; z++) to[z] = regions_least(
					to[z], regions_left(w.t[z], w.c0[z], w.c1[z], w.c2));
				continue;
			}
			SIMD_LEAST for (int32_t z = 0; z < a->d[2]; z++) least =
				regions_least(least, regions_left(w.t[z], w.c0[z], w.c1[z], w.c2));
			m[(int64_t)x * a->row[0] + y] = least;
		}
	for (int64_t c = 0; c < cells; c++)
		a->gift[side][c] = m[c] == GPUBE__DEAD
					   ? GPUBE__DEAD
					   : a->gift[side][c] + regions_part(m[c], parts);
}

static void triple(void *arg, int64_t item, int thread)
{
	const struct run *r = arg;
	const int32_t t = r->first + (int32_t)item;
	const int32_t *vars = r->v.triple_vars + 3 * (int64_t)t;
	struct triple a;
	const int32_t slack = r->slack;
	int64_t cells[3];
	int32_t *m = r->scratch[thread];

	for (int k = 0; k < 3; k++)
		a.d[k] = r->v.domain[vars[k]];
	a.row[0] = regions_row(a.d[1]);
	a.row[1] = regions_row(a.d[2]);
	a.t = regions_triple(&r->v, t);
	cells[0] = (int64_t)a.d[1] * a.row[1];
	cells[1] = (int64_t)a.d[0] * a.row[1];
	cells[2] = (int64_t)a.d[0] * a.row[0];
	for (int k = 0; k < 3; k++) {
		a.pair[k] = regions_pair(&r->v, r->v.triple_pairs[3 * (int64_t)t + k]);
		a.gift[k] = r->scratch[thread] + (k + 1) * r->part;
		memset(a.gift[k], 0, (size_t)cells[k] * sizeof(int32_t));
	}
	for (int32_t x = 0; x < a.d[0]; x++)
		for (int32_t y = 0; y < a.d[1]; y++) {
			const struct row w = row_of(&a, a.pair, x, y);

			SIMD for (int32_t z = 0; z < a.d[2]; z++) w.t[z] = regions_sum(
				regions_sum(regions_sum(w.t[z], w.c0[z], slack), w.c1[z], slack),
				w.c2, slack);
		}
	for (int turn = 0; turn < 5; turn++) {
		const int side = regions_side(turn, r->backward);

		triple_side(&a, side, regions_side_parts(turn), m, cells[side]);
	}
	for (int32_t x = 0; x < a.d[0]; x++)
		for (int32_t y = 0; y < a.d[1]; y++) {
			const struct row w = row_of(&a, a.gift, x, y);

			SIMD for (int32_t z = 0; z < a.d[2]; z++) w.t[z] =
				regions_left(w.t[z], w.c0[z], w.c1[z], w.c2);
		}
	for (int k = 0; k < 3; k++)
		memcpy(a.pair[k], a.gift[k], (size_t)cells[k] * sizeof(int32_t));
}

/* ---- variables ------------------------------------------------------------------------- */

/* The min-marginal of a pair on its variable i. */
static void pair_least(const struct regions_view *v, int32_t p, int32_t i, int32_t *m)
{
	const int32_t a = v->pair_vars[2 * (int64_t)p], b = v->pair_vars[2 * (int64_t)p + 1];
	const int32_t *t = regions_pair(v, p);
	const int32_t row = regions_row(v->domain[b]);

	for (int32_t x = 0; x < v->domain[i]; x++)
		m[x] = GPUBE__DEAD;
	for (int32_t x = 0; x < v->domain[a]; x++)
		for (int32_t y = 0; y < v->domain[b]; y++) {
			int32_t *to = &m[a == i ? x : y];

			*to = regions_least(*to, t[(int64_t)x * row + y]);
		}
}

static void pair_settle(const struct regions_view *v, int32_t p, int32_t i, const int32_t *m,
	const int32_t *gift, int32_t slack, int32_t best)
{
	const int32_t a = v->pair_vars[2 * (int64_t)p], b = v->pair_vars[2 * (int64_t)p + 1];
	const int32_t row = regions_row(v->domain[b]);
	int32_t *t = regions_pair(v, p);

	for (int32_t x = 0; x < v->domain[a]; x++)
		for (int32_t y = 0; y < v->domain[b]; y++) {
			int32_t *to = &t[(int64_t)x * row + y];
			const int32_t k = a == i ? x : y;

			*to = regions_pair_cell(*to, m[k], gift[k], slack, best);
		}
}

static void variable(struct run *r, int32_t i)
{
	const struct regions_view *v = &r->v;
	const int32_t first = v->near_at[i], pairs = v->near_at[i + 1] - first, d = v->domain[i];
	int32_t *m = r->scratch[0], *gift = r->scratch[0] + r->part, *u = regions_unary(v, i);
	int32_t best = GPUBE__DEAD;

	for (int32_t k = 0; k < pairs; k++) {
		pair_least(v, v->near[first + k], i, m);
		for (int32_t x = 0; x < d; x++)
			u[x] = regions_sum(u[x], m[x], r->slack);
	}
	for (int32_t x = 0; x < d; x++)
		best = regions_least(best, u[x]);
	if (best >= r->slack) {
		v->head->closed = 1;
		best = 0;
	}
	v->head->constant += best;
	for (int32_t x = 0; x < d; x++) {
		const struct regions_value value = regions_value(u[x], best, r->slack, pairs);

		u[x] = value.unary;
		gift[x] = value.gift;
	}
	/* once more: the margins of all pairs at once would take as much room as the pairs */
	for (int32_t k = 0; k < pairs; k++) {
		pair_least(v, v->near[first + k], i, m);
		pair_settle(v, v->near[first + k], i, m, gift, r->slack, best);
	}
}

/* ---- a pass ------------------------------------------------------------------------------ */

static void groups(struct gpube_ctx *ctx, struct run *r, const int32_t *group, int32_t n,
	void (*item)(void *, int64_t, int))
{
	for (int32_t g = 0; g < n && !gpube__stopped(ctx); g++) {
		const int32_t at = r->backward ? n - 1 - g : g;

		r->first = group[at];
		gpube__parallel(ctx, group[at + 1] - group[at], item, r);
	}
}

/* Four parts: three addends and a row, or a min-marginal and three gifts. */
static int make_scratch(struct gpube_ctx *ctx, struct run *r, const struct gpube_regions *s)
{
	int64_t widest = GPUBE__LANES;

	for (int32_t i = 0; i < s->plan->n; i++)
		if (regions_row(s->domain[i]) > widest)
			widest = regions_row(s->domain[i]);
	r->part = s->plan->n_quads ? widest * widest * widest : widest * widest;
	r->scratch = gpube__alloc_zero(ctx, (uint64_t)ctx->n_threads, sizeof(*r->scratch));
	for (int k = 0; r->scratch && k < ctx->n_threads; k++) {
		/* sums of padding mean nothing, but shall not overflow */
		r->scratch[k] = gpube__alloc_zero(ctx, 4 * (uint64_t)r->part, sizeof(int32_t));
		if (!r->scratch[k])
			return GPUBE_ENOMEM;
	}
	return r->scratch ? GPUBE_OK : GPUBE_ENOMEM;
}

static int pass(struct gpube_ctx *ctx, struct gpube_regions *s, int what)
{
	const struct gpube_regions_plan *p = s->plan;
	struct run r = {.v = regions_view(s, p->words),
		.kernels = gpube__ascent_kernels(),
		.backward = what & GPUBE_REGIONS_BACKWARD};
	const int64_t left = r.v.head->target - r.v.head->constant;
	int status = make_scratch(ctx, &r, s);

	r.slack = r.v.head->slack = left > GPUBE__SLACK_MAX ? GPUBE__SLACK_MAX
				    : left < 0              ? 0
							    : (int32_t)left;
	if (!status && (what & GPUBE_REGIONS_QUADS))
		groups(ctx, &r, p->quad_group, p->n_quad_groups, quad);
	if (!status)
		groups(ctx, &r, p->triple_group, p->n_triple_groups, triple);
	for (int32_t k = 0; !status && k < p->n; k++)
		variable(&r, r.v.variables[r.backward ? p->n - 1 - k : k]);
	for (int k = 0; r.scratch && k < ctx->n_threads; k++)
		gpube__free(ctx, r.scratch[k]);
	gpube__free(ctx, r.scratch);
	return status;
}

/* ---- fewer values -------------------------------------------------------------------------- */

static void gather_table(const struct regions_view *to, const struct regions_view *from, int64_t t,
	const int32_t *vars, int n, const int32_t *kept_at, const int32_t *kept)
{
	const int32_t last = vars[n - 1], d = to->domain[last], row = regions_row(d);
	const int32_t *columns = kept + kept_at[last];
	int64_t rows = 1;
	int32_t *out = to->cells + to->at[t];

	for (int k = 0; k + 1 < n; k++)
		rows *= to->domain[vars[k]];
	for (int64_t x = 0; x < rows; x++, out += row) {
		const int32_t *in = from->cells + from->at[t] +
				    regions_old_row(to, from, vars, n, x, kept_at, kept);

		for (int32_t y = 0; y < d; y++)
			out[y] = in[columns[y]];
	}
}

static int gather(struct gpube_ctx *ctx, struct gpube_regions *to, const struct gpube_regions *from,
	const int32_t *kept_at, const int32_t *kept)
{
	const struct regions_view a = regions_view(to, to->plan->words);
	const struct regions_view b = regions_view(from, from->plan->words);

	(void)ctx;
	for (int64_t t = 0; t < gpube__regions_tables(to->plan); t++) {
		int32_t vars[3];
		const int n = regions_scope(&a, t, vars);

		gather_table(&a, &b, t, vars, n, kept_at, kept);
	}
	return GPUBE_OK;
}

static int32_t most_values(struct gpube_ctx *ctx)
{
	(void)ctx;
	return 1024;
}

static int zero(struct gpube_ctx *ctx, void *p, uint64_t bytes)
{
	enum { PIECE = 1 << 24 }; /* fresh memory comes from the system at a GB a second or less */

	for (uint64_t at = 0; at < bytes; at += PIECE) {
		if (at && gpube__stopped(ctx))
			return gpube__fail_stopped(ctx);
		memset((char *)p + at, 0, bytes - at < PIECE ? bytes - at : PIECE);
	}
	return GPUBE_OK;
}

const struct gpube_regions_ops *gpube__regions_cpu(void)
{
	static const struct gpube_regions_ops ops = {most_values, zero, pass, gather};

	return &ops;
}
