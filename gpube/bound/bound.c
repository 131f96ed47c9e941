/* bound.c - gpube_bound(): simplify, order, then the methods under one roof. */
#include "gpube/bound/bound.h"

#include <math.h>
#include <string.h>

#include "gpube/ir/dense.h"
#include "gpube/relax/nested.h"
#include "gpube/ops/device/opening.h"
#include "gpube/bound/shifted.h"
#include "gpube/ir/options.h"

enum { LONG_ORDER = 3 /* seconds */ };

/* ---- the call -------------------------------------------------------------------------- */

void gpube_bounds_free(struct gpube_bounds *bounds, struct gpube_ctx *ctx)
{
	if (!bounds || !ctx)
		return;
	gpube__free(ctx, bounds->values);
	gpube__free(ctx, bounds);
}

/*
 * Half a second at least, whatever the time limit is: what is small is then simplified, and gets a
 * bound. Only a stop ends that.
 */
static int simplify_now(struct gpube_bounder *b)
{
	int status;

	b->costs = b->given;
	if (b->given->kind == GPUBE_POTENTIALS) {
		status = gpube__quantise(&b->quantised, b->given, b->opts->precision);
		if (status)
			return status;
		b->costs = b->quantised;
	}
	status = gpube__simplify_below(&b->s, b->costs, !b->opts->no_simplify,
		b->shifting && b->shifting->whole ? GPUBE__WHOLE : GPUBE__BELOW);
	if (!status) {
		status = gpube__bound_exclusive(b);
		if (status == GPUBE_ESTOP || gpube__bounder_gives_way(b, status, "joining what excludes each other"))
			status = GPUBE_OK;
	}
	b->m = b->tables = b->s.model;
	return status;
}

static int simplify(struct gpube_bounder *b)
{
	const double deadline = b->ctx->deadline;
	int status;

	if (deadline > 0)
		b->ctx->deadline = fmax(deadline, gpube__now() + 0.5);
	status = simplify_now(b);
	b->ctx->deadline = deadline;
	return status;
}

/*
 * Whether mini-buckets say something soon that elimination would not: where domains are large, they
 * are of two or three variables, and sweeps and clusters say more.
 */
static bool is_quick(const struct gpube_bounder *b)
{
	return b->order_cost.joined_cells > GPUBE__QUICK_CELLS && gpube__bounder_mean_domain(b) < GPUBE__WIDE_DOMAIN;
}

static bool has_tree(const struct gpube_bounder *b)
{
	return b->opts->method == GPUBE_BOUND_AUTO && !b->shifted && b->opts->split != GPUBE_SPLIT_NEVER &&
	       gpube__bounder_prefers_joins(b);
}

/*
 * What says most per millisecond, before a better order is searched for: join graphs, a look whether a search tree
 * ends at once, each again for longer, mini-buckets. Of 21 networks of noisy ors (or_chain) most end in
 * that tree, which along this order is as small as along a better one. A later tree is made along that.
 */
static int along_first_order(struct gpube_bounder *b)
{
	static const double joins[] = {0.008, 0.05}, tree[] = {0.02, 0.15};
	int status = GPUBE_OK;

	for (int k = !has_tree(b); k < 2 && !status && !gpube__bounder_done(b); k++) {
		status = gpube__bounder_quick_joins(b, joins[k]);
		if (!status && !gpube__bounder_done(b) && has_tree(b))
			status = gpube__bound_dfs(b, tree[k]);
		gpube__dfs_tree_free(b->tree); /* the longer one is to have more sweeps at its root */
		b->tree = NULL;
	}
	return status || gpube__bounder_done(b) ? status : gpube__bounder_quick_mbe(b);
}

/*
 * Where little is open a search tree may close it before there is a better order, and goes on as long as
 * it seems to: an auction of 100 bids takes it 0.02 s where bids that exclude each other are joined.
 */
static int look_closely(struct gpube_bounder *b, double most)
{
	static const struct {
		double share, seconds;
	} looks[] = {{0.5, 0.15}, {0.8, 0.3}, {0.97, 1}};
	int status = GPUBE_OK;

	if (b->opts->method != GPUBE_BOUND_AUTO || b->shifted || b->opts->split == GPUBE_SPLIT_NEVER ||
		b->order_cost.joined_cells <= GPUBE__QUICK_CELLS)
		return GPUBE_OK;
	for (int k = 0; k < 3 && !status && !gpube__bounder_done(b) && gpube__bounder_share_proved(b) > looks[k].share; k++)
		status = gpube__bound_dfs(b, fmin(looks[k].seconds, most));
	return status;
}

/*
 * A greedy order is enough where elimination is easy; else the search gets a moment, and a longer
 * one where that may bring elimination within reach: in 0.5 s of one core an order of pedigree7 has
 * width 33 and 3e11 joined cells, in 1 s width 24 and 4e8. (Not where everything depends on
 * everything: of queen5_5_3's 25 variables 3 s found nothing that half a second had not.)
 */
static int search_order(struct gpube_bounder *b, const struct gpube_graph *g)
{
	const struct gpube_bound_opts *o = b->opts;
	const double rate = b->ops->cells_per_second;
	const double most = o->timeout_seconds > 0 ? o->timeout_seconds / 20 : LONG_ORDER;
	const bool automatic = o->order_method == GPUBE_ORDER_AUTO, given = o->order_seconds > 0;
	int status = gpube__order_find(b->ctx, b->order, &b->order_cost, g,
		automatic ? GPUBE_ORDER_MIN_FILL : o->order_method, 0, rate, o->seed);

	/* (a card may still be opening) */
	if (!status && automatic && o->method == GPUBE_BOUND_AUTO && !b->shifted &&
		o->backend != GPUBE_BACKEND_CUDA && is_quick(b))
		status = along_first_order(b);
	if (!status && automatic)
		status = look_closely(b, most);
	if (gpube__bounder_gives_way(b, status, "bounds along the first order"))
		status = GPUBE_OK;
	if (status || gpube__bounder_done(b))
		return status;
	/* no order will make it small, and its parts find their own, or clusters need none */
	if (automatic &&
		((gpube__bounder_dense(b) && b->order_cost.joined_cells > 1e4 * rate) ||
			(!gpube__bounder_prefers_joins(b) && gpube__bounder_hopeless(b))))
		return GPUBE_OK;
	if (!automatic || (!given && b->order_cost.joined_cells < 0.1 * rate))
		return GPUBE_OK;
	status = gpube__order_find(b->ctx, b->order, &b->order_cost, g, GPUBE_ORDER_AUTO,
		given ? o->order_seconds : fmin(0.5, most), rate, o->seed);
	if (status || given || most <= 0.5 || o->method != GPUBE_BOUND_AUTO ||
		gpube__bounder_dense(b) || b->order_cost.joined_cells < 0.5 * rate ||
		b->order_cost.joined_cells > 1e4 * rate)
		return status;
	return gpube__order_find(b->ctx, b->order, &b->order_cost, g, GPUBE_ORDER_AUTO,
		fmin(LONG_ORDER, most), rate, o->seed);
}

/* The order is over the given model's variables: those that are left, in it. */
static int find_order(struct gpube_bounder *b)
{
	struct gpube_graph g;
	int status = gpube__graph_of_model(&g, b->m);

	if (status)
		return status;
	if (b->opts->order_method != GPUBE_ORDER_GIVEN) {
		status = search_order(b, &g);
	} else {
		status = gpube__simplified_order(
			b->order, &b->s, b->opts->order, b->given->n_vars);
		if (!status)
			status = gpube__order_cost(b->ctx, &b->order_cost, &g, b->order);
	}
	gpube__graph_clear(b->ctx, &g);
	return status;
}

/*
 * The caller's assignment in the simplified model, of which a variable may stand for several: the first of its
 * values that is right for all of them. False if there is none.
 */
static bool reduce(struct gpube_bounder *b, const int32_t *values)
{
	bool settled = false;

	memset(b->tried, 0, (size_t)b->m->n_vars * sizeof(*b->tried));
	while (!settled) {
		settled = true;
		for (int32_t i = 0; i < b->s.n_vars; i++) {
			const int32_t var = b->s.var[i], *known = b->s.values[i];

			if (var < 0 && b->s.value[i] != values[i])
				return false;
			for (; var >= 0 && (known ? known[b->tried[var]] : b->tried[var]) != values[i];
				settled = false)
				if (++b->tried[var] == b->m->vars[var].domain)
					return false;
		}
	}
	return true;
}

static int take_known(struct gpube_bounder *b)
{
	const struct gpube_bound_opts *o = b->opts;
	int64_t cost;
	int status = GPUBE_OK;

	if (b->s.known && reduce(b, b->s.known))
		status = gpube__bounder_offer(b, b->tried, "found");
	if (status)
		return status;

	if (o->has_cutoff) {
		b->cutoff = b->s.negated ? -o->cutoff : o->cutoff;
		/* one that no total reaches says nothing, and need not fit what limits are scaled to */
		if (b->cutoff < b->limit &&
			(__int128)b->cutoff - gpube__constant_of(b->m) < gpube__cost_span(b->m))
			b->limit = b->cutoff;
	}
	if (!o->values)
		return GPUBE_OK;
	status = gpube_model_cost(&cost, b->costs, o->values);
	if (status)
		return status;
	if (cost == GPUBE_INF)
		gpube__log(b->ctx, GPUBE_LOG_NOTE, "the given assignment is forbidden");
	else if (reduce(b, o->values))
		status = gpube__bounder_offer(b, b->tried, "given");
	return status;
}

/* ---- from the model to the report ------------------------------------------------------------ */

/* Up to an order; not ready: nothing is left to do, or to do it with. */
static int prepare(struct gpube_bounder *b, bool *ready)
{
	uint64_t n;
	int status = simplify(b);

	*ready = false;
	if (status || b->s.infeasible)
		return status;
	n = (uint64_t)b->m->n_vars;
	b->lower = gpube__constant_of(b->m);
	b->limit = b->m->top;
	b->best = gpube__alloc_zero(b->ctx, n, sizeof(*b->best));
	b->tried = gpube__alloc_zero(b->ctx, n, sizeof(*b->tried));
	b->order = gpube__alloc(b->ctx, n, sizeof(*b->order));
	b->extended = gpube__alloc(b->ctx, (uint64_t)b->given->n_vars, sizeof(*b->extended));
	if (!b->best || !b->tried || !b->order || !b->extended)
		return GPUBE_ENOMEM;
	if (b->opts->backend == GPUBE_BACKEND_AUTO && b->opts->method != GPUBE_BOUND_MBE &&
		gpube__nested_likely(b->m))
		gpube__opening_begin();
	status = take_known(b);
	if (!status)
		status = gpube__bound_at_first(b);
	if (status || gpube__bounder_done(b))
		return status;
	status = find_order(b);
	*ready = !status;
	/* without an order, what is known is the result */
	return gpube__bounder_gives_way(b, status, "the search of an order") ? GPUBE_OK : status;
}

/* What was found, in the terms of the given model. */
static int report(struct gpube_bounder *b, struct gpube_bounds *out)
{
	int status = GPUBE_OK;

	GPUBE_KNOWN(b->m);
	out->scale = b->costs->scale;
	out->n_vars = b->m->n_vars;
	out->n_functions = b->m->n_functions;
	out->z = b->z;
	out->seconds_bound = b->seconds_lower;
	out->seconds_cost = b->seconds_upper;
	out->answer = GPUBE_ANSWER_INCOMPLETE;
	if (b->s.infeasible || (b->upper == GPUBE_INF && b->lower >= b->m->top) ||
		(b->upper == GPUBE_INF && b->lower == GPUBE_INF)) {
		out->answer = GPUBE_ANSWER_INFEASIBLE;
		return GPUBE_OK;
	}
	out->closed = b->opts->has_cutoff && b->lower >= b->cutoff;
	if (b->lower >= b->upper) {
		b->lower = b->upper;
		out->answer = GPUBE_ANSWER_OPTIMAL;
	}
	out->bound = b->s.negated ? -b->lower : b->lower;
	if (b->upper == GPUBE_INF)
		return GPUBE_OK;
	out->values = gpube__alloc(b->ctx, (uint64_t)b->given->n_vars, sizeof(*out->values));
	if (!out->values)
		return GPUBE_ENOMEM;
	gpube__simplified_extend(&b->s, out->values, b->best);
	status = gpube_model_cost(&out->cost, b->costs, out->values);
	if (!status && out->cost != (b->s.negated ? -b->upper : b->upper))
		status = gpube__fail(b->ctx, GPUBE_EBUG,
			"internal error: the assignment does not cost what was found; please report "
			"this");
	if (!status && b->given->kind == GPUBE_POTENTIALS)
		status = gpube_model_log_value(&out->log_value, b->given, out->values);
	return status;
}

static int check_options(const struct gpube_model *m, const struct gpube_bound_opts *o)
{
	int status;

	if (o->sizeof_options != sizeof(*o))
		return gpube__fail(m->ctx, GPUBE_EINVAL, "sizeof_options is not set");
	status = gpube__check_choice(m->ctx, "method", (int)o->method, GPUBE_BOUND_TREE);
	if (!status)
		status = gpube__check_choice(m->ctx, "z", o->z, INT32_MAX);
	if (!status)
		status = gpube__check_choice(m->ctx, "split", (int)o->split, GPUBE_SPLIT_FIRST);
	if (!status)
		status = gpube__check_choice(
			m->ctx, "partition", (int)o->partition, GPUBE_PARTITION_CONTENT);
	if (!status)
		status = gpube__check_engine(m,
			&(struct gpube__engine_opts){(int)o->order_method, o->order, o->order_seconds,
				o->timeout_seconds, (int)o->backend, o->precision});
	return status ? status : gpube__check_known(m, o->values, o->has_cutoff, o->cutoff);
}

static int bound(struct gpube_bounds **out, struct gpube_shifted *shifted,
	const struct gpube_shifted_opts *shifting, const struct gpube_model *m,
	const struct gpube_bound_opts *opts)
{
	static const struct gpube_bound_opts none = {.sizeof_options = sizeof(none)};
	struct gpube_ctx *ctx = m->ctx;
	struct gpube_bounder b = {.ctx = ctx, .ops = gpube__ops_cpu(), .given = m,
		.opts = opts ? opts : &none, .start = gpube__now(), .upper = GPUBE_INF,
		.cutoff = GPUBE_INF, .shifted = shifted, .shifting = shifting,
		.most_shift = GPUBE__MOST_SHIFT};
	struct gpube_bounds *bounds;
	double deadline = ctx->deadline;
	int status = GPUBE_OK, opened;
	bool ready = false;

	*out = NULL;
	status = check_options(m, b.opts);
	if (status)
		return status;
	bounds = gpube__alloc_zero(ctx, 1, sizeof(*bounds));
	if (!bounds)
		return GPUBE_ENOMEM;
	b.backend = b.ops->name;
	if (b.opts->timeout_seconds > 0)
		ctx->deadline = b.start + b.opts->timeout_seconds;
	/* what a program has begun to open is waited for when it is needed */
	if (b.opts->backend == GPUBE_BACKEND_CUDA && !gpube__opening_now())
		(void)gpube__ops_cuda(ctx, &status);
	if (!status)
		status = prepare(&b, &ready);
	if (b.opts->backend == GPUBE_BACKEND_CUDA && (!status || status == GPUBE_ESTOP)) {
		(void)gpube__ops_cuda(ctx, &opened);
		status = opened ? opened : status;
	}
	if (!status && ready)
		status = gpube__bound_stages(&b);
	if (shifted && !b.lifted && b.m && (!status || status == GPUBE_ESTOP)) {
		int lifted = gpube__shifted_plain(&b);

		status = lifted ? lifted : status;
	}
	ctx->deadline = deadline;
	if (status == GPUBE_ESTOP && b.m)
		status = GPUBE_OK;
	if (!status)
		status = report(&b, bounds);
	bounds->backend = b.backend;
	gpube__dfs_tree_free(b.tree);
	gpube__bounder_clear(&b);
	if (status) {
		gpube_bounds_free(bounds, ctx);
		return status;
	}
	*out = bounds;
	return GPUBE_OK;
}

int gpube_bound(struct gpube_bounds **out, const struct gpube_model *m,
	const struct gpube_bound_opts *opts)
{
	if (out)
		*out = NULL;
	if (!out || !m)
		return gpube__missing(m ? m->ctx : NULL);
	return bound(out, NULL, NULL, m, opts);
}

int gpube__bound_shifted(struct gpube_bounds **out, struct gpube_shifted *shifted,
	const struct gpube_model *m, const struct gpube_bound_opts *opts,
	const struct gpube_shifted_opts *shifting)
{
	int status;

	memset(shifted, 0, sizeof(*shifted));
	*out = NULL;
	if (opts && opts->method == GPUBE_BOUND_MBE)
		return gpube__fail(m->ctx, GPUBE_EINVAL, "mini-buckets leave no shifted model");
	status = bound(out, shifted, shifting, m, opts);
	if (status)
		gpube__shifted_clear(shifted);
	return status;
}
