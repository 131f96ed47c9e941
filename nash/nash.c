/* nash.c - gpube_nash(): which method runs, and what its end means. See nash.h. */
#include <math.h>
#include <string.h>

#include "gpube/ir/given.h"
#include "gpube/ranks/world.h"
#include "nash/exact.h"
#include "nash/extensive/extensive.h"
#include "nash/players/many.h"

int gpube_nash_exact(void)
{
	return 1;
}

/* ---- the methods ---------------------------------------------------------------- */

/*
 * Pairs of supports, more or less, that take a CPU longer than opening a device: 0.3 s where there
 * is one, in which a core scans 13 x 13 actions.
 */
#define PAIRS_FOR_CUDA 1e8

static int pick(
	const struct gpube_support_ops **ops, const struct nash_problem *p, enum gpube_backend want)
{
	const struct gpube_support_ops *cuda = NULL;
	int status = GPUBE_OK;

	*ops = gpube__support_cpu();
	if (want == GPUBE_BACKEND_CUDA ||
		(want == GPUBE_BACKEND_AUTO && ldexp(1, p->m + p->n) > PAIRS_FOR_CUDA))
		cuda = gpube__support_cuda(p->ctx, &status);
	if (cuda)
		*ops = cuda;
	return want == GPUBE_BACKEND_CUDA && !cuda ? status : GPUBE_OK;
}

/* On a device alone where one was asked for; otherwise as nash__branching_run() says. */
static int branch_and_bound(
	struct nash_found *f, struct gpube_nash_result *r, const struct gpube_opts *o)
{
	const struct gpube_faces_search sizes = {.k = {f->p->m, f->p->n}, .l = {f->p->n, f->p->m}};
	const struct gpube_faces_ops *ops;
	int status;

	r->method = "eee";
	if (o->backend != GPUBE_BACKEND_CUDA)
		return nash__branch_and_bound(f, -1);
	ops = gpube__faces_cuda(f->p->ctx, &status);
	if (!ops)
		return status;
	if (ops->unsupported(&sizes))
		return gpube__fail(f->p->ctx, GPUBE_EINVAL, "%s", ops->unsupported(&sizes));
	r->backend = ops->name;
	return nash__branch_and_bound_on(f, ops);
}

/*
 * Whether equilibria of a game in which supports of equal size need not give all are all: another
 * method counts them. What is found by supports are extreme equilibria, so that the numbers tell.
 */
static int confirm(const struct nash_found *f, const char *why, struct gpube_nash_result *r)
{
	const double start = gpube__now();
	const char *method = "auto";
	struct nash_found all;
	int status;

	nash__found_init(&all, f->p);
	status = nash__auto(&all, &method);
	if (!status)
		gpube__log(f->p->ctx, GPUBE_LOG_DETAIL,
			"%s, which gave %lld of %lld equilibria, says %s after %.4f s", why,
			(long long)f->n, (long long)all.n, method, gpube__now() - start);
	if (!status && all.n != f->n)
		r->reason = why;
	nash__found_clear(&all);
	return status;
}

static int support_enumeration(
	struct nash_found *f, struct gpube_nash_result *r, const struct gpube_opts *o)
{
	struct nash_se se = {.size = o->support_size, .world = o->world};
	bool left_open;
	int status = pick(&se.ops, f->p, o->backend);

	/* that all ranks end where one cannot begin */
	if (o->world)
		status = dcop_world_agree(o->world, status);
	if (status)
		return status;
	r->backend = se.ops->name;
	status = nash__support_enumeration(f, &se, &left_open);
	if (se.world && se.world->rank > 0) {
		r->reason = "rank 0 has the equilibria";
		return status;
	}
	if (status || o->support_size)
		return status;
	return confirm(f,
		left_open ? "too many systems are singular: supports of equal size do not give all"
			  : "the game is degenerate: supports of equal size do not give all",
		r);
}

static int run(struct nash_found *f, struct gpube_nash_result *r, const struct gpube_opts *o)
{
	if (o->pure) {
		r->method = "pure";
		return nash__pure(f);
	}
	if (o->one) {
		r->method = "lemke-howson";
		return nash__lemke_howson(f, o->all_labels);
	}
	switch (o->nash_method) {
	case GPUBE_NASH_METHOD_EEE:
		return branch_and_bound(f, r, o);
	case GPUBE_NASH_METHOD_VE:
		r->method = "ve";
		return nash__vertex_enumeration(f, -1);
	case GPUBE_NASH_METHOD_SE:
		r->method = "se";
		return support_enumeration(f, r, o);
	default:
		r->method = "auto"; /* until one of them begins */
		return nash__auto(f, &r->method);
	}
}

/* What is known of all equilibria from those found. */
static int judge(const struct nash_found *f, struct gpube_nash_result *r)
{
	bool regular;
	int sum, status = nash__index_sum(f, &regular, &sum);

	if (status)
		return status == GPUBE_ESTOP ? GPUBE_OK : status; /* not known, then */
	if (f->n == 0 && r->answer != GPUBE_NASH_ANSWER_ALL)
		return GPUBE_OK;
	r->degenerate = !regular;
	r->index_sum = regular ? sum : 0;
	if (regular && r->answer == GPUBE_NASH_ANSWER_ALL && sum != 1)
		return gpube__fail(f->p->ctx, GPUBE_EBUG,
			"internal error: the indices of the equilibria add up to %d, not 1; please "
			"report this",
			sum);
	return GPUBE_OK;
}

/* All are found, and handed over to the caller one by one. */
static int give_all(struct nash_found *f, struct gpube_nash_result *r, const struct gpube_opts *o)
{
	struct nash_give g = {.fn = o->give, .arg = o->give_arg, .lock = PTHREAD_MUTEX_INITIALIZER};
	int status = nash__problem_init(&g.whole, f->p->game, true, true);

	if (status)
		return status;
	r->method = "eee";
	f->give = &g;
	status = nash__branch_and_bound(f, -1);
	f->give = NULL;
	nash__problem_clear(&g.whole);
	r->n_given = g.n;
	return status;
}

/* What is left when the search has ended: certifying, sorting, writing. */
static int finish(struct gpube_nash_result *r, const struct nash_found *f)
{
	struct gpube_ctx *ctx = f->p->ctx;
	const double start = gpube__now();
	int status = nash__report(r, f);

	if (!status && r->n_unchecked)
		status = nash__conclude(r, ctx, GPUBE_ESTOP);
	if (!status)
		status = judge(f, r);
	gpube__log(ctx, GPUBE_LOG_DETAIL, "%lld equilibria checked and written, indices: %.4f s",
		(long long)r->n_pairs, gpube__now() - start);
	return status;
}

static int solve_two(
	struct gpube_nash_result *r, const struct gpube_model *g, const struct gpube_opts *o)
{
	const double seconds = o->timeout_seconds > 0 ? fmax(0.2, o->timeout_seconds / 10) : 2;
	/* sorting and writing what has been checked takes about as long again */
	struct nash_patience patience = {.ctx = g->ctx,
		.seconds = seconds / 2,
		.end = o->timeout_seconds > 0 ? g->ctx->deadline + seconds : 0};
	struct nash_problem p;
	struct nash_found f;
	int status = nash__problem_init(&p, g, o->keep_dominated, false);

	if (status) {
		flint_cleanup();
		return status;
	}
	p.patience = &patience;
	nash__found_init(&f, &p);
	f.max = o->max;
	/* the first 'max' of them are to be the same ones every time */
	f.device = o->backend == GPUBE_BACKEND_AUTO && !o->max && !o->give;
	r->removed[0] = p.removed[0];
	r->removed[1] = p.removed[1];
	status = o->give ? give_all(&f, r, o) : run(&f, r, o);
	r->work = f.work;
	if (f.used)
		r->backend = "cuda";
	r->answer = o->one || o->pure || o->support_size ? GPUBE_NASH_ANSWER_SOME
							 : GPUBE_NASH_ANSWER_ALL;
	status = nash__conclude(r, g->ctx, status);
	if (!status && !o->give)
		status = finish(r, &f);
	nash__found_clear(&f);
	nash__problem_clear(&p);
	flint_cleanup();
	return status;
}

int gpube_nash(
	struct gpube_nash_result **out, const struct gpube_model *g, const struct gpube_opts *opts)
{
	struct gpube_model view;
	double start = gpube__now(), deadline;
	struct gpube_ctx *ctx;
	struct gpube_nash_result *r;
	struct gpube_opts o;
	int status = gpube__call(out, &view, &g, opts);
	bool tree;

	if (!status)
		status = gpube__check_kind(g, GPUBE__OF(GPUBE_GAME));
	if (!status)
		status = gpube__opts_take(&o, g->ctx, opts, GPUBE__ON_NASH);
	if (status)
		return status;
	ctx = g->ctx;
	tree = nash__takes_tree(g, &o);
	if (o.support_size && o.nash_method != GPUBE_NASH_METHOD_SE)
		return gpube__fail(ctx, GPUBE_EINVAL, "a support size goes with method se");
	if (o.certificate && (tree || g->n_vars == 2))
		return gpube__fail(ctx, GPUBE_EINVAL,
			"certificates are of more than two players in normal form");
	if (o.give && (o.one || o.pure || o.max || o.backend == GPUBE_BACKEND_CUDA ||
			      o.nash_method == GPUBE_NASH_METHOD_VE ||
			      o.nash_method == GPUBE_NASH_METHOD_SE))
		return gpube__fail(ctx, GPUBE_EINVAL,
			"equilibria are handed over one by one by method eee alone, and all of "
			"them");
	if (!tree && g->n_vars != 2)
		status = nash__check_many(g, &o);
	if (status)
		return status;
	r = nash__result_new(ctx);
	if (!r)
		return GPUBE_ENOMEM;
	deadline = gpube__time_limit(ctx, start, o.timeout_seconds);
	r->degenerate = -1;
	r->backend = "cpu";
	r->method = "auto";
	/* payoffs by strategies are made here, which may take longer than the rest */
	if (!tree)
		status = gpube__check_game(g);
	if (status)
		status = status == GPUBE_ESTOP ? nash__conclude(r, ctx, status) : status;
	else if (tree)
		status = nash__solve_extensive(r, g, &o);
	else if (g->n_vars != 2)
		status = nash__solve_many(r, g, &o);
	else
		status = solve_two(r, g, &o);
	ctx->deadline = deadline;
	r->seconds = gpube__now() - start;
	if (status)
		gpube_result_free(r);
	else
		*out = r;
	return status;
}
