/*
 * certificate_cases.c - the checker of all cases of a certificate, on all threads: see
 * certificate_lists.h.
 *
 * A leaf's bound depends only on its path from the root, so it is the same on any number of
 * threads. A waiting case has lists of its own; there are at most as many as threads and splits
 * above each other.
 */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <string.h>

#include "gpube/bound/certificate/certificate_lists.h"
#include "gpube/options/options.h"

/* A target that sums of two do not pass. */
#define MOST_MISSING ((int64_t)1 << 61)
/*
 * What is mended: sweeps that are judged together, what they are to bring of what is missing, and
 * what all of the root's are to bring for splits to seem to end.
 */
enum { WINDOW = 8, MOST_SHIFT = 40 };
#define SLOW  0.002
#define WORTH 0.9

struct open_case {
	int32_t at;
	struct gpube__checking w;
};

struct walk {
	struct gpube_ctx *ctx;
	const struct gpube_certificate *c;
	struct gpube_certificate *mended; /* NULL: nothing is */
	int64_t target, enough;           /* enough: what is claimed */
	pthread_t caller;
	pthread_mutex_t lock; /* of all that follows, and of the mended certificate's cases */
	pthread_cond_t changed;
	struct open_case *open;
	int64_t n_open, capacity;
	uint64_t bytes; /* of the open ones */
	int n_busy;
	int status;
	int64_t least; /* of the leaves so far */
	int64_t n_leaves;
	struct walker *walkers;
};

struct walker {
	struct walk *all;
	struct gpube_ctx ctx;
};

/* ---- what is open ---------------------------------------------------------------------------- */

static struct gpube_proof_case case_of(struct walk *k, int32_t at)
{
	struct gpube_proof_case of;

	pthread_mutex_lock(&k->lock);
	of = k->c->stages.cases[at];
	pthread_mutex_unlock(&k->lock);
	return of;
}

/*
 * The deepest one, so that what is open stays little; of what is mended, while it is little, the
 * one that proves least.
 */
static int64_t next_case(const struct walk *k)
{
	int64_t next = k->n_open - 1;

	if (k->mended && k->bytes < k->ctx->memory_bytes / 8)
		for (int64_t j = next - 1; j >= 0; j--)
			if (k->open[j].w.constant < k->open[next].w.constant)
				next = j;
	return next;
}

static bool take(struct walker *r, struct open_case *o)
{
	struct walk *k = r->all;
	bool has;

	pthread_mutex_lock(&k->lock);
	while (!k->status && !k->n_open && k->n_busy)
		pthread_cond_wait(&k->changed, &k->lock);
	has = !k->status && k->n_open;
	if (has) {
		const int64_t next = next_case(k);

		*o = k->open[next];
		memmove(k->open + next, k->open + next + 1,
			(size_t)(--k->n_open - next) * sizeof(*k->open));
		k->bytes -= gpube__checking_bytes(&o->w);
		o->w.ctx = &r->ctx;
		k->n_busy++;
	}
	pthread_mutex_unlock(&k->lock);
	return has;
}

/* Room for what waits, of which there is to be as much as a fourth of the memory. */
static int put(struct walker *r, struct open_case *o)
{
	struct walk *k = r->all;
	int status;

	pthread_mutex_lock(&k->lock);
	status = gpube__grow(k->ctx, &k->open, &k->capacity, k->n_open + 1, sizeof(*k->open));
	if (!status) {
		k->bytes += gpube__checking_bytes(&o->w);
		o->w.ctx = k->ctx;
		k->open[k->n_open++] = *o;
		pthread_cond_signal(&k->changed);
	}
	pthread_mutex_unlock(&k->lock);
	return status;
}

static bool fits(struct walk *k, uint64_t bytes)
{
	bool is;

	pthread_mutex_lock(&k->lock);
	is = k->bytes + bytes <= k->ctx->memory_bytes / 4;
	pthread_mutex_unlock(&k->lock);
	return is;
}

/* ---- stages ---------------------------------------------------------------------------------- */

static void tell(const struct walk *k, const struct gpube__checking *w, int32_t at, int32_t stage)
{
	if (pthread_equal(pthread_self(), k->caller))
		gpube__log(k->ctx, GPUBE_LOG_DETAIL,
			"certificate: case %d, stage %d: %d sparse relations of %.3g bytes, %lld "
			"separators; %.3g is missing after %d sweeps",
			at, stage + 1, w->n_lists, (double)gpube__checking_bytes(w),
			(long long)w->n_separators, (double)gpube__checking_left(w), w->n_sweeps);
}

/* Whether nothing more is done of what is mended. */
static bool is_late(const struct walk *k)
{
	return k->mended && k->mended->stages.end > 0 && gpube__now() >= k->mended->stages.end;
}

/* *n_done: sweeps. */
static int do_stage(const struct walk *k, struct gpube__checking *w,
	const struct gpube_proof_stage *s, int32_t *n_done)
{
	int status = GPUBE_OK;

	*n_done = 0;
	gpube__checking_unite(w);
	status = gpube__checking_narrow(w);
	if (!status && gpube__checking_left(w) > 0)
		status = gpube__checking_make(w, s->lists, s->n_lists, k->mended ? s->lists : NULL);
	if (!status && gpube__checking_left(w) > 0 && s->n_sweeps)
		status = gpube__checking_separate(w);
	while (!status && gpube__checking_left(w) > 0 && *n_done < s->n_sweeps && !is_late(k)) {
		status = gpube__checking_sweep(w);
		++*n_done;
	}
	return status;
}

/* ---- mending --------------------------------------------------------------------------------- */

/* What comes behind so many stages, the last one with so many sweeps, is not needed. */
static void cut(struct walk *k, int32_t at, int32_t n_stages, int32_t n_sweeps)
{
	struct gpube_proof_case *of;

	if (!k->mended)
		return;
	pthread_mutex_lock(&k->lock);
	of = &k->mended->stages.cases[at];
	gpube__certificate_drop(k->mended, at, n_stages);
	if (n_stages)
		of->stages[n_stages - 1].n_sweeps = n_sweeps;
	gpube__free(k->mended->ctx, of->split);
	of->split = NULL;
	of->n_split = 0;
	pthread_mutex_unlock(&k->lock);
}

/* A stage, or a split of a leaf. */
static int note(struct walk *k, int32_t at, const int32_t *split)
{
	int status;

	pthread_mutex_lock(&k->lock);
	status = split ? gpube__certificate_part(k->mended, at, 1, split)
		       : gpube__certificate_stage(k->mended, at, 0);
	pthread_mutex_unlock(&k->lock);
	return status;
}

static bool is_over(const struct walk *k)
{
	return k->mended->stages.until > 0 && gpube__now() >= k->mended->stages.until;
}

static bool may_split(struct walk *k, const struct open_case *o)
{
	const enum gpube_split split = k->mended->stages.split;

	return !is_over(k) && split != GPUBE_SPLIT_NEVER &&
	       fits(k, 2 * gpube__checking_bytes(&o->w)) &&
	       (split == GPUBE_SPLIT_FIRST || o->at ||
		       (double)o->w.constant > WORTH * (double)k->target);
}

/* Sweeps while they bring anything. */
static int climb(struct walk *k, struct gpube__checking *w, int32_t *n)
{
	int64_t before;
	int status = w->room ? GPUBE_OK : gpube__checking_separate(w);

	do {
		before = w->constant;
		for (int j = 0; j < WINDOW && !status && gpube__checking_left(w) > 0; j++) {
			status = gpube__checking_sweep(w);
			++*n;
		}
	} while (!status && !is_over(k) && w->constant < k->enough && gpube__checking_left(w) > 0 &&
		 w->n_separators &&
		 (double)(w->constant - before) >= SLOW * (double)gpube__checking_left(w));
	return status;
}

/* A leaf that does not prove what is claimed yet: further sweeps, then a split. */
static int mend(struct walk *k, struct open_case *o, struct gpube_proof_case *of)
{
	int32_t split[2], n = of->n_stages ? of->stages[of->n_stages - 1].n_sweeps : 0, none;
	bool any = false;
	int status = GPUBE_OK;

	if (o->w.constant >= k->enough || of->open || is_over(k))
		return GPUBE_OK;
	if (!of->n_stages) {
		status = note(k, o->at, NULL);
		if (!status)
			status = do_stage(k, &o->w, &(struct gpube_proof_stage){0}, &none);
	}
	if (!status && gpube__checking_left(&o->w) > 0 &&
		(o->at || k->mended->stages.split != GPUBE_SPLIT_FIRST))
		status = climb(k, &o->w, &n);
	if (status)
		return status;
	*of = case_of(k, o->at);
	of->stages[of->n_stages - 1].n_sweeps = n;
	if (o->w.constant >= k->enough || !may_split(k, o))
		return GPUBE_OK;
	gpube__checking_unite(&o->w);
	status = gpube__checking_choose(&o->w, split, &any);
	if (!status && any)
		status = note(k, o->at, split);
	if (!status)
		*of = case_of(k, o->at);
	return status;
}

/* ---- a case ---------------------------------------------------------------------------------- */

static void note_leaf(struct walk *k, const struct gpube__checking *w)
{
	pthread_mutex_lock(&k->lock);
	k->least = w->constant < k->least ? w->constant : k->least;
	k->n_leaves++;
	pthread_mutex_unlock(&k->lock);
}

/*
 * One child goes on in the place of the case, a leaf if there is one, and the other waits; of what
 * is mended both wait. *goes_on: there is one that is open.
 */
static int part(
	struct walker *r, struct open_case *o, const struct gpube_proof_case *of, bool *goes_on)
{
	struct walk *k = r->all;
	const bool second = !case_of(k, of->child[1]).n_split && case_of(k, of->child[0]).n_split;
	struct open_case other = {.at = of->child[!second]};
	const uint64_t bytes = gpube__checking_bytes(&o->w);
	bool other_is_open;
	int status;

	gpube__checking_unite(&o->w);
	if (!fits(k, bytes))
		return gpube__fail(&r->ctx, GPUBE_ELIMIT,
			"the certificate's cases take over a fourth of the memory");
	status = gpube__checking_copy(&other.w, &o->w);
	o->at = of->child[second];
	if (!status) {
		gpube__checking_keep(&o->w, of->n_split, of->split, !second);
		gpube__checking_keep(&other.w, of->n_split, of->split, second);
	}
	*goes_on = !status && gpube__checking_left(&o->w) > 0;
	other_is_open = !status && gpube__checking_left(&other.w) > 0;
	if (!status && !*goes_on)
		cut(k, o->at, 0, 0);
	if (!status && !other_is_open)
		cut(k, other.at, 0, 0);
	if (other_is_open)
		status = put(r, &other);
	if (!other_is_open || status)
		gpube__checking_clear(&other.w);
	if (status || !*goes_on || !k->mended)
		return status;
	*goes_on = false;
	status = put(r, o);
	if (!status)
		o->w = (struct gpube__checking){.ctx = &r->ctx};
	return status;
}

static int check_case(struct walker *r, struct open_case *o)
{
	struct walk *k = r->all;
	bool goes_on = true;
	int status = GPUBE_OK;

	while (goes_on && !status) {
		struct gpube_proof_case of = case_of(k, o->at);
		int32_t n_done = 0, s = 0;

		goes_on = false;
		for (; s < of.n_stages && !status && gpube__checking_left(&o->w) > 0 && !is_late(k);
			s++) {
			status = do_stage(k, &o->w, &of.stages[s], &n_done);
			tell(k, &o->w, o->at, s);
		}
		if (!status && (gpube__checking_left(&o->w) <= 0 || is_late(k))) {
			cut(k, o->at, s, n_done);
			of.n_split = k->mended ? 0 : of.n_split;
		}
		if (!status && k->mended && !of.n_split && gpube__checking_left(&o->w) > 0)
			status = mend(k, o, &of);
		if (!status && of.n_split && gpube__checking_left(&o->w) > 0)
			status = part(r, o, &of, &goes_on);
		else if (!status)
			note_leaf(k, &o->w);
	}
	return status;
}

static void work(void *arg, int64_t item, int thread)
{
	struct walk *k = arg;
	struct walker *r = &k->walkers[item];
	struct open_case o;

	(void)thread;
	while (take(r, &o)) {
		const int status = check_case(r, &o);

		gpube__checking_clear(&o.w);
		pthread_mutex_lock(&k->lock);
		k->n_busy--;
		k->status = k->status ? k->status : status;
		pthread_cond_broadcast(&k->changed);
		pthread_mutex_unlock(&k->lock);
	}
}

/* ---- the call -------------------------------------------------------------------------------- */

static int walk_all(struct walk *k)
{
	const int32_t most = 1 + k->c->stages.n / 2; /* leaves */
	const int n = k->mended || most > k->ctx->n_threads ? k->ctx->n_threads : most;

	k->walkers = gpube__alloc_zero(k->ctx, (uint64_t)n, sizeof(*k->walkers));
	if (!k->walkers)
		return GPUBE_ENOMEM;
	for (int j = 0; j < n; j++) {
		k->walkers[j] = (struct walker){.all = k, .ctx = gpube__ctx_child(k->ctx)};
		k->walkers[j].ctx.n_threads = 1;
		k->walkers[j].ctx.memory_bytes /= (uint64_t)n;
	}
	gpube__parallel(k->ctx, n, work, k);
	for (int j = 0; j < n; j++) {
		if (k->status && k->walkers[j].ctx.error[0])
			(void)gpube__fail(k->ctx, k->status, "%s", k->walkers[j].ctx.error);
		gpube__ctx_clear(&k->walkers[j].ctx);
	}
	gpube__free(k->ctx, k->walkers);
	return k->status;
}

static int begin(struct walk *k, const struct gpube_model *relaxed)
{
	struct open_case first = {.w = {.ctx = k->ctx,
					  .domain = k->c->domain,
					  .n_vars = k->c->n_vars,
					  .target = k->target}};
	int status = gpube__checking_init(&first.w, relaxed, k->c->shift);

	if (!status)
		status = gpube__grow(k->ctx, &k->open, &k->capacity, 1, sizeof(*k->open));
	if (status) {
		gpube__checking_clear(&first.w);
		return status;
	}
	k->bytes = gpube__checking_bytes(&first.w);
	k->open[k->n_open++] = first;
	return GPUBE_OK;
}

int gpube__certificate_sweep(__int128 *least, const struct gpube_certificate *c,
	const struct gpube_model *relaxed, __int128 constant, struct gpube_certificate *mended)
{
	const __int128 limit = c->stages.limit - constant, claim = c->bound - constant;
	__int128 unit;
	struct walk k = {.ctx = c->ctx, .c = c, .mended = mended, .caller = pthread_self()};
	int status;

	*least = 0;
	if (limit <= 0)
		return GPUBE_OK;
	if (mended)
		for (mended->shift = MOST_SHIFT;
			mended->shift && limit > MOST_MISSING >> mended->shift; mended->shift--)
			;
	unit = (int64_t)1 << c->shift;
	if (limit * unit > MOST_MISSING)
		return gpube__fail(c->ctx, GPUBE_ERANGE,
			"what the certificate's lists are to prove passes 61 bits");
	/* totals are whole: one below the limit is one less at least */
	k.target = k.least = (int64_t)((limit - 1) * unit + 1);
	k.enough = claim >= limit ? k.target : claim > 0 ? (int64_t)((claim - 1) * unit + 1) : 0;
	pthread_mutex_init(&k.lock, NULL);
	pthread_cond_init(&k.changed, NULL);
	status = begin(&k, relaxed);
	if (!status)
		status = walk_all(&k);
	*least = k.least < k.target ? k.least : limit * unit;
	gpube__log(c->ctx, GPUBE_LOG_DETAIL, "certificate: %d cases, %lld leaves", c->stages.n,
		(long long)k.n_leaves);
	while (k.n_open)
		gpube__checking_clear(&k.open[--k.n_open].w);
	gpube__free(c->ctx, k.open);
	pthread_cond_destroy(&k.changed);
	pthread_mutex_destroy(&k.lock);
	return status;
}
