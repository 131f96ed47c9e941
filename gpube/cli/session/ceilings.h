/* ceilings.h - the rates of this machine (gpube/ops/rates.h), kept in the user's cache. */
#ifndef GPUBE_CLI_CEILINGS_H
#define GPUBE_CLI_CEILINGS_H

#include "gpube/cli/session/session.h"
#include "gpube/ops/rates.h"

/* Gives the context what was measured, if anything was; what cannot be read is noted and left out.
 */
void ceilings_load(struct session *s);

/* Measures everything, gives it to the context and keeps it. CLI_DONE, or CLI_FAILED after a
 * message. */
int ceilings_measure(struct session *s);

/* The processor's name as the kernel tells it. */
void ceilings_cpu_name(char *name, size_t size);

#endif
