/* hand.c - see hand.h. */
#define _POSIX_C_SOURCE 200809L
#include "gpube/deal/hand.h"

#include <string.h>

void gpube__hand_open(struct gpube_hand *h, const struct gpube_ctx *parent)
{
	memset(h, 0, sizeof(*h));
	h->ctx = gpube__ctx_child(parent);
}

static void *run(void *arg)
{
	struct gpube_hand *h = arg;

	h->status = h->work(&h->ctx, h->arg);
	__atomic_store_n(&h->ended, 1, __ATOMIC_RELEASE);
	if (h->ctx.thread_end)
		h->ctx.thread_end();
	return NULL;
}

int gpube__hand_begin(
	struct gpube_hand *h, int (*work)(struct gpube_ctx *ctx, void *arg), void *arg)
{
	h->work = work;
	h->arg = arg;
	h->ended = 0;
	gpube_ctx_resume(&h->ctx);
	h->busy = gpube__thread_start(&h->thread, run, h);
	return h->busy ? GPUBE_OK
		       : gpube__fail(&h->ctx, GPUBE_ENOMEM, "the system gives no thread");
}

bool gpube__hand_is_done(const struct gpube_hand *h)
{
	return h->busy && __atomic_load_n(&h->ended, __ATOMIC_ACQUIRE);
}

int gpube__hand_end(struct gpube_hand *h)
{
	pthread_join(h->thread, NULL);
	h->busy = false;
	return h->status;
}

void gpube__hand_close(struct gpube_hand *h)
{
	gpube_ctx_stop(&h->ctx);
	if (h->busy)
		(void)gpube__hand_end(h);
	gpube__ctx_clear(&h->ctx);
}
