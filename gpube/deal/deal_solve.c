/*
 * deal_solve.c - gpube__deal_solve(): see deal.h. The thread that called speaks to the other ranks;
 * the hand solves, on rank 0 by all methods, elsewhere as a guest of those that are shared.
 */
#define _POSIX_C_SOURCE 200809L
#include "gpube/deal/deal.h"
#include "gpube/options/options.h"

#include <string.h>
#include <time.h>

#include "gpube/bound/bound.h"
#include "gpube/deal/guests.h"
#include "gpube/deal/solo.h"
#include "gpube/ir/model.h"

/* Seconds of work of a method before it is shared. */
#define SHARE_AFTER 0.25
/* Others are waited for so long at the end. */
#define GATHER_SECONDS 0.4
/* The part of rank 0's nodes that a rank gets is one in so many for each rank. */
enum { SHARES_EACH = 2 };
enum { KINDS = GPUBE__N_SHARED };

/* What rank 0 knows of a rank, of a kind; of itself the nodes alone. */
struct member {
	int64_t given;             /* number of the last nodes that it was lent, 0: none */
	int64_t n_nodes, n_before; /* visited, of what is shared and of what was before */
	bool busy, asked, lost;
};

/* What rank 0 shares of a kind; fresh: the others are to know of it. */
struct offer {
	const struct gpube__shared *by;
	void *of; /* NULL: nothing */
	struct gpube__bytes root;
	bool fresh, returning;
	int32_t task;
	int64_t seen; /* of its best assignments */
};

struct dealing {
	struct gpube_ctx *ctx;
	struct dcop_world *world;
	const struct gpube_model *given;
	struct gpube_model mine; /* on the hand's context */
	struct gpube_opts opts;
	struct gpube_hand hand;
	struct gpube_letters letters;
	struct gpube__guests guests; /* of others */
	struct gpube__solo solo;
	struct gpube__findings findings;
	/* of rank 0 */
	struct gpube_watch watch;
	struct gpube_solution *found;
	int status; /* of the hand's work */
	bool ended;
	struct member *members; /* KINDS of each rank */
	int64_t number, n_lent, n_back;
	pthread_mutex_t lock; /* of rank 0's threads, for what follows */
	pthread_cond_t woken;
	struct offer offers[KINDS];
	bool gathering, waiting, broken; /* gathering, waiting: the hand sleeps */
	bool begun;                      /* others may begin by themselves, and know it */
	int n_alone;  /* ranks that are not over with that; of another rank: itself, or none */
	int32_t turn; /* the kind that the hand works on, or KINDS */
	bool turned;  /* the others are to know of it */
};

static int64_t less(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t more(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static struct member *member_of(const struct dealing *d, int rank, const struct offer *o)
{
	return &d->members[rank * KINDS + (int)o->by->kind];
}

/* ---- rank 0's hand --------------------------------------------------------------------------- */

static void on_improved(void *arg, int64_t bound, int64_t cost, const int32_t *values)
{
	struct dealing *d = arg;

	gpube__findings_improved(&d->findings, bound, cost, values);
	for (int k = 0; k < KINDS && values; k++)
		if (d->offers[k].of &&
			gpube__shared_methods[k]->incumbent) /* which this thread sets */
			gpube__shared_methods[k]->incumbent(d->offers[k].of);
}

static bool on_learn(void *arg, bool all, struct gpube__learned *to)
{
	struct dealing *d = arg;

	return gpube__findings_learn(&d->findings, all, to);
}

static void on_turn(void *arg, enum gpube__shared_kind kind)
{
	struct dealing *d = arg;

	pthread_mutex_lock(&d->lock);
	d->turn = (int32_t)kind;
	d->turned = true;
	pthread_mutex_unlock(&d->lock);
}

static void on_share(void *arg, enum gpube__shared_kind kind, void *of)
{
	struct dealing *d = arg;
	struct offer *o = &d->offers[kind];
	struct gpube__bytes root = {.ctx = o->root.ctx};

	pthread_mutex_lock(&d->lock);
	gpube__bytes_clear(&o->root);
	o->of = of;
	o->fresh = true;
	if (of) {
		o->by->root(&root, of);
		(void)gpube__pack(&o->root, &root);
		gpube__bytes_clear(&root);
	}
	if (o->root.status) /* no memory: it is not shared */
		o->of = NULL;
	pthread_mutex_unlock(&d->lock);
}

static void on_gather(void *arg)
{
	struct dealing *d = arg;
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += (long)(GATHER_SECONDS * 1e9);
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_mutex_lock(&d->lock);
	d->gathering = !d->broken;
	while (d->gathering && !pthread_cond_timedwait(&d->woken, &d->lock, &until))
		;
	d->gathering = false;
	pthread_mutex_unlock(&d->lock);
}

static bool on_wait(void *arg)
{
	struct dealing *d = arg;
	bool any;

	pthread_mutex_lock(&d->lock);
	any = d->n_alone > 0 && !d->broken;
	d->waiting = any;
	while (d->waiting)
		pthread_cond_wait(&d->woken, &d->lock);
	pthread_mutex_unlock(&d->lock);
	return any;
}

static int solve(struct gpube_ctx *ctx, void *arg)
{
	struct dealing *d = arg;
	struct gpube_opts opts = d->opts;

	(void)ctx;
	if (dcop__test_solo()) { /* others prove it */
		opts.method = GPUBE_BOUND_ARC;
		opts.no_simplify = 1;
	}
	return gpube__solve_noted(&d->found, NULL, &d->mine, &opts, &d->watch);
}

/* ---- rank 0 ---------------------------------------------------------------------------------- */

/* Needs the lock. The work of a method begins, or is over. */
static int tell_offer(struct dealing *d, struct offer *o)
{
	int status = GPUBE_OK;

	o->fresh = o->returning = false;
	o->task += KINDS;
	o->seen = -1;
	for (int r = 0; r < d->world->n_ranks && !status; r++) {
		struct member *m = member_of(d, r, o);

		m->n_before += m->n_nodes;
		m->n_nodes = 0;
		if (r == 0)
			continue;
		m->asked = false;
		m->busy = o->of && !o->by->lends && !m->lost;
		m->given = 0;
		status =
			o->of && !m->lost
				? gpube__guests_send(d->world, r, LETTER_ROOT, o->task, 0, &o->root)
				: gpube__guests_send(d->world, r, LETTER_DROP, o->task, 0, NULL);
	}
	gpube__bytes_clear(&o->root);
	return status;
}

/* Needs the lock. */
static int lend(struct dealing *d, struct offer *o, int rank, int64_t most)
{
	struct gpube__bytes nodes = {.ctx = d->ctx};
	struct member *m = member_of(d, rank, o);
	const int64_t n = o->by->give(o->of, &nodes, most, rank, d->number + 1);
	int status = nodes.status;

	if (n && !status) {
		m->given = ++d->number;
		m->busy = true;
		m->asked = false;
		d->n_lent += n;
		status = gpube__guests_send(
			d->world, rank, LETTER_NODES, o->task, d->number, &nodes);
	}
	gpube__bytes_clear(&nodes);
	return status;
}

/* Needs the lock. A word to those who have nodes. */
static int tell_busy(struct dealing *d, const struct offer *o, int32_t kind)
{
	int status = GPUBE_OK;

	for (int r = 1; r < d->world->n_ranks && !status; r++) {
		struct member *m = member_of(d, r, o);

		if (!m->busy || m->lost || (kind == LETTER_WANT && m->asked))
			continue;
		m->asked = true;
		status = gpube__guests_send(d->world, r, kind, o->task, 0, NULL);
	}
	return status;
}

/* Needs the lock. To all but one of those who have a guest. */
static int tell_all(struct dealing *d, const struct offer *o, int32_t kind,
	const struct gpube__bytes *bytes, int but)
{
	int status = bytes->status;

	for (int r = 1; r < d->world->n_ranks && !status; r++)
		if (r != but && !member_of(d, r, o)->lost)
			status = gpube__guests_send(d->world, r, kind, o->task, 0, bytes);
	return status;
}

/* Needs the lock. Nodes to those who have none, and a word to the others if there are too few. */
static int serve_nodes(struct dealing *d, struct offer *o)
{
	struct gpube__shared_state state = o->by->state(o->of);
	struct gpube__bytes best = {.ctx = d->ctx};
	int n_idle = 0, status = GPUBE_OK;

	if (o->by->best(&best, o->of, &o->seen))
		status = tell_all(d, o, LETTER_BEST, &best, 0);
	gpube__bytes_clear(&best);
	if (state.done)
		gpube_ctx_stop(&d->hand.ctx); /* whatever it is at */
	for (int r = 1; r < d->world->n_ranks && !status && !state.done; r++) {
		const struct member *m = member_of(d, r, o);

		if (m->busy || m->lost)
			continue;
		if (state.n_open > 0) {
			status = lend(d, o, r,
				less(GPUBE__MOST_NODES,
					more(1, state.n_open / SHARES_EACH / d->world->n_ranks)));
			state = o->by->state(o->of);
		}
		n_idle += !m->busy;
	}
	o->by->want(o->of, n_idle > 0);
	if (!status && (n_idle > 0 || state.n_waiting > 0))
		status = tell_busy(d, o, LETTER_WANT);
	return status;
}

/* Needs the lock. */
static int serve(struct dealing *d, struct offer *o)
{
	struct gpube__bytes news = {.ctx = d->ctx};
	int status = GPUBE_OK;

	member_of(d, 0, o)->n_nodes = o->by->state(o->of).n_nodes;
	if (o->by->lends)
		return o->returning ? GPUBE_OK : serve_nodes(d, o);
	if (o->by->give(o->of, &news, 0, 0, 0) || news.status)
		status = tell_all(d, o, LETTER_NODES, &news, 0);
	gpube__bytes_clear(&news);
	return status;
}

/* Needs the lock. All nodes that others have are wanted back. */
static int gather(struct dealing *d)
{
	int64_t n_loans = 0;
	int status = GPUBE_OK;

	for (int k = 0; k < KINDS && !status; k++) {
		struct offer *o = &d->offers[k];

		if (!o->of || o->fresh || !o->by->lends)
			continue;
		if (!o->returning)
			status = tell_busy(d, o, LETTER_RETURN);
		o->returning = true;
		n_loans += o->by->state(o->of).n_loans;
	}
	if (!n_loans) {
		d->gathering = false;
		pthread_cond_broadcast(&d->woken);
	}
	return status;
}

/*
 * Needs the lock. What others have worked counts as rank 0's own, while it works on the same: a
 * turn has as many ticks for any number of ranks, as it has for threads, and the next turns, which
 * nobody shares, are not put off for as long as one rank would have taken.
 */
static void count_work(struct dealing *d, const struct offer *o, int64_t ticks)
{
	if (d->turn == (int32_t)o->by->kind)
		gpube__work_told(&d->hand.ctx, ticks);
}

/* Needs the lock, and what it is about. What another rank says. */
static int read_member(struct dealing *d, struct offer *o, int from, const struct gpube_letter *l,
	struct gpube__bytes *bytes)
{
	struct member *m = member_of(d, from, o);
	int status;

	switch (l->kind) {
	case LETTER_NODES:
		m->asked = false;
		d->n_back += o->by->lends;
		status = o->by->take(o->of, bytes);
		return status || o->by->lends ? status : tell_all(d, o, LETTER_NODES, bytes, from);
	case LETTER_STATE:
		m->n_nodes = gpube__get(bytes, 0, INT64_MAX);
		count_work(d, o, gpube__get(bytes, 0, INT64_MAX));
		if (l->b && l->a == m->given && o->by->lends)
			m->busy = m->asked = false;
		return o->by->lends ? o->by->repaid(o->of, bytes, from, l->a) : bytes->status;
	case LETTER_LOST:
		m->lost = true;
		m->busy = false;
		return o->by->lends ? o->by->recall(o->of, d->ctx, from) : GPUBE_OK;
	case LETTER_BEST:
		if (o->by->lends)
			return o->by->learn(o->of, bytes, &(int64_t){0});
		/* fall through */
	default:
		return gpube__letter_fail(d->world, from);
	}
}

/* Needs the lock. Others begin by themselves, or rank 0 has waited for them. */
static int serve_alone(struct dealing *d)
{
	int status = GPUBE_OK;

	if (d->waiting && (!d->n_alone || gpube__findings_any(&d->findings) ||
				  gpube__stopped(&d->hand.ctx))) {
		d->waiting = false;
		pthread_cond_broadcast(&d->woken);
	}
	if (d->begun || !d->n_alone ||
		(!d->waiting && gpube__worked(&d->hand.ctx) < d->watch.share_after))
		return GPUBE_OK;
	d->begun = true;
	for (int r = 1; r < d->world->n_ranks && !status; r++)
		status = gpube__guests_send(d->world, r, LETTER_ALONE, 0, 0, NULL);
	return status;
}

/* Needs the lock. */
static int serve_all(struct dealing *d)
{
	int status = serve_alone(d);

	for (int k = 0; k < KINDS && !status; k++)
		if (d->offers[k].fresh)
			status = tell_offer(d, &d->offers[k]);
	for (int r = 1; r < d->world->n_ranks && !status && d->turned; r++)
		status = gpube__guests_send(d->world, r, LETTER_TURN, 0, d->turn, NULL);
	d->turned = false;
	if (d->gathering && !status)
		return gather(d);
	for (int k = 0; k < KINDS && !status; k++)
		if (d->offers[k].of)
			status = serve(d, &d->offers[k]);
	return status;
}

static int report_leader(struct dealing *d)
{
	int status;

	pthread_mutex_lock(&d->lock);
	status = serve_all(d);
	pthread_mutex_unlock(&d->lock);
	if (!status && d->opts.method == GPUBE_BOUND_AUTO)
		status = gpube__findings_send(&d->findings, d->world, LETTER_FOUND, true);
	if (gpube__findings_prove(&d->findings))
		gpube_ctx_stop(&d->hand.ctx); /* whatever it is at */
	if (!gpube__hand_is_done(&d->hand))
		return status;
	d->status = gpube__hand_end(&d->hand);
	d->ended = true;
	return status;
}

/* ---- all ------------------------------------------------------------------------------------- */

/* Rank 0's run has been at work for a moment, or another rank is over with its method. */
static int read_alone(struct dealing *d, int from)
{
	int n_alone;

	d->solo.begun = true;
	pthread_mutex_lock(&d->lock);
	n_alone = d->world->rank ? 0 : --d->n_alone;
	pthread_mutex_unlock(&d->lock);
	return n_alone < 0 ? gpube__letter_fail(d->world, from) : GPUBE_OK;
}

static int read_letter(void *arg, int from, const struct gpube_letter *l, const int32_t *words)
{
	struct dealing *d = arg;
	struct gpube__bytes bytes = gpube__letter_bytes(d->ctx, l, words);
	int status = GPUBE_OK;

	if (l->kind == LETTER_FOUND) {
		status = gpube__findings_read(&d->findings, l, &bytes);
	} else if (l->kind == LETTER_ALONE) {
		status = read_alone(d, from);
	} else if (d->world->rank == 0) {
		struct offer *o = &d->offers[l->task >= 0 ? l->task % KINDS : 0];

		pthread_mutex_lock(&d->lock);
		if (o->of && !o->fresh && l->task == o->task)
			status = read_member(d, o, from, l, &bytes);
		pthread_mutex_unlock(&d->lock);
	} else {
		status = gpube__guests_read(&d->guests, from, l, &bytes);
	}
	return status == GPUBE_EPARSE ? gpube__letter_fail(d->world, from) : status;
}

static int report(void *arg)
{
	struct dealing *d = arg;
	bool ends;
	int status;

	if (d->world->rank == 0)
		return d->ended ? GPUBE_OK : report_leader(d);
	status = gpube__guests_report(&d->guests);
	if (!status)
		status = gpube__solo_poll(&d->solo, d->hand.busy);
	if (status || d->letters.over)
		return status;
	ends = d->solo.over && d->n_alone; /* and all that it has found is told before */
	status = gpube__findings_send(&d->findings, d->world, LETTER_FOUND, ends);
	if (status || !ends)
		return status;
	d->n_alone = 0;
	return gpube__guests_send(d->world, 0, LETTER_ALONE, 0, 0, NULL);
}

static bool is_busy(const void *arg)
{
	const struct dealing *d = arg;

	return d->hand.busy || d->solo.hand.busy;
}

static void stop(void *arg)
{
	struct dealing *d = arg;

	if (!d->world->rank)
		return;
	gpube__guests_close(&d->guests);
	gpube__solo_close(&d->solo);
}

/* Rank 0. A rank that is dead ends the run; what is known is kept, if that was asked for. */
static int lead(struct dealing *d)
{
	int status = gpube__hand_begin(&d->hand, solve, d);
	char size[GPUBE_BYTES_TEXT];

	while (!status && !d->ended)
		status = gpube__letters_poll(&d->letters);
	if (!status)
		status = gpube__letters_end(&d->letters);
	pthread_mutex_lock(&d->lock);
	d->broken = true;
	d->gathering = d->waiting = false;
	pthread_cond_broadcast(&d->woken);
	pthread_mutex_unlock(&d->lock);
	if (d->hand.busy) {
		gpube_ctx_stop(&d->hand.ctx);
		(void)gpube__hand_end(&d->hand);
	}
	gpube__log(d->ctx, GPUBE_LOG_DETAIL,
		"%lld node%s lent to %d ranks, %lld letter%s of them brought some back",
		(long long)d->n_lent, gpube__plural((double)d->n_lent), d->world->n_ranks - 1,
		(long long)d->n_back, gpube__plural((double)d->n_back));
	gpube__log(d->ctx, GPUBE_LOG_DETAIL, "rank 0 sent %lld letter%s, %s",
		(long long)d->world->traffic.n_parcels,
		gpube__plural((double)d->world->traffic.n_parcels),
		gpube__bytes_text(size, (double)d->world->traffic.sent_bytes));
	for (int k = 0; k < KINDS; k++)
		for (int r = 0; r < d->world->n_ranks && d->offers[k].task >= KINDS; r++) {
			const struct member *m = member_of(d, r, &d->offers[k]);

			gpube__log(d->ctx, GPUBE_LOG_DETAIL, "rank %d: %lld nodes of the shared %s",
				r, (long long)(m->n_before + m->n_nodes),
				gpube__shared_methods[k]->name);
		}
	return status;
}

static int open_solo(struct dealing *d)
{
	int status = gpube__findings_open(&d->findings, d->given, &d->opts);

	if (!status)
		status = gpube__solo_open(
			&d->solo, d->given, &d->opts, &d->findings, d->world->rank);
	d->hand.ctx.memory_bytes -= d->solo.hand.ctx.memory_bytes;
	return status;
}

static int dealing_open(struct dealing *d)
{
	gpube__hand_open(&d->hand, d->ctx);
	if (d->world->rank == 0) {
		d->hand.ctx.log = d->ctx->log;
		d->hand.ctx.log_arg = d->ctx->log_arg;
	}
	d->members =
		gpube__alloc_zero(d->ctx, KINDS * (uint64_t)d->world->n_ranks, sizeof(*d->members));
	for (int k = 0; k < KINDS; k++)
		d->offers[k] = (struct offer){
			.by = gpube__shared_methods[k], .root.ctx = d->ctx, .task = k};
	gpube__guests_open(&d->guests, d->world, &d->hand, &d->mine, &d->opts);
	d->letters = (struct gpube_letters){.world = d->world,
		.arg = d,
		.read = read_letter,
		.report = report,
		.is_busy = is_busy,
		.stop = stop};
	d->watch = (struct gpube_watch){.arg = d,
		.improved = on_improved,
		.learn = on_learn,
		.share = on_share,
		.turn = on_turn,
		.gather = on_gather,
		.wait = on_wait,
		.share_after = dcop__test_eager() ? 0 : SHARE_AFTER};
	if (d->opts.method == GPUBE_BOUND_AUTO)
		d->n_alone = d->world->rank ? 1 : d->world->n_ranks - 1;
	if (d->world->rank) {
		d->opts.checkpoint = d->opts.resume = NULL;
		d->opts.progress = NULL;
	}
	if (open_solo(d) || gpube__letters_open(&d->letters) || !d->members)
		return GPUBE_ENOMEM;
	return gpube__model_borrow(&d->mine, &d->hand.ctx, d->given);
}

static void dealing_close(struct dealing *d)
{
	gpube__guests_close(&d->guests);
	gpube__solo_close(&d->solo);
	for (int k = 0; k < KINDS; k++)
		gpube__bytes_clear(&d->offers[k].root);
	if (d->mine.ctx)
		gpube__model_return(&d->mine, d->given);
	gpube__hand_close(&d->hand);
	gpube__findings_close(&d->findings);
	gpube__free(d->ctx, d->members);
	gpube__letters_close(&d->letters);
	pthread_cond_destroy(&d->woken);
	pthread_mutex_destroy(&d->lock);
}

int gpube__deal_solve(struct gpube_solution **out, const struct gpube_model *m,
	const struct gpube_opts *opts, struct dcop_world *world)
{
	struct gpube_ctx *ctx = m->ctx;
	struct dealing d = {.ctx = ctx, .world = world, .given = m, .opts = *opts, .turn = -1};
	int status = GPUBE_OK;

	*out = NULL;
	if (opts->count)
		status = gpube__fail(ctx, GPUBE_EINVAL, "several ranks count no optima");
	status = dcop_world_agree(world, status);
	if (status)
		return status;
	dcop__test_hook(world);
	pthread_mutex_init(&d.lock, NULL);
	pthread_cond_init(&d.woken, NULL);
	status = dealing_open(&d);
	if (!status)
		status = world->rank ? gpube__letters_follow(&d.letters) : lead(&d);
	if (!status && world->rank == 0) {
		status = d.status ? gpube__fail(ctx, d.status, "%s", d.hand.ctx.error) : GPUBE_OK;
		*out = d.found;
		if (*out) /* what ended it was no cutoff */
			(*out)->closed &= opts->has_cutoff;
		d.found = NULL;
	}
	gpube__result_hand_over(*out, ctx); /* the hand's context goes */
	gpube_result_free(d.found);
	dealing_close(&d);
	return status;
}
