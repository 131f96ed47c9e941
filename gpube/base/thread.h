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

#endif
