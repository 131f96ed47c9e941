/* opened.h - a library that is opened when it is wanted, where there is one. */
#ifndef GPUBE_OPENED_H
#define GPUBE_OPENED_H

#include <stdbool.h>

/*
 * The library of the first name that has what is taken from it, and stays open. A variable of the
 * environment names another one in their place, or is "none".
 * names  ended by NULL
 * take   whether it has all that is wanted
 */
bool gpube__opened(const char *variable, const char *const *names, bool (*take)(void *library));

#endif
