/* test_hook.c - what the tests do to a rank: see world.h. */
#define _POSIX_C_SOURCE 200809L

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "gpube/ranks/world.h"

void dcop__test_hook(const struct dcop_world *w)
{
	const char *hook = getenv("GPUBE_TEST_RANK");
	char what[8];
	int rank;

	if (!hook || sscanf(hook, "%7s %d", what, &rank) != 2 || rank != w->rank)
		return;
	if (!strcmp(what, "slow"))
		nanosleep(&(struct timespec){.tv_sec = 2}, NULL);
	else
		raise(!strcmp(what, "die") ? SIGKILL : SIGSTOP);
}

static bool is_set(const char *what)
{
	const char *hook = getenv("GPUBE_TEST_RANK");

	return hook && !strcmp(hook, what);
}

bool dcop__test_eager(void)
{
	return is_set("eager");
}

bool dcop__test_solo(void)
{
	return is_set("solo");
}
