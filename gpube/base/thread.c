/* thread.c - see thread.h. */
#define _POSIX_C_SOURCE 200809L
#include "gpube/base/thread.h"

#include <signal.h>
#include <time.h>

bool gpube__thread_start(pthread_t *thread, void *(*work)(void *), void *arg)
{
	sigset_t all, before;
	bool started;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	started = !pthread_create(thread, NULL, work, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return started;
}

void gpube__thread_wait(pthread_cond_t *changed, pthread_mutex_t *lock, double seconds)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += (long)(seconds * 1e9);
	until.tv_sec += until.tv_nsec / 1000000000;
	until.tv_nsec %= 1000000000;
	pthread_cond_timedwait(changed, lock, &until);
}
