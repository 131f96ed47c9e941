/*
 * Cases of relations that travel, against enumeration: an owner and guests in one process, whose
 * letters are bytes that are handed on in any order that ranks could have. What the owner proves is
 * the optimum, no bound on the way is above it, and a case that is lost is noticed, because the
 * parts of the whole do not add up any more.
 */
#include <math.h>

#include "tests/support/test.h"

#include "gpube/bound/bound.h"
#include "gpube/bound/pairwise/relation_cases.h"
#include "gpube/bound/checkpoint/checkpoint.h"
#include "gpube/bound/sharing/sharing.h"
#include "tests/support/bounded.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"
#include "tests/support/random_model.h"

enum { N_SEEDS = 100, N_SMALL = 70, N_GUESTS = 3, SOON = 500, MOST_STEPS = 1500 };

static const struct gpube__shared *const by = &gpube__shared_cases;
static const struct gpube_case_rules early = {.slow = 1, .most_windows = 1};

struct guest {
	struct gpube_relation_cases *of;
	int64_t last; /* number of the last cases that it has */
	int64_t seen;
};

struct play {
	struct gpube_bounder b;
	struct gpube_relation_cases *of; /* that are shared */
	struct guest guests[N_GUESTS];
	struct gpube_rng rng;
	int64_t number, seen, n_lent, n_back, n_lost, n_steps;
	bool begun;
};

static void on_improved(void *arg, int64_t bound, int64_t cost, const int32_t *values)
{
	const struct play *p = arg;

	(void)bound;
	(void)cost;
	if (values && p->of)
		by->incumbent(p->of);
}

static void new_guest(struct play *p, int i)
{
	static const struct gpube_opts opts = {0};
	struct gpube__bytes root = {.ctx = ctx};
	void *of;

	by->root(&root, p->of);
	assert_int_equal(root.status, 0);
	assert_int_equal(by->guest_new(&of, p->b.given, &opts, &root, i + 1), 0);
	gpube__bytes_clear(&root);
	p->guests[i] = (struct guest){.of = of, .last = p->guests[i].last};
	p->guests[i].of->rules = &early;
}

static void on_share(void *arg, enum gpube__shared_kind kind, void *of)
{
	struct play *p = arg;

	assert_int_equal(kind, GPUBE__SHARED_CASES);
	p->of = of;
	for (int i = 0; i < N_GUESTS && of; i++)
		new_guest(p, i);
	p->begun |= of != NULL;
}

/* Turns are ever longer, so that a large case comes to its end. */
static double longer(struct play *p)
{
	return gpube__rng_unit(&p->rng) * (1 + (double)p->n_steps / 50);
}

/* ---- letters --------------------------------------------------------------------------------- */

static void lend(struct play *p, int i)
{
	struct gpube__bytes nodes = {.ctx = ctx};
	const int64_t most = 1 + (int64_t)gpube__rng_below(&p->rng, 4),
		      n = by->give(p->of, &nodes, most, i + 1, p->number + 1);

	assert_true(n <= most && nodes.status == 0);
	if (n) {
		p->guests[i].last = ++p->number;
		assert_int_equal(by->take(p->guests[i].of, &nodes), 0);
		p->n_lent += n;
	}
	gpube__bytes_clear(&nodes);
}

static void give_back(struct play *p, int i)
{
	struct gpube__bytes nodes = {.ctx = ctx};

	p->n_back += by->give(p->guests[i].of, &nodes, 1, -1, 0);
	assert_int_equal(by->take(p->of, &nodes), 0);
	gpube__bytes_clear(&nodes);
}

static void best(struct play *p, int i, bool to_owner)
{
	struct gpube__bytes values = {.ctx = ctx};
	struct guest *g = &p->guests[i];

	if (by->best(&values, to_owner ? g->of : p->of, to_owner ? &g->seen : &p->seen))
		assert_int_equal(by->learn(to_owner ? p->of : g->of, &values,
					 to_owner ? &(int64_t){0} : &g->seen),
			0);
	gpube__bytes_clear(&values);
}

/* What the guest has left, with what it has found; late: nodes come after it was written. */
static void state_of(struct play *p, int i, bool late)
{
	struct gpube__bytes least = {.ctx = ctx};
	const int64_t last = p->guests[i].last;

	best(p, i, true);
	assert_int_equal(by->check(p->guests[i].of), 0);
	by->least(&least, p->guests[i].of);
	if (late)
		lend(p, i);
	assert_int_equal(by->repaid(p->of, &least, i + 1, last), 0);
	gpube__bytes_clear(&least);
}

static void lose(struct play *p, int i)
{
	by->guest_free(p->guests[i].of);
	assert_int_equal(by->recall(p->of, ctx, i + 1), 0);
	new_guest(p, i);
	p->n_lost++;
}

static void guest_turn(struct play *p, int i)
{
	const int64_t before = gpube__work_until(ctx, gpube__worked(ctx) + 2e-5 * longer(p));
	const int status = by->search(p->guests[i].of);

	assert_true(status == 0 || status == GPUBE_ESTOP);
	assert_int_equal(by->check(p->guests[i].of), 0);
	gpube__work_again(ctx, before);
}

/* ---- a play ---------------------------------------------------------------------------------- */

/* The first relations as the first case; false: there are none. */
static bool begin(struct play *p)
{
	struct gpube_pairwise_run *s;

	assert_int_equal(gpube__pairwise_run_new(&p->b), 0);
	s = p->b.state.pairwise;
	s->turn = gpube__budget(ctx, 0);
	return s->relations;
}

/* Longer, it would wait for the guests. */
static void owner_turn(struct play *p)
{
	struct gpube_pairwise_run *s = p->b.state.pairwise;

	s->turn = gpube__budget(ctx, 2e-6 * longer(p));
	assert_int_equal(gpube__pairwise_run_cases(s, &early), 0);
	assert_int_equal(gpube__cases_check(s->cases), 0);
}

static void step(struct play *p)
{
	const int i = (int)gpube__rng_below(&p->rng, N_GUESTS);

	if (!p->begun || gpube__rng_below(&p->rng, 6) == 0) {
		owner_turn(p);
		return;
	}
	switch (gpube__rng_below(&p->rng, 10)) {
	case 0:
	case 1:
	case 2:
		lend(p, i);
		break;
	case 3:
	case 4:
	case 5:
		guest_turn(p, i);
		break;
	case 6:
		give_back(p, i);
		break;
	case 7:
		best(p, i, gpube__rng_below(&p->rng, 2));
		break;
	case 8:
		if (gpube__rng_below(&p->rng, 10) == 0)
			lose(p, i);
		break;
	default:
		state_of(p, i, gpube__rng_below(&p->rng, 2));
		break;
	}
}

static int64_t n_lent, n_back, n_lost, n_noticed; /* in all plays */
static int n_proved, n_kept; /* plays in which cases were lent, and runs that were kept */

/* A case that is taken out and never closed; it is open again then. */
static void notice(struct gpube_relation_cases *c)
{
	struct gpube_frontier_node node;

	if (!c->open.n)
		return;
	assert_int_equal(gpube__cases_check(c), 0);
	node = gpube__frontier_pop(&c->open);
	assert_int_equal(gpube__cases_check(c), GPUBE_EBUG);
	assert_int_equal(gpube__frontier_push(&c->open, ctx, &node), 0);
	n_noticed++;
}

/* Another run goes on from what this one has, and proves the optimum. */
static void go_on(const struct play *p, int64_t optimum)
{
	static const struct gpube_opts opts = {0};
	struct gpube__bytes run = {.ctx = ctx};
	struct gpube_bounder *b;

	gpube__put_run(&run, &p->b, GPUBE__RUN_WITH_NODES);
	assert_int_equal(run.status, 0);
	assert_int_equal(gpube__guest_bounder_new(&b, p->b.given, &opts, &run), 0);
	assert_true(run.next == run.n);
	assert_true(b->lower == p->b.lower && b->upper == p->b.upper);
	assert_non_null(b->state.pairwise->cases);
	assert_int_equal(gpube__bound_pairwise(b, INFINITY), 0);
	assert_true(optimum == GPUBE_INF ? b->lower >= b->cutoff
					 : b->lower == optimum && b->upper == optimum);
	gpube__guest_bounder_free(b);
	gpube__bytes_clear(&run);
	n_kept++;
}

static void plays(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	struct random_spec spec = random_spec_many_neighbours(seed);
	struct play p = {0};
	const struct gpube_watch watch = {.arg = &p, .improved = on_improved, .share = on_share};
	struct bounded r;

	if (seed < N_SMALL ? bounded_init(&r, spec, seed) : bounded_large_init(&r, seed)) {
		gpube__rng_init(&p.rng, seed);
		begin_bounder(&p.b, &r.s, r.given, seed);
		p.b.told.watch = &watch;
		if (seed % 3)
			assert_int_equal(gpube__bounder_search(&p.b, NULL, 20), 0);
		ctx->n_threads = 1 + (int)(seed / 2 % 2);
		if (begin(&p)) {
			for (int64_t n = 0; n < MOST_STEPS && !gpube__bounder_done(&p.b);
				n = ++p.n_steps) {
				if (p.begun && n == SOON) /* it is to end */
					p.of->rules = &gpube__case_rules;
				for (int i = 0; i < N_GUESTS && p.begun && n >= SOON; i++)
					p.guests[i].of->rules = &gpube__case_rules;
				step(&p);
				assert_true(p.b.lower <= r.optimum && p.b.upper >= r.optimum);
				if (p.begun && by->state(p.of).done)
					assert_int_equal(gpube__bound_settle(&p.b), 0);
				if (p.begun && n % 200 == 30 && !gpube__bounder_done(&p.b))
					go_on(&p, r.optimum);
				if (p.begun && n % 16 == 0) {
					notice(p.of);
					notice(p.guests[n / 16 % N_GUESTS].of);
				}
			}
			n_proved += p.n_lent > 0 && gpube__bounder_done(&p.b);
			if (gpube__bounder_done(&p.b))
				assert_true(
					r.optimum == GPUBE_INF
						? p.b.lower >= p.b.cutoff
						: p.b.lower == r.optimum && p.b.upper == r.optimum);
		}
		gpube__pairwise_run_free(p.b.state.pairwise);
		assert_null(p.of);
		for (int i = 0; i < N_GUESTS && p.begun; i++)
			by->guest_free(p.guests[i].of);
		end_bounder(&p.b);
		ctx->n_threads = 1;
	}
	bounded_clear(&r);
	n_lent += p.n_lent;
	n_back += p.n_back;
	n_lost += p.n_lost;
}

/*
 * All cases are lent, and others have none: the owner, which waits for those who do, works until
 * its turn is over, which ends by counted work.
 */
static void turns_end(void **state)
{
	int n_waited = 0;

	(void)state;
	for (uint64_t seed = N_SMALL; n_waited < 5 && seed < N_SEEDS; seed++) {
		struct play p = {0};
		const struct gpube_watch watch = {
			.arg = &p, .improved = on_improved, .share = on_share};
		struct bounded r;

		if (bounded_large_init(&r, seed)) {
			gpube__rng_init(&p.rng, seed);
			begin_bounder(&p.b, &r.s, r.given, seed);
			p.b.told.watch = &watch;
			if (begin(&p))
				for (int n = 0; !p.begun && n < 9; n++)
					owner_turn(&p);
			while (p.begun && by->state(p.of).n_open)
				lend(&p, 0);
			if (p.begun && by->state(p.of).n_loans) {
				by->want(p.of, true);
				p.b.state.pairwise->turn = gpube__budget(ctx, 1e-4);
				/* a turn that never ends is a failure and not a hang */
				ctx->deadline = gpube__now() + 300;
				assert_int_equal(
					gpube__pairwise_run_cases(p.b.state.pairwise, &early), 0);
				assert_false(gpube__stopped(ctx));
				ctx->deadline = 0;
				n_waited++;
			}
			gpube__pairwise_run_free(p.b.state.pairwise);
			for (int i = 0; i < N_GUESTS && p.begun; i++)
				by->guest_free(p.guests[i].of);
			end_bounder(&p.b);
		}
		bounded_clear(&r);
	}
	assert_int_equal(n_waited, 5);
}

static void some_were_shared(void **state)
{
	(void)state;
	print_message(
		"%lld lent, %lld back, %lld guests lost, %lld cases missed, %d proofs, %d kept\n",
		(long long)n_lent, (long long)n_back, (long long)n_lost, (long long)n_noticed,
		n_proved, n_kept);
	assert_true(n_lent > 500 && n_back > 50 && n_lost > 10 && n_noticed > 50 && n_proved > 10);
	assert_true(n_kept > 10);
}

/* Cases that end early, or have a byte changed, are refused, or are cases. */
static void damaged(void **state)
{
	int64_t n_refused = 0, n_read = 0;

	(void)state;
	for (uint64_t seed = 1; n_refused + n_read < 300; seed++) {
		struct gpube__bytes bytes = {.ctx = ctx};
		struct play p = {0};
		struct bounded r;

		if (bounded_init(&r, random_spec_many_neighbours(seed), seed)) {
			begin_bounder(&p.b, &r.s, r.given, seed);
			if (begin(&p)) {
				const struct gpube_relations *l = p.b.state.pairwise->relations;
				struct gpube_relations *again;

				gpube__put_relations(&bytes, l);
				for (int64_t n = 0; n < bytes.n; n += 1 + n / 9) {
					struct gpube__bytes some = bytes;

					some.n = n;
					assert_int_equal(
						gpube__get_relations(&again, ctx, &some, l),
						GPUBE_EPARSE);
					assert_null(again);
					some = bytes;
					bytes.at[n] ^= 0x14;
					if (gpube__get_relations(&again, ctx, &some, l) == 0) {
						n_read++;
						gpube__relations_free(again);
					} else {
						n_refused++;
					}
					bytes.at[n] ^= 0x14;
				}
			}
			gpube__pairwise_run_free(p.b.state.pairwise);
			end_bounder(&p.b);
		}
		gpube__bytes_clear(&bytes);
		bounded_clear(&r);
	}
	assert_true(n_refused > 20 && n_read > 20);
}

int main(void)
{
	struct cases c = {.setup = ctx_setup_1_thread, .teardown = ctx_teardown};

	add_seeds(&c, plays, N_SEEDS, "plays, seed");
	ADD_CASE(&c, some_were_shared);
	ADD_CASE(&c, turns_end);
	ADD_CASE(&c, damaged);
	return run_cases(&c, "cases on ranks", NULL, NULL);
}
