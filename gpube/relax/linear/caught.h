/* caught.h - calls of a library of C++ that may throw, where memory ends. */
#ifndef GPUBE_CAUGHT_H
#define GPUBE_CAUGHT_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/* False: it has thrown. C code between both is compiled with -fexceptions. */
bool gpube__caught(void (*call)(void *), void *arg);

#ifdef __cplusplus
}
#endif

#endif
