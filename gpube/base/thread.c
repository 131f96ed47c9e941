/* thread.c - see thread.h. */
#define _POSIX_C_SOURCE 200809L
#include "gpube/base/thread.h"

#include <signal.h>

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
