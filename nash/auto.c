/* auto.c - which method has a game, or which methods beside each other. See exact.h. */
#include "nash/exact.h"

/*
 * Branch and bound is best where games are not degenerate, vertex enumeration where many vertices
 * meet more inequalities than determine them, or where there are few. The first inequalities of
 * each side show it: of the rays of their cones none is degenerate in random, covariant, zero-sum
 * and cyclic-polytope games, an eighth in traveler's dilemmas, a sixth in random games of five
 * different payoffs, but a half and more in win-lose, dispersion and minimum-effort games and those
 * of dollars to be grabbed. (Duplicated actions, which make no difference to branch and bound, are
 * not counted.) In coordination games so few rays come that many inequalities are added in the same
 * time. Most games end within a short try of what is predicted so. If it is branch and bound, and
 * nearly all equilibria found are regular, it has the rest, too. Of others nobody knows: they get
 * both methods beside each other, the predicted one most of the time.
 */
enum {
	PROBE_UNITS = 128,  /* of a cone for each payoff: hundredths of what small games take */
	DEGENERATE_ONE = 4, /* vertex enumeration if one ray in so many is degenerate, */
	ADDED_ONE = 3,      /* or one inequality in so many has been added */
	FIRST_STEPS = 250,
	FIRST_NODES = 200,
	MOST_NODES = 10000,
	PREDICTED_SHARE = 8 /* of the time of the other, on one thread */
};

static int predict(const struct nash_problem *p, bool *ve)
{
	struct nash_cone_counts sums = {0};
	int status = GPUBE_OK;

	for (int q = 0; q < 2 && !status; q++) {
		struct nash_vertices v;
		struct nash_cone *cone;

		nash__vertices_init(&v, p, q);
		status = nash__cone_new(&cone, &v);
		if (!status) {
			status = nash__cone_run(cone, PROBE_UNITS * (int64_t)p->m * p->n);
			nash__cone_count(cone, &sums);
		}
		nash__cone_free(cone);
		nash__vertices_clear(&v);
		status = status == GPUBE_ELIMIT ? GPUBE_OK : status;
	}
	*ve = sums.degenerate * DEGENERATE_ONE >= sums.rays || sums.added * ADDED_ONE >= sums.all;
	return status;
}

/* A runner: a method with what it finds, on the race's context for it. */
struct entry {
	struct nash_problem p;
	struct nash_found f;
	int (*run)(struct nash_found *f, int64_t budget);
	int64_t budget;
};

static int run(struct gpube_ctx *ctx, void *arg)
{
	struct entry *e = arg;

	e->p.ctx = ctx;
	nash__found_init(&e->f, &e->p);
	return e->run(&e->f, e->budget);
}

/* What was found stays when the context is gone: its memory is the parent's. */
static void settle(struct entry *e, struct gpube_ctx *ctx)
{
	e->p.ctx = ctx;
	for (int q = 0; q < 2; q++)
		e->f.v[q].ctx = ctx;
}

/* Steps of vertex enumeration that take no more than half of the memory if each makes a ray. */
static int64_t most_steps(const struct nash_problem *p)
{
	const int64_t actions = (int64_t)p->m + p->n;
	const int64_t bytes = 2 * (int64_t)sizeof(uint64_t) * (3 * (int64_t)p->words + 6) +
			      2 * (int64_t)sizeof(fmpz) * (actions + 2);

	return (int64_t)(p->ctx->memory_bytes / 2) / bytes;
}

int nash__race(struct nash_found *f, int ve_share, int eee_share, const char **method)
{
	static const char *const names[2] = {"ve", "eee"};
	const struct nash_problem *p = f->p;
	struct entry entries[2] = {
		{.p = *p, .run = nash__vertex_enumeration, .budget = most_steps(p)},
		{.p = *p, .run = nash__branch_and_bound, .budget = -1}};
	struct gpube__runner runners[2] = {
		{.fn = run, .arg = &entries[0], .most_threads = 1, .share = ve_share},
		{.fn = run, .arg = &entries[1], .share = eee_share}};
	int first, status = gpube__race(p->ctx, runners, 2, &first);

	if (first >= 0)
		*method = names[first];
	for (int k = 0; k < 2; k++) {
		settle(&entries[k], p->ctx);
		/* the first has all; of a race that was stopped both have some */
		if (entries[k].f.p && (first == k || status == GPUBE_ESTOP)) {
			int merged = nash__found_merge(f, &entries[k].f);

			status = status ? status : merged;
		}
		nash__found_clear(&entries[k].f);
	}
	return status;
}

/* Whether it has ended, with all or with as many as were asked for. */
static bool is_end(const struct nash_found *f, int status)
{
	return status != GPUBE_ELIMIT || (f->max && f->n >= f->max);
}

/* Branch and bound: to its end if what the first nodes give is regular, otherwise ELIMIT. */
static int try_branching(struct nash_found *f, int64_t nodes)
{
	struct nash_branching *b;
	bool regular = false;
	int status = nash__branching_new(&b, f);

	if (status)
		return status;
	/* so few nodes without any equilibrium say little */
	for (;; nodes *= 10) {
		status = nash__branching_run(b, nodes);
		if (is_end(f, status))
			break;
		status = nash__mostly_regular(f, &regular);
		if (!status && !regular && nodes < MOST_NODES)
			continue;
		if (!status)
			status = regular ? nash__branching_run(b, -1) : GPUBE_ELIMIT;
		break;
	}
	nash__branching_free(b);
	return status;
}

int nash__auto(struct nash_found *f, const char **method)
{
	int64_t steps = FIRST_STEPS, nodes = FIRST_NODES;
	bool predicted, ve;
	int status = predict(f->p, &predicted);

	if (status)
		return status;
	for (ve = predicted;; ve = !ve) {
		*method = ve ? "ve" : "eee";
		status = ve ? nash__vertex_enumeration(f, steps) : try_branching(f, nodes);
		if (is_end(f, status))
			return status;
		/*
		 * The first 'max' of them are to be the same ones every time: no race. A race
		 * begins both methods anew, on contexts of its own that share the threads out; what
		 * the short tries have found stays in f, and is merged with what the race finds.
		 */
		if (!f->max)
			return nash__race(f, predicted ? PREDICTED_SHARE : 1,
				predicted ? 1 : PREDICTED_SHARE, method);
		steps *= 2;
		nodes *= 2;
	}
}
