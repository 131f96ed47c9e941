/*
 * deal_solve.c - gpube__deal_solve(): see deal.h. The thread that called speaks to the other ranks;
 * the hand solves, on rank 0 by all methods, elsewhere in the search tree alone.
 */
#define _POSIX_C_SOURCE 200809L
#include "gpube/deal/deal.h"
#include "gpube/options/options.h"

#include <string.h>
#include <time.h>

#include "gpube/bound/bound.h"
#include "gpube/bound/sharing/sharing.h"
#include "gpube/deal/hand.h"
#include "gpube/deal/letters.h"
#include "gpube/ir/model.h"

/*
 * task: which tree it is about; those that are over are of no interest any more.
 * From rank 0: ROOT, the run without open nodes; DROP: it is over; NODES (a: their number), lent;
 * WANT: some are to be given back; RETURN: all are. To it: NODES, given back; STATE (a: number of
 * the last nodes that came, b: it has no more; nodes visited, least bounds by block); LOST: it
 * gives up its nodes. From both: BEST, an assignment.
 */
enum {
	LETTER_ROOT,
	LETTER_DROP,
	LETTER_NODES,
	LETTER_WANT,
	LETTER_RETURN,
	LETTER_STATE,
	LETTER_LOST,
	LETTER_BEST
};

/* Seconds of work in a tree before it is shared. */
#define SHARE_AFTER 0.25
/*
 * Of so many ranks, a guest says what it has no more often, of more ranks less often, so that rank
 * 0 reads as much; and it is waited for so long at the end.
 */
enum { STATE_RANKS = 64 };
#define STATE_SECONDS  0.1
#define GATHER_SECONDS 0.4
/* Nodes of one letter; the part of rank 0's that a rank gets is one in so many for each rank. */
enum { MOST_NODES = 64, SHARES_EACH = 2 };

/* What rank 0 knows of another one. */
struct member {
	int64_t given; /* number of the last nodes that it was lent, 0: none */
	int64_t n_nodes;
	bool busy, asked, lost;
};

struct dealing {
	struct gpube_ctx *ctx;
	struct dcop_world *world;
	const struct gpube_model *given;
	struct gpube_model mine; /* on the hand's context */
	struct gpube_opts opts;
	struct gpube_hand hand;
	struct gpube_letters letters;
	int64_t seen; /* of the tree's best assignments */
	int32_t tree_number;
	/* of rank 0 */
	struct gpube_watch watch;
	struct gpube_solution *found;
	int status; /* of the hand's work */
	bool ended;
	struct member *members;
	int64_t number, n_lent, n_back, n_nodes;
	pthread_mutex_t lock; /* of rank 0's threads, for what follows */
	pthread_cond_t gathered;
	struct gpube_dfs_tree *tree;
	struct gpube__bytes root;
	bool fresh, gathering, returning, broken; /* fresh: the others are to know of 'tree' */
	/* of others */
	struct gpube_bounder *guest;
	int64_t last;     /* number of the nodes that came last */
	int64_t n_before; /* nodes that were visited before the tree was shared */
	bool asked, leaving, told_empty;
	double told_at;
};

static int64_t less(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

static int64_t more(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/* ---- rank 0's hand --------------------------------------------------------------------------- */

static void on_improved(void *arg, int64_t bound, int64_t cost, const int32_t *values)
{
	struct dealing *d = arg;

	(void)bound;
	(void)cost;
	if (values && d->tree) /* which this thread sets */
		gpube__dfs_tree_take_incumbent(d->tree);
}

static bool no_cutoff(void *arg, int64_t *cutoff)
{
	(void)arg;
	(void)cutoff;
	return false;
}

static void on_share(void *arg, struct gpube_dfs_tree *tree)
{
	struct dealing *d = arg;

	pthread_mutex_lock(&d->lock);
	gpube__bytes_clear(&d->root);
	d->tree = tree;
	d->fresh = true;
	if (tree)
		gpube__sharing_root(&d->root, tree->b);
	if (d->root.status) /* no memory: it is not shared */
		d->tree = NULL;
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
	d->gathering = !d->broken && d->tree;
	while (d->gathering && !pthread_cond_timedwait(&d->gathered, &d->lock, &until))
		;
	d->gathering = false;
	pthread_mutex_unlock(&d->lock);
}

static int solve(struct gpube_ctx *ctx, void *arg)
{
	struct dealing *d = arg;

	(void)ctx;
	return gpube__solve_noted(&d->found, NULL, &d->mine, &d->opts, &d->watch);
}

/* ---- rank 0 ---------------------------------------------------------------------------------- */

static struct gpube_letter letter_of(const struct dealing *d, int32_t kind)
{
	return (struct gpube_letter){.kind = kind, .task = d->tree_number};
}

/* Needs the lock. A tree begins, or is over. */
static int tell_tree(struct dealing *d)
{
	int status = GPUBE_OK;

	d->fresh = false;
	d->tree_number++;
	d->seen = -1;
	for (int r = 1; r < d->world->n_ranks && !status; r++) {
		d->members[r].busy = d->members[r].asked = false;
		d->members[r].given = 0;
		if (d->tree && !d->members[r].lost)
			status = gpube__letter_send_bytes(
				d->world, r, letter_of(d, LETTER_ROOT), &d->root);
		else
			status = gpube__letter_send_bytes(d->world, r, letter_of(d, LETTER_DROP),
				&(struct gpube__bytes){.ctx = d->ctx});
	}
	gpube__bytes_clear(&d->root);
	return status;
}

/* Needs the lock. */
static int lend(struct dealing *d, int rank, int64_t most)
{
	struct gpube__bytes nodes = {.ctx = d->ctx};
	struct gpube_letter letter = letter_of(d, LETTER_NODES);
	const int64_t n = gpube__sharing_give(d->tree, &nodes, most, rank, d->number + 1);
	int status = nodes.status;

	if (n && !status) {
		letter.a = d->members[rank].given = ++d->number;
		d->members[rank].busy = true;
		d->members[rank].asked = false;
		d->n_lent += n;
		status = gpube__letter_send_bytes(d->world, rank, letter, &nodes);
	}
	gpube__bytes_clear(&nodes);
	return status;
}

static int send_best(struct dealing *d, struct gpube_dfs_tree *tree, int to, int from)
{
	struct gpube__bytes best = {.ctx = d->ctx};
	int status = GPUBE_OK;

	if (gpube__sharing_best(&best, tree, &d->seen))
		for (int r = to; r <= (to ? d->world->n_ranks - 1 : 0) && !status; r++)
			if (r != from)
				status = gpube__letter_send_bytes(
					d->world, r, letter_of(d, LETTER_BEST), &best);
	gpube__bytes_clear(&best);
	return status;
}

/* Needs the lock. A word to those who have nodes. */
static int tell_busy(struct dealing *d, int32_t kind)
{
	int status = GPUBE_OK;

	for (int r = 1; r < d->world->n_ranks && !status; r++) {
		struct member *m = &d->members[r];

		if (!m->busy || m->lost || (kind == LETTER_WANT && m->asked))
			continue;
		m->asked = true;
		status = gpube__letter_send_bytes(
			d->world, r, letter_of(d, kind), &(struct gpube__bytes){.ctx = d->ctx});
	}
	return status;
}

/* Needs the lock. Nodes to those who have none, and a word to the others if there are too few. */
static int serve(struct dealing *d)
{
	struct gpube__sharing_state state = gpube__sharing_state(d->tree);
	int n_idle = 0, status = send_best(d, d->tree, 1, -1);

	d->n_nodes = state.n_nodes;
	if (state.done)
		gpube_ctx_stop(&d->hand.ctx); /* whatever it is at */
	for (int r = 1; r < d->world->n_ranks && !status && !state.done; r++) {
		struct member *m = &d->members[r];

		if (m->busy || m->lost)
			continue;
		if (state.n_open > 0) {
			status = lend(d, r,
				less(MOST_NODES,
					more(1, state.n_open / SHARES_EACH / d->world->n_ranks)));
			state = gpube__sharing_state(d->tree);
		}
		n_idle += !m->busy;
	}
	gpube__sharing_want(d->tree, n_idle > 0);
	if (!status && (n_idle > 0 || state.n_waiting > 0))
		status = tell_busy(d, LETTER_WANT);
	return status;
}

/* Needs the lock. All nodes that others have are wanted back. */
static int gather(struct dealing *d)
{
	int status = GPUBE_OK;

	if (!d->returning)
		status = tell_busy(d, LETTER_RETURN);
	d->returning = true;
	if (!gpube__sharing_state(d->tree).n_loans) {
		d->gathering = false;
		pthread_cond_broadcast(&d->gathered);
	}
	return status;
}

/* Needs the lock, and a tree. What another rank says. */
static int read_member(
	struct dealing *d, int from, const struct gpube_letter *l, struct gpube__bytes *bytes)
{
	struct member *m = &d->members[from];

	switch (l->kind) {
	case LETTER_NODES:
		m->asked = false;
		d->n_back++;
		return gpube__sharing_take(d->tree, bytes);
	case LETTER_BEST:
		return gpube__sharing_learn(d->tree, bytes, &(int64_t){0});
	case LETTER_STATE:
		m->n_nodes = gpube__get(bytes, 0, INT64_MAX);
		if (l->b && l->a == m->given)
			m->busy = m->asked = false;
		return gpube__sharing_repaid(d->tree, bytes, from, l->a);
	case LETTER_LOST:
		m->lost = true;
		m->busy = false;
		return gpube__sharing_recall(d->tree, d->ctx, from);
	default:
		return gpube__letter_fail(d->world, from);
	}
}

static int report_leader(struct dealing *d)
{
	int status = GPUBE_OK;

	pthread_mutex_lock(&d->lock);
	if (d->fresh)
		status = tell_tree(d);
	if (d->tree && !status)
		status = d->gathering ? gather(d) : d->returning ? GPUBE_OK : serve(d);
	pthread_mutex_unlock(&d->lock);
	if (!gpube__hand_is_done(&d->hand))
		return status;
	d->status = gpube__hand_end(&d->hand);
	d->ended = true;
	return status;
}

/* ---- the others ------------------------------------------------------------------------------ */

static int search(struct gpube_ctx *ctx, void *arg)
{
	const struct dealing *d = arg;

	(void)ctx;
	return gpube__guest_search(d->guest);
}

static void drop_guest(struct dealing *d)
{
	gpube_ctx_stop(&d->hand.ctx);
	if (d->hand.busy)
		(void)gpube__hand_end(&d->hand);
	gpube__guest_free(d->guest);
	d->guest = NULL;
	d->asked = d->leaving = false;
	d->last = 0;
}

/* Without its nodes, which rank 0 still has, the others go on. */
static int be_lost(struct dealing *d)
{
	drop_guest(d);
	return gpube__letter_send_bytes(
		d->world, 0, letter_of(d, LETTER_LOST), &(struct gpube__bytes){.ctx = d->ctx});
}

static int take_root(struct dealing *d, const struct gpube_letter *l, struct gpube__bytes *root)
{
	int status;

	drop_guest(d);
	gpube_ctx_resume(&d->hand.ctx);
	d->tree_number = l->task;
	status = gpube__guest_new(&d->guest, &d->mine, &d->opts, root);
	if (!status) {
		d->seen = d->guest->state.tree->best_number;
		d->n_before = d->guest->state.tree->n_nodes;
		d->told_empty = true; /* which rank 0 knows */
		return GPUBE_OK;
	}
	if (status == GPUBE_ENOMEM || status == GPUBE_ELIMIT || status == GPUBE_ESTOP)
		return be_lost(d);
	return gpube__fail(d->ctx, status, "%s", d->hand.ctx.error);
}

static int give_back(struct dealing *d, int64_t most)
{
	struct gpube__bytes nodes = {.ctx = d->ctx};
	int status = GPUBE_OK;

	if (gpube__sharing_give(d->guest->state.tree, &nodes, most, -1, 0))
		status = gpube__letter_send_bytes(d->world, 0, letter_of(d, LETTER_NODES), &nodes);
	status = nodes.status ? nodes.status : status;
	gpube__bytes_clear(&nodes);
	d->asked = false;
	return status;
}

static int tell_state(struct dealing *d, const struct gpube__sharing_state *now, bool empty)
{
	struct gpube__bytes least = {.ctx = d->ctx};
	struct gpube_letter letter = letter_of(d, LETTER_STATE);
	int status;

	if (empty && gpube__dfs_tree_check(d->guest->state.tree))
		return gpube__fail(d->ctx, GPUBE_EBUG, "%s", d->hand.ctx.error);
	letter.a = d->last;
	letter.b = empty;
	gpube__put(&least, now->n_nodes - d->n_before);
	gpube__sharing_least(&least, d->guest->state.tree);
	status = gpube__letter_send_bytes(d->world, 0, letter, &least);
	gpube__bytes_clear(&least);
	d->told_empty = empty;
	d->told_at = gpube__now();
	return status;
}

/* Goes on, gives nodes, or says that there are none. */
static int report_guest(struct dealing *d)
{
	struct gpube_dfs_tree *tree = d->guest->state.tree;
	struct gpube__sharing_state now = gpube__sharing_state(tree);
	int status = send_best(d, tree, 0, -1);

	if (!status && d->leaving && !d->hand.busy) {
		status = give_back(d, INT64_MAX);
		now = gpube__sharing_state(tree);
	} else if (!status && d->asked && (now.n_open > 1 || (now.n_open && now.n_held))) {
		status = give_back(d, less(MOST_NODES, (now.n_open + (now.n_held > 0)) / 2));
	}
	gpube__sharing_want(tree, d->asked);
	if (status)
		return status;
	if (!d->hand.busy && now.n_open && !now.done && !gpube__stopped(d->ctx))
		return gpube__hand_begin(&d->hand, search, d);
	if (!d->hand.busy && (!now.n_open || now.done))
		return d->told_empty ? GPUBE_OK : tell_state(d, &now, true);
	if (gpube__now() - d->told_at < STATE_SECONDS * (1 + d->world->n_ranks / STATE_RANKS))
		return GPUBE_OK;
	return tell_state(d, &now, false);
}

/* What rank 0 says of the tree that this rank has a copy of. */
static int read_leader(struct dealing *d, const struct gpube_letter *l, struct gpube__bytes *bytes)
{
	switch (l->kind) {
	case LETTER_NODES:
		d->last = l->a;
		d->told_empty = false;
		return gpube__sharing_take(d->guest->state.tree, bytes);
	case LETTER_BEST:
		return gpube__sharing_learn(d->guest->state.tree, bytes, &d->seen);
	case LETTER_WANT:
		d->asked = true;
		return GPUBE_OK;
	case LETTER_RETURN:
		d->leaving = true;
		gpube_ctx_stop(&d->hand.ctx);
		return GPUBE_OK;
	default:
		return gpube__letter_fail(d->world, 0);
	}
}

/* ---- all ------------------------------------------------------------------------------------- */

static int read_letter(void *arg, int from, const struct gpube_letter *l, const int32_t *words)
{
	struct dealing *d = arg;
	struct gpube__bytes bytes = gpube__letter_bytes(d->ctx, l, words);
	int status = GPUBE_OK;

	if (d->world->rank == 0) {
		pthread_mutex_lock(&d->lock);
		if (d->tree && !d->fresh && l->task == d->tree_number)
			status = read_member(d, from, l, &bytes);
		pthread_mutex_unlock(&d->lock);
	} else if (from) {
		status = gpube__letter_fail(d->world, from);
	} else if (l->kind == LETTER_ROOT) {
		status = take_root(d, l, &bytes);
	} else if (l->kind == LETTER_DROP) {
		drop_guest(d);
	} else if (d->guest && l->task == d->tree_number) {
		status = read_leader(d, l, &bytes);
	}
	return status == GPUBE_EPARSE ? gpube__letter_fail(d->world, from) : status;
}

static int report(void *arg)
{
	struct dealing *d = arg;
	int status;

	if (d->world->rank == 0)
		return d->ended ? GPUBE_OK : report_leader(d);
	if (gpube__hand_is_done(&d->hand)) {
		status = gpube__hand_end(&d->hand);
		if (status == GPUBE_ENOMEM)
			return be_lost(d);
		if (status && status != GPUBE_ESTOP)
			return gpube__fail(d->ctx, status, "%s", d->hand.ctx.error);
	}
	return d->guest ? report_guest(d) : GPUBE_OK;
}

static bool is_busy(const void *arg)
{
	const struct dealing *d = arg;

	return d->hand.busy;
}

static void stop(void *arg)
{
	struct dealing *d = arg;

	if (d->world->rank)
		drop_guest(d);
}

/* Rank 0. A rank that is dead ends the run; what is known is kept, if that was asked for. */
static int lead(struct dealing *d)
{
	int status = gpube__hand_begin(&d->hand, solve, d);

	while (!status && !d->ended)
		status = gpube__letters_poll(&d->letters);
	if (!status)
		status = gpube__letters_end(&d->letters);
	pthread_mutex_lock(&d->lock);
	d->broken = true;
	d->gathering = false;
	pthread_cond_broadcast(&d->gathered);
	pthread_mutex_unlock(&d->lock);
	if (d->hand.busy) {
		gpube_ctx_stop(&d->hand.ctx);
		(void)gpube__hand_end(&d->hand);
	}
	gpube__log(d->ctx, GPUBE_LOG_DETAIL,
		"%lld node%s lent to %d ranks, %lld letter%s of them brought some back",
		(long long)d->n_lent, gpube__plural((double)d->n_lent), d->world->n_ranks - 1,
		(long long)d->n_back, gpube__plural((double)d->n_back));
	for (int r = 0; r < d->world->n_ranks; r++)
		gpube__log(d->ctx, GPUBE_LOG_DETAIL, "rank %d: %lld nodes of the shared tree", r,
			(long long)(r ? d->members[r].n_nodes : d->n_nodes));
	return status;
}

static int dealing_open(struct dealing *d)
{
	gpube__hand_open(&d->hand, d->ctx);
	if (d->world->rank == 0) {
		d->hand.ctx.log = d->ctx->log;
		d->hand.ctx.log_arg = d->ctx->log_arg;
	}
	d->members = gpube__alloc_zero(d->ctx, (uint64_t)d->world->n_ranks, sizeof(*d->members));
	d->letters = (struct gpube_letters){.world = d->world,
		.arg = d,
		.read = read_letter,
		.report = report,
		.is_busy = is_busy,
		.stop = stop};
	d->watch = (struct gpube_watch){.arg = d,
		.improved = on_improved,
		.cutoff = no_cutoff,
		.share = on_share,
		.gather = on_gather,
		.share_after = dcop__test_eager() ? 0 : SHARE_AFTER};
	if (d->world->rank) {
		d->opts.checkpoint = d->opts.resume = NULL;
		d->opts.progress = NULL;
	}
	if (gpube__letters_open(&d->letters) || !d->members)
		return GPUBE_ENOMEM;
	return gpube__model_borrow(&d->mine, &d->hand.ctx, d->given);
}

static void dealing_close(struct dealing *d)
{
	gpube__guest_free(d->guest);
	if (d->mine.ctx)
		gpube__model_return(&d->mine, d->given);
	gpube__hand_close(&d->hand);
	gpube__bytes_clear(&d->root);
	gpube__free(d->ctx, d->members);
	gpube__letters_close(&d->letters);
	pthread_cond_destroy(&d->gathered);
	pthread_mutex_destroy(&d->lock);
}

int gpube__deal_solve(struct gpube_solution **out, const struct gpube_model *m,
	const struct gpube_opts *opts, struct dcop_world *world)
{
	struct gpube_ctx *ctx = m->ctx;
	struct dealing d = {
		.ctx = ctx, .world = world, .given = m, .opts = *opts, .root.ctx = ctx, .seen = -1};
	int status = GPUBE_OK;

	*out = NULL;
	if (opts->count)
		status = gpube__fail(ctx, GPUBE_EINVAL, "several ranks count no optima");
	status = dcop_world_agree(world, status);
	if (status)
		return status;
	dcop__test_hook(world);
	pthread_mutex_init(&d.lock, NULL);
	pthread_cond_init(&d.gathered, NULL);
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
