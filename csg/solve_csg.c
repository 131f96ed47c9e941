/* solve_csg.c - gpube_csg(): checks, the choice of a method, and the check of what it found. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "csg/conv/conv.h"
#include "gpube/options/options.h"
#include "gpube/ir/given.h"
#include "csg/proof.h"
#include "csg/sparse.h"

const char *csg__method_name(enum gpube_csg_method method)
{
	static const char *const names[] = {"auto", "lp", "conv", "dp", "idp"};

	return (unsigned)method <= GPUBE_CSG_IDP ? names[method] : NULL;
}

static void clear_result(struct gpube_ctx *ctx, void *result)
{
	struct gpube_csg_result *r = result;

	gpube__free(ctx, r->parts);
}

/* With room for its parts. NULL: ENOMEM */
static struct gpube_csg_result *new_result(const struct csg__view *g)
{
	struct gpube_csg_result *r = gpube__result_new(g->ctx, sizeof(*r), clear_result);

	if (!r)
		return NULL;
	r->backend = "cpu";
	r->is_int = gpube__type_is_int(g->type);
	r->scale = g->scale;
	r->parts = gpube__alloc(g->ctx, (uint64_t)g->n, sizeof(*r->parts));
	if (r->parts)
		return r;
	gpube_result_free(r);
	return NULL;
}

/* Out with the agents that stay out. */
static void drop_disposed(const struct csg__view *g, struct gpube_csg_result *r)
{
	int n = 0;

	for (int k = 0; r->parts && k < r->n_parts; k++)
		if (r->parts[k] & (r->parts[k] - 1) || !(r->parts[k] & g->out))
			r->parts[n++] = r->parts[k];
	r->n_parts = n;
}

/* ---- the check ------------------------------------------------------------------------------ */

/* Sums the parts' values as the game has them; EBUG if they are no structure. */
static int recompute(
	const struct csg__view *g, const struct gpube_opts *o, struct gpube_csg_result *r)
{
	uint64_t seen = 0;
	__int128 sum = 0;

	r->value = 0;
	qsort(r->parts, (size_t)r->n_parts, sizeof(*r->parts), gpube__by_lowest);
	for (int k = 0; k < r->n_parts; k++) {
		const uint64_t c = r->parts[k];
		const double v = csg__value(g, c);

		if (seen & c || v == -INFINITY)
			goto bug;
		seen |= c;
		r->value += v;
		if (r->is_int)
			sum += csg__value_int(g, c);
	}
	if (seen != csg__n_masks(g) - 1 && !o->free_disposal)
		goto bug;
	if (!r->is_int)
		return GPUBE_OK;
	if (sum > INT64_MAX || sum < -INT64_MAX)
		return gpube__fail(g->ctx, GPUBE_ERANGE,
			"the structure's value, %.17g, passes 64 bits", (double)sum);
	r->value_int = (int64_t)sum;
	r->value = (double)r->value_int;
	return GPUBE_OK;
bug:
	return gpube__fail(g->ctx, GPUBE_EBUG,
		"internal error: the coalitions found are no structure; please report this");
}

/*
 * How far sums in the working type may have led away from the optimum: each of
 * at most n - 1 additions rounds a sum of at most 'most' by half a unit, for the
 * structure found and for the best one.
 */
static double rounding(const struct csg__search *s)
{
	const double size = fmax(s->range->most_real, -s->range->least_real);

	if (gpube__type_is_int(s->g->type) || s->r->answer != GPUBE_CSG_OPTIMAL ||
		s->r->method == GPUBE_CSG_LP)
		return s->r->error;
	return 2 * (s->g->n - 1) * size *
	       (s->r->work == GPUBE_FLOAT32 ? FLT_EPSILON / 2 : DBL_EPSILON / 2);
}

/* ---- choice of a method -----------------------------------------------------------------------
 */

/* Where conv takes less than this it is done before lp's linear program is. */
#define AUTO_LEAST_SECONDS 0.02
/*
 * Of what conv would take: what lp may cost before conv begins. Games on which lp does not end then
 * take at most 1.2 times what they take conv, and of those on which it does nearly all have ended
 * before, from 23 agents on.
 */
#define AUTO_SHARE 0.18

/* What auto has to win back by a device: to open it, and to send it the values. */
#define OPEN_SECONDS      0.5
#define UPLOAD_PER_SECOND 5e9

/* Where conv, dp and idp work. */
static int choose_backend(struct csg__search *s)
{
	struct gpube_ctx *ctx = s->g->ctx;
	const enum gpube_backend want = s->opts->backend;
	const struct gpube_subset_ops *cuda;
	const enum gpube_csg_method method = s->opts->csg_method;
	/* conv cannot be all of the run */
	const bool others =
		(method != GPUBE_CSG_AUTO && method != GPUBE_CSG_CONV) || s->opts->certificate;
	struct csg__conv_plan plan;
	int status;

	s->ops = s->g->ops;
	if (s->g->source && (others || s->opts->free_disposal))
		return gpube__fail(
			ctx, GPUBE_EINVAL, "the values are not stored: only conv can use them");
	if (csg__n_ranks(s) > 1 && others)
		return gpube__fail(
			ctx, GPUBE_EINVAL, "on several ranks there is method conv alone");
	if (csg__n_ranks(s) > GPUBE_MOST_PARTS)
		return gpube__fail(ctx, GPUBE_EINVAL, "conv: %d ranks: expected %d at most",
			csg__n_ranks(s), GPUBE_MOST_PARTS);
	if (!csg__on_host(s->g) && !s->g->source)
		return want != GPUBE_BACKEND_CPU && method != GPUBE_CSG_LP &&
				       !s->opts->certificate && !s->opts->free_disposal
			       ? GPUBE_OK
			       : gpube__fail(ctx, GPUBE_EINVAL,
					 "the values are on the device: only conv, dp and idp can "
					 "use them there");
	if (want == GPUBE_BACKEND_CPU || method == GPUBE_CSG_LP ||
		(want == GPUBE_BACKEND_AUTO &&
			csg__conv_seconds(s) <
				OPEN_SECONDS + (double)csg__n_masks(s->g) *
						       (double)gpube__type_size(s->g->type) /
						       UPLOAD_PER_SECOND))
		return GPUBE_OK;
	cuda = gpube__subset_cuda(ctx, &status);
	if (cuda)
		s->ops = cuda;
	if (cuda && want == GPUBE_BACKEND_AUTO && csg__conv_plan(&plan, s)) {
		s->ops = s->g->ops; /* which may have the room, or says what is missing */
		return GPUBE_OK;
	}
	return cuda || want == GPUBE_BACKEND_AUTO ? GPUBE_OK : status;
}

/* Sums may pass 64 bits: dp can add them; lp has bounds. */
static int run_wide(struct csg__search *s)
{
	s->ops = s->g->ops;
	if (!csg__on_host(s->g) || csg__n_ranks(s) > 1)
		return gpube__fail(s->g->ctx, GPUBE_ERANGE, "sums of these values pass 64 bits");
	return s->opts->csg_method == GPUBE_CSG_LP ? csg__lp_run(s, 0) : csg__dp(s);
}

/* What conv would take of the processor, or of the clock if it is a device's. */
static double conv_costs(const struct csg__search *s)
{
	return csg__conv_seconds(s) * s->g->ctx->n_threads / csg__clock_threads(s);
}

static int run_method(struct csg__search *s)
{
	struct gpube_csg_result *r = s->r;
	int status;

	if (s->range->work == GPUBE_INT128)
		return run_wide(s);
	status = choose_backend(s);
	if (status)
		return status;

	switch (s->opts->csg_method) {
	case GPUBE_CSG_CONV:
		return csg__conv(s);
	case GPUBE_CSG_DP:
	case GPUBE_CSG_IDP:
		return csg__dp(s);
	case GPUBE_CSG_LP:
		return csg__lp_run(s, 0);
	case GPUBE_CSG_AUTO:
		break;
	}
	if (csg__on_host(s->g) && csg__n_ranks(s) == 1 &&
		(conv_costs(s) >= AUTO_LEAST_SECONDS || s->opts->certificate)) {
		status = csg__lp_run(s, s->opts->certificate ? 0 : AUTO_SHARE * conv_costs(s));
		if (status || r->answer == GPUBE_CSG_OPTIMAL || r->answer == GPUBE_CSG_INFEASIBLE)
			return status;
	}
	status = csg__conv(s);
	/* what lp has left is still good: bounds, a structure */
	return status == GPUBE_ESTOP ? GPUBE_OK : status;
}

static bool table_fits(const struct gpube_ctx *ctx, int n, enum gpube_type type)
{
	/* conv: the values, and half as many sums */
	return n < 40 && (uint64_t)gpube__type_size(type) * 2 << n <= ctx->memory_bytes;
}

/* Without a table: to the end, unless conv could do it in less. */
static int run_sparse(struct csg__search *s)
{
	const bool first =
		s->opts->csg_method == GPUBE_CSG_AUTO && table_fits(s->g->ctx, s->g->n, s->g->type);

	if (s->range->work == GPUBE_INT128) { /* what there is without a search are bounds */
		s->r->method = GPUBE_CSG_LP;
		s->r->work = GPUBE_INT64;
		return GPUBE_OK;
	}
	return csg__sparse_lp(s, first ? fmax(AUTO_LEAST_SECONDS, AUTO_SHARE * conv_costs(s)) : 0);
}

static int solve(struct csg__search *s, struct csg__range *range)
{
	struct gpube_csg_result *r = s->r;
	int status = csg__range(range, s->g);

	r->upper_bound = INFINITY;
	r->upper_int = INT64_MAX;
	r->answer = GPUBE_CSG_INCOMPLETE;
	if (!status) {
		/* without a table, staying out is not among the values */
		if (!s->g->list || !s->opts->free_disposal) {
			r->upper_bound = range->bound;
			r->upper_int = range->bound_int;
		}
		status = s->g->list ? run_sparse(s) : run_method(s);
	}
	if (status && status != GPUBE_ESTOP)
		return status;
	if (r->answer == GPUBE_CSG_INFEASIBLE) {
		r->n_parts = 0;
		r->upper_bound = -INFINITY;
		r->upper_int = INT64_MIN;
		return GPUBE_OK;
	}
	if (r->answer != GPUBE_CSG_OPTIMAL) {
		csg__improve(r, s->g);
		r->answer = r->n_parts ? GPUBE_CSG_BOUNDS : GPUBE_CSG_INCOMPLETE;
	}
	return GPUBE_OK;
}

static int finish(struct csg__search *s)
{
	struct gpube_csg_result *r = s->r;
	int status;

	r->error = rounding(s);
	if (r->answer == GPUBE_CSG_INFEASIBLE || r->answer == GPUBE_CSG_INCOMPLETE) {
		r->value = -INFINITY;
		return GPUBE_OK;
	}
	status = recompute(s->g, s->opts, r);
	/* lp alone says that it has proved an optimum, whose proof it has written */
	if (r->is_int && r->value_int == r->upper_int && !s->opts->certificate)
		r->answer = GPUBE_CSG_OPTIMAL;
	if (r->answer != GPUBE_CSG_OPTIMAL)
		return status;
	r->upper_int = r->value_int;
	r->upper_bound = r->is_int ? csg__not_below(r->value_int) : r->value + r->error;
	return status;
}

static int solve_view(
	struct gpube_csg_result **out, const struct csg__view *g, const struct gpube_opts *opts)
{
	struct gpube_ctx *ctx = g->ctx;
	const double start = gpube__now();
	struct csg__range range;
	struct csg__search s = {.g = g, .range = &range, .opts = opts, .ops = g->ops};
	double deadline;
	int status;

	*out = NULL;
	s.r = new_result(g);
	if (!s.r)
		return GPUBE_ENOMEM;
	s.r->free_disposal = s.opts->free_disposal;
	s.r->method = s.opts->csg_method == GPUBE_CSG_AUTO ? GPUBE_CSG_CONV : s.opts->csg_method;
	deadline = gpube__time_limit(ctx, start, s.opts->timeout_seconds);
	status = solve(&s, &range);
	/* the others cannot go on without a rank that was stopped before */
	if (!s.agreed && !status && csg__n_ranks(&s) > 1 && gpube__stopped(ctx) &&
		s.r->answer != GPUBE_CSG_OPTIMAL && s.r->answer != GPUBE_CSG_INFEASIBLE)
		status = gpube__fail_stopped(ctx);
	status = csg__agree(&s, status);
	if (s.opts->free_disposal && csg__on_host(g))
		drop_disposed(g, s.r);
	ctx->deadline = deadline;
	if (!status)
		status = finish(&s);
	s.r->seconds_total = gpube__now() - start;
	if (status)
		gpube_result_free(s.r);
	else
		*out = s.r;
	return status;
}

/* ---- lists: lp without a table; for all else one is made ------------------------------------- */

static int solve_model(struct gpube_csg_result **out, const struct gpube_model *m, bool filled,
	const struct gpube_opts *opts)
{
	struct csg__view g;
	int status = csg__view_init(&g, m, filled, opts->free_disposal);

	if (status)
		return status;
	status = solve_view(out, &g, opts);
	csg__view_clear(&g);
	return status;
}

/* Whichever has more value, with the least bound; the other is freed. */
static struct gpube_csg_result *better(struct gpube_csg_result *a, struct gpube_csg_result *b)
{
	struct gpube_csg_result *most = b->value >= a->value ? b : a, *least = most == a ? b : a;

	most->upper_bound = fmin(a->upper_bound, b->upper_bound);
	most->upper_int = a->upper_int < b->upper_int ? a->upper_int : b->upper_int;
	most->seconds_lp = a->seconds_lp;
	most->seconds_total = a->seconds_total + b->seconds_total;
	gpube_result_free(least);
	return most;
}

int gpube_csg(
	struct gpube_csg_result **out, const struct gpube_model *m, const struct gpube_opts *opts)
{
	struct gpube_model view;
	const struct gpube_table *t = gpube__coalitions_table(m);
	const double start = gpube__now();
	struct gpube_csg_result *with_table;
	struct gpube_opts o;
	bool by_lp, alone;
	int status = gpube__call(out, &view, &m, opts);

	if (!status)
		status = gpube__opts_take(&o, m->ctx, opts, GPUBE__ON_CSG);
	if (status)
		return status;
	by_lp = o.csg_method == GPUBE_CSG_AUTO || o.csg_method == GPUBE_CSG_LP;
	if (o.certificate && !by_lp)
		return gpube__fail(m->ctx, GPUBE_EINVAL, "only method lp makes a certificate");
	alone = t && t->sparse && by_lp && !o.certificate;
	status = solve_model(out, m, !alone, &o);
	if (status || !alone || o.csg_method == GPUBE_CSG_LP ||
		(*out)->answer == GPUBE_CSG_OPTIMAL || (*out)->answer == GPUBE_CSG_INFEASIBLE ||
		!table_fits(m->ctx, t->arity, t->type) || gpube__stopped(m->ctx))
		return status;
	o.csg_method = GPUBE_CSG_CONV;
	if (o.timeout_seconds > 0) {
		o.timeout_seconds -= gpube__now() - start;
		if (o.timeout_seconds <= 0)
			return GPUBE_OK;
	}
	/* what was found stays good where there is no memory for more */
	if (!solve_model(&with_table, m, true, &o))
		*out = better(*out, with_table);
	return GPUBE_OK;
}

/* ---- certificates ------------------------------------------------------------------------ */

static int take_proved(
	struct gpube_csg_result *r, const struct csg__view *g, const struct csg__proof *p)
{
	const struct gpube_opts opts = {.free_disposal = p->disposal};
	int status;

	r->answer = GPUBE_CSG_OPTIMAL;
	r->method = GPUBE_CSG_LP;
	r->work = GPUBE_INT64;
	r->free_disposal = p->disposal;
	r->error = r->is_int ? 0 : g->n * ldexp(1, -p->shift);
	r->n_parts = p->n_parts;
	memcpy(r->parts, p->part, (size_t)p->n_parts * sizeof(*r->parts));
	if (p->disposal)
		drop_disposed(g, r);
	status = recompute(g, &opts, r);
	r->upper_int = r->value_int;
	r->upper_bound = r->is_int ? csg__not_below(r->value_int) : r->value + r->error;
	return status;
}

static int verify(struct gpube_csg_result **out, const struct csg__view *g, struct csg__proof *p)
{
	struct gpube_csg_result *r;
	int status = csg__proof_check(p, g);

	if (status)
		return status;
	r = new_result(g);
	status = r ? take_proved(r, g, p) : GPUBE_ENOMEM;
	if (status)
		gpube_result_free(r);
	else
		*out = r;
	return status;
}

int gpube_csg_verify(struct gpube_csg_result **out, const struct gpube_model *m, const char *path)
{
	struct csg__proof p = {0};
	struct csg__view g;
	int status;

	if (out)
		*out = NULL;
	if (!out || !m || !path)
		return gpube__missing(m ? m->ctx : NULL);
	p.ctx = m->ctx;
	status = gpube__check_kind(m, GPUBE__OF(GPUBE_COALITIONS));
	if (!status)
		status = csg__proof_read(&p, m->ctx, path);
	if (!status)
		status = csg__view_init(&g, m, true, p.disposal);
	if (!status) {
		status = csg__on_host(&g) ? verify(out, &g, &p)
					  : gpube__fail(m->ctx, GPUBE_EINVAL,
						    "a certificate is checked against values that "
						    "are stored here");
		csg__view_clear(&g);
	}
	csg__proof_clear(&p);
	return status;
}
