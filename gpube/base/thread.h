/* thread.h - a thread of the library's own, in whatever program. */
#ifndef GPUBE_THREAD_H
#define GPUBE_THREAD_H

#include <pthread.h>
#include <stdbool.h>

/*
 * As pthread_create(), but no signal is for the thread: those are for the program's own. False: the
 * system gives none.
 */
bool gpube__thread_start(pthread_t *thread, void *(*work)(void *), void *arg);

/* As pthread_cond_wait(), for so many seconds at most. */
void gpube__thread_wait(pthread_cond_t *changed, pthread_mutex_t *lock, double seconds);

#endif
