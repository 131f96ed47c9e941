/*
 * hand.h - a thread that works, so that the one that speaks to the other ranks never has to wait
 * for it.
 *
 * It has a context of its own, a child: what stops the parent stops it, and it can be stopped
 * alone.
 */
#ifndef GPUBE_HAND_H
#define GPUBE_HAND_H

#include "gpube/base/base.h"
#include "gpube/base/thread.h"

struct gpube_hand {
	struct gpube_ctx ctx;
	pthread_t thread;
	int (*work)(struct gpube_ctx *ctx, void *arg);
	void *arg;
	bool busy; /* from gpube__hand_begin() to gpube__hand_end() */
	int ended, status;
};

/* Nothing that takes memory; its log is nobody's: what all ranks know is told by one. */
void gpube__hand_open(struct gpube_hand *h, const struct gpube_ctx *parent);
/* Errors: ENOMEM (the system gives no thread) */
int gpube__hand_begin(
	struct gpube_hand *h, int (*work)(struct gpube_ctx *ctx, void *arg), void *arg);
/* Busy, and gpube__hand_end() would not wait. */
bool gpube__hand_is_done(const struct gpube_hand *h);
/* Waits; returns the status of the work. */
int gpube__hand_end(struct gpube_hand *h);
/* Stops and waits, if it is busy. */
void gpube__hand_close(struct gpube_hand *h);

#endif
