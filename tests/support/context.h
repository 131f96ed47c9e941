/*
 * context.h - the context that a program's cases work in, with a directory for files where
 * they need one. Pairs of set-up and tear-down are for cmocka, for a group or for each case.
 */
#ifndef GPUBE_TEST_CONTEXT_H
#define GPUBE_TEST_CONTEXT_H

#include "gpube/gpube.h"

extern struct gpube_ctx *ctx;
extern char dir[256];

/* A context of so many threads and bytes, 0: as many as there are; gpube_ctx_new()'s status. */
int ctx_open(int n_threads, uint64_t memory_bytes);

int ctx_setup(void **state); /* by default */
int ctx_setup_1_thread(void **state);
int ctx_setup_2_threads(void **state);
int ctx_teardown(void **state);

int ctx_dir_setup(void **state);
int ctx_dir_teardown(void **state);
/* The path of a file in 'dir'; holds until the fourth call from now. */
const char *in_dir(const char *name);

/*
 * For the case that says whether there is a device: skips it if there is none, fails if that is
 * for another reason or GPUBE_REQUIRE_GPU is set. 'there', 'status': what opening it gave.
 */
void needs_device(const void *there, int status);
/* That case, of the operators on tables. */
void device_opens(void **state);

#endif
