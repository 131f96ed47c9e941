/*
 * findings.h - what this rank knows of the answer, however it was found: the best assignment of the
 * given model, and the best bound of its total. Letters carry it to all others.
 *
 * Totals are of a minimum: those of a maximum have changed signs. Potentials have as many decimals
 * as the engine takes; what has other decimals than this rank's is not taken.
 */
#ifndef GPUBE_FINDINGS_H
#define GPUBE_FINDINGS_H

#include <pthread.h>

#include "gpube/bound/bounder.h"
#include "gpube/deal/letters.h"

/* Initialise by _open(). Those who call may be of any thread. */
struct gpube__findings {
	pthread_mutex_t lock; /* of all that follows */
	const struct gpube_model *m;
	int64_t cutoff; /* the caller's, or the top */
	int scale;      /* -1: not known yet */
	int64_t bound, cost;
	int32_t *values;  /* of the cost GPUBE_INF: none */
	int32_t *learned; /* what the run was told last, in its thread */
	/* improvements, those of assignments among them; of how many the run and others know */
	int64_t n, n_found, n_learned, n_told;
	double told_at;
	bool listens; /* a run has asked */
};

/* Errors: ENOMEM */
int gpube__findings_open(
	struct gpube__findings *f, const struct gpube_model *m, const struct gpube_opts *opts);
void gpube__findings_close(struct gpube__findings *f);

/* As improved() and learn() of a gpube_watch. */
void gpube__findings_improved(
	struct gpube__findings *f, int64_t bound, int64_t cost, const int32_t *values);
bool gpube__findings_learn(struct gpube__findings *f, bool all, struct gpube__learned *to);

/*
 * gpube__findings_send() - what is new: by rank 0 assignments, to all; by others, to rank 0 and now
 *                          and then, or at_once, bounds, too. Errors: ENOMEM
 * gpube__findings_read() - what was sent so. Errors: EPARSE, ENOMEM
 */
int gpube__findings_send(
	struct gpube__findings *f, struct dcop_world *world, int32_t kind, bool at_once);
int gpube__findings_read(
	struct gpube__findings *f, const struct gpube_letter *l, struct gpube__bytes *bytes);

/* Whether nothing is left to prove, and a run would hear of it. */
bool gpube__findings_prove(struct gpube__findings *f);
/* Whether something is known that the run has not been told. */
bool gpube__findings_any(struct gpube__findings *f);

#endif
