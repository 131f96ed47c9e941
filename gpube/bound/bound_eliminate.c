/* bound_eliminate.c - elimination of what filtering has left of a problem: see bound.h. */
#include "gpube/bound/bound.h"

#include <math.h>
#include <string.h>

#include "gpube/ops/pick.h"

/*
 * Slices: most of them, and most cells of a join in each: what kernels index by 32 bits is many
 * times as fast. All of them are begun where a prediction, which looks at their joins alone and may
 * be wrong by a factor of ten, says a sixteenth of the time.
 */
#define MOST_SLICES 4096
#define SLICE_CELLS 0x1p32
#define SLICE_SHARE 16

/* The simplified model without the dead values, and with the limit as its top. */
static int restricted(struct gpube_model **out, const struct gpube_bounder *b, const uint8_t *dead,
	const int64_t *at)
{
	const struct gpube_model *m = b->m;
	struct gpube_ctx *ctx = b->ctx;
	struct gpube_model *r = NULL;
	int status = gpube_model_new(&r, ctx, GPUBE_COSTS);
	int64_t *unary = NULL, capacity = 0;

	*out = NULL;
	for (int32_t i = 0; i < m->n_vars && !status; i++)
		status = gpube_model_add_var(r, NULL, m->vars[i].domain, NULL);
	for (int32_t f = 0; f < m->n_functions && !status; f++) {
		const int32_t *scope = gpube__scope(m, f);
		struct gpube_table t = *gpube__table(m, f);
		uint64_t size = gpube__type_size(t.type);
		int32_t table;
		const struct gpube_table *from = gpube__table(m, f);

		t.n_users = 0;
		t.values = gpube__alloc(ctx, (uint64_t)t.n, size);
		t.tuples = from->tuples ? gpube__alloc(ctx, (uint64_t)t.n * (uint64_t)t.arity,
						  sizeof(*t.tuples))
					: NULL;
		if (!t.values || (from->tuples && !t.tuples)) {
			gpube__free(ctx, t.values);
			gpube__free(ctx, t.tuples);
			status = GPUBE_ENOMEM;
			break;
		}
		if (t.n)
			memcpy(t.values, from->values, (size_t)t.n * size);
		if (t.n && t.tuples)
			memcpy(t.tuples, from->tuples,
				(size_t)t.n * (size_t)t.arity * sizeof(*t.tuples));
		status = gpube__add_table(r, &table, &t);
		if (!status)
			status = gpube__add_function(r, m->functions[f].arity, scope, table, NULL);
	}
	for (int32_t i = 0; i < m->n_vars && dead && !status; i++) {
		status = gpube__grow(ctx, &unary, &capacity, m->vars[i].domain, sizeof(*unary));
		for (int32_t a = 0; a < m->vars[i].domain && !status; a++)
			unary[a] = dead[at[i] + a] ? GPUBE_INF : 0;
		if (!status)
			status = gpube_model_add_costs(r, 1, &i, unary);
	}
	gpube__free(ctx, unary);
	if (!status)
		status = gpube_model_set_top(r, b->limit);
	if (status) {
		gpube_model_free(r);
		return status;
	}
	r->constant = m->constant;
	*out = r;
	return GPUBE_OK;
}

/* What a plan takes: its joins, and fresh memory at 5 GB a second; never, if that is too late. */
static double planned_seconds(const struct gpube_bounder *b, const struct gpube_plan *plan)
{
	double seconds = plan->predicted_seconds + 2e-10 * plan->peak_bytes;

	return b->ctx->deadline > 0 && gpube__now() + 2 * seconds > b->ctx->deadline ? INFINITY
										     : seconds;
}

/*
 * gpube_solve() that gives up after so many seconds, when the prediction was wrong, as it is on a
 * machine that others use: then there is no solution, *s is NULL. The plan that it has is freed.
 */
static int solve_within(struct gpube_solution **s, const struct gpube_model *r,
	const struct gpube_solve_opts *opts, double seconds)
{
	struct gpube_ctx *ctx = r->ctx;
	const double deadline = ctx->deadline, mine = gpube__now() + seconds;
	int status;

	gpube_solution_free(*s, ctx);
	if (deadline <= 0 || mine < deadline)
		ctx->deadline = mine;
	status = gpube_solve(s, r, opts);
	ctx->deadline = deadline;
	if (status == GPUBE_ESTOP && !gpube__stopped(ctx)) {
		gpube__log(ctx, GPUBE_LOG_DETAIL, "elimination is given up after %.1f s", seconds);
		gpube_solution_free(*s, ctx);
		*s = NULL;
		status = GPUBE_OK;
	}
	return status;
}

/* ---- one slice after another ----------------------------------------------------------------- */

/*
 * Where the tables do not fit the memory, a few variables are given each combination of their
 * values in turn: a slice's tables are smaller by all these domains, and the best assignment so far
 * is the next slice's top. All along one order: that of the whole stays good where values are
 * fixed.
 *
 * gpube_solve() has slices of its own (be_boxes.h): boxes of one structure, bounded before, shared by
 * devices, and all along one plan. Here each slice is a model that is simplified by itself, under the
 * best assignment known when it begins, which takes values and variables from it: SPOT5 404 in 30 MB
 * joins 2.7e7 cells in four slices, and 6.1e7 by boxes, which took 0.60 s of processor time in all
 * where this takes 0.51 s. Simplified boxes would each want a plan of their own, which is this.
 */
struct slices {
	struct gpube_bounder *b;
	const uint8_t *dead; /* as given: NULL, or dead_at[i] + a */
	const int64_t *dead_at;
	uint8_t *out; /* dead, and what the slice leaves out: at[i] + a */
	int64_t *at;
	struct gpube_graph graph; /* the live values; 1 of a variable that is cut */
	int32_t *order, *cut, *live;
	int32_t n_cuts;
	double n;
	struct gpube_order_cost cost; /* of one */
	double seconds;               /* predicted, of one */
};

static void slices_clear(struct slices *s)
{
	struct gpube_ctx *ctx = s->b->ctx;

	gpube__graph_clear(ctx, &s->graph);
	gpube__free(ctx, s->at);
	gpube__free(ctx, s->out);
	gpube__free(ctx, s->order);
	gpube__free(ctx, s->cut);
	gpube__free(ctx, s->live);
}

static bool is_dead(const struct slices *s, int32_t var, int32_t value)
{
	return s->dead && s->dead[s->dead_at[var] + value];
}

static int slices_init(struct slices *s)
{
	const struct gpube_model *m = s->b->m;
	struct gpube_ctx *ctx = s->b->ctx;
	int64_t total = 0;
	int status = gpube__graph_of_model(&s->graph, m);

	s->n = 1;
	s->at = gpube__alloc(ctx, (uint64_t)m->n_vars, sizeof(*s->at));
	s->order = gpube__alloc(ctx, (uint64_t)m->n_vars, sizeof(*s->order));
	s->cut = gpube__alloc(ctx, (uint64_t)m->n_vars, sizeof(*s->cut));
	s->live = gpube__alloc(ctx, (uint64_t)m->n_vars, sizeof(*s->live));
	if (status || !s->at || !s->order || !s->cut || !s->live)
		return status ? status : GPUBE_ENOMEM;
	for (int32_t i = 0; i < m->n_vars; i++) {
		s->at[i] = total;
		total += m->vars[i].domain;
		s->live[i] = 0;
		for (int32_t a = 0; a < m->vars[i].domain; a++)
			s->live[i] += !is_dead(s, i, a);
		if (!s->live[i]) /* nothing is left to eliminate */
			s->n = 0;
		s->graph.domain[i] = s->live[i];
	}
	s->out = gpube__alloc(ctx, (uint64_t)total, 1);
	if (!s->out)
		return GPUBE_ENOMEM;
	if (s->n < 1)
		return GPUBE_OK;
	if (!s->dead) {
		memcpy(s->order, s->b->order, (size_t)m->n_vars * sizeof(*s->order));
		return gpube__order_cost(ctx, &s->cost, &s->graph, s->order);
	}
	return gpube__order_find(ctx, s->order, &s->cost, &s->graph, GPUBE_ORDER_MIN_FILL, 0,
		s->b->ops->cells_per_second, s->b->opts->seed);
}

/* The variable whose values make the largest table smaller at the least work more. */
static int cut_one(struct slices *s)
{
	double least = INFINITY;
	int32_t best = -1;

	for (int32_t i = 0; i < s->graph.n; i++) {
		int32_t domain = s->graph.domain[i];
		struct gpube_order_cost cost;
		double score;
		int status;

		if (domain < 2)
			continue;
		s->graph.domain[i] = 1;
		status = gpube__order_cost(s->b->ctx, &cost, &s->graph, s->order);
		s->graph.domain[i] = domain;
		if (status)
			return status;
		score = log2(cost.joined_cells * domain) + log2(cost.largest_joined);
		if (score < least) {
			least = score;
			best = i;
			s->cost = cost;
		}
	}
	if (best < 0)
		return GPUBE_ELIMIT;
	s->n *= s->graph.domain[best];
	s->graph.domain[best] = 1;
	s->cut[s->n_cuts++] = best;
	return GPUBE_OK;
}

/* Slice k: of every variable that is cut the one live value that is k's digit. */
static int slice(struct gpube_model **out, struct slices *s, int64_t k)
{
	const struct gpube_model *m = s->b->m;

	for (int32_t i = 0; i < m->n_vars; i++)
		for (int32_t a = 0; a < m->vars[i].domain; a++)
			s->out[s->at[i] + a] = is_dead(s, i, a);
	for (int32_t c = 0; c < s->n_cuts; c++) {
		int32_t var = s->cut[c], digit = (int32_t)(k % s->live[var]);

		k /= s->live[var];
		for (int32_t a = 0; a < m->vars[var].domain; a++)
			if (!s->out[s->at[var] + a])
				s->out[s->at[var] + a] = digit-- != 0;
	}
	return restricted(out, s->b, s->out, s->at);
}

static struct gpube_solve_opts slice_opts(const struct slices *s)
{
	return (struct gpube_solve_opts){.sizeof_options = sizeof(struct gpube_solve_opts),
		.seed = s->b->opts->seed,
		.order_method = GPUBE_ORDER_GIVEN,
		.order = s->order,
		.backend = s->b->opts->backend,
		.no_slices = 1};
}

/* Whether a slice fits, without tables that stream between the memories; what it takes then. */
static int plan_slice(struct slices *s, bool *fits)
{
	struct gpube_solve_opts opts = slice_opts(s);
	struct gpube_ctx *ctx = s->b->ctx;
	struct gpube_solution *solution = NULL;
	struct gpube_model *r;
	int ignored, status = slice(&r, s, 0);

	*fits = false;
	if (!status)
		status = gpube_plan(&solution, r, &opts);
	if (!status && solution->answer == GPUBE_ANSWER_INFEASIBLE) {
		*fits = 16 * s->cost.largest_message <= (double)ctx->memory_bytes;
	} else if (!status) {
		const struct gpube_plan *plan = &solution->plan;
		const struct gpube_ops *cuda = ctx->device && strcmp(solution->backend, "cpu") != 0
						       ? gpube__ops_cuda(ctx, &ignored)
						       : NULL;

		*fits = !cuda || plan->peak_bytes <= 0.9 * (double)cuda->resident(ctx);
		/* the host's memory is touched for the first time again and again */
		s->seconds = gpube__predicted_seconds(
				     ctx, cuda ? cuda : gpube__ops_cpu(), s->cost.joined_cells) +
			     (cuda ? 0.01 : 2e-10 * plan->peak_bytes);
	}
	gpube_solution_free(solution, ctx);
	gpube_model_free(r);
	return status == GPUBE_ELIMIT ? GPUBE_OK : status;
}

static int run_slices(struct slices *s, double seconds, bool *done)
{
	const double start = gpube__now();
	struct gpube_solve_opts opts = slice_opts(s);
	int status = GPUBE_OK;

	for (int64_t k = 0; k < (int64_t)s->n && !status && !gpube__bounder_done(s->b); k++) {
		double taken = gpube__now() - start;
		struct gpube_solution *solution = NULL;
		struct gpube_model *r;
		bool ended;

		/* the first ones say how long all will take */
		if (k && taken / (double)k * s->n > seconds) {
			gpube__log(s->b->ctx, GPUBE_LOG_DETAIL,
				"slices are given up: %lld of %.0f took %.2f s", (long long)k, s->n,
				taken);
			return GPUBE_OK;
		}
		status = slice(&r, s, k);
		if (!status)
			status = solve_within(&solution, r, &opts, seconds - taken);
		if (!status && solution && solution->answer == GPUBE_ANSWER_OPTIMAL)
			status = gpube__bounder_offer(s->b, solution->values, "elimination");
		gpube_model_free(r);
		ended = solution && solution->answer != GPUBE_ANSWER_INCOMPLETE;
		gpube_solution_free(solution, s->b->ctx);
		if (!status && !ended)
			return GPUBE_OK;
	}
	*done = !status;
	return status;
}

/* What joining so many cells takes on the faster side that is open. */
static double joining_seconds(const struct gpube_bounder *b, double joined_cells)
{
	int ignored;
	const struct gpube_ops *ops = b->ctx->device && b->opts->backend != GPUBE_BACKEND_CPU
					      ? gpube__ops_cuda(b->ctx, &ignored)
					      : gpube__ops_cpu();

	return gpube__predicted_seconds(b->ctx, ops, joined_cells);
}

/* In slices, if joining their cells should take at most 'most' of the 'seconds'. */
static int eliminate_slices(struct gpube_bounder *b, const uint8_t *dead, const int64_t *at,
	double most, double seconds, bool *done)
{
	struct slices s = {.b = b, .dead = dead, .dead_at = at};
	bool fits = false;
	int status = slices_init(&s);

	while (!status && !fits && s.n >= 1 && s.n <= MOST_SLICES &&
		joining_seconds(b, s.n * s.cost.joined_cells) <= most) {
		if (s.n_cuts && s.cost.largest_joined <= SLICE_CELLS)
			status = plan_slice(&s, &fits);
		if (!status && !fits)
			status = cut_one(&s);
	}
	if (!status && fits && s.n * s.seconds <= seconds / 2) {
		gpube__log(b->ctx, GPUBE_LOG_DETAIL,
			"elimination in %.0f slices by %d variables, %.3g joined cells each", s.n,
			s.n_cuts, s.cost.joined_cells);
		status = run_slices(&s, seconds, done);
	}
	slices_clear(&s);
	return status == GPUBE_ELIMIT ? GPUBE_OK : status;
}

int gpube__bounder_slices(struct gpube_bounder *b, double seconds, bool *done)
{
	*done = false;
	if (joining_seconds(b, b->order_cost.joined_cells) > seconds / 4)
		return GPUBE_OK;
	return eliminate_slices(b, NULL, NULL, seconds / 4, seconds, done);
}

/* ---- the whole ------------------------------------------------------------------------------- */

/*
 * whole: nothing is dead, so that the order that was searched for is the one to take. If the tables
 * do not fit, or take too long to get there, *too_large is how many cells would be joined.
 */
static int eliminate_restricted(struct gpube_bounder *b, const struct gpube_model *r, bool whole,
	double seconds, bool *done, double *too_large)
{
	struct gpube_solve_opts opts = {.sizeof_options = sizeof(opts),
		.seed = b->opts->seed,
		.order_method = whole ? GPUBE_ORDER_GIVEN : GPUBE_ORDER_MIN_FILL,
		.order = whole ? b->order : NULL,
		.backend = b->opts->backend,
		.no_slices = 1};
	struct gpube_solution *s = NULL;
	int status = gpube_plan(&s, r, &opts);

	if ((status == GPUBE_ELIMIT &&
		    s->plan.joined_cells < GPUBE__HOPELESS * b->ops->cells_per_second) ||
		(!status && s->plan.predicted_seconds > seconds &&
			s->plan.predicted_seconds < 1e4 * seconds)) {
		gpube_solution_free(s, b->ctx);
		opts.order_method = GPUBE_ORDER_AUTO;
		opts.order_seconds = fmin(0.5, seconds / 10);
		status = gpube_plan(&s, r, &opts);
	}
	*too_large = status == GPUBE_ELIMIT || (!status && planned_seconds(b, &s->plan) > seconds)
			     ? s->plan.joined_cells
			     : INFINITY;
	if (!status && s->answer == GPUBE_ANSWER_INFEASIBLE) {
		*done = true;
	} else if (!status && planned_seconds(b, &s->plan) <= seconds) {
		gpube__log(b->ctx, GPUBE_LOG_DETAIL,
			"elimination of what is left: %.3g joined cells", s->plan.joined_cells);
		status =
			solve_within(&s, r, &opts, fmax(seconds, 3 * planned_seconds(b, &s->plan)));
		*done = !status && s && s->answer != GPUBE_ANSWER_INCOMPLETE;
		if (*done && s->answer == GPUBE_ANSWER_OPTIMAL)
			status = gpube__bounder_offer(b, s->values, "elimination");
	}
	gpube_solution_free(s, b->ctx);
	return status == GPUBE_ELIMIT ? GPUBE_OK : status;
}

int gpube__bounder_eliminate(
	struct gpube_bounder *b, const uint8_t *dead, const int64_t *at, double seconds, bool *done)
{
	const double most = seconds / SLICE_SHARE;
	struct gpube_model *r;
	double too_large = INFINITY;
	int status = restricted(&r, b, dead, at);

	*done = false;
	if (!status)
		status = eliminate_restricted(b, r, !dead, seconds, done, &too_large);
	gpube_model_free(r);
	if (!status && !*done && joining_seconds(b, too_large) <= most)
		status = eliminate_slices(b, dead, at, most, seconds, done);
	return status;
}
