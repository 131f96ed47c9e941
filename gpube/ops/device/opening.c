/* opening.c - see opening.h. */
#define _POSIX_C_SOURCE 200809L

#include "gpube/ops/device/opening.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gpube/base/base.h"
#include "gpube/base/thread.h"

/* The process' one opening. */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t over;
	enum { CLOSED, ALLOWED, OPENING, OVER } state;
	int id;
	bool put_off;
	int first, all; /* devices to be seen */
	double since;
} opening = {.lock = PTHREAD_MUTEX_INITIALIZER, .over = PTHREAD_COND_INITIALIZER};

void gpube__opening_limit(int n, bool one_stream)
{
	const char *had = getenv("CUDA_VISIBLE_DEVICES"), *end = had;
	char list[512] = "";
	size_t used = 0;

	for (int k = 0; k < n && end; k++)
		end = strchr(end + (k > 0), ',');
	if (n > 0 && !had) {
		for (int k = 0; k < n && used < sizeof(list) - 8; k++)
			used += (size_t)snprintf(list + used, 8, "%s%d", k ? "," : "", k % 1000);
		setenv("CUDA_VISIBLE_DEVICES", list, 1);
	} else if (n > 0 && end && (size_t)(end - had) < sizeof(list)) { /* more than n */
		memcpy(list, had, (size_t)(end - had));
		setenv("CUDA_VISIBLE_DEVICES", list, 1);
	}
	if (one_stream)
		setenv("CUDA_DEVICE_MAX_CONNECTIONS", "1", 0);
}

void gpube__opening_allow(int id)
{
	pthread_mutex_lock(&opening.lock);
	if (opening.state == CLOSED) {
		opening.state = ALLOWED;
		opening.id = id;
	}
	pthread_mutex_unlock(&opening.lock);
}

void gpube__opening_put_off(int first, int all)
{
	pthread_mutex_lock(&opening.lock);
	opening.put_off = opening.state == ALLOWED;
	opening.first = first;
	opening.all = all;
	pthread_mutex_unlock(&opening.lock);
}

bool gpube__opening_is_put_off(void)
{
	bool put_off;

	pthread_mutex_lock(&opening.lock);
	put_off = opening.put_off;
	pthread_mutex_unlock(&opening.lock);
	return put_off;
}

void gpube__opening_decide(bool all)
{
	bool put_off;

	pthread_mutex_lock(&opening.lock);
	put_off = opening.put_off;
	opening.put_off = false;
	pthread_mutex_unlock(&opening.lock);
	if (!put_off)
		return;
	gpube__opening_limit(all ? opening.all : opening.first, !all);
	gpube__opening_begin();
}

static void end(void)
{
	pthread_mutex_lock(&opening.lock);
	opening.state = OVER;
	pthread_cond_broadcast(&opening.over);
	pthread_mutex_unlock(&opening.lock);
}

static void *run(void *arg)
{
	(void)arg;
	gpube__opening_driver(opening.id);
	end();
	return NULL;
}

void gpube__opening_begin(void)
{
	pthread_t thread;
	bool begins;

	pthread_mutex_lock(&opening.lock);
	begins = opening.state == ALLOWED && !opening.put_off;
	if (begins) {
		opening.state = OPENING;
		opening.since = gpube__now();
	}
	pthread_mutex_unlock(&opening.lock);
	if (!begins)
		return;
	if (gpube__thread_start(&thread, run, NULL))
		pthread_detach(thread);
	else
		end(); /* who needs it opens it */
}

bool gpube__opening_now(void)
{
	bool now;

	pthread_mutex_lock(&opening.lock);
	now = opening.state == OPENING;
	pthread_mutex_unlock(&opening.lock);
	return now;
}

void gpube__opening_wait(void)
{
	gpube__opening_decide(true); /* who asks for it has not asked how many */
	pthread_mutex_lock(&opening.lock);
	while (opening.state == OPENING)
		pthread_cond_wait(&opening.over, &opening.lock);
	pthread_mutex_unlock(&opening.lock);
}

double gpube__opening_since(void)
{
	double since;

	pthread_mutex_lock(&opening.lock);
	since = opening.since;
	pthread_mutex_unlock(&opening.lock);
	return since;
}
