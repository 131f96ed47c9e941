/* cadical.h - the few calls of CaDiCaL that sat.c needs, none of which throws. */
#ifndef GPUBE_CADICAL_H
#define GPUBE_CADICAL_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct gpube_cadical;

/* NULL: no memory. */
struct gpube_cadical *gpube__cadical_new(void);
/* After a call that failed nothing is known of its memory, and what CaDiCaL holds is not freed. */
void gpube__cadical_free(struct gpube_cadical *c);
const char *gpube__cadical_version(void);
/* A clause. False: no memory. */
bool gpube__cadical_add(struct gpube_cadical *c, const int32_t *literals, int32_t n);
/* 10: satisfiable, 20: not, 0: 'stop' said so, -1: no memory. */
int gpube__cadical_solve(struct gpube_cadical *c, bool (*stop)(void *), void *arg);
/* After 10. */
bool gpube__cadical_holds(struct gpube_cadical *c, int32_t variable);

#ifdef __cplusplus
}
#endif

#endif
