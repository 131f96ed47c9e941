/* opened.c - see opened.h. */
#define _GNU_SOURCE
#include "gpube/base/opened.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* A library without what is wanted is closed; one with it may have threads. */
static bool opens(const char *name, bool (*take)(void *library))
{
	void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);

	if (library && take(library))
		return true;
	if (library)
		dlclose(library);
	return false;
}

bool gpube__opened(const char *variable, const char *const *names, bool (*take)(void *library))
{
	const char *named = secure_getenv(variable);

	if (named && named[0])
		return strcmp(named, "none") && opens(named, take);
	for (; *names; names++)
		if (opens(*names, take))
			return true;
	return false;
}
