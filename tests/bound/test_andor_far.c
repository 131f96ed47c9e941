/*
 * AND/OR searches of several ranks in one process, whose letters are handed on in any order and as
 * late as ranks could: what the owner finds is what it finds alone, whoever ends a budget, whatever
 * a guest has told before it is lost, and with all that was told forgotten. What a guest has told
 * spares the owner nodes, by the letters of a rank, too. And roots: they are the owner's tables, or
 * are refused.
 */
#define _POSIX_C_SOURCE 200809L
#include <math.h>
#include <time.h>

#include "tests/support/test.h"

#include "gpube/bound/andor/andor.h"
#include "gpube/bound/sharing/shared.h"
#include "gpube/deal/guests.h"
#include "gpube/ir/model.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"

enum { N_SEEDS = 120, N_GUESTS = 3, N_VARS = 14, NEAR = 4, DOMAIN = 3, MOST_STEPS = 100000 };

/* What one rank has written for another, which has read it up to 'next'. */
struct play {
	struct gpube_rng rng;
	struct gpube_andor *alone, *owner, *guests[N_GUESTS];
	struct gpube__bytes mail[N_GUESTS + 1]; /* for each guest, and for the owner */
	int64_t n_letters, n_ended, n_lost;
};

/*
 * Variables in a row, with functions of those at most 'near' places apart. Costs that do not fit 32
 * bits are rounded.
 */
static struct gpube_model *a_row(uint64_t seed, int32_t n, int32_t near)
{
	struct gpube_rng rng;
	struct gpube_model *m;

	gpube__rng_init(&rng, seed);
	assert_int_equal(gpube_model_new(&m, ctx, GPUBE_COSTS), 0);
	for (int32_t i = 0; i < n; i++)
		assert_int_equal(gpube_model_add_var(m, NULL, DOMAIN, NULL), 0);
	for (int32_t i = 0; i < n; i++)
		for (int32_t k = i + 1; k < n && k <= i + near; k++) {
			int64_t costs[DOMAIN * DOMAIN];

			for (int c = 0; c < DOMAIN * DOMAIN; c++)
				costs[c] = ((int64_t)gpube__rng_below(&rng, 50)
						   << (seed % 4 ? 0 : 30)) +
					   (int64_t)gpube__rng_below(&rng, 3);
			assert_int_equal(gpube_model_add_costs(m, 2, (int32_t[]){i, k}, costs), 0);
		}
	return m;
}

static void new_guest(struct play *p, int i)
{
	struct gpube__bytes root = {.ctx = ctx};
	struct gpube_model given = {.ctx = ctx};
	void *of;

	gpube__shared_andor.root(&root, p->owner);
	assert_int_equal(root.status, 0);
	assert_int_equal(gpube__shared_andor.guest_new(&of, &given, NULL, &root, i + 1), 0);
	p->guests[i] = of;
	gpube__bytes_clear(&root);
}

/* What a rank has to say goes to all others, as rank 0 hands it on. from: -1: the owner */
static void tell(struct play *p, int from)
{
	struct gpube__bytes news = {.ctx = ctx};
	void *of = from < 0 ? p->owner : p->guests[from];

	p->n_letters += gpube__shared_andor.give(of, &news, 0, -1, 0) > 0;
	assert_int_equal(news.status, 0);
	for (int to = 0; to <= N_GUESTS; to++)
		for (int64_t k = 0; k < news.n && to != (from < 0 ? N_GUESTS : from); k++) {
			struct gpube__bytes *mail = &p->mail[to];

			assert_int_equal(
				gpube__grow(ctx, &mail->at, &mail->capacity, mail->n + 1, 1), 0);
			mail->at[mail->n++] = news.at[k];
		}
	gpube__bytes_clear(&news);
}

/* All that has come by now. */
static void listen(struct play *p, int who)
{
	void *of = who == N_GUESTS ? p->owner : p->guests[who];

	assert_int_equal(gpube__shared_andor.take(of, &p->mail[who]), 0);
	gpube__bytes_clear(&p->mail[who]);
}

static void search_as_guest(struct play *p, int i)
{
	const struct gpube__shared_state now = gpube__shared_andor.state(p->guests[i]);
	const double seconds = 3e-4 * gpube__rng_unit(&p->rng);
	int64_t before;

	if (!now.n_open)
		return;
	before = gpube__work_until(ctx, gpube__worked(ctx) + seconds);
	assert_int_equal(gpube__shared_andor.search(p->guests[i]), 0);
	gpube__work_again(ctx, before);
	p->n_ended += !gpube__shared_andor.state(p->guests[i]).n_open;
}

/* It is gone; another one has all that is told from now on. */
static void lose(struct play *p, int i)
{
	gpube__shared_andor.guest_free(p->guests[i]);
	gpube__bytes_clear(&p->mail[i]);
	new_guest(p, i);
	p->n_lost++;
}

static void step(struct play *p)
{
	const int i = (int)gpube__rng_below(&p->rng, N_GUESTS);

	switch (gpube__rng_below(&p->rng, 8)) {
	case 0:
	case 1:
		tell(p, i);
		break;
	case 2:
		tell(p, -1);
		break;
	case 3:
		listen(p, N_GUESTS);
		break;
	case 4:
	case 5:
		listen(p, i);
		break;
	case 6:
		if (gpube__rng_below(&p->rng, 10) == 0)
			lose(p, i);
		break;
	default:
		search_as_guest(p, i);
		break;
	}
}

/* What the owner finds below a budget is what a search alone finds, and what its values cost. */
static void one_budget(struct play *p, const struct gpube_model *m, int64_t budget)
{
	int32_t values[2][N_VARS];
	int64_t value[2], cost[2];
	bool ended;

	struct gpube_budget turn = gpube__budget(ctx, INFINITY);
	gpube__andor_search(p->alone, budget, &turn, &value[0], values[0], &ended);
	assert_true(ended);
	ended = false;
	for (int k = 0; !ended; k++) {
		assert_true(k < MOST_STEPS);
		turn = gpube__budget(ctx,
			1e-4 * (double)(gpube__rng_below(&p->rng, 2) * (uint64_t)(1 + k / 20)));
		gpube__andor_search(p->owner, budget, &turn, &value[1], values[1], &ended);
		for (int j = 0; j < 12 && !ended; j++)
			step(p);
	}
	if (value[0] >= budget) {
		assert_true(value[1] >= budget);
		return;
	}
	assert_true(value[1] == value[0]);
	assert_int_equal(gpube_model_cost(&cost[0], m, values[0]), 0);
	assert_int_equal(gpube_model_cost(&cost[1], m, values[1]), 0);
	assert_true(cost[0] == cost[1]);
}

static int64_t n_letters, n_ended, n_lost, n_told; /* in all plays */

/* The owner has searched for a moment alone, and guests are told of it at once. */
static void open_owner(struct play *p, uint64_t seed)
{
	const struct gpube_budget turn = gpube__budget(ctx, seed % 3 ? 1e-4 : 0);
	struct gpube__bytes news = {.ctx = ctx};
	int32_t values[N_VARS];
	int64_t value;
	bool ended;

	gpube__andor_search(p->owner, (int64_t)1 << 40, &turn, &value, values, &ended);
	assert_int_equal(gpube__andor_far_open(p->owner, 0), 0);
	(void)gpube__shared_andor.give(p->owner, &news, 0, -1, 0);
	n_told += news.n > 0;
	for (int i = 0; i < N_GUESTS; i++) {
		news.next = 0;
		new_guest(p, i);
		assert_int_equal(gpube__shared_andor.take(p->guests[i], &news), 0);
	}
	gpube__bytes_clear(&news);
}

static void plays(void **state)
{
	const uint64_t seed = (uint64_t)(uintptr_t)*state;
	int32_t order[N_VARS];
	struct gpube_joingraph g;
	struct gpube_model *m;
	struct play p = {0};
	bool fits;

	assert_int_equal(ctx_open(1 + (int)(seed % 2), (uint64_t)1 << 26), 0);
	gpube__rng_init(&p.rng, seed);
	m = a_row(seed, N_VARS, NEAR);
	for (int32_t i = 0; i < N_VARS; i++)
		order[i] = (int32_t)((i + seed) % N_VARS);
	assert_int_equal(gpube__joingraph_init(&g, m, order, 2, 1e8, GPUBE_PARTITION_SCOPE,
				 GPUBE_INF, GPUBE__MOST_SHIFT, &fits),
		0);
	assert_true(fits);
	assert_int_equal(gpube__joingraph_pass(&g, false), 0);
	assert_int_equal(gpube__andor_new(&p.alone, &g, m, 1e6), 0);
	assert_int_equal(gpube__andor_new(&p.owner, &g, m, 1e6), 0);
	assert_non_null(p.owner);
	for (int i = 0; i <= N_GUESTS; i++)
		p.mail[i].ctx = ctx;
	open_owner(&p, seed);
	for (int64_t budget = 1; budget < GPUBE__ANDOR_NEVER; budget *= 64)
		one_budget(&p, m, budget);
	n_letters += p.n_letters;
	n_ended += p.n_ended;
	n_lost += p.n_lost;
	for (int i = 0; i < N_GUESTS; i++)
		gpube__shared_andor.guest_free(p.guests[i]);
	for (int i = 0; i <= N_GUESTS; i++)
		gpube__bytes_clear(&p.mail[i]);
	gpube__andor_free(p.alone);
	gpube__andor_free(p.owner);
	gpube__joingraph_clear(&g);
	gpube_model_free(m);
	gpube_ctx_free(ctx);
}

/* They have seen what they are to test. */
static void all_plays(void **state)
{
	(void)state;
	print_message("%lld letters, %lld budgets ended by guests, %lld guests lost, told at once "
		      "%lld times\n",
		(long long)n_letters, (long long)n_ended, (long long)n_lost, (long long)n_told);
	assert_true(n_letters > N_SEEDS && n_ended > N_SEEDS / 4 && n_lost > N_SEEDS / 4 &&
		    n_told > N_SEEDS / 4);
}

/* Roots and news that end early, or have a byte changed, are refused, or are of other tables. */
static void damaged(void **state)
{
	int32_t order[N_VARS];
	struct gpube__bytes root = {.ctx = NULL}, news = {.ctx = NULL};
	struct gpube_joingraph g;
	struct gpube_andor *a, *b;
	struct gpube_model *m;
	int64_t n_refused = 0, n_read = 0;
	bool fits;

	(void)state;
	assert_int_equal(ctx_open(1, (uint64_t)1 << 26), 0);
	root.ctx = news.ctx = ctx;
	m = a_row(0, N_VARS, NEAR);
	for (int32_t i = 0; i < N_VARS; i++)
		order[i] = i;
	assert_int_equal(gpube__joingraph_init(&g, m, order, 2, 1e8, GPUBE_PARTITION_SCOPE,
				 GPUBE_INF, GPUBE__MOST_SHIFT, &fits),
		0);
	assert_int_equal(gpube__joingraph_pass(&g, false), 0);
	assert_int_equal(gpube__andor_new(&a, &g, m, 1e6), 0);
	assert_int_equal(gpube__andor_far_open(a, 0), 0);
	gpube__put_andor(&root, a);
	assert_int_equal(root.status, 0);
	for (int64_t n = 0; n < root.n; n += 1 + n / 50) {
		struct gpube__bytes some = root;

		some.n = n;
		assert_int_equal(gpube__get_andor(&b, 1e6, &some), GPUBE_EPARSE);
		assert_null(b);
		some = root;
		root.at[n] ^= 0x14;
		if (gpube__get_andor(&b, 1e6, &some) == GPUBE_OK) {
			n_read++;
			gpube__andor_free(b);
		} else {
			n_refused++;
		}
		root.at[n] ^= 0x14;
	}
	assert_true(n_refused > 0 && n_read > 0);
	gpube__put(&news, 0); /* a result of a variable that there is not */
	gpube__put(&news, 0);
	for (int w = 0; w < a->n_words; w++)
		gpube__put(&news, 15);
	for (int k = 0; k < 3; k++)
		gpube__put(&news, 1);
	assert_int_equal(gpube__shared_andor.take(a, &news), GPUBE_EPARSE);
	gpube__bytes_clear(&root);
	gpube__bytes_clear(&news);
	gpube__andor_free(a);
	gpube__joingraph_clear(&g);
	gpube_model_free(m);
	gpube_ctx_free(ctx);
}

/*
 * A guest ends the budget of an owner that has searched with one of its threads so far: the time in
 * which it works alone is over, and the assignment is read off all the same.
 */
static void read_off_after_alone(void **state)
{
	enum { N = 60 };
	const int64_t budget = (int64_t)1 << 40;
	struct gpube__bytes news = {.ctx = NULL};
	struct gpube_budget turn;
	struct gpube_joingraph g;
	struct gpube_andor *alone, *owner;
	struct gpube_model *m;
	int64_t value[2], cost[2];
	int32_t order[N], values[2][N];
	bool fits, ended;

	(void)state;
	assert_int_equal(ctx_open(2, (uint64_t)1 << 26), 0);
	news.ctx = ctx;
	m = a_row(1, N, NEAR);
	for (int32_t i = 0; i < N; i++)
		order[i] = i;
	assert_int_equal(gpube__joingraph_init(&g, m, order, 2, 1e8, GPUBE_PARTITION_SCOPE,
				 GPUBE_INF, GPUBE__MOST_SHIFT, &fits),
		0);
	assert_int_equal(gpube__joingraph_pass(&g, false), 0);
	assert_int_equal(gpube__andor_new(&alone, &g, m, 1e7), 0);
	assert_int_equal(gpube__andor_new(&owner, &g, m, 1e7), 0);
	turn = gpube__budget(ctx, INFINITY);
	gpube__andor_search(alone, budget, &turn, &value[0], values[0], &ended);
	assert_true(ended);

	assert_int_equal(gpube__andor_far_open(owner, 0), 0);
	ctx->alone_until = INT64_MAX;
	turn = gpube__budget(ctx, 0);
	gpube__andor_search(owner, budget, &turn, &value[1], values[1], &ended);
	assert_false(ended);
	gpube__put(&news, 3); /* the first budget has ended with that value; nothing else is told */
	gpube__put(&news, 0);
	gpube__put(&news, value[0]);
	gpube__put(&news, 0);
	gpube__put(&news, 1);
	assert_int_equal(gpube__shared_andor.take(owner, &news), 0);
	ctx->alone_until = 0;
	turn = gpube__budget(ctx, INFINITY);
	gpube__andor_search(owner, budget, &turn, &value[1], values[1], &ended);
	assert_true(ended);
	assert_true(value[1] == value[0]);
	for (int k = 0; k < 2; k++)
		assert_int_equal(gpube_model_cost(&cost[k], m, values[k]), 0);
	assert_true(cost[0] == cost[1]);
	gpube__bytes_clear(&news);
	gpube__andor_free(alone);
	gpube__andor_free(owner);
	gpube__joingraph_clear(&g);
	gpube_model_free(m);
	gpube_ctx_free(ctx);
}

/* ---- what guests have worked ----------------------------------------------------------------- */

enum { N_LONG = 24, NEAR_LONG = 9, MOST_REPORTS = 3000000 };

/* A search alone that has ended, and an owner that has begun a budget and visited no node. */
struct pair {
	struct gpube_model *m;
	struct gpube_joingraph g;
	struct gpube_andor *alone, *owner;
	int64_t value, ticks; /* what the one alone has found, and its work */
	struct gpube__bytes root, news;
};

static const int64_t long_budget = (int64_t)1 << 40;

static void pair_open(struct pair *p)
{
	int32_t order[N_LONG], values[N_LONG];
	struct gpube_budget turn;
	int64_t value;
	bool fits, ended;

	*p = (struct pair){.m = a_row(1, N_LONG, NEAR_LONG), .root.ctx = ctx, .news.ctx = ctx};
	for (int i = 0; i < N_LONG; i++)
		order[i] = i;
	assert_int_equal(gpube__joingraph_init(&p->g, p->m, order, 2, 1e8, GPUBE_PARTITION_SCOPE,
				 GPUBE_INF, GPUBE__MOST_SHIFT, &fits),
		0);
	assert_int_equal(gpube__joingraph_pass(&p->g, false), 0);
	assert_int_equal(gpube__andor_new(&p->alone, &p->g, p->m, 1e7), 0);
	assert_int_equal(gpube__andor_new(&p->owner, &p->g, p->m, 1e7), 0);
	turn = gpube__budget(ctx, INFINITY);
	p->ticks = -ctx->ticks;
	gpube__andor_search(p->alone, long_budget, &turn, &p->value, values, &ended);
	p->ticks += ctx->ticks;
	assert_true(ended && p->alone->n_nodes > 1000);

	assert_int_equal(gpube__andor_far_open(p->owner, 0), 0);
	gpube__shared_andor.root(&p->root, p->owner);
	assert_int_equal(p->root.status, 0);
	turn = gpube__budget(ctx, 0);
	gpube__andor_search(p->owner, long_budget, &turn, &value, values, &ended);
	assert_false(ended);
	assert_true(gpube__shared_andor.give(p->owner, &p->news, 0, -1, 0) > 0);
	assert_int_equal(p->news.status, 0);
}

/* Nodes that the owner visits until it has the same value, and an assignment of it. */
static int64_t owner_ends(struct pair *p)
{
	const struct gpube_budget turn = gpube__budget(ctx, INFINITY);
	const int64_t before = p->owner->n_nodes;
	int32_t values[N_LONG];
	int64_t value;
	bool ended;

	gpube__andor_search(p->owner, long_budget, &turn, &value, values, &ended);
	assert_true(ended && value == p->value);
	return p->owner->n_nodes - before;
}

static void pair_close(struct pair *p)
{
	gpube__bytes_clear(&p->root);
	gpube__bytes_clear(&p->news);
	gpube__andor_free(p->alone);
	gpube__andor_free(p->owner);
	gpube__joingraph_clear(&p->g);
	gpube_model_free(p->m);
}

/* A guest works half as long as the search alone, and ends nothing. */
static void results_spare_nodes(void **state)
{
	struct gpube_model given = {0};
	struct gpube__bytes told = {0};
	struct pair p;
	int64_t before, n;
	void *guest;

	(void)state;
	assert_int_equal(ctx_open(1, (uint64_t)1 << 26), 0);
	given.ctx = told.ctx = ctx;
	pair_open(&p);
	assert_int_equal(gpube__shared_andor.guest_new(&guest, &given, NULL, &p.root, 1), 0);
	assert_int_equal(gpube__shared_andor.take(guest, &p.news), 0);
	before = gpube__work_until(ctx, gpube__worked(ctx) + (double)(p.ticks / 2) / 1e9);
	assert_int_equal(gpube__shared_andor.search(guest), 0);
	gpube__work_again(ctx, before);
	assert_true(gpube__shared_andor.state(guest).n_nodes > 0);
	assert_int_equal(gpube__shared_andor.state(guest).n_open, 1);
	assert_true(gpube__shared_andor.give(guest, &told, 0, -1, 0) > 0);
	assert_int_equal(gpube__shared_andor.take(p.owner, &told), 0);
	n = owner_ends(&p);
	print_message("%lld nodes alone, %lld after a guest's %lld\n", (long long)p.alone->n_nodes,
		(long long)n, (long long)gpube__shared_andor.state(guest).n_nodes);
	assert_true(n < p.alone->n_nodes);
	gpube__bytes_clear(&told);
	gpube__shared_andor.guest_free(guest);
	pair_close(&p);
	gpube_ctx_free(ctx);
}

/* ---- a world of which this is rank 0, and reads at once what a guest writes ------------------ */

static struct gpube_andor *reader;
static struct told {
	int64_t n_nodes, ticks;
	bool empty;
} rank_told;

int dcop__world_send(struct dcop_world *w, int to, struct dcop_parcel *p)
{
	const struct gpube_letter *l = p->body;
	struct gpube__bytes bytes = gpube__letter_bytes(ctx, l, (const int32_t *)(l + 1));

	assert_int_equal(to, 0);
	if (l->kind == LETTER_NODES) {
		assert_int_equal(gpube__shared_andor.take(reader, &bytes), 0);
	} else {
		assert_int_equal(l->kind, LETTER_STATE);
		rank_told.n_nodes = gpube__get(&bytes, 0, INT64_MAX);
		rank_told.ticks += gpube__get(&bytes, 0, INT64_MAX);
		rank_told.empty = l->b;
	}
	assert_int_equal(bytes.status, 0);
	GPUBE_FREE_ALL(w->ctx, p->body, p->blobs, p);
	return GPUBE_OK;
}

int dcop__world_poll(struct dcop_world *w, const struct dcop_listener *l, bool *busy)
{
	(void)w;
	(void)l;
	*busy = false;
	return GPUBE_OK;
}

bool dcop__world_drained(const struct dcop_world *w)
{
	(void)w;
	return true;
}

/* A rank hears of the search, ends it, and tells what it has visited, worked and found. */
static void rank_ends(void **state)
{
	const struct gpube_letter root = {.kind = LETTER_ROOT, .task = GPUBE__SHARED_ANDOR},
				  news = {.kind = LETTER_NODES, .task = GPUBE__SHARED_ANDOR};
	struct dcop_world world = {.rank = 1, .n_ranks = 2};
	struct gpube__bytes packed = {0};
	struct gpube_opts opts = {0};
	struct gpube_model given = {0};
	struct gpube__guests guests;
	struct gpube_hand hand;
	struct pair p;
	int64_t n;

	(void)state;
	assert_int_equal(ctx_open(1, (uint64_t)1 << 26), 0);
	world.ctx = packed.ctx = ctx;
	pair_open(&p);
	reader = p.owner;
	rank_told = (struct told){0};
	gpube__hand_open(&hand, ctx);
	given.ctx = &hand.ctx;
	gpube__guests_open(&guests, &world, &hand, &given, &opts);
	assert_int_equal(gpube__pack(&packed, &p.root), 0);
	assert_int_equal(gpube__guests_read(&guests, 0, &root, &packed), 0);
	assert_int_equal(gpube__guests_read(&guests, 0, &news, &p.news), 0);
	for (int k = 0; k < MOST_REPORTS && !rank_told.empty; k++) {
		assert_int_equal(gpube__guests_report(&guests), 0);
		nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
	}
	assert_true(rank_told.empty && rank_told.n_nodes > 1000 && rank_told.ticks > 1000);
	assert_int_equal(gpube__shared_andor.state(p.owner).n_open, 0);
	n = owner_ends(&p);
	print_message(
		"%lld nodes of a guest, then %lld\n", (long long)rank_told.n_nodes, (long long)n);
	assert_true(n < p.alone->n_nodes);
	gpube__guests_close(&guests);
	gpube__hand_close(&hand);
	gpube__bytes_clear(&packed);
	pair_close(&p);
	gpube_ctx_free(ctx);
}

int main(void)
{
	struct cases c = {0};

	add_seeds(&c, plays, N_SEEDS, "plays, seed");
	ADD_CASE(&c, all_plays);
	ADD_CASE(&c, damaged);
	ADD_CASE(&c, read_off_after_alone);
	ADD_CASE(&c, results_spare_nodes);
	ADD_CASE(&c, rank_ends);
	return run_cases(&c, "AND/OR search on ranks", NULL, NULL);
}
