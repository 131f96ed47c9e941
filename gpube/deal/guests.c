/* guests.c - see guests.h. */
#include "gpube/deal/guests.h"

#include "gpube/bound/andor/andor.h"
#include "gpube/bound/pairwise/relation_cases.h"
#include "gpube/bound/sharing/sharing.h"

/*
 * Of so many ranks, a guest says what it has no more often, of more ranks less often, so that rank
 * 0 reads as much.
 */
enum { STATE_RANKS = 64 };
#define STATE_SECONDS 0.1

const struct gpube__shared *const gpube__shared_methods[GPUBE__N_SHARED] = {
	&gpube__shared_tree, &gpube__shared_andor, &gpube__shared_cases};

int gpube__guests_send(struct dcop_world *world, int to, int32_t kind, int32_t task, int64_t a,
	const struct gpube__bytes *bytes)
{
	const struct gpube_letter letter = {.kind = kind, .task = task, .a = a};

	return gpube__letter_send_bytes(
		world, to, letter, bytes ? bytes : &(struct gpube__bytes){.ctx = world->ctx});
}

static int64_t less(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

/* ---- the hand -------------------------------------------------------------------------------- */

static int search(struct gpube_ctx *ctx, void *arg)
{
	const struct gpube__guests *d = arg;

	(void)ctx;
	return d->of[d->at].by->search(d->of[d->at].of);
}

/* The hand's work has ended, or is ended now. */
static int halt(struct gpube__guests *d)
{
	int status = GPUBE_OK;

	if (d->hand->busy) {
		gpube_ctx_stop(&d->hand->ctx);
		status = gpube__hand_end(d->hand);
	}
	gpube_ctx_resume(&d->hand->ctx);
	return status == GPUBE_ESTOP ? GPUBE_OK : status;
}

static void drop_guest(struct gpube__guest *g)
{
	if (g->of)
		g->by->guest_free(g->of);
	*g = (struct gpube__guest){.by = g->by};
}

/* Without its nodes, which rank 0 still has, the others go on. */
static int be_lost(struct gpube__guests *d, struct gpube__guest *g)
{
	const int32_t task = g->task;

	drop_guest(g);
	return gpube__guests_send(d->world, 0, LETTER_LOST, task, 0, NULL);
}

static int end_search(struct gpube__guests *d)
{
	const int status = halt(d);

	if (status == GPUBE_ENOMEM)
		return be_lost(d, &d->of[d->at]);
	return status ? gpube__fail(d->world->ctx, status, "%s", d->hand->ctx.error) : GPUBE_OK;
}

static int take_root(
	struct gpube__guests *d, struct gpube__guest *g, int32_t task, struct gpube__bytes *root)
{
	/* a guest works on the context of its root: the hand's, which can be stopped and counts */
	struct gpube__bytes best = {.ctx = d->world->ctx}, run = {.ctx = d->given->ctx};
	int status = end_search(d);

	if (status)
		return status;
	drop_guest(g);
	g->task = task;
	status = gpube__unpack(&run, root);
	if (!status)
		status = g->by->guest_new(&g->of, d->given, d->opts, &run, d->world->rank);
	gpube__bytes_clear(&run);
	if (!status) {
		g->n_before = g->by->state(g->of).n_nodes;
		if (g->by->best)
			(void)g->by->best(&best, g->of, &g->seen); /* which rank 0 knows, too */
		gpube__bytes_clear(&best);
		g->told_empty = true;
		return GPUBE_OK;
	}
	if (status == GPUBE_ENOMEM || status == GPUBE_ELIMIT || status == GPUBE_ESTOP)
		return be_lost(d, g);
	return gpube__fail(d->world->ctx, status, "%s", d->hand->ctx.error);
}

/* Nodes back to rank 0, or what it is told. */
static int give_back(struct gpube__guests *d, struct gpube__guest *g, int64_t most)
{
	struct gpube__bytes nodes = {.ctx = d->world->ctx};
	int status = GPUBE_OK;

	if (g->by->give(g->of, &nodes, most, -1, 0))
		status = gpube__guests_send(d->world, 0, LETTER_NODES, g->task, 0, &nodes);
	status = nodes.status ? nodes.status : status;
	gpube__bytes_clear(&nodes);
	g->asked = false;
	return status;
}

static int tell_state(struct gpube__guests *d, struct gpube__guest *g,
	const struct gpube__shared_state *now, bool empty)
{
	struct gpube__bytes least = {.ctx = d->world->ctx};
	const struct gpube_letter letter = {
		.kind = LETTER_STATE, .task = g->task, .a = g->last, .b = empty};
	int status;

	if (empty && g->by->lends && g->by->check(g->of))
		return gpube__fail(d->world->ctx, GPUBE_EBUG, "%s", d->hand->ctx.error);
	gpube__put(&least, now->n_nodes - g->n_before);
	gpube__put(&least, (int64_t)(1e9 * g->worked));
	g->worked = 0;
	if (g->by->lends)
		g->by->least(&least, g->of);
	status = gpube__letter_send_bytes(d->world, 0, letter, &least);
	gpube__bytes_clear(&least);
	g->told_empty = empty;
	g->told_at = gpube__now();
	return status;
}

static bool is_at_work(const struct gpube__guests *d, const struct gpube__guest *g)
{
	return d->hand->busy && &d->of[d->at] == g;
}

/*
 * Whether the hand has something to do for it. What the hand holds counts, too: a guest whose last
 * node is held has no open one, and would be left for another method with that node undone.
 */
static bool has_work(const struct gpube__guests *d, const struct gpube__guest *g)
{
	struct gpube__shared_state now;

	if (!g->of || g->leaving || gpube__stopped(d->world->ctx))
		return false;
	now = g->by->state(g->of);
	return (now.n_open || (now.n_held && is_at_work(d, g))) && !now.done;
}

/* Gives nodes, tells, or says that there are none. */
static int report_guest(struct gpube__guests *d, struct gpube__guest *g)
{
	const bool busy = is_at_work(d, g);
	struct gpube__shared_state now = g->by->state(g->of);
	struct gpube__bytes best = {.ctx = d->world->ctx};
	int status = GPUBE_OK;

	if (g->by->best && g->by->best(&best, g->of, &g->seen))
		status = gpube__guests_send(d->world, 0, LETTER_BEST, g->task, 0, &best);
	gpube__bytes_clear(&best);
	if (!status && (!g->by->lends || (g->leaving && !busy)))
		status = give_back(d, g, INT64_MAX);
	else if (!status && g->asked && (now.n_open > 1 || (now.n_open && now.n_held)))
		status = give_back(
			d, g, less(GPUBE__MOST_NODES, (now.n_open + (now.n_held > 0)) / 2));
	if (g->by->want)
		g->by->want(g->of, g->asked);
	if (status)
		return status;
	now = g->by->state(g->of);
	if (!busy && (!now.n_open || now.done))
		return g->told_empty ? GPUBE_OK : tell_state(d, g, &now, true);
	if (gpube__now() - g->told_at < STATE_SECONDS * (1 + d->world->n_ranks / STATE_RANKS))
		return GPUBE_OK;
	return tell_state(d, g, &now, false);
}

/* The kind of what rank 0 works on, or of what the hand is at, or of anything else there is. */
static int next_kind(const struct gpube__guests *d)
{
	if (d->turn < GPUBE__N_SHARED && has_work(d, &d->of[d->turn]))
		return d->turn;
	if (d->hand->busy && has_work(d, &d->of[d->at]))
		return d->at;
	for (int k = 0; k < GPUBE__N_SHARED; k++)
		if (has_work(d, &d->of[k]))
			return k;
	return GPUBE__N_SHARED;
}

static int choose(struct gpube__guests *d)
{
	const int at = next_kind(d);

	if (at == GPUBE__N_SHARED || (d->hand->busy && d->at == at))
		return GPUBE_OK;
	if (d->hand->busy) {
		gpube_ctx_stop(&d->hand->ctx); /* and it is begun once that has ended */
		return GPUBE_OK;
	}
	d->at = at;
	return gpube__hand_begin(d->hand, search, d);
}

/* What rank 0 says of what this rank has a guest of. */
static int read_leader(struct gpube__guests *d, struct gpube__guest *g,
	const struct gpube_letter *l, struct gpube__bytes *bytes)
{
	switch (l->kind) {
	case LETTER_NODES:
		g->last = l->a;
		g->told_empty = false;
		return g->by->take(g->of, bytes);
	case LETTER_BEST:
		return g->by->lends ? g->by->learn(g->of, bytes, &g->seen)
				    : gpube__letter_fail(d->world, 0);
	case LETTER_WANT:
		g->asked = true;
		return GPUBE_OK;
	case LETTER_RETURN:
		g->leaving = true;
		if (is_at_work(d, g))
			gpube_ctx_stop(&d->hand->ctx);
		return GPUBE_OK;
	default:
		return gpube__letter_fail(d->world, 0);
	}
}

int gpube__guests_read(
	struct gpube__guests *d, int from, const struct gpube_letter *l, struct gpube__bytes *bytes)
{
	struct gpube__guest *g = l->task >= 0 ? &d->of[l->task % GPUBE__N_SHARED] : NULL;
	int status;

	if (from || !g)
		return gpube__letter_fail(d->world, from);
	if (l->kind == LETTER_TURN) {
		d->turn = l->a >= 0 && l->a < GPUBE__N_SHARED ? (int32_t)l->a : GPUBE__N_SHARED;
		return GPUBE_OK;
	}
	if (l->kind == LETTER_ROOT)
		return take_root(d, g, l->task, bytes);
	if (l->kind == LETTER_DROP) {
		status = end_search(d);
		drop_guest(g);
		return status;
	}
	return g->of && l->task == g->task ? read_leader(d, g, l, bytes) : GPUBE_OK;
}

int gpube__guests_report(struct gpube__guests *d)
{
	const double worked = gpube__worked(&d->hand->ctx);
	int status = gpube__hand_is_done(d->hand) ? end_search(d) : GPUBE_OK;

	d->of[d->at].worked += worked - d->worked;
	d->worked = worked;
	for (int k = 0; k < GPUBE__N_SHARED && !status; k++)
		if (d->of[k].of)
			status = report_guest(d, &d->of[k]);
	return status ? status : choose(d);
}

void gpube__guests_open(struct gpube__guests *d, struct dcop_world *world, struct gpube_hand *hand,
	const struct gpube_model *given, const struct gpube_opts *opts)
{
	*d = (struct gpube__guests){.world = world,
		.hand = hand,
		.given = given,
		.opts = opts,
		.turn = GPUBE__N_SHARED};
	for (int k = 0; k < GPUBE__N_SHARED; k++)
		d->of[k].by = gpube__shared_methods[k];
}

void gpube__guests_close(struct gpube__guests *d)
{
	if (d->world->rank)
		(void)halt(d);
	for (int k = 0; k < GPUBE__N_SHARED; k++)
		drop_guest(&d->of[k]);
}
