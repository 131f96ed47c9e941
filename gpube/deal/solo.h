/*
 * solo.h - a method that a rank other than rank 0 works at by itself, from the given model on.
 *
 * What one method proves in t takes the schedule of rank 0 some times t, where its shares, which
 * are those of a class of models, are not the model's: of 62 files that took it half a second of
 * work or more, one method alone took less than half of that for 44 (traces of runs/solve-h200).
 * No sharing of rank 0's turns makes up for turns that lead nowhere. So each rank has a method,
 * with an order of its own, for as long as there is nothing to share, and the first four an eighth
 * of their work beside what is shared. All that is found and proved is everybody's (findings.h). It
 * begins when rank 0 says that its run has worked for a moment, and says when it has ended: rank 0
 * waits for it when its own methods have nothing more to say.
 *
 * Designs weighed. (1) Local search from other seeds: the best assignment is known in a tenth of a
 * second where the proof takes minutes. (2) Searches for orders split over ranks: an order takes a
 * hundredth of such a run. (3) Rank 0's turns side by side, in rounds of the schedule: which turn
 * had what from which would have to travel, with tables. (4) This one: it needs no more than the
 * model, which each rank has, and other seeds and orders come with it.
 */
#ifndef GPUBE_SOLO_H
#define GPUBE_SOLO_H

#include "gpube/deal/findings.h"
#include "gpube/deal/hand.h"

struct gpube__solo {
	struct gpube__findings *findings;
	const struct gpube_model *given;
	struct gpube_model mine; /* on the hand's context; its ctx NULL: there is none */
	struct gpube_opts opts;
	struct gpube_watch watch;
	struct gpube_hand hand;
	bool begun;  /* rank 0 says so */
	bool beside; /* it may have some of the work beside what is shared */
	bool over;   /* it has ended, or there is none */
};

/* Of this rank, with the options of all. None where a method is asked for. Errors: ENOMEM */
int gpube__solo_open(struct gpube__solo *s, const struct gpube_model *given,
	const struct gpube_opts *opts, struct gpube__findings *findings, int rank);
/* shares: the rank has shared work now. Errors: ENOMEM; EBUG of what it found */
int gpube__solo_poll(struct gpube__solo *s, bool shares);
void gpube__solo_close(struct gpube__solo *s);

#endif
