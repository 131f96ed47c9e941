/*
 * Which of several shared methods the hand of a guest works on: what rank 0 works on, as long as
 * there is any of it here, open or in its hand; otherwise what it is at. The methods are made up:
 * one has a node that takes many reports and begins anew when it is stopped, the other never ends.
 */
#define _POSIX_C_SOURCE 200809L
#include "tests/support/test.h"

#include <stdatomic.h>
#include <time.h>

#include "gpube/deal/guests.h"
#include "tests/support/cases.h"
#include "tests/support/context.h"

/* Reports while the long node is worked on, and so many that a thread has begun on any machine. */
enum { LONG = 20, MOST = 3000000 };
enum { ENDLESS = GPUBE__SHARED_TREE, LASTING = GPUBE__SHARED_CASES };

/* ---- a world whose letters nobody reads ------------------------------------------------------ */

int dcop__world_send(struct dcop_world *w, int to, struct dcop_parcel *p)
{
	(void)to;
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

/* ---- methods --------------------------------------------------------------------------------- */

struct made_up {
	const struct gpube_ctx *of;
	bool endless;
	_Atomic int n_open, n_held, n_begun, n_stopped, n_done;
};

static struct made_up lasting, endless;
static _Atomic int n_reports;

static void nap(void)
{
	nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
}

/* It works on the context of the root, which is the hand's. */
static int new_of(struct made_up *of, const struct gpube_model *given,
	const struct gpube__bytes *root, void **out)
{
	assert_ptr_equal(root->ctx, given->ctx);
	of->of = root->ctx;
	*out = of;
	return GPUBE_OK;
}

static int new_lasting(void **out, const struct gpube_model *given, const struct gpube_opts *opts,
	struct gpube__bytes *root, int rank)
{
	(void)opts;
	(void)rank;
	return new_of(&lasting, given, root, out);
}

static int new_endless(void **out, const struct gpube_model *given, const struct gpube_opts *opts,
	struct gpube__bytes *root, int rank)
{
	(void)opts;
	(void)rank;
	return new_of(&endless, given, root, out);
}

static void free_of(void *of)
{
	(void)of;
}

/* As every method does: what it works on is held, and open again once it is stopped. */
static int search(void *arg)
{
	struct made_up *of = arg;
	const int begun = n_reports;

	if (!of->n_open)
		return GPUBE_OK;
	of->n_held++;
	of->n_open--;
	of->n_begun++;
	while (!gpube__stopped(of->of) && (of->endless || n_reports - begun < LONG))
		nap();
	if (gpube__stopped(of->of)) {
		of->n_stopped++;
		of->n_open++;
	} else {
		of->n_done++;
	}
	of->n_held--;
	return GPUBE_OK;
}

static struct gpube__shared_state state_of(void *arg)
{
	const struct made_up *of = arg;

	return (struct gpube__shared_state){.n_open = of->n_open, .n_held = of->n_held};
}

static int64_t give(void *of, struct gpube__bytes *to, int64_t most, int to_rank, int64_t number)
{
	(void)of;
	(void)to;
	(void)most;
	(void)to_rank;
	(void)number;
	return 0;
}

static int take(void *of, struct gpube__bytes *from)
{
	((struct made_up *)of)->n_open += (int)gpube__get(from, 0, 9);
	return from->status;
}

static void least(struct gpube__bytes *to, void *of)
{
	(void)of;
	gpube__put(to, 0);
}

static int check(void *of)
{
	(void)of;
	return GPUBE_OK;
}

#define MADE_UP(made)                                                                              \
	{                                                                                          \
		.lends = true, .guest_new = made, .guest_free = free_of, .search = search,         \
		.state = state_of, .give = give, .take = take, .least = least, .check = check      \
	}
static const struct gpube__shared by_lasting = MADE_UP(new_lasting);
static const struct gpube__shared by_endless = MADE_UP(new_endless);

/* ---- a rank ---------------------------------------------------------------------------------- */

struct rank {
	struct dcop_world world;
	struct gpube_hand hand;
	struct gpube_model given;
	struct gpube_opts opts;
	struct gpube__guests guests;
};

static void hears(struct rank *r, int32_t kind, int32_t task, int64_t a, int64_t number)
{
	const struct gpube_letter letter = {.kind = kind, .task = task, .a = a};
	struct gpube__bytes bytes = {.ctx = ctx}, root = {.ctx = ctx};

	gpube__put(&root, 0);
	if (kind == LETTER_ROOT)
		assert_int_equal(gpube__pack(&bytes, &root), 0);
	if (number)
		gpube__put(&bytes, number);
	gpube__bytes_clear(&root);
	assert_int_equal(gpube__guests_read(&r->guests, 0, &letter, &bytes), 0);
	gpube__bytes_clear(&bytes);
}

static void begin(struct rank *r)
{
	*r = (struct rank){.world = {.ctx = ctx, .rank = 1, .n_ranks = 2}};
	lasting = (struct made_up){0};
	endless = (struct made_up){.endless = true};
	gpube__hand_open(&r->hand, ctx);
	r->given.ctx = &r->hand.ctx;
	gpube__guests_open(&r->guests, &r->world, &r->hand, &r->given, &r->opts);
	r->guests.of[LASTING].by = &by_lasting;
	r->guests.of[ENDLESS].by = &by_endless;
	hears(r, LETTER_ROOT, LASTING, 0, 0);
	hears(r, LETTER_ROOT, ENDLESS, 0, 0);
}

/* Reports until there are as many of them. */
static void until(struct rank *r, const _Atomic int *count, int n)
{
	for (int k = 0; k < MOST && *count < n; k++) {
		assert_int_equal(gpube__guests_report(&r->guests), 0);
		n_reports++;
		nap();
	}
	assert_int_equal(*count, n);
}

static void end(struct rank *r)
{
	gpube__guests_close(&r->guests);
	gpube__hand_close(&r->hand);
}

/* ---- cases ----------------------------------------------------------------------------------- */

/* The last node of what rank 0 works on is held: nothing of it is open, and it is not given up. */
static void last_node(void **state)
{
	struct rank r;

	(void)state;
	begin(&r);
	hears(&r, LETTER_NODES, ENDLESS, 1, 3);
	hears(&r, LETTER_NODES, LASTING, 1, 1);
	hears(&r, LETTER_TURN, 0, LASTING, 0);
	until(&r, &lasting.n_done, 1);
	assert_int_equal(lasting.n_stopped, 0);
	assert_int_equal(endless.n_begun, 0);
	until(&r, &endless.n_begun, 1); /* nothing is left of the other */
	end(&r);
}

/* What rank 0 does not share leaves the hand at what it is at. */
static void goes_on(void **state)
{
	struct rank r;

	(void)state;
	begin(&r);
	hears(&r, LETTER_TURN, 0, GPUBE__N_SHARED, 0);
	hears(&r, LETTER_NODES, LASTING, 1, 1);
	until(&r, &lasting.n_begun, 1);
	hears(&r, LETTER_NODES, ENDLESS, 1, 3);
	until(&r, &lasting.n_done, 1);
	assert_int_equal(lasting.n_stopped, 0);
	assert_int_equal(endless.n_begun, 0);
	end(&r);
}

/* It follows rank 0, and comes back. */
static void follows(void **state)
{
	struct rank r;

	(void)state;
	begin(&r);
	hears(&r, LETTER_TURN, 0, ENDLESS, 0);
	hears(&r, LETTER_NODES, ENDLESS, 1, 1);
	hears(&r, LETTER_NODES, LASTING, 1, 1);
	until(&r, &endless.n_begun, 1);
	hears(&r, LETTER_TURN, 0, LASTING, 0);
	until(&r, &endless.n_stopped, 1);
	until(&r, &lasting.n_begun, 1);
	hears(&r, LETTER_TURN, 0, ENDLESS, 0);
	until(&r, &lasting.n_stopped, 1);
	until(&r, &endless.n_begun, 2);
	end(&r);
}

int main(void)
{
	struct cases c = {.setup = ctx_setup_1_thread, .teardown = ctx_teardown};

	ADD_CASE(&c, last_node);
	ADD_CASE(&c, goes_on);
	ADD_CASE(&c, follows);
	return run_cases(&c, "guests", NULL, NULL);
}
