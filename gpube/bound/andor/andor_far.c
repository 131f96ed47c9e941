/*
 * andor_far.c - what the ranks of an AND/OR search tell each other: see andor.h.
 *
 * What a rank tells: results that took long, subproblems at which it has been for long, budgets (of
 * the owner), and that one has ended. Walkers leave news in a list and take them from another,
 * between checks of the clock; the thread that speaks to other ranks makes letters of the one and
 * fills the other.
 *
 * Designs weighed. (1) The owner hands out subproblems: it has to know which are large, and what a
 * rank finds on the way helps no other. (2) Every result is told: a rank makes millions a second,
 * most of them in less time than a letter takes. (3) This one.
 */
#include <pthread.h>
#include <string.h>

#include "gpube/bound/andor/andor_parts.h"
#include "gpube/base/bytes.h"
#include "gpube/bound/sharing/shared.h"

enum news_kind { NEWS_RESULT, NEWS_MARK, NEWS_BUDGET, NEWS_ENDED };

/* More news that nobody takes are dropped; results alone, which may be found again. */
enum { MOST_NEWS = 1 << 20 };
/* Results that others are told at first. */
enum { MOST_KNOWN = 1 << 16 };

/* key: of a result, of a mark its hash; p: of a mark; effort: of a result; of a mark 1 or -1. */
struct news {
	enum news_kind kind;
	int32_t p;
	uint64_t key[GPUBE__ANDOR_WORDS];
	struct gpube_andor_known known;
	int64_t effort;
};

struct list {
	struct news *of;
	int64_t n, capacity;
};

/* number: of the budget that the owner has begun last; ended: of the last one that has. */
struct gpube_andor_far {
	pthread_mutex_t lock; /* of all that follows */
	int rank;
	struct list in, out;
	_Atomic bool any; /* in 'in' */
	_Atomic int64_t number, ended;
	int64_t budget, value;
	int64_t told, told_end; /* numbers of which the others know */
};

static void tell_known(
	void *arg, const uint64_t *key, const struct gpube_andor_known *known, int64_t effort)
{
	gpube__andor_far_result(arg, key, known, effort);
}

int gpube__andor_far_open(struct gpube_andor *a, int rank)
{
	a->far = gpube__alloc_zero(a->ctx, 1, sizeof(*a->far));
	if (!a->far)
		return GPUBE_ENOMEM;
	pthread_mutex_init(&a->far->lock, NULL);
	a->far->rank = rank;
	for (int k = 0; k < a->n_walkers; k++)
		a->walkers[k].number += rank * a->n_walkers;
	gpube__andor_cache_tell(a->cache, MOST_KNOWN, tell_known, a);
	return GPUBE_OK;
}

void gpube__andor_far_close(struct gpube_andor *a)
{
	struct gpube_andor_far *f = a->far;

	if (!f)
		return;
	a->far = NULL;
	pthread_mutex_destroy(&f->lock);
	GPUBE_FREE_ALL(a->ctx, f->in.of, f->out.of, f);
}

/* Needs the lock. What there is no memory for is dropped: false. */
static bool add(struct gpube_ctx *ctx, struct list *l, const struct news *news)
{
	if ((news->kind == NEWS_RESULT && l->n >= MOST_NEWS) ||
		gpube__grow(ctx, &l->of, &l->capacity, l->n + 1, sizeof(*l->of)))
		return false;
	l->of[l->n++] = *news;
	return true;
}

/* ---- walkers --------------------------------------------------------------------------------- */

bool gpube__andor_far_begin(struct gpube_andor *a)
{
	struct gpube_andor_far *f = a->far;
	bool ended;

	pthread_mutex_lock(&f->lock);
	if (f->rank == 0 && (f->number == 0 || f->budget != a->budget)) {
		f->budget = a->budget;
		f->number++;
	}
	gpube__andor_cache_room(a->cache, a->ctx, f->in.n);
	a->number = f->number;
	a->budget = f->budget;
	ended = f->ended >= a->number;
	a->value = f->value;
	pthread_mutex_unlock(&f->lock);
	return !ended;
}

bool gpube__andor_far_ended(const struct gpube_andor *a)
{
	return a->number &&
	       (atomic_load_explicit(&a->far->ended, memory_order_relaxed) >= a->number ||
		       atomic_load_explicit(&a->far->number, memory_order_relaxed) > a->number);
}

void gpube__andor_far_end(struct gpube_andor *a)
{
	struct gpube_andor_far *f = a->far;

	pthread_mutex_lock(&f->lock);
	if (f->ended >= a->number) {
		a->ended = true;
		a->value = f->value;
	} else if (a->ended) {
		f->ended = a->number;
		f->value = a->value;
	}
	a->number = 0;
	pthread_mutex_unlock(&f->lock);
}

static void tell(struct gpube_andor *a, const struct news *news)
{
	pthread_mutex_lock(&a->far->lock);
	(void)add(a->ctx, &a->far->out, news);
	pthread_mutex_unlock(&a->far->lock);
}

void gpube__andor_far_result(struct gpube_andor *a, const uint64_t *key,
	const struct gpube_andor_known *known, int64_t effort)
{
	struct news news = {.kind = NEWS_RESULT, .known = *known, .effort = effort};

	memcpy(news.key, key, (size_t)a->n_words * sizeof(*key));
	tell(a, &news);
}

void gpube__andor_far_mark(struct gpube_andor *a, int32_t p, uint64_t hash, int more)
{
	const struct news news = {.kind = NEWS_MARK, .p = p, .key = {hash}, .effort = more};

	tell(a, &news);
}

/* Whether it is a new result. */
static bool take_one(struct gpube_andor *a, const struct news *news)
{
	const int32_t p = news->p;

	if (news->kind == NEWS_MARK) {
		gpube__andor_busy(a->cache, news->key[0], (int)news->effort);
		atomic_fetch_add_explicit(&a->n_at[p], (int32_t)news->effort, memory_order_relaxed);
		return false;
	}
	if (!a->nodes[p].kept)
		atomic_store_explicit(&a->known[p], true, memory_order_relaxed);
	return gpube__andor_cache_keep(a->cache, news->key, gpube__andor_hash(a->cache, news->key),
		&news->known, news->effort);
}

int64_t gpube__andor_far_take(struct gpube_andor *a)
{
	struct gpube_andor_far *f = a->far;
	struct list list;
	int64_t n_new = 0;

	if (!atomic_load_explicit(&f->any, memory_order_relaxed))
		return 0;
	pthread_mutex_lock(&f->lock);
	list = f->in;
	f->in = (struct list){NULL, 0, 0};
	f->any = false;
	pthread_mutex_unlock(&f->lock);
	for (int64_t k = 0; k < list.n; k++)
		n_new += take_one(a, &list.of[k]);
	gpube__free(a->ctx, list.of);
	return n_new;
}

/* ---- letters --------------------------------------------------------------------------------- */

static void put_news(struct gpube__bytes *to, const struct gpube_andor *a, const struct news *news)
{
	const int n_words = news->kind == NEWS_RESULT ? a->n_words : news->kind == NEWS_MARK;

	gpube__put(to, news->kind);
	gpube__put(to, news->p);
	for (int w = 0; w < n_words; w++)
		gpube__put(to, (int64_t)news->key[w]);
	gpube__put(to, news->known.cost);
	gpube__put(to, news->known.exact);
	gpube__put(to, news->effort);
}

static struct news get_news(struct gpube__bytes *from, const struct gpube_andor *a)
{
	struct news news = {.kind = (enum news_kind)gpube__get(from, 0, NEWS_ENDED)};
	const int n_words = news.kind == NEWS_RESULT ? a->n_words : news.kind == NEWS_MARK;

	news.p = (int32_t)gpube__get(from, 0, (int64_t)a->n - 1);
	for (int w = 0; w < n_words; w++)
		news.key[w] = (uint64_t)gpube__get(from, INT64_MIN, INT64_MAX);
	news.known.cost = gpube__get(from, 0, INT64_MAX);
	news.known.exact = gpube__get(from, 0, 1);
	news.effort = gpube__get(from, news.kind == NEWS_MARK ? -1 : 1, INT64_MAX);
	if (news.kind == NEWS_RESULT) /* the first bits of its key */
		news.p = (int32_t)(news.key[0] & (((uint64_t)1 << a->position_bits) - 1));
	if (news.p >= a->n)
		(void)gpube__damaged(from, "a result in it has no variable");
	return news;
}

/* 'most' and the rest are of methods that lend. */
int64_t gpube__andor_far_give(
	void *of, struct gpube__bytes *to, int64_t most, int to_rank, int64_t number)
{
	const struct gpube_andor *a = of;
	struct gpube_andor_far *f = a->far;
	struct list list;

	(void)most;
	(void)to_rank;
	(void)number;
	pthread_mutex_lock(&f->lock);
	if (f->rank == 0 && f->told < f->number)
		put_news(to, a,
			&(struct news){
				.kind = NEWS_BUDGET, .known.cost = f->budget, .effort = f->number});
	if (f->told_end < f->ended)
		put_news(to, a,
			&(struct news){
				.kind = NEWS_ENDED, .known.cost = f->value, .effort = f->ended});
	f->told = f->number;
	f->told_end = f->ended;
	list = f->out;
	f->out = (struct list){NULL, 0, 0};
	pthread_mutex_unlock(&f->lock);
	for (int64_t k = 0; k < list.n; k++)
		put_news(to, a, &list.of[k]);
	gpube__free(to->ctx, list.of);
	return to->n;
}

int gpube__andor_far_read(void *of, struct gpube__bytes *from)
{
	const struct gpube_andor *a = of;
	struct gpube_andor_far *f = a->far;

	pthread_mutex_lock(&f->lock);
	while (!from->status && from->next < from->n) {
		const struct news news = get_news(from, a);

		if (from->status)
			break;
		if (news.kind == NEWS_BUDGET && f->rank && news.effort > f->number) {
			f->number = news.effort;
			f->budget = news.known.cost;
		} else if (news.kind == NEWS_ENDED && news.effort == f->number &&
			   f->ended < f->number) {
			f->ended = f->told_end = f->number; /* who said so has told all */
			f->value = news.known.cost;
		} else if (news.kind <= NEWS_MARK) {
			f->any |= add(from->ctx, &f->in, &news);
		}
	}
	pthread_mutex_unlock(&f->lock);
	return from->status;
}

struct gpube__shared_state gpube__andor_far_state(void *of)
{
	const struct gpube_andor *a = of;

	return (struct gpube__shared_state){
		.n_open = a->far->number > a->far->ended, .n_nodes = a->n_nodes};
}
